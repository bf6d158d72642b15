"""Antagonistic control of a joint: two springs that pull against each other, and damping.

Eq 6.4 of the 2008 paper. Each degree of freedom has a low and a high set point, about the ends of
its range, and a spring to each; the ratio of the two gains sets the angle at which the joint rests,
their sum, the tension, its stiffness. Gains that compensate a load (gravity, and the load of
other joints) hold a joint exactly at the wanted angle, at any tension. One of the pair may
become negative then: for a wanted angle outside of the range, or a large load at a low tension;
the tension is unchanged, so the joint stays stable.

All functions work on arrays of any shape: one value per degree of freedom, per frame, or both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats


@dataclass(frozen=True, eq=False)
class Gains:
    """Gains of the two springs of a joint, N m/rad.

    Parameters
    ----------
    high : of the spring to the high set point.
    low : of the spring to the low set point.
    """

    high: Floats
    low: Floats

    @property
    def tension(self) -> Floats:
        """Stiffness of the joint, T = kL + kH."""
        return np.asarray(self.low + self.high)

    def __add__(self, other: Gains) -> Gains:
        return Gains(self.high + other.high, self.low + other.low)

    def __sub__(self, other: Gains) -> Gains:
        return Gains(self.high - other.high, self.low - other.low)


Compensated = Callable[[Floats], Gains]
"""C(theta) of the paper: gains that hold a joint at an angle."""


@dataclass(frozen=True, eq=False)
class SetPoints:
    """Low and high set points of joints, radians, the high one above the low one."""

    low: Floats
    high: Floats

    def __post_init__(self) -> None:
        low, high = (np.asarray(p, dtype=np.float64) for p in (self.low, self.high))
        if not np.all(high > low):
            raise InvalidValueError("a high set point must lie above its low one")
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    def command(self, gains: Gains) -> Floats:
        """Torque at angle zero: together with the tension it represents the gains of eq 6.4."""
        return np.asarray(gains.low * self.low + gains.high * self.high)

    def compensate(self, angle: ArrayLike, load: ArrayLike, tension: ArrayLike) -> Gains:
        """Gains that hold an angle under a load: C(theta).

        Parameters
        ----------
        angle : wanted, radians.
        load : torque needed to hold it, N m; the negative of gravity's torque.
        tension : kL + kH, N m/rad, positive.
        """
        t = np.asarray(tension, dtype=np.float64)
        if not np.all(t > 0.0):
            raise InvalidValueError("a tension must be positive")
        theta = np.asarray(angle, dtype=np.float64)
        high = (t * (theta - self.low) + np.asarray(load)) / (self.high - self.low)
        return Gains(high, t - high)


def end_gains(hold: Compensated, main: ArrayLike, offset: ArrayLike) -> tuple[Gains, Gains]:
    """Gains of main and offset track at the end of a transition (Table 6.3, second row).

    Parameters
    ----------
    main : angle on the main track at the end.
    offset : value of the offset track at the end.
    """
    theta = np.asarray(main, dtype=np.float64)
    own = hold(theta)
    return own, hold(theta + np.asarray(offset)) - own
