"""Audio as WAV: mono, 16 bits per sample, with a comment on the software."""

from __future__ import annotations

import io
import struct
from os import PathLike
from typing import IO

import numpy as np

from kinesphere.maths.arrays import blocks
from kinesphere.motion.take import Audio

_SOFTWARE = b"Kinesphere\0\0"


def wav_bytes(audio: Audio) -> bytes:
    """Audio as the bytes of a WAV file; samples beyond 1 are clipped."""
    out = io.BytesIO()
    write_wav(audio, out)
    return out.getvalue()


def write_wav(audio: Audio, file: IO[bytes]) -> None:
    """Write audio as WAV into an open file, in chunks; see `wav_bytes`."""
    rate, size = int(audio.rate_hz), 2 * len(audio.samples)
    before = b"WAVE" + _chunk(b"fmt ", struct.pack("<HHIIHH", 1, 1, rate, 2 * rate, 2, 16))
    before += _chunk(b"LIST", b"INFO" + _chunk(b"ISFT", _SOFTWARE))
    before += b"data" + struct.pack("<I", size)
    file.write(b"RIFF" + struct.pack("<I", len(before) + size) + before)
    for _, block in blocks(audio.samples):
        levels = np.clip(block.astype(np.float64), -1.0, 1.0) * 32767.0
        file.write(np.rint(levels).astype("<i2").tobytes())


def _chunk(name: bytes, data: bytes) -> bytes:
    return name + struct.pack("<I", len(data)) + data


def is_own_wav(path: str | PathLike[str]) -> bool:
    """Whether a file is a WAV that `wav_bytes` wrote."""
    try:
        with open(path, "rb") as file:
            start = file.read(80)
    except OSError:
        return False
    return start[:4] == b"RIFF" and _chunk(b"ISFT", _SOFTWARE) in start
