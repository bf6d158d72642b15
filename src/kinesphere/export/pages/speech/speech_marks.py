"""The marks of a line of a speech picture: sound, pitch, accents, words and phrases."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from kinesphere.export.pages.speech.speech_layout import (
    BARS,
    LEFT,
    PITCH,
    SYLLABLES_Y,
    WAVE,
    WIDTH,
    WORDS_Y,
    PictureLabel,
    PictureMark,
    Polyline,
    Scales,
    SpeechLine,
    StrokeArea,
    TimedBox,
    line_height,
    shared_scales,
)
from kinesphere.maths.arrays import doubles
from kinesphere.speech.heard import Heard
from kinesphere.speech.prosody.prominence import Accent

_STRONG = 0.5


def line_marks(heard: Heard, line: SpeechLine) -> list[PictureMark]:
    """All marks of a line, from the back to the front."""
    scales = shared_scales(heard)
    return [
        *_frame(line, scales),
        *_boundary_marks(heard, line),
        *_sound_marks(heard, line, scales),
        *_pitch_marks(heard, line, scales),
        *_accent_marks(heard.prominence.syllables, line),
        *_word_marks(heard.prominence.words, line),
        *_phrase_marks(heard, line),
    ]


def _frame(line: SpeechLine, scales: Scales) -> list[PictureMark]:
    marks: list[PictureMark] = []
    right = line.x(line.start_s + line.length_s)
    for top, height in (WAVE, PITCH, BARS):
        marks.append(_rule(LEFT, right, top + height))
    for tick in np.arange(math.ceil(line.start_s / 0.5) * 0.5, line.end_s, 0.5):
        x = line.x(float(tick))
        whole = abs(tick - round(tick)) < 1e-6
        y = np.array([14.0 if whole else 17.0, BARS[0] + BARS[1]])
        marks.append(Polyline("grid", np.array([x, x]), y, 1.0))
        if whole:
            marks.append(PictureLabel("muted", x, 10.0, f"{tick:.0f} s", 10.0))
    for hz in _round_hz(scales):
        y_at = _pitch_y(hz, scales)
        marks.append(_rule(LEFT, right, y_at))
        marks.append(PictureLabel("muted", LEFT - 6.0, y_at + 3.5, f"{hz:.0f}", 10.0, "end"))
    names = (
        (WAVE[0] + 10.0, "loud", "dB"),
        (PITCH[0] + 6.0, "pitch", "Hz"),
        (BARS[0] + 14.0, "strong", "accent"),
    )
    marks += [PictureLabel(kind, 4.0, y, name, 10.0, "start", bold=True) for y, kind, name in names]
    for db in (scales.high_db - 10.0, scales.high_db - 30.0):
        marks.append(
            PictureLabel("muted", LEFT - 6.0, _level_y(db, scales) + 3.5, f"{db:.0f}", 10.0, "end")
        )
    return marks


def _rule(left: float, right: float, y: float) -> Polyline:
    return Polyline("grid", np.array([left, right]), np.array([y, y]), 1.0)


def _round_hz(scales: Scales) -> list[float]:
    ladder = (50, 60, 75, 100, 125, 150, 200, 250, 300, 400, 500, 600)
    inside = [hz for hz in ladder if scales.low_hz < hz < scales.high_hz]
    while len(inside) > 4:
        inside = inside[::2]
    return [float(hz) for hz in inside]


def _pitch_y(hz: float, scales: Scales) -> float:
    ratio = math.log(hz / scales.low_hz) / math.log(scales.high_hz / scales.low_hz)
    return PITCH[0] + PITCH[1] * (1.0 - min(max(ratio, 0.0), 1.0))


def _level_y(db: float, scales: Scales) -> float:
    ratio = (db - scales.low_db) / (scales.high_db - scales.low_db)
    return WAVE[0] + WAVE[1] * (1.0 - min(max(ratio, 0.0), 1.0))


def _sound_marks(heard: Heard, line: SpeechLine, scales: Scales) -> list[PictureMark]:
    speech = heard.speech
    first = round(line.start_s * speech.rate_hz)
    last = min(round(line.end_s * speech.rate_hz), len(speech.samples))
    if last - first < 2:
        return []
    columns = max(1, round(line.x(last / speech.rate_hz) - LEFT))
    edges = np.linspace(first, last, columns + 1).astype(np.int64)[:-1]
    edges = np.unique(edges)
    low = doubles(np.minimum.reduceat(speech.samples[:last], edges)) / scales.full
    high = doubles(np.maximum.reduceat(speech.samples[:last], edges)) / scales.full
    middle, half = WAVE[0] + 0.5 * WAVE[1], 0.5 * WAVE[1]
    x = np.array([line.x(e / speech.rate_hz) for e in edges.tolist()])
    wave = StrokeArea("wave", x, middle - half * low + 0.4, middle - half * high - 0.4)
    track = heard.prosody.intensity_db.between(line.start_s, min(line.end_s, speech.duration_s))
    if not len(track):
        return [wave]
    times = np.array([line.x(t) for t in track.times.tolist()])
    levels = np.array([_level_y(db, scales) for db in track.values.tolist()])
    return [wave, Polyline("loud", times, levels, 1.5)]


def _pitch_marks(heard: Heard, line: SpeechLine, scales: Scales) -> list[PictureMark]:
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
        Polyline(
            "pitch",
            a if len(a) > 1 else np.array([a[0] - 0.6, a[0] + 0.6]),
            np.resize(b, max(2, len(b))),
            2.2,
        )
        for a, b in parts
        if not np.isnan(b).any()
    ]


def _accent_marks(syllables: Sequence[Accent], line: SpeechLine) -> list[PictureMark]:
    marks: list[PictureMark] = []
    top, height = BARS
    for accent in syllables:
        if not line.holds(accent.start_s):
            continue
        left, right = line.x(accent.start_s) + 0.7, line.x(min(accent.end_s, line.end_s)) - 0.7
        tall = max(1.5, accent.value * height)
        kind = "strong" if accent.value >= _STRONG else "weak"
        span = (accent.start_s, accent.end_s)
        width = max(1.0, right - left)
        marks.append(TimedBox(kind, left, top + height - tall, width, tall, _tip(accent), span))
        label, middle = accent.label, 0.5 * (left + right)
        if label and width > 4.6 * len(label) - 4.0:
            marks.append(PictureLabel("muted", middle, SYLLABLES_Y, label, 10.0))
    return marks


def _tip(accent: Accent) -> str:
    longer = math.exp(accent.longer)
    return (
        f"{accent.label or 'syllable'} at {accent.start_s:.2f} s: prominence {accent.value:.2f}\n"
        f"{accent.louder_db:+.1f} dB, {longer:.2f} times as long as expected, "
        f"{accent.higher_st:+.1f} semitones, moving by {accent.moved_st:.1f}"
    )


def _word_marks(words: Sequence[Accent], line: SpeechLine) -> list[PictureMark]:
    marks: list[PictureMark] = []
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
            PictureLabel(
                "ink",
                x,
                WORDS_Y,
                word.label,
                size,
                bold=bold,
                span=span,
                opacity=0.6 + 0.4 * word.value,
            )
        )
    return marks


def _bottom(heard: Heard) -> float:
    return line_height(heard) - 12.0


def _boundary_marks(heard: Heard, line: SpeechLine) -> list[PictureMark]:
    marks: list[PictureMark] = []
    for boundary in heard.prominence.boundaries:
        if line.holds(boundary.time_s):
            x = line.x(boundary.time_s)
            end = line.x(min(boundary.time_s + boundary.pause_s, line.end_s))
            if end - x > 2.0:
                marks.append(TimedBox("grid", x, WAVE[0], end - x, BARS[0] + BARS[1] - WAVE[0]))
            y = np.array([WAVE[0], _bottom(heard)])
            thick = 0.8 + 1.4 * boundary.strength
            marks.append(Polyline("phrase", np.array([x, x]), y, thick, dashed=True))
    return marks


def _phrase_marks(heard: Heard, line: SpeechLine) -> list[PictureMark]:
    marks: list[PictureMark] = []
    for phrase in heard.prominence.phrases:
        start_s, end_s = max(phrase.start_s, line.start_s), min(phrase.end_s, line.end_s)
        if end_s > start_s:
            left, right = line.x(start_s), line.x(end_s)
            marks.append(
                TimedBox("phrase", left, _bottom(heard), max(1.0, right - left - 1.0), 3.0)
            )
    return marks
