"""Table 1 of the tension paper: how each parameter has to change, found by changing it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from kinesphere.dynamics.tension import response
from kinesphere.maths.arrays import Floats

NO_EFFECT = "\N{EN DASH}"
Effect = Callable[[Floats, Floats, Floats], Floats]
EFFECTS: dict[str, Effect] = {
    "overshoot past a stop": lambda e, z, v: response.overshoot_m(e, z, v),
    "frequency of the swings": lambda e, z, v: response.damped_frequency_hz(e, z) + 0.0 * v,
    "number of swings": lambda e, z, v: response.oscillations(z) + 0.0 * (e + v),
    "lag": lambda e, z, v: response.lag_s(e, z) + 0.0 * v,
    "time to settle": lambda e, z, v: response.settling_time_s(e, z) + 0.0 * v,
    "largest error on a ramp (eq 5)": lambda e, z, v: response.peak_error_m(e, z, v),
}
PRINTED_TABLE = {
    "overshoot past a stop": ("↓", "↓", "↑"),
    "frequency of the swings": ("↓", "↑", NO_EFFECT),
    "number of swings": ("↑", NO_EFFECT, NO_EFFECT),
}
"""Table 1 as published: zeta, stiffness, input speed; a blank cell is read as no effect."""
STEP = 0.05
GRID = (np.geomspace(0.001, 0.3, 7), np.linspace(0.1, 0.8, 8), np.array([0.5, 1.0, 2.0]))


def arrows(effect: Effect) -> tuple[str, str, str]:
    """Return how zeta, stiffness and speed must change for more: ↑, ↓, `NO_EFFECT`, ± if mixed."""
    error, zeta, speed = (np.array(v) for v in zip(*product(*GRID), strict=True))
    now = effect(error, zeta, speed)
    # Stiffness is the inverse of the rest error.
    more = (
        effect(error, (1.0 + STEP) * zeta, speed),
        effect(error / (1.0 + STEP), zeta, speed),
        effect(error, zeta, (1.0 + STEP) * speed),
    )
    first, second, third = (_arrow(changed / now - 1.0) for changed in more)
    return first, second, third


def _arrow(change: Floats) -> str:
    if np.all(np.abs(change) < 1e-9):
        return NO_EFFECT
    if np.all(change > 0.0):
        return "↑"
    return "↓" if np.all(change < 0.0) else "±"
