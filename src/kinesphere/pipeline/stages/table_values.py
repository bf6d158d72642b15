"""Values of keywords and of tables in TOML files, checked before they are used."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from kinesphere.errors import InvalidValueError


def check_kind(name: str, value: object, default: object) -> None:
    """Reject a value of another kind than the default: a number, a truth value or text.

    Raises
    ------
    InvalidValueError
        The message says what was found and what is expected.
    """
    truth = isinstance(value, bool | np.bool_)
    if isinstance(default, bool):
        expected, fits = "true or false", truth
    elif isinstance(default, float):
        expected, fits = "a number", isinstance(value, Real) and not truth
    elif isinstance(default, int):
        expected, fits = "a whole number", isinstance(value, Integral) and not truth
    elif isinstance(default, str):
        expected, fits = "text", isinstance(value, str)
    else:
        return
    if not fits:
        raise InvalidValueError(f"{name} is {_shown(value)}, expected {expected}")


def check_type(name: str, value: object, types: Any, expected: str) -> None:
    """Reject a value of another type; `expected` says in words which ones are allowed."""
    if not isinstance(value, types):
        raise InvalidValueError(f"{name} is {_shown(value)}, expected {expected}")


def check_unused(given: Mapping[str, object], reason: str) -> None:
    """Reject arguments that would have no effect: those that are not None."""
    names = [name for name, value in given.items() if value is not None]
    if names:
        raise InvalidValueError(f"{' and '.join(names)} given {reason}")


def _shown(value: object) -> str:
    """A short value itself, else its type."""
    text = repr(value)
    return text if len(text) <= 40 and "\n" not in text else f"of type {type(value).__name__}"
