"""Tagged text: the analysis of a text that gesture generation needs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from kinesphere.errors import InvalidValueError
from kinesphere.language.analysis import analyse
from kinesphere.language.clauses import clauses_of
from kinesphere.language.information import InformationSpan, information_of
from kinesphere.language.matching import choose_matches, matches
from kinesphere.language.negation import denied_words
from kinesphere.language.recognition import guess_language
from kinesphere.language.register import Register, register_of
from kinesphere.language.tags import FOCUS, check_tag
from kinesphere.language.tokens import Analysis, Language, Token
from kinesphere.language.word_lists import word_list

__all__ = [
    "InformationSpan",
    "ParsedText",
    "TagSpan",
    "TaggedText",
    "Token",
    "Written",
    "WrittenGesture",
    "parse_text",
    "tag_text",
]
HANDS = ("LH", "RH", "2H")
NO_GESTURE = "none"
KINDS = ("theme", "rheme", "focus")
TITLE = "TITLE"
_LEXEME = re.compile(r"\w[\w.-]*")
_FALLBACK = frozenset(("noun", "name", "verb", "adjective", "adverb", "number"))
_INSIDE_NAMES = word_list("inside_names")


@dataclass(frozen=True)
class TagSpan:
    """A semantic tag on tokens first to last; `written` by the author.

    `negated` if the text denies what the words mean ("not big"): a fitting gesture shows that.
    """

    tag: str
    first: int
    last: int
    written: bool = field(default=False, compare=False)
    negated: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class WrittenGesture:
    """A gesture requested by the author; lexeme ``none`` forbids any.

    `hands` is LH, RH or 2H, or None where it does not matter.
    """

    lexeme: str
    first: int
    last: int
    hands: str | None = None

    def __post_init__(self) -> None:
        if _LEXEME.fullmatch(self.lexeme) is None:
            raise InvalidValueError(
                f"gesture {self.lexeme!r}, allowed is a name such as PointingAbstract, or none"
            )
        if self.hands is not None and self.hands not in HANDS:
            raise InvalidValueError(f"hand {self.hands!r}, allowed are {', '.join(HANDS)}")
        if self.hands is not None and self.lexeme == NO_GESTURE:
            raise InvalidValueError(f"hand {self.hands!r} for no gesture, allowed is none alone")


@dataclass(frozen=True)
class TaggedText:
    """A text with its clauses, information structure and semantic tags, all by token indices.

    Clauses cover every token, in order. Tags do not overlap. The register is the text's as a whole.
    """

    language: Language
    text: str
    tokens: tuple[Token, ...]
    clauses: tuple[tuple[int, int], ...]
    information: tuple[InformationSpan, ...]
    tags: tuple[TagSpan, ...]
    gestures: tuple[WrittenGesture, ...] = ()
    register: Register = field(default="plain", compare=False)

    @property
    def words(self) -> tuple[Token, ...]:
        """The tokens that are spoken."""
        return tuple(t for t in self.tokens if t.is_word)

    def spans(self, kind: str) -> tuple[InformationSpan, ...]:
        """Spans of a kind: theme, rheme or focus."""
        return tuple(s for s in self.information if s.kind == kind)


@dataclass(frozen=True)
class Written:
    """Markup of the author by token indices; it has priority over computed values.

    `untagged` are tokens to leave without a tag; `borders` are clause ends (last tokens). Spans
    of one kind do not overlap; themes and rhemes are one kind.
    """

    tags: tuple[TagSpan, ...] = ()
    untagged: frozenset[int] = frozenset()
    information: tuple[InformationSpan, ...] = ()
    borders: frozenset[int] = frozenset()
    gestures: tuple[WrittenGesture, ...] = ()


def tag_text(
    text: str,
    language: Language | None = None,
    *,
    prominence: Sequence[float] | None = None,
    written: Written | None = None,
) -> TaggedText:
    """Tag a plain text.

    Parameters
    ----------
    text : without markup (`language.markup` reads that).
    language : by default detected from function words.
    prominence : of every spoken word, 0 to 1, if it was spoken; determines the focus.
    written : markup of the author.

    Raises
    ------
    InvalidValueError
        If the text is too large, the language not known, or prominence or `written` do not fit.

    >>> [t.tag for t in tag_text("The giant gave us nothing.", "en").tags]
    ['LARGE', 'GIVE', 'NONE']
    """
    return parse_text(text, language, written).tag(prominence)


def parse_text(
    text: str, language: Language | None = None, written: Written | None = None
) -> ParsedText:
    """Analyse the tokens of a plain text; see `tag_text` for parameters and errors."""
    own = written or Written()
    spoken_in = language or guess_language(text)
    analysis = analyse(text, spoken_in)
    _check(own, len(analysis.tokens))
    return ParsedText(spoken_in, text, analysis, own)


@dataclass(frozen=True, eq=False)
class ParsedText:
    """Tokens of a text and the author's markup, which do not depend on a voice.

    `complete` if nothing is to be added to the markup.
    """

    language: Language
    text: str
    analysis: Analysis
    written: Written
    complete: bool = False

    @property
    def words(self) -> tuple[Token, ...]:
        """The tokens that are spoken."""
        return tuple(t for t in self.analysis.tokens if t.is_word)

    def tag(self, prominence: Sequence[float] | None = None) -> TaggedText:
        """Find clauses, information structure and tags; see `tag_text`."""
        own = self.written
        loud = None if self.complete else _by_token(self.analysis, prominence)
        found = [] if self.complete else clauses_of(self.analysis, self.language)
        last = {len(self.analysis.tokens) - 1} if self.complete and self.analysis.tokens else set()
        clauses = _divide_clauses(found, own.borders | last)
        information, tags = own.information, list(own.tags)
        if not self.complete:
            information = tuple(
                information_of(self.analysis, self.language, clauses, loud, own.information)
            )
            tags += self._tags(information)
        denied = denied_words(self.analysis, self.language, clauses)
        tags = [replace(t, negated=denied.of(t.tag, t.first, t.last)) for t in tags]
        return TaggedText(
            language=self.language,
            text=self.text,
            tokens=self.analysis.tokens,
            clauses=tuple(clauses),
            information=tuple(sorted(information, key=lambda s: (s.first, s.last, s.kind))),
            tags=tuple(sorted(tags, key=lambda t: t.first)),
            gestures=tuple(sorted(own.gestures, key=lambda g: g.first)),
            register=register_of(self.analysis.tokens, self.language, denied.tokens),
        )

    def _tags(self, information: Sequence[InformationSpan]) -> list[TagSpan]:
        """Computed tags, in addition to the author's."""
        analysis, language = self.analysis, self.language
        fixed = _tokens_of(self.written.tags) | self.written.untagged
        titles = _titles(analysis, language, fixed)
        focused = _tokens_of(s for s in information if s.kind == "focus")
        found = [
            *titles,
            *(
                TagSpan(str(m.tag), m.first, m.last)
                for m in choose_matches(
                    matches(analysis, language), focused, fixed | _tokens_of(titles)
                )
            ),
        ]
        return found + _fallback(analysis, information, _tokens_of(found) | fixed)


def _tokens_of(spans: Iterable[InformationSpan | TagSpan]) -> set[int]:
    return {i for s in spans for i in range(s.first, s.last + 1)}


def _check(own: Written, count: int) -> None:
    """Raise if the author's spans are outside the text or overlap."""
    for span in own.information:
        if span.kind not in KINDS:
            raise InvalidValueError(f"kind {span.kind!r}, allowed are {', '.join(KINDS)}")
    for tag in own.tags:
        check_tag(tag.tag)
    for token in (*own.untagged, *own.borders):
        if not 0 <= token < count:
            raise InvalidValueError(f"token {token}, allowed is 0 to {count - 1}")
    groups: tuple[tuple[str, Sequence[InformationSpan | TagSpan | WrittenGesture]], ...] = (
        ("tags", own.tags),
        ("gestures", own.gestures),
        ("foci", [s for s in own.information if s.kind == "focus"]),
        ("themes and rhemes", [s for s in own.information if s.kind != "focus"]),
    )
    for name, spans in groups:
        before = -1
        for found in sorted(spans, key=lambda s: s.first):
            if not before < found.first <= found.last < count:
                raise InvalidValueError(
                    f"{name}: tokens {found.first} to {found.last}, allowed is apart from the "
                    f"others and within 0 to {count - 1}"
                )
            before = found.last


def _by_token(analysis: Analysis, prominence: Sequence[float] | None) -> dict[int, float] | None:
    if prominence is None:
        return None
    words = [i for i, t in enumerate(analysis.tokens) if t.is_word]
    if len(words) != len(prominence):
        raise InvalidValueError(
            f"{len(prominence)} values of prominence for {len(words)} words; each needs one"
        )
    for value in prominence:
        if not (math.isfinite(value) and 0.0 <= value <= 1.0):
            raise InvalidValueError(f"prominence {value:g}, allowed is 0 to 1")
    return dict(zip(words, (float(p) for p in prominence), strict=True))


def _divide_clauses(
    clauses: list[tuple[int, int]], borders: frozenset[int]
) -> list[tuple[int, int]]:
    """Clauses, divided at the author's boundaries too."""
    ends = sorted({last for _, last in clauses} | borders)
    firsts = [0, *(end + 1 for end in ends)]
    return list(zip(firsts, ends, strict=False))


def _titles(analysis: Analysis, language: Language, fixed: set[int]) -> list[TagSpan]:
    """Tags of names of two or more words, which are titles whatever their words mean."""
    out: list[TagSpan] = []
    for first, last in analysis.sentences:
        tokens = analysis.tokens[first : last + 1]
        # German nouns always have a capital, and so has every word of a headline.
        telling = language == "en" and any(t.is_content and t.text[0].islower() for t in tokens)
        run: list[int] = []
        for i in range(first, last + 2):
            token = analysis.tokens[i] if i <= last and i not in fixed else None
            if token is not None and _names(token, telling and i > first):
                run.append(i)
            elif token is None or not run or token.text not in _INSIDE_NAMES:
                if len(run) >= 2:
                    out.append(TagSpan(TITLE, run[0], run[-1]))
                run = []
    return out


def _names(token: Token, telling: bool) -> bool:
    """Whether a word may be part of a name; `telling` if its capital indicates it."""
    if not token.text[0].isupper() or (token.text.isupper() and len(token.text) > 3):
        return False
    return token.pos == "name" or (telling and token.pos in ("noun", "adjective"))


def _fallback(
    analysis: Analysis, information: Sequence[InformationSpan], taken: set[int]
) -> list[TagSpan]:
    """Add the tag FOCUS to the last content word of a focus without a tag."""
    out = []
    for span in information:
        inside = range(span.first, span.last + 1)
        if span.kind != "focus" or taken.intersection(inside):
            continue
        content = [i for i in inside if analysis.tokens[i].pos in _FALLBACK]
        if content:
            out.append(TagSpan(FOCUS, content[-1], content[-1]))
    return out
