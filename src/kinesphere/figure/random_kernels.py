"""Stateless random numbers: a function of a seed, a stream, a counter and a column.

For live characters: the numbers for the tenth glance, or for a cell of time, are the same however
the time before it was divided, and for one character as among many. The generator is splitmix64
(Steele, Lea and Flood 2014) with each of the four arguments mixed in.
"""

from __future__ import annotations

import math

import numpy as np

from kinesphere.maths.arrays import Floats
from kinesphere.maths.compiled import compiled

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_A, _B, _C, _LOW = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_UNIT = 2.0**-53
PLACES = 65536
"""Places of a group, such as a phrase, that have random numbers of their own."""
# Random streams; each has its own numbers, so that none changes another.
WAVE, BREATH, SHIFT, NOD, LOOK, BLINK, STEP, PIVOT, HEEL, REST, HEAD = range(11)


@compiled("u8(u8, u8)")
def _mix(state: np.uint64, value: np.uint64) -> np.uint64:
    z = (state ^ value) + _STEP
    z = (z ^ (z >> _A)) * _FIRST
    z = (z ^ (z >> _B)) * _SECOND
    return z ^ (z >> _C)


@compiled("f8(i8, i8, i8, i8)")
def uniform(seed: int, stream: int, place: int, column: int) -> float:
    """Uniform random number in [0, 1); every argument may be negative."""
    key = _mix(np.uint64(0), np.uint64(seed))
    key = _mix(key, np.uint64(stream))
    key = _mix(key, np.uint64(place))
    return float(_mix(key, np.uint64(column)) >> _LOW) * _UNIT


@compiled("f8(i8, i8, i8, i8)")
def normal(seed: int, stream: int, place: int, column: int) -> float:
    """Normal random number, from two columns: this one and the next."""
    size = math.sqrt(-2.0 * math.log1p(-uniform(seed, stream, place, column)))
    return size * math.cos(2.0 * math.pi * uniform(seed, stream, place, column + 1))


@compiled("void(i8, i8, i8, f8[:, ::1])")
def fill_uniform(seed: int, stream: int, group: int, rows: Floats) -> None:
    """Uniform random numbers ``[rows, columns]`` of a group; each row has its own."""
    for row in range(len(rows)):
        for column in range(rows.shape[1]):
            rows[row, column] = uniform(seed, stream, group * PLACES + row, column)
