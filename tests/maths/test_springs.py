from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from kinesphere.errors import InvalidValueError
from kinesphere.maths.springs import spring_step


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("zeta", [0.0, 0.05, 0.3, 0.999999, 1.0, 1.000001, 2.0, 20.0])
@pytest.mark.parametrize("omega", [2.0, 14.0, 99.0])
def test_against_numerical_integration(omega: float, zeta: float, relative: bool) -> None:
    start, slope, dt = 0.7, 2.5, 0.21

    def rate(t: float, y: np.ndarray) -> list[float]:
        drag = y[1] - (slope if relative else 0.0)
        return [y[1], omega**2 * (start + slope * t - y[0]) - 2 * zeta * omega * drag]

    reference = solve_ivp(rate, (0, dt), [0.2, -1.0], rtol=1e-12, atol=1e-14, method="DOP853")
    x, v = spring_step(
        0.2, -1.0, start, start + slope * dt, omega=omega, zeta=zeta, dt=dt, relative=relative
    )
    assert abs(x - reference.y[0, -1]) < 1e-9
    assert abs(v - reference.y[1, -1]) < 1e-8 * omega


@pytest.mark.parametrize("zeta", [0.2, 1.0, 3.0])
def test_one_step_equals_many(zeta: float) -> None:
    x, v = 0.3, 1.0
    for i in range(100):
        x, v = spring_step(x, v, i * 0.01, (i + 1) * 0.01, omega=20.0, zeta=zeta, dt=0.001)  # type: ignore[assignment]
    whole = spring_step(0.3, 1.0, 0.0, 1.0, omega=20.0, zeta=zeta, dt=0.1)
    assert (float(x), float(v)) == pytest.approx((float(whole[0]), float(whole[1])), abs=1e-11)


def test_the_batch_equals_the_loop(rng: np.random.Generator) -> None:
    x, v, a, b = rng.normal(size=(4, 6, 3))
    omega, zeta = (
        rng.uniform(1, 30, size=(6, 1)),
        np.array([[0.1], [0.9], [1.0], [1.1], [2.0], [5.0]]),
    )
    whole = spring_step(x, v, a, b, omega=omega, zeta=zeta, dt=0.02)
    for i in range(6):
        one = spring_step(x[i], v[i], a[i], b[i], omega=omega[i], zeta=zeta[i], dt=0.02)
        assert np.array_equal(whole[0][i], one[0])
        assert np.array_equal(whole[1][i], one[1])


def test_a_relative_spring_follows_a_ramp_without_lag() -> None:
    x, v = spring_step(1.0, 2.0, 1.0, 3.0, omega=5.0, zeta=0.4, dt=1.0, relative=True)
    assert (float(x), float(v)) == pytest.approx((3.0, 2.0))


@pytest.mark.parametrize(
    ("omega", "zeta", "dt"), [(0.0, 1.0, 0.1), (1.0, -0.1, 0.1), (1.0, 1.0, 0.0), (np.nan, 1, 0.1)]
)
def test_bad_values_are_refused(omega: float, zeta: float, dt: float) -> None:
    with pytest.raises(InvalidValueError):
        spring_step(0.0, 0.0, 0.0, 0.0, omega=omega, zeta=zeta, dt=dt)
