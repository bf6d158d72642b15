"""Histograms of wrist speed, acceleration and jerk, and distances between them.

Every sample at 60 Hz of each wrist counts once, as `kinesphere.evaluation.movement` measures it.
The bins are fixed, so that any two histograms can be compared: one for almost still, then equal
steps of the logarithm, because ratios of speeds matter; the last bin holds everything above. A
Hellinger distance depends on the bins and, with few samples, on their number: compare it with the
distance between parts of the references.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.evaluation.movement import WristMotion
from kinesphere.maths.arrays import Floats, frozen_floats

_BINS = 24


@dataclass(frozen=True)
class Quantity:
    """Quantity of a histogram.

    Parameters
    ----------
    name, label : key, and label with unit.
    low, high : first and last edge between bins; what is below or above has a bin of its own.
    """

    name: str
    label: str
    low: float
    high: float

    @property
    def edges(self) -> Floats:
        """Edges ``[bins + 1]`` from 0 to infinity; the inner ones rise by equal factors."""
        return np.concatenate([[0.0], np.geomspace(self.low, self.high, _BINS - 1), [np.inf]])

    def of(self, motion: WristMotion) -> Floats:
        """Values ``[n, 2]`` of both wrists."""
        values: Floats = getattr(motion, f"{self.name}s")
        return values


QUANTITIES: Mapping[str, Quantity] = MappingProxyType(
    {
        q.name: q
        for q in (
            Quantity("speed", "wrist speed, m/s", 0.01, 4.0),
            Quantity("acceleration", "wrist acceleration, m/s2", 0.1, 60.0),
            Quantity("jerk", "wrist jerk, m/s3", 2.0, 1500.0),
        )
    }
)
"""Quantities of every sample, from invisibly slow to faster than people gesture."""


@dataclass(frozen=True, eq=False)
class Histogram:
    """Proportions of samples by bin.

    Parameters
    ----------
    edges : ``[bins + 1]``, ascending; the last may be infinite.
    shares : ``[bins]``, which sum to 1; all 0 without samples.
    count : samples.
    """

    edges: Floats
    shares: Floats
    count: int

    def __post_init__(self) -> None:
        edges = np.array(self.edges, dtype=np.float64)
        if edges.ndim != 1 or len(edges) < 2 or not np.all(np.diff(edges) > 0.0):
            raise InvalidValueError("edges of a histogram must ascend, at least two of them")
        edges.flags.writeable = False
        object.__setattr__(self, "edges", edges)
        shares = frozen_floats(self.shares, "shares", (len(edges) - 1,))
        object.__setattr__(self, "shares", shares)


def histogram(values: ArrayLike, edges: ArrayLike) -> Histogram:
    """Count values into bins; NaN and values outside the edges are ignored.

    >>> histogram([0.1, 0.2, 1.5, 9.0], [0.0, 1.0, 2.0]).shares.round(3)
    array([0.667, 0.333])
    """
    at = np.asarray(edges, dtype=np.float64)
    flat = np.ravel(np.asarray(values, dtype=np.float64))
    # np.histogram closes the last bin and does not accept an infinite one.
    which = np.searchsorted(at, flat, side="right") - 1
    inside = (which >= 0) & (which < len(at) - 1) & np.isfinite(flat)
    counts = np.bincount(which[inside], minlength=len(at) - 1)
    total = int(counts.sum())
    return Histogram(at, counts / max(total, 1), total)


def hellinger(p: ArrayLike, q: ArrayLike) -> float:
    """Hellinger distance of two distributions over the same bins: 0 if equal, 1 if disjoint.

    It is ``sqrt(1 - sum(sqrt(p q)))``, computed as ``|sqrt(p) - sqrt(q)| / sqrt(2)``, which is
    exact for equal ones. NaN if one of them has no samples.

    >>> hellinger([0.5, 0.5, 0.0], [0.5, 0.5, 0.0]), hellinger([1.0, 0.0], [0.0, 1.0])
    (0.0, 1.0)
    """
    a, b = (np.asarray(x, dtype=np.float64) for x in (p, q))
    if a.shape != b.shape or a.ndim != 1:
        raise InvalidValueError(f"distributions of {a.shape} and {b.shape} bins, expected as many")
    if np.any(a < 0.0) or np.any(b < 0.0):
        raise InvalidValueError("a proportion is below 0, allowed is 0 to 1")
    if not (a.sum() > 0.0 and b.sum() > 0.0):
        return np.nan
    apart = np.sqrt(a / a.sum()) - np.sqrt(b / b.sum())
    return float(min(np.sqrt(0.5 * np.sum(apart * apart)), 1.0))
