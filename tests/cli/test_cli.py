"""The command line: manners, help, speed of starting, bad input."""

from __future__ import annotations

import json
import os
import pkgutil
import resource
import subprocess
import sys
from pathlib import Path

import click
import numpy as np
import pytest

import kinesphere as ks
import kinesphere.cli
from kinesphere.cli.main import COMMANDS, status
from tests.conftest import ROOT, smooth_clip


@pytest.fixture
def walk(tmp_path: Path, rng: np.random.Generator) -> Path:
    path = tmp_path / "walk.bvh"
    ks.Take(smooth_clip(ks.default_skeleton(), rng, frames=90)).save(path)
    return path


def test_the_table_of_commands_fits_the_modules() -> None:
    shared = {"main", "options", "acting_options"}
    modules = {m.name for m in pkgutil.iter_modules(kinesphere.cli.__path__)} - shared
    assert modules == set(COMMANDS)
    for name, (module, line) in COMMANDS.items():
        command = __import__(module, fromlist=["command"]).command
        assert isinstance(command, click.Command)
        assert command.name == name
        assert (command.help or "").split("\n")[0] == line


@pytest.mark.timing
@pytest.mark.parametrize("arguments", [[], *[[c] for c in COMMANDS]])
def test_help_is_fast_and_has_examples(arguments: list[str]) -> None:
    best = 1e9
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, "-m", "kinesphere", *arguments, "--help"],
            capture_output=True,
            text=True,
            check=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        if best < 0.3:
            break
    assert "Examples:" in done.stdout
    assert best < 0.3


def test_convert(walk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["convert", str(walk), str(tmp_path / "a.glb")]) == 0
    printed = capsys.readouterr()
    assert "90 frames" in printed.out
    assert "note: unit cm" in printed.err
    assert status(["convert", str(walk), str(tmp_path / "b.bvh")]) == 0
    assert (tmp_path / "b.bvh").read_bytes() == walk.read_bytes()
    assert (
        status(
            [
                "convert",
                str(walk),
                str(tmp_path / "c.kin"),
                "--from",
                "0.5",
                "--to",
                "1",
                "--fps",
                "30",
                "--mirror",
            ]
        )
        == 0
    )
    clip = ks.load(tmp_path / "c.kin").clip
    assert (len(clip), clip.fps) == (16, 30.0)
    original = ks.load(walk).clip.joint_positions("leftHand")[30]
    assert clip.joint_positions("rightHand")[0] == pytest.approx(
        original * np.array([-1, 1, 1]), abs=1e-6
    )


def test_retarget(walk: Path, tmp_path: Path, rng: np.random.Generator) -> None:
    small = tmp_path / "child.bvh"
    ks.Take(smooth_clip(ks.default_skeleton().scale(0.7), rng, frames=1)).save(small)
    assert (
        status(["retarget", str(walk), "--character", str(small), "-o", str(tmp_path / "out.bvh")])
        == 0
    )
    clip = ks.load(tmp_path / "out.bvh").clip
    assert clip.skeleton.rest_world_positions[:, 1].max() == pytest.approx(0.7 * 1.6375, rel=1e-3)
    assert status(["retarget", str(walk), "-o", str(tmp_path / "d.glb")]) == 0
    assert (
        status(
            [
                "retarget",
                str(walk),
                "-o",
                str(tmp_path / "e.glb"),
                "--no-feet",
                "--no-hands",
                "--keep-calibration",
            ]
        )
        == 0
    )


def test_doctor(walk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["doctor"]) == 0
    out = capsys.readouterr().out
    assert f"kinesphere {ks.__version__}" in out
    assert "numpy" in out
    assert "extra 'bench'" in out
    assert status(["doctor", "--json", "--warm"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert len(answer["compiled"]["modules"]) >= 5
    assert status(["doctor", str(walk)]) == 0
    out = capsys.readouterr().out
    assert "leftHand" in out
    assert "body about 1.7" in out
    assert status(["doctor", str(walk), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["missing"] == []


BAD = {
    "wrong.bvh": b"this is not a BVH file",
    "empty.bvh": b"",
    "wrong.glb": b"\x89PNG\r\n\x1a\n" + bytes(200),
    "empty.glb": b"",
    "wrong.npz": b"PK\x03\x04 but not really",
    "empty.kin": b"",
    "wrong.kin": b"hello",
    "wrong.skm": b"hello",
    "wrong.vrm": b"hello",
    "unknown.xyz": b"hello",
}


@pytest.mark.parametrize("name", sorted([*BAD, "half.bvh", "half.glb", "half.kin", "missing.bvh"]))
@pytest.mark.parametrize("command", ["convert", "retarget", "character", "doctor"])
def test_bad_files_give_one_line_and_nothing_written(
    name: str, command: str, walk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    if name.startswith("half"):
        whole = tmp_path / f"whole{path.suffix}"
        ks.load(walk).save(whole)
        path.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
        whole.unlink()
    elif name in BAD:
        path.write_bytes(BAD[name])
    out = tmp_path / "out.glb"
    arguments = {
        "convert": ["convert", str(path), str(out)],
        "retarget": ["retarget", str(path), "-o", str(out)],
        "character": ["retarget", str(walk), "--character", str(path), "-o", str(out)],
        "doctor": ["doctor", str(path)],
    }[command]
    before = sorted(p.name for p in tmp_path.iterdir())
    assert status(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    lines = printed.err.strip().split("\n")
    assert len(lines) == 1
    assert lines[0].startswith("kinesphere: ")
    assert name in lines[0]
    assert sorted(p.name for p in tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["frob"], "frob"),
        (["convert"], "IN"),
        (["convert", "a.bvh"], "OUT"),
        (["retarget", "{walk}"], "--output"),
        (["convert", "{walk}", "{tmp}/a.xyz"], ".bvh .glb .vrma .kin .html"),
        (["convert", "{walk}", "{tmp}/no/a.bvh"], "folder"),
        (["convert", "{walk}", "{tmp}/a.bvh", "--fps", "0"], "fps"),
        (["convert", "{walk}", "{tmp}/a.bvh", "--fps", "x"], "x"),
        (["convert", "{walk}", "{tmp}/a.bvh", "--from", "5", "--to", "1"], "before"),
        (["convert", "{walk}", "{tmp}/a.bvh", "--from", "99"], "before|lasts|frame"),
        (["convert", "{walk}", "{tmp}/a.bvh", "--unit", "ell"], "auto, m, cm"),
        (["convert", "{walk}", "{tmp}/a.bvh", "--up", "x"], "up"),
        (["convert", "{walk}", "{tmp}/a.bvh", "--animation", "x"], "animation"),
        (["--frob"], "frob"),
    ],
)
def test_bad_arguments_give_one_line(
    arguments: list[str], words: str, walk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import re

    filled = [a.format(walk=walk, tmp=tmp_path) for a in arguments]
    assert status(filled) == 2
    printed = capsys.readouterr()
    assert len(printed.err.strip().split("\n")) == 1
    assert re.search(words, printed.err)
    assert not list(tmp_path.glob("a.*"))


def test_a_character_without_a_body(
    walk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    snake = ks.Skeleton(
        tuple(f"s{i}" for i in range(20)), [-1, *range(19)], np.tile([0.0, 0, 0.1], (20, 1))
    )
    path = tmp_path / "snake.bvh"
    ks.Take(ks.Clip(snake, 30.0, np.zeros((1, 3)), np.tile([1.0, 0, 0, 0], (1, 20, 1)))).save(path)
    assert (
        status(["retarget", str(walk), "--character", str(path), "-o", str(tmp_path / "o.bvh")])
        == 2
    )
    assert "leftUpperArm" in capsys.readouterr().err


def test_the_program_really_exits_with_two() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "kinesphere", "convert", "no.bvh", "x.glb"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == "kinesphere: no.bvh: no such file\n"


def test_importing_the_package_is_cheap() -> None:
    code = (
        "import sys, kinesphere; print(any(m in sys.modules for m in ('numpy', 'numba', 'click')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_public_names_exist() -> None:
    for name in ks.__all__:
        assert getattr(ks, name) is not None
    assert dir(ks) == sorted(ks.__all__)
    with pytest.raises(AttributeError):
        ks.nothing  # noqa: B018


@pytest.mark.parametrize("example", sorted(p.name for p in (ROOT / "examples").glob("[0-9]*.py")))
def test_examples_run(example: str, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / example), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert str(tmp_path) in done.stdout
    assert list(tmp_path.iterdir())
