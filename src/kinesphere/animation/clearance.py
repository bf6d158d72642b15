"""Hands kept out of the body and of each other, on the whole way and not only at the keys.

Where a point of a hand is too near, the wrist is pushed out along the shortest way, and the push is
spread over its neighbourhood in time, so that the hand goes round instead of jumping.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from kinesphere.animation.body_motion import BodyMotion
from kinesphere.animation.posing import HandMotion, HeadTurns, posed
from kinesphere.animation.restraint import spread_out
from kinesphere.character.default import default_rig
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.motion.arms import SIDES, Side
from kinesphere.motion.body_volume import CORE, BodyVolume, body_volume, distance, hand_points
from kinesphere.motion.clip import Clip

BLOCK = 3600  # frames that are posed at once
# Points lie in the middle of a hand: how far they stay from the body's skin, from the other hand.
SKIN_M = 0.013
HANDS_M = 0.024
_TOUCHING_M = 0.012
_ROUNDS = 5
_NEAR = 0.25  # metres between wrists beyond which hands do not meet


@cache
def _volume() -> BodyVolume:
    return body_volume(default_rig())


def cleared(
    fps: float,
    body: BodyMotion,
    hands: Mapping[Side, HandMotion],
    head: HeadTurns,
    touching: Bools,
) -> dict[Side, HandMotion]:
    """Hands that enter neither the body nor each other.

    Parameters
    ----------
    touching : ``[f]`` whether a gesture or a rest pose has the hands touch.
    """
    out = dict(hands)
    frames = len(touching)
    dirty = np.ones(frames, dtype=bool)
    for _ in range(_ROUNDS):
        push = {side: np.zeros((frames, 3)) for side in SIDES}
        for rows in _blocks(dirty):
            clip = posed(fps, body, out, head, rows=rows)
            axes = clip.world_rotations[:, default_rig().joint("upperChest")]
            points = {side: hand_points(clip, default_rig(), side) for side in SIDES}
            back = quaternion.inverse(axes)
            for side in SIDES:
                push[side][rows] = quaternion.rotate(back, _out_of_body(clip, points[side]))
            apart = quaternion.rotate(back, _apart(points, touching[rows]))
            push["left"][rows] += apart
            push["right"][rows] -= apart
        moved = False
        for side in SIDES:
            if np.any(push[side]):
                moved = True
                spread = spread_out(push[side], fps)
                out[side] = replace(out[side], wrists=out[side].wrists + spread)
                dirty |= np.any(np.abs(spread) > 1e-5, axis=1)
        if not moved:
            break
    return out


def _blocks(dirty: Bools) -> Iterator[slice]:
    """Blocks of frames of which some are to be looked at."""
    for start in range(0, len(dirty), BLOCK):
        rows = slice(start, min(start + BLOCK, len(dirty)))
        if dirty[rows].any():
            dirty[rows] = False
            yield rows


def _out_of_body(clip: Clip, points: Floats) -> Floats:
    """Ways ``[f, 3]`` in the world that bring a hand's deepest point out of the body."""
    away, _, normals = distance(
        _volume(), clip.world_rotations, clip.world_positions, points, CORE, SKIN_M
    )
    deepest = np.argmin(away, axis=1)
    rows = np.arange(len(away))
    lack = SKIN_M - away[rows, deepest]
    # A little slack, or every round finds something.
    lack = np.where(lack > 0.0015, lack, 0.0)
    return np.asarray(lack[:, None] * normals[rows, deepest])


def _apart(points: Mapping[Side, Floats], touching: Bools) -> Floats:
    """Half the way ``[f, 3]`` in the world by which the left hand leaves the right one."""
    left, right = points["left"], points["right"]
    out = np.zeros((len(left), 3))
    near = np.flatnonzero(np.linalg.norm(left[:, 1] - right[:, 1], axis=-1) < _NEAR)
    if len(near) == 0:
        return out
    a, b = left[near], right[near]
    gaps = a[:, :, None] - b[:, None]
    sizes = np.linalg.norm(gaps, axis=-1).reshape(len(near), -1)
    nearest = sizes.argmin(axis=1)
    rows = np.arange(len(near))
    least = np.where(touching[near], _TOUCHING_M, HANDS_M)
    lack = least - sizes[rows, nearest]
    way = a[:, 1] - b[:, 1]
    # From palm to palm, and to the side: where hands are in each other the nearest points mislead.
    way = way / np.maximum(np.linalg.norm(way, axis=-1, keepdims=True), 1e-9)
    way = way + np.array([0.3, 0.0, 0.0])
    way = way / np.maximum(np.linalg.norm(way, axis=-1, keepdims=True), 1e-9)
    out[near] = 0.5 * np.where(lack > 0.001, lack, 0.0)[:, None] * way
    return out
