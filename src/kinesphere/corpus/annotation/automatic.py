"""Automatic annotation of any motion in the scheme of chapter 4 of the 2008 paper.

`gesture.detection` gives the phases of each arm. Here the two arms become gestures of one or both
hands, gestures become units that end in a rest pose, and each gets its positions, its path, its
hand shape, the lexeme whose form is nearest and its words. ``docs/automatic-annotation.md`` tells
how reliable that is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinesphere.corpus.annotation.annotation import (
    AnnotatedGesture,
    AnnotatedUnit,
    AnnotatedWord,
    Annotation,
    Handedness,
    PhaseMark,
    Trajectory,
)
from kinesphere.corpus.annotation.arm_gestures import ArmMerger, AutomaticSettings, Draft, marks_of
from kinesphere.corpus.annotation.known_gestures import KnownGestures
from kinesphere.corpus.annotation.spoken_text import SpokenText, spoken_text
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.detection import detect_phases
from kinesphere.gesture.form import nearest
from kinesphere.gesture.form_measuring import HandsMotion, measure_hands, sag_ratio
from kinesphere.gesture.hand_shapes import nearest_shape
from kinesphere.gesture.hand_zones import position_of
from kinesphere.gesture.phases import BodyUnit, GesturePhases, Hands, Phase
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.timeline import Interval

_NAMES: dict[Hands, Handedness] = {"left": "LH", "right": "RH", "both": "2H"}
_ACTING: dict[Handedness, Hands] = {name: hands for hands, name in _NAMES.items()}


@dataclass(frozen=True)
class AutomaticAnnotation:
    """An annotation, and the confidence of each gesture's lexeme, 0 to 1, in order.

    `guesses` are the likeliest lexemes, also of gestures whose confidence is too low to be named.

    Examples
    --------
    >>> import kinesphere as ks
    >>> found = ks.annotate(ks.perform("This is huge!", "host", seed=1, voice="none"))
    >>> found.guesses[0], len(found.confidences)
    ('BigSpan', 1)
    """

    annotation: Annotation
    confidences: tuple[float, ...]
    guesses: tuple[str, ...]

    def __post_init__(self) -> None:
        count = len(self.annotation.gestures)
        if len(self.confidences) != count or len(self.guesses) != count:
            raise InvalidValueError(
                f"{len(self.confidences)} confidences and {len(self.guesses)} guesses for {count} "
                "gestures; each needs one"
            )


def annotate(
    clip: Clip,
    rig: Rig,
    words: Iterable[AnnotatedWord | Interval] = (),
    language: str = "en",
    settings: AutomaticSettings | None = None,
    speaker: str = "",
    known: KnownGestures | None = None,
) -> AutomaticAnnotation:
    """Annotate a performance.

    Parameters
    ----------
    clip, rig : the motion, and the rig of its skeleton.
    words : as spoken, in order; lemmas, parts of speech and tags are found where none has a tag.
    language : ``en`` or ``de``.
    settings : criteria for gestures.
    speaker : name of the speaker in the annotation.
    known : gestures whose phases, hands and lexemes are given (`known_gestures`); the
        hand positions are measured, and whatever else they leave empty.

    Raises
    ------
    RigError
        If the rig lacks arms or legs.
    InvalidValueError
        If the language is another.
    """
    s = settings or AutomaticSettings()
    spoken = spoken_text(words, language)
    work = _Annotator(measure_hands(clip, rig), spoken, s)
    if known is None:
        found = detect_phases(clip, rig, s.detection)
        rows = [made for made in (work.unit(unit, found) for unit in found.units) if made]
    else:
        rows = [work.known_unit(unit) for unit in known.units]
    guesses = [guess for _, each in rows for guess in each]
    annotation = Annotation(
        speaker=speaker,
        language=language,
        duration_s=max([clip.duration_s, *(w.end_s for w in spoken.words[-1:])]),
        words=spoken.words,
        clauses=spoken.clauses,
        information=spoken.information,
        units=tuple(unit for unit, _ in rows),
        turns=() if known is None else known.turns,
        note=f"annotated automatically from {'motion' if known is None else 'marks and motion'}",
    )
    return AutomaticAnnotation(
        annotation, tuple(share for _, share in guesses), tuple(name for name, _ in guesses)
    )


class _Annotator:
    """Data of a performance while its gestures are assembled."""

    def __init__(self, hands: HandsMotion, spoken: SpokenText, settings: AutomaticSettings) -> None:
        self.hands, self.spoken, self.settings = hands, spoken, settings
        self.together = ArmMerger(hands, settings)
        self.frame = self.together.frame

    def unit(
        self, unit: BodyUnit, found: GesturePhases
    ) -> tuple[AnnotatedUnit, list[tuple[str, float]]] | None:
        """One unit with its gestures and their estimated lexemes; None without a gesture."""
        drafts = self.together.drafts(unit, found)
        if not drafts:
            return None
        made = [self._gesture(draft) for draft in drafts]
        gestures = [gesture for gesture, _ in made]
        retraction = self._retraction(unit, found, gestures)
        if retraction is not None:
            gestures[-1] = self._extend_hold(gestures[-1], retraction.start_s)
        pose = rest_pose(self.hands, self.frame(unit.end_s)) if retraction is not None else ""
        whole = AnnotatedUnit(tuple(gestures), retraction, pose)
        return whole, [guess for _, guess in made]

    def known_unit(self, unit: AnnotatedUnit) -> tuple[AnnotatedUnit, list[tuple[str, float]]]:
        """An annotated unit, with missing fields measured."""
        gestures = tuple(self._measure(gesture) for gesture in unit.gestures)
        pose = unit.rest_pose
        if not pose and unit.retraction is not None:
            pose = rest_pose(self.hands, self.frame(unit.end_s))
        sure = [(g.lexeme, 1.0 if g.lexeme else 0.0) for g in gestures]
        return replace(unit, gestures=gestures, rest_pose=pose), sure

    def _gesture(self, draft: Draft) -> tuple[AnnotatedGesture, tuple[str, float]]:
        """Describe a gesture, and estimate its lexeme."""
        if draft.is_hold:
            held = AnnotatedGesture(phases=marks_of(draft, ()), hands=_NAMES[draft.hands])
            return self._measure(held), ("", 0.0)
        draft, name, confidence = self._likeliest(draft)
        gesture = AnnotatedGesture(
            phases=marks_of(draft, self._stroke_ends(draft)),
            lexeme=name if confidence >= self.settings.confidence else "",
            hands=_NAMES[draft.hands],
        )
        return self._measure(gesture, draft.side), (name, confidence)

    def _likeliest(self, draft: Draft) -> tuple[Draft, str, float]:
        """The interpretation of a gesture's phases most similar to a lexeme, and that lexeme."""
        name, confidence = self._guess(draft)
        others = [(other, *self._guess(other)) for other in self.together.readings(draft)]
        surest = max(others, key=lambda each: each[2], default=None)
        if surest is not None and surest[2] > confidence + self.settings.doubt:
            return surest
        return draft, name, confidence

    def _guess(self, draft: Draft) -> tuple[str, float]:
        """Lexeme most similar to a gesture, and its confidence."""
        end = max(self.frame(draft.main.end_s), 1)
        start = min(self.frame(draft.main.start_s), end - 1)
        ends = self._stroke_ends(draft)
        form = self.hands.form(start, end, draft.hands, len(ends), self.frame(ends[-1]))
        return nearest(form, draft.hands)[0]

    def _measure(self, gesture: AnnotatedGesture, side: Side | None = None) -> AnnotatedGesture:
        """Add positions, words and missing form fields to a gesture with phases and hands.

        The path is that of `side`; by default of the hand that moves farthest.
        """
        hands = _ACTING[gesture.hands or "2H"]
        stroke, end_s = gesture.stroke, gesture.main_stroke_end_s
        if stroke is None or end_s is None:
            return self._hold_gesture(gesture, hands)
        end = self.frame(end_s)
        start = max(min(self.frame(stroke.start_s), end - 1), 0)
        sides = self.hands.acting(start, end, hands)
        ways = self.hands.lengths(start, end)
        farthest = max(sides, key=lambda each: ways[each])
        filled = replace(
            gesture,
            handshape=gesture.handshape or self._shape(end, sides),
            trajectory=gesture.trajectory or self._trajectory(side or farthest, start, end),
            start=position_of(self.hands.values(start, sides)),
            end=position_of(self.hands.values(end, sides)),
            start_distance=self._apart_at(start, hands),
            end_distance=self._apart_at(end, hands),
        )
        return self._add_words(filled, end_s)

    def _hold_gesture(self, gesture: AnnotatedGesture, hands: Hands) -> AnnotatedGesture:
        """Describe a gesture that is only a hold."""
        meant = gesture.hold or gesture.phases[-1]
        frame = self.frame(meant.start_s)
        sides: tuple[Side, ...] = ("left",) if hands == "left" else ("right",)
        sides = SIDES if hands == "both" else sides
        filled = replace(
            gesture,
            handshape=gesture.handshape or self._shape(frame, sides),
            start=position_of(self.hands.values(frame, sides)),
            start_distance=self._apart_at(frame, hands),
        )
        return self._add_words(filled, meant.start_s)

    def _shape(self, frame: int, sides: tuple[Side, ...]) -> str:
        angles = self.hands.fingers(frame, sides)
        return "" if np.isnan(angles).any() else nearest_shape(angles)

    def _apart_at(self, frame: int, hands: Hands) -> float | None:
        return round(float(self.hands.apart[frame]), 2) if hands == "both" else None

    def _trajectory(self, side: Side, start: int, end: int) -> Trajectory:
        path = self.hands.hand(side).path[start : end + 1]
        return "curved" if sag_ratio(path) > self.settings.curved else "straight"

    def _stroke_ends(self, draft: Draft) -> tuple[float, ...]:
        """Ends of the stroke and of repetitions in its direction; the others are preparations."""
        path = self.hands.hand(draft.side).path

        def travel(phase: Phase) -> Floats:
            return np.asarray(path[self.frame(phase.end_s)] - path[self.frame(phase.start_s)])

        way = travel(draft.main)
        again = [phase.end_s for phase in draft.after if float(travel(phase) @ way) > 0.0]
        return (draft.main.end_s, *again)

    def _add_words(self, gesture: AnnotatedGesture, end_s: float) -> AnnotatedGesture:
        """Add the lexical affiliate and the co-occurring words of a gesture."""
        s = self.settings
        affiliate = self.spoken.affiliate(gesture.lexeme, end_s, s.before_s, s.after_s, s.offset_s)
        mark = gesture.stroke or gesture.phases[-1]
        during = self.spoken.during(mark.start_s, mark.end_s)
        return replace(gesture, affiliate=affiliate, cooccurrence=during)

    def _retraction(
        self, unit: BodyUnit, found: GesturePhases, gestures: Sequence[AnnotatedGesture]
    ) -> PhaseMark | None:
        """Retraction of the hand that reaches home last; it starts after the last gesture."""
        backs = [
            phase
            for side in SIDES
            for phase in found.arm(side)
            if phase.kind == "retraction" and unit.start_s <= phase.start_s < unit.end_s
        ]
        over = gestures[-1].end_s
        backs = [phase for phase in backs if phase.end_s > over]
        if not backs:
            return None
        last = max(backs, key=lambda phase: phase.end_s)
        start = max(last.start_s, over)
        if start - over < self.settings.least_hold_s:
            start = over
        return PhaseMark("retraction", start, last.end_s)

    def _extend_hold(self, gesture: AnnotatedGesture, until_s: float) -> AnnotatedGesture:
        """Extend a gesture by a hold until the retraction starts."""
        if until_s <= gesture.end_s:
            return gesture
        *before, last = gesture.phases
        if last.kind == "hold":
            return replace(gesture, phases=(*before, replace(last, end_s=until_s)))
        return replace(gesture, phases=(*gesture.phases, PhaseMark("hold", last.end_s, until_s)))


# Rest poses: row of height, metres from the body, angle about it, and palm to palm in shoulder
# widths, of a hand on a person of 1.75 m; and the tolerance of each.
_RESTS = {
    "at-side": (5.6, 0.09, 70.0, 1.2),
    "in-pockets": (5.3, 0.03, 75.0, 0.95),
    "clasped": (4.6, 0.10, 8.0, 0.2),
    "folded": (3.4, 0.10, -25.0, 0.6),
    "behind-back": (5.0, 0.07, 165.0, 0.3),
}
_TOLERANCES = np.array([0.7, 0.06, 25.0, 0.25])


def rest_pose(hands: HandsMotion, frame: int) -> str:
    """Name of the rest pose nearest to the positions of both hands in a frame."""
    values = np.stack([hands.hand(side).places[frame] for side in SIDES])
    height, away = values[:, :2].mean(axis=0)
    # Radial angles are averaged as directions: behind the back they wrap by a full turn.
    turned = np.degrees(np.angle(np.exp(1j * values[:, 2]).mean()))
    off = {}
    for name, expected in _RESTS.items():
        gap = np.array([height, away, turned, hands.apart[frame]]) - expected
        gap[2] = (gap[2] + 180.0) % 360.0 - 180.0
        off[name] = float(np.sum((gap / _TOLERANCES) ** 2))
    return min(off, key=off.__getitem__)


__all__ = ["AutomaticAnnotation", "AutomaticSettings", "annotate", "rest_pose"]
