"""Times of strokes and after-strokes: completes a script's times.

Recorded speakers put the peak of a stroke's speed on the stressed syllable, loosely; with
`follow_script` the stroke ends when the script says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from kinesphere.animation.arms.arm_settings import PAPER_TIMES
from kinesphere.animation.settings import ActingSettings
from kinesphere.animation.speech_cues import SpeechCues
from kinesphere.gesture.lexicon import Lexeme, MicroKey
from kinesphere.gesture.script import ScriptGesture
from kinesphere.maths.arrays import Floats

WARP_PEAKS = {
    "ease": 0.47,
    "soft": 0.36,
    "accel": 0.64,
    "hit": 0.62,
    "whip": 0.66,
    "snap": 0.55,
    "even": 0.5,
}
"""Where a stroke is fastest, as a ratio of its length."""

_FRAME_S = 1.0 / 30.0  # shortest movement that is visible
_WAVE_SHARES = (0.5, 0.5, 0.0)  # an oscillation has no holds


@dataclass(frozen=True)
class Repeat:
    """An after-stroke: a hold, then its preparation, then its stroke."""

    prep_start_s: float
    start_s: float
    end_s: float


@dataclass(frozen=True)
class StrokeTime:
    """Times of a gesture's strokes.

    `start_s` is that of the main stroke (or of the hold of a hold gesture, which has no length),
    `peak` the ratio of its length at which it is fastest.
    """

    start_s: float
    end_s: float
    peak: float
    repeats: tuple[Repeat, ...] = field(default=())

    @property
    def last_s(self) -> float:
        """End of the last stroke."""
        return self.repeats[-1].end_s if self.repeats else self.end_s

    @property
    def peak_s(self) -> float:
        """Time at which the main stroke is fastest."""
        return self.start_s + self.peak * (self.end_s - self.start_s)


def prep_start(stroke_start_s: float, last_end_s: float, *, from_rest: bool) -> float:
    """Start of a preparation, the published formula (eq. 6.1)."""
    usual = PAPER_TIMES.rest_prep_s if from_rest else PAPER_TIMES.prep_s
    return max(stroke_start_s - usual, last_end_s)


def fit_repeats(
    before_s: float, first_end_s: float, ends: Sequence[float], shares: tuple[float, float, float]
) -> list[Repeat]:
    """Fit after-strokes that end at given times (section 6.5.3).

    Parameters
    ----------
    before_s : when the stroke before the main stroke's end began counting: its start.
    first_end_s : end of the main stroke.
    ends : of the after-strokes, ascending.
    shares : ratios of preparation, stroke and hold.
    """
    prep_share, stroke_share, hold_share = shares
    out = []
    previous_start, previous_end = before_s, first_end_s
    for end in ends:
        room = end - previous_end
        prep, stroke, own_hold = prep_share * room, stroke_share * room, hold_share * room
        hold = hold_share * (previous_end - previous_start)
        if hold + prep + stroke <= room:
            pass  # the hold is extended to fill the remaining time
        else:
            hold = min(0.5 * (hold + own_hold), 0.5 * room)
            left, asked = room - hold, max(prep + stroke, 1e-9)
            prep, stroke = left * prep / asked, left * stroke / asked
        out.append(Repeat(end - stroke - prep, end - stroke, end))
        previous_start, previous_end = previous_end, end
    return out


@dataclass(frozen=True)
class Timed:
    """Input of `stroke_times` for a gesture: itself, its lexeme, stroke amplitude, accent."""

    gesture: ScriptGesture
    lexeme: Lexeme
    size_m: float
    time_effort: float  # Sudden +1, Sustained -1, with speaker and accent
    needs_prep: bool


def stroke_times(
    rows: Sequence[Timed], cues: SpeechCues, settings: ActingSettings, rng: np.random.Generator
) -> list[StrokeTime]:
    """Times of all strokes of a script, in order and without overlap."""
    w = settings.timing
    mains: list[StrokeTime] = []
    for i, row in enumerate(rows):
        chances = rng.normal(size=2)
        made = _main_stroke(row, cues, i, settings, chances)
        if w.waits:
            if mains:
                earliest = mains[-1].end_s + (w.prep_s if row.needs_prep else 0.0)
                made = _delay(made, earliest, w.shortened)
            made = _delay(made, 0.0, w.shortened)
        mains.append(made)
    out: list[StrokeTime] = []
    for i, (row, made) in enumerate(zip(rows, mains, strict=True)):
        limit = mains[i + 1].start_s - w.prep_s if i + 1 < len(rows) else np.inf
        if out and made.start_s < out[-1].last_s:
            # So close that the previous strokes have not ended: a shorter one.
            start = min(out[-1].last_s, made.end_s)
            end = max(made.end_s, start + (_FRAME_S if made.end_s > made.start_s else 0.0))
            made = StrokeTime(start, end, made.peak)
        out.append(_with_repeats(made, row, limit, cues, settings))
    return out


def _main_stroke(
    row: Timed, cues: SpeechCues, i: int, s: ActingSettings, chances: Floats
) -> StrokeTime:
    g, w = row.gesture, s.timing
    peak = WARP_PEAKS[row.lexeme.warp] + w.peak_spread * chances[0]
    peak = float(np.clip(peak, *w.peak_range))
    moment, _ = cues.cue(i)
    if g.stroke_end_s is None or g.stroke_s is None:
        return StrokeTime(g.meant_start_s, g.meant_start_s, 0.5)
    usual = s.lasting(row.size_m, s.stroke_ratio) * 2.0 ** (-s.strokes.sudden * row.time_effort)
    # The script's duration counts as much as the measured law, unless it is a recreation.
    length = float(np.sqrt(max(g.stroke_s, w.written_least_s) * usual))
    if row.lexeme.circle_cm[0]:
        length = max(length, g.stroke_s, w.circle_least_s)
    elif row.lexeme.kind == "iconic" and row.lexeme.swing != MicroKey():
        # What is drawn on the way needs its time.
        length = max(length, g.stroke_s)
    shortest, longest = w.stroke_s
    length = float(np.clip(length, shortest, max(longest, g.stroke_s)))
    exact = s.follow_script or i in cues.exact
    if exact:
        length = max(g.stroke_s, _FRAME_S)
    if exact or moment is None:
        return StrokeTime(g.stroke_end_s - length, g.stroke_end_s, peak)
    at = moment - s.lead_s + s.looseness_s * float(np.clip(chances[1], -w.most_loose, w.most_loose))
    start = at - peak * length
    return StrokeTime(start, start + length, peak)


def _delay(made: StrokeTime, earliest_s: float, most: float) -> StrokeTime:
    """Stroke that begins when the hand is free: later, and shorter by up to a ratio."""
    if made.start_s >= earliest_s:
        return made
    length = made.end_s - made.start_s
    late = earliest_s - made.start_s
    shorter = min(late, most * length)
    length -= shorter
    return StrokeTime(earliest_s, earliest_s + length, made.peak)


def _with_repeats(
    made: StrokeTime, row: Timed, limit: float, cues: SpeechCues, s: ActingSettings
) -> StrokeTime:
    g, w = row.gesture, s.timing
    if not g.after_strokes:
        return made
    ends: list[float] = []
    at = made.end_s
    shift = made.end_s - (g.stroke_end_s or made.end_s)
    key = row.lexeme.after.prep
    size = float(np.linalg.norm([key.out_cm, key.up_cm, key.forward_cm])) / 100.0
    least = 0.0
    if s.follow_script:
        limit = np.inf
    else:
        least = max(w.repeat_least_s, 2.0 * s.lasting(size, w.repeat_ratio))
    for written in g.after_strokes:
        end = written
        if not s.follow_script:
            near = cues.nearest(written + 0.5 * shift - w.repeat_early_s, w.repeat_reach_s)
            end = (near if near is not None else written + 0.5 * shift) + w.repeat_late_s
        end = max(end, at + least)
        if end - at < _FRAME_S:
            continue  # the stroke before it came too late for it
        if end > limit:
            break
        ends.append(end)
        at = end
    shares = row.lexeme.after.shares
    if row.lexeme.after.kind in ("wave", "loop"):
        shares = _WAVE_SHARES
    elif w.shares is not None:
        # The hold is the remaining time; holds of recorded speakers are short.
        shares = w.shares
    repeats = fit_repeats(made.start_s, made.end_s, ends, shares)
    return StrokeTime(made.start_s, made.end_s, made.peak, tuple(repeats))
