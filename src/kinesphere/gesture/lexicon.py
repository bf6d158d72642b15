"""The gestures that have names: what each means and looks like, as data that users can add to.

The entries stand in ``data/lexemes.toml``. Speakers share one lexicon and differ in which entries
they use, how often, with which hand and where.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from kinesphere.errors import InvalidValueError
from kinesphere.gesture.positions import HandPosition

HAND_SHAPES = (
    "rest", "open-rlx", "open-flat", "open-spread", "cup", "dome", "claw", "fist", "fist-loose",
    "index", "index-rlx", "gap", "ring", "purse", "thumb-up", "victory", "two-de", "three",
    "three-de", "four", "snap", "snap-end", "mesh",
)  # fmt: skip
CLASSES = ("emblem", "metaphoric", "deictic", "beat", "iconic")
_MIDDLE = HandPosition("abdomen", "normal", "front", "normal")
WARPS = ("ease", "soft", "accel", "hit", "whip", "snap", "even")


@dataclass(frozen=True)
class Lexeme:
    """A gesture of the lexicon, described for the right hand; see ``data/lexemes.toml``.

    One that is `particular` needs words that mean it; others can go with any stressed word.
    A shape may be two: ``a>b`` changes during the stroke, ``a+b`` has the other hand's after the
    plus. A lexeme `without_hands` is done by head or shoulders, and has none of the rest.
    """

    name: str
    kind: str
    meaning: str
    without_hands: bool = False
    particular: bool = False
    hands: tuple[float, float, float] = (1.0, 0.0, 0.0)
    shapes: tuple[str, ...] = ()
    start: HandPosition = _MIDDLE
    end: HandPosition = _MIDDLE
    hand_distance: tuple[float, float] = (0.7, 0.7)
    travel_cm: tuple[float, float, float] = (0.0, 0.0, 0.0)
    palm: tuple[str, str] = ("I", "I")
    fingers: tuple[str, str] = ("F", "F")
    wrist_flexion: tuple[float, float] = (0.0, 0.0)
    wrist_deviation: tuple[float, float] = (0.0, 0.0)
    forearm_roll: tuple[float, float] = (0.0, 0.0)
    trajectory: str = "straight"
    stroke_s: float = 0.3
    hold: tuple[float, float] = (0.5, 0.5)
    strokes: float = 1.2
    warp: str = "ease"
    effort: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        for shape in self.shapes:
            for part in shape.replace("+", ">").split(">"):
                if part not in HAND_SHAPES:
                    raise InvalidValueError(
                        f"{self.name} has hand shape {part!r}, allowed are {', '.join(HAND_SHAPES)}"
                    )
        for name, value, allowed in (
            ("class", self.kind, CLASSES),
            ("warp", self.warp, WARPS),
            ("trajectory", self.trajectory, ("straight", "curved")),
        ):
            if value not in allowed:
                raise InvalidValueError(
                    f"{self.name} has {name} {value!r}, allowed are {', '.join(allowed)}"
                )


@cache
def lexicon() -> Mapping[str, Lexeme]:
    """All lexemes by name, in the order of the file."""
    text = files("kinesphere.gesture").joinpath("data/lexemes.toml").read_text(encoding="utf-8")
    entries = tomllib.loads(text)
    return MappingProxyType({name: _lexeme(name, entry) for name, entry in entries.items()})


def _lexeme(name: str, entry: Mapping[str, Any]) -> Lexeme:
    values = {("kind" if key == "class" else key): value for key, value in entry.items()}
    known = {part.name for part in fields(Lexeme)}
    unknown = sorted(set(values) - known)
    if unknown:
        raise InvalidValueError(f"{name} has {unknown[0]!r}, allowed are {', '.join(known)}")
    for key in ("start", "end"):
        if key in values:
            values[key] = HandPosition.of_text(values[key])
    made: dict[str, Any] = {
        key: tuple(v) if isinstance(v, list) else v for key, v in values.items()
    }
    return Lexeme(name=name, **made)


def hand_lexemes() -> tuple[str, ...]:
    """Names of the lexemes that hands do."""
    return tuple(name for name, entry in lexicon().items() if not entry.without_hands)


def suggestion(name: str, among: Iterable[str] | None = None) -> str:
    """Say which known names are near an unknown one: for error messages.

    >>> suggestion("PointingPersn").split(", ")[0]
    'PointingPerson'
    """
    names = list(lexicon() if among is None else among)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    return ", ".join(near) if near else ", ".join(names)
