"""Errors in an annotation file, line by line.

Annotation files are edited by hand over months, so one error must not prevent reading the rest: a
reader lists each `Problem` with its line and continues. Only a file that cannot be read at all is
an exception.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from kinesphere.errors import UnreadableError

MOST_PROBLEMS = 10_000
MOST_TIERS = 2_000
LATEST_S = 1e6
ROUNDING_S = 1e-6  # largest rounding error of summed times


@dataclass(frozen=True, order=True)
class Problem:
    """An error in a file, and its line.

    Examples
    --------
    >>> str(Problem("talk.eaf", 12, "annotation a3 has no end"))
    'talk.eaf:12: annotation a3 has no end'
    """

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}"


class Problems:
    """Collects the problems of one file; `name` is shown with each."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self._found: list[Problem] = []
        self._said: set[str] = set()
        self._more = 0

    def add(self, line: int, what: str) -> None:
        """Add a problem, on one line; past `MOST_PROBLEMS` they are only counted."""
        if len(self._found) < MOST_PROBLEMS:
            self._found.append(Problem(self.name, line, " ".join(what.splitlines())))
        else:
            self._more += 1

    def add_once(self, line: int, what: str) -> None:
        """Add a problem that repeats throughout a file only at its first occurrence."""
        if what not in self._said:
            self._said.add(what)
            self.add(line, what)

    def extend(self, others: Iterable[Problem]) -> None:
        """Add problems that were found elsewhere in the same file."""
        for problem in others:
            self.add(problem.line, problem.what)

    def report(self) -> tuple[Problem, ...]:
        """All problems by line, and at the end the number of the others."""
        rows = sorted(self._found)
        if self._more:
            last = max(row.line for row in rows)
            rows.append(Problem(self.name, last, f"and {self._more} more problems"))
        return tuple(rows)


class Stretch(NamedTuple):
    """A labelled interval of a tier, with its line."""

    start_s: float
    end_s: float
    label: str
    line: int


def note_overlaps(tier: str, rows: Iterable[Stretch], problems: Problems) -> None:
    """List intervals that begin before the previous one of their tier has ended."""
    latest: Stretch | None = None
    for row in sorted(rows, key=lambda row: (row.start_s, row.end_s)):
        if latest is not None and row.start_s < latest.end_s - ROUNDING_S:
            problems.add(
                row.line,
                f"{quote(row.label)} from {row.start_s:g} s overlaps {quote(latest.label)}, which "
                f"ends at {latest.end_s:g} s (line {latest.line}), in tier {quote(tier)}",
            )
        if latest is None or row.end_s > latest.end_s:
            latest = row


def check_count(what: str, count: int) -> None:
    """Reject a file with too many tiers."""
    if count > MOST_TIERS:
        raise UnreadableError(None, f"has {count} {what}, allowed are {MOST_TIERS}")


def quote(text: str) -> str:
    """Text of a file for an error message: quoted, on one line, shortened."""
    return repr(text if len(text) <= 40 else text[:37] + "...")
