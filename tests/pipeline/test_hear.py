"""Hearing: the picture holds what was heard, opens by itself, and bad input ends in one line."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from kinesphere.cli.main import status
from kinesphere.errors import InvalidValueError, UnreadableError, UnwritableError
from kinesphere.export.pages.speech.speech_picture import picture_html, picture_svg
from kinesphere.export.pages.speech.speech_raster import picture_png
from kinesphere.formats.wav import wav_bytes
from kinesphere.motion.take import Audio
from kinesphere.pipeline import hear as hearing
from kinesphere.pipeline.hear import (
    hear,
    heard_document,
    read_transcript,
    save_picture,
    with_guessed_words,
    with_timed_words,
)
from kinesphere.speech.value import Speech
from kinesphere.speech.voices.espeak import EspeakVoice

TEXT = "The old man & his dog opened the window. Nobody was there."
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def spoken() -> Speech:
    return EspeakVoice().speak(TEXT)


@pytest.fixture(scope="module")
def files(spoken: Speech, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hear")
    spoken.save(folder / "talk.kin")
    (folder / "talk.wav").write_bytes(wav_bytes(spoken.audio))
    (folder / "talk.txt").write_text(TEXT, encoding="utf-8")
    return folder


def test_the_page_holds_everything_and_asks_for_nothing(spoken: Speech) -> None:
    page = picture_html(hear(spoken))
    for word in ("Nobody", "window", "&amp;"):
        assert f">{word}</text>" in page
    assert "data:audio/wav;base64," in page
    assert "default-src 'none'" in page
    links = set(re.findall(r'(?:src|href)="([^"]{0,20})', page))
    assert all(link.startswith("data:") for link in links)
    assert not re.findall(r"https?://(?!www\.w3\.org)", page)
    assert picture_html(hear(spoken)) == page


def test_the_page_has_a_bar_for_each_syllable(spoken: Speech) -> None:
    heard = hear(spoken)
    bars = re.findall(r'<rect class="(?:weak|strong)"', picture_html(heard))
    assert len(bars) == len(heard.prominence.syllables) == len(spoken.syllables)


def test_names_cannot_break_out_of_the_page(spoken: Speech) -> None:
    from dataclasses import replace

    page = picture_html(replace(hear(spoken), title="</title><script>alert(1)</script>"))
    assert "<script>alert" not in page


def test_the_svg_is_well_formed(spoken: Speech) -> None:
    root = ET.fromstring(picture_svg(hear(spoken)))
    width = float(root.attrib["viewBox"].split()[2])
    texts = [t for t in root.iter(f"{SVG}text") if t.text == "Nobody"]
    assert len(texts) == 1
    assert 0.0 < float(texts[0].attrib["x"]) < width


@pytest.mark.parametrize("dark", [False, True])
def test_the_png_is_a_picture(spoken: Speech, dark: bool) -> None:
    image = np.asarray(Image.open(io.BytesIO(picture_png(hear(spoken), dark=dark))))
    assert image.shape[1] == 2360
    paper = image[-1, -1]
    assert (paper.max() < 60) == dark
    assert 0.03 < (image != paper).any(axis=2).mean() < 0.6


@pytest.mark.parametrize("length", [0, 1, 300, 16000])
def test_sound_with_nothing_in_it_is_drawn(length: int) -> None:
    heard = hear(Speech(np.zeros(length), 16000))
    assert "<svg" in picture_html(heard)
    ET.fromstring(picture_svg(heard))
    assert picture_png(heard, scale=1)[:4] == b"\x89PNG"
    assert heard_document(heard)["syllables"] == []


def test_a_long_speech_takes_several_lines(spoken: Speech) -> None:
    samples = np.tile(spoken.samples, 5)
    page = picture_html(hear(Speech(samples, spoken.rate_hz)))
    lines = re.findall(r'data-from="([\d.]+)" data-length="([\d.]+)"', page)
    assert len(lines) == int(np.ceil(len(samples) / spoken.rate_hz / 6.5))
    assert float(lines[1][0]) == pytest.approx(float(lines[0][1]), abs=1e-3)


def test_numbers_are_given_as_json(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert status(["hear", str(files / "talk.kin"), "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert [w["label"] for w in found["words"]][-3:] == ["Nobody", "was", "there"]
    assert [p["label"].split()[-1] for p in found["phrases"]] == ["window", "there"]
    assert all(0.0 <= s["value"] <= 1.0 for s in found["syllables"])
    assert found["duration_s"] == pytest.approx(
        hear(files / "talk.kin").speech.duration_s, abs=1e-3
    )


@pytest.mark.parametrize("ending", ["html", "svg", "png"])
def test_the_command_writes(
    files: Path, tmp_path: Path, ending: str, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / f"talk.{ending}"
    assert status(["hear", str(files / "talk.wav"), "-o", str(out)]) == 0
    assert out.stat().st_size > 10_000
    assert "syllables" in capfd.readouterr().out


def test_a_transcript_is_placed(
    files: Path, monkeypatch: pytest.MonkeyPatch, spoken: Speech
) -> None:
    asked = []

    def placed(speech: Speech, text: str, language: str) -> Speech:
        asked.append((text, language))
        return spoken

    monkeypatch.setattr(hearing, "_with_words", placed)
    heard = hear(files / "talk.wav", read_transcript(files / "talk.txt"), "de")
    assert asked == [(TEXT, "de")]
    assert [w.label for w in heard.prominence.words] == [w.label for w in spoken.words]


def bad(files: Path, tmp_path: Path) -> list[tuple[list[str], str]]:
    (tmp_path / "noise.wav").write_bytes(b"RIFFnothing at all")
    (tmp_path / "empty.txt").write_text(" ...\n")
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9 au lait")
    good, out = str(files / "talk.wav"), str(tmp_path / "x.html")
    return [
        ([good, "-o", str(tmp_path / "x.gif")], "writable are .html .svg .png"),
        ([good, "-o", str(tmp_path / "no" / "x.png")], "folder does not exist"),
        ([good], "--json"),
        ([str(tmp_path / "gone.wav"), "-o", out], "gone.wav: no such file"),
        ([str(tmp_path / "noise.wav"), "-o", out], "noise.wav: is not audio"),
        ([good, "--transcript", str(tmp_path / "empty.txt"), "-o", out], "contains no word"),
        ([good, "--transcript", str(tmp_path / "latin.txt"), "-o", out], "byte 4: is not text"),
    ]


def test_bad_input_ends_in_one_line(
    files: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for arguments, said in bad(files, tmp_path):
        assert status(["hear", *arguments]) == 2
        error = capfd.readouterr().err
        assert error.count("\n") == 1
        assert error.startswith("kinesphere: ")
        assert said in error
    assert not list(tmp_path.glob("x.*"))


def test_bad_values_are_refused(spoken: Speech, tmp_path: Path) -> None:
    with pytest.raises(UnwritableError, match="is a folder"):
        (tmp_path / "a.png").mkdir()
        save_picture(hear(spoken), tmp_path / "a.png")
    with pytest.raises(InvalidValueError, match="allowed are 60"):
        hear(Speech(np.zeros(4000 * 3700), 4000))
    with pytest.raises(UnreadableError):
        hear(tmp_path / "nothing.kin")
    assert wav_bytes(Audio(np.zeros(4), 8000))[:4] == b"RIFF"


def test_words_with_their_times_and_guessed_ones(data: Path, tmp_path: Path) -> None:
    beat = data / "beat2" / "2_scott_0_1_1"
    timed = with_timed_words(beat.with_suffix(".wav"), beat.with_suffix(".TextGrid"))
    assert len(timed.words.intervals) == 199
    assert len(timed.phones.intervals) > 400
    short = tmp_path / "short.wav"
    import soundfile

    sound, rate = soundfile.read(beat.with_suffix(".wav"), stop=16000 * 8)
    soundfile.write(short, sound, rate)
    out = tmp_path / "out.html"
    guessed = with_guessed_words(data / "speech" / "jfk" / "jfk.flac")
    assert {"country", "you"} <= {i.label.lower() for i in guessed.words.intervals}
    assert any("rough" in note for note in guessed.provenance["notes"])
    assert status(["hear", str(short), "-o", str(out), "--guess", "--transcript", "x.txt"]) == 2
    (tmp_path / "w.csv").write_text("start,end,word\n0.5,0.9,hello\n1.0,1.4,there\n99,99.5,late\n")
    assert len(with_timed_words(short, tmp_path / "w.csv").words.intervals) == 2


def test_three_hours_in_little_memory(tmp_path: Path) -> None:
    """A file of three hours is read and heard in blocks; its samples alone would take 690 MB."""
    program = """
import sys
import numpy as np, soundfile
from kinesphere.speech.prosody import prosody
from kinesphere.speech.audio import audio_blocks
path, rate = sys.argv[1], 8000
t = np.arange(60 * rate) / rate
voice = np.sin(2 * np.pi * 120 * t) * (0.5 + 0.5 * np.sin(2 * np.pi * 4 * t)) * (t % 5 < 4)
with soundfile.SoundFile(path, "w", rate, 1, "PCM_16") as file:
    for _ in range(180):
        file.write(0.3 * voice)
state, frames, seconds = prosody.start(rate), 0, 0.0
for block in audio_blocks(path, 30):
    state, new = prosody.step(state, block.samples)
    frames, seconds = frames + len(new.pitch_hz), seconds + len(block.samples) / rate
status = open('/proc/self/status').read()
print(round(seconds), frames, int(status.split('VmHWM:')[1].split()[0]) // 1024)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "long.flac")],
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, frames, megabytes = map(int, done.stdout.split())
    assert seconds == 10800
    assert frames > 1_070_000
    assert megabytes < 550
