"""Work done in worker processes: takes of documents, files, characters, speakers, models.

Every result is a function of its task. Slow steps are cached by their inputs, so that moving a
slider does not synthesise the speech again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any, TypeVar

from kinesphere import __version__
from kinesphere.bodylanguage.choose.word_choice import GestureKey
from kinesphere.character.default import default_rig
from kinesphere.character.take_rig import report_of
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.corpus.profiles.profile_file import write_profile
from kinesphere.errors import InvalidValueError, KinesphereError
from kinesphere.export.output import save, writable
from kinesphere.export.pages.model.model_page import write_model_page
from kinesphere.export.pages.speaker.speaker_page import write_speaker_page
from kinesphere.export.sound_beside import is_silent
from kinesphere.formats.files import write_atomically
from kinesphere.formats.wav import wav_bytes
from kinesphere.gesture.script import GestureScript
from kinesphere.gesture.script_text import SCRIPT_ENDINGS, script_of_text, script_text
from kinesphere.motion.take import Take
from kinesphere.pipeline.convert import load
from kinesphere.pipeline.retarget import retarget
from kinesphere.pipeline.speakers import profile as fit_profile
from kinesphere.pipeline.speakers import speaker
from kinesphere.pipeline.stages.act import Acted, VoiceSettings, act, act_beginning
from kinesphere.pipeline.stages.cast import Cast
from kinesphere.pipeline.stages.direct import direct
from kinesphere.pipeline.stages.direction import Direction
from kinesphere.pipeline.stages.plan import Plan, plan
from kinesphere.pipeline.stages.utter import Utterance, utter
from kinesphere.studio.document.directing import direction_of
from kinesphere.studio.document.document import (
    Directing,
    Document,
    DocumentGesture,
    Speaking,
    TensionSetting,
)
from kinesphere.studio.document.project_file import ENDING as PROJECT
from kinesphere.studio.document.project_file import read_project, write_project
from kinesphere.studio.document.script_edits import shown_gesture
from kinesphere.studio.server import wire
from kinesphere.studio.server.archives import check_archive
from kinesphere.studio.server.messages import TimelineRow
from kinesphere.studio.server.upload_kinds import ANNOTATIONS
from kinesphere.studio.work.figures import ShownFigure, default_shown_figure, shown_character
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
SCRIPT = SCRIPT_ENDINGS[0]
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


_SAID, _PLANS, _TAKES, _DIRECTED, _FIGURES = Kept(8), Kept(8), Kept(12), Kept(12), Kept(4)


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
    directing = Directing(parts={"left-arm": {"weight": 0.1}}, tension=TensionSetting(0.05, 0.5))
    said = Document(
        source="text", speaking=Speaking(text="Hello, this is huge!"), directing=directing
    )
    with contextlib.suppress(KinesphereError):  # no voice is installed: reported when one is needed
        make_take(MakeTake(said, {}, ""), lambda *_: None, lambda _: None)
    for kept in (_SAID, _PLANS, _TAKES, _DIRECTED):
        kept.values.clear()


def make_take(task: MakeTake, told: Told, part: Part) -> Made:
    """Make a take and its data for the page."""
    document, take = _plain_take(task, told, part)
    told(0.7, "directing")
    made = _direct(task, document, take)
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
        return _perform(task, told, part)
    if document.source == "voice":
        return document, _listen(task, told)
    if document.source == "motion":
        path = _path(task, document.motion)
        return document, _TAKES.get(("motion", path), lambda: Acted(_load_take(path))).take
    raise InvalidValueError("there is nothing to show yet")


def _load_take(path: str) -> Take:
    check_archive(path)
    take = load(path)
    report_of(take).rig.require("the studio")
    return take


def _cast(task: MakeTake | SaveTake) -> Cast:
    """Who performs a document: without the character, which the page shows by itself."""
    s = task.document.speaking
    model = task.materials[s.model].path if s.model in task.materials else s.model
    spoken = not task.document.sound
    return Cast(
        style=_style(task),
        voice=(s.voice or None) if spoken else None,
        rate=s.rate if spoken else 1.0,
        language=None if s.language == "auto" else s.language,
        model=model,
        fps=FPS,
        seed=s.seed,
        stance=s.stance or None,
    )


def _utter(task: MakeTake | SaveTake, cast: Cast) -> tuple[Hashable, Utterance]:
    text, sound = task.document.speaking.text, task.document.sound
    recording = _path(task, sound) if sound else None
    key = (text, cast.language, cast.voice, cast.rate, recording)
    return key, _SAID.get(key, lambda: utter(text, cast, speech=recording))


def _perform(task: MakeTake | SaveTake, told: Told, part: Part | None) -> tuple[Document, Take]:
    document, s = task.document, task.document.speaking
    told(0.05, "speaking")
    cast = _cast(task)
    spoken, said = _utter(task, cast)
    if not document.script:
        chosen = _PLANS.get(
            (spoken, s.style, s.seed, s.amount),
            lambda: plan(said, cast, Direction(amount=s.amount)),
        )
        document = _with_plan(document, chosen)
    meant = _plan_of(document)
    done_by = (s.style, s.seed, s.stance)
    key = ("text", spoken, document.script, meant.anchors, meant.pinned, done_by)

    def whole() -> Acted:
        if part is not None and said.duration_s > _LONG_S:
            part(_beginning(task, document, meant, said, cast))
        told(0.3, "performing")
        return act(said, meant, cast)

    done = _TAKES.get(key, whole)
    return _with_times(document, meant.script, done), done.take


def _plan_of(document: Document) -> Plan:
    """The edited gestures of a document; those that the user moved keep the script's times."""
    pinned = frozenset(i for i, g in enumerate(document.gestures) if g.pinned)
    anchors = tuple(g.anchor for g in document.gestures)
    return Plan(script_of_text(document.script), anchors, pinned)


def _with_plan(document: Document, made: Plan) -> Document:
    """Document with the gestures that were chosen for its text."""
    rows = []
    for number, (g, t) in enumerate(zip(made.script.gestures, made.triggers, strict=True), 1):
        why = t.tag or "asked for"
        if t.probability is not None:
            why += f", {t.probability:.0%}"
        anchor = (t.start_s, t.end_s)
        blank = DocumentGesture(
            number, g.lexeme, g.hands, 0.0, 0.0, 0.0, "", "", t.words, why, anchor
        )
        rows.append(shown_gesture(g, blank))
    return replace(document, script=script_text(made.script), gestures=tuple(rows))


def _with_times(document: Document, script: GestureScript, done: Acted) -> Document:
    """Document with the times at which gestures were performed."""
    rows = []
    for i, (g, shown) in enumerate(zip(script.gestures, document.gestures, strict=True)):
        made = shown_gesture(g, shown)
        if i in done.strokes and not shown.pinned:  # one that the user moved stays where it is
            start_s, end_s = done.strokes[i]
            made = replace(made, time_s=round(end_s, 4), stroke_s=round(end_s - start_s, 4))
        rows.append(made)
    return replace(document, gestures=tuple(rows))


def _beginning(
    task: MakeTake | SaveTake, document: Document, meant: Plan, said: Utterance, cast: Cast
) -> Made:
    """The first seconds of a long take, with the gestures that start in them."""
    take = act_beginning(said, meant, cast, _FIRST_S).take
    shown = _clip_data(take, _figure(task))
    sound = take if said.heard is None else replace(take, audio=said.heard.speech.audio)
    return Made(
        document, shown, None, _rows(take), (), _sound_file(sound, task.folder), whole=False
    )


def _listen(task: MakeTake | SaveTake, told: Told) -> Take:
    document, s = task.document, task.document.speaking
    told(0.1, "listening")
    path = _path(task, document.sound)
    cast = _cast(task)
    chosen = tuple(
        (GestureKey(g.lexeme, g.hands), g.time_s - 0.5 * g.stroke_s)  # type: ignore[arg-type]
        for g in document.gestures
    )
    key = ("voice", path, cast.model, s.seed, s.amount, s.style, s.stance, chosen)
    said = _SAID.get(("recording", path), lambda: utter(speech=path))
    how, voice = Direction(amount=s.amount), VoiceSettings(gestures=chosen)
    return _TAKES.get(key, lambda: act(said, None, cast, how, voice=voice)).take


def _direct(task: MakeTake | SaveTake, document: Document, take: Take) -> Take:
    """The take with direction settings; the same object if they are neutral."""
    wanted = direction_of(document.directing)
    if wanted.is_neutral:
        return take
    key = (id(take), document.speaking.style, repr(wanted))
    # The take is cached with its result, so that its `id` is not reused.
    return _DIRECTED.get(key, lambda: (take, direct(take, wanted, _style(task))))[1]


def _figure(task: MakeTake | SaveTake) -> ShownFigure:
    if not task.document.character:
        return default_shown_figure()
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
    moved = figure.retarget(clip, None if same else report_of(take).rig)
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
        with write_atomically(path) as file:
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
    take = _direct(task, document, take)
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
        found = fit_profile(paths, name).profile
        write_profile(found, target)
        write_speaker_page(found, page)
        return LearnedStyle("speaker", name, str(target), str(page))
    from kinesphere.bodylanguage.model_file import write_model
    from kinesphere.pipeline.train import train

    corpus = _pair_files(task.materials, folder / "corpus")
    trained = train(
        str(corpus), name=name, workers=1, progress=lambda what, ratio: told(ratio, what)
    )
    write_model(trained.model, target)
    write_model_page(trained, page)
    return LearnedStyle("model", name, str(target), str(page))


def _pair_files(materials: tuple[Material, ...], folder: Path) -> Path:
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
