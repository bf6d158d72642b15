"""Model parameters from training data: counts (section 7.3), and curves by regression.

Offline. An observation is paired with the state that is active at the next one, because that is
the prediction needed when it arrives. Counts are kept per speaker, so that speakers can be mixed
later.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.bodylanguage.choose.inference import logistic
from kinesphere.maths.arrays import Bools, Floats, Ints
from kinesphere.speech.prosody.observation import OBSERVATIONS


class ObservedSegments(NamedTuple):
    """Segments at the observations, and how they follow each other.

    Parameters
    ----------
    segment : ``[observations]`` segment at each observation; -1 outside of all.
    elapsed : ``[observations]`` elapsed proportion of it.
    goes_on : ``[observations - 1]`` whether the next observation is in the same one.
    """

    segment: Ints
    elapsed: Floats
    goes_on: Bools


def segments_at(bounds_s: ArrayLike, times_s: ArrayLike) -> ObservedSegments:
    """Assign observation times to segments with bounds ``[segments + 1]``."""
    bounds = np.asarray(bounds_s, dtype=np.float64)
    times = np.asarray(times_s, dtype=np.float64)
    segment = np.searchsorted(bounds, times, side="right") - 1
    segment[(segment < 0) | (segment >= len(bounds) - 1)] = -1
    inside = np.maximum(segment, 0)
    elapsed = (times - bounds[inside]) / (bounds[inside + 1] - bounds[inside])
    elapsed[segment < 0] = 0.0
    return ObservedSegments(segment, elapsed, segment[1:] == segment[:-1])


@dataclass(frozen=True, eq=False)
class StateCounts:
    """Counts of one speaker; counts of several recordings add up.

    Parameters
    ----------
    transitions : ``[2n, 2n]``.
    observations : ``[2n, 36]``.
    """

    transitions: Floats
    observations: Floats

    @classmethod
    def none(cls, clusters: int) -> StateCounts:
        """Nothing counted yet."""
        states = 2 * clusters
        return cls(np.zeros((states, states)), np.zeros((states, OBSERVATIONS)))

    def __add__(self, other: StateCounts) -> StateCounts:
        return StateCounts(
            self.transitions + other.transitions, self.observations + other.observations
        )


def count_states(
    found: ObservedSegments, labels: ArrayLike, numbers: ArrayLike, clusters: int
) -> StateCounts:
    """Count one recording.

    Parameters
    ----------
    labels : ``[segments]`` cluster of each segment.
    numbers : ``[observations]`` number of each, of 36.
    """
    out = StateCounts.none(clusters)
    names = np.asarray(labels, dtype=np.int64)
    heard = np.asarray(numbers, dtype=np.int64)
    if len(heard) < 2:
        return out
    known = (found.segment[1:] >= 0) & (found.segment[:-1] >= 0)
    # State at observation k + 1: a start if its segment is not the one of observation k.
    state = names[np.maximum(found.segment[1:], 0)] + clusters * found.goes_on
    np.add.at(out.observations, (state[known], heard[:-1][known]), 1.0)
    pairs = known[1:] & known[:-1]
    np.add.at(out.transitions, (state[:-1][pairs], state[1:][pairs]), 1.0)
    return out


@dataclass(frozen=True)
class CurveSettings:
    """Settings of the logistic continuation curves, with a prior for rare clusters.

    Parameters
    ----------
    spread : expected deviations of intercept and slope between clusters; the curve of all
        clusters together is the mean of the prior.
    broad : the same for that common curve itself, about probability 0.5.
    steepest : the flattest slope allowed, negative: continuation never gets more likely.
    """

    spread: tuple[float, float] = (1.0, 1.5)
    broad: tuple[float, float] = (5.0, 10.0)
    flattest: float = -0.05


def fit_curve(
    elapsed: Floats, goes_on: Floats, centre: Floats, spread: Floats, flattest: float
) -> Floats:
    """Intercept and slope with the highest posterior: Newton's method, at most `flattest`.

    Each sample is whether a segment continued at an elapsed proportion. The prior is Gaussian about
    `centre` with deviations `spread`.
    """
    x = np.stack([np.ones_like(elapsed), elapsed], axis=1)
    weight = 1.0 / np.asarray(spread) ** 2
    found = _newton(x, goes_on, np.asarray(centre, float), weight, free=2)
    if found[1] <= flattest:
        return found
    start = np.array([centre[0], flattest])
    return _newton(x, goes_on, start, weight, free=1, centre=np.asarray(centre, float))


def _newton(
    x: Floats, y: Floats, start: Floats, weight: Floats, free: int, centre: Floats | None = None
) -> Floats:
    """Maximise the log posterior over the first `free` parameters."""
    middle = start if centre is None else centre
    at = start.astype(np.float64).copy()

    def posterior(w: Floats) -> float:
        z = x @ w
        fit = (y * z - np.logaddexp(0.0, z)).sum()
        return float(fit - 0.5 * (weight * (w - middle) ** 2)[:free].sum())

    value = posterior(at)
    for _ in range(100):
        p = logistic(x @ at)
        gradient = (x.T @ (y - p) - weight * (at - middle))[:free]
        curvature = ((x * (p * (1.0 - p))[:, None]).T @ x + np.diag(weight))[:free, :free]
        way = np.linalg.solve(curvature, gradient)
        size = 1.0
        while size > 1e-8:
            tried = at.copy()
            tried[:free] += size * way
            better = posterior(tried)
            if better >= value:
                break
            size *= 0.5
        else:
            break
        done = np.abs(tried - at).max() < 1e-12
        at, value = tried, better
        if done:
            break
    return at


def fit_curves(
    cluster: ArrayLike,
    elapsed: ArrayLike,
    goes_on: ArrayLike,
    clusters: int,
    settings: CurveSettings | None = None,
) -> Floats:
    """Curves ``[n, 2]`` of all clusters; one without samples has the common curve."""
    s = settings or CurveSettings()
    label = np.asarray(cluster, dtype=np.int64)
    x, y = np.asarray(elapsed, dtype=np.float64), np.asarray(goes_on, dtype=np.float64)
    common = fit_curve(x, y, np.array([0.0, 0.0]), np.array(s.broad), s.flattest)
    out = np.tile(common, (clusters, 1))
    for i in range(clusters):
        mine = label == i
        if mine.any():
            out[i] = fit_curve(x[mine], y[mine], common, np.array(s.spread), s.flattest)
    return out
