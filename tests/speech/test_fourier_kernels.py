"""Our transforms against numpy's."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere.speech.prosody.fourier_kernels import (
    real_spectrum,
    smooth_length,
    transform,
    twiddle_factors,
)

LENGTHS = [2, 4, 6, 8, 12, 16, 24, 32, 48, 512, 768, 1024, 3072]


@pytest.mark.parametrize("length", LENGTHS)
def test_spectra_are_numpys(length: int, rng: np.random.Generator) -> None:
    values = rng.normal(size=length)
    work = np.full((4, length // 2), np.nan)
    work[0], work[1] = values[::2], values[1::2]
    real, imaginary = np.empty((2, length // 2 + 1))
    real_spectrum(twiddle_factors(length), work, real, imaginary)
    np.testing.assert_allclose(real + 1j * imaginary, np.fft.rfft(values), atol=1e-12 * length)


def test_complex_transforms_are_numpys(rng: np.random.Generator) -> None:
    for length in LENGTHS:
        values = rng.normal(size=(2, length))
        work = np.concatenate([values, np.zeros((2, length))])
        at = transform(twiddle_factors(2 * length), work)
        expected = np.fft.fft(values[0] + 1j * values[1])
        np.testing.assert_allclose(work[at] + 1j * work[at + 1], expected, atol=1e-12 * length)


def test_as_many_bins_as_have_room(rng: np.random.Generator) -> None:
    values = rng.normal(size=64)
    real, imaginary = np.empty((2, 10))
    work = np.stack([values[::2], values[1::2], values[::2], values[::2]])
    real_spectrum(twiddle_factors(64), work, real, imaginary)
    np.testing.assert_allclose(real + 1j * imaginary, np.fft.rfft(values)[:10], atol=1e-12)


def test_lengths_are_the_next_that_can_be_transformed() -> None:
    allowed = sorted({2**a for a in range(1, 14)} | {3 * 2**a for a in range(1, 13)})
    for least in range(1, 5000):
        assert smooth_length(least) == next(n for n in allowed if n >= least)
