"""Contour of a voice: its smoothed loudness, and whether the pitch has just risen or fallen.

It uses the prosody that the body-language model observes: syllables, in deviations
from the recording's mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.maths.arrays import Floats
from kinesphere.speech.prosody.observation import classify, statistics_of
from kinesphere.speech.prosody.prosody import Prosody

PAST_S, AHEAD_S = 0.6, 0.35
"""Standard deviations of the loudness window, before and after a time."""
_RECENT_S = (-0.7, 0.1)


@dataclass(frozen=True, eq=False)
class Contour:
    """Syllables of a voice.

    Parameters
    ----------
    peaks_s : ``[n]`` times of their loudness peaks, ascending.
    loudness : ``[n]`` in deviations from the mean, -2 to 2.
    lifts : ``[n]`` 1 for a rise of the pitch, -1 for a fall, 0 for neither or both.
    """

    peaks_s: Floats
    loudness: Floats
    lifts: Floats

    def __len__(self) -> int:
        return len(self.peaks_s)

    @classmethod
    def of(cls, heard: Prosody) -> Contour:
        """Contour of a prosody."""
        found = heard.syllables
        known = statistics_of(found)
        seen = [classify(known, s) for s in found]
        loud = np.array([s.intensity_db for s in found])
        z = (loud - known.intensity_db.mean) / max(known.intensity_db.deviation, 1e-6)
        return cls(
            np.array([s.peak_s for s in found]),
            np.clip(z, -2.0, 2.0),
            np.array([float(o.rise) - float(o.fall) for o in seen]),
        )

    def felt(self, times_s: Floats, *, fades: bool = False) -> Floats:
        """Smoothed loudness at some times ``[k]``; where it `fades`, it is 0 in silence."""
        gap = self.peaks_s - np.asarray(times_s, dtype=np.float64)[:, None]
        squares = (gap / np.where(gap < 0.0, PAST_S, AHEAD_S)) ** 2
        if fades:
            weight = np.exp(-0.5 * squares)
            return np.asarray(weight @ self.loudness / (weight.sum(axis=1) + 1.0))
        weight = np.exp(-0.5 * (squares - squares.min(axis=1, keepdims=True)))
        return np.asarray(weight @ self.loudness / weight.sum(axis=1))

    def lifted(self, times_s: Floats) -> Floats:
        """Whether the pitch has risen (1) or fallen (-1) just before some times ``[k]``."""
        gap = self.peaks_s - np.asarray(times_s, dtype=np.float64)[:, None]
        recent = (gap > _RECENT_S[0]) & (gap < _RECENT_S[1])
        return np.clip(recent @ self.lifts, -1.0, 1.0)
