"""An annotation of any motion, made without a person: what a coder of chapter 4 would mark.

Phases of each arm come from `gesture.detection`. Here the two arms become gestures of one or both
hands, gestures become units that end in a rest pose, and each gets its places, its path, its hand
shape, the lexeme whose form is nearest and the words it goes with. ``docs/annotating.md`` says how
far that is to be trusted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace

import numpy as np

from kinesphere.corpus.annotation import (
    AnnotatedGesture,
    AnnotatedUnit,
    AnnotatedWord,
    Annotation,
    Handedness,
    PhaseMark,
    Trajectory,
)
from kinesphere.corpus.arm_gestures import Draft, cut_apart, drafts_of, marks_of, overlap
from kinesphere.corpus.spoken import SpokenText, spoken_text
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.detection import DetectionSettings, detect_phases
from kinesphere.gesture.form import nearest
from kinesphere.gesture.form_measuring import HandsMotion, measure_hands, sag_ratio
from kinesphere.gesture.hand_shapes import nearest_shape
from kinesphere.gesture.phases import BodyUnit, GesturePhases, Hands, Phase
from kinesphere.gesture.placement import position_of
from kinesphere.maths.arrays import Floats
from kinesphere.motion.arms import SIDES, Side
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.timeline import Interval

_NAMES: dict[Hands, Handedness] = {"left": "LH", "right": "RH", "both": "2H"}


@dataclass(frozen=True)
class AutomaticSettings:
    """What counts as one gesture, and how sure a lexeme must be.

    Parameters
    ----------
    overlap : two arms whose strokes share this ratio of the shorter one do one gesture.
    both : the less active hand takes part from this ratio of the other one's way on.
    answer, answer_m : a hand that goes less than this ratio of the unit's largest gesture, and less
        than these metres (of a person of 1.75 m), does not gesture.
    confidence : a lexeme below it is left empty.
    curved : a path that gets this ratio of its chord away from it is curved.
    least_stroke_s : what is left of a stroke that another one overlaps must be longer.
    least_hold_s : shorter waits are part of what comes before.
    before_s, after_s : the word that a gesture means ends within these times about the stroke's
        end.
    offset_s : by how much a word typically ends later than its stroke.
    detection : settings of the phases.
    """

    overlap: float = 0.5
    both: float = 0.5
    answer: float = 0.3
    answer_m: float = 0.15
    confidence: float = 0.35
    curved: float = 0.08
    least_stroke_s: float = 0.08
    least_hold_s: float = 0.12
    before_s: float = 0.3
    after_s: float = 1.0
    offset_s: float = 0.1
    detection: DetectionSettings = field(default_factory=DetectionSettings)

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            ratio = each.name in ("overlap", "both", "answer", "confidence")
            if each.name != "detection" and not 0.0 <= value <= (1.0 if ratio else np.inf):
                allowed = "0 to 1" if ratio else "a number >= 0"
                raise InvalidValueError(f"{each.name} is {value}, allowed is {allowed}")


@dataclass(frozen=True)
class AutomaticAnnotation:
    """An annotation, and how sure each gesture's lexeme is: 0 to 1 for every gesture in order.

    `guesses` are the likeliest lexemes, also of gestures that were not sure enough to be named.
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
) -> AutomaticAnnotation:
    """Annotate a performance.

    Parameters
    ----------
    clip, rig : the motion, and what its joints are.
    words : as spoken, in order; lemmas, parts of speech and tags are found where none has a tag.
    language : ``en`` or ``de``.
    settings : what counts as one gesture.
    speaker : name that the annotation bears.

    Raises
    ------
    RigError
        If the rig lacks arms or legs.
    InvalidValueError
        If the language is another.
    """
    s = settings or AutomaticSettings()
    spoken = spoken_text(words, language)
    found = detect_phases(clip, rig, s.detection)
    work = _Work(measure_hands(clip, rig), spoken, s)
    units, guesses, confidences = [], [], []
    for unit in found.units:
        made = work.unit(unit, found)
        if made is not None:
            units.append(made[0])
            guesses += [name for name, _ in made[1]]
            confidences += [share for _, share in made[1]]
    annotation = Annotation(
        speaker=speaker,
        language=language,
        duration_s=max([clip.duration_s, *(w.end_s for w in spoken.words[-1:])]),
        words=spoken.words,
        clauses=spoken.clauses,
        information=spoken.information,
        units=tuple(units),
        note="annotated automatically from motion",
    )
    return AutomaticAnnotation(annotation, tuple(confidences), tuple(guesses))


class _Work:
    """Everything that is known of a performance while its gestures are put together."""

    def __init__(self, hands: HandsMotion, spoken: SpokenText, settings: AutomaticSettings) -> None:
        self.hands, self.spoken, self.settings = hands, spoken, settings
        self.fps = hands.clip.fps

    def frame(self, time_s: float) -> int:
        return min(max(round(time_s * self.fps), 0), len(self.hands.clip) - 1)

    def unit(
        self, unit: BodyUnit, found: GesturePhases
    ) -> tuple[AnnotatedUnit, list[tuple[str, float]]] | None:
        """One unit of the body with its gestures and their guesses; None without a gesture."""
        drafts = [
            d for side in SIDES for d in drafts_of(found.arm(side), unit.start_s, unit.end_s)
        ]  # fmt: skip
        drafts = self._apart(self._paired(self._meant(drafts)))
        if not drafts:
            return None
        made = [self._gesture(draft) for draft in drafts]
        gestures = [gesture for gesture, _ in made]
        retraction = self._retraction(unit, found, gestures)
        if retraction is not None:
            gestures[-1] = self._waiting(gestures[-1], retraction.start_s)
        pose = rest_pose(self.hands, self.frame(unit.end_s)) if retraction is not None else ""
        whole = AnnotatedUnit(tuple(gestures), retraction, pose)
        return whole, [guess for _, guess in made]

    def _meant(self, drafts: list[Draft]) -> list[Draft]:
        """Leave out what is small beside other gestures: a hand that only answers the other."""
        ways = [self._way(draft) for draft in drafts]
        least = min(self.settings.answer * max(ways, default=0.0), self.settings.answer_m)
        return [
            d for d, way in zip(drafts, ways, strict=True) if way >= least or d.is_hold
        ]  # fmt: skip

    def _paired(self, drafts: list[Draft]) -> list[Draft]:
        """Make one gesture of what two arms do at the same time."""
        left, right = ([d for d in drafts if d.side == side] for side in SIDES)
        out = []
        for draft in left:
            shares = [overlap(draft, other) for other in right]
            best = int(np.argmax(shares)) if shares else -1
            if best < 0 or shares[best] < self.settings.overlap:
                out.append(draft)
                continue
            stronger = max((draft, right.pop(best)), key=self._way)
            out.append(replace(stronger, hands="both"))
        named = [replace(draft, hands=self._acting(draft)) for draft in [*out, *right]]
        return sorted(named, key=lambda draft: (draft.main.start_s, draft.side))

    def _way(self, draft: Draft) -> float:
        """How far a gesture's own hand goes until its stroke is over; 0 for a hold."""
        if draft.is_hold:
            return 0.0
        start, end = self.frame(draft.start_s), self.frame(draft.main.end_s)
        return self.hands.lengths(start, end)[draft.side]

    def _acting(self, draft: Draft) -> Hands:
        """Hands that do a gesture: both if they go about equally far until its stroke is over.

        Hands that are held go nowhere: both do it if both are.
        """
        if draft.is_hold:
            return draft.hands
        start, end = self.frame(draft.start_s), self.frame(draft.main.end_s)
        weak, strong = sorted(self.hands.lengths(start, end).values())
        return "both" if weak >= self.settings.both * strong > 0.0 else draft.side

    def _apart(self, drafts: list[Draft]) -> list[Draft]:
        """Gestures one after the other: what overlaps is cut, and dropped if little is left."""
        out: list[Draft] = []
        for draft in drafts:
            while out and overlap(out[-1], draft) >= self.settings.overlap:
                draft = max((out.pop(), draft), key=self._way)
            if out:
                before, cut = cut_apart(out.pop(), draft)
                if not before.is_hold or before.main.duration_s >= self.settings.least_hold_s:
                    out.append(before)
                if cut.main.duration_s < self.settings.least_stroke_s:
                    continue
                draft = cut
            out.append(draft)
        return out

    def _gesture(self, draft: Draft) -> tuple[AnnotatedGesture, tuple[str, float]]:
        """Describe a gesture, and guess its lexeme."""
        if draft.is_hold:
            return self._held(draft), ("", 0.0)
        end = max(self.frame(draft.main.end_s), 1)
        start = min(self.frame(draft.main.start_s), end - 1)
        sides = self.hands.acting(start, end, draft.hands)
        ends = self._stroke_ends(draft)
        form = self.hands.form(start, end, draft.hands, len(ends), self.frame(ends[-1]))
        name, confidence = nearest(form, draft.hands)[0]
        sure = confidence >= self.settings.confidence
        shape = form["end shape"]
        gesture = AnnotatedGesture(
            phases=marks_of(draft, ends),
            lexeme=name if sure else "",
            hands=_NAMES[draft.hands],
            handshape="" if np.isnan(shape).any() else nearest_shape(shape),
            trajectory=self._trajectory(draft.side, start, end),
            start=position_of(self.hands.values(start, sides)),
            end=position_of(self.hands.values(end, sides)),
            start_distance=self._apart_at(start, draft.hands),
            end_distance=self._apart_at(end, draft.hands),
        )
        return self._worded(gesture, draft.main.end_s), (name, confidence)

    def _held(self, draft: Draft) -> AnnotatedGesture:
        """Describe a gesture that is only a hold."""
        frame = self.frame(draft.main.start_s)
        sides: tuple[Side, ...] = SIDES if draft.hands == "both" else (draft.side,)
        gesture = AnnotatedGesture(
            phases=marks_of(draft, ()),
            hands=_NAMES[draft.hands],
            start=position_of(self.hands.values(frame, sides)),
            start_distance=self._apart_at(frame, draft.hands),
        )
        return self._worded(gesture, draft.main.start_s)

    def _apart_at(self, frame: int, hands: Hands) -> float | None:
        return round(float(self.hands.apart[frame]), 2) if hands == "both" else None

    def _trajectory(self, side: Side, start: int, end: int) -> Trajectory:
        path = self.hands.hand(side).path[start : end + 1]
        return "curved" if sag_ratio(path) > self.settings.curved else "straight"

    def _stroke_ends(self, draft: Draft) -> tuple[float, ...]:
        """Ends of the stroke and of the repetitions that go its way; the others prepare them."""
        path = self.hands.hand(draft.side).path

        def travel(phase: Phase) -> Floats:
            return np.asarray(path[self.frame(phase.end_s)] - path[self.frame(phase.start_s)])

        way = travel(draft.main)
        again = [phase.end_s for phase in draft.after if float(travel(phase) @ way) > 0.0]
        return (draft.main.end_s, *again)

    def _worded(self, gesture: AnnotatedGesture, end_s: float) -> AnnotatedGesture:
        """Add the words that a gesture means and is done with."""
        s = self.settings
        affiliate = self.spoken.affiliate(
            gesture.lexeme, end_s, s.before_s, s.after_s, s.offset_s
        )  # fmt: skip
        mark = gesture.stroke or gesture.phases[-1]
        during = self.spoken.during(mark.start_s, mark.end_s)
        return replace(gesture, affiliate=affiliate, cooccurrence=during)

    def _retraction(
        self, unit: BodyUnit, found: GesturePhases, gestures: Sequence[AnnotatedGesture]
    ) -> PhaseMark | None:
        """The way home of the hand that is home last; it starts when no gesture goes on."""
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

    def _waiting(self, gesture: AnnotatedGesture, until_s: float) -> AnnotatedGesture:
        """Let a gesture hold until the retraction starts."""
        if until_s <= gesture.end_s:
            return gesture
        *before, last = gesture.phases
        if last.kind == "hold":
            return replace(gesture, phases=(*before, replace(last, end_s=until_s)))
        return replace(gesture, phases=(*gesture.phases, PhaseMark("hold", last.end_s, until_s)))


# Rest poses: row of height, metres from the body, angle about it, and palm to palm in shoulder
# widths, of a hand on a person of 1.75 m; and by how much each may differ.
_RESTS = {
    "at-side": (5.6, 0.09, 70.0, 1.2),
    "in-pockets": (5.3, 0.03, 75.0, 0.95),
    "clasped": (4.6, 0.10, 8.0, 0.2),
    "folded": (3.4, 0.10, -25.0, 0.6),
    "behind-back": (5.0, 0.07, 165.0, 0.3),
}
_TOLERANCES = np.array([0.7, 0.06, 25.0, 0.25])


def rest_pose(hands: HandsMotion, frame: int) -> str:
    """Name of the rest pose nearest to where both hands are in a frame."""
    values = np.stack([hands.hand(side).places[frame] for side in SIDES])
    height, away = values[:, :2].mean(axis=0)
    # Angles about the body, meaned as directions: behind the back they jump by a full turn.
    turned = np.degrees(np.angle(np.exp(1j * values[:, 2]).mean()))
    off = {}
    for name, expected in _RESTS.items():
        gap = np.array([height, away, turned, hands.apart[frame]]) - expected
        gap[2] = (gap[2] + 180.0) % 360.0 - 180.0
        off[name] = float(np.sum((gap / _TOLERANCES) ** 2))
    return min(off, key=off.__getitem__)
