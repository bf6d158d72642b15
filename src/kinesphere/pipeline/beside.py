"""What belongs beside a file: the sound that its format cannot hold, and what is lost in it."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import numpy as np

from kinesphere.errors import KinesphereError
from kinesphere.formats.files import written_whole
from kinesphere.formats.registry import FACE, FORMATS, SOUND, format_of
from kinesphere.formats.wav import is_own_wav, write_wav
from kinesphere.motion.take import Audio, Take
from kinesphere.speech.audio import read_audio

SOUNDS = (".wav", ".flac", ".ogg", ".mp3")
"""Endings of a sound that belongs to a file of the same name beside it."""
_SCRIPTS = (".script", ".txt")
_VOICE = ".voice.wav"
# Two sounds are one if they differ by no more than 16 bits and a conversion to mono do.
_ALIKE = 2e-4


def is_silent(path: str | PathLike[str]) -> bool:
    """Whether a file of that ending holds what moves to a sound, but not the sound."""
    found = format_of(path)
    if found is None:
        return Path(path).suffix.lower() in _SCRIPTS
    return bool(found.writer) and SOUND not in found.carries


def sound_beside(path: str | PathLike[str]) -> Path | None:
    """The sound that lies beside a file and belongs to it, or None."""
    names = [Path(path).with_suffix(ending) for ending in (_VOICE, *SOUNDS)]
    return next((name for name in names if name.is_file()), None)


def write_sound(audio: Audio | None, path: str | PathLike[str]) -> Path | None:
    """Write a sound beside a file that cannot hold it; the file it is in, or None for none needed.

    It is called as the file, ending in .wav. A recording of that name is never written over: if it
    is this very sound it is left as it is, else the sound goes to a file ending in .voice.wav.
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
    with written_whole(target) as file:
        write_wav(audio, file)
    return target


def _holds(path: Path, audio: Audio) -> bool:
    """Whether a file is this sound, silence at its end apart."""
    try:
        there = read_audio(path)
    except KinesphereError:
        return False
    if there.rate_hz != audio.rate_hz:
        return False
    count = max(len(there.samples), len(audio.samples))
    a, b = (np.pad(s, (0, count - len(s))) for s in (there.samples, audio.samples))
    return bool(np.max(np.abs(np.clip(a, -1, 1) - np.clip(b, -1, 1)), initial=0.0) <= _ALIKE)


def lost_in(take: Take, path: str | PathLike[str]) -> tuple[str, ...]:
    """Sentences on what of a take a file of that ending cannot hold, and no file beside it does."""
    found = format_of(path)
    if found is None or FACE in found.carries:
        return ()
    curves = [name for name, values in take.clip.channels.items() if np.ptp(values) > 0.0]
    if not curves:
        return ()
    others = " ".join(f.endings[0] for f in FORMATS if f.writer and FACE in f.carries)
    return (
        f"{path}: {found.name} holds no face: {len(curves)} curves are left out, "
        f"such as {', '.join(sorted(curves)[:3])}; {others} hold them",
    )
