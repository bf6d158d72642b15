"""Framing of audio, shared by `pitch`, `intensity` and the live mouth.

Chunks of any size are rows ``[voices, n]``. A `SampleQueue` keeps the samples that later frames
still need; frame k is centred at sample ``k hop``, rounded. Beyond its ends the audio is extended
by its first and last sample.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.bounds import check_range

RATE_RANGE_HZ = (4000.0, 400_000.0)
LARGEST_SAMPLE = 1e9
_BLOCK = 1 << 17  # samples processed at a time: allocating more than 2 MB is slow


def sound_blocks(samples: ArrayLike, size: int = 1 << 22) -> Iterator[Floats]:
    """Mono samples ``[n]`` as float64, a few minutes at a time; at least one block.

    Raises
    ------
    InvalidValueError
        If they are not mono, or one is no number; it is told by its place in the whole.
    """
    array = np.asarray(samples)
    if array.ndim != 1 or not len(array):
        yield check_samples(array)
        return
    for first in range(0, len(array), size):
        yield check_samples(array[first : first + size], first=first)


def check_samples(samples: ArrayLike, name: str = "samples", first: int = 0) -> Floats:
    """Samples ``[n]`` or ``[voices, n]`` as float64, refusing what is no sound.

    `first` is the number of the first one, for the error.
    """
    array = np.asarray(samples, dtype=np.float64, order="C")
    if array.ndim not in (1, 2):
        raise InvalidValueError(f"{name} have shape {array.shape}, expected (n) or (voices, n)")
    # The sum of squares is fast and bounds every value. No BLAS: it would start threads.
    flat = array.ravel()
    if not np.einsum("i,i->", flat, flat) <= LARGEST_SAMPLE**2:
        for where in np.argwhere(~(np.abs(array) <= LARGEST_SAMPLE))[:1].tolist():
            found = array[tuple(where)]
            where[-1] += first
            raise InvalidValueError(f"{name}{where} is {found:g}, allowed is a number up to 1e9")
    return array


def row_count(voices: int | None) -> int:
    """Number of rows of a stream of voices; None, no voices axis, has one."""
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


def seal(*arrays: Floats | Ints) -> None:
    """Make an array read-only, for frozen values."""
    for array in arrays:
        array.setflags(write=False)


def pieces(chunk: Floats) -> Sequence[Floats]:
    """Divide a chunk ``[voices, n]`` along time, so that working memory stays small."""
    size = max(1, _BLOCK // len(chunk))
    if chunk.shape[1] <= size:
        return (chunk,)
    return [chunk[:, first : first + size] for first in range(0, chunk.shape[1], size)]


def join_frames(parts: Sequence[Floats]) -> Floats:
    """Concatenate parts ``[rows, frames]``, at least one."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


class SampleQueue(NamedTuple):
    """Samples that later frames still need.

    Parameters
    ----------
    held : ``[voices, n]``.
    first : number of the sample ``held[:, 0]``, counted from the first sample of the audio.
    """

    held: Floats
    first: int = 0

    @property
    def end(self) -> int:
        """Number of the next sample."""
        return self.first + int(self.held.shape[1])

    def push(self, chunk: Floats, lead: int) -> SampleQueue:
        """Append a chunk ``[voices, n]``; the first sample is repeated `lead` times before it."""
        if chunk.shape[1] == 0:
            return self
        if self.held.shape[1]:
            return SampleQueue(np.concatenate([self.held, chunk], axis=1), self.first)
        before = np.repeat(chunk[:, :1], lead, axis=1)
        return SampleQueue(np.concatenate([before, chunk], axis=1), -lead)

    def close(self, lead: int) -> SampleQueue:
        """Append the last sample `lead` times."""
        return self.push(np.repeat(self.held[:, -1:], lead, axis=1), lead)

    def centres(self, frame: int, hop: float, half: int) -> Ints:
        """Indices in `held` of the centres of frames, from a number on, that can be computed now.

        A frame can be computed when `half` samples after its centre are available.
        """
        found: list[int] = []
        last = self.held.shape[1] - half
        centre = _middle(frame, hop) - self.first
        while centre <= last and self.held.shape[1]:
            found.append(centre)
            centre = _middle(frame + len(found), hop) - self.first
        return np.array(found, dtype=np.int64)

    def keep_from(self, frame: int, hop: float, half: int) -> SampleQueue:
        """Queue with the samples that a frame and later ones need; they are read-only."""
        if self.held.shape[1] == 0:
            return self
        cut = _middle(frame, hop) - half - self.first
        cut = min(max(0, cut), self.held.shape[1] - 1)
        held = self.held[:, cut:].copy()
        seal(held)
        return SampleQueue(held, self.first + cut)


def _middle(frame: int, hop: float) -> int:
    """Number of the sample at the centre of a frame."""
    return math.floor(frame * hop + 0.5)


def centred_frames(
    samples: int, rate_hz: float, window_s: float, step_s: float
) -> tuple[float, Floats]:
    """Praat's frames: as many whole windows as fit, centred in the recording.

    Returns the first one's time, and the positions of the centres among the samples. The
    arithmetic follows Praat's, so that a frame between two samples is rounded to the same one.
    """
    dx = 1.0 / rate_hz
    duration_s = samples * dx
    count = math.floor((duration_s - window_s) / step_s) + 1 if duration_s >= window_s else 0
    first_s = 0.5 * duration_s - 0.5 * count * step_s + 0.5 * step_s
    times: Floats = first_s + np.arange(count, dtype=np.float64) * step_s
    return first_s, (times - 0.5 * dx) / dx
