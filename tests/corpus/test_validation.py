"""What annotations lack is found, each with its time, its place and what it matters for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from kinesphere.corpus.annotation.annotation import (
    AnnotatedGesture,
    AnnotatedUnit,
    Annotation,
    PhaseMark,
)
from kinesphere.corpus.annotation.validation import PURPOSES, Finding, check
from tests.corpus.annotations import SMALL, any_annotation

FIST, BLOCK = SMALL.gestures
MADE = (
    "1.800 s, words: 2 of 5 words without a lemma: computed automatically",
    "1.800 s, words: 2 of 5 words without a part of speech: computed automatically",
)


def lines(annotation: Annotation) -> list[str]:
    return [line for line in map(str, check(annotation)) if line not in MADE]


def with_gesture(**changes: object) -> Annotation:
    """Return the small annotation with something else about its first gesture."""
    (unit,) = SMALL.units
    return replace(SMALL, units=(replace(unit, gestures=(replace(FIST, **changes), BLOCK)),))


def test_a_full_annotation_lacks_only_what_is_made_automatically() -> None:
    assert tuple(map(str, check(SMALL))) == MADE
    assert all(not finding.hinders for finding in check(SMALL))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"lexeme": ""},
            "gesture 1 (no lexeme): no lexeme: not usable for a profile, recreation and timing do without",
        ),
        ({"lexeme": "Fistt"}, "gesture 1 (Fistt): lexeme 'Fistt' is unknown, near are Fist"),
        (
            {"hands": None},
            "gesture 1 (Fist): no handedness, allowed are LH, RH, 2H: not usable for a profile, cannot be recreated, timing does without",
        ),
        (
            {"start": None},
            "gesture 1 (Fist): no start position: cannot be recreated, profile and timing do without",
        ),
        ({"end": None}, "gesture 1 (Fist): no end position: cannot be recreated"),
        (
            {"start_distance": None},
            "gesture 1 (Fist): no distance of the two hands at the start: cannot be recreated",
        ),
        (
            {"end_distance": None},
            "gesture 1 (Fist): no distance of the two hands at the end: cannot be recreated",
        ),
        ({"handshape": "fist>moon"}, "gesture 1 (Fist): hand shape 'moon' is unknown"),
        (
            {"affiliate": (3, 5)},
            "gesture 1 (Fist): affiliate is words 4 to 6, allowed are 1 to 5: not usable for a profile, cannot be timed",
        ),
        (
            {"cooccurrence": (-1, 0)},
            "gesture 1 (Fist): co-occurrence is words 0 to 1, allowed are 1 to 5",
        ),
        (
            {"affiliate": None, "cooccurrence": None},
            "gesture 1 (Fist): no affiliate and no co-occurrence: cannot be timed, profile and recreation do without",
        ),
        (
            {"phases": FIST.phases[:1]},
            "gesture 1 (Fist): phases are preparation, allowed are [preparation] [hold] stroke [hold] or [preparation] hold: cannot be recreated, cannot be timed",
        ),
        (
            {"phases": (PhaseMark("stroke", 0.4, 1.0, 2, (0.8, 1.2)),)},
            "gesture 1 (Fist): ends of strokes 0.8 1.2 s do not lie in order from 0.4 to 1 s",
        ),
    ],
)
def test_what_a_gesture_lacks(changes: dict[str, object], expected: str) -> None:
    found = lines(with_gesture(**changes))
    assert any(line.startswith(f"0.400 s, {expected}") for line in found), found


def test_a_hold_gesture_needs_one_position_and_one_distance() -> None:
    (unit,) = SMALL.units
    held = replace(BLOCK, hands="2H", start_distance=0.9)
    assert lines(replace(SMALL, units=(replace(unit, gestures=(FIST, held)),))) == []


@pytest.mark.parametrize(
    ("kinds", "fits"),
    [
        ("s", True),
        ("ps", True),
        ("phs", True),
        ("hs", True),
        ("phsh", True),
        ("sh", True),
        ("h", True),
        ("ph", True),
        ("p", False),
        ("ss", False),
        ("hh", False),
        ("shs", False),
        ("pps", False),
        ("sr", False),
        ("hp", False),
    ],
)
def test_the_grammar_of_phases(kinds: str, fits: bool) -> None:
    names = {"p": "preparation", "h": "hold", "s": "stroke", "r": "retraction"}
    phases = tuple(PhaseMark(names[kind], i, i + 1) for i, kind in enumerate(kinds))
    found = lines(Annotation("", "", 9.0, units=(AnnotatedUnit((AnnotatedGesture(phases),)),)))
    assert any("phases are" in line for line in found) != fits


def test_what_a_unit_lacks() -> None:
    (unit,) = SMALL.units
    bare = replace(unit, retraction=None, rest_pose="")
    assert lines(replace(SMALL, units=(bare,))) == [
        "2.600 s, unit 1: no retraction: cannot be recreated, profile and timing do without",
        "2.600 s, unit 1: no rest pose: at-side is assumed",
    ]
    odd = replace(unit, retraction=PhaseMark("hold", 2.6, 3.0), rest_pose="sofa")
    assert [line.partition(":")[2][:30] for line in lines(replace(SMALL, units=(odd,)))] == [
        " ends with hold, expected retr",
        " rest pose 'sofa', allowed are",
    ]


def test_phases_that_overlap_and_marks_past_the_end() -> None:
    phases = (PhaseMark("preparation", 0.4, 1.0), PhaseMark("stroke", 0.8, 1.4), FIST.phases[2])
    assert lines(with_gesture(phases=phases)) == [
        "0.800 s, phases: stroke begins before preparation ends at 1 s: cannot be recreated, "
        "cannot be timed, profile does without"
    ]
    assert lines(replace(SMALL, duration_s=2.0)) == [
        "2.000 s, annotation: goes on to 3.1 s, the performance lasts 2 s"
    ]


def test_nothing_annotated() -> None:
    assert check(Annotation("", "", 1.0)) == (
        Finding(0.0, "words", "none", ("profile", "timing"), ("recreation",)),
        Finding(0.0, "gestures", "none", PURPOSES),
    )


def test_semantic_tags_are_missing_only_if_there_is_none() -> None:
    bare = replace(SMALL, words=tuple(replace(word, tag="") for word in SMALL.words))
    assert lines(bare) == [
        "0.500 s, words: 5 of 5 words without a semantic tag: computed automatically"
    ]


@settings(max_examples=50)
@given(any_annotation())
def test_everything_is_listed_in_order_and_on_one_line(annotation: Annotation) -> None:
    found = check(annotation)
    assert [f.time_s for f in found] == sorted(f.time_s for f in found)
    assert all("\n" not in str(finding) for finding in found)
    assert all(not set(f.hinders) & set(f.without) for f in found)
    lacking = sum(gesture.start is None for gesture in annotation.gestures)
    assert sum(finding.what == "no start position" for finding in found) == lacking
