"""Mel-frequency cepstral coefficients, with the common settings of speech recognition.

Pre-emphasis 0.97, Hamming windows of 25 ms every 10 ms, power spectrum, 26 triangular filters
on the mel scale (2595 log10(1 + f / 700)) from 60 Hz to 7600 Hz, logarithm, orthonormal DCT-II,
coefficients 0 to 12, the first of which is the loudness.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.speech.resampling import SPEECH_RATE_HZ, resample_audio

STEP_S = 0.01
_WINDOW_S = 0.025
_FILTERS, _COEFFICIENTS, _FFT = 26, 13, 512
_RANGE_HZ = (60.0, 7600.0)
_EMPHASIS = 0.97
_FLOOR = 1e-10  # least power, that of 16-bit silence
_BLOCK = 4096  # frames at a time, so that memory stays at some MB


def mfcc(samples: ArrayLike, rate_hz: float) -> Floats:
    """Return coefficients ``[frames, 13]`` of mono audio; frame ``i`` is centred on ``i * STEP_S``.

    Raises
    ------
    InvalidValueError
        If the audio is empty, not mono or not finite.
    """
    sound = resample_audio(samples, rate_hz)
    if not len(sound):
        raise InvalidValueError("there is no audio, its length is 0")
    step, size = round(STEP_S * SPEECH_RATE_HZ), round(_WINDOW_S * SPEECH_RATE_HZ)
    emphasised = np.append(sound[:1], sound[1:] - _EMPHASIS * sound[:-1])
    count = 1 + len(sound) // step
    padded = np.pad(emphasised, (size // 2, size + step))
    frames = np.lib.stride_tricks.sliding_window_view(padded, size)[::step][:count]
    window, filters, transform = np.hamming(size), _mel_filters(), _dct()
    parts = []
    for at in range(0, count, _BLOCK):
        power = np.abs(np.fft.rfft(frames[at : at + _BLOCK] * window, _FFT)) ** 2 / _FFT
        parts.append(np.log(np.maximum(power @ filters, _FLOOR)) @ transform)
    return np.concatenate(parts)


def with_slopes(coefficients: Floats, reach: int = 2) -> Floats:
    """Return coefficients and their slopes over ±`reach` frames (HTK's deltas), side by side."""
    padded = np.pad(coefficients, ((reach, reach), (0, 0)), mode="edge")
    count = len(coefficients)
    slopes = sum(
        k * (padded[reach + k : reach + k + count] - padded[reach - k : reach - k + count])
        for k in range(1, reach + 1)
    ) / (2.0 * sum(k * k for k in range(1, reach + 1)))
    return np.concatenate([coefficients, slopes], axis=1)


def _mel_filters() -> Floats:
    """Triangles ``[bins, filters]``, each one from its left neighbour's peak to its right's."""
    low, high = (2595.0 * np.log10(1.0 + hz / 700.0) for hz in _RANGE_HZ)
    peaks_hz = 700.0 * (10.0 ** (np.linspace(low, high, _FILTERS + 2) / 2595.0) - 1.0)
    hz = np.fft.rfftfreq(_FFT, 1.0 / SPEECH_RATE_HZ)[:, None]
    rising = (hz - peaks_hz[:-2]) / (peaks_hz[1:-1] - peaks_hz[:-2])
    falling = (peaks_hz[2:] - hz) / (peaks_hz[2:] - peaks_hz[1:-1])
    return np.maximum(0.0, np.minimum(rising, falling))


def _dct() -> Floats:
    """Orthonormal DCT-II ``[filters, coefficients]``."""
    n, k = np.arange(_FILTERS)[:, None], np.arange(_COEFFICIENTS)
    basis = np.cos(np.pi * k * (n + 0.5) / _FILTERS) * np.sqrt(2.0 / _FILTERS)
    basis[:, 0] /= np.sqrt(2.0)
    return np.asarray(basis)
