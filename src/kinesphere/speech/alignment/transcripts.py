"""Reads timed transcripts of other tools into tiers.

TextGrid (Praat's long and short form; MFA's and BEAT's), WebVTT, SRT, JSON as Whisper writes it,
CSV with start, end and word, ELAN's .eaf. Pauses (empty labels) are skipped, times are seconds.
The readers are our own, because errors must name the line and files are untrusted.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.formats import elan
from kinesphere.formats.files import read_bytes
from kinesphere.formats.problems import Problems
from kinesphere.timeline import Interval, Tier

LARGEST_TRANSCRIPT = 64 << 20
_MOST_INTERVALS = 1_000_000
_LATEST_S = 1e6
_MARKS = frozenset(("", "<eps>", "sil", "<sil>", "sp", "spn", "<p:>", "{sl}"))
"""Labels that aligners write for silence."""
_WORD_TIERS = ("words", "word", "ort", "mau", "orthography", "transcript", "text", "token")
_PHONE_TIERS = ("phones", "phone", "phonemes", "kan", "mau-phones", "segments")


def read_transcript(path: str | PathLike[str]) -> tuple[Tier, ...]:
    """Read the tiers of a timed transcript; its suffix determines the format.

    Raises
    ------
    UnreadableError
        If the file is missing, larger than `LARGEST_TRANSCRIPT`, or not of its suffix's format;
        the message names the line.
    """
    ending = Path(fspath(path)).suffix.lower()
    if ending not in READERS:
        raise UnreadableError(
            path, f"ends in {ending!r}, readable transcripts are {' '.join(READERS)}"
        )
    data = read_bytes(path, LARGEST_TRANSCRIPT)
    try:
        return READERS[ending](data)
    except UnreadableError as error:
        raise error.at(path) from None


def words_of(tiers: Sequence[Tier], name: str | None = None) -> Tier:
    """Tier of words among others, named ``words``; `name` selects it.

    Raises
    ------
    InvalidValueError
        If there is none; the message lists the tiers.
    """
    return _choose_tier(tiers, name, _WORD_TIERS, "words")


def phones_of(tiers: Sequence[Tier], name: str | None = None) -> Tier:
    """Tier of phones, named ``phones``; see `words_of`."""
    return _choose_tier(tiers, name, _PHONE_TIERS, "phones")


def timed_words(tiers: Sequence[Tier]) -> Tier:
    """Words of a transcript, named ``words``; words of cues and phrases get estimated times.

    Raises
    ------
    InvalidValueError
        If there are neither; the message lists the tiers.
    """
    cues = [tier.name for tier in tiers] == ["cues"]
    phrases = tiers[0] if cues else words_of(tiers)
    spread = [word for phrase in phrases for word in estimate_word_times(phrase)]
    return Tier("words", tuple(sorted(spread, key=lambda word: word.start_s)))


def estimate_word_times(phrase: Interval) -> tuple[Interval, ...]:
    """Words of a phrase, with times estimated from their numbers of letters.

    >>> [(w.label, w.end_s) for w in estimate_word_times(Interval(1.0, 2.0, "on the other"))]
    [('on', 1.2), ('the', 1.5), ('other', 2.0)]
    """
    words = phrase.label.split()
    total = sum(map(len, words))
    start_s, end_s = phrase.start_s, phrase.end_s
    out, done, begin_s = [], 0, start_s
    for word in words:
        done += len(word)
        until_s = end_s if done == total else start_s + (end_s - start_s) * done / total
        out.append(Interval(begin_s, until_s, word))
        begin_s = until_s
    return tuple(out)


def _choose_tier(
    tiers: Sequence[Tier], name: str | None, usual: Sequence[str], called: str
) -> Tier:
    wanted = [name.lower()] if name is not None else usual
    for want in wanted:
        for tier in tiers:
            low = tier.name.lower()
            # MFA puts the speaker first: "anna - words".
            if low == want or (name is None and low.rpartition(" - ")[2] == want):
                return Tier(called, tier.intervals)
    there = ", ".join(repr(tier.name) for tier in tiers) or "none"
    asked = repr(name) if name is not None else f"of {called}"
    raise InvalidValueError(f"no tier {asked} in the transcript; it has {there}")


def parse_textgrid(data: bytes) -> tuple[Tier, ...]:
    """Parse a TextGrid, long or short, in UTF-8, UTF-16 or Latin-1; points get length 0."""
    tokens = _tokens(_text(data))
    for expected in ("ooTextFile", "TextGrid"):
        token = next(tokens, None)
        if token is None or token.value != expected:
            raise UnreadableError(None, f"is not a TextGrid: no {expected!r}", "line 1")
    reader = _Tokens(tokens)
    reader.number("start")
    reader.number("end")
    if not reader.exists():
        return ()
    tiers, budget = [], _MOST_INTERVALS
    for _ in range(reader.count("number of tiers", 10_000)):
        kind, name = reader.string("class of a tier"), reader.string("name of a tier")
        if kind not in ("IntervalTier", "TextTier"):
            raise reader.error(f"a tier of class {kind!r}, allowed are IntervalTier, TextTier")
        reader.number("start of a tier")
        reader.number("end of a tier")
        size = reader.count("number of intervals", budget)
        budget -= size
        rows = []
        for _ in range(size):
            start = reader.number("start of an interval")
            end = reader.number("end of an interval") if kind == "IntervalTier" else start
            rows.append((start, end, reader.string("text of an interval"), reader.line))
        tiers.append(_tier(name, rows))
    return tuple(tiers)


class _Token(NamedTuple):
    value: str
    quoted: bool
    line: int


_TOKEN = re.compile(r'"((?:[^"]|"")*)"|(?:(?<=\s)|^)([-+]?[\d.][^\s"]*)(?=\s|$)|(<\w+>)|("|\n)')


def _tokens(text: str) -> Iterator[_Token]:
    """Quoted strings, numbers and flags; other words are ignored."""
    line = 1
    for match in _TOKEN.finditer(text):
        if match[4] == '"':
            raise UnreadableError(None, "a quotation mark is not closed", f"line {line}")
        if match[1] is not None:
            yield _Token(match[1].replace('""', '"'), True, line)
            line += match[1].count("\n")
        elif match[4] is None:
            yield _Token(match[2] or match[3], False, line)
        else:
            line += 1


class _Tokens:
    """The values of a TextGrid in order, each of the expected kind."""

    def __init__(self, tokens: Iterator[_Token]) -> None:
        self.tokens, self.line = tokens, 1

    def error(self, found: str) -> UnreadableError:
        return UnreadableError(None, f"has {found}", f"line {self.line}")

    def _next(self, what: str, quoted: bool) -> str:
        token = next(self.tokens, None)
        if token is None:
            raise UnreadableError(None, f"ends before the {what}", f"line {self.line}")
        self.line = token.line
        if token.quoted != quoted:
            kind = "a quoted text" if quoted else "a number"
            raise self.error(f"{token.value[:20]!r} where the {what} is expected, {kind}")
        return token.value

    def string(self, what: str) -> str:
        return self._next(what, True)

    def number(self, what: str) -> float:
        value = self._next(what, False)
        try:
            return float(value)
        except ValueError:
            raise self.error(f"{value[:20]!r} where the {what} is expected, a number") from None

    def count(self, what: str, most: int) -> int:
        value = self.number(what)
        if not (0 <= value <= most and value == int(value)):
            raise self.error(f"{value:g} as the {what}, allowed is 0 to {most}")
        return int(value)

    def exists(self) -> bool:
        return self._next("flag <exists>", False) == "<exists>"


_TIMES = re.compile(
    r"(?:(\d{1,4}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})\s*-->\s*(?:(\d{1,4}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})"
)


def parse_subtitles(data: bytes) -> tuple[Tier, ...]:
    """Parse WebVTT or SRT: one tier of cues, without tags, comments and styles.

    Cues that overlap are kept in order of their start.
    """
    lines = _text(data).splitlines()
    rows: list[tuple[float, float, str, int]] = []
    at = 0
    while at < len(lines):
        match = _TIMES.search(lines[at]) if "-->" in lines[at] else None
        if "-->" in lines[at] and match is None:
            reason = f"has {lines[at].strip()[:40]!r}, expected 00:00:01.000 --> 00:00:02.000"
            raise UnreadableError(None, reason, f"line {at + 1}")
        at += 1
        if match is None:
            continue
        line, said = at, []
        while at < len(lines) and lines[at].strip() and "-->" not in lines[at]:
            said.append(re.sub(r"<[^<>]*>|\{\\[^{}]*\}", "", lines[at]).strip())
            at += 1
        start, end = _clock(match.groups()[:4]), _clock(match.groups()[4:])
        rows.append((start, end, " ".join(filter(None, said)), line))
    if not rows:
        raise UnreadableError(None, "holds no cue such as 00:00:01.000 --> 00:00:02.000")
    return (_tier("cues", rows),)


def _clock(parts: Sequence[str | None]) -> float:
    hours, minutes, seconds, fraction = (part or "0" for part in parts)
    whole = 3600 * int(hours) + 60 * int(minutes) + int(seconds)
    return float(f"{whole}.{fraction}")


def parse_whisper(data: bytes) -> tuple[Tier, ...]:
    """Parse JSON as of Whisper: ``segments``, each with ``words``, or words alone."""
    try:
        document = json.loads(_text(data))
    except json.JSONDecodeError as error:
        reason = f"is not JSON: {error.msg.lower()}"
        raise UnreadableError(None, reason, f"line {error.lineno}") from None
    except (RecursionError, ValueError) as error:
        raise UnreadableError(None, f"is not JSON of a transcript: {str(error)[:60]}") from None
    segments = document.get("segments") if isinstance(document, dict) else document
    loose = document.get("words") if isinstance(document, dict) else None
    if not isinstance(segments, list) and not isinstance(loose, list):
        raise UnreadableError(None, "has neither 'segments' nor 'words', as Whisper writes them")
    cues, words = [], []
    for i, segment in enumerate(segments if isinstance(segments, list) else ()):
        place = f"segments[{i}]"
        cues.append(_json_row(segment, "text", place))
        inner = segment.get("words") or ()
        if not isinstance(inner, (list, tuple)):
            raise UnreadableError(None, "is not a list", f"{place}.words")
        words += [_json_row(w, "word", f"{place}.words[{j}]") for j, w in enumerate(inner)]
    if not words:
        words = [_json_row(w, "word", f"words[{i}]") for i, w in enumerate(loose or ())]
    rows = (("words", words), ("cues", cues))
    return tuple(_tier(name, row) for name, row in rows if row)


def _json_row(entry: Any, key: str, place: str) -> tuple[float, float, str, str]:
    if not isinstance(entry, dict):
        raise UnreadableError(None, f"is {str(entry)[:20]!r}, expected an object", place)
    text = next((entry[k] for k in (key, "text", "word") if isinstance(entry.get(k), str)), None)
    start, end = entry.get("start"), entry.get("end")
    numbers = all(type(t) in (int, float) and -1 < t < 1e12 for t in (start, end))  # type: ignore[operator]
    if text is None or not numbers:
        raise UnreadableError(None, f"lacks 'start', 'end' or {key!r}", place)
    return float(start), float(end), text, place  # type: ignore[arg-type]


def parse_csv(data: bytes) -> tuple[Tier, ...]:
    """Parse rows of start, end, word, separated by comma, semicolon or tab; a header is optional.

    Named columns may be in any order: ``start``, ``end`` and ``word`` (or ``text``, ``label``).
    """
    text = _text(data)
    head = text.split("\n", 1)[0]
    separator = max("\t;,", key=head.count)
    rows, columns = [], (0, 1, 2)
    reader = csv.reader(io.StringIO(text), delimiter=separator)
    try:
        for i, row in enumerate(reader):
            place = f"line {reader.line_num}"
            if i == 0 and (named := _named_columns(row)):
                columns = named
                continue
            if not any(cell.strip() for cell in row):
                continue
            if len(row) <= max(columns):
                reason = f"has {len(row)} columns, expected start{separator}end{separator}word"
                raise UnreadableError(None, reason, place)
            start, end = (_csv_time(row[c], place) for c in columns[:2])
            rows.append((start, end, row[columns[2]], place))
    except csv.Error as error:
        raise UnreadableError(None, f"is not CSV: {error}", f"line {reader.line_num}") from None
    if not rows:
        raise UnreadableError(None, "holds no row of start, end, word")
    return (_tier("words", rows),)


def _named_columns(row: Sequence[str]) -> tuple[int, int, int] | None:
    names = [cell.strip().lower() for cell in row]
    found = []
    for usual in (
        ("start", "start_s", "begin"),
        ("end", "end_s", "stop"),
        ("word", "text", "label"),
    ):
        at = next((names.index(name) for name in usual if name in names), None)
        if at is None:
            return None
        found.append(at)
    return found[0], found[1], found[2]


def _csv_time(cell: str, place: str) -> float:
    try:
        return float(cell.strip().replace(",", "."))
    except ValueError:
        raise UnreadableError(None, f"has {cell[:20]!r}, expected seconds", place) from None


def parse_elan(data: bytes) -> tuple[Tier, ...]:
    """Parse ELAN's .eaf: tiers of annotations with times; those without times are skipped."""
    document, _ = elan.parse_elan(data, whole=True)
    problems = Problems()
    tiers = elan.timed_tiers(document, problems)
    for problem in problems.report():  # of times: words must match the audio
        raise UnreadableError(None, problem.what, f"line {problem.line}")
    return tuple(_elan_tier(timed) for timed in tiers if timed.rows)


def _elan_tier(timed: elan.TimedTier) -> Tier:
    rows = [(r.start_s, r.end_s, r.annotation.value, r.annotation.line) for r in timed.rows]
    return _tier(timed.tier.id, rows)


def _tier(name: str, rows: Sequence[tuple[float, float, str, int | str]]) -> Tier:
    if len(rows) > _MOST_INTERVALS:
        raise UnreadableError(None, f"has over {_MOST_INTERVALS} intervals")
    found = []
    for start, end, text, place in rows:
        where = f"line {place}" if isinstance(place, int) else place
        if not (math.isfinite(start) and math.isfinite(end) and -1e-9 <= start <= end <= _LATEST_S):
            reason = f"has {text[:20]!r} from {start:g} to {end:g} s, expected 0 <= start <= end"
            raise UnreadableError(None, reason, where)
        label = " ".join(text.split())
        if label.lower() not in _MARKS:
            found.append(Interval(max(start, 0.0), end, label))
    return Tier(name, tuple(sorted(found, key=lambda i: (i.start_s, i.end_s))))


def _text(data: bytes) -> str:
    """Text in UTF-8 or, by its BOM or zero bytes, UTF-16; else Latin-1 (Praat's old default)."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    elif data[1:2] == b"\0" or data[:1] == b"\0":
        encoding = "utf-16-le" if data[1:2] == b"\0" else "utf-16-be"
    else:
        encoding = "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding != "utf-8-sig":
            raise UnreadableError(None, f"is not {encoding}: {error.reason}") from None
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


READERS: dict[str, Callable[[bytes], tuple[Tier, ...]]] = {
    ".textgrid": parse_textgrid,
    ".vtt": parse_subtitles,
    ".srt": parse_subtitles,
    ".json": parse_whisper,
    ".csv": parse_csv,
    ".tsv": parse_csv,
    ".eaf": parse_elan,
}
"""Readers of transcripts by file suffix."""
