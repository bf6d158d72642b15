"""Compiled targets of the figure engine from blended streams."""

from __future__ import annotations

import math

import numba

from kinesphere.figure.arms.elbow_kernels import read
from kinesphere.figure.standing.body_layout import (
    HEAD_YAW,
    LEFT,
    LISTENS,
    OFFSET,
    OWN,
    PELVIS,
    SPEAKS,
    SPINE,
    WITH_HEAD,
)
from kinesphere.maths.arrays import Bools, Floats, Ints
from kinesphere.maths.compiled import compiled, reads
from kinesphere.maths.quaternion_kernels import Quaternion, conjugate, product, rotate, rotvec

_F1, _F2, _F3, _F4 = (reads("float64", n) for n in (1, 2, 3, 4))
_I1, _I2, _B1 = reads("int64", 1), reads("int64", 2), reads("boolean", 1)
# Ratio of the chest's yaw in the streams that is asked of the pelvis, of the spine, and ratio by
# which the chest follows the head where a stream moves it already.
_CHEST_TO_PELVIS, _CHEST_TO_SPINE, _WITH_HEAD = 0.45, 0.12, 0.95
_PELVIS_OWN = 0.15
# Least part of the engine's own weight shifts, and ratio of those of the stream beside them.
_WEIGHT_OWN, _WEIGHT_STREAM = 0.6, 0.6
_SHOULDER_M = 0.178  # from the middle of the chest


@numba.njit(error_model="numpy")
def yaw_of(turn: Quaternion) -> float:
    """Direction in which a body part faces, radians to the left."""
    front = rotate(turn, (0.0, 0.0, 1.0))
    return math.atan2(front[0], front[2])


@compiled(f"void({_F4}, {_F3}, {_F2}, {_F2}, {_B1}, f8, {_I1}, {_I2}, {_F2}, float64[:, :, ::1])")
def stream_targets(
    shown: Floats,
    pelvis: Floats,
    listens: Floats,
    amounts: Floats,
    present: Bools,
    own: float,
    trunk: Ints,
    arms: Ints,
    lengths: Floats,
    targets: Floats,
) -> None:
    """Targets ``[characters, frames, TARGETS]`` of the body, filled in place.

    Parameters
    ----------
    shown : ``[characters, frames, joints, 4]`` world rotations of the streams.
    pelvis : ``[characters, frames, 3]`` offset of the pelvis over the ankles.
    listens, amounts : ``[characters, frames]`` how much they listen, and amplitude of the streams.
    present : ``[3]`` which streams there are.
    own : part of the engine's own weight shifts while a stream moves the pelvis.
    """
    rows, frames = listens.shape
    for c in range(rows):
        for f in range(frames):
            t, turns = targets[c, f], shown[c, f]
            amount = amounts[c, f]
            t[SPEAKS], t[LISTENS] = 1.0 - listens[c, f], listens[c, f]
            t[OWN], t[WITH_HEAD] = 1.0, 0.0
            for k in range(2):
                side = 1.0 - 2.0 * k
                at = LEFT + 3 * k
                t[at], t[at + 1], t[at + 2] = side * 0.235, -0.482, 0.13
            if present[1]:
                chest = read(turns, trunk[3])
                back = conjugate(chest)
                for k in range(2):
                    side = 1.0 - 2.0 * k
                    upper = rotate(
                        product(back, read(turns, arms[k, 1])), (side * lengths[k, 0], 0.0, 0.0)
                    )
                    lower = rotate(
                        product(back, read(turns, arms[k, 2])), (side * lengths[k, 1], 0.0, 0.0)
                    )
                    at = LEFT + 3 * k
                    wrist = (
                        side * _SHOULDER_M + upper[0] + lower[0],
                        upper[1] + lower[1],
                        upper[2] + lower[2],
                    )
                    for axis in range(3):
                        t[at + axis] += amount * (wrist[axis] - t[at + axis])
                yaw = amount * yaw_of(chest)
                t[PELVIS + 1] = _CHEST_TO_PELVIS * yaw
                t[SPINE + 1] = _CHEST_TO_SPINE * yaw
            if present[2]:
                hips = read(turns, trunk[0])
                turn = rotvec(hips)
                t[PELVIS + 1] += _PELVIS_OWN * amount * yaw_of(hips)
                t[PELVIS] = amount * 0.6 * turn[0]
                t[PELVIS + 2] = amount * 0.6 * turn[2]
                # To the side and ahead; the height follows from the engine's own knees.
                t[OFFSET] = _WEIGHT_STREAM * amount * pelvis[c, f, 0]
                t[OFFSET + 2] = amount * pelvis[c, f, 2]
                t[OWN] = max(own, 1.0 - (1.0 - _WEIGHT_OWN) * amount)
            if present[1]:
                # What the chest does beyond the pelvis, less what weight and hands explain.
                chest = read(turns, trunk[3])
                lean = rotvec(chest)
                if present[2]:
                    lean = rotvec(product(conjugate(read(turns, trunk[0])), chest))
                t[SPINE] = amount * 0.6 * lean[0]
                t[SPINE + 2] = amount * 0.35 * lean[2]
            if present[0]:
                t[HEAD_YAW] = amount * yaw_of(read(turns, trunk[5]))
                t[WITH_HEAD] = _WITH_HEAD
