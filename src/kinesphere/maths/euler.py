"""Euler angles of every order, to and from quaternions.

An order is three letters such as ``"ZXY"``: intrinsic rotations, the first letter applied
outermost, as the channels of a BVH file are read. Tait-Bryan (three different axes) and proper
Euler orders (first and last the same) both work. Angles are radians.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.maths.quaternion import identity, multiply

ORDERS: tuple[str, ...] = tuple(
    "".join(axes) for axes in product("XYZ", repeat=3) if axes[0] != axes[1] and axes[1] != axes[2]
)
_INDEX = {"X": 0, "Y": 1, "Z": 2}
_GIMBAL = 1e-9


def about(letter: str, angle: ArrayLike) -> Floats:
    """Rotation about one coordinate axis, named ``X``, ``Y`` or ``Z``."""
    half = 0.5 * np.asarray(angle, dtype=np.float64)
    out = np.zeros((*half.shape, 4))
    out[..., 0] = np.cos(half)
    out[..., 1 + _INDEX[letter]] = np.sin(half)
    return out


def from_euler(angles: ArrayLike, order: str) -> Floats:
    """Quaternions of angles ``[..., n]``; `order` names the axis of each, any number of them."""
    angles = np.asarray(angles, dtype=np.float64)
    q = identity(angles.shape[:-1])
    for i, letter in enumerate(order):
        q = multiply(q, about(letter, angles[..., i]))
    return q


def to_euler(q: ArrayLike, order: str) -> Floats:
    """Angles ``[..., 3]`` of one of the twelve `ORDERS`.

    The middle angle lies in [-pi/2, pi/2] for Tait-Bryan orders and in [0, pi] for proper ones,
    the others in (-pi, pi]. At gimbal lock the third angle is zero. The method is that of
    Bernardes and Viollet (2022): two half-angle sums straight from the components.
    """
    if order not in ORDERS:
        raise InvalidValueError(f"Euler order {order!r} is not one of {', '.join(ORDERS)}")
    q = np.asarray(q, dtype=np.float64)
    i, j, k = (_INDEX[letter] for letter in order)
    proper = i == k
    if proper:
        k = 3 - i - j
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    w, x, y, z = q[..., 0], q[..., 1 + i], q[..., 1 + j], sign * q[..., 1 + k]
    if not proper:
        w, x, y, z = w - y, x - z, y + w, z + x
    middle = 2.0 * np.arctan2(np.hypot(y, z), np.hypot(w, x))
    plus, minus = np.arctan2(x, w), np.arctan2(z, y)
    low = middle < _GIMBAL
    high = middle > np.pi - _GIMBAL
    first = np.where(low, 2.0 * plus, np.where(high, 2.0 * minus, plus + minus))
    third = np.where(low | high, 0.0, plus - minus)
    if not proper:
        third, middle = -sign * third, middle - 0.5 * np.pi
    return np.stack([wrap(first), middle, wrap(third)], axis=-1)


def wrap(angle: ArrayLike) -> Floats:
    """Wrap angles to (-pi, pi]."""
    return np.asarray(np.pi - np.mod(np.pi - np.asarray(angle, dtype=np.float64), 2.0 * np.pi))
