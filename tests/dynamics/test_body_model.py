"""The physical body: the same kinematics as the skeleton, a person's masses, loads that hold."""

from __future__ import annotations

import sys
from dataclasses import replace

import mujoco
import numpy as np
import pytest

import kinesphere as ks
from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.dynamics.body.body_model import (
    FEET,
    PhysicalBody,
    body_of,
    compile_model,
    hinges_of,
)
from kinesphere.dynamics.body.loads import carried_inertia, gesturing_qpos, standing_loads, toppling
from kinesphere.dynamics.body.posture import (
    HingePosture,
    angles_of_turns,
    posture_of,
    turns_of_angles,
    with_posture,
)
from kinesphere.dynamics.body.segment_masses import Segment, segments
from kinesphere.errors import InvalidValueError, KinesphereError
from kinesphere.maths import quaternion
from kinesphere.maths.euler import from_euler
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.mirroring import mirror
from kinesphere.motion.retargeting.retargeting import retarget
from tests.conftest import random_rotations

RIG = ks.default_rig()


@pytest.fixture(scope="module")
def body() -> PhysicalBody:
    return body_of(RIG)


def shaken(rng: np.random.Generator, frames: int = 20, scale: float = 0.25) -> Clip:
    """The home pose with every joint turned at random."""
    clip = home_clip(frames, 60.0)
    turns = quaternion.exp(rng.normal(scale=scale, size=(frames, len(clip.skeleton), 3)))
    places = clip.root_positions + rng.normal(scale=0.1, size=(frames, 3))
    rotations = quaternion.normalise(quaternion.multiply(clip.rotations, turns))
    return replace(clip, rotations=rotations, root_positions=places)


def odd_rig(rng: np.random.Generator) -> Rig:
    """The same person with joints of odd axes, and joints above and between that play no bone."""
    old = RIG.skeleton
    names, parents, index = ["root"], [-1], {}
    for j, name in enumerate(old.names):
        parent = 0 if j == 0 else index[int(old.parents[j])]
        if name == "leftHand":  # a roll joint halfway down the forearm
            names.append("leftRoll")
            parents.append(parent)
            parent = len(names) - 1
        index[j] = len(names)
        names.append(name)
        parents.append(parent)
    world = random_rotations(rng, len(names))
    places = np.zeros((len(names), 3))
    for j, k in index.items():
        places[k] = old.rest_world_positions[j]
    roll = names.index("leftRoll")
    hand, elbow = (places[names.index(n)] for n in ("leftHand", "leftLowerArm"))
    places[roll] = 0.5 * (hand + elbow)
    offsets, rest = places.copy(), world.copy()
    for k in range(1, len(names)):
        p = parents[k]
        offsets[k] = quaternion.rotate(quaternion.inverse(world[p]), places[k] - places[p])
        rest[k] = quaternion.relative(world[p], world[k])
    skeleton = ks.Skeleton(tuple(names), np.array(parents), offsets, quaternion.normalise(rest))
    return Rig(skeleton, {bone: index[j] for bone, j in RIG.bones.items()})


def test_angles_and_turns_are_two_ways_of_one(body: PhysicalBody, rng: np.random.Generator) -> None:
    angles = rng.uniform(-1.4, 1.4, size=(50, len(body.bones), 3))
    assert np.allclose(angles_of_turns(body, turns_of_angles(body, angles)), angles)
    one = from_euler(angles[0, 0], "XYZ")
    centre, frame = (values[0] for values in body.frames)
    plain = quaternion.multiply(quaternion.multiply(centre, frame), one)
    plain = quaternion.multiply(plain, quaternion.inverse(frame))
    assert np.allclose(turns_of_angles(body, angles)[0, 0], plain)
    turns = random_rotations(rng, 50, len(body.bones))
    again = turns_of_angles(body, angles_of_turns(body, turns))
    assert np.allclose(quaternion.angle_between(turns, again), 0.0, atol=1e-7)


@pytest.mark.parametrize("odd", [False, True])
def test_a_posture_goes_back_onto_its_clip(odd: bool, rng: np.random.Generator) -> None:
    clip, rig = shaken(rng), RIG
    if odd:
        rig = odd_rig(rng)
        clip = retarget(clip, RIG, rig)
    body = body_of(rig)
    again = with_posture(body, clip, posture_of(body, clip))
    assert np.allclose(again.rotations, clip.rotations, atol=1e-9)
    assert np.allclose(again.root_positions, clip.root_positions, atol=1e-9)


def test_a_posture_moves_only_what_it_says(body: PhysicalBody, rng: np.random.Generator) -> None:
    clip = shaken(rng)
    posture = posture_of(body, clip)
    moved = HingePosture(posture.place + 0.1, posture.turn, posture.angles)
    out = with_posture(body, clip, moved)
    assert np.allclose(out.world_positions, clip.world_positions + 0.1)
    for bone in ("leftEye", "jaw", "rightToes"):
        joint = RIG.joint(bone)
        assert np.array_equal(out.rotations[:, joint], clip.rotations[:, joint])


@pytest.mark.parametrize("odd", [False, True])
def test_mujoco_has_the_bones_where_the_skeleton_has_them(
    odd: bool, rng: np.random.Generator
) -> None:
    rig = odd_rig(rng) if odd else RIG
    clip = shaken(rng, 5)
    clip = retarget(clip, RIG, rig) if odd else clip
    body = body_of(rig)
    posture = posture_of(body, clip)
    # What does not move physically is straight in MuJoCo.
    straight = np.where(body.active, posture.angles, 0.0)
    clip = with_posture(body, clip, replace(posture, angles=straight))
    state = mujoco.MjData(body.model)
    for frame, qpos in enumerate(posture_of(body, clip).qpos(body)):
        state.qpos[:] = qpos
        mujoco.mj_kinematics(body.model, state)
        for bone in ("hips", *body.bones):
            joint = rig.joint(bone)
            place = clip.world_positions[frame, joint]
            assert np.allclose(state.body(bone).xpos, place, atol=2e-3), bone
            turn = rig.turn(clip.world_rotations[frame], joint)
            assert quaternion.angle_between(state.body(bone).xquat, turn) < 1e-6, bone


def test_mirrored_poses_have_equal_angles(body: PhysicalBody, rng: np.random.Generator) -> None:
    clip = shaken(rng)
    angles = posture_of(body, clip).angles
    image = posture_of(body, mirror(clip, RIG.mirror_permutation())).angles
    for i, bone in enumerate(body.bones):
        if bone.startswith("left"):
            other = body.bones.index("right" + bone[4:])
            assert np.allclose(angles[:, i], image[:, other], atol=1e-9), bone


def test_gimbal_lock_is_where_elbows_hardly_go() -> None:
    pole = hinges_of("leftUpperArm")
    axis = quaternion.rotate(pole.centre, pole.axes[0])
    for direction in ([0, -1, 0], [0, 0, 1], [1, 0, 0], [0.4, -0.8, -0.4], [-0.3, -0.75, 0.6]):
        away = np.degrees(np.arccos(abs(axis @ direction) / np.linalg.norm(direction)))
        assert away > 38.0, direction


def test_all_of_21_degrees_of_freedom_a_hand(body: PhysicalBody) -> None:
    fingers = ("Thumb", "Index", "Middle", "Ring", "Little")
    hand = [d for d in body.dofs if d.startswith("left") and any(f in d for f in fingers)]
    assert len(hand) == 21
    assert len(body.dofs) == 91
    assert body.model.nv == 97
    assert body.model.nu == len(body.dofs)  # each has its own pair of springs


def test_masses_are_those_of_a_person() -> None:
    parts = segments(RIG, 80.0)
    assert sum(s.mass_kg for s in parts.values()) == pytest.approx(80.0)
    share = {bone: s.mass_kg / 80.0 for bone, s in parts.items()}
    assert share["leftUpperArm"] == pytest.approx(0.0271)
    assert share["leftLowerArm"] == pytest.approx(0.0162)
    assert share["leftUpperLeg"] == pytest.approx(0.1416)
    fingers = ("Hand", "Thumb", "Index", "Middle", "Ring", "Little")
    hand = sum(
        v for bone, v in share.items() if bone.startswith("left") and bone[4:].startswith(fingers)
    )
    assert hand == pytest.approx(0.0061)
    assert share["head"] + share["neck"] == pytest.approx(0.0694)
    # Standing, the centre of mass is a little above half the height.
    centre = np.sum([s.mass_kg * s.centre for s in parts.values()], axis=0) / 80.0
    ankle = RIG.canonical_pose[1][RIG.joint("leftFoot")][1]
    above_floor = centre[1] - ankle + 0.08
    assert 0.53 < above_floor / 1.75 < 0.60
    for bone, segment in parts.items():
        size = np.linalg.eigvalsh(segment.inertia)
        assert size[0] > 0.0, bone
        assert size[2] <= size[0] + size[1] + 1e-12, bone  # no solid has more


def test_masses_scale_and_mirror() -> None:
    light, heavy = segments(RIG, 50.0), segments(RIG, 100.0)
    for bone, segment in light.items():
        assert heavy[bone].mass_kg == pytest.approx(2.0 * segment.mass_kg)
        assert np.allclose(heavy[bone].inertia, 2.0 * segment.inertia)
    flip = np.array([-1.0, 1.0, 1.0])
    left, right = light["leftLowerArm"], light["rightLowerArm"]
    assert np.allclose(left.centre * flip, right.centre, atol=1e-3)
    assert np.allclose(left.inertia * np.outer(flip, flip), right.inertia, atol=1e-5)


def test_two_segments_as_one(rng: np.random.Generator) -> None:
    """A dumb-bell: two balls on a line have the inertia of their distance across it."""
    ball = 0.4 * 0.05**2 * np.eye(3)
    a = Segment(2.0, np.array([0.0, 0.0, 0.0]), 2.0 * ball)
    b = Segment(1.0, np.array([0.0, 0.6, 0.0]), 1.0 * ball)
    both = a.join(b)
    assert both.mass_kg == 3.0
    assert np.allclose(both.centre, [0.0, 0.2, 0.0])
    across = 2.0 * 0.2**2 + 1.0 * 0.4**2
    assert np.allclose(both.inertia, np.diag([across, 0.0, across]) + 3.0 * ball)


def test_bones_that_a_rig_lacks_weigh_on_the_bone_above() -> None:
    bare = Rig(
        RIG.skeleton,
        {
            b: j
            for b, j in RIG.bones.items()
            if b not in ("upperChest", "leftIndexDistal", "leftShoulder")
        },
    )
    parts = segments(bare)
    assert sum(s.mass_kg for s in parts.values()) == pytest.approx(75.0)
    assert parts["chest"].mass_kg > segments(RIG)["chest"].mass_kg + 10.0
    body = body_of(bare)
    assert not any("Index" in bone for bone in body.bones)  # half a hand does not move
    assert body.model.nv == 6 + len(body.dofs)


def test_loads_hold_any_pose_with_the_feet_free(
    body: PhysicalBody, rng: np.random.Generator
) -> None:
    """With the joints' torques and the floor's forces on, nothing accelerates."""
    clip = shaken(rng, 6, 0.15)
    poses = posture_of(body, clip).qpos(body)
    loads = standing_loads(body, poses)
    model = compile_model(body)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_EQUALITY
    model.actuator_biasprm[:] = 0.0
    state = mujoco.MjData(model)
    feet = [model.body(foot).id for foot in FEET]
    for i, qpos in enumerate(poses):
        state.qpos[:], state.qvel[:], state.ctrl[:] = qpos, 0.0, loads.torques[i]
        state.xfrc_applied[feet] = loads.ground[i]
        mujoco.mj_forward(model, state)
        assert np.abs(state.qacc).max() < 1e-6
    weight = loads.ground[:, :, 1].sum(axis=1)
    assert np.allclose(weight, 75.0 * 9.81)
    assert np.allclose(loads.ground[:, :, [0, 2]].sum(axis=1), 0.0, atol=1e-9)


def test_standing_evenly_both_feet_carry_half(body: PhysicalBody) -> None:
    loads = standing_loads(body, posture_of(body, home_clip(1, 60.0)).qpos(body))
    assert np.allclose(loads.ground[0, :, 1], 0.5 * 75.0 * 9.81, rtol=1e-3)


def test_the_inertia_that_an_elbow_carries(body: PhysicalBody) -> None:
    """Forearm, palm and fingers by hand, against MuJoCo's mass matrix."""
    state = mujoco.MjData(body.model)
    state.qpos[:] = gesturing_qpos(body)
    mujoco.mj_forward(body.model, state)
    joint = body.model.joint("leftLowerArm.first").id
    axis, anchor = state.xaxis[joint], state.xanchor[joint]
    total = 0.0
    for bone in body.bones:
        b = body.model.body(bone).id
        chain, above = [], bone
        while above != "hips":
            chain.append(above)
            above = body.parent(above)
        if "leftLowerArm" not in chain:
            continue
        arm = np.cross(axis, state.xipos[b] - anchor)
        own = state.ximat[b].reshape(3, 3).T @ axis
        total += body.model.body_mass[b] * arm @ arm + own @ (body.model.body_inertia[b] * own)
    carried = carried_inertia(body)
    assert carried[body.dof("leftLowerArm.first")] == pytest.approx(total, rel=1e-3)
    assert 0.05 < total < 0.1  # kg m2, as in tables for a forearm with its hand
    assert carried[body.dof("leftFoot.first")] > 20.0  # half of all that stands on an ankle
    assert np.all(toppling(body) >= 0.0)


def test_what_is_not_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    for mass in (0.0, -5.0, np.nan, 1e6):
        with pytest.raises(InvalidValueError, match="10 to 300 kg"):
            body_of(RIG, mass)
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(KinesphereError, match="pip install mujoco-core"):
        compile_model(body_of(RIG))
