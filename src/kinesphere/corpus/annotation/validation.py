"""Checks an annotation for missing or invalid content, and for which purpose that matters.

Three purposes: a speaker's *profile* (which gestures, how often, with which hand, to which words),
the *recreation* of the annotated passage as motion, and *timing* of strokes relative to words.
Annotations are rarely complete: what one purpose needs, another does without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, get_args

from kinesphere.corpus.annotation.annotation import (
    REST_POSES,
    AnnotatedGesture,
    AnnotatedUnit,
    Annotation,
    PhaseMark,
)
from kinesphere.gesture.lexicon import HAND_SHAPES, lexicon, suggestion

Purpose = Literal["profile", "recreation", "timing"]
PURPOSES: tuple[Purpose, ...] = get_args(Purpose)
_EFFECTS = {
    "profile": "not usable for a profile",
    "recreation": "cannot be recreated",
    "timing": "cannot be timed",
}
_GRAMMAR = "[preparation] [hold] stroke [hold] or [preparation] hold"
_ROUNDING_S = 1e-3


@dataclass(frozen=True)
class Finding:
    """Something missing or invalid in an annotation.

    Parameters
    ----------
    time_s : when; 0 for what concerns the whole.
    place : the item concerned, such as ``gesture 3 (Cup)``.
    what : what was found, and what is allowed.
    hinders : purposes that it prevents.
    without : purposes that do not need it.

    >>> print(Finding(1.2, "gesture 1 (Cup)", "no start position", ("recreation",), ("profile",)))
    1.200 s, gesture 1 (Cup): no start position: cannot be recreated, profile does without
    """

    time_s: float
    place: str
    what: str
    hinders: tuple[Purpose, ...] = ()
    without: tuple[Purpose, ...] = ()

    def __str__(self) -> str:
        effects = [_EFFECTS[purpose] for purpose in self.hinders]
        if self.without:
            effects.append(f"{' and '.join(self.without)} {_do(self.without)} without")
        text = f"{self.time_s:.3f} s, {self.place}: {self.what}"
        return f"{text}: {', '.join(effects)}" if effects else text


def _do(purposes: Sequence[str]) -> str:
    return "does" if len(purposes) == 1 else "do"


def check(annotation: Annotation) -> tuple[Finding, ...]:
    """List all problems of an annotation, in order of time.

    Missing lemmas, parts of speech and semantic tags are listed once: they are computed
    automatically.
    """
    found = [*_of_words(annotation), *_of_lengths(annotation)]
    number = 0
    for i, unit in enumerate(annotation.units, 1):
        found += _of_unit(unit, f"unit {i}")
        for gesture in unit.gestures:
            number += 1
            place = f"gesture {number} ({gesture.lexeme or 'no lexeme'})"
            found += _of_gesture(gesture, place, annotation)
    found += _of_order(annotation)
    return tuple(sorted(found, key=lambda finding: finding.time_s))


def _of_words(annotation: Annotation) -> Iterator[Finding]:
    words = annotation.words
    if not words:
        yield Finding(0.0, "words", "none", ("profile", "timing"), ("recreation",))
    for name in ("lemma", "pos", "tag"):
        bare = [word for word in words if not getattr(word, name)]
        called = {"lemma": "a lemma", "pos": "a part of speech", "tag": "a semantic tag"}[name]
        # Few words carry a semantic tag: they are missing only where there is none at all.
        if bare and (name != "tag" or len(bare) == len(words)):
            what = f"{len(bare)} of {len(words)} words without {called}: computed automatically"
            yield Finding(bare[0].start_s, "words", what)


def _of_lengths(annotation: Annotation) -> Iterator[Finding]:
    if not annotation.units:
        yield Finding(0.0, "gestures", "none", PURPOSES)
    ends = [word.end_s for word in annotation.words] + [p.end_s for p in annotation.phases]
    last_s = max(ends, default=0.0)
    if last_s > annotation.duration_s + _ROUNDING_S:
        what = f"goes on to {last_s:g} s, the performance lasts {annotation.duration_s:g} s"
        yield Finding(annotation.duration_s, "annotation", what)


def _of_order(annotation: Annotation) -> Iterator[Finding]:
    """Find phases that overlap."""
    for before, after in pairwise(annotation.phases):
        if after.start_s < before.end_s - _ROUNDING_S:
            what = f"{after.kind} begins before {before.kind} ends at {before.end_s:g} s"
            yield Finding(after.start_s, "phases", what, ("recreation", "timing"), ("profile",))


def _of_unit(unit: AnnotatedUnit, place: str) -> Iterator[Finding]:
    end_s = unit.gestures[-1].end_s
    if unit.retraction is None:
        yield Finding(end_s, place, "no retraction", ("recreation",), ("profile", "timing"))
    elif unit.retraction.kind != "retraction":
        what = f"ends with {unit.retraction.kind}, expected retraction"
        yield Finding(end_s, place, what, ("recreation",), ("profile", "timing"))
    if not unit.rest_pose:
        yield Finding(end_s, place, f"no rest pose: {REST_POSES[0]} is assumed")
    elif unit.rest_pose not in REST_POSES:
        what = f"rest pose {unit.rest_pose!r}, allowed are {', '.join(REST_POSES)}"
        yield Finding(end_s, place, what, ("recreation",), ("profile", "timing"))


def _of_gesture(gesture: AnnotatedGesture, place: str, annotation: Annotation) -> Iterator[Finding]:
    def finding(
        what: str, hinders: tuple[Purpose, ...], without: tuple[Purpose, ...] = ()
    ) -> Finding:
        return Finding(gesture.start_s, place, what, hinders, without)

    if not gesture.lexeme:
        yield finding("no lexeme", ("profile",), ("recreation", "timing"))
    elif gesture.lexeme not in lexicon():
        what = f"lexeme {gesture.lexeme!r} is unknown, near are {suggestion(gesture.lexeme)}"
        yield finding(what, ("profile", "recreation"), ("timing",))
    if gesture.hands is None:
        what = "no handedness, allowed are LH, RH, 2H"
        yield finding(what, ("profile", "recreation"), ("timing",))
    for what in (*_missing_positions(gesture), *_missing_distances(gesture)):
        yield finding(what, ("recreation",), ("profile", "timing"))
    for part in gesture.handshape.replace("+", ">").split(">"):
        if part and part not in HAND_SHAPES:
            what = f"hand shape {part!r} is unknown, near are {suggestion(part, HAND_SHAPES)}"
            yield finding(what, ("recreation",), ("profile", "timing"))
    if not _is_grammatical(gesture.phases):
        kinds = ", ".join(phase.kind for phase in gesture.phases)
        yield finding(f"phases are {kinds}, allowed are {_GRAMMAR}", ("recreation", "timing"))
    for what in _wrong_strokes(gesture):
        yield finding(what, ("recreation", "timing"), ("profile",))
    for what in _wrong_words(gesture, annotation):
        yield finding(what, ("profile", "timing"), ("recreation",))
    if annotation.words and gesture.affiliate is None and gesture.cooccurrence is None:
        yield finding("no affiliate and no co-occurrence", ("timing",), ("profile", "recreation"))


def _missing_positions(gesture: AnnotatedGesture) -> Iterator[str]:
    if gesture.start is None:
        yield "no start position"
    if gesture.end is None and gesture.stroke is not None:
        yield "no end position"


def _missing_distances(gesture: AnnotatedGesture) -> Iterator[str]:
    if gesture.hands == "2H" and gesture.start_distance is None:
        yield "no distance of the two hands at the start"
    if gesture.hands == "2H" and gesture.end_distance is None and gesture.stroke is not None:
        yield "no distance of the two hands at the end"


def _is_grammatical(phases: Sequence[PhaseMark]) -> bool:
    """Whether phases follow the grammar of one gesture.

    >>> _is_grammatical([PhaseMark("preparation", 0, 1), PhaseMark("hold", 1, 2)])
    True
    """
    letters = "".join(phase.kind[0] for phase in phases)
    return letters.removeprefix("p") in ("s", "hs", "sh", "hsh", "h")


def _wrong_strokes(gesture: AnnotatedGesture) -> Iterator[str]:
    stroke = gesture.stroke
    if stroke is None:
        return
    edges = (stroke.start_s, *stroke.stroke_ends, stroke.end_s)
    if any(after < before - _ROUNDING_S for before, after in pairwise(edges)):
        ends = " ".join(f"{end:g}" for end in stroke.stroke_ends)
        yield f"ends of strokes {ends} s do not lie in order from {edges[0]:g} to {edges[-1]:g} s"


def _wrong_words(gesture: AnnotatedGesture, annotation: Annotation) -> Iterator[str]:
    for name, span in (("affiliate", gesture.affiliate), ("co-occurrence", gesture.cooccurrence)):
        if span is not None and not 0 <= span[0] <= span[1] < len(annotation.words):
            numbers = f"words {span[0] + 1} to {span[1] + 1}"
            yield f"{name} is {numbers}, allowed are 1 to {len(annotation.words)}"
