"""Commands that alter motion leave calibration poses in front of it out, all in the same way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.cli.main import status
from kinesphere.motion.clip import rest_clip
from kinesphere.motion.editing import concatenate
from tests.expression.test_recorded import sample_clip


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("tense", []),
        ("tense", ["--tension", "loose", "--inherit", "0.5"]),
        ("express", ["--effort", "weight=0.8"]),
        ("express", []),
        ("simulate", []),
    ],
)
def test_they_are_left_out(
    command: str, options: list[str], count: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    motion, _ = sample_clip()
    clip = concatenate([rest_clip(motion.skeleton, count, motion.fps), motion])
    results = {}
    for name, source in (("plain", motion), ("led", clip)):
        ks.save(ks.Take(source), tmp_path / f"{name}.kin")
        out = tmp_path / f"{name}_out.kin"
        assert status([command, str(tmp_path / f"{name}.kin"), "-o", str(out), *options]) == 0
        results[name] = ks.load(out).clip
    assert len(results["led"]) == len(motion)
    assert np.abs(results["led"].rotations - results["plain"].rotations).max() < 1e-6
    said = capsys.readouterr().err
    expected = {1: "first frame is a calibration pose", 2: "first 2 frames are calibration poses"}
    assert f"{expected[count]}; removed" in said
