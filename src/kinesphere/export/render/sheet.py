"""Contact sheets: pictures of a clip side by side, a row for every view, with labels.

Many pictures are arranged in several strips below each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from kinesphere.character.figure import Figure
from kinesphere.errors import InvalidValueError
from kinesphere.export.render.raster import LIGHT, Backdrop, render_clip
from kinesphere.maths.arrays import Bytes
from kinesphere.motion.clip import Clip
from kinesphere.motion.resampling import sample

MOST_COLUMNS = 10
"""Most pictures in one strip."""
_GAP, _STRIP = 2, 15  # pixels between pictures, and above them for the labels
_INK, _PAPER = {True: (40, 44, 50), False: (205, 210, 218)}, {True: 250, False: 14}

# Five columns per letter, bit 0 at the top of seven rows.
_FONT = {
    "0": "3e5149453e",
    "1": "00427f4000",
    "2": "4261514946",
    "3": "2141454b31",
    "4": "1814127f10",
    "5": "2745454539",
    "6": "3c4a494930",
    "7": "0171090503",
    "8": "3649494936",
    "9": "064949291e",
    "A": "7e1111117e",
    "B": "7f49494936",
    "C": "3e41414122",
    "D": "7f4141413e",
    "E": "7f49494941",
    "F": "7f09090901",
    "G": "3e4149497a",
    "H": "7f0808087f",
    "I": "00417f4100",
    "J": "2040413f01",
    "K": "7f08142241",
    "L": "7f40404040",
    "M": "7f020c027f",
    "N": "7f0408107f",
    "O": "3e4141413e",
    "P": "7f09090906",
    "Q": "3e4151215e",
    "R": "7f09192946",
    "S": "4649494931",
    "T": "01017f0101",
    "U": "3f4040403f",
    "V": "1f2040201f",
    "W": "3f4038403f",
    "X": "6314081463",
    "Y": "0708700807",
    "Z": "6151494543",
    " ": "0000000000",
    ".": "0060600000",
    ":": "0036360000",
    "-": "0808080808",
}
_UNKNOWN = "7f4141417f"


def contact_sheet(
    figure: Figure,
    clip: Clip,
    moments: int | Sequence[float] | Mapping[str, float] = 6,
    views: Sequence[str] = ("front", "side", "three-quarter"),
    studio: Backdrop = LIGHT,
    *,
    cell: tuple[int, int] = (240, 320),
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Bytes:
    """Picture ``[height, width, 3]`` with a column for every time and a row for every view.

    More than `MOST_COLUMNS` times are divided into strips of such rows below each other.

    Parameters
    ----------
    figure, clip : character and motion; both have the same joints.
    moments : how many, spread evenly from the first frame to the last; or times in seconds; or
        times by name, such as ``{"stroke end": 1.25}``.
    views : names of views, from top to bottom.
    studio : light and surroundings.
    cell : width and height of one picture in pixels.
    workers, progress : as for `render_clip`.
    """
    times = _times(clip, moments)
    if not views:
        raise InvalidValueError("no views for a contact sheet, allowed is at least one")
    poses = sample(clip, [seconds for _, seconds in times])
    bright = sum(studio.horizon) > 0.5
    width, height = cell
    count, rows = len(times), len(views)
    shape, corner = _grid(count, rows, cell)
    sheet = np.full(shape, _PAPER[bright], np.uint8)
    for row, view in enumerate(views):
        pictures = render_clip(
            figure,
            poses,
            view,
            studio=studio,
            size=cell,
            workers=workers,
            progress=_shift_progress(progress, row * count, rows * count),
        )
        for moment, picture in enumerate(pictures):
            top, left = corner(moment, row)
            sheet[top : top + height, left : left + width] = picture
            if left == _GAP:
                draw_text(sheet, view, left + 5, top + 5, _INK[bright])
    for moment, (label, _) in enumerate(times):
        top, left = corner(moment, 0)
        label = _fitting(label, width)
        draw_text(sheet, label, left + 5, top - _STRIP - _GAP + 5, _INK[bright])
    return sheet


def _grid(
    count: int, rows: int, cell: tuple[int, int]
) -> tuple[tuple[int, int, int], Callable[[int, int], tuple[int, int]]]:
    """Shape of a sheet, and a function from moment and row to a picture's top and left."""
    width, height = cell
    strips = -(-count // MOST_COLUMNS)
    columns = -(-count // strips)
    strip = _STRIP + rows * (height + _GAP)

    def corner(moment: int, row: int) -> tuple[int, int]:
        band, column = divmod(moment, columns)
        top = band * strip + _STRIP + _GAP + row * (height + _GAP)
        return top, _GAP + column * (width + _GAP)

    return (strips * strip + _GAP, columns * (width + _GAP) + _GAP, 3), corner


def draw_text(image: Bytes, text: str, left: int, top: int, colour: tuple[int, int, int]) -> None:
    """Write into a picture, 7 pixels high, 6 per letter; what does not fit is cut off.

    There are capital letters (small ones become capital), digits, space, ``.``, ``:`` and ``-``;
    anything else is drawn as a box.
    """
    mask = text_mask(text)
    room = image[max(top, 0) : top + 7, max(left, 0) : left + mask.shape[1]]
    part = mask[max(-top, 0) :, max(-left, 0) :][: room.shape[0], : room.shape[1]]
    room[part] = colour


def text_mask(text: str) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Which pixels ``[7, 6 * letters]`` a text takes."""
    mask = np.zeros((7, 6 * len(text)), dtype=bool)
    for i, letter in enumerate(text.upper()):
        columns = np.frombuffer(bytes.fromhex(_FONT.get(letter, _UNKNOWN)), np.uint8)
        mask[:, 6 * i : 6 * i + 5] = (columns[None, :] >> np.arange(7)[:, None]) & 1
    return mask


def _times(
    clip: Clip, moments: int | Sequence[float] | Mapping[str, float]
) -> list[tuple[str, float]]:
    """Labels and seconds, checked against the clip."""
    if isinstance(moments, Mapping):
        named = [(f"{name}  {at:.2f}", float(at)) for name, at in moments.items()]
    else:
        if isinstance(moments, int):
            moments = [float(t) for t in np.linspace(0.0, clip.duration_s, max(moments, 0))]
        named = [(f"{at:.2f}", float(at)) for at in moments]
    if not named:
        raise InvalidValueError("no moments for a contact sheet, allowed is at least one")
    for label, at in named:
        if not -1e-6 <= at <= clip.duration_s + 1e-6:
            raise InvalidValueError(
                f"moment {label.strip()!r} is at {at:g} s, allowed is 0 to {clip.duration_s:g} s"
            )
    return named


def _fitting(label: str, width: int) -> str:
    """The label, its name shortened so that the time fits into a picture's width."""
    letters = max((width - 8) // 6, 1)
    name, _, time = label.rpartition("  ")
    if len(label) <= letters or not name:
        return label[-letters:]
    return f"{name[: max(letters - len(time) - 2, 0)]}  {time}"[-letters:]


def _shift_progress(
    progress: Callable[[int, int], None] | None, before: int, count: int
) -> Callable[[int, int], None] | None:
    if progress is None:
        return None
    report = progress
    return lambda done, _: report(before + done, count)
