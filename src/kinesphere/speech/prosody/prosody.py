"""Prosody of a voice: pitch, intensity, syllables and observations together.

`prosody` takes a whole recording, `start`, `step` and `finish` chunks of any size, of one voice or
of many together; the numbers are the same, because the batch is one long chunk. A stream returns
a frame `ProsodyState.latency_s` after its time; a syllable also waits for the peak of the next
(`Syllable.issued_s`). The memory of a stream does not grow.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.speech.prosody import intensity as loudness
from kinesphere.speech.prosody import observation as observing
from kinesphere.speech.prosody import pitch as pitching
from kinesphere.speech.prosody import syllables as parting
from kinesphere.speech.prosody.framing import (
    SampleQueue,
    join_frames,
    pieces,
    row_count,
    rows_of,
    seal,
    sound_blocks,
)
from kinesphere.speech.prosody.intensity import IntensitySettings
from kinesphere.speech.prosody.observation import Observation, ObservationSettings, Statistics
from kinesphere.speech.prosody.pitch import PitchPath, PitchPlan, PitchSettings
from kinesphere.speech.prosody.syllables import (
    Event,
    Pause,
    Syllable,
    SyllableSettings,
    SyllableState,
)
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
    """Prosody of a recording.

    Parameters
    ----------
    pitch_hz : NaN where unvoiced.
    intensity_db : loudness.
    observations : one for each onset, syllable and pause, in order of issue, by running statistics.

    Examples
    --------
    >>> import numpy as np
    >>> import kinesphere as ks
    >>> hum = 0.1 * np.sin(2 * np.pi * 150.0 * np.arange(16_000) / 16_000)
    >>> prosody = ks.hear((hum, 16_000)).prosody
    >>> round(float(np.nanmedian(prosody.pitch_hz.values)))
    150
    """

    pitch_hz: SampledTrack
    intensity_db: SampledTrack
    observations: tuple[Observation, ...]

    @property
    def events(self) -> tuple[Event, ...]:
        """Onsets, syllables and pauses in order of issue."""
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
    """Result of one step of a stream.

    Parameters
    ----------
    pitch_hz, intensity_db : new frames ``[frames]``, or ``[voices, frames]``, of the same times.
    observations : new ones of each voice; of one voice without a voices axis ``[0]`` holds them.
    """

    pitch_hz: Floats
    intensity_db: Floats
    observations: tuple[tuple[Observation, ...], ...]

    def __post_init__(self) -> None:
        seal(self.pitch_hz, self.intensity_db)

    def __len__(self) -> int:
        return int(self.pitch_hz.shape[-1])


class _ProsodyPlan(NamedTuple):
    """Values derived from settings and rate.

    Parameters
    ----------
    pitch : of the pitch.
    window : of the intensity.
    level_half, lead : samples after a frame's centre that its intensity needs, and the most that
        anything needs.
    latency_s : from a frame's time to the sample after which it is returned.
    """

    pitch: PitchPlan
    window: Floats
    level_half: int
    lead: int
    latency_s: float


@lru_cache(maxsize=16)
def _plan(settings: ProsodySettings, rate_hz: float) -> _ProsodyPlan:
    pitch = pitching.plan_of(settings.pitch, rate_hz)
    window = loudness.window_of(settings.intensity, rate_hz)
    half = loudness.half_of(window)
    latency_s = max(pitch.latency_s, len(window) / 2.0 / rate_hz)
    return _ProsodyPlan(pitch, window, half, max(half, pitch.half), latency_s)


@dataclass(frozen=True, eq=False)
class ProsodyState:
    """State of a stream; created by `start`, immutable.

    Parameters
    ----------
    queue : samples that later frames need.
    path : of the pitch.
    waiting_db : frames of intensity whose pitch is not decided yet ``[voices, frames]``.
    levels : number of frames of intensity so far.
    """

    voices: int | None
    plan: _ProsodyPlan
    queue: SampleQueue
    path: PitchPath
    waiting_db: Floats
    levels: int
    syllables: SyllableState
    statistics: tuple[Statistics, ...]

    @property
    def latency_s(self) -> float:
        """Seconds from a frame's time to the sample after which it is returned."""
        return self.plan.latency_s


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
    if chosen.pitch.praat or chosen.intensity.praat:
        raise InvalidValueError("praat=True needs the whole recording, a stream has none")
    rows = row_count(voices)
    return ProsodyState(
        voices,
        _plan(chosen, float(rate_hz)),
        SampleQueue(np.zeros((rows, 0))),
        pitching.first_path(chosen.pitch, rows),
        np.zeros((rows, 0)),
        0,
        parting.start(chosen.pitch.step_s, chosen.syllables, rows),
        (observing.start(chosen.observation),) * rows,
    )


def step(state: ProsodyState, chunk: ArrayLike) -> tuple[ProsodyState, ProsodyFrames]:
    """Process samples; return the frames and observations that are complete with them.

    Raises
    ------
    InvalidValueError
        If a sample is not a number, or the chunk's shape is not that of `start`.
    """
    plan, made = state.plan, []
    for piece in pieces(rows_of(chunk, state.voices)):
        queue = state.queue.push(piece, plan.lead)
        state, frames = _analyse(state, queue, plan.pitch.half, plan.level_half)
        made.append(frames)
    return state, _join(made, state.voices)


def finish(state: ProsodyState) -> ProsodyFrames:
    """The remaining frames and observations, and the syllable that the end cuts off."""
    lead = state.plan.lead
    state, head = _analyse(state, state.queue.close(lead), lead, lead)
    hz, band_db = pitching.flush(state.path, state.plan.pitch)
    syllables, events = parting.step(state.syllables, hz, band_db, state.waiting_db)
    ends = tuple(a + b for a, b in zip(events, parting.finish(syllables), strict=True))
    _, observations = _observe(state.statistics, ends)
    tail = _VoiceFrames(hz, state.waiting_db, observations)
    return _join([head, tail], state.voices)


def prosody(samples: ArrayLike, rate_hz: float, settings: ProsodySettings | None = None) -> Prosody:
    """Prosody of a whole recording, mono ``[n]``; without samples it is empty.

    Raises
    ------
    InvalidValueError
        If a sample is not a number or the rate is outside 4 to 400 kHz.
    """
    chosen = settings or ProsodySettings()
    state, made = start(rate_hz, chosen), []
    for block in sound_blocks(samples):
        state, frames = step(state, block)
        made.append(frames)
    made.append(finish(state))
    rate = 1.0 / chosen.pitch.step_s
    return Prosody(
        SampledTrack(0.0, rate, np.concatenate([frames.pitch_hz for frames in made])),
        SampledTrack(0.0, rate, np.concatenate([frames.intensity_db for frames in made])),
        tuple(chain.from_iterable(frames.observations[0] for frames in made)),
    )


class _VoiceFrames(NamedTuple):
    """Frames ``[voices, frames]`` with the observations of each voice that they complete."""

    hz: Floats
    intensity_db: Floats
    observations: tuple[tuple[Observation, ...], ...]


def _analyse(
    state: ProsodyState, queue: SampleQueue, pitch_half: int, level_half: int
) -> tuple[ProsodyState, _VoiceFrames]:
    """All frames that the queue has samples for."""
    plan, hop = state.plan, state.plan.pitch.hop
    centres = queue.centres(state.path.next_frame, hop, pitch_half)
    path, (hz, band_db) = pitching.follow(state.path, plan.pitch, queue.held, centres)
    centres = queue.centres(state.levels, hop, level_half)
    levels = loudness.levels_of(queue.held, centres, plan.window)
    made = state.levels + len(centres)
    queue = queue.keep_from(min(path.next_frame, made), hop, plan.lead)
    known_db = np.concatenate([state.waiting_db, levels], axis=1)
    ready_db, waiting_db = known_db[:, : hz.shape[1]].copy(), known_db[:, hz.shape[1] :].copy()
    seal(waiting_db)
    syllables, events = parting.step(state.syllables, hz, band_db, ready_db)
    statistics, observations = _observe(state.statistics, events)
    after = ProsodyState(state.voices, plan, queue, path, waiting_db, made, syllables, statistics)
    return after, _VoiceFrames(hz, ready_db, observations)


def _join(parts: list[_VoiceFrames], voices: int | None) -> ProsodyFrames:
    """Concatenated parts, without a voices axis if the stream has none."""
    hz, db = join_frames([p.hz for p in parts]), join_frames([p.intensity_db for p in parts])
    observations = parts[0].observations
    if len(parts) > 1:
        rows = zip(*(part.observations for part in parts), strict=True)
        observations = tuple(tuple(chain.from_iterable(row)) for row in rows)
    if voices is None:
        return ProsodyFrames(hz[0], db[0], observations)
    return ProsodyFrames(hz, db, observations)


def _observe(
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
