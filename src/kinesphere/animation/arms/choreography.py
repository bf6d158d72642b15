"""Planning of hand events: the rest pose of each unit, and what fills the gaps between gestures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kinesphere.animation.arms.between_strokes import QUIET_POSES, Stage
from kinesphere.animation.arms.hand_events import Act, Event, Poses
from kinesphere.animation.arms.stroke_timing import PAPER_PREP_S, PAPER_REST_PREP_S
from kinesphere.animation.settings import ActingSettings
from kinesphere.animation.speech_cues import SpeechCues

_SHOWN_HOLD_S = 0.4
_LEAST_HOME_S = 0.5  # shortest gap between units in which hands retract and return, as in the paper


def choreograph(
    units: Sequence[tuple[Sequence[Act], str]],
    rests: Mapping[str, Poses],
    cues: SpeechCues,
    settings: ActingSettings,
    rng: np.random.Generator,
    end_s: float,
    first: str = "at-side",
) -> list[Event]:
    """Events for units of acts, each with the rest pose after it.

    They go from 0 to `end_s`, or longer, until the hands have settled.
    """
    s = settings
    stage = Stage(rests, cues, s, rng, first, end_s)
    flat = [(act, rest, k == len(acts) - 1) for acts, rest in units for k, act in enumerate(acts)]
    for i, (act, rest, last) in enumerate(flat):
        from_rest = stage.resting is not None
        base = rests["half-rest"]
        start = act.time.start_s
        way = stage.way({**stage.here, **act.start})
        if from_rest:
            lead = s.lasting(way, s.rise_ratio) + 0.02
            if s.paper:
                # The available time is shared with the retraction (section 6.2.1).
                lead = min(PAPER_REST_PREP_S, start - stage.now) if i else PAPER_REST_PREP_S
            stage.rest(max(start - lead, stage.now))
        else:
            lead = PAPER_PREP_S if s.paper else 1.1 * s.lasting(way, s.prep_ratio)
            before = flat[i - 1][0] if i else None
            stage.fill(start - lead, stage.answered(act, act.start, base), before)
        stage.perform(act, base, from_rest=from_rest)
        if last:
            following = flat[i + 1][0] if i + 1 < len(flat) else None
            _leave(stage, act, rest, following)
    if stage.resting is None:
        stage.retract(units[-1][1] if units else first, stage.now)
    stage.rest(end_s)
    stage.hold(stage.moving_until_s + s.settle_s, kind="rest")
    return stage.events


def _leave(stage: Stage, act: Act, rest: str, following: Act | None) -> None:
    """After a unit: go to rest, sink half-way, or stay for the next unit."""
    s, cues = stage.s, stage.cues
    hold = act.gesture.hold_s or 0.0
    end = act.time.last_s + hold
    if not s.paper and cues.phrases:
        # Holds of recorded speakers are short; emblems and iconics are held longer.
        most = _SHOWN_HOLD_S if act.lexeme.kind in ("emblem", "iconic") else s.hold_s
        end = act.time.last_s + min(hold, most * stage.chance(s.hold_spread))
    if s.paper or not cues.phrases:
        stage.hold(max(end, stage.now), act)
        half = None
        if following is not None:
            gap = following.time.start_s - end
            if gap < (_LEAST_HOME_S if s.paper else s.bridge_s):
                return
            half = end + 0.5 * gap if s.paper else None
        stage.retract(rest, end, half)
        return
    if following is not None:
        gap = following.time.start_s - end
        if gap < s.bridge_s:
            return
        if cues.pause_after(stage.now) < 1.0 and (gap < s.half_rest_s or rest in QUIET_POSES):
            stage.hold(end, act)
            stage.retract("half-rest", end)
            return
    # Retract before the phrase ends, if its end is near.
    over = cues.phrase_end(stage.now)
    if following is None and over - s.home_early_s - end < 2.5:
        end = max(end, over - s.home_early_s)
        stage.fill(end, None, act)
    stage.hold(end, act)
    stage.retract(rest, end, over + 0.3 if over > end - 0.5 else None)
