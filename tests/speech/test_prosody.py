"""All of it together: chunks of any size, many voices, hostile sound, speed."""

from __future__ import annotations

import gc
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.speech.prosody import prosody as listening
from kinesphere.speech.prosody.intensity import IntensitySettings
from kinesphere.speech.prosody.observation import Observation
from kinesphere.speech.prosody.pitch import pitch
from kinesphere.speech.prosody.prosody import ProsodyFrames, ProsodySettings, prosody
from tests.speech.voices import RECORDINGS, babble, samples_of, sound

RATE = 8000.0
VOICE = babble(2.0, RATE)
WHOLE = prosody(VOICE, RATE)


def in_chunks(
    samples: Floats, rate: float, sizes: list[int]
) -> tuple[Floats, Floats, list[Observation]]:
    """Pitch, intensity and observations of a stream; the sizes are used over and over."""
    state, at, parts, turn = listening.start(rate), 0, [], 0
    while at < len(samples):
        size = sizes[turn % len(sizes)]
        state, frames = listening.step(state, samples[at : at + size])
        parts.append(frames)
        at, turn = at + size, turn + 1
    parts.append(listening.finish(state))
    return joined(parts)


def joined(parts: list[ProsodyFrames]) -> tuple[Floats, Floats, list[Observation]]:
    return (
        np.concatenate([p.pitch_hz for p in parts], axis=-1),
        np.concatenate([p.intensity_db for p in parts], axis=-1),
        [o for p in parts for o in p.observations[0]],
    )


def check_same(got: tuple[Floats, Floats, list[Observation]], whole: listening.Prosody) -> None:
    np.testing.assert_allclose(got[0], whole.pitch_hz.values, rtol=1e-9)
    np.testing.assert_allclose(got[1], whole.intensity_db.values, rtol=0, atol=1e-9)
    assert [o.number for o in got[2]] == [o.number for o in whole.observations]
    for ours, theirs in zip(got[2], whole.observations, strict=True):
        np.testing.assert_allclose(
            list(vars(ours.event).values()), list(vars(theirs.event).values()), rtol=1e-9
        )


@settings(max_examples=25)
@given(st.lists(st.integers(0, 700), min_size=1, max_size=8).filter(any))
def test_chunks_of_any_size_give_the_same_numbers(sizes: list[int]) -> None:
    check_same(in_chunks(VOICE, RATE, sizes), WHOLE)


def test_single_samples_give_the_same_numbers() -> None:
    short = VOICE[:4000]
    check_same(in_chunks(short, RATE, [1]), prosody(short, RATE))


@settings(max_examples=15)
@given(st.integers(0, 1200), st.sampled_from([8000.0, 11025.0, 16000.0]))
def test_short_sounds_give_the_same_numbers(length: int, rate: float) -> None:
    short = babble(0.5, rate)[2000 : 2000 + length]
    got = prosody(short, rate)
    check_same(in_chunks(short, rate, [7, 0, 130]), got)
    assert len(got.pitch_hz) == (int(length / rate / 0.01 + 0.5 / rate) + 1 if length else 0)


def test_recorded_speech_in_chunks(data: Path) -> None:
    samples, rate = samples_of(sound(data / RECORDINGS[1]), 5.0)
    check_same(in_chunks(samples, rate, [441, 1024, 3]), prosody(samples, rate))


def test_many_voices_are_each_as_alone() -> None:
    voices = np.stack([babble(1.5, RATE, seed) * 4.0**-seed for seed in range(5)])
    state, parts = listening.start(RATE, voices=5), []
    for first in range(0, voices.shape[1], 333):
        state, frames = listening.step(state, voices[:, first : first + 333])
        parts.append(frames)
    parts.append(listening.finish(state))
    for v in range(5):
        alone = [
            ProsodyFrames(p.pitch_hz[v], p.intensity_db[v], (p.observations[v],)) for p in parts
        ]
        check_same(joined(alone), prosody(voices[v], RATE))


def test_state_of_a_long_stream_does_not_grow() -> None:
    state = listening.start(RATE)
    sizes = []
    tracemalloc.start()
    for turn in range(150):
        state, _ = listening.step(state, VOICE)
        if turn in (50, 149):
            gc.collect()
            sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert state.path.next_frame > 29000
    assert state.queue.held.shape[1] < 1000
    assert state.waiting_db.shape[1] < 20
    assert sizes[1] < sizes[0] + 200_000  # one turn kept would be 640 kB


def test_a_long_chunk_needs_little_memory_beside_itself() -> None:
    long = np.tile(VOICE, 150)
    tracemalloc.start()
    prosody(long, RATE)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * long.nbytes


T = np.arange(24000) / RATE
MUSIC = sum(np.sin(2 * np.pi * f * T) for f in (220.0, 277.2, 329.6)) * (1.0 + np.sin(9.0 * T))
HOSTILE = {
    "silence": np.zeros(24000),
    "constant": np.full(24000, 0.5),
    "music": 0.2 * MUSIC,
    "clipped": np.clip(30.0 * babble(3.0, RATE), -1.0, 1.0),
    "square": np.sign(np.sin(2 * np.pi * 200.0 * T)),
    "alternating": np.where(np.arange(24000) % 2, 1.0, -1.0),
    "click": np.eye(1, 24000, 12000)[0],
    "tiny": 1e-200 * babble(3.0, RATE),
    "integers": np.rint(32767 * babble(3.0, RATE)),
    "one sample": np.array([0.3]),
    "nothing": np.zeros(0),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_any_sound_is_heard_in_chunks_as_in_one(name: str) -> None:
    got = prosody(HOSTILE[name], RATE)
    assert np.isfinite(got.intensity_db.values).all()
    voiced = got.pitch_hz.values[~np.isnan(got.pitch_hz.values)]
    assert ((voiced > 70.0) & (voiced <= 600.0)).all()
    check_same(in_chunks(HOSTILE[name], RATE, [80, 1, 999]), got)


def test_a_long_sound_in_single_precision_is_heard_in_blocks() -> None:
    rng = np.random.default_rng(3)
    levels = (3000.0 * rng.normal(size=(1 << 22) + 5000)).astype(np.int16)
    single, double = levels / np.float32(32768.0), levels / 32768.0
    found = prosody(single, 44100.0)
    whole = listening.start(44100.0)
    whole, head = listening.step(whole, double)
    tail = listening.finish(whole)
    wanted = np.concatenate([head.pitch_hz, tail.pitch_hz])
    assert np.array_equal(found.pitch_hz.values, wanted, equal_nan=True)
    assert found.observations == head.observations[0] + tail.observations[0]
    single[len(single) - 2] = np.nan
    with pytest.raises(InvalidValueError, match=rf"samples\[{len(single) - 2}\] is nan"):
        prosody(single, 44100.0)


def test_silence_is_nothing_but_pauses() -> None:
    got = prosody(HOSTILE["silence"], RATE)
    assert not got.syllables
    assert [p.time_s for p in got.pauses] == pytest.approx([0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0])


def test_an_offset_changes_nothing() -> None:
    """The mean is taken off each frame, so only rounding is left of it."""
    got = prosody(VOICE + 0.4, RATE)
    assert len(got.syllables) == len(WHOLE.syllables)
    same = np.isnan(got.pitch_hz.values) == np.isnan(WHOLE.pitch_hz.values)
    assert same.mean() > 0.98
    np.testing.assert_allclose(got.intensity_db.values, WHOLE.intensity_db.values, atol=0.01)


def test_clipping_keeps_the_pitch() -> None:
    a = pitch(np.clip(20.0 * VOICE, -1.0, 1.0), RATE).values
    b = WHOLE.pitch_hz.values
    both = ~np.isnan(a) & ~np.isnan(b)
    assert both.sum() > 50
    assert np.median(np.abs(a[both] / b[both] - 1.0)) < 0.005


def test_telephone_rate_finds_the_same_syllables(data: Path) -> None:
    recording = sound(data / RECORDINGS[0])
    wide = prosody(*samples_of(recording, 20.0), None)
    narrow = prosody(*samples_of(recording.resample(8000), 20.0), None)
    peaks = np.array([s.peak_s for s in narrow.syllables])
    near = [np.abs(peaks - s.peak_s).min() < 0.03 for s in wide.syllables]
    assert np.mean(near) > 0.9
    assert abs(len(peaks) - len(near)) <= 0.1 * len(near)


@pytest.mark.parametrize(
    ("samples", "rate", "said"),
    [
        ([0.0, np.nan], RATE, r"samples\[1\] is nan, allowed is a number up to 1e9"),
        ([0.0, 0.0, np.inf], RATE, r"samples\[2\] is inf"),
        ([1e12], RATE, r"samples\[0\] is 1e\+12"),
        (np.zeros((2, 5)), RATE, r"a chunk has shape \(2, 5\), expected \(n\)"),
        (np.zeros((2, 5, 1)), RATE, r"expected \(n\) or \(voices, n\)"),
        (np.zeros(5), 100.0, "rate_hz is 100, allowed is 4000 to 400000"),
        (np.zeros(5), float("nan"), "rate_hz is nan"),
    ],
)
def test_what_is_no_sound_is_refused_in_one_line(samples: object, rate: float, said: str) -> None:
    with pytest.raises(InvalidValueError, match=said) as caught:
        prosody(samples, rate)
    assert "\n" not in str(caught.value)


def test_no_voices_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="voices is 0, allowed is 1 to"):
        listening.start(RATE, voices=0)


def test_two_steps_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="one step for both"):
        ProsodySettings(intensity=IntensitySettings(step_s=0.02))


def cpu_s(work: object, times: int = 3) -> float:
    """Least processor time, which other load hardly changes."""
    taken = []
    for _ in range(times):
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    return min(taken)


@pytest.mark.timing
def test_faster_than_praats_pitch_alone_and_than_real_time(data: Path) -> None:
    recording = sound(data / RECORDINGS[0])
    samples, rate = samples_of(recording)
    ours = cpu_s(lambda: prosody(samples, rate))
    praats = cpu_s(recording.to_pitch)
    assert ours < praats
    assert len(samples) / rate / ours > 150.0


@pytest.mark.timing
@pytest.mark.parametrize(("voices", "allowed_ms"), [(1, 0.2), (100, 0.06)])
def test_a_step_fits_into_a_frame(voices: int, allowed_ms: float) -> None:
    """Several times what it takes, because a loaded machine runs slower even in processor time."""
    sounds = np.stack([babble(1.0, 16000.0, seed) for seed in range(10)] * 10)[:voices]
    state, taken = listening.start(16000.0, voices=voices), []
    for first in range(0, 16000, 160):
        begun = time.process_time()
        state, _ = listening.step(state, sounds[:, first : first + 160])
        taken.append(time.process_time() - begun)
    assert 1000.0 * np.median(taken[30:]) / voices <= allowed_ms
