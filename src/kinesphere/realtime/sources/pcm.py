"""Audio from standard input: WAV, or raw samples; a thread reads, so that nothing blocks."""

from __future__ import annotations

import struct
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from kinesphere.errors import InvalidValueError, KinesphereError, UnreadableError
from kinesphere.maths.arrays import Floats
from kinesphere.realtime.sources.sources import BLOCK_S, VoiceResampler, voices_of
from kinesphere.realtime.state import Arrival, Chunk, Lost, Signal
from kinesphere.speech.prosody.framing import RATE_RANGE_HZ
from kinesphere.speech.resampling import SPEECH_RATE_HZ

ENCODINGS = ("s16le", "s24le", "s32le", "f32le", "f64le")
_MOST_QUEUED_S = 0.5
_LOUDEST = 1e3  # full scale is 1; beyond this the encoding must be wrong
_MOST_CHANNELS = 64
_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_LARGEST_CHUNK = 1 << 20
_CONTAINERS = {
    (0, b"fLaC"): "FLAC",
    (0, b"OggS"): "Ogg",
    (0, b"ID3"): "MP3",
    (4, b"ftyp"): "MP4",
    (0, b"\x1aE\xdf\xa3"): "WebM or Matroska",
    (0, b"RIFX"): "big-endian WAV (RIFX)",
    (0, b"RF64"): "WAV of 64 bits (RF64)",
    (0, b"FORM"): "AIFF",
    (0, b"RIFF"): "RIFF other than WAV",
    (0, b"caff"): "CAF",
    (0, b".snd"): "AU",
}
"""Formats that are neither WAV nor raw samples: signature bytes at an offset, and name."""


@dataclass(frozen=True)
class PcmFormat:
    """Format of raw samples: `encoding` of `ENCODINGS`, rate, interleaved channels."""

    encoding: str = "s16le"
    rate_hz: int = SPEECH_RATE_HZ
    channels: int = 1

    def __post_init__(self) -> None:
        if self.encoding not in ENCODINGS:
            raise InvalidValueError(
                f"encoding {self.encoding!r}, allowed are {', '.join(ENCODINGS)}"
            )
        low, high = RATE_RANGE_HZ
        if not low <= self.rate_hz <= high:
            raise InvalidValueError(f"rate is {self.rate_hz} Hz, allowed is {low:g} to {high:g}")
        if not 1 <= self.channels <= _MOST_CHANNELS:
            raise InvalidValueError(f"{self.channels} channels, allowed is 1 to {_MOST_CHANNELS}")

    @property
    def frame_bytes(self) -> int:
        """Bytes of one sample of every channel."""
        return int(self.encoding[1:3]) // 8 * self.channels

    def decode(self, data: bytes) -> Floats:
        """Whole frames as ``[channels, n]`` in [-1, 1]."""
        if self.encoding == "s24le":
            wide = np.zeros((len(data) // 3, 4), dtype=np.uint8)
            wide[:, 1:] = np.frombuffer(data, np.uint8).reshape(-1, 3)
            values = wide.view("<i4")[:, 0] / 2.0**31
        elif self.encoding.startswith("s"):
            bits = int(self.encoding[1:3])
            values = np.frombuffer(data, f"<i{bits // 8}") / 2.0 ** (bits - 1)
        else:
            values = np.frombuffer(data, f"<f{self.frame_bytes // self.channels}")
        rows: Floats = values.astype(np.float64).reshape(-1, self.channels).T
        return rows


class PcmSource:
    """Audio from a stream of bytes; WAV is recognised by its header.

    Parameters
    ----------
    stream : of bytes, best without a buffer of its own.
    form : of raw samples; WAV contains its own.
    wanted : voices; with that many channels each is a voice, otherwise they are mixed.
    block_s : length of the chunks.

    Raises
    ------
    UnreadableError
        If the stream is empty, its header is damaged, or it is a file of another format.
    """

    paced = True
    device = False
    name = "standard input"

    def __init__(
        self,
        stream: BinaryIO,
        form: PcmFormat | None = None,
        wanted: int | None = None,
        block_s: float = BLOCK_S,
    ) -> None:
        head = _read_fully(stream, 12)
        if not head:
            raise UnreadableError(self.name, "contains no audio")
        if head[:4] == b"RIFF" and head[8:12] == b"WAVE":
            form, head = _wav_format(stream, self.name), b""
        _check_bare(head, self.name)
        form = form or PcmFormat()
        self.voices, self.block_s = voices_of(form.channels, wanted), block_s
        self._form, self._stream = form, stream
        self._size = max(1, round(block_s * SPEECH_RATE_HZ))
        self._held: deque[Floats] = deque()
        self._count = 0
        self._over = self._closed = False
        self._error: KinesphereError | None = None
        self._change = threading.Condition()
        self._thread = threading.Thread(target=self._run, args=(head,), daemon=True)
        self._thread.start()

    def read(self, wait_s: float) -> Arrival:
        """Return the next block, or less at the end."""
        with self._change:
            self._change.wait_for(lambda: self._count >= self._size or self._over, wait_s)
            if self._count < self._size and not self._over:
                return None
            if not self._count:
                if self._error is not None:
                    raise self._error
                return Signal.END
            block = self._take(min(self._size, self._count))
            self._change.notify_all()
            queued_s = self._count / SPEECH_RATE_HZ
        samples = block[0] if self.voices is None else block
        return Chunk(samples, queued_s=queued_s, arrived_s=time.monotonic())

    def reopen(self) -> Arrival:
        """A stream cannot be opened again."""
        return Lost("standard input cannot be opened again")

    def close(self) -> None:
        """Stop reading; a thread that waits for the sender ends with the program."""
        with self._change:
            self._closed = True
            self._change.notify_all()

    def _take(self, size: int) -> Floats:
        parts, left = [], size
        while left:
            first = self._held.popleft()
            parts.append(first[:, :left])
            if first.shape[1] > left:
                self._held.appendleft(first[:, left:])
            left -= parts[-1].shape[1]
        self._count -= size
        return np.concatenate(parts, axis=1)

    # -- in the thread --

    def _run(self, head: bytes) -> None:
        try:
            self._pump(head)
        except KinesphereError as error:
            self._error = error
        except (OSError, ValueError) as error:
            self._error = UnreadableError(self.name, str(error).lower())
        with self._change:
            self._over = True
            self._change.notify_all()

    def _pump(self, rest: bytes) -> None:
        form = self._form
        rows = 1 if self.voices is None else self.voices
        resampling = VoiceResampler(form.rate_hz, rows)
        largest = max(1, round(form.rate_hz * 0.02)) * form.frame_bytes
        read = getattr(self._stream, "read1", self._stream.read)
        done = 0
        while not self._closed:
            whole = len(rest) // form.frame_bytes * form.frame_bytes
            if whole:
                sound = form.decode(rest[:whole])
                self._check(sound, done / form.rate_hz)
                done += sound.shape[1]
                mixed = sound.mean(axis=0, keepdims=True) if self.voices is None else sound
                self._put(resampling.push(mixed))
                rest = rest[whole:]
            more = read(largest)
            if not more:
                self._put(resampling.flush())
                return
            rest += more

    def _check(self, sound: Floats, at_s: float) -> None:
        top = float(np.max(np.abs(sound)))
        if not top <= _LOUDEST:
            reason = f"holds {top:.3g}, full scale is 1; is it {self._form.encoding}?"
            raise UnreadableError(self.name, reason, f"at {at_s:.1f} s")

    def _put(self, samples: Floats) -> None:
        """Queue audio; wait while the queue is full, so that the sender waits, too."""
        if not samples.shape[1]:
            return
        most = _MOST_QUEUED_S * SPEECH_RATE_HZ
        with self._change:
            self._change.wait_for(lambda: self._count < most or self._closed)
            self._held.append(samples)
            self._count += samples.shape[1]
            self._change.notify_all()


def _check_bare(head: bytes, name: str) -> None:
    """Reject known container formats by their first bytes: as samples they would be noise."""
    for (at, mark), kind in _CONTAINERS.items():
        if head[at : at + len(mark)] == mark:
            raise UnreadableError(
                name,
                f"is {kind}, readable are WAV and raw audio ({', '.join(ENCODINGS)}); "
                "ffmpeg converts it to WAV: ffmpeg -i FILE -f wav -",
            )


def _read_fully(stream: BinaryIO, size: int) -> bytes:
    """Read `size` bytes, fewer only at the end."""
    parts, left = [], size
    while left and (part := stream.read(left)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _wav_format(stream: BinaryIO, name: str) -> PcmFormat:
    """Read the header of a WAV file up to its samples; lengths from a pipe are unreliable."""
    form: PcmFormat | None = None
    while True:
        head = _read_fully(stream, 8)
        if len(head) < 8:
            raise UnreadableError(name, "is a WAV file without audio")
        kind, size = head[:4], struct.unpack("<I", head[4:])[0]
        if kind == b"data":
            if form is None:
                raise UnreadableError(name, "is a WAV file whose format is missing")
            return form
        if size > _LARGEST_CHUNK:
            raise UnreadableError(name, f"is a damaged WAV file: a part of {size} bytes")
        body = _read_fully(stream, size + size % 2)
        if kind == b"fmt ":
            form = _parse_format(body, name)


def _parse_format(body: bytes, name: str) -> PcmFormat:
    if len(body) < 16:
        raise UnreadableError(name, "is a WAV file whose format is cut off")
    tag, channels, rate_hz, _, _, bits = struct.unpack_from("<HHIIHH", body)
    if tag == _EXTENSIBLE and len(body) >= 26:
        (tag,) = struct.unpack_from("<H", body, 24)
    letter = {_PCM: "s", _FLOAT: "f"}.get(tag)
    encoding = f"{letter}{bits}le"
    if encoding not in ENCODINGS:
        found = encoding if letter else f"coding {tag}"
        raise UnreadableError(name, f"is WAV of {found}, readable are {', '.join(ENCODINGS)}")
    try:
        return PcmFormat(encoding, rate_hz, channels)
    except InvalidValueError as error:
        raise UnreadableError(name, f"is a WAV file: {error}") from None
