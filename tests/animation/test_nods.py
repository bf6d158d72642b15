"""The head's own life: sums of steps, what gestures ask, and the numbers of recorded speakers."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.animation.head.head_cues import Beat, GazeShift, HeadCues, HeadPose
from kinesphere.animation.head.head_motion import head_motion
from kinesphere.animation.head.head_settings import HeadSettings
from kinesphere.animation.head.head_steps import HeadStream, Steps, draw, join_steps, sum_steps
from kinesphere.animation.head.nods import (
    COLUMNS,
    accent_steps,
    pose_steps,
    posture_steps,
    question_steps,
    spoken_steps,
    verdict_steps,
)
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.maths.curves import minimum_jerk

FPS = 60.0
MINUTE = np.arange(0.0, 60.0, 1.0 / FPS)


def spoken(seed: int, phrase_s: float = 3.0, accents_per_s: float = 1.75) -> HeadCues:
    """A minute of speech: phrases, pauses, accents, some questions, a listener who changes."""
    rng = np.random.default_rng(seed)
    phrases, accents, questions, at = [], [], [], 0.5
    while at < 58.0:
        end = min(at + phrase_s * np.exp(0.35 * rng.normal()), 59.5)
        phrases.append((at, end))
        beat = at + 0.1
        while beat < end - 0.1:
            accents.append(Beat(beat, float(rng.uniform(0.45, 1.0))))
            beat += max(0.2, rng.gamma(4.0, 0.25 / accents_per_s))
        if rng.random() < 0.12:
            questions.append(end)
        at = end + float(rng.choice([0.25, 0.4, 0.8, 1.5], p=[0.3, 0.35, 0.25, 0.1]))
    times = np.cumsum(rng.uniform(4.0, 12.0, size=7))
    shifts = [GazeShift(float(t), float(rng.choice([0.0, 0.35, -0.35, 0.2]))) for t in times]
    return HeadCues(tuple(shifts), (), tuple(accents), (), tuple(phrases), tuple(questions))


def same(found: Floats, expected: Floats, within: float = 1e-12) -> bool:
    """Whether two arrays agree; `pytest.approx` is slow with thousands of numbers."""
    return found.shape == expected.shape and bool(np.all(np.abs(found - expected) <= within))


def speaking(times: Floats, cues: HeadCues) -> Floats:
    """1 within phrases."""
    inside = [(times >= a) & (times < b) for a, b in cues.phrases]
    return np.asarray(np.any(inside, axis=0), dtype=np.float64)


def face_angles(neck: Floats, head: Floats) -> Floats:
    """Pitch, yaw and roll ``[f, 3]`` of the face in the chest, degrees."""
    turn = quaternion.multiply(quaternion.exp(neck), quaternion.exp(head))
    x, y, z = quaternion.rotate(turn, np.array([0.0, 0.0, 1.0])).T
    left = quaternion.rotate(turn, np.array([1.0, 0.0, 0.0]))
    angles = [np.arctan2(-y, np.hypot(x, z)), np.arctan2(x, z), np.arcsin(left[:, 1])]
    return np.asarray(np.degrees(np.stack(angles, axis=1)))


def dips(pitch: Floats, least: float = 1.5) -> tuple[list[int], list[float]]:
    """Places of local maxima of pitch, and by how much each stands out on its smaller side."""
    peaks = np.flatnonzero((pitch[1:-1] > pitch[:-2]) & (pitch[1:-1] >= pitch[2:])) + 1
    places, sizes = [], []
    for peak in peaks.tolist():
        higher = np.flatnonzero(pitch > pitch[peak])
        before, after = higher[higher < peak], higher[higher > peak]
        left = pitch[(before[-1] if len(before) else 0) : peak].min()
        right = pitch[peak : (after[0] if len(after) else len(pitch))].min()
        size = float(pitch[peak] - max(left, right))
        if size > least:
            places.append(peak)
            sizes.append(size)
    return places, sizes


numbers = st.floats(-2.0, 2.0)
some_steps = st.lists(
    st.tuples(st.floats(-1.0, 4.0), st.floats(0.05, 2.0), numbers, numbers), max_size=12
)


@given(some_steps)
@settings(max_examples=60, deadline=None)
def test_steps_add_up_as_in_a_loop(rows: list[tuple[float, float, float, float]]) -> None:
    table = np.array(rows).reshape(-1, 4)
    times = np.linspace(0.0, 3.0, 61)
    expected = np.zeros((61, 2))
    for start, length, *change in table:
        expected += minimum_jerk((times - start) / length)[:, None] * np.array(change)
    found = sum_steps(times, Steps(table[:, 0], table[:, 1], table[:, 2:]))
    assert same(found, expected)
    part = sum_steps(times[20:40], Steps(table[:, 0], table[:, 1], table[:, 2:]))
    assert same(part, expected[20:40])
    assert join_steps([], 2).changes.shape == (0, 2)


def test_chance_depends_on_its_place_alone() -> None:
    long, short = draw(5, HeadStream.NOD, 3, 40, 2, 3), draw(5, HeadStream.NOD, 3, 7, 2, 3)
    assert np.array_equal(long.uniform[:7], short.uniform)
    assert np.array_equal(long.normal[:7], short.normal)
    different = [
        draw(6, HeadStream.NOD, 3, 7, 2, 3),
        draw(5, HeadStream.POSTURE, 3, 7, 2, 3),
        draw(5, HeadStream.NOD, -3, 7, 2, 3),
        draw(-5, HeadStream.NOD, 3, 7, 2, 3),
    ]
    for other in different:
        assert not np.any(other.uniform == short.uniform)
    many = draw(0, HeadStream.NOD, 0, 20000, 1, 1)
    assert np.mean(many.uniform) == pytest.approx(0.5, abs=0.02)
    assert np.std(many.normal) == pytest.approx(1.0, abs=0.03)
    assert np.max(np.abs(many.normal)) == 2.5


@given(
    st.floats(0.15, 3.0),
    st.floats(-0.3, 0.3),
    st.floats(-0.3, 0.3),
    st.floats(-0.3, 0.3),
    st.floats(0.0, 0.03),
)
@settings(max_examples=40, deadline=None)
def test_a_pose_is_reached_exactly_and_left(
    length_s: float, down: float, turn: float, tilt: float, thrust: float
) -> None:
    times = np.arange(0.0, 8.0, 1.0 / 240.0)
    found = pose_steps([HeadPose(2.0, 2.0 + length_s, down, turn, tilt, thrust)], HeadSettings())
    moved = sum_steps(times, found)
    asked = np.array([down, turn, tilt, thrust])
    for column, size in enumerate(asked):
        peak = moved[np.argmax(np.abs(moved[:, column])), column]
        assert peak == pytest.approx(size, rel=1e-3, abs=1e-12)
    assert np.all(moved[times < 2.0] == 0.0)
    assert np.max(np.abs(moved[times > 2.0 + max(length_s, 1.2)])) < 1e-12
    second = np.degrees(np.diff(moved[:, :3], 2, axis=0)) * 240.0**2
    assert np.max(np.linalg.norm(second, axis=1)) < 1.02 * HeadSettings().most_deg_s2


def test_a_shake_swings_to_and_fro_less_and_less() -> None:
    times = np.arange(0.0, 4.0, 1.0 / 240.0)
    quick = HeadPose(1.0, 2.1, shake=np.radians(12.0))
    slow = HeadPose(1.0, 3.0, shake=np.radians(-6.0))
    for pose, least_hz, most_hz in ((quick, 2.0, 2.4), (slow, 1.0, 1.3)):
        yaw = np.degrees(sum_steps(times, pose_steps([pose], HeadSettings()))[:, 1])
        turns = np.flatnonzero(np.diff(np.sign(np.diff(yaw)))) + 1
        turns = turns[np.abs(yaw[turns]) > 0.5]
        extremes = yaw[turns]
        assert len(extremes) >= 3
        assert extremes[0] == pytest.approx(np.degrees(pose.shake), rel=0.06)
        assert np.all(np.sign(extremes[1:]) == -np.sign(extremes[:-1]))
        assert np.all(np.diff(np.abs(extremes)) < 0.0)
        halves = np.diff(times[turns])
        assert np.all((0.5 / halves > least_hz) & (0.5 / halves < most_hz))
        assert yaw[-1] == pytest.approx(0.0, abs=1e-9)


def test_a_nod_that_is_asked_for_lifts_first_and_comes_down_in_time() -> None:
    times = np.arange(0.0, 4.0, 1.0 / 240.0)
    s = HeadSettings()
    for end_s, count in ((1.5, 1), (2.0, 2), (2.5, 3)):
        found = pose_steps([HeadPose(1.0, end_s, nod=np.radians(10.0))], s)
        pitch = np.degrees(sum_steps(times, found)[:, 0])
        places, sizes = dips(pitch)
        assert len(places) == count
        assert times[places[0]] == pytest.approx(1.0 + s.nod_bottom_s, abs=0.03)
        assert pitch[places[0]] == pytest.approx(10.0, abs=0.5)
        assert -2.5 < pitch.min() < -1.0
        assert all(b < 0.8 * a for a, b in pairwise(pitch[places]))
        assert len(sizes) == count
    busy = HeadCues(
        accents=tuple(Beat(float(t), 1.0) for t in np.arange(1.0, 2.4, 0.3)),
        poses=(HeadPose(0.9, 2.5, nod=0.17),),
    )
    assert len(accent_steps(busy, 0, s).starts) == 0


def test_questions_raise_the_chin_and_verdicts_lower_it() -> None:
    s = HeadSettings()
    times = np.arange(0.0, 6.0, 1.0 / FPS)
    asked = HeadCues(phrases=((1.0, 4.0),), questions=(4.0,))
    told = HeadCues(phrases=((1.0, 4.0),))
    lows = 0
    for seed in range(40):
        up = sum_steps(times, question_steps(asked.questions, seed, s))
        assert -np.radians(13.0) < up[:, 0].min() < -np.radians(2.5)
        assert up[:, 0].max() <= 1e-12
        assert abs(float(times[np.argmin(up[:, 0])]) - 4.0) < 0.9
        assert len(verdict_steps(asked, seed, s).starts) == 0
        down = sum_steps(times, verdict_steps(told, seed, s))
        assert down.min() >= -1e-12
        assert up[-1] == pytest.approx(0.0, abs=1e-12)
        lows += bool(down.max() > np.radians(1.0))
    assert 12 <= lows <= 28


def test_one_accent_in_two_has_a_dip_of_its_own_size_and_time() -> None:
    s = HeadSettings(lift_ratio=0.0)
    shares, lags, depths, gaps, early = [], [], [], [], 0
    for seed in range(12):
        cues = spoken(seed)
        times = np.array([beat.time_s for beat in cues.accents])
        found = accent_steps(cues, seed, s)
        count = len(found.starts) // 3
        bottoms = (found.starts + found.lengths)[count : 2 * count]
        shares.append(count / len(times))
        nearest = np.array([times[np.argmin(np.abs(times - b))] for b in bottoms])
        lags += (bottoms - nearest).tolist()
        depths += np.degrees(-found.changes[2 * count :, 0]).tolist()
        gaps += np.diff(np.sort(bottoms)).tolist()
        early += int(count == len(times))
    assert 0.38 <= np.mean(shares) <= 0.58
    assert early == 0
    assert min(gaps) >= s.nod_apart_s - 1e-9
    assert np.mean(np.abs(lags) < 0.08) > 0.85
    assert 0.02 < np.std(lags) < 0.07
    assert len(np.unique(np.round(depths, 3))) > 0.8 * len(depths)
    assert np.std(gaps) / np.mean(gaps) > 0.3
    low, middle, high = np.percentile(depths, [10, 50, 90])
    assert 2.0 <= low <= 3.0
    assert 4.5 <= middle <= 6.5
    assert 7.0 <= high <= 12.0
    dense = HeadCues(
        accents=tuple(Beat(float(t), 0.7) for t in np.arange(0.5, 59.0, 0.2)),
        phrases=((0.4, 59.0),),
    )
    assert len(accent_steps(dense, 0, s).starts) / 3 < 65


def test_an_accent_changes_only_what_follows_in_its_phrase() -> None:
    cues = spoken(4)
    start, end = cues.phrases[5]
    more = HeadCues(
        cues.shifts, (), (*cues.accents, Beat(end - 0.02, 0.5)), (), cues.phrases, cues.questions
    )
    s = HeadSettings()
    before = sum_steps(MINUTE, spoken_steps(cues, 7, s))
    after = sum_steps(MINUTE, spoken_steps(more, 7, s))
    times = MINUTE
    outside = (times < start - 0.6) | (times > end + 1.5)
    assert same(after[outside], before[outside])


def test_longer_phrases_continue_shorter_ones() -> None:
    s = HeadSettings()
    short = sum_steps(MINUTE, posture_steps([(1.0, 6.0)], 3, s))
    long = sum_steps(MINUTE, posture_steps([(1.0, 12.0)], 3, s))
    shared = MINUTE < 5.7
    assert same(long[shared], short[shared])
    assert short.shape == (len(MINUTE), COLUMNS)


def test_the_head_comes_back_in_a_pause() -> None:
    resting = posture_steps([(1.0, 6.0), (9.0, 12.0)], 3, HeadSettings(rest_ratio=0.25))
    staying = posture_steps([(1.0, 6.0), (9.0, 12.0)], 3, HeadSettings(rest_ratio=1.0))
    at = np.array([8.3])
    assert sum_steps(at, resting) == pytest.approx(0.25 * sum_steps(at, staying), abs=1e-12)
    assert np.max(np.abs(sum_steps(at, staying)[0, :3])) > np.radians(1.0)
    bridged = posture_steps([(1.0, 6.0), (6.4, 9.0)], 3, HeadSettings(rest_ratio=0.0))
    assert np.max(np.abs(sum_steps(np.array([6.25]), bridged)[0, :3])) > np.radians(1.0)


@pytest.fixture(scope="module")
def minutes() -> list[tuple[HeadCues, Floats]]:
    """Twelve minutes of speech and the face's angles."""
    found = []
    for seed in range(12):
        cues = spoken(seed, phrase_s=(1.8, 3.0, 5.0)[seed % 3])
        motion = head_motion(MINUTE, 0.0, cues, seed)
        found.append((cues, face_angles(motion.neck, motion.head)))
    return found


def test_spreads_are_those_of_speakers(minutes: list[tuple[HeadCues, Floats]]) -> None:
    spreads = [np.std(angles[speaking(MINUTE, cues) > 0], axis=0) for cues, angles in minutes]
    pitch, yaw, roll = np.mean(spreads, axis=0)
    assert 5.0 <= pitch <= 7.0
    assert 7.0 <= yaw <= 12.0
    assert 5.0 <= roll <= 7.0
    assert np.all(np.min(spreads, axis=0) > [3.5, 5.0, 3.5])
    assert np.all(np.max(spreads, axis=0) < [9.0, 13.0, 8.5])


def test_dips_are_as_many_and_as_deep_as_those_of_speakers(
    minutes: list[tuple[HeadCues, Floats]],
) -> None:
    rates, depths, near, by_chance = [], [], [], []
    for cues, angles in minutes:
        said = speaking(MINUTE, cues) > 0
        places, sizes = dips(angles[:, 0])
        kept = [(p, z) for p, z in zip(places, sizes, strict=True) if said[p]]
        rates.append(len(kept) / (np.sum(said) / FPS / 60.0))
        depths += [size for _, size in kept]
        strengths = np.array([beat.strength for beat in cues.accents])
        times = np.array([beat.time_s for beat in cues.accents])
        strong = times[strengths >= np.quantile(strengths, 2.0 / 3.0)]
        lag = np.min(np.abs(MINUTE[:, None] - strong), axis=1)
        near.append(np.mean([lag[p] < 0.08 for p, _ in kept]))
        by_chance.append(np.mean(lag[said] < 0.08))
    assert 41.0 <= np.mean(rates) <= 69.0
    assert min(rates) > 36.0
    assert max(rates) < 75.0
    low, middle, high = np.percentile(depths, [10, 50, 90])
    assert 1.6 <= low <= 3.0
    assert 4.0 <= middle <= 8.0
    assert 12.0 <= high <= 23.0
    assert 0.18 <= np.mean(near) <= 0.45
    assert np.mean(near) > 1.7 * np.mean(by_chance)


def test_it_moves_as_fast_as_people_and_without_pops(
    minutes: list[tuple[HeadCues, Floats]],
) -> None:
    speed_median, peaks, tops, longest = [], [], [], 0.0
    for cues, angles in minutes:
        velocity = np.gradient(angles, 1.0 / FPS, axis=0)
        speed = np.linalg.norm(velocity, axis=1)
        acceleration = np.linalg.norm(np.gradient(velocity, 1.0 / FPS, axis=0), axis=1)
        said = speaking(MINUTE, cues) > 0
        speed_median.append(np.median(speed[said]))
        peaks.append(np.percentile(acceleration, 99))
        tops.append(acceleration.max())
        still = np.concatenate([[0], (said & (speed < 3.0)).astype(int), [0]])
        edges = np.flatnonzero(np.diff(still))
        longest = max(longest, float(np.max(edges[1::2] - edges[::2], initial=0)) / FPS)
    assert 12.0 < np.mean(speed_median) < 27.0
    assert np.mean(peaks) < 1100.0
    assert max(tops) < 2800.0
    assert longest < 2.0


def test_silence_is_calm_but_alive() -> None:
    cues = HeadCues(phrases=((0.5, 8.0), (45.0, 50.0)))
    motion = head_motion(MINUTE, 0.0, cues, 3)
    velocity = np.gradient(face_angles(motion.neck, motion.head), 1.0 / FPS, axis=0)
    speed = np.linalg.norm(velocity, axis=1)
    quiet = speed[(MINUTE > 10.5) & (MINUTE < 44.0)]
    assert 0.3 < np.median(quiet) < 5.0
    assert np.median(quiet) < 0.4 * np.median(speed[(MINUTE > 0.5) & (MINUTE < 8.0)])
    assert quiet.max() < 20.0
