"""Biovision hierarchies: the text of a BVH file, read and written without loss.

A `BvhDocument` has the file's values in the file's own units, axes and channel order; `bvh_motion`
converts it to motion, `bvh_writing` back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from os import PathLike
from typing import NoReturn

import numpy as np

from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.formats.files import read_bytes, write_atomically
from kinesphere.maths.arrays import Floats, read_only

CHANNELS = ("Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation")
_CHANNEL_BY_LOWER = {name.lower(): name for name in CHANNELS}
_FRAMES = re.compile(rb"\s*frames?\s*:\s*(\S+)[^\S\n]*(?:\r?\n|$)", re.IGNORECASE)
_FRAME_TIME = re.compile(rb"\s*frame\s*time\s*:\s*(\S+)[^\S\n]*(?:\r?\n|$)", re.IGNORECASE)
_NOT_A_NUMBER = re.compile(r"[+-]?(nan(\(\w*\))?|inf(inity)?|\d+\.?#\w+)$", re.IGNORECASE)
_MOTION = re.compile(rb"^[^\S\n]*MOTION\b", re.IGNORECASE | re.MULTILINE)

_WORD = re.compile(r"[{}]|[^\s{}]+")

_DEEPEST = 10_000
_SMALL_TEXT = 1 << 18
# An interrupted writer or copy loses frames; exporters miscount by one or two.
_FRAMES_FORGIVEN, _SHARE_FORGIVEN = 2, 0.02


@dataclass(frozen=True)
class BvhNode:
    """A joint, or an end site where `name` is None."""

    name: str | None
    parent: int
    offset: tuple[float, float, float]
    channels: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class BvhDocument:
    """A BVH file.

    Parameters
    ----------
    nodes : joints and end sites in the file's order; a parent comes before its children.
    frame_time_s : seconds per frame.
    values : ``[frames, channels]`` as in the file; NaN where the file has it.
    notes : decisions of the reader.
    """

    nodes: tuple[BvhNode, ...]
    frame_time_s: float
    values: Floats
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", read_only(np.ascontiguousarray(self.values, float)))
        width = sum(len(node.channels) for node in self.nodes)
        if self.values.ndim != 2 or self.values.shape[1] != width:
            raise InvalidValueError(
                f"values have shape {self.values.shape}, expected (any, {width})"
            )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BvhDocument):
            return NotImplemented
        return (
            self.nodes == other.nodes
            and self.frame_time_s == other.frame_time_s
            and np.array_equal(self.values, other.values, equal_nan=True)
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def joints(self) -> tuple[int, ...]:
        """Indices of the nodes that are joints."""
        return tuple(i for i, node in enumerate(self.nodes) if node.name is not None)


def read_document(path: str | PathLike[str], *, partial: bool = False) -> BvhDocument:
    """Read a BVH file; see `parse_document`."""
    data = read_bytes(path)
    try:
        return parse_document(data, partial=partial)
    except UnreadableError as error:
        raise error.at(path) from None


def parse_document(data: bytes, *, partial: bool = False) -> BvhDocument:
    """Parse the bytes of a BVH file.

    Parameters
    ----------
    data : the file's contents.
    partial : whether a truncated file is accepted.

    Raises
    ------
    UnreadableError
        With the line, what was found and what is allowed.
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise UnreadableError(None, "is UTF-16 text, a BVH file must be ASCII or UTF-8", "line 1")
    if b"\n" not in data and b"\r" in data:
        data = data.replace(b"\r", b"\n")
    header = _MOTION.search(data)
    if header is None:
        _no_motion(data)
    nodes = _nodes(data[: header.start()])
    frames, frame_time, start = _motion_header(data, header.end())
    width = sum(len(node.channels) for node in nodes)
    notes: list[str] = []
    values = _motion_values(data, start, frames, width, partial, notes)
    return BvhDocument(nodes, frame_time, values, tuple(notes))


def _nodes(text: bytes) -> tuple[BvhNode, ...]:
    """Joints and end sites; files of one recording session have the same text."""
    return _known_nodes(text) if len(text) <= _SMALL_TEXT else _Hierarchy(text).read()


@lru_cache(16)
def _known_nodes(text: bytes) -> tuple[BvhNode, ...]:
    return _Hierarchy(text).read()


def _no_motion(data: bytes) -> NoReturn:
    if b"HIERARCHY" not in data[:4096].upper():
        raise UnreadableError(None, "is not a BVH file: no HIERARCHY at its start", "line 1")
    _Hierarchy(data).read()
    raise UnreadableError(None, "ends before MOTION", f"line {_line(data, len(data))}")


def _line(data: bytes, position: int) -> int:
    return data.count(b"\n", 0, position) + 1


class _Hierarchy:
    """Parser of the part before MOTION: a stack of open joints, no recursion."""

    def __init__(self, text: bytes) -> None:
        self.text = text.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
        self.tokens = self._tokens()
        self.line = 1
        self.nodes: list[BvhNode] = []
        self.parts: list[dict[str, object]] = []

    def _tokens(self) -> Iterator[tuple[str, str]]:
        """Yield each word with the rest of its line; names are taken from the latter."""
        for number, line in enumerate(self.text.split("\n"), 1):
            self.line = number
            position = 0
            while found := _WORD.search(line, position):
                position = found.end()
                word, rest = found.group(), line[position:]
                if word.upper() in ("ROOT", "JOINT"):
                    name = rest.split("{")[0]
                    position += len(name)
                    yield word, name.strip()
                else:
                    yield word, ""

    def fail(self, reason: str) -> NoReturn:
        raise UnreadableError(None, reason, f"line {self.line}")

    def next(self, wanted: str) -> tuple[str, str]:
        try:
            return next(self.tokens)
        except StopIteration:
            self.fail(f"the hierarchy ends where {wanted} was expected")

    def read(self) -> tuple[BvhNode, ...]:
        word, _ = self.next("HIERARCHY")
        if word.upper() != "HIERARCHY":
            self.fail(f"starts with {_short(word)}, expected HIERARCHY")
        word, name = self.next("ROOT")
        if word.upper() != "ROOT":
            self.fail(f"found {_short(word)}, expected ROOT")
        stack = [self._open(name, -1)]
        while stack:
            self._statement(stack)
        extra = next(self.tokens, None)
        if extra is not None and extra[0].upper() == "ROOT":
            self.fail("has a second ROOT; a clip has one skeleton, so split the file")
        if extra is not None:
            self.fail(f"found {_short(extra[0])} after the hierarchy, expected MOTION")
        return tuple(self._nodes())

    def _open(self, name: str | None, parent: int) -> int:
        word, _ = self.next("{")
        if word != "{":
            self.fail(f"found {_short(word)}, expected {{")
        if name is not None and not name:
            self.fail("a joint has no name")
        if len(self.parts) > 1_000_000:
            self.fail("has more than a million joints")
        self.parts.append({"name": name, "parent": parent, "offset": None, "channels": None})
        return len(self.parts) - 1

    def _statement(self, stack: list[int]) -> None:
        word, name = self.next("}")
        part = self.parts[stack[-1]]
        key = word.upper()
        if key == "}":
            if part["offset"] is None:
                self.fail(f"{_label(part)} has no OFFSET")
            stack.pop()
        elif key == "OFFSET" and part["offset"] is None:
            part["offset"] = tuple(self._number() for _ in range(3))
        elif key == "CHANNELS" and part["channels"] is None and part["name"] is not None:
            part["channels"] = self._channels()
        elif key == "JOINT" and part["name"] is not None:
            if len(stack) >= _DEEPEST:
                self.fail(f"joints are nested deeper than {_DEEPEST}")
            stack.append(self._open(name, stack[-1]))
        elif key == "END" and part["name"] is not None:
            site, _ = self.next("Site")
            if site.upper() != "SITE":
                self.fail(f"found End {_short(site)}, expected End Site")
            stack.append(self._open(None, stack[-1]))
        elif key in ("OFFSET", "CHANNELS"):
            self.fail(f"{_label(part)} has {key} twice, or where none belongs")
        else:
            self.fail(f"found {_short(word)}, expected OFFSET, CHANNELS, JOINT, End Site or }}")

    def _number(self) -> float:
        word, _ = self.next("a number")
        try:
            value = float(word)
        except ValueError:
            self.fail(f"found {_short(word)}, expected a number")
        if not np.isfinite(value):
            self.fail(f"an OFFSET is {_short(word)}, expected a finite number")
        return value

    def _channels(self) -> tuple[str, ...]:
        word, _ = self.next("the number of channels")
        if not word.isdecimal() or not word.isascii() or int(word[:3]) > 6 or len(word) > 2:
            self.fail(f"CHANNELS is followed by {_short(word)}, expected a number from 0 to 6")
        names = []
        for _ in range(int(word)):
            channel, _ = self.next("a channel")
            known = _CHANNEL_BY_LOWER.get(channel.lower())
            if known is None:
                self.fail(f"channel {_short(channel)}, allowed are {', '.join(CHANNELS)}")
            names.append(known)
        positions = [name for name in names if name.endswith("position")]
        if len(set(positions)) != len(positions) or len(names) - len(positions) > 3:
            self.fail("a joint has a position channel twice, or more than three rotations")
        return tuple(names)

    def _nodes(self) -> Iterator[BvhNode]:
        for part in self.parts:
            channels = part["channels"] or ()
            yield BvhNode(part["name"], part["parent"], part["offset"], channels)  # type: ignore[arg-type]


def _label(part: dict[str, object]) -> str:
    return "an End Site" if part["name"] is None else f"joint {_short(str(part['name']))}"


def _short(word: str) -> str:
    shown = word.encode("utf-8", "replace").decode("utf-8", "replace")
    return repr(shown if len(shown) <= 40 else shown[:37] + "...")


def _motion_header(data: bytes, start: int) -> tuple[int, float, int]:
    """Claimed number of frames, frame time and the position of the first number."""
    place = f"line {_line(data, start)}"
    frames = _FRAMES.match(data, start)
    if frames is None:
        raise UnreadableError(None, "MOTION is not followed by 'Frames: NUMBER'", place)
    time = _FRAME_TIME.match(data, frames.end())
    if time is None:
        place = f"line {_line(data, frames.end())}"
        raise UnreadableError(None, "'Frames:' is not followed by 'Frame Time: SECONDS'", place)
    place = f"line {_line(data, frames.start(1))}"
    text = frames.group(1).decode("ascii", "replace")
    if not re.fullmatch(r"\+?\d{1,18}", text, re.ASCII):
        raise UnreadableError(None, f"Frames: {_short(text)}, expected a whole number", place)
    return int(text), _frame_time(data, time), time.end()


def _frame_time(data: bytes, found: re.Match[bytes]) -> float:
    text = found.group(1).decode("ascii", "replace")
    place = f"line {_line(data, found.start(1))}"
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not 1e-5 <= value <= 3600.0:
        raise UnreadableError(
            None, f"Frame Time: {_short(text)}, expected seconds from 0.00001 to 3600", place
        )
    return value


def _motion_values(
    data: bytes, start: int, claimed: int, width: int, partial: bool, notes: list[str]
) -> Floats:
    if width == 0:
        raise UnreadableError(None, "no joint has channels, so nothing can move", "HIERARCHY")
    room = (len(data) - start + 1) // 2 // width
    forgiven = max(_FRAMES_FORGIVEN, int(_SHARE_FORGIVEN * claimed))
    place = f"line {_line(data, start)}"
    if claimed > 4 * room + forgiven and not partial:
        raise UnreadableError(
            None,
            f"claims {claimed} frames of {width} channels; its size allows {room} at most",
            place,
        )
    numbers = _Numbers(data, start, width, partial)
    values = numbers.read(min(claimed, room + forgiven) * width)
    frames, rest = divmod(len(values), width)
    if rest and partial:
        notes.append(f"the last frame has {rest} of {width} values and is left out")
        values = values[: frames * width]
    elif rest:
        numbers.fail(f"the last frame has {rest} of {width} values")
    if frames + forgiven < claimed and not partial:
        numbers.fail(
            f"ends after {frames} of {claimed} frames: cut off? --partial reads what is there"
        )
    if frames != claimed:
        notes.append(f"claims {claimed} frames and has {frames}; {frames} are used")
    return values.reshape(frames, width)


class _Numbers:
    """The block of numbers after the header."""

    def __init__(self, data: bytes, start: int, width: int, partial: bool) -> None:
        self.data, self.partial = data, partial
        self.text = np.frombuffer(data, dtype=np.uint8)
        self.position, self.on_line, self.line, self.filled = start, 0, 0, 0
        self.first_line = _line(data, start)
        # Where the first frame is on one line, a line of another length is an error.
        first = re.compile(rb"\S[^\n]*").search(data, start)
        whole_lines = first is not None and len(first.group().split()) == width
        self.width = width if whole_lines else 0

    def fail(self, reason: str) -> NoReturn:
        raise UnreadableError(None, reason, f"line {self.first_line + self.line}")

    def read(self, expected: int) -> Floats:
        from kinesphere.formats.bvh import bvh_kernels

        out = np.empty(expected)
        slow = np.empty((4096, 3), dtype=np.int64)
        while True:
            why, self.position, self.on_line, self.line, self.filled, count = (
                bvh_kernels.parse_numbers(
                    self.text,
                    self.position,
                    self.on_line,
                    self.line,
                    self.width,
                    out,
                    self.filled,
                    slow,
                )
            )
            for index, start, end in slow[:count]:
                out[index] = self._slow_number(int(start), int(end))
            if why == bvh_kernels.DONE:
                return out[: self.filled] if self.filled < len(out) else out
            if why == bvh_kernels.BAD_LINE and self.partial and self._at_end():
                return out[: self.filled]
            if why == bvh_kernels.BAD_LINE:
                self.fail(f"has {self.on_line} values, expected {self.width}")
            if why == bvh_kernels.FULL:
                more = len(self.data[self.position :].split())
                out = np.concatenate([out, np.empty(more)])

    def _at_end(self) -> bool:
        return not self.data[self.position :].strip()

    def _slow_number(self, start: int, end: int) -> float:
        word = self.data[start : min(end, start + 400)].decode("utf-8", "replace")
        try:
            value = float(word) if "_" not in word else None
        except ValueError:
            value = float("nan") if _NOT_A_NUMBER.match(word) else None
        if value is None or end - start > 400:
            place = f"line {_line(self.data, start)}"
            raise UnreadableError(None, f"found {_short(word)}, expected a number", place)
        return value if np.isfinite(value) else float("nan")


def write_document(document: BvhDocument, path: str | PathLike[str]) -> None:
    """Write a BVH file, completely or not at all."""
    write_blocks(document, len(document.values), (document.values,), path)


def write_blocks(
    layout: BvhDocument, frames: int, blocks: Iterable[Floats], path: str | PathLike[str]
) -> None:
    """Write a BVH file with values ``[frames, channels]`` given in blocks, instead of its own."""
    with write_atomically(path) as file:
        for piece in _pieces(layout, frames, blocks):
            file.write(piece)


def document_bytes(document: BvhDocument) -> bytes:
    """The bytes of a BVH file."""
    return b"".join(_pieces(document, len(document.values), (document.values,)))


def _pieces(layout: BvhDocument, frames: int, blocks: Iterable[Floats]) -> Iterator[bytes]:
    """Yield a BVH file in chunks, so that long ones need little memory."""
    header = ["HIERARCHY", *_hierarchy_lines(layout.nodes), "MOTION"]
    header += [f"Frames: {frames}", f"Frame Time: {_decimal(layout.frame_time_s)}"]
    yield ("\n".join(header) + "\n").encode("utf-8", "surrogateescape")
    for values in blocks:
        yield from _number_pieces(values)


def _hierarchy_lines(nodes: tuple[BvhNode, ...]) -> Iterator[str]:
    children: list[list[int]] = [[] for _ in nodes]
    for i, node in enumerate(nodes[1:], 1):
        children[node.parent].append(i)
    todo: list[tuple[int, int] | str] = [(0, 0)]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            yield item
            continue
        index, depth = item
        node, indent = nodes[index], "\t" * depth
        kind = "End Site" if node.name is None else f"{'JOINT' if depth else 'ROOT'} {node.name}"
        yield f"{indent}{kind}"
        yield f"{indent}{{"
        yield f"{indent}\tOFFSET {' '.join(_decimal(value) for value in node.offset)}"
        if node.name is not None:
            yield f"{indent}\tCHANNELS {' '.join([str(len(node.channels)), *node.channels])}"
        todo.append(f"{indent}}}")
        todo.extend((child, depth + 1) for child in reversed(children[index]))


def _decimal(value: float) -> str:
    """Shortest text that reads back as the same number."""
    return repr(float(value)).removesuffix(".0") if value else "0"


def _number_pieces(values: Floats) -> Iterator[bytes]:
    from kinesphere.formats.bvh.bvh_kernels import format_numbers

    flat = values.reshape(-1)
    width = values.shape[1]
    buffer = np.empty(1 << 20, dtype=np.uint8)
    index = position = 0
    while index < len(flat):
        index, position = format_numbers(flat, index, width, position, buffer)
        if index < len(flat) and position + 40 <= len(buffer):
            # Not a number with nine decimals: Python formats it.
            end = "\n" if (index + 1) % width == 0 else " "
            text = ("NaN" if np.isnan(flat[index]) else repr(float(flat[index]))) + end
            buffer[position : position + len(text)] = np.frombuffer(text.encode(), np.uint8)
            index, position = index + 1, position + len(text)
        else:
            yield buffer[:position].tobytes()
            position = 0
    yield buffer[:position].tobytes()
