"""``kinesphere express``: files in, files out, and one line for what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import kinesphere as ks
from kinesphere.cli.main import status
from tests.expression.test_recorded import sample_clip


@pytest.fixture(scope="module")
def motion(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("express") / "gesture.bvh"
    ks.save(ks.Take(sample_clip()[0]), file)
    return file


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: object) -> tuple[int, str, str]:
        code = status(["express", *map(str, arguments)])
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


def test_a_manner_and_a_page_beside_it(run: Run, motion: Path, tmp_path: Path) -> None:
    out, page = tmp_path / "proud.bvh", tmp_path / "page.html"
    code, _, report = run(motion, "-o", out, "--manner", "very proudly", "--compare", page)
    assert code == 0, report
    assert "goals" in report
    assert page.stat().st_size > 10_000
    assert "very proudly" in page.read_text(encoding="utf-8")
    before, after = ks.load(motion), ks.load(out)
    assert len(after.clip) == len(before.clip)
    assert after.clip.skeleton.names == before.clip.skeleton.names


def test_a_report_for_programs(run: Run, motion: Path, tmp_path: Path) -> None:
    out = tmp_path / "strong.kin"
    code, said, error = run(
        motion, "-o", out, "--effort", "weight=0.8", "--part", "right-arm", "--json"
    )
    assert code == 0, error
    report = json.loads(said.splitlines()[-1])
    assert set(report["arms"]) == {"right"}
    assert report["arms"]["right"]["error_rms_mm"] < 15
    assert ks.load(out).provenance["express"]["points"][0]["factors"] == {"weight": 0.8}


def test_a_phrase_file(run: Run, motion: Path, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(
        '[[point]]\nkey = 0\npart = "arms"\neffort = { flow = -0.5 }\n'
    )
    assert run(motion, "-o", tmp_path / "x.kin", "--phrase", tmp_path / "p.toml")[0] == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--effort", "wait=1"], "'wait' is unknown; allowed are space, weight, time, flow"),
        (["--effort", "weight=2"], "allowed is -1 to 1"),
        (["--effort", "weight=nan"], "expected NAME=NUMBER"),
        (["--shape", "reach"], "expected NAME=NUMBER"),
        (["--manner", "proudlyy"], "near it: "),
        (["--manner", " , "], "no manner"),
        (["--part", "leg", "--effort", "flow=1"], "allowed are left-arm"),
        (["--phrase", "none.toml"], "none.toml"),
        (["--compare", "page.png"], "writes .html"),
        (["--phrase", "x.toml", "--effort", "flow=1"], "not both"),
    ],
)
def test_one_line_for_what_is_wrong(
    run: Run, motion: Path, tmp_path: Path, options: list[str], words: str
) -> None:
    out = tmp_path / "out.kin"
    code, _, said = run(motion, "-o", out, *options)
    assert code == 2
    assert words in said
    assert len(said.strip().splitlines()) == 1
    assert not out.exists()


def test_nothing_asked_for_gives_the_motion_back(run: Run, motion: Path, tmp_path: Path) -> None:
    out = tmp_path / "same.bvh"
    assert run(motion, "-o", out)[0] == 0
    assert out.read_bytes() == motion.read_bytes()


def test_the_python_call_and_tables() -> None:
    clip, _ = sample_clip()
    table = {"time_s": [0.0, 2.0], "part": "arms", "weight": [0.0, 1.0]}
    assert len(ks.express(clip, phrase=table).clip) == len(clip)
    both = ks.express(clip, manner="angry", effort={"weight": 1.0}, part=["left-arm", "torso"])
    assert both.provenance["express"]["manner"] == "angry"
