"""The layout of a speech picture: lines, rows, shared scales and the kinds of marks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinesphere.maths.arrays import Floats
from kinesphere.speech.heard import Heard

WIDTH, LEFT, RIGHT = 1180.0, 54.0, 10.0
_LINE_S, _MOST_LINES = 6.5, 80
WAVE, PITCH, BARS = (20.0, 66.0), (96.0, 62.0), (166.0, 44.0)  # top and height
SYLLABLES_Y, WORDS_Y = 224.0, 246.0
COLOURS = {  # light, dark
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


class TimedBox(NamedTuple):
    """A filled rectangle; `x`, `y` its upper left corner."""

    kind: str
    x: float
    y: float
    width: float
    height: float
    tip: str = ""
    span: tuple[float, float] | None = None


class Polyline(NamedTuple):
    """A line through points."""

    kind: str
    x: Floats
    y: Floats
    width: float = 1.6
    dashed: bool = False


class StrokeArea(NamedTuple):
    """Upright strokes side by side, from `low` to `high`."""

    kind: str
    x: Floats
    low: Floats
    high: Floats


class PictureLabel(NamedTuple):
    """A text; `y` its baseline."""

    kind: str
    x: float
    y: float
    text: str
    size: float
    anchor: str = "middle"
    bold: bool = False
    span: tuple[float, float] | None = None
    opacity: float = 1.0


PictureMark = TimedBox | Polyline | StrokeArea | PictureLabel


@dataclass(frozen=True)
class SpeechLine:
    """One line of the picture: its time range, and its marks."""

    start_s: float
    end_s: float
    length_s: float

    def x(self, time_s: float) -> float:
        """The column of a time."""
        room = WIDTH - LEFT - RIGHT
        return LEFT + (time_s - self.start_s) / self.length_s * room

    def holds(self, time_s: float) -> bool:
        """Whether the time is in this line."""
        return self.start_s <= time_s < self.end_s


def picture_lines(heard: Heard) -> list[SpeechLine]:
    """Lines of equal length that cover the speech."""
    total = max(heard.speech.duration_s, 0.5)
    count = min(max(1, math.ceil(total / _LINE_S)), _MOST_LINES)
    length = total / count
    edges = [i * length for i in range(count)]
    last = total + 1e-9
    return [SpeechLine(a, b, length) for a, b in zip(edges, [*edges[1:], last], strict=True)]


def line_height(heard: Heard) -> float:
    """The height of a line, by the rows of text that it needs."""
    if heard.prominence.words:
        return 268.0
    return 246.0 if _has_labels(heard) else 228.0


def _has_labels(heard: Heard) -> bool:
    return any(a.label for a in heard.prominence.syllables)


class Scales(NamedTuple):
    """Ranges that all lines share: full scale, dB, Hz."""

    full: float
    low_db: float
    high_db: float
    low_hz: float
    high_hz: float


def shared_scales(heard: Heard) -> Scales:
    """The scales of the whole speech."""
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
    return Scales(
        full, high - 45.0, high, min(0.92 * low_hz, middle / 1.3), max(1.08 * high_hz, middle * 1.3)
    )
