"""Gaze of a speaker, and the motion of eyes and head that follows from it.

The eyes make a saccade to a new target, the head follows a little later by a part of the angle, the
eyes rotate back by as much: gaze stays on its target whatever the head does (2008, section 6.4, has
the head's part; order and times are measured). Targets are the listener, what a gesture points
at, and points beside the listener where a speaker looks at the start of a phrase and while
thinking.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.animation.head.head_cues import HeadCues, HeadSettings
from kinesphere.animation.head.head_steps import (
    Draw,
    Steps,
    Stream,
    draw,
    draw_cells,
    draw_in_phrases,
)
from kinesphere.maths.arrays import Floats

_LEAST_LOOK_S = 0.15  # shortest fixation
_LEAST_AWAY_S = 0.35
_CLEAR_S = 0.25  # no look away this near to a glance
_FAR_ASIDE = np.radians(30.0)  # beyond this, looks away go to the middle


class Looks(NamedTuple):
    """Changes of the gaze target, in order of time.

    Parameters
    ----------
    times : ``[n]`` seconds.
    goals : ``[n, 2]`` yaw and pitch from then on, radians in the world.
    chance : ``[n, 3]`` uniform random numbers of each: the head's delay, its duration, a blink.
    """

    times: Floats
    goals: Floats
    chance: Floats


class Span(NamedTuple):
    """A look elsewhere: at a point, or beside the listener; random numbers of both saccades."""

    start_s: float
    end_s: float
    yaw: float
    pitch: float
    beside: bool
    chance: Floats


def looks(cues: HeadCues, seed: int, settings: HeadSettings) -> Looks:
    """All changes of gaze except the small saccades of `fixations`."""
    shifts = cues.shifts
    opened = np.array([start for start, _ in cues.phrases])
    times = np.array([shift.time_s for shift in shifts])
    chance = draw_in_phrases(seed, Stream.SHIFT, opened, times, 3, 0).uniform
    events = [(shift.time_s, 1, i) for i, shift in enumerate(shifts)]
    spans = _spans(cues, seed, settings)
    for i, span in enumerate(spans):
        events.append((span.start_s, 2, i))
        following = spans[i + 1].start_s if i + 1 < len(spans) else np.inf
        if following - span.end_s >= _LEAST_LOOK_S:
            events.append((span.end_s, 0, i))
    listener, elsewhere = (0.0, 0.0), False
    rows: list[tuple[float, tuple[float, float], Floats]] = []
    for time_s, kind, i in sorted(events):
        if kind == 1:
            listener = (shifts[i].yaw, shifts[i].pitch)
            if not elsewhere:
                rows.append((time_s, listener, chance[i]))
        elif kind == 2:
            rows.append((time_s, _goal(spans[i], listener), spans[i].chance[:3]))
            elsewhere = True
        else:
            rows.append((time_s, listener, spans[i].chance[3:6]))
            elsewhere = False
    return Looks(
        np.array([row[0] for row in rows]),
        np.array([row[1] for row in rows]).reshape(-1, 2),
        np.array([row[2] for row in rows]).reshape(-1, 3),
    )


def _goal(span: Span, listener: tuple[float, float]) -> tuple[float, float]:
    if not span.beside:
        return span.yaw, span.pitch
    yaw = span.yaw
    if abs(listener[0]) > _FAR_ASIDE:
        yaw = -np.copysign(yaw, listener[0])
    return listener[0] + yaw, listener[1] + span.pitch


def _spans(cues: HeadCues, seed: int, settings: HeadSettings) -> list[Span]:
    """Glances, each ended by the next, and looks away that overlap none of them."""
    opened = np.array([start for start, _ in cues.phrases])
    times = np.array([glance.start_s for glance in cues.glances])
    chance = draw_in_phrases(seed, Stream.GLANCE, opened, times, 6, 0).uniform
    spans = []
    for i, glance in enumerate(cues.glances):
        following = cues.glances[i + 1].start_s if i + 1 < len(cues.glances) else np.inf
        end_s = min(glance.end_s, following)
        if end_s > glance.start_s:
            spans.append(Span(glance.start_s, end_s, glance.yaw, glance.pitch, False, chance[i]))
    if settings.paper:
        return spans
    # During a nod or head shake the gaze stays on the listener.
    taken = [(span.start_s, span.end_s) for span in spans]
    taken += [(pose.start_s, pose.end_s) for pose in cues.poses if pose.nod or pose.shake]
    starts, ends = np.array(taken).reshape(-1, 2).T + np.array([[-_CLEAR_S], [_CLEAR_S]])
    shifts = np.array([shift.time_s for shift in cues.shifts])
    for away in looks_away(cues, seed, settings):
        later = shifts[shifts > away.start_s]
        end_s = min(away.end_s, later[0]) if len(later) else away.end_s
        clear = not np.any((starts < end_s) & (ends > away.start_s))
        if clear and end_s - away.start_s >= _LEAST_AWAY_S:
            spans.append(away._replace(end_s=end_s))
    return sorted(spans, key=lambda span: span.start_s)


def looks_away(cues: HeadCues, seed: int, settings: HeadSettings) -> list[Span]:
    """Looks beside the listener: often as a phrase begins, again in long ones, back by its end."""
    s = settings
    if s.listener_ratio >= 1.0:
        return []
    on_s = s.away_s * s.listener_ratio / (1.0 - s.listener_ratio)
    found: list[Span] = []
    for number, (start_s, end_s) in enumerate(cues.phrases):
        rows = int((end_s - start_s) / _LEAST_AWAY_S) + 2
        chance = draw(seed, Stream.AWAY, number, rows, 11, 2)
        last_s = end_s - s.back_s
        first = chance.uniform[0]
        at_s = start_s - 0.25 + 0.3 * first[1]
        if first[0] >= s.away_ratio:
            at_s = start_s + on_s * float(np.exp(0.4 * chance.normal[0, 1]))
        if found:
            at_s = max(at_s, found[-1].end_s + _LEAST_AWAY_S)
        for row in range(1, rows):
            length_s = s.away_s * float(np.exp(0.4 * chance.normal[row, 0]))
            if min(at_s + length_s, last_s) - at_s < _LEAST_AWAY_S:
                break
            found.append(_away(at_s, min(at_s + length_s, last_s), chance, row, s))
            at_s = found[-1].end_s + max(
                _LEAST_AWAY_S, on_s * float(np.exp(0.4 * chance.normal[row, 1]))
            )
    return found


def _away(start_s: float, end_s: float, chance: Draw, row: int, s: HeadSettings) -> Span:
    """Direction of a look away: 50 % down and aside, 30 % aside, 20 % up and aside."""
    u = chance.uniform[row]
    size = np.radians(s.away_deg[0] + u[0] * (s.away_deg[1] - s.away_deg[0]))
    if u[1] < 0.5:
        slope = np.radians(20.0 + 40.0 * u[2])
    elif u[1] < 0.8:
        slope = np.radians(-10.0 + 30.0 * u[2])
    else:
        slope = -np.radians(20.0 + 25.0 * u[2])
    left = s.side * (1.0 if u[3] < 0.5 else -1.0)
    yaw, pitch = left * size * np.cos(slope), size * np.sin(slope)
    return Span(start_s, end_s, float(yaw), float(pitch), True, u[5:11])


def saccades(found: Looks, settings: HeadSettings) -> Steps:
    """Saccades of the gaze: yaw and pitch."""
    changes = np.diff(found.goals, axis=0, prepend=np.zeros((1, 2)))
    return Steps(found.times, _saccade_s(changes, settings), changes)


def _saccade_s(changes: Floats, s: HeadSettings) -> Floats:
    size = np.minimum(np.degrees(np.hypot(changes[:, 0], changes[:, 1])), s.saccade_most_deg)
    return np.asarray(s.saccade_s + s.saccade_s_per_deg * size)


def head_follows(found: Looks, settings: HeadSettings) -> Steps:
    """The head's part: yaw and pitch of its own target, then of the gaze target.

    The head's target changes only when the gaze moves far from it.
    """
    s = settings
    least = 0.0 if s.paper else np.radians(s.head_least_deg)
    turned = np.empty_like(found.goals)
    at = np.zeros(2)
    for i, goal in enumerate(found.goals):
        if np.hypot(*(goal - at)) >= least:
            at = goal
        turned[i] = at
    changes = np.diff(np.hstack([turned, found.goals]), axis=0, prepend=np.zeros((1, 4)))
    if s.paper:
        low, high = s.paper_s
        lengths = low + (high - low) * found.chance[:, 1]
        until = np.diff(found.times, append=np.inf)
        return Steps(found.times, np.maximum(np.minimum(lengths, until), 1e-3), changes)
    low, high = s.head_late_s
    starts = found.times + low + (high - low) * found.chance[:, 0]
    size = s.gain * np.degrees(np.hypot(changes[:, 0], changes[:, 1]))
    lengths = (s.head_s + s.head_s_per_deg * size) * (0.9 + 0.2 * found.chance[:, 1])
    return Steps(starts, np.clip(lengths, *s.head_length_s), changes)


def fixations(
    start_s: float, end_s: float, seed: int, settings: HeadSettings
) -> tuple[Floats, Steps]:
    """Small saccades about the target: the offset before the first, and the saccades.

    There is one in each cell of time, at a random time within it.
    """
    s = settings
    every = s.fixation_every_s
    cells = range(int(np.floor(start_s / every)) - 2, int(np.floor(end_s / every)) + 1)
    chance = draw_cells(seed, Stream.FIXATION, cells, 1, 2)
    sizes = np.array([s.side, 0.7]) * np.radians(s.fixation_deg)
    goals = np.clip(chance.normal, -1.8, 1.8) * sizes
    starts = (np.array(cells) + chance.uniform[:, 0]) * every
    changes = np.diff(goals, axis=0)
    return goals[0], Steps(starts[1:], _saccade_s(changes, s), changes)


def levels(times: Floats, starts: Floats, goals: Floats) -> Floats:
    """Goal ``[f, c]`` that holds at each time; zero before the first."""
    padded = np.vstack([np.zeros((1, goals.shape[1])), goals])
    return np.asarray(padded[np.searchsorted(starts, times, side="right")])


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


def eye_room(settings: HeadSettings) -> tuple[Floats, Floats]:
    """Ranges of the eyes: yaw and pitch, least and most, radians."""
    s = settings
    return (
        np.radians([-s.eye_side_deg, -s.eye_up_deg]),
        np.radians([s.eye_side_deg, s.eye_down_deg]),
    )


def eyes_towards(directions: Floats, settings: HeadSettings) -> Floats:
    """Rotation vectors ``[f, 3]`` of eyes for directions in the head, within their range."""
    x, y, z = directions.T
    flat = np.hypot(x, y)
    turn = np.arctan2(flat, z) / np.maximum(flat, 1e-12)
    yaw_pitch = np.stack([x * turn, -y * turn], axis=1)
    low, high = eye_room(settings)
    room = np.where(yaw_pitch < 0.0, -low, high)
    over = np.maximum(np.hypot(*(yaw_pitch / room).T), 1.0)
    kept = yaw_pitch / over[:, None]
    return np.stack([kept[:, 1], kept[:, 0], np.zeros(len(kept))], axis=1)


def direction(yaw: Floats, pitch: Floats) -> Floats:
    """Unit vectors ``[f, 3]`` of yaw and pitch."""
    level = np.cos(pitch)
    return np.stack([level * np.sin(yaw), -np.sin(pitch), level * np.cos(yaw)], axis=-1)
