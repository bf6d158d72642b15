"""Cutting motion: whole cover, sizes, invariances, agreement with a plain way to do it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kinesphere as ks
from kinesphere.bodylanguage.learn.segmentation import (
    EnergyHistogram,
    SegmentationSettings,
    energy,
    joint_weights,
    segment_bounds,
    threshold_of,
)
from kinesphere.bodylanguage.streams import ARMS, HEAD, LOWER
from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.motion.mirroring import mirror
from tests.conftest import smooth_clip

FPS = 30.0
SETTINGS = SegmentationSettings()

blocks = st.lists(st.tuples(st.floats(0.0, 8.0), st.integers(1, 60)), min_size=1, max_size=16).map(
    lambda rows: np.concatenate([np.full(n, level) for level, n in rows])
)
noise = st.integers(0, 2**32 - 1).map(
    lambda seed: np.random.default_rng(seed).gamma(0.7, 1.5, size=seed % 200 + 1)
)
energies = blocks | noise


def frames_of(chosen: SegmentationSettings, fps: float = FPS) -> tuple[int, int]:
    """Least and most frames of a segment."""
    least = int(np.ceil(chosen.shortest_s * fps - 1e-9))
    return least, max(2 * least, int(chosen.longest_s * fps + 1e-9))


@given(energies)
def test_segments_cover_everything_and_none_is_too_long_or_too_small(z: Floats) -> None:
    bounds = segment_bounds(z, FPS, 1.0, SETTINGS)
    least, most = frames_of(SETTINGS)
    lengths = np.diff(bounds)
    assert bounds.dtype == np.int64
    assert bounds[0] == 0
    assert bounds[-1] == len(z)
    assert (lengths >= 1).all()
    assert (lengths <= most).all()
    if len(lengths) > 1:
        amounts = np.add.reduceat(z, bounds[:-1]) / FPS
        assert ((lengths >= least) | (amounts >= SETTINGS.least_energy - 1e-9)).all()


def plain_bounds(z: Floats, threshold: float, rules: SegmentationSettings) -> list[int]:
    """The rules told one after the other, without anything to make them fast, nothing divided."""
    low, high = threshold / rules.hysteresis, threshold * rules.hysteresis
    fast = [False] * len(z)
    for i in range(len(z)):
        first, last = i, i
        while first > 0 and z[first - 1] > low and z[i] > low:
            first -= 1
        while last < len(z) - 1 and z[last + 1] > low and z[i] > low:
            last += 1
        fast[i] = bool(z[i] > low and z[first : last + 1].max() > high)
    runs: list[tuple[int, int, bool]] = []
    for i, kind in enumerate(fast):
        if runs and runs[-1][2] == kind:
            runs[-1] = (runs[-1][0], i + 1, kind)
        else:
            runs.append((i, i + 1, kind))
    least = frames_of(rules)[0]
    while len(runs) > 1:
        small = [
            (e - s, s, i)
            for i, (s, e, _) in enumerate(runs)
            if e - s < least and z[s:e].sum() / FPS < rules.least_energy * threshold
        ]
        if not small:
            break
        i = min(small)[2]
        start, end, kind = runs[i]
        old, new = (runs[i - 1] if i else None), (runs[i + 1] if i + 1 < len(runs) else None)
        if old and new and old[2] == new[2] != kind:
            slowest = start + int(np.argmin(z[start:end]))
            if not kind and z[slowest] < rules.dip * threshold:
                runs[i - 1 : i + 2] = [(old[0], slowest, True), (slowest, new[1], True)]
            else:
                runs[i - 1 : i + 2] = [(old[0], new[1], old[2])]
            continue
        if old and new and old[2] == new[2]:
            back = old[1] - old[0] <= new[1] - new[0]
        else:
            back = old is not None and (new is None or old[2])
        if back:
            assert old is not None
            runs[i - 1 : i + 1] = [(old[0], end, old[2])]
        else:
            assert new is not None
            runs[i : i + 2] = [(start, new[1], new[2])]
    return [0, *(end for _, end, _ in runs)]


@settings(max_examples=60)
@given(energies)
def test_boundaries_are_those_of_the_plain_rules(z: Floats) -> None:
    endless = replace(SETTINGS, longest_s=1e6, longest_still_s=1e6)
    assert segment_bounds(z, FPS, 1.0, endless).tolist() == plain_bounds(z, 1.0, endless)


@settings(max_examples=40)
@given(energies, st.floats(0.01, 100.0))
def test_only_the_ratio_to_the_threshold_counts(z: Floats, scale: float) -> None:
    scale = 2.0 ** round(np.log2(scale))
    assert np.array_equal(
        segment_bounds(z * scale, FPS, scale, SETTINGS), segment_bounds(z, FPS, 1.0, SETTINGS)
    )


@settings(max_examples=60)
@given(energies, energies)
def test_what_comes_before_a_rest_only_shifts_the_boundaries(before: Floats, after: Floats) -> None:
    endless = replace(SETTINGS, longest_s=1e6, longest_still_s=1e6)
    rest = np.zeros(10)
    alone = segment_bounds(np.concatenate([rest, after]), FPS, 1.0, endless)
    both = segment_bounds(np.concatenate([before, rest, rest, after]), FPS, 1.0, endless)
    cut = len(before) + 10
    assert np.array_equal(both[both > cut + 10], alone[alone > 10] + cut)


@settings(max_examples=60)
@given(energies)
def test_every_frame_twice_at_twice_the_rate_is_the_same(z: Floats) -> None:
    endless = replace(SETTINGS, shortest_s=0.3, longest_s=1e6, longest_still_s=1e6)
    twice = segment_bounds(np.repeat(z, 2), 2.0 * FPS, 1.0, endless)
    assert np.array_equal(twice, 2 * segment_bounds(z, FPS, 1.0, endless))


def test_still_stretches_are_divided_evenly() -> None:
    z = np.zeros(300)
    bounds = segment_bounds(z, FPS, 1.0, SETTINGS)
    assert bounds.tolist() == [300 * k // 13 for k in range(14)]
    slow = replace(SETTINGS, longest_still_s=2.5)
    assert segment_bounds(z, FPS, 1.0, slow).tolist() == [0, 75, 150, 225, 300]


def test_a_long_run_is_divided_where_it_is_slowest() -> None:
    z = np.full(100, 5.0)
    z[62] = 2.0
    assert segment_bounds(z, FPS, 1.0, SETTINGS).tolist() == [0, 62, 100]


def test_a_short_deep_dip_parts_two_movements_and_a_shallow_one_does_not() -> None:
    z = np.full(60, 3.0)
    z[28:33] = [0.7, 0.4, 0.1, 0.4, 0.7]
    assert segment_bounds(z, FPS, 1.0, SETTINGS).tolist() == [0, 30, 60]
    z[28:33] = 0.7
    assert segment_bounds(z, FPS, 1.0, SETTINGS).tolist() == [0, 60]


def test_a_short_jerk_is_a_segment_only_if_it_is_strong() -> None:
    calm = replace(SETTINGS, longest_still_s=2.5)
    z = np.zeros(60)
    z[30:34] = 5.0
    assert segment_bounds(z, FPS, 1.0, calm).tolist() == [0, 60]
    z[30:34] = 8.0
    assert segment_bounds(z, FPS, 1.0, calm).tolist() == [0, 30, 34, 60]


def turns(clip: ks.Clip) -> Floats:
    return np.asarray(clip.world_rotations)


@pytest.mark.parametrize("stream", [HEAD, ARMS, LOWER])
def test_energy_is_the_weighted_sum_of_squared_angular_speeds(stream: int) -> None:
    rates = np.linspace(0.1, 1.5, 55)
    t = np.arange(50)[:, None, None] / FPS
    spinning = quaternion.exp(t * rates[:, None] * np.array([0.0, 0.6, 0.8]))
    u = joint_weights(stream)
    assert energy(spinning, FPS, u) == pytest.approx((u * rates**2).sum())


def test_weights_are_of_the_streams_joints() -> None:
    names = ks.default_rig().skeleton.names
    weight = [dict(zip(names, joint_weights(s), strict=True)) for s in (HEAD, ARMS, LOWER)]
    assert all(sum(w.values()) == pytest.approx(1.0) for w in weight)
    assert {n for n, w in weight[HEAD].items() if w} == {"neck", "head"}
    assert weight[ARMS]["spine"] > weight[ARMS]["leftUpperArm"] > weight[ARMS]["leftHand"] > 0.0
    assert weight[LOWER]["hips"] > weight[LOWER]["rightUpperLeg"] > weight[LOWER]["rightFoot"] > 0.0
    assert not any(w["leftIndexProximal"] for w in weight)
    shared = [n for n in names if sum(w[n] > 0.0 for w in weight) > 1]
    assert shared == []


@pytest.mark.parametrize("stream", [HEAD, ARMS, LOWER])
def test_a_mirrored_body_has_the_same_energy(stream: int, rng: np.random.Generator) -> None:
    clip = smooth_clip(ks.default_rig().skeleton, rng, frames=80, fps=FPS)
    u = joint_weights(stream)
    there, back = (energy(turns(c), FPS, u) for c in (clip, mirror(clip)))
    assert back == pytest.approx(there, rel=1e-9)


def wandering(seed: int, fps: float, seconds: float = 40.0) -> Floats:
    """World rotations of a body whose joints all swing by a few frequencies."""
    rng = np.random.default_rng(seed)
    t = np.arange(int(seconds * fps))[:, None, None] / fps
    out = np.zeros((len(t), 55, 3))
    for hz in (0.15, 0.4, 0.9, 1.3):
        out += 0.25 / hz**0.5 * np.sin(2.0 * np.pi * hz * t + rng.uniform(0, 6.28, (1, 1, 3)))
    return quaternion.exp(out)


def times(seed: int, fps: float) -> Floats:
    z = energy(wandering(seed, fps), fps, joint_weights(ARMS))
    threshold = threshold_of(EnergyHistogram.of(z), SETTINGS)
    return segment_bounds(z, fps, threshold, SETTINGS) / fps


def test_the_frame_rate_makes_next_to_no_difference() -> None:
    pairs = [(times(seed, 30.0), times(seed, 60.0)) for seed in range(6)]
    away = [np.abs(slow[:, None] - quick[None]).min(axis=1) for slow, quick in pairs]
    assert all(abs(len(slow) - len(quick)) <= 0.07 * len(slow) for slow, quick in pairs)
    assert np.mean(np.concatenate(away) <= 1.5 / 30.0) >= 0.95


@settings(max_examples=30)
@given(st.lists(noise, min_size=1, max_size=5), st.randoms())
def test_histograms_add_up_in_any_order(files: list[Floats], random: object) -> None:
    shuffled = list(files)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    total = sum((EnergyHistogram.of(z) for z in shuffled), EnergyHistogram.empty())
    assert total == EnergyHistogram.of(np.concatenate(files))
    assert len(total) == sum(len(z) for z in files)
    assert threshold_of(total, SETTINGS) == threshold_of(
        EnergyHistogram.of(np.concatenate(files)), SETTINGS
    )


@given(st.integers(0, 10_000), st.floats(0.02, 0.98))
def test_quantiles_are_those_of_the_values(seed: int, q: float) -> None:
    z = 10.0 ** np.random.default_rng(seed).normal(-1.0, 1.0, size=501)
    exact = np.quantile(z, q, method="inverted_cdf")
    assert EnergyHistogram.of(z).quantile(q) == pytest.approx(exact, rel=0.013)


def test_a_body_that_mostly_stands_is_not_cut_by_its_breathing() -> None:
    z = np.full(1000, 1e-3) * (1.0 + 0.5 * np.sin(np.arange(1000) / 5.0))
    z[::10] = 1.0
    threshold = threshold_of(EnergyHistogram.of(z), SETTINGS)
    assert threshold == pytest.approx(0.01, rel=0.02)
    assert threshold_of(EnergyHistogram.of(np.zeros(9)), SETTINGS) == SETTINGS.least_threshold


def test_errors_say_what_is_allowed() -> None:
    with pytest.raises(InvalidValueError, match="0 frames"):
        segment_bounds(np.zeros(0), FPS, 1.0, SETTINGS)
    with pytest.raises(InvalidValueError, match="no motion was counted"):
        EnergyHistogram.empty().quantile(0.5)
    with pytest.raises(InvalidValueError, match="not finite"):
        EnergyHistogram.of(np.array([np.nan]))
    with pytest.raises(InvalidValueError, match="stream 3, allowed are 3"):
        joint_weights(3)
    with pytest.raises(InvalidValueError, match="default figure has 55"):
        joint_weights(HEAD, 22)
    for wrong in (
        {"slow_quantile": 1.0},
        {"hysteresis": 0.5},
        {"longest_s": 0.3},
        {"longest_still_s": 0.3},
        {"dip": -1.0},
    ):
        with pytest.raises(InvalidValueError):
            SegmentationSettings(**wrong)


@pytest.mark.parametrize(
    ("stream", "shortest", "longest"), [(0, 0.55, 1.0), (1, 0.55, 1.0), (2, 0.7, 1.4)]
)
def test_a_talking_person_is_cut_about_as_finely_as_in_the_paper(
    data: object, stream: int, shortest: float, longest: float
) -> None:
    take = ks.load(data / "beat2" / "2_scott_0_1_1.npz")  # type: ignore[operator]
    clip = ks.retarget(take).clip
    chosen = SegmentationSettings.for_stream(stream)
    z = energy(turns(clip), clip.fps, joint_weights(stream), chosen)
    bounds: Ints = segment_bounds(z, clip.fps, threshold_of(EnergyHistogram.of(z), chosen), chosen)
    assert shortest < np.diff(bounds).mean() / clip.fps < longest
