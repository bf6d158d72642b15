"""Compiled search for the angles of an arm; see `animation.arms.poses.arm_pose`.

Unknowns are the change of the swivel, roll, flexion and deviation of a left arm, each within
bounds. The objective is a sum of squares, minimised with the Levenberg-Marquardt method from a few
starts, while the wrist follows the hand so that the palm keeps its position.
"""

from __future__ import annotations

import math

import numba
import numpy as np

from kinesphere.maths.arrays import Bools, Floats
from kinesphere.maths.compiled import compiled, reads
from kinesphere.maths.quaternion_kernels import Quaternion, Vector, rotate
from kinesphere.motion.body.arms_kernels import cross, limb_rotations

_ROUNDS = 40
_FOLLOW = 20
_SMALL = 1e-4
# Weights of the objective: deviation beyond the tolerance, for the direction with priority and for
# the other; deviation of both; discomfort; the wrist's ellipse; the swivel.
_WINS, _LOSES = 10.0, 3.0
_OFF_WINS, _OFF_LOSES = 0.5, 0.35
_DISCOMFORT = 0.35
_PAST_WRIST = 20.0
_SWIVEL = 1.0
_MOST_FRACTION = 1.03
_ROWS = 13


@numba.njit(error_model="numpy")
def _forearm(wrist: Vector, shoulder: Vector, swivel: float, a: float, b: float) -> Quaternion:
    away = (wrist[0] - shoulder[0], wrist[1] - shoulder[1], wrist[2] - shoulder[2])
    return limb_rotations(away, swivel, a, b, 1.0)[1]


@numba.njit(error_model="numpy")
def _roll(c: float, s: float, v: Vector) -> Vector:
    return (v[0], v[1] * c - v[2] * s, v[1] * s + v[2] * c)


@numba.njit(error_model="numpy")
def _fingers(x: Floats) -> Vector:
    """Direction of the fingers within the unrolled forearm."""
    cf, sf = math.cos(x[2]), math.sin(x[2])
    cd, sd = math.cos(x[3]), math.sin(x[3])
    return _roll(math.cos(x[1]), math.sin(x[1]), (cf * cd, -sf, cf * sd))


@numba.njit(error_model="numpy")
def _wrist_for(
    palm: Vector, shoulder: Vector, forearm: Quaternion, x: Floats, measures: Floats
) -> Vector:
    """Wrist that brings the palm to its goal, as near as the arm reaches."""
    along = rotate(forearm, _fingers(x))
    size = measures[2]
    away = (
        palm[0] - size * along[0] - shoulder[0],
        palm[1] - size * along[1] - shoulder[1],
        palm[2] - size * along[2] - shoulder[2],
    )
    far = max(math.sqrt(away[0] ** 2 + away[1] ** 2 + away[2] ** 2), 1e-9)
    scale = min(max(far, measures[3]), measures[4]) / far
    return (
        shoulder[0] + scale * away[0],
        shoulder[1] + scale * away[1],
        shoulder[2] + scale * away[2],
    )


@numba.njit(error_model="numpy")
def _wrist_fraction(x: Floats, limits: Floats) -> float:
    """How far a wrist is bent; 1 on the ellipse of its limits."""
    inside = 0.0
    for k in range(1, 3):
        end = -limits[2 + k, 0] if x[1 + k] < 0.0 else limits[2 + k, 1]
        inside += (x[1 + k] / end) ** 2
    return math.sqrt(inside)


@numba.njit(error_model="numpy")
def _residuals(
    x: Floats,
    forearm: Quaternion,
    goals: Floats,
    fingers_win: bool,
    limits: Floats,
    tolerance: float,
    slopes: bool,
    value: Floats,
    slope: Floats,
) -> float:
    """Fill the residuals and their derivatives by the three angles; return the sum of squares.

    `goals` are the directions of fingers and palm; `limits` ``[5, 2]`` those of roll, flexion and
    deviation, and the half-axes of the wrist's ellipse.
    """
    back = (forearm[0], -forearm[1], -forearm[2], -forearm[3])
    cr, sr = math.cos(x[1]), math.sin(x[1])
    cf, sf = math.cos(x[2]), math.sin(x[2])
    cd, sd = math.cos(x[3]), math.sin(x[3])
    axes = ((1.0, 0.0, 0.0), _roll(cr, sr, (sd, 0.0, -cd)), _roll(cr, sr, (0.0, -1.0, 0.0)))
    hand = (_roll(cr, sr, (cf * cd, -sf, cf * sd)), _roll(cr, sr, (-sf * cd, -cf, -sf * sd)))
    if slopes:
        slope[:] = 0.0
    for i in range(2):
        wins = fingers_win if i == 0 else not fingers_win
        past = _WINS if wins else _LOSES
        off = _OFF_WINS if wins else _OFF_LOSES
        has = hand[i]
        to = rotate(back, (goals[i, 0], goals[i, 1], goals[i, 2]))
        cosine = min(max(has[0] * to[0] + has[1] * to[1] + has[2] * to[2], -1.0), 1.0)
        error = math.acos(cosine)
        value[i] = past * max(error - tolerance, 0.0)
        for c in range(3):
            value[2 + 3 * i + c] = off * (has[c] - to[c])
        if slopes:
            sine = math.sqrt(max((1.0 - cosine) * (1.0 + cosine), 1e-4))
            over = past / sine if error > tolerance else 0.0
            for k in range(3):
                moved = cross(axes[k], has)
                for c in range(3):
                    slope[2 + 3 * i + c, 1 + k] = off * moved[c]
                slope[i, 1 + k] = -over * (moved[0] * to[0] + moved[1] * to[1] + moved[2] * to[2])
    for k in range(3):
        # Small in the middle of a range, large at its ends.
        end = -limits[k, 0] if x[1 + k] < 0.0 else limits[k, 1]
        share = x[1 + k] / end
        value[8 + k] = _DISCOMFORT * (0.3 + 0.7 * abs(share)) * share
        if slopes:
            slope[8 + k, 1 + k] = _DISCOMFORT * (0.3 + 1.4 * abs(share)) / end
    fraction = _wrist_fraction(x, limits)
    value[11] = _PAST_WRIST * max(fraction - 1.0, 0.0)
    value[12] = _SWIVEL * x[0]
    if slopes:
        if fraction > 1.0:
            for k in range(1, 3):
                end = -limits[2 + k, 0] if x[1 + k] < 0.0 else limits[2 + k, 1]
                slope[11, 1 + k] = _PAST_WRIST * x[1 + k] / (end * end * fraction)
        slope[12, 0] = _SWIVEL
    total = 0.0
    for i in range(_ROWS):
        total += value[i] * value[i]
    return total


@numba.njit(error_model="numpy")
def _solve(matrix: Floats, right: Floats) -> None:
    """Solve a small symmetric positive definite system; the result replaces `right`."""
    n = len(right)
    for i in range(n):
        for j in range(i + 1):
            s = matrix[i, j]
            for k in range(j):
                s -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = math.sqrt(max(s, 1e-18)) if i == j else s / matrix[j, j]
    for i in range(n):
        for k in range(i):
            right[i] -= matrix[i, k] * right[k]
        right[i] /= matrix[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            right[i] -= matrix[k, i] * right[k]
        right[i] /= matrix[i, i]


@compiled(
    f"void({reads('float64', 2)}, {reads('float64', 2)}, {reads('float64', 3)}, "
    f"{reads('boolean', 1)}, {reads('float64', 1)}, float64, {reads('float64', 2)}, "
    f"{reads('float64', 2)}, {reads('float64', 1)}, float64, "
    "float64[:, ::1], float64[::1], float64[:, ::1])"
)
def solve_arms(
    palms: Floats,
    shoulders: Floats,
    goals: Floats,
    fingers_win: Bools,
    swivels: Floats,
    room: float,
    starts: Floats,
    limits: Floats,
    measures: Floats,
    tolerance: float,
    out_wrists: Floats,
    out_swivels: Floats,
    out_angles: Floats,
) -> None:
    """Fill the best poses of left arms.

    Parameters
    ----------
    palms, shoulders : ``[n, 3]``.
    goals : ``[n, 2, 3]`` directions of fingers and palm.
    fingers_win, swivels : ``[n]``; `room` is how far a swivel may change.
    starts : ``[k, 3]`` angles to start from.
    limits : see `_residuals`.
    measures : upper arm, forearm, wrist to palm, least and most distance of wrist from shoulder.
    """
    a, b = measures[0], measures[1]
    value, other = np.empty(_ROWS), np.empty(_ROWS)
    slope, unused = np.empty((_ROWS, 4)), np.empty((_ROWS, 4))
    matrix, step = np.empty((4, 4)), np.empty(4)
    x, tried = np.empty(4), np.empty(4)
    low, high = np.empty(4), np.empty(4)
    low[0], high[0] = -room, room
    low[1:], high[1:] = limits[:3, 0], limits[:3, 1]
    for n in range(len(palms)):
        palm = (palms[n, 0], palms[n, 1], palms[n, 2])
        shoulder = (shoulders[n, 0], shoulders[n, 1], shoulders[n, 2])
        wins = fingers_win[n]
        best = np.inf
        for start in range(len(starts) * (3 if room > 0.0 else 1)):
            # The given swivel first, then the farthest to either side.
            x[0] = (0.0, room, -room)[start // len(starts)]
            x[1:] = starts[start % len(starts)]
            along = (goals[n, 0, 0], goals[n, 0, 1], goals[n, 0, 2])
            wrist = (
                palm[0] - measures[2] * along[0],
                palm[1] - measures[2] * along[1],
                palm[2] - measures[2] * along[2],
            )
            forearm = _forearm(wrist, shoulder, swivels[n], a, b)
            wrist = _wrist_for(palm, shoulder, forearm, x, measures)
            damping = 1e-2
            for _ in range(_ROUNDS):
                forearm = _forearm(wrist, shoulder, swivels[n] + x[0], a, b)
                cost = _residuals(x, forearm, goals[n], wins, limits, tolerance, True, value, slope)
                if room > 0.0:
                    aside = _forearm(wrist, shoulder, swivels[n] + x[0] + _SMALL, a, b)
                    _residuals(x, aside, goals[n], wins, limits, tolerance, False, other, unused)
                    for i in range(_ROWS):
                        slope[i, 0] += (other[i] - value[i]) / _SMALL
                for k in range(4):
                    step[k] = 0.0
                    for i in range(_ROWS):
                        step[k] -= slope[i, k] * value[i]
                    # A value at its bound whose step leads beyond it stays there.
                    if (x[k] <= low[k] and step[k] < 0.0) or (x[k] >= high[k] and step[k] > 0.0):
                        step[k] = 0.0
                        slope[:, k] = 0.0
                for k in range(4):
                    for m in range(k + 1):
                        total = 0.0
                        for i in range(_ROWS):
                            total += slope[i, k] * slope[i, m]
                        matrix[k, m] = total
                    matrix[k, k] += damping
                _solve(matrix, step)
                for k in range(4):
                    tried[k] = min(max(x[k] + step[k], low[k]), high[k])
                fraction = _wrist_fraction(tried, limits)
                if fraction > _MOST_FRACTION:
                    tried[2] *= _MOST_FRACTION / fraction
                    tried[3] *= _MOST_FRACTION / fraction
                moved = _forearm(wrist, shoulder, swivels[n] + tried[0], a, b)
                if (
                    _residuals(
                        tried, moved, goals[n], wins, limits, tolerance, False, other, unused
                    )
                    < cost
                ):
                    x[:] = tried
                    forearm = moved
                    damping = max(0.3 * damping, 1e-7)
                else:
                    damping = min(8.0 * damping, 1e3)
                wrist = _wrist_for(palm, shoulder, forearm, x, measures)
            # Wrist and forearm depend on each other; each round leaves a fifth of the error.
            for _ in range(_FOLLOW):
                forearm = _forearm(wrist, shoulder, swivels[n] + x[0], a, b)
                wrist = _wrist_for(palm, shoulder, forearm, x, measures)
            forearm = _forearm(wrist, shoulder, swivels[n] + x[0], a, b)
            cost = _residuals(x, forearm, goals[n], wins, limits, tolerance, False, other, unused)
            if cost < best:
                best = cost
                for c in range(3):
                    out_wrists[n, c] = wrist[c]
                    out_angles[n, c] = x[1 + c]
                out_swivels[n] = swivels[n] + x[0]
