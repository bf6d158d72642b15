"""Compiled blending of motion segments into a stream, for many characters at once.

See `bodylanguage.play.blending`; the tests contain a reference implementation.
"""

from __future__ import annotations

import math

import numba
import numpy as np
from numpy.typing import NDArray

from kinesphere.maths.arrays import Bools, Floats, Ints
from kinesphere.maths.compiled import compiled, reads
from kinesphere.maths.quaternion_kernels import (
    Quaternion,
    Vector,
    conjugate,
    from_rotvec,
    product,
    rotvec,
)

CATCHING_UP, ARRIVED, WITH_IT = 0, 1, 2
# Faster than any human joint: swapped markers of a capture.
FASTEST_RAD_S = 30.0
# Above this an offset smooths nothing.
LARGEST_RAD = 3.0
Singles = NDArray[np.float32]
Bytes = NDArray[np.int8]


@numba.njit(error_model="numpy")
def place(position: float, first: float, last: float) -> tuple[int, float, int]:
    """Frames around a position in the library, clamped to a segment's frames."""
    p = min(max(position, first), last)
    low = int(p)
    return low, p - low, min(low + 1, int(last))


@numba.njit(error_model="numpy")
def at_frame(turns: Singles, low: int, ratio: float, high: int, joint: int) -> Quaternion:
    """Rotation between two library frames, by linear interpolation: they are close."""
    w = turns[low, joint, 0] + ratio * (turns[high, joint, 0] - turns[low, joint, 0])
    x = turns[low, joint, 1] + ratio * (turns[high, joint, 1] - turns[low, joint, 1])
    y = turns[low, joint, 2] + ratio * (turns[high, joint, 2] - turns[low, joint, 2])
    z = turns[low, joint, 3] + ratio * (turns[high, joint, 3] - turns[low, joint, 3])
    size = math.sqrt(w * w + x * x + y * y + z * z)
    return (w / size, x / size, y / size, z / size)


@numba.njit(error_model="numpy")
def length(v: Vector) -> float:
    """Euclidean length."""
    return math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


@numba.njit(error_model="numpy")
def sprung(
    spring: Floats,
    velocity: Vector,
    corner: bool,
    soft: float,
    fading: float,
    smooth: float,
    settling: float,
    dt: float,
) -> Vector:
    """Advance the offset that smooths a path; see `blending.Blend.springs`.

    `fading` and `settling` are the decay factors over `dt` at the rates `soft` and `smooth`.
    """
    for k in range(3):
        x, v = spring[0, k], spring[1, k]
        if corner:
            v += spring[2, k] - velocity[k]
        c = v + soft * x
        spring[0, k], spring[1, k] = (x + c * dt) * fading, (v - soft * c * dt) * fading
        spring[2, k] = velocity[k]
        pace = velocity[k] + (spring[0, k] - x) / dt
        # (s + smooth)^3 y = (3 smooth^2 s + smooth^3) u, as y - u, exact while u is linear: the
        # velocity of u may be discontinuous, the acceleration of y is continuous.
        x, v, a = spring[3, k], spring[4, k] + spring[6, k] - pace, spring[5, k]
        c = v + smooth * x
        d = a + smooth * (v + c)
        x = (x + (c + 0.5 * d * dt) * dt) * settling
        c = (c + d * dt) * settling
        v = c - smooth * x
        spring[3, k], spring[4, k] = x, v
        spring[5, k] = d * settling - smooth * (c + v)
        spring[6, k] = pace
    return (spring[0, 0] + spring[3, 0], spring[0, 1] + spring[3, 1], spring[0, 2] + spring[3, 2])


@numba.njit(error_model="numpy")
def as_offset(v: Vector, spring: Floats) -> Vector:
    """Velocity that the offset needs to reproduce a joint's velocity (to third order).

    The offset rotates what is below it, so the two would not add up otherwise.
    """
    o = (spring[0, 0] + spring[3, 0], spring[0, 1] + spring[3, 1], spring[0, 2] + spring[3, 2])
    a = (o[1] * v[2] - o[2] * v[1], o[2] * v[0] - o[0] * v[2], o[0] * v[1] - o[1] * v[0])
    b = (o[1] * a[2] - o[2] * a[1], o[2] * a[0] - o[0] * a[2], o[0] * a[1] - o[1] * a[0])
    return (
        v[0] + a[0] / 2.0 + b[0] / 12.0,
        v[1] + a[1] / 2.0 + b[1] / 12.0,
        v[2] + a[2] / 2.0 + b[2] / 12.0,
    )


@numba.njit(error_model="numpy")
def phase(was: int, share: float, begins: bool) -> tuple[int, bool]:
    """Whether a pose catches up or follows its source, and whether its velocity jumps."""
    if share < 1.0:
        return CATCHING_UP, begins or was != CATCHING_UP
    now = ARRIVED if (begins or was == CATCHING_UP) else WITH_IT
    return now, begins or now == ARRIVED or was == ARRIVED


@compiled(
    f"void({reads('float32', 3)}, {reads('float32', 2)}, int64, float64, float64, "
    f"{reads('float64', 2)}, {reads('float64', 2)}, {reads('float64', 3)}, {reads('int64', 1)}, "
    f"{reads('int64', 1)}, {reads('boolean', 2)}, {reads('float64', 1)}, "
    "float64[:, :, ::1], float64[:, :, :, ::1], int8[:, ::1], "
    "float64[:, ::1], float64[:, :, ::1], int8[::1], "
    "float64[:, :, :, :], float64[:, :, :])"
)
def blend(
    turns: Singles,
    pelvis: Singles,
    frame: int,
    fps: float,
    library_fps: float,
    begun_s: Floats,
    firsts: Floats,
    ranges: Floats,
    stream_of: Ints,
    hand_of: Ints,
    begins: Bools,
    settings: Floats,
    blended: Floats,
    springs: Floats,
    phases: Bytes,
    hips: Floats,
    hips_springs: Floats,
    hips_phases: Bytes,
    shown: Floats,
    shown_hips: Floats,
) -> None:
    """Compute frames of all characters, from number `frame` on; see `blending.advance`."""
    dt = 1.0 / fps
    least_rad, least_finger, least_m = settings[0] * dt, settings[1] * dt, settings[2] * dt
    soft, smooth, lead_s, joints = settings[3], settings[4], settings[5], turns.shape[1]
    fading, settling = math.exp(-soft * dt), math.exp(-smooth * dt)
    soft_finger = settings[6]
    fading_finger = math.exp(-soft_finger * dt)
    speeds = np.zeros(joints)
    low, ratio, high = np.zeros(3, np.int64), np.zeros(3), np.zeros(3, np.int64)
    low2, ratio2, high2 = np.zeros(3, np.int64), np.zeros(3), np.zeros(3, np.int64)
    for c in range(len(begun_s)):
        for f in range(shown.shape[1]):
            for s in range(3):
                # Computed from the frame number, so that chunk boundaries make no difference.
                at = firsts[c, s] + ((frame + f) / fps - begun_s[c, s] + lead_s) * library_fps
                first, last = ranges[c, s, 0], ranges[c, s, 1]
                low[s], ratio[s], high[s] = place(at, first, last)
                low2[s], ratio2[s], high2[s] = place(at - library_fps * dt, first, last)
            for j in range(joints):
                s = stream_of[j]
                if s < 0:
                    continue
                wanted = at_frame(turns, low[s], ratio[s], high[s], j)
                before = at_frame(turns, low2[s], ratio2[s], high2[s], j)
                speeds[j] = length(rotvec(product(wanted, conjugate(before))))
                hand = hand_of[j]
                if hand >= 0:
                    most = max(max(speeds[j], speeds[hand]), least_finger)
                else:
                    most = max(speeds[j], least_rad)
                most = min(most, FASTEST_RAD_S * dt)
                r = (blended[c, j, 0], blended[c, j, 1], blended[c, j, 2], blended[c, j, 3])
                way = rotvec(product(wanted, conjugate(r)))
                gap = length(way)
                share = 1.0 if gap <= most * (1.0 + 1e-9) else most / gap
                r = wanted if share >= 1.0 else product(from_rotvec(way, share), r)
                velocity = (way[0] * share / dt, way[1] * share / dt, way[2] * share / dt)
                now, corner = phase(phases[c, j], share, begins[c, s] and f == 0)
                phases[c, j] = now
                blended[c, j, 0], blended[c, j, 1] = r[0], r[1]
                blended[c, j, 2], blended[c, j, 3] = r[2], r[3]
                if soft > 0.0:
                    velocity = as_offset(velocity, springs[c, j])
                    ease, left = (soft, fading) if hand < 0 else (soft_finger, fading_finger)
                    offset = sprung(
                        springs[c, j], velocity, corner, ease, left, smooth, settling, dt
                    )
                    if not length(offset) < LARGEST_RAD:
                        springs[c, j] = 0.0
                        offset = (0.0, 0.0, 0.0)
                    r = product(from_rotvec(offset, 1.0), r)
                shown[c, f, j, 0], shown[c, f, j, 1] = r[0], r[1]
                shown[c, f, j, 2], shown[c, f, j, 3] = r[2], r[3]
            gap = moved = 0.0
            for k in range(3):
                goal = pelvis[low[2], k] + ratio[2] * (pelvis[high[2], k] - pelvis[low[2], k])
                past = pelvis[low2[2], k] + ratio2[2] * (pelvis[high2[2], k] - pelvis[low2[2], k])
                gap += (goal - hips[c, k]) ** 2
                moved += (goal - past) ** 2
                shown_hips[c, f, k] = goal
            gap, moved = math.sqrt(gap), max(math.sqrt(moved), least_m)
            share = 1.0 if gap <= moved * (1.0 + 1e-9) else moved / gap
            ways = (
                share * (shown_hips[c, f, 0] - hips[c, 0]),
                share * (shown_hips[c, f, 1] - hips[c, 1]),
                share * (shown_hips[c, f, 2] - hips[c, 2]),
            )
            now, corner = phase(hips_phases[c], share, begins[c, 2] and f == 0)
            hips_phases[c] = now
            for k in range(3):
                hips[c, k] += ways[k]
                shown_hips[c, f, k] = hips[c, k]
            if soft > 0.0:
                velocity = (ways[0] / dt, ways[1] / dt, ways[2] / dt)
                offset = sprung(
                    hips_springs[c], velocity, corner, soft, fading, smooth, settling, dt
                )
                for k in range(3):
                    shown_hips[c, f, k] += offset[k]
