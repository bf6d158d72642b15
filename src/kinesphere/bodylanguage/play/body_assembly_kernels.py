"""Compiled step from blended streams to a posed figure with planted feet."""

from __future__ import annotations

import math

import numba
import numpy as np

from kinesphere.bodylanguage.play.elbow_kernels import (
    arm_swivel,
    bend_forearm,
    bendable,
    clamp_local,
    limit_arm,
    read,
    set_arm,
    unit,
    write,
)
from kinesphere.maths.arrays import Bools, Floats, Ints
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
from kinesphere.motion.body.arms_kernels import cross, from_columns

_NECK = 0.45  # proportion of the neck in a head rotation


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
def smooth_minimum(height: float, top: float, soft: float) -> float:
    """Smooth minimum of two heights."""
    gap = (height - top) / soft
    if gap < -20.0:
        return height
    if gap > 20.0:
        return top
    return height - soft * math.log1p(math.exp(gap))


@numba.njit(error_model="numpy")
def farther(away: Vector, amount: float) -> float:
    """Factor on a rotation from the home pose; limited at 180 degrees, where it would flip."""
    if amount <= 1.0:
        return amount
    part = (away[0] * away[0] + away[1] * away[1] + away[2] * away[2]) / (math.pi * math.pi)
    return 1.0 + (amount - 1.0) * (1.0 - part)


@compiled(
    f"void({reads('float64', 3)}, {reads('float64', 2)}, {reads('float64', 1)}, "
    f"{reads('float64', 3)}, {reads('float64', 2)}, {reads('int64', 1)}, {reads('float64', 2)}, "
    f"{reads('float64', 2)}, {reads('int64', 1)}, {reads('int64', 1)}, {reads('boolean', 1)}, "
    f"{reads('int64', 1)}, {reads('float64', 2)}, {reads('int64', 2)}, {reads('float64', 2)}, "
    f"{reads('int64', 2)}, {reads('float64', 3)}, {reads('float64', 2)}, {reads('float64', 2)}, "
    f"{reads('float64', 1)}, "
    "float64[:, :, ::1], float64[:, ::1], float64[:, :, ::1], float64[:, :, ::1], float64[:, ::1])"
)
def assemble(
    shown: Floats,
    pelvis: Floats,
    amounts: Floats,
    idle: Floats,
    idle_hips: Floats,
    parents: Ints,
    offsets: Floats,
    home: Floats,
    stream_of: Ints,
    hand_of: Ints,
    present: Bools,
    trunk: Ints,
    limits: Floats,
    arms: Ints,
    arm_lengths: Floats,
    legs: Ints,
    leg_frames_at_rest: Floats,
    leg_lengths: Floats,
    ankles: Floats,
    root: Floats,
    local: Floats,
    roots: Floats,
    world: Floats,
    wrists: Floats,
    swivels: Floats,
) -> None:
    """Pose all characters; see `assembly.assemble`."""
    joints = len(parents)
    source = np.zeros((joints, 4))
    for c in range(len(shown)):
        amount = amounts[c]
        for j in range(joints):
            # Targets of the streams in world space; joints of no stream are in the home pose.
            p, s = parents[j], stream_of[j]
            own = read(home, j)
            if s >= 0 and present[s]:
                own = read(shown[c], j)
                if hand_of[j] < 0 and p >= 0:
                    own = product(conjugate(read(source, p)), own)
            write(local[c], j, own)
            write(source, j, own if p < 0 else product(read(source, p), own))
        # Streams disagree about hips, chest and head: the bones between share the difference.
        if present[1]:
            between = rotvec(product(conjugate(read(source, trunk[0])), read(source, trunk[3])))
            for k in range(1, 4):
                write(local[c], trunk[k], from_rotvec(between, 1.0 / 3.0))
        if present[0]:
            between = rotvec(product(conjugate(read(source, trunk[3])), read(source, trunk[5])))
            write(local[c], trunk[4], from_rotvec(between, _NECK))
            write(local[c], trunk[5], from_rotvec(between, 1.0 - _NECK))
        for j in range(joints):
            p = parents[j]
            own = read(local[c], j)
            if amount != 1.0:
                away = rotvec(product(conjugate(read(home, j)), own))
                own = product(read(home, j), from_rotvec(away, farther(away, amount)))
            life = (idle[c, j, 0], idle[c, j, 1], idle[c, j, 2])
            own = product(from_rotvec(life, 1.0), own)
            arm = j == arms[0, 2] or j == arms[0, 3] or j == arms[1, 2] or j == arms[1, 3]
            arm = arm or j == arms[0, 1] or j == arms[1, 1]
            if limits[j, 17] < limits[j, 18] and not arm:
                own = clamp_local(own, limits[j])
            write(local[c], j, own)
            write(world[c], j, own if p < 0 else product(read(world[c], p), own))
        # Arms keep their directions; the elbow is a hinge again.
        chest = read(world[c], trunk[3])
        for k in range(2):
            side = 1.0 - 2.0 * k
            upper, lower, hand = arms[k, 1], arms[k, 2], arms[k, 3]
            back = conjugate(chest)
            first = product(back, read(world[c], upper))
            second = product(back, read(world[c], lower))
            a, b = arm_lengths[k, 0], arm_lengths[k, 1]
            elbow = rotate(first, (side * a, 0.0, 0.0))
            fore = bend_forearm(first, rotate(second, (side * b, 0.0, 0.0)), b, side)
            fore = bendable(elbow, fore, a, b)
            wrist = (elbow[0] + fore[0], elbow[1] + fore[1], elbow[2] + fore[2])
            swivel = arm_swivel(first, elbow, wrist, side)
            collar = product(back, read(world[c], arms[k, 0]))
            wrist, swivel = limit_arm(wrist, swivel, collar, a, b, side, limits[upper])
            swivels[c, k] = swivel
            wrists[c, k, 0], wrists[c, k, 1], wrists[c, k, 2] = wrist[0], wrist[1], wrist[2]
            set_arm(
                local[c],
                world[c],
                arms[k],
                chest,
                wrist,
                swivel,
                read(world[c], hand),
                a,
                b,
                side,
                limits,
            )
        # The hips, as high as both legs allow.
        hips = read(world[c], 0)
        share = amount if present[2] else 0.0
        x = root[0] + share * pelvis[c, 0] + idle_hips[c, 0]
        y = root[1] + share * pelvis[c, 1] + idle_hips[c, 1]
        z = root[2] + share * pelvis[c, 2] + idle_hips[c, 2]
        for k in range(2):
            thigh = legs[k, 0]
            joint = rotate(hips, (offsets[thigh, 0], offsets[thigh, 1], offsets[thigh, 2]))
            reach = 0.9995 * (leg_lengths[k, 0] + leg_lengths[k, 1])
            dx, dz = x + joint[0] - ankles[k, 0], z + joint[2] - ankles[k, 2]
            room = max(reach * reach - dx * dx - dz * dz, 0.01)
            y = smooth_minimum(y, ankles[k, 1] + math.sqrt(room) - joint[1], 0.003)
        roots[c, 0], roots[c, 1], roots[c, 2] = x, y, z
        front = rotate(hips, (0.0, 0.0, 1.0))
        for k in range(2):
            thigh, shin, foot = legs[k, 0], legs[k, 1], legs[k, 2]
            joint = rotate(hips, (offsets[thigh, 0], offsets[thigh, 1], offsets[thigh, 2]))
            ahead = (0.5 * front[0] + 0.12 - 0.24 * k, 0.0, 0.5 * front[2] + 0.5)
            thigh_frame, shin_frame = leg_frames(
                (x + joint[0], y + joint[1], z + joint[2]),
                (ankles[k, 0], ankles[k, 1], ankles[k, 2]),
                ahead,
                leg_lengths[k, 0],
                leg_lengths[k, 1],
            )
            above = product(thigh_frame, conjugate(read(leg_frames_at_rest[k], 0)))
            below = product(shin_frame, conjugate(read(leg_frames_at_rest[k], 1)))
            write(world[c], thigh, above)
            write(world[c], shin, below)
            write(world[c], foot, read(home, foot))
            write(local[c], thigh, product(conjugate(hips), above))
            write(local[c], shin, product(conjugate(above), below))
            write(local[c], foot, product(conjugate(below), read(home, foot)))
