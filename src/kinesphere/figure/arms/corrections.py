"""Corrections of motion that change smoothly in time, and begin before they are needed."""

from __future__ import annotations

import numpy as np

from kinesphere.maths.arrays import Floats
from kinesphere.maths.filters import gaussian, moving_minimum

SMOOTH_S = 0.35
"""Time over which corrections change."""


def ease_ratio(share: Floats, fps: float, window_s: float = SMOOTH_S) -> Floats:
    """Ratios that never exceed the given ones and change smoothly."""
    reach = max(1, round(window_s * fps))
    return np.minimum(gaussian(moving_minimum(share, reach), reach / 2.0, 2.0), share)


def smooth_corrections(push: Floats, fps: float, sure: float = 1e-12) -> Floats:
    """Smooth corrections in time without reducing their size.

    Where directions that are close in time contradict each other so much that less than a ratio
    `sure` of their mean is left, the correction is reduced by as much, so that nothing flips.
    """
    size = np.linalg.norm(push, axis=-1)
    most = max(float(size.max()), 1e-12)
    wide = 1.0 - ease_ratio(ease_ratio(1.0 - size / most, fps), fps)
    pushed = np.flatnonzero(size > 0.0)
    frames = np.arange(len(size))
    after = np.clip(np.searchsorted(pushed, frames), 0, len(pushed) - 1)
    before = np.maximum(after - 1, 0)
    closer = np.abs(pushed[before] - frames) < np.abs(pushed[after] - frames)
    nearest = np.where(closer, pushed[before], pushed[after])
    way = gaussian(push[nearest] / size[nearest, None], max(1.0, SMOOTH_S * fps), 3.0)
    length = np.linalg.norm(way, axis=-1, keepdims=True)
    way = way / np.where(length > 1e-12, np.maximum(length, sure), 1.0)
    return np.asarray(wide[:, None] * most * way)
