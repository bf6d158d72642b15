"""Second-order springs, exact over a time step of any length, with a target that moves.

The spring obeys ``x'' = omega^2 (u - x) - 2 zeta omega x'`` (damping on the mass's own velocity,
as in the tension paper's eq 1), or, with ``relative=True``, ``x'' = omega^2 (u - x) + 2 zeta
omega (u' - x')`` (damping relative to the target, which follows a ramp without lag). Within a
step the target ``u`` moves linearly. There is no integration error: a step of 100 ms equals a
hundred steps of 1 ms to rounding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats


def decay(omega: ArrayLike, zeta: ArrayLike, dt: ArrayLike) -> tuple[Floats, Floats]:
    """Return ``exp(-zeta omega dt)`` times the cosine-like and sine-like solutions.

    In the notation of the underdamped case these are ``e cos(w dt)`` and ``e sin(w dt) / w`` with
    ``w = omega sqrt(1 - zeta^2)``; at and above critical damping they pass smoothly into ``e`` and
    ``e dt``, and into the hyperbolic functions, without overflow.
    """
    omega, zeta, dt = np.broadcast_arrays(
        *(np.asarray(value, dtype=np.float64) for value in (omega, zeta, dt))
    )
    if not (np.all(omega > 0.0) and np.all(zeta >= 0.0) and np.all(dt >= 0.0)):
        raise InvalidValueError("a spring needs omega > 0, zeta >= 0 and a time step >= 0")
    rate = zeta * omega
    square = omega * omega * (zeta - 1.0) * (zeta + 1.0)
    swing = np.sqrt(np.maximum(-square, 0.0))
    under = np.exp(-rate * dt)
    # Overdamped: the two real rates are slow = omega^2 / (rate + split) and slow + 2 split.
    split = np.sqrt(np.maximum(square, 0.0))
    slow = np.exp(-omega * omega / (rate + split + omega * (square <= 0.0)) * dt)
    fade = -np.expm1(-2.0 * split * dt)
    safe = np.where(split * dt > 1e-9, 2.0 * split, 1.0)
    over_sine = np.where(split * dt > 1e-9, slow * fade / safe, slow * dt)
    over = square > 0.0
    cosine = np.where(over, slow * (1.0 - 0.5 * fade), under * np.cos(swing * dt))
    sine = np.where(over, over_sine, under * dt * np.sinc(swing * dt / np.pi))
    return np.asarray(cosine), np.asarray(sine)


def spring_step(
    position: ArrayLike,
    velocity: ArrayLike,
    target_start: ArrayLike,
    target_end: ArrayLike,
    *,
    omega: ArrayLike,
    zeta: ArrayLike,
    dt: float,
    relative: bool = False,
) -> tuple[Floats, Floats]:
    """Advance position and velocity by `dt` seconds while the target moves from start to end.

    Parameters
    ----------
    position, velocity, target_start, target_end : arrays that broadcast together.
    omega : natural frequency in rad/s, > 0; broadcasts against the arrays.
    zeta : damping ratio, >= 0; 1 is critical.
    dt : seconds, > 0.
    relative : whether damping acts on the velocity relative to the target.

    Returns
    -------
    position and velocity at the end of the step.

    >>> x, v = spring_step(0.0, 0.0, 1.0, 1.0, omega=10.0, zeta=1.0, dt=5.0)
    >>> round(float(x), 6), round(float(v), 6)
    (1.0, 0.0)
    """
    if not dt > 0.0:
        raise InvalidValueError(f"a spring's time step is {dt}, allowed is > 0")
    omega = np.asarray(omega, dtype=np.float64)
    rate = np.asarray(zeta, dtype=np.float64) * omega
    start, end = np.asarray(target_start, float), np.asarray(target_end, float)
    slope = (end - start) / dt
    cosine, sine = decay(omega, zeta, dt)
    lag = 0.0 if relative else 2.0 * rate / (omega * omega) * slope
    x = np.asarray(position, float) - (start - lag)
    v = np.asarray(velocity, float) - slope
    new_x = x * (cosine + rate * sine) + v * sine
    new_v = v * (cosine - rate * sine) - omega * omega * x * sine
    return np.asarray(new_x + end - lag), np.asarray(new_v + slope)
