"""Line plots: well-formed, readable on both kinds of page, ticks that make sense, clear errors."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kinesphere.errors import InvalidValueError
from kinesphere.export.render.plot import (
    GREY,
    PALETTE,
    Axis,
    Band,
    Line,
    Panel,
    figure_svg,
    tick_labels,
    ticks,
)

NAMES = {"svg": "http://www.w3.org/2000/svg"}
X = np.linspace(0.0, 2.0, 21)


def parsed(*panels: Panel, **options: object) -> ElementTree.Element:
    return ElementTree.fromstring(figure_svg(panels, "a figure", **options))


def texts(root: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in root.iterfind(".//svg:text", NAMES)]


def paths_of(root: ElementTree.Element, colour: str) -> list[str]:
    return [
        element.attrib["d"]
        for element in root.iterfind(".//svg:path", NAMES)
        if element.get("stroke") == colour and "L" in element.attrib["d"]
    ]


finite = st.floats(-1e9, 1e9, allow_nan=False)


@given(finite, st.floats(1e-6, 1e9))
def test_ticks_lie_in_the_range_and_are_neither_few_nor_many(low: float, span: float) -> None:
    high = low + span
    assume(high - low > 1e-7 * max(abs(low), abs(high)))
    at = ticks(low, high)
    assert 3 <= len(at) <= 12
    assert low <= at[0]
    assert at[-1] <= high
    assert np.all(np.diff(at) > 0.0)
    assert np.ptp(np.diff(at)) < 1e-3 * np.diff(at).max()


@given(st.floats(-50, 20), st.floats(0.01, 79.0))
def test_log_ticks_do_too(exponent: float, decades: float) -> None:
    low, high = 10.0**exponent, 10.0 ** (exponent + decades)
    at = ticks(low, high, log=True)
    assert 3 <= len(at) <= 12
    assert low <= at[0]
    assert at[-1] <= high
    assert np.all(np.diff(at) > 0.0)


@given(st.floats(-1e5, 1e5), st.floats(1e-2, 1e5))
def test_tick_labels_are_the_ticks_and_differ(low: float, span: float) -> None:
    at = ticks(low, low + span)
    labels = tick_labels(at)
    assert len(set(labels)) == len(labels)
    read = [float(label.replace("\N{MINUS SIGN}", "-")) for label in labels]
    assert np.allclose(read, at, atol=0.01 * np.diff(at).min())


def test_known_ticks() -> None:
    assert tick_labels(ticks(-0.3, 2.7)) == ["0.0", "0.5", "1.0", "1.5", "2.0", "2.5"]
    assert tick_labels(ticks(-1.0, 1.0))[0] == "\N{MINUS SIGN}1.0"
    assert tick_labels(ticks(0.001, 0.3, log=True), log=True)[-1] == "0.3"


def test_a_figure_is_xml_and_says_everything() -> None:
    lines = (Line(X, np.sin(X), "sine"), Line(X, np.cos(X), "cosine", PALETTE[1], "dashed"))
    panel = Panel(
        lines, Axis("seconds"), Axis("cm"), "Waves", (Band(0.5, 1.5, "hold"), Band(0, 1, axis="y"))
    )
    dots = Panel((Line(X + 0.1, X + 1.0, "dots", GREY, dots=True),), Axis(log=True), Axis(log=True))
    root = parsed(panel, dots, columns=2, description="two waves")
    found = texts(root)
    for word in ("sine", "cosine", "dots", "seconds", "cm", "Waves", "hold", "1.0"):
        assert word in found
    assert root.findtext("svg:title", namespaces=NAMES) == "a figure"
    assert root.findtext("svg:desc", namespaces=NAMES) == "two waves"
    assert len(root.findall(".//svg:circle", NAMES)) == len(X) + 1
    assert len(root.findall(".//svg:clipPath", NAMES)) == 2
    assert any(e.get("stroke-dasharray") for e in root.iterfind(".//svg:path", NAMES))
    _, _, width, height = (float(v) for v in root.attrib["viewBox"].split())
    for element in root.iterfind(".//svg:text", NAMES):
        assert 0.0 <= float(element.attrib["x"]) <= width
        assert 0.0 <= float(element.attrib["y"]) <= height


def test_the_same_values_give_the_same_bytes_and_a_shared_legend() -> None:
    panel = Panel((Line(X, X, "one"), Line(X, -X, "two", PALETTE[1])))
    text = figure_svg([panel, panel], "t")
    assert text == figure_svg([panel, panel], "t")
    assert text.count(">one</text>") == 1


def test_nan_splits_a_line_and_a_log_axis_leaves_out_what_is_not_positive() -> None:
    y = X.copy()
    y[7] = np.nan
    (path,) = paths_of(parsed(Panel((Line(X, y),))), PALETTE[0])
    assert path.count("M") == 2
    assert path.count("L") == len(X) - 3
    assert "nan" not in path
    (path,) = paths_of(parsed(Panel((Line(X, X - 1.0),), y=Axis(log=True))), PALETTE[0])
    assert path.count("L") == 9


def test_lines_are_where_the_axes_say() -> None:
    root = parsed(Panel((Line(X, X),), Axis(low=0.0, high=2.0), Axis(low=0.0, high=2.0)))
    (path,) = paths_of(root, PALETTE[0])
    points = np.array(re.findall(r"([\d.]+) ([\d.]+)", path), dtype=float)
    (rect,) = root.findall(".//svg:clipPath/svg:rect", NAMES)
    box = rect.attrib
    x, y, wide, tall = (float(box[n]) for n in ("x", "y", "width", "height"))
    assert np.allclose(points[:, 0], x + X / 2.0 * wide, atol=0.02)
    assert np.allclose(points[:, 1], y + tall - X / 2.0 * tall, atol=0.02)


def test_text_is_escaped() -> None:
    nasty = '<b> & "q" \' </svg>'
    panel = Panel((Line(X, X, nasty),), Axis(nasty), Axis(nasty), nasty, (Band(0, 2, nasty),))
    assert texts(parsed(panel)).count(nasty) == 5


def luminance(colour: str) -> float:
    values = np.array([int(colour[i : i + 2], 16) / 255.0 for i in (1, 3, 5)])
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("colour", [GREY, *PALETTE])
def test_colours_read_on_white_and_on_dark(colour: str) -> None:
    dark = luminance("#0d1117")
    assert 1.05 / (luminance(colour) + 0.05) > 3.0
    assert (luminance(colour) + 0.05) / (dark + 0.05) > 3.0


def test_flat_and_single_values_have_axes() -> None:
    for line in (Line(X, np.full(21, 3.0)), Line(np.array([1.0]), np.array([2.0]), dots=True)):
        parsed(Panel((line,)))
        parsed(Panel((line,), x=Axis(low=0.5), y=Axis(log=True)))
    parsed(Panel((Line(X, 1e9 * X),), y=Axis(low=0.0, high=1.0)))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Line([], [], "a"), "line 'a' has no finite value"),
        (lambda: Line([np.nan], [1.0]), "no finite value"),
        (lambda: Line([1.0, 2.0], [1.0], "a"), r"x of \(2,\) and y of \(1,\)"),
        (lambda: Line([[1.0]], [[1.0]]), "expected equal"),
        (lambda: Line(X, X, dash="wavy"), "solid, dashed, dotted"),
        (lambda: Panel((), title="p"), "panel 'p' has no lines"),
        (lambda: Axis("t", low=np.nan), "'t' has the limit nan, allowed is finite"),
        (lambda: Axis("t", high=np.inf), "is finite"),
        (lambda: Band(1.0, 1.0), "end must be larger"),
        (lambda: Band(0.0, np.inf), "is finite"),
        (lambda: ticks(np.nan, 1.0), "is finite"),
        (lambda: ticks(2.0, 1.0), "end must be larger"),
        (lambda: ticks(0.0, 1e-200), "too short"),
        (lambda: ticks(0.0, 1.0, log=True), "above 0"),
        (lambda: figure_svg([], "t"), "0 panels"),
        (lambda: figure_svg([Panel((Line(X, X),))], "t", columns=0), "0 columns"),
        (lambda: figure_svg([Panel((Line(X, X),), Axis("s", 3.0))], "t"), "axis 's' runs from 3"),
        (lambda: figure_svg([Panel((Line(X, -X),), y=Axis("l", log=True))], "t"), "above 0"),
    ],
)
def test_errors_are_one_line(make: object, words: str) -> None:
    with pytest.raises(InvalidValueError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)
