"""Waves of random phase: their size, their band, and breath that is never quite even."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere.maths.waves import breath, wander


@pytest.mark.parametrize("rms", [0.0, 0.01, 0.2])
def test_wandering_has_its_size_and_its_band(rms: float) -> None:
    t = np.arange(0.0, 400.0, 0.05)
    out = wander(t, np.array([rms, 2.0 * rms]), np.random.default_rng(0), (0.2, 0.6))
    assert np.allclose(np.sqrt(np.mean(out**2, axis=0)), [rms, 2.0 * rms], rtol=0.12)
    if rms:
        power = np.abs(np.fft.rfft(out[:, 0])) ** 2
        hz = np.fft.rfftfreq(len(t), 0.05)
        inside = power[(hz > 0.17) & (hz < 0.65)].sum()
        assert inside > 0.97 * power.sum()


def test_wandering_is_a_few_waves_of_one_size_whatever_else_is_sampled() -> None:
    t = np.arange(0.0, 9.0, 0.1)
    sizes = np.array([0.5, 2.0, 0.0])
    out = wander(t, sizes, np.random.default_rng(3), (0.1, 0.7))
    rng = np.random.default_rng(3)
    hz = np.exp(rng.uniform(np.log(0.1), np.log(0.7), size=(6, 3)))
    phases = rng.uniform(0.0, 2.0 * np.pi, size=(6, 3))
    waves = np.imag(np.exp(1j * (2.0 * np.pi * hz * t[:, None, None] + phases)))
    assert np.allclose(out, sizes * waves.sum(axis=1) / np.sqrt(3.0), rtol=0.0, atol=1e-12)
    part = wander(t[20:], sizes, np.random.default_rng(3), (0.1, 0.7))
    assert np.array_equal(part, out[20:])


def test_breath_goes_up_and_down_at_its_rate_but_never_quite_evenly() -> None:
    t = np.arange(0.0, 400.0, 0.02)
    out = breath(t, 0.25, np.random.default_rng(1))
    assert np.abs(out).max() <= 1.0
    assert np.abs(out).max() > 0.999
    ups = t[1:][(out[:-1] < 0.0) & (out[1:] >= 0.0)]
    assert len(ups) == pytest.approx(100, abs=1)
    lengths = np.diff(ups)
    assert lengths.mean() == pytest.approx(4.0, rel=0.01)
    assert 0.1 < lengths.std() < 0.6
    other = breath(t, 0.25, np.random.default_rng(2))
    assert not np.allclose(other, out, atol=0.1)
