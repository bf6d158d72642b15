"""Ends of segments and beats against speech: what is planted is found, and gone when shifted."""

from __future__ import annotations

import time

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.errors import InvalidValueError
from kinesphere.evaluation.movement import WristMotion, wrist_motion
from kinesphere.evaluation.segment_synchrony import near_shares, segment_ends, segment_synchrony
from kinesphere.evaluation.speech_timing import (
    UNITS,
    SpeechMarks,
    SpokenMotion,
    speech_marks,
    speech_timing,
    unit_ends,
)
from kinesphere.maths.arrays import Floats
from kinesphere.timeline import Interval, Tier
from tests.evaluation.test_movement import RIG, along, moved_wrists, moves
from tests.evaluation.test_synchrony import SPEECH, syllables
from tests.speech.voices import babble


def planted(rng: np.random.Generator, marks: Floats, late_s: float, count: int = 90) -> Floats:
    """Ends on syllables, so much late, as exactly as a person might."""
    chosen = rng.choice(marks[:-1], count, replace=False)
    return np.sort(chosen + late_s + rng.normal(0.0, 0.015, size=count))


def test_planted_synchrony_is_found_and_vanishes_under_shift(rng: np.random.Generator) -> None:
    marks = syllables(rng)
    ends = planted(rng, marks, 0.0)
    found = segment_synchrony(ends, marks, SPEECH)
    assert found.ends.p < 0.01
    assert found.p <= 0.01
    assert found.best_lag_s == pytest.approx(0.0, abs=0.03)
    assert found.near.max() > 0.95 > found.high > found.chance
    away = segment_synchrony((ends + 7.3) % 30.0, marks, SPEECH)
    assert away.ends.p > 0.05
    assert away.p > 0.05
    assert away.near.max() <= away.high + 0.05


@pytest.mark.parametrize("late_s", [-0.2, 0.12, 0.3])
def test_a_constant_delay_is_seen_as_one(rng: np.random.Generator, late_s: float) -> None:
    """Ends that all come 0.12 s late are not near syllables, but the curve shows why."""
    marks = syllables(rng)
    found = segment_synchrony(planted(rng, marks, late_s), marks, SPEECH)
    assert found.best_lag_s == pytest.approx(late_s, abs=0.05)
    assert found.p <= 0.01
    assert found.near.max() > found.ends.near_share


def test_chance_is_called_chance() -> None:
    p, first = [], []
    for seed in range(24):
        rng = np.random.default_rng(seed)
        events = rng.uniform(0, 60, size=80)
        found = segment_synchrony(events, syllables(rng), SPEECH, seed=seed, shifts=39)
        p.append(found.p)
        first.append(found.near[len(found.near) // 2] - found.chance)
    assert np.mean(np.array(p) <= 0.1) < 0.25
    assert 0.35 < np.mean(p) < 0.65
    assert abs(np.mean(first)) < 0.03


def test_the_curve_is_what_it_says(rng: np.random.Generator) -> None:
    marks, ends = syllables(rng), np.sort(rng.uniform(0, 60, size=50))
    lags = np.array([-0.1, 0.0, 0.25])
    plain = [np.mean([np.min(np.abs(e - (marks + lag))) <= 0.08 for e in ends]) for lag in lags]
    assert near_shares(ends, marks, lags) == pytest.approx(plain)
    found = segment_synchrony(ends, marks, SPEECH)
    inside = ends[(ends <= 30.0) | (ends >= 35.0)]
    assert found.ends.count == len(inside)
    middle = int(np.argmin(np.abs(found.lags_s)))
    assert found.near[middle] == pytest.approx(found.ends.near_share)
    assert found.lags_s == pytest.approx(-found.lags_s[::-1])


def test_it_is_the_same_again_and_needs_something_to_compare(rng: np.random.Generator) -> None:
    marks, ends = syllables(rng), rng.uniform(0, 60, size=50)
    first, again = (segment_synchrony(ends, marks, SPEECH) for _ in range(2))
    assert (first.p, first.high, first.chance) == (again.p, again.high, again.chance)
    for a, b in (([], marks), (ends, []), ([90.0], marks)):
        with pytest.raises(InvalidValueError, match="needed is one of each"):
            segment_synchrony(a, b, SPEECH)


def test_ends_of_a_tier_are_those_within_the_take() -> None:
    tier = Tier("arms", (Interval(0.0, 0.8, "a"), Interval(0.8, 2.0, "b"), Interval(2.0, 3.0, "c")))
    assert segment_ends(tier, 3.0) == pytest.approx([0.8, 2.0])
    assert segment_ends(tier, 5.0) == pytest.approx([0.8, 2.0, 3.0])
    assert len(segment_ends(Tier("arms", ()), 3.0)) == 0


def test_hands_that_end_together_count_once() -> None:
    left = along(moves((1.0, 4.0), (0.3, 0.2), (0.6, 0.5), 6.0))
    right = along(moves((1.05, 2.5), (0.3, 0.3), (0.6, 0.5), 6.0))
    motion = wrist_motion(moved_wrists(left, right), RIG)
    assert len(motion.units) == 4
    assert unit_ends(motion) == pytest.approx([1.58, 2.97, 4.46], abs=0.05)


# ---------------------------------------------------------------------------- many takes


def on_syllables(seed: int, exact_s: float = 0.02, late_s: float = 0.0) -> SpokenMotion:
    """A minute of hands whose speed peaks on syllables."""
    rng = np.random.default_rng(seed)
    marks = syllables(rng)
    chosen = np.sort(rng.choice(marks[2:-3], 45, replace=False))
    chosen = chosen[np.concatenate([[True], np.diff(chosen) > 0.35])]
    peaks = chosen + late_s + rng.normal(0.0, exact_s, size=len(chosen))
    sizes = rng.choice([-1.0, 1.0], size=len(peaks)) * rng.uniform(0.15, 0.25, size=len(peaks))
    path = along(moves(peaks - 0.2, sizes, np.full(len(peaks), 0.4), 60.0))
    motion = wrist_motion(moved_wrists(path, 0.8 * path), RIG)
    spans = tuple((a, b) for a, b in SPEECH)
    return SpokenMotion(motion, SpeechMarks(marks, spans), {"arms": peaks + 0.05})


def test_what_follows_speech_is_told_from_what_does_not() -> None:
    takes = [on_syllables(s) for s in range(3)]
    found = speech_timing(takes)
    assert found is not None
    assert found.pulses is not None
    assert found.peaks is not None
    assert found.pulses.low > 0.05
    assert found.pulses.p < 0.01
    assert found.peaks.median_abs_s < 0.03
    assert abs(found.peaks.median_s) < 0.01
    assert found.ends["arms"].best_lag_s == pytest.approx(0.05, abs=0.04)
    assert found.ends["arms"].p <= 0.01
    assert set(found.ends) == {UNITS, "arms"}
    assert found.speaking > 2.0 * found.pausing
    strangers = [
        SpokenMotion(a.motion, b.speech) for a, b in zip(takes, takes[1:] + takes[:1], strict=True)
    ]
    other = speech_timing(strangers)
    assert other is not None
    assert other.pulses is not None
    assert other.pulses.low < 0.03
    assert other.pulses.p > 0.03


def test_together_is_what_the_parts_are() -> None:
    takes = [on_syllables(s) for s in range(2)]
    both, *alone = (speech_timing(t) for t in (takes, takes[:1], takes[1:]))
    assert both is not None
    assert both.peaks is not None
    counts = [a.peaks.count for a in alone if a is not None and a.peaks is not None]
    assert both.peaks.count == sum(counts)
    values = [a.beats.value for a in alone if a is not None and a.beats is not None]
    assert min(values) <= both.beats.value <= max(values)  # type: ignore[union-attr]
    back = speech_timing(takes[::-1])
    assert back is not None
    assert back.peaks is not None
    assert back.peaks.median_abs_s == pytest.approx(both.peaks.median_abs_s)


def test_without_a_syllable_or_a_movement_there_is_nothing_to_say() -> None:
    take = on_syllables(1)
    silent = SpeechMarks(np.zeros(0), ())
    assert speech_timing([SpokenMotion(take.motion, silent)]) is None
    assert speech_timing([]) is None
    still = WristMotion(np.zeros((600, 2, 3)), np.zeros((600, 2, 3)))
    found = speech_timing([SpokenMotion(still, take.speech)])
    assert found is not None
    assert (found.beats, found.pulses, found.peaks, dict(found.ends)) == (None, None, None, {})
    assert found.speaking == 0.0


def test_speech_is_heard_and_cut() -> None:
    audio = ks.Audio(babble(8.0, 16000.0), 16000)
    heard = speech_marks(audio)
    assert 15 <= len(heard.syllables_s) <= 40
    assert all(a < b for a, b in heard.spans)
    part = heard.between(2.0, 5.0)
    inside = heard.syllables_s[(heard.syllables_s >= 2.0) & (heard.syllables_s < 5.0)]
    assert part.syllables_s == pytest.approx(inside - 2.0)
    assert all(0.0 <= a < b <= 3.0 for a, b in part.spans)
    covered = sum(min(b, 5.0) - max(a, 2.0) for a, b in heard.spans if a < 5.0 and b > 2.0)
    assert sum(b - a for a, b in part.spans) == pytest.approx(covered)
    nothing = speech_marks(ks.Audio(np.zeros(16000), 16000))
    assert len(nothing.syllables_s) == len(nothing.spans) == 0


@pytest.mark.timing
def test_a_minute_takes_little_time() -> None:
    take = on_syllables(1)
    start = time.perf_counter()
    speech_timing([take])
    assert time.perf_counter() - start < 2.0
