"""A voice as its hearer feels it: how loud it is about now, and whether it has just gone up or down.

What counts is what the model of body language hears of the same sound: syllables, in deviations
from the recording's mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.maths.arrays import Floats
from kinesphere.speech.observation import classify, statistics_of
from kinesphere.speech.prosody import Prosody

PAST_S, AHEAD_S = 0.6, 0.35
"""Deviations of the window in which loudness is felt, before and after now."""
_RECENT_S = (-0.7, 0.1)


@dataclass(frozen=True, eq=False)
class Contour:
    """Syllables of a voice.

    Parameters
    ----------
    peaks_s : ``[n]`` their loudest moments, ascending.
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
        """Contour of what was heard."""
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
        """Loudness about some times ``[k]``; where it `fades`, it is 0 in silence."""
        gap = self.peaks_s - np.asarray(times_s, dtype=np.float64)[:, None]
        squares = (gap / np.where(gap < 0.0, PAST_S, AHEAD_S)) ** 2
        if fades:
            weight = np.exp(-0.5 * squares)
            return np.asarray(weight @ self.loudness / (weight.sum(axis=1) + 1.0))
        weight = np.exp(-0.5 * (squares - squares.min(axis=1, keepdims=True)))
        return np.asarray(weight @ self.loudness / weight.sum(axis=1))

    def lifted(self, times_s: Floats) -> Floats:
        """Whether the pitch has gone up (1) or down (-1) just before some times ``[k]``."""
        gap = self.peaks_s - np.asarray(times_s, dtype=np.float64)[:, None]
        recent = (gap > _RECENT_S[0]) & (gap < _RECENT_S[1])
        return np.clip(recent @ self.lifts, -1.0, 1.0)
