"""Random numbers, events and nods of the figure engine against plain references."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.figure import random_kernels as chance_kernels
from kinesphere.figure.standing import wander_kernels
from kinesphere.figure.standing.body_settings import BodySettings, settings_row
from kinesphere.maths.curves import minimum_jerk
from tests.animation.plain_chance import NOD, SHIFT, between, normal, uniform

seeds = st.integers(-(2**63), 2**63 - 1)


def plain_event(
    seed: int, stream: int, every_s: tuple[float, float], time_s: float
) -> tuple[int, float]:
    """The last of all events about a time."""
    mean_s, half = sum(every_s) / 2.0, (every_s[1] - every_s[0]) / 4.0
    middle = int(np.floor(time_s / mean_s))
    times = {
        i: i * mean_s + between(-half, half, seed, stream, i, 0)
        for i in range(middle - 3, middle + 4)
    }
    return max((i, at) for i, at in times.items() if at <= time_s)


def plain_nod(seed: int, time_s: float, s: BodySettings) -> tuple[float, float]:
    i, at_s = plain_event(seed, NOD, (s.nod_first_s, s.nod_last_s), time_s)
    size, kind = between(0.6, 1.4, seed, NOD, i, 1), uniform(seed, NOD, i, 2)

    def step(start_s: float, takes_s: float) -> float:
        return float(minimum_jerk((time_s - at_s - start_s) / takes_s))

    if kind >= 0.6:
        back_s = 0.7 + between(0.9, 2.1, seed, NOD, i, 3)
        aside = step(0.0, 0.7) - step(back_s, 0.9)
        return 0.0, s.tilt_rad * size * aside * (1.0 if kind < 0.8 else -1.0)
    h = between(0.22, 0.34, seed, NOD, i, 3)
    down = step(0.0, h) - step(h, 1.3 * h)
    if kind < 0.25:
        down += 0.6 * (step(2.3 * h, h) - step(3.3 * h, 1.4 * h))
    return s.nod_rad * size * down, 0.0


@given(seeds, st.integers(-3, 9), st.integers(-(2**40), 2**40), st.integers(0, 30))
def test_chance_is_that_of_whole_numbers(seed: int, stream: int, place: int, column: int) -> None:
    assert chance_kernels.uniform(seed, stream, place, column) == uniform(
        seed, stream, place, column
    )
    wanted = normal(seed, stream, place, column)
    assert chance_kernels.normal(seed, stream, place, column) == pytest.approx(wanted, abs=1e-12)


def test_chance_is_even_and_unrelated() -> None:
    """Of neighbouring seeds, streams, places and columns."""
    drawn = np.array(
        [
            [[[uniform(a, b, c, d) for d in range(6)] for c in range(12)] for b in range(5)]
            for a in range(12)
        ]
    )
    assert drawn.mean() == pytest.approx(0.5, abs=0.02)
    assert drawn.std() == pytest.approx(12.0**-0.5, abs=0.01)
    for axis in range(4):
        first, second = (np.take(drawn, range(i, drawn.shape[axis] - 1 + i), axis) for i in (0, 1))
        assert abs(np.corrcoef(first.ravel(), second.ravel())[0, 1]) < 0.06


@pytest.mark.parametrize("stream", [SHIFT, NOD])
def test_events_keep_their_distance(stream: int) -> None:
    found = {wander_kernels.event_before(9, stream, 3.5, 9.0, t) for t in np.arange(-50, 3000, 0.5)}
    ordered = sorted(found)
    assert np.array_equal(np.diff([i for i, _ in ordered]), np.ones(len(found) - 1))
    apart = np.diff([at for _, at in ordered])
    assert apart.min() >= 3.5
    assert apart.max() <= 9.0
    assert np.ptp(apart) > 3.0


@given(seeds, st.floats(-50.0, 5000.0))
@settings(max_examples=80, deadline=None)
def test_nods_of_a_listener_are_the_plain_ones(seed: int, time_s: float) -> None:
    found = wander_kernels.nod_and_tilt(seed, time_s, settings_row(BodySettings()))
    assert found == pytest.approx(plain_nod(seed, time_s, BodySettings()), abs=1e-9)
