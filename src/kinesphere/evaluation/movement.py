"""Wrist motion, measured in the same way as the recordings of speaking people.

The wrist's position from the pelvis, for a body of 1.75 m, is resampled to 60 Hz and smoothed by a
Butterworth filter of second order at 10 Hz, forward and back; speed is its central difference. A
unit of movement is a peak of speed and its surroundings up to the minimum towards the next peak,
or up to where the hand is slower than 0.05 m/s, whichever is nearer. Spectra are those of the
velocity before smoothing. Jerk depends on the filter: compare only what was measured like this.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Bools, Floats, Ints, frozen_floats
from kinesphere.maths.filters import low_pass
from kinesphere.maths.peaks import peaks
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.kinematics import velocities
from kinesphere.motion.measure import body_height
from kinesphere.motion.resampling import vectors_at

RATE_HZ = 60.0
CUTOFF_HZ = 10.0
HEIGHT_M = 1.75
LEAST_PEAK_M_S = 0.15
LEAST_PROMINENCE_M_S = 0.10
STILL_M_S = 0.05
MOVING_M_S = 0.10
HANDS = ("left", "right")
POWER_HZ = (3.0, 5.0, 8.0)

# Spectra: Welch's method with windows of 4 s, half overlapping, up to 15 Hz, above which clips of
# 30 frames a second have no signal.
_SPECTRUM_S = 4.0
_SPECTRUM_HZ = 15.0
# Below this a chord is noise, and its logarithm would dominate the fit of the amplitude law.
_LEAST_CHORD_M = 0.01
_LEAST_FIT = 5
_NO_VARIANCE = 1e-20


@dataclass(frozen=True, eq=False)
class WristMotion:
    """Both wrists from the pelvis at 60 Hz, for a body of 1.75 m; the left is first.

    Parameters
    ----------
    raw : ``[n, 2, 3]`` metres, not smoothed.
    places : ``[n, 2, 3]`` metres, smoothed.
    """

    raw: Floats
    places: Floats

    def __post_init__(self) -> None:
        for name in ("raw", "places"):
            object.__setattr__(self, name, frozen_floats(getattr(self, name), name, (None, 2, 3)))

    def __len__(self) -> int:
        return len(self.places)

    @property
    def duration_s(self) -> float:
        """Time from the first sample to the last."""
        return (len(self) - 1) / RATE_HZ

    @cached_property
    def velocities(self) -> Floats:
        """Velocity ``[n, 2, 3]``, m/s."""
        return velocities(self.places, RATE_HZ)

    @cached_property
    def speeds(self) -> Floats:
        """Speed ``[n, 2]``, m/s."""
        return np.asarray(np.linalg.norm(self.velocities, axis=-1))

    @cached_property
    def accelerations(self) -> Floats:
        """Size of the acceleration ``[n, 2]``, m/s2."""
        return np.asarray(np.linalg.norm(self._second, axis=-1))

    @cached_property
    def jerks(self) -> Floats:
        """Size of the jerk ``[n, 2]``, m/s3."""
        return np.asarray(np.linalg.norm(velocities(self._second, RATE_HZ), axis=-1))

    @cached_property
    def units(self) -> Units:
        """Units of movement of both hands."""
        return find_units(self)

    @cached_property
    def _second(self) -> Floats:
        return velocities(self.velocities, RATE_HZ)

    def frames(self, start_s: float, end_s: float) -> slice:
        """Samples from one time up to, but not including, another."""
        first = max(0, int(np.ceil(start_s * RATE_HZ - 1e-6)))
        return slice(first, max(first, int(np.ceil(end_s * RATE_HZ - 1e-6))))


def wrist_motion(clip: Clip, rig: Rig, height_m: float | None = None) -> WristMotion:
    """Wrist motion of a clip, ready for measurement.

    Parameters
    ----------
    clip, rig : the motion and what its joints are.
    height_m : body height, in the clip's own metres; by default from its bones, which is as
        accurate as the rig's joints are anatomical.

    Raises
    ------
    RigError
        If the rig lacks a hand or the hips.
    """
    height = body_height(rig) if height_m is None else height_m
    if not (np.isfinite(height) and height > 0.0):
        raise InvalidValueError(f"a body's height is {height:g} m, allowed is above 0")
    joints = rig.joints([f"{side}Hand" for side in HANDS])
    positions = clip.world_positions
    away = (positions[:, joints] - positions[:, rig.joint("hips"), None]) * (HEIGHT_M / height)
    raw = resample_values(away, clip.fps)
    return WristMotion(raw, low_pass(raw, CUTOFF_HZ, RATE_HZ))


def resample_values(values: ArrayLike, fps: float) -> Floats:
    """Values ``[frames, ...]`` at 60 Hz, cubic in between."""
    x = np.asarray(values, dtype=np.float64)
    if fps == RATE_HZ or len(x) < 2:
        return x.copy()
    count = int(np.floor((len(x) - 1) / fps * RATE_HZ + 1e-6)) + 1
    at = np.minimum(np.arange(count) * (fps / RATE_HZ), len(x) - 1.0)
    return vectors_at(x, at)


@dataclass(frozen=True, eq=False)
class Units:
    """Units of movement, in order of their peaks; all arrays are ``[units]``.

    Parameters
    ----------
    hand : 0 for the left, 1 for the right.
    start, top, end : samples at 60 Hz at which they begin, are fastest and end.
    peak : speed at the top, m/s.
    end_speed : speed at the end, m/s.
    chord_m : distance between the positions at start and end.
    """

    hand: Ints
    start: Ints
    top: Ints
    end: Ints
    peak: Floats
    end_speed: Floats
    chord_m: Floats

    def __len__(self) -> int:
        return len(self.top)

    @property
    def start_s(self) -> Floats:
        """Times of the starts."""
        return self.start / RATE_HZ

    @property
    def top_s(self) -> Floats:
        """Times of the peaks."""
        return self.top / RATE_HZ

    @property
    def end_s(self) -> Floats:
        """Times of the ends."""
        return self.end / RATE_HZ

    @property
    def duration_s(self) -> Floats:
        """Lengths in seconds."""
        return (self.end - self.start) / RATE_HZ

    @property
    def time_to_peak(self) -> Floats:
        """Time to peak as a proportion of the length of each."""
        return np.asarray((self.top - self.start) / np.maximum(self.end - self.start, 1))

    @property
    def end_ratio(self) -> Floats:
        """Speed at the end as a proportion of the peak."""
        return self.end_speed / self.peak

    def select(self, which: Bools | Ints) -> Units:
        """Return some of the units."""
        return Units(
            self.hand[which],
            self.start[which],
            self.top[which],
            self.end[which],
            self.peak[which],
            self.end_speed[which],
            self.chord_m[which],
        )

    def between(self, start_s: float, end_s: float) -> Units:
        """Return the units whose peaks are in a span of time."""
        return self.select((self.top_s >= start_s - 1e-9) & (self.top_s < end_s - 1e-9))


def find_units(motion: WristMotion) -> Units:
    """Units of movement of both hands."""
    rows: list[tuple[int, int, int, int]] = []
    for k in range(2):
        speed = motion.speeds[:, k]
        rows += [(top, k, a, b) for a, top, b in _bound_units(speed, speed_peaks(speed))]
    rows.sort()
    top, hand, start, end = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    chord = np.linalg.norm(motion.places[end, hand] - motion.places[start, hand], axis=-1)
    return Units(hand, start, top, end, motion.speeds[top, hand], motion.speeds[end, hand], chord)


def speed_peaks(
    speed: ArrayLike, least: float = LEAST_PEAK_M_S, prominence: float = LEAST_PROMINENCE_M_S
) -> Ints:
    """Samples at which a speed ``[n]`` peaks, see `maths.peaks`."""
    return peaks(speed, least, prominence)


def _bound_units(speed: Floats, tops: Ints) -> list[tuple[int, int, int]]:
    """Start, top and end of the unit around each peak."""
    out = []
    still = np.flatnonzero(speed < STILL_M_S)
    for i, top in enumerate(tops.tolist()):
        before = int(tops[i - 1]) if i else 0
        after = int(tops[i + 1]) if i + 1 < len(tops) else len(speed) - 1
        # The last of equal minima before, the first after: the nearer ones.
        start = top - int(np.argmin(speed[before : top + 1][::-1]))
        end = top + int(np.argmin(speed[top : after + 1]))
        place = int(np.searchsorted(still, top))
        if place > 0:
            start = max(start, int(still[place - 1]))
        if place < len(still):
            end = min(end, int(still[place]))
        out.append((start, top, end))
    return out


def amplitude_law(units: Units) -> tuple[float, float]:
    """Coefficient a and exponent b of ``peak = a chord^b``, by least squares of logarithms."""
    far = units.chord_m > _LEAST_CHORD_M
    if np.count_nonzero(far) < _LEAST_FIT:
        return np.nan, np.nan
    x, y = np.log(units.chord_m[far]), np.log(units.peak[far])
    slope = float(np.sum((x - x.mean()) * (y - y.mean())) / np.sum((x - x.mean()) ** 2))
    return float(np.exp(y.mean() - slope * x.mean())), slope


def high_power(raw: Floats) -> tuple[float, ...]:
    """Percentage of velocity power above 3, 5 and 8 Hz, positions ``[n, ..., 3]`` at 60 Hz."""
    speed = velocities(raw, RATE_HZ).reshape(len(raw), -1)
    size = min(round(_SPECTRUM_S * RATE_HZ), len(speed))
    if size < round(RATE_HZ):
        return (np.nan,) * len(POWER_HZ)
    # Hann window, the periodic one that is usual for spectra.
    weight = 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(size) / size)
    starts = range(0, len(speed) - size + 1, size // 2)
    pieces = np.stack([speed[a : a + size] for a in starts])
    pieces = (pieces - pieces.mean(axis=1, keepdims=True)) * weight[:, None]
    power = (np.abs(np.fft.rfft(pieces, axis=1)) ** 2).sum(axis=(0, 2))
    hz = np.fft.rfftfreq(size, 1.0 / RATE_HZ)
    power = power[hz <= _SPECTRUM_HZ]
    total = float(power.sum())
    if total <= 0.0:
        return (np.nan,) * len(POWER_HZ)
    hz = hz[hz <= _SPECTRUM_HZ]
    return tuple(100.0 * float(power[hz > least].sum()) / total for least in POWER_HZ)


def correlation(x: Floats, y: Floats) -> float:
    """Pearson's correlation of two series; NaN where one of them is constant."""
    a, b = x - x.mean(), y - y.mean()
    squares = float(np.sum(a * a)), float(np.sum(b * b))
    # Rounding makes even a constant vary.
    if min(squares) <= len(x) * _NO_VARIANCE:
        return np.nan
    return float(np.sum(a * b) / np.sqrt(squares[0] * squares[1]))
