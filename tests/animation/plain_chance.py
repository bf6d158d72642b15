"""Chance of live characters in whole numbers of any size: the plain reference."""

from __future__ import annotations

import math

_MASK = 2**64 - 1
WAVE, BREATH, SHIFT, NOD, LOOK, BLINK = range(6)


def _mixed(state: int, value: int) -> int:
    z = ((state ^ (value & _MASK)) + 0x9E3779B97F4A7C15) & _MASK
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _MASK
    return z ^ (z >> 31)


def uniform(seed: int, stream: int, place: int, column: int) -> float:
    """Number in [0, 1)."""
    key = 0
    for value in (seed, stream, place, column):
        key = _mixed(key, value)
    return float((key >> 11) / 2**53)


def normal(seed: int, stream: int, place: int, column: int) -> float:
    """Normal number."""
    size = math.sqrt(-2.0 * math.log1p(-uniform(seed, stream, place, column)))
    return size * math.cos(2.0 * math.pi * uniform(seed, stream, place, column + 1))


def between(low: float, high: float, seed: int, stream: int, place: int, column: int) -> float:
    """Number of a range."""
    return low + (high - low) * uniform(seed, stream, place, column)
