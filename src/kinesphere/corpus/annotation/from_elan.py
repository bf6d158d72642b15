"""The annotation scheme in ELAN: tiers by name, details as child tiers.

Tiers of several speakers are distinguished by ``@speaker`` after the name, or by the participant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from kinesphere.corpus.annotation.annotation import DIRECTIONS, MARK_KINDS, REST_POSES, TRAJECTORIES
from kinesphere.corpus.annotation.sheet import (
    Detail,
    Row,
    Sheet,
    choose_speaker,
    duration_of,
    holder,
    number_text,
    with_detail,
)
from kinesphere.corpus.annotation.tier_names import (
    DETAILS,
    PLACES,
    TIERS,
    detail_name,
    detail_of_any_tier,
)
from kinesphere.formats import elan
from kinesphere.formats.elan import ElanAnnotation, ElanDocument, ElanTier, TimedTier, TimeSlot
from kinesphere.formats.problems import Problems, quote
from kinesphere.formats.xml_elements import Element
from kinesphere.gesture.lexicon import HAND_SHAPES, cached_by_lexicon, lexicon
from kinesphere.gesture.positions import DIMENSIONS

WRITTEN_DETAILS: Mapping[str, tuple[str, ...]] = {
    tier: tuple(name for name in names if name not in PLACES) for tier, names in DETAILS.items()
}
"""Details as they are written: a position as one text."""
_LANGUAGE, _DURATION, _NOTE = "language", "duration", "note"
_PROPERTY = "kinesphere-"
_UNDETERMINED = "und"
_UNDETERMINED_LINK = "http://cdb.iso.org/lg/CDB-00130975-001"
# A fixed date, so that the same annotation gives the same bytes.
_ROOT = {
    "AUTHOR": "",
    "DATE": "2000-01-01T00:00:00+00:00",
    "FORMAT": "3.0",
    "VERSION": "3.0",
    "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
    "xsi:noNamespaceSchemaLocation": "http://www.mpi.nl/tools/elan/EAFv3.0.xsd",
}
_ASSOCIATION = "Symbolic_Association"
_LANGUAGES = {"eng": "en", "deu": "de", "ger": "de"}


def sheet_of_elan(data: bytes, problems: Problems, speaker: str | None = None) -> Sheet:
    """Read the tiers of one speaker; see `reading.read_annotation`."""
    document, found = elan.parse_elan(data, problems.name)
    problems.extend(found)
    tiers = elan.timed_tiers(document, Problems())
    chosen = choose_speaker((_split_name(t.tier)[1] for t in tiers), speaker, problems)
    mine = list(_tiers_of(chosen, tiers, problems))
    rows = _main_rows(mine, problems)
    _add_details(mine, rows, problems)
    note = document.property(_PROPERTY + _NOTE)
    return Sheet(
        speaker=chosen,
        language=_language(document, [tier for _, tier in mine]),
        duration_s=duration_of(document.property(_PROPERTY + _DURATION), problems),
        note="" if note is None else note.text,
        tiers={name: tuple(found.values()) for name, found in rows.items()},
    )


def _split_name(tier: ElanTier) -> tuple[str, str]:
    """Name of a tier without its speaker, and the speaker."""
    name, _, speaker = tier.id.partition("@")
    return name, speaker.strip() or tier.participant.strip()


def _tiers_of(
    speaker: str, tiers: Sequence[TimedTier], problems: Problems
) -> Iterator[tuple[str, TimedTier]]:
    """Tiers of a speaker by name; tiers without a speaker belong to the only speaker."""
    others = {_split_name(t.tier)[1] for t in tiers} - {"", speaker}
    for tier in tiers:
        name, owner = _split_name(tier.tier)
        if owner == speaker or (not owner and not others):
            yield name, tier
        elif not owner and tier.rows:
            what = f"tier {quote(tier.tier.id)} names no speaker; left out"
            problems.add(tier.tier.line, what)


_Rows = dict[str, dict[str, Row]]


def _main_rows(tiers: Sequence[tuple[str, TimedTier]], problems: Problems) -> _Rows:
    """Rows of the scheme's tiers by the ids of their annotations, in order of time."""
    found: _Rows = {}
    for name, timed in tiers:
        tier = TIERS.find(name)
        if tier is None:
            continue
        if tier in found:
            what = f"tier {quote(timed.tier.id)} is a second tier of {tier}; left out"
            problems.add(timed.tier.line, what)
            continue
        if any(not row.own for row in timed.rows):
            what = f"tier {quote(timed.tier.id)} has annotations without times"
            problems.add(timed.tier.line, f"{what}; they divide their parent's time evenly")
        found[tier] = {}
        for r in sorted(timed.rows, key=lambda row: (row.start_s, row.end_s)):
            row = Row(r.start_s, r.end_s, r.annotation.value, {}, r.annotation.line)
            # If an id occurs twice, details belong to the first.
            again = r.annotation.id in found[tier]
            found[tier][f"{r.annotation.id} {len(found[tier])}" if again else r.annotation.id] = row
    return found


def _add_details(tiers: Sequence[tuple[str, TimedTier]], rows: _Rows, problems: Problems) -> None:
    """Add the values of other tiers to the rows to which they refer."""
    parents = {r.annotation.id: r.annotation.parent for _, t in tiers for r in t.rows}
    by_id = {timed.tier.id: timed.tier for _, timed in tiers}
    for name, timed in tiers:
        if TIERS.find(name) is not None:
            continue
        tier, detail = _about(name, timed.tier, by_id)
        if tier and detail and tier in rows:
            _attach(detail, timed, parents, rows[tier], problems)
        elif timed.rows:
            what = f"tier {quote(timed.tier.id)} is not part of the scheme; left out"
            problems.add(timed.tier.line, what)


def _about(name: str, tier: ElanTier, tiers: Mapping[str, ElanTier]) -> tuple[str, str]:
    """Parent tier of the scheme for another tier, and the detail it gives."""
    passed: set[str] = set()
    above = tier.parent
    while above in tiers and above not in passed:
        passed.add(above)
        found = TIERS.find(_split_name(tiers[above])[0])
        if found is not None:
            return found, detail_name(name, found) or ""
        above = tiers[above].parent
    return detail_of_any_tier(name) or ("", "")


def _attach(
    name: str,
    timed: TimedTier,
    parents: Mapping[str, str],
    rows: dict[str, Row],
    problems: Problems,
) -> None:
    ids, order = list(rows), list(rows.values())
    for row in timed.rows:
        above = row.annotation.parent
        for _ in timed.rows:  # a cycle cannot be longer
            if not above or above in rows:
                break
            above = parents.get(above, "")
        if not above:  # it has its own time
            at = holder(order, (row.start_s + row.end_s) / 2.0)
            above = "" if at is None else ids[at]
        if above in rows:
            detail = Detail(row.annotation.value, row.annotation.line)
            rows[above] = with_detail(rows[above], name, detail, problems)
        else:
            what = f"{name} {quote(row.annotation.value)} refers to no annotation; left out"
            problems.add(row.annotation.line, what)


def _language(document: ElanDocument, tiers: Sequence[TimedTier]) -> str:
    """Language that the file states, or that of its words."""
    stated = document.property(_PROPERTY + _LANGUAGE)
    if stated is not None:
        return stated.text.strip()
    named = (
        t.tier.others.get("LANG_REF", "")
        for t in tiers
        if TIERS.find(_split_name(t.tier)[0]) == "words"
    )
    return next((_LANGUAGES.get(name, name) for name in named if name != _UNDETERMINED), "")


def elan_of(sheet: Sheet) -> bytes:
    """Write a sheet as an ELAN file with the scheme's vocabularies; times to milliseconds."""
    return elan.write_elan(_document(sheet))


def template() -> bytes:
    """Return the template that a new annotation starts from: tiers, types and vocabularies."""
    return elan.write_elan(_document(Sheet()))


def _document(sheet: Sheet) -> ElanDocument:
    writer = _ElanWriter(f"@{sheet.speaker}" if sheet.speaker else "", sheet.speaker)
    for name in TIERS:
        writer.add(name, sheet.rows(name))
    stated = {} if sheet == Sheet() else {_LANGUAGE: sheet.language, _NOTE: sheet.note}
    if sheet.duration_s is not None:
        stated[_DURATION] = number_text(sheet.duration_s)
    properties = {_PROPERTY + name: value for name, value in stated.items() if value}
    properties["lastUsedAnnotationId"] = str(writer.annotations)
    entries = (Element("PROPERTY", {"NAME": name}, text) for name, text in properties.items())
    header = Element("HEADER", {"MEDIA_FILE": "", "TIME_UNITS": "milliseconds"}, "", tuple(entries))
    slots = sorted(writer.slots, key=lambda slot: int(slot.value))
    return ElanDocument(_ROOT, (header,), tuple(slots), tuple(writer.tiers), _definitions())


class _ElanWriter:
    """Numbers annotations and time slots while tiers are written."""

    def __init__(self, suffix: str, speaker: str) -> None:
        self.suffix, self.speaker = suffix, speaker
        self.annotations = 0
        self.slots: list[TimeSlot] = []
        self.tiers: list[ElanTier] = []

    def add(self, name: str, rows: Sequence[Row]) -> None:
        """Add a tier with its child tiers."""
        made, last_ms = [], 0
        for row in rows:  # rounding may not make two that meet overlap
            start_ms = max(round(1000.0 * row.start_s), last_ms)
            last_ms = max(round(1000.0 * row.end_s), start_ms)
            slots = self._slot(start_ms), self._slot(last_ms)
            made.append(ElanAnnotation(self._next(), row.value, *slots))
        self._tier(name, "", made)
        for detail in WRITTEN_DETAILS.get(name, ()):
            said = [
                ElanAnnotation(self._next(), row.details[detail].value, parent=annotation.id)
                for row, annotation in zip(rows, made, strict=True)
                if detail in row.details
            ]
            self._tier(detail, name + self.suffix, said)

    def _tier(self, name: str, parent: str, rows: Sequence[ElanAnnotation]) -> None:
        tier = ElanTier(name + self.suffix, name, parent, self.speaker, {}, tuple(rows))
        self.tiers.append(tier)

    def _next(self) -> str:
        self.annotations += 1
        return f"a{self.annotations}"

    def _slot(self, ms: int) -> str:
        name = f"ts{len(self.slots) + 1}"
        self.slots.append(TimeSlot(name, str(ms)))
        return name


@cached_by_lexicon()
def vocabularies() -> Mapping[str, Mapping[str, str]]:
    """Vocabularies of the template with descriptions, by tier."""
    shapes = [*HAND_SHAPES, *(shape for entry in lexicon().values() for shape in entry.shapes)]
    positions = ("/".join(names) for names in product(*DIMENSIONS.values()))
    return {
        "information": dict.fromkeys(("theme", "rheme"), ""),
        "focus": {"focus": ""},
        "phases": dict.fromkeys(MARK_KINDS, ""),
        "gestures": {name: entry.meaning for name, entry in lexicon().items()},
        "units": dict.fromkeys(REST_POSES, ""),
        "turns": dict.fromkeys(DIRECTIONS, ""),
        "handedness": {"LH": "left hand", "RH": "right hand", "2H": "both hands"},
        "hand-shape": dict.fromkeys(shapes, ""),
        "trajectory": dict.fromkeys(TRAJECTORIES, ""),
        "position": dict.fromkeys(positions, ""),
    }


_VOCABULARY_OF = {"head-turns": "turns", "start-position": "position", "end-position": "position"}


def vocabulary_of(tier: str) -> tuple[str, ...]:
    """Allowed values of a tier or a detail; none if any text is allowed."""
    return tuple(vocabularies().get(_VOCABULARY_OF.get(tier, tier), ()))


@cached_by_lexicon()
def _definitions() -> tuple[Element, ...]:
    """Types, languages, constraints and vocabularies, in the order of the schema."""
    words = vocabularies()
    types = []
    for tier in TIERS:
        types.append(_type(tier, "", words))
        types += [_type(name, _ASSOCIATION, words) for name in WRITTEN_DETAILS.get(tier, ())]
    language = {
        "LANG_DEF": _UNDETERMINED_LINK,
        "LANG_ID": _UNDETERMINED,
        "LANG_LABEL": "undetermined",
    }
    constraints = (
        Element("CONSTRAINT", {"DESCRIPTION": text, "STEREOTYPE": name})
        for name, text in elan.CONSTRAINTS.items()
    )
    sets = (_vocabulary(name, values) for name, values in words.items())
    return (*types, Element("LANGUAGE", language), *constraints, *sets)


def _type(name: str, constraint: str, words: Mapping[str, object]) -> Element:
    given = {"LINGUISTIC_TYPE_ID": name, "GRAPHIC_REFERENCES": "false"}
    given["TIME_ALIGNABLE"] = "false" if constraint else "true"
    if constraint:
        given["CONSTRAINTS"] = constraint
    vocabulary = _VOCABULARY_OF.get(name, name)
    if vocabulary in words:
        given["CONTROLLED_VOCABULARY_REF"] = vocabulary
    return Element("LINGUISTIC_TYPE", given)


def _vocabulary(name: str, values: Mapping[str, str]) -> Element:
    entries = [Element("DESCRIPTION", {"LANG_REF": _UNDETERMINED})]
    for i, (value, meaning) in enumerate(values.items(), 1):
        given = {"LANG_REF": _UNDETERMINED} | ({"DESCRIPTION": meaning} if meaning else {})
        word = Element("CVE_VALUE", given, value)
        entries.append(Element("CV_ENTRY_ML", {"CVE_ID": f"{name}-{i}"}, "", (word,)))
    return Element("CONTROLLED_VOCABULARY", {"CV_ID": name}, "", tuple(entries))
