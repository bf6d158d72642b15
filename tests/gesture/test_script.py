"""The gesture script: appendix A, round trips, and what is wrong with a line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.gesture.lexicon import HAND_SHAPES, hand_lexemes, lexicon, suggestion
from kinesphere.gesture.positions import (
    DIMENSIONS,
    DISTANCES,
    HEIGHTS,
    INCLINATIONS,
    RADIALS,
    HandPosition,
    place_name,
)
from kinesphere.gesture.script import (
    HEAD_DIRECTIONS,
    REST_POSES,
    GestureScript,
    ScriptGesture,
    ScriptUnit,
    Turn,
)
from kinesphere.gesture.script_text import read_script, script_of_text, script_text, write_script

APPENDIX = Path(__file__).parent / "appendix_a.txt"

positions = st.builds(
    HandPosition,
    st.sampled_from(HEIGHTS),
    st.sampled_from(DISTANCES),
    st.sampled_from(RADIALS),
    st.sampled_from(INCLINATIONS),
)
comments = st.text(st.characters(categories=("L", "N", "P"), exclude_characters="-"), max_size=12)
seconds = st.floats(0.0, 1e4)


@st.composite
def gestures(draw: st.DrawFn) -> ScriptGesture:
    stroke = draw(st.booleans())
    ends = sorted(draw(st.sets(seconds, min_size=1, max_size=4)))
    kinds = ["stroke", "stroke+hold"] if stroke else ["hold"]
    keys = ("lexeme", "<handedness", "type", "<stroke.trajectory")
    notes = tuple((key, draw(comments)) for key in keys if draw(st.booleans()))
    two = draw(st.booleans())
    return ScriptGesture(
        lexeme=draw(st.sampled_from(hand_lexemes())),
        hands="2H" if two else draw(st.sampled_from(("LH", "RH"))),
        type=draw(st.sampled_from(("", "prep+"))) + draw(st.sampled_from(kinds)),
        handshape=draw(st.sampled_from(("", *HAND_SHAPES))),
        trajectory=draw(st.sampled_from(("straight", "curved"))),
        stroke_end_s=ends[0] if stroke else None,
        stroke_s=draw(st.floats(0.0, 3.0)) if stroke else None,
        hold_start_s=None if stroke else ends[0],
        hold_s=draw(st.none() | st.floats(0.0, 9.0)),
        after_strokes=tuple(ends[1:]) if stroke else (),
        start=draw(positions),
        end=draw(positions) if stroke else None,
        start_distance=draw(st.floats(0.0, 3.0)) if two else None,
        end_distance=draw(st.floats(0.0, 3.0)) if two and stroke else None,
        notes=notes,
        remarks=tuple(draw(st.lists(comments, max_size=2))),
        closing=tuple(draw(st.lists(comments, max_size=2))),
    )


units = st.builds(
    ScriptUnit,
    st.lists(gestures(), min_size=1, max_size=3).map(tuple),
    st.sampled_from(REST_POSES),
    st.lists(comments, max_size=2).map(tuple),
)
scripts = st.builds(
    GestureScript,
    st.lists(units, max_size=3).map(tuple),
    st.lists(st.builds(Turn, st.sampled_from(("left", "front", "right")), seconds), max_size=3).map(
        tuple
    ),
    st.lists(st.builds(Turn, st.sampled_from(HEAD_DIRECTIONS), seconds), max_size=3).map(tuple),
    st.just((("2h_distance.min", "0.31"),)),
    st.lists(comments.filter(bool), max_size=2).map(tuple),
)


@settings(max_examples=150, deadline=None)
@given(scripts)
def test_a_script_written_and_read_is_the_same(script: GestureScript) -> None:
    assert script_of_text(script_text(script)) == script


def test_the_appendix_is_read_with_every_field() -> None:
    script = read_script(APPENDIX)
    assert script.header == (("2h_distance.min", "0.3130435160733115"),)
    assert script.body_turns == (Turn("right", 10.073230361),)
    assert script.head_turns == (Turn("right", 9.673230361), Turn("front", 17.305170822))
    (unit,) = script.units
    assert unit.rest_pose == "at-side"
    fist, umbrella = unit.gestures
    assert (fist.lexeme, fist.hands, fist.handshape, fist.type) == (
        "Fist",
        "2H",
        "fist",
        "prep+stroke+hold",
    )
    assert (fist.stroke_end_s, fist.stroke_s) == (9.897439842000004, 0.6936347179353073)
    assert fist.after_strokes == (10.485929679, 10.88846035)
    assert (fist.strokes, fist.hold_s, fist.trajectory) == (3, 0.4880431763966211, "straight")
    assert (fist.start_distance, fist.end_distance) == (0.6537408296950502, 0.8116517219742472)
    assert fist.start == HandPosition("shoulder", "close", "front", "normal")
    assert fist.end == HandPosition("chest", "close", "front", "normal")
    assert fist.remarks == (
        "start time = 8,704",
        'Triggered by: "civil war" AGGRESSION 10,473 - 11,188',
    )
    assert fist.note("lexeme") == "from sample 32 (random)"
    assert fist.note("<stroke.trajectory") == "total stroke duration = 1,685"
    assert fist.note("stroke.time.end") == "offset -1,291"
    assert fist.closing == ("end time = 11,377",)
    assert fist.end_s == pytest.approx(11.377, abs=1e-3)  # as the comment says
    assert (umbrella.lexeme, umbrella.hands, umbrella.type) == ("Umbrella", "LH", "prep+stroke")
    assert umbrella.start == HandPosition("abdomen", "normal", "out", "normal")
    assert umbrella.start_distance is None
    assert "[init]" in umbrella.remarks[1]
    assert script_of_text(script_text(script)) == script


def test_a_file_written_is_the_file_read(tmp_path: Path) -> None:
    script = read_script(APPENDIX)
    path = tmp_path / "a.script"
    write_script(script, path)
    assert read_script(path) == script


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("handedness=2H", "handedness=XH", 20, "handedness 'XH', allowed are LH, RH, 2H"),
        ("stroke.number=3", "stroke.number=2", 31, "stroke.number is 2, but there are 3 strokes"),
        ("=9.897439842000004", "=9,897", 30, "stroke.time.end is '9,897'"),
        ("height=chest", "height=knee", 39, "height is 'knee', allowed are above-head"),
        ("handshape=fist", "hand=fist", 25, "found 'hand=fist', allowed are lexeme"),
        ("END_G_UNIT", "", 17, "BEGIN_G_UNIT without END_G_UNIT"),
        ("RETRACT_GESTURE pose=at-side", "", 77, "without RETRACT_GESTURE"),
        ("ROTATE_HEAD front", "ROTATE_HEAD up", 11, "direction 'up', allowed are left"),
        ("mstroke.1.time", "mstroke.2.time", 20, "mstroke numbers are [0, 2]"),
        ("type=prep+stroke+hold", "type=stroke+prep", 20, "type 'stroke+prep', allowed"),
        ("END_BODY_ROTATIONS", "", 9, "found 'BEGIN_HEAD_ROTATIONS'"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(old: str, new: str, line: int, said: str) -> None:
    text = APPENDIX.read_text(encoding="utf-8")
    assert old in text
    with pytest.raises(UnreadableError) as caught:
        script_of_text(text.replace(old, new, 1))
    assert said in str(caught.value)
    assert caught.value.place is not None
    assert abs(int(caught.value.place.split()[1]) - line) <= 2


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 4000), st.text(max_size=3))
def test_a_damaged_script_is_read_or_refused_in_one_line(at: int, put: str) -> None:
    text = APPENDIX.read_text(encoding="utf-8")
    try:
        script_of_text(text[:at] + put + text[at + 2 :])
        script_of_text(text[:at])
    except UnreadableError as error:
        assert "\n" not in str(error)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.script"
    path.write_bytes(b"\xff\xfe\x00lexeme")
    with pytest.raises(UnreadableError, match="not UTF-8"):
        read_script(path)


def test_strokes_must_ascend_and_phases_fit() -> None:
    fist = read_script(APPENDIX).gestures[0]
    with pytest.raises(InvalidValueError, match="must ascend"):
        replace(fist, after_strokes=(9.0, 10.0))
    with pytest.raises(InvalidValueError, match="needs the start of its hold"):
        replace(fist, type="prep+hold", stroke_end_s=None)


@given(positions, positions)
def test_positions_are_written_and_read_and_apart(a: HandPosition, b: HandPosition) -> None:
    assert HandPosition.of_text(str(a)) == a
    assert a.steps_to(b) == b.steps_to(a)
    assert (a.steps_to(b) == 0) == (a == b)
    for dimension in DIMENSIONS:
        assert (
            a.shift(dimension, 9).steps_to(a.shift(dimension, -9)) == len(DIMENSIONS[dimension]) - 1
        )


def test_names_of_places_are_forgiving() -> None:
    assert place_name("radial", "Far_Out") == "far-out"
    with pytest.raises(InvalidValueError, match="radial is 'up', allowed are far-out"):
        place_name("radial", "up")


def test_the_lexicon_is_complete() -> None:
    entries = lexicon()
    assert len(entries) >= 95
    assert len(entries) - len(hand_lexemes()) == 5
    for entry in entries.values():
        if not entry.without_hands:
            assert sum(entry.hands) == pytest.approx(1.0)
            assert entry.shapes
            assert all(-1.0 <= v <= 1.0 for v in entry.effort)
    assert suggestion("cupp").startswith("Cup")
