"""The known manner words: all tables merged, the package's first, later ones override."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from os import PathLike, fspath
from types import MappingProxyType

from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.expression.manner_tables import GROUPS, MannerTable, Values, fold, read_table
from kinesphere.expression.qualities import Effort, Shape
from kinesphere.formats.data_folder import toml_files
from kinesphere.formats.files import read_bytes

FOLDER: Traversable = files("kinesphere.expression") / "data" / "manner"
"""The built-in words: ``base.toml``, then every other TOML file by name."""
LARGEST_TABLE = 4 << 20


@dataclass(frozen=True)
class Family:
    """Words of one manner, and the reason for its values.

    Parameters
    ----------
    kind : manner, mood, emotion, personality or action (Laban's eight).
    why, source : the reason, and the publication of the direction; may be empty in a user's table.
    opposite : name of another family, or empty.
    effort, shape, torso : values of a word that does not deviate.
    words : language to its words, in the order of the table.
    """

    name: str
    kind: str
    why: str
    source: str
    opposite: str
    effort: Effort
    shape: Shape
    torso: Shape
    words: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class MannerWord:
    """A word with the values of its factors."""

    text: str
    language: str
    family: str
    values: Values
    listed: bool  # in a table; else an adverb made by rule


@dataclass(frozen=True)
class MannerLexicon:
    """Content of all tables; words, degrees and the rest are keyed by folded form."""

    families: tuple[Family, ...]
    words: dict[str, dict[str, MannerWord]]
    degrees: dict[str, dict[str, float]]
    joining: dict[str, frozenset[str]]
    negations: dict[str, frozenset[str]]

    def languages_of(self, language: str | None) -> tuple[str, ...]:
        """Codes of one language, or of all."""
        if language is None:
            return tuple(self.words)
        if language not in self.words:
            known = ", ".join(self.words)
            raise InvalidValueError(f"no manners in language {language!r}; there are {known}")
        return (language,)

    def find(self, text: str, codes: Iterable[str]) -> MannerWord | None:
        """Word of the first language that has it."""
        key = fold(text)
        return next((self.words[code][key] for code in codes if key in self.words[code]), None)

    def degree_before(self, words: list[str], codes: Iterable[str]) -> tuple[int, float]:
        """Number of words of the longest degree at the start, and its factor."""
        for taken in range(min(len(words), 3), 0, -1):
            key = fold(" ".join(words[:taken]))
            for code in codes:
                if key in self.degrees.get(code, {}):
                    return taken, self.degrees[code][key]
        return 0, 1.0


def manner_lexicon(tables: Sequence[str | PathLike[str]]) -> MannerLexicon:
    """The package's words, and those of a user's own tables."""
    if isinstance(tables, (str, PathLike)):
        raise InvalidValueError(f"tables is {fspath(tables)!r}, expected a list of files")
    # By content, so that an edited file takes effect at once.
    return _lexicon_of(tuple((fspath(path), read_bytes(path, LARGEST_TABLE)) for path in tables))


@cache
def _built_in_tables() -> tuple[MannerTable, ...]:
    return tuple(read_table(str(source), source.read_bytes()) for source in toml_files(FOLDER))


@lru_cache(maxsize=8)
def _lexicon_of(tables: tuple[tuple[str, bytes], ...]) -> MannerLexicon:
    return _merge([*_built_in_tables(), *(read_table(path, data) for path, data in tables)])


def _merge(tables: Sequence[MannerTable]) -> MannerLexicon:
    about: dict[str, dict[str, str]] = {}
    values: dict[str, Values] = {}
    for table in tables:
        for name, part in table.families.items():
            if name not in about and part.values is None:
                reason = "a new family needs effort, shape or torso"
                raise UnreadableError(table.path, reason, f"families.{name}")
            about.setdefault(name, {}).update(part.texts)
            values[name] = {**values.get(name, {}), **(part.values or {})}
    for table in tables:
        for name, part in table.families.items():
            opposite = part.texts.get("opposite")
            if opposite and opposite not in about:
                raise UnreadableError(
                    table.path, f"{opposite!r} is not a family", f"families.{name}.opposite"
                )
    words = _merge_words(tables, values)
    degrees: dict[str, dict[str, float]] = {}
    for table in tables:
        for code, found in table.degrees.items():
            degrees.setdefault(code, {}).update(found)
    return MannerLexicon(
        tuple(_family(name, about[name], values[name], words) for name in about),
        words,
        degrees,
        _join_words(table.joining for table in tables),
        _join_words(table.negations for table in tables),
    )


def _join_words(parts: Iterable[Mapping[str, Sequence[str]]]) -> dict[str, frozenset[str]]:
    result: dict[str, frozenset[str]] = {}
    for part in parts:
        for code, found in part.items():
            result[code] = result.get(code, frozenset()) | set(map(fold, found))
    return result


def _merge_words(
    tables: Sequence[MannerTable], values: Mapping[str, Values]
) -> dict[str, dict[str, MannerWord]]:
    listed: dict[str, dict[str, MannerWord]] = {}
    adverbs: dict[str, str] = {}
    for table in tables:
        adverbs.update(table.adverbs)
        for name, part in table.families.items():
            for code, entries in part.words.items():
                known = listed.setdefault(code, {})
                for entry in entries:
                    own = {f: clamp(v * entry.degree) for f, v in values[name].items()}
                    word = MannerWord(entry.text, code, name, {**own, **entry.values}, True)
                    known[fold(entry.text)] = word
    for word in list(listed.get("en", {}).values()):
        adverb = adverbs.get(fold(word.text), _adverb(word.text))
        if adverb:
            made = MannerWord(adverb, word.language, word.family, word.values, False)
            listed["en"].setdefault(fold(adverb), made)  # a listed word is never replaced
    return listed


def _adverb(adjective: str) -> str:
    """English adverb by spelling rule; empty where there is none.

    >>> [_adverb(word) for word in ("careful", "happy", "gentle", "energetic", "full", "friendly")]
    ['carefully', 'happily', 'gently', 'energetically', 'fully', '']
    """
    if adjective.endswith("ly") or " " in adjective:
        return ""
    for pattern, ending in (
        (r"(?<=[^aeiou])y$", "ily"),
        (r"ic$", "ically"),
        (r"(?<=[^aeiou])le$", "ly"),
        (r"ll$", "lly"),
    ):
        if re.search(pattern, adjective):
            return re.sub(pattern, ending, adjective)
    return f"{adjective}ly"


def _family(
    name: str,
    about: Mapping[str, str],
    values: Values,
    words: Mapping[str, Mapping[str, MannerWord]],
) -> Family:
    own = {
        code: tuple(word.text for word in known.values() if word.listed and word.family == name)
        for code, known in words.items()
    }
    return Family(
        name,
        about.get("kind", "manner"),
        about.get("why", ""),
        about.get("source", ""),
        about.get("opposite", ""),
        *qualities_of(values),
        MappingProxyType({code: found for code, found in own.items() if found}),
    )


def clamp(value: float) -> float:
    """Value within [-1, 1], without rounding noise of a product (1.4 x 0.1 is 0.14)."""
    return min(max(round(value, 9), -1.0), 1.0)


def qualities_of(values: Values) -> tuple[Effort, Shape, Shape]:
    """Effort and Shape of the arms, and Shape of the torso."""
    parts = {
        group: {name: values.get((group, name), 0.0) for name in names}
        for group, names in GROUPS.items()
    }
    return Effort.of(parts["effort"]), Shape.of(parts["shape"]), Shape.of(parts["torso"])
