"""``kinesphere simulate``: files in, files out, and one line for what is wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.cli.main import status
from kinesphere.pipeline.simulate import simulate
from tests.cli.conftest import Refused
from tests.dynamics.test_simulation import both_arms, gestures


@pytest.fixture(scope="module")
def motion(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("simulate")
    clip, phases = gestures(("Cup",))
    clip = replace(clip, channels={"smile": np.linspace(0.0, 1.0, len(clip))})
    tiers = tuple(arm.tier() for arm in both_arms(phases).values())
    ks.save(ks.Take(clip, tiers=tiers), folder / "gesture.kin")
    return folder / "gesture.kin"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], {"tension": "natural", "timing": "lag", "mass_kg": 75.0}),
        (["--tension", "relaxed", "--paper"], {"timing": "paper", "advance_s": 0.12}),
        (["--tension", "0.7", "--mass", "110"], {"tension": "0.7", "mass_kg": 110.0}),
        (["--tension", "5mm,0.3", "--advance", "0.05"], {"stroke": [0.005, 0.3]}),
        (["--phases", "none", "--steady-head", "0"], {"phases": "none"}),
    ],
)
def test_it_works(
    motion: Path, tmp_path: Path, options: list[str], said: dict[str, object]
) -> None:
    out, page = tmp_path / "out.kin", tmp_path / "page.html"
    assert status(["simulate", str(motion), "-o", str(out), "--compare", str(page), *options]) == 0
    before, after = ks.load(motion), ks.load(out)
    assert len(after.clip) == len(before.clip)
    assert not np.allclose(after.clip.rotations, before.clip.rotations)
    assert np.allclose(after.clip.channels["smile"], before.clip.channels["smile"])
    assert page.exists()
    report = after.provenance["simulate"]
    assert {name: report[name] for name in said} == said
    if not options:
        same = simulate(before)
        assert np.allclose(same.clip.rotations, after.clip.rotations, atol=1e-6)


def test_another_file_and_phases_that_are_found(motion: Path, tmp_path: Path) -> None:
    bvh, out = tmp_path / "gesture.bvh", tmp_path / "out.bvh"
    ks.save(replace(ks.load(motion), tiers=()), bvh)
    assert status(["simulate", str(bvh), "-o", str(out)]) == 0
    assert len(ks.load(out).clip) == len(ks.load(bvh).clip)
    found = simulate(ks.load(bvh))
    assert {tier.name for tier in found.tiers} >= {"phases left", "phases right"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--tension", "limp"], "limp"),
        (["--tension", "nan"], "nan"),
        (["--mass", "2"], "10 to 300 kg"),
        (["--mass", "nan"], "10 to 300 kg"),
        (["--advance", "-1"], "0 to 1 s"),
        (["--steady-head", "3"], "0 to 1"),
        (["--phases", "mine"], "allowed are auto, take, none"),
    ],
)
def test_one_line_for_what_is_wrong(
    motion: Path, options: list[str], words: str, refused: Refused
) -> None:
    assert words in refused(["simulate", str(motion), "-o", "out.kin", *options])


def test_motion_that_no_body_can_follow(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clip = home_clip(60, 60.0)
    roots = clip.root_positions.copy()
    roots[30:] += [5.0, 0.0, 0.0]
    ks.save(ks.Take(replace(clip, root_positions=roots)), tmp_path / "jump.kin")
    out = tmp_path / "out.kin"
    assert status(["simulate", str(tmp_path / "jump.kin"), "-o", str(out)]) == 2
    said = capsys.readouterr().err
    assert "no body can follow this motion: the pelvis is" in said
    assert len(said.strip().splitlines()) == 1
    assert not out.exists()


STICK = """HIERARCHY
ROOT pole
{
OFFSET 0 0 0
CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
End Site
{
OFFSET 0 1 0
}
}
MOTION
Frames: 2
Frame Time: 0.05
0 0 0 0 0 0
0 0 0 0 0 0
"""


@pytest.mark.parametrize(
    ("command", "out", "said"),
    [
        ("simulate", "out.kin", "a physical body needs"),
        ("tense", "out.kin", "tension needs"),
        ("annotate", "out.eaf", "an annotation needs"),
    ],
)
def test_what_is_no_humanoid_is_said_so(
    command: str, out: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "stick.bvh").write_text(STICK, encoding="utf-8")
    assert status([command, str(tmp_path / "stick.bvh"), "-o", str(tmp_path / out)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{said} a joint for hips, leftUpperArm" in line
    assert not (tmp_path / out).exists()


def test_phases_of_the_take_are_asked_for(motion: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.kin"
    ks.save(replace(ks.load(motion), tiers=()), bare)
    arguments = ["simulate", str(bare), "-o", str(tmp_path / "o.kin"), "--phases", "take"]
    assert status(arguments) == 2
