"""From a script's gestures to acts: poses, efforts and times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kinesphere.animation.arms.hand_events import Act, Poses
from kinesphere.animation.arms.poses.gesture_poses import Asked, sides_of, solve_poses
from kinesphere.animation.arms.stroke_timing import Timed, stroke_times
from kinesphere.animation.performer import Performer
from kinesphere.animation.speech_cues import SpeechCues
from kinesphere.animation.trunk_motion import chest_frames
from kinesphere.gesture.lexicon import Lexeme
from kinesphere.gesture.script import GestureScript
from kinesphere.motion.keyed.tracks import DofTrack

if TYPE_CHECKING:
    from kinesphere.animation.acting_rules import ActingRules


def _effort(entry: Lexeme, who: Performer, accent: float, more: float) -> tuple[float, ...]:
    strong = more * accent
    added = (0.0, strong, strong, 0.0)
    rows = zip(entry.effort, who.effort, added, strict=True)
    return tuple(float(np.clip(sum(row), -1.0, 1.0)) for row in rows)


def plan_acts(
    script: GestureScript,
    lexemes: Sequence[Lexeme],
    cues: SpeechCues,
    turns: tuple[DofTrack, DofTrack],
    rules: ActingRules,
    rng: np.random.Generator,
) -> list[Act]:
    """Gestures of a script that have hands, with their poses and times.

    Parameters
    ----------
    lexemes : of each gesture.
    turns : yaw of pelvis and spine over time.
    """
    given, s, who = script.gestures, rules.settings, rules.performer
    index = [i for i, entry in enumerate(lexemes) if not entry.without_hands]
    gestures = [given[i] for i in index]
    entries = [lexemes[i] for i in index]
    accents = [cues.cue(i)[1] for i in index]
    efforts = [_effort(e, who, a, s.accent_effort) for e, a in zip(entries, accents, strict=True)]
    gains = [rules.emphasis(a, rng) for a in accents]
    asked = [
        Asked(g, e, gain, g.meant_start_s, g.last_stroke_end_s)
        for g, e, gain in zip(gestures, entries, gains, strict=True)
    ]
    poses = solve_poses(asked, lambda times: chest_frames(*turns, times), rules, rng)
    rows = [
        Timed(g, e, _stroke_m(*ends), effort[2], g.has_prep)
        for g, e, ends, effort in zip(gestures, entries, poses, efforts, strict=True)
    ]
    own_cues = replace(
        cues,
        gestures=tuple(cues.cue(i)[0] for i in index),
        accents=tuple(accents),
        exact=frozenset(k for k, i in enumerate(index) if i in cues.exact),
    )
    times = stroke_times(rows, own_cues, s, rng)
    out = []
    for k, (g, e) in enumerate(zip(gestures, entries, strict=True)):
        start, end = (
            {side: rules.vary_hand(pose, e, rng) for side, pose in ends.items()}
            for ends in poses[k]
        )
        out.append(
            Act(index[k], g, e, sides_of(g), start, end, times[k], accents[k], efforts[k])  # type: ignore[arg-type]
        )
    return out


def _stroke_m(start: Poses, end: Poses) -> float:
    """Longest distance of a hand from the start to the end of a stroke, metres."""
    return max(float(np.linalg.norm(end[side].wrist - start[side].wrist)) for side in start)


def acts_by_unit(script: GestureScript, acts: Sequence[Act]) -> list[tuple[list[Act], str]]:
    """Acts of each unit that has any, and its rest pose."""
    by_index = {act.index: act for act in acts}
    out, at = [], 0
    for unit in script.units:
        rows = [by_index[i] for i in range(at, at + len(unit.gestures)) if i in by_index]
        at += len(unit.gestures)
        if rows:
            out.append((rows, unit.rest_pose))
    return out
