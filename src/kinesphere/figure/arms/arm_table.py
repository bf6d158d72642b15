"""Constants of the default figure's arms for compiled loops: joints, lengths and joint limits."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from kinesphere.character.default import default_rig
from kinesphere.character.joint_limits import joint_limits
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, Ints, read_only
from kinesphere.motion.body.arms import SIDES, chest_limb


class Arms(NamedTuple):
    """Joints ``[2, 4]`` of the arms from the collar bone on, and lengths ``[2, 2]``."""

    joints: Ints
    lengths: Floats


@cache
def arms() -> Arms:
    """Arms of the default figure, left and right."""
    rig = default_rig()
    bones = ("Shoulder", "UpperArm", "LowerArm", "Hand")
    joints = [rig.joints([f"{s}{bone}" for bone in bones]) for s in SIDES]
    limbs = [chest_limb(rig, s) for s in SIDES]
    lengths = np.array([[limb.upper_length, limb.lower_length] for limb in limbs])
    return Arms(read_only(np.array(joints)), read_only(lengths))


@cache
def joint_numbers() -> Floats:
    """Joint limits, and rotations to the T-pose that they refer to, ``[joints, 27]``.

    Legs have none, because inverse kinematics poses them.
    """
    rig, known = default_rig(), joint_limits()
    canonical = rig.canonical_pose[0]
    out = np.zeros((len(rig.skeleton), 27))
    for joint, bone in enumerate(rig.skeleton.names):
        if bone in known and not bone.endswith(("Leg", "Foot", "Toes")):
            above = canonical[rig.skeleton.parents[joint]]
            below = quaternion.inverse(canonical[joint])
            out[joint] = np.concatenate([known[bone].numbers, above, below])
    frozen: Floats = read_only(out)
    return frozen
