"""Descriptors of Effort, measured from an arm's motion alone.

The descriptors are those of the literature on measuring Laban Effort (kinetic energy, acceleration,
directness of the path, jerk, and how a movement starts and stops), normalised for amplitude by the
law that relates duration to distance in recorded speakers: T = 1.0 A^0.43. Rotations about the
arm's length (the elbow's swivel, the forearm's roll from the plane of the arm) are weighted by how
well a bent elbow defines them.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.maths.curves import smoothstep
from kinesphere.maths.filters import low_pass
from kinesphere.motion.body.arms import NO_SWIVEL, ArmMotion, arm_turns, elbow_bends, settle
from kinesphere.motion.keyed.key_extraction import movement_bounds
from kinesphere.motion.kinematics import speeds

NAMES = (
    "duration",
    "energy",
    "peak",
    "skew",
    "spread",
    "speeding",
    "braking",
    "jerk",
    "directness",
    "bend",
    "pull_back",
    "swing_past",
    "flexion",
    "flexion_level",
    "roll",
    "elbow",
    "stillness",
)
_CUTOFF_HZ = 12.0
_LEAST_CHORD_M = 0.04


@dataclass(frozen=True)
class Descriptors:
    """Named numbers of one animation: the median over its movements."""

    values: Floats

    def named(self) -> dict[str, float]:
        """Return the numbers with their names."""
        return dict(zip(NAMES, self.values.tolist(), strict=True))


def describe(arm: ArmMotion, fps: float) -> Descriptors:
    """Measure an arm's motion; zeros if it has no movements."""
    arm = settle(arm, fps)
    seen = smoothstep(elbow_bends(arm.limb, arm.wrists) / NO_SWIVEL)
    wrists = low_pass(arm.wrists, min(_CUTOFF_HZ, 0.4 * fps), fps)
    speed = speeds(wrists, fps)
    bounds = movement_bounds(speed, fps)
    lower = arm_turns(arm.limb, arm.wrists, arm.swivels)[:, 1]
    hand = quaternion.unroll(quaternion.relative(lower, arm.turns[:, 2]))
    roll = np.unwrap(quaternion.twist_angle(hand, np.array([1.0, 0.0, 0.0])))
    swing, _ = quaternion.swing_twist(hand, np.array([1.0, 0.0, 0.0]))
    flexion = quaternion.log(swing)[:, 2] * -arm.limb.side
    rows = []
    weights = []
    for a, b in itertools.pairwise(bounds):
        path = wrists[a : b + 1]
        chord = path[-1] - path[0]
        length = float(np.linalg.norm(np.diff(path, axis=0), axis=-1).sum())
        size = float(np.linalg.norm(chord))
        if size < _LEAST_CHORD_M or b - a < 6:
            continue
        rows.append(
            _movement(path, speed[a : b + 1], chord, length, size, fps)
            + _limb(*(v[a : b + 1] for v in (flexion, roll, arm.swivels, seen)))
        )
        weights.append(size)
    if not rows:
        return Descriptors(np.zeros(len(NAMES)))
    table = np.array(rows)
    still = float(np.mean(speed < 0.05))
    middle = np.average(table, axis=0, weights=np.array(weights))
    return Descriptors(np.concatenate([middle, [still]]))


def _movement(
    path: Floats, speed: Floats, chord: Floats, length: float, size: float, fps: float
) -> list[float]:
    """Timing and path of one movement, as ratios and logarithms."""
    moving = np.flatnonzero(speed > 0.05 * speed.max())
    first, last = int(moving[0]), int(moving[-1])
    duration = max(last - first, 3) / fps
    v = speed[first : last + 1]
    mean = length / duration
    acceleration = np.diff(v) * fps
    scale = mean / duration
    jerk = np.diff(path[first : last + 1], 3, axis=0) * fps**3
    squared = float(np.sum(jerk**2) / fps) if len(jerk) else 0.0
    along = (path - path[0]) @ (chord / size)
    walked = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=-1))])
    aside = path - path[0] - along[:, None] * (chord / size)
    return [
        np.log(duration / size**0.43),
        np.log(np.mean(v**2) / size**1.14 + 1e-9),
        np.log(v.max() / mean),
        float(np.argmax(v)) / len(v),
        float(np.std(v) / v.mean()),
        np.log(max(acceleration.max(), 1e-3) / scale),
        np.log(max(-acceleration.min(), 1e-3) / scale),
        np.log(max(squared, 1e-12) * duration**5 / length**2),
        size / max(float(walked[-1]), 1e-9),
        float(np.linalg.norm(aside, axis=-1).max()) / size,
        max(0.0, -float(along.min())) / size,
        max(0.0, float(along.max()) - size) / size,
    ]


def _limb(flexion: Floats, roll: Floats, swivel: Floats, seen: Floats) -> list[float]:
    """How much wrist, forearm and elbow move beyond the change from one pose to another.

    `seen` is how well the arm's bend defines roll and swivel, 0 to 1.
    """
    ramp = np.linspace(0.0, 1.0, len(flexion))

    def beyond(values: Floats) -> Floats:
        straight = values[0] + ramp * (values[-1] - values[0])
        return np.asarray(np.abs(values - straight))

    turned = [float((seen * beyond(values)).max()) for values in (roll, swivel)]
    return [float(beyond(flexion).max()), float(flexion.mean()), *turned]
