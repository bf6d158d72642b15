"""Manner words as Effort and Shape: ``"slightly hesitant, very tired"``.

The words are in the TOML files of ``data/manner``, in families with their reasons and sources; a
new file there adds to them, and so does a user's own table. Only words of the tables are accepted,
with the English adverbs that a spelling rule makes of them; nothing is inferred.

A degree word multiplies the values of the word after it, clamped to [-1, 1]. Several words
combine factor by factor: values of one sign add up as ``a + b - a b``, which approaches 1 and never
exceeds it, and the two signs are subtracted. So one word keeps exactly its own values, the order
does not matter, and opposites cancel.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from os import PathLike
from types import MappingProxyType

from kinesphere.errors import InvalidValueError
from kinesphere.expression.manner_lexicon import (
    Family,
    MannerLexicon,
    MannerWord,
    clamp,
    manner_lexicon,
    qualities_of,
)
from kinesphere.expression.manner_tables import LONGEST_SHOWN, Values, fold, shorten
from kinesphere.expression.qualities import Effort, Shape

LONGEST_TEXT = 1000  # characters; a manner is a phrase, not a page
MOST_SUGGESTIONS = 5

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


def manner(
    text: str, language: str | None = None, *, tables: Sequence[str | PathLike[str]] = ()
) -> Manner:
    """Parse a manner such as ``"carefully"`` or ``"ein wenig traurig und sehr müde"``.

    Parameters
    ----------
    text : manners between commas, semicolons or words like "and" and "but", each with any number
        of degree words before it.
    language : ``"en"``, ``"de"`` or one that a table adds; None for all.
    tables : TOML files in the format of ``data/manner/base.toml``; later ones override.

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
    lexicon = manner_lexicon(tables)
    codes = lexicon.languages_of(language)
    if len(text) > LONGEST_TEXT:
        raise InvalidValueError(f"a manner of {len(text)} letters, allowed are {LONGEST_TEXT}")
    items = _items(unicodedata.normalize("NFC", text), lexicon, codes)
    if not items:
        raise InvalidValueError("no manner given; write one such as 'carefully' or 'very proud'")
    values = [_item_values(item, lexicon, codes) for item in items]
    return Manner(*qualities_of(_combine(values)), tuple(items))


def families(tables: Sequence[str | PathLike[str]] = ()) -> tuple[Family, ...]:
    """All families, in the order of the table."""
    return manner_lexicon(tables).families


def languages(tables: Sequence[str | PathLike[str]] = ()) -> tuple[str, ...]:
    """Languages that have words."""
    return manner_lexicon(tables).languages_of(None)


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


def _items(text: str, lexicon: MannerLexicon, codes: Iterable[str]) -> list[str]:
    joining = {word for code in codes for word in lexicon.joining.get(code, ())}
    items: list[list[str]] = [[]]
    for piece in re.findall(r"[,;&+/]|[^\s,;&+/]+", text):
        bare = piece.strip('.!?"“”„()') if len(piece) > 1 else piece
        if bare in {",", ";", "&", "+", "/"} or fold(bare) in joining:
            items.append([])
        elif bare:
            items[-1].append(bare)
    return [" ".join(words) for words in items if words]


def _item_values(item: str, lexicon: MannerLexicon, codes: tuple[str, ...]) -> Values:
    word, degree = _find_word(item.split(), lexicon, codes)
    return {factor: clamp(value * degree) for factor, value in word.values.items()}


def _find_word(
    words: list[str], lexicon: MannerLexicon, codes: tuple[str, ...]
) -> tuple[MannerWord, float]:
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
        raise InvalidValueError(f"{_quote(item)} is a degree without a manner: add a manner word")
    negations = {word for code in codes for word in lexicon.negations.get(code, ())}
    for place, word_text in enumerate(words):
        if fold(word_text) in negations:
            raise _negation_error(item, words[place + 1 :], lexicon, codes)
    raise _unknown_error(words, lexicon, codes)


def _negation_error(
    item: str, rest: list[str], lexicon: MannerLexicon, codes: tuple[str, ...]
) -> InvalidValueError:
    message = f"{_quote(item)}: negation is not supported; write the opposite instead"
    try:
        word, _ = _find_word(rest, lexicon, codes)
    except InvalidValueError:
        return InvalidValueError(message)
    by_name = {family.name: family for family in lexicon.families}
    other = by_name.get(by_name[word.family].opposite)
    words = other.words.get(word.language, ()) if other else ()
    return InvalidValueError(f"{message}, such as {words[0]!r}" if words else message)


def _unknown_error(
    words: list[str], lexicon: MannerLexicon, codes: tuple[str, ...]
) -> InvalidValueError:
    found = _quote(" ".join(words))
    if len(words) > 1 and all(lexicon.find(word, codes) for word in words):
        return InvalidValueError(f"{found}: put a comma between manners")
    near = ", ".join(_nearest(words, lexicon, codes))
    return InvalidValueError(f"{found} is not a known manner word; near it: {near}")


def _quote(text: str) -> str:
    return repr(shorten(text))


def _nearest(words: list[str], lexicon: MannerLexicon, codes: tuple[str, ...]) -> list[str]:
    """Known words by edit distance: those one edit away, else the nearest few; at least one."""
    ranked = _rank([" ".join(words)], lexicon, codes)
    if ranked[0][0] > 2:  # no such phrase: search within the words
        ranked = _rank([word for word in words if len(word) > 3][:8] or words[:1], lexicon, codes)
    best = ranked[0][0]
    close = [text for edits, text in ranked if edits <= (max(best, 2) if best else 0)]
    one_away = sum(edits <= 1 for edits, _ in ranked)
    return close[: min(max(one_away, 3), MOST_SUGGESTIONS)]


def _rank(
    texts: list[str], lexicon: MannerLexicon, codes: tuple[str, ...]
) -> list[tuple[int, str]]:
    probes = {text[:LONGEST_SHOWN] for text in texts}
    probes |= {fold(probe) for probe in probes}
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


def _combine(values: Sequence[Values]) -> Values:
    """One value per factor: same signs by ``a + b - a b``, then plus minus minus."""
    result: Values = {}
    for factor in {factor for each in values for factor in each}:
        given = [each.get(factor, 0.0) for each in values]
        fighting = _add_up(value for value in given if value > 0.0)
        indulging = _add_up(-value for value in given if value < 0.0)
        result[factor] = clamp(fighting - indulging)
    return result


def _add_up(values: Iterable[float]) -> float:
    total = 0.0
    for value in sorted(values):  # sorted, so that the order of words does not change a bit
        total = total + value - total * value
    return total
