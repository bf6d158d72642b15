"""Loudness: against Praat and against what a sine must have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kinesphere.errors import InvalidValueError
from kinesphere.speech.prosody import intensity as loudness
from kinesphere.speech.prosody.intensity import IntensitySettings, intensity
from tests.speech.voices import RECORDINGS, babble, samples_of, sound


@pytest.mark.parametrize("name", RECORDINGS)
@pytest.mark.parametrize("min_pitch_hz", [75.0, 100.0])
def test_agrees_with_praat(data: Path, name: str, min_pitch_hz: float) -> None:
    recording = sound(data / name)
    expected = recording.to_intensity(min_pitch_hz, 0.01)
    samples, rate = samples_of(recording)
    track = intensity(samples, rate, IntensitySettings(min_pitch_hz, praat=True))
    np.testing.assert_allclose(track.times, expected.xs(), atol=1e-9)
    heard = expected.values[0] > -200.0
    np.testing.assert_allclose(track.values[heard], expected.values[0][heard], atol=0.01)


def test_frames_of_a_stream_are_praats_at_their_own_times(data: Path) -> None:
    """Both on one grid: Praat's starts at 35 ms for whole centiseconds, so 5 ms are left off."""
    samples, rate = samples_of(sound(data / RECORDINGS[0]), 5.0)
    import parselmouth

    expected = parselmouth.Sound(samples[80 : 80 + 160 * 490], rate).to_intensity(100.0, 0.01)
    got = intensity(samples, rate).at(expected.xs() + 0.005)

    np.testing.assert_allclose(got, expected.values[0], atol=0.5)


@pytest.mark.parametrize("rate", [8000.0, 16000.0, 44100.0])
def test_a_sine_has_its_mean_square(rate: float) -> None:
    t = np.arange(int(0.4 * rate)) / rate
    track = intensity(0.5 * np.sin(2 * np.pi * 300.0 * t) + 0.7, rate).between(0.1, 0.3)
    np.testing.assert_allclose(track.values, 10 * np.log10(0.125 / 4e-10), atol=0.02)


def test_levels_are_weighted_means_of_squares(rng: np.random.Generator) -> None:
    """The compiled loop against the formula, of any number of voices and window."""
    samples, centres = rng.normal(size=(3, 200)), np.array([20, 77, 150])
    for size in (5, 8, 31):
        window = rng.uniform(size=size)
        window /= window.sum()
        found = loudness.levels_of(samples, centres, window)
        for v, row in enumerate(samples):
            for k, c in enumerate(centres):
                part = row[c - size // 2 : c - size // 2 + size]
                power = np.sum(window * (part - part.mean()) ** 2)
                assert found[v, k] == pytest.approx(10 * np.log10(power / 4e-10))


def test_ten_times_is_twenty_db() -> None:
    samples = babble(1.0, 8000.0)
    low, high = intensity(samples, 8000.0), intensity(10.0 * samples, 8000.0)
    np.testing.assert_allclose(high.values - low.values, 20.0, atol=1e-9)


def test_a_constant_is_silent() -> None:
    np.testing.assert_array_equal(intensity(np.full(4000, 0.25), 8000.0).values, -300.0)


def test_latency_is_half_a_window() -> None:
    state = loudness.start(16000.0)
    assert state.latency_s == pytest.approx(0.032, abs=1e-3)


def test_a_chunk_of_the_wrong_shape_is_refused() -> None:
    with pytest.raises(InvalidValueError, match=r"shape \(2, 5\), expected \(3, n\)"):
        loudness.step(loudness.start(16000.0, voices=3), np.zeros((2, 5)))
    with pytest.raises(InvalidValueError, match=r"expected \(n\)"):
        loudness.step(loudness.start(16000.0), np.zeros((1, 5)))
    with pytest.raises(InvalidValueError, match="whole recording"):
        loudness.start(16000.0, IntensitySettings(praat=True))
