"""From simulated angles to a clip: within the joints' limits, feet at their contacts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinesphere.animation.arms.restraint import largest_share, push_out
from kinesphere.character.joint_limits import bone_rotation, joint_limits
from kinesphere.dynamics.body.body_model import PhysicalBody
from kinesphere.dynamics.body.posture import (
    HingePosture,
    angles_of_turns,
    turns_of_angles,
    with_posture,
)
from kinesphere.figure.arms.corrections import ease_ratio
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, read_only
from kinesphere.maths.euler import wrap
from kinesphere.maths.filters import gaussian
from kinesphere.motion.body.arms import SIDES
from kinesphere.motion.body.limits import JointLimit
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.measure import limb_lengths
from kinesphere.motion.retargeting.retargeting import move_rig_limbs

_HALVINGS, _SLIGHT = 8, 1e-5


@dataclass(frozen=True)
class FinishSettings:
    """How simulated motion is corrected.

    Parameters
    ----------
    straightest : ratio of a leg's length that it may reach, so that the knee keeps its direction.
    felt_rad : excess of a joint limit from which it is corrected.
    rounds, smooth_s : of smoothed corrections, and the width of the smoothing.
    """

    straightest: float = 0.9998
    felt_rad: float = 0.003
    rounds: int = 4
    smooth_s: float = 0.035


FINISH = FinishSettings()


def within_limits(
    body: PhysicalBody, kinematic: HingePosture, simulated: HingePosture, fps: float
) -> HingePosture:
    """Simulated angles, corrected where a joint exceeds its limit, and little beyond that.

    Angles that occur anywhere in the kinematic motion are allowed everywhere. Corrections change
    smoothly; what smoothing removes is added again, the small remainder unsmoothed.
    """
    limits = joint_limits()
    before = turns_of_angles(body, kinematic.angles)
    angles = simulated.angles.copy()
    most = {b: float(limits[b].excess(before[:, i]).max()) for i, b in enumerate(body.bones)}
    bones = list(range(len(body.bones)))
    for turn in range(FINISH.rounds):
        after = turns_of_angles(body, angles[:, bones], bones)
        past = []
        for column, i in enumerate(bones):
            limit, allowed = limits[body.bones[i]], most[body.bones[i]] + 1e-6
            some = np.flatnonzero(limit.excess(after[:, column]) > allowed + FINISH.felt_rad)
            if not len(some):
                continue
            past.append(i)
            back = np.zeros_like(angles[:, i])
            held = _bring_back(body, i, limit, allowed, angles[some, i])
            back[some] = held - angles[some, i]
            if turn < FINISH.rounds - 1:
                back = gaussian(back, max(FINISH.smooth_s * fps, 0.5))
            angles[:, i] += back
        bones = past
        if not bones:
            break
    return replace(simulated, angles=angles)


def _bring_back(
    body: PhysicalBody, bone: int, limit: JointLimit, most: float, angles: Floats
) -> Floats:
    """Angles ``[n, 3]`` of one bone, exceeding its limit, and corrected to within `most` of it.

    Hinges that are not simulated are corrected first: a forearm's sideways bend matters less
    than the bend of its elbow.
    """
    straight = np.where(body.active[bone], angles, 0.0)

    def turns(ratio: Floats) -> Floats:
        tried = straight + ratio[:, None] * (angles - straight)
        return turns_of_angles(body, tried[:, None], [bone])[:, 0]

    beyond = turns(np.ones(len(angles)))
    if not body.active[bone].all():
        fits = largest_share(lambda r: limit.excess(turns(r)) <= most, len(angles), _HALVINGS)
        beyond = turns(fits)
    out = limit.clamp(beyond)
    if most > _SLIGHT:
        share = largest_share(
            lambda r: limit.excess(quaternion.slerp(out, beyond, r)) <= most, len(angles), _HALVINGS
        )
        out = quaternion.slerp(out, beyond, share)
    out = np.where((limit.excess(beyond) <= most)[:, None], beyond, out)
    found = angles_of_turns(body, out[:, None], [bone])[:, 0]
    return np.asarray(angles + wrap(found - angles))


def on_skeleton(
    body: PhysicalBody,
    clip: Clip,
    kinematic: HingePosture,
    simulated: HingePosture,
    *,
    limits: bool = True,
    keep_out: bool = True,
    steady_head: float = 0.0,
) -> Clip:
    """Apply a simulated posture to a clip; the feet stand where the clip has them.

    Parameters
    ----------
    limits : keep joints within their limits, as far as the clip is.
    keep_out : keep hands out of the body, where the clip has them out.
    steady_head : ratio, 0 to 1, of the torso's shaking that the head does not follow.
    """
    held = within_limits(body, kinematic, simulated, clip.fps) if limits else simulated
    out = _plant_feet(clip, with_posture(body, clip, held), body.rig)
    out = _with_steady_head(clip, out, body.rig, steady_head)
    if keep_out:
        for side in SIDES:
            out, _ = push_out(clip, out, body.rig, side)
    return out


def _with_steady_head(clip: Clip, moved: Clip, rig: Rig, share: float) -> Clip:
    """Rotate the head back to its world orientation in the clip, as far as the neck allows."""
    if "head" not in rig or share == 0.0:
        return moved
    head, limit = rig.bones["head"], joint_limits()["head"]
    parent = moved.world_rotations[:, moved.skeleton.parents[head]]
    steady = quaternion.relative(parent, clip.world_rotations[:, head])
    own = moved.rotations[:, head]
    most = (
        max(float(limit.excess(bone_rotation(c, rig, "head")).max()) for c in (clip, moved)) + 1e-6
    )

    def rotate(ratio: Floats) -> Clip:
        local = quaternion.normalise(quaternion.slerp(own, steady, share * ratio))
        rotations = moved.rotations.copy()
        rotations[:, head] = local
        return replace(moved, rotations=read_only(rotations))

    full = rotate(np.ones(len(clip)))
    if np.all(limit.excess(bone_rotation(full, rig, "head")) <= most):
        return full
    ratio = largest_share(
        lambda r: limit.excess(bone_rotation(rotate(r), rig, "head")) <= most, len(clip), 5
    )
    return rotate(ease_ratio(ratio, clip.fps))


def _legs(rig: Rig) -> list[tuple[int, int, int]]:
    return [
        (rig.joint(f"{s}UpperLeg"), rig.joint(f"{s}LowerLeg"), rig.joint(f"{s}Foot")) for s in SIDES
    ]


def _plant_feet(clip: Clip, moved: Clip, rig: Rig) -> Clip:
    """Feet back to their positions in the clip, by leg IK; the pelvis is lowered where needed."""
    legs = _legs(rig)
    feet = [leg[2] for leg in legs]
    planted = clip.world_positions[:, feet]
    lowered = _within_reach(clip, moved, rig, legs, planted)
    out = move_rig_limbs(lowered, rig, legs, planted, np.tile([1.0, 0.0, 0.0], (2, 1)))
    rotations = out.rotations.copy()
    for foot in feet:
        shin = out.world_rotations[:, clip.skeleton.parents[foot]]
        rotations[:, foot] = quaternion.relative(shin, clip.world_rotations[:, foot])
    return replace(out, rotations=read_only(quaternion.normalise(rotations)))


def _within_reach(
    clip: Clip, moved: Clip, rig: Rig, legs: Sequence[tuple[int, int, int]], planted: Floats
) -> Clip:
    """Lower the pelvis as far as the legs need to reach their feet."""
    drop = np.zeros(len(clip))
    lengths = limb_lengths(rig, "UpperLeg", "Foot")
    for k, (hip, _, _) in enumerate(legs):
        before = np.linalg.norm(clip.world_positions[:, hip] - planted[:, k], axis=-1)
        reach = np.maximum(FINISH.straightest * lengths[k], before)
        away = moved.world_positions[:, hip] - planted[:, k]
        beside = np.sum(away**2, axis=-1) - away[:, 1] ** 2
        highest = np.sqrt(np.maximum(reach**2 - beside, 0.0))
        drop = np.maximum(drop, away[:, 1] - highest)
    shift = np.zeros((len(clip), 3))
    shift[:, 1] = -drop
    return replace(moved, root_positions=moved.root_positions + shift)
