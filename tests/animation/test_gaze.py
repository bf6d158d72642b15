"""Gaze: where it goes and when, saccades, how far the head follows, blinks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.animation.head.blinks import blinks, lid_closure
from kinesphere.animation.head.gaze import (
    direction,
    eye_room,
    eyes_towards,
    fixations,
    head_follows,
    levels,
    looks,
    looks_away,
    saccades,
    within,
)
from kinesphere.animation.head.head_cues import Beat, GazeShift, Glance, HeadCues, HeadPose
from kinesphere.animation.head.head_motion import head_motion
from kinesphere.animation.head.head_settings import PAPER_HEAD, BlinkSettings, HeadSettings
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from tests.animation.test_nods import MINUTE, speaking, spoken

SETTINGS = HeadSettings()
FRONT = np.array([0.0, 0.0, 1.0])


@given(st.floats(-0.5, 0.5), st.floats(-0.35, 0.4))
def test_eyes_turn_to_any_direction_they_reach(yaw: float, pitch: float) -> None:
    wanted = direction(np.array([yaw]), np.array([pitch]))
    eyes = eyes_towards(wanted, HeadSettings(eye_side_deg=38.0, eye_up_deg=29.0))
    seen = quaternion.rotate(quaternion.exp(eyes), FRONT)
    inside = np.hypot(yaw / np.radians(36.0), pitch / np.radians(27.0)) < 1.0
    if inside:
        assert seen == pytest.approx(wanted, abs=1e-9)
    assert eyes[0, 2] == 0.0  # no twist


@given(st.floats(-3.1, 3.1), st.floats(-1.5, 1.5))
def test_eyes_never_go_past_their_reach(yaw: float, pitch: float) -> None:
    eyes = eyes_towards(direction(np.array([yaw]), np.array([pitch])), SETTINGS)
    low, high = eye_room(SETTINGS)
    got = eyes[:, [1, 0]]
    room = np.where(got < 0.0, -low, high)
    assert np.hypot(*(got / room).T) <= 1.0 + 1e-9


def test_shortening_keeps_the_inside_and_has_no_kink() -> None:
    along = np.linspace(0.0, 3.0, 3001)
    for angle in (0.0, 0.7, 2.2, 4.0):
        way = np.array([np.cos(angle), np.sin(angle)])
        found = within(along[:, None] * way, np.array([-1.0, -0.5]), np.array([0.8, 0.6]), 0.2)
        room = np.where(way < 0.0, [1.0, 0.5], [0.8, 0.6])
        edge = 1.0 / np.hypot(*(way / room))
        far = found @ way
        free = along <= 0.8 * edge
        assert far[free] == pytest.approx(along[free], abs=1e-12)
        assert far[along >= 1.2 * edge] == pytest.approx(edge)
        assert np.all(np.diff(far) >= -1e-12)
        assert np.max(np.abs(np.diff(far, 2))) < 1e-5


def test_a_saccade_lasts_as_long_as_its_size_asks() -> None:
    sizes = np.radians([2.0, 10.0, 20.0, 40.0, 80.0])
    cues = HeadCues(tuple(GazeShift(1.0 + 2 * i, float(v)) for i, v in enumerate(sizes)))
    steps = saccades(looks(cues, 0, SETTINGS), SETTINGS)
    way = np.degrees(np.diff(sizes, prepend=0.0))
    assert steps.lengths == pytest.approx(0.021 + 0.0022 * way)
    assert steps.changes[:, 0] == pytest.approx(np.diff(sizes, prepend=0.0))


def test_the_head_follows_later_and_longer_and_not_to_what_is_near() -> None:
    yaws = np.radians([10.0, 14.0, 22.0, 60.0, -60.0, -48.0])
    cues = HeadCues(tuple(GazeShift(1.0 + 2 * i, float(v)) for i, v in enumerate(yaws)))
    found = looks(cues, 3, SETTINGS)
    steps = head_follows(found, SETTINGS)
    late = steps.starts - found.times
    assert np.all((late >= 0.03) & (late <= 0.06))
    assert len(np.unique(late)) == len(late)
    assert np.all((steps.lengths >= 0.25) & (steps.lengths <= 0.6))
    turned = np.degrees(np.cumsum(steps.changes[:, 0]))
    assert turned == pytest.approx([0.0, 0.0, 22.0, 60.0, -60.0, -60.0])
    moving = np.array([2, 3, 4])
    assert np.all(np.diff(steps.lengths[moving]) > 0.0)
    assert np.cumsum(steps.changes[:, 2]) == pytest.approx(yaws)


def test_the_paper_moves_the_head_by_its_own_times() -> None:
    s = PAPER_HEAD
    cues = HeadCues((GazeShift(1.0, 0.1), GazeShift(1.1, 0.6), GazeShift(3.0, 0.0)))
    steps = head_follows(looks(cues, 1, s), s)
    assert steps.starts == pytest.approx([1.0, 1.1, 3.0])
    assert steps.lengths[0] == pytest.approx(0.1)
    assert np.all((steps.lengths[1:] >= 0.2) & (steps.lengths[1:] <= 0.3))
    assert np.cumsum(steps.changes[:, 0]) == pytest.approx([0.1, 0.6, 0.0])


def _targets(cues: HeadCues, times: Floats, seed: int = 0) -> Floats:
    found = looks(cues, seed, HeadSettings(away_ratio=0.0, listener_ratio=1.0))
    return levels(times, found.times, found.goals)


def test_glances_go_there_and_back_to_where_the_listener_is_by_then() -> None:
    cues = HeadCues(
        shifts=(GazeShift(1.0, 0.3), GazeShift(2.4, -0.2, 0.05)),
        glances=(Glance(2.0, 3.0, 0.5, 0.4), Glance(2.7, 3.5, 0.1, 0.3)),
    )
    got = _targets(cues, np.array([0.5, 1.5, 2.1, 2.5, 2.8, 3.4, 3.6]))
    expected = [
        [0.0, 0.0],
        [0.3, 0.0],
        [0.5, 0.4],
        [0.5, 0.4],
        [0.1, 0.3],
        [0.1, 0.3],
        [-0.2, 0.05],
    ]
    assert got == pytest.approx(np.array(expected))
    near = HeadCues(glances=(Glance(1.0, 2.0, 0.5, 0.0), Glance(2.1, 3.0, 0.4, 0.0)))
    assert len(looks(near, 0, SETTINGS).times) == 3  # straight from one to the other


def test_speakers_look_away_as_phrases_begin_and_are_back_at_the_end() -> None:
    begun, count = 0, 0
    for seed in range(10):
        cues = spoken(seed, phrase_s=4.0)
        away = looks_away(cues, seed, SETTINGS)
        starts = np.array([span.start_s for span in away])
        ends = np.array([span.end_s for span in away])
        assert np.all(starts[1:] >= ends[:-1] + 0.3)
        assert np.all(ends - starts >= 0.35 - 1e-9)
        for a, b in cues.phrases:
            own = (ends > a) & (starts < b)
            assert np.all(ends[own] <= b - SETTINGS.back_s + 1e-9)
            begun += bool(np.any((starts > a - 0.3) & (starts < a + 0.1)))
            count += 1
        size = np.degrees([np.hypot(span.yaw, span.pitch) for span in away])
        assert np.all((size >= 15.0 - 1e-9) & (size <= 25.0 + 1e-9))
        assert abs(np.mean([np.sign(span.yaw) for span in away])) < 0.8
    assert 0.45 < begun / count < 0.75


def test_gaze_is_on_the_listener_two_thirds_of_the_time() -> None:
    for phrase_s in (1.8, 3.0, 6.0):
        shares = []
        for seed in range(8):
            cues = spoken(seed, phrase_s)
            found = looks(cues, seed, SETTINGS)
            times = [shift.time_s for shift in cues.shifts]
            listener = levels(
                MINUTE, np.array(times), np.array([[s.yaw, s.pitch] for s in cues.shifts])
            )
            off = levels(MINUTE, found.times, found.goals) - listener
            on = np.hypot(*off.T) < np.radians(5.0)
            shares.append(np.mean(on[speaking(MINUTE, cues) > 0]))
        assert 0.58 < np.mean(shares) < 0.75
        assert min(shares) > 0.45


def test_nobody_looks_away_from_a_glance_a_nod_or_a_shake() -> None:
    for seed in range(10):
        cues = spoken(seed)
        glances = tuple(Glance(float(t), t + 0.6, 0.3, 0.4) for t in range(3, 58, 5))
        poses = tuple(HeadPose(float(t), t + 1.0, shake=0.2) for t in range(5, 58, 10))
        more = HeadCues(cues.shifts, glances, cues.accents, poses, cues.phrases)
        found = looks(more, seed, SETTINGS)
        times = MINUTE
        target = levels(times, found.times, found.goals)
        for glance in glances:
            inside = (times >= glance.start_s) & (times < glance.end_s)
            assert target[inside] == pytest.approx(np.tile([0.3, 0.4], (inside.sum(), 1)))
        shifts = np.array([shift.time_s for shift in cues.shifts])
        for pose in poses:
            now = shifts[shifts <= pose.start_s]
            yaw = cues.shifts[len(now) - 1].yaw if len(now) else 0.0
            at = levels(np.array([pose.start_s]), found.times, found.goals)[0]
            assert at == pytest.approx([yaw, 0.0])


def test_fixations_are_small_and_always_there() -> None:
    before, steps = fixations(100.0, 160.0, 4, SETTINGS)
    places = before + np.cumsum(steps.changes, axis=0)
    assert np.degrees(np.max(np.abs(places))) < 2.0
    assert 35 <= len(steps.starts) <= 60
    assert np.max(np.diff(steps.starts)) < 2 * SETTINGS.fixation_every_s
    again, later = fixations(130.0, 150.0, 4, SETTINGS)
    shared = np.isin(steps.starts, later.starts)
    assert steps.changes[shared] == pytest.approx(later.changes)
    assert np.any(np.all(np.isclose(places, again), axis=1))


def test_a_blink_closes_faster_than_it_opens() -> None:
    times = np.arange(0.0, 1.0, 1e-3)
    for length in (0.12, 0.18):
        lids = lid_closure(times, np.array([0.3]), np.array([length]), BlinkSettings())
        moving = times[lids > 0.0]
        assert moving[-1] - moving[0] == pytest.approx(length, abs=0.015)
        assert lids.max() == 1.0
        shut = times[lids > 0.999]
        assert shut[0] - 0.3 < 0.85 * (0.3 + length - shut[-1])


def test_blinks_are_as_many_as_people_s_and_never_on_an_accent() -> None:
    rates, lengths = [], []
    for seed in range(12):
        cues = spoken(seed)
        found = looks(cues, seed, SETTINGS)
        onsets, length = blinks(0.0, 60.0, cues, found, seed, SETTINGS)
        inside = (onsets >= 0.0) & (onsets < 60.0)
        rates.append(np.sum(inside))
        lengths += length.tolist()
        for beat in cues.accents:
            assert not np.any((onsets <= beat.time_s) & (onsets + length >= beat.time_s))
        assert np.min(np.diff(onsets)) >= SETTINGS.blink_apart_s
        lids = head_motion(MINUTE, 0.0, cues, seed).blink
        at = np.interp([beat.time_s for beat in cues.accents], MINUTE, lids)
        assert np.max(at) < 0.15
    assert 20.0 <= np.mean(rates) <= 28.0
    assert min(rates) >= 15
    assert max(rates) <= 33
    assert min(lengths) >= 0.12
    assert max(lengths) <= 0.18
    assert np.std(lengths) > 0.01


def test_blinks_come_with_large_shifts_and_the_ends_of_phrases() -> None:
    s = HeadSettings(blinks_per_min=0.0, silent_blinks_per_min=0.0, listener_ratio=1.0)
    ratios = []
    for seed in range(10):
        large = tuple(GazeShift(2.0 + 3 * i, 0.25 * (-1) ** i) for i in range(40))
        cues = HeadCues(large)
        onsets, _ = blinks(0.0, 130.0, cues, looks(cues, seed, s), seed, s)
        lag = onsets[:, None] - np.array([shift.time_s for shift in large])
        assert np.all(np.min(np.abs(lag), axis=1) < 0.05)
        phrases = HeadCues(phrases=tuple((3.0 * i, 3.0 * i + 2.5) for i in range(40)))
        at_ends, _ = blinks(0.0, 130.0, phrases, looks(phrases, seed, s), seed, s)
        assert np.all((at_ends - 2.5 + 1e-9) % 3.0 <= 0.2001)
        ratios.append((len(onsets) / 40, len(at_ends) / 40))
    assert np.mean(ratios, axis=0) == pytest.approx([0.7, 0.5], abs=0.08)
    small = HeadCues(tuple(GazeShift(2.0 + 3 * i, 0.15 * (-1) ** i) for i in range(40)))
    assert len(blinks(0.0, 130.0, small, looks(small, 0, s), 0, s)[0]) == 0
    accents = HeadCues((GazeShift(2.0, 0.6),), accents=(Beat(2.08, 1.0),))
    for seed in range(10):
        onsets, _ = blinks(0.0, 5.0, accents, looks(accents, seed, s), seed, s)
        assert np.all(onsets > 2.08)
