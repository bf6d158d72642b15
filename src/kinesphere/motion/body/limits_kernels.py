"""Compiled loop of `motion.body.limits`."""

from __future__ import annotations

import math

import numba

from kinesphere.maths.arrays import Floats
from kinesphere.maths.compiled import compiled, reads
from kinesphere.maths.quaternion_kernels import (
    Quaternion,
    Vector,
    conjugate,
    from_rotvec,
    product,
    rotate,
    rotvec,
)


@numba.njit(error_model="numpy")
def split(
    swing: Quaternion, turn: Quaternion, first: Vector, second: Vector, limit: Floats
) -> tuple[float, float, float, float]:
    """Swing about both axes, the twist's angle, and the ratio of the swing to its range.

    `swing` brings the bone from the centre to where `turn` has it. Angles are in radians.
    """
    vector = rotvec(swing)
    u = vector[0] * first[0] + vector[1] * first[1] + vector[2] * first[2]
    v = vector[0] * second[0] + vector[1] * second[1] + vector[2] * second[2]
    back = conjugate((limit[9], limit[10], limit[11], limit[12]))
    twist = product(back, product(conjugate(swing), turn))
    along = twist[1] * limit[0] + twist[2] * limit[1] + twist[3] * limit[2]
    angle = 2.0 * math.atan2(along, twist[0])
    if angle > math.pi:
        angle -= 2.0 * math.pi
    elif angle <= -math.pi:
        angle += 2.0 * math.pi
    room_u = max(-limit[13], 1e-9) if u < 0.0 else max(limit[14], 1e-9)
    room_v = max(-limit[15], 1e-9) if v < 0.0 else max(limit[16], 1e-9)
    return u, v, angle, math.sqrt((u / room_u) ** 2 + (v / room_v) ** 2)


@compiled(f"void({reads('float64', 2)}, {reads('float64', 1)}, float64[::1])")
def excess(turns: Floats, limit: Floats, out: Floats) -> None:
    """How far each rotation exceeds a limit: see `JointLimit.excess`.

    `limit` is bone axis, first axis, second axis, centre, and the three ranges: 19 numbers.
    """
    bone = (limit[0], limit[1], limit[2])
    centre = (limit[9], limit[10], limit[11], limit[12])
    middle = rotate(centre, bone)
    a = rotate(centre, (limit[3], limit[4], limit[5]))
    b = rotate(centre, (limit[6], limit[7], limit[8]))
    for i in range(len(turns)):
        turn = (turns[i, 0], turns[i, 1], turns[i, 2], turns[i, 3])
        to = rotate(turn, bone)
        dot = middle[0] * to[0] + middle[1] * to[1] + middle[2] * to[2]
        w = 1.0 + dot
        x = middle[1] * to[2] - middle[2] * to[1]
        y = middle[2] * to[0] - middle[0] * to[2]
        z = middle[0] * to[1] - middle[1] * to[0]
        size = math.sqrt(w * w + x * x + y * y + z * z)
        if dot < -1.0 + 1e-12:
            # Opposite: 180 degrees about a perpendicular axis, as in the reference implementation.
            if abs(middle[0]) < 0.6:
                x, y, z = 0.0, middle[2], -middle[1]
            else:
                x, y, z = -middle[2], 0.0, middle[0]
            size = math.sqrt(x * x + y * y + z * z)
            swing = (0.0, x / size, y / size, z / size)
        else:
            swing = (w / size, x / size, y / size, z / size)
        u, v, angle, fraction = split(swing, turn, a, b, limit)
        over = 0.0
        if fraction > 1.0:
            over = math.sqrt(u * u + v * v) * (1.0 - 1.0 / fraction)
        beyond = max(0.0, max(limit[17] - angle, angle - limit[18]))
        out[i] = math.sqrt(over * over + beyond * beyond)


@numba.njit(error_model="numpy")
def clamp_rotation(turn: Quaternion, limit: Floats) -> Quaternion:
    """Nearest allowed rotation along the swing's direction: see `JointLimit.clamp`."""
    bone = (limit[0], limit[1], limit[2])
    centre = (limit[9], limit[10], limit[11], limit[12])
    middle = rotate(centre, bone)
    to = rotate(turn, bone)
    w = 1.0 + middle[0] * to[0] + middle[1] * to[1] + middle[2] * to[2]
    if w < 1e-9:
        return turn
    x = middle[1] * to[2] - middle[2] * to[1]
    y = middle[2] * to[0] - middle[0] * to[2]
    z = middle[0] * to[1] - middle[1] * to[0]
    size = math.sqrt(w * w + x * x + y * y + z * z)
    swing = (w / size, x / size, y / size, z / size)
    a = rotate(centre, (limit[3], limit[4], limit[5]))
    b = rotate(centre, (limit[6], limit[7], limit[8]))
    u, v, angle, fraction = split(swing, turn, a, b, limit)
    kept = min(max(angle, limit[17]), limit[18])
    if fraction <= 1.0 and kept == angle:
        return turn
    share = 1.0 / max(fraction, 1.0)
    short = from_rotvec((u * a[0] + v * b[0], u * a[1] + v * b[1], u * a[2] + v * b[2]), share)
    return product(product(short, centre), from_rotvec(bone, kept))


@compiled(f"void({reads('float64', 2)}, {reads('float64', 1)}, float64[:, ::1])")
def clamp(turns: Floats, limit: Floats, out: Floats) -> None:
    """Nearest allowed rotations."""
    for i in range(len(turns)):
        q = clamp_rotation((turns[i, 0], turns[i, 1], turns[i, 2], turns[i, 3]), limit)
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = q[0], q[1], q[2], q[3]
