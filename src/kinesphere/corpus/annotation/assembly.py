"""Assembles an annotation from rows: phases into gestures, and these into units, by time.

Rows that do not fit are listed as `Problem`s with their lines, and the rest is read. The rules are
described in ``docs/annotation-scheme.md``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, cast

from kinesphere.corpus.annotation.annotation import (
    AnnotatedGesture,
    AnnotatedSpan,
    AnnotatedUnit,
    Annotation,
    BodyTurn,
    Handedness,
    MarkKind,
    PhaseMark,
    Trajectory,
)
from kinesphere.corpus.annotation.sheet import Detail, Row, Sheet, holder, number_of, one_line
from kinesphere.corpus.annotation.tier_names import (
    HANDS,
    NOTHING,
    PATHS,
    PHASES,
    POSES,
    STRUCTURE,
    WAYS,
    Names,
    name_key,
    own_names,
)
from kinesphere.corpus.annotation.words import Words
from kinesphere.errors import InvalidValueError
from kinesphere.formats.problems import Problems, shown
from kinesphere.gesture.lexicon import HAND_SHAPES, lexicon
from kinesphere.gesture.positions import DIMENSIONS, HandPosition

_FRAME_S = 0.05  # about a video frame: times of the same event may differ by this
_PAUSE_S = 1.0  # without annotations, which ends a unit where units are not annotated
_ARROWS = re.compile(r"\s*(?:/|->|→|;|\s)\s*")


def annotation_of(sheet: Sheet, problems: Problems) -> Annotation:
    """Assemble the rows of a sheet to an annotation."""
    words = Words(sheet.rows("words"), problems)
    marks = _marks(sheet, problems)
    gestures = [
        _Made(_gesture(draft, words, problems), draft.line)
        for draft in _drafts(sheet.rows("gestures"), marks, problems)
    ]
    length_s = max((row.end_s for rows in sheet.tiers.values() for row in rows), default=0.0)
    clauses = (AnnotatedSpan(r.start_s, r.end_s, one_line(r.value)) for r in sheet.rows("clauses"))
    return Annotation(
        speaker=sheet.speaker,
        language=sheet.language,
        duration_s=length_s if sheet.duration_s is None else sheet.duration_s,
        words=words.words,
        clauses=tuple(clauses),
        information=_information(sheet, problems),
        units=_units(sheet.rows("units"), gestures, marks, problems),
        turns=_turns(sheet, problems),
        note=sheet.note,
    )


def _chosen(row: Row | Detail, what: str, names: Names, problems: Problems) -> str | None:
    """Name of a table; None, with a note, for an unknown or empty value."""
    found = names.find(row.value)
    if found is None and row.value.strip():
        allowed = ", ".join(names)
        problems.add(row.line, f"{what} is {shown(row.value)}, allowed are {allowed}; left out")
    return found


def _needed(row: Row, what: str, names: Names, problems: Problems) -> str | None:
    """Name of a table, for a row without other content; an empty value is noted."""
    if not row.value.strip():
        problems.add(row.line, f"{what} is empty, allowed are {', '.join(names)}; left out")
    return _chosen(row, what, names, problems)


def _information(sheet: Sheet, problems: Problems) -> tuple[AnnotatedSpan, ...]:
    rows = [*sheet.rows("information")]
    rows += [r if r.value.strip() else replace(r, value="focus") for r in sheet.rows("focus")]
    found = []
    for row in rows:
        label = _needed(row, "information", STRUCTURE, problems)
        if label is not None:
            found.append(AnnotatedSpan(row.start_s, row.end_s, label))
    return tuple(sorted(found, key=information_order))


def information_order(span: AnnotatedSpan) -> tuple[float, float, str]:
    """Order of spans: by start, the longer first."""
    return span.start_s, -span.end_s, span.label


def _turns(sheet: Sheet, problems: Problems) -> tuple[BodyTurn, ...]:
    found = []
    for tier in ("turns", "head-turns"):
        for row in sheet.rows(tier):
            direction = _needed(row, "direction", WAYS, problems)
            if direction is not None:
                found.append(
                    BodyTurn(row.start_s, "body" if tier == "turns" else "head", direction)
                )
    return tuple(sorted(found, key=lambda turn: (turn.time_s, turn.part)))


@dataclass
class _Draft:
    """A gesture being assembled: its row, if there is one, and its phases."""

    row: Row | None
    marks: list[Row] = field(default_factory=list)
    retracts: bool = False

    @property
    def line(self) -> int:
        return self.marks[0].line if self.row is None else self.row.line


class _Made(NamedTuple):
    """A gesture and its line."""

    gesture: AnnotatedGesture
    line: int


def _marks(sheet: Sheet, problems: Problems) -> list[Row]:
    """Phases by their names, without rests."""
    found = []
    for row in sheet.rows("phases"):
        kind = _needed(row, "phase", PHASES, problems)
        if kind is not None and kind != "rest":
            found.append(replace(row, value=kind))
    return found


def _drafts(rows: Sequence[Row], marks: Sequence[Row], problems: Problems) -> list[_Draft]:
    """Phases in gestures, both in order of time."""
    if not rows:
        if marks:
            what = "no tier of gestures: each stroke, or hold without one, is taken for a gesture"
            problems.add(marks[0].line, what)
        return _grouped(marks)
    drafts = [_Draft(row) for row in rows]
    for mark in marks:
        at = holder(rows, mark.middle_s)
        if at is not None and mark.value == "retraction":
            drafts[at].retracts = True
        elif at is not None:
            drafts[at].marks.append(mark)
        elif mark.value != "retraction":
            what = f"{mark.value} from {mark.start_s:g} s is outside any gesture; left out"
            problems.add(mark.line, what)
    for draft, row in zip(drafts, rows, strict=True):
        _check_edges(draft, row, problems)
    return sorted(drafts, key=lambda draft: draft.marks[0].start_s)


def _check_edges(draft: _Draft, row: Row, problems: Problems) -> None:
    if not draft.marks:
        what = f"the gesture from {row.start_s:g} s has no phases; it is taken for one stroke"
        problems.add(row.line, what)
        draft.marks.append(replace(row, value="stroke", details={}))
    start_s, end_s = draft.marks[0].start_s, draft.marks[-1].end_s
    late = end_s - row.end_s
    if (
        abs(start_s - row.start_s) > _FRAME_S
        or late > _FRAME_S
        or (late < -_FRAME_S and not draft.retracts)
    ):
        problems.add(
            row.line,
            f"the gesture goes from {row.start_s:g} to {row.end_s:g} s, its phases from "
            f"{start_s:g} to {end_s:g} s; the phases count",
        )


def _grouped(marks: Sequence[Row]) -> list[_Draft]:
    """Gestures inferred from phases alone: ``[preparation] [hold] stroke [hold]``."""
    drafts: list[_Draft] = []
    begun: list[Row] = []
    for mark in marks:
        if mark.value == "retraction":
            begun = []
            continue
        if not begun or _begins(mark, begun):
            begun = []
            drafts.append(_Draft(None, begun))
        begun.append(mark)
    return drafts


def _begins(mark: Row, begun: Sequence[Row]) -> bool:
    """Whether a phase belongs to another gesture than those before it."""
    last = begun[-1]
    if mark.value == "preparation" or mark.start_s - last.end_s > _PAUSE_S:
        return True
    if mark.value == "hold":
        return last.value == "hold"
    repeats = last.value == "stroke" and _follows(last, mark)
    return not repeats and any(row.value == "stroke" for row in begun)


def _follows(before: Row, after: Row) -> bool:
    """Whether a row begins where the one before it ends."""
    return after.start_s - before.end_s <= _FRAME_S


def _gesture(draft: _Draft, words: Words, problems: Problems) -> AnnotatedGesture:
    row = draft.row or replace(draft.marks[0], value="", details={})
    phases = _phases(draft.marks, row, problems)
    made = AnnotatedGesture(phases, lexeme=_lexeme(row.value))
    stroke = made.stroke or phases[-1]
    middle_s = (stroke.start_s + stroke.end_s) / 2.0
    start_distance, end_distance = _distances(row.detail("hand-distance"), problems)
    hands = _chosen(row.detail("handedness"), "handedness", HANDS, problems)
    trajectory = _chosen(row.detail("trajectory"), "trajectory", PATHS, problems)
    shape = one_line(row.detail("hand-shape").value)
    return replace(
        made,
        hands=cast(Handedness | None, hands),
        handshape=own_names(HAND_SHAPES).find(shape) or shape,
        trajectory=cast(Trajectory | None, trajectory),
        start=_position(row, "start", problems),
        end=_position(row, "end", problems),
        start_distance=start_distance,
        end_distance=end_distance,
        affiliate=_words_of(row, "affiliate", words, middle_s, problems),
        cooccurrence=_words_of(row, "co-occurrence", words, middle_s, problems),
    )


def _lexeme(written: str) -> str:
    name = one_line(written)
    if name_key(name) in map(name_key, NOTHING):
        return ""
    return own_names(tuple(lexicon())).find(name) or name


def _phases(marks: Sequence[Row], row: Row, problems: Problems) -> tuple[PhaseMark, ...]:
    """Phases of a gesture; consecutive strokes are one phase of several strokes."""
    runs: list[list[Row]] = []
    for mark in marks:
        repeats = bool(runs) and mark.value == runs[-1][-1].value == "stroke"
        if repeats and _follows(runs[-1][-1], mark):
            runs[-1].append(mark)
        else:
            runs.append([mark])
    found, first = [], True
    for run in runs:
        ends = tuple(mark.end_s for mark in run) if len(run) > 1 else ()
        kind = cast(MarkKind, run[0].value)
        phase = PhaseMark(kind, run[0].start_s, run[-1].end_s, len(run), ends)
        if kind == "stroke" and first:
            phase, first = _counted(phase, row, problems), False
        found.append(phase)
    return tuple(found)


def _counted(phase: PhaseMark, row: Row, problems: Problems) -> PhaseMark:
    """Stroke phase with its gesture's number of strokes and their ends."""
    said, listed = row.detail("strokes"), row.detail("stroke-ends")
    number = said.value.strip()
    if number and (not re.fullmatch(r"[0-9]{1,3}", number) or int(number) < 1):
        problems.add(said.line, f"number of strokes is {shown(number)}, allowed are 1, 2, 3 ...")
    elif number and phase.strokes > 1 and int(number) != phase.strokes:
        what = f"{number} strokes are stated, {phase.strokes} are annotated; the phases count"
        problems.add(said.line, what)
    elif number:
        phase = replace(phase, strokes=int(number))
    ends = [end for end in map(number_of, listed.value.split()) if end is not None]
    if ends and not phase.stroke_ends and len(ends) == phase.strokes:
        return replace(phase, stroke_ends=tuple(ends))
    if listed.value.strip() and not phase.stroke_ends:
        what = f"ends of strokes are {shown(listed.value)}, expected {phase.strokes} times"
        problems.add(listed.line, f"{what} in seconds; left out")
    return phase


def _position(row: Row, end: str, problems: Problems) -> HandPosition | None:
    """Position written as one text, or as its four dimensions."""
    whole = row.detail(f"{end}-position")
    parts = {name: row.detail(f"{end}-{name}") for name in DIMENSIONS}
    given = [name for name, part in parts.items() if part.value.strip()]
    line, text = whole.line, whole.value.strip()
    if not text and given:
        lacking = [name for name in DIMENSIONS if name not in given]
        line = parts[given[0]].line
        if lacking:
            problems.add(line, f"{end} position has no {', no '.join(lacking)}; left out")
            return None
        text = "/".join(part.value.strip() for part in parts.values())
    if not text:
        return None
    try:
        return HandPosition.of_text(text)
    except InvalidValueError as error:
        problems.add(line, f"{end} position: {error}; left out")
        return None


def _distances(detail: Detail, problems: Problems) -> tuple[float | None, float | None]:
    """Distances of the hands at start and end, written ``0.6/0.9``, ``0.6`` or ``/0.9``."""
    text = detail.value.strip()
    parts = _ARROWS.split(text) if text else []
    numbers = [number_of(part) if part else None for part in parts]
    if len(parts) > 2 or any(part and n is None for part, n in zip(parts, numbers, strict=True)):
        what = f"hand distance is {shown(text)}, expected start/end in shoulder widths"
        problems.add(detail.line, f"{what}; left out")
        return None, None
    start, end = (*numbers, None, None)[:2]
    return start, end


def _words_of(
    row: Row, name: str, words: Words, time_s: float, problems: Problems
) -> tuple[int, int] | None:
    detail = row.detail(name)
    if not detail.value.strip():
        return None
    found = words.span(detail.value, time_s)
    if isinstance(found, str):
        problems.add(detail.line, f"{name} {shown(detail.value)} {found}; left out")
        return None
    return found


@dataclass
class _Bundle:
    """A unit being assembled."""

    row: Row | None
    gestures: list[AnnotatedGesture] = field(default_factory=list)
    retractions: list[Row] = field(default_factory=list)


def _units(
    rows: Sequence[Row], gestures: Sequence[_Made], marks: Sequence[Row], problems: Problems
) -> tuple[AnnotatedUnit, ...]:
    retractions = [mark for mark in marks if mark.value == "retraction"]
    if rows:
        bundles = _bundles(rows, gestures, retractions, problems)
    else:
        if gestures:
            what = "no tier of units: a unit is taken to end with a retraction, or where nothing is"
            problems.add(gestures[0].line, f"{what} annotated for {_PAUSE_S:g} s")
        bundles = _separated(gestures, retractions, problems)
    found = [unit for unit in (_unit(bundle, problems) for bundle in bundles) if unit is not None]
    return tuple(sorted(found, key=lambda unit: unit.start_s))


def _bundles(
    rows: Sequence[Row], gestures: Sequence[_Made], retractions: Sequence[Row], problems: Problems
) -> list[_Bundle]:
    bundles = [_Bundle(row) for row in rows]
    for gesture, line in gestures:
        at = holder(rows, (gesture.start_s + gesture.end_s) / 2.0)
        if at is None:
            what = f"the gesture at {gesture.start_s:g} s is outside any unit; it is taken as one"
            problems.add(line, what)
            bundles.append(_Bundle(None, [gesture]))
        else:
            bundles[at].gestures.append(gesture)
    for mark in retractions:
        at = holder(rows, mark.middle_s)
        if at is None:
            problems.add(
                mark.line, f"retraction from {mark.start_s:g} s is outside any unit; left out"
            )
        else:
            bundles[at].retractions.append(mark)
    return bundles


def _separated(
    gestures: Sequence[_Made], retractions: Sequence[Row], problems: Problems
) -> list[_Bundle]:
    """Units inferred where none are annotated."""
    bundles: list[_Bundle] = []
    ends_s = -math.inf
    items: list[AnnotatedGesture | Row] = [*(made.gesture for made in gestures), *retractions]
    for item in sorted(items, key=lambda item: item.start_s):
        apart = not bundles or bool(bundles[-1].retractions) or item.start_s - ends_s > _PAUSE_S
        if isinstance(item, AnnotatedGesture):
            bundles += [_Bundle(None)] if apart else []
            bundles[-1].gestures.append(item)
        elif apart:
            what = f"retraction from {item.start_s:g} s follows no gesture; left out"
            problems.add(item.line, what)
            continue
        else:
            bundles[-1].retractions.append(item)
        ends_s = item.end_s
    return bundles


def _unit(bundle: _Bundle, problems: Problems) -> AnnotatedUnit | None:
    row = bundle.row
    pose = None if row is None else _chosen(row, "rest pose", POSES, problems)
    if not bundle.gestures:
        if row is not None:
            problems.add(row.line, f"the unit from {row.start_s:g} s has no gesture; left out")
        return None
    for early in bundle.retractions[:-1]:
        what = f"retraction from {early.start_s:g} s is not the last of its unit; left out"
        problems.add(early.line, what)
    last = bundle.retractions[-1] if bundle.retractions else None
    retraction = None if last is None else PhaseMark("retraction", last.start_s, last.end_s)
    return AnnotatedUnit(tuple(bundle.gestures), retraction, pose or "")
