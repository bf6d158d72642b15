"""Labelled time intervals, and tiers of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from kinesphere.errors import InvalidValueError


@dataclass(frozen=True, order=True)
class Interval:
    """A time interval with a label; a point in time has ``start_s == end_s``.

    Examples
    --------
    >>> Interval(0.5, 0.75, "stroke").duration_s
    0.25
    """

    start_s: float
    end_s: float
    label: str = ""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.start_s) and math.isfinite(self.end_s)):
            raise InvalidValueError(f"interval {self.label!r} has a time that is not finite")
        if self.end_s < self.start_s:
            raise InvalidValueError(
                f"interval {self.label!r} ends at {self.end_s:g} s, before its start at "
                f"{self.start_s:g} s"
            )

    @property
    def duration_s(self) -> float:
        """Length in seconds, 0 for a point in time."""
        return self.end_s - self.start_s

    def contains(self, time_s: float) -> bool:
        """Whether a time is inside; the end is excluded, except for a point in time."""
        return self.start_s <= time_s < self.end_s or time_s == self.start_s

    def shift(self, by_s: float) -> Interval:
        """Return the same interval, later by `by_s` seconds."""
        return Interval(self.start_s + by_s, self.end_s + by_s, self.label)


@dataclass(frozen=True)
class Tier:
    """A named list of intervals in order of their start; overlaps are allowed.

    Examples
    --------
    >>> words = Tier("words", (Interval(0.1, 0.4, "this"), Interval(0.4, 0.6, "is")))
    >>> [word.label for word in words], words.at(0.5)
    (['this', 'is'], Interval(start_s=0.4, end_s=0.6, label='is'))
    """

    name: str
    intervals: tuple[Interval, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "intervals", tuple(self.intervals))
        for before, after in zip(self.intervals, self.intervals[1:], strict=False):
            if after.start_s < before.start_s:
                raise InvalidValueError(
                    f"tier {self.name!r}: {after.label!r} at {after.start_s:g} s comes after "
                    f"{before.label!r} at {before.start_s:g} s; intervals must be in order"
                )

    def __iter__(self) -> Iterator[Interval]:
        return iter(self.intervals)

    def __len__(self) -> int:
        return len(self.intervals)

    def at(self, time_s: float) -> Interval | None:
        """First interval that contains the time, or None."""
        return next((i for i in self.intervals if i.contains(time_s)), None)

    def between(self, start_s: float, end_s: float) -> Tier:
        """Return the part between two times, with times relative to the first."""
        kept = (
            Interval(max(i.start_s, start_s) - start_s, min(i.end_s, end_s) - start_s, i.label)
            for i in self.intervals
            if i.end_s >= start_s and i.start_s <= end_s
        )
        return Tier(self.name, tuple(kept))
