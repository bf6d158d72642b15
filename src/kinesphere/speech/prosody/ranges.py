"""Range checks of numbers given by the user."""

from __future__ import annotations

from kinesphere.errors import InvalidValueError


def check_range(name: str, value: float, low: float, high: float) -> None:
    """Raise InvalidValueError unless ``low <= value <= high``."""
    if not low <= value <= high:
        raise InvalidValueError(f"{name} is {value}, allowed is {low:g} to {high:g}")


def check_ranges(settings: object, **ranges: tuple[float, float]) -> None:
    """Check attributes of a settings object, each against its lowest and highest value.

    >>> from types import SimpleNamespace
    >>> check_ranges(SimpleNamespace(step_s=0.5), step_s=(0.001, 0.1))
    Traceback (most recent call last):
    kinesphere.errors.InvalidValueError: step_s is 0.5, allowed is 0.001 to 0.1
    """
    for name, (low, high) in ranges.items():
        check_range(name, getattr(settings, name), low, high)
