"""Detection of gesture phases in any motion, for each arm separately, from the hand's path alone.

The hand's speed is divided into movements between persistent minima. A slow hand is at rest (near
a home pose) or in a hold (elsewhere); the movements between two rests are a unit. In a unit the
last movements, if they lead to a home pose, are the retraction; of those before it the first is
the preparation and the fastest of the others is the stroke. A single movement out contains both:
its stroke starts once it is fast.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np

from kinesphere.errors import InvalidValueError
from kinesphere.gesture.phases import ArmPhases, BodyUnit, GesturePhases, Hands, Phase, PhaseKind
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.maths.filters import low_pass
from kinesphere.motion.body.arms import SIDES, ArmMotion, Side, measure_arm
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.kinematics import speeds

_Mark = tuple[PhaseKind, int]
# Length of an average arm from shoulder to wrist; lengths below are for a body of that size.
_REACH_M = 0.53
# Peak speed grows with this power of a movement's size, in every set of speakers measured.
_AMPLITUDE_EXPONENT = 0.65


@dataclass(frozen=True)
class DetectionSettings:
    """Thresholds for movement, rest and stroke. Lengths are for an arm of 0.53 m.

    Parameters
    ----------
    cutoff_hz : of the smoothing; speech gestures have almost no energy above 8 Hz.
    hand_m : distance of the tracked point from the wrist, so that wrist rotation counts.
    still : m/s; a slower hand is still, and slower speed peaks are not movements.
    least_peak, least_span_m : least peak speed, m/s, and least distance from its start;
        nine in ten of speakers' movements exceed 0.3 m/s and 0.06 m, beats at the thigh do not.
    prominence, context_s : between two movements speed falls by at least this ratio of the fastest
        within that time, which is longer than a movement and shorter than a unit.
    arrival : a movement is over when all but this ratio of its peak speed is gone.
    least_hold_s : shorter halts are part of a movement; real holds last 0.27 s and more.
    longest_hold_s, lasting_s : a hand that is still for longer is at rest: one that hangs as low as
        it ever does, and one anywhere below the chest (95 percent of holds last less than 1.3 s).
    chest_ratio : of the arm's length below the shoulder; above it no hand rests for long.
    same_height : ratio of the arm's length within which hanging poses are equally low.
    home_m, home_share : a hand is at home within this distance of a home pose, or this ratio
        of the largest distance of the clip, whichever is less.
    least_away_m : a unit goes at least this far from home; less is fidgeting.
    homeward : ratio of its length by which the clip's last movement must approach home to be a
        retraction, although it does not arrive.
    remaining, flow : a movement before the last belongs to the retraction too if it leaves no more
        than `remaining` of the distance and speed does not fall below `flow` of the slower peak.
    onset : ratio of the peak speed at which the stroke starts in a movement that is preparation
        and stroke in one.
    after_share : a movement slower than this ratio of the stroke within `context_s` before it
        repeats it.
    both_share : ratio of the other's RMS speed from which the less active hand takes part.
    """

    cutoff_hz: float = 8.0
    hand_m: float = 0.08
    still: float = 0.05
    least_peak: float = 0.12
    least_span_m: float = 0.015
    prominence: float = 0.12
    context_s: float = 1.5
    arrival: float = 0.05
    least_hold_s: float = 0.2
    longest_hold_s: float = 1.3
    lasting_s: float = 3.0
    chest_ratio: float = 0.2
    same_height: float = 0.08
    home_m: float = 0.10
    home_share: float = 0.35
    least_away_m: float = 0.04
    homeward: float = 0.75
    remaining: float = 0.75
    flow: float = 0.3
    onset: float = 0.6
    after_share: float = 0.7
    both_share: float = 0.5

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            most = 1.0 if each.name in _RATIOS else np.inf
            if not 0.0 < value <= most or not np.isfinite(value):
                allowed = "> 0 and at most 1" if each.name in _RATIOS else "a number > 0"
                raise InvalidValueError(f"{each.name} is {value}, allowed is {allowed}")


_RATIOS = (
    "prominence",
    "arrival",
    "chest_ratio",
    "same_height",
    "home_share",
    "homeward",
    "remaining",
    "flow",
    "onset",
    "after_share",
    "both_share",
)


def detect_phases(clip: Clip, rig: Rig, settings: DetectionSettings | None = None) -> GesturePhases:
    """Find the gesture phases of a clip.

    Raises
    ------
    RigError
        If the rig lacks a bone of an arm.
    """
    s = settings or DetectionSettings()
    traces = {side: _trace(measure_arm(clip, rig, side), clip.fps, s) for side in SIDES}
    arms = {side: ArmPhases(side, _arm_phases(traces[side], s)) for side in SIDES}
    moving = [(u.start_s, u.end_s) for side in SIDES for u in arms[side].units]
    units = tuple(BodyUnit(a, b, _hands(traces, arms, s, a, b)) for a, b in _merged(sorted(moving)))
    hands = _hands(traces, arms, s, 0.0, clip.duration_s)
    return GesturePhases(arms["left"], arms["right"], units, hands)


def _merged(spans: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Join spans that overlap."""
    out: list[tuple[float, float]] = []
    for a, b in spans:
        if out and a < out[-1][1]:
            out[-1] = (out[-1][0], max(b, out[-1][1]))
        else:
            out.append((a, b))
    return out


def _hands(
    traces: dict[Side, _Trace],
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


@dataclass(frozen=True, eq=False)
class _Trace:
    """A hand over time: ``[n, 3]`` from the shoulder in the chest's axes and ``[n]`` speed."""

    places: Floats
    speed: Floats
    fps: float

    def energy(self, start_s: float, end_s: float) -> float:
        """Mean square of the speed."""
        a, b = round(start_s * self.fps), round(end_s * self.fps)
        return float(np.mean(self.speed[a : b + 1] ** 2))


def _trace(arm: ArmMotion, fps: float, s: DetectionSettings) -> _Trace:
    reach = arm.limb.reach
    scale = _REACH_M / reach if reach > 0.0 else 1.0
    hand = np.array([s.hand_m if arm.side == "left" else -s.hand_m, 0.0, 0.0])
    places = arm.wrists * scale + quaternion.rotate(arm.turns[:, 2], hand)
    smooth = low_pass(places, min(s.cutoff_hz, 0.4 * fps), fps)
    return _Trace(smooth, speeds(smooth, fps), fps)


@dataclass(frozen=True)
class _Move:
    """A movement: frames of its start, peak speed and end."""

    start: int
    top: int
    end: int


def _arm_phases(trace: _Trace, s: DetectionSettings) -> tuple[Phase, ...]:
    """Phases from the first frame to the last."""
    moves = _movements(trace, s)
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


def _phases(marks: list[_Mark], trace: _Trace) -> tuple[Phase, ...]:
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


def _movements(trace: _Trace, s: DetectionSettings) -> list[_Move]:
    """Movements in order; between one's end and the next one's start the hand is slow."""
    tops = _tops(trace.speed, trace.fps, s)
    moves = _bounded(trace.speed, tops, s)
    # Trembling is fast but has no net displacement.
    far = [m.top for m in moves if _span(trace.places[m.start : m.end + 1]) >= s.least_span_m]
    return moves if len(far) == len(tops) else _bounded(trace.speed, far, s)


def _span(places: Floats) -> float:
    """Largest distance of a hand from its start."""
    return float(np.linalg.norm(places - places[0], axis=-1).max())


def _bounded(speed: Floats, tops: list[int], s: DetectionSettings) -> list[_Move]:
    """Find the starts and ends of movements from their frames of peak speed."""
    if not tops:
        return []
    starts, ends = [], []
    for a, b in pairwise([0, *tops, len(speed) - 1]):
        between = speed[a : b + 1]
        least = float(between.min())
        slow = np.flatnonzero(between <= _slow(least, float(speed[a]), s))
        ends.append(a + int(slow[0]))
        slow = np.flatnonzero(between <= _slow(least, float(speed[b]), s))
        starts.append(a + int(slow[-1]))
    # The two thresholds differ; if both are crossed at once, a movement starts where the last ends.
    later = (max(a, b) for a, b in zip(starts[1:], ends[1:], strict=True))
    return [_Move(a, t, b) for a, t, b in zip([starts[0], *later], tops, ends[1:], strict=False)]


def _slow(least: float, top: float, s: DetectionSettings) -> float:
    """Speed at which a movement with that peak ends, given the adjacent speed minimum."""
    return max(least + s.arrival * top, min(s.still, 0.25 * top))


def _tops(speed: Floats, fps: float, s: DetectionSettings) -> list[int]:
    """Frames of the prominent peaks."""
    needed = np.maximum(s.still, s.prominence * _running_max(speed, s.context_s * fps))
    tops: list[int] = []
    low = high = 0
    falling = False
    values, least = speed.tolist(), needed.tolist()
    for i, v in enumerate(values):
        if falling:
            if v < values[low]:
                low = i
            elif v - values[low] >= least[i]:
                falling, high = False, i
        elif v > values[high]:
            high = i
        elif values[high] - v >= least[high]:
            tops.append(high)
            falling, low = True, i
    if not falling and high > 0 and values[high] - values[low] >= least[high]:
        tops.append(high)
    return [i for i in tops if values[i] >= s.least_peak]


def _running_max(x: Floats, radius: float) -> Floats:
    r = max(1, round(radius))
    padded = np.concatenate([np.zeros(r), x, np.zeros(r)])
    return np.asarray(np.lib.stride_tricks.sliding_window_view(padded, 2 * r + 1).max(axis=-1))


def _pauses(moves: list[_Move], last: int) -> list[tuple[int, int]]:
    """Slow intervals before, between and after the movements."""
    return list(zip([0, *(m.end for m in moves)], [*(m.start for m in moves), last], strict=True))


def _homes(trace: _Trace, moves: list[_Move], s: DetectionSettings) -> Floats:
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
    up = places[:, 1] / _REACH_M
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


def _calm(trace: _Trace, first: int, last: int, s: DetectionSettings) -> bool:
    """Whether the hand is nearly still in an interval, relative to the adjacent movements."""
    near = round(0.5 * s.context_s * trace.fps)
    beside = float(trace.speed[max(first - near, 0) : last + near + 1].max())
    return bool(trace.speed[first : last + 1].min() <= max(s.still, s.prominence * beside))


@dataclass(frozen=True, eq=False)
class _Unit:
    """Movements between rests, their distance from home, and whether they start and end there.

    `away` is ``[n]``, for every frame of the clip; infinite without a home.
    """

    moves: list[_Move]
    away: Floats
    from_home: bool
    to_home: bool
    shift: bool


def _units(trace: _Trace, moves: list[_Move], homes: Floats, s: DetectionSettings) -> list[_Unit]:
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
        unit = _Unit(group, away, rests[a], rests[b], shift)
        far = float(away[group[0].start : group[-1].end + 1].max())
        if far >= s.least_away_m or not (unit.from_home and unit.to_home):
            units.append(unit)
    return units


def _unit_marks(trace: _Trace, unit: _Unit, s: DetectionSettings) -> list[_Mark]:
    """Kinds of a unit's phases with their first frames."""
    out, back = _parted(trace, unit, s)
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


def _parted(trace: _Trace, unit: _Unit, s: DetectionSettings) -> tuple[list[_Move], list[_Move]]:
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
    return [_Move(first.start, top, turn)], [_Move(turn, final.top, final.end)]


def _heads_home(trace: _Trace, unit: _Unit, s: DetectionSettings) -> bool:
    """Whether the clip's last movement approaches home enough to be a retraction."""
    final, away = unit.moves[-1], unit.away
    cut = trace.speed[final.end] > s.flow * trace.speed[final.top]
    if not (cut or away[final.end] <= s.remaining * away[final.start]):
        return False
    span = _span(trace.places[final.start : final.end + 1])
    return bool(away[final.end] + s.homeward * span <= away[final.start] < np.inf)


def _leads_on(
    trace: _Trace, unit: _Unit, before: _Move, after: _Move, s: DetectionSettings
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


def _outward(trace: _Trace, unit: _Unit, moves: list[_Move], s: DetectionSettings) -> list[_Mark]:
    """Mark the movements before the retraction; between runs of them there are holds."""
    held = [b.start - a.end >= s.least_hold_s * trace.fps for a, b in pairwise(moves)]
    kinds = _kinds(trace, moves, held, _leaves_home(trace, unit, s), s)
    first = moves[0]
    marks: list[_Mark] = [(kinds[0], first.start)]
    if unit.from_home and kinds[0] == "stroke":
        marks = [("preparation", first.start), ("stroke", _onset(trace, first, s))]
    for before, move, kind, hold in zip(moves, moves[1:], kinds[1:], held, strict=False):
        if hold:
            marks.append(("hold", before.end))
        marks.append((kind, move.start if hold else before.end))
    return marks


def _leaves_home(trace: _Trace, unit: _Unit, s: DetectionSettings) -> bool:
    """Whether a unit's first movement starts at home, possibly before the clip starts."""
    first, away = unit.moves[0], unit.away
    if unit.from_home:
        return True
    span = _span(trace.places[first.start : first.end + 1])
    cut = trace.speed[first.start] > s.flow * trace.speed[first.top]
    return bool(cut and away[first.start] + s.homeward * span <= away[first.end] < np.inf)


def _kinds(
    trace: _Trace, moves: list[_Move], held: list[bool], ready: bool, s: DetectionSettings
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


def _waits(trace: _Trace, moves: list[_Move], held: list[bool]) -> bool:
    """Whether a raised and then held hand performs its stroke only after the hold.

    Strokes are faster for their size than preparations.
    """
    next_hold = held.index(True, 1) if True in held[1:] else len(held)
    return max(_vigour(trace, m) for m in moves[1 : next_hold + 1]) > _vigour(trace, moves[0])


def _vigour(trace: _Trace, move: _Move) -> float:
    """Peak speed over that of an average movement of the same size."""
    span = _span(trace.places[move.start : move.end + 1])
    return float(trace.speed[move.top] / max(span, 1e-6) ** _AMPLITUDE_EXPONENT)


def _onset(trace: _Trace, move: _Move, s: DetectionSettings) -> int:
    """Frame at which a movement from home changes from preparation to stroke."""
    rise = trace.speed[move.start : move.top + 1]
    fast = int(np.flatnonzero(rise >= s.onset * rise[-1])[0])
    return min(move.start + max(fast, 1), move.end)
