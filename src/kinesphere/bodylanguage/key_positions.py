"""Key coordinates of a stream: what its segments are compared by, offline and live."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np

from kinesphere.bodylanguage.streams import ARMS, HEAD
from kinesphere.character.default import default_rig
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES

_ARM = ("Shoulder", "UpperArm", "LowerArm", "Hand")
_LEG = ("UpperLeg", "LowerLeg", "Foot")


@cache
def _joints() -> dict[str, int]:
    return {name: i for i, name in enumerate(default_rig().skeleton.names)}


def key_positions(stream: int, turns: Floats, pelvis: Floats) -> Floats:
    """Key coordinates ``[frames, d]`` of a stream: three for the head, six for the others.

    Head: its rotation against the upper chest as a rotation vector. Arms: the wrists, left then
    right, from the upper chest. Lower body: the ankles, from the pelvis. Positions have the axes of
    the body's stance, metres.

    Parameters
    ----------
    turns : ``[frames, 55, 4]`` world rotations, as in `training_motion.TrainingMotion`.
    pelvis : ``[frames, 3]`` of the pelvis from its position over the ankles at rest.
    """
    if stream == HEAD:
        chest, head = turns[:, _joints()["upperChest"]], turns[:, _joints()["head"]]
        return quaternion.log(quaternion.multiply(quaternion.inverse(chest), head))
    if stream == ARMS:
        return np.concatenate([_reach("upperChest", side, _ARM, turns) for side in SIDES], axis=1)
    ankles = [_reach("hips", side, _LEG, turns) for side in SIDES]
    half = 0.5 * (ankles[0] - ankles[1])
    middle = _ankles_at_rest() - pelvis
    return np.concatenate([middle + half, middle - half], axis=1)


def _ankles_at_rest() -> Floats:
    """Middle of the ankles relative to the pelvis, in the standing figure."""
    places = default_rig().skeleton.rest_world_positions
    feet = [_joints()[f"{side}Foot"] for side in SIDES]
    return np.asarray(places[feet].mean(axis=0) - places[0])


def _reach(root: str, side: str, chain: tuple[str, ...], turns: Floats) -> Floats:
    """Position ``[frames, 3]`` of the last joint of a chain relative to `root`, world axes."""
    joints = _joints()
    names = (root, *(f"{side}{bone}" for bone in chain))
    offsets = default_rig().skeleton.offsets
    total = np.zeros((len(turns), 3))
    for parent, child in pairwise(names):
        total += quaternion.rotate(turns[:, joints[parent]], offsets[joints[child]])
    return total
