"""Longer motion: a loop is repeated; of any other motion the last pose is held."""

from __future__ import annotations

import numpy as np

from kinesphere.maths import quaternion
from kinesphere.motion.clip import Clip
from kinesphere.motion.editing import concatenate, continue_from, join_clips

# A loop's last pose is this near to its first in every joint, and its root in height; the rest
# is blended.
_NEAR_RAD, _NEAR_M = np.radians(10.0), 0.03
_SHORTEST_S, _BLEND_S = 0.3, 0.3


def is_loop(clip: Clip) -> bool:
    """Whether a motion ends nearly in the pose it begins with, at any position and heading."""
    if clip.duration_s < _SHORTEST_S:
        return False
    again = continue_from(clip, clip.frames(0, 1))
    apart = quaternion.angle_between(clip.rotations[-1], again.rotations[0])
    rise = abs(clip.root_positions[-1, 1] - again.root_positions[0, 1])
    return bool(apart.max() < _NEAR_RAD and rise < _NEAR_M)


def lengthen(clip: Clip, frames: int) -> Clip:
    """The clip with at least this many frames; one that is long enough is returned unchanged.

    A loop continues from where it ended, a walk walks on; other motion holds its last pose.
    """
    if len(clip) >= frames:
        return clip
    if not is_loop(clip):
        return clip.select_frames(np.minimum(np.arange(frames), len(clip) - 1))
    parts, count = [clip], len(clip)
    blend_s = min(_BLEND_S, 0.5 * clip.duration_s)
    while count < frames:
        last = parts[-1].frames(len(parts[-1]) - 2, len(parts[-1]))
        # The first frame of each cycle is the last one of the cycle before.
        again = continue_from(last, clip).frames(1, len(clip))
        parts.append(join_clips(last, again, blend_s, follow=False).frames(2, len(again) + 2))
        count += len(again)
    return concatenate(parts).frames(0, frames)
