"""Loudness in dB, as Praat measures it, from a whole recording or from chunks.

The squared samples, the window's plain mean taken off before, are averaged under a Kaiser-20
window, which is close to a Gaussian, of effective length ``3.2/min_pitch`` and twice that in all.

Streaming. `start`, `step` and `finish` take chunks of any size; the batch function is made of
them, so the numbers are the same. Frame k stands at ``k step_s`` and comes `latency_s` later, when
the right half of its window is there. Beyond its ends a sound counts as holding its first and
last sample.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats, Ints, read_only
from kinesphere.timeline.sampled_track import SampledTrack

HEARING_PA = 2e-5
LOWEST_POWER = 1e-30
"""Over the hearing threshold's: what digital silence is given, -300 dB, as in Praat."""
RATE_RANGE_HZ = (4000.0, 400_000.0)
LARGEST_SAMPLE = 1e9
_BLOCK = 1 << 17  # samples of frames worked on at a time: more than 2 MB is slow to come by


@dataclass(frozen=True)
class IntensitySettings:
    """Choices of the analysis.

    Parameters
    ----------
    min_pitch_hz : the window smooths over 3.2 periods of this pitch; Praat's default is 100.
    step_s : time between frames.
    praat : put the frames where Praat does, centred in the recording; only for batch.
    """

    min_pitch_hz: float = 100.0
    step_s: float = 0.01
    praat: bool = False

    def __post_init__(self) -> None:
        for name, low, high in (("min_pitch_hz", 20.0, 1000.0), ("step_s", 0.001, 0.1)):
            check_range(name, getattr(self, name), low, high)


def check_range(name: str, value: float, low: float, high: float) -> None:
    """Raise InvalidValueError unless ``low <= value <= high``."""
    if not low <= value <= high:
        raise InvalidValueError(f"{name} is {value}, allowed is {low:g} to {high:g}")


def check_samples(samples: ArrayLike, name: str = "samples") -> Floats:
    """Samples ``[n]`` or ``[voices, n]`` as float64, refusing what is no sound."""
    array = np.asarray(samples, dtype=np.float64)
    if array.ndim not in (1, 2):
        raise InvalidValueError(f"{name} have shape {array.shape}, expected (n) or (voices, n)")
    if array.size and not float(np.abs(array).max()) <= LARGEST_SAMPLE:
        where = np.argwhere(~(np.abs(array) <= LARGEST_SAMPLE))[0].tolist()
        found = array[tuple(where)]
        raise InvalidValueError(f"{name}{where} is {found:g}, allowed is a number up to 1e9")
    return array


def sealed(*arrays: Floats | Ints) -> None:
    """Switch writing off, so that a frozen value stays as it is."""
    for array in arrays:
        array.flags.writeable = False


@dataclass(frozen=True, eq=False)
class SampleQueue:
    """Samples that later frames still need.

    Parameters
    ----------
    held : ``[voices, n]``, read-only.
    first : number of the sample ``held[:, 0]``, counted from the sound's first.
    next_frame : number of the first frame that has not been made.
    """

    held: Floats
    first: int = 0
    next_frame: int = 0

    def __post_init__(self) -> None:
        sealed(self.held)

    @property
    def end(self) -> int:
        """Number of the sample that comes next."""
        return self.first + int(self.held.shape[1])

    def pushed(self, chunk: Floats, half: int) -> SampleQueue:
        """With a chunk ``[voices, n]`` added; before the first one its own first sample is held."""
        if chunk.shape[1] == 0:
            return self
        first = self.first
        parts = [self.held, chunk]
        if self.end == 0 and self.held.shape[1] == 0:
            parts = [np.repeat(chunk[:, :1], half, axis=1), chunk]
            first = -half
        return SampleQueue(np.concatenate(parts, axis=1), first, self.next_frame)

    def closed(self, half: int) -> SampleQueue:
        """With the last sample held for half a window, so that the last frames come out."""
        if self.held.shape[1] == 0:
            return self
        return self.pushed(np.repeat(self.held[:, -1:], half, axis=1), half)

    def ready(self, half: int, hop: float) -> Ints:
        """Places in `held` of the middles of the frames that can be made now."""
        centres = []
        last, frame = self.end - half, self.next_frame
        centre = math.floor(frame * hop + 0.5)
        while centre <= last and self.held.shape[1]:
            centres.append(centre - self.first)
            frame += 1
            centre = math.floor(frame * hop + 0.5)
        return np.array(centres, dtype=np.int64)

    def advanced(self, frames: int, half: int, hop: float) -> SampleQueue:
        """After `frames` frames were made; what no later one needs is let go."""
        if self.held.shape[1] == 0:
            return self
        following = self.next_frame + frames
        needed = math.floor(following * hop + 0.5) - half
        keep = self.held[:, min(max(0, needed - self.first), self.held.shape[1] - 1) :]
        return SampleQueue(keep.copy(), self.end - keep.shape[1], following)


def pieces(chunk: Floats, frame_length: int, hop: float) -> Iterator[Floats]:
    """Chunk ``[voices, n]`` in pieces along time, so that working memory stays small."""
    frames = max(1, _BLOCK // (frame_length * max(1, len(chunk))))
    size = math.ceil(frames * hop)
    for first in range(0, chunk.shape[1], size):
        yield chunk[:, first : first + size]


@dataclass(frozen=True, eq=False)
class IntensityState:
    """Where an analysis stands; made by `start`, never changed."""

    settings: IntensitySettings
    rate_hz: float
    voices: int | None
    queue: SampleQueue
    window: Floats

    @property
    def latency_s(self) -> float:
        """Seconds from a frame's time to the sample after which it is given."""
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
    return IntensityState(chosen, float(rate_hz), voices, queue, _window(chosen, float(rate_hz)))


def step(state: IntensityState, chunk: ArrayLike) -> tuple[IntensityState, Floats]:
    """Take samples in and return the frames they complete, dB ``[frames]``, ``[voices, frames]``.

    Raises
    ------
    InvalidValueError
        If a sample is not a number, or the chunk's shape is not that of `start`.
    """
    state, levels = advance(state, rows_of(chunk, state.voices))
    return state, levels[0] if state.voices is None else levels


def advance(state: IntensityState, rows: Floats) -> tuple[IntensityState, Floats]:
    """`step` on rows ``[voices, n]`` that are known to be sound."""
    window = state.window
    hop = state.rate_hz * state.settings.step_s
    queue, made = state.queue, []
    for piece in pieces(rows, len(window), hop):
        queue, levels = _drain(queue.pushed(piece, len(window) // 2 + 1), window, hop)
        made.append(levels)
    state = IntensityState(state.settings, state.rate_hz, state.voices, queue, window)
    return state, joined(made, len(rows))


def finish(state: IntensityState) -> Floats:
    """The frames that were still waiting for samples, up to the last sample's time."""
    window, hop = state.window, state.rate_hz * state.settings.step_s
    _, levels = _drain(state.queue.closed(len(window) // 2 + 1), window, hop)
    return levels[0] if state.voices is None else levels


def intensity(
    samples: ArrayLike, rate_hz: float, settings: IntensitySettings | None = None
) -> SampledTrack:
    """Loudness of a whole recording ``[n]``, dB re 20 micropascal for samples in pascal.

    A frame every `step_s` from 0 to the end; a recording without samples has none.

    >>> tone = np.sin(2 * np.pi * 200.0 * np.arange(8000) / 16000)
    >>> round(float(intensity(tone, 16000).at(0.25)), 2)
    90.97
    """
    chosen = settings or IntensitySettings()
    state = start(rate_hz, replace(chosen, praat=False))
    if chosen.praat:
        rows = rows_of(samples, None)
        first_s, places = centred_frames(
            rows.shape[1], state.rate_hz, 6.4 / chosen.min_pitch_hz, chosen.step_s
        )
        half = len(state.window) // 2
        centres = np.floor(places + 0.5).astype(np.int64) + half
        rows = np.pad(rows, ((0, 0), (half, half + 1)), mode="edge") if len(centres) else rows
        return SampledTrack(first_s, 1.0 / chosen.step_s, _levels(rows, centres, state.window)[0])
    state, head = step(state, samples)
    values = np.concatenate([head, finish(state)])
    return SampledTrack(0.0, 1.0 / chosen.step_s, values)


def centred_frames(
    samples: int, rate_hz: float, window_s: float, step_s: float
) -> tuple[float, Floats]:
    """Praat's frames: as many whole windows as fit, centred in the sound.

    Returns the first one's time, and the middles' places among the samples' own middles. The
    arithmetic follows Praat's, so that a frame between two samples falls to the same one.
    """
    dx = 1.0 / rate_hz
    duration_s = samples * dx
    count = math.floor((duration_s - window_s) / step_s) + 1 if duration_s >= window_s else 0
    first_s = 0.5 * duration_s - 0.5 * count * step_s + 0.5 * step_s
    times: Floats = first_s + np.arange(count, dtype=np.float64) * step_s
    return first_s, (times - 0.5 * dx) / dx


def row_count(voices: int | None) -> int:
    """Rows that a stream of that many voices has; one voice without a voices axis has one."""
    check_range("voices", 1 if voices is None else voices, 1, 1_000_000)
    return 1 if voices is None else voices


def rows_of(chunk: ArrayLike, voices: int | None) -> Floats:
    """Check a chunk against the voices of a stream; ``[voices, n]``."""
    samples = check_samples(chunk)
    if samples.ndim != (1 if voices is None else 2) or (
        voices is not None and len(samples) != voices
    ):
        wanted = "(n)" if voices is None else f"({voices}, n)"
        raise InvalidValueError(f"a chunk has shape {samples.shape}, expected {wanted}")
    return samples[None] if voices is None else samples


def joined(parts: list[Floats], rows: int) -> Floats:
    """Parts ``[rows, frames]`` one after the other; there may be none."""
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([np.zeros((rows, 0)), *parts], axis=1)


def _drain(queue: SampleQueue, window: Floats, hop: float) -> tuple[SampleQueue, Floats]:
    half = len(window) // 2 + 1
    centres = queue.ready(half, hop)
    return queue.advanced(len(centres), half, hop), _levels(queue.held, centres, window)


def _levels(samples: Floats, centres: Ints, window: Floats) -> Floats:
    from kinesphere.speech.pitch_kernels import weighted_levels

    levels = np.empty((len(samples), len(centres)))
    samples = np.ascontiguousarray(samples)
    weighted_levels(samples, centres, window, HEARING_PA**-2, LOWEST_POWER, levels)
    return levels


@lru_cache(maxsize=16)
def _window(settings: IntensitySettings, rate_hz: float) -> Floats:
    """Kaiser window about a sample, that sums to 1."""
    half_s = 3.2 / settings.min_pitch_hz
    half = int(half_s * rate_hz)
    x = np.arange(-half, half + 1) / (half_s * rate_hz)
    window = np.i0((2.0 * np.pi**2 + 0.5) * np.sqrt(np.maximum(0.0, 1.0 - x * x)))
    frozen: Floats = read_only(window / window.sum())
    return frozen
