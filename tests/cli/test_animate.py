"""``kinesphere animate``: a script in, motion out, and one line for what is wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.cli.main import status
from kinesphere.gesture.script import GestureScript, ScriptGesture, ScriptUnit, Turn
from kinesphere.gesture.script_text import write_script
from kinesphere.pipeline.perform import animate
from tests.cli.conftest import Refused


def gesture(name: str = "Cup", hands: str = "RH", end_s: float = 2.0) -> ScriptGesture:
    return ScriptGesture(
        name, hands, "prep+stroke+hold", stroke_end_s=end_s, stroke_s=0.4, hold_s=0.3
    )


def script(*gestures: ScriptGesture) -> GestureScript:
    return GestureScript((ScriptUnit(gestures),), (Turn("left", 0.5),))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("animate")
    write_script(script(gesture(), gesture("Wipe", "2H", 4.0)), place / "good.script")
    return place


@pytest.fixture(scope="module")
def plain(folder: Path) -> ks.Take:
    out = folder / "plain.kin"
    assert status(["animate", str(folder / "good.script"), "-o", str(out), "--fps", "30"]) == 0
    return ks.load(out)


def test_it_is_what_the_pipeline_makes(folder: Path, plain: ks.Take) -> None:
    same = animate(folder / "good.script", fps=30.0)
    assert np.allclose(same.clip.rotations, plain.clip.rotations, atol=1e-6)
    assert [t.name for t in plain.tiers] == ["phases left", "phases right", "gestures"]
    assert [i.label for i in plain.tier("gestures") or ()] == ["Cup RH", "Wipe 2H"]
    assert plain.audio is None


@pytest.mark.parametrize("ending", [".bvh", ".html", ".glb", ".csv"])
def test_formats(ending: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / f"out{ending}"
    code = status(["animate", str(folder / "good.script"), "-o", str(out), "--fps", "30"])
    said = capsys.readouterr()
    if ending == ".csv":
        assert code == 2
        assert not out.exists()
        return
    assert code == 0
    assert f"{out}: " in said.out
    assert out.stat().st_size > 1000


@pytest.mark.parametrize(
    "options",
    [
        ["--paper"],
        ["--seed", "5"],
        ["--style", "critic"],
        ["--manner", "proudly"],
        ["--effort", "time=0.9"],
        ["--physics", "wrists"],
    ],
    ids=" ".join,
)
def test_options_change_the_motion(options: list[str], folder: Path, plain: ks.Take) -> None:
    out = folder / "changed.kin"
    arguments = ["animate", str(folder / "good.script"), "-o", str(out), "--fps", "30"]
    assert status([*arguments, *options]) == 0
    clip = ks.load(out).clip
    count = min(len(clip), len(plain.clip))
    one, two = (c.joint_positions("rightHand")[:count] for c in (clip, plain.clip))
    assert np.linalg.norm(one - two, axis=1).max() > 0.004


BAD = {
    "unknown.script": (script(gesture("Cupp")), "gesture 1 has lexeme 'Cupp'"),
    "order.script": (
        script(gesture(end_s=4.0), gesture("Wipe", end_s=2.0)),
        "gesture 2 (Wipe) ends its stroke",
    ),
    "early.script": (script(gesture(end_s=0.1)), "gesture 1 (Cup) starts at -0.3 s"),
    "endless.script": (script(gesture(end_s=1e12)), "gesture 1"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_script_that_cannot_be_performed_is_named(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made, said = BAD[name]
    path, out = tmp_path / name, tmp_path / "a.kin"
    write_script(made, path)
    assert status(["animate", str(path), "-o", str(out)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"kinesphere: {path}")
    assert said in line
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none.script", "-o", "a.kin"], "none.script"),
        ([".", "-o", "a.kin"], "."),
        (["good.script", "-o", "a.kin", "--physics", "soft"], "'soft' is not one of"),
        (["good.script", "-o", "a.kin", "--style", "hostess"], "hostess"),
        (["good.script", "-o", "a.kin", "--speech", "none.wav"], "none.wav"),
        (["good.script", "-o", "a.kin", "--character", "none.vrm"], "none.vrm"),
        (["good.script", "-o", "a.kin", "--fps", "-5"], "fps is -5"),
        (["good.script", "-o", "nowhere/a.kin"], "nowhere"),
        (["good.script", "-o", "a.script"], "a.script"),
        (["good.script"], "-o"),
        (["torn.script", "-o", "a.kin"], "torn.script:"),
    ],
)
def test_bad_input_is_one_line_and_status_two(
    arguments: list[str], said: str, tmp_path: Path, refused: Refused
) -> None:
    write_script(script(gesture()), tmp_path / "good.script")
    text = (tmp_path / "good.script").read_text(encoding="utf-8")
    (tmp_path / "torn.script").write_text(
        text[: len(text) // 2] + "\nwhat is this", encoding="utf-8"
    )
    assert said in refused(["animate", *arguments])
