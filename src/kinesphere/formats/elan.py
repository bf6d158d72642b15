"""ELAN files: .eaf with annotations, .etf templates without (EAF 2.7 to 3.0).

`parse_elan` returns the file's content, with line numbers; `timed_tiers` computes its times.
A tier of annotations with time slots may have slots without a time: these are spaced evenly
between their neighbours, as ELAN draws them. Annotations that refer to another have its time;
several in a tier of symbolic subdivisions divide it evenly.
"""

from __future__ import annotations

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

VERSIONS = ("2.7", "2.8", "3.0")
CONSTRAINTS: Mapping[str, str] = {
    "Time_Subdivision": "shares out the time of its parent without gaps",
    "Symbolic_Subdivision": "shares out its parent in order, without times of its own",
    "Symbolic_Association": "says one thing about its parent",
    "Included_In": "lies within the time of its parent, with gaps or without",
}
ROOT = "ANNOTATION_DOCUMENT"
_SUBDIVISION = "Symbolic_Subdivision"
_ROOT_NAMES = ("AUTHOR", "DATE", "FORMAT", "VERSION", "xmlns:xsi", "xsi:noNamespaceSchemaLocation")
_BEFORE = ("LICENSE", "HEADER")
_AFTER = (
    "LINGUISTIC_TYPE",
    "LOCALE",
    "LANGUAGE",
    "CONSTRAINT",
    "CONTROLLED_VOCABULARY",
    "LEXICON_REF",
    "REF_LINK_SET",
    "EXTERNAL_REF",
)
_TIER_NAMES = (
    "TIER_ID",
    "LINGUISTIC_TYPE_REF",
    "PARENT_REF",
    "PARTICIPANT",
    "ANNOTATOR",
    "DEFAULT_LOCALE",
    "EXT_REF",
    "LANG_REF",
)
_SLOT_NAMES = ("TIME_SLOT_ID", "TIME_VALUE")
# Attributes that each kind of annotation needs, and optional ones.
_ANNOTATIONS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "ALIGNABLE_ANNOTATION": (
        ("ANNOTATION_ID", "TIME_SLOT_REF1", "TIME_SLOT_REF2"),
        ("SVG_REF", "EXT_REF", "LANG_REF", "CVE_REF"),
    ),
    "REF_ANNOTATION": (
        ("ANNOTATION_ID", "ANNOTATION_REF"),
        ("PREVIOUS_ANNOTATION", "EXT_REF", "LANG_REF", "CVE_REF"),
    ),
}
_MILLISECONDS = re.compile(r"\s*(-?[0-9]{1,12})\s*")


@dataclass(frozen=True)
class TimeSlot:
    """A named point on the time line; `value` is in milliseconds, empty if it has no time."""

    id: str
    value: str = ""
    line: int = field(default=0, compare=False)

    @property
    def ms(self) -> int | None:
        """The time, or None if there is none or it is invalid."""
        found = _MILLISECONDS.fullmatch(self.value)
        return int(found[1]) if found else None


@dataclass(frozen=True)
class ElanAnnotation:
    """One annotation: with two time slots, or referring to another annotation.

    Parameters
    ----------
    start, end : names of time slots, empty in an annotation with a reference.
    parent, previous : the annotation that it refers to, and the sibling that it follows.
    others : all further attributes.
    """

    id: str
    value: str = ""
    start: str = ""
    end: str = ""
    parent: str = ""
    previous: str = ""
    others: Mapping[str, str] = field(default_factory=dict)
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class ElanTier:
    """A tier with its annotations in the order of the file; `kind` is its linguistic type."""

    id: str
    kind: str = ""
    parent: str = ""
    participant: str = ""
    others: Mapping[str, str] = field(default_factory=dict)
    annotations: tuple[ElanAnnotation, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class ElanDocument:
    """An ELAN file: elements before the tiers, time slots, tiers, elements after the tiers."""

    attributes: Mapping[str, str] = field(default_factory=dict)
    before: tuple[Element, ...] = ()
    slots: tuple[TimeSlot, ...] = ()
    tiers: tuple[ElanTier, ...] = ()
    after: tuple[Element, ...] = ()

    def property(self, name: str) -> Element | None:
        """A property of the header, if present."""
        entries = (entry for header in self.before for entry in header.all("PROPERTY"))
        return next((entry for entry in entries if entry.attributes.get("NAME") == name), None)

    def constraints(self) -> dict[str, str]:
        """How tiers of each linguistic type depend on their parents; see `CONSTRAINTS`."""
        types = (entry.attributes for entry in self.after if entry.tag == "LINGUISTIC_TYPE")
        return {
            entry.get("LINGUISTIC_TYPE_ID", ""): entry.get("CONSTRAINTS", "").replace(" ", "_")
            for entry in types
        }


class TimedAnnotation(NamedTuple):
    """An annotation with its time; `own` is false where the time is derived from another's."""

    annotation: ElanAnnotation
    start_s: float
    end_s: float
    own: bool


class TimedTier(NamedTuple):
    """A tier and those of its annotations that have a time."""

    tier: ElanTier
    rows: tuple[TimedAnnotation, ...]


def parse_elan(
    data: bytes, file: str = "", *, whole: bool = False
) -> tuple[ElanDocument, tuple[Problem, ...]]:
    """Parse an ELAN file.

    Parameters
    ----------
    data : the file.
    file : its name, shown with each problem.
    whole : a truncated file is an error.

    Returns
    -------
    document : all that could be read.
    problems : all errors in it, times and overlaps included.

    Raises
    ------
    UnreadableError
        If nothing can be read.
    """
    problems = Problems(file)
    document = _document(read_elements(data, ROOT, problems, whole=whole), problems)
    _check_references(document, problems)
    for tier, rows in timed_tiers(document, problems):
        stretches = [
            Stretch(r.start_s, r.end_s, r.annotation.value, r.annotation.line)
            for r in rows
            if r.annotation.start
        ]
        note_overlaps(tier.id, stretches, problems)
    return document, problems.report()


def _document(root: Element, problems: Problems) -> ElanDocument:
    root.note_unknown(_ROOT_NAMES, problems)
    version = root.attributes.get("FORMAT")
    if version not in VERSIONS:
        found = "nothing" if version is None else quote(version)
        problems.add(
            root.line, f"FORMAT is {found}, known are {', '.join(VERSIONS)}; it is read as these"
        )
    check_count("tiers", len(root.all("TIER")))
    slots: list[TimeSlot] = []
    tiers: list[ElanTier] = []
    before: list[Element] = []
    after: list[Element] = []
    for child in root.children:
        if child.tag == "TIME_ORDER":
            slots += _slots(child, problems)
        elif child.tag == "TIER":
            tiers.append(_tier(child, problems))
        elif child.tag not in (*_BEFORE, *_AFTER):
            known = ", ".join((*_BEFORE, "TIME_ORDER", "TIER", *_AFTER))
            problems.add(child.line, f"holds <{child.tag}>, known are {known}; it is left out")
        elif child.whole:
            _check_units(child, problems)
            (before if child.tag in _BEFORE else after).append(child)
    return ElanDocument(
        dict(root.attributes), tuple(before), tuple(slots), tuple(tiers), tuple(after)
    )


def _check_units(element: Element, problems: Problems) -> None:
    units = element.attributes.get("TIME_UNITS", "milliseconds")
    if units != "milliseconds":
        problems.add(
            element.line,
            f"TIME_UNITS is {quote(units)}, allowed is milliseconds; times are read as these",
        )


def _slots(order: Element, problems: Problems) -> list[TimeSlot]:
    found = []
    for child in order.children:
        name = child.attributes.get("TIME_SLOT_ID")
        if child.tag != "TIME_SLOT" or name is None:
            problems.add(child.line, f"<{child.tag}> in TIME_ORDER is no TIME_SLOT with an id")
            continue
        child.note_unknown(_SLOT_NAMES, problems)
        found.append(TimeSlot(name, child.attributes.get("TIME_VALUE", ""), child.line))
    return found


def _tier(element: Element, problems: Problems) -> ElanTier:
    element.note_unknown(_TIER_NAMES, problems)
    given = dict(element.attributes)
    if "TIER_ID" not in given:
        problems.add(element.line, "<TIER> has no TIER_ID")
    rows = []
    for child in element.children:
        inner = child.children[0] if len(child.children) == 1 else None
        if child.tag != "ANNOTATION" or inner is None:
            problems.add(
                child.line, f"<{child.tag}> in a tier is no ANNOTATION with one in it; left out"
            )
        elif not inner.whole:
            problems.add(inner.line, "the annotation is not complete; left out")
        elif (row := _annotation(inner, problems)) is not None:
            rows.append(row)
    return ElanTier(
        id=given.pop("TIER_ID", ""),
        kind=given.pop("LINGUISTIC_TYPE_REF", ""),
        parent=given.pop("PARENT_REF", ""),
        participant=given.pop("PARTICIPANT", ""),
        others=given,
        annotations=tuple(rows),
        line=element.line,
    )


def _annotation(element: Element, problems: Problems) -> ElanAnnotation | None:
    if element.tag not in _ANNOTATIONS:
        allowed = ", ".join(_ANNOTATIONS)
        problems.add(element.line, f"holds <{element.tag}>, allowed are {allowed}; left out")
        return None
    needed, optional = _ANNOTATIONS[element.tag]
    lacking = [name for name in needed if not element.attributes.get(name)]
    if lacking:
        problems.add(element.line, f"the annotation has no {' and no '.join(lacking)}; left out")
        return None
    others = element.note_unknown((*needed, *optional), problems)
    given = {name: v for name, v in element.attributes.items() if name not in others}
    value = element.first("ANNOTATION_VALUE")
    return ElanAnnotation(
        id=given.pop("ANNOTATION_ID"),
        value="" if value is None else value.text,
        start=given.pop("TIME_SLOT_REF1", ""),
        end=given.pop("TIME_SLOT_REF2", ""),
        parent=given.pop("ANNOTATION_REF", ""),
        previous=given.pop("PREVIOUS_ANNOTATION", ""),
        others=given | others,
        line=element.line,
    )


def _check_references(document: ElanDocument, problems: Problems) -> None:
    """List duplicate names, and references to missing elements."""
    _note_twice("time slot", ((slot.id, slot.line) for slot in document.slots), problems)
    _note_twice("tier", ((tier.id, tier.line) for tier in document.tiers), problems)
    rows = [row for tier in document.tiers for row in tier.annotations]
    _note_twice("annotation", ((row.id, row.line) for row in rows), problems)
    slots = {slot.id for slot in document.slots}
    names = {row.id for row in rows}
    for row in rows:
        for what, name, known in (
            ("time slot", row.start, slots),
            ("time slot", row.end, slots),
            ("annotation", row.parent, names),
            ("annotation", row.previous, names),
        ):
            if name and name not in known:
                problems.add(
                    row.line,
                    f"annotation {row.id} refers to {what} {quote(name)}, which is not there",
                )
    _check_tiers(document, problems)


def _check_tiers(document: ElanDocument, problems: Problems) -> None:
    tiers = {tier.id for tier in document.tiers}
    kinds = {e.attributes.get("LINGUISTIC_TYPE_ID") for e in document.after}
    for tier in document.tiers:
        if tier.parent and tier.parent not in tiers:
            problems.add(
                tier.line,
                f"tier {quote(tier.id)} hangs on tier {quote(tier.parent)}, which is not there",
            )
        if kinds and tier.kind and tier.kind not in kinds:
            problems.add(
                tier.line, f"tier {quote(tier.id)} has type {quote(tier.kind)}, which is not there"
            )


def _note_twice(what: str, names: Iterable[tuple[str, int]], problems: Problems) -> None:
    seen: dict[str, int] = {}
    for name, line in names:
        if name in seen:
            problems.add(line, f"{what} {quote(name)} is there already (line {seen[name]})")
        seen.setdefault(name, line)


def timed_tiers(document: ElanDocument, problems: Problems) -> tuple[TimedTier, ...]:
    """Compute the time of each annotation; those without a time are reported and left out."""
    clock = _AnnotationTimes(document, problems)
    found = {id(tier): clock.rows(tier) for tier in _parents_first(document.tiers)}
    return tuple(TimedTier(tier, found[id(tier)]) for tier in document.tiers)


def _parents_first(tiers: Sequence[ElanTier]) -> list[ElanTier]:
    """Tiers sorted so that each comes after its parent; circles in any order."""
    parents = {tier.id: tier.parent for tier in tiers}
    depths: dict[str, int] = {}
    for tier in tiers:
        climb: dict[str, None] = {}
        name = tier.id
        while name in parents and name not in depths and name not in climb:
            climb[name] = None
            name = parents[name]
        depth = depths.get(name, -1)
        for i, passed in enumerate(reversed(climb), 1):
            depths[passed] = depth + i
    return sorted(tiers, key=lambda tier: depths[tier.id])


_Time = tuple[float, float, bool]


class _AnnotationTimes:
    """Times of slots and annotations, as far as they are known."""

    def __init__(self, document: ElanDocument, problems: Problems) -> None:
        self.problems = problems
        self.constraints = document.constraints()
        self.slots = {slot.id: slot for slot in reversed(document.slots)}
        stated = ((name, slot.ms) for name, slot in self.slots.items())
        self.stated = {name: ms / 1000.0 for name, ms in stated if ms is not None}
        self.shared: dict[str, float] = {}
        self.times: dict[str, _Time] = {}
        self.names = {row.id for tier in document.tiers for row in tier.annotations}

    def rows(self, tier: ElanTier) -> tuple[TimedAnnotation, ...]:
        self._share_slots([row for row in tier.annotations if row.start])
        found: dict[int, _Time] = {}
        families: dict[str, list[ElanAnnotation]] = {}
        for row in tier.annotations:
            if row.parent:
                families.setdefault(row.parent, []).append(row)
            elif (time := self._own_time(row)) is not None:
                found[id(row)] = time
        for parent, family in families.items():
            found |= self._family_times(tier, parent, family)
        rows = [row for row in tier.annotations if id(row) in found]
        for row in rows:
            self.times.setdefault(row.id, found[id(row)])
        return tuple(TimedAnnotation(row, *found[id(row)]) for row in rows)

    def _own_time(self, row: ElanAnnotation) -> _Time | None:
        start, end = self._second("start", row.start, row), self._second("end", row.end, row)
        if start is None or end is None:
            return None
        if not 0.0 <= start <= end <= LATEST_S:
            self.problems.add(
                row.line,
                f"annotation {row.id} goes from {start:g} to {end:g} s, expected "
                f"0 <= start <= end <= {LATEST_S:g}; left out",
            )
            return None
        return start, end, row.start not in self.shared and row.end not in self.shared

    def _second(self, what: str, name: str, row: ElanAnnotation) -> float | None:
        time = self._slot_time(name)
        slot = self.slots.get(name)
        if time is None and slot is not None:
            if slot.value:
                reason = f"annotation {row.id}: has {quote(slot.value)}, expected milliseconds"
                self.problems.add(slot.line, f"{reason}; left out")
            else:
                reason = f"annotation {row.id} has no time for its {what}; left out"
                self.problems.add(row.line, reason)
        return time

    def _slot_time(self, name: str) -> float | None:
        return self.stated.get(name, self.shared.get(name))

    def _share_slots(self, rows: Sequence[ElanAnnotation]) -> None:
        """Space slots without a time evenly between their neighbours in a tier."""
        following = {row.start: row.end for row in reversed(rows)}
        tried: set[str] = set()
        for row in rows:
            start, chain = self._slot_time(row.start), [row.end]
            if start is None:
                continue
            while self._unknown(chain[-1]) and chain[-1] in following and chain[-1] not in tried:
                tried.add(chain[-1])
                chain.append(following[chain[-1]])
            end = self._slot_time(chain[-1])
            if end is not None and start <= end:
                for i, name in enumerate(chain[:-1], 1):
                    self.shared[name] = start + (end - start) * i / len(chain)

    def _unknown(self, name: str) -> bool:
        slot = self.slots.get(name)
        return slot is not None and not slot.value and name not in self.shared

    def _family_times(
        self, tier: ElanTier, parent: str, family: Sequence[ElanAnnotation]
    ) -> dict[int, _Time]:
        """Times of all annotations of one tier that refer to one annotation."""
        if parent not in self.times:
            self._note_orphans(parent, family)
            return {}
        start, end, own = self.times[parent]
        divided = self.constraints.get(tier.kind, "") in ("", _SUBDIVISION)
        if len(family) == 1 or not divided:
            for row in family[1:]:
                self.problems.add(
                    row.line,
                    f"annotation {row.id} says a second thing about {quote(parent)} in tier "
                    f"{quote(tier.id)}, allowed is one",
                )
            return {id(row): (start, end, own) for row in family}
        step = (end - start) / len(family)
        edges = [*(start + i * step for i in range(len(family))), end]
        rows = enumerate(_in_order(family))
        return {id(row): (edges[i], edges[i + 1], False) for i, row in rows}

    def _note_orphans(self, parent: str, family: Sequence[ElanAnnotation]) -> None:
        if parent in self.names:  # a missing one has been listed
            for row in family:
                what = f"annotation {row.id} refers to {quote(parent)}, which has no time"
                self.problems.add(row.line, f"{what}; left out")


def _in_order(family: Sequence[ElanAnnotation]) -> Sequence[ElanAnnotation]:
    """Siblings, each after the one that it names as previous; in file order where that fails."""
    following = {row.previous: row for row in family}
    ordered: list[ElanAnnotation] = []
    name = ""
    while name in following and len(ordered) < len(family):
        ordered.append(following[name])
        name = ordered[-1].id
    return ordered if len(ordered) == len(family) else family


def write_elan(document: ElanDocument) -> bytes:
    """Write an ELAN file; the same document gives the same bytes.

    Raises
    ------
    UnwritableError
        For a character that XML cannot hold.
    """
    order = Element("TIME_ORDER", {}, "", tuple(_slot_element(slot) for slot in document.slots))
    tiers = tuple(_tier_element(tier) for tier in document.tiers)
    children = (*document.before, order, *tiers, *document.after)
    return write_elements(Element(ROOT, document.attributes, "", children))


def _slot_element(slot: TimeSlot) -> Element:
    return Element("TIME_SLOT", _attributes(TIME_SLOT_ID=slot.id, TIME_VALUE=slot.value))


def _attributes(others: Mapping[str, str] | None = None, **named: str) -> dict[str, str]:
    """Attributes that are not empty."""
    return {name: value for name, value in named.items() if value} | dict(others or {})


def _tier_element(tier: ElanTier) -> Element:
    given = _attributes(
        tier.others,
        TIER_ID=tier.id,
        LINGUISTIC_TYPE_REF=tier.kind,
        PARENT_REF=tier.parent,
        PARTICIPANT=tier.participant,
    )
    return Element("TIER", given, "", tuple(_annotation_element(row) for row in tier.annotations))


def _annotation_element(row: ElanAnnotation) -> Element:
    given = _attributes(
        row.others,
        ANNOTATION_ID=row.id,
        TIME_SLOT_REF1=row.start,
        TIME_SLOT_REF2=row.end,
        ANNOTATION_REF=row.parent,
        PREVIOUS_ANNOTATION=row.previous,
    )
    tag = "REF_ANNOTATION" if row.parent else "ALIGNABLE_ANNOTATION"
    value = Element("ANNOTATION_VALUE", {}, row.value)
    return Element("ANNOTATION", {}, "", (Element(tag, given, "", (value,)),))
