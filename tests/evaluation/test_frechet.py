"""Fréchet distance: Gaussians against the closed form; features of known movements; the floor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy import linalg

import kinesphere as ks
from kinesphere.errors import InvalidValueError, RigError
from kinesphere.evaluation.frechet import frechet_distance, mean_parts
from kinesphere.evaluation.gesture_feature import (
    CHANNELS,
    PARTS,
    POSED,
    STATISTICS,
    BodyPath,
    body_path,
    features,
    part_columns,
    shared_columns,
    units,
)
from kinesphere.evaluation.movement import RATE_HZ
from kinesphere.evaluation.reference_floor import each_against_the_rest, pieces_of, reference_floor
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import rest_clip
from kinesphere.motion.editing import place_clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.mirroring import mirror
from kinesphere.motion.resampling import resample
from tests.conftest import smooth_clip
from tests.evaluation.test_movement import RIG, SCALE, moved_wrists, talk


def drawn(rng: np.random.Generator, n: int, mean: Floats, root: Floats) -> Floats:
    """Vectors whose mean and covariance are exactly these."""
    rows = rng.normal(size=(n, len(mean)))
    rows -= rows.mean(axis=0)
    covariance = np.atleast_2d(np.cov(rows, rowvar=False))
    rows = rows @ linalg.inv(linalg.sqrtm(covariance).real)
    return np.asarray(rows @ root.T + mean)


def test_gaussians_are_as_far_apart_as_the_closed_form_says(rng: np.random.Generator) -> None:
    for size in (1, 2, 7):
        roots = [rng.normal(size=(size, size)) for _ in range(2)]
        means = [rng.normal(size=size) for _ in range(2)]
        a, b = (np.atleast_2d(r @ r.T) for r in roots)
        found = frechet_distance(
            drawn(rng, 40, means[0], roots[0]), drawn(rng, 90, means[1], roots[1])
        )
        spread = np.trace(a + b - 2.0 * linalg.sqrtm(a @ b).real)
        mean = np.sum((means[0] - means[1]) ** 2)
        assert found.value == pytest.approx(mean + spread, rel=1e-7)
        assert found.mean_part == pytest.approx(mean)
        assert found.spread_part == pytest.approx(spread, abs=1e-7)
        assert found.windows == (40, 90)
    # Axes that are shared: the sum over them of (m - n)^2 + (s - t)^2.
    s, t = np.array([1.0, 3.0]), np.array([2.0, 0.5])
    found = frechet_distance(
        drawn(rng, 30, np.array([0.0, 1.0]), np.diag(s)), drawn(rng, 30, np.zeros(2), np.diag(t))
    )
    assert found.value == pytest.approx(1.0 + np.sum((s - t) ** 2))


def test_it_is_zero_for_itself_symmetric_and_blind_to_order_and_turns(
    rng: np.random.Generator,
) -> None:
    a, b = rng.normal(size=(60, 5)), 0.3 + rng.normal(size=(80, 5)) @ rng.normal(size=(5, 5))
    turn = linalg.qr(rng.normal(size=(5, 5)))[0]
    there = frechet_distance(a, b).value
    assert frechet_distance(a, a).value == pytest.approx(0.0, abs=1e-9)
    assert frechet_distance(a, rng.permutation(a)).value == pytest.approx(0.0, abs=1e-9)
    assert frechet_distance(b, a).value == pytest.approx(there)
    assert frechet_distance(rng.permutation(a), b).value == pytest.approx(there)
    assert frechet_distance(a @ turn + 3.0, b @ turn + 3.0).value == pytest.approx(there)
    assert frechet_distance(2.0 * a, 2.0 * b).value == pytest.approx(4.0 * there)
    c = rng.normal(size=(70, 5)) - 1.0
    root = [np.sqrt(frechet_distance(*x).value) for x in ((a, b), (b, c), (a, c))]
    assert root[2] <= root[0] + root[1]


def test_few_vectors_do_no_harm_but_make_it_large(rng: np.random.Generator) -> None:
    """Of one distribution: the fewer there are the farther apart, also fewer than columns."""
    means = []
    for count in (5, 20, 80, 320):
        pairs = [rng.normal(size=(2, count, 20)) for _ in range(10)]
        means.append(np.mean([frechet_distance(a, b).value for a, b in pairs]))
    assert np.all(np.diff(means) < 0.0)
    assert means[-1] < 0.1 * means[0]


@pytest.mark.parametrize("sets", [((5, 3), (5, 4)), ((1, 3), (5, 3)), ((3,), (3,))])
def test_what_cannot_be_compared_is_refused(sets: tuple[tuple[int, ...], ...]) -> None:
    with pytest.raises(InvalidValueError):
        frechet_distance(np.zeros(sets[0]), np.zeros(sets[1]))


# ------------------------------------------------------------------------------- the feature


def talking(seed: int, seconds: float = 12.0, fps: float = 60.0, calm: float = 1.0) -> ks.Clip:
    paths = (talk(2 * seed, seconds, fps, calm), talk(2 * seed + 1, seconds, fps, calm))
    return moved_wrists(*paths, fps=fps)


def column(name: str, statistic: str) -> int:
    return 3 * CHANNELS.index(name) + STATISTICS.index(statistic)


def test_a_swinging_wrist_has_the_feature_it_should_have() -> None:
    """0.1 m up and down once a second, of the right hand only."""
    t = np.arange(601) / 60.0
    path = np.zeros((601, 3))
    path[:, 1] = 0.1 / SCALE * np.sin(2.0 * np.pi * t)
    found = features(body_path(moved_wrists(np.zeros((601, 3)), path), RIG)) * units().ravel()
    assert found.shape == (19, 45)
    deviation, speed = 0.1 / np.sqrt(2.0), 0.2 * np.pi / np.sqrt(2.0)
    middle = found[2:-2]
    for name, expected in (("deviation", deviation), ("velocity", speed)):
        up = middle[:, column("right wrist up", name)]
        assert up == pytest.approx(np.full(len(up), expected), rel=0.02)
        for other in ("left wrist up", "right wrist out", "right elbow up", "head nod"):
            assert np.abs(middle[:, column(other, name)]).max() < 1e-6
    # The T-pose: arms straight out at shoulder height.
    out = middle[:, column("right wrist out", "mean")]
    assert np.all(out > 0.5)
    assert out == pytest.approx(middle[:, column("left wrist out", "mean")])


def test_a_nod_is_a_nod() -> None:
    clip = rest_clip(RIG.skeleton, 300, 60.0)
    turns = clip.rotations.copy()
    angle = np.radians(10.0) * np.sin(2.0 * np.pi * clip.times)
    turns[:, RIG.joint("head")] = quaternion.from_axis_angle(np.array([1.0, 0.0, 0.0]), angle)
    found = (features(body_path(replace(clip, rotations=turns), RIG)) * units().ravel())[2:-2]
    expected = np.full(len(found), 10.0 / np.sqrt(2.0))
    assert found[:, column("head nod", "deviation")] == pytest.approx(expected, rel=0.02)
    assert np.abs(found[:, column("head turn", "deviation")]).max() < 1e-6


def test_place_heading_rate_and_size_of_the_body_do_not_matter(rng: np.random.Generator) -> None:
    clip = smooth_clip(RIG.skeleton, rng, frames=240, size=0.3)
    found = features(body_path(clip, RIG))
    turn = quaternion.from_axis_angle(np.array([0.0, 1.0, 0.0]), 2.0)
    moved = features(body_path(place_clip(clip, turn, np.array([3.0, 0.0, -1.0])), RIG))
    assert moved == pytest.approx(found, abs=1e-6)
    small = RIG.skeleton.scale(0.5)
    shrunk = replace(clip, skeleton=small, root_positions=0.5 * clip.root_positions)
    assert features(body_path(shrunk, Rig(small, RIG.bones))) == pytest.approx(found, abs=1e-6)
    half = features(body_path(resample(clip, 30.0), RIG))
    assert half == pytest.approx(found[: len(half)], abs=0.01)


def test_the_mirror_image_exchanges_the_arms(rng: np.random.Generator) -> None:
    clip = smooth_clip(RIG.skeleton, rng, frames=180, size=0.3)
    other = mirror(clip, RIG.mirror_permutation(), RIG.canonical_pose[0])
    a, b = (body_path(c, RIG).channels for c in (clip, other))
    exchanged = np.concatenate([b[:, 3:6], b[:, :3], b[:, 9:12], b[:, 6:9]], axis=1)
    assert exchanged == pytest.approx(a[:, :12], abs=1e-6)
    assert b[:, 12:] * np.array([1.0, -1.0, -1.0]) == pytest.approx(a[:, 12:], abs=1e-6)


def test_parts_are_all_of_the_feature_once() -> None:
    assert np.all(np.sum([part_columns(part) for part in PARTS], axis=0) == 1)
    with pytest.raises(InvalidValueError, match="elbows"):
        part_columns("feet")
    a, b = (features(body_path(talking(s), RIG)) for s in (1, 2))
    whole = frechet_distance(a, b)
    assert sum(mean_parts(a, b).values()) == pytest.approx(whole.mean_part)
    higher = talking(1)
    joints = higher.translations.copy()
    joints[:, :, 1] += 0.2
    parts = mean_parts(features(body_path(replace(higher, translations=joints), RIG)), a)
    assert max(parts, key=lambda name: parts[name]) == "where the wrists are"
    assert parts["head"] < 1e-9


def test_a_body_without_head_is_compared_without() -> None:
    clip = talking(1)
    bare = Rig(RIG.skeleton, {b: j for b, j in RIG.bones.items() if b not in ("head", "neck")})
    path = body_path(clip, bare)
    rows, whole = features(path), features(body_path(clip, RIG))
    assert np.isnan(path.joints[:, POSED.index("head")]).all()
    assert np.isnan(rows[:, part_columns("head")]).all()
    assert list(shared_columns([rows, whole])) == list(~part_columns("head"))
    assert frechet_distance(rows, whole).mean_part < 1.0
    assert np.isfinite(sum(mean_parts(rows, whole).values()))
    legless = Rig(RIG.skeleton, {b: j for b, j in RIG.bones.items() if "Leg" not in b})
    with pytest.raises(RigError, match="leftUpperLeg"):
        body_path(clip, legless)


def test_less_than_a_second_has_no_window() -> None:
    path = body_path(talking(1), RIG)
    assert features(BodyPath(path.channels[:59], path.joints[:59])).shape == (0, 45)
    assert len(features(BodyPath(path.channels[:60], path.joints[:60]))) == 1


def test_faster_hands_are_farther_away() -> None:
    sets = [
        features(body_path(talking(s, 40.0, calm=c), RIG))
        for s, c in ((1, 1.0), (2, 1.0), (3, 0.7), (4, 0.5))
    ]
    values = [frechet_distance(sets[0], other).value for other in sets[1:]]
    assert values[0] < 0.5 * values[1] < 0.5 * values[2]


# ----------------------------------------------------------------------------- the floor


def apart(a: Sequence[Floats], b: Sequence[Floats]) -> float:
    return frechet_distance(np.concatenate(a), np.concatenate(b)).value


def test_pieces_cover_a_recording() -> None:
    for length in (0.5, 9.0, 14.9, 15.1, 100.0, 123.4):
        pieces = pieces_of(length)
        assert pieces[0][0] == 0.0
        assert pieces[-1][1] == length
        assert all(a[1] == b[0] for a, b in pairwise(pieces))
        assert all(5.0 <= b - a <= 15.0 for a, b in pieces) or len(pieces) == 1


def test_what_is_of_the_references_is_at_the_floor_and_what_is_not_above(
    rng: np.random.Generator,
) -> None:
    pieces = [rng.normal(size=(20, 6)) for _ in range(30)]
    floor = reference_floor(pieces, apart, 0.2)
    assert floor is not None
    assert (floor.pieces, floor.of) == (6, 30)
    assert floor.median < floor.high
    same = [apart([rng.normal(size=(120, 6))], pieces) for _ in range(40)]
    assert floor.median == pytest.approx(np.median(same), rel=0.3)
    assert apart([rng.normal(size=(120, 6)) + 1.0], pieces) > 4.0 * floor.high
    # The shorter what is judged, the higher is the floor; it is never more than a half.
    less, more = (reference_floor(pieces, apart, share) for share in (0.05, 5.0))
    assert less is not None
    assert more is not None
    assert less.median > floor.median
    assert more.pieces == 15


def test_the_floor_is_the_same_again_and_needs_two_pieces(rng: np.random.Generator) -> None:
    pieces = [rng.normal(size=(20, 3)) for _ in range(8)]
    assert reference_floor(pieces, apart, 0.3) == reference_floor(pieces, apart, 0.3)
    assert reference_floor(pieces, apart, 0.3) != reference_floor(pieces, apart, 0.3, seed=1)
    assert reference_floor(pieces[:1], apart, 0.3) is None
    assert reference_floor(pieces, lambda a, b: np.nan, 0.3) is None
    with pytest.raises(InvalidValueError, match="above 0"):
        reference_floor(pieces, apart, 0.0)
    each = each_against_the_rest(pieces, apart)
    assert each[2] == apart([pieces[2]], pieces[:2] + pieces[3:])
    assert len(each) == 8
    assert each_against_the_rest(pieces[:1], apart) == ()


def test_a_path_is_as_long_as_the_clip_at_sixty() -> None:
    path = body_path(talking(1, 3.0, fps=25.0), RIG)
    assert len(path) == round(3.0 * RATE_HZ) + 1
    assert path.joints.shape == (len(path), len(POSED), 3)
    assert path.wrists.shape == (len(path), 2, 3)
