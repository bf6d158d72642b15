"""Constants that shape motion are settings, each with its reason; the paper is a preset of them."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import kinesphere.animation
from kinesphere.animation.acting_rules import ObservedRules, PaperRules, acting_rules
from kinesphere.animation.head.head_settings import PAPER_HEAD, HeadSettings
from kinesphere.animation.performer import Performer
from kinesphere.animation.settings import ActingSettings
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.positions import DIMENSIONS, HandPosition
from kinesphere.maths.bounds import check_bounds, range_field

FOLDER = Path(kinesphere.animation.__file__).parent
MODULES = sorted(path for path in FOLDER.rglob("*.py") if "_kernels" not in path.stem)
# Numbers of mathematics and of units: halves, quarters, degrees, centimetres, milliseconds.
TRIVIAL = {0.0, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 60.0, 90.0, 100.0, 180.0, 360.0, 1000.0}
# Checks of settings and the values of a preset are part of the settings.
PART_OF_SETTINGS = {"__post_init__", "paper_preset"}


def trivial(value: float) -> bool:
    size = abs(value)
    tolerance = 0.0 < size <= 1e-3 and math.log10(size).is_integer()
    return size in TRIVIAL or tolerance


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name not in PART_OF_SETTINGS:
            yield node


def numbers(function: ast.FunctionDef) -> list[float]:
    found = (n.value for n in ast.walk(function) if isinstance(n, ast.Constant))
    return [value for value in found if isinstance(value, float) and not trivial(value)]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_functions_have_no_numbers_that_shape_motion(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = {function.name: numbers(function) for function in functions(tree)}
    assert {name: values for name, values in found.items() if values} == {}


def settings_classes() -> Iterator[tuple[Path, ast.ClassDef]]:
    for path in MODULES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and node.name.endswith("Settings"):
                yield path, node


CLASSES = list(settings_classes())


def test_settings_are_found() -> None:
    assert {node.name for _, node in CLASSES} >= {"ActingSettings", "HeadSettings", "FaceSettings"}
    assert len(CLASSES) > 12


@pytest.mark.parametrize(("path", "node"), CLASSES, ids=lambda value: getattr(value, "name", ""))
def test_every_setting_has_its_reason(path: Path, node: ast.ClassDef) -> None:
    lines = path.read_text(encoding="utf-8").split("\n")
    text = ast.get_docstring(node) or ""
    heads = [row.split(" : ")[0] for row in text.split("\n")]
    listed = {name.strip() for row in heads for name in row.split(",")}
    listed |= set(re.findall(r"`(\w+)`", text))
    frozen = any("frozen=True" in ast.unparse(decorator) for decorator in node.decorator_list)
    assert frozen
    for field in node.body:
        if not isinstance(field, ast.AnnAssign):
            continue
        assert isinstance(field.target, ast.Name)
        last = field.end_lineno or 0
        beside = "  # " in lines[last - 1]
        below = lines[last].strip().startswith("# ")
        assert field.target.id in listed or beside or below, field.target.id


def test_the_paper_is_asked_for_in_one_place() -> None:
    texts = {path.stem: path.read_text(encoding="utf-8") for path in MODULES}
    asked = {name: text.count(".paper ") + text.count(".paper:") for name, text in texts.items()}
    assert {name: count for name, count in asked.items() if count} == {"acting_rules": 1}


def test_the_paper_s_rules_come_with_its_preset() -> None:
    rules = acting_rules(ActingSettings(paper=True, size_spread=0.3), Performer(collar_gain=2.0))
    assert isinstance(rules, PaperRules)
    assert rules.head is PAPER_HEAD
    s = rules.settings
    assert s.paper
    assert s.follow_script
    assert (s.size_spread, s.arc, s.answer, s.tracks.key_slopes) == (0.3, 0.17, 0.0, (0.0, 0.0))
    assert s.paper_preset() == s
    assert acting_rules(s).settings == s


def test_recorded_speakers_keep_the_settings_they_are_given() -> None:
    given = ActingSettings(size=1.2)
    rules = acting_rules(given)
    assert isinstance(rules, ObservedRules)
    assert rules.settings is given
    assert rules.head == HeadSettings()
    assert acting_rules().settings == ActingSettings()


def test_only_recorded_speakers_emphasise_and_vary() -> None:
    observed, paper = (acting_rules(ActingSettings(paper=p)) for p in (False, True))
    loud, quiet = (observed.emphasis(a, np.random.default_rng(0)) for a in (1.0, 0.0))
    assert loud > quiet
    rng = np.random.default_rng(0)
    assert [paper.emphasis(a, rng) for a in (1.0, 0.0)] == [1.0, 1.0]
    assert rng.random() == np.random.default_rng(0).random()
    assert observed.rise_s(0.4) > 0.3
    assert paper.rise_s(0.4) == 0.0


def test_the_paper_lowers_the_collar_bones_by_the_gains_of_settings_and_speaker() -> None:
    low = HandPosition("below-belt", *(names[0] for names in list(DIMENSIONS.values())[1:]))
    plain, strong = (acting_rules(ActingSettings(paper=True, collar_gain=g)) for g in (1.0, 3.0))
    who = acting_rules(ActingSettings(paper=True), Performer(collar_gain=3.0))
    assert np.degrees(plain.collar("left", low))[2] == pytest.approx(-7.0)
    assert np.array_equal(strong.collar("left", low), who.collar("left", low))
    assert not acting_rules().collar("left", low).any()


@dataclass(frozen=True)
class Example:
    """Some fields with and one without a range."""

    ratio: float = range_field(0.5, 0.0, 1.0)
    times_s: tuple[float, float] = range_field((0.1, 0.2), 0.0, 1.0)
    axes: tuple[float, float, float] = range_field((3.0, 1.0, 2.0), 0.0, 4.0)
    fixed_s: tuple[float, float] | None = range_field(None, 0.1, 1.0)
    free: float = 7.0

    def __post_init__(self) -> None:
        check_bounds(self)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"ratio": 1.5}, "ratio is 1.5, allowed is 0 to 1"),
        ({"ratio": math.nan}, "ratio is nan"),
        ({"times_s": (0.3, 0.2)}, "times_s is 0.3 to 0.2, allowed is within 0 to 1"),
        ({"times_s": (0.3, 1.2)}, "times_s is 0.3 to 1.2"),
        ({"axes": (1.0, 5.0, 1.0)}, r"axes is \(1.0, 5.0, 1.0\), allowed is 0 to 4 each"),
        ({"fixed_s": (0.0, 0.5)}, "fixed_s is 0.0 to 0.5"),
    ],
)
def test_values_outside_their_range_are_refused(changed: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidValueError, match=message):
        replace(Example(), **changed)
    assert replace(Example(), free=-1e9).free == -1e9
