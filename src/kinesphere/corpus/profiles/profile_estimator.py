"""Estimates a speaker's profile from annotated performances."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from kinesphere.corpus.annotation.annotation import AnnotatedGesture, Annotation
from kinesphere.corpus.profiles.counts import GestureCounts, Moments, Tally
from kinesphere.corpus.profiles.profile import GestureSample, Profile, Smoothing
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.lexicon import lexicon
from kinesphere.gesture.positions import HandPosition
from kinesphere.language.tagging import tag_text
from kinesphere.language.tokens import Language

CONTINUED = "+"
"""Suffix of a word's tag if the word continues the tagged phrase of the previous word."""
_MIDDLE = HandPosition("abdomen", "normal", "front", "normal")


@dataclass(frozen=True)
class WordTag:
    """A semantic tag on words first to last."""

    tag: str
    first: int
    last: int


def word_tags(annotation: Annotation) -> tuple[WordTag, ...]:
    """Semantic tags of an annotation's words: the annotated ones, or computed if there are none."""
    if any(word.tag for word in annotation.words):
        return _written_tags(annotation)
    return _found_tags(annotation)


def _written_tags(annotation: Annotation) -> tuple[WordTag, ...]:
    out: list[WordTag] = []
    for i, word in enumerate(annotation.words):
        name = word.tag.removesuffix(CONTINUED)
        if word.tag.endswith(CONTINUED) and out and (out[-1].tag, out[-1].last) == (name, i - 1):
            out[-1] = WordTag(name, out[-1].first, i)
        elif name:
            out.append(WordTag(name, i, i))
    return tuple(out)


def _found_tags(annotation: Annotation) -> tuple[WordTag, ...]:
    text, owner = _join_words(annotation)
    language: Language = "de" if annotation.language == "de" else "en"
    found = tag_text(text, language)
    out = []
    for span in found.tags:
        first = owner[found.tokens[span.first].start]
        last = owner[found.tokens[span.last].start]
        out.append(WordTag(span.tag, first, last))
    return tuple(out)


def _join_words(annotation: Annotation) -> tuple[str, list[int]]:
    """Words as text, one line per clause, and the index of the word of each character."""
    ends = {c.end_s for c in annotation.clauses}
    text, owner = "", []
    for i, word in enumerate(annotation.words):
        closing = ".\n" if word.end_s in ends and word.text[-1:] not in ".!?" else " "
        piece = word.text + closing
        text += piece
        owner += [i] * len(piece)
    return text, owner


def counts_of(annotation: Annotation) -> GestureCounts:
    """Counts of an annotation for a profile."""
    tally = Tally()
    tags = word_tags(annotation)
    owner: dict[int, str] = {}
    for span in tags:
        tally.add("tags", span.tag)
        owner.update(dict.fromkeys(range(span.first, span.last + 1), span.tag))
    before_lexeme = before_hand = ""
    for gesture in annotation.gestures:
        tally.add("lexemes", gesture.lexeme)
        tally.add("lexeme_pairs", (before_lexeme, gesture.lexeme))
        before_lexeme = gesture.lexeme
        if gesture.hands is not None:
            tally.add("hands", gesture.hands)
            tally.add("hand_pairs", (before_hand, gesture.hands))
            tally.add("lexeme_hands", (gesture.lexeme, gesture.hands))
            before_hand = gesture.hands
        tag = _tag_of(gesture, owner)
        if tag and gesture.lexeme:
            tally.add("tag_lexemes", (tag, gesture.lexeme))
        _note_times(tally, gesture, annotation)
    for phase in annotation.phases:
        tally.add("phases", phase.kind)
    for unit in annotation.units:
        tally.add("unit_sizes", str(len(unit.gestures)))
        tally.add("rest_poses", unit.rest_pose or "at-side")
    for turn in annotation.turns:
        if turn.part == "body":
            tally.add("turns", turn.direction)
    return tally.counts(annotation.duration_s)


def _tag_of(gesture: AnnotatedGesture, owner: dict[int, str]) -> str:
    """Semantic tag of a gesture's lexical affiliate."""
    if gesture.affiliate is None:
        return ""
    first, last = gesture.affiliate
    return next((owner[i] for i in range(first, last + 1) if i in owner), "")


def _note_times(tally: Tally, gesture: AnnotatedGesture, annotation: Annotation) -> None:
    name = gesture.lexeme
    spoken = gesture.cooccurrence or gesture.affiliate
    stroke, hold = gesture.stroke, gesture.hold
    if stroke is None:
        if hold is not None and spoken is not None:
            tally.note("start_offsets", name, annotation.words[spoken[0]].start_s - hold.start_s)
        return
    tally.note("strokes", name, gesture.strokes)
    end = gesture.main_stroke_end_s
    assert end is not None
    tally.note("stroke_lengths", name, end - stroke.start_s)
    if spoken is not None:
        tally.note("end_offsets", name, annotation.words[spoken[1]].end_s - end)
    if stroke.strokes > 1:
        interval = (stroke.end_s - end) / (stroke.strokes - 1)
        tally.after_intervals = tally.after_intervals + Moments.of(interval)
    if hold is not None:
        tally.add("holds", name)
        tally.note("hold_lengths", name, hold.duration_s)


def samples_of(annotation: Annotation, source: str, first: int = 0) -> tuple[GestureSample, ...]:
    """Gestures of an annotation as samples; missing fields come from the lexicon."""
    out: list[GestureSample] = []
    for gesture in annotation.gestures:
        entry = lexicon().get(gesture.lexeme)
        if not gesture.lexeme or gesture.hands is None:
            continue
        is_hold = gesture.stroke is None
        end_s, stroke = gesture.main_stroke_end_s, gesture.stroke
        two = gesture.hands == "2H"
        usual = entry.hand_distance if entry is not None else (0.7, 0.7)
        out.append(
            GestureSample(
                number=first + len(out),
                source=source,
                lexeme=gesture.lexeme,
                hands=gesture.hands,
                handshape=gesture.handshape,
                trajectory=gesture.trajectory or (entry.trajectory if entry else "straight"),
                strokes=gesture.strokes,
                stroke_s=None if stroke is None or end_s is None else end_s - stroke.start_s,
                hold_s=None if gesture.hold is None else gesture.hold.duration_s,
                start=gesture.start or (entry.start if entry else _MIDDLE),
                end=None if is_hold else gesture.end or (entry.end if entry else _MIDDLE),
                start_distance=_distance(gesture.start_distance, usual[0]) if two else None,
                end_distance=(
                    _distance(gesture.end_distance, usual[1]) if two and not is_hold else None
                ),
            )
        )
    return tuple(out)


def _distance(annotated: float | None, usual: float) -> float:
    return usual if annotated is None else annotated


@dataclass
class ProfileEstimator:
    """Estimator with scikit-learn's interface: ``ProfileEstimator().fit(annotations).profile_``.

    Parameters
    ----------
    name : of the speaker; by default that of the first annotation.
    smoothing : see `Smoothing`.
    """

    name: str = ""
    smoothing: Smoothing = field(default_factory=Smoothing)
    profile_: Profile = field(init=False)

    def fit(
        self, annotations: Iterable[Annotation], sources: Sequence[str] = ()
    ) -> ProfileEstimator:
        """Count annotated performances; `sources` name them, so that one can be removed again.

        Raises
        ------
        InvalidValueError
            If there is no annotation, or no gesture in any of them.
        """
        rows = list(annotations)
        counts = GestureCounts()
        samples: list[GestureSample] = []
        for i, annotation in enumerate(rows):
            counts = counts + counts_of(annotation)
            source = sources[i] if i < len(sources) else f"{annotation.speaker}-{i + 1}"
            samples += samples_of(annotation, source, len(samples))
        if not counts.gestures:
            raise InvalidValueError("a profile needs at least one annotated gesture, found none")
        self.profile_ = Profile(
            name=self.name or rows[0].speaker,
            language=rows[0].language,
            counts=counts,
            samples=tuple(samples),
            note=rows[0].note,
            smoothing=self.smoothing,
        )
        return self
