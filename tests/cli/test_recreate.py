"""``kinesphere recreate``: an annotated passage is done again."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.cli.main import status
from kinesphere.corpus.annotation.reading import write_annotation
from kinesphere.gesture.lexicon import lexicon
from kinesphere.gesture.script_text import read_script
from kinesphere.pipeline.speakers import shipped_annotation
from tests.cli.conftest import Refused

DATA = Path(__file__).parents[2] / "src" / "kinesphere" / "corpus" / "data"


START_S, END_S = 20.0, 36.0


@dataclass(frozen=True)
class Passage:
    who: str
    take: ks.Take
    script: Path


@pytest.fixture(scope="module", params=["critic", "host"])
def passage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Passage:
    who, folder = request.param, tmp_path_factory.mktemp("recreate")
    asked = ["recreate", str(DATA / f"{who}.eaf"), "--from", str(START_S), "--to", str(END_S)]
    out, script = folder / "a.kin", folder / "a.script"
    assert status([*asked, "-o", str(out), "--fps", "25", "--style", who]) == 0
    assert status([*asked, "-o", str(script)]) == 0
    return Passage(who, ks.load(out), script)


def test_every_gesture_of_the_passage_is_done_again(passage: Passage) -> None:
    take, made = passage.take, read_script(passage.script)
    meant = [g.stroke or g.hold or g.phases[0] for g in shipped_annotation(passage.who).gestures]
    inside = [p for p in meant if p.start_s >= START_S and p.end_s <= END_S]
    assert len(inside) >= 3
    assert len(made.gestures) == len(inside)
    assert len(take.tier("gestures") or ()) == len(inside)
    length = len(take.clip) / take.clip.fps
    assert made.end_s < length < END_S - START_S + 4.0
    assert take.documents["script"] == passage.script.read_text(encoding="utf-8")
    assert np.ptp(take.clip.joint_positions("rightHand"), axis=0).max() > 0.2


def test_strokes_end_when_they_were_annotated(passage: Passage) -> None:
    ends = [g.last_stroke_end_s for g in read_script(passage.script).gestures]
    found = [i.end_s for i in passage.take.tier("gestures") or ()]
    assert found == pytest.approx(ends, abs=0.02)


def test_the_papers_way_is_another(tmp_path: Path, passage: Passage) -> None:
    out = tmp_path / "paper.kin"
    source = str(DATA / f"{passage.who}.eaf")
    asked = ["recreate", source, "--from", str(START_S), "--to", str(END_S), "--fps", "25"]
    assert status([*asked, "--paper", "-o", str(out)]) == 0
    paths = [t.clip.joint_positions("leftHand") for t in (passage.take, ks.load(out))]
    count = min(map(len, paths))
    assert np.linalg.norm(paths[0][:count] - paths[1][:count], axis=1).max() > 0.01


def test_gestures_of_ones_own_have_places_of_their_own(tmp_path: Path) -> None:
    text = (DATA / "critic.eaf").read_text(encoding="utf-8").replace(">Cup<", ">Serve<")
    marked, own, out = (tmp_path / name for name in ("a.eaf", "own.toml", "a.script"))
    # Nobody annotated where the hands are, so that the lexicon says it.
    text = re.sub(r'  <TIER TIER_ID="(start|end)-position@.*?</TIER>\n', "", text, flags=re.DOTALL)
    marked.write_text(text, encoding="utf-8")
    own.write_text('[Serve]\nbase = "Cup"\nmeaning = "serves"\n', encoding="utf-8")
    assert status(["recreate", str(marked), "--lexemes", str(own), "-o", str(out)]) == 0
    mine = [g for g in read_script(out).gestures if g.lexeme == "Serve"]
    assert mine
    assert {g.start for g in mine} == {lexicon()["Cup"].start}


def test_what_was_decided_and_made_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "a.script"
    assert status(["recreate", str(DATA / "critic.eaf"), "--to", "20", "-o", str(out)]) == 0
    said = capsys.readouterr()
    count = len(read_script(out).gestures)
    assert said.out.startswith(f"{out}: {count} gestures in ")
    assert all(line.startswith(("note: ", "problem: ")) for line in said.err.splitlines())


def test_what_gestures_lack_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Real annotations often say nothing of the hands."""
    whole = shipped_annotation("critic")
    units = tuple(
        replace(u, gestures=tuple(replace(g, hands=None) for g in u.gestures)) for u in whole.units
    )
    path, out = tmp_path / "a.eaf", tmp_path / "a.kin"
    write_annotation(replace(whole, units=units), path)
    assert status(["recreate", str(path), "-o", str(out)]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    count = len(whole.gestures)
    assert f"none of {count} gestures from 0 s to the end can be recreated: {count} have" in said
    assert said.endswith("no 'handedness', allowed are LH, RH, 2H")
    assert status(["recreate", str(path), "--from", "9000", "-o", str(out)]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert "there is no gesture from 9000 s to the end; it has" in said
    assert "inf" not in said.replace(str(path), "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none.eaf", "-o", "a.kin"], "none.eaf"),
        ([str(DATA / "critic.eaf"), "--from", "9", "--to", "2", "-o", "a.kin"], "the passage ends"),
        ([str(DATA / "critic.eaf"), "-o", "nowhere/a.kin"], "nowhere"),
        ([str(DATA / "critic.eaf"), "-o", "a.xyz"], "a.xyz"),
        ([str(DATA / "critic.eaf"), "-o", "a.kin", "--physics", "x"], "'x' is not one of"),
        ([str(DATA / "critic.eaf"), "--to", "5", "-o", "a.kin", "--style", "x"], "style 'x'"),
        ([str(DATA / "critic.eaf")], "-o"),
    ],
)
def test_bad_input_is_one_line_and_status_two(
    arguments: list[str], said: str, refused: Refused
) -> None:
    assert said in refused(["recreate", *arguments])
