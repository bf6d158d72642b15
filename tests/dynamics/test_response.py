from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from kinesphere.dynamics.tension import response
from kinesphere.dynamics.tension.mass_tracker import GRAVITY_M_S2
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats

SPEED = 1.3
SETTINGS = [(e, z) for e in (0.001, 0.05, 0.3) for z in (0.1, 0.3, 0.7, 0.95, 1.0, 1.6)]
UNDER = [(e, z) for e, z in SETTINGS if z < 1.0]


def integrated(kind: str, error: float, zeta: float, seconds: float) -> Any:
    """A solution, whose event times are the turning points of the error."""
    omega = float(np.sqrt(GRAVITY_M_S2 / error))
    lag = 2 * zeta / omega
    speed = SPEED if kind == "ramp" else 0.0
    y0 = [-SPEED * lag, SPEED] if kind == "stop" else [0.0, 0.0]

    def rate(t: float, y: Floats) -> list[float]:
        return [y[1], omega**2 * (speed * t - y[0]) - 2 * zeta * omega * y[1]]

    def turning(t: float, y: Floats) -> float:
        return float(y[1]) - speed

    return solve_ivp(
        rate,
        (0, seconds),
        y0,
        method="DOP853",
        rtol=1e-12,
        atol=1e-14,
        dense_output=True,
        events=turning,
        max_step=0.05 / omega,
    )


@pytest.mark.parametrize(("error", "zeta"), SETTINGS)
def test_curves(error: float, zeta: float) -> None:
    seconds = 8.0 * np.sqrt(error)
    t = np.linspace(0.0, seconds, 60)
    ramp, stop = (integrated(kind, error, zeta, seconds).sol(t)[0] for kind in ("ramp", "stop"))
    assert np.abs(response.ramp_error(t, error, zeta, SPEED) - (SPEED * t - ramp)).max() < 1e-9
    assert np.abs(response.ramp_stop_response(t, error, zeta, SPEED) - stop).max() < 1e-9


@pytest.mark.parametrize(("error", "zeta"), UNDER)
def test_turning_points(error: float, zeta: float) -> None:
    count = 3 if zeta < 0.9 else 1  # later ones are lost in rounding
    peaks = response.peak_time_s(error, zeta, range(1, count + 1))
    seconds = float(peaks[-1]) * 1.05
    ramp, stop = (integrated(k, error, zeta, seconds) for k in ("ramp", "stop"))
    assert ramp.t_events[0][:count] == pytest.approx(peaks, rel=1e-6)
    assert stop.t_events[0][:count] == pytest.approx(peaks, rel=1e-6)
    top = float(peaks[0])
    worst = SPEED * top - ramp.sol(top)[0]
    assert response.peak_error_m(error, zeta, SPEED) == pytest.approx(worst, abs=1e-9)
    assert response.overshoot_m(error, zeta, SPEED) == pytest.approx(stop.sol(top)[0], abs=1e-9)


@pytest.mark.parametrize(("error", "zeta"), UNDER)
def test_frequency(error: float, zeta: float) -> None:
    """Two turning points are half a damped period apart."""
    times = response.peak_time_s(error, zeta, [1, 3])
    assert 1.0 / (times[1] - times[0]) == pytest.approx(
        float(response.damped_frequency_hz(error, zeta))
    )
    natural = float(response.natural_frequency_hz(error))
    assert natural == pytest.approx(np.sqrt(9.81 / error) / 6.283185307, rel=1e-8)


@pytest.mark.parametrize(("error", "zeta"), SETTINGS)
@pytest.mark.parametrize("share", [0.02, 0.05, 0.2])
def test_settling(error: float, zeta: float, share: float) -> None:
    settle = float(response.settling_time_s(error, zeta, share))
    run = integrated("stop", error, zeta, 1.6 * settle)
    t = np.linspace(0.0, 1.6 * settle, 4000)
    away = np.abs(run.sol(t)[0])
    band = share * SPEED * float(response.lag_s(error, zeta))
    assert away[t >= settle].max() <= band * (1 + 1e-6)
    last = t[away > band][-1]
    if zeta >= 1.0:
        assert last == pytest.approx(settle, rel=1e-3)
    else:  # the envelope is late by at most half a swing and what it stands off the peaks
        period = 1.0 / float(response.damped_frequency_hz(error, zeta))
        assert settle - last < 0.6 * period
    if zeta < 0.9:  # eq 7
        root = np.sqrt(1 - zeta**2)
        eq7 = -np.log(2 * share * zeta * root) / (zeta * np.sqrt(GRAVITY_M_S2 / error))
        assert settle == pytest.approx(eq7)


def test_settling_time_has_no_seam_at_critical_damping() -> None:
    zeta = np.linspace(0.9, 1.1, 2001)
    settle = response.settling_time_s(0.05, zeta)
    assert np.isfinite(settle).all()
    assert np.abs(np.diff(settle)).max() < 0.003


@given(zeta=st.floats(0.05, 0.95), share=st.floats(0.01, 0.3))
def test_oscillations_are_the_turning_points_outside_the_band(zeta: float, share: float) -> None:
    error = 0.05
    n = np.arange(1, 200)
    heights = np.abs(response.ramp_stop_response(response.peak_time_s(error, zeta, n), error, zeta))
    seen = int(np.sum(heights > share * response.lag_s(error, zeta)))
    counted = float(response.oscillations(zeta, share))
    assert seen - 1e-9 <= counted < seen + 1.4
    # Eq 8 is eq 4 solved for n at the time of eq 7.
    root = np.sqrt(1 - zeta**2)
    omega = np.sqrt(GRAVITY_M_S2 / error)
    eq7 = -np.log(2 * share * zeta * root) / (zeta * omega)
    assert (counted * np.pi - np.arccos(zeta)) / (omega * root) == pytest.approx(eq7)


def test_the_paper_as_corrected() -> None:
    assert float(response.peak_error_m(0.05, 0.3)) == pytest.approx(0.0824, abs=5e-5)
    assert float(response.overshoot_m(0.05, 0.3)) == pytest.approx(0.0396, abs=5e-5)
    assert np.round(response.oscillations([0.15, 0.3, 0.5]), 1).tolist() == [9.3, 4.0, 2.1]
    # Table 1: what raises overshoot, frequency and number.
    assert response.overshoot_m(0.05, 0.2) > response.overshoot_m(0.05, 0.3)
    assert response.overshoot_m(0.10, 0.3) > response.overshoot_m(0.05, 0.3)
    assert response.damped_frequency_hz(0.01, 0.3) > response.damped_frequency_hz(0.05, 0.3)
    assert np.all(np.diff(response.oscillations(np.linspace(0.02, 1.0, 500))) < 0.0)


def test_from_critical_damping_on_nothing_swings() -> None:
    zeta = np.array([1.0, 1.5, 5.0])
    assert np.array_equal(response.oscillations(zeta), np.zeros(3))
    assert np.array_equal(response.overshoot_m(0.05, zeta), np.zeros(3))
    assert np.array_equal(response.damped_frequency_hz(0.05, zeta), np.zeros(3))
    assert np.all(np.isinf(response.peak_time_s(0.05, zeta)))
    assert np.array_equal(response.peak_error_m(0.05, zeta), response.lag_s(0.05, zeta))


def test_functions_broadcast() -> None:
    error, zeta = np.array([[0.01], [0.1]]), np.array([0.2, 0.9, 1.2])
    for f in (
        response.lag_s,
        response.damped_frequency_hz,
        response.peak_time_s,
        response.overshoot_m,
        response.peak_error_m,
        response.settling_time_s,
    ):
        whole = f(error, zeta)
        assert whole.shape == (2, 3)
        assert whole[1, 2] == f(0.1, 1.2)
        assert whole[0, 1] == f(0.01, 0.9)
    assert response.ramp_error(np.zeros((4, 1, 1)), error, zeta).shape == (4, 2, 3)


@given(error=st.floats(0.0005, 1.5), zeta=st.floats(0.03, 0.97), speed=st.floats(0.05, 5.0))
def test_parameters_for_is_the_inverse(error: float, zeta: float, speed: float) -> None:
    swings = float(response.oscillations(zeta))
    beyond = float(response.overshoot_m(error, zeta, speed))
    found = response.parameters_for(swings, beyond, speed)
    assert found == pytest.approx((error, zeta), rel=1e-6)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            lambda: response.parameters_for(oscillations=0.0),
            "oscillations is 0, allowed is a positive number",
        ),
        (lambda: response.parameters_for(overshoot_m=-0.1), "overshoot_m is -0.1, allowed"),
        (lambda: response.parameters_for(speed_m_s=np.nan), "speed_m_s is nan"),
        (
            lambda: response.parameters_for(oscillations=500),
            "oscillations is 500, allowed is above 0 up to",
        ),
        (lambda: response.parameters_for(overshoot_m=5.0), "is impossible, allowed is 0.00"),
        (lambda: response.parameters_for(share=1.0), "share is 1.0, allowed is between 0 and 1"),
        (lambda: response.lag_s(0.05, -1.0), "zeta is -1, allowed is above 0 up to 5"),
        (lambda: response.overshoot_m(3.0, 0.3), "rest error is 3 m, allowed is 0.0001 to 2 m"),
        (lambda: response.overshoot_m(0.1, 0.3, np.nan), "a speed is not finite"),
        (lambda: response.peak_time_s(0.1, 0.3, 0), "peaks are numbered 1, 2, 3"),
    ],
)
def test_what_cannot_be_had_is_said_in_one_line(call: Any, says: str) -> None:
    with pytest.raises(InvalidValueError) as error:
        call()
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_the_range_in_the_message_can_be_had() -> None:
    with pytest.raises(InvalidValueError) as error:
        response.parameters_for(3.0, 5.0)
    least, most = str(error.value).split("allowed is ")[1].removesuffix(" m").split(" to ")
    response.parameters_for(3.0, float(least) * 1.01)
    response.parameters_for(3.0, float(most) * 0.99)
