"""Rest poses of somebody who waits, as parameters of arms for the loop that moves between them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from kinesphere.animation.arms.poses.arm_pose import (
    collar_angles,
    collar_turns,
    local_arm_rotations,
)
from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.animation.arms.poses.rest_poses import RestPose, plain_rest_pose
from kinesphere.character.default import default_rig
from kinesphere.figure.arms.arm_overlay import ArmParameters, arm_poses
from kinesphere.figure.arms.resting_hands import WAITING_POSES
from kinesphere.gesture.hand_shapes import local_finger_rotations
from kinesphere.maths.arrays import read_only
from kinesphere.motion.body.arms import SIDES


@cache
def waiting_table(mirrored: bool = False) -> ArmParameters:
    """Arms in each of `WAITING_POSES`, one a row; `mirrored` with left and right exchanged."""
    rig, clip = default_rig(), home_clip(len(WAITING_POSES), 60.0)
    rotations = clip.rotations.copy()
    for row, name in enumerate(WAITING_POSES):
        rest = plain_rest_pose(name)
        rest = _exchanged(rest) if mirrored else rest
        for side in SIDES:
            arm = rest.arms[side]
            collars = collar_turns(side, *collar_angles(side, arm.wrists).T) + rest.collars[side]
            joints, local = local_arm_rotations(side, arm, collars)
            rotations[row, joints] = local[0]
            joints, local = local_finger_rotations(rig, side, rest.fingers[side][None])
            rotations[row, joints] = local[0]
    world = replace(clip, rotations=rotations).world_rotations
    return ArmParameters(*(read_only(part) for part in arm_poses(rotations, world)))


def _exchanged(rest: RestPose) -> RestPose:
    """The mirror image: values of a side are given as for a left one, but for positions."""
    left, right = SIDES
    return replace(
        rest,
        arms={left: rest.arms[right].mirror(), right: rest.arms[left].mirror()},
        fingers={left: rest.fingers[right], right: rest.fingers[left]},
        collars={
            left: rest.collars[right] * np.array([1.0, -1.0, -1.0]),
            right: rest.collars[left] * np.array([1.0, -1.0, -1.0]),
        },
    )
