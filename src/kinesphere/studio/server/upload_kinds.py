"""File types that may be uploaded, by suffix, and their largest sizes."""

from __future__ import annotations

from pathlib import PurePosixPath

from kinesphere.errors import InvalidValueError

_MB = 1 << 20
MOTION = (".bvh", ".glb", ".vrm", ".vrma", ".npz")
CHARACTERS = (".glb", ".vrm", ".bvh")
SOUND = (".wav", ".flac", ".mp3", ".ogg", ".m4a", ".webm")
ANNOTATIONS = (".eaf", ".anvil")
LARGEST: dict[str, int] = {
    **dict.fromkeys(MOTION, 256 * _MB),
    **dict.fromkeys(SOUND, 256 * _MB),
    **dict.fromkeys(ANNOTATIONS, 32 * _MB),
    ".textgrid": 32 * _MB,
    ".kin": 256 * _MB,
    ".kinp": 1024 * _MB,
}
"""Suffix to the largest size in bytes."""


def ending_of(name: str) -> str:
    """Suffix of a file name, if files of this type may be uploaded.

    Raises
    ------
    InvalidValueError
        If not; the message lists the allowed suffixes.

    >>> ending_of("../../My Take.BVH")
    '.bvh'
    """
    ending = PurePosixPath(name.replace("\\", "/")).suffix.lower()
    if ending not in LARGEST:
        allowed = " ".join(LARGEST)
        raise InvalidValueError(
            f"{shown_name(name)}: files of this type cannot be read; allowed are {allowed}"
        )
    return ending


def shown_name(name: str) -> str:
    r"""A file name safe to display: its last part, without control characters.

    >>> shown_name("../a/b\x00.wav")
    'b.wav'
    """
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(c for c in last if c.isprintable())[:120] or "a file"
