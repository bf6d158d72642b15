"""Compiled unpacking of a model's library."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinesphere.maths.compiled import compiled, reads
from kinesphere.maths.quaternion_kernels import from_rotvec


@compiled(f"void({reads('int16', 3)}, float64, float32[:, :, ::1])")
def unpack(steps: NDArray[np.int16], size: float, turns: NDArray[np.float32]) -> None:
    """Quaternions of rotation vectors in integer steps, with continuous signs along time."""
    for j in range(steps.shape[1]):
        w, x, y, z = 1.0, 0.0, 0.0, 0.0
        for f in range(len(steps)):
            q = from_rotvec(
                (float(steps[f, j, 0]), float(steps[f, j, 1]), float(steps[f, j, 2])), size
            )
            sign = -1.0 if q[0] * w + q[1] * x + q[2] * y + q[3] * z < 0.0 and f else 1.0
            w, x, y, z = sign * q[0], sign * q[1], sign * q[2], sign * q[3]
            turns[f, j, 0], turns[f, j, 1], turns[f, j, 2], turns[f, j, 3] = w, x, y, z
