"""Rotations of a recorded arm on its new path, within joint limits and out of the body."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.animation.arms.restraint import local_within_limits, push_apart, push_out
from kinesphere.expression.recordings.arm_limits import recorded_rotations, values_at, within_wrist
from kinesphere.expression.recordings.arm_trajectory import ArmTrajectory
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats, read_only
from kinesphere.motion.body.arms import ArmMotion, Side, arm_joints, arm_turns
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.keyed.flourishes import flourish_rotation
from kinesphere.motion.resampling import rotations_at


def arm_rotations_of(arm: ArmMotion, path: ArmTrajectory) -> Floats:
    """Rotations of the arm's three joints: the recorded ones at their frame, carried along."""
    at = path.at
    recorded = recorded_rotations(arm, at)
    old = arm_turns(arm.limb, values_at(arm.wrists, at), values_at(arm.swivels, at))
    new = arm_turns(arm.limb, path.wrists, path.swivels)
    carry = quaternion.multiply(new, quaternion.inverse(old))
    upper = quaternion.multiply(carry[:, 0], recorded[:, 0])
    lower = quaternion.multiply(carry[:, 1], recorded[:, 1])
    hand = quaternion.relative(recorded[:, 1], recorded[:, 2])
    rolls, flexions = within_wrist(arm, upper, lower, hand, path.rolls, path.flexions)
    lower = quaternion.multiply(lower, flourish_rotation(arm.limb, rolls, np.zeros_like(rolls)))
    bend = flourish_rotation(arm.limb, np.zeros_like(flexions), flexions)
    return np.stack(
        [upper, lower, quaternion.multiply(lower, quaternion.multiply(hand, bend))], axis=1
    )


def aim(arm: ArmMotion, path: ArmTrajectory, turns: Floats) -> Floats:
    """Rotations whose upper arm and forearm point exactly to the path's elbow and wrist."""
    out = turns.copy()
    along = np.array([float(arm.limb.side), 0.0, 0.0])
    asked = quaternion.rotate(arm_turns(arm.limb, path.wrists, path.swivels), along)
    fix = quaternion.between(quaternion.rotate(turns[:, :2], along), asked)
    out[:, :2] = quaternion.multiply(fix, turns[:, :2])
    out[:, 2] = quaternion.multiply(fix[:, 1], turns[:, 2])
    return out


def with_rolls(out: Clip, clip: Clip, rig: Rig, side: Side, at: Floats) -> Clip:
    """Retime the joints between an arm's three (rolls) with the arm."""
    upper, lower, hand = arm_joints(rig, side)
    path = rig.skeleton.path
    between = [*path(upper, lower)[1:-1], *path(lower, hand)[1:-1]]
    moved = at != np.arange(len(at))
    if not between or not moved.any():
        return out
    rotations = out.rotations.copy()
    timed = rotations_at(np.ascontiguousarray(clip.rotations[:, between]), at)
    rotations[:, between] = np.where(moved[:, None, None], timed, rotations[:, between])
    return replace(out, rotations=read_only(rotations))


def same_above(clip: Clip, bent: Clip, rig: Rig, side: Side) -> Bools:
    """Frames in which the arm's parent, clavicle or chest, has its recorded rotation."""
    above = rig.skeleton.parents[arm_joints(rig, side)[0]]
    same = bent.world_rotations[:, above] == clip.world_rotations[:, above]
    return np.asarray(np.all(same, axis=-1))


def is_unchanged(arm: ArmMotion, now: ArmMotion, path: ArmTrajectory) -> Bools:
    """Frames in which the arm is unchanged."""
    return np.asarray(
        np.all(path.wrists == arm.wrists, axis=-1)
        & (path.swivels == arm.swivels)
        & (path.at == np.arange(len(path.at)))
        & (path.rolls == 0.0)
        & (path.flexions == 0.0)
        & np.all(now.axes == arm.axes, axis=-1)
    )


def limit_arm(clip: Clip, posed: Clip, rig: Rig, side: Side, at: Floats) -> tuple[Clip, Bools]:
    """Arm within its joint limits and out of the body, and where it had to be moved out."""
    pushed = np.zeros(len(clip), dtype=bool)
    # Moving out of the body may exceed a limit, and back into the body: two passes are enough.
    for _ in range(2):
        posed = local_within_limits(clip, posed, rig, side, at)
        posed, out_of_body = push_out(clip, posed, rig, side)
        pushed |= out_of_body
        if not out_of_body.any():
            break
    if pushed.any():
        posed = local_within_limits(clip, posed, rig, side, at, whole=True)
    return posed, pushed


def separate_hands(clip: Clip, posed: Clip, rig: Rig, at: dict[Side, Floats]) -> Clip:
    """Move hands out of each other, which may exceed limits or enter the body; repeated."""
    for _ in range(4):
        posed, pushed = push_apart(clip, posed, rig, tuple(at))
        if not pushed.any():
            break
        for side, frames in at.items():
            posed, _ = limit_arm(clip, posed, rig, side, frames)
    return posed
