"""Longer motion: loops go on without a jump, other motion stands still at its end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import rest_clip
from kinesphere.motion.lengthening import is_loop, lengthen

FPS, CYCLE = 30.0, 30
RIG = ks.default_rig()


def swinging(frames: int, turn_rad: float = 0.0, cycle: int = CYCLE) -> ks.Clip:
    """Arms that swing once a cycle, on a way of 1 m/s that may bend by so much a cycle."""
    clip = rest_clip(RIG.skeleton, frames, FPS)
    share = np.arange(frames) / cycle
    rotations = clip.rotations.copy()
    swing = quaternion.from_axis_angle([1.0, 0.0, 0.0], 0.6 * np.sin(2.0 * np.pi * share))
    rotations[:, RIG.joint("leftUpperArm")] = swing
    rotations[:, 0] = quaternion.from_axis_angle([0.0, 1.0, 0.0], turn_rad * share)
    ways = quaternion.rotate(rotations[:, 0], np.array([0.0, 0.0, 1.0 / FPS]))
    roots = clip.root_positions + np.cumsum(ways, axis=0) - ways[0]
    return replace(clip, rotations=rotations, root_positions=roots)


def assert_same(a: ks.Clip, b: ks.Clip, far: float) -> None:
    assert quaternion.angle_between(a.rotations, b.rotations).max() < far
    assert np.abs(a.root_positions - b.root_positions).max() < far


@pytest.mark.parametrize("turn_rad", [0.0, 0.5])
def test_a_loop_goes_on_where_it_is_and_as_it_faces(turn_rad: float) -> None:
    cycle, whole = swinging(CYCLE + 1, turn_rad), swinging(10 * CYCLE, turn_rad)
    assert is_loop(cycle)
    assert_same(lengthen(cycle, len(whole)), whole, 0.02)


def test_what_a_loop_lacks_is_blended() -> None:
    """The last frame is missing: poses jump by less than the arm moves anyway."""

    def fastest(clip: ks.Clip) -> float:
        steps: Floats = quaternion.angle_between(clip.rotations[1:], clip.rotations[:-1])
        return float(steps.max())

    cycle = swinging(CYCLE)
    assert is_loop(cycle)
    assert fastest(lengthen(cycle, 200)) < 1.5 * fastest(cycle)


def test_anything_else_holds_its_last_pose() -> None:
    half = swinging(CYCLE // 4)
    longer = lengthen(half, 100)
    assert not is_loop(half)
    assert len(longer) == 100
    assert longer.frames(0, len(half)) == half
    assert (longer.rotations[len(half) :] == half.rotations[-1]).all()
    assert (longer.root_positions[len(half) :] == half.root_positions[-1]).all()


def test_a_single_pose_is_held_and_long_motion_left_alone() -> None:
    pose = rest_clip(RIG.skeleton, 1, FPS)
    assert len(lengthen(pose, 9)) == 9
    clip = swinging(40)
    assert lengthen(clip, 40) is clip
