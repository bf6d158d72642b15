"""Unit quaternions ``wxyz`` on arrays ``[..., 4]``: a frame, a clip and a crowd are the same code.

``multiply(a, b)`` applies `b` first, then `a`, so ``world_from_hand = multiply(world_from_arm,
arm_from_hand)``. Where a name says `rotvec` the last axis holds a rotation vector: axis times
angle in radians.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.maths.arrays import Floats

IDENTITY: Floats = np.array([1.0, 0.0, 0.0, 0.0])
IDENTITY.flags.writeable = False

_SMALL = 1e-12
_MANY = 2048  # array size from which a compiled loop is faster


def _many(a: Floats, b: Floats) -> bool:
    """Whether compiled loops are faster; they accept any strides of up to three axes."""
    return max(a.size, b.size) >= _MANY and max(a.ndim, b.ndim) <= 3


def _each(kernel: Callable[[Floats, Floats, Floats], None], a: Floats, b: Floats, n: int) -> Floats:
    """Run a kernel on broadcast ``[frames, joints, ...]`` arrays; returns `n` numbers per row."""
    shape = np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    wide = (1, *shape) if len(shape) == 1 else shape
    out = np.empty((*wide, n))
    kernel(np.broadcast_to(a, (*wide, a.shape[-1])), np.broadcast_to(b, (*wide, b.shape[-1])), out)
    return out.reshape(*shape, n)


def identity(shape: tuple[int, ...] = ()) -> Floats:
    """Return identity quaternions of shape ``[*shape, 4]``."""
    return np.broadcast_to(IDENTITY, (*shape, 4)).copy()


def normalise(q: ArrayLike) -> Floats:
    """Scale to unit length; a zero quaternion becomes the identity."""
    q = np.asarray(q, dtype=np.float64)
    length = np.linalg.norm(q, axis=-1, keepdims=True)
    safe = np.where(length > _SMALL, length, 1.0)
    return np.where(length > _SMALL, q / safe, IDENTITY)


def multiply(a: ArrayLike, b: ArrayLike) -> Floats:
    """Hamilton product: the rotation `b` followed by the rotation `a`.

    >>> turn = from_axis_angle([0, 1, 0], np.pi / 2)
    >>> np.round(rotate(multiply(turn, turn), [1.0, 0, 0]), 6) + 0.0
    array([-1.,  0.,  0.])
    """
    a = np.asarray(a, dtype=np.float64)
    b = np.asarray(b, dtype=np.float64)
    if _many(a, b):
        from kinesphere.maths.array_kernels import multiply_many

        return _each(multiply_many, a, b, 4)
    return multiply_plain(a, b)


def multiply_plain(a: Floats, b: Floats) -> Floats:
    """Hamilton product like `multiply`, for small arrays and for reference."""
    aw, ax, ay, az = (a[..., i] for i in range(4))
    bw, bx, by, bz = (b[..., i] for i in range(4))
    out = np.empty((*np.broadcast_shapes(a.shape, b.shape)[:-1], 4))
    out[..., 0] = aw * bw - ax * bx - ay * by - az * bz
    out[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    out[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    out[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return out


def inverse(q: ArrayLike) -> Floats:
    """Inverse of a unit quaternion (its conjugate)."""
    return np.asarray(np.asarray(q, dtype=np.float64) * np.array([1.0, -1.0, -1.0, -1.0]))


def relative(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return ``inverse(a) * b``: `b` as seen from `a`."""
    return multiply(inverse(a), b)


def rotate(q: ArrayLike, v: ArrayLike) -> Floats:
    """Rotate vectors ``v [..., 3]`` by ``q [..., 4]``."""
    q = np.asarray(q, dtype=np.float64)
    v = np.asarray(v, dtype=np.float64)
    if _many(q, v):
        from kinesphere.maths.array_kernels import rotate_many

        return _each(rotate_many, q, v, 3)
    return rotate_plain(q, v)


def rotate_plain(q: Floats, v: Floats) -> Floats:
    """Rotate vectors like `rotate`, for small arrays and for reference."""
    w, x, y, z = (q[..., i] for i in range(4))
    vx, vy, vz = (v[..., i] for i in range(3))
    # t = 2 q_xyz cross v; the result is v + w t + q_xyz cross t.
    tx, ty, tz = 2.0 * (y * vz - z * vy), 2.0 * (z * vx - x * vz), 2.0 * (x * vy - y * vx)
    out = np.empty((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), 3))
    out[..., 0] = vx + w * tx + y * tz - z * ty
    out[..., 1] = vy + w * ty + z * tx - x * tz
    out[..., 2] = vz + w * tz + x * ty - y * tx
    return out


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Floats:
    """Rotation by `angle` radians about `axis`, which need not be unit length (but not zero)."""
    axis = np.asarray(axis, dtype=np.float64)
    half = 0.5 * np.asarray(angle, dtype=np.float64)[..., None]
    unit = axis / np.linalg.norm(axis, axis=-1, keepdims=True)
    w, xyz = np.broadcast_arrays(np.cos(half), np.sin(half) * unit)
    return np.concatenate([w[..., :1], xyz], axis=-1)


def exp(rotvec: ArrayLike) -> Floats:
    """Rotation vector ``[..., 3]`` to quaternion; exact and smooth at zero."""
    rotvec = np.asarray(rotvec, dtype=np.float64)
    half = 0.5 * np.linalg.norm(rotvec, axis=-1, keepdims=True)
    # np.sinc(x) is sin(pi x)/(pi x), so this is sin(half)/half with the limit 1 at zero.
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * rotvec], axis=-1)


def log(q: ArrayLike) -> Floats:
    """Quaternion to rotation vector of length at most pi (the shortest rotation)."""
    q = shortest(q)
    xyz = q[..., 1:]
    sine = np.linalg.norm(xyz, axis=-1, keepdims=True)
    half = np.arctan2(sine, q[..., :1])
    # 2*half/sin(half) tends to 2 + sine^2/3 as the angle goes to zero.
    safe = np.where(sine > 1e-8, sine, 1.0)
    factor = np.where(sine > 1e-8, 2.0 * half / safe, 2.0 + sine * sine / 3.0)
    return np.asarray(factor * xyz)


def angle(q: ArrayLike) -> Floats:
    """Angle of the rotation in [0, pi]."""
    q = np.asarray(q, dtype=np.float64)
    return np.asarray(2.0 * np.arctan2(np.linalg.norm(q[..., 1:], axis=-1), np.abs(q[..., 0])))


def angle_between(a: ArrayLike, b: ArrayLike) -> Floats:
    """Angle in [0, pi] of the rotation from `a` to `b`."""
    return angle(relative(a, b))


def shortest(q: ArrayLike) -> Floats:
    """Choose the sign with ``w >= 0``: the same rotation, in the identity's hemisphere."""
    q = np.asarray(q, dtype=np.float64)
    return np.where(q[..., :1] < 0.0, -q, q)


def _direction(v: Floats) -> Floats:
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.asarray(v / np.where(length > 0.0, length, 1.0))


def between(a: ArrayLike, b: ArrayLike) -> Floats:
    """Smallest rotation of direction `a` to direction `b`; lengths do not matter.

    For opposite directions the axis is not determined: one perpendicular to `a` is chosen. A
    zero vector gives the identity.
    """
    a = np.asarray(a, dtype=np.float64)
    b = np.asarray(b, dtype=np.float64)
    a, b = np.broadcast_arrays(_direction(a), _direction(b))
    lengths = np.linalg.norm(a, axis=-1, keepdims=True) * np.linalg.norm(b, axis=-1, keepdims=True)
    dot = np.sum(a * b, axis=-1, keepdims=True)
    opposite = dot < (-1.0 + 1e-12) * lengths
    other = np.where(
        np.abs(a[..., :1]) < 0.6 * np.linalg.norm(a, axis=-1, keepdims=True),
        np.array([1.0, 0.0, 0.0]),
        np.array([0.0, 1.0, 0.0]),
    )
    w = np.where(opposite, 0.0, lengths + dot)
    xyz = np.where(opposite, np.cross(a, other), np.cross(a, b))
    return normalise(np.concatenate([w, xyz], axis=-1))


def slerp(a: ArrayLike, b: ArrayLike, ratio: ArrayLike) -> Floats:
    """Spherical linear interpolation from `a` (ratio 0) to `b` (ratio 1) along the shorter arc.

    `ratio` broadcasts against the batch axes and may lie outside [0, 1].
    """
    a = np.asarray(a, dtype=np.float64)
    step = log(relative(a, b))
    return multiply(a, exp(np.asarray(ratio, dtype=np.float64)[..., None] * step))


def unroll(q: ArrayLike, axis: int = 0) -> Floats:
    """Choose signs along `axis` so that neighbours never lie on opposite hemispheres."""
    q = np.moveaxis(np.asarray(q, dtype=np.float64), axis, 0)
    if len(q) == 0:
        return np.moveaxis(q.copy(), 0, axis)
    flips = np.sum(q[1:] * q[:-1], axis=-1) < 0.0
    signs = np.concatenate([np.ones((1, *flips.shape[1:])), np.where(flips, -1.0, 1.0)])
    return np.moveaxis(q * np.cumprod(signs, axis=0)[..., None], 0, axis)


def mean(q: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """Mean rotation over the second last axis: ``[..., n, 4]`` to ``[..., 4]``.

    The eigenvector of the largest eigenvalue of the sum of outer products (Markley and others,
    2007), independent of signs.
    """
    q = np.asarray(q, dtype=np.float64)
    w = np.ones(q.shape[-2]) if weights is None else np.asarray(weights, dtype=np.float64)
    moment = np.einsum("...n,...ni,...nj->...ij", np.broadcast_to(w, q.shape[:-1]), q, q)
    _, vectors = np.linalg.eigh(moment)
    return shortest(vectors[..., -1])


def swing_twist(q: ArrayLike, axis: ArrayLike) -> tuple[Floats, Floats]:
    """Split ``q = swing * twist``, the twist being about the unit vector `axis`.

    Where the swing is a half turn the twist is not determined, and the identity is chosen.
    """
    q = np.asarray(q, dtype=np.float64)
    axis = np.asarray(axis, dtype=np.float64)
    along = np.sum(q[..., 1:] * axis, axis=-1, keepdims=True)
    twist = shortest(normalise(np.concatenate([q[..., :1], along * axis], axis=-1)))
    return multiply(q, inverse(twist)), twist


def twist_angle(q: ArrayLike, axis: ArrayLike) -> Floats:
    """Signed angle in (-pi, pi] of the twist of `q` about the unit vector `axis`."""
    q = np.asarray(q, dtype=np.float64)
    along = np.sum(q[..., 1:] * np.asarray(axis, dtype=np.float64), axis=-1)
    turn = 2.0 * np.arctan2(along, q[..., 0])
    return np.asarray(np.pi - np.mod(np.pi - turn, 2.0 * np.pi))


def to_matrix(q: ArrayLike) -> Floats:
    """Rotation matrices ``[..., 3, 3]`` whose columns are the rotated axes."""
    q = np.asarray(q, dtype=np.float64)
    w, x, y, z = (q[..., i] for i in range(4))
    out = np.empty((*q.shape[:-1], 3, 3))
    out[..., 0, 0] = 1.0 - 2.0 * (y * y + z * z)
    out[..., 0, 1] = 2.0 * (x * y - w * z)
    out[..., 0, 2] = 2.0 * (x * z + w * y)
    out[..., 1, 0] = 2.0 * (x * y + w * z)
    out[..., 1, 1] = 1.0 - 2.0 * (x * x + z * z)
    out[..., 1, 2] = 2.0 * (y * z - w * x)
    out[..., 2, 0] = 2.0 * (x * z - w * y)
    out[..., 2, 1] = 2.0 * (y * z + w * x)
    out[..., 2, 2] = 1.0 - 2.0 * (x * x + y * y)
    return out


def from_matrix(m: ArrayLike) -> Floats:
    """Quaternions, ``w >= 0``, of rotation matrices ``[..., 3, 3]``.

    Of the four ways to take a square root the one with the largest argument is used, so that no
    rotation loses precision.
    """
    m = np.asarray(m, dtype=np.float64)
    d0, d1, d2 = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    a, b, c = m[..., 2, 1], m[..., 0, 2], m[..., 1, 0]
    p, q, r = m[..., 1, 2], m[..., 2, 0], m[..., 0, 1]
    # The rows are 4*w, 4*x, 4*y and 4*z times the quaternion.
    rows = np.stack(
        [
            np.stack([1 + d0 + d1 + d2, a - p, b - q, c - r], axis=-1),
            np.stack([a - p, 1 + d0 - d1 - d2, c + r, b + q], axis=-1),
            np.stack([b - q, c + r, 1 - d0 + d1 - d2, a + p], axis=-1),
            np.stack([c - r, b + q, a + p, 1 - d0 - d1 + d2], axis=-1),
        ],
        axis=-2,
    )
    best = np.argmax(np.diagonal(rows, axis1=-2, axis2=-1), axis=-1)
    chosen = np.take_along_axis(rows, best[..., None, None], axis=-2)[..., 0, :]
    return shortest(normalise(chosen))


def from_frame(x: ArrayLike, y: ArrayLike) -> Floats:
    """Rotation whose first axis points along `x` and whose second lies in the plane of `x`, `y`."""
    x = np.asarray(x, dtype=np.float64)
    y = np.asarray(y, dtype=np.float64)
    z = np.cross(x, y)
    first = x / np.linalg.norm(x, axis=-1, keepdims=True)
    third = z / np.linalg.norm(z, axis=-1, keepdims=True)
    return from_matrix(np.stack([first, np.cross(third, first), third], axis=-1))


def angular_velocity(q: ArrayLike, dt: float) -> Floats:
    """Angular velocity ``[n, ..., 3]`` in the parent's frame of samples ``q [n, ..., 4]``.

    Central differences, one-sided at the ends; a single sample is at rest.
    """
    q = np.asarray(q, dtype=np.float64)
    out = np.zeros((*q.shape[:-1], 3))
    if len(q) < 2:
        return out
    steps = log(multiply(q[1:], inverse(q[:-1]))) / dt
    out[0], out[-1] = steps[0], steps[-1]
    out[1:-1] = 0.5 * (steps[1:] + steps[:-1])
    return out
