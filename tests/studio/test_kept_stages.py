"""The studio keeps what did not change: each stage runs again only for a change of its input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kinesphere as ks
from kinesphere.pipeline.speakers import speaker
from kinesphere.studio.document.document import Directing, Document, Speaking, TensionSetting
from kinesphere.studio.document.script_edits import edit_gesture
from kinesphere.studio.server.messages import EditGesture
from kinesphere.studio.work import worker as work
from kinesphere.studio.work.tasks import Made, MakeTake, Material
from tests.studio.pages import TEXT, forget

STAGES = ("utter", "plan", "act", "direct")
SLOW = Directing(parts={"left-arm": {"time": -0.5}})


class Worker:
    """A worker, and which stages the last task ran."""

    def __init__(self, folder: Path) -> None:
        self.ran: Counter[str] = Counter()
        self.character = folder / "stick.bvh"
        ks.idle(0.1).save(self.character)
        self.materials = {"stick": Material(str(self.character), "stick.bvh")}

    def make(self, document: Document) -> Made:
        self.ran.clear()
        task = MakeTake(document, self.materials, "")
        return work.make_take(task, lambda *_: None, lambda _: None)


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    made = Worker(tmp_path)
    for name in STAGES:
        stage = getattr(work, name)

        def counted(*values: Any, _name: str = name, _stage: Any = stage, **more: Any) -> Any:
            made.ran[_name] += 1
            return _stage(*values, **more)

        monkeypatch.setattr(work, name, counted)
    forget()
    yield made
    forget()


def text(**more: Any) -> Document:
    return Document(source="text", speaking=Speaking(text=TEXT, style="host"), **more)


def test_a_slider_only_directs(worker: Worker) -> None:
    first = worker.make(text())
    assert worker.ran == {"utter": 1, "plan": 1, "act": 1}
    slow = worker.make(replace(first.document, directing=SLOW))
    assert worker.ran == {"direct": 1}
    assert slow.shown.data != first.shown.data
    tense = replace(SLOW, tension=TensionSetting(0.05, 0.5))
    worker.make(replace(first.document, directing=tense))
    assert worker.ran == {"direct": 1}
    again = worker.make(replace(first.document, directing=SLOW))
    assert not worker.ran
    assert again.shown.data == slow.shown.data


def test_a_slider_before_the_first_take_is_shown_does_not_plan_again(worker: Worker) -> None:
    worker.make(text())
    worker.make(text(directing=SLOW))
    assert worker.ran == {"direct": 1}


def test_another_character_runs_no_stage_before(worker: Worker) -> None:
    first = worker.make(text(directing=SLOW))
    assert worker.ran == dict.fromkeys(STAGES, 1)
    worker.make(replace(first.document, character="stick"))
    assert not worker.ran


def test_an_edited_gesture_is_acted_but_not_spoken_again(worker: Worker) -> None:
    first = worker.make(text())
    moved = first.document.gestures[0]
    change = EditGesture(moved.id, time_s=moved.time_s + 0.1)
    worker.make(edit_gesture(first.document, change, speaker("host")))
    assert worker.ran == {"act": 1}


def test_other_words_run_everything(worker: Worker) -> None:
    worker.make(text())
    changed = text()
    worker.make(replace(changed, speaking=replace(changed.speaking, text="This is huge!")))
    assert worker.ran == {"utter": 1, "plan": 1, "act": 1}


def test_a_slider_on_a_voice_only_directs(worker: Worker, tmp_path: Path) -> None:
    path = tmp_path / "take.bvh"
    ks.perform("This is huge!").save(path)  # writes take.wav beside it
    worker.materials["voice"] = Material(str(path.with_suffix(".wav")), "voice.wav")
    first = Document(source="voice", sound="voice")
    worker.make(first)
    assert worker.ran == {"utter": 1, "act": 1}
    worker.make(replace(first, directing=SLOW))
    assert worker.ran == {"direct": 1}
    worker.make(replace(first, speaking=replace(first.speaking, seed=3)))
    assert worker.ran == {"act": 1}
