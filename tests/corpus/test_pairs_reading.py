"""Reading pairs: what is cut, what is refused, and what a report says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from kinesphere.corpus.pairs import body_reading as pair_body
from kinesphere.corpus.pairs.pairs import Pair, find_pairs
from kinesphere.corpus.pairs.recordings import (
    BrokenPair,
    PairSettings,
    RecordedPair,
    read_pair,
    read_pairs,
)
from kinesphere.corpus.pairs.refusals import why_unusable
from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.formats.bvh import bvh_document as bvh
from kinesphere.formats.registry import write_take
from kinesphere.motion.retargeting import canonical_pose
from kinesphere.motion.take import Take
from tests.corpus.pair_corpora import RATE_HZ, Corpus, moving, spoken, turns_of_speech
from tests.pipeline.talking import talking, write_pair

QUICK = PairSettings(estimate=False)


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    made = Corpus(tmp_path, duration_s=2.0)
    made.motion("x.bvh")
    made.sound("x.wav")
    made.words("x.TextGrid")
    return made


def only(corpus: Corpus) -> Pair:
    (pair,) = find_pairs(corpus.folder).pairs
    return pair


def test_a_given_start_cuts_what_comes_before_it(corpus: Corpus) -> None:
    whole = read_pair(only(corpus), QUICK)
    later = read_pair(only(corpus), replace(QUICK, offset=0.6))
    assert np.array_equal(later.clip.rotations, whole.clip.rotations[: len(later.clip)])
    assert np.array_equal(later.speech.samples, whole.speech.samples[round(0.6 * RATE_HZ) :])
    assert later.words is not None
    assert [(w.label, round(w.start_s, 6)) for w in later.words] == [("two", 0.4)]
    sooner = read_pair(only(corpus), replace(QUICK, offset=-0.7))
    assert np.array_equal(sooner.clip.rotations, whole.clip.rotations[21:])
    assert np.array_equal(sooner.speech.samples, whole.speech.samples[: len(sooner.speech.samples)])
    assert sooner.words is not None
    assert [w.start_s for w in sooner.words] == [0.5]  # the other is cut off by the end
    for read, seconds in ((later, 1.4), (sooner, 1.3)):
        assert abs(len(read.clip) / 30.0 - len(read.speech.samples) / RATE_HZ) < 1.0 / 30.0
        assert abs(read.duration_s - seconds) < 0.02
    with pytest.raises(UnreadableError, match="shares no time"):
        read_pair(only(corpus), replace(QUICK, offset=5.0))


@pytest.mark.parametrize(("fps", "wanted"), [(120.0, 30.0), (60.0, 30.0), (25.0, 25.0)])
def test_rates(fps: float, wanted: float, tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, duration_s=1.0)
    corpus.motion("x.bvh", fps=fps)
    corpus.sound("x.wav")
    read = read_pair(only(corpus), QUICK)
    assert read.clip.fps == pytest.approx(wanted)
    assert read.facts.fps == pytest.approx(fps)
    kept = read_pair(only(corpus), replace(QUICK, fps=None))
    assert kept.clip.fps == pytest.approx(fps)
    every = round(kept.clip.fps / read.clip.fps)
    assert np.allclose(kept.clip.rotations[::every], read.clip.rotations, atol=1e-9)


def test_blocks_are_as_the_whole(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = read_pair(only(corpus), QUICK)
    monkeypatch.setattr(pair_body, "_BLOCK_FRAMES", 7)
    assert read_pair(only(corpus), QUICK).clip == whole.clip


def test_a_skeleton_met_before_is_not_worked_out_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = Corpus(tmp_path, duration_s=1.0)
    for name in ("x", "y"):
        corpus.motion(f"{name}.bvh")
        corpus.sound(f"{name}.wav")
    first, second = find_pairs(tmp_path).pairs
    read_pair(first, QUICK)

    def again(*_: object) -> None:
        raise AssertionError("worked out again")

    monkeypatch.setattr(canonical_pose, "canonical_pose", again)
    monkeypatch.setattr(bvh, "_Hierarchy", again)
    read = read_pair(second, QUICK)
    assert np.allclose(read.clip.rotations, corpus.clips["y"].rotations, atol=0.01)


def test_sound_of_other_rates_and_formats(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, duration_s=2.0)
    corpus.motion("x.bvh")
    times = np.arange(2 * 44_100) / 44_100
    tone = 0.3 * np.sin(2.0 * np.pi * 220.0 * times)
    for ending in (".flac", ".mp3", ".ogg"):
        path = tmp_path / f"x{ending}"
        soundfile.write(path, np.stack([tone, tone], axis=1), 44_100)
        read = read_pair(only(corpus), QUICK)
        assert (read.facts.audio_hz, read.speech.rate_hz) == (44_100, 16_000)
        middle = read.speech.samples[8_000:24_000]
        spectrum = np.abs(np.fft.rfft(middle * np.hanning(len(middle))))
        assert np.argmax(spectrum) == pytest.approx(220, abs=1)
        path.unlink()


def test_different_lengths(tmp_path: Path, rng: np.random.Generator) -> None:
    corpus = Corpus(tmp_path, duration_s=2.0)
    corpus.motion("x.bvh")

    def sound(seconds: float) -> RecordedPair:
        soundfile.write(tmp_path / "x.wav", spoken([(0.0, 99.0)], seconds, rng), RATE_HZ)
        return read_pair(only(corpus), QUICK)

    near, far = sound(2.3), sound(3.0)
    for read in (near, far, sound(1.5)):
        assert abs(len(read.clip) / 30.0 - len(read.speech.samples) / RATE_HZ) < 1.0 / 30.0
    assert not any("cut" in note for note in near.notes)
    assert any("motion is 2.0 s long, audio 3.0 s" in note for note in far.notes)
    with pytest.raises(
        UnreadableError, match=r"x\.bvh: motion is 2\.00 s .*differ by 2\.50 s, allowed is 50%"
    ):
        sound(4.5)
    anyhow = read_pair(only(corpus), replace(QUICK, any_length=True))
    assert anyhow.duration_s == pytest.approx(2.0, abs=0.02)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])


def _one_frame(path: Path) -> None:
    write_take(Take(moving([], 0.0334, 30.0, np.random.default_rng(0))), path)


def _no_body(path: Path) -> None:
    path.write_text(
        "HIERARCHY\nROOT box\n{\n OFFSET 0 0 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation "
        "Xrotation Yrotation\n End Site\n {\n  OFFSET 0 1 0\n }\n}\nMOTION\nFrames: 2\n"
        "Frame Time: 0.033\n0 0 0 0 0 0\n0 0 0 0 0 1\n"
    )


BREAKS: dict[str, tuple[str, Callable[[Path], object], str]] = {
    "cut motion": ("x.bvh", _cut, "frame|line|end"),
    "no motion": ("x.bvh", lambda p: p.write_bytes(b""), "is empty"),
    "one frame": ("x.bvh", _one_frame, "single frame"),
    "no body": ("x.bvh", _no_body, "no humanoid"),
    "text": ("x.bvh", lambda p: p.write_text("hello"), "HIERARCHY"),
    "no sound": ("x.wav", lambda p: p.write_bytes(b""), "is empty"),
    "empty sound": ("x.wav", lambda p: soundfile.write(p, np.zeros(0), RATE_HZ), "length is 0"),
    "not sound": ("x.wav", lambda p: p.write_text("hello" * 20), "not audio"),
    "gone": ("x.wav", lambda p: p.unlink(), "no such file"),
}


@pytest.mark.parametrize("name", BREAKS)
def test_broken_pairs_are_one_line(name: str, corpus: Corpus) -> None:
    file, damage, reason = BREAKS[name]
    pair = only(corpus)
    damage(corpus.folder / file)
    with pytest.raises(UnreadableError, match=reason) as error:
        read_pair(pair, QUICK)
    line = str(error.value)
    assert str(corpus.folder / file) in line
    assert "\n" not in line
    (skipped,) = read_pairs([pair], QUICK, broken="skip")
    assert skipped == BrokenPair("x", line)
    with pytest.raises(UnreadableError):
        list(read_pairs([pair], QUICK))


def test_motion_that_is_not_a_number(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, duration_s=0.5)
    corpus.sound("x.wav")
    poses = np.zeros((15, 165))
    poses[3, 7] = np.nan
    np.savez(tmp_path / "x.npz", poses=poses, trans=np.zeros((15, 3)))
    with pytest.raises(UnreadableError, match=r"x\.npz: .*not finite"):
        read_pair(only(corpus), QUICK)


def test_silence_is_read(corpus: Corpus) -> None:
    soundfile.write(corpus.folder / "x.wav", np.zeros(2 * RATE_HZ), RATE_HZ)
    read = read_pair(only(corpus))
    assert not read.speech.samples.any()
    assert read.facts.offset is not None
    assert read.facts.offset.confidence == 0.0


def test_lengths_that_differ_by_just_as_much_as_allowed(corpus: Corpus) -> None:
    for seconds in (0.99, 1.0, 4.0, 4.01):
        soundfile.write(corpus.folder / "x.wav", np.zeros(round(seconds * RATE_HZ)), RATE_HZ)
        read_pair(only(corpus), QUICK)


def test_sound_that_is_cut_off_is_told(corpus: Corpus) -> None:
    path = corpus.folder / "x.wav"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * 3 // 4])
    assert "x: the file is cut off: " in find_pairs(corpus.folder).report(None, QUICK).text()
    path.write_bytes(whole[: len(whole) // 3])  # explains why the lengths differ
    with pytest.raises(UnreadableError, match=r"audio 0\.67 s \(the file is cut off: .*\): they"):
        read_pair(only(corpus), QUICK)


@pytest.mark.parametrize("level", [0.0, 0.1])
def test_sound_without_a_syllable_is_told(level: float, tmp_path: Path) -> None:
    for name in ("speech", "silent"):
        write_pair(tmp_path, name, talking(4.0))
    noise = level * np.random.default_rng(0).normal(size=4 * RATE_HZ)
    soundfile.write(tmp_path / "silent.wav", noise, RATE_HZ)
    report = find_pairs(tmp_path).report(None, QUICK)
    assert [facts.silent for facts in report.readable] == [True, False]
    lines = report.text().splitlines()
    assert "silent: no syllable is heard" in lines
    assert lines[1] == "pairs: 2, 2 readable, 0.1 minutes"
    assert why_unusable(report) == ""
    assert report.facts[0].syllables == 0


def test_a_start_that_is_doubtful_is_told(tmp_path: Path, rng: np.random.Generator) -> None:
    turns = turns_of_speech(rng, 60.0)
    write_take(Take(moving(turns, 57.0, 30.0, rng, start_s=2.5)), tmp_path / "x.bvh")
    soundfile.write(tmp_path / "x.wav", spoken(turns, 60.0, rng), RATE_HZ)
    (facts,) = find_pairs(tmp_path).report().readable
    assert facts.apart_s == pytest.approx(2.5, abs=0.3)
    text = find_pairs(tmp_path).report().text()
    assert "x: the motion seems to start +2." in text
    assert "is taken to start at +0.00 s; --offset auto" in text
    for offset in (2.5, "auto"):
        settings = PairSettings(offset=offset)  # type: ignore[arg-type]
        (facts,) = find_pairs(tmp_path).report(None, settings).readable
        assert facts.apart_s == 0.0
        assert not any("seems to start" in note for note in facts.notes)


def test_words_that_cannot_be_read_are_noted(corpus: Corpus) -> None:
    (corpus.folder / "x.TextGrid").write_text("nothing")
    read = read_pair(only(corpus), QUICK)
    assert read.words is None
    assert any("words are ignored" in note and "x.TextGrid" in note for note in read.notes)


def test_a_calibration_pose_does_not_shift_the_motion(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, duration_s=2.0)
    clip = corpus.motion("x.bvh")
    corpus.sound("x.wav")
    plain = read_pair(only(corpus), QUICK)
    rotations = clip.rotations.copy()
    rotations[0] = [1.0, 0.0, 0.0, 0.0]
    write_take(Take(replace(clip, rotations=rotations)), tmp_path / "x.bvh")
    read = read_pair(only(corpus), QUICK)
    assert np.allclose(read.clip.rotations[1:], plain.clip.rotations[1:])
    assert np.allclose(read.clip.rotations[0], plain.clip.rotations[1])


def test_reports(corpus: Corpus) -> None:
    corpus.motion("y.bvh", fps=60.0)
    corpus.sound("y.wav")
    corpus.motion("z.bvh")
    corpus.sound("z.wav")
    _cut(corpus.folder / "z.bvh")
    corpus.sound("alone.wav")
    pairing = find_pairs(corpus.folder)
    report = pairing.report()
    text = report.text()
    assert "pairs: 3, 2 readable" in text
    assert "audio without motion: 1" in text
    assert "cannot be read: 1" in text
    assert str(corpus.folder / "z.bvh") in text
    row = next(line for line in text.splitlines() if line.startswith("y "))
    assert [cell for cell in row.split() if cell in ("60", "16000")] == ["60", "16000"]
    first = report.facts[0]
    assert first.name == "x"
    assert first.motion_s == pytest.approx(2.0)
    assert first.words == 2
    assert first.offset is not None
    assert first.offset.confidence == 0.0
    assert len(report.problems) == 1
    # Facts of pairs that were read already make the same report.
    read = [r for r in read_pairs(pairing.pairs, broken="skip") if isinstance(r, RecordedPair)]
    again = pairing.report([r.facts.with_syllables(0) for r in read])  # noise has no syllables
    assert again.readable == report.readable


def test_settings_are_checked() -> None:
    with pytest.raises(InvalidValueError, match="fps is 0"):
        PairSettings(fps=0.0)
    with pytest.raises(InvalidValueError, match="allowed are auto"):
        PairSettings(offset="guess")  # type: ignore[arg-type]
    with pytest.raises(InvalidValueError, match="offset is nan"):
        PairSettings(offset=float("nan"))
    with pytest.raises(InvalidValueError, match="largest_offset_s"):
        PairSettings(largest_offset_s=0.0)
    with pytest.raises(InvalidValueError, match="allowed are stop, skip"):
        list(read_pairs([], broken="ignore"))  # type: ignore[arg-type]
