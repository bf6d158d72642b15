"""Scalar quaternion helpers for other kernels: tuples in, tuples out, inlined by the compiler."""

from __future__ import annotations

import math

import numba

Quaternion = tuple[float, float, float, float]
Vector = tuple[float, float, float]


@numba.njit(error_model="numpy")
def product(a: Quaternion, b: Quaternion) -> Quaternion:
    """Hamilton product."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@numba.njit(error_model="numpy")
def rotate(q: Quaternion, v: Vector) -> Vector:
    """Vector rotated by a quaternion."""
    tx = 2.0 * (q[2] * v[2] - q[3] * v[1])
    ty = 2.0 * (q[3] * v[0] - q[1] * v[2])
    tz = 2.0 * (q[1] * v[1] - q[2] * v[0])
    return (
        v[0] + q[0] * tx + q[2] * tz - q[3] * ty,
        v[1] + q[0] * ty + q[3] * tx - q[1] * tz,
        v[2] + q[0] * tz + q[1] * ty - q[2] * tx,
    )


@numba.njit(error_model="numpy")
def conjugate(q: Quaternion) -> Quaternion:
    """Inverse of a unit quaternion."""
    return (q[0], -q[1], -q[2], -q[3])


@numba.njit(error_model="numpy")
def rotvec(q: Quaternion) -> Vector:
    """Rotation vector of length at most pi."""
    sign = -1.0 if q[0] < 0.0 else 1.0
    sine = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if sine > 1e-8:
        factor = sign * 2.0 * math.atan2(sine, sign * q[0]) / sine
    else:
        factor = sign * (2.0 + sine * sine / 3.0)
    return (factor * q[1], factor * q[2], factor * q[3])


@numba.njit(error_model="numpy")
def from_rotvec(v: Vector, scale: float) -> Quaternion:
    """Quaternion of a rotation vector times a number."""
    angle = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) * scale
    half = 0.5 * angle
    factor = 0.5 * scale
    if abs(half) > 1e-8:
        factor = factor * math.sin(half) / half
    return (math.cos(half), factor * v[0], factor * v[1], factor * v[2])
