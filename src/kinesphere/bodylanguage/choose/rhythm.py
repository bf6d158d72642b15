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

from kinesphere.bodylanguage.key_positions import key_positions
from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.bodylanguage.streams import ARMS, FPS, HEAD, STREAMS
from kinesphere.character.default import default_rig
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, Ints, read_only
from kinesphere.maths.peaks import peaks
from kinesphere.speech.prosody.observation import HIGH, SILENT, intensity_of


@dataclass(frozen=True)
class RhythmSettings:
    """What counts as an accent, and as in time.

    Parameters
    ----------
    strict : exponent per unit of fit: a segment that fits better by 1 is e to that power times
        likelier.
    near_s : an accent this far from a syllable is worth 0.6 of one on it.
    beyond_s : accents count up to this long after the last known syllable.
    least_m_s, prominent_m_s : lowest speed and smallest prominence of a hand's speed peak, as
        accents are measured.
    prominent_deg : smallest prominence of a head dip.
    """

    strict: float = 12.0
    near_s: float = 0.06
    beyond_s: float = 0.1
    least_m_s: float = 0.3
    prominent_m_s: float = 0.1
    prominent_deg: float = 1.5


RHYTHM = RhythmSettings()
_REACH = int(FPS)
_AT_ONCE = 20_000


class AccentTiming(NamedTuple):
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


ACCENT_TIMINGS = {ARMS: AccentTiming(1.0, 0.5, 0.0), HEAD: AccentTiming(0.5, 0.3, 0.05)}


class Mark(NamedTuple):
    """The loudness peak of a syllable, and the number of its observation."""

    time_s: float
    number: int


def syllable_marks(marks: tuple[Mark, ...]) -> tuple[Mark, ...]:
    """Only syllables: pauses and onsets have no rhythm."""
    return tuple(mark for mark in marks if intensity_of(mark.number) != SILENT)


@dataclass(frozen=True, eq=False)
class Accents:
    """Accents of a stream's segments.

    Parameters
    ----------
    times_s : ``[segments, most]`` from the start of each; infinite where there are no more.
    timing : how they are aligned with syllables.
    """

    times_s: Floats
    timing: AccentTiming

    def fits(self, segments: Ints, now_s: float, pace: float, marks: tuple[Mark, ...]) -> Floats:
        """How well segments ``[k]`` that start now fit the syllables, about 0.

        Only accents up to the last known syllable count; a segment without any up to there is
        neither well nor badly in time.
        """
        times = np.array([mark.time_s for mark in marks])
        loud = np.array([intensity_of(mark.number) == HIGH for mark in marks])
        worth = np.where(loud, 1.0, self.timing.weak)
        at = now_s + self.times_s[segments] / pace + self.timing.late_s
        counts = at <= times[-1] + RHYTHM.beyond_s
        away = (at[..., None] - times) / RHYTHM.near_s
        found = (worth * np.exp(-0.5 * np.where(counts[..., None], away, 0.0) ** 2)).max(axis=-1)
        total = np.where(counts, found - self.timing.usual, 0.0).sum(axis=1)
        return np.asarray(total / np.maximum(counts.sum(axis=1), 1))


@lru_cache(maxsize=6)
def accents(model: BodyLanguageModel, stream: int) -> Accents | None:
    """Accents of a stream; None for one that has none."""
    part = model.streams.get(STREAMS[stream])
    if part is None or stream not in ACCENT_TIMINGS:
        return None
    curve = np.concatenate(
        [_curve(model, stream, first) for first in range(0, len(model.turns), _AT_ONCE)]
    )
    if stream == ARMS:
        found = peaks(curve, RHYTHM.least_m_s, RHYTHM.prominent_m_s, _REACH)
    else:
        found = peaks(curve, -np.inf, RHYTHM.prominent_deg, _REACH)
    firsts, stops = part.segments[:, 0], part.segments[:, 0] + part.segments[:, 1]
    place, behind = np.searchsorted(found, firsts), np.searchsorted(found, stops)
    most = int((behind - place).max())
    columns = place[:, None] + np.arange(most)
    mine = columns < behind[:, None]
    frames = found[np.where(mine, columns, 0)] if len(found) else columns
    times = np.where(mine, (frames - firsts[:, None]) / FPS, np.inf)
    return Accents(read_only(times), ACCENT_TIMINGS[stream])


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
