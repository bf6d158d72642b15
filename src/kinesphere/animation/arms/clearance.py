"""Keeps hands out of the body and of each other along the whole path, not only at the keys.

Where a point of a hand is too near, the wrist is moved out along the shortest direction, and the
correction is smoothed in time, so that the hand moves around instead of jumping.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from kinesphere.animation.arms.arm_settings import ClearanceSettings
from kinesphere.animation.arms.hand_volume import hand_balls
from kinesphere.animation.arms.poses.arm_pose import shoulders_of
from kinesphere.animation.arms.restraint import smooth_corrections
from kinesphere.animation.posing import BLOCK, HandFrames, HeadTurns, pose_clip
from kinesphere.animation.trunk_motion import TrunkMotion
from kinesphere.character.default import default_rig
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.motion.body.body_volume import CORE, BodyVolume, body_volume, distance, hand_points
from kinesphere.motion.body.hand_overlap import least_air
from kinesphere.motion.clip import Clip

_GAP = 90  # frames between stretches that are checked separately
_SOME = 256
_ROUNDS = 8
_S = ClearanceSettings()


@cache
def _volume() -> BodyVolume:
    return body_volume(default_rig())


def clear_hands(
    fps: float,
    body: TrunkMotion,
    hands: Mapping[Side, HandFrames],
    head: HeadTurns,
    touching: Bools,
    on_skin: Bools | None = None,
    met: Bools | None = None,
) -> dict[Side, HandFrames]:
    """Hands that penetrate neither the body nor each other.

    Parameters
    ----------
    touching : ``[f]`` whether a gesture or a rest pose lets the hands touch.
    on_skin : ``[f]`` whether a gesture lets a hand touch the body.
    met : ``[f]`` whether a gesture lets the hands touch.
    """
    out = dict(hands)
    frames = len(touching)
    skin = np.full(frames, _S.skin_m)
    if on_skin is not None:
        skin[on_skin] = _S.on_skin_m
    air = np.where(touching, _S.held_m, _S.hands_m)
    if met is not None:
        air[met] = _S.met_m
    dirty = np.ones(frames, dtype=bool)
    for _ in range(_ROUNDS):
        push = {side: np.zeros((frames, 3)) for side in SIDES}
        for rows, asked in _blocks(dirty):
            clip = pose_clip(fps, body, out, head, rows=rows)
            axes = clip.world_rotations[:, default_rig().joint("upperChest")]
            back = quaternion.inverse(axes)
            for side in SIDES:
                points = hand_points(clip, default_rig(), side)
                push[side][rows] = quaternion.rotate(back, _out_of_body(clip, points, skin[rows]))
            apart = quaternion.rotate(back, _apart(clip, out, rows, air[rows], asked))
            push["left"][rows] += apart
            push["right"][rows] -= apart
        moved = False
        for side in SIDES:
            if np.any(push[side]):
                moved = True
                spread = smooth_corrections(push[side], fps, _S.sure)
                hand = out[side]
                moved_to = hand.wrists + spread
                # Keep a minimum distance to the own shoulder: the elbow cannot bend farther.
                shoulders = shoulders_of(side, hand.collars)
                out[side] = replace(hand, wrists=unfold_arm(moved_to, shoulders))
                dirty |= np.any(np.abs(spread) > 1e-5, axis=1)
        if not moved:
            break
    return out


def _blocks(dirty: Bools) -> Iterator[tuple[slice, Bools]]:
    """Blocks of frames of which some are to be checked, and which."""
    found = np.flatnonzero(dirty)
    if len(found) == 0:
        return
    breaks = np.flatnonzero(np.diff(found) > _GAP)
    firsts = found[np.concatenate([[0], breaks + 1])]
    lasts = found[np.concatenate([breaks, [len(found) - 1]])] + 1
    marks = dirty.copy()
    dirty[:] = False
    for first, last in zip(firsts, lasts, strict=True):
        for start in range(int(first), int(last), BLOCK):
            rows = slice(start, min(start + BLOCK, int(last)))
            yield rows, marks[rows]


def _out_of_body(clip: Clip, points: Floats, skin: Floats) -> Floats:
    """Displacements ``[f, 3]`` in the world that bring a hand's deepest point out of the body."""
    away, _, normals = distance(
        _volume(), clip.world_rotations, clip.world_positions, points, CORE, _S.skin_m
    )
    deepest = np.argmin(away, axis=1)
    rows = np.arange(len(away))
    lack = skin - away[rows, deepest]
    # A small margin, or every round finds a penetration.
    least, margin = _S.felt_m
    lack = np.where(lack > least, lack + margin, 0.0)
    return np.asarray(lack[:, None] * normals[rows, deepest])


def _apart(
    clip: Clip, hands: Mapping[Side, HandFrames], rows: slice, least: Floats, asked: Bools
) -> Floats:
    """Half the displacement ``[f, 3]`` in the world that separates the left hand from the right."""
    rig = default_rig()
    joints = {side: rig.joint(f"{side}Hand") for side in SIDES}
    out = np.zeros((len(clip), 3))
    places = {side: clip.world_positions[:, joints[side]] for side in SIDES}
    close = np.linalg.norm(places["left"] - places["right"], axis=-1) < _S.near_m
    near = np.flatnonzero(close & asked)
    for start in range(0, len(near), _SOME):
        some = near[start : start + _SOME]
        balls, sizes = {}, {}
        for side in SIDES:
            turns = rig.turn(clip.world_rotations[some], joints[side])
            fingers = hands[side].fingers[rows][some]
            balls[side], sizes[side] = hand_balls(side, places[side][some], turns, fingers)
        left, right = balls["left"], balls["right"]
        reach = sizes["left"][:, None] + sizes["right"]
        lack = least[some] - least_air(left, right, reach)
        # From palm to palm, and to the side: inside each other the nearest points mislead.
        way = _unit(left[:, :7].mean(axis=1) - right[:, :7].mean(axis=1))
        way = _unit(way + np.array([_S.aside, 0.0, 0.0]))
        # That direction is seldom the shortest: move a little farther.
        ratio, margin = _S.apart
        out[some] = np.where(lack > margin, ratio * lack + margin, 0.0)[:, None] * way
    return out


def _unit(v: Floats) -> Floats:
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-9))


def unfold_arm(wrists: Floats, shoulders: Floats) -> Floats:
    """Wrists ``[f, 3]`` no nearer to their shoulder joints than an arm can be folded."""
    away = wrists - shoulders
    size = np.linalg.norm(away, axis=1, keepdims=True)
    near = size[:, 0] < _S.nearest_m
    if not near.any():
        return wrists
    out = wrists.copy()
    # A hand that is nearly at its shoulder moves forward from there.
    way = _unit(away[near] + np.array([0.0, 0.0, _S.forward_m]))
    out[near] = shoulders[near] + _S.nearest_m * way
    return out
