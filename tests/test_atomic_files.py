"""A file is replaced after success, and stays as it was after a failure."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinesphere.atomic_files import replace_file


def test_a_file_is_replaced_only_after_success(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")
    with pytest.raises(RuntimeError), replace_file(path) as file:
        file.write(b"half")
        raise RuntimeError
    assert path.read_bytes() == b"old"
    with replace_file(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert [p.name for p in tmp_path.iterdir()] == ["a.bin"]


def test_a_missing_folder_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), replace_file(tmp_path / "none" / "a.bin"):
        pass
