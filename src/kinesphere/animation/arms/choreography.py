"""Planning of hand events: gestures in order, the rest pose of each unit, and the gaps between."""

from __future__ import annotations

from collections.abc import Sequence

from kinesphere.animation.arms.hand_events import Act, HandEvent
from kinesphere.animation.arms.stage import Stage


def choreograph(units: Sequence[tuple[Sequence[Act], str]], stage: Stage) -> list[HandEvent]:
    """Events for units of acts, each with the rest pose after it.

    They go from 0 to the stage's end, or longer, until the hands have settled.
    """
    flat = [(act, rest, k == len(acts) - 1) for acts, rest in units for k, act in enumerate(acts)]
    for i, (act, rest, last) in enumerate(flat):
        from_rest = stage.resting is not None
        stage.approach(act, flat[i - 1][0] if i else None)
        stage.perform(act, stage.rests["half-rest"], from_rest=from_rest)
        if last:
            stage.leave(act, rest, flat[i + 1][0] if i + 1 < len(flat) else None)
    if stage.resting is None:
        stage.retract(units[-1][1] if units else stage.first, stage.now)
    stage.rest(stage.end_s)
    stage.hold(stage.moving_until_s + stage.s.settle_s, kind="rest")
    return stage.events
