"""Movement and speech: what falls together is found, what does not is chance."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.studies.voice_fit import head_dips

import kinesphere as ks
from kinesphere.errors import InvalidValueError
from kinesphere.evaluation.movement import RATE_HZ, wrist_motion
from kinesphere.evaluation.synchrony import (
    beat_consistency,
    coincidence,
    gating,
    lags_s,
    motion_beats,
    shifted_marks,
    stretches,
    stroke_peaks,
)
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import rest_clip
from kinesphere.speech.alignment.transcripts import read_transcript
from kinesphere.speech.audio import read_audio
from kinesphere.speech.prosody.prosody import prosody
from kinesphere.timeline import Interval, Tier
from tests.evaluation.test_movement import RIG, SCALE, along, moved_wrists, moves

SPEECH = [(0.0, 30.0), (35.0, 60.0)]


def syllables(rng: np.random.Generator) -> Floats:
    """Syllables as irregular as those of speech, four or five a second, only while speaking."""
    times = np.cumsum(rng.uniform(0.12, 0.32, size=400))
    return times[(times < 30.0) | ((times > 35.0) & (times < 60.0))]


def test_lags_are_those_to_the_nearest(rng: np.random.Generator) -> None:
    events, marks = rng.uniform(0, 20, size=50), rng.uniform(0, 20, size=30)
    away = events[:, None] - marks
    plain = away[np.arange(50), np.abs(away).argmin(axis=1)]
    assert lags_s(events, marks) == pytest.approx(plain)
    assert lags_s(-events, -marks) == pytest.approx(-plain)
    assert lags_s(events + 3.0, marks + 3.0) == pytest.approx(plain)
    assert np.isnan(lags_s(events, [])).all()


def test_shifts_keep_marks_in_their_stretch_and_their_steps(rng: np.random.Generator) -> None:
    marks = syllables(rng)
    moved = shifted_marks(marks, SPEECH, 40, 3)
    assert moved.shape == (40, len(marks))
    assert np.array_equal(moved, shifted_marks(marks, SPEECH, 40, 3))
    assert not np.array_equal(moved, shifted_marks(marks, SPEECH, 40, 4))
    for a, b in SPEECH:
        here = np.sort(marks[(marks >= a) & (marks <= b)])
        steps = np.sort(np.diff([*here, here[0] + b - a]))
        for row in moved:
            inside = row[(row >= a) & (row <= b)]
            assert np.sort(np.diff([*inside, inside[0] + b - a])) == pytest.approx(steps)


def test_stretches_bridge_short_gaps() -> None:
    words = Tier("words", (Interval(0.0, 0.3), Interval(0.5, 0.9), Interval(2.0, 2.4)))
    assert stretches(words) == [(0.0, 0.9), (2.0, 2.4)]
    assert stretches([(2.0, 2.4), (0.5, 0.9), (0.0, 0.3)]) == [(0.0, 0.9), (2.0, 2.4)]
    assert stretches(words, 2.0) == [(0.0, 2.4)]
    assert stretches([]) == []


def test_what_falls_together_is_found(rng: np.random.Generator) -> None:
    marks = syllables(rng)
    late = rng.choice(marks, 90, replace=False) + rng.normal(0.02, 0.015, size=90)
    found = coincidence(late, marks, SPEECH)
    assert found.count == 90
    assert found.median_s == pytest.approx(0.02, abs=0.006)
    assert found.median_abs_s < 0.03 < found.chance_abs_s
    assert found.near_share > 0.95 > found.chance_share
    assert max(found.p, found.p_near) < 0.01
    assert f"(p {found.p:.3f})" in str(found)
    assert coincidence(late, marks, SPEECH) == found
    earlier = coincidence(late - 0.04, marks, SPEECH)
    assert earlier.median_s == pytest.approx(-0.02, abs=0.006)


def test_chance_is_called_chance() -> None:
    """Where nothing is related, p is spread evenly: small ones are as rare as they say."""
    found = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        marks, events = syllables(rng), rng.uniform(0.0, 60.0, size=80)
        found.append(coincidence(events, marks, SPEECH, shifts=99, seed=seed))
    p = np.array([f.p for f in found])
    assert 0.35 < p.mean() < 0.65
    assert np.mean(p <= 0.1) < 0.25
    assert np.mean([f.median_abs_s - f.chance_abs_s for f in found]) == pytest.approx(0.0, abs=2e-3)
    # Only what happens during speech counts.
    assert found[-1].count < 80


def test_hands_that_only_move_while_speaking_do_not_follow_it() -> None:
    """Movement in speech and stillness in pauses is no synchrony with syllables."""
    found = []
    for seed in range(20):
        rng = np.random.default_rng(100 + seed)
        marks, events = syllables(rng), rng.uniform(0.0, 30.0, size=80)
        found.append(coincidence(events, marks, SPEECH, shifts=99).p)
    assert 0.3 < np.mean(found) < 0.7


def test_beats_agree_as_the_definition_has_it(rng: np.random.Generator) -> None:
    speech, motion = syllables(rng)[::3], rng.uniform(0, 60, size=70)
    motion = np.sort(motion[(motion < 30) | (motion > 35)])
    for over, own, others in (("motion", motion, speech), ("speech", speech, motion)):
        found = beat_consistency(motion, speech, SPEECH, over=over)  # type: ignore[arg-type]
        plain = np.mean([np.exp(-min((b - o) ** 2 for o in others) / (2 * 0.1**2)) for b in own])
        assert found.value == pytest.approx(plain)
        assert found.count == len(own)
        assert found.excess == pytest.approx(found.value - found.chance)
        assert found.low < 0.02
        assert found.high > -0.02
        assert found.low < found.excess < found.high
        assert found.p > 0.02
    same = beat_consistency(speech, speech, SPEECH)
    assert same.value == 1.0
    assert same.low > 0.2
    assert same.p == 0.002
    assert "consistency 1.000" in str(same)


def test_more_beats_give_more_consistency_but_no_excess(rng: np.random.Generator) -> None:
    speech = syllables(rng)
    few = beat_consistency(rng.uniform(0, 30, size=60), speech[::4], SPEECH)
    many = beat_consistency(rng.uniform(0, 30, size=60), speech, SPEECH)
    assert many.value > few.value + 0.2
    assert abs(many.excess) < 0.08
    assert abs(few.excess) < 0.15


def test_beats_and_peaks_of_a_hand_are_where_they_are() -> None:
    path = along(moves((1.0, 1.4, 4.0), (0.3, 0.2, 0.3), (0.6, 0.5, 0.5), 6.0))
    motion = wrist_motion(moved_wrists(path, path), RIG)
    fine = np.gradient(moves((1.0, 1.4), (0.3, 0.2), (0.6, 0.5), 2.0, 6000.0), 1 / 6000.0) * SCALE
    beats = motion_beats(motion)
    # Between the two that flow, and where they halt before the third.
    halt = np.flatnonzero(fine > 0.05)[-1] / 6000.0
    low = (8400 + int(np.argmin(fine[8400:9600]))) / 6000.0
    assert beats == pytest.approx([low, halt], abs=1.5 / RATE_HZ)
    assert stroke_peaks(motion) == pytest.approx([1.3, 1.65, 4.25], abs=2.0 / RATE_HZ)
    assert stroke_peaks(motion, least=0.8) == pytest.approx([1.3, 4.25], abs=1.5 / RATE_HZ)
    speaking, pausing = gating(motion, [(0.9, 2.0), (3.9, 4.6)])
    assert speaking > 0.4
    assert pausing < 0.01
    assert np.isnan(gating(motion, [(0.0, 9.0)])[1])


def test_nods_are_found() -> None:
    clip = rest_clip(RIG.skeleton, 601, 60.0)
    t = clip.times
    pitch = np.zeros(len(t))
    for at, deg in ((2.0, 6.0), (5.0, 1.0), (7.5, 12.0)):
        pitch += deg * np.exp(-0.5 * ((t - at) / 0.12) ** 2)
    turns = clip.rotations.copy()
    turns[:, RIG.joint("head")] = quaternion.from_axis_angle(
        np.array([1.0, 0.0, 0.0]), np.radians(pitch)
    )
    times, depths = head_dips(replace(clip, rotations=turns), RIG)
    assert times == pytest.approx([2.0, 7.5], abs=1 / RATE_HZ)
    assert depths == pytest.approx([6.0, 12.0], rel=0.03)
    raised = replace(clip, rotations=quaternion.inverse(turns))
    assert len(head_dips(raised, RIG)[0]) <= 1  # between the two raised moments


def test_nothing_to_compare_is_an_error() -> None:
    for events, marks in (([], [1.0]), ([1.0], []), ([40.0], [1.0])):
        with pytest.raises(InvalidValueError, match="needed is one of each"):
            coincidence(events, marks, [(0.0, 10.0)])
        with pytest.raises(InvalidValueError, match="needed is one of each"):
            beat_consistency(events, marks, [(0.0, 10.0)])


@pytest.mark.timing
def test_a_minute_takes_little_time(rng: np.random.Generator) -> None:
    marks = syllables(rng)
    events = rng.uniform(0, 60, size=200)
    start = time.perf_counter()
    coincidence(events, marks, SPEECH)
    beat_consistency(events, marks, SPEECH)
    assert time.perf_counter() - start < 0.5


def test_a_recorded_speaker_dips_and_gates_as_measured_before(data: Path) -> None:
    beat = data / "beat2" / "2_scott_0_1_1"
    take = ks.load(beat.with_suffix(".npz"))
    rig = ks.identify(take.clip.skeleton).rig
    motion = wrist_motion(take.clip, rig)
    words = next(t for t in read_transcript(beat.with_suffix(".TextGrid")) if t.name == "words")
    spoken = [i for i in words if i.label.strip()]
    speaking, pausing = gating(motion, spoken)
    assert speaking == pytest.approx(0.67, abs=0.03)
    assert pausing == pytest.approx(0.67, abs=0.03)
    minutes = take.clip.duration_s / 60.0
    times, depths = head_dips(take.clip, rig)
    assert 41 <= len(times) / minutes <= 69
    assert 4.0 <= np.median(depths) <= 8.0
    assert 94 <= len(stroke_peaks(motion)) / minutes <= 123
    audio = read_audio(beat.with_suffix(".wav"))
    peaks = [s.peak_s for s in prosody(audio.samples, audio.rate_hz).syllables]
    # This speaker's hands hardly follow the syllables; neither do they avoid them.
    tops = coincidence(stroke_peaks(motion), peaks, spoken)
    assert tops.median_abs_s == pytest.approx(tops.chance_abs_s, abs=0.02)
    assert abs(tops.median_s) < 0.02
