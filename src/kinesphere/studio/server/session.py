"""One page's session: an explicit state machine between requests, worker processes and replies.

A session outlives its connection for a time, so that a page that reconnects finds everything. It
answers through `Session.send`; this module does not use sockets.
"""

from __future__ import annotations

import asyncio
import difflib
import itertools
import re
import secrets
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from kinesphere.errors import InvalidValueError, KinesphereError
from kinesphere.formats.wav import wav_bytes
from kinesphere.motion.take import Audio
from kinesphere.pipeline.live import Acting
from kinesphere.pipeline.speakers import speaker
from kinesphere.pipeline.stages.cast import Cast
from kinesphere.speech.resampling import SPEECH_RATE_HZ
from kinesphere.studio.document import script_edits
from kinesphere.studio.document.directing import direction_of
from kinesphere.studio.document.document import Document
from kinesphere.studio.document.history import History
from kinesphere.studio.document.project_file import ENDING as PROJECT
from kinesphere.studio.server import messages, packets, wire
from kinesphere.studio.server.checks import (
    check_directing,
    check_document,
    check_text,
    check_upload,
)
from kinesphere.studio.server.offers import Offers
from kinesphere.studio.server.storage import Storage
from kinesphere.studio.server.talk import FPS, LONGEST_S, Talk
from kinesphere.studio.server.upload_kinds import SOUND
from kinesphere.studio.work.characters import Wardrobe
from kinesphere.studio.work.figures import shown_character
from kinesphere.studio.work.jobs import Jobs
from kinesphere.studio.work.pool import Lane
from kinesphere.studio.work.tasks import (
    Answer,
    ClipData,
    LearnedStyle,
    LearnStyle,
    LoadCharacter,
    LoadProject,
    Looked,
    Made,
    MakeTake,
    Material,
    OpenedProject,
    Saved,
    SaveTake,
    Task,
)
from kinesphere.studio.work.worker import endings

TALKING_S = 0.12
_SAME_SPEECH = 0.6
USE_SOUND, USE_MOTION = "use a recording", "use motion"
_MEDIA = {
    ".html": "text/html; charset=utf-8",
    ".png": "image/png",
    ".mp4": "video/mp4",
    ".glb": "model/gltf-binary",
    ".script": "text/plain; charset=utf-8",
}


@dataclass(frozen=True)
class _Shown:
    """Messages that a page gets again when it reconnects."""

    packet: bytes
    ready: messages.TakeReady


class Session:
    """The state and the jobs of one page.

    Parameters
    ----------
    quick, slow : lanes of worker processes: for takes, and for long jobs.
    """

    def __init__(self, quick: Lane, slow: Lane) -> None:
        self.id = secrets.token_urlsafe(18)
        self.storage = Storage()
        self.history = History.of(Document())
        self.revision = 0
        self.talk: Talk | None = None
        self.left_s: float | None = None
        self.greeting = (messages.VERSION, False)
        self.send: Callable[[str | bytes], None] = lambda _: None
        self._quick, self._slow = quick, slow
        self._jobs = Jobs(self._say, self.storage.plain)
        self._takes = itertools.count(1)
        self._loading: set[asyncio.Future[None]] = set()
        self._wardrobe = Wardrobe()
        self._newest: dict[bool, _Shown] = {}
        self.offers = Offers()
        self._told_s = 0.0
        self._closed = False

    # Input from the page.

    def hear(self, request: messages.Request) -> None:
        """Handle a request; an error is answered with a `RequestFailed`."""
        about = wire.type_name(type(request))
        try:
            getattr(self, f"_on_{about.replace('-', '_')}")(request)
        except KinesphereError as error:
            self._say(messages.RequestFailed(self.storage.plain(str(error)), about))
        except Exception as error:  # the page stays usable
            traceback.print_exc(file=sys.stderr)
            self._say(messages.RequestFailed(f"internal error: {type(error).__name__}", about))

    def hear_sound(self, *sounds: bytes) -> None:
        """Accept audio while live motion is on; ignore it at other times.

        Several packets received together are handled as one.
        """
        if self.talk is None:
            return
        chunks = []
        for packet in sounds:
            try:
                chunks.append(packets.sound(packet))
            except KinesphereError as error:
                self._say(messages.RequestFailed(str(error), "sound"))
        made = self.talk.take(packets.join_chunks(chunks)) if chunks else None
        if made is not None:
            self.send(made)
        now = time.monotonic()
        if now - self._told_s > TALKING_S:
            self._told_s = now
            self._say_talking()
        if self.talk.full:
            self._say(
                messages.RequestFailed(f"a recording has at most {LONGEST_S / 60:.0f} minutes")
            )
            self.hear(messages.TalkStop())

    def welcome(self, version: int, known: bool) -> None:
        """Answer the hello of a new page or of one that reconnects."""
        if version != messages.VERSION:
            self._say(messages.RequestFailed("page and server differ in version; reload", "hello"))
        self._say(self.offers.welcome(self.id, known))
        self._say(self._wardrobe.worn.told)
        self._say_changed()
        for shown in self._newest.values():
            self.send(shown.packet)
            self._say(shown.ready)
        self._jobs.tell()

    def leave(self) -> None:
        """The page has disconnected; live motion ends."""
        self.send = lambda _: None
        self.talk = None
        self.left_s = time.monotonic()

    @property
    def empty(self) -> bool:
        """Whether nothing would be lost by dropping the session."""
        return self.document.source == "nothing" and not self.storage.materials

    def close(self) -> None:
        """Cancel all jobs and remove all files."""
        self._closed = True
        self._jobs.close()
        self.storage.close()

    # Requests.

    def _on_hello(self, request: messages.Hello) -> None:
        raise InvalidValueError("hello is allowed only once, as the first message")

    def _on_restore(self, request: messages.Restore) -> None:
        check_document(request.document, self.storage.materials, self.offers)
        self.history = History.of(request.document)
        self._use_character(request.document.character, then_make=True)

    def _on_perform(self, request: messages.Perform) -> None:
        self.offers.check(request.speaking)
        check_text(request.speaking)
        before = self.document
        same = before.source == "text" and _alike(before.speaking.text, request.speaking.text)
        kept = before.sound if same else ""
        title = before.title if kept else _title(request.speaking.text)
        document = replace(
            before,
            source="text",
            title=title,
            speaking=request.speaking,
            sound=kept,
            script="",
            gestures=(),
        )
        self._change(document, "perform")

    def _on_direct(self, request: messages.Direct) -> None:
        check_directing(request.directing)
        document = replace(self.document, directing=request.directing)
        self._change(document, "direct", request.group)

    def _on_edit_gesture(self, request: messages.EditGesture) -> None:
        self._change(
            script_edits.edit_gesture(self.document, request, self._profile()), "change the gesture"
        )

    def _on_add_gesture(self, request: messages.AddGesture) -> None:
        document = script_edits.add_gesture(self.document, request, self._profile())
        self._change(document, f"add {request.lexeme}")

    def _on_delete_gesture(self, request: messages.DeleteGesture) -> None:
        self._change(script_edits.delete_gesture(self.document, request), "delete the gesture")

    def _on_undo(self, request: messages.Undo) -> None:
        self._go(self.history.undone())

    def _on_redo(self, request: messages.Redo) -> None:
        self._go(self.history.redone())

    def _on_use_sound(self, request: messages.UseSound) -> None:
        self.offers.check(request.speaking)
        said = request.speaking.text.strip()
        if said:
            check_text(request.speaking)
        if said and not request.upload:
            self._change(
                replace(
                    self.document,
                    source="text",
                    speaking=request.speaking,
                    sound="",
                    script="",
                    gestures=(),
                    title=_title(said),
                ),
                "speak without the recording",
            )
            return
        recording = check_upload(self.storage.materials, request.upload, SOUND)
        document = replace(
            self.document,
            source="text" if said else "voice",
            speaking=request.speaking,
            sound=request.upload,
            script="",
            gestures=(),
            title=_stem(recording.name),
        )
        self._change(document, USE_SOUND)

    def _on_use_motion(self, request: messages.UseMotion) -> None:
        material = check_upload(self.storage.materials, request.upload)
        document = replace(
            self.document,
            source="motion",
            motion=request.upload,
            sound="",
            script="",
            gestures=(),
            title=_stem(material.name),
        )
        self._change(document, USE_MOTION)

    def _on_use_character(self, request: messages.UseCharacter) -> None:
        if request.upload:
            check_upload(self.storage.materials, request.upload)
        self._use_character(request.upload)

    def _on_learn(self, request: messages.Learn) -> None:
        self.storage.check_room()
        known = self.storage.materials
        materials = tuple(check_upload(known, upload) for upload in request.uploads)
        task = LearnStyle(request.what, request.name, materials, self.storage.folder)
        what = "learning a speaker" if request.what == "speaker" else "training a model"
        self._begin(self._slow, task, what)

    def _on_export(self, request: messages.Export) -> None:
        if request.ending not in endings():
            raise InvalidValueError(f"{request.ending!r}, allowed are {' '.join(endings())}")
        if self.document.source == "nothing" and request.ending != PROJECT:
            raise InvalidValueError("there is nothing to export yet")
        self.storage.check_room()
        task = SaveTake(
            self.document, dict(self.storage.materials), self.storage.folder, request.ending
        )
        self._begin(self._slow, task, f"writing {request.ending}")

    def _on_open_project(self, request: messages.OpenProject) -> None:
        material = check_upload(self.storage.materials, request.upload, (PROJECT,))
        self.storage.check_room()
        task = LoadProject(material, self.storage.folder)
        self._begin(self._slow, task, "opening a project")

    def _on_new_project(self, request: messages.NewProject) -> None:
        character = self.document.character
        self._change(Document(character=character), "begin anew")

    def _on_cancel(self, request: messages.Cancel) -> None:
        self._jobs.cancel(request.job)

    def _on_talk_start(self, request: messages.TalkStart) -> None:
        self.offers.check(request.speaking)
        s = request.speaking
        known = self.storage.materials.get(s.model)
        model = known.path if known is not None else s.model
        cast = Cast(model=model, fps=FPS, seed=s.seed, stance=s.stance or None)
        # Curves need the whole motion; live characters have the constant settings.
        constant = direction_of(replace(self.document.directing, phrase=()))
        engine = Acting(replace(constant, amount=s.amount, physics="off"), cast).engine()
        self.talk = Talk(engine, request.rate_hz, self._wardrobe.worn.figure)
        self._talk_speaking = s
        self._say_talking()

    def _on_talk_stop(self, request: messages.TalkStop) -> None:
        talk, self.talk = self.talk, None
        self._say(messages.Talking(False, -80.0, 0.0, 0.0, False))
        if talk is None or not request.keep:
            return
        said = talk.recording()
        if len(said) < SPEECH_RATE_HZ:
            raise InvalidValueError("less than a second of audio was recorded; a take needs more")
        sound = self.storage.put(wav_bytes(Audio(np.asarray(said), SPEECH_RATE_HZ)), "talk.wav")
        document = replace(
            self.document,
            source="voice",
            speaking=replace(self._talk_speaking, text=""),
            sound=sound,
            script="",
            gestures=(),
            title="talk",
        )
        self._change(document, "talk")

    # Documents and takes.

    @property
    def document(self) -> Document:
        """The current document."""
        return self.history.document

    def _profile(self) -> Any:
        style = self.document.speaking.style
        known = self.storage.materials.get(style)
        return speaker(known.path if known is not None else style)

    def _change(self, document: Document, label: str, group: str = "") -> None:
        self.history = self.history.append(document, label, group)
        self._after_change()

    def _go(self, history: History) -> None:
        if history.at == self.history.at:
            return
        before = self.document
        self.history = history
        if self.document.character != before.character:
            self._use_character(self.document.character, then_make=True)
        else:
            self._after_change()

    def _after_change(self) -> None:
        self.revision += 1
        self._say_changed()
        if self.document.source == "nothing":
            self._newest.clear()
        else:
            self._make()

    def _make(self) -> None:
        task = MakeTake(self.document, dict(self.storage.materials), self.storage.folder)
        label = {"text": "performing", "voice": "listening", "motion": "reading"}
        revision = self.revision
        began = time.monotonic()
        self._begin(
            self._quick,
            task,
            label.get(self.document.source, "working"),
            lambda made: self._show_take(made, revision, time.monotonic() - began),
            key=self.id,
            failed=lambda: self._withdraw_change(revision),
        )

    def _withdraw_change(self, revision: int) -> None:
        """Undo the change that used a file which turned out to be unusable."""
        if revision == self.revision and self.history.undo_label in (USE_SOUND, USE_MOTION):
            self.history = self.history.withdrawn()
            self._after_change()

    def _show_take(self, made: Answer, revision: int, took_s: float) -> None:
        """Show a take, unless the document has changed since."""
        assert isinstance(made, Made)
        if revision != self.revision:
            return
        if made.document != self.document:
            self.history = self.history.settle(made.document)
            self._say_changed()
        if made.whole:
            self._newest.clear()
        sound = self.storage.serve(made.sound, "audio/wav") if made.sound else ""
        for clip, plain in ((made.plain, True), (made.shown, False)):
            if clip is not None:
                self._show(clip, plain, made, revision, sound, took_s)

    def _show(
        self, clip: ClipData, plain: bool, made: Made, revision: int, sound: str, took_s: float
    ) -> None:
        number, figure = next(self._takes), self._wardrobe.worn.told.id
        packet = packets.clip(
            number, figure, clip.frames, clip.joints, clip.shapes, clip.fps, clip.data
        )
        ready = messages.TakeReady(
            number,
            revision,
            figure,
            clip.fps,
            clip.frames,
            plain,
            made.whole,
            sound,
            made.rows,
            made.notes,
            round(took_s, 3),
        )
        if made.whole:
            self._newest[plain] = _Shown(packet, ready)
        self.send(packet)
        self._say(ready)

    # Characters.

    def _use_character(self, upload: str, then_make: bool = False) -> None:
        """Show another character, once its file has been read."""
        if upload in self._wardrobe:
            self._put_on(upload, then_make)
            return
        material = self.storage.materials.get(upload)
        if material is None:
            raise InvalidValueError("the character's file is missing; add it again")
        task = LoadCharacter(material, self.storage.folder)

        def on_loaded(answer: Answer) -> None:
            assert isinstance(answer, Looked)
            loading = asyncio.to_thread(shown_character, material.path, material.name)
            ready = asyncio.ensure_future(self._add_character(upload, answer, loading, then_make))
            self._loading.add(ready)
            ready.add_done_callback(self._loading.discard)

        self._begin(self._quick, task, "reading the character", on_loaded)

    async def _add_character(
        self, upload: str, seen: Looked, loading: Any, then_make: bool
    ) -> None:
        """Load the character here too: live frames are made in this process."""
        try:
            shown = await loading
        except KinesphereError as error:
            if not self._closed:
                self._say(messages.RequestFailed(self.storage.plain(str(error)), "use-character"))
            return
        if self._closed:
            return
        self._wardrobe.add(upload, seen, self.storage.serve(seen.glb, "model/gltf-binary"), shown)
        self._put_on(upload, then_make)

    def _put_on(self, upload: str, then_make: bool) -> None:
        worn = self._wardrobe.put_on(upload)
        if self.talk is not None:
            self.talk.figure = worn.figure
        self._newest.clear()
        self._say(worn.told)
        if then_make:
            self._after_change()
        else:
            self._change(replace(self.document, character=upload), "change the character")

    # Jobs.

    def _begin(
        self,
        lane: Lane,
        task: Task,
        label: str,
        done: Callable[[Answer], None] | None = None,
        key: str = "",
        failed: Callable[[], None] | None = None,
    ) -> None:
        self._jobs.begin(lane, task, label, done or self._on_answer, key, failed)

    def _on_answer(self, answer: Answer) -> None:
        """Handle the result of a job that is not a take."""
        if isinstance(answer, Saved):
            self._offer_file(answer)
        elif isinstance(answer, LearnedStyle):
            self._has_learned(answer)
        elif isinstance(answer, OpenedProject):
            self._open_project(answer)

    def _offer_file(self, answer: Saved) -> None:
        ending = Path(answer.path).suffix
        media = _MEDIA.get(ending, "application/octet-stream")
        url = self.storage.serve(answer.path, media, answer.name)
        self._say(messages.Exported(answer.name, url, Path(answer.path).stat().st_size))

    def _has_learned(self, answer: LearnedStyle) -> None:
        key = self.storage.add(Material(answer.path, f"{answer.name}.kin"))
        self.offers.add(answer.what, key, answer.name)
        self._say(self.offers.learned_message())
        url = self.storage.serve(answer.report, "text/html; charset=utf-8")
        self._say(messages.Report(answer.name, url))

    def _open_project(self, answer: OpenedProject) -> None:
        for key, material in answer.materials.items():
            self.storage.add(material, key)
        self._name_own(answer.document)
        check_document(answer.document, self.storage.materials, self.offers)
        self.history = History.of(answer.document)
        self._use_character(answer.document.character, then_make=True)

    def _name_own(self, document: Document) -> None:
        """Offer the styles and models of a project."""
        both = (("speaker", document.speaking.style), ("model", document.speaking.model))
        for what, key in both:
            if key in self.storage.materials:
                self.offers.add(what, key, _stem(self.storage.materials[key].name))
        self._say(self.offers.learned_message())

    # Transcripts.

    def _say(self, message: messages.Reply) -> None:
        self.send(wire.text_of(message))

    def _say_changed(self) -> None:
        h = self.history
        changed = messages.Changed(
            self.document,
            self.revision,
            bool(h.undo_label),
            bool(h.redo_label),
            h.undo_label,
            h.redo_label,
        )
        self._say(changed)

    def _say_talking(self) -> None:
        if self.talk is not None:
            heard = self.talk.level()
            talking = messages.Talking(
                True,
                round(heard.level_db, 1),
                round(heard.heard_s, 2),
                round(heard.step_ms, 2),
                heard.speaking,
            )
            self._say(talking)


def _alike(one: str, other: str) -> bool:
    """Whether two texts can be transcripts of one recording: most of their words are the same."""
    pair = difflib.SequenceMatcher(None, one.casefold().split(), other.casefold().split())
    return pair.ratio() >= _SAME_SPEECH


def _title(text: str) -> str:
    said = re.sub(r"\|[^<>{}|]*[>}]", " ", text)  # without markup
    words = "".join(c if c.isalnum() or c.isspace() else " " for c in said).split()
    return " ".join(words[:6])[:60] or "untitled"


def _stem(name: str) -> str:
    return name.rsplit(".", 1)[0][:60] or "untitled"
