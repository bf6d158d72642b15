"""Events of a standing body: weight shifts, moves of a foot, changes of posture, turns of the head."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from benchmarks.studies.whole_body import RATE_HZ, LegPaths, rate, smooth

from kinesphere.maths.arrays import Bools, Floats
from kinesphere.maths.peaks import peaks
from kinesphere.motion.contacts import runs

POSTURE_HZ = 5.0
"""Rate at which changes of posture are searched."""


@dataclass(frozen=True)
class FootMoveSettings:
    """When a foot has been put elsewhere.

    A foot moves while its sole is faster than `speed_m_s` or turns faster than `turning_deg_s`:
    capture noise of standing feet stays below both. Pauses up to `pause_s` belong to the move.
    It counts if the foot ends `least_m` away, or turned by `least_deg`: people turn a foot by 5 to
    19 degrees when they adjust it.
    """

    speed_m_s: float = 0.10
    turning_deg_s: float = 30.0
    pause_s: float = 0.1
    least_m: float = 0.05
    least_deg: float = 5.0


@dataclass(frozen=True)
class HeadTurnSettings:
    """When a head turns: at `peak_deg_s` and over `least_deg`, in yaw over `least_yaw_deg`.

    A turn lasts while the head is faster than `edge` of its peak and than `slowest_deg_s`.
    """

    peak_deg_s: float = 25.0
    prominence: float = 0.6
    least_deg: float = 5.0
    least_yaw_deg: float = 8.0
    edge: float = 0.2
    slowest_deg_s: float = 8.0


def weight_shifts(side: Floats, least: float) -> list[tuple[int, int]]:
    """First and last frame of every one-way travel of a path ``[frames]`` over `least`.

    A travel ends where the path turns, if it then comes back by `least` or ends.
    """
    points, way = [0], 0
    top = bottom = 0
    for i, value in enumerate(side):
        top = i if value > side[top] else top
        bottom = i if value < side[bottom] else bottom
        if way >= 0 and side[top] - value >= least:
            points.append(top)
            way, top, bottom = -1, i, i
        elif way <= 0 and value - side[bottom] >= least:
            points.append(bottom)
            way, top, bottom = 1, i, i
    last = top if way > 0 else bottom if way < 0 else 0
    points = sorted({*points, last, len(side) - 1})
    return [(a, b) for a, b in pairwise(points) if abs(side[b] - side[a]) >= least]


def shift_durations_s(side: Floats, shifts: list[tuple[int, int]]) -> Floats:
    """Time from 10 to 90 % of the way of each shift, seconds."""
    out = []
    for a, b in shifts:
        way = (side[a : b + 1] - side[a]) / (side[b] - side[a])
        end = int(np.argmax(way >= 0.9))
        start = int(np.flatnonzero(way[:end] <= 0.1)[-1])
        begins = start + (0.1 - way[start]) / (way[start + 1] - way[start])
        ends = end - (way[end] - 0.9) / (way[end] - way[end - 1])
        out.append((ends - begins) / RATE_HZ)
    return np.array(out)


def foot_moves(legs: LegPaths, settings: FootMoveSettings | None = None) -> Floats:
    """Moments, in frames, at which either foot has been put elsewhere or turned."""
    settings = settings or FootMoveSettings()
    heading = smooth(legs.heading_deg, 6.0)
    turning = np.abs(rate(heading)) > settings.turning_deg_s
    moving = np.asarray((legs.foot_speed_m_s > settings.speed_m_s) | turning)
    out = []
    for foot in range(moving.shape[1]):
        for a, b in runs(_bridged(moving[:, foot], round(settings.pause_s * RATE_HZ))):
            way = np.linalg.norm(legs.soles[b - 1, foot] - legs.soles[a, foot])
            turn = abs(heading[b - 1, foot] - heading[a, foot])
            if way >= settings.least_m or turn >= settings.least_deg:
                out.append((a + b) / 2)
    return np.array(sorted(out))


def _bridged(flags: Bools, frames: int) -> Bools:
    """Flags with short gaps filled; not those at the ends."""
    out = flags.copy()
    for a, b in runs(~flags):
        if a > 0 and b < len(flags) and b - a <= frames:
            out[a:b] = True
    return out


def posture_changes(posture: Floats, cost: float = 4.0, shortest: int = 4) -> int:
    """Number of steps of the best piecewise constant posture.

    Parameters
    ----------
    posture : ``[n, values]`` at `POSTURE_HZ`, in units of 2 cm or 3 degrees.
    cost : of a further step, in squared units times seconds.
    shortest : of a piece, in samples; fewer than that many samples are one piece.
    """
    n = len(posture)
    sums = np.vstack([np.zeros(posture.shape[1]), np.cumsum(posture, axis=0)])
    squares = np.concatenate([[0.0], np.cumsum((posture**2).sum(axis=1))])
    best, before = np.full(n + 1, np.inf), np.zeros(n + 1, dtype=np.int64)
    best[0] = -cost
    for stop in range(shortest, n + 1):
        start = np.arange(0, stop - shortest + 1)
        mean = ((sums[stop] - sums[start]) ** 2).sum(axis=1) / (stop - start)
        total = best[start] + (squares[stop] - squares[start] - mean) / POSTURE_HZ + cost
        before[stop] = start[total.argmin()]
        best[stop] = total.min()
    count, stop = -1, n
    while stop > 0:
        stop, count = int(before[stop]), count + 1
    return count


def chest_part_of_head_turns(
    head: Floats, chest: Floats, settings: HeadTurnSettings | None = None
) -> float:
    """Part of the head's turns in yaw that the chest makes along with it; NaN without turns.

    Parameters
    ----------
    head, chest : ``[frames, 3]`` yaw, pitch and roll in the world's axes, degrees.
    """
    settings = settings or HeadTurnSettings()
    path = smooth(head[:, :2], 8.0)
    speed = np.linalg.norm(rate(path), axis=1)
    tops = peaks(speed, settings.peak_deg_s, settings.prominence * settings.peak_deg_s)
    bounds = [0, *tops.tolist(), len(speed) - 1]
    shared = total = 0.0
    for before, top, after in zip(bounds[:-2], bounds[1:-1], bounds[2:], strict=True):
        slow = speed <= max(settings.edge * speed[top], settings.slowest_deg_s)
        a = before + int(np.max(np.flatnonzero(slow[before:top]), initial=0))
        b = top + int(np.min(np.flatnonzero(slow[top : after + 1]), initial=after - top))
        turn = path[b] - path[a]
        if np.hypot(*turn) >= settings.least_deg and abs(turn[0]) > settings.least_yaw_deg:
            shared += (chest[b, 0] - chest[a, 0]) * turn[0]
            total += turn[0] ** 2
    return float(shared / total) if total > 0 else np.nan
