"""The part of a speaker's gaze that the head takes, and the cues of the eyes in a whole take.

The eyes make a saccade to a new target, the head follows a little later by a part of the angle, the
eyes rotate back by as much: gaze stays on its target whatever the head does (2008, section 6.4, has
the head's part; order and times are measured). Where the gaze goes, `figure.eyes` decides.
"""

from __future__ import annotations

import numpy as np

from kinesphere.animation.head.head_cues import HeadCues
from kinesphere.animation.head.head_settings import HeadSettings
from kinesphere.animation.head.head_steps import Steps
from kinesphere.figure.head.gaze import Looks
from kinesphere.figure.head.gaze_cues import (
    GLANCE,
    LIDS_OPEN,
    LISTENER,
    PAUSE,
    STAY,
    SYLLABLE,
    cue_rows,
)
from kinesphere.maths.arrays import Floats

Row = tuple[float, ...]


def eye_cues(cues: HeadCues, settings: HeadSettings) -> Floats:
    """Cues of the eyes from those of the whole head, as far ahead as a speaker knows them."""
    rows: list[Row] = [(s.time_s, LISTENER, 0.0, s.yaw, s.pitch) for s in cues.shifts]
    rows += _glance_rows(cues, settings)
    rows += _phrase_rows(cues, settings)
    clear_s = settings.looks.clear_s
    early_s = clear_s + settings.eyes.gaze.away_range_s[0]
    for pose in cues.poses:
        if pose.nod or pose.shake:
            until_s = min(pose.end_s, pose.start_s + settings.looks.stay_most_s) + clear_s
            rows.append((pose.start_s - early_s, STAY, until_s))
    b = settings.eyes.blinks
    for beat in cues.accents:
        early_s = b.length_s[1] + b.margin_s
        rows.append((beat.time_s - early_s, LIDS_OPEN, beat.time_s + b.margin_s))
    return cue_rows(rows)


def _glance_rows(cues: HeadCues, s: HeadSettings) -> list[Row]:
    """Glances, each ended by the next; straight from one to the next where they are near."""
    rows: list[Row] = []
    for i, glance in enumerate(cues.glances):
        following = cues.glances[i + 1].start_s if i + 1 < len(cues.glances) else np.inf
        until_s = glance.end_s
        if following - until_s < s.looks.least_look_s:
            until_s = following
        # No look away shortly before: it would be cut off.
        early_s = s.looks.clear_s + s.eyes.gaze.away_range_s[0]
        rows.append((glance.start_s - early_s, STAY, until_s + s.looks.clear_s))
        rows.append((glance.start_s, GLANCE, until_s, glance.yaw, glance.pitch))
    return rows


def _phrase_rows(cues: HeadCues, s: HeadSettings) -> list[Row]:
    """Phrases: a first look just before each, back on the listener by its end."""
    rows: list[Row] = []
    before_s, k = -np.inf, s.looks
    for number, (start_s, end_s) in enumerate(cues.phrases):
        rows.append((max(start_s - k.phrase_early_s, before_s), SYLLABLE))
        until_s = np.inf if number + 1 == len(cues.phrases) else end_s
        rows.append((end_s - k.back_s - s.eyes.gaze.away_range_s[0], STAY, until_s))
        rows.append((end_s, PAUSE))
        before_s = end_s
    return rows


def head_follows(found: Looks, settings: HeadSettings) -> Steps:
    """The head's part: yaw and pitch of its own target, then of the gaze target.

    The head's target changes only when the gaze moves far from it.
    """
    s, found = settings, _changes(found)
    least = np.radians(s.head_least_deg)
    turned = np.empty_like(found.goals)
    at = np.zeros(2)
    for i, goal in enumerate(found.goals):
        if np.hypot(*(goal - at)) >= least:
            at = goal
        turned[i] = at
    changes = np.diff(np.hstack([turned, found.goals]), axis=0, prepend=np.zeros((1, 4)))
    low, high = s.head_late_s
    starts = found.times + low + (high - low) * found.chance[:, 0]
    if s.fixed_s is not None:
        low, high = s.fixed_s
        lengths = low + (high - low) * found.chance[:, 1]
        until = np.diff(found.times, append=np.inf)
        return Steps(starts, np.maximum(np.minimum(lengths, until), 1e-3), changes)
    turns, jumps = np.hypot(changes[:, 0], changes[:, 1]), np.hypot(changes[:, 2], changes[:, 3])
    size = s.gain * np.degrees(np.maximum(turns, jumps))
    least, more = s.looks.head_vary
    lengths = (s.head_s + s.head_s_per_deg * size) * (least + more * found.chance[:, 1])
    return Steps(starts, np.clip(lengths, *s.head_length_s), changes)


def _changes(found: Looks) -> Looks:
    """Looks that have another goal than the one before."""
    before = np.vstack([np.zeros((1, 2)), found.goals[:-1]])
    kept = np.any(found.goals != before, axis=1)
    return Looks(found.times[kept], found.goals[kept], found.chance[kept])


def within(vectors: Floats, low: Floats, high: Floats, knee: float) -> Floats:
    """Shorten vectors ``[f, 2]`` to an ellipse with separate half-axes for each side.

    Up to ``1 - knee`` of it they are unchanged, from ``1 + knee`` on they end on it, with a smooth
    transition in between.
    """
    room = np.where(vectors < 0.0, -low, high)
    far = np.hypot(*(vectors / room).T)
    over = np.clip(far - (1.0 - knee), 0.0, 2.0 * knee)
    kept = np.minimum(far, 1.0 + knee) - over * over / (4.0 * knee)
    return np.asarray(vectors * (kept / np.maximum(far, 1e-12))[:, None])
