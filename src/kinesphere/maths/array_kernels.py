"""Compiled products over arrays; the plain references are in `maths.quaternion` and `filters`."""

from __future__ import annotations

from kinesphere.maths.arrays import Floats
from kinesphere.maths.compiled import compiled
from kinesphere.maths.quaternion_kernels import product, rotate

_ANY = "Array(float64, 3, 'A', True)"


@compiled(f"void({_ANY}, {_ANY}, f8[:, :, ::1])")
def multiply_many(a: Floats, b: Floats, out: Floats) -> None:
    """Hamilton products of ``[n, m, 4]``."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            q = product(
                (a[i, j, 0], a[i, j, 1], a[i, j, 2], a[i, j, 3]),
                (b[i, j, 0], b[i, j, 1], b[i, j, 2], b[i, j, 3]),
            )
            out[i, j, 0], out[i, j, 1], out[i, j, 2], out[i, j, 3] = q


@compiled(f"void({_ANY}, {_ANY}, f8[:, :, ::1])")
def rotate_many(q: Floats, v: Floats, out: Floats) -> None:
    """Vectors ``[n, m, 3]`` rotated by quaternions ``[n, m, 4]``."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            w = rotate(
                (q[i, j, 0], q[i, j, 1], q[i, j, 2], q[i, j, 3]),
                (v[i, j, 0], v[i, j, 1], v[i, j, 2]),
            )
            out[i, j, 0], out[i, j, 1], out[i, j, 2] = w
