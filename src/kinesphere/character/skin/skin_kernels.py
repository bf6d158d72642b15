"""Compiled distance of spheres that move with an arm to the skin of a body."""

from __future__ import annotations

import math

import numba
import numpy as np

from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.compiled import compiled, reads
from kinesphere.maths.quaternion_kernels import conjugate, product, rotate

_F1, _F2, _F3 = (reads("float64", n) for n in (1, 2, 3))
_I1, _I2 = (reads("int64", n) for n in (1, 2))
# A point is inside, far from the nearest sample, where that sample faces away by this cosine.
_FACING_AWAY = -0.5
# Discs farther than the nearest by this many squared radii do not count; how fast weights fall.
_RANGE, _FALL = 3.0, 2.0


@numba.njit(error_model="numpy")
def _pose(
    rest: Floats, joints: Ints, weights: Floats, turns: Floats, shifts: Floats, out: Floats
) -> None:
    """Skinned points; with shifts of zero, skinned directions."""
    for i in range(len(rest)):
        x, y, z = 0.0, 0.0, 0.0
        for k in range(joints.shape[1]):
            w = weights[i, k]
            if w <= 0.0:
                continue
            j = joints[i, k]
            q = (turns[j, 0], turns[j, 1], turns[j, 2], turns[j, 3])
            p = rotate(q, (rest[i, 0], rest[i, 1], rest[i, 2]))
            x += w * (p[0] + shifts[j, 0])
            y += w * (p[1] + shifts[j, 1])
            z += w * (p[2] + shifts[j, 2])
        out[i, 0], out[i, 1], out[i, 2] = x, y, z


@numba.njit(error_model="numpy")
def _transforms(
    used: Ints,
    rest_turns: Floats,
    rest_places: Floats,
    rotations: Floats,
    positions: Floats,
    turns: Floats,
    shifts: Floats,
) -> None:
    """Rotation and shift of the used joints from the rest pose to a pose."""
    for i in range(len(used)):
        j = used[i]
        now = (rotations[j, 0], rotations[j, 1], rotations[j, 2], rotations[j, 3])
        was = (rest_turns[j, 0], rest_turns[j, 1], rest_turns[j, 2], rest_turns[j, 3])
        q = product(now, conjugate(was))
        p = rotate(q, (rest_places[j, 0], rest_places[j, 1], rest_places[j, 2]))
        for c in range(4):
            turns[j, c] = q[c]
        for c in range(3):
            shifts[j, c] = positions[j, c] - p[c]


@numba.njit(error_model="numpy")
def _bound(points: Floats, starts: Ints, middles: Floats, sizes: Floats) -> None:
    """Bounding sphere of every cluster of posed points."""
    for m in range(len(starts) - 1):
        a, b = starts[m], starts[m + 1]
        for c in range(3):
            middles[m, c] = points[a:b, c].mean()
        widest = 0.0
        for i in range(a, b):
            x = points[i, 0] - middles[m, 0]
            y = points[i, 1] - middles[m, 1]
            z = points[i, 2] - middles[m, 2]
            widest = max(widest, x * x + y * y + z * z)
        sizes[m] = math.sqrt(widest)


@numba.njit(error_model="numpy")
def _nearest(
    p: Floats, points: Floats, starts: Ints, middles: Floats, sizes: Floats, gaps: Floats
) -> float:
    """Distance of the nearest point; fills `gaps` to the bounds of clusters."""
    first = 0
    for m in range(len(sizes)):
        x, y, z = p[0] - middles[m, 0], p[1] - middles[m, 1], p[2] - middles[m, 2]
        gaps[m] = math.sqrt(x * x + y * y + z * z) - sizes[m]
        if gaps[m] < gaps[first]:
            first = m
    best = np.inf
    for n in range(-1, len(sizes)):
        m = first if n < 0 else n
        if n == first or (gaps[m] > 0.0 and gaps[m] * gaps[m] > best):
            continue
        for i in range(starts[m], starts[m + 1]):
            x, y, z = p[0] - points[i, 0], p[1] - points[i, 1], p[2] - points[i, 2]
            best = min(best, x * x + y * y + z * z)
    return math.sqrt(best)


@numba.njit(error_model="numpy")
def _side(
    p: Floats,
    size: float,
    points: Floats,
    normals: Floats,
    starts: Ints,
    middles: Floats,
    sizes: Floats,
    gaps: Floats,
    disc: float,
) -> tuple[float, float, float, float]:
    """Signed distance to the skin, and the direction out, by all discs nearly as near as `size`.

    Their planes are averaged with weights that fall with the distance (an implicit moving least
    squares surface), so that the distance changes smoothly and single wrong discs do not count.
    """
    total, height, x, y, z = 0.0, 0.0, 0.0, 0.0, 0.0
    ax, ay, az = 0.0, 0.0, 0.0
    most = size * size + _RANGE * disc * disc
    for m in range(len(sizes)):
        if gaps[m] > 0.0 and gaps[m] * gaps[m] > most:
            continue
        for i in range(starts[m], starts[m + 1]):
            dx, dy, dz = p[0] - points[i, 0], p[1] - points[i, 1], p[2] - points[i, 2]
            square = dx * dx + dy * dy + dz * dz
            if square > most:
                continue
            w = math.exp(-_FALL * (square - size * size) / (disc * disc))
            total += w
            height += w * (dx * normals[i, 0] + dy * normals[i, 1] + dz * normals[i, 2])
            x, y, z = x + w * normals[i, 0], y + w * normals[i, 1], z + w * normals[i, 2]
            ax, ay, az = ax + w * dx, ay + w * dy, az + w * dz
    height /= total
    aside = math.sqrt(max(size * size - height * height, 0.0))
    if aside > disc:
        sign = -1.0 if height < _FACING_AWAY * size else 1.0
        height, x, y, z = sign * size, sign * ax, sign * ay, sign * az
    length = max(math.sqrt(x * x + y * y + z * z), 1e-12)
    return height, x / length, y / length, z / length


@compiled(
    f"void({_I1}, {_F2}, {_F2}, {_F2}, {_F2}, {_I2}, {_F2}, {_I1}, f8, {_F2}, {_I2}, {_F2}, {_F1}, "
    f"{_F3}, {_F3}, f8[:, :, ::1], f8[:, ::1], f8[:, :, ::1])"
)
def probe_skin(
    used: Ints,
    rest_turns: Floats,
    rest_places: Floats,
    skin: Floats,
    normals: Floats,
    joints: Ints,
    weights: Floats,
    starts: Ints,
    disc: float,
    balls: Floats,
    ball_joints: Ints,
    ball_weights: Floats,
    radii: Floats,
    rotations: Floats,
    positions: Floats,
    centres: Floats,
    gaps: Floats,
    ways: Floats,
) -> None:
    """Fill centres of spheres, their gaps to the skin and the directions out, for every frame.

    The skin is a set of discs of radius `disc`. Beside the nearest ones a sphere is outside, unless
    they clearly face away from it.
    """
    count = rotations.shape[1]
    turns, shifts = np.zeros((count, 4)), np.zeros((count, 3))
    still = np.zeros((count, 3))
    points, out = np.empty_like(skin), np.empty_like(normals)
    middles = np.empty((len(starts) - 1, 3))
    sizes, room = np.empty(len(starts) - 1), np.empty(len(starts) - 1)
    for f in range(len(rotations)):
        _transforms(used, rest_turns, rest_places, rotations[f], positions[f], turns, shifts)
        _pose(skin, joints, weights, turns, shifts, points)
        _pose(normals, joints, weights, turns, still, out)
        _bound(points, starts, middles, sizes)
        _pose(balls, ball_joints, ball_weights, turns, shifts, centres[f])
        for k in range(len(balls)):
            size = _nearest(centres[f, k], points, starts, middles, sizes, room)
            signed, nx, ny, nz = _side(
                centres[f, k], size, points, out, starts, middles, sizes, room, disc
            )
            gaps[f, k] = signed - radii[k]
            ways[f, k, 0], ways[f, k, 1], ways[f, k, 2] = nx, ny, nz


@compiled(f"void({_I1}, {_F2}, {_F2}, {_F2}, {_I2}, {_F2}, {_F3}, {_F3}, f8[:, :, ::1])")
def pose_vertices(
    used: Ints,
    rest_turns: Floats,
    rest_places: Floats,
    points: Floats,
    joints: Ints,
    weights: Floats,
    rotations: Floats,
    positions: Floats,
    out: Floats,
) -> None:
    """Fill skinned points ``[frames, points, 3]`` of poses; `points` are those at rest."""
    count = rotations.shape[1]
    turns, shifts = np.zeros((count, 4)), np.zeros((count, 3))
    for f in range(len(rotations)):
        _transforms(used, rest_turns, rest_places, rotations[f], positions[f], turns, shifts)
        _pose(points, joints, weights, turns, shifts, out[f])


@compiled(f"void({_F3}, {_I1}, {_I1}, {_F1}, {_F2}, f8, f8[::1], f8[::1])")
def meet_hands(
    centres: Floats,
    lefts: Ints,
    rights: Ints,
    radii: Floats,
    ways: Floats,
    far: float,
    lack: Floats,
    overlap: Floats,
) -> None:
    """Fill how far the left hand is from touching the right one along `ways`, and their overlap.

    See `kinesphere.character.skin.hand_meeting.Meeting`. Frames in which the first spheres of both
    are farther apart than `far` are left out.
    """
    for f in range(len(centres)):
        lack[f], overlap[f] = -np.inf, 0.0
        square = 0.0
        for c in range(3):
            square += (centres[f, lefts[0], c] - centres[f, rights[0], c]) ** 2
        if square > far * far:
            continue
        wx, wy, wz = ways[f, 0], ways[f, 1], ways[f, 2]
        for i in lefts:
            for j in rights:
                x = centres[f, i, 0] - centres[f, j, 0]
                y = centres[f, i, 1] - centres[f, j, 1]
                z = centres[f, i, 2] - centres[f, j, 2]
                reach = radii[i] + radii[j]
                square = x * x + y * y + z * z
                apart = x * wx + y * wy + z * wz
                beside = square - apart * apart
                room = reach * reach - beside
                if room > 0.0:
                    lack[f] = max(lack[f], math.sqrt(room) - apart)
                    overlap[f] = max(overlap[f], reach - math.sqrt(square))
