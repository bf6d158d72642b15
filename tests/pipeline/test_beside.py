"""What belongs beside a file: sound that the format cannot hold, for Python and commands alike."""

from __future__ import annotations

import wave
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

import kinesphere as ks
from kinesphere.cli.main import status
from kinesphere.export.sound_beside import loss_messages, sound_beside
from kinesphere.formats.wav import wav_bytes
from kinesphere.speech.audio import read_audio
from tests.speech.voices import babble

RATE_HZ = 16_000
SOUND = ks.Audio(babble(2.0, RATE_HZ, 3), RATE_HZ)


@pytest.fixture(scope="module")
def take() -> ks.Take:
    still = ks.idle(2.0, seed=1)
    clip = replace(still.clip, channels={"jaw": np.linspace(0.0, 1.0, len(still.clip))})
    return replace(still, clip=clip, audio=SOUND)


@pytest.mark.parametrize("ending", [".glb", ".bvh", ".vrma"])
def test_a_file_that_holds_no_sound_has_it_beside_it(
    take: ks.Take, ending: str, tmp_path: Path
) -> None:
    path = tmp_path / f"x{ending}"
    take.save(path)
    assert sound_beside(path) == tmp_path / "x.wav"
    there = read_audio(tmp_path / "x.wav")
    assert there.samples == pytest.approx(np.clip(SOUND.samples, -1, 1), abs=1e-4)
    take.save(tmp_path / "y.kin")
    assert sound_beside(tmp_path / "y.kin") is None


def test_evaluate_has_the_timing_of_a_saved_glb(take: ks.Take, tmp_path: Path) -> None:
    take.save(tmp_path / "x.glb")
    take.save(tmp_path / "x.kin")
    of_glb, of_kin = (ks.evaluate(tmp_path / f"x{e}").document() for e in (".glb", ".kin"))
    assert of_glb["timing"]
    assert of_glb["timing"].keys() == of_kin["timing"].keys()


def test_somebody_elses_recording_is_never_written_over(take: ks.Take, tmp_path: Path) -> None:
    other = tmp_path / "x.wav"
    soundfile.write(other, np.zeros(100), 8_000)
    before = other.read_bytes()
    take.save(tmp_path / "x.glb")
    assert other.read_bytes() == before
    assert sound_beside(tmp_path / "x.glb") == tmp_path / "x.voice.wav"
    assert len(read_audio(tmp_path / "x.voice.wav").samples) == len(SOUND.samples)


def test_the_same_sound_stays_and_an_older_voice_is_replaced(take: ks.Take, tmp_path: Path) -> None:
    own = tmp_path / "x.wav"
    soundfile.write(own, np.stack([SOUND.samples, SOUND.samples], axis=1), RATE_HZ)
    before = own.read_bytes()
    longer = ks.Audio(np.append(SOUND.samples, np.zeros(4000)), RATE_HZ)
    replace(take, audio=longer).save(tmp_path / "x.bvh")
    assert own.read_bytes() == before
    assert not (tmp_path / "x.voice.wav").exists()
    for level in (0.1, 0.2):
        replace(take, audio=ks.Audio(np.full(4000, level), RATE_HZ)).save(tmp_path / "y.bvh")
    assert read_audio(tmp_path / "y.wav").samples[0] == pytest.approx(0.2, abs=1e-4)


def test_wav_files_are_read_by_others(tmp_path: Path) -> None:
    (tmp_path / "x.wav").write_bytes(wav_bytes(SOUND))
    with wave.open(str(tmp_path / "x.wav")) as file:
        assert (file.getnchannels(), file.getframerate()) == (1, RATE_HZ)
        assert file.getnframes() == len(SOUND.samples)
    assert soundfile.read(tmp_path / "x.wav")[0] == pytest.approx(
        np.clip(SOUND.samples, -1, 1), abs=1e-4
    )


def test_commands_say_where_the_sound_is_and_what_is_lost(
    take: ks.Take, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    take.save(tmp_path / "x.kin")
    assert status(["convert", str(tmp_path / "x.kin"), str(tmp_path / "z.bvh")]) == 0
    told = capsys.readouterr()
    assert told.out.splitlines() == [
        f"{tmp_path / 'z.bvh'}: {len(take.clip)} frames, 55 joints, 2.00 s at 60 fps",
        f"{tmp_path / 'z.wav'}: the voice",
    ]
    assert "note: " in told.err
    assert "BVH holds no face" in told.err
    assert "such as" in told.err


def test_a_face_is_lost_only_where_there_is_one_and_no_room_for_it(take: ks.Take) -> None:
    assert loss_messages(take, "x.bvh")
    assert not loss_messages(take, "x.glb")
    assert not loss_messages(replace(take, clip=replace(take.clip, channels={})), "x.bvh")
