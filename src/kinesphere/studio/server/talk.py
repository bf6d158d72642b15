"""Live motion from a microphone: audio chunks of a page in, packets of frames out.

Wraps an engine of live sessions. The audio is recorded, so that a take can be made of it.
"""

from __future__ import annotations

import time
from collections import deque
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinesphere.character.default import default_rig
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.realtime.sinks.sinks import PoseFrames
from kinesphere.realtime.state import Engine
from kinesphere.speech.resampling import SPEECH_RATE_HZ, Resampler
from kinesphere.studio.server import packets
from kinesphere.studio.server.packets import SoundChunk
from kinesphere.studio.work.figures import ShownFigure

FPS = 60.0
LONGEST_S = 1800.0
RATES_HZ = (8_000.0, 192_000.0)
_QUIET_DB = -80.0
_SPEAKS_DB = -45.0
_STEPS = 64


class TalkLevel(NamedTuple):
    """Level of the audio, its duration so far, and the median time of a step."""

    level_db: float
    heard_s: float
    step_ms: float
    speaking: bool


class Talk:
    """One character and one voice; its state is replaced at every chunk.

    Parameters
    ----------
    engine : moves the character.
    rate_hz : of the audio.
    figure : character of the frames.

    Raises
    ------
    InvalidValueError
        If the rate or an option is not allowed.
    """

    def __init__(self, engine: Engine, rate_hz: float, figure: ShownFigure) -> None:
        low, high = RATES_HZ
        if not low <= rate_hz <= high:
            raise InvalidValueError(f"audio at {rate_hz:g} Hz, allowed is {low:g} to {high:g}")
        self.figure = figure
        self._engine, self._state, self._frames = engine, engine.start(), 0
        self._resampler = None if rate_hz == SPEECH_RATE_HZ else Resampler(rate_hz)
        self._kept: list[NDArray[np.int16]] = []
        self._samples = 0
        self._level = _QUIET_DB
        self._steps: deque[float] = deque(maxlen=_STEPS)

    @property
    def full(self) -> bool:
        """Whether the recording has its largest length."""
        return self._samples >= LONGEST_S * SPEECH_RATE_HZ

    def take(self, chunk: SoundChunk) -> bytes | None:
        """Process an audio chunk; return a packet of the frames that are due, or None."""
        began = time.perf_counter()
        sound = chunk.samples
        self._level = _level_db(sound)
        if self._resampler is not None:
            sound = self._resampler.push(sound)
        if not len(sound):
            return None
        self._samples += len(sound)
        self._kept.append(np.rint(sound.clip(-1.0, 1.0) * 32767.0).astype(np.int16))
        first = self._frames
        self._state, frames = self._engine.step(self._state, sound)
        self._frames += len(frames)
        packet = self._packet(frames, first, chunk.stamp_ms) if len(frames) else None
        self._steps.append(time.perf_counter() - began)
        return packet

    def _packet(self, frames: PoseFrames, first: int, stamp_ms: float) -> bytes:
        clip = Clip(
            default_rig().skeleton,
            FPS,
            frames.root_positions,
            frames.rotations,
            channels=dict(frames.channels),
        )
        moved = self.figure.retarget(clip)
        data = self.figure.frames(moved)
        return packets.live(
            first,
            len(moved),
            moved.rotations.shape[1],
            len(self.figure.shapes),
            FPS,
            self._level,
            stamp_ms,
            data,
        )

    def level(self) -> TalkLevel:
        """Level, duration and computing time."""
        step = float(np.median(self._steps)) * 1000.0 if self._steps else 0.0
        return TalkLevel(
            self._level, self._samples / SPEECH_RATE_HZ, step, self._level > _SPEAKS_DB
        )

    def recording(self) -> Floats:
        """The recorded audio at `SPEECH_RATE_HZ`."""
        kept = np.concatenate(self._kept) if self._kept else np.zeros(0, np.int16)
        return np.asarray(kept / 32767.0)


def _level_db(samples: Floats) -> float:
    power = float(np.mean(samples * samples)) if len(samples) else 0.0
    return max(10.0 * float(np.log10(power + 1e-12)), _QUIET_DB)
