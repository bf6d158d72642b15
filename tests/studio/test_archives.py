"""Archives that explode are known by what they claim."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from kinesphere.errors import UnreadableError
from kinesphere.studio.server.archives import check_archive


def archive(parts: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in parts.items():
            made.writestr(name, data)
    return out.getvalue()


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("ending", [".kin", ".kinp", ".npz", ".NPZ"])
def test_the_parts_together_count(tmp_path: Path, ending: str) -> None:
    path = written(tmp_path / f"a{ending}", archive({"a": bytes(600), "b": bytes(500)}))
    check_archive(path, 1100)
    with pytest.raises(UnreadableError, match="unpacks to 0 MB, allowed is 0 MB"):
        check_archive(path, 1099)


def test_documents_have_a_bound_of_their_own(tmp_path: Path) -> None:
    path = written(tmp_path / "a.kin", archive({"x.json": bytes((16 << 20) + 1)}))
    with pytest.raises(UnreadableError, match="unpacks to 16 MB"):
        check_archive(path)


def test_a_directory_that_fills_the_memory_is_not_read(tmp_path: Path) -> None:
    whole = archive({"a": b"x"})
    end = whole.rindex(b"PK\x05\x06")
    large = whole[: end + 12] + struct.pack("<I", 2 << 20) + whole[end + 16 :]
    with pytest.raises(UnreadableError, match="too many parts"):
        check_archive(written(tmp_path / "a.kin", large))
    locator = whole[:end] + b"PK\x06\x07" + bytes(16) + whole[end:]
    with pytest.raises(UnreadableError, match="too many parts"):
        check_archive(written(tmp_path / "b.kin", locator))
    hidden = large + b"PK\x05\x06" + bytes(18)
    with pytest.raises(UnreadableError, match="too many parts"):
        check_archive(written(tmp_path / "c.kin", hidden))


def test_what_is_no_archive_is_left_to_its_reader(tmp_path: Path) -> None:
    for data in (b"", b"x", b"PK\x05\x06", bytes(100_000)):
        check_archive(written(tmp_path / "a.kin", data))
    check_archive(written(tmp_path / "a.bvh", archive({"a": bytes(5000)})), 10)
    check_archive(tmp_path / "not there.kin")


def test_numpys_own_archives_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez_compressed(path, poses=np.zeros((100, 165)), trans=np.zeros((100, 3)))
    check_archive(path)
