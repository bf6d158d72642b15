"""JSON to messages and back; an invalid message is rejected with one line that names the field.

Sizes are checked first, numbers must be finite, and unknown fields are errors.
"""

from __future__ import annotations

import json
import math
import re
import types
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from kinesphere.errors import InvalidValueError
from kinesphere.studio.server import messages

LARGEST_TEXT = 1 << 20
"""Largest message, in characters."""
MOST_ITEMS = 20_000
LONGEST_STRING = 200_000
_DEEPEST = 12


@cache
def type_names(union: Any) -> dict[str, type[Any]]:
    """Values of the field ``type`` of a message: ``EditGesture`` is ``edit-gesture``."""
    return {type_name(kind): kind for kind in get_args(union)}


def type_name(kind: type[Any]) -> str:
    """Name of a message's type.

    >>> type_name(messages.EditGesture)
    'edit-gesture'
    """
    return re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower()


def request(text: str) -> messages.Request:
    """Read a message of the page.

    Raises
    ------
    InvalidValueError
        If it is not a known message, in one line.
    """
    if len(text) > LARGEST_TEXT:
        raise InvalidValueError(f"a message of {len(text)} characters, allowed are {LARGEST_TEXT}")
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise InvalidValueError("a message is nested too deeply") from None
    except ValueError as error:
        raise InvalidValueError(f"a message is not JSON: {str(error)[:80]}") from None
    if not isinstance(value, dict):
        raise InvalidValueError("a message is not a JSON object")
    known = type_names(messages.Request)
    name = value.pop("type", None)
    if not isinstance(name, str) or name not in known:
        raise InvalidValueError(f"message type {str(name)[:40]!r}, allowed are {', '.join(known)}")
    out: messages.Request = read(known[name], value, name)
    return out


def _no_constant(name: str) -> float:
    raise InvalidValueError(f"a message contains {name}, which is not a number")


def text_of(message: Any) -> str:
    """Write a message."""
    document = {"type": type_name(type(message)), **plain(message)}
    return json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def plain(value: Any) -> Any:
    """Dataclasses as dicts, tuples as lists."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


def read(kind: Any, value: Any, where: str = "document", deep: int = 0) -> Any:
    """Build a value of a type from plain JSON.

    Raises
    ------
    InvalidValueError
        Where something is missing, unknown, of another type, too long or too deep.
    """
    if deep > _DEEPEST:
        raise InvalidValueError(f"{where} is nested too deeply")
    origin = get_origin(kind)
    if is_dataclass(kind):
        return _dataclass(kind, value, where, deep)  # type: ignore[arg-type]
    if origin in (Union, types.UnionType):
        if value is None and type(None) in get_args(kind):
            return None
        return read(next(k for k in get_args(kind) if k is not type(None)), value, where, deep)
    if origin is Literal:
        if value not in get_args(kind) or not isinstance(value, str):
            allowed = ", ".join(map(str, get_args(kind)))
            raise InvalidValueError(f"{where} is {_quote(value)}, allowed are {allowed}")
        return value
    if origin is tuple:
        return _tuple(kind, value, where, deep)
    if origin is dict:
        return _dict(kind, value, where, deep)
    return _SIMPLE[kind](value, where)


def _dataclass(kind: type[Any], value: Any, where: str, deep: int) -> Any:
    if not isinstance(value, dict):
        raise InvalidValueError(f"{where} is {_quote(value)}, expected an object")
    hints: dict[str, Any] = _hints(kind)  # type: ignore[arg-type]
    unknown = [k for k in value if k not in hints]
    if unknown:
        raise InvalidValueError(
            f"{where} has {_quote(unknown[0])}, allowed are {', '.join(hints) or 'no fields'}"
        )
    made = {}
    for f in fields(kind):
        if f.name in value:
            made[f.name] = read(hints[f.name], value[f.name], f"{where}.{f.name}", deep + 1)
        elif f.default is MISSING and f.default_factory is MISSING:
            raise InvalidValueError(f"{where} lacks {f.name}")
    return kind(**made)


@cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    return get_type_hints(kind)


def _tuple(kind: Any, value: Any, where: str, deep: int) -> Any:
    if not isinstance(value, list) or len(value) > MOST_ITEMS:
        raise InvalidValueError(f"{where} is {_quote(value)}, expected at most {MOST_ITEMS} items")
    inner = get_args(kind)
    if inner[-1] is not Ellipsis and len(inner) != len(value):
        raise InvalidValueError(f"{where} has {len(value)} items, expected {len(inner)}")
    kinds = [inner[0]] * len(value) if inner[-1] is Ellipsis else inner
    return tuple(
        read(k, v, f"{where}[{i}]", deep + 1)
        for i, (k, v) in enumerate(zip(kinds, value, strict=True))
    )


def _dict(kind: Any, value: Any, where: str, deep: int) -> Any:
    if not isinstance(value, dict) or len(value) > MOST_ITEMS:
        raise InvalidValueError(f"{where} is {_quote(value)}, expected an object")
    inner = get_args(kind)[1]
    out = {}
    for name, item in value.items():
        key = _string(name, f"a name in {where}")
        out[key] = read(inner, item, f"{where}.{_quote(key)}", deep + 1)
    return out


def _string(value: Any, where: str) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_STRING:
        raise InvalidValueError(f"{where} is {_quote(value)}, expected a text")
    if not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
        raise InvalidValueError(f"{where} is {_quote(value)}, which has an unpaired surrogate")
    return value


def _whole(value: Any, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > 1 << 53:
        raise InvalidValueError(f"{where} is {_quote(value)}, expected a whole number")
    return value


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidValueError(f"{where} is {_quote(value)}, expected a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InvalidValueError(f"{where} is {_quote(value)}, expected a finite number")
    return number


def _truth(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidValueError(f"{where} is {_quote(value)}, expected true or false")
    return value


_SIMPLE: dict[Any, Callable[[Any, str], Any]] = {
    str: _string,
    int: _whole,
    float: _number,
    bool: _truth,
}


def _quote(value: Any) -> str:
    if isinstance(value, (dict, list)):  # may be nested too deeply to display
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    text = repr(value[:41] if isinstance(value, str) else value)
    return text if len(text) <= 40 else f"{text[:40]}…"
