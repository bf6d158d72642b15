"""Sources: recordings, pipes and a microphone that is played by the test."""

from __future__ import annotations

import io
import os
import struct
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, BinaryIO

import numpy as np
import pytest
import soundfile

from kinesphere.errors import InvalidValueError, KinesphereError, UnreadableError
from kinesphere.formats.wav import wav_bytes
from kinesphere.motion.take import Audio
from kinesphere.realtime.sources.microphone import MicrophoneSource, input_devices, sounddevice
from kinesphere.realtime.sources.pcm import PcmFormat, PcmSource
from kinesphere.realtime.sources.sources import RecordingSource, Source
from kinesphere.realtime.state import Chunk, Lost, Signal
from kinesphere.speech.audio import read_audio
from kinesphere.speech.resampling import resample_audio

RNG = np.random.default_rng(3)


def noise(seconds: float, rate_hz: int = 16_000) -> np.ndarray:
    return np.round(0.3 * RNG.uniform(-1, 1, int(seconds * rate_hz)) * 32767) / 32767


def everything(source: Source) -> tuple[np.ndarray, list[int]]:
    parts: list[np.ndarray] = []
    for _ in range(100_000):
        arrival = source.read(5.0)
        if arrival is Signal.END:
            break
        assert isinstance(arrival, Chunk)
        parts.append(arrival.samples)
    source.close()
    return np.concatenate(parts, axis=-1), [part.shape[-1] for part in parts]


# -- recordings --


@pytest.mark.parametrize("ending", ["wav", "flac", "mp3"])
@pytest.mark.parametrize("rate_hz", [16_000, 44_100])
def test_a_recording_gives_the_samples_that_it_gives_whole(
    tmp_path: Path, ending: str, rate_hz: int
) -> None:
    path = tmp_path / f"talk.{ending}"
    soundfile.write(path, noise(2.5, rate_hz), rate_hz)
    source = RecordingSource([path], block_s=0.01)
    sound, sizes = everything(source)
    assert np.array_equal(sound, read_audio(path, 16_000).samples)
    assert set(sizes[:-1]) == {160}
    assert (source.paced, source.device, source.voices) == (True, False, None)
    assert source.read(0.0) is Signal.END


def test_several_recordings_and_several_channels_are_as_many_voices(tmp_path: Path) -> None:
    long, short = noise(1.0), noise(0.4)
    for name, sound in (("a.wav", long), ("b.wav", short)):
        soundfile.write(tmp_path / name, sound, 16_000)
    soundfile.write(tmp_path / "both.wav", np.stack([long[:6400], short]).T, 16_000)
    rows, _ = everything(RecordingSource([tmp_path / "a.wav", tmp_path / "b.wav"]))
    assert rows.shape == (2, 16_000)
    assert np.allclose(rows[0], long, atol=1e-4)
    assert np.allclose(rows[1, :6400], short, atol=1e-4)
    assert not rows[1, 6400:].any()
    rows, _ = everything(RecordingSource([tmp_path / "both.wav"], wanted=2))
    assert np.allclose(rows, [long[:6400], short], atol=1e-4)
    mixed, _ = everything(RecordingSource([tmp_path / "both.wav"], wanted=3))
    assert mixed.ndim == 1
    with pytest.raises(InvalidValueError, match="2 recordings for 3 characters"):
        RecordingSource([tmp_path / "a.wav", tmp_path / "b.wav"], wanted=3)


def test_what_is_no_recording_is_told_before_the_start(tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_bytes(b"not sound at all")
    with pytest.raises(UnreadableError, match="is not audio"):
        RecordingSource([tmp_path / "a.wav"])
    with pytest.raises(UnreadableError, match="no such file"):
        RecordingSource([tmp_path / "b.wav"])


# -- standard input --


def pcm(stream: bytes | BinaryIO, *form: Any, **options: Any) -> PcmSource:
    made = io.BytesIO(stream) if isinstance(stream, bytes) else stream
    return PcmSource(made, PcmFormat(*form) if form else None, **options)


@pytest.mark.parametrize(
    ("encoding", "scale", "kind", "close"),
    [
        ("s16le", 2**15, "<i2", 1e-4),
        ("s32le", 2**31, "<i4", 1e-9),
        ("f32le", 1, "<f4", 1e-7),
        ("f64le", 1, "<f8", 1e-15),
    ],
)
def test_bare_samples_are_read_as_they_are_coded(
    encoding: str, scale: int, kind: str, close: float
) -> None:
    sound = noise(0.5)
    data = (sound * scale).astype(kind).tobytes()
    heard, sizes = everything(pcm(data + b"\0", encoding))  # half a sample at the end
    assert heard == pytest.approx(sound, abs=close)
    assert set(sizes[:-1]) == {160}


def test_24_bits_and_channels() -> None:
    sound = np.stack([noise(0.2), noise(0.2)])
    whole = np.round(sound.T * 2**23).astype("<i4")
    data = whole.reshape(-1, 1).view(np.uint8)[:, :3].tobytes()
    rows, _ = everything(pcm(data, "s24le", 16_000, 2, wanted=2))
    assert rows == pytest.approx(sound, abs=1e-6)
    mixed, _ = everything(pcm(data, "s24le", 16_000, 2))
    assert mixed == pytest.approx(sound.mean(axis=0), abs=1e-6)


def test_another_rate_gives_what_resampling_the_whole_does() -> None:
    sound = noise(0.7, 48_000)
    heard, _ = everything(pcm(sound.tobytes(), "f64le", 48_000))
    assert np.allclose(heard, resample_audio(sound, 48_000), atol=1e-9)


def test_wav_is_known_by_its_head_and_a_pipes_length_is_not_believed() -> None:
    sound = noise(0.5, 8000)
    data = bytearray(wav_bytes(Audio(sound, 8000)))
    whole, _ = everything(pcm(bytes(data)))
    assert len(whole) == pytest.approx(8000, abs=2)
    at = data.index(b"data")
    data[4:8] = data[at + 4 : at + 8] = b"\xff" * 4  # what a program writes that cannot go back
    extra = bytes(data[:at]) + b"LIST" + struct.pack("<I", 5) + b"abcde\0" + bytes(data[at:])
    heard, _ = everything(pcm(extra))
    assert np.array_equal(heard, whole)


@pytest.mark.parametrize(
    ("data", "form", "reason"),
    [
        (b"", (), "contains no audio"),
        (b"RIFF\0\0\0\0WAVE", (), "WAV file without audio"),
        (b"RIFF\0\0\0\0WAVEdata\0\0\0\0", (), "whose format is missing"),
        (b"RIFF\0\0\0\0WAVEfmt \x04\0\0\0abcd", (), "whose format is cut off"),
        (b"RIFF\0\0\0\0WAVEjunk\xff\xff\xff\x7f", (), "damaged WAV file"),
        (
            b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0" + struct.pack("<HHIIHH", 7, 1, 8000, 0, 0, 8),
            (),
            "WAV of coding 7, readable are s16le",
        ),
        (
            b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0" + struct.pack("<HHIIHH", 1, 0, 8000, 0, 0, 16),
            (),
            "0 channels, allowed",
        ),
        (np.full(9, np.nan).tobytes(), ("f64le",), "at 0.0 s: holds nan"),
        (np.full(9, 1e30).tobytes(), ("f64le",), r"holds 1e\+30.*is it f64le"),
    ],
)
def test_what_is_no_sound_is_told_in_one_line(
    data: bytes, form: tuple[Any, ...], reason: str
) -> None:
    with pytest.raises(UnreadableError, match=reason):
        everything(pcm(data, *form))


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b'fLaC\0\0\0"', "FLAC"),
        (b"OggS\0\2\0\0", "Ogg"),
        (b"ID3\4\0\0\0\0", "MP3"),
        (b"\0\0\0\x20ftypM4A ", "MP4"),
        (b"RIFX\0\0\0\0WAVE", "big-endian WAV"),
        (b"RF64\xff\xff\xff\xffWAVE", "WAV of 64 bits"),
        (b"FORM\0\0\0\0AIFF", "AIFF"),
        (b"RIFF\0\0\0\0AVI ", "RIFF other than WAV"),
    ],
)
def test_files_of_other_formats_are_not_taken_for_samples(head: bytes, kind: str) -> None:
    said = rf"^standard input: is {kind}.*, readable are WAV and raw audio \(s16le, .*f64le\)"
    with pytest.raises(UnreadableError, match=said):
        pcm(head + bytes(4000), "s16le")


def test_formats_have_their_limits() -> None:
    with pytest.raises(InvalidValueError, match="allowed are s16le"):
        PcmFormat("u8")
    with pytest.raises(InvalidValueError, match="5 Hz"):
        PcmFormat("s16le", 5)
    with pytest.raises(InvalidValueError, match="0 channels"):
        PcmFormat("s16le", 16_000, 0)


def test_a_sender_who_pauses_is_not_waited_for_and_one_who_hurries_waits() -> None:
    ours, theirs = os.pipe()
    with open(ours, "rb", buffering=0) as reading, open(theirs, "wb", buffering=0) as writing:
        writing.write(bytes(640))
        source = pcm(reading, "s16le", block_s=0.01)
        first = source.read(5.0)
        assert isinstance(first, Chunk)
        assert first.queued_s == pytest.approx(0.01)
        assert isinstance(source.read(5.0), Chunk)
        assert source.read(0.01) is None
        # Ten seconds at once: most of it stays with the sender.
        thread = threading.Thread(target=writing.write, args=(bytes(320_000),))
        thread.start()
        latest = source.read(5.0)
        assert isinstance(latest, Chunk)
        assert latest.queued_s is not None
        assert latest.queued_s < 0.6
        thread.join(0.05)
        assert thread.is_alive()
        while thread.is_alive():
            source.read(0.1)
        source.close()


# -- a microphone --


class FakeStream:
    def __init__(self, sd: FakeSound, **options: Any) -> None:
        if options["samplerate"] not in sd.rates:
            raise RuntimeError("Invalid sample rate [PaErrorCode -9997]")
        self.sd, self.options = sd, options
        self.open = True

    def start(self) -> None:
        if self.sd.unplugged:
            raise RuntimeError("Device unavailable")
        self.sd.stream = self

    def abort(self) -> None:
        self.options["finished_callback"]()

    def close(self) -> None:
        self.open = False


class FakeSound:
    """What of sounddevice is used, with a stream clock of its own."""

    def __init__(self, rates: tuple[float, ...] = (16_000.0, 48_000.0)) -> None:
        self.rates, self.unplugged = rates, False
        self.stream: FakeStream | None = None
        self.now_s = 50.0
        self.default = SimpleNamespace(device=(1, 3))
        self.begun = 0

    def InputStream(self, **options: Any) -> FakeStream:
        return FakeStream(self, **options)

    def query_devices(self, device: Any = None, kind: str | None = None) -> Any:
        known = [
            {"name": "Loudspeaker", "max_input_channels": 0, "default_samplerate": 48000.0},
            {"name": "Desk microphone", "max_input_channels": 2, "default_samplerate": 48000.0},
        ]
        if kind is None:
            return known
        if device not in (None, 1, "Desk"):
            raise ValueError(f"No input device matching {device!r}")
        return known[1]

    def _terminate(self) -> None:
        self.begun -= 1

    def _initialize(self) -> None:
        self.begun += 1

    def speaks(
        self, samples: np.ndarray, lost: bool = False, age_s: float = 0.03, told: bool = True
    ) -> None:
        """Let the driver bring samples ``[n]`` or ``[n, channels]``."""
        assert self.stream is not None
        data = samples[:, None] if samples.ndim == 1 else samples
        moment = SimpleNamespace(currentTime=7.0, inputBufferAdcTime=7.0 - age_s if told else 0.0)
        self.stream.options["callback"](
            data.astype(np.float32), len(data), moment, SimpleNamespace(input_overflow=lost)
        )


def microphone(sd: FakeSound, **options: Any) -> MicrophoneSource:
    return MicrophoneSource(module=sd, clock=lambda: sd.now_s, **options)


def test_a_microphone_brings_all_that_came_with_its_capture_time() -> None:
    sd = FakeSound()
    source = microphone(sd, device="Desk")
    assert (source.name, source.paced, source.device) == ("Desk microphone", False, True)
    assert source.read(0.0) is None
    first, second = noise(0.01), noise(0.01)
    sd.speaks(first)
    sd.now_s += 0.01
    sd.speaks(second)
    chunk = source.read(0.0)
    assert isinstance(chunk, Chunk)
    assert chunk.samples == pytest.approx(np.concatenate([first, second]), abs=1e-6)
    assert chunk.captured_s == pytest.approx(50.0 - 0.03)
    assert chunk.arrived_s == pytest.approx(50.01)
    assert not chunk.dropped
    sd.speaks(first, told=False)  # a driver that knows no times
    chunk = source.read(0.0)
    assert isinstance(chunk, Chunk)
    assert chunk.captured_s == pytest.approx(50.01 - 0.01)


def test_a_microphone_of_another_rate_is_resampled_and_its_times_stay_right() -> None:
    sd = FakeSound(rates=(48_000.0,))
    source = microphone(sd)
    sound = noise(2.0, 48_000)
    parts, places = [], []
    for k in range(200):
        sd.now_s = 50.0 + 0.01 * (k + 1) + 0.02
        sd.speaks(sound[480 * k : 480 * (k + 1)], age_s=0.03)
        chunk = source.read(0.0)
        if isinstance(chunk, Chunk):
            assert chunk.captured_s is not None
            places.append((sum(map(len, parts)) / 16_000, chunk.captured_s - 50.0))
            parts.append(chunk.samples)
    heard = np.concatenate(parts)
    assert len(heard) > 30_000
    assert np.allclose(heard, resample_audio(sound, 48_000)[: len(heard)], atol=1e-5)
    for sound_s, captured_s in places:
        assert captured_s == pytest.approx(sound_s, abs=1e-4)


def test_what_is_dropped_is_told_with_the_next() -> None:
    sd = FakeSound()
    source = microphone(sd)
    tone = noise(0.5)
    for _ in range(6):  # nobody reads for 3 s
        sd.speaks(tone)
    told, length = [], 0
    while isinstance(chunk := source.read(0.0), Chunk):
        told.append(chunk.dropped)
        length += len(chunk.samples)
    assert length == 32_000
    assert not any(told)
    sd.speaks(tone)
    sd.speaks(tone, lost=True)
    first, second = source.read(0.0), source.read(0.0)
    assert isinstance(first, Chunk)
    assert isinstance(second, Chunk)
    assert first.dropped
    assert second.dropped


def test_channels_are_mixed_or_voices() -> None:
    sound = np.stack([noise(0.02), noise(0.02)], axis=-1)
    for wanted, shape in ((None, (320,)), (2, (2, 320)), (5, (320,))):
        sd = FakeSound()
        source = microphone(sd, channels=2, wanted=wanted)
        sd.speaks(sound)
        chunk = source.read(0.0)
        assert isinstance(chunk, Chunk)
        assert chunk.samples.shape == shape


def test_a_microphone_that_stops_is_lost_and_can_be_opened_again() -> None:
    sd = FakeSound()
    source = microphone(sd)
    assert sd.stream is not None
    sd.unplugged = True
    sd.stream.options["finished_callback"]()
    assert source.read(0.0) == Lost("the device stopped")
    assert source.read(0.0) is None
    assert source.reopen() == Lost("Device unavailable")
    sd.unplugged = False
    assert source.reopen() is Signal.BACK
    assert sd.begun == 0  # as often ended as begun
    sd.speaks(noise(0.01))
    assert isinstance(source.read(0.0), Chunk)
    source.close()
    source.close()
    assert source.read(0.0) is None


def test_a_microphone_that_is_not_there_is_told_in_one_line() -> None:
    with pytest.raises(KinesphereError, match="cannot be opened: No input device matching 'x'"):
        microphone(FakeSound(), device="x")
    with pytest.raises(KinesphereError, match="Invalid sample rate"):
        microphone(FakeSound(rates=()))


def test_devices_are_listed() -> None:
    (device,) = input_devices(FakeSound())
    assert device == (1, "Desk microphone", 2, 48_000.0, True)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ImportError("no"), r"pip install 'kinesphere\[live\]'"),
        (OSError("PortAudio library not found"), "apt install libportaudio2"),
    ],
)
def test_without_sounddevice_one_line_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, error: Exception, reason: str
) -> None:
    def missing(name: str) -> None:
        raise error

    monkeypatch.setattr("kinesphere.realtime.sources.microphone.import_module", missing)
    with pytest.raises(KinesphereError, match=reason):
        sounddevice()
