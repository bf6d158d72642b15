from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter1d
from scipy.signal import butter, sosfiltfilt

from kinesphere.errors import InvalidValueError
from kinesphere.maths import curves, filters


@pytest.mark.parametrize("ease", [curves.minimum_jerk, curves.smoothstep])
def test_eases_run_from_zero_to_one_without_turning_back(ease: object) -> None:
    values = ease(np.linspace(-0.5, 1.5, 401))  # type: ignore[operator]
    assert values[0] == 0.0
    assert values[-1] == 1.0
    assert (np.diff(values) >= 0).all()


def test_hermite_ease_has_its_slopes() -> None:
    e = 1e-6
    assert float(curves.hermite_ease(e, 0.7, 0.2)) / e == pytest.approx(0.7, rel=1e-4)
    assert (1 - float(curves.hermite_ease(1 - e, 0.7, 0.2))) / e == pytest.approx(0.2, rel=1e-4)
    r = np.linspace(0, 1, 11)
    assert curves.hermite_ease(r, 0, 0) == pytest.approx(curves.smoothstep(r))


def test_settle_starts_as_given_and_ends_at_rest() -> None:
    t = np.linspace(0, 1, 100001) * 0.4
    x = curves.settle(t / 0.4, 0.3, -2.0, 0.4)
    v = np.gradient(x, t)
    a = np.gradient(v, t)
    assert x[0] == pytest.approx(0.3)
    assert v[0] == pytest.approx(-2.0, abs=1e-3)
    assert abs(x[-1]) < 1e-12
    assert abs(v[-1]) < 1e-3
    assert abs(a[-3]) < 0.1


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("cutoff", [1.0, 6.0, 10.0, 25.0])
def test_low_pass_against_scipy(order: int, cutoff: float, rng: np.random.Generator) -> None:
    x = rng.normal(size=(300, 2, 3)).cumsum(axis=0)
    pad = min(int(np.ceil(4 * 60 / cutoff)), 299)
    reference = sosfiltfilt(butter(order, cutoff, fs=60, output="sos"), x, axis=0, padlen=pad)
    assert np.abs(filters.low_pass(x, cutoff, 60.0, order) - reference).max() < 1e-9


def test_filters_keep_straight_lines_and_time(rng: np.random.Generator) -> None:
    line = np.linspace(2, 5, 200)[:, None]
    assert np.abs(filters.low_pass(line, 5.0, 60.0) - line).max() < 1e-7
    assert np.abs(filters.gaussian(line, 3.0) - line).max() < 1e-9
    x = rng.normal(size=300).cumsum()
    assert (
        np.abs(filters.low_pass(x[::-1], 5.0, 60.0)[::-1] - filters.low_pass(x, 5.0, 60.0))[
            60:-60
        ].max()
        < 1e-6
    )


def test_gaussian_against_scipy(rng: np.random.Generator) -> None:
    x = rng.normal(size=(200, 2))
    inside = slice(30, -30)
    assert (
        np.abs(filters.gaussian(x, 4.0)[inside] - gaussian_filter1d(x, 4.0, axis=0)[inside]).max()
        < 1e-6
    )


def test_short_sequences_and_bad_cutoffs() -> None:
    assert filters.low_pass(np.ones((1, 2)), 5.0, 60.0).tolist() == [[1.0, 1.0]]
    assert filters.gaussian(np.ones(1), 2.0).tolist() == [1.0]
    for cutoff in (0.0, 30.0, -1.0):
        with pytest.raises(InvalidValueError, match="cut-off"):
            filters.low_pass(np.ones(10), cutoff, 60.0)
    with pytest.raises(InvalidValueError, match="order"):
        filters.low_pass(np.ones(10), 5.0, 60.0, 0)
