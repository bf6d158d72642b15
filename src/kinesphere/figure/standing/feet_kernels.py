"""Compiled feet: planted, stepping, turned in place, with lifted heels (x left, z ahead)."""

from __future__ import annotations

import math

from kinesphere.figure.random_kernels import PIVOT, STEP, normal, uniform
from kinesphere.figure.standing.body_layout import (
    AT_DUE,
    AT_DUE_S,
    AT_MOVED_S,
    CELL_S,
    FEET,
    FOOT,
    FOOT_A0,
    FOOT_A1,
    FOOT_AT_S,
    FOOT_HEEL,
    FOOT_HEEL_GOAL,
    FOOT_HEEL_LAG,
    FOOT_HEEL_S,
    FOOT_HEEL_UP,
    FOOT_LIFT,
    FOOT_LONG_S,
    FOOT_STATE,
    FOOT_X0,
    FOOT_X1,
    FOOT_Z0,
    FOOT_Z1,
    HIPS,
    K_ANKLE_EASE_RAD,
    K_ANKLE_RAD,
    K_FOLLOW_S,
    K_HEEL_MOST_RAD,
    K_HEEL_S,
    K_NARROW_M,
    K_PIVOT_M,
    K_PIVOT_RAD,
    K_PIVOT_S,
    K_STAGGER_M,
    K_STEP_HEEL_RAD,
    K_STEP_LIFT_M,
    K_STEP_LIFT_PER_M,
    K_STEP_S,
    K_STEP_S_PER_M,
    K_WIDE_M,
    LEG_ANKLE_Y,
    LEG_ANKLE_Z,
    LEG_BALL_Y,
    LEG_BALL_Z,
    LEG_HIP_X,
    LEG_HIP_Y,
    LEG_HIP_Z,
    LEG_SHIN,
    LEG_THIGH,
    LIFTED,
    PELVIS_TURN,
    STANCE_LEFT_OUT,
    STANCE_RIGHT_OUT,
    STANCE_SHIFT_DEV,
    STANCE_STAGGER_M,
    STANCE_STEP_M,
    STANCE_WIDTH_M,
)
from kinesphere.maths.arrays import Floats
from kinesphere.maths.compiled import compiled, reads
from kinesphere.maths.curve_kernels import ease
from kinesphere.maths.quaternion_kernels import from_rotvec, rotate

_F1, _F2, _F3, _F4 = (reads("float64", n) for n in (1, 2, 3, 4))
_I1, _ROW = reads("int64", 1), "f8[::1]"


@compiled(f"UniTuple(f8, 3)({_F1}, i8, f8)")
def foot_at(m: Floats, foot: int, time_s: float) -> tuple[float, float, float]:
    """Ankle's ground position (x, z) and yaw of a foot, planted or on its way."""
    b = foot * FOOT_STATE
    # It is lifted before it moves, and put down after that.
    r = (time_s - m[b + FOOT_AT_S]) / m[b + FOOT_LONG_S]
    r = ease((r - LIFTED) / (1.0 - 2.0 * LIFTED))
    return (
        m[b + FOOT_X0] + r * (m[b + FOOT_X1] - m[b + FOOT_X0]),
        m[b + FOOT_Z0] + r * (m[b + FOOT_Z1] - m[b + FOOT_Z0]),
        m[b + FOOT_A0] + r * (m[b + FOOT_A1] - m[b + FOOT_A0]),
    )


@compiled(f"b1({_F1}, i8, f8)")
def is_moving(m: Floats, foot: int, time_s: float) -> bool:
    """Whether a foot is on its way."""
    b = foot * FOOT_STATE
    return bool(time_s < m[b + FOOT_AT_S] + m[b + FOOT_LONG_S])


@compiled(f"UniTuple(f8, 3)({_F1}, i8, {_F1})")
def home_of_foot(stance: Floats, foot: int, legs: Floats) -> tuple[float, float, float]:
    """Position (x, z) of the ankle and yaw of a foot where a person usually stands."""
    side = 1.0 - 2.0 * foot
    out = stance[STANCE_LEFT_OUT] if foot == 0 else -stance[STANCE_RIGHT_OUT]
    ahead = legs[LEG_ANKLE_Z] + side * 0.5 * stance[STANCE_STAGGER_M]
    return side * 0.5 * stance[STANCE_WIDTH_M], ahead, out


@compiled(f"void({_ROW}, i8, f8, f8, f8, f8, f8, f8, f8)")
def move_foot(
    m: Floats,
    foot: int,
    time_s: float,
    x: float,
    z: float,
    yaw: float,
    long_s: float,
    lift: float,
    heel: float,
) -> None:
    """Start a foot's way from where it is."""
    b = foot * FOOT_STATE
    m[b + FOOT_X0], m[b + FOOT_Z0], m[b + FOOT_A0] = m[b + FOOT_X1], m[b + FOOT_Z1], m[b + FOOT_A1]
    m[b + FOOT_X1], m[b + FOOT_Z1], m[b + FOOT_A1] = x, z, yaw
    m[b + FOOT_AT_S], m[b + FOOT_LONG_S] = time_s, long_s
    m[b + FOOT_LIFT], m[b + FOOT_HEEL_UP] = lift, heel
    m[b + FOOT_HEEL_GOAL] = 0.0
    m[AT_MOVED_S] = time_s + long_s


@compiled(f"void({_ROW}, i8, i8, f8, f8, {_F1}, {_F1}, {_F1})")
def step_foot(
    m: Floats,
    foot: int,
    seed: int,
    time_s: float,
    heading: float,
    k: Floats,
    stance: Floats,
    legs: Floats,
) -> None:
    """Place the free foot anew near its home, and let the weight follow onto it."""
    cell = int(round(time_s / CELL_S))
    x, z, yaw = home_of_foot(stance, foot, legs)
    side = 1.0 - 2.0 * foot
    # Feet turn with a body that has turned: about the middle between them.
    c, s = math.cos(heading), math.sin(heading)
    x, z = c * x + s * z, c * z - s * x
    x += stance[STANCE_STEP_M] * min(max(normal(seed, STEP, cell, 2), -2.0), 2.0)
    z += 1.2 * stance[STANCE_STEP_M] * min(max(normal(seed, STEP, cell, 4), -2.0), 2.0)
    yaw += heading + 0.1 * normal(seed, STEP, cell, 6)
    other_x, other_z, _ = foot_at(m, 1 - foot, time_s)
    apart = side * (x - other_x)
    x = other_x + side * min(max(apart, k[K_NARROW_M]), k[K_WIDE_M])
    z = other_z + min(max(z - other_z, -k[K_STAGGER_M]), k[K_STAGGER_M])
    b = foot * FOOT_STATE
    far = math.hypot(x - m[b + FOOT_X1], z - m[b + FOOT_Z1])
    long_s = k[K_STEP_S] + k[K_STEP_S_PER_M] * far
    lift = k[K_STEP_LIFT_M] + k[K_STEP_LIFT_PER_M] * far
    heel = k[K_STEP_HEEL_RAD] * min(1.0, 0.45 + 3.0 * far)
    move_foot(m, foot, time_s, x, z, yaw, long_s, lift, heel)
    dev = stance[STANCE_SHIFT_DEV] * (0.5 + 0.5 * uniform(seed, STEP, cell, 8))
    m[AT_DUE_S], m[AT_DUE] = time_s + k[K_FOLLOW_S], 0.5 + side * dev


@compiled(f"void({_ROW}, i8, i8, f8, f8, {_F1}, {_F1})")
def adjust_foot(
    m: Floats, foot: int, seed: int, time_s: float, heading: float, k: Floats, stance: Floats
) -> None:
    """Turn the free foot in place, a little, towards its usual direction or beyond."""
    cell = int(round(time_s / CELL_S))
    b = foot * FOOT_STATE
    out = stance[STANCE_LEFT_OUT] if foot == 0 else -stance[STANCE_RIGHT_OUT]
    back = heading + out - m[b + FOOT_A1]
    turn = 0.8 * back + k[K_PIVOT_RAD] * (2.0 * uniform(seed, PIVOT, cell, 1) - 1.0)
    x = m[b + FOOT_X1] + k[K_PIVOT_M] * normal(seed, PIVOT, cell, 2)
    z = m[b + FOOT_Z1] + k[K_PIVOT_M] * normal(seed, PIVOT, cell, 4)
    other_x, _, _ = foot_at(m, 1 - foot, time_s)
    side = 1.0 - 2.0 * foot
    x = other_x + side * min(max(side * (x - other_x), k[K_NARROW_M]), k[K_WIDE_M])
    move_foot(m, foot, time_s, x, z, m[b + FOOT_A1] + turn, k[K_PIVOT_S], k[K_STEP_LIFT_M], 0.15)


@compiled(f"void(i8, f8, {_F1}, {_ROW})")
def lift_heel(foot: int, more: float, legs: Floats, pose: Floats) -> None:
    """Rotate a foot about its ball, heel up, by an angle more than it is."""
    at = FEET + FOOT * foot
    y, z = legs[LEG_BALL_Y], legs[LEG_BALL_Z]
    before, after = pose[at + 4], pose[at + 4] + more
    up = y * (math.cos(before) - math.cos(after)) + z * (math.sin(after) - math.sin(before))
    back = z * (math.cos(before) - math.cos(after)) - y * (math.sin(after) - math.sin(before))
    pose[at] += back * math.sin(pose[at + 3])
    pose[at + 1] += up
    pose[at + 2] += back * math.cos(pose[at + 3])
    pose[at + 4] = pose[at + 5] = after


@compiled(f"void({_ROW}, i8, f8, f8, {_F1}, {_F1}, {_ROW})")
def place_foot(
    m: Floats, foot: int, time_s: float, dt: float, k: Floats, legs: Floats, pose: Floats
) -> None:
    """Ankle, yaw and heel of a foot; a lifted heel rotates about the ball of the foot."""
    b = foot * FOOT_STATE
    if time_s > m[b + FOOT_HEEL_S]:
        m[b + FOOT_HEEL_GOAL] = 0.0
    part = 1.0 - math.exp(-dt / k[K_HEEL_S])
    m[b + FOOT_HEEL_LAG] += part * (m[b + FOOT_HEEL_GOAL] - m[b + FOOT_HEEL_LAG])
    m[b + FOOT_HEEL] += part * (m[b + FOOT_HEEL_LAG] - m[b + FOOT_HEEL])
    x, z, yaw = foot_at(m, foot, time_s)
    r = min(max((time_s - m[b + FOOT_AT_S]) / m[b + FOOT_LONG_S], 0.0), 1.0)
    bump = 16.0 * r * r * (1.0 - r) * (1.0 - r)
    early = 6.75 * r * (1.0 - r) * (1.0 - r) if r < 1.0 else 0.0
    early *= early
    heel = m[b + FOOT_HEEL] + m[b + FOOT_HEEL_UP] * early * ease(4.0 * r)
    heel = k[K_HEEL_MOST_RAD] * math.tanh(heel / k[K_HEEL_MOST_RAD])
    at = FEET + FOOT * foot
    pose[at], pose[at + 2], pose[at + 3] = x, z, yaw
    pose[at + 1] = legs[LEG_ANKLE_Y] + m[b + FOOT_LIFT] * bump
    pose[at + 4] = pose[at + 5] = 0.0
    lift_heel(foot, heel, legs, pose)


@compiled(f"void(i8, {_F1}, {_F1}, {_ROW})")
def spare_ankle(foot: int, k: Floats, legs: Floats, pose: Floats) -> None:
    """Lift the heel of a leg that bends farther than its ankle can, under hips that are placed."""
    at = FEET + FOOT * foot
    turn = (pose[PELVIS_TURN], pose[PELVIS_TURN + 1], pose[PELVIS_TURN + 2])
    joint = ((1.0 - 2.0 * foot) * legs[LEG_HIP_X], legs[LEG_HIP_Y], legs[LEG_HIP_Z])
    jx, jy, jz = rotate(from_rotvec(turn, 1.0), joint)
    x, y = pose[HIPS] + jx - pose[at], pose[HIPS + 1] + jy - pose[at + 1]
    z = pose[HIPS + 2] + jz - pose[at + 2]
    ahead = x * math.sin(pose[at + 3]) + z * math.cos(pose[at + 3])
    a, b = legs[LEG_THIGH], legs[LEG_SHIN]
    far = min(math.sqrt(x * x + y * y + z * z), a + b)
    cosine = min((b * b + far * far - a * a) / (2.0 * b * far), 1.0)
    bent = math.acos(cosine) + math.atan2(ahead, y) - pose[at + 4]
    over = (bent - k[K_ANKLE_RAD]) / k[K_ANKLE_EASE_RAD]
    more = k[K_ANKLE_EASE_RAD] * (max(over, 0.0) + math.log1p(math.exp(-abs(over))))
    lift_heel(foot, more, legs, pose)
