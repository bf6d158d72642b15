"""Compiled loop of intensity; the plain reference is in the tests."""

from __future__ import annotations

import numpy as np

from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.compiled import compiled, reads

_F1, _F2 = reads("float64", 1), reads("float64", 2)
_I1 = reads("int64", 1)


@compiled(f"void({_F2}, {_I1}, {_F1}, f8, f8, f8[:, ::1])")
def weighted_levels(
    samples: Floats, centres: Ints, window: Floats, scale: float, least: float, levels: Floats
) -> None:
    """Mean square under a window that sums to 1, after subtraction of the plain mean, in dB."""
    count = len(window)
    rest = count // 4 * 4
    for v in range(len(samples)):
        for k in range(len(centres)):
            x = samples[v, centres[k] - count // 2 :]
            a, b, c, d = 0.0, 0.0, 0.0, 0.0
            for j in range(0, rest, 4):
                a += x[j]
                b += x[j + 1]
                c += x[j + 2]
                d += x[j + 3]
            for j in range(rest, count):
                a += x[j]
            mean = ((a + b) + (c + d)) / count
            a, b, c, d = 0.0, 0.0, 0.0, 0.0
            for j in range(0, rest, 4):
                a += (x[j] - mean) ** 2 * window[j]
                b += (x[j + 1] - mean) ** 2 * window[j + 1]
                c += (x[j + 2] - mean) ** 2 * window[j + 2]
                d += (x[j + 3] - mean) ** 2 * window[j + 3]
            for j in range(rest, count):
                a += (x[j] - mean) ** 2 * window[j]
            power = (a + b) + (c + d)
            levels[v, k] = 10.0 * np.log10(max(scale * power, least))
