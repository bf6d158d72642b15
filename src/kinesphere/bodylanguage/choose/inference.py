"""Inference of the next state from observations: sections 7 and 8 of the 2009 paper.

A motion cluster ``i`` of ``n`` has a start state ``s_i`` (number ``i``) and a continuation state
``c_i`` (number ``n + i``). `Belief` is the forward vector with the expected elapsed proportion of
each segment; `advance` updates it with an observation (equations 2 to 4), `direct_vector` follows
from the current state (equation 5), `combine` is their product.

Equation 4 as published divides by alpha_t(c_i), which also contains the observation and the
normaliser; the divisor here is the probability that arrives at c_i, so that tau-bar is the
expectation that the paper defines. A forward vector that vanishes restarts from the prior.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinesphere.maths.arrays import Floats, read_only


@dataclass(frozen=True, eq=False)
class MarkovChain:
    """Parameters of the hidden Markov model of one stream, with ``n`` clusters.

    Parameters
    ----------
    transitions : ``[2n, 2n]`` from row to column. Rows of start states lead to any start state or
        to their own continuation; rows of continuation states to start states, given that the
        segment does not continue (T of the paper).
    observations : ``[2n, 36]`` probability of each observation in each state (O).
    curves : ``[n, 2]`` intercept and slope of the logistic continuation curve.
    lengths_s : ``[n]`` mean length of a cluster's segments.
    prior : ``[2n]`` how often each state occurs.
    """

    transitions: Floats
    observations: Floats
    curves: Floats
    lengths_s: Floats
    prior: Floats

    def __len__(self) -> int:
        return len(self.curves)

    def goes_on(self, elapsed: Floats) -> Floats:
        """Probability f_i that each segment continues at its elapsed proportion (``[n]``)."""
        return logistic(self.curves[:, 0] + self.curves[:, 1] * elapsed)


class Belief(NamedTuple):
    """The forward vector ``[2n]`` and expected elapsed proportions tau-bar ``[n]``."""

    alpha: Floats
    tau: Floats


def logistic(x: Floats) -> Floats:
    """1 / (1 + exp(-x)), without overflow."""
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * x))


def first_belief(chain: MarkovChain, state: int | None = None) -> Belief:
    """Before any observation: the prior, or one state with probability 1."""
    alpha = chain.prior.copy()
    if state is not None:
        alpha[:] = 0.0
        alpha[state] = 1.0
    return Belief(read_only(alpha), read_only(np.zeros(len(chain))))


def advance(
    chain: MarkovChain, belief: Belief, observation: int, passed_s: float, ended: int | None = None
) -> Belief:
    """Forward vector after one more observation (equations 2 to 4).

    Parameters
    ----------
    passed_s : time since the last observation.
    ended : a cluster that is known not to continue (section 8.3), or None.
    """
    n = len(chain)
    step = passed_s / chain.lengths_s
    elapsed = belief.tau + step
    going = chain.goes_on(elapsed)
    table = chain.transitions
    entering = table[np.arange(n), n + np.arange(n)].copy()  # T(s_i, c_i)
    leaving = np.ones(n)  # the other transitions from s_i, rescaled
    if ended is not None:
        going = going.copy()
        going[ended] = 0.0
        left = 1.0 - entering[ended]
        leaving[ended] = 1.0 / left if left > 0.0 else 0.0
        entering[ended] = 0.0
    starts, goes = belief.alpha[:n], belief.alpha[n:]
    begun = (starts * leaving) @ table[:n, :n] + (goes * (1.0 - going)) @ table[n:, :n]
    carried, entered = goes * going, starts * entering
    arriving = carried + entered
    alpha = np.concatenate([begun, arriving]) * chain.observations[:, observation]
    mass = alpha.sum()
    if not mass > 0.0:
        return restart(chain, observation)
    safe = np.where(arriving > 0.0, arriving, 1.0)
    tau = np.where(arriving > 0.0, (carried * elapsed + entered * step) / safe, 0.0)
    return Belief(read_only(alpha / mass), read_only(tau))


def restart(chain: MarkovChain, observation: int) -> Belief:
    """Forward vector from one observation alone, independent of the past."""
    alpha = chain.prior * chain.observations[:, observation]
    mass = alpha.sum()
    if not mass > 0.0:
        alpha, mass = chain.prior, chain.prior.sum()
    return Belief(read_only(alpha / mass), read_only(np.zeros(len(chain))))


def start_states(chain: MarkovChain) -> Floats:
    """1 for the start states, 0 for the continuation states, ``[2n]``."""
    return np.repeat([1.0, 0.0], len(chain))


def direct_vector(
    chain: MarkovChain, state: int, observation: int, elapsed: float, ended: bool = False
) -> Floats:
    """Distribution ``[2n]`` of the next state from the current one alone (equation 5).

    Parameters
    ----------
    state : the current one.
    elapsed : elapsed proportion of the current segment; used for a continuation.
    ended : whether the current segment cannot continue.
    """
    n = len(chain)
    out = chain.transitions[state].copy()
    cluster = state % n
    if state >= n:
        intercept, slope = chain.curves[cluster]
        going = 0.0 if ended else float(logistic(np.array(intercept + slope * elapsed)))
        out *= 1.0 - going
        out[n + cluster] = going
    elif ended:
        out[n + cluster] = 0.0
    out *= chain.observations[:, observation]
    mass = out.sum()
    if not mass > 0.0:  # no transition is possible: any start that fits
        out = chain.prior * chain.observations[:, observation]
        if ended:
            out[n + cluster] = 0.0
        mass = out.sum()
        if not mass > 0.0:
            out[:n] = 1.0
            mass = out.sum()
    return np.asarray(out / mass)


def combine(belief: Belief, gamma: Floats) -> Floats:
    """Normalised product of forward and direct vector; the direct one where they are disjoint."""
    product = belief.alpha * gamma
    mass = product.sum()
    return np.asarray(product / mass) if mass > 0.0 else gamma


def draw(distribution: Floats, uniform: float) -> int:
    """State at a uniform number in [0, 1): the same number gives the same state."""
    total = np.cumsum(distribution)
    number = int(np.searchsorted(total, uniform * total[-1], side="right"))
    number = min(number, len(total) - 1)
    while distribution[number] <= 0.0 and number > 0:  # rounding at the upper end
        number -= 1
    return number
