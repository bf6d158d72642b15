from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion as quat
from kinesphere.maths.splines import RotationSpline, Spline, tangents
from tests.conftest import random_rotations

TIMES = np.array([0.0, 0.3, 1.0, 1.2, 2.5])


def test_passes_through_its_keys(rng: np.random.Generator) -> None:
    values = rng.normal(size=(5, 2, 3))
    spline = Spline(TIMES, values, tension=0.3, continuity=-0.2, bias=0.4)
    assert np.abs(spline(TIMES) - values).max() < 1e-12


def test_equals_a_hermite_spline_with_its_tangents(rng: np.random.Generator) -> None:
    values = rng.normal(size=(5, 3))
    chords = np.diff(values, axis=0) / np.diff(TIMES)[:, None]
    into, out = tangents(TIMES, chords)
    assert np.array_equal(into, out)
    at = np.linspace(0, 2.5, 101)
    assert (
        np.abs(Spline(TIMES, values)(at) - CubicHermiteSpline(TIMES, values, out)(at)).max() < 1e-12
    )
    assert (
        np.abs(
            Spline(TIMES, values).velocity(at) - CubicHermiteSpline(TIMES, values, out)(at, 1)
        ).max()
        < 1e-10
    )


def test_quadratics_are_exact_for_any_spacing() -> None:
    at = np.linspace(0, 2.5, 50)
    assert np.abs(Spline(TIMES, 3 * TIMES**2 - TIMES + 2)(at) - (3 * at**2 - at + 2)).max() < 1e-12


def test_even_keys_are_catmull_rom(rng: np.random.Generator) -> None:
    values = rng.normal(size=(6, 2))
    into, _ = tangents(np.arange(6.0), np.diff(values, axis=0))
    assert np.abs(into[1:-1] - 0.5 * (values[2:] - values[:-2])).max() < 1e-12


@pytest.mark.parametrize(
    ("parameter", "value", "expected"),
    [
        ("tension", 1.0, (0, 0)),
        ("bias", 1.0, (2.0, 2.0)),
        ("bias", -1.0, (4.0, 4.0)),
        ("continuity", -1.0, (2.0, 4.0)),
    ],
)
def test_parameters_as_in_the_paper(
    parameter: str, value: float, expected: tuple[float, float]
) -> None:
    """Chords 2 then 4: tension stops, bias leans on one chord, continuity makes a corner."""
    values = np.array([[0.0], [2.0], [6.0]])
    into, out = tangents(np.arange(3.0), np.diff(values, axis=0), **{parameter: value})
    assert (into[1, 0], out[1, 0]) == pytest.approx(expected)


def test_holds_its_ends_and_given_velocities() -> None:
    spline = Spline([0.0, 1.0], [[1.0], [3.0]], start_velocity=[0.0], end_velocity=[0.0])
    assert spline([-5.0, 5.0]).ravel().tolist() == [1.0, 3.0]
    assert spline.velocity([0.0, 1.0]).ravel().tolist() == [0.0, 0.0]
    assert spline.velocity([-1.0]).item() == 0.0
    assert Spline([2.0], [[7.0]])([0.0, 9.0]).ravel().tolist() == [7.0, 7.0]


def test_rotations_pass_keys_and_are_smooth(rng: np.random.Generator) -> None:
    keys = random_rotations(rng, 5, 3)
    spline = RotationSpline(TIMES, keys)
    assert quat.angle_between(spline(TIMES), keys).max() < 1e-7
    step = 1e-6
    for t in TIMES[1:-1]:
        before = quat.log(quat.relative(spline(t - step), spline(t))) / step
        after = quat.log(quat.relative(spline(t), spline(t + step))) / step
        assert np.abs(before - after).max() < 1e-3


def test_rotations_about_one_axis_equal_the_plain_spline() -> None:
    angles = np.array([0.0, 0.7, 0.2, 1.4, 1.0])
    keys = quat.from_axis_angle([0.0, 0.6, 0.8], angles)
    at = np.linspace(0, 2.5, 40)
    expected = quat.from_axis_angle([0.0, 0.6, 0.8], Spline(TIMES, angles, 0.2, 0.1, -0.3)(at))
    assert (
        quat.angle_between(RotationSpline(TIMES, keys, 0.2, 0.1, -0.3)(at), expected).max() < 1e-7
    )


def test_rotations_ignore_signs(rng: np.random.Generator) -> None:
    keys = random_rotations(rng, 5)
    at = np.linspace(0, 2.5, 40)
    flipped = keys * np.array([1, -1, 1, 1, -1])[:, None]
    assert (
        quat.angle_between(
            RotationSpline(TIMES, keys)(at), RotationSpline(TIMES, flipped)(at)
        ).max()
        < 1e-7
    )


@pytest.mark.parametrize("times", [[0, 0, 1], [0, 2, 1], [0, 1], [0, np.nan, 1]])
def test_bad_times_are_refused(times: list[float]) -> None:
    with pytest.raises(InvalidValueError):
        Spline(times, np.zeros((3, 1)))(0.0)
