"""Compiled loops of the live mouth: a spectrum every 10 ms becomes a shape, shapes become frames.

They process voice by voice, step by step, frame by frame, so that chunks of any size and any number
of voices give the same numbers. The reference implementations are in the tests.
"""

from __future__ import annotations

import math

import numpy as np

from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.compiled import compiled, reads
from kinesphere.speech.prosody.fourier_kernels import real_spectrum
from kinesphere.speech.prosody.intensity import LOWEST_POWER

_F1, _F2 = reads("float64", 1), reads("float64", 2)
_I1, _I2 = reads("int64", 1), reads("int64", 2)

_SHAPES = 5
_EE = 3  # index of ee among the shapes
_SMOOTH = 5  # steps of the binomial filter
_SIDE = 2
_DEEPEST_DB = 50.0  # lowest floor: one of digital silence would never be reached again
_LEAST_RANGE_DB = 10.0  # between closed and open: steady noise has less, speech more
# State of a voice between steps: running peak and the floors of the level without and with
# frication noise, numbers of steps processed and frames returned, the shapes in the smoothing
# window, the last two smoothed ones.
_PEAK, _FLOORS, TAKEN, GIVEN, _RAW = 0, 1, 3, 4, 5
_NOW = _RAW + _SMOOTH * _SHAPES
_BEFORE = _NOW + _SHAPES
MEMORY = _BEFORE + _SHAPES
# Values from the settings, for steps of 10 ms.
LIMITS = 9
_STEP_S, _FPS, _MOST, _SHUT, _WIDE, _MARGIN, _FALL, _RISE, _LEAST = range(LIMITS)


@compiled(f"void({_F1}, i8, {_F1}, {_F2}, f8[:, ::1], f8[::1], f8[::1])")
def power_about(
    samples: Floats,
    centre: int,
    window: Floats,
    turn: Floats,
    work: Floats,
    room: Floats,
    power: Floats,
) -> None:
    """Power spectrum of windowed audio about a sample, as many bins as `power` has."""
    x = samples[centre - len(window) // 2 :]
    work[:2] = 0.0
    for j in range(len(window)):
        work[j % 2, j // 2] = x[j] * window[j]
    real_spectrum(turn, work, power, room)
    for k in range(len(power)):
        power[k] = power[k] * power[k] + room[k] * room[k]


@compiled("f8(f8)")
def _smoothstep(ratio: float) -> float:
    r = min(max(ratio, 0.0), 1.0)
    return r * r * (3.0 - 2.0 * r)


@compiled(f"f8(f8, i8, {_F1}, f8[::1])")
def _openness(db: float, which: int, limits: Floats, memory: Floats) -> float:
    """Level between closed, 0, and open, 1; updates the running floor."""
    peak, known = memory[_PEAK], memory[_FLOORS + which]
    floor = db if np.isnan(known) else min(db, known + limits[_RISE])
    memory[_FLOORS + which] = floor = max(floor, peak - _DEEPEST_DB)
    bottom = max(peak - limits[_SHUT], floor + limits[_MARGIN])
    top = max(peak - limits[_WIDE], bottom + _LEAST_RANGE_DB)
    return float((db - bottom) / (top - bottom))


@compiled(f"UniTuple(f8, 2)({_F1}, {_F1}, i8, i8)")
def _moment(power: Floats, log_hz: Floats, low: int, high: int) -> tuple[float, float]:
    """Power of bins, and the mean logarithm of their frequency weighted by it."""
    total, moment = 0.0, 0.0
    for j in range(low, high):
        total += power[j]
        moment += power[j] * log_hz[j]
    return total, moment / max(total, LOWEST_POWER)


@compiled(f"void(f8, f8, {_F2}, f8[::1])")
def _mix(first: float, second: float, anchors: Floats, shape: Floats) -> None:
    """Mean of the anchors' shapes, weighted by nearness; an anchor is position, width, shape."""
    far = np.empty(len(anchors))
    for a in range(len(anchors)):
        x = (first - anchors[a, 0]) / anchors[a, 2]
        y = (second - anchors[a, 1]) / anchors[a, 3]
        far[a] = 0.5 * (x * x + y * y)
    nearest, total = far.min(), 0.0
    shape[:] = 0.0
    for a in range(len(anchors)):
        weight = np.exp(nearest - far[a])
        total += weight
        for i in range(_SHAPES):
            shape[i] += weight * anchors[a, 4 + i]
    for i in range(_SHAPES):
        shape[i] /= total


@compiled(f"void({_F1}, {_F1}, {_I2}, f8, {_F2}, {_F1}, f8[::1], f8[::1])")
def hear_shape(
    power: Floats,
    log_hz: Floats,
    bins: Ints,
    scale: float,
    anchors: Floats,
    limits: Floats,
    memory: Floats,
    shape: Floats,
) -> None:
    """Shape of the mouth for a power spectrum.

    The rows of `bins` are the ranges of the level, of frication noise, and of the two formants.
    Fricatives are produced with the teeth close together, at any level.
    """
    level, _ = _moment(power, log_hz, bins[0, 0], bins[0, 1])
    hiss, _ = _moment(power, log_hz, bins[1, 0], bins[1, 1])
    _, first = _moment(power, log_hz, bins[2, 0], bins[2, 1])
    _, second = _moment(power, log_hz, bins[3, 0], bins[3, 1])
    plain_db = 10.0 * math.log10(max(scale * level, LOWEST_POWER))
    both_db = 10.0 * math.log10(max(scale * (level + hiss), LOWEST_POWER))
    peak = memory[_PEAK]
    fallen = limits[_LEAST] if np.isnan(peak) else peak - limits[_FALL]
    memory[_PEAK] = max(plain_db, fallen, limits[_LEAST])
    over = _openness(plain_db, 0, limits, memory)
    hissing = _openness(both_db, 1, limits, memory)
    share = hiss / max(level + hiss, LOWEST_POWER)
    teeth = _smoothstep((share - 0.4) / 0.4) * _smoothstep(hissing)
    _mix(first, second, anchors, shape)
    size = _smoothstep(over) * (1.0 - 0.7 * teeth)
    for i in range(_SHAPES):
        shape[i] *= size
    shape[_EE] += 0.22 * teeth


@compiled(f"i8({_F1}, {_F1}, f8, f8[::1], f8[:, ::1], i8)")
def take_shape(
    shape: Floats, limits: Floats, last_s: float, memory: Floats, frames: Floats, count: int
) -> int:
    """Smooth a step's shape, limit its speed, and write the frames before it.

    ``frames [any, shapes]`` has `count` already; returns how many after it. None is after
    `last_s`. The limit is causal: closing is no faster than opening.
    """
    raw = memory[_RAW:_NOW].reshape(_SMOOTH, _SHAPES)
    now, before = memory[_NOW:_BEFORE], memory[_BEFORE:MEMORY]
    if memory[TAKEN] == 0.0:
        raw[:] = shape
    for j in range(_SMOOTH - 1):
        raw[j] = raw[j + 1]
    raw[_SMOOTH - 1] = shape
    memory[TAKEN] += 1.0
    if memory[TAKEN] <= _SIDE:
        return count
    before[:] = now
    for i in range(_SHAPES):
        y = (raw[0, i] + raw[4, i] + 4.0 * (raw[1, i] + raw[3, i]) + 6.0 * raw[2, i]) / 16.0
        now[i] = min(max(y, before[i] - limits[_MOST]), before[i] + limits[_MOST])
    at = memory[TAKEN] - _SIDE - 1.0
    end_s = min(at * limits[_STEP_S], last_s)
    while memory[GIVEN] <= math.floor(end_s * limits[_FPS] + 1e-9):
        late = min(max(at - memory[GIVEN] / limits[_FPS] / limits[_STEP_S], 0.0), 1.0)
        for i in range(_SHAPES):
            frames[count, i] = now[i] * (1.0 - late) + before[i] * late
        memory[GIVEN] += 1.0
        count += 1
    return count


@compiled(
    f"i8({_F2}, {_I1}, {_F1}, {_F2}, {_F1}, {_I2}, f8, {_F2}, {_F1}, f8[:, ::1], f8[:, :, ::1])"
)
def move_mouths(
    samples: Floats,
    centres: Ints,
    window: Floats,
    turn: Floats,
    log_hz: Floats,
    bins: Ints,
    scale: float,
    anchors: Floats,
    limits: Floats,
    memory: Floats,
    frames: Floats,
) -> int:
    """Frames from steps about samples `centres` of ``samples [voices, n]``; returns how many.

    ``memory [voices, MEMORY]`` is updated, ``frames [voices, any, shapes]`` is filled.
    """
    heard = bins.max()  # higher bins are not needed
    work, power, room = np.empty((4, turn.shape[1])), np.empty(heard), np.empty(heard)
    shape = np.empty(_SHAPES)
    count = 0
    for v in range(len(samples)):
        count = 0
        for k in range(len(centres)):
            power_about(samples[v], centres[k], window, turn, work, room, power)
            hear_shape(power, log_hz, bins, scale, anchors, limits, memory[v], shape)
            count = take_shape(shape, limits, math.inf, memory[v], frames[v], count)
    return count


@compiled(f"i8({_F1}, f8, f8[:, ::1], f8[:, :, ::1])")
def close_mouths(limits: Floats, last_s: float, memory: Floats, frames: Floats) -> int:
    """Frames of the remaining steps, with each voice's last shape held."""
    count = 0
    for v in range(len(memory)):
        count = 0
        if memory[v, TAKEN] > 0.0:
            shape = memory[v, _NOW - _SHAPES : _NOW].copy()
            for _ in range(_SIDE):
                count = take_shape(shape, limits, last_s, memory[v], frames[v], count)
    return count
