"""``kinesphere listen``: what it says of its input, and refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from kinesphere.cli.main import status
from kinesphere.pipeline.listen import listen


def hum(path: Path, seconds: float = 1.0) -> Path:
    t = np.arange(round(16_000 * seconds)) / 16_000
    soundfile.write(path, 0.3 * np.sin(880.0 * t) * np.sin(9.0 * t), 16_000)
    return path


def test_a_recording_that_is_cut_off_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = hum(tmp_path / "a.wav").read_bytes()
    cut = tmp_path / "cut.wav"
    cut.write_bytes(whole[: len(whole) // 2])
    assert status(["listen", str(cut), "-o", str(tmp_path / "a.kin")]) == 0
    assert capsys.readouterr().err == "note: the file is cut off: its end is missing\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no.wav"], "no.wav: no such file"),
        (["a.wav", "--seed", "9" * 30], "allowed is 0 to 9223372036854775807"),
        (["a.wav", "--style", "nobody"], "style 'nobody' is not known"),
        (["a.wav", "--parts", "arms"], "give --onto MOTION"),
        (["a.wav", "--onto", "b.bvh", "--parts", ","], "allowed are arms, head, torso, face"),
        (["a.wav", "--onto", "b.bvh", "--parts", "legs"], "allowed are arms, head, torso, face"),
    ],
)
def test_mistakes_are_one_line(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    hum(tmp_path / "a.wav")
    if "b.bvh" in arguments:
        assert status(["listen", "a.wav", "-o", "b.bvh"]) == 0
        capsys.readouterr()
    assert status(["listen", *arguments, "-o", "x.kin"]) == 2
    text = capsys.readouterr().err
    assert text.count("\n") == 1
    assert said in text
    assert not (tmp_path / "x.kin").exists()


def test_progress_is_told(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    listen(hum(tmp_path / "a.wav", 3.0), progress=lambda done, of: told.append((done, of)))
    assert told == sorted(set(told))
    assert told[-1] == (48_000, 48_000)
