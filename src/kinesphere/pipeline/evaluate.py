"""Evaluation of takes: read with audio, measured on their own skeletons, written as a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from kinesphere.character.take_rig import report_of
from kinesphere.errors import InvalidValueError, RigError, UnreadableError, UnwritableError
from kinesphere.evaluation.evaluation import evaluate as evaluate_subjects
from kinesphere.evaluation.metric import Manner
from kinesphere.evaluation.results import Evaluation
from kinesphere.evaluation.segment_synchrony import segment_ends
from kinesphere.evaluation.speech_timing import SpeechMarks, speech_marks
from kinesphere.evaluation.take_measures import Subject
from kinesphere.export.sound_beside import sound_beside
from kinesphere.formats.gltf.mesh import figure_if_any
from kinesphere.formats.registry import endings, read_take
from kinesphere.maths.arrays import Floats
from kinesphere.motion.calibration import calibration_frames
from kinesphere.motion.take import Audio, Take
from kinesphere.pipeline.convert import cut
from kinesphere.speech.audio import read_audio

SEGMENTS = ("head", "arms", "lower")
"""Tiers of segments that are used if a take has them."""
# Larger differences in length of motion and audio get a note.
_DIFFERENT_S = 1.0

Source = Take | str | PathLike[str]
Progress = Callable[[int, int], None]


def evaluate(
    takes: Source | Sequence[Source],
    against: Source | Sequence[Source] = (),
    *,
    speech: Sequence[str | PathLike[str]] = (),
    manner: Manner = "calm",
    segments: Sequence[str] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Evaluation:
    """Evaluate takes with all metrics, and compare them with references if given.

    Parameters
    ----------
    takes, against : takes, motion files of any format, or folders of them.
    speech : audio of the takes: one for all of them, or one for each. By default the take's own, or
        an audio file of the same name in the same folder; references always have theirs this way.
    manner : ``calm`` or ``expressive``: ranges of recorded speakers to compare with.
    segments : names of tiers whose segment ends are compared with syllables; every take must have
        them. By default ``head``, ``arms`` and ``lower``, where present.
    progress : called with how many motions of how many are done.
    options : of the readers, see `kinesphere.pipeline.convert.load`.

    Raises
    ------
    InvalidValueError
        If there is no take, one is too short, or the number of audio files fits neither.
    RigError, UnreadableError
        If a take is not a humanoid, or a file cannot be read.

    Examples
    --------
    >>> import kinesphere as ks
    >>> found = ks.evaluate(ks.perform("This is huge!", "host", seed=1, voice="none"))
    >>> found.faults["hand_in_body_share"], found.timing  # no voice, no timing
    (0.0, None)
    """
    mine, theirs = _name_sources(takes, "take"), _name_sources(against, "reference")
    if len(speech) not in (0, 1, len(mine)):
        raise InvalidValueError(
            f"audio: {len(speech)}, takes: {len(mine)}; allowed is one for all, or one for each"
        )
    reader = _Reader(segments, options)
    done = _counting(progress, len(mine) + len(theirs))
    sounds: Sequence[str | PathLike[str] | None] = speech or [None]
    if len(sounds) == 1:
        sounds = [sounds[0]] * len(mine)
    found = evaluate_subjects(
        (
            done(reader.subject(name, source, sound))
            for (name, source), sound in zip(mine, sounds, strict=True)
        ),
        (done(reader.subject(name, source, reference=True)) for name, source in theirs),
        manner,
    )
    return replace(found, notes=(*reader.notes, *found.notes))


def write_evaluation_page(found: Evaluation, path: str | PathLike[str]) -> None:
    """Write an evaluation as a self-contained page, atomically.

    Examples
    --------
    >>> import kinesphere as ks
    >>> found = ks.evaluate(ks.perform("This is huge!", "host", seed=1, voice="none"))
    >>> ks.write_evaluation_page(found, "measured.html")
    """
    from kinesphere.export.pages.evaluation.evaluation_page import write_evaluation_page

    check_page(path)
    write_evaluation_page(found, path)


def check_page(path: str | PathLike[str]) -> None:
    """Reject a page that cannot be written, before any work is done."""
    target = Path(path)
    if target.suffix.lower() != ".html":
        found = target.suffix or "a file without suffix"
        raise UnwritableError(f"{path}: cannot write {found!r}; evaluate writes .html")
    if target.is_dir():
        raise UnwritableError(f"{path}: is a folder")
    if not target.resolve().parent.is_dir():
        raise UnwritableError(f"{path}: its folder does not exist")


def _counting(progress: Progress | None, total: int) -> Callable[[Subject], Subject]:
    count = 0

    def count_subject(subject: Subject) -> Subject:
        nonlocal count
        count += 1
        if progress is not None:
            progress(count, total)
        return subject

    return count_subject


def _name_sources(sources: Source | Sequence[Source], what: str) -> list[tuple[str, Source]]:
    """Sources with their names in tables; equal names are made distinct."""
    if isinstance(sources, Take | str | PathLike):
        sources = [sources]
    files = [file for source in sources for file in _files(source)]
    names = [
        f"{what} {i + 1}" if isinstance(f, Take) else Path(f).stem for i, f in enumerate(files)
    ]
    twice = {name for name, count in Counter(names).items() if count > 1}
    full = [
        n
        if isinstance(f, Take) or n not in twice
        else f"{Path(f).resolve().parent.name}/{Path(f).name}"
        for n, f in zip(names, files, strict=True)
    ]
    return list(zip(full, files, strict=True))


def _files(source: Source) -> Iterator[Source]:
    if isinstance(source, Take) or not Path(source).is_dir():
        if not isinstance(source, Take) and not Path(source).exists():
            raise UnreadableError(source, "no such file or folder")
        yield source
        return
    known = endings(reading=True)
    found = sorted(p for p in Path(source).iterdir() if p.suffix.lower() in known)
    if not found:
        raise UnreadableError(source, f"contains no motion; readable are {' '.join(known)}")
    yield from found


class _Reader:
    """Reads takes with their audio, and collects notes about them."""

    def __init__(self, segments: Sequence[str] | None, options: dict[str, Any]) -> None:
        self.segments, self.options = segments, options
        self.notes: list[str] = []
        self._known: dict[str, tuple[SpeechMarks, float]] = {}

    def subject(
        self,
        name: str,
        source: Source,
        sound: str | PathLike[str] | None = None,
        *,
        reference: bool = False,
    ) -> Subject:
        """A take without a leading calibration pose, and with its speech analysis."""
        take = source if isinstance(source, Take) else read_take(source, **self.options)
        clip, called = take.clip, name if isinstance(source, Take) else str(source)
        if sound is None and take.audio is None and not isinstance(source, Take):
            sound = sound_beside(source)
        marks = self._speech_marks(called, take, sound)
        first = calibration_frames(clip)
        take = cut(replace(take, audio=None), first, len(clip))
        rig = report_of(take).rig
        if rig.missing:
            lacking = ", ".join(rig.missing)
            raise RigError(
                f"{called}: is not a humanoid: no joint for {lacking} ('doctor' shows why)"
            )
        if marks is not None:
            marks = marks.between(first / clip.fps, len(clip) / clip.fps)
        wanted = SEGMENTS if self.segments is None else self.segments
        ends = _ends(called, take, wanted, must=self.segments is not None and not reference)
        figure = figure_if_any(take.origin, take.clip.skeleton)
        return Subject(name, take.clip, rig, marks, ends, called, figure)

    def _speech_marks(
        self, called: str, take: Take, sound: str | PathLike[str] | None
    ) -> SpeechMarks | None:
        """Speech analysis of a take, from a file or from its own audio; None without audio."""
        if sound is not None:
            if str(sound) not in self._known:
                self._known[str(sound)] = _analyse(read_audio(sound).audio)
            marks, length = self._known[str(sound)]
        elif take.audio is not None:
            marks, length = _analyse(take.audio)
        else:
            return None
        motion = take.clip.duration_s
        if abs(motion - length) > _DIFFERENT_S:
            self.notes.append(f"{called}: {motion:.1f} s of motion, {length:.1f} s of audio")
        return marks


def _analyse(audio: Audio) -> tuple[SpeechMarks, float]:
    return speech_marks(audio), len(audio.samples) / audio.rate_hz


def _ends(called: str, take: Take, tiers: Sequence[str], *, must: bool) -> dict[str, Floats]:
    """Segment ends by tier; `must` requires all of these tiers."""
    out = {}
    for each in tiers:
        tier = take.tier(each)
        if tier is not None:
            out[each] = segment_ends(tier, take.clip.duration_s)
        elif must:
            there = ", ".join(repr(t.name) for t in take.tiers) or "none"
            raise InvalidValueError(f"{called}: has no tier {each!r}; its tiers are: {there}")
    return out
