"""Gestures of single arms, and merging those of both arms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace

import numpy as np

from kinesphere.corpus.annotation.annotation import PhaseMark
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.form_measuring import HandsMotion
from kinesphere.gesture.hand_movements import DetectionSettings
from kinesphere.gesture.phases import ArmPhases, BodyUnit, GesturePhases, Hands, Phase
from kinesphere.motion.body.arms import SIDES, Side

# Mean difference over all joints between the fingers of two hands with the same shape.
_ALIKE_DEG = 2.0


@dataclass(frozen=True)
class AutomaticSettings:
    """Criteria for one gesture, and the confidence that a lexeme needs.

    Parameters
    ----------
    overlap : two strokes that overlap by this ratio of the shorter one are one gesture.
    both : the less active hand takes part from this ratio of the other's path length.
    unlike : increase of that ratio for each degree by which the fingers of both hands
        differ, in the mean of all joints and beyond 2: a hand that only follows is relaxed.
    answer, answer_m : a hand that moves less than this ratio of the unit's largest gesture and less
        than these metres (of a person of 1.75 m), does not gesture.
    confidence : a lexeme below it is left empty.
    doubt : gain in confidence by which another interpretation of the phases is preferred.
    curved : deviation from the chord, over its length, from which a path is curved.
    least_stroke_s : least remaining length of a stroke that another one overlaps.
    least_hold_s : shorter holds are part of the phase before.
    before_s, after_s : the lexical affiliate ends within these times before and after the stroke's
        end.
    offset_s : by how much a word typically ends later than its stroke.
    detection : settings of the phases.
    """

    overlap: float = 0.5
    both: float = 0.5
    unlike: float = 0.05
    answer: float = 0.3
    answer_m: float = 0.15
    confidence: float = 0.35
    doubt: float = 0.3
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
class Draft:
    """Phases of one arm that make a gesture, and the hands that perform it.

    The stroke is `main`; of a hold gesture the hold is. `after` are its repetitions.
    """

    side: Side
    hands: Hands
    before: tuple[Phase, ...]
    main: Phase
    after: tuple[Phase, ...] = ()
    hold: Phase | None = None

    @property
    def start_s(self) -> float:
        """Time at which the first phase starts."""
        return self.before[0].start_s if self.before else self.main.start_s

    @property
    def stroke_end_s(self) -> float:
        """End of the stroke and its repetitions."""
        return self.after[-1].end_s if self.after else self.main.end_s

    @property
    def end_s(self) -> float:
        """End of the last phase."""
        return self.hold.end_s if self.hold is not None else self.stroke_end_s

    @property
    def is_hold(self) -> bool:
        """Whether it has no stroke."""
        return self.main.kind == "hold"


def drafts_of(arm: ArmPhases, start_s: float, end_s: float) -> list[Draft]:
    """Gestures of one arm in an interval: each stroke with its other phases."""
    groups: list[list[Phase]] = [[]]
    for phase in arm:
        inside = start_s <= 0.5 * (phase.start_s + phase.end_s) <= end_s
        if not inside or phase.kind in ("rest", "retraction"):
            groups.append([])
            continue
        kinds = [p.kind for p in groups[-1]]
        starts_anew = phase.kind == "preparation" and kinds
        if starts_anew or (phase.kind == "stroke" and "stroke" in kinds):
            groups.append([])
        groups[-1].append(phase)
    made = (_draft(arm.side, group) for group in groups)
    return [draft for draft in made if draft is not None]


def _draft(side: Side, group: list[Phase]) -> Draft | None:
    """Gesture of phases in order; None if they are only preparations."""
    kinds = [phase.kind for phase in group]
    acting = [i for i, kind in enumerate(kinds) if kind in ("stroke", "after-stroke")]
    if not acting:
        holds = [phase for phase in group if phase.kind == "hold"]
        if not holds:
            return None
        return Draft(side, side, tuple(p for p in group if p.kind == "preparation"), holds[-1])
    first, last = acting[0], acting[-1]
    hold = group[last + 1] if last + 1 < len(group) else None
    after = tuple(p for p in group[first + 1 : last + 1] if p.kind == "after-stroke")
    return Draft(side, side, tuple(group[:first]), group[first], after, hold)


def overlap(a: Draft, b: Draft) -> float:
    """Overlap of two strokes, as a ratio of the shorter one."""
    shared = min(a.main.end_s, b.main.end_s) - max(a.main.start_s, b.main.start_s)
    shorter = min(a.main.duration_s, b.main.duration_s)
    return max(shared, 0.0) / shorter if shorter > 0.0 else 0.0


def resolve_overlap(first: Draft, second: Draft) -> tuple[Draft, Draft]:
    """Two gestures, the first of which starts first, made to follow each other.

    Holds and repetitions of the first are cut at the second, whose preparation is cut at the first
    one's stroke.
    """
    kept = first.main.start_s if first.is_hold else first.main.end_s
    border = max(kept, min(second.start_s, first.end_s))
    after = tuple(p for p in first.after if p.end_s <= border)
    hold = first.hold
    if hold is not None and hold.end_s > border:
        hold = replace(hold, end_s=border) if hold.start_s < border else None
    if first.is_hold and first.main.end_s > border:
        first = replace(first, main=replace(first.main, end_s=border))
    main = second.main
    if main.start_s < border:
        main = replace(main, start_s=min(border, main.end_s))
    before = tuple(
        replace(p, start_s=max(p.start_s, border)) for p in second.before if p.end_s > border
    )
    return replace(first, after=after, hold=hold), replace(second, before=before, main=main)


def marks_of(draft: Draft, ends: Sequence[float]) -> tuple[PhaseMark, ...]:
    """Phases of a gesture as a coder marks them: [preparation] [hold] stroke [hold]."""
    out = []
    first = next((p for p in draft.before if p.kind == "preparation"), None)
    held = next((p for p in reversed(draft.before) if p.kind == "hold"), None)
    if first is not None:
        out.append(PhaseMark("preparation", first.start_s, first.end_s))
    if held is not None and (first is None or held.start_s >= first.end_s):
        out.append(PhaseMark("hold", held.start_s, held.end_s))
    if draft.is_hold:
        out = [mark for mark in out if mark.kind == "preparation"]
        return (*out, PhaseMark("hold", draft.main.start_s, draft.main.end_s))
    stroke_end = max(draft.stroke_end_s, *ends)
    out.append(PhaseMark("stroke", draft.main.start_s, stroke_end, len(ends), tuple(ends)))
    if draft.hold is not None and draft.hold.end_s > stroke_end:
        out.append(PhaseMark("hold", max(draft.hold.start_s, stroke_end), draft.hold.end_s))
    return tuple(out)


def with_later_stroke(draft: Draft) -> Draft | None:
    """The same phases with the first movement as preparation and the repetition as stroke."""
    if not draft.after:
        return None
    main, *after = draft.after
    before = Phase("preparation", draft.start_s, main.start_s)
    return replace(draft, before=(before,), main=main, after=tuple(after))


def with_earlier_stroke(draft: Draft) -> Draft | None:
    """The same phases with the preparation as stroke."""
    first = next((p for p in draft.before if p.kind == "preparation"), None)
    if first is None:
        return None
    return replace(draft, before=(), main=first, after=(draft.main, *draft.after))


class ArmMerger:
    """Merges the gestures of two arms."""

    def __init__(self, hands: HandsMotion, settings: AutomaticSettings) -> None:
        self.hands, self.settings = hands, settings

    def frame(self, time_s: float) -> int:
        """Frame at a time."""
        clip = self.hands.clip
        return min(max(round(time_s * clip.fps), 0), len(clip) - 1)

    def drafts(self, unit: BodyUnit, found: GesturePhases) -> list[Draft]:
        """Gestures of a unit, one after the other."""
        drafts = [d for side in SIDES for d in drafts_of(found.arm(side), unit.start_s, unit.end_s)]
        return self._separate(self._pair(self._drop_small(drafts)))

    def readings(self, draft: Draft) -> list[Draft]:
        """Other interpretations of a gesture's phases, and the hand that performs it."""
        out = [
            other
            for other in (with_later_stroke(draft), with_earlier_stroke(draft))
            if other is not None
        ]
        if draft.hands == "both":
            return out
        ways = self._path_lengths(draft)
        side: Side = "left" if draft.side == "right" else "right"
        if ways[side] >= self.settings.both * ways[draft.side]:
            out += [replace(each, side=side, hands=side) for each in (draft, *out)]
        return out

    def _path_lengths(self, draft: Draft) -> dict[Side, float]:
        """Path length of each hand up to the end of a gesture's stroke."""
        return self.hands.lengths(self.frame(draft.start_s), self.frame(draft.main.end_s))

    def _drop_small(self, drafts: list[Draft]) -> list[Draft]:
        """Remove gestures much smaller than others: a hand that only follows the other."""
        ways = [self._path_length(draft) for draft in drafts]
        least = min(self.settings.answer * max(ways, default=0.0), self.settings.answer_m)
        return [d for d, way in zip(drafts, ways, strict=True) if way >= least or d.is_hold]

    def _pair(self, drafts: list[Draft]) -> list[Draft]:
        """Merge simultaneous gestures of two arms."""
        left, right = ([d for d in drafts if d.side == side] for side in SIDES)
        out = []
        for draft in left:
            shares = [overlap(draft, other) for other in right]
            best = int(np.argmax(shares)) if shares else -1
            if best < 0 or shares[best] < self.settings.overlap:
                out.append(draft)
                continue
            stronger = max((draft, right.pop(best)), key=self._path_length)
            out.append(replace(stronger, hands="both"))
        named = [replace(draft, hands=self._acting_hands(draft)) for draft in [*out, *right]]
        return sorted(named, key=lambda draft: (draft.main.start_s, draft.side))

    def _path_length(self, draft: Draft) -> float:
        """Path length of a gesture's own hand up to the end of its stroke; 0 for a hold."""
        if draft.is_hold:
            return 0.0
        return self._path_lengths(draft)[draft.side]

    def _acting_hands(self, draft: Draft) -> Hands:
        """Hands that perform a gesture: both if their paths up to the stroke's end are similar.

        The more their fingers differ, the closer in length they must be. In a hold gesture
        both take part if both are held.
        """
        if draft.is_hold:
            return draft.hands
        weak, strong = sorted(self._path_lengths(draft).values())
        end = self.frame(draft.main.end_s)
        left, right = (self.hands.hand(side).shape[end] for side in SIDES)
        differ = float(np.nan_to_num(np.abs(left - right)).mean())
        least = self.settings.both + self.settings.unlike * max(differ - _ALIKE_DEG, 0.0)
        return "both" if weak >= least * strong and strong > 0.0 else draft.side

    def _separate(self, drafts: list[Draft]) -> list[Draft]:
        """Gestures in sequence: overlaps are cut, and gestures dropped if little remains."""
        out: list[Draft] = []
        for draft in drafts:
            while out and overlap(out[-1], draft) >= self.settings.overlap:
                draft = max((out.pop(), draft), key=self._path_length)
            if out:
                before, cut = resolve_overlap(out.pop(), draft)
                if not before.is_hold or before.main.duration_s >= self.settings.least_hold_s:
                    out.append(before)
                if cut.main.duration_s < self.settings.least_stroke_s:
                    continue
                draft = cut
            out.append(draft)
        return out
