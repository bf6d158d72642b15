"""Sound as WAV: mono, 16 bits a sample."""

from __future__ import annotations

import io
import wave

import numpy as np

from kinesphere.motion.take import Audio


def wav_bytes(audio: Audio) -> bytes:
    """Return sound as the bytes of a WAV file; what is louder than 1 is held at 1."""
    levels = np.rint(np.clip(audio.samples, -1.0, 1.0) * 32767.0).astype("<i2")
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(int(audio.rate_hz))
        file.writeframes(levels.tobytes())
    return out.getvalue()
