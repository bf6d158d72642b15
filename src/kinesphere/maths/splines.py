"""Kochanek-Bartels splines through keys at any times, in R^n and on rotations.

Tension (sharp at +1), continuity (corner at -1) and bias (overshoot at +1) may be one number or
one a key. With all three zero the tangent at a key is that of the parabola through it and its
neighbours: Catmull-Rom for evenly spaced keys, and exact for quadratics whatever the spacing.
Before the first key and after the last the end value is held.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, Ints


def tangents(
    times: ArrayLike,
    chords: ArrayLike,
    tension: ArrayLike = 0.0,
    continuity: ArrayLike = 0.0,
    bias: ArrayLike = 0.0,
) -> tuple[Floats, Floats]:
    """Incoming and outgoing velocities at the keys.

    Parameters
    ----------
    times : ``[n]`` seconds, ascending.
    chords : ``[n - 1, d]`` mean velocity between neighbouring keys.
    tension, continuity, bias : numbers or ``[n]``, usually in [-1, 1].

    Returns
    -------
    incoming and outgoing velocities, each ``[n, d]``.
    """
    chords = np.asarray(chords, dtype=np.float64)
    n = len(chords) + 1
    t, c, b = (
        np.broadcast_to(np.asarray(p, float), (n,))[:, None] for p in (tension, continuity, bias)
    )
    steps = np.diff(np.asarray(times, dtype=np.float64))[:, None]
    before, after = _neighbours(steps, chords)
    # Weights of the parabola: the nearer neighbour counts more. One half each for even keys.
    h0 = np.concatenate([steps[:1], steps])
    h1 = np.concatenate([steps, steps[-1:]])
    w0, w1 = h1 / (h0 + h1), h0 / (h0 + h1)
    incoming = (1 - t) * ((1 + b) * (1 - c) * w0 * before + (1 - b) * (1 + c) * w1 * after)
    outgoing = (1 - t) * ((1 + b) * (1 + c) * w0 * before + (1 - b) * (1 - c) * w1 * after)
    return incoming, outgoing


def _neighbours(steps: Floats, chords: Floats) -> tuple[Floats, Floats]:
    """Chord before and after every key; the ends continue the parabola of the nearest three."""
    if len(chords) == 1:
        first = last = chords[0]
    else:
        bend0 = (chords[1] - chords[0]) / (steps[0] + steps[1])
        bend1 = (chords[-1] - chords[-2]) / (steps[-1] + steps[-2])
        first = chords[0] - 2.0 * bend0 * steps[0]
        last = chords[-1] + 2.0 * bend1 * steps[-1]
    return np.concatenate([first[None], chords]), np.concatenate([chords, last[None]])


def _check_times(times: ArrayLike, count: int) -> Floats:
    t = np.asarray(times, dtype=np.float64)
    if t.ndim != 1 or len(t) != count or count == 0:
        raise InvalidValueError(f"a spline has {len(t)} times for {count} keys; both must be >= 1")
    if not np.isfinite(t).all() or np.any(np.diff(t) <= 0.0):
        raise InvalidValueError("the times of a spline's keys must ascend and be finite")
    return t


def _locate(times: Floats, at: ArrayLike) -> tuple[Ints, Floats, Floats]:
    """Segment index, ratio within it in [0, 1] and the segment's length for every time."""
    at = np.clip(np.asarray(at, dtype=np.float64), times[0], times[-1])
    i = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    step = times[i + 1] - times[i]
    return i, (at - times[i]) / step, step


@dataclass(frozen=True)
class Spline:
    """A curve through values ``[n, ...]`` at ascending times.

    >>> s = Spline([0.0, 1.0, 3.0], [[0.0], [1.0], [9.0]])
    >>> s([0.5, 2.0])
    array([[0.25], [4.  ]])
    """

    times: ArrayLike
    values: ArrayLike
    tension: ArrayLike = 0.0
    continuity: ArrayLike = 0.0
    bias: ArrayLike = 0.0
    start_velocity: ArrayLike | None = None
    end_velocity: ArrayLike | None = None

    @cached_property
    def _keys(self) -> tuple[Floats, Floats, Floats, Floats]:
        values = np.asarray(self.values, dtype=np.float64)
        times = _check_times(self.times, len(values))
        flat = values.reshape(len(values), -1)
        if len(times) == 1:
            return times, flat, np.zeros_like(flat), np.zeros_like(flat)
        chords = np.diff(flat, axis=0) / np.diff(times)[:, None]
        into, out = tangents(times, chords, self.tension, self.continuity, self.bias)
        if self.start_velocity is not None:
            out[0] = np.asarray(self.start_velocity, float).reshape(-1)
        if self.end_velocity is not None:
            into[-1] = np.asarray(self.end_velocity, float).reshape(-1)
        return times, flat, into, out

    def __call__(self, at: ArrayLike) -> Floats:
        """Values at the given times, shape ``[*at.shape, ...]``."""
        return self._evaluate(at, derivative=False)

    def velocity(self, at: ArrayLike) -> Floats:
        """First derivative by time; zero outside the keys."""
        return self._evaluate(at, derivative=True)

    def _evaluate(self, at: ArrayLike, *, derivative: bool) -> Floats:
        times, keys, into, out = self._keys
        at = np.asarray(at, dtype=np.float64)
        shape = (*at.shape, *np.shape(self.values)[1:])
        if len(times) == 1:
            return (
                np.zeros(shape)
                if derivative
                else np.broadcast_to(keys[0], (*at.shape, keys.shape[1])).reshape(shape).copy()
            )
        i, r, h = _locate(times, at)
        r, h = r[..., None], h[..., None]
        a, b, va, vb = keys[i], keys[i + 1], out[i] * h, into[i + 1] * h
        cubic, square = 2 * (a - b) + va + vb, 3 * (b - a) - 2 * va - vb
        if derivative:
            inside = ((at >= times[0]) & (at <= times[-1]))[..., None]
            return (np.where(inside, (va + r * (2 * square + r * 3 * cubic)) / h, 0.0)).reshape(
                shape
            )
        return np.asarray(a + r * (va + r * (square + r * cubic))).reshape(shape)


@dataclass(frozen=True)
class RotationSpline:
    """A curve through rotations ``[n, ..., 4]``: the same tangents, on the sphere.

    Chords are rotation vectors between neighbours, seen from each key; a segment is a cubic in
    the cumulative form of Kim, Kim and Shin (1995), which meets the keys and their angular
    velocities exactly. Neighbouring keys are joined along the shorter arc.
    """

    times: ArrayLike
    rotations: ArrayLike
    tension: ArrayLike = 0.0
    continuity: ArrayLike = 0.0
    bias: ArrayLike = 0.0

    @cached_property
    def _keys(self) -> tuple[Floats, Floats, tuple[Floats, Floats, Floats]]:
        q = quaternion.normalise(self.rotations)
        times = _check_times(self.times, len(q))
        q = quaternion.unroll(q)
        if len(times) == 1:
            empty = np.zeros((0, *q.shape[1:-1], 3))
            return times, q, (empty, empty, empty)
        flat = q.reshape(len(q), -1, 4)
        steps = np.diff(times)[:, None, None]
        # The chord's rotation vector is the same in the frames of both ends.
        chords = quaternion.log(quaternion.relative(flat[:-1], flat[1:])) / steps
        wide = chords.reshape(len(chords), -1)
        into, out = tangents(times, wide, self.tension, self.continuity, self.bias)
        first = out[:-1].reshape(chords.shape) * steps / 3.0
        third = into[1:].reshape(chords.shape) * steps / 3.0
        middle = quaternion.log(
            quaternion.multiply(
                quaternion.exp(-first),
                quaternion.multiply(quaternion.exp(chords * steps), quaternion.exp(-third)),
            )
        )
        shape = (len(chords), *q.shape[1:-1], 3)
        return times, q, (first.reshape(shape), middle.reshape(shape), third.reshape(shape))

    def __call__(self, at: ArrayLike) -> Floats:
        """Rotations at the given times, shape ``[*at.shape, ..., 4]``."""
        times, q, (first, middle, third) = self._keys
        at = np.asarray(at, dtype=np.float64)
        if len(times) == 1:
            return np.broadcast_to(q[0], (*at.shape, *q.shape[1:])).copy()
        i, r, _ = _locate(times, at)
        r = r.reshape(*r.shape, *(1,) * (q.ndim - 1))
        s = 1.0 - r
        result = q[i]
        for part, weight in ((first, 1.0 - s**3), (middle, r * r * (3.0 - 2.0 * r)), (third, r**3)):
            result = quaternion.multiply(result, quaternion.exp(weight * part[i]))
        return quaternion.normalise(result)
