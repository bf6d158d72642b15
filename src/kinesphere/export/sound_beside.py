"""Files next to an output, such as audio that its format cannot hold; notes on what is lost."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import numpy as np

from kinesphere.errors import KinesphereError
from kinesphere.formats.file_format import FACE, SOUND
from kinesphere.formats.files import write_atomically
from kinesphere.formats.registry import format_of, formats
from kinesphere.formats.wav import is_own_wav, write_wav
from kinesphere.motion.take import Audio, Take
from kinesphere.speech.audio import read_audio

SOUNDS = (".wav", ".flac", ".ogg", ".mp3")
"""Suffixes of audio that belongs to a file of the same name in the same folder."""
_VOICE = ".voice.wav"
# Audio is equal if it differs by no more than rounding to 16 bits and a conversion to mono.
_ALIKE = 2e-4


def is_silent(path: str | PathLike[str]) -> bool:
    """Whether a file with that suffix holds motion to audio, but not the audio."""
    found = format_of(path)
    if found is None:
        from kinesphere.gesture.script_text import SCRIPT_ENDINGS

        return Path(path).suffix.lower() in SCRIPT_ENDINGS
    return bool(found.writer) and SOUND not in found.carries


def sound_beside(path: str | PathLike[str]) -> Path | None:
    """The audio file of the same name in the same folder, or None."""
    names = [Path(path).with_suffix(ending) for ending in (_VOICE, *SOUNDS)]
    return next((name for name in names if name.is_file()), None)


def write_sound(audio: Audio | None, path: str | PathLike[str]) -> Path | None:
    """Write audio next to a file that cannot hold it; return its path, or None if not needed.

    It has the name of the file with the suffix .wav. An existing recording of that name is never
    overwritten: if it is the same audio it stays, else the audio goes to a file with .voice.wav.
    """
    if audio is None or not is_silent(path):
        return None
    target = Path(path).with_suffix(".wav")
    other = Path(path).with_suffix(_VOICE)
    if other.exists():
        target = other
    elif target.exists() and not is_own_wav(target):
        if _holds(target, audio):
            return target
        target = other
    with write_atomically(target) as file:
        write_wav(audio, file)
    return target


def _holds(path: Path, audio: Audio) -> bool:
    """Whether a file contains this audio, apart from silence at its end."""
    try:
        there = read_audio(path)
    except KinesphereError:
        return False
    if there.rate_hz != audio.rate_hz:
        return False
    count = max(len(there.samples), len(audio.samples))
    a, b = (np.pad(s, (0, count - len(s))) for s in (there.samples, audio.samples))
    return bool(np.max(np.abs(np.clip(a, -1, 1) - np.clip(b, -1, 1)), initial=0.0) <= _ALIKE)


def loss_messages(take: Take, path: str | PathLike[str]) -> tuple[str, ...]:
    """Messages on what of a take is lost in a file with that suffix."""
    found = format_of(path)
    if found is None or FACE in found.carries:
        return ()
    curves = [name for name, values in take.clip.channels.items() if np.ptp(values) > 0.0]
    if not curves:
        return ()
    others = " ".join(f.endings[0] for f in formats() if f.writer and FACE in f.carries)
    return (
        f"{path}: {found.name} holds no face: {len(curves)} curves are omitted, "
        f"such as {', '.join(sorted(curves)[:3])}; {others} hold them",
    )
