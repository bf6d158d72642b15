"""Extracts of a long corpus, spooled to disk: memory holds only the extract being counted.

    with Spool() as extracts:
        for recording in recordings:
            extracts.add(extract(...))
        trained = train(extracts)

One file per recording holds its arrays one after the other. Reading maps it, so that only pages
in use are loaded, and are released with the extract. Extracts of a few seconds stay in
memory, up to a limit: opening a file takes longer than counting them.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinesphere.bodylanguage.learn.extract import Extract
from kinesphere.errors import InvalidValueError, UnwritableError
from kinesphere.maths.arrays import Floats, Ints, read_only

_ALIGNED = 64
_SMALL = 1 << 17  # bytes: a dozen seconds
_MOST_HELD = 1 << 26


class _Place(NamedTuple):
    """Position of an array in a file."""

    offset: int
    kind: np.dtype[Any]
    shape: tuple[int, ...]


class _Kept(NamedTuple):
    """The part of an extract that stays in memory."""

    name: str
    speaker: str
    present: frozenset[str]
    times_s: Floats
    numbers: Ints
    syllables: int
    arrays: tuple[_Place, ...]


class Spool:
    """A sequence of extracts that is written once and read repeatedly.

    Parameters
    ----------
    folder : for the files; by default a temporary one, removed by `close`. Closing removes the
        files in either case.
    """

    def __init__(self, folder: str | PathLike[str] | None = None) -> None:
        self._own = None
        if folder is None:
            try:
                self._own = tempfile.TemporaryDirectory(prefix="kinesphere-")
            except OSError as error:
                raise _full(error) from None
            folder = self._own.name
        self._folder = Path(folder)
        self._kept: list[_Kept | Extract] = []
        self._held = 0
        self._closed = False

    def add(self, extract: Extract) -> None:
        """Append an extract.

        Raises
        ------
        UnwritableError
            If there is no space for it.
        """
        self._check_open()
        arrays: list[NDArray[Any]] = [
            extract.steps,
            extract.places,
            extract.energies,
            *extract.keys,
        ]
        size = sum(array.nbytes for array in arrays)
        if size <= _SMALL and self._held + size <= _MOST_HELD:
            self._held += size
            self._kept.append(_freeze(extract, arrays))
            return
        try:
            with self._path(len(self._kept)).open("wb") as file:
                places = [_append(file, array) for array in arrays]
        except OSError as error:
            raise _full(error) from None
        self._kept.append(
            _Kept(
                extract.name,
                extract.speaker,
                extract.present,
                extract.times_s,
                extract.numbers,
                extract.syllables,
                tuple(places),
            )
        )

    def __len__(self) -> int:
        return len(self._kept)

    def __getitem__(self, index: int, /) -> Extract:
        self._check_open()
        number = range(len(self._kept))[index]
        kept = self._kept[number]
        if isinstance(kept, Extract):
            return kept
        data = np.asarray(np.memmap(self._path(number), np.uint8, "r"))  # without its bookkeeping
        steps, places, energies, *keys = (_map(data, place) for place in kept.arrays)
        return Extract(
            kept.name,
            kept.speaker,
            kept.present,
            steps,
            places,
            energies,
            tuple(keys),
            kept.times_s,
            kept.numbers,
            kept.syllables,
        )

    def close(self) -> None:
        """Remove the files; extracts still in use keep their pages where the system allows it."""
        if self._closed:
            return
        self._closed = True
        for number, kept in enumerate(self._kept):
            if not isinstance(kept, Extract):
                self._path(number).unlink(missing_ok=True)
        if self._own is not None:
            self._own.cleanup()

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:06d}.extract"

    def _check_open(self) -> None:
        if self._closed:
            raise InvalidValueError("the spool of extracts is closed")


def _freeze(extract: Extract, arrays: list[NDArray[Any]]) -> Extract:
    """Copy an extract so that its arrays are unshared and read-only."""
    steps, places, energies, *keys = (read_only(np.array(array, order="C")) for array in arrays)
    return replace(extract, steps=steps, places=places, energies=energies, keys=tuple(keys))


def _append(file: BinaryIO, array: NDArray[Any]) -> _Place:
    """Write an array at the next aligned position."""
    file.write(b"\0" * (-file.tell() % _ALIGNED))
    place = _Place(file.tell(), array.dtype, array.shape)
    file.write(np.ascontiguousarray(array).data.cast("B") if array.size else b"")
    return place


def _map(data: NDArray[np.uint8], place: _Place) -> NDArray[Any]:
    size = int(np.prod(place.shape)) * place.kind.itemsize
    piece = data[place.offset : place.offset + size]
    return np.asarray(piece.view(place.kind).reshape(place.shape))


def _full(error: OSError) -> UnwritableError:
    reason = (error.strerror or str(error)).lower()
    return UnwritableError(f"extracts of the recordings cannot be spooled to disk: {reason}")
