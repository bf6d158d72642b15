"""Reads recordings in any common format as mono audio: whole, or in blocks of bounded memory.

WAV, FLAC, OGG, Opus and MP3 are read by libsndfile; MP4 (M4A), WebM and AAC by ffmpeg in a child
process. Channels are averaged, except for silent ones (an unplugged microphone), which would only
halve the level, and for channels that cancel each other (one with inverted polarity), of which
the loudest is taken. Whole or in blocks, a file gives the same samples.
"""

from __future__ import annotations

import os
import re
import stat
import struct
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path

import numpy as np

from kinesphere.errors import InvalidValueError, KinesphereError, UnreadableError
from kinesphere.maths.arrays import Floats, Sound, read_only
from kinesphere.motion.take import Audio
from kinesphere.speech.prosody.framing import RATE_RANGE_HZ
from kinesphere.speech.resampling import Resampler

MOST_SAMPLES = 1 << 27
"""Most samples read at once: 2.3 hours at 16 kHz, 1 GB."""
ENDINGS = (".wav", ".flac", ".ogg", ".opus", ".mp3", ".m4a", ".aac", ".webm", ".mp4")
_FFMPEG_ENDINGS = frozenset((".m4a", ".aac", ".webm", ".mp4", ".mov", ".mkv", ".mka", ".wma"))
_MOST_CHANNELS = 64
_PIECE = 1 << 18  # values that are decoded at a time
_DEAD = 1e-5  # -50 dB relative to the loudest channel; crosstalk between microphones is -20 to -40
_CANCELLED = 0.01  # power of the mean relative to the loudest channel
_LOUDEST = 1e6  # full scale is 1; larger values are not audio
_MISSING_S = 0.1  # less is an encoder's padding


@dataclass(frozen=True)
class Recording:
    """Mono audio of a file, and notes on decisions of the reader."""

    audio: Audio
    notes: tuple[str, ...] = ()

    @property
    def samples(self) -> Sound:
        """Mono samples ``[n]``, full scale is 1."""
        return self.audio.samples

    @property
    def rate_hz(self) -> int:
        """Samples a second."""
        return self.audio.rate_hz

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        return len(self.samples) / self.rate_hz


@dataclass
class _AudioSource:
    """An open file that can be decoded repeatedly, in chunks ``[n, channels]``."""

    path: str
    rate_hz: int
    channels: int
    frames: int | None
    decode: Callable[[_AudioSource], Iterator[Floats]]
    notes: list[str] = field(default_factory=list)

    def pieces(self) -> Iterator[Floats]:
        """Decode from the start; an invalid value is an error with its time."""
        done = 0
        for piece in self.decode(self):
            if not np.max(np.abs(piece), initial=0.0) <= _LOUDEST:
                raise self._no_sound(piece, done)
            done += len(piece)
            yield piece
        if done == 0:
            raise UnreadableError(self.path, "contains no audio: its length is 0")
        if self.frames is not None and self.frames - done > _MISSING_S * self.rate_hz:
            have, want = done / self.rate_hz, self.frames / self.rate_hz
            self.note(f"the file is cut off: {have:.2f} s of {want:.2f} s are there")

    def _no_sound(self, piece: Floats, done: int) -> UnreadableError:
        """Error message for the first invalid value of a chunk that starts at frame `done`."""
        first = int(np.argmax(~(np.abs(piece) <= _LOUDEST).all(axis=1)))
        value = piece[first][~(np.abs(piece[first]) <= _LOUDEST)][0]
        found = f"{value:.3g}" if np.isfinite(value) else "a value that is not finite"
        at = f"at {(done + first) / self.rate_hz:.3f} s"
        return UnreadableError(self.path, f"has {found}, full scale is 1", at)

    def note(self, text: str) -> None:
        """Add a note, once."""
        if text not in self.notes:
            self.notes.append(text)


def read_audio(path: str | PathLike[str], rate_hz: int | None = None) -> Recording:
    """Read a whole recording as mono, at its own rate or at `rate_hz`.

    Raises
    ------
    UnreadableError
        If the file is missing, empty, not audio, damaged, or longer than `MOST_SAMPLES`.
    """
    source = _open(path)
    target = rate_hz or source.rate_hz
    if source.frames is not None:
        _check_length(source, source.frames * target // source.rate_hz, target)
    parts, count = [], 0
    for part in _mono(source, rate_hz):
        count += len(part)
        _check_length(source, count, target)
        parts.append(part)
    samples = read_only(np.concatenate(parts))
    return Recording(Audio(samples, target), tuple(source.notes))


def audio_blocks(
    path: str | PathLike[str], seconds: float = 10.0, rate_hz: int | None = None
) -> Iterator[Audio]:
    """Read a recording of any length as mono blocks of `seconds`, the last one shorter.

    Memory stays at a few blocks. A file of several channels is decoded twice, because only the
    whole file shows which of them are silent.
    """
    if not 0.01 <= seconds <= 3600.0:
        raise InvalidValueError(f"a block is {seconds} s long, allowed is 0.01 to 3600")
    source = _open(path)
    target = rate_hz or source.rate_hz
    size = max(1, round(seconds * target))
    held, count = [], 0
    for part in _mono(source, rate_hz):
        held.append(part)
        count += len(part)
        if count >= size:
            whole = np.concatenate(held)
            cut = count - count % size
            for at in range(0, cut, size):
                yield Audio(whole[at : at + size].copy(), target)
            held, count = [whole[cut:]], count - cut
    if count:
        yield Audio(np.concatenate(held), target)


def _mono(source: _AudioSource, rate_hz: int | None) -> Iterator[Floats]:
    weights = _weights(source)
    resampler = Resampler(source.rate_hz, rate_hz or source.rate_hz)
    for piece in source.pieces():
        # einsum's order of summation does not depend on the shape, as a matrix product's may.
        yield resampler.push(np.einsum("nc,c->n", piece, weights))
    yield resampler.flush()


def _weights(source: _AudioSource) -> Floats:
    """Weight of each channel in the mono mix."""
    if source.channels == 1:
        return np.ones(1)
    count, total = 0, np.zeros(source.channels)
    product = np.zeros((source.channels, source.channels))
    for piece in source.pieces():
        count += len(piece)
        total += piece.sum(axis=0)
        product += piece.T @ piece
    mean = total / count
    covariance = product / count - np.outer(mean, mean)
    power = np.maximum(np.diag(covariance), 0.0)
    loudest = int(np.argmax(power))
    live = power > _DEAD * power[loudest]
    if not live.any():
        return np.full(source.channels, 1.0 / source.channels)
    dead = [str(i + 1) for i in np.flatnonzero(~live)]
    if dead:
        plural = "s" if len(dead) > 1 else ""
        source.note(f"silent channel{plural} {', '.join(dead)} of {source.channels} ignored")
    weights = live / live.sum()
    if weights @ covariance @ weights < _CANCELLED * power[loudest]:
        source.note(f"the channels cancel each other; only channel {loudest + 1} is used")
        weights = np.eye(source.channels)[loudest]
    return np.asarray(weights)


def _check_length(source: _AudioSource, count: int, rate_hz: int) -> None:
    if count > MOST_SAMPLES:
        raise UnreadableError(
            source.path,
            f"is too long to be read at once: over {count / rate_hz / 60:.0f} minutes at "
            f"{rate_hz} Hz, allowed are {MOST_SAMPLES / rate_hz / 60:.0f}; read it in blocks",
        )


def _open(path: str | PathLike[str]) -> _AudioSource:
    name = fspath(path)
    head = _head(name)
    coded = (
        head[4:8] == b"ftyp"
        or head[:4] == b"\x1aE\xdf\xa3"
        or head[:2] in (b"\xff\xf1", b"\xff\xf9")
    )
    if coded or Path(name).suffix.lower() in _FFMPEG_ENDINGS:
        source = _ffmpeg_source(name)
    else:
        source = _soundfile_source(name, mp3=head[:3] == b"ID3" or head[:1] == b"\xff")
    low, high = RATE_RANGE_HZ
    if not low <= source.rate_hz <= high:
        raise UnreadableError(name, f"has {source.rate_hz} Hz, allowed is {low:g} to {high:g}")
    if not 1 <= source.channels <= _MOST_CHANNELS:
        raise UnreadableError(
            name, f"has {source.channels} channels, allowed is 1 to {_MOST_CHANNELS}"
        )
    return source


def _head(name: str) -> bytes:
    try:
        status = os.stat(name)
        if stat.S_ISDIR(status.st_mode):
            raise UnreadableError(name, "is a folder, expected a recording")
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableError(name, "is not a regular file")
        with open(name, "rb") as file:
            head = file.read(16)
    except FileNotFoundError:
        raise UnreadableError(name, "no such file") from None
    except (OSError, ValueError) as error:
        raise UnreadableError(
            name, (getattr(error, "strerror", "") or str(error)).lower()
        ) from None
    if not head:
        raise UnreadableError(name, "is empty")
    return head


def _soundfile_source(name: str, *, mp3: bool) -> _AudioSource:
    soundfile = import_module("soundfile")
    quiet = _no_stderr if mp3 or name.lower().endswith(".mp3") else nullcontext

    def decode(source: _AudioSource) -> Iterator[Floats]:
        done = 0
        try:
            with quiet():
                file = soundfile.SoundFile(name)
            with file:
                while True:
                    with quiet():
                        piece = file.read(_PIECE // file.channels, "float64", always_2d=True)
                    if not len(piece):
                        return
                    done += len(piece)
                    yield piece
        except (soundfile.LibsndfileError, RuntimeError) as error:
            after = f"after {done / source.rate_hz:.1f} s"
            raise UnreadableError(
                name, f"is damaged or cut off: {_error_text(error)}", after
            ) from None

    try:
        with quiet(), soundfile.SoundFile(name) as file:
            frames = file.frames if 0 < file.frames < 1 << 60 else None
            source = _AudioSource(name, file.samplerate, file.channels, frames, decode)
            cut = _is_truncated(str(file.extra_info))
    except (soundfile.LibsndfileError, TypeError, RuntimeError) as error:
        allowed = " ".join(ENDINGS)
        reason = f"is not audio that can be read ({_error_text(error)}); readable are {allowed}"
        raise UnreadableError(name, reason) from None
    if cut:
        source.note("the file is cut off: its end is missing")
    return source


def _is_truncated(log: str) -> bool:
    """Whether libsndfile's log reports less data than the header declares."""
    promised = re.search(r"^data : (\d+) \(should be (\d+)\)", log, re.MULTILINE)
    if promised:  # a program that writes to a pipe writes 0 or the largest number as length
        return int(promised[2]) < int(promised[1]) < 0x7FFFF000
    return "end-of-stream" in log.lower() or "Junk after the last page" in log


def _error_text(error: Exception) -> str:
    text = str(getattr(error, "error_string", "") or error).strip().rstrip(".")
    if "pipe?" in text or "System error" in text:  # libsndfile's message for an MP3 without frames
        text = "no audio found in it"
    return text.removeprefix("Error : ")[:80].replace("\n", " ")


_stderr_lock = threading.Lock()


@contextmanager
def _no_stderr() -> Iterator[None]:
    """Keep libmpg123 from writing warnings to the terminal; our notes contain the same."""
    with _stderr_lock:
        try:
            kept = os.dup(2)
        except OSError:  # there is none
            yield
            return
        nothing = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nothing, 2)
            yield
        finally:
            os.dup2(kept, 2)
            os.close(nothing)
            os.close(kept)


def _ffmpeg_source(name: str) -> _AudioSource:
    try:
        program = str(import_module("imageio_ffmpeg").get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        raise KinesphereError(
            f"{name}: this audio format needs ffmpeg, which is not installed: "
            "pip install 'kinesphere[media]'"
        ) from None
    # AU has the simplest header with rate and channels; the samples are big-endian floats.
    command = [program, "-nostdin", "-v", "error", "-protocol_whitelist", "file,pipe"]
    command += ["-i", f"file:{os.path.abspath(name)}", "-map", "0:a:0", "-f", "au"]
    command += ["-c:a", "pcm_f32be", "pipe:1"]

    def run() -> Iterator[tuple[int, int] | Floats]:
        """Yield rate and channels, then chunks; the child process ends with the generator."""
        with tempfile.TemporaryFile() as errors:
            child = subprocess.Popen(  # noqa: S603 - our own arguments, no shell
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors
            )
            assert child.stdout is not None
            try:
                head = child.stdout.read(24)
                if len(head) == 24:
                    _, offset, _, _, rate, channels = struct.unpack(">6I", head)
                    child.stdout.read(offset - 24)
                    yield rate, channels
                    step = 4 * channels
                    while data := child.stdout.read(_PIECE // channels * step):
                        whole = np.frombuffer(data, ">f4", len(data) // step * channels)
                        yield whole.astype(np.float64).reshape(-1, channels)
                child.wait()
            finally:
                child.kill()
                child.stdout.close()
                child.wait()
            errors.seek(0)
            complaint = _ffmpeg_error_text(errors.read(4000).decode("utf-8", "replace"))
            if len(head) < 24:
                raise UnreadableError(name, complaint or "contains no audio")
            if complaint:
                source.note(f"the file is damaged: {complaint}")

    def decode(_: _AudioSource) -> Iterator[Floats]:
        for part in run():
            if not isinstance(part, tuple):
                yield part

    start = run()
    first = next(start)
    assert isinstance(first, tuple)
    source = _AudioSource(name, first[0], first[1], None, decode)
    start.close()  # type: ignore[attr-defined]
    return source


def _ffmpeg_error_text(log: str) -> str:
    """First line of ffmpeg's errors, without its addresses; may be empty."""
    if "matches no streams" in log:
        return "contains no audio, only other streams"
    lines = [re.sub(r"^(\[[^]]*\]\s*)+", "", line).strip() for line in log.splitlines()]
    lines = [line for line in lines if line]
    return f"ffmpeg says: {lines[0][:80]}" if lines else ""
