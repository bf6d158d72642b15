"""``tools/body_language/build.py``, which makes the model that comes with us."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.body_language import build


@pytest.mark.parametrize(("argument", "code"), [("--help", 0), ("--chekc", 2)])
def test_asking_for_help_makes_no_model(
    argument: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(build, "made", None)  # would fail if it began
    with pytest.raises(SystemExit) as ended:
        build.main([argument])
    assert ended.value.code == code
    assert not list(tmp_path.iterdir())
