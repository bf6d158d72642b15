"""Discrete hand positions of Table 4.1 (Neff, Kipp, Albrecht and Seidel 2008).

Three dimensions of the hand (height, distance from the body, radial zone) and one of the
elbow (inclination). An annotator distinguishes them easily; animation puts the hand into the
middle of each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast, get_args

from kinesphere.errors import InvalidValueError

Height = Literal["above-head", "head", "shoulder", "chest", "abdomen", "belt", "below-belt"]
Distance = Literal["far", "normal", "close", "touch"]
Radial = Literal["far-out", "out", "side", "front", "inward"]
Inclination = Literal["orthogonal", "out", "normal", "touch"]

HEIGHTS: tuple[Height, ...] = get_args(Height)
DISTANCES: tuple[Distance, ...] = get_args(Distance)
RADIALS: tuple[Radial, ...] = get_args(Radial)
INCLINATIONS: tuple[Inclination, ...] = get_args(Inclination)

DIMENSIONS: dict[str, tuple[str, ...]] = {
    "height": HEIGHTS,
    "distance": DISTANCES,
    "radial": RADIALS,
    "inclination": INCLINATIONS,
}
_ALIASES = {"belly": "abdomen", "stomach": "abdomen", "waist": "belt"}


def place_name(dimension: str, written: str) -> str:
    """Name of a position in Table 4.1; case, spaces and underscores do not matter.

    >>> place_name("height", "Above Head"), place_name("height", "belly")
    ('above-head', 'abdomen')
    """
    name = "-".join(written.strip().lower().replace("_", " ").replace("-", " ").split())
    name = _ALIASES.get(name, name) if dimension == "height" else name
    allowed = DIMENSIONS[dimension]
    if name not in allowed:
        raise InvalidValueError(f"{dimension} is {written!r}, allowed are {', '.join(allowed)}")
    return name


@dataclass(frozen=True, order=True)
class HandPosition:
    """Position of a hand and inclination of its elbow.

    >>> HandPosition.of_text("abdomen/normal/side/touch").radial
    'side'
    """

    height: Height
    distance: Distance
    radial: Radial
    inclination: Inclination

    def __post_init__(self) -> None:
        for dimension in DIMENSIONS:
            name = place_name(dimension, getattr(self, dimension))
            object.__setattr__(self, dimension, name)

    def __str__(self) -> str:
        return f"{self.height}/{self.distance}/{self.radial}/{self.inclination}"

    @classmethod
    def of_text(cls, text: str) -> HandPosition:
        """Read the text form, ``height/distance/radial/inclination``."""
        parts = text.split("/")
        if len(parts) != 4:
            raise InvalidValueError(
                f"position {text!r} has {len(parts)} parts, allowed are "
                "height/distance/radial/inclination"
            )
        names = [place_name(d, part) for d, part in zip(DIMENSIONS, parts, strict=True)]
        return cls.of_names(names)

    @classmethod
    def of_names(cls, names: list[str]) -> HandPosition:
        """Position of four names that are allowed."""
        return cls(
            cast(Height, names[0]),
            cast(Distance, names[1]),
            cast(Radial, names[2]),
            cast(Inclination, names[3]),
        )

    @property
    def indices(self) -> tuple[int, int, int, int]:
        """Rows of the table, from the top."""
        return (
            HEIGHTS.index(self.height),
            DISTANCES.index(self.distance),
            RADIALS.index(self.radial),
            INCLINATIONS.index(self.inclination),
        )

    def steps_to(self, other: HandPosition) -> int:
        """Distance to another position in rows of the table, summed over all dimensions."""
        return sum(abs(a - b) for a, b in zip(self.indices, other.indices, strict=True))

    def shift(self, dimension: str, rows: int) -> HandPosition:
        """Position moved down by some rows in a dimension, at most to its last."""
        names = [self.height, self.distance, self.radial, self.inclination]
        index = list(DIMENSIONS).index(dimension)
        allowed = DIMENSIONS[dimension]
        row = min(max(self.indices[index] + rows, 0), len(allowed) - 1)
        changed: list[str] = [*names]
        changed[index] = allowed[row]
        return HandPosition.of_names(changed)
