"""ANVIL files: .anvil with annotations, and the specification of the tracks that each refers to.

`parse_anvil` returns the file's content, with line numbers; `timed_tracks` computes its times.
Elements of a primary track have their own seconds (in a point track one `time`). Those of other
tracks refer to elements of a reference track by their index: one (singleton), the first and the
last (span), or a group that divides one at the given seconds (subdivision).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kinesphere.formats.problems import (
    LATEST_S,
    Problem,
    Problems,
    Stretch,
    check_count,
    note_overlaps,
    quote,
)
from kinesphere.formats.xml_elements import Element, read_elements, write_elements

ROOT = "annotation"
SPECIFICATION_ROOT = "annotation-spec"
TRACK_KINDS: Mapping[str, tuple[str, ...]] = {
    "primary": ("start", "end"),
    "primarypoint": ("time",),
    "singleton": ("ref",),
    "span": ("start", "end"),
    "subdivision": ("start", "end"),
}
"""Kinds of tracks, and the attributes that give an element its time."""
_POINTS = ("primarypoint", "primary point", "point")
_TRACK_NAMES = ("name", "type", "ref")
_ELEMENT_NAMES = ("index", "start", "end", "time", "ref")
_INDEX = re.compile(r"\s*([0-9]{1,9})\s*")


@dataclass(frozen=True)
class AnvilLink:
    """A link from an attribute to an element of another track."""

    track: str
    index: str


@dataclass(frozen=True)
class AnvilAttribute:
    """A named value of an element; `parts` are links and points, for those that have them."""

    name: str
    value: str = ""
    parts: tuple[Element, ...] = ()
    line: int = field(default=0, compare=False)

    @property
    def links(self) -> tuple[AnvilLink, ...]:
        """Elements of other tracks that the attribute refers to."""
        found = (part.attributes for part in self.parts if part.tag == "value-link")
        return tuple(AnvilLink(f.get("ref-track", ""), f.get("ref-index", "")) for f in found)


@dataclass(frozen=True)
class AnvilElement:
    """An annotation of a track.

    Parameters
    ----------
    place : its attributes in the file (index, start, end, time, ref) as written.
    attributes : its values.
    group : index of the element that its group divides, in a subdivision.
    others : comments and other elements.
    """

    place: Mapping[str, str] = field(default_factory=dict)
    attributes: tuple[AnvilAttribute, ...] = ()
    group: str | None = None
    others: tuple[Element, ...] = ()
    line: int = field(default=0, compare=False)

    @property
    def index(self) -> int | None:
        """Number by which others refer to it."""
        found = _INDEX.fullmatch(self.place.get("index", ""))
        return int(found[1]) if found else None


@dataclass(frozen=True)
class AnvilTrack:
    """A track with its elements in the order of the file; its name starts with its group's."""

    name: str
    kind: str = "primary"
    reference: str = ""
    others: Mapping[str, str] = field(default_factory=dict)
    elements: tuple[AnvilElement, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class AnvilDocument:
    """An ANVIL file: information of its head, and the tracks."""

    head: tuple[Element, ...] = ()
    tracks: tuple[AnvilTrack, ...] = ()

    @property
    def specification(self) -> Element | None:
        """Reference in the head to the file that describes the tracks (``src``)."""
        return next((entry for entry in self.head if entry.tag == "specification"), None)

    def info(self, key: str) -> Element | None:
        """A value of the head, if present."""
        entries = (entry for entry in self.head if entry.tag == "info")
        return next((entry for entry in entries if entry.attributes.get("key") == key), None)


class TimedElement(NamedTuple):
    """An element with its time."""

    element: AnvilElement
    start_s: float
    end_s: float


class TimedTrack(NamedTuple):
    """A track and those of its elements that have a time."""

    track: AnvilTrack
    rows: tuple[TimedElement, ...]


@dataclass(frozen=True)
class AttributeSpecification:
    """An attribute that a track may have; `values` are those allowed, empty for any."""

    name: str
    values: tuple[str, ...] = ()
    shown: bool = False


@dataclass(frozen=True)
class TrackSpecification:
    """Specification of a track."""

    name: str
    kind: str = "primary"
    reference: str = ""
    attributes: tuple[AttributeSpecification, ...] = ()

    @property
    def label(self) -> str:
        """Name of the attribute that ANVIL shows: the marked one, or the first."""
        first = self.attributes[0].name if self.attributes else ""
        return next((a.name for a in self.attributes if a.shown), first)


def parse_anvil(data: bytes, file: str = "") -> tuple[AnvilDocument, tuple[Problem, ...]]:
    """Parse an ANVIL file.

    Returns
    -------
    document : all that could be read.
    problems : all errors in it, times, references and overlaps included.

    Raises
    ------
    UnreadableError
        If nothing can be read.
    """
    problems = Problems(file)
    document = _document(read_elements(data, ROOT, problems), problems)
    for track, rows in timed_tracks(document, problems):
        stretches = [Stretch(r.start_s, r.end_s, _label(r.element), r.element.line) for r in rows]
        note_overlaps(track.name, stretches, problems)
    return document, problems.report()


def _label(element: AnvilElement) -> str:
    return element.attributes[0].value.strip() if element.attributes else ""


def _document(root: Element, problems: Problems) -> AnvilDocument:
    root.note_unknown((), problems)
    head: list[Element] = []
    tracks: list[AnvilTrack] = []
    for child in root.children:
        if child.tag == "head":
            head += [entry for entry in child.children if entry.whole]
        elif child.tag == "body":
            tracks += _tracks(child, problems)
        else:
            problems.add(child.line, f"holds <{child.tag}>, known are head, body; it is left out")
    return AnvilDocument(tuple(head), tuple(tracks))


def _tracks(body: Element, problems: Problems) -> list[AnvilTrack]:
    check_count("tracks", len(body.children))
    tracks: dict[str, AnvilTrack] = {}
    for child in body.children:
        name = child.attributes.get("name", "")
        if child.tag != "track" or not name:
            problems.add(child.line, f"<{child.tag}> in the body is no track with a name; left out")
        elif name in tracks:
            line = tracks[name].line
            problems.add(
                child.line, f"track {quote(name)} is there already (line {line}); left out"
            )
        else:
            tracks[name] = _track(name, child, problems)
    return list(tracks.values())


def _track(name: str, element: Element, problems: Problems) -> AnvilTrack:
    others = element.note_unknown(_TRACK_NAMES, problems)
    kind = element.attributes.get("type", "")
    if kind in _POINTS:
        kind = "primarypoint"
    elif kind not in TRACK_KINDS:
        what = f"track {quote(name)} has type {quote(kind)}, allowed are {', '.join(TRACK_KINDS)}"
        problems.add(element.line, f"{what}; it is read as primary")
        kind = "primary"
    rows: list[AnvilElement] = []
    for child in element.children:
        if child.tag == "el-group":
            rows += _elements(child.children, child.attributes.get("ref", ""), problems)
        else:
            rows += _elements((child,), None, problems)
    reference = element.attributes.get("ref", "")
    return AnvilTrack(name, kind, reference, others, tuple(rows), element.line)


def _elements(
    children: Iterable[Element], group: str | None, problems: Problems
) -> list[AnvilElement]:
    found = []
    for child in children:
        if child.tag != "el":
            problems.add(child.line, f"<{child.tag}> in a track is no el; left out")
        elif not child.whole:
            problems.add(child.line, "the element is not complete; left out")
        else:
            child.note_unknown(_ELEMENT_NAMES, problems)
            attributes = _attributes(child, problems)
            others = tuple(part for part in child.children if part.tag != "attribute")
            found.append(
                AnvilElement(dict(child.attributes), attributes, group, others, child.line)
            )
    return found


def _attributes(element: Element, problems: Problems) -> tuple[AnvilAttribute, ...]:
    found: dict[str, AnvilAttribute] = {}
    for child in element.all("attribute"):
        name = child.attributes.get("name", "")
        child.note_unknown(("name",), problems)
        if not name:
            problems.add(child.line, "<attribute> has no name; left out")
        elif name in found:
            problems.add(child.line, f"attribute {quote(name)} is there already; left out")
        else:
            found[name] = AnvilAttribute(name, child.text, child.children, child.line)
    return tuple(found.values())


def timed_tracks(document: AnvilDocument, problems: Problems) -> tuple[TimedTrack, ...]:
    """Compute the time of each element; those without a time are reported and left out."""
    clock = _ElementTimes(document, problems)
    return tuple(TimedTrack(track, clock.rows(track.name)) for track in document.tracks)


class _ElementTimes:
    """Times of elements by track and index, computed on demand."""

    def __init__(self, document: AnvilDocument, problems: Problems) -> None:
        self.problems = problems
        self.tracks = {track.name: track for track in document.tracks}
        self.done: dict[str, tuple[TimedElement, ...]] = {}
        self.places: dict[str, dict[int, tuple[float, float]]] = {}

    def rows(self, name: str) -> tuple[TimedElement, ...]:
        for waiting in self._references_first(name):
            if waiting not in self.done:
                self._note(self.tracks[waiting])
        return self.done[name]

    def _references_first(self, name: str) -> list[str]:
        """The track and all that it depends on, dependencies first."""
        chain: dict[str, None] = {}
        while name in self.tracks and name not in chain and name not in self.done:
            chain[name] = None
            primary = self.tracks[name].kind.startswith("primary")
            name = "" if primary else self.tracks[name].reference
        return list(reversed(chain))

    def _note(self, track: AnvilTrack) -> None:
        rows = self._subdivide(track) if track.kind == "subdivision" else self._place(track)
        rows = [row for row in rows if self._in_order(row)]
        self.done[track.name] = tuple(rows)
        places: dict[int, tuple[float, float]] = {}
        for row in rows:
            index = row.element.index
            if index is None:
                self._add(row.element, "has no index, so nothing can refer to it")
            elif index in places:
                self._add(row.element, f"has index {index}, which is there already")
            else:
                places[index] = (row.start_s, row.end_s)
        self.places[track.name] = places

    def _add(self, element: AnvilElement, what: str) -> None:
        self.problems.add(element.line, f"the element {what}")

    def _in_order(self, row: TimedElement) -> bool:
        if 0.0 <= row.start_s <= row.end_s <= LATEST_S:
            return True
        self._add(
            row.element,
            f"goes from {row.start_s:g} to {row.end_s:g} s, expected "
            f"0 <= start <= end <= {LATEST_S:g}; left out",
        )
        return False

    def _place(self, track: AnvilTrack) -> list[TimedElement]:
        referred = self._reference(track) if track.kind in ("singleton", "span") else None
        found = []
        for element in track.elements:
            ends = [self._end(element, name, referred) for name in TRACK_KINDS[track.kind]]
            first, last = ends[0], ends[-1]
            if first is not None and last is not None:
                found.append(TimedElement(element, first[0], last[1]))
        return found

    def _end(
        self, element: AnvilElement, name: str, referred: Mapping[int, tuple[float, float]] | None
    ) -> tuple[float, float] | None:
        """Time of one end of an element: its own seconds, or those of the element it refers to."""
        written = element.place.get(name)
        if written is None:
            self._add(element, f"has no {name}; left out")
            return None
        if referred is None:
            time = _seconds(written)
            if time is None:
                self._add(element, f"has {quote(written)} as its {name}, expected seconds")
            return None if time is None else (time, time)
        return self._refer(element, written, referred)

    def _refer(
        self, element: AnvilElement, written: str, referred: Mapping[int, tuple[float, float]]
    ) -> tuple[float, float] | None:
        found = _INDEX.fullmatch(written)
        place = referred.get(int(found[1])) if found else None
        if place is None:
            self._add(element, f"refers to element {quote(written)}, which is not there; left out")
        return place

    def _reference(self, track: AnvilTrack) -> Mapping[int, tuple[float, float]]:
        places = self.places.get(track.reference)
        if places is None:
            what = f"track {quote(track.name)} refers to track {quote(track.reference)}"
            circle = track.reference in self.tracks
            why = "whose times depend on it" if circle else "which is not there"
            self.problems.add(track.line, f"{what}, {why}")
        return places or {}

    def _subdivide(self, track: AnvilTrack) -> list[TimedElement]:
        referred = self._reference(track)
        groups: dict[str, list[AnvilElement]] = {}
        for element in track.elements:
            if element.group is None:
                self._add(element, "of a subdivision stands in no el-group; left out")
            else:
                groups.setdefault(element.group, []).append(element)
        found: list[TimedElement] = []
        for group, elements in groups.items():
            whole = self._refer(elements[0], group, referred)
            if whole is not None:
                found += self._divide(elements, whole)
        return found

    def _divide(
        self, elements: Sequence[AnvilElement], whole: tuple[float, float]
    ) -> list[TimedElement]:
        """Elements of a group: each begins at its start, the first with the element they divide."""
        edges: list[float] = []
        for i, element in enumerate(elements):
            written = element.place.get("start")
            time = whole[0] if i == 0 and written is None else _seconds(written or "")
            if time is None:
                found = "no start" if written is None else f"{quote(written)} as its start"
                self._add(element, f"has {found}, expected seconds; its group is left out")
                return []
            edges.append(time)
        rows = zip(elements, edges, [*edges[1:], whole[1]], strict=True)
        return [TimedElement(element, start, end) for element, start, end in rows]


def _seconds(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def write_anvil(document: AnvilDocument) -> bytes:
    """Write an ANVIL file; the same document gives the same bytes.

    Raises
    ------
    UnwritableError
        For a character that XML cannot hold.
    """
    tracks = tuple(_track_element(track) for track in document.tracks)
    parts = (Element("head", {}, "", document.head), Element("body", {}, "", tracks))
    return write_elements(Element(ROOT, {}, "", parts))


def _track_element(track: AnvilTrack) -> Element:
    given = {"name": track.name, "type": track.kind}
    if track.reference:
        given["ref"] = track.reference
    children: list[Element] = []
    groups: dict[str, list[Element]] = {}
    for element in track.elements:
        if element.group is None:
            children.append(_element_of(element))
        else:
            groups.setdefault(element.group, []).append(_element_of(element))
    for group, rows in groups.items():
        children.append(Element("el-group", {"ref": group}, "", tuple(rows)))
    return Element("track", given | dict(track.others), "", tuple(children))


def _element_of(element: AnvilElement) -> Element:
    values = (Element("attribute", {"name": a.name}, a.value, a.parts) for a in element.attributes)
    return Element("el", element.place, "", (*values, *element.others))


def parse_specification(data: bytes) -> tuple[TrackSpecification, ...]:
    """Parse a specification file of tracks.

    Raises
    ------
    UnreadableError
        If it is not such a file, or is truncated.
    """
    root = read_elements(data, SPECIFICATION_ROOT, Problems(), whole=True)
    sets: dict[str, tuple[str, ...]] = {}
    for head in root.all("head"):
        for group in (*head.all("valuetype-def"), *head.all("valuetype")):
            for entry in group.all("valueset"):
                sets[entry.attributes.get("name", "")] = _values(entry)
    tracks: list[TrackSpecification] = []
    for body in root.all("body"):
        tracks += _specification(body, "", sets)
    return tuple(tracks)


def _values(element: Element) -> tuple[str, ...]:
    return tuple(entry.text.strip() for entry in element.all("value-el"))


def _specification(
    element: Element, group: str, sets: Mapping[str, tuple[str, ...]]
) -> list[TrackSpecification]:
    """Tracks of a group and of the groups in it; they nest no deeper than the elements may."""
    found: list[TrackSpecification] = []
    for child in element.children:
        name = group + child.attributes.get("name", "")
        if child.tag == "group":
            found += _specification(child, name + ".", sets)
        elif child.tag == "track-spec":
            attributes = tuple(_specified_attribute(a, sets) for a in child.all("attribute"))
            kind = child.attributes.get("type", "primary")
            reference = child.attributes.get("ref", "")
            found.append(TrackSpecification(name, kind, reference, attributes))
    return found


def _specified_attribute(
    element: Element, sets: Mapping[str, tuple[str, ...]]
) -> AttributeSpecification:
    named = sets.get(element.attributes.get("valuetype", ""), ())
    is_shown = element.attributes.get("display", "") == "true"
    name = element.attributes.get("name", "")
    return AttributeSpecification(name, _values(element) or named, is_shown)


def write_specification(tracks: Iterable[TrackSpecification]) -> bytes:
    """Write a specification file of tracks, those of one group together."""
    groups: dict[str, list[Element]] = {}
    for track in tracks:
        group, _, name = track.name.rpartition(".")
        given = {"name": name, "type": track.kind}
        if track.reference:
            given["ref"] = track.reference
        attributes = tuple(_attribute_element(a) for a in track.attributes)
        groups.setdefault(group, []).append(Element("track-spec", given, "", attributes))
    body: list[Element] = []
    for group, rows in groups.items():
        body += [Element("group", {"name": group}, "", tuple(rows))] if group else rows
    parts = (Element("head"), Element("body", {}, "", tuple(body)))
    return write_elements(Element(SPECIFICATION_ROOT, {}, "", parts))


def _attribute_element(attribute: AttributeSpecification) -> Element:
    given = {"name": attribute.name}
    if not attribute.values:
        given["valuetype"] = "String"
    if attribute.shown:
        given["display"] = "true"
    values = tuple(Element("value-el", {}, value) for value in attribute.values)
    return Element("attribute", given, "", values)
