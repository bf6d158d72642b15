"""Movement of an arm from one Goal to the next: the shape of its path, its timing, its flourishes.

These are the low-level parameters of EMOTE (Chi, Costa, Zhao and Badler 2000, section 4.1.2); what
sets them (Effort, a script, a measurement) is in higher layers.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from itertools import accumulate
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats, frozen_floats
from kinesphere.maths.bounds import check_range

_RAMP = 0.18  # of a movement at constant speed, at each end
# Shortest time in which a hand changes its speed, and largest ratio of a movement.
ROUNDING_S, ROUNDING_RATIO = 0.12, 0.25
# Hands slow down in bends by about this power of the curvature (0.37 to 0.48 in speech).
SLOWING = 0.4
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(6)
_WEIGHTS = 0.5 * _WEIGHTS
_POINT, _ALL = np.zeros(1), np.ones(1)
PAPER_EDGE = 0.01


class Curve(Protocol):
    """Ratio of the path covered at ratios of the movement's duration; 0 at 0 and 1 at 1."""

    def __call__(self, ratio: ArrayLike, /) -> Floats:
        """Ratios of the path, which may leave [0, 1]: anticipation, overshoot."""
        ...


@dataclass(frozen=True)
class Timing:
    """The timing function Q of a movement from rest to rest (eqs 9-11, corrected).

    The speed over the warped time ``t'' = t' ** exponent`` is piecewise linear through
    ``(0, 0)``, ``(t0, -v0)``, ``(ti, ti)``, ``(t1, -v1)`` and ``(1, 0)``: anticipation,
    acceleration, deceleration, overshoot and return. Q is its integral, divided by its value
    at the end. By default it accelerates for one half and decelerates for the other.

    Parameters
    ----------
    corners : t0, ti, t1.
    speeds : -v0, ti, -v1.
    exponent : of the warped time.
    flatness : ratio of a constant speed with short ramps, 0 to 1.
    """

    corners: tuple[float, float, float] = (PAPER_EDGE, 0.5, 1.0 - PAPER_EDGE)
    speeds: tuple[float, float, float] = (0.0, 0.5, 0.0)
    exponent: float = 1.0
    flatness: float = 0.0

    @cached_property
    def packed(self) -> tuple[int, Floats, Floats]:
        """Kind, numbers and slopes for `movement_kernels`."""
        (t0, ti, t1), (v0, vi, v1) = self.corners, self.speeds
        areas = [0.0, 0.5 * v0 * t0, 0.5 * (v0 + vi) * (ti - t0), 0.5 * (vi + v1) * (t1 - ti)]
        areas.append(0.5 * v1 * (1.0 - t1))
        numbers = [0.0, t0, ti, t1, 1.0, 0.0, v0, vi, v1, 0.0, *accumulate(areas)]
        return 0, np.array([*numbers, self.exponent, self.flatness]), _POINT

    @property
    def area(self) -> float:
        """Integral of the speed over the warped time."""
        return float(self.packed[1][14])

    def __call__(self, ratio: ArrayLike, /) -> Floats:
        """Ratio of the path at ratios of the duration in [0, 1]; below 0 is anticipation."""
        t = np.clip(np.asarray(ratio, dtype=np.float64), 0.0, 1.0)
        warped = t**self.exponent
        places, heights, before = self.packed[1][:15].reshape(3, 5)
        i = np.clip(np.searchsorted(places, warped, side="right") - 1, 0, 3)
        away = warped - places[i]
        slope = (heights[i + 1] - heights[i]) / (places[i + 1] - places[i])
        area = before[i] + heights[i] * away + 0.5 * slope * away * away
        shaped = area / before[-1]
        if not self.flatness:
            return np.asarray(shaped)
        return np.asarray(shaped + self.flatness * (_even(t) - shaped))


def _even(ratio: Floats) -> Floats:
    """Nearly constant speed with short ramps."""
    top = 1.0 / (1.0 - _RAMP)
    rising = 0.5 * top / _RAMP * ratio**2
    falling = 1.0 - 0.5 * top / _RAMP * (1.0 - ratio) ** 2
    middle = top * (ratio - 0.5 * _RAMP)
    return np.where(ratio < _RAMP, rising, np.where(ratio > 1.0 - _RAMP, falling, middle))


def round_timing(curve: Curve, ratio: ArrayLike, duration_s: float, rounding_s: float) -> Floats:
    """Curve with every corner of its speed smoothed over `rounding_s`, still from rest to rest.

    The movement is compressed to the remaining time and averaged over a moving window.
    """
    t = np.asarray(ratio, dtype=np.float64)
    if isinstance(curve, Timing | SampledCurve) and t.ndim == 1:
        from kinesphere.motion.keyed.movement_kernels import rounded_curve

        out = np.empty(len(t))
        t = np.ascontiguousarray(t)
        rounded_curve(*curve.packed, t, *rounding_window(duration_s, rounding_s), out)
        return out
    return round_timing_plain(curve, t, duration_s, rounding_s)


def round_timing_plain(curve: Curve, ratio: Floats, duration_s: float, rounding_s: float) -> Floats:
    """Reference implementation of `round_timing`, for any curve."""
    half, nodes, weights = rounding_window(duration_s, rounding_s)
    around = (ratio[..., None] + half * nodes - half) / (1.0 - 2.0 * half)
    return np.asarray(curve(np.clip(around, 0.0, 1.0)) @ weights)


def rounding_window(duration_s: float, rounding_s: float) -> tuple[float, Floats, Floats]:
    """Half the window of `round_timing`, as a ratio, and its nodes and weights."""
    half = 0.5 * min(rounding_s / duration_s, ROUNDING_RATIO)
    return (half, _NODES, _WEIGHTS) if half > 0.0 else (0.0, _POINT, _ALL)


@dataclass(frozen=True, eq=False)
class SampledCurve:
    """A curve given by its values ``[n]`` at equidistant ratios, the first 0, the last 1.

    Between the values it is a cubic with central differences, whose slope changes as linearly as
    the values allow.
    """

    values: Floats

    def __post_init__(self) -> None:
        values = frozen_floats(self.values, "values", (None,))
        if len(values) < 2 or abs(values[0]) > 1e-9 or abs(values[-1] - 1.0) > 1e-9:
            raise InvalidValueError("a curve needs at least two values, from 0 to 1")
        object.__setattr__(self, "values", values)

    @cached_property
    def packed(self) -> tuple[int, Floats, Floats]:
        """Kind, numbers and slopes for `movement_kernels`."""
        return 1, self.values, np.gradient(self.values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SampledCurve):
            return NotImplemented
        return np.array_equal(self.values, other.values)

    __hash__ = None  # type: ignore[assignment]

    def __call__(self, ratio: ArrayLike, /) -> Floats:
        """Values at ratios, clamped to [0, 1]."""
        y = self.values
        at = np.clip(np.asarray(ratio, dtype=np.float64), 0.0, 1.0) * (len(y) - 1)
        i = np.minimum(at.astype(np.int64), len(y) - 2)
        r = at - i
        slopes = self.packed[2]
        a, b, va, vb = y[i], y[i + 1], slopes[i], slopes[i + 1]
        cubic, square = 2 * (a - b) + va + vb, 3 * (b - a) - 2 * va - vb
        return np.asarray(a + r * (va + r * (square + r * cubic)))


@dataclass(frozen=True)
class Movement:
    """One movement of an arm, from a Goal to the next.

    Parameters
    ----------
    curve : ratio of its path over time.
    start_ratio : ratio of the time between the Goals before it starts.
    rounding_s : time over which changes of speed are smoothed.
    tension : of the path, -1 (round) to +1 (straight).
    slowing : power of the curvature by which bends of the path slow the hand; 0 for none.
    elbow_space, joint_space : weights of interpolating the elbow's position and the joints' angles
        instead of the hand's position; their sum is at most 1.
    wrist_bend, wrist_extension : magnitude of the wrist's bending, and its shift outward (eq 12).
    flexed : hold the wrist flexed by 0.6 rad instead.
    twist, twist_frequency : of forearm and elbow, radians and half waves per movement (eq 13).
    displacement : of the elbow's angle, as a ratio of it (eq 14).
    paper : flourishes depend on time as published, each movement's with its own magnitudes; else on
        the path, so that they start and end at rest, with a cross-fade at Goals. Vias of a straight
        path are corners as published; else a little rounded.
    """

    curve: Curve = Timing()
    start_ratio: float = 0.0
    rounding_s: float = ROUNDING_S
    tension: float = 0.0
    slowing: float = SLOWING
    elbow_space: float = 0.0
    joint_space: float = 0.0
    wrist_bend: float = 0.0
    wrist_extension: float = 0.0
    flexed: bool = False
    twist: float = 0.0
    twist_frequency: float = 0.0
    displacement: float = 0.0
    paper: bool = False

    def __post_init__(self) -> None:
        if not 0.0 <= self.start_ratio < 1.0:
            raise InvalidValueError(f"start_ratio is {self.start_ratio}, allowed is 0 to < 1")
        check_range("tension", self.tension, -1.0, 1.0)
        if min(self.elbow_space, self.joint_space) < 0.0:
            raise InvalidValueError("elbow_space and joint_space must be >= 0")

    def path_ratio(self, ratio: ArrayLike, duration_s: float) -> Floats:
        """Ratio of the path at ratios of the time `duration_s` between the Goals."""
        return self.sample_curve(self.curve, ratio, duration_s)

    def sample_curve(self, curve: Curve, ratio: ArrayLike, duration_s: float) -> Floats:
        """Values of any curve over this movement's time: after its delay, with its rounding."""
        moving = 1.0 - self.start_ratio
        t = np.clip((np.asarray(ratio, dtype=np.float64) - self.start_ratio) / moving, 0.0, 1.0)
        return round_timing(curve, t, duration_s * moving, self.rounding_s)

    def peak_rate(self, duration_s: float) -> float:
        """Largest ratio of the path covered per second."""
        t = np.linspace(0.0, 1.0, 65)
        return float(np.abs(np.diff(self.path_ratio(t, duration_s))).max() * 64.0 / duration_s)


def movement_document(movement: Movement) -> dict[str, Any]:
    """A movement as plain values for JSON; defaults are omitted."""
    plain = Movement()
    out: dict[str, Any] = {}
    for part in fields(movement):
        value = getattr(movement, part.name)
        if part.name == "curve":
            if isinstance(value, SampledCurve):
                out["curve"] = {"values": value.values.tolist()}
            elif isinstance(value, Timing):
                if value != plain.curve:
                    out["curve"] = {
                        "corners": list(value.corners),
                        "speeds": list(value.speeds),
                        "exponent": value.exponent,
                        "flatness": value.flatness,
                    }
            else:
                raise InvalidValueError(f"a {type(value).__name__} cannot be saved as a curve")
        elif value != getattr(plain, part.name):
            out[part.name] = value
    return out


def movement_of(document: dict[str, Any]) -> Movement:
    """Read the result of `movement_document`."""
    values = dict(document)
    known = {part.name for part in fields(Movement)}
    unknown = sorted(set(values) - known)
    if unknown:
        raise InvalidValueError(f"a movement has {unknown[0]!r}; allowed are {', '.join(known)}")
    curve = values.pop("curve", None)
    if curve is None:
        return Movement(**values)
    if "values" in curve:
        return Movement(SampledCurve(np.asarray(curve["values"], dtype=np.float64)), **values)
    timing = Timing(
        tuple(curve["corners"]), tuple(curve["speeds"]), curve["exponent"], curve["flatness"]
    )
    return Movement(timing, **values)
