"""Fréchet gesture distance: how far apart two sets of feature vectors are, taken as Gaussians.

It is ``|m1 - m2|^2 + tr(C1 + C2 - 2 (C1 C2)^(1/2))`` of means and covariances, squared as usual.
The feature is that of `kinesphere.evaluation.gesture_feature`, which is not learned.

The number shows whether arms and head are on average at the same positions and move as far and as
fast as in the references; its parts show which of these differ. It does not show whether a single
movement is good, whether it fits the speech, or how it looks. It is comparable only between sets
measured with the same feature against the same references. With few windows it is too large, even
between parts of one recording: `kinesphere.evaluation.reference_floor` gives the chance level.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.evaluation.gesture_feature import PARTS, part_columns, shared_columns
from kinesphere.maths.arrays import Floats


@dataclass(frozen=True)
class FrechetDistance:
    """Distance of two sets of vectors, squared.

    Parameters
    ----------
    value : sum of mean part and spread part.
    mean_part : of the distance of the means.
    spread_part : of the difference of the covariances.
    windows : how many vectors each set has.
    """

    value: float
    mean_part: float
    spread_part: float
    windows: tuple[int, int]


def frechet_distance(a_set: ArrayLike, b_set: ArrayLike) -> FrechetDistance:
    """Distance of two sets of vectors ``[n, features]`` and ``[m, features]``, at least two each.

    Columns without values (NaN) in one of them are ignored.
    """
    first, second = (np.asarray(x, dtype=np.float64) for x in (a_set, b_set))
    if first.ndim != 2 or second.ndim != 2 or first.shape[1] != second.shape[1]:
        raise InvalidValueError(
            f"sets of vectors are {first.shape} and {second.shape}, allowed is as many columns"
        )
    counts = (len(first), len(second))
    if min(counts) < 2:
        raise InvalidValueError(
            f"sets of {counts[0]} and {counts[1]} windows, needed are 2 of each"
        )
    there = np.isfinite(first).all(axis=0) & np.isfinite(second).all(axis=0)
    first, second = first[:, there], second[:, there]
    apart = first.mean(axis=0) - second.mean(axis=0)
    mean = float(np.sum(apart * apart))
    (a, a_total), (b, b_total) = _covariance_factor(first), _covariance_factor(second)
    shared = np.linalg.svd(a @ b.T, compute_uv=False)
    spread = max(a_total + b_total - 2.0 * float(shared.sum()), 0.0)
    return FrechetDistance(mean + spread, mean, spread, counts)


def _covariance_factor(rows: Floats) -> tuple[Floats, float]:
    """A factor R of the covariance R'R of vectors, and the covariance's trace.

    The roots of the eigenvalues of C1 C2 are the singular values of R1 R2', so no root of a matrix
    is needed, and sets of fewer vectors than columns are no problem.
    """
    away = (rows - rows.mean(axis=0)) / np.sqrt(len(rows) - 1.0)
    return np.asarray(np.linalg.qr(away, mode="r")), float(np.sum(away * away))


def mean_parts(a: Floats, b: Floats) -> Mapping[str, float]:
    """Mean part of the distance by part of the feature; the parts add up to the whole."""
    there = shared_columns([a, b])
    apart = np.where(there, a.mean(axis=0) - b.mean(axis=0), 0.0)
    return MappingProxyType({part: float(np.sum(apart[part_columns(part)] ** 2)) for part in PARTS})
