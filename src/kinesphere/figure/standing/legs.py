"""Legs of the default figure: constants of their inverse kinematics, and poses of many frames."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from kinesphere.character.default import default_rig
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, Ints, read_only
from kinesphere.motion.body.arms import SIDES


class LegTable(NamedTuple):
    """Joints ``[2, 4]`` (thigh, shin, foot, toes), frames of bones at rest, lengths ``[2, 2]``.

    `row` has the numbers that the loop of the body reads: position of the left hip joint in the
    hips, lengths of thigh and shin, height and depth of the ankle, ball of the foot from there.
    """

    joints: Ints
    frames: Floats
    lengths: Floats
    row: Floats


@cache
def leg_table() -> LegTable:
    """Legs of the default figure, left and right."""
    rig = default_rig()
    parts = ("UpperLeg", "LowerLeg", "Foot", "Toes")
    joints = [rig.joints([f"{side}{part}" for part in parts]) for side in SIDES]
    offsets, places = rig.skeleton.offsets, rig.skeleton.rest_world_positions
    frames, lengths = np.zeros((2, 2, 4)), np.zeros((2, 2))
    for side, (_, shin, foot, _) in enumerate(joints):
        for part, joint in enumerate((shin, foot)):
            lengths[side, part] = np.linalg.norm(offsets[joint])
            up = -offsets[joint] / lengths[side, part]
            aside = np.array([1.0, 0.0, 0.0]) - up[0] * up
            frames[side, part] = quaternion.from_frame(aside, up)
    thigh, _, foot, toes = joints[0]
    row = np.array([*offsets[thigh], *lengths[0], *places[foot, 1:], *offsets[toes, 1:]])
    found = (np.array(joints), frames, lengths, row)
    return LegTable(*(read_only(np.ascontiguousarray(part)) for part in found))


def leg_rotations(roots: Floats, hips: Floats, feet: Floats) -> dict[int, Floats]:
    """Local rotations ``[f, 4]`` of the legs by joint.

    Parameters
    ----------
    roots, hips : ``[f, 3]`` position and ``[f, 4]`` rotation of the hips in the world.
    feet : ``[f, 2, 6]`` of each foot: the ankle's position, yaw, lift of the heel (radians about
        the ankle) and bend of the toes.
    """
    from kinesphere.figure.standing.leg_kernels import pose_legs

    skeleton, table = default_rig().skeleton, leg_table()
    local = np.zeros((len(roots), len(skeleton), 4))
    world = np.zeros_like(local)
    pose_legs(
        np.ascontiguousarray(roots),
        np.ascontiguousarray(hips),
        np.ascontiguousarray(feet),
        skeleton.offsets,
        table.joints,
        table.frames,
        table.lengths,
        local,
        world,
    )
    return {int(j): local[:, j] for j in table.joints.ravel()}
