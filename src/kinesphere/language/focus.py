"""The focus of a clause: a contrasted phrase, the most prominent word, or the last new noun."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from kinesphere.language.clauses import PERSONS, TextView, has_subject
from kinesphere.language.tokens import NOUNS
from kinesphere.language.word_lists import word_list

TokenSpan = tuple[int, int]
"""First and last token."""
_QUANTIFIED = word_list("quantifiers")
_SINGLING = word_list("focus_particles")
_BUT = word_list("contrast_but")
_NOT = word_list("negations")
_AGAINST = word_list("adversatives")
_CLEFT = word_list("cleft_relatives")
_BE = word_list("copulas")
_WEAK = word_list("unaccented")


def focus_of(
    view: TextView, rheme: Sequence[int], known: set[str], prominence: Mapping[int, float]
) -> TokenSpan:
    """The most prominent word, else the last new noun after the verb, else another word."""
    if prominence:
        loud = max(rheme, key=lambda i: (prominence[i], i))
        if prominence[loud] > 0.0:
            return loud, loud
    verb = next((n for n, i in enumerate(rheme) if i in view.finite), 0)
    for words in (rheme if verb + 1 == len(rheme) else rheme[verb:], rheme):
        new = [i for i in words if _is_new(view, i, known)]
        nouns = [i for i in new if view.tokens[i].pos in NOUNS or view.tokens[i].pos == "number"]
        strong = [i for i in new if plain_word(view, i) not in _WEAK]
        for rows in (nouns, _before_last_verb(view, strong, words), strong, new):
            if rows:
                return _with_modifiers(view, rows[-1], rheme[0])
    content = [i for i in rheme if view.tokens[i].is_content]
    modals = [i for i in rheme if view.tags[i].startswith("VM")]
    return _with_modifiers(view, (content or modals or list(rheme))[-1], rheme[0])


def _before_last_verb(view: TextView, strong: Sequence[int], words: Sequence[int]) -> Sequence[int]:
    """The accented word before a clause-final German verb: "die rückwärts ging"."""
    final = view.language == "de" and words and strong[-1:] == [words[-1]]
    if not final or view.tokens[words[-1]].pos != "verb" or len(strong) < 2:
        return ()
    close = strong[-2] == words[-1] - 1 and view.tokens[strong[-2]].pos in ("adjective", "adverb")
    return strong[:-1] if close else ()


def _is_new(view: TextView, i: int, known: set[str]) -> bool:
    """Whether a word is new: its meaning was not mentioned before, or is all or nothing."""
    token = view.tokens[i]
    if token.pos == "pronoun":
        return view.words[i] in _QUANTIFIED
    return token.is_content and token.lemma.casefold() not in known


def _with_modifiers(view: TextView, at: int, earliest: int) -> TokenSpan:
    """A noun with the adjectives or names right before it."""
    first = at
    if view.tokens[at].pos in NOUNS:
        while first > earliest and view.tokens[first - 1].pos in ("adjective", "name"):
            first -= 1
    return first, at


def contrasted_phrases(view: TextView, words: Sequence[int]) -> list[TokenSpan]:
    """The contrasted phrases of a clause."""
    for rule in (_not_but, _but_not, _rather_than, _cleft, _only, _me_too, _word_in_capitals):
        found = rule(view, words)
        if found is not None:
            return [found]
    return []


def contrasted_predicate(
    view: TextView, words: Sequence[int], contrasted: set[int], known: set[str]
) -> list[TokenSpan]:
    """A contrasted subject, and its predicate."""
    subject = next((n for n, i in enumerate(words) if i in contrasted), None)
    if subject is None:
        return []
    rest = words[subject + 1 :]
    place = words[subject], words[subject]
    if not any(view.tokens[i].is_content for i in rest):
        return [place]
    return [place, focus_of(view, rest, known, {})]


def _not_but(view: TextView, words: Sequence[int]) -> TokenSpan | None:
    """Not X but Y: Y."""
    for n, i in enumerate(words):
        if view.words[i] in _BUT and any(_negates(view, k) for k in words[:n]):
            return _head(view, words[n + 1 :])
    return None


def _negates(view: TextView, i: int) -> bool:
    return view.words[i] in _NOT or view.tokens[i].negated


def _but_not(view: TextView, words: Sequence[int]) -> TokenSpan | None:
    """X, not Y: X."""
    for n, i in enumerate(words):
        apart = is_comma(view, i - 1) or (
            is_comma(view, i - 2) and view.words[i - 1] in ("and", "und")
        )
        phrase = n + 1 < len(words) and not any(k in view.finite for k in words[n:])
        if view.words[i] in ("not", "nicht") and apart and phrase:
            return _last_content(view, words[:n])
    return None


def _rather_than(view: TextView, words: Sequence[int]) -> TokenSpan | None:
    """X rather than Y, X instead of Y, X statt Y: X."""
    for n, i in enumerate(words[:-1]):
        pair = (view.words[i], view.words[words[n + 1]])
        prefers = pair in (("rather", "than"), ("instead", "of")) or pair[0] in ("statt", "anstatt")
        if prefers and any(k in view.finite for k in words[:n]):
            return _last_content(view, words[:n])
    return None


def _last_content(view: TextView, words: Sequence[int]) -> TokenSpan | None:
    content = [i for i in words if view.tokens[i].is_content and view.tokens[i].pos != "adverb"]
    rows = content or list(words)
    return _with_modifiers(view, rows[-1], words[0]) if rows else None


def _cleft(view: TextView, words: Sequence[int]) -> TokenSpan | None:
    """It is X that ...: X."""
    said = [view.words[i] for i in words]
    if said[0] == "it's":
        start = 1
    elif said[0] in ("it", "es") and len(said) > 1 and said[1] in _BE:
        start = 2
    else:
        return None
    for n in range(start + 1, len(words)):
        if said[n] in _CLEFT and any(i in view.finite for i in words[n:]):
            return _head(view, words[start:n])
    return None


def _only(view: TextView, words: Sequence[int]) -> TokenSpan | None:
    """Only X, even X: X, unless that is a verb."""
    for n, i in enumerate(words):
        if view.words[i] not in _SINGLING:
            continue
        if view.words[i] == "selbst" and n and view.words[words[n - 1]] in PERSONS:
            return words[n - 1], i
        following = words[n + 1 :]
        if not following or view.tokens[following[0]].pos in ("verb", "auxiliary", "adverb"):
            continue
        if view.tokens[following[0]].pos in ("particle", "conjunction"):
            continue
        return _head(view, following)
    return None


def _head(view: TextView, words: Sequence[int]) -> TokenSpan | None:
    """Head of a phrase: its first noun, else its first content word."""
    if not words:
        return None
    if view.words[words[0]] in PERSONS and view.tokens[words[0]].pos == "pronoun":
        return words[0], words[0]
    nouns = [n for n, i in enumerate(words) if view.tokens[i].pos in (*NOUNS, "number")]
    if nouns:
        at = nouns[0]
        while at + 1 in nouns and words[at + 1] == words[at] + 1:
            at += 1
        return _with_modifiers(view, words[at], words[0])
    content = [i for i in words if view.tokens[i].is_content and view.tokens[i].pos != "adverb"]
    at = (content or list(words[-1:]))[0]
    return at, at


def _me_too(view: TextView, words: Sequence[int]) -> TokenSpan | None:
    """Me too, ich auch: the pronoun."""
    if len(words) < 2 or view.words[words[-1]] not in ("too", "auch"):
        return None
    at = words[-2]
    return (at, at) if view.words[at] in PERSONS else None


def _word_in_capitals(view: TextView, words: Sequence[int]) -> TokenSpan | None:
    """A word in capitals among lower-case words, unless it may be an acronym."""
    if not any(c.islower() for i in words for c in view.tokens[i].text):
        return None
    for i in words:
        token = view.tokens[i]
        long = len(token.text) > 2 or token.text in ("NO", "MY", "WE")
        if long and token.text.isupper() and token.pos not in (*NOUNS, "number"):
            return i, i
    return None


def contrasted_subjects(view: TextView, clauses: Sequence[tuple[int, int]]) -> set[int]:
    """Contrasted pronouns of two consecutive clauses: "You lead, I follow"."""
    out: set[int] = set()
    starts = {first for first, _ in view.analysis.sentences}
    for before, after in pairwise(clauses):
        one, other = _subject(view, before), _subject(view, after)
        if one is None or other is None or _person(view, one) == _person(view, other):
            continue
        sizes = view.count(*before), view.count(*after)
        words = [i for i in range(after[0], after[1] + 1) if view.tokens[i].is_word]
        bare = not any(view.tokens[i].is_content for i in words) and sizes[1] <= 3
        against = view.words[words[0]] in _AGAINST
        parallel = max(sizes) <= 4 and has_subject(view, before[0]) and words[0] == other
        if bare or (after[0] not in starts and (against or parallel)):
            out.update((one, other))
    return out


def _subject(view: TextView, clause: tuple[int, int]) -> int | None:
    """The personal pronoun that stands right before the finite verb of a clause."""
    for i in range(clause[0], clause[1] + 1):
        if i in view.finite:
            at = i if i in view.subject_with_verb else i - 1
            return at if at >= clause[0] and _person(view, at) is not None else None
    return None


def _person(view: TextView, i: int) -> str | None:
    return PERSONS.get(plain_word(view, i))


def plain_word(view: TextView, i: int) -> str:
    """A word without its clitic: "nobody" of "nobody's"."""
    return view.words[i].partition("'")[0]


def is_comma(view: TextView, i: int) -> bool:
    """Whether there is a comma at an index, which may be outside the text."""
    return 0 <= i < len(view.tokens) and view.tokens[i].text == ","
