"""Writing pictures as PNG, with nothing but zlib."""

from __future__ import annotations

import struct
import zlib
from os import PathLike

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.formats.files import write_atomically
from kinesphere.maths.arrays import Bytes

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_EIGHT_BIT_RGB = (8, 2, 0, 0, 0)  # depth, colour type, deflate, adaptive filters, no interlace
_BYTES_PER_PIXEL = 3


def write_png(image: ArrayLike, path: str | PathLike[str]) -> None:
    """Write a picture ``[height, width, 3]`` of bytes, sRGB, atomically."""
    data = png_bytes(image)
    with write_atomically(path) as file:
        file.write(data)


def png_bytes(image: ArrayLike) -> bytes:
    """Return the PNG file of a picture ``[height, width, 3]`` of bytes."""
    pixels = np.asarray(image)
    if pixels.ndim != 3 or pixels.shape[2] != 3 or 0 in pixels.shape or pixels.dtype != np.uint8:
        raise InvalidValueError(
            f"the picture has shape {pixels.shape} of {pixels.dtype}, expected (height, width, 3) "
            "of uint8"
        )
    height, width = pixels.shape[:2]
    rows = _filter_rows(np.ascontiguousarray(pixels).reshape(height, width * _BYTES_PER_PIXEL))
    return b"".join(
        [
            _SIGNATURE,
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, *_EIGHT_BIT_RGB)),
            _chunk(b"sRGB", b"\x00"),
            _chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)),
            _chunk(b"IEND", b""),
        ]
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _filter_rows(rows: Bytes) -> Bytes:
    """Rows with their filter byte in front: of none, left, above the one with least change.

    The measure is the one the PNG specification suggests (12.8): the sum of the differences, taken
    as signed bytes.
    """
    left, above = np.zeros_like(rows), np.zeros_like(rows)
    left[:, _BYTES_PER_PIXEL:] = rows[:, :-_BYTES_PER_PIXEL]
    above[1:] = rows[:-1]
    choices = np.stack([rows, rows - left, rows - above])
    change = np.abs(choices.view(np.int8).astype(np.int16)).sum(axis=2, dtype=np.int64)
    best = np.argmin(change, axis=0)
    out = np.empty((len(rows), rows.shape[1] + 1), np.uint8)
    out[:, 0] = best
    out[:, 1:] = choices[best, np.arange(len(rows))]
    return out
