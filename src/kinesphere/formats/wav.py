"""Sound as WAV: mono, 16 bits a sample, with a line on what wrote it."""

from __future__ import annotations

import struct
from os import PathLike

import numpy as np

from kinesphere.motion.take import Audio

_SOFTWARE = b"Kinesphere\0\0"


def wav_bytes(audio: Audio) -> bytes:
    """Return sound as the bytes of a WAV file; what is louder than 1 is held at 1."""
    levels = np.rint(np.clip(audio.samples, -1.0, 1.0) * 32767.0).astype("<i2")
    rate = int(audio.rate_hz)
    chunks = (
        _chunk(b"fmt ", struct.pack("<HHIIHH", 1, 1, rate, 2 * rate, 2, 16)),
        _chunk(b"LIST", b"INFO" + _chunk(b"ISFT", _SOFTWARE)),
        _chunk(b"data", levels.tobytes()),
    )
    return _chunk(b"RIFF", b"WAVE" + b"".join(chunks))


def _chunk(name: bytes, data: bytes) -> bytes:
    return name + struct.pack("<I", len(data)) + data


def is_own_wav(path: str | PathLike[str]) -> bool:
    """Whether a file is a WAV that `wav_bytes` made."""
    try:
        with open(path, "rb") as file:
            start = file.read(80)
    except OSError:
        return False
    return start[:4] == b"RIFF" and _chunk(b"ISFT", _SOFTWARE) in start
