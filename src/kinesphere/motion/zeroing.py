"""Motion with joint axes that are parallel to the world's at rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.maths import quaternion
from kinesphere.motion.clip import Clip
from kinesphere.motion.kinematics import local_rotations
from kinesphere.motion.skeleton import Skeleton, Tip


def rests_at_zero(skeleton: Skeleton) -> bool:
    """Whether every rest rotation is the identity."""
    return bool(np.all(np.abs(skeleton.rest_rotations) == quaternion.IDENTITY))


def zero_rotations(skeleton: Skeleton) -> Skeleton:
    """The same rest pose with identity rest rotations: only the joint axes differ."""
    if rests_at_zero(skeleton):
        return skeleton
    world = skeleton.rest_world_rotations
    offsets = skeleton.offsets.copy()
    offsets[1:] = quaternion.rotate(world[skeleton.parents[1:]], offsets[1:])
    tips = tuple(
        Tip(t.joint, tuple(quaternion.rotate(world[t.joint], t.offset))) for t in skeleton.tips
    )
    return Skeleton(skeleton.names, skeleton.parents, offsets, tips=tips)


def zeroed_clip(clip: Clip) -> Clip:
    """The same motion on the skeleton with identity rest rotations.

    All world positions are unchanged; world rotations are relative to the rest pose.
    """
    if rests_at_zero(clip.skeleton):
        return clip
    skeleton = zero_rotations(clip.skeleton)
    rest = clip.skeleton.rest_world_rotations
    world = quaternion.multiply(clip.world_rotations, quaternion.inverse(rest))
    moved = list(clip.translated_joints)
    above = rest[clip.skeleton.parents[moved]]
    return replace(
        clip,
        skeleton=skeleton,
        rotations=local_rotations(skeleton, world),
        translations=quaternion.rotate(above, clip.translations),
    )
