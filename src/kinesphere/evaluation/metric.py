"""What a module of `kinesphere.evaluation.metrics` says about its metrics.

A `Measure` is taken in every window of 20 s in which the hands move, and has ranges of recorded
speakers; a `Fault` is taken once of a whole take. Both are measured on takes and on references.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np

from kinesphere.character.figure import Figure
from kinesphere.evaluation.movement import (
    HANDS,
    MOVING_M_S,
    Units,
    WristMotion,
    high_power,
    wrist_motion,
)
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.timeline.tier import Interval

Manner = Literal["calm", "expressive"]
Needs = Literal["motion", "speech"]
Speaking = Iterable[Interval | tuple[float, float]]
Found = TypeVar("Found")
ANY = -np.inf


@dataclass(frozen=True)
class Accept:
    """Values to accept, both ends included.

    >>> 0.3 in Accept(0.15, 0.7), float("nan") in Accept(0.15, 0.7)
    (True, False)
    """

    low: float
    high: float

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float) and self.low <= value <= self.high

    def __str__(self) -> str:
        if np.isinf(self.low):
            return f"< {self.high:g}"
        return f"{self.low:g} to {self.high:g}"


@dataclass(frozen=True, eq=False)
class Window:
    """A span of a take's wrist motion; `speaking` are spans of speech, None without audio."""

    motion: WristMotion
    start_s: float
    end_s: float
    speaking: Speaking | None = None

    @cached_property
    def span(self) -> slice:
        """Samples of the motion."""
        return self.motion.frames(self.start_s, self.end_s)

    @cached_property
    def speed(self) -> Floats:
        """Speed ``[n, 2]`` of both wrists, m/s."""
        return self.motion.speeds[self.span]

    @cached_property
    def moving(self) -> Bools:
        """Whether each wrist moves, ``[n, 2]``."""
        return np.asarray(self.speed > MOVING_M_S)

    @cached_property
    def spoken(self) -> Bools:
        """Samples ``[n]`` within spans of speech."""
        return spoken_frames(self.motion, self.speaking or ())[self.span]

    @cached_property
    def high_power(self) -> tuple[float, ...]:
        """Percentage of velocity power above each of `POWER_HZ`."""
        return high_power(self.motion.raw[self.span])

    @cached_property
    def units(self) -> Units:
        """Units of movement whose peaks are in the window."""
        return self.motion.units.between(self.start_s, self.end_s)


def spoken_frames(motion: WristMotion, speaking: Speaking) -> Bools:
    """Samples ``[n]`` within intervals of speech."""
    out = np.zeros(len(motion), dtype=np.bool_)
    for each in speaking:
        start, end = (each.start_s, each.end_s) if isinstance(each, Interval) else each
        out[motion.frames(start, end)] = True
    return out


@dataclass(frozen=True)
class Measure:
    """A metric of windows: a row of the table of movement.

    Parameters
    ----------
    name : in JSON; the values of a measure per hand are named ``_left`` and ``_right``.
    title, unit : the label in tables; no unit where the title says it.
    of : its value in a window, NaN where it is too short or too still; of a measure per hand a
        pair, the left hand's first.
    calm, expressive : accepted ranges.
    people : median of calm and of expressive speakers; NaN where it was not measured.
    needs : ``speech`` where it has no value without speech.
    """

    name: str
    title: str
    unit: str
    of: Callable[[Window], float | tuple[float, float]]
    calm: Accept
    expressive: Accept
    people: tuple[float, float] = (np.nan, np.nan)
    per_hand: bool = False
    needs: Needs = "motion"

    @property
    def label(self) -> str:
        """Title and unit."""
        return f"{self.title}, {self.unit}" if self.unit else self.title

    def accept(self, manner: Manner) -> Accept:
        """The accepted range for a manner of speaking."""
        return self.calm if manner == "calm" else self.expressive

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its values among those of a window."""
        return tuple(f"{self.name}_{s}" for s in HANDS) if self.per_hand else (self.name,)

    def values(self, window: Window) -> dict[str, float]:
        """Its values in a window, by name."""
        found = self.of(window)
        return dict(zip(self.names, found if isinstance(found, tuple) else (found,), strict=True))


@dataclass(frozen=True, eq=False)
class TakeMotion:
    """A take with what its metrics share.

    `speaking` are spans of speech, None without audio; `figure` is the mesh of its character, None
    without one.
    """

    clip: Clip
    rig: Rig
    speaking: tuple[tuple[float, float], ...] | None = None
    figure: Figure | None = None
    _known: dict[Callable[..., Any], Any] = field(default_factory=dict)

    @cached_property
    def wrists(self) -> WristMotion:
        """Motion of the wrists."""
        return wrist_motion(self.clip, self.rig)

    def once(self, function: Callable[[TakeMotion], Found]) -> Found:
        """A measurement that several metrics use, made only once."""
        if function not in self._known:
            self._known[function] = function(self)
        found: Found = self._known[function]
        return found


@dataclass(frozen=True)
class Fault:
    """A metric of a whole take, 0 or small in a good one.

    Parameters
    ----------
    name : in JSON, where the value has its own unit.
    label, unit, factor : displayed label and unit, and the factor to this unit.
    of : its value, NaN where nothing can be measured.
    worst : of several takes the maximum is shown, else the mean.
    needs : ``speech`` where it is NaN without speech.
    """

    name: str
    label: str
    unit: str
    of: Callable[[TakeMotion], float]
    factor: float = 1.0
    worst: bool = False
    needs: Needs = "motion"
