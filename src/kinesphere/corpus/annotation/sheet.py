"""Rows of an annotation file by the names of the scheme, between file format and `Annotation`.

Functions shared by the readers of ANVIL and ELAN are here too.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kinesphere.corpus.annotation.tier_names import Names
from kinesphere.errors import InvalidValueError
from kinesphere.formats.problems import Problems, quote
from kinesphere.formats.xml_elements import Element


@dataclass(frozen=True)
class Detail:
    """A detail of an annotation, and its line."""

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
        """Time of its middle."""
        return (self.start_s + self.end_s) / 2.0

    def detail(self, name: str) -> Detail:
        """One of its details, empty if missing."""
        return self.details.get(name, Detail("", self.line))


@dataclass(frozen=True)
class Sheet:
    """Content of a file for one speaker: rows by the names of `TIERS`, in order of time."""

    speaker: str = ""
    language: str = ""
    duration_s: float | None = None
    note: str = ""
    tiers: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)

    def rows(self, tier: str) -> tuple[Row, ...]:
        """Rows of a tier; none if the file lacks it."""
        return self.tiers.get(tier, ())


def with_detail(row: Row, name: str, detail: Detail, problems: Problems) -> Row:
    """Add a detail to a row, or its own value; a second one of a name is noted."""
    if name == "value":
        return replace(row, value=detail.value)
    if name in row.details:
        problems.add(detail.line, f"a second {name} for one annotation; left out")
        return row
    return replace(row, details={**row.details, name: detail})


def choose_speaker(speakers: Iterable[str], wanted: str | None, problems: Problems) -> str:
    """Choose a speaker of a file: the requested one, or the first, which is noted."""
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
    value = number_of(stated.text)
    if value is None:
        what = f"duration is {quote(stated.text)}, expected seconds; left out"
        problems.add(stated.line, what)
    return value


def holder(rows: Sequence[Row], time_s: float) -> int | None:
    """Row that contains a time, the later of two that meet there."""
    last = bisect_right(rows, time_s, key=lambda row: row.start_s) - 1
    return next((i for i in (last, last - 1) if i >= 0 and time_s <= rows[i].end_s), None)


def number_of(text: str) -> float | None:
    """Number that is finite and not negative; None for any other text."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0.0 else None


def number_text(value: float) -> str:
    """Shortest text that gives exactly the same number.

    >>> number_text(0.6), number_text(2.0), number_text(1234567.25)
    ('0.6', '2', '1234567.25')
    """
    return repr(value).removesuffix(".0")


def one_line(text: str) -> str:
    """Text on one line, with single spaces."""
    return " ".join(text.split())


def find_name(row: Row | Detail, what: str, names: Names, problems: Problems) -> str | None:
    """Name of a table; None, with a note, for an unknown or empty value."""
    found = names.find(row.value)
    if found is None and row.value.strip():
        allowed = ", ".join(names)
        problems.add(row.line, f"{what} is {quote(row.value)}, allowed are {allowed}; left out")
    return found


def require_name(row: Row, what: str, names: Names, problems: Problems) -> str | None:
    """Name of a table, for a row without other content; an empty value is noted."""
    if not row.value.strip():
        problems.add(row.line, f"{what} is empty, allowed are {', '.join(names)}; left out")
    return find_name(row, what, names, problems)
