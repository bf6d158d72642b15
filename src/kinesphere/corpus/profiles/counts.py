"""Counts over annotated performances; they can be added and subtracted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from kinesphere.errors import InvalidValueError

Pair = tuple[str, str]


@dataclass(frozen=True)
class Moments:
    """Number, sum and sum of squares of values: mean and deviation that can be added.

    >>> (Moments.of(1.0) + Moments.of(3.0)).mean
    2.0
    """

    n: int = 0
    total: float = 0.0
    squares: float = 0.0

    @classmethod
    def of(cls, value: float) -> Moments:
        """Moments of one value."""
        return cls(1, value, value * value)

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.n + other.n, self.total + other.total, self.squares + other.squares)

    def __sub__(self, other: Moments) -> Moments:
        if other.n > self.n:
            raise InvalidValueError("more is taken out of a profile than is in it")
        if other.n == self.n:
            return Moments()
        return Moments(self.n - other.n, self.total - other.total, self.squares - other.squares)

    @property
    def mean(self) -> float:
        """Mean value; 0 of none."""
        return self.total / self.n if self.n else 0.0

    @property
    def deviation(self) -> float:
        """Standard deviation with n in the denominator; 0 of none."""
        if not self.n:
            return 0.0
        return math.sqrt(max(self.squares / self.n - self.mean * self.mean, 0.0))


@dataclass(frozen=True)
class GestureCounts:
    """Sums over annotated performances (section 4.2 of the 2008 paper).

    Parameters
    ----------
    duration_s : length of all of them.
    lexemes, hands : numbers of gestures by lexeme (empty for none) and by hand.
    tags : occurrences of semantic tags in the speech, gestured or not.
    tag_lexemes : gestures by the tag of their lexical affiliate and by lexeme.
    lexeme_pairs, hand_pairs : gestures by the previous one's lexeme or hand; empty at the start.
    lexeme_hands : gestures by lexeme and hand.
    strokes, end_offsets, start_offsets, stroke_lengths, hold_lengths : by lexeme; offsets are word
        minus gesture, in seconds, ends for strokes and starts for hold gestures.
    holds : gestures by lexeme that have a hold after the stroke.
    after_intervals : seconds from the end of a stroke to the end of the next after-stroke.
    unit_sizes : units by number of gestures, the number as text.
    phases : by kind.
    rest_poses : units by the pose they end in.
    turns : turns of the body by direction.
    """

    duration_s: float = 0.0
    lexemes: Mapping[str, int] = field(default_factory=dict)
    hands: Mapping[str, int] = field(default_factory=dict)
    tags: Mapping[str, int] = field(default_factory=dict)
    tag_lexemes: Mapping[Pair, int] = field(default_factory=dict)
    lexeme_pairs: Mapping[Pair, int] = field(default_factory=dict)
    hand_pairs: Mapping[Pair, int] = field(default_factory=dict)
    lexeme_hands: Mapping[Pair, int] = field(default_factory=dict)
    strokes: Mapping[str, Moments] = field(default_factory=dict)
    end_offsets: Mapping[str, Moments] = field(default_factory=dict)
    start_offsets: Mapping[str, Moments] = field(default_factory=dict)
    stroke_lengths: Mapping[str, Moments] = field(default_factory=dict)
    hold_lengths: Mapping[str, Moments] = field(default_factory=dict)
    holds: Mapping[str, int] = field(default_factory=dict)
    after_intervals: Moments = field(default_factory=Moments)
    unit_sizes: Mapping[str, int] = field(default_factory=dict)
    phases: Mapping[str, int] = field(default_factory=dict)
    rest_poses: Mapping[str, int] = field(default_factory=dict)
    turns: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: GestureCounts) -> GestureCounts:
        return self._merge(other, 1)

    def __sub__(self, other: GestureCounts) -> GestureCounts:
        return self._merge(other, -1)

    def _merge(self, other: GestureCounts, sign: int) -> GestureCounts:
        made: dict[str, Any] = {}
        for part in fields(GestureCounts):
            a, b = getattr(self, part.name), getattr(other, part.name)
            if isinstance(a, Mapping):
                made[part.name] = _mappings(a, b, sign)
            else:
                made[part.name] = a + b if sign > 0 else a - b
        made["duration_s"] = max(made["duration_s"], 0.0)
        return GestureCounts(**made)

    @property
    def gestures(self) -> int:
        """Number of gestures."""
        return sum(self.lexemes.values())

    @property
    def units(self) -> int:
        """Number of units."""
        return sum(self.unit_sizes.values())


def _mappings(a: Mapping[Any, Any], b: Mapping[Any, Any], sign: int) -> dict[Any, Any]:
    out: dict[Any, Any] = dict(a)
    for key, value in b.items():
        if sign > 0:
            out[key] = out[key] + value if key in out else value
            continue
        if key not in out:
            raise InvalidValueError("more is taken out of a profile than is in it")
        left = out[key] - value
        empty = left.n == 0 if isinstance(left, Moments) else left == 0
        if isinstance(left, int) and left < 0:
            raise InvalidValueError("more is taken out of a profile than is in it")
        if empty:
            del out[key]
        else:
            out[key] = left
    return out


class Tally:
    """Accumulator of counts: `add` and `note` fill tables by name, `counts` returns the value."""

    def __init__(self) -> None:
        self._counters: dict[str, Counter[Any]] = {}
        self._moments: dict[str, dict[str, Moments]] = {}
        self.after_intervals = Moments()

    def add(self, table: str, key: str | Pair, count: int = 1) -> None:
        """Increment an entry of a table."""
        self._counters.setdefault(table, Counter())[key] += count

    def note(self, table: str, key: str, value: float) -> None:
        """Add a value to the moments of an entry."""
        rows = self._moments.setdefault(table, {})
        rows[key] = rows.get(key, Moments()) + Moments.of(value)

    def counts(self, duration_s: float) -> GestureCounts:
        """The accumulated counts."""
        made: dict[str, Any] = {name: dict(rows) for name, rows in self._counters.items()}
        made.update(self._moments)
        return GestureCounts(duration_s=duration_s, after_intervals=self.after_intervals, **made)
