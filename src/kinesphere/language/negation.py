"""Which words of a text are denied: "a big house" and "not big" share a word, not a meaning.

A negation denies the rest of its clause, with a determiner ("no dog") its phrase. German negations,
and pronouns such as "nobody" after the verb, deny the verb before them too. A clause ends here at a
comma, before a subordinate clause, and before a coordinated verb. Heuristic rules, not a parser.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from kinesphere.language.clauses import STRONG_MARKS, TextView
from kinesphere.language.phrases import matched, phrase_words, plain
from kinesphere.language.tokens import CLOSING, NOUNS, Analysis, Language
from kinesphere.language.word_lists import language_words

_KINDS = ("adverbs", "determiners", "pronouns", "prepositions")
_DETERMINERS, _PRONOUNS, _PREPOSITIONS = _KINDS[1:]
_BEFORE_HEADS = frozenset(("determiner", "adjective", "adverb", "number", "pronoun", "particle"))
_LINKS = frozenset(("determiner", "preposition", "particle", "adverb", "auxiliary"))
_REACH_OF_COORDINATION = 3
"""Words after "and" within which a finite verb makes a clause of its own."""
_NEAREST = 6
"""Words after a negation among which the first that it denies is looked for."""
_IDLE = frozenset(
    (
        *("SELF", "ADDRESSEE", "THIRD_PERSON", "WE", "HERE", "THERE", "DEMONSTRATIVE", "TITLE"),
        *("PAST", "FUTURE", "NOW", "NEXT", "PERIOD", "INDETERMINATE", "CONTRAST", "CAUSE"),
        *("CONDITION", "EXAMPLE", "SUMMARY", "QUESTION", "ALTERNATIVE"),
    )
)
"""Tags that a negation elsewhere in the clause leaves true: "I do not see you today"."""
_OWN = frozenset(("NEGATION", "NONE"))


@dataclass(frozen=True)
class Denied:
    """Tokens that are denied, of these the ones right after their negation, and all negations."""

    tokens: frozenset[int]
    nearest: frozenset[int]
    negations: frozenset[int]

    def of(self, tag: str, first: int, last: int) -> bool:
        """Whether the meaning of a tag on tokens first to last is denied.

        A phrase with a negation inside has its own meaning: "no idea" is true.
        """
        inside = set(range(first, last + 1))
        if tag in _OWN or inside & self.negations:
            return False
        return bool(inside & (self.nearest if tag in _IDLE else self.tokens))


@dataclass(frozen=True)
class _Negation:
    kind: str
    first: int
    last: int


def denied_words(
    analysis: Analysis, language: Language, clauses: Sequence[tuple[int, int]]
) -> Denied:
    """Denied tokens of a text; words denied twice are not ("not without risk")."""
    view = TextView(analysis, language)
    words = _words(language)
    found = list(_negations(view, words))
    near: set[int] = set()
    counts: dict[int, int] = {}
    for n, negation in enumerate(found):
        scope = _Scope(view, words, found, _clause_of(clauses, negation.first))
        for i in scope.denied(n):
            counts[i] = counts.get(i, 0) + 1
        near |= scope.nearest(negation)
    tokens = frozenset(i for i, count in counts.items() if count % 2)
    negations = frozenset(i for m in found for i in range(m.first, m.last + 1))
    return Denied(tokens - negations, (frozenset(near) & tokens) - negations, negations)


@dataclass(frozen=True)
class _NegationWords:
    """Lists of a language."""

    kinds: Mapping[tuple[str, ...], str]
    idioms: tuple[tuple[str, ...], ...]
    ends: frozenset[str]
    joins: frozenset[str]
    raising: frozenset[str]
    inverting: frozenset[str]
    complements: frozenset[str]
    subjects: frozenset[str]


@cache
def _words(language: Language) -> _NegationWords:
    def listed(name: str) -> tuple[str, ...]:
        return language_words(name, language)

    kinds = {tuple(w.split()): kind for kind in _KINDS for w in listed(f"negation_{kind}")}
    idioms = [phrase_words(phrase) for phrase in listed("not_negations")]
    return _NegationWords(
        kinds=kinds,
        idioms=tuple(sorted(idioms, key=len, reverse=True)),
        ends=frozenset(listed("negation_ends")),
        joins=frozenset(listed("coordinators")),
        raising=frozenset(listed("raising_verbs")),
        inverting=frozenset(listed("inverting_verbs")),
        complements=frozenset(listed("complementizers")),
        subjects=frozenset((*listed("subject_pronouns"), *listed("nominatives"))),
    )


def _clause_of(clauses: Sequence[tuple[int, int]], i: int) -> tuple[int, int]:
    return next((c for c in clauses if c[0] <= i <= c[1]), (i, i))


# ---------------------------------------------------------------------------------- the negations


def _negations(view: TextView, words: _NegationWords) -> Iterator[_Negation]:
    """Negations of a text, without the idioms, answers and questions that deny nothing."""
    idle = _in_idioms(view, words)
    last_of = {i: b for a, b in view.analysis.sentences for i in range(a, b + 1)}
    at = 0
    while at < len(view.tokens):
        found = _negation_at(view, words, at)
        if found is not None and not idle.intersection(range(found.first, found.last + 1)):
            asked = _asked(view, found, last_of[at])
            if not asked and not _answers(view, found):
                yield found
        at = at + 1 if found is None else found.last + 1


def _negation_at(view: TextView, words: _NegationWords, at: int) -> _Negation | None:
    if view.tokens[at].negated:
        return _Negation(_KINDS[0], at, at)
    for length in (2, 1):
        kind = words.kinds.get(tuple(plain(t) for t in view.tokens[at : at + length]))
        if kind is not None:
            return _Negation(kind, at, at + length - 1)
    return None


def _in_idioms(view: TextView, words: _NegationWords) -> set[int]:
    """Tokens of phrases that deny nothing, such as "not only"."""
    out: set[int] = set()
    for at in range(len(view.tokens)):
        for idiom in words.idioms:
            used = matched(view.tokens, idiom, at)
            if used is not None:
                out.update(used)
                break
    return out


def _answers(view: TextView, found: _Negation) -> bool:
    """Whether a "no" stands alone: "No, it is big"."""
    i = found.last + 1
    after = view.tokens[i] if i < len(view.tokens) else None
    return found.kind == _DETERMINERS and (after is None or not after.is_word)


def _asked(view: TextView, found: _Negation, last: int) -> bool:
    """Whether a negation is part of a question that expects a yes: "Isn't it huge?"."""
    first = next(a for a, b in view.analysis.sentences if a <= found.first <= b)
    asks = any(view.words[i] == "?" for i in range(max(first, last - 2), last + 1))
    if not asks or found.kind != _KINDS[0]:
        return False
    if view.tokens[found.first].negated:  # before its subject
        after = found.last + 1
        return after <= last and view.tokens[after].pos in ("pronoun", "determiner", "name")
    if view.language == "en":
        return view.words[found.first] == "not" and view.words[found.first - 1] in ("you", "it")
    start = first
    while start < found.first and not view.tokens[start].is_word:
        start += 1
    return start in view.finite or view.words[start] in ("warum", "wieso")


# ------------------------------------------------------------------------------------- their scope


@dataclass(frozen=True)
class _Scope:
    """Scopes of the negations of a clause."""

    view: TextView
    words: _NegationWords
    negations: Sequence[_Negation]
    clause: tuple[int, int]

    def denied(self, n: int) -> set[int]:
        """Tokens that a negation denies."""
        negation = self.negations[n]
        end = self._end(n)
        if negation.kind == _PREPOSITIONS:
            return set(self._phrase(negation.last + 1, end, self._gerund(negation, end)))
        if negation.kind == _DETERMINERS:
            out = set(self._phrase(negation.last + 1, end, False))
            return out | self._around(negation, end, max(out, default=negation.last))
        if negation.kind == _PRONOUNS:
            return self._around(negation, end, negation.last)
        out = set(range(negation.last + 1, end + 1))
        if self.view.language == "de" and not self._corrected(end):
            out |= self._verbs(self._start(negation), negation.first - 1)
        return out | self._raised(negation, end)

    def nearest(self, negation: _Negation) -> set[int]:
        """Tokens up to the first content word or pronoun after a negation."""
        out: set[int] = set()
        for i in range(negation.last + 1, min(negation.last + _NEAREST, self.clause[1] + 1)):
            if not self.view.tokens[i].is_word:
                break
            out.add(i)
            if self.view.tokens[i].pos not in _LINKS:
                break
        return out if negation.kind != _PRONOUNS else set()

    def _around(self, negation: _Negation, end: int, after: int) -> set[int]:
        """What "nobody" or "no dog" denies besides itself: verbs before, or all after a subject."""
        verbs = self._verbs(self._start(negation), negation.first - 1)
        if self.view.language == "de":
            return verbs | self._verbs(after + 1, end)
        return verbs or set(range(after + 1, end + 1))

    def _verbs(self, first: int, last: int) -> set[int]:
        tokens = self.view.tokens
        particles = self.view.tags
        return {
            i
            for i in range(first, last + 1)
            if tokens[i].pos in ("verb", "auxiliary") or particles[i] == "PTKVZ"
        }

    def _phrase(self, first: int, end: int, whole: bool) -> range:
        """A noun phrase up to its head, or all."""
        i = first
        while not whole and i <= end:
            noun = self.view.tokens[i].pos in NOUNS
            if noun and not (i < end and self.view.tokens[i + 1].pos in NOUNS):
                return range(first, i + 1)
            if not noun and self.view.tokens[i].pos not in _BEFORE_HEADS:
                return range(first, i + 1 if self.view.tokens[i].pos == "verb" else i)
            i += 1
        return range(first, end + 1)

    def _gerund(self, negation: _Negation, end: int) -> bool:
        """Whether a verb without a subject follows "without"."""
        ahead = range(negation.last + 1, min(negation.last + 3, end + 1))
        if self.view.language == "de":
            return any(
                self.view.tags[i].startswith(("PTKZU", "VVIZU"))
                for i in range(negation.last + 1, end + 1)
            )
        return any(self.view.tags[i] == "VVG" for i in ahead)

    def _corrected(self, end: int) -> bool:
        """Whether another phrase is set against this one: "nicht gestern, sondern heute"."""
        after = self.view.words[end + 1 : end + 3]
        return any(word in ("sondern", "but") for word in after)

    def _start(self, negation: _Negation) -> int:
        """First token of the clause, or of the part that a negation opens ("und nicht groß")."""
        i = negation.first
        if i > self.clause[0] and self.view.words[i - 1] in self.words.joins:
            return i
        while i > self.clause[0] and not self._parts(i - 1, negation):
            i -= 1
        return i

    def _end(self, n: int) -> int:
        """Last token of the scope to the right."""
        negation = self.negations[n]
        following = self.negations[n + 1].first if n + 1 < len(self.negations) else -1
        verb = -1
        i = negation.last
        while i < self.clause[1]:
            k = i + 1
            if self._parts(k, negation) or self._other(k, following):
                break
            if self.view.tokens[k].pos == "verb":
                if verb >= 0 and k in self.view.finite and not self._raises(verb):
                    return verb
                verb = k
                if self._inverts(k):
                    return k
            i = k
        return i

    def _other(self, k: int, following: int) -> bool:
        """Whether another negation is coordinated here: "not big and not small"."""
        if k == following and self.view.words[k] in ("nor", "noch"):
            return True
        joined = self.view.words[k] in self.words.joins
        return joined and following == k + 1

    def _parts(self, i: int, negation: _Negation) -> bool:
        """Whether a token is between clauses."""
        word = self.view.words[i]
        if word in STRONG_MARKS or word.partition("'")[0] in self.words.ends:
            return True
        if i < negation.first and word in self.words.complements:
            return True
        if not self.view.tokens[i].is_word:
            return word == "," or word[0] in ".!?\u2026" or (word in CLOSING and i > negation.last)
        if word in self.words.joins:
            return self._has_verb_of_its_own(i)
        pronoun = word in self.words.subjects and i + 1 in self.view.finite
        return pronoun and i > negation.last + 1 and self._verb_before(i, negation)

    def _verb_before(self, i: int, negation: _Negation) -> bool:
        """Whether the verb before a further clause keeps its negation: "I don't know he left"."""
        verbs = [k for k in range(negation.last + 1, i) if self.view.tokens[k].pos == "verb"]
        return bool(verbs) and not any(self._raises(k) for k in verbs)

    def _has_verb_of_its_own(self, i: int) -> bool:
        reach = range(i + 1, min(i + 1 + _REACH_OF_COORDINATION, self.clause[1] + 1))
        return any(k in self.view.finite for k in reach)

    def _raises(self, i: int) -> bool:
        return self.view.tokens[i].lemma.casefold() in self.words.raising

    def _inverts(self, i: int) -> bool:
        return self.view.tokens[i].lemma.casefold() in self.words.inverting

    def _raised(self, negation: _Negation, end: int) -> set[int]:
        """Words after "nicht, dass" where the verb hands its negation on: "glaube nicht, dass"."""
        tokens = self.view.tokens
        start = end + 1 + (self.view.words[end + 1 : end + 2] == (",",))
        if start >= len(tokens) or self.view.words[start] not in self.words.complements:
            return set()
        verbs = self._verbs(self._start(negation), end)
        if not any(self._raises(i) for i in verbs):
            return set()
        last = start
        while last + 1 < len(tokens) and tokens[last + 1].is_word:
            last += 1
        return set(range(start, last + 1))
