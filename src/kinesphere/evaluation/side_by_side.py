"""Comparison table of training data and synthesis: every measure of the table of movement.

A measure holds where synthesis is within p5 to p95 of the training data. Of windows of the training
data themselves nine in ten are, so 0.9 is the expected proportion.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kinesphere.character.naming import identify
from kinesphere.evaluation.metric import Measure, Speaking
from kinesphere.evaluation.metric_registry import measures
from kinesphere.evaluation.movement import WristMotion, wrist_motion
from kinesphere.evaluation.movement_table import active_windows, measure_window
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip

Source = WristMotion | Clip
Measurable = Source | tuple[Source, Speaking]
"""Wrists or a clip, alone or with its spans of speech."""


@dataclass(frozen=True)
class Spread:
    """p5, median and p95 of some values, and how many there are; NaN of none.

    >>> Spread.of([1.0, 2.0, 3.0]).median, 2.5 in Spread.of([1.0, 2.0, 3.0])
    (2.0, True)
    """

    low: float
    median: float
    high: float
    count: int

    @classmethod
    def of(cls, values: Sequence[float] | Floats) -> Spread:
        """Spread of values; NaN are ignored."""
        found = np.asarray(values, dtype=np.float64)
        found = found[np.isfinite(found)]
        if not len(found):
            return cls(np.nan, np.nan, np.nan, 0)
        low, median, high = (float(q) for q in np.quantile(found, (0.05, 0.5, 0.95)))
        return cls(low, median, high, len(found))

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float) and self.low <= value <= self.high

    def share_of(self, values: Sequence[float] | Floats) -> float:
        """Proportion of values within p5 to p95; NaN if there are none of either."""
        found = np.asarray(values, dtype=np.float64)
        found = found[np.isfinite(found)]
        if not len(found) or not self.count:
            return np.nan
        # Training data without any spread still contain their own value.
        slack = 1e-9 * max(abs(self.low), abs(self.high))
        return float(np.mean((found >= self.low - slack) & (found <= self.high + slack)))


@dataclass(frozen=True)
class SideBySide:
    """One measure of training data and synthesis.

    Parameters
    ----------
    measure : what was measured.
    training, synthesis : over the windows of each.
    inside : proportion of the synthesis' values within p5 to p95 of the training data, or NaN.
    """

    measure: Measure
    training: Spread
    synthesis: Spread
    inside: float

    @property
    def holds(self) -> bool:
        """Whether the synthesis' median is within p5 to p95 of the training data."""
        return self.synthesis.median in self.training

    def __str__(self) -> str:
        t, s = self.training, self.synthesis
        return (
            f"{self.measure.label:<34} {t.low:>8.3g} {t.median:>8.3g} {t.high:>8.3g}  "
            f"{s.median:>8.3g} {self.inside:>5.2f}{'' if self.holds else '  outside'}"
        )


def side_by_side(
    training: Iterable[Measurable], synthesis: Iterable[Measurable]
) -> tuple[SideBySide, ...]:
    """Measure the windows of both, and return a row for each measure of the table, in its order.

    Parameters
    ----------
    training, synthesis : wrists (`WristMotion`), or clips of humanoids, each alone or in a pair
        with the spans of speech; without these the hands' stillness while speaking has no
        values. Each is read once.
    """
    before, after = window_values(training), window_values(synthesis)
    return tuple(
        compare(measure, before[name], after[name]) for name, measure in measures().items()
    )


def compare(measure: Measure, training: Floats, synthesis: Floats) -> SideBySide:
    """One row, of values of the windows."""
    spread = Spread.of(training)
    return SideBySide(measure, spread, Spread.of(synthesis), spread.share_of(synthesis))


def window_values(sources: Iterable[Measurable]) -> Mapping[str, Floats]:
    """Values of every measure over the windows in which hands move; one per hand has two each."""
    rows: list[Mapping[str, float]] = []
    for source in sources:
        motion, speaking = source if isinstance(source, tuple) else (source, None)
        wrists = motion if isinstance(motion, WristMotion) else _wrists(motion)
        spoken = None if speaking is None else list(speaking)
        rows += [measure_window(wrists, a, b, spoken) for a, b in active_windows(wrists)]
    return {name: values_of(measure, rows) for name, measure in measures().items()}


def values_of(measure: Measure, rows: Sequence[Mapping[str, float]]) -> Floats:
    """Values of one measure in the windows, without NaN."""
    values = np.array([row[n] for row in rows for n in measure.names if n in row])
    return values[np.isfinite(values)] if len(values) else np.zeros(0)


def _wrists(clip: Clip) -> WristMotion:
    return wrist_motion(clip, identify(clip.skeleton, clip.rotations).rig)
