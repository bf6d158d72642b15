"""Compiled legs: thighs, shins, feet and toes for hips and feet in the world."""

from __future__ import annotations

import math

import numba

from kinesphere.figure.arms.elbow_kernels import read, unit, write
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.compiled import compiled, reads
from kinesphere.maths.quaternion_kernels import (
    Quaternion,
    Vector,
    conjugate,
    from_rotvec,
    product,
    rotate,
)
from kinesphere.motion.body.arms_kernels import cross, from_columns

_F1, _F2, _F3 = (reads("float64", n) for n in (1, 2, 3))
_I2 = reads("int64", 2)
_KNEES_OUT = 0.1  # how far knees point outward of the direction of their feet, radians
_WITH_FOOT = 0.65  # ratio of the foot in the direction of a knee; the rest is the pelvis's


@numba.njit(error_model="numpy")
def bone_frame(along: Vector, left: Vector) -> Quaternion:
    """Frame of a bone along a direction, with `left` at right angles to it."""
    up = (-along[0], -along[1], -along[2])
    return from_columns(left, up, cross(left, up))


@numba.njit(error_model="numpy")
def leg_frames(
    hip: Vector, ankle: Vector, ahead: Vector, a: float, b: float
) -> tuple[Quaternion, Quaternion]:
    """Frames of thigh and shin of lengths `a` and `b`, the knee pointing `ahead`."""
    to = (ankle[0] - hip[0], ankle[1] - hip[1], ankle[2] - hip[2])
    distance = math.sqrt(to[0] ** 2 + to[1] ** 2 + to[2] ** 2)
    d = min(max(distance, abs(a - b) + 1e-6), a + b)
    way = (to[0] / distance, to[1] / distance, to[2] / distance)
    left = unit(cross(way, ahead))
    left = (-left[0], -left[1], -left[2])
    front = cross(left, way)
    front = (-front[0], -front[1], -front[2])
    cosine = min(max((a * a + d * d - b * b) / (2.0 * a * d), -1.0), 1.0)
    sine = math.sqrt((1.0 - cosine) * (1.0 + cosine))
    thigh = (
        cosine * way[0] + sine * front[0],
        cosine * way[1] + sine * front[1],
        cosine * way[2] + sine * front[2],
    )
    shin = unit((d * way[0] - a * thigh[0], d * way[1] - a * thigh[1], d * way[2] - a * thigh[2]))
    return bone_frame(thigh, left), bone_frame(shin, left)


@numba.njit(error_model="numpy")
def stand(
    root: Vector,
    hips: Quaternion,
    feet: Floats,
    offsets: Floats,
    joints: Ints,
    frames: Floats,
    lengths: Floats,
    local: Floats,
    world: Floats,
) -> None:
    """Legs of one figure whose hips are placed: local and world rotations, in place.

    `feet` ``[2, 6]`` are the ankle's position, yaw, lift of the heel, and bend of the toes.
    """
    front = rotate(hips, (0.0, 0.0, 1.0))
    facing = math.atan2(front[0], front[2])
    for k in range(2):
        thigh, shin, foot, toes = joints[k, 0], joints[k, 1], joints[k, 2], joints[k, 3]
        joint = rotate(hips, (offsets[thigh, 0], offsets[thigh, 1], offsets[thigh, 2]))
        yaw = feet[k, 3]
        way = _WITH_FOOT * yaw + (1.0 - _WITH_FOOT) * facing + (1.0 - 2.0 * k) * _KNEES_OUT
        thigh_frame, shin_frame = leg_frames(
            (root[0] + joint[0], root[1] + joint[1], root[2] + joint[2]),
            (feet[k, 0], feet[k, 1], feet[k, 2]),
            (math.sin(way), 0.0, math.cos(way)),
            lengths[k, 0],
            lengths[k, 1],
        )
        above = product(thigh_frame, conjugate(read(frames[k], 0)))
        below = product(shin_frame, conjugate(read(frames[k], 1)))
        heading = from_rotvec((0.0, yaw, 0.0), 1.0)
        sole = product(heading, from_rotvec((feet[k, 4], 0.0, 0.0), 1.0))
        bent = from_rotvec((-feet[k, 5], 0.0, 0.0), 1.0)
        write(world, thigh, above)
        write(world, shin, below)
        write(world, foot, sole)
        write(world, toes, product(sole, bent))
        write(local, thigh, product(conjugate(hips), above))
        write(local, shin, product(conjugate(above), below))
        write(local, foot, product(conjugate(below), sole))
        write(local, toes, bent)


@compiled(
    f"void({_F2}, {_F2}, {_F3}, {_F2}, {_I2}, {_F3}, {_F2}, float64[:, :, ::1], float64[:, :, ::1])"
)
def pose_legs(
    roots: Floats,
    hips: Floats,
    feet: Floats,
    offsets: Floats,
    joints: Ints,
    frames: Floats,
    lengths: Floats,
    local: Floats,
    world: Floats,
) -> None:
    """Legs of all rows: ``roots [rows, 3]``, ``hips [rows, 4]``, ``feet [rows, 2, 6]``.

    Only the rotations of the legs' joints in ``local`` and ``world [rows, joints, 4]`` are set.
    """
    for c in range(len(roots)):
        root = (roots[c, 0], roots[c, 1], roots[c, 2])
        stand(root, read(hips, c), feet[c], offsets, joints, frames, lengths, local[c], world[c])
