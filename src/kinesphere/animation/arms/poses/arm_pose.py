"""Arm angles from the position of a palm and the directions of palm and fingers.

Steps 2 to 4 of the pose calculation of Neff, Kipp, Albrecht and Seidel (2008, section 6.4). The
chest frame has the axes of `upperChest` and its origin midway between the two shoulder joints as
they are in the T-pose; collar bones do not move it. A hand's rotation within its unrolled forearm
is pronation, then deviation towards the thumb, then flexion. Everything is solved for the left arm;
the right arm is its mirror image.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.character.default import default_rig
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.placement import PALM_M
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats, Ints
from kinesphere.motion.body.arms import Side, arm_turns, chest_limb, sign_of
from kinesphere.motion.body.limbs import Limb

COMFORT = np.radians([[-85.0, 78.0], [-65.0, 62.0], [-30.0, 18.0]])
"""Comfortable ranges of roll, flexion and deviation, radians."""

_ARM = ("Shoulder", "UpperArm", "LowerArm", "Hand")
TOLERANCE = float(np.radians(25.0))
"""Allowed deviation of the palm and finger directions, radians."""

_MOST_SWIVEL = np.radians(25.0)
_REACH_RATIO = 0.98
_MOST_BEND = np.radians(145.0)
# The wrist's limits are an ellipse (character.joint_limits); this is a little inside it.
_WRIST = np.radians([[-64.0, 72.0], [-31.0, 22.0]])
_STARTS = np.radians([[-65.0, 0.0, 0.0], [0.0, 0.0, 0.0], [60.0, -10.0, 0.0]])
_SURELY_OFF = np.radians(0.5)
# Table 6.2: how far collar bones are lowered for a hand at each height of Table 4.1, degrees.
_COLLAR_DEG = np.array([-5.0, -3.0, -1.0, 2.0, 3.0, 5.0, 7.0])
# Recorded speakers: 0 for hands below -0.3 m from the shoulder, 1.6 cm at its height, 3.2 cm at
# +0.2 m, and 4.2 cm forward per metre of forward reach, measured from hanging hands.
_RISE, _RISE_FROM_M, _RISE_OVER_M = 0.085, -0.18, 0.06
_FORWARD, _FORWARD_FROM_M = 0.042, 0.13
_MOST_COLLAR = np.radians(28.0)
_MIRROR = np.array([-1.0, 1.0, 1.0])
_MIRRORED_TURN = np.array([1.0, 1.0, -1.0, -1.0])


@dataclass(frozen=True, eq=False)
class ArmPose:
    """Poses of one arm.

    Parameters
    ----------
    wrists : ``[n, 3]`` in the chest frame, metres.
    swivels : ``[n]`` of the elbow, radians outward.
    angles : ``[n, 3]`` roll, flexion and deviation of the hand, radians.
    """

    wrists: Floats
    swivels: Floats
    angles: Floats

    def __len__(self) -> int:
        return len(self.wrists)

    def mirror(self) -> ArmPose:
        """The same pose for the other arm."""
        return replace(self, wrists=self.wrists * _MIRROR)


@cache
def shoulder_joint(side: Side) -> Floats:
    """Position of the shoulder joint in the chest frame with the collar bone as in the T-pose."""
    places = default_rig().canonical_pose[1]
    joints = default_rig().joints(("leftUpperArm", "rightUpperArm"))
    middle = places[joints].mean(axis=0)
    return np.asarray(places[joints[side == "right"]] - middle)


@cache
def limb_of_side(side: Side) -> Limb:
    """The default figure's arm in the chest's axes."""
    return chest_limb(default_rig(), side)


def _shoulders(side: Side, shoulders: ArrayLike | None, n: int) -> Floats:
    given = shoulder_joint(side) if shoulders is None else np.asarray(shoulders, dtype=np.float64)
    return np.broadcast_to(given, (n, 3))


def hand_turns(side: Side, pose: ArmPose, shoulders: ArrayLike | None = None) -> Floats:
    """Rotations ``[n, 4]`` of the hands from the T-pose, in the chest frame."""
    places = _shoulders(side, shoulders, len(pose))
    return arm_rotations(side, places, pose.wrists, pose.swivels, pose.angles)[2]


def hand_orientation(
    side: Side,
    wrists: ArrayLike,
    swivels: ArrayLike,
    angles: ArrayLike,
    shoulders: ArrayLike | None = None,
) -> tuple[Floats, Floats]:
    """Directions of fingers and palm, unit vectors ``[n, 3]`` each in the chest frame."""
    pose = ArmPose(*(np.asarray(v, dtype=np.float64) for v in (wrists, swivels, angles)))
    turns = hand_turns(side, pose, shoulders)
    out = np.array([float(sign_of(side)), 0.0, 0.0])
    return quaternion.rotate(turns, out), quaternion.rotate(turns, np.array([0.0, -1.0, 0.0]))


def hand_angles(
    side: Side,
    wrists: ArrayLike,
    swivels: ArrayLike,
    turns: ArrayLike,
    shoulders: ArrayLike | None = None,
) -> Floats:
    """Roll, flexion and deviation ``[n, 3]`` of hands with rotations ``[n, 4]`` from the T-pose.

    The inverse of `hand_turns`, without limits.
    """
    points = np.asarray(wrists, dtype=np.float64)
    places = _shoulders(side, shoulders, len(points))
    forearms = arm_turns(limb_of_side(side), points - places, swivels)[..., 1, :]
    within = quaternion.relative(forearms, turns)
    if sign_of(side) < 0:
        within = within * _MIRRORED_TURN
    m = quaternion.to_matrix(within)
    roll = np.arctan2(-m[..., 1, 2], m[..., 2, 2])
    flexion = np.arctan2(m[..., 0, 1], m[..., 0, 0])
    deviation = np.arctan2(-m[..., 0, 2], np.hypot(m[..., 0, 0], m[..., 0, 1]))
    return np.stack([roll, flexion, deviation], axis=-1)


def palm_centre(side: Side, pose: ArmPose, shoulders: ArrayLike | None = None) -> Floats:
    """Positions of the palms' centres, ``[n, 3]`` in the chest frame."""
    fingers, _ = hand_orientation(side, pose.wrists, pose.swivels, pose.angles, shoulders)
    return np.asarray(pose.wrists + PALM_M * fingers)


def arm_rotations(
    side: Side, shoulders: ArrayLike, wrists: ArrayLike, swivels: ArrayLike, angles: ArrayLike
) -> tuple[Floats, Floats, Floats]:
    """Rotations of upper arm, forearm and hand from the T-pose, ``[n, 4]`` each in the chest frame.

    The roll is applied to the forearm.

    Parameters
    ----------
    side : which arm.
    shoulders, wrists : ``[n, 3]`` the shoulder joint and the wrist in the chest frame.
    swivels, angles : ``[n]`` and ``[n, 3]``, see `ArmPose`.
    """
    away = np.asarray(wrists, dtype=np.float64) - np.asarray(shoulders, dtype=np.float64)
    turns = arm_turns(limb_of_side(side), away, swivels)
    half = 0.5 * np.asarray(angles, dtype=np.float64)
    c, s = np.cos(half), np.sin(half)
    zero = np.zeros(half.shape[:-1])
    roll = np.stack([c[..., 0], s[..., 0], zero, zero], axis=-1)
    # Deviation about -Y, then flexion about -Z.
    bend = np.stack(
        [
            c[..., 2] * c[..., 1],
            s[..., 2] * s[..., 1],
            -s[..., 2] * c[..., 1],
            -c[..., 2] * s[..., 1],
        ],
        axis=-1,
    )
    if sign_of(side) < 0:
        roll, bend = roll * _MIRRORED_TURN, bend * _MIRRORED_TURN
    lower = quaternion.multiply(turns[..., 1, :], roll)
    return turns[..., 0, :], lower, quaternion.multiply(lower, bend)


def local_arm_rotations(
    side: Side, pose: ArmPose, collars: ArrayLike | None = None
) -> tuple[list[int], Floats]:
    """Joints of an arm of the default figure, and their local rotations ``[n, 4, 4]``.

    They are collar bone, upper arm, forearm and hand, to be written into a clip:
    ``rotations[:, joints] = local``.

    Parameters
    ----------
    side, pose : which arm, and its pose.
    collars : ``[n, 3]`` rotation vectors of the collar bone (see `collar_turns`); none by default.
    """
    rig, n = default_rig(), len(pose)
    joints = rig.joints([f"{side}{part}" for part in _ARM])
    turns = np.zeros((n, 3)) if collars is None else np.broadcast_to(collars, (n, 3))
    shoulders = shoulders_of(side, turns)
    placed = [
        quaternion.exp(turns),
        *arm_rotations(side, shoulders, pose.wrists, pose.swivels, pose.angles),
    ]
    canonical = rig.canonical_pose[0]
    world = [
        quaternion.multiply(turn, canonical[joint])
        for turn, joint in zip(placed, joints, strict=True)
    ]
    local = [quaternion.relative(a, b) for a, b in pairwise(world)]
    return joints, quaternion.shortest(np.stack([world[0], *local], axis=1))


def arm_pose(
    side: Side,
    palms: ArrayLike,
    swivels: ArrayLike,
    fingers: ArrayLike,
    palm_directions: ArrayLike,
    fingers_win: ArrayLike = False,
    shoulders: ArrayLike | None = None,
    tolerance: float = TOLERANCE,
) -> ArmPose:
    """Solve arms for palm positions, with given directions of palm and fingers where comfortable.

    Both directions are goals with a tolerance. Where they conflict, the palm's direction has
    priority, or the fingers' where `fingers_win`. The angles stay within `COMFORT`. Where the
    directions cannot be reached at the given swivel, it changes as little as needed, by up to 25
    degrees. A wrist is never farther from its shoulder than 98 percent of the arm's length: targets
    out of reach are brought nearer.

    Parameters
    ----------
    side : which arm.
    palms : ``[n, 3]`` centres of the palms in the chest frame.
    swivels : ``[n]`` radians outward.
    fingers, palm_directions : ``[n, 3]`` unit vectors in the chest frame (not mirrored: of a right
        hand, "in" is +X).
    fingers_win : ``[n]`` or one for all.
    shoulders : ``[n, 3]`` shoulder joints in the chest frame; as in the T-pose by default.
    tolerance : radians.
    """
    points = np.asarray(palms, dtype=np.float64)
    n = len(points)
    if points.shape != (n, 3):
        raise InvalidValueError(f"palms have shape {points.shape}, expected (n, 3)")
    places = _shoulders(side, shoulders, n)
    goals = [np.broadcast_to(np.asarray(v, np.float64), (n, 3)) for v in (fingers, palm_directions)]
    if sign_of(side) < 0:
        points, places, goals = points * _MIRROR, places * _MIRROR, [g * _MIRROR for g in goals]
    asked = np.ascontiguousarray(np.broadcast_to(np.asarray(swivels, dtype=np.float64), (n,)))
    wins = np.ascontiguousarray(np.broadcast_to(np.asarray(fingers_win, dtype=bool), (n,)))
    task = _Task(
        np.ascontiguousarray(points), np.ascontiguousarray(places), np.stack(goals, 1), wins
    )
    found = _solve(task, asked, 0.0, tolerance)
    off = _off(found, places, task.goals).max(axis=1) - tolerance
    bad = np.flatnonzero(off > _SURELY_OFF)
    if len(bad):
        moved = _solve(task.rows(bad), asked[bad], _MOST_SWIVEL, tolerance)
        for name in ("wrists", "swivels", "angles"):
            getattr(found, name)[bad] = getattr(moved, name)
    return found if sign_of(side) > 0 else found.mirror()


@dataclass(frozen=True, eq=False)
class _Task:
    """Goals of left arms: positions, and directions ``[n, 2, 3]`` of fingers and palm."""

    palms: Floats
    shoulders: Floats
    goals: Floats
    fingers_win: Bools

    def rows(self, rows: Ints) -> _Task:
        places = self.palms[rows], self.shoulders[rows]
        return _Task(*places, self.goals[rows], self.fingers_win[rows])


def _solve(task: _Task, swivels: Floats, room: float, tolerance: float) -> ArmPose:
    """Best poses of left arms; swivels may change by `room` radians."""
    from kinesphere.animation.arms.poses.arm_pose_kernels import solve_arms

    n, limb = len(task.palms), limb_of_side("left")
    a, b = limb.upper_length, limb.lower_length
    nearest = np.sqrt(a * a + b * b + 2.0 * a * b * np.cos(_MOST_BEND))
    measures = np.array([a, b, PALM_M, nearest, _REACH_RATIO * (a + b)])
    found = ArmPose(np.empty((n, 3)), np.empty(n), np.empty((n, 3)))
    solve_arms(
        task.palms,
        task.shoulders,
        task.goals,
        task.fingers_win,
        swivels,
        room,
        _STARTS,
        np.concatenate([COMFORT, _WRIST]),
        measures,
        tolerance,
        found.wrists,
        found.swivels,
        found.angles,
    )
    return found


def _off(pose: ArmPose, shoulders: Floats, goals: Floats) -> Floats:
    """Angles ``[n, 2]`` between fingers and palm of left arms and their goals ``[n, 2, 3]``."""
    has = hand_orientation("left", pose.wrists, pose.swivels, pose.angles, shoulders)
    cosines = np.sum(np.stack(has, axis=1) * goals, axis=-1)
    return np.asarray(np.arccos(np.clip(cosines, -1.0, 1.0)))


def table_collar_angles(heights: ArrayLike, gain: ArrayLike = 1.0) -> Floats:
    """How far collar bones are lowered, radians, for hands at heights of Table 4.1: Table 6.2.

    Parameters
    ----------
    heights : rows of the table, 0 above the head to 6 below the belt; interpolated between rows.
    gain : factor of the character.

    >>> np.degrees(table_collar_angles([1, 3, 6])).round(1)
    array([-3.,  2.,  7.])
    """
    rows = np.asarray(heights, dtype=np.float64)
    table = np.interp(rows, np.arange(len(_COLLAR_DEG)), np.radians(_COLLAR_DEG))
    return np.asarray(table * np.asarray(gain, dtype=np.float64))


def collar_angles(side: Side, wrists: ArrayLike, gain: ArrayLike = 1.0) -> Floats:
    """How far collar bones rise and move forward ``[..., 2]``, radians, for reaching hands.

    Parameters
    ----------
    side : which arm.
    wrists : ``[..., 3]`` in the chest frame.
    gain : ``[...]`` factor of the character.
    """
    from_shoulder = np.asarray(wrists, dtype=np.float64) - shoulder_joint(side)
    height, forward = from_shoulder[..., 1], from_shoulder[..., 2]
    rise = _RISE * _RISE_OVER_M * np.logaddexp(0.0, (height - _RISE_FROM_M) / _RISE_OVER_M)
    ahead = _FORWARD * (forward - _FORWARD_FROM_M)
    lever = float(np.linalg.norm(shoulder_joint(side) - collar_joint(side)))
    angles = np.stack([rise, ahead], axis=-1) / lever * np.asarray(gain)[..., None]
    return np.asarray(_MOST_COLLAR * np.tanh(angles / _MOST_COLLAR))


def collar_turns(side: Side, up: ArrayLike, forward: ArrayLike) -> Floats:
    """Rotation vectors ``[..., 3]`` of a collar bone's joint, from angles in radians.

    Raised about the axis that points forward, brought forward about the one that points down.
    """
    raised, ahead = (np.asarray(v, dtype=np.float64) for v in np.broadcast_arrays(up, forward))
    out = float(sign_of(side))
    zero = np.zeros(raised.shape)
    return np.stack([zero, -out * ahead, out * raised], axis=-1)


def reaching_shoulders(
    side: Side, wrists: ArrayLike, gain: ArrayLike = 1.0, more: ArrayLike = 0.0
) -> Floats:
    """Shoulder joints ``[..., 3]`` for wrists that are reached for, all in the chest frame.

    `more` are rotation vectors of the collar bone added to `collar_angles`.
    """
    angles = collar_angles(side, wrists, gain)
    turns = collar_turns(side, angles[..., 0], angles[..., 1])
    return shoulders_of(side, turns + np.asarray(more, dtype=np.float64))


def shoulders_of(side: Side, turns: ArrayLike) -> Floats:
    """Shoulder joints ``[..., 3]`` in the chest frame, for rotation vectors of the collar bones."""
    arm = shoulder_joint(side) - collar_joint(side)
    return np.asarray(collar_joint(side) + quaternion.rotate(quaternion.exp(turns), arm))


@cache
def collar_joint(side: Side) -> Floats:
    """Position of the collar bone's joint in the chest frame."""
    places = default_rig().canonical_pose[1]
    middle = places[default_rig().joints(("leftUpperArm", "rightUpperArm"))].mean(axis=0)
    return np.asarray(places[default_rig().joint(f"{side}Shoulder")] - middle)
