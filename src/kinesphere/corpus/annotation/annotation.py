"""Annotation of a performance: its words, and its gestures in phases and units.

The scheme is that of chapter 4 of Neff, Kipp, Albrecht and Seidel (2008). It is independent of the
file format; fields that nobody annotated are empty, and `corpus.annotation.validation` tells for
which purpose that matters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from kinesphere.errors import InvalidValueError
from kinesphere.gesture import script as scripts
from kinesphere.gesture.positions import HandPosition

Handedness = scripts.Hands
HANDEDNESS = scripts.HANDS
MarkKind = Literal["preparation", "hold", "stroke", "retraction"]
MARK_KINDS: tuple[MarkKind, ...] = get_args(MarkKind)
Trajectory = Literal["straight", "curved"]
TRAJECTORIES: tuple[Trajectory, ...] = get_args(Trajectory)
REST_POSES = scripts.REST_POSES
DIRECTIONS = scripts.HEAD_DIRECTIONS


def _check_times(what: str, start_s: float, end_s: float) -> None:
    if not (math.isfinite(start_s) and math.isfinite(end_s)):
        raise InvalidValueError(f"{what} has a time that is not finite")
    if end_s < start_s:
        raise InvalidValueError(f"{what} ends at {end_s:g} s, before its start at {start_s:g} s")


@dataclass(frozen=True)
class AnnotatedWord:
    """A spoken word; lemma, part of speech and semantic tag are empty where not annotated."""

    start_s: float
    end_s: float
    text: str
    lemma: str = ""
    pos: str = ""
    tag: str = ""

    def __post_init__(self) -> None:
        _check_times(f"word {self.text!r}", self.start_s, self.end_s)


@dataclass(frozen=True)
class AnnotatedSpan:
    """An interval of speech: a clause, or a theme, rheme or focus."""

    start_s: float
    end_s: float
    label: str = ""

    def __post_init__(self) -> None:
        _check_times(f"span {self.label!r}", self.start_s, self.end_s)


@dataclass(frozen=True)
class PhaseMark:
    """A phase of a gesture.

    A stroke phase contains the main stroke and its after-strokes: `strokes` counts them all, and
    `stroke_ends` are the ends of each where they are annotated.
    """

    kind: MarkKind
    start_s: float
    end_s: float
    strokes: int = 1
    stroke_ends: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in MARK_KINDS:
            raise InvalidValueError(f"phase {self.kind!r}, allowed are {', '.join(MARK_KINDS)}")
        _check_times(f"phase {self.kind}", self.start_s, self.end_s)
        if self.strokes < 1:
            raise InvalidValueError(f"a stroke phase has {self.strokes} strokes, allowed is >= 1")
        if self.stroke_ends and len(self.stroke_ends) != self.strokes:
            raise InvalidValueError(
                f"a phase of {self.strokes} strokes has {len(self.stroke_ends)} ends of strokes"
            )

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        return self.end_s - self.start_s


@dataclass(frozen=True)
class AnnotatedGesture:
    """One gesture: its phases without the retraction, and its form.

    Parameters
    ----------
    lexeme : name in the lexicon; empty for a gesture that fits none.
    hands : LH, RH or 2H; None where not annotated.
    phases : ``[preparation] [hold] stroke [hold]`` or ``[preparation] hold``.
    start, end : hand at the stroke's start and end; a hold gesture has `start` only.
    start_distance, end_distance : palm to palm in shoulder widths, of two-handed gestures.
    affiliate : first and last index of the words of the lexical affiliate.
    cooccurrence : likewise, of the words spoken during the gesture.
    """

    phases: tuple[PhaseMark, ...]
    lexeme: str = ""
    hands: Handedness | None = None
    handshape: str = ""
    trajectory: Trajectory | None = None
    start: HandPosition | None = None
    end: HandPosition | None = None
    start_distance: float | None = None
    end_distance: float | None = None
    affiliate: tuple[int, int] | None = None
    cooccurrence: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "phases", tuple(self.phases))
        if not self.phases:
            raise InvalidValueError("a gesture needs at least one phase")
        if self.hands is not None and self.hands not in HANDEDNESS:
            raise InvalidValueError(f"handedness {self.hands!r}, allowed are LH, RH, 2H")
        if self.trajectory is not None and self.trajectory not in TRAJECTORIES:
            raise InvalidValueError(f"trajectory {self.trajectory!r}, allowed are straight, curved")

    @property
    def start_s(self) -> float:
        """Start of the first phase."""
        return self.phases[0].start_s

    @property
    def end_s(self) -> float:
        """End of the last phase, before any retraction."""
        return self.phases[-1].end_s

    @property
    def stroke(self) -> PhaseMark | None:
        """The stroke phase; None for a hold gesture."""
        return next((p for p in self.phases if p.kind == "stroke"), None)

    @property
    def hold(self) -> PhaseMark | None:
        """The independent hold of a hold gesture, or the hold after the stroke."""
        holds = [p for p in self.phases if p.kind == "hold"]
        if self.stroke is None:
            return holds[-1] if holds else None
        after = [p for p in holds if p.start_s >= self.stroke.start_s]
        return after[0] if after else None

    @property
    def strokes(self) -> int:
        """Number of strokes, the main one included; 0 for a hold gesture."""
        return self.stroke.strokes if self.stroke is not None else 0

    @property
    def main_stroke_end_s(self) -> float | None:
        """End of the main stroke: annotated, or the phase divided evenly among its strokes."""
        phase = self.stroke
        if phase is None:
            return None
        if phase.stroke_ends:
            return phase.stroke_ends[0]
        return phase.start_s + phase.duration_s / phase.strokes


@dataclass(frozen=True)
class AnnotatedUnit:
    """Gestures between two rest poses, and the retraction into the second."""

    gestures: tuple[AnnotatedGesture, ...]
    retraction: PhaseMark | None = None
    rest_pose: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "gestures", tuple(self.gestures))
        if not self.gestures:
            raise InvalidValueError("a gesture unit needs at least one gesture")

    @property
    def start_s(self) -> float:
        """Time at which the hands leave rest."""
        return self.gestures[0].start_s

    @property
    def end_s(self) -> float:
        """Time at which the hands are back at rest, or the last gesture ends."""
        return self.retraction.end_s if self.retraction is not None else self.gestures[-1].end_s


@dataclass(frozen=True)
class BodyTurn:
    """A turn of the body or the head to a direction, from this time on."""

    time_s: float
    part: Literal["body", "head"]
    direction: str

    def __post_init__(self) -> None:
        if self.direction not in DIRECTIONS:
            raise InvalidValueError(
                f"direction {self.direction!r}, allowed are {', '.join(DIRECTIONS)}"
            )


@dataclass(frozen=True)
class Annotation:
    """An annotated performance of one speaker, seconds from its start.

    `note` says where it comes from; it is shown with the speaker.

    Examples
    --------
    >>> import kinesphere as ks
    >>> take = ks.perform("This is huge!", "host", seed=1, voice="none")
    >>> annotation = ks.annotate(take).annotation
    >>> annotation.gestures[0].hands, [phase.kind for phase in annotation.gestures[0].phases]
    ('2H', ['preparation', 'stroke', 'hold'])
    """

    speaker: str
    language: str
    duration_s: float
    words: tuple[AnnotatedWord, ...] = ()
    clauses: tuple[AnnotatedSpan, ...] = ()
    information: tuple[AnnotatedSpan, ...] = ()
    units: tuple[AnnotatedUnit, ...] = ()
    turns: tuple[BodyTurn, ...] = ()
    note: str = ""

    @property
    def gestures(self) -> tuple[AnnotatedGesture, ...]:
        """All gestures in order."""
        return tuple(g for unit in self.units for g in unit.gestures)

    @property
    def phases(self) -> tuple[PhaseMark, ...]:
        """All phases in order, retractions included."""
        out: list[PhaseMark] = []
        for unit in self.units:
            for gesture in unit.gestures:
                out.extend(gesture.phases)
            if unit.retraction is not None:
                out.append(unit.retraction)
        return tuple(out)

    def words_text(self, span: tuple[int, int]) -> str:
        """Return the words of a span of indices as text."""
        return " ".join(word.text for word in self.words[span[0] : span[1] + 1])
