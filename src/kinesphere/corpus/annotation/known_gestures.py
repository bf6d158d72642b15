"""Annotations stored in a take: its tiers of phases and gestures as an annotation.

A take that was made from a script contains the phases of both arms and a tier of gestures: lexeme
and hands from the start of the stroke to the end of the last one. Here these become units of
gestures; what they lack (positions, and without a script the hand shape) is left empty, for
`corpus.annotation.automatic` to measure.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kinesphere.corpus.annotation.annotation import (
    HANDEDNESS,
    TRAJECTORIES,
    AnnotatedGesture,
    AnnotatedUnit,
    BodyTurn,
    Handedness,
    PhaseMark,
    Trajectory,
)
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.lexicon import lexicon
from kinesphere.gesture.phases import ArmPhases, Phase
from kinesphere.gesture.script import GestureScript, ScriptGesture
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.timeline import Interval, Tier

GESTURES = "gestures"
NAMELESS = ("", "none")
"""Names of a gesture that fits no lexeme."""
# Tolerance in seconds between the start of a stroke and that of its gesture.
_LOOSE_S = 0.05
# Shorter phases are ignored.
_LEAST_S = 1e-3
_SIDES: dict[Handedness, Side] = {"LH": "left", "RH": "right", "2H": "right"}


@dataclass(frozen=True)
class KnownGestures:
    """Gestures annotated in a take.

    Parameters
    ----------
    units : with empty positions, and empty shapes, paths and rest poses without a script.
    turns : of body and head, if there is a script.
    """

    units: tuple[AnnotatedUnit, ...] = ()
    turns: tuple[BodyTurn, ...] = ()


def known_gestures(
    tiers: Iterable[Tier], script: GestureScript | None = None
) -> KnownGestures | None:
    """Read a take's own annotations; None if it has none of gestures.

    Parameters
    ----------
    tiers : all of a take. ``phases left``, ``phases right`` and ``gestures`` are used;
        labels of the last are a lexeme and LH, RH or 2H.
    script : from which the take was made; its shapes, paths, rest poses and turns are used
        if its gestures are those of the tier.
    """
    by_name = {tier.name: tier for tier in tiers}
    rows = [_row(interval) for interval in by_name.get(GESTURES, ())]
    if GESTURES not in by_name or None in rows:
        return None
    named = [by_name.get(f"phases {side}") for side in SIDES]
    try:
        arms = {
            arm.side: arm.phases for tier in named if tier for arm in (ArmPhases.of_tier(tier),)
        }
    except InvalidValueError:
        return None
    if not arms:
        return None
    found = [row for row in rows if row is not None]
    written = _match_script(found, script)
    units = _units(found, arms, written)
    return KnownGestures(units, () if written is None or script is None else _turns(script))


@dataclass(frozen=True)
class _GestureInterval:
    """An interval of the tier of gestures."""

    start_s: float
    end_s: float
    lexeme: str
    hands: Handedness


def _row(interval: Interval) -> _GestureInterval | None:
    *names, hands = interval.label.split() or [""]
    if hands not in HANDEDNESS or len(names) > 1:
        return None
    lexeme = "".join(names)
    lexeme = "" if lexeme in NAMELESS else lexeme
    return _GestureInterval(interval.start_s, interval.end_s, lexeme, hands)


# A gesture of a script, and the rest pose if a unit ends with it.
_Written = tuple[ScriptGesture, str]


def _match_script(
    rows: Sequence[_GestureInterval], script: GestureScript | None
) -> list[_Written] | None:
    """Rows of a script for those of a tier; None if they are not the same gestures.

    Head gestures are not in the tiers of the hands.
    """
    if script is None:
        return None
    known = lexicon()
    out: list[_Written] = []
    for unit in script.units:
        for gesture in unit.gestures:
            entry = known.get(gesture.lexeme)
            if entry is None or not entry.without_hands:
                out.append((gesture, unit.rest_pose))
    same = [(row.lexeme, row.hands) for row in rows] == [
        ("" if g.lexeme in NAMELESS else g.lexeme, g.hands) for g, _ in out
    ]
    return out if same else None


def _turns(script: GestureScript) -> tuple[BodyTurn, ...]:
    out = [BodyTurn(turn.time_s, "body", turn.direction) for turn in script.body_turns]
    out += [BodyTurn(turn.time_s, "head", turn.direction) for turn in script.head_turns]
    return tuple(sorted(out, key=lambda turn: turn.time_s))


def _units(
    rows: Sequence[_GestureInterval],
    arms: dict[Side, tuple[Phase, ...]],
    written: Sequence[_Written] | None,
) -> tuple[AnnotatedUnit, ...]:
    out: list[AnnotatedUnit] = []
    gestures: list[AnnotatedGesture] = []
    done_s = 0.0
    for i, row in enumerate(rows):
        phases = arms.get(_SIDES[row.hands]) or next(iter(arms.values()))
        next_s = rows[i + 1].start_s if i + 1 < len(rows) else float("inf")
        marks = _marks(row, phases, done_s, next_s)
        done_s = marks[-1].end_s
        gesture, pose = written[i] if written is not None else (None, "")
        gestures.append(_gesture(row, marks, gesture))
        home = _return_to_rest(phases, done_s, next_s)
        if home is None and i + 1 < len(rows):
            continue
        back = home if home is not None and home.kind == "retraction" else None
        mark = None
        if back is not None:
            mark = PhaseMark("retraction", max(back.start_s, done_s), back.end_s)
            done_s = back.end_s
        out.append(AnnotatedUnit(tuple(gestures), mark, pose if mark is not None else ""))
        gestures = []
    return tuple(out)


def _gesture(
    row: _GestureInterval, marks: tuple[PhaseMark, ...], written: ScriptGesture | None
) -> AnnotatedGesture:
    path: Trajectory | None = None
    if written is not None and written.has_stroke and written.trajectory in TRAJECTORIES:
        path = written.trajectory
    return AnnotatedGesture(
        phases=marks,
        lexeme=row.lexeme,
        hands=row.hands,
        handshape="" if written is None else written.handshape,
        trajectory=path,
    )


def _marks(
    row: _GestureInterval, phases: Sequence[Phase], done_s: float, next_s: float
) -> tuple[PhaseMark, ...]:
    """Phases of one gesture: the previous one ends at `done_s`, the next begins at `next_s`.

    Small movements between gestures are annotated as preparations and after-strokes too; they do
    not count.
    """
    strokes = _strokes(row, phases, next_s)
    start = strokes[0].start_s if strokes else row.start_s
    out = _before(phases, start, done_s)
    last = start
    if strokes:
        ends = tuple(stroke.end_s for stroke in strokes)
        out.append(PhaseMark("stroke", start, ends[-1], len(ends), ends))
        last = ends[-1]
    at = _at(phases, last - _LEAST_S)
    after = phases[at] if at < len(phases) else None
    if after is not None and after.kind == "hold" and after.start_s <= last + _LEAST_S:
        until = min(after.end_s, next_s)
        if until - last > _LEAST_S:
            out.append(PhaseMark("hold", last, until))
    if not any(mark.kind in ("stroke", "hold") for mark in out):
        out.append(PhaseMark("hold", last, max(row.end_s, last)))
    return tuple(out)


def _strokes(row: _GestureInterval, phases: Sequence[Phase], next_s: float) -> list[Phase]:
    """Stroke of a gesture and its repetitions; none for a hold gesture."""
    if row.end_s - row.start_s <= _LEAST_S:
        return []
    until = min(row.end_s, next_s) - _LEAST_S
    first, stop = _at(phases, row.start_s - _LOOSE_S), _at(phases, until)
    out: list[Phase] = []
    for phase in phases[first:stop]:
        if phase.kind == "stroke":
            out = [phase]  # the first of its gesture
        elif phase.kind == "after-stroke":
            out.append(phase)
    return out or [Phase("stroke", row.start_s, row.end_s)]


def _before(phases: Sequence[Phase], start_s: float, done_s: float) -> list[PhaseMark]:
    """Preparation that leads to a time, and the hold between them."""
    at = _at(phases, start_s - _LEAST_S)
    leading: list[Phase] = []
    for phase in reversed(phases[max(at - 2, 0) : at]):
        if phase.kind not in ("preparation", "hold") or phase.end_s <= done_s + _LEAST_S:
            break
        leading.insert(0, phase)
        if phase.kind == "preparation":
            break
    if not leading or leading[0].kind != "preparation":
        return []
    spans = [(p.kind, max(p.start_s, done_s), min(p.end_s, start_s)) for p in leading]
    return [
        PhaseMark("hold" if kind == "hold" else "preparation", begin, end)
        for kind, begin, end in spans
        if end - begin > _LEAST_S
    ]


def _return_to_rest(phases: Sequence[Phase], after_s: float, before_s: float) -> Phase | None:
    """First retraction or rest between two gestures; None if the hands stay up."""
    inside = phases[_at(phases, after_s - _LEAST_S) : _at(phases, before_s)]
    return next((phase for phase in inside if phase.kind in ("retraction", "rest")), None)


def _at(phases: Sequence[Phase], time_s: float) -> int:
    """Index of the first phase that does not start before a time."""
    return bisect_left(phases, time_s, key=lambda phase: phase.start_s)
