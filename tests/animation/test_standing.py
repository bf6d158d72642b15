"""Somebody who waits: frame by frame as at once, mirrored, alive, on still feet, hands outside."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kinesphere as ks
from kinesphere.animation.arms.poses.rest_table import waiting_table
from kinesphere.animation.idle import standing
from kinesphere.animation.idle.idle_motion import standing_clip
from kinesphere.character.joint_limits import limit_excess
from kinesphere.figure.arms import resting_hands
from kinesphere.figure.standing.stance import stance_of
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.body_volume import hand_depth
from kinesphere.motion.clip import Clip
from kinesphere.motion.kinematics import speeds

FPS, RIG = 30.0, ks.default_rig()
SEEDS = range(6)
SECONDS = 60.0


@cache
def waiting(seed: int, seconds: float = SECONDS) -> Clip:
    return standing_clip(int(seconds * FPS), FPS, seed)


def chest_hands(clip: Clip) -> Floats:
    """Wrists ``[frames, 2, 3]`` in the chest's axes, from its joint."""
    chest = RIG.joint("upperChest")
    hands = clip.world_positions[:, RIG.joints(("leftHand", "rightHand"))]
    away = hands - clip.world_positions[:, None, chest]
    return quaternion.rotate(quaternion.inverse(clip.world_rotations[:, None, chest]), away)


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(1, 200), min_size=1, max_size=6), st.integers(0, 100))
def test_chunks_do_not_matter(cuts: list[int], seed: int) -> None:
    stance = stance_of(0.5, seed)
    whole = standing.step(standing.start(FPS, seed, stance), sum(cuts))[1]
    state, first = standing.start(FPS, seed, stance), 0
    for count in cuts:
        state, part = standing.step(state, count)
        rows = slice(first, first + count)
        assert np.array_equal(part.rotations, whole.rotations[rows])
        assert np.array_equal(part.root_positions, whole.root_positions[rows])
        assert np.array_equal(part.channels["blink"], whole.channels["blink"][rows])
        first += count


@pytest.mark.parametrize("seed", [0, 4])
def test_the_mirror_image_is_that_of_the_same_person(seed: int) -> None:
    frames, stance = 900, stance_of(0.7, seed)
    one, other = (
        standing.step(standing.start(FPS, seed, stance, mirrored=mirrored), frames)[1]
        for mirrored in (False, True)
    )
    for bone in ("hips", "head", "leftHand", "leftFoot", "leftIndexDistal"):
        twin = bone.replace("left", "right")
        mirror = one.joint_positions(bone) * np.array([-1.0, 1.0, 1.0])
        assert np.abs(mirror - other.joint_positions(twin)).max() < 2e-4, bone
    eyes = [clip.world_rotations[:, RIG.joint(f"{side}Eye")] for clip, side in ((one, "left"),)]
    looks = quaternion.rotate(eyes[0], np.array([0.0, 0.0, 1.0]))
    twins = quaternion.rotate(
        other.world_rotations[:, RIG.joint("rightEye")], np.array([0.0, 0.0, 1.0])
    )
    assert np.abs(looks * np.array([-1.0, 1.0, 1.0]) - twins).max() < 2e-3


def longest_stillness_s(clip: Clip) -> float:
    """Longest time without movement of weight, trunk, head or hands that can be seen."""
    hips = clip.joint_positions("hips")[:, [0, 2]]
    turns = clip.world_rotations[:, RIG.joints(("hips", "head"))]
    turning = quaternion.angle_between(turns[1:], turns[:-1]) * clip.fps
    hands = np.linalg.norm(np.diff(chest_hands(clip), axis=0), axis=-1).max(axis=1) * clip.fps
    weight = np.linalg.norm(np.diff(hips, axis=0), axis=1) * clip.fps
    still = (weight < 0.02) & (turning < np.radians([5.0, 6.0])).all(axis=1) & (hands < 0.03)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], still, [False]]).astype(int)))
    return float((edges[1::2] - edges[::2]).max(initial=0)) / clip.fps


@pytest.mark.parametrize("seed", SEEDS)
def test_nobody_stands_at_attention(seed: int) -> None:
    clip = waiting(seed)
    assert longest_stillness_s(clip) < 3.0
    pelvis = clip.world_rotations[:, RIG.joint("hips")]
    turning = np.degrees(quaternion.angle_between(pelvis[1:], pelvis[:-1])) * FPS
    # A person who hardly moves turns the pelvis by 5 deg/s while speaking, and half while silent.
    assert 2.0 < turning.mean() < 12.0
    head = clip.world_rotations[:, RIG.joint("head")]
    turning = np.degrees(quaternion.angle_between(head[1:], head[:-1])) * FPS
    assert 5.0 < turning.mean() < 25.0


def test_people_differ_and_both_legs_are_not_alike() -> None:
    def knee(clip: Clip, side: str) -> Floats:
        upper, lower, foot = (
            clip.joint_positions(f"{side}{p}") for p in ("UpperLeg", "LowerLeg", "Foot")
        )
        a, b = lower - upper, foot - lower
        cosine = np.sum(a * b, axis=1)
        lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
        return np.asarray(np.degrees(np.arccos(np.clip(cosine / lengths, -1, 1))))

    apart = [np.abs(knee(waiting(s), "left") - knee(waiting(s), "right")).mean() for s in SEEDS]
    assert np.median(apart) > 2.0
    spread = [float(np.std(waiting(s).joint_positions("hips")[:, 0])) for s in SEEDS]
    assert 0.004 < min(spread) < max(spread) < 0.1


def test_hands_change_their_rest_every_ten_seconds_or_so() -> None:
    table, minutes = waiting_table(), 10.0
    state = resting_hands.start(FPS, np.arange(4), table)
    kinds = []
    for _ in range(int(60 * minutes)):
        state, _ = resting_hands.step(state, np.ones((4, int(FPS))))
        kinds.append(state.memory[:, 34])
    changes = np.diff(np.array(kinds), axis=0) != 0
    every_s = 60.0 * minutes / changes.sum(axis=0)
    assert 8.0 < every_s.min() < every_s.max() < 25.0
    assert len(np.unique(kinds)) >= 5
    for c in range(4):
        gaps = np.diff(np.flatnonzero(changes[:, c]))
        assert gaps.min() >= 6


def test_hands_rest_apart_and_drift_as_those_of_people() -> None:
    clips = [waiting(seed) for seed in SEEDS]
    speed = np.concatenate(
        [np.linalg.norm(np.diff(chest_hands(c), axis=0), axis=-1).ravel() * FPS for c in clips]
    )
    assert 0.008 < np.median(speed) < 0.05
    assert speed.max() < 1.3
    unlike = [chest_hands(c)[:, 0] * [-1.0, 1.0, 1.0] - chest_hands(c)[:, 1] for c in clips]
    assert np.median(np.linalg.norm(np.concatenate(unlike), axis=1)) > 0.02
    fingers = [n for n in RIG.skeleton.names if n.endswith(("Proximal", "Intermediate"))]
    turns = clips[0].rotations[:, [RIG.joint(n) for n in fingers]]
    assert np.degrees(quaternion.angle_between(turns[1:], turns[:-1])).mean() * FPS > 1.0


@pytest.mark.parametrize("seed", SEEDS)
def test_hands_are_outside_and_joints_within_limits(seed: int) -> None:
    clip = waiting(seed)
    for side in ("left", "right"):
        assert hand_depth(clip, RIG, side).max() < 0.004
    assert max(float(e.max()) for e in limit_excess(clip, RIG).values()) < np.radians(1.5)


@pytest.mark.parametrize("seed", SEEDS)
def test_planted_feet_do_not_slide(seed: int) -> None:
    clip = waiting(seed)
    toes = clip.world_positions[:, RIG.joints(("leftToes", "rightToes"))]
    low = toes[..., 1] < toes[..., 1].min(axis=0) + 0.001
    slide = speeds(toes[..., [0, 2]], FPS)
    planted = low[1:] & low[:-1]
    assert planted.mean() > 0.9
    assert slide[-len(planted) :][planted].max() < 0.002


def test_breath_raises_the_shoulders_by_millimetres() -> None:
    """Over the chest by 3 to 6 mm in recorded rests."""
    clip = waiting(1)
    chest = RIG.joint("upperChest")
    shoulders = clip.world_positions[:, RIG.joints(("leftUpperArm", "rightUpperArm"))].mean(axis=1)
    away = shoulders - clip.world_positions[:, chest]
    up = quaternion.rotate(quaternion.inverse(clip.world_rotations[:, chest]), away)[:, 1]
    breaths = np.array([np.ptp(part) for part in np.array_split(up, int(SECONDS / 5.0))])
    assert 0.002 < np.median(breaths) < 0.008
