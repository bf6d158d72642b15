"""Work done in worker processes: takes of documents, files, characters, speakers, models.

Every result is a function of its task. Slow steps are cached by their inputs, so that moving a
slider does not synthesise the speech again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any, TypeVar

from kinesphere import __version__
from kinesphere.animation.performance import Performed, Performer, perform_script
from kinesphere.animation.speech_cues import SpeechCues, speech_cues
from kinesphere.bodylanguage.play.gesture_clips import GestureKey
from kinesphere.character.default import default_rig
from kinesphere.character.take_rig import report_of
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.corpus.profiles.profile_file import write_profile
from kinesphere.errors import InvalidValueError, KinesphereError
from kinesphere.export.output import save, writable
from kinesphere.export.pages.model_page import write_model_page
from kinesphere.export.pages.speaker_page import write_speaker_page
from kinesphere.export.sound_beside import is_silent
from kinesphere.formats.files import written_whole
from kinesphere.formats.wav import wav_bytes
from kinesphere.generation.generate import Generated
from kinesphere.gesture.script import GestureScript
from kinesphere.gesture.script_text import script_of_text, script_text
from kinesphere.motion.take import Take
from kinesphere.pipeline.convert import cut, load
from kinesphere.pipeline.hear import hear
from kinesphere.pipeline.listen import listen
from kinesphere.pipeline.perform import Said, said_text, take_of
from kinesphere.pipeline.retarget import retarget
from kinesphere.pipeline.scripts import script
from kinesphere.pipeline.speakers import profile as fitted_profile
from kinesphere.pipeline.speakers import speaker
from kinesphere.studio.document.directing import directed, is_plain
from kinesphere.studio.document.document import Directing, Document, Gesture, Speaking, Tension
from kinesphere.studio.document.project_file import ENDING as PROJECT
from kinesphere.studio.document.project_file import read_project, write_project
from kinesphere.studio.document.script_edits import shown_gesture
from kinesphere.studio.server import wire
from kinesphere.studio.server.archives import check_archive
from kinesphere.studio.server.messages import TimelineRow
from kinesphere.studio.server.upload_kinds import ANNOTATIONS
from kinesphere.studio.work.figures import ShownFigure, default_shown, shown_character
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

FPS = 60.0
SCRIPT = ".script"
# Of a take longer than this, in seconds, the first part is shown while the rest is made.
_LONG_S, _FIRST_S = 25.0, 12.0
_ROWS = {"phases left": "left-arm", "phases right": "right-arm"}
Told = Callable[[float, str], None]
Part = Callable[[Any], None]
T = TypeVar("T")


class Kept:
    """A cache of the last few values, keyed by their inputs."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.values: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The cached value, or a new one."""
        if key in self.values:
            self.values.move_to_end(key)
            found: T = self.values[key]
            return found
        value = make()
        self.values[key] = value
        while len(self.values) > self.most:
            self.values.popitem(last=False)
        return value


_SAID, _TAKES, _DIRECTED, _FIGURES = Kept(8), Kept(12), Kept(12), Kept(4)


def work(task: Task, told: Told, part: Part) -> Answer:
    """Do a task; `told` gets its progress, `part` gets answers before the last one."""
    if isinstance(task, MakeTake):
        return make_take(task, told, part)
    if isinstance(task, SaveTake):
        return save_take(task, told)
    if isinstance(task, LoadCharacter):
        return look_at(task)
    if isinstance(task, LearnStyle):
        return learn(task, told)
    return open_project(task)


def warm() -> None:
    """Load voice, kernels and models before the first task."""
    directing = Directing(parts={"left-arm": {"weight": 0.1}}, tension=Tension(0.05, 0.5))
    said = Document(
        source="text", speaking=Speaking(text="Hello, this is huge!"), directing=directing
    )
    with contextlib.suppress(KinesphereError):  # no voice is installed: reported when one is needed
        make_take(MakeTake(said, {}, ""), lambda *_: None, lambda _: None)
    for kept in (_SAID, _TAKES, _DIRECTED):
        kept.values.clear()


def make_take(task: MakeTake, told: Told, part: Part) -> Made:
    """Make a take and its data for the page."""
    document, take = _plain_take(task, told, part)
    told(0.7, "directing")
    made = _directed(task, document, take)
    figure = _figure(task)
    shown = _clip_data(made, figure)
    plain = None if made is take else _clip_data(take, figure)
    sound = _sound_file(take, task.folder)
    return Made(document, shown, plain, _rows(made), made.notes, sound, whole=True)


def _path(task: MakeTake | SaveTake, key: str) -> str:
    if key not in task.materials:
        raise InvalidValueError("a file of this project is missing; add it again")
    return task.materials[key].path


def _style(task: MakeTake | SaveTake) -> Profile:
    style = task.document.speaking.style
    return speaker(task.materials[style].path if style in task.materials else style)


def _plain_take(
    task: MakeTake | SaveTake, told: Told, part: Part | None = None
) -> tuple[Document, Take]:
    """The take before direction settings, and the document with the generated gestures."""
    document = task.document
    if document.source == "text":
        return _performed(task, told, part)
    if document.source == "voice":
        return document, _listened(task, told)
    if document.source == "motion":
        path = _path(task, document.motion)
        return document, _TAKES.get(("motion", path), lambda: _loaded(path))
    raise InvalidValueError("there is nothing to show yet")


def _loaded(path: str) -> Take:
    check_archive(path)
    take = load(path)
    report_of(take).rig.required("the studio")
    return take


def _said(task: MakeTake | SaveTake) -> tuple[Hashable, Said]:
    document, s = task.document, task.document.speaking
    language = None if s.language == "auto" else s.language
    recording = _path(task, document.sound) if document.sound else None
    voice, rate = (None, 1.0) if recording else (s.voice or None, s.rate)
    key = (s.text, language, voice, rate, recording)
    return key, _SAID.get(key, lambda: said_text(s.text, language, recording, voice, rate))


def _performed(task: MakeTake | SaveTake, told: Told, part: Part | None) -> tuple[Document, Take]:
    document, s = task.document, task.document.speaking
    told(0.05, "speaking")
    spoken, said = _said(task)
    profile = _style(task)
    if not document.script:
        made = script(said.spoken, profile, seed=s.seed, amount=s.amount)
        document = _with_script(document, made, said)
    written = script_of_text(document.script)
    cues = _cues(document, written, said)
    anchors = tuple((g.anchor, g.pinned) for g in document.gestures)
    key = ("text", spoken, document.script, anchors, s.style, s.seed)

    def perform(now: GestureScript, heard: SpeechCues) -> Performed:
        return perform_script(now, heard, Performer.of(profile), fps=FPS, seed=s.seed)

    def whole() -> tuple[Performed, Take]:
        if part is not None and said.heard.speech.duration_s > _LONG_S:
            part(_beginning(task, document, perform, written, cues, said))
        told(0.3, "performing")
        done = perform(written, cues)
        return done, take_of(done, written, said.heard, s.seed)

    done, take = _TAKES.get(key, whole)
    return _with_times(document, written, done), take


def _with_script(document: Document, made: Generated, said: Said) -> Document:
    """Document with the gestures that were generated for its text."""
    times = said.spoken.times
    reasons = {(r.words, r.lexeme): r for r in made.reasons if r.outcome == "done"}
    rows = []
    planned = [p for unit in made.planned for p in unit]
    graph = said.spoken.graph
    for number, (g, p) in enumerate(zip(made.script.gestures, planned, strict=True), start=1):
        c = p.frame.candidate
        words = graph.text(*c.trigger)
        reason = reasons.get((words, g.lexeme))
        why = f"{c.tag or 'asked for'}" + (f", {reason.probability:.0%}" if reason else "")
        anchor = (times[c.first][0], times[c.last][1])
        blank = Gesture(number, g.lexeme, g.hands, 0.0, 0.0, 0.0, "", "", words, why, anchor)
        rows.append(shown_gesture(g, blank))
    return replace(document, script=script_text(made.script), gestures=tuple(rows))


def _cues(document: Document, written: GestureScript, said: Said) -> SpeechCues:
    """Speech timing for the performance; gestures moved by the user keep the script's times."""
    heard = said.heard
    anchors = [g.anchor for g in document.gestures]
    questions = [i.end_s for i in heard.speech.sentences if "?" in i.label[-3:]]
    cues = speech_cues(heard.prominence, heard.speech.duration_s, written, anchors, questions)
    free = [None if g.pinned else m for g, m in zip(document.gestures, cues.gestures, strict=True)]
    pinned = frozenset(i for i, g in enumerate(document.gestures) if g.pinned)
    return replace(cues, gestures=tuple(free), exact=pinned)


def _with_times(document: Document, written: GestureScript, done: Performed) -> Document:
    """Document with the times at which gestures were performed."""
    times = {act.index: act.time for act in done.acts}
    rows = []
    for i, (g, shown) in enumerate(zip(written.gestures, document.gestures, strict=True)):
        made = shown_gesture(g, shown)
        if i in times:
            time = times[i]
            made = replace(
                made, time_s=round(time.end_s, 4), stroke_s=round(time.end_s - time.start_s, 4)
            )
        rows.append(made)
    return replace(document, gestures=tuple(rows))


def _beginning(
    task: MakeTake | SaveTake,
    document: Document,
    perform: Callable[[GestureScript, SpeechCues], Performed],
    written: GestureScript,
    cues: SpeechCues,
    said: Said,
) -> Made:
    """The first seconds of a long take, with the gestures that start in them."""
    units = tuple(u for u in written.units if u.gestures[-1].end_s < _FIRST_S)
    count = sum(len(u.gestures) for u in units)
    turns = [
        tuple(t for t in row if t.time_s < _FIRST_S)
        for row in (written.body_turns, written.head_turns)
    ]
    first = replace(written, units=units, body_turns=turns[0], head_turns=turns[1])
    heard = replace(
        cues, gestures=cues.gestures[:count], accents=cues.accents[:count], end_s=_FIRST_S
    )
    done = perform(first, heard)
    take = take_of(done, first, said.heard, document.speaking.seed)
    take = cut(take, 0, min(len(take.clip), round(_FIRST_S * FPS)))
    return Made(
        document,
        _clip_data(take, _figure(task)),
        None,
        _rows(take),
        (),
        _sound_file(replace(take, audio=said.heard.speech.audio), task.folder),
        whole=False,
    )


def _listened(task: MakeTake | SaveTake, told: Told) -> Take:
    document, s = task.document, task.document.speaking
    told(0.1, "listening")
    path = _path(task, document.sound)
    model = task.materials[s.model].path if s.model in task.materials else s.model
    chosen: Any = [
        (GestureKey(g.lexeme, g.hands), g.time_s - 0.5 * g.stroke_s)  # type: ignore[arg-type]
        for g in document.gestures
    ]
    key = ("voice", path, model, s.seed, s.amount, s.style, tuple(chosen))
    heard = _SAID.get(("heard", path), lambda: hear(path))
    return _TAKES.get(
        key,
        lambda: listen(
            heard, model, seed=s.seed, amount=s.amount, gestures=chosen, style=_style(task), fps=FPS
        ),
    )


def _directed(task: MakeTake | SaveTake, document: Document, take: Take) -> Take:
    """The take with direction settings; the same object if they are neutral."""
    wanted = document.directing
    if is_plain(wanted):
        return take
    style = document.speaking.style
    key = (id(take), style, json.dumps(wire.plain(wanted), sort_keys=True))
    # The take is cached with its result, so that its `id` is not reused.
    return _DIRECTED.get(key, lambda: (take, directed(take, wanted, _style(task))))[1]


def _figure(task: MakeTake | SaveTake) -> ShownFigure:
    if not task.document.character:
        return default_shown()
    material = task.materials.get(task.document.character)
    if material is None:
        raise InvalidValueError("the character's file is missing; add it again")
    return figure_of(material)


def figure_of(material: Material) -> ShownFigure:
    """A character from an upload, cached."""
    check_archive(material.path)
    key = (material.path, os.path.getmtime(material.path))
    return _FIGURES.get(key, lambda: shown_character(material.path, material.name))


def _clip_data(take: Take, figure: ShownFigure) -> ClipData:
    clip = take.clip
    same = clip.skeleton.same_joints(default_rig().skeleton)
    moved = figure.moved(clip, None if same else report_of(take).rig)
    return ClipData(
        moved.fps, len(moved), moved.rotations.shape[1], len(figure.shapes), figure.frames(moved)
    )


def _sound_file(take: Take, folder: str) -> str:
    """File with the take's audio, written once; empty without audio or without a folder."""
    if take.audio is None or not folder:
        return ""
    data = wav_bytes(take.audio)
    name = f"sound-{hashlib.sha256(data).hexdigest()[:24]}.wav"
    path = Path(folder) / name
    if not path.exists():
        with written_whole(path) as file:
            file.write(data)
    return str(path)


def _rows(take: Take) -> tuple[TimelineRow, ...]:
    out = []
    for tier in take.tiers:
        rows = [i for i in tier if i.label.strip()]
        out.append(
            TimelineRow(
                _ROWS.get(tier.name, tier.name),
                tuple(round(i.start_s, 4) for i in rows),
                tuple(round(i.end_s, 4) for i in rows),
                tuple(i.label for i in rows),
            )
        )
    return tuple(out)


def safe_name(title: str) -> str:
    """A title as a file name.

    >>> safe_name("../What? A take")
    'What-A-take'
    """
    words = "".join(c if c.isalnum() or c in "-_" else " " for c in title).split()
    return "-".join(words)[:60].strip("-") or "untitled"


def endings() -> tuple[str, ...]:
    """Suffixes of the export formats of a take."""
    return (*writable(), SCRIPT, PROJECT)


def save_take(task: SaveTake, told: Told) -> Saved:
    """Write the take of a document."""
    if task.ending not in endings():
        raise InvalidValueError(f"{task.ending!r}, allowed are {' '.join(endings())}")
    name = f"{safe_name(task.document.title)}{task.ending}"
    target = Path(task.folder) / f"export-{os.urandom(8).hex()}{task.ending}"
    if task.ending == PROJECT:
        write_project(task.document, task.materials, target)
        return Saved(str(target), name)
    document, take = _plain_take(task, told)
    if task.ending == SCRIPT:
        if not document.script:
            raise InvalidValueError("only a performed text has a gesture script")
        target.write_text(document.script, encoding="utf-8")
        return Saved(str(target), name)
    take = _directed(task, document, take)
    if document.character:
        take = retarget(take, task.materials[document.character].path)
    about = {**take.provenance, "studio": wire.plain(document), "version": __version__}
    # A single file is downloaded, so it must contain everything.
    take = replace(take, provenance=about, audio=None if is_silent(target) else take.audio)
    told(0.5, "writing")
    save(take, target, progress=lambda done, of: told(0.5 + 0.5 * done / max(of, 1), "drawing"))
    return Saved(str(target), name)


def look_at(task: LoadCharacter) -> Looked:
    """Data of a character for the page."""
    figure = figure_of(task.material)
    target = Path(task.folder) / f"figure-{os.urandom(8).hex()}.glb"
    target.write_bytes(figure.glb)
    return Looked(
        task.material.name,
        str(target),
        figure.vrm,
        figure.joints,
        figure.shapes,
        figure.bones,
        figure.home(),
    )


def learn(task: LearnStyle, told: Told) -> LearnedStyle:
    """Build a speaker or train a model, with a report page."""
    if not task.materials:
        raise InvalidValueError("there are no files to learn from")
    for material in task.materials:
        check_archive(material.path)
    folder = Path(task.folder) / f"learned-{os.urandom(8).hex()}"
    folder.mkdir()
    target, page = folder / "learned.kin", folder / "report.html"
    name = task.name.strip()[:60] or "mine"
    if task.what == "speaker":
        paths = [m.path for m in task.materials if PurePath(m.path).suffix in ANNOTATIONS]
        if not paths:
            raise InvalidValueError(f"a speaker is learned from {' '.join(ANNOTATIONS)} files")
        told(0.2, "reading annotations")
        found, _ = fitted_profile(paths, name)
        write_profile(found, target)
        write_speaker_page(found, page)
        return LearnedStyle("speaker", name, str(target), str(page))
    from kinesphere.bodylanguage.model_file import write_model
    from kinesphere.pipeline.train import train

    corpus = _paired(task.materials, folder / "corpus")
    trained = train(
        str(corpus), name=name, workers=1, progress=lambda what, ratio: told(ratio, what)
    )
    write_model(trained.model, target)
    write_model_page(trained, page)
    return LearnedStyle("model", name, str(target), str(page))


def _paired(materials: tuple[Material, ...], folder: Path) -> Path:
    """A folder with the files under generated names; files with equal stems keep equal stems."""
    folder.mkdir()
    stems: dict[str, str] = {}
    for material in materials:
        stem = PurePath(material.name).stem
        name = stems.setdefault(stem, f"recording-{len(stems) + 1:04d}")
        target = folder / f"{name}{PurePath(material.path).suffix}"
        if not target.exists():
            os.link(material.path, target)
    return folder


def open_project(task: LoadProject) -> OpenedProject:
    """Open a project file."""
    return read_project(task.material.path, task.folder)
