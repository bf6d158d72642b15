"""Times of strokes and after-strokes: completes a script's times.

Recorded speakers put the peak of a stroke's speed on the stressed syllable, loosely; the paper ends
the stroke when the script says. Both are implemented.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from kinesphere.animation.settings import ActingSettings
from kinesphere.animation.speech_cues import SpeechCues
from kinesphere.gesture.lexicon import Lexeme
from kinesphere.gesture.script import ScriptGesture
from kinesphere.maths.arrays import Floats

PAPER_PREP_S, PAPER_REST_PREP_S = 0.4, 0.8
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

_LEAST_STROKE_S, _MOST_STROKE_S = 0.14, 0.9
_LEAST_PREP_S = 0.2
_LEAST_REPEAT_S = 0.46
# Highest speed of a hand that moves in circles, m/s.
CIRCLE_M_S = 0.75
# Time Effort: a Sudden stroke is shorter by this power of two, a Sustained one longer.
_SUDDEN = 0.45


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
    usual = PAPER_REST_PREP_S if from_rest else PAPER_PREP_S
    return max(stroke_start_s - usual, last_end_s)


def fitted_repeats(
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
    mains: list[StrokeTime] = []
    for i, row in enumerate(rows):
        chances = rng.normal(size=2)
        made = _as_written(row) if settings.paper else _with_speech(row, cues, i, settings, chances)
        if not settings.paper:
            if mains:
                made = _after(made, mains[-1].end_s + (_LEAST_PREP_S if row.needs_prep else 0.0))
            made = _after(made, 0.0)
        mains.append(made)
    out: list[StrokeTime] = []
    for i, (row, made) in enumerate(zip(rows, mains, strict=True)):
        limit = mains[i + 1].start_s - _LEAST_PREP_S if i + 1 < len(rows) else np.inf
        if out and made.start_s < out[-1].last_s:
            # So close that the previous strokes have not ended: a shorter one.
            start = min(out[-1].last_s, made.end_s)
            end = max(made.end_s, start + (1.0 / 30.0 if made.end_s > made.start_s else 0.0))
            made = StrokeTime(start, end, made.peak)
        out.append(_with_repeats(made, row, limit, cues, settings))
    return out


def _as_written(row: Timed) -> StrokeTime:
    g = row.gesture
    if g.stroke_end_s is None or g.stroke_s is None:
        return StrokeTime(g.meant_start_s, g.meant_start_s, 0.5)
    length = max(g.stroke_s, 1.0 / 30.0)
    return StrokeTime(g.stroke_end_s - length, g.stroke_end_s, WARP_PEAKS[row.lexeme.warp])


def _with_speech(
    row: Timed, cues: SpeechCues, i: int, s: ActingSettings, chances: Floats
) -> StrokeTime:
    g = row.gesture
    peak = float(np.clip(WARP_PEAKS[row.lexeme.warp] + 0.05 * chances[0], 0.3, 0.75))
    moment, _ = cues.cue(i)
    if g.stroke_end_s is None or g.stroke_s is None:
        return StrokeTime(g.meant_start_s, g.meant_start_s, 0.5)
    usual = s.lasting(row.size_m, s.stroke_ratio) * 2.0 ** (-_SUDDEN * row.time_effort)
    # The script's duration counts as much as the measured law, unless it is a recreation.
    length = g.stroke_s if s.follow_script else float(np.sqrt(max(g.stroke_s, 0.1) * usual))
    if row.lexeme.circle_cm[0]:
        length = max(length, g.stroke_s, 0.5)
    length = float(np.clip(length, _LEAST_STROKE_S, max(_MOST_STROKE_S, g.stroke_s)))
    exact = s.follow_script or i in cues.exact
    if exact:
        length = max(g.stroke_s, 1.0 / 30.0)
    if exact or moment is None:
        return StrokeTime(g.stroke_end_s - length, g.stroke_end_s, peak)
    at = moment - s.lead_s + s.looseness_s * float(np.clip(chances[1], -2.2, 2.2))
    start = at - peak * length
    return StrokeTime(start, start + length, peak)


def _after(made: StrokeTime, earliest_s: float) -> StrokeTime:
    """Stroke that begins when the hand is free: later, and a little shorter."""
    if made.start_s >= earliest_s:
        return made
    length = made.end_s - made.start_s
    late = earliest_s - made.start_s
    shorter = min(late, 0.35 * length)
    length -= shorter
    return StrokeTime(earliest_s, earliest_s + length, made.peak)


def _with_repeats(
    made: StrokeTime, row: Timed, limit: float, cues: SpeechCues, s: ActingSettings
) -> StrokeTime:
    g = row.gesture
    if not g.after_strokes:
        return made
    ends: list[float] = []
    at = made.end_s
    shift = made.end_s - (g.stroke_end_s or made.end_s)
    key = row.lexeme.after.prep
    size = float(np.linalg.norm([key.out_cm, key.up_cm, key.forward_cm])) / 100.0
    least = 0.0
    if s.paper or s.follow_script:
        limit = np.inf
    else:
        least = max(_LEAST_REPEAT_S, 2.0 * s.lasting(size, 0.8))
    for written in g.after_strokes:
        end = written
        if not (s.paper or s.follow_script):
            near = cues.nearest(written + 0.5 * shift - 0.08, 0.14)
            end = (near if near is not None else written + 0.5 * shift) + 0.07
        end = max(end, at + least)
        if end - at < 1.0 / 30.0:
            continue  # the stroke before it came too late for it
        if end > limit:
            break
        ends.append(end)
        at = end
    shares = row.lexeme.after.shares
    if row.lexeme.after.kind in ("wave", "loop"):
        shares = (0.5, 0.5, 0.0)
    elif not s.paper:
        # The hold is the remaining time; holds of recorded speakers are short.
        shares = (0.42, 0.42, 0.16)
    repeats = fitted_repeats(made.start_s, made.end_s, ends, shares)
    return StrokeTime(made.start_s, made.end_s, made.peak, tuple(repeats))
