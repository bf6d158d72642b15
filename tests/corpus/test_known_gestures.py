"""A take's own marks as an annotation: phases and gestures that are known, places that are not."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kinesphere as ks
from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.corpus.annotation.annotation import AnnotatedGesture, AnnotatedUnit, PhaseMark
from kinesphere.corpus.annotation.automatic import annotate
from kinesphere.corpus.annotation.known_gestures import KnownGestures, known_gestures
from kinesphere.corpus.annotation.validation import check
from kinesphere.gesture.hand_zones import position_of
from kinesphere.gesture.lexicon import lexicon
from kinesphere.gesture.phases import Hands
from kinesphere.gesture.placement import measure_positions
from kinesphere.gesture.script import GestureScript, ScriptGesture, ScriptUnit, Turn
from kinesphere.motion.clip import Clip
from kinesphere.motion.editing import concatenate
from kinesphere.timeline import Interval, Tier
from tests.gesture.performing import NONE, from_home, performed

RIG = ks.default_rig()
Row = tuple[str, float]
LEXEMES = ("Cup", "Wipe", "none", "Frame")


def tiers(
    phases: list[Row], gestures: list[tuple[float, float, str]], lead: float = 0.0
) -> list[Tier]:
    """Marks of both arms from kinds with lengths."""
    at, row = lead, []
    for kind, length in phases:
        row.append(Interval(at, at + length, kind))
        at += length
    marked = tuple(Interval(lead + a, lead + b, label) for a, b, label in gestures)
    return [
        Tier("phases left", tuple(row)),
        Tier("phases right", tuple(row)),
        Tier("gestures", marked),
        Tier("words", ()),
    ]


# A Cup with two after-strokes and a hold, a small beat, a Wipe without preparation, the way home,
# a beat at rest, and a gesture that is a hold.
PHASES: list[Row] = [
    ("rest", 1.0),
    ("preparation", 0.5),
    ("stroke", 0.4),
    ("hold", 0.1),
    ("preparation", 0.2),
    ("after-stroke", 0.2),
    ("preparation", 0.1),
    ("after-stroke", 0.2),
    ("hold", 0.3),
    ("preparation", 0.25),
    ("after-stroke", 0.25),
    ("hold", 0.5),
    ("stroke", 0.6),
    ("retraction", 0.7),
    ("rest", 0.7),
    ("preparation", 0.25),
    ("after-stroke", 0.25),
    ("rest", 0.5),
    ("preparation", 0.5),
    ("hold", 1.5),
    ("retraction", 0.7),
    ("rest", 1.0),
]
GESTURES = [(1.5, 2.7, "Cup RH"), (4.0, 4.6, "Wipe 2H"), (7.5, 7.5, "LH")]


def only(found: KnownGestures | None) -> tuple[AnnotatedUnit, ...]:
    assert found is not None
    return found.units


def rounded(units: tuple[AnnotatedUnit, ...]) -> list[object]:
    """Everything of units, times to a microsecond."""

    def times(mark: PhaseMark | None) -> object:
        if mark is None:
            return None
        ends = tuple(round(end, 6) for end in mark.stroke_ends)
        return mark.kind, round(mark.start_s, 6), round(mark.end_s, 6), mark.strokes, ends

    return [
        (
            unit.rest_pose,
            times(unit.retraction),
            [
                (g.lexeme, g.hands, g.handshape, g.trajectory, [times(p) for p in g.phases])
                for g in unit.gestures
            ],
        )
        for unit in units
    ]


def test_marks_become_units_of_gestures() -> None:
    first, second = only(known_gestures(tiers(PHASES, GESTURES)))
    cup, wipe = first.gestures
    assert (cup.lexeme, cup.hands, wipe.lexeme, wipe.hands) == ("Cup", "RH", "Wipe", "2H")
    assert [p.kind for p in cup.phases] == ["preparation", "stroke", "hold"]
    assert cup.stroke is not None
    assert cup.stroke.strokes == 3
    assert cup.stroke.stroke_ends == pytest.approx((1.9, 2.4, 2.7))
    assert [(p.start_s, p.end_s) for p in cup.phases] == [
        pytest.approx(row) for row in ((1.0, 1.5), (1.5, 2.7), (2.7, 3.0))
    ]
    # The beat between them is nobody's, nor is the hold after it.
    assert [p.kind for p in wipe.phases] == ["stroke"]
    assert first.retraction is not None
    assert (first.retraction.start_s, first.retraction.end_s) == pytest.approx((4.6, 5.3))
    (held,) = second.gestures
    assert (held.lexeme, held.hands) == ("", "LH")
    assert [p.kind for p in held.phases] == ["preparation", "hold"]
    assert [(p.start_s, p.end_s) for p in held.phases] == [
        pytest.approx(row) for row in ((7.0, 7.5), (7.5, 9.0))
    ]
    for gesture in (cup, wipe, held):
        assert (gesture.start, gesture.end, gesture.handshape, gesture.trajectory) == (
            None,
            None,
            "",
            None,
        )


@st.composite
def performances(draw: st.DrawFn) -> tuple[list[Row], list[tuple[float, float, str]], list[int]]:
    """Phases and gestures as the engine marks them, and how many gestures each unit has."""
    length = st.integers(3, 60).map(lambda n: n / 60.0)
    phases: list[Row] = [("rest", 0.5)]
    gestures, counts = [], []

    def go(kind: str) -> None:
        phases.append((kind, draw(length)))

    def now() -> float:
        return sum(each for _, each in phases)

    for _ in range(draw(st.integers(0, 4))):
        counts.append(draw(st.integers(1, 4)))
        for _ in range(counts[-1]):
            go("preparation")
            start = now()
            go("stroke")
            for _ in range(draw(st.integers(0, 2))):
                if draw(st.booleans()):
                    go("hold")
                go("preparation")
                go("after-stroke")
            # Strokes may end a little later than the tier of gestures says.
            end = now() - draw(st.sampled_from([0.0, 0.02]))
            hands = draw(st.sampled_from(["RH", "LH", "2H"]))
            gestures.append((start, end, f"{draw(st.sampled_from(LEXEMES))} {hands}"))
            if draw(st.booleans()):
                go("hold")
            for _ in range(draw(st.integers(0, 2))):
                go("preparation")
                go("after-stroke")
        go("retraction")
        for _ in range(draw(st.integers(0, 2))):
            go("rest")
            go("preparation")
            go("after-stroke")
        go("rest")
    return phases, gestures, counts


@settings(max_examples=40)
@given(performances())
def test_every_marked_gesture_is_annotated_once_and_nothing_else(
    made: tuple[list[Row], list[tuple[float, float, str]], list[int]],
) -> None:
    phases, gestures, counts = made
    units = only(known_gestures(tiers(phases, gestures)))
    assert [len(unit.gestures) for unit in units] == counts
    found = [g for unit in units for g in unit.gestures]
    assert [(g.lexeme or "none", g.hands) for g in found] == [tuple(g[2].split()) for g in gestures]
    for gesture, (start, end, _) in zip(found, gestures, strict=True):
        assert gesture.stroke is not None
        assert gesture.stroke.start_s == pytest.approx(start)
        assert gesture.stroke.stroke_ends[-1] == pytest.approx(end, abs=0.021)
        assert gesture.phases[0].kind == "preparation"
    last_s = sum(each for _, each in phases)
    annotation = annotate(home_clip(round(30 * last_s), 30.0), RIG, known=KnownGestures(units))
    bad = [f for f in check(annotation.annotation) if f.place not in ("words", "gestures")]
    assert [str(f) for f in bad if "no lexeme" not in f.what] == []


def test_later_marks_are_later_gestures_and_mirrored_ones_of_the_other_hand() -> None:
    plain = only(known_gestures(tiers(PHASES, GESTURES)))
    moved = only(known_gestures(tiers(PHASES, GESTURES, 2.0)))
    later = tuple(
        replace(
            unit,
            gestures=tuple(
                replace(g, phases=tuple(_later(p) for p in g.phases)) for g in unit.gestures
            ),
            retraction=None if unit.retraction is None else _later(unit.retraction),
        )
        for unit in plain
    )
    assert rounded(moved) == rounded(later)
    swap = {"LH": "RH", "RH": "LH", "2H": "2H"}
    other = [(a, b, f"{label[:-2]}{swap[label[-2:]]}") for a, b, label in GESTURES]
    mirrored = only(known_gestures(tiers(PHASES, other)))
    assert [g.hands for u in mirrored for g in u.gestures] == ["LH", "2H", "RH"]
    back = tuple(
        replace(u, gestures=tuple(replace(g, hands=swap[g.hands or "2H"]) for g in u.gestures))
        for u in mirrored
    )
    assert rounded(back) == rounded(plain)


def _later(mark: PhaseMark) -> PhaseMark:
    ends = tuple(end + 2.0 for end in mark.stroke_ends)
    return replace(mark, start_s=mark.start_s + 2.0, end_s=mark.end_s + 2.0, stroke_ends=ends)


def test_a_take_that_is_cut_keeps_what_is_left() -> None:
    marks = [tier.between(2.0, 5.0) for tier in tiers(PHASES, GESTURES)]
    (unit,) = only(known_gestures(marks))
    cup, wipe = unit.gestures
    assert cup.stroke is not None
    assert cup.stroke.stroke_ends == pytest.approx((0.4, 0.7))  # of its after-strokes
    assert wipe.main_stroke_end_s == pytest.approx(2.6)
    assert unit.retraction is not None
    assert unit.retraction.end_s == pytest.approx(3.0)
    (unit,) = only(known_gestures([tier.between(1.2, 4.5) for tier in tiers(PHASES, GESTURES)]))
    assert unit.retraction is None
    assert unit.rest_pose == ""


@pytest.mark.parametrize(
    "marks",
    [
        [],
        tiers(PHASES, GESTURES)[:2],
        tiers(PHASES, GESTURES)[2:],
        [*tiers(PHASES, [])[:2], Tier("gestures", (Interval(1.0, 2.0, "waves at RH"),))],
        [*tiers(PHASES, [])[:2], Tier("gestures", (Interval(1.0, 2.0, ""),))],
        [Tier("phases left", (Interval(0.0, 1.0, "jump"),)), Tier("gestures", ())],
    ],
)
def test_other_tiers_are_no_marks(marks: list[Tier]) -> None:
    assert known_gestures(marks) is None


def test_marks_without_gestures_say_that_there_is_none() -> None:
    assert known_gestures(tiers([("rest", 5.0)], [])) == KnownGestures()
    clip = acted("Wipe", "right")
    assert annotate(clip, RIG).annotation.gestures
    assert annotate(clip, RIG, known=KnownGestures()).annotation.gestures == ()


# What a script says


def script(lexeme: str = "Cup") -> GestureScript:
    def gesture(name: str, hands: str, **more: object) -> ScriptGesture:
        return ScriptGesture(name, hands, "stroke", stroke_end_s=9.0, stroke_s=0.3, **more)  # type: ignore[arg-type]

    first = (
        gesture(lexeme, "RH", handshape="open-rlx>fist", trajectory="curved"),
        gesture("HeadNod", "RH", handshape="fist"),
    )
    rest = (gesture("Wipe", "2H", handshape="open-flat"), gesture("none", "LH"))
    return GestureScript(
        (ScriptUnit(first, "folded"), ScriptUnit(rest, "clasped")),
        (Turn("left", 3.0),),
        (Turn("right-front", 1.0),),
    )


def test_a_script_of_the_same_gestures_says_what_marks_do_not() -> None:
    found = known_gestures(tiers(PHASES, GESTURES), script())
    gestures = [g for unit in only(found) for g in unit.gestures]
    assert [g.handshape for g in gestures] == ["open-rlx>fist", "open-flat", ""]
    assert [g.trajectory for g in gestures] == ["curved", "straight", "straight"]
    # Two units of the script were done without a rest between them.
    assert [unit.rest_pose for unit in only(found)] == ["clasped", "clasped"]
    assert found is not None
    assert [(t.time_s, t.part, t.direction) for t in found.turns] == [
        (1.0, "head", "right-front"),
        (3.0, "body", "left"),
    ]
    # When strokes are done is what the take says.
    assert gestures[0].main_stroke_end_s == pytest.approx(1.9)


def test_a_script_of_other_gestures_does_not_count() -> None:
    plain = known_gestures(tiers(PHASES, GESTURES))
    assert known_gestures(tiers(PHASES, GESTURES), script("Frame")) == plain
    assert known_gestures(tiers(PHASES, GESTURES[:2]), script()) == known_gestures(
        tiers(PHASES, GESTURES[:2])
    )


# What is measured


@cache
def acted(name: str, hands: Hands) -> Clip:
    return from_home(performed(lexicon()[name], hands, np.random.default_rng(3), NONE, 1)).clip


def bare(gesture: AnnotatedGesture) -> AnnotatedGesture:
    return AnnotatedGesture(gesture.phases, gesture.lexeme, gesture.hands)


def test_what_marks_leave_open_is_measured_as_in_motion_that_has_none() -> None:
    clip = concatenate([acted("Wipe", "right"), acted("Frame", "both"), acted("Block", "left")])
    words = [Interval(t, t + 0.3, "nothing") for t in np.arange(0.5, clip.duration_s - 0.5, 0.5)]
    found = annotate(clip, RIG, words).annotation
    assert {g.hands for g in found.gestures} == {"LH", "RH", "2H"}
    units = tuple(
        AnnotatedUnit(tuple(bare(g) for g in unit.gestures), unit.retraction)
        for unit in found.units
    )
    again = annotate(clip, RIG, words, known=KnownGestures(units))
    assert again.annotation.units == found.units
    assert again.guesses == tuple(g.lexeme for g in found.gestures)
    assert set(again.confidences) <= {0.0, 1.0}
    assert again.annotation.note != found.note


def test_what_marks_say_is_kept_whatever_the_motion_looks_like() -> None:
    clip = acted("Wipe", "left")
    mark = PhaseMark("stroke", 0.5, 2.0, 2, (1.6, 2.0))
    said = AnnotatedGesture((mark,), "Victory", "LH", "fist", "curved")
    known = KnownGestures((AnnotatedUnit((said,), rest_pose="folded"),))
    (unit,) = annotate(clip, RIG, known=known).annotation.units
    (gesture,) = unit.gestures
    assert unit.rest_pose == "folded"
    assert replace(gesture, start=None, end=None) == said
    places = measure_positions(clip, RIG, "left").values
    for found, time_s in ((gesture.start, 0.5), (gesture.end, 1.6)):
        assert found == position_of(places[round(time_s * clip.fps)])
    assert gesture.start != gesture.end


@pytest.mark.parametrize("frames", [1, 2, 30])
def test_marks_may_go_on_after_the_motion(frames: int) -> None:
    known = known_gestures(tiers(PHASES, GESTURES))
    found = annotate(home_clip(frames, 30.0), RIG, known=known)
    assert len(found.annotation.gestures) == 3
