"""Range checks of numbers given by the user, and settings whose fields carry their range."""

from __future__ import annotations

from dataclasses import field, fields
from typing import Any, TypeVar

from kinesphere.errors import InvalidValueError

T = TypeVar("T")


def check_range(name: str, value: float, low: float, high: float) -> None:
    """Raise InvalidValueError unless ``low <= value <= high``.

    >>> check_range("fps", -5.0, 1.0, 1000.0)
    Traceback (most recent call last):
    kinesphere.errors.InvalidValueError: fps is -5, allowed is 1 to 1000
    """
    if not low <= value <= high:
        raise InvalidValueError(f"{name} is {value:.12g}, allowed is {low:g} to {high:g}")


def range_field(default: T, low: float, high: float) -> T:
    """Field of a frozen settings class: its default, and the range that `check_bounds` allows.

    The range holds for a number, for both ends of an ascending pair, or for each number of a longer
    tuple.
    """
    return field(default=default, metadata={"bounds": (low, high)})


def check_bounds(settings: Any) -> None:
    """Raise InvalidValueError for the first field outside its range; None is not checked."""
    for part in fields(settings):
        value = getattr(settings, part.name)
        if "bounds" not in part.metadata or value is None:
            continue
        low, high = part.metadata["bounds"]
        if not isinstance(value, tuple):
            check_range(part.name, value, low, high)
        elif len(value) == 2 and not low <= value[0] <= value[1] <= high:
            raise InvalidValueError(
                f"{part.name} is {value[0]} to {value[1]}, allowed is within {low:g} to {high:g}"
            )
        elif not all(low <= number <= high for number in value):
            raise InvalidValueError(f"{part.name} is {value}, allowed is {low:g} to {high:g} each")
