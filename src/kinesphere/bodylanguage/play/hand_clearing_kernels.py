"""Compiled penetration resolution of hands, against body and other hand, from frame to frame."""

from __future__ import annotations

import math

import numba
import numpy as np

from kinesphere.bodylanguage.play.elbow_kernels import move_arm, read, unit, write
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.compiled import compiled, reads
from kinesphere.maths.quaternion_kernels import (
    Vector,
    conjugate,
    from_rotvec,
    product,
    rotate,
    rotvec,
)
from kinesphere.motion.body.body_volume import FINGER_M, PALM_M
from kinesphere.motion.body.body_volume_kernels import nearest

_FORWARD = 0.5
_BEHIND_M = -0.05
_FELT = 6.0  # multiple of the softness beyond which there is no correction
_SOON_S = 0.08  # the position predicted this far ahead is corrected, too
# How a correction follows: stiffness (rad/s), the fastest sliding that it follows without lag, its
# largest acceleration.
_CATCHES_UP = 30.0
_SLIDES_M_S = 1.5
_HARDEST_M_S2 = 60.0
# Rate at which the direction out of the body is forgotten.
_FORGETS = 8.0
# Largest penetration of hands that touch, largest distance of the palm centres then, and the
# number of spheres of a hand.
_TOUCH_M, _HANDS_M, _GRAINS = 0.004, 0.3, 31
# Largest roll speed of a forearm, and largest rotation speed of a hand at the wrist.
_ROLLS_RAD_S = 16.0
# Proportion of its length up to which a correction stretches an arm freely.
_FREE = 0.95
# Smaller corrections are dropped.
_GONE_M = 1e-5


@numba.njit(error_model="numpy")
def clear_distance(distance: float, soft: float) -> float:
    """Corrected distance from the skin: unchanged far off, never below 0, smooth between.

    With zero softness it is not smooth.
    """
    if soft <= 0.0:
        return max(distance, 0.0)
    gap = distance / soft
    if gap > 20.0:
        return distance
    return soft * math.log1p(math.exp(gap))


@numba.njit(error_model="numpy")
def going_to(push: Floats, wanted: Floats, dt: float, soon: Floats) -> None:
    """Predicted displacement of a wrist over `_SOON_S`; `push` holds its last target."""
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


@numba.njit(error_model="numpy")
def carry_correction(push: Floats, wrist: Floats, dt: float) -> bool:
    """Start with most of the previous frame's correction, in place; True if there is any.

    Deep in the body there are several directions out: a hand keeps the one that it had.
    """
    share = math.exp(-_FORGETS * dt)
    moves = False
    for k in range(3):
        needed = push[6 + k]
        if needed * needed > _GONE_M * _GONE_M:  # False for NaN
            moves = True
            wrist[k] += share * needed
    return moves


@numba.njit(error_model="numpy")
def hands_apart(
    hands: Floats, places: Floats, tips: Ints, parents: Ints, soon: Vector, grains: Floats
) -> Vector:
    """Displacement from the right hand to the left that separates them; 0 if they are apart.

    `hands` ``[2, points + 1, 3]`` are wrist, four knuckles, the ends of thumb and four fingers, and
    the middle of the palm; `places` those of all joints, `grains` buffer for the spheres of a hand:
    sixteen of the palm, then those of the fingers. `soon` is the predicted displacement of the left
    hand relative to the right one: they are kept apart then, too.
    """
    middle, far = hands.shape[1] - 1, 0.0
    for k in range(3):
        far += (hands[0, middle, k] - hands[1, middle, k]) ** 2
    nothing = (0.0, 0.0, 0.0)
    if far > _HANDS_M * _HANDS_M:
        return nothing
    for h in range(2):
        for k in range(3):
            for n in range(4):
                wrist, knuckle = hands[h, 0, k], hands[h, 1 + n, k]
                for part in range(4):
                    grains[h, 4 * n + part, k] = wrist + 0.25 * (part + 1) * (knuckle - wrist)
            for n in range(5):
                last = tips[h, 5 + n]
                grains[h, 16 + n, k] = places[parents[last], k]
                grains[h, 21 + n, k] = places[last, k]
                grains[h, 26 + n, k] = hands[h, 5 + n, k]
    most, out = 0.0, nothing
    for i in range(_GRAINS):
        for j in range(_GRAINS):
            reach = (PALM_M if i < 16 else FINGER_M) + (PALM_M if j < 16 else FINGER_M)
            for later in range(2):
                way = (
                    grains[0, i, 0] - grains[1, j, 0] + later * soon[0],
                    grains[0, i, 1] - grains[1, j, 1] + later * soon[1],
                    grains[0, i, 2] - grains[1, j, 2] + later * soon[2],
                )
                distance = math.sqrt(way[0] ** 2 + way[1] ** 2 + way[2] ** 2)
                lack = reach - _TOUCH_M - distance
                if lack > most and distance > 1e-6:
                    most = lack
                    far = lack / distance
                    out = (far * way[0], far * way[1], far * way[2])
    return out


@numba.njit(error_model="numpy")
def way_out(normal: Vector, lack: float, shown: float) -> Vector:
    """Displacement out of the body in the chest's axes, for a missing distance along its normal.

    To the front, or to the back if the hand was there: otherwise hands would alternate between two
    directions out.
    """
    front = 1.0 if shown > _BEHIND_M else -1.0
    way = unit((normal[0], normal[1], front * (max(front * normal[2], 0.0) + _FORWARD)))
    along = normal[0] * way[0] + normal[1] * way[1] + normal[2] * way[2]
    far = lack / max(along, 0.35)
    return (far * way[0], far * way[1], far * way[2])


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
def within_reach(wrist: Floats, reach: float) -> None:
    """Keep a wrist from straightening its arm fully, in place, smoothly."""
    far = math.sqrt(wrist[0] ** 2 + wrist[1] ** 2 + wrist[2] ** 2)
    free = _FREE * reach
    if far <= free:
        return
    room = 0.999 * reach - free
    share = (free + room * (1.0 - math.exp((free - far) / room))) / far
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
        return False
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


@compiled(
    f"void({reads('float64', 2)}, float64[:, :, ::1], {reads('float64', 2)}, {reads('int64', 1)}, "
    f"{reads('float64', 2)}, {reads('int64', 2)}, {reads('float64', 2)}, {reads('float64', 2)}, "
    f"{reads('int64', 2)}, {reads('float64', 3)}, {reads('int64', 1)}, {reads('float64', 2)}, "
    f"{reads('float64', 2)}, {reads('float64', 1)}, {reads('int64', 2)}, int64, float64, float64, "
    "float64, int64, float64, float64[:, :, ::1], float64[:, :, ::1], float64[:, :, ::1])"
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
    balls: Ints,
    ball_offsets: Floats,
    halves: Floats,
    radii: Floats,
    pieces: Ints,
    chest: int,
    skin: float,
    soft: float,
    slack: float,
    rounds: int,
    dt: float,
    pushes: Floats,
    local: Floats,
    world: Floats,
) -> None:
    """Move hands out of the body; see `assembly.assemble`.

    Rows are frames of characters, as many of each as there are rows for a correction. It follows
    the needed one (`follow`), so that a hand driven through the body emerges on the other side
    continuously. With `dt` 0 it is the needed one, and hands are not separated from each other.

    `tips` ``[2, points]`` are joints of each hand, the wrist first, then four knuckles, then finger
    ends, and `tip_offsets` the points in their frames.
    """
    joints, points = len(parents), tips.shape[1]
    rotations, places = np.zeros((1, joints, 4)), np.zeros((1, joints, 3))
    # The second half of the points is the predicted position of the hand.
    half = points + 1
    hands, grains = np.zeros((2, half, 3)), np.zeros((2, _GRAINS, 3))
    found = np.zeros((1, 2 * half, 3))
    away, part = np.zeros((1, 2 * half)), np.zeros((1, 2 * half), np.int64)
    normal = np.zeros((1, 2 * half, 3))
    frames = len(roots) // len(pushes)
    wanted, goal, soon = np.zeros((2, 3)), np.zeros(2), np.zeros((2, 3))
    for row in range(len(roots)):
        before = pushes[row // frames]
        for h in range(2):
            for k in range(3):
                wanted[h, k] = wrists[row, h, k]
            going_to(before[h], wanted[h], dt, soon[h])
            if dt > 0.0 and carry_correction(before[h], wrists[row, h], dt):
                move_arm(
                    local[row],
                    world[row],
                    arms,
                    lengths,
                    limits,
                    chest,
                    h,
                    wrists[row, h],
                    swivels[row, h],
                )
        turns = 0
        for _ in range(rounds):
            turns += 1
            for j in range(joints):
                p = parents[j]
                own = read(local[row], j)
                if p < 0:
                    write(rotations[0], j, own)
                    for k in range(3):
                        places[0, j, k] = roots[row, k]
                    continue
                above = read(rotations[0], p)
                write(rotations[0], j, product(above, own))
                way = rotate(above, (offsets[j, 0], offsets[j, 1], offsets[j, 2]))
                for k in range(3):
                    places[0, j, k] = places[0, p, k] + way[k]
            pushed = False
            for h in range(2):
                for n in range(points):
                    j = tips[h, n]
                    out = (tip_offsets[h, n, 0], tip_offsets[h, n, 1], tip_offsets[h, n, 2])
                    way = rotate(read(rotations[0], j), out)
                    for k in range(3):
                        hands[h, n, k] = places[0, j, k] + way[k]
                for k in range(3):
                    knuckles = hands[h, 1, k] + hands[h, 2, k] + hands[h, 3, k] + hands[h, 4, k]
                    hands[h, points, k] = 0.5 * (hands[h, 0, k] + 0.25 * knuckles)
            apart = (0.0, 0.0, 0.0)
            if dt > 0.0:
                way = rotate(
                    read(rotations[0], chest),
                    (soon[0, 0] - soon[1, 0], soon[0, 1] - soon[1, 1], soon[0, 2] - soon[1, 2]),
                )
                apart = hands_apart(hands, places[0], tips, parents, way, grains)
            touched = apart[0] != 0.0 or apart[1] != 0.0 or apart[2] != 0.0
            for h in range(2):
                for n in range(half):
                    for k in range(3):
                        found[0, n, k] = hands[h, n, k]
                way = rotate(read(rotations[0], chest), (soon[h, 0], soon[h, 1], soon[h, 2]))
                for n in range(half):
                    for k in range(3):
                        found[0, half + n, k] = found[0, n, k] + way[k]
                nearest(
                    balls,
                    ball_offsets,
                    halves,
                    radii,
                    pieces,
                    rotations,
                    places,
                    found,
                    skin + _FELT * soft,
                    away,
                    part,
                    normal,
                )
                deepest = 0
                for n in range(2 * half):
                    if away[0, n] < away[0, deepest]:
                        deepest = n
                if turns == 1:
                    goal[h] = skin + clear_distance(away[0, deepest] - skin, soft)
                lack = goal[h] - away[0, deepest]
                if lack <= slack and not touched:
                    continue
                pushed = True
                back = conjugate(read(rotations[0], chest))
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
                    way = way_out(out, lack, shown)
                    for k in range(3):
                        wrists[row, h, k] += way[k]
                move_arm(
                    local[row],
                    world[row],
                    arms,
                    lengths,
                    limits,
                    chest,
                    h,
                    wrists[row, h],
                    swivels[row, h],
                )
            if not pushed:
                break
        if dt == 0.0:
            continue
        for h in range(2):
            moves = False
            for k in range(3):
                moves = moves or before[h, k] != 0.0 or before[h, 3 + k] != 0.0
            if (turns > 1 or moves) and follow(before[h], wrists[row, h], wanted[h], dt):
                within_reach(wrists[row, h], lengths[h, 0] + lengths[h, 1])
                move_arm(
                    local[row],
                    world[row],
                    arms,
                    lengths,
                    limits,
                    chest,
                    h,
                    wrists[row, h],
                    swivels[row, h],
                )
            roll_on(before[h, 12:], local[row], world[row], arms[h], dt)
