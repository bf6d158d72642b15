"""What all .kin archives share: arrays come back, and what is damaged is said to be so."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kinesphere.errors import UnreadableError
from kinesphere.formats.container import pack, unpack
from kinesphere.formats.npy import npy_bytes
from kinesphere.formats.smplx import read_npz

ARRAYS = {"turns": np.arange(6.0).reshape(2, 3), "zähler": np.arange(4)}
DATA = pack({"kind": "test", "version": 1}, ARRAYS, "a test")


def stored(data: bytes = DATA, **members: bytes) -> bytes:
    """The same members, some of them replaced, not compressed: every byte can be damaged."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            plain = name.removeprefix("arrays/").removesuffix(".npy")
            new.writestr(name, members.get(plain, old.read(name)))
    return out.getvalue()


def read(data: bytes) -> dict[str, NDArray[Any]]:
    return unpack(data, "test", 1, 10**6, lambda _, array: {n: array(n) for n in ARRAYS})


STORED = stored()


@pytest.mark.parametrize("data", [DATA, STORED])
def test_arrays_come_back(data: bytes) -> None:
    found = read(data)
    for name, array in ARRAYS.items():
        assert np.array_equal(found[name], array)
        assert found[name].dtype == array.dtype


def test_a_name_that_is_no_text() -> None:
    name = "zähler".encode()
    with pytest.raises(UnreadableError, match="not a complete archive"):
        read(STORED.replace(name, b"z\xff\xffhler"))
    # In the member's own header alone, which is read when the member is.
    with pytest.raises(UnreadableError, match="damaged"):
        read(STORED.replace(name, b"z\xff\xffhler", 1))


@pytest.mark.parametrize(
    "header",
    [
        b"{'descr': '<f8', 'shape': (2, 3",
        b"{'descr': '''<f8",
        b"  1\n 2\n",
        b"\xff(",
        b"{'a':" * 999,
    ],
)
def test_a_header_that_is_no_python(header: bytes, tmp_path: Path) -> None:
    broken = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
    with pytest.raises(UnreadableError, match=r"turns\.npy: is damaged") as caught:
        read(stored(turns=broken))
    assert "\n" not in str(caught.value)
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as zipped:
        zipped.writestr("poses.npy", broken)
    with pytest.raises(UnreadableError, match=r"poses\.npy: is damaged"):
        read_npz(tmp_path / "a.npz")


def test_values_that_have_no_size() -> None:
    header = npy_bytes(np.zeros(2)).replace(b"'<f8'", b"'<V0'")
    with pytest.raises(UnreadableError, match="without a size"):
        read(stored(turns=header))


@given(st.lists(st.tuples(st.integers(0, len(STORED) - 1), st.integers(0, 255)), max_size=3))
def test_damage_is_refused_or_harmless(damage: list[tuple[int, int]]) -> None:
    data = bytearray(STORED)
    for at, byte in damage:
        data[at] = byte
    try:
        read(bytes(data))
    except UnreadableError as error:
        assert "\n" not in str(error)
