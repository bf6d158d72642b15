"""Texts of the command line: given as they are, or as the name of a file."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from kinesphere.errors import UnreadableError
from kinesphere.formats.files import read_text

_LARGEST_TEXT = 16 << 20


def text_or_file(text: str) -> str:
    """The text itself, or the content of the file of that name.

    Raises
    ------
    UnreadableError
        If it looks like a file name and there is none, or the file is not text.
    """
    given = text_or_path(text)
    if isinstance(given, str):
        return given
    return read_text(given, _LARGEST_TEXT)


def text_or_path(text: str) -> str | Path:
    """The text itself, or the file of that name.

    Raises
    ------
    UnreadableError
        If it looks like a file name and there is none.
    """
    path = Path(text)
    try:
        exists = path.is_file()
    except (OSError, ValueError):
        exists = False
    if exists:
        return path
    with suppress(OSError, ValueError):
        if text and path.is_dir():
            raise UnreadableError(text, "is a folder, expected a text or a text file")
    lone = len(text.split()) == 1
    ending = path.suffix[1:]
    if lone and 2 <= len(ending) <= 8 and ending.isalnum():
        raise UnreadableError(text, "the file does not exist")
    return text
