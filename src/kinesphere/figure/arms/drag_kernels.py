"""Compiled drag of the wrists: a hand deviates against its acceleration across the forearm."""

from __future__ import annotations

import math

import numba

from kinesphere.figure.arms.elbow_kernels import clamp_local, read, write
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.compiled import compiled, reads
from kinesphere.maths.quaternion_kernels import Quaternion, Vector, conjugate, product, rotate

_F1, _F2, _F3 = (reads("float64", n) for n in (1, 2, 3))
# Settings: time constant of the velocity, radians per m/s2, largest angle.
_SMOOTH_S, _GAIN, _MOST = range(3)


@numba.njit(error_model="numpy")
def deviate(wrist: Vector, forearm: Quaternion, dt: float, s: Floats, state: Floats) -> float:
    """Deviation towards the thumb, radians, of a hand at a wrist in the chest frame."""
    if state[9] == 0.0:
        state[0], state[1], state[2] = wrist
        state[9] = 1.0
    part = 1.0 - math.exp(-dt / s[_SMOOTH_S])
    changes = (0.0, 0.0, 0.0)
    for k in range(3):
        speed = (wrist[k] - state[k]) / dt
        state[k] = wrist[k]
        state[3 + k] += part * (speed - state[3 + k])
        change = part * (state[3 + k] - state[6 + k])
        state[6 + k] += change
        changes = (changes[1], changes[2], change / dt)
    across = rotate(conjugate(forearm), changes)[2]
    return float(s[_MOST] * math.tanh(-s[_GAIN] * across / s[_MOST]))


@compiled(f"void({_F2}, {_F2}, f8, {_F1}, float64[::1], float64[::1])")
def drag_wrist(
    wrists: Floats, forearms: Floats, dt: float, settings: Floats, state: Floats, angles: Floats
) -> None:
    """Deviation ``[f]`` of a hand: ``wrists [f, 3]`` and ``forearms [f, 4]`` in the chest frame."""
    for f in range(len(wrists)):
        forearm = (forearms[f, 0], forearms[f, 1], forearms[f, 2], forearms[f, 3])
        at = (wrists[f, 0], wrists[f, 1], wrists[f, 2])
        angles[f] = deviate(at, forearm, dt, settings, state)


@compiled(
    f"void({_F3}, f8, {_F1}, i8, {reads('int64', 2)}, {_F2}, float64[:, :, ::1], "
    "float64[:, :, ::1], float64[:, :, ::1])"
)
def drag_hands(
    wrists: Floats,
    dt: float,
    settings: Floats,
    chest: int,
    arms: Ints,
    limits: Floats,
    states: Floats,
    local: Floats,
    world: Floats,
) -> None:
    """Hands of posed figures, in place.

    Parameters
    ----------
    wrists : ``[rows, 2, 3]`` from the shoulders in the chest's axes.
    arms, limits : joints of the arms, and joint limits as in `elbow_kernels`.
    states : ``[characters, 2, DRAG]`` of characters whose frames follow each other in the rows.
    local, world : ``[rows, joints, 4]`` rotations.
    """
    count = len(wrists) // len(states)
    for row in range(len(wrists)):
        back = conjugate(read(world[row], chest))
        for k in range(2):
            lower, hand = arms[k, 2], arms[k, 3]
            at = (wrists[row, k, 0], wrists[row, k, 1], wrists[row, k, 2])
            forearm = product(back, read(world[row], lower))
            half = -0.5 * deviate(at, forearm, dt, settings, states[row // count, k])
            # Towards the thumb is about -Y of the left hand, about +Y of the right one.
            half = half if k == 0 else -half
            turn = (math.cos(half), 0.0, math.sin(half), 0.0)
            own = clamp_local(product(turn, read(local[row], hand)), limits[hand])
            write(local[row], hand, own)
            write(world[row], hand, product(read(world[row], lower), own))
