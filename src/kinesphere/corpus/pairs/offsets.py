"""Estimates the time offset between audio and motion of a recording from hand activity.

Hands move during speech and rest in silence. Speech activity is correlated with the speed of the
hands at all shifts within some seconds. The significance of the best shift is tested against
chance level: the same correlation of unrelated signals with the same spectrum.

The accuracy is limited: people start to move about 0.1 s before the first word and retract 0.2 s
after the last, some keep moving through pauses, and a recording without pauses has no information.
So it finds offsets of half a second, not of a frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.speech.prosody.intensity import IntensitySettings, intensity

LARGEST_OFFSET_S = 5.0
CONFIDENT = 0.99
_STEP_S = 0.04
_SHORTEST_S = 20.0
_FEWEST_PAUSES = 5
# Breaths and stop consonants inside speech are not pauses.
_BRIDGED_S = 0.35
_SLOWEST_M_S = 0.05
_BELOW_LOUD_DB = 25.0
_ABOVE_NOISE = 0.3
_SMOOTHED_S = 0.4
_DRAWS, _SEED = 200, 0


@dataclass(frozen=True)
class OffsetEstimate:
    """Time of the motion's first frame in the audio, and its confidence.

    Parameters
    ----------
    offset_s : motion at time t corresponds to audio at ``t + offset_s``.
    confidence : 0 to 1: probability that chance gives a lower correlation; `CONFIDENT` and
        above is reliable.
    correlation : between speech activity and the hands' speed at that shift.
    """

    offset_s: float
    confidence: float
    correlation: float

    @property
    def confident(self) -> bool:
        """Whether the estimate is reliable."""
        return self.confidence >= CONFIDENT


def speaking(samples: Floats, rate_hz: float, step_s: float = _STEP_S) -> Floats:
    """Speech activity, 1 or 0 in pauses, ``[frames]`` every `step_s`; from loudness alone."""
    levels = intensity(samples, rate_hz, IntensitySettings(step_s=min(step_s, 0.1))).values
    if not len(levels):
        return np.zeros(0)
    heard = levels[levels > -100.0]  # digital silence is not a noise floor
    if not len(heard):
        return np.zeros(len(levels))
    loud, low = np.quantile(heard, 0.95), np.quantile(heard, 0.05)
    threshold = max(loud - _BELOW_LOUD_DB, low + _ABOVE_NOISE * (loud - low))
    return _fill_gaps(levels > threshold, round(_BRIDGED_S / step_s)).astype(np.float64)


def _fill_gaps(on: NDArray[np.bool_], longest: int) -> NDArray[np.bool_]:
    """Fill gaps of up to `longest` frames."""
    out = on.copy()
    places = np.flatnonzero(out)
    for a, b in pairwise(places.tolist()):
        if 1 < b - a <= longest + 1:
            out[a:b] = True
    return out


def hand_speed(clip: Clip, left: int, right: int, root: int, step_s: float = _STEP_S) -> Floats:
    """Logarithmic speed of the faster hand relative to the hips, ``[frames]`` every `step_s`.

    `left`, `right` and `root` are joints. Slower than 5 cm/s counts as still.
    """
    if len(clip) < 2:
        return np.zeros(0)
    places = clip.world_positions[:, [left, right]] - clip.world_positions[:, [root]]
    speed = np.linalg.norm(np.gradient(places, 1.0 / clip.fps, axis=0), axis=-1).max(axis=1)
    level = np.log(np.maximum(_smooth(speed, _SMOOTHED_S * clip.fps), _SLOWEST_M_S))
    times = np.arange(0.0, clip.duration_s, step_s)
    return np.asarray(np.interp(times, clip.times, level))


def _smooth(values: Floats, width: float) -> Floats:
    """Mean under a tapered window of `width` frames."""
    size = max(3, 2 * round(0.5 * width) + 1)
    window = np.hanning(min(size, 2 * (len(values) // 2) + 1) + 2)[1:-1]
    half = len(window) // 2
    padded = np.pad(values, half, mode="edge")
    return np.convolve(padded, window / window.sum(), mode="valid")


def estimate_offset(
    speech: Floats, motion: Floats, step_s: float = _STEP_S, largest_s: float = LARGEST_OFFSET_S
) -> OffsetEstimate:
    """Find the shift of highest correlation between speech and hand movement.

    Parameters
    ----------
    speech, motion : ``[n]`` and ``[m]``, every `step_s`; see `speaking` and `hand_speed`.
    largest_s : shifts within this are tried.

    Returns
    -------
    an estimate; its confidence is 0 for less than 20 s, fewer than 5 pauses, or still hands.
    """
    most = round(largest_s / step_s)
    least = max(_SHORTEST_S / step_s, 2 * most)
    pauses = int(np.sum(np.diff(speech) < 0.0))
    if min(len(speech), len(motion)) < least or pauses < _FEWEST_PAUSES or np.ptp(motion) < 1e-9:
        return OffsetEstimate(0.0, 0.0, 0.0)
    fits = _fits(speech, motion, most)
    best = int(np.argmax(fits))
    place = best - most + _vertex(fits, best)
    return OffsetEstimate(
        float(place * step_s), _confidence(speech, motion, fits), float(fits[best])
    )


def _fits(speech: Floats, motion: Floats, most: int) -> Floats:
    """Correlation of the overlap at each shift from ``-most`` to ``most``, by FFT.

    Times the root of the overlapping fraction, as longer overlaps are better evidence.
    """
    size = 1 << (len(speech) + len(motion) + 2 * most).bit_length()

    def cross_correlate(a: Floats, b: Floats) -> Floats:
        """Sum of ``a[t + k] b[t]`` for each k."""
        product = np.fft.rfft(a, size) * np.conj(np.fft.rfft(b, size))
        return np.roll(np.fft.irfft(product, size), most)[: 2 * most + 1]

    a, b = speech - speech.mean(), motion - motion.mean()
    one_a, one_b = np.ones_like(a), np.ones_like(b)
    count = np.maximum(np.round(cross_correlate(one_a, one_b)), 1.0)
    sum_a, sum_b = cross_correlate(a, one_b), cross_correlate(one_a, b)
    spread_a = cross_correlate(a * a, one_b) - sum_a**2 / count
    spread_b = cross_correlate(one_a, b * b) - sum_b**2 / count
    joint = cross_correlate(a, b) - sum_a * sum_b / count
    floor_a, floor_b = 0.05 * float(a @ a), 0.05 * float(b @ b)
    scale = np.sqrt(np.maximum(spread_a, floor_a) * np.maximum(spread_b, floor_b))
    return np.asarray(joint / scale * np.sqrt(count / min(len(a), len(b))))


def _vertex(values: Floats, at: int) -> float:
    """Offset of the top of a parabola through the best three samples, -0.5 to 0.5."""
    if not 0 < at < len(values) - 1:
        return 0.0
    left, middle, right = values[at - 1 : at + 2]
    bend = left - 2.0 * middle + right
    return float(np.clip(0.5 * (left - right) / bend, -0.5, 0.5)) if bend < -1e-12 else 0.0


def _confidence(speech: Floats, motion: Floats, fits: Floats) -> float:
    """Probability that chance stays below the best correlation over all shifts tried.

    Chance is the same two signals with random phases, which keep their spectra. The best
    correlations of such surrogates follow a Gumbel distribution, which is fitted to them by its
    moments.
    """
    n = min(len(speech), len(motion))
    a, b = speech[:n] - speech[:n].mean(), motion[:n] - motion[:n].mean()
    norm = max(float(np.sqrt((a @ a) * (b @ b))), 1e-12)
    strength = np.abs(np.fft.rfft(a)) * np.abs(np.fft.rfft(b)) / norm
    rng = np.random.default_rng(_SEED)
    best = np.empty(_DRAWS)
    for i in range(_DRAWS):  # one at a time, because recordings may be hours long
        phases = np.exp(2j * np.pi * rng.random(len(strength)))
        best[i] = np.fft.irfft(strength * phases, n)[: len(fits)].max()
    width = max(float(best.std()) * np.sqrt(6.0) / np.pi, 1e-9)
    middle = float(best.mean()) - np.euler_gamma * width
    return float(np.exp(-np.exp(-(float(fits.max()) - middle) / width)))
