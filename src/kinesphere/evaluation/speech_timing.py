"""Timing of movement and speech over many takes: beats, speed peaks, segment ends, pauses.

Takes are concatenated, so that effects too weak to see in one can show in all. Every figure has
its chance level: the same figure with speech shifted against the movement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import numpy as np

from kinesphere.errors import InvalidValueError
from kinesphere.evaluation.metric import spoken_frames
from kinesphere.evaluation.movement import WristMotion
from kinesphere.evaluation.segment_synchrony import SegmentSynchrony, segment_synchrony
from kinesphere.evaluation.synchrony import (
    STROKE_PEAK_M_S,
    BeatConsistency,
    Coincidence,
    beat_consistency,
    coincidence,
    motion_beats,
    stretches,
    stroke_peaks,
)
from kinesphere.maths.arrays import Floats, frozen_floats
from kinesphere.motion.take import Audio
from kinesphere.speech.prosody.prosody import prosody

# Takes are concatenated with this much time between them.
_GAP_S = 5.0
# The two hands of one movement end nearly together.
_TOGETHER_S = 0.1

Found = TypeVar("Found")


@dataclass(frozen=True, eq=False)
class SpeechMarks:
    """Syllables and spans of a speech.

    Parameters
    ----------
    syllables_s : ``[n]`` loudness peaks of the syllables.
    spans : start and end of each span of speech; pauses up to 0.5 s are bridged.
    """

    syllables_s: Floats
    spans: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        marks = frozen_floats(self.syllables_s, "syllables", (None,))
        object.__setattr__(self, "syllables_s", marks)
        object.__setattr__(self, "spans", tuple(self.spans))

    def between(self, start_s: float, end_s: float) -> SpeechMarks:
        """Return the part within a span of time, whose start becomes 0."""
        marks = self.syllables_s
        kept = [
            (max(a, start_s) - start_s, min(b, end_s) - start_s)
            for a, b in self.spans
            if a < end_s and b > start_s
        ]
        inside = (marks >= start_s) & (marks < end_s)
        return SpeechMarks(marks[inside] - start_s, tuple(kept))


def speech_marks(audio: Audio) -> SpeechMarks:
    """Syllables and spans of speech of a recording; none in silence."""
    found = prosody(audio.samples, audio.rate_hz).syllables
    spans = stretches([(s.start_s, s.end_s) for s in found])
    return SpeechMarks(np.array([s.peak_s for s in found]), tuple(spans))


@dataclass(frozen=True, eq=False)
class SpokenMotion:
    """A take with its speech.

    Parameters
    ----------
    motion : its wrists.
    speech : its syllables and spans.
    segments : segment ends by the name of their tier, seconds.
    """

    motion: WristMotion
    speech: SpeechMarks
    segments: Mapping[str, Floats] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class SpeechTiming:
    """Timing of movement and speech of one or many takes; None where there are no events.

    Parameters
    ----------
    beats, pulses : beat consistency with minima of speed as beats, as is usual, and with its peaks,
        with which people mark syllables.
    peaks : lags of the speed peaks to the syllables.
    ends : of units of movement, both hands merged, and of the segments of every tier.
    speaking, pausing : mean speed of the faster hand, m/s; NaN if there is none.
    """

    beats: BeatConsistency | None
    pulses: BeatConsistency | None
    peaks: Coincidence | None
    ends: Mapping[str, SegmentSynchrony]
    speaking: float
    pausing: float


UNITS = "units of movement"
"""Name of the segments that are detected in any motion."""


def speech_timing(takes: Sequence[SpokenMotion], seed: int = 0) -> SpeechTiming | None:
    """Compare movement with speech over all takes together; None if no syllable is found."""
    beats: list[Floats] = []
    peaks: list[Floats] = []
    marks: list[Floats] = []
    spans: list[tuple[float, float]] = []
    ends: dict[str, list[Floats]] = {UNITS: []}
    fast: list[Floats] = []
    slow: list[Floats] = []
    at = 0.0
    for take in takes:
        motion, speech = take.motion, take.speech.between(0.0, take.motion.duration_s)
        beats.append(motion_beats(motion) + at)
        peaks.append(stroke_peaks(motion) + at)
        marks.append(speech.syllables_s + at)
        spans += [(a + at, b + at) for a, b in speech.spans]
        ends[UNITS].append(unit_ends(motion) + at)
        for name, times in take.segments.items():
            ends.setdefault(name, []).append(np.asarray(times, dtype=np.float64) + at)
        spoken, speed = spoken_frames(motion, speech.spans), motion.speeds.max(axis=1)
        fast.append(speed[spoken])
        slow.append(speed[~spoken])
        at += motion.duration_s + _GAP_S
    syllables = np.concatenate([np.zeros(0), *marks])
    if not len(syllables):
        return None
    lows, tops = np.concatenate(beats), np.concatenate(peaks)
    synchrony = {
        name: _if_any(partial(segment_synchrony, np.concatenate(times), syllables, spans, seed))
        for name, times in ends.items()
    }
    return SpeechTiming(
        beats=_if_any(lambda: beat_consistency(lows, syllables, spans, seed=seed)),
        pulses=_if_any(lambda: beat_consistency(tops, syllables, spans, seed=seed)),
        peaks=_if_any(lambda: coincidence(tops, syllables, spans, seed=seed)),
        ends={name: found for name, found in synchrony.items() if found is not None},
        speaking=_mean(fast),
        pausing=_mean(slow),
    )


def unit_ends(motion: WristMotion) -> Floats:
    """Times at which larger units of movement end, simultaneous ends of both hands once."""
    units = motion.units
    ends = np.sort(units.end_s[units.peak >= STROKE_PEAK_M_S])
    kept: list[float] = []
    for end in ends.tolist():
        if not kept or end > kept[-1] + _TOGETHER_S:
            kept.append(end)
    return np.array(kept)


def _if_any(measure: Callable[[], Found]) -> Found | None:
    """The measurement, or None where there is nothing to compare."""
    try:
        return measure()
    except InvalidValueError:
        return None


def _mean(parts: Sequence[Floats]) -> float:
    values = np.concatenate([np.zeros(0), *parts])
    return float(values.mean()) if len(values) else np.nan
