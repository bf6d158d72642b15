"""Feature vector of a second of gesturing, 45 numbers, for Fréchet distance and diversity.

Channels are, at 60 Hz and smoothed at 10 Hz, for a body of 1.75 m: wrists and elbows from midway
between the shoulder joints, out to their own side, up and forward in the chest's axes (12, metres),
and the head's rotation from the chest as a rotation vector (3, degrees: nod, turn, tilt). Of each
channel a window of 1 s has its mean, its standard deviation and the root mean square of its
velocity. The numbers are divided by fixed units, about the variation of a calm speaker, so that no
part dominates. Nothing is learned: a motion's feature does not depend on any other motion.

It covers positions of arms and head, how far and how fast they move, and their correlations. It
does not cover the order of movements within a second, fingers, palms, face, legs, and whether
anything fits the speech.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinesphere.errors import InvalidValueError
from kinesphere.evaluation.movement import CUTOFF_HZ, HEIGHT_M, RATE_HZ, resample_values
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.maths.filters import low_pass
from kinesphere.motion.body.arms import SIDES, chest_bone, sign_of
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.kinematics import velocities
from kinesphere.motion.measure import body_height

WINDOW_S = 1.0
HOP_S = 0.5
STATISTICS = ("mean", "deviation", "velocity")
_AXES = ("out", "up", "forward")
_TURNS = ("nod", "turn", "tilt")
CHANNELS: tuple[str, ...] = (
    *(f"{side} {part} {axis}" for part in ("wrist", "elbow") for side in SIDES for axis in _AXES),
    *(f"head {turn}" for turn in _TURNS),
)
"""Channels in order: both wrists, both elbows, the head."""

POSED = (
    "head",
    *(f"{s}{b}" for b in ("UpperArm", "LowerArm", "Hand", "LowerLeg", "Foot") for s in SIDES),
)
"""Bones whose positions make a pose."""

# Units of mean, deviation and velocity: metres, metres, m/s; degrees, degrees, deg/s of the head.
_UNITS = {"wrist": (0.10, 0.05, 0.25), "elbow": (0.10, 0.05, 0.25), "head": (10.0, 5.0, 25.0)}

PARTS = {
    "where the wrists are": ("wrist", "mean"),
    "how far they go in a second": ("wrist", "deviation"),
    "how fast they move": ("wrist", "velocity"),
    "elbows": ("elbow", ""),
    "head": ("head", ""),
}
"""Groups of the feature, by channel and statistic; empty is any."""


@dataclass(frozen=True, eq=False)
class BodyPath:
    """A body over time at 60 Hz, for a height of 1.75 m.

    Parameters
    ----------
    channels : ``[n, 15]`` as in `CHANNELS`; NaN without a head.
    joints : ``[n, bones, 3]`` positions of `POSED` from the hips, in the hips' axes, metres; NaN
        without a head.
    """

    channels: Floats
    joints: Floats

    def __len__(self) -> int:
        return len(self.channels)

    @property
    def wrists(self) -> Floats:
        """Wrists ``[n, 2, 3]``: out, up, forward from between the shoulders, metres."""
        return self.channels[:, :6].reshape(-1, 2, 3)


def body_path(clip: Clip, rig: Rig) -> BodyPath:
    """Measure the channels and joints of a clip for features and diversity.

    Raises
    ------
    RigError
        If the rig is not a complete humanoid.
    """
    rig.require("measuring gestures")
    scale = HEIGHT_M / body_height(rig)
    places, turns = clip.world_positions, clip.world_rotations
    chest = rig.turn(turns, rig.joint(chest_bone(rig)))
    back = quaternion.inverse(chest)
    middle = places[:, rig.joints([f"{side}UpperArm" for side in SIDES])].mean(axis=1)
    columns = []
    for part in ("Hand", "LowerArm"):
        for side in SIDES:
            away = places[:, rig.joint(f"{side}{part}")] - middle
            own = np.array([float(sign_of(side)), 1.0, 1.0])
            columns.append(quaternion.rotate(back, away) * own * scale)
    head = np.full((len(clip), 3), np.nan)
    if "head" in rig:
        turn = quaternion.multiply(back, rig.turn(turns, rig.joint("head")))
        head = np.degrees(quaternion.log(quaternion.shortest(turn)))
    channels = _smooth(np.concatenate([*columns, head], axis=1), clip.fps)
    hips = rig.joint("hips")
    level = quaternion.inverse(rig.turn(turns, hips))
    posed = rig.joints([bone for bone in POSED if bone in rig])
    joints = np.full((len(clip), len(POSED), 3), np.nan)
    there = np.array([bone in rig for bone in POSED])
    away = places[:, posed] - places[:, hips, None]
    joints[:, there] = quaternion.rotate(level[:, None], away) * scale
    return BodyPath(channels, _smooth(joints, clip.fps))


def _smooth(values: Floats, fps: float) -> Floats:
    return low_pass(resample_values(values, fps), CUTOFF_HZ, RATE_HZ)


def features(path: BodyPath) -> Floats:
    """Feature vectors ``[windows, 45]``, the three statistics of each channel, in their units.

    A path shorter than a window has none.
    """
    size, hop = round(WINDOW_S * RATE_HZ), round(HOP_S * RATE_HZ)
    if len(path) < size:
        return np.zeros((0, len(CHANNELS) * len(STATISTICS)))
    starts = np.arange(0, len(path) - size + 1, hop)
    which = starts[:, None] + np.arange(size)
    values = path.channels[which]
    speed = velocities(path.channels, RATE_HZ)[which]
    rows = np.stack(
        [values.mean(axis=1), values.std(axis=1), np.sqrt(np.mean(speed**2, axis=1))], axis=-1
    )
    return np.asarray((rows / units()).reshape(len(starts), -1))


def units() -> Floats:
    """Units ``[15, 3]`` that the statistics of the channels are divided by."""
    return np.array([next(u for part, u in _UNITS.items() if part in name) for name in CHANNELS])


def part_columns(part: str) -> Bools:
    """Columns ``[45]`` of the feature that belong to one of `PARTS`."""
    if part not in PARTS:
        raise InvalidValueError(f"part {part!r}, allowed are {', '.join(PARTS)}")
    where, what = PARTS[part]
    return np.array([where in c and what in ("", s) for c in CHANNELS for s in STATISTICS])


def shared_columns(sets: Sequence[Floats]) -> Bools:
    """Columns ``[45]`` that every set of feature vectors has; heads may be missing."""
    there = [np.isfinite(rows).all(axis=0) for rows in sets if len(rows)]
    whole = np.ones(len(CHANNELS) * len(STATISTICS), dtype=np.bool_)
    return np.asarray(np.all([whole, *there], axis=0))
