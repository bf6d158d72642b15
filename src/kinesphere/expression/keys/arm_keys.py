"""Shape on an arm's keys, within the shoulder's limits, and the keys' positions in a phrase."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.animation.arms.restraint import largest_share
from kinesphere.character.joint_limits import joint_limits
from kinesphere.expression.keys.keypoints import ShapeSettings, shape_keypoints
from kinesphere.expression.phrase import SHAPE_FACTORS, Phrase
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.motion.body.arms import Side, arm_turns, chest_limb
from kinesphere.motion.body.limbs import Limb
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.keyed.keyed_motion import ArmKeys
from kinesphere.motion.measure import centre_of_mass

_BISECTIONS = 7


def phrase_positions(keys: ArmKeys, phrase: Phrase) -> Floats:
    """Position of each key in the phrase: its time, or its number among the Goals."""
    if not phrase.by_key:
        return keys.times
    return np.interp(keys.times, keys.goal_times, np.arange(len(keys.goal_times)))


def shape_arm_keys(
    keys: ArmKeys, phrase: Phrase, side: Side, rig: Rig, shape: ShapeSettings
) -> ArmKeys:
    """Move the keys that are not in the world by the phrase's Shape, within joint limits."""
    part = f"{side}-arm"
    if not phrase.touches(part, SHAPE_FACTORS):
        return keys
    limb = chest_limb(rig, side)
    values = phrase.at(part, phrase_positions(keys, phrase))
    wanted = {name: values[name] for name in SHAPE_FACTORS}
    centre = mass_in_arm(rig, side)
    moved = shape_keypoints(keys.positions, wanted, limb.side, centre, shape)
    moved = np.where(keys.in_world[:, None], keys.positions, moved)
    moved = limit_displacement(limb, keys.positions, moved, keys.swivels)
    return replace(keys, positions=moved)


def mass_in_arm(rig: Rig, side: Side) -> Floats:
    """Centre of mass of the standing body from the shoulder, in the chest's axes."""
    _, places = rig.canonical_pose
    return np.asarray(centre_of_mass(rig) - places[rig.joint(f"{side}UpperArm")])


def shoulder_excess(limb: Limb, wrists: Floats, swivels: Floats) -> Floats:
    """How far the upper arm and the elbow of a pose exceed their limits, radians."""
    side = "left" if limb.side > 0 else "right"
    turns = arm_turns(limb, wrists, swivels)
    bend = quaternion.relative(turns[..., 0, :], turns[..., 1, :])
    limits = joint_limits()
    return np.asarray(
        limits[f"{side}UpperArm"].excess(turns[..., 0, :]) + limits[f"{side}LowerArm"].excess(bend)
    )


def limit_displacement(limb: Limb, before: Floats, after: Floats, swivels: Floats) -> Floats:
    """Reduce displacements of the wrists as far as joint limits require.

    A position that exceeds a limit already may exceed it by as much.
    """
    allowed = shoulder_excess(limb, before, swivels) + 1e-6
    good = shoulder_excess(limb, after, swivels) <= allowed
    if good.all():
        return after

    def fits(ratio: Floats) -> Bools:
        tried = before + ratio[:, None] * (after - before)
        return shoulder_excess(limb, tried, swivels) <= allowed

    share = np.where(good, 1.0, largest_share(fits, len(good), _BISECTIONS))
    return np.asarray(before + share[:, None] * (after - before))
