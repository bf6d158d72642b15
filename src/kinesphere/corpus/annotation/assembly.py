"""Assembles an annotation from rows: phases into gestures, and these into units, by time.

Rows that do not fit are listed as `Problem`s with their lines, and the rest is read. The rules are
described in ``docs/annotation-scheme.md``.
"""

from __future__ import annotations

from dataclasses import replace

from kinesphere.corpus.annotation.annotation import AnnotatedSpan, Annotation, BodyTurn
from kinesphere.corpus.annotation.gesture_assembly import assemble_gestures
from kinesphere.corpus.annotation.sheet import Row, Sheet, one_line, require_name
from kinesphere.corpus.annotation.tier_names import PHASES, STRUCTURE, WAYS
from kinesphere.corpus.annotation.unit_assembly import assemble_units
from kinesphere.corpus.annotation.words import Words
from kinesphere.formats.problems import Problems


def annotation_of(sheet: Sheet, problems: Problems) -> Annotation:
    """Assemble the rows of a sheet to an annotation."""
    words = Words(sheet.rows("words"), problems)
    marks = _marks(sheet, problems)
    gestures = assemble_gestures(sheet.rows("gestures"), marks, words, problems)
    length_s = max((row.end_s for rows in sheet.tiers.values() for row in rows), default=0.0)
    clauses = (AnnotatedSpan(r.start_s, r.end_s, one_line(r.value)) for r in sheet.rows("clauses"))
    return Annotation(
        speaker=sheet.speaker,
        language=sheet.language,
        duration_s=length_s if sheet.duration_s is None else sheet.duration_s,
        words=words.words,
        clauses=tuple(clauses),
        information=_information(sheet, problems),
        units=assemble_units(sheet.rows("units"), gestures, marks, problems),
        turns=_turns(sheet, problems),
        note=sheet.note,
    )


def _marks(sheet: Sheet, problems: Problems) -> list[Row]:
    """Phases by their names, without rests."""
    found = []
    for row in sheet.rows("phases"):
        kind = require_name(row, "phase", PHASES, problems)
        if kind is not None and kind != "rest":
            found.append(replace(row, value=kind))
    return found


def _information(sheet: Sheet, problems: Problems) -> tuple[AnnotatedSpan, ...]:
    rows = [*sheet.rows("information")]
    rows += [r if r.value.strip() else replace(r, value="focus") for r in sheet.rows("focus")]
    found = []
    for row in rows:
        label = require_name(row, "information", STRUCTURE, problems)
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
            direction = require_name(row, "direction", WAYS, problems)
            if direction is not None:
                found.append(
                    BodyTurn(row.start_s, "body" if tier == "turns" else "head", direction)
                )
    return tuple(sorted(found, key=lambda turn: (turn.time_s, turn.part)))
