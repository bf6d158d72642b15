"""Antagonistic control: exact at rest under any load, tracks that add up, Table 6.3."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere.dynamics.tension.antagonistic import Gains, SetPoints, end_gains
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats


def torque(points: SetPoints, gains: Gains, angle: Floats) -> Floats:
    """Torque of the two springs, N m (eq 6.4)."""
    return np.asarray(gains.low * (points.low - angle) + gains.high * (points.high - angle))


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


def test_the_drive_and_the_tension_are_all_of_it(rng: np.random.Generator) -> None:
    points, angle, load, tension = some(rng)
    gains = points.compensate(angle, load, tension)
    elsewhere = rng.normal(size=len(angle))
    plain = points.command(gains) - gains.tension * elsewhere
    assert np.allclose(torque(points, gains, elsewhere), plain)


def test_gains_hold_the_wanted_angle_under_any_load(rng: np.random.Generator) -> None:
    points, angle, load, tension = some(rng)
    gains = points.compensate(angle, load, tension)
    assert np.allclose(gains.tension, tension)
    assert np.allclose(torque(points, gains, angle), load, atol=1e-9)
    assert np.any(gains.low < 0.0)  # one of the pair may be negative
    assert np.any(gains.high < 0.0)


def test_the_rest_is_stable(rng: np.random.Generator) -> None:
    points, angle, load, tension = some(rng)
    gains = points.compensate(angle, load, tension)
    for push in (-0.1, 0.1):
        back = torque(points, gains, angle + push) - load
        assert np.all(back * push < 0.0)


def test_without_load_the_springs_pull_evenly_in_the_middle() -> None:
    points = SetPoints(np.array(-1.0), np.array(1.0))
    gains = points.compensate(0.0, 0.0, 10.0)
    assert gains.low == gains.high == 5.0


def test_table_6_3(rng: np.random.Generator) -> None:
    """Second row: main and offset add up to C of the whole, and the tension is the main track's."""
    points, angle, load, tension = some(rng)
    offset = rng.normal(scale=0.3, size=len(angle))

    def hold(at: Floats) -> Gains:
        # Gravity as a load that changes with the angle.
        return points.compensate(at, load * np.cos(at), tension)

    whole = angle + offset
    main, extra = end_gains(hold, angle, offset)
    both = main + extra
    assert np.allclose(both.high, hold(whole).high)
    assert np.allclose(both.low, hold(whole).low)
    assert np.allclose(main.high, hold(angle).high)
    assert np.allclose(main.low, hold(angle).low)
    assert np.allclose(main.tension, tension)
    assert np.allclose(extra.tension, 0.0, atol=1e-9)
    assert np.allclose(torque(points, both, whole), load * np.cos(whole), atol=1e-9)


def test_without_offset_the_offset_track_is_silent(rng: np.random.Generator) -> None:
    points, angle, load, tension = some(rng)
    _, extra = end_gains(lambda at: points.compensate(at, load, tension), angle, 0.0 * angle)
    assert not extra.high.any()
    assert not extra.low.any()


def test_a_batch_is_the_loop(rng: np.random.Generator) -> None:
    points, angle, load, tension = some(rng, 12)
    many = points.compensate(angle, load, tension)
    for i in range(12):
        one = SetPoints(points.low[i], points.high[i]).compensate(angle[i], load[i], tension[i])
        assert one.high == many.high[i]
        assert one.low == many.low[i]


def test_what_is_not_allowed() -> None:
    with pytest.raises(InvalidValueError, match="above"):
        SetPoints(np.array([0.0, 1.0]), np.array([1.0, 1.0]))
    points = SetPoints(np.array(-1.0), np.array(1.0))
    for tension in (0.0, -1.0, np.nan):
        with pytest.raises(InvalidValueError, match="positive"):
            points.compensate(0.0, 0.0, tension)
