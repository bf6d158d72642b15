"""Base of our own archives (.kin): a zip of one JSON document and npy arrays, never pickle.

The document has the kind and version of the archive; sizes are checked before memory is
allocated, and the same values give the same bytes.
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import IO, Any, TypeVar

from numpy.typing import NDArray

from kinesphere.errors import UnreadableError, UnwritableError
from kinesphere.formats.npy import ArrayBlocks, read_npy, write_npy

DOCUMENT = "kinesphere.json"
_LARGEST_JSON = 64 << 20
_EPOCH = (1980, 1, 1, 0, 0, 0)
_CHUNKS = 20_000
T = TypeVar("T")
Arrays = Mapping[str, NDArray[Any] | ArrayBlocks]


def plain(value: Any) -> Any:
    """Mappings and sequences as the dicts and lists that JSON has."""
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


def pack(description: Mapping[str, Any], arrays: Arrays, what: str) -> bytes:
    """The bytes of an archive; see `write_container`."""
    out = io.BytesIO()
    write_container(description, arrays, what, out)
    return out.getvalue()


def write_container(
    description: Mapping[str, Any], arrays: Arrays, what: str, file: IO[bytes]
) -> None:
    """Write an archive into an open file, arrays in chunks.

    `what` names the content in the error message for values that are not plain JSON.
    """
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        info = zipfile.ZipInfo(DOCUMENT, _EPOCH)
        info.compress_type = zipfile.ZIP_DEFLATED
        with archive.open(info, "w") as member:
            for piece in _json_pieces(description, what):
                member.write(piece)
        for name, array in arrays.items():
            info = zipfile.ZipInfo(f"arrays/{name}.npy", _EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.file_size = array.nbytes  # approximate: decides whether it needs the large format
            with archive.open(info, "w") as member:
                write_npy(array, member)


def _json_pieces(value: Mapping[str, Any], what: str) -> Iterator[bytes]:
    """JSON a few thousand values at a time: of an hour it would be large in one."""
    encoder = json.JSONEncoder(indent=1, sort_keys=True, allow_nan=False)
    try:
        chunks = encoder.iterencode(value)
        while piece := "".join(islice(chunks, _CHUNKS)):
            yield piece.encode("utf-8")
    except (TypeError, ValueError) as error:
        raise UnwritableError(f"{what} is not plain JSON: {error}") from None


def unpack(
    data: bytes,
    kind: str,
    version: int,
    largest_array: int,
    build: Callable[[dict[str, Any], Callable[[str], NDArray[Any]]], T],
) -> T:
    """Open an archive; `build` makes a value from its document and its arrays by name.

    Raises
    ------
    UnreadableError
        If it is no complete archive of that kind, of a later version, or lacks an array.
    """
    try:
        with _open(data) as archive:
            description = _description(archive, kind, version)
            members = {i.filename: i for i in archive.infolist()}

            def array(name: str) -> NDArray[Any]:
                info = members.get(f"arrays/{name}.npy")
                if info is None:
                    raise UnreadableError(None, "is missing", f"arrays/{name}.npy")
                return read_npy(archive, info, largest_array)

            return build(description, array)
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise _damage_error(error) from None


def _open(data: bytes) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except (ValueError, EOFError, OSError, OverflowError, struct.error) as error:
        # Names that are not text, negative positions, truncated extra fields.
        raise _damage_error(error) from None


def _damage_error(error: Exception) -> UnreadableError:
    said = " ".join(str(error).split())[:60]
    return UnreadableError(None, f"is not a complete archive: {said}")


def _description(archive: zipfile.ZipFile, wanted: str, latest: int) -> dict[str, Any]:
    try:
        info = archive.getinfo(DOCUMENT)
    except KeyError:
        raise UnreadableError(None, f"is not a Kinesphere archive: no {DOCUMENT}") from None
    if info.file_size > _LARGEST_JSON:
        raise UnreadableError(None, f"is {info.file_size} bytes long, too large", DOCUMENT)
    try:
        with archive.open(info) as member:
            description = json.loads(member.read(_LARGEST_JSON))
    except Exception as error:  # zlib and json each have their own
        raise UnreadableError(None, f"is damaged: {str(error)[:60]}", DOCUMENT) from None
    kind = description.get("kind") if isinstance(description, dict) else None
    if not isinstance(description, dict) or kind != wanted:
        reason = f"is an archive of kind {kind!r}, expected {wanted!r}"
        raise UnreadableError(None, reason, DOCUMENT)
    version = description.get("version")
    if not isinstance(version, int) or not 1 <= version <= latest:
        reason = f"has version {version!r}, this program reads 1 to {latest}"
        raise UnreadableError(None, reason, DOCUMENT)
    return description
