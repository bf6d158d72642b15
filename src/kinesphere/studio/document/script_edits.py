"""Edits of gestures: functions from a document to a changed one; only impossible edits fail.

The gestures of a text correspond one to one to those of its script; a voice has only those that
the user adds. After any edit strokes are in order, holds end before the next stroke, and gestures
far apart are in separate units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby, zip_longest

from kinesphere.animation.performance import check_script
from kinesphere.bodylanguage.choose.word_choice import GestureKey
from kinesphere.bodylanguage.play.gesture_clips import script_gesture
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.gesture.lexicon import lexicon, suggestion
from kinesphere.gesture.positions import HandPosition
from kinesphere.gesture.script import HANDS, GestureScript, Hands, ScriptGesture, ScriptUnit
from kinesphere.gesture.script_text import script_of_text, script_text
from kinesphere.studio.document.document import Document, DocumentGesture
from kinesphere.studio.server.messages import AddGesture, DeleteGesture, EditGesture

# Seconds: a unit is split at gaps longer than the first, two units are joined at gaps shorter than
# the second.
_APART_S, _TOGETHER_S = 4.0, 1.2
_LEAST_GAP_S = 0.15
_LONGEST_S = 3600.0
_LEAST_STROKE_S, _MOST_STROKE_S = 0.05, 10.0


@dataclass(frozen=True)
class _Row:
    """A gesture of the script with the document's entry for it, and its original unit."""

    written: ScriptGesture
    shown: DocumentGesture
    unit: int
    rest_pose: str


def check_document(document: Document) -> None:
    """Reject a document whose gestures could not be performed.

    Raises
    ------
    InvalidValueError
        If its script and its gestures differ, or one of them cannot be performed.
    """
    if document.source not in ("text", "voice"):
        return
    try:
        rows = _rows(document)
    except UnreadableError as error:
        raise InvalidValueError(f"the gesture script: {error}") from None
    for row in rows:
        _hands(row.written.lexeme, row.written.hands)
        _at(row.written, row.written.stroke_end_s or row.written.meant_start_s)
    check_script(GestureScript(_units(rows)))


def edit_gesture(document: Document, change: EditGesture, profile: Profile) -> Document:
    """Change a gesture.

    Raises
    ------
    InvalidValueError
        If there is no such gesture, lexeme, hand or position, or a time is not allowed.
    """
    rows = _rows(document)
    i = _find(rows, change.id)
    own = (change.stroke_s, change.hold_s, change.start, change.end)
    if document.source == "voice" and any(value is not None for value in own):
        raise InvalidValueError(
            "gestures added to a voice have the speaker's own form: only lexeme, hands and time "
            "can be changed"
        )
    rows[i] = _change_row(rows[i], change, profile)
    return _with_rows(document, rows)


def add_gesture(document: Document, change: AddGesture, profile: Profile) -> Document:
    """Add a gesture as the speaker would do it."""
    rows = _rows(document)
    made = _new(change.lexeme, change.hands, change.time_s, profile)
    number = max((row.shown.id for row in rows), default=0) + 1
    shown = DocumentGesture(
        number, made.lexeme, made.hands, 0.0, 0.0, 0.0, "", "", "", "added", None, True
    )
    rows.append(_Row(made, shown, -number, "at-side"))
    return _with_rows(document, rows)


def delete_gesture(document: Document, change: DeleteGesture) -> Document:
    """Delete a gesture."""
    rows = _rows(document)
    del rows[_find(rows, change.id)]
    return _with_rows(document, rows)


def shown_gesture(
    made: ScriptGesture, shown: DocumentGesture, *, performed: bool = False
) -> DocumentGesture:
    """The document's entry for a gesture of a script; `performed` keeps the performed times."""
    end = made.stroke_end_s if made.stroke_end_s is not None else made.meant_start_s
    times = (shown.time_s, shown.stroke_s) if performed else (end, made.stroke_s or 0.0)
    return replace(
        shown,
        lexeme=made.lexeme,
        hands=made.hands,
        time_s=round(times[0], 4),
        stroke_s=round(times[1], 4),
        hold_s=round(made.hold_s or 0.0, 4),
        start="" if made.start is None else str(made.start),
        end="" if made.end is None else str(made.end),
    )


def _rows(document: Document) -> list[_Row]:
    if document.source not in ("text", "voice"):
        raise InvalidValueError("existing motion has no gestures to edit")
    if document.source == "voice":
        return [_Row(_script_gesture(g), g, i, "at-side") for i, g in enumerate(document.gestures)]
    units = script_of_text(document.script).units
    flat = [(g, i, unit.rest_pose) for i, unit in enumerate(units) for g in unit.gestures]
    if len(flat) != len(document.gestures):
        raise InvalidValueError(
            f"the script has {len(flat)} gestures, the document {len(document.gestures)}"
        )
    return [
        _Row(g, shown, unit, rest)
        for (g, unit, rest), shown in zip(flat, document.gestures, strict=True)
    ]


def _script_gesture(g: DocumentGesture) -> ScriptGesture:
    """A gesture added to a voice, as a gesture of a script."""
    return ScriptGesture(
        g.lexeme,
        _hands(g.lexeme, g.hands),
        "prep+stroke+hold" if g.hold_s else "prep+stroke",
        stroke_end_s=g.time_s,
        stroke_s=g.stroke_s,
        hold_s=g.hold_s or None,
        start=_place(g.start),
        end=_place(g.end),
    )


def _find(rows: Sequence[_Row], number: int) -> int:
    for i, row in enumerate(rows):
        if row.shown.id == number:
            return i
    raise InvalidValueError(f"there is no gesture {number}")


def _hands(lexeme: str, hands: str) -> Hands:
    """Hands that can perform a lexeme; the default ones if none are named."""
    entry = lexicon().get(lexeme)
    if entry is None:
        raise InvalidValueError(f"gesture {lexeme!r} is not known; near are {suggestion(lexeme)}")
    shares = dict(zip(("RH", "LH", "2H"), entry.hands, strict=True))
    allowed = [h for h in HANDS if shares[h] > 0.0 or entry.without_hands]
    if not hands:
        return max(allowed, key=lambda h: shares[h])
    for known in allowed:
        if known == hands:
            return known
    raise InvalidValueError(f"{lexeme} with {hands!r}, allowed are {', '.join(allowed)}")


def _new(lexeme: str, hands: str, end_s: float, profile: Profile) -> ScriptGesture:
    chosen = _hands(lexeme, hands)
    made = script_gesture(profile, GestureKey(lexeme, chosen), end_s)
    return _at(made, end_s)


def _at(made: ScriptGesture, end_s: float) -> ScriptGesture:
    """The same gesture with its stroke's end, or its hold's start, at another time."""
    if not 0.0 <= end_s <= _LONGEST_S:
        raise InvalidValueError(f"a gesture at {end_s:g} s, allowed is 0 to {_LONGEST_S:g}")
    if made.stroke_end_s is None or made.stroke_s is None:
        return replace(made, hold_start_s=end_s)
    end = max(end_s, made.stroke_s)
    shift = end - made.stroke_end_s
    return replace(
        made, stroke_end_s=end, after_strokes=tuple(t + shift for t in made.after_strokes)
    )


def _place(text: str) -> HandPosition | None:
    """A hand position; None, which means the lexeme's own, for an empty text."""
    return HandPosition.of_text(text) if text else None


def _change_row(row: _Row, change: EditGesture, profile: Profile) -> _Row:
    made, shown = row.written, row.shown
    moment = shown.time_s
    if change.lexeme is not None and change.lexeme != made.lexeme:
        wanted = (
            change.hands if change.hands is not None else _keep_hands(change.lexeme, made.hands)
        )
        end = made.stroke_end_s if made.stroke_end_s is not None else made.meant_start_s
        made = _new(change.lexeme, wanted, end, profile)
        shown = replace(shown, reason="changed")
    elif change.hands is not None and change.hands != made.hands:
        made = _with_hands(made, _hands(made.lexeme, change.hands))
    if change.start is not None:
        made = replace(made, start=_place(change.start))
    if change.end is not None:
        if not made.has_stroke:
            raise InvalidValueError(f"{made.lexeme} is a hold, which has no end position")
        made = replace(made, end=_place(change.end))
    if change.hold_s is not None:
        made = _with_hold(made, change.hold_s)
    if change.stroke_s is not None:
        made = _with_length(made, change.stroke_s)
        shown = replace(shown, pinned=True)
        made = _at(made, moment)
    if change.time_s is not None:
        if not shown.pinned and made.has_stroke and change.lexeme is None:
            # From now on the written duration counts: set it to the performed one.
            made = replace(made, stroke_s=max(shown.stroke_s, _LEAST_STROKE_S))
        made = _at(made, change.time_s)
        shown = replace(shown, pinned=True)
    return replace(row, written=made, shown=shown)


def _keep_hands(lexeme: str, hands: str) -> str:
    """The same hands for another lexeme, if they can perform it."""
    entry = lexicon().get(lexeme)
    if entry is None:
        return ""
    shares = dict(zip(("RH", "LH", "2H"), entry.hands, strict=True))
    return hands if shares.get(hands, 0.0) > 0.0 else ""


def _with_hands(made: ScriptGesture, hands: Hands) -> ScriptGesture:
    if hands != "2H":
        return replace(made, hands=hands, start_distance=None, end_distance=None)
    first, last = lexicon()[made.lexeme].hand_distance
    return replace(
        made, hands=hands, start_distance=first, end_distance=last if made.has_stroke else None
    )


def _with_hold(made: ScriptGesture, hold_s: float) -> ScriptGesture:
    if not 0.0 <= hold_s <= 60.0:
        raise InvalidValueError(f"a hold of {hold_s:g} s, allowed is 0 to 60")
    kinds: list[str] = [k for k in ("prep", "stroke") if k in made.type.split("+")]
    if hold_s > 0.0 or "stroke" not in kinds:
        kinds.append("hold")
    return replace(made, type="+".join(kinds), hold_s=hold_s or None)


def _with_length(made: ScriptGesture, stroke_s: float) -> ScriptGesture:
    if not made.has_stroke:
        raise InvalidValueError(f"{made.lexeme} is a hold, which has no stroke")
    if not _LEAST_STROKE_S <= stroke_s <= _MOST_STROKE_S:
        raise InvalidValueError(
            f"a stroke of {stroke_s:g} s, allowed is {_LEAST_STROKE_S:g} to {_MOST_STROKE_S:g}"
        )
    return replace(made, stroke_s=stroke_s)


def _with_rows(document: Document, rows: Sequence[_Row]) -> Document:
    """Document with ordered gestures, shortened holds, and units; hands and head apart."""
    fitted = []
    for of_head in (False, True):
        track = [row for row in rows if _is_of_head(row) == of_head]
        order = _in_order(sorted(track, key=lambda row: (_moment(row), row.shown.id)))
        fitted += [_shorten_row(row, after) for row, after in zip_longest(order, order[1:])]
    fitted.sort(key=lambda row: row.written.last_stroke_end_s)
    gestures = tuple(
        shown_gesture(row.written, row.shown, performed=not row.shown.pinned) for row in fitted
    )
    if document.source == "voice":
        return replace(document, gestures=gestures)
    before = script_of_text(document.script) if document.script else GestureScript()
    script = replace(before, units=_units(fitted))
    return replace(document, script=script_text(script), gestures=gestures)


def _is_of_head(row: _Row) -> bool:
    """Whether a gesture is one of head or shoulders."""
    entry = lexicon().get(row.written.lexeme)
    return entry is not None and entry.without_hands


def _end(row: _Row) -> float:
    """Written end of the main stroke, or start of a hold gesture's hold."""
    made = row.written
    return made.stroke_end_s if made.stroke_end_s is not None else made.meant_start_s


def _moment(row: _Row) -> float:
    """Time of a gesture: as written, or as it was performed with the speech."""
    return _end(row) if row.shown.pinned else row.shown.time_s


def _in_order(rows: list[_Row]) -> list[_Row]:
    """Rows whose written times ascend too; of two that do not, the one that is not pinned is moved.

    Main strokes count: repetitions that overlap the next gesture are removed later.
    """
    out = rows[:1]
    for row in rows[1:]:
        last = out[-1]
        if _end(row) <= _end(last) and row.shown.pinned and not last.shown.pinned:
            earliest_s = _end(out[-2]) + _LEAST_GAP_S if len(out) > 1 else 0.0
            room_s = max(row.written.meant_start_s - 2.0 * _LEAST_GAP_S, earliest_s)
            moved = replace(last.written, after_strokes=())
            last = out[-1] = replace(last, written=_at(moved, room_s))
        if _end(row) <= _end(last):
            row = replace(row, written=_at(row.written, _end(last) + _LEAST_GAP_S))
        out.append(row)
    return out


def _shorten_row(row: _Row, after: _Row | None) -> _Row:
    """A gesture shortened to end before the next one's stroke."""
    made = row.written
    if after is None:
        return row
    limit = after.written.meant_start_s - _LEAST_GAP_S
    kept = tuple(t for t in made.after_strokes if t <= max(limit, 0.0))
    made = replace(made, after_strokes=kept)
    if made.hold_s and made.has_stroke:
        made = _with_hold(made, max(min(made.hold_s, limit - made.last_stroke_end_s), 0.0))
    return replace(row, written=made)


def _units(rows: Sequence[_Row]) -> tuple[ScriptUnit, ...]:
    """Units of the hands; gestures of the head belong to the one before them."""
    numbers: list[int] = []
    number, before = 0, None
    for row in rows:
        if not _is_of_head(row):
            if before is not None:
                gap = row.written.meant_start_s - before.written.end_s
                number += gap > (_APART_S if row.unit == before.unit else _TOGETHER_S)
            before = row
        numbers.append(number)
    out = []
    for _, group in groupby(zip(numbers, rows, strict=True), key=lambda pair: pair[0]):
        members = [row for _, row in group]
        last = ([m for m in members if not _is_of_head(m)] or members)[-1]
        out.append(ScriptUnit(tuple(m.written for m in members), last.rest_pose))
    return tuple(out)
