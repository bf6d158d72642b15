"""Pitch by Boersma's autocorrelation method (1993), from a whole recording or from chunks.

A Hanning window of three periods of the floor; the signal's normalised autocorrelation divided by
the window's; its maxima, found between samples by windowed-sinc interpolation, are the candidates
beside voicelessness; the path through them of highest strength less transition costs is the
pitch. The costs are scaled by 10 ms over the step, as in Praat.

Silence. Praat compares each frame with the loudest sample of the whole recording. A stream has no
whole, so by default batch and stream use a running peak: the largest magnitude so far, falling by
half every `peak_half_life_s`; the level of a recording never matters. ``praat=True`` (batch only)
uses the whole recording's peak, decides the path at the end and puts frames where Praat does,
centred in the recording.

Streaming. A frame is decided on the best path `delay_frames` later, in batch too, so that `start`,
`step` and `finish` give the batch's numbers for any chunks, `latency_s` later: half a window, then
the delay. Beyond its ends a sound counts as holding its first and last sample.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.speech.intensity import (
    HEARING_PA,
    LOWEST_POWER,
    RATE_RANGE_HZ,
    SampleQueue,
    centred_frames,
    check_range,
    joined,
    pieces,
    row_count,
    rows_of,
    sealed,
)
from kinesphere.timeline.sampled_track import SampledTrack

_REACH = 30  # samples on each side that the sinc interpolation reads
_PHASES = 32  # places between two samples where it is tabulated
_PERIODS = 3.0


@dataclass(frozen=True)
class PitchSettings:
    """Choices of the analysis; the defaults are Praat's where it has them.

    Parameters
    ----------
    floor_hz, ceiling_hz : range of pitch that is looked for.
    step_s : time between frames; Praat's is 0.75 over the floor.
    candidates : places a frame, one of them voicelessness.
    silence : ratio of the peak below which a frame counts as silent.
    voicing : strength that voicelessness has.
    octave_cost : how much an octave up is preferred.
    octave_jump_cost : of an octave between two frames 10 ms apart.
    voiced_unvoiced_cost : of a change between voiced and unvoiced.
    delay_frames : later frames that a decision waits for. With 10 no decision on our recordings
        differs from that of the whole path in more than one frame of a thousand.
    peak_half_life_s : long enough for a speaker's own pauses, short enough to forget a bang.
    band_hz : range of which `PitchFrames.band_db` is the energy: the vowels' first formants,
        without hum, voice bars and hiss.
    praat : see the module; only for batch.
    """

    floor_hz: float = 75.0
    ceiling_hz: float = 600.0
    step_s: float = 0.01
    candidates: int = 15
    silence: float = 0.03
    voicing: float = 0.45
    octave_cost: float = 0.01
    octave_jump_cost: float = 0.35
    voiced_unvoiced_cost: float = 0.14
    delay_frames: int = 10
    peak_half_life_s: float = 20.0
    band_hz: tuple[float, float] = (300.0, 2300.0)
    praat: bool = False

    def __post_init__(self) -> None:
        for name, low, high in (
            ("floor_hz", 30.0, 500.0),
            ("ceiling_hz", self.floor_hz * 1.1, 2000.0),
            ("step_s", 0.001, 0.1),
            ("candidates", 2, 100),
            ("silence", 1e-6, 1.0),
            ("voicing", 0.0, 1.0),
            ("octave_cost", 0.0, 1.0),
            ("octave_jump_cost", 0.0, 10.0),
            ("voiced_unvoiced_cost", 0.0, 10.0),
            ("delay_frames", 1, 1000),
            ("peak_half_life_s", 0.1, 1e6),
        ):
            check_range(name, getattr(self, name), low, high)
        if not 0.0 <= self.band_hz[0] < self.band_hz[1]:
            raise InvalidValueError(f"band_hz is {self.band_hz}, allowed is low < high, from 0 on")


@dataclass(frozen=True, eq=False)
class PitchFrames:
    """Decided frames.

    Parameters
    ----------
    hz : ``[frames]`` or ``[voices, frames]``, NaN where unvoiced.
    band_db : energy in the settings' band, same shape.
    """

    hz: Floats
    band_db: Floats

    def __post_init__(self) -> None:
        sealed(self.hz, self.band_db)

    def __len__(self) -> int:
        return int(self.hz.shape[-1])

    @property
    def alone(self) -> PitchFrames:
        """Of the first voice alone, without a voices axis."""
        return PitchFrames(self.hz[0], self.band_db[0])


@dataclass(frozen=True, eq=False)
class _Plan:
    """What follows from settings and rate alone."""

    hop: float
    half: int
    period: int
    window: Floats
    window_gain: Floats
    sinc: Floats
    band: tuple[int, int]
    band_scale: float
    fft: int
    lags: tuple[int, int]
    search: tuple[float, float, float, float, float]
    costs: Floats
    places: int
    delay: int


@lru_cache(maxsize=16)
def _plan(settings: PitchSettings, rate_hz: float) -> _Plan:
    half = int(_PERIODS / settings.floor_hz * rate_hz) // 2 - 1
    period = int(rate_hz / settings.floor_hz)
    lags = max(2, int(rate_hz / settings.ceiling_hz)), int(2 * half / _PERIODS) + 2
    length = 2 * half
    fft = _smooth_length(length + lags[1] + _REACH + 2)
    window = 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(1, length + 1) / (length + 1))
    own = np.fft.irfft(np.abs(np.fft.rfft(window, fft)) ** 2, fft)[: lags[1] + _REACH + 2]
    bins = [round(f * fft / rate_hz) for f in settings.band_hz]
    band = min(bins[0], fft // 2 - 1), min(max(bins[1], bins[0] + 1), fft // 2)
    least = 0.5 * settings.voicing  # a maximum below it can never win
    return _Plan(
        hop=settings.step_s * rate_hz,
        half=half,
        period=period,
        window=window,
        window_gain=own[0] / own,
        sinc=_sinc_table(),
        band=band,
        band_scale=2.0 / (fft * float(np.sum(window**2)) * HEARING_PA**2),
        fft=fft,
        lags=lags,
        search=(rate_hz, settings.floor_hz, settings.ceiling_hz, least, settings.octave_cost),
        costs=_costs(settings),
        places=settings.candidates,
        delay=settings.delay_frames,
    )


def _costs(settings: PitchSettings) -> Floats:
    """What the path weighs, in the order of the compiled loop."""
    scale = 0.01 / settings.step_s
    return np.array(
        [settings.voicing, settings.silence, settings.octave_jump_cost * scale,
         settings.voiced_unvoiced_cost * scale,
         0.5 ** (settings.step_s / settings.peak_half_life_s)]
    )  # fmt: skip


def _smooth_length(least: int) -> int:
    """Smallest even length from `least` on without prime factors above 5."""
    for length in range(least + least % 2, 2 * least + 2, 2):
        rest = length
        for prime in (2, 3, 5):
            while rest % prime == 0:
                rest //= prime
        if rest == 1:
            return length
    raise AssertionError("a power of two lies between a number and its double")


def _sinc_table() -> Floats:
    """Weights ``[phases, 2 reach]`` of samples ``1 - reach`` to ``reach`` at each phase."""
    t = np.arange(_PHASES)[:, None] / _PHASES - np.arange(1 - _REACH, _REACH + 1)
    return np.sinc(t) * (0.5 + 0.5 * np.cos(np.pi * t / _REACH))


class _Candidates(NamedTuple):
    """Of new frames ``[voices, frames, places]``, from `counts` on ``[voices, frames]``."""

    octaves: Floats
    strengths: Floats
    counts: Ints
    local_peaks: Floats
    levels: Floats
    band_db: Floats


@dataclass(frozen=True, eq=False)
class PitchState:
    """Where an analysis stands; made by `start`, never changed.

    The pending frames' candidates ``[voices, frames, places]`` are kept until they are decided.
    """

    settings: PitchSettings
    rate_hz: float
    voices: int | None
    queue: SampleQueue
    peaks: Floats
    scores: Floats
    octaves: Floats
    counts: Ints
    back: Ints
    band_db: Floats
    plan: _Plan

    def __post_init__(self) -> None:
        sealed(self.peaks, self.scores, self.octaves, self.counts, self.back, self.band_db)

    @property
    def latency_s(self) -> float:
        """Seconds from a frame's time to the sample after which it is given."""
        wait = self.settings.delay_frames * self.settings.step_s
        return self.plan.half / self.rate_hz + wait


def start(
    rate_hz: float, settings: PitchSettings | None = None, voices: int | None = None
) -> PitchState:
    """State before the first sample; chunks are ``[n]``, or ``[voices, n]`` if `voices` is given.

    Raises
    ------
    InvalidValueError
        If the rate is outside 4 to 400 kHz or below four times the ceiling, or with ``praat``.
    """
    chosen = settings or PitchSettings()
    if chosen.praat:
        raise InvalidValueError("praat=True needs the whole recording, a stream has none")
    return _begin(rate_hz, chosen, voices)


def _begin(rate_hz: float, settings: PitchSettings, voices: int | None) -> PitchState:
    low, high = RATE_RANGE_HZ
    check_range("rate_hz", rate_hz, max(low, 4.0 * settings.ceiling_hz), high)
    rows, places = row_count(voices), settings.candidates
    return PitchState(
        settings, float(rate_hz), voices, SampleQueue(np.zeros((rows, 0))),
        np.zeros(rows), np.zeros((rows, places)), np.zeros((rows, 0, places)),
        np.zeros((rows, 0), dtype=np.int64), np.zeros((rows, 0, places), dtype=np.int64),
        np.zeros((rows, 0)), _plan(settings, float(rate_hz)),
    )  # fmt: skip


def step(state: PitchState, chunk: ArrayLike) -> tuple[PitchState, PitchFrames]:
    """Take samples in and return the frames that can be decided now.

    Raises
    ------
    InvalidValueError
        If a sample is not a number, or the chunk's shape is not that of `start`.
    """
    state, frames = advance(state, rows_of(chunk, state.voices))
    return state, frames if state.voices is not None else frames.alone


def advance(state: PitchState, rows: Floats) -> tuple[PitchState, PitchFrames]:
    """`step` on rows ``[voices, n]`` that are known to be sound; frames ``[voices, frames]``."""
    plan, made = state.plan, []
    for piece in pieces(rows, plan.fft, plan.hop):
        state, frames = _drain(state, state.queue.pushed(piece, plan.half))
        made.append(frames)
    return state, _joined(made, len(rows))


def finish(state: PitchState) -> PitchFrames:
    """The frames that were still waiting for samples or for the path."""
    state, frames = _drain(state, state.queue.closed(state.plan.half))
    frames = _joined([frames, _flush(state)], len(state.peaks))
    return frames if state.voices is not None else frames.alone


def pitch(
    samples: ArrayLike, rate_hz: float, settings: PitchSettings | None = None
) -> SampledTrack:
    """Pitch of a whole recording ``[n]`` in Hz, NaN where unvoiced.

    A frame every `step_s` from 0 to the end; a recording without samples has none.

    >>> tone = np.sin(2 * np.pi * 180.0 * np.arange(8000) / 16000)
    >>> round(float(pitch(tone, 16000).at(0.25)), 1)
    180.0
    """
    chosen = settings or PitchSettings()
    if chosen.praat:
        return _as_praat(samples, rate_hz, chosen)
    state, head = step(start(rate_hz, chosen), samples)
    values = np.concatenate([head.hz, finish(state).hz])
    return SampledTrack(0.0, 1.0 / chosen.step_s, values)


def _as_praat(samples: ArrayLike, rate_hz: float, settings: PitchSettings) -> SampledTrack:
    state = _begin(rate_hz, settings, None)
    rows = rows_of(samples, None)
    window_s = _PERIODS / settings.floor_hz
    first_s, places = centred_frames(rows.shape[1], state.rate_hz, window_s, settings.step_s)
    centres, count = np.floor(places).astype(np.int64) + 1, len(places)
    if count == 0:
        return SampledTrack(0.0, 1.0 / settings.step_s, np.zeros(0))
    peak = float(np.abs(rows - rows.mean()).max())
    held = np.ascontiguousarray(rows)
    parts = np.array_split(centres, count // 256 + 1)
    found = [_candidates(state.plan, held, part) for part in parts]
    new = _Candidates(*(np.concatenate(arrays, axis=1) for arrays in zip(*found, strict=True)))
    state, _ = _decide(state, state.queue, new, count + 1, max(peak, 1e-300))
    return SampledTrack(first_s, 1.0 / settings.step_s, _flush(state).hz[0])


def _drain(state: PitchState, queue: SampleQueue) -> tuple[PitchState, PitchFrames]:
    """Make all frames that the queue has samples for, and decide those that can be."""
    plan = state.plan
    centres = queue.ready(plan.half, plan.hop)
    if len(centres) == 0:
        none = np.zeros((len(state.peaks), 0))
        return replace(state, queue=queue), PitchFrames(none, none)
    new = _candidates(plan, queue.held, centres)
    after = queue.advanced(len(centres), plan.half, plan.hop)
    return _decide(state, after, new, plan.delay)


def _candidates(plan: _Plan, held: Floats, centres: Ints) -> _Candidates:
    from kinesphere.speech import pitch_kernels as kernels

    rows, new = len(held), len(centres)
    frames = np.zeros((rows, new, plan.fft))
    local_peaks, levels, band = np.empty((3, rows, new))
    kernels.window_frames(
        held, centres, plan.window, plan.period, plan.period // 2 + 1, frames, local_peaks, levels
    )
    spectra = np.fft.rfft(frames.reshape(rows * new, -1))
    power = np.empty(spectra.shape)
    kernels.power_spectra(
        spectra, *plan.band, plan.band_scale, LOWEST_POWER, power, band.reshape(-1)
    )
    octaves, strengths = np.empty((2, rows, new, plan.places))
    counts = np.empty((rows, new), dtype=np.int64)
    kernels.find_candidates(
        np.fft.irfft(power, plan.fft, norm="forward"), plan.window_gain, plan.sinc,
        *plan.lags, *plan.search,
        octaves.reshape(rows * new, -1), strengths.reshape(rows * new, -1), counts.reshape(-1),
    )  # fmt: skip
    return _Candidates(octaves, strengths, counts, local_peaks, levels, band)


def _decide(
    state: PitchState, queue: SampleQueue, new: _Candidates, delay: int, fixed_peak: float = 0.0
) -> tuple[PitchState, PitchFrames]:
    """Follow the path through new frames; those `delay` frames back are decided.

    `queue` is what is left of the samples after the new frames.
    """
    from kinesphere.speech.pitch_kernels import follow_path

    octaves = np.concatenate([state.octaves, new.octaves], axis=1)
    counts = np.concatenate([state.counts, new.counts], axis=1)
    band = np.concatenate([state.band_db, new.band_db], axis=1)
    back = np.empty(octaves.shape, dtype=np.int64)
    back[:, : state.back.shape[1]] = state.back
    decided = max(0, octaves.shape[1] - delay)
    found = np.empty((len(octaves), decided))
    peaks, scores = state.peaks.copy(), state.scores.copy()
    follow_path(
        octaves, new.strengths, counts, new.local_peaks, new.levels, state.plan.costs,
        delay, fixed_peak, peaks, scores, back, found,
    )  # fmt: skip
    kept = PitchState(
        state.settings, state.rate_hz, state.voices, queue, peaks, scores,
        octaves[:, decided:].copy(), counts[:, decided:].copy(), back[:, decided:].copy(),
        band[:, decided:].copy(), state.plan,
    )  # fmt: skip
    return kept, PitchFrames(state.settings.floor_hz * np.exp2(found), band[:, :decided])


def _flush(state: PitchState) -> PitchFrames:
    """All pending frames ``[voices, frames]`` on the path that is best at the end."""
    from kinesphere.speech.pitch_kernels import trace_back

    found = np.empty(state.counts.shape)
    trace_back(state.octaves, state.back, state.scores, found)
    return PitchFrames(state.settings.floor_hz * np.exp2(found), state.band_db)


def _joined(parts: list[PitchFrames], rows: int) -> PitchFrames:
    return PitchFrames(
        joined([p.hz for p in parts], rows), joined([p.band_db for p in parts], rows)
    )
