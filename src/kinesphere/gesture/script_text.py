"""Gesture scripts as text, in the format of appendix A of the 2008 paper.

Lines are ``key=value``, blocks are between ``BEGIN_…`` and ``END_…``, and ``#`` starts a comment.
Comments are kept in place; lines that start with ``...`` (an editor's omission) are skipped.
Numbers have a decimal point; a comma is a decimal mark in comments only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import NoReturn, cast

from kinesphere.errors import InvalidValueError, UnreadableError, UnwritableError
from kinesphere.formats.files import read_text, write_atomically
from kinesphere.gesture.positions import DIMENSIONS, HandPosition
from kinesphere.gesture.script import GestureScript, Hands, ScriptGesture, ScriptUnit, Turn

SCRIPT_ENDINGS = (".script", ".txt")
LARGEST_SCRIPT = 16 << 20
_RULE = "#" + "-" * 57
_ENDS = ("start", "end")
_NUMBERS = (
    "hold.time.start",
    "hold.time.duration",
    "stroke.time.duration",
    "stroke.time.end",
    "stroke.position.start.2h_distance",
    "stroke.position.end.2h_distance",
)
_PLACES = tuple(f"stroke.position.{end}.{name}" for end in _ENDS for name in DIMENSIONS)
_KEYS = ("lexeme", "handedness", "handshape", "type", "stroke.trajectory", "stroke.number")
KEYS = (*_KEYS, *_NUMBERS, *_PLACES, "mstroke.N.time.end")


def read_script(path: str | PathLike[str]) -> GestureScript:
    """Read a gesture script.

    Raises
    ------
    UnreadableError
        If the file is missing, too large, not text, or not a script; the message names the line.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.write_script(ks.plan("This is huge!", ks.Cast("host", seed=1)).script, "talk.script")
    >>> ks.read_script("talk.script").gestures[0].lexeme
    'BigSpan'
    """
    text = read_text(path, LARGEST_SCRIPT)
    try:
        return script_of_text(text)
    except UnreadableError as error:
        raise error.at(path) from None


def write_script(script: GestureScript, path: str | PathLike[str]) -> None:
    """Write a gesture script; nothing is left half-written.

    Examples
    --------
    >>> import kinesphere as ks
    >>> script = ks.plan("This is huge!", ks.Cast("host", seed=1)).script
    >>> ks.write_script(script, "talk.script")  # text, to be edited
    """
    with write_atomically(path) as file:
        file.write(script_text(script).encode("utf-8"))


@dataclass
class _ScriptLines:
    """The lines of a script with their numbers, code and comment; empty ones are skipped."""

    rows: list[tuple[int, str, str | None]]
    at: int = 0

    @classmethod
    def of_text(cls, text: str) -> _ScriptLines:
        rows = []
        for number, line in enumerate(text.splitlines(), start=1):
            code, mark, comment = line.partition("#")
            code = code.strip()
            if code.startswith(("...", "…")):
                continue
            if code or mark:
                rows.append((number, code, comment.strip() if mark else None))
        return cls(rows)

    def __iter__(self) -> Iterator[tuple[int, str, str | None]]:
        while self.at < len(self.rows):
            self.at += 1
            yield self.rows[self.at - 1]

    @property
    def last_number(self) -> int:
        return self.rows[-1][0] if self.rows else 1


def _fail(line: int, reason: str) -> NoReturn:
    raise UnreadableError(None, reason, f"line {line}")


def script_of_text(text: str) -> GestureScript:
    """Read a script from text."""
    lines = _ScriptLines.of_text(text)
    header: list[tuple[str, str]] = []
    remarks: list[str] = []
    units: list[ScriptUnit] = []
    turns: dict[str, tuple[Turn, ...]] = {"BODY": (), "HEAD": ()}
    loose: list[str] = []
    for number, code, comment in lines:
        if not code:
            if comment and set(comment) != {"-"}:
                loose.append(comment)
        elif code == "BEGIN_G_UNIT":
            units.append(_unit(lines, number, loose))
            loose = []
        elif code in ("BEGIN_BODY_ROTATIONS", "BEGIN_HEAD_ROTATIONS"):
            part = code.split("_")[1]
            if turns[part]:
                _fail(number, f"a second {code}, allowed is one")
            turns[part] = _turns(lines, number, part)
            remarks, loose = remarks + loose, []
        elif "=" in code and not units:
            key, _, value = code.partition("=")
            header.append((key.strip(), value.strip()))
            remarks, loose = remarks + loose, []
        else:
            allowed = "BEGIN_G_UNIT, BEGIN_BODY_ROTATIONS, BEGIN_HEAD_ROTATIONS"
            _fail(number, f"found {code[:60]!r}, allowed here are {allowed}")
    try:
        return GestureScript(
            tuple(units), turns["BODY"], turns["HEAD"], tuple(header), (*remarks, *loose)
        )
    except InvalidValueError as error:
        raise UnreadableError(None, str(error)) from None


def _turns(lines: _ScriptLines, began: int, part: str) -> tuple[Turn, ...]:
    out: list[Turn] = []
    for number, code, _ in lines:
        words = code.split()
        if not words:
            continue
        if code == f"END_{part}_ROTATIONS":
            return tuple(out)
        if words[0] != f"ROTATE_{part}" or len(words) != 3:
            _fail(number, f"found {code[:60]!r}, allowed is ROTATE_{part} DIRECTION SECONDS")
        try:
            out.append(Turn(words[1], _number(number, "time", words[2])))
        except InvalidValueError as error:
            _fail(number, str(error))
    _fail(began, f"BEGIN_{part}_ROTATIONS without END_{part}_ROTATIONS")


def _unit(lines: _ScriptLines, began: int, remarks: list[str]) -> ScriptUnit:
    gestures: list[ScriptGesture] = []
    pose: str | None = None
    remarks = list(remarks)
    for number, code, comment in lines:
        if not code:
            remarks.append(comment or "")
        elif code == "BEGIN_GESTURE":
            gestures.append(_gesture(lines, number))
        elif code.startswith("RETRACT_GESTURE"):
            key, _, value = code.removeprefix("RETRACT_GESTURE").strip().partition("=")
            if key != "pose" or pose is not None:
                _fail(number, f"found {code[:60]!r}, allowed is one RETRACT_GESTURE pose=NAME")
            pose = value.strip()
        elif code == "END_G_UNIT":
            if pose is None:
                _fail(number, "a unit ends without RETRACT_GESTURE pose=NAME")
            try:
                return ScriptUnit(tuple(gestures), pose, tuple(remarks))
            except InvalidValueError as error:
                _fail(number, str(error))
        else:
            _fail(
                number,
                f"found {code[:60]!r}, allowed in a unit are BEGIN_GESTURE, RETRACT_GESTURE, "
                "END_G_UNIT",
            )
    _fail(began, "BEGIN_G_UNIT without END_G_UNIT")


@dataclass
class _Fields:
    """Lines between BEGIN_GESTURE and END_GESTURE."""

    values: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    notes: list[tuple[str, str]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def text(self, key: str, default: str = "") -> str:
        return self.values.get(key, default)

    def number(self, key: str) -> float | None:
        if key not in self.values:
            return None
        return _number(self.lines[key], key, self.values[key])


def _gesture(lines: _ScriptLines, began: int) -> ScriptGesture:
    fields = _Fields()
    waiting: list[str] = []
    for number, code, comment in lines:
        if code == "END_GESTURE":
            return _make_gesture(fields, tuple(waiting), began)
        if not code:
            waiting.append(comment or "")
            continue
        key, mark, value = (part.strip() for part in code.partition("="))
        if not mark or not _is_known(key):
            _fail(number, f"found {code[:60]!r}, allowed are {', '.join(KEYS)}, END_GESTURE")
        if key in fields.values:
            _fail(number, f"a second {key}, allowed is one")
        if fields.values:
            fields.notes += [("<" + key, text) for text in waiting]
        else:
            fields.remarks = waiting
        waiting = []
        fields.values[key], fields.lines[key] = value, number
        if comment is not None:
            fields.notes.append((key, comment))
    _fail(began, "BEGIN_GESTURE without END_GESTURE")


def _is_known(key: str) -> bool:
    parts = key.split(".")
    after = len(parts) == 4 and parts[0] == "mstroke" and parts[2:] == ["time", "end"]
    return key in KEYS or (after and parts[1].isdigit())


def _make_gesture(fields: _Fields, closing: tuple[str, ...], began: int) -> ScriptGesture:
    for key in ("lexeme", "handedness", "type"):
        if not fields.text(key):
            _fail(began, f"a gesture without {key}")
    after = tuple(_after_strokes(fields, began))
    positions = {end: _position(fields, end, began) for end in _ENDS}
    try:
        made = ScriptGesture(
            lexeme=fields.text("lexeme"),
            hands=cast(Hands, fields.text("handedness")),
            type=fields.text("type"),
            handshape=fields.text("handshape"),
            trajectory=fields.text("stroke.trajectory", "straight"),
            stroke_end_s=fields.number("stroke.time.end"),
            stroke_s=fields.number("stroke.time.duration"),
            hold_start_s=fields.number("hold.time.start"),
            hold_s=fields.number("hold.time.duration"),
            after_strokes=after,
            start=positions["start"],
            end=positions["end"],
            start_distance=fields.number("stroke.position.start.2h_distance"),
            end_distance=fields.number("stroke.position.end.2h_distance"),
            notes=tuple(fields.notes),
            remarks=tuple(fields.remarks),
            closing=closing,
        )
    except InvalidValueError as error:
        _fail(began, str(error))
    said = fields.number("stroke.number")
    if said is not None and said != max(made.strokes, 1):
        _fail(
            fields.lines["stroke.number"],
            f"stroke.number is {said:g}, but there are {made.strokes} strokes "
            "(the main one and each mstroke.N.time.end)",
        )
    return made


def _after_strokes(fields: _Fields, began: int) -> Iterator[float]:
    numbers = sorted(int(k.split(".")[1]) for k in fields.values if k.startswith("mstroke."))
    if numbers != list(range(len(numbers))):
        _fail(began, f"mstroke numbers are {numbers}, allowed are 0, 1, 2 …")
    for n in numbers:
        value = fields.number(f"mstroke.{n}.time.end")
        if value is not None:
            yield value


def _position(fields: _Fields, end: str, began: int) -> HandPosition | None:
    keys = [f"stroke.position.{end}.{name}" for name in DIMENSIONS]
    given = [key for key in keys if key in fields.values]
    if not given:
        return None
    if len(given) != 4:
        missing = next(key for key in keys if key not in fields.values)
        _fail(began, f"a position without {missing}")
    try:
        return HandPosition.of_text("/".join(fields.values[key] for key in keys))
    except InvalidValueError as error:
        _fail(fields.lines[given[0]], str(error))


def _number(line: int, key: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or "_" in text:
        _fail(line, f"{key} is {text[:40]!r}, allowed is a number with a decimal point")
    return value


def script_text(script: GestureScript) -> str:
    """Write a script as text; `script_of_text` gives the same script back."""
    out: list[str] = [f"# {text}".rstrip() for text in script.remarks]
    out += [f"{key}={value}" for key, value in script.header]
    for part, turns in (("BODY", script.body_turns), ("HEAD", script.head_turns)):
        out += ["", f"BEGIN_{part}_ROTATIONS"]
        out += [f"ROTATE_{part} {turn.direction} {turn.time_s!r}" for turn in turns]
        out += [f"END_{part}_ROTATIONS"]
    for unit in script.units:
        out += ["", _RULE, "BEGIN_G_UNIT", *(f"# {text}".rstrip() for text in unit.remarks)]
        for gesture in unit.gestures:
            out += ["", "BEGIN_GESTURE", *_gesture_lines(gesture), "END_GESTURE"]
        out += ["", f"RETRACT_GESTURE pose={unit.rest_pose}", "END_G_UNIT"]
    return "\n".join(out) + "\n"


def _gesture_lines(g: ScriptGesture) -> Iterator[str]:
    yield from (f"# {text}".rstrip() for text in g.remarks)
    for key, value in _values(g):
        yield from (f"# {text}".rstrip() for name, text in g.notes if name == "<" + key)
        own = [text for name, text in g.notes if name == key]
        yield f"{key}={value}" + (f" # {own[0]}".rstrip() if own else "")
    yield from (f"# {text}".rstrip() for text in g.closing)


def _values(g: ScriptGesture) -> Iterator[tuple[str, str]]:
    yield "lexeme", g.lexeme
    yield "handedness", g.hands
    if g.handshape:
        yield "handshape", g.handshape
    yield "type", g.type
    yield "stroke.trajectory", g.trajectory
    if g.hold_start_s is not None:
        yield "hold.time.start", repr(g.hold_start_s)
    if g.hold_s is not None:
        yield "hold.time.duration", repr(g.hold_s)
    if g.stroke_s is not None:
        yield "stroke.time.duration", repr(g.stroke_s)
    if g.stroke_end_s is not None:
        yield "stroke.time.end", repr(g.stroke_end_s)
    if g.has_stroke:
        yield "stroke.number", str(g.strokes)
    for n, end_s in enumerate(g.after_strokes):
        yield f"mstroke.{n}.time.end", repr(end_s)
    for end, position, apart in (
        ("start", g.start, g.start_distance),
        ("end", g.end, g.end_distance),
    ):
        if apart is not None:
            yield f"stroke.position.{end}.2h_distance", repr(apart)
        if position is not None:
            for name in DIMENSIONS:
                yield f"stroke.position.{end}.{name}", getattr(position, name)


def check_script_output(path: str | PathLike[str]) -> None:
    """Reject an output that cannot be written, before any work is done."""
    ending = Path(path).suffix.lower()
    if ending not in SCRIPT_ENDINGS:
        raise UnwritableError(
            f"{path}: cannot write {ending or 'a file without suffix'!r}; gesture scripts have "
            f"{' or '.join(SCRIPT_ENDINGS)}"
        )
    if not Path(path).resolve().parent.is_dir():
        raise UnwritableError(f"{path}: the folder does not exist")
