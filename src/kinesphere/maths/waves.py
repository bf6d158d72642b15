"""Slow waves of random phase, for idle motion and breathing."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.maths.arrays import Floats

_WAVES = 6
# Variation of the breathing rate: its frequency as a ratio of the rate, and its depth.
_UNEVEN, _UNEVEN_BY = 0.23, 0.4


def wander(
    times: Floats, rms: ArrayLike, rng: np.random.Generator, band: tuple[float, float]
) -> Floats:
    """Smooth noise ``[f, d]`` of given root mean squares ``[d]``: a few waves of random phase.

    Parameters
    ----------
    times : ``[f]`` seconds.
    rms : ``[d]``, one for every column.
    band : least and most frequency, Hz.
    """
    sizes = np.asarray(rms, dtype=np.float64)
    low, high = np.log(band)
    hz = np.exp(rng.uniform(low, high, size=(_WAVES, len(sizes))))
    phases = rng.uniform(0.0, 2.0 * np.pi, size=(_WAVES, len(sizes)))
    out = np.zeros((len(times), len(sizes)))
    for rate, phase in zip(hz, phases, strict=True):
        out += np.sin(2.0 * np.pi * rate * times[:, None] + phase)
    return np.asarray(out * sizes * np.sqrt(2.0 / _WAVES))


def breath(times: Floats, hz: float, rng: np.random.Generator) -> Floats:
    """Breathing signal ``[f]`` from -1 to 1, slightly irregular, with a random phase."""
    rate = 2.0 * np.pi * hz * times
    start = rng.uniform(0.0, 2.0 * np.pi)
    return np.asarray(np.sin(rate + start + _UNEVEN_BY * np.sin(_UNEVEN * rate)))
