"""Segmentation of a stream where it changes between slow and fast (2009, section 5.1).

A gesture consists of phases that are alternately fast and slow, so its boundaries are where the
energy ``z = sum u_j |omega_j|^2`` of the stream's joints crosses a threshold. The threshold is a
quantile of z over a whole corpus, from an `EnergyHistogram` that is summed over files, so that the
order of files and the machines that read them make no difference.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cache

import numpy as np

from kinesphere.bodylanguage.streams import ARMS, HEAD, LOWER, STREAMS
from kinesphere.character.default import default_rig
from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats, Ints, read_only

_LOWEST_DECADE, _HIGHEST_DECADE, _PER_DECADE = -6, 6, 96
_FASTEST = 0.97  # quantile of z that is certainly motion
_BINS = (_HIGHEST_DECADE - _LOWEST_DECADE) * _PER_DECADE + 2


@dataclass(frozen=True)
class SegmentationSettings:
    """Segmentation settings that the paper leaves open; `for_stream` has our own values.

    Parameters
    ----------
    slow_quantile : proportion of a corpus' time that is slow: the threshold is this quantile of z.
    least_share : the threshold is at least this factor times the 97 percent quantile of z: a body
        that mostly stands must not be segmented by its breathing.
    hysteresis : a fast run passes the threshold times this, and lasts while z stays above the
        threshold divided by it.
    shortest_s : a segment has at least this length,
    least_energy : or at least this integral of z, in multiples of the threshold, seconds.
    dip : a slow run that is too short for a segment still separates two fast ones if z falls below
        this factor times the threshold.
    longest_s, longest_still_s : fast and slow runs are divided until no part is longer. Slow ones
        are divided more finely, because the current segment is seldom left before half of it is
        over: a body at rest must react soon when speech starts again.
    smoothing_s : standard deviation of the Gaussian that smooths angular velocities.
    least_threshold : (rad/s)^2; below it no motion is fast, however still a corpus is.
    """

    slow_quantile: float = 0.5
    least_share: float = 0.01
    hysteresis: float = 1.25
    shortest_s: float = 0.25
    least_energy: float = 1.0
    dip: float = 0.5
    longest_s: float = 2.5
    longest_still_s: float = 0.8
    smoothing_s: float = 0.06
    least_threshold: float = 1e-4

    def __post_init__(self) -> None:
        if not 0.0 < self.slow_quantile < 1.0:
            raise InvalidValueError(f"slow_quantile {self.slow_quantile:g}, allowed is 0 to 1")
        if not self.hysteresis >= 1.0:
            raise InvalidValueError(f"hysteresis {self.hysteresis:g}, allowed is 1 or more")
        for longest in (self.longest_s, self.longest_still_s):
            if not 0.0 < 2.0 * self.shortest_s <= longest:
                raise InvalidValueError(
                    f"segments of {self.shortest_s:g} to {longest:g} s; the longest must be at "
                    "least twice the shortest"
                )
        if min(self.least_energy, self.dip, self.smoothing_s) < 0.0:
            raise InvalidValueError("least_energy, dip and smoothing_s must be 0 or more")
        if self.least_share < 0.0 or not self.least_threshold > 0.0:
            raise InvalidValueError("least_share must be 0 or more, least_threshold above 0")

    @classmethod
    def for_stream(cls, stream: int) -> SegmentationSettings:
        """Values that give segments as long as the paper's: 0.7 s head and arms, 1 s lower body."""
        return _DEFAULTS[stream]


_DEFAULTS = {
    HEAD: SegmentationSettings(),
    ARMS: SegmentationSettings(),
    LOWER: SegmentationSettings(shortest_s=0.3, longest_s=2.0, longest_still_s=1.5),
}

# Perceptual importance (section 5.1): pelvis, abdomen and hips high, hands low.
_IMPORTANCE = {
    HEAD: {"neck": 1.0, "head": 1.0},
    ARMS: {
        "spine": 4.0,
        "chest": 2.0,
        "upperChest": 2.0,
        "Shoulder": 1.0,
        "UpperArm": 1.0,
        "LowerArm": 0.7,
        "Hand": 0.2,
    },
    LOWER: {"hips": 4.0, "UpperLeg": 2.0, "LowerLeg": 0.7, "Foot": 0.3},
}


@cache
def joint_weights(stream: int, joints: int = 55) -> Floats:
    """Weights u_j ``[joints]`` of the default figure's joints; they sum to 1.

    Raises
    ------
    InvalidValueError
        If there is no such stream, or the figure has another number of joints.
    """
    names = default_rig().skeleton.names
    if stream not in _IMPORTANCE:
        raise InvalidValueError(
            f"stream {stream}, allowed are {len(STREAMS)}: {', '.join(STREAMS)}"
        )
    if joints != len(names):
        raise InvalidValueError(f"{joints} joints, the default figure has {len(names)}")
    known = _IMPORTANCE[stream]
    bare = [name.removeprefix("left").removeprefix("right") for name in names]
    weights = np.array([known.get(name, 0.0) for name in bare])
    frozen: Floats = read_only(weights / weights.sum())
    return frozen


def energy(
    turns: Floats,
    fps: float,
    weights: Floats,
    settings: SegmentationSettings = SegmentationSettings(),
) -> Floats:
    """Energy z of every frame, ``[frames]`` in (rad/s)^2, independent of the frame rate.

    Parameters
    ----------
    turns : ``[frames, joints, 4]`` world rotations.
    weights : of `joint_weights`.
    settings : for `smoothing_s`; velocities are averaged as vectors, so noise cancels.
    """
    used = np.flatnonzero(weights)
    spin = quaternion.angular_velocity(turns[:, used], 1.0 / fps)
    spin = _smooth(spin.reshape(len(spin), -1), settings.smoothing_s * fps)
    squares: Floats = (spin**2).reshape(len(spin), len(used), 3).sum(axis=-1)
    return np.asarray(squares @ weights[used])


def _smooth(values: Floats, sigma: float) -> Floats:
    """Gaussian average over the first axis, normalised within the ends."""
    reach = min(int(np.ceil(3.0 * sigma)), len(values) - 1)
    if reach < 1:
        return values
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    total, weight = np.zeros_like(values), np.zeros(len(values))
    for shift, share in zip(range(-reach, reach + 1), kernel, strict=True):
        here = slice(max(0, -shift), len(values) - max(0, shift))
        there = slice(max(0, shift), len(values) - max(0, -shift))
        total[here] += share * values[there]
        weight[here] += share
    return np.asarray(total / weight[:, None])


@dataclass(frozen=True, eq=False)
class EnergyHistogram:
    """Histogram of z: counts ``[bins]`` over fixed bins, 96 per factor of ten.

    Integer sums do not depend on order, so a corpus gives one threshold, wherever its files were
    read. The first bin is for still frames, the last for what no body does.

    >>> both = EnergyHistogram.of(np.ones(3)) + EnergyHistogram.of(np.full(5, 10.0))
    >>> len(both), round(both.quantile(0.2), 1), round(both.quantile(0.9), 1)
    (8, 1.0, 10.1)
    """

    counts: Ints

    def __post_init__(self) -> None:
        counts = np.asarray(self.counts)
        if counts.shape != (_BINS,) or counts.dtype != np.int64 or counts.min() < 0:
            raise InvalidValueError(f"an energy histogram needs {_BINS} whole counts of 0 or more")
        object.__setattr__(self, "counts", read_only(counts, copy=counts.flags.writeable))

    @classmethod
    def empty(cls) -> EnergyHistogram:
        """Nothing counted yet."""
        return cls(np.zeros(_BINS, dtype=np.int64))

    @classmethod
    def of(cls, z: Floats) -> EnergyHistogram:
        """Count the frames of one file ``[frames]``."""
        if not np.isfinite(z).all() or np.min(z, initial=0.0) < 0.0:
            raise InvalidValueError("an energy is not finite or less than 0")
        with np.errstate(divide="ignore"):
            place = np.floor((np.log10(z) - _LOWEST_DECADE) * _PER_DECADE) + 1.0
        bins = np.clip(place, 0, _BINS - 1).astype(np.int64)
        return cls(np.bincount(bins, minlength=_BINS).astype(np.int64))

    def __add__(self, other: EnergyHistogram) -> EnergyHistogram:
        return EnergyHistogram(self.counts + other.counts)

    def __len__(self) -> int:
        return int(self.counts.sum())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EnergyHistogram) and np.array_equal(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]

    def quantile(self, q: float) -> float:
        """Energy below which a proportion `q` of the frames is, to 1.2 percent (half a bin).

        Raises
        ------
        InvalidValueError
            If nothing was counted.
        """
        total = np.cumsum(self.counts)
        if total[-1] == 0:
            raise InvalidValueError("no motion was counted, so there is no quantile of its energy")
        place = int(np.searchsorted(total, q * total[-1]))
        place = min(max(place, int(np.flatnonzero(self.counts)[0])), _BINS - 1)
        if place == 0:
            return 0.0
        return float(10.0 ** (_LOWEST_DECADE + (place - 0.5) / _PER_DECADE))


def threshold_of(histogram: EnergyHistogram, settings: SegmentationSettings) -> float:
    """Energy that separates slow from fast in a corpus, (rad/s)^2."""
    beyond = settings.least_share * histogram.quantile(_FASTEST)
    return max(histogram.quantile(settings.slow_quantile), beyond, settings.least_threshold)


def segment_bounds(z: Floats, fps: float, threshold: float, settings: SegmentationSettings) -> Ints:
    """Boundaries ``[n + 1]`` in frames of `n` segments; the first is 0, the last ``len(z)``.

    Boundaries are at changes between slow and fast. A segment with neither the minimum length nor
    the minimum energy is merged with its neighbours, the shortest first; one longer than the
    maximum is divided, a still one evenly, a moving one where it is slowest. The frame rate affects
    nothing but the rounding to frames.

    Raises
    ------
    InvalidValueError
        If there are no frames.
    """
    if len(z) == 0:
        raise InvalidValueError("there is no motion to segment: 0 frames")
    fast = _fast(z, threshold / settings.hysteresis, threshold * settings.hysteresis)
    least = max(1, int(np.ceil(settings.shortest_s * fps - 1e-9)))
    longest = (settings.longest_s, settings.longest_still_s)
    most, most_still = (max(2 * least, int(length * fps + 1e-9)) for length in longest)
    runs = _Runs(fast, z, least, settings.least_energy * threshold * fps)
    runs.join_small(threshold * settings.dip)
    return runs.divide(most, most_still)


def _fast(z: Floats, low: float, high: float) -> Bools:
    """Where z stays above `low` around a frame above `high`."""
    above = np.concatenate([[0], (z > low).astype(np.int64), [0]])
    starts, ends = np.flatnonzero(np.diff(above) == 1), np.flatnonzero(np.diff(above) == -1)
    out = np.zeros(len(z), dtype=np.bool_)
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        out[start:end] = z[start:end].max() > high
    return out


class _Runs:
    """Alternating slow and fast runs, being merged into segments."""

    def __init__(self, fast: Bools, z: Floats, least: int, least_sum: float) -> None:
        changes = (np.flatnonzero(np.diff(fast)) + 1).tolist()
        self.z, self.least, self.least_sum = z, least, least_sum
        self.sums = np.concatenate([[0.0], np.cumsum(z)])
        self.starts, self.ends = [0, *changes], [*changes, len(fast)]
        self.fast: list[bool] = fast[self.starts].tolist()
        count = len(self.starts)
        self.before, self.after = list(range(-1, count - 1)), [*range(1, count), -1]
        self.gone = [False] * count
        self.waiting: list[tuple[int, int, int]] = []  # small ones: length, start, index
        for i in range(count):
            self._look_at(i)

    def _look_at(self, i: int) -> None:
        start, end = self.starts[i], self.ends[i]
        if end - start < self.least and self.sums[end] - self.sums[start] < self.least_sum:
            heapq.heappush(self.waiting, (end - start, start, i))

    def join_small(self, deep: float) -> None:
        """Merge those that are too small with their neighbours, the shortest first.

        A small slow one between fast ones leaves one boundary where it is slowest, if that is
        `deep`: a hand that reverses makes two segments, with no time between them.
        """
        while self.waiting:
            length, start, i = heapq.heappop(self.waiting)
            if self.gone[i] or (self.ends[i] - self.starts[i], self.starts[i]) != (length, start):
                continue
            before, after = self.before[i], self.after[i]
            if before < 0 and after < 0:
                return
            if before >= 0 and after >= 0 and self.fast[before] == self.fast[after]:
                self._between(i, before, after, deep)
            else:
                self._join(i, before if self._goes_back(before, after) else after)

    def _between(self, i: int, before: int, after: int, deep: float) -> None:
        """Resolve a small run between two of one kind."""
        if self.fast[i] == self.fast[before]:
            shorter = self._length(before) <= self._length(after)
            self._join(i, before if shorter else after)
            return
        slowest = self.starts[i] + int(np.argmin(self.z[self.starts[i] : self.ends[i]]))
        if self.fast[before] and self.z[slowest] < deep:
            self._join(i, before)
            self.ends[before] = self.starts[after] = slowest
            self._look_at(before)
            self._look_at(after)
        else:
            self._join(i, before)
            self._join(after, before)

    def _goes_back(self, before: int, after: int) -> bool:
        """Whether one between two kinds, or at an end, goes to the one before: the fast one."""
        return before >= 0 and (after < 0 or self.fast[before])

    def _length(self, i: int) -> int:
        return self.ends[i] - self.starts[i]

    def _join(self, i: int, into: int) -> None:
        """Give the frames of one to its neighbour."""
        before, after = self.before[i], self.after[i]
        self.gone[i] = True
        if before >= 0:
            self.after[before] = after
        if after >= 0:
            self.before[after] = before
        self.starts[into] = min(self.starts[into], self.starts[i])
        self.ends[into] = max(self.ends[into], self.ends[i])
        self._look_at(into)

    def divide(self, most: int, most_still: int) -> Ints:
        """Boundaries, with further ones in fast or slow runs of too many frames.

        Slow runs are divided evenly, fast ones where they are slowest within their middle half.
        """
        kept = [i for i, gone in enumerate(self.gone) if not gone]
        todo = [(self.starts[i], self.ends[i], self.fast[i]) for i in reversed(kept)]
        out = [0]
        while todo:
            start, end, fast = todo.pop()
            length = end - start
            if length <= (most if fast else most_still):
                out.append(end)
            elif not fast:
                pieces = -(-length // most_still)
                out += [start + length * k // pieces for k in range(1, pieces + 1)]
            else:
                margin = max(self.least, length // 4)
                cut = start + margin + int(np.argmin(self.z[start + margin : end - margin + 1]))
                todo += [(cut, end, True), (start, cut, True)]
        return np.array(out, dtype=np.int64)
