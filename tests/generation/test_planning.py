"""Units, phases and times of gestures: the paper's rules with the paper's numbers."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from kinesphere.corpus.profiles.counts import GestureCounts, Moments
from kinesphere.corpus.profiles.profile import NO_SMOOTHING, GestureSample, Profile
from kinesphere.generation.creation import Candidate, create
from kinesphere.generation.graph import Arc, AskedGesture, Graph, GraphWord
from kinesphere.generation.planning import Frame, Planned, Planner, rest_pose, script_unit
from kinesphere.generation.settings import GenerationSettings
from kinesphere.generation.turning import turns
from kinesphere.generation.units import group_units
from kinesphere.gesture.positions import HandPosition

HIGH = HandPosition("shoulder", "close", "front", "normal")
LOW = HandPosition("belt", "far", "out", "touch")
SETTINGS = GenerationSettings()
PAPER = GenerationSettings.as_published()


def words(*starts: float, length: float = 0.4) -> tuple[GraphWord, ...]:
    return tuple(GraphWord(f"w{i}", s, s + length) for i, s in enumerate(starts))


def graph(*starts: float, clauses: tuple[tuple[int, int], ...] = ()) -> Graph:
    spoken = words(*starts)
    arcs = tuple(Arc("clause", a, b) for a, b in clauses)
    return Graph(spoken, arcs, (), (), ())


def sample(
    number: int, lexeme: str, start: HandPosition, end: HandPosition | None
) -> GestureSample:
    strokes = 0 if end is None else 1
    length = None if end is None else 0.3
    hold = 0.8 if end is None else None
    return GestureSample(
        number, "s", lexeme, "RH", "", "straight", strokes, length, hold, start, end, None, None
    )


def speaker(strokes: float = 1.0, spread: float = 0.0, offset_spread: float = 0.0) -> Profile:
    """Cup ends 0.1 s before its word, Beat 0.05 s; Frame is a hold that starts 0.2 s before."""

    def moments(mean: float, deviation: float = 0.0) -> Moments:
        return Moments(4, 4 * mean, 4 * (mean**2 + deviation**2))

    counts = GestureCounts(
        duration_s=60.0,
        lexemes={"Cup": 4, "Beat": 4, "Frame": 4},
        hands={"RH": 12},
        strokes={"Cup": moments(strokes, spread), "Beat": moments(1.0)},
        end_offsets={"Cup": moments(0.1, offset_spread), "Beat": moments(0.05, offset_spread)},
        start_offsets={"Frame": moments(0.2)},
        stroke_lengths={"Cup": moments(0.3), "Beat": moments(0.2)},
        after_intervals=Moments(4, 4 * 0.4, 4 * 0.16),
        unit_sizes={"1": 1, "3": 1},
        rest_poses={"clasped": 2, "folded": 1},
    )
    samples = (
        sample(0, "Cup", HIGH, HIGH),
        sample(1, "Cup", LOW, LOW),
        sample(2, "Beat", LOW, HIGH),
        sample(3, "Frame", HIGH, None),
    )
    return Profile("test", "en", counts, samples, smoothing=NO_SMOOTHING)


def frame(word: int, lexeme: str = "Cup") -> Frame:
    return Frame(Candidate(word, lexeme, "T", 0.5, word, word, (word, word), word), "RH", "cup")


def plan(
    text: Graph,
    frames: list[Frame],
    units: list[list[int]],
    who: Profile | None = None,
    seed: int = 0,
) -> tuple[list[list[Planned]], Planner]:
    planner = Planner(text, who or speaker(), SETTINGS, np.random.default_rng(seed))
    return planner.plan(frames, units), planner


def test_units_nearer_than_one_and_a_half_seconds_are_merged() -> None:
    near = graph(0.0, 1.85, clauses=((0, 0), (1, 1)))  # 1.45 s from end to start
    far = graph(0.0, 1.95, clauses=((0, 0), (1, 1)))  # 1.55 s
    path = [frame(0).candidate, frame(1).candidate]
    assert PAPER.unit_gap_s == 1.5
    assert group_units(path, near, PAPER) == [[0, 1]]
    assert group_units(path, far, PAPER) == [[0], [1]]


def test_gestures_of_a_clause_are_one_unit_however_far_apart() -> None:
    text = graph(0.0, 9.0, 20.0, clauses=((0, 1), (2, 2)))
    path = [frame(i).candidate for i in range(3)]
    assert group_units(path, text, PAPER) == [[0, 1], [2]]


def test_units_have_the_speakers_size_without_a_gap() -> None:
    starts = [2.5 * i + 0.7 * (i % 3) for i in range(24)]
    text = graph(*starts, clauses=tuple((i, i) for i in range(24)))
    path = [frame(i).candidate for i in range(24)]
    units = group_units(path, text, SETTINGS, size=3.0, single=0.25)
    assert len(units) == 8
    assert [i for unit in units for i in unit] == list(range(24))


def test_a_stroke_ends_before_its_word_by_the_offset_and_three_tenths() -> None:
    (unit,), _ = plan(graph(5.0), [frame(0)], [[0]])
    (cup,) = unit
    assert cup.stroke_end_s == pytest.approx(5.4 - 0.1 - 0.3)
    assert cup.offset_s == pytest.approx(0.4)
    assert cup.prep
    assert cup.stroke_s == pytest.approx(0.3)
    made = script_unit(unit, graph(5.0), "at-side").gestures[0]
    assert made.type == "prep+stroke"
    assert made.stroke_end_s == pytest.approx(5.0)
    assert made.note("stroke.time.end") == "offset -0,400"
    assert made.remarks == ('Triggered by: "w0" T 5,000 - 5,400',)


def test_a_hold_gesture_starts_with_its_word() -> None:
    (unit,), _ = plan(graph(5.0), [frame(0, "Frame")], [[0]])
    assert unit[0].sample.is_hold
    assert unit[0].start_s == pytest.approx(5.0 - 0.2 - 0.3)
    made = script_unit(unit, graph(5.0), "at-side").gestures[0]
    assert made.type == "prep+hold"
    assert made.hold_start_s == pytest.approx(4.5)
    assert made.end is None


@pytest.mark.parametrize(("apart", "prep"), [(0.79, False), (0.83, True)])
def test_a_preparation_needs_half_a_second(apart: float, prep: bool) -> None:
    """A Cup of 0.3 s follows another one: what is free is the time apart less its length."""
    text = graph(5.0, 5.0 + apart)
    (unit,), _ = plan(text, [frame(0), frame(1)], [[0, 1]])
    assert unit[0].prep
    assert unit[1].prep is prep


def test_without_a_preparation_the_sample_that_starts_nearest_is_taken() -> None:
    text = graph(5.0, 5.6)
    for seed in range(12):
        (unit,), _ = plan(text, [frame(0, "Beat"), frame(1)], [[0, 1]], seed=seed)
        assert unit[1].sample.number == 0  # Beat ends high, Cup 0 starts high
        assert not unit[1].random
    drawn = {
        plan(graph(5.0), [frame(0)], [[0]], seed=seed)[0][0][0].sample.number for seed in range(12)
    }
    assert drawn == {0, 1}  # with a preparation any sample will do


def test_after_strokes_end_with_words_less_an_offset() -> None:
    text = graph(5.0, 5.5, 6.0, 6.5, 7.0, 9.0)
    (unit,), _ = plan(text, [frame(0)], [[0]], speaker(strokes=3.0))
    assert unit[0].after == pytest.approx([5.9 - 0.12, 6.4 - 0.12])
    made = script_unit(unit, text, "at-side").gestures[0]
    assert made.strokes == 3


def test_few_strokes_in_the_mean_are_one() -> None:
    (unit,), _ = plan(graph(5.0, 6.0, 7.0), [frame(0)], [[0]], speaker(strokes=1.1, spread=3.0))
    assert unit[0].after == []


def test_the_next_gesture_makes_room_for_many_strokes_by_one_deviation_at_most() -> None:
    text = graph(5.0, 5.5, 6.0, 6.25)
    who = speaker(strokes=3.0, offset_spread=0.3)
    (unit,), planner = plan(text, [frame(0), frame(3, "Beat")], [[0, 1]], who)
    assert len(unit) == 2
    assert unit[0].after == pytest.approx([5.78, 6.28])
    assert 0.0 < unit[1].moved_s <= 0.3
    assert unit[1].start_s >= unit[0].end_s - 1e-9
    assert planner.dropped == []


def test_a_gesture_without_room_gives_way_and_is_said_to() -> None:
    text = graph(5.0, 5.35, 5.7, 6.0)
    (unit,), planner = plan(text, [frame(0), frame(1, "Beat")], [[0, 1]], speaker(strokes=4.0))
    assert [p.frame.candidate.lexeme for p in unit] == ["Cup"]
    assert len(unit[0].after) >= 1
    assert [d.place for d in planner.dropped] == [1]
    assert "omitted for" in planner.dropped[0].reason


def test_holds_fill_the_time_between_gestures() -> None:
    text = graph(5.0, 7.0)
    (unit,), _ = plan(text, [frame(0), frame(1)], [[0, 1]])
    assert unit[1].prep
    assert unit[0].end_s + unit[0].hold_s == pytest.approx(unit[1].start_s - 0.4)  # its preparation


def test_rest_poses_go_by_the_distance_to_the_next_unit() -> None:
    who = speaker()
    assert rest_pose(1.0, who, SETTINGS) == "clasped"
    assert rest_pose(4.0, who, SETTINGS) == "at-side"
    assert rest_pose(9.0, who, SETTINGS) == "folded"  # this speaker's way to put hands away
    nobody = replace(who, counts=replace(who.counts, rest_poses={}))
    assert rest_pose(9.0, nobody, SETTINGS) == "in-pockets"


def tagged_graph() -> Graph:
    """Two rhemes: tags on words 1 and 3 of the first (focus on 4), on 6 of the second."""
    return Graph(
        words(*(0.5 * i for i in range(8))),
        (Arc("clause", 0, 4), Arc("clause", 5, 7)),
        (Arc("rheme", 1, 4), Arc("rheme", 6, 7)),
        (Arc("focus", 4, 4),),
        (Arc("GIVE", 0, 0), Arc("GIVE", 1, 1), Arc("NONE", 3, 3), Arc("GIVE", 6, 6)),
    )


def trigger_happy() -> Profile:
    counts = GestureCounts(
        duration_s=60.0,
        lexemes={"Cup": 5, "Wipe": 3, "Beat": 2},
        hands={"RH": 10},
        tags={"GIVE": 10, "NONE": 10},
        tag_lexemes={
            ("GIVE", "Cup"): 5,
            ("GIVE", "Beat"): 1,
            ("NONE", "Wipe"): 3,
            ("NONE", "Beat"): 2,
        },
    )
    return Profile("test", "en", counts, (), smoothing=NO_SMOOTHING)


def test_candidates_need_more_than_a_tenth_and_a_rheme() -> None:
    made = create(tagged_graph(), trigger_happy(), 0.1)
    rows = {(c.lexeme, c.first, c.on_focus) for c in made}
    # The GIVE on word 0 is no part of a rheme; Beat on GIVE has exactly 0.1; copies go to word 4.
    assert rows == {
        ("Cup", 1, False),
        ("Cup", 4, True),
        ("Wipe", 3, False),
        ("Wipe", 4, True),
        ("Beat", 3, False),
        ("Beat", 4, True),
        ("Cup", 6, False),
    }
    assert all(c.probability in (0.5, 0.3, 0.2) for c in made)
    assert len({c.group for c in made}) == 3


def test_what_the_author_asks_for_stands_alone() -> None:
    asked = (AskedGesture("Shrug", "2H", 3, 3), AskedGesture("none", None, 6, 6))
    made = create(replace(tagged_graph(), asked=asked), trigger_happy(), 0.1)
    assert {(c.lexeme, c.first) for c in made if not c.on_focus} == {("Cup", 1), ("Shrug", 3)}
    (shrug,) = [c for c in made if c.asked]
    assert shrug.hands == "2H"


def joke_words() -> tuple[GraphWord, ...]:
    """Three paragraphs of three sentences, three seconds each."""
    out = []
    for i in range(36):
        out.append(
            GraphWord(
                f"w{i}", 0.75 * i, 0.75 * i + 0.6, paragraph=i // 12, closes_sentence=i % 4 == 3
            )
        )
    return tuple(out)


def test_the_host_turns_right_before_a_joke_and_left_before_its_end() -> None:
    text = Graph(joke_words(), (), (), (), ())
    host = replace(speaker(), portrait={"turning": "jokes"})
    body, head = turns(text, host, PAPER, np.random.default_rng(0))
    seen = [(t.direction, t.time_s) for t in body]
    for joke in range(3):
        start, last = 9.0 * joke, 9.0 * joke + 6.0
        assert any(d == "right" and start - 1.0 <= t <= start for d, t in seen)
        assert any(d == "left" and last - 1.0 <= t <= last for d, t in seen)
    for turn in body:
        early = [h.time_s for h in head if h.direction == turn.direction]
        assert any(t == pytest.approx(max(turn.time_s - 0.4, 0.0)) for t in early)
    assert len({h.direction for h in head}) >= 4


def test_the_critic_turns_to_whom_he_speaks_and_stays() -> None:
    text = Graph(joke_words(), (), (), (), (Arc("ADDRESSEE", 17, 17),))
    critic = replace(speaker(), portrait={"turning": "address"})
    body, _ = turns(text, critic, PAPER, np.random.default_rng(0))
    assert 1 <= len(body) <= 3
    assert all(b.time_s - a.time_s >= 14.0 for a, b in pairwise(body))


@pytest.mark.parametrize("turning", ["jokes", "address"])
@pytest.mark.parametrize("seed", range(5))
def test_speakers_come_back_to_the_viewer_and_end_there(turning: str, seed: int) -> None:
    words = [replace(w, start_s=w.start_s, end_s=w.end_s) for w in joke_words()]
    late = [replace(w, start_s=w.start_s + 27.0, end_s=w.end_s + 27.0) for w in joke_words()]
    text = Graph((*words, *late), (), (), (), (Arc("ADDRESSEE", 17, 17), Arc("ADDRESSEE", 53, 53)))
    who = replace(speaker(), portrait={"turning": turning})
    body, head = turns(text, who, SETTINGS, np.random.default_rng(seed))
    assert body
    for found in (body, head):
        assert all(b.time_s > a.time_s for a, b in pairwise(found))
        assert [t.direction for t in found[1::2]] == ["front"] * (len(found) // 2)
        assert all(t.direction != "front" for t in found[::2])
        away = [b.time_s - a.time_s for a, b in pairwise(found) if b.direction == "front"]
        assert max(away) < 3.0
        assert found[-1].time_s <= text.duration_s - 2.0
    aside = sum(b.time_s - a.time_s for a, b in zip(body[::2], body[1::2], strict=True))
    assert aside < 0.2 * text.duration_s
    leads = [t.time_s for t in head if t.direction in ("left", "right")]
    assert leads == pytest.approx([max(t.time_s - SETTINGS.head_lead_s, 0.0) for t in body[::2]])


def test_what_the_author_asks_for_is_done_even_on_the_first_word() -> None:
    asked = Frame(Candidate(0, "Cup", "", 1.0, 0, 0, (0, 0), 0, asked=True), "RH", "cup")
    (unit,), planner = plan(graph(0.0, 0.5), [asked], [[0]])
    assert planner.dropped == []
    assert unit[0].start_s >= 0.0
    assert unit[0].stroke_s >= SETTINGS.least_stroke_s


def test_a_first_stroke_ends_with_its_word_at_the_latest() -> None:
    units, planner = plan(graph(0.0, 0.5), [frame(0)], [[0]])
    assert planner.dropped == []
    assert units[0][0].stroke_end_s <= 0.4 + 1e-9


def test_hands_without_time_to_go_home_stay() -> None:
    near = graph(5.0, 6.0)
    units, _ = plan(near, [frame(0), frame(1)], [[0], [1]])
    assert [len(unit) for unit in units] == [2]
    far = graph(5.0, 8.0)
    units, _ = plan(far, [frame(0), frame(1)], [[0], [1]])
    assert [len(unit) for unit in units] == [1, 1]


def test_after_strokes_leave_time_to_go_home() -> None:
    text = graph(5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0)
    units, _ = plan(text, [frame(0), frame(6)], [[0], [1]], speaker(strokes=8.0))
    first, second = units[0][0], units[1][0]
    assert first.after
    assert second.start_s - first.end_s >= SETTINGS.retraction_s - 1e-9


def test_two_hands_have_a_distance_even_if_the_sample_had_one() -> None:
    both = Frame(frame(0).candidate, "2H", "cup")
    (unit,), _ = plan(graph(5.0), [both], [[0]])
    made = script_unit(unit, graph(5.0), "at-side").gestures[0]
    assert (made.start_distance, made.end_distance) == (0.6, 0.95)
