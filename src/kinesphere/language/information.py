"""Clauses, and their theme, rheme and focus.

Heuristic rules: the theme is what a clause refers back to (a pronoun, something definite or
mentioned before, a connective), up to its finite verb; the rheme is the rest. The focus is in the
rheme: the contrasted phrase, else the most prominent word if the text was spoken, else the last
new noun.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from kinesphere.language.tokens import CLOSING, NOUNS, Analysis, Language, Token
from kinesphere.language.word_lists import word_set

_Place = tuple[int, int]
"""First and last token."""
_STRONG = frozenset((";", ":", "\u2014", "\u2013", "--"))
_LEAST_WORDS = 3
"""Least number of words on each side of a clause boundary."""
_LONGEST_CLAUSE = 18
"""Number of words after which a comma is a boundary even without another verb."""
_LOUDER = 0.2
"""Excess prominence over the rheme with which a word of the theme is the focus."""

_PERSONAL = word_set(
    """
    i you he she it we they this that these those there one ich du er sie es wir ihr man das
    dies der die den dem
    """
)
_SUBJECT_PRONOUNS = frozenset(("i", "you", "he", "she", "it", "we", "they"))
_PERSONS = {
    **dict.fromkeys(("i", "me", "my", "mine", "ich", "mich", "mir", "mein"), 1),
    **dict.fromkeys(("you", "your", "yours", "du", "dich", "dir", "dein"), 2),
    **dict.fromkeys(("he", "him", "his", "er", "ihn", "ihm"), 3),
    **dict.fromkeys(("she", "her", "hers"), 4),
    **dict.fromkeys(("they", "them", "their", "sie", "ihnen"), 5),
    **dict.fromkeys(("we", "us", "our", "ours", "wir", "uns", "unser"), 6),
}
_ARTICLES = frozenset(
    ("a", "an", "some", "ein", "eine", "einen", "einem", "einer", "eines", "einige")
)
_NEW = _ARTICLES | word_set(
    """
    any another many several few no every each all nobody nothing none everybody everyone
    everything somebody someone something not manche viele kein keine keiner niemand nichts
    jeder jede jedes alle alles jemand etwas nicht nur only even
    """
)
_QUANTIFIED = word_set(
    """
    nobody nothing none everybody everyone everything niemand niemanden nichts alles jeder
    keiner keine keinen
    """
)
_DEFINITE = word_set(
    """
    the this that these those my your his her its our their der die das den dem des im am zum
    zur vom beim ins
    """
)
_SUBORDINATE = ("KOUS", "PREL", "PWS", "PWAT", "PWAV")
_DEFINITE_STEMS = ("dies", "jen", "mein", "dein", "sein", "ihr", "unser", "euer", "eur")
_QUESTIONS = word_set(
    """
    what who whom whose which where when why how was wer wen wem welcher welche welches wo wann
    warum wieso weshalb wie wohin woher wozu
    """
)
_OPENERS = word_set(
    """
    when if because after although though while since as once before until unless whenever
    wherever
    """
)
_RELATIVE = frozenset(("who", "whom", "whose", "which"))
_ADVERBIAL = frozenset(("when", "where", "while", "whenever", "wherever"))
_SINGLING = word_set(
    """
    only even just merely especially particularly nur sogar selbst bloß ausgerechnet gerade
    besonders lediglich allein
    """
)
_BUT = frozenset(("but", "sondern"))
_NOT = frozenset(
    ("not", "never", "no", "nicht", "kein", "keine", "keinen", "keinem", "keiner", "nie")
)
_AGAINST = frozenset(("but", "whereas", "while", "aber", "sondern", "während", "dagegen"))
_CLEFT = frozenset(("who", "that", "which", "der", "die", "das", "den"))
_BE = frozenset(("is", "was", "be", "ist", "war", "wars"))
_WEAK = word_set(
    """
    also just still already again too very only so even ever then now however really well quite
    rather maybe perhaps always often never nie oft anyway though yet oh auch schon noch nur
    eben ja doch mal halt denn wohl wieder dann nun jetzt sehr immer ganz eigentlich vielleicht
    einfach aber da sonst
    """
)
"""Content words that rarely carry the accent of a clause."""
_REPORTS = word_set(
    """
    say ask cry reply shout whisper answer add call murmur sagen fragen rufen antworten meinen
    flüstern schreien erwidern murmeln
    """
)
_CALLS = word_set(
    """
    sir madam ma'am mum mom dad darling dear guys folks friends friend gentlemen ladies man boys
    girls freunde leute kinder mama papa schatz freund herren damen doctor professor captain
    doktor
    """
)
_AFTER_CALLS = frozenset(
    ("pronoun", "interjection", "adverb", "adjective", "particle", "auxiliary")
)
_BEFORE_CALLS = frozenset(("my", "dear", "mr", "mrs", "dr", "herr", "frau", "meine", "mein", "oh"))


@dataclass(frozen=True)
class Span:
    """Theme, rheme or focus on tokens first to last."""

    kind: str
    first: int
    last: int
    written: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class _View:
    """Features of the tokens that the rules use."""

    analysis: Analysis
    language: Language

    @property
    def tokens(self) -> tuple[Token, ...]:
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
        return any(i in self.finite for i in range(first, last + 1))


# -------------------------------------------------------------------------------------- clauses


def clauses_of(analysis: Analysis, language: Language) -> list[tuple[int, int]]:
    """Discourse segments, first and last token of each; together they cover every token."""
    view = _View(analysis, language)
    out: list[tuple[int, int]] = []
    for first, last in analysis.sentences:
        start = first
        for i in range(first, last):
            if _ends_clause(view, i, start, last):
                out.append((start, i))
                start = i + 1
        out.append((start, last))
    return out


def _ends_clause(view: _View, i: int, start: int, last: int) -> bool:
    """Whether a clause ends with a token: at strong punctuation, or with verbs on both sides."""
    mark = _mark(view, i)
    if mark == "":
        return view.language == "en" and _main_clause_after(view, i, start, last)
    before, after = view.count(start, i), view.count(i + 1, last)
    reach = _reach(view, i + 1, last)
    verbs = view.has_verb(start, i) and view.has_verb(i + 1, reach)
    short = verbs and mark == "comma" and _has_subject(view, start) and _has_subject(view, i + 1)
    if min(before, after) < (2 if short else _LEAST_WORDS):
        return False
    if mark == "strong" or (mark == "comma" and before > _LONGEST_CLAUSE):
        return True
    if mark == "comma" and view.language == "en" and not _closing(view.tokens, i):
        # "The man, who was old, left": the verb continues the earlier clause.
        return verbs and i + 1 not in view.finite
    return verbs


def _mark(view: _View, i: int) -> str:
    """Separator between a token and the next: strong, comma, word (a conjunction) or empty."""
    tokens = view.tokens
    token, following = tokens[i], tokens[i + 1]
    if _closing(tokens, i + 1):
        return ""
    before = i
    while before > 0 and _closing(tokens, before):
        before -= 1
    text = tokens[before].text
    dash = text == "-" and before and tokens[before - 1].end < tokens[before].start
    if text in _STRONG or (dash and token.end < following.start):
        return "strong"
    if text == "," or (before < i and text[0] in ".!?\u2026"):
        return "comma"
    joins = following.pos == "conjunction" or view.words[i + 1] in _ADVERBIAL
    if joins and token.is_word and token.pos != "conjunction" and view.words[i + 1] != "than":
        return "word"
    return ""


def _closing(tokens: Sequence[Token], i: int) -> bool:
    """Whether a token closes a quotation or a bracket."""
    if tokens[i].text not in CLOSING or i == 0 or tokens[i - 1].end < tokens[i].start:
        return False
    return i + 1 == len(tokens) or tokens[i + 1].start > tokens[i].end or not tokens[i + 1].is_word


def _reach(view: _View, start: int, last: int) -> int:
    """Latest end of the clause that starts here, by which its verb must occur."""
    for i in range(start + 1, last + 1):
        if view.words[i] == "," or view.words[i] in _STRONG or view.words[i] in _RELATIVE:
            return i
        joins = start + 1 < i < last and view.tokens[i].pos == "conjunction"
        if joins and (view.words[i + 1] in _SUBJECT_PRONOUNS or i + 1 in view.finite):
            return i
    return last


def _has_subject(view: _View, start: int) -> bool:
    """Whether a clause begins with a pronoun and its verb."""
    if start in view.subject_with_verb:
        return True
    return view.words[start] in _PERSONS and start + 1 in view.finite


def _main_clause_after(view: _View, i: int, start: int, last: int) -> bool:
    """Whether a main clause follows a subordinate one without a comma: "If I sit there I need"."""
    if view.words[start] not in _OPENERS or view.words[i + 1] not in _SUBJECT_PRONOUNS:
        return False
    if view.tokens[i].pos in ("conjunction", "preposition", "auxiliary") or i + 2 > last:
        return False
    if view.words[i] in _QUESTIONS or not view.has_verb(start, i):
        return False
    enough = min(view.count(start, i), view.count(i + 1, last)) >= _LEAST_WORDS
    return enough and view.has_verb(i + 2, min(i + 3, last))


# ------------------------------------------------------------------------------ theme and rheme


def information_of(
    analysis: Analysis,
    language: Language,
    clauses: Sequence[tuple[int, int]],
    prominence: Mapping[int, float] | None,
    written: Sequence[Span] = (),
) -> list[Span]:
    """Themes, rhemes and foci of all clauses, in order.

    Parameters
    ----------
    analysis, language, clauses : the text.
    prominence : by token, of every spoken word, 0 to 1; None if the text was not spoken.
    written : spans set by the author. They are kept, and where there is one, no other of its kind
        is searched for: themes and rhemes are one kind, foci the other.
    """
    view = _View(analysis, language)
    contrasted = _contrasted_subjects(view, clauses)
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


def _by_clause(written: Sequence[Span], clauses: Sequence[tuple[int, int]]) -> list[list[Span]]:
    """For every clause the author's spans that overlap it."""
    out: list[list[Span]] = [[] for _ in clauses]
    lasts = [last for _, last in clauses]
    for span in written:
        for n in range(bisect_left(lasts, span.first), bisect_left(lasts, span.last) + 1):
            out[n].append(span)
    return out


def _of_clause(
    view: _View,
    words: Sequence[int],
    known: set[str],
    contrasted: set[int],
    prominence: Mapping[int, float],
    own: Sequence[Span],
) -> list[Span]:
    """Spans found in a clause in addition to the author's own."""
    foci = [(s.first, s.last) for s in own if s.kind == "focus"]
    parted = [s for s in own if s.kind != "focus"]
    spoken = _without_calls(view, _without_report(view, words))
    theme = _theme_end(view, spoken, known)
    singled: list[_Place] = []
    if not foci:
        singled = (
            _singled_out(view, spoken)
            or _loud_in_theme(spoken, theme, prominence)
            or ([] if prominence else _contrasted(view, spoken, contrasted, known))
        )
    if parted:
        found, rheme = _beside_written(words, parted)
    else:
        if any(first < spoken[theme] for first, _ in (*foci, *singled)):
            theme = 0  # A focus is within a rheme.
        found, rheme = _parted(spoken, theme), spoken[theme:]
    if foci or not rheme:
        return found
    inside = set(rheme)
    places = [p for p in singled if inside.issuperset(p)]
    places = places or [_focus(view, rheme, known, prominence)]
    return [*found, *(Span("focus", *place) for place in places)]


def _parted(spoken: Sequence[int], theme: int) -> list[Span]:
    rheme = Span("rheme", spoken[theme], spoken[-1])
    return [Span("theme", spoken[0], spoken[theme - 1]), rheme] if theme else [rheme]


def _beside_written(words: Sequence[int], parted: Sequence[Span]) -> tuple[list[Span], list[int]]:
    """Words of the rheme where the author has set theme or rheme; with a theme, the rest."""
    rhemes = [s for s in parted if s.kind == "rheme"]
    if rhemes:
        return [], [i for i in words if any(s.first <= i <= s.last for s in rhemes)]
    after = [i for i in words if i > max(s.last for s in parted)]
    rest = after or [i for i in words if i < min(s.first for s in parted)]
    return [Span("rheme", rest[0], rest[-1])] if rest else [], rest


def _loud_in_theme(
    spoken: Sequence[int], theme: int, prominence: Mapping[int, float]
) -> list[_Place]:
    """Word of the theme that is so much more prominent than the rheme that it is the focus."""
    if not prominence or not theme:
        return []
    loudest = max(spoken[:theme], key=lambda i: (prominence[i], i))
    others = max(prominence[i] for i in spoken[theme:])
    return [(loudest, loudest)] if prominence[loudest] > others + _LOUDER else []


def _theme_end(view: _View, words: Sequence[int], known: set[str]) -> int:
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
        return _taken_up(view, words[:verb])
    if not _given(view, words[:verb], known):
        return 0
    while verb > 1 and view.tokens[words[verb - 1]].pos in ("adverb", "particle"):
        verb -= 1  # "she never came" is about her, not about never
    return verb


def _asks(view: _View, words: Sequence[int]) -> bool:
    after = view.tokens[words[-1] + 1 : words[-1] + 3]
    return view.words[words[0]] in _QUESTIONS and any(t.text[0] == "?" for t in after)


def _given(view: _View, before: Sequence[int], known: set[str]) -> bool:
    """Whether the words before the verb are given information."""
    nouns = [n for n, i in enumerate(before) if view.tokens[i].pos == "noun"]
    fresh = any(view.tokens[before[n]].lemma.casefold() not in known for n in nouns)
    if fresh and any(_word(view, i) in _ARTICLES and _stands_for(view, i) for i in before):
        return False
    nominal = [i for i in before if view.tokens[i].pos not in ("adverb", "particle")]
    if nominal and view.words[nominal[-1]] in _PERSONAL:
        return True
    if any(_word(view, i) in _NEW and _stands_for(view, i) for i in before):
        return False
    if not fresh:
        return True
    lead = before[: nouns[0] + 2]  # up to a name after the first noun: "Professor Kolb"
    return any(_definite(view.words[i]) or view.tokens[i].pos == "name" for i in lead)


def _word(view: _View, i: int) -> str:
    """A word without its clitic: "nobody" of "nobody's"."""
    return view.words[i].partition("'")[0]


def _stands_for(view: _View, i: int) -> bool:
    return view.tokens[i].pos != "preposition"  # "an" is an article in one language only


def _definite(word: str) -> bool:
    return word in _DEFINITE or word.startswith(_DEFINITE_STEMS)


def _taken_up(view: _View, before: Sequence[int]) -> int:
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


def _without_report(view: _View, words: Sequence[int]) -> Sequence[int]:
    """Words of a clause without a short "she said" after a quotation."""
    for n in range(1, len(words)):
        between = range(words[n - 1] + 1, words[n])
        closed = any(_closing(view.tokens, i) for i in between)
        lemmas = {view.tokens[i].lemma.casefold() for i in words[n : n + 5]}
        if closed and len(words) - n <= 4 and lemmas & _REPORTS:
            return words[:n]
    return words


def _without_calls(view: _View, words: Sequence[int]) -> list[int]:
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
    if first < back < last and len(names) <= 1 and _comma(view, words[back] - 1):
        last = back
    return list(words[first:last])


def _after_calls(view: _View, words: Sequence[int]) -> int:
    """Number of words of a vocative at the start of a clause."""
    first = at = 0
    while at + 1 < len(words):
        joins = view.words[words[at]] in _BEFORE_CALLS or view.words[words[at]] in ("and", "und")
        calls = _is_call(view, words[at])
        if not (joins or calls):
            break
        at += 1
        if calls and _comma(view, words[at - 1] + 1):
            first = at
    return first if first and _may_follow_a_call(view, words[first]) else 0


def _is_call(view: _View, i: int) -> bool:
    return view.tokens[i].pos == "name" or view.words[i] in _CALLS


def _comma(view: _View, i: int) -> bool:
    return 0 <= i < len(view.tokens) and view.tokens[i].text == ","


def _may_follow_a_call(view: _View, i: int) -> bool:
    """Whether a name before this word is a vocative, not a subject with an apposition."""
    if i + 1 in view.finite:  # "this is"
        return True
    if view.words[i] in _CLEFT or view.words[i] in _DEFINITE:
        return False
    return i in view.finite or view.tokens[i].pos in _AFTER_CALLS


# ----------------------------------------------------------------------------------------- focus


def _focus(
    view: _View, rheme: Sequence[int], known: set[str], prominence: Mapping[int, float]
) -> _Place:
    """The most prominent word, else the last new noun after the verb, else another word."""
    if prominence:
        loud = max(rheme, key=lambda i: (prominence[i], i))
        if prominence[loud] > 0.0:
            return loud, loud
    verb = next((n for n, i in enumerate(rheme) if i in view.finite), 0)
    for words in (rheme if verb + 1 == len(rheme) else rheme[verb:], rheme):
        new = [i for i in words if _is_new(view, i, known)]
        nouns = [i for i in new if view.tokens[i].pos in NOUNS or view.tokens[i].pos == "number"]
        strong = [i for i in new if _word(view, i) not in _WEAK]
        for rows in (nouns, _before_last_verb(view, strong, words), strong, new):
            if rows:
                return _with_modifiers(view, rows[-1], rheme[0])
    content = [i for i in rheme if view.tokens[i].is_content]
    modals = [i for i in rheme if view.tags[i].startswith("VM")]
    return _with_modifiers(view, (content or modals or list(rheme))[-1], rheme[0])


def _before_last_verb(view: _View, strong: Sequence[int], words: Sequence[int]) -> Sequence[int]:
    """The accented word before a clause-final German verb: "die rückwärts ging"."""
    final = view.language == "de" and words and strong[-1:] == [words[-1]]
    if not final or view.tokens[words[-1]].pos != "verb" or len(strong) < 2:
        return ()
    close = strong[-2] == words[-1] - 1 and view.tokens[strong[-2]].pos in ("adjective", "adverb")
    return strong[:-1] if close else ()


def _is_new(view: _View, i: int, known: set[str]) -> bool:
    """Whether a word is new: its meaning was not mentioned before, or is all or nothing."""
    token = view.tokens[i]
    if token.pos == "pronoun":
        return view.words[i] in _QUANTIFIED
    return token.is_content and token.lemma.casefold() not in known


def _with_modifiers(view: _View, at: int, earliest: int) -> _Place:
    """A noun with the adjectives or names right before it."""
    first = at
    if view.tokens[at].pos in NOUNS:
        while first > earliest and view.tokens[first - 1].pos in ("adjective", "name"):
            first -= 1
    return first, at


def _singled_out(view: _View, words: Sequence[int]) -> list[_Place]:
    """The contrasted phrases of a clause."""
    for rule in (_not_but, _but_not, _rather_than, _cleft, _only, _me_too, _shouted):
        found = rule(view, words)
        if found is not None:
            return [found]
    return []


def _contrasted(
    view: _View, words: Sequence[int], contrasted: set[int], known: set[str]
) -> list[_Place]:
    """A contrasted subject, and its predicate."""
    subject = next((n for n, i in enumerate(words) if i in contrasted), None)
    if subject is None:
        return []
    rest = words[subject + 1 :]
    place = words[subject], words[subject]
    if not any(view.tokens[i].is_content for i in rest):
        return [place]
    return [place, _focus(view, rest, known, {})]


def _not_but(view: _View, words: Sequence[int]) -> _Place | None:
    """Not X but Y: Y."""
    for n, i in enumerate(words):
        if view.words[i] in _BUT and any(_negates(view, k) for k in words[:n]):
            return _head(view, words[n + 1 :])
    return None


def _negates(view: _View, i: int) -> bool:
    return view.words[i] in _NOT or view.tokens[i].negated


def _but_not(view: _View, words: Sequence[int]) -> _Place | None:
    """X, not Y: X."""
    for n, i in enumerate(words):
        apart = _comma(view, i - 1) or (_comma(view, i - 2) and view.words[i - 1] in ("and", "und"))
        phrase = n + 1 < len(words) and not any(k in view.finite for k in words[n:])
        if view.words[i] in ("not", "nicht") and apart and phrase:
            return _last_said(view, words[:n])
    return None


def _rather_than(view: _View, words: Sequence[int]) -> _Place | None:
    """X rather than Y, X instead of Y, X statt Y: X."""
    for n, i in enumerate(words[:-1]):
        pair = (view.words[i], view.words[words[n + 1]])
        prefers = pair in (("rather", "than"), ("instead", "of")) or pair[0] in ("statt", "anstatt")
        if prefers and any(k in view.finite for k in words[:n]):
            return _last_said(view, words[:n])
    return None


def _last_said(view: _View, words: Sequence[int]) -> _Place | None:
    content = [i for i in words if view.tokens[i].is_content and view.tokens[i].pos != "adverb"]
    rows = content or list(words)
    return _with_modifiers(view, rows[-1], words[0]) if rows else None


def _cleft(view: _View, words: Sequence[int]) -> _Place | None:
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


def _only(view: _View, words: Sequence[int]) -> _Place | None:
    """Only X, even X: X, unless that is a verb."""
    for n, i in enumerate(words):
        if view.words[i] not in _SINGLING:
            continue
        if view.words[i] == "selbst" and n and view.words[words[n - 1]] in _PERSONS:
            return words[n - 1], i
        following = words[n + 1 :]
        if not following or view.tokens[following[0]].pos in ("verb", "auxiliary", "adverb"):
            continue
        if view.tokens[following[0]].pos in ("particle", "conjunction"):
            continue
        return _head(view, following)
    return None


def _head(view: _View, words: Sequence[int]) -> _Place | None:
    """Head of a phrase: its first noun, else its first content word."""
    if not words:
        return None
    if view.words[words[0]] in _PERSONS and view.tokens[words[0]].pos == "pronoun":
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


def _me_too(view: _View, words: Sequence[int]) -> _Place | None:
    """Me too, ich auch: the pronoun."""
    if len(words) < 2 or view.words[words[-1]] not in ("too", "auch"):
        return None
    at = words[-2]
    return (at, at) if view.words[at] in _PERSONS else None


def _shouted(view: _View, words: Sequence[int]) -> _Place | None:
    """A word in capitals among lower-case words, unless it may be an acronym."""
    if not any(c.islower() for i in words for c in view.tokens[i].text):
        return None
    for i in words:
        token = view.tokens[i]
        long = len(token.text) > 2 or token.text in ("NO", "MY", "WE")
        if long and token.text.isupper() and token.pos not in (*NOUNS, "number"):
            return i, i
    return None


def _contrasted_subjects(view: _View, clauses: Sequence[tuple[int, int]]) -> set[int]:
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
        parallel = max(sizes) <= 4 and _has_subject(view, before[0]) and words[0] == other
        if bare or (after[0] not in starts and (against or parallel)):
            out.update((one, other))
    return out


def _subject(view: _View, clause: tuple[int, int]) -> int | None:
    """The personal pronoun that stands right before the finite verb of a clause."""
    for i in range(clause[0], clause[1] + 1):
        if i in view.finite:
            at = i if i in view.subject_with_verb else i - 1
            return at if at >= clause[0] and _person(view, at) is not None else None
    return None


def _person(view: _View, i: int) -> int | None:
    return _PERSONS.get(_word(view, i))
