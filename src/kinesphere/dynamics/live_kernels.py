"""Compiled step of `dynamics.live`."""

from __future__ import annotations

from kinesphere.dynamics.mass_tracker_kernels import advance, coefficients
from kinesphere.maths.arrays import Floats
from kinesphere.maths.compiled import compiled, reads
from kinesphere.motion.arms_kernels import posed

_STATE = "float64[:, ::1]"


@compiled(
    f"void({_STATE}, {_STATE}, {_STATE}, {reads('float64', 2)}, {reads('float64', 2)}, "
    f"{reads('float64', 1)}, {reads('float64', 2)}, float64, float64, float64, float64, boolean, "
    "float64[:, :, ::1])"
)
def step_arms(
    position: Floats, velocity: Floats, target: Floats, wrists: Floats, shoulders: Floats,
    swivels: Floats, lengths: Floats, error: float, zeta: float, dt: float, gravity: float,
    feedforward: bool, turns: Floats,
) -> None:  # fmt: skip
    """Advance both masses by a frame, as `step_in_place`, and solve both arms."""
    c = coefficients(error, zeta, dt, gravity)
    for j in range(2):
        for k in range(3):
            position[j, k], velocity[j, k] = advance(
                position[j, k], velocity[j, k], target[j, k], wrists[j, k], 0.0, c, dt, feedforward
            )
            target[j, k] = wrists[j, k]
        first, second = posed(
            (
                position[j, 0] - shoulders[j, 0],
                position[j, 1] - shoulders[j, 1],
                position[j, 2] - shoulders[j, 2],
            ),
            swivels[j],
            lengths[j, 0],
            lengths[j, 1],
            1.0 if j == 0 else -1.0,
        )
        for k in range(4):
            turns[j, 0, k] = first[k]
            turns[j, 1, k] = second[k]
