"""Compiled slow motion of a body: waves of random phase, and nods of a listener."""

from __future__ import annotations

import math

from kinesphere.figure.random_kernels import BREATH, HEAD, NOD, WAVE, normal, uniform
from kinesphere.figure.standing.body_layout import (
    COLUMNS,
    K_HEAD_FIRST_S,
    K_HEAD_LAST_S,
    K_HEAD_MOVE_S,
    K_HEAD_POSE_PITCH,
    K_HEAD_POSE_ROLL,
    K_HEAD_POSE_YAW,
    K_NOD_FIRST_S,
    K_NOD_LAST_S,
    K_NOD_RAD,
    K_TILT_RAD,
    TURN,
    WAVES,
)
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.compiled import compiled, reads
from kinesphere.maths.curve_kernels import ease

_F1, _F2, _F3, _F4 = (reads("float64", n) for n in (1, 2, 3, 4))
_I1, _ROW = reads("int64", 1), "f8[::1]"


@compiled(f"f8({_F2}, f8)")
def wander_at(waves: Floats, time_s: float) -> float:
    """Smooth noise of root mean square 1."""
    total = 0.0
    for w in range(WAVES):
        total += math.sin(waves[w, 0] * time_s + waves[w, 1])
    return total * math.sqrt(2.0 / WAVES)


@compiled(f"void(i8, i8, {_F1}, f8[:, ::1])")
def draw_column(seed: int, column: int, band: Floats, waves: Floats) -> None:
    """Rates and phases ``[WAVES, 2]`` of one column, within a band."""
    low, high = math.log(band[0]), math.log(band[1])
    for w in range(WAVES):
        u = (w + uniform(seed, WAVE, column, 2 * w)) / WAVES
        waves[w, 0] = TURN * math.exp(low + (high - low) * u)
        waves[w, 1] = TURN * uniform(seed, WAVE, column, 2 * w + 1)


@compiled(f"void({_I1}, {_F2}, f8[:, :, :, ::1], f8[:, ::1])")
def draw_waves(seeds: Ints, bands: Floats, waves: Floats, breath: Floats) -> None:
    """Random rates (radians per second) and phases of the waves of characters.

    ``waves [characters, COLUMNS, WAVES, 2]``, ``breath [characters, 3]``: factor of its rate, its
    phase and that of its variation. The waves of a column divide its band evenly, so that people
    differ in phase more than in rate.
    """
    for c in range(len(seeds)):
        for k in range(COLUMNS):
            draw_column(seeds[c], k, bands[k], waves[c, k])
        breath[c, 0] = 1.0 + 0.12 * (2.0 * uniform(seeds[c], BREATH, 0, 0) - 1.0)
        breath[c, 1] = TURN * uniform(seeds[c], BREATH, 0, 1)
        breath[c, 2] = TURN * uniform(seeds[c], BREATH, 0, 2)


@compiled("UniTuple(f8, 2)(i8, i8, f8, f8, f8)")
def event_before(
    seed: int, stream: int, first_s: float, last_s: float, time_s: float
) -> tuple[float, float]:
    """Index and time of the last event up to a time; events are `first_s` to `last_s` apart.

    Event i is at about ``i`` mean intervals after 0 s, so that it is found without those before.
    """
    mean_s = 0.5 * (first_s + last_s)
    spread = (last_s - first_s) / (last_s + first_s)
    i = math.floor(time_s / mean_s) + 1
    at_s = mean_s * (i + spread * (uniform(seed, stream, i, 0) - 0.5))
    while at_s > time_s:
        i -= 1
        at_s = mean_s * (i + spread * (uniform(seed, stream, i, 0) - 0.5))
    return float(i), at_s


@compiled(f"UniTuple(f8, 2)(i8, f8, {_F1})")
def nod_and_tilt(seed: int, time_s: float, k: Floats) -> tuple[float, float]:
    """Chin down and head to the right, radians: occasionally one nod or two, or a longer tilt.

    The longest takes less than four seconds.
    """
    number, at_s = event_before(seed, NOD, k[K_NOD_FIRST_S], k[K_NOD_LAST_S], time_s)
    i, own_s = int(number), time_s - at_s
    size = 0.6 + 0.8 * uniform(seed, NOD, i, 1)
    kind, length = uniform(seed, NOD, i, 2), uniform(seed, NOD, i, 3)
    if kind < 0.6:
        half_s = 0.22 + 0.12 * length
        down = ease(own_s / half_s) - ease((own_s - half_s) / (1.3 * half_s))
        if kind < 0.25:  # a second one, smaller
            own_s -= 2.3 * half_s
            down += 0.6 * (ease(own_s / half_s) - ease((own_s - half_s) / (1.4 * half_s)))
        return k[K_NOD_RAD] * size * down, 0.0
    hold_s = 0.9 + 1.2 * length
    aside = ease(own_s / 0.7) - ease((own_s - 0.7 - hold_s) / 0.9)
    return 0.0, k[K_TILT_RAD] * size * aside * (1.0 if kind < 0.8 else -1.0)


@compiled(f"f8(i8, i8, i8, {_F1})")
def head_pose_part(seed: int, number: int, part: int, k: Floats) -> float:
    """Pitch, yaw or roll of one posture of a listener's head, radians."""
    size = k[K_HEAD_POSE_PITCH]
    if part == 1:
        size = k[K_HEAD_POSE_YAW]
    elif part == 2:
        size = k[K_HEAD_POSE_ROLL]
    return float(size * min(max(normal(seed, HEAD, number, 1 + 2 * part), -1.7), 1.7))


@compiled(f"UniTuple(f8, 3)(i8, f8, {_F1})")
def head_posture(seed: int, time_s: float, k: Floats) -> tuple[float, float, float]:
    """Pitch, yaw and roll of a listener's head: small postures, each kept for some seconds."""
    number, at_s = event_before(seed, HEAD, k[K_HEAD_FIRST_S], k[K_HEAD_LAST_S], time_s)
    i = int(number)
    part = ease((time_s - at_s) / (k[K_HEAD_MOVE_S] * (0.7 + 0.6 * uniform(seed, HEAD, i, 8))))
    pitch = head_pose_part(seed, i - 1, 0, k)
    yaw = head_pose_part(seed, i - 1, 1, k)
    roll = head_pose_part(seed, i - 1, 2, k)
    return (
        pitch + part * (head_pose_part(seed, i, 0, k) - pitch),
        yaw + part * (head_pose_part(seed, i, 1, k) - yaw),
        roll + part * (head_pose_part(seed, i, 2, k) - roll),
    )
