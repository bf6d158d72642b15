"""Poses of a hand: mirrors, mixtures and micro-keys."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.animation.arms.poses.arm_pose import COMFORT
from kinesphere.animation.arms.poses.hand_pose import (
    FIST,
    HIGHEST,
    LOWEST,
    OPEN,
    HandPose,
    mix_poses,
)
from kinesphere.gesture.hand_shapes import finger_angles, shape_by_name
from kinesphere.gesture.lexicon import MicroKey

PARTS = ("wrist", "swivel", "angles", "fingers", "collar")


def pose(seed: int) -> HandPose:
    rng = np.random.default_rng(seed)
    return HandPose(
        rng.normal(size=3),
        float(rng.normal()),
        rng.uniform(LOWEST, HIGHEST),
        rng.uniform(0.0, 60.0, 21),
        0.1 * rng.normal(size=3),
    )


def same(a: HandPose, b: HandPose) -> bool:
    return all(np.allclose(getattr(a, n), getattr(b, n), atol=1e-12) for n in PARTS)


POSES = st.integers(0, 1000).map(pose)
KEYS = st.builds(
    MicroKey, *[st.floats(-20.0, 20.0)] * 3, *[st.floats(-90.0, 90.0)] * 3, st.floats(-1.0, 1.0)
)


@given(a=POSES)
def test_a_mirror_twice_is_nothing(a: HandPose) -> None:
    assert same(a.mirror().mirror(), a)
    assert a.mirror().wrist[0] == -a.wrist[0]
    assert a.mirror().swivel == a.swivel


@given(a=POSES, key=KEYS, ratio=st.floats(0.0, 1.5))
def test_micro_keys_of_the_two_hands_are_mirror_images(
    a: HandPose, key: MicroKey, ratio: float
) -> None:
    left = a.with_micro_key(key, "left", ratio)
    right = a.mirror().with_micro_key(key, "right", ratio)
    assert same(left.mirror(), right)


@given(a=POSES, key=KEYS)
def test_nothing_of_a_micro_key_is_nothing(a: HandPose, key: MicroKey) -> None:
    assert same(a.with_micro_key(key, "left", 0.0), a)
    assert same(a.with_micro_key(MicroKey(), "left"), a)


@given(a=POSES, key=KEYS, ratio=st.floats(0.0, 3.0))
def test_no_micro_key_goes_past_comfort(a: HandPose, key: MicroKey, ratio: float) -> None:
    angles = a.with_micro_key(key, "left", ratio).angles
    assert (angles >= COMFORT[:, 0] - 1e-12).all()
    assert (angles <= COMFORT[:, 1] + 1e-12).all()


def test_a_micro_key_moves_out_up_and_forward_in_centimetres_and_degrees() -> None:
    a = HandPose(np.zeros(3), 0.0, np.zeros(3), np.zeros(21))
    key = MicroKey(3.0, 2.0, 1.0, 10.0, 5.0, -4.0)
    left, right = (a.with_micro_key(key, side) for side in ("left", "right"))
    assert left.wrist == pytest.approx([0.03, 0.02, 0.01])
    assert right.wrist == pytest.approx([-0.03, 0.02, 0.01])
    assert np.degrees(left.angles) == pytest.approx([10.0, 5.0, -4.0])
    assert np.degrees(right.angles) == pytest.approx([10.0, 5.0, -4.0])


@given(a=POSES, curl=st.floats(0.0, 1.0))
def test_curl_closes_the_hand_and_opens_it(a: HandPose, curl: float) -> None:
    closed = a.with_micro_key(MicroKey(curl=curl), "left")
    opened = a.with_micro_key(MicroKey(curl=-curl), "left")
    assert np.allclose(closed.fingers, a.fingers + curl * (FIST - a.fingers))
    assert np.allclose(opened.fingers, a.fingers + curl * (OPEN - a.fingers))


def test_a_fist_is_bent_and_an_open_hand_is_not() -> None:
    assert len(finger_angles(shape_by_name("fist"))) == len(FIST) == len(OPEN)
    assert FIST[:12].min() > 50.0
    assert OPEN[:12].max() < 15.0


@given(a=POSES, b=POSES, ratio=st.floats(0.0, 1.0))
def test_mixtures_lie_between_and_begin_and_end_at_their_poses(
    a: HandPose, b: HandPose, ratio: float
) -> None:
    assert same(mix_poses(a, b, 0.0), a)
    assert same(mix_poses(a, b, 1.0), b)
    assert same(mix_poses(a, b, ratio), mix_poses(b, a, 1.0 - ratio))
    between = mix_poses(a, b, ratio, 0.0)
    assert np.allclose(between.wrist, a.wrist + ratio * (b.wrist - a.wrist))
    assert np.allclose(between.angles, a.angles)
    assert np.allclose(between.fingers, a.fingers)


@given(a=POSES)
def test_moving_changes_the_wrist_alone(a: HandPose) -> None:
    moved = a.shift(np.array([0.1, 0.2, 0.3]))
    assert np.allclose(moved.wrist - a.wrist, [0.1, 0.2, 0.3])
    assert same(replace(moved, wrist=a.wrist), a)
