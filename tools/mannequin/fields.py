"""Smooth solids as scalar fields: negative inside, about metres near the surface."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.maths.arrays import Floats
from kinesphere.maths.splines import Spline

Field = Callable[[Floats], Floats]


def ellipsoid(centre: ArrayLike, radii: ArrayLike, turn: Floats | None = None) -> Field:
    """Ellipsoid; `turn` is a matrix whose columns are its axes."""
    c, r = np.array(centre, float), np.array(radii, float)

    def field(p: Floats) -> Floats:
        local = p - c if turn is None else (p - c) @ turn
        k0 = np.linalg.norm(local / r, axis=-1)
        k1 = np.linalg.norm(local / (r * r), axis=-1)
        return np.asarray(k0 * (k0 - 1.0) / np.maximum(k1, 1e-9))

    return field


def capsule(a: Sequence[float], b: Sequence[float], ra: float, rb: float) -> Field:
    """Rod with round ends and a linearly changing radius."""
    start, along = np.array(a, float), np.array(b, float) - np.array(a, float)

    def field(p: Floats) -> Floats:
        t = np.clip((p - start) @ along / (along @ along), 0.0, 1.0)
        gap = np.linalg.norm(p - start - t[..., None] * along, axis=-1)
        return np.asarray(gap - (ra + t * (rb - ra)))

    return field


def loft(axis: int, rows: Sequence[Sequence[float]]) -> Field:
    """Body along a coordinate axis whose sections are superellipses.

    `rows` are (position on the axis, least and most of the other two coordinates in order, then
    the exponent: 2 is an ellipse, more is boxier).
    """
    sections = Sections(axis, rows)

    def field(p: Floats) -> Floats:
        centre, half, power = sections.at(p[..., axis])
        q = np.abs(p[..., sections.others] - centre) / half
        m = np.maximum(q.max(axis=-1), 1e-9)
        k = m * ((q / m[..., None]) ** power[..., None]).sum(axis=-1) ** (1.0 / power)
        side = (k - 1.0) * half.min(axis=-1)
        end = np.maximum(sections.start - p[..., axis], p[..., axis] - sections.end)
        return np.asarray(np.where(end > 0, np.hypot(np.maximum(side, 0.0), end), side))

    return field


class Sections:
    """Centres, half-widths and exponents along an axis."""

    def __init__(self, axis: int, rows: Sequence[Sequence[float]]) -> None:
        table = np.array(rows, float)
        self.axis, self.others = axis, [a for a in range(3) if a != axis]
        self.start, self.end = float(table[0, 0]), float(table[-1, 0])
        low, high = table[:, 1:5:2], table[:, 2:5:2]
        values = np.concatenate([(low + high) / 2, (high - low) / 2, table[:, 5:6]], axis=1)
        self.spline = Spline(table[:, 0], values, tension=0.15)

    def at(self, place: Floats) -> tuple[Floats, Floats, Floats]:
        """Centre, half-widths and exponent at positions on the axis (constant beyond the ends)."""
        values = self.spline(place)
        return values[..., :2], np.maximum(values[..., 2:4], 1e-4), values[..., 4]


def union(a: Field, b: Field, blend: float = 0.0) -> Field:
    """Both, joined by a fillet of the given size."""

    def field(p: Floats) -> Floats:
        x, y = a(p), b(p)
        least = np.minimum(x, y)
        if blend <= 0.0:
            return np.asarray(least)
        h = np.maximum(blend - np.abs(x - y), 0.0) / blend
        return np.asarray(least - h * h * h * blend / 6.0)

    return field


def without(a: Field, b: Field, blend: float = 0.0) -> Field:
    """The first with the second carved out of it."""
    carved = union(lambda p: -a(p), b, blend)
    return lambda p: -carved(p)


def joined(first: Field, *others: tuple[Field, float]) -> Field:
    """Several fields united one after the other, each with its fillet."""
    for other, blend in others:
        first = union(first, other, blend)
    return first


def mirrored(half: Field) -> Field:
    """The same on both sides of x = 0."""

    def field(p: Floats) -> Floats:
        return half(p * np.array([1.0, 1.0, 1.0]) if np.all(p[..., 0] >= 0) else _absolute(p))

    return field


def _absolute(p: Floats) -> Floats:
    out = p.copy()
    out[..., 0] = np.abs(out[..., 0])
    return out


def outermost(field: Field, origins: Floats, directions: Floats, reach: float) -> Floats:
    """Farthest points of the solid along rays from inside it, ``[..., 3]``.

    The ray is searched in steps from outside, then bisected to a thousandth of a millimetre.
    """
    steps = np.linspace(0.0, reach, 60)
    samples = origins[..., None, :] + steps[:, None] * directions[..., None, :]
    inside = field(samples) < 0.0
    inside[..., 0] = True
    last = inside.shape[-1] - 1 - np.argmax(inside[..., ::-1], axis=-1)
    low = steps[last]
    high = steps[np.minimum(last + 1, len(steps) - 1)]
    for _ in range(18):
        middle = 0.5 * (low + high)
        within = field(origins + middle[..., None] * directions) < 0.0
        low, high = np.where(within, middle, low), np.where(within, high, middle)
    return np.asarray(origins + low[..., None] * directions)
