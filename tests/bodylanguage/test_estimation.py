"""Counts against a slow loop, curves against scipy, tables against what they promise."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from kinesphere.bodylanguage.choose.inference import logistic
from kinesphere.bodylanguage.learn.estimation import (
    CurveSettings,
    StateCounts,
    count_states,
    fit_curve,
    fit_curves,
    segments_at,
)
from kinesphere.bodylanguage.smoothing import observation_table, state_shares, transition_table
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.speech.prosody.observation import OBSERVATIONS

seeds = st.integers(0, 2**32 - 1)


def recording(rng: np.random.Generator, clusters: int) -> tuple[Floats, Ints, Floats, Ints]:
    """Bounds, labels, times and numbers of a made-up recording; some fall outside."""
    bounds = np.cumsum(rng.uniform(0.1, 1.0, rng.integers(2, 12)))
    labels = rng.integers(clusters, size=len(bounds) - 1)
    times = np.sort(rng.uniform(bounds[0] - 0.5, bounds[-1] + 0.5, rng.integers(0, 25)))
    return bounds, labels, times, rng.integers(OBSERVATIONS, size=len(times))


def segment_at(bounds: Floats, time: float) -> int:
    for i in range(len(bounds) - 1):
        if bounds[i] <= time < bounds[i + 1]:
            return i
    return -1


@given(seeds)
def test_observations_fall_into_their_segments(seed: int) -> None:
    bounds, _, times, _ = recording(np.random.default_rng(seed), 3)
    found = segments_at(bounds, times)
    expected = [segment_at(bounds, t) for t in times]
    assert found.segment.tolist() == expected
    for i, t, share in zip(expected, times, found.elapsed, strict=True):
        wanted = 0.0 if i < 0 else (t - bounds[i]) / (bounds[i + 1] - bounds[i])
        assert share == pytest.approx(wanted)
    assert found.goes_on.tolist() == [a == b for a, b in itertools.pairwise(expected)]


def test_an_observation_on_a_boundary_belongs_to_what_begins() -> None:
    assert segments_at([0.0, 1.0, 2.0], [0.0, 1.0, 2.0]).segment.tolist() == [0, 1, -1]


@given(seeds, st.integers(1, 4))
def test_counts_are_those_of_a_slow_loop(seed: int, clusters: int) -> None:
    rng = np.random.default_rng(seed)
    bounds, labels, times, numbers = recording(rng, clusters)
    found = count_states(segments_at(bounds, times), labels, numbers, clusters)
    moves = np.zeros((2 * clusters, 2 * clusters))
    heard = np.zeros((2 * clusters, OBSERVATIONS))
    inside = [segment_at(bounds, t) for t in times]
    states: list[int | None] = [None]
    for before, now in itertools.pairwise(inside):
        known = before >= 0 and now >= 0
        states.append(int(labels[now]) + (clusters if before == now else 0) if known else None)
    for k in range(len(times) - 1):
        state, after = states[k], states[k + 1]
        if after is not None:  # what is to be done after it was heard
            heard[after, numbers[k]] += 1
        if state is not None and after is not None:
            moves[state, after] += 1
    assert np.array_equal(found.transitions, moves)
    assert np.array_equal(found.observations, heard)


def test_counts_of_recordings_add_up() -> None:
    rng = np.random.default_rng(4)
    parts = []
    for _ in range(3):
        bounds, labels, times, numbers = recording(rng, 3)
        parts.append(count_states(segments_at(bounds, times), labels, numbers, 3))
    total = parts[0] + parts[1] + parts[2] + StateCounts.none(3)
    assert total.observations.sum() == sum(p.observations.sum() for p in parts)
    assert total.transitions.sum() == sum(p.transitions.sum() for p in parts)


@given(seeds)
def test_a_start_never_goes_on_as_another_motion(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bounds, labels, times, numbers = recording(rng, 3)
    moves = count_states(segments_at(bounds, times), labels, numbers, 3).transitions
    elsewhere = ~np.eye(3, dtype=bool)
    assert not moves[:3, 3:][elsewhere].any()
    assert not moves[3:, 3:][elsewhere].any()


def samples(seed: int, count: int, curve: tuple[float, float]) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    elapsed = rng.uniform(0.0, 1.0, count)
    goes = rng.random(count) < logistic(curve[0] + curve[1] * elapsed)
    return elapsed, goes.astype(np.float64)


def by_scipy(
    elapsed: Floats, goes_on: Floats, centre: Floats, spread: Floats, flattest: float
) -> Floats:
    """The same maximum, found by a general method."""

    def loss(w: Floats) -> float:
        z = w[0] + w[1] * elapsed
        prior = 0.5 * (((w - centre) / spread) ** 2).sum()
        return float(prior - (goes_on * z - np.logaddexp(0.0, z)).sum())

    found = minimize(
        loss,
        [centre[0], min(centre[1], flattest)],
        method="L-BFGS-B",
        bounds=[(None, None), (None, flattest)],
        options={"ftol": 1e-15, "gtol": 1e-10},
    )
    return np.asarray(found.x)


@settings(max_examples=40)
@given(seeds, st.integers(0, 200), st.floats(-3.0, 4.0), st.floats(-8.0, 5.0))
def test_curves_are_the_maximum_that_scipy_finds(
    seed: int, count: int, intercept: float, slope: float
) -> None:
    elapsed, goes_on = samples(seed, count, (intercept, slope))
    rng = np.random.default_rng(seed)
    centre = np.array([rng.normal(), -rng.uniform(0.0, 4.0)])
    spread = rng.uniform(0.3, 6.0, 2)
    found = fit_curve(elapsed, goes_on, centre, spread, -0.05)
    expected = by_scipy(elapsed, goes_on, centre, spread, -0.05)
    assert found[1] <= -0.05
    assert np.abs(found - expected).max() < 1e-4 * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize(("slope", "held"), [(-6.0, False), (6.0, True)])
def test_a_motion_never_gets_likelier_to_go_on(slope: float, held: bool) -> None:
    elapsed, goes_on = samples(1, 300, (0.5, slope))
    found = fit_curve(elapsed, goes_on, np.zeros(2), np.array([5.0, 10.0]), -0.05)
    expected = by_scipy(elapsed, goes_on, np.zeros(2), np.array([5.0, 10.0]), -0.05)
    assert (found[1] == -0.05) == held
    assert np.abs(found - expected).max() < 1e-4


def test_the_gradient_is_gone_at_the_maximum() -> None:
    elapsed, goes_on = samples(2, 500, (3.0, -5.0))
    centre, spread = np.array([1.0, -2.0]), np.array([1.0, 1.5])
    found = fit_curve(elapsed, goes_on, centre, spread, -0.05)
    miss = goes_on - logistic(found[0] + found[1] * elapsed)
    gradient = np.array([miss.sum(), (miss * elapsed).sum()]) - (found - centre) / spread**2
    assert np.abs(gradient).max() < 1e-9


def test_perfect_separation_and_one_sided_samples_stay_finite() -> None:
    elapsed = np.linspace(0.0, 1.0, 1000)
    for goes_on in (elapsed < 0.5, elapsed < 2.0, elapsed > 2.0):
        found = fit_curve(elapsed, goes_on.astype(float), np.zeros(2), np.array([5.0, 10.0]), -0.05)
        assert np.isfinite(found).all()
        assert np.abs(found).max() < 100.0


def test_many_samples_give_the_curve_they_came_from_and_none_the_common_one() -> None:
    truth = [(4.0, -6.0), (1.0, -4.0)]
    parts = [samples(i, 20_000, curve) for i, curve in enumerate(truth)]
    cluster = np.repeat([0, 1], 20_000)
    elapsed = np.concatenate([p[0] for p in parts])
    goes_on = np.concatenate([p[1] for p in parts])
    found = fit_curves(cluster, elapsed, goes_on, 3)
    assert np.abs(found[:2] - truth).max() < 0.25
    s = CurveSettings()
    common = fit_curve(elapsed, goes_on, np.zeros(2), np.array(s.broad), s.flattest)
    assert np.array_equal(found[2], common)


def test_rare_clusters_lean_on_the_common_curve() -> None:
    elapsed, goes_on = samples(3, 4000, (3.0, -5.0))
    cluster = np.zeros(4000, dtype=int)
    odd = np.array([0.1, 0.9])
    away = []
    for copies in (1, 30):
        found = fit_curves(
            np.concatenate([cluster, np.ones(2 * copies, int)]),
            np.concatenate([elapsed, np.tile(odd, copies)]),
            np.concatenate([goes_on, np.tile([0.0, 0.0], copies)]),
            2,
        )
        away.append(np.abs(found[1] - found[0]).max())
    assert away[0] < 1.5 < away[1]


tables = st.tuples(seeds, st.integers(1, 6), st.floats(0.01, 50.0))


def random_counts(rng: np.random.Generator, n: int) -> Floats:
    """Counts as walking a recording gives them, whole numbers, most of them 0."""
    counts = rng.poisson(rng.uniform(0.0, 4.0), size=(2 * n, 2 * n)).astype(np.float64)
    counts[:, n:] *= np.tile(np.eye(n), (2, 1))
    return counts


@given(tables)
def test_tables_are_distributions_over_allowed_ways(given_table: tuple[int, int, float]) -> None:
    seed, n, strength = given_table
    counts = random_counts(np.random.default_rng(seed), n)
    table = transition_table(counts, strength)
    assert np.abs(table.sum(axis=1) - 1.0).max() < 1e-12
    assert (table[:, :n] > 0.0).all()
    assert (np.diagonal(table[:n, n:]) > 0.0).all()
    assert not table[n:, n:].any()
    assert not table[:n, n:][~np.eye(n, dtype=bool)].any()
    # Going on from a continuation is the curve's affair.
    also = counts.copy()
    also[n:, n:] += 7.0 * np.eye(n)
    assert np.array_equal(transition_table(also, strength), table)


@given(tables)
def test_observations_and_shares_are_distributions_without_zeros(
    given_table: tuple[int, int, float],
) -> None:
    seed, n, strength = given_table
    rng = np.random.default_rng(seed)
    counts = rng.poisson(rng.uniform(0.0, 2.0), size=(2 * n, OBSERVATIONS)).astype(np.float64)
    table, shares = observation_table(counts, strength), state_shares(counts)
    assert np.abs(table.sum(axis=1) - 1.0).max() < 1e-12
    assert (table > 0.0).all()
    assert shares.sum() == pytest.approx(1.0, abs=1e-12)
    assert (shares > 0.0).all()


@given(seeds)
def test_many_counts_drown_the_smoothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 3
    counts = random_counts(rng, n)
    allowed = counts.copy()
    allowed[n:, n:] = 0.0
    assume((allowed.sum(axis=1) > 0.0).all())
    wanted = allowed / allowed.sum(axis=1, keepdims=True)
    misses = [
        np.abs(transition_table(times * counts, 3.0) - wanted).max() for times in (1.0, 1e3, 1e6)
    ]
    assert misses[0] >= misses[1] >= misses[2]
    assert misses[2] < 1e-5
    heard = rng.poisson(2.0, size=(2 * n, OBSERVATIONS)) + 1.0
    frequencies = heard / heard.sum(axis=1, keepdims=True)
    assert np.abs(observation_table(1e6 * heard, 6.0) - frequencies).max() < 1e-5
    assert np.abs(state_shares(1e6 * heard) - heard.sum(axis=1) / heard.sum()).max() < 1e-5


def test_without_counts_all_motions_are_alike() -> None:
    table = transition_table(np.zeros((6, 6)), 3.0)
    assert table[3:, :3] == pytest.approx(1.0 / 3.0)
    assert table[:3, :3] == pytest.approx(1.0 / 6.0)
    assert observation_table(np.zeros((6, OBSERVATIONS)), 6.0) == pytest.approx(1 / OBSERVATIONS)
    assert state_shares(np.zeros((6, OBSERVATIONS))) == pytest.approx(1 / 6)


def test_smoothing_leans_on_what_is_usual() -> None:
    # An unseen row takes over what motions usually begin, and what is usually heard.
    counts = np.zeros((4, 4))
    counts[0, 1] = counts[2, 1] = 30.0
    table = transition_table(counts, 3.0)
    assert table[3, 1] > 0.9
    heard = np.zeros((4, OBSERVATIONS))
    heard[:2, 5] = 50.0
    assert observation_table(heard, 6.0)[3, 5] > 0.9
