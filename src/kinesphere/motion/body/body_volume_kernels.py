"""Compiled distance of points to a body's pieces; the reference implementation is in the tests."""

from __future__ import annotations

import math

import numpy as np

from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.compiled import compiled, reads
from kinesphere.maths.quaternion_kernels import rotate

_ROUNDS = 12
_SETTLED = 1e-10
_POSES = reads("float64", 3)


@compiled(
    f"void({reads('int64', 1)}, {reads('float64', 2)}, {reads('float64', 2)}, "
    f"{reads('float64', 1)}, {reads('int64', 2)}, {_POSES}, {_POSES}, {_POSES}, f8, "
    "f8[:, ::1], i8[:, ::1], f8[:, :, ::1])"
)
def nearest(
    joints: Ints,
    offsets: Floats,
    halves: Floats,
    radii: Floats,
    pieces: Ints,
    rotations: Floats,
    positions: Floats,
    points: Floats,
    within: float,
    distance: Floats,
    part: Ints,
    normal: Floats,
) -> None:
    """Fill signed distance, part and outward normal of every point.

    A piece is the hull of spheres whose centres are ``mid(t) + s half(t)``, -1 <= s <= 1, and whose
    radius is linear in t, 0 <= t <= 1. The nearest sphere is found by minimising over t (a line
    with a linear radius: closed form) and over s (a projection) in turn. Points farther than
    `within` are not measured: that distance, part -1, no normal.
    """
    count, frames = len(joints), len(rotations)
    mid = np.empty((count, 3))
    half = np.empty((count, 3))
    hold = np.empty(len(pieces))
    for n in range(frames):
        for i in range(count):
            j = joints[i]
            q = (rotations[n, j, 0], rotations[n, j, 1], rotations[n, j, 2], rotations[n, j, 3])
            a = rotate(q, (offsets[i, 0], offsets[i, 1], offsets[i, 2]))
            b = rotate(q, (halves[i, 0], halves[i, 1], halves[i, 2]))
            for c in range(3):
                mid[i, c] = positions[n, j, c] + a[c]
                half[i, c] = b[c]
        # Bounding sphere of each piece: where it is farther than the best so far, the piece is
        # skipped.
        for m in range(len(pieces)):
            i, j = pieces[m, 0], pieces[m, 1]
            length, first, second = 0.0, 0.0, 0.0
            for c in range(3):
                length += (mid[j, c] - mid[i, c]) ** 2
                first += half[i, c] ** 2
                second += half[j, c] ** 2
            widest = math.sqrt(max(first, second))
            hold[m] = 0.5 * math.sqrt(length) + widest + max(radii[i], radii[j])
        for k in range(points.shape[1]):
            px, py, pz = points[n, k, 0], points[n, k, 1], points[n, k, 2]
            best = within
            part[n, k] = -1
            normal[n, k, 0] = normal[n, k, 1] = normal[n, k, 2] = 0.0
            for m in range(len(pieces)):
                i, j = pieces[m, 0], pieces[m, 1]
                ax, ay, az = px - mid[i, 0], py - mid[i, 1], pz - mid[i, 2]
                ex, ey, ez = mid[j, 0] - mid[i, 0], mid[j, 1] - mid[i, 1], mid[j, 2] - mid[i, 2]
                ux, uy, uz = half[i, 0], half[i, 1], half[i, 2]
                vx, vy, vz = half[j, 0] - ux, half[j, 1] - uy, half[j, 2] - uz
                gx, gy, gz = ax - 0.5 * ex, ay - 0.5 * ey, az - 0.5 * ez
                reach = best + hold[m]
                if reach < 0.0 or gx * gx + gy * gy + gz * gz > reach * reach:
                    continue
                shrink = radii[i] - radii[j]
                wide = ux * ux + uy * uy + uz * uz + vx * vx + vy * vy + vz * vz > 1e-18
                s, t = 0.0, 0.5
                for _ in range(_ROUNDS):
                    if wide:
                        hx, hy, hz = ux + t * vx, uy + t * vy, uz + t * vz
                        hh = hx * hx + hy * hy + hz * hz
                        before = s
                        s = 0.0
                        if hh > 1e-18:
                            dot = (ax - t * ex) * hx + (ay - t * ey) * hy + (az - t * ez) * hz
                            s = min(1.0, max(-1.0, dot / hh))
                    lx, ly, lz = ex + s * vx, ey + s * vy, ez + s * vz
                    wx, wy, wz = ax - s * ux, ay - s * uy, az - s * uz
                    ll = lx * lx + ly * ly + lz * lz
                    if ll <= shrink * shrink:
                        t_new = 0.0 if shrink >= 0.0 else 1.0
                    else:
                        along = (wx * lx + wy * ly + wz * lz) / ll
                        rx, ry, rz = wx - along * lx, wy - along * ly, wz - along * lz
                        across = math.sqrt(rx * rx + ry * ry + rz * rz)
                        lean = shrink * across / math.sqrt(ll * (ll - shrink * shrink))
                        t_new = min(1.0, max(0.0, along - lean))
                    moved = abs(t_new - t)
                    t = t_new
                    if not wide or (moved + abs(s - before)) < _SETTLED:
                        break
                dx = ax - t * ex - s * (ux + t * vx)
                dy = ay - t * ey - s * (uy + t * vy)
                dz = az - t * ez - s * (uz + t * vz)
                size = math.sqrt(dx * dx + dy * dy + dz * dz)
                found = size - radii[i] + t * shrink
                if found >= best:
                    continue
                best = found
                part[n, k] = pieces[m, 2]
                if size < 1e-12:
                    # On the centre line: out of the flat side, else any perpendicular direction.
                    dx, dy, dz = uy * ez - uz * ey, uz * ex - ux * ez, ux * ey - uy * ex
                    if dx * dx + dy * dy + dz * dz < 1e-18:
                        dx, dy, dz = ez, 0.0, -ex
                    if dx * dx + dy * dy + dz * dz < 1e-18:
                        dx, dy, dz = 0.0, 0.0, 1.0
                    size = math.sqrt(dx * dx + dy * dy + dz * dz)
                normal[n, k, 0] = dx / size
                normal[n, k, 1] = dy / size
                normal[n, k, 2] = dz / size
            distance[n, k] = best
