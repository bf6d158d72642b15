"""Compiled steps of mass trackers, used live and offline.

Over a frame the set point moves linearly (offline also along a cubic) and the frame's acceleration
is constant, so the step is the exact solution. The reference implementation of the linear one is
`kinesphere.maths.springs.spring_step`.
"""

from __future__ import annotations

import math

import numpy as np

from kinesphere.maths.arrays import Floats
from kinesphere.maths.compiled import compiled, reads

Coefficients = tuple[float, float, float, float, float]

_ROWS, _CUBE = reads("float64", 2), reads("float64", 3)


@compiled("UniTuple(f8, 5)(f8, f8, f8, f8)")
def coefficients(rest_error: float, zeta: float, dt: float, gravity: float) -> Coefficients:
    """Transition of (deviation, its velocity) over `dt`, and the lag.

    Returns x from x, x from v, v from x, v from v, and the seconds 2 zeta/omega.
    """
    omega = math.sqrt(gravity / rest_error)
    rate = zeta * omega
    square = omega * omega * (zeta - 1.0) * (zeta + 1.0)
    if square > 0.0:
        # The slow real rate is omega^2/(rate + split), the fast one 2 split more: no cancellation.
        split = math.sqrt(square)
        slow = math.exp(-omega * omega / (rate + split) * dt)
        fade = -math.expm1(-2.0 * split * dt)
        cosine = slow * (1.0 - 0.5 * fade)
        sine = slow * fade / (2.0 * split)
    else:
        swing = math.sqrt(-square)
        turn = swing * dt
        fall = math.exp(-rate * dt)
        cosine = fall * math.cos(turn)
        sine = fall * (math.sin(turn) / swing if turn > 0.0 else dt)
    return (
        cosine + rate * sine,
        sine,
        -omega * omega * sine,
        cosine - rate * sine,
        2.0 * zeta / omega,
    )


@compiled("UniTuple(f8, 2)(f8, f8, f8, f8, f8, UniTuple(f8, 5), f8, b1)")
def advance(
    x: float,
    v: float,
    start: float,
    end: float,
    push: float,
    c: Coefficients,
    dt: float,
    feedforward: bool,
) -> tuple[float, float]:
    """One coordinate over one frame; `push` is the set point's displacement by a constant force."""
    slope = (end - start) / dt
    trail = -push if feedforward else c[4] * slope - push
    off = x - (start - trail)
    relative = v - slope
    return (off * c[0] + relative * c[1] + (end - trail), off * c[2] + relative * c[3] + slope)


@compiled("UniTuple(f8, 2)(f8, f8, f8, f8, f8, f8, f8, f8, UniTuple(f8, 5), f8)")
def advance_cubic(
    x: float,
    v: float,
    start: float,
    end: float,
    leaving: float,
    entering: float,
    push: float,
    soft: float,
    c: Coefficients,
    dt: float,
) -> tuple[float, float]:
    """One coordinate over one frame with a cubic set point of those end velocities.

    Subtracts the cubic that solves the equation; `soft` is 1/omega^2.
    """
    chord = (end - start) / dt
    c3 = (leaving + entering - 2.0 * chord) / (dt * dt)
    c2 = (3.0 * chord - 2.0 * leaving - entering) / dt - 3.0 * c[4] * c3
    c1 = leaving - 2.0 * c[4] * c2 - 6.0 * soft * c3
    c0 = start + push - c[4] * c1 - 2.0 * soft * c2
    off = x - c0
    relative = v - c1
    return (
        off * c[0] + relative * c[1] + (c0 + dt * (c1 + dt * (c2 + dt * c3))),
        off * c[2] + relative * c[3] + (c1 + dt * (2.0 * c2 + dt * 3.0 * c3)),
    )


@compiled(
    "void(f8[:, ::1], f8[:, ::1], f8[:, ::1], " + f"{_ROWS}, {reads('float64', 1)}, "
    f"{reads('float64', 1)}, {_ROWS}, f8, f8, b1)"
)
def step_in_place(
    position: Floats,
    velocity: Floats,
    target: Floats,
    new_target: Floats,
    rest_error: Floats,
    zeta: Floats,
    acceleration: Floats,
    dt: float,
    gravity: float,
    feedforward: bool,
) -> None:
    """Advance masses ``[n, 3]`` by one frame, in place: the live path.

    `position`, `velocity` and `target` are the state and are overwritten; `rest_error` and `zeta`
    are ``[n]``; `acceleration` is ``[n, 3]``, that of the frame times `inherit`, or ``[0, 3]`` for
    none. Nothing is checked. The numbers are those of
    `kinesphere.dynamics.tension.mass_tracker.step`.
    """
    for j in range(len(position)):
        c = coefficients(rest_error[j], zeta[j], dt, gravity)
        for k in range(3):
            push = 0.0
            if len(acceleration) > 0:
                push = -acceleration[j, k] * (rest_error[j] / gravity)
            position[j, k], velocity[j, k] = advance(
                position[j, k],
                velocity[j, k],
                target[j, k],
                new_target[j, k],
                push,
                c,
                dt,
                feedforward,
            )
            target[j, k] = new_target[j, k]


@compiled(
    f"void({_CUBE}, {_CUBE}, {_CUBE}, {_CUBE}, {_ROWS}, {_ROWS}, {_CUBE}, f8, f8, b1, "
    "f8[:, :, ::1], f8[:, :, ::1])"
)
def track_rows(
    starts: Floats,
    ends: Floats,
    leaving: Floats,
    entering: Floats,
    rest_error: Floats,
    zeta: Floats,
    acceleration: Floats,
    dt: float,
    gravity: float,
    feedforward: bool,
    position: Floats,
    velocity: Floats,
) -> None:
    """Whole clips of ``[frames, n, 3]``; row 0 of `position` and `velocity` is the start.

    Interval i leads from frame i to i + 1, with set points ``starts[i]`` to ``ends[i]`` and the
    parameters and acceleration of frame i + 1. `leaving` and `entering`, the set point's velocities
    per frame at an interval's ends, are empty for straight lines; so is `acceleration` for none.
    """
    frames, count = position.shape[0], position.shape[1]
    cubic, pushed = len(leaving) > 0, len(acceleration) > 0
    kept = np.empty((count, 5))
    for i in range(1, frames):
        for j in range(count):
            r, z = rest_error[i, j], zeta[i, j]
            if i == 1 or r != rest_error[i - 1, j] or z != zeta[i - 1, j]:
                new = coefficients(r, z, dt, gravity)
                for k in range(5):
                    kept[j, k] = new[k]
            c = (kept[j, 0], kept[j, 1], kept[j, 2], kept[j, 3], kept[j, 4])
            soft = r / gravity
            for k in range(3):
                push = 0.0
                if pushed:
                    push = -acceleration[i, j, k] * soft
                x, v = position[i - 1, j, k], velocity[i - 1, j, k]
                a, b = starts[i - 1, j, k], ends[i - 1, j, k]
                if cubic:
                    out, into = leaving[i - 1, j, k] / dt, entering[i - 1, j, k] / dt
                    x, v = advance_cubic(x, v, a, b, out, into, push, soft, c, dt)
                else:
                    x, v = advance(x, v, a, b, push, c, dt, feedforward)
                position[i, j, k], velocity[i, j, k] = x, v


@compiled(f"UniTuple(f8, 2)({_CUBE}, f8, i8, i8)")
def at_frame(values: Floats, at: float, j: int, k: int) -> tuple[float, float]:
    """Cubic (Catmull-Rom) value and slope at a fractional frame number in [0, last].

    The tangents at the ends are those of the parabola, as in `kinesphere.maths.splines`.
    """
    last = values.shape[0] - 1
    i = min(int(at), last - 1)
    r = at - i
    a, b = values[i, j, k], values[i + 1, j, k]
    chord = b - a
    before = after = chord
    if i > 0:
        before = a - values[i - 1, j, k]
    if i + 2 <= last:
        after = values[i + 2, j, k] - b
    if i == 0:
        before = 2.0 * chord - after
    if i + 2 > last:
        after = 2.0 * chord - before
    out, into = 0.5 * (before + chord), 0.5 * (chord + after)
    square, cube = 3.0 * chord - 2.0 * out - into, out + into - 2.0 * chord
    slope = out + r * (2.0 * square + r * 3.0 * cube)
    if r == 1.0:
        return b, slope
    return a + r * (out + r * (square + r * cube)), slope


@compiled(f"void({_CUBE}, {_ROWS}, f8[:, :, ::1], f8[:, :, ::1], f8[:, :, ::1], f8[:, :, ::1])")
def set_points(
    targets: Floats,
    lag_frames: Floats,
    starts: Floats,
    ends: Floats,
    leaving: Floats,
    entering: Floats,
) -> None:
    """Set points of every interval, read from the targets later by that interval's own lag.

    After the last target the set point rests.
    """
    frames, count = targets.shape[0], targets.shape[1]
    last = float(frames - 1)
    for i in range(1, frames):
        for j in range(count):
            lag = lag_frames[i, j]
            for k in range(3):
                a, out = targets[frames - 1, j, k], 0.0
                if i - 1 + lag < last:
                    a, out = at_frame(targets, i - 1 + lag, j, k)
                b, into = targets[frames - 1, j, k], 0.0
                if i + lag <= last:
                    b, into = at_frame(targets, i + lag, j, k)
                starts[i - 1, j, k], leaving[i - 1, j, k] = a, out
                ends[i - 1, j, k], entering[i - 1, j, k] = b, into
