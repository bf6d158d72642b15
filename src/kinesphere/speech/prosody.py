"""Prosody of a voice: pitch, intensity, syllables and observations together.

`prosody` takes a whole recording, `start`, `step` and `finish` chunks of any size, of one voice or
of many together; the numbers are the same, because the batch is one long chunk. What a stream
gives of a moment comes `ProsodyState.latency_s` after it; a syllable besides waits for the peak of
the next (`Syllable.issued_s`). The memory that a stream needs does not grow.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.speech import intensity as loudness
from kinesphere.speech import observation as observing
from kinesphere.speech import pitch as pitching
from kinesphere.speech import syllables as parting
from kinesphere.speech.intensity import IntensitySettings, IntensityState, rows_of, sealed
from kinesphere.speech.observation import Observation, ObservationSettings, Statistics
from kinesphere.speech.pitch import PitchFrames, PitchSettings, PitchState
from kinesphere.speech.syllables import Event, Pause, Syllable, SyllableSettings, SyllableState
from kinesphere.timeline.sampled_track import SampledTrack


@dataclass(frozen=True)
class ProsodySettings:
    """Settings of the four stages; pitch and intensity share one time step."""

    pitch: PitchSettings = field(default_factory=PitchSettings)
    intensity: IntensitySettings = field(default_factory=IntensitySettings)
    syllables: SyllableSettings = field(default_factory=SyllableSettings)
    observation: ObservationSettings = field(default_factory=ObservationSettings)

    def __post_init__(self) -> None:
        if self.pitch.step_s != self.intensity.step_s:
            raise InvalidValueError(
                f"pitch has a step of {self.pitch.step_s} s, intensity of "
                f"{self.intensity.step_s} s; allowed is one step for both"
            )


@dataclass(frozen=True, eq=False)
class Prosody:
    """What a recording's voice does.

    Parameters
    ----------
    pitch_hz : NaN where unvoiced.
    intensity_db : loudness.
    observations : one for each syllable and pause, in order of issue, by running statistics.
    """

    pitch_hz: SampledTrack
    intensity_db: SampledTrack
    observations: tuple[Observation, ...]

    @property
    def events(self) -> tuple[Event, ...]:
        """Syllables and pauses in order of issue."""
        return tuple(o.event for o in self.observations)

    @property
    def syllables(self) -> tuple[Syllable, ...]:
        """The syllables alone."""
        return tuple(e for e in self.events if isinstance(e, Syllable))

    @property
    def pauses(self) -> tuple[Pause, ...]:
        """The pauses alone, repeated ones too."""
        return tuple(e for e in self.events if isinstance(e, Pause))


@dataclass(frozen=True, eq=False)
class ProsodyFrames:
    """What one step of a stream gives.

    Parameters
    ----------
    pitch_hz, intensity_db : new frames ``[frames]``, or ``[voices, frames]``, of the same times.
    observations : new ones of each voice; of one voice without a voices axis ``[0]`` holds them.
    """

    pitch_hz: Floats
    intensity_db: Floats
    observations: tuple[tuple[Observation, ...], ...]

    def __post_init__(self) -> None:
        sealed(self.pitch_hz, self.intensity_db)

    def __len__(self) -> int:
        return int(self.pitch_hz.shape[-1])


@dataclass(frozen=True, eq=False)
class ProsodyState:
    """Where a stream stands; made by `start`, never changed.

    `waiting_db` are frames of intensity whose pitch is not decided yet.
    """

    pitch: PitchState
    intensity: IntensityState
    syllables: SyllableState
    statistics: tuple[Statistics, ...]
    waiting_db: Floats

    def __post_init__(self) -> None:
        sealed(self.waiting_db)

    @property
    def latency_s(self) -> float:
        """Seconds from a moment to the sample after which its frame is given."""
        return max(self.pitch.latency_s, self.intensity.latency_s)


def start(
    rate_hz: float, settings: ProsodySettings | None = None, voices: int | None = None
) -> ProsodyState:
    """State before the first sample; chunks are ``[n]``, or ``[voices, n]`` if `voices` is given.

    Raises
    ------
    InvalidValueError
        If the rate is outside 4 to 400 kHz, or a setting needs the whole recording.
    """
    chosen = settings or ProsodySettings()
    rows = 1 if voices is None else voices
    return ProsodyState(
        pitching.start(rate_hz, chosen.pitch, voices),
        loudness.start(rate_hz, chosen.intensity, voices),
        parting.start(chosen.pitch.step_s, chosen.syllables, rows),
        (observing.start(chosen.observation),) * rows,
        np.zeros((rows, 0)),
    )


def step(state: ProsodyState, chunk: ArrayLike) -> tuple[ProsodyState, ProsodyFrames]:
    """Take samples in; return the frames and observations that are settled by them.

    Raises
    ------
    InvalidValueError
        If a sample is not a number, or the chunk's shape is not that of `start`.
    """
    rows = rows_of(chunk, state.pitch.voices)
    pitch, frames = pitching.advance(state.pitch, rows)
    intensity, levels = loudness.advance(state.intensity, rows)
    return _joined(state, pitch, intensity, frames, levels)


def finish(state: ProsodyState) -> ProsodyFrames:
    """What was still waiting, and the syllable that the end cut off."""
    frames, levels = pitching.finish(state.pitch), loudness.finish(state.intensity)
    if state.pitch.voices is None:
        frames, levels = PitchFrames(frames.hz[None], frames.band_db[None]), levels[None]
    state, last = _joined(state, state.pitch, state.intensity, frames, levels)
    _, ends = _observed(state.statistics, parting.finish(state.syllables))
    both = tuple(a + b for a, b in zip(last.observations, ends, strict=True))
    return replace(last, observations=both)


def prosody(samples: ArrayLike, rate_hz: float, settings: ProsodySettings | None = None) -> Prosody:
    """Prosody of a whole recording, mono ``[n]``; without samples it is empty.

    Raises
    ------
    InvalidValueError
        If a sample is not a number or the rate is outside 4 to 400 kHz.
    """
    chosen = settings or ProsodySettings()
    state, head = step(start(rate_hz, chosen), samples)
    tail = finish(state)
    rate = 1.0 / chosen.pitch.step_s
    return Prosody(
        SampledTrack(0.0, rate, np.concatenate([head.pitch_hz, tail.pitch_hz])),
        SampledTrack(0.0, rate, np.concatenate([head.intensity_db, tail.intensity_db])),
        head.observations[0] + tail.observations[0],
    )


def _joined(
    state: ProsodyState,
    pitch: PitchState,
    intensity: IntensityState,
    frames: PitchFrames,
    levels: Floats,
) -> tuple[ProsodyState, ProsodyFrames]:
    """Frames whose pitch and intensity are both there, through syllables to observations."""
    waiting = np.concatenate([state.waiting_db, levels], axis=1)
    ready, waiting = waiting[:, : len(frames)], waiting[:, len(frames) :].copy()
    syllables, events = parting.step(state.syllables, frames.hz, frames.band_db, ready)
    statistics, observations = _observed(state.statistics, events)
    state = ProsodyState(pitch, intensity, syllables, statistics, waiting)
    if pitch.voices is None:
        return state, ProsodyFrames(frames.hz[0], ready[0], observations)
    return state, ProsodyFrames(frames.hz, ready, observations)


def _observed(
    statistics: tuple[Statistics, ...], events: tuple[tuple[Event, ...], ...]
) -> tuple[tuple[Statistics, ...], tuple[tuple[Observation, ...], ...]]:
    if not any(events):
        return statistics, ((),) * len(events)
    after, made = [], []
    for known, found in zip(statistics, events, strict=True):
        voice = []
        for event in found:
            known, observation = observing.observe(known, event)
            voice.append(observation)
        after.append(known)
        made.append(tuple(voice))
    return tuple(after), tuple(made)
