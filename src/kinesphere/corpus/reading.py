"""Annotations from files of ANVIL and ELAN, and into them.

A file becomes a `Sheet`: rows by the names of the scheme, whatever its author called them. A sheet
becomes an `Annotation`: phases are put into gestures and these into units by their times. What
does not fit is listed as a `Problem` with its line, and the rest is read. The scheme, the names
that are understood and the rules are described in ``docs/annotation.md``.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from os import PathLike, fspath
from pathlib import Path
from typing import NamedTuple, cast

from kinesphere.corpus.annotation import (
    DIRECTIONS,
    TRAJECTORIES,
    AnnotatedGesture,
    AnnotatedSpan,
    AnnotatedUnit,
    AnnotatedWord,
    Annotation,
    BodyTurn,
    Handedness,
    MarkKind,
    PhaseMark,
    Trajectory,
)
from kinesphere.errors import InvalidValueError, UnreadableError, UnwritableError
from kinesphere.formats.files import read_bytes, written_whole
from kinesphere.formats.problems import (
    LARGEST_XML,
    ROUNDING_S,
    Element,
    Problem,
    Problems,
    shown,
)
from kinesphere.gesture.lexicon import HAND_SHAPES, lexicon
from kinesphere.gesture.positions import DIMENSIONS, HandPosition

ENDINGS = (".anvil", ".eaf")


def _key(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold() or name.strip()


class Names(dict[str, tuple[str, ...]]):
    """Names of the scheme, each with what else people write for it.

    >>> TIERS.find("G-Phrase"), HANDS.find("both_hands"), HANDS.find("tentacle")
    ('gestures', '2H', None)
    """

    def __init__(self, table: Mapping[str, tuple[str, ...]]) -> None:
        super().__init__(table)
        self._meant = {_key(other): name for name, others in table.items() for other in others}
        self._meant |= {_key(name): name for name in table}

    def find(self, written: str) -> str | None:
        """Name that is meant; case, spaces, dashes and underscores do not matter."""
        return self._meant.get(_key(written))


TIERS = Names({
    "words": ("word", "token", "tokens", "transcript", "orthography", "ort"),
    "clauses": ("clause", "segment", "segments", "discourse segments"),
    "information": ("information structure", "info structure", "theme rheme"),
    "focus": ("foci", "focus words"),
    "phases": ("phase", "g-phase", "g-phases", "gesture phase", "gesture phases"),
    "gestures": (
        "gesture", "phrase", "phrases", "g-phrase", "g-phrases", "gesture phrase",
        "gesture phrases",
    ),
    "units": ("unit", "g-unit", "g-units", "gesture unit", "gesture units"),
    "turns": ("turn", "body turn", "body turns"),
    "head-turns": ("head turn",),
})  # fmt: skip
"""Tiers of the scheme, and what else people call them."""

VALUES: Mapping[str, tuple[str, ...]] = {
    "words": ("token", "word", "text", "orthography", "utterance", "label"),
    "clauses": ("text", "clause", "label", "type"),
    "information": ("type", "information", "role", "label"),
    "focus": ("type", "focus", "role", "label"),
    "phases": ("phase", "type", "kind", "label"),
    "gestures": ("lexeme", "lemma", "gesture", "name", "type", "label"),
    "units": ("rest-pose", "rest", "rest position", "type", "label"),
    "turns": ("direction", "turn", "type", "label"),
    "head-turns": ("direction", "turn", "type", "label"),
}
"""Names for what an annotation of each tier says itself: attributes in ANVIL, child tiers."""

PLACES: Mapping[str, tuple[str, ...]] = {
    f"{end}-{name}": (f"{name} {end}",) for end in ("start", "end") for name in DIMENSIONS
}
DETAILS: Mapping[str, Names] = {
    "words": Names({
        "lemma": ("lemmas", "lemmata"),
        "part-of-speech": ("pos", "word class"),
        "tag": ("tags", "semantic tag", "semantic tags"),
    }),
    "gestures": Names({
        "handedness": ("hand", "hands", "hand used"),
        "hand-shape": ("shape", "hand shapes"),
        "trajectory": ("path",),
        "start-position": ("start", "position start", "from"),
        "end-position": ("end", "position end", "to"),
        "hand-distance": ("distance", "two-hand distance", "2h distance"),
        "strokes": ("number of strokes", "stroke count"),
        "stroke-ends": ("ends of strokes",),
        "affiliate": ("lexical affiliate", "lexical affiliation", "affiliation"),
        "co-occurrence": ("temporal co-occurrence",),
        **PLACES,
    }),
}  # fmt: skip
"""What hangs on annotations of a tier, and what else people call it."""

PHASES = Names({
    "preparation": ("prep", "p"),
    "hold": (
        "h", "pre-stroke hold", "post-stroke hold", "pre-hold", "post-hold", "independent hold",
        "stroke hold",
    ),
    "stroke": ("s", "main stroke", "after-stroke", "post-stroke", "repeated stroke"),
    "retraction": ("retract", "retr", "r", "partial retraction", "recovery"),
    "rest": ("rest pose", "rest position", "resting"),
})  # fmt: skip
HANDS = Names({
    "LH": ("L", "left", "left hand"),
    "RH": ("R", "right", "right hand"),
    "2H": ("BH", "B", "both", "both hands", "two", "two hands", "bimanual", "two-handed"),
})  # fmt: skip
STRUCTURE = Names({
    "theme": ("topic", "given", "th"),
    "rheme": ("comment", "new", "rh"),
    "focus": ("foc",),
})  # fmt: skip
POSES = Names({
    "at-side": ("at sides", "side", "sides", "hanging"),
    "in-pockets": ("in pocket", "pockets"),
    "clasped": ("hands clasped",),
    "folded": ("arms folded", "crossed", "arms crossed"),
    "behind-back": ("behind", "back"),
})  # fmt: skip
PATHS = Names(dict.fromkeys(TRAJECTORIES, ()))
WAYS = Names(dict.fromkeys(DIRECTIONS, ()))
NOTHING = ("none", "no lexeme", "unknown", "-", "?")
"""What people write for a gesture that fits no lexeme."""

_FRAME_S = 0.05  # about a frame of video, by which marks of one moment may differ
_PAUSE_S = 1.0  # of nothing annotated ends a unit where nobody marked units
_NUMBERS = re.compile(r"(?:^|\s)#([0-9]{1,6})(?:-([0-9]{1,6}))?\s*$")
_ARROWS = re.compile(r"\s*(?:/|->|→|;|\s)\s*")


@dataclass(frozen=True)
class Detail:
    """Something said about an annotation, and its line."""

    value: str
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Row:
    """An annotation of a tier; `details` by the names of `DETAILS`."""

    start_s: float
    end_s: float
    value: str = ""
    details: Mapping[str, Detail] = field(default_factory=dict)
    line: int = field(default=0, compare=False)

    @property
    def middle_s(self) -> float:
        """Time half-way through it."""
        return (self.start_s + self.end_s) / 2.0

    def detail(self, name: str) -> Detail:
        """One of its details, empty if it is not there."""
        return self.details.get(name, Detail("", self.line))


@dataclass(frozen=True)
class Sheet:
    """What a file holds of one speaker: rows by the names of `TIERS`, in order of time."""

    speaker: str = ""
    language: str = ""
    duration_s: float | None = None
    note: str = ""
    tiers: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)

    def rows(self, tier: str) -> tuple[Row, ...]:
        """Rows of a tier; none if the file does not have it."""
        return self.tiers.get(tier, ())


def read_annotation(
    path: str | PathLike[str], speaker: str | None = None
) -> tuple[Annotation, tuple[Problem, ...]]:
    """Read an annotated performance, .anvil or .eaf.

    Parameters
    ----------
    path : the file.
    speaker : whose tiers are read in a file of several; None takes the first.

    Returns
    -------
    annotation : all that could be read.
    problems : all that could not, with file and line.

    Raises
    ------
    UnreadableError
        If nothing can be read at all.
    InvalidValueError
        If the file has no such speaker; the message lists those it has.
    """
    from kinesphere.corpus.annotation_anvil import sheet_of_anvil
    from kinesphere.corpus.annotation_elan import sheet_of_elan

    target = Path(fspath(path))
    if target.suffix.lower() not in ENDINGS:
        raise UnreadableError(
            path, f"ends in {target.suffix!r}, readable annotations are {' '.join(ENDINGS)}"
        )
    data = read_bytes(target, LARGEST_XML)
    problems = Problems(fspath(path))
    try:
        if target.suffix.lower() == ".eaf":
            sheet = sheet_of_elan(data, problems, speaker)
        else:
            sheet = sheet_of_anvil(data, problems, speaker, target.parent)
    except UnreadableError as error:
        raise error.at(path) from None
    return annotation_of(sheet, problems), problems.found()


def write_annotation(annotation: Annotation, path: str | PathLike[str]) -> None:
    """Write an annotation, .anvil or .eaf; ELAN keeps whole milliseconds.

    Beside an .anvil file goes the specification that ANVIL needs to open it, unless it is there.

    Raises
    ------
    UnwritableError
        If the ending is another, or if annotations of one tier overlap, which no tier can hold.
    """
    from kinesphere.corpus import annotation_anvil, annotation_elan

    target = Path(fspath(path))
    ending = target.suffix.lower()
    if ending not in ENDINGS:
        raise UnwritableError(
            f"{target}: ends in {target.suffix!r}, annotations are written as {' '.join(ENDINGS)}"
        )
    sheet = sheet_of(annotation)
    data = annotation_elan.elan_of(sheet) if ending == ".eaf" else annotation_anvil.anvil_of(sheet)
    with written_whole(target) as file:
        file.write(data)
    beside = target.with_name(annotation_anvil.SPECIFICATION)
    if ending == ".anvil" and not beside.exists():
        with written_whole(beside) as file:
            file.write(annotation_anvil.specification())


@cache
def _own_names(names: tuple[str, ...]) -> Names:
    return Names(dict.fromkeys(names, ()))


def detail_name(written: str, tier: str) -> str | None:
    """Name of a detail of a tier; ``value`` for what the annotation says itself."""
    found = DETAILS[tier].find(written) if tier in DETAILS else None
    if found is None and _key(written) in map(_key, VALUES[tier]):
        return "value"
    return found


def detail_of_any_tier(written: str) -> tuple[str, str] | None:
    """Tier and detail that a name means where it does not hang on anything."""
    found = ((tier, names.find(written)) for tier, names in DETAILS.items())
    return next(((tier, name) for tier, name in found if name is not None), None)


def with_detail(row: Row, name: str, detail: Detail, problems: Problems) -> Row:
    """Add a detail to a row, or what it says itself; a second one of a name is noted."""
    if name == "value":
        return replace(row, value=detail.value)
    if name in row.details:
        problems.add(detail.line, f"a second {name} for one annotation; left out")
        return row
    return replace(row, details={**row.details, name: detail})


def chosen_speaker(speakers: Iterable[str], wanted: str | None, problems: Problems) -> str:
    """Choose among the speakers of a file: the one asked for, or the first, which is noted."""
    known = [name for name in dict.fromkeys(speakers) if name]
    if wanted is not None and wanted not in known and (wanted or known):
        raise InvalidValueError(
            f"no speaker {wanted!r} in the annotation; it has {', '.join(known) or 'none'}"
        )
    if wanted is None and len(known) > 1:
        problems.add(1, f"has speakers {', '.join(known)}; {known[0]} is read")
    return wanted if wanted is not None else (known[0] if known else "")


def duration_of(stated: Element | None, problems: Problems) -> float | None:
    """Length of a performance in seconds, as a file may state it."""
    if stated is None:
        return None
    value = _number(stated.text)
    if value is None:
        what = f"duration is {shown(stated.text)}, expected seconds; left out"
        problems.add(stated.line, what)
    return value


def annotation_of(sheet: Sheet, problems: Problems) -> Annotation:
    """Put the rows of a sheet together."""
    words = _Words(sheet.rows("words"), problems)
    marks = _marks(sheet, problems)
    gestures = [
        _Made(_gesture(draft, words, problems), draft.line)
        for draft in _drafts(sheet.rows("gestures"), marks, problems)
    ]
    length_s = max((row.end_s for rows in sheet.tiers.values() for row in rows), default=0.0)
    clauses = (AnnotatedSpan(r.start_s, r.end_s, _line(r.value)) for r in sheet.rows("clauses"))
    return Annotation(
        speaker=sheet.speaker,
        language=sheet.language,
        duration_s=length_s if sheet.duration_s is None else sheet.duration_s,
        words=words.words,
        clauses=tuple(clauses),
        information=_information(sheet, problems),
        units=_units(sheet.rows("units"), gestures, marks, problems),
        turns=_turns(sheet, problems),
        note=sheet.note,
    )


def _line(text: str) -> str:
    return " ".join(text.split())


def _chosen(row: Row | Detail, what: str, names: Names, problems: Problems) -> str | None:
    """Name of a table; None, with a note, for what it does not have, and for an empty value."""
    found = names.find(row.value)
    if found is None and row.value.strip():
        allowed = ", ".join(names)
        problems.add(row.line, f"{what} is {shown(row.value)}, allowed are {allowed}; left out")
    return found


def _needed(row: Row, what: str, names: Names, problems: Problems) -> str | None:
    """Name of a table, for a row that says nothing else."""
    if not row.value.strip():
        problems.add(row.line, f"{what} is empty, allowed are {', '.join(names)}; left out")
    return _chosen(row, what, names, problems)


def _information(sheet: Sheet, problems: Problems) -> tuple[AnnotatedSpan, ...]:
    rows = [*sheet.rows("information")]
    rows += [r if r.value.strip() else replace(r, value="focus") for r in sheet.rows("focus")]
    found = []
    for row in rows:
        label = _needed(row, "information", STRUCTURE, problems)
        if label is not None:
            found.append(AnnotatedSpan(row.start_s, row.end_s, label))
    return tuple(sorted(found, key=information_order))


def information_order(span: AnnotatedSpan) -> tuple[float, float, str]:
    """Order of spans: by start, the longer first."""
    return span.start_s, -span.end_s, span.label


def _turns(sheet: Sheet, problems: Problems) -> tuple[BodyTurn, ...]:
    found = []
    for tier in ("turns", "head-turns"):
        for row in sheet.rows(tier):
            direction = _needed(row, "direction", WAYS, problems)
            if direction is not None:
                found.append(
                    BodyTurn(row.start_s, "body" if tier == "turns" else "head", direction)
                )
    return tuple(sorted(found, key=lambda turn: (turn.time_s, turn.part)))


class _Words:
    """The words of a sheet, and which of them a text means."""

    def __init__(self, rows: Sequence[Row], problems: Problems) -> None:
        found: list[AnnotatedWord] = []
        self.numbers: dict[int, int] = {}
        for number, row in enumerate(rows, 1):
            text = _line(row.value)
            if not text:
                problems.add(row.line, "a word has no text; left out")
                continue
            self.numbers[number] = len(found)
            lemma, pos, tag = (_line(row.detail(name).value) for name in DETAILS["words"])
            found.append(AnnotatedWord(row.start_s, row.end_s, text, lemma, pos, tag))
        self.words = tuple(found)
        self._parts: list[tuple[str, int]] = []
        self._edges = [0]  # where the parts of each word begin
        for i, word in enumerate(found):
            self._parts += [(part, i) for part in _parts(word.text)]
            self._edges.append(len(self._parts))
        self._starts: dict[str, list[int]] = {}
        for at, (part, _) in enumerate(self._parts):
            self._starts.setdefault(part, []).append(at)

    def span(self, text: str, time_s: float) -> tuple[int, int] | str:
        """First and last word that a text names, nearest to a time; or why there are none."""
        numbered = _NUMBERS.search(text)
        if numbered is None:
            spans = self._places(_parts(text))
            if not spans:
                return "matches no words"
            return min(spans, key=lambda span: self._distance(span, time_s))
        first, last = (self.numbers.get(int(n)) for n in (numbered[1], numbered[2] or numbered[1]))
        if first is None or last is None or last < first:
            return f"names words that are not there, allowed are 1 to {len(self.numbers)}"
        said = _parts(text[: numbered.start()])
        meant = self._parts[self._edges[first] : self._edges[last + 1]]
        if said and said != [part for part, _ in meant]:
            return "names other words than it has numbers"
        return first, last

    def _places(self, parts: Sequence[str]) -> list[tuple[int, int]]:
        found = []
        for at in self._starts.get(parts[0], ()) if parts else ():
            run = self._parts[at : at + len(parts)]
            if [part for part, _ in run] == list(parts):
                found.append((run[0][1], run[-1][1]))
        return found

    def _distance(self, span: tuple[int, int], time_s: float) -> float:
        start, end = self.words[span[0]].start_s, self.words[span[1]].end_s
        return abs((start + end) / 2.0 - time_s)


def _parts(text: str) -> list[str]:
    """Words of a text as they are compared: no case, no marks around them."""
    parts = (re.sub(r"^\W+|\W+$", "", part).casefold() for part in text.split())
    return [part for part in parts if part]


@dataclass
class _Draft:
    """A gesture on its way: its row, if there is one, and its phases."""

    row: Row | None
    marks: list[Row] = field(default_factory=list)
    retracts: bool = False

    @property
    def line(self) -> int:
        return self.marks[0].line if self.row is None else self.row.line


class _Made(NamedTuple):
    """A gesture, and the line that it stands on."""

    gesture: AnnotatedGesture
    line: int


def _marks(sheet: Sheet, problems: Problems) -> list[Row]:
    """Phases by their names, without rests."""
    found = []
    for row in sheet.rows("phases"):
        kind = _needed(row, "phase", PHASES, problems)
        if kind is not None and kind != "rest":
            found.append(replace(row, value=kind))
    return found


def _drafts(rows: Sequence[Row], marks: Sequence[Row], problems: Problems) -> list[_Draft]:
    """Phases in gestures, both in order of time."""
    if not rows:
        if marks:
            what = "no tier of gestures: each stroke, or hold without one, is taken for a gesture"
            problems.add(marks[0].line, what)
        return _grouped(marks)
    drafts = [_Draft(row) for row in rows]
    for mark in marks:
        at = holder(rows, mark.middle_s)
        if at is not None and mark.value == "retraction":
            drafts[at].retracts = True
        elif at is not None:
            drafts[at].marks.append(mark)
        elif mark.value != "retraction":
            what = f"{mark.value} from {mark.start_s:g} s is in no gesture; left out"
            problems.add(mark.line, what)
    for draft, row in zip(drafts, rows, strict=True):
        _check_edges(draft, row, problems)
    return sorted(drafts, key=lambda draft: draft.marks[0].start_s)


def holder(rows: Sequence[Row], time_s: float) -> int | None:
    """Row that a time lies in, the later of two that meet there."""
    last = bisect_right(rows, time_s, key=lambda row: row.start_s) - 1
    return next((i for i in (last, last - 1) if i >= 0 and time_s <= rows[i].end_s), None)


def _check_edges(draft: _Draft, row: Row, problems: Problems) -> None:
    if not draft.marks:
        what = f"the gesture from {row.start_s:g} s has no phases; it is taken for one stroke"
        problems.add(row.line, what)
        draft.marks.append(replace(row, value="stroke", details={}))
    start_s, end_s = draft.marks[0].start_s, draft.marks[-1].end_s
    late = end_s - row.end_s
    if (
        abs(start_s - row.start_s) > _FRAME_S
        or late > _FRAME_S
        or (late < -_FRAME_S and not draft.retracts)
    ):
        problems.add(
            row.line,
            f"the gesture goes from {row.start_s:g} to {row.end_s:g} s, its phases from "
            f"{start_s:g} to {end_s:g} s; the phases count",
        )


def _grouped(marks: Sequence[Row]) -> list[_Draft]:
    """Gestures made of phases alone: ``[preparation] [hold] stroke [hold]``."""
    drafts: list[_Draft] = []
    begun: list[Row] = []
    for mark in marks:
        if mark.value == "retraction":
            begun = []
            continue
        if not begun or _begins(mark, begun):
            begun = []
            drafts.append(_Draft(None, begun))
        begun.append(mark)
    return drafts


def _begins(mark: Row, begun: Sequence[Row]) -> bool:
    """Whether a phase belongs to another gesture than those before it."""
    last = begun[-1]
    if mark.value == "preparation" or mark.start_s - last.end_s > _PAUSE_S:
        return True
    if mark.value == "hold":
        return last.value == "hold"
    repeats = last.value == "stroke" and _follows(last, mark)
    return not repeats and any(row.value == "stroke" for row in begun)


def _follows(before: Row, after: Row) -> bool:
    """Whether a row begins where the one before it ends."""
    return after.start_s - before.end_s <= _FRAME_S


def _gesture(draft: _Draft, words: _Words, problems: Problems) -> AnnotatedGesture:
    row = draft.row or replace(draft.marks[0], value="", details={})
    phases = _phases(draft.marks, row, problems)
    made = AnnotatedGesture(phases, lexeme=_lexeme(row.value))
    stroke = made.stroke or phases[-1]
    middle_s = (stroke.start_s + stroke.end_s) / 2.0
    start_distance, end_distance = _distances(row.detail("hand-distance"), problems)
    hands = _chosen(row.detail("handedness"), "handedness", HANDS, problems)
    trajectory = _chosen(row.detail("trajectory"), "trajectory", PATHS, problems)
    shape = _line(row.detail("hand-shape").value)
    return replace(
        made,
        hands=cast(Handedness | None, hands),
        handshape=_own_names(HAND_SHAPES).find(shape) or shape,
        trajectory=cast(Trajectory | None, trajectory),
        start=_position(row, "start", problems),
        end=_position(row, "end", problems),
        start_distance=start_distance,
        end_distance=end_distance,
        affiliate=_words_of(row, "affiliate", words, middle_s, problems),
        cooccurrence=_words_of(row, "co-occurrence", words, middle_s, problems),
    )


def _lexeme(written: str) -> str:
    name = _line(written)
    if _key(name) in map(_key, NOTHING):
        return ""
    return _own_names(tuple(lexicon())).find(name) or name


def _phases(marks: Sequence[Row], row: Row, problems: Problems) -> tuple[PhaseMark, ...]:
    """Phases of a gesture; strokes in a row are one phase of so many strokes."""
    runs: list[list[Row]] = []
    for mark in marks:
        repeats = bool(runs) and mark.value == runs[-1][-1].value == "stroke"
        if repeats and _follows(runs[-1][-1], mark):
            runs[-1].append(mark)
        else:
            runs.append([mark])
    found, first = [], True
    for run in runs:
        ends = tuple(mark.end_s for mark in run) if len(run) > 1 else ()
        kind = cast(MarkKind, run[0].value)
        phase = PhaseMark(kind, run[0].start_s, run[-1].end_s, len(run), ends)
        if kind == "stroke" and first:
            phase, first = _counted(phase, row, problems), False
        found.append(phase)
    return tuple(found)


def _counted(phase: PhaseMark, row: Row, problems: Problems) -> PhaseMark:
    """Stroke with the number of strokes, and their ends, that its gesture has."""
    said, listed = row.detail("strokes"), row.detail("stroke-ends")
    number = said.value.strip()
    if number and (not re.fullmatch(r"[0-9]{1,3}", number) or int(number) < 1):
        problems.add(said.line, f"number of strokes is {shown(number)}, allowed are 1, 2, 3 ...")
    elif number and phase.strokes > 1 and int(number) != phase.strokes:
        what = f"{number} strokes are said, {phase.strokes} are marked; the marks count"
        problems.add(said.line, what)
    elif number:
        phase = replace(phase, strokes=int(number))
    ends = [end for end in map(_number, listed.value.split()) if end is not None]
    if ends and not phase.stroke_ends and len(ends) == phase.strokes:
        return replace(phase, stroke_ends=tuple(ends))
    if listed.value.strip() and not phase.stroke_ends:
        what = f"ends of strokes are {shown(listed.value)}, expected {phase.strokes} times"
        problems.add(listed.line, f"{what} in seconds; left out")
    return phase


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0.0 else None


def _position(row: Row, end: str, problems: Problems) -> HandPosition | None:
    """Position that is written in one piece, or as its four dimensions."""
    whole = row.detail(f"{end}-position")
    parts = {name: row.detail(f"{end}-{name}") for name in DIMENSIONS}
    given = [name for name, part in parts.items() if part.value.strip()]
    line, text = whole.line, whole.value.strip()
    if not text and given:
        lacking = [name for name in DIMENSIONS if name not in given]
        line = parts[given[0]].line
        if lacking:
            problems.add(line, f"{end} position has no {', no '.join(lacking)}; left out")
            return None
        text = "/".join(part.value.strip() for part in parts.values())
    if not text:
        return None
    try:
        return HandPosition.of_text(text)
    except InvalidValueError as error:
        problems.add(line, f"{end} position: {error}; left out")
        return None


def _distances(detail: Detail, problems: Problems) -> tuple[float | None, float | None]:
    """Distances of the hands at start and end, written ``0.6/0.9``, ``0.6`` or ``/0.9``."""
    text = detail.value.strip()
    parts = _ARROWS.split(text) if text else []
    numbers = [_number(part) if part else None for part in parts]
    if len(parts) > 2 or any(part and n is None for part, n in zip(parts, numbers, strict=True)):
        what = f"hand distance is {shown(text)}, expected start/end in shoulder widths"
        problems.add(detail.line, f"{what}; left out")
        return None, None
    start, end = (*numbers, None, None)[:2]
    return start, end


def _words_of(
    row: Row, name: str, words: _Words, time_s: float, problems: Problems
) -> tuple[int, int] | None:
    detail = row.detail(name)
    if not detail.value.strip():
        return None
    found = words.span(detail.value, time_s)
    if isinstance(found, str):
        problems.add(detail.line, f"{name} {shown(detail.value)} {found}; left out")
        return None
    return found


@dataclass
class _Bundle:
    """A unit on its way."""

    row: Row | None
    gestures: list[AnnotatedGesture] = field(default_factory=list)
    retractions: list[Row] = field(default_factory=list)


def _units(
    rows: Sequence[Row], gestures: Sequence[_Made], marks: Sequence[Row], problems: Problems
) -> tuple[AnnotatedUnit, ...]:
    retractions = [mark for mark in marks if mark.value == "retraction"]
    if rows:
        bundles = _bundles(rows, gestures, retractions, problems)
    else:
        if gestures:
            what = "no tier of units: a unit is taken to end with a retraction, or where nothing is"
            problems.add(gestures[0].line, f"{what} annotated for {_PAUSE_S:g} s")
        bundles = _separated(gestures, retractions, problems)
    found = [unit for unit in (_unit(bundle, problems) for bundle in bundles) if unit is not None]
    return tuple(sorted(found, key=lambda unit: unit.start_s))


def _bundles(
    rows: Sequence[Row], gestures: Sequence[_Made], retractions: Sequence[Row], problems: Problems
) -> list[_Bundle]:
    bundles = [_Bundle(row) for row in rows]
    for gesture, line in gestures:
        at = holder(rows, (gesture.start_s + gesture.end_s) / 2.0)
        if at is None:
            what = f"the gesture at {gesture.start_s:g} s is in no unit; it is taken for one"
            problems.add(line, what)
            bundles.append(_Bundle(None, [gesture]))
        else:
            bundles[at].gestures.append(gesture)
    for mark in retractions:
        at = holder(rows, mark.middle_s)
        if at is None:
            problems.add(mark.line, f"retraction from {mark.start_s:g} s is in no unit; left out")
        else:
            bundles[at].retractions.append(mark)
    return bundles


def _separated(
    gestures: Sequence[_Made], retractions: Sequence[Row], problems: Problems
) -> list[_Bundle]:
    """Units made where nobody marked them."""
    bundles: list[_Bundle] = []
    ends_s = -math.inf
    items: list[AnnotatedGesture | Row] = [*(made.gesture for made in gestures), *retractions]
    for item in sorted(items, key=lambda item: item.start_s):
        apart = not bundles or bool(bundles[-1].retractions) or item.start_s - ends_s > _PAUSE_S
        if isinstance(item, AnnotatedGesture):
            bundles += [_Bundle(None)] if apart else []
            bundles[-1].gestures.append(item)
        elif apart:
            what = f"retraction from {item.start_s:g} s follows no gesture; left out"
            problems.add(item.line, what)
            continue
        else:
            bundles[-1].retractions.append(item)
        ends_s = item.end_s
    return bundles


def _unit(bundle: _Bundle, problems: Problems) -> AnnotatedUnit | None:
    row = bundle.row
    pose = None if row is None else _chosen(row, "rest pose", POSES, problems)
    if not bundle.gestures:
        if row is not None:
            problems.add(row.line, f"the unit from {row.start_s:g} s has no gesture; left out")
        return None
    for early in bundle.retractions[:-1]:
        what = f"retraction from {early.start_s:g} s is not the last of its unit; left out"
        problems.add(early.line, what)
    last = bundle.retractions[-1] if bundle.retractions else None
    retraction = None if last is None else PhaseMark("retraction", last.start_s, last.end_s)
    return AnnotatedUnit(tuple(bundle.gestures), retraction, pose or "")


def sheet_of(annotation: Annotation) -> Sheet:
    """Return an annotation as rows; the opposite of `annotation_of`.

    Raises
    ------
    UnwritableError
        If rows of one tier overlap.
    """
    words = tuple(_word_row(word) for word in annotation.words)
    found = _Words(words, Problems())
    tiers = {
        "words": words,
        "clauses": tuple(_span_row(span) for span in annotation.clauses),
        "information": tuple(_span_row(s) for s in annotation.information if s.label != "focus"),
        "focus": tuple(_span_row(s) for s in annotation.information if s.label == "focus"),
        "phases": tuple(Row(p.start_s, p.end_s, p.kind) for p in annotation.phases),
        "gestures": tuple(_gesture_row(g, annotation, found) for g in annotation.gestures),
        "units": tuple(Row(u.start_s, u.end_s, u.rest_pose) for u in annotation.units),
        "turns": tuple(_turn_rows(annotation, "body")),
        "head-turns": tuple(_turn_rows(annotation, "head")),
    }
    for name, rows in tiers.items():
        _check_order(name, rows)
    return Sheet(
        annotation.speaker, annotation.language, annotation.duration_s, annotation.note, tiers
    )


def _check_order(tier: str, rows: Sequence[Row]) -> None:
    if rows and rows[0].start_s < 0.0:
        raise UnwritableError(f"{tier}: {shown(rows[0].value)} begins before 0 s")
    for before, after in pairwise(rows):
        if after.start_s < before.end_s - ROUNDING_S:
            raise UnwritableError(
                f"{tier}: {shown(after.value)} from {after.start_s:g} s begins before "
                f"{shown(before.value)} ends at {before.end_s:g} s; a tier cannot hold both"
            )


def _word_row(word: AnnotatedWord) -> Row:
    details = zip(DETAILS["words"], (word.lemma, word.pos, word.tag), strict=True)
    return Row(word.start_s, word.end_s, word.text, _given(details))


def _given(details: Iterable[tuple[str, str]]) -> dict[str, Detail]:
    return {name: Detail(value) for name, value in details if value}


def _span_row(span: AnnotatedSpan) -> Row:
    return Row(span.start_s, span.end_s, span.label)


def _turn_rows(annotation: Annotation, part: str) -> Iterator[Row]:
    """Turns as stretches: each lasts until the next, the last to the end."""
    turns = [turn for turn in annotation.turns if turn.part == part]
    ends = [*(turn.time_s for turn in turns[1:]), annotation.duration_s]
    for turn, end_s in zip(turns, ends, strict=False):
        yield Row(turn.time_s, max(turn.time_s, end_s), turn.direction)


def number_text(value: float) -> str:
    """Shortest text that gives exactly the same number.

    >>> number_text(0.6), number_text(2.0), number_text(1234567.25)
    ('0.6', '2', '1234567.25')
    """
    return repr(value).removesuffix(".0")


def _gesture_row(gesture: AnnotatedGesture, annotation: Annotation, words: _Words) -> Row:
    stroke = gesture.stroke
    at = stroke or gesture.phases[-1]
    middle_s = (at.start_s + at.end_s) / 2.0
    ends = () if stroke is None else stroke.stroke_ends
    distances = [
        "" if value is None else number_text(value)
        for value in (gesture.start_distance, gesture.end_distance)
    ]
    details = {
        "handedness": gesture.hands or "",
        "hand-shape": gesture.handshape,
        "trajectory": gesture.trajectory or "",
        "start-position": "" if gesture.start is None else str(gesture.start),
        "end-position": "" if gesture.end is None else str(gesture.end),
        "hand-distance": "/".join(distances) if distances[1] else distances[0],
        "strokes": "" if stroke is None else str(stroke.strokes),
        "stroke-ends": " ".join(number_text(end) for end in ends),
        "affiliate": _words_text(gesture.affiliate, annotation, words, middle_s),
        "co-occurrence": _words_text(gesture.cooccurrence, annotation, words, middle_s),
    }
    return Row(gesture.start_s, gesture.end_s, gesture.lexeme, _given(details.items()))


def _words_text(
    span: tuple[int, int] | None, annotation: Annotation, words: _Words, time_s: float
) -> str:
    """Words of a span; with their numbers where the words alone would be taken for others."""
    if span is None:
        return ""
    text = annotation.words_text(span)
    # Words without text are left out when they are read, but counted.
    if words.span(text, time_s) == tuple(words.numbers.get(i + 1) for i in span):
        return text
    numbers = str(span[0] + 1) if span[0] == span[1] else f"{span[0] + 1}-{span[1] + 1}"
    return f"{text} #{numbers}"
