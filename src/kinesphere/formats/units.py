"""Unit of length of a file that declares none, estimated from the height of its body."""

from __future__ import annotations

from dataclasses import dataclass

from kinesphere.errors import InvalidValueError

UNITS_M: dict[str, float] = {
    "m": 1.0,
    "cm": 0.01,
    "mm": 0.001,
    "inch": 0.0254,
    "cmu": 0.0254 / 0.45,
}
"""Metres per unit. The CMU library uses inches divided by 0.45: 5.64 cm."""

# Heights, in the file's unit, at which each unit gives a plausible height of a person.
_RANGES = (
    ("m", 0.9, 2.5),
    ("cmu", 20.0, 40.0),
    ("inch", 40.0, 90.0),
    ("cm", 90.0, 250.0),
    ("mm", 900.0, 2500.0),
)
PLAUSIBLE_HEIGHT_M = 1.70


@dataclass(frozen=True)
class Unit:
    """A unit of length: its name, metres per unit, and a note on how it was found."""

    name: str
    metres: float
    note: str


def named_unit(name: str) -> Unit:
    """A unit named by the user, or metres per unit as a number."""
    if name in UNITS_M:
        return Unit(name, UNITS_M[name], f"unit given: {name}")
    try:
        metres = float(name)
    except ValueError:
        metres = 0.0
    if not 1e-6 <= metres <= 1e3:
        allowed = ", ".join(UNITS_M)
        raise InvalidValueError(
            f"unit {name!r}; allowed are auto, {allowed}, or metres per unit from 1e-6 to 1000"
        )
    return Unit(name, metres, f"unit given: {metres:g} m")


def recognised_unit(height: float) -> Unit:
    """Estimate the unit from a body's height in it; 0 means no body."""
    if height <= 0.0:
        return Unit("cm", UNITS_M["cm"], "no humanoid to infer the unit from: centimetres assumed")
    for name, low, high in _RANGES:
        if low <= height < high:
            tall = height * UNITS_M[name]
            return Unit(
                name, UNITS_M[name], f"unit {name}, because the body is then {tall:.2f} m tall"
            )
    metres = PLAUSIBLE_HEIGHT_M / height
    return Unit(
        "scaled",
        metres,
        f"a body {height:.3g} units tall fits no known unit: scaled to {PLAUSIBLE_HEIGHT_M:.2f} m",
    )
