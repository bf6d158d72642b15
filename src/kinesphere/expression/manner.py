"""Manner words as Effort and Shape: ``"slightly hesitant, very tired"``.

The words are in ``data/manner.toml``, in families with their reasons and sources; a user's own
table adds to it. Only words of the table are accepted, with the English adverbs that a
spelling rule makes of them; nothing is inferred.

A degree word multiplies the values of the word after it, clamped to [-1, 1]. Several words
combine factor by factor: values of one sign add up as ``a + b - a b``, which approaches 1 and never
exceeds it, and the two signs are subtracted. So one word keeps exactly its own values, the order
does not matter, and opposites cancel.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache, lru_cache
from importlib.resources import files
from os import PathLike, fspath
from types import MappingProxyType
from typing import Any

from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.expression.qualities import Effort, Shape
from kinesphere.formats.files import read_bytes

LONGEST_TEXT = 1000  # characters; a manner is a phrase, not a page
LARGEST_TABLE = 4 << 20
MOST_SUGGESTIONS = 5
_LONGEST_SHOWN = 40
_LARGEST_DEGREE = 2.0

# The two poles of each factor, -1 and +1.
POLES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "space": ("Indirect", "Direct"),
        "weight": ("Light", "Strong"),
        "time": ("Sustained", "Sudden"),
        "flow": ("Free", "Bound"),
        "horizontal": ("Spreading", "Enclosing"),
        "vertical": ("Rising", "Sinking"),
        "sagittal": ("Advancing", "Retreating"),
        "reach": ("near", "far"),
    }
)
_EFFORT = tuple(part.name for part in fields(Effort))
_SHAPE = tuple(part.name for part in fields(Shape))
_GROUPS = {"effort": _EFFORT, "shape": _SHAPE, "torso": _SHAPE[:3]}  # Reach Space: arms only
_TEXTS = ("kind", "why", "source", "opposite")
_KINDS = ("manner", "mood", "emotion", "personality", "action")

_Values = dict[tuple[str, str], float]


@dataclass(frozen=True)
class Manner:
    """Effort and Shape of a manner.

    Parameters
    ----------
    effort : of the arms.
    shape : of the arms.
    torso : Shape of the torso; its reach is 0.
    words : the manners as written, each with its degree.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.manner("proudly").torso.vertical < 0.0  # Rising
    True
    """

    effort: Effort = field(default_factory=Effort)
    shape: Shape = field(default_factory=Shape)
    torso: Shape = field(default_factory=Shape)
    words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.torso.reach:
            raise InvalidValueError(f"reach of the torso is {self.torso.reach}, allowed is 0")


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


def manner(
    text: str, language: str | None = None, *, tables: Sequence[str | PathLike[str]] = ()
) -> Manner:
    """Parse a manner such as ``"carefully"`` or ``"ein wenig traurig und sehr müde"``.

    Parameters
    ----------
    text : manners between commas, semicolons or words like "and" and "but", each with any number
        of degree words before it.
    language : ``"en"``, ``"de"`` or one that a table adds; None for all.
    tables : TOML files in the format of ``data/manner.toml``; later ones override.

    Raises
    ------
    InvalidValueError
        If the text is empty, negates, or has a word that no table has; names similar ones.
    UnreadableError
        If a table is invalid.

    Examples
    --------
    >>> manner("punching").effort
    Effort(space=1.0, weight=1.0, time=1.0, flow=0.0)
    >>> manner("very careful, slightly proud").words
    ('very careful', 'slightly proud')
    """
    lexicon = _lexicon(tables)
    codes = lexicon.chosen(language)
    if len(text) > LONGEST_TEXT:
        raise InvalidValueError(f"a manner of {len(text)} letters, allowed are {LONGEST_TEXT}")
    items = _items(unicodedata.normalize("NFC", text), lexicon, codes)
    if not items:
        raise InvalidValueError("no manner given; write one such as 'carefully' or 'very proud'")
    values = [_item_values(item, lexicon, codes) for item in items]
    return Manner(*_qualities(_combined(values)), tuple(items))


def known_words(
    language: str | None = None, *, forms: bool = False, tables: Sequence[str | PathLike[str]] = ()
) -> tuple[str, ...]:
    """Words of one language or of all, sorted; with `forms` also the adverbs made by rule."""
    lexicon = _lexicon(tables)
    found = (word for code in lexicon.chosen(language) for word in lexicon.words[code].values())
    return tuple(sorted({word.text for word in found if forms or word.listed}))


def families(tables: Sequence[str | PathLike[str]] = ()) -> tuple[Family, ...]:
    """All families, in the order of the table."""
    return _lexicon(tables).families


def languages(tables: Sequence[str | PathLike[str]] = ()) -> tuple[str, ...]:
    """Languages that have words."""
    return _lexicon(tables).chosen(None)


def table_markdown() -> str:
    """The built-in families as a Markdown table, for the docs."""
    rows = ["| family | arms | torso | why | source |", "|---|---|---|---|---|"]
    for family in families():
        arms = _in_words(family.effort, family.shape) or "-"
        torso = _in_words(family.torso) or "-"
        cells = (f"**{family.name}**", arms, torso, family.why, family.source or "-")
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def words_markdown(language: str) -> str:
    """The built-in words of one language by family, as a Markdown list."""
    rows = ((family.name, family.words.get(language, ())) for family in families())
    return "\n".join(f"- {name}: {', '.join(words)}" for name, words in rows if words)


def _in_words(*qualities: Effort | Shape) -> str:
    found = [
        f"{POLES[part.name][value > 0.0]} {abs(value):g}"
        for quality in qualities
        for part in fields(quality)
        if (value := float(getattr(quality, part.name)))
    ]
    return ", ".join(found)


# ------------------------------------------------------------------------------------- reading text


def _fold(text: str) -> str:
    """Form by which words are compared: case, umlauts, hyphens and spaces do not matter."""
    folded = unicodedata.normalize("NFC", text).casefold()
    for umlaut, letters in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("-", " "), ("\u2019", "'")):
        folded = folded.replace(umlaut, letters)
    return " ".join(folded.split())


def _items(text: str, lexicon: _Lexicon, codes: Iterable[str]) -> list[str]:
    joining = {word for code in codes for word in lexicon.joining.get(code, ())}
    items: list[list[str]] = [[]]
    for piece in re.findall(r"[,;&+/]|[^\s,;&+/]+", text):
        bare = piece.strip('.!?"“”„()') if len(piece) > 1 else piece
        if bare in {",", ";", "&", "+", "/"} or _fold(bare) in joining:
            items.append([])
        elif bare:
            items[-1].append(bare)
    return [" ".join(words) for words in items if words]


def _item_values(item: str, lexicon: _Lexicon, codes: tuple[str, ...]) -> _Values:
    word, degree = _found(item.split(), lexicon, codes)
    return {factor: _held(value * degree) for factor, value in word.values.items()}


def _found(words: list[str], lexicon: _Lexicon, codes: tuple[str, ...]) -> tuple[_Word, float]:
    """Word of the table and the product of the degrees before it."""
    item, degree = " ".join(words), 1.0
    while words:
        # "leicht" is a manner as well as a degree: the whole is tried first.
        word = lexicon.find(" ".join(words), codes)
        if word is not None:
            return word, degree
        taken, factor = lexicon.degree_before(words, codes)
        if not taken:
            break
        words, degree = words[taken:], degree * factor
    if not words:
        raise InvalidValueError(f"{_shown(item)} is a degree without a manner: add a manner word")
    negations = {word for code in codes for word in lexicon.negations.get(code, ())}
    for place, word_text in enumerate(words):
        if _fold(word_text) in negations:
            raise _negated(item, words[place + 1 :], lexicon, codes)
    raise _unknown(words, lexicon, codes)


def _negated(
    item: str, rest: list[str], lexicon: _Lexicon, codes: tuple[str, ...]
) -> InvalidValueError:
    message = f"{_shown(item)}: negation is not supported; write the opposite instead"
    try:
        word, _ = _found(rest, lexicon, codes)
    except InvalidValueError:
        return InvalidValueError(message)
    by_name = {family.name: family for family in lexicon.families}
    other = by_name.get(by_name[word.family].opposite)
    words = other.words.get(word.language, ()) if other else ()
    return InvalidValueError(f"{message}, such as {words[0]!r}" if words else message)


def _unknown(words: list[str], lexicon: _Lexicon, codes: tuple[str, ...]) -> InvalidValueError:
    found = _shown(" ".join(words))
    if len(words) > 1 and all(lexicon.find(word, codes) for word in words):
        return InvalidValueError(f"{found}: put a comma between manners")
    near = ", ".join(_nearest(words, lexicon, codes))
    return InvalidValueError(f"{found} is not a known manner word; near it: {near}")


def _shown(text: str) -> str:
    return repr(_cut(text))


def _brief(value: object) -> str:
    return _cut(repr(value))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"


def _nearest(words: list[str], lexicon: _Lexicon, codes: tuple[str, ...]) -> list[str]:
    """Known words by edit distance: those one edit away, else the nearest few; at least one."""
    ranked = _ranked([" ".join(words)], lexicon, codes)
    if ranked[0][0] > 2:  # no such phrase: search within the words
        ranked = _ranked([word for word in words if len(word) > 3][:8] or words[:1], lexicon, codes)
    best = ranked[0][0]
    close = [text for edits, text in ranked if edits <= (max(best, 2) if best else 0)]
    one_away = sum(edits <= 1 for edits, _ in ranked)
    return close[: min(max(one_away, 3), MOST_SUGGESTIONS)]


def _ranked(texts: list[str], lexicon: _Lexicon, codes: tuple[str, ...]) -> list[tuple[int, str]]:
    probes = {text[:_LONGEST_SHOWN] for text in texts}
    probes |= {_fold(probe) for probe in probes}
    return sorted(
        {
            (min(_edits(probe, form) for probe in probes for form in {key, word.text}), word.text)
            for code in codes
            for key, word in lexicon.words[code].items()
        }
    )


def _edits(one: str, other: str) -> int:
    """Letters to insert, delete, replace, or swap with the next (optimal string alignment)."""
    if abs(len(one) - len(other)) > 3:  # too far to be useful; cheap and still ordered
        return max(len(one), len(other))
    before: list[int] = []
    above = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            best = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                best = min(best, before[j - 2] + 1)
            row.append(best)
        before, above = above, row
    return above[-1]


# ---------------------------------------------------------------------------------------- combining


def _held(value: float) -> float:
    """Value within [-1, 1], without rounding noise of a product (1.4 x 0.1 is 0.14)."""
    return min(max(round(value, 9), -1.0), 1.0)


def _combined(values: Sequence[_Values]) -> _Values:
    """One value per factor: same signs by ``a + b - a b``, then plus minus minus."""
    result: _Values = {}
    for factor in {factor for each in values for factor in each}:
        given = [each.get(factor, 0.0) for each in values]
        fighting = _summed(value for value in given if value > 0.0)
        indulging = _summed(-value for value in given if value < 0.0)
        result[factor] = _held(fighting - indulging)
    return result


def _summed(values: Iterable[float]) -> float:
    total = 0.0
    for value in sorted(values):  # sorted, so that the order of words does not change a bit
        total = total + value - total * value
    return total


def _qualities(values: _Values) -> tuple[Effort, Shape, Shape]:
    parts = {
        group: {name: values.get((group, name), 0.0) for name in names}
        for group, names in _GROUPS.items()
    }
    return Effort.of(parts["effort"]), Shape.of(parts["shape"]), Shape.of(parts["torso"])


# ------------------------------------------------------------------------------------ the lexicon


@dataclass(frozen=True)
class _Word:
    text: str
    language: str
    family: str
    values: _Values
    listed: bool  # in a table; else an adverb made by rule


@dataclass(frozen=True)
class _Lexicon:
    """Content of all tables; words, degrees and the rest are keyed by folded form."""

    families: tuple[Family, ...]
    words: dict[str, dict[str, _Word]]
    degrees: dict[str, dict[str, float]]
    joining: dict[str, frozenset[str]]
    negations: dict[str, frozenset[str]]

    def chosen(self, language: str | None) -> tuple[str, ...]:
        if language is None:
            return tuple(self.words)
        if language not in self.words:
            known = ", ".join(self.words)
            raise InvalidValueError(f"no manners in language {language!r}; there are {known}")
        return (language,)

    def find(self, text: str, codes: Iterable[str]) -> _Word | None:
        key = _fold(text)
        return next((self.words[code][key] for code in codes if key in self.words[code]), None)

    def degree_before(self, words: list[str], codes: Iterable[str]) -> tuple[int, float]:
        """Number of words of the longest degree at the start, and its factor."""
        for taken in range(min(len(words), 3), 0, -1):
            key = _fold(" ".join(words[:taken]))
            for code in codes:
                if key in self.degrees.get(code, {}):
                    return taken, self.degrees[code][key]
        return 0, 1.0


def _lexicon(tables: Sequence[str | PathLike[str]]) -> _Lexicon:
    if isinstance(tables, (str, PathLike)):
        raise InvalidValueError(f"tables is {fspath(tables)!r}, expected a list of files")
    # By content, so that an edited file takes effect at once.
    return _lexicon_of(tuple((fspath(path), read_bytes(path, LARGEST_TABLE)) for path in tables))


@cache
def _built_in() -> _Table:
    source = files("kinesphere.expression").joinpath("data", "manner.toml")
    return _table(str(source), source.read_bytes())


@lru_cache(maxsize=8)
def _lexicon_of(tables: tuple[tuple[str, bytes], ...]) -> _Lexicon:
    return _merged([_built_in(), *(_table(path, data) for path, data in tables)])


def _merged(tables: Sequence[_Table]) -> _Lexicon:
    about: dict[str, dict[str, str]] = {}
    values: dict[str, _Values] = {}
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
    words = _merged_words(tables, values)
    degrees: dict[str, dict[str, float]] = {}
    for table in tables:
        for code, found in table.degrees.items():
            degrees.setdefault(code, {}).update(found)
    return _Lexicon(
        tuple(_family(name, about[name], values[name], words) for name in about),
        words,
        degrees,
        _joined(table.joining for table in tables),
        _joined(table.negations for table in tables),
    )


def _joined(parts: Iterable[Mapping[str, Sequence[str]]]) -> dict[str, frozenset[str]]:
    result: dict[str, frozenset[str]] = {}
    for part in parts:
        for code, found in part.items():
            result[code] = result.get(code, frozenset()) | set(map(_fold, found))
    return result


def _merged_words(
    tables: Sequence[_Table], values: Mapping[str, _Values]
) -> dict[str, dict[str, _Word]]:
    listed: dict[str, dict[str, _Word]] = {}
    adverbs: dict[str, str] = {}
    for table in tables:
        adverbs.update(table.adverbs)
        for name, part in table.families.items():
            for code, entries in part.words.items():
                known = listed.setdefault(code, {})
                for entry in entries:
                    own = {f: _held(v * entry.degree) for f, v in values[name].items()}
                    word = _Word(entry.text, code, name, {**own, **entry.values}, True)
                    known[_fold(entry.text)] = word
    for word in list(listed.get("en", {}).values()):
        adverb = adverbs.get(_fold(word.text), _adverb(word.text))
        if adverb:
            made = _Word(adverb, word.language, word.family, word.values, False)
            listed["en"].setdefault(_fold(adverb), made)  # a listed word is never replaced
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
    name: str, about: Mapping[str, str], values: _Values, words: Mapping[str, Mapping[str, _Word]]
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
        *_qualities(values),
        MappingProxyType({code: found for code, found in own.items() if found}),
    )


# ------------------------------------------------------------------------------- reading a table


@dataclass(frozen=True)
class _Entry:
    text: str
    degree: float = 1.0
    values: _Values = field(default_factory=dict)


@dataclass(frozen=True)
class _Part:
    """Content of one table for one family; values are None where it gives no group."""

    texts: dict[str, str]
    values: _Values | None
    words: dict[str, list[_Entry]]


@dataclass(frozen=True)
class _Table:
    path: str
    families: dict[str, _Part]
    degrees: dict[str, dict[str, float]]
    joining: dict[str, list[str]]
    negations: dict[str, list[str]]
    adverbs: dict[str, str]


def _table(path: str, data: bytes) -> _Table:
    try:
        return _parsed_table(path, tomllib.loads(data.decode("utf-8-sig")))
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


def _parsed_table(path: str, document: dict[str, Any]) -> _Table:
    _only(document, ("families", "degrees", "joining", "negations", "adverbs"), None)
    parts = {
        name: _part(_mapping(found, f"families.{name}"), f"families.{name}")
        for name, found in _mapping(document.get("families", {}), "families").items()
    }
    _no_word_twice(parts)
    degrees = {
        code: {
            _fold(word): _number(value, 0.0, _LARGEST_DEGREE, f"degrees.{code}.{word}")
            for word, value in _mapping(found, f"degrees.{code}").items()
        }
        for code, found in _languages(document, "degrees")
    }
    joining, negations = (
        {code: _strings(found, f"{key}.{code}") for code, found in _languages(document, key)}
        for key in ("joining", "negations")
    )
    return _Table(path, parts, degrees, joining, negations, _adverbs(document))


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
        _fold(word): _string(form, f"adverbs.en.irregular.{word}")
        for word, form in irregular.items()
    }
    return forms | {_fold(word): "" for word in _strings(rules.get("none", []), "adverbs.en.none")}


def _part(found: dict[str, Any], place: str) -> _Part:
    words = {key: value for key, value in found.items() if _is_language(key)}
    _only(
        {key: value for key, value in found.items() if key not in words},
        (*_TEXTS, *_GROUPS, "a language such as en"),
        place,
    )
    texts = {key: _string(found[key], f"{place}.{key}") for key in _TEXTS if key in found}
    if texts.get("kind", "manner") not in _KINDS:
        reason = f"{texts['kind']!r} is unknown; allowed are {', '.join(_KINDS)}"
        raise UnreadableError(None, reason, f"{place}.kind")
    grouped = any(group in found for group in _GROUPS)
    entries = {
        code: [
            _entry(item, f"{place}.{code}[{index}]")
            for index, item in enumerate(_list(items, f"{place}.{code}"))
        ]
        for code, items in words.items()
    }
    return _Part(texts, _values(found, place) if grouped else None, entries)


def _entry(item: object, place: str) -> _Entry:
    if isinstance(item, str):
        return _Entry(_word(item, place))
    found = _mapping(item, place, "a word or a table with one")
    _only(found, ("word", "degree", *_GROUPS), place)
    if "word" not in found:
        raise UnreadableError(None, "has no word", place)
    degree = _number(found.get("degree", 1.0), 0.0, _LARGEST_DEGREE, f"{place}.degree")
    return _Entry(_word(found["word"], f"{place}.word"), degree, _values(found, place))


def _word(item: object, place: str) -> str:
    text = unicodedata.normalize("NFC", " ".join(_string(item, place).split()))
    if not text or re.search(r"[,;&+/.!?\"()]", text):
        raise UnreadableError(None, f"{text!r} is not a word", place)
    return text


def _values(found: Mapping[str, Any], place: str) -> _Values:
    values: _Values = {}
    for group, names in _GROUPS.items():
        where = f"{place}.{group}"
        given = _mapping(found.get(group, {}), where)
        _only(given, names, where)
        for name, value in given.items():
            values[group, name] = _number(value, -1.0, 1.0, f"{where}.{name}")
    return values


def _no_word_twice(parts: Mapping[str, _Part]) -> None:
    first: dict[tuple[str, str], str] = {}
    for name, part in parts.items():
        for code, entry in ((code, entry) for code, found in part.words.items() for entry in found):
            key = (code, _fold(entry.text))
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
