"""The 36 prosodic observations of the 2009 paper, the input of the body-language model.

Rise and fall of the pitch, each present if one deviation beyond the mean; intensity silent,
normal, or high from half a deviation above the mean; length short from half a deviation below it,
normal, or long from one above (section 6). In training the means and deviations are those of the
whole recording (`statistics_of`); live they are running estimates over syllables (`observe`).

The running estimate covers about `memory` syllables, so that it adapts to a new speaker or level.
It starts from a typical voice, which counts as much as `prior` syllables; the mean intensity
starts at the first syllable's, so that the level of the recording does not matter. A `Pause` is
silent, without rise or fall, short at its onset, normal within its first second, then long: the
paper leaves this open. An `Onset`, speech after a long pause, is silent with a rise: one of the
36 that no syllable can have.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from kinesphere.maths.bounds import check_bounds, check_range, range_field
from kinesphere.speech.prosody.syllables import Event, Onset, Pause, Syllable

OBSERVATIONS = 36
SILENT, NORMAL, HIGH = 0, 1, 2
SHORT, LONG = 0, 2
"""Values of intensity and length, with `NORMAL` in between."""
SILENCE, ONSET = 2, 20
"""Indices of the observations of a long pause, and of speech onset after one."""
_LARGEST_ST = 12.0  # a larger change within a syllable is a pitch error
_LONGEST_S = 1.0
_LONG_PAUSE_S = 1.0


class Observation(NamedTuple):
    """One of the 36 observations, and its event.

    Parameters
    ----------
    rise, fall : whether the pitch goes up or down significantly.
    intensity : `SILENT`, `NORMAL` or `HIGH`.
    length : `SHORT`, `NORMAL` or `LONG`.
    event : the syllable, pause or onset.
    """

    rise: bool
    fall: bool
    intensity: int
    length: int
    event: Event

    @property
    def number(self) -> int:
        """Index among the 36, in [0, 36)."""
        return ((int(self.rise) * 2 + int(self.fall)) * 3 + self.intensity) * 3 + self.length


def intensity_of(number: int) -> int:
    """`SILENT`, `NORMAL` or `HIGH`, from an observation's index among the 36.

    >>> intensity_of(SILENCE) == intensity_of(ONSET) == SILENT
    True
    """
    return number // 3 % 3


class Feature(NamedTuple):
    """Mean and deviation of one measure of syllables."""

    mean: float
    deviation: float

    def beyond(self, value: float, deviations: float) -> bool:
        """Whether a value lies that many deviations above the mean, or below for negative ones."""
        limit = self.mean + deviations * self.deviation
        return value > limit if deviations > 0.0 else value < limit


_TYPICAL_RISE_ST = Feature(1.2, 1.3)
_TYPICAL_FALL_ST = Feature(2.2, 1.7)
_TYPICAL_LENGTH_S = Feature(0.18, 0.09)


@dataclass(frozen=True)
class ObservationSettings:
    """Settings of the running means and deviations.

    Parameters
    ----------
    memory : number of syllables in the running estimate, about half a minute of speech.
    prior : weight of the typical voice below, in syllables: negligible after two seconds.
    rise_st, fall_st, length_s : typical mean and deviation, rounded from our recordings.
    deviation_db : typical deviation of intensity.
    """

    memory: float = 120.0
    prior: float = range_field(4.0, 1.0, 1000.0)
    rise_st: Feature = _TYPICAL_RISE_ST
    fall_st: Feature = _TYPICAL_FALL_ST
    length_s: Feature = _TYPICAL_LENGTH_S
    deviation_db: float = 5.0

    def __post_init__(self) -> None:
        check_bounds(self)
        check_range("memory", self.memory, self.prior + 1.0, 1e9)


@dataclass(frozen=True)
class Statistics:
    """Means and deviations of syllables so far; immutable, `update` returns the next ones.

    `count` is the weight in syllables, including the prior.
    """

    settings: ObservationSettings
    count: float
    rise_st: Feature
    fall_st: Feature
    intensity_db: Feature
    length_s: Feature

    @property
    def has_syllables(self) -> bool:
        """Whether there was any syllable."""
        return self.count > self.settings.prior

    def update(self, syllable: Syllable) -> Statistics:
        """The statistics with one more syllable."""
        count = min(self.count + 1.0, self.settings.memory)
        loud = self.intensity_db
        if not self.has_syllables:
            loud = Feature(syllable.intensity_db, loud.deviation)
        return Statistics(
            self.settings,
            count,
            _update(self.rise_st, min(syllable.rise_st, _LARGEST_ST), count),
            _update(self.fall_st, min(syllable.fall_st, _LARGEST_ST), count),
            _update(loud, syllable.intensity_db, count),
            _update(self.length_s, min(syllable.length_s, _LONGEST_S), count),
        )


def start(settings: ObservationSettings | None = None) -> Statistics:
    """Statistics of the typical voice, before the first syllable."""
    s = settings or ObservationSettings()
    loud = Feature(0.0, s.deviation_db)
    return Statistics(s, s.prior, s.rise_st, s.fall_st, loud, s.length_s)


def statistics_of(events: Iterable[Event]) -> Statistics:
    """Plain means and deviations of all syllables of a recording, as for training.

    Without a syllable they are those of the typical voice.
    """
    found = [e for e in events if isinstance(e, Syllable)]
    first = start()
    if not found:
        return first
    count = max(first.settings.prior + 1.0, float(len(found)))
    return Statistics(
        first.settings,
        count,
        _feature([min(s.rise_st, _LARGEST_ST) for s in found]),
        _feature([min(s.fall_st, _LARGEST_ST) for s in found]),
        _feature([s.intensity_db for s in found]),
        _feature([min(s.length_s, _LONGEST_S) for s in found]),
    )


def classify(statistics: Statistics, event: Event) -> Observation:
    """Observation of an event against given means and deviations."""
    if isinstance(event, Pause):
        lasted = event.time_s - event.start_s
        length = SHORT if lasted <= 0.0 else NORMAL if lasted < _LONG_PAUSE_S else LONG
        return Observation(False, False, SILENT, length, event)
    if isinstance(event, Onset):
        return Observation(True, False, SILENT, LONG, event)
    lasts, known = event.length_s, statistics.length_s
    length = LONG if known.beyond(lasts, 1.0) else SHORT if known.beyond(lasts, -0.5) else NORMAL
    return Observation(
        statistics.rise_st.beyond(event.rise_st, 1.0),
        statistics.fall_st.beyond(event.fall_st, 1.0),
        HIGH if statistics.intensity_db.beyond(event.intensity_db, 0.5) else NORMAL,
        length,
        event,
    )


def observe(statistics: Statistics, event: Event) -> tuple[Statistics, Observation]:
    """Update the running statistics with an event, then classify it (the live rule)."""
    if isinstance(event, Syllable):
        statistics = statistics.update(event)
    return statistics, classify(statistics, event)


def _update(feature: Feature, value: float, count: float) -> Feature:
    """Mean and deviation after one more value of weight ``1/count``."""
    gap = value - feature.mean
    mean = feature.mean + gap / count
    variance = feature.deviation**2
    variance += (gap * (value - mean) - variance) / count
    return Feature(mean, math.sqrt(max(0.0, variance)))


def _feature(values: list[float]) -> Feature:
    mean = math.fsum(values) / len(values)
    return Feature(mean, math.sqrt(math.fsum((v - mean) ** 2 for v in values) / len(values)))
