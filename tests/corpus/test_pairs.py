"""Finding motion and sound that belong together."""

from __future__ import annotations

import shutil
import sys
import unicodedata
from dataclasses import replace
from pathlib import Path, PurePosixPath

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.corpus.pairs.layouts import LAYOUTS as KNOWN
from kinesphere.corpus.pairs.layouts import layout_of
from kinesphere.corpus.pairs.matching import match_files
from kinesphere.corpus.pairs.pairs import Pairing, find_pairs
from kinesphere.corpus.pairs.recordings import PairSettings, read_pair
from kinesphere.corpus.pairs.sources import CorpusFile, local_copy, sources_of
from kinesphere.errors import InvalidValueError, KinesphereError, UnreadableError
from kinesphere.maths import quaternion
from tests.corpus.pair_corpora import LAYOUTS, RIG, Corpus, beat, genea, trinity, zeggs

QUICK = PairSettings(estimate=False)

_PARTS = st.sampled_from(["a", "b", "bvh", "wav", "Motion", "session1", "take2"])
_NAMES = st.sampled_from(
    [
        "x",
        "X",
        "x_motion",
        "x_audio",
        "1_wayne_0_1_1",
        "067_Speech_2_x_1_0",
        "067_Speech_2_mirror_x_1_0",
        "NaturalTalking_001",
        "NaturalTalking_01",
        "take2_deep5_x",
    ]
)
_ENDINGS = st.sampled_from([".bvh", ".npz", ".wav", ".flac", ".TextGrid", ".tsv", ".txt"])
_FILES = st.lists(st.tuples(st.lists(_PARTS, max_size=3), _NAMES, _ENDINGS), max_size=14)


def _sources(files: list[tuple[list[str], str, str]]) -> list[CorpusFile]:
    paths = {PurePosixPath(*parts, name + ending) for parts, name, ending in files}
    return [CorpusFile(str(path), path) for path in sorted(paths)]


@given(_FILES)
def test_every_file_is_in_one_place(files: list[tuple[list[str], str, str]]) -> None:
    sources = _sources(files)
    found = match_files(sources)
    motions = [pair.motion for pair in found.pairs] + list(found.motion_alone)
    motions += [address for unclear in found.ambiguous for address in unclear.motions]
    assert sorted(motions) == sorted(s.address for s in sources if s.ending in (".bvh", ".npz"))
    originals = [pair for pair in found.pairs if "mirror" not in pair.motion]
    sounds = [pair.audio for pair in originals] + list(found.sound_alone)
    sounds += [address for unclear in found.ambiguous for address in unclear.sounds]
    assert len(set(sounds)) == len(sounds)
    assert set(sounds) <= {s.address for s in sources if s.ending in (".wav", ".flac")}
    assert len({pair.name for pair in found.pairs}) == len(found.pairs)


@given(_FILES, st.randoms(use_true_random=False))
def test_order_does_not_matter(files, random) -> None:  # type: ignore[no-untyped-def]
    sources = _sources(files)
    shuffled = list(sources)
    random.shuffle(shuffled)
    once, again = match_files(sources), match_files(shuffled)
    assert {(p.motion, p.audio, p.words) for p in once.pairs} == {
        (p.motion, p.audio, p.words) for p in again.pairs
    }
    assert set(once.motion_alone) == set(again.motion_alone)


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts_end_to_end(name: str, tmp_path: Path) -> None:
    build, count, speakers, transcripts = LAYOUTS[name]
    corpus = Corpus(tmp_path)
    build(corpus)
    found = find_pairs([tmp_path])
    assert (found.layout, len(found)) == (name, count)
    assert {pair.speaker for pair in found.pairs} == speakers
    assert sum(pair.words is not None for pair in found.pairs) == transcripts
    assert found.motion_alone + found.sound_alone + found.ambiguous == ()
    for pair in found.pairs:
        read = read_pair(pair, QUICK)
        assert read.clip.skeleton == RIG.skeleton
        assert (read.clip.fps, read.speech.rate_hz) == (30.0, 16_000)
        assert abs(read.duration_s - corpus.duration_s) < 0.05
        assert {"arms", "head"} <= read.present
        assert read.speaker == pair.speaker
        if transcripts:
            assert read.words is not None
            assert [word.label for word in read.words] == ["one", "two"]
        if not pair.motion.endswith(".npz"):
            _same_motion(read.clip, corpus.clips[Path(pair.motion).stem])


def _same_motion(found, written) -> None:  # type: ignore[no-untyped-def]
    every = round(written.fps / found.fps)
    wanted = written.rotations[::every][: len(found)]
    # The hands are brought to their places anew, which costs the arms a little.
    off = quaternion.angle_between(found.rotations[: len(wanted)], wanted)
    assert np.degrees(off.max()) < 0.5


def test_mirrored_copies_share_their_originals_sound(tmp_path: Path) -> None:
    zeggs(Corpus(tmp_path))
    sound = {pair.name: pair.audio for pair in find_pairs(tmp_path).pairs}
    assert sound["067_Speech_2_mirror_x_1_0"] == sound["067_Speech_2_x_1_0"]
    (tmp_path / "clean" / "067_Speech_2_x_1_0.wav").unlink()
    assert len(find_pairs(tmp_path).motion_alone) == 2


def test_copies_wait_for_their_originals(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, duration_s=0.5)
    for stem in ("067_Speech_2_mirror_x_1_0", "067_Speech_2_x_1_0"):
        corpus.motion(f"bvh/{stem}.bvh")
    corpus.sound("audio/067_Speech_2.wav")
    found = find_pairs(tmp_path)
    assert len(found) == 2
    assert len({pair.audio for pair in found.pairs}) == 1


def test_a_mirrored_copy_with_its_own_sound_keeps_it(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    zeggs(corpus)
    corpus.sound("clean/067_Speech_2_mirror_x_1_0.wav")
    sounds = [pair.audio for pair in find_pairs(tmp_path).pairs]
    assert len(set(sounds)) == 3


def test_genea_warns_of_conversations_that_are_there_twice(tmp_path: Path) -> None:
    genea(Corpus(tmp_path))
    assert "twice" in find_pairs(tmp_path).notes[0]
    assert not find_pairs(tmp_path / "trn" / "main-agent").notes


def test_the_same_names_in_different_folders_stay_apart(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, duration_s=0.5)
    for who in ("anna", "ben"):
        corpus.motion(f"{who}/bvh/take1.bvh")
        corpus.sound(f"{who}/wav/take1.wav")
    found = find_pairs(tmp_path)
    assert [pair.name for pair in found.pairs] == ["anna/take1", "ben/take1"]
    for pair in found.pairs:
        assert pair.audio is not None
        assert Path(pair.motion).parts[-3] == Path(pair.audio).parts[-3]


def test_motion_and_sound_in_two_places(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, duration_s=0.5)
    corpus.motion("here/x.bvh")
    corpus.sound("there/x.wav")
    assert len(find_pairs([tmp_path / "here", str(tmp_path / "there")])) == 1
    assert len(find_pairs([tmp_path / "here/x.bvh", tmp_path / "there/x.wav"])) == 1
    # The same place given twice is one place.
    assert len(find_pairs([tmp_path, tmp_path])) == 1


@pytest.mark.parametrize("inner", [("", ""), ("bvh", "wav"), ("animations", "audio")])
@pytest.mark.parametrize("whole", [True, False])
def test_the_same_names_in_different_places_stay_apart(
    inner: tuple[str, str], whole: bool, tmp_path: Path
) -> None:
    corpus = Corpus(tmp_path, duration_s=0.5)
    for who in ("ben", "anna"):
        corpus.motion(f"{who}/{inner[0]}/000.bvh")
        corpus.sound(f"{who}/{inner[1]}/000.wav")
        corpus.words(f"{who}/{inner[1]}/000.TextGrid")
    folders = [""] if whole else inner
    found = find_pairs([tmp_path / who / folder for folder in folders for who in ("ben", "anna")])
    assert [(p.name, p.place) for p in found.pairs] == [("anna/000", "anna"), ("ben/000", "ben")]
    for pair in found.pairs:
        for file in (pair.motion, pair.audio, pair.words):
            assert Path(str(file)).relative_to(tmp_path).parts[0] == pair.place


def test_a_mirrored_copy_has_the_sound_of_its_own_place(tmp_path: Path) -> None:
    for who in ("anna", "ben"):
        zeggs(Corpus(tmp_path / who, duration_s=0.5))
    found = find_pairs([tmp_path / "anna", tmp_path / "ben"])
    assert len(found) == 6
    for pair in found.pairs:
        assert Path(str(pair.audio)).parent == Path(pair.motion).parent


def test_one_file_written_in_two_ways_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = Corpus(tmp_path, duration_s=0.5)
    corpus.motion("a/x.bvh")
    corpus.sound("a/x.wav")
    monkeypatch.chdir(tmp_path)
    assert len(find_pairs(["a", "./a", "a/x.bvh", tmp_path / "a"])) == 1


def test_folders_of_animations(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, duration_s=0.5)
    for part, folder in (("train", "animations"), ("test", "Anim"), ("more", "anims")):
        corpus.motion(f"{part}/{folder}/take0.bvh")
        corpus.sound(f"{part}/audio/take0.wav")
    names = [pair.name for pair in find_pairs(tmp_path).pairs]
    assert sorted(names) == ["more/take0", "test/take0", "train/take0"]


def test_accents_are_compared_however_they_are_stored(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, duration_s=0.5)
    apart, composed = (unicodedata.normalize(form, "Caf\u00e9") for form in ("NFD", "NFC"))
    corpus.motion(f"{apart}/bvh/{apart}.bvh")
    corpus.sound(f"{composed}/wav/{composed}.wav")
    corpus.motion(f"other/bvh/{apart}.bvh")
    corpus.sound(f"other/wav/{composed}.wav")
    found = find_pairs(tmp_path)
    assert {pair.name for pair in found.pairs} == {f"{composed}/{composed}", f"other/{composed}"}
    for pair in found.pairs:
        read_pair(pair, QUICK)  # under the names that the files have


def test_of_several_encodings_the_least_compressed_is_used(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, duration_s=0.5)
    for name in ("a.bvh", "b.bvh"):
        corpus.motion(name)
    for name in ("a.flac", "a.mp3", "a.wav", "b.ogg", "b.flac", "c.ogg", "c.wav"):
        corpus.sound(name)
    found = find_pairs(tmp_path)
    assert [Path(str(pair.audio)).name for pair in found.pairs] == ["a.wav", "b.flac"]
    assert [Path(address).name for address in found.sound_alone] == ["c.wav", "c.ogg"]
    (note,) = found.notes
    assert "a.wav and not a.flac, a.mp3; " in note
    assert note.endswith("b.flac and not b.ogg")


def test_the_same_name_in_two_folders_is_no_encoding(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, duration_s=0.5)
    corpus.motion("x.bvh")
    corpus.sound("a/x.wav")
    corpus.sound("b/x.flac")
    assert len(find_pairs(tmp_path).ambiguous[0].sounds) == 2


def test_unclear_names_are_not_guessed(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, duration_s=0.5)
    corpus.motion("x.bvh")
    corpus.motion("x.glb")
    corpus.sound("x.wav")
    found = find_pairs(tmp_path)
    assert not found.pairs
    assert len(found.ambiguous[0].motions) == 2
    assert "unclear" in found.report().text()


def test_what_has_no_partner(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, duration_s=0.5)
    corpus.motion("only_moves.bvh")
    corpus.sound("only_sounds.wav")
    (tmp_path / ".hidden.wav").write_bytes(b"")
    (tmp_path / "cut.kin").write_bytes(b"PK")
    found = find_pairs(tmp_path)
    assert [Path(address).name for address in found.sound_alone] == ["only_sounds.wav"]
    assert {Path(address).name for address in found.motion_alone} == {"cut.kin", "only_moves.bvh"}
    report = found.report()
    assert "motion without audio: 2" in report.text()
    assert report.pairing.layout == "none"


def test_layouts_by_name() -> None:
    names = {
        "BEAT": "x/1/1_wayne_0_1_1.bvh",
        "BEAT2": "smplxflame_30/12_zhao_2_103_110.npz",
        "ZeroEGGS": "bvh/065_Speech_0_mirror_x_1_0.bvh",
        "GENEA": "trn_2022_v1_000.bvh",
        "Talking With Hands": "session1/take14/right_take14_noFingers_shallow12_scale_local.bvh",
        "Trinity": "BVH/q_NaturalTalking_001__x2d.bvh",
        "plain": "someone talking.bvh",
    }
    assert {layout.name for layout in KNOWN} == set(names)
    for name, path in names.items():
        assert layout_of(PurePosixPath(path)).name == name


def test_links_that_lead_in_circles(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path / "all", duration_s=0.5)
    corpus.motion("x.bvh")
    corpus.sound("x.wav")
    (tmp_path / "all" / "again").symlink_to(tmp_path / "all")
    assert len(find_pairs(tmp_path / "all")) == 1


def test_places_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="nowhere: no such file or folder"):
        find_pairs(tmp_path / "nowhere")
    with pytest.raises(InvalidValueError, match="no location"):
        find_pairs([])
    assert len(find_pairs(tmp_path)) == 0


def _plain_names(pairing: Pairing) -> set[tuple[str, str, str]]:
    return {(pair.name, pair.layout, pair.speaker) for pair in pairing.pairs}


@pytest.mark.parametrize("kind", ["memory", "zip", "cached", "file"])
def test_remote_is_as_local(kind: str, tmp_path: Path) -> None:
    import fsspec

    here = tmp_path / "here"
    trinity(Corpus(here, duration_s=1.0))
    beat(Corpus(here, duration_s=1.0))
    if kind == "memory":
        system = fsspec.filesystem("memory")
        system.put(str(here), "/pairs", recursive=True)
        place = "memory://pairs"
    elif kind == "zip":
        shutil.make_archive(str(tmp_path / "corpus"), "zip", here)
        place = f"zip::{tmp_path / 'corpus.zip'}"
    else:
        place = f"{'simplecache::' if kind == 'cached' else ''}file://{here}"
    local, remote = find_pairs(here), find_pairs(place)
    assert _plain_names(local) == _plain_names(remote)
    ours, theirs = (next(p for p in f.pairs if p.layout == "BEAT") for f in (local, remote))
    a, b = read_pair(ours, QUICK), read_pair(theirs, QUICK)
    assert a.clip == b.clip
    assert a.speech == b.speech
    assert a.words == b.words
    if kind == "memory":
        system.rm("/pairs", recursive=True)


def test_remote_errors_name_the_address(tmp_path: Path) -> None:
    import fsspec

    with pytest.raises(UnreadableError, match="memory://nothing: no such file"):
        find_pairs("memory://nothing")
    with pytest.raises(UnreadableError, match="nosuch://x: cannot be read"):
        find_pairs("nosuch://x")
    system = fsspec.filesystem("memory")
    system.pipe("/broken/x.bvh", b"HIERARCHY\nROOT")
    system.pipe("/broken/x.wav", b"RIFF")
    pair = find_pairs("memory://broken").pairs[0]
    with pytest.raises(UnreadableError, match=r"^memory://broken/x\.bvh: .*") as error:
        read_pair(pair)
    assert "\n" not in str(error.value)
    system.rm("/broken", recursive=True)


def test_an_archive_that_climbs_out_stays_inside(tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
        archive.writestr("../../x.bvh", b"HIERARCHY")
        archive.writestr("a/x.bvh", b"HIERARCHY")
    found = sources_of(f"zip::{tmp_path / 'evil.zip'}")
    assert [source.path.as_posix() for source in found] == ["a/x.bvh"]
    for inner in ("../../x.bvh", "a/x.bvh"):
        with local_copy(f"zip://{inner}::{tmp_path / 'evil.zip'}") as path:
            assert path.read_bytes() == b"HIERARCHY"
            assert path.parent.name.startswith("kinesphere-")
        assert not path.exists()


def test_without_fsspec_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(
        KinesphereError, match=r"s3://bucket: .* pip install 'kinesphere\[cluster\]'"
    ):
        find_pairs("s3://bucket")
    corpus = Corpus(tmp_path, duration_s=0.5)
    corpus.motion("x.bvh")
    corpus.sound("x.wav")
    read_pair(find_pairs(tmp_path).pairs[0])  # nothing of it is needed here


def test_a_pair_is_plain_text() -> None:
    import pickle

    pair = match_files(_sources([([], "x", ".bvh"), ([], "x", ".wav")])).pairs[0]
    assert pickle.loads(pickle.dumps(pair)) == pair
    assert replace(pair, speaker="y") != pair


def test_recordings_of_people(data: Path) -> None:
    found = find_pairs([data / "beat2", data / "cmu"])
    alone = len(list(data.glob("cmu/*.bvh")))
    assert alone >= 23
    assert (found.layout, len(found), len(found.motion_alone)) == ("BEAT2", 1, alone)
    read = read_pair(found.pairs[0])
    assert read.speaker == "scott"
    assert read.present == {"head", "arms", "lower", "fingers"}
    assert read.words is not None
    assert len(read.words.intervals) > 150
    assert abs(read.facts.difference_s - 0.56) < 0.02
    # Its hands move in pauses as they do in speech: nothing to judge a start by.
    assert read.facts.offset is not None
    assert not read.facts.offset.confident
