"""Gestures of single arms, before they are put together: strokes with what belongs to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kinesphere.corpus.annotation import PhaseMark
from kinesphere.gesture.phases import ArmPhases, Hands, Phase
from kinesphere.motion.arms import Side


@dataclass(frozen=True)
class Draft:
    """Phases of one arm that make a gesture, and the hands that do it.

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
    """Gestures of one arm in a stretch of time: each stroke with what belongs to it."""
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
    """Gesture of phases in order; None if they only prepare something."""
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
    """Time that two strokes share, as a ratio of the shorter one."""
    shared = min(a.main.end_s, b.main.end_s) - max(a.main.start_s, b.main.start_s)
    shorter = min(a.main.duration_s, b.main.duration_s)
    return max(shared, 0.0) / shorter if shorter > 0.0 else 0.0


def cut_apart(first: Draft, second: Draft) -> tuple[Draft, Draft]:
    """Two gestures, the first of which starts first, made to follow each other.

    Holds and repetitions of the first give way to the second, whose preparation gives way to the
    first one's stroke.
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
