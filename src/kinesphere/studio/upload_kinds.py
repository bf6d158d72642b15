"""What may be sent to the server, by the ending of its name, and how large."""

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
"""Ending to the most bytes."""


def ending_of(name: str) -> str:
    """Ending of a name, if files of its kind may be sent.

    Raises
    ------
    InvalidValueError
        If not; the message says what may be.

    >>> ending_of("../../My Take.BVH")
    '.bvh'
    """
    ending = PurePosixPath(name.replace("\\", "/")).suffix.lower()
    if ending not in LARGEST:
        allowed = " ".join(LARGEST)
        raise InvalidValueError(f"{shown_name(name)}: files of this kind are not understood; "
                                f"allowed are {allowed}")  # fmt: skip
    return ending


def shown_name(name: str) -> str:
    r"""A name as a person may read it: its last part, without anything that acts.

    >>> shown_name("../a/b\x00.wav")
    'b.wav'
    """
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(c for c in last if c.isprintable())[:120] or "a file"
