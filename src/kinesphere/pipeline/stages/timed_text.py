"""Texts parsed, tagged and timed: each word once."""

from __future__ import annotations

import difflib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from kinesphere.errors import InvalidValueError
from kinesphere.generation.graph import Graph, graph_of
from kinesphere.generation.timing import estimated_times
from kinesphere.gesture.lexicon import lexicon, suggestion
from kinesphere.language.markup import parsed_markup
from kinesphere.language.recognition import NAMES, foreign_language, foreign_script, languages
from kinesphere.language.tagging import ParsedText, TaggedText
from kinesphere.language.tokens import LANGUAGES, Language
from kinesphere.speech.heard import Heard
from kinesphere.speech.value import Speech

WORDS_PER_MINUTE = 150.0
"""Rate of words that nobody speaks."""


@dataclass(frozen=True)
class TimedText:
    """A tagged text with the times of its words; `measured` if they come from a recording.

    `notes` are messages on what had to be decided about it.

    Examples
    --------
    >>> import kinesphere as ks
    >>> said = ks.utter("This is huge!", ks.Cast(voice="none"))
    >>> said.text.measured, len(said.text.times)
    (False, 3)
    """

    tagged: TaggedText
    times: tuple[tuple[float, float], ...]
    measured: bool = False
    notes: tuple[str, ...] = ()

    @property
    def graph(self) -> Graph:
        """Graph of the utterance."""
        return graph_of(self.tagged, self.times)


def time_text(
    text: str | ParsedText, language: str | None = None, speech: Speech | Heard | None = None
) -> TimedText:
    """Tag a text, with or without markup, and time its words.

    Parameters
    ----------
    text : the text; or a result of `parse_text`, which includes the language.
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
    parsed = parse_text(text, language)
    for gesture in parsed.written.gestures:
        if gesture.lexeme != "none" and gesture.lexeme not in lexicon():
            raise InvalidValueError(
                f"gesture {gesture.lexeme!r} is not known; near are {suggestion(gesture.lexeme)}"
            )
        _check_hands(gesture.lexeme, gesture.hands)
    said = speech.speech if isinstance(speech, Heard) else speech
    if said is None or not said.words.intervals:
        tagged = parsed.tag()
        at_rate = tuple(estimated_times(tagged, WORDS_PER_MINUTE))
        return TimedText(tagged, at_rate, notes=_language_notes(tagged, language))
    times = _match_times(parsed, said)
    loud = None
    if isinstance(speech, Heard) and speech.prominence.words:
        loud = _prominence(times, speech)
    tagged = parsed.tag(loud)
    return TimedText(tagged, times, measured=True, notes=_language_notes(tagged, language))


def parse_text(text: str | ParsedText, language: str | None = None) -> ParsedText:
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
    known = check_language(language)
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


def check_language(language: str | None) -> Language | None:
    """The language itself; an error for one that is not supported."""
    if language is not None and language not in LANGUAGES:
        raise InvalidValueError(f"language {language!r}, allowed are {', '.join(LANGUAGES)}")
    return language


def _match_times(parsed: ParsedText, speech: Speech) -> tuple[tuple[float, float], ...]:
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
    return tuple(_fill_times(times, speech.duration_s))


def _plain(word: str) -> str:
    return "".join(c for c in word.casefold() if c.isalnum())


def _fill_times(
    times: Sequence[tuple[float, float] | None], end_s: float
) -> list[tuple[float, float]]:
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
