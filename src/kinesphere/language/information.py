"""Theme, rheme and focus of clauses.

Heuristic rules: the theme is what a clause refers back to (a pronoun, something definite or
mentioned before, a connective), up to its finite verb; the rheme is the rest. The focus is in the
rheme: the contrasted phrase, else the most prominent word if the text was spoken, else the last
new noun.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kinesphere.language.clauses import TextView, closes_quotation
from kinesphere.language.focus import (
    TokenSpan,
    contrasted_phrases,
    contrasted_predicate,
    contrasted_subjects,
    focus_of,
    is_comma,
    plain_word,
)
from kinesphere.language.tokens import NOUNS, Analysis, Language
from kinesphere.language.word_lists import word_list

_LOUDER = 0.2
"""Excess prominence over the rheme with which a word of the theme is the focus."""
_PERSONAL = word_list("personal_pronouns")
_ARTICLES = word_list("articles")
_DEFINITE = word_list("definite")
_QUESTIONS = word_list("question_words")
_CLEFT = word_list("cleft_relatives")
_REPORTS = word_list("reporting_lemmas")
_CALLS = word_list("vocatives")
_BEFORE_CALLS = word_list("before_vocatives")
_NEW = _ARTICLES | word_list("indefinite")
_SUBORDINATE = ("KOUS", "PREL", "PWS", "PWAT", "PWAV")
_DEFINITE_STEMS = ("dies", "jen", "mein", "dein", "sein", "ihr", "unser", "euer", "eur")
_AFTER_CALLS = frozenset(
    ("pronoun", "interjection", "adverb", "adjective", "particle", "auxiliary")
)


@dataclass(frozen=True)
class InformationSpan:
    """Theme, rheme or focus on tokens first to last."""

    kind: str
    first: int
    last: int
    written: bool = field(default=False, compare=False)


def information_of(
    analysis: Analysis,
    language: Language,
    clauses: Sequence[tuple[int, int]],
    prominence: Mapping[int, float] | None,
    written: Sequence[InformationSpan] = (),
) -> list[InformationSpan]:
    """Themes, rhemes and foci of all clauses, in order.

    Parameters
    ----------
    analysis, language, clauses : the text.
    prominence : by token, of every spoken word, 0 to 1; None if the text was not spoken.
    written : spans set by the author. They are kept, and where there is one, no other of its kind
        is searched for: themes and rhemes are one kind, foci the other.
    """
    view = TextView(analysis, language)
    contrasted = contrasted_subjects(view, clauses)
    marked = _by_clause(written, clauses)
    known: set[str] = set()
    out = list(written)
    for clause, own in zip(clauses, marked, strict=True):
        words = [i for i in range(clause[0], clause[1] + 1) if view.tokens[i].is_word]
        if words:
            out += _of_clause(view, words, known, contrasted, prominence or {}, own)
            known.update(
                view.tokens[i].lemma.casefold() for i in words if view.tokens[i].is_content
            )
    return sorted(out, key=lambda s: (s.first, s.last, s.kind))


def _by_clause(
    written: Sequence[InformationSpan], clauses: Sequence[tuple[int, int]]
) -> list[list[InformationSpan]]:
    """For every clause the author's spans that overlap it."""
    out: list[list[InformationSpan]] = [[] for _ in clauses]
    lasts = [last for _, last in clauses]
    for span in written:
        for n in range(bisect_left(lasts, span.first), bisect_left(lasts, span.last) + 1):
            out[n].append(span)
    return out


def _of_clause(
    view: TextView,
    words: Sequence[int],
    known: set[str],
    contrasted: set[int],
    prominence: Mapping[int, float],
    own: Sequence[InformationSpan],
) -> list[InformationSpan]:
    """Spans found in a clause in addition to the author's own."""
    foci = [(s.first, s.last) for s in own if s.kind == "focus"]
    parted = [s for s in own if s.kind != "focus"]
    spoken = _without_calls(view, _without_report(view, words))
    theme = _theme_end(view, spoken, known)
    singled: list[TokenSpan] = []
    if not foci:
        singled = (
            contrasted_phrases(view, spoken)
            or _loud_in_theme(spoken, theme, prominence)
            or ([] if prominence else contrasted_predicate(view, spoken, contrasted, known))
        )
    if parted:
        found, rheme = _split_by_author(words, parted)
    else:
        if any(first < spoken[theme] for first, _ in (*foci, *singled)):
            theme = 0  # A focus is within a rheme.
        found, rheme = _theme_and_rheme(spoken, theme), spoken[theme:]
    if foci or not rheme:
        return found
    inside = set(rheme)
    places = [p for p in singled if inside.issuperset(p)]
    places = places or [focus_of(view, rheme, known, prominence)]
    return [*found, *(InformationSpan("focus", *place) for place in places)]


def _theme_and_rheme(spoken: Sequence[int], theme: int) -> list[InformationSpan]:
    rheme = InformationSpan("rheme", spoken[theme], spoken[-1])
    return [InformationSpan("theme", spoken[0], spoken[theme - 1]), rheme] if theme else [rheme]


def _split_by_author(
    words: Sequence[int], parted: Sequence[InformationSpan]
) -> tuple[list[InformationSpan], list[int]]:
    """Words of the rheme where the author has set theme or rheme; with a theme, the rest."""
    rhemes = [s for s in parted if s.kind == "rheme"]
    if rhemes:
        return [], [i for i in words if any(s.first <= i <= s.last for s in rhemes)]
    after = [i for i in words if i > max(s.last for s in parted)]
    rest = after or [i for i in words if i < min(s.first for s in parted)]
    return [InformationSpan("rheme", rest[0], rest[-1])] if rest else [], rest


def _loud_in_theme(
    spoken: Sequence[int], theme: int, prominence: Mapping[int, float]
) -> list[TokenSpan]:
    """Word of the theme that is so much more prominent than the rheme that it is the focus."""
    if not prominence or not theme:
        return []
    loudest = max(spoken[:theme], key=lambda i: (prominence[i], i))
    others = max(prominence[i] for i in spoken[theme:])
    return [(loudest, loudest)] if prominence[loudest] > others + _LOUDER else []


def _theme_end(view: TextView, words: Sequence[int], known: set[str]) -> int:
    """Number of words of the theme, which refer back to earlier text."""
    verbs = [n for n, i in enumerate(words) if i in view.finite]
    if not verbs or _asks(view, words):
        return 0
    verb = verbs[0]
    if len(verbs) > 1 and verb > 1 and view.words[words[verb - 1]] in ("who", "which", "that"):
        verb = verbs[1]  # "the man who lives there came"
    if words[verb] in view.subject_with_verb:  # "she's gone": the verb is in the subject
        return verb + 1 if verb + 1 < len(words) else verb
    if verb == 0:
        return 0
    if any(view.tags[i].startswith(_SUBORDINATE) for i in words[:2]):
        # A clause-final German verb does not mark the end of the theme.
        return _subordinate_theme(view, words[:verb])
    if not _is_given(view, words[:verb], known):
        return 0
    while verb > 1 and view.tokens[words[verb - 1]].pos in ("adverb", "particle"):
        verb -= 1  # "she never came" is about her, not about never
    return verb


def _asks(view: TextView, words: Sequence[int]) -> bool:
    after = view.tokens[words[-1] + 1 : words[-1] + 3]
    return view.words[words[0]] in _QUESTIONS and any(t.text[0] == "?" for t in after)


def _is_given(view: TextView, before: Sequence[int], known: set[str]) -> bool:
    """Whether the words before the verb are given information."""
    nouns = [n for n, i in enumerate(before) if view.tokens[i].pos == "noun"]
    fresh = any(view.tokens[before[n]].lemma.casefold() not in known for n in nouns)
    if fresh and any(plain_word(view, i) in _ARTICLES and _stands_for(view, i) for i in before):
        return False
    nominal = [i for i in before if view.tokens[i].pos not in ("adverb", "particle")]
    if nominal and view.words[nominal[-1]] in _PERSONAL:
        return True
    if any(plain_word(view, i) in _NEW and _stands_for(view, i) for i in before):
        return False
    if not fresh:
        return True
    lead = before[: nouns[0] + 2]  # up to a name after the first noun: "Professor Kolb"
    return any(_definite(view.words[i]) or view.tokens[i].pos == "name" for i in lead)


def _stands_for(view: TextView, i: int) -> bool:
    return view.tokens[i].pos != "preposition"  # "an" is an article in one language only


def _definite(word: str) -> bool:
    return word in _DEFINITE or word.startswith(_DEFINITE_STEMS)


def _subordinate_theme(view: TextView, before: Sequence[int]) -> int:
    """Length of the start of a subordinate clause: its conjunction and its subject."""
    at = 0
    while at < len(before) and view.tokens[before[at]].pos in ("conjunction", "pronoun"):
        at += 1
    pronoun = at > 0 and view.tokens[before[at - 1]].pos == "pronoun"
    if pronoun or at >= len(before):
        return at
    if not _definite(view.words[before[at]]) and view.tokens[before[at]].pos != "name":
        return at
    noun = next((n for n in range(at, len(before)) if view.tokens[before[n]].pos in NOUNS), None)
    return at if noun is None else noun + 1


def _without_report(view: TextView, words: Sequence[int]) -> Sequence[int]:
    """Words of a clause without a short "she said" after a quotation."""
    for n in range(1, len(words)):
        between = range(words[n - 1] + 1, words[n])
        closed = any(closes_quotation(view.tokens, i) for i in between)
        lemmas = {view.tokens[i].lemma.casefold() for i in words[n : n + 5]}
        if closed and len(words) - n <= 4 and lemmas & _REPORTS:
            return words[:n]
    return words


def _without_calls(view: TextView, words: Sequence[int]) -> list[int]:
    """Words of a clause without vocatives: "Vera, good evening", "no, Ben"."""
    first, last = _after_calls(view, words), len(words)
    back = last
    while back > first and (
        _is_call(view, words[back - 1]) or view.words[words[back - 1]] in _BEFORE_CALLS
    ):
        back -= 1
    names = [
        i
        for i in words[back:]
        if view.tokens[i].pos == "name" and view.words[i] not in _BEFORE_CALLS
    ]
    if first < back < last and len(names) <= 1 and is_comma(view, words[back] - 1):
        last = back
    return list(words[first:last])


def _after_calls(view: TextView, words: Sequence[int]) -> int:
    """Number of words of a vocative at the start of a clause."""
    first = at = 0
    while at + 1 < len(words):
        joins = view.words[words[at]] in _BEFORE_CALLS or view.words[words[at]] in ("and", "und")
        calls = _is_call(view, words[at])
        if not (joins or calls):
            break
        at += 1
        if calls and is_comma(view, words[at - 1] + 1):
            first = at
    return first if first and _may_follow_a_call(view, words[first]) else 0


def _is_call(view: TextView, i: int) -> bool:
    return view.tokens[i].pos == "name" or view.words[i] in _CALLS


def _may_follow_a_call(view: TextView, i: int) -> bool:
    """Whether a name before this word is a vocative, not a subject with an apposition."""
    if i + 1 in view.finite:  # "this is"
        return True
    if view.words[i] in _CLEFT or view.words[i] in _DEFINITE:
        return False
    return i in view.finite or view.tokens[i].pos in _AFTER_CALLS
