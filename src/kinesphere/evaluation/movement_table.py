"""Whether a take moves like recorded speakers: measures of its windows and accepted ranges.

The ranges are those of recordings of five speakers, in windows of 20 s in which the hands move:
calm talk, and expressive (vivid acting, quarrels).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from kinesphere.errors import InvalidValueError
from kinesphere.evaluation.metric import Accept, Manner, Measure, Speaking, Window
from kinesphere.evaluation.metric_registry import measures
from kinesphere.evaluation.movement import RATE_HZ, WristMotion, wrist_motion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig

WINDOW_S = 20.0
HOP_S = 10.0
LEAST_WINDOW_SPEED_M_S = 0.15


@dataclass(frozen=True)
class Verdict:
    """One measure over all windows of a take.

    Parameters
    ----------
    measure, accept : what was measured, and its accepted range.
    inside : proportion of the values within the range; NaN without values.
    low, median, high : p5, median and p95 of the values.
    count : how many values there are; a measure per hand has two per window.
    """

    measure: Measure
    accept: Accept
    inside: float
    low: float
    median: float
    high: float
    count: int


@dataclass(frozen=True)
class Acceptance:
    """A take compared with recorded speakers: a verdict per measure, and the number of windows."""

    manner: Manner
    windows: int
    verdicts: Mapping[str, Verdict]

    def __getitem__(self, name: str) -> Verdict:
        return self.verdicts[name]

    @property
    def inside(self) -> float:
        """Proportion of values within their range, all measures weighted equally; NaN for none."""
        shares = [v.inside for v in self.verdicts.values() if v.count]
        return float(np.mean(shares)) if shares else np.nan

    def __str__(self) -> str:
        column = 0 if self.manner == "calm" else 1
        lines = [
            f"{self.windows} windows, {self.manner}: {100 * self.inside:.0f} % inside",
            f"{'measure':<34} inside       p5   median      p95   people  accept",
        ]
        for v in self.verdicts.values():
            numbers = (v.low, v.median, v.high, v.measure.people[column])
            cells = " ".join(f"{x:>8.3g}" for x in numbers)
            lines.append(f"{v.measure.label:<34} {v.inside:>6.2f} {cells}  {v.accept}")
        return "\n".join(lines)


def windows(
    clip: Clip, rig: Rig, length_s: float = WINDOW_S, hop_s: float = HOP_S
) -> list[tuple[float, float]]:
    """Time spans (start, end) of a clip to measure, in seconds, as from `active_windows`."""
    return active_windows(wrist_motion(clip, rig), length_s, hop_s)


def active_windows(
    motion: WristMotion,
    length_s: float = WINDOW_S,
    hop_s: float = HOP_S,
    least_speed: float = LEAST_WINDOW_SPEED_M_S,
) -> list[tuple[float, float]]:
    """Time spans of a clip to measure, without those in which the hands hardly move.

    A clip shorter than a window is one. Activity is the mean over time of the faster hand's speed.
    """
    if not (length_s > 0.0 and hop_s > 0.0):
        raise InvalidValueError(f"windows of {length_s} s every {hop_s} s, allowed is above 0")
    total = len(motion) / RATE_HZ
    starts = np.arange(0.0, max(total - length_s, 0.0) + 1e-6, hop_s)
    spans = [(float(a), float(min(a + length_s, total))) for a in starts]
    faster = motion.speeds.max(axis=1)
    return [s for s in spans if float(faster[motion.frames(*s)].mean()) > least_speed]


def measure_window(
    motion: WristMotion, start_s: float, end_s: float, speaking: Speaking | None = None
) -> Mapping[str, float]:
    """Measure a time span; NaN where it is too short or too still.

    Names that end in ``_left`` and ``_right`` are of one hand; all others pool both hands.
    """
    window = Window(motion, start_s, end_s, speaking)
    if len(window.speed) == 0:
        raise InvalidValueError(
            f"nothing to measure from {start_s:g} to {end_s:g} s of {motion.duration_s:g} s"
        )
    out: dict[str, float] = {}
    for measure in measures().values():
        if measure.needs == "motion" or speaking is not None:
            out |= measure.values(window)
    return out


def acceptance(
    clip: Clip,
    rig: Rig,
    speaking: Speaking | None = None,
    manner: Manner = "calm",
    length_s: float = WINDOW_S,
    hop_s: float = HOP_S,
) -> Acceptance:
    """Measure the windows of a clip and compare them with the ranges of recorded speakers.

    Parameters
    ----------
    clip, rig : the motion and what its joints are.
    speaking : a tier or intervals of speech; without them the hands' stillness while speaking is
        omitted.
    manner : which ranges to use.
    length_s, hop_s : of the windows; those in which the hands hardly move are skipped.

    Missing values of a window (NaN, such as the exponent of too few units) do not count.
    """
    return judge_motion(wrist_motion(clip, rig), speaking, manner, length_s, hop_s)


def judge_motion(
    motion: WristMotion,
    speaking: Speaking | None = None,
    manner: Manner = "calm",
    length_s: float = WINDOW_S,
    hop_s: float = HOP_S,
) -> Acceptance:
    """Do what `acceptance` does, for wrist motion that is already extracted."""
    spoken = None if speaking is None else list(speaking)
    spans = active_windows(motion, length_s, hop_s)
    rows = [measure_window(motion, a, b, spoken) for a, b in spans]
    verdicts = {}
    for name, measure in measures().items():
        if measure.needs == "speech" and speaking is None:
            continue
        values = np.array([row[n] for row in rows for n in measure.names])
        verdicts[name] = verdict(measure, values[np.isfinite(values)], manner)
    return Acceptance(manner, len(rows), MappingProxyType(verdicts))


def verdict(measure: Measure, values: Floats, manner: Manner) -> Verdict:
    """Compare values of one measure with the accepted range."""
    accept = measure.accept(manner)
    if len(values) == 0:
        return Verdict(measure, accept, np.nan, np.nan, np.nan, np.nan, 0)
    inside = float(np.mean((values >= accept.low) & (values <= accept.high)))
    low, median, high = (float(q) for q in np.quantile(values, (0.05, 0.5, 0.95)))
    return Verdict(measure, accept, inside, low, median, high, len(values))
