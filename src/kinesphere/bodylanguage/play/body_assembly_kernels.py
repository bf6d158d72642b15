"""Compiled step from blended streams to a posed figure with planted feet."""

from __future__ import annotations

import math

import numba
import numpy as np

from kinesphere.figure.arms.elbow_kernels import (
    arm_swivel,
    bend_forearm,
    bendable,
    clamp_local,
    limit_arm,
    read,
    set_arm,
    write,
)
from kinesphere.figure.standing.body_layout import FEET, FOOT, HIPS, PELVIS_TURN, SPINE_TURN
from kinesphere.figure.standing.leg_kernels import stand
from kinesphere.maths.arrays import Bools, Floats, Ints
from kinesphere.maths.compiled import compiled, reads
from kinesphere.maths.quaternion_kernels import (
    Vector,
    conjugate,
    from_rotvec,
    product,
    rotate,
    rotvec,
)

_NECK = 0.45  # proportion of the neck in a head rotation
_CARRIED = 0.12  # ratio of the chest's yaw that the head keeps: the neck does not undo all of it
_BLENDED = 1.35  # makes up for what blending takes from the head's rotations


@numba.njit(error_model="numpy")
def farther(away: Vector, amount: float) -> float:
    """Factor on a rotation from the home pose; limited at 180 degrees, where it would flip."""
    if amount <= 1.0:
        return amount
    part = (away[0] * away[0] + away[1] * away[1] + away[2] * away[2]) / (math.pi * math.pi)
    return 1.0 + (amount - 1.0) * (1.0 - part)


@numba.njit(error_model="numpy")
def is_trunk(joint: int, trunk: Ints) -> bool:
    """Whether a joint is one of the trunk and head, whose amplitude is set elsewhere."""
    found = False
    for k in range(len(trunk)):
        found = found or joint == trunk[k]
    return found


@compiled(
    f"void({reads('float64', 3)}, {reads('float64', 2)}, {reads('float64', 1)}, "
    f"{reads('float64', 3)}, {reads('int64', 1)}, {reads('float64', 2)}, "
    f"{reads('float64', 2)}, {reads('int64', 1)}, {reads('int64', 1)}, {reads('boolean', 1)}, "
    f"{reads('int64', 1)}, {reads('float64', 2)}, {reads('int64', 2)}, {reads('float64', 2)}, "
    f"{reads('int64', 2)}, {reads('float64', 3)}, {reads('float64', 2)}, "
    "float64[:, :, ::1], float64[:, ::1], float64[:, :, ::1], float64[:, :, ::1], float64[:, ::1])"
)
def assemble(
    shown: Floats,
    bodies: Floats,
    amounts: Floats,
    added: Floats,
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
        # Pelvis and spine are the engine's; the neck carries the head to where its stream has it.
        body = bodies[c]
        hips = from_rotvec((body[PELVIS_TURN], body[PELVIS_TURN + 1], body[PELVIS_TURN + 2]), 1.0)
        bend = (body[SPINE_TURN], body[SPINE_TURN + 1], body[SPINE_TURN + 2])
        write(local[c], trunk[0], hips)
        for k in range(1, 4):
            write(local[c], trunk[k], from_rotvec(bend, 1.0 / 3.0))
        carried = product(hips, from_rotvec(bend, 1.0))
        if present[0]:
            facing = from_rotvec(rotvec(read(source, trunk[5])), _BLENDED * amount)
            front = rotate(carried, (0.0, 0.0, 1.0))
            yaw = _CARRIED * math.atan2(front[0], front[2])
            facing = product(from_rotvec((0.0, yaw, 0.0), 1.0), facing)
            between = rotvec(product(conjugate(carried), facing))
            write(local[c], trunk[4], from_rotvec(between, _NECK))
            write(local[c], trunk[5], from_rotvec(between, 1.0 - _NECK))
        for j in range(joints):
            p = parents[j]
            own = read(local[c], j)
            if amount != 1.0 and not is_trunk(j, trunk):
                away = rotvec(product(conjugate(read(home, j)), own))
                own = product(read(home, j), from_rotvec(away, farther(away, amount)))
            life = (added[c, j, 0], added[c, j, 1], added[c, j, 2])
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
        for k in range(3):
            roots[c, k] = body[HIPS + k]
        stand(
            (body[HIPS], body[HIPS + 1], body[HIPS + 2]),
            read(world[c], trunk[0]),
            body[FEET : FEET + 2 * FOOT].reshape(2, FOOT),
            offsets,
            legs,
            leg_frames_at_rest,
            leg_lengths,
            local[c],
            world[c],
        )
