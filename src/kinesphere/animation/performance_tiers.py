"""Tiers of a performance: phases of the arms, and gestures by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kinesphere.animation.arms.hand_events import Act, HandEvent
from kinesphere.gesture.lexicon import Lexeme
from kinesphere.gesture.phases import ArmPhases, Phase
from kinesphere.gesture.script import GestureScript
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.timeline import Interval, Tier

_HEAD_GESTURE_S = 0.3  # interval of a gesture without keys


def phases_of(events: Sequence[HandEvent]) -> tuple[Phase, ...]:
    """Phases of both arms, which move together."""
    rows: list[Phase] = []
    for event in events:
        kind = event.kind
        if event.end_s <= event.start_s:
            continue
        if rows and rows[-1].kind == kind and kind in ("hold", "rest"):
            rows[-1] = Phase(kind, rows[-1].start_s, event.end_s)
        else:
            start = max(event.start_s, rows[-1].end_s) if rows else event.start_s
            if event.end_s > start:
                rows.append(Phase(kind, start, event.end_s))
    return tuple(rows)


def performance_tiers(
    phases: Mapping[Side, ArmPhases],
    acts: Sequence[Act],
    events: Sequence[HandEvent],
    script: GestureScript,
    lexemes: Sequence[Lexeme],
) -> tuple[Tier, ...]:
    """Phases of both arms, gestures by name, and head gestures if there are any."""
    over: dict[int, float] = {}
    for event in events:
        if event.act is not None and event.kind in ("stroke", "after-stroke"):
            over[event.act.index] = event.end_s
    rows: list[Interval] = []
    for act in acts:
        start = max(act.time.start_s, rows[-1].end_s if rows else 0.0)
        label = f"{act.gesture.lexeme} {act.gesture.hands}".strip()
        rows.append(Interval(start, max(over.get(act.index, act.time.last_s), start), label))
    heads: list[Interval] = []
    for g, entry in zip(script.gestures, lexemes, strict=True):
        if entry.without_hands:
            start = max(g.meant_start_s, heads[-1].end_s if heads else 0.0)
            length = entry.body_keys[-1].time_s if entry.body_keys else _HEAD_GESTURE_S
            heads.append(Interval(start, max(g.last_stroke_end_s, start + length), g.lexeme))
    named = [Tier("gestures", tuple(rows))]
    if heads:
        named.append(Tier("head gestures", tuple(heads)))
    return (*(phases[side].tier() for side in SIDES), *named)
