"""The commands of speakers: perform, profile, recreate, styles."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from kinesphere.cli.main import status
from kinesphere.gesture.script_text import read_script
from kinesphere.pipeline.speakers import shipped_annotation
from tests.cli.conftest import Refused

DATA = Path(__file__).parents[2] / "src" / "kinesphere" / "corpus" / "data"
TEXT = "I don't know what to tell you. It is huge, and nobody asked for it. Suddenly they give it to me!"


def test_perform_writes_a_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "a.script"
    assert status(["perform", TEXT, "--style", "host", "-o", str(out), "--why"]) == 0
    script = read_script(out)
    assert script.gestures
    said = capsys.readouterr()
    assert "gestures in" in said.out
    assert "huge" in said.out
    assert said.err == ""


def test_perform_reads_files_and_markup(tmp_path: Path) -> None:
    text = tmp_path / "talk.txt"
    text.write_text("This is <huge|BigSpan 2H>, I said.\n", encoding="utf-8")
    out = tmp_path / "a.script"
    assert status(["perform", str(text), "--style", "critic", "--amount", "0", "-o", str(out)]) == 0
    (gesture,) = read_script(out).gestures
    assert (gesture.lexeme, gesture.hands) == ("BigSpan", "2H")


def test_perform_saves_the_tagged_text_which_reads_back(tmp_path: Path) -> None:
    first, tagged, second = (tmp_path / n for n in ("a.script", "t.txt", "b.script"))
    plain = ["perform", TEXT, "--style", "host", "-o", str(first), "--tagged", str(tagged)]
    assert status(plain) == 0
    assert tagged.read_text(encoding="utf-8").startswith("%tagged en")
    assert status(["perform", str(tagged), "--style", "host", "-o", str(second)]) == 0
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["perform", TEXT, "--style", "hostess", "-o", "a.script"], "style 'hostess'"),
        (["perform", "<this|Pointy>", "-o", "a.script"], "gesture 'Pointy' is not known"),
        (["perform", "{this|HUGE}", "-o", "a.script"], "HUGE"),
        (["perform", "{this", "-o", "a.script"], "line 1"),
        (["perform", "...", "-o", "a.script"], "no word"),
        (["perform", TEXT, "-o", "a.xyz"], "cannot write '.xyz'"),
        (["perform", TEXT], "give -o"),
        (["perform", "missing.txt", "-o", "a.script"], "missing.txt"),
        (["perform", TEXT, "--amount", "-1", "-o", "a.script"], "amount is -1"),
        (["perform", TEXT, "--language", "fr", "-o", "a.script"], "allowed are en, de"),
        (["recreate", "missing.eaf", "-o", "a.script"], "missing.eaf"),
        (
            ["recreate", str(DATA / "critic.eaf"), "--from", "9", "--to", "2", "-o", "a.script"],
            "the passage ends",
        ),
        (["profile", "missing.eaf", "-o", "a.kin"], "missing.eaf"),
        (["profile", ".", "-o", "a.kin"], "contains no annotation"),
        (["profile", "missing.eaf", "-o", "a.txt"], "a profile needs the suffix .kin"),
        (["styles", "nobody"], "style 'nobody'"),
    ],
)
def test_bad_input_is_one_line_and_status_two(
    arguments: list[str], said: str, refused: Refused
) -> None:
    assert said in refused(arguments)


def test_recreate_gives_the_passage_gesture_by_gesture(tmp_path: Path) -> None:
    out = tmp_path / "a.script"
    source = DATA / "critic.eaf"
    assert status(["recreate", str(source), "--from", "20", "--to", "80", "-o", str(out)]) == 0
    annotation = shipped_annotation("critic")
    wanted = [
        g
        for g in annotation.gestures
        if (g.stroke or g.hold or g.phases[0]).start_s >= 20.0
        and (g.stroke or g.hold or g.phases[0]).end_s <= 80.0
    ]
    made = read_script(out).gestures
    assert [g.lexeme for g in made] == [g.lexeme or "none" for g in wanted]
    assert [g.hands for g in made] == [g.hands for g in wanted]
    assert [g.start for g in made] == [g.start for g in wanted]
    assert [g.strokes for g in made] == [g.strokes for g in wanted]
    for ours, theirs in zip(made, wanted, strict=True):
        end = theirs.main_stroke_end_s
        if end is not None:
            assert ours.stroke_end_s == pytest.approx(end - 20.0)


def test_profile_of_a_recreated_speaker(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, page = tmp_path / "me.kin", tmp_path / "me.html"
    arguments = ["profile", str(DATA / "critic.eaf"), "-o", str(out), "--name", "Me"]
    assert status([*arguments, "--report", str(page), "--compare", "host"]) == 0
    assert "192 gestures of 31 lexemes in 54 units" in capsys.readouterr().out
    assert "RaisedIndexfinger" in page.read_text(encoding="utf-8")
    script = tmp_path / "a.script"
    assert status(["perform", TEXT, "--style", str(out), "-o", str(script)]) == 0
    assert read_script(script).gestures


def test_problems_are_listed_and_strict_refuses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (DATA / "critic.eaf").read_text(encoding="utf-8")
    broken = tmp_path / "broken.eaf"
    broken.write_text(
        text.replace(">RaisedIndexfinger<", ">RaisedIndexfingr<", 1), encoding="utf-8"
    )
    half = tmp_path / "half.eaf"
    half.write_text(text[: len(text) // 2], encoding="utf-8")
    for path in (broken, half):
        out = tmp_path / "a.kin"
        arguments = ["profile", str(path), "-o", str(out)]
        code = status(arguments)
        said = capsys.readouterr().err
        if path is half:
            assert f"{path}:" in said
            assert status([*arguments, "--strict"]) == 2
        assert code in (0, 2)


def test_styles_lists_all(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    picture = tmp_path / "s.svg"
    assert status(["styles", "-o", str(picture)]) == 0
    assert picture.stat().st_size > 1000
    out = capsys.readouterr().out
    assert "host" in out
    assert "25.3 gestures per minute" in out
    assert status(["styles", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == ["host", "critic", "neutral"]
    assert rows[0]["lexemes"]["Cup"] == 55


def test_annotate_makes_a_speaker_of_motion(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from kinesphere.corpus.annotation.reading import read_annotation
    from kinesphere.export.output import save
    from kinesphere.gesture.lexicon import lexicon
    from kinesphere.motion.take import Take
    from tests.gesture.performing import performed

    motion = tmp_path / "a.kin"
    clip = performed(lexicon()["Wipe"], "both", np.random.default_rng(0)).clip
    save(Take(clip), motion)
    out = tmp_path / "a.eaf"
    assert status(["annotate", str(motion), "-o", str(out), "--speaker", "me"]) == 0
    assert "gestures in" in capsys.readouterr().out
    annotation, problems = read_annotation(out)
    assert problems == ()
    assert annotation.speaker == "me"
    assert annotation.gestures
    assert status(["annotate", str(motion), "-o", str(tmp_path / "a.bvh")]) == 2
    assert status(["annotate", str(motion), "-o", str(out), "--transcript", "t.txt"]) == 2


def test_check_lists_what_is_missing_and_what_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(["profile", str(DATA / "critic.eaf"), "--check"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum("no lexeme" in line for line in lines) == 3
    assert all(str(DATA) in line for line in lines[:-1])
    assert status(["profile", str(DATA / "critic.eaf")]) == 2
