"""Arrays inside zip archives, with sizes checked before memory is allocated. Never pickle."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Iterable
from tokenize import TokenError
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from kinesphere.errors import UnreadableError


def read_npy(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, most_values: int, *, optional: bool = False
) -> NDArray[Any]:
    """Read one .npy member.

    An optional member that holds objects (which would need pickle) or nothing is returned empty.

    Raises
    ------
    UnreadableError
        If it claims more values than allowed or than the archive holds bytes for, holds objects,
        or is damaged.
    """
    name = info.filename
    try:
        with archive.open(info) as member:
            version = npy_format.read_magic(member)
            if version == (1, 0):
                header = npy_format.read_array_header_1_0(member)
            elif version == (2, 0):
                header = npy_format.read_array_header_2_0(member)
            else:
                raise UnreadableError(None, f"is npy version {version}, allowed are 1 and 2", name)
            shape, fortran, dtype = header
            if dtype.hasobject or dtype.itemsize == 0:
                if optional:
                    return np.zeros(0)
                what = "Python objects" if dtype.hasobject else "values without a size"
                raise UnreadableError(None, f"holds {what}, allowed are numbers", name)
            count = 1
            for n in shape:
                count *= int(n)
            size = count * dtype.itemsize
            if count > most_values or size > info.file_size or any(n < 0 for n in shape):
                raise UnreadableError(
                    None, f"claims shape {shape}, which {info.file_size} bytes cannot hold", name
                )
            data = member.read(size)
    except UnreadableError:
        raise
    except (
        ValueError,
        EOFError,
        OSError,
        zipfile.BadZipFile,
        SyntaxError,
        TokenError,
        NotImplementedError,
        RuntimeError,
        OverflowError,
    ) as error:
        raise UnreadableError(None, f"is damaged: {str(error)[:80]}", name) from None
    except Exception as error:
        if type(error).__module__.startswith(("zlib", "lzma", "_lzma", "bz2")):
            raise UnreadableError(None, f"is damaged: {str(error)[:80]}", name) from None
        raise
    if len(data) != size:
        raise UnreadableError(None, f"ends after {len(data)} of {size} bytes", name)
    array = np.frombuffer(data, dtype=dtype)
    return array.reshape(shape, order="F" if fortran else "C")


class ArrayBlocks(NamedTuple):
    """An array of doubles that comes in blocks along its first axis, to be written once."""

    shape: tuple[int, ...]
    blocks: Iterable[NDArray[np.float64]]

    @property
    def nbytes(self) -> int:
        """Size of all blocks."""
        return 8 * math.prod(self.shape)


def npy_bytes(array: NDArray[Any]) -> bytes:
    """An array as the bytes of a .npy file."""
    out = io.BytesIO()
    write_npy(array, out)
    return out.getvalue()


def write_npy(array: NDArray[Any] | ArrayBlocks, file: IO[bytes]) -> None:
    """Write an array as a .npy file, in chunks."""
    if isinstance(array, ArrayBlocks):
        about = {"descr": "<f8", "fortran_order": False, "shape": array.shape}
        npy_format.write_array_header_1_0(file, about)
        for block in array.blocks:
            file.write(np.ascontiguousarray(block, dtype="<f8").tobytes())
        return
    npy_format.write_array(file, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
