"""``kinesphere listen``: what it says of its input, and refuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

import kinesphere as ks
from kinesphere.bodylanguage.streams import STREAMS
from kinesphere.cli.main import status
from kinesphere.motion.clip import rest_clip
from kinesphere.pipeline.convert import load
from kinesphere.pipeline.listen import listen
from kinesphere.pipeline.models import model
from tests.cli.conftest import Refused


def hum(path: Path, seconds: float = 1.0) -> Path:
    t = np.arange(round(16_000 * seconds)) / 16_000
    soundfile.write(path, 0.3 * np.sin(880.0 * t) * np.sin(9.0 * t), 16_000)
    return path


def test_a_recording_that_is_cut_off_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = hum(tmp_path / "a.wav").read_bytes()
    cut = tmp_path / "cut.wav"
    cut.write_bytes(whole[: len(whole) // 2])
    assert status(["listen", str(cut), "-o", str(tmp_path / "a.kin")]) == 0
    assert capsys.readouterr().err == "note: the file is cut off: its end is missing\n"


def test_a_sound_shorter_than_a_frame_gives_one_frame(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "one.wav", np.zeros(1), 16_000)
    out = tmp_path / "x.kin"
    assert status(["listen", str(tmp_path / "one.wav"), "-o", str(out)]) == 0
    take = load(out)
    assert len(take.clip) == 1
    assert not any(take.tier(name) for name in STREAMS)


@pytest.mark.parametrize("missing", STREAMS)
def test_a_model_may_lack_a_stream(missing: str, tmp_path: Path) -> None:
    known = model("house")
    streams = {name: stream for name, stream in known.streams.items() if name != missing}
    take = listen(hum(tmp_path / "a.wav"), replace(known, streams=streams), fps=20.0)
    assert {t.name for t in take.tiers} & set(STREAMS) == set(streams)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no.wav"], "no.wav: no such file"),
        (["a.wav", "--seed", "9" * 30], "allowed is 0 to 9223372036854775807"),
        (["a.wav", "--style", "nobody"], "style 'nobody' is not known"),
        (["a.wav", "--parts", "arms"], "give --onto MOTION"),
        (
            ["a.wav", "--onto", "table.glb"],
            "kinesphere: table.glb: is not a humanoid: no joint for hips",
        ),
        (["a.wav", "--onto", "b.bvh", "--parts", ","], "allowed are arms, head, torso, face"),
        (["a.wav", "--onto", "b.bvh", "--parts", "legs"], "allowed are arms, head, torso, face"),
    ],
)
def test_mistakes_are_one_line(
    arguments: list[str], said: str, tmp_path: Path, refused: Refused
) -> None:
    hum(tmp_path / "a.wav")
    box = ks.Skeleton(("lid", "leg"), np.array([-1, 0]), np.zeros((2, 3)))
    ks.Take(rest_clip(box, 90, 30.0)).save(tmp_path / "table.glb")
    if "b.bvh" in arguments:
        assert status(["listen", "a.wav", "-o", "b.bvh"]) == 0
    assert said in refused(["listen", *arguments, "-o", "x.kin"])


def test_files_without_sound_get_the_voice_beside_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sound = hum(tmp_path / "a.wav", 0.5)
    for name in ("x.bvh", "y.kin"):
        options = ["--fps", "20", "--tail", "0", "-o", str(tmp_path / name)]
        assert status(["listen", str(sound), *options]) == 0
    beside = tmp_path / "x.wav"
    assert capsys.readouterr().out.splitlines()[1] == f"{beside}: the voice"
    assert not (tmp_path / "y.wav").exists()
    assert soundfile.read(beside)[0] == pytest.approx(soundfile.read(sound)[0], abs=1e-4)


def test_the_recording_itself_is_never_written_over(tmp_path: Path) -> None:
    sound = tmp_path / "a.wav"
    soundfile.write(sound, np.random.default_rng(1).uniform(-0.3, 0.3, (8000, 2)), 16_000)
    before = sound.read_bytes()
    assert status(["listen", str(sound), "--fps", "20", "-o", str(tmp_path / "a.bvh")]) == 0
    assert sound.read_bytes() == before


def test_the_help_does_not_promise_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["listen", "--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "learned from people" not in text
    assert "holds no recording of a person" in text


def test_progress_is_told(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    sound = hum(tmp_path / "a.wav", 3.0)
    listen(sound, tail_s=0.0, progress=lambda done, of: told.append((done, of)))
    assert told == sorted(set(told))
    assert told[-1] == (48_000, 48_000)


SAID = [(0.4, 0.9, "never"), (1.5, 2.0, "huge")]
TIMED = {
    "a.TextGrid": 'File type = "ooTextFile"\nObject class = "TextGrid"\n0\n3\n<exists>\n1\n'
    '"IntervalTier"\n"words"\n0\n3\n2\n0.4\n0.9\n"never"\n1.5\n2.0\n"huge"\n',
    "a.vtt": "WEBVTT\n\n00:00:00.400 --> 00:00:00.900\nnever\n\n00:00:01.500 --> 00:00:02.000\nhuge\n",
    "a.srt": "1\n00:00:00,400 --> 00:00:00,900\nnever\n\n2\n00:00:01,500 --> 00:00:02,000\nhuge\n",
    "a.json": '{"words": [{"word": "never", "start": 0.4, "end": 0.9}, '
    '{"word": "huge", "start": 1.5, "end": 2.0}]}',
    "a.csv": "start,end,word\n0.4,0.9,never\n1.5,2.0,huge\n",
    "a.tsv": "start\tend\tword\n0.4\t0.9\tnever\n1.5\t2.0\thuge\n",
    "a.eaf": '<ANNOTATION_DOCUMENT><TIME_ORDER><TIME_SLOT TIME_SLOT_ID="t1" TIME_VALUE="400"/>'
    '<TIME_SLOT TIME_SLOT_ID="t2" TIME_VALUE="900"/><TIME_SLOT TIME_SLOT_ID="t3" '
    'TIME_VALUE="1500"/><TIME_SLOT TIME_SLOT_ID="t4" TIME_VALUE="2000"/></TIME_ORDER>'
    '<TIER TIER_ID="words" LINGUISTIC_TYPE_REF="w"><ANNOTATION><ALIGNABLE_ANNOTATION '
    'ANNOTATION_ID="a1" TIME_SLOT_REF1="t1" TIME_SLOT_REF2="t2"><ANNOTATION_VALUE>never'
    "</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION><ANNOTATION><ALIGNABLE_ANNOTATION "
    'ANNOTATION_ID="a2" TIME_SLOT_REF1="t3" TIME_SLOT_REF2="t4"><ANNOTATION_VALUE>huge'
    "</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER><LINGUISTIC_TYPE "
    'LINGUISTIC_TYPE_ID="w" TIME_ALIGNABLE="true"/></ANNOTATION_DOCUMENT>',
}


@pytest.mark.parametrize("name", TIMED)
def test_words_with_times_are_taken_as_they_are(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(TIMED[name])
    out, sound = tmp_path / "x.kin", hum(tmp_path / "talk.wav", 3.0)
    said = ["--transcript", str(tmp_path / name), "--word-gestures", "1", "--fps", "20"]
    assert status(["listen", str(sound), *said, "-o", str(out)]) == 0
    take = load(out)
    words = take.tier("words")
    assert words is not None
    assert [(w.start_s, w.end_s, w.label) for w in words] == SAID
    assert take.tier("gestures")


def test_gestures_of_ones_own_change_what_is_moved(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[BigSpan]\nbase = "BigSpan"\nstroke_s = 1.2\n')
    (tmp_path / "a.csv").write_text("start,end,word\n1.5,2.0,huge\n")
    sound = hum(tmp_path / "talk.wav", 3.0)
    said = ["--transcript", str(tmp_path / "a.csv"), "--word-gestures", "1", "--fps", "20"]
    takes = []
    for extra in (["--lexemes", str(own)], [], ["--lexemes", str(own)]):
        out = tmp_path / f"{len(takes)}.kin"
        assert status(["listen", str(sound), *said, *extra, "-o", str(out)]) == 0
        takes.append(load(out).clip.rotations)
    assert not np.array_equal(takes[0], takes[1])
    assert np.array_equal(takes[0], takes[2])


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.TextGrid", "nothing", "a.TextGrid: line 1: is not a TextGrid"),
        ("a.csv", "8.0,9.0,late\n", "a.csv: has no word within the recording"),
        ("a.csv", "0.1,0.9,one\n0.5,0.8,two\n", "a.csv: "),
        ("a.txt", "never <huge", "a.txt: line 1, column 7: "),
        ("a.txt", " ...\n", "a.txt: contains no word"),
        ("a.txt", "many words are never said in so short a time " * 9, "a.txt: the text is too"),
        ("gone.TextGrid", None, "gone.TextGrid: the file does not exist"),
    ],
)
def test_mistakes_of_transcripts_name_the_file(
    name: str,
    text: str | None,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    if text is not None:
        (tmp_path / name).write_text(text)
    sound = hum(tmp_path / "talk.wav")
    assert status(["listen", str(sound), "--transcript", name, "-o", "x.kin"]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"kinesphere: {said}")
    assert error.count("\n") == 1
