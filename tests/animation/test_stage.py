"""The stage: single steps, what fills a gap, limits of speed, and answers of the other hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.animation.acting_rules import acting_rules
from kinesphere.animation.arms.arm_settings import BeatSettings
from kinesphere.animation.arms.between_strokes import WAITING
from kinesphere.animation.arms.hand_events import Act, distance
from kinesphere.animation.arms.observed_stage import ObservedStage
from kinesphere.animation.arms.poses.rest_poses import rest_poses
from kinesphere.animation.arms.stage import Stage
from kinesphere.animation.arms.stroke_timing import Repeat, StrokeTime
from kinesphere.animation.settings import ActingSettings
from kinesphere.animation.speech_cues import SpeechCues
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.lexicon import hand_lexemes, lexicon
from kinesphere.gesture.script import REST_POSES, ScriptGesture
from kinesphere.motion.body.arms import SIDES

PAPER = ActingSettings(paper=True)
RESTS = rest_poses(("half-rest", *WAITING, *REST_POSES), plain=True)
SPOKEN = SpeechCues(np.arange(0.1, 30.0, 0.22), np.full(136, 0.5), ((0.0, 30.0),), end_s=30.0)


def observed(
    s: ActingSettings | None = None, cues: SpeechCues | None = None, seed: int = 0
) -> ObservedStage:
    made = stage(s or ActingSettings(), cues, seed)
    assert isinstance(made, ObservedStage)
    return made


def stage(s: ActingSettings = PAPER, cues: SpeechCues | None = None, seed: int = 0) -> Stage:
    rng = np.random.default_rng(seed)
    cues = cues or SpeechCues(end_s=30.0)
    return acting_rules(s).stage(RESTS, cues, rng, "at-side", 30.0)


def act(name: str, *repeats: Repeat, end_s: float = 2.0, length_s: float = 0.4) -> Act:
    entry = lexicon()[name]
    g = ScriptGesture(
        name,
        "RH",
        "prep+stroke",
        stroke_end_s=end_s,
        stroke_s=length_s,
        after_strokes=tuple(r.end_s for r in repeats),
    )
    low = RESTS["half-rest"]["right"]
    start, end = (low.shift(np.array([0.0, up, 0.05])) for up in (0.4, 0.2))
    time = StrokeTime(end_s - length_s, end_s, 0.5, repeats)
    return Act(0, g, entry, ("right",), {"right": start}, {"right": end}, time)


@given(seed=st.integers(0, 10_000), spread=st.floats(0.0, 1.0))
def test_chance_is_a_factor_about_one_that_is_never_wild(seed: int, spread: float) -> None:
    value = stage(seed=seed).vary(spread)
    assert np.exp(-2.001 * spread) <= value <= np.exp(2.001 * spread)


def test_events_do_not_begin_before_the_hands_are_free() -> None:
    one = stage()
    one.go("stroke", 1.0, 2.0, RESTS["clasped"])
    late = one.go("stroke", 1.5, 1.7, RESTS["at-side"])
    assert late.start_s == 2.0
    assert late.end_s > 2.0
    assert one.now == late.end_s
    assert one.here is RESTS["at-side"]


def test_a_hold_that_is_over_is_none() -> None:
    one = stage()
    one.go("stroke", 0.0, 1.0, RESTS["clasped"])
    one.hold(0.5)
    assert one.now == 1.0
    assert len(one.events) == 1


def test_held_hands_sink_but_not_in_the_paper_and_not_while_they_touch() -> None:
    def sunk(s: ActingSettings, resting: str | None) -> float:
        one = stage(s)
        one.go("stroke", 0.0, 1.0, RESTS["half-rest"])
        one.resting = resting
        one.hold(2.0)
        return min(float(RESTS["half-rest"][k].wrist[1] - one.here[k].wrist[1]) for k in SIDES)

    assert sunk(PAPER, None) == 0.0
    assert sunk(ActingSettings(), "clasped") == 0.0
    assert 0.001 < sunk(ActingSettings(), None) < 0.1


OFTEN = ActingSettings(beats=BeatSettings(apart_s=0.0, hanging=1.0))
"""Beats as often as there are syllables."""


def test_fillers_are_rare() -> None:
    one = observed(None, SPOKEN)
    one.fill(19.0, RESTS["half-rest"], None)
    beats = [e for e in one.events if e.kind == "after-stroke" and e.beat]
    assert len(beats) <= 19.0 / BeatSettings().apart_s + 1


def test_a_peak_goes_to_a_near_syllable_only() -> None:
    cues = SpeechCues(np.array([1.55, 9.0]), np.ones(2), ((0.0, 10.0),), end_s=10.0)
    quiet = ActingSettings(looseness_s=0.0)
    assert observed(quiet, cues).on_syllable(1.0, 2.0, 0.5) == pytest.approx(0.55)
    assert observed(quiet, cues).on_syllable(3.0, 4.0, 0.5) == 0.5
    assert observed(quiet, cues).on_syllable(2.0, 2.0, 0.4) == 0.4


@given(seed=st.integers(0, 5000), until=st.floats(0.0, 12.0), spoken=st.booleans())
def test_a_gap_is_filled_up_to_a_moment_and_not_beyond(
    seed: int, until: float, spoken: bool
) -> None:
    one = observed(None, SPOKEN if spoken else None, seed)
    one.resting = None
    one.fill(until, RESTS["half-rest"], None)
    assert one.now <= until + 0.2
    # What is left is for a slower preparation.
    assert until - one.now < 0.6
    farthest = max((distance(RESTS["at-side"], e.poses) for e in one.events), default=0.0)
    assert farthest < 1.0


@given(seed=st.integers(0, 5000), target=st.booleans())
def test_easing_off_is_one_slow_movement(seed: int, target: bool) -> None:
    one = observed(None, SPOKEN, seed)
    one.settle(1.5, RESTS["clasped"] if target else None)
    (event,) = one.events
    assert event.beat
    way = distance(RESTS["at-side"], event.poses)
    assert way / event.length_s < 0.6


def test_hands_settle_no_farther_than_they_should() -> None:
    def way(settle_m: float) -> float:
        one = observed(ActingSettings(settle_m=settle_m, size=1.0), SPOKEN)
        one.settle(2.0, RESTS["clasped"])
        return distance(RESTS["at-side"], one.events[0].poses)

    assert way(0.05) < 0.1 < way(0.26)


@pytest.mark.parametrize("size", [0.0, 0.05, 0.2])
def test_beats_are_as_large_as_they_should_be(size: float) -> None:
    one = observed(OFTEN, SPOKEN)
    one.beat(20.0, size, RESTS["at-side"])
    lifts = [e for e in one.events if e.kind == "preparation"]
    drops = [e for e in one.events if e.kind == "after-stroke"]
    assert len(lifts) == len(drops) > 5
    ways = [distance(a.poses, b.poses) for a, b in zip(lifts, drops, strict=True)]
    assert np.median(ways) == pytest.approx(size, rel=0.45, abs=1e-9)
    assert one.now <= 20.0 + 0.3


def test_hands_that_touch_beat_as_one() -> None:
    one = observed(OFTEN, SPOKEN)
    one.here, one.resting = RESTS["clasped"], "clasped"
    one.beat(10.0, 0.1, RESTS["clasped"])
    apart = [e.poses["left"].wrist - e.poses["right"].wrist for e in one.events if e.beat]
    assert len(apart) > 4
    assert np.allclose(apart, apart[0], atol=1e-12)
    assert all(e.touch for e in one.events)


@pytest.mark.parametrize("name", hand_lexemes())
def test_short_after_strokes_are_smaller_rather_than_wild(name: str) -> None:
    def largest(length_s: float) -> tuple[float, float]:
        one = stage()
        short = Repeat(2.0, 2.0 + length_s, 2.0 + 2.0 * length_s)
        one.perform(act(name, short), RESTS["half-rest"], from_rest=True)
        up = [e for e in one.events if e.kind == "preparation"][-1].poses["right"]
        goal = next(e for e in one.events if e.kind == "stroke").poses["right"]
        turned = float(np.abs(up.angles - goal.angles).sum())
        return float(np.linalg.norm(up.wrist - goal.wrist)), turned

    slow, quick = largest(1.0), largest(0.05)
    assert quick[0] <= slow[0] + 1e-12
    assert quick[1] <= slow[1] + 1e-12
    # Section 6.5.3: average speeds are limited.
    assert quick[0] / 0.05 < 1.0
    assert quick[1] / 0.05 < 8.0


def test_every_after_stroke_fades() -> None:
    one = stage(ActingSettings(paper=True, size_spread=0.0))
    repeats = tuple(Repeat(2.0 + k, 2.4 + k, 2.9 + k) for k in range(4))
    one.perform(act("Dismiss", *repeats), RESTS["half-rest"], from_rest=True)
    goal = next(e for e in one.events if e.kind == "stroke").poses
    lifts = [distance(e.poses, goal) for e in one.events if e.kind == "preparation"][1:]
    fading = lexicon()["Dismiss"].after.fading
    assert len(lifts) == 4
    assert np.allclose(lifts, lifts[0] * fading ** np.arange(4))


@pytest.mark.parametrize("name", REST_POSES)
def test_a_way_home_ends_at_the_rest_pose(name: str) -> None:
    for s in (PAPER, ActingSettings()):
        one = stage(s)
        one.go("stroke", 0.0, 1.0, RESTS["half-rest"])
        one.retract(name, 1.5)
        home = one.events[-1]
        assert home.kind == "retraction"
        assert home.start_s == pytest.approx(1.5)
        assert one.resting == name
        assert home.poses is RESTS[name]
        assert home.touch == (name in ("clasped", "folded", "behind-back"))


@given(seed=st.integers(0, 2000))
def test_arcs_are_across_the_way_and_not_too_high(seed: int) -> None:
    one = stage(ActingSettings(arc=1.0, arc_spread=1.0), seed=seed)
    one.retract("clasped", 0.0)
    home = one.events[-1]
    for side, arc in home.arcs.items():
        chord = home.poses[side].wrist - RESTS["at-side"][side].wrist
        assert abs(float(arc @ chord)) < 1e-9
        assert np.linalg.norm(arc) <= 0.41 * np.linalg.norm(chord)


@pytest.mark.parametrize(
    "changed",
    [
        {"least_free_s": 3.0},
        {"beat_gap_s": 0.01},
        {"beat_within_s": 0.05},
        {"wait_s": 2.0},
        {"rest_beats_s": (0.5, 0.6)},
        {"least_stir_s": 3.0},
    ],
    ids=lambda row: next(iter(row)),
)
def test_settings_change_what_is_done_between_gestures(changed: dict[str, object]) -> None:
    rows = []
    for s in (OFTEN, replace(OFTEN, **changed)):  # type: ignore[arg-type]
        one = observed(s, SPOKEN)
        one.fill(1.5, RESTS["half-rest"], None)
        one.perform(act("Cup", end_s=3.0), RESTS["half-rest"], from_rest=False)
        one.retract("half-rest", one.now)
        one.rest(14.0)
        rows.append([(e.start_s, e.end_s, tuple(e.poses["left"].wrist)) for e in one.events])
    assert rows[0] != rows[1]


def test_settings_that_cannot_be_are_refused() -> None:
    with pytest.raises(InvalidValueError, match=r"rest_beats_s is 2 to 1, allowed is 0\.1 or more"):
        ActingSettings(rest_beats_s=(2.0, 1.0))
    with pytest.raises(InvalidValueError, match="settle_m is -1"):
        ActingSettings(settle_m=-1.0)


@pytest.mark.parametrize("rest", ["at-side", "clasped"])
def test_hands_at_rest_move_and_change_in_a_long_silence(rest: str) -> None:
    cues = SpeechCues(phrases=((0.0, 1.0), (40.0, 42.0)), end_s=42.0)
    one = observed(None, cues)
    one.here, one.resting, one.now = RESTS[rest], rest, 1.0
    one.rest(40.0)
    ends = np.array([e.end_s for e in one.events])
    wrists = np.array([[e.poses[s].wrist for s in ("left", "right")] for e in one.events])
    moves = np.linalg.norm(np.diff(wrists, axis=0), axis=-1).max(axis=1)
    assert np.diff(ends[1:][moves > 0.002]).max() < 6.0
    changes = ends[1:][moves > 0.08]
    assert 1 <= len(changes) <= 5
    assert np.all(np.diff(changes) > 4.5)  # between their ends
    assert not any(e.beat for e in one.events)
    assert one.resting == "at-side"
    assert one.now == pytest.approx(40.0)
