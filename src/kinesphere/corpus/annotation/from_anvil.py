"""The annotation scheme in ANVIL: tracks in the groups ``speech`` and ``gesture``.

Details are attributes. Gestures and units span phases, so their times are those of the phases.
Tracks of several speakers are distinguished by an enclosing group, or by ``@speaker``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kinesphere.corpus.annotation.from_elan import WRITTEN_DETAILS, vocabulary_of
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
    TIERS,
    VALUES,
    Names,
    detail_name,
    detail_of_any_tier,
)
from kinesphere.errors import UnreadableError
from kinesphere.formats import anvil
from kinesphere.formats.anvil import (
    AnvilAttribute,
    AnvilDocument,
    AnvilElement,
    AnvilTrack,
    AttributeSpecification,
    TimedTrack,
    TrackSpecification,
)
from kinesphere.formats.files import read_bytes
from kinesphere.formats.problems import Problems, quote
from kinesphere.formats.xml_elements import LARGEST_XML, Element

SPECIFICATION = "kinesphere-annotation.xml"
"""Name of the specification file to which our files refer."""
GROUPS = Names(
    {"speech": ("transcript", "transcription", "verbal"), "gesture": ("gestures", "nonverbal")}
)
_INFO = "kinesphere-"
_SPOKEN = ("words", "clauses", "information", "focus")
_SPANS = ("gestures", "units")


def sheet_of_anvil(
    data: bytes, problems: Problems, speaker: str | None = None, folder: Path | None = None
) -> Sheet:
    """Read the tracks of one speaker; see `reading.read_annotation`.

    `folder` is searched for the specification that the file names.
    """
    document, found = anvil.parse_anvil(data, problems.name)
    problems.extend(found)
    tracks = anvil.timed_tracks(document, Problems())
    stated = _text(document, "speaker")
    speakers = [_split_name(t.track.name)[1] for t in tracks]
    chosen = choose_speaker([*speakers, "" if any(speakers) else stated], speaker, problems)
    reader = _AnvilReader(_read_specification(document, folder, problems), problems)
    mine = list(_tracks_of(chosen, tracks, problems))
    return Sheet(
        speaker=chosen,
        language=_text(document, "language"),
        duration_s=duration_of(document.info(_INFO + "duration"), problems),
        note=_text(document, "note"),
        tiers=reader.tiers(mine),
    )


def _text(document: AnvilDocument, key: str) -> str:
    found = document.info(_INFO + key)
    return "" if found is None else found.text


def _split_name(track: str) -> tuple[str, str]:
    """Name of a track without groups and speaker, and the speaker."""
    name, _, speaker = track.partition("@")
    *groups, last = name.split(".")
    group = ".".join(part for part in groups if GROUPS.find(part) is None)
    return last, speaker.strip() or group.strip()


def _tracks_of(
    speaker: str, tracks: Sequence[TimedTrack], problems: Problems
) -> Iterator[tuple[str, TimedTrack]]:
    """Tracks of a speaker by name; tracks without a speaker belong to the only speaker."""
    others = {_split_name(t.track.name)[1] for t in tracks} - {"", speaker}
    for timed in tracks:
        name, owner = _split_name(timed.track.name)
        if owner == speaker or (not owner and not others):
            yield name, timed
        elif not owner and timed.rows:
            what = f"track {quote(timed.track.name)} names no speaker; left out"
            problems.add(timed.track.line, what)


def _read_specification(
    document: AnvilDocument, folder: Path | None, problems: Problems
) -> Mapping[str, TrackSpecification]:
    """Tracks of the specification in the file's folder; none if it is missing."""
    named = document.specification
    source = "" if named is None else named.attributes.get("src", "")
    path = Path(source.replace("\\", "/")).name
    if named is None or folder is None or not path or not (folder / path).is_file():
        return {}
    try:
        tracks = anvil.parse_specification(read_bytes(folder / path, LARGEST_XML))
    except UnreadableError as error:
        place = f"{error.place}: " if error.place else ""
        what = f"specification {quote(path)}: {place}{error.reason}; ignored"
        problems.add(named.line, what)
        return {}
    return {track.name: track for track in tracks}


@dataclass(frozen=True)
class _AnvilReader:
    """Converts elements to rows."""

    specified: Mapping[str, TrackSpecification]
    problems: Problems

    def tiers(self, tracks: Sequence[tuple[str, TimedTrack]]) -> dict[str, tuple[Row, ...]]:
        main: dict[str, TimedTrack] = {}
        for name, timed in tracks:
            tier = TIERS.find(name)
            if tier in main:
                self._leave(timed, f"is a second track of {tier}")
            elif tier is not None:
                main[tier] = timed
        numbers = _numbers(main.get("words"))
        found = {tier: self._rows(tier, timed, numbers) for tier, timed in main.items()}
        for name, timed in tracks:
            if TIERS.find(name) is None:
                self._add_details(name, timed, found)
        return {tier: tuple(rows) for tier, rows in found.items()}

    def _leave(self, timed: TimedTrack, why: str) -> None:
        if timed.rows:
            what = f"track {quote(timed.track.name)} {why}; left out"
            self.problems.add(timed.track.line, what)

    def _rows(
        self, tier: str, timed: TimedTrack, numbers: Mapping[tuple[str, str], int]
    ) -> list[Row]:
        rows = []
        for r in sorted(timed.rows, key=lambda r: (r.start_s, r.end_s)):
            row = Row(r.start_s, r.end_s, "", {}, r.element.line)
            for attribute in self._check_attributes(timed.track, r.element):
                name = detail_name(attribute.name, tier) or self._label(timed, attribute)
                if name:
                    detail = Detail(self._value(attribute, numbers), attribute.line)
                    row = with_detail(row, name, detail, self.problems)
            rows.append(row)
        return rows

    def _check_attributes(
        self, track: AnvilTrack, element: AnvilElement
    ) -> Iterator[AnvilAttribute]:
        """Attributes of an element; those missing from the specification are noted."""
        spec = self.specified.get(track.name)
        allowed = {} if spec is None else {a.name: a.values for a in spec.attributes}
        for attribute in element.attributes:
            value = attribute.value.strip()
            if spec is not None and attribute.name not in allowed:
                what = f"attribute {quote(attribute.name)} of track {quote(track.name)}"
                self.problems.add_once(attribute.line, f"{what} is not in the specification")
            elif allowed.get(attribute.name) and value and value not in allowed[attribute.name]:
                what = f"{attribute.name} is {quote(value)}, which the specification does not allow"
                self.problems.add(attribute.line, what)
            yield attribute

    def _label(self, timed: TimedTrack, attribute: AnvilAttribute) -> str:
        """``value`` for the attribute that the specification declares as displayed."""
        spec = self.specified.get(timed.track.name)
        if spec is not None and spec.label == attribute.name:
            return "value"
        what = f"attribute {quote(attribute.name)} of track {quote(timed.track.name)}"
        self.problems.add_once(attribute.line, f"{what} is not part of the scheme; left out")
        return ""

    def _value(self, attribute: AnvilAttribute, numbers: Mapping[tuple[str, str], int]) -> str:
        """Text of an attribute; links to words become their numbers."""
        if not attribute.links:
            return attribute.value
        found = []
        for link in attribute.links:
            number = numbers.get((link.track, link.index.strip()))
            if number is None:
                what = f"{attribute.name} links to element {quote(link.index)} of track "
                self.problems.add(attribute.line, f"{what}{quote(link.track)}, which is not a word")
            else:
                found.append(number)
        return f"#{min(found)}-{max(found)}" if found else ""

    def _add_details(self, name: str, timed: TimedTrack, found: Mapping[str, list[Row]]) -> None:
        """Add the values of a track of details to the rows at the same time."""
        about = detail_of_any_tier(name)
        rows = found.get(about[0]) if about is not None else None
        if about is None or rows is None:
            self._leave(timed, "is not part of the scheme")
            return
        for r in timed.rows:
            said = r.element.attributes[0] if r.element.attributes else AnvilAttribute("")
            at = holder(rows, (r.start_s + r.end_s) / 2.0)
            if at is None:
                what = f"{about[1]} {quote(said.value)} refers to no annotation; left out"
                self.problems.add(r.element.line, what)
            else:
                detail = Detail(said.value, said.line)
                rows[at] = with_detail(rows[at], about[1], detail, self.problems)


def _numbers(words: TimedTrack | None) -> dict[tuple[str, str], int]:
    """Number of each word by its track and index; see `reading`."""
    if words is None:
        return {}
    rows = sorted(words.rows, key=lambda r: (r.start_s, r.end_s))
    indices = (r.element.place.get("index", "").strip() for r in rows)
    return {(words.track.name, index): i for i, index in enumerate(indices, 1)}


def track_name(tier: str) -> str:
    """Name of a tier's track.

    >>> track_name("words"), track_name("phases")
    ('speech.words', 'gesture.phases')
    """
    return f"{'speech' if tier in _SPOKEN else 'gesture'}.{tier}"


def anvil_of(sheet: Sheet) -> bytes:
    """Write a sheet as an ANVIL file; numbers keep their value exactly."""
    stated = {"speaker": sheet.speaker, "language": sheet.language, "note": sheet.note}
    if sheet.duration_s is not None:
        stated["duration"] = number_text(sheet.duration_s)
    head = [Element("specification", {"src": SPECIFICATION})]
    for key, text in stated.items():
        if text:
            head.append(Element("info", {"key": _INFO + key, "type": "String"}, text))
    phases = sheet.rows("phases")
    tracks = tuple(_track(tier, sheet.rows(tier), phases) for tier in TIERS)
    return anvil.write_anvil(AnvilDocument(tuple(head), tracks))


def _track(tier: str, rows: Sequence[Row], phases: Sequence[Row]) -> AnvilTrack:
    if tier in _SPANS:
        first = {phase.start_s: i for i, phase in reversed([*enumerate(phases)])}
        last = {phase.end_s: i for i, phase in enumerate(phases)}
        places = [(str(first[row.start_s]), str(last[row.end_s])) for row in rows]
    else:
        places = [(number_text(row.start_s), number_text(row.end_s)) for row in rows]
    elements = tuple(
        AnvilElement({"index": str(i), "start": start, "end": end}, _attributes(tier, row))
        for i, (row, (start, end)) in enumerate(zip(rows, places, strict=True))
    )
    kind, reference = ("span", track_name("phases")) if tier in _SPANS else ("primary", "")
    return AnvilTrack(track_name(tier), kind, reference, {}, elements)


def _attributes(tier: str, row: Row) -> tuple[AnvilAttribute, ...]:
    said = [(VALUES[tier][0], row.value)]
    said += [(name, detail.value) for name, detail in row.details.items()]
    return tuple(AnvilAttribute(name, value) for name, value in said if value)


def specification() -> bytes:
    """Return the specification of the scheme's tracks, which ANVIL needs to open our files."""
    return anvil.write_specification(_track_specification(tier) for tier in TIERS)


def _track_specification(tier: str) -> TrackSpecification:
    value = AttributeSpecification(VALUES[tier][0], vocabulary_of(tier), True)
    details = tuple(
        AttributeSpecification(name, vocabulary_of(name)) for name in WRITTEN_DETAILS.get(tier, ())
    )
    kind, reference = ("span", track_name("phases")) if tier in _SPANS else ("primary", "")
    return TrackSpecification(track_name(tier), kind, reference, (value, *details))
