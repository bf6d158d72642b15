"""Values of tables in TOML files, checked before they are used."""

from __future__ import annotations

from kinesphere.errors import InvalidValueError


def check_kind(name: str, value: object, default: object) -> None:
    """Reject a value of another kind than the default: a number, a truth value or text.

    Raises
    ------
    InvalidValueError
        The message says what was found and what is expected.
    """
    if isinstance(default, bool):
        expected, fits = "true or false", isinstance(value, bool)
    elif isinstance(default, float):
        expected = "a number"
        fits = isinstance(value, int | float) and not isinstance(value, bool)
    elif isinstance(default, int):
        expected = "a whole number"
        fits = isinstance(value, int) and not isinstance(value, bool)
    elif isinstance(default, str):
        expected, fits = "text", isinstance(value, str)
    else:
        return
    if not fits:
        raise InvalidValueError(f"{name} is {value!r}, expected {expected}")
