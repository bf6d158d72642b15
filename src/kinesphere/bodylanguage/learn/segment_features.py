"""Similarity of segments: length, starting pose, and a summary of the motion (2009, 5.2).

The summary is three vectors over a few key coordinates of the stream: mean velocity, mean and
greatest displacement from the first frame. Each is put on a logarithmic scale by the norm of the
whole vector, since large gestures may differ by more and still look alike; one factor for both
hands, so that a resting hand stays unimportant. Ward clustering needs vectors, so the parts are
weighted and concatenated. All scales are fixed, so files can be processed separately.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.bodylanguage.streams import ARMS, HEAD, LOWER
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats, Ints


@dataclass(frozen=True)
class FeatureSettings:
    """Weights of the three parts, and the unit step of each (`for_stream` has our own values).

    Parameters
    ----------
    length_weight, start_weight, summary_weight : of the parts, which are in steps.
    length_step : of the natural logarithm of the length.
    pose_step : metres, for the head radians: a clearly different position.
    shift_step : metres or radians: displacements below it count in proportion, above it by their
        logarithm.
    speed_step : the same for velocities, per second.
    """

    length_weight: float = 0.7
    start_weight: float = 1.0
    summary_weight: float = 2.0
    length_step: float = 0.6
    pose_step: float = 0.2
    shift_step: float = 0.1
    speed_step: float = 0.2

    def __post_init__(self) -> None:
        if min(self.length_weight, self.start_weight, self.summary_weight) < 0.0:
            raise InvalidValueError("a weight is less than 0")
        if min(self.length_step, self.pose_step, self.shift_step, self.speed_step) <= 0.0:
            raise InvalidValueError("a step is not more than 0")

    @classmethod
    def for_stream(cls, stream: int) -> FeatureSettings:
        """Values with which segments of one cluster look alike."""
        return _DEFAULTS[stream]


_DEFAULTS = {
    HEAD: FeatureSettings(length_weight=0.8, pose_step=0.15),
    ARMS: FeatureSettings(),
    LOWER: FeatureSettings(
        length_weight=0.6, summary_weight=1.0, pose_step=0.06, shift_step=0.01, speed_step=0.02
    ),
}


def start_poses(
    stream: int, positions: ArrayLike, settings: FeatureSettings | None = None
) -> Floats:
    """Pose vectors ``[..., d]`` of key coordinates ``[..., d]``, for distances between poses.

    The same for frames of a library and for the current pose.
    """
    chosen = FeatureSettings.for_stream(stream) if settings is None else settings
    return np.asarray(positions, dtype=np.float64) / chosen.pose_step


def segment_features(
    stream: int,
    motion_positions: Floats,
    bounds: Ints,
    fps: float,
    settings: FeatureSettings | None = None,
) -> Floats:
    """Vectors ``[n, 1 + 4 d]`` to cluster by: length, start, velocity, mean and greatest shift.

    A segment reaches up to the first frame of the next, so that no motion between them is lost.

    Parameters
    ----------
    motion_positions : ``[frames, d]`` of `key_positions`.
    bounds : ``[n + 1]`` of `segmentation.segment_bounds`.
    """
    chosen = FeatureSettings.for_stream(stream) if settings is None else settings
    x, frames = motion_positions, np.diff(bounds)
    first, ends = bounds[:-1], np.minimum(bounds[1:], len(x) - 1)
    start, end = x[first], x[ends]
    lengths_s = frames[:, None] / fps
    velocity = (end - start) * (fps / np.maximum(ends - first, 1))[:, None]
    inside = x[: bounds[-1]]
    mean = (np.add.reduceat(inside, first) + end) / (frames[:, None] + 1.0) - start
    up = np.maximum(np.maximum.reduceat(inside, first), end) - start
    down = np.minimum(np.minimum.reduceat(inside, first), end) - start
    most = np.where(up >= -down, up, down)
    part = chosen.summary_weight / np.sqrt(3.0)
    return np.concatenate(
        [
            chosen.length_weight * np.log(lengths_s) / chosen.length_step,
            chosen.start_weight * start_poses(stream, start, chosen),
            part * logarithmic(velocity, chosen.speed_step),
            part * logarithmic(mean, chosen.shift_step),
            part * logarithmic(most, chosen.shift_step),
        ],
        axis=1,
    )


def logarithmic(vectors: Floats, step: float) -> Floats:
    """Vectors ``[..., d]`` of the same direction, as long as ``log(1 + |v| / step)``."""
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    ratio = np.where(norms > 0.0, norms, 1.0)
    return np.asarray(vectors * (np.log1p(norms / step) / ratio))
