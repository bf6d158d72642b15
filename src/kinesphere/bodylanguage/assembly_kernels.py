"""Compiled step from blended streams to a posed figure whose feet stand where they stood."""

from __future__ import annotations

import math

import numba
import numpy as np

from kinesphere.maths.arrays import Bools, Floats, Ints
from kinesphere.maths.compiled import compiled, reads
from kinesphere.maths.quaternion_kernels import (
    Quaternion,
    Vector,
    conjugate,
    from_rotvec,
    product,
    rotvec,
    turned,
)
from kinesphere.motion.arms_kernels import cross, from_columns, posed
from kinesphere.motion.body_volume_kernels import nearest
from kinesphere.motion.limits_kernels import clamped

# Metres by which an elbow seems to stick out in the direction of its hinge.
_HINGE_M = 0.04
_FORWARD = 0.5
_BEHIND_M = -0.05
_PUSHED_M = 0.005  # a push that small does not tell on which side the hand is
_NECK = 0.45  # share of the neck in a turn of the head


@numba.njit(error_model="numpy")
def unit(v: Vector) -> Vector:
    """Vector of length 1."""
    size = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    return (v[0] / size, v[1] / size, v[2] / size)


@numba.njit(error_model="numpy")
def bone_frame(along: Vector, left: Vector) -> Quaternion:
    """Frame of a bone that points along a direction, `left` being at right angles to it."""
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
def read(table: Floats, row: int) -> Quaternion:
    """Quaternion in a row of a table."""
    return (table[row, 0], table[row, 1], table[row, 2], table[row, 3])


@numba.njit(error_model="numpy")
def write(table: Floats, row: int, q: Quaternion) -> None:
    """Put a quaternion of unit length into a row of a table."""
    size = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    for k in range(4):
        table[row, k] = (q[0] / size, q[1] / size, q[2] / size, q[3] / size)[k]


@numba.njit(error_model="numpy")
def lowered(height: float, top: float, soft: float) -> float:
    """Smaller of two heights, without a kink."""
    gap = (height - top) / soft
    if gap < -20.0:
        return height
    if gap > 20.0:
        return top
    return height - soft * math.log1p(math.exp(gap))


@numba.njit(error_model="numpy")
def fitted(own: Quaternion, limit: Floats) -> Quaternion:
    """Local rotation within its joint's limit; columns 19 to 26 lead to the limit's T-pose."""
    before = (limit[19], limit[20], limit[21], limit[22])
    after = (limit[23], limit[24], limit[25], limit[26])
    kept = clamped(product(product(before, own), after), limit)
    return product(product(conjugate(before), kept), conjugate(after))


@numba.njit(error_model="numpy")
def arm_swivel(upper: Quaternion, to_elbow: Vector, wrist: Vector, side: float) -> float:
    """Swivel of an arm by where its elbow is, and by its own hinge where it is nearly straight.

    All in the chest's axes, from the shoulder joint; `upper` is the turn of the upper arm.
    """
    distance = math.sqrt(wrist[0] ** 2 + wrist[1] ** 2 + wrist[2] ** 2)
    way = (wrist[0] / distance, wrist[1] / distance, wrist[2] / distance)
    along = to_elbow[0] * way[0] + to_elbow[1] * way[1] + to_elbow[2] * way[2]
    hinge = cross(way, turned(upper, (0.0, -side, 0.0)))
    out = (
        to_elbow[0] - along * way[0] + _HINGE_M * hinge[0],
        to_elbow[1] - along * way[1] + _HINGE_M * hinge[1],
        to_elbow[2] - along * way[2] + _HINGE_M * hinge[2],
    )
    if way[2] < -1.0 + 1e-12:
        zero = (0.0, 1.0, 0.0)
    else:
        w, x, y = 1.0 + way[2], -way[1], way[0]
        size = math.sqrt(w * w + x * x + y * y)
        zero = turned((w / size, x / size, y / size, 0.0), (0.0, -1.0, 0.0))
    across = cross(way, zero)
    up = out[0] * zero[0] + out[1] * zero[1] + out[2] * zero[2]
    aside = out[0] * across[0] + out[1] * across[1] + out[2] * across[2]
    return side * math.atan2(aside, up)


@numba.njit(error_model="numpy")
def set_arm(
    local: Floats, world: Floats, joints: Ints, chest: Quaternion, wrist: Vector, swivel: float,
    hand: Quaternion, a: float, b: float, side: float, limits: Floats,
) -> None:  # fmt: skip
    """Put an arm, whose forearm takes the roll of the hand, with its hand as it points."""
    shoulder, upper, lower, end = joints[0], joints[1], joints[2], joints[3]
    first, second = posed(wrist, swivel, a, b, side)
    first, second = product(chest, first), product(chest, second)
    bent = product(conjugate(second), hand)
    half = math.sqrt(bent[0] ** 2 + bent[1] ** 2)
    if half > 1e-9:
        second = product(second, (bent[0] / half, bent[1] / half, 0.0, 0.0))
    own = fitted(product(conjugate(first), second), limits[lower])
    second = product(first, own)
    bent = fitted(product(conjugate(second), hand), limits[end])
    write(world, upper, first)
    write(world, lower, second)
    write(world, end, product(second, bent))
    write(local, upper, product(conjugate(read(world, shoulder)), first))
    write(local, lower, own)
    write(local, end, bent)


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
    shown: Floats, pelvis: Floats, amounts: Floats, idle: Floats, idle_hips: Floats,
    parents: Ints, offsets: Floats, home: Floats, stream_of: Ints, hand_of: Ints, present: Bools,
    trunk: Ints, limits: Floats, arms: Ints, arm_lengths: Floats,
    legs: Ints, leg_frames_at_rest: Floats, leg_lengths: Floats, ankles: Floats, root: Floats,
    local: Floats, roots: Floats, world: Floats, wrists: Floats, swivels: Floats,
) -> None:  # fmt: skip
    """Pose all characters; see `assembly.assemble`."""
    joints = len(parents)
    source = np.zeros((joints, 4))
    for c in range(len(shown)):
        amount = amounts[c]
        for j in range(joints):
            # What the streams want, in the world; what no stream moves is as at home.
            p, s = parents[j], stream_of[j]
            own = read(home, j)
            if s >= 0 and present[s]:
                own = read(shown[c], j)
                if hand_of[j] < 0 and p >= 0:
                    own = product(conjugate(read(source, p)), own)
            write(local[c], j, own)
            write(source, j, own if p < 0 else product(read(source, p), own))
        # Streams do not agree about hips, chest and head: what lies between shares the difference.
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
                own = product(read(home, j), from_rotvec(away, amount))
            life = (idle[c, j, 0], idle[c, j, 1], idle[c, j, 2])
            own = product(from_rotvec(life, 1.0), own)
            arm = j == arms[0, 2] or j == arms[0, 3] or j == arms[1, 2] or j == arms[1, 3]
            if limits[j, 17] < limits[j, 18] and not arm:
                own = fitted(own, limits[j])
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
            elbow = turned(first, (side * a, 0.0, 0.0))
            fore = turned(second, (side * b, 0.0, 0.0))
            wrist = (elbow[0] + fore[0], elbow[1] + fore[1], elbow[2] + fore[2])
            swivel = arm_swivel(first, elbow, wrist, side)
            swivels[c, k] = swivel
            wrists[c, k, 0], wrists[c, k, 1], wrists[c, k, 2] = wrist[0], wrist[1], wrist[2]
            set_arm(
                local[c], world[c], arms[k], chest, wrist, swivel, read(world[c], hand), a, b, side,
                limits,
            )  # fmt: skip
        # The hips, as high as both legs allow.
        hips = read(world[c], 0)
        share = amount if present[2] else 0.0
        x = root[0] + share * pelvis[c, 0] + idle_hips[c, 0]
        y = root[1] + share * pelvis[c, 1] + idle_hips[c, 1]
        z = root[2] + share * pelvis[c, 2] + idle_hips[c, 2]
        for k in range(2):
            thigh = legs[k, 0]
            joint = turned(hips, (offsets[thigh, 0], offsets[thigh, 1], offsets[thigh, 2]))
            reach = 0.9995 * (leg_lengths[k, 0] + leg_lengths[k, 1])
            dx, dz = x + joint[0] - ankles[k, 0], z + joint[2] - ankles[k, 2]
            room = max(reach * reach - dx * dx - dz * dz, 0.01)
            y = lowered(y, ankles[k, 1] + math.sqrt(room) - joint[1], 0.003)
        roots[c, 0], roots[c, 1], roots[c, 2] = x, y, z
        front = turned(hips, (0.0, 0.0, 1.0))
        for k in range(2):
            thigh, shin, foot = legs[k, 0], legs[k, 1], legs[k, 2]
            joint = turned(hips, (offsets[thigh, 0], offsets[thigh, 1], offsets[thigh, 2]))
            ahead = (0.5 * front[0] + 0.12 - 0.24 * k, 0.0, 0.5 * front[2] + 0.5)
            thigh_frame, shin_frame = leg_frames(
                (x + joint[0], y + joint[1], z + joint[2]),
                (ankles[k, 0], ankles[k, 1], ankles[k, 2]),
                ahead, leg_lengths[k, 0], leg_lengths[k, 1],
            )  # fmt: skip
            above = product(thigh_frame, conjugate(read(leg_frames_at_rest[k], 0)))
            below = product(shin_frame, conjugate(read(leg_frames_at_rest[k], 1)))
            write(world[c], thigh, above)
            write(world[c], shin, below)
            write(world[c], foot, read(home, foot))
            write(local[c], thigh, product(conjugate(hips), above))
            write(local[c], shin, product(conjugate(above), below))
            write(local[c], foot, product(conjugate(below), read(home, foot)))


@compiled(
    f"void({reads('float64', 3)}, {reads('float64', 2)}, {reads('int64', 2)}, "
    f"{reads('float64', 2)}, {reads('float64', 2)}, int64, float64[:, :, ::1], float64[:, :, ::1])"
)
def place_arms(
    wrists: Floats, swivels: Floats, arms: Ints, lengths: Floats, limits: Floats, chest: int,
    local: Floats, world: Floats,
) -> None:  # fmt: skip
    """Put the arms of all rows so that the wrists are elsewhere, the hands as they point."""
    for row in range(len(wrists)):
        for k in range(2):
            wrist = (wrists[row, k, 0], wrists[row, k, 1], wrists[row, k, 2])
            set_arm(
                local[row], world[row], arms[k], read(world[row], chest), wrist, swivels[row, k],
                read(world[row], arms[k, 3]), lengths[k, 0], lengths[k, 1], 1.0 - 2.0 * k, limits,
            )  # fmt: skip


@compiled(
    f"void({reads('float64', 2)}, float64[:, :, ::1], {reads('float64', 2)}, {reads('int64', 1)}, "
    f"{reads('float64', 2)}, {reads('int64', 2)}, {reads('float64', 2)}, {reads('float64', 2)}, "
    f"{reads('int64', 2)}, {reads('float64', 3)}, {reads('int64', 1)}, {reads('float64', 2)}, "
    f"{reads('float64', 2)}, {reads('float64', 1)}, {reads('int64', 2)}, int64, float64, float64, "
    "int64, float64, float64[:, :, ::1], float64[:, :, ::1], float64[:, :, ::1])"
)
def clear_hands(
    roots: Floats, wrists: Floats, swivels: Floats, parents: Ints, offsets: Floats, arms: Ints,
    lengths: Floats, limits: Floats, tips: Ints, tip_offsets: Floats,
    balls: Ints, ball_offsets: Floats, halves: Floats, radii: Floats, pieces: Ints,
    chest: int, skin: float, slack: float, rounds: int, most: float, pushes: Floats, local: Floats,
    world: Floats,
) -> None:  # fmt: skip
    """Push hands out of the body; see `assembly.assemble`.

    Rows are frames of characters, as many of each as there are rows for a push. A push changes by
    at most `most` from one frame to the next, so that a hand that is driven through the body comes
    out on the other side without a jump.

    `tips` ``[2, points]`` are joints of each hand, the wrist first, then four knuckles, then finger
    ends, and `tip_offsets` where the points are in their frames.
    """
    joints, points = len(parents), tips.shape[1]
    rotations, places = np.zeros((1, joints, 4)), np.zeros((1, joints, 3))
    found = np.zeros((1, points + 1, 3))
    away, part = np.zeros((1, points + 1)), np.zeros((1, points + 1), np.int64)
    normal = np.zeros((1, points + 1, 3))
    frames = len(roots) // len(pushes)
    wanted = np.zeros((2, 3))
    for row in range(len(roots)):
        before = pushes[row // frames]
        for h in range(2):
            for k in range(3):
                wanted[h, k] = wrists[row, h, k]
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
                way = turned(above, (offsets[j, 0], offsets[j, 1], offsets[j, 2]))
                for k in range(3):
                    places[0, j, k] = places[0, p, k] + way[k]
            pushed = False
            for h in range(2):
                for n in range(points):
                    j = tips[h, n]
                    out = (tip_offsets[h, n, 0], tip_offsets[h, n, 1], tip_offsets[h, n, 2])
                    way = turned(read(rotations[0], j), out)
                    for k in range(3):
                        found[0, n, k] = places[0, j, k] + way[k]
                for k in range(3):
                    knuckles = found[0, 1, k] + found[0, 2, k] + found[0, 3, k] + found[0, 4, k]
                    found[0, points, k] = 0.5 * (found[0, 0, k] + 0.25 * knuckles)
                nearest(
                    balls, ball_offsets, halves, radii, pieces, rotations, places, found, skin,
                    away, part, normal,
                )  # fmt: skip
                deepest = 0
                for n in range(points + 1):
                    if away[0, n] < away[0, deepest]:
                        deepest = n
                lack = skin - away[0, deepest]
                if lack <= slack:
                    continue
                pushed = True
                back = conjugate(read(rotations[0], chest))
                out = turned(
                    back,
                    (normal[0, deepest, 0], normal[0, deepest, 1], normal[0, deepest, 2]),
                )
                # Rather to the front, or to the back if the hand is there, and to the side that it
                # was pushed to before: else hands would go to and fro between two ways out.
                side = before[h, 2] if abs(before[h, 2]) > _PUSHED_M else wanted[h, 2] - _BEHIND_M
                front = 1.0 if side > 0.0 else -1.0
                way = unit((out[0], out[1], front * (max(front * out[2], 0.0) + _FORWARD)))
                along = out[0] * way[0] + out[1] * way[1] + out[2] * way[2]
                far = lack / max(along, 0.35)
                way = (far * way[0], far * way[1], far * way[2])
                for k in range(3):
                    wrists[row, h, k] += way[k]
                wrist = (wrists[row, h, 0], wrists[row, h, 1], wrists[row, h, 2])
                set_arm(
                    local[row], world[row], arms[h], read(world[row], chest), wrist,
                    swivels[row, h], read(world[row], arms[h, 3]), lengths[h, 0], lengths[h, 1],
                    1.0 - 2.0 * h, limits,
                )  # fmt: skip
            if not pushed:
                break
        for h in range(2):
            size, old = 0.0, 0.0
            for k in range(3):
                size += (wrists[row, h, k] - wanted[h, k] - before[h, k]) ** 2
                old += before[h, k] ** 2
            size = math.sqrt(size)
            # Nothing is known before the first frame: comparisons with NaN are false.
            if size > most or (turns == 1 and old > 0.0):
                share = min(1.0, most / size) if size > 0.0 else 1.0
                for k in range(3):
                    change = wrists[row, h, k] - wanted[h, k] - before[h, k]
                    wrists[row, h, k] = wanted[h, k] + before[h, k] + share * change
                set_arm(
                    local[row], world[row], arms[h], read(world[row], chest),
                    (wrists[row, h, 0], wrists[row, h, 1], wrists[row, h, 2]), swivels[row, h],
                    read(world[row], arms[h, 3]), lengths[h, 0], lengths[h, 1], 1.0 - 2.0 * h,
                    limits,
                )  # fmt: skip
            for k in range(3):
                before[h, k] = wrists[row, h, k] - wanted[h, k]
