"""What a module says about its file format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kinesphere.motion.take import Take

SOUND, FACE = "sound", "face"
Reader = Callable[..., "Take"]
Writer = Callable[["Take", str | PathLike[str]], None]


@dataclass(frozen=True)
class Format:
    """A file format, listed under `FORMATS` in its module.

    Parameters
    ----------
    name : for messages.
    endings : suffixes, lower case.
    reader, writer : functions ``(path, **options) -> Take`` and ``(take, path)``, or where they are
        (``package.module:function``, imported at first use); None where the format is not read, or
        not written.
    options : keyword arguments that the reader accepts.
    carries : what its files hold besides the motion of a skeleton.
    """

    name: str
    endings: tuple[str, ...]
    reader: Reader | str | None = None
    writer: Writer | str | None = None
    options: tuple[str, ...] = ()
    carries: tuple[str, ...] = ()

    def read(self, path: str | PathLike[str], **options: Any) -> Take:
        """Read a file; the format must have a reader."""
        take: Take = _function(self.reader)(path, **options)
        return take

    def write(self, take: Take, path: str | PathLike[str]) -> None:
        """Write a file; the format must have a writer."""
        _function(self.writer)(take, path)


def _function(named: Callable[..., Any] | str | None) -> Callable[..., Any]:
    assert named is not None
    return resolve_name(named) if isinstance(named, str) else named
