"""A speaker's gesture profile: samples of gestures, and probabilities of lexemes and hands.

Section 4.2 of the 2008 paper. A profile contains counts, from which probabilities are estimated
with additive smoothing: corpora are small, and what a speaker did not do in ten minutes is not
impossible. With all smoothing at zero the estimates are plain relative frequencies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from kinesphere.corpus.annotation.annotation import HANDEDNESS
from kinesphere.corpus.profiles.counts import GestureCounts, Moments
from kinesphere.gesture.lexicon import Lexeme, lexicon, mix_tagged_lexemes, own_lexemes
from kinesphere.gesture.positions import HandPosition
from kinesphere.language.tags import semantic_tags

FOCUS = "FOCUS"
_USUALLY_GESTURED = 0.4
_LEXICON_HANDS = ("RH", "LH", "2H")


@dataclass(frozen=True)
class GestureSample:
    """An annotated gesture, a template for generated ones. Numbers are unique in a profile."""

    number: int
    source: str
    lexeme: str
    hands: str
    handshape: str
    trajectory: str
    strokes: int
    stroke_s: float | None
    hold_s: float | None
    start: HandPosition
    end: HandPosition | None
    start_distance: float | None
    end_distance: float | None

    @property
    def is_hold(self) -> bool:
        """Whether it is a hold gesture."""
        return self.strokes == 0


@dataclass(frozen=True)
class Smoothing:
    """How much is added to counts before they become probabilities.

    Parameters
    ----------
    tag : pseudo-occurrences of each tag, gestured as by an average speaker (the prior).
    pair : gestures added after each lexeme, distributed like the speaker's lexemes.
    hand : gestures added to each table of hands, distributed like the speaker's; to the speaker's
        hands themselves, evenly.
    value : observations added to means by lexeme, at the mean of all.
    """

    tag: float = 2.0
    pair: float = 4.0
    hand: float = 1.0
    value: float = 2.0


NO_SMOOTHING = Smoothing(0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Profile:
    """A speaker.

    Parameters
    ----------
    name, language : who, and what was spoken (``en``, ``de``).
    counts, samples : of the annotated performances.
    note : where it comes from; shown with the speaker.
    smoothing : see `Smoothing`.
    portrait : parameters not counted from annotations, by name: turning, Effort, tension.

    Examples
    --------
    >>> import kinesphere as ks
    >>> host = ks.speaker("host")
    >>> round(host.rate_per_minute, 1), host.lexemes[:2]
    (25.3, ('Cup', 'PointingAbstract'))
    """

    name: str
    language: str
    counts: GestureCounts
    samples: tuple[GestureSample, ...]
    note: str = ""
    smoothing: Smoothing = field(default_factory=Smoothing)
    portrait: Mapping[str, float | str] = field(default_factory=dict)

    @cached_property
    def lexemes(self) -> tuple[str, ...]:
        """Lexemes that the speaker uses, the most frequent first."""
        seen = {name: n for name, n in self.counts.lexemes.items() if name}
        return tuple(sorted(seen, key=lambda name: (-seen[name], name)))

    @cached_property
    def _with_lexeme(self) -> int:
        return sum(n for name, n in self.counts.lexemes.items() if name)

    def of_lexeme(self, lexeme: str) -> float:
        """P(l): proportion of a lexeme among the gestures that have one."""
        if not self._with_lexeme:
            return 0.0
        return self.counts.lexemes.get(lexeme, 0) / self._with_lexeme if lexeme else 0.0

    @cached_property
    def gesture_probability(self) -> float:
        """Proportion of tag occurrences with a gesture; a default without data."""
        tags, gestured = sum(self.counts.tags.values()), sum(self.counts.tag_lexemes.values())
        return min(1.0, gestured / tags) if tags and gestured else _USUALLY_GESTURED

    @cached_property
    def _priors(self) -> dict[str, dict[str, float]]:
        """P(l | tag) of an average speaker.

        It is restricted to this speaker's lexemes where those were seen on the tag: what someone
        does counts more than what others do. A tag that was never gestured has all of its lexemes.
        """
        out: dict[str, dict[str, float]] = {}
        for tag, entry in semantic_tags().items():
            weights = dict(entry.lexemes)
            if any(name for name in self._by_tag.get(tag, ())):
                weights = {n: w for n, w in weights.items() if self.of_lexeme(n) > 0.0}
            total = sum(weights.values())
            out[tag] = {n: w / total for n, w in weights.items()} if total else {}
        return out

    def habitual(self, tag: str, habit: float) -> dict[str, float]:
        """P(l | tag) mixed with a proportion `habit` of the speaker's own lexeme probabilities."""
        given = self.given_tag(tag)
        if not habit:
            return given
        total = sum(given.values()) or self.gesture_probability
        out = {name: (1.0 - habit) * p for name, p in given.items()}
        for name, p in self._habits.items():
            out[name] = out.get(name, 0.0) + habit * total * p
        return out

    @property
    def _habits(self) -> dict[str, float]:
        """Lexeme probabilities of the speaker on a word without a particular meaning."""
        own = own_lexemes()
        known = self._habits_by_lexicon.get(own)
        if known is None:
            known = self._habits_by_lexicon[own] = self._estimate_habits()
        return known

    @cached_property
    def _habits_by_lexicon(self) -> dict[tuple[Lexeme, ...], dict[str, float]]:
        return {}

    def _estimate_habits(self) -> dict[str, float]:
        entries = lexicon()
        free = [n for n in self.lexemes if n in entries and not entries[n].particular]
        total = sum(self.of_lexeme(n) for n in free)
        return {n: self.of_lexeme(n) / total for n in free} if total else {}

    @cached_property
    def _by_tag(self) -> dict[str, dict[str, float]]:
        out: dict[str, dict[str, float]] = {}
        for (tag, lexeme), n in self.counts.tag_lexemes.items():
            out.setdefault(tag, {})[lexeme] = float(n)
        return out

    def given_tag(self, tag: str) -> dict[str, float]:
        """P(l | tag) of every lexeme that the tag ever triggers (divided by the tag's occurrences).

        A tag without counts gets the speaker's own lexeme probabilities. Lexemes that name the tag
        in their own entry of the lexicon take their share for every speaker.
        """
        key = (own_lexemes(), tag)
        known = self._tag_cache.get(key)
        if known is None:
            known = mix_tagged_lexemes(self._estimate_tag(tag), tag, self.gesture_probability)
            self._tag_cache[key] = known
        return known

    @cached_property
    def _tag_cache(self) -> dict[tuple[tuple[Lexeme, ...], str], dict[str, float]]:
        return {}

    def _prior(self, tag: str) -> dict[str, float]:
        return self._habits if tag == FOCUS else self._priors.get(tag, {})

    def _estimate_tag(self, tag: str) -> dict[str, float]:
        seen = self._by_tag.get(tag, {})
        occurrences = self.counts.tags.get(tag, 0)
        added = self.smoothing.tag
        prior = self._prior(tag) if added else {}
        total = max(occurrences, sum(seen.values())) + added
        if not total:
            return {}
        names = {*seen, *prior} - {""}
        return {
            name: (seen.get(name, 0.0) + added * self.gesture_probability * prior.get(name, 0.0))
            / total
            for name in sorted(names)
        }

    def following(self, lexeme: str, before: str) -> float:
        """P(l | previous lexeme); P(l) at the start."""
        own = self.of_lexeme(lexeme)
        if not before:
            return own
        total = self._followers.get(before, 0) + self.smoothing.pair
        if not total:
            return 0.0
        seen = self.counts.lexeme_pairs.get((before, lexeme), 0)
        return (seen + self.smoothing.pair * own) / total

    @cached_property
    def _followers(self) -> dict[str, int]:
        out: dict[str, int] = {}
        for (before, after), n in self.counts.lexeme_pairs.items():
            if after:
                out[before] = out.get(before, 0) + n
        return out

    def of_hand(self, hand: str) -> float:
        """P(h)."""
        added = self.smoothing.hand
        total = sum(self.counts.hands.values()) + added
        if not total:
            return 0.0
        return (self.counts.hands.get(hand, 0) + added / len(HANDEDNESS)) / total

    def hand_given_lexeme(self, hand: str, lexeme: str) -> float:
        """P(h | l); that of the lexicon for a lexeme without counts."""
        entry = self._prior_entry(lexeme)
        if entry is not None and self.smoothing.hand:
            return entry.hands[_LEXICON_HANDS.index(hand)]
        return self._hand_after(self.counts.lexeme_hands, lexeme, hand)

    def _prior_entry(self, lexeme: str) -> Lexeme | None:
        """Entry of the lexicon for a lexeme that the speaker was never seen to use."""
        return None if self.counts.lexemes.get(lexeme, 0) else lexicon().get(lexeme)

    def hand_following(self, hand: str, before: str) -> float:
        """P(h | previous hand); P(h) at the start."""
        return (
            self._hand_after(self.counts.hand_pairs, before, hand) if before else self.of_hand(hand)
        )

    def _hand_after(self, table: Mapping[tuple[str, str], int], key: str, hand: str) -> float:
        added = self.smoothing.hand
        total = sum(table.get((key, h), 0) for h in HANDEDNESS) + added
        if not total:
            return self.of_hand(hand)
        return (table.get((key, hand), 0) + added * self.of_hand(hand)) / total

    def _value(self, table: Mapping[str, Moments], lexeme: str) -> tuple[float, float]:
        """Mean and deviation by lexeme, shrunk towards those of all."""
        key = id(table)
        if key not in self._moments_cache:
            self._moments_cache[key] = self._all(table)
        everything = self._moments_cache[key]
        own = table.get(lexeme, Moments())
        added = self.smoothing.value if everything.n else 0.0
        if not own.n + added:
            return everything.mean, everything.deviation
        mean = (own.total + added * everything.mean) / (own.n + added)
        spread = everything.deviation**2 + everything.mean**2
        squares = (own.squares + added * spread) / (own.n + added)
        return mean, max(squares - mean * mean, 0.0) ** 0.5

    @cached_property
    def _moments_cache(self) -> dict[int, Moments]:
        return {}

    @staticmethod
    def _all(table: Mapping[str, Moments]) -> Moments:
        out = Moments()
        for moments in table.values():
            out = out + moments
        return out

    def strokes(self, lexeme: str) -> tuple[float, float]:
        """Mean and deviation of the number of strokes, the main one included."""
        mean, deviation = self._value(self.counts.strokes, lexeme)
        entry = self._prior_entry(lexeme)
        return (mean if entry is None else entry.strokes), deviation

    def end_offset(self, lexeme: str) -> tuple[float, float]:
        """Mean and deviation of the end of the word minus the end of the stroke, seconds."""
        return self._value(self.counts.end_offsets, lexeme)

    def start_offset(self, lexeme: str) -> tuple[float, float]:
        """Mean and deviation of the start of the word minus the start of the hold, seconds."""
        return self._value(self.counts.start_offsets, lexeme)

    def stroke_length(self, lexeme: str) -> tuple[float, float]:
        """Mean and deviation of the length of a main stroke, seconds."""
        mean, deviation = self._value(self.counts.stroke_lengths, lexeme)
        entry = self._prior_entry(lexeme)
        return (mean if entry is None else entry.stroke_s), deviation

    @property
    def rate_per_minute(self) -> float:
        """Gestures a minute."""
        duration = self.counts.duration_s
        return 60.0 * self.counts.gestures / duration if duration else 0.0

    @property
    def gestures_per_unit(self) -> float:
        """Mean number of gestures between two rests."""
        return self.counts.gestures / self.counts.units if self.counts.units else 1.0

    @property
    def larger_units(self) -> float:
        """Proportion of units with more than one gesture."""
        units = self.counts.units
        return 1.0 - self.counts.unit_sizes.get("1", 0) / units if units else 0.0

    @cached_property
    def _samples_by_lexeme(self) -> dict[str, tuple[GestureSample, ...]]:
        out: dict[str, list[GestureSample]] = {}
        for sample in self.samples:
            out.setdefault(sample.lexeme, []).append(sample)
        return {name: tuple(rows) for name, rows in out.items()}

    def samples_of(self, lexeme: str, hands: str | None = None) -> tuple[GestureSample, ...]:
        """Samples of a lexeme; only those with that hand, if there are any."""
        rows = self._samples_by_lexeme.get(lexeme, ())
        same = tuple(s for s in rows if s.hands == hands)
        return same or rows

    def without(self, counts: GestureCounts, source: str) -> Profile:
        """Profile without a passage's own statistics and samples, to generate for that passage."""
        kept = tuple(s for s in self.samples if s.source != source)
        return replace(self, counts=self.counts - counts, samples=kept)
