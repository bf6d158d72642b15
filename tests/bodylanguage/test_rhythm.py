"""Accents of segments on syllables: where they are, how well they fit, what is chosen by them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.studies.voice_fit import library_clips
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal

from kinesphere.bodylanguage.choose.acting_times import AHEAD_S, ON_TIME_S
from kinesphere.bodylanguage.choose.choosing import Chooser, Moment
from kinesphere.bodylanguage.choose.choosing_settings import Coming
from kinesphere.bodylanguage.choose.rhythm import (
    ACCENT_TIMINGS,
    RHYTHM,
    Accents,
    Mark,
    accents,
    syllable_marks,
)
from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.bodylanguage.play.live_options import POLICIES, LiveOptions
from kinesphere.bodylanguage.streams import ARMS, FPS, HEAD, LOWER, STREAMS
from kinesphere.character.default import default_rig
from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.motion.clip import Clip
from kinesphere.pipeline.models import model
from kinesphere.speech.prosody.observation import ONSET, SILENCE
from tests.bodylanguage.material import small_model
from tests.bodylanguage.test_choosing import HIPS, pose

NORMAL, LOUD = 4, 7
HEARD = 0.3


def with_nods(at: tuple[int, ...], frames: int = 40) -> BodyLanguageModel:
    """A library in which only the head moves, lowest at some frames of every segment."""
    usual = small_model()
    part = usual.streams["head"]
    segments = part.segments.copy()
    segments[:, 0], segments[:, 1] = np.arange(len(segments)) * frames, frames
    down: Floats = np.zeros(len(segments) * frames)
    for k in range(len(segments)):
        for frame in at:
            down[k * frames + frame + np.arange(-2, 3)] = np.radians([2.0, 4.0, 6.0, 4.0, 2.0])
    turns = np.zeros((len(down), usual.turns.shape[1], 4), dtype=np.float32)
    turns[..., 0] = 1.0
    turns[:, default_rig().joint("head")] = quaternion.from_axis_angle([1.0, 0.0, 0.0], down)
    head = replace(part, segments=segments)
    return BodyLanguageModel(
        "nods", usual.speakers, {"head": head}, turns, np.zeros((len(down), 3), np.float32)
    )


def test_a_head_that_is_lowest_has_its_accent_there() -> None:
    found = accents(with_nods((8, 25)), HEAD)
    assert found is not None
    assert found.times_s.shape[1] == 2
    assert np.allclose(found.times_s, [8 / FPS, 25 / FPS])
    none = accents(with_nods(()), HEAD)
    assert none is not None
    assert none.times_s.shape[1] == 0
    assert accents(with_nods((8,)), ARMS) is None
    assert accents(small_model(), LOWER) is None


def test_hands_have_their_accents_where_scipy_finds_the_peaks_of_speed() -> None:
    house = model("house")
    found, part = accents(house, ARMS), house.streams["arms"]
    assert found is not None
    clip = library_clips(house)[0]
    inside = part.segments[:, 0] + part.segments[:, 1] <= len(clip)
    times = part.segments[inside, 0][:, None] + found.times_s[inside] * FPS
    ours = np.unique(times[np.isfinite(times)].round().astype(int))
    assert len(ours) > 20
    skeleton = clip.skeleton
    world = house.turns[: len(clip)].astype(np.float64)
    parents = skeleton.parents[1:]
    local = quaternion.multiply(quaternion.inverse(world[:, parents]), world[:, 1:])
    stored = Clip(skeleton, FPS, clip.root_positions, np.concatenate([world[:, :1], local], axis=1))
    assert np.isin(ours, tops_of_hands(stored)).mean() > 0.98
    # The figure's chest is the engine's and turns at other times: its hands are a little off.
    tops = tops_of_hands(clip)
    met = [np.abs(tops - k).min() <= 2 for k in ours]
    assert np.mean(met) > 0.8


def tops_of_hands(clip: Clip) -> Ints:
    """Peaks of the speed of the faster wrist against the chest, frames."""
    wrists = np.stack(
        [
            clip.joint_positions(f"{s}Hand") - clip.joint_positions("upperChest")
            for s in ("left", "right")
        ],
        axis=1,
    )
    speed = np.linalg.norm(np.gradient(wrists, 1.0 / FPS, axis=0), axis=-1).max(axis=1)
    return np.asarray(signal.find_peaks(speed, height=0.3, prominence=0.1)[0])


def of_times(*rows: tuple[float, ...], stream: int = ARMS) -> Accents:
    most = max(map(len, rows))
    padded = [(*row, *[np.inf] * (most - len(row))) for row in rows]
    return Accents(np.array(padded), ACCENT_TIMINGS[stream])


times = st.lists(st.floats(0.0, 2.0), max_size=4)


@settings(deadline=None)
@given(times, times, st.floats(0.0, 100.0), st.floats(0.5, 2.0), st.sampled_from([ARMS, HEAD]))
def test_fits_are_those_of_loops(
    own: list[float], marks: list[float], now_s: float, pace: float, stream: int
) -> None:
    at = [Mark(now_s, LOUD), *(Mark(now_s + t, NORMAL) for t in sorted(marks))]
    found = of_times(tuple(own), (0.1,), stream=stream).fits(np.array([0]), now_s, pace, tuple(at))
    timing, worth = ACCENT_TIMINGS[stream], []
    for t in own:
        when = now_s + t / pace + timing.late_s
        if when <= at[-1].time_s + 0.1:
            near = [
                (1.0 if m.number == LOUD else timing.weak)
                * np.exp(-0.5 * ((when - m.time_s) / RHYTHM.near_s) ** 2)
                for m in at
            ]
            worth.append(max(near) - timing.usual)
    expected = np.mean(worth) if worth else 0.0
    assert found[0] == pytest.approx(expected, abs=1e-9)


def test_an_accent_on_a_syllable_is_better_than_none_and_that_than_one_beside_it() -> None:
    marks = (Mark(5.0, NORMAL), Mark(5.3, NORMAL), Mark(5.6, NORMAL))
    on, none, beside = of_times((0.3,), (), (0.45,)).fits(np.arange(3), 5.0, 1.0, marks)
    assert on > none == 0.0 > beside
    # Time goes by faster at another pace; what comes after all that is known does not count.
    assert of_times((0.45,)).fits(np.array([0]), 5.0, 1.5, marks)[0] == pytest.approx(on)
    assert of_times((0.3, 1.1)).fits(np.array([0]), 5.0, 1.0, marks)[0] == pytest.approx(on)
    # Heads go with the loud ones.
    mixed = (Mark(5.0, NORMAL), Mark(5.3, LOUD), Mark(5.6, NORMAL))
    late = ACCENT_TIMINGS[HEAD].late_s
    heads = of_times((0.3 - late,), (0.6 - late,), stream=HEAD)
    loud, soft = heads.fits(np.arange(2), 5.0, 1.0, mixed)
    assert loud > soft > 0.0


def test_silence_is_no_mark_of_rhythm() -> None:
    heard = (Mark(1.0, NORMAL), Mark(1.2, SILENCE), Mark(1.4, ONSET), Mark(1.5, LOUD))
    assert syllable_marks(heard) == (heard[0], heard[3])


def test_of_segments_alike_one_in_time_is_chosen() -> None:
    """Two halves of a library with nods at other times: syllables say which."""
    early, late = with_nods((6,)), with_nods((15,))
    turns = early.turns.copy()
    half = len(turns) // 2
    turns[half:] = late.turns[half:]
    mixed = BodyLanguageModel("mixed", early.speakers, early.streams, turns, early.pelvis)
    options = LiveOptions(delay_s=AHEAD_S, tolerance=10.0)
    who = Chooser.of(mixed, HEAD, options.choosing)
    assert who is not None
    known = who.accents
    assert known is not None
    members = np.concatenate(who.members)
    for frame in (6, 15):
        at = 3.0 + frame / FPS + ACCENT_TIMINGS[HEAD].late_s
        marks = (Mark(3.0, NORMAL), Mark(at, LOUD), Mark(3.9, NORMAL))
        draws = [
            who.segment(members, pose(), HIPS, u, now_s=3.0, marks=marks)
            for u in np.linspace(0.01, 0.99, 60)
        ]
        met = np.isclose(known.times_s[draws, 0], frame / FPS)
        assert met.mean() > 0.9
        unheard = [who.segment(members, pose(), HIPS, u) for u in np.linspace(0.01, 0.99, 60)]
        assert 0.2 < np.isclose(known.times_s[unheard, 0], frame / FPS).mean() < 0.8


def test_only_what_hears_ahead_and_listens_keeps_to_the_rhythm() -> None:
    assert LiveOptions(delay_s=AHEAD_S).choosing.strictness == RHYTHM.strict
    assert LiveOptions(delay_s=AHEAD_S, rhythm=0.5).choosing.strictness == 0.5 * RHYTHM.strict
    assert LiveOptions(delay_s=AHEAD_S, paper=True).choosing.strictness == 0.0
    assert (
        LiveOptions(delay_s=ON_TIME_S).choosing.strictness
        == LiveOptions().choosing.strictness
        == 0.0
    )
    for policy in POLICIES[1:]:
        assert LiveOptions(delay_s=AHEAD_S, policy=policy).choosing.strictness == 0.0
    assert (
        LiveOptions(delay_s=AHEAD_S, policy=POLICIES[2], rhythm=1.0).choosing.strictness
        == RHYTHM.strict
    )
    with pytest.raises(InvalidValueError, match="rhythm is 1"):
        LiveOptions(rhythm=1.1)
    for stream in range(len(STREAMS)):
        deaf = Chooser.of(small_model(), stream, LiveOptions(delay_s=AHEAD_S, rhythm=0.0).choosing)
        assert deaf is not None
        assert deaf.accents is None


def test_marks_change_nothing_without_rhythm() -> None:
    coming = Coming(HEARD + 0.2, NORMAL, (Mark(HEARD + 0.2, NORMAL), Mark(HEARD + 0.5, LOUD)))
    who = Chooser.of(small_model(), ARMS, LiveOptions(delay_s=AHEAD_S, rhythm=0.0).choosing)
    assert who is not None
    for seed in range(20):
        choice = who.first(pose(), HIPS)
        ours, plain = (
            who.observe(choice, NORMAL, Moment(HEARD, seed, pose(), HIPS, c))
            for c in (coming, coming._replace(marks=()))
        )
        assert ours[2:] == plain[2:]
