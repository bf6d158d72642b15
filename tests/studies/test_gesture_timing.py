"""When gestures come: strokes with words, the way home, holds, and which hands do it."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from benchmarks.studies.gesture_timing import (
    Freeze,
    Stroke,
    at_home,
    freezes,
    hand_coordination,
    handedness,
    holds,
    performed_hands,
    retraction,
    stroke_timing,
)

import kinesphere as ks
from kinesphere.animation.arms.poses.home_pose import HOME_WRIST
from kinesphere.corpus.profiles.counts import GestureCounts
from kinesphere.corpus.profiles.profile import NO_SMOOTHING, Profile
from kinesphere.errors import InvalidValueError
from kinesphere.evaluation.artefacts import ArmPostures, arm_poses
from kinesphere.evaluation.movement import RATE_HZ, WristMotion, wrist_motion
from kinesphere.maths.arrays import Floats
from kinesphere.maths.curves import minimum_jerk
from kinesphere.motion.mirroring import mirror
from tests.evaluation.test_bodily import GESTURE, acted
from tests.evaluation.test_movement import RIG, SCALE, along, moved_wrists, moves, talk

HOME = np.array(HOME_WRIST)


def measured(clip: ks.Clip) -> tuple[WristMotion, ArmPostures]:
    return wrist_motion(clip, RIG), arm_poses(clip, RIG)


def trip(leave_s: float, arrive_s: float, total_s: float, fps: float = 60.0) -> Floats:
    """A wrist at home, away between two times (each way takes 0.6 s), and home again."""
    t = np.arange(round(total_s * fps) + 1) / fps
    out = minimum_jerk(np.clip((t - leave_s) / 0.6, 0.0, 1.0))
    back = minimum_jerk(np.clip((t - arrive_s) / 0.6 + 1.0, 0.0, 1.0))
    return HOME + along(out - back, GESTURE - HOME)


def test_strokes_are_compared_with_their_own_syllables() -> None:
    strokes = [Stroke(1.0, 1.3, 1.6), (2.0, 2.2, 2.4), (3.0, 3.3, 3.5), (5.0, 5.2, 5.4)]
    stressed = [1.3 - 0.1, 2.2 + 0.3, 3.3 - 0.5, np.nan]
    found = stroke_timing(strokes, stressed)
    assert found.count == 3
    assert found.share == pytest.approx(2 / 3)
    assert found.covering == pytest.approx(1 / 3)
    assert found.median_s == pytest.approx(0.1)
    assert found.median_abs_s == pytest.approx(0.3)
    ends = stroke_timing(strokes, stressed, mark="end")
    assert ends.median_s == pytest.approx(0.4)
    # Later speech is an earlier gesture; all times later change nothing.
    late = np.array(strokes) + 7.0
    assert stroke_timing(late.tolist(), np.array(stressed) + 7.0).median_s == pytest.approx(0.1)
    assert stroke_timing(late.tolist(), np.array(stressed) + 7.4).median_s == pytest.approx(-0.3)
    nearest = stroke_timing(strokes, [3.2, 1.2, 2.25], own=False)
    assert (nearest.count, nearest.share) == (4, 0.75)
    assert stroke_timing([], []).count == 0
    with pytest.raises(InvalidValueError, match="4 strokes with syllables of 1 words"):
        stroke_timing(strokes, [1.0])


def test_hands_are_home_when_they_are() -> None:
    poses = arm_poses(acted(trip(1.0, 4.0, 6.0)), RIG)
    home = at_home(poses)
    assert np.array_equal(home[:, 0], home[:, 1])
    assert home[:60].all()
    assert home[250:].all()
    assert not home[100:200].any()
    # On the way, it is home as soon as it is near.
    share = 0.12 / (SCALE * float(np.linalg.norm(GESTURE - HOME)))
    ratio = np.linspace(0.0, 1.0, 10001)
    near = 3.4 + 0.6 * float(ratio[np.searchsorted(minimum_jerk(ratio), 1.0 - share)])
    arrival = float(np.flatnonzero(~home[:, 0])[-1] + 1) / RATE_HZ
    assert arrival == pytest.approx(near, abs=2 / RATE_HZ)
    assert at_home(poses, (HOME_WRIST, tuple(SCALE * GESTURE)))[120:180].all()


def test_retraction_is_counted_from_the_end_of_the_phrase() -> None:
    left, right = trip(1.0, 4.0, 8.0), trip(1.0, 4.3, 8.0)
    poses = arm_poses(acted(left, right), RIG)
    home = float(np.flatnonzero(~at_home(poses)[:, 1])[-1] + 1) / RATE_HZ
    for end in (3.5, home - 0.45, home + 0.2):
        found = retraction(poses, [end])
        assert found.lags_s == pytest.approx([home - end])
        assert found.share == float(home - end <= 0.5)
    # A phrase that ends while the hands are away, and another before they come home.
    found = retraction(poses, [2.0, 3.0, 3.9])
    assert np.isinf(found.lags_s[:2]).all()
    assert found.share == pytest.approx(1 / 3)
    assert np.isnan(retraction(poses, []).share)
    assert retraction(arm_poses(acted(left), RIG), [4.0]).lags_s[0] < home - 4.0


def test_drifting_holds_are_measured_and_frozen_ones_found() -> None:
    path = trip(1.0, 6.0, 8.0)
    t = np.arange(len(path)) / RATE_HZ
    inside = np.clip(t - 1.8, 0.0, 3.4)
    drift = along(0.03 * inside, (0.6, 0.8, 0.0))
    shake = along(0.004 * np.sqrt(2.0) * np.sin(2 * np.pi * 1.0 * inside), (0.0, 0.0, 1.0))
    alive, dead = measured(acted(path + drift)), measured(acted(path))
    frozen = freezes(*dead)
    assert {f.hand for f in frozen} == {0, 1}
    for freeze in frozen:
        assert freeze.start_s == pytest.approx(1.6, abs=0.12)
        assert freeze.end_s == pytest.approx(5.4, abs=0.12)
    assert freezes(*alive) == ()
    assert freezes(*dead, homes=(HOME_WRIST, tuple(SCALE * GESTURE))) == ()
    away, rests = holds(*alive)
    assert len(away.durations_s) == 2
    assert len(rests.durations_s) == 4
    assert away.durations_s == pytest.approx([3.9, 3.9], abs=0.2)
    assert away.drifts == pytest.approx(SCALE * 0.03, rel=0.15)
    assert away.speeds == pytest.approx(SCALE * 0.03, rel=0.3)
    swaying, _ = holds(*measured(acted(path + drift + shake)))
    assert swaying.wanders_m == pytest.approx(away.wanders_m + 0.004, abs=0.0015)
    # Shorter than a second is a hold and no freeze.
    assert freezes(*measured(acted(trip(1.0, 3.0, 5.0)))) == ()
    one = freezes(*measured(acted(path, path + drift)))
    assert [f.hand for f in one] == [0]
    assert isinstance(one[0], Freeze)


def _speaker(**hands: int) -> Profile:
    names = {"left": "LH", "right": "RH", "both": "2H"}
    counts = GestureCounts(hands={names[k]: n for k, n in hands.items()})
    return Profile("somebody", "en", counts, (), smoothing=NO_SMOOTHING)


def test_hands_are_compared_with_a_speakers() -> None:
    speaker = _speaker(left=10, right=60, both=30)
    same = handedness(["LH"] * 2 + ["RH"] * 12 + ["2H"] * 6, speaker)
    assert same.distance == pytest.approx(0.0)
    assert same.p == 1.0
    assert same.habit == pytest.approx({"LH": 0.1, "RH": 0.6, "2H": 0.3})
    other = handedness(["LH"] * 12 + ["RH"] * 2 + ["2H"] * 6, speaker)
    assert other.distance == pytest.approx(0.5)
    assert other.p < 0.01
    assert other.shares == pytest.approx({"LH": 0.6, "RH": 0.1, "2H": 0.3})
    few = handedness(["LH", "2H"], speaker)
    assert few.p > 0.05
    for hands, what in (([], "none"), (["both"], "'both'")):
        with pytest.raises(InvalidValueError, match=f"{what}, allowed are"):
            handedness(hands, speaker)


def test_which_hand_really_moves() -> None:
    left = along(moves((1.0, 5.0), (0.3, 0.3), (0.6, 0.6), 7.0))
    right = along(moves((3.0, 5.0), (0.3, 0.2), (0.6, 0.6), 7.0))
    strokes = [Stroke(1.0, 1.3, 1.6), Stroke(3.0, 3.3, 3.6), Stroke(5.0, 5.3, 5.6)]
    clip = moved_wrists(left, right)
    assert performed_hands(wrist_motion(clip, RIG), strokes) == ("LH", "RH", "2H")
    assert performed_hands(wrist_motion(mirror(clip), RIG), strokes) == ("RH", "LH", "2H")


def test_two_hands_that_do_the_same_go_together() -> None:
    path = 0.5 * talk(3, 20.0) + GESTURE
    late = np.concatenate([np.tile(path[:1], (3, 1)), path[:-3]])
    same = hand_coordination(*measured(acted(path)))
    assert same.correlation == pytest.approx(1.0, abs=1e-3)
    assert same.mirrored == pytest.approx((1.0, 1.0, 1.0), abs=1e-3)
    assert (same.lag_s, same.pair_lag_s) == (0.0, 0.0)
    assert (same.both_share, same.pair_ratio) == pytest.approx((1.0, 1.0), abs=0.01)
    after = hand_coordination(*measured(acted(path, GESTURE + 0.7 * (late - GESTURE))))
    assert after.lag_s == pytest.approx(3 / RATE_HZ)
    assert after.pair_lag_s == pytest.approx(3 / RATE_HZ, abs=1 / RATE_HZ)
    assert after.pair_ratio == pytest.approx(0.7, abs=0.05)
    before = hand_coordination(*measured(mirror(acted(path, GESTURE + 0.7 * (late - GESTURE)))))
    assert before.lag_s == -after.lag_s
    assert before.pairs == after.pairs
    # One movement of the right hand belongs to one of the two beside it.
    two = along(moves((1.0, 1.4), (0.2, 0.2), (0.4, 0.4), 3.0))
    one = along(moves(1.25, 0.2, 0.4, 3.0))
    assert hand_coordination(*measured(moved_wrists(two, one))).pairs == 1
    assert hand_coordination(*measured(moved_wrists(one, two))).pairs == 1
    alone = hand_coordination(*measured(acted(path, np.tile(GESTURE, (len(path), 1)))))
    assert alone.both_share == 0.0
    assert alone.pairs == 0
    assert np.isnan([alone.correlation, alone.lag_s, alone.pair_lag_s]).all()


@pytest.mark.timing
def test_a_minute_takes_little_time() -> None:
    motion, poses = measured(acted(0.5 * talk(1, 60.0) + GESTURE, 0.5 * talk(2, 60.0) + GESTURE))
    assert len(motion.units) > 50
    start = time.perf_counter()
    hand_coordination(motion, poses)
    holds(motion, poses)
    freezes(motion, poses)
    retraction(poses, np.arange(5.0, 60.0, 5.0))
    assert time.perf_counter() - start < 0.3


def test_a_recorded_speaker_holds_and_pairs_as_measured_before(data: Path) -> None:
    take = ks.load(data / "beat2" / "2_scott_0_1_1.npz")
    rig = ks.identify(take.clip.skeleton).rig
    motion, poses = wrist_motion(take.clip, rig), arm_poses(take.clip, rig)
    both = hand_coordination(motion, poses)
    assert 0.49 <= both.correlation <= 0.93
    assert abs(both.lag_s) <= 0.018
    assert both.pair_lag_s == pytest.approx(0.033, abs=0.001)
    assert both.pair_ratio == pytest.approx(0.78, abs=0.1)
    assert both.mirrored == pytest.approx((0.45, 0.7, 0.6), abs=0.15)
    assert freezes(motion, poses) == ()
    away, _ = holds(motion, poses)
    assert 0.27 <= np.median(away.durations_s) <= 0.84
    assert 0.04 <= np.median(away.speeds) <= 0.10
