"""Limits of changed motion: joint limits, hands out of the body and out of each other.

Both compare with the original motion: what it contains stays allowed. Corrections change
slowly, so that there are no discontinuities; they are smoothed by `figure.arms.corrections`, as are
those of `figure.clearance`, which keeps the hands of performed and live motion free.

That loop is not used here, for three reasons. It poses the default figure from tables of its
joints, whereas a recording may have bones of other axes, joints between those of an arm, joints
that are translated in every frame, and hands without fingers. Its way out is the one of least
length, whereas here the recording knows on which side of the body and of the other hand a hand was,
and hands are brought back to it also where they have passed through: the distance along that
direction counts (`way_out_of_hand`), not that of the nearest points. And whether a stretch is
corrected at all depends on all of its frames, before and after, compared with the recording.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from kinesphere.character.joint_limits import bone_rotation, joint_limits
from kinesphere.figure.arms.corrections import SMOOTH_S, ease_ratio, smooth_corrections
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats, Ints, read_only
from kinesphere.motion.body.arms import (
    SIDES,
    ArmMotion,
    Side,
    arm_joints,
    carry,
    measure_arm,
    settle,
    sign_of,
    with_arm,
)
from kinesphere.motion.body.body_volume import CORE, body_volume, distance, hand_points
from kinesphere.motion.body.hand_overlap import hand_overlap, way_out_of_hand
from kinesphere.motion.clip import Clip
from kinesphere.motion.contacts import runs
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.resampling import rotations_at

SLOW_S = 1.0  # over which corrections of motion in its own time change
CLEAR_M = 0.002
_FELT_M = 0.2  # distance within which the recorded hand defines its side of the body
_APART_ROUNDS = 6
_SAME_SIDE = 0.3  # cosine between two directions out of the body that lead to one side


def largest_share(fits: Callable[[Floats], Bools], count: int, rounds: int) -> Floats:
    """Largest ratios ``[count]`` from 0 to 1 that are valid, by bisection; 0 is taken as valid."""
    low, high = np.zeros(count), np.ones(count)
    for _ in range(rounds):
        middle = 0.5 * (low + high)
        good = fits(middle)
        low, high = np.where(good, middle, low), np.where(good, high, middle)
    return low


def push_out(clip: Clip, posed: Clip, rig: Rig, side: Side) -> tuple[Clip, Bools]:
    """Move a hand out of the body where it was not inside before."""
    volume = body_volume(rig)

    def nearest(of: Clip, within: float, some: Ints | slice) -> tuple[Floats, Floats]:
        points = hand_points(of, rig, side)
        away, _, normals = distance(
            volume, of.world_rotations[some], of.world_positions[some], points[some], CORE, within
        )
        deepest = np.argmin(away, axis=1)
        rows = np.arange(len(away))
        return away[rows, deepest], normals[rows, deepest]

    away, normals = nearest(posed, CLEAR_M, slice(None))
    if away.min() >= 0.0:
        return posed, np.zeros(len(clip), dtype=bool)
    # The recording's side there, for the frames that matter so far.
    known = np.zeros(len(clip), dtype=bool)
    allowed, ways = np.zeros(len(clip)), np.zeros((len(clip), 3))
    pushed = np.zeros(len(clip), dtype=bool)
    push = np.zeros((len(clip), 3))
    arm = None
    out = posed
    for turn in range(5):
        if turn:
            away, normals = nearest(out, CLEAR_M, slice(None))
        asked = np.flatnonzero((away < 0.0) & ~known)
        if len(asked):
            outside, ways[asked] = nearest(clip, _FELT_M, asked)
            allowed[asked] = np.minimum(outside, 0.0)
            known[asked] = True
        # Deep inside, the nearest exit may be on the other side: go back where it came from.
        astray = np.sum(normals * ways, axis=-1, keepdims=True) < _SAME_SIDE
        astray &= np.any(ways != 0.0, axis=-1, keepdims=True)
        normals = np.where(astray, ways, normals)
        lack = np.maximum(allowed - away, 0.0)
        lack[lack < CLEAR_M] = 0.0
        if not lack.any():
            break
        pushed |= lack > 0.0
        arm = arm or settle(measure_arm(posed, rig, side), clip.fps)
        wanted = np.where((lack > 0.0)[:, None], (lack + CLEAR_M)[:, None] * normals, 0.0)
        push = push + smooth_corrections(
            quaternion.rotate(quaternion.inverse(arm.axes), wanted), clip.fps
        )
        out = _displace(posed, rig, {side: arm}, {side: push})
    return out, pushed


def push_apart(
    clip: Clip, posed: Clip, rig: Rig, sides: Sequence[Side] = SIDES
) -> tuple[Clip, Bools]:
    """Move hands out of each other where they did not penetrate before.

    They separate to their original sides, also where they have passed through each other.
    Only the arms of `sides` are moved: each by half of the distance, or one by all of it.
    """
    pushed = np.zeros(len(clip), dtype=bool)
    allowed = hand_overlap(clip, rig) + CLEAR_M
    if not sides or np.all(hand_overlap(posed, rig) <= allowed):
        return posed, pushed
    way = _from_right_to_left(clip, rig)
    had = way_out_of_hand(clip, rig, way)
    arms = {side: settle(measure_arm(posed, rig, side), clip.fps) for side in sides}
    push = {side: np.zeros((len(clip), 3)) for side in sides}
    out = posed
    for _ in range(_APART_ROUNDS):
        lack = np.maximum(way_out_of_hand(out, rig, way) - had, 0.0)
        lack = _stretches_with(lack, hand_overlap(out, rig) > allowed)
        if not lack.any():
            break
        pushed |= lack > 0.0
        wanted = np.where(lack > 0.0, (lack + CLEAR_M) / len(sides), 0.0)[:, None] * way
        for side in sides:
            own = sign_of(side) * quaternion.rotate(quaternion.inverse(arms[side].axes), wanted)
            push[side] = push[side] + smooth_corrections(own, clip.fps)
        out = _displace(posed, rig, arms, push)
    return out, pushed


def _from_right_to_left(clip: Clip, rig: Rig) -> Floats:
    """Unit vectors ``[f, 3]`` from the right palm to the left one."""
    left, right = (hand_points(clip, rig, side)[:, 1] for side in SIDES)
    apart = left - right
    return np.asarray(apart / np.maximum(np.linalg.norm(apart, axis=-1, keepdims=True), 1e-9))


def _stretches_with(values: Floats, marked: Bools) -> Floats:
    """Values of the stretches above zero that contain a marked frame; 0 elsewhere."""
    out = np.zeros_like(values)
    for a, b in runs(values > 0.0):
        if marked[a:b].any():
            out[a:b] = values[a:b]
    return out


def _displace(
    posed: Clip, rig: Rig, arms: Mapping[Side, ArmMotion], push: Mapping[Side, Floats]
) -> Clip:
    """Clip with displaced wrists, in their arms' axes, from the positions in `arms`."""
    out = posed
    for side, arm in arms.items():
        moved = carry(arm, arm.wrists + push[side])
        out = with_arm(out, rig, side, moved, arm.axes, ~np.any(push[side] != 0.0, axis=-1))
    return out


def local_within_limits(
    clip: Clip, posed: Clip, rig: Rig, side: Side, at: Floats, *, whole: bool = False
) -> Clip:
    """Blend joints of the arm back towards the recording where they exceed their limits.

    Rotations that occur anywhere in the recording are allowed everywhere. `whole` blends the whole
    arm where one of its joints exceeds its limit.
    """
    joints = arm_joints(rig, side)
    rotations = posed.rotations.copy()
    recorded = clip.rotations[:, joints]
    if np.any(at != np.arange(len(at))):
        recorded = rotations_at(np.ascontiguousarray(recorded), at)
    window = SMOOTH_S if np.any(at != np.arange(len(at))) else SLOW_S
    shares = np.ones((3, len(clip)))
    for i, bone in enumerate(("UpperArm", "LowerArm", "Hand")):
        shares[i] = _share_to_limit(clip, posed, rig, f"{side}{bone}", recorded[:, i])
    if np.all(shares == 1.0):
        return posed
    if whole:
        shares[:] = shares.min(axis=0)
    for i, joint in enumerate(joints):
        share = ease_ratio(shares[i], clip.fps, window)
        here = share < 1.0
        rotations[here, joint] = quaternion.slerp(
            recorded[here, i], rotations[here, joint], share[here]
        )
    return replace(posed, rotations=read_only(rotations))


def _share_to_limit(clip: Clip, posed: Clip, rig: Rig, bone: str, recorded: Floats) -> Floats:
    """Ratio from the recorded to the posed rotation that a joint's limit allows."""
    limit = joint_limits()[bone]
    joint = rig.joint(bone)
    share = np.ones(len(clip))
    most = float(limit.excess(bone_rotation(clip, rig, bone)).max()) + 1e-6
    turn = bone_rotation(posed, rig, bone)
    some = np.flatnonzero(limit.excess(turn) > most)
    if len(some) == 0:
        return share
    local = posed.rotations[some, joint]
    axes = rig.canonical_pose[0][joint]
    above = quaternion.multiply(quaternion.multiply(turn[some], axes), quaternion.inverse(local))

    def fits(ratio: Floats) -> Bools:
        tried = quaternion.multiply(above, quaternion.slerp(recorded[some], local, ratio))
        return limit.excess(quaternion.multiply(tried, quaternion.inverse(axes))) <= most

    share[some] = largest_share(fits, len(some), 8)
    return share
