"""Whether segments end on syllables, compared with chance level.

Where one segment is followed by the next, from a tier of segments or from the units of movement
found in the hands, a system driven by syllables has one nearby. The distance is compared with that
after circular shifts of the speech within each span of it, as in
`kinesphere.evaluation.synchrony`. A constant delay, such as a live system has, moves all ends away
from their syllables: the curve over lags shows it as a peak away from 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.evaluation.metric import Speaking
from kinesphere.evaluation.synchrony import (
    NEAR_S,
    Coincidence,
    coincidence,
    lags_s,
    shifted_marks,
    stretches,
)
from kinesphere.maths.arrays import Floats, frozen_floats
from kinesphere.timeline.tier import Tier

LAGS_S = 0.4
_STEP_S = 0.02
_SHIFTS = 199
# Ends at the end of the take are ignored.
_EDGE_S = 0.1


@dataclass(frozen=True, eq=False)
class SegmentSynchrony:
    """Segment ends compared with syllables.

    Parameters
    ----------
    ends : lags to the nearest syllable, and their chance level.
    lags_s : ``[n]`` delays of the speech.
    near : ``[n]`` proportion of ends within 80 ms of a syllable then.
    chance : chance level of that proportion at one lag.
    high, p : p95 of the highest proportion over all lags by chance, and p value of the highest.
    """

    ends: Coincidence
    lags_s: Floats
    near: Floats
    chance: float
    high: float
    p: float

    def __post_init__(self) -> None:
        for name in ("lags_s", "near"):
            object.__setattr__(self, name, frozen_floats(getattr(self, name), name, (None,)))

    @property
    def best_lag_s(self) -> float:
        """Lag with most ends near a syllable; of equal ones that nearest to 0."""
        best = np.flatnonzero(self.near >= self.near.max() - 1e-9)
        return float(self.lags_s[best[np.argmin(np.abs(self.lags_s[best]))]])


def segment_ends(tier: Tier, length_s: float) -> Floats:
    """Times at which segments of a tier end, without those cut off by the end of the take."""
    ends = np.unique([interval.end_s for interval in tier])
    return np.asarray(ends[(ends > _EDGE_S) & (ends < length_s - _EDGE_S)])


def segment_synchrony(
    ends_s: ArrayLike,
    syllables_s: ArrayLike,
    speaking: Speaking,
    seed: int = 0,
    shifts: int = _SHIFTS,
) -> SegmentSynchrony:
    """Compare segment ends with the loudness peaks of syllables.

    Parameters
    ----------
    ends_s, syllables_s : seconds; only those during speech count.
    speaking : words or spans of speech; gaps up to 0.5 s are bridged.
    seed, shifts : of the circular shifts of the speech.

    Raises
    ------
    InvalidValueError
        If no end or no syllable is during speech.
    """
    spans = stretches(speaking)
    found = coincidence(ends_s, syllables_s, spans, shifts=shifts, seed=seed)
    ends, marks = (_during(times, spans) for times in (ends_s, syllables_s))
    lags = np.round(np.arange(-LAGS_S, LAGS_S + 0.5 * _STEP_S, _STEP_S), 6)
    near = near_shares(ends, marks, lags)
    by_chance = np.array(
        [near_shares(ends, row, lags) for row in shifted_marks(marks, spans, shifts, seed)]
    )
    highest = by_chance.max(axis=1)
    return SegmentSynchrony(
        ends=found,
        lags_s=lags,
        near=near,
        chance=float(by_chance.mean()),
        high=float(np.quantile(highest, 0.95)),
        p=float((1 + np.count_nonzero(highest >= near.max())) / (1 + len(highest))),
    )


def near_shares(ends_s: Floats, marks_s: Floats, lags: Floats) -> Floats:
    """Proportion of ends within 80 ms of a mark when all marks are delayed by each of the lags."""
    away = lags_s(ends_s - lags[:, None], marks_s)
    return np.asarray(np.mean(np.abs(away) <= NEAR_S, axis=1))


def _during(times_s: ArrayLike, spans: Sequence[tuple[float, float]]) -> Floats:
    times = np.sort(np.asarray(times_s, dtype=np.float64))
    inside = np.any([(times >= a) & (times <= b) for a, b in spans], axis=0)
    return np.asarray(times[inside])
