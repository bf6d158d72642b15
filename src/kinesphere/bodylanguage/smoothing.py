"""Counts to probabilities, with additive smoothing towards the average."""

from __future__ import annotations

import numpy as np

from kinesphere.maths.arrays import Floats


def transition_table(counts: Floats, strength: float) -> Floats:
    """Probabilities ``[2n, 2n]`` of counts, smoothed towards the frequency of motion starts.

    A row gains `strength` counts, spread over its possible transitions. Transitions from a
    continuation are conditional on the motion not continuing.
    """
    n = len(counts) // 2
    starts = counts[:, :n].sum(axis=0) + 1.0 / n
    starts /= starts.sum()
    going = np.zeros((2 * n, n))
    mass = np.diagonal(counts[:n, n:])
    share = (mass.sum() + 1.0) / (counts[:n].sum() + 2.0)
    np.fill_diagonal(going[:n], mass + strength * share)
    begun = counts[:, :n].copy()
    begun[:n] += strength * (1.0 - share) * starts
    begun[n:] += strength * starts
    table = np.concatenate([begun, going], axis=1)
    return np.asarray(table / table.sum(axis=1, keepdims=True))


def observation_table(counts: Floats, strength: float) -> Floats:
    """Probabilities ``[2n, 36]``, smoothed towards the frequency of each observation."""
    heard = counts.sum(axis=0) + 1.0 / counts.shape[1]
    table = counts + strength * heard / heard.sum()
    return np.asarray(table / table.sum(axis=1, keepdims=True))


def state_shares(counts: Floats) -> Floats:
    """Frequency of each state ``[2n]``, always above 0."""
    seen = counts.sum(axis=1) + 1.0 / len(counts)
    return np.asarray(seen / seen.sum())
