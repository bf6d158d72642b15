"""Secondary motion of other joints under a tension: beyond the paper, and off by default.

Each joint follows its input as a mass on a spring, like the wrists, with its own ratio of stiffness
to inertia. That ratio comes from the masses and lengths of the body's segments (de Leva 1996;
Winter 2009) and the torques that healthy adults reach (Winter 2009):

=========  =========  ================  =====================
joint      torque Nm  inertia kg m2     frequency to the arm's
=========  =========  ================  =====================
shoulder   80         0.33              1
elbow      60         0.064             1.97
wrist      12         0.004             3.5
neck       40         0.10              1.28
trunk      250        4.3               0.49
=========  =========  ================  =====================

An arm's rest error is divided by the square of that ratio. Nothing here is compensated for lag:
the delay is intended.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from kinesphere.dynamics.tension.mass_tracker import Parameters, track
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.maths.bounds import check_range
from kinesphere.motion.body.arms import SIDES, Side, carry, measure_arm, with_arm
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.keyed.torso import torso_joints, with_torso

_TORQUE_AND_INERTIA = {
    "shoulder": (80.0, 0.33),
    "elbow": (60.0, 0.064),
    "wrist": (12.0, 0.004),
    "head": (40.0, 0.10),
    "torso": (250.0, 4.3),
}
_X = np.array([1.0, 0.0, 0.0])
_LEAST_ERROR, _MOST_ERROR = 1e-4, 2.0


@dataclass(frozen=True)
class Secondary:
    """Amount of secondary motion of each joint: 0 none, 1 according to its mass, up to 2.

    `wrist` bends the hand, `roll` rotates the forearm, `elbow` changes the swivel; `head` and
    `torso` follow their own rotations.
    """

    wrist: float = 0.0
    roll: float = 0.0
    elbow: float = 0.0
    head: float = 0.0
    torso: float = 0.0

    def __post_init__(self) -> None:
        for part in fields(self):
            check_range(f"secondary {part.name}", getattr(self, part.name), 0.0, 2.0)

    @classmethod
    def all(cls, amount: float) -> Secondary:
        """The same amount for every joint."""
        return cls(amount, amount, amount, amount, amount)


def frequency_ratio(joint: str) -> float:
    """Natural frequency of a joint relative to that of the arm at the shoulder."""
    arm = _TORQUE_AND_INERTIA["shoulder"]
    torque, inertia = _TORQUE_AND_INERTIA[joint]
    return float(np.sqrt(torque / inertia) / np.sqrt(arm[0] / arm[1]))


def with_secondary(clip: Clip, rig: Rig, parameters: Parameters, amounts: Secondary) -> Clip:
    """Add secondary motion to a clip; with all amounts 0 the clip itself is returned."""
    if len(clip) < 4:
        return clip
    if amounts.torso:
        clip = _bend(clip, rig, "spine", "hips", parameters, "torso", amounts.torso)
    if amounts.head:
        clip = _bend(clip, rig, "neck", None, parameters, "head", amounts.head)
    if amounts.wrist or amounts.roll or amounts.elbow:
        for side in SIDES:
            clip = _arm(clip, rig, side, parameters, amounts)
    return clip


def _own(parameters: Parameters, joint: str, frames: int) -> tuple[Floats, Floats]:
    error = np.asarray(parameters.rest_error_m) / frequency_ratio(joint) ** 2
    error = np.clip(error, _LEAST_ERROR, _MOST_ERROR)
    zeta = np.asarray(parameters.zeta, dtype=np.float64)
    return np.broadcast_to(error, (frames,)), np.broadcast_to(zeta, (frames,))


def _follow(rotations: Floats, fps: float, parameters: Parameters, joint: str) -> Floats:
    """Rotations ``[frames, 4]`` as a joint with its own mass follows them."""
    q = quaternion.unroll(rotations)
    middle = quaternion.mean(q)
    vectors = quaternion.log(quaternion.relative(middle, q))
    error, zeta = _own(parameters, joint, len(q))
    path = track(vectors, fps, error, zeta, cubic=fps < 100.0).position
    return quaternion.multiply(middle, quaternion.exp(path))


def _bend(
    clip: Clip,
    rig: Rig,
    part: str,
    below: str | None,
    parameters: Parameters,
    joint: str,
    amount: float,
) -> Clip:
    joints = torso_joints(rig, part)
    if not joints:
        return clip
    base = rig.bones[below] if below else int(rig.skeleton.parents[joints[0]])
    own = rig.turn(clip.world_rotations, joints[-1])
    turn = quaternion.relative(rig.turn(clip.world_rotations, base), own)
    followed = _follow(turn, clip.fps, parameters, joint)
    away = quaternion.log(quaternion.relative(turn, followed))
    return with_torso(clip, rig, {part: amount * away})


def _arm(clip: Clip, rig: Rig, side: Side, parameters: Parameters, amounts: Secondary) -> Clip:
    arm = measure_arm(clip, rig, side)
    turns = arm.turns.copy()
    if amounts.elbow:
        error, zeta = _own(parameters, "elbow", len(clip))
        path = np.zeros((len(clip), 3))
        path[:, 0] = arm.swivels
        late = track(path, clip.fps, error, zeta, cubic=clip.fps < 100.0).position[:, 0]
        swivels = arm.swivels + amounts.elbow * (late - arm.swivels)
        turns = carry(arm, arm.wrists, swivels)
    if amounts.wrist or amounts.roll:
        followed = _follow(turns[:, 2], clip.fps, parameters, "wrist")
        away = quaternion.relative(turns[:, 2], followed)
        swing, twist = quaternion.swing_twist(away, _X)
        part = quaternion.multiply(
            quaternion.exp(amounts.wrist * quaternion.log(swing)),
            quaternion.exp(amounts.roll * quaternion.log(twist)),
        )
        roll = quaternion.exp(0.7 * amounts.roll * quaternion.log(twist))
        turns[:, 2] = quaternion.multiply(turns[:, 2], part)
        turns[:, 1] = quaternion.multiply(turns[:, 1], roll)
    return with_arm(clip, rig, side, turns, arm.axes)
