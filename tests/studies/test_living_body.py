"""The command that compares speakers with people, and what it reads."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks import living_body
from benchmarks.studies import standing_speakers
from benchmarks.studies.body_features import NAMES
from benchmarks.studies.body_ranges import RangeShare, range_shares
from benchmarks.studies.separability import separability
from benchmarks.studies.standing_speakers import (
    CALM,
    STORIES,
    StandingSpeaker,
    default_people,
    frozen_below,
    on_default_figure,
    people_below,
    person_of,
    text_files,
    windows_of,
)

import kinesphere as ks
from kinesphere.errors import InvalidValueError
from tests.conftest import skip_without, smooth_clip


@pytest.fixture
def file(tmp_path: Path, rng: np.random.Generator) -> Path:
    """Twenty-one seconds of motion on the default figure."""
    path = tmp_path / "wandering.bvh"
    ks.Take(smooth_clip(ks.default_rig().skeleton, rng, frames=1260, size=0.2)).save(path)
    return path


@pytest.fixture
def no_recordings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("KINESPHERE_DATA", raising=False)
    monkeypatch.setattr(standing_speakers, "ROOT", tmp_path / "none" / "tree")


@pytest.mark.usefixtures("no_recordings")
def test_without_recordings_only_ranges_are_checked(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert living_body.main(["--ours", str(file)]) == 1
    said = capsys.readouterr().out
    assert "no recordings of people" in said
    assert "AUC" not in said
    assert "MISSED: takes: stance width, cm: 22 to 38 in 0 % of windows" in said
    assert "0 of 1 windows are those of a still speaker" in said


@pytest.mark.usefixtures("no_recordings")
def test_what_is_kept_passes(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def kept(features: np.ndarray) -> list[RangeShare]:
        return [replace(row, share=0.6) for row in range_shares(features)]

    monkeypatch.setattr(living_body, "range_shares", kept)
    assert living_body.main(["--ours", str(file)]) == 0
    assert "MISSED" not in capsys.readouterr().out


def test_people_of_a_folder_are_compared(
    file: Path, tmp_path: Path, rng: np.random.Generator, capsys: pytest.CaptureFixture[str]
) -> None:
    skeleton = ks.default_rig().skeleton
    for name in ("anna/a.bvh", "anna/b.bvh", "ben/a.bvh", "cleo_1.bvh", "cleo_2.bvh", "dora.bvh"):
        path = tmp_path / "people" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        ks.Take(smooth_clip(skeleton, rng, frames=900, size=0.3)).save(path)
    people = people_below(tmp_path / "people")
    assert {s.group for s in people} == {"anna", "ben", "cleo", "dora"}
    out = tmp_path / "found.json"
    arguments = ["--people", str(tmp_path / "people"), "--ours", str(file), "--json", str(out)]
    assert living_body.main([*arguments, "--keep", str(tmp_path / "kept")]) == 1
    said = capsys.readouterr().out
    assert "6 windows of 6 recordings of 4 persons" in said
    assert "half of the people against the other" in said
    found = json.loads(out.read_text(encoding="utf-8"))
    assert found["features"] == list(NAMES)
    assert len(found["people"]) == 6
    rows = ("all people", "calm speakers")
    assert set(found["takes"]["auc"]) == {*rows, *(f"{row}, by pairs" for row in rows)}
    assert (tmp_path / "kept" / "wandering.bvh").is_file()


def test_bad_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert living_body.main(["--people", str(tmp_path), "--texts", "1"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    with pytest.raises(InvalidValueError, match="11 texts, allowed is 1 to 10"):
        text_files(11, held_out=False)
    with pytest.raises(InvalidValueError, match="14 s"):
        windows_of([StandingSpeaker("short", "short", ks.idle(2.0))])


def test_held_out_texts_are_others() -> None:
    ours, others = (text_files(9, held_out=h) for h in (False, True))
    assert len({*ours, *others}) == 18


def test_recordings_of_one_person_are_one_group() -> None:
    files = [Path(name) for name in (*CALM, *STORIES)]
    assert [person_of(f) for f in files] == [
        "2_scott_0_1",
        "18",
        "26",
        "26",
        "27",
        "27",
        "28",
        "28",
    ]


def test_a_frozen_lower_body_is_told_apart(rng: np.random.Generator) -> None:
    skeleton = ks.default_rig().skeleton
    people = [
        StandingSpeaker(name, name, ks.Take(smooth_clip(skeleton, rng, frames=900, size=0.15)))
        for name in "abcde"
    ]
    frozen = [frozen_below(person) for person in people]
    found = separability(windows_of(people), windows_of(frozen))
    assert found["legs"] > 0.95
    assert found["arms"] < 0.8
    column = NAMES.index("pelvis turning speed")
    assert np.abs(windows_of(frozen).features[:, column]).max() < 1e-6


def test_takes_on_the_default_figure_stay_as_they_are(file: Path) -> None:
    take = ks.load(file)
    assert on_default_figure(take) is take
    assert windows_of([StandingSpeaker("a", "a", take)]).groups == ("a",)
    assert on_default_figure(replace(take, clip=scaled(take.clip))) is not take


def scaled(clip: ks.Clip) -> ks.Clip:
    """The motion of a child."""
    skeleton = replace(clip.skeleton, offsets=0.7 * clip.skeleton.offsets)
    return replace(clip, skeleton=skeleton, root_positions=0.7 * clip.root_positions)


def test_recorded_people(data: Path) -> None:
    people = default_people(data)
    if len(people) != len(CALM) + len(STORIES):
        skip_without("whole-body speech of BEAT2 and CMU")
    assert len({p.group for p in people}) == 5
    assert [p.calm for p in people] == [True] * 2 + [False] * 6
    assert [p.wrists for p in people] == [True] + [False] * 7
    found = windows_of(people)
    assert 15 <= len(found) <= 20
    frozen = windows_of([frozen_below(person) for person in people])
    assert separability(found, frozen)["legs"] > 0.95
