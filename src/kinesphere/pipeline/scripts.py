"""Gesture scripts: from a text in a speaker's style, or from an annotated passage."""

from __future__ import annotations

import difflib
import math
from bisect import bisect_right
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from kinesphere.corpus.annotation.annotation import HANDEDNESS, Annotation
from kinesphere.corpus.annotation.reading import read_annotation
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.errors import InvalidValueError, UnreadableError, UnwritableError
from kinesphere.formats.files import read_bytes
from kinesphere.formats.problems import Problem
from kinesphere.generation.generate import Generated, Reason, generate
from kinesphere.generation.graph import Graph, graph_of
from kinesphere.generation.recreation import is_within, recreated
from kinesphere.generation.settings import GenerationSettings
from kinesphere.generation.timing import estimated_times
from kinesphere.gesture.lexicon import lexicon, suggestion
from kinesphere.gesture.script import GestureScript
from kinesphere.gesture.script_text import SCRIPT_ENDINGS
from kinesphere.language.markup import parsed_markup
from kinesphere.language.recognition import NAMES, foreign_language, foreign_script, languages
from kinesphere.language.tagging import ParsedText, TaggedText
from kinesphere.language.tokens import LANGUAGES, Language
from kinesphere.pipeline.hear import Sound, hear, is_timed, read_transcript, with_timed_words
from kinesphere.pipeline.speakers import speaker
from kinesphere.speech.alignment.alignment import AlignmentError
from kinesphere.speech.heard import Heard
from kinesphere.speech.value import Speech

_LARGEST_TEXT = 16 << 20


@dataclass(frozen=True)
class Spoken:
    """A tagged text with the times of its words; `measured` if they come from a recording.

    `notes` are messages on what had to be decided about it.
    """

    tagged: TaggedText
    times: tuple[tuple[float, float], ...]
    measured: bool = False
    notes: tuple[str, ...] = ()

    @property
    def graph(self) -> Graph:
        """Graph of the utterance."""
        return graph_of(self.tagged, self.times)


def spoken_text(
    text: str | ParsedText,
    language: str | None = None,
    speech: Speech | Heard | None = None,
    words_per_minute: float = 150.0,
) -> Spoken:
    """Tag a text, with or without markup, and time its words.

    Parameters
    ----------
    text : the text; or a result of `parsed_text`, which includes the language.
    language : ``en`` or ``de``; detected by default.
    speech : with timed words, if the text was spoken; otherwise a constant rate is assumed. A
        speech analysis also sets the focus by its accents.

    Raises
    ------
    UnreadableError
        For bad markup; the message names line and column.
    InvalidValueError
        If there is no word, a lexeme of the markup is unknown, the speech has other words, or the
        text is in an unsupported script.
    """
    parsed = parsed_text(text, language)
    for gesture in parsed.written.gestures:
        if gesture.lexeme != "none" and gesture.lexeme not in lexicon():
            raise InvalidValueError(
                f"gesture {gesture.lexeme!r} is not known; near are {suggestion(gesture.lexeme)}"
            )
        _check_hands(gesture.lexeme, gesture.hands)
    said = speech.speech if isinstance(speech, Heard) else speech
    if said is None or not said.words.intervals:
        tagged = parsed.tagged()
        even = tuple(estimated_times(tagged, words_per_minute))
        return Spoken(tagged, even, notes=_language_notes(tagged, language))
    times = _matched(parsed, said)
    loud = None
    if isinstance(speech, Heard) and speech.prominence.words:
        loud = _prominence(times, speech)
    tagged = parsed.tagged(loud)
    return Spoken(tagged, times, measured=True, notes=_language_notes(tagged, language))


def parsed_text(text: str | ParsedText, language: str | None = None) -> ParsedText:
    """Parse a text, with or without markup: its words, before they are spoken.

    Raises
    ------
    UnreadableError
        For bad markup; the message names line and column.
    InvalidValueError
        If there is no word, or the text is in an unsupported script or language.
    """
    if isinstance(text, ParsedText):
        return text
    known = _known(language)
    if script := foreign_script(text):
        raise InvalidValueError(
            f"the text is written in {script} letters, which are not supported; supported are "
            f"{languages()} (a recording in any language: 'listen')"
        )
    parsed = parsed_markup(text, known)
    if not parsed.words:
        raise InvalidValueError("the text contains no word")
    return parsed


def _language_notes(tagged: TaggedText, language: str | None) -> tuple[str, ...]:
    """A note on a text that seems to be in an unsupported language, unless one was given."""
    name = None if language is not None else foreign_language(tagged.text)
    if name is None:
        return ()
    return (
        f"the text seems to be {name}; supported are {languages()}: voice and gestures follow "
        f"{NAMES[tagged.language]} rules ('--language {tagged.language}' silences this)",
    )


def _prominence(times: Sequence[tuple[float, float]], heard: Heard) -> list[float]:
    """Prominence of each word of a text: that of the spoken word that overlaps it most."""
    rows = heard.prominence.words
    starts = [row.start_s for row in rows]
    out = []
    for start, end in times:
        i = max(bisect_right(starts, start) - 1, 0)
        near = rows[i : i + 3]
        best = max(near, key=lambda r: min(r.end_s, end) - max(r.start_s, start))
        overlap = min(best.end_s, end) - max(best.start_s, start)
        out.append(best.value if overlap > 0.0 else 0.0)
    return out


def _check_hands(lexeme: str, hands: str | None) -> None:
    """Reject a gesture with a hand that cannot perform it."""
    if hands is None or lexeme not in lexicon():
        return
    shares = dict(zip(("RH", "LH", "2H"), lexicon()[lexeme].hands, strict=True))
    if shares[hands] == 0.0:
        allowed = ", ".join(h for h, share in shares.items() if share > 0.0)
        raise InvalidValueError(f"gesture {lexeme} with {hands}, allowed are {allowed}")


def _known(language: str | None) -> Language | None:
    if language is not None and language not in LANGUAGES:
        raise InvalidValueError(f"language {language!r}, allowed are {', '.join(LANGUAGES)}")
    return language


def _matched(parsed: ParsedText, speech: Speech) -> tuple[tuple[float, float], ...]:
    """Times of the text's words from those of the speech; words between known ones share it."""
    rows = speech.words.intervals
    ours = [_plain(t.text) for t in parsed.words]
    theirs = [_plain(i.label) for i in rows]
    times: list[tuple[float, float] | None] = [None] * len(ours)
    matcher = difflib.SequenceMatcher(None, ours, theirs, autojunk=False)
    same = 0
    for block in matcher.get_matching_blocks():
        same += block.size
        for k in range(block.size):
            row = rows[block.b + k]
            times[block.a + k] = (row.start_s, row.end_s)
    if same < 0.5 * len(ours):
        raise InvalidValueError(
            f"only {same} of the text's {len(ours)} words are in the speech; is it the same text?"
        )
    return tuple(_filled(times, speech.duration_s))


def _plain(word: str) -> str:
    return "".join(c for c in word.casefold() if c.isalnum())


def _filled(times: Sequence[tuple[float, float] | None], end_s: float) -> list[tuple[float, float]]:
    out: list[tuple[float, float]] = []
    at = 0
    while at < len(times):
        known = times[at]
        if known is not None:
            out.append(known)
            at += 1
            continue
        stop = next((k for k in range(at, len(times)) if times[k] is not None), len(times))
        start = out[-1][1] if out else 0.0
        following = times[stop] if stop < len(times) else None
        end = following[0] if following is not None else end_s
        step = max(end - start, 0.0) / (stop - at)
        out += [(start + k * step, start + (k + 1) * step) for k in range(stop - at)]
        at = stop
    return out


def text_or_file(text: str) -> str:
    """The text itself, or the content of the file of that name.

    Raises
    ------
    UnreadableError
        If it looks like a file name and there is none, or the file is not text.
    """
    given = text_or_path(text)
    if isinstance(given, str):
        return given
    data = read_bytes(given, _LARGEST_TEXT)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError(given, f"byte {error.start} is not UTF-8 text") from None


def text_or_path(text: str) -> str | Path:
    """The text itself, or the file of that name.

    Raises
    ------
    UnreadableError
        If it looks like a file name and there is none.
    """
    path = Path(text)
    try:
        exists = path.is_file()
    except (OSError, ValueError):
        exists = False
    if exists:
        return path
    with suppress(OSError, ValueError):
        if text and path.is_dir():
            raise UnreadableError(text, "is a folder, expected a text or a text file")
    lone = len(text.split()) == 1
    ending = path.suffix[1:]
    if lone and 2 <= len(ending) <= 8 and ending.isalnum():
        raise UnreadableError(text, "the file does not exist")
    return text


def heard_text(sound: Sound, text: str | ParsedText, language: str | None = None) -> Heard:
    """Recording of a text with the times of its words, and their prominence."""
    parsed = parsed_text(text, language)
    return hear(sound, parsed.text, parsed.language)


def heard_transcript(
    sound: Sound, transcript: str | PathLike[str], language: str | None = None
) -> Heard:
    """Recording with the words of a transcript: a text, or the path of a file.

    A file contains the times of its words (see `speech.alignment.transcripts`), or text with or
    without markup, whose words are then aligned to the audio.

    Raises
    ------
    UnreadableError
        If a file does not match its suffix, or the text not the speech; the message names it.
    """
    if isinstance(transcript, str):
        return heard_text(sound, transcript, language)
    if is_timed(transcript):
        return hear(with_timed_words(sound, transcript))
    _known(language)
    try:
        return heard_text(sound, read_transcript(transcript), language)
    except UnreadableError as error:
        raise error.at(transcript) from None
    except (AlignmentError, InvalidValueError) as error:
        raise UnreadableError(transcript, str(error)) from None


def script(
    text: str | Spoken,
    style: str | PathLike[str] | Profile = "neutral",
    *,
    seed: int = 0,
    amount: float = 1.0,
    most_likely: bool = False,
    language: str | None = None,
    speech: Speech | Heard | None = None,
    settings: GenerationSettings | None = None,
) -> Generated:
    """Generate a gesture script for a text in a speaker's style.

    Parameters
    ----------
    text : with or without markup.
    style : a speaker's name, a profile, or a file of one.
    seed : the same seed gives the same script.
    amount : factor on the speaker's gesture rate; 0 for none.
    most_likely : the most likely gestures instead of random samples.
    settings : all constants; it then includes `amount` and `most_likely`.
    """
    spoken = text if isinstance(text, Spoken) else spoken_text(text, language, speech)
    chosen = settings or GenerationSettings(amount=amount, sampling=not most_likely)
    return generate(spoken.graph, speaker(style), chosen, seed)


def recreate(
    path: str | PathLike[str], start_s: float = 0.0, end_s: float = math.inf
) -> tuple[GestureScript, tuple[str, ...], tuple[Problem, ...]]:
    """Script of an annotated passage, notes on what it lacks, and the file's problems."""
    annotation, problems = read_annotation(path)
    if not annotation.units:
        raise UnreadableError(path, "contains no gesture that can be recreated")
    made, notes = recreated(annotation, start_s, end_s)
    if not made.units:
        raise InvalidValueError(f"{path}: {_nothing(annotation, start_s, end_s)}")
    return made, notes, problems


def _nothing(annotation: Annotation, start_s: float, end_s: float) -> str:
    """Why nothing of a passage can be recreated, and what is allowed."""
    upto = "the end" if math.isinf(end_s) else f"{end_s:g} s"
    passage = f"from {start_s:g} s to {upto}"
    inside = [g for g in annotation.gestures if is_within(g, start_s, end_s)]
    if not inside:
        times = [g.start_s for g in annotation.gestures]
        return (
            f"there is no gesture {passage}; it has {len(times)}, the first at {min(times):g} s, "
            f"the last at {max(times):g} s"
        )
    handless = sum(g.hands is None for g in inside)
    count = f"none of {len(inside)} gestures {passage} can be recreated"
    if not handless:
        return f"{count}: they have neither stroke nor hold; allowed are gestures with one of them"
    return f"{count}: {handless} have no 'handedness', allowed are {', '.join(HANDEDNESS)}"


def check_script_output(path: str | PathLike[str]) -> None:
    """Reject an output that cannot be written, before any work is done."""
    ending = Path(path).suffix.lower()
    if ending not in SCRIPT_ENDINGS:
        raise UnwritableError(
            f"{path}: cannot write {ending or 'a file without suffix'!r}; gesture scripts have "
            f"{' or '.join(SCRIPT_ENDINGS)}"
        )
    if not Path(path).resolve().parent.is_dir():
        raise UnwritableError(f"{path}: the folder does not exist")


def explanation(reasons: Sequence[Reason]) -> str:
    """Table of the reasons of gestures: time, words, result, alternatives."""
    lines = []
    for r in reasons:
        rivals = sorted(r.rivals, key=lambda row: -row[1])[:3]
        others = ", ".join(f"{name} {p:.2f}" for name, p in rivals)
        what = f"{r.lexeme} {r.hands}".strip()
        mark = "+" if r.outcome == "done" else " "
        lines.append(
            f"{mark} {r.time_s:7.2f} s  {r.words[:28]:28} {r.tag or 'author':14} {what:22} "
            f"{r.probability:.2f}  {'' if r.outcome == 'done' else r.outcome + '; '}"
            f"{'over ' + others if others else ''}".rstrip("; ").rstrip()
        )
    return "\n".join(lines)
