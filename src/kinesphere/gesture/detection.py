"""Detection of gesture phases in any motion, for each arm separately, from the hand's path alone.

The hand's speed is divided into movements between persistent minima. A slow hand is at rest (near
a home pose) or in a hold (elsewhere); the movements between two rests are a unit. In a unit the
last movements, if they lead to a home pose, are the retraction; of those before it the first is
the preparation and the fastest of the others is the stroke. A single movement out contains both:
its stroke starts once it is fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kinesphere.gesture.hand_movements import (
    REACH_M,
    DetectionSettings,
    HandMovement,
    HandTrace,
    find_movements,
    largest_span,
    stroke_onset,
    trace_hand,
    vigour,
)
from kinesphere.gesture.phases import ArmPhases, BodyUnit, GesturePhases, Hands, Phase, PhaseKind
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side, measure_arm
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig

_Mark = tuple[PhaseKind, int]


def detect_phases(clip: Clip, rig: Rig, settings: DetectionSettings | None = None) -> GesturePhases:
    """Find the gesture phases of a clip.

    Raises
    ------
    RigError
        If the rig lacks a bone of an arm.
    """
    s = settings or DetectionSettings()
    traces = {side: trace_hand(measure_arm(clip, rig, side), clip.fps, s) for side in SIDES}
    arms = {side: ArmPhases(side, _arm_phases(traces[side], s)) for side in SIDES}
    moving = [(u.start_s, u.end_s) for side in SIDES for u in arms[side].units]
    units = tuple(
        BodyUnit(a, b, _hands(traces, arms, s, a, b)) for a, b in _merge_spans(sorted(moving))
    )
    hands = _hands(traces, arms, s, 0.0, clip.duration_s)
    return GesturePhases(arms["left"], arms["right"], units, hands)


def _merge_spans(spans: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Join spans that overlap."""
    out: list[tuple[float, float]] = []
    for a, b in spans:
        if out and a < out[-1][1]:
            out[-1] = (out[-1][0], max(b, out[-1][1]))
        else:
            out.append((a, b))
    return out


def _hands(
    traces: dict[Side, HandTrace],
    arms: dict[Side, ArmPhases],
    s: DetectionSettings,
    start_s: float,
    end_s: float,
) -> Hands:
    """Hands that gesture in an interval, by their share of the movement."""
    active = [
        side
        for side in SIDES
        if any(u.start_s < end_s and u.end_s > start_s for u in arms[side].units)
    ]
    if not active:
        return "none"
    energy = {side: traces[side].energy(start_s, end_s) for side in SIDES}
    strong, weak = sorted(SIDES, key=lambda side: energy[side], reverse=True)
    if len(active) == 2 and energy[weak] >= s.both_share**2 * energy[strong]:
        return "both"
    return strong if strong in active else active[0]


def _arm_phases(trace: HandTrace, s: DetectionSettings) -> tuple[Phase, ...]:
    """Phases from the first frame to the last."""
    moves = find_movements(trace, s)
    homes = _homes(trace, moves, s)
    marks: list[_Mark] = [("rest", 0)]
    for unit in _units(trace, moves, homes, s):
        new = _unit_marks(trace, unit, s)
        if not unit.from_home:
            # Only at the clip's start; a halt too short for a hold belongs to the next phase.
            if new[0][1] >= s.least_hold_s * trace.fps:
                new.insert(0, ("hold", 0))
            marks, new[0] = [], (new[0][0], 0)
        marks += new
        if unit.to_home:
            marks.append(("rest", unit.moves[-1].end))
    return _phases(marks, trace)


def _phases(marks: list[_Mark], trace: HandTrace) -> tuple[Phase, ...]:
    """Convert kinds with their first frames to phases; equal neighbours merge, except strokes."""
    last = len(trace.speed) - 1
    ends = [*(start for _, start in marks[1:]), last]
    spans = [(kind, a, b) for (kind, a), b in zip(marks, ends, strict=True) if b > a]
    merged: list[tuple[PhaseKind, int, int]] = []
    for kind, a, b in spans:
        if merged and merged[-1][0] == kind and kind not in ("stroke", "after-stroke"):
            merged[-1] = (kind, merged[-1][1], b)
        else:
            merged.append((kind, a, b))
    tops = [float(trace.speed[a : b + 1].max()) for _, a, b in merged]
    found = zip(merged, tops, strict=True)
    out = tuple(Phase(kind, a / trace.fps, b / trace.fps, top) for (kind, a, b), top in found)
    return out or (Phase("rest", 0.0, last / trace.fps),)


def _pauses(moves: list[HandMovement], last: int) -> list[tuple[int, int]]:
    """Slow intervals before, between and after the movements."""
    return list(zip([0, *(m.end for m in moves)], [*(m.start for m in moves), last], strict=True))


def _homes(trace: HandTrace, moves: list[HandMovement], s: DetectionSettings) -> Floats:
    """Poses ``[h, 3]`` in which the hand rests, possibly none.

    These are the pose that is both the first and the last, poses kept for a long time, and lowest
    poses kept longer than a hold. If there are none, the lowest still pose at the clip's start or
    end, or anywhere.
    """
    last = len(trace.speed) - 1
    still = [
        (a, b)
        for a, b in _pauses(moves, last)
        if b - a >= s.least_hold_s * trace.fps or ((a == 0 or b == last) and _calm(trace, a, b, s))
    ]
    if not still:
        return np.empty((0, 3))
    places = np.array([np.median(trace.places[a : b + 1], axis=0) for a, b in still])
    lengths = np.array([(b - a) / trace.fps for a, b in still])
    outer = np.array([a == 0 or b == last for a, b in still])
    up = places[:, 1] / REACH_M
    low = up <= up.min() + s.same_height
    home = (lengths >= s.lasting_s) & (up < -s.chest_ratio)
    home |= (lengths >= s.longest_hold_s) & low
    if outer.sum() == 2 and np.linalg.norm(places[0] - places[-1]) <= s.home_m:
        home |= outer
    if not home.any():
        home = low & outer if (low & outer).any() else low
    return _apart(places[home], 0.25 * s.home_m)


def _apart(places: Floats, least: float) -> Floats:
    """Remove poses nearer than that to an earlier one."""
    kept = places[:1]
    for place in places[1:]:
        if np.linalg.norm(kept - place, axis=-1).min() >= least:
            kept = np.concatenate([kept, [place]])
    return kept


def _calm(trace: HandTrace, first: int, last: int, s: DetectionSettings) -> bool:
    """Whether the hand is nearly still in an interval, relative to the adjacent movements."""
    near = round(0.5 * s.context_s * trace.fps)
    beside = float(trace.speed[max(first - near, 0) : last + near + 1].max())
    return bool(trace.speed[first : last + 1].min() <= max(s.still, s.prominence * beside))


@dataclass(frozen=True, eq=False)
class _RestToRest:
    """Movements between rests, their distance from home, and whether they start and end there.

    `away` is ``[n]``, for every frame of the clip; infinite without a home.
    """

    moves: list[HandMovement]
    away: Floats
    from_home: bool
    to_home: bool
    shift: bool


def _units(
    trace: HandTrace, moves: list[HandMovement], homes: Floats, s: DetectionSettings
) -> list[_RestToRest]:
    """Group movements that no rest separates; a group that hardly leaves home is no unit."""
    if not moves:
        return []
    away = np.full(len(trace.speed), np.inf)
    for home in homes:
        away = np.minimum(away, np.linalg.norm(trace.places - home, axis=-1))
    radius = min(s.home_m, max(s.home_share * float(away.max()), 0.5 * s.least_away_m))
    last = len(trace.speed) - 1
    rests = [
        bool(np.median(away[a : b + 1]) <= radius)
        and (b - a >= 0.5 * s.least_hold_s * trace.fps or a == 0 or b == last)
        for a, b in _pauses(moves, last)
    ]
    bounds = [0, *(i for i in range(1, len(moves)) if rests[i]), len(moves)]
    units = []
    for a, b in pairwise(bounds):
        group = moves[a:b]
        ends = trace.places[[group[0].start, group[-1].end]]
        shift = b - a == 1 and float(np.linalg.norm(ends[0] - ends[1])) > 2.0 * radius
        unit = _RestToRest(group, away, rests[a], rests[b], shift)
        far = float(away[group[0].start : group[-1].end + 1].max())
        if far >= s.least_away_m or not (unit.from_home and unit.to_home):
            units.append(unit)
    return units


def _unit_marks(trace: HandTrace, unit: _RestToRest, s: DetectionSettings) -> list[_Mark]:
    """Kinds of a unit's phases with their first frames."""
    out, back = _part_retraction(trace, unit, s)
    long = s.least_hold_s * trace.fps
    marks = _outward(trace, unit, out, s) if out else []
    if back:
        if out and back[0].start - out[-1].end >= long:
            marks.append(("hold", out[-1].end))
            marks.append(("retraction", back[0].start))
        else:
            marks.append(("retraction", out[-1].end if out else back[0].start))
    end = unit.moves[-1].end
    if not unit.to_home and len(trace.speed) - 1 - end >= long:
        marks.append(("hold", end))
    return marks


def _part_retraction(
    trace: HandTrace, unit: _RestToRest, s: DetectionSettings
) -> tuple[list[HandMovement], list[HandMovement]]:
    """Movements before the retraction, and those of the retraction."""
    moves, away = unit.moves, unit.away
    final = moves[-1]
    if not (unit.to_home or _heads_home(trace, unit, s)):
        return moves, []
    k = len(moves) - 1
    while k > 0 and _leads_on(trace, unit, moves[k - 1], moves[k], s):
        k -= 1
    if k > 0 or not unit.from_home:
        return moves[:k], moves[k:]
    if unit.shift:
        return [], moves
    # Out and back in one movement: split where it is farthest from home.
    first = moves[0]
    turn = first.start + int(np.argmax(away[first.start : final.end + 1]))
    turn = min(max(turn, first.start + 1), final.end)
    top = first.start + int(np.argmax(trace.speed[first.start : turn + 1]))
    return [HandMovement(first.start, top, turn)], [HandMovement(turn, final.top, final.end)]


def _heads_home(trace: HandTrace, unit: _RestToRest, s: DetectionSettings) -> bool:
    """Whether the clip's last movement approaches home enough to be a retraction."""
    final, away = unit.moves[-1], unit.away
    cut = trace.speed[final.end] > s.flow * trace.speed[final.top]
    if not (cut or away[final.end] <= s.remaining * away[final.start]):
        return False
    span = largest_span(trace.places[final.start : final.end + 1])
    return bool(away[final.end] + s.homeward * span <= away[final.start] < np.inf)


def _leads_on(
    trace: HandTrace,
    unit: _RestToRest,
    before: HandMovement,
    after: HandMovement,
    s: DetectionSettings,
) -> bool:
    """Whether a movement is the first part of the retraction that the next one belongs to."""
    away = unit.away
    held = after.start - before.end >= s.least_hold_s * trace.fps
    if held or away[before.end] > s.remaining * away[before.start]:
        return False
    far = float(away[unit.moves[0].start : unit.moves[-1].end + 1].max())
    if away[after.start] <= s.home_share * far:
        return True
    slowest = float(trace.speed[before.top : after.top + 1].min())
    return slowest >= s.flow * float(min(trace.speed[before.top], trace.speed[after.top]))


def _outward(
    trace: HandTrace, unit: _RestToRest, moves: list[HandMovement], s: DetectionSettings
) -> list[_Mark]:
    """Mark the movements before the retraction; between runs of them there are holds."""
    held = [b.start - a.end >= s.least_hold_s * trace.fps for a, b in pairwise(moves)]
    kinds = _kinds(trace, moves, held, _leaves_home(trace, unit, s), s)
    first = moves[0]
    marks: list[_Mark] = [(kinds[0], first.start)]
    if unit.from_home and kinds[0] == "stroke":
        marks = [("preparation", first.start), ("stroke", stroke_onset(trace, first, s))]
    for before, move, kind, hold in zip(moves, moves[1:], kinds[1:], held, strict=False):
        if hold:
            marks.append(("hold", before.end))
        marks.append((kind, move.start if hold else before.end))
    return marks


def _leaves_home(trace: HandTrace, unit: _RestToRest, s: DetectionSettings) -> bool:
    """Whether a unit's first movement starts at home, possibly before the clip starts."""
    first, away = unit.moves[0], unit.away
    if unit.from_home:
        return True
    span = largest_span(trace.places[first.start : first.end + 1])
    cut = trace.speed[first.start] > s.flow * trace.speed[first.top]
    return bool(cut and away[first.start] + s.homeward * span <= away[first.end] < np.inf)


def _kinds(
    trace: HandTrace, moves: list[HandMovement], held: list[bool], ready: bool, s: DetectionSettings
) -> list[PhaseKind]:
    """Kinds of the movements before the retraction, from their peak speeds.

    Strokes are faster than their neighbours between the same holds. Movements right before one
    prepare it; slower ones soon after it repeat it. The first of several from home (`ready`) is a
    preparation, and so is a single one before a hold if the next is faster for its size.
    """
    n = len(moves)
    peaks = [float(trace.speed[move.top]) for move in moves]
    first = 0
    if ready and n > 1 and (not held[0] or _waits(trace, moves, held)):
        first = 1
    kinds: list[PhaseKind] = ["preparation"] * n
    stroke, until = 0.0, 0.0
    for i in range(first, n):
        if i < n - 1 and not held[i] and peaks[i] <= peaks[i + 1]:
            continue
        if peaks[i] >= s.after_share * stroke or moves[i].start > until:
            kinds[i], stroke = "stroke", peaks[i]
            until = moves[i].end + s.context_s * trace.fps
            continue
        # The preparation of a repetition, between the same holds, belongs to it.
        back = i
        while back >= first and kinds[back] == "preparation" and (back == i or not held[back]):
            kinds[back] = "after-stroke"
            back -= 1
    return kinds


def _waits(trace: HandTrace, moves: list[HandMovement], held: list[bool]) -> bool:
    """Whether a raised and then held hand performs its stroke only after the hold.

    Strokes are faster for their size than preparations.
    """
    next_hold = held.index(True, 1) if True in held[1:] else len(held)
    return max(vigour(trace, m) for m in moves[1 : next_hold + 1]) > vigour(trace, moves[0])
