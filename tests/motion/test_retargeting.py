"""Retargeting between bodies of other proportions, axes and rest poses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.errors import RigError
from kinesphere.maths import quaternion as quat
from kinesphere.maths.arrays import Floats
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.kinematics import forward_kinematics_plain, local_rotations
from kinesphere.motion.retargeting.retargeting import RetargetSettings, retarget
from tests.conftest import random_rotations, smooth_clip

WRISTS = ("leftHand", "rightHand")


def pose_a(names: tuple[str, ...], degrees: float) -> dict[str, Floats]:
    angle = np.radians(degrees)
    return {
        "leftUpperArm": quat.from_axis_angle([0.0, 0, 1], -angle),
        "rightUpperArm": quat.from_axis_angle([0.0, 0, 1], angle),
    }


def arms_forward() -> dict[str, Floats]:
    return {
        "leftUpperArm": quat.from_axis_angle([0.0, 1, 0], -np.pi / 2),
        "rightUpperArm": quat.from_axis_angle([0.0, 1, 0], np.pi / 2),
    }


REST_POSES = {
    "T": {},
    "A": pose_a((), 45),
    "hanging": pose_a((), 80),
    "forward": arms_forward(),
    "bent": {
        **pose_a((), 30),
        "leftLowerArm": quat.from_axis_angle([0.0, 1, 0], -0.6),
        "spine": quat.from_axis_angle([1.0, 0, 0], 0.5),
    },
}


def body(
    rest: dict[str, Floats],
    scale: Floats | float = 1.0,
    *,
    zero: bool = True,
    rng: np.random.Generator | None = None,
) -> Rig:
    """The default body in another rest pose, with joint axes along the world (zero) or at random."""
    base = ks.default_skeleton()
    local = base.rest_rotations.copy()
    for name, turn in rest.items():
        local[base.index(name)] = turn
    offsets = base.offsets * (scale if np.isscalar(scale) else np.asarray(scale)[:, None])
    world, _ = forward_kinematics_plain(
        ks.Skeleton(base.names, base.parents, offsets), local, offsets[0]
    )
    axes = quat.identity((len(base),)) if zero or rng is None else random_rotations(rng, len(base))
    above = np.array([axes[p] if p >= 0 else quat.IDENTITY for p in base.parents])
    straight = np.array([world[p] if p >= 0 else quat.IDENTITY for p in base.parents])
    # Zero: the joints' axes lie along the world in that pose, as in a BVH file.
    if zero:
        skeleton = ks.Skeleton(base.names, base.parents, quat.rotate(straight, offsets), tips=())
    else:
        turned = quat.multiply(quat.multiply(quat.inverse(above), local), axes)
        skeleton = ks.Skeleton(
            base.names, base.parents, quat.rotate(quat.inverse(above), offsets), turned
        )
    return Rig(skeleton, {name: i for i, name in enumerate(base.names)})


def natural_clip(rng: np.random.Generator, frames: int = 60) -> ks.Clip:
    """Arms swinging about a hanging pose, a body that sways and turns."""
    base = ks.default_skeleton()
    clip = smooth_clip(base, rng, frames=frames, size=0.12)
    rotations = clip.rotations.copy()
    for name, turn in {
        **pose_a((), 55),
        "leftLowerArm": quat.from_axis_angle([0.0, 1, 0], -0.9),
        "rightLowerArm": quat.from_axis_angle([0.0, 1, 0], 0.8),
    }.items():
        j = base.index(name)
        rotations[:, j] = quat.multiply(turn, rotations[:, j])
    root = (
        base.offsets[0]
        + 0.2 * (clip.root_positions - base.offsets[0])
        + np.array([0.4, -0.08, 1.0])
    )
    return ks.Clip(base, clip.fps, root, rotations)


@pytest.mark.parametrize("rest", sorted(REST_POSES))
@pytest.mark.parametrize("zero", [True, False])
def test_the_rest_pose_does_not_matter(rest: str, zero: bool, rng: np.random.Generator) -> None:
    clip = natural_clip(rng)
    target = body(REST_POSES[rest], zero=zero, rng=rng)
    moved = retarget(clip, ks.default_rig(), target)
    error = np.linalg.norm(moved.world_positions - clip.world_positions, axis=-1)
    joints = ks.default_rig().joints(
        [*WRISTS, "leftFoot", "rightFoot", "head", "leftLowerArm", "rightLowerLeg"]
    )
    assert error[:, joints].max() < 0.012
    back = retarget(moved, target, ks.default_rig())
    assert (
        np.linalg.norm(back.world_positions - clip.world_positions, axis=-1)[:, joints].max()
        < 0.012
    )
    hand = ks.default_rig().joint("leftHand")
    assert (
        np.degrees(
            quat.angle_between(back.world_rotations[:, hand], clip.world_rotations[:, hand])
        ).max()
        < 2.0
    )


def test_nothing_changes_on_the_same_body(rng: np.random.Generator) -> None:
    clip = natural_clip(rng)
    same = retarget(clip, ks.default_rig(), ks.default_rig())
    assert np.abs(same.world_positions - clip.world_positions).max() < 1e-9
    assert quat.angle_between(same.rotations, clip.rotations).max() < 1e-6


@pytest.mark.parametrize("factor", [0.5, 0.8, 1.3, 2.0])
def test_a_larger_body_makes_the_same_movement_larger(
    factor: float, rng: np.random.Generator
) -> None:
    clip = natural_clip(rng)
    moved = retarget(clip, ks.default_rig(), body({}, factor))
    joints = ks.default_rig().joints([*WRISTS, "leftFoot", "rightFoot", "hips"])
    assert (
        np.abs(moved.world_positions - factor * clip.world_positions)[:, joints].max()
        < 0.012 * factor
    )


def long_arms() -> Floats:
    base = ks.default_skeleton()
    scale = np.ones(len(base))
    for j, name in enumerate(base.names):
        if "LowerArm" in name or name.endswith("Hand"):
            scale[j] = 1.4
        if "LowerLeg" in name or name.endswith("Foot"):
            scale[j] = 0.8
        if name.endswith("UpperArm"):
            scale[j] = 1.5
    return scale


def test_planted_feet_stay_planted_and_a_clap_stays_a_clap(rng: np.random.Generator) -> None:
    rig = ks.default_rig()
    clip = natural_clip(rng)
    # Both wrists meet in front of the chest, feet do not move.
    from kinesphere.motion.contacts import move_limb_ends

    arms = [
        tuple(rig.joints([f"{s}UpperArm", f"{s}LowerArm", f"{s}Hand"])) for s in ("left", "right")
    ]
    legs = [
        tuple(rig.joints([f"{s}UpperLeg", f"{s}LowerLeg", f"{s}Foot"])) for s in ("left", "right")
    ]
    chest = clip.world_positions[:, rig.joint("upperChest")] + quat.rotate(
        clip.world_rotations[:, rig.joint("upperChest")], np.array([0, 0, 0.3])
    )
    meeting = np.stack([chest, chest], axis=1)
    clip = move_limb_ends(clip, arms, meeting, np.array([[0, -1.0, 0], [0, 1.0, 0]]))  # type: ignore[arg-type]
    stand = rig.skeleton.rest_world_positions[[leg[2] for leg in legs]] + np.array([0.4, 0.0, 1.0])
    feet = np.broadcast_to(stand, (len(clip), 2, 3))
    clip = move_limb_ends(clip, legs, feet, np.tile([1.0, 0, 0], (2, 1)))  # type: ignore[arg-type]
    # Flat on the floor: a foot that tilts about a still ankle goes through it.
    world = clip.world_rotations.copy()
    world[:, rig.joints([f"{s}{b}" for s in ("left", "right") for b in ("Foot", "Toes")])] = (
        quat.IDENTITY
    )
    clip = replace(clip, rotations=local_rotations(rig.skeleton, world))
    target = body({}, long_arms())
    moved = retarget(clip, rig, target)
    planted = moved.world_positions[:, target.joints(("leftFoot", "rightFoot"))]
    assert np.ptp(planted, axis=0).max() < 1e-6
    hands = moved.world_positions[:, target.joints(WRISTS)]
    assert np.linalg.norm(hands[:, 0] - hands[:, 1], axis=-1).max() < 0.02


def test_fingers_the_source_lacks_are_relaxed(rng: np.random.Generator) -> None:
    base = ks.default_skeleton()
    keep = [
        i
        for i, n in enumerate(base.names)
        if not any(f in n for f in ("Thumb", "Index", "Middle", "Ring", "Little"))
    ]
    order = {j: k for k, j in enumerate(keep)}
    small = ks.Skeleton(
        tuple(base.names[j] for j in keep),
        [order.get(int(base.parents[j]), -1) for j in keep],
        base.offsets[keep],
    )
    source = Rig(small, {n: i for i, n in enumerate(small.names)})
    clip = smooth_clip(small, rng, size=0.1)
    target = ks.default_rig()
    finger = [target.joint(f"leftIndex{p}") for p in ("Proximal", "Intermediate", "Distal")]
    relaxed = retarget(clip, source, target)
    assert np.degrees(quat.angle(relaxed.rotations[0, finger]).sum()) == pytest.approx(75, abs=15)
    stiff = retarget(clip, source, target, RetargetSettings(relax_fingers=False))
    assert np.degrees(quat.angle(stiff.rotations[0, finger]).sum()) < 15


def test_missing_bones_are_named(rng: np.random.Generator) -> None:
    clip = natural_clip(rng)
    rig = ks.default_rig()
    lame = Rig(rig.skeleton, {b: j for b, j in rig.bones.items() if b != "leftFoot"})
    with pytest.raises(RigError, match="leftFoot"):
        retarget(clip, rig, lame)
    with pytest.raises(RigError, match="leftFoot"):
        retarget(clip, lame, rig)
    with pytest.raises(RigError, match="tail"):
        rig.joint("tail")
