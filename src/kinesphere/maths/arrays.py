"""Array types, and the helpers that every frozen value uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinesphere.errors import InvalidValueError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Sound = NDArray[np.float32] | NDArray[np.float64]
"""Samples of a sound. Single precision holds 24 bits, more than a voice or a recording has."""


def frozen_floats(values: ArrayLike, name: str, shape: tuple[int | None, ...]) -> Floats:
    """Return a read-only, contiguous float64 array after checking shape and finiteness.

    An array that is already read-only, contiguous and float64 is not copied.

    Parameters
    ----------
    values : anything numpy can turn into an array.
    name : used in error messages.
    shape : required shape; None stands for any length.

    Raises
    ------
    InvalidValueError
        If the shape differs or a value is NaN or infinite.
    """
    frozen: Floats = _freeze(values, np.ascontiguousarray(values, dtype=np.float64), name, shape)
    return frozen


def frozen_sound(values: ArrayLike, name: str) -> Sound:
    """Return samples ``[n]`` like `frozen_floats` does; those of single precision stay so."""
    kind = getattr(values, "dtype", None)
    chosen = np.float32 if kind == np.float32 else np.float64
    frozen: Sound = _freeze(values, np.ascontiguousarray(values, dtype=chosen), name, (None,))
    return frozen


def doubles(samples: Sound) -> Floats:
    """Samples in double precision, to calculate with; not copied if they are so already."""
    return np.asarray(samples, dtype=np.float64)


def _freeze(
    values: ArrayLike, array: NDArray[Any], name: str, shape: tuple[int | None, ...]
) -> Any:
    if len(shape) != array.ndim or any(
        want is not None and want != have for want, have in zip(shape, array.shape, strict=True)
    ):
        wanted = ", ".join("any" if n is None else str(n) for n in shape)
        raise InvalidValueError(f"{name} has shape {array.shape}, expected ({wanted})")
    for first, block in blocks(array):
        if not np.isfinite(block).all():
            where = np.argwhere(~np.isfinite(block))[0]
            where[:1] += first
            raise InvalidValueError(f"{name}{where.tolist()} is not finite")
    return read_only(array, copy=array is values and array.flags.writeable)


LARGEST_LENGTH_M = 1e9
"""Largest allowed length in metres; arithmetic overflows far beyond it."""


def frozen_lengths(values: ArrayLike, name: str, shape: tuple[int | None, ...]) -> Floats:
    """Like `frozen_floats`, for positions; values beyond `LARGEST_LENGTH_M` are an error."""
    array = frozen_floats(values, name, shape)
    for _, block in blocks(array):
        far = float(np.max(np.abs(block), initial=0.0))
        if far > LARGEST_LENGTH_M:
            raise InvalidValueError(f"{name} has {far:.3g} m, allowed is up to 1e9")
    return array


def blocks(array: NDArray[Any], values: int = 1 << 18) -> Iterator[tuple[int, NDArray[Any]]]:
    """Pieces of an array along its first axis, so that checks need little memory of their own."""
    if array.ndim == 0:
        yield 0, array
        return
    rows = max(1, values // max(1, array[:1].size))
    for first in range(0, len(array), rows):
        yield first, array[first : first + rows]


def read_only(array: NDArray[Any], *, copy: bool = False) -> Any:
    """Return `array` (or a copy) as read-only."""
    result = array.copy() if copy else array.view()
    result.flags.writeable = False
    return result
