"""Forward kinematics of BVH files against Blender's import of the same files.

The table was made by ``tools/blender_reference.py``; see ``make_files.py`` beside this file.
"""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinesphere.formats.bvh.bvh_reading import read_bvh
from tests.conftest import ROOT

HERE = Path(__file__).resolve().parent
TABLE: list[dict[str, Any]] = json.loads((HERE / "blender.json").read_text())


def test_the_table_is_about_the_files() -> None:
    assert {entry["file"] for entry in TABLE} == {path.name for path in HERE.glob("*.bvh")}
    assert all("error" not in entry for entry in TABLE)


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: str(entry["file"]))
def test_positions_agree_with_blender(entry: dict[str, Any]) -> None:
    # In metres a unit of 1 the clip has the file's own numbers.
    clip = read_bvh(HERE / entry["file"], unit="m", up="y").clip
    ours = clip.world_positions[entry["frames"]]
    theirs = np.array(entry["positions"])
    assert theirs.shape == ours.shape
    assert len(entry["frames"]) >= 5
    # Blender keeps single floats and snaps bones that point nearly straight down to exactly that.
    size = float(np.ptp(clip.skeleton.rest_world_positions, axis=0).max())
    assert np.abs(ours - theirs).max() < 2e-5 * size


def test_our_glb_moves_in_blender_as_here() -> None:
    """Every joint of the waving mannequin to a millimetre; the file itself is not stored."""
    entry = json.loads((HERE / "blender_glb.json").read_text())[0]
    clip = runpy.run_path(str(ROOT / "examples" / "01_wave.py"))["wave"]()
    assert len(entry["frames"]) == 6
    theirs = np.array(entry["positions"])
    for k, name in enumerate(entry["joints"]):
        ours = clip.joint_positions(name)[entry["frames"]]
        assert np.abs(ours - theirs[:, k]).max() < 0.001, name
    assert set(entry["joints"]) == set(clip.skeleton.names)
