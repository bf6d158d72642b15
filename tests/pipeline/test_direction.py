"""One direction and one cast, from keywords, tables, files and options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kinesphere as ks
from kinesphere.cli.main import main, status
from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.expression.manner import manner
from kinesphere.expression.phrase import EFFORT_FACTORS, FACTORS, PARTS
from kinesphere.pipeline.stages.cast import Cast
from kinesphere.pipeline.stages.direction import Direction
from kinesphere.pipeline.stages.staging import Staging, read_staging
from kinesphere.realtime.engine import TensedEngine

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
        ({"part": "leg"}, "'leg' is no part; allowed are"),
        ({"part": 3}, "part is 3, expected a name, or several"),
        ({"effort": 3}, "effort is 3, expected text"),
        ({"effort": ks.Shape()}, "expected text, factors with values, or Effort"),
        ({"manner": None}, "manner is None, expected text"),
        ({"amount": "much"}, "amount is 'much', expected a number"),
        ({"tension": True}, "tension is True, expected a name, a number or a Tension"),
        ({"torso_effort": "yes"}, "expected true or false"),
        ({"manner_tables": 3}, "manner_tables is 3"),
        ({"phrase": 3}, "the phrase is no table of columns"),
        ({"phrase": {"time_s": [0, "a"], "weight": [0, 1]}}, "the phrase is no table of columns"),
        ({"phrase": "none.toml", "effort": "time=1"}, "not both"),
    ],
)
def test_what_is_not_allowed_is_said_at_once(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(InvalidValueError) as found:
        Direction(**wrong)
    assert said in str(found.value)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"style": 3}, "style is 3, expected a name, a file or a profile"),
        ({"character": 3}, "character is 3, expected a file"),
        ({"voice": 3}, "voice is 3"),
        ({"language": "fr"}, "language 'fr', allowed are en, de"),
        ({"rate": "fast"}, "rate is 'fast', expected a number"),
        ({"fps": None}, "fps is None, expected a number"),
        ({"seed": -1}, "seed is -1, allowed is 0 or more"),
        ({"seed": 1.5}, "seed is 1.5, expected a whole number"),
        ({"paper": "yes"}, "paper is 'yes', expected true or false"),
        ({"lexicon": {"Salute": 3}}, "gesture 'Salute' of the lexicon is 3, expected a Lexeme"),
        ({"speakers": {"host": "x"}}, "the weight of 'host' is 'x', expected a number"),
        ({"model": 3}, "model is 3"),
        ({"acting": ks.GenerationSettings()}, "expected ActingSettings"),
    ],
)
def test_a_cast_is_checked_when_it_is_made(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidValueError) as found:
        Cast(**wrong)
    assert said in str(found.value)
    with pytest.raises(InvalidValueError):
        ks.perform("This is huge!", **wrong)


def test_a_cast_accepts_numbers_of_numpy() -> None:
    assert Cast(seed=np.int64(3), fps=np.float32(30.0)).seed == 3  # type: ignore[arg-type]


SAID = ks.utter("This is huge!", Cast(voice="none"))
PLANNED = ks.plan(SAID, "host", seed=1)
HUM = (0.1 * np.sin(np.arange(16_000) / 17.0), 16_000)
WRONG: list[tuple[Any, dict[str, Any], tuple[Any, ...], str]] = [
    (ks.perform, {"speech": HUM}, (SAID,), "speech given with an utterance"),
    (ks.perform, {"lead_in_s": 1.0, "tail_s": 1.0}, (SAID,), "lead_in_s and tail_s given with an"),
    (ks.perform, {"voice": "espeak"}, (SAID,), "voice given with an utterance"),
    (ks.perform, {"gestures": PLANNED, "amount": 0.5}, (SAID,), "amount given with gestures"),
    (ks.perform, {"gestures": PLANNED.script}, (SAID,), "expected the result of plan"),
    (ks.perform, {"direction": "proudly"}, ("Hi",), "direction is 'proudly', expected a Direction"),
    (ks.perform, {"cast": "host"}, ("Hi",), "cast is 'host', expected a Cast"),
    (ks.perform, {}, (3,), "the text is 3"),
    (ks.utter, {"transcript": "Hi"}, ("Hi",), "transcript given with a text"),
    (ks.utter, {"tail_s": 1.0}, ("Hi", Cast(voice="none")), "tail_s given for words without sound"),
    (ks.utter, {"lead_in_s": "1"}, ("Hi",), "lead_in_s is '1', expected a number"),
    (ks.plan, {}, (3,), "the utterance is 3"),
    (ks.act, {"voice": ks.VoiceSettings()}, (SAID, PLANNED), "voice given with a plan"),
    (ks.act, {"follow_script": True}, (SAID,), "follow_script given without a plan"),
    (ks.act, {}, (SAID, PLANNED, "host"), "cast is 'host', expected a Cast"),
    (ks.direct, {}, (3, Direction()), "the take is 3"),
    (ks.dress, {}, (3, Cast()), "the take is 3"),
    (ks.listen, {"voice": "espeak"}, (HUM,), "voice given with a recording"),
    (ks.listen, {"parts": ["arms"]}, (HUM,), "parts given without onto"),
    (ks.listen, {"rhythm": "x"}, (HUM,), "rhythm is 'x', expected a number"),
    (ks.listen, {"gestures": [("Stop", 1.0)]}, (HUM,), "pairs of GestureKey and time"),
    (ks.listen, {"transcript": "Hi"}, (SAID,), "transcript given with an utterance"),
    (ks.recreate, {}, (PLANNED, 1.0, 2.0), "start_s and end_s given with a plan"),
    (ks.express, {"manner": "proudly"}, ("talk.bvh",), "type str, expected a Take"),
    (ks.doctor, {"unit": "cm"}, (), "unit given without a file"),
    (ks.doctor, {"warm": True}, ("talk.bvh",), "without a file"),
    (ks.idle, {"seed": -1}, (1.0,), "seed is -1"),
    (ks.profile, {}, ([],), "no annotated file is given"),
    (ks.Acting, {}, ("proudly",), "direction is 'proudly'"),
    (ks.Hearing, {}, (3,), "the source is 3"),
]


@pytest.mark.parametrize(("function", "keywords", "values", "said"), WRONG)
def test_arguments_that_contradict_or_do_not_fit_are_refused(
    function: Callable[..., object], keywords: dict[str, Any], values: tuple[Any, ...], said: str
) -> None:
    with pytest.raises(InvalidValueError) as found:
        function(*values, **keywords)
    assert said in str(found.value)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("function", "first", "own"),
    [
        (ks.perform, "Hi", "gestures"),
        (ks.plan, "Hi", "direction"),
        (ks.listen, HUM, "rhythm"),
        (ks.animate, PLANNED, "follow_script"),
        (ks.recreate, PLANNED, "start_s"),
    ],
)
def test_an_unknown_keyword_names_the_function_and_the_known_ones(
    function: Callable[..., object], first: object, own: str
) -> None:
    with pytest.raises(TypeError, match=rf"{function.__name__}\(\) .*'speed'; allowed") as found:
        function(first, speed=2.0)
    allowed = str(found.value).split("allowed are ")[1].split(", ")
    assert {own, "manner", "amount", "seed", "style"} <= set(allowed)


def test_live_characters_refuse_what_needs_the_whole_motion() -> None:
    for how in (Direction(physics="body"), Direction("time=1", part="left-arm")):
        with pytest.raises(InvalidValueError, match="not live"):
            _ = ks.Acting(how).options
    made = ks.Acting(Direction(physics="wrists"), Cast("host")).engine()
    assert isinstance(made, TensedEngine)
    named: Any = "talk.wav"
    assert ks.Hearing(named).sources == ("talk.wav",)
    named = "moved.bvh"
    assert ks.Showing(named).files == ("moved.bvh",)


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


def test_files_are_named_relative_to_the_file(tmp_path: Path) -> None:
    own, path = tmp_path / "own.toml", tmp_path / "all.toml"
    own.write_text("[[point]]\ntime = 0.0\neffort = {time = 1.0}\n", encoding="utf-8")
    path.write_text("[direction]\nmanner_tables = ['own.toml']\n", encoding="utf-8")
    assert read_staging(path).direction.manner_tables == (str(own),)
    path.write_text("[direction]\nphrase = 'own.toml'\n", encoding="utf-8")
    assert read_staging(path).direction.phrase is not None


def test_a_recording_takes_precedence_over_the_voice_of_the_file(tmp_path: Path) -> None:
    path, out = tmp_path / "calm.toml", tmp_path / "take.bvh"
    path.write_text(TOML, encoding="utf-8")
    ks.perform("This is huge.").save(out)  # writes take.wav beside it
    sound = ["--speech", str(out.with_suffix(".wav"))]
    kin = str(tmp_path / "take.kin")
    assert status(["perform", "This is huge.", "--direction", str(path), *sound, "-o", kin]) == 0
    assert ks.load(kin).audio is not None


@pytest.mark.parametrize("option", ["--direction", "--lexemes"])
def test_an_empty_name_of_a_file_is_refused(
    tmp_path: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "take.kin"
    assert status(["perform", "This is huge.", option, "", "-o", str(out)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert not out.exists()


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
