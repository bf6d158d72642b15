"""The tension paper's formulas as published, for comparison, and the tracker measured on a ramp."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.dynamics.tension import response
from kinesphere.dynamics.tension.mass_tracker import track
from kinesphere.maths.arrays import Floats

EXAMPLE = (0.05, 0.3)
ZETAS = (0.15, 0.3, 0.5, 0.7, 1.0)
REST_ERRORS_M = (0.005, 0.02, 0.05, 0.1, 0.3)
ASKED = {"oscillations": 3.0, "overshoot_m": 0.04, "speed_m_s": 1.0}


def printed_error(t_s: Floats, rest_error_m: float, zeta: float) -> Floats:
    """Eq 3 as published, at 1 m/s."""
    omega, root = _omega(rest_error_m), np.sqrt(1.0 - zeta * zeta)
    swing = np.exp(-zeta * omega * t_s) * np.sin(
        omega * root * t_s + np.arccos(2.0 * zeta * zeta - 1.0)
    )
    return np.asarray(2.0 * zeta / omega + swing / (omega * root))


def printed_peak_error_m(rest_error_m: float, zeta: float) -> float:
    """Eq 5 as published, at 1 m/s."""
    peak = float(response.peak_time_s(rest_error_m, zeta))
    return float(printed_error(np.array(peak), rest_error_m, zeta))


def printed_settling_time_s(rest_error_m: float, zeta: float) -> float:
    """Eq 7 as published."""
    omega, root = _omega(rest_error_m), np.sqrt(1.0 - zeta * zeta)
    return float(np.log(2.0 * response.SETTLED * omega * root) / (zeta * omega))


def printed_oscillations(zeta: Floats) -> Floats:
    """Eq 8 as published."""
    root, half_theta = np.sqrt(1.0 - zeta * zeta), np.arccos(zeta)
    inside = 2.0 * response.SETTLED * zeta * root + half_theta
    return np.asarray(-root / zeta * np.log(inside) / np.pi)


def _omega(rest_error_m: float) -> float:
    return float(2.0 * np.pi * response.natural_frequency_hz(rest_error_m))


@dataclass(frozen=True)
class RampResponse:
    """Response of a tracker to a ramp of 1 m/s, measured on its path.

    Parameters
    ----------
    start_m, peak_m, overshoot_m : error at the start; largest error; the same without the lag.
    settled_s : when the error last was farther from the lag than `response.SETTLED` of it.
    swings : extrema of the error up to then.
    """

    start_m: float
    peak_m: float
    overshoot_m: float
    settled_s: float
    swings: int


def measure_ramp(rest_error_m: float, zeta: float, fps: float = 2000.0) -> RampResponse:
    """Run the tracker itself on a ramp and measure the error."""
    length = 1.5 * float(response.settling_time_s(rest_error_m, zeta))
    t = np.arange(int(length * fps) + 1) / fps
    ramp = np.stack([t, np.zeros_like(t), np.zeros_like(t)], axis=-1)
    error = t - track(ramp, fps, rest_error_m, zeta).position[:, 0]
    lag = float(response.lag_s(rest_error_m, zeta))
    out = np.flatnonzero(np.abs(error - lag) > response.SETTLED * lag)
    turns = np.flatnonzero(np.diff(np.sign(np.diff(error))) != 0) + 1
    return RampResponse(
        start_m=float(error[0]),
        peak_m=float(error.max()),
        overshoot_m=float(error.max() - lag),
        settled_s=float(t[out[-1]]),
        swings=int(np.sum(turns <= out[-1])),
    )
