"""Pitch by Boersma's autocorrelation method (1993), from a whole recording or from chunks.

A Hanning window of three periods of the floor; the signal's normalised autocorrelation divided by
the window's; its maxima, interpolated by a windowed sinc, are the candidates, with an unvoiced one;
the path through them of highest strength minus transition costs is the pitch. The costs are scaled
by 10 ms over the step, as in Praat.

Silence. Praat compares each frame with the loudest sample of the whole recording. A stream has no
end, so by default batch and stream use a running peak: the largest magnitude so far, decaying by
half every `peak_half_life_s`. Before the first word that is the peak of the room's noise, so a
frame also counts as silent if it is not above a running noise floor: the least magnitude of a
frame so far, slowly rising. The level of a recording does not matter. ``praat=True`` (batch only)
uses the whole recording's peak, decides the path at the end and uses Praat's frame times, centred
in the recording.

Streaming. A frame is decided on the best path `delay_frames` later, in batch too, so that `start`,
`step` and `finish` give the batch's numbers for any chunks, `latency_s` later: half a window, then
the delay. Beyond its ends the audio is extended by its first and last sample.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.bounds import check_bounds, check_range, range_field
from kinesphere.speech.prosody.framing import (
    RATE_RANGE_HZ,
    SampleQueue,
    centred_frames,
    join_frames,
    pieces,
    row_count,
    rows_of,
    seal,
)
from kinesphere.speech.prosody.intensity import HEARING_PA
from kinesphere.timeline.sampled_track import SampledTrack

_REACH = 30  # samples on each side used by the sinc interpolation
_PHASES = 32  # phases between two samples at which it is tabulated
_PERIODS = 3.0


@dataclass(frozen=True)
class PitchSettings:
    """Choices of the analysis; the defaults are Praat's where it has them.

    Parameters
    ----------
    floor_hz, ceiling_hz : range of pitch.
    step_s : time between frames; Praat's is 0.75 over the floor.
    candidates : per frame, one of them unvoiced.
    silence : ratio of the peak below which a frame counts as silent.
    voicing : strength of the unvoiced candidate.
    octave_cost : preference for higher candidates, per octave.
    octave_jump_cost : of an octave between two frames 10 ms apart.
    voiced_unvoiced_cost : of a change between voiced and unvoiced.
    delay_frames : look-ahead of a decision, in frames. With 10 no decision on our recordings
        differs from that of the whole path in more than one frame of a thousand.
    peak_half_life_s : longer than a speaker's pauses, short enough to recover from a loud noise.
    floor_margin : a frame is silent if its peak under the window is below this ratio of the running
        floor. A steady tone reaches 0.9 of its own level there and noise about 0.6, so a tone is
        detected from its start, and noise is not.
    floor_rise_db_s : rate at which the floor adapts to a higher noise level.
    band_hz : range of which `PitchFrames.band_db` is the energy: the vowels' first formants,
        without hum, voice bars and frication noise.
    praat : see the module; only for batch.
    """

    floor_hz: float = range_field(75.0, 30.0, 500.0)
    ceiling_hz: float = 600.0
    step_s: float = range_field(0.01, 0.001, 0.1)
    candidates: int = range_field(15, 2, 100)
    silence: float = range_field(0.03, 1e-6, 1.0)
    voicing: float = range_field(0.45, 0.0, 1.0)
    octave_cost: float = range_field(0.01, 0.0, 1.0)
    octave_jump_cost: float = range_field(0.35, 0.0, 10.0)
    voiced_unvoiced_cost: float = range_field(0.14, 0.0, 10.0)
    delay_frames: int = range_field(10, 1, 1000)
    peak_half_life_s: float = range_field(40.0, 0.1, 1e6)
    floor_margin: float = range_field(0.6, 0.0, 10.0)
    floor_rise_db_s: float = range_field(1.0, 0.0, 100.0)
    band_hz: tuple[float, float] = (300.0, 2300.0)
    praat: bool = False

    def __post_init__(self) -> None:
        check_bounds(self)
        check_range("ceiling_hz", self.ceiling_hz, self.floor_hz * 1.1, 2000.0)
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
        seal(self.hz, self.band_db)

    def __len__(self) -> int:
        return int(self.hz.shape[-1])


@dataclass(frozen=True, eq=False)
class PitchPlan:
    """Values derived from settings and rate; arrays are in the order of the compiled loop.

    Parameters
    ----------
    hop : samples from frame to frame.
    half : samples on each side of a frame's centre.
    delay : look-ahead of a decision, in frames.
    latency_s : from a frame's time to the sample after which it is returned.
    """

    hop: float
    half: int
    delay: int
    latency_s: float
    window: Floats
    turn: Floats
    window_gain: Floats
    sinc: Floats
    sizes: Ints
    search: Floats
    costs: Floats

    def __post_init__(self) -> None:
        seal(self.window, self.turn, self.window_gain, self.sinc)
        seal(self.sizes, self.search, self.costs)


@lru_cache(maxsize=16)
def plan_of(settings: PitchSettings, rate_hz: float) -> PitchPlan:
    """Derive the plan for audio of a sample rate.

    Raises
    ------
    InvalidValueError
        If the rate is outside 4 to 400 kHz or below four times the ceiling.
    """
    from kinesphere.speech.prosody.fourier_kernels import smooth_length, twiddle_factors

    low, high = RATE_RANGE_HZ
    check_range("rate_hz", rate_hz, max(low, 4.0 * settings.ceiling_hz), high)
    half = int(_PERIODS / settings.floor_hz * rate_hz) // 2 - 1
    period = int(rate_hz / settings.floor_hz)
    lags = max(2, int(rate_hz / settings.ceiling_hz)), int(2 * half / _PERIODS) + 2
    length, top = 2 * half, lags[1] + _REACH + 2
    fft = smooth_length(length + top)
    window = 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(1, length + 1) / (length + 1))
    own = np.fft.irfft(np.abs(np.fft.rfft(window, fft)) ** 2, fft)[:top]
    bins = [round(f * fft / rate_hz) for f in settings.band_hz]
    band = min(bins[0], fft // 2 - 1), min(max(bins[1], bins[0] + 1), fft // 2)
    least = 0.5 * settings.voicing  # a maximum below it can never win
    hertz = (rate_hz, settings.floor_hz, settings.ceiling_hz)
    band_scale = 2.0 / (fft * float(np.sum(window**2)) * HEARING_PA**2)
    return PitchPlan(
        hop=settings.step_s * rate_hz,
        half=half,
        delay=settings.delay_frames,
        latency_s=half / rate_hz + settings.delay_frames * settings.step_s,
        window=window,
        turn=twiddle_factors(fft),
        window_gain=own[0] / own,
        sinc=_sinc_table(),
        sizes=np.array([period, period // 2 + 1, *band, *lags]),
        search=np.array([*hertz, least, settings.octave_cost, band_scale]),
        costs=_costs(settings),
    )


def _costs(settings: PitchSettings) -> Floats:
    """Costs of the path, in the order of the compiled loop."""
    scale = 0.01 / settings.step_s
    return np.array(
        [
            settings.voicing,
            settings.silence,
            settings.floor_margin,
            settings.octave_jump_cost * scale,
            settings.voiced_unvoiced_cost * scale,
            0.5 ** (settings.step_s / settings.peak_half_life_s),
            10.0 ** (settings.step_s * settings.floor_rise_db_s / 20.0),
        ]
    )


def _sinc_table() -> Floats:
    """Weights ``[phases, 2 reach]`` of samples ``1 - reach`` to ``reach`` at each phase."""
    t = np.arange(_PHASES)[:, None] / _PHASES - np.arange(1 - _REACH, _REACH + 1)
    return np.sinc(t) * (0.5 + 0.5 * np.cos(np.pi * t / _REACH))


class PitchPath(NamedTuple):
    """State of the search for the best path; its arrays are read-only.

    Parameters
    ----------
    running : ``[voices, numbers]``: running levels, and the scores of the last frame's candidates.
    waiting : ``[voices, slots, numbers]``: candidates of undecided frames, each in
        the slot of its number modulo `slots`; the compiled loop has the order.
    next_frame : number of the next frame.
    """

    running: Floats
    waiting: Floats
    next_frame: int = 0


@dataclass(frozen=True, eq=False)
class PitchState:
    """State of an analysis; created by `start`, immutable."""

    settings: PitchSettings
    rate_hz: float
    voices: int | None
    plan: PitchPlan
    queue: SampleQueue
    path: PitchPath

    @property
    def latency_s(self) -> float:
        """Seconds from a frame's time to the sample after which it is returned."""
        return self.plan.latency_s


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
    plan = plan_of(chosen, float(rate_hz))
    rows = row_count(voices)
    queue = SampleQueue(np.zeros((rows, 0)))
    return PitchState(chosen, float(rate_hz), voices, plan, queue, first_path(chosen, rows))


def first_path(settings: PitchSettings, rows: int, slots: int | None = None) -> PitchPath:
    """Path of each voice before the first frame; one more slot than undecided frames."""
    places = settings.candidates
    slots = slots or settings.delay_frames + 1
    return PitchPath(np.zeros((rows, 2 + places)), np.zeros((rows, slots, 2 + 2 * places)))


def step(state: PitchState, chunk: ArrayLike) -> tuple[PitchState, PitchFrames]:
    """Process samples and return the frames that can be decided now.

    Raises
    ------
    InvalidValueError
        If a sample is not a number, or the chunk's shape is not that of `start`.
    """
    plan, made = state.plan, []
    for piece in pieces(rows_of(chunk, state.voices)):
        state, frames = _analyse(state, state.queue.push(piece, plan.half))
        made.append(frames)
    return state, _join(made, state.voices)


def finish(state: PitchState) -> PitchFrames:
    """The frames that were still waiting for samples or for the path."""
    state, frames = _analyse(state, state.queue.close(state.plan.half))
    return _join([frames, flush(state.path, state.plan)], state.voices)


def _analyse(state: PitchState, queue: SampleQueue) -> tuple[PitchState, tuple[Floats, Floats]]:
    plan = state.plan
    centres = queue.centres(state.path.next_frame, plan.hop, plan.half)
    path, frames = follow(state.path, plan, queue.held, centres)
    queue = queue.keep_from(path.next_frame, plan.hop, plan.half)
    return replace(state, queue=queue, path=path), frames


def _join(parts: list[tuple[Floats, Floats]], voices: int | None) -> PitchFrames:
    hz, band_db = (join_frames(rows) for rows in zip(*parts, strict=True))
    return PitchFrames(hz, band_db) if voices is not None else PitchFrames(hz[0], band_db[0])


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
    rows, plan = rows_of(samples, None), plan_of(settings, float(rate_hz))
    window_s = _PERIODS / settings.floor_hz
    first_s, places = centred_frames(rows.shape[1], float(rate_hz), window_s, settings.step_s)
    centres, count = np.floor(places).astype(np.int64) + 1, len(places)
    if count == 0:
        return SampledTrack(0.0, 1.0 / settings.step_s, np.zeros(0))
    peak = max(float(np.abs(rows - rows.mean()).max()), 1e-300)
    path = first_path(settings, 1, count + 1)
    path, _ = follow(path, plan, rows, centres, count + 1, peak)
    return SampledTrack(first_s, 1.0 / settings.step_s, flush(path, plan)[0][0])


def follow(
    path: PitchPath,
    plan: PitchPlan,
    samples: Floats,
    centres: Ints,
    delay: int | None = None,
    fixed_peak: float = 0.0,
) -> tuple[PitchPath, tuple[Floats, Floats]]:
    """Extend the path through new frames; those `delay` frames back are decided.

    Parameters
    ----------
    samples : ``[voices, n]``, in which the new frames are centred at `centres`.
    delay : in frames; by default the plan's.
    fixed_peak : replaces the running levels, if above 0.

    Returns
    -------
    The path after them; pitch in Hz and energy in the band in dB of the frames that are decided,
    ``[voices, frames]``.
    """
    delay = delay or plan.delay
    first, end = path.next_frame, path.next_frame + len(centres)
    decided = len(samples), max(0, end - delay) - max(0, first - delay)
    hz, band_db = np.empty(decided), np.empty(decided)
    if first == end:
        return path, (hz, band_db)
    running, waiting = path.running.copy(), path.waiting.copy()
    _kernels().follow_frames(
        samples,
        centres,
        plan.window,
        plan.turn,
        plan.window_gain,
        plan.sinc,
        plan.sizes,
        plan.search,
        plan.costs,
        first,
        delay,
        fixed_peak,
        running,
        waiting,
        hz,
        band_db,
    )
    seal(running, waiting)
    return PitchPath(running, waiting, end), (hz, band_db)


def flush(path: PitchPath, plan: PitchPlan) -> tuple[Floats, Floats]:
    """Pitch and energy of all undecided frames, on the path that is best at the end."""
    waiting = min(path.next_frame, path.waiting.shape[1] - 1)
    hz, band_db = np.empty((2, len(path.running), waiting))
    floor_hz = float(plan.search[1])
    _kernels().trace_back(path.running, path.waiting, path.next_frame, floor_hz, hz, band_db)
    return hz, band_db


@lru_cache(maxsize=1)
def _kernels() -> ModuleType:
    """The compiled loops, loaded when first needed and cached: an import per step is too slow."""
    from kinesphere.speech.prosody import pitch_kernels

    return pitch_kernels
