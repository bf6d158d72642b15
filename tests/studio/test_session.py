"""A session as a page has it: perform, edit, undo, direct, own material, export, reopen, talk."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.formats.wav import wav_bytes
from kinesphere.motion.take import Audio
from kinesphere.pipeline.stages.utter import utter
from kinesphere.speech.voices.voice import LONGEST_TEXT
from kinesphere.studio.document.document import (
    Directing,
    Document,
    DocumentGesture,
    PhrasePoint,
    Speaking,
    TensionSetting,
)
from kinesphere.studio.server import messages as m
from kinesphere.studio.server import wire
from kinesphere.studio.work import worker as work
from kinesphere.studio.work.jobs import MOST_JOBS
from tests.conftest import smooth_clip
from tests.pipeline.talking import talking
from tests.studio.packet_reader import read_clip, read_live, sound_packet
from tests.studio.pages import TEXT, Page, forget, of_type

SPEAKING = Speaking(text=TEXT)


@pytest.fixture
def page() -> Iterator[Page]:
    with Page() as made:
        yield made


@pytest.fixture
def performed(page: Page) -> Page:
    page.ask(m.Perform(SPEAKING))
    return page


def voice(seconds: float = 2.0, rate: int = 16_000) -> np.ndarray[Any, Any]:
    """Something that comes and goes like syllables."""
    t = np.arange(int(seconds * rate)) / rate
    tone = sum(np.sin(2 * np.pi * 140 * k * t) / k for k in range(1, 8))
    return 0.15 * tone * np.maximum(0.0, np.sin(2 * np.pi * 2.0 * t))


def wav(seconds: float = 2.0) -> bytes:
    return wav_bytes(Audio(voice(seconds), 16_000))


def bvh(tmp_path: Path, frames: int = 40) -> bytes:
    path = tmp_path / "wave.bvh"
    rng = np.random.default_rng(3)
    ks.Take(smooth_clip(ks.default_skeleton(), rng, frames=frames, size=0.1)).save(path)
    return path.read_bytes()


def fetched(page: Page, url: str) -> bytes:
    found = page.session.storage.served_file(url.removeprefix("files/"))
    assert found is not None
    return Path(found.path).read_bytes()


# Performing.


def test_perform_says_what_changed_then_gives_the_take_with_its_frames_first(page: Page) -> None:
    said = page.ask(m.Perform(SPEAKING))
    kinds = [s["type"] for s in said]
    assert kinds[0] == "changed"
    assert kinds.index("clip") + 1 == kinds.index("take-ready")
    (ready,) = of_type(said, "take-ready")
    clip = page.clips[ready["take"]]
    assert ready["whole"]
    assert not ready["plain"]
    assert (ready["frames"], ready["fps"]) == (len(clip.frames.roots), clip.fps)
    assert np.allclose(np.linalg.norm(clip.frames.turns, axis=-1), 1.0, atol=1e-3)
    states = [s["state"] for s in of_type(said, "job-progress")]
    assert (states[0], states[-1]) == ("waiting", "done")
    assert set(states[1:-1]) == {"running"}
    sound = fetched(page, ready["sound"])
    assert sound[:4] == b"RIFF"
    rows = {row["name"]: row for row in ready["rows"]}
    assert "huge" in " ".join(rows["words"]["labels"])
    last = of_type(said, "changed")[-1]
    assert last["revision"] == ready["revision"]
    assert [g["words"] for g in last["document"]["gestures"]]
    assert last["document"]["title"] == "I know it looks huge But"


def test_what_is_said_of_a_document_reads_back_as_the_document(performed: Page) -> None:
    told = of_type(performed.said, "changed")[-1]["document"]
    assert wire.read(Document, told) == performed.document


def test_another_seed_style_or_amount_is_another_take_and_the_same_ones_the_same(
    page: Page,
) -> None:
    first = page.take(m.Perform(SPEAKING))
    assert page.take(m.Perform(replace(SPEAKING, seed=2))) != first
    assert page.take(m.Perform(replace(SPEAKING, amount=0.0))) != first
    forget()
    assert page.take(m.Perform(SPEAKING)) == first


def test_a_stance_is_of_the_take_and_of_the_document_and_is_undone(page: Page) -> None:
    first = page.take(m.Perform(SPEAKING))
    restless = page.take(m.Perform(replace(SPEAKING, stance="restless")))
    assert restless != first
    assert page.take(m.Perform(replace(SPEAKING, stance="0.5"))) != restless
    page.ask(m.Undo())
    assert page.document.speaking.stance == "restless"
    page.ask(m.Undo())
    assert page.document.speaking.stance == ""
    page.ask(m.Redo())
    assert page.document.speaking.stance == "restless"


def test_a_long_text_is_shown_from_its_beginning_on(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "_LONG_S", 4.0)
    monkeypatch.setattr(work, "_FIRST_S", 3.0)
    forget()
    said = page.ask(m.Perform(SPEAKING))
    first, whole = of_type(said, "take-ready")
    assert (first["whole"], whole["whole"]) == (False, True)
    assert first["frames"] == 180 < whole["frames"]
    # A page that comes back gets whole takes only.
    begun = len(page.said)
    page.session.welcome(m.VERSION, known=True)
    assert [s["whole"] for s in of_type(page.said[begun:], "take-ready")] == [True]


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": " \n "},
        {"rate": 0.1},
        {"rate": 99.0},
        {"amount": -0.1},
        {"amount": 2.0},
        {"seed": -1},
        {"seed": 1 << 32},
        {"style": "../../etc/passwd"},
        {"style": "/etc/passwd.kin"},
        {"language": "fr"},
        {"voice": "espeak -f /etc/passwd"},
        {"model": "/tmp/x.kin"},
        {"stance": "wobbly"},
        {"stance": "1.5"},
        {"stance": "nan"},
        {"text": "a" * (LONGEST_TEXT + 1)},
    ],
)
def test_what_cannot_be_said_is_refused_and_nothing_changes(
    page: Page, wrong: dict[str, Any]
) -> None:
    before = page.session.history
    page.refused(m.Perform(replace(SPEAKING, **wrong)))
    assert page.session.history == before
    assert not page.lane.row


@pytest.mark.parametrize(
    "text", ["<a|Nonsense>", "{b|", "||", "...", "\x00\x07", "😀", "*", "\u202e"]
)
def test_texts_that_cannot_be_performed_change_nothing(page: Page, text: str) -> None:
    before = page.session.history
    page.refused(m.Perform(replace(SPEAKING, text=text)))
    assert page.session.history == before


# Editing, undo and redo.


def test_an_edit_changes_the_frames_undo_gives_them_back_and_redo_again(performed: Page) -> None:
    first = performed.take(m.Direct(Directing()))
    edited = performed.take(m.EditGesture(1, lexeme="Cup"))
    assert edited != first
    assert performed.document.gestures[0].lexeme == "Cup"
    forget()
    assert performed.take(m.Undo()) == first
    forget()
    assert performed.take(m.Redo()) == edited


def test_a_moved_gesture_is_done_then(performed: Page) -> None:
    g = performed.document.gestures[0]
    before = performed.clips[max(performed.clips)].frames
    performed.take(m.EditGesture(g.id, time_s=g.time_s + 0.6))
    after = performed.document.gestures[0]
    assert (after.id, after.pinned) == (g.id, True)
    assert after.time_s == pytest.approx(g.time_s + 0.6, abs=0.05)
    moved = performed.clips[max(performed.clips)].frames
    n = min(len(before.turns), len(moved.turns))
    assert np.abs(before.turns[:n] - moved.turns[:n]).max() > 0.05


def test_deleting_and_adding(performed: Page) -> None:
    first = performed.clips[max(performed.clips)].data
    ids = [g.id for g in performed.document.gestures]
    assert performed.take(m.DeleteGesture(ids[0])) != first
    assert [g.id for g in performed.document.gestures] == ids[1:]
    performed.take(m.AddGesture(2.9, "Wipe"))
    assert {g.lexeme for g in performed.document.gestures} >= {"Wipe"}
    performed.take(m.Undo())
    assert performed.take(m.Undo()) == first
    assert "change" not in performed.session.history.redo_label


def test_undo_and_redo_at_the_ends_do_nothing(performed: Page) -> None:
    assert performed.ask(m.Redo()) == []
    performed.ask(m.Undo())
    assert performed.document == Document()
    assert performed.ask(m.Undo()) == []


def test_a_page_that_comes_back_after_undoing_everything_sees_no_take(performed: Page) -> None:
    performed.ask(m.Undo())
    begun = len(performed.said)
    performed.session.welcome(m.VERSION, known=True)
    assert of_type(performed.said[begun:], "take-ready") == []


def test_edits_of_what_is_not_there_are_refused(performed: Page) -> None:
    before = performed.document
    performed.refused(m.EditGesture(99, lexeme="Cup"))
    performed.refused(m.EditGesture(1, lexeme="Nonsense"))
    performed.refused(m.EditGesture(1, start="a/b/c/d"))
    performed.refused(m.DeleteGesture(-1))
    performed.refused(m.AddGesture(1.0, "Nonsense"))
    assert performed.document == before


# Directing.


def test_directing_gives_a_plain_and_a_shown_take_that_differ_and_neutral_the_first_again(
    performed: Page,
) -> None:
    first = performed.clips[max(performed.clips)].data
    wanted = Directing(parts={"left-arm": {"weight": 0.8}})
    said = performed.ask(m.Direct(wanted))
    plain, shown = of_type(said, "take-ready")
    assert (plain["plain"], shown["plain"]) == (True, False)
    assert performed.clips[plain["take"]].data == first
    assert performed.clips[shown["take"]].data != first
    forget()
    said = performed.ask(m.Direct(Directing(parts={"left-arm": {"weight": 0.0}})))
    (ready,) = of_type(said, "take-ready")
    assert not ready["plain"]
    assert performed.clips[ready["take"]].data == first


@pytest.mark.parametrize(
    "wanted",
    [
        Directing(manner="proudly"),
        Directing(
            phrase=(
                PhrasePoint("torso", "vertical", 0.5, -0.7),
                PhrasePoint("torso", "vertical", 3.0, 0.7),
            )
        ),
        Directing(tension=TensionSetting(0.01, 0.3)),
        Directing(physics="wrists"),
        Directing(physics="body"),
    ],
)
def test_every_kind_of_directing_moves_the_figure(performed: Page, wanted: Directing) -> None:
    plain = performed.clips[max(performed.clips)].frames.turns
    performed.take(m.Direct(wanted))
    shown = performed.clips[max(performed.clips)].frames.turns
    n = min(len(plain), len(shown))
    assert np.abs(shown[:n] - plain[:n]).max() > 0.01


def test_slider_moves_of_one_drag_are_undone_together(performed: Page) -> None:
    first = performed.clips[max(performed.clips)].data
    for value in (0.1, 0.2, 0.3):
        performed.ask(m.Direct(Directing(parts={"left-arm": {"flow": value}}), "drag-1"))
    assert performed.take(m.Undo()) == first


@pytest.mark.parametrize(
    "wrong",
    [
        Directing(manner="xyzzyly"),
        Directing(parts={"tail": {"weight": 0.5}}),
        Directing(parts={"left-arm": {"colour": 0.5}}),
        Directing(parts={"left-arm": {"weight": 5.0}}),
        Directing(phrase=(PhrasePoint("left-arm", "weight", 0.0, 5.0),)),
        Directing(phrase=(PhrasePoint("tail", "weight", 0.0, 0.0),)),
        Directing(tension=TensionSetting(-1.0, 0.5)),
        Directing(tension=TensionSetting(0.01, 1e9)),
    ],
)
def test_what_cannot_be_directed_is_refused(performed: Page, wrong: Directing) -> None:
    before = performed.session.history
    performed.refused(m.Direct(wrong))
    assert performed.session.history == before


# Own material.


def test_a_recording_without_a_text_is_listened_to_and_takes_gestures(page: Page) -> None:
    upload = page.upload(wav(), "../My voice.WAV")
    first = page.take(m.UseSound(upload, Speaking()))
    assert (page.document.source, page.document.title) == ("voice", "My voice")
    added = page.take(m.AddGesture(1.0, "Cup"))
    assert added != first
    moved = page.take(m.EditGesture(page.document.gestures[0].id, time_s=1.4))
    assert moved not in (first, added)
    forget()
    page.take(m.Undo())
    assert page.take(m.Undo()) == first


def test_a_listener_stands_as_restlessly_as_is_asked(page: Page) -> None:
    upload = page.upload(wav(), "voice.wav")
    usual = page.take(m.UseSound(upload, Speaking()))
    assert page.take(m.UseSound(upload, Speaking(stance="restless"))) != usual
    forget()
    assert page.take(m.UseSound(upload, Speaking())) == usual


def test_a_recording_with_its_text_is_performed(page: Page) -> None:
    spoken = utter("It is huge.").speech.audio
    assert spoken is not None
    upload = page.upload(wav_bytes(spoken), "said.wav")
    page.take(m.UseSound(upload, Speaking(text="It is huge.")))
    assert page.document.source == "text"
    assert page.document.sound == upload
    assert page.document.script
    page.take(m.Perform(replace(page.document.speaking, text="It is *huge*.")))
    assert page.document.sound == upload, "marked up, it is still what the recording says"
    page.take(m.Perform(replace(page.document.speaking, text="Nobody said a single word.")))
    assert page.document.sound == "", "another text is spoken by the voice"
    page.take(m.UseSound(upload, Speaking(text="It is huge.")))
    page.take(m.UseSound("", page.document.speaking))
    assert (page.document.sound, page.document.title) == ("", "It is huge")


def test_a_file_that_cannot_be_used_leaves_all_as_it_was(performed: Page) -> None:
    before = performed.session.history
    upload = performed.upload(b"nothing of the kind", "a.wav")
    performed.refused(m.UseSound(upload, Speaking()))
    performed.refused(m.UseMotion(performed.upload(b"nothing of the kind", "a.bvh")))
    assert performed.session.history == before
    ready = [x for x in performed.said if x["type"] == "take-ready"]
    assert ready[-1]["revision"] == performed.session.revision


def test_a_take_is_called_by_its_text(performed: Page) -> None:
    performed.ask(m.Perform(replace(SPEAKING, text="Something <else|Cup LH>!")))
    assert performed.document.title == "Something else"


def test_motion_is_shown_directed_and_has_no_gestures(page: Page, tmp_path: Path) -> None:
    upload = page.upload(bvh(tmp_path), "wave.bvh")
    first = page.take(m.UseMotion(upload))
    assert len(page.clips[max(page.clips)].frames.roots) == 40
    assert page.take(m.Direct(Directing(physics="wrists"))) != first
    page.refused(m.AddGesture(0.2, "Cup"))
    page.refused(m.UseSound(upload, Speaking()))


@pytest.mark.parametrize("name", ["a.bvh", "a.glb", "a.vrm", "a.vrma", "a.npz", "a.kin"])
def test_motion_that_is_none_is_refused_in_one_line(page: Page, name: str) -> None:
    upload = page.upload(b"nothing of the kind", name)
    text = page.refused(m.UseMotion(upload))
    assert name in text


@pytest.mark.parametrize("name", ["a.wav", "a.mp3", "a.kin", "a.eaf", "a.glb"])
def test_a_character_or_sound_that_is_none_is_refused_in_one_line(page: Page, name: str) -> None:
    upload = page.upload(b"nothing of the kind", name)
    page.refused(m.UseCharacter(upload))
    page.refused(m.UseSound(upload, Speaking()))
    assert page.document.character == ""


def test_another_character_is_worn_and_taken_off_again(performed: Page, tmp_path: Path) -> None:
    first = performed.clips[max(performed.clips)].data
    upload = performed.upload(bvh(tmp_path, 2), "stick.bvh")
    said = performed.ask(m.UseCharacter(upload))
    (figure,) = of_type(said, "figure-ready")
    assert (figure["id"], figure["name"]) == (1, "stick.bvh")
    assert fetched(performed, figure["url"])[:4] == b"glTF"
    (ready,) = of_type(said, "take-ready")
    assert ready["figure"] == 1
    clip = performed.clips[ready["take"]]
    assert clip.figure == 1
    assert clip.frames.turns.shape[1] == len(figure["joints"])
    forget()
    assert performed.take(m.Undo()) == first
    assert of_type(performed.said, "figure-ready")[-1]["id"] == 0
    said = performed.ask(m.Redo())
    assert of_type(said, "figure-ready")[-1]["id"] == 1
    assert performed.take(m.UseCharacter("")) == first


def test_requests_with_ids_that_are_not_this_sessions_are_refused(page: Page) -> None:
    with Page() as other:
        upload = other.upload(wav(), "mine.wav")
    for request in (
        m.UseSound(upload, Speaking()),
        m.UseMotion(upload),
        m.UseCharacter(upload),
        m.OpenProject(upload),
        m.Learn((upload,), "speaker", "x"),
        m.Restore(Document(source="voice", sound=upload)),
        m.Restore(Document(character=upload)),
    ):
        page.refused(request)
    assert page.document == Document()


def test_learning_a_speaker_and_performing_in_their_style(page: Page) -> None:
    data = files("kinesphere.corpus").joinpath("data/host.eaf").read_bytes()
    upload = page.upload(data, "host.eaf")
    said = page.ask(m.Learn((upload,), "speaker", "<b>Me</b>"))
    (report,) = of_type(said, "report")
    text = fetched(page, report["url"]).decode()
    assert "<b>Me</b>" not in text
    (learned,) = of_type(said, "learned")
    style = learned["styles"][-1]
    assert (style["label"], style["group"]) == ("<b>Me</b>", "yours")
    page.take(m.Perform(replace(SPEAKING, style=style["name"])))
    page.refused(m.Perform(replace(SPEAKING, style=upload)))
    assert [g.lexeme for g in page.document.gestures]
    page.take(m.EditGesture(1, lexeme="Cup"))
    # The style goes with the project.
    said = page.ask(m.Export(".kinp"))
    with Page() as other:
        saved = fetched(page, of_type(said, "exported")[0]["url"])
        first = page.clips[max(page.clips)].data
        forget()
        assert other.take(m.OpenProject(other.upload(saved, "p.kinp"))) == first
        assert other.session.offers.styles[-1].group == "yours"


def test_learning_a_model_and_moving_and_talking_with_it(page: Page, tmp_path: Path) -> None:
    uploads = []
    for k in range(2):
        take = talking(12.0, k)
        ks.Take(take.clip).save(tmp_path / "x.bvh")
        assert take.audio is not None
        uploads.append(page.upload((tmp_path / "x.bvh").read_bytes(), f"day {k}.bvh"))
        uploads.append(page.upload(wav_bytes(take.audio), f"day {k}.wav"))
    said = page.ask(m.Learn(tuple(uploads), "model", "mine"))
    assert of_type(said, "report"), said
    model = of_type(said, "learned")[0]["models"][-1]["name"]
    sound = page.upload(wav(), "v.wav")
    house = page.take(m.UseSound(sound, Speaking()))
    assert page.take(m.UseSound(sound, Speaking(model=model))) != house
    page.ask(m.TalkStart(16_000.0, Speaking(model=model)))
    page.session.hear_sound(sound_packet(voice(0.5)))
    assert len(read_live(page.bytes[-1]).frames.roots) > 20


def test_learning_from_what_does_not_teach_is_refused(page: Page, tmp_path: Path) -> None:
    upload = page.upload(bvh(tmp_path), "alone.bvh")
    page.refused(m.Learn((), "speaker", "x"))
    page.refused(m.Learn((upload,), "speaker", "x"))
    page.refused(m.Learn((upload,), "model", "x"))
    page.refused(m.Learn((page.upload(b"<no/>", "a.eaf"),), "speaker", "x"))


# Export and projects.


@pytest.mark.parametrize(
    "ending", [".bvh", ".glb", ".vrma", ".kin", ".html", ".png", ".script", ".kinp"]
)
def test_every_format_is_exported(
    performed: Page, ending: str, validate_glb: Callable[[bytes], dict[str, Any]], tmp_path: Path
) -> None:
    performed.ask(m.Direct(Directing(manner="slightly proudly")))
    said = performed.ask(m.Export(ending))
    (exported,) = of_type(said, "exported")
    assert exported["name"] == f"I-know-it-looks-huge-But{ending}"
    data = fetched(performed, exported["url"])
    assert exported["size"] == len(data) > 0
    if ending == ".glb":
        issues = validate_glb(data)
        assert issues["numErrors"] == 0, issues
    if ending == ".kin":
        path = tmp_path / "back.kin"
        path.write_bytes(data)
        take = ks.load(path)
        told = json.loads(json.dumps(take.provenance["studio"]))
        assert wire.read(Document, told) == performed.document
        assert len(take.clip) == len(performed.clips[max(performed.clips)].frames.roots)


def test_video_is_exported(page: Page, tmp_path: Path) -> None:
    page.ask(m.UseMotion(page.upload(bvh(tmp_path, 8), "wave.bvh")))
    said = page.ask(m.Export(".mp4"))
    data = fetched(page, of_type(said, "exported")[0]["url"])
    assert data[4:8] == b"ftyp"
    ratios = [j["ratio"] for j in of_type(said, "job-progress") if j["state"] == "running"]
    assert ratios == sorted(ratios)


def test_every_ending_that_is_offered_is_tested_here() -> None:
    from kinesphere.studio.server.catalogue import formats

    tested = {".bvh", ".glb", ".vrma", ".kin", ".html", ".png", ".script", ".kinp", ".mp4"}
    assert {c.name for c in formats()} <= set(work.endings()) == tested


def test_exports_that_cannot_be_are_refused(page: Page, tmp_path: Path) -> None:
    page.refused(m.Export(".glb"))
    page.ask(m.UseMotion(page.upload(bvh(tmp_path), "wave.bvh")))
    page.refused(m.Export(".exe"))
    page.refused(m.Export("/../../x.glb"))
    page.refused(m.Export(".script"))


def test_a_project_opened_elsewhere_gives_the_same_frames(page: Page, tmp_path: Path) -> None:
    sound = page.upload(wav(), "voice.wav")
    character = page.upload(bvh(tmp_path, 2), "stick.bvh")
    page.ask(m.UseSound(sound, Speaking(seed=4, stance="calm")), m.UseCharacter(character))
    page.ask(m.AddGesture(1.0, "Cup"))
    shown = page.take(m.Direct(Directing(parts={"left-arm": {"space": -0.6}})))
    said = page.ask(m.Export(".kinp"))
    saved = fetched(page, of_type(said, "exported")[0]["url"])
    forget()
    with Page() as other:
        again = other.take(m.OpenProject(other.upload(saved, "mine.kinp")))
        assert again == shown
        assert other.document == page.document
        assert of_type(other.said, "figure-ready")[-1]["name"] == "stick.bvh"
        assert not other.session.history.undo_label
        for old in page.session.storage.materials.values():
            assert all(old.path != new.path for new in other.session.storage.materials.values())


def test_a_document_that_the_page_still_has_is_taken_up_again(performed: Page) -> None:
    document, frames = performed.document, performed.clips[max(performed.clips)].data
    forget()
    with Page() as other:
        assert other.take(m.Restore(document)) == frames
        assert other.document == document


GESTURE = DocumentGesture(1, "Cup", "RH", 1.0, 0.4, 0.0, "", "", "", "")


@pytest.mark.parametrize(
    "document",
    [
        Document(source="text", speaking=SPEAKING, gestures=(GESTURE,), script=" "),
        Document(source="text", speaking=SPEAKING, gestures=(GESTURE,)),
        Document(source="text", speaking=SPEAKING, script="BEGIN_G_UNIT"),
        Document(source="text", speaking=SPEAKING, script="nonsense", gestures=(GESTURE,)),
        Document(source="text", speaking=replace(SPEAKING, text="")),
        Document(source="voice"),
        Document(source="motion"),
        Document(source="voice", sound="host"),
        Document(speaking=replace(SPEAKING, amount=9.0)),
        Document(directing=Directing(manner="xyzzyly")),
    ],
)
def test_documents_that_could_not_have_been_made_are_refused(
    page: Page, document: Document
) -> None:
    page.refused(m.Restore(document))
    page.take(m.Perform(SPEAKING))


@pytest.mark.parametrize(
    "gesture",
    [
        {"lexeme": "Nonsense"},
        {"hands": "3H"},
        {"time_s": -3.0},
        {"time_s": 1e12},
        {"stroke_s": -1.0},
        {"start": "x"},
        {"hold_s": -1.0},
    ],
)
def test_a_voice_with_gestures_that_cannot_be_is_refused(
    page: Page, gesture: dict[str, Any]
) -> None:
    sound = page.upload(wav(), "v.wav")
    document = Document(source="voice", sound=sound, gestures=(replace(GESTURE, **gesture),))
    page.refused(m.Restore(document))
    assert page.document == Document()


# Talking.


@pytest.mark.parametrize("rate", [16_000, 48_000])
def test_talking_moves_the_figure_and_leaves_a_take(page: Page, rate: int) -> None:
    (talking,) = page.ask(m.TalkStart(float(rate), Speaking()))
    assert talking["type"] == "talking"
    assert talking["on"]
    said = voice(1.6, rate)
    step = rate // 50
    for k in range(0, len(said), step):
        page.session.hear_sound(sound_packet(said[k : k + step], k // step, 20.0 * k / step))
    packets = [read_live(b) for b in page.bytes]
    assert sum(len(p.frames.roots) for p in packets) > 80
    assert all(a.first + len(a.frames.roots) == b.first for a, b in pairwise(packets))
    assert packets[-1].stamp_ms > 1500.0
    page.take(m.TalkStop(keep=True))
    assert page.document.source == "voice"
    assert page.document.title == "talk"
    page.session.hear_sound(sound_packet(said[:step]))
    assert len(page.bytes) == len(packets)


def test_talking_stands_as_restlessly_as_is_asked(page: Page) -> None:
    roots = []
    for stance in ("", "still", "restless"):
        begun = len(page.bytes)
        page.ask(m.TalkStart(16_000.0, Speaking(stance=stance)))
        page.session.hear_sound(sound_packet(voice(1.0)))
        page.ask(m.TalkStop(keep=False))
        roots.append(read_live(page.bytes[begun]).frames.roots)
    assert all(np.abs(a - b).max() > 1e-3 for a, b in pairwise(roots))


def test_talk_that_is_too_short_not_kept_or_no_sound(page: Page) -> None:
    page.ask(m.TalkStart(16_000.0, Speaking()))
    page.session.hear_sound(b"no sound")
    assert of_type(page.said, "request-failed")[-1]["about"] == "sound"
    page.session.hear_sound(sound_packet(voice(0.2)))
    page.refused(m.TalkStop())
    page.ask(m.TalkStart(16_000.0, Speaking()))
    page.session.hear_sound(sound_packet(voice(1.5)))
    page.ask(m.TalkStop(keep=False))
    assert page.document == Document()
    for rate in (0.0, -1.0, 1e9, 7_999.0):
        page.refused(m.TalkStart(rate, Speaking()))


# Coming back, jobs, cancelling.


def test_a_page_that_comes_back_gets_everything_again(performed: Page) -> None:
    performed.ask(m.Direct(Directing(manner="proudly")))
    both = {
        t["plain"]: performed.clips[t["take"]] for t in of_type(performed.said, "take-ready")[-2:]
    }
    performed.session.leave()
    performed.ask(m.Direct(Directing(manner="calmly")))
    calm = performed.document
    heard: list[Any] = []
    performed.session.send = heard.append
    performed.session.welcome(m.VERSION, known=True)
    texts = [json.loads(h) for h in heard if isinstance(h, str)]
    assert [t["type"] for t in texts] == [
        "welcome",
        "figure-ready",
        "changed",
        "take-ready",
        "take-ready",
    ]
    assert texts[0]["known"]
    assert texts[0]["session"] == performed.session.id
    assert wire.read(Document, texts[2]["document"]) == calm
    clips = [read_clip(h) for h in heard if isinstance(h, bytes)]
    assert clips[0].data == both[True].data
    assert clips[1].data != both[False].data


def test_a_job_that_goes_on_is_told_to_a_page_that_comes_back(page: Page) -> None:
    page.session.hear(m.Perform(SPEAKING))
    page.session.leave()
    heard: list[Any] = []
    page.session.send = heard.append
    page.session.welcome(m.VERSION, known=True)
    jobs = of_type([json.loads(h) for h in heard], "job-progress")
    assert [(j["label"], j["state"]) for j in jobs] == [("performing", "waiting")]


def test_a_page_of_another_version_is_told_so(page: Page) -> None:
    page.session.welcome(m.VERSION + 1, known=False)
    assert page.said[0]["type"] == "request-failed"


def test_only_the_newest_take_counts_and_no_job_is_left_behind(page: Page) -> None:
    for seed in (1, 2, 3):
        page.session.hear(m.Perform(replace(SPEAKING, seed=seed)))
    said = page.ask(m.Perform(replace(SPEAKING, seed=4)))
    (ready,) = of_type(said, "take-ready")
    assert ready["revision"] == page.session.revision == 4
    last = {j["job"]: j["state"] for j in of_type(page.said, "job-progress")}
    assert set(last) == {1, 2, 3, 4}
    assert not {"waiting", "running"} & set(last.values())


def test_a_take_that_comes_too_late_is_not_shown(performed: Page) -> None:
    performed.session.hear(m.Perform(replace(SPEAKING, seed=7)))
    performed.session.hear(m.NewProject())
    said = performed.ask()
    assert of_type(said, "take-ready") == []
    assert performed.document == Document()
    assert not len(performed.session._jobs)


def test_cancelling(page: Page) -> None:
    page.session.hear(m.Perform(SPEAKING))
    (waiting,) = of_type(page.said, "job-progress")
    said = page.ask(m.Cancel(waiting["job"]))
    assert [(j["job"], j["state"]) for j in of_type(said, "job-progress")] == [
        (waiting["job"], "cancelled")
    ]
    assert of_type(said, "take-ready") == []
    assert page.lane.cancelled == [1]
    assert page.ask(m.Cancel(waiting["job"]), m.Cancel(12345)) == []
    page.take(m.Perform(SPEAKING))


def test_too_many_things_at_once_are_refused(performed: Page) -> None:
    for _ in range(MOST_JOBS):
        performed.session.hear(m.Export(".script"))
    begun = len(performed.said)
    performed.session.hear(m.Export(".script"))
    assert of_type(performed.said[begun:], "request-failed")
    performed.session.close()
    assert sorted(performed.lane.cancelled) == list(range(2, 2 + MOST_JOBS))
    assert not Path(performed.session.storage.folder).exists()


def test_a_defect_is_told_and_the_page_goes_on(
    performed: Page, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("kinesphere.studio.document.script_edits.edit_gesture", lambda *_: 1 / 0)
    (said,) = performed.ask(m.EditGesture(1, lexeme="Cup"))
    assert (said["type"], said["about"]) == ("request-failed", "edit-gesture")
    assert said["text"] == "internal error: ZeroDivisionError"
    assert "Traceback" in capsys.readouterr().err
    performed.take(m.DeleteGesture(1))


def test_hello_twice_is_refused(page: Page) -> None:
    page.refused(m.Hello(m.VERSION))


def test_two_sessions_share_nothing(performed: Page) -> None:
    with Page() as other:
        assert other.session.id != performed.session.id
        assert len(other.session.id) >= 20
        assert other.session.storage.folder != performed.session.storage.folder
        assert other.document == Document()
        begun = len(performed.said)
        other.ask(m.Perform(replace(SPEAKING, text="Something else entirely.")))
        assert len(performed.said) == begun
