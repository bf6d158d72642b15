"""Names that an annotation may use: those of the scheme and their synonyms.

Tiers, details and values of a file are looked up here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from kinesphere.corpus.annotation.annotation import DIRECTIONS, TRAJECTORIES
from kinesphere.gesture.positions import DIMENSIONS

PLACES: Mapping[str, tuple[str, ...]] = {
    f"{end}-{name}": (f"{name} {end}",) for end in ("start", "end") for name in DIMENSIONS
}
NOTHING = ("none", "no lexeme", "unknown", "-", "?")
"""Values for a gesture that fits no lexeme."""


def name_key(name: str) -> str:
    """Normalised name: without case, spaces, dashes and underscores."""
    return re.sub(r"[\W_]+", "", name).casefold() or name.strip()


class Names(dict[str, tuple[str, ...]]):
    """Names of the scheme, each with its synonyms.

    >>> TIERS.find("G-Phrase"), HANDS.find("both_hands"), HANDS.find("tentacle")
    ('gestures', '2H', None)
    """

    def __init__(self, table: Mapping[str, tuple[str, ...]]) -> None:
        super().__init__(table)
        self._meant = {name_key(other): name for name, others in table.items() for other in others}
        self._meant |= {name_key(name): name for name in table}

    def find(self, written: str) -> str | None:
        """Name of the scheme; case, spaces, dashes and underscores do not matter."""
        return self._meant.get(name_key(written))


TIERS = Names(
    {
        "words": ("word", "token", "tokens", "transcript", "orthography", "ort"),
        "clauses": ("clause", "segment", "segments", "discourse segments"),
        "information": ("information structure", "info structure", "theme rheme"),
        "focus": ("foci", "focus words"),
        "phases": ("phase", "g-phase", "g-phases", "gesture phase", "gesture phases"),
        "gestures": (
            "gesture",
            "phrase",
            "phrases",
            "g-phrase",
            "g-phrases",
            "gesture phrase",
            "gesture phrases",
        ),
        "units": ("unit", "g-unit", "g-units", "gesture unit", "gesture units"),
        "turns": ("turn", "body turn", "body turns"),
        "head-turns": ("head turn",),
    }
)
"""Tiers of the scheme and their synonyms."""
VALUES: Mapping[str, tuple[str, ...]] = {
    "words": ("token", "word", "text", "orthography", "utterance", "label"),
    "clauses": ("text", "clause", "label", "type"),
    "information": ("type", "information", "role", "label"),
    "focus": ("type", "focus", "role", "label"),
    "phases": ("phase", "type", "kind", "label"),
    "gestures": ("lexeme", "lemma", "gesture", "name", "type", "label"),
    "units": ("rest-pose", "rest", "rest position", "type", "label"),
    "turns": ("direction", "turn", "type", "label"),
    "head-turns": ("direction", "turn", "type", "label"),
}
"""Names for the value of an annotation itself, by tier: attributes in ANVIL, child tiers."""
DETAILS: Mapping[str, Names] = {
    "words": Names(
        {
            "lemma": ("lemmas", "lemmata"),
            "part-of-speech": ("pos", "word class"),
            "tag": ("tags", "semantic tag", "semantic tags"),
        }
    ),
    "gestures": Names(
        {
            "handedness": ("hand", "hands", "hand used"),
            "hand-shape": ("shape", "hand shapes"),
            "trajectory": ("path",),
            "start-position": ("start", "position start", "from"),
            "end-position": ("end", "position end", "to"),
            "hand-distance": ("distance", "two-hand distance", "2h distance"),
            "strokes": ("number of strokes", "stroke count"),
            "stroke-ends": ("ends of strokes",),
            "affiliate": ("lexical affiliate", "lexical affiliation", "affiliation"),
            "co-occurrence": ("temporal co-occurrence",),
            **PLACES,
        }
    ),
}
"""Details of the annotations of a tier, and their synonyms."""
PHASES = Names(
    {
        "preparation": ("prep", "p"),
        "hold": (
            "h",
            "pre-stroke hold",
            "post-stroke hold",
            "pre-hold",
            "post-hold",
            "independent hold",
            "stroke hold",
        ),
        "stroke": ("s", "main stroke", "after-stroke", "post-stroke", "repeated stroke"),
        "retraction": ("retract", "retr", "r", "partial retraction", "recovery"),
        "rest": ("rest pose", "rest position", "resting"),
    }
)
HANDS = Names(
    {
        "LH": ("L", "left", "left hand"),
        "RH": ("R", "right", "right hand"),
        "2H": ("BH", "B", "both", "both hands", "two", "two hands", "bimanual", "two-handed"),
    }
)
STRUCTURE = Names(
    {"theme": ("topic", "given", "th"), "rheme": ("comment", "new", "rh"), "focus": ("foc",)}
)
POSES = Names(
    {
        "at-side": ("at sides", "side", "sides", "hanging"),
        "in-pockets": ("in pocket", "pockets"),
        "clasped": ("hands clasped",),
        "folded": ("arms folded", "crossed", "arms crossed"),
        "behind-back": ("behind", "back"),
    }
)
PATHS = Names(dict.fromkeys(TRAJECTORIES, ()))
WAYS = Names(dict.fromkeys(DIRECTIONS, ()))


@cache
def own_names(names: tuple[str, ...]) -> Names:
    """Names without synonyms."""
    return Names(dict.fromkeys(names, ()))


def detail_name(written: str, tier: str) -> str | None:
    """Name of a detail of a tier; ``value`` for the annotation's own value."""
    found = DETAILS[tier].find(written) if tier in DETAILS else None
    if found is None and name_key(written) in map(name_key, VALUES[tier]):
        return "value"
    return found


def detail_of_any_tier(written: str) -> tuple[str, str] | None:
    """Tier and detail that a name means without a parent tier."""
    found = ((tier, names.find(written)) for tier, names in DETAILS.items())
    return next(((tier, name) for tier, name in found if name is not None), None)
