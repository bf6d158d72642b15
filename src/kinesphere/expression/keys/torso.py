"""Shape in the torso (EMOTE section 4.2, eqs 25-26).

Each attitude has the largest angles by which it rotates the parts it moves: Horizontal mainly the
clavicles and slightly the pelvis, Vertical mainly spine and neck and also the clavicles, Sagittal
mainly the pelvis and also spine and neck. Contributions of the dimensions add up. The paper gives
no angles; those here are our own choice, in one table that a user can replace.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np

from kinesphere.expression.phrase import Phrase
from kinesphere.maths.arrays import Floats
from kinesphere.motion.keyed.keyed_motion import TorsoKeys


@dataclass(frozen=True)
class TorsoTable:
    """Largest angles in degrees: part to angle, for each attitude.

    Pelvis, spine and neck bend about +X, forward is positive; ``clavicle`` rotates both shoulders
    forward, ``clavicle_up`` raises them.
    """

    spreading: Mapping[str, float] = None  # type: ignore[assignment]
    enclosing: Mapping[str, float] = None  # type: ignore[assignment]
    rising: Mapping[str, float] = None  # type: ignore[assignment]
    sinking: Mapping[str, float] = None  # type: ignore[assignment]
    advancing: Mapping[str, float] = None  # type: ignore[assignment]
    retreating: Mapping[str, float] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        for part in fields(self):
            if getattr(self, part.name) is None:
                object.__setattr__(self, part.name, dict(DEFAULT_ANGLES[part.name]))


DEFAULT_ANGLES: Mapping[str, Mapping[str, float]] = {
    "spreading": {"clavicle": -14.0, "pelvis": -3.0},
    "enclosing": {"clavicle": 16.0, "pelvis": 4.0},
    "rising": {"spine": -9.0, "neck": -9.0, "clavicle_up": 6.0},
    "sinking": {"spine": 14.0, "neck": 24.0, "clavicle_up": -6.0},
    "advancing": {"pelvis": 14.0, "spine": 10.0, "neck": -14.0},
    "retreating": {"pelvis": -8.0, "spine": -6.0, "neck": 8.0},
}
_DIMENSIONS = (
    ("horizontal", "spreading", "enclosing"),
    ("vertical", "rising", "sinking"),
    ("sagittal", "advancing", "retreating"),
)


def torso_turns(shape: Mapping[str, Floats], table: TorsoTable | None = None) -> dict[str, Floats]:
    """Rotations ``[..., 3]`` of the torso's parts for values ``[...]`` of the three dimensions.

    Parts that no value moves are omitted.
    """
    table = table or TorsoTable()
    angles: dict[str, Floats] = {}
    for dimension, indulging, fighting in _DIMENSIONS:
        value = np.asarray(shape.get(dimension, 0.0), dtype=np.float64)
        if not value.any():
            continue
        for attitude, amount in (
            (indulging, np.maximum(-value, 0.0)),
            (fighting, np.maximum(value, 0.0)),
        ):
            for part, degrees in getattr(table, attitude).items():
                angles[part] = angles.get(part, 0.0) + amount * np.radians(degrees)
    out: dict[str, Floats] = {}
    for part in ("pelvis", "spine", "neck"):
        if part in angles and np.any(angles[part]):
            out[part] = angles[part][..., None] * np.array([1.0, 0.0, 0.0])
    forward, up = angles.get("clavicle"), angles.get("clavicle_up")
    if forward is not None or up is not None:
        zero = np.zeros_like(forward if forward is not None else up)
        for side, sign in (("left", 1.0), ("right", -1.0)):
            turn = -sign * (zero if forward is None else forward)
            lift = sign * (zero if up is None else up)
            out[f"{side}Clavicle"] = np.stack([np.zeros_like(zero), turn, lift], axis=-1)
    return out


def shape_torso(
    keys: TorsoKeys | None, times: Floats, phrase: Phrase, table: TorsoTable | None = None
) -> TorsoKeys | None:
    """Key poses with the torso's Shape added; `times` are used where there are no keys yet."""
    if not phrase.touches("torso", ("horizontal", "vertical", "sagittal")):
        return keys
    at = times if keys is None else keys.times
    turns = torso_turns(phrase.at("torso", at), table)
    base = {} if keys is None else keys.turns
    names = [*base, *(part for part in turns if part not in base)]
    zero = np.zeros((len(at), 3))
    return TorsoKeys(at, {p: base.get(p, zero) + turns.get(p, zero) for p in names})
