"""Annotated passages as scripts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kinesphere.corpus.annotation.annotation import (
    AnnotatedGesture,
    AnnotatedUnit,
    Annotation,
    PhaseMark,
)
from kinesphere.errors import InvalidValueError
from kinesphere.generation.recreation import recreate_script
from kinesphere.gesture.lexicon import lexicon
from kinesphere.pipeline.speakers import shipped_annotation


def one(**changes: object) -> Annotation:
    """A Cup with a preparation and two after-strokes, from 4 to 6 s."""
    gesture = AnnotatedGesture(
        (
            PhaseMark("preparation", 4.0, 4.5),
            PhaseMark("stroke", 4.5, 5.5, 3),
            PhaseMark("hold", 5.5, 6.0),
        ),
        "Cup",
        "RH",
    )
    unit = AnnotatedUnit(
        (replace(gesture, **changes),), PhaseMark("retraction", 6.0, 6.5), "clasped"
    )
    return Annotation("x", "en", 9.0, units=(unit,))


def test_phases_become_the_scripts() -> None:
    script, notes = recreate_script(one())
    (gesture,) = script.gestures
    assert gesture.type == "prep+stroke+hold"
    assert gesture.stroke_end_s == pytest.approx(4.5 + 1 / 3)
    assert gesture.after_strokes == pytest.approx((4.5 + 2 / 3, 5.5))
    assert gesture.hold_s == pytest.approx(0.5)
    assert script.units[0].rest_pose == "clasped"
    assert gesture.start == lexicon()["Cup"].start  # nobody annotated it
    assert "the lexicon's is used" in notes[0]


def test_what_lacks_a_hand_is_left_out_and_said() -> None:
    script, notes = recreate_script(one(hands=None))
    assert script.gestures == ()
    assert any("the hand is not annotated" in note for note in notes)


def test_a_gesture_without_lexeme_is_kept() -> None:
    assert recreate_script(one(lexeme=""))[0].gestures[0].lexeme == "none"


@pytest.mark.parametrize(("start", "end", "count"), [(4.5, 5.5, 1), (4.6, 9.0, 0), (0.0, 5.4, 0)])
def test_only_whole_strokes_are_in_a_passage(start: float, end: float, count: int) -> None:
    script, notes = recreate_script(one(), start, end)
    assert len(script.gestures) == count
    assert all(g.meant_start_s >= 0.0 for g in script.gestures)
    assert count or any("no gesture lies between" in note for note in notes)


def test_a_passage_starts_as_the_body_stands() -> None:
    annotation = shipped_annotation("host")
    body = [t for t in annotation.turns if t.part == "body"]
    start = 0.5 * (body[3].time_s + body[4].time_s)
    script, _ = recreate_script(annotation, start, start + 30.0)
    assert script.body_turns[0].direction == body[3].direction
    assert script.body_turns[0].time_s == 0.0
    assert all(g.meant_start_s >= 0.0 for g in script.gestures)


def test_an_empty_passage_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="the passage ends at 2 s"):
        recreate_script(one(), 3.0, 2.0)
