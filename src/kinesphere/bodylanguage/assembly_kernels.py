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
_BENT = -0.8572  # cosine between the bones of an arm that is bent as far as it goes, 149 degrees
# Cosines between them, from which on an arm is straight, and up to which its roll is doubtful.
_STRAIGHT, _ROLLED = 0.6, 0.2
# A turn past its limit comes back up to the first of these, less and less up to the second.
_FAR_RAD, _TOO_FAR_RAD = 0.7, 1.4
_FORWARD = 0.5
_BEHIND_M = -0.05
_PUSHED_M = 0.005  # a push that small does not tell on which side the hand is
_FELT = 6.0  # times the softness: nothing is felt farther off
_SOON_S = 0.06  # a hand is pushed for where it will be then, too
# What a push follows by: stiffness (rad/s), the fastest slide that it goes along with, the hardest
# pull of it, and what is not worth keeping.
_CATCHES_UP = 50.0
_SLIDES_M_S = 2.5
_HARDEST_M_S2 = 70.0
_GONE_M = 1e-5
# No wrist or elbow of a person is pulled harder; a path that is left is met again at this rate.
_JOLT_M_S2 = 90.0
_FADES = 14.0
# Elbows swivel no faster than people's, where they stick out far enough to be seen.
_SWIVELS_RAD_S, _SEEN_M = 4.8, 0.02
# Share of its length up to which an arm is stretched freely by a push.
_FREE = 0.95
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
def farther(away: Vector, amount: float) -> float:
    """Share of a turn from home to show; half a turn is no farther, or it would flip there."""
    if amount <= 1.0:
        return amount
    part = (away[0] * away[0] + away[1] * away[1] + away[2] * away[2]) / (math.pi * math.pi)
    return 1.0 + (amount - 1.0) * (1.0 - part)


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
def unstretched(upper: Quaternion, fore: Vector, b: float, side: float) -> Vector:
    """Forearm of length `b` that does not bend back past a straight arm.

    The two bones are blended one by one, and a fast one swings on. How the upper arm is rolled is
    only known well enough to tell where the arm is nearly straight.
    """
    own = turned(conjugate(upper), fore)
    along, aside, ahead = side * own[0] / b, own[1] / b, own[2] / b
    nearly = min(max((along - _ROLLED) / (_STRAIGHT - _ROLLED), 0.0), 1.0)
    if ahead >= 0.0 or nearly == 0.0:
        return fore
    ahead *= 1.0 - nearly * nearly * (3.0 - 2.0 * nearly)
    along = math.sqrt(max(1.0 - aside * aside - ahead * ahead, 0.0))
    return turned(upper, (side * b * along, b * aside, b * ahead))


@numba.njit(error_model="numpy")
def bendable(upper: Vector, fore: Vector, a: float, b: float) -> Vector:
    """Forearm of length `b` beside an upper arm of length `a`, no more bent than an elbow can."""
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
def held_arm(
    wrist: Vector, swivel: float, shoulder: Quaternion, a: float, b: float, side: float,
    limit: Floats,
) -> tuple[Vector, float]:  # fmt: skip
    """Wrist and swivel of an arm whose upper arm is turned no farther than it can be.

    The elbow stays as bent as it is. What is far past the limit is left, for the nearest way back
    flips there. `shoulder` is the turn of the collar bone, all in the chest's axes.
    """
    first, second = posed(wrist, swivel, a, b, side)
    own = product(conjugate(shoulder), first)
    back = rotvec(product(conjugate(own), fitted(own, limit)))
    size = math.sqrt(back[0] * back[0] + back[1] * back[1] + back[2] * back[2])
    if size < 1e-9 or size >= _TOO_FAR_RAD:
        return wrist, swivel
    far = max(size - _FAR_RAD, 0.0) / (_TOO_FAR_RAD - _FAR_RAD)
    turn = product(own, from_rotvec(back, 1.0 - far * far * (3.0 - 2.0 * far)))
    turn = product(shoulder, turn)
    second = product(turn, product(conjugate(first), second))
    elbow = turned(turn, (side * a, 0.0, 0.0))
    fore = turned(second, (side * b, 0.0, 0.0))
    wrist = (elbow[0] + fore[0], elbow[1] + fore[1], elbow[2] + fore[2])
    return wrist, arm_swivel(turn, elbow, wrist, side)


@numba.njit(error_model="numpy")
def set_arm(
    local: Floats, world: Floats, joints: Ints, chest: Quaternion, wrist: Vector, swivel: float,
    hand: Quaternion, a: float, b: float, side: float, limits: Floats,
) -> None:  # fmt: skip
    """Put an arm, whose forearm takes the roll of the hand, with its hand as it points.

    A wrist nearer to the shoulder than an elbow can bend is put as near as it can.
    """
    shoulder, upper, lower, end = joints[0], joints[1], joints[2], joints[3]
    reach = math.sqrt(wrist[0] ** 2 + wrist[1] ** 2 + wrist[2] ** 2)
    least = math.sqrt(a * a + b * b + 2.0 * a * b * _BENT)
    if 1e-9 < reach < least:
        more = least / reach
        wrist = (more * wrist[0], more * wrist[1], more * wrist[2])
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
                own = product(read(home, j), from_rotvec(away, farther(away, amount)))
            life = (idle[c, j, 0], idle[c, j, 1], idle[c, j, 2])
            own = product(from_rotvec(life, 1.0), own)
            arm = j == arms[0, 2] or j == arms[0, 3] or j == arms[1, 2] or j == arms[1, 3]
            arm = arm or j == arms[0, 1] or j == arms[1, 1]
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
            fore = unstretched(first, turned(second, (side * b, 0.0, 0.0)), b, side)
            fore = bendable(elbow, fore, a, b)
            wrist = (elbow[0] + fore[0], elbow[1] + fore[1], elbow[2] + fore[2])
            swivel = arm_swivel(first, elbow, wrist, side)
            collar = product(back, read(world[c], arms[k, 0]))
            wrist, swivel = held_arm(wrist, swivel, collar, a, b, side, limits[upper])
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
    f"void(float64[:, :, ::1], float64[:, ::1], {reads('int64', 2)}, "
    f"{reads('float64', 2)}, {reads('float64', 2)}, int64, float64[:, :, ::1], float64[:, :, ::1])"
)
def place_arms(
    wrists: Floats, swivels: Floats, arms: Ints, lengths: Floats, limits: Floats, chest: int,
    local: Floats, world: Floats,
) -> None:  # fmt: skip
    """Put the arms of all rows so that the wrists are elsewhere, the hands as they point.

    Wrists and swivels that no upper arm can turn to are overwritten with the nearest that it can.
    """
    for row in range(len(wrists)):
        middle = read(world[row], chest)
        for k in range(2):
            side, a, b = 1.0 - 2.0 * k, lengths[k, 0], lengths[k, 1]
            collar = product(conjugate(middle), read(world[row], arms[k, 0]))
            wrist = (wrists[row, k, 0], wrists[row, k, 1], wrists[row, k, 2])
            wrist, swivel = held_arm(wrist, swivels[row, k], collar, a, b, side, limits[arms[k, 1]])
            wrists[row, k, 0], wrists[row, k, 1], wrists[row, k, 2] = wrist[0], wrist[1], wrist[2]
            swivels[row, k] = swivel
            set_arm(
                local[row], world[row], arms[k], middle, wrist, swivel,
                read(world[row], arms[k, 3]), a, b, side, limits,
            )  # fmt: skip


@numba.njit(error_model="numpy")
def steady(state: Floats, there: Floats, dt: float, hardest: float, fades: float) -> bool:
    """Let a path go on without a jolt; overwrites both, True if that took anything.

    Where the path would be pulled harder than `hardest` it is left, and what it is off by then
    fades. `state` holds place, velocity, offset and its velocity ``[4, n]``; NaN for what is not
    known yet.
    """
    n = len(there)
    decay = math.exp(-fades * dt)
    size, off = 0.0, 0.0
    known = not math.isnan(state[1, 0])
    for k in range(n):
        c = state[3, k] + fades * state[2, k]
        state[2, k], state[3, k] = (
            (state[2, k] + c * dt) * decay,
            (state[3, k] - fades * c * dt) * decay,
        )
        size += ((there[k] + state[2, k] - state[0, k]) / dt - state[1, k]) ** 2
        off += state[2, k] ** 2
    size, off = math.sqrt(size), math.sqrt(off)
    if not known or (size <= hardest * dt and off < _GONE_M):
        for k in range(n):
            state[1, k] = (there[k] - state[0, k]) / dt
            state[0, k] = there[k]
            state[2, k] = state[3, k] = 0.0
        return False
    share = min(1.0, hardest * dt / size) if size > 0.0 else 1.0
    for k in range(n):
        change = (there[k] + state[2, k] - state[0, k]) / dt - state[1, k]
        pace = state[1, k] + share * change
        place = state[0, k] + pace * dt
        if share < 1.0:
            # The path's own velocity is not known where it jumps: the offset takes all of ours.
            state[2, k] = place - there[k]
            state[3, k] = share * state[3, k]
        state[0, k], state[1, k] = place, pace
        there[k] = place
    return True


@numba.njit(error_model="numpy")
def elbow_radius(wrist: Floats, a: float, b: float) -> float:
    """Radius of the circle on which the elbow can be, at least a millimetre."""
    d = math.sqrt(wrist[0] ** 2 + wrist[1] ** 2 + wrist[2] ** 2)
    d = min(max(d, abs(a - b) + 1e-6), a + b)
    cosine = (a * a + d * d - b * b) / (2.0 * a * d)
    return max(a * math.sqrt(max(1.0 - cosine * cosine, 0.0)), 0.001)


@compiled(
    "void(float64[:, :, ::1], float64[:, ::1], float64[:, :, :, ::1], float64, "
    f"{reads('int64', 2)}, {reads('float64', 2)}, {reads('float64', 2)}, int64, "
    "float64[:, :, ::1], float64[:, :, ::1])"
)
def steady_arms(
    wrists: Floats, swivels: Floats, states: Floats, dt: float, arms: Ints, lengths: Floats,
    limits: Floats, chest: int, local: Floats, world: Floats,
) -> None:  # fmt: skip
    """Keep arms from jumping; see `assembly.assemble`.

    Rows are frames of characters, as many of each as there are rows of `states`
    ``[characters, 2, 4, 4]``: of each arm the wrist's three numbers, and the swivel.
    """
    frames = len(wrists) // len(states)
    swivel = np.zeros(1)
    for row in range(len(wrists)):
        for h in range(2):
            state = states[row // frames, h]
            place, turn = state[:, :3], state[:, 3:]
            swivel[0] = swivels[row, h]
            if not math.isnan(turn[0, 0]):
                away = swivel[0] - turn[0, 0]
                swivel[0] -= 2.0 * math.pi * math.floor(away / (2.0 * math.pi) + 0.5)
            moved = steady(place, wrists[row, h], dt, _JOLT_M_S2, _FADES)
            radius = elbow_radius(wrists[row, h], lengths[h, 0], lengths[h, 1])
            if radius > _SEEN_M and not math.isnan(turn[0, 0]):
                far = _SWIVELS_RAD_S * dt
                swivel[0] = min(max(swivel[0], turn[0, 0] - far), turn[0, 0] + far)
            moved = steady(turn, swivel, dt, _JOLT_M_S2 / radius, _FADES) or moved
            if not moved and swivel[0] == swivels[row, h]:
                continue
            swivels[row, h] = swivel[0]
            set_arm(
                local[row], world[row], arms[h], read(world[row], chest),
                (wrists[row, h, 0], wrists[row, h, 1], wrists[row, h, 2]), swivel[0],
                read(world[row], arms[h, 3]), lengths[h, 0], lengths[h, 1], 1.0 - 2.0 * h, limits,
            )  # fmt: skip


@numba.njit(error_model="numpy")
def kept_off(distance: float, soft: float) -> float:
    """Distance from the skin that a hand gets: its own far off, never below 0, without a kink.

    With no softness there is one.
    """
    if soft <= 0.0:
        return max(distance, 0.0)
    gap = distance / soft
    if gap > 20.0:
        return distance
    return soft * math.log1p(math.exp(gap))


@numba.njit(error_model="numpy")
def going_to(push: Floats, wanted: Floats, dt: float, soon: Floats) -> None:
    """Way that a wrist will go in a moment, as it goes; `push` remembers where it was wanted."""
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
def within_reach(wrist: Floats, reach: float) -> None:
    """Keep a wrist from stretching its arm quite straight, in place, without a kink."""
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
    """Let what a wrist is pushed by follow what it needs; overwrites both, True if the wrist moved.

    A critically damped spring goes along with what is needed, and so does not lag behind a hand
    that slides over the body; what jumps, it catches up with. `push` holds push, velocity, what was
    needed in the frame before, and where the wrist was wanted; NaN if there was none.
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
    roots: Floats, wrists: Floats, swivels: Floats, parents: Ints, offsets: Floats, arms: Ints,
    lengths: Floats, limits: Floats, tips: Ints, tip_offsets: Floats,
    balls: Ints, ball_offsets: Floats, halves: Floats, radii: Floats, pieces: Ints,
    chest: int, skin: float, soft: float, slack: float, rounds: int, dt: float, pushes: Floats,
    local: Floats, world: Floats,
) -> None:  # fmt: skip
    """Push hands out of the body; see `assembly.assemble`.

    Rows are frames of characters, as many of each as there are rows for a push. What is pushed
    follows what is needed (`follow`), so that a hand that is driven through the body comes out on
    the other side without a jump; with `dt` 0 it is what is needed.

    `tips` ``[2, points]`` are joints of each hand, the wrist first, then four knuckles, then finger
    ends, and `tip_offsets` where the points are in their frames.
    """
    joints, points = len(parents), tips.shape[1]
    rotations, places = np.zeros((1, joints, 4)), np.zeros((1, joints, 3))
    # The second half of the points is where the hand will be in a moment.
    half = points + 1
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
                way = turned(read(rotations[0], chest), (soon[h, 0], soon[h, 1], soon[h, 2]))
                for n in range(half):
                    for k in range(3):
                        found[0, half + n, k] = found[0, n, k] + way[k]
                nearest(
                    balls, ball_offsets, halves, radii, pieces, rotations, places, found,
                    skin + _FELT * soft, away, part, normal,
                )  # fmt: skip
                deepest = 0
                for n in range(2 * half):
                    if away[0, n] < away[0, deepest]:
                        deepest = n
                if turns == 1:
                    goal[h] = skin + kept_off(away[0, deepest] - skin, soft)
                lack = goal[h] - away[0, deepest]
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
            moves = False
            for k in range(3):
                moves = moves or before[h, k] != 0.0 or before[h, 3 + k] != 0.0
            if dt == 0.0 or not (turns > 1 or moves):
                continue
            if not follow(before[h], wrists[row, h], wanted[h], dt):
                continue
            within_reach(wrists[row, h], lengths[h, 0] + lengths[h, 1])
            set_arm(
                local[row], world[row], arms[h], read(world[row], chest),
                (wrists[row, h, 0], wrists[row, h, 1], wrists[row, h, 2]), swivels[row, h],
                read(world[row], arms[h, 3]), lengths[h, 0], lengths[h, 1], 1.0 - 2.0 * h,
                limits,
            )  # fmt: skip
