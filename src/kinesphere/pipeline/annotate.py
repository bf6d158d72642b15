"""Automatic annotation of motion, with the words of each gesture."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from kinesphere.character.take_rig import report_of
from kinesphere.corpus.annotation.annotation import AnnotatedWord
from kinesphere.corpus.annotation.automatic import AutomaticAnnotation, AutomaticSettings
from kinesphere.corpus.annotation.automatic import annotate as annotate_clip
from kinesphere.corpus.annotation.known_gestures import KnownGestures, known_gestures
from kinesphere.errors import InvalidValueError, KinesphereError, UnwritableError
from kinesphere.gesture.script import GestureScript
from kinesphere.gesture.script_text import script_of_text
from kinesphere.motion.take import Take
from kinesphere.pipeline.hear import (
    hear,
    is_timed,
    read_transcript,
    with_guessed_words,
    with_timed_words,
)
from kinesphere.pipeline.speakers import ANNOTATIONS
from kinesphere.speech.value import Speech
from kinesphere.timeline import Tier

MARKS = ("auto", "none")


def annotate(
    take: Take,
    speech: Speech | None = None,
    language: str = "en",
    settings: AutomaticSettings | None = None,
    *,
    marks: str = "auto",
) -> AutomaticAnnotation:
    """Annotate the gestures of a take: phases, hands, positions, lexemes, and their words.

    Parameters
    ----------
    take : motion of a humanoid.
    speech : with the times of its words; by default that of the take.
    language : of the words.
    marks : ``auto`` takes phases, hands and lexemes from the annotations stored in the take if it
        has any, as one performed from a script does, and else detects them in the motion; ``none``
        always detects them in the motion.

    Raises
    ------
    InvalidValueError
        For other values of `marks`, or another language.
    RigError
        If the take's skeleton is not a humanoid.

    Examples
    --------
    >>> import kinesphere as ks
    >>> found = ks.annotate(ks.perform("This is huge!", "host", seed=1, voice="none"))
    >>> [gesture.lexeme for gesture in found.annotation.gestures]
    ['BigSpan']
    """
    if marks not in MARKS:
        raise InvalidValueError(f"marks {marks!r}, allowed are {', '.join(MARKS)}")
    words = _words(speech.words if speech is not None else _tier(take))
    known = own_marks(take) if marks == "auto" else None
    rig = report_of(take).rig.require("an annotation")
    return annotate_clip(take.clip, rig, words, language, settings, known=known)


def own_marks(take: Take) -> KnownGestures | None:
    """Annotations stored in a take; None if there are none."""
    return known_gestures(take.tiers, _script(take))


def _script(take: Take) -> GestureScript | None:
    """Script that a take was made from, if it contains a readable one."""
    text = take.documents.get("script")
    if not isinstance(text, str):
        return None
    try:
        return script_of_text(text)
    except KinesphereError:
        return None


def _tier(take: Take) -> Tier:
    return next((t for t in take.tiers if t.name == "words"), Tier("words", ()))


def _words(tier: Tier) -> tuple[AnnotatedWord, ...]:
    return tuple(
        AnnotatedWord(i.start_s, i.end_s, i.label) for i in tier.intervals if i.label.strip()
    )


def read_spoken(
    path: str | PathLike[str], transcript: str | PathLike[str] | None, language: str
) -> Speech:
    """Recording with timed words: from its transcript, or roughly recognised without one."""
    if transcript is None:
        return with_guessed_words(path)
    if is_timed(transcript):
        return with_timed_words(path, transcript)
    return hear(path, read_transcript(transcript), language).speech


def check_annotation_output(path: str | PathLike[str]) -> None:
    """Reject an output that cannot be written, before any work is done."""
    ending = Path(path).suffix.lower()
    if ending not in ANNOTATIONS:
        raise UnwritableError(
            f"{path}: cannot write {ending or 'a file without suffix'!r}; annotations are "
            f"{' or '.join(ANNOTATIONS)}"
        )
