"""A speech analysis as a picture, in several lines; page, SVG or PNG.

Each line shows some seconds: the waveform with its loudness, the pitch, a bar for the prominence of
every syllable, syllables and words with their times, and the phrases below. The page contains the
audio as well, and a cursor that moves with it; it opens from disk, with no server and no network.
The same values give the same bytes.
"""

from __future__ import annotations

import base64
import math
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from os import PathLike
from typing import NamedTuple

import numpy as np

from kinesphere.export.render.png import png_bytes
from kinesphere.export.render.sheet import text_mask
from kinesphere.formats.files import written_whole
from kinesphere.formats.wav import wav_bytes
from kinesphere.maths.arrays import Bytes, Floats, doubles
from kinesphere.motion.take import Audio
from kinesphere.speech.prosody.prominence import Accent, Prominence
from kinesphere.speech.prosody.prosody import Prosody
from kinesphere.speech.resampling import resampled
from kinesphere.speech.value import Speech

WIDTH, _LEFT, _RIGHT = 1180.0, 54.0, 10.0
_LINE_S, _MOST_LINES = 6.5, 80
_WAVE, _PITCH, _BARS = (20.0, 66.0), (96.0, 62.0), (166.0, 44.0)  # top and height
_SYLLABLES_Y, _WORDS_Y = 224.0, 246.0
_STRONG = 0.5
_PAGE_RATE_HZ = 24_000  # more is not needed to follow speech
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "media-src data: blob:; img-src data:"
)
_COLOURS = {  # light, dark
    "paper": ("#ffffff", "#14171c"),
    "ink": ("#1d2127", "#e8ebef"),
    "muted": ("#6a717b", "#949ca8"),
    "grid": ("#e6e8ec", "#262b33"),
    "wave": ("#c3c9d2", "#424a56"),
    "loud": ("#d9680f", "#f08a3c"),
    "pitch": ("#2f7fd6", "#5ea3ec"),
    "weak": ("#b9cfe6", "#33475e"),
    "strong": ("#c9405c", "#ec6a84"),
    "phrase": ("#1e9163", "#38b684"),
}


class _Box(NamedTuple):
    kind: str
    x: float
    y: float
    width: float
    height: float
    tip: str = ""
    span: tuple[float, float] | None = None


class _Path(NamedTuple):
    kind: str
    x: Floats
    y: Floats
    width: float = 1.6
    dashed: bool = False


class _Area(NamedTuple):
    """Upright strokes side by side, from `low` to `high`."""

    kind: str
    x: Floats
    low: Floats
    high: Floats


class _Text(NamedTuple):
    kind: str
    x: float
    y: float
    text: str
    size: float
    anchor: str = "middle"
    bold: bool = False
    span: tuple[float, float] | None = None
    opacity: float = 1.0


_Mark = _Box | _Path | _Area | _Text


@dataclass(frozen=True)
class Heard:
    """A speech and its analysis."""

    speech: Speech
    prosody: Prosody
    prominence: Prominence
    title: str = "speech"

    @property
    def facts(self) -> list[tuple[str, str]]:
        """Pairs of label and value for display."""
        hz = self.prosody.pitch_hz.values
        hz = hz[~np.isnan(hz)]
        syllables = self.prominence.syllables
        spoken_s = sum(p.duration_s for p in self.prominence.phrases)
        found = [("length", f"{self.speech.duration_s:.1f} s")]
        if self.prominence.words:
            found.append(("words", f"{len(self.prominence.words)}"))
        rate = f" ({len(syllables) / spoken_s:.1f} per second)" if spoken_s > 0.0 else ""
        found.append(("syllables", f"{len(syllables)}{rate}"))
        found.append(("phrases", f"{len(self.prominence.boundaries)}"))
        if len(hz):
            low, middle, high = np.quantile(hz, [0.1, 0.5, 0.9])
            found.append(("pitch", f"{middle:.0f} Hz ({low:.0f} to {high:.0f})"))
        return found


@dataclass(frozen=True)
class _Line:
    """One line of the picture: its time range, and its marks."""

    start_s: float
    end_s: float
    length_s: float

    def x(self, time_s: float) -> float:
        room = WIDTH - _LEFT - _RIGHT
        return _LEFT + (time_s - self.start_s) / self.length_s * room

    def holds(self, time_s: float) -> bool:
        return self.start_s <= time_s < self.end_s


def write_picture(heard: Heard, path: str | PathLike[str], *, dark: bool = False) -> None:
    """Write in the format of the file's suffix: .html, .svg or .png; atomically."""
    ending = str(path).lower().rpartition(".")[2]
    if ending == "png":
        data = picture_png(heard, dark=dark)
    else:
        data = (picture_svg(heard) if ending == "svg" else picture_html(heard)).encode()
    with written_whole(path) as file:
        file.write(data)


def _lines(heard: Heard) -> list[_Line]:
    total = max(heard.speech.duration_s, 0.5)
    count = min(max(1, math.ceil(total / _LINE_S)), _MOST_LINES)
    length = total / count
    edges = [i * length for i in range(count)]
    last = total + 1e-9
    return [_Line(a, b, length) for a, b in zip(edges, [*edges[1:], last], strict=True)]


def _height(heard: Heard) -> float:
    if heard.prominence.words:
        return 268.0
    return 246.0 if _labelled(heard) else 228.0


def _labelled(heard: Heard) -> bool:
    return any(a.label for a in heard.prominence.syllables)


class _Scales(NamedTuple):
    """Ranges that all lines share: full scale, dB, Hz."""

    full: float
    low_db: float
    high_db: float
    low_hz: float
    high_hz: float


def _scales(heard: Heard) -> _Scales:
    full = max(1e-4, float(np.max(np.abs(heard.speech.samples), initial=0.0)))
    db = heard.prosody.intensity_db.values
    high = float(np.ceil(np.max(db, initial=20.0)))
    hz = heard.prosody.pitch_hz.values
    hz = hz[~np.isnan(hz)]
    low_hz, centre, high_hz = (
        np.quantile(hz, [0.02, 0.5, 0.98]) if len(hz) else (100.0, 140.0, 200.0)
    )
    # Values an octave off are mostly pitch errors, and would compress the rest.
    low_hz, high_hz = max(low_hz, 0.5 * centre), min(high_hz, 2.0 * centre)
    middle = math.sqrt(low_hz * high_hz)
    return _Scales(
        full, high - 45.0, high, min(0.92 * low_hz, middle / 1.3), max(1.08 * high_hz, middle * 1.3)
    )


def _marks(heard: Heard, line: _Line) -> list[_Mark]:
    """All marks of a line, from the back to the front."""
    scales = _scales(heard)
    return [
        *_frame(line, scales),
        *_boundary_marks(heard, line),
        *_sound_marks(heard, line, scales),
        *_pitch_marks(heard, line, scales),
        *_accent_marks(heard.prominence.syllables, line),
        *_word_marks(heard.prominence.words, line),
        *_phrase_marks(heard, line),
    ]


def _frame(line: _Line, scales: _Scales) -> list[_Mark]:
    marks: list[_Mark] = []
    right = line.x(line.start_s + line.length_s)
    for top, height in (_WAVE, _PITCH, _BARS):
        marks.append(_rule(_LEFT, right, top + height))
    for tick in np.arange(math.ceil(line.start_s / 0.5) * 0.5, line.end_s, 0.5):
        x = line.x(float(tick))
        whole = abs(tick - round(tick)) < 1e-6
        y = np.array([14.0 if whole else 17.0, _BARS[0] + _BARS[1]])
        marks.append(_Path("grid", np.array([x, x]), y, 1.0))
        if whole:
            marks.append(_Text("muted", x, 10.0, f"{tick:.0f} s", 10.0))
    for hz in _round_hz(scales):
        y_at = _pitch_y(hz, scales)
        marks.append(_rule(_LEFT, right, y_at))
        marks.append(_Text("muted", _LEFT - 6.0, y_at + 3.5, f"{hz:.0f}", 10.0, "end"))
    names = (
        (_WAVE[0] + 10.0, "loud", "dB"),
        (_PITCH[0] + 6.0, "pitch", "Hz"),
        (_BARS[0] + 14.0, "strong", "accent"),
    )
    marks += [_Text(kind, 4.0, y, name, 10.0, "start", bold=True) for y, kind, name in names]
    for db in (scales.high_db - 10.0, scales.high_db - 30.0):
        marks.append(
            _Text("muted", _LEFT - 6.0, _level_y(db, scales) + 3.5, f"{db:.0f}", 10.0, "end")
        )
    return marks


def _rule(left: float, right: float, y: float) -> _Path:
    return _Path("grid", np.array([left, right]), np.array([y, y]), 1.0)


def _round_hz(scales: _Scales) -> list[float]:
    ladder = (50, 60, 75, 100, 125, 150, 200, 250, 300, 400, 500, 600)
    inside = [hz for hz in ladder if scales.low_hz < hz < scales.high_hz]
    while len(inside) > 4:
        inside = inside[::2]
    return [float(hz) for hz in inside]


def _pitch_y(hz: float, scales: _Scales) -> float:
    ratio = math.log(hz / scales.low_hz) / math.log(scales.high_hz / scales.low_hz)
    return _PITCH[0] + _PITCH[1] * (1.0 - min(max(ratio, 0.0), 1.0))


def _level_y(db: float, scales: _Scales) -> float:
    ratio = (db - scales.low_db) / (scales.high_db - scales.low_db)
    return _WAVE[0] + _WAVE[1] * (1.0 - min(max(ratio, 0.0), 1.0))


def _sound_marks(heard: Heard, line: _Line, scales: _Scales) -> list[_Mark]:
    speech = heard.speech
    first = round(line.start_s * speech.rate_hz)
    last = min(round(line.end_s * speech.rate_hz), len(speech.samples))
    if last - first < 2:
        return []
    columns = max(1, round(line.x(last / speech.rate_hz) - _LEFT))
    edges = np.linspace(first, last, columns + 1).astype(np.int64)[:-1]
    edges = np.unique(edges)
    low = doubles(np.minimum.reduceat(speech.samples[:last], edges)) / scales.full
    high = doubles(np.maximum.reduceat(speech.samples[:last], edges)) / scales.full
    middle, half = _WAVE[0] + 0.5 * _WAVE[1], 0.5 * _WAVE[1]
    x = np.array([line.x(e / speech.rate_hz) for e in edges.tolist()])
    wave = _Area("wave", x, middle - half * low + 0.4, middle - half * high - 0.4)
    track = heard.prosody.intensity_db.between(line.start_s, min(line.end_s, speech.duration_s))
    if not len(track):
        return [wave]
    times = np.array([line.x(t) for t in track.times.tolist()])
    levels = np.array([_level_y(db, scales) for db in track.values.tolist()])
    return [wave, _Path("loud", times, levels, 1.5)]


def _pitch_marks(heard: Heard, line: _Line, scales: _Scales) -> list[_Mark]:
    end_s = min(line.end_s, heard.speech.duration_s)
    track = heard.prosody.pitch_hz.between(line.start_s, end_s)
    with np.errstate(invalid="ignore"):
        voiced = (track.values > scales.low_hz) & (track.values < scales.high_hz)
    if not voiced.any():
        return []
    x = np.array([line.x(t) for t in track.times.tolist()])
    known = np.where(voiced, track.values, np.nan)
    y = np.array([math.nan if v != v else _pitch_y(v, scales) for v in known.tolist()])
    jump = np.abs(np.diff(np.log(known))) > 0.2
    cuts = np.flatnonzero(~voiced[1:] | ~voiced[:-1] | np.nan_to_num(jump).astype(bool)) + 1
    parts = zip(np.split(x, cuts), np.split(y, cuts), strict=True)
    return [
        _Path(
            "pitch",
            a if len(a) > 1 else np.array([a[0] - 0.6, a[0] + 0.6]),
            np.resize(b, max(2, len(b))),
            2.2,
        )
        for a, b in parts
        if not np.isnan(b).any()
    ]


def _accent_marks(syllables: Sequence[Accent], line: _Line) -> list[_Mark]:
    marks: list[_Mark] = []
    top, height = _BARS
    for accent in syllables:
        if not line.holds(accent.start_s):
            continue
        left, right = line.x(accent.start_s) + 0.7, line.x(min(accent.end_s, line.end_s)) - 0.7
        tall = max(1.5, accent.value * height)
        kind = "strong" if accent.value >= _STRONG else "weak"
        span = (accent.start_s, accent.end_s)
        width = max(1.0, right - left)
        marks.append(_Box(kind, left, top + height - tall, width, tall, _tip(accent), span))
        label, middle = accent.label, 0.5 * (left + right)
        if label and width > 4.6 * len(label) - 4.0:
            marks.append(_Text("muted", middle, _SYLLABLES_Y, label, 10.0))
    return marks


def _tip(accent: Accent) -> str:
    longer = math.exp(accent.longer)
    return (
        f"{accent.label or 'syllable'} at {accent.start_s:.2f} s: prominence {accent.value:.2f}\n"
        f"{accent.louder_db:+.1f} dB, {longer:.2f} times as long as expected, "
        f"{accent.higher_st:+.1f} semitones, moving by {accent.moved_st:.1f}"
    )


def _word_marks(words: Sequence[Accent], line: _Line) -> list[_Mark]:
    marks: list[_Mark] = []
    right = -math.inf
    for word in words:
        middle_s = 0.5 * (word.start_s + word.end_s)
        if not line.holds(
            min(middle_s, line.end_s - 1e-6) if line.holds(word.start_s) else middle_s
        ):
            continue
        size = 11.0 + 5.0 * word.value
        half = (0.37 if word.label.isupper() else 0.32) * size * len(word.label)
        x = min(max(line.x(middle_s), right + half + 3.0), WIDTH - half)
        right = x + half
        bold = word.value >= _STRONG
        span = (word.start_s, word.end_s)
        marks.append(
            _Text(
                "ink",
                x,
                _WORDS_Y,
                word.label,
                size,
                bold=bold,
                span=span,
                opacity=0.6 + 0.4 * word.value,
            )
        )
    return marks


def _bottom(heard: Heard) -> float:
    return _height(heard) - 12.0


def _boundary_marks(heard: Heard, line: _Line) -> list[_Mark]:
    marks: list[_Mark] = []
    for boundary in heard.prominence.boundaries:
        if line.holds(boundary.time_s):
            x = line.x(boundary.time_s)
            end = line.x(min(boundary.time_s + boundary.pause_s, line.end_s))
            if end - x > 2.0:
                marks.append(_Box("grid", x, _WAVE[0], end - x, _BARS[0] + _BARS[1] - _WAVE[0]))
            y = np.array([_WAVE[0], _bottom(heard)])
            thick = 0.8 + 1.4 * boundary.strength
            marks.append(_Path("phrase", np.array([x, x]), y, thick, dashed=True))
    return marks


def _phrase_marks(heard: Heard, line: _Line) -> list[_Mark]:
    marks: list[_Mark] = []
    for phrase in heard.prominence.phrases:
        start_s, end_s = max(phrase.start_s, line.start_s), min(phrase.end_s, line.end_s)
        if end_s > start_s:
            left, right = line.x(start_s), line.x(end_s)
            marks.append(_Box("phrase", left, _bottom(heard), max(1.0, right - left - 1.0), 3.0))
    return marks


def picture_svg(heard: Heard) -> str:
    """One picture of all lines; light or dark as the viewer's system."""
    lines, height = _lines(heard), _height(heard)
    total = height * len(lines) + 34.0
    facts = "   ·   ".join(f"{name} {value}" for name, value in heard.facts)
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(WIDTH)} {_n(total)}" '
        f'width="{_n(WIDTH)}" height="{_n(total)}" role="img" class="speech">',
        f"<title>{escape(heard.title)}</title><style>{_style(standalone=True)}</style>",
        f'<rect class="paper" width="{_n(WIDTH)}" height="{_n(total)}"/>',
        f'<text class="ink" x="4" y="18" font-size="15" font-weight="600">{escape(heard.title)}'
        f'<tspan class="muted" dx="14" font-size="12" font-weight="400">{escape(facts)}</tspan>'
        "</text>",
    ]
    for i, line in enumerate(lines):
        drawn = "".join(_svg(mark) for mark in _marks(heard, line))
        body.append(f'<g transform="translate(0 {_n(30.0 + i * height)})">{drawn}</g>')
    return "\n".join([*body, "</svg>", ""])


def _style(*, standalone: bool) -> str:
    """Colours by class, as CSS."""
    if standalone:
        light = ":root{" + _variables(0) + "}"
        light += "@media (prefers-color-scheme:dark){:root{" + _variables(1) + "}}"
    else:
        light = ":root{color-scheme:light;" + _variables(0) + "}"
        light += ":root[data-theme=dark]{color-scheme:dark;" + _variables(1) + "}"
    kinds = "".join(
        f".speech .{kind}{{fill:var(--{kind})}}"
        f".speech path.{kind}{{stroke:var(--{kind});fill:none}}"
        for kind in _COLOURS
    )
    return (
        f"{light}{kinds}.speech path.wave{{fill:var(--wave);stroke:none}}"
        ".speech{font-family:system-ui,'Segoe UI','Noto Sans','DejaVu Sans',sans-serif}"
        ".speech path{stroke-linejoin:round;stroke-linecap:round}"
    )


def _variables(column: int) -> str:
    return ";".join(f"--{kind}:{pair[column]}" for kind, pair in _COLOURS.items())


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _points(x: Floats, y: Floats) -> str:
    return " ".join(f"{_n(a)} {_n(b)}" for a, b in zip(x.tolist(), y.tolist(), strict=True))


def _svg(mark: _Mark) -> str:
    if isinstance(mark, _Box):
        tip = f"<title>{escape(mark.tip)}</title>" if mark.tip else ""
        where = f'x="{_n(mark.x)}" y="{_n(mark.y)}"'
        size = f'width="{_n(mark.width)}" height="{_n(mark.height)}"'
        return f'<rect class="{mark.kind}" {where} {size} rx="1.2"{_span(mark.span)}>{tip}</rect>'
    if isinstance(mark, _Area):
        up = _points(mark.x, mark.high)
        down = _points(mark.x[::-1], mark.low[::-1])
        return f'<path class="{mark.kind}" d="M{up} {down}Z"/>'
    if isinstance(mark, _Path):
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


def picture_html(heard: Heard) -> str:
    """A page with the picture, the audio and a cursor that moves with it."""
    height = _height(heard)
    figures = []
    for line in _lines(heard):
        drawn = "".join(_svg(mark) for mark in _marks(heard, line))
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
            f"<style>{_style(standalone=False)}{_PAGE_STYLE}</style>\n</head>\n<body>\n",
            f"<header><h1>{title}</h1><dl>{facts}</dl></header>\n",
            _CONTROLS,
            f'<main data-left="{_n(_LEFT)}" data-width="{_n(WIDTH)}" data-right="{_n(_RIGHT)}">',
            "\n".join(figures),
            '</main>\n<audio id="sound" preload="auto" ',
            f'src="{_sound_url(heard.speech)}"></audio>\n',
            f"<script>{_SCRIPT}</script>\n</body>\n</html>\n",
        ]
    )


def _sound_url(speech: Speech) -> str:
    samples, rate_hz = speech.samples, speech.rate_hz
    if rate_hz > _PAGE_RATE_HZ:
        samples, rate_hz = resampled(samples, rate_hz, _PAGE_RATE_HZ), _PAGE_RATE_HZ
    data = wav_bytes(Audio(samples, rate_hz))
    return f"data:audio/wav;base64,{base64.b64encode(data).decode('ascii')}"


_PAGE_STYLE = """
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);
  font:14px/1.45 system-ui,'Segoe UI','Noto Sans','DejaVu Sans',sans-serif}
header,main,.bar{max-width:1320px;margin:0 auto;padding:0 20px}
header{display:flex;flex-wrap:wrap;gap:6px 28px;align-items:baseline;padding-top:18px}
h1{font-size:19px;margin:0;font-weight:650;overflow-wrap:anywhere}
dl{display:flex;flex-wrap:wrap;gap:2px 20px;margin:0}
dl div{display:flex;gap:6px}dt{color:var(--muted)}dd{margin:0;font-variant-numeric:tabular-nums}
.stick{position:sticky;top:0;z-index:2;background:var(--paper);border-bottom:1px solid var(--grid);
  margin-bottom:10px}
.bar{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;padding-top:10px;
  padding-bottom:10px}
button{font:inherit;color:inherit;background:none;border:1px solid var(--wave);border-radius:7px;
  padding:5px 13px;cursor:pointer;min-width:40px}
button:hover{border-color:var(--muted)}
button:focus-visible{outline:2px solid var(--pitch);outline-offset:2px}
#play{background:var(--ink);color:var(--paper);border-color:var(--ink);min-width:78px;font-weight:600}
#time{font-variant-numeric:tabular-nums;min-width:104px}
.key{display:flex;flex-wrap:wrap;gap:4px 14px;color:var(--muted);font-size:12.5px;margin-left:auto}
.key i{display:inline-block;width:14px;height:3px;border-radius:2px;margin-right:6px;
  vertical-align:middle}
.key i.b{height:10px;width:8px}
main{overflow-x:auto}
svg.line{display:block;width:100%;min-width:760px;height:auto;cursor:pointer;margin-bottom:14px}
.cursor{stroke:var(--ink);stroke-width:1.4;visibility:hidden;pointer-events:none}
.speech text.now{opacity:1;fill:var(--strong)}
.speech rect.now{filter:brightness(1.15) saturate(1.5)}
.speech rect[data-a]:hover{stroke:var(--ink);stroke-width:1}
.speech text{user-select:none}
"""
_CONTROLS = """<div class="stick"><div class="bar">
<button id="play" type="button" aria-label="Play or pause">Play</button>
<span id="time" aria-live="off"></span>
<button id="speed" type="button" title="Speed">1&times;</button>
<button id="theme" type="button" title="Light or dark">&#9680;</button>
<div class="key"><span><i style="background:var(--loud)"></i>loudness</span>
<span><i style="background:var(--pitch)"></i>pitch</span>
<span><i class="b" style="background:var(--strong)"></i>accented syllable</span>
<span><i class="b" style="background:var(--weak)"></i>syllable</span>
<span><i style="background:var(--phrase)"></i>phrase</span>
<span>click to go there, space plays</span></div></div></div>
"""
_SCRIPT = """
'use strict';
(() => {
const by = id => document.getElementById(id);
const sound = by('sound'), play = by('play'), main = document.querySelector('main');
const root = document.documentElement;
const left = +main.dataset.left, width = +main.dataset.width;
const room = width - left - main.dataset.right;
const lines = [...document.querySelectorAll('svg.line')].map(svg => ({
  svg, from: +svg.dataset.from, length: +svg.dataset.length,
  cursor: svg.querySelector('.cursor')}));
const spans = [...document.querySelectorAll('[data-a]')].map(e => ({
  e, a: +e.dataset.a, b: +e.dataset.b, on: false}));
const last = lines[lines.length - 1], total = last.from + last.length;
function clock(t) {
  const m = Math.floor(t / 60);
  return m + ':' + (t - 60 * m).toFixed(1).padStart(4, '0');
}
let shown = null;
function draw() {
  const t = Math.min(sound.currentTime, total - 1e-4);
  by('time').textContent = clock(t) + ' / ' + clock(total);
  for (const line of lines) {
    const here = t >= line.from && t < line.from + line.length;
    line.cursor.style.visibility = here ? 'visible' : 'hidden';
    if (!here) continue;
    const x = left + (t - line.from) / line.length * room;
    line.cursor.setAttribute('x1', x); line.cursor.setAttribute('x2', x);
    if (shown !== line && !sound.paused) {
      const box = line.svg.getBoundingClientRect();
      if (box.bottom > innerHeight || box.top < 60)
        line.svg.scrollIntoView({block: 'center', behavior: 'smooth'});
    }
    shown = line;
  }
  for (const s of spans) {
    const on = t >= s.a && t < s.b && (t > 0 || !sound.paused);
    if (on !== s.on) { s.on = on; s.e.classList.toggle('now', on); }
  }
  if (!sound.paused) requestAnimationFrame(draw);
}
const toggle = () => sound.paused ? sound.play() : sound.pause();
play.addEventListener('click', toggle);
sound.addEventListener('play', () => { play.textContent = 'Pause'; draw(); });
sound.addEventListener('pause', () => { play.textContent = 'Play'; draw(); });
for (const name of ['seeked', 'loadedmetadata', 'ended']) sound.addEventListener(name, draw);
for (const line of lines) line.svg.addEventListener('click', event => {
  const box = line.svg.getBoundingClientRect();
  const x = (event.clientX - box.left) / box.width * width;
  const t = line.from + Math.min(1, Math.max(0, (x - left) / room)) * line.length;
  sound.currentTime = Math.min(t, total); draw();
});
const speeds = [1, 0.5, 0.25]; let speed = 0;
by('speed').addEventListener('click', () => {
  speed = (speed + 1) % speeds.length; sound.playbackRate = speeds[speed];
  by('speed').textContent = speeds[speed] + '\\u00d7';
});
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.code === 'Space') { if (event.target.tagName !== 'BUTTON') toggle(); else return; }
  else if (event.code === 'ArrowLeft') sound.currentTime = Math.max(0, sound.currentTime - 0.5);
  else if (event.code === 'ArrowRight')
    sound.currentTime = Math.min(total, sound.currentTime + 0.5);
  else return;
  event.preventDefault();
});
const theme = dark => { root.dataset.theme = dark ? 'dark' : 'light'; };
const asked = matchMedia('(prefers-color-scheme: dark)');
theme(asked.matches);
asked.addEventListener('change', event => theme(event.matches));
by('theme').addEventListener('click', () => theme(root.dataset.theme !== 'dark'));
draw();
})();
"""


def picture_png(heard: Heard, *, dark: bool = False, scale: int = 2) -> bytes:
    """The picture as PNG, `scale` pixels per unit; letters without the syllables'."""
    lines, height = _lines(heard), _height(heard)
    colours = {kind: _rgb(pair[dark]) for kind, pair in _COLOURS.items()}
    shape = (math.ceil((height * len(lines) + 34.0) * scale), math.ceil(WIDTH * scale), 3)
    image = np.empty(shape, np.uint8)
    image[:] = colours["paper"]
    facts = "  -  ".join(f"{name} {value}" for name, value in heard.facts)
    _put_text(
        image, _Text("ink", 4.0, 18.0, heard.title, 14.0, "start"), colours["ink"], 0.0, scale
    )
    beside = 24.0 + 6.0 * len(heard.title)
    note = _Text("muted", beside, 18.0, facts, 10.0, "start")
    _put_text(image, note, colours["muted"], 0.0, scale)
    for i, line in enumerate(lines):
        for mark in _marks(heard, line):
            _put(image, mark, colours, 30.0 + i * height, scale)
    return png_bytes(image)


_Rgb = tuple[int, int, int]


def _rgb(text: str) -> _Rgb:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def _put(image: Bytes, mark: _Mark, colours: dict[str, _Rgb], down: float, scale: int) -> None:
    colour = colours[mark.kind]
    if isinstance(mark, _Box):
        y, x = round((mark.y + down) * scale), round(mark.x * scale)
        high, wide = max(1, round(mark.height * scale)), max(1, round(mark.width * scale))
        image[y : y + high, x : x + wide] = colour
    elif isinstance(mark, _Area):
        for x, low, high in zip(
            mark.x.tolist(), mark.low.tolist(), mark.high.tolist(), strict=True
        ):
            top, bottom = round((high + down) * scale), round((low + down) * scale)
            image[top : bottom + 1, round(x * scale) : round((x + 1.0) * scale)] = colour
    elif isinstance(mark, _Path):
        _put_path(image, mark, colour, down, scale)
    else:
        _put_text(image, mark, colour, down, scale)


def _put_path(image: Bytes, mark: _Path, colour: _Rgb, down: float, scale: int) -> None:
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


def _put_text(image: Bytes, mark: _Text, colour: _Rgb, down: float, scale: int) -> None:
    """Plain capitals; characters that the font lacks, such as IPA, are omitted."""
    if mark.y == _SYLLABLES_Y:
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
