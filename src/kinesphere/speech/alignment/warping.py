"""Alignment in any language: dynamic time warping of espeak-ng's speech onto the recording.

Pauses are removed from both first, since a person's differ from espeak's. Then each frame of the
recording is matched monotonically with a frame of espeak's, so that the sum of differences of
cepstra and their slopes is least; after a pause the start of a word is favoured.
A long recording is matched coarsely first and then within a band, so that memory grows with its
length and not with its square.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kinesphere.maths.arrays import Floats, Ints, doubles
from kinesphere.speech.alignment.alignment import AlignmentError, Placement, find_pauses, logistic
from kinesphere.speech.alignment.mfcc import STEP_S, mfcc, with_slopes
from kinesphere.speech.resampling import SPEECH_RATE_HZ
from kinesphere.speech.value import Speech
from kinesphere.speech.voices.espeak import EspeakVoice
from kinesphere.speech.voices.voice import RATES, words_in
from kinesphere.timeline import Interval

_SPOKEN_SIGNS = frozenset("%&@#§+=$€£")
_MOST_CELLS = 6_000_000  # cells of a matrix that is searched as a whole, one byte each
_COARSE = 8  # frames that are averaged
_BAND = 800  # frames around the coarse path, 4 s to each side
_STEPS = 4  # frames of espeak's from one of the recording to the next: 0 to 3
_STEP_COSTS = np.array([1.0, 0.0, 1.0, 3.0])  # compared with a typical distance of 6
_TOLL = 40.0  # for a pause of the recording within a word
_NEAR = 3  # frames
_SLOPE_WEIGHT = 1.5  # slopes locate a boundary more precisely than levels
_BLOCK = 512  # rows of distances at a time
_WINDOW = 1500  # frames that are compared with wrong texts, at three positions in a long recording

# Cost of the text relative to the mean cost of wrong ones, which are its own audio reordered.
# Of 37 right texts the long ones (12 s and more) had gains of 0.050 to 0.077, the short ones of
# 0.030 to 0.1; of 105 wrong ones the long had up to 0.025, the short up to 0.045. A short text is
# therefore rather rejected than accepted.
_MIDDLE, _SHORTER, _SLOPE = 0.034, 0.06, 150.0


def place_by_warping(sound: Floats, text: str, language: str) -> Placement:
    """Align the words of a text with audio at `SPEECH_RATE_HZ`.

    Raises
    ------
    AlignmentError
        If the text takes far longer to say than the audio lasts.
    KinesphereError
        If espeak-ng is not installed or does not speak the language.
    """
    spans = words_in(text)
    said = _sayable(text)
    if not words_in(said):
        raise AlignmentError("the text has no word that can be spoken")
    voiced = _speech_frames(len(sound) // round(STEP_S * SPEECH_RATE_HZ), find_pauses(sound))
    spoken = _at_tempo(said, language, len(voiced))
    sample = _spoken_frames(spoken)
    if len(sample) > (_STEPS - 1) * len(voiced):
        raise AlignmentError(
            f"the text is too long for the recording: {len(spans)} words take at least "
            f"{len(sample) * STEP_S:.1f} s, {len(voiced) * STEP_S:.1f} s of it are speech"
        )
    here = _features(sound, SPEECH_RATE_HZ, voiced)
    there = _features(doubles(spoken.samples), spoken.rate_hz, sample)
    pauses, starts = np.flatnonzero(np.diff(voiced) > 1) + 1, _starts(spoken, sample)
    near = np.unique(np.clip(starts[:, None] + np.arange(-1, 3), 0, len(sample) - 1))
    path, cost = warp(here, there, pauses, near)
    score = _score(here, there, path, cost)
    clock = _TimeMap(voiced, sample, _snap_to_pause(path, pauses, starts))
    words = _word_times([span.label for span in spans], spoken, clock)
    phones = [Interval(*clock.times(p), p.label) for p in spoken.phones]
    notes = [f"warped from espeak-ng's speech in {spoken.language}; expect errors of about 50 ms"]
    return Placement(words, phones, score, notes)


def warp(
    here: Floats, there: Floats, pauses: Ints | None = None, starts: Ints | None = None
) -> tuple[Ints, float]:
    """Match features ``[n, d]`` with ``[m, d]``: the frame of `there` for each of `here`.

    The path starts at 0, ends at ``m - 1``, and takes 0 to 3 frames of `there` at a time. The rows
    `pauses` are best met by the columns `starts`. The cost is the mean distance on the path.
    """
    rows, columns = len(here), len(there)
    halts = np.zeros(rows, dtype=bool)
    toll = np.zeros(columns)
    if pauses is not None and starts is not None:
        halts[pauses] = True
        toll[:] = _TOLL
        toll[starts] = 0.0
    if rows * columns <= _MOST_CELLS:
        return _search(here, there, np.zeros(rows, dtype=np.int64), columns, halts, toll)
    coarse, _ = warp(_average(here), _average(there))
    middle = np.interp(
        np.arange(rows), (np.arange(len(coarse)) + 0.5) * _COARSE, (coarse + 0.5) * _COARSE
    )
    width = min(_BAND, columns)
    first = np.clip(np.round(middle).astype(np.int64) - width // 2, 0, columns - width)
    first[0] = 0
    return _search(here, there, np.maximum.accumulate(first), width, halts, toll)


def _search(
    here: Floats, there: Floats, first: Ints, width: int, halts: NDArray[np.bool_], toll: Floats
) -> tuple[Ints, float]:
    """Cheapest path among the columns from ``first[i]`` to before ``first[i] + width``."""
    rows = len(here)
    came = np.zeros((rows, width), dtype=np.uint8)
    edge = np.full(_STEPS - 1, np.inf)
    total = np.full(width, np.inf)
    for at in range(0, rows, _BLOCK):
        low, high = int(first[at]), int(first[min(at + _BLOCK, rows) - 1]) + width
        distances = _distances(here[at : at + _BLOCK], there[low:high])
        for i in range(at, min(at + _BLOCK, rows)):
            start = int(first[i])
            own = distances[i - at, start - low : start - low + width]
            if i == 0:
                total[0] = own[0]
                continue
            shift = min(start - int(first[i - 1]), width)
            padded = np.concatenate([edge, total, np.full(shift, np.inf)])
            total = padded[_STEPS - 1 + shift : _STEPS - 1 + shift + width] + _STEP_COSTS[0]
            for k in range(1, _STEPS):
                reach = _STEPS - 1 - k + shift
                other = padded[reach : reach + width] + _STEP_COSTS[k]
                came[i, other < total] = k
                np.minimum(total, other, out=total)
            total += own + toll[start : start + width] if halts[i] else own
    column = len(there) - 1
    cost = float(total[column - int(first[-1])]) / rows
    path = np.empty(rows, dtype=np.int64)
    for i in range(rows - 1, -1, -1):
        path[i] = column
        column = max(column - int(came[i, column - int(first[i])]), 0)
    return path, cost


def _starts(spoken: Speech, sample: Ints) -> Ints:
    """Columns where words start."""
    frames = np.array([round(word.start_s / STEP_S) for word in spoken.words])
    return np.unique(np.minimum(np.searchsorted(sample, frames), len(sample) - 1))


def _snap_to_pause(path: Ints, pauses: Ints, starts: Ints) -> Ints:
    """Move the start of a word near a pause to the end of the pause."""
    snapped = path.copy()
    for row in pauses:
        column = starts[np.argmin(np.abs(starts - snapped[row]))]
        if abs(int(column) - int(snapped[row])) <= _NEAR:
            snapped[:row] = np.minimum(snapped[:row], max(column - 1, 0))
            snapped[row:] = np.maximum(snapped[row:], column)
    return snapped


def _distances(here: Floats, there: Floats) -> Floats:
    squares = np.sum(here**2, axis=1)[:, None] + np.sum(there**2, axis=1) - 2.0 * here @ there.T
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def _average(features: Floats) -> Floats:
    count = -(-len(features) // _COARSE)
    padded = np.pad(features, ((0, count * _COARSE - len(features)), (0, 0)), mode="edge")
    return np.asarray(padded.reshape(count, _COARSE, -1).mean(axis=1))


def _score(here: Floats, there: Floats, path: Ints, cost: float) -> float:
    """Score that the text is spoken, from its cost relative to that of others."""
    if not np.isfinite(cost):
        return 0.0
    rows = len(here)
    starts = [0] if rows <= _WINDOW * 5 // 4 else np.linspace(0, rows - _WINDOW, 3).astype(int)
    length = rows if len(starts) == 1 else _WINDOW
    gains = []
    for start in starts:
        first, last = int(path[start]), int(path[start + length - 1])
        gains.append(_advantage(here[start : start + length], there[first : last + 1]))
    middle = _MIDDLE + _SHORTER / (rows * STEP_S)
    return logistic(float(np.mean(gains)), middle, _SLOPE)


def _advantage(here: Floats, there: Floats) -> float:
    """Relative gain in cost over the same audio in another order."""
    back = there[::-1]
    others = [np.roll(there, round(r * len(there)), axis=0) for r in (0.2, 0.4, 0.6, 0.8)]
    others += [np.roll(back, round(r * len(there)), axis=0) for r in (0.0, 0.33, 0.67)]
    return 1.0 - warp(here, there)[1] / float(np.mean([warp(here, o)[1] for o in others]))


def _features(samples: Floats, rate_hz: int, frames: Ints) -> Floats:
    """Cepstra and slopes of some frames, each of mean 0 and deviation 1 over them."""
    every = with_slopes(mfcc(samples, rate_hz))
    chosen = every[np.minimum(frames, len(every) - 1)]
    spread = np.std(chosen, axis=0)
    scaled = (chosen - np.mean(chosen, axis=0)) / np.maximum(spread, 1e-6)
    scaled[:, scaled.shape[1] // 2 :] *= _SLOPE_WEIGHT
    return np.asarray(scaled)


def _sayable(text: str) -> str:
    """Replace words that are not spoken, such as an emoji, by blanks, without moving the others."""
    letters = list(text)
    for span in words_in(text):
        if not any(c.isalnum() or c in _SPOKEN_SIGNS for c in span.label):
            letters[span.start : span.end] = " " * (span.end - span.start)
    return "".join(letters)


def _at_tempo(text: str, language: str, frames: int) -> Speech:
    """Return espeak's speech of a text that lasts about as long as the frames, without pauses."""
    voice = EspeakVoice()
    speech = voice.speak(text, language)
    rate = float(np.clip(len(_spoken_frames(speech)) / max(frames, 1), *RATES))
    return speech if abs(rate - 1.0) < 0.05 else voice.speak(text, language, rate=rate)


def _spoken_frames(speech: Speech) -> Ints:
    """Frames that phones cover."""
    covered = np.zeros(int(speech.duration_s / STEP_S) + 2, dtype=bool)
    for phone in speech.phones:
        covered[round(phone.start_s / STEP_S) : max(round(phone.end_s / STEP_S), 1)] = True
    return np.flatnonzero(covered)


def _speech_frames(count: int, pauses: Sequence[tuple[int, int]]) -> Ints:
    """Frames outside pauses, extended a little: for the closure of a stop, the end of a word."""
    loud = np.ones(max(count, 1), dtype=bool)
    for start, end in pauses:
        first = start + 4 if start else 0
        last = end - 4 if end < count else end
        loud[first : max(first, last)] = False
    return np.flatnonzero(loud)


class _TimeMap:
    """Map times in espeak's speech to times in the recording."""

    def __init__(self, here: Ints, there: Ints, path: Ints) -> None:
        self.here, self.there, self.path = here, there, path

    def times(self, interval: Interval) -> tuple[float, float]:
        """Start and end of an interval of espeak's."""
        start = min(self._row(interval.start_s), len(self.path) - 1)
        end = max(self._row(interval.end_s) - 1, start)
        return float(self.here[start] * STEP_S), float((self.here[end] + 1) * STEP_S)

    def _row(self, time_s: float) -> int:
        """First row that reaches a time of espeak's."""
        column = int(np.searchsorted(self.there, round(time_s / STEP_S)))
        return int(np.searchsorted(self.path, column))


def _word_times(
    labels: Sequence[str], spoken: Speech, clock: _TimeMap
) -> list[tuple[float, float] | None]:
    """Times of the words; those that espeak skips have none."""
    found: list[tuple[float, float] | None] = []
    at, words = 0, spoken.words.intervals
    for label in labels:
        here = at < len(words) and words[at].label == label
        heard = here and words[at].duration_s > 0
        found.append(clock.times(words[at]) if heard else None)
        at += here
    return found
