"""Intensity in dB, as Praat measures it, from a whole recording or from chunks.

The squared samples, after subtraction of the window's plain mean, are averaged under a Kaiser-20
window, which is close to a Gaussian, of effective length ``3.2/min_pitch`` and twice that in all.

Streaming. `start`, `step` and `finish` take chunks of any size; the batch function uses them, so
the numbers are the same. Frame k is at ``k step_s`` and is returned `latency_s` later, when the
right half of its window is available. Beyond its ends the audio is extended by its first and last
sample.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from types import ModuleType

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats, Ints, read_only
from kinesphere.maths.bounds import check_bounds, check_range, range_field
from kinesphere.speech.prosody.framing import (
    RATE_RANGE_HZ,
    SampleQueue,
    centred_frames,
    join_frames,
    pieces,
    row_count,
    rows_of,
)
from kinesphere.timeline.sampled_track import SampledTrack

HEARING_PA = 2e-5
LOWEST_POWER = 1e-30
"""Least power relative to the hearing threshold: digital silence is -300 dB, as in Praat."""


@dataclass(frozen=True)
class IntensitySettings:
    """Choices of the analysis.

    Parameters
    ----------
    min_pitch_hz : the window smooths over 3.2 periods of this pitch; Praat's default is 100.
    step_s : time between frames.
    praat : use Praat's frame times, centred in the recording; only for batch.
    """

    min_pitch_hz: float = range_field(100.0, 20.0, 1000.0)
    step_s: float = range_field(0.01, 0.001, 0.1)
    praat: bool = False

    def __post_init__(self) -> None:
        check_bounds(self)


@dataclass(frozen=True, eq=False)
class IntensityState:
    """State of an analysis; created by `start`, immutable."""

    settings: IntensitySettings
    rate_hz: float
    voices: int | None
    queue: SampleQueue
    window: Floats
    next_frame: int = 0

    @property
    def latency_s(self) -> float:
        """Seconds from a frame's time to the sample after which it is returned."""
        return len(self.window) / 2.0 / self.rate_hz


def start(
    rate_hz: float, settings: IntensitySettings | None = None, voices: int | None = None
) -> IntensityState:
    """State before the first sample; chunks are ``[n]``, or ``[voices, n]`` if `voices` is given.

    Raises
    ------
    InvalidValueError
        If the rate is outside 4 to 400 kHz.
    """
    check_range("rate_hz", rate_hz, *RATE_RANGE_HZ)
    if settings is not None and settings.praat:
        raise InvalidValueError("praat=True needs the whole recording, a stream has none")
    queue = SampleQueue(np.zeros((row_count(voices), 0)))
    chosen = settings or IntensitySettings()
    return IntensityState(chosen, float(rate_hz), voices, queue, window_of(chosen, float(rate_hz)))


def step(state: IntensityState, chunk: ArrayLike) -> tuple[IntensityState, Floats]:
    """Process samples and return the frames they complete, dB ``[frames]``, ``[voices, frames]``.

    Raises
    ------
    InvalidValueError
        If a sample is not a number, or the chunk's shape is not that of `start`.
    """
    made = []
    for piece in pieces(rows_of(chunk, state.voices)):
        state, levels = _analyse(state, state.queue.push(piece, half_of(state.window)))
        made.append(levels)
    return state, join_frames(made)[0] if state.voices is None else join_frames(made)


def finish(state: IntensityState) -> Floats:
    """The frames that were still waiting for samples, up to the last sample's time."""
    _, levels = _analyse(state, state.queue.close(half_of(state.window)))
    return levels[0] if state.voices is None else levels


def intensity(
    samples: ArrayLike, rate_hz: float, settings: IntensitySettings | None = None
) -> SampledTrack:
    """Intensity of a whole recording ``[n]``, dB re 20 micropascal for samples in pascal.

    A frame every `step_s` from 0 to the end; a recording without samples has none.

    >>> tone = np.sin(2 * np.pi * 200.0 * np.arange(8000) / 16000)
    >>> round(float(intensity(tone, 16000).at(0.25)), 2)
    90.97
    """
    chosen = settings or IntensitySettings()
    state = start(rate_hz, replace(chosen, praat=False))
    if chosen.praat:
        return _as_praat(rows_of(samples, None), state)
    state, head = step(state, samples)
    values = np.concatenate([head, finish(state)])
    return SampledTrack(0.0, 1.0 / chosen.step_s, values)


def _as_praat(rows: Floats, state: IntensityState) -> SampledTrack:
    chosen = state.settings
    first_s, places = centred_frames(
        rows.shape[1], state.rate_hz, 6.4 / chosen.min_pitch_hz, chosen.step_s
    )
    half = len(state.window) // 2
    centres = np.floor(places + 0.5).astype(np.int64) + half
    rows = np.pad(rows, ((0, 0), (half, half + 1)), mode="edge") if len(centres) else rows
    levels = levels_of(np.ascontiguousarray(rows), centres, state.window)
    return SampledTrack(first_s, 1.0 / chosen.step_s, levels[0])


def half_of(window: Floats) -> int:
    """Number of samples that a frame needs after its centre."""
    return len(window) // 2 + 1


def _analyse(state: IntensityState, queue: SampleQueue) -> tuple[IntensityState, Floats]:
    half, hop = half_of(state.window), state.rate_hz * state.settings.step_s
    centres = queue.centres(state.next_frame, hop, half)
    after = state.next_frame + len(centres)
    levels = levels_of(queue.held, centres, state.window)
    return replace(state, queue=queue.keep_from(after, hop, half), next_frame=after), levels


def levels_of(samples: Floats, centres: Ints, window: Floats) -> Floats:
    """Levels ``[voices, frames]`` of ``samples [voices, n]`` at frame centres, in dB."""
    levels = np.empty((len(samples), len(centres)))
    _kernels().weighted_levels(samples, centres, window, HEARING_PA**-2, LOWEST_POWER, levels)
    return levels


@lru_cache(maxsize=1)
def _kernels() -> ModuleType:
    """The compiled loops, loaded when first needed and cached: an import per step is too slow."""
    from kinesphere.speech.prosody import intensity_kernels

    return intensity_kernels


@lru_cache(maxsize=16)
def window_of(settings: IntensitySettings, rate_hz: float) -> Floats:
    """Kaiser window around a sample, normalised to the sum 1."""
    half_s = 3.2 / settings.min_pitch_hz
    half = int(half_s * rate_hz)
    x = np.arange(-half, half + 1) / (half_s * rate_hz)
    window = np.i0((2.0 * np.pi**2 + 0.5) * np.sqrt(np.maximum(0.0, 1.0 - x * x)))
    frozen: Floats = read_only(window / window.sum())
    return frozen
