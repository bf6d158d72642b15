"""The figure of a speaker: a body from the front, with a heat map of hand positions.

Heights are rows and radial zones are columns, for the right hand and for the left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import numpy as np

from kinesphere.corpus.profiles.profile import Profile
from kinesphere.export.pages.speaker.speaker_facts import HANDS, busiest, space_use
from kinesphere.export.pages.speaker.speaker_marks import (
    Box,
    Mark,
    PathMark,
    Point,
    Text,
    mark_svg,
    shift_marks,
)
from kinesphere.export.pages.speaker.speaker_text import display_name, number, percent, safe
from kinesphere.gesture.positions import HEIGHTS, RADIALS

# The figure: heights of Table 4.1 as rows from the top, radial zones as columns from the middle,
# in pixels; 200 to a metre, with the rows where they are on a body.
_ROW_HEIGHTS = (30.0, 44.0, 36.0, 34.0, 34.0, 32.0, 38.0)
_COLUMN_WIDTHS = (36.0, 36.0, 36.0, 36.0, 38.0)  # in the order of RADIALS
FIGURE_HEIGHT = sum(_ROW_HEIGHTS)
HALF = sum(_COLUMN_WIDTHS)
# Half of the body's outline: down the outer side of the arm, up its inner side, down the leg; then
# up the leg's inner side to the middle. The head is an oval.
_SIDE = (
    (8.0, 69.0),
    (8.5, 79.0),
    (18.0, 86.0),
    (38.0, 88.0),
    (52.0, 93.0),
    (56.0, 112.0),
    (62.0, 146.0),
    (68.0, 174.0),
    (71.0, 200.0),
    (75.0, 214.0),
    (74.0, 230.0),
    (68.0, 236.0),
    (64.0, 226.0),
    (62.0, 204.0),
    (57.0, 180.0),
    (50.0, 152.0),
    (43.0, 116.0),
    (40.0, 132.0),
    (36.0, 152.0),
    (34.0, 172.0),
    (38.0, 196.0),
    (42.0, 218.0),
    (40.0, 248.0),
)
_LEG = ((6.0, 248.0), (4.0, 238.0), (0.0, 228.0))
_HEAD = (16.5, 21.0, 51.5)  # half width, half height, middle
_FAINTEST, _DARKEST = 0.14, 0.94


class Full(NamedTuple):
    """Proportions that are drawn at full strength or length: the same for all compared speakers."""

    cell: float
    lexeme: float

    @classmethod
    def of(cls, profiles: Sequence[Profile]) -> Full:
        """Largest proportions of any of the speakers."""
        return cls(
            max(busiest(profile) for profile in profiles) or 1.0,
            max((p.of_lexeme(name) for p in profiles for name in p.lexemes[:1]), default=1.0),
        )


def figure_marks(profile: Profile, kind: str, full: Full) -> list[Mark]:
    """A body from the front, its middle at x = 0, with a heat map of hand positions."""
    used = space_use(profile)
    total = sum(used.values())
    empty: list[Mark] = []
    hot: list[Mark] = []
    top = 0.0
    for height, tall in zip(HEIGHTS, _ROW_HEIGHTS, strict=True):
        edge = HALF
        for radial, wide in zip(RADIALS, _COLUMN_WIDTHS, strict=True):
            # The figure's right hand is on the viewer's left.
            for hand, left in (("RH", -edge), ("LH", edge - wide)):
                n = used.get((hand, height, radial), 0)
                sector = f"{display_name(height)}, {display_name(radial)}"
                tip = f"{HANDS[hand]} hand, {sector}: {n} of {total}"
                box = Box("track", left + 1.0, top + 1.0, wide - 2.0, tall - 2.0, 4.0)
                empty.append(box)
                if n:
                    heat = _FAINTEST + (_DARKEST - _FAINTEST) * math.sqrt(n / total / full.cell)
                    hot.append(box._replace(kind=kind, opacity=heat, tip=tip, hands=n))
            edge -= wide
        top += tall
    inside, lines = _body()
    return [*empty, *inside, *hot, *lines]


def _body() -> tuple[list[Mark], list[Mark]]:
    """The body's area, and its outline; open at the neck and the thighs."""
    wide, tall, middle = _HEAD
    turns = np.linspace(0.0, 2.0 * np.pi, 41)[:-1].tolist()
    head = tuple((wide * math.cos(t), middle + tall * math.sin(t)) for t in turns)
    right = _round_points(_SIDE)
    left = tuple((-x, y) for x, y in right)
    leg = _LEG[::-1]
    between = (*((-x, y) for x, y in _LEG), *leg[1:])
    whole = (*left, *between, *right[::-1])
    inside: list[Mark] = [PathMark("body", whole, 0.2, closed=True)]
    inside.append(PathMark("body", head, 0.2, closed=True))
    lines = (left, right, _round_points(between), (*head, head[0]))
    return inside, [PathMark("outline", line, 1.1) for line in lines]


def _round_points(points: Sequence[Point]) -> tuple[Point, ...]:
    """A line with its corners cut three times, a quarter of each side off (Chaikin)."""
    line = np.array(points)
    for _ in range(3):
        cut = np.stack([0.75 * line[:-1] + 0.25 * line[1:], 0.25 * line[:-1] + 0.75 * line[1:]], 1)
        line = np.concatenate([line[:1], cut.reshape(-1, 2)[1:-1], line[-1:]])
    return tuple((float(x), float(y)) for x, y in line)


def _figure_labels() -> list[Mark]:
    marks: list[Mark] = []
    top, edge = 0.0, HALF
    for height, tall in zip(HEIGHTS, _ROW_HEIGHTS, strict=True):
        middle = top + 0.5 * tall + 3.5
        marks.append(Text("muted", -HALF - 7.0, middle, display_name(height), 11.5, "end"))
        top += tall
    for radial, wide in zip(RADIALS, _COLUMN_WIDTHS, strict=True):
        for side in (-1.0, 1.0):
            x = side * (edge - 0.5 * wide)
            marks.append(
                Text("muted", x, FIGURE_HEIGHT + 14.0, display_name(radial), 10.0, "middle")
            )
        edge -= wide
    for side, name in ((-1.0, "right hand"), (1.0, "left hand")):
        at = (side * 0.5 * HALF, FIGURE_HEIGHT + 32.0)
        marks.append(Text("ink", *at, name, 11.5, "middle", bold=True))
    return marks


def figure_svg(profile: Profile, kind: str, full: Full) -> str:
    """The figure with its labels, for the page."""
    left, top, right, bottom = 78.0, 2.0, 4.0, 42.0
    marks = [*figure_marks(profile, kind, full), *_figure_labels()]
    width, height = left + 2.0 * HALF + right, top + FIGURE_HEIGHT + bottom
    drawn = "".join(mark_svg(m) for m in shift_marks(marks, left + HALF, top))
    name = safe(profile.name)
    return (
        f'<svg class="kin figure" viewBox="0 0 {number(width)} {number(height)}" role="img" '
        f'aria-labelledby="space-{kind} places-{kind}">'
        f'<title id="space-{kind}">Hand positions of {name} at the ends of strokes</title>'
        f'<desc id="places-{kind}">{escape(_places_text(profile))}</desc>{drawn}</svg>'
    )


def _places_text(profile: Profile) -> str:
    """The most frequent positions in words."""
    used = space_use(profile)
    total = sum(used.values())
    ranked = sorted(used, key=lambda cell: (-used[cell], cell))[:6]
    found = [
        f"{HANDS[hand]} hand at {display_name(height)}, {display_name(radial)}: "
        f"{percent(used[hand, height, radial] / total)}"
        for hand, height, radial in ranked
    ]
    return "; ".join(found) + "." if found else "No samples."
