"""When a movement is where: the timing function Q (EMOTE eqs 9-11, corrected).

The speed over the warped time ``t'' = t' ** exponent`` is made of straight lines through
``(0, 0)``, ``(t0, -v0)``, ``(ti, ti)``, ``(t1, -v1)`` and ``(1, 0)``: a pull back, speeding up,
slowing down, a swing past the goal and back. Q is its integral, divided by its value at the end.
Over all combinations of Effort a movement pulls back by at most 10 percent of its path and swings
past by at most 22, less the longer it takes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.expression.parameters import LowLevel
from kinesphere.maths.arrays import Floats

PAPER_EDGE = 0.01
# A pull back or a swing past needs this long to be seen, and a sudden stop to be survived.
SWING_S, STOP_S = 0.06, 0.05
_RAMP = 0.18  # of a movement at even speed, at each end


@dataclass(frozen=True)
class Timing:
    """A timing function for one movement from rest to rest."""

    corners: tuple[float, float, float]
    speeds: tuple[float, float, float]
    exponent: float
    flatness: float

    def __call__(self, ratio: ArrayLike) -> Floats:
        """Ratio of the path at ratios of the duration, held to [0, 1]; below 0 is anticipation.

        The path's ratio leaves [0, 1] where the movement pulls back or swings past.
        """
        t = np.clip(np.asarray(ratio, dtype=np.float64), 0.0, 1.0)
        warped = t**self.exponent
        places = np.array([0.0, *self.corners, 1.0])
        heights = np.array([0.0, *self.speeds, 0.0])
        steps = 0.5 * (heights[1:] + heights[:-1]) * np.diff(places)
        before = np.concatenate([[0.0], np.cumsum(steps)])
        i = np.clip(np.searchsorted(places, warped, side="right") - 1, 0, 3)
        away = warped - places[i]
        slope = (heights[i + 1] - heights[i]) / (places[i + 1] - places[i])
        area = before[i] + heights[i] * away + 0.5 * slope * away * away
        shaped = area / before[-1]
        return np.asarray(shaped + self.flatness * (_even(t) - shaped))


def _even(ratio: Floats) -> Floats:
    """Nearly constant speed with short ramps."""
    top = 1.0 / (1.0 - _RAMP)
    rising = 0.5 * top / _RAMP * ratio**2
    falling = 1.0 - 0.5 * top / _RAMP * (1.0 - ratio) ** 2
    middle = top * (ratio - 0.5 * _RAMP)
    return np.where(ratio < _RAMP, rising, np.where(ratio > 1.0 - _RAMP, falling, middle))


def timing(low: LowLevel, duration_s: float, *, paper: bool = False) -> Timing:
    """Timing function of a movement that takes `duration_s`.

    Raises
    ------
    InvalidValueError
        If the duration is not positive, or the parameters (as printed) let the path run backward.
    """
    if not duration_s > 0.0:
        raise InvalidValueError(f"a movement takes {duration_s} s, allowed is > 0")
    ti, exponent = low.inflection, low.exponent
    t0, t1 = PAPER_EDGE, 1.0 - PAPER_EDGE
    if not paper:
        latest = max(0.5, 1.0 - STOP_S / duration_s)
        ti = min(ti, latest**exponent)
        swing = min(SWING_S / duration_s, 0.1)
        if low.start_velocity > 0.0:
            t0 = min(max(t0, swing**exponent), 0.5 * ti)
        if low.end_velocity > 0.0:
            t1 = max(min(t1, (1.0 - swing) ** exponent), 0.5 * (1.0 + ti))
    places = np.array([0.0, t0, ti, t1, 1.0])
    heights = np.array([0.0, -low.start_velocity, ti, -low.end_velocity, 0.0])
    area = float(np.sum(0.5 * (heights[1:] + heights[:-1]) * np.diff(places)))
    if exponent <= 0.0 or np.any(np.diff(places) <= 0.0) or area <= 0.0:
        raise InvalidValueError("this combination runs backward as printed; leave 'paper' off")
    return Timing(
        (t0, ti, t1), (-low.start_velocity, ti, -low.end_velocity), exponent, low.flatness
    )
