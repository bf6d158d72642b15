"""Keeps the hands of a performance out of the body and of each other, along the whole path.

The figure's clearance (`figure.clearance`) does it; here are the distances that gestures and rest
poses allow, and the frames to be checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from kinesphere.animation.arms.arm_settings import ContactDistances
from kinesphere.animation.arms.poses.arm_pose import shoulders_of
from kinesphere.animation.posing import BLOCK, HandFrames, HeadTurns, pose_clip
from kinesphere.animation.trunk_motion import TrunkMotion
from kinesphere.figure.clearance import TAKE, Allowances, ClearanceSettings, Posed, clear_take
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.motion.body.arms import SIDES, Side

_S = ContactDistances()


def contact_allowances(
    touching: Bools, on_skin: Bools | None = None, met: Bools | None = None
) -> Allowances:
    """How near hands may come ``[f]`` where a gesture or a rest pose lets them touch.

    Parameters
    ----------
    touching : ``[f]`` whether a gesture or a rest pose lets the hands touch.
    on_skin : ``[f]`` whether a gesture lets a hand touch the body.
    met : ``[f]`` whether a gesture lets the hands touch.
    """
    frames = len(touching)
    skin = np.full((frames, 2), _S.skin_m)
    if on_skin is not None:
        skin[on_skin] = _S.on_skin_m
    air = np.where(touching, _S.held_m, _S.hands_m)
    if met is not None:
        air[met] = _S.met_m
    # Nothing is predicted: corrections are spread over the frames before.
    return Allowances(skin, air, np.zeros((frames, 2, 3)))


def clear_hands(
    fps: float,
    body: TrunkMotion,
    hands: Mapping[Side, HandFrames],
    head: HeadTurns,
    allowed: Allowances,
    settings: ClearanceSettings = TAKE,
    block: int = BLOCK,
) -> dict[Side, HandFrames]:
    """Hands that penetrate neither the body nor each other, as far as allowed.

    `settings` and `block` are those of `figure.clearance.clear_take`.
    """
    shoulders = np.stack([shoulders_of(side, hands[side].collars) for side in SIDES], axis=1)
    asked = np.stack([hands[side].wrists for side in SIDES], axis=1)

    def moved(wrists: Floats) -> dict[Side, HandFrames]:
        """The hands with other wrists; those that are not moved keep theirs to the bit."""
        placed = np.where(wrists == asked - shoulders, asked, wrists + shoulders)
        return {side: replace(hands[side], wrists=placed[:, h]) for h, side in enumerate(SIDES)}

    def pose(rows: slice, wrists: Floats) -> Posed:
        placed = asked.copy()
        placed[rows] = wrists + shoulders[rows]
        some = {side: replace(hands[side], wrists=placed[:, h]) for h, side in enumerate(SIDES)}
        clip = pose_clip(fps, body, some, head, rows=rows)
        return Posed(clip.rotations.copy(), clip.root_positions, clip.world_rotations.copy())

    swivels = np.stack([hands[side].swivels for side in SIDES], axis=1)
    return moved(clear_take(pose, asked - shoulders, swivels, fps, allowed, settings, block))
