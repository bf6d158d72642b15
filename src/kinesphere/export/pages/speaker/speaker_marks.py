"""Drawing primitives of pictures of a speaker, as SVG or as pixels.

As pixels every primitive is a line with a round pen, so one distance function gives all edges.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from kinesphere.export.pages.speaker.speaker_text import number, safe
from kinesphere.export.render.sheet import text_mask
from kinesphere.maths.arrays import Floats, read_only

Point = tuple[float, float]
# Five columns of seven rows, as the letters of a contact sheet, which has none of these.
_MORE_LETTERS = {
    "%": "2313086462",
    ",": "0050300000",
    "'": "0005030000",
    "(": "001c224100",
    ")": "0041221c00",
    "/": "2010080402",
    "&": "3649552250",
    "+": "08083e0808",
}
_KNOWN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:-")
_SPACE, _NARROW = 2.0, 0.85  # columns of a space; letters are that much narrower than their grid
_CAPITALS = 0.72  # height of capitals over the size of a font


class Box(NamedTuple):
    """A filled box; `tip` is its tooltip, `hands` is how many hands it counts."""

    kind: str
    x: float
    y: float
    width: float
    height: float
    radius: float = 0.0
    opacity: float = 1.0
    tip: str = ""
    hands: int | None = None


class PathMark(NamedTuple):
    """Points joined by a round pen; the inside of a closed one is filled."""

    kind: str
    points: tuple[Point, ...]
    pen: float
    closed: bool = False


class Text(NamedTuple):
    """A line of text at its anchor on the base line."""

    kind: str
    x: float
    y: float
    text: str
    size: float
    anchor: str = "start"
    bold: bool = False


Mark = Box | PathMark | Text


def mark_svg(mark: Mark) -> str:
    """A mark as an element of SVG."""
    if isinstance(mark, Box):
        return _svg_box(mark)
    if isinstance(mark, PathMark):
        line = "L".join(f"{number(x)} {number(y)}" for x, y in mark.points)
        kind = f"{mark.kind} {'closed' if mark.closed else 'open'}"
        return (
            f'<path class="{kind}" stroke-width="{number(mark.pen)}" '
            f'd="M{line}{"Z" if mark.closed else ""}"/>'
        )
    weight = ' font-weight="650"' if mark.bold else ""
    anchor = "" if mark.anchor == "start" else f' text-anchor="{mark.anchor}"'
    return (
        f'<text class="{mark.kind}" x="{number(mark.x)}" y="{number(mark.y)}" '
        f'font-size="{number(mark.size)}"'
        f"{anchor}{weight}>{safe(mark.text)}</text>"
    )


def _svg_box(box: Box) -> str:
    look = f' rx="{number(box.radius)}"' if box.radius else ""
    look += f' opacity="{box.opacity:.2f}"' if box.opacity < 1.0 else ""
    look += "" if box.hands is None else f' data-n="{box.hands}"'
    tip = f"<title>{safe(box.tip)}</title>" if box.tip else ""
    return (
        f'<rect class="{box.kind}" x="{number(box.x)}" y="{number(box.y)}" '
        f'width="{number(box.width)}" height="{number(box.height)}"{look}>{tip}</rect>'
    )


def shift_marks(marks: Iterable[Mark], right: float, down: float, scale: float = 1.0) -> list[Mark]:
    """Marks scaled about the origin, then translated."""
    out: list[Mark] = []
    for mark in marks:
        if isinstance(mark, PathMark):
            points = tuple((right + scale * x, down + scale * y) for x, y in mark.points)
            out.append(mark._replace(points=points, pen=scale * mark.pen))
            continue
        x, y = right + scale * mark.x, down + scale * mark.y
        if isinstance(mark, Box):
            wide, tall, round_ = (scale * v for v in (mark.width, mark.height, mark.radius))
            out.append(mark._replace(x=x, y=y, width=wide, height=tall, radius=round_))
        else:
            out.append(mark._replace(x=x, y=y, size=scale * mark.size))
    return out


def put(image: Floats, mark: Mark, colours: Mapping[str, Floats], scale: float) -> None:
    """Draw a mark onto an image ``[height, width, 3]``, `scale` pixels per unit."""
    if isinstance(mark, Text):
        _put_text(image, mark, colours[mark.kind], scale)
        return
    if isinstance(mark, PathMark):
        points, pen, opacity = np.array(mark.points), mark.pen, 1.0
        closed = mark.closed
    else:
        r = min(mark.radius, 0.5 * mark.width, 0.5 * mark.height)
        x0, y0, x1, y1 = mark.x + r, mark.y + r, mark.x + mark.width - r, mark.y + mark.height - r
        points = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
        pen, opacity, closed = 2.0 * r, mark.opacity, True
    ends = np.roll(points, -1, axis=0) if closed else points[1:]
    lines = np.stack([points[: len(ends)], ends], axis=1) * scale
    _blend(image, lines, 0.5 * pen * scale, colours[mark.kind], opacity, filled=closed)


def _blend(
    image: Floats, lines: Floats, reach: float, colour: Floats, opacity: float, *, filled: bool
) -> None:
    """Colour pixels within the pen's radius of lines ``[n, 2, 2]``, and inside them if filled."""
    low = np.floor(lines.min(axis=(0, 1)) - reach - 1.0).astype(int)
    high = np.ceil(lines.max(axis=(0, 1)) + reach + 1.0).astype(int)
    left, top = np.maximum(low, 0).tolist()
    right, bottom = np.minimum(high, image.shape[1::-1]).tolist()
    if right <= left or bottom <= top:
        return
    x, y = np.arange(left, right) + 0.5, np.arange(top, bottom)[:, None] + 0.5
    away = np.full((bottom - top, right - left), np.inf)
    inside = np.zeros(away.shape, dtype=bool)
    for (x0, y0), (x1, y1) in lines.tolist():
        # Farther from a line than the pen's radius the distance to it does not matter.
        rows = _near(y0, y1, reach + 1.0, top, bottom)
        columns = _near(x0, x1, reach + 1.0, left, right)
        to_line = _distance(x[columns], y[rows], (x0, y0), (x1, y1))
        away[rows, columns] = np.minimum(away[rows, columns], to_line)
        if filled and y0 != y1:
            rows = _near(y0, y1, 1.0, top, bottom)
            crosses = (y0 <= y[rows]) != (y1 <= y[rows])
            inside[rows] ^= crosses & (x < x0 + (y[rows] - y0) / (y1 - y0) * (x1 - x0))
    covered = np.clip(0.5 + reach - np.where(inside, -away, away), 0.0, 1.0) * opacity
    part = image[top:bottom, left:right]
    part += covered[..., None] * (colour - part)


def _near(first: float, last: float, reach: float, low: int, high: int) -> slice:
    """Pixels within reach of a stretch, counted from `low`, none outside low to high."""
    start = math.floor(min(first, last) - reach)
    stop = math.ceil(max(first, last) + reach)
    return slice(min(max(start, low), high) - low, min(max(stop, low), high) - low)


def _distance(x: Floats, y: Floats, start: Point, end: Point) -> Floats:
    """Distance of pixels to a line segment."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = dx * dx + dy * dy
    right, down = x - start[0], y - start[1]
    along = np.clip((right * dx + down * dy) / length, 0.0, 1.0) if length else 0.0
    return np.hypot(right - along * dx, down - along * dy)


def _put_text(image: Floats, mark: Text, colour: Floats, scale: float) -> None:
    """Letters as round strokes through the pixels of the small font; capitals only."""
    glyphs = [_glyph(letter) for letter in _plain(mark.text)]
    tall = scale * _CAPITALS * mark.size / 6.0
    unit = np.array([_NARROW * tall, tall])
    share = {"start": 0.0, "middle": 0.5, "end": 1.0}[mark.anchor]
    columns = sum(wide + 1.0 for _, wide in glyphs) - 1.0
    at = np.array([mark.x * scale - share * unit[0] * columns, mark.y * scale - 6.0 * tall])
    reach = 0.5 * tall * (1.5 if mark.bold else 1.0)
    for strokes, wide in glyphs:
        if len(strokes):
            _blend(image, at + (strokes + 0.5) * unit, reach, colour, 1.0, filled=False)
        at = at + np.array([(wide + 1.0) * unit[0], 0.0])


def _plain(text: str) -> str:
    """Letters that the small fonts have, accents removed; others become spaces.

    >>> _plain("Žižek 5 %")
    'ZIZEK 5 %'
    """
    letters = unicodedata.normalize("NFKD", text).upper()
    kept = (c for c in letters if not unicodedata.combining(c))
    return "".join(c if c in _KNOWN or c in _MORE_LETTERS else " " for c in kept)


@cache
def _glyph(letter: str) -> tuple[Floats, float]:
    """Strokes of a letter ``[n, 2, 2]`` from x = 0, and how many columns it takes."""
    if letter == " ":
        return np.zeros((0, 2, 2)), _SPACE
    mask = text_mask(letter)
    if letter in _MORE_LETTERS:
        columns = np.frombuffer(bytes.fromhex(_MORE_LETTERS[letter]), np.uint8)
        mask[:, :5] = (columns[None, :] >> np.arange(7)[:, None]) & 1
    used = np.flatnonzero(mask.any(axis=0))
    strokes = _strokes(mask[:, used[0] : used[-1] + 1])
    return read_only(strokes), float(used[-1] - used[0] + 1)


def _strokes(mask: np.ndarray[tuple[int, int], np.dtype[np.bool_]]) -> Floats:
    """Lines ``[n, 2, 2]`` between neighbouring pixels; slanting ones where none is straight."""
    found: list[tuple[tuple[int, int], tuple[int, int]]] = []
    padded = np.pad(mask, 1)
    for row, column in np.argwhere(padded).tolist():
        right, below = padded[row, column + 1], padded[row + 1, column]
        ways = [(0, 1)] * bool(right) + [(1, 0)] * bool(below)
        if padded[row + 1, column + 1] and not right and not below:
            ways.append((1, 1))
        if padded[row + 1, column - 1] and not padded[row, column - 1] and not below:
            ways.append((1, -1))
        for down, across in ways or [(0, 0)]:
            found.append(((column - 1, row - 1), (column - 1 + across, row - 1 + down)))
    return np.array(found, dtype=np.float64)


def rgb(text: str) -> Floats:
    """Red, green and blue, 0 to 255, of a colour written ``#rrggbb``."""
    return np.array([int(text[i : i + 2], 16) for i in (1, 3, 5)], dtype=np.float64)
