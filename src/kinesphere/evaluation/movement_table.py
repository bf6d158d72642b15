"""Whether a take moves like recorded speakers: measures of its windows and accepted ranges.

The ranges are those of recordings of five speakers, in windows of 20 s in which the hands move:
calm talk, and expressive (vivid acting, quarrels).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np

from kinesphere.errors import InvalidValueError
from kinesphere.evaluation.movement import (
    HANDS,
    MOVING_M_S,
    POWER_HZ,
    RATE_HZ,
    STILL_M_S,
    Units,
    WristMotion,
    amplitude_law,
    correlation,
    high_power,
    wrist_motion,
)
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.timeline.tier import Interval

Manner = Literal["calm", "expressive"]
Speaking = Iterable[Interval | tuple[float, float]]

WINDOW_S = 20.0
HOP_S = 10.0
LEAST_WINDOW_SPEED_M_S = 0.15


@dataclass(frozen=True)
class Accept:
    """Values to accept, both ends included.

    >>> 0.3 in Accept(0.15, 0.7), float("nan") in Accept(0.15, 0.7)
    (True, False)
    """

    low: float
    high: float

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float) and self.low <= value <= self.high

    def __str__(self) -> str:
        if np.isinf(self.low):
            return f"< {self.high:g}"
        return f"{self.low:g} to {self.high:g}"


_ANY = -np.inf


@dataclass(frozen=True)
class Measure:
    """A row of the table of targets.

    Parameters
    ----------
    name : as in `window_measures`; for a measure per hand without ``_left`` and ``_right``.
    label, per_hand : label in tables; whether each hand is measured separately.
    calm, expressive : accepted ranges.
    people : median of calm and of expressive speakers; NaN where it was not measured.
    """

    name: str
    label: str
    calm: Accept
    expressive: Accept
    people: tuple[float, float]
    per_hand: bool = False

    def accept(self, manner: Manner) -> Accept:
        """The accepted range for a manner of speaking."""
        return self.calm if manner == "calm" else self.expressive

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its values among those of a window."""
        return tuple(f"{self.name}_{s}" for s in HANDS) if self.per_hand else (self.name,)


# Expressive ranges are p5 to p95 of the recordings, widened like the table of calm ones; those of
# power are as far above the median as in calm talk.
MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        m.name: m
        for m in (
            Measure(
                "mean_speed",
                "mean wrist speed, m/s",
                Accept(0.15, 0.7),
                Accept(0.35, 1.4),
                (0.39, 0.78),
                per_hand=True,
            ),
            Measure(
                "still_share",
                "share of time < 0.05 m/s",
                Accept(0.01, 0.45),
                Accept(0.0, 0.15),
                (0.15, 0.04),
                per_hand=True,
            ),
            Measure(
                "both_still_speaking",
                "both hands < 0.1 m/s, of speech",
                Accept(_ANY, 0.15),
                Accept(_ANY, 0.15),
                (np.nan, np.nan),
            ),
            Measure(
                "median_peak",
                "median unit peak, m/s",
                Accept(0.5, 1.1),
                Accept(0.65, 2.5),
                (0.76, 1.26),
            ),
            Measure(
                "p95_peak", "p95 unit peak, m/s", Accept(0.9, 2.2), Accept(2.1, 5.2), (1.44, 3.1)
            ),
            Measure(
                "fastest_peak",
                "fastest unit, m/s",
                Accept(_ANY, 3.0),
                Accept(_ANY, 6.0),
                (1.9, 3.8),
            ),
            Measure(
                "median_duration",
                "median unit duration, s",
                Accept(0.3, 0.7),
                Accept(0.2, 0.7),
                (0.48, 0.41),
            ),
            Measure(
                "median_chord",
                "median unit chord, m",
                Accept(0.10, 0.30),
                Accept(0.17, 0.42),
                (0.19, 0.24),
            ),
            Measure(
                "units_per_s",
                "units per s of moving",
                Accept(1.4, 2.7),
                Accept(1.4, 4.2),
                (1.9, 2.3),
            ),
            Measure(
                "median_time_to_peak",
                "median time to peak / duration",
                Accept(0.43, 0.56),
                Accept(0.43, 0.56),
                (0.50, 0.50),
            ),
            Measure(
                "median_end_ratio",
                "median end speed / peak",
                Accept(0.15, 0.32),
                Accept(0.15, 0.32),
                (0.22, 0.24),
            ),
            Measure(
                "amplitude_exponent",
                "exponent of peak ~ chord^b",
                Accept(0.45, 0.85),
                Accept(0.45, 0.85),
                (0.64, 0.64),
            ),
            Measure(
                "power_above_3_hz",
                "% velocity power > 3 Hz",
                Accept(_ANY, 4.0),
                Accept(_ANY, 14.0),
                (1.7, 6.0),
            ),
            Measure(
                "power_above_5_hz",
                "% velocity power > 5 Hz",
                Accept(_ANY, 0.7),
                Accept(_ANY, 5.0),
                (0.26, 2.0),
            ),
            Measure(
                "power_above_8_hz",
                "% velocity power > 8 Hz",
                Accept(_ANY, 0.2),
                Accept(_ANY, 2.5),
                (0.08, 1.0),
            ),
            Measure(
                "rms_jerk",
                "RMS jerk while moving, m/s3",
                Accept(45.0, 120.0),
                Accept(100.0, 970.0),
                (72.0, 240.0),
            ),
            Measure(
                "p99_acceleration",
                "acceleration p99, m/s2",
                Accept(8.0, 20.0),
                Accept(18.0, 100.0),
                (12.7, 36.0),
            ),
            Measure(
                "hand_correlation",
                "left-right speed correlation",
                Accept(0.4, 0.95),
                Accept(0.3, 0.95),
                (0.80, 0.61),
            ),
        )
    }
)
"""Measures of every window, in the order of the table."""


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


def window_measures(
    clip: Clip, rig: Rig, start_s: float, end_s: float, speaking: Speaking | None = None
) -> Mapping[str, float]:
    """Measure a time span of a clip, as `measured` does."""
    return measured(wrist_motion(clip, rig), start_s, end_s, speaking)


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


def spoken_frames(motion: WristMotion, speaking: Speaking) -> Bools:
    """Samples ``[n]`` within intervals of speech."""
    out = np.zeros(len(motion), dtype=np.bool_)
    for each in speaking:
        start, end = (each.start_s, each.end_s) if isinstance(each, Interval) else each
        out[motion.frames(start, end)] = True
    return out


def measured(
    motion: WristMotion, start_s: float, end_s: float, speaking: Speaking | None = None
) -> Mapping[str, float]:
    """Measure a time span; NaN where it is too short or too still.

    Names that end in ``_left`` and ``_right`` are of one hand; all others pool both hands.
    """
    span = motion.frames(start_s, end_s)
    speed = motion.speeds[span]
    if len(speed) == 0:
        raise InvalidValueError(
            f"nothing to measure from {start_s:g} to {end_s:g} s of {motion.duration_s:g} s"
        )
    out: dict[str, float] = {}
    for k, side in enumerate(HANDS):
        out[f"mean_speed_{side}"] = float(speed[:, k].mean())
        out[f"still_share_{side}"] = float(np.mean(speed[:, k] < STILL_M_S))
    units = motion.units.between(start_s, end_s)
    out |= unit_measures(units)
    moving = speed > MOVING_M_S
    seconds = float(np.count_nonzero(moving)) / RATE_HZ
    out["units_per_s"] = len(units) / seconds if seconds > 0.0 else np.nan
    for hz, percent in zip(POWER_HZ, high_power(motion.raw[span]), strict=True):
        out[f"power_above_{hz:g}_hz"] = percent
    jerk, acceleration = motion.jerks[span][moving], motion.accelerations[span][moving]
    out["rms_jerk"] = float(np.sqrt(np.mean(jerk**2))) if len(jerk) else np.nan
    out["p99_acceleration"] = _quantile(acceleration, 0.99)
    out["hand_correlation"] = correlation(speed[:, 0], speed[:, 1])
    if speaking is not None:
        spoken = spoken_frames(motion, speaking)[span]
        slow = speed[spoken].max(axis=1) < MOVING_M_S
        out["both_still_speaking"] = float(slow.mean()) if len(slow) else np.nan
    return out


def unit_measures(units: Units) -> dict[str, float]:
    """Measures of a set of units: medians, extremes, and the exponent of the amplitude law."""
    return {
        "median_peak": _quantile(units.peak, 0.5),
        "p95_peak": _quantile(units.peak, 0.95),
        "fastest_peak": _quantile(units.peak, 1.0),
        "median_duration": _quantile(units.duration_s, 0.5),
        "median_chord": _quantile(units.chord_m, 0.5),
        "median_time_to_peak": _quantile(units.time_to_peak, 0.5),
        "median_end_ratio": _quantile(units.end_ratio, 0.5),
        "amplitude_exponent": amplitude_law(units)[1],
    }


def _quantile(values: Floats, q: float) -> float:
    return float(np.quantile(values, q)) if len(values) else np.nan


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
    return judged(wrist_motion(clip, rig), speaking, manner, length_s, hop_s)


def judged(
    motion: WristMotion,
    speaking: Speaking | None = None,
    manner: Manner = "calm",
    length_s: float = WINDOW_S,
    hop_s: float = HOP_S,
) -> Acceptance:
    """Do what `acceptance` does, for wrist motion that is already extracted."""
    spoken = None if speaking is None else list(speaking)
    spans = active_windows(motion, length_s, hop_s)
    rows = [measured(motion, a, b, spoken) for a, b in spans]
    verdicts = {}
    for name, measure in MEASURES.items():
        if name == "both_still_speaking" and speaking is None:
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
