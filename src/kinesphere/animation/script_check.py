"""Checks of a gesture script before it is performed: lexemes, hand shapes, times."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kinesphere.errors import InvalidValueError
from kinesphere.gesture.lexicon import HAND_SHAPES, Lexeme, lexicon, suggestion, variant
from kinesphere.gesture.script import GestureScript, ScriptGesture

_NONE, _UNNAMED = "none", "Beat"
LONGEST_S = 6.0 * 3600.0
"""Longest duration of a performance."""


def check_script(script: GestureScript, known: Mapping[str, Lexeme] | None = None) -> None:
    """Reject a script with unknown lexemes or invalid times."""
    names = known or lexicon()
    for turn in (*script.body_turns, *script.head_turns):
        if turn.time_s > LONGEST_S:
            raise InvalidValueError(
                f"a turn is at {turn.time_s:g} s, allowed is up to {LONGEST_S:g} s"
            )
    last = -np.inf
    for i, g in enumerate(script.gestures, 1):
        if g.lexeme not in ("", _NONE) and g.lexeme not in names:
            raise InvalidValueError(
                f"gesture {i} has lexeme {g.lexeme!r}, which is not known; near are "
                f"{suggestion(g.lexeme, names)}"
            )
        for shape in () if lexeme_of(g, names).without_hands else _shapes(g):
            if shape not in HAND_SHAPES:
                raise InvalidValueError(
                    f"gesture {i} ({g.lexeme}) has hand shape {shape!r}, allowed are "
                    f"{', '.join(HAND_SHAPES)}"
                )
        if not g.end_s <= LONGEST_S:
            raise InvalidValueError(
                f"gesture {i} ({g.lexeme}) ends at {g.end_s:g} s, allowed is up to {LONGEST_S:g} s"
            )
        if g.meant_start_s < -1e-6:
            raise InvalidValueError(
                f"gesture {i} ({g.lexeme}) starts at {g.meant_start_s:g} s, allowed is 0 or later"
            )
        if g.last_stroke_end_s < last - 1e-6:
            raise InvalidValueError(
                f"gesture {i} ({g.lexeme}) ends its stroke at {g.last_stroke_end_s:g} s, before "
                f"the one before it at {last:g} s"
            )
        last = g.last_stroke_end_s


def _shapes(g: ScriptGesture) -> list[str]:
    """Names of the hand shapes of a gesture."""
    acting, _, other = (g.handshape or "").partition("+")
    both = f"{acting}>{other}" if g.hands == "2H" else acting
    return [name for name in both.split(">") if name]


def lexeme_of(g: ScriptGesture, known: Mapping[str, Lexeme]) -> Lexeme:
    """Lexeme of a gesture; gestures without one, as in annotations, are performed like a beat."""
    entry = known[_UNNAMED if g.lexeme in ("", _NONE) else g.lexeme]
    if g.hands == "2H" and "two-hands" in entry.variants:
        return variant(entry, "two-hands")
    return entry
