"""Stance habits of a person: how the feet stand, how the weight travels, how the trunk wanders.

People differ more in these than in anything else of a standing body: one never shifts the weight,
another does every two seconds. So they are a trait, from still to restless, and within it each
person (each seed) has values of its own.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields, replace

import numpy as np

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats

STANCES = {"still": 0.0, "calm": 0.3, "easy": 0.5, "lively": 0.75, "restless": 1.0}
"""Named levels of restlessness."""


@dataclass(frozen=True)
class Stance:
    """Habits of one person of 1.75 m; the compiled loop reads the fields in this order.

    Parameters
    ----------
    width_m, stagger_m : distance of the ankles to the side, and of the left ankle ahead.
    left_out, right_out : how far the feet are turned outward, radians.
    middle : the weight's usual share on the left foot.
    shifts_per_min : weight shifts while speaking.
    shift_dev : largest deviation of the share from the middle.
    steps_per_min, step_m : moves of the free foot that the weight follows, and their spread.
    pivots_per_min : adjustments of the free foot in place.
    heels_per_min : heels that are lifted.
    drift : RMS of the share's own drift.
    fore_m, bob_m : RMS of the hips fore and aft, and up and down (0.5 to 3 Hz).
    yaw, pitch, roll : RMS of the pelvis's own rotation, radians.
    spine_yaw, spine_pitch, spine_roll : RMS of the spine's own rotation on the pelvis.
    roll_per_m, yaw_per_m : rotation of the pelvis per metre of its shift to the left.
    knee : flexion of the straighter knee, radians; `knee_wander` its RMS.
    with_head : ratio of the head's turns that the chest makes along with it.
    hip_up : habitual roll of the pelvis, its left side up, radians; the spine undoes it.
    """

    width_m: float = 0.25
    stagger_m: float = 0.042
    left_out: float = 0.14
    right_out: float = 0.2
    middle: float = 0.5
    shifts_per_min: float = 22.0
    shift_dev: float = 0.33
    steps_per_min: float = 12.0
    step_m: float = 0.05
    pivots_per_min: float = 7.0
    heels_per_min: float = 13.0
    drift: float = 0.05
    fore_m: float = 0.022
    bob_m: float = 0.0012
    yaw: float = 0.155
    pitch: float = 0.055
    roll: float = 0.032
    spine_yaw: float = 0.034
    spine_pitch: float = 0.03
    spine_roll: float = 0.056
    roll_per_m: float = -0.6
    yaw_per_m: float = 0.3
    knee: float = 0.17
    knee_wander: float = 0.008
    with_head: float = 0.95
    hip_up: float = 0.0

    def __post_init__(self) -> None:
        for part in fields(self):
            if not np.isfinite(getattr(self, part.name)):
                raise InvalidValueError(f"{part.name} is {getattr(self, part.name)}, not a number")

    @property
    def row(self) -> Floats:
        """Its numbers for the compiled loop."""
        return np.array(astuple(self), dtype=np.float64)


STILL = Stance(
    shifts_per_min=4.0,
    shift_dev=0.12,
    steps_per_min=0.0,
    pivots_per_min=0.6,
    heels_per_min=3.0,
    drift=0.025,
    fore_m=0.014,
    bob_m=0.0012,
    yaw=0.075,
    pitch=0.026,
    spine_roll=0.048,
)
RESTLESS = Stance(
    width_m=0.3,
    stagger_m=0.065,
    shifts_per_min=34.0,
    shift_dev=0.42,
    steps_per_min=24.0,
    step_m=0.07,
    pivots_per_min=9.0,
    heels_per_min=16.0,
    fore_m=0.028,
    bob_m=0.0025,
    yaw=0.17,
    pitch=0.062,
    roll=0.036,
    spine_roll=0.07,
)
PINNED = replace(Stance(*(0.0 for _ in fields(Stance))), width_m=0.174, middle=0.5, knee=0.2)
"""No habits at all: feet and hips as in the rest pose, only what is asked for moves."""

# Spread (log) of each value between people of one level; those that are not named do not differ.
_SPREADS = {
    "width_m": 0.12,
    "shifts_per_min": 0.45,
    "shift_dev": 0.25,
    "steps_per_min": 0.4,
    "step_m": 0.25,
    "pivots_per_min": 0.4,
    "heels_per_min": 0.6,
    "fore_m": 0.25,
    "bob_m": 0.35,
    "yaw": 0.4,
    "pitch": 0.3,
    "roll": 0.3,
    "spine_yaw": 0.4,
    "spine_pitch": 0.35,
    "spine_roll": 0.4,
    "knee": 0.25,
}

_HIP_UP_RAD = 0.025
"""Spread of the pelvis's habitual roll between people, radians."""


def stance_level(value: str | float) -> float:
    """Restlessness from 0 (still) to 1 (restless), from a name or a number.

    Raises
    ------
    InvalidValueError
        For an unknown name, or a number outside 0 to 1.

    >>> stance_level("easy"), stance_level("0.7")
    (0.5, 0.7)
    """
    if isinstance(value, str):
        if value in STANCES:
            return STANCES[value]
        try:
            value = float(value)
        except ValueError:
            names = ", ".join(STANCES)
            raise InvalidValueError(
                f"stance is {value!r}, allowed is {names}, or a number from 0 to 1"
            ) from None
    if not 0.0 <= value <= 1.0:
        raise InvalidValueError(f"stance is {value:g}, allowed is 0 (still) to 1 (restless)")
    return float(value)


def stance_of(level: float, seed: int) -> Stance:
    """Habits of one person with a given restlessness."""
    middle = Stance()
    low, high = (STILL, middle) if level < 0.5 else (middle, RESTLESS)
    ratio = 2.0 * level if level < 0.5 else 2.0 * level - 1.0
    a, b = np.array(astuple(low)), np.array(astuple(high))
    base = Stance(*(a + ratio * (b - a)).tolist())
    rng = np.random.default_rng([abs(seed), 77])
    changes = {}
    for name, spread in _SPREADS.items():
        changes[name] = getattr(base, name) * float(np.exp(spread * np.clip(rng.normal(), -2, 2)))
    ahead = 1.0 if rng.uniform() < 0.5 else -1.0
    return replace(
        base,
        **changes,
        stagger_m=ahead * base.stagger_m * float(rng.uniform(0.1, 1.9)),
        left_out=float(rng.uniform(0.05, 0.28)),
        right_out=float(rng.uniform(0.05, 0.28)),
        hip_up=_HIP_UP_RAD * float(np.clip(rng.normal(), -2, 2)),
        middle=0.5 + 0.07 * float(np.clip(rng.normal(), -2, 2)),
        yaw_per_m=base.yaw_per_m * float(rng.choice([-1.0, 1.0])),
        roll_per_m=base.roll_per_m * float(rng.uniform(-0.1, 1.3)),
    )
