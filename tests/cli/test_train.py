"""``kinesphere train`` and ``kinesphere models``: what they write, say, and refuse."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinesphere.pipeline.train
from kinesphere.bodylanguage.model_file import model_bytes, read_model
from kinesphere.cli.main import status
from kinesphere.corpus.pairs.pairs import find_pairs
from kinesphere.motion.take import Audio
from tests.cli.conftest import Refused
from tests.pipeline.talking import corpus, talking, trained, write_pair


def test_train_writes_a_model_and_a_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, page = tmp_path / "small.kin", tmp_path / "small.html"
    arguments = ["train", str(corpus()), "-o", str(out), "--licence", "CC0", "--report", str(page)]
    assert status(arguments) == 0
    said = capsys.readouterr()
    assert f"{out}: small, 2.0 minutes of 1 speaker: head " in said.out
    assert said.out.splitlines()[-1] == str(page)
    assert said.err == "note: 1 motion file has no audio; 'train --check' lists it\n"
    assert out.read_bytes() == model_bytes(trained().model)
    assert "body-language model" in page.read_text(encoding="utf-8")


def test_options_reach_the_training(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "m.kin"
    options = [
        "--name",
        "Ann",
        "--clusters",
        "4, 5,3",
        "--library",
        "1",
        "--seed",
        "7",
        "--offset",
        "0.5",
        "--workers",
        "1",
        "--unit",
        "cm",
    ]
    assert status(["train", str(corpus()), "-o", str(out), *options]) == 0
    model = read_model(out)
    assert (model.name, model.speakers) == ("Ann", ("Ann",))
    assert [len(s) for s in model.streams.values()] == [4, 5, 3]
    assert model.duration_s < 90.0
    about = model.provenance
    assert (about["seed"], about["reading"]["offset"], about["reading"]["unit"]) == (7, 0.5, "cm")


def test_check_lists_and_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["train", str(corpus()), "--check"]) == 0
    said = capsys.readouterr().out
    assert "pairs: 4, 4 readable, 2.0 minutes" in said
    assert "alone.bvh" in said
    told: list[tuple[int, int]] = []
    find_pairs(corpus()).report(progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize(
    ("files", "said", "listed"),
    [
        ({}, "found 0 motion files and 0 sound files", ""),
        ({"z.zip": b"PK"}, "z.zip is an archive, give it as zip::", ""),
        ({"a.bvh": b"", "b.wav": b""}, "found 1 motion file and 1 sound file (", "a.bvh"),
        ({"a.bvh": b"", "a.wav": b""}, "the only pair cannot be read: ", "cannot be read: 1"),
        (
            dict.fromkeys(("a.bvh", "a.wav", "b.bvh", "b.wav"), b""),
            "none of 2 pairs can be read; the first: ",
            "cannot be read: 2",
        ),
        (None, "no syllable is heard in 1 readable pair", "a: no syllable is heard"),
    ],
)
def test_check_of_what_is_no_use_fails(
    files: dict[str, bytes] | None,
    said: str,
    listed: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, data in (files or {}).items():
        (tmp_path / name).write_bytes(data)
    if files is None:
        write_pair(tmp_path, "a", replace(talking(3.0), audio=Audio(np.zeros(48_000), 16_000)))
    place = tmp_path / "z.zip" if files and "z.zip" in files else tmp_path
    assert status(["train", str(place), "--check"]) == 2
    told = capsys.readouterr()
    assert told.err.count("\n") == 1
    assert said in told.err
    assert listed in told.out if listed else told.out == ""


def test_what_the_search_had_to_decide_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for side in ("main-agent", "interloctr"):
        for ending in (".bvh", ".wav"):
            shutil.copy(corpus() / f"t0{ending}", tmp_path / f"trn_2023_v0_000_{side}{ending}")
    for name in ("x.bvh", "x.npz", "x.wav"):
        (tmp_path / name).write_bytes(b"")
    write_pair(tmp_path, "quiet", replace(talking(30.0), audio=Audio(np.zeros(480_000), 16_000)))
    out = str(tmp_path / "m.kin")
    assert status(["train", str(tmp_path), "-o", out, "--workers", "1", "--clusters", "4,5,3"]) == 0
    told = capsys.readouterr().err.splitlines()
    assert "note: 1 name fits several files (x); 'train --check' lists it" in told
    assert "note: in 1 of 3 recordings no syllable is found" in told
    assert any(line.startswith("note: GENEA's training set has each") for line in told)
    assert status(["train", str(tmp_path), "--check"]) == 0
    assert "note: GENEA's training set has each" in capsys.readouterr().out


def test_broken_pairs_stop_or_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "c"
    shutil.copytree(corpus(), folder)
    (folder / "t2.wav").write_bytes(b"no sound")
    out = tmp_path / "m.kin"
    assert status(["train", str(folder), "-o", str(out)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "t2.wav" in said
    assert not out.exists()
    assert status(["train", str(folder), "-o", str(out), "--skip-broken"]) == 0
    assert "problem: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{corpus}"], "give -o"),
        (["{corpus}", "-o", "m.bvh"], "expected .kin"),
        (["{corpus}", "-o", "{empty}"], "cannot write"),
        (["{corpus}", "-o", "{empty}/no/m.kin"], "its folder does not exist"),
        (["{corpus}", "-o", "m.kin", "--report", "m.txt"], "expected .html"),
        (["{corpus}", "-o", "m.kin", "--clusters", "20"], "three whole numbers"),
        (["{corpus}", "-o", "m.kin", "--clusters", "1,5,5"], "2 or more"),
        (["{corpus}", "-o", "m.kin", "--library", "0"], "--library is 0 minutes, allowed is 1/6"),
        (["{corpus}", "-o", "m.kin", "--seed", "-1"], "-1 is not in the range x>=0"),
        (["{corpus}", "-o", "m.kin", "--offset", "soon"], "allowed are auto or seconds"),
        (["{corpus}", "-o", "m.kin", "--workers", "0"], "workers is 0"),
        (["{corpus}", "-o", "m.kin", "--cluster", "somewhere"], "does not answer"),
        (["{empty}", "-o", "m.kin"], "no motion with speech"),
        (["{short}", "-o", "m.kin"], "5.0 s of motion with speech"),
        (["missing", "-o", "m.kin"], "missing"),
        ([__file__, "-o", "m.kin"], "no motion with speech"),
    ],
)
def test_mistakes_are_one_line(
    arguments: list[str], said: str, tmp_path: Path, refused: Refused
) -> None:
    (tmp_path / "empty").mkdir()
    if "{short}" in arguments:
        write_pair(tmp_path / "short", "a", talking(5.0))
    places = {"corpus": corpus(), "empty": tmp_path / "empty", "short": tmp_path / "short"}
    assert said in refused(["train", *(a.format(**places) for a in arguments)])


def test_no_bar_in_a_pipe_and_no_training_for_a_page_that_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kinesphere.pipeline.train, "find_pairs", None)  # would fail if it began
    wrong = str(tmp_path / "no" / "p.html")
    assert status(["train", "x", "-o", str(tmp_path / "m.kin"), "--report", wrong]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_one_gesture_alone_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    take = talking(40.0)
    frames = np.clip(np.arange(1200) - 600, 0, 30)  # stands, moves for a second, stands
    write_pair(tmp_path, "a", replace(take, clip=take.clip.select_frames(frames)))
    out = tmp_path / "m.kin"
    assert status(["train", str(tmp_path), "-o", str(out), "--workers", "1"]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("note: The arms: ")
    assert "of the segments are standing still; only" in line
    moves = int(line.split("only ")[1].split()[0])
    assert line.endswith("only 1 segment moves." if moves == 1 else f"only {moves} segments move.")


def test_models_lists_and_describes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.kin"
    file.write_bytes(model_bytes(trained().model))
    assert status(["models", str(file)]) == 0
    said = capsys.readouterr().out
    assert "small, learned from 2.0 minutes of small" in said
    assert "licence: CC0" in said
    assert status(["models", str(file), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["corpora"] == ["talk"]
    assert set(row["streams"]) == {"head", "arms", "lower"}
    assert status(["models"]) == 0
    assert capsys.readouterr().err == ""


def test_models_whose_provenance_is_anything(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = {"seconds": {"a": "b"}, "corpora": 5, "layouts": [3], "licence": "CC\n\x1b[2J0"}
    file = tmp_path / "m.kin"
    file.write_bytes(model_bytes(replace(trained().model, provenance=odd)))
    assert status(["models", str(file)]) == 0
    said = capsys.readouterr().out
    assert said.endswith("  licence: CC??[2J0\n")
    file.write_bytes(model_bytes(replace(trained().model, provenance={"seconds": 3})))
    assert status(["models", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["seconds"] == {}


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"", "is empty"), (b"no zip", "not a complete archive"), (None, "no such file")],
)
def test_models_of_wrong_files_are_one_line(
    data: bytes | None, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "m.kin"
    if data is not None:
        file.write_bytes(data)
    assert status(["models", str(file)]) == 2
    assert said in capsys.readouterr().err
    assert status(["models", "nobody"]) == 2
    assert "'nobody' is not known" in capsys.readouterr().err
