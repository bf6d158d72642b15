"""Compiled curves, walks and resampled values against their plain references."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.maths.splines import Spline
from kinesphere.motion.keyed import arm_path
from kinesphere.motion.keyed.arm_path import PathTiming
from kinesphere.motion.keyed.movement import (
    Curve,
    Movement,
    SampledCurve,
    Timing,
    round_timing,
    round_timing_plain,
)
from kinesphere.motion.resampling import vectors_at

RNG = np.random.default_rng(9)


def _rising(count: int) -> np.ndarray:
    steps = RNG.uniform(0.0, 1.0, count)
    return np.concatenate([[0.0], np.cumsum(steps) / steps.sum()])


CURVES: list[Curve] = [
    Timing(),
    Timing((0.1, 0.3, 0.8), (-0.1, 0.3, -0.05), 1.4, 0.3),
    Timing((0.02, 0.6, 0.95), (0.0, 0.6, -0.2), 0.7, 0.0),
    SampledCurve(_rising(9)),
    SampledCurve(_rising(80)),
]


@pytest.mark.parametrize("curve", CURVES)
@settings(max_examples=40, deadline=None)
@given(duration=st.floats(0.1, 3.0), rounding=st.sampled_from([0.0, 0.05, 0.12, 0.4]))
def test_rounded_curves_are_the_plain_ones(curve: Curve, duration: float, rounding: float) -> None:
    t = np.sort(RNG.uniform(-0.1, 1.1, 70))
    fast = round_timing(curve, t, duration, rounding)
    assert np.allclose(fast, round_timing_plain(curve, t, duration, rounding), 0, 1e-12)


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("vias", [0, 1, 4])
def test_walks_are_the_plain_ones(curve: Curve, vias: int) -> None:
    keys = np.sort(np.r_[0.0, RNG.uniform(0.05, 0.95, vias), 1.0]) if vias else np.zeros(0)
    felt_keys = _rising(vias + 1) if vias else np.zeros(0)
    walk = PathTiming(curve, keys, felt_keys, _rising(48), np.linspace(0.0, 1.0, 49))
    movement = Movement(start_ratio=0.2)
    t = np.linspace(0.0, 1.0, 91)
    plain = movement.sample_curve(walk, t, 0.7)
    assert np.allclose(arm_path._walk_ratios(walk, movement, t, 0.7), plain, 0, 1e-12)


@pytest.mark.parametrize("frames", [3, 4, 50])
def test_resampled_values_are_the_splines(frames: int) -> None:
    values = RNG.normal(size=(frames, 2, 3))
    at = np.sort(RNG.uniform(0.0, frames - 1.0, 80))
    wanted = Spline(np.arange(frames), values)(at)
    assert np.allclose(vectors_at(values, at), wanted, 0, 1e-12)
    whole = np.arange(frames, dtype=np.float64)
    assert np.allclose(vectors_at(values, whole), values, 0, 1e-15)
