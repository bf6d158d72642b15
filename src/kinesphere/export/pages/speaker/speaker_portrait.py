"""A speaker as one small picture: hand positions, frequent gestures and the rate.

Pictures of several speakers are side by side, as SVG, PNG or a page. The same profiles give the
same bytes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path

import numpy as np

from kinesphere.corpus.profiles.profile import Profile
from kinesphere.errors import InvalidValueError, UnwritableError
from kinesphere.export.pages.speaker.speaker_facts import HANDS, KIND_OF_HAND, lead_of, rate_text
from kinesphere.export.pages.speaker.speaker_figure import FIGURE_HEIGHT, HALF, Full, figure_marks
from kinesphere.export.pages.speaker.speaker_marks import (
    Box,
    Mark,
    Text,
    mark_svg,
    put,
    rgb,
    shift_marks,
)
from kinesphere.export.pages.speaker.speaker_style import COLOURS, page_html, picture_style
from kinesphere.export.pages.speaker.speaker_text import (
    LONGEST_NOTE,
    number,
    percent,
    safe,
    shorten,
)
from kinesphere.export.render.png import png_bytes
from kinesphere.formats.files import write_atomically
from kinesphere.maths.arrays import Bytes

PORTRAIT_ENDINGS = (".html", ".svg", ".png")
WIDTH, HEIGHT = 560.0, 304.0
_MOST_PORTRAITS = 60
_GAP = 16.0  # between pictures
_COLUMN = (326.0, 544.0)


def portrait_svg(profile: Profile, width: float = WIDTH) -> str:
    """Small picture of a speaker, of a width in pixels; light or dark as the viewer's system."""
    _check_size("width", width, 16_384.0)
    return _portraits_svg([profile], width)


def portrait_png(profile: Profile, *, dark: bool = False, scale: float = 2.0) -> bytes:
    """The picture of `portrait_svg` as PNG, `scale` pixels per unit, 8 at most."""
    _check_size("scale", scale, 8.0)
    return png_bytes(_portraits_picture([profile], dark=dark, scale=scale))


def _check_size(name: str, value: float, most: float) -> None:
    if not 0.1 <= value <= most:
        raise InvalidValueError(f"{name} of a portrait is {value:g}, allowed is 0.1 to {most:g}")


def write_portraits(
    profiles: Sequence[Profile], path: str | PathLike[str], *, dark: bool = False
) -> None:
    """Write pictures side by side in the format of the file's suffix: .html, .svg or .png.

    Parameters
    ----------
    profiles : 1 to 60 speakers, in the order of the picture.
    path : file to write, atomically.
    dark : a dark .png; pages and .svg follow the viewer's system.

    Raises
    ------
    InvalidValueError
        If there is no speaker, or there are too many.
    UnwritableError
        If the suffix is another one, or the file cannot be written.
    """
    ending = Path(path).suffix.lower()
    if ending not in PORTRAIT_ENDINGS:
        found = ending or "a file without suffix"
        allowed = " ".join(PORTRAIT_ENDINGS)
        raise UnwritableError(f"{path}: cannot write {found!r}; writable are {allowed}")
    if not 1 <= len(profiles) <= _MOST_PORTRAITS:
        raise InvalidValueError(
            f"{len(profiles)} speakers for one picture, allowed are 1 to {_MOST_PORTRAITS}"
        )
    if ending == ".png":
        data = png_bytes(_portraits_picture(profiles, dark=dark))
    elif ending == ".svg":
        data = _portraits_svg(profiles).encode()
    else:
        data = _portraits_html(profiles).encode()
    with write_atomically(path) as file:
        file.write(data)


def _columns(count: int) -> int:
    return count if count <= 3 else math.ceil(math.sqrt(count))


def _portraits_picture(profiles: Sequence[Profile], *, dark: bool, scale: float = 2.0) -> Bytes:
    columns = _columns(len(profiles))
    rows = -(-len(profiles) // columns)
    gap, wide, tall = round(_GAP * scale), round(WIDTH * scale), round(HEIGHT * scale)
    shape = (rows * (tall + gap) - gap, columns * (wide + gap) - gap, 3)
    sheet = np.empty(shape, np.uint8)
    sheet[:] = rgb(COLOURS["paper"][dark])
    full = Full.of(profiles)
    for i, profile in enumerate(profiles):
        row, column = divmod(i, columns)
        top, left = row * (tall + gap), column * (wide + gap)
        picture = _picture(_portrait(profile, full), dark=dark, scale=scale)
        sheet[top : top + tall, left : left + wide] = picture
    return sheet


def _picture(marks: Iterable[Mark], *, dark: bool, scale: float) -> Bytes:
    """A picture's pixels ``[height, width, 3]``."""
    colours = {kind: rgb(pair[dark]) for kind, pair in COLOURS.items()}
    image = np.empty((round(HEIGHT * scale), round(WIDTH * scale), 3))
    image[:] = colours["paper"]
    for mark in marks:
        put(image, mark, colours, scale)
    return np.rint(image).astype(np.uint8)


def _portraits_svg(profiles: Sequence[Profile], width: float | None = None) -> str:
    columns = _columns(len(profiles))
    rows = -(-len(profiles) // columns)
    size = (columns * (WIDTH + _GAP) - _GAP, rows * (HEIGHT + _GAP) - _GAP)
    shown = size[0] if width is None else width
    full = Full.of(profiles)
    body = []
    for i, profile in enumerate(profiles):
        row, column = divmod(i, columns)
        place = (column * (WIDTH + _GAP), row * (HEIGHT + _GAP))
        marks = shift_marks(_portrait(profile, full), *place)
        body.append(f"<g>{''.join(mark_svg(mark) for mark in marks)}</g>")
    names = ", ".join(safe(profile.name) for profile in profiles)
    about = " ".join(lead_of(profile, name=True) for profile in profiles)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="kin" role="img" '
            f'viewBox="0 0 {number(size[0])} {number(size[1])}" width="{number(shown)}" '
            f'height="{number(shown * size[1] / size[0])}">',
            f"<title>{names}</title><desc>{safe(about)}</desc><style>{picture_style()}</style>",
            f'<rect class="paper" width="{number(size[0])}" height="{number(size[1])}"/>',
            *body,
            "</svg>",
            "",
        ]
    )


def _portraits_html(profiles: Sequence[Profile]) -> str:
    """A page of pictures that wrap to the width of the window."""
    full = Full.of(profiles)
    cards = []
    for profile in profiles:
        drawn = "".join(mark_svg(mark) for mark in _portrait(profile, full))
        cards.append(
            f'<figure class="card"><svg class="kin" viewBox="0 0 {number(WIDTH)} {number(HEIGHT)}" '
            f'role="img"><title>{safe(profile.name)}</title>'
            f"<desc>{safe(lead_of(profile, name=False))}</desc>{drawn}</svg>"
            f"<figcaption>{safe(shorten(profile.note, LONGEST_NOTE))}</figcaption></figure>"
        )
    head = '<header><div><p class="over">speakers</p><h1>Styles of gesture</h1></div></header>'
    return page_html("Styles", "one", f'{head}\n<main class="cards">{"".join(cards)}</main>')


def _portrait(profile: Profile, full: Full) -> list[Mark]:
    """Name and rate above, the figure on the left, hands and gestures on the right."""
    scale, middle, top = 0.78, 16.0 + 0.78 * HALF, 76.0
    marks: list[Mark] = [
        Text("ink", 16.0, 38.0, shorten(profile.name, 20), 22.0, bold=True),
        Text("muted", 16.0, 58.0, rate_text(profile), 12.0),
    ]
    marks += shift_marks(figure_marks(profile, "a", full), middle, top, scale)
    foot = top + scale * FIGURE_HEIGHT + 18.0
    for side, name in ((-1.0, "right hand"), (1.0, "left hand")):
        x = middle + side * 0.5 * scale * HALF
        marks.append(Text("muted", x, foot, name, 10.5, "middle"))
    return [*marks, *_portrait_hands(profile), *_portrait_lexemes(profile, full.lexeme)]


def _portrait_hands(profile: Profile) -> list[Mark]:
    left, right = _COLUMN
    marks: list[Mark] = []
    x, room = left, right - left
    for i, (hand, name) in enumerate(HANDS.items()):
        share = profile.of_hand(hand)
        wide = share * room
        tip = f"{name}: {percent(share)}"
        marks.append(Box(KIND_OF_HAND[hand], x, 26.0, max(wide - 1.5, 0.5), 12.0, 2.0, tip=tip))
        x += wide
        at = left + i * room / 3.0
        marks.append(Box(KIND_OF_HAND[hand], at, 50.0, 8.0, 8.0, 2.0))
        marks.append(Text("muted", at + 12.0, 58.0, f"{name} {percent(share)}", 10.0))
    return marks


def _portrait_lexemes(profile: Profile, full: float) -> list[Mark]:
    left, right = _COLUMN
    marks: list[Mark] = []
    for i, name in enumerate(profile.lexemes[:6]):
        y = 90.0 + 34.0 * i
        share = profile.of_lexeme(name)
        marks.append(Text("ink", left, y, shorten(name, 22), 11.5))
        marks.append(Text("muted", right, y, percent(share), 11.5, "end"))
        marks.append(Box("track", left, y + 6.0, right - left, 6.0, 3.0))
        wide = max((right - left) * share / full, 6.0)
        marks.append(Box("a", left, y + 6.0, wide, 6.0, 3.0, tip=f"{name}: {percent(share, 1)}"))
    return marks
