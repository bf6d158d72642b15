"""Compiled timing curves; references: the curves' ``__call__`` and `round_timing_plain`.

A curve is given by its kind and its numbers: 0 for a `Timing` (positions, heights and areas of its
five corners, exponent, flatness), 1 for a `SampledCurve` (its values, and its slopes separately).
"""

from __future__ import annotations

import numba
import numpy as np

from kinesphere.maths.arrays import Floats
from kinesphere.maths.compiled import compiled, reads

_ROW = reads("float64", 1)
_RAMP = 0.18  # as in `motion.keyed.movement`


@numba.njit(error_model="numpy")
def even_at(t: float) -> float:
    """Nearly constant speed with short ramps."""
    top = 1.0 / (1.0 - _RAMP)
    if t < _RAMP:
        return 0.5 * top / _RAMP * t * t
    if t > 1.0 - _RAMP:
        return 1.0 - 0.5 * top / _RAMP * (1.0 - t) * (1.0 - t)
    return top * (t - 0.5 * _RAMP)


@numba.njit(error_model="numpy")
def cubic_at(a: float, b: float, va: float, vb: float, r: float) -> float:
    """Hermite cubic at a ratio, its slopes scaled to the segment."""
    return a + r * (va + r * (3 * (b - a) - 2 * va - vb + r * (2 * (a - b) + va + vb)))


@numba.njit(error_model="numpy")
def curve_at(kind: int, numbers: Floats, slopes: Floats, ratio: float) -> float:
    """Ratio of the path at a ratio of the time."""
    t = min(max(ratio, 0.0), 1.0)
    if kind == 1:
        last = len(numbers) - 1
        at = t * last
        i = min(int(at), last - 1)
        return cubic_at(numbers[i], numbers[i + 1], slopes[i], slopes[i + 1], at - i)
    exponent, flatness = numbers[15], numbers[16]
    warped = t if exponent == 1.0 else t**exponent
    i = 0
    while i < 3 and warped >= numbers[i + 1]:
        i += 1
    away = warped - numbers[i]
    slope = (numbers[6 + i] - numbers[5 + i]) / (numbers[i + 1] - numbers[i])
    shaped = (numbers[10 + i] + numbers[5 + i] * away + 0.5 * slope * away * away) / numbers[14]
    if flatness == 0.0:
        return float(shaped)
    return float(shaped + flatness * (even_at(t) - shaped))


@numba.njit(error_model="numpy")
def between(x: Floats, y: Floats, at: float) -> float:
    """Piecewise linear through points whose `x` never descends, constant beyond the ends."""
    last = len(x) - 1
    if at <= x[0]:
        return float(y[0])
    if at >= x[last]:
        return float(y[last])
    i = int(np.searchsorted(x, at, side="right")) - 1
    return float(y[i] + (y[i + 1] - y[i]) * (at - x[i]) / (x[i + 1] - x[i]))


@compiled(f"void(i8, {_ROW}, {_ROW}, {_ROW}, f8, {_ROW}, {_ROW}, f8[::1])")
def rounded_curve(
    kind: int,
    numbers: Floats,
    slopes: Floats,
    ratios: Floats,
    half: float,
    nodes: Floats,
    weights: Floats,
    out: Floats,
) -> None:
    """A curve averaged over a window of `half` on each side, in the remaining time."""
    for n in range(len(ratios)):
        total = 0.0
        for k in range(len(nodes)):
            t = (ratios[n] + half * nodes[k] - half) / (1.0 - 2.0 * half)
            total += weights[k] * curve_at(kind, numbers, slopes, t)
        out[n] = total


@compiled(
    f"void(i8, {_ROW}, {_ROW}, {_ROW}, {_ROW}, {_ROW}, {_ROW}, {_ROW}, {_ROW}, f8, {_ROW}, {_ROW},"
    " f8[::1])"
)
def rounded_walk(
    kind: int,
    numbers: Floats,
    slopes: Floats,
    keys: Floats,
    felt_keys: Floats,
    key_slopes: Floats,
    felt: Floats,
    lengths: Floats,
    ratios: Floats,
    half: float,
    nodes: Floats,
    weights: Floats,
    out: Floats,
) -> None:
    """A walk along a path (`motion.keyed.arm_path`) averaged like a curve; `keys` may be empty."""
    for n in range(len(ratios)):
        total = 0.0
        for k in range(len(nodes)):
            t = (ratios[n] + half * nodes[k] - half) / (1.0 - 2.0 * half)
            share = curve_at(kind, numbers, slopes, t)
            inside = min(max(share, 0.0), 1.0)
            outside = share - inside
            if len(keys) > 0:
                last = len(keys) - 2
                i = min(max(int(np.searchsorted(keys, inside, side="right")) - 1, 0), last)
                step = keys[i + 1] - keys[i]
                inside = cubic_at(
                    felt_keys[i],
                    felt_keys[i + 1],
                    key_slopes[i] * step,
                    key_slopes[i + 1] * step,
                    (inside - keys[i]) / step,
                )
            total += weights[k] * (between(felt, lengths, inside) + outside)
        out[n] = total
