"""Diversity: 0 for the same take, more with more difference, symmetric, and of equal lengths only."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.errors import InvalidValueError
from kinesphere.evaluation.diversity import diversity, mean_distance, same_length
from kinesphere.evaluation.gesture_feature import BodyPath, body_path
from kinesphere.motion.humanoid import Rig
from tests.evaluation.test_frechet import talking
from tests.evaluation.test_movement import RIG, SCALE, moved_wrists


def path_of(clip: ks.Clip) -> BodyPath:
    return body_path(clip, RIG)


def shaken(clip: ks.Clip, size: float, seed: int) -> ks.Clip:
    """The same with its wrists moved slowly about by so much."""
    rng = np.random.default_rng(seed)
    t = clip.times[:, None, None]
    shape = (1, *clip.translations.shape[1:])
    by = size * np.sin(rng.uniform(1, 3, size=shape) * t + rng.uniform(0, 6, size=shape))
    return replace(clip, translations=clip.translations + by)


def test_the_same_take_is_no_diversity() -> None:
    found = diversity([path_of(talking(1))] * 3)
    for apart in (found.hands_m, found.pose_m, found.feature):
        assert apart.mean == 0.0
        assert not apart.pairs.any()
        assert apart.ratio == 0.0
        assert apart.unrelated > 0.0
    assert found.takes == 3
    assert found.length_s == pytest.approx(12.0, abs=0.02)


def test_it_grows_with_what_differs() -> None:
    clip = talking(1)
    sizes = (0.005, 0.02, 0.05, 0.1)
    rows = []
    for size in sizes:
        found = diversity([path_of(clip), *(path_of(shaken(clip, size, s)) for s in (1, 2))])
        rows.append([x.mean for x in (found.hands_m, found.pose_m, found.feature)])
    assert np.all(np.diff(rows, axis=0) > 0.0)
    # Metres are metres: a small disturbance counts in proportion.
    hands = np.array(rows)[:, 0] / np.array(sizes)
    assert hands == pytest.approx(np.full(4, hands[0]), rel=0.01)


def test_distances_are_in_metres_and_pairs_are_symmetric() -> None:
    """A hand that is 0.1 m higher, for a body of 1.75 m, and another at the other side."""
    still, higher = np.zeros((600, 3)), np.zeros((600, 3))
    higher[:, 1] = 0.1 / SCALE
    paths = [path_of(moved_wrists(*p)) for p in ((still, still), (still, higher), (higher, higher))]
    found = diversity(paths)
    expected = np.array([[0.0, 0.05, 0.1], [0.05, 0.0, 0.05], [0.1, 0.05, 0.0]])
    assert found.hands_m.pairs == pytest.approx(expected, abs=1e-6)
    assert found.hands_m.mean == pytest.approx(0.2 / 3.0)
    # One of the two hands among head, shoulders, elbows, hands, knees and feet.
    assert found.pose_m.pairs == pytest.approx(expected * 2.0 / 11.0, abs=1e-6)
    for apart in (found.hands_m, found.pose_m, found.feature):
        assert np.array_equal(apart.pairs, apart.pairs.T)
    back = diversity(paths[::-1])
    assert back.hands_m.pairs == pytest.approx(found.hands_m.pairs[::-1, ::-1])
    assert np.isnan(back.hands_m.ratio) or back.hands_m.unrelated < 1e-9


def test_other_performances_are_as_far_apart_as_unrelated_moments() -> None:
    found = diversity([path_of(talking(s, 40.0)) for s in range(4)])
    for apart in (found.hands_m, found.pose_m, found.feature):
        assert 0.85 < apart.ratio < 1.15


def test_lengths_must_be_equal() -> None:
    long, short = path_of(talking(1)), path_of(talking(1, 11.9))
    cut = diversity([long, short])
    assert cut.length_s == pytest.approx(11.9, abs=0.02)
    for takes in ([long], [], [long, path_of(talking(1, 11.0))]):
        with pytest.raises(InvalidValueError, match="equal length"):
            diversity(takes)
    assert same_length([10.0, 10.2, 10.25])
    assert not same_length([10.0, 10.3])
    assert not same_length([10.0])


def test_a_body_without_head_is_compared_without() -> None:
    bare = Rig(RIG.skeleton, {b: j for b, j in RIG.bones.items() if b not in ("head", "neck")})
    first, second = body_path(talking(1), bare), body_path(talking(2), RIG)
    found = diversity([first, second])
    assert np.isfinite([found.hands_m.mean, found.pose_m.mean, found.feature.mean]).all()


def test_the_mean_distance_is_the_mean_of_distances(rng: np.random.Generator) -> None:
    a, b = rng.normal(size=(2, 7, 3, 3))
    plain = np.mean(
        [[np.sqrt(np.sum((a[i, k] - b[i, k]) ** 2)) for k in range(3)] for i in range(7)]
    )
    assert mean_distance(a, b) == pytest.approx(plain)
    assert np.isnan(mean_distance(a[:0], b[:0]))
