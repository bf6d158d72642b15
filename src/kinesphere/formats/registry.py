"""All file formats, by suffix.

To add a format: write one module (or sub-package) here, with a function that reads a file into a
`Take`, one that writes it, and ``FORMATS = (Format(...),)``. Nothing else names it.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from os import PathLike
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from kinesphere import formats as package
from kinesphere.errors import InvalidValueError, UnreadableError, UnwritableError
from kinesphere.formats.file_format import Format
from kinesphere.motion.take import Take


def formats() -> tuple[Format, ...]:
    """All formats that modules of this package declare, by the module's name."""
    return _discover(tuple(package.__path__))


@cache
def _discover(folders: tuple[str, ...]) -> tuple[Format, ...]:
    names = sorted(module.name for module in iter_modules(folders))
    modules = [import_module(f"{package.__name__}.{name}") for name in names]
    return tuple(each for module in modules for each in getattr(module, "FORMATS", ()))


def format_of(path: str | PathLike[str]) -> Format | None:
    """Format of a file by its suffix, or None."""
    ending = Path(path).suffix.lower()
    return next((f for f in formats() if ending in f.endings), None)


def endings(*, reading: bool) -> list[str]:
    """All suffixes that can be read, or written."""
    return [e for f in formats() if (f.reader if reading else f.writer) for e in f.endings]


def read_take(path: str | PathLike[str], **options: Any) -> Take:
    """Read motion from a file of any known format.

    Options that are None are ignored; one that the format does not have is an error.
    """
    found = format_of(path)
    if found is None or not found.reader:
        ending = Path(path).suffix or "nothing"
        readable = " ".join(endings(reading=True))
        raise UnreadableError(path, f"ends in {ending!r}; readable are {readable}")
    given = {k: v for k, v in options.items() if v is not None}
    wrong = sorted(set(given) - set(found.options))
    if wrong:
        allowed = ", ".join(found.options) or "none"
        raise InvalidValueError(
            f"{found.name} files have no option {wrong[0]!r}; allowed: {allowed}"
        )
    try:
        return found.read(path, **given)
    except InvalidValueError as error:
        raise UnreadableError(path, str(error)) from None


def write_take(take: Take, path: str | PathLike[str]) -> None:
    """Write a take in the motion format of the file's suffix, completely or not at all."""
    found = format_of(path)
    if found is None or not found.writer:
        raise UnwritableError(
            f"{path}: cannot write {Path(path).suffix or 'a file without suffix'!r}; writable are "
            f"{' '.join(endings(reading=False))}"
        )
    found.write(take, path)
