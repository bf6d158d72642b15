"""Tables of manner words in TOML: families with values and words, degrees, conjunctions.

The schema is at the top of ``data/manner/base.toml``.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from kinesphere.errors import UnreadableError
from kinesphere.expression.qualities import Effort, Shape

LONGEST_SHOWN = 40
_LARGEST_DEGREE = 2.0
_EFFORT = tuple(part.name for part in fields(Effort))
_SHAPE = tuple(part.name for part in fields(Shape))
GROUPS = {"effort": _EFFORT, "shape": _SHAPE, "torso": _SHAPE[:3]}  # Reach Space: arms only
_TEXTS = ("kind", "why", "source", "opposite")
KINDS = ("manner", "mood", "emotion", "personality", "action")

Values = dict[tuple[str, str], float]
"""Value of each factor, by group and name."""


def fold(text: str) -> str:
    """Form by which words are compared: case, umlauts, hyphens and spaces do not matter."""
    folded = unicodedata.normalize("NFC", text).casefold()
    for umlaut, letters in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("-", " "), ("\u2019", "'")):
        folded = folded.replace(umlaut, letters)
    return " ".join(folded.split())


@dataclass(frozen=True)
class WordEntry:
    """A word of a family, with the values in which it differs."""

    text: str
    degree: float = 1.0
    values: Values = field(default_factory=dict)


@dataclass(frozen=True)
class FamilyEntry:
    """Content of one table for one family; values are None where it gives no group."""

    texts: dict[str, str]
    values: Values | None
    words: dict[str, list[WordEntry]]


@dataclass(frozen=True)
class MannerTable:
    """Content of one file."""

    path: str
    families: dict[str, FamilyEntry]
    degrees: dict[str, dict[str, float]]
    joining: dict[str, list[str]]
    negations: dict[str, list[str]]
    adverbs: dict[str, str]


def read_table(path: str, data: bytes) -> MannerTable:
    """Read a table; `path` is for messages.

    Raises
    ------
    UnreadableError
        If it is not such a table; says where.
    """
    try:
        return _parse_table(path, tomllib.loads(data.decode("utf-8-sig")))
    except UnreadableError as error:
        raise error.at(path) from None
    except UnicodeDecodeError:
        raise UnreadableError(path, "is not UTF-8 text") from None
    except RecursionError:
        raise UnreadableError(path, "is nested too deeply") from None
    except tomllib.TOMLDecodeError as error:
        reason, _, place = str(error).partition(" (at ")
        where = place.rstrip(")") or None
        raise UnreadableError(
            path, f"is not TOML: {reason[:1].lower()}{reason[1:]}", where
        ) from None


def _parse_table(path: str, document: dict[str, Any]) -> MannerTable:
    _only(document, ("families", "degrees", "joining", "negations", "adverbs"), None)
    parts = {
        name: _part(_mapping(found, f"families.{name}"), f"families.{name}")
        for name, found in _mapping(document.get("families", {}), "families").items()
    }
    _no_word_twice(parts)
    degrees = {
        code: {
            fold(word): _number(value, 0.0, _LARGEST_DEGREE, f"degrees.{code}.{word}")
            for word, value in _mapping(found, f"degrees.{code}").items()
        }
        for code, found in _languages(document, "degrees")
    }
    joining, negations = (
        {code: _strings(found, f"{key}.{code}") for code, found in _languages(document, key)}
        for key in ("joining", "negations")
    )
    return MannerTable(path, parts, degrees, joining, negations, _adverbs(document))


def _languages(document: dict[str, Any], key: str) -> Iterator[tuple[str, Any]]:
    for code, found in _mapping(document.get(key, {}), key).items():
        if not _is_language(code):
            raise UnreadableError(None, f"{code!r} is not a language such as en or de", key)
        yield code, found


def _is_language(key: str) -> bool:
    return re.fullmatch("[a-z]{2}", key) is not None


def _adverbs(document: dict[str, Any]) -> dict[str, str]:
    given = _mapping(document.get("adverbs", {}), "adverbs")
    _only(given, ("en",), "adverbs")
    rules = _mapping(given.get("en", {}), "adverbs.en")
    _only(rules, ("irregular", "none"), "adverbs.en")
    irregular = _mapping(rules.get("irregular", {}), "adverbs.en.irregular")
    forms = {
        fold(word): _string(form, f"adverbs.en.irregular.{word}")
        for word, form in irregular.items()
    }
    return forms | {fold(word): "" for word in _strings(rules.get("none", []), "adverbs.en.none")}


def _part(found: dict[str, Any], place: str) -> FamilyEntry:
    words = {key: value for key, value in found.items() if _is_language(key)}
    _only(
        {key: value for key, value in found.items() if key not in words},
        (*_TEXTS, *GROUPS, "a language such as en"),
        place,
    )
    texts = {key: _string(found[key], f"{place}.{key}") for key in _TEXTS if key in found}
    if texts.get("kind", "manner") not in KINDS:
        reason = f"{texts['kind']!r} is unknown; allowed are {', '.join(KINDS)}"
        raise UnreadableError(None, reason, f"{place}.kind")
    grouped = any(group in found for group in GROUPS)
    entries = {
        code: [
            _entry(item, f"{place}.{code}[{index}]")
            for index, item in enumerate(_list(items, f"{place}.{code}"))
        ]
        for code, items in words.items()
    }
    return FamilyEntry(texts, _values(found, place) if grouped else None, entries)


def _entry(item: object, place: str) -> WordEntry:
    if isinstance(item, str):
        return WordEntry(_word(item, place))
    found = _mapping(item, place, "a word or a table with one")
    _only(found, ("word", "degree", *GROUPS), place)
    if "word" not in found:
        raise UnreadableError(None, "has no word", place)
    degree = _number(found.get("degree", 1.0), 0.0, _LARGEST_DEGREE, f"{place}.degree")
    return WordEntry(_word(found["word"], f"{place}.word"), degree, _values(found, place))


def _word(item: object, place: str) -> str:
    text = unicodedata.normalize("NFC", " ".join(_string(item, place).split()))
    if not text or re.search(r"[,;&+/.!?\"()]", text):
        raise UnreadableError(None, f"{text!r} is not a word", place)
    return text


def _values(found: Mapping[str, Any], place: str) -> Values:
    values: Values = {}
    for group, names in GROUPS.items():
        where = f"{place}.{group}"
        given = _mapping(found.get(group, {}), where)
        _only(given, names, where)
        for name, value in given.items():
            values[group, name] = _number(value, -1.0, 1.0, f"{where}.{name}")
    return values


def _no_word_twice(parts: Mapping[str, FamilyEntry]) -> None:
    first: dict[tuple[str, str], str] = {}
    for name, part in parts.items():
        for code, entry in ((code, entry) for code, found in part.words.items() for entry in found):
            key = (code, fold(entry.text))
            if key in first:
                reason = f"{entry.text!r} is listed twice, first in {first[key]}"
                raise UnreadableError(None, reason, f"families.{name}.{code}")
            first[key] = name


def _only(found: Mapping[str, Any], allowed: Sequence[str], place: str | None) -> None:
    for key in found:
        if key not in allowed:
            raise UnreadableError(
                None, f"{key!r} is unknown; allowed are {', '.join(allowed)}", place
            )


def _mapping(value: object, place: str, expected: str = "a table") -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UnreadableError(None, f"is {_brief(value)}, expected {expected}", place)
    for key in value:
        if not key.isprintable():
            raise UnreadableError(None, f"{_brief(key)} is not a name", place)
    return value


def _list(value: object, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise UnreadableError(None, f"is {_brief(value)}, expected a list", place)
    return value


def _strings(value: object, place: str) -> list[str]:
    return [_string(item, f"{place}[{i}]") for i, item in enumerate(_list(value, place))]


def _string(value: object, place: str) -> str:
    if not isinstance(value, str):
        raise UnreadableError(None, f"is {_brief(value)}, expected text", place)
    return value


def _number(value: object, low: float, high: float, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise UnreadableError(None, f"is {_brief(value)}, allowed is {low:g} to {high:g}", place)
    return float(value)


def _brief(value: object) -> str:
    return shorten(repr(value))


def shorten(text: str) -> str:
    """Text, cut if it is long, for messages."""
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"
