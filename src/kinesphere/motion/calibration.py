"""Leading calibration frames, as some conversions have them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip

_JUMP = np.radians(15.0)  # of the joint that rotates most, away from the rest pose
_WHOLE_JUMP = np.radians(4.0)  # of the mean over all joints, away from any other pose
_ROOT_JUMP_M = 0.1
_TIMES_USUAL = 6.0
_TIMES_LARGEST = 2.0  # of later steps: motion with repeated jumps has no calibration
_MOST_NEAR_REST = np.radians(5.0)
_NEARLY_ALL = np.radians(35.0)
_STILL = np.radians(1.0)
_FEW = 3  # frames that a pose away from the rest pose may last
_LONGEST_S = 0.1
_LATER_S = 2.0


def calibration_frames(clip: Clip) -> int:
    """Number of leading calibration frames: the motion jumps away from each.

    A jump is much larger than later movement between two frames: in the joint that rotates most
    for a pose that is the rest pose to within a few degrees in most joints (in CMU's conversions
    the legs are closed), and which may be held for up to 0.1 s; in the mean over all joints or in
    the root's position for any other pose, of at most three frames. Several may follow each other.
    """
    most = max(_FEW, round(_LONGEST_S * clip.fps))
    used = min(len(clip), 3 * most + round(_LATER_S * clip.fps) + 2)
    if used < 3:
        return 0
    rotations = clip.rotations[:used]
    turns = quaternion.angle_between(rotations[:-1], rotations[1:])
    steps = _Steps(
        turns.max(axis=1),
        turns.mean(axis=1),
        np.linalg.norm(np.diff(clip.root_positions[:used], axis=0), axis=-1),
    )
    first = 0
    for _ in range(3):
        length = _pose_length(clip, steps, first, most)
        if length == 0:
            break
        first += length
    return first


def calibration_note(count: int) -> str:
    """Note that a clip has calibration frames."""
    if count == 1:
        return "the first frame is a calibration pose"
    return f"the first {count} frames are calibration poses"


def without_calibration(clip: Clip) -> Clip:
    """The clip without its leading calibration frames, if it has any."""
    skip = calibration_frames(clip)
    return clip.frames(skip, len(clip)) if skip else clip


@dataclass(frozen=True)
class _Steps:
    """Movement from each frame to the next: rotations of the joints, translation of the root."""

    largest: Floats
    mean: Floats
    root: Floats

    def jumps(self, at: int, *, from_rest: bool) -> bool:
        """Whether the motion jumps from frame `at` to the next."""
        # Right after it there may be another calibration pose.
        after = at + 1 + (_FEW if len(self.mean) > at + 1 + 2 * _FEW else 0)
        if after >= len(self.mean):
            return False
        turned = _stands_out(self.mean, at, after, _WHOLE_JUMP)
        if from_rest:
            usual = float(np.quantile(self.largest[after:][:60], 0.9))
            turned = self.largest[at] >= max(_JUMP, _TIMES_USUAL * usual) and _stands_out(
                self.mean, at, after, 0.0
            )
        return bool(turned) or _stands_out(self.root, at, after, _ROOT_JUMP_M)


def _stands_out(steps: Floats, at: int, after: int, least: float) -> bool:
    later = steps[after:]
    usual = _TIMES_USUAL * float(np.quantile(later[:60], 0.9))
    return bool(steps[at] >= max(least, usual, _TIMES_LARGEST * float(later.max())))


def _pose_length(clip: Clip, steps: _Steps, first: int, most: int) -> int:
    """Number of frames from `first` on that are one calibration pose; 0 if none is."""
    held = first
    rested = _is_rest(clip, first)
    while rested and held - first < most and held < len(steps.largest):
        if steps.jumps(held, from_rest=True):
            return held + 1 - first
        if steps.largest[held] > _STILL:
            break
        held += 1
    for last in range(first, min(first + _FEW, len(steps.largest))):
        if steps.jumps(last, from_rest=False):
            return last + 1 - first
    return 0


def _is_rest(clip: Clip, frame: int) -> bool:
    from_rest = quaternion.angle_between(clip.rotations[frame], clip.skeleton.rest_rotations)
    near = np.median(from_rest) < _MOST_NEAR_REST and np.quantile(from_rest, 0.9) < _NEARLY_ALL
    return bool(near)
