"""Adapts a script to the voice: the hands follow loudness and pitch.

A loud stretch has large, high and wide gestures and beats between them, a soft one small, low and
few ones; after a rise of the pitch the hands go up, after a fall down. People do so to some
degree; here it is a rule, because a body-language model is to learn it.

A body that follows a voice does not know its words: gestures that need them (numbers, a wave), and
those with contacts of the hands, are omitted, and hands rest at the sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from tools.body_language.beats import Beating, beat, beat_syllables
from tools.body_language.contour import Contour

from kinesphere.animation.speech_cues import SpeechCues
from kinesphere.gesture.lexicon import lexicon
from kinesphere.gesture.positions import DISTANCES, HEIGHTS, HandPosition
from kinesphere.gesture.script import GestureScript, ScriptGesture, ScriptUnit
from kinesphere.maths.arrays import Floats

_HIGHEST, _LOWEST = HEIGHTS.index("shoulder"), HEIGHTS.index("belt")
_NEAREST = DISTANCES.index("close")
_USUAL = 0.4  # accent of an average syllable
_WEAKEST, _STRONGEST = -0.9, 1.8


@dataclass(frozen=True)
class Directions:
    """How closely the hands follow.

    Parameters
    ----------
    emphasis : by how much a deviation of loudness raises the accents that set the amplitude.
    own : ratio of a syllable's own accent that is kept.
    rows, lift_rows : of the position table, per deviation of loudness, and for a rise or fall.
    leaves_out : probability that a gesture is omitted, per deviation of softness.
    """

    emphasis: float = 1.0
    own: float = 0.5
    rows: float = 1.4
    lift_rows: float = 1.5
    leaves_out: float = 0.3


class _Cued(NamedTuple):
    """A gesture, the time of its syllable, and the syllable's prominence."""

    gesture: ScriptGesture
    moment_s: float | None
    accent: float


def directed(
    script: GestureScript,
    cues: SpeechCues,
    contour: Contour,
    rng: np.random.Generator,
    directions: Directions | None = None,
    beating: Beating | None = None,
) -> tuple[GestureScript, SpeechCues]:
    """Script and cues of a performance that follows the voice."""
    d, b = directions or Directions(), beating or Beating()
    if not len(contour):
        return script, cues
    units, at = [], 0
    for unit in script.units:
        rows = [_Cued(g, *cues.cue(at + k)) for k, g in enumerate(unit.gestures)]
        at += len(rows)
        kept = _followed(rows, contour, rng, d)
        if kept:
            units.append((kept, replace(unit, rest_pose="at-side")))
    filled = _with_beats(units, contour, rng, b)
    flat = [row for rows, _ in filled for row in rows]
    times = np.array([_moment(row) for row in flat])
    accents = _accents(np.array([row.accent for row in flat]), contour.felt(times), d)
    louder = _accents(cues.strengths, contour.felt(cues.peaks), d)
    made = [replace(unit, gestures=tuple(r.gesture for r in rows)) for rows, unit in filled]
    return replace(script, units=tuple(made)), replace(
        cues,
        gestures=tuple(row.moment_s for row in flat),
        accents=tuple(accents.tolist()),
        strengths=louder,
    )


def _moment(row: _Cued) -> float:
    return row.gesture.meant_start_s if row.moment_s is None else row.moment_s


def _accents(own: Floats, loud: Floats, d: Directions) -> Floats:
    return np.clip(_USUAL + d.own * (own - _USUAL) + d.emphasis * loud, _WEAKEST, _STRONGEST)


def _followed(
    rows: Sequence[_Cued], contour: Contour, rng: np.random.Generator, d: Directions
) -> list[_Cued]:
    """Gestures of a unit at their new positions, without some where the voice is soft."""
    rows = [row for row in rows if not _needs_words(row.gesture)]
    times = np.array([_moment(row) for row in rows])
    felt, lift = contour.felt(times), contour.lifted(times)
    stays = rng.random(len(rows)) >= d.leaves_out * -felt
    return [
        row._replace(gesture=_placed(row.gesture, float(felt[k]), float(lift[k]), d))
        for k, row in enumerate(rows)
        if stays[k]
    ]


def _needs_words(gesture: ScriptGesture) -> bool:
    entry = lexicon().get(gesture.lexeme)
    return entry is not None and (entry.particular or bool(entry.contact))


def _with_beats(
    units: Sequence[tuple[list[_Cued], ScriptUnit]],
    contour: Contour,
    rng: np.random.Generator,
    b: Beating,
) -> list[tuple[list[_Cued], ScriptUnit]]:
    """Units with beats between their gestures; those between two units belong to the first."""
    starts = [row.gesture.meant_start_s for rows, _ in units for row in rows]
    out, at = [], 0
    for rows, unit in units:
        filled: list[_Cued] = []
        for row in rows:
            filled.append(row)
            at += 1
            following = starts[at] if at < len(starts) else np.inf
            for k in beat_syllables(contour, row.gesture.last_stroke_end_s, following, b):
                filled.append(_Cued(*beat(contour, k, rng, b), _USUAL))
        out.append((filled, unit))
    return out


def _placed(gesture: ScriptGesture, loud: float, lift: float, d: Directions) -> ScriptGesture:
    """Gesture higher and farther, or lower and nearer."""
    entry = lexicon().get(gesture.lexeme)
    if entry is None or entry.without_hands or gesture.start is None:
        return gesture
    up = int(np.clip(np.rint(d.rows * loud + d.lift_rows * lift), -2, 2))
    far = int(np.clip(np.rint(d.rows * loud), -1, 1))
    end = None if gesture.end is None else _moved(gesture.end, up, far)
    return replace(gesture, start=_moved(gesture.start, up, far), end=end)


def _moved(place: HandPosition, up: int, far: int) -> HandPosition:
    """Position some rows up and away, not above the shoulders, below the belt, or at the body."""
    height, distance = place.indices[:2]
    higher = int(np.clip(height - up, min(height, _HIGHEST), max(height, _LOWEST)))
    farther = int(np.clip(distance - far, 0, max(distance, _NEAREST)))
    return place.shift("height", higher - height).shift("distance", farther - distance)
