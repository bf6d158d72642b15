"""From tracks to frames: what is kept within limits, and what a held hand does."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere.animation.arms.hand_sampling import sample_hand, with_collar
from kinesphere.animation.arms.hand_tracks import PARTS, HandTracks
from kinesphere.animation.arms.poses.arm_pose import limb_of_side, shoulder_joint
from kinesphere.animation.arms.poses.hand_pose import HIGHEST, LOWEST
from kinesphere.animation.arms.poses.rest_poses import rest_poses
from kinesphere.animation.posing import HandFrames
from kinesphere.animation.settings import ActingSettings
from kinesphere.animation.trunk_motion import TrunkMotion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side, sign_of
from kinesphere.motion.keyed.tracks import DofTrack, Step
from tests.animation.standing import HIPS, feet

PAPER = ActingSettings().paper_preset()
PEOPLE = ActingSettings()
TIMES = np.arange(600) / 60.0
NEVER = np.zeros(600, dtype=bool)
HALF = rest_poses(["half-rest"], plain=True)["half-rest"]


def tracks(side: Side = "left", **firsts: Floats) -> HandTracks:
    pose = HALF[side]
    values = {
        "Wrist": pose.wrist,
        "Swivel": np.array([pose.swivel]),
        "Angles": pose.angles,
        "Fingers": pose.fingers,
        "Collar": pose.collar,
    }
    return HandTracks(side, {p: DofTrack({**values, **firsts}[p]) for p in PARTS}, {})


@pytest.mark.parametrize("side", SIDES)
def test_the_papers_hands_are_the_tracks(side: Side) -> None:
    made = sample_hand(tracks(side), TIMES, PAPER, 0, NEVER)
    assert np.allclose(made.wrists, HALF[side].wrist, atol=1e-3)
    assert np.allclose(made.swivels, HALF[side].swivel)
    assert np.allclose(made.angles, HALF[side].angles)
    assert np.allclose(made.fingers, HALF[side].fingers, atol=1e-9)


def test_layers_are_added() -> None:
    one = tracks()
    step = np.array([0.0, 0.05, 0.0])
    layer = DofTrack.of_steps(np.zeros(3), [Step(1.0, 0.5, step)])
    two = HandTracks("left", one.tracks, {"Wrist": [layer, layer]})
    gap = two.sample("Wrist", TIMES) - one.sample("Wrist", TIMES)
    assert np.allclose(gap[-1], 2.0 * step)
    assert np.allclose(gap[0], 0.0)


def test_a_held_hand_is_never_quite_still_and_never_far() -> None:
    made = sample_hand(tracks(), TIMES, PEOPLE, 0, NEVER)
    off = np.linalg.norm(made.wrists - HALF["left"].wrist, axis=1)
    assert 0.001 < off.std() < 0.02
    assert off.max() < 0.045
    assert np.linalg.norm(np.diff(made.wrists, axis=0), axis=1).max() * 60.0 < 0.15
    again = sample_hand(tracks(), TIMES, PEOPLE, 0, NEVER)
    other = sample_hand(tracks(), TIMES, PEOPLE, 1, NEVER)
    assert np.array_equal(made.wrists, again.wrists)
    assert not np.allclose(made.wrists, other.wrists)


def test_hands_that_hold_each_other_wander_as_one() -> None:
    always = np.ones(600, dtype=bool)
    left, right = (sample_hand(tracks(side), TIMES, PEOPLE, 0, always) for side in SIDES)
    assert np.ptp(left.wrists - right.wrists, axis=0).max() < 2e-3
    left, right = (sample_hand(tracks(side), TIMES, PEOPLE, 0, NEVER) for side in SIDES)
    assert np.ptp(left.wrists - right.wrists, axis=0).max() > 5e-3


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("s", [PAPER, PEOPLE], ids=["paper", "people"])
def test_any_track_is_within_reach_and_limits(side: Side, s: ActingSettings) -> None:
    rng = np.random.default_rng(1)
    shoulder, reach = shoulder_joint(side), limb_of_side(side).reach
    for _ in range(20):
        wild = tracks(
            side,
            Wrist=shoulder + rng.normal(size=3),
            Angles=2.0 * rng.normal(size=3),
            Fingers=np.concatenate(
                [80.0 * rng.normal(size=12), 40.0 * rng.normal(size=4), np.zeros(5)]
            ),
        )
        made = sample_hand(wild, TIMES, s, 0, NEVER)
        away = np.linalg.norm(made.wrists - shoulder, axis=1)
        assert away.max() < reach
        assert away.min() > 0.15
        assert np.all(made.angles >= LOWEST - 1e-12)
        assert np.all(made.angles <= HIGHEST + 1e-12)
        assert np.abs(made.fingers[:, :12]).max() <= 110.0
        assert np.abs(made.fingers[:, 12:16]).max() <= 35.0


def test_what_can_be_reached_is_left_alone() -> None:
    rng = np.random.default_rng(2)
    for side in SIDES:
        for _ in range(20):
            off = rng.uniform([0.0, -0.35, 0.12], [0.2, 0.0, 0.3]) * [sign_of(side), 1.0, 1.0]
            wrist = shoulder_joint(side) + off
            size = np.linalg.norm(off)
            if not 0.26 < size < 0.42:
                continue
            made = sample_hand(tracks(side, Wrist=wrist), TIMES[:2], PAPER, 0, NEVER[:2])
            assert np.linalg.norm(made.wrists[0] - wrist) < 0.006


# -- collar bones ----------------------------------------------------------------------------------


def body(frames: int) -> TrunkMotion:
    zero = np.zeros((frames, 3))
    return TrunkMotion(HIPS + zero, zero, zero, feet(len(zero)), {"left": zero, "right": zero})


def still(side: Side, wrist: Floats) -> HandFrames:
    wrists = np.broadcast_to(wrist, (3, 3))
    return HandFrames(wrists, np.zeros(3), np.zeros((3, 3)), np.zeros((3, 21)), np.zeros((3, 3)))


@pytest.mark.parametrize("side", SIDES)
def test_collar_bones_rise_with_the_hand(side: Side) -> None:
    out = float(sign_of(side))
    shoulder = shoulder_joint(side)
    rises = [
        with_collar(still(side, shoulder + [0.1 * out, up, 0.3]), side, body(3), 1.0).collars[0, 2]
        for up in (-0.4, 0.0, 0.3)
    ]
    assert rises[0] * out < rises[1] * out < rises[2] * out


def test_collar_bones_are_mirror_images_and_follow_their_gain() -> None:
    wrist = shoulder_joint("left") + [0.1, 0.2, 0.3]
    left = with_collar(still("left", wrist), "left", body(3), 1.0).collars
    right = with_collar(still("right", wrist * [-1, 1, 1]), "right", body(3), 1.0).collars
    assert np.allclose(left, right * [1.0, -1.0, -1.0])
    none = with_collar(still("left", wrist), "left", body(3), 0.0).collars
    assert np.allclose(none, 0.0)
    assert np.abs(left).max() > 0.01


def test_the_bodys_own_collar_bones_are_added() -> None:
    one = body(3)
    lifted = {"left": np.full((3, 3), 0.05), "right": np.zeros((3, 3))}
    two = TrunkMotion(one.hips, one.pelvis, one.spine, one.feet, lifted)
    hand = still("left", shoulder_joint("left") + [0.1, -0.2, 0.3])
    gap = with_collar(hand, "left", two, 1.0).collars - with_collar(hand, "left", one, 1.0).collars
    assert np.allclose(gap, 0.05)
