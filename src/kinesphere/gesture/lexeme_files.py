"""Lexemes in TOML files: the package's folder ``data/lexemes`` and a user's own files.

``docs/lexicon.md`` describes how to write an entry. A new file in the folder adds its lexemes.
"""

from __future__ import annotations

import difflib
import math
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from os import PathLike
from types import MappingProxyType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.formats.data_folder import toml_files
from kinesphere.formats.files import read_bytes
from kinesphere.gesture.lexeme import Lexeme, brief
from kinesphere.gesture.positions import HandPosition

FOLDER: Traversable = files("kinesphere.gesture") / "data" / "lexemes"
"""The built-in lexemes: ``base.toml``, then every other TOML file by name."""

LARGEST_LEXEMES = 4 << 20
"""Largest size of a file of lexemes, in bytes."""
_NAME = re.compile(r"[^\W\d_][\w-]{0,59}")
_SAID = {
    float: "a number",
    int: "a whole number",
    str: "a text",
    bool: "true or false",
    HandPosition: "a text height/distance/radial/inclination",
}
_LARGEST = 10**9
_MOST_BASES = 20
_MOST_NAMED = 8

T = TypeVar("T")


@cache
def built_in_lexemes() -> Mapping[str, Lexeme]:
    """Lexemes of the package's folder by name, in the order of the files."""
    return _lexemes(_entries(), {})


@cache
def _entries() -> Mapping[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    for source in toml_files(FOLDER):
        for name, entry in _parse(source.name, source.read_bytes()).items():
            if name in found:
                raise UnreadableError(source.name, f"{name} is in another file already")
            found[name] = entry
    return found


def read_lexemes(path: str | PathLike[str]) -> Mapping[str, Lexeme]:
    """Read a user's own lexemes, in the format of the package's; pass them to `extend_lexicon`.

    An entry with ``base = "Cup"`` is that lexeme with changes, whether under a new name or the
    same; the base may be in the same file. Without a base, a name must be new.

    Raises
    ------
    UnreadableError
        If the file is not TOML or an entry is wrong; one line that names the entry and its key.

    Examples
    --------
    >>> from pathlib import Path
    >>> import kinesphere as ks
    >>> own = Path("mine.toml")
    >>> length = own.write_text("Serve = {base = 'Cup', meaning = 'serves it on a plate'}")
    >>> ks.read_lexemes(own)["Serve"].meaning
    'serves it on a plate'
    """
    entries = _parse(path, read_bytes(path, LARGEST_LEXEMES))
    try:
        return _lexemes(entries, _entries())
    except InvalidValueError as error:
        raise UnreadableError(path, str(error)) from None


def _parse(path: str | PathLike[str], data: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        reason = f"is not UTF-8 text: byte {error.start} is {data[error.start]:#04x}"
        raise UnreadableError(path, reason) from None
    except (ValueError, RecursionError) as error:
        raise UnreadableError(path, f"is not TOML that can be read: {error}") from None


def near_names(name: str, among: Iterable[str]) -> str:
    """Names similar to an unknown one, else the first few, for error messages."""
    names = list(among)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    if near or len(names) <= _MOST_NAMED:
        return ", ".join(near or names)
    return f"{', '.join(names[:_MOST_NAMED])} and {len(names) - _MOST_NAMED} others"


def _lexemes(
    entries: Mapping[str, Any], known: Mapping[str, Mapping[str, Any]]
) -> Mapping[str, Lexeme]:
    """Lexemes of entries, whose bases are among the entries or the known lexemes."""
    for name, entry in entries.items():
        _check_name(name)
        if not isinstance(entry, Mapping):
            raise InvalidValueError(f"{name}: is {brief(entry)}, allowed is a table [{name}]")
        if name in known and "base" not in entry:
            raise InvalidValueError(
                f'{name}: base is missing, allowed is base = "{name}" to change what is there'
            )
    return MappingProxyType({n: _lexeme(n, _resolve_base(n, entries, known, ())) for n in entries})


def _resolve_base(
    name: str,
    entries: Mapping[str, Mapping[str, Any]],
    known: Mapping[str, Mapping[str, Any]],
    above: tuple[str, ...],
) -> Mapping[str, Any]:
    """Entry with the values of its bases filled in."""
    if name in known and (name not in entries or name in above):
        return known[name]
    entry = dict(entries[name])
    base = entry.pop("base", None)
    if base is None:
        return entry
    if not isinstance(base, str) or (base not in entries and base not in known):
        near = near_names(str(base), [*known, *entries])
        raise InvalidValueError(f"{name}: base is {brief(base)}, allowed are {near}")
    if base in above or (base == name and name not in known) or len(above) > _MOST_BASES:
        raise InvalidValueError(
            f"{name}: base is {base!r}, allowed is one that is not based on it itself, at most "
            f"{_MOST_BASES} deep"
        )
    return _merge(_resolve_base(base, entries, known, (*above, name)), entry)


def _merge(entry: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Entry with changes; tables within it are merged key by key, other values are replaced."""
    out = dict(entry)
    for key, value in changes.items():
        old = out.get(key)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        out[key] = _merge(dict(old or {}), value) if both else value
    return out


def _lexeme(name: str, entry: Mapping[str, Any]) -> Lexeme:
    plain = {key: value for key, value in entry.items() if key != "variants"}
    made, variants = _of_entry(name, plain, ("base", "variants")), {}
    for other, changes in _table(name, "variants", entry.get("variants", {})).items():
        _check_name(other, f"{name}: variant")
        merged = _merge(plain, _table(name, f"variants.{other}", changes))
        variants[other] = replace(_of_entry(f"{name} {other}", merged, ()), name=name)
    return replace(made, variants=variants)


def _of_entry(name: str, entry: Mapping[str, Any], also: tuple[str, ...]) -> Lexeme:
    """Lexeme of an entry without variants; the file's ``class`` is our `kind`."""
    own = (key for key in _hints(Lexeme) if key not in ("name", "kind", "variants"))
    _check_keys(name, "", entry, ("class", *own, *also))
    values = {("kind" if key == "class" else key): value for key, value in entry.items()}
    for key, shown in (("kind", "class"), ("meaning", "meaning")):
        if key not in values:
            raise InvalidValueError(f"{name}: {shown} is missing, allowed is a text")
    return Lexeme(name, **_values(Lexeme, name, "", values))


def _values(kind: type, name: str, path: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """Values of a dataclass, converted to its field types."""
    hints = _hints(kind)
    return {key: _value(hints[key], name, path + key, value) for key, value in table.items()}


def _value(hint: Any, name: str, path: str, value: Any) -> Any:
    """TOML value converted to a type."""
    if get_origin(hint) is tuple:
        return _tuple(get_args(hint), name, path, value)
    if get_origin(hint) is Mapping:
        table = _table(name, path, value)
        return {key: _value(float, name, f"{path}.{key}", v) for key, v in table.items()}
    if hint is HandPosition and isinstance(value, str):
        return _check_value(name, path, HandPosition.of_text, value)
    if isinstance(hint, type) and is_dataclass(hint) and hint is not HandPosition:
        return _parse_nested(hint, name, path, value)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value) if abs(value) < _LARGEST else math.inf
    if type(value) is not hint or (hint is float and not math.isfinite(value)):
        raise InvalidValueError(f"{name}: {path} is {brief(value)}, allowed is {_SAID[hint]}")
    return value


def _tuple(hints: tuple[Any, ...], name: str, path: str, value: Any) -> tuple[Any, ...]:
    any_length = hints[-1] is Ellipsis
    if not isinstance(value, list) or (not any_length and len(value) != len(hints)):
        size = "a list" if any_length else f"a list of {len(hints)}"
        raise InvalidValueError(f"{name}: {path} is {brief(value)}, allowed is {size}")
    return tuple(_value(hints[0], name, f"{path}[{i}]", v) for i, v in enumerate(value))


def _parse_nested(kind: type, name: str, path: str, value: Any) -> Any:
    table = _table(name, path, value)
    _check_keys(name, f"{path}.", table, _hints(kind))
    for part in fields(kind):
        if part.default is MISSING and part.name not in table:
            raise InvalidValueError(f"{name}: {path}.{part.name} is missing, allowed is a number")
    values = _values(kind, name, f"{path}.", table)
    return _check_value(name, path, lambda made: kind(**made), values)


def _check_value(name: str, path: str, make: Callable[[T], Any], value: T) -> Any:
    try:
        return make(value)
    except InvalidValueError as error:
        raise InvalidValueError(f"{name}: {path}: {error}") from None


def _table(name: str, path: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidValueError(f"{name}: {path} is {brief(value)}, allowed is a table")
    return value


def _check_keys(name: str, path: str, table: Mapping[str, Any], allowed: Iterable[str]) -> None:
    names = tuple(allowed)
    for key in table:
        if key not in names:
            raise InvalidValueError(
                f"{name}: {path}{brief(key)[1:-1]} is unknown, allowed are {', '.join(names)}"
            )


def _check_name(name: str, what: str = "lexeme") -> None:
    if not _NAME.fullmatch(name):
        raise InvalidValueError(
            f"{what} {brief(name)}: allowed are letters, digits, - and _, a letter first, at most "
            "60"
        )


@cache
def _hints(kind: type) -> dict[str, Any]:
    """Types of a dataclass's fields."""
    return get_type_hints(kind)
