"""Compiled resampling; references: `slerp`, `RotationSpline` and `Spline`."""

from __future__ import annotations

import math

from kinesphere.maths.arrays import Floats
from kinesphere.maths.compiled import compiled, reads
from kinesphere.maths.quaternion_kernels import conjugate, from_rotvec, product, rotvec


@compiled(f"void({reads('float64', 3)}, {reads('float64', 1)}, b1, f8[:, :, ::1])")
def resample_rotations(source: Floats, at: Floats, cubic: bool, out: Floats) -> None:
    """Rotations at fractional frame numbers `at` in [0, frames - 1].

    Linear is slerp along the shorter arc; cubic is the rotation spline with all parameters zero.
    """
    frames, joints = source.shape[0], source.shape[1]
    for n in range(len(at)):
        i = min(int(math.floor(at[n])), frames - 2)
        r = at[n] - i
        for j in range(joints):
            a = (source[i, j, 0], source[i, j, 1], source[i, j, 2], source[i, j, 3])
            b = (source[i + 1, j, 0], source[i + 1, j, 1], source[i + 1, j, 2], source[i + 1, j, 3])
            chord = rotvec(product(conjugate(a), b))
            if not cubic or frames < 3:
                q = product(a, from_rotvec(chord, r))
            else:
                before = chord
                after = chord
                if i > 0:
                    z = (
                        source[i - 1, j, 0],
                        source[i - 1, j, 1],
                        source[i - 1, j, 2],
                        source[i - 1, j, 3],
                    )
                    before = rotvec(product(conjugate(z), a))
                if i + 2 < frames:
                    c = (
                        source[i + 2, j, 0],
                        source[i + 2, j, 1],
                        source[i + 2, j, 2],
                        source[i + 2, j, 3],
                    )
                    after = rotvec(product(conjugate(b), c))
                if i == 0:
                    before = (
                        2.0 * chord[0] - after[0],
                        2.0 * chord[1] - after[1],
                        2.0 * chord[2] - after[2],
                    )
                if i + 2 == frames:
                    after = (
                        2.0 * chord[0] - before[0],
                        2.0 * chord[1] - before[1],
                        2.0 * chord[2] - before[2],
                    )
                first = (
                    (before[0] + chord[0]) / 6.0,
                    (before[1] + chord[1]) / 6.0,
                    (before[2] + chord[2]) / 6.0,
                )
                third = (
                    (after[0] + chord[0]) / 6.0,
                    (after[1] + chord[1]) / 6.0,
                    (after[2] + chord[2]) / 6.0,
                )
                middle = rotvec(
                    product(
                        from_rotvec(first, -1.0),
                        product(product(conjugate(a), b), from_rotvec(third, -1.0)),
                    )
                )
                s = 1.0 - r
                q = product(a, from_rotvec(first, 1.0 - s * s * s))
                q = product(q, from_rotvec(middle, r * r * (3.0 - 2.0 * r)))
                q = product(q, from_rotvec(third, r * r * r))
            length = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
            for k in range(4):
                out[n, j, k] = q[k] / length


@compiled(f"void({reads('float64', 2)}, {reads('float64', 1)}, f8[:, ::1])")
def resample_vectors(source: Floats, at: Floats, out: Floats) -> None:
    """Values of three frames or more at frame numbers: the spline with all parameters zero."""
    frames, width = source.shape
    for n in range(len(at)):
        x = min(max(at[n], 0.0), frames - 1.0)
        i = min(int(math.floor(x)), frames - 2)
        r = x - i
        for k in range(width):
            a, b = source[i, k], source[i + 1, k]
            chord = b - a
            before = a - source[i - 1, k] if i > 0 else 0.0
            after = source[i + 2, k] - b if i + 2 < frames else 0.0
            if i == 0:
                before = 2.0 * chord - after
            if i + 2 == frames:
                after = 2.0 * chord - before
            va, vb = 0.5 * (before + chord), 0.5 * (chord + after)
            cubic, square = 2.0 * (a - b) + va + vb, 3.0 * (b - a) - 2.0 * va - vb
            out[n, k] = a + r * (va + r * (square + r * cubic))
