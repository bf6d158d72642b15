"""Qualities for each part of the body, and phrases of them over time or from key to key.

A phrase is a set of points. Each factor is a curve of its own through the points that name it,
easing from one to the next and constant before the first and after the last; a factor that no
point names is neutral. Points are at a time in seconds or at a Goal's number.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.expression.qualities import Effort, Shape
from kinesphere.maths.arrays import Floats
from kinesphere.maths.curves import smoothstep

PARTS = ("left-arm", "right-arm", "torso")
PART_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "left-arm": ("left-arm",),
        "right-arm": ("right-arm",),
        "torso": ("torso",),
        "arms": ("left-arm", "right-arm"),
        "body": PARTS,
    }
)
EFFORT_FACTORS = tuple(f.name for f in fields(Effort))
SHAPE_FACTORS = tuple(f.name for f in fields(Shape))
FACTORS = EFFORT_FACTORS + SHAPE_FACTORS
_LARGEST_FILE = 1_000_000


@dataclass(frozen=True)
class Qualities:
    """Effort and Shape of one part of the body.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.Qualities.of({"weight": 0.8, "vertical": -0.5}).values()
    {'weight': 0.8, 'vertical': -0.5}
    """

    effort: Effort = field(default_factory=Effort)
    shape: Shape = field(default_factory=Shape)

    @property
    def neutral(self) -> bool:
        """Whether all factors are zero."""
        return self.effort.neutral and self.shape.neutral

    def values(self) -> dict[str, float]:
        """The factors that are not zero."""
        both = [(name, getattr(self.effort, name)) for name in EFFORT_FACTORS]
        both += [(name, getattr(self.shape, name)) for name in SHAPE_FACTORS]
        return {name: value for name, value in both if value}

    @classmethod
    def of(cls, values: Mapping[str, float]) -> Qualities:
        """Make from factors' names and numbers.

        Raises
        ------
        InvalidValueError
            For an unknown name or a number outside [-1, 1].
        """
        unknown = [name for name in values if name not in FACTORS]
        if unknown:
            raise InvalidValueError(
                f"{unknown[0]!r} is no factor; allowed are {', '.join(FACTORS)}"
            )
        effort = {name: v for name, v in values.items() if name in EFFORT_FACTORS}
        shape = {name: v for name, v in values.items() if name in SHAPE_FACTORS}
        return cls(Effort.of(effort), Shape.of(shape))


@dataclass(frozen=True)
class Point:
    """Factors of some parts at one point of a phrase: a time in seconds, or a Goal's number."""

    factors: Mapping[str, float]
    parts: tuple[str, ...] = PARTS
    time_s: float | None = None
    key: int | None = None

    def __post_init__(self) -> None:
        if (self.time_s is None) == (self.key is None):
            raise InvalidValueError("a point of a phrase needs either a time or a key")
        if self.time_s is not None and not (math.isfinite(self.time_s) and self.time_s >= 0.0):
            raise InvalidValueError(f"a point's time is {self.time_s}, allowed is >= 0 seconds")
        if self.key is not None and self.key < 0:
            raise InvalidValueError(f"a point's key is {self.key}, allowed is >= 0")
        Qualities.of(self.factors)
        for part in self.parts:
            if part not in PARTS:
                raise InvalidValueError(f"{part!r} is no part; allowed are {', '.join(PART_NAMES)}")

    @property
    def place(self) -> float:
        """Time in seconds or number of the Goal."""
        return float(self.key) if self.key is not None else float(self.time_s or 0.0)


@dataclass(frozen=True)
class Phrase:
    """Points of qualities, in order; see also `of_table` and `read_phrase`.

    Examples
    --------
    >>> import kinesphere as ks
    >>> p = ks.Phrase.of_table({"time_s": [0, 1], "part": "arms", "weight": [0, 1]})
    >>> p.at("left-arm", [0.0, 0.5, 2.0])["weight"]
    array([0. , 0.5, 1. ])
    """

    points: tuple[Point, ...]

    def __post_init__(self) -> None:
        points = tuple(self.points)
        object.__setattr__(self, "points", points)
        if not points:
            raise InvalidValueError("a phrase needs at least one point")
        by_key = {point.key is not None for point in points}
        if len(by_key) > 1:
            raise InvalidValueError("a phrase has points at times and at keys; use one of the two")
        for part in PARTS:
            places = [p.place for p in points if part in p.parts]
            for i, (a, b) in enumerate(pairwise(places)):
                if b <= a:
                    raise InvalidValueError(
                        f"{part}: point {i + 1} at {b:g} is not after point {i} at {a:g}"
                    )

    @classmethod
    def constant(cls, qualities: Qualities, part: str = "body") -> Phrase:
        """The same qualities all the time."""
        return cls((Point(qualities.values(), parts_of(part), time_s=0.0),))

    @classmethod
    def of_table(cls, table: Any) -> Phrase:
        """Make from columns: anything with names that give sequences, such as a DataFrame.

        Columns are ``time_s`` (seconds; ``time`` is the factor) or ``key`` (Goal number), ``part``
        (optional), and factors.
        NaN and None mean that the point does not name the factor.
        """
        names = [str(name) for name in (table.columns if hasattr(table, "columns") else table)]
        place = [name for name in ("time_s", "key") if name in names]
        if len(place) != 1:
            raise InvalidValueError(
                "a phrase's table needs a column 'time_s' or 'key', and not both"
            )
        unknown = [n for n in names if n not in (*place, "part", *FACTORS)]
        if unknown:
            raise InvalidValueError(
                f"column {unknown[0]!r} is unknown; allowed are time_s, key, part, "
                f"{', '.join(FACTORS)}"
            )
        count = len(list(table[place[0]]))
        columns = {n: _column(table[n], n, count) for n in names}
        points = []
        for i in range(count):
            factors = {
                n: float(columns[n][i]) for n in names if n in FACTORS and _is_given(columns[n][i])
            }
            parts = parts_of(str(columns["part"][i])) if "part" in names else PARTS
            at = columns[place[0]][i]
            if place[0] == "time_s":
                points.append(Point(factors, parts, time_s=float(at)))
            else:
                points.append(Point(factors, parts, key=int(at)))
        return cls(tuple(points))

    @property
    def by_key(self) -> bool:
        """Whether points are at Goals' numbers instead of times."""
        return self.points[0].key is not None

    def touches(self, part: str, factors: Iterable[str] = FACTORS) -> bool:
        """Whether any point gives one of the factors of a part a value other than zero."""
        wanted = set(factors)
        return any(
            value != 0.0 and name in wanted
            for point in self.points
            if part in point.parts
            for name, value in point.factors.items()
        )

    def at(self, part: str, places: ArrayLike) -> dict[str, Floats]:
        """Every factor's value for a part at times (or Goal numbers, which may be fractional)."""
        at = np.asarray(places, dtype=np.float64)
        out = {}
        for name in FACTORS:
            points = [p for p in self.points if part in p.parts and name in p.factors]
            if not points:
                out[name] = np.zeros(at.shape)
                continue
            x = np.array([p.place for p in points])
            y = np.array([float(p.factors[name]) for p in points])
            if len(x) == 1:
                out[name] = np.full(at.shape, y[0])
                continue
            i = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(x) - 2)
            out[name] = y[i] + (y[i + 1] - y[i]) * smoothstep((at - x[i]) / (x[i + 1] - x[i]))
        return out


def _is_given(value: Any) -> bool:
    return value is not None and not (isinstance(value, float) and math.isnan(value))


def _column(values: Any, name: str, count: int) -> Sequence[Any]:
    if isinstance(values, (str, int, float)):
        return [values] * count
    column = list(values)
    if len(column) != count:
        raise InvalidValueError(f"column {name!r} has {len(column)} values, others have {count}")
    return column


def parts_of(name: str) -> tuple[str, ...]:
    """Parts that a name such as ``arms`` stands for."""
    if name not in PART_NAMES:
        raise InvalidValueError(f"{name!r} is no part; allowed are {', '.join(PART_NAMES)}")
    return PART_NAMES[name]


def read_phrase(path: str | PathLike[str]) -> Phrase:
    """Read a phrase from a TOML file.

    Each ``[[point]]`` has ``time`` or ``key``, ``part`` (optional: body), and tables ``effort`` and
    ``shape``.

    Raises
    ------
    UnreadableError
        Naming the file and the point.
    """
    file = Path(path)
    try:
        if file.stat().st_size > _LARGEST_FILE:
            raise UnreadableError(file, f"is larger than {_LARGEST_FILE} bytes")
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnreadableError(file, error.strerror or "cannot be read") from None
    except UnicodeDecodeError:
        raise UnreadableError(file, "is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise UnreadableError(file, f"is not TOML: {error}") from None
    entries = document.get("point")
    if not isinstance(entries, list) or set(document) != {"point"} or not entries:
        raise UnreadableError(file, "expected [[point]] tables, at least one, and nothing else")
    points = []
    for i, entry in enumerate(entries):
        try:
            points.append(_point(entry))
        except InvalidValueError as error:
            raise UnreadableError(file, str(error), f"point {i}") from None
    try:
        return Phrase(tuple(points))
    except InvalidValueError as error:
        raise UnreadableError(file, str(error)) from None


def _point(entry: Any) -> Point:
    allowed = ("time", "key", "part", "effort", "shape")
    if not isinstance(entry, dict):
        raise InvalidValueError("expected a table")
    unknown = [name for name in entry if name not in allowed]
    if unknown:
        raise InvalidValueError(f"{unknown[0]!r} is unknown; allowed are {', '.join(allowed)}")
    factors: dict[str, float] = {}
    for name, kind in (("effort", Effort), ("shape", Shape)):
        table = entry.get(name, {})
        if not isinstance(table, dict):
            raise InvalidValueError(f"{name} must be a table such as {{ weight = 0.5 }}")
        kind.of(table)
        factors.update(table)
    time_s, key = entry.get("time"), entry.get("key")
    if time_s is not None and (isinstance(time_s, bool) or not isinstance(time_s, (int, float))):
        raise InvalidValueError(f"time is {time_s!r}, expected seconds")
    if key is not None and (isinstance(key, bool) or not isinstance(key, int)):
        raise InvalidValueError(f"key is {key!r}, expected a whole number")
    return Point(factors, parts_of(str(entry.get("part", "body"))), time_s, key)
