"""Compiled tests of points against triangles: crossings of rays, and the nearest triangle."""

from __future__ import annotations

import math

import numba
import numpy as np

from kinesphere.maths.arrays import Bools, Floats, Ints
from kinesphere.maths.compiled import compiled, reads
from kinesphere.maths.quaternion_kernels import Vector

# Cells to each side of the grid in which points are looked up.
_CELLS = 48


@numba.njit(error_model="numpy")
def _cell(value: float, low: float, step: float) -> int:
    """Cell of a value, the first or last one for values beyond the grid."""
    return int(min(max((value - low) / step, 0.0), _CELLS - 1.0))


@compiled(f"void({reads('float64', 2)}, {reads('float64', 3)}, i8[:, ::1])")
def count_crossings(points: Floats, corners: Floats, crossings: Ints) -> None:
    """Net number of surfaces that rays from points leave, ``[points, 6]``.

    The rays go along +x, -x, +y, -y, +z, -z; a triangle that is left counts +1, one that is entered
    -1. `corners` are ``[triangles, 3, 3]``, counter-clockwise from outside.
    """
    count = len(points)
    crossings[:] = 0
    if count == 0:
        return
    heads = np.empty(_CELLS * _CELLS, dtype=np.int64)
    after = np.empty(count, dtype=np.int64)
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        low_u, high_u = points[:, u].min(), points[:, u].max()
        low_v, high_v = points[:, v].min(), points[:, v].max()
        step_u = max((high_u - low_u) / _CELLS, 1e-9)
        step_v = max((high_v - low_v) / _CELLS, 1e-9)
        heads[:] = -1
        for k in range(count):
            cell = _cell(points[k, u], low_u, step_u) * _CELLS + _cell(points[k, v], low_v, step_v)
            after[k] = heads[cell]
            heads[cell] = k
        for t in range(len(corners)):
            au, bu, cu = corners[t, 0, u], corners[t, 1, u], corners[t, 2, u]
            av, bv, cv = corners[t, 0, v], corners[t, 1, v], corners[t, 2, v]
            first_u, last_u = min(au, bu, cu), max(au, bu, cu)
            first_v, last_v = min(av, bv, cv), max(av, bv, cv)
            if first_u > high_u or last_u < low_u or first_v > high_v or last_v < low_v:
                continue
            area = (bu - au) * (cv - av) - (cu - au) * (bv - av)
            if area == 0.0:
                continue
            for i in range(_cell(first_u, low_u, step_u), _cell(last_u, low_u, step_u) + 1):
                for j in range(_cell(first_v, low_v, step_v), _cell(last_v, low_v, step_v) + 1):
                    k = heads[i * _CELLS + j]
                    while k >= 0:
                        pu, pv = points[k, u], points[k, v]
                        b = ((pu - au) * (cv - av) - (cu - au) * (pv - av)) / area
                        c = ((bu - au) * (pv - av) - (pu - au) * (bv - av)) / area
                        if b >= 0.0 and c >= 0.0 and b + c < 1.0:
                            a = 1.0 - b - c
                            hit = (
                                a * corners[t, 0, axis]
                                + b * corners[t, 1, axis]
                                + c * corners[t, 2, axis]
                            )
                            sign = 1 if area > 0.0 else -1
                            if hit > points[k, axis]:
                                crossings[k, 2 * axis] += sign
                            else:
                                crossings[k, 2 * axis + 1] -= sign
                        k = after[k]


@numba.njit(error_model="numpy")
def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@numba.njit(error_model="numpy")
def _edge(p: Vector, e: Vector) -> float:
    """Squared distance of a point to the segment from the origin to `e`."""
    size = _dot(e, e)
    t = min(max(_dot(p, e) / size, 0.0), 1.0) if size > 0.0 else 0.0
    d = (p[0] - t * e[0], p[1] - t * e[1], p[2] - t * e[2])
    return _dot(d, d)


@compiled(f"void({reads('float64', 2)}, {reads('float64', 3)}, f8[::1])")
def nearest_triangle(points: Floats, corners: Floats, distance: Floats) -> None:
    """Distance of points ``[points, 3]`` to the nearest triangle, without a sign."""
    for k in range(len(points)):
        best = np.inf
        for t in range(len(corners)):
            ax, ay, az = corners[t, 0, 0], corners[t, 0, 1], corners[t, 0, 2]
            p = (points[k, 0] - ax, points[k, 1] - ay, points[k, 2] - az)
            b = (corners[t, 1, 0] - ax, corners[t, 1, 1] - ay, corners[t, 1, 2] - az)
            c = (corners[t, 2, 0] - ax, corners[t, 2, 1] - ay, corners[t, 2, 2] - az)
            bb, bc, cc, bp, cp = _dot(b, b), _dot(b, c), _dot(c, c), _dot(b, p), _dot(c, p)
            reach = math.sqrt(max(bb, cc))
            away = math.sqrt(_dot(p, p)) - reach
            if away > 0.0 and away * away > best:
                continue
            area = bb * cc - bc * bc
            i, j = cc * bp - bc * cp, bb * cp - bc * bp
            if area > 0.0 and i >= 0.0 and j >= 0.0 and i + j <= area:
                i, j = i / area, j / area
                d = (
                    p[0] - i * b[0] - j * c[0],
                    p[1] - i * b[1] - j * c[1],
                    p[2] - i * b[2] - j * c[2],
                )
                found = _dot(d, d)
            else:
                q = (p[0] - b[0], p[1] - b[1], p[2] - b[2])
                found = min(
                    _edge(p, b), _edge(p, c), _edge(q, (c[0] - b[0], c[1] - b[1], c[2] - b[2]))
                )
            best = min(best, found)
        distance[k] = math.sqrt(best)


@compiled(f"void({reads('float64', 2)}, {reads('float64', 2)}, {reads('int64', 1)}, f8, b1[::1])")
def keep_apart(points: Floats, normals: Floats, order: Ints, spacing: float, kept: Bools) -> None:
    """Mark points, in an order, that are `spacing` from all marked ones that face the same way."""
    chosen = np.empty(len(points), dtype=np.int64)
    count = 0
    for i in order:
        free = True
        for k in range(count):
            j = chosen[k]
            x, y, z = (
                points[i, 0] - points[j, 0],
                points[i, 1] - points[j, 1],
                points[i, 2] - points[j, 2],
            )
            if x * x + y * y + z * z < spacing * spacing:
                facing = (
                    normals[i, 0] * normals[j, 0]
                    + normals[i, 1] * normals[j, 1]
                    + normals[i, 2] * normals[j, 2]
                )
                if facing > 0.0:
                    free = False
                    break
        if free:
            chosen[count] = i
            count += 1
            kept[i] = True
