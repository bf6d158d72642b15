"""Speech cues of the body: syllables, phrases, and the syllable of each gesture."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from kinesphere.gesture.script import GestureScript
from kinesphere.maths.arrays import Floats
from kinesphere.speech.prosody.prominence import Accent, Prominence

# A pause of at least this ends a phrase for the hands; shorter ones are bridged.
PAUSE_S = 0.25
# A script ends a stroke before its word ends: window before and after that end in which the
# syllable of the gesture is searched.
_BEFORE_S, _AFTER_S = 0.25, 0.45
_UNKNOWN_ACCENT, _SILENT_ACCENT = 0.4, 0.3  # without speech, and where no syllable was found


@dataclass(frozen=True, eq=False)
class SpeechCues:
    """Cues of a speech for the body.

    Parameters
    ----------
    peaks, strengths : ``[n]`` times of the syllables' loudness peaks, ascending, and their
        prominence, 0 to 1.
    phrases : start and end of each stretch of speech without a pause.
    gestures : for each gesture of the script, the time of the syllable it belongs to, or None.
    accents : prominence of that syllable, 0 to 1.
    questions : ends of phrases that are questions.
    end_s : end of the audio.
    exact : gestures, by index, whose strokes keep the script's duration and end.
    """

    peaks: Floats = field(default_factory=lambda: np.zeros(0))
    strengths: Floats = field(default_factory=lambda: np.zeros(0))
    phrases: tuple[tuple[float, float], ...] = ()
    gestures: tuple[float | None, ...] = ()
    accents: tuple[float, ...] = ()
    questions: tuple[float, ...] = ()
    end_s: float = 0.0
    exact: frozenset[int] = frozenset()

    def cue(self, gesture: int) -> tuple[float | None, float]:
        """Time and accent of a gesture; None and a medium accent where nothing is known."""
        if gesture < len(self.gestures):
            return self.gestures[gesture], self.accents[gesture]
        return None, _UNKNOWN_ACCENT

    def speaking(self, time_s: float) -> bool:
        """Whether there is speech at a time."""
        return any(start <= time_s < end for start, end in self.phrases)

    def phrase_end(self, time_s: float) -> float:
        """End of the phrase that contains or follows a time; the time itself after the last."""
        return next((end for _, end in self.phrases if end > time_s), time_s)

    def next_phrase(self, time_s: float) -> float:
        """Start of the first phrase from a time on; the end of the audio if there is none."""
        return next((start for start, _ in self.phrases if start >= time_s), self.end_s)

    def pause_after(self, time_s: float) -> float:
        """Duration of the pause after the phrase that contains a time."""
        end = self.phrase_end(time_s)
        following = next((start for start, _ in self.phrases if start > end), np.inf)
        return float(following - end)

    def between(self, start_s: float, end_s: float) -> list[tuple[float, float]]:
        """Syllables between two times: time and strength."""
        low, high = np.searchsorted(self.peaks, [start_s, end_s])
        rows = zip(self.peaks[low:high], self.strengths[low:high], strict=True)
        return [(float(t), float(s)) for t, s in rows]

    def nearest(self, time_s: float, within_s: float) -> float | None:
        """Syllable nearest to a time, or None if all are farther."""
        i = int(np.searchsorted(self.peaks, time_s))
        near = [float(self.peaks[k]) for k in (i - 1, i) if 0 <= k < len(self.peaks)]
        best = min(near, key=lambda t: abs(t - time_s), default=None)
        return best if best is not None and abs(best - time_s) <= within_s else None


def speech_cues(
    prominence: Prominence,
    end_s: float,
    script: GestureScript | None = None,
    words: Sequence[tuple[float, float] | None] = (),
    questions: Sequence[float] = (),
) -> SpeechCues:
    """Cues of the body from the prosody of a speech.

    Parameters
    ----------
    prominence : of the speech.
    end_s : its duration.
    script : the gestures to be aligned with syllables.
    words : for each gesture the time of the words it belongs to; where it is None or missing, the
        syllable is searched near the stroke's end.
    """
    rows = prominence.syllables
    peaks = np.array([a.peak_s for a in rows])
    strengths = np.array([a.value for a in rows])
    order = np.argsort(peaks, kind="stable")
    moments: list[float | None] = []
    accents: list[float] = []
    starts = [a.start_s for a in rows]
    for i, gesture in enumerate(script.gestures if script is not None else ()):
        span = words[i] if i < len(words) else None
        if span is None:
            at = gesture.stroke_end_s if gesture.stroke_end_s is not None else gesture.meant_start_s
            span = (at - _BEFORE_S, at + _AFTER_S)
        best = _strongest(rows, starts, *span)
        moments.append(None if best is None else best.peak_s)
        accents.append(_SILENT_ACCENT if best is None else best.value)
    return SpeechCues(
        peaks[order],
        strengths[order],
        _phrases(rows),
        tuple(moments),
        tuple(accents),
        tuple(questions),
        end_s,
    )


def _strongest(
    rows: Sequence[Accent], starts: Sequence[float], start_s: float, end_s: float
) -> Accent | None:
    """Most prominent syllable among those with a peak in a time span."""
    i = bisect_left(starts, start_s - 1.0)
    inside = []
    while i < len(rows) and rows[i].start_s < end_s:
        if start_s - 1e-6 <= rows[i].peak_s <= end_s + 1e-6:
            inside.append(rows[i])
        i += 1
    return max(inside, key=lambda a: a.value, default=None)


def _phrases(rows: Sequence[Accent]) -> tuple[tuple[float, float], ...]:
    out: list[tuple[float, float]] = []
    for a in rows:
        if out and a.start_s - out[-1][1] < PAUSE_S:
            out[-1] = (out[-1][0], max(out[-1][1], a.end_s))
        else:
            out.append((a.start_s, a.end_s))
    return tuple(out)
