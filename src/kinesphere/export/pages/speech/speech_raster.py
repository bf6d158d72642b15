"""A speech picture as PNG."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable

import numpy as np

from kinesphere.export.pages.speech.speech_layout import (
    COLOURS,
    SYLLABLES_Y,
    WIDTH,
    PictureLabel,
    PictureMark,
    Polyline,
    StrokeArea,
    TimedBox,
    line_height,
    picture_lines,
)
from kinesphere.export.pages.speech.speech_marks import line_marks
from kinesphere.export.render.png import png_bytes
from kinesphere.export.render.sheet import text_mask
from kinesphere.maths.arrays import Bytes
from kinesphere.speech.heard import Heard


def picture_png(heard: Heard, *, dark: bool = False, scale: int = 2) -> bytes:
    """The picture as PNG, `scale` pixels per unit; letters without the syllables'."""
    lines, height = picture_lines(heard), line_height(heard)
    colours = {kind: _rgb(pair[dark]) for kind, pair in COLOURS.items()}
    shape = (math.ceil((height * len(lines) + 34.0) * scale), math.ceil(WIDTH * scale), 3)
    image = np.empty(shape, np.uint8)
    image[:] = colours["paper"]
    facts = "  -  ".join(f"{name} {value}" for name, value in heard.facts)
    _draw_label(
        image,
        PictureLabel("ink", 4.0, 18.0, heard.title, 14.0, "start"),
        colours["ink"],
        0.0,
        scale,
    )
    beside = 24.0 + 6.0 * len(heard.title)
    note = PictureLabel("muted", beside, 18.0, facts, 10.0, "start")
    _draw_label(image, note, colours["muted"], 0.0, scale)
    for i, line in enumerate(lines):
        for mark in line_marks(heard, line):
            _draw(image, mark, colours, 30.0 + i * height, scale)
    return png_bytes(image)


_Rgb = tuple[int, int, int]


def _rgb(text: str) -> _Rgb:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def _draw(
    image: Bytes, mark: PictureMark, colours: dict[str, _Rgb], down: float, scale: int
) -> None:
    colour = colours[mark.kind]
    if isinstance(mark, TimedBox):
        y, x = round((mark.y + down) * scale), round(mark.x * scale)
        high, wide = max(1, round(mark.height * scale)), max(1, round(mark.width * scale))
        image[y : y + high, x : x + wide] = colour
    elif isinstance(mark, StrokeArea):
        for x, low, high in zip(
            mark.x.tolist(), mark.low.tolist(), mark.high.tolist(), strict=True
        ):
            top, bottom = round((high + down) * scale), round((low + down) * scale)
            image[top : bottom + 1, round(x * scale) : round((x + 1.0) * scale)] = colour
    elif isinstance(mark, Polyline):
        _draw_curve(image, mark, colour, down, scale)
    else:
        _draw_label(image, mark, colour, down, scale)


def _draw_curve(image: Bytes, mark: Polyline, colour: _Rgb, down: float, scale: int) -> None:
    x, y = mark.x * scale, (mark.y + down) * scale
    steps = np.maximum(1, np.ceil(np.maximum(np.abs(np.diff(x)), np.abs(np.diff(y)))))
    along = np.concatenate([[0.0], np.cumsum(steps)])
    at = np.arange(along[-1] + 1.0)
    if mark.dashed:
        at = at[(at % (7 * scale)) < 3 * scale]
    columns, rows = np.interp(at, along, x), np.interp(at, along, y)
    thick = max(1, round(mark.width * scale))
    first = -(thick // 2)
    for i in range(first, first + thick):
        for j in range(first, first + thick):
            r = np.clip(np.rint(rows + i).astype(np.int64), 0, image.shape[0] - 1)
            c = np.clip(np.rint(columns + j).astype(np.int64), 0, image.shape[1] - 1)
            image[r, c] = colour


def _draw_label(image: Bytes, mark: PictureLabel, colour: _Rgb, down: float, scale: int) -> None:
    """Plain capitals; characters that the font lacks, such as IPA, are omitted."""
    if mark.y == SYLLABLES_Y:
        return
    plain = _plain(mark.text)
    if not plain:
        return
    mask = np.kron(text_mask(plain), np.ones((scale, scale), dtype=bool)).astype(bool)
    if mark.bold:
        mask = np.pad(mask, ((0, 0), (0, scale)))
        mask |= np.roll(mask, 1, axis=1)
    share = {"start": 0.0, "middle": 0.5, "end": 1.0}[mark.anchor]
    left = round(mark.x * scale - share * mask.shape[1])
    top = round((mark.y + down) * scale) - mask.shape[0]
    left, top = max(0, left), max(0, top)
    room = image[top : top + mask.shape[0], left : left + mask.shape[1]]
    room[mask[: room.shape[0], : room.shape[1]]] = colour


def _plain(text: str) -> str:
    """Letters that the small font has, accents removed; empty where that loses too much."""
    swapped = text.replace("'", "").replace("\N{RIGHT SINGLE QUOTATION MARK}", "").replace("_", "-")
    letters = unicodedata.normalize("NFKD", swapped.replace("(", "").replace(")", ""))
    kept: Iterable[str] = (c for c in letters if not unicodedata.combining(c))
    plain = "".join(kept)
    return plain if plain.isascii() else ""
