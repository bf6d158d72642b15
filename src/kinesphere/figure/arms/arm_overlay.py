"""Arms that blend from one motion into another and back, relative to the chest of the first.

Arms are blended as the engine keys them: wrist position in the chest's axes, elbow swivel, forearm
roll and wrist rotation. Blended joint rotations would give poses that no elbow has, and a forearm
that goes from one limit to the other could rotate in the wrong direction.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from kinesphere.character.default import default_rig
from kinesphere.figure.arms.arm_table import arms, joint_numbers
from kinesphere.figure.clearance import TOUCHED, Posed, clear
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, Ints, read_only
from kinesphere.maths.curves import smoothstep
from kinesphere.motion.body.arms import SIDES
from kinesphere.motion.humanoid import FINGERS, finger_bones

# Weight from which hands are kept fully outside the body, where they may have been inside.
_GENTLY = 0.3


class ArmParameters(NamedTuple):
    """Parameters of both arms, left and right.

    Parameters
    ----------
    wrists : ``[rows, 2, 3]`` from the shoulder joint, in the chest's axes.
    swivels, rolls : ``[rows, 2]`` of elbow and forearm, radians.
    bends, collars : ``[rows, 2, 4]`` rotations of hand (against forearm) and collar bone.
    fingers : ``[rows, 2, 15, 4]`` in their parents' frames.
    """

    wrists: Floats
    swivels: Floats
    rolls: Floats
    bends: Floats
    collars: Floats
    fingers: Floats

    def at(self, places: Floats) -> ArmParameters:
        """Interpolate between rows at fractional indices ``[n]``; clamped at both ends."""
        last = len(self.swivels) - 1
        inside = np.clip(places, 0.0, last)
        low = np.minimum(inside.astype(np.int64), max(last - 1, 0))
        ratio = inside - low
        high = np.minimum(low + 1, last)

        def between(values: Floats) -> Floats:
            r = ratio.reshape(-1, *([1] * (values.ndim - 1)))
            a, b = values[low], values[high]
            if values.shape[-1] != 4:
                return np.ascontiguousarray(a + r * (b - a))
            same = np.sum(a * b, axis=-1, keepdims=True) < 0.0
            return quaternion.normalise(a + r * (np.where(same, -b, b) - a))

        return ArmParameters(*(between(part) for part in self))


@cache
def finger_joints() -> Ints:
    """Joints ``[2, 15]`` of the fingers, left and right, thumb first."""
    rig = default_rig()
    rows = [[rig.joint(b) for f in FINGERS for b in finger_bones(s, f)] for s in SIDES]
    joints: Ints = read_only(np.array(rows))
    return joints


def arm_poses(rotations: Floats, world: Floats) -> ArmParameters:
    """Arms of the default figure; `rotations` are local ones, both ``[rows, joints, 4]``."""
    from kinesphere.figure.arms.arm_overlay_kernels import measure

    rows, known = len(rotations), arms()
    wrists, swivels, rolls = np.zeros((rows, 2, 3)), np.zeros((rows, 2)), np.zeros((rows, 2))
    bends = np.zeros((rows, 2, 4))
    chest = default_rig().joint("upperChest")
    measure(
        np.ascontiguousarray(world),
        known.joints,
        known.lengths,
        chest,
        wrists,
        swivels,
        rolls,
        bends,
    )
    collars = np.ascontiguousarray(rotations[:, known.joints[:, 0]])
    fingers = np.ascontiguousarray(rotations[:, finger_joints()])
    return ArmParameters(wrists, swivels, rolls, bends, collars, fingers)


def with_arms(
    posed: Posed,
    poses: ArmParameters,
    weights: Floats,
    pushes: Floats | None = None,
    dt: float = 1.0,
) -> Posed:
    """Figures with their arms blended to others.

    Joint limits hold, and hands inside the body are moved out of it as the weight grows: they may
    have been inside. Rows with zero weight are unchanged.

    Parameters
    ----------
    posed : ``rows`` figures; not changed.
    poses : target arms.
    weights : ``[rows, 2]`` of the left and the right arm, 0 to 1.
    pushes, dt : ``[1, 2, PUSH]`` if the rows with weight are frames of one character, one after the
        other, `dt` seconds apart: see `assembly.assemble`.
    """
    rows = np.flatnonzero(np.any(weights > 0.0, axis=1))
    if not len(rows):
        return posed
    before = Posed(*(np.ascontiguousarray(values[rows]) for values in posed))
    there = ArmParameters(*(np.ascontiguousarray(values[rows]) for values in poses))
    most = np.ascontiguousarray(weights[rows])
    before, wrists, swivels = _lay_over(before, there, most)
    after = Posed(*(values.copy() for values in before))
    wanted = wrists.copy()
    clear(after, wrists, swivels, pushes, dt, TOUCHED)
    little = np.any(wrists != wanted, axis=(1, 2)) & np.any(most < _GENTLY, axis=1)
    if np.any(little):
        _ease(before, after, most, np.flatnonzero(little))
    out = Posed(*(values.copy() for values in posed))
    for whole, changed in zip(out, after, strict=True):
        whole[rows] = changed
    return out


def rest_arms(
    posed: Posed, wrists: Floats, swivels: Floats, poses: ArmParameters, weights: Floats
) -> None:
    """Blend both arms to others in place, with their wrists and swivels; nothing is cleared.

    Parameters
    ----------
    wrists, swivels : ``[rows, 2, ...]`` of the figures, overwritten where there is weight.
    weights : ``[rows]``, 0 to 1.
    """
    from kinesphere.figure.arms.arm_path_kernels import place_arms

    rows = np.flatnonzero(weights > 0.0)
    if not len(rows):
        return
    before = Posed(*(np.ascontiguousarray(values[rows]) for values in posed))
    there = ArmParameters(*(np.ascontiguousarray(values[rows]) for values in poses))
    both = np.ascontiguousarray(np.repeat(weights[rows, None], 2, axis=1))
    after, places, turns = _lay_over(before, there, both)
    # Within what upper arms reach, so that clearing a hand by nothing changes nothing.
    chest = default_rig().joint("upperChest")
    place_arms(places, turns, *arms(), joint_numbers(), chest, after.rotations, after.world)
    wrists[rows], swivels[rows] = places, turns
    for whole, changed in zip(posed, after, strict=True):
        whole[rows] = changed


def _ease(before: Posed, after: Posed, weights: Floats, rows: Ints) -> None:
    """Scale the clearance of arms by their weight, in place."""
    pushed = arm_poses(after.rotations[rows], after.world[rows])
    own = Posed(*(values[rows] for values in before))
    eased, _, _ = _lay_over(own, pushed, smoothstep(weights[rows] / _GENTLY))
    for whole, changed in zip(after, eased, strict=True):
        whole[rows] = changed


def _lay_over(posed: Posed, poses: ArmParameters, weights: Floats) -> tuple[Posed, Floats, Floats]:
    """Blended arms, and their wrists and swivels; hands may be in the body."""
    from kinesphere.figure.arms.arm_overlay_kernels import overlay

    out, known = Posed(*(values.copy() for values in posed)), arms()
    wrists, swivels = np.zeros((len(weights), 2, 3)), np.zeros((len(weights), 2))
    overlay(
        weights,
        poses.wrists,
        poses.swivels,
        poses.rolls,
        poses.bends,
        poses.collars,
        poses.fingers,
        known.joints,
        known.lengths,
        finger_joints(),
        joint_numbers(),
        default_rig().joint("upperChest"),
        out.rotations,
        out.world,
        wrists,
        swivels,
    )
    return out, wrists, swivels
