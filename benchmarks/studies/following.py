"""Speech-following metric: hands faster where the voice is louder, still in silence, in time.

This measure of synchrony depends only on the resulting motion. Speed of the faster hand and
loudness, both smoothed alike, are correlated over time; the chance level is the same after a
circular shift of the audio against the motion, which keeps the rhythm of both. A second figure is
the delay from the onset of a phrase to the first movement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinesphere.errors import InvalidValueError
from kinesphere.evaluation.movement import LEAST_PEAK_M_S, RATE_HZ, WristMotion
from kinesphere.maths.arrays import Floats
from kinesphere.timeline.sampled_track import SampledTrack

SMOOTH_S = 0.25
"""Standard deviation of the Gaussian that smooths both: about a syllable on either side."""
QUIET_DB = 30.0
"""Level this far below the loud parts of a recording is silence."""
SILENCE_S = 1.0
"""Speech after a pause of that length is a new phrase."""
_LOUD_QUANTILE = 0.95
_LEAST_SHIFT_S = 1.0
_SHIFTS = 199
# The first movement is searched from this long before a phrase, and for this long after.
_BEFORE_S, _AFTER_S = 0.5, 3.0


@dataclass(frozen=True, eq=False)
class Spoken:
    """Wrist motion and its voice, with a common start.

    Parameters
    ----------
    motion : the wrists.
    loudness_db : intensity of the voice.
    """

    motion: WristMotion
    loudness_db: SampledTrack


@dataclass(frozen=True)
class Following:
    """How hands follow a voice.

    Parameters
    ----------
    r : correlation of speed and loudness over all takes, each about its own means.
    chance, high : mean and p95 of the same after circular shifts.
    p : proportion of shifts with at least as much.
    """

    r: float
    chance: float
    high: float
    p: float

    def __str__(self) -> str:
        return f"r {self.r:+.3f}, chance {self.chance:+.3f} (p95 {self.high:+.3f}, p {self.p:.3f})"


def following(takes: Sequence[Spoken], shifts: int = _SHIFTS, seed: int = 0) -> Following:
    """Correlate the speed of hands with the loudness of the voice over all takes.

    Raises
    ------
    InvalidValueError
        If there is no motion, or no sound.
    """
    pairs = [_pair(take) for take in takes]
    power = np.sqrt(sum(v @ v for v, _ in pairs) * sum(s @ s for _, s in pairs))
    if not power > 0.0:
        raise InvalidValueError("hands or voice never change, so that there is no correlation")
    r = float(sum(v @ s for v, s in pairs) / power)
    rng = np.random.default_rng(seed)
    least = int(_LEAST_SHIFT_S * RATE_HZ)
    by_chance = np.zeros(shifts)
    for v, s in pairs:
        far = min(least, len(s) // 2)
        moves = rng.integers(far, max(len(s) - far, far) + 1, size=shifts)
        by_chance += [v @ np.roll(s, by) for by in moves]
    by_chance /= power
    return Following(
        r,
        float(by_chance.mean()),
        float(np.quantile(by_chance, 0.95)),
        float((1 + np.count_nonzero(by_chance >= r)) / (1 + shifts)),
    )


def first_movements_s(motion: WristMotion, spans: Sequence[tuple[float, float]]) -> Floats:
    """Time from the start of every phrase after a silence to the first movement.

    Negative if hands are first. A movement starts where the speed of the faster hand rises above
    0.15 m/s, from half a second before the phrase on; phrases with motion all that time are
    skipped, and a phrase without movement counts as 3 s.

    Parameters
    ----------
    motion : the wrists.
    spans : start and end of spans of speech, in order.
    """
    speed = motion.speeds.max(axis=1)
    above = speed >= LEAST_PEAK_M_S
    begins = np.flatnonzero(above[1:] & ~above[:-1]) + 1
    out, last_s = [], -np.inf
    for start_s, end_s in spans:
        silent, last_s = start_s - last_s >= SILENCE_S, end_s
        first = int((start_s - _BEFORE_S) * RATE_HZ)
        if not silent or start_s >= motion.duration_s or (first > 0 and above[first]):
            continue
        later = begins[begins >= first] / RATE_HZ - start_s
        out.append(min(float(later[0]), _AFTER_S) if len(later) else _AFTER_S)
    return np.array(out)


def _pair(take: Spoken) -> tuple[Floats, Floats]:
    """Speed and loudness of a take at 60 Hz, smoothed, each about its mean."""
    speed = take.motion.speeds.max(axis=1)
    times = np.arange(len(speed)) / RATE_HZ
    track = take.loudness_db
    heard = np.interp(times, track.times, np.nan_to_num(track.values, nan=-300.0))
    loud = np.quantile(heard, _LOUD_QUANTILE)
    heard = np.maximum(heard - (loud - QUIET_DB), 0.0)
    out = [_smoothed(values) for values in (speed, heard)]
    return out[0] - out[0].mean(), out[1] - out[1].mean()


def _smoothed(values: Floats) -> Floats:
    """Gaussian average, normalised within the ends.

    `maths.filters.gaussian` reflects the ends, where speed and loudness would become negative.
    """
    deviation = SMOOTH_S * RATE_HZ
    reach = int(3.0 * deviation)
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / deviation) ** 2)
    sums = np.convolve(values, bell)[reach : reach + len(values)]
    return np.asarray(sums / np.convolve(np.ones(len(values)), bell)[reach : reach + len(values)])
