"""Compiled loop of a standing body: weight, feet, pelvis and spine, frame by frame."""

from __future__ import annotations

import math

from kinesphere.figure.standing.body_layout import (
    AT_ACTIVE,
    AT_AHEAD,
    AT_APART,
    AT_CELL,
    AT_CLOCK,
    AT_DUE_S,
    AT_GOAL,
    AT_H1,
    AT_H2,
    AT_HANDS,
    AT_MOVED_S,
    AT_RISE,
    AT_S1,
    AT_S2,
    AT_S3,
    AT_SEEN,
    AT_SHIFTED_S,
    AT_SPEED,
    AT_TAU,
    AT_WANTED,
    CELL_S,
    COLLAR,
    FEET,
    FOOT,
    FOOT_A0,
    FOOT_A1,
    FOOT_AT_S,
    FOOT_LONG_S,
    FOOT_STATE,
    FOOT_X0,
    FOOT_X1,
    FOOT_Z0,
    FOOT_Z1,
    HEAD_YAW,
    HIPS,
    K_BREATH_HZ,
    K_BREATH_RAD,
    K_COLLAR_RAD,
    K_FEET_YAW,
    K_FORE_MOST_M,
    K_FORWARD_M,
    K_HANDS_S,
    K_HEAD_RAD,
    K_HEAD_S,
    K_HIPS_RISE,
    K_LEAST_KNEE_RAD,
    K_LEAST_SHARE,
    K_MOST_PACE,
    K_NARROW_M,
    K_PACE_S,
    K_PELVIS_PITCH_HANDS,
    K_PELVIS_YAW_HEAD,
    K_QUIET_PACE,
    K_REACH,
    K_REST_AHEAD_M,
    K_REST_HIGH_M,
    K_SHIFT_S,
    K_SILENT_FOLLOW,
    K_SILENT_LEVEL,
    K_SOFT_M,
    K_SPEED_S,
    K_SPINE_PITCH_HANDS,
    K_SPINE_PITCH_RISE,
    K_SPINE_ROLL_PER_M,
    K_SPINE_UPRIGHT,
    K_SPINE_WITH_PELVIS,
    K_SPINE_YAW_HANDS,
    K_SWAY_FORE_M,
    K_SWAY_SIDE_M,
    K_TWIST_RAD,
    K_USUAL_M_S,
    LEFT,
    LEG_BALL_Z,
    LEG_HIP_X,
    LEG_HIP_Y,
    LEG_HIP_Z,
    LEG_SHIN,
    LEG_THIGH,
    LISTENS,
    NOD_TURN,
    OFFSET,
    OWN,
    PELVIS,
    PELVIS_TURN,
    RIGHT,
    SOLE,
    SPEAKS,
    SPINE,
    SPINE_TURN,
    STANCE_BOB_M,
    STANCE_DRIFT,
    STANCE_FORE_M,
    STANCE_HIP_UP,
    STANCE_KNEE,
    STANCE_KNEE_WANDER,
    STANCE_LEFT_OUT,
    STANCE_MIDDLE,
    STANCE_PITCH,
    STANCE_RIGHT_OUT,
    STANCE_ROLL,
    STANCE_ROLL_PER_M,
    STANCE_SPINE_PITCH,
    STANCE_SPINE_ROLL,
    STANCE_SPINE_YAW,
    STANCE_YAW,
    STANCE_YAW_PER_M,
    TURN,
    WAVE_BOB,
    WAVE_DRIFT,
    WAVE_FORE,
    WAVE_HEAD_PITCH,
    WAVE_HEAD_ROLL,
    WAVE_KNEE,
    WAVE_PITCH,
    WAVE_ROLL,
    WAVE_SPINE_PITCH,
    WAVE_SPINE_ROLL,
    WAVE_SPINE_YAW,
    WAVE_SWAY_FORE,
    WAVE_SWAY_SIDE,
    WAVE_YAW,
    WITH_HEAD,
)
from kinesphere.figure.standing.feet_kernels import foot_at, home_of_foot, place_foot, spare_ankle
from kinesphere.figure.standing.wander_kernels import nod_and_tilt, wander_at
from kinesphere.figure.standing.weight_kernels import decide
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.compiled import compiled, reads
from kinesphere.maths.quaternion_kernels import from_rotvec, rotate

_F1, _F2, _F3, _F4 = (reads("float64", n) for n in (1, 2, 3, 4))
_SHORT_M2 = 0.04  # least squared height of a hip over its ankle
_I1, _ROW = reads("int64", 1), "f8[::1]"


@compiled(f"void({_ROW}, {_F1}, f8, {_F1})")
def watch_hands(m: Floats, target: Floats, dt: float, k: Floats) -> None:
    """Follow the hands: their speed, how far ahead and how high they are, with a delay."""
    speed = 0.0
    for h in range(2):
        far = 0.0
        for axis in range(3):
            far += (target[LEFT + 3 * h + axis] - m[AT_HANDS + 3 * h + axis]) ** 2
        speed = max(speed, math.sqrt(far) / dt)
    for axis in range(6):
        m[AT_HANDS + axis] = target[LEFT + axis]
    m[AT_SPEED] += (min(speed, 4.0) - m[AT_SPEED]) * (1.0 - math.exp(-dt / k[K_SPEED_S]))
    part = 1.0 - math.exp(-dt / k[K_HANDS_S])
    left, right = target[LEFT + 2], target[RIGHT + 2]
    m[AT_AHEAD] += part * (left + right - k[K_REST_AHEAD_M] - m[AT_AHEAD])
    m[AT_APART] += part * (left - right - m[AT_APART])
    high = target[LEFT + 1] + target[RIGHT + 1] - k[K_REST_HIGH_M]
    m[AT_RISE] += part * (high - m[AT_RISE])


@compiled(f"void({_ROW}, {_F1}, f8, {_F1}, {_F1}, {_F1})")
def first_state(
    m: Floats, target: Floats, time_s: float, k: Floats, stance: Floats, legs: Floats
) -> None:
    """A person who stands as usual, with hands and head as they are."""
    m[:] = 0.0
    for foot in range(2):
        b = foot * FOOT_STATE
        x, z, yaw = home_of_foot(stance, foot, legs)
        m[b + FOOT_X0], m[b + FOOT_Z0], m[b + FOOT_A0] = x, z, yaw
        m[b + FOOT_X1], m[b + FOOT_Z1], m[b + FOOT_A1] = x, z, yaw
        m[b + FOOT_AT_S], m[b + FOOT_LONG_S] = time_s - 10.0, 1.0
    m[AT_GOAL] = m[AT_WANTED] = m[AT_S1] = m[AT_S2] = m[AT_S3] = stance[STANCE_MIDDLE]
    m[AT_TAU], m[AT_SHIFTED_S], m[AT_MOVED_S] = k[K_SHIFT_S], time_s - 0.3, time_s
    m[AT_CELL], m[AT_DUE_S] = math.floor(time_s / CELL_S), math.inf
    m[AT_H1] = m[AT_H2] = target[HEAD_YAW]
    for axis in range(6):
        m[AT_HANDS + axis] = target[LEFT + axis]
    left, right = target[LEFT + 2], target[RIGHT + 2]
    m[AT_AHEAD], m[AT_APART] = left + right - k[K_REST_AHEAD_M], left - right
    m[AT_RISE] = target[LEFT + 1] + target[RIGHT + 1] - k[K_REST_HIGH_M]
    m[AT_SEEN] = 1.0


@compiled(f"f8({_F1}, f8, f8, {_F1}, {_F1})")
def hips_height(pose: Floats, knee: float, rise: float, k: Floats, legs: Floats) -> float:
    """Height of the hips at which no knee is straighter than wanted, smooth between the legs."""
    a, b = legs[LEG_THIGH], legs[LEG_SHIN]
    turn = (pose[PELVIS_TURN], pose[PELVIS_TURN + 1], pose[PELVIS_TURN + 2])
    pelvis = from_rotvec(turn, 1.0)
    bent = a * a + b * b + 2.0 * a * b * math.cos(knee)
    height, straight = math.inf, math.inf
    for foot in range(2):
        side = 1.0 - 2.0 * foot
        joint = (side * legs[LEG_HIP_X], legs[LEG_HIP_Y], legs[LEG_HIP_Z])
        x, y, z = rotate(pelvis, joint)
        at = FEET + FOOT * foot
        dx = pose[HIPS] + x - pose[at]
        dz = pose[HIPS + 2] + z - pose[at + 2]
        flat = dx * dx + dz * dz
        own = pose[at + 1] + math.sqrt(max(bent - flat, _SHORT_M2)) - y
        most = (k[K_REACH] * (a + b)) ** 2
        straight = min(straight, pose[at + 1] + math.sqrt(max(most - flat, _SHORT_M2)) - y)
        if foot == 0:
            height = own
        else:
            apart = abs(own - height) / k[K_SOFT_M]
            height = min(own, height) - k[K_SOFT_M] * math.log1p(math.exp(-apart))
    # Never above where a leg is straight, without a corner.
    over = (height + rise - straight) / k[K_SOFT_M]
    lower = max(over, 0.0) + math.log1p(math.exp(-abs(over)))
    return float(height + rise - k[K_SOFT_M] * lower)


@compiled(f"void({_ROW}, {_F1}, f8, {_F1})")
def follow_head(m: Floats, target: Floats, dt: float, k: Floats) -> None:
    """Let the lags of the head's yaw go on."""
    part = 1.0 - math.exp(-dt / k[K_HEAD_S])
    m[AT_H1] += part * (target[HEAD_YAW] - m[AT_H1])
    m[AT_H2] += part * (m[AT_H1] - m[AT_H2])


@compiled(f"void({_ROW}, f8, {_F1})")
def run_clock(m: Floats, dt: float, k: Floats) -> None:
    """Advance the clock of the body's own motion: slow while the hands are quiet."""
    active = min(m[AT_SPEED] / k[K_USUAL_M_S], k[K_MOST_PACE])
    m[AT_ACTIVE] += (active - m[AT_ACTIVE]) * (1.0 - math.exp(-dt / k[K_PACE_S]))
    m[AT_CLOCK] += dt * (k[K_QUIET_PACE] + (1.0 - k[K_QUIET_PACE]) * m[AT_ACTIVE])


@compiled(f"f8({_ROW}, {_F1}, f8, f8, f8, {_F1}, {_F1}, {_F2})")
def carry_weight(
    m: Floats,
    target: Floats,
    gap: float,
    level: float,
    dt: float,
    k: Floats,
    stance: Floats,
    waves: Floats,
) -> float:
    """Share of the weight on the left foot: the engine's shifts, or what another source asks."""
    own = target[OWN]
    goal = 0.5 + own * (m[AT_GOAL] - 0.5) + target[OFFSET] / max(gap, k[K_NARROW_M])
    goal = min(max(goal, k[K_LEAST_SHARE]), 1.0 - k[K_LEAST_SHARE])
    m[AT_WANTED] = goal
    # What another source asks for is smooth already.
    part = 1.0 - own * math.exp(-dt / m[AT_TAU])
    m[AT_S1] += part * (goal - m[AT_S1])
    m[AT_S2] += part * (m[AT_S1] - m[AT_S2])
    m[AT_S3] += part * (m[AT_S2] - m[AT_S3])
    drift = stance[STANCE_DRIFT] * level * wander_at(waves, m[AT_CLOCK])
    return float(min(max(m[AT_S3] + drift, k[K_LEAST_SHARE]), 1.0 - k[K_LEAST_SHARE]))


@compiled(f"f8({_ROW}, {_F1}, f8, f8, f8, {_F1}, {_F1}, {_F3}, {_ROW})")
def turn_pelvis(
    m: Floats,
    target: Floats,
    side: float,
    heading: float,
    level: float,
    k: Floats,
    stance: Floats,
    waves: Floats,
    pose: Floats,
) -> float:
    """Rotation vector of the pelvis; returns how far chest and pelvis follow the head."""
    clock = m[AT_CLOCK]
    # The chest follows the head where it turns farther than the chest was asked to.
    asked = target[PELVIS + 1] + target[SPINE + 1]
    follows = m[AT_H2] - min(max(m[AT_H2], min(asked, 0.0)), max(asked, 0.0))
    quiet = k[K_SILENT_FOLLOW]
    follows *= target[WITH_HEAD] * (quiet + (1.0 - quiet) * target[SPEAKS])
    yaw = stance[STANCE_YAW] * level * wander_at(waves[WAVE_YAW], clock)
    yaw += stance[STANCE_YAW_PER_M] * side + k[K_PELVIS_YAW_HEAD] * follows
    # Feet that have turned with the body carry a part of its turn.
    yaw += k[K_FEET_YAW] * heading
    yaw += target[PELVIS + 1] * (1.0 - k[K_FEET_YAW] * min(2.0 * abs(heading), 1.0))
    # Hips do not turn farther on planted feet.
    yaw = heading + k[K_TWIST_RAD] * math.tanh((yaw - heading) / k[K_TWIST_RAD])
    pitch = stance[STANCE_PITCH] * level * wander_at(waves[WAVE_PITCH], clock)
    pitch += k[K_PELVIS_PITCH_HANDS] * m[AT_AHEAD]
    roll = stance[STANCE_ROLL] * level * wander_at(waves[WAVE_ROLL], clock)
    roll += stance[STANCE_ROLL_PER_M] * side - stance[STANCE_HIP_UP]
    pose[PELVIS_TURN] = pitch + target[PELVIS]
    pose[PELVIS_TURN + 1] = yaw
    pose[PELVIS_TURN + 2] = target[PELVIS + 2] - roll
    return float(follows)


@compiled(f"void({_ROW}, {_F1}, f8, f8, f8, f8, {_F1}, {_F1}, {_F3}, {_ROW})")
def turn_spine(
    m: Floats,
    target: Floats,
    side: float,
    follows: float,
    level: float,
    full: float,
    k: Floats,
    stance: Floats,
    waves: Floats,
    pose: Floats,
) -> None:
    """Rotation vector of the spine on the pelvis; `full` is the breath."""
    clock = m[AT_CLOCK]
    yaw = stance[STANCE_SPINE_YAW] * level * wander_at(waves[WAVE_SPINE_YAW], clock)
    yaw += k[K_SPINE_YAW_HANDS] * m[AT_APART] + k[K_SPINE_WITH_PELVIS] * pose[PELVIS_TURN + 1]
    yaw += (1.0 - k[K_PELVIS_YAW_HEAD] * (1.0 + k[K_SPINE_WITH_PELVIS])) * follows
    pitch = stance[STANCE_SPINE_PITCH] * level * wander_at(waves[WAVE_SPINE_PITCH], clock)
    pitch += k[K_SPINE_PITCH_HANDS] * m[AT_AHEAD] + k[K_SPINE_PITCH_RISE] * m[AT_RISE]
    pitch -= k[K_SPINE_UPRIGHT] * (pose[PELVIS_TURN] - target[PELVIS])
    roll = stance[STANCE_SPINE_ROLL] * level * wander_at(waves[WAVE_SPINE_ROLL], clock)
    # The chest leans over the standing leg.
    roll += k[K_SPINE_ROLL_PER_M] * side + stance[STANCE_HIP_UP]
    pose[SPINE_TURN] = pitch - k[K_BREATH_RAD] * full + target[SPINE]
    pose[SPINE_TURN + 1] = yaw + target[SPINE + 1]
    pose[SPINE_TURN + 2] = target[SPINE + 2] - roll


@compiled(f"void({_F1}, i8, f8, {_F1}, {_F3}, {_ROW})")
def nod_head(
    target: Floats, seed: int, time_s: float, k: Floats, waves: Floats, pose: Floats
) -> None:
    """Nods and tilts of a listener's head."""
    pose[NOD_TURN] = pose[NOD_TURN + 1] = 0.0
    if target[LISTENS] <= 0.0:
        return
    down, tilt = nod_and_tilt(seed, time_s, k)
    down += k[K_HEAD_RAD] * wander_at(waves[WAVE_HEAD_PITCH], time_s)
    tilt += k[K_HEAD_RAD] * wander_at(waves[WAVE_HEAD_ROLL], time_s)
    pose[NOD_TURN] = target[LISTENS] * down
    pose[NOD_TURN + 1] = target[LISTENS] * tilt


@compiled(f"void({_ROW}, {_F1}, i8, f8, f8, {_F1}, {_F1}, {_F1}, {_F3}, {_F1}, {_ROW})")
def pose_body(
    m: Floats,
    target: Floats,
    seed: int,
    time_s: float,
    dt: float,
    k: Floats,
    stance: Floats,
    legs: Floats,
    waves: Floats,
    breath: Floats,
    pose: Floats,
) -> None:
    """One frame of one character."""
    if m[AT_SEEN] == 0.0:
        first_state(m, target, time_s, k, stance, legs)
    watch_hands(m, target, dt, k)
    while m[AT_CELL] * CELL_S + CELL_S <= time_s + 1e-9:
        m[AT_CELL] += 1.0
        decide(m, target, seed, m[AT_CELL] * CELL_S, k, stance, legs)
    run_clock(m, dt, k)
    level = k[K_SILENT_LEVEL] + (1.0 - k[K_SILENT_LEVEL]) * target[SPEAKS]
    for foot in range(2):
        place_foot(m, foot, time_s, dt, k, legs, pose)
    lx, lz, left_yaw = foot_at(m, 0, time_s)
    rx, rz, right_yaw = foot_at(m, 1, time_s)
    sole = SOLE * legs[LEG_BALL_Z]
    lx, lz = lx + sole * math.sin(left_yaw), lz + sole * math.cos(left_yaw)
    rx, rz = rx + sole * math.sin(right_yaw), rz + sole * math.cos(right_yaw)
    gap = math.hypot(lx - rx, lz - rz)
    heading = 0.5 * (left_yaw + right_yaw - stance[STANCE_LEFT_OUT] + stance[STANCE_RIGHT_OUT])
    share = carry_weight(m, target, gap, level, dt, k, stance, waves[WAVE_DRIFT])
    fore = stance[STANCE_FORE_M] * level * wander_at(waves[WAVE_FORE], m[AT_CLOCK])
    fore = min(max(fore + target[OFFSET + 2], -k[K_FORE_MOST_M]), k[K_FORE_MOST_M])
    fore += k[K_FORWARD_M]
    fore += k[K_SWAY_FORE_M] * wander_at(waves[WAVE_SWAY_FORE], time_s)
    share += k[K_SWAY_SIDE_M] * wander_at(waves[WAVE_SWAY_SIDE], time_s) / max(gap, k[K_NARROW_M])
    pose[HIPS] = rx + share * (lx - rx) + fore * math.sin(heading)
    pose[HIPS + 2] = rz + share * (lz - rz) + fore * math.cos(heading)
    side = (share - 0.5) * gap
    follow_head(m, target, dt, k)
    follows = turn_pelvis(m, target, side, heading, level, k, stance, waves, pose)
    rate = TURN * k[K_BREATH_HZ] * breath[0] * time_s
    full = math.sin(rate + breath[1] + 0.4 * math.sin(0.23 * rate + breath[2]))
    turn_spine(m, target, side, follows, level, full, k, stance, waves, pose)
    pose[COLLAR] = k[K_COLLAR_RAD] * full
    nod_head(target, seed, time_s, k, waves, pose)
    knee = stance[STANCE_KNEE_WANDER] * level * wander_at(waves[WAVE_KNEE], m[AT_CLOCK])
    knee = max(stance[STANCE_KNEE] + knee, k[K_LEAST_KNEE_RAD])
    rise = stance[STANCE_BOB_M] * level * wander_at(waves[WAVE_BOB], m[AT_CLOCK])
    rise += k[K_HIPS_RISE] * m[AT_RISE] + min(target[OFFSET + 1], 0.0)
    pose[HIPS + 1] = hips_height(pose, knee, rise, k, legs)
    for foot in range(2):
        spare_ankle(foot, k, legs, pose)


@compiled(
    f"void({_F1}, f8, {_F3}, {_I1}, {_F2}, {_F1}, {_F1}, {_F4}, {_F2}, f8[:, ::1], f8[:, :, ::1])"
)
def move_bodies(
    times_s: Floats,
    dt: float,
    targets: Floats,
    seeds: Ints,
    stances: Floats,
    settings: Floats,
    legs: Floats,
    waves: Floats,
    breath: Floats,
    memory: Floats,
    poses: Floats,
) -> None:
    """Bodies of characters: ``poses [characters, frames, POSE]`` of ``targets [..., TARGETS]``.

    ``memory [characters, MEMORY]`` is updated; zeros before the first frame.
    """
    for c in range(len(seeds)):
        for f in range(len(times_s)):
            pose_body(
                memory[c],
                targets[c, f],
                seeds[c],
                times_s[f],
                dt,
                settings,
                stances[c],
                legs,
                waves[c],
                breath[c],
                poses[c, f],
            )
