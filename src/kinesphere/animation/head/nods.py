"""Head motion of a speaker besides gaze: slow posture changes, dips on accents, ends of phrases.

Each function returns steps of down, turn and tilt (radians) and of thrust (metres). Dips come with
about one accent in two and scatter about it, no deeper there than elsewhere, as in recordings;
their sizes, durations and gaps vary randomly.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from kinesphere.animation.head.head_cues import Beat, HeadCues, HeadPose
from kinesphere.animation.head.head_settings import HeadSettings
from kinesphere.animation.head.head_steps import (
    HeadStream,
    Steps,
    draw,
    draw_in_phrases,
    join_steps,
    steps,
)
from kinesphere.maths.arrays import Floats

COLUMNS = 4
_LEAST_JERK_TURN = 10.0 / np.sqrt(3.0)  # peak acceleration of a unit step, times duration squared


def spoken_steps(cues: HeadCues, seed: int, settings: HeadSettings) -> Steps:
    """All steps from speech and from gestures; without liveliness only from gestures."""
    asked = pose_steps(cues.poses, settings)
    if settings.liveliness == 0.0:
        return asked
    own = join_steps(
        [
            posture_steps(cues.phrases, seed, settings),
            accent_steps(cues, seed, settings),
            verdict_steps(cues, seed, settings),
            question_steps(cues.questions, seed, settings),
        ],
        COLUMNS,
    )
    lively = own._replace(changes=own.changes * settings.liveliness)
    return join_steps([lively, asked], COLUMNS)


def posture_steps(
    phrases: Sequence[tuple[float, float]], seed: int, settings: HeadSettings
) -> Steps:
    """Slow posture changes while speaking: a posture for each phrase, and movement about it.

    Each axis has its own times. In a pause the head returns most of the distance.
    """
    s, n = settings, settings.nods
    sizes = np.radians(s.posture_deg) * np.array([1.0, s.side, s.side])
    stays, moves = s.phrase_ratio, np.sqrt(1.0 - s.phrase_ratio**2)
    (shortest, spread), (early, early_spread) = n.posture_gap, n.posture_early_s
    starts: list[list[float]] = [[], [], []]
    lengths: list[list[float]] = [[], [], []]
    goals: list[list[float]] = [[], [], []]
    for number, (start_s, end_s) in enumerate(phrases):
        last = number + 1 == len(phrases)
        pause_s = np.inf if last else phrases[number + 1][0] - end_s
        rows = 3 + int((end_s - start_s) / (shortest * min(s.posture_every_s)))
        chance = draw(seed, HeadStream.POSTURE, number, rows, 0, 9).normal
        where = (stays * chance[0, :3] + moves * chance[1:, :3]) * sizes
        gaps = np.array(s.posture_every_s) * np.exp(spread * chance[1:, 3:6])
        takes = s.posture_overlap * gaps * np.exp(n.posture_length_spread * chance[1:, 6:])
        begins = start_s - early + early_spread * chance[0, 3:6] + np.cumsum(gaps, axis=0) - gaps
        for axis in range(3):
            count = max(1, int(np.sum(begins[:, axis] < end_s - n.posture_end_s)))
            starts[axis] += begins[:count, axis].tolist()
            lengths[axis] += np.maximum(takes[:count, axis], n.posture_least_s).tolist()
            goals[axis] += where[:count, axis].tolist()
            if pause_s > s.pause_s:
                after_s, after_change_s = n.rest_late_s
                starts[axis].append(max(end_s + after_s, starts[axis][-1] + after_change_s))
                lengths[axis].append(s.pause_rest_s)
                goals[axis].append(s.rest_ratio * goals[axis][-1])
    parts = []
    for axis in range(3):
        changes = np.zeros((len(goals[axis]), COLUMNS))
        changes[:, axis] = np.diff(goals[axis], prepend=0.0)
        parts.append(steps(starts[axis], lengths[axis], changes, COLUMNS))
    return join_steps(parts, COLUMNS)


def accent_steps(cues: HeadCues, seed: int, settings: HeadSettings) -> Steps:
    """A dip, occasionally a lift of the chin, on some of the accents."""
    s = settings
    opened = np.array([start for start, _ in cues.phrases])
    times = np.array([beat.time_s for beat in cues.accents])
    before_s, after_s = s.nods.busy_s
    busy = [(p.start_s - before_s, p.end_s + after_s) for p in cues.poses if p.nod or p.shake]
    uniform, normal = draw_in_phrases(seed, HeadStream.NOD, opened, times, 4, 6)
    bottoms = times - s.nods.early_s + s.nod_scatter_s * normal[:, 0]
    kept, last_s = np.zeros(len(times), dtype=bool), -np.inf
    for i in np.flatnonzero(uniform[:, 0] < _nod_ratios(cues.accents, s)):
        free = not any(start < bottoms[i] < end for start, end in busy)
        if free and bottoms[i] - last_s >= s.nod_apart_s:
            kept[i], last_s = True, bottoms[i]
    strengths = np.array([beat.strength for beat in cues.accents])
    return _dips(bottoms[kept], strengths[kept], uniform[kept], normal[kept], s)


def _nod_ratios(accents: Sequence[Beat], s: HeadSettings) -> Floats:
    """Probability of a nod for each accent: lower where accents are dense."""
    times = np.array([beat.time_s for beat in accents])
    strengths = np.array([beat.strength for beat in accents])
    width = s.nod_around_s
    around = np.searchsorted(times, times + width) - np.searchsorted(times, times - width)
    usual = s.nod_ratio * around / (2.0 * width)
    sparing = s.nods_per_s / np.maximum(usual, max(s.nods_per_s, 1e-9))
    least, more = s.nods.by_strength
    ratios = s.nod_ratio * (least + more * strengths) * sparing
    return np.asarray(np.minimum(ratios, s.nod_most_ratio))


def _dips(
    bottoms: Floats, strengths: Floats, uniform: Floats, normal: Floats, s: HeadSettings
) -> Steps:
    """A lift before some of them, down, and a slower return; with a little turn and tilt."""
    n = s.nods
    usual = s.nod_deg * (n.depth[0] + n.depth[1] * strengths) * np.exp(s.nod_spread * normal[:, 1])
    depths = np.clip(usual, *s.nod_range_deg)
    least_s, per_deg_s, spread = n.down_s
    downs = (least_s + per_deg_s * depths) * np.exp(spread * normal[:, 2])
    backs = n.back[0] * downs * np.exp(n.back[1] * normal[:, 3])
    lifts = n.lift[0] + n.lift[1] * uniform[:, 2]
    lifts = np.where(uniform[:, 1] < s.lift_first_ratio, lifts, 0.0)
    chin_up = uniform[:, 3] < s.lift_ratio
    sizes = np.radians(depths) * np.where(chin_up, n.chin_up, 1.0)
    sides = s.side * np.array(n.aside) * normal[:, 4:6]
    shape = np.column_stack(
        [
            np.ones(len(sizes)),
            sides,
            s.nod_thrust_m / np.maximum(np.radians(s.nod_deg), 1e-6) * np.ones(len(sizes)),
        ]
    )
    whole = sizes[:, None] * shape
    lifted = lifts[:, None] * whole
    return join_steps(
        [
            Steps(bottoms - n.lift_early * downs, downs, -lifted),
            Steps(bottoms - downs, downs, whole + lifted),
            Steps(bottoms + n.bottom_s, backs, -whole),
        ],
        COLUMNS,
    )


def verdict_steps(cues: HeadCues, seed: int, settings: HeadSettings) -> Steps:
    """Chin down at the end of some phrases that are no questions."""
    s, n = settings, settings.nods
    chance = draw(seed, HeadStream.VERDICT, 0, len(cues.phrases), 2, 2)
    parts = []
    for number, (start_s, end_s) in enumerate(cues.phrases):
        if any(abs(end_s - at) < s.question_near_s for at in cues.questions):
            continue
        u, z = chance.uniform[number], chance.normal[number]
        if u[0] >= s.verdict_ratio:
            continue
        size = np.radians(s.verdict_deg) * float(np.exp(n.verdict_spread[0] * z[0]))
        takes_s = s.verdict_s * float(np.exp(n.verdict_spread[1] * z[1]))
        down_s = max(end_s - n.verdict_early_s - takes_s, start_s)
        back_s = end_s + n.verdict_late_s[0] + n.verdict_late_s[1] * u[1]
        parts.append(_bump(down_s, takes_s, back_s, s.verdict_back_s, size, 0.0))
    return join_steps(parts, COLUMNS)


def question_steps(questions: Sequence[float], seed: int, settings: HeadSettings) -> Steps:
    """Chin up, and the head slightly tilted, until the other speaker's turn."""
    s, n = settings, settings.nods
    chance = draw(seed, HeadStream.QUESTION, 0, len(questions), 2, 2)
    parts = []
    for number, at_s in enumerate(questions):
        u, z = chance.uniform[number], chance.normal[number]
        up = -np.radians(s.question_deg) * float(np.exp(n.question_spread[0] * z[0]))
        left = s.side * (1.0 if u[0] < 0.5 else -1.0)
        tilt = left * np.radians(s.question_tilt_deg) * float(np.exp(n.question_spread[1] * z[1]))
        begin_s = at_s - s.question_early_s
        back_s = at_s + n.question_hold_s[0] + n.question_hold_s[1] * u[1]
        parts.append(_bump(begin_s, s.question_s, back_s, s.question_back_s, up, tilt))
    return join_steps(parts, COLUMNS)


def _bump(
    start_s: float, takes_s: float, back_s: float, returns_s: float, down: float, tilt: float
) -> Steps:
    change = np.array([down, 0.0, tilt, 0.0])
    return steps([start_s, back_s], [takes_s, returns_s], [change, -change], COLUMNS)


def pose_steps(poses: Sequence[HeadPose], settings: HeadSettings) -> Steps:
    """Head poses of gestures, without variation."""
    s = settings
    parts = []
    for pose in poses:
        change = np.array([pose.down, pose.turn, pose.tilt, pose.thrust_m])
        if change.any():
            length_s = pose.end_s - pose.start_s
            size = float(np.linalg.norm(change[:3]))
            takes_s = max(min(s.pose_s, s.nods.pose_most * length_s), _least_s(size, s))
            back_s = max(pose.end_s - takes_s, pose.start_s + takes_s)
            taken = [pose.start_s, back_s], [takes_s, takes_s], [change, -change]
            parts.append(steps(*taken, COLUMNS))
        if pose.shake:
            parts.append(_shake(pose, s))
        if pose.nod:
            parts.append(_nods(pose, s))
    return join_steps(parts, COLUMNS)


def _least_s(size: float, s: HeadSettings) -> float:
    """Least duration of a step of an angle in radians."""
    return float(np.sqrt(_LEAST_JERK_TURN * size / np.radians(s.most_deg_s2)))


def _shake(pose: HeadPose, s: HeadSettings) -> Steps:
    """Half-cycles from side to side, each smaller, with a little tilt; slower if there is time."""
    n, swings = s.nods, s.nods.shake_sizes
    left_s = pose.end_s - pose.start_s - s.shake_first_s
    low, high = s.shake_hz
    half_s = 0.5 / float(np.clip(0.5 * len(swings) / max(left_s, 1e-6), low, high))
    count = int(np.clip(left_s / half_s + n.cycle_room, 2, len(swings)))
    places = np.array([*swings[:count], 0.0]) * pose.shake
    reached = pose.start_s + s.shake_first_s + half_s * np.arange(count + 1)
    # Steps overlap, so that the head does not stop at each turning point.
    first_s = max(s.shake_first_s, _least_s(abs(pose.shake), s))
    length, early = n.shake_overlap
    lengths = np.array([first_s, *[length * half_s] * count])
    starts = np.append(pose.start_s, reached[1:] - early * half_s)
    changes = np.zeros((count + 1, COLUMNS))
    changes[:, 1] = np.diff(places, prepend=0.0)
    changes[:, 2] = -changes[:, 1] / n.shake_tilt
    return Steps(starts, lengths, changes)


def _nods(pose: HeadPose, s: HeadSettings) -> Steps:
    """Nods: a lift of a fifth, down, a slower return."""
    n = s.nods
    room = (pose.end_s - pose.start_s) / s.nods_every_s + n.cycle_room
    count = int(np.clip(room, 1, len(n.nod_sizes)))
    down_s = max(n.nod_down * s.nod_bottom_s, _least_s(n.nod_path * abs(pose.nod), s))
    places, starts, lengths = [-n.nod_lift * pose.nod], [pose.start_s], [0.5 * s.nod_bottom_s]
    bottom_s = pose.start_s + s.nod_bottom_s
    for size in n.nod_sizes[:count]:
        places += [size * pose.nod, 0.0]
        starts += [bottom_s - down_s, bottom_s + n.nod_bottom_s]
        lengths += [down_s, n.nod_back * down_s]
        bottom_s += s.nods_every_s * (1.0 + n.nod_slowing * len(places))
    changes = np.zeros((len(places), COLUMNS))
    changes[:, 0] = [b - a for a, b in pairwise([0.0, *places])]
    return Steps(np.array(starts), np.array(lengths), changes)
