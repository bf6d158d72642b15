"""Compiled arm: from wrist and swivel to the rotations of upper arm and forearm."""

from __future__ import annotations

import math

import numba

from kinesphere.maths.arrays import Floats
from kinesphere.maths.compiled import compiled, reads
from kinesphere.maths.quaternion_kernels import Quaternion, Vector, rotate


@numba.njit(error_model="numpy")
def from_columns(x: Vector, y: Vector, z: Vector) -> Quaternion:
    """Quaternion of the rotation whose matrix has these columns (Shepperd's method)."""
    trace = x[0] + y[1] + z[2]
    if trace > 0.0:
        s = math.sqrt(trace + 1.0) * 2.0
        q = (0.25 * s, (y[2] - z[1]) / s, (z[0] - x[2]) / s, (x[1] - y[0]) / s)
    elif x[0] > y[1] and x[0] > z[2]:
        s = math.sqrt(1.0 + x[0] - y[1] - z[2]) * 2.0
        q = ((y[2] - z[1]) / s, 0.25 * s, (y[0] + x[1]) / s, (z[0] + x[2]) / s)
    elif y[1] > z[2]:
        s = math.sqrt(1.0 + y[1] - x[0] - z[2]) * 2.0
        q = ((z[0] - x[2]) / s, (y[0] + x[1]) / s, 0.25 * s, (z[1] + y[2]) / s)
    else:
        s = math.sqrt(1.0 + z[2] - x[0] - y[1]) * 2.0
        q = ((x[1] - y[0]) / s, (z[0] + x[2]) / s, (z[1] + y[2]) / s, 0.25 * s)
    size = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (q[0] / size, q[1] / size, q[2] / size, q[3] / size)


@numba.njit(error_model="numpy")
def cross(a: Vector, b: Vector) -> Vector:
    """Vector product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@numba.njit(error_model="numpy")
def swivel_zero(way: Vector) -> Vector:
    """Elbow direction at swivel zero: down, rotated as straight ahead to the hand's direction."""
    if way[2] < -1.0 + 1e-12:
        return (0.0, 1.0, 0.0)
    w, x, y = 1.0 + way[2], -way[1], way[0]
    size = math.sqrt(w * w + x * x + y * y)
    return rotate((w / size, x / size, y / size, 0.0), (0.0, -1.0, 0.0))


@numba.njit(error_model="numpy")
def limb_rotations(
    wrist: Vector, swivel: float, a: float, b: float, side: float
) -> tuple[Quaternion, Quaternion]:
    """Rotations of upper arm and unrolled forearm of `chest_limb`, as `limbs.solve` has them."""
    distance = math.sqrt(wrist[0] ** 2 + wrist[1] ** 2 + wrist[2] ** 2)
    if distance > 1e-12:
        way = (wrist[0] / distance, wrist[1] / distance, wrist[2] / distance)
    else:
        way = (0.0, 0.0, 1.0)
    d = min(max(distance, max(abs(a - b), 1e-9)), a + b)
    zero = swivel_zero(way)
    across = cross(way, zero)
    c, s = math.cos(side * swivel), math.sin(side * swivel)
    out = (c * zero[0] + s * across[0], c * zero[1] + s * across[1], c * zero[2] + s * across[2])
    cosine = min(max((a * a + d * d - b * b) / (2.0 * a * d), -1.0), 1.0)
    sine = math.sqrt((1.0 - cosine) * (1.0 + cosine))
    upper = (
        cosine * way[0] + sine * out[0],
        cosine * way[1] + sine * out[1],
        cosine * way[2] + sine * out[2],
    )
    lower = (
        (d * way[0] - a * upper[0]) / b,
        (d * way[1] - a * upper[1]) / b,
        (d * way[2] - a * upper[2]) / b,
    )
    axis = cross(out, way)
    middle = (-side * axis[0], -side * axis[1], -side * axis[2])
    third = cross(upper, axis)
    first = from_columns(
        (side * upper[0], side * upper[1], side * upper[2]),
        middle,
        (-third[0], -third[1], -third[2]),
    )
    third = cross(lower, axis)
    second = from_columns(
        (side * lower[0], side * lower[1], side * lower[2]),
        middle,
        (-third[0], -third[1], -third[2]),
    )
    return first, second


@compiled(
    f"void({reads('float64', 2)}, {reads('float64', 1)}, float64, float64, float64, "
    "float64[:, :, ::1])"
)
def arm_turns(
    wrists: Floats, swivels: Floats, a: float, b: float, side: float, out: Floats
) -> None:
    """Rotations ``[n, 2, 4]`` for wrists ``[n, 3]`` and swivels ``[n]``."""
    for i in range(len(wrists)):
        first, second = limb_rotations(
            (wrists[i, 0], wrists[i, 1], wrists[i, 2]), swivels[i], a, b, side
        )
        for k in range(4):
            out[i, 0, k] = first[k]
            out[i, 1, k] = second[k]
