"""Pages of the papers' figures: the committed ones are what the command writes, and they are true."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.character.default import default_rig
from kinesphere.cli.main import status
from kinesphere.dynamics.tension import response
from kinesphere.dynamics.tension.presets import PRESETS
from kinesphere.errors import InvalidValueError
from kinesphere.pipeline.papers.tension_effects import EFFECTS, NO_EFFECT, PRINTED_TABLE, arrows
from kinesphere.pipeline.papers.tension_formulas import (
    measure_ramp,
    printed_error,
    printed_oscillations,
    printed_peak_error_m,
    printed_settling_time_s,
)
from kinesphere.pipeline.papers.tension_gesture import gesture_clip, gesture_of
from kinesphere.pipeline.papers.write_pages import papers
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("papers") / "docs"
    assert status(["papers", "-o", str(folder)]) == 0
    return folder


def test_the_committed_pages_are_what_the_command_writes(pages: Path) -> None:
    written = sorted(p.relative_to(pages) for p in pages.rglob("*") if p.is_file())
    assert len(written) == 7
    for path in written:
        assert (ROOT / "docs" / path).read_bytes() == (pages / path).read_bytes(), (
            f"docs/{path} is old: run 'kinesphere papers -o docs'"
        )


def test_a_page_shows_each_of_its_pictures(pages: Path) -> None:
    text = (pages / "tension-figures.md").read_text(encoding="utf-8")
    pictures = sorted((pages / "pictures").iterdir())
    for picture in pictures:
        assert f"(pictures/{picture.name})" in text
        ElementTree.parse(picture)
    assert text.count("](pictures/") == len(pictures)
    for name in PRESETS:
        assert f"| {name} | stroke |" in text
    assert "{" not in text.replace("```", "")
    assert "nan" not in text


def test_the_tracker_does_what_the_corrected_formulas_say_and_not_the_printed_ones() -> None:
    for error, zeta in ((0.05, 0.3), (0.005, 0.15), (0.15, 0.5)):
        seen = measure_ramp(error, zeta)
        assert seen.start_m == 0.0
        assert seen.peak_m == pytest.approx(float(response.peak_error_m(error, zeta)), rel=1e-3)
        assert seen.overshoot_m == pytest.approx(float(response.overshoot_m(error, zeta)), rel=2e-3)
        settles = float(response.settling_time_s(error, zeta))
        assert 0.6 * settles < seen.settled_s <= settles
        assert -1.2 < seen.swings - float(response.oscillations(zeta)) <= 0.0
        lag = float(response.lag_s(error, zeta))
        assert float(printed_error(np.zeros(()), error, zeta)) == pytest.approx(2.0 * lag)
        assert printed_peak_error_m(error, zeta) < 0.6 * seen.peak_m
        assert printed_settling_time_s(error, zeta) < 0.5 * seen.settled_s
        assert float(printed_oscillations(np.array(zeta))) < 0.0


def test_table_1_by_computation() -> None:
    found = {name: arrows(effect) for name, effect in EFFECTS.items()}
    for name, printed in PRINTED_TABLE.items():
        if name != "number of swings":
            assert found[name] == printed
    assert found["number of swings"] == ("↓", NO_EFFECT, NO_EFFECT)
    assert found["largest error on a ramp (eq 5)"][0] == "↑"
    assert arrows(lambda e, z, v: (z - 0.4) ** 2 + 1.0) == ("±", NO_EFFECT, NO_EFFECT)


def test_our_gesture_has_all_its_phases_and_tensions_differ() -> None:
    gesture = gesture_of(gesture_clip(), default_rig())
    kinds = [phase.kind for phase in gesture.phases]
    assert kinds == ["rest", "preparation", "stroke", "hold", "retraction", "rest"]
    assert gesture.stroke.end_s == pytest.approx(1.5, abs=0.05)
    held = (gesture.times > gesture.stroke.end_s) & (gesture.times < gesture.hold_end_s)

    def swings(name: str) -> int:
        speed = np.diff(gesture.along(gesture.track_wrists(PRESETS[name]))[held])
        return int(np.sum(np.diff(np.sign(speed)) != 0))

    def past(name: str) -> float:
        return float(gesture.along(gesture.track_wrists(PRESETS[name]))[held].max())

    assert past("loose") > past("relaxed") > past("tense") > past("neutral") > 0.0
    assert swings("trembling") > swings("tense") > swings("loose")
    last = gesture.track_wrists(PRESETS["trembling"])[-1]
    assert np.abs(last - gesture.wrists[-1]).max() < 1e-3


def test_a_clip_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "talk.bvh"
    ks.Take(gesture_clip()).save(path)
    out = tmp_path / "pages"
    assert status(["papers", "-o", str(out), "--only", "tension", "--clip", str(path)]) == 0
    assert "tension-clip.svg" in capsys.readouterr().out
    text = (out / "tension-figures.md").read_text(encoding="utf-8")
    assert "## Your clip" in text
    assert "of the right hand" in text
    ElementTree.parse(out / "pictures" / "tension-clip.svg")


def test_a_recording(data: Path, tmp_path: Path) -> None:
    for name in ("beat2", "cmu"):
        files = sorted(p for p in (data / name).rglob("*") if p.suffix in (".bvh", ".npz"))
        if files:
            papers(tmp_path / name, ["tension"], ks.load(files[0]))
            ElementTree.parse(tmp_path / name / "pictures" / "tension-clip.svg")


@pytest.mark.parametrize("end", [345, 362, 400])
def test_a_clip_that_ends_with_its_stroke(end: int, tmp_path: Path) -> None:
    papers(tmp_path, take=ks.Take(gesture_clip().frames(0, end)))
    ElementTree.parse(tmp_path / "pictures" / "tension-clip.svg")


def test_a_clip_without_a_gesture_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError, match="no hand makes a stroke"):
        papers(tmp_path / "new", take=ks.Take(home_clip(120, 60.0)))
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-o", "{tmp}/new", "--only", "nothing"], "'nothing' is unknown; allowed are tension"),
        (["-o", "{tmp}/new", "--clip", "{tmp}/no.bvh"], "no such file"),
        (["-o", "{tmp}/file"], "cannot write here"),
        (["-o", "{tmp}/file/below"], "cannot write here"),
        ([], "--output"),
    ],
)
def test_bad_arguments_give_one_line_and_nothing_written(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way")
    assert status(["papers", *(a.format(tmp=tmp_path) for a in arguments)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.strip().split("\n")) == 1
    assert printed.err.startswith("kinesphere: ")
    assert words in printed.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file"]
