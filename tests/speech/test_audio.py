"""Recordings in every format, rate and number of channels; hostile files; resampling."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import tracemalloc
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.errors import InvalidValueError, KinesphereError, UnreadableError
from kinesphere.maths.arrays import Floats
from kinesphere.speech import audio
from kinesphere.speech.audio import audio_blocks, read_audio
from kinesphere.speech.resampling import Resampler, resample_audio

FORMATS = [
    ("wav", {"subtype": "PCM_16"}, 4e-5),
    ("wav", {"subtype": "PCM_24"}, 2e-7),
    ("wav", {"subtype": "FLOAT"}, 1e-7),
    ("wav", {"subtype": "PCM_U8"}, 1e-2),
    ("flac", {"subtype": "PCM_24"}, 2e-7),
    ("ogg", {}, 0.05),
    ("opus", {"format": "OGG", "subtype": "OPUS"}, 0.12),
    ("mp3", {}, 0.05),
]
RNG = np.random.default_rng(4)
NOISE = RNG.normal(scale=0.2, size=30_000)


def tone(rate: int, seconds: float = 0.5, hz: float = 440.0) -> Floats:
    time = np.arange(round(rate * seconds)) / rate
    return np.asarray(0.5 * np.sin(2 * np.pi * hz * time) * np.minimum(1.0, time / 0.05))


def sweep(rate: int, seconds: float = 0.5) -> Floats:
    """A tone that rises, so that it is like itself at one place only."""
    time = np.arange(round(rate * seconds)) / rate
    return np.asarray(0.5 * np.sin(2 * np.pi * (200.0 + 800.0 * time) * time))


def ffmpeg(*arguments: object) -> None:
    import imageio_ffmpeg

    program = imageio_ffmpeg.get_ffmpeg_exe()
    subprocess.run([program, "-v", "error", "-y", *map(str, arguments)], check=True)


def fails(path: Path | str) -> str:
    """The one line that reading a file gives, in both ways of reading."""
    with pytest.raises(UnreadableError) as whole:
        read_audio(path)
    with pytest.raises(UnreadableError):
        list(audio_blocks(path))
    line = str(whole.value)
    assert "\n" not in line
    assert line.startswith(str(path))
    return line.removeprefix(str(path))


@pytest.mark.parametrize(("ending", "options", "error"), FORMATS)
@pytest.mark.parametrize("rate", [8000, 16000, 48000])
def test_every_format(
    tmp_path: Path, ending: str, options: dict[str, str], error: float, rate: int
) -> None:
    path, sound = tmp_path / f"a.{ending}", tone(rate)
    soundfile.write(path, sound, rate, **options)
    got = read_audio(path)
    assert (got.rate_hz, got.notes) == (rate, ())
    assert abs(len(got.samples) - len(sound)) <= 0.05 * rate
    count = round(0.9 * len(sound))  # Opus fades the end
    assert np.abs(got.samples[:count] - sound[:count]).max() < error
    assert not got.samples.flags.writeable


@pytest.mark.parametrize("rate", [8000, 11025, 22050, 44100, 96000])
@pytest.mark.parametrize("channels", [1, 2, 6])
def test_every_rate_and_channel_count(tmp_path: Path, rate: int, channels: int) -> None:
    path = tmp_path / "a.wav"
    sound = np.random.default_rng(1).normal(scale=0.1, size=(rate // 4, channels))
    soundfile.write(path, sound, rate, subtype="DOUBLE")
    got = read_audio(path)
    assert got.rate_hz == rate
    np.testing.assert_allclose(got.samples, sound.mean(axis=1), atol=1e-12)


@pytest.mark.parametrize("ending", ["m4a", "webm", "aac", "mkv", "mp4"])
def test_formats_of_ffmpeg(tmp_path: Path, ending: str) -> None:
    path, sound = tmp_path / f"a.{ending}", sweep(48000)
    soundfile.write(tmp_path / "a.wav", np.stack([sound, sound], axis=1), 48000)
    ffmpeg("-i", tmp_path / "a.wav", path)
    got = read_audio(path)
    assert (got.rate_hz, got.notes) == (48000, ())
    assert abs(len(got.samples) - len(sound)) < 0.06 * 48000
    lag = int(np.argmax(np.correlate(got.samples[:12000], sound[4000:8000], "valid"))) - 4000
    assert abs(lag) < 0.05 * 48000  # AAC's own delay, where the container does not tell it
    inner = got.samples[4000 + lag : 20000 + lag]
    assert np.corrcoef(inner, sound[4000:20000])[0, 1] > 0.99
    assert sum(len(b.samples) for b in audio_blocks(path, 0.1)) == len(got.samples)


def test_without_ffmpeg_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    (tmp_path / "a.m4a").write_bytes(b"\0\0\0\x18ftypM4A ")
    with pytest.raises(KinesphereError, match=r"a\.m4a: .*pip install 'kinesphere\[media\]'$"):
        read_audio(tmp_path / "a.m4a")


def test_a_dead_channel_is_left_out(tmp_path: Path) -> None:
    hiss = 1e-4 * RNG.normal(size=len(NOISE)) + 0.01
    soundfile.write(tmp_path / "a.wav", np.stack([hiss, NOISE], axis=1), 16000, subtype="DOUBLE")
    got = read_audio(tmp_path / "a.wav")
    np.testing.assert_allclose(got.samples, NOISE, atol=1e-12)
    assert got.notes == ("silent channel 1 of 2 ignored",)


def test_a_quiet_channel_is_not_dead(tmp_path: Path) -> None:
    quiet = 0.01 * RNG.normal(size=len(NOISE))
    soundfile.write(tmp_path / "a.wav", np.stack([quiet, NOISE], axis=1), 16000, subtype="DOUBLE")
    got = read_audio(tmp_path / "a.wav")
    np.testing.assert_allclose(got.samples, (quiet + NOISE) / 2, atol=1e-12)
    assert got.notes == ()


def test_channels_that_cancel_each_other_do_not_become_silence(tmp_path: Path) -> None:
    both = np.stack([NOISE, -0.95 * NOISE], axis=1)
    soundfile.write(tmp_path / "a.wav", both, 16000, subtype="DOUBLE")
    got = read_audio(tmp_path / "a.wav")
    np.testing.assert_allclose(got.samples, NOISE, atol=1e-12)
    assert "cancel" in got.notes[0]


def test_silence_is_sound(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", np.zeros((100, 2)), 16000)
    assert np.array_equal(read_audio(tmp_path / "a.wav").samples, np.zeros(100))


@pytest.mark.parametrize("seconds", [0.01, 0.3, 1.0, 60.0])
@pytest.mark.parametrize("target", [None, 16000])
def test_blocks_are_the_whole(tmp_path: Path, seconds: float, target: int | None) -> None:
    path = tmp_path / "a.wav"
    soundfile.write(path, np.stack([NOISE, 0.3 * NOISE], axis=1), 22050)
    whole = read_audio(path, target)
    blocks = list(audio_blocks(path, seconds, target))
    assert {b.rate_hz for b in blocks} == {whole.rate_hz}
    assert {len(b.samples) for b in blocks[:-1]} <= {round(seconds * whole.rate_hz)}
    np.testing.assert_array_equal(np.concatenate([b.samples for b in blocks]), whole.samples)


def test_blocks_of_a_long_file_take_little_memory(tmp_path: Path) -> None:
    path, rate = tmp_path / "a.flac", 16000
    with soundfile.SoundFile(path, "w", rate, 2) as file:
        for _ in range(8):
            file.write(np.zeros((60 * rate, 2)))  # 8 minutes, 123 MB as stereo floats
    next(audio_blocks(path, 1.0))
    tracemalloc.start()
    count = sum(len(b.samples) for b in audio_blocks(path, 10.0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 480 * rate
    assert peak < 20e6


def test_too_long_is_said_before_memory_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.wav"
    soundfile.write(path, NOISE, 16000)
    monkeypatch.setattr(audio, "MOST_SAMPLES", 20_000)
    with pytest.raises(UnreadableError, match="read it in blocks"):
        read_audio(path)
    assert len(read_audio(path, 8000).samples) == 15_000
    assert len(list(audio_blocks(path, 1.0))) == 2


def test_files_that_are_no_recordings(tmp_path: Path) -> None:
    assert fails(tmp_path / "none.wav") == ": no such file"
    assert fails(tmp_path) == ": is a folder, expected a recording"
    for ending in ("wav", "mp3", "m4a", "flac", "ogg"):
        (tmp_path / f"empty.{ending}").write_bytes(b"")
        assert fails(tmp_path / f"empty.{ending}") == ": is empty"
    for name in ("a.wav", "a.mp3", "a.txt", "a", "a.raw", "a.flac"):
        (tmp_path / name).write_bytes(b"This is not sound. " * 50)
        assert "is not audio that can be read" in fails(tmp_path / name)
    (tmp_path / "a.m4a").write_bytes(b"This is not sound. " * 50)
    assert "ffmpeg says" in fails(tmp_path / "a.m4a")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.wav")
        assert fails(tmp_path / "pipe.wav") == ": is not a regular file"
    with pytest.raises(UnreadableError):
        read_audio("a\0b.wav")


def test_no_length_and_absurd_rates(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", np.zeros(0), 16000)
    assert "length is 0" in fails(tmp_path / "a.wav")
    for rate in (1, 100, 2_000_000):
        soundfile.write(tmp_path / "a.wav", np.zeros(100), rate)
        assert f"has {rate} Hz, allowed is" in fails(tmp_path / "a.wav")
    soundfile.write(tmp_path / "a.wav", np.zeros((100, 65)), 16000)
    assert "has 65 channels" in fails(tmp_path / "a.wav")


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e9])
def test_numbers_that_are_no_sound(tmp_path: Path, bad: float) -> None:
    sound = np.zeros((300_000, 2))
    sound[50, 1] = sound[60, 0] = bad
    soundfile.write(tmp_path / "a.wav", sound, 16000, subtype="FLOAT")
    assert "at 0.003 s: has " in fails(tmp_path / "a.wav")
    assert "full scale is 1" in fails(tmp_path / "a.wav")


@pytest.mark.parametrize("channels", [1, 2])
def test_the_time_of_a_sample_that_is_none_is_its_own(tmp_path: Path, channels: int) -> None:
    sound = np.zeros((320_000, channels))
    sound[200_000, -1] = np.nan
    soundfile.write(tmp_path / "a.wav", sound, 16000, subtype="FLOAT")
    assert "at 12.500 s: has a value that is not finite" in fails(tmp_path / "a.wav")


@pytest.mark.parametrize("ending", ["wav", "ogg", "mp3", "flac", "m4a", "webm"])
def test_cut_off_files(tmp_path: Path, ending: str, capfd: pytest.CaptureFixture[str]) -> None:
    whole, cut = tmp_path / f"a.{ending}", tmp_path / f"b.{ending}"
    soundfile.write(tmp_path / "a.wav", np.tile(NOISE, 3), 16000)
    if ending in ("m4a", "webm"):
        ffmpeg("-i", tmp_path / "a.wav", whole)
    elif ending != "wav":
        soundfile.write(whole, np.tile(NOISE, 3), 16000)
    data = whole.read_bytes()
    for size in range(1, round(0.95 * len(data)), len(data) // 12):
        cut.write_bytes(data[:size])
        try:
            got = read_audio(cut)
        except UnreadableError as error:
            assert "\n" not in str(error)
        else:
            assert 0 < got.duration_s < 5.7
            assert ending == "webm" or any("cut off" in n or "damaged" in n for n in got.notes)
    assert capfd.readouterr().err == ""


def test_wav_from_a_pipe_is_not_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    soundfile.write(path, NOISE, 16000)
    data = bytearray(path.read_bytes())
    data[4:8] = data[40:44] = struct.pack("<I", 0xFFFFFFFF)
    path.write_bytes(data)
    got = read_audio(path)
    assert (len(got.samples), got.notes) == (len(NOISE), ())


@given(place=st.integers(0, 43), value=st.integers(0, 255))
def test_damaged_headers_read_or_say_why(
    tmp_path_factory: pytest.TempPathFactory, place: int, value: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.wav"
    soundfile.write(path, NOISE[:500], 16000)
    data = bytearray(path.read_bytes())
    data[place] = value
    path.write_bytes(data)
    try:
        assert len(read_audio(path).samples) > 0
    except UnreadableError as error:
        assert "\n" not in str(error)


def test_bad_arguments(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", NOISE, 16000)
    for seconds in (0.0, -1.0, float("nan"), 1e9):
        with pytest.raises(InvalidValueError):
            list(audio_blocks(tmp_path / "a.wav", seconds))
    with pytest.raises(InvalidValueError):
        read_audio(tmp_path / "a.wav", 10)


def test_recordings_agree_with_praat(data: Path) -> None:
    import parselmouth

    for name in ("speech/jfk/jfk.flac", "speech/sonnet/audio.wav"):
        theirs = parselmouth.Sound(str(data / name)).convert_to_mono()
        ours = read_audio(data / name)
        assert ours.rate_hz == theirs.sampling_frequency
        np.testing.assert_allclose(ours.samples, theirs.values[0], atol=1e-6)


RATES = st.sampled_from([8000, 11025, 16000, 22050, 44100, 48000, 96000])


@given(rate=RATES, target=RATES, sizes=st.lists(st.integers(0, 5000), min_size=1, max_size=8))
def test_stream_equals_batch(rate: int, target: int, sizes: list[int]) -> None:
    sound = NOISE[:8000]
    resampler = Resampler(rate, target)
    edges = [0, *np.minimum(np.cumsum(sizes), len(sound)).tolist(), len(sound)]
    for _ in range(2):  # after a flush it starts anew
        parts = [resampler.push(sound[a:b]) for a, b in pairwise(edges)]
        got = np.concatenate([*parts, resampler.flush()])
        want = resample_audio(sound, rate, target)
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, atol=1e-9)


@given(rate=RATES, target=RATES)
def test_a_tone_stays_the_tone(rate: int, target: int) -> None:
    got = resample_audio(tone(rate, 0.5, 700.0), rate, target)
    want = tone(target, 0.5, 700.0)
    assert abs(len(got) - len(want)) <= 1 + target / rate
    inner = slice(target // 10, -target // 10)
    assert np.abs(got[: len(want)][inner] - want[: len(got)][inner]).max() < 1e-5


def test_resampling_refuses() -> None:
    for rate in (0, -1, float("nan"), 1e9):
        with pytest.raises(InvalidValueError, match="allowed is"):
            resample_audio(NOISE, rate)
        with pytest.raises(InvalidValueError, match="allowed is"):
            Resampler(16000, rate)
    for sound in (np.zeros((3, 2)), [np.nan]):
        with pytest.raises(InvalidValueError):
            resample_audio(sound, 8000)
    assert len(resample_audio([], 8000)) == 0
