"""``kinesphere live``: files, pipes, VMC and Ctrl-C, as a user has them."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import soundfile

from kinesphere.bodylanguage.play.live_options import LiveOptions
from kinesphere.cli.main import COMMANDS, status
from kinesphere.pipeline.convert import load
from kinesphere.pipeline.models import model
from kinesphere.pipeline.speakers import speaker
from kinesphere.pipeline.stages.voice_motion import VoiceMotion, move_by_voice
from kinesphere.realtime.words import SaidWord, read_words
from kinesphere.speech.audio import read_audio
from kinesphere.speech.value import Speech
from tests.cli.conftest import Refused
from tests.export.osc_reader import messages_in

PROGRAM = [sys.executable, "-m", "kinesphere", "live"]


@pytest.fixture(scope="module")
def speech(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seconds of something that comes and goes like syllables."""
    t = np.arange(32_000) / 16_000
    tone = sum(np.sin(2 * np.pi * 140 * k * t) / k for k in range(1, 8))
    path = tmp_path_factory.mktemp("live") / "talk.wav"
    soundfile.write(path, 0.15 * tone * np.maximum(0.0, np.sin(2 * np.pi * 2.0 * t)), 16_000)
    return path


def test_it_is_in_the_table() -> None:
    assert COMMANDS["live"][0] == "kinesphere.cli.live"


def test_a_recording_becomes_files(
    speech: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "talk.kin"
    arguments = ["live", str(speech), "--fast", "--to", str(out), "--fps", "30", "--seconds", "1"]
    assert status(arguments) == 0
    first, second, third = capsys.readouterr().out.splitlines()
    assert first.endswith("talk.kin: 31 frames, 55 joints, 1.00 s at 30 fps")
    assert second.startswith("1.0 s of audio, 31 frames; chunk to frame ")
    assert third == "nothing was dropped"
    take = load(out)
    assert take.audio is not None
    assert len(take.audio.samples) == 16_000
    again = tmp_path / "again.kin"
    assert status([*arguments[:4], str(again), *arguments[5:]]) == 0
    assert np.array_equal(load(again).clip.rotations, take.clip.rotations)
    assert status([*arguments[:4], str(again), *arguments[5:], "--tension", "loose"]) == 0
    assert not np.array_equal(load(again).clip.rotations, take.clip.rotations)


def test_characters_have_files_of_their_own(speech: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "crowd.kin")
    arguments = ["live", str(speech), "--fast", "--to", out, "--fps", "20", "--seconds", "0.5"]
    assert status([*arguments, "--characters", "2"]) == 0
    takes = [load(tmp_path / f"crowd-{k}.kin") for k in (1, 2)]
    assert not np.array_equal(takes[0].clip.rotations, takes[1].clip.rotations)


@pytest.mark.timing
def test_vmc_arrives_in_real_time(speech: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 21)
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(0.5)
        port = receiver.getsockname()[1]
        begun = time.monotonic()
        to = f"vmc://127.0.0.1:{port}"
        assert status(["live", str(speech), "--to", to, "--seconds", "0.5", "--fps", "30"]) == 0
        assert time.monotonic() - begun > 0.45
        messages = []
        while True:
            try:
                messages += messages_in(receiver.recv(65536))
            except TimeoutError:
                break
    times = [float(m.arguments[0]) for m in messages if m.address == "/VMC/Ext/T"]
    assert times[0] == 0.0
    assert times[-1] == pytest.approx(0.5, abs=1e-6)
    assert np.all(np.diff(times) > 0.0)
    names = {m.arguments[0] for m in messages if m.address == "/VMC/Ext/Bone/Pos"}
    assert len(names) == 55


WORDS = """start,end,word
0.9,1.0,an
1.0,1.4,enormous
1.4,1.7,one
"""


def test_words_get_gestures(
    speech: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As `listen` does with the same words, while they are said and not before."""
    path = tmp_path / "talk.csv"
    path.write_text(WORDS, encoding="utf-8")
    fast = ["live", str(speech), "--fast", "--fps", "30", "--word-gestures", "1"]
    for name, more in {"plain": [], "said": ["--words", str(path)]}.items():
        assert status([*fast, "--to", str(tmp_path / f"{name}.kin"), *more]) == 0
    assert "61 frames, 3 words; " in capsys.readouterr().out
    plain, said = (load(tmp_path / f"{name}.kin").clip for name in ("plain", "said"))
    frames = np.flatnonzero(np.any(plain.rotations != said.rotations, axis=(1, 2)))
    assert 5 < frames[0] < 30 < 42 < frames[-1]
    listened = moved_to_words(speech, read_words(path))
    assert [i.label for i in listened.gestures] == ["BigSpan"]
    assert said.rotations == pytest.approx(listened.clip.rotations, abs=1e-6)


def moved_to_words(speech: Path, words: Sequence[SaidWord]) -> VoiceMotion:
    """What `listen` makes of a recording and words, with the delay of `live`."""
    recording = read_audio(speech)
    return move_by_voice(
        model("house"),
        Speech(recording.samples, recording.rate_hz),
        LiveOptions(word_gestures=1.0),
        fps=30.0,
        seed=0,
        words=[word for word, _ in words],
        profile=speaker("neutral"),
    )


def test_words_come_through_a_pipe_and_bad_ones_are_told(
    speech: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = tmp_path / "lines"
    lines.write_text('{"word": "enormous", "start": 1.0, "end": 1.4}\nnonsense\n')
    arguments = [str(speech), "--fast", "--fps", "20", "--to", str(tmp_path / "a.kin")]
    with lines.open() as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert status(["live", *arguments, "--words", "-", "--tension", "tense"]) == 0
    _, first, second = capsys.readouterr().out.splitlines()
    assert "frames, 1 words; " in first
    assert second.startswith("1 invalid lines of words: line 2 is not JSON")


def test_phrases_are_spotted(
    speech: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "a.kin")
    fast = ["live", str(speech), "--fast", "--fps", "20", "--seconds", "0.5", "--to", out]
    assert status([*fast, "--keywords"]) == 0
    assert status([*fast, "--keywords", "Ladies and gentlemen=-30"]) == 0
    assert capsys.readouterr().out.count("11 frames; ") == 2


BAD_WORDS = {
    "bad.jsonl": '{"word": "a", "start": 1, "end": 2}\n{"word": "b"}\n',
    "bad.csv": "1,2,a\n2,1,b\n",
    "bad.TextGrid": "nothing",
    "bad.txt": "hello",
}


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--words", "no.csv"], "no.csv: no such file"),
        (["--words", "bad.jsonl"], "bad.jsonl: line 2: has no 'start'"),
        (["--words", "bad.csv"], "bad.csv: line 2: has 'b' from 2 to 1 s"),
        (["--words", "bad.TextGrid"], "bad.TextGrid: line 1: is not a TextGrid"),
        (["--words", "bad.txt"], "bad.txt: has the suffix '.txt', readable are .jsonl"),
        (["--words", "udp://"], "udp://: allowed is udp://HOST:PORT"),
        (["--words", "udp://999.1.1.1:5"], "udp://999.1.1.1:5: "),
        (["--style", "nobody"], "style 'nobody' is not known"),
        (["--word-gestures", "3"], "word_gestures is 3, allowed is 0 to 1"),
        (["--keywords", "huge=-20"], "phrase 'huge' has 1 syllable, needed are 3 or more"),
        (["--keywords", "what a long day"], "no threshold is known for 'what a long day'"),
        (["--keywords", "", "--words", "bad.csv"], "give --words or --keywords, not both"),
        (["--keywords", "bad.csv"], "--keywords takes bad.csv for a phrase"),
    ],
)
def test_bad_words_end_in_one_line(
    arguments: list[str], reason: str, speech: Path, refused: Refused
) -> None:
    for name, text in BAD_WORDS.items():
        Path(name).write_text(text, encoding="utf-8")
    assert reason in refused(["live", str(speech), "--to", "a.kin", *arguments])


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["-", "--to", "a.kin", "--words", "-"], "both audio and words from -"),
        (["no.wav", "--to", "a.kin"], "no.wav: no such file"),
        (["a.wav"], "standard output is no terminal: give --to"),
        (["a.wav", "--to", "terminal"], "--to terminal, but standard output is no terminal"),
        (["a.wav", "--to", "a.xyz"], "cannot write '.xyz'"),
        (["a.wav", "--to", "vmc://a:b"], "allowed is vmc://HOST:PORT"),
        (["mic", "a.wav", "--to", "a.kin"], "allowed is mic, - or recordings"),
        (["a.wav", "--to", "a.kin", "--amount", "7"], "amount is 7, allowed is 0 to 1.5"),
        (["a.wav", "--to", "a.kin", "--tension", "wet"], "tension 'wet' is unknown"),
        (["a.wav", "--to", "a.kin", "--fps", "0"], "fps is 0"),
        (["a.wav", "--to", "a.kin", "--rate", "1"], "rate is 1 Hz"),
        (["a.wav", "--to", "a.kin", "--seconds", "0"], "0 seconds"),
        (["a.wav", "--to", "a.kin", "--model", "no.kin"], "no.kin: no such file"),
        (["a.wav", "--to", "a.kin", "--speaker", "nobody"], "nobody"),
        (["a.wav", "--to", "a.kin", "--characters", "0"], "characters"),
        (["a.wav", "--to", "a.kin", "--characters", "100000000"], "allowed are 1 to 1000"),
        (["a.wav", "--to", "a.kin", "--seed", "9" * 30], "allowed is 0 to 9223372036854775807"),
    ],
)
def test_bad_input_ends_in_one_line(arguments: list[str], reason: str, refused: Refused) -> None:
    assert reason in refused(["live", *arguments])


def test_the_microphones_are_listed_or_it_is_told_why_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = status(["live", "--list-devices"])
    captured = capsys.readouterr()
    assert code in (0, 2)
    assert (captured.out + captured.err).strip()


def test_ctrl_c_ends_a_pipe_well_and_the_file_is_written(speech: Path, tmp_path: Path) -> None:
    """The sender falls silent without ending: frames go on, then Ctrl-C."""
    out = tmp_path / "pipe.kin"
    samples, _ = soundfile.read(speech, dtype="int16")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(60.0)
        to = f"vmc://127.0.0.1:{receiver.getsockname()[1]}"
        child = subprocess.Popen(
            [*PROGRAM, "-", "--to", str(out), "--to", to, "--fps", "20"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert child.stdin is not None
        child.stdin.write(samples[:8000].tobytes())
        child.stdin.flush()
        shown_s = 0.0
        while shown_s < 0.8:
            for message in messages_in(receiver.recv(65536)):
                if message.address == "/VMC/Ext/T":
                    shown_s = float(message.arguments[0])
    child.send_signal(signal.SIGINT)
    printed, errors = child.communicate(timeout=60)
    assert (child.returncode, errors) == (0, b"")
    assert b"pipe.kin: " in printed
    take = load(out)
    assert take.audio is not None
    assert len(take.audio.samples) >= 0.8 * 16_000
    assert take.audio.samples[:8000] == pytest.approx(samples[:8000] / 32768, abs=1e-3)


def test_the_screen_tells_its_address(speech: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["live", str(speech), "--to", "screen", "--seconds", "0.2", "--fps", "20"]) == 0
    assert "the character is at http://127.0.0.1:" in capsys.readouterr().err
