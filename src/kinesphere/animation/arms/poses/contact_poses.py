"""Contact poses: hands that touch the body or each other.

For a contact, a position of Table 4.1 is not exact enough: a pose is solved, the gap between hand
and body is measured, and the hand is moved until there is none. All positions are in the chest
frame (see `animation.arms.poses.arm_pose`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.animation.arms.arm_settings import TouchSettings
from kinesphere.animation.arms.hand_volume import (
    FigurePose,
    body_gap,
    finger_chains,
    finger_skin,
    hands_gap,
    posed_balls,
    standing_body,
)
from kinesphere.animation.arms.poses.arm_pose import (
    TOLERANCE,
    ArmPose,
    arm_pose,
    hand_turns,
    palm_centre,
    reaching_shoulders,
)
from kinesphere.animation.arms.poses.hand_pose import HandPose
from kinesphere.character.default import default_rig
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.form import direction
from kinesphere.gesture.hand_shapes import finger_angles, shape_by_name
from kinesphere.gesture.hand_zones import elbow_swivel
from kinesphere.gesture.lexeme import HAND_CONTACTS, HEAD_CONTACTS
from kinesphere.gesture.lexicon import Lexeme, lexicon
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.motion.body.arms import SIDES, Side, sign_of
from kinesphere.motion.humanoid import FINGERS

_ROUNDS = 24
_S = TouchSettings()
_TIGHT = float(np.radians(_S.tight_deg))


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
    body: FigurePose | None = None,
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
    stage = _ContactSolver(entry, side, given, gain, more, body or standing_body(), off_m)
    if entry.contact == "finger":
        return _counting(stage, finger)
    if entry.contact == "palms":
        return _palm_to_palm(stage)
    if entry.contact == "interlaced":
        return _interlace(stage)
    if entry.contact == "wrist":
        return _on_wrist(stage)
    pose = _at_head(stage) if entry.contact in HEAD_CONTACTS else _on_chest(stage)
    if entry.contact == "chest" and entry.contact_with == "palm":
        shoulders = stage.shoulders(side, pose.wrists)
        given = drape_fingers(stage.body, side, pose, given, shoulders, off_m)
    return Contact({side: pose}, {side: given})


def touch_of(entry: Lexeme, sides: Sequence[Side], finger: str = "Index") -> dict[Side, HandPose]:
    """Contact poses of a lexeme for the acting hands; cached."""
    both = entry.contact in HAND_CONTACTS
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
    return finger_angles(shape_by_name(first if entry.contact_at == "start" else last or first))


def drape_fingers(
    body: FigurePose,
    side: Side,
    pose: ArmPose,
    fingers: Floats,
    shoulders: ArrayLike | None = None,
    off_m: float = 0.0,
) -> Floats:
    """Angles ``[21]`` of the fingers of a hand that lies on the body, degrees.

    Each finger bends or stretches until its skin touches; one that cannot stays unchanged.
    """
    low, high = (np.full(4, angle) for angle in _S.drape_deg)

    def clear(curls: Floats) -> Bools:
        centres, radii = posed_balls(side, pose, _curl(fingers, curls), shoulders)
        gaps = (body.clearance(centres[0])[0] - radii)[-36:].reshape(4, 9).min(axis=1)
        return np.asarray(gaps > off_m)

    fixed = ~clear(low) | clear(high)
    for _ in range(10):
        middle = 0.5 * (low + high)
        good = clear(middle)
        low, high = np.where(good, middle, low), np.where(good, high, middle)
    return _curl(fingers, np.where(fixed, 0.0, low))


def _curl(fingers: Floats, curls: Floats) -> Floats:
    """Angles ``[21]`` with each long finger bent more: the last joints less than the first."""
    out = np.array(fingers, dtype=np.float64)
    out[:12] += (curls[:, None] * np.array(_S.drape_knuckles)).ravel()
    return out


@dataclass(frozen=True, eq=False)
class _ContactSolver:
    """The acting hand, the body and the other hand of a contact."""

    entry: Lexeme
    side: Side
    fingers: Floats
    gain: float
    collars: Mapping[Side, Floats]
    body: FigurePose
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

    def solve(
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


def _on_chest(stage: _ContactSolver) -> ArmPose:
    """Fingertips, or the palm, on the breastbone; the palm's fingertips are past the middle."""
    tips = stage.entry.contact_with == "tip"
    out, up = _S.tip_m if tips else _S.palm_m
    target = np.array([stage.out * out, up, _S.from_m])
    goals, tolerance = stage.goals(), np.radians(_S.wide_deg)
    behind, to_tips = _S.start_m
    palm_at = target - np.array([0.0, 0.0, behind]) - (to_tips * goals[0] if tips else 0.0)
    if not tips:
        # Fingertips need a comfortable wrist; the whole palm is parallel to the chest.
        tolerance = _TIGHT
        met = stage.body.surface(target, np.array([0.0, 0.0, -1.0]))
        goals = goals[0], -stage.body.clearance(met[None])[1][0]
    pose = stage.solve(palm_at, *goals, tips, tolerance)
    for _ in range(_ROUNDS):
        if tips:
            point = stage.chains(pose)[1:3, 3].mean(axis=0)
        else:
            shoulders = stage.shoulders(stage.side, pose.wrists)
            point = palm_centre(stage.side, pose, shoulders)[0]
        gap, way = stage.gap(pose)
        miss = (target - point) * (1.0, 1.0, 0.0)
        palm_at = palm_at + miss + (stage.off_m - gap) * way
        pose = stage.solve(palm_at, *goals, tips, tolerance)
        if abs(stage.gap(pose)[0] - stage.off_m) < _S.close_m and np.abs(miss).max() < 1e-3:
            break
    return pose


def _at_head(stage: _ContactSolver) -> ArmPose:
    """Tip of the index a centimetre from a point of the head, or the hand beside it."""
    body, tips = stage.body, stage.entry.contact_with != "palm"
    finger = 0 if stage.entry.contact_with == "thumb" else 1
    head = default_rig().joint("head")
    mirror = np.array([stage.out, 1.0, 1.0])
    place = np.array(dict(_S.head_from_m)[stage.entry.contact]) * mirror
    axes = body.rotations[head]
    start = body.from_world(body.positions[head] + quaternion.rotate(axes, place))
    aside = abs(place[0]) > place[2]
    inward = np.array([-stage.out, 0.0, 0.0]) if aside else np.array([0.0, 0.0, -1.0])
    inward = quaternion.rotate(axes, inward)
    way = quaternion.rotate(quaternion.inverse(body.frame[0]), inward)
    air = _S.head_m[0 if tips else 1] + stage.off_m
    target = body.surface(start, way) - air * way
    goals = stage.goals()
    palm_at = target - (_S.head_palm_m * goals[0] if tips else _S.head_palm_m * way)
    wins = tips or stage.entry.fingers_win
    pose = stage.solve(palm_at, *goals, wins, TOLERANCE)
    for _ in range(_ROUNDS):
        if tips:
            miss = target - stage.chains(pose)[finger, 3]
        else:
            shoulders = stage.shoulders(stage.side, pose.wrists)
            miss = target - palm_centre(stage.side, pose, shoulders)[0]
            # The hand may be thicker where it is nearest.
            step = np.clip(stage.gap(pose)[0] - air, -_S.head_step_m, _S.head_step_m)
            miss = _S.head_step * (miss + (step - miss @ way) * way)
        if np.abs(miss).max() < _S.close_m:
            inside = stage.gap(pose)[0] - stage.off_m if tips else 0.0
            if inside > -_S.close_m:
                break
            # Other parts of the hand than its tip would be in the head.
            target = target + inside * way
            miss = inside * way
        palm_at = palm_at + miss
        pose = stage.solve(palm_at, *goals, wins, TOLERANCE)
    return pose


def _palm_to_palm(stage: _ContactSolver) -> Contact:
    """Both palms before the chest, the acting hand rotated over the other."""
    # Flat hands, the thumbs next to them.
    flat = finger_angles(shape_by_name("open-flat"))[:16]
    fingers = np.array([*flat, _S.thumb_deg, 0.0, 0.0, 0.0, 0.0])
    poses: dict[Side, ArmPose] = {}
    apart, over = _S.palms_m, np.radians(_S.turned_over_deg)
    for _ in range(_ROUNDS):
        for side in SIDES:
            out = float(sign_of(side))
            angle = over if side == stage.side else -over
            turn = quaternion.from_axis_angle([1.0, 0.0, 0.0], -0.5 * angle)
            along = quaternion.rotate(turn, stage.goals(side)[0])
            palm = np.array(_S.before_chest_m) + np.array([0.5 * out * apart, 0.0, 0.0])
            poses[side] = stage.solve(palm, along, stage.goal("I", side), side=side)
        gap = _air(stage, poses, dict.fromkeys(SIDES, fingers))
        if abs(gap - stage.off_m) < _S.close_m:
            break
        apart += stage.off_m - gap
    return Contact(poses, dict.fromkeys(SIDES, fingers))


def _air(
    stage: _ContactSolver, poses: Mapping[Side, ArmPose], fingers: Mapping[Side, Floats]
) -> float:
    left, right = (
        posed_balls(side, poses[side], fingers[side], stage.shoulders(side, poses[side].wrists))
        for side in SIDES
    )
    return hands_gap(left, right)


def _interlace(stage: _ContactSolver) -> Contact:
    """Interlaced fingers of both hands before the chest, the acting hand's on top."""
    poses: dict[Side, ArmPose] = {}
    tolerance, swivel = np.radians([_S.mesh_tolerance_deg, _S.mesh_swivel_deg])
    for side in SIDES:
        out = float(sign_of(side))
        yaw, pitch = np.radians([_S.mesh_yaw_deg, _S.mesh_pitch_deg])
        along = np.array([-out * np.sin(yaw), np.tan(pitch), np.cos(yaw)])
        along /= np.linalg.norm(along)
        facing = np.array([-out * np.cos(yaw), 0.0, -np.sin(yaw)])
        above = _S.mesh_above_m if side == stage.side else -_S.mesh_above_m
        knuckles = np.array(_S.before_chest_m) + np.array(
            [out * (_S.mesh_apart_m + 0.5 * stage.off_m), above, _S.mesh_ahead_m]
        )
        palm = knuckles - _S.knuckles_m * along
        poses[side] = stage.solve(palm, along, facing, True, tolerance, side, swivel)
    return Contact(poses, {side: np.array(_S.mesh_deg) for side in SIDES})


def _counting(stage: _ContactSolver, finger: str) -> Contact:
    """Tip of the acting hand's index on the pad of a finger that the other hand holds out."""
    other: Side = "left" if stage.side == "right" else "right"
    held = finger_angles(shape_by_name("open-rlx"))
    if finger == "Thumb":
        # The first finger that is counted: the others are still closed.
        held[:16] = finger_angles(shape_by_name("thumb-up"))[:16]
    out = -stage.out
    goals = stage.goal("IF", other), stage.goal("UB", other)
    palm = np.array(_S.support_m) * np.array([out, 1.0, 1.0])
    tolerance, swivel = np.radians(_S.support_deg)
    support = stage.solve(palm, *goals, False, tolerance, other, swivel)
    joint = stage.shoulders(other, support.wrists)
    pad, up = finger_skin(other, support, held, FINGERS.index(finger), joint)
    fingers = {other: held, stage.side: stage.fingers}
    goals = stage.goals()
    above, behind = _S.count_m
    palm_at, off = pad + above * up - behind * goals[0], stage.off_m
    pose = stage.solve(palm_at, *goals, True)
    for _ in range(_ROUNDS):
        miss = pad + off * up - stage.chains(pose)[1, 3]
        palm_at = palm_at + miss
        pose = stage.solve(palm_at, *goals, True)
        gap = _air(stage, {other: support, stage.side: pose}, fingers)
        if abs(gap - stage.off_m) < _S.close_m and np.abs(miss).max() < 1e-3:
            break
        off += _S.count_step * (stage.off_m - gap)
    return Contact({other: support, stage.side: pose}, fingers)


def _on_wrist(stage: _ContactSolver) -> Contact:
    """Tip of the acting hand's index on the other wrist, where a watch would be."""
    other: Side = "left" if stage.side == "right" else "right"
    held = finger_angles(shape_by_name("fist-loose"))
    palm = np.array(_S.watch_m) * np.array([-stage.out, 1.0, 1.0])
    tolerance, swivel = np.radians(_S.watch_deg)
    goals = stage.goal("If", other), stage.goal("D", other)
    support = stage.solve(palm, *goals, False, tolerance, other, swivel)
    turns = hand_turns(other, support, stage.shoulders(other, support.wrists))
    along, up = (
        quaternion.rotate(turns, way)[0] for way in ([-stage.out, 0.0, 0.0], [0.0, 1.0, 0.0])
    )
    back, above = _S.watch_skin_m
    place = support.wrists[0] - back * along + (above + stage.off_m) * up
    fingers, facing = stage.goals()
    palm_at = place - _S.head_palm_m * fingers
    pose = stage.solve(palm_at, fingers, facing, True)
    for _ in range(_ROUNDS):
        miss = place - stage.chains(pose)[1, 3]
        palm_at = palm_at + miss
        pose = stage.solve(palm_at, fingers, facing, True)
        if np.abs(miss).max() < _S.close_m:
            break
    return Contact({other: support, stage.side: pose}, {other: held, stage.side: stage.fingers})
