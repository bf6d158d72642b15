"""From an annotated performance directly to a script of the same gestures."""

from __future__ import annotations

import math
from dataclasses import replace

from kinesphere.corpus.annotation.annotation import AnnotatedGesture, Annotation
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.lexicon import lexicon
from kinesphere.gesture.script import (
    BODY_DIRECTIONS,
    REST_POSES,
    GestureScript,
    ScriptGesture,
    ScriptUnit,
    Turn,
)

NO_LEXEME = "none"
_LEAST_APART_S = 1e-3


def recreate_script(
    annotation: Annotation, start_s: float = 0.0, end_s: float = math.inf
) -> tuple[GestureScript, tuple[str, ...]]:
    """Script of an annotated passage, with times from its start, and notes on what it lacks.

    Gestures whose stroke lies entirely in the passage are used. A gesture without a hand is skipped
    with a note; one without a lexeme is called ``none`` and keeps its positions.

    Raises
    ------
    InvalidValueError
        If the passage is empty or runs backward.
    """
    if not end_s > start_s:
        raise InvalidValueError(f"the passage ends at {end_s:g} s, not after {start_s:g} s")
    notes: list[str] = []
    units = []
    for unit in annotation.units:
        rows = [g for g in unit.gestures if is_within(g, start_s, end_s)]
        made = [_gesture(g, start_s, notes) for g in rows]
        kept = tuple(g for g in made if g is not None)
        if kept:
            pose = unit.rest_pose if unit.rest_pose in REST_POSES else "at-side"
            units.append(ScriptUnit(kept, pose))
    turns = [t for t in annotation.turns if start_s <= t.time_s < end_s]
    for part in ("body", "head"):
        before = [t for t in annotation.turns if t.part == part and t.time_s < start_s]
        if before:
            turns.insert(0, replace(before[-1], time_s=start_s))
    if not units:
        notes.append(f"no gesture lies between {start_s:g} and {end_s:g} s")
    body = [t for t in turns if t.part == "body" and t.direction in BODY_DIRECTIONS]
    script = GestureScript(
        tuple(units),
        tuple(Turn(t.direction, t.time_s - start_s) for t in body),
        tuple(Turn(t.direction, t.time_s - start_s) for t in turns if t.part == "head"),
        remarks=(f"recreated from {annotation.speaker}",),
    )
    return script, tuple(notes)


def is_within(gesture: AnnotatedGesture, start_s: float, end_s: float) -> bool:
    """Whether the meaningful phase of a gesture lies entirely in a passage."""
    first, last = _meaningful_phase(gesture)
    return start_s <= first and last <= end_s


def _meaningful_phase(gesture: AnnotatedGesture) -> tuple[float, float]:
    """Start and end of the meaningful phase (stroke or hold)."""
    phase = gesture.stroke or gesture.hold or gesture.phases[0]
    return phase.start_s, phase.end_s


def _gesture(g: AnnotatedGesture, start_s: float, notes: list[str]) -> ScriptGesture | None:
    where = f"{g.lexeme or 'gesture'} at {g.start_s:.2f} s"
    if g.hands is None:
        notes.append(f"{where}: the hand is not annotated; left out")
        return None
    entry = lexicon().get(g.lexeme)
    start, stop = g.start, g.end
    if start is None:
        notes.append(f"{where}: the position is not annotated; the lexicon's is used")
        start = entry.start if entry is not None else None
        stop = stop or (entry.end if entry is not None else None)
    stroke, hold = g.stroke, g.hold
    if stroke is None and hold is None:
        notes.append(f"{where}: neither stroke nor hold; left out")
        return None
    prep = g.phases[0].kind == "preparation"
    kinds = ["prep"] if prep else []
    if stroke is None:
        assert hold is not None
        return ScriptGesture(
            lexeme=g.lexeme or NO_LEXEME,
            hands=g.hands,
            type="+".join((*kinds, "hold")),
            handshape=g.handshape,
            trajectory=g.trajectory or "straight",
            hold_start_s=hold.start_s - start_s,
            hold_s=hold.duration_s,
            start=start,
            start_distance=g.start_distance,
        )
    end = g.main_stroke_end_s
    assert end is not None
    ends = list(stroke.stroke_ends[1:]) or [
        end + (k + 1) * (stroke.end_s - end) / max(stroke.strokes - 1, 1)
        for k in range(stroke.strokes - 1)
    ]
    after: list[float] = []
    for value in ends:
        before = after[-1] if after else end - start_s
        after.append(max(value - start_s, before + _LEAST_APART_S))
    kinds += ["stroke", *(["hold"] if hold is not None else [])]
    return ScriptGesture(
        lexeme=g.lexeme or NO_LEXEME,
        hands=g.hands,
        type="+".join(kinds),
        handshape=g.handshape,
        trajectory=g.trajectory or "straight",
        stroke_end_s=end - start_s,
        stroke_s=end - stroke.start_s,
        hold_s=None if hold is None else hold.duration_s,
        after_strokes=tuple(after),
        start=start,
        end=stop,
        start_distance=g.start_distance,
        end_distance=g.end_distance,
    )
