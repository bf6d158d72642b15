"""A recorded performance as model input: rotations and pelvis relative to the body's stance.

The heading is the direction of the feet, smoothed over half a second, so that a body that rotates
on its feet rotates, and one that walks a curve does not. Without legs it is the slow component of
the pelvis' heading. World rotations lose the heading; the pelvis is relative to the middle of the
ankles, less its position when the figure stands at rest. Fingers are in the hand's frame.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.bodylanguage.streams import FPS, PARTS, hand_of_joint
from kinesphere.character.default import default_rig
from kinesphere.errors import InvalidValueError
from kinesphere.maths import filters, quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.motion.resampling import resample

_STANCE_S = 0.5
_SLOW_S = 4.0
_UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, eq=False)
class TrainingMotion:
    """Motion on the default figure, without position and heading.

    Parameters
    ----------
    turns : ``[frames, joints, 4]`` world rotations without the heading, with continuous signs;
        local ones for fingers.
    pelvis : ``[frames, 3]`` from its position over the ankles at rest, metres: left, up, forward.
    present : which of `PARTS` the recording has.
    """

    turns: Floats
    pelvis: Floats
    present: frozenset[str]

    def __len__(self) -> int:
        return len(self.turns)


def to_training_motion(clip: Clip, present: frozenset[str] = frozenset(PARTS)) -> TrainingMotion:
    """Convert a clip of the default figure to `FPS` and to the stance's frame.

    Raises
    ------
    InvalidValueError
        If the clip is of another skeleton.
    """
    rig = default_rig()
    if clip.skeleton.names != rig.skeleton.names:
        raise InvalidValueError(
            "body language is trained on the default figure; retarget the clip first"
        )
    clip = resample(clip, FPS)
    yaw = _heading(clip, present)
    back = quaternion.from_axis_angle(_UP, -yaw)
    turns = quaternion.multiply(back[:, None], clip.world_rotations)
    fingers = hand_of_joint() >= 0
    turns[:, fingers] = clip.rotations[:, fingers]
    pelvis = np.zeros((len(clip), 3))
    if "lower" in present:
        ankles = clip.world_positions[:, rig.joints(("leftFoot", "rightFoot"))].mean(axis=1)
        ankles = filters.gaussian(ankles, _STANCE_S * FPS)
        hips = rig.skeleton.rest_world_positions
        at_rest = hips[0] - hips[rig.joints(("leftFoot", "rightFoot"))].mean(axis=0)
        pelvis = quaternion.rotate(back, clip.root_positions - ankles) - at_rest
    return TrainingMotion(quaternion.unroll(quaternion.normalise(turns)), pelvis, present)


def _heading(clip: Clip, present: frozenset[str]) -> Floats:
    """Forward direction ``[frames]``, radians about +Y."""
    rig = default_rig()
    ahead = np.array([0.0, 0.0, 1.0])
    if "lower" in present:
        feet = clip.world_rotations[:, rig.joints(("leftFoot", "rightFoot"))]
        points = quaternion.rotate(feet, ahead).mean(axis=1)
        slow = _STANCE_S
    else:
        points = quaternion.rotate(clip.world_rotations[:, rig.joint("hips")], ahead)
        slow = _SLOW_S
    yaw = np.unwrap(np.arctan2(points[:, 0], points[:, 2]))
    return filters.gaussian(yaw, slow * FPS)
