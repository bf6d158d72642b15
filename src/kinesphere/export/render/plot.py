"""Line plots as SVG, for the documentation: panels with axes, lines, bands and one legend.

The colours are of middling lightness, so that a picture reads on a white page and on a dark one.
The same values give the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

import numpy as np

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats, read_only

GREY = "#7a7d82"
MINUS = "\N{MINUS SIGN}"
PALETTE = ("#2f7fd6", "#d9680f", "#1e9163", "#c9405c", "#8d62d9", "#9a7b14")
"""Blue, orange, green, red, violet, ochre: at least 3 to 1 against white and against #0d1117."""
DASHES = {"solid": "", "dashed": "7 5", "dotted": "1.5 4"}
_FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
_TEXT_PX, _SMALL_PX = 13.0, 12.0
_LARGEST = 1e100
# Narrower than this share of its values an axis has no room for tick labels.
_NARROWEST = 1e-9
_LEGEND_ROW, _LEGEND_LINE = 20.0, 28.0


@dataclass(frozen=True, eq=False)
class Line:
    """Values over x; where one is NaN the line has a gap.

    Parameters
    ----------
    x, y : ``[n]`` each, in the units of the axes.
    label : in the legend; none if empty. Lines of one look and label share an entry.
    colour : ``#rrggbb``.
    dash : solid, dashed or dotted.
    width : pixels.
    dots : draw a dot at every value instead of a line.
    """

    x: Floats
    y: Floats
    label: str = ""
    colour: str = PALETTE[0]
    dash: str = "solid"
    width: float = 2.0
    dots: bool = False

    def __post_init__(self) -> None:
        x, y = (np.atleast_1d(np.asarray(v, dtype=np.float64)) for v in (self.x, self.y))
        what = f"line {self.label!r}"
        if x.ndim != 1 or x.shape != y.shape:
            raise InvalidValueError(
                f"{what} has x of {x.shape} and y of {y.shape}, expected equal (n,)"
            )
        if not np.any(np.isfinite(x) & np.isfinite(y)):
            raise InvalidValueError(f"{what} has no finite value to draw")
        if self.dash not in DASHES:
            raise InvalidValueError(f"dash {self.dash!r}, allowed are {', '.join(DASHES)}")
        object.__setattr__(self, "x", read_only(x, copy=True))
        object.__setattr__(self, "y", read_only(y, copy=True))


@dataclass(frozen=True)
class Band:
    """A shaded interval of an axis, across the whole panel, with its label inside at the top."""

    low: float
    high: float
    label: str = ""
    axis: Literal["x", "y"] = "x"
    shade: float = 0.13

    def __post_init__(self) -> None:
        _check_range(self.low, self.high, f"band {self.label!r}")


@dataclass(frozen=True)
class Axis:
    """An axis; limits default to those of the data, with a margin in y."""

    label: str = ""
    low: float | None = None
    high: float | None = None
    log: bool = False

    def __post_init__(self) -> None:
        for value in (self.low, self.high):
            if value is not None and not abs(value) <= _LARGEST:
                raise InvalidValueError(
                    f"axis {self.label!r} has the limit {value:g}, allowed is finite up to 1e100"
                )


@dataclass(frozen=True)
class Panel:
    """One pair of axes with what is drawn in it; at least one line."""

    lines: tuple[Line, ...]
    x: Axis = Axis()
    y: Axis = Axis()
    title: str = ""
    bands: tuple[Band, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "lines", tuple(self.lines))
        object.__setattr__(self, "bands", tuple(self.bands))
        if not self.lines:
            raise InvalidValueError(f"panel {self.title!r} has no lines, at least one is needed")


def ticks(low: float, high: float, *, log: bool = False, wanted: int = 6) -> list[float]:
    """Round values within a range, ascending: 3 to 12, about as many as wanted.

    >>> ticks(0.0, 1.0)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    >>> ticks(0.1, 30.0, log=True)
    [0.1, 0.3, 1.0, 3.0, 10.0, 30.0]
    """
    _check_range(low, high, "an axis", log=log)
    wanted = min(max(wanted, 4), 9)
    choices = _log_choices(low, high) if log else []
    if not any(3 <= len(choice) <= 12 for choice in choices):
        choices = _linear_choices(low, high)
    fitting = [choice for choice in choices if 3 <= len(choice) <= 12]
    return min(fitting, key=lambda choice: abs(len(choice) - wanted))


def _linear_choices(low: float, high: float) -> list[list[float]]:
    power = int(np.floor(np.log10(high - low)))
    return [_multiples(low, high, m, k) for k in (power - 2, power - 1, power) for m in (1, 2, 5)]


def _multiples(low: float, high: float, mantissa: int, power: int) -> list[float]:
    """Multiples of ``mantissa 10^power`` in a range; clamped against rounding errors."""
    step = float(f"{mantissa}e{power}")
    first, last = int(np.ceil(low / step - 1e-6)), int(np.floor(high / step + 1e-6))
    if last - first > 40:
        return []
    return [min(max(float(f"{n * mantissa}e{power}"), low), high) for n in range(first, last + 1)]


def _log_choices(low: float, high: float) -> list[list[float]]:
    first, last = int(np.floor(np.log10(low))), int(np.ceil(np.log10(high)))
    choices = []
    for mantissas in ((1,), (1, 3), (1, 2, 5), (1, 2, 3, 5, 7)):
        values = [float(f"{m}e{k}") for k in range(first, last + 1) for m in mantissas]
        choices.append([v for v in values if low <= v <= high])
    stride = max(1, (last - first) // 6)
    decades = [float(f"1e{k}") for k in range(first, last + 1, stride)]
    return [*choices, [v for v in decades if low <= v <= high]]


def _check_range(low: float, high: float, what: str, *, log: bool = False) -> None:
    if not (abs(low) <= _LARGEST and abs(high) <= _LARGEST):
        raise InvalidValueError(
            f"{what} runs from {low:g} to {high:g}, allowed is finite up to 1e100"
        )
    if not high - low > _NARROWEST * max(abs(low), abs(high)):
        raise InvalidValueError(f"{what} runs from {low:g} to {high:g}, the end must be larger")
    if high - low < 1.0 / _LARGEST:
        raise InvalidValueError(f"{what} is {high - low:g} long, too short to draw")
    if log and low <= 0.0:
        raise InvalidValueError(f"{what} is logarithmic and starts at {low:g}, allowed is above 0")


def tick_labels(values: Sequence[float], *, log: bool = False) -> list[str]:
    """Return the shortest labels that distinguish the values; minus is the typographic one."""
    if log:
        texts = [f"{v:g}" for v in values]
    else:
        step = float(np.diff(values).max())
        largest = max(abs(v) for v in values)
        decimals = max(0, -int(np.floor(np.log10(step) + 1e-6)))
        if 1e-5 < largest < 1e6:
            texts = [f"{v + 0.0 if abs(v) > 1e-9 * step else 0.0:.{decimals}f}" for v in values]
        else:
            digits = max(1, int(np.ceil(np.log10(largest / step))) + 1)
            texts = [f"{v:.{digits}g}" for v in values]
    return [text.replace("-", MINUS) for text in texts]


@dataclass(frozen=True)
class _Scale:
    """From values to pixels along one axis."""

    low: float
    high: float
    log: bool
    start: float
    end: float

    def __call__(self, values: Floats) -> Floats:
        low, high = self.low, self.high
        if self.log:
            # Values at and below zero have no logarithm: a gap.
            values = np.log10(np.where(values > 0.0, values, np.nan))
            low, high = float(np.log10(low)), float(np.log10(high))
        at = self.start + (values - low) / (high - low) * (self.end - self.start)
        return np.clip(at, -1e5, 1e5)

    def one(self, value: float) -> float:
        return float(self(np.array([value]))[0])


def _limits(
    axis: Axis, values: list[Floats], below: float = 0.0, above: float = 0.0
) -> tuple[float, float]:
    """Limits of an axis: those given, else the data's, widened by fractions of their range."""
    together = np.concatenate(values)
    together = together[np.isfinite(together) & ((together > 0.0) | (not axis.log))]
    if not len(together):
        raise InvalidValueError(f"axis {axis.label!r} is logarithmic, no value is above 0")
    low, high = float(together.min()), float(together.max())
    if low == high:
        low, high = (low / 2.0, high * 2.0) if axis.log else (low - 1.0, high + 1.0)
    elif axis.log:
        low, high = low * (low / high) ** below, high * (high / low) ** above
    else:
        low, high = low - below * (high - low), high + above * (high - low)
    low = low if axis.low is None else axis.low
    high = high if axis.high is None else axis.high
    _check_range(low, high, f"axis {axis.label!r}", log=axis.log)
    return low, high


def figure_svg(
    panels: Sequence[Panel],
    title: str,
    *,
    description: str = "",
    columns: int = 1,
    width: float = 760.0,
    panel_height: float = 270.0,
) -> str:
    """Draw panels in rows of `columns`, with one legend below them all.

    Parameters
    ----------
    title, description : read out by screen readers, not drawn.
    width, panel_height : pixels, of the picture and of each row of panels.

    Raises
    ------
    InvalidValueError
        If there is no panel, or an axis has no finite, ascending range.
    """
    if not panels or columns < 1:
        raise InvalidValueError(f"{len(panels)} panels in {columns} columns, at least 1 of each")
    scaled = [_scales(panel) for panel in panels]
    left = 34.0 + max(_text_width(t, _SMALL_PX) for _, _, (_, texts) in scaled for t in texts)
    cell = width / columns
    body: list[str] = []
    for i, (panel, (x, y, _)) in enumerate(zip(panels, scaled, strict=True)):
        row, column = divmod(i, columns)
        x0, y0 = column * cell, row * panel_height
        top = y0 + (30.0 if panel.title else 12.0)
        frame = (x0 + left, top, x0 + cell - 14.0, y0 + panel_height - 46.0)
        body += _panel(panel, x, y, frame, f"panel-{i + 1}")
    rows = -(-len(panels) // columns)
    legend, used = _legend(panels, left, rows * panel_height + 4.0, width - 14.0)
    height = rows * panel_height + used + 6.0
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(width)} {_n(height)}" '
            f'width="{_n(width)}" height="{_n(height)}" role="img" '
            f'font-family="{escape(_FONT)}" font-size="{_n(_SMALL_PX)}" fill="{GREY}">',
            f"<title>{escape(title)}</title>",
            *([f"<desc>{escape(description)}</desc>"] if description else []),
            *body,
            *legend,
            "</svg>",
            "",
        ]
    )


_Limits = tuple[float, float]


def _scales(panel: Panel) -> tuple[_Limits, _Limits, tuple[list[float], list[str]]]:
    """Limits in x and y, and the ticks of y with their labels."""
    x = _limits(panel.x, [line.x for line in panel.lines])
    # Labels of bands stand above the lines.
    labelled = any(band.label and band.axis == "x" for band in panel.bands)
    y = _limits(panel.y, [line.y for line in panel.lines], 0.06, 0.2 if labelled else 0.06)
    at = ticks(*y, log=panel.y.log)
    return x, y, (at, tick_labels(at, log=panel.y.log))


def _panel(
    panel: Panel, x: _Limits, y: _Limits, frame: tuple[float, float, float, float], name: str
) -> list[str]:
    left, top, right, bottom = frame
    across = _Scale(*x, panel.x.log, left, right)
    up = _Scale(*y, panel.y.log, bottom, top)
    box = f'x="{_n(left)}" y="{_n(top)}" width="{_n(right - left)}" height="{_n(bottom - top)}"'
    out = [f'<clipPath id="{name}"><rect {box}/></clipPath>', "<g>"]
    if panel.title:
        out.append(_text(left, top - 11.0, panel.title, size=_TEXT_PX, weight="bold"))
    for band in panel.bands:
        out += _band(band, across if band.axis == "x" else up, frame)
    out += _grid(panel, across, up, frame)
    out.append(f'<g clip-path="url(#{name})" fill="none" stroke-linejoin="round">')
    out += [_line_svg(line, across, up) for line in panel.lines]
    return [*out, "</g>", "</g>"]


def _grid(
    panel: Panel, across: _Scale, up: _Scale, frame: tuple[float, float, float, float]
) -> list[str]:
    left, top, right, bottom = frame
    rules: list[str] = []
    texts: list[str] = []
    # A label needs about 60 pixels in x.
    at_x = ticks(across.low, across.high, log=panel.x.log, wanted=int((right - left) / 62.0))
    at_y = ticks(up.low, up.high, log=panel.y.log)
    for value, label in zip(at_x, tick_labels(at_x, log=panel.x.log), strict=True):
        place = across.one(value)
        rules.append(f"M{_n(place)} {_n(bottom)}v5")
        texts.append(_text(place, bottom + 19.0, label, anchor="middle"))
    for value, label in zip(at_y, tick_labels(at_y, log=panel.y.log), strict=True):
        place = up.one(value)
        rules.append(f"M{_n(left)} {_n(place)}h-5")
        texts.append(_text(left - 9.0, place + 4.2, label, anchor="end"))
    light = "".join(f"M{_n(left)} {_n(up.one(v))}H{_n(right)}" for v in at_y)
    out = [f'<path d="{light}" stroke="{GREY}" stroke-opacity="0.22" fill="none"/>']
    if up.low < 0.0 < up.high:
        zero = f"M{_n(left)} {_n(up.one(0.0))}H{_n(right)}"
        out.append(f'<path d="{zero}" stroke="{GREY}" stroke-opacity="0.75" fill="none"/>')
    edges = f"M{_n(left)} {_n(top)}V{_n(bottom)}H{_n(right)}"
    out.append(f'<path d="{edges}{"".join(rules)}" stroke="{GREY}" fill="none"/>')
    middle = 0.5 * (left + right)
    out += [*texts, _text(middle, bottom + 38.0, panel.x.label, anchor="middle", size=_TEXT_PX)]
    at = (left - _widest(panel, up) - 20.0, 0.5 * (top + bottom))
    turned = f' transform="rotate(-90 {_n(at[0])} {_n(at[1])})"'
    out.append(_text(*at, panel.y.label, anchor="middle", size=_TEXT_PX, more=turned))
    return [text for text in out if text]


def _widest(panel: Panel, up: _Scale) -> float:
    labels = tick_labels(ticks(up.low, up.high, log=panel.y.log), log=panel.y.log)
    return max(_text_width(label, _SMALL_PX) for label in labels)


def _band(band: Band, scale: _Scale, frame: tuple[float, float, float, float]) -> list[str]:
    left, top, right, bottom = frame
    low, high = scale.one(max(band.low, scale.low)), scale.one(min(band.high, scale.high))
    first, last = min(low, high), max(low, high)
    if band.low >= scale.high or band.high <= scale.low:
        return []
    x, y, wide, tall = (left, first, right - left, last - first)
    if band.axis == "x":
        x, y, wide, tall = (first, top, last - first, bottom - top)
    out = [
        f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(wide)}" height="{_n(tall)}" '
        f'fill-opacity="{_n(band.shade)}"/>'
    ]
    if band.label and wide > 0.95 * _text_width(band.label, _SMALL_PX):
        out.append(_text(x + 0.5 * wide, y + 15.0, band.label, anchor="middle"))
    return out


def _line_svg(line: Line, across: _Scale, up: _Scale) -> str:
    x, y = across(line.x), up(line.y)
    there = np.isfinite(x) & np.isfinite(y)
    if line.dots:
        dots = "".join(
            f'<circle cx="{_n(a)}" cy="{_n(b)}" r="{_n(1.5 + line.width)}"/>'
            for a, b in zip(x[there], y[there], strict=True)
        )
        return f'<g fill="{line.colour}">{dots}</g>'
    parts: list[str] = []
    pen_down = False
    for a, b, drawn in zip(x, y, there, strict=True):
        if drawn:
            parts.append(f"{'L' if pen_down else 'M'}{_n(a)} {_n(b)}")
        pen_down = bool(drawn)
    return f'<path d="{"".join(parts)}" {_look(line)}/>'


def _look(line: Line) -> str:
    dash = f' stroke-dasharray="{DASHES[line.dash]}"' if DASHES[line.dash] else ""
    return f'stroke="{line.colour}" stroke-width="{_n(line.width)}"{dash}'


def _legend(
    panels: Sequence[Panel], left: float, top: float, right: float
) -> tuple[list[str], float]:
    """Entries in rows as wide as the picture, and the height they take."""
    entries: dict[tuple[str, str, str, bool], Line] = {}
    for line in (line for panel in panels for line in panel.lines if line.label):
        entries.setdefault((line.label, line.colour, line.dash, line.dots), line)
    out: list[str] = []
    x, y = left, top + 0.5 * _LEGEND_ROW
    for line in entries.values():
        wide = _LEGEND_LINE + 8.0 + _text_width(line.label, _TEXT_PX)
        if x > left and x + wide > right:
            x, y = left, y + _LEGEND_ROW
        if line.dots:
            middle = _n(x + 0.5 * _LEGEND_LINE)
            radius = _n(1.5 + line.width)
            out.append(f'<circle cx="{middle}" cy="{_n(y)}" r="{radius}" fill="{line.colour}"/>')
        else:
            out.append(f'<path d="M{_n(x)} {_n(y)}h{_n(_LEGEND_LINE)}" fill="none" {_look(line)}/>')
        out.append(_text(x + _LEGEND_LINE + 8.0, y + 4.4, line.label, size=_TEXT_PX))
        x += wide + 20.0
    return out, (y - top + 0.5 * _LEGEND_ROW + 4.0 if entries else 0.0)


def _text(
    x: float,
    y: float,
    text: str,
    *,
    anchor: str = "start",
    size: float = _SMALL_PX,
    weight: str = "",
    more: str = "",
) -> str:
    if not text:
        return ""
    look = f' text-anchor="{anchor}"' if anchor != "start" else ""
    look += f' font-size="{_n(size)}"' if size != _SMALL_PX else ""
    look += f' font-weight="{weight}"' if weight else ""
    return f'<text x="{_n(x)}" y="{_n(y)}"{look}{more}>{escape(text)}</text>'


def _text_width(text: str, size: float) -> float:
    """Approximate width in pixels; the font is unknown here."""
    return 0.54 * size * len(text)


def _n(value: float) -> str:
    """A number of pixels to a hundredth, without zeros at the end."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
