"""Rhythm term of the segment choice: accents of segments on coming syllables.

Prosody decides which cluster fits; of several segments that fit, some are better in time. In
recordings, hands are fastest near the loudness peaks of syllables, and heads lowest near those of
loud ones. Where the next syllables are known, a segment is more likely the nearer its own accents
are to them. The paper has no look-ahead and no such term.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kinesphere.bodylanguage.learn.segment_features import key_positions
from kinesphere.bodylanguage.learn.training_motion import FPS
from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.bodylanguage.streams import ARMS, HEAD, STREAMS
from kinesphere.character.default import default_rig
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, Ints, read_only
from kinesphere.maths.peaks import peaks
from kinesphere.speech.prosody.observation import HIGH, SILENT, intensity_of

STRICT = 12.0
"""Exponent per unit of fit: a segment that fits better by 1 is e to that power times likelier."""
NEAR_S = 0.06
"""An accent this far from a syllable is worth 0.6 of one on it."""
_BEYOND_S = 0.1
# Speed peaks of hands, m/s; pitch minima of head dips, degrees: smallest prominences of accents, as
# they are measured, and for hands the lowest speed.
_LEAST_M_S, _PROMINENT_M_S, _PROMINENT_DEG = 0.3, 0.1, 1.5
_REACH = int(FPS)
_AT_ONCE = 20_000


class Manner(NamedTuple):
    """How accents of a stream are aligned with syllables.

    Parameters
    ----------
    weak : weight of a syllable that is not loud, where a loud one is 1.
    usual : expected worth of an accent at a random time; no accent at all counts as much.
    late_s : lag of the blended motion behind the recorded one.
    """

    weak: float
    usual: float
    late_s: float


MANNERS = {ARMS: Manner(1.0, 0.5, 0.0), HEAD: Manner(0.5, 0.3, 0.05)}


class Mark(NamedTuple):
    """The loudness peak of a syllable, and the number of its observation."""

    time_s: float
    number: int


def sounding(marks: tuple[Mark, ...]) -> tuple[Mark, ...]:
    """Only syllables: pauses and onsets have no rhythm."""
    return tuple(mark for mark in marks if intensity_of(mark.number) != SILENT)


@dataclass(frozen=True, eq=False)
class Accents:
    """Accents of a stream's segments.

    Parameters
    ----------
    times_s : ``[segments, most]`` from the start of each; infinite where there are no more.
    manner : how they are aligned with syllables.
    """

    times_s: Floats
    manner: Manner

    def fits(self, segments: Ints, now_s: float, pace: float, marks: tuple[Mark, ...]) -> Floats:
        """How well segments ``[k]`` that start now fit the syllables, about 0.

        Only accents up to the last known syllable count; a segment without any up to there is
        neither well nor badly in time.
        """
        times = np.array([mark.time_s for mark in marks])
        loud = np.array([intensity_of(mark.number) == HIGH for mark in marks])
        worth = np.where(loud, 1.0, self.manner.weak)
        at = now_s + self.times_s[segments] / pace + self.manner.late_s
        counts = at <= times[-1] + _BEYOND_S
        away = (at[..., None] - times) / NEAR_S
        found = (worth * np.exp(-0.5 * np.where(counts[..., None], away, 0.0) ** 2)).max(axis=-1)
        total = np.where(counts, found - self.manner.usual, 0.0).sum(axis=1)
        return np.asarray(total / np.maximum(counts.sum(axis=1), 1))


@lru_cache(maxsize=6)
def accents(model: BodyLanguageModel, stream: int) -> Accents | None:
    """Accents of a stream; None for one that has none."""
    part = model.streams.get(STREAMS[stream])
    if part is None or stream not in MANNERS:
        return None
    curve = np.concatenate(
        [_curve(model, stream, first) for first in range(0, len(model.turns), _AT_ONCE)]
    )
    if stream == ARMS:
        found = peaks(curve, _LEAST_M_S, _PROMINENT_M_S, _REACH)
    else:
        found = peaks(curve, -np.inf, _PROMINENT_DEG, _REACH)
    firsts, stops = part.segments[:, 0], part.segments[:, 0] + part.segments[:, 1]
    place, behind = np.searchsorted(found, firsts), np.searchsorted(found, stops)
    most = int((behind - place).max())
    columns = place[:, None] + np.arange(most)
    mine = columns < behind[:, None]
    frames = found[np.where(mine, columns, 0)] if len(found) else columns
    times = np.where(mine, (frames - firsts[:, None]) / FPS, np.inf)
    return Accents(read_only(times), MANNERS[stream])


def _curve(model: BodyLanguageModel, stream: int, first: int) -> Floats:
    """The signal that peaks with an accent: speed of the faster hand, or depth of a head dip."""
    stop = first + _AT_ONCE
    if stream == HEAD:
        turns = model.turns[first:stop, default_rig().joint("head")].astype(np.float64)
        nose = quaternion.rotate(turns, np.array([0.0, 0.0, 1.0]))
        return np.degrees(-np.arcsin(np.clip(nose[:, 1], -1.0, 1.0)))
    rows = slice(max(first - 1, 0), stop + 1)
    turns, pelvis = (a[rows].astype(np.float64) for a in (model.turns, model.pelvis))
    wrists = key_positions(ARMS, turns, pelvis).reshape(-1, 2, 3)
    if len(wrists) < 2:
        return np.zeros(len(wrists))
    speeds = np.linalg.norm(np.gradient(wrists, 1.0 / FPS, axis=0), axis=-1).max(axis=1)
    return np.asarray(speeds[first - rows.start :][: len(model.turns[first:stop])])
