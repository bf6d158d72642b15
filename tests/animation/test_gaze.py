"""Gaze of a speaker in a whole take: cues of the eyes, how far the head follows, blinks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kinesphere.animation.head.gaze import eye_cues, head_follows, within
from kinesphere.animation.head.head_cues import Beat, GazeShift, Glance, HeadCues, HeadPose
from kinesphere.animation.head.head_motion import head_motion
from kinesphere.animation.head.head_settings import PAPER_HEAD, HeadSettings
from kinesphere.figure.head.eyes import EyeSettings, watch
from kinesphere.figure.head.gaze import PAPER_GAZE, Looks
from kinesphere.figure.head.gaze_cues import PAUSE, STAY, SYLLABLE
from kinesphere.maths.arrays import Floats
from tests.animation.test_nods import MINUTE, speaking, spoken

SETTINGS = HeadSettings()
PLAIN = replace(SETTINGS, eyes=EyeSettings(gaze=PAPER_GAZE))


def looks(cues: HeadCues, seed: int = 0, s: HeadSettings = SETTINGS) -> Looks:
    """Changes of gaze in a minute."""
    return watch(MINUTE, eye_cues(cues, s), seed, s.eyes)[1]


def levels(times: Floats, starts: Floats, goals: Floats) -> Floats:
    """Goal ``[f, c]`` that holds at each time; zero before the first."""
    padded = np.vstack([np.zeros((1, goals.shape[1])), goals])
    return np.asarray(padded[np.searchsorted(starts, times, side="right")])


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


def test_the_head_follows_later_and_longer_and_not_to_what_is_near() -> None:
    yaws = np.radians([10.0, 14.0, 22.0, 60.0, -60.0, -48.0])
    cues = HeadCues(tuple(GazeShift(1.0 + 2 * i, float(v)) for i, v in enumerate(yaws)))
    found = looks(cues, 3, PLAIN)
    steps = head_follows(found, PLAIN)
    times = np.array([shift.time_s for shift in cues.shifts])
    late = steps.starts - times
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


def test_glances_that_are_near_each_other_are_one_path() -> None:
    near = HeadCues(glances=(Glance(1.0, 2.0, 0.5, 0.0), Glance(2.1, 3.0, 0.4, 0.0)))
    far = HeadCues(glances=(Glance(1.0, 2.0, 0.5, 0.0), Glance(2.3, 3.0, 0.4, 0.0)))
    for cues, count in ((near, 3), (far, 4)):
        goals = looks(cues, 0, PLAIN).goals
        assert np.sum(np.any(np.diff(goals, axis=0) != 0.0, axis=1)) == count


def test_phrases_are_cued_ahead_and_in_order() -> None:
    cues = HeadCues(phrases=((1.0, 2.0), (2.05, 2.2), (4.0, 6.0)))
    rows = eye_cues(cues, SETTINGS)
    begins, ends, stays = (rows[rows[:, 2] == kind, 1] for kind in (SYLLABLE, PAUSE, STAY))
    assert begins == pytest.approx([0.75, 2.0, 3.75])
    assert ends == pytest.approx([2.0, 2.2, 6.0])
    assert stays == pytest.approx([1.5, 1.7, 5.5])
    assert rows[rows[:, 2] == STAY, 3].tolist() == [2.0, 2.2, np.inf]


def test_speakers_look_away_as_phrases_begin_and_are_back_at_the_end() -> None:
    begun, count = 0, 0
    for seed in range(10):
        cues = replace(spoken(seed, phrase_s=4.0), shifts=(), accents=())
        off = np.degrees(np.hypot(*head_motion(MINUTE, 0.0, cues, seed).look_target.T)) > 8.0
        for a, b in cues.phrases:
            end = (b - 0.14 < MINUTE) & (b > MINUTE)
            assert not off[end].any()
            begun += bool(off[(a - 0.2 < MINUTE) & (a + 0.2 > MINUTE)].any())
            count += 1
        assert not off[cues.phrases[-1][1] < MINUTE].any()  # the end is for the viewer
    assert 0.4 < begun / count < 0.75


def test_gaze_is_on_the_listener_two_thirds_of_the_time() -> None:
    for phrase_s in (1.8, 3.0, 6.0):
        shares = []
        for seed in range(8):
            cues = spoken(seed, phrase_s)
            times = [shift.time_s for shift in cues.shifts]
            listener = levels(
                MINUTE, np.array(times), np.array([[s.yaw, s.pitch] for s in cues.shifts])
            )
            off = head_motion(MINUTE, 0.0, cues, seed).look_target - listener
            on = np.hypot(*off.T) < np.radians(5.0)
            shares.append(np.mean(on[speaking(MINUTE, cues) > 0]))
        assert 0.6 < np.mean(shares) < 0.78
        assert min(shares) > 0.5


def test_nobody_looks_away_from_a_glance_a_nod_or_a_shake() -> None:
    for seed in range(10):
        cues = spoken(seed)
        glances = tuple(Glance(float(t), t + 0.6, 0.3, 0.4) for t in range(3, 58, 5))
        poses = tuple(HeadPose(float(t), t + 1.0, shake=0.2) for t in range(5, 58, 10))
        more = HeadCues((), glances, cues.accents, poses, cues.phrases)
        target = head_motion(MINUTE, 0.0, more, seed).look_target
        for glance in glances:
            inside = (glance.start_s <= MINUTE) & (glance.end_s > MINUTE)
            assert target[inside] == pytest.approx(np.tile([0.3, 0.4], (inside.sum(), 1)))
        for pose in poses:
            inside = (pose.start_s <= MINUTE) & (pose.end_s > MINUTE)
            assert np.degrees(np.hypot(*target[inside].T)).max() < 5.0


def _blinks(lids: Floats) -> Floats:
    shut = lids > 0.5
    return MINUTE[1:][shut[1:] & ~shut[:-1]]


def test_blinks_are_as_many_as_people_s_and_never_on_an_accent() -> None:
    rates = []
    for seed in range(12):
        cues = spoken(seed)
        lids = head_motion(MINUTE, 0.0, cues, seed).blink
        rates.append(len(_blinks(lids)))
        at = np.interp([beat.time_s for beat in cues.accents], MINUTE, lids)
        assert np.max(at) < 0.15
    assert 18.0 <= np.mean(rates) <= 28.0
    assert min(rates) >= 12
    assert max(rates) <= 33


def test_a_blink_with_a_shift_waits_for_an_accent() -> None:
    b = replace(SETTINGS.eyes.blinks, per_min=0.0, end_ratio=0.0, shift_ratio=1.0)
    s = replace(SETTINGS, eyes=EyeSettings(gaze=PAPER_GAZE, blinks=b))
    shifts = tuple(GazeShift(2.0 + 3 * i, 0.25 * (-1) ** i) for i in range(18))
    free = _blinks(head_motion(MINUTE, 0.0, HeadCues(shifts), 0, s).blink)
    assert len(free) == 18
    assert np.all((free - 2.0) % 3.0 < 0.12)
    accents = tuple(Beat(shift.time_s + 0.08, 1.0) for shift in shifts)
    held = _blinks(head_motion(MINUTE, 0.0, HeadCues(shifts, accents=accents), 0, s).blink)
    assert len(held) == 18
    assert np.all((held - 2.0) % 3.0 > 0.1)
