"""Peaks of a curve and their prominence.

A peak's prominence is its height above the higher of the two lowest values between it and the
nearest higher value, or the end, on either side.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.maths.arrays import Floats, Ints


def peaks(values: ArrayLike, least: float, prominence: float, reach: int | None = None) -> Ints:
    """Samples at which a curve ``[n]`` peaks: high enough, and high enough above its surroundings.

    A flat top is one peak, at its middle.

    Parameters
    ----------
    least, prominence : height and prominence from which on a peak counts.
    reach : number of samples to either side that are compared; None for all of them. With a reach
        the time taken grows with the length, not with its square.

    >>> peaks([0.0, 2.0, 1.9, 3.0, 3.0, 3.0, 0.0], 1.0, 0.5).tolist()
    [4]
    """
    v = np.asarray(values, dtype=np.float64)
    if len(v) < 3:
        return np.empty(0, dtype=np.int64)
    # Equal neighbours count once.
    first = np.flatnonzero(np.concatenate([[True], v[1:] != v[:-1]]))
    last = np.concatenate([first[1:], [len(v)]]) - 1
    w = v[first]
    is_top = np.zeros(len(w), dtype=np.bool_)
    is_top[1:-1] = (w[1:-1] > w[:-2]) & (w[1:-1] > w[2:]) & (w[1:-1] >= least)
    tops = [k for k in np.flatnonzero(is_top) if _prominence(w, int(k), reach) >= prominence]
    return np.asarray((first[tops] + last[tops]) // 2, dtype=np.int64)


def prominences(values: ArrayLike, tops: ArrayLike) -> Floats:
    """Prominence of each of the peaks."""
    v = np.asarray(values, dtype=np.float64)
    return np.array([_prominence(v, int(k)) for k in np.asarray(tops, dtype=np.int64)])


def _prominence(w: Floats, top: int, reach: int | None = None) -> float:
    if reach is not None:
        start = max(top - reach, 0)
        w, top = w[start : top + reach + 1], top - start
    higher = np.flatnonzero(w[:top] > w[top])
    left = int(higher[-1]) if len(higher) else 0
    higher = np.flatnonzero(w[top:] > w[top])
    right = top + int(higher[0]) if len(higher) else len(w)
    return float(w[top] - max(w[left:top].min(), w[top:right].min()))
