"""Timed words of a live session: a line of JSON for each, and their queue.

    {"word": "huge", "start": 1.2, "end": 1.5}                  times on the audio clock
    {"word": "huge", "in": 0.3}                                 relative to now; negative: past

Optional are ``stress`` (middle of the stressed syllable, as ``start`` or ``in``), ``lasts`` with
``in``, and ``character`` (0 is the first; all by default); other keys are ignored. Senders may be
wrong, late or hostile: a session continues, and reports at the end what it dropped.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

from kinesphere.bodylanguage.choose.spoken_words import spoken_words
from kinesphere.bodylanguage.choose.word_choice import SpokenWord
from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.formats.files import read_bytes
from kinesphere.speech.alignment.transcripts import (
    LARGEST_TRANSCRIPT,
    READERS,
    estimate_word_times,
    phones_of,
    read_transcript,
    timed_words,
)
from kinesphere.timeline import Interval, Tier

LINES = (".jsonl", ".ndjson")
LONGEST_LINE = 8192
"""Largest size of a line and of a datagram, bytes."""
AHEAD_S = 30.0
"""Words are passed to the engine this long before they are spoken: longer than a sentence."""
LATEST_S = 1.0
"""A word that ended longer ago than this has no effect."""
FARTHEST_S = 600.0
MOST_WAITING = 4096
_LATEST_TIME_S = 1e6
_LONGEST_WORD = 100
_LASTS_S = 0.3


class SaidWord(NamedTuple):
    """A word, and which character speaks it: None for all."""

    word: SpokenWord
    character: int | None = None


@dataclass(frozen=True)
class Malformed:
    """Invalid lines: how many, and what was wrong with the first."""

    count: int = 0
    first: str = ""

    def and_another(self, reason: str) -> Malformed:
        """Count one more."""
        return Malformed(self.count + 1, self.first or reason)


NONE_MALFORMED = Malformed()


def parse_word(line: str | bytes, characters: int = 1, now_s: float | None = None) -> SaidWord:
    """Parse a line of JSON.

    Parameters
    ----------
    characters : how many there are.
    now_s : audio time that ``in`` is relative to; None where there is none.

    Raises
    ------
    InvalidValueError
        If it is not such a line; the message says what is wrong with it.

    >>> parse_word('{"word": "huge", "start": 1.2, "end": 1.5}').word
    SpokenWord(text='huge', start_s=1.2, end_s=1.5, stress_s=None)
    """
    row = _object(line)
    text = row.get("word")
    if not isinstance(text, str) or not text.strip():
        raise InvalidValueError("has no 'word' with a text")
    if len(text) > _LONGEST_WORD or not text.isprintable():
        raise InvalidValueError(f"its word is not text of at most {_LONGEST_WORD} characters")
    start_s, end_s, from_s = _times(row, now_s)
    stress_s = None if row.get("stress") is None else from_s + _seconds(row, "stress")
    if stress_s is not None and not start_s <= stress_s <= end_s:
        raise InvalidValueError("its stress is outside the word")
    word = SpokenWord(" ".join(text.split()), start_s, end_s, stress_s)
    return SaidWord(word, _character(row.get("character"), characters))


def _object(line: str | bytes) -> dict[str, Any]:
    if len(line) > LONGEST_LINE:
        raise InvalidValueError(f"is longer than {LONGEST_LINE} bytes")
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidValueError(
            'is not JSON such as {"word": "huge", "start": 1.2, "end": 1.5}'
        ) from None
    if not isinstance(row, dict):
        raise InvalidValueError('is not an object such as {"word": "huge", "in": 0.3}')
    return row


def _times(row: Mapping[str, Any], now_s: float | None) -> tuple[float, float, float]:
    """Start and end of a word, and the time that its stress is relative to."""
    if "in" in row:
        if now_s is None:
            raise InvalidValueError("has 'in', which a file cannot have; give 'start' and 'end'")
        if "start" in row or "end" in row:
            raise InvalidValueError("has 'in' as well as 'start' or 'end'")
        start_s = now_s + _seconds(row, "in", -_LATEST_TIME_S)
        return start_s, start_s + (_seconds(row, "lasts") if "lasts" in row else _LASTS_S), now_s
    if "lasts" in row:
        raise InvalidValueError("has 'lasts' without 'in'")
    start_s, end_s = _seconds(row, "start"), _seconds(row, "end")
    if end_s < start_s:
        raise InvalidValueError(f"ends at {end_s:g} s, before it starts at {start_s:g} s")
    return start_s, end_s, 0.0


def _seconds(row: Mapping[str, Any], key: str, least: float = 0.0) -> float:
    value: Any = row.get(key)
    if type(value) not in (int, float):
        raise InvalidValueError(f"has no {key!r} with a number of seconds")
    if not least <= value <= _LATEST_TIME_S:
        raise InvalidValueError(f"its {key} is not {least:g} to {_LATEST_TIME_S:g} s")
    return float(value)


def _character(value: object, characters: int) -> int | None:
    if value is None:
        return None
    if type(value) is not int or not 0 <= value < characters:
        found = str(value)[:20]
        raise InvalidValueError(f"its character is {found}, allowed is 0 to {characters - 1}")
    return value


def read_words(path: str | PathLike[str], characters: int = 1) -> tuple[SaidWord, ...]:
    """Words of a file in order of time: a transcript with times, or lines of JSON.

    Subtitle cues have no word times: their words are spread over the cue.

    Raises
    ------
    UnreadableError
        If the file is missing or does not match its suffix; the message names the line.
    """
    ending = Path(fspath(path)).suffix.lower()
    if ending in LINES:
        return _read_lines(path, characters)
    if ending not in READERS:
        allowed = " ".join((*LINES, *READERS))
        raise UnreadableError(path, f"has the suffix {ending!r}, readable are {allowed}")
    tiers = read_transcript(path)
    try:
        words = _of_tiers(tiers)
    except InvalidValueError as error:
        raise UnreadableError(path, str(error)) from None
    if not words:
        raise UnreadableError(path, "contains no word with a time")
    return tuple(SaidWord(word) for word in words)


def _read_lines(path: str | PathLike[str], characters: int) -> tuple[SaidWord, ...]:
    found = []
    for number, line in enumerate(read_bytes(path, LARGEST_TRANSCRIPT).split(b"\n"), 1):
        if line.strip():
            try:
                found.append(parse_word(line.strip(), characters))
            except InvalidValueError as error:
                raise UnreadableError(path, str(error), f"line {number}") from None
    if not found:
        raise UnreadableError(path, "contains no word")
    return tuple(sorted(found, key=lambda said: said.word.start_s))


def _of_tiers(tiers: tuple[Tier, ...]) -> tuple[SpokenWord, ...]:
    named = [timed_words(tiers)]
    with suppress(InvalidValueError):  # words are enough
        named.append(phones_of(tiers))
    return spoken_words(named)


def estimate_words(text: str, start_s: float, end_s: float) -> tuple[SpokenWord, ...]:
    """Words of a phrase without individual times, see `estimate_word_times`."""
    spread = estimate_word_times(Interval(start_s, end_s, text))
    return tuple(SpokenWord(word.label, word.start_s, word.end_s) for word in spread)


@dataclass(frozen=True)
class WordQueue:
    """Words waiting for their time; a value.

    Parameters
    ----------
    last_s : of each character, the start of its last word; words must be in order.
    waiting : in order of time.
    ahead_s : starts of words that were taken out before their time.
    """

    last_s: tuple[float, ...]
    waiting: tuple[SaidWord, ...] = ()
    ahead_s: tuple[float, ...] = ()

    @property
    def next_s(self) -> float:
        """Audio time at which words are due; infinite if there are none."""
        return due_s(self.waiting[0]) if self.waiting else math.inf

    def add(self, words: Iterable[SaidWord], now_s: float) -> tuple[WordQueue, list[str]]:
        """Add words at an audio time; return the reasons for dropped ones.

        The reasons are ``late_words``, ``disordered_words`` and ``lost_words``, as in `Counts`.
        """
        last_s, waiting, dropped = list(self.last_s), list(self.waiting), []
        for said in words:
            rows = range(len(last_s)) if said.character is None else (said.character,)
            start_s = said.word.start_s
            if said.word.end_s + LATEST_S < now_s:
                dropped.append("late_words")
            elif start_s > now_s + FARTHEST_S or len(waiting) >= MOST_WAITING:
                dropped.append("lost_words")
            elif start_s < max(last_s[row] for row in rows):
                dropped.append("disordered_words")
            else:
                for row in rows:
                    last_s[row] = start_s
                place = bisect_right(waiting, start_s, key=lambda other: other.word.start_s)
                waiting.insert(place, said)
        return replace(self, last_s=tuple(last_s), waiting=tuple(waiting)), dropped

    def due(self, now_s: float) -> tuple[WordQueue, tuple[SaidWord, ...]]:
        """Take out what is due at an audio time."""
        count = sum(1 for said in self.waiting if due_s(said) <= now_s + 1e-9)
        taken = self.waiting[:count]
        ahead_s = (*self.ahead_s, *(said.word.start_s for said in taken))
        return replace(self, waiting=self.waiting[count:], ahead_s=ahead_s), taken

    def forget(self, now_s: float) -> tuple[WordQueue, int]:
        """Forget words taken out whose time has come; return how many."""
        ahead_s = tuple(start_s for start_s in self.ahead_s if start_s >= now_s)
        return replace(self, ahead_s=ahead_s), len(self.ahead_s) - len(ahead_s)


def portions(words: Iterable[SaidWord]) -> Iterator[tuple[SaidWord, ...]]:
    """Words in order of time as a session passes them to the engine if all are known beforehand."""
    for _, told in groupby(words, key=lambda said: max(due_s(said), 0.0)):
        yield tuple(told)


def words_of(words: Iterable[SaidWord], character: int) -> list[SpokenWord]:
    """Words of one character, those of all included."""
    return [said.word for said in words if said.character in (None, character)]


def due_s(said: SaidWord) -> float:
    """When a word is passed to the engine; whole seconds, so that several are passed together."""
    return math.floor(said.word.start_s) - AHEAD_S
