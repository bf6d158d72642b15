"""The compiled mouth against a plain one, whole arrays at a time."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere.animation.face import mouth as mouths
from kinesphere.animation.face.mouth import SHAPES, HearingSettings, mouth_of_sound
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.maths.curves import smoothstep
from tests.speech.voices import babble

RATE = 16000.0


def plain_power(sound: Floats) -> tuple[Floats, Floats]:
    """Power spectra ``[steps, bins]`` every 10 ms and the bins' frequencies."""
    half, step = int(0.016 * RATE), round(0.01 * RATE)
    window = np.hanning(2 * half + 3)[1:-1]
    padded = np.pad(sound, half + 1, mode="edge")
    centres = np.arange(0, len(sound) + 1, step) + half + 1
    rows = np.stack([padded[c - half : c + half + 1] for c in centres if c + half < len(padded)])
    scale = 2.0 / (1024 * np.sum(window**2) * 4e-10)
    return scale * np.abs(np.fft.rfft(rows * window, 1024)) ** 2, np.arange(513) * RATE / 1024


def plain_openness(levels: Floats, peaks: Floats, s: HearingSettings) -> Floats:
    found, floor = [], None
    for db, peak in zip(levels, peaks, strict=True):
        floor = db if floor is None else min(db, floor + 0.01 * s.floor_rise_db_s)
        floor = max(floor, peak - 50.0)
        bottom = max(peak - s.shut_db, floor + s.margin_db)
        found.append((db - bottom) / (max(peak - s.wide_db, bottom + 10.0) - bottom))
    return smoothstep(found)


def plain_shapes(sound: Floats, s: HearingSettings) -> Floats:
    """Shapes ``[steps, 5]`` before smoothing."""
    power, hz = plain_power(sound)

    def part(low: float, high: float) -> tuple[Floats, Floats]:
        inside = (hz >= low) & (hz < high)
        return power[:, inside], np.log(hz[inside])

    level, hiss = part(300.0, 3000.0)[0].sum(axis=1), part(3500.0, 8000.0)[0].sum(axis=1)
    plain_db, both_db = (10.0 * np.log10(np.maximum(p, 1e-30)) for p in (level, level + hiss))
    peaks, peak = [], s.least_peak_db
    for i, db in enumerate(plain_db):
        peak = max(db, peak - 0.01 * s.peak_fall_db_s * (i > 0), s.least_peak_db)
        peaks.append(peak)
    centres = [
        (bins * logs).sum(axis=1) / np.maximum(bins.sum(axis=1), 1e-30)
        for bins, logs in (part(200.0, 1100.0), part(900.0, 3000.0))
    ]
    places = np.log([(a, b) for a, b, _ in mouths._ANCHORS])
    away = (np.stack(centres, axis=1)[:, None] - places) / mouths._WIDTH
    far = 0.5 * (away**2).sum(axis=2)
    weight = np.exp(far.min(axis=1, keepdims=True) - far)
    weight /= weight.sum(axis=1, keepdims=True)
    shapes = weight @ np.array([viseme[:5] for _, _, viseme in mouths._ANCHORS])
    teeth = smoothstep((hiss / np.maximum(level + hiss, 1e-30) - 0.4) / 0.4)
    teeth = teeth * plain_openness(both_db, np.array(peaks), s)
    shapes *= (plain_openness(plain_db, np.array(peaks), s) * (1.0 - 0.7 * teeth))[:, None]
    shapes[:, SHAPES.index("ee")] += 0.22 * teeth
    return np.asarray(shapes)


def plain_mouth(sound: Floats, s: HearingSettings) -> Floats:
    """Shapes ``[frames, 5]``."""
    raw = np.pad(plain_shapes(sound, s), ((2, 2), (0, 0)), mode="edge")
    smooth = np.stack(
        [np.convolve(c, [1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16], "valid") for c in raw.T]
    )
    before = np.zeros(5)
    for i in range(smooth.shape[1]):
        before = smooth[:, i] = np.clip(smooth[:, i], before - 0.14, before + 0.14)
    steps = 0.01 * np.arange(smooth.shape[1])
    times = np.arange(int(min(steps[-1], (len(sound) - 1) / RATE) * s.fps + 1e-9) + 1) / s.fps
    return np.stack([np.interp(times, steps, row) for row in smooth], axis=1)


@pytest.mark.parametrize("noise", [0.0, 0.03])
@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0, 250.0])
def test_the_mouth_is_that_of_whole_arrays(
    fps: float, noise: float, rng: np.random.Generator
) -> None:
    hiss = np.diff(rng.normal(size=16001), n=1) * (np.arange(16000) % 4000 > 3000)
    sound = np.concatenate([np.zeros(3000), babble(1.7, RATE), 0.05 * hiss, babble(0.5, RATE, 3)])
    sound += noise * rng.normal(size=len(sound))
    settings = HearingSettings(fps=fps)
    found, expected = mouth_of_sound(sound, RATE, settings), plain_mouth(sound, settings)
    assert expected[:, SHAPES.index("ee")].max() > 0.05
    for i, name in enumerate(SHAPES):
        np.testing.assert_allclose(found[name], expected[:, i], atol=1e-9)


@pytest.mark.parametrize("cut", [1, 160, 267, 5000])
def test_many_mouths_are_each_what_one_is(cut: int, rng: np.random.Generator) -> None:
    """Bit for bit: voices together, in pieces of any size, and each alone and whole."""
    length = 1500 if cut == 1 else 12000
    sounds = np.stack([babble(1.0, RATE, seed)[:length] * 0.3**seed for seed in range(3)])
    sounds[2] += 0.01 * rng.normal(size=length)
    settings = HearingSettings(fps=60.0, amount=0.9)
    state = mouths.start(RATE, settings, voices=3)
    parts = []
    for at in range(0, length, cut):
        before = state
        state, found = mouths.step(state, sounds[:, at : at + cut])
        assert not state.memory.flags.writeable
        parts.append(found)
    again, repeated = mouths.step(before, sounds[:, at : at + cut])
    assert np.array_equal(again.memory, state.memory, equal_nan=True)
    assert all(np.array_equal(repeated[name], found[name]) for name in found)
    parts.append(mouths.finish(state))
    for voice, sound in enumerate(sounds):
        alone = mouth_of_sound(sound, RATE, settings)
        for name in mouths.CHANNELS:
            together = np.concatenate([part[name][voice] for part in parts])
            assert np.array_equal(together, alone[name])


@pytest.mark.parametrize("rate_hz", [4000.0, 11025.0, 16000.0, 44100.0])
@pytest.mark.parametrize("fps", [24.0, 29.97, 60.0, 59.94, 100.0])
def test_a_mouth_is_known_after_its_whole_frames(rate_hz: float, fps: float) -> None:
    """Frame k - `late_frames` is there as soon as all samples before the time of frame k are."""
    state = mouths.start(rate_hz, HearingSettings(fps=fps))
    late, taken, known = state.late_frames, 0, 0
    assert late / fps < state.latency_s + 1.1 / fps
    for k in range(120):
        samples = int(np.ceil(k / fps * rate_hz))
        state, found = mouths.step(state, np.zeros(samples - taken))
        taken, known = samples, known + len(found["jaw"])
        assert known >= k - late + 1


def test_chunks_of_other_voices_are_refused() -> None:
    with pytest.raises(InvalidValueError, match=r"shape \(2, 5\), expected \(3, n\)"):
        mouths.step(mouths.start(RATE, voices=3), np.zeros((2, 5)))
    with pytest.raises(InvalidValueError, match="voices is 0"):
        mouths.start(RATE, voices=0)
