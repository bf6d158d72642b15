"""Features of segments: key numbers by forward kinematics, mirror, shifts, the logarithmic scale."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import kinesphere as ks
from kinesphere.bodylanguage.key_positions import key_positions
from kinesphere.bodylanguage.learn.segment_features import (
    FeatureSettings,
    logarithmic,
    segment_features,
    start_poses,
)
from kinesphere.bodylanguage.streams import ARMS, HEAD, LOWER
from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.motion.mirroring import mirror
from tests.conftest import smooth_clip

FPS = 30.0
DIMS = {HEAD: 3, ARMS: 6, LOWER: 6}
STREAMS = pytest.mark.parametrize("stream", [HEAD, ARMS, LOWER])


def keys(stream: int, clip: ks.Clip) -> Floats:
    """Key numbers of a clip, its pelvis said as `recorded` does."""
    rig = clip.skeleton
    feet = [rig.names.index(f"{side}Foot") for side in ("left", "right")]
    places = clip.world_positions
    rest = rig.rest_world_positions
    pelvis = places[:, 0] - places[:, feet].mean(axis=1) - (rest[0] - rest[feet].mean(axis=0))
    return key_positions(stream, np.asarray(clip.world_rotations), pelvis)


@pytest.fixture
def clip(rng: np.random.Generator) -> ks.Clip:
    return smooth_clip(ks.default_rig().skeleton, rng, frames=90, fps=FPS)


def test_key_numbers_are_those_of_forward_kinematics(clip: ks.Clip) -> None:
    at = {name: clip.world_positions[:, i] for i, name in enumerate(clip.skeleton.names)}
    hands = np.concatenate([at[f"{s}Hand"] - at["upperChest"] for s in ("left", "right")], axis=1)
    ankles = np.concatenate([at[f"{s}Foot"] - at["hips"] for s in ("left", "right")], axis=1)
    assert keys(ARMS, clip) == pytest.approx(hands, abs=1e-12)
    assert keys(LOWER, clip) == pytest.approx(ankles, abs=1e-12)
    turn = {name: clip.rotations[:, i] for i, name in enumerate(clip.skeleton.names)}
    nod = quaternion.log(quaternion.multiply(turn["neck"], turn["head"]))
    assert keys(HEAD, clip) == pytest.approx(nod, abs=1e-9)


def mirrored_keys(stream: int, x: Floats) -> Floats:
    if stream == HEAD:
        return np.asarray(x * np.array([1.0, -1.0, -1.0]))
    flip = np.array([-1.0, 1.0, 1.0])
    return np.concatenate([x[..., 3:] * flip, x[..., :3] * flip], axis=-1)


@STREAMS
def test_the_mirror_image_has_the_mirror_image_of_features(stream: int, clip: ks.Clip) -> None:
    bounds = np.array([0, 20, 31, 70, 90])
    x, d = keys(stream, clip), DIMS[stream]
    image = keys(stream, mirror(clip))
    assert image == pytest.approx(mirrored_keys(stream, x), abs=1e-9)
    plain = segment_features(stream, x, bounds, FPS)
    swapped = segment_features(stream, image, bounds, FPS)
    assert swapped[:, 0] == pytest.approx(plain[:, 0])
    for part in range(4):
        columns = slice(1 + part * d, 1 + (part + 1) * d)
        assert swapped[:, columns] == pytest.approx(
            mirrored_keys(stream, plain[:, columns]), abs=1e-8
        )


def plain_features(stream: int, x: Floats, bounds: Ints, fps: float) -> Floats:
    """One segment after the other, one number after the other."""
    s = FeatureSettings.for_stream(stream)
    rows = []
    for first, after in pairwise(bounds.tolist()):
        piece = x[first : min(after, len(x) - 1) + 1]
        if after == len(x):
            piece = np.concatenate([x[first:after], x[-1:]])
        shift = piece - piece[0]
        steps = min(after, len(x) - 1) - first
        velocity = shift[-1] * fps / steps if steps else np.zeros(x.shape[1])
        most = np.array([max(axis, key=abs) for axis in shift.T])
        vectors = [
            (velocity, s.speed_step),
            (shift.mean(axis=0), s.shift_step),
            (most, s.shift_step),
        ]
        row = [s.length_weight * np.log((after - first) / fps) / s.length_step]
        row += (s.start_weight * piece[0] / s.pose_step).tolist()
        for v, step in vectors:
            norm = np.sqrt((v**2).sum())
            scale = np.log(1.0 + norm / step) / norm if norm else 0.0
            row += (s.summary_weight / np.sqrt(3.0) * scale * v).tolist()
        rows.append(row)
    return np.array(rows)


@STREAMS
def test_features_are_the_plain_ones(stream: int, rng: np.random.Generator) -> None:
    x = np.cumsum(rng.normal(scale=0.03, size=(120, DIMS[stream])), axis=0)
    bounds = np.array([0, 1, 12, 40, 41, 99, 119, 120])
    made = segment_features(stream, x, bounds, FPS)
    assert made.shape == (7, 1 + 4 * DIMS[stream])
    assert made == pytest.approx(plain_features(stream, x, bounds, FPS), abs=1e-12)


@STREAMS
def test_files_can_be_cut_apart_and_later_frames_do_not_matter(
    stream: int, rng: np.random.Generator
) -> None:
    x = np.cumsum(rng.normal(scale=0.03, size=(120, DIMS[stream])), axis=0)
    bounds = np.array([0, 30, 55, 80, 120])
    whole = segment_features(stream, x, bounds, FPS)
    assert segment_features(stream, x[30:], bounds[1:] - 30, FPS) == pytest.approx(whole[1:])
    assert segment_features(stream, x[:81], bounds[:4], FPS) == pytest.approx(whole[:3])


@STREAMS
def test_the_same_motion_at_another_rate_is_the_same(stream: int) -> None:
    def at(fps: float) -> Floats:
        t = np.arange(int(4 * fps) + 1)[:, None] / fps
        return 0.2 * np.sin(2.0 * t + np.arange(DIMS[stream]))

    slow = segment_features(stream, at(30.0), np.array([0, 30, 75, 120]), 30.0)
    quick = segment_features(stream, at(120.0), np.array([0, 120, 300, 480]), 120.0)
    assert quick == pytest.approx(slow, abs=0.03)


def test_starting_elsewhere_changes_the_start_alone(rng: np.random.Generator) -> None:
    x = np.cumsum(rng.normal(scale=0.03, size=(50, 6)), axis=0)
    bounds = np.array([0, 25, 50])
    here, there = (segment_features(ARMS, x + move, bounds, FPS) for move in (0.0, 0.3))
    assert np.delete(there, range(1, 7), axis=1) == pytest.approx(
        np.delete(here, range(1, 7), axis=1)
    )
    step = FeatureSettings.for_stream(ARMS).pose_step
    assert there[:, 1:7] - here[:, 1:7] == pytest.approx(0.3 / step)
    assert start_poses(ARMS, x[0]) == pytest.approx(here[0, 1:7])
    assert start_poses(ARMS, x)[25] == pytest.approx(here[1, 1:7])


@given(hnp.arrays(np.float64, (6,), elements=st.floats(-10.0, 10.0)), st.floats(0.01, 1.0))
def test_the_logarithmic_scale_keeps_the_direction_of_the_whole(v: Floats, step: float) -> None:
    scaled = logarithmic(v, step)
    norm = float(np.linalg.norm(v))
    assert np.linalg.norm(scaled) == pytest.approx(np.log1p(norm / step), abs=1e-9)
    assert scaled @ v == pytest.approx(np.linalg.norm(scaled) * norm, abs=1e-9)


def test_the_hand_that_rests_stays_unimportant() -> None:
    """One factor for both hands: a tremor of the other hand counts less, the larger the gesture."""
    active, tremor = np.array([0.5, 0.0, 0.0]), np.array([0.0, 0.03, 0.0])
    both, still = np.concatenate([active, tremor]), np.concatenate([active, 0.0 * tremor])
    alone = np.linalg.norm(logarithmic(tremor, 0.1))
    assert np.linalg.norm(logarithmic(both, 0.1) - logarithmic(still, 0.1)) < 0.45 * alone


def test_settings_are_checked() -> None:
    with pytest.raises(InvalidValueError, match="weight"):
        FeatureSettings(length_weight=-1.0)
    with pytest.raises(InvalidValueError, match="step"):
        FeatureSettings(pose_step=0.0)
