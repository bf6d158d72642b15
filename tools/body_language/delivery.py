"""Delivery of a passage: a synthetic voice with varying loudness, tempo and pitch.

A synthetic voice says every clause alike, people do not: neighbouring syllables of recordings are
loud or soft together (correlation 0.1 to 0.4), and the standard deviation of their intensity is 4
to 6 dB. So every clause gets its own level that depends on the one before it, and falls a little
towards its end; every sentence has its tempo and pitch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinesphere.maths.arrays import Floats, doubles
from kinesphere.speech.value import Speech, join_speech, pad_speech
from kinesphere.speech.voices.espeak import EspeakVoice
from kinesphere.speech.voices.voice import TextSpan, sentences_in, words_in

_CODES = {"en": "en-us", "de": "de"}
_CLAUSE = (",", ";", ":", ".", "!", "?", "-", "…")
_RAMP_S = 0.06
_LOUDEST = 0.9


@dataclass(frozen=True)
class Delivery:
    """Random variation of a voice.

    Parameters
    ----------
    level_db, persistence : deviation of a clause's level, and its correlation with the one before.
    calls_db, trails_db : added for sentences that end in ``!``, and that trail off in ``...``.
    falls_db : from the start to the end of a clause.
    rate_spread, pitch_spread : of sentences (log).
    pause_s, paragraph_s : shortest and longest silence after a sentence, and after a paragraph.
    trail_s : added where a sentence trails off.
    """

    level_db: float = 4.0
    persistence: float = 0.3
    calls_db: float = 2.5
    trails_db: float = -2.5
    falls_db: float = 2.5
    rate_spread: float = 0.08
    pitch_spread: float = 0.06
    pause_s: tuple[float, float] = (0.2, 0.6)
    paragraph_s: tuple[float, float] = (0.8, 3.0)
    trail_s: float = 0.5


def delivered(
    text: str,
    language: str,
    variant: str,
    rate: float,
    pitch: float,
    rng: np.random.Generator,
    delivery: Delivery | None = None,
) -> Speech:
    """Speak a text.

    Parameters
    ----------
    language : ``en`` or ``de``.
    variant : of espeak's voices.
    rate, pitch : relative to the voice's own, on average.
    """
    d = delivery or Delivery()
    voice = EspeakVoice(variant)
    spans = sentences_in(text, language)
    parts, level = [], 0.0
    for i, span in enumerate(spans):
        quick, high = np.exp(
            np.clip(rng.normal(size=2), -1.5, 1.5) * [d.rate_spread, d.pitch_spread]
        )
        said = voice.speak(span.label, _CODES[language], rate=rate * quick, pitch=pitch * high)
        said, level = _levelled(said, span.label, level, d, rng)
        after = _silence(text, spans, i, d, rng)
        parts.append(pad_speech(said, 0.0, after))
    whole = join_speech(parts, text)
    top = float(np.abs(whole.samples).max())
    return _with_samples(whole, doubles(whole.samples) * (_LOUDEST / top))


def _silence(
    text: str, spans: Sequence[TextSpan], i: int, d: Delivery, rng: np.random.Generator
) -> float:
    """Silence after a sentence, seconds."""
    if i + 1 == len(spans):
        return 0.0
    paragraph = "\n\n" in text[spans[i].end : spans[i + 1].start]
    more = d.trail_s if spans[i].label.endswith("...") else 0.0
    return more + float(rng.uniform(*(d.paragraph_s if paragraph else d.pause_s)))


def _levelled(
    said: Speech, label: str, level: float, d: Delivery, rng: np.random.Generator
) -> tuple[Speech, float]:
    """Sentence with a level for each of its clauses, and the last of them."""
    bias = d.calls_db if label.endswith("!") else d.trails_db if label.endswith("...") else 0.0
    times, decibels = [0.0], []
    new = np.sqrt(1.0 - d.persistence**2) * d.level_db
    clauses = _clauses(said, label)
    for start, end in clauses:
        level = d.persistence * level + new * float(np.clip(rng.normal(), -1.8, 1.8))
        at = level + bias
        times += [start + _RAMP_S, end]
        decibels += [at + 0.5 * d.falls_db, at - 0.5 * d.falls_db]
    curve = np.interp(np.arange(len(said.samples)) / said.rate_hz, times[1:], decibels)
    return _with_samples(said, doubles(said.samples) * 10.0 ** (curve / 20.0)), level


def _clauses(said: Speech, label: str) -> list[tuple[float, float]]:
    """Start and end of each clause, seconds."""
    spans, words = words_in(label), list(said.words)
    if len(spans) != len(words):
        return [(0.0, said.duration_s)]
    out, start = [], 0.0
    for k, (span, word) in enumerate(zip(spans, words, strict=True)):
        last = k + 1 == len(words)
        if last or label[span.start : span.end].rstrip("\"'”’").endswith(_CLAUSE):  # noqa: RUF001
            end = said.duration_s if last else word.end_s
            if end > start + 2.0 * _RAMP_S:
                out.append((start, end))
                start = end
    return out or [(0.0, said.duration_s)]


def _with_samples(said: Speech, samples: Floats) -> Speech:
    return Speech(
        samples,
        said.rate_hz,
        said.text,
        said.words,
        said.phones,
        said.syllables,
        said.sentences,
        said.language,
        said.provenance,
    )
