"""Plots of an evaluation's page: histograms, curves over lags, and distances on a line."""

from __future__ import annotations

import numpy as np

from kinesphere.evaluation.results import Evaluation, QuantityRow
from kinesphere.evaluation.segment_synchrony import SegmentSynchrony
from kinesphere.export.pages.evaluation.evaluation_words import between, by_chance, figure, label_of
from kinesphere.export.pages.speaker.speaker_text import safe
from kinesphere.export.render.plot import PALETTE, Axis, Line, Panel, figure_svg
from kinesphere.maths.arrays import Floats

TAKES, REFERENCES = PALETTE[0], PALETTE[1]
_WIDTH, _HEIGHT = 400.0, 240.0


def panel_svg(panel: Panel, name: str, about: str, width: float = _WIDTH) -> str:
    """A panel as a separate picture within a page, with unique element names."""
    svg = figure_svg([panel], about, width=width, panel_height=_HEIGHT)
    return svg.replace('id="panel-', f'id="{name}-').replace("url(#panel-", f"url(#{name}-")


def histogram_figures(found: Evaluation) -> str:
    """Histograms of speed, acceleration and jerk, with their distances."""
    return '<div class="plots">' + "".join(map(_histogram_figure, found.quantities)) + "</div>"


def _histogram_figure(row: QuantityRow) -> str:
    edges = _finite_edges(row.takes.edges)
    lines = [_steps(edges, row.takes.shares, "takes", TAKES)]
    if row.references is not None:
        lines.append(_steps(edges, row.references.shares, "references", REFERENCES))
    panel = Panel(
        tuple(lines),
        Axis(_plain_label(row.quantity.label), float(edges[0]), float(edges[-1]), log=True),
        Axis("% of the time", 0.0),
    )
    picture = panel_svg(panel, f"hist-{row.quantity.name}", f"Histogram of {row.quantity.label}")
    if row.references is None:
        return f"<figure>{picture}</figure>"
    more = between(row.between)
    said = (
        f"Hellinger distance <b>{figure(row.distance)}</b>: {by_chance(row.floor)}"
        f"{'; ' + more if more else ''}."
    )
    return f"<figure>{picture}<figcaption>{said}</figcaption></figure>"


def _plain_label(text: str) -> str:
    return label_of(text).replace("&amp;", "&")


def _finite_edges(edges: Floats) -> Floats:
    """Edges with the open bins at both ends drawn as wide as their neighbours."""
    factor = edges[2] / edges[1]
    return np.concatenate([[edges[1] / factor], edges[1:-1], [edges[-2] * factor]])


def _steps(edges: Floats, shares: Floats, label: str, colour: str) -> Line:
    x = np.repeat(edges, 2)[1:-1]
    return Line(x, 100.0 * np.repeat(shares, 2), label, colour)


def lag_figures(found: Evaluation) -> str:
    """Segment ends near syllables, by the delay of the speech."""
    timing, other = found.timing, found.reference_timing
    names = dict.fromkeys([*(timing.ends if timing else ()), *(other.ends if other else ())])
    out = ""
    for k, name in enumerate(names):
        mine = timing.ends.get(name) if timing else None
        theirs = other.ends.get(name) if other else None
        out += _lag_figure(name, f"lags-{k}", mine, theirs)
    return f'<div class="plots">{out}</div>' if out else ""


def _lag_figure(
    name: str, key: str, mine: SegmentSynchrony | None, theirs: SegmentSynchrony | None
) -> str:
    lines = []
    for found, label, colour in ((mine, "takes", TAKES), (theirs, "references", REFERENCES)):
        if found is None:
            continue
        ms = 1000.0 * found.lags_s
        lines += [
            Line(ms, 100.0 * found.near, label, colour),
            Line(
                ms[[0, -1]], np.full(2, 100.0 * found.high), "95 % of chance", colour, "dashed", 1.3
            ),
        ]
    near = np.concatenate([np.asarray(line.y) for line in lines])
    panel = Panel(
        tuple(lines),
        Axis("delay of speech, ms"),
        Axis("% near a syllable", max(float(near.min()) - 8.0, 0.0), float(near.max()) + 5.0),
        f"Ends of {name}",
    )
    about = f"Share of ends of {name} within 80 ms of a syllable, by shift of the speech"
    return f"<figure>{panel_svg(panel, key, about)}</figure>"


def distance_figure(found: Evaluation) -> str:
    """Fréchet distances on one line: takes, what is chance, and the references to each other."""
    row = found.frechet
    if row is None:
        return ""
    names = [take.name for take in found.takes if take.frechet is not None]
    values = [take.frechet.value for take in found.takes if take.frechet is not None]
    if len(found.takes) > 1:
        names.append("all takes together")
        values.append(row.distance.value)
    most = max([*values, *row.between, row.floor.high if row.floor else 0.0])
    rows = ""
    for name, value, take in zip(names, values, [*found.takes, None], strict=False):
        floor = row.floor if take is None or len(found.takes) == 1 else take.floor
        rows += _distance_row(
            safe(name), value, most, (floor.median, floor.high) if floor else None, "a"
        )
    for other, value in zip(found.references, row.between, strict=False):
        rows += _distance_row(safe(other.name), value, most, None, "b")
    return f'<ul class="rows distance">{rows}</ul>'


def _distance_row(
    name: str, value: float, most: float, floor: tuple[float, float] | None, role: str
) -> str:
    full = 1.02 * most if most > 0.0 else 1.0
    band = tip = ""
    if floor is not None:
        a, b = (100.0 * x / full for x in floor)
        band = f'<s style="left:{a:.2f}%;width:{max(b - a, 0.3):.2f}%"></s>'
        tip = f' title="by chance {figure(floor[0])}, up to {figure(floor[1])}"'
    return (
        f'<li{tip}><span class="name">{name}</span><span class="lane {role}">{band}'
        f'<b style="width:{100.0 * value / full:.2f}%"></b></span>'
        f'<span class="values"><b>{figure(value)}</b></span></li>'
    )
