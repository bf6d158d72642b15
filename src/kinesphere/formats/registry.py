"""Registry of file formats by suffix; one entry per format.

To add a format: write its module in this package, with a function that reads a file into a `Take`
and one that writes it, and add a line to `FORMATS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

from kinesphere.errors import InvalidValueError, UnreadableError, UnwritableError
from kinesphere.motion.take import Take


@dataclass(frozen=True)
class Format:
    """A file format: suffixes, and its functions (``module:function``, or empty).

    `options` are the keyword arguments that the reader accepts; `carries` is what its files
    hold besides the motion of a skeleton.
    """

    name: str
    endings: tuple[str, ...]
    reader: str = ""
    writer: str = ""
    options: tuple[str, ...] = ()
    carries: tuple[str, ...] = ()


SOUND, FACE = "sound", "face"
_BVH, _GLTF = ("unit", "up", "partial"), ("unit", "animation", "fps")

FORMATS: tuple[Format, ...] = (
    Format("BVH", (".bvh",), "bvh.reading:read_bvh", "bvh.writing:write_bvh", _BVH),
    Format(
        "glTF binary", (".glb",), "gltf.reading:read_gltf", "gltf.writing:write_glb", _GLTF, (FACE,)
    ),
    Format("glTF, VRM", (".gltf", ".vrm"), "gltf.reading:read_gltf", "", _GLTF),
    Format(
        "VRM animation",
        (".vrma",),
        "gltf.reading:read_gltf",
        "gltf.vrma:write_vrma",
        _GLTF,
        (FACE,),
    ),
    Format("SMPL-X / AMASS", (".npz",), "smplx:read_npz"),
    Format("SmartBody motion", (".skm",), "smartbody:read_skm", "", ("skeleton",)),
    Format("SmartBody skeleton", (".sk",), "smartbody:read_sk"),
    Format(
        "Kinesphere take",
        (".kin",),
        "archive:read_archive",
        "archive:write_archive",
        (),
        (SOUND, FACE),
    ),
)


def _function(place: str) -> Callable[..., Any]:
    module, name = place.split(":")
    return getattr(import_module(f"kinesphere.formats.{module}"), name)  # type: ignore[no-any-return]


def format_of(path: str | PathLike[str]) -> Format | None:
    """Format of a file by its suffix, or None."""
    ending = Path(path).suffix.lower()
    return next((f for f in FORMATS if ending in f.endings), None)


def endings(*, reading: bool) -> list[str]:
    """All suffixes that can be read, or written."""
    return [e for f in FORMATS if (f.reader if reading else f.writer) for e in f.endings]


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
        take: Take = _function(found.reader)(path, **given)
    except InvalidValueError as error:
        raise UnreadableError(path, str(error)) from None
    return take


def write_take(take: Take, path: str | PathLike[str]) -> None:
    """Write a take in the motion format of the file's suffix, completely or not at all."""
    found = format_of(path)
    if found is None or not found.writer:
        raise UnwritableError(
            f"{path}: cannot write {Path(path).suffix or 'a file without suffix'!r}; writable are "
            f"{' '.join(endings(reading=False))}"
        )
    _function(found.writer)(take, path)
