"""Semantic tags of words, which trigger gestures.

The tags are in ``data/tags.toml`` with the words and phrases of each language, and with the
lexeme probabilities of an average speaker.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from kinesphere.errors import InvalidValueError

FOCUS = "FOCUS"
_KEYS = frozenset(
    (
        *("group", "meaning", "picturable", "en", "de", "lexemes"),
        *("focus", "focus_words", "not", "pos", "capitalised"),
    )
)


@dataclass(frozen=True)
class SemanticTag:
    """A tag.

    Parameters
    ----------
    name, group, meaning : for readers.
    words : phrases by language: words or lemmas separated by blanks, ``...`` for up to four words.
    picturable : how far its meaning can be shown by a gesture, from 0 to 1.
    lexemes : probability of each lexeme in gestured occurrences, for an average speaker.
    focus : only a word in focus gets the tag.
    focus_words : words of the tag that need the focus.
    barred : phrases in which the tag's words mean something else.
    pos : part of speech that a word must have.
    capitalised : words that must be written with a capital inside a sentence.
    priority : position in the file; of two tags with phrases of equal length the first wins.
    """

    name: str
    group: str
    meaning: str
    words: Mapping[str, tuple[str, ...]]
    lexemes: Mapping[str, float]
    picturable: float = 0.0
    focus: bool = False
    focus_words: frozenset[str] = frozenset()
    barred: tuple[str, ...] = ()
    pos: Mapping[str, str] = field(default_factory=dict)
    capitalised: frozenset[str] = frozenset()
    priority: int = 0


@cache
def semantic_tags() -> Mapping[str, SemanticTag]:
    """All tags by name, the most specific first."""
    text = files("kinesphere.language").joinpath("data/tags.toml").read_text(encoding="utf-8")
    entries = tomllib.loads(text)
    made = {name: _tag(name, entry, i) for i, (name, entry) in enumerate(entries.items())}
    return MappingProxyType(made)


def _tag(name: str, entry: Mapping[str, Any], priority: int) -> SemanticTag:
    unknown = sorted(set(entry) - _KEYS)
    if unknown:
        raise InvalidValueError(
            f"{name} has {unknown[0]!r}, allowed are {', '.join(sorted(_KEYS))}"
        )
    return SemanticTag(
        name=name,
        group=str(entry["group"]),
        meaning=str(entry["meaning"]),
        words={"en": tuple(entry.get("en", ())), "de": tuple(entry.get("de", ()))},
        lexemes=dict(entry["lexemes"]),
        picturable=float(entry.get("picturable", 0.0)),
        focus=bool(entry.get("focus", False)),
        focus_words=frozenset(w.casefold() for w in entry.get("focus_words", ())),
        barred=tuple(entry.get("not", ())),
        pos={w.casefold(): p for w, p in entry.get("pos", {}).items()},
        capitalised=frozenset(entry.get("capitalised", ())),
        priority=priority,
    )


@cache
def wider_tags(language: str) -> Mapping[tuple[str, str], str]:
    """Tags of lemmas that no list has, by lemma and part of speech.

    ``tools/wider_tags.py`` makes the table of English words; for German there is none.
    """
    source = files("kinesphere.language").joinpath("data/wider_tags.toml")
    tables = tomllib.loads(source.read_text(encoding="utf-8")).get(language, {})
    return {
        (word, pos): tag
        for tag, by_class in tables.items()
        for pos, words in by_class.items()
        for word in words.split()
    }


def check_tag(name: str) -> str:
    """Return the name of a known tag.

    Raises
    ------
    InvalidValueError
        If there is none; the message has similar names.
    """
    known = semantic_tags()
    if name in known:
        return name
    near = difflib.get_close_matches(name.upper(), list(known), n=3, cutoff=0.5)
    allowed = ", ".join(near) if near else "the tags of docs/text-tags-and-markup.md"
    raise InvalidValueError(f"tag {name!r} is not known; near are {allowed}")
