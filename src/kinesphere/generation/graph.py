"""The graph of an utterance: words in time, and the arcs that span them (section 5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kinesphere.errors import InvalidValueError
from kinesphere.language.tagging import TaggedText


@dataclass(frozen=True)
class GraphWord:
    """A word and its time; `content` words may carry a gesture, `paragraph` counts up."""

    text: str
    start_s: float
    end_s: float
    content: bool = True
    paragraph: int = 0
    closes_sentence: bool = False


@dataclass(frozen=True)
class Arc:
    """An arc over words first to last: a clause, rheme, focus or semantic tag.

    `negated` if the text denies what the words of the tag mean ("not big").
    """

    label: str
    first: int
    last: int
    negated: bool = False

    def within(self, other: Arc) -> bool:
        """Whether it lies inside another arc."""
        return other.first <= self.first and self.last <= other.last

    def apart(self, other: Arc) -> int:
        """Words between two arcs; 0 if they touch or overlap."""
        return max(self.first - other.last, other.first - self.last, 0)


@dataclass(frozen=True)
class AskedGesture:
    """A gesture set by the author; lexeme ``none`` forbids any."""

    lexeme: str
    hands: str | None
    first: int
    last: int


@dataclass(frozen=True)
class Graph:
    """Words with their times (the nodes), and the arcs over them, each kind in order.

    Arcs of words and lemmas are the words themselves; gestures come later, as candidates. The
    register (plain, grave or glad) is the text's as a whole.
    """

    words: tuple[GraphWord, ...]
    clauses: tuple[Arc, ...]
    rhemes: tuple[Arc, ...]
    foci: tuple[Arc, ...]
    tags: tuple[Arc, ...]
    asked: tuple[AskedGesture, ...] = ()
    language: str = "en"
    register: str = "plain"

    @property
    def duration_s(self) -> float:
        """End of the last word."""
        return self.words[-1].end_s if self.words else 0.0

    @property
    def spoken_s(self) -> float:
        """Time from the first word to the last."""
        return self.words[-1].end_s - self.words[0].start_s if self.words else 0.0

    def text(self, first: int, last: int) -> str:
        """Words of a range."""
        return " ".join(word.text for word in self.words[first : last + 1])


_CLOSED = frozenset(
    ("pronoun", "determiner", "preposition", "conjunction", "auxiliary", "particle")
)
_SENTENCE_ENDS = frozenset(".!?…")


def graph_of(tagged: TaggedText, times: Sequence[tuple[float, float]]) -> Graph:
    """Build the graph of a tagged text whose words are spoken at the given times.

    Raises
    ------
    InvalidValueError
        If the number of times differs from that of the words, or the times run backward.
    """
    places = [i for i, token in enumerate(tagged.tokens) if token.is_word]
    if len(places) != len(times):
        raise InvalidValueError(f"{len(times)} times for {len(places)} words; each needs one")
    word_at = _nearest_words(len(tagged.tokens), places)

    def arcs(rows: Sequence[tuple[str, int, int]]) -> tuple[Arc, ...]:
        made = []
        for label, first, last in rows:
            span = _words_in(word_at, first, last)
            if span is not None:
                made.append(Arc(label, *span))
        return tuple(made)

    tags = [
        Arc(tag.tag, *span, tag.negated)
        for tag in tagged.tags
        if (span := _words_in(word_at, tag.first, tag.last)) is not None
    ]
    information = [(s.kind, s.first, s.last) for s in tagged.information]
    asked = []
    for gesture in tagged.gestures:
        span = _words_in(word_at, gesture.first, gesture.last)
        if span is not None:
            asked.append(AskedGesture(gesture.lexeme, gesture.hands, *span))
    return Graph(
        words=_graph_words(tagged, places, times),
        clauses=arcs([("clause", a, b) for a, b in tagged.clauses]),
        rhemes=arcs([row for row in information if row[0] == "rheme"]),
        foci=arcs([row for row in information if row[0] == "focus"]),
        tags=tuple(tags),
        asked=tuple(asked),
        language=tagged.language,
        register=tagged.register,
    )


def _graph_words(
    tagged: TaggedText, places: Sequence[int], times: Sequence[tuple[float, float]]
) -> tuple[GraphWord, ...]:
    tokens = tagged.tokens
    words = []
    paragraph = 0
    before = 0
    for n, i in enumerate(places):
        token = tokens[i]
        if "\n\n" in tagged.text[before : token.start].replace("\r", ""):
            paragraph += 1
        before = token.end
        start, end = times[n]
        if end < start or (n and start < times[n - 1][0]):
            raise InvalidValueError(f"word {n + 1} ({token.text!r}): its times run backward")
        following = places[n + 1] if n + 1 < len(places) else len(tokens)
        closes = any(tokens[k].text[:1] in _SENTENCE_ENDS for k in range(i + 1, following))
        content = token.pos not in _CLOSED
        words.append(GraphWord(token.text, start, end, content, paragraph, closes))
    return tuple(words)


def _nearest_words(count: int, places: Sequence[int]) -> list[int | None]:
    out: list[int | None] = [None] * count
    for n, i in enumerate(places):
        out[i] = n
    return out


def _words_in(word_at: Sequence[int | None], first: int, last: int) -> tuple[int, int] | None:
    inside = [n for n in word_at[first : last + 1] if n is not None]
    return (inside[0], inside[-1]) if inside else None
