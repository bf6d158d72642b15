"""Forced alignment: a recording and its transcript become timed words and phones.

English is aligned by pocketsphinx (`align_sphinx`); any language that espeak-ng speaks, by warping
its speech of the text onto the recording (`align_warping`). Both compare the result with that for
other audio, and fail rather than return wrong times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError, KinesphereError
from kinesphere.maths.arrays import Floats
from kinesphere.speech.resampling import SPEECH_RATE_HZ, resample_audio
from kinesphere.speech.value import Speech
from kinesphere.speech.voices.voice import (
    LONGEST_TEXT,
    sentences_in,
    sentences_of,
    syllables_of,
    words_in,
)
from kinesphere.timeline import Interval, Tier

METHODS = ("sphinx", "warping")
ACCEPTED = 0.5
"""Least score of an alignment that is returned."""
MOST_UNPLACED = 0.5
"""Fraction of words that may be missing; above it, the text belongs to another recording."""
ROUGH_GUESS = "the text is a rough estimate: pocketsphinx recognised it, there is no transcript"
_SILENT = 1e-3  # peak; -60 dB
_LONGEST_S = 3 * 3600.0


class AlignmentError(KinesphereError):
    """The recording does not seem to say the text.

    Parameters
    ----------
    reason : one line.
    score : of the alignment, if it was computed; `ACCEPTED` is needed.
    """

    def __init__(self, reason: str, score: float = 0.0) -> None:
        super().__init__(reason)
        self.score = score


class Placement(NamedTuple):
    """Result of a method: a time for each word or None, phones, and a score."""

    words: list[tuple[float, float] | None]
    phones: list[Interval]
    score: float
    notes: list[str]


@dataclass(frozen=True)
class Alignment:
    """Times of the words of a text.

    Parameters
    ----------
    words : one interval for each word of the text (`words_in`), in order; a word that could not
        be aligned has length 0 after the one before.
    phones : IPA labels, stress mark first; pauses and unaligned words are gaps.
    score : in [0, 1], how much better the text fits than other audio; at least `ACCEPTED`.
    method : ``sphinx``, ``warping`` or ``recognition``.
    notes : sentences for the user.
    unplaced : indices of words that could not be aligned.
    text : what was aligned.
    """

    words: Tier
    phones: Tier
    score: float
    method: str
    notes: tuple[str, ...] = ()
    unplaced: tuple[int, ...] = ()
    text: str = ""

    @property
    def unplaced_words(self) -> tuple[str, ...]:
        """Labels of the words that could not be aligned."""
        return tuple(self.words.intervals[i].label for i in self.unplaced)


def align(
    samples: ArrayLike, rate_hz: float, text: str, language: str = "en", method: str | None = None
) -> Alignment:
    """Align the words of a text with a recording.

    Parameters
    ----------
    samples : mono audio ``[n]``, full scale is 1.
    rate_hz : samples a second.
    text : transcript, at most `LONGEST_TEXT` characters.
    language : code such as ``en-us`` or ``de``.
    method : one of `METHODS`; None takes ``sphinx`` for English and ``warping`` otherwise.

    Raises
    ------
    InvalidValueError
        If the text is empty or too long, the audio silent, or the method does not fit.
    AlignmentError
        If the audio does not seem to contain the text.
    """
    chosen = _method(method, language)
    spans = words_in(text)
    if not spans:
        raise InvalidValueError("the text has no word to align")
    if len(text) > LONGEST_TEXT:
        raise InvalidValueError(
            f"the text has {len(text)} characters, allowed are {LONGEST_TEXT}; align it in parts"
        )
    sound = _sound(samples, rate_hz)
    labels = [span.label for span in spans]
    if chosen == "sphinx":
        from kinesphere.speech.alignment.sphinx import place

        placed = place(sound, labels)
    else:
        from kinesphere.speech.alignment.warping import place_by_warping

        placed = place_by_warping(sound, text, language)
    return _alignment(placed, labels, text, chosen, sound)


def aligned_speech(
    samples: ArrayLike, rate_hz: int, text: str, language: str = "en", method: str | None = None
) -> Speech:
    """Align, and return the recording as `Speech` with words, phones, syllables and sentences."""
    return speech_of(samples, rate_hz, align(samples, rate_hz, text, language, method), language)


def recognise(samples: ArrayLike, rate_hz: float) -> Alignment:
    """Recognise the words of an English recording without a transcript; the notes say so.

    Raises
    ------
    InvalidValueError
        If the audio is silent.
    AlignmentError
        If no word was recognised.
    """
    from kinesphere.speech.alignment.sphinx import place, recognise_words

    sound = _sound(samples, rate_hz)
    labels = recognise_words(sound)
    if not labels:
        raise AlignmentError("no English word was recognised in the recording")
    placed = place(sound, labels)
    if placed.score < ACCEPTED:
        raise AlignmentError(
            f"the recording is not clear English speech: its score is {placed.score:.2f}, needed "
            f"is {ACCEPTED}",
            placed.score,
        )
    placed.notes.append(ROUGH_GUESS)
    return _alignment(placed, labels, " ".join(labels), "recognition", sound)


def speech_of(samples: ArrayLike, rate_hz: int, alignment: Alignment, language: str = "") -> Speech:
    """Return a recording with the times of its alignment."""
    words, phones = alignment.words.intervals, alignment.phones.intervals
    sentences = sentences_of(
        sentences_in(alignment.text, language), words_in(alignment.text), words
    )
    about = {
        "voice": "recording",
        "alignment": alignment.method,
        "score": round(alignment.score, 4),
        "unplaced": list(alignment.unplaced_words),
        "notes": list(alignment.notes),
    }
    return Speech(
        np.asarray(samples, dtype=np.float64),
        rate_hz,
        alignment.text,
        alignment.words,
        alignment.phones,
        syllables_of(words, phones),
        sentences,
        language,
        about,
    )


def _method(method: str | None, language: str) -> str:
    english = language.strip().lower().replace("_", "-").split("-")[0] == "en"
    if method is None:
        return "sphinx" if english and find_spec("pocketsphinx") else "warping"
    if method not in METHODS:
        raise InvalidValueError(f"no method is called {method!r}; allowed are {', '.join(METHODS)}")
    if method == "sphinx" and not english:
        raise InvalidValueError(f"sphinx aligns English, not {language!r}; use warping")
    return method


def _sound(samples: ArrayLike, rate_hz: float) -> Floats:
    sound = resample_audio(samples, rate_hz)
    if len(sound) > _LONGEST_S * SPEECH_RATE_HZ:
        minutes = len(sound) / SPEECH_RATE_HZ / 60
        raise InvalidValueError(
            f"the recording lasts {minutes:.0f} minutes, allowed are {_LONGEST_S / 60:.0f}"
        )
    if float(np.max(np.abs(sound), initial=0.0)) < _SILENT:
        raise InvalidValueError("the recording is silent, there is nothing to align")
    return sound


def _alignment(
    placed: Placement, labels: Sequence[str], text: str, method: str, sound: Floats
) -> Alignment:
    duration_s = len(sound) / SPEECH_RATE_HZ
    unplaced = tuple(i for i, times in enumerate(placed.words) if times is None)
    if len(unplaced) > MOST_UNPLACED * len(labels):
        raise AlignmentError(
            f"the recording does not seem to say the text: {len(unplaced)} of {len(labels)} words "
            f"could not be placed, the first is {labels[unplaced[0]]!r}",
            placed.score,
        )
    if placed.score < ACCEPTED:
        raise AlignmentError(
            f"the recording does not seem to say the text: its score is {placed.score:.2f}, "
            f"needed is {ACCEPTED}",
            placed.score,
        )
    words, end_s = [], 0.0
    for label, times in zip(labels, placed.words, strict=True):
        start_s, stop_s = times or (end_s, end_s)
        start_s = min(max(start_s, end_s), duration_s)
        end_s = min(max(start_s, stop_s), duration_s)
        words.append(Interval(start_s, end_s, label))
    notes = list(placed.notes)
    if unplaced:
        shown = ", ".join(f"{labels[i]} ({i + 1})" for i in unplaced[:8])
        more = ", ..." if len(unplaced) > 8 else ""
        notes.append(f"{len(unplaced)} of {len(labels)} words could not be placed: {shown}{more}")
    bare_s = _wordless_s(sound, words)
    if bare_s > max(3.0, duration_s / 4.0):
        notes.append(f"about {bare_s:.0f} s of audio have no words: the text may be incomplete")
    phones = _in_order(placed.phones, duration_s)
    return Alignment(
        Tier("words", tuple(words)),
        Tier("phones", tuple(phones)),
        placed.score,
        method,
        tuple(notes),
        unplaced,
        text,
    )


def _wordless_s(sound: Floats, words: Sequence[Interval]) -> float:
    """Duration of audio that is not silent outside words."""
    bare = np.ones(len(sound) * 100 // SPEECH_RATE_HZ, dtype=bool)
    for start, end in find_pauses(sound):
        bare[start:end] = False
    for word in words:
        bare[round(100 * word.start_s) : round(100 * word.end_s)] = False
    return float(np.sum(bare)) / 100.0


def _in_order(phones: Sequence[Interval], duration_s: float) -> list[Interval]:
    found, end_s = [], 0.0
    for phone in phones:
        start_s = min(max(phone.start_s, end_s), duration_s)
        end_s = min(max(start_s, phone.end_s), duration_s)
        found.append(Interval(start_s, end_s, phone.label))
    return found


def logistic(evidence: float, middle: float, slope: float) -> float:
    """Evidence as a score in [0, 1]: `middle` gives 0.5."""
    return float(1.0 / (1.0 + np.exp(-np.clip(slope * (evidence - middle), -50.0, 50.0))))


def find_pauses(samples: Floats, least_s: float = 0.15) -> list[tuple[int, int]]:
    """Pauses of a recording at `SPEECH_RATE_HZ`, as frames of 10 ms from and before.

    A frame is quiet below a level one third of the way, in dB, from the noise (tenth percentile) to
    the voice (ninety-fifth); a pause is at least `least_s` of quiet frames.
    """
    step = SPEECH_RATE_HZ // 100
    count = len(samples) // step
    if count < 3:
        return []
    power = np.mean(samples[: count * step].reshape(count, step) ** 2, axis=1)
    smooth = np.convolve(power, np.ones(3) / 3.0, "same")
    level = 10.0 * np.log10(np.maximum(smooth, 1e-10))
    low, high = np.percentile(level, [10.0, 95.0])
    still = np.concatenate([[False], level < low + max(3.0, (high - low) / 3.0), [False]])
    if high - low < 12.0:  # no pauses at all, or only silence
        return []
    edges = np.flatnonzero(still[1:] != still[:-1])
    runs = zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
    return [(a, b) for a, b in runs if b - a >= least_s * 100]
