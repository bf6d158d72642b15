"""Contact poses: hands that touch the body or each other.

For a contact, a position of Table 4.1 is not exact enough: a pose is solved, the gap between hand
and body is measured, and the hand is moved until there is none. All positions are in the chest
frame (see `animation.arms.arm_pose`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.animation.arms.arm_pose import (
    TOLERANCE,
    ArmPose,
    arm_pose,
    hand_turns,
    palm_centre,
    reaching_shoulders,
)
from kinesphere.animation.arms.hand_pose import HandPose
from kinesphere.animation.arms.hand_volume import (
    Body,
    body_gap,
    finger_chains,
    finger_skin,
    hands_gap,
    posed_balls,
    standing_body,
)
from kinesphere.character.default import default_rig
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.form import direction
from kinesphere.gesture.hand_shapes import finger_angles, shape_named
from kinesphere.gesture.lexicon import Lexeme, lexicon
from kinesphere.gesture.placement import elbow_swivel
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.motion.body.arms import SIDES, Side, sign_of
from kinesphere.motion.humanoid import FINGERS

_ROUNDS = 16
_TIGHT = np.radians(6.0)
_CLOSE_M = 2e-4
_BEFORE_CHEST = np.array([0.0, -0.145, 0.27])
# Outward and upward offset of the points where fingertips and palms touch the chest.
_ON_CHEST_M = {"tip": (0.01, -0.115), "palm": (0.025, -0.105)}
_TEMPLE_M = 0.01
_TURNED_OVER = np.radians(18.0)

# Interlaced hands, found by searching for the deepest position without penetration: half the
# distance between the rows of knuckles, height of one hand above the middle, how far the fingers
# point in and up, and their angles.
_MESH_APART_M, _MESH_ABOVE_M, _PALM_TO_KNUCKLES_M = 0.045, 0.008, 0.042
_MESH_YAW_DEG, _MESH_PITCH_DEG = 25.0, 6.1
_MESH_DEG = (*(-5.0, 60.0, 33.0) * 4, 6.7, 0.0, 10.9, 9.1, 38.8, 25.9, 26.4, 35.0, 41.0)


@dataclass(frozen=True, eq=False)
class Contact:
    """Arms in contact.

    Parameters
    ----------
    poses : a pose of one row for each arm that takes part.
    fingers : angles ``[21]`` of their fingers, degrees.
    """

    poses: Mapping[Side, ArmPose]
    fingers: Mapping[Side, Floats]


def contact_pose(
    lexeme: Lexeme | str,
    side: Side = "right",
    *,
    fingers: ArrayLike | None = None,
    finger: str = "Index",
    off_m: float = 0.0,
    gain: float = 1.0,
    collars: Mapping[Side, ArrayLike] | None = None,
    body: Body | None = None,
) -> Contact:
    """Pose of a lexeme's arms at the time of contact.

    Parameters
    ----------
    lexeme : one with a contact, or its name.
    side : the acting hand; of two equal hands the one that is rotated over the other.
    fingers : angles ``[21]`` of the acting hand's fingers; of its default shape by default.
    finger : which finger of the other hand is touched, where a finger is.
    off_m : gap that is left between the skins, metres.
    gain, collars : of the collar bones, which follow `collar_angles`: its gain, and rotation
        vectors ``[3]`` that are added.
    body : the pose of the body; the home pose by default.

    Raises
    ------
    InvalidValueError
        For a lexeme without a contact, or another finger.
    """
    entry = lexicon()[lexeme] if isinstance(lexeme, str) else lexeme
    if not entry.contact:
        raise InvalidValueError(f"{entry.name} has no contact, expected a lexeme with a contact")
    if finger not in FINGERS:
        raise InvalidValueError(f"finger is {finger!r}, allowed are {', '.join(FINGERS)}")
    given = _usual_fingers(entry) if fingers is None else np.asarray(fingers, dtype=np.float64)
    more = {s: np.asarray((collars or {}).get(s, np.zeros(3)), dtype=np.float64) for s in SIDES}
    stage = _Stage(entry, side, given, gain, more, body or standing_body(), off_m)
    if entry.contact == "finger":
        return _counting(stage, finger)
    if entry.contact == "palms":
        return _palm_to_palm(stage)
    if entry.contact == "interlaced":
        return _joined(stage)
    pose = _at_temple(stage) if entry.contact == "temple" else _on_chest(stage)
    if entry.contact == "chest" and entry.contact_with == "palm":
        shoulders = stage.shoulders(side, pose.wrists)
        given = draped_fingers(stage.body, side, pose, given, shoulders, off_m)
    return Contact({side: pose}, {side: given})


def touch_of(entry: Lexeme, sides: Sequence[Side], finger: str = "Index") -> dict[Side, HandPose]:
    """Contact poses of a lexeme for the acting hands; cached."""
    both = entry.contact in ("palms", "interlaced", "finger")
    out: dict[Side, HandPose] = {}
    for side in ("right",) if both and len(sides) == 2 else tuple(sides):
        out |= _touch(entry, side, finger)
    return out


@lru_cache(maxsize=256)
def _touch(entry: Lexeme, side: Side, finger: str) -> dict[Side, HandPose]:
    found = contact_pose(entry, side, finger=finger)
    return {
        s: HandPose(p.wrists[0], float(p.swivels[0]), p.angles[0], found.fingers[s])
        for s, p in found.poses.items()
    }


def _usual_fingers(entry: Lexeme) -> Floats:
    """Finger angles of a lexeme's default shape at the time of contact."""
    shape = entry.shapes[0].partition("+")[0] if entry.shapes else "open-rlx"
    first, _, last = shape.partition(">")
    return finger_angles(shape_named(first if entry.contact_at == "start" else last or first))


def draped_fingers(
    body: Body,
    side: Side,
    pose: ArmPose,
    fingers: Floats,
    shoulders: ArrayLike | None = None,
    off_m: float = 0.0,
) -> Floats:
    """Angles ``[21]`` of the fingers of a hand that lies on the body, degrees.

    Each finger bends or stretches until its skin touches; one that cannot stays unchanged.
    """
    low, high = np.full(4, -18.0), np.full(4, 45.0)

    def clear(curls: Floats) -> Bools:
        centres, radii = posed_balls(side, pose, _curled(fingers, curls), shoulders)
        gaps = (body.clearance(centres[0])[0] - radii)[-36:].reshape(4, 9).min(axis=1)
        return np.asarray(gaps > off_m)

    fixed = ~clear(low) | clear(high)
    for _ in range(10):
        middle = 0.5 * (low + high)
        good = clear(middle)
        low, high = np.where(good, middle, low), np.where(good, high, middle)
    return _curled(fingers, np.where(fixed, 0.0, low))


def _curled(fingers: Floats, curls: Floats) -> Floats:
    """Angles ``[21]`` with each long finger bent more: the last joints less than the first."""
    out = np.array(fingers, dtype=np.float64)
    out[:12] += (curls[:, None] * np.array([1.0, 0.6, 0.3])).ravel()
    return out


@dataclass(frozen=True, eq=False)
class _Stage:
    """The acting hand, the body and the other hand of a contact."""

    entry: Lexeme
    side: Side
    fingers: Floats
    gain: float
    collars: Mapping[Side, Floats]
    body: Body
    off_m: float

    @property
    def out(self) -> float:
        return float(sign_of(self.side))

    def goal(self, code: str, side: Side | None = None) -> Floats:
        """Direction of a code, for a hand."""
        sign = self.out if side is None else float(sign_of(side))
        return np.asarray(direction(code) * np.array([sign, 1.0, 1.0]))

    def goals(self, side: Side | None = None) -> tuple[Floats, Floats]:
        """Directions of fingers and palm at the time of contact."""
        i = int(self.entry.contact_at == "end")
        return self.goal(self.entry.fingers[i], side), self.goal(self.entry.palm[i], side)

    @property
    def swivel(self) -> float:
        """Swivel of the elbow at the time of contact."""
        return elbow_swivel(self.entry.end if self.entry.contact_at == "end" else self.entry.start)

    def shoulders(self, side: Side, wrists: Floats) -> Floats:
        return reaching_shoulders(side, wrists, self.gain, self.collars[side])

    def solved(
        self,
        palm: Floats,
        fingers: Floats,
        facing: Floats,
        fingers_win: bool = False,
        tolerance: float = _TIGHT,
        side: Side | None = None,
        swivel: float | None = None,
    ) -> ArmPose:
        """One arm's pose, with the matching collar bone."""
        own = side or self.side
        angle = self.swivel if swivel is None else swivel
        shoulders = self.shoulders(own, palm[None])
        for _ in range(2):
            pose = arm_pose(
                own,
                palm[None],
                [angle],
                fingers[None],
                facing[None],
                fingers_win,
                shoulders,
                tolerance,
            )
            shoulders = self.shoulders(own, pose.wrists)
        return pose

    def chains(self, pose: ArmPose) -> Floats:
        """Joints and tips ``[5, 4, 3]`` of the acting hand's fingers."""
        turns = hand_turns(self.side, pose, self.shoulders(self.side, pose.wrists))
        return np.asarray(finger_chains(self.side, pose.wrists, turns, self.fingers)[0][0])

    def gap(self, pose: ArmPose) -> tuple[float, Floats]:
        """Gap between the acting hand and the body, and the direction out of it."""
        shoulders = self.shoulders(self.side, pose.wrists)
        return body_gap(self.body, self.side, pose, self.fingers, shoulders)


def _on_chest(stage: _Stage) -> ArmPose:
    """Fingertips, or the palm, on the breastbone; the palm's fingertips are past the middle."""
    tips = stage.entry.contact_with == "tip"
    out, up = _ON_CHEST_M[stage.entry.contact_with]
    target = np.array([stage.out * out, up, 0.4])
    goals, tolerance = stage.goals(), np.radians(20.0)
    palm_at = target - np.array([0.0, 0.0, 0.2]) - (0.08 * goals[0] if tips else 0.0)
    if not tips:
        # Fingertips need a comfortable wrist; the whole palm is parallel to the chest.
        tolerance = _TIGHT
        met = stage.body.surface(target, np.array([0.0, 0.0, -1.0]))
        goals = goals[0], -stage.body.clearance(met[None])[1][0]
    pose = stage.solved(palm_at, *goals, tips, tolerance)
    for _ in range(_ROUNDS):
        if tips:
            point = stage.chains(pose)[1:3, 3].mean(axis=0)
        else:
            shoulders = stage.shoulders(stage.side, pose.wrists)
            point = palm_centre(stage.side, pose, shoulders)[0]
        gap, way = stage.gap(pose)
        miss = (target - point) * (1.0, 1.0, 0.0)
        palm_at = palm_at + miss + (stage.off_m - gap) * way
        pose = stage.solved(palm_at, *goals, tips, tolerance)
        if abs(stage.gap(pose)[0] - stage.off_m) < _CLOSE_M and np.abs(miss).max() < 1e-3:
            break
    return pose


def _at_temple(stage: _Stage) -> ArmPose:
    """Tip of the index a centimetre from the temple."""
    body = stage.body
    head = default_rig().joint("head")
    place = np.array([0.3 * stage.out, 0.1, 0.045])
    axes = body.rotations[head]
    start = body.from_world(body.positions[head] + quaternion.rotate(axes, place))
    inward = quaternion.rotate(axes, np.array([-stage.out, 0.0, 0.0]))
    way = quaternion.rotate(quaternion.inverse(body.frame[0]), inward)
    target = body.surface(start, way) - (_TEMPLE_M + stage.off_m) * way
    goals = stage.goals()
    palm_at = target - 0.12 * goals[0]
    pose = stage.solved(palm_at, *goals, True, TOLERANCE)
    for _ in range(_ROUNDS):
        miss = target - stage.chains(pose)[1, 3]
        palm_at = palm_at + miss
        pose = stage.solved(palm_at, *goals, True, TOLERANCE)
        if np.abs(miss).max() < _CLOSE_M:
            break
    return pose


def _palm_to_palm(stage: _Stage) -> Contact:
    """Both palms before the chest, the acting hand rotated over the other."""
    # Flat hands, the thumbs next to them.
    flat = finger_angles(shape_named("open-flat"))[:16]
    fingers = np.array([*flat, 45.0, 0.0, 0.0, 0.0, 0.0])
    poses: dict[Side, ArmPose] = {}
    apart = 0.03
    for _ in range(_ROUNDS):
        for side in SIDES:
            out = float(sign_of(side))
            turn = _TURNED_OVER if side == stage.side else -_TURNED_OVER
            over = quaternion.from_axis_angle([1.0, 0.0, 0.0], -0.5 * turn)
            along = quaternion.rotate(over, stage.goals(side)[0])
            palm = _BEFORE_CHEST + np.array([0.5 * out * apart, 0.0, 0.0])
            poses[side] = stage.solved(palm, along, stage.goal("I", side), side=side)
        gap = _air(stage, poses, dict.fromkeys(SIDES, fingers))
        if abs(gap - stage.off_m) < _CLOSE_M:
            break
        apart += stage.off_m - gap
    return Contact(poses, dict.fromkeys(SIDES, fingers))


def _air(stage: _Stage, poses: Mapping[Side, ArmPose], fingers: Mapping[Side, Floats]) -> float:
    left, right = (
        posed_balls(side, poses[side], fingers[side], stage.shoulders(side, poses[side].wrists))
        for side in SIDES
    )
    return hands_gap(left, right)


def _joined(stage: _Stage) -> Contact:
    """Interlaced fingers of both hands before the chest, the acting hand's on top."""
    poses: dict[Side, ArmPose] = {}
    for side in SIDES:
        out = float(sign_of(side))
        yaw, pitch = np.radians(_MESH_YAW_DEG), np.radians(_MESH_PITCH_DEG)
        along = np.array([-out * np.sin(yaw), np.tan(pitch), np.cos(yaw)])
        along /= np.linalg.norm(along)
        facing = np.array([-out * np.cos(yaw), 0.0, -np.sin(yaw)])
        above = _MESH_ABOVE_M if side == stage.side else -_MESH_ABOVE_M
        knuckles = _BEFORE_CHEST + np.array(
            [out * (_MESH_APART_M + 0.5 * stage.off_m), above, 0.06]
        )
        palm = knuckles - _PALM_TO_KNUCKLES_M * along
        poses[side] = stage.solved(
            palm, along, facing, True, np.radians(0.5), side, np.radians(40.0)
        )
    return Contact(poses, {side: np.array(_MESH_DEG) for side in SIDES})


def _counting(stage: _Stage, finger: str) -> Contact:
    """Tip of the acting hand's index on the pad of a finger that the other hand holds out."""
    other: Side = "left" if stage.side == "right" else "right"
    held = finger_angles(shape_named("open-rlx"))
    if finger == "Thumb":
        # The first finger that is counted: the others are still closed.
        held[:16] = finger_angles(shape_named("thumb-up"))[:16]
    out = -stage.out
    goals = stage.goal("IF", other), stage.goal("UB", other)
    palm = np.array([0.09 * out, -0.2, 0.25])
    support = stage.solved(palm, *goals, False, np.radians(15.0), other, np.radians(30.0))
    joint = stage.shoulders(other, support.wrists)
    pad, up = finger_skin(other, support, held, FINGERS.index(finger), joint)
    fingers = {other: held, stage.side: stage.fingers}
    goals = stage.goals()
    palm_at, off = pad + 0.05 * up - 0.11 * goals[0], stage.off_m
    pose = stage.solved(palm_at, *goals, True)
    for _ in range(_ROUNDS):
        miss = pad + off * up - stage.chains(pose)[1, 3]
        palm_at = palm_at + miss
        pose = stage.solved(palm_at, *goals, True)
        gap = _air(stage, {other: support, stage.side: pose}, fingers)
        if abs(gap - stage.off_m) < _CLOSE_M and np.abs(miss).max() < 1e-3:
            break
        off += 0.7 * (stage.off_m - gap)
    return Contact({other: support, stage.side: pose}, fingers)
