"""Compiled loops of the recursive filters. The plain reference stands in the tests."""

from __future__ import annotations

import numpy as np

from kinesphere.maths.arrays import Floats
from kinesphere.maths.compiled import compiled


@compiled("void(f8[:, ::1], f8[::1], f8[::1])")
def biquad_in_place(values: Floats, coefficients: Floats, steady: Floats) -> None:
    """Run one second-order section down the first axis, in place.

    `coefficients` are b0, b1, b2, a1, a2; `steady` the two state values of a constant input of 1,
    so that the filter starts as if the first sample had lasted for ever.
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
