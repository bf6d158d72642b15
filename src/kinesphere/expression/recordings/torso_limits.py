"""A torso's Shape within joint limits, its pelvis within the range that the legs can follow."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from kinesphere.animation.arms.restraint import largest_share
from kinesphere.character.joint_limits import bone_rotation, joint_limits
from kinesphere.figure.arms.corrections import ease_ratio
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.motion.body.arms import SIDES
from kinesphere.motion.body.limits import JointLimit
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.keyed.torso import torso_joints, with_torso


def standing_within_limits(clip: Clip, rig: Rig, turns: dict[str, Floats]) -> Clip:
    """Bend the torso, the pelvis no farther than the legs can follow."""
    legs = [f"{side}{b}" for side in SIDES for b in ("UpperLeg", "LowerLeg", "Foot")]
    legs = [bone for bone in legs if bone in rig]
    limits = joint_limits()
    bent = with_torso(clip, rig, turns)
    if "pelvis" not in turns:
        return bent
    most = {b: float(limits[b].excess(bone_rotation(clip, rig, b)).max()) + 1e-6 for b in legs}
    share = np.ones(len(clip))
    for _ in range(6):
        over = np.zeros(len(clip), dtype=bool)
        for bone in legs:
            over |= limits[bone].excess(bone_rotation(bent, rig, bone)) > most[bone]
        if not over.any():
            break
        share = np.where(over, 0.6 * share, share)
        pelvis = ease_ratio(share, clip.fps)[:, None] * turns["pelvis"]
        bent = with_torso(clip, rig, {**turns, "pelvis": pelvis})
    else:
        bent = with_torso(clip, rig, {**turns, "pelvis": np.zeros_like(turns["pelvis"])})
    return bent


def as_far_as_it_goes(clip: Clip, rig: Rig, part: str, vectors: Floats) -> Floats:
    """Rotations of a part of the torso, reduced where one of its joints would exceed its limit."""
    limits = joint_limits()
    joints = torso_joints(rig, part)
    names = {joint: bone for bone, joint in rig.bones.items() if bone in limits}
    share = np.ones(len(clip))
    for joint in joints:
        if joint not in names:
            continue
        limit = limits[names[joint]]
        turn = bone_rotation(clip, rig, names[joint])
        most = float(limit.excess(turn).max()) + 1e-6
        # Unmapped joints between this bone and the next add to its rotation.
        above = rig.skeleton.ancestors(joint)[1:]
        nameless = next((i for i, j in enumerate(above) if j in names or j not in joints), 0)
        ratio_here = (1 + nameless) / len(joints)

        def excess(
            ratio: Floats, turn: Floats = turn, limit: JointLimit = limit, part: float = ratio_here
        ) -> Floats:
            added = quaternion.exp(part * ratio[:, None] * vectors)
            return limit.excess(quaternion.multiply(turn, added))

        over = excess(np.ones(len(clip))) > most
        if over.any():
            most_of_it = largest_share(partial(_fits, excess, most), len(clip), 7)
            share = np.minimum(share, np.where(over, most_of_it, 1.0))
    if np.all(share == 1.0):
        return vectors
    return ease_ratio(share, clip.fps)[:, None] * vectors


def _fits(excess: Callable[[Floats], Floats], most: float, ratio: Floats) -> Bools:
    return excess(ratio) <= most
