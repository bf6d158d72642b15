"""How much prosody predicts motion in a corpus, compared with chance level. Offline.

The measure is the mutual information between an observation and the state at the next one, as the
model pairs them. With few data it is large by chance, and segments and syllables each have a rhythm
of their own; so it is compared with the same measure after a circular shift of every recording's
observations, which keeps both rhythms and removes their relation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from kinesphere.bodylanguage.learn.estimation import segments_at
from kinesphere.bodylanguage.learn.training import Extracts, StreamFit
from kinesphere.bodylanguage.streams import FPS
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.speech.prosody.observation import OBSERVATIONS, SILENT

_LEAST_SHIFT = 10
_SILENT = np.array([number // 3 % 3 == SILENT for number in range(OBSERVATIONS)])


class MutualInformation(NamedTuple):
    """Mutual information of observations and one variable.

    Parameters
    ----------
    bits : mutual information per observation.
    chance_bits : the same after circular shifts, on average.
    p : proportion of circular shifts with at least as much.
    unknown_bits : entropy of the variable itself: the upper bound.
    observations : how many pairs were counted.
    """

    bits: float
    chance_bits: float
    p: float
    unknown_bits: float
    observations: int

    @property
    def share(self) -> float:
        """Proportion of the entropy that is explained beyond chance level, 0 to 1."""
        if self.unknown_bits <= 0.0:
            return 0.0
        return max(0.0, self.bits - self.chance_bits) / self.unknown_bits


class Evidence(NamedTuple):
    """Evidence of prosody for one stream.

    Parameters
    ----------
    starts : about whether another segment starts.
    state : about which segment starts or continues.
    syllables : the same for syllables alone: beyond the difference of speech and pause.
    """

    starts: MutualInformation
    state: MutualInformation
    syllables: MutualInformation


def prosody_evidence(
    extracts: Extracts, fits: Mapping[str, StreamFit], *, seed: int = 0, shifts: int = 200
) -> dict[str, Evidence]:
    """Evidence for every stream that was trained."""
    heard = [(extracts[i].times_s, extracts[i].numbers) for i in range(len(extracts))]
    return {name: _evidence(heard, fit, seed, shifts) for name, fit in fits.items()}


def _evidence(heard: list[tuple[Floats, Ints]], fit: StreamFit, seed: int, shifts: int) -> Evidence:
    clusters = 1 + max((int(row.max(initial=-1)) for row in fit.labels), default=-1)
    pairs = []
    for (times, numbers), bounds, labels in zip(heard, fit.bounds, fit.labels, strict=True):
        if bounds is None or len(times) < 2:
            continue
        seen = segments_at(bounds / FPS, times)
        known = (seen.segment[1:] >= 0) & (seen.segment[:-1] >= 0)
        states = labels[np.maximum(seen.segment[1:], 0)] + clusters * seen.goes_on
        pairs.append((numbers[:-1][known], states[known]))
    spoken = [(o[~_SILENT[o]], s[~_SILENT[o]]) for o, s in pairs]
    begun = [(o, (s >= clusters).astype(np.int64)) for o, s in pairs]
    return Evidence(
        *(mutual_information(rows, seed=seed, shifts=shifts) for rows in (begun, pairs, spoken))
    )


def mutual_information(
    rows: list[tuple[Ints, Ints]], *, seed: int = 0, shifts: int = 200
) -> MutualInformation:
    """Mutual information of observations and states.

    Parameters
    ----------
    rows : of each recording, observations and states ``[n]`` in order of time.
    shifts : number of circular shifts.
    """
    rows = [(o, s) for o, s in rows if len(o)]
    if not rows:
        return MutualInformation(0.0, 0.0, 1.0, 0.0, 0)
    numbers, states = (np.concatenate(column) for column in zip(*rows, strict=True))
    lengths = np.array([len(o) for o, _ in rows])
    begins = np.repeat(np.cumsum(lengths) - lengths, lengths)
    place, length = np.arange(len(numbers)) - begins, np.repeat(lengths, lengths)
    least = np.minimum(_LEAST_SHIFT, lengths // 4)
    width = int(states.max()) + 1
    unknown = _entropy(np.bincount(states))
    apart = unknown + _entropy(np.bincount(numbers))

    def bits(order: Ints) -> float:
        return max(0.0, apart - _entropy(np.bincount(numbers[order] * width + states)))

    found = bits(np.arange(len(numbers)))
    rng = np.random.default_rng(seed)
    chance = np.empty(shifts)
    for i in range(shifts):
        by = np.repeat(rng.integers(least, lengths - least + 1), lengths)
        chance[i] = bits(begins + (place + by) % length)
    p = (1 + int(np.count_nonzero(chance >= found - 1e-12))) / (1 + shifts)
    return MutualInformation(found, float(chance.mean()), p, unknown, len(numbers))


def _entropy(counts: Ints) -> float:
    """Entropy of counts in bits."""
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum())
