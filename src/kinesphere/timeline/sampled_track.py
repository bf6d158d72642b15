"""Uniformly sampled values: a pitch curve, a loudness curve, any measured signal."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinesphere.errors import InvalidValueError


@dataclass(frozen=True, eq=False)
class SampledTrack:
    """Samples at ``start_s + i/rate_hz``; NaN stands for "no value there", such as no pitch.

    Parameters
    ----------
    start_s : time of the first sample, seconds.
    rate_hz : samples a second, above 0.
    values : ``[n]`` or ``[n, d]``, kept read-only; n may be 0.

    >>> track = SampledTrack(0.0, 10.0, [1.0, 2.0, 4.0])
    >>> track.at([0.05, 0.1, 9.0])
    array([1.5, 2. , nan])
    """

    start_s: float
    rate_hz: float
    values: NDArray[np.float64]

    def __post_init__(self) -> None:
        if not math.isfinite(self.start_s):
            raise InvalidValueError(f"a track starts at {self.start_s} s, allowed is a finite time")
        if not (math.isfinite(self.rate_hz) and self.rate_hz > 0.0):
            raise InvalidValueError(f"a track's rate is {self.rate_hz} Hz, allowed is above 0")
        values = np.array(self.values, dtype=np.float64)
        if values.ndim not in (1, 2):
            raise InvalidValueError(f"a track has shape {values.shape}, expected (n) or (n, d)")
        if np.isinf(values).any():
            raise InvalidValueError("a track has an infinite value, allowed are numbers and NaN")
        values.flags.writeable = False
        object.__setattr__(self, "values", values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SampledTrack):
            return NotImplemented
        return (self.start_s, self.rate_hz) == (other.start_s, other.rate_hz) and np.array_equal(
            self.values, other.values, equal_nan=True
        )

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def times(self) -> NDArray[np.float64]:
        """Times of the samples ``[n]``, seconds."""
        return self.start_s + np.arange(len(self)) / self.rate_hz

    @property
    def end_s(self) -> float:
        """Time of the last sample; the start where there is none."""
        return self.start_s + max(0, len(self) - 1) / self.rate_hz

    def at(self, times_s: ArrayLike) -> NDArray[np.float64]:
        """Values at times of any shape, linear in between: shape of the times, then ``[d]``.

        Next to a NaN the nearer sample decides: closer to a number it is that number, closer to
        the NaN there is none. So a curve with gaps keeps its length. More than half a sample
        outside the track there is no value.
        """
        times = np.asarray(times_s, dtype=np.float64)
        if len(self) == 0:
            return np.full(times.shape + self.values.shape[1:], np.nan)
        place = (times - self.start_s) * self.rate_hz
        # Times computed from the same rate differ from the samples' by rounding only.
        place = np.where(np.abs(place - np.rint(place)) < 1e-7, np.rint(place), place)
        last = len(self) - 1
        inside = (place >= -0.5) & (place <= last + 0.5)
        held = np.clip(np.where(np.isnan(place), 0.0, place), 0.0, last)
        low = np.minimum(held.astype(np.int64), max(0, last - 1))
        high = np.minimum(low + 1, last)
        part = held - low
        spread = (...,) + (None,) * (self.values.ndim - 1)
        a, b, ratio = self.values[low], self.values[high], part[spread]
        near = np.where(ratio <= 0.5, a, b)
        mixed = np.where(np.isnan(a) | np.isnan(b), near, a + ratio * (b - a))
        return np.asarray(np.where(inside[spread], mixed, np.nan))

    def between(self, start_s: float, end_s: float) -> SampledTrack:
        """Return the samples with ``start_s <= time <= end_s``, at their own times."""
        if end_s < start_s:
            raise InvalidValueError(
                f"an interval ends at {end_s:g} s, before its start {start_s:g} s"
            )
        slack = 1e-7
        first = math.ceil((start_s - self.start_s) * self.rate_hz - slack)
        stop = math.floor((end_s - self.start_s) * self.rate_hz + slack) + 1
        first = min(max(first, 0), len(self))
        stop = min(max(stop, first), len(self))
        return SampledTrack(
            self.start_s + first / self.rate_hz, self.rate_hz, self.values[first:stop]
        )
