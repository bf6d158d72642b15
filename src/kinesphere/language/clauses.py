"""Clauses (discourse segments) of a text, by punctuation, conjunctions and finite verbs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from kinesphere.language.tokens import CLOSING, Analysis, Language, Token
from kinesphere.language.word_lists import keys_of_words, word_list

STRONG_MARKS = frozenset((";", ":", "\u2014", "\u2013", "--"))
_LEAST_WORDS = 3
"""Least number of words on each side of a clause boundary."""
_LONGEST_CLAUSE = 18
"""Number of words after which a comma is a boundary even without another verb."""
_SUBJECT_PRONOUNS = word_list("subject_pronouns")
_QUESTIONS = word_list("question_words")
_OPENERS = word_list("subordinators")
_RELATIVE = word_list("relatives")
_ADVERBIAL = word_list("adverbial_relatives")
PERSONS = keys_of_words("persons")
"""Person of every pronoun, by the nominative in English."""


@dataclass(frozen=True)
class TextView:
    """Features of the tokens that the rules use."""

    analysis: Analysis
    language: Language

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens of the text."""
        return self.analysis.tokens

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words in lower case."""
        return tuple(t.text.casefold().replace("\u2019", "'") for t in self.tokens)

    @cached_property
    def tags(self) -> Mapping[int, str]:
        """The tagger's tag of every token; of a contraction that of its first part."""
        return {p.owner: p.tag for p in reversed(self.analysis.parts)}

    @cached_property
    def finite(self) -> frozenset[int]:
        """Tokens with a finite verb."""
        return frozenset(p.owner for p in self.analysis.parts if p.finite)

    @cached_property
    def subject_with_verb(self) -> frozenset[int]:
        """Tokens such as "she's": a subject, and the finite verb in the same word."""
        return frozenset(
            b.owner
            for a, b in pairwise(self.analysis.parts)
            if a.owner == b.owner and b.finite and not a.finite
        )

    @cached_property
    def heard(self) -> tuple[int, ...]:
        """Number of words before each token, and of all at the end."""
        count, out = 0, [0]
        for token in self.tokens:
            count += token.is_word
            out.append(count)
        return tuple(out)

    def count(self, first: int, last: int) -> int:
        """Number of words from a token to another."""
        return self.heard[last + 1] - self.heard[first]

    def has_verb(self, first: int, last: int) -> bool:
        """Whether there is a finite verb from a token to another."""
        return any(i in self.finite for i in range(first, last + 1))


def clauses_of(analysis: Analysis, language: Language) -> list[tuple[int, int]]:
    """Discourse segments, first and last token of each; together they cover every token."""
    view = TextView(analysis, language)
    out: list[tuple[int, int]] = []
    for first, last in analysis.sentences:
        start = first
        for i in range(first, last):
            if _ends_clause(view, i, start, last):
                out.append((start, i))
                start = i + 1
        out.append((start, last))
    return out


def _ends_clause(view: TextView, i: int, start: int, last: int) -> bool:
    """Whether a clause ends with a token: at strong punctuation, or with verbs on both sides."""
    mark = _mark(view, i)
    if mark == "":
        return view.language == "en" and _main_clause_after(view, i, start, last)
    before, after = view.count(start, i), view.count(i + 1, last)
    reach = _reach(view, i + 1, last)
    verbs = view.has_verb(start, i) and view.has_verb(i + 1, reach)
    short = verbs and mark == "comma" and has_subject(view, start) and has_subject(view, i + 1)
    if min(before, after) < (2 if short else _LEAST_WORDS):
        return False
    if mark == "strong" or (mark == "comma" and before > _LONGEST_CLAUSE):
        return True
    if mark == "comma" and view.language == "en" and not closes_quotation(view.tokens, i):
        # "The man, who was old, left": the verb continues the earlier clause.
        return verbs and i + 1 not in view.finite
    return verbs


def _mark(view: TextView, i: int) -> str:
    """Separator between a token and the next: strong, comma, word (a conjunction) or empty."""
    tokens = view.tokens
    token, following = tokens[i], tokens[i + 1]
    if closes_quotation(tokens, i + 1):
        return ""
    before = i
    while before > 0 and closes_quotation(tokens, before):
        before -= 1
    text = tokens[before].text
    dash = text == "-" and before and tokens[before - 1].end < tokens[before].start
    if text in STRONG_MARKS or (dash and token.end < following.start):
        return "strong"
    if text == "," or (before < i and text[0] in ".!?\u2026"):
        return "comma"
    joins = following.pos == "conjunction" or view.words[i + 1] in _ADVERBIAL
    if joins and token.is_word and token.pos != "conjunction" and view.words[i + 1] != "than":
        return "word"
    return ""


def closes_quotation(tokens: Sequence[Token], i: int) -> bool:
    """Whether a token closes a quotation or a bracket."""
    if tokens[i].text not in CLOSING or i == 0 or tokens[i - 1].end < tokens[i].start:
        return False
    return i + 1 == len(tokens) or tokens[i + 1].start > tokens[i].end or not tokens[i + 1].is_word


def _reach(view: TextView, start: int, last: int) -> int:
    """Latest end of the clause that starts here, by which its verb must occur."""
    for i in range(start + 1, last + 1):
        if view.words[i] == "," or view.words[i] in STRONG_MARKS or view.words[i] in _RELATIVE:
            return i
        joins = start + 1 < i < last and view.tokens[i].pos == "conjunction"
        if joins and (view.words[i + 1] in _SUBJECT_PRONOUNS or i + 1 in view.finite):
            return i
    return last


def has_subject(view: TextView, start: int) -> bool:
    """Whether a clause begins with a pronoun and its verb."""
    if start in view.subject_with_verb:
        return True
    return view.words[start] in PERSONS and start + 1 in view.finite


def _main_clause_after(view: TextView, i: int, start: int, last: int) -> bool:
    """Whether a main clause follows a subordinate one without a comma: "If I sit there I need"."""
    if view.words[start] not in _OPENERS or view.words[i + 1] not in _SUBJECT_PRONOUNS:
        return False
    if view.tokens[i].pos in ("conjunction", "preposition", "auxiliary") or i + 2 > last:
        return False
    if view.words[i] in _QUESTIONS or not view.has_verb(start, i):
        return False
    enough = min(view.count(start, i), view.count(i + 1, last)) >= _LEAST_WORDS
    return enough and view.has_verb(i + 2, min(i + 3, last))
