"""Times of strokes: the printed rules exactly, people's loosely, and never two at once."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.animation.arms.stroke_timing import (
    WARP_PEAKS,
    Repeat,
    StrokeTime,
    Timed,
    fit_repeats,
    prep_start,
    stroke_times,
)
from kinesphere.animation.settings import ActingSettings
from kinesphere.animation.speech_cues import SpeechCues
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.lexicon import WARPS, hand_lexemes, lexicon
from kinesphere.gesture.script import ScriptGesture

PAPER = ActingSettings().paper_preset()
FOLLOW = ActingSettings(follow_script=True)
LAX = 1e-9


def gesture(
    end_s: float,
    stroke_s: float = 0.3,
    after: tuple[float, ...] = (),
    name: str = "Cup",
    type_: str = "prep+stroke+hold",
) -> ScriptGesture:
    return ScriptGesture(
        name, "RH", type_, stroke_end_s=end_s, stroke_s=stroke_s, after_strokes=after, hold_s=0.1
    )


def timed(g: ScriptGesture, size_m: float = 0.25, effort: float = 0.0) -> Timed:
    return Timed(g, lexicon()[g.lexeme], size_m, effort, g.has_prep)


def times(
    *gestures: ScriptGesture,
    cues: SpeechCues | None = None,
    s: ActingSettings = PAPER,
    seed: int = 0,
) -> list[StrokeTime]:
    rng = np.random.default_rng(seed)
    return stroke_times([timed(g) for g in gestures], cues or SpeechCues(), s, rng)


# -- equation 6.1 ----------------------------------------------------------------------------------


@given(start=st.floats(0.0, 1e3), last=st.floats(0.0, 1e3), from_rest=st.booleans())
def test_preparations_start_as_printed(start: float, last: float, from_rest: bool) -> None:
    usual = 0.8 if from_rest else 0.4
    assert prep_start(start, last, from_rest=from_rest) == max(start - usual, last)


# -- after-strokes, section 6.5.3 ------------------------------------------------------------------


def as_printed(
    e_before: float, e_last: float, e: float, prep: float, stroke: float, hold: float
) -> tuple[float, float, float] | None:
    """Lengths of hold, preparation and stroke between the ends of two strokes, word by word."""
    window = e - e_last
    p_i, s_i, h_i = prep * window, stroke * window, hold * window
    h_last = hold * (e_last - e_before)
    if h_last + p_i + s_i <= window:
        return window - p_i - s_i, p_i, s_i
    h_last = (h_last + h_i) / 2.0
    if h_last > window / 2.0:
        return None  # after a long stroke the printed hold leaves too little, or nothing
    remaining = window - h_last
    return h_last, remaining * p_i / (p_i + s_i), remaining * s_i / (p_i + s_i)


@settings(max_examples=200)
@given(
    parts=st.tuples(st.floats(0.05, 1.0), st.floats(0.05, 1.0), st.floats(0.0, 1.0)),
    main=st.floats(0.03, 2.0),
    windows=st.lists(st.floats(0.05, 2.0), max_size=6),
)
def test_after_strokes_fit_as_printed(
    parts: tuple[float, float, float], main: float, windows: list[float]
) -> None:
    prep, stroke, hold = (p / sum(parts) for p in parts)
    ends = list(np.cumsum([10.0, *windows])[1:])
    made = fit_repeats(10.0 - main, 10.0, ends, (prep, stroke, hold))
    assert [r.end_s for r in made] == ends
    marks = [10.0 - main, 10.0, *ends]
    for before, last, end, r in zip(marks[:-2], marks[1:-1], marks[2:], made, strict=True):
        assert last - LAX <= r.prep_start_s <= r.start_s + LAX
        assert r.start_s <= r.end_s + LAX
        wanted = as_printed(before, last, end, prep, stroke, hold)
        found = (r.prep_start_s - last, r.start_s - r.prep_start_s, r.end_s - r.start_s)
        assert wanted is None or found == pytest.approx(wanted, abs=1e-9)


def test_a_hold_is_extended_where_there_is_time() -> None:
    (made,) = fit_repeats(0.0, 0.5, [1.5], (0.2, 0.2, 0.6))
    assert made == Repeat(pytest.approx(1.1), pytest.approx(1.3), 1.5)


def test_a_hold_is_the_mean_of_two_where_there_is_not() -> None:
    (made,) = fit_repeats(0.0, 1.0, [1.5], (0.4, 0.4, 0.2))
    # 0.2 s after a second, 0.1 s after half of one: 0.15 s, and the rest in two halves.
    assert made.prep_start_s == pytest.approx(1.15)
    assert made.start_s == pytest.approx(1.325)


def test_waving_has_no_holds() -> None:
    made = fit_repeats(0.0, 1.0, [1.5, 1.8, 2.6], (0.5, 0.5, 0.0))
    assert [r.prep_start_s for r in made] == pytest.approx([1.0, 1.5, 1.8])
    assert [r.start_s for r in made] == pytest.approx([1.25, 1.65, 2.2])


def test_no_after_strokes() -> None:
    assert fit_repeats(0.0, 1.0, [], (0.4, 0.4, 0.2)) == []


# -- whole scripts ---------------------------------------------------------------------------------


@st.composite
def scripts(draw: st.DrawFn) -> list[ScriptGesture]:
    """Gestures one after the other, sometimes so close that they cannot all be in time."""
    out, at = [], draw(st.floats(0.3, 2.0))
    for _ in range(draw(st.integers(1, 7))):
        length = draw(st.floats(0.05, 0.8))
        end = at + draw(st.sampled_from([0.0, 0.1, 0.5, 1.5])) + length
        count = draw(st.integers(0, 3))
        gap = draw(st.sampled_from([0.1, 0.3, 0.6]))
        after = tuple(end + gap * (k + 1) for k in range(count))
        name = draw(st.sampled_from(["Cup", "Progressive", "Wave", "Chop", "Dismiss"]))
        kind = draw(st.sampled_from(["prep+stroke+hold", "stroke", "prep+stroke", "stroke+hold"]))
        if draw(st.integers(0, 5)) == 0:
            out.append(ScriptGesture(name, "RH", "prep+hold", hold_start_s=end, hold_s=0.3))
        else:
            out.append(gesture(end, length, after, name, kind))
        at = out[-1].last_stroke_end_s
    return out


def cues_for(gestures: list[ScriptGesture], seed: int) -> SpeechCues:
    rng = np.random.default_rng(seed)
    moments = [
        None if rng.random() < 0.3 else g.last_stroke_end_s + float(rng.uniform(-0.6, 0.6))
        for g in gestures
    ]
    peaks = np.sort(rng.uniform(0.0, gestures[-1].end_s + 1.0, 30))
    return SpeechCues(
        peaks, rng.random(30), ((0.0, 50.0),), tuple(moments), (0.5,) * len(moments), (), 50.0
    )


@settings(max_examples=150)
@given(
    gestures=scripts(),
    seed=st.integers(0, 1000),
    s=st.sampled_from(
        [PAPER, FOLLOW, ActingSettings(), ActingSettings(tempo=2.5, looseness_s=0.5)]
    ),
)
def test_strokes_keep_their_order_and_never_overlap(
    gestures: list[ScriptGesture], seed: int, s: ActingSettings
) -> None:
    made = times(*gestures, cues=cues_for(gestures, seed), s=s, seed=seed)
    assert len(made) == len(gestures)
    last = 0.0
    for g, time in zip(gestures, made, strict=True):
        assert time.start_s >= last - LAX
        assert (time.end_s > time.start_s) == g.has_stroke
        assert 0.1 <= time.peak <= 0.9
        last = time.end_s
        for r in time.repeats:
            assert last - LAX <= r.prep_start_s <= r.start_s + LAX
            assert r.start_s <= r.end_s + LAX
            assert last < r.end_s
            last = r.end_s
        assert len(time.repeats) <= len(g.after_strokes)
        assert time.last_s == last


@given(
    lengths=st.lists(st.floats(0.05, 0.9), min_size=1, max_size=6),
    gap=st.floats(0.25, 1.0),
    seed=st.integers(0, 99),
    s=st.sampled_from([PAPER, FOLLOW]),
)
def test_written_ends_of_strokes_are_kept_exactly(
    lengths: list[float], gap: float, seed: int, s: ActingSettings
) -> None:
    ends = np.cumsum([length + gap for length in lengths]) + 0.5
    gestures = [gesture(float(e), length) for e, length in zip(ends, lengths, strict=True)]
    made = times(*gestures, cues=cues_for(gestures, seed), s=s, seed=seed)
    assert [t.end_s for t in made] == [g.stroke_end_s for g in gestures]
    if s.paper:
        written = [max(g.stroke_s or 0.0, 1.0 / 30.0) for g in gestures]
        assert [t.end_s - t.start_s for t in made] == pytest.approx(written)


@pytest.mark.parametrize("s", [PAPER, FOLLOW], ids=["paper", "follow"])
@pytest.mark.parametrize("following", ["prep+stroke+hold", "stroke"])
def test_written_ends_of_after_strokes_are_kept_exactly(s: ActingSettings, following: str) -> None:
    # What follows begins when the last after-stroke is over, as annotations of speakers have it.
    first = gesture(1.0, 0.3, (1.2, 1.6, 2.1))
    second = gesture(2.5, 0.4, type_=following)
    made = times(first, second, s=s)
    assert [r.end_s for r in made[0].repeats] == [1.2, 1.6, 2.1]
    assert made[1].end_s == 2.5


def test_the_papers_preparation_may_be_left_no_time() -> None:
    # Equation 6.1: the end of a stroke is kept, however little is left for the preparation.
    made = times(gesture(1.0, 0.3), gesture(1.25, 0.2))
    assert [t.end_s for t in made] == [1.0, 1.25]


@given(seed=st.integers(0, 500), moment=st.floats(2.0, 4.0), size=st.floats(0.05, 0.6))
def test_people_are_fastest_near_the_syllable(seed: int, moment: float, size: float) -> None:
    s = ActingSettings()
    g = gesture(3.0)
    cues = SpeechCues(gestures=(moment,), accents=(0.5,))
    (made,) = stroke_times([timed(g, size)], cues, s, np.random.default_rng(seed))
    off = made.peak_s - (moment - s.lead_s)
    assert abs(off) <= 2.3 * s.looseness_s


def test_the_peak_is_early_by_the_lead_on_average() -> None:
    s = ActingSettings(looseness_s=0.08, lead_s=0.05)
    cues = SpeechCues(gestures=(3.0,), accents=(0.5,))
    off = [times(gesture(3.0), cues=cues, s=s, seed=k)[0].peak_s - 3.0 for k in range(400)]
    assert np.mean(off) == pytest.approx(-0.05, abs=0.02)
    assert np.std(off) == pytest.approx(0.08, rel=0.25)


def test_without_a_cue_the_script_counts() -> None:
    (made,) = times(gesture(3.0), s=ActingSettings())
    assert made.end_s == 3.0


@pytest.mark.parametrize("s", [ActingSettings(), FOLLOW])
def test_tempo_and_effort_change_lengths(s: ActingSettings) -> None:
    def length(row: Timed, tempo: float = 1.0) -> float:
        chosen = replace(s, tempo=tempo)
        (made,) = stroke_times([row], SpeechCues(), chosen, np.random.default_rng(0))
        return made.end_s - made.start_s

    g = gesture(3.0, 0.4)
    if s.follow_script:
        assert length(timed(g, 0.2, 1.0)) == length(timed(g, 0.5, -1.0), 2.0) == pytest.approx(0.4)
        return
    assert length(timed(g, effort=0.8)) < length(timed(g)) < length(timed(g, effort=-0.8))
    assert length(timed(g, 0.1)) < length(timed(g, 0.4))
    assert length(timed(g), 0.7) < length(timed(g), 1.4)


def test_hold_gestures_have_no_stroke() -> None:
    hold = ScriptGesture("Stop", "RH", "prep+hold", hold_start_s=1.5, hold_s=1.0)
    for s in (PAPER, FOLLOW, ActingSettings()):
        (made,) = times(hold, s=s)
        assert (made.start_s, made.end_s, made.repeats) == (1.5, 1.5, ())


def test_every_warp_has_its_peak_and_hits_are_late() -> None:
    assert set(WARP_PEAKS) == set(WARPS)
    assert WARP_PEAKS["soft"] < WARP_PEAKS["ease"] < 0.5 <= WARP_PEAKS["even"] < WARP_PEAKS["hit"]
    for name in hand_lexemes():
        (made,) = times(gesture(2.0, name=name))
        assert made.peak == WARP_PEAKS[lexicon()[name].warp]
        assert made.peak_s == pytest.approx(1.7 + 0.3 * made.peak)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"tempo": 0.1}, "tempo is 0.1, allowed is 0.3 to 3"),
        ({"size": 5.0}, "size is 5"),
        ({"overlap": 0.9}, "overlap is 0.9"),
        ({"hold_s": -0.1}, "hold_s is -0.1, allowed is 0 or more"),
        ({"arc": float("nan")}, "arc is nan"),
    ],
)
def test_settings_refuse_what_cannot_be(wrong: dict[str, float], said: str) -> None:
    with pytest.raises(InvalidValueError) as found:
        ActingSettings(**wrong)
    assert said in str(found.value)


def test_longer_ways_last_longer() -> None:
    s = ActingSettings()
    lengths = [s.lasting(m, 1.0) for m in (0.02, 0.1, 0.4, 0.8)]
    assert all(a < b for a, b in pairwise(lengths))
    assert ActingSettings(tempo=2.0).lasting(0.3, 1.0) == pytest.approx(2.0 * s.lasting(0.3, 1.0))
