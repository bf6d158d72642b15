"""The second example, and the tables of the page on Effort and Shape."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.studies.effort_observer import ELEMENTS

import kinesphere as ks
from kinesphere.expression.manner import POLES

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "effort-and-shape.md"


@pytest.fixture(scope="module")
def example() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "examples" / "02_express.py"))


def test_the_gesture_goes_through_its_keys(example: dict[str, Any]) -> None:
    clip, rig = example["gesture"](), ks.default_rig()
    keys = example["arm"](-1)
    frames = np.round(keys.times * clip.fps).astype(int)
    wrist = clip.world_positions[:, rig.joint("rightHand")]
    shoulder = clip.world_positions[:, rig.joint("rightUpperArm")]
    assert np.allclose((wrist - shoulder)[frames], keys.positions, atol=0.005)


def test_manner_and_phrase_change_the_gesture_not_its_length(example: dict[str, Any]) -> None:
    plain = example["gesture"]()
    head, hand = ks.default_rig().joints(("head", "rightHand"))
    sad = ks.express(plain, manner="very sad").clip
    phrased = ks.express(plain, phrase=example["PHRASE"]).clip
    assert len(sad) == len(phrased) == len(plain)
    assert np.all(sad.world_positions[:, head, 1] < plain.world_positions[:, head, 1] - 0.01)
    moved = np.linalg.norm((phrased.world_positions - plain.world_positions)[:, hand], axis=-1)
    assert moved.max() > 0.05
    # The torso sinks first and rises in the end.
    lift = (phrased.world_positions - plain.world_positions)[:, head, 1]
    assert lift[0] < -0.002 < lift[-1]


def marked(name: str) -> str:
    text = PAGE.read_text(encoding="utf-8")
    return text.split(f"<!-- {name} -->\n", 1)[1].split("\n<!-- end -->", 1)[0]


def test_the_tables_of_the_page_are_those_of_the_code() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "make_expression_pictures.py"))
    assert marked("effort") == made["effort_table"]()
    assert marked("torso") == made["torso_table"]()


def test_every_element_and_direction_has_its_picture() -> None:
    text = PAGE.read_text(encoding="utf-8")
    directions = [name for f in ("horizontal", "vertical", "sagittal") for name in POLES[f]]
    wanted = [f"effort-{name.lower()}" for name in ELEMENTS.values()]
    wanted += [f"shape-{name.lower()}" for name in directions]
    for name in wanted:
        assert f"(pictures/{name}.png)" in text
        assert (ROOT / "docs" / "pictures" / f"{name}.png").stat().st_size < 150_000


def test_the_page_s_phrase_is_understood(tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    from kinesphere.expression.phrase import read_phrase

    file = tmp_path / "phrase.toml"
    file.write_text(text.split("```toml\n", 1)[1].split("```", 1)[0], encoding="utf-8")
    assert read_phrase(file).touches("torso")


def test_the_page_s_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = PAGE.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    blocks = [part.split("```", 1)[0] for part in text.split("```python\n")[1:]]
    keyed = next(block for block in blocks if "KeyedMotion" in block)
    exec(compile(keyed, str(PAGE), "exec"), {})
    assert list(tmp_path.iterdir())
