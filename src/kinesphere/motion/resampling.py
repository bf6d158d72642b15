"""The same motion at another rate or at any times."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.maths.bounds import check_range
from kinesphere.motion.clip import Clip

Method = Literal["cubic", "linear"]
_NEAR_FRAME = 1e-9
_MOST_ROTATIONS = 100_000_000


def resample(clip: Clip, fps: float, method: Method = "cubic") -> Clip:
    """Return the clip at another frame rate.

    The first frame keeps its time; the last new frame is the last that is not beyond the old
    last one. The same rate returns the clip itself. Cubic keeps speeds continuous when frames are
    added; linear never leaves the range of the data.
    """
    check_range("fps", fps, 1e-3, 1e5)
    if fps == clip.fps:
        return clip
    count = int(np.floor(clip.duration_s * fps + 1e-6)) + 1
    if count * len(clip.skeleton) > _MOST_ROTATIONS:
        raise InvalidValueError(f"{count} frames at {fps:g} fps are too many to hold in memory")
    return replace(sample(clip, np.arange(count) / fps, method), fps=float(fps))


def sample(clip: Clip, times_s: ArrayLike, method: Method = "cubic") -> Clip:
    """Poses at the given times, which are clamped to the clip's range.

    The result's `fps` is the clip's; the caller must set the rate of the times.
    """
    if method not in ("cubic", "linear"):
        raise InvalidValueError(f"method {method!r}, allowed are cubic, linear")
    times = np.atleast_1d(np.asarray(times_s, dtype=np.float64))
    if times.ndim != 1 or len(times) == 0 or not np.isfinite(times).all():
        raise InvalidValueError("times to sample at must be a non-empty list of finite numbers")
    at = np.clip(times * clip.fps, 0.0, len(clip) - 1)
    whole = np.round(at)
    at = np.where(np.abs(at - whole) < _NEAR_FRAME * np.maximum(1.0, whole), whole, at)
    if len(clip) == 1 or np.array_equal(at, np.round(at)):
        return clip.select_frames(at.astype(np.int64))
    return replace(
        clip,
        rotations=rotations_at(clip.rotations, at, method),
        root_positions=vectors_at(clip.root_positions, at, method),
        translations=vectors_at(clip.translations, at, method),
        channels={n: vectors_at(v, at, "linear") for n, v in clip.channels.items()},
    )


def rotations_at(rotations: Floats, at: Floats, method: Method = "cubic") -> Floats:
    """Rotations ``[frames, joints, 4]`` at frame numbers, which may lie between frames."""
    from kinesphere.motion.resampling_kernels import resample_rotations

    out = np.empty((len(at), *rotations.shape[1:]))
    resample_rotations(rotations, np.ascontiguousarray(at), method == "cubic", out)
    return out


def vectors_at(values: Floats, at: Floats, method: Method = "cubic") -> Floats:
    """Values ``[frames, ...]`` at frame numbers, which may lie between frames."""
    if method == "cubic" and len(values) > 2 and values.size:
        from kinesphere.motion.resampling_kernels import resample_vectors

        flat = np.ascontiguousarray(values, dtype=np.float64).reshape(len(values), -1)
        out = np.empty((len(at), flat.shape[1]))
        resample_vectors(flat, np.ascontiguousarray(at, dtype=np.float64), out)
        return out.reshape(len(at), *values.shape[1:])
    i = np.minimum(at.astype(np.int64), len(values) - 2)
    r = (at - i).reshape(-1, *(1,) * (values.ndim - 1))
    return np.asarray(values[i] * (1.0 - r) + values[i + 1] * r)
