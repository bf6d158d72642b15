"""Whether gestures fit their words: planned gestures against those that a director would accept.

A pair is hit if a fitting lexeme ends its stroke with its words, shows the right number and goes the
right way. Every miss has one cause, the first that applies of `CAUSES`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.studies.meaning_texts import MeantText, Pair

HIT = "hit"
CAUSES = (
    "no lexeme",  # the lexicon has none of the fitting lexemes
    "not offered",  # no candidate on the words
    "none fits",  # candidates on the words, but none of a fitting lexeme
    "displaced",  # a fitting candidate, left out for the rate or for others
    "other lexeme",  # the words are gestured, but otherwise
    "moved",  # a fitting lexeme of these words, performed elsewhere
    "wrong content",  # a fitting lexeme in time, with another number, finger or side
)
SIDED = frozenset(("PointingAbstract", "Path", "Shift", "Away", "HeadPoint"))
RAISED = ("above-head", "head")
_ACTING = {"left": "LH", "right": "RH"}


@dataclass(frozen=True)
class FitSettings:
    """When a gesture belongs to a word.

    Parameters
    ----------
    early_s, late_s : a stroke may end this long before the words start and after they end: earlier
        it is seen with other words, later it looks late.
    clash_s : a gesture of other words contradicts only those that are spoken this close to the end
        of its stroke.
    far_s : farther from its own words a gesture with a meaning of its own is lost.
    improbable, likely : a lexeme below the first probability is strange for a word if another one
        is above the second.
    """

    early_s: float = 0.8
    late_s: float = 0.4
    clash_s: float = 0.2
    far_s: float = 0.8
    improbable: float = 0.02
    likely: float = 0.1


@dataclass(frozen=True)
class Shown:
    """A planned gesture.

    Parameters
    ----------
    lexeme, kind, hands : the gesture, its class (``deictic``, ...) and ``LH``, ``RH`` or ``2H``.
    ends_s : ends of its strokes, the main one first; of a hold gesture the start of the hold.
    number : number that the hand shape of a NumberSign shows; 0 for none.
    height : height of the hand at the end of the stroke.
    words_s : time of the words that triggered it; None if unknown.
    probability, best_rival : P(lexeme | tag) of it, and of the likeliest other lexeme.
    """

    lexeme: str
    ends_s: tuple[float, ...]
    hands: str = "RH"
    kind: str = ""
    number: int = 0
    height: str = ""
    words_s: tuple[float, float] | None = None
    probability: float | None = None
    best_rival: float = 0.0

    @property
    def away_s(self) -> float:
        """Time between the end of the main stroke and its words; 0 during them."""
        if self.words_s is None:
            return 0.0
        start_s, end_s = self.words_s
        return max(start_s - self.ends_s[0], self.ends_s[0] - end_s, 0.0)


@dataclass(frozen=True)
class Offer:
    """Candidates on words: when these are said, all lexemes, and the one performed, if any."""

    start_s: float
    end_s: float
    lexemes: frozenset[str]
    performed: str = ""


@dataclass(frozen=True)
class Performed:
    """A performed text: gestures, candidates, time of the words of each pair, length."""

    shown: tuple[Shown, ...]
    offers: tuple[Offer, ...]
    spans_s: tuple[tuple[float, float], ...]
    spoken_s: float = 0.0
    wanted: int = 0


@dataclass(frozen=True)
class Clash:
    """A gesture that contradicts words, or the whole text (empty words)."""

    lexeme: str
    words: str
    end_s: float


@dataclass
class Fit:
    """Counts over performed texts.

    `outcomes` are hits and causes of misses, `reachable` the pairs that the speaker's rate allows.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    clashes: list[Clash] = field(default_factory=list)
    gestures: int = 0
    spoken_s: float = 0.0
    reachable: int = 0
    improbable: int = 0
    meant: int = 0
    far: int = 0

    def add(self, other: Fit) -> None:
        """Add the counts of others."""
        self.outcomes += other.outcomes
        self.clashes += other.clashes
        for name in ("gestures", "spoken_s", "reachable", "improbable", "meant", "far"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def pairs(self) -> int:
        """Number of pairs."""
        return self.outcomes.total()

    def row(self) -> dict[str, float]:
        """Percentages, and gestures a minute."""
        pairs, gestures = max(self.pairs, 1), max(self.gestures, 1)
        causes = {cause: 100.0 * self.outcomes[cause] / pairs for cause in CAUSES}
        return {
            "hits": 100.0 * self.outcomes[HIT] / pairs,
            "cap": 100.0 * self.reachable / pairs,
            "of cap": 100.0 * self.outcomes[HIT] / max(self.reachable, 1),
            "contradictions": 100.0 * len(self.clashes) / gestures,
            "a minute": 60.0 * self.gestures / max(self.spoken_s, 1e-9),
            "improbable": 100.0 * self.improbable / gestures,
            "far": 100.0 * self.far / max(self.meant, 1),
            **causes,
        }


def judge_pair(
    pair: Pair,
    span_s: tuple[float, float],
    done: Performed,
    known: Iterable[str],
    s: FitSettings | None = None,
) -> str:
    """Whether a pair is hit, or why it is missed.

    Parameters
    ----------
    pair : the words and what fits them.
    span_s : start and end of the words.
    done : the performed text.
    known : names of the lexicon.
    s : when a gesture belongs to a word.
    """
    s = s or FitSettings()
    fitting = [g for g in done.shown if g.lexeme in pair.fits and _ticks(g, span_s, s)]
    if any(_right(pair, g, span_s, s) for g in fitting):
        return HIT
    if fitting:
        return "wrong content"
    if not pair.fits & set(known):
        return "no lexeme"
    offers = [o for o in done.offers if o.start_s < span_s[1] and o.end_s > span_s[0]]
    if not offers:
        return "not offered"
    if any(o.performed in pair.fits for o in offers):
        return "moved"
    able = [o for o in offers if o.lexemes & pair.fits]
    if not able:
        return "none fits"
    return "other lexeme" if any(o.performed for o in able) else "displaced"


def score(
    meant: MeantText, done: Performed, known: Iterable[str], s: FitSettings | None = None
) -> tuple[Fit, list[str]]:
    """Counts of a performed text, and the outcome of each pair."""
    s = s or FitSettings()
    pairs = list(zip(meant.pairs, done.spans_s, strict=True))
    known = frozenset(known)
    outcomes = [judge_pair(pair, span, done, known, s) if pair.fits else "" for pair, span in pairs]
    counted = Counter(filter(None, outcomes))
    own = [g for g in done.shown if g.kind in ("deictic", "iconic", "emblem") and g.words_s]
    fit = Fit(
        counted,
        clashes(meant, done, s),
        len(done.shown),
        done.spoken_s,
        min(done.wanted, counted.total()),
        sum(_is_improbable(g, s) for g in done.shown),
        len(own),
        sum(g.away_s > s.far_s for g in own),
    )
    return fit, outcomes


def clashes(meant: MeantText, done: Performed, s: FitSettings | None = None) -> list[Clash]:
    """Gestures that contradict the words they end with, or the whole text.

    A gesture that hits one pair does not contradict its neighbour.
    """
    s = s or FitSettings()
    pairs = list(zip(meant.pairs, done.spans_s, strict=True))
    found = []
    for g in done.shown:
        near = [(p, span) for p, span in pairs if _ticks(g, span, s)]
        if g.lexeme in meant.never:
            found.append(Clash(g.lexeme, "", g.ends_s[0]))
        elif not any(g.lexeme in p.fits and _right(p, g, span, s) for p, span in near):
            against = [
                pair
                for pair, span in near
                if _is_on(g, span, s) and (g.lexeme in pair.against or _is_opposite(pair, g))
            ]
            if against:
                found.append(Clash(g.lexeme, against[0].word, g.ends_s[0]))
    return found


def _ticks(g: Shown, span_s: tuple[float, float], s: FitSettings) -> list[int]:
    """Numbers of the strokes that end with the words, from 1; after-strokes count for counting."""
    ends = g.ends_s if g.lexeme == "CountFingers" else g.ends_s[:1]
    first, last = span_s[0] - s.early_s, span_s[1] + s.late_s
    return [n for n, end in enumerate(ends, 1) if first <= end <= last]


def _is_on(g: Shown, span_s: tuple[float, float], s: FitSettings) -> bool:
    """Whether a gesture is of these words, or ends while they are spoken."""
    if g.words_s is not None and g.words_s[0] < span_s[1] and g.words_s[1] > span_s[0]:
        return True
    return span_s[0] - s.clash_s <= g.ends_s[0] <= span_s[1] + s.clash_s


def _right(pair: Pair, g: Shown, span_s: tuple[float, float], s: FitSettings) -> bool:
    """Whether a gesture shows the number and goes the way of its words."""
    if g.lexeme == "CountFingers" and pair.item:
        # Each gesture counts from its first finger, whatever was counted before.
        return pair.item in _ticks(g, span_s, s)
    if g.lexeme == "CountFingers" and pair.shows:
        return len(g.ends_s) == pair.shows
    if g.lexeme == "NumberSign" and (pair.shows or pair.item):
        return g.number == (pair.shows or pair.item)
    if pair.towards == "up":
        return g.lexeme != "PointingAbstract" or g.height in RAISED
    return not pair.towards or g.lexeme not in SIDED or g.hands == _ACTING[pair.towards]


def _is_opposite(pair: Pair, g: Shown) -> bool:
    """Whether a gesture shows another number, or goes to the other side."""
    wanted = pair.shows or pair.item
    if g.lexeme == "NumberSign":
        return bool(wanted) and g.number not in (0, wanted)
    other = {"left": "RH", "right": "LH"}.get(pair.towards)
    return g.lexeme in SIDED and g.lexeme != "HeadPoint" and g.hands == other


def _is_improbable(g: Shown, s: FitSettings) -> bool:
    rare = g.probability is not None and g.probability < s.improbable
    return rare and g.best_rival > s.likely


def spans_of(
    meant: MeantText, words: Sequence[tuple[int, int]], times: Sequence[tuple[float, float]]
) -> tuple[tuple[float, float], ...]:
    """Time of the words of each pair, from the characters and times of all words of the text."""
    out = []
    for pair in meant.pairs:
        first, last = pair.place(meant.text)
        inside = [t for (a, b), t in zip(words, times, strict=True) if a < last and b > first]
        out.append((inside[0][0], inside[-1][1]))
    return tuple(out)


def table(rows: Mapping[str, Fit]) -> str:
    """Counts of named groups, a row each."""
    columns = ("hits", "cap", "of cap", "contradictions", "a minute", "improbable", "far", *CAUSES)
    width = max(map(len, rows), default=0)
    lines = [" " * width + "  pairs  " + "  ".join(columns)]
    for name, fit in rows.items():
        row = fit.row()
        cells = "  ".join(f"{row[c]:{len(c)}.1f}" for c in columns)
        lines.append(f"{name:{width}}  {fit.pairs:5d}  {cells}")
    return "\n".join(lines)
