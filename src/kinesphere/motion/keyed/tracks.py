"""Tracks: values of a body that change by transitions, which may overlap.

Every degree of freedom has a track (Neff, Kipp, Albrecht and Seidel 2008, section 6.1). A track is
a first value and steps away from it, each with its own time. Where the next step begins
before the last has ended, the hand does not stop between them: the steps add up, the corner of the
path is rounded and the speed only drops, as in recordings. Steps that do not overlap stop at the
keys, as in the paper.

Offset layers are tracks that are added to others; values that are no degrees of freedom (a gaze
target, the tension, the balance) also have tracks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats, frozen_floats
from kinesphere.maths.curves import hermite_ease, minimum_jerk

_EDGE = 0.18  # of a step at constant speed, at each end


@dataclass(frozen=True)
class Step:
    """One transition of a track.

    Parameters
    ----------
    start_s, length_s : its time.
    change : ``[d]`` its total change.
    peak : ratio of its duration at which it is fastest, 0.1 to 0.9.
    flat : ratio of a constant speed, 0 to 1.
    arc : ``[d]`` offset at the middle of the step, zero at its ends: the curvature of the path.
    slopes : of a cubic Hermite curve at start and end, 0 and 0 to ease in and out; None for the
        smoother bell-shaped speed profile.
    """

    start_s: float
    length_s: float
    change: Floats
    peak: float = 0.5
    flat: float = 0.0
    arc: Floats | None = None
    slopes: tuple[float, float] | None = None

    @property
    def end_s(self) -> float:
        """End time."""
        return self.start_s + self.length_s


@dataclass(frozen=True, eq=False)
class DofTrack:
    """Values ``[d]`` over time: a first one, and steps in any order that may overlap.

    Parameters
    ----------
    first : ``[d]`` before all steps.
    starts, lengths : ``[n]`` seconds; lengths > 0.
    changes : ``[n, d]``.
    peaks, flats, arcs, slopes : see `Step`; slopes ``[n, 2]`` are NaN for bells.
    """

    first: Floats
    starts: Floats = field(default_factory=lambda: np.zeros(0))
    lengths: Floats = field(default_factory=lambda: np.zeros(0))
    changes: Floats = field(default=None)  # type: ignore[arg-type]
    peaks: Floats = field(default=None)  # type: ignore[arg-type]
    flats: Floats = field(default=None)  # type: ignore[arg-type]
    arcs: Floats = field(default=None)  # type: ignore[arg-type]
    slopes: Floats = field(default=None)  # type: ignore[arg-type]

    def __post_init__(self) -> None:
        def put(name: str, value: Any, shape: tuple[int, ...]) -> None:
            object.__setattr__(self, name, frozen_floats(value, name, shape))

        object.__setattr__(self, "first", frozen_floats(self.first, "first", (None,)))
        n, d = len(self.starts), len(self.first)
        put("starts", self.starts, (n,))
        put("lengths", self.lengths, (n,))
        put("changes", np.zeros((n, d)) if self.changes is None else self.changes, (n, d))
        put("peaks", np.full(n, 0.5) if self.peaks is None else self.peaks, (n,))
        put("flats", np.zeros(n) if self.flats is None else self.flats, (n,))
        put("arcs", np.zeros((n, d)) if self.arcs is None else self.arcs, (n, d))
        slopes = np.full((n, 2), np.nan) if self.slopes is None else self.slopes
        slopes = np.ascontiguousarray(slopes, dtype=np.float64).reshape(n, 2)
        slopes.flags.writeable = False
        object.__setattr__(self, "slopes", slopes)
        for name, low, high in (("lengths", 1e-6, 1e6), ("peaks", 0.1, 0.9), ("flats", 0.0, 1.0)):
            values = getattr(self, name)
            if n and not (values.min() >= low and values.max() <= high):
                raise InvalidValueError(
                    f"{name} of a track go from {values.min():g} to {values.max():g}, "
                    f"allowed is {low:g} to {high:g}"
                )

    def __len__(self) -> int:
        return len(self.starts)

    @classmethod
    def of_steps(cls, first: ArrayLike, steps: Iterable[Step]) -> DofTrack:
        """Track of a first value and steps."""
        rows = sorted(steps, key=lambda s: s.start_s)
        value = np.atleast_1d(np.asarray(first, dtype=np.float64))
        d = len(value)
        none = np.zeros(d)
        return cls(
            value,
            np.array([s.start_s for s in rows]),
            np.array([s.length_s for s in rows]),
            np.array([s.change for s in rows]).reshape(-1, d),
            np.array([s.peak for s in rows]),
            np.array([s.flat for s in rows]),
            np.array([none if s.arc is None else s.arc for s in rows]).reshape(-1, d),
            np.array([(np.nan, np.nan) if s.slopes is None else s.slopes for s in rows]),
        )

    @property
    def end_s(self) -> float:
        """End of the last step; 0 without steps."""
        return float((self.starts + self.lengths).max()) if len(self) else 0.0

    @property
    def last(self) -> Floats:
        """Value after all steps."""
        return np.asarray(self.first + self.changes.sum(axis=0))

    def __call__(self, times: ArrayLike) -> Floats:
        """Values ``[f, d]`` at ascending times ``[f]``."""
        from kinesphere.motion.keyed.track_kernels import sample_track

        t = np.ascontiguousarray(times, dtype=np.float64)
        if t.ndim != 1 or np.any(np.diff(t) < 0.0):
            raise InvalidValueError("times to sample a track at must ascend")
        out = np.empty((len(t), len(self.first)))
        warps = (1.0 - bell_middle(self.peaks)) / bell_middle(self.peaks)
        sample_track(
            self.first,
            self.starts,
            self.lengths,
            self.changes,
            warps,
            self.flats,
            self.arcs,
            self.slopes,
            t,
            out,
        )
        return out

    def plain(self, times: ArrayLike) -> Floats:
        """Reference implementation of a call, not compiled."""
        t = np.asarray(times, dtype=np.float64)
        out = np.broadcast_to(self.first, (len(t), len(self.first))).copy()
        for i in range(len(self)):
            r = np.clip((t - self.starts[i]) / self.lengths[i], 0.0, 1.0)
            if np.isnan(self.slopes[i, 0]):
                along = bell(r, float(self.peaks[i]), float(self.flats[i]))
            else:
                along = hermite_ease(r, self.slopes[i, 0], self.slopes[i, 1])
            out += along[:, None] * self.changes[i]
            out += (16.0 * (r * (1.0 - r)) ** 2)[:, None] * self.arcs[i]
        return out

    def document(self) -> dict[str, Any]:
        """Everything as plain values for JSON; defaults are omitted."""
        out: dict[str, Any] = {"first": self.first.tolist()}
        if len(self):
            out |= {n: getattr(self, n).tolist() for n in ("starts", "lengths", "changes", "peaks")}
        for name in ("flats", "arcs"):
            if getattr(self, name).any():
                out[name] = getattr(self, name).tolist()
        if not np.isnan(self.slopes).all():
            rows = self.slopes.tolist()
            out["slopes"] = [None if np.isnan(row[0]) else row for row in rows]
        return out

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> DofTrack:
        """Read the result of `document`."""
        values = dict(document)
        if "slopes" in values:
            values["slopes"] = [
                [np.nan, np.nan] if row is None else row for row in values["slopes"]
            ]
        unknown = set(values) - set(cls.__dataclass_fields__)
        if unknown:
            raise InvalidValueError(
                f"a track has {sorted(unknown)[0]!r}; allowed are "
                f"{', '.join(cls.__dataclass_fields__)}"
            )
        return cls(**values)


def bell_middle(peak: ArrayLike) -> Floats:
    """Ratio of the time at which a bell with its peak at a ratio has covered half of its path.

    The two differ a little; within 0.002 this holds from 0.1 to 0.9.

    >>> float(bell_middle(0.5))
    0.5
    """
    off = np.asarray(peak, dtype=np.float64) - 0.5
    square = off * off
    return np.asarray(0.5 + off * (0.6655 + square * (0.9 + 1.5 * square)))


def bell(ratio: ArrayLike, peak: float = 0.5, flat: float = 0.0) -> Floats:
    """Path covered at ratios of the time: minimum jerk, warped so that the peak is at any ratio.

    The warp is ``a r / (1 + (a - 1) r)``: it has no corner, so speed and acceleration start and
    end at zero however skewed the bell is.
    """
    r = np.clip(np.asarray(ratio, dtype=np.float64), 0.0, 1.0)
    middle = bell_middle(peak)
    a = (1.0 - middle) / middle
    warped = a * r / (1.0 + (a - 1.0) * r)
    return np.asarray((1.0 - flat) * minimum_jerk(warped) + flat * even(warped))


def even(ratio: ArrayLike) -> Floats:
    """Path covered at a speed that is constant except for smooth ends."""
    r = np.asarray(ratio, dtype=np.float64)
    top = 1.0 / (1.0 - _EDGE)

    def ramp(x: Floats) -> Floats:
        return np.asarray(top * _EDGE * x**3 * (1.0 - 0.5 * x))

    middle = top * (r - 0.5 * _EDGE)
    return np.where(
        r < _EDGE,
        ramp(np.clip(r / _EDGE, 0.0, 1.0)),
        np.where(r > 1.0 - _EDGE, 1.0 - ramp(np.clip((1.0 - r) / _EDGE, 0.0, 1.0)), middle),
    )


def sum_layers(tracks: Sequence[DofTrack], times: ArrayLike) -> Floats:
    """Sum ``[f, d]`` of a main track and the offset layers on it."""
    return np.asarray(np.sum([track(times) for track in tracks], axis=0))
