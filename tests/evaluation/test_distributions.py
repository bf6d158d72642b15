"""Histograms and the Hellinger distance: a metric between 0 and 1, over fixed bins."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from kinesphere.errors import InvalidValueError
from kinesphere.evaluation.distributions import QUANTITIES, Histogram, hellinger, histogram
from kinesphere.evaluation.movement import WristMotion, wrist_motion
from kinesphere.maths.arrays import Floats
from tests.evaluation.test_movement import RIG, SCALE, along, moved_wrists, moves, talk

SHARES = arrays(np.float64, 9, elements=st.floats(0.0, 1.0)).filter(lambda p: p.sum() > 1e-6)


def talking(seed: int, seconds: float = 20.0, calm: float = 1.0) -> WristMotion:
    paths = (talk(2 * seed, seconds, calm=calm), talk(2 * seed + 1, seconds, calm=calm))
    return wrist_motion(moved_wrists(*paths), RIG)


def wrist_histogram(motions: list[WristMotion], quantity: str) -> Histogram:
    """Of both wrists of all motions together."""
    chosen = QUANTITIES[quantity]
    values = [chosen.of(motion).ravel() for motion in motions]
    return histogram(np.concatenate(values), chosen.edges)


@given(SHARES, SHARES, SHARES)
def test_hellinger_is_a_metric(p: Floats, q: Floats, r: Floats) -> None:
    assert hellinger(p, p) == 0.0
    assert hellinger(p, q) == hellinger(q, p)
    assert 0.0 <= hellinger(p, q) <= 1.0
    assert hellinger(p, r) <= hellinger(p, q) + hellinger(q, r) + 1e-12
    overlap = np.sum(np.sqrt(p / p.sum() * q / q.sum()))
    assert hellinger(p, q) == pytest.approx(np.sqrt(max(1.0 - overlap, 0.0)), abs=1e-7)
    # Counts and shares are the same; so is any order of the bins.
    order = np.random.default_rng(0).permutation(9)
    assert hellinger(7.0 * p[order], q[order]) == pytest.approx(hellinger(p, q), abs=1e-7)


def test_disjoint_is_one_and_nothing_is_not_a_number() -> None:
    assert hellinger([0.3, 0.7, 0.0, 0.0], [0.0, 0.0, 0.2, 0.8]) == 1.0
    assert np.isnan(hellinger([0.0, 0.0], [0.5, 0.5]))
    # Two Gaussians have it in closed form.
    edges = np.linspace(-12.0, 12.0, 4001)
    at = 0.5 * (edges[1:] + edges[:-1])
    p, q = np.exp(-0.5 * at**2), np.exp(-0.5 * ((at - 1.0) / 2.0) ** 2)
    expected = 1.0 - np.sqrt(2 * 1.0 * 2.0 / (1.0 + 4.0)) * np.exp(-0.25 / 5.0)
    assert hellinger(p, q) == pytest.approx(np.sqrt(expected), abs=1e-6)


@pytest.mark.parametrize(("p", "q"), [([0.5, 0.5], [1.0]), ([-0.1, 1.1], [0.5, 0.5])])
def test_what_is_no_distribution_is_refused(p: list[float], q: list[float]) -> None:
    with pytest.raises(InvalidValueError):
        hellinger(p, q)


def test_every_value_is_in_its_bin(rng: np.random.Generator) -> None:
    values, edges = rng.lognormal(size=500), np.array([0.0, 0.5, 1.0, 2.0, np.inf])
    found = histogram(values, edges)
    plain = [np.mean((values >= a) & (values < b)) for a, b in pairwise(edges)]
    assert found.shares == pytest.approx(plain)
    assert found.count == 500
    # An edge belongs to the bin above it; NaN and what is below do not count.
    assert histogram([0.5, 1.0, np.nan, -1.0, np.inf], edges).shares == pytest.approx(
        [0, 0.5, 0.5, 0]
    )
    assert histogram([], edges).shares.sum() == 0.0
    with pytest.raises(InvalidValueError, match="ascend"):
        Histogram(np.array([1.0, 1.0]), np.array([1.0]), 3)


def test_bins_hold_what_people_do() -> None:
    motion = talking(1)
    for name, quantity in QUANTITIES.items():
        found = wrist_histogram([motion], name)
        assert found.shares.sum() == pytest.approx(1.0)
        assert found.count == 2 * len(motion)
        assert found.shares[-1] < 0.01
        inner = np.diff(np.log(quantity.edges[1:-1]))
        assert inner == pytest.approx(np.full(len(inner), inner[0]))


def test_pooled_is_the_mean_of_the_parts_and_order_does_not_matter() -> None:
    first, second = talking(1), talking(2)
    both = wrist_histogram([first, second], "jerk")
    again = wrist_histogram([second, first], "jerk")
    assert both.shares == pytest.approx(again.shares)
    parts = [wrist_histogram([m], "jerk") for m in (first, second)]
    total = sum(p.shares * p.count for p in parts)
    assert both.shares * both.count == pytest.approx(total)


def test_a_hand_at_one_speed_is_in_one_bin() -> None:
    """A circle of 0.2 m once a second: 1.26 m/s, 7.9 m/s2, 49.6 m/s3."""
    t = np.arange(1201) / 60.0
    turn = 2.0 * np.pi * t
    path = 0.2 / SCALE * np.stack([np.cos(turn), np.sin(turn), 0.0 * t], axis=1)
    motion = wrist_motion(moved_wrists(path, path), RIG)
    for name, value in (("speed", 1.257), ("acceleration", 7.90), ("jerk", 49.6)):
        edges = QUANTITIES[name].edges
        found = wrist_histogram([motion], name)
        here = np.searchsorted(edges, value, side="right") - 1
        near = slice(here - 1, here + 2)
        assert found.shares[near].sum() > 0.95


def test_faster_is_farther() -> None:
    calm = wrist_histogram([talking(1, 40.0)], "speed").shares
    other = wrist_histogram([talking(2, 40.0)], "speed").shares
    fast = wrist_histogram([talking(3, 40.0, calm=0.7)], "speed").shares
    faster = wrist_histogram([talking(4, 40.0, calm=0.5)], "speed").shares
    assert hellinger(calm, other) < 0.5 * hellinger(calm, fast)
    assert hellinger(calm, fast) < hellinger(calm, faster)
    still = wrist_histogram(
        [wrist_motion(moved_wrists(along(moves(1, 0.0, 1.0, 9.0))), RIG)], "speed"
    )
    assert still.shares[0] == 1.0
