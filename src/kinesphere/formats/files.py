"""Reading whole files with clear errors, and writing them completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from kinesphere.atomic_files import replace_file
from kinesphere.errors import UnreadableError, UnwritableError

LARGEST_FILE = 4 << 30


def read_bytes(path: str | PathLike[str], largest: int = LARGEST_FILE) -> bytes:
    """Contents of a file; failures become an `UnreadableError`."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > largest:
                raise UnreadableError(
                    path, f"is {size >> 20} MB large, allowed is {largest >> 20} MB"
                )
            data = file.read(largest + 1)
    except OSError as error:
        raise UnreadableError(path, _reason(error)) from None
    if not data:
        raise UnreadableError(path, "is empty")
    return data


def read_text(path: str | PathLike[str], largest: int = LARGEST_FILE) -> str:
    """Contents of a UTF-8 file, with or without a byte order mark; see `read_bytes`."""
    data = read_bytes(path, largest)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError(path, f"byte {error.start} is not UTF-8 text") from None


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, IsADirectoryError):
        return "is a folder, expected a file"
    return (error.strerror or str(error)).lower()


@contextmanager
def write_atomically(path: str | PathLike[str]) -> Iterator[BinaryIO]:
    """Open a temporary file next to `path`, which replaces it only after success."""
    begun = False
    try:
        with replace_file(path) as file:
            begun = True
            yield file
    except OSError as error:
        where = "cannot write" if begun else "cannot write here"
        raise UnwritableError(f"{Path(path)}: {where}: {_reason(error)}") from None
