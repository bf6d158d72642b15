"""From timed gestures to events: order, the paper's times, rests, and an end in any case."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kinesphere.animation.acting_rules import acting_rules
from kinesphere.animation.arms.between_strokes import WAITING
from kinesphere.animation.arms.choreography import choreograph
from kinesphere.animation.arms.hand_events import Act, HandEvent
from kinesphere.animation.arms.observed_stage import ObservedStage
from kinesphere.animation.arms.paper_stage import PaperStage
from kinesphere.animation.arms.poses.hand_pose import HandPose
from kinesphere.animation.arms.poses.rest_poses import rest_poses
from kinesphere.animation.arms.stage import Stage
from kinesphere.animation.arms.stroke_timing import Repeat, StrokeTime
from kinesphere.animation.settings import ActingSettings
from kinesphere.animation.speech_cues import SpeechCues
from kinesphere.gesture.lexicon import lexicon
from kinesphere.gesture.script import REST_POSES, ScriptGesture
from kinesphere.motion.body.arms import SIDES, Side

PAPER = ActingSettings(paper=True)
RESTS = rest_poses(("half-rest", *WAITING, *REST_POSES), plain=True)
FINITE = 4000
# Between events there may be this much time that belongs to neither.
SEAM_S = 0.1


class Tired(AssertionError):
    """Raised where a row of events does not come to its end."""


class Guard(Stage):
    """A stage that counts its steps: whatever stands still for too long is an endless loop."""

    steps, stuck = 0, 0

    def hold(self, *args: object, **more: object) -> None:
        before = self.now
        super().hold(*args, **more)
        self._count(self.now > before)

    def go(self, *args: object, **more: object) -> HandEvent:
        event = super().go(*args, **more)
        self._count(True)
        return event

    def _count(self, moved: bool) -> None:
        self.steps += 1
        self.stuck = 0 if moved else self.stuck + 1
        if self.stuck > 50 or self.steps > FINITE + 40 * self.end_s:
            raise Tired(f"{self.steps} steps, {self.stuck} without progress at {self.now:g} s")


class Guarded(Guard, ObservedStage):
    pass


class GuardedPaper(Guard, PaperStage):
    pass


def act(
    end_s: float,
    stroke_s: float = 0.3,
    *,
    index: int = 0,
    name: str = "Cup",
    hands: str = "RH",
    hold_s: float | None = 0.2,
    repeats: tuple[Repeat, ...] = (),
    prep: bool = True,
    high: float = 0.4,
) -> Act:
    sides: tuple[Side, ...] = {"LH": ("left",), "RH": ("right",), "2H": SIDES}[hands]
    kind = ("prep+" if prep else "") + ("stroke" if stroke_s else "hold")
    g = ScriptGesture(
        name,
        hands,
        kind,
        stroke_end_s=end_s if stroke_s else None,
        stroke_s=stroke_s or None,
        hold_start_s=None if stroke_s else end_s,
        hold_s=hold_s,
        after_strokes=tuple(r.end_s for r in repeats) if stroke_s else (),
    )

    def pose(side: Side, up: float) -> HandPose:
        return RESTS["half-rest"][side].shift(np.array([0.0, up, 0.05]))

    start, end = ({side: pose(side, up) for side in sides} for up in (high, high - 0.2))
    time = StrokeTime(end_s - stroke_s, end_s, 0.5, repeats)
    return Act(index, g, lexicon()[name], sides, start, end, time)


def row(
    *units: tuple[list[Act], str],
    cues: SpeechCues | None = None,
    s: ActingSettings = PAPER,
    end_s: float = 10.0,
    seed: int = 0,
) -> list[HandEvent]:
    rng = np.random.default_rng(seed)
    kind = GuardedPaper if s.paper else Guarded
    chosen = acting_rules(s).settings
    cues = cues or SpeechCues(end_s=end_s)
    return choreograph(units, kind(RESTS, cues, chosen, rng, "at-side", end_s))


def check(events: list[HandEvent], end_s: float) -> None:
    """What holds of any row of events."""
    assert events[0].start_s <= SEAM_S
    for event in events:
        assert event.end_s > event.start_s >= 0.0
        assert 0.1 <= event.peak <= 0.9
        for side in SIDES:
            assert np.isfinite(event.poses[side].wrist).all()
    for a, b in pairwise(events):
        assert a.end_s - 1e-9 <= b.start_s <= a.end_s + SEAM_S
    assert events[-1].end_s >= end_s - SEAM_S


def spans(events: list[HandEvent], kind: str) -> list[tuple[float, float]]:
    return [(e.start_s, e.end_s) for e in events if e.kind == kind]


# -- anything goes ---------------------------------------------------------------------------------


def any_units(rng: np.random.Generator) -> list[tuple[list[Act], str]]:
    out, at, index = [], float(rng.choice([0.1, 0.6, 2.0])), 0
    for _ in range(rng.integers(0, 4)):
        acts = []
        for _ in range(rng.integers(1, 4)):
            length = float(rng.choice([0.0, 0.1, 0.3, 0.7]))
            end = at + float(rng.choice([0.0, 0.05, 0.5, 2.0])) + length
            repeats = []
            last = end
            for _ in range(rng.integers(0, 3) if length else 0):
                repeats.append(Repeat(last + 0.05, last + 0.2, last + 0.3))
                last += 0.3
            acts.append(
                act(
                    end,
                    length,
                    index=index,
                    hands=str(rng.choice(["LH", "RH", "2H"])),
                    name=str(rng.choice(["Cup", "Wave", "ThumbsUp", "Progressive"])),
                    hold_s=[None, 0.0, 0.3, 2.0][rng.integers(4)],
                    repeats=tuple(repeats),
                    prep=bool(rng.random() < 0.5),
                )
            )
            index, at = index + 1, last
        out.append((acts, str(rng.choice(REST_POSES))))
        at += float(rng.choice([0.0, 0.5, 3.0, 9.0]))
    return out


def any_speech(rng: np.random.Generator) -> SpeechCues:
    """Speech of any kind: short phrases, phrases that touch, none, no syllables, very many."""
    at, phrases = float(rng.choice([0.0, 0.5])), []
    for _ in range(rng.integers(0, 9)):
        length = float(rng.choice([0.0, 1e-4, 0.04, 0.06, 0.5, 1.0, 3.0]))
        phrases.append((at, at + length))
        at += length + float(rng.choice([0.0, 1e-5, 0.04, 0.3, 2.0]))
    count = int(rng.choice([0, 0, 3, 60, 2000]))
    peaks = np.sort(rng.uniform(0.0, max(at, 1.0), count))
    return SpeechCues(peaks, rng.random(count), tuple(phrases), end_s=at)


KINDS = (
    PAPER,
    ActingSettings(),
    ActingSettings(tempo=3.0),
    ActingSettings(tempo=0.3, still_s=0.0),
    ActingSettings(beat_m=0.005, hold_s=0.0, still_s=0.0),
)


@pytest.mark.parametrize("kind", range(len(KINDS)))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 1_000_000), extra=st.sampled_from([0.0, 0.04, 1.0, 6.0]))
def test_any_gestures_with_any_speech_are_a_row_of_events_that_ends(
    kind: int, seed: int, extra: float
) -> None:
    rng = np.random.default_rng(seed)
    made, cues = any_units(rng), any_speech(rng)
    acts = [a for acts, _ in made for a in acts]
    last = max((a.time.last_s for a in acts), default=0.0)
    end = max(last, cues.end_s) + extra + 0.2
    events = row(*made, cues=cues, s=KINDS[kind], end_s=end, seed=seed)
    check(events, end)
    strokes = Counter(e.act.index for e in events if e.kind == "stroke" and e.act is not None)
    again = Counter(e.act.index for e in events if e.kind == "after-stroke" and e.act is not None)
    for a in acts:
        assert strokes[a.index] == (1 if a.gesture.has_stroke else 0)
        assert again[a.index] == len(a.time.repeats)


@pytest.mark.parametrize(
    "phrases",
    [
        ((0.0, 1.0), (1.0, 2.0), (2.0, 4.0)),
        ((1.0, 1.0), (1.0, 2.0)),
        ((0.0, 0.0),),
        tuple((k * 0.05, k * 0.05 + 0.02) for k in range(200)),
        ((0.0, 60.0),),
    ],
    ids=["touching", "zero and touching", "zero", "very short", "long"],
)
@pytest.mark.parametrize("syllables", [0, 1, 5000])
@pytest.mark.parametrize("rest", ["at-side", "clasped", "half-rest"])
def test_rests_come_to_their_end_whatever_is_said(
    phrases: tuple[tuple[float, float], ...], syllables: int, rest: str
) -> None:
    end = phrases[-1][1] + 3.0
    peaks = np.linspace(0.1, end, syllables)
    cues = SpeechCues(peaks, np.full(syllables, 0.7), phrases, end_s=end)
    stage = Guarded(RESTS, cues, ActingSettings(), np.random.default_rng(0), rest, end)
    stage.rest(end)
    check(stage.events, end)


def test_nothing_to_do_is_a_rest() -> None:
    for s in (PAPER, ActingSettings()):
        events = row(s=s, end_s=5.0)
        assert [e.kind for e in events] == ["rest"]
        check(events, 5.0)


# -- the paper -------------------------------------------------------------------------------------


def test_the_paper_has_no_beats_no_arcs_and_stops_at_keys() -> None:
    cues = SpeechCues(np.arange(0.1, 12.0, 0.2), np.ones(60), ((0.0, 12.0),), end_s=12.0)
    events = row(
        ([act(2.0), act(4.0, index=1)], "at-side"),
        ([act(9.0, index=2)], "clasped"),
        cues=cues,
        end_s=12.0,
    )
    assert not any(e.beat for e in events)
    ways = [e for e in events if e.kind != "stroke"]
    assert all(np.all(arc == 0.0) for e in ways for arc in e.arcs.values())
    assert {e.kind for e in events} == {"rest", "preparation", "stroke", "hold", "retraction"}
    held = [e for e in events if e.kind == "hold"]
    for event in held:
        before = events[events.index(event) - 1]
        for side in SIDES:
            assert np.array_equal(event.poses[side].wrist, before.poses[side].wrist)


def test_preparations_take_what_the_paper_says() -> None:
    events = row(([act(2.0), act(4.0, index=1), act(4.5, index=2)], "at-side"), end_s=8.0)
    # 0.8 s from rest, 0.4 s within a unit, less where the last stroke ends later (equation 6.1).
    wanted = [(0.9, 1.7), (3.3, 3.7), (4.0, 4.2)]
    assert np.allclose(spans(events, "preparation"), wanted, atol=1e-9)
    assert np.allclose(spans(events, "stroke"), [(1.7, 2.0), (3.7, 4.0), (4.2, 4.5)], atol=1e-9)


def test_a_hand_waits_at_the_end_of_a_stroke() -> None:
    events = row(([act(2.0, hold_s=0.5), act(4.0, index=1)], "at-side"), end_s=8.0)
    assert spans(events, "hold")[0] == pytest.approx((2.0, 3.3))


def test_a_unit_ends_with_its_hold_and_a_way_home_of_eight_tenths() -> None:
    events = row(([act(2.0, hold_s=0.5)], "clasped"), end_s=6.0)
    assert spans(events, "hold")[-1] == pytest.approx((2.0, 2.5))
    assert spans(events, "retraction") == [pytest.approx((2.5, 3.3))]
    home = next(e for e in events if e.kind == "retraction")
    for side in SIDES:
        assert np.array_equal(home.poses[side].wrist, RESTS["clasped"][side].wrist)
    assert events[-1].kind == "rest"


def test_little_time_between_units_is_shared_by_the_way_home_and_the_preparation() -> None:
    # Section 6.2.1: 0.8 s each if there is time, else the time is split; strokes stay where they are.
    first, second = act(2.0, hold_s=0.2), act(3.5, index=1)
    events = row(([first], "at-side"), ([second], "at-side"), end_s=6.0)
    assert spans(events, "stroke") == [pytest.approx((1.7, 2.0)), pytest.approx((3.2, 3.5))]
    assert spans(events, "retraction")[0] == pytest.approx((2.2, 2.7))
    assert spans(events, "preparation")[1] == pytest.approx((2.7, 3.2))


def test_after_strokes_are_where_they_were_timed() -> None:
    repeats = (Repeat(2.1, 2.3, 2.5), Repeat(2.6, 2.8, 3.0))
    events = row(([act(2.0, repeats=repeats)], "at-side"), end_s=6.0)
    assert spans(events, "after-stroke") == [pytest.approx((2.3, 2.5)), pytest.approx((2.8, 3.0))]
    assert spans(events, "preparation")[1:] == [
        pytest.approx((2.1, 2.3)),
        pytest.approx((2.6, 2.8)),
    ]


def test_the_other_hand_has_nothing_to_do() -> None:
    events = row(([act(2.0, hands="LH"), act(4.0, index=1, hands="LH")], "at-side"), end_s=8.0)
    for event in events:
        if event.kind in ("preparation", "stroke"):
            assert event.lead == ("left",)
            assert np.array_equal(event.poses["right"].wrist, RESTS["at-side"]["right"].wrist)


# -- people ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("s", [PAPER, ActingSettings()], ids=["paper", "people"])
@pytest.mark.parametrize("spoken", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_hands_go_home_after_every_unit_if_there_is_time(
    s: ActingSettings, spoken: bool, seed: int
) -> None:
    groups = [([act(4.0 + 20.0 * k, index=k)], REST_POSES[k % 5]) for k in range(4)]
    phrases = tuple((2.0 + 20.0 * k, 6.0 + 20.0 * k) for k in range(4)) if spoken else ()
    peaks = np.concatenate([np.arange(a, b, 0.22) for a, b in phrases]) if phrases else np.zeros(0)
    cues = SpeechCues(peaks, np.full(len(peaks), 0.5), phrases, end_s=70.0)
    events = row(*groups, cues=cues, s=s, end_s=72.0, seed=seed)
    for k, (_, rest) in enumerate(groups):
        stroke = 4.0 + 20.0 * k
        own = [e for e in events if stroke - 0.2 < e.start_s < stroke + 18.0]
        homes = [e for e in own if e.kind == "retraction"]
        assert len(homes) == 1
        assert np.allclose(homes[0].poses["left"].wrist, RESTS[rest]["left"].wrist)
        assert homes[0].start_s - stroke < 4.0


def test_hands_do_not_go_home_between_units_that_are_close() -> None:
    peaks = np.arange(1.0, 9.0, 0.2)
    cues = SpeechCues(peaks, np.full(len(peaks), 0.5), ((1.0, 9.0),), end_s=9.0)
    events = row(
        ([act(3.0)], "at-side"), ([act(4.5, index=1)], "at-side"), cues=cues, s=ActingSettings()
    )
    between = [e for e in events if 3.0 < e.start_s < 4.2]
    assert all(e.kind != "retraction" for e in between)
    assert len(spans(events, "retraction")) == 1


def test_while_something_is_said_hands_are_seldom_still_and_else_they_are() -> None:
    peaks = np.arange(0.1, 10.0, 0.22)
    cues = SpeechCues(peaks, np.full(len(peaks), 0.5), ((0.0, 10.0),), end_s=20.0)
    events = row(cues=cues, s=ActingSettings(), end_s=20.0)
    speaking = [e for e in events if e.end_s < 9.5]
    silent = [e for e in events if e.start_s > 10.0]
    moving = sum(e.length_s for e in speaking if e.beat)
    assert moving > 0.5 * sum(e.length_s for e in speaking)
    assert all(e.still for e in silent)


def test_hands_in_pockets_do_not_beat() -> None:
    peaks = np.arange(0.1, 20.0, 0.22)
    cues = SpeechCues(peaks, np.full(len(peaks), 0.5), ((0.0, 20.0),), end_s=20.0)
    for rest in ("in-pockets", "behind-back", "folded"):
        stage = Guarded(RESTS, cues, ActingSettings(), np.random.default_rng(0), rest, 20.0)
        stage.rest(20.0)
        assert all(e.still for e in stage.events)


def test_beats_meet_syllables() -> None:
    rng = np.random.default_rng(5)
    peaks = np.cumsum(rng.uniform(0.5, 0.9, 60))
    cues = SpeechCues(peaks, rng.random(60), ((0.0, 45.0),), end_s=45.0)
    s = ActingSettings(looseness_s=0.02, lead_s=0.0)
    off = []
    for seed in range(4):
        events = row(cues=cues, s=s, end_s=40.0, seed=seed)
        drops = [e for e in events if e.beat and e.kind == "after-stroke"]
        off += [np.abs(peaks - 0.5 * (e.start_s + e.end_s)).min() for e in drops]
    assert len(off) > 36
    # By chance it would be a sixth of a second.
    assert np.median(off) < 0.06


def test_the_other_hand_answers_smaller_and_in_a_mirror() -> None:
    sides: dict[str, tuple[Side, Side]] = {"LH": ("left", "right"), "RH": ("right", "left")}
    for hands, (own, other) in sides.items():
        one = act(3.0, hands=hands)
        events = row(([one], "at-side"), s=replace(ActingSettings(), answer_spread=0.0), end_s=6.0)
        stroke = next(e for e in events if e.kind == "stroke")
        rise = stroke.poses[other].wrist[1] - RESTS["at-side"][other].wrist[1]
        full = stroke.poses[own].wrist[1] - RESTS["at-side"][own].wrist[1]
        assert 0.05 < rise < 0.95 * full
        assert stroke.lead == (own,)


@pytest.mark.parametrize("seed", range(3))
def test_the_same_seed_gives_the_same_events(seed: int) -> None:
    peaks = np.arange(1.0, 9.0, 0.2)
    cues = SpeechCues(peaks, np.full(len(peaks), 0.5), ((1.0, 9.0),), end_s=9.0)
    made = [
        row(([act(3.0), act(6.0, index=1)], "at-side"), cues=cues, s=ActingSettings(), seed=k)
        for k in (seed, seed, seed + 1)
    ]
    times = [[(e.kind, e.start_s, e.end_s, e.peak) for e in events] for events in made]
    assert times[0] == times[1]
    assert times[0] != times[2]
