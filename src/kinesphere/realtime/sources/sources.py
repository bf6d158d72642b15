"""Sources of live audio: their protocol, and recordings."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import Protocol

import numpy as np

from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.maths.arrays import Floats, doubles
from kinesphere.realtime.state import Arrival, Chunk, Lost, Signal
from kinesphere.speech.audio import audio_blocks
from kinesphere.speech.resampling import SPEECH_RATE_HZ, Resampler

BLOCK_S = 0.01
"""Chunk length, where a source can choose."""
_DECODED_S = 1.0


class Source(Protocol):
    """Audio at 16 kHz, chunk by chunk.

    Parameters
    ----------
    name : for messages.
    voices : rows of the chunks; None for ``[n]``.
    block_s : length of a chunk, where the source can choose.
    paced : whether audio may be available before its time, so that reading follows the clock.
    device : whether it can be lost and opened again.
    """

    name: str
    voices: int | None
    block_s: float
    paced: bool
    device: bool

    def read(self, wait_s: float) -> Arrival:
        """Audio, `Signal.END`, `Lost`, or None if nothing arrived within `wait_s`."""

    def reopen(self) -> Arrival:
        """Try to open a lost device: `Signal.BACK`, or `Lost`."""

    def close(self) -> None:
        """Release everything; may be called twice."""


class RecordingSource:
    """One recording, or several at the same time, each a separate voice.

    Parameters
    ----------
    paths : files of any common format.
    wanted : voices; if one file has that many channels each is a voice, otherwise they are mixed.
    block_s : length of the chunks.

    Raises
    ------
    UnreadableError
        If a file is not audio.
    InvalidValueError
        If there are several files, and not as many as voices.
    """

    paced = True
    device = False

    def __init__(
        self,
        paths: Sequence[str | PathLike[str]],
        wanted: int | None = None,
        block_s: float = BLOCK_S,
    ) -> None:
        self.name = " and ".join(Path(path).name for path in paths)
        self.block_s = block_s
        size = max(1, round(block_s * SPEECH_RATE_HZ))
        if len(paths) > 1:
            if wanted not in (None, len(paths)):
                raise InvalidValueError(
                    f"{len(paths)} recordings for {wanted} characters; allowed is one for each"
                )
            self.voices: int | None = len(paths)
            self._blocks = _cut([_mono(path) for path in paths], size)
        else:
            count = 1 if wanted is None else channels_of(paths[0])
            self.voices = voices_of(count, wanted)
            rows = _mono(paths[0]) if self.voices is None else _channels(paths[0], count)
            self._blocks = _cut([rows], size)
        self._next: Floats | None = next(self._blocks, None)

    def read(self, wait_s: float) -> Arrival:
        """Return the next block at once."""
        block = self._next
        if block is None:
            return Signal.END
        self._next = next(self._blocks, None)
        samples = block[0] if self.voices is None else block
        return Chunk(samples, arrived_s=time.monotonic())

    def reopen(self) -> Arrival:
        """Files are not lost."""
        return Lost("a file is not opened again")

    def close(self) -> None:
        """Stop reading."""
        self._next, self._blocks = None, iter(())


def voices_of(channels: int, wanted: int | None) -> int | None:
    """Voices of audio with a number of channels: each is one if as many are wanted, else None."""
    return wanted if wanted is not None and wanted == channels > 1 else None


def channels_of(path: str | PathLike[str]) -> int:
    """Number of channels of a file, as far as libsndfile can tell; 1 if it cannot."""
    soundfile = import_module("soundfile")
    try:
        return int(soundfile.info(fspath(path)).channels)
    except (soundfile.LibsndfileError, TypeError, RuntimeError):
        return 1


def _mono(path: str | PathLike[str]) -> Iterator[Floats]:
    """Audio ``[1, n]`` of a file, its channels mixed."""
    for audio in audio_blocks(path, _DECODED_S, SPEECH_RATE_HZ):
        yield doubles(audio.samples)[None]


def _channels(path: str | PathLike[str], count: int) -> Iterator[Floats]:
    """Audio ``[channels, n]`` of a file."""
    soundfile = import_module("soundfile")
    try:
        with soundfile.SoundFile(fspath(path)) as file:
            resampling = VoiceResampler(file.samplerate, count)
            while len(piece := file.read(file.samplerate, "float64", always_2d=True)):
                yield resampling.push(piece.T)
            yield resampling.flush()
    except (soundfile.LibsndfileError, RuntimeError) as error:
        raise UnreadableError(path, f"is damaged or cut off: {str(error)[:80]}") from None


def _cut(streams: Sequence[Iterator[Floats]], size: int) -> Iterator[Floats]:
    """Rows of all streams together in blocks of `size`; one that has ended is silent."""
    held = [next(stream) for stream in streams]
    while True:
        for i, stream in enumerate(streams):
            while held[i].shape[1] < size and (more := next(stream, None)) is not None:
                held[i] = np.concatenate([held[i], more], axis=1)
        longest = min(max(rows.shape[1] for rows in held), size)
        if not longest:
            return
        parts = []
        for i, rows in enumerate(held):
            part = rows[:, :longest]
            parts.append(np.pad(part, ((0, 0), (0, longest - part.shape[1]))))
            held[i] = rows[:, longest:]
        yield np.concatenate(parts)


class VoiceResampler:
    """Resampling of several voices ``[voices, n]`` to 16 kHz, with time accounting.

    The filter outputs samples in bursts and with a delay; `pending_s` is how much of the input is
    not output yet.
    """

    def __init__(self, rate_hz: float, voices: int) -> None:
        self._rows = [Resampler(rate_hz) for _ in range(voices)]
        self._rate_hz = rate_hz
        self._in = self._out = 0

    @property
    def pending_s(self) -> float:
        """Input that is not output yet, in seconds."""
        return self._in / self._rate_hz - self._out / SPEECH_RATE_HZ

    def push(self, chunk: Floats) -> Floats:
        """Add ``[voices, n]`` and return what is ready."""
        self._in += chunk.shape[1]
        return self._stack([row.push(x) for row, x in zip(self._rows, chunk, strict=True)])

    def flush(self) -> Floats:
        """Return the remaining samples of the filters."""
        return self._stack([row.flush() for row in self._rows])

    def _stack(self, rows: list[Floats]) -> Floats:
        self._out += len(rows[0])
        return np.stack(rows)
