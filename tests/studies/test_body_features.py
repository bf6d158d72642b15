"""Features of standing bodies against known answers."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.studies.body_events import posture_changes, shift_durations_s, weight_shifts
from benchmarks.studies.body_features import FEATURES, NAMES, window_features, window_spans
from benchmarks.studies.whole_body import RATE_HZ, band, rate, whole_body
from scipy import signal

import kinesphere as ks
from kinesphere.errors import RigError
from kinesphere.motion.clip import rest_clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.mirroring import mirror
from tests.conftest import smooth_clip
from tests.studies.standing_bodies import (
    RIG,
    SECONDS,
    TIMES,
    along,
    eased,
    measured,
    pivoted,
    standing,
    turned,
)

HZ = 0.25
SWAY = np.sin(2 * np.pi * HZ * TIMES)


def test_names_of_features_are_unique() -> None:
    assert len(set(NAMES)) == len(NAMES) == 43
    assert {f.region for f in FEATURES} == {"legs", "torso", "arms", "head"}


@pytest.mark.parametrize("amplitude_m", [0.02, 0.04])
def test_a_sway_has_its_amplitude_rate_and_speed(amplitude_m: float) -> None:
    found = measured(standing(along(0, amplitude_m * SWAY)))
    assert found["pelvis over feet, side SD"] == pytest.approx(100 * amplitude_m / 2**0.5, rel=0.01)
    fastest = 100 * amplitude_m * 2 * np.pi * HZ
    assert found["pelvis side speed p95"] == pytest.approx(fastest, rel=0.01)
    assert found["pelvis over feet, fore-aft SD"] < 0.05
    assert found["foot moves"] == found["time a foot moves"] == 0.0
    assert found["slide of planted feet"] < 1e-3
    assert found["ankle rise p99"] < 1e-3


def test_only_a_sway_over_five_centimetres_is_a_weight_shift() -> None:
    small, large = (measured(standing(along(0, a * SWAY))) for a in (0.024, 0.04))
    assert small["weight shifts over 5 cm"] == 0.0
    assert np.isnan(small["duration of weight shifts"])
    # Nine whole travels in five periods; the quarters at both ends are shorter than 5 cm.
    assert large["weight shifts over 5 cm"] == pytest.approx(9 * 60 / SECONDS)
    # A cosine goes from 10 to 90 % in this part of half a period.
    part = (np.arccos(-0.8) - np.arccos(0.8)) / np.pi
    assert large["duration of weight shifts"] == pytest.approx(part / (2 * HZ), abs=0.03)


def test_weight_goes_to_the_leg_over_which_the_pelvis_stands() -> None:
    left, right = (whole_body(standing(along(0, x + 0 * TIMES)), RIG).legs for x in (0.06, -0.06))
    assert left.side.mean() == pytest.approx(0.06, abs=1e-3)
    assert left.load.mean() > 0.75
    assert right.load.mean() == pytest.approx(1 - left.load.mean(), abs=1e-6)
    ahead = whole_body(standing(along(2, 0.03 + 0 * TIMES)), RIG).legs
    assert ahead.fore.mean() - whole_body(standing(), RIG).legs.fore.mean() == pytest.approx(0.03)


def test_a_foot_lifted_by_five_centimetres_rises_and_comes_back() -> None:
    lift = along(1, 0.05 * (eased(5.0, 0.5) - eased(7.0, 0.5)))
    found = measured(standing(feet={0: lift}))
    assert found["ankle rise p99"] == pytest.approx(5.0, abs=0.05)
    assert found["foot moves"] == 0.0
    assert found["knees' difference"] > 1.0


def test_a_foot_put_elsewhere_is_a_move_and_shows_in_the_stance() -> None:
    lift = along(1, 0.05 * (eased(2.0, 0.3) - eased(2.3, 0.3)))
    feet = {0: lift + along(0, 0.10 * eased(2.0, 0.6)), 1: along(2, 0.03 * eased(9.0, 0.6))}
    before, found = measured(standing()), measured(standing(feet=feet))
    assert found["foot moves"] == 60 / SECONDS  # the other moves by 3 cm only
    assert found["stance width"] - before["stance width"] == pytest.approx(10.0, abs=0.05)
    assert found["stance stagger"] == pytest.approx(3.0, abs=0.05)
    assert 0.3 / SECONDS < found["time a foot moves"] < 1.2 / SECONDS


def test_a_foot_that_pivots_moves_and_turns_out() -> None:
    before, turn = measured(standing()), 12.0 * eased(2.0, 0.4)
    found = measured(turned(standing(), "Y", leftFoot=turn))
    assert found["foot moves"] == 60 / SECONDS
    assert found["turn-out of the feet"] - before["turn-out of the feet"] == pytest.approx(
        12.0, abs=0.1
    )
    right = measured(turned(standing(), "Y", rightFoot=-turn))
    assert right["turn-out of the feet"] == pytest.approx(found["turn-out of the feet"], abs=1e-6)


def test_a_foot_that_creeps_slides() -> None:
    found = measured(standing(feet={1: along(2, 0.01 * TIMES)}))
    assert found["slide of planted feet"] == pytest.approx(0.5, abs=0.01)  # one of both feet


@pytest.mark.parametrize("part", [0.0, 0.4, 0.9])
def test_the_chest_makes_its_part_of_head_turns(part: float) -> None:
    yaw = 30.0 * (eased(3.0, 0.5) - eased(8.0, 0.6) - 0.7 * eased(13.0, 0.5))
    found = measured(turned(standing(), "Y", upperChest=part * yaw, head=(1 - part) * yaw))
    assert found["chest's part of head turns"] == pytest.approx(part, abs=1e-3)
    assert found["head yaw SD"] == pytest.approx(yaw.std(), rel=0.01)
    assert found["neck yaw to chest yaw, r"] == pytest.approx(1.0 if part else 0.0, abs=1e-3)


def test_a_head_that_keeps_still_has_no_turns() -> None:
    assert np.isnan(measured(standing())["chest's part of head turns"])


def test_the_pelvis_has_its_share_of_chest_yaw() -> None:
    yaw = 5.0 * SWAY
    found = measured(turned(standing(), "Y", hips=0.7 * yaw, upperChest=0.3 * yaw))
    assert found["pelvis' share of chest yaw"] == pytest.approx(0.7, abs=0.01)
    assert found["pelvis yaw SD"] == pytest.approx(0.7 * yaw.std(), rel=0.01)
    assert found["spine yaw SD"] == pytest.approx(0.3 * yaw.std(), rel=0.01)
    assert measured(standing())["pelvis' share of chest yaw"] == 0.0


@pytest.mark.parametrize(("axis", "column", "sign"), [("Y", 0, 1), ("X", 1, 1), ("Z", 2, -1)])
def test_signs_of_angles(axis: str, column: int, sign: int) -> None:
    """Left, forward and left side lower are positive."""
    angles = whole_body(turned(standing(), axis, hips=8.0 + 0 * TIMES), RIG).torso.pelvis
    assert angles[:, column] == pytest.approx(8.0 * sign)
    assert np.delete(angles, column, axis=1) == pytest.approx(0.0, abs=1e-9)


def test_features_do_not_depend_on_where_a_body_faces() -> None:
    clip = turned(standing(along(0, 0.04 * SWAY)), "Y", upperChest=5 * SWAY, head=9 * SWAY)
    here, there = measured(clip), measured(pivoted(clip, 170.0 + 0 * TIMES))
    for name in NAMES:
        assert there[name] == pytest.approx(here[name], abs=1e-6, nan_ok=True), name


def test_a_mirrored_body_has_the_same_features(rng: np.random.Generator) -> None:
    clip = smooth_clip(RIG.skeleton, rng, frames=1320, size=0.25)
    other = mirror(clip, RIG.mirror_permutation(), RIG.canonical_pose[0])
    assert np.abs(other.rotations - clip.rotations).max() > 0.1
    ours, theirs = (window_features(whole_body(c, RIG)) for c in (clip, other))
    assert np.isfinite(ours).sum() > 38
    np.testing.assert_allclose(theirs, ours, atol=1e-6)


def test_features_are_finite_for_a_body_that_does_nothing() -> None:
    found = measured(rest_clip(RIG.skeleton, len(TIMES), RATE_HZ))
    lacking = {name for name, value in found.items() if np.isnan(value)}
    assert lacking == {
        "duration of weight shifts",
        "chest's part of head turns",
        "wrist deviation to radial acceleration, r",
    }


def test_wrists_that_were_not_recorded_are_left_out(rng: np.random.Generator) -> None:
    clip = smooth_clip(RIG.skeleton, rng, frames=1200)
    column = NAMES.index("wrist deviation to radial acceleration, r")
    with_wrists, without = (
        window_features(whole_body(clip, RIG, wrists=recorded)) for recorded in (True, False)
    )
    assert np.isfinite(with_wrists[0, column])
    assert np.isnan(without[0, column])


def test_the_rate_of_a_recording_does_not_matter(rng: np.random.Generator) -> None:
    clip = smooth_clip(RIG.skeleton, rng, frames=1200)
    half = clip.select_frames(slice(None, None, 2))
    slow = ks.Clip(half.skeleton, 30.0, half.root_positions, half.rotations)
    ours, theirs = (whole_body(c, RIG) for c in (clip, slow))
    np.testing.assert_allclose(theirs.legs.side[:1190], ours.legs.side[:1190], atol=2e-3)


def test_windows_of_recordings() -> None:
    assert window_spans(round(13.9 * RATE_HZ)) == []
    assert window_spans(round(15 * RATE_HZ)) == [slice(0, 900)]
    assert window_spans(round(41 * RATE_HZ)) == [slice(a, a + 1200) for a in (0, 600, 1200)]


def test_a_rig_without_toes_is_refused() -> None:
    bones = {bone: joint for bone, joint in RIG.bones.items() if bone != "leftToes"}
    clip = rest_clip(RIG.skeleton, 1200, RATE_HZ)
    with pytest.raises(RigError, match="leftToes"):
        whole_body(clip, Rig(RIG.skeleton, bones))


def test_a_path_is_cut_into_travels() -> None:
    path = np.interp(np.arange(61), [0, 10, 30, 40, 60], [0.0, 0.1, 0.0, 0.03, -0.1])
    shifts = weight_shifts(path, 0.05)
    assert shifts == [(0, 10), (10, 60)]  # 3 cm back is no travel of its own
    assert shift_durations_s(path, shifts)[0] == pytest.approx(8 / RATE_HZ)
    assert weight_shifts(-path, 0.05) == shifts


def test_the_last_travel_counts_though_the_path_turns_after_it() -> None:
    path = np.interp(np.arange(31), [0, 10, 20, 30], [0.0, 0.08, 0.0, 0.04])
    assert weight_shifts(path, 0.05) == [(0, 10), (10, 20)]


def test_feet_close_together_share_the_weight_alike() -> None:
    close = {0: along(0, -0.16 + 0 * TIMES)}
    legs = whole_body(standing(feet=close), RIG).legs
    assert 0.0 < legs.width.mean() < 0.05
    swapped = {1: along(0, 0.16 + 0 * TIMES)}
    other = whole_body(standing(feet=swapped), RIG).legs
    assert other.load.mean() == pytest.approx(1 - legs.load.mean(), abs=1e-6)


def test_steps_of_a_posture_are_counted() -> None:
    levels = np.repeat([0.0, 5.0, -3.0, 4.0], 25)
    posture = np.column_stack([levels, 0.3 * levels])
    assert posture_changes(posture + 0.01 * np.sin(np.arange(100))[:, None]) == 3
    assert posture_changes(0.1 * posture) == 0  # too small for what a step costs


def test_the_band_is_that_of_two_butterworth_filters(rng: np.random.Generator) -> None:
    values = rng.normal(size=1200).cumsum() * 0.01
    high = signal.butter(2, 0.5 / 30.0, "high", output="sos")
    low = signal.butter(2, 4.0 / 30.0, "low", output="sos")
    theirs = signal.sosfiltfilt(low, signal.sosfiltfilt(high, values))
    np.testing.assert_allclose(band(values, 0.5, 4.0)[200:-200], theirs[200:-200], atol=1e-4)
    assert rate(TIMES) == pytest.approx(1.0)
