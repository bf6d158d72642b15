"""Fixtures of the commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kinesphere.cli.main import status

Refused = Callable[[list[str]], str]


@pytest.fixture
def refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Refused:
    """Run a command in `tmp_path` that must end with status 2: its only line; no file is written."""
    monkeypatch.chdir(tmp_path)

    def run(arguments: list[str]) -> str:
        before = sorted(tmp_path.rglob("*"))
        capsys.readouterr()
        assert status(arguments) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        (line,) = printed.err.splitlines()
        assert line.startswith("kinesphere: ")
        assert sorted(tmp_path.rglob("*")) == before
        return line

    return run
