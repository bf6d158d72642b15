"""Resampling of audio, whole or in chunks, by soxr: a linear-phase filter, 20-bit precision.

The state of soxr is in C and cannot be copied, so the streaming form is an object: `push` and
`flush`. Chunks of any sizes give the numbers of `resample_audio`, later by the filter's delay.
"""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.speech.prosody.framing import RATE_RANGE_HZ

SPEECH_RATE_HZ = 16_000
"""Sample rate of speech recognition and of our own analysis."""
_QUALITY = "HQ"


def resample_audio(samples: ArrayLike, rate_hz: float, target_hz: float = SPEECH_RATE_HZ) -> Floats:
    """Return mono audio ``[n]`` at another rate, about ``[round(n * target_hz / rate_hz)]``.

    Raises
    ------
    InvalidValueError
        If a rate is outside `RATE_RANGE_HZ` or the audio is not mono and finite.
    """
    _check_rates(rate_hz, target_hz)
    sound = _mono(samples)
    if rate_hz == target_hz or not len(sound):
        return sound.copy()
    soxr = import_module("soxr")
    return np.asarray(soxr.resample(sound, rate_hz, target_hz, quality=_QUALITY))


class Resampler:
    """Resampling of a stream: `push` chunks, then `flush` for the rest; then it can be reused.

    Parameters
    ----------
    rate_hz, target_hz : rates of input and output.
    """

    def __init__(self, rate_hz: float, target_hz: float = SPEECH_RATE_HZ) -> None:
        _check_rates(rate_hz, target_hz)
        self.rate_hz = rate_hz
        self.target_hz = target_hz
        self._stream: Any = None

    def push(self, chunk: ArrayLike) -> Floats:
        """Process mono samples ``[n]``, n may be 0, and return those that are ready."""
        return self._push(_mono(chunk), last=False)

    def flush(self) -> Floats:
        """Return what the filter still holds."""
        rest = self._push(np.zeros(0), last=True)
        self._stream = None
        return rest

    def _push(self, chunk: Floats, *, last: bool) -> Floats:
        if self.rate_hz == self.target_hz:
            return chunk.copy()
        if self._stream is None:
            soxr = import_module("soxr")
            self._stream = soxr.ResampleStream(
                self.rate_hz, self.target_hz, 1, dtype="float64", quality=_QUALITY
            )
        return np.asarray(self._stream.resample_chunk(chunk, last=last))


def _mono(samples: ArrayLike) -> Floats:
    sound = np.ascontiguousarray(samples, dtype=np.float64)
    if sound.ndim != 1:
        raise InvalidValueError(f"audio has shape {sound.shape}, expected (n)")
    if not np.isfinite(sound).all():
        raise InvalidValueError("audio has a value that is not finite")
    return sound


def _check_rates(*rates_hz: float) -> None:
    low, high = RATE_RANGE_HZ
    for rate in rates_hz:
        if not (math.isfinite(rate) and low <= rate <= high):
            raise InvalidValueError(f"a rate is {rate} Hz, allowed is {low:g} to {high:g}")
