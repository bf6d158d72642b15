"""Tension presets, the scale between them, and their text forms.

The paper's sets, of (rest error, zeta) for strokes and for retractions: *tense* is its fairly
stiff character and *relaxed* its looser one (section 5); *trembling* and *loose* are the high and
the low settings of its first study (section 6.1). *Neutral* is our own choice, between the two:
stiff enough to follow most gestures, with a flat response, so that it changes the motion little.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.dynamics.tension.mass_tracker import Parameters
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats

_UNITS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0}
_FORMS = "a number from -1 (loose) to 1 (trembling), or ERROR,ZETA such as 5mm,0.3"


@dataclass(frozen=True)
class Tension:
    """Parameters of the two kinds of movement.

    Parameters
    ----------
    stroke : for strokes and the phases before them.
    retraction : for retractions, usually looser.

    Examples
    --------
    >>> import kinesphere as ks
    >>> take = ks.perform("This is huge!", "host", seed=1, voice="none", tension="loose")
    >>> take.provenance["tense"]["tension"]
    'loose'
    """

    stroke: Parameters
    retraction: Parameters


def _preset(stroke: tuple[float, float], retraction: tuple[float, float]) -> Tension:
    return Tension(Parameters(*stroke), Parameters(*retraction))


PRESETS: Mapping[str, Tension] = MappingProxyType(
    {
        "loose": _preset((0.15, 0.5), (0.30, 0.4)),
        "relaxed": _preset((0.10, 0.5), (0.15, 0.4)),
        # A flat response up to 2.5 Hz, 9 mm of overshoot at 1 m/s; settles later than tense does.
        "neutral": _preset((0.035, 0.65), (0.05, 0.65)),
        "tense": _preset((0.005, 0.3), (0.01, 0.4)),
        "trembling": _preset((0.003, 0.15), (0.005, 0.2)),
    }
)
SCALE: Mapping[str, float] = MappingProxyType(
    dict(zip(PRESETS, (-1.0, -0.5, 0.0, 0.5, 1.0), strict=True))
)
"""Position of each preset on the scale of `tension`."""


def tension(value: ArrayLike) -> Tension:
    """Tension on a scale from -1 (loose) over 0 (neutral) to 1 (trembling).

    Between two neighbouring presets, half a unit apart, the logarithm of the rest error and zeta
    change linearly with the value; at -1, -0.5, 0, 0.5 and 1 they are the presets exactly. So the
    rest error falls monotonically (0.15 m to 3 mm for strokes), and zeta rises to neutral and falls
    from there. An array gives parameters of its shape.

    >>> tension(0.5) == PRESETS["tense"]
    True
    """
    at = np.asarray(value, dtype=np.float64)
    if not np.all((at >= -1.0) & (at <= 1.0)):
        bad = at[~((at >= -1.0) & (at <= 1.0))].flat[0]
        raise InvalidValueError(f"tension is {bad:g}, allowed is -1 (loose) to 1 (trembling)")
    return Tension(
        _between(at, [preset.stroke for preset in PRESETS.values()]),
        _between(at, [preset.retraction for preset in PRESETS.values()]),
    )


def _between(at: Floats, presets: list[Parameters]) -> Parameters:
    marks = list(SCALE.values())
    errors = np.array([preset.rest_error_m for preset in presets])
    error = np.exp(np.interp(at, marks, np.log(errors)))
    # The logarithm and back loses the last digit; a preset's position gives its exact number.
    for mark, exact in zip(marks, errors, strict=True):
        error = np.where(np.equal(at, mark), exact, error)
    zeta = np.interp(at, marks, np.array([preset.zeta for preset in presets]))
    return Parameters(np.asarray(error), np.asarray(zeta))


def parse(text: str) -> Tension:
    """Parse ``tense``, ``0.4`` (a position on the scale), ``5mm,0.3``, ``1cm,0.4`` or ``0.05,0.3``.

    A pair of rest error (metres without a unit) and zeta applies to strokes and retractions alike.

    Raises
    ------
    InvalidValueError
        With one line that says what was found and what is allowed.

    >>> parse("5mm, 0.3").stroke
    Parameters(rest_error_m=0.005, zeta=0.3)
    """
    word = text.strip().lower()
    if word in PRESETS:
        return PRESETS[word]
    if "," in word:
        both = parse_parameters(word)
        return Tension(both, both)
    number = _number(word)
    if number is None:
        raise InvalidValueError(
            f"tension {text!r} is unknown; allowed are {', '.join(PRESETS)}, {_FORMS}"
        )
    return tension(number)


def parse_parameters(text: str) -> Parameters:
    """Parse a pair ``ERROR,ZETA`` such as ``5mm,0.3``."""
    parts = text.split(",")
    if len(parts) != 2:
        raise InvalidValueError(f"{text!r} is no pair; allowed is ERROR,ZETA such as 5mm,0.3")
    zeta = _number(parts[1])
    if zeta is None:
        raise InvalidValueError(
            f"zeta {parts[1].strip()!r} is no number; allowed is above 0 up to 5"
        )
    return Parameters(parse_rest_error(parts[0]), zeta)


def parse_rest_error(text: str) -> float:
    """Parse a length such as ``5mm``, ``1.5 cm``, ``0.05m`` or ``0.05`` (metres), in metres."""
    word = text.strip().lower()
    unit = next((u for u in _UNITS if word.endswith(u)), "")
    number = _number(word.removesuffix(unit))
    if number is None:
        raise InvalidValueError(
            f"rest error {text.strip()!r} is no length; allowed is 0.1mm to 2m "
            "in mm, cm, m, or metres without a unit"
        )
    # Division by a whole number is rounded once: 5 mm is 0.005 exactly as written.
    metres = number / round(1.0 / _UNITS[unit]) if unit else number
    return float(Parameters(metres, 1.0).rest_error_m)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
