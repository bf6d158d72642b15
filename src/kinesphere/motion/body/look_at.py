"""Head orientation towards a point, distributed over neck and head."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.maths.bounds import check_range
from kinesphere.motion.humanoid import Rig


@dataclass(frozen=True)
class LookAtSettings:
    """How a look is distributed, and its limits.

    The neck takes 40 percent, about the contribution of the lower cervical spine to head rotation;
    the limits are those of comfortable head rotations, beyond which eyes and torso take part.
    """

    neck_ratio: float = 0.4
    max_yaw: float = np.radians(75.0)
    max_up: float = np.radians(50.0)
    max_down: float = np.radians(50.0)

    def __post_init__(self) -> None:
        check_range("neck_ratio", self.neck_ratio, 0.0, 1.0)


def look_at(
    rig: Rig,
    parent_rotation: ArrayLike,
    neck_position: ArrayLike,
    target: ArrayLike,
    settings: LookAtSettings | None = None,
) -> tuple[Floats, Floats]:
    """Local rotations of neck and head that make the face point at a target.

    The face's forward direction is the body's in its reference pose, seen from between the eyes
    (from the head joint of a rig without eyes). The head keeps upright with respect to the torso.
    Within the limits the direction is exact.

    Parameters
    ----------
    rig : must have ``neck`` and ``head``, the head being the neck's child or further down.
    parent_rotation : ``[..., 4]`` world rotation of the neck's parent.
    neck_position, target : ``[..., 3]`` in the world.
    """
    settings = settings or LookAtSettings()
    skeleton = rig.skeleton
    neck, head = rig.joint("neck"), rig.joint("head")
    rest, places = rig.canonical_pose
    torso = quaternion.multiply(
        parent_rotation, quaternion.inverse(rest[int(skeleton.parents[neck])])
    )
    neck_to_head = places[head] - places[neck]
    eyes = [places[rig.joint(e)] for e in ("leftEye", "rightEye") if e in rig]
    head_to_eyes = (np.mean(eyes, axis=0) if eyes else places[head]) - places[head]
    # Everything in the torso's frame, where the face looks along +Z at rest.
    goal = quaternion.rotate(
        quaternion.inverse(torso), np.asarray(target, float) - np.asarray(neck_position, float)
    )
    aim = np.zeros((*goal.shape[:-1], 2))
    for _ in range(24):
        neck_turn = _turn(aim * settings.neck_ratio)
        eye = quaternion.rotate(neck_turn, neck_to_head)
        eye = eye + quaternion.rotate(_turn(aim), head_to_eyes)
        away = goal - eye
        yaw = np.arctan2(away[..., 0], away[..., 2])
        pitch = np.arctan2(-away[..., 1], np.hypot(away[..., 0], away[..., 2]))
        aim = np.stack(
            [
                np.clip(yaw, -settings.max_yaw, settings.max_yaw),
                np.clip(pitch, -settings.max_up, settings.max_down),
            ],
            axis=-1,
        )
    neck_world = quaternion.multiply(
        quaternion.multiply(torso, _turn(aim * settings.neck_ratio)), rest[neck]
    )
    head_world = quaternion.multiply(quaternion.multiply(torso, _turn(aim)), rest[head])
    between = quaternion.relative(rest[neck], rest[int(skeleton.parents[head])])
    return (
        quaternion.relative(parent_rotation, neck_world),
        quaternion.relative(quaternion.multiply(neck_world, between), head_world),
    )


def _turn(yaw_pitch: Floats) -> Floats:
    """Rotation about Y, then about the rotated X: no roll."""
    yaw = quaternion.from_axis_angle([0.0, 1.0, 0.0], yaw_pitch[..., 0])
    return quaternion.multiply(yaw, quaternion.from_axis_angle([1.0, 0.0, 0.0], yaw_pitch[..., 1]))
