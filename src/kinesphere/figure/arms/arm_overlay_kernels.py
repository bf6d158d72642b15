"""Compiled parameters of arms, and the blend of arms from one motion into another."""

from __future__ import annotations

import math

import numba

from kinesphere.figure.arms.elbow_kernels import arm_swivel, read, set_arm, write
from kinesphere.maths.arrays import Floats, Ints
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
from kinesphere.motion.body.arms_kernels import limb_rotations


@numba.njit(error_model="numpy")
def blend_rotations(a: Quaternion, b: Quaternion, weight: float) -> Quaternion:
    """Rotation between two, along the shorter arc."""
    return product(a, from_rotvec(rotvec(product(conjugate(a), b)), weight))


@numba.njit(error_model="numpy")
def arm_numbers(
    world: Floats, arm: Ints, chest: Quaternion, a: float, b: float, side: float
) -> tuple[Vector, float, float, Quaternion]:
    """Wrist from the shoulder joint in the chest's axes, swivel, forearm roll, wrist rotation.

    The roll is a number, so that arms rolled far to either side are blended through the middle.
    """
    back = conjugate(chest)
    first = product(back, read(world, arm[1]))
    second = product(back, read(world, arm[2]))
    hand = product(back, read(world, arm[3]))
    elbow = rotate(first, (side * a, 0.0, 0.0))
    fore = rotate(second, (side * b, 0.0, 0.0))
    wrist = (elbow[0] + fore[0], elbow[1] + fore[1], elbow[2] + fore[2])
    swivel = arm_swivel(first, elbow, wrist, side)
    _, unrolled = limb_rotations(wrist, swivel, a, b, side)
    bent = product(conjugate(unrolled), hand)
    sign = -1.0 if bent[0] < 0.0 else 1.0
    roll = 2.0 * math.atan2(sign * bent[1], sign * bent[0])
    half = 0.5 * roll
    return wrist, swivel, roll, product((math.cos(half), -math.sin(half), 0.0, 0.0), bent)


@compiled(
    f"void({reads('float64', 3)}, {reads('int64', 2)}, {reads('float64', 2)}, int64, "
    "float64[:, :, ::1], float64[:, ::1], float64[:, ::1], float64[:, :, ::1])"
)
def measure(
    world: Floats,
    arms: Ints,
    lengths: Floats,
    chest: int,
    wrists: Floats,
    swivels: Floats,
    rolls: Floats,
    bends: Floats,
) -> None:
    """Parameters ``[rows, 2, ...]`` of both arms; see `arm_numbers`."""
    for row in range(len(world)):
        for k in range(2):
            wrist, swivels[row, k], rolls[row, k], bend = arm_numbers(
                world[row],
                arms[k],
                read(world[row], chest),
                lengths[k, 0],
                lengths[k, 1],
                1.0 - 2.0 * k,
            )
            wrists[row, k, 0], wrists[row, k, 1], wrists[row, k, 2] = wrist
            write(bends[row], k, bend)


@compiled(
    f"void({reads('float64', 2)}, {reads('float64', 3)}, {reads('float64', 2)}, "
    f"{reads('float64', 2)}, {reads('float64', 3)}, {reads('float64', 3)}, {reads('float64', 4)}, "
    f"{reads('int64', 2)}, {reads('float64', 2)}, {reads('int64', 2)}, {reads('float64', 2)}, "
    "int64, float64[:, :, ::1], float64[:, :, ::1], float64[:, :, ::1], float64[:, ::1])"
)
def overlay(
    weights: Floats,
    wrists: Floats,
    swivels: Floats,
    rolls: Floats,
    bends: Floats,
    collars: Floats,
    fingers: Floats,
    arms: Ints,
    lengths: Floats,
    finger_joints: Ints,
    limits: Floats,
    chest: int,
    local: Floats,
    world: Floats,
    out_wrists: Floats,
    out_swivels: Floats,
) -> None:
    """Blend arms to given ones by weights ``[rows, 2]``, in place; see `arm_overlay`."""
    for row in range(len(weights)):
        middle = read(world[row], chest)
        for k in range(2):
            a, b, side = lengths[k, 0], lengths[k, 1], 1.0 - 2.0 * k
            own, swivel, roll, bend = arm_numbers(world[row], arms[k], middle, a, b, side)
            w = weights[row, k]
            if w > 0.0:
                collar = blend_rotations(read(local[row], arms[k, 0]), read(collars[row], k), w)
                write(local[row], arms[k, 0], collar)
                write(world[row], arms[k, 0], product(middle, collar))
                for j in range(finger_joints.shape[1]):
                    joint = finger_joints[k, j]
                    turn = blend_rotations(read(local[row], joint), read(fingers[row, k], j), w)
                    write(local[row], joint, turn)
                own = (
                    own[0] + w * (wrists[row, k, 0] - own[0]),
                    own[1] + w * (wrists[row, k, 1] - own[1]),
                    own[2] + w * (wrists[row, k, 2] - own[2]),
                )
                aside = swivels[row, k] - swivel
                aside -= 2.0 * math.pi * math.floor(aside / (2.0 * math.pi) + 0.5)
                swivel += w * aside
                roll += w * (rolls[row, k] - roll)
                bend = blend_rotations(bend, read(bends[row], k), w)
                _, fore = limb_rotations(own, swivel, a, b, side)
                half = 0.5 * roll
                rolled = product(fore, (math.cos(half), math.sin(half), 0.0, 0.0))
                hand = product(middle, product(rolled, bend))
                set_arm(
                    local[row], world[row], arms[k], middle, own, swivel, hand, a, b, side, limits
                )
            out_wrists[row, k, 0], out_wrists[row, k, 1], out_wrists[row, k, 2] = own
            out_swivels[row, k] = swivel
