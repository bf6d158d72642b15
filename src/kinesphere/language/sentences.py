"""Tokens and sentences of a plain text, by its marks and blanks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kinesphere.language.tokens import CLOSING, Language
from kinesphere.language.word_lists import word_list

_LONGEST_SENTENCE = 250
"""Most tokens of a sentence; the tagger's probabilities underflow in longer ones."""

# A letter or digit with its combining accents and soft hyphens.
_CHARACTER = r"[^\W_][\u0300-\u036f\u00ad]*"
# What a possessive group begins with is looked for first: until Python 3.11.5, a repetition that
# fails half-way is not taken back.
_RUN = rf"(?>\d++(?:(?=[.,:]\d)[.,:]\d++)*+|{_CHARACTER})++"
_JOIN = r"['\u2019\u2010\u2011-]"
_TOKEN = re.compile(
    r"(?:https?://|www\.)\S*[^\W_]/?"
    r"|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+"
    r"|(?:(?=[^\W\d_]\.)[^\W\d_]\.){2,}+"
    rf"|{_RUN}(?:(?={_JOIN}[^\W_]){_JOIN}{_RUN})*+(?:(?<=\d)%|(?<=s)['\u2019](?=\s+[^\W\d_]))?"
    r"|\.{2,}+|\u2026++|[!?]++|-{2,}+|\S"
)
SENTENCE_ENDS = frozenset(".!?\u2026")
_ABBREVIATIONS = word_list("abbreviations")
_SELDOM_LAST = word_list("abbreviations_seldom_last")
_BEFORE_NUMBERS = word_list("before_numbers")
_ORDINAL_AFTER = word_list("before_ordinals")
_REPORTING = word_list("reporting_verbs")
_FUNCTION_WORDS = word_list("function_words")

FoundToken = tuple[str, int, int]
"""Text, start and end."""


def token_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of the tokens of a plain text, without analysis.

    >>> token_spans("It's so.")
    [(0, 4), (5, 7), (7, 8)]
    """
    return [m.span() for m in _TOKEN.finditer(text)]


def closes(text: str, start: int, end: int) -> bool:
    """Whether the mark at a position closes a quotation or a bracket: no blank precedes it.

    >>> closes('"Go," she said.', 0, 1), closes('"Go," she said.', 4, 5)
    (False, True)
    """
    if text[start:end] not in CLOSING or start == 0 or text[start - 1].isspace():
        return False
    return end == len(text) or not text[end].isalnum()


def split_sentences(
    found: Sequence[FoundToken], text: str, language: Language
) -> list[tuple[int, int]]:
    """First and last token of every sentence; a blank line always ends one."""
    cased = any(c.isupper() for c in text)
    out: list[tuple[int, int]] = []
    first, i = 0, 0
    while i < len(found):
        last = i
        ends = _ends(found, i, language)
        while ends and last + 1 < len(found) and _leans(found[last + 1], text):
            last += 1
        if last + 1 == len(found) or _blank_line(text[found[last][2] : found[last + 1][1]]):
            ends = True
        elif ends:
            ends = _goes_on_anew(found, i, last + 1, cased)
        if ends or last - first >= _LONGEST_SENTENCE:
            out.append((first, last))
            first = last + 1
        i = last + 1
    return out


def _blank_line(between: str) -> bool:
    return "\n\n" in between.replace("\r\n", "\n").replace("\r", "\n").replace(" ", "")


def _leans(token: FoundToken, text: str) -> bool:
    """Whether a token belongs to the sentence before it: a closing mark, more end marks."""
    word, start, end = token
    if start == 0 or text[start - 1].isspace():
        return False
    return word[0] in SENTENCE_ENDS or closes(text, start, end)


def _ends(found: Sequence[FoundToken], i: int, language: Language) -> bool:
    """Whether a token may end a sentence: an end mark, not an abbreviation's full stop."""
    word, start, _ = found[i]
    following = found[i + 1][0] if i + 1 < len(found) else ""
    if word[0].isalpha() and word[-1] == ".":  # "U.S."
        return _small_word(following)
    if word[0] not in SENTENCE_ENDS:
        return False
    if word != "." or i == 0 or found[i - 1][2] != start:
        return True
    before = found[i - 1][0]
    low = before.casefold()
    if low in _ABBREVIATIONS:
        return False
    if low in _BEFORE_NUMBERS and following[:1].isdigit():
        return False
    if low in _SELDOM_LAST or (len(before) == 1 and before.isalpha() and before != "I"):
        return not following or _small_word(following)
    if language == "de" and before.isdigit() and len(before) <= 2 and i > 1:
        return found[i - 2][0].casefold() not in _ORDINAL_AFTER
    return True


def _small_word(word: str) -> bool:
    """Whether a capitalised word would be lower case inside a sentence."""
    return word[:1].isupper() and word.casefold() in _FUNCTION_WORDS


def _goes_on_anew(found: Sequence[FoundToken], mark: int, following: int, cased: bool) -> bool:
    """Whether an end mark is followed by another sentence: a capital or a digit."""
    ahead = [word for word, _, _ in found[following : following + 6]]
    reported = any(word.casefold() in _REPORTING for word in ahead[:2])
    if found[following - 1][0] in CLOSING and reported:
        return False
    start = next((word[0] for word in ahead if word[0].isalnum()), "")
    if not start.islower():
        return True
    return found[mark][0] == "." and not cased
