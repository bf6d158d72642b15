"""Assembles gestures and retractions into units, by time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from kinesphere.corpus.annotation.annotation import AnnotatedGesture, AnnotatedUnit, PhaseMark
from kinesphere.corpus.annotation.gesture_assembly import PAUSE_S, AssembledGesture
from kinesphere.corpus.annotation.sheet import Row, find_name, holder
from kinesphere.corpus.annotation.tier_names import POSES
from kinesphere.formats.problems import Problems


@dataclass
class _UnitDraft:
    """A unit being assembled."""

    row: Row | None
    gestures: list[AnnotatedGesture] = field(default_factory=list)
    retractions: list[Row] = field(default_factory=list)


def assemble_units(
    rows: Sequence[Row],
    gestures: Sequence[AssembledGesture],
    marks: Sequence[Row],
    problems: Problems,
) -> tuple[AnnotatedUnit, ...]:
    """Units of a tier, or inferred ones, with their gestures and retractions, in order of time."""
    retractions = [mark for mark in marks if mark.value == "retraction"]
    if rows:
        drafts = _unit_drafts(rows, gestures, retractions, problems)
    else:
        if gestures:
            what = "no tier of units: a unit is taken to end with a retraction, or where nothing is"
            problems.add(gestures[0].line, f"{what} annotated for {PAUSE_S:g} s")
        drafts = _infer_units(gestures, retractions, problems)
    found = [unit for unit in (_unit(draft, problems) for draft in drafts) if unit is not None]
    return tuple(sorted(found, key=lambda unit: unit.start_s))


def _unit_drafts(
    rows: Sequence[Row],
    gestures: Sequence[AssembledGesture],
    retractions: Sequence[Row],
    problems: Problems,
) -> list[_UnitDraft]:
    drafts = [_UnitDraft(row) for row in rows]
    for gesture, line in gestures:
        at = holder(rows, (gesture.start_s + gesture.end_s) / 2.0)
        if at is None:
            what = f"the gesture at {gesture.start_s:g} s is outside any unit; it is taken as one"
            problems.add(line, what)
            drafts.append(_UnitDraft(None, [gesture]))
        else:
            drafts[at].gestures.append(gesture)
    for mark in retractions:
        at = holder(rows, mark.middle_s)
        if at is None:
            problems.add(
                mark.line, f"retraction from {mark.start_s:g} s is outside any unit; left out"
            )
        else:
            drafts[at].retractions.append(mark)
    return drafts


def _infer_units(
    gestures: Sequence[AssembledGesture], retractions: Sequence[Row], problems: Problems
) -> list[_UnitDraft]:
    """Units inferred where none are annotated."""
    drafts: list[_UnitDraft] = []
    ends_s = -math.inf
    items: list[AnnotatedGesture | Row] = [*(made.gesture for made in gestures), *retractions]
    for item in sorted(items, key=lambda item: item.start_s):
        apart = not drafts or bool(drafts[-1].retractions) or item.start_s - ends_s > PAUSE_S
        if isinstance(item, AnnotatedGesture):
            drafts += [_UnitDraft(None)] if apart else []
            drafts[-1].gestures.append(item)
        elif apart:
            what = f"retraction from {item.start_s:g} s follows no gesture; left out"
            problems.add(item.line, what)
            continue
        else:
            drafts[-1].retractions.append(item)
        ends_s = item.end_s
    return drafts


def _unit(draft: _UnitDraft, problems: Problems) -> AnnotatedUnit | None:
    row = draft.row
    pose = None if row is None else find_name(row, "rest pose", POSES, problems)
    if not draft.gestures:
        if row is not None:
            problems.add(row.line, f"the unit from {row.start_s:g} s has no gesture; left out")
        return None
    for early in draft.retractions[:-1]:
        what = f"retraction from {early.start_s:g} s is not the last of its unit; left out"
        problems.add(early.line, what)
    last = draft.retractions[-1] if draft.retractions else None
    retraction = None if last is None else PhaseMark("retraction", last.start_s, last.end_s)
    return AnnotatedUnit(tuple(draft.gestures), retraction, pose or "")
