"""Motion annotated automatically, with the words that go with it."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from kinesphere.corpus.annotation import AnnotatedWord
from kinesphere.corpus.automatic import AutomaticAnnotation, AutomaticSettings
from kinesphere.corpus.automatic import annotate as annotate_clip
from kinesphere.errors import UnwritableError
from kinesphere.motion.take import Take
from kinesphere.pipeline.hear import (
    TIMED,
    hear,
    read_transcript,
    with_guessed_words,
    with_timed_words,
)
from kinesphere.pipeline.rigs import report_of
from kinesphere.pipeline.speakers import ANNOTATIONS
from kinesphere.speech.value import Speech
from kinesphere.timeline import Tier


def annotate(
    take: Take,
    speech: Speech | None = None,
    language: str = "en",
    settings: AutomaticSettings | None = None,
) -> AutomaticAnnotation:
    """Annotate the gestures of a take: phases, hands, places, lexemes, and the words they mean.

    Parameters
    ----------
    take : motion of a humanoid.
    speech : what is said, with the times of its words; those of the take if left out.
    language : of the words.
    """
    words = _words(speech.words if speech is not None else _tier(take))
    return annotate_clip(take.clip, report_of(take).rig, words, language, settings)


def _tier(take: Take) -> Tier:
    return next((t for t in take.tiers if t.name == "words"), Tier("words", ()))


def _words(tier: Tier) -> tuple[AnnotatedWord, ...]:
    return tuple(
        AnnotatedWord(i.start_s, i.end_s, i.label) for i in tier.intervals if i.label.strip()
    )


def spoken(
    path: str | PathLike[str], transcript: str | PathLike[str] | None, language: str
) -> Speech:
    """Recording with timed words: by its transcript, or guessed roughly without one."""
    if transcript is None:
        return with_guessed_words(path)
    if Path(transcript).suffix.lower() in TIMED:
        return with_timed_words(path, transcript)
    return hear(path, read_transcript(transcript), language).speech


def check_annotation_output(path: str | PathLike[str]) -> None:
    """Refuse an output that cannot be written, before any work is done."""
    ending = Path(path).suffix.lower()
    if ending not in ANNOTATIONS:
        raise UnwritableError(
            f"{path}: cannot write {ending or 'a file without ending'!r}; annotations are "
            f"{' or '.join(ANNOTATIONS)}"
        )
