"""How wrists move: known movements are measured as what they are, and people as people."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy import signal

import kinesphere as ks
from kinesphere.errors import InvalidValueError
from kinesphere.evaluation.metric import Accept
from kinesphere.evaluation.metric_registry import measures
from kinesphere.evaluation.movement import (
    HEIGHT_M,
    RATE_HZ,
    Units,
    WristMotion,
    amplitude_law,
    find_units,
    high_power,
    speed_peaks,
    wrist_motion,
)
from kinesphere.evaluation.movement_table import acceptance, active_windows, measure_window, windows
from kinesphere.maths.arrays import Floats
from kinesphere.maths.curves import minimum_jerk
from kinesphere.maths.peaks import prominences
from kinesphere.motion.clip import rest_clip
from kinesphere.motion.measure import body_height
from kinesphere.motion.mirroring import mirror
from kinesphere.timeline import Interval, Tier

RIG = ks.default_rig()
SCALE = HEIGHT_M / body_height(RIG)


def moved_wrists(left: ArrayLike, right: ArrayLike | None = None, fps: float = 60.0) -> ks.Clip:
    """A body at rest whose wrist joints are displaced by ``[n, 3]``, whatever the arms say."""
    first = np.asarray(left, dtype=np.float64)
    second = np.zeros_like(first) if right is None else np.asarray(right, dtype=np.float64)
    skeleton = RIG.skeleton
    joints = RIG.joints(("leftHand", "rightHand"))
    order = np.argsort(joints)
    # Forearms rest along the world's axes.
    moved = skeleton.offsets[joints] + np.stack([first, second], axis=1)
    clip = rest_clip(skeleton, len(first), fps)
    chosen = tuple(int(joints[i]) for i in order)
    return replace(clip, translated_joints=chosen, translations=moved[:, order])


def along(distance: ArrayLike, axis: ArrayLike = (0.0, 0.0, 1.0)) -> Floats:
    return np.asarray(distance)[:, None] * np.asarray(axis, dtype=np.float64)


def moves(
    starts_s: ArrayLike, sizes_m: ArrayLike, lengths_s: ArrayLike, total_s: float, fps: float = 60.0
) -> Floats:
    """Distance ``[n]`` of minimum-jerk movements, which add up where they overlap."""
    t = np.arange(round(total_s * fps) + 1) / fps
    rows = zip(
        np.atleast_1d(starts_s), np.atleast_1d(sizes_m), np.atleast_1d(lengths_s), strict=True
    )
    paths = [a * minimum_jerk(np.clip((t - s) / d, 0.0, 1.0)) for s, a, d in rows]
    return np.asarray(np.sum(paths, axis=0))


def talk(seed: int, seconds: float, fps: float = 60.0, calm: float = 1.0) -> Floats:
    """A hand that talks: movements that overlap, as long as the measured law has them."""
    rng = np.random.default_rng(seed)
    path = np.zeros((round(seconds * fps) + 1, 3))
    place, at = np.zeros(3), 0.2
    while at < seconds - 1.5:
        goal = rng.normal(scale=(0.07, 0.11, 0.09), size=3)
        length = 1.1 * calm * float(np.linalg.norm(goal - place)) ** 0.43 * rng.uniform(0.6, 1.5)
        path += along(moves(at, 1.0, length, seconds, fps), goal - place)
        at, place = at + 0.75 * length, goal
    return path


@pytest.mark.parametrize(("size", "length"), [(0.1, 0.4), (0.3, 0.6), (0.5, 1.2)])
def test_one_movement_is_measured_as_what_it_is(size: float, length: float) -> None:
    units = wrist_motion(moved_wrists(along(moves(1.0, size, length, 3.0))), RIG).units
    assert len(units) == 1
    assert units.hand[0] == 0
    peak = 1.875 * SCALE * size / length
    assert units.peak[0] == pytest.approx(peak, rel=0.03)
    assert units.top_s[0] == pytest.approx(1.0 + 0.5 * length, abs=1.01 / RATE_HZ)
    assert units.time_to_peak[0] == pytest.approx(0.5, abs=0.04)
    # The unit ends where speed falls below 0.05 m/s: at shares r and 1 - r of the length.
    r = np.linspace(0.0, 0.5, 100001)
    first = float(r[np.searchsorted(peak * 16.0 * (r * (1.0 - r)) ** 2, 0.05)])
    assert units.duration_s[0] == pytest.approx((1.0 - 2.0 * first) * length, abs=2.01 / RATE_HZ)
    inner = float(np.diff(minimum_jerk(np.array([first, 1.0 - first])))[0])
    assert units.chord_m[0] == pytest.approx(SCALE * size * inner, rel=0.02)
    assert units.end_speed[0] < 0.05


def test_movements_that_flow_end_at_the_minimum_between_them() -> None:
    path = moves((1.0, 1.4), (0.3, 0.2), (0.6, 0.5), 3.0)
    motion = wrist_motion(moved_wrists(along(path)), RIG)
    fine = moves((1.0, 1.4), (0.3, 0.2), (0.6, 0.5), 3.0, 6000.0)
    speed = np.gradient(fine, 1 / 6000.0) * SCALE
    low = 8400 + int(np.argmin(speed[8400:9600]))  # between 1.4 and 1.6 s
    units = motion.units
    assert len(units) == 2
    assert units.end_s[0] == units.start_s[1] == pytest.approx(low / 6000.0, abs=1 / RATE_HZ)
    assert units.end_ratio[0] == pytest.approx(speed[low] / speed[:low].max(), abs=0.03)
    assert units.end_ratio[0] > 0.1


def _units_plain(speed: Floats) -> list[tuple[int, int, int]]:
    """The definition, step by step."""
    tops = signal.find_peaks(speed, height=0.15, prominence=0.10)[0]
    out = []
    for i, top in enumerate(tops):
        first = tops[i - 1] if i else 0
        last = tops[i + 1] if i + 1 < len(tops) else len(speed) - 1
        start = first + np.flatnonzero(speed[first : top + 1] == speed[first : top + 1].min())[-1]
        end = top + int(np.argmin(speed[top : last + 1]))
        for k in range(top, start - 1, -1):
            if speed[k] < 0.05:
                start = k
                break
        for k in range(top, end + 1):
            if speed[k] < 0.05:
                end = k
                break
        out.append((int(start), int(top), int(end)))
    return out


def test_units_are_those_of_the_definition(rng: np.random.Generator) -> None:
    for seed in range(4):
        motion = wrist_motion(moved_wrists(talk(seed, 30.0), talk(seed + 50, 30.0)), RIG)
        units = find_units(motion)
        assert np.all(np.diff(units.top) >= 0)
        for hand in range(2):
            one = units.select(units.hand == hand)
            found = list(zip(one.start.tolist(), one.top.tolist(), one.end.tolist(), strict=True))
            assert found == _units_plain(motion.speeds[:, hand])
    for _ in range(20):
        noise = np.abs(np.cumsum(rng.normal(scale=0.06, size=400)))
        # Rounded, so that there are flat tops, too.
        for speed in (noise, noise.round(1)):
            peaks, more = signal.find_peaks(speed, height=0.15, prominence=0.1)
            assert speed_peaks(speed).tolist() == peaks.tolist()
            assert prominences(speed, peaks) == pytest.approx(more["prominences"])
    assert len(speed_peaks([])) == len(speed_peaks([1.0, 2.0])) == 0


def test_spectra_are_welchs(rng: np.random.Generator) -> None:
    raw = np.cumsum(rng.normal(scale=0.002, size=(1200, 2, 3)), axis=0)
    speed = np.gradient(raw, 1 / RATE_HZ, axis=0).reshape(len(raw), -1)
    hz, power = signal.welch(speed, RATE_HZ, "hann", nperseg=240, axis=0)
    total = power.sum(axis=1)
    # A one-sided spectrum counts everything twice but the ends, which are not asked for here.
    below = total[(hz <= 15.0)]
    below[0] *= 2.0
    for percent, least in zip(high_power(raw), (3.0, 5.0, 8.0), strict=True):
        above = total[(hz > least) & (hz <= 15.0)].sum()
        assert percent == pytest.approx(100.0 * above / below.sum(), rel=1e-6)
    t = np.arange(1200) / RATE_HZ
    still = np.zeros((1200, 1, 3))
    assert np.isnan(high_power(still)).all()
    still[:, 0, 0] = np.sin(2 * np.pi * 4.0 * t)
    assert high_power(still) == pytest.approx((100.0, 0.0, 0.0), abs=0.2)


def test_later_is_the_same_later() -> None:
    path = talk(1, 20.0)
    early = wrist_motion(moved_wrists(path), RIG)
    late = wrist_motion(moved_wrists(np.concatenate([np.tile(path[:1], (90, 1)), path])), RIG)
    assert late.speeds[150:] == pytest.approx(early.speeds[60:], abs=1e-9)
    assert (late.units.top - 90).tolist() == early.units.top.tolist()
    assert late.units.chord_m == pytest.approx(early.units.chord_m, abs=1e-6)


def test_the_mirror_swaps_the_hands() -> None:
    clip = moved_wrists(talk(1, 25.0), talk(2, 25.0))
    speeds, other = wrist_motion(clip, RIG).speeds, wrist_motion(mirror(clip), RIG).speeds
    assert other == pytest.approx(speeds[:, ::-1], abs=1e-9)
    a, b = (measure_window(wrist_motion(c, RIG), 2.0, 22.0) for c in (clip, mirror(clip)))
    for name, value in a.items():
        swapped = name.replace("left", "?").replace("right", "left").replace("?", "right")
        assert b[swapped] == pytest.approx(value, rel=1e-9)


def test_size_rate_and_place_of_a_body_do_not_matter() -> None:
    path = talk(3, 20.0)
    speeds = wrist_motion(moved_wrists(path), RIG).speeds
    # A giant.
    clip = moved_wrists(path)
    big = replace(RIG.skeleton, offsets=3.0 * RIG.skeleton.offsets)
    giant = ks.Clip(
        big,
        60.0,
        3.0 * clip.root_positions,
        clip.rotations,
        clip.translated_joints,
        3.0 * clip.translations,
    )
    assert wrist_motion(giant, ks.Rig(big, RIG.bones)).speeds == pytest.approx(speeds, abs=1e-9)
    assert wrist_motion(clip, RIG, 2.0 * body_height(RIG)).speeds == pytest.approx(0.5 * speeds)
    # One that is carried about.
    root = clip.root_positions + along(np.arange(len(clip)) / 30.0, (1.0, 0.0, 0.3))
    assert wrist_motion(replace(clip, root_positions=root), RIG).speeds == pytest.approx(
        speeds, abs=1e-9
    )
    # Other rates.
    for fps, most in ((30.0, 0.012), (120.0, 0.004)):
        again = wrist_motion(moved_wrists(talk(3, 20.0, fps), fps=fps), RIG).speeds
        assert len(again) == len(speeds)
        assert np.abs(again - speeds).max() < most


def test_the_amplitude_law_is_found(rng: np.random.Generator) -> None:
    sizes = rng.uniform(0.05, 0.6, size=40)
    lengths = sizes**0.35 / SCALE**0.35
    starts = 0.5 + np.concatenate([[0.0], np.cumsum(lengths + 0.5)[:-1]])
    signs = np.where(np.arange(40) % 2, -1.0, 1.0)
    path = moves(starts, signs * sizes, lengths, float(starts[-1]) + 3.0)
    units = wrist_motion(moved_wrists(along(path)), RIG).units
    assert len(units) == 40
    scale, exponent = amplitude_law(units)
    assert exponent == pytest.approx(0.65, abs=0.02)
    # Chords end where the hand is slower than 0.05 m/s, a little short of the goal.
    assert scale == pytest.approx(1.875 * SCALE**0.7, rel=0.05)
    assert np.isnan(amplitude_law(units.select(np.arange(4)))).all()


def test_windows_leave_out_stillness_and_short_clips_are_one() -> None:
    busy, still = talk(5, 30.0), np.zeros((1800, 3))
    clip = moved_wrists(np.concatenate([busy, still]))
    assert windows(clip, RIG) == [(0.0, 20.0), (10.0, 30.0), (20.0, 40.0)]
    assert windows(clip, RIG, 10.0, 10.0) == [(0.0, 10.0), (10.0, 20.0), (20.0, 30.0)]
    assert windows(moved_wrists(busy[:600]), RIG) == [(0.0, 10.0)]
    assert windows(moved_wrists(still), RIG) == []
    with pytest.raises(InvalidValueError, match="above 0"):
        windows(clip, RIG, 20.0, 0.0)
    with pytest.raises(InvalidValueError, match="nothing to measure from 99"):
        measure_window(wrist_motion(clip, RIG), 99.0, 100.0)
    with pytest.raises(InvalidValueError, match="height is -1"):
        wrist_motion(clip, RIG, -1.0)


def test_a_window_holds_what_happens_in_it() -> None:
    """Two movements of the left hand at 1 and 6 s; the right hand does nothing."""
    path = along(moves((1.0, 6.0), (0.3, -0.2), (0.6, 0.5), 20.0))
    clip = moved_wrists(path)
    found = measure_window(wrist_motion(clip, RIG), 0.0, 10.0, [(0.0, 2.0)])
    peaks = [1.875 * SCALE * a / t for a, t in ((0.3, 0.6), (0.2, 0.5))]
    assert found["fastest_peak"] == pytest.approx(max(peaks), rel=0.03)
    assert found["median_peak"] == pytest.approx(np.mean(peaks), rel=0.03)
    assert found["mean_speed_left"] == pytest.approx(SCALE * 0.5 / 10.0, rel=0.01)
    assert found["mean_speed_right"] < 1e-9
    assert found["still_share_right"] == 1.0
    assert 0.9 < found["still_share_left"] < 0.93
    moving = np.count_nonzero(wrist_motion(clip, RIG).speeds[:600] > 0.1) / RATE_HZ
    assert found["units_per_s"] == pytest.approx(2.0 / moving)
    slow = np.count_nonzero(wrist_motion(clip, RIG).speeds[:120, 0] < 0.1) / 120
    assert found["both_still_speaking"] == pytest.approx(slow)
    assert np.isnan(found["hand_correlation"])
    assert np.isnan(found["amplitude_exponent"])
    spoken = Tier("words", (Interval(0.0, 1.0), Interval(1.0, 2.0)))
    assert dict(measure_window(wrist_motion(clip, RIG), 0.0, 10.0, spoken)) == pytest.approx(
        dict(found), nan_ok=True
    )
    # Jerk and acceleration of a minimum-jerk movement, whose means over its time are known.
    size, length = 0.3 * SCALE, 0.6
    alone = measure_window(wrist_motion(clip, RIG), 0.0, 4.0)
    assert alone["p99_acceleration"] == pytest.approx(5.7735 * size / length**2, rel=0.06)
    mean_square = 720.0 * size**2 / length**6
    assert 0.4 < alone["rms_jerk"] / np.sqrt(mean_square) < 1.0  # its ends are slower than 0.1


def test_talk_is_accepted_and_faults_are_not() -> None:
    left, right = talk(11, 65.0), talk(11, 65.0)
    right = 0.8 * right * np.array([-1.0, 1.0, 1.0]) + 0.3 * talk(12, 65.0)
    words = [(0.0, 64.0)]
    good = acceptance(moved_wrists(left, right), RIG, words)
    assert good.windows == 5
    assert list(good.verdicts) == list(measures())
    assert good["mean_speed"].count == 10
    assert good.inside > 0.9, str(good)
    assert good["both_still_speaking"].inside == 1.0
    t = np.arange(len(left)) / RATE_HZ
    shake = along(0.0015 * np.sin(2 * np.pi * 9.0 * t))
    trembling = acceptance(moved_wrists(left + shake, right + shake), RIG, words)
    assert trembling["power_above_8_hz"].inside == 0.0
    assert trembling["rms_jerk"].median > 1.3 * good["rms_jerk"].median
    # Movements that stop each time, with a bell each, and pause.
    starts = np.arange(0.5, 63.0, 1.0)
    stops = along(moves(starts, 0.25 * (-1.0) ** np.arange(len(starts)), 0.6 + 0 * starts, 65.0))
    stopping = acceptance(moved_wrists(stops, stops), RIG, words)
    for name in ("median_end_ratio", "both_still_speaking", "hand_correlation"):
        assert stopping[name].inside == 0.0, name
    assert stopping["median_peak"].inside == 1.0
    slow = acceptance(moved_wrists(talk(11, 65.0, calm=3.0), right), RIG)
    assert "both_still_speaking" not in slow.verdicts
    assert slow["median_duration"].median > good["median_duration"].median
    vivid = acceptance(moved_wrists(left, right), RIG, manner="expressive")
    assert vivid["p95_peak"].inside == vivid["p99_acceleration"].inside == 0.0


def test_the_table_can_be_read() -> None:
    found = acceptance(moved_wrists(talk(11, 25.0)), RIG)
    text = str(found)
    assert text.splitlines()[0].startswith("1 windows, calm: ")
    assert len(text.splitlines()) == 2 + len(found.verdicts)
    assert "0.15 to 0.32" in text
    assert "< 0.2" in text
    empty = acceptance(moved_wrists(np.zeros((600, 3))), RIG)
    assert empty.windows == 0
    assert np.isnan(empty.inside)
    assert "nan" in str(empty)
    assert 2 in Accept(1.0, 2.0)
    assert "x" not in Accept(1.0, 2.0)


def test_targets_contain_the_people_they_come_from() -> None:
    for measure in measures().values():
        for people, accept in zip(measure.people, (measure.calm, measure.expressive), strict=True):
            assert np.isnan(people) or people in accept, measure.name


@pytest.mark.timing
def test_a_minute_is_measured_in_half_a_second() -> None:
    clip = moved_wrists(talk(7, 60.0), talk(8, 60.0))
    acceptance(clip, RIG)
    start = time.perf_counter()
    acceptance(clip, RIG, [(0.0, 60.0)])
    assert time.perf_counter() - start < 0.5


def test_a_recorded_speaker_is_measured_as_others_did(data: Path) -> None:
    """Units, speeds and the amplitude law of a minute of talk, measured by hand before."""
    take = ks.load(data / "beat2" / "2_scott_0_1_1.npz")
    rig = ks.identify(take.clip.skeleton).rig
    motion = wrist_motion(take.clip, rig)
    units: Units = motion.units
    assert abs(len(units) - 231) <= 4
    assert np.quantile(motion.speeds, (0.5, 0.9, 0.99)) == pytest.approx(
        (0.43, 1.14, 2.01), rel=0.03
    )
    for values, known in (
        (units.peak, (0.35, 0.75, 1.56)),
        (units.duration_s, (0.25, 0.53, 0.83)),
        (units.chord_m, (0.06, 0.20, 0.48)),
    ):
        assert np.quantile(values, (0.1, 0.5, 0.9)) == pytest.approx(known, rel=0.08)
    scale, exponent = amplitude_law(units)
    assert scale == pytest.approx(2.2, abs=0.1)
    assert exponent == pytest.approx(0.65, abs=0.03)
    assert acceptance(take.clip, rig).inside > 0.9
    assert len(active_windows(motion)) == 5


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_moments_can_be_measured(frames: int) -> None:
    found = measure_window(
        wrist_motion(moved_wrists(np.zeros((frames, 3)), fps=30.0), RIG), 0.0, 1.0
    )
    assert found["mean_speed_left"] < 1e-9
    assert np.isnan(found["median_peak"])


def test_wrists_are_checked() -> None:
    with pytest.raises(InvalidValueError, match="places has shape"):
        WristMotion(np.zeros((4, 2, 3)), np.zeros((4, 3)))
