"""Rotations of trunk, shoulders and head of somebody who waits, for any rig."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.figure.standing.body import BodyPoses
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.humanoid import Rig

_SPINE = ("spine", "chest", "upperChest")


@dataclass(frozen=True)
class TrunkShares:
    """Which joints turn how far.

    Parameters
    ----------
    neck, head : ratios of a nod or a turn of the head that are the neck's and the head's.
    keeps : ratio of the trunk's rotation that neck and head undo.
    """

    neck: float = 0.4
    head: float = 0.6
    keeps: float = 0.9


def turn_trunk(poses: BodyPoses, amount: float, shares: TrunkShares) -> dict[str, Floats]:
    """Rotation vectors ``[frames, 3]`` of spine, shoulders, neck and head; the head nods."""
    pelvis, spine = amount * poses.pelvis[0], amount * poses.spine[0]
    rise = np.zeros(pelvis.shape)
    rise[:, 2] = amount * poses.collar_rise[0]
    nod = amount * poses.nods[0] - shares.keeps * (pelvis + spine)
    turns = {bone: spine / len(_SPINE) for bone in _SPINE}
    turns |= {"leftShoulder": rise, "rightShoulder": -rise}
    return turns | {"neck": shares.neck * nod, "head": shares.head * nod}


def turn_bone(rotations: Floats, rig: Rig, bone: str, rotvec: Floats) -> None:
    """Rotate a bone about the T-pose's axes, whatever axes its joint has."""
    if bone not in rig:
        return
    joint = rig.bones[bone]
    parent = int(rig.skeleton.parents[joint])
    frame = rig.canonical_pose[0][parent] if parent >= 0 else quaternion.identity()
    local = quaternion.rotate(quaternion.inverse(frame), rotvec)
    rotations[:, joint] = quaternion.multiply(quaternion.exp(local), rotations[:, joint])
