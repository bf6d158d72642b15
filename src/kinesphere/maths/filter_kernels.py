"""Compiled loops of the recursive filters; the plain reference is in the tests."""

from __future__ import annotations

import numpy as np

from kinesphere.maths.arrays import Floats
from kinesphere.maths.compiled import compiled, reads


@compiled("void(f8[:, ::1], f8[::1], f8[::1])")
def biquad_in_place(values: Floats, coefficients: Floats, steady: Floats) -> None:
    """Run one second-order section down the first axis, in place.

    `coefficients` are b0, b1, b2, a1, a2; `steady` the two state values of a constant input of 1,
    so that the filter starts in the steady state of the first sample.
    """
    b0, b1, b2, a1, a2 = coefficients
    count, width = values.shape
    if count == 0:
        return
    first = np.empty(width)
    second = np.empty(width)
    for j in range(width):
        first[j] = steady[0] * values[0, j]
        second[j] = steady[1] * values[0, j]
    for i in range(count):
        for j in range(width):
            x = values[i, j]
            y = b0 * x + first[j]
            first[j] = b1 * x - a1 * y + second[j]
            second[j] = b2 * x - a2 * y
            values[i, j] = y


@compiled(f"void({reads('float64', 1)}, i8, f8[::1])")
def minimum_within(values: Floats, reach: int, out: Floats) -> None:
    """Least value of each window of ``2 reach + 1``, in one pass (with an ascending queue)."""
    count = len(values)
    queue = np.empty(count, dtype=np.int64)
    first, last = 0, 0
    for i in range(count + reach):
        if i < count:
            while last > first and values[queue[last - 1]] >= values[i]:
                last -= 1
            queue[last] = i
            last += 1
        middle = i - reach
        if middle >= 0:
            while queue[first] < middle - reach:
                first += 1
            out[middle] = values[queue[first]]
