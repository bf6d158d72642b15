"""Effort and Shape as values: each factor from -1 (indulging) to +1 (fighting)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Self

from kinesphere.errors import InvalidValueError


@dataclass(frozen=True)
class _Qualities:
    """Factors in [-1, 1], checked on construction; 0 is neutral."""

    def __post_init__(self) -> None:
        for part in fields(self):
            value = getattr(self, part.name)
            if not isinstance(value, (int, float)) or not math.isfinite(value) or abs(value) > 1.0:
                raise InvalidValueError(f"{part.name} is {value!r}, allowed is -1 to 1")
            object.__setattr__(self, part.name, float(value))

    @classmethod
    def of(cls, values: Mapping[str, float]) -> Self:
        """Make from names and numbers; missing ones are 0.

        Raises
        ------
        InvalidValueError
            For an unknown name, listing the known ones, or a number outside [-1, 1].
        """
        known = [part.name for part in fields(cls)]
        unknown = [name for name in values if name not in known]
        if unknown:
            raise InvalidValueError(f"{unknown[0]!r} is unknown; allowed are {', '.join(known)}")
        return cls(**values)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the form of the command line: ``weight=0.8,time=-0.5``; empty text is neutral.

        >>> Effort.parse("weight=0.8, time=-0.5")
        Effort(space=0.0, weight=0.8, time=-0.5, flow=0.0)
        """
        values: dict[str, float] = {}
        for item in filter(None, (part.strip() for part in text.split(","))):
            name, equals, number = (piece.strip() for piece in item.partition("="))
            try:
                value = float(number)
            except ValueError:
                value = math.nan
            if not equals or math.isnan(value):
                raise InvalidValueError(f"found {item!r}, expected NAME=NUMBER, such as weight=0.8")
            if name in values:
                raise InvalidValueError(f"{name!r} is given twice")
            values[name] = value
        return cls.of(values)

    @property
    def neutral(self) -> bool:
        """Whether every factor is zero."""
        return not any(getattr(self, part.name) for part in fields(self))


@dataclass(frozen=True)
class Effort(_Qualities):
    """Effort: how a movement is performed.

    Parameters
    ----------
    space : Indirect (-1) to Direct (+1).
    weight : Light to Strong.
    time : Sustained to Sudden.
    flow : Free to Bound.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.Effort.parse("weight=0.8, time=-0.5")
    Effort(space=0.0, weight=0.8, time=-0.5, flow=0.0)
    >>> ks.Effort(weight=3.0)
    Traceback (most recent call last):
    kinesphere.errors.InvalidValueError: ...
    """

    space: float = 0.0
    weight: float = 0.0
    time: float = 0.0
    flow: float = 0.0


@dataclass(frozen=True)
class Shape(_Qualities):
    """Shape: the form of the body.

    Parameters
    ----------
    horizontal : Spreading (-1) to Enclosing (+1).
    vertical : Rising to Sinking.
    sagittal : Advancing to Retreating.
    reach : Reach Space, near (-1) to far (+1); arms only.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.Shape(vertical=-0.6).neutral
    False
    """

    horizontal: float = 0.0
    vertical: float = 0.0
    sagittal: float = 0.0
    reach: float = 0.0
