"""Volumes of the hands of any rig, used to detect whether they penetrate each other.

A hand is a set of spheres along palm and fingers with their thickness. `animation.arms.hand_volume`
has a finer one, measured on the default figure's mesh.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from kinesphere.maths.arrays import Floats, Ints
from kinesphere.motion.body.arms import SIDES
from kinesphere.motion.body.body_volume import FINGER_M, HEIGHT_M, PALM_M, THUMB_M, hand_points
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import FINGERS, Rig, finger_bones
from kinesphere.motion.measure import body_height

_BLOCK = 128


def hand_overlap(clip: Clip, rig: Rig) -> Floats:
    """Penetration depth of the hands, ``[frames]``, metres, 0 where they are apart."""
    out = np.zeros(len(clip))
    for frames, left, right, reach in _close_hands(clip, rig):
        out[frames] = np.maximum(-least_air(left, right, reach), 0.0)
    return out


def way_out_of_hand(clip: Clip, rig: Rig, ways: Floats) -> Floats:
    """Distance the left hand must move along unit vectors ``[frames, 3]`` to clear the right one.

    Clear means on that side: hands that have passed through each other must move the whole distance
    back, hands that pass beside each other not at all. ``[frames]`` metres.
    """
    out = np.zeros(len(clip))
    for frames, left, right, reach in _close_hands(clip, rig):
        way = ways[frames, :, None]
        apart = left @ way - (right @ way).transpose(0, 2, 1)
        beside = np.maximum(_squared_distances(left, right) - apart * apart, 0.0)
        lack = np.sqrt(np.maximum(reach * reach - beside, 0.0)) - apart
        lack = np.where(beside < reach * reach, lack, 0.0)
        out[frames] = np.maximum(lack.max(axis=(1, 2)), 0.0)
    return out


def least_air(left: Floats, right: Floats, reach: Floats) -> Floats:
    """Least gap ``[f]`` between spheres ``[f, k, 3]`` and ``[f, m, 3]``; negative if they overlap.

    `reach` ``[k, m]`` is the sum of two spheres' radii.
    """
    air = np.sqrt(np.maximum(_squared_distances(left, right), 0.0)) - reach
    return np.asarray(air.min(axis=(1, 2)))


def _squared_distances(left: Floats, right: Floats) -> Floats:
    return np.asarray(
        np.sum(left * left, axis=-1)[:, :, None]
        + np.sum(right * right, axis=-1)[:, None, :]
        - 2.0 * left @ right.transpose(0, 2, 1)
    )


def _close_hands(clip: Clip, rig: Rig) -> Iterator[tuple[Ints, Floats, Floats, Floats]]:
    """Blocks of frames with hands near each other: which, both hands' spheres, sums of radii."""
    scale = body_height(rig) / HEIGHT_M
    (left, thick), (right, other) = (_hand_balls(clip, rig, side) for side in SIDES)
    reach = scale * (thick[:, None] + other)
    (at, size), (there, span) = (_around(left), _around(right))
    near = np.flatnonzero(np.linalg.norm(at - there, axis=-1) < size + span + reach.max())
    for first in range(0, len(near), _BLOCK):
        frames = near[first : first + _BLOCK]
        yield frames, left[frames], right[frames], reach


def _around(points: Floats) -> tuple[Floats, Floats]:
    """Middle ``[frames, 3]`` of points ``[frames, k, 3]``, and their largest distance from it."""
    middle = points.mean(axis=1)
    return middle, np.sqrt(np.sum((points - middle[:, None]) ** 2, axis=-1).max(axis=1))


def _hand_balls(clip: Clip, rig: Rig, side: str) -> tuple[Floats, Floats]:
    """Centres ``[frames, k, 3]`` from the pelvis, and radii ``[k]`` for a body of 1.75 m."""
    points = hand_points(clip, rig, side)
    fingers = [f for f in FINGERS if all(b in rig for b in finger_bones(side, f))]
    fingers = [] if fingers == ["Thumb"] else fingers
    wrist, tips = points[:, 0], points[:, points.shape[1] - len(fingers) :]
    lines: list[tuple[Floats, Floats, int, float]] = []
    for k, finger in enumerate(fingers):
        chain = [clip.world_positions[:, j] for j in rig.joints(finger_bones(side, finger))]
        thick = THUMB_M if finger == "Thumb" else FINGER_M
        lines += [(a, b, 3, thick) for a, b in pairwise([*chain, tips[:, k]])]
        if finger != "Thumb":
            lines.append((wrist, chain[0], 7, PALM_M))
    if not fingers:
        lines.append((wrist, points[:, -1], 7, PALM_M))
    centres = [a + (b - a) * s for a, b, n, _ in lines for s in np.linspace(0.0, 1.0, n)]
    radii = [thick for _, _, n, thick in lines for _ in range(n)]
    hips = clip.world_positions[:, rig.joint("hips"), None]
    return np.stack(centres, axis=1) - hips, np.array(radii)
