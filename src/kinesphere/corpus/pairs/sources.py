"""Files of a corpus, local or remote: listed by folder, fetched one at a time.

A location is a path, or a URL that fsspec understands (``s3://bucket/beat``, ``memory://x``,
``zip::corpus.zip``, ``simplecache::https://...``). fsspec is imported only for a URL; how it finds
its credentials is described in its own documentation.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import BinaryIO

from kinesphere.errors import KinesphereError, UnreadableError
from kinesphere.formats.files import LARGEST_FILE

_MOST_FILES = 2_000_000
_PIECE = 1 << 22
_CACHES = frozenset(("simplecache", "filecache", "blockcache", "cached"))
_PROTOCOL = re.compile(r"^[A-Za-z][A-Za-z0-9+.\-]+://")


@dataclass(frozen=True)
class CorpusFile:
    """A file of a corpus.

    Parameters
    ----------
    address : its path or URL, whole, as messages name it.
    path : relative to the location in which it was found, with its name, composed (NFC):
        some systems store "é" as two characters, and names are compared.
    place : the whole location; for a file that was given directly, its folder. Empty if unknown.
    """

    address: str
    path: PurePosixPath
    place: str = ""

    @property
    def ending(self) -> str:
        """Suffix of the name, in lower case, with its dot."""
        return self.path.suffix.lower()

    @property
    def stem(self) -> str:
        """Name without its suffix."""
        return self.path.stem

    @property
    def whole(self) -> PurePosixPath:
        """Path with its location."""
        return PurePosixPath(self.place) / self.path


def is_remote(address: str) -> bool:
    """Whether a location is for fsspec.

    >>> is_remote("s3://bucket/a"), is_remote("zip::a.zip"), is_remote("C:/a"), is_remote("a/b")
    (True, True, False, False)
    """
    return "::" in address or _PROTOCOL.match(address) is not None


def sources_of(location: str | PathLike[str]) -> list[CorpusFile]:
    """All files of a folder and the folders in it, in order of their paths; a file is itself.

    Hidden files and folders, and macOS's additions to archives, are skipped.

    Raises
    ------
    UnreadableError
        If there is no such location.
    KinesphereError
        If it is a URL and fsspec is not installed, or does not know its protocol.
    """
    address = fspath(location)
    found = _remote_sources(address) if is_remote(address) else _local_sources(address)
    if len(found) > _MOST_FILES:
        raise UnreadableError(address, f"holds over {_MOST_FILES} files")
    return sorted(found, key=lambda source: source.path.parts)


def _local_sources(address: str) -> list[CorpusFile]:
    root = Path(address)
    place = root.absolute()
    if root.is_file():
        return [_source(address, root.name, place.parent.as_posix())]
    if not root.is_dir():
        raise UnreadableError(address, "no such file or folder")
    found: list[CorpusFile] = []
    seen: set[str] = set()
    for folder, folders, names in os.walk(root, followlinks=True):
        real = os.path.realpath(folder)
        folders[:] = [] if real in seen else sorted(name for name in folders if _is_visible(name))
        if real in seen:  # a link to an ancestor folder
            continue
        seen.add(real)
        inner = Path(folder).relative_to(root)
        found += [
            _source(os.path.join(folder, n), (inner / n).as_posix(), place.as_posix())
            for n in names
            if _is_visible(n)
        ]
    return found


def _source(address: str, path: str, place: str) -> CorpusFile:
    inner = PurePosixPath(unicodedata.normalize("NFC", path))
    return CorpusFile(address, inner, unicodedata.normalize("NFC", place))


def _remote_sources(address: str) -> list[CorpusFile]:
    fsspec = _fsspec(address)
    with _explain(address):
        system, root = fsspec.core.url_to_fs(address)
        root = root.rstrip("/")
        if root and system.isfile(root):
            return [_source(address, PurePosixPath(root).name, "")]
        if root and not system.isdir(root):
            raise UnreadableError(address, "no such file or folder")
        paths = [str(path) for path in system.find(root)]
    found = []
    for path in paths:
        inner = PurePosixPath(path[len(root) :].lstrip("/") if path.startswith(root) else path)
        if inner.parts and all(_is_visible(part) for part in inner.parts):
            found.append(_source(_address_below(address, str(inner)), str(inner), address))
    return found


def _is_visible(name: str) -> bool:
    return not name.startswith(".") and name != "__MACOSX"


def _address_below(address: str, inner: str) -> str:
    """URL of a file in a folder: the first link of a chain that is not a cache has the path.

    >>> _address_below("zip://a::s3://b/c.zip", "d.bvh"), _address_below("zip::c.zip", "d.bvh")
    ('zip://a/d.bvh::s3://b/c.zip', 'zip://d.bvh::c.zip')
    >>> _address_below("simplecache::s3://b", "d.bvh")
    'simplecache::s3://b/d.bvh'
    """
    links = address.split("::")
    i = next((i for i, link in enumerate(links) if link not in _CACHES), len(links) - 1)
    link = links[i]
    if "://" not in link and i < len(links) - 1:
        link += "://"
    links[i] = link + inner if link.endswith("/") else f"{link}/{inner}"
    return "::".join(links)


@contextmanager
def local_copy(address: str) -> Iterator[Path]:
    """Local path of a file: its own, or that of a copy that is deleted afterwards.

    Errors about the copy are raised with the address instead of its path.

    Raises
    ------
    UnreadableError
        If it cannot be fetched or is larger than `LARGEST_FILE`.
    """
    if not is_remote(address):
        yield Path(address)
        return
    with tempfile.TemporaryDirectory(prefix="kinesphere-") as folder:
        name = PurePosixPath(address.split("::")[0].replace("\\", "/")).name
        if address.split("::")[0] in _CACHES:
            name = PurePosixPath(address.split("::")[1]).name
        copy = Path(folder) / (name or "file")
        _fetch(address, copy)
        try:
            yield copy
        except UnreadableError as error:
            if error.path == str(copy):
                raise UnreadableError(address, error.reason, error.place) from None
            raise


def _fetch(address: str, copy: Path) -> None:
    fsspec = _fsspec(address)
    with _explain(address), fsspec.open(address, "rb") as source, open(copy, "wb") as target:
        _copy(address, source, target)


def _copy(address: str, source: BinaryIO, target: BinaryIO) -> None:
    room = min(LARGEST_FILE, shutil.disk_usage(tempfile.gettempdir()).free)
    while piece := source.read(_PIECE):
        room -= len(piece)
        if room < 0:
            raise UnreadableError(address, "is too large to be stored on this machine")
        target.write(piece)


def _fsspec(address: str) -> ModuleType:
    try:
        return import_module("fsspec")
    except ImportError:
        raise KinesphereError(
            f"{address}: addresses of this kind need fsspec, which is not installed: "
            "pip install 'kinesphere[cluster]'"
        ) from None


@contextmanager
def _explain(address: str) -> Iterator[None]:
    """Any error of a file system of fsspec, as one line that names the address."""
    try:
        yield
    except KinesphereError:
        raise
    except FileNotFoundError:
        raise UnreadableError(address, "no such file or folder") from None
    except ImportError as error:
        raise UnreadableError(address, f"needs a package: {_line(error)}") from None
    except Exception as error:  # each file system has its own family of errors
        kind = type(error).__name__
        raise UnreadableError(address, f"cannot be read: {_line(error) or kind}") from None


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:120]
