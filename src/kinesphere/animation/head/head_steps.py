"""Minimum-jerk steps that add up, and random numbers indexed by event or cell of time.

All head motion is a sum of steps: a nod is one down and one up, a change of posture is
one alone. A step has no effect before it starts and is constant after its end, so that a stretch of
time is the same computed alone or within a longer one.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.figure.head.eyes import wrapped_seed
from kinesphere.maths.arrays import Floats
from kinesphere.maths.curves import minimum_jerk

_MOST_NORMAL = 2.5  # no random number makes a movement wild
_EARLY_S = 0.05  # an event this shortly before a phrase belongs to it


class HeadStream(IntEnum):
    """Random streams, after those of the figure; none changes another."""

    POSTURE = 16
    NOD = 17
    VERDICT = 18
    QUESTION = 19
    IDLE = 20


class Steps(NamedTuple):
    """Starts ``[n]`` and lengths ``[n]`` in seconds, changes ``[n, c]``; in any order."""

    starts: Floats
    lengths: Floats
    changes: Floats


class Draw(NamedTuple):
    """Random numbers, one row per event: uniform in [0, 1) and normal, the latter within 2.5."""

    uniform: Floats
    normal: Floats


def draw(seed: int, stream: HeadStream, group: int, rows: int, uniform: int, normal: int) -> Draw:
    """Random rows that depend on seed, stream, group and their index, not on their count.

    Parameters
    ----------
    group : such as the number of a phrase; may be negative.
    uniform, normal : how many of each in a row.
    """
    from kinesphere.figure.random_kernels import fill_uniform

    raw = np.empty((rows, uniform + 2 * normal))
    fill_uniform(wrapped_seed(seed), int(stream), group, raw)
    first, second = raw[:, uniform : uniform + normal], raw[:, uniform + normal :]
    bell = np.sqrt(-2.0 * np.log1p(-first)) * np.cos(2.0 * np.pi * second)
    return Draw(raw[:, :uniform], np.clip(bell, -_MOST_NORMAL, _MOST_NORMAL))


def draw_in_phrases(
    seed: int, stream: HeadStream, opened: Floats, times: Floats, uniform: int, normal: int
) -> Draw:
    """Random rows for events in order of time, counted from the start of each phrase.

    One more event changes the numbers of those that follow it in its phrase, and no other.

    Parameters
    ----------
    opened : ``[p]`` starts of the phrases.
    times : ``[n]`` of the events.
    """
    counts = np.bincount(np.searchsorted(opened, times + _EARLY_S, side="right")).tolist()
    drawn = [draw(seed, stream, i, n, uniform, normal) for i, n in enumerate(counts) if n]
    if not drawn:
        return draw(seed, stream, 0, 0, uniform, normal)
    return Draw(
        np.concatenate([d.uniform for d in drawn]), np.concatenate([d.normal for d in drawn])
    )


def steps(starts: ArrayLike, lengths: ArrayLike, changes: ArrayLike, columns: int) -> Steps:
    """Steps from any array-like arguments, including empty ones."""
    return Steps(
        np.asarray(starts, dtype=np.float64).reshape(-1),
        np.asarray(lengths, dtype=np.float64).reshape(-1),
        np.asarray(changes, dtype=np.float64).reshape(-1, columns),
    )


def join_steps(parts: Sequence[Steps], columns: int) -> Steps:
    """All steps of several lists."""
    if not parts:
        return steps([], [], [], columns)
    return Steps(*(np.concatenate(values) for values in zip(*parts, strict=True)))


def sum_steps(times: Floats, taken: Steps) -> Floats:
    """Sum ``[f, c]`` of steps at ascending times, each a minimum-jerk curve."""
    first = np.searchsorted(times, taken.starts)
    last = np.searchsorted(times, taken.starts + taken.lengths)
    counts = np.maximum(last - first, 0)
    step = np.repeat(np.arange(len(counts)), counts)
    within = np.arange(len(step)) - np.repeat(np.cumsum(counts) - counts, counts)
    frame = first[step] + within
    ease = minimum_jerk((times[frame] - taken.starts[step]) / taken.lengths[step])
    frames = len(times)
    out = np.empty((frames, taken.changes.shape[1]))
    for column, change in enumerate(taken.changes.T):
        over = np.bincount(last, weights=change, minlength=frames + 1)[:frames]
        going = np.bincount(frame, weights=ease * change[step], minlength=frames)
        out[:, column] = np.cumsum(over) + going
    return out
