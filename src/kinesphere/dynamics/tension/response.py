"""Response of a mass tracker (tension paper, eqs 2-9, print errors corrected), and its inverse.

Every function takes numbers or arrays that broadcast. Symbols: ``omega = sqrt(g/rest_error)``,
``s = sqrt(1 - zeta^2)``, ``theta = arccos(2 zeta^2 - 1)``, so ``theta/2 = arccos(zeta)``.

Corrected: the sinusoid's sign in eqs 3 and 5 is minus; the right side of eq 6 is ``-(1 - c)``; eq 7
lacks a zeta and its sign; in eq 8 the ``theta/2`` is outside the logarithm. The peak of eq 5
includes the lag; the visible overshoot, past a stop, is without it (`overshoot_m`).

At and above critical damping nothing oscillates: no overshoot, no oscillations, peaks at infinity.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.dynamics.tension.mass_tracker import GRAVITY_M_S2, REST_ERROR_RANGE_M, Parameters
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.maths.springs import decay

SETTLED = 0.05
"""Ratio of the steady error within which the response counts as settled (the paper's c)."""
SMALLEST_ZETA = 0.02
"""Lower limit of `parameters_for`: below it there are more than 80 half-cycles."""


def natural_frequency_hz(rest_error_m: ArrayLike) -> Floats:
    """Oscillations per second without damping."""
    return np.asarray(_omega_zeta(rest_error_m, 1.0)[0] / (2.0 * np.pi))


def damped_frequency_hz(rest_error_m: ArrayLike, zeta: ArrayLike) -> Floats:
    """Oscillations per second with damping; 0 from critical damping on."""
    omega, zeta = _omega_zeta(rest_error_m, zeta)
    return np.asarray(omega * _root(zeta) / (2.0 * np.pi))


def lag_s(rest_error_m: ArrayLike, zeta: ArrayLike) -> Floats:
    """Seconds of lag behind a ramp, 2 zeta/omega."""
    omega, zeta = _omega_zeta(rest_error_m, zeta)
    return np.asarray(2.0 * zeta / omega)


def ramp_error(
    t_s: ArrayLike, rest_error_m: ArrayLike, zeta: ArrayLike, speed_m_s: ArrayLike = 1.0
) -> Floats:
    """Eq 3: distance in metres of a mass at rest at 0 from a set point of constant speed."""
    lag = lag_s(rest_error_m, zeta)
    return np.asarray(_speed(speed_m_s) * (lag + ramp_stop_response(t_s, rest_error_m, zeta)))


def ramp_stop_response(
    t_s: ArrayLike, rest_error_m: ArrayLike, zeta: ArrayLike, speed_m_s: ArrayLike = 1.0
) -> Floats:
    """Position from the stop, metres, of a mass whose set point stops at time 0 after a long ramp.

    It starts behind by the lag and passes the stop; the same curve as eq 3 without its lag.
    """
    omega, zeta = _omega_zeta(rest_error_m, zeta)
    cosine, sine = decay(omega, zeta, t_s)
    lag = 2.0 * zeta / omega
    return np.asarray(_speed(speed_m_s) * (sine - lag * (cosine + zeta * omega * sine)))


def peak_time_s(rest_error_m: ArrayLike, zeta: ArrayLike, peak: ArrayLike = 1) -> Floats:
    """Eq 4: seconds to the n-th turning point of the error, after a ramp's start or its stop."""
    omega, zeta = _omega_zeta(rest_error_m, zeta)
    return _over(np.pi * _count(peak) - _half_theta(zeta), omega * _root(zeta))


def peak_error_m(rest_error_m: ArrayLike, zeta: ArrayLike, speed_m_s: ArrayLike = 1.0) -> Floats:
    """Eq 5: largest distance behind a ramp, lag included."""
    lag = lag_s(rest_error_m, zeta)
    return np.asarray(lag * _speed(speed_m_s) + overshoot_m(rest_error_m, zeta, speed_m_s))


def overshoot_m(rest_error_m: ArrayLike, zeta: ArrayLike, speed_m_s: ArrayLike = 1.0) -> Floats:
    """Overshoot in metres where a movement of that speed stops: the visible one.

    >>> round(float(overshoot_m(0.05, 0.3)), 4)
    0.0396
    """
    omega, zeta = _omega_zeta(rest_error_m, zeta)
    return np.asarray(_speed(speed_m_s) / omega * _fall(zeta))


def settling_time_s(rest_error_m: ArrayLike, zeta: ArrayLike, share: float = SETTLED) -> Floats:
    """Eq 7: seconds after which the error stays within `share` of the steady lag error.

    An upper bound, from the envelope of the oscillation. Eq 7 diverges as zeta nears 1; where
    the bound ``exp(-zeta omega t) (lag + |2 zeta^2 - 1| t)`` is tighter, it is used. That one is
    exact at 1, and above 1 the response itself is solved.
    """
    omega, zeta = _omega_zeta(rest_error_m, zeta)
    share = _share(share)
    root = _root(zeta)
    safe = np.where(root > 0.0, root, 1.0)
    envelope = np.where(root > 0.0, -np.log(2.0 * share * zeta * safe) / zeta, np.inf)
    # In units of 1/omega; the bound falls from there on, and is negligible by 60/zeta or 60 zeta.
    low, high = np.zeros(envelope.shape), 60.0 * (zeta + 1.0 / zeta)
    for _ in range(80):
        middle = 0.5 * (low + high)
        out = _swing_bound(middle, zeta) > 2.0 * share * zeta
        low, high = np.where(out, middle, low), np.where(out, high, middle)
    return np.asarray(np.minimum(envelope, high) / omega)


def oscillations(zeta: ArrayLike, share: float = SETTLED) -> Floats:
    """Eq 8: number of visible half-cycles before the response has settled.

    It counts half-cycles, turning points of eq 4 up to the settling time of eq 7, as a fraction: 4
    is two full oscillations. It depends on zeta alone and grows as zeta falls.

    >>> np.round(oscillations([0.15, 0.3, 0.5, 1.0]), 1)
    array([9.3, 4. , 2.1, 0. ])
    """
    zeta = _omega_zeta(1.0, zeta)[1]
    root = _root(zeta)
    safe = np.where(root > 0.0, root, 1.0)
    logarithm = np.log(2.0 * _share(share) * zeta * safe)
    return np.asarray((_half_theta(zeta) - root / zeta * logarithm) / np.pi)


def parameters_for(
    oscillations: float = 3.0,
    overshoot_m: float = 0.04,
    speed_m_s: float = 1.0,
    share: float = SETTLED,
) -> tuple[float, float]:
    """Rest error and zeta for a number of half-cycles and an overshoot at a movement's stop.

    Parameters
    ----------
    oscillations : visible half-cycles as `kinesphere.dynamics.tension.response.oscillations` counts
        them; above 0.
    overshoot_m : metres past the stop of a movement at `speed_m_s`.
    share : ratio of the steady lag error below which a half-cycle no longer counts.

    Returns
    -------
    rest_error_m, zeta.

    Raises
    ------
    InvalidValueError
        If no allowed rest error or zeta gives that; the message has the possible range.

    >>> rest_error, zeta = parameters_for(oscillations=4.0, overshoot_m=0.0396)
    >>> round(rest_error, 3), round(zeta, 2)
    (0.05, 0.3)
    """
    for name, value in (
        ("oscillations", oscillations),
        ("overshoot_m", overshoot_m),
        ("speed_m_s", speed_m_s),
    ):
        if not (np.isfinite(value) and value > 0.0):
            raise InvalidValueError(f"{name} is {value:g}, allowed is a positive number")
    zeta = _zeta_for(oscillations, share)
    fall = float(_fall(np.asarray(zeta)))
    rest_error = GRAVITY_M_S2 * (overshoot_m / (speed_m_s * fall)) ** 2
    low, high = REST_ERROR_RANGE_M
    if not low <= rest_error <= high:
        least, most = (speed_m_s * fall * np.sqrt(r / GRAVITY_M_S2) for r in (low, high))
        raise InvalidValueError(
            f"overshoot {overshoot_m:g} m with {oscillations:g} oscillations at {speed_m_s:g} m/s "
            f"is impossible, allowed is {least:.3g} to {most:.3g} m"
        )
    return rest_error, zeta


def _zeta_for(swings: float, share: float) -> float:
    """Zeta for a number of oscillations, which falls monotonically from `SMALLEST_ZETA` to 1."""
    low, high = SMALLEST_ZETA, 1.0
    most = float(oscillations(low, share))
    if swings > most:
        raise InvalidValueError(f"oscillations is {swings:g}, allowed is above 0 up to {most:.1f}")
    for _ in range(80):
        middle = 0.5 * (low + high)
        if float(oscillations(middle, share)) > swings:
            low = middle
        else:
            high = middle
    return high


def _omega_zeta(rest_error_m: ArrayLike, zeta: ArrayLike) -> tuple[Floats, Floats]:
    checked = Parameters(np.asarray(rest_error_m, float), np.asarray(zeta, float))
    omega, ratio = np.broadcast_arrays(checked.omega, np.asarray(checked.zeta))
    return omega, ratio


def _root(zeta: Floats) -> Floats:
    """The square root s of 1 - zeta^2, zero from critical damping on."""
    return np.asarray(np.sqrt(np.maximum((1.0 - zeta) * (1.0 + zeta), 0.0)))


def _half_theta(zeta: Floats) -> Floats:
    return np.asarray(np.arccos(np.minimum(zeta, 1.0)))


def _fall(zeta: Floats) -> Floats:
    """Height of the first turning point in units of speed/omega."""
    return np.asarray(np.exp(-_over(zeta * (np.pi - _half_theta(zeta)), _root(zeta))))


def _over(numerator: Floats, denominator: Floats) -> Floats:
    """Quotient of a positive numerator; infinite where the denominator is zero."""
    positive = denominator > 0.0
    return np.where(positive, numerator / np.where(positive, denominator, 1.0), np.inf)


def _swing_bound(t: Floats, zeta: Floats) -> Floats:
    """Bound of the transient ramp error at unit omega and speed; exact from zeta 1 on."""
    under = np.exp(-zeta * t)
    cosine, sine = decay(1.0, np.maximum(zeta, 1.0), t)
    cosine, sine = np.where(zeta < 1.0, under, cosine), np.where(zeta < 1.0, under * t, sine)
    return np.asarray(2.0 * zeta * cosine + np.abs(2.0 * zeta * zeta - 1.0) * sine)


def _count(peak: ArrayLike) -> Floats:
    n = np.asarray(peak, dtype=np.float64)
    if not np.all((n >= 1.0) & (n == np.floor(n))):
        raise InvalidValueError("peaks are numbered 1, 2, 3 ...")
    return n


def _share(share: float) -> float:
    if not 0.0 < share < 1.0:
        raise InvalidValueError(f"share is {share}, allowed is between 0 and 1")
    return share


def _speed(speed_m_s: ArrayLike) -> Floats:
    speed = np.asarray(speed_m_s, dtype=np.float64)
    if not np.isfinite(speed).all():
        raise InvalidValueError("a speed is not finite, allowed is any number of m/s")
    return speed
