"""Movements of a hand: its speed, divided at persistent minima."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np

from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.maths.filters import low_pass
from kinesphere.motion.body.arms import ArmMotion
from kinesphere.motion.kinematics import speeds

# Length of an average arm from shoulder to wrist; lengths below are for a body of that size.
REACH_M = 0.53
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


@dataclass(frozen=True, eq=False)
class HandTrace:
    """A hand over time: ``[n, 3]`` from the shoulder in the chest's axes and ``[n]`` speed."""

    places: Floats
    speed: Floats
    fps: float

    def energy(self, start_s: float, end_s: float) -> float:
        """Mean square of the speed."""
        a, b = round(start_s * self.fps), round(end_s * self.fps)
        return float(np.mean(self.speed[a : b + 1] ** 2))


def trace_hand(arm: ArmMotion, fps: float, s: DetectionSettings) -> HandTrace:
    """Smoothed path and speed of a hand, scaled to an average arm."""
    reach = arm.limb.reach
    scale = REACH_M / reach if reach > 0.0 else 1.0
    hand = np.array([s.hand_m if arm.side == "left" else -s.hand_m, 0.0, 0.0])
    places = arm.wrists * scale + quaternion.rotate(arm.turns[:, 2], hand)
    smooth = low_pass(places, min(s.cutoff_hz, 0.4 * fps), fps)
    return HandTrace(smooth, speeds(smooth, fps), fps)


@dataclass(frozen=True)
class HandMovement:
    """A movement: frames of its start, peak speed and end."""

    start: int
    top: int
    end: int


def find_movements(trace: HandTrace, s: DetectionSettings) -> list[HandMovement]:
    """Movements in order; between one's end and the next one's start the hand is slow."""
    tops = _tops(trace.speed, trace.fps, s)
    moves = _bound_movements(trace.speed, tops, s)
    # Trembling is fast but has no net displacement.
    far = [
        m.top for m in moves if largest_span(trace.places[m.start : m.end + 1]) >= s.least_span_m
    ]
    return moves if len(far) == len(tops) else _bound_movements(trace.speed, far, s)


def largest_span(places: Floats) -> float:
    """Largest distance of a hand from its start."""
    return float(np.linalg.norm(places - places[0], axis=-1).max())


def _bound_movements(speed: Floats, tops: list[int], s: DetectionSettings) -> list[HandMovement]:
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
    return [
        HandMovement(a, t, b) for a, t, b in zip([starts[0], *later], tops, ends[1:], strict=False)
    ]


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


def vigour(trace: HandTrace, move: HandMovement) -> float:
    """Peak speed over that of an average movement of the same size."""
    span = largest_span(trace.places[move.start : move.end + 1])
    return float(trace.speed[move.top] / max(span, 1e-6) ** _AMPLITUDE_EXPONENT)


def stroke_onset(trace: HandTrace, move: HandMovement, s: DetectionSettings) -> int:
    """Frame at which a movement from home changes from preparation to stroke."""
    rise = trace.speed[move.start : move.top + 1]
    fast = int(np.flatnonzero(rise >= s.onset * rise[-1])[0])
    return min(move.start + max(fast, 1), move.end)
