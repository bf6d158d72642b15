"""Models as files: our archive, JSON and npy arrays in a zip (``model.kin``), never pickle.

The library is stored as rotation vectors in steps of 0.25 milliradians, as differences from frame
to frame, low and high bytes separately, which deflate compresses best. Reading returns exactly the
rounded values that were written.
"""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable
from functools import partial
from os import PathLike
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinesphere.bodylanguage.model import BodyLanguageModel, Singles, StreamModel
from kinesphere.bodylanguage.streams import STREAMS, stream_of_joint
from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.formats.container import DOCUMENT, pack, plain, unpack
from kinesphere.formats.files import read_bytes, write_atomically
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import read_only

KIND, VERSION = "body-language", 1
LARGEST_MODEL = 1 << 28
MOST_FRAMES = 1_200_000
"""Largest library, in frames: eleven hours."""
_LARGEST_ARRAY = 1 << 29
_LARGEST_TABLES = 1 << 27  # total bytes of all tables except the library
STEP_RAD = 2.5e-4
STEP_M = 1e-4
_PARTS = ("transitions", "observations", "curves", "lengths_s", "segments", "speakers")
_WHOLE = ("segments", "speakers")
_LIBRARY = ("turns", "pelvis")
_MEMBERS = frozenset(
    f"arrays/{name}.npy"
    for name in (*_LIBRARY, *(f"{stream}_{part}" for stream in STREAMS for part in _PARTS))
)
_BLOCK = 4096


def quantise(
    turns: NDArray[Any], pelvis: NDArray[Any]
) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """Rotations ``[frames, joints, 4]`` and positions ``[frames, 3]`` in steps, ``[..., 3]``."""
    parts = [
        np.round(quaternion.log(turns[i : i + _BLOCK].astype(np.float64)) / STEP_RAD)
        for i in range(0, len(turns), _BLOCK)
    ]
    steps = np.concatenate(parts) if parts else np.zeros((0, turns.shape[1], 3))
    places = np.clip(np.round(pelvis / STEP_M), -32768, 32767)
    return steps.astype(np.int16), places.astype(np.int16)


def dequantise(steps: NDArray[np.int16], places: NDArray[np.int16]) -> tuple[Singles, Singles]:
    """The inverse of `quantise`, up to the rounding."""
    from kinesphere.bodylanguage.library_kernels import unpack

    turns = np.empty((*steps.shape[:2], 4), dtype=np.float32)
    unpack(np.ascontiguousarray(steps), STEP_RAD, turns)
    return read_only(turns), read_only((places * STEP_M).astype(np.float32))


def _pack_bytes(values: NDArray[np.int16]) -> NDArray[np.uint8]:
    """Differences along time, with low and high bytes separated."""
    flat = np.ascontiguousarray(values.reshape(len(values), -1).T)
    change = np.diff(flat, axis=1, prepend=np.zeros((len(flat), 1), dtype=np.int16))
    zigzag = ((change.astype(np.int32) << 1) ^ (change.astype(np.int32) >> 31)).astype(np.uint16)
    return np.stack([zigzag & 0xFF, zigzag >> 8]).astype(np.uint8)


def _unpack_bytes(stored: NDArray[np.uint8], shape: tuple[int, ...]) -> NDArray[np.int16]:
    """The inverse of `_pack_bytes`."""
    if stored.ndim != 3 or stored.shape[0] != 2 or stored.dtype != np.uint8:
        raise InvalidValueError(f"a packed array has shape {stored.shape}, expected (2, ., .)")
    flat = np.zeros(stored.shape[1:], dtype=np.int16)
    for row, low, high in zip(flat, *stored, strict=True):
        zigzag = low.astype(np.int32) | (high.astype(np.int32) << 8)
        np.cumsum(((zigzag >> 1) ^ -(zigzag & 1)).astype(np.int16), dtype=np.int16, out=row)
    return np.ascontiguousarray(flat.T).reshape(shape)


def model_bytes(model: BodyLanguageModel) -> bytes:
    """Return the bytes of a model's archive; the same model gives the same bytes."""
    moved = np.flatnonzero(stream_of_joint() >= 0)
    steps, places = quantise(model.turns[:, moved], model.pelvis)
    arrays: dict[str, NDArray[Any]] = {"turns": _pack_bytes(steps), "pelvis": _pack_bytes(places)}
    for name, stream in model.streams.items():
        for part in _PARTS:
            array = getattr(stream, part)
            arrays[f"{name}_{part}"] = array.astype(np.int32) if part in _WHOLE else array
    description = {
        "kind": KIND,
        "version": VERSION,
        "name": model.name,
        "speakers": list(model.speakers),
        "frames": len(model.turns),
        "joints": int(model.turns.shape[1]),
        "streams": {n: {"strengths": list(s.strengths)} for n, s in model.streams.items()},
        "provenance": plain(model.provenance),
    }
    return pack(description, arrays, "the provenance")


def write_model(model: BodyLanguageModel, path: str | PathLike[str]) -> None:
    """Write a model atomically."""
    data = model_bytes(model)
    with write_atomically(path) as file:
        file.write(data)


def read_model(path: str | PathLike[str]) -> BodyLanguageModel:
    """Read a model.

    Raises
    ------
    UnreadableError
        If the file is missing, not a complete model, or of a later version.

    Examples
    --------
    >>> from importlib.resources import files
    >>> import kinesphere as ks
    >>> path = files("kinesphere.bodylanguage") / "data" / "house.kin"  # or a file of your own
    >>> ks.read_model(path).speakers
    ('critic', 'host', 'neutral')
    """
    try:
        return parse_model(read_bytes(path, LARGEST_MODEL))
    except UnreadableError as error:
        raise error.at(path) from None


def parse_model(data: bytes) -> BodyLanguageModel:
    """Parse the bytes of a model's archive."""
    try:
        return unpack(data, KIND, VERSION, _LARGEST_ARRAY, partial(_model, data))
    except (ValueError, EOFError, OSError, OverflowError, struct.error, TokenError) as error:
        # Errors of zipfile for a damaged directory, such as undecodable names, and of numpy for a
        # damaged header.
        said = " ".join(str(error).split())[:60]
        raise UnreadableError(None, f"is not a complete archive: {said}") from None


def _check_members(data: bytes, frames: int, moved: int) -> None:
    """Reject unknown and too large parts before anything is unpacked."""
    room = {"arrays/turns.npy": 6 * moved * frames, "arrays/pelvis.npy": 6 * frames}
    seen: set[str] = set()
    tables = 0
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            name = info.filename
            if name in seen or name not in _MEMBERS | {DOCUMENT}:
                again = " twice" if name in seen else ", which no model has"
                raise UnreadableError(None, f"holds {name[:60]!r}{again}")
            seen.add(name)
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise UnreadableError(None, "has a compression that no model uses", name)
            if name == DOCUMENT:
                continue
            most = room[name] + 4096 if name in room else _LARGEST_TABLES - tables
            if info.file_size > most:
                reason = f"is {info.file_size} bytes long, allowed are {most}"
                raise UnreadableError(None, reason, name)
            tables += 0 if name in room else info.file_size


def _table(array: Callable[[str], NDArray[Any]], stream: str, part: str) -> NDArray[Any]:
    """One table of a stream, checked for the type that is written: smaller types would grow."""
    table = array(f"{stream}_{part}")
    wanted = np.dtype(np.int32 if part in _WHOLE else np.float64)
    if table.dtype != wanted:
        raise InvalidValueError(f"{stream}_{part} holds {table.dtype}, expected {wanted}")
    return table


def _model(
    data: bytes, description: dict[str, Any], array: Callable[[str], NDArray[Any]]
) -> BodyLanguageModel:
    try:
        frames, joints = int(description["frames"]), int(description["joints"])
        moved = np.flatnonzero(stream_of_joint() >= 0)
        if joints != len(stream_of_joint()) or not 0 < frames <= MOST_FRAMES:
            raise InvalidValueError(
                f"{frames} frames of {joints} joints are not of the default figure"
            )
        _check_members(data, frames, len(moved))
        steps = _unpack_bytes(array("turns"), (frames, len(moved), 3))
        places = _unpack_bytes(array("pelvis"), (frames, 3))
        some, pelvis = dequantise(steps, places)
        turns = np.zeros((frames, joints, 4), dtype=np.float32)
        turns[..., 0] = 1.0
        turns[:, moved] = some
        streams = {}
        for name in STREAMS:
            if name in description["streams"]:
                given = description["streams"][name]["strengths"]
                parts = {part: _table(array, name, part) for part in _PARTS}
                strengths = (float(given[0]), float(given[1]))
                streams[name] = StreamModel(strengths=strengths, **parts)
        return BodyLanguageModel(
            str(description["name"]),
            tuple(str(s) for s in description["speakers"]),
            streams,
            read_only(turns),
            pelvis,
            dict(description["provenance"]),
        )
    except UnreadableError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        said = " ".join(str(error).split())[:90]
        raise UnreadableError(None, f"is not a complete model: {said}") from None
