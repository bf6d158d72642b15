"""Compiled penetration resolution of hands, against body and other hand, from frame to frame."""

from __future__ import annotations

import math

import numba
import numpy as np

from kinesphere.figure.arms.elbow_kernels import move_arm, read, swing_arm, write
from kinesphere.figure.arms.hand_contact_kernels import (
    clear_distance,
    hands_apart,
    palms_apart,
    place_joints,
    place_palm,
    place_points,
    way_out,
)
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.compiled import compiled, reads
from kinesphere.maths.quaternion_kernels import conjugate, from_rotvec, product, rotate, rotvec
from kinesphere.motion.body.body_volume_kernels import nearest

_FELT = 6.0  # multiple of the softness beyond which there is no correction
_SOON_S = 0.08  # the position predicted this far ahead is corrected, too
# How a correction follows: stiffness (rad/s), the fastest sliding that it follows without lag, its
# largest acceleration.
_CATCHES_UP = 30.0
_SLIDES_M_S = 1.5
_HARDEST_M_S2 = 60.0
_HANDS_M = 0.3  # palm centres that are farther from each other are not of hands that touch
# Largest roll speed of a forearm, and largest rotation speed of a hand at the wrist.
_ROLLS_RAD_S = 16.0
# Proportion of its length up to which a correction stretches an arm freely.
_FREE = 0.95
_REACH_OVER_M = 0.02  # pushed this far, an arm is kept from being straight
# Smaller corrections are dropped.
_GONE_M = 1e-5


@numba.njit(error_model="numpy")
def going_to(push: Floats, wanted: Floats, dt: float, ahead: Floats, soon: Floats) -> None:
    """Displacement of a wrist that lies ahead: the known one, or where it is NaN the prediction.

    That is over `_SOON_S`; `push` holds the wrist's last target.
    """
    size = 0.0
    for k in range(3):
        soon[k] = wanted[k] - push[9 + k]
        size += soon[k] * soon[k]
        push[9 + k] = wanted[k]
    known = dt > 0.0 and not math.isnan(size)
    speed = math.sqrt(size) / dt if known else 0.0
    share = _SOON_S / dt * min(1.0, _SLIDES_M_S / speed) if speed > 0.0 else 0.0
    for k in range(3):
        soon[k] = share * soon[k] if known else 0.0
    if not math.isnan(ahead[0]):
        for k in range(3):
            soon[k] = ahead[k]


@numba.njit(error_model="numpy")
def carry_correction(push: Floats, wrist: Floats, dt: float, forgets: float) -> bool:
    """Start with most of the previous frame's correction, in place; True if there is any.

    Deep in the body there are several directions out: a hand keeps the one that it had, and
    `forgets` it at this rate per second.
    """
    share = math.exp(-forgets * dt)
    moves = False
    for k in range(3):
        needed = push[6 + k]
        if needed * needed > _GONE_M * _GONE_M:  # False for NaN
            moves = True
            wrist[k] += share * needed
    return moves


@numba.njit(error_model="numpy")
def roll_on(state: Floats, local: Floats, world: Floats, joints: Ints, dt: float) -> None:
    """Limit the rotation speed of forearm and hand to that of people, from the previous frame.

    The target of a hand beyond the forearm's roll range is at one limit in one frame, and at the
    other in the next. `state` holds the roll, and the rotation of the hand.
    """
    lower, end = joints[2], joints[3]
    own, bent = read(local, lower), read(local, end)
    roll = 2.0 * math.atan2(own[1], own[0])
    roll -= 2.0 * math.pi * math.floor(roll / (2.0 * math.pi) + 0.5)
    changed = False
    if not math.isnan(state[0]):
        most = _ROLLS_RAD_S * dt
        there = min(max(roll, state[0] - most), state[0] + most)
        if there != roll:
            half = 0.5 * (there - roll)
            own = product(own, (math.cos(half), math.sin(half), 0.0, 0.0))
            roll, changed = there, True
        before = (state[1], state[2], state[3], state[4])
        way = rotvec(product(conjugate(before), bent))
        size = math.sqrt(way[0] ** 2 + way[1] ** 2 + way[2] ** 2)
        if size > most:
            bent, changed = product(before, from_rotvec(way, most / size)), True
    state[0] = roll
    state[1], state[2], state[3], state[4] = bent
    if changed:
        write(local, lower, own)
        write(local, end, bent)
        write(world, lower, product(read(world, joints[1]), own))
        write(world, end, product(read(world, lower), bent))


@numba.njit(error_model="numpy")
def within_reach(wrist: Floats, reach: float, pushed_m: float) -> None:
    """Keep a wrist from straightening its arm fully, in place, smoothly.

    As far as it is pushed: an arm that is nearly straight does not shorten at the first touch.
    """
    far = math.sqrt(wrist[0] ** 2 + wrist[1] ** 2 + wrist[2] ** 2)
    free = _FREE * reach
    if far <= free:
        return
    room = 0.999 * reach - free
    share = (free + room * (1.0 - math.exp((free - far) / room))) / far
    share = 1.0 + min(pushed_m / _REACH_OVER_M, 1.0) * (share - 1.0)
    for k in range(3):
        wrist[k] *= share


@numba.njit(error_model="numpy")
def follow(push: Floats, wrist: Floats, wanted: Floats, dt: float) -> bool:
    """Let a wrist's correction follow the needed one; overwrites both, True if the wrist moved.

    A critically damped spring follows the needed correction, without lag for a hand that slides
    over the body; it catches up with discontinuities. `push` holds correction, velocity, needed
    correction in the previous frame, and target of the wrist; NaN if there was none.
    """
    if math.isnan(push[0]):
        for k in range(3):
            push[k] = push[6 + k] = wrist[k] - wanted[k]
            push[3 + k] = 0.0
        return bool(push[0] != 0.0 or push[1] != 0.0 or push[2] != 0.0)
    speed = 0.0
    for k in range(3):
        speed += (wrist[k] - wanted[k] - push[6 + k]) ** 2
    speed = math.sqrt(speed) / dt
    along = min(1.0, _SLIDES_M_S / speed) if speed > 0.0 else 0.0
    decay = math.exp(-_CATCHES_UP * dt)
    size = 0.0
    changes = (0.0, 0.0, 0.0)
    for k in range(3):
        needed = wrist[k] - wanted[k]
        rate = along * (needed - push[6 + k]) / dt
        apart = push[k] + rate * dt - needed
        back = push[3 + k] - rate
        there = needed + (apart + (back + _CATCHES_UP * apart) * dt) * decay
        change = (there - push[k]) / dt - push[3 + k]
        changes = (change, changes[0], changes[1])
        size += change * change
        push[6 + k] = needed
    size = math.sqrt(size)
    share = min(1.0, _HARDEST_M_S2 * dt / size) if size > 0.0 else 1.0
    still = True
    for k in range(3):
        push[3 + k] += share * changes[2 - k]
        push[k] += push[3 + k] * dt
        still = still and abs(push[k]) < _GONE_M and abs(push[3 + k]) < _GONE_M
    if still and push[6] == 0.0 and push[7] == 0.0 and push[8] == 0.0:
        for k in range(6):
            push[k] = 0.0
    for k in range(3):
        wrist[k] = wanted[k] + push[k]
    return True


@numba.njit(error_model="numpy")
def pose_arm(
    local: Floats,
    world: Floats,
    arms: Ints,
    lengths: Floats,
    limits: Floats,
    chest: int,
    h: int,
    wrist: Floats,
    at: Floats,
    swivel: float,
    carried: bool,
) -> None:
    """Pose one of a figure's two arms for a wrist; `at` is its place so far and is overwritten.

    A `carried` hand follows the forearm, any other keeps its orientation.
    """
    if carried:
        swing_arm(local, world, arms, lengths, chest, h, at, wrist, swivel)
    else:
        move_arm(local, world, arms, lengths, limits, chest, h, wrist, swivel)
    for k in range(3):
        at[k] = wrist[k]


@compiled(
    f"void({reads('float64', 2)}, float64[:, :, ::1], {reads('float64', 2)}, {reads('int64', 1)}, "
    f"{reads('float64', 2)}, {reads('int64', 2)}, {reads('float64', 2)}, {reads('float64', 2)}, "
    f"{reads('int64', 2)}, {reads('float64', 3)}, {reads('int64', 2)}, {reads('float64', 3)}, "
    f"{reads('float64', 1)}, {reads('int64', 1)}, {reads('float64', 2)}, {reads('float64', 2)}, "
    f"{reads('float64', 1)}, {reads('int64', 2)}, int64, {reads('float64', 2)}, "
    f"{reads('float64', 1)}, {reads('float64', 3)}, {reads('float64', 1)}, float64, "
    "float64[:, :, ::1], float64[:, :, ::1], float64[:, :, ::1])"
)
def clear_hands(
    roots: Floats,
    wrists: Floats,
    swivels: Floats,
    parents: Ints,
    offsets: Floats,
    arms: Ints,
    lengths: Floats,
    limits: Floats,
    tips: Ints,
    tip_offsets: Floats,
    sphere_joints: Ints,
    sphere_offsets: Floats,
    sphere_radii: Floats,
    balls: Ints,
    ball_offsets: Floats,
    halves: Floats,
    radii: Floats,
    pieces: Ints,
    chest: int,
    skin: Floats,
    air: Floats,
    ahead: Floats,
    numbers: Floats,
    dt: float,
    pushes: Floats,
    local: Floats,
    world: Floats,
) -> None:
    """Move hands out of the body and of each other; see `clearance.clear`.

    Rows are frames of characters, as many of each as there are rows for a correction. It may follow
    the needed one (`follow`), so that a hand driven through the body emerges on the other side
    continuously. With `dt` 0 it is the needed one, and hands are not separated from each other.

    `tips` ``[2, points]`` are joints of each hand, the wrist first, then four knuckles, then finger
    ends, and `tip_offsets` the points in their frames; `sphere_joints` and what follows are the
    spheres of the hands. `skin` ``[rows, 2]``, `air` ``[rows]`` and `ahead` ``[rows, 2, 3]`` are as
    in `clearance.Allowances`, `numbers` as in `clearance.ClearanceSettings`.
    """
    soft, slack, margin, forward = numbers[0], numbers[1], numbers[2], numbers[3]
    forgets, rounds = numbers[4], int(numbers[5])
    follows, carried = numbers[6] > 0.0, numbers[7] > 0.0
    palms, aside = numbers[8], numbers[9]
    joints, points = len(parents), tips.shape[1]
    rotations, places = np.zeros((1, joints, 4)), np.zeros((1, joints, 3))
    # The second half of the points is the hand as it will be.
    half = points + 1
    hands, spheres = np.zeros((2, half, 3)), np.zeros((2, len(sphere_radii), 3))
    found = np.zeros((1, 2 * half, 3))
    away, part = np.zeros((1, 2 * half)), np.zeros((1, 2 * half), np.int64)
    normal = np.zeros((1, 2 * half, 3))
    frames = len(roots) // len(pushes)
    wanted, at, goal, soon = np.zeros((2, 3)), np.zeros((2, 3)), np.zeros(2), np.zeros((2, 3))
    for row in range(len(roots)):
        before = pushes[row // frames]
        for h in range(2):
            for k in range(3):
                wanted[h, k] = at[h, k] = wrists[row, h, k]
            going_to(before[h], wanted[h], dt, ahead[row, h], soon[h])
            if dt > 0.0 and carry_correction(before[h], wrists[row, h], dt, forgets):
                pose_arm(
                    local[row],
                    world[row],
                    arms,
                    lengths,
                    limits,
                    chest,
                    h,
                    wrists[row, h],
                    at[h],
                    swivels[row, h],
                    carried,
                )
        turns = 0
        for _ in range(rounds):
            turns += 1
            place_joints(roots[row], local[row], parents, offsets, rotations[0], places[0])
            axes = read(rotations[0], chest)
            back = conjugate(axes)
            far = 0.0
            for h in range(2):
                place_points(rotations[0], places[0], tips[h], tip_offsets[h], hands[h])
                place_palm(hands[h])
            for k in range(3):
                far += (hands[0, points, k] - hands[1, points, k]) ** 2
            apart = (0.0, 0.0, 0.0)
            if dt > 0.0 and far <= _HANDS_M * _HANDS_M:
                for h in range(2):
                    place_points(
                        rotations[0], places[0], sphere_joints[h], sphere_offsets[h], spheres[h]
                    )
                way = rotate(
                    axes,
                    (soon[0, 0] - soon[1, 0], soon[0, 1] - soon[1, 1], soon[0, 2] - soon[1, 2]),
                )
                apart = hands_apart(spheres, sphere_radii, air[row], margin, way)
                if palms > 0.0:
                    middles = hands[0, points], hands[1, points]
                    apart = palms_apart(apart, middles[0], middles[1], axes, palms, aside)
            touched = apart[0] != 0.0 or apart[1] != 0.0 or apart[2] != 0.0
            pushed = False
            for h in range(2):
                way = rotate(axes, (soon[h, 0], soon[h, 1], soon[h, 2]))
                for n in range(half):
                    for k in range(3):
                        found[0, n, k] = hands[h, n, k]
                        found[0, half + n, k] = hands[h, n, k] + way[k]
                nearest(
                    balls,
                    ball_offsets,
                    halves,
                    radii,
                    pieces,
                    rotations,
                    places,
                    found,
                    skin[row, h] + _FELT * soft,
                    away,
                    part,
                    normal,
                )
                deepest = 0
                for n in range(2 * half):
                    if away[0, n] < away[0, deepest]:
                        deepest = n
                if turns == 1:
                    goal[h] = skin[row, h] + clear_distance(away[0, deepest] - skin[row, h], soft)
                lack = goal[h] - away[0, deepest]
                if lack <= slack and not touched:
                    continue
                pushed = True
                if touched:
                    share = 0.5 - h
                    way = rotate(back, (share * apart[0], share * apart[1], share * apart[2]))
                    for k in range(3):
                        wrists[row, h, k] += way[k]
                if lack > slack:
                    out = rotate(
                        back, (normal[0, deepest, 0], normal[0, deepest, 1], normal[0, deepest, 2])
                    )
                    shown = wanted[h, 2] + (0.0 if math.isnan(before[h, 2]) else before[h, 2])
                    way = way_out(out, lack + margin, shown, forward)
                    for k in range(3):
                        wrists[row, h, k] += way[k]
                pose_arm(
                    local[row],
                    world[row],
                    arms,
                    lengths,
                    limits,
                    chest,
                    h,
                    wrists[row, h],
                    at[h],
                    swivels[row, h],
                    carried,
                )
            if not pushed:
                break
        if dt == 0.0:
            continue
        for h in range(2):
            if not follows:
                for k in range(3):
                    before[h, 6 + k] = wrists[row, h, k] - wanted[h, k]
                continue
            moves = False
            for k in range(3):
                moves = moves or before[h, k] != 0.0 or before[h, 3 + k] != 0.0
            if (turns > 1 or moves) and follow(before[h], wrists[row, h], wanted[h], dt):
                size = math.sqrt(before[h, 0] ** 2 + before[h, 1] ** 2 + before[h, 2] ** 2)
                within_reach(wrists[row, h], lengths[h, 0] + lengths[h, 1], size)
                pose_arm(
                    local[row],
                    world[row],
                    arms,
                    lengths,
                    limits,
                    chest,
                    h,
                    wrists[row, h],
                    at[h],
                    swivels[row, h],
                    carried,
                )
            roll_on(before[h, 12:], local[row], world[row], arms[h], dt)
