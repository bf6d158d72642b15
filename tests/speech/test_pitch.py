"""Pitch: against Praat, against tones whose pitch is known, and in chunks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kinesphere.errors import InvalidValueError
from kinesphere.speech.prosody import pitch as pitching
from kinesphere.speech.prosody.pitch import PitchSettings, pitch
from tests.speech.voices import RECORDINGS, babble, samples_of, sound


def disagreement(ours: np.ndarray, praats: np.ndarray) -> tuple[float, float, float]:
    """Share of frames voiced alike; median and gross errors of pitch where both are voiced."""
    voiced, expected = ~np.isnan(ours), praats > 0.0
    both = voiced & expected
    error = np.abs(ours[both] / praats[both] - 1.0)
    return float(np.mean(voiced == expected)), float(np.median(error)), float(np.mean(error > 0.2))


@pytest.mark.parametrize("name", RECORDINGS)
def test_agrees_with_praat(data: Path, name: str) -> None:
    recording = sound(data / name)
    expected = recording.to_pitch()
    track = pitch(*samples_of(recording), PitchSettings(praat=True))
    np.testing.assert_allclose(track.times, expected.xs(), atol=1e-9)
    alike, median, gross = disagreement(track.values, expected.selected_array["frequency"])
    assert alike >= 0.995
    assert median <= 1e-4
    assert gross <= 0.002


LOUDEST_LATE = "speech/librispeech/2412-153948-0001.flac"


def beside_praat(path: Path, settings: PitchSettings) -> tuple[float, float, float]:
    """Disagreement with Praat, up to 10 ms of the sound's end left off: so the frames are ours."""
    import parselmouth

    samples, rate = samples_of(sound(path))
    length = int((len(samples) - 1) / rate / 0.01)
    samples = samples[: round(length * 0.01 * rate) + 1]
    expected = parselmouth.Sound(samples, rate).to_pitch_ac(0.01)
    times = expected.xs() - 0.5 / rate  # of the sample's start
    np.testing.assert_allclose(times / 0.01, np.round(times / 0.01), atol=0.01)
    ours = pitch(samples, rate, settings).values[np.round(times / 0.01).astype(int)]
    return disagreement(ours, expected.selected_array["frequency"])


@pytest.mark.parametrize("name", RECORDINGS)
def test_running_levels_decide_nearly_as_praat_does(data: Path, name: str) -> None:
    """Frames differ where a louder passage follows, which only the whole knows.

    Of one recording the loudest moment comes after 7 of 10 seconds, twice as loud as all before.
    """
    alike, median, gross = beside_praat(data / name, PitchSettings())
    print(f"{name}: voiced alike {alike:.4f}, median error {median:.5f}, gross {gross:.4f}")
    assert alike >= (0.935 if name == LOUDEST_LATE else 0.97)
    assert median <= 0.005
    assert gross <= 0.01


def test_the_floor_keeps_the_room_before_the_first_word_unvoiced(data: Path) -> None:
    for name in (RECORDINGS[2], RECORDINGS[6], RECORDINGS[7]):
        bare = beside_praat(data / name, PitchSettings(floor_margin=0.0))
        assert beside_praat(data / name, PitchSettings())[0] > bare[0]


@pytest.mark.parametrize("rate", [8000.0, 16000.0, 22050.0, 44100.0, 48000.0])
@pytest.mark.parametrize("hz", [80.0, 123.4, 217.0, 440.0, 590.0])
def test_tones_with_harmonics_are_exact(rate: float, hz: float) -> None:
    t = np.arange(int(0.3 * rate)) / rate
    tone = sum(np.sin(2 * np.pi * k * hz * t + k) / k for k in range(1, 5) if k * hz < 0.45 * rate)
    middle = pitch(tone, rate).between(0.05, 0.25).values
    np.testing.assert_allclose(middle, hz, rtol=2e-4 if hz > 100.0 else 1e-3)


def test_a_glide_is_followed() -> None:
    t = np.arange(16000) / 16000
    hz = 100.0 * 2.0**t
    wave = np.sign(np.sin(2 * np.pi * np.cumsum(hz) / 16000) + 0.3)
    track = pitch(wave, 16000).between(0.05, 0.95)
    np.testing.assert_allclose(track.values, 100.0 * 2.0**track.times, rtol=0.01)


def test_noise_has_no_pitch() -> None:
    noise = np.random.default_rng(3).normal(size=32000)
    assert np.isnan(pitch(noise, 16000).values).mean() > 0.95


def test_level_does_not_matter() -> None:
    """Factors are powers of two, so exactly."""
    samples = babble(6.0, 8000.0)
    loud, soft = (pitch(samples * gain, 8000.0).values for gain in (8.0, 1.0 / 8.0))
    np.testing.assert_array_equal(loud, soft)


def test_delay_is_long_enough() -> None:
    samples = babble(10.0, 8000.0, seed=2)
    some, all_of_it = (
        pitch(samples, 8000.0, PitchSettings(delay_frames=n)).values for n in (10, 1000)
    )
    same = (some == all_of_it) | (np.isnan(some) & np.isnan(all_of_it))
    assert same.mean() >= 0.995


def test_first_frames_come_after_the_stated_latency() -> None:
    samples = babble(1.0, 16000.0)
    state = pitching.start(16000.0)
    assert state.latency_s == pytest.approx(0.12, abs=0.001)
    due = round(state.latency_s * 16000)
    state, frames = pitching.step(state, samples[: due - 1])
    assert len(frames) == 0
    state, frames = pitching.step(state, samples[due - 1 : due])
    assert len(frames) == 1


def test_step_leaves_the_state_as_it_was() -> None:
    samples = babble(1.0, 8000.0)
    state, _ = pitching.step(pitching.start(8000.0), samples[:4000])
    once, twice = (pitching.step(state, samples[4000:])[1].hz for _ in range(2))
    np.testing.assert_array_equal(once, twice)
    with pytest.raises(ValueError, match="read-only"):
        state.path.running[0] = 1.0


def test_settings_outside_their_range_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="ceiling_hz is 50"):
        PitchSettings(ceiling_hz=50.0)
    with pytest.raises(InvalidValueError, match="whole recording"):
        pitching.start(16000.0, PitchSettings(praat=True))
    with pytest.raises(InvalidValueError, match="rate_hz is 3000"):
        pitch(np.zeros(100), 3000.0)
