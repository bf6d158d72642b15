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

from kinesphere.animation.head.head_cues import HeadCues
from kinesphere.animation.head.head_settings import HeadSettings
from kinesphere.animation.head.head_steps import (
    Draw,
    HeadStream,
    Steps,
    draw,
    draw_cells,
    draw_in_phrases,
)
from kinesphere.maths.arrays import Floats


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


class LookSpan(NamedTuple):
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
    chance = draw_in_phrases(seed, HeadStream.SHIFT, opened, times, 3, 0).uniform
    events = [(shift.time_s, 1, i) for i, shift in enumerate(shifts)]
    spans = _spans(cues, seed, settings)
    for i, span in enumerate(spans):
        events.append((span.start_s, 2, i))
        following = spans[i + 1].start_s if i + 1 < len(spans) else np.inf
        if following - span.end_s >= settings.looks.least_look_s:
            events.append((span.end_s, 0, i))
    far_aside = np.radians(settings.looks.far_aside_deg)
    listener, elsewhere = (0.0, 0.0), False
    rows: list[tuple[float, tuple[float, float], Floats]] = []
    for time_s, kind, i in sorted(events):
        if kind == 1:
            listener = (shifts[i].yaw, shifts[i].pitch)
            if not elsewhere:
                rows.append((time_s, listener, chance[i]))
        elif kind == 2:
            rows.append((time_s, _goal(spans[i], listener, far_aside), spans[i].chance[:3]))
            elsewhere = True
        else:
            rows.append((time_s, listener, spans[i].chance[3:6]))
            elsewhere = False
    return Looks(
        np.array([row[0] for row in rows]),
        np.array([row[1] for row in rows]).reshape(-1, 2),
        np.array([row[2] for row in rows]).reshape(-1, 3),
    )


def _goal(span: LookSpan, listener: tuple[float, float], far_aside: float) -> tuple[float, float]:
    if not span.beside:
        return span.yaw, span.pitch
    yaw = span.yaw
    if abs(listener[0]) > far_aside:
        yaw = -np.copysign(yaw, listener[0])
    return listener[0] + yaw, listener[1] + span.pitch


def _spans(cues: HeadCues, seed: int, settings: HeadSettings) -> list[LookSpan]:
    """Glances, each ended by the next, and looks away that overlap none of them."""
    opened = np.array([start for start, _ in cues.phrases])
    times = np.array([glance.start_s for glance in cues.glances])
    chance = draw_in_phrases(seed, HeadStream.GLANCE, opened, times, 6, 0).uniform
    spans = []
    for i, glance in enumerate(cues.glances):
        following = cues.glances[i + 1].start_s if i + 1 < len(cues.glances) else np.inf
        end_s = min(glance.end_s, following)
        if end_s > glance.start_s:
            spans.append(
                LookSpan(glance.start_s, end_s, glance.yaw, glance.pitch, False, chance[i])
            )
    clear_s = settings.looks.clear_s
    # During a nod or head shake the gaze stays on the listener.
    taken = [(span.start_s, span.end_s) for span in spans]
    taken += [(pose.start_s, pose.end_s) for pose in cues.poses if pose.nod or pose.shake]
    starts, ends = np.array(taken).reshape(-1, 2).T + np.array([[-clear_s], [clear_s]])
    shifts = np.array([shift.time_s for shift in cues.shifts])
    for away in looks_away(cues, seed, settings):
        later = shifts[shifts > away.start_s]
        end_s = min(away.end_s, later[0]) if len(later) else away.end_s
        clear = not np.any((starts < end_s) & (ends > away.start_s))
        if clear and end_s - away.start_s >= settings.looks.least_away_s:
            spans.append(away._replace(end_s=end_s))
    return sorted(spans, key=lambda span: span.start_s)


def looks_away(cues: HeadCues, seed: int, settings: HeadSettings) -> list[LookSpan]:
    """Looks beside the listener: often as a phrase begins, again in long ones, back by its end."""
    s, k = settings, settings.looks
    if s.listener_ratio >= 1.0:
        return []
    on_s = s.away_s * s.listener_ratio / (1.0 - s.listener_ratio)
    found: list[LookSpan] = []
    for number, (start_s, end_s) in enumerate(cues.phrases):
        rows = int((end_s - start_s) / k.least_away_s) + 2
        chance = draw(seed, HeadStream.AWAY, number, rows, 11, 2)
        last_s = end_s - s.back_s
        first = chance.uniform[0]
        at_s = start_s - k.away_start_s[0] + k.away_start_s[1] * first[1]
        if first[0] >= s.away_ratio:
            at_s = start_s + on_s * float(np.exp(k.away_spread * chance.normal[0, 1]))
        if found:
            at_s = max(at_s, found[-1].end_s + k.least_away_s)
        for row in range(1, rows):
            length_s = s.away_s * float(np.exp(k.away_spread * chance.normal[row, 0]))
            if min(at_s + length_s, last_s) - at_s < k.least_away_s:
                break
            found.append(_away(at_s, min(at_s + length_s, last_s), chance, row, s))
            next_s = on_s * float(np.exp(k.away_spread * chance.normal[row, 1]))
            at_s = found[-1].end_s + max(k.least_away_s, next_s)
    return found


def _away(start_s: float, end_s: float, chance: Draw, row: int, s: HeadSettings) -> LookSpan:
    """Direction of a look away: mostly down and aside, else aside, else up and aside."""
    u, k = chance.uniform[row], s.looks
    size = np.radians(s.away_deg[0] + u[0] * (s.away_deg[1] - s.away_deg[0]))
    if u[1] < k.away_kinds[0]:
        slope = np.radians(k.away_down_deg[0] + k.away_down_deg[1] * u[2])
    elif u[1] < k.away_kinds[1]:
        slope = np.radians(k.away_aside_deg[0] + k.away_aside_deg[1] * u[2])
    else:
        slope = -np.radians(k.away_up_deg[0] + k.away_up_deg[1] * u[2])
    left = s.side * (1.0 if u[3] < 0.5 else -1.0)
    yaw, pitch = left * size * np.cos(slope), size * np.sin(slope)
    return LookSpan(start_s, end_s, float(yaw), float(pitch), True, u[5:11])


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
    size = s.gain * np.degrees(np.hypot(changes[:, 0], changes[:, 1]))
    least, more = s.looks.head_vary
    lengths = (s.head_s + s.head_s_per_deg * size) * (least + more * found.chance[:, 1])
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
    chance = draw_cells(seed, HeadStream.FIXATION, cells, 1, 2)
    sizes = np.array([s.side, s.looks.fixation_pitch]) * np.radians(s.fixation_deg)
    goals = np.clip(chance.normal, -s.looks.fixation_most, s.looks.fixation_most) * sizes
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
