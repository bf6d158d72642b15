"""Compiled ray casting to the surface of a body; the plain reference is in the tests."""

from __future__ import annotations

import numpy as np

from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.compiled import compiled, reads
from kinesphere.motion.body.body_volume_kernels import nearest

_POSES = reads("float64", 3)


@compiled(
    f"void({reads('int64', 1)}, {reads('float64', 2)}, {reads('float64', 2)}, "
    f"{reads('float64', 1)}, {reads('int64', 2)}, {_POSES}, {_POSES}, {reads('float64', 2)}, "
    f"{reads('float64', 2)}, f8, f8, f8, i8, f8[::1])"
)
def surfaces(
    joints: Ints,
    offsets: Floats,
    halves: Floats,
    radii: Floats,
    pieces: Ints,
    rotations: Floats,
    positions: Floats,
    origins: Floats,
    directions: Floats,
    outside: float,
    margin: float,
    exact: float,
    steps: int,
    out: Floats,
) -> None:
    """Fill the surface distances ``[n]`` from origins in directions ``[n, 3]``.

    A ray of thickness `margin` starts at distance `outside` and steps inward by the distance that
    is certainly free, until a step is below `exact`, or it reaches the origin.
    """
    point = np.empty((1, 1, 3))
    distance = np.empty((1, 1))
    part = np.empty((1, 1), dtype=np.int64)
    normal = np.empty((1, 1, 3))
    for n in range(len(origins)):
        reach = outside
        for _ in range(steps):
            for c in range(3):
                point[0, 0, c] = origins[n, c] + reach * directions[n, c]
            nearest(
                joints,
                offsets,
                halves,
                radii,
                pieces,
                rotations[n : n + 1],
                positions[n : n + 1],
                point,
                np.inf,
                distance,
                part,
                normal,
            )
            clear = distance[0, 0] - margin
            reach = max(reach - clear, margin)
            if abs(clear) <= exact or reach <= margin:
                break
        out[n] = reach - margin
