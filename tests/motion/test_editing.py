"""Resampling, mirroring, cutting, joining."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion as quat
from kinesphere.maths.splines import RotationSpline
from kinesphere.motion.clip import rest_clip
from kinesphere.motion.editing import between, concatenate, continue_from, join_clips, place_clip
from kinesphere.motion.mirroring import mirror, mirror_name
from kinesphere.motion.resampling import resample, sample
from tests.conftest import random_rotations, smooth_clip


def clip_with_everything(rng: np.random.Generator, **options: float) -> ks.Clip:
    clip = smooth_clip(ks.default_skeleton(), rng, **options)  # type: ignore[arg-type]
    n = len(clip)
    jaw = clip.skeleton.index("leftShoulder")
    moving = clip.skeleton.offsets[jaw] + 0.01 * np.sin(np.arange(n))[:, None, None]
    channels = {"blinkLeft": np.linspace(0, 1, n), "blinkRight": np.zeros(n), "aa": np.ones(n)}
    return replace(clip, translated_joints=(jaw,), translations=moving, channels=channels)


def test_resampling_to_a_multiple_keeps_the_old_frames(rng: np.random.Generator) -> None:
    clip = clip_with_everything(rng)
    for method in ("cubic", "linear"):
        fine = resample(clip, 240.0, method)
        assert len(fine) == 4 * (len(clip) - 1) + 1
        assert np.abs(fine.rotations[::4] - clip.rotations).max() < 1e-14
        assert np.abs(fine.root_positions[::4] - clip.root_positions).max() < 1e-12
        assert np.abs(fine.channels["blinkLeft"][::4] - clip.channels["blinkLeft"]).max() < 1e-12
    assert resample(clip, clip.fps) is clip


def test_resampling_is_close_to_the_truth(rng: np.random.Generator) -> None:
    truth = smooth_clip(ks.default_skeleton(), np.random.default_rng(5), frames=481, fps=240.0)
    coarse = truth.select_frames(slice(None, None, 8))
    coarse = replace(coarse, fps=30.0)
    cubic = quat.angle_between(resample(coarse, 240.0).rotations, truth.rotations).max()
    linear = quat.angle_between(resample(coarse, 240.0, "linear").rotations, truth.rotations).max()
    assert cubic < 2e-4
    assert cubic < 0.2 * linear


def test_the_kernel_equals_slerp_and_the_spline(rng: np.random.Generator) -> None:
    skeleton = ks.Skeleton(("a", "b"), [-1, 0], np.zeros((2, 3)))
    for frames in (2, 3, 7):
        clip = ks.Clip(skeleton, 10.0, np.zeros((frames, 3)), random_rotations(rng, frames, 2))
        at = np.sort(rng.uniform(0, clip.duration_s, size=60))
        linear = sample(clip, at, "linear").rotations
        i = np.minimum((at * 10).astype(int), frames - 2)
        expected = quat.slerp(clip.rotations[i], clip.rotations[i + 1], (at * 10 - i)[:, None])
        assert quat.angle_between(linear, expected).max() < 1e-7
        cubic = sample(clip, at, "cubic").rotations
        reference = RotationSpline(clip.times, clip.rotations)(at)
        assert quat.angle_between(cubic, reference).max() < 1e-7


def test_resampling_down_and_bad_rates(rng: np.random.Generator) -> None:
    clip = smooth_clip(ks.default_skeleton(), rng, frames=61)
    assert len(resample(clip, 24.0)) == 25
    assert len(resample(rest_clip(clip.skeleton), 24.0)) == 1
    for fps in (0.0, -3.0, float("nan")):
        with pytest.raises(InvalidValueError, match="fps"):
            resample(clip, fps)
    with pytest.raises(InvalidValueError, match="method"):
        resample(clip, 10.0, "sinc")  # type: ignore[arg-type]


def test_mirroring_twice_is_nothing_and_once_swaps_the_hands(rng: np.random.Generator) -> None:
    clip = clip_with_everything(rng)
    other = mirror(clip)
    flip = np.array([-1.0, 1.0, 1.0])
    plain = replace(clip, translated_joints=(), translations=None, channels={})
    swapped = mirror(plain)
    for joint in ("leftHand", "rightFoot", "leftIndexDistal", "head"):
        partner = mirror_name(joint)
        assert (
            np.abs(swapped.joint_positions(partner) - plain.joint_positions(joint) * flip).max()
            < 1e-12
        )
    twice = mirror(other)
    assert np.abs(twice.world_positions - clip.world_positions).max() < 1e-12
    assert np.array_equal(other.channels["blinkRight"], clip.channels["blinkLeft"])
    assert np.array_equal(other.channels["aa"], clip.channels["aa"])


def test_mirroring_works_for_any_joint_axes(rng: np.random.Generator) -> None:
    base = ks.default_skeleton()
    clip = smooth_clip(base, rng)
    # The same body with other axes in every joint: r' = a_parent^-1 r a_joint.
    axes = random_rotations(rng, len(base))
    axes[0] = quat.IDENTITY
    above = np.array([axes[p] if p >= 0 else quat.IDENTITY for p in base.parents])
    turned = ks.Skeleton(
        base.names,
        base.parents,
        quat.rotate(quat.inverse(above), base.offsets),
        quat.multiply(quat.inverse(above), axes),
    )
    moved = ks.Clip(
        turned,
        clip.fps,
        clip.root_positions,
        quat.multiply(quat.multiply(quat.inverse(above), clip.rotations), axes),
    )
    assert np.abs(moved.world_positions - clip.world_positions).max() < 1e-12
    assert np.abs(mirror(moved).world_positions - mirror(clip).world_positions).max() < 1e-9


def test_cutting(rng: np.random.Generator) -> None:
    clip = smooth_clip(ks.default_skeleton(), rng, frames=61)
    assert len(between(clip, 0.25, 0.5)) == 16
    assert between(clip, 0.0, 9.0) == clip
    for start, end in ((0.5, 0.2), (-1.0, 0.5), (5.0, 6.0)):
        with pytest.raises(InvalidValueError):
            between(clip, start, end)


def test_continued_starts_where_the_other_ends(rng: np.random.Generator) -> None:
    a, b = (smooth_clip(ks.default_skeleton(), rng, size=0.2) for _ in range(2))
    b = place_clip(b, quat.from_axis_angle([0.0, 1, 0], 2.0), [3.0, 0.0, -2.0])
    moved = continue_from(a, b)
    assert np.abs(moved.root_positions[0] - a.root_positions[-1])[[0, 2]].max() < 1e-12
    ahead = [
        quat.rotate(c, np.array([0.0, 0, 1])) for c in (a.rotations[-1, 0], moved.rotations[0, 0])
    ]
    headings = [np.arctan2(v[0], v[2]) for v in ahead]
    assert abs(headings[0] - headings[1]) < 0.2


def test_joining_has_no_jump_in_pose_or_speed(rng: np.random.Generator) -> None:
    a, b = (clip_with_everything(rng, frames=120, size=0.3) for _ in range(2))
    whole = join_clips(a, b, 0.4)
    assert len(whole) == 240
    speed = np.linalg.norm(np.diff(whole.world_positions, axis=0), axis=-1).max(axis=1) * 60
    change = np.abs(np.diff(speed))
    assert change[117:123].max() < 1.5 * max(change[:110].max(), change[150:].max(), 0.05)
    jump = np.linalg.norm(np.diff(concatenate([a, b]).world_positions, axis=0), axis=-1)[119].max()
    assert np.linalg.norm(np.diff(whole.world_positions, axis=0), axis=-1)[119].max() < 0.1 * jump
    settled = 120 + int(0.4 * 60) + 1
    assert (
        np.abs(whole.rotations[settled:] - continue_from(a, b).rotations[settled - 120 :]).max()
        < 1e-9
    )
    assert whole.frames(0, 120) == a


def test_clips_that_do_not_fit_are_refused(rng: np.random.Generator) -> None:
    clip = smooth_clip(ks.default_skeleton(), rng)
    with pytest.raises(InvalidValueError, match="fps"):
        concatenate([clip, replace(clip, fps=30.0)])
    with pytest.raises(InvalidValueError, match="skeleton"):
        concatenate([clip, smooth_clip(clip.skeleton.scale(2.0), rng)])
    with pytest.raises(InvalidValueError, match="channels"):
        concatenate([clip, replace(clip, channels={"aa": np.zeros(len(clip))})])
    with pytest.raises(InvalidValueError, match="nothing"):
        concatenate([])
