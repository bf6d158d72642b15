"""Equations 2 to 5 and the re-examination against enumeration of all paths and plain loops."""

from __future__ import annotations

from itertools import pairwise, product
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.bodylanguage.choose.inference import (
    Belief,
    MarkovChain,
    advance,
    combine,
    direct_vector,
    draw,
    first_belief,
    logistic,
)
from kinesphere.maths.arrays import Floats

seeds = st.integers(0, 2**32 - 1)
SEEN = 4


def tiny(rng: np.random.Generator, n: int, constant: bool) -> MarkovChain:
    """A chain of `n` clusters with random parameters; now and then something is impossible."""
    transitions = np.zeros((2 * n, 2 * n))
    for state in range(2 * n):
        transitions[state, :n] = rng.random(n) * (rng.random(n) > 0.2)
        transitions[state, state % n] += 0.1
        if state < n:
            transitions[state, n + state] = rng.random()
    transitions /= transitions.sum(axis=1, keepdims=True)
    observations = rng.random((2 * n, SEEN)) + 0.01
    slopes = np.zeros(n) if constant else -rng.uniform(0.0, 5.0, n)
    prior = rng.random(2 * n) + 0.05
    return MarkovChain(
        transitions,
        observations / observations.sum(axis=1, keepdims=True),
        np.stack([rng.normal(0.5, 1.5, n), slopes], axis=1),
        rng.uniform(0.3, 1.5, n),
        prior / prior.sum(),
    )


def sigmoid(x: float) -> float:
    return 1.0 / (1.0 + exp(-x))


def likelihood(chain: MarkovChain, a: int, b: int, going: float) -> float:
    """P(next state is b | a), equation 1, for motions that go on with probability `going`."""
    n = len(chain)
    if a < n:
        return float(chain.transitions[a, b])
    if b == a:
        return going
    return 0.0 if b >= n else (1.0 - going) * float(chain.transitions[a, b])


def enumerated(
    chain: MarkovChain, heard: list[int], passed_s: list[float], ended: int | None = None
) -> tuple[Floats, Floats]:
    """Forward vector and tau-bar as sums over all paths of states; curves must be constant.

    `ended` is a cluster that cannot go on at the last observation: what is left to its states is
    their other ways out, which sum to 1 again.
    """
    n, states = len(chain), range(2 * len(chain))
    goes = [sigmoid(float(c)) for c in chain.curves[:, 0]]
    alpha, tau = np.zeros(2 * n), np.zeros(n)
    for path in product(states, repeat=len(heard) + 1):
        weight, elapsed = float(chain.prior[path[0]]), 0.0
        for k, (a, b) in enumerate(pairwise(path)):
            going = goes[a % n]
            step = likelihood(chain, a, b, going)
            if k == len(heard) - 1 and a % n == ended:
                staying = likelihood(chain, a, n + a % n, going)
                step = 0.0 if b == n + a % n else step / (1.0 - staying)
            weight *= step * float(chain.observations[b, heard[k]])
            share = passed_s[k] / float(chain.lengths_s[b % n])
            elapsed = 0.0 if b < n else share + (elapsed if a >= n else 0.0)
        alpha[path[-1]] += weight
        if path[-1] >= n:
            tau[path[-1] - n] += weight * elapsed
    mass = alpha[n:]
    return alpha / alpha.sum(), np.divide(tau, mass, out=np.zeros(n), where=mass > 0.0)


def followed(
    chain: MarkovChain, heard: list[int], passed_s: list[float], ended: int | None = None
) -> Belief:
    """The same by `advance`."""
    belief = first_belief(chain)
    for k, (number, passed) in enumerate(zip(heard, passed_s, strict=True)):
        last = k == len(heard) - 1
        belief = advance(chain, belief, number, passed, ended if last else None)
    return belief


@settings(max_examples=40)
@given(seeds, st.sampled_from([(1, 5), (2, 4), (3, 3)]))
def test_forward_vector_and_tau_are_sums_over_all_paths(seed: int, size: tuple[int, int]) -> None:
    rng = np.random.default_rng(seed)
    n, count = size
    chain = tiny(rng, n, constant=True)
    heard = rng.integers(SEEN, size=count).tolist()
    passed_s = rng.uniform(0.0, 0.6, count).tolist()
    belief = followed(chain, heard, passed_s)
    alpha, tau = enumerated(chain, heard, passed_s)
    assert np.abs(belief.alpha - alpha).max() < 1e-12
    assert np.abs(belief.tau - tau).max() < 1e-12


@settings(max_examples=30)
@given(seeds, st.sampled_from([(1, 4), (2, 3), (3, 3)]))
def test_a_motion_that_cannot_go_on_changes_the_last_step_alone(
    seed: int, size: tuple[int, int]
) -> None:
    rng = np.random.default_rng(seed)
    n, count = size
    chain = tiny(rng, n, constant=True)
    heard = rng.integers(SEEN, size=count).tolist()
    passed_s = rng.uniform(0.05, 0.6, count).tolist()
    ended = int(rng.integers(n))
    belief = followed(chain, heard, passed_s, ended)
    alpha, tau = enumerated(chain, heard, passed_s, ended)
    assert belief.alpha[n + ended] == 0.0
    assert np.abs(belief.alpha - alpha).max() < 1e-12
    assert np.abs(belief.tau - tau).max() < 1e-12


@settings(max_examples=60)
@given(seeds, st.integers(1, 6))
def test_one_step_with_curves_is_the_printed_sum(seed: int, n: int) -> None:
    # Given the same tau-bar, every entry of equations 2 and 4 in plain loops.
    rng = np.random.default_rng(seed)
    chain = tiny(rng, n, constant=False)
    alpha = rng.random(2 * n)
    belief = Belief(alpha / alpha.sum(), rng.uniform(0.0, 1.2, n))
    number, passed = int(rng.integers(SEEN)), float(rng.uniform(0.0, 0.8))
    after = advance(chain, belief, number, passed)
    goes = []
    for i in range(n):
        elapsed = float(belief.tau[i]) + passed / float(chain.lengths_s[i])
        goes.append(sigmoid(float(chain.curves[i, 0]) + float(chain.curves[i, 1]) * elapsed))
    expected = np.zeros(2 * n)
    for b in range(2 * n):
        for a in range(2 * n):
            expected[b] += belief.alpha[a] * likelihood(chain, a, b, goes[a % n])
        expected[b] *= chain.observations[b, number]
    assert np.abs(after.alpha - expected / expected.sum()).max() < 1e-12
    for i in range(n):
        step = passed / chain.lengths_s[i]
        stayed = belief.alpha[n + i] * goes[i]
        entered = belief.alpha[i] * chain.transitions[i, n + i]
        share = stayed * (belief.tau[i] + step) + entered * step
        assert after.tau[i] == pytest.approx(share / (stayed + entered), abs=1e-12)


@settings(max_examples=60)
@given(seeds, st.integers(1, 6))
def test_the_direct_vector_is_equation_5(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    chain = tiny(rng, n, constant=False)
    state, number = int(rng.integers(2 * n)), int(rng.integers(SEEN))
    elapsed = float(rng.uniform(0.0, 1.5))
    i = state % n
    going = sigmoid(float(chain.curves[i, 0]) + float(chain.curves[i, 1]) * elapsed)
    rows = {False: [likelihood(chain, state, b, going) for b in range(2 * n)]}
    rows[True] = [0.0 if b == n + i else p for b, p in enumerate(rows[False])]
    for ended, row in rows.items():
        expected = np.array(row) * chain.observations[:, number]
        found = direct_vector(chain, state, number, elapsed, ended)
        assert np.abs(found - expected / expected.sum()).max() < 1e-12


@settings(max_examples=60)
@given(seeds, st.integers(1, 6))
def test_the_choice_is_the_product_of_both(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    alpha, gamma = rng.random(2 * n), rng.random(2 * n) * (rng.random(2 * n) > 0.5)
    gamma[rng.integers(2 * n)] = 0.3
    alpha, gamma = alpha / alpha.sum(), gamma / gamma.sum()
    found = combine(Belief(alpha, np.zeros(n)), gamma)
    expected = [a * g for a, g in zip(alpha, gamma, strict=True)]
    assert np.abs(found - np.array(expected) / sum(expected)).max() < 1e-12
    assert (found[gamma == 0.0] == 0.0).all()


def test_a_choice_that_nothing_supports_is_the_direct_one() -> None:
    belief = Belief(np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(2))
    gamma = np.array([0.0, 0.25, 0.75, 0.0])
    assert np.array_equal(combine(belief, gamma), gamma)


@settings(max_examples=60)
@given(seeds, st.integers(1, 8))
def test_beliefs_stay_distributions_and_read_only(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    chain = tiny(rng, n, constant=False)
    belief = first_belief(chain, int(rng.integers(2 * n)))
    for _ in range(30):
        ended = int(rng.integers(n)) if rng.random() < 0.2 else None
        belief = advance(chain, belief, int(rng.integers(SEEN)), rng.uniform(0.0, 2.0), ended)
        assert belief.alpha.sum() == pytest.approx(1.0, abs=1e-12)
        assert (belief.alpha >= 0.0).all()
        assert (belief.tau >= 0.0).all()
        assert not belief.alpha.flags.writeable
        assert not belief.tau.flags.writeable


def impossible(observation: int) -> MarkovChain:
    """Two clusters that can never be left, of which the second makes one observation only."""
    transitions = np.zeros((4, 4))
    transitions[[0, 1, 2, 3], [0, 1, 0, 1]] = 1.0
    observations = np.full((4, SEEN), 1.0 / SEEN)
    observations[[0, 2], observation] = 0.0
    curves = np.tile([0.0, -1.0], (2, 1))
    return MarkovChain(transitions, observations, curves, np.ones(2), np.full(4, 0.25))


def test_a_belief_that_vanishes_starts_again_from_the_prior() -> None:
    chain = impossible(3)
    belief = advance(chain, first_belief(chain, 0), 3, 0.2)
    assert belief.alpha.tolist() == [0.0, 0.5, 0.0, 0.5]
    assert belief.tau.tolist() == [0.0, 0.0]
    # The direct vector has no way either, and follows the observation alone.
    assert direct_vector(chain, 0, 3, 0.2).tolist() == [0.0, 0.5, 0.0, 0.5]
    assert direct_vector(chain, 3, 3, 1.0, ended=True).tolist() == [0.0, 1.0, 0.0, 0.0]


def test_an_observation_that_nothing_makes_leaves_the_prior() -> None:
    chain = impossible(3)
    silent = MarkovChain(
        chain.transitions, np.zeros((4, SEEN)), *(chain.curves, np.ones(2), chain.prior)
    )
    assert advance(silent, first_belief(silent, 2), 1, 0.1).alpha.tolist() == [0.25] * 4
    assert direct_vector(silent, 2, 1, 0.5, ended=True).tolist() == [0.5, 0.5, 0.0, 0.0]


def test_the_first_belief_is_the_prior_or_one_state() -> None:
    chain = tiny(np.random.default_rng(1), 3, constant=False)
    assert np.array_equal(first_belief(chain).alpha, chain.prior)
    assert first_belief(chain, 4).alpha.tolist() == [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]


def test_the_logistic_curve_does_not_overflow() -> None:
    x = np.array([-1e308, -800.0, -1.0, 0.0, 2.0, 800.0, 1e308])
    found = logistic(x)
    assert found[[0, 1, 3, 5, 6]].tolist() == [0.0, 0.0, 0.5, 1.0, 1.0]
    assert found[[2, 4]] == pytest.approx([1 / (1 + exp(1.0)), 1 / (1 + exp(-2.0))], abs=1e-15)


@given(
    st.lists(st.floats(0.0, 1.0), min_size=1, max_size=12), st.floats(0.0, 1.0, exclude_max=True)
)
def test_a_draw_falls_where_the_shares_say_and_never_on_nothing(
    shares: list[float], uniform: float
) -> None:
    if sum(shares) <= 1e-300:
        shares[0] = 1.0
    distribution = np.array(shares) / sum(shares)
    number = draw(distribution, uniform)
    assert distribution[number] > 0.0
    assert distribution[:number].sum() <= uniform + 1e-9
    assert distribution[: number + 1].sum() >= uniform - 1e-9


def test_draws_are_as_frequent_as_their_shares() -> None:
    shares = np.array([0.1, 0.0, 0.6, 0.3])
    uniforms = (np.arange(10_000) + 0.5) / 10_000
    counts = np.bincount([draw(shares, u) for u in uniforms], minlength=4)
    assert counts.tolist() == [1000, 0, 6000, 3000]
