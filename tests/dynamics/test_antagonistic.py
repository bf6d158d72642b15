"""Antagonistic control: exact at rest under any load, tracks that add up, Table 6.3."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere.dynamics.tension.antagonistic import (
    Gains,
    SetPoints,
    between,
    end_gains,
    initial_gains,
)
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats


def some(rng: np.random.Generator, n: int = 500) -> tuple[SetPoints, Floats, Floats, Floats]:
    """Set points, wanted angles also beyond them, loads, tensions."""
    low = rng.uniform(-3.0, 0.5, size=n)
    points = SetPoints(low, low + rng.uniform(0.1, 4.0, size=n))
    return (
        points,
        rng.uniform(-3.5, 3.5, n),
        rng.normal(scale=30.0, size=n),
        rng.uniform(0.1, 300, n),
    )


def test_the_torque_is_that_of_two_springs_and_damping() -> None:
    points = SetPoints(np.array(-1.0), np.array(2.0))
    gains = Gains(np.array(3.0), np.array(5.0))
    # kL (tL - t) + kH (tH - t) - kd t' = 5 (-1 - 0.5) + 3 (2 - 0.5) - 0.7 * 4
    assert points.torque(gains, 0.5, 4.0, 0.7) == pytest.approx(-7.5 + 4.5 - 2.8)
    assert gains.tension == 8.0


def test_the_drive_and_the_tension_are_all_of_it(rng: np.random.Generator) -> None:
    points, angle, load, tension = some(rng)
    gains = points.compensated(angle, load, tension)
    elsewhere = rng.normal(size=len(angle))
    plain = points.command(gains) - gains.tension * elsewhere
    assert np.allclose(points.torque(gains, elsewhere), plain)


def test_gains_hold_the_wanted_angle_under_any_load(rng: np.random.Generator) -> None:
    points, angle, load, tension = some(rng)
    gains = points.compensated(angle, load, tension)
    assert np.allclose(gains.tension, tension)
    assert np.allclose(points.torque(gains, angle), load, atol=1e-9)
    assert np.allclose(points.rest_angle(gains, load), angle)
    assert np.any(gains.low < 0.0)  # one of the pair may be negative
    assert np.any(gains.high < 0.0)


def test_the_rest_is_stable(rng: np.random.Generator) -> None:
    points, angle, load, tension = some(rng)
    gains = points.compensated(angle, load, tension)
    for push in (-0.1, 0.1):
        back = points.torque(gains, angle + push) - load
        assert np.all(back * push < 0.0)


def test_without_load_the_springs_pull_evenly_in_the_middle() -> None:
    points = SetPoints(np.array(-1.0), np.array(1.0))
    gains = points.compensated(0.0, 0.0, 10.0)
    assert gains.low == gains.high == 5.0


def test_torque_is_the_slope_of_the_energy(rng: np.random.Generator) -> None:
    points, angle, load, tension = some(rng)
    gains = points.compensated(angle, load, tension)
    at, h = rng.normal(size=len(angle)), 1e-6
    slope = (points.energy(gains, at + h) - points.energy(gains, at - h)) / (2 * h)
    assert np.allclose(points.torque(gains, at), -slope, atol=1e-4)


def test_table_6_3(rng: np.random.Generator) -> None:
    """Both rows: main and offset add up to C of the whole, and the tension is the main track's."""
    points, angle, load, tension = some(rng)
    offset = rng.normal(scale=0.3, size=len(angle))

    def hold(at: Floats) -> Gains:
        # Gravity as a load that changes with the angle.
        return points.compensated(at, load * np.cos(at), tension)

    for rule, whole, alone in (
        (initial_gains, angle, angle - offset),
        (end_gains, angle + offset, angle),
    ):
        main, extra = rule(hold, angle, offset)
        both = main + extra
        assert np.allclose(both.high, hold(whole).high)
        assert np.allclose(both.low, hold(whole).low)
        assert np.allclose(main.high, hold(alone).high)
        assert np.allclose(main.low, hold(alone).low)
        assert np.allclose(main.tension, tension)
        assert np.allclose(extra.tension, 0.0, atol=1e-9)
        assert np.allclose(points.torque(both, whole), load * np.cos(whole), atol=1e-9)


def test_without_offset_the_offset_track_is_silent(rng: np.random.Generator) -> None:
    points, angle, load, tension = some(rng)
    for rule in (initial_gains, end_gains):
        _, extra = rule(lambda at: points.compensated(at, load, tension), angle, 0.0 * angle)
        assert not extra.high.any()
        assert not extra.low.any()


def test_a_transition_starts_and_ends_with_its_gains(rng: np.random.Generator) -> None:
    points, angle, load, tension = some(rng)
    a, b = (points.compensated(at, load, tension) for at in (angle, angle + 0.4))
    for ratio, end in ((0.0, a), (1.0, b)):
        assert np.allclose(between(a, b, ratio).high, end.high)
        assert np.allclose(between(a, b, ratio).low, end.low)
    halfway = between(a, b, 0.5)
    assert np.allclose(halfway.tension, tension)
    assert np.allclose(points.rest_angle(halfway, load), angle + 0.2)


def test_a_batch_is_the_loop(rng: np.random.Generator) -> None:
    points, angle, load, tension = some(rng, 12)
    many = points.compensated(angle, load, tension)
    for i in range(12):
        one = SetPoints(points.low[i], points.high[i]).compensated(angle[i], load[i], tension[i])
        assert one.high == many.high[i]
        assert one.low == many.low[i]


def test_what_is_not_allowed() -> None:
    with pytest.raises(InvalidValueError, match="above"):
        SetPoints(np.array([0.0, 1.0]), np.array([1.0, 1.0]))
    points = SetPoints(np.array(-1.0), np.array(1.0))
    for tension in (0.0, -1.0, np.nan):
        with pytest.raises(InvalidValueError, match="positive"):
            points.compensated(0.0, 0.0, tension)
