"""``kinesphere perform``: a text in, a take, a page or a script out, and one line for what is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from pkgutil import resolve_name

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.cli.main import status
from kinesphere.formats.wav import wav_bytes
from kinesphere.gesture.script_text import read_script, script_text
from kinesphere.pipeline.stages.cast import Cast
from kinesphere.pipeline.stages.utter import speak
from tests.cli.conftest import Refused

TEXT = "It is huge, and nobody asked for it. Suddenly they give it to me!"
QUICK = ["--voice", "espeak", "--fps", "20", "--amount", "2", "--style", "host"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("perform")


@pytest.fixture(scope="module")
def plain(folder: Path) -> ks.Take:
    path = folder / "plain.kin"
    assert status(["perform", TEXT, "-o", str(path), *QUICK]) == 0
    return ks.load(path)


def path_of(take: ks.Take, bone: str = "rightHand") -> np.ndarray:
    return take.clip.joint_positions(bone)


def test_a_take_has_everything(plain: ks.Take) -> None:
    names = {tier.name for tier in plain.tiers}
    assert {"words", "phases left", "phases right", "gestures"} <= names
    assert plain.audio is not None
    sound = len(plain.audio.samples) / plain.audio.rate_hz
    assert abs(sound - len(plain.clip) / plain.clip.fps) <= 2.0 / plain.clip.fps
    assert plain.clip.fps == 20.0
    assert "script" in plain.documents


@pytest.mark.parametrize("ending", [".bvh", ".html", ".glb"])
def test_the_ending_chooses_the_format(
    ending: str, folder: Path, plain: ks.Take, capsys: pytest.CaptureFixture[str]
) -> None:
    out = folder / f"out{ending}"
    assert status(["perform", TEXT, "-o", str(out), *QUICK]) == 0
    said = capsys.readouterr()
    assert re.search(
        rf"out{ending}: {len(plain.clip)} frames, \d+ joints, [\d.]+ s at 20 fps", said.out
    )
    assert said.err.count("\n") == (ending == ".bvh"), "which holds no face"
    if ending == ".html":
        page = out.read_text(encoding="utf-8")
        assert "Suddenly" in page
        return
    clip = ks.load(out).clip
    assert len(clip) == pytest.approx(len(plain.clip), abs=1)
    gap = np.linalg.norm(clip.joint_positions("rightHand") - path_of(plain)[: len(clip)], axis=1)
    assert gap.max() < 0.01


def test_a_script_is_the_one_that_the_take_was_made_from(folder: Path, plain: ks.Take) -> None:
    out = folder / "out.script"
    assert status(["perform", TEXT, "-o", str(out), *QUICK]) == 0
    assert script_text(read_script(out)) == plain.documents["script"]


def test_animating_that_script_does_the_same_gestures(folder: Path, plain: ks.Take) -> None:
    script, sound, out = folder / "again.script", folder / "talk.wav", folder / "again.kin"
    script.write_text(plain.documents["script"], encoding="utf-8")
    assert plain.audio is not None
    sound.write_bytes(wav_bytes(plain.audio))
    arguments = ["animate", str(script), "--speech", str(sound), "--style", "host", "--fps", "20"]
    assert status([*arguments, "-o", str(out)]) == 0
    again = ks.load(out)
    assert [i.label for i in again.tier("gestures") or ()] == [
        i.label for i in plain.tier("gestures") or ()
    ]


@pytest.mark.parametrize(
    "options",
    [
        ["--manner", "proudly"],
        ["--effort", "weight=0.9,time=0.9"],
        ["--shape", "vertical=0.8"],
        ["--physics", "wrists"],
        ["--tension", "loose"],
        ["--seed", "7"],
        ["--paper"],
        ["--style", "critic"],
    ],
    ids=" ".join,
)
def test_options_change_the_motion(options: list[str], folder: Path, plain: ks.Take) -> None:
    out = folder / "changed.kin"
    assert status(["perform", TEXT, "-o", str(out), *QUICK, *options]) == 0
    take = ks.load(out)
    count = min(len(take.clip), len(plain.clip))
    gap = np.linalg.norm(path_of(take)[:count] - path_of(plain)[:count], axis=1)
    assert 0.004 < gap.max() < 1.2


def test_on_another_body(folder: Path, plain: ks.Take) -> None:
    child, out = folder / "child.bvh", folder / "child.kin"
    skeleton = ks.default_skeleton().scale(0.7)
    ks.Take(ks.Clip(skeleton, 30.0, skeleton.offsets[:1], skeleton.rest_rotations[None])).save(
        child
    )
    assert status(["perform", TEXT, "-o", str(out), *QUICK, "--character", str(child)]) == 0
    clip = ks.load(out).clip
    assert len(clip) == len(plain.clip)
    ratio = np.ptp(clip.joint_positions("rightHand")[:, 1]) / np.ptp(path_of(plain)[:, 1])
    assert ratio == pytest.approx(0.7, rel=0.25)


def test_german_and_a_file(folder: Path) -> None:
    text, out = folder / "rede.txt", folder / "rede.kin"
    text.write_text("Das ist wirklich riesig, und ich weiß es nicht!\n", encoding="utf-8")
    assert status(["perform", str(text), "-o", str(out), *QUICK]) == 0
    take = ks.load(out)
    assert take.provenance["language"] == "de"
    assert "weiß" in [w.label for w in take.tier("words") or ()]


def test_a_recording_a_rate_and_the_likeliest(folder: Path) -> None:
    sound = folder / "sound.wav"
    sound.write_bytes(wav_bytes(speak(TEXT, Cast(voice="espeak")).audio))
    out = folder / "recorded.kin"
    options = ["--fps", "20", "--speech", str(sound), "--most-likely"]
    assert status(["perform", TEXT, "-o", str(out), *options]) == 0
    assert ks.load(out).audio is not None
    slow, quick = folder / "slow.kin", folder / "quick.kin"
    for path, rate in ((slow, "0.7"), (quick, "1.6")):
        assert status(["perform", TEXT, "-o", str(path), *QUICK, "--rate", rate]) == 0
    assert len(ks.load(slow).clip) > 1.4 * len(ks.load(quick).clip)


def test_gestures_of_ones_own(folder: Path) -> None:
    own = folder / "own.toml"
    own.write_text('[Salute]\nbase = "Stop"\nmeaning = "greets like a soldier"\n', encoding="utf-8")
    out = folder / "own.kin"
    text = "Good <morning|Salute RH> everyone."
    assert status(["perform", text, "-o", str(out), *QUICK, "--lexemes", str(own)]) == 0
    assert "Salute RH" in [i.label for i in ks.load(out).tier("gestures") or ()]


def test_why_says_what_was_triggered(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    assert status(["perform", TEXT, "--why", "--voice", "espeak", "--style", "host"]) == 0
    assert "huge" in capsys.readouterr().out


STAGES = {
    "markup": "kinesphere.language.markup._Scanner.scan",
    "words": "kinesphere.language.tagging.analyse",
    "words of markup": "kinesphere.language.markup.analyse",
    "focus": "kinesphere.language.tagging.information_of",
    "tags": "kinesphere.language.tagging.matches",
    "voice": "kinesphere.pipeline.stages.utter.speak",
    "hearing": "kinesphere.pipeline.stages.utter.hear",
    "gestures": "kinesphere.pipeline.stages.plan.generate",
    "motion": "kinesphere.pipeline.stages.act.perform_script",
}


@pytest.mark.parametrize(
    ("output", "stages"),
    [
        (
            "once.kin",
            ("focus", "gestures", "hearing", "markup", "motion", "tags", "voice", "words"),
        ),
        ("once.script", ("focus", "gestures", "hearing", "markup", "tags", "voice", "words")),
    ],
)
def test_each_stage_runs_once(
    output: str, stages: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []

    def counted(stage: str, work: Callable[..., object]) -> Callable[..., object]:
        def run(*args: object, **kwargs: object) -> object:
            ran.append(stage)
            return work(*args, **kwargs)

        return run

    for stage, place in STAGES.items():
        monkeypatch.setattr(place, counted(stage, resolve_name(place)))
    tagged = ["--why", "--tagged", str(folder / "once.txt")]
    assert status(["perform", TEXT, "-o", str(folder / output), *QUICK, *tagged]) == 0
    assert tuple(sorted(ran)) == stages


def test_why_tells_what_was_performed(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    out = folder / "told.kin"
    assert status(["perform", TEXT, "-o", str(out), *QUICK, "--seed", "5", "--why"]) == 0
    told = [
        line.split(" s  ", 1)[1][28 + 16 :]
        for line in capsys.readouterr().out.splitlines()
        if line.startswith("+")
    ]
    take = ks.load(out)
    heads = [line.split()[0] for line in told if ks.lexicon()[line.split()[0]].without_hands]
    hands = [" ".join(line.split()[:2]) for line in told if line.split()[0] not in heads]
    assert hands == [i.label for i in take.tier("gestures") or ()]
    assert heads == [i.label for i in take.tier("head gestures") or ()]
    assert hands
    assert heads


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["perform", "", "-o", "a.kin"], "no word"),
        (["perform", "?! ...", "-o", "a.kin"], "no word"),
        (["perform", "?! ...", "-o", "a.script"], "no word"),
        (["perform", TEXT, "-o", "a.kin", "--language", "fr"], "allowed are en, de"),
        (["perform", TEXT, "-o", "a.kin", "--style", "hostess"], "hostess"),
        (["perform", TEXT, "-o", "a.kin", "--physics", "soft"], "'soft' is not one of"),
        (["perform", TEXT, "-o", "a.kin", "--manner", "wobbly-ish"], "wobbly-ish"),
        (["perform", TEXT, "-o", "a.kin", "--effort", "weight=99"], "weight"),
        (["perform", TEXT, "-o", "a.kin", "--tension", "limp"], "limp"),
        (["perform", TEXT, "-o", "a.kin", "--amount", "-2"], "amount is -2"),
        (["perform", TEXT, "-o", "a.kin", "--fps", "0"], "fps is 0"),
        (["perform", TEXT, "-o", "a.kin", "--seed", "-1"], "seed"),
        (["perform", TEXT, "-o", "a.kin", "--rate", "0"], "rate"),
        (["perform", TEXT, "-o", "a.kin", "--voice", "nobody"], "nobody"),
        (["perform", TEXT, "-o", "a.kin", "--speech", "none.wav"], "none.wav"),
        (["perform", TEXT, "-o", "a.kin", "--lexemes", "none.toml"], "none.toml"),
        (["perform", TEXT, "-o", "a.kin", "--character", "none.glb"], "none.glb"),
        (["perform", "<this|Pointy>", "-o", "a.kin"], "gesture 'Pointy' is not known"),
        (["perform", "none.txt", "-o", "a.kin"], "none.txt"),
        (["perform", TEXT, "-o", "a.xyz"], "a.xyz"),
        (["perform", TEXT, "-o", "nowhere/a.kin"], "nowhere"),
        (["perform", TEXT, "-o", "nowhere/a.script"], "nowhere"),
        (["perform", TEXT], "give -o"),
        (["perform", TEXT, "-o", "a.kin", "--tagged", "t.txt", "--fps", "0"], "fps is 0"),
        (["perform", TEXT, "-o", "a.kin", "--tagged", "t.txt", "--manner", "zorky"], "zorky"),
        (["perform", TEXT, "-o", "a.script", "--tagged", "nowhere/t.txt"], "nowhere"),
    ],
)
def test_bad_input_is_one_line_and_status_two(
    arguments: list[str], said: str, refused: Refused
) -> None:
    quick = [] if "--fps" in arguments else ["--fps", "10"]
    assert said in refused([*arguments, *quick])
