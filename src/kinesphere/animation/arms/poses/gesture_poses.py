"""Start and end poses of gestures: positions of Table 4.1 and the lexicon's hands, solved as poses.

Every pose is solved on the body as it is at that time (section 6.4 of the 2008 paper): a hand
in front of the belt stays there when the torso rotates. Sparse positions are repaired: a stroke
without movement gets the lexeme's own path, hands that would collide are separated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kinesphere.animation.arms.arm_settings import PalmSettings
from kinesphere.animation.arms.hand_events import SHOWN
from kinesphere.animation.arms.poses.arm_pose import TOLERANCE, ArmPose, arm_pose
from kinesphere.animation.arms.poses.contact_poses import touch_of
from kinesphere.animation.arms.poses.hand_pose import HandPose
from kinesphere.character.default import default_rig
from kinesphere.gesture.form import direction
from kinesphere.gesture.hand_shapes import finger_angles, shape_by_name
from kinesphere.gesture.hand_zones import elbow_swivel
from kinesphere.gesture.lexicon import Lexeme
from kinesphere.gesture.placement import palm_positions
from kinesphere.gesture.positions import HandPosition
from kinesphere.gesture.script import ScriptGesture
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.motion.body.arms import SIDES, Side, sign_of

if TYPE_CHECKING:
    from kinesphere.animation.acting_rules import ActingRules

_SIDES_OF: dict[str, tuple[Side, ...]] = {"LH": ("left",), "RH": ("right",), "2H": SIDES}
_RELAXED = "open-rlx"


def sides_of(gesture: ScriptGesture) -> tuple[Side, ...]:
    """Hands that act in a gesture."""
    return _SIDES_OF[gesture.hands]


@dataclass(frozen=True, eq=False)
class ChestFrames:
    """Bodies at some times: world poses, and their chest frames."""

    rotations: Floats
    positions: Floats
    axes: Floats
    origins: Floats

    def inwards(self, points: Floats) -> Floats:
        """World points ``[n, 3]`` in the chest frames."""
        return quaternion.rotate(quaternion.inverse(self.axes), points - self.origins)


@dataclass(frozen=True)
class Asked:
    """A gesture to be solved: the lexeme as varied for it, emphasis, start and end times."""

    gesture: ScriptGesture
    lexeme: Lexeme
    gain: float
    start_s: float
    end_s: float


@dataclass(frozen=True)
class _PalmKey:
    place: int
    side: Side
    at_end: bool
    position: HandPosition
    apart: float | None
    time_s: float


def solve_poses(
    asked: Sequence[Asked],
    bodies: Callable[[Floats], ChestFrames],
    rules: ActingRules,
    rng: np.random.Generator,
) -> list[tuple[dict[Side, HandPose], dict[Side, HandPose]]]:
    """Start and end poses of the acting hands of every gesture.

    Parameters
    ----------
    asked : gestures in order.
    bodies : gives the body at times ``[n]``, without arms.
    """
    rows = [row for i, a in enumerate(asked) for row in _rows(i, a)]
    if not rows:
        return []
    frames = bodies(np.array([r.time_s for r in rows]))
    places = palm_positions(
        default_rig(),
        frames.rotations,
        frames.positions,
        [r.position for r in rows],
        [r.side for r in rows],
        [r.apart for r in rows],
    )
    palms = _stroke_palms(asked, rows, frames.inwards(places), rules, rng)
    poses: dict[tuple[int, Side, bool], HandPose] = {}
    for side in SIDES:
        chosen = [k for k, row in enumerate(rows) if row.side == side]
        if chosen:
            made = _solve_side(
                asked, [rows[k] for k in chosen], palms[chosen], frames, chosen, rules, rng
            )
            for k, pose in zip(chosen, made, strict=True):
                poses[rows[k].place, side, rows[k].at_end] = pose
    out = []
    for i, a in enumerate(asked):
        start, end = (
            {side: poses[i, side, at_end] for side in sides_of(a.gesture)}
            for at_end in (False, True)
        )
        touches = bool(a.lexeme.contact) and rules.settings.contacts
        beside_m = rules.settings.palms.beside_m
        out.append(_touch(a, start, end, beside_m) if touches else (start, end))
    return out


Hands = dict[Side, HandPose]


def _touch(a: Asked, start: Hands, end: Hands, beside_m: float) -> tuple[Hands, Hands]:
    """Poses with the contact of a lexeme; a hand that is touched takes part."""
    entry = a.lexeme
    if entry.contact in ("palms", "interlaced") and a.gesture.hands != "2H":
        return start, end
    sides = sides_of(a.gesture)
    touched = dict(touch_of(entry, sides))
    if len(sides) == 2 and entry.contact == "chest":
        # Two hands at one position are put next to each other.
        for hand in SIDES:
            above = 0.5 if hand == "right" else -0.5
            step = beside_m * np.array([float(sign_of(hand)), above, 0.0])
            touched[hand] = touched[hand].shift(step)
    if entry.contact_at == "start":
        return {**start, **touched}, end
    other = {side: pose for side, pose in touched.items() if side not in start}
    return {**start, **other}, {**end, **touched}


def _rows(i: int, a: Asked) -> list[_PalmKey]:
    g, entry = a.gesture, a.lexeme
    two = g.hands == "2H"
    start = g.start or entry.start
    end = g.end or (entry.end if g.start is None else start)
    apart = (
        g.start_distance if g.start_distance is not None else entry.hand_distance[0],
        g.end_distance if g.end_distance is not None else entry.hand_distance[1],
    )
    out = []
    for side in sides_of(g):
        out.append(_PalmKey(i, side, False, start, apart[0] if two else None, a.start_s))
        out.append(_PalmKey(i, side, True, end, apart[1] if two else None, a.end_s))
    return out


def _stroke_palms(
    asked: Sequence[Asked],
    rows: Sequence[_PalmKey],
    palms: Floats,
    rules: ActingRules,
    rng: np.random.Generator,
) -> Floats:
    """Palms ``[n, 3]`` in the chest frame, with the paths that the lexemes need."""
    s, p = rules.settings, rules.settings.palms
    out = palms.copy()
    lead = 1.0 if rng.random() < 0.5 else -1.0
    for k in range(0, len(rows), 2):
        row, a = rows[k], asked[rows[k].place]
        entry, g = a.lexeme, a.gesture
        if not g.has_stroke:
            continue
        out_sign = float(sign_of(row.side))
        own = np.array(entry.travel_cm) / 100.0 * np.array([out_sign, 1.0, 1.0])
        given = out[k + 1] - out[k]
        middle = 0.5 * (out[k] + out[k + 1])
        if g.hands == "2H":
            # The distance between the hands is the script's; the rest may be the lexeme's.
            own[0] = given[0]
        path = rules.stroke_path(entry, own, given)
        if entry.parallel and g.hands == "2H":
            path = np.array([lead * p.parallel_m, 0.0, 0.0])
        gain = 1.0 + (min(a.gain, p.most_gain) - 1.0) * entry.amplitude
        path = path * gain * s.size**entry.amplitude
        out[k], out[k + 1] = middle - 0.5 * path, middle + 0.5 * path
    outward = np.array([float(sign_of(row.side)) for row in rows])
    free = np.array([not asked[row.place].lexeme.contact for row in rows])
    loose = np.array([_looseness(asked[row.place], p) for row in rows])
    return _separate(asked, rows, rules.place_palms(out, outward, free, loose, rng), p)


def _looseness(a: Asked, p: PalmSettings) -> float:
    """How little the position of a gesture's hands means, from 0 to 1."""
    if a.lexeme.contact:
        return 0.0
    if a.lexeme.kind not in SHOWN:
        return 1.0
    return 0.0 if a.gesture.hands == "2H" else p.shown_loose


def _separate(
    asked: Sequence[Asked], rows: Sequence[_PalmKey], palms: Floats, p: PalmSettings
) -> Floats:
    """Separate hands with the same position: one above the other."""
    found = {(r.place, r.side, r.at_end): k for k, r in enumerate(rows)}
    out = palms.copy()
    for (place, side, at_end), k in found.items():
        if side != "left" or (place, "right", at_end) not in found:
            continue
        other = found[place, "right", at_end]
        contact = asked[place].lexeme.contact
        if contact:
            continue
        gap = out[k] - out[other]
        lack = p.apart_m - float(np.linalg.norm(gap))
        if gap[0] < 0.0 or lack > 0.0:
            # Crossed or overlapping: one above the other.
            level = float(np.hypot(max(gap[0], p.aside_m), gap[2]))
            rise = np.sqrt(max(p.apart_m**2 - level**2, p.above_m**2))
            lift = np.array([0.0, 0.5 * (rise + float(gap[1])), 0.0])
            out[k], out[other] = out[k] - lift, out[other] + lift
            if gap[0] < p.aside_m:
                step = np.array([0.5 * (p.aside_m - gap[0]), 0.0, 0.0])
                out[k], out[other] = out[k] + step, out[other] - step
    return out


def _solve_side(
    asked: Sequence[Asked],
    rows: Sequence[_PalmKey],
    palms: Floats,
    frames: ChestFrames,
    places: Sequence[int],
    rules: ActingRules,
    rng: np.random.Generator,
) -> list[HandPose]:
    """Poses of one side's hand in all rows."""
    side = rows[0].side
    mirror = np.array([float(sign_of(side)), 1.0, 1.0])
    entries = [asked[r.place].lexeme for r in rows]
    fingers = np.array([direction(e.fingers[r.at_end]) for e, r in zip(entries, rows, strict=True)])
    facing = np.array([direction(e.palm[r.at_end]) for e, r in zip(entries, rows, strict=True)])
    fingers, facing = fingers * mirror, facing * mirror
    world = np.array([e.orientation == "world" for e in entries])
    if world.any():
        back = quaternion.inverse(frames.axes[list(places)])
        level = _heading(frames.axes[list(places)])
        turn = quaternion.multiply(back, level)
        fingers = np.where(world[:, None], quaternion.rotate(turn, fingers), fingers)
        facing = np.where(world[:, None], quaternion.rotate(turn, facing), facing)
    wins = np.array([e.fingers_win for e in entries])
    swivels = np.array([elbow_swivel(r.position) for r in rows])
    spread = np.radians(rules.settings.angle_deg)
    if spread:
        swivels = swivels + spread * np.clip(rng.normal(size=len(rows)), -2, 2)
    pose = _aim(side, palms, swivels, fingers, facing, wins, rules)
    angles = pose.angles
    local = np.array([e.orientation == "local" for e in entries])
    if local.any():
        given = np.radians(
            [
                (e.forearm_roll[r.at_end], e.wrist_flexion[r.at_end], e.wrist_deviation[r.at_end])
                for e, r in zip(entries, rows, strict=True)
            ]
        )
        angles = np.where(local[:, None], given, angles)
    out = []
    for k, row in enumerate(rows):
        shape = _shape(asked[row.place], row)
        collar = rules.collar(side, row.position)
        out.append(HandPose(pose.wrists[k], float(pose.swivels[k]), angles[k], shape, collar))
    return out


def _aim(
    side: Side,
    palms: Floats,
    swivels: Floats,
    fingers: Floats,
    facing: Floats,
    wins: Bools,
    rules: ActingRules,
) -> ArmPose:
    """Poses; hands that point are aimed more narrowly than others."""
    aim = np.radians(rules.settings.palms.aim_deg)
    made = ArmPose(np.zeros((len(palms), 3)), np.zeros(len(palms)), np.zeros((len(palms), 3)))
    for rows, tolerance in ((~wins, TOLERANCE), (wins, aim)):
        if rows.any():
            some = arm_pose(
                side,
                palms[rows],
                swivels[rows],
                fingers[rows],
                facing[rows],
                wins[rows],
                rules.shoulders(side, palms[rows]),
                tolerance,
            )
            made.wrists[rows], made.swivels[rows], made.angles[rows] = (
                some.wrists,
                some.swivels,
                some.angles,
            )
    return made


def _heading(axes: Floats) -> Floats:
    """Rotation about the vertical only, of chest axes ``[n, 4]``."""
    return quaternion.swing_twist(axes, np.array([0.0, 1.0, 0.0]))[1]


def _shape(a: Asked, row: _PalmKey) -> Floats:
    """Finger angles ``[21]`` of a hand at a stroke's start or end."""
    name = a.gesture.handshape or (a.lexeme.shapes[0] if a.lexeme.shapes else _RELAXED)
    acting, _, other = name.partition("+")
    if other and a.gesture.hands == "2H" and row.side == "left":
        acting = other
    first, _, last = acting.partition(">")
    return finger_angles(shape_by_name((last or first) if row.at_end else first))
