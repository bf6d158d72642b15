"""Transitions between segments: velocity-based blending in world space (section 9).

A joint rotates towards its source no faster than the source itself rotates: the pace of the
recorded motion stays, and the pose catches up with it. A still source is approached at a small
rate, or the pose would never arrive. Fingers are blended in the frame of their hand.

With the published rule, a joint's velocity is discontinuous when a segment starts and when the
pose has caught up, each joint at its own time. `BlendSettings.soft_s` keeps the velocity from
before a discontinuity as an offset that decays, critically damped. The result is followed by a
third-order spring with velocity feed-forward (`smooth_s`), which has no lag at constant velocity
and a continuous acceleration. It lags oscillations by about `smooth_s` at the pace of gestures,
so segments are read ahead by as much. 0 is the paper's rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.bodylanguage.streams import FPS, hand_of_joint, stream_of_joint
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.maths.bounds import check_bounds, range_field


@dataclass(frozen=True)
class BlendSettings:
    """Settings of transitions between segments.

    Parameters
    ----------
    least_rad_s, least_finger_rad_s, least_m_s : lowest catch-up speed of joints, fingers, pelvis.
    soft_s, soft_finger_s : decay time of the velocity from before a discontinuity; 0 for the
        paper's rule. Fingers open and close fast: with a long decay they would bend too far.
    smooth_s : time constant of the spring that follows the path, and the time by which segments
        are read ahead to compensate for it. Longer values remove tremor (power above 8 Hz), but
        also the stops between strokes.
    """

    least_rad_s: float = 0.2
    least_finger_rad_s: float = 1.5
    least_m_s: float = 0.03
    soft_s: float = range_field(0.2, 0.0, 2.0)
    soft_finger_s: float = range_field(0.06, 0.005, 2.0)
    smooth_s: float = range_field(0.07, 0.005, 1.0)

    def __post_init__(self) -> None:
        if min(self.least_rad_s, self.least_finger_rad_s, self.least_m_s) <= 0.0:
            raise InvalidValueError("the lowest catch-up speeds must be more than 0")
        check_bounds(self)

    def numbers(self, softness: float = 1.0) -> Floats:
        """The settings as kernel arguments, with longer or shorter transitions."""
        least = (self.least_rad_s, self.least_finger_rad_s, self.least_m_s)
        smooth_s, finger_s = softness * self.smooth_s, softness * self.soft_finger_s
        if self.soft_s == 0.0:
            return np.array([*least, 0.0, 1.0 / smooth_s, 0.0, 0.0])
        soft_s = softness * self.soft_s
        return np.array([*least, 1.0 / soft_s, 1.0 / smooth_s, smooth_s, 1.0 / finger_s])


class Blend(NamedTuple):
    """Blending state of characters; immutable, `advance` returns the next.

    Parameters
    ----------
    blended : ``[characters, joints, 4]`` rotations of the joints, without smoothing.
    springs : ``[characters, joints, 7, 3]`` of each joint, a vector each: smoothing offset, its
        velocity, the last velocity of the joint; offset of the following spring, its velocity, its
        acceleration, the last velocity of what it follows.
    phases : ``[characters, joints]`` catching up, just arrived, or following the source.
    hips, hips_springs, hips_phases : the same for the pelvis position.
    """

    blended: Floats
    springs: Floats
    phases: NDArray[np.int8]
    hips: Floats
    hips_springs: Floats
    hips_phases: NDArray[np.int8]


class Playing(NamedTuple):
    """The current segments ``[characters, 3]``.

    Parameters
    ----------
    begun_s : start time of each.
    firsts : its first frame in the library.
    ranges : ``[characters, 3, 2]`` first and last frame that may be read.
    """

    begun_s: Floats
    firsts: Floats
    ranges: Floats


def first_blend(poses: Floats, hips: Floats) -> Blend:
    """Characters at rest in poses ``[characters, joints, 4]`` with pelvises ``[characters, 3]``."""
    count, joints = poses.shape[:2]
    return Blend(
        np.ascontiguousarray(poses, dtype=np.float64),
        np.zeros((count, joints, 7, 3)),
        np.full((count, joints), 2, dtype=np.int8),
        np.ascontiguousarray(hips, dtype=np.float64),
        np.zeros((count, 7, 3)),
        np.full(count, 2, dtype=np.int8),
    )


def advance(
    blend: Blend,
    model: BodyLanguageModel,
    playing: Playing,
    begins: Bools,
    frame: int,
    fps: float,
    pace: float,
    numbers: Floats,
    shown: Floats,
    shown_hips: Floats,
) -> Blend:
    """Blend frames from number `frame` on; segments start only at the first of them.

    Parameters
    ----------
    begins : ``[characters, 3]`` whether a segment starts at the first frame.
    pace : playback speed of segments relative to the recording.
    numbers : of `BlendSettings`.
    shown, shown_hips : ``[characters, frames, joints, 4]`` and ``[characters, frames, 3]``, filled.
    """
    from kinesphere.bodylanguage.play.blending_kernels import blend as kernel

    after = Blend(
        blend.blended.copy(),
        blend.springs.copy(),
        blend.phases.copy(),
        blend.hips.copy(),
        blend.hips_springs.copy(),
        blend.hips_phases.copy(),
    )
    kernel(
        model.turns,
        model.pelvis,
        frame,
        fps,
        pace * FPS,
        playing.begun_s,
        playing.firsts,
        playing.ranges,
        stream_of_joint(),
        hand_of_joint(),
        begins,
        numbers,
        after.blended,
        after.springs,
        after.phases,
        after.hips,
        after.hips_springs,
        after.hips_phases,
        shown,
        shown_hips,
    )
    return after
