"""Audio from a microphone, with sounddevice and PortAudio.

The driver's callback runs on a thread of its own, which must never wait: it only puts its samples
into a queue of bounded length, with their capture time. What does not fit is dropped and
reported.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from kinesphere.errors import KinesphereError
from kinesphere.maths.arrays import Floats
from kinesphere.realtime.sources.sources import BLOCK_S, VoiceResampler, voices_of
from kinesphere.realtime.state import Arrival, Chunk, Lost, Signal
from kinesphere.speech.resampling import SPEECH_RATE_HZ

_MOST_QUEUED_S = 2.0
_LONGEST_READ_S = 0.25
_OLDEST_S = 2.0
"""Capture times farther back are ignored: some drivers report none."""


class Device(NamedTuple):
    """An input device of sounddevice."""

    number: int
    name: str
    channels: int
    rate_hz: float
    default: bool


class _Piece(NamedTuple):
    """Samples of one driver callback ``[channels, n]``."""

    samples: Floats
    captured_s: float
    arrived_s: float
    dropped: bool


def sounddevice() -> Any:
    """Return the module, or raise an error that says how to install it."""
    try:
        return import_module("sounddevice")
    except ImportError:
        raise KinesphereError(
            "a microphone needs sounddevice: pip install 'kinesphere[live]'"
        ) from None
    except OSError as error:  # the library behind it
        raise KinesphereError(
            f"a microphone needs PortAudio ({error}); on Debian and Ubuntu: "
            "apt install libportaudio2"
        ) from None


def input_devices(module: Any = None) -> list[Device]:
    """Available input devices, in the driver's order."""
    sd = module or sounddevice()
    try:
        known, default = sd.query_devices(), sd.default.device[0]
    except Exception as error:  # PortAudioError is of the module that may be missing
        raise KinesphereError(f"the audio devices cannot be listed: {_line(error)}") from None
    return [
        Device(
            i,
            str(d["name"]),
            int(d["max_input_channels"]),
            float(d["default_samplerate"]),
            i == default,
        )
        for i, d in enumerate(known)
        if d["max_input_channels"] > 0
    ]


class MicrophoneSource:
    """Audio of a microphone.

    Parameters
    ----------
    device : number, or part of the name; None for the system's default.
    channels : to open.
    wanted : voices; with that many channels each is a voice, otherwise they are mixed.
    block_s : requested length of driver blocks.
    module, clock : sounddevice and a wall clock, by default the real ones.

    Raises
    ------
    KinesphereError
        If sounddevice is missing or the device cannot be opened.
    """

    paced = False
    device = True

    def __init__(
        self,
        device: int | str | None = None,
        channels: int = 1,
        wanted: int | None = None,
        block_s: float = BLOCK_S,
        module: Any = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.voices, self.block_s = voices_of(channels, wanted), block_s
        self._sd = module or sounddevice()
        self._wanted, self._channels, self._clock = device, channels, clock
        self._pieces: deque[_Piece] = deque()
        self._change = threading.Condition()
        self._queued_s = 0.0
        self._dropped = self._owed = False
        self._stopped = ""
        self._stream: Any = None
        self.name = "microphone"
        lost = self._open()
        if lost is not None:
            raise KinesphereError(f"the microphone cannot be opened: {lost.reason}")

    def read(self, wait_s: float) -> Arrival:
        """Return all buffered audio, up to a quarter of a second."""
        with self._change:
            self._change.wait_for(lambda: self._pieces or self._stopped, wait_s)
            pieces = self._contiguous()
            if not pieces:
                stopped, self._stopped = self._stopped, ""
                return Lost(stopped) if stopped else None
        return self._chunk(pieces)

    def reopen(self) -> Arrival:
        """Close the device and open it again."""
        self.close()
        try:  # PortAudio lists only devices present when it was initialised
            self._sd._terminate()
            self._sd._initialize()
        except Exception as error:
            return Lost(_line(error))
        return self._open() or Signal.BACK

    def close(self) -> None:
        """Release the device."""
        stream, self._stream = self._stream, None
        if stream is None:
            return
        try:
            stream.abort()
            stream.close()
        except Exception:  # noqa: S110 - a device that is gone cannot be closed, and need not be
            pass

    def _contiguous(self) -> list[_Piece]:
        """Queued blocks up to one before which something was dropped."""
        pieces: list[_Piece] = []
        length_s = 0.0
        while self._pieces and length_s < _LONGEST_READ_S:
            if pieces and self._pieces[0].dropped:
                break
            pieces.append(self._pieces.popleft())
            length_s += pieces[-1].samples.shape[1] / self._rate_hz
        self._queued_s = max(0.0, self._queued_s - length_s)
        return pieces

    def _chunk(self, pieces: list[_Piece]) -> Arrival:
        sound = np.concatenate([piece.samples for piece in pieces], axis=1)
        sound = np.nan_to_num(sound, nan=0.0, posinf=1.0, neginf=-1.0)
        if self.voices is None:
            sound = sound.mean(axis=0, keepdims=True)
        captured_s = pieces[0].captured_s - self._resampling.pending_s
        samples = self._resampling.push(sound)
        if not samples.shape[1]:
            # The filter outputs in bursts; a drop is reported with the next.
            self._owed = self._owed or pieces[0].dropped
            return None
        dropped, self._owed = self._owed or pieces[0].dropped, False
        return Chunk(
            samples[0] if self.voices is None else samples,
            captured_s=captured_s,
            dropped=dropped,
            arrived_s=pieces[-1].arrived_s,
        )

    def _open(self) -> Lost | None:
        """Open the device at 16 kHz, or at its own rate; None on success."""
        reason = ""
        try:
            info = self._sd.query_devices(self._wanted, "input")
            rates = (float(SPEECH_RATE_HZ), float(info["default_samplerate"]))
        except Exception as error:
            return Lost(_line(error))
        for rate_hz in rates:
            try:
                self._begin(rate_hz)
            except Exception as error:
                reason = _line(error)
            else:
                self.name = str(info["name"])
                return None
        return Lost(reason)

    def _begin(self, rate_hz: float) -> None:
        with self._change:
            self._pieces.clear()
            self._queued_s, self._stopped, self._dropped = 0.0, "", False
        self._rate_hz = rate_hz
        self._resampling = VoiceResampler(rate_hz, self.voices or 1)
        self._owed = False
        stream = self._sd.InputStream(
            samplerate=rate_hz,
            blocksize=max(1, round(self.block_s * rate_hz)),
            device=self._wanted,
            channels=self._channels,
            dtype="float32",
            latency="low",
            callback=self._on_audio,
            finished_callback=self._on_end,
        )
        try:
            stream.start()
        except Exception:
            stream.close()
            raise
        self._stream = stream

    # -- on the driver's thread --

    def _on_audio(self, data: Any, frames: int, moment: Any, status: Any) -> None:
        now_s = self._clock()
        length_s = frames / self._rate_hz
        age_s = float(moment.currentTime) - float(moment.inputBufferAdcTime)
        if not (math.isfinite(age_s) and 0.0 < age_s < _OLDEST_S):
            age_s = length_s
        lost = bool(getattr(status, "input_overflow", False))
        samples = np.array(data, dtype=np.float64).T
        with self._change:
            if self._queued_s >= _MOST_QUEUED_S:
                self._dropped = True
                return
            dropped, self._dropped = lost or self._dropped, False
            self._pieces.append(_Piece(samples, now_s - age_s, now_s, dropped))
            self._queued_s += length_s
            self._change.notify_all()

    def _on_end(self) -> None:
        with self._change:
            if self._stream is not None:
                self._stopped = "the device stopped"
            self._change.notify_all()


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__
