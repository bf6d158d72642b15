"""Calibration poses in front of motion: all of them are found, and no motion is taken for one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.maths import quaternion as quat
from kinesphere.motion.calibration import calibration_frames, without_calibration
from kinesphere.motion.clip import Clip, rest_clip
from kinesphere.motion.editing import concatenate
from tests.conftest import random_rotations, smooth_clip

SKELETON = ks.default_skeleton()


def motion_at(fps: float, seconds: float = 2.0) -> Clip:
    return smooth_clip(SKELETON, np.random.default_rng(3), int(seconds * fps), fps)


def posed(clip: Clip, turn_deg: float) -> Clip:
    """The clip's first frame with every joint turned away by as much: no rest pose, no motion."""
    away = quat.from_axis_angle([0.3, 0.5, 0.8], np.radians(turn_deg))
    first = clip.frames(0, 1)
    return replace(first, rotations=quat.multiply(first.rotations, away))


def moved(clip: Clip, metres: float) -> Clip:
    return replace(clip, root_positions=clip.root_positions + [metres, 0.0, 0.0])


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
def test_every_kind_of_leading_pose_is_found(fps: float) -> None:
    motion = motion_at(fps)
    rest = rest_clip(SKELETON, 1, fps)
    held = rest_clip(SKELETON, 3, fps)
    elsewhere = moved(motion.frames(0, 1), 0.58)  # the motion's own pose in another place
    for leading in (
        [rest],
        [held],
        [posed(motion, 40.0)],
        [elsewhere],
        [rest, elsewhere],
        [held, elsewhere],
        [rest, moved(rest, 0.58)],
        [rest, posed(motion, 40.0)],
        [rest, rest, moved(posed(motion, 60.0), 1.0)],
    ):
        clip = concatenate([*leading, motion])
        assert calibration_frames(clip) == len(clip) - len(motion)
        assert without_calibration(clip) == motion


@pytest.mark.parametrize("fps", [30.0, 120.0])
def test_motion_is_no_calibration(fps: float) -> None:
    motion = motion_at(fps)
    assert calibration_frames(motion) == 0
    still = rest_clip(SKELETON, int(0.3 * fps), fps)
    assert calibration_frames(still) == 0
    assert calibration_frames(concatenate([still, motion])) == 0
    # One joint of a recording that flips over, as wrists do, is no other pose.
    flipped = motion.rotations.copy()
    flipped[0, 20] = quat.multiply(flipped[0, 20], quat.from_axis_angle([1.0, 0.0, 0.0], np.pi))
    assert calibration_frames(replace(motion, rotations=flipped)) == 0
    # A cut between two shots lies farther in.
    assert calibration_frames(concatenate([motion.frames(30, 50), moved(motion, 1.0)])) == 0
    # A run starts at once.
    path = np.outer(np.arange(len(motion)) / fps, [5.0, 0.0, 0.0])
    assert calibration_frames(replace(motion, root_positions=path)) == 0


def test_blocked_animation_is_no_calibration(rng: np.random.Generator) -> None:
    """Poses that are held and changed at once, as before an animator has curves in between."""
    poses = np.concatenate(
        [SKELETON.rest_rotations[None], random_rotations(rng, 12, len(SKELETON))]
    )
    for hold in (1, 3, 8):
        rotations = np.repeat(poses, hold, axis=0)
        roots = np.tile(SKELETON.offsets[0], (len(rotations), 1))
        assert calibration_frames(Clip(SKELETON, 24.0, roots, rotations)) == 0


def test_short_clips() -> None:
    motion = motion_at(30.0)
    for frames in (1, 2, 3, 5, 8):
        assert calibration_frames(motion.frames(0, frames)) == 0
    short = concatenate([rest_clip(SKELETON, 1, 30.0), motion.frames(0, 4)])
    assert calibration_frames(short) == 1


def test_of_recordings(data: Path) -> None:
    """One frame of each CMU clip, none of the others, and no jump is left."""
    files = [
        *sorted((data / "cmu").glob("*.bvh")),
        *sorted((data / "greta").glob("*.bvh")),
        *sorted((data / "beat2").glob("*.npz")),
        *sorted((data / "smartbody").glob("*/*.skm"))[::4],
    ]
    for file in files:
        clip = ks.load(file).clip
        assert calibration_frames(clip) == (file.parent.name == "cmu"), file.name
        rest = without_calibration(clip)
        assert calibration_frames(rest) == 0, file.name
        steps = np.linalg.norm(np.diff(rest.root_positions, axis=0), axis=1)
        assert steps.max(initial=0.0) < 0.07, file.name
