"""Assembles gestures from rows: the phases of each by their times, and its form.

Rows that do not fit are listed as `Problem`s with their lines, and the rest is read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, cast

from kinesphere.corpus.annotation.annotation import (
    AnnotatedGesture,
    Handedness,
    MarkKind,
    PhaseMark,
    Trajectory,
)
from kinesphere.corpus.annotation.sheet import Detail, Row, find_name, holder, number_of, one_line
from kinesphere.corpus.annotation.tier_names import HANDS, NOTHING, PATHS, name_key, own_names
from kinesphere.corpus.annotation.words import Words
from kinesphere.errors import InvalidValueError
from kinesphere.formats.problems import Problems, quote
from kinesphere.gesture.lexicon import HAND_SHAPES, lexicon
from kinesphere.gesture.positions import DIMENSIONS, HandPosition

SAME_S = 0.05
"""Times of the same event may differ by this, about a video frame."""
PAUSE_S = 1.0
"""Time without annotations that ends a gesture, or a unit where units are not annotated."""
_ARROWS = re.compile(r"\s*(?:/|->|→|;|\s)\s*")


class AssembledGesture(NamedTuple):
    """A gesture and its line."""

    gesture: AnnotatedGesture
    line: int


def assemble_gestures(
    rows: Sequence[Row], marks: Sequence[Row], words: Words, problems: Problems
) -> list[AssembledGesture]:
    """Gestures of a tier with their phases; of phases alone where the tier is empty."""
    return [
        AssembledGesture(_gesture(draft, words, problems), draft.line)
        for draft in _drafts(rows, marks, problems)
    ]


@dataclass
class _GestureDraft:
    """A gesture being assembled: its row, if there is one, and its phases."""

    row: Row | None
    marks: list[Row] = field(default_factory=list)
    retracts: bool = False

    @property
    def line(self) -> int:
        return self.marks[0].line if self.row is None else self.row.line


def _drafts(rows: Sequence[Row], marks: Sequence[Row], problems: Problems) -> list[_GestureDraft]:
    """Phases in gestures, both in order of time."""
    if not rows:
        if marks:
            what = "no tier of gestures: each stroke, or hold without one, is taken for a gesture"
            problems.add(marks[0].line, what)
        return _infer_gestures(marks)
    drafts = [_GestureDraft(row) for row in rows]
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


def _check_edges(draft: _GestureDraft, row: Row, problems: Problems) -> None:
    if not draft.marks:
        what = f"the gesture from {row.start_s:g} s has no phases; it is taken for one stroke"
        problems.add(row.line, what)
        draft.marks.append(replace(row, value="stroke", details={}))
    start_s, end_s = draft.marks[0].start_s, draft.marks[-1].end_s
    late = end_s - row.end_s
    if (
        abs(start_s - row.start_s) > SAME_S
        or late > SAME_S
        or (late < -SAME_S and not draft.retracts)
    ):
        problems.add(
            row.line,
            f"the gesture goes from {row.start_s:g} to {row.end_s:g} s, its phases from "
            f"{start_s:g} to {end_s:g} s; the phases count",
        )


def _infer_gestures(marks: Sequence[Row]) -> list[_GestureDraft]:
    """Gestures inferred from phases alone: ``[preparation] [hold] stroke [hold]``."""
    drafts: list[_GestureDraft] = []
    begun: list[Row] = []
    for mark in marks:
        if mark.value == "retraction":
            begun = []
            continue
        if not begun or _begins(mark, begun):
            begun = []
            drafts.append(_GestureDraft(None, begun))
        begun.append(mark)
    return drafts


def _begins(mark: Row, begun: Sequence[Row]) -> bool:
    """Whether a phase belongs to another gesture than those before it."""
    last = begun[-1]
    if mark.value == "preparation" or mark.start_s - last.end_s > PAUSE_S:
        return True
    if mark.value == "hold":
        return last.value == "hold"
    repeats = last.value == "stroke" and _follows(last, mark)
    return not repeats and any(row.value == "stroke" for row in begun)


def _follows(before: Row, after: Row) -> bool:
    """Whether a row begins where the one before it ends."""
    return after.start_s - before.end_s <= SAME_S


def _gesture(draft: _GestureDraft, words: Words, problems: Problems) -> AnnotatedGesture:
    row = draft.row or replace(draft.marks[0], value="", details={})
    phases = _phases(draft.marks, row, problems)
    made = AnnotatedGesture(phases, lexeme=_lexeme(row.value))
    stroke = made.stroke or phases[-1]
    middle_s = (stroke.start_s + stroke.end_s) / 2.0
    start_distance, end_distance = _distances(row.detail("hand-distance"), problems)
    hands = find_name(row.detail("handedness"), "handedness", HANDS, problems)
    trajectory = find_name(row.detail("trajectory"), "trajectory", PATHS, problems)
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
            phase, first = _stroke_phase(phase, row, problems), False
        found.append(phase)
    return tuple(found)


def _stroke_phase(phase: PhaseMark, row: Row, problems: Problems) -> PhaseMark:
    """Stroke phase with its gesture's number of strokes and their ends."""
    said, listed = row.detail("strokes"), row.detail("stroke-ends")
    number = said.value.strip()
    if number and (not re.fullmatch(r"[0-9]{1,3}", number) or int(number) < 1):
        problems.add(said.line, f"number of strokes is {quote(number)}, allowed are 1, 2, 3 ...")
    elif number and phase.strokes > 1 and int(number) != phase.strokes:
        what = f"{number} strokes are stated, {phase.strokes} are annotated; the phases count"
        problems.add(said.line, what)
    elif number:
        phase = replace(phase, strokes=int(number))
    ends = [end for end in map(number_of, listed.value.split()) if end is not None]
    if ends and not phase.stroke_ends and len(ends) == phase.strokes:
        return replace(phase, stroke_ends=tuple(ends))
    if listed.value.strip() and not phase.stroke_ends:
        what = f"ends of strokes are {quote(listed.value)}, expected {phase.strokes} times"
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
        what = f"hand distance is {quote(text)}, expected start/end in shoulder widths"
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
        problems.add(detail.line, f"{name} {quote(detail.value)} {found}; left out")
        return None
    return found
