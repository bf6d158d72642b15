"""A speech analysis as a picture, in several lines; page, SVG or PNG.

Each line shows some seconds: the waveform with its loudness, the pitch, a bar for the prominence of
every syllable, syllables and words with their times, and the phrases below. The page contains the
audio as well, and a cursor that moves with it; it opens from disk, with no server and no network.
The same values give the same bytes.
"""

from __future__ import annotations

import base64
from html import escape
from os import PathLike

from kinesphere.export.pages.speech.speech_layout import (
    LEFT,
    RIGHT,
    WIDTH,
    PictureMark,
    Polyline,
    StrokeArea,
    TimedBox,
    line_height,
    picture_lines,
)
from kinesphere.export.pages.speech.speech_marks import line_marks
from kinesphere.export.pages.speech.speech_raster import picture_png
from kinesphere.export.pages.speech.speech_style import CONTROLS, PAGE_STYLE, SCRIPT, colour_style
from kinesphere.formats.files import write_atomically
from kinesphere.formats.wav import wav_bytes
from kinesphere.maths.arrays import Floats
from kinesphere.motion.take import Audio
from kinesphere.speech.heard import Heard
from kinesphere.speech.resampling import resample_audio
from kinesphere.speech.value import Speech

_PAGE_RATE_HZ = 24_000  # more is not needed to follow speech
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "media-src data: blob:; img-src data:"
)


def write_picture(heard: Heard, path: str | PathLike[str], *, dark: bool = False) -> None:
    """Write in the format of the file's suffix: .html, .svg or .png; atomically."""
    ending = str(path).lower().rpartition(".")[2]
    if ending == "png":
        data = picture_png(heard, dark=dark)
    else:
        data = (picture_svg(heard) if ending == "svg" else picture_html(heard)).encode()
    with write_atomically(path) as file:
        file.write(data)


def picture_svg(heard: Heard) -> str:
    """One picture of all lines; light or dark as the viewer's system."""
    lines, height = picture_lines(heard), line_height(heard)
    total = height * len(lines) + 34.0
    facts = "   ·   ".join(f"{name} {value}" for name, value in heard.facts)
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(WIDTH)} {_n(total)}" '
        f'width="{_n(WIDTH)}" height="{_n(total)}" role="img" class="speech">',
        f"<title>{escape(heard.title)}</title><style>{colour_style(standalone=True)}</style>",
        f'<rect class="paper" width="{_n(WIDTH)}" height="{_n(total)}"/>',
        f'<text class="ink" x="4" y="18" font-size="15" font-weight="600">{escape(heard.title)}'
        f'<tspan class="muted" dx="14" font-size="12" font-weight="400">{escape(facts)}</tspan>'
        "</text>",
    ]
    for i, line in enumerate(lines):
        drawn = "".join(_svg(mark) for mark in line_marks(heard, line))
        body.append(f'<g transform="translate(0 {_n(30.0 + i * height)})">{drawn}</g>')
    return "\n".join([*body, "</svg>", ""])


def picture_html(heard: Heard) -> str:
    """A page with the picture, the audio and a cursor that moves with it."""
    height = line_height(heard)
    figures = []
    for line in picture_lines(heard):
        drawn = "".join(_svg(mark) for mark in line_marks(heard, line))
        figures.append(
            f'<svg class="speech line" viewBox="0 0 {_n(WIDTH)} {_n(height)}" '
            f'data-from="{line.start_s:.4f}" data-length="{line.length_s:.4f}">{drawn}'
            f'<line class="cursor" y1="14" y2="{_n(height - 8.0)}"/></svg>'
        )
    facts = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in heard.facts
    )
    title = escape(heard.title)
    return "".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n',
            f'<link rel="icon" href="data:,">\n<title>{title}</title>\n',
            f"<style>{colour_style(standalone=False)}{PAGE_STYLE}</style>\n</head>\n<body>\n",
            f"<header><h1>{title}</h1><dl>{facts}</dl></header>\n",
            CONTROLS,
            f'<main data-left="{_n(LEFT)}" data-width="{_n(WIDTH)}" data-right="{_n(RIGHT)}">',
            "\n".join(figures),
            '</main>\n<audio id="sound" preload="auto" ',
            f'src="{_sound_url(heard.speech)}"></audio>\n',
            f"<script>{SCRIPT}</script>\n</body>\n</html>\n",
        ]
    )


def _sound_url(speech: Speech) -> str:
    samples, rate_hz = speech.samples, speech.rate_hz
    if rate_hz > _PAGE_RATE_HZ:
        samples, rate_hz = resample_audio(samples, rate_hz, _PAGE_RATE_HZ), _PAGE_RATE_HZ
    data = wav_bytes(Audio(samples, rate_hz))
    return f"data:audio/wav;base64,{base64.b64encode(data).decode('ascii')}"


def _svg(mark: PictureMark) -> str:
    if isinstance(mark, TimedBox):
        tip = f"<title>{escape(mark.tip)}</title>" if mark.tip else ""
        where = f'x="{_n(mark.x)}" y="{_n(mark.y)}"'
        size = f'width="{_n(mark.width)}" height="{_n(mark.height)}"'
        return f'<rect class="{mark.kind}" {where} {size} rx="1.2"{_span(mark.span)}>{tip}</rect>'
    if isinstance(mark, StrokeArea):
        up = _points(mark.x, mark.high)
        down = _points(mark.x[::-1], mark.low[::-1])
        return f'<path class="{mark.kind}" d="M{up} {down}Z"/>'
    if isinstance(mark, Polyline):
        dash = ' stroke-dasharray="3 4"' if mark.dashed else ""
        return (
            f'<path class="{mark.kind}" stroke-width="{_n(mark.width)}"{dash} '
            f'd="M{_points(mark.x, mark.y)}"/>'
        )
    weight = ' font-weight="650"' if mark.bold else ""
    faint = f' opacity="{mark.opacity:.2f}"' if mark.opacity < 1.0 else ""
    return (
        f'<text class="{mark.kind}" x="{_n(mark.x)}" y="{_n(mark.y)}" font-size="{_n(mark.size)}" '
        f'text-anchor="{mark.anchor}"{weight}{faint}{_span(mark.span)}>{escape(mark.text)}</text>'
    )


def _span(span: tuple[float, float] | None) -> str:
    return "" if span is None else f' data-a="{span[0]:.3f}" data-b="{span[1]:.3f}"'


def _points(x: Floats, y: Floats) -> str:
    return " ".join(f"{_n(a)} {_n(b)}" for a, b in zip(x.tolist(), y.tolist(), strict=True))


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
