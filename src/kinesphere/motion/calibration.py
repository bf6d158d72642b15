"""A calibration pose in front of the motion, as some conversions have one."""

from __future__ import annotations

import numpy as np

from kinesphere.maths import quaternion
from kinesphere.motion.clip import Clip

_JUMP = np.radians(15.0)
_TIMES_USUAL = 6.0
_MOST_NEAR_REST = np.radians(5.0)
_NEARLY_ALL = np.radians(35.0)


def calibration_frames(clip: Clip) -> int:
    """Number of leading frames that are a calibration pose: 0 or 1.

    The first frame counts as one if it is the rest pose to within a few degrees in most joints (in
    CMU's conversions the legs are closed), and the motion jumps away from it: much farther than it
    moves between the frames that follow.
    """
    if len(clip) < 3:
        return 0
    upto = min(len(clip), 60)
    steps = quaternion.angle_between(clip.rotations[: upto - 1], clip.rotations[1:upto])
    largest = steps.max(axis=1)
    usual = float(np.quantile(largest[1:], 0.9))
    if largest[0] < max(_JUMP, _TIMES_USUAL * usual):
        return 0
    from_rest = quaternion.angle_between(clip.rotations[0], clip.skeleton.rest_rotations)
    near = np.median(from_rest) < _MOST_NEAR_REST and np.quantile(from_rest, 0.9) < _NEARLY_ALL
    return int(near)


def without_calibration(clip: Clip) -> Clip:
    """Return the clip without its calibration pose, if it has one."""
    skip = calibration_frames(clip)
    return clip.frames(skip, len(clip)) if skip else clip
