"""The first stage: what is said. A text or a recording becomes speech with words and prosody."""

from __future__ import annotations

import math
from dataclasses import dataclass
from os import PathLike
from typing import Self

from kinesphere.bodylanguage.play.engine import HOME_AFTER_S
from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.gesture.lexicon import extend_lexicon
from kinesphere.language.questions import question_ends
from kinesphere.language.tagging import ParsedText
from kinesphere.pipeline.hear import (
    Sound,
    hear,
    is_timed,
    read_transcript,
    with_silence,
    with_timed_words,
)
from kinesphere.pipeline.stages.cast import SILENT, Cast
from kinesphere.pipeline.stages.table_values import check_kind, check_type, check_unused
from kinesphere.pipeline.stages.timed_text import TimedText, check_language, parse_text, time_text
from kinesphere.speech.alignment.alignment import AlignmentError
from kinesphere.speech.heard import Heard
from kinesphere.speech.value import Speech, join_speech
from kinesphere.speech.voices.voice import LONGEST_TEXT, best_voice, load_voice, sentences_in

# Silence before a synthetic voice, in which the hands can start, and after its end.
LEAD_S, TAIL_S = 0.6, 1.4
_VOICES = {"en": "en-us", "de": "de"}
# Most characters that a voice speaks at once.
_PART = 20_000


@dataclass(frozen=True, eq=False)
class Utterance:
    """What is said: the result of `utter`.

    Parameters
    ----------
    text : the tagged text with the times of its words; None for a recording without one.
    heard : the speech and its analysis; None for a text that nobody speaks.
    exact_end : the performance ends with the audio, even if the hands still move.

    Examples
    --------
    >>> import kinesphere as ks
    >>> said = ks.utter("This is huge!", ks.Cast(voice="none"))
    >>> said.text.tagged.language, said.heard
    ('en', None)
    """

    text: TimedText | None = None
    heard: Heard | None = None
    exact_end: bool = False

    @classmethod
    def of_sound(cls, speech: Sound | Heard | None) -> Self:
        """A recording as it is; None for silence."""
        if speech is None or isinstance(speech, Heard):
            return cls(heard=speech)
        return cls(heard=hear(speech))

    @property
    def speech(self) -> Speech:
        """The speech itself; an error where nobody speaks."""
        if self.heard is None:
            raise InvalidValueError("the utterance has no speech: nobody speaks it")
        return self.heard.speech

    @property
    def duration_s(self) -> float:
        """Duration of the audio; 0 without any."""
        return 0.0 if self.heard is None else self.heard.speech.duration_s

    @property
    def notes(self) -> tuple[str, ...]:
        """Messages on text and recording."""
        said = () if self.text is None else self.text.notes
        heard = () if self.heard is None else self.heard.speech.provenance.get("notes", ())
        return (*said, *heard)

    @property
    def questions(self) -> tuple[float, ...]:
        """Times at which questions end."""
        return () if self.heard is None else tuple(question_ends(self.heard.speech.sentences))


def utter(
    text: str | ParsedText | None = None,
    cast: Cast | None = None,
    *,
    speech: Sound | Heard | None = None,
    transcript: str | PathLike[str] | None = None,
    lead_in_s: float | None = None,
    tail_s: float | None = None,
) -> Utterance:
    """Speak a text, align its words to a recording, or analyse a recording.

    Parameters
    ----------
    text : with or without markup; None for a recording alone.
    cast : its voice, rate and language are used, and its lexicon for markup.
    speech : a recording instead of a synthetic voice: a file, ``(samples, rate_hz)`` or `Audio`, a
        `Speech` or a speech analysis. With a text, its words are aligned to the audio, unless it
        contains their times.
    transcript : for a recording without `text`: a text, or the path of a file, of text or of words
        with times.
    lead_in_s : silence before the speech, in which the hands can start; by default 0.6 s before a
        synthetic voice, none before a recording.
    tail_s : silence after the speech, after which the performance ends even if the hands still
        move; by default as long as they need to come to rest.

    Raises
    ------
    InvalidValueError
        For a text without words, speech that is not audio, a voice or rate given together with
        a recording, a transcript together with a text, or silence around words without sound.
    KinesphereError
        If no voice is installed and no recording is given.

    Examples
    --------
    >>> said = utter("This is huge!", Cast(voice="none"))
    >>> [word.text for word in said.text.graph.words]
    ['This', 'is', 'huge']
    """
    who = Cast() if cast is None else cast
    check_type("cast", who, Cast, "a Cast")
    for name, value in (("lead_in_s", lead_in_s), ("tail_s", tail_s)):
        if value is not None:
            check_kind(name, value, 1.0)
    if text is None:
        return _recording(speech, transcript, who, lead_in_s or 0.0, tail_s)
    check_type("the text", text, (str, ParsedText), "text")
    check_unused({"transcript": transcript}, "with a text, allowed is one of them")
    parsed = parse_text(text, who.language)
    with extend_lexicon(who.own_lexemes()):
        if speech is None and who.voice == SILENT:
            around = {"lead_in_s": lead_in_s, "tail_s": tail_s}
            check_unused(around, "for words without sound; allowed with a voice or a recording")
            return Utterance(time_text(parsed, who.language))
        heard = _make_heard(parsed, speech, who, lead_in_s, tail_s)
        return Utterance(time_text(parsed, who.language, heard), heard, tail_s is not None)


def _make_heard(
    parsed: ParsedText,
    speech: Sound | Heard | None,
    who: Cast,
    lead_in_s: float | None,
    tail_s: float | None,
) -> Heard:
    """Speech of a text: synthetic, or a recording."""
    if speech is None:
        return hear(speak(parsed, who, lead_in_s, tail_s))
    if who.voice is not None or who.rate != 1.0:
        given = f"voice {who.voice!r}" if who.voice is not None else f"rate {who.rate:g}"
        raise InvalidValueError(
            f"{given} given with a recording, allowed is a voice or a recording"
        )
    if isinstance(speech, Heard):
        heard = speech
    else:
        known = isinstance(speech, Speech) and speech.words.intervals
        heard = hear(speech) if known else hear(speech, parsed.text, parsed.language)
    if lead_in_s or tail_s:
        heard = with_silence(heard, lead_in_s or 0.0, tail_s or 0.0)
    return heard


def _recording(
    speech: Sound | Heard | None,
    transcript: str | PathLike[str] | None,
    who: Cast,
    lead_in_s: float,
    tail_s: float | None,
) -> Utterance:
    """A recording that moves a body by its voice, with the words of its transcript."""
    if speech is None:
        raise InvalidValueError("neither a text nor a recording is given")
    if transcript is not None:
        check_type("transcript", transcript, (str, PathLike), "a text or a file")
        sound = speech.speech if isinstance(speech, Heard) else speech
        heard = hear_transcript(sound, transcript, who.language)
    else:
        heard = speech if isinstance(speech, Heard) else hear(speech)
    exact = tail_s is not None
    after_s = _home_s(heard) if tail_s is None else tail_s
    if lead_in_s or after_s:
        heard = with_silence(heard, lead_in_s, after_s)
    return Utterance(heard=heard, exact_end=exact)


def _home_s(heard: Heard) -> float:
    """Time after a recording until a body is in its home pose after the last syllable."""
    last_s = max((a.end_s for a in heard.prominence.syllables), default=-math.inf)
    return max(0.0, last_s + HOME_AFTER_S - heard.speech.duration_s)


def hear_transcript(
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
        return _hear_text(sound, transcript, language)
    if is_timed(transcript):
        return hear(with_timed_words(sound, transcript))
    check_language(language)
    try:
        return _hear_text(sound, read_transcript(transcript), language)
    except UnreadableError as error:
        raise error.at(transcript) from None
    except (AlignmentError, InvalidValueError) as error:
        raise UnreadableError(transcript, str(error)) from None


def _hear_text(sound: Sound, text: str, language: str | None) -> Heard:
    parsed = parse_text(text, language)
    return hear(sound, parsed.text, parsed.language)


def speak(
    text: str | ParsedText,
    cast: Cast | None = None,
    lead_in_s: float | None = None,
    tail_s: float | None = None,
) -> Speech:
    """Speak a text, with or without markup, with a synthetic voice; short silences around it.

    Examples
    --------
    >>> [word.label for word in speak("This is huge!").words]
    ['This', 'is', 'huge']
    """
    who = cast or Cast()
    parsed = parse_text(text, who.language)
    length = len(parsed.text)
    if length > LONGEST_TEXT:
        raise InvalidValueError(
            f"the text has {length} characters, allowed are {LONGEST_TEXT}; perform it in parts"
        )
    speaking = best_voice() if who.voice is None else load_voice(who.voice)
    code = _VOICES[parsed.language]
    known = speaking.languages()
    if known and code not in known:
        code = next((k for k in known if k.startswith(parsed.language)), known[0])
    parts = [speaking.speak(part, code, rate=who.rate) for part in _speakable_parts(parsed.text)]
    text = parts[0].text if len(parts) == 1 else parsed.text
    before_s = LEAD_S if lead_in_s is None else lead_in_s
    return join_speech(parts, text, before_s, TAIL_S if tail_s is None else tail_s)


def _speakable_parts(text: str) -> list[str]:
    """Text in parts that a voice can speak at once, whole sentences each."""
    if len(text) <= _PART:
        return [text]
    out: list[str] = []
    start = last = 0
    for span in sentences_in(text):
        if span.end - start > _PART and last > start:
            out.append(text[start:last])
            start = last
        last = span.end
    out.append(text[start:])
    return [part for part in out if part.strip()]
