"""Corrections of motion that change smoothly in time, and begin before they are needed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.maths.arrays import Floats
from kinesphere.maths.filters import gaussian, moving_minimum

SMOOTH_S = 0.35
"""Time over which corrections change."""
PASS_S = 0.2
"""Time over which a path bends forward, around its own shoulder: most of a retraction."""


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


def past_shoulder(wrists: Floats, nearest_m: float) -> Floats:
    """How far forward wrists ``[f, 3]`` from their shoulder joint are from `nearest_m` before it.

    Straight past the shoulder an arm would flip over: within a few frames its upper arm would point
    the other way.
    """
    room = np.sqrt(np.maximum(nearest_m**2 - wrists[:, 0] ** 2 - wrists[:, 1] ** 2, 0.0))
    near = np.linalg.norm(wrists, axis=1) < nearest_m
    return np.asarray(np.where(near, room - wrists[:, 2], 0.0))


def ease_forward(needed: Floats, fps: float) -> Floats:
    """Displacements ``[f]`` no less than needed that begin before and change smoothly, metres."""
    most = float(needed.max(initial=0.0))
    if most == 0.0:
        return np.zeros(len(needed))
    return np.asarray(most * (1.0 - ease_ratio(1.0 - needed / most, fps, PASS_S)))


def within_arm(wrists: Floats, free_m: ArrayLike, most_m: float) -> Floats:
    """Wrists ``[f, 3]`` from their shoulder joint, smoothly no farther than the second distance.

    Up to `free_m`, one for all or ``[f]``, they are unchanged.
    """
    length = np.linalg.norm(wrists, axis=1)
    free = np.broadcast_to(np.asarray(free_m, dtype=np.float64), length.shape)
    room = np.maximum(most_m - free, 1e-3 * most_m)
    over = np.maximum(length - free, 0.0)
    ratio = np.where(over > 0.0, free + room * np.tanh(over / room), length)
    return np.asarray(wrists * (ratio / np.maximum(length, 1e-12))[:, None])
