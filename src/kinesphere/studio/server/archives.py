"""Untrusted archives: their declared unpacked size is checked first."""

from __future__ import annotations

import os
import zipfile
from pathlib import PurePath

from kinesphere.errors import UnreadableError

ARCHIVES = (".kin", ".kinp", ".npz")
MOST_UNPACKED = 256 << 20
"""Largest total size of the parts of a motion or speaker file, in bytes."""
_MOST_JSON = 16 << 20
_MOST_DIRECTORY = 1 << 20
_END, _END64_LOCATOR = b"PK\x05\x06", b"PK\x06\x07"
_LONGEST_END = 22 + 0xFFFF


def check_archive(path: str | os.PathLike[str], most: int = MOST_UNPACKED) -> None:
    """Reject an archive that unpacks to too much; a file of another kind is accepted.

    `zipfile` never reads a part beyond the size in the directory, so that size bounds the memory.

    Raises
    ------
    UnreadableError
        If its parts are too many or together too large.
    """
    if PurePath(path).suffix.lower() not in ARCHIVES:
        return
    try:
        _check_directory(path)
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError):
        return  # The reader of its format reports what is wrong with it.
    size = sum(part.file_size for part in parts)
    texts = sum(part.file_size for part in parts if part.filename.endswith(".json"))
    if size > most or texts > _MOST_JSON:
        raise UnreadableError(path, f"unpacks to {size >> 20} MB, allowed is {most >> 20} MB")


def _check_directory(path: str | os.PathLike[str]) -> None:
    """Reject a directory that would itself fill the memory."""
    with open(path, "rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - _LONGEST_END))
        tail = file.read()
    at = tail.find(_END)
    while at >= 0:
        size = int.from_bytes(tail[at + 12 : at + 16], "little")
        if size > _MOST_DIRECTORY or tail[max(at - 20, 0) : at].startswith(_END64_LOCATOR):
            raise UnreadableError(path, "is an archive with too many parts")
        at = tail.find(_END, at + 1)
