"""Beats on loud syllables, where a script has no gesture."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from tools.body_language.contour import Contour

from kinesphere.gesture.positions import HEIGHTS, HandPosition, Height, Radial
from kinesphere.gesture.script import Hands, ScriptGesture

_HIGHEST, _MIDDLE, _LOWEST = (HEIGHTS.index(h) for h in ("shoulder", "abdomen", "belt"))
_OFFSET_S = 0.05  # from a syllable's peak to the end of the beat's stroke
_PAUSE_S = 2.5
_RADIALS: tuple[Radial, ...] = ("out", "side", "front")


@dataclass(frozen=True)
class Beating:
    """Placement of beats.

    Parameters
    ----------
    softest : smoothed loudness below which there is none.
    apart_s : least time from a stroke to the next.
    window_s : in this window the loudest syllable is chosen; a rise or fall of the pitch counts as
        `favour` deviations.
    late_s : delay of a hand after its syllable, upward for a rise, downward for a fall.
    both : probability of two hands for a voice of average loudness; higher for a louder one.
    rows : rows of the position table upward per deviation of loudness; `lift_rows` is half the
        displacement of a hand that goes up or down with the pitch.
    """

    softest: float = -1.3
    apart_s: float = 0.65
    window_s: float = 0.6
    favour: float = 1.5
    late_s: float = 0.12
    both: float = 0.5
    rows: float = 1.3
    lift_rows: float = 1.0


def beat_syllables(contour: Contour, start_s: float, end_s: float, b: Beating) -> list[int]:
    """Syllables that get a beat, between the end of a stroke and the start of the next."""
    loud = np.flatnonzero(contour.felt(contour.peaks_s) > b.softest)
    peaks = contour.peaks_s[loud]
    worth = contour.loudness[loud] + b.favour * np.abs(contour.lifts[loud])
    out, now = [], start_s
    while True:
        first = now + b.apart_s
        last = min(first + b.window_s, end_s - b.apart_s)
        near = np.flatnonzero((peaks >= first) & (peaks <= last))
        if len(near):
            best = near[np.argmax(worth[near])]
            now = float(peaks[best])
            out.append(int(loud[best]))
            continue
        later = peaks[peaks > last]
        # Not across a pause: speech after it has its own onset.
        if last >= end_s - b.apart_s or not len(later) or later[0] - now > _PAUSE_S:
            return out
        now = float(later[0]) - b.apart_s


def beat(
    contour: Contour, k: int, rng: np.random.Generator, b: Beating
) -> tuple[ScriptGesture, float]:
    """A beat for a syllable, at a height set by its loudness, and the time of its speed peak."""
    lift, late = float(contour.lifts[k]), b.late_s if contour.lifts[k] else 0.0
    at_s = float(contour.peaks_s[k]) + late
    felt = float(contour.felt(contour.peaks_s[k : k + 1])[0])
    up = b.rows * felt + 0.3 * float(rng.normal())
    aside = (felt <= 0.7) + (felt <= 0.0) + (rng.random() < 0.3)
    place = HandPosition(
        _height(up),
        "far" if felt > 0.6 else "normal" if felt > -0.1 else "close",
        _RADIALS[min(int(aside), 2)],
        "normal",
    )
    start = replace(place, height=_height(up - b.lift_rows * lift))
    end = replace(place, height=_height(up + b.lift_rows * lift))
    two = bool(rng.random() < b.both + 0.35 * felt)
    hands: Hands = "2H" if two else "RH" if rng.random() < 0.7 else "LH"
    apart = float(np.clip(0.9 + 0.35 * felt, 0.6, 1.6)) if two else None
    lexeme = "Rise" if lift > 0.0 else "Sink" if lift < 0.0 else "Beat"
    made = ScriptGesture(
        lexeme,
        hands,
        "prep+stroke",
        "open-rlx",
        "curved",
        at_s + _OFFSET_S,
        0.35 if lift else 0.3,
        start=start,
        end=end,
        start_distance=apart,
        end_distance=apart,
    )
    return made, at_s


def _height(up: float) -> Height:
    return HEIGHTS[int(np.clip(np.rint(_MIDDLE - up), _HIGHEST, _LOWEST))]
