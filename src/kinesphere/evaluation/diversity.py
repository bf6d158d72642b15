"""Diversity of takes of the same speech: whether another seed gives another performance.

Takes are compared at equal times. Distances are in metres for a body of 1.75 m: of hand paths,
relative to the chest, and of poses, relative to the hips; and of feature vectors of a second. The
baseline is the distance of unrelated times of one take by the same measure: takes that differ as
much have nothing in common but the performer, takes with 0 are equal. High diversity is no merit by
itself, a shaking body has it too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from kinesphere.errors import InvalidValueError
from kinesphere.evaluation.gesture_feature import BodyPath, features, shared_columns
from kinesphere.evaluation.movement import RATE_HZ
from kinesphere.maths.arrays import Floats, frozen_floats

# Takes of one speech may differ at their ends by rounding and a last audio chunk.
SAME_LENGTH_S = 0.25
_SHIFTS = 8


@dataclass(frozen=True, eq=False)
class Apartness:
    """Distances between takes by one measure.

    Parameters
    ----------
    pairs : ``[takes, takes]`` of each two, 0 on the diagonal.
    mean : over all pairs.
    unrelated : mean distance between unrelated times of one take.
    """

    pairs: Floats
    mean: float
    unrelated: float

    def __post_init__(self) -> None:
        n = len(self.pairs)
        object.__setattr__(self, "pairs", frozen_floats(self.pairs, "pairs", (n, n)))

    @property
    def ratio(self) -> float:
        """Distance of takes relative to that of unrelated times; NaN without movement."""
        return self.mean / self.unrelated if self.unrelated > 0.0 else np.nan


@dataclass(frozen=True, eq=False)
class Diversity:
    """Distances between takes of equal length.

    Parameters
    ----------
    takes, length_s : how many, and how much of each was compared.
    hands_m : of the wrists, seen from the chest, metres.
    pose_m : mean over head, arms and legs, seen from the hips, metres.
    feature : of the vectors of a second, in their units.
    """

    takes: int
    length_s: float
    hands_m: Apartness
    pose_m: Apartness
    feature: Apartness


def same_length(lengths_s: Sequence[float]) -> bool:
    """Whether takes may be of one speech: at least two, of equal length within 0.25 s."""
    return len(lengths_s) > 1 and max(lengths_s) - min(lengths_s) <= SAME_LENGTH_S


def diversity(paths: Sequence[BodyPath]) -> Diversity:
    """Compare takes of the same speech, two or more, at equal times.

    Raises
    ------
    InvalidValueError
        If there are fewer than two, or their lengths differ by more than 0.25 s.
    """
    lengths = [len(path) / RATE_HZ for path in paths]
    if not same_length(lengths):
        found = ", ".join(f"{length:.2f}" for length in lengths)
        raise InvalidValueError(
            f"takes of {found or 'no'} s, diversity needs two or more of equal length"
        )
    size = min(len(path) for path in paths)
    cut = [BodyPath(path.channels[:size], path.joints[:size]) for path in paths]
    vectors = [features(path) for path in cut]
    columns = shared_columns(vectors)
    there = np.isfinite([path.joints for path in cut]).all(axis=(0, 1, 3))
    return Diversity(
        len(cut),
        size / RATE_HZ,
        _apart([path.wrists for path in cut], mean_distance),
        _apart([path.joints[:, there] for path in cut], mean_distance),
        _apart([rows[:, columns] for rows in vectors], mean_distance),
    )


def mean_distance(a: Floats, b: Floats) -> float:
    """Mean over time, and over points if there are several, of the distance of two paths.

    Both are ``[n, ..., components]``; NaN of paths without samples.
    """
    away = np.linalg.norm(a - b, axis=-1)
    return float(away.mean()) if away.size else np.nan


def _apart(paths: Sequence[Floats], distance: Callable[[Floats, Floats], float]) -> Apartness:
    count = len(paths)
    pairs = np.zeros((count, count))
    for i, k in combinations(range(count), 2):
        pairs[i, k] = pairs[k, i] = np.nan_to_num(distance(paths[i], paths[k]))
    own = [
        distance(path, np.roll(path, len(path) * k // _SHIFTS, axis=0))
        for path in paths
        for k in range(1, _SHIFTS)
    ]
    mean = float(pairs.sum() / (count * (count - 1)))
    return Apartness(pairs, mean, float(np.mean(own)))
