"""``kinesphere tense``: files in, files out, and one line for what is wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.cli.main import status
from tests.cli.conftest import Refused
from tests.expression.test_recorded import sample_clip


@pytest.fixture(scope="module")
def motion(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("tense") / "gesture.bvh"
    ks.save(ks.Take(sample_clip()[0]), file)
    return file


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--tension", "loose"],
        ["--tension", "0.7", "--inherit", "0.5"],
        ["--error", "5mm", "--zeta", "0.3", "--retraction", "1cm,0.4"],
        ["--tension", "relaxed", "--secondary", "1", "--phases", "none"],
    ],
)
def test_it_works(motion: Path, tmp_path: Path, options: list[str]) -> None:
    out, page = tmp_path / "out.kin", tmp_path / "page.html"
    assert status(["tense", str(motion), "-o", str(out), "--compare", str(page), *options]) == 0
    before, after = ks.load(motion), ks.load(out)
    assert len(after.clip) == len(before.clip)
    assert not np.allclose(after.clip.rotations, before.clip.rotations)
    assert page.exists()
    if "none" not in options:
        assert any(tier.name == "phases right" for tier in after.tiers)


def test_it_says_how_far_the_wrists_moved(
    motion: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.kin"
    assert status(["tense", str(motion), "-o", str(out), "--tension", "loose"]) == 0
    said = capsys.readouterr().err
    take = ks.load(out)
    hand = ks.default_rig().joint("rightHand")
    before = ks.load(motion).clip
    joint = before.skeleton.index(ks.default_rig().skeleton.names[hand])
    away = take.clip.world_positions[:, joint] - before.world_positions[:, joint]
    far = 1000.0 * np.linalg.norm(away, axis=1)
    report = take.provenance["tense"]["wrists"]["right"]
    assert report["max_mm"] == pytest.approx(far.max(), abs=0.1)
    line = f"right wrist: {report['mean_mm']:.0f} mm from the input, at most {far.max():.0f}"
    assert line in said


def test_a_curve_over_time(motion: Path, tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("time,tension\n0,-1\n1.5,0\n3,1\n")
    out = tmp_path / "out.kin"
    assert status(["tense", str(motion), "-o", str(out), "--curve", str(tmp_path / "c.csv")]) == 0
    same = ks.tense(ks.load(motion), curve={0.0: -1.0, 1.5: 0.0, 3.0: 1.0})
    assert np.allclose(same.clip.rotations, ks.load(out).clip.rotations)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--tension", "limp"], "limp"),
        (["--tension", "2"], "-1"),
        (["--tension", "nan"], "nan"),
        (["--error", "0mm", "--zeta", "0.3"], "rest error"),
        (["--error", "-1cm", "--zeta", "0.3"], "rest error"),
        (["--error", "5mm"], "are used together"),
        (["--error", "5mm", "--zeta", "0.3", "--tension", "loose"], "give --tension"),
        (["--phases", "mine"], "allowed are auto, take, none"),
        (["--inherit", "3"], "allowed is 0 to 1"),
        (["--secondary", "-1"], "allowed is 0 to 2"),
        (["--curve", "none.csv"], "none.csv"),
    ],
)
def test_one_line_for_what_is_wrong(
    motion: Path, options: list[str], words: str, refused: Refused
) -> None:
    assert words in refused(["tense", str(motion), "-o", "out.kin", *options])


def test_bad_curves(motion: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text, words in (
        ("0,x\n", "line 1"),
        ("1,0\n0,0\n", "ascend"),
        ("0,3\n", "-1"),
        ("", "at least"),
    ):
        (tmp_path / "c.csv").write_text(text)
        arguments = [
            "tense",
            str(motion),
            "-o",
            str(tmp_path / "o.kin"),
            "--curve",
            str(tmp_path / "c.csv"),
        ]
        assert status(arguments) == 2
        assert words in capsys.readouterr().err
