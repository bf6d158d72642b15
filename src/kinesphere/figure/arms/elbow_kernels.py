"""Compiled pose of one arm: swivel, reach, elbow hinge and joint limits."""

from __future__ import annotations

import math

import numba

from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.quaternion_kernels import (
    Quaternion,
    Vector,
    conjugate,
    from_rotvec,
    product,
    rotate,
    rotvec,
)
from kinesphere.motion.body.arms_kernels import cross, limb_rotations, swivel_zero
from kinesphere.motion.body.limits_kernels import clamp_rotation

# Virtual offset of an elbow in the direction of its hinge, metres.
_HINGE_M = 0.04
_BENT = -0.8572  # cosine between the bones of a fully bent arm, 149 degrees
# Cosines between them: from the first an arm is straight, up to the second its roll is unreliable.
_STRAIGHT, _ROLLED = 0.6, 0.2
# Past its limit a rotation is clamped up to the first of these, less and less up to the second.
_FAR_RAD, _TOO_FAR_RAD = 0.7, 1.4


@numba.njit(error_model="numpy")
def unit(v: Vector) -> Vector:
    """Vector of length 1."""
    size = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    return (v[0] / size, v[1] / size, v[2] / size)


@numba.njit(error_model="numpy")
def read(table: Floats, row: int) -> Quaternion:
    """Quaternion in a row of a table."""
    return (table[row, 0], table[row, 1], table[row, 2], table[row, 3])


@numba.njit(error_model="numpy")
def write(table: Floats, row: int, q: Quaternion) -> None:
    """Write a quaternion of unit length into a row of a table."""
    size = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    for k in range(4):
        table[row, k] = (q[0] / size, q[1] / size, q[2] / size, q[3] / size)[k]


@numba.njit(error_model="numpy")
def clamp_local(own: Quaternion, limit: Floats) -> Quaternion:
    """Local rotation within its joint's limit; columns 19 to 26 lead to the limit's T-pose."""
    before = (limit[19], limit[20], limit[21], limit[22])
    after = (limit[23], limit[24], limit[25], limit[26])
    kept = clamp_rotation(product(product(before, own), after), limit)
    return product(product(conjugate(before), kept), conjugate(after))


@numba.njit(error_model="numpy")
def arm_swivel(upper: Quaternion, to_elbow: Vector, wrist: Vector, side: float) -> float:
    """Swivel of an arm from its elbow position, and from its own hinge where it is nearly straight.

    All in the chest's axes, from the shoulder joint; `upper` is the rotation of the upper arm.
    """
    distance = math.sqrt(wrist[0] ** 2 + wrist[1] ** 2 + wrist[2] ** 2)
    way = (wrist[0] / distance, wrist[1] / distance, wrist[2] / distance)
    along = to_elbow[0] * way[0] + to_elbow[1] * way[1] + to_elbow[2] * way[2]
    hinge = cross(way, rotate(upper, (0.0, -side, 0.0)))
    out = (
        to_elbow[0] - along * way[0] + _HINGE_M * hinge[0],
        to_elbow[1] - along * way[1] + _HINGE_M * hinge[1],
        to_elbow[2] - along * way[2] + _HINGE_M * hinge[2],
    )
    zero = swivel_zero(way)
    across = cross(way, zero)
    up = out[0] * zero[0] + out[1] * zero[1] + out[2] * zero[2]
    aside = out[0] * across[0] + out[1] * across[1] + out[2] * across[2]
    return side * math.atan2(aside, up)


@numba.njit(error_model="numpy")
def bend_forearm(upper: Quaternion, fore: Vector, b: float, side: float) -> Vector:
    """Forearm of length `b` that does not bend back past a straight arm.

    The two bones are blended separately, and a fast one overshoots. The roll of the upper arm is
    only reliable enough to decide this where the arm is nearly straight.
    """
    own = rotate(conjugate(upper), fore)
    along, aside, ahead = side * own[0] / b, own[1] / b, own[2] / b
    nearly = min(max((along - _ROLLED) / (_STRAIGHT - _ROLLED), 0.0), 1.0)
    if ahead >= 0.0 or nearly == 0.0:
        return fore
    ahead *= 1.0 - nearly * nearly * (3.0 - 2.0 * nearly)
    along = math.sqrt(max(1.0 - aside * aside - ahead * ahead, 0.0))
    return rotate(upper, (side * b * along, b * aside, b * ahead))


@numba.njit(error_model="numpy")
def bendable(upper: Vector, fore: Vector, a: float, b: float) -> Vector:
    """Forearm of length `b` at an upper arm of length `a`, within the elbow's largest bend."""
    along = (upper[0] * fore[0] + upper[1] * fore[1] + upper[2] * fore[2]) / (a * b)
    if along >= _BENT:
        return fore
    off = (
        fore[0] / b - along * upper[0] / a,
        fore[1] / b - along * upper[1] / a,
        fore[2] / b - along * upper[2] / a,
    )
    size = math.sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2])
    if size < 1e-9:
        return fore
    aside = b * math.sqrt(1.0 - _BENT * _BENT) / size
    return (
        b * _BENT * upper[0] / a + aside * off[0],
        b * _BENT * upper[1] / a + aside * off[1],
        b * _BENT * upper[2] / a + aside * off[2],
    )


@numba.njit(error_model="numpy")
def limit_arm(
    wrist: Vector,
    swivel: float,
    shoulder: Quaternion,
    a: float,
    b: float,
    side: float,
    limit: Floats,
) -> tuple[Vector, float]:
    """Wrist and swivel of an arm with its upper arm rotated back to its limit.

    The elbow keeps its bend. A rotation far past the limit is left, because the nearest rotation
    back is discontinuous there. `shoulder` is the rotation of the collar bone, in the chest's axes.
    """
    first, second = limb_rotations(wrist, swivel, a, b, side)
    own = product(conjugate(shoulder), first)
    back = rotvec(product(conjugate(own), clamp_local(own, limit)))
    size = math.sqrt(back[0] * back[0] + back[1] * back[1] + back[2] * back[2])
    if size < 1e-9 or size >= _TOO_FAR_RAD:
        return wrist, swivel
    far = max(size - _FAR_RAD, 0.0) / (_TOO_FAR_RAD - _FAR_RAD)
    turn = product(own, from_rotvec(back, 1.0 - far * far * (3.0 - 2.0 * far)))
    turn = product(shoulder, turn)
    second = product(turn, product(conjugate(first), second))
    elbow = rotate(turn, (side * a, 0.0, 0.0))
    fore = rotate(second, (side * b, 0.0, 0.0))
    wrist = (elbow[0] + fore[0], elbow[1] + fore[1], elbow[2] + fore[2])
    return wrist, arm_swivel(turn, elbow, wrist, side)


@numba.njit(error_model="numpy")
def set_arm(
    local: Floats,
    world: Floats,
    joints: Ints,
    chest: Quaternion,
    wrist: Vector,
    swivel: float,
    hand: Quaternion,
    a: float,
    b: float,
    side: float,
    limits: Floats,
) -> None:
    """Pose an arm whose forearm takes the roll of the hand; the hand keeps its orientation.

    A wrist nearer to the shoulder than the elbow can bend is put at the nearest distance.
    """
    shoulder, upper, lower, end = joints[0], joints[1], joints[2], joints[3]
    reach = math.sqrt(wrist[0] ** 2 + wrist[1] ** 2 + wrist[2] ** 2)
    least = math.sqrt(a * a + b * b + 2.0 * a * b * _BENT)
    if 1e-9 < reach < least:
        more = least / reach
        wrist = (more * wrist[0], more * wrist[1], more * wrist[2])
    first, second = limb_rotations(wrist, swivel, a, b, side)
    first, second = product(chest, first), product(chest, second)
    bent = product(conjugate(second), hand)
    half = math.sqrt(bent[0] ** 2 + bent[1] ** 2)
    if half > 1e-9:
        second = product(second, (bent[0] / half, bent[1] / half, 0.0, 0.0))
    own = clamp_local(product(conjugate(first), second), limits[lower])
    second = product(first, own)
    bent = clamp_local(product(conjugate(second), hand), limits[end])
    write(world, upper, first)
    write(world, lower, second)
    write(world, end, product(second, bent))
    write(local, upper, product(conjugate(read(world, shoulder)), first))
    write(local, lower, own)
    write(local, end, bent)


@numba.njit(error_model="numpy")
def move_arm(
    local: Floats,
    world: Floats,
    arms: Ints,
    lengths: Floats,
    limits: Floats,
    chest: int,
    h: int,
    wrist: Floats,
    swivel: float,
) -> None:
    """Pose one of a figure's two arms for its current wrist; the hand keeps its orientation."""
    set_arm(
        local,
        world,
        arms[h],
        read(world, chest),
        (wrist[0], wrist[1], wrist[2]),
        swivel,
        read(world, arms[h, 3]),
        lengths[h, 0],
        lengths[h, 1],
        1.0 - 2.0 * h,
        limits,
    )


@numba.njit(error_model="numpy")
def swing_arm(
    local: Floats,
    world: Floats,
    arms: Ints,
    lengths: Floats,
    chest: int,
    h: int,
    old: Floats,
    new: Floats,
    swivel: float,
) -> None:
    """Move one of a figure's two arms from one wrist to another; the hand follows the forearm."""
    a, b, side = lengths[h, 0], lengths[h, 1], 1.0 - 2.0 * h
    shoulder, upper, lower, end = arms[h, 0], arms[h, 1], arms[h, 2], arms[h, 3]
    before = limb_rotations((old[0], old[1], old[2]), swivel, a, b, side)
    after = limb_rotations((new[0], new[1], new[2]), swivel, a, b, side)
    axes = read(world, chest)
    first = product(product(axes, product(after[0], conjugate(before[0]))), conjugate(axes))
    second = product(product(axes, product(after[1], conjugate(before[1]))), conjugate(axes))
    write(world, upper, product(first, read(world, upper)))
    write(world, lower, product(second, read(world, lower)))
    write(world, end, product(second, read(world, end)))
    write(local, upper, product(conjugate(read(world, shoulder)), read(world, upper)))
    write(local, lower, product(conjugate(read(world, upper)), read(world, lower)))
