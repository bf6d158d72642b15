"""One direction and one cast, from keywords, tables, files and options."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kinesphere as ks
from kinesphere.cli.main import main
from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.expression.manner import manner
from kinesphere.expression.phrase import EFFORT_FACTORS, FACTORS, PARTS
from kinesphere.pipeline.stages.cast import Cast
from kinesphere.pipeline.stages.direction import Direction
from kinesphere.pipeline.stages.staging import Staging, read_staging

VALUES = st.dictionaries(
    st.sampled_from(EFFORT_FACTORS), st.floats(-1.0, 1.0).filter(bool), min_size=1
)
TOML = """
[direction]
manner = "proudly"
tension = "loose"
amount = 0.5
[direction.effort]
time = 1.0
[cast]
style = "critic"
seed = 7
fps = 20.0
voice = "none"
"""


@given(VALUES)
def test_text_mapping_and_value_make_the_same_direction(values: dict[str, float]) -> None:
    text = ",".join(f"{name}={value!r}" for name, value in values.items())
    made = [Direction(text), Direction(values), Direction(ks.Effort.of(values))]
    assert made[0] == made[1] == made[2]
    assert Direction.of_table({"effort": values}) == made[0]


@given(VALUES, VALUES)
def test_only_named_parts_change_and_the_torso_has_no_effort_by_default(
    values: dict[str, float], more: dict[str, float]
) -> None:
    points = {p.parts[0]: p.factors for p in Direction(values, part="arms").qualities().points}
    assert set(points) == {"left-arm", "right-arm"}
    assert all(dict(factors) == values for factors in points.values())
    whole = {p.parts[0]: p.factors for p in Direction(more).qualities().points}
    assert set(whole) == set(PARTS)
    assert not whole["torso"]
    both = Direction(more, torso_effort=True).qualities()
    assert dict(next(p.factors for p in both.points if p.parts == ("torso",))) == more


def test_words_and_numbers_add_up_alike_for_takes_and_live() -> None:
    meant = manner("proudly")
    name = next(n for n in EFFORT_FACTORS if getattr(meant.effort, n))
    asked = Direction({name: 0.25}, manner="proudly")
    wanted = min(1.0, max(-1.0, 0.25 + getattr(meant.effort, name)))
    arm = next(p for p in asked.qualities().points if p.parts == ("left-arm",))
    assert arm.factors[name] == pytest.approx(wanted)
    assert getattr(asked.live().effort, name) == pytest.approx(wanted)
    assert asked.live().torso == replace(meant.torso, reach=0.0)
    constant = Direction(phrase=ks.Phrase.constant(ks.Qualities(ks.Effort(time=0.5))))
    assert constant.live().effort.time == 0.5
    changing = ks.Phrase.of_table({"time_s": [0, 1], "part": "arms", "weight": [0, 1]})
    with pytest.raises(InvalidValueError, match="not live"):
        Direction(phrase=changing).live()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"effort": "heavy=1"}, "'heavy' is unknown; allowed are space"),
        ({"shape": {"vertical": 2.0}}, "allowed is -1 to 1"),
        ({"manner": "wobbly-ish"}, "wobbly-ish"),
        ({"tension": "wet"}, "tension 'wet' is unknown"),
        ({"physics": "soap"}, "allowed are off, wrists, body"),
        ({"amount": -1.0}, "amount is -1, allowed is 0 to 10"),
        ({"part": ()}, "no part of the body"),
        ({"phrase": "none.toml", "effort": "time=1"}, "not both"),
    ],
)
def test_what_is_not_allowed_is_said_at_once(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(InvalidValueError) as found:
        Direction(**wrong)
    assert said in str(found.value)


def test_neutral_is_neutral() -> None:
    assert Direction().is_neutral
    assert Direction(amount=0.3).is_neutral
    assert Direction(effort="time=0").is_plain
    for changed in ({"effort": "time=1"}, {"tension": 0.0}, {"physics": "wrists"}):
        assert not Direction(**changed).is_neutral
    assert set(FACTORS) >= set(EFFORT_FACTORS)


def test_keywords_change_the_given_values_and_only_those() -> None:
    direction, cast = Direction(manner="proudly", amount=0.5), Cast("host", seed=3)
    made = Staging.of(direction, cast, {"seed": 4, "tension": "loose"})
    assert made.cast == replace(cast, seed=4)
    assert made.direction == replace(direction, tension="loose")
    assert Staging.of(direction, cast, {}) == Staging(direction, cast)
    with pytest.raises(TypeError, match="'speed'"):
        Staging.of(None, None, {"speed": 2.0})


def test_former_keywords_still_work_and_warn() -> None:
    own = {"Salute": replace(ks.lexicon()["Stop"], name="Salute")}
    with pytest.warns(DeprecationWarning, match="'entries' is now 'lexicon'"):
        assert Staging.of(None, None, {"entries": own}).cast.lexicon == own


def test_a_file_holds_both(tmp_path: Path) -> None:
    path = tmp_path / "calm.toml"
    path.write_text(TOML, encoding="utf-8")
    found = read_staging(path)
    assert found.direction == Direction("time=1", manner="proudly", tension="loose", amount=0.5)
    assert found.cast == Cast("critic", seed=7, fps=20.0, voice="none")
    path.write_text("# nothing\n", encoding="utf-8")
    assert read_staging(path) == Staging()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[direction]\nmaner = 'proudly'", "[direction]"),
        ("[cast]\nseed = 'x'", "seed is 'x', expected a whole number"),
        ("[cast]\nfps = true", "fps is True, expected a number"),
        ("[cast]\nacting = 1", "'acting' is unknown"),
        ("[direction]\neffort = {heavy = 1.0}", "'heavy' is unknown"),
        ("[direction]\neffort = 3", "[direction]"),
        ("[other]", "found 'other', expected the tables [direction] and [cast]"),
        ("direction = 1", "expected the tables"),
        ("[direction", "is not TOML"),
    ],
)
def test_a_bad_file_is_one_clear_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UnreadableError) as found:
        read_staging(path)
    assert said in str(found.value)
    assert "bad.toml" in str(found.value)
    assert "\n" not in str(found.value)


def test_the_command_reads_the_file_and_options_take_precedence(tmp_path: Path) -> None:
    path, out = tmp_path / "calm.toml", tmp_path / "take.kin"
    path.write_text(TOML, encoding="utf-8")
    main(
        ["perform", "This is huge.", "--direction", str(path), "-o", str(out)],
        standalone_mode=False,
    )
    made = ks.load(out)
    assert (made.provenance["style"], made.provenance["seed"], made.clip.fps) == ("critic", 7, 20.0)
    assert made.provenance["express"]["manner"] == "proudly"
    assert made.provenance["tense"]["tension"] == "loose"
    other = ["--seed", "8", "--manner", "", "--direction", str(path), "-o", str(out)]
    main(["perform", "This is huge.", *other], standalone_mode=False)
    changed = ks.load(out)
    assert changed.provenance["seed"] == 8
    assert changed.provenance["express"]["manner"] == ""
    assert changed.provenance["style"] == "critic"
    api = ks.perform(
        "This is huge.", direction=read_staging(path).direction, cast=read_staging(path).cast
    )
    assert api.clip.rotations == pytest.approx(made.clip.rotations, abs=1e-6)
