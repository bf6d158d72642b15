"""Compiled decisions of a standing person: when the weight travels, and which foot moves."""

from __future__ import annotations

import math

from kinesphere.figure.random_kernels import HEEL, PIVOT, SHIFT, STEP, normal, uniform
from kinesphere.figure.standing.body_layout import (
    AT_DUE,
    AT_DUE_S,
    AT_GOAL,
    AT_MOVED_S,
    AT_S3,
    AT_SHIFTED_S,
    AT_SPEED,
    AT_TAU,
    AT_WANTED,
    CELL_S,
    FOOT_HEEL,
    FOOT_HEEL_GOAL,
    FOOT_HEEL_S,
    FOOT_STATE,
    K_DWELL_S,
    K_FREE_SHARE,
    K_HANDS_RATE,
    K_HEEL_RAD,
    K_HEEL_STAY_S,
    K_HIGHER_M,
    K_LEAST_DEV,
    K_SHIFT_S,
    K_SHIFT_SPREAD,
    K_SILENT_RATE,
    K_STEP_APART_S,
    K_TO_HAND,
    K_TO_OTHER,
    K_TURNED_RATE,
    K_USUAL_M_S,
    LEFT,
    OWN,
    PELVIS,
    RIGHT,
    SPEAKS,
    STANCE_HEELS_PER_MIN,
    STANCE_LEFT_OUT,
    STANCE_MIDDLE,
    STANCE_PIVOTS_PER_MIN,
    STANCE_RIGHT_OUT,
    STANCE_SHIFT_DEV,
    STANCE_SHIFTS_PER_MIN,
    STANCE_STEPS_PER_MIN,
)
from kinesphere.figure.standing.feet_kernels import adjust_foot, foot_at, is_moving, step_foot
from kinesphere.maths.arrays import Floats
from kinesphere.maths.compiled import compiled, reads

_F1, _F2, _F3, _F4 = (reads("float64", n) for n in (1, 2, 3, 4))
_I1, _ROW = reads("int64", 1), "f8[::1]"


@compiled(f"void({_ROW}, f8, f8, i8, {_F1})")
def shift_weight(m: Floats, time_s: float, goal: float, seed: int, k: Floats) -> None:
    """Let the weight travel to another share on the left foot."""
    m[AT_GOAL] = goal
    m[AT_SHIFTED_S] = time_s
    cell = int(round(time_s / CELL_S))
    m[AT_TAU] = k[K_SHIFT_S] * math.exp(k[K_SHIFT_SPREAD] * normal(seed, SHIFT, cell, 6))
    # The foot that takes the weight puts its heel down.
    taking = 0 if goal > 0.5 else 1
    m[taking * FOOT_STATE + FOOT_HEEL_GOAL] = 0.0


@compiled(f"f8({_F1}, {_F1}, i8, i8, {_F1}, {_F1})")
def next_share(m: Floats, target: Floats, seed: int, cell: int, k: Floats, stance: Floats) -> float:
    """Share to which a shift goes: mostly to the other foot, sometimes to the higher hand."""
    side = 1.0 if m[AT_GOAL] > 0.5 else -1.0
    if uniform(seed, SHIFT, cell, 1) < k[K_TO_OTHER]:
        side = -side
    higher = target[LEFT + 1] - target[RIGHT + 1]
    if abs(higher) > k[K_HIGHER_M] and uniform(seed, SHIFT, cell, 2) < k[K_TO_HAND]:
        side = 1.0 if higher > 0.0 else -1.0
    dev = k[K_LEAST_DEV] + (1.0 - k[K_LEAST_DEV]) * uniform(seed, SHIFT, cell, 3)
    return float(stance[STANCE_MIDDLE] + side * stance[STANCE_SHIFT_DEV] * dev)


@compiled(f"void({_ROW}, {_F1}, i8, f8, {_F1}, {_F1}, {_F1})")
def decide(
    m: Floats, target: Floats, seed: int, time_s: float, k: Floats, stance: Floats, legs: Floats
) -> None:
    """Decisions of one cell of time: shift the weight, move the free foot, lift its heel."""
    cell = int(round(time_s / CELL_S))
    if time_s >= m[AT_DUE_S]:
        shift_weight(m, time_s, m[AT_DUE], seed, k)
        m[AT_DUE_S] = math.inf
    rate = k[K_SILENT_RATE] + (1.0 - k[K_SILENT_RATE]) * target[SPEAKS]
    rate *= min(max(1.0 + k[K_HANDS_RATE] * (m[AT_SPEED] - k[K_USUAL_M_S]), 0.3), 2.5)
    per_min = rate * CELL_S / 60.0
    waits = time_s - m[AT_SHIFTED_S] > k[K_DWELL_S] and m[AT_DUE_S] == math.inf
    if (
        waits
        and uniform(seed, SHIFT, cell, 0) < stance[STANCE_SHIFTS_PER_MIN] * per_min * target[OWN]
    ):
        shift_weight(m, time_s, next_share(m, target, seed, cell, k, stance), seed, k)
    if is_moving(m, 0, time_s) or is_moving(m, 1, time_s) or m[AT_DUE_S] != math.inf:
        return
    free = 1 if m[AT_S3] > 0.5 else 0
    share = m[AT_S3] if free == 0 else 1.0 - m[AT_S3]
    coming = m[AT_WANTED] if free == 0 else 1.0 - m[AT_WANTED]
    if share > k[K_FREE_SHARE] or coming > k[K_FREE_SHARE]:
        return
    _, _, left = foot_at(m, 0, time_s)
    _, _, right = foot_at(m, 1, time_s)
    heading = 0.5 * (left + right - stance[STANCE_LEFT_OUT] + stance[STANCE_RIGHT_OUT])
    turned = target[PELVIS + 1] - heading
    if time_s - m[AT_MOVED_S] > k[K_STEP_APART_S]:
        more = 1.0 + k[K_TURNED_RATE] * abs(turned)
        if uniform(seed, STEP, cell, 0) < 2.0 * stance[STANCE_STEPS_PER_MIN] * per_min * more:
            step_foot(m, free, seed, time_s, heading + 0.7 * turned, k, stance, legs)
            return
        if uniform(seed, PIVOT, cell, 0) < 2.0 * stance[STANCE_PIVOTS_PER_MIN] * per_min * more:
            adjust_foot(m, free, seed, time_s, heading + 0.7 * turned, k, stance)
            return
    b = free * FOOT_STATE
    rises = m[b + FOOT_HEEL_GOAL] == 0.0 and m[b + FOOT_HEEL] < 0.02
    if rises and uniform(seed, HEEL, cell, 0) < 2.0 * stance[STANCE_HEELS_PER_MIN] * per_min:
        m[b + FOOT_HEEL_GOAL] = k[K_HEEL_RAD] * (0.4 + 1.2 * uniform(seed, HEEL, cell, 1))
        long_s = k[K_HEEL_STAY_S] * math.exp(0.7 * normal(seed, HEEL, cell, 2))
        m[b + FOOT_HEEL_S] = time_s + min(long_s, 4.0)
