"""Compiled limit on the acceleration of arm paths from frame to frame."""

from __future__ import annotations

import math

import numba
import numpy as np

from kinesphere.figure.arms.elbow_kernels import limit_arm, move_arm, read, set_arm
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.compiled import compiled, reads
from kinesphere.maths.quaternion_kernels import conjugate, product

# Largest acceleration of a wrist or elbow of a person; also the rate at which an offset decays.
_JOLT_M_S2 = 90.0
_FADES = 14.0
# Largest swivel speed of elbows in recordings, where they stick out far enough to be visible.
_SWIVELS_RAD_S, _SEEN_M = 4.8, 0.02
# Smaller offsets are dropped.
_GONE_M = 1e-5


@compiled(
    f"void(float64[:, :, ::1], float64[:, ::1], {reads('int64', 2)}, "
    f"{reads('float64', 2)}, {reads('float64', 2)}, int64, float64[:, :, ::1], float64[:, :, ::1])"
)
def place_arms(
    wrists: Floats,
    swivels: Floats,
    arms: Ints,
    lengths: Floats,
    limits: Floats,
    chest: int,
    local: Floats,
    world: Floats,
) -> None:
    """Pose the arms of all rows for new wrist positions; hands keep their orientation.

    Wrists and swivels that no upper arm can reach are overwritten with the nearest reachable ones.
    """
    for row in range(len(wrists)):
        middle = read(world[row], chest)
        for k in range(2):
            side, a, b = 1.0 - 2.0 * k, lengths[k, 0], lengths[k, 1]
            collar = product(conjugate(middle), read(world[row], arms[k, 0]))
            wrist = (wrists[row, k, 0], wrists[row, k, 1], wrists[row, k, 2])
            wrist, swivel = limit_arm(
                wrist, swivels[row, k], collar, a, b, side, limits[arms[k, 1]]
            )
            wrists[row, k, 0], wrists[row, k, 1], wrists[row, k, 2] = wrist[0], wrist[1], wrist[2]
            swivels[row, k] = swivel
            set_arm(
                local[row],
                world[row],
                arms[k],
                middle,
                wrist,
                swivel,
                read(world[row], arms[k, 3]),
                a,
                b,
                side,
                limits,
            )


@numba.njit(error_model="numpy")
def steady(state: Floats, there: Floats, dt: float, hardest: float, fades: float) -> bool:
    """Continue a path without an acceleration spike; overwrites both, True if anything changed.

    Where the path accelerates more than `hardest`, it is left, and the offset from it then decays.
    `state` holds position, velocity, offset and its velocity ``[4, n]``; NaN for what is not
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
            # The path's own velocity is unknown at a discontinuity: the offset takes all of ours.
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
    wrists: Floats,
    swivels: Floats,
    states: Floats,
    dt: float,
    arms: Ints,
    lengths: Floats,
    limits: Floats,
    chest: int,
    local: Floats,
    world: Floats,
) -> None:
    """Keep arm paths continuous; see `assembly.assemble`.

    Rows are frames of characters, as many of each as there are rows of `states`
    ``[characters, 2, 4, 4]``: of each arm the wrist's three coordinates and the swivel.
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
            move_arm(
                local[row], world[row], arms, lengths, limits, chest, h, wrists[row, h], swivel[0]
            )
