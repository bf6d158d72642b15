"""What the body needs to know of a speech: syllables, phrases, and the syllable of each gesture."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from kinesphere.gesture.script import GestureScript
from kinesphere.maths.arrays import Floats
from kinesphere.speech.prominence import Accent, Prominence

# A pause from this on ends a phrase for the hands; shorter ones are bridged.
PAUSE_S = 0.25
# A script ends a stroke before its word does: the syllable that is meant lies from so much before
# to so much after that end.
_BEFORE_S, _AFTER_S = 0.25, 0.45


@dataclass(frozen=True, eq=False)
class SpeechCues:
    """A speech as the body feels it.

    Parameters
    ----------
    peaks, strengths : ``[n]`` loudest moments of the syllables, ascending, and how much each
        stands out, 0 to 1.
    phrases : start and end of each stretch of speech without a pause.
    gestures : for each gesture of the script, the moment of the syllable it belongs to, or None.
    accents : how much that syllable stands out, 0 to 1.
    questions : ends of phrases that ask.
    end_s : end of the sound.
    exact : gestures, by index, whose strokes are as long as the script says, and end when it says.
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
        """Moment and accent of a gesture; none and a middling one where nothing is known."""
        if gesture < len(self.gestures):
            return self.gestures[gesture], self.accents[gesture]
        return None, 0.4

    def speaking(self, time_s: float) -> bool:
        """Whether something is said at a moment."""
        return any(start <= time_s < end for start, end in self.phrases)

    def phrase_end(self, time_s: float) -> float:
        """End of the phrase that a moment lies in or before; the moment itself after the last."""
        return next((end for _, end in self.phrases if end > time_s), time_s)

    def next_phrase(self, time_s: float) -> float:
        """Start of the first phrase from a moment on; the end of the sound if there is none."""
        return next((start for start, _ in self.phrases if start >= time_s), self.end_s)

    def pause_after(self, time_s: float) -> float:
        """Length of the pause that follows the phrase a moment lies in."""
        end = self.phrase_end(time_s)
        following = next((start for start, _ in self.phrases if start > end), np.inf)
        return float(following - end)

    def between(self, start_s: float, end_s: float) -> list[tuple[float, float]]:
        """Syllables from a moment to another: time and strength."""
        low, high = np.searchsorted(self.peaks, [start_s, end_s])
        rows = zip(self.peaks[low:high], self.strengths[low:high], strict=True)
        return [(float(t), float(s)) for t, s in rows]

    def nearest(self, time_s: float, within_s: float) -> float | None:
        """Syllable nearest to a moment, or None if all are farther."""
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
    """Take from what was heard what the body needs.

    Parameters
    ----------
    prominence : of the speech.
    end_s : its length.
    script : whose gestures are to meet syllables.
    words : for each gesture the time of the words it belongs to; where there is None, or nothing
        at all, the syllable is looked for near the stroke's end.
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
        accents.append(0.3 if best is None else best.value)
    return SpeechCues(
        peaks[order], strengths[order], _phrases(rows), tuple(moments), tuple(accents),
        tuple(questions), end_s,
    )  # fmt: skip


def _strongest(
    rows: Sequence[Accent], starts: Sequence[float], start_s: float, end_s: float
) -> Accent | None:
    """Syllable that stands out most among those whose peak lies in a span."""
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
