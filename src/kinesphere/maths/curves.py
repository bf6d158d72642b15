"""Curves from 0 to 1 over a ratio in [0, 1], for transitions in space and time.

Outside [0, 1] every curve holds its end value.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.maths.arrays import Floats


def _ratio(ratio: ArrayLike) -> Floats:
    return np.clip(np.asarray(ratio, dtype=np.float64), 0.0, 1.0)


def minimum_jerk(ratio: ArrayLike) -> Floats:
    """Minimum-jerk position profile from rest to rest (Flash and Hogan 1985).

    >>> minimum_jerk([0.0, 0.5, 1.0])
    array([0. , 0.5, 1. ])
    """
    r = _ratio(ratio)
    return np.asarray(r * r * r * (10.0 + r * (6.0 * r - 15.0)))


def smoothstep(ratio: ArrayLike) -> Floats:
    """Cubic ease in and out."""
    r = _ratio(ratio)
    return np.asarray(r * r * (3.0 - 2.0 * r))


def hermite_ease(ratio: ArrayLike, start_slope: ArrayLike, end_slope: ArrayLike) -> Floats:
    """Cubic from (0, 0) to (1, 1) with the given slopes; 0 and 0 is `smoothstep`."""
    r = _ratio(ratio)
    start, end = np.asarray(start_slope, float), np.asarray(end_slope, float)
    return np.asarray(r * (start + r * (3.0 - 2.0 * start - end + r * (start + end - 2.0))))


def settle(ratio: ArrayLike, offset: ArrayLike, velocity: ArrayLike, duration_s: float) -> Floats:
    """Decay of an offset and its velocity to zero over a duration, as a quintic in time.

    Position, velocity and acceleration are zero at the end; position and velocity are as given
    at the start, where the acceleration is zero. `offset` and `velocity` broadcast against
    `ratio`.
    """
    r = _ratio(ratio)
    x, v = np.asarray(offset, float), np.asarray(velocity, float) * duration_s
    cubic, quartic, quintic = -10.0 * x - 6.0 * v, 15.0 * x + 8.0 * v, -6.0 * x - 3.0 * v
    return np.asarray(x + r * (v + r * r * (cubic + r * (quartic + r * quintic))))
