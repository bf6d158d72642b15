"""Contacts of a hand: with the body, the other hand, or a fixed object.

Such positions are keys in the world in EMOTE's sense: Shape does not move them, and Effort does
not shift them in time.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.maths.curves import smoothstep
from kinesphere.motion.body.arms import ArmMotion, Side, chest_bone, elbow_bends
from kinesphere.motion.body.body_volume import CORE, body_volume, distance, hand_points
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.kinematics import speeds
from kinesphere.motion.measure import body_height

_HANDS_LONG_M = 0.45
# Bone that a part of the body moves with.
_BONES = {"pelvis": "hips", "neck": "neck", "head": "head"}


@dataclass(frozen=True)
class HeldTouchSettings:
    """What counts as a contact; lengths for a person of 1.75 m.

    A hanging arm brushes the thigh unintentionally, so a hand below the hips on an arm bent by
    less than `hanging_bend` has no contact. Contacts less than `gap_s` apart are one.
    """

    body_m: float = 0.015
    hands_m: float = 0.06
    speed: float = 0.12
    least_s: float = 0.2
    fixed_speed: float = 0.03
    fixed_least_s: float = 0.4
    fixed_body_m: float = 0.04
    hanging_bend: float = np.radians(50.0)
    ramp_s: float = 0.6
    gap_s: float = 1.0


@dataclass(frozen=True)
class Touches:
    """Contacts of a hand: `weights` ``[frames]`` from 0 to 1, and the fixed positions of its wrist.

    `targets` ``[frames, 3]`` are in the world of the current body, after its torso has bent.
    """

    weights: Floats
    targets: Floats


def find_touches(
    clip: Clip,
    rig: Rig,
    side: Side,
    arm: ArmMotion,
    now: Clip,
    settings: HeldTouchSettings | None = None,
) -> Touches:
    """Find the contacts of a hand.

    Parameters
    ----------
    clip : the motion as recorded, in which contacts are detected.
    arm : that arm as recorded.
    now : the same motion with another posture, in which the contacts are kept.
    """
    s = settings or HeldTouchSettings()
    scale = body_height(rig) / 1.75
    wrists = arm.in_world(arm.wrists)
    points = hand_points(clip, rig, side)
    other = hand_points(clip, rig, "right" if side == "left" else "left")
    targets = wrists.copy()
    total = np.zeros(len(clip))
    for touching, joint in (
        *_on_body(clip, rig, arm, wrists, points, scale, s),
        (_on_hand(clip, points, other, wrists, scale, s), rig.joint(chest_bone(rig))),
    ):
        weights = _ramp(touching, clip.fps, s)
        if not weights.any():
            continue
        turn = quaternion.multiply(
            now.world_rotations[:, joint], quaternion.inverse(clip.world_rotations[:, joint])
        )
        kept = now.world_positions[:, joint] + quaternion.rotate(
            turn, wrists - clip.world_positions[:, joint]
        )
        stronger = weights > total
        targets = np.where(stronger[:, None], kept, targets)
        total = np.maximum(total, weights)
    fixed = _ramp(_fix(clip, arm, wrists, scale, s), clip.fps, s)
    targets = np.where((fixed > total)[:, None], wrists, targets)
    return Touches(np.maximum(total, fixed), targets)


def _on_body(
    clip: Clip,
    rig: Rig,
    arm: ArmMotion,
    wrists: Floats,
    points: Floats,
    scale: float,
    s: HeldTouchSettings,
) -> list[tuple[Bools, int]]:
    volume = body_volume(rig)
    away, part, _ = distance(
        volume, clip.world_rotations, clip.world_positions, points, CORE, s.body_m * scale
    )
    nearest = np.argmin(away, axis=1)
    rows = np.arange(len(clip))
    near = away[rows, nearest] < s.body_m * scale
    touched = part[rows, nearest]
    hips = clip.world_positions[:, rig.joint("hips"), 1]
    bend = elbow_bends(arm.limb, arm.wrists)
    near &= ~((bend < s.hanging_bend) & (wrists[:, 1] < hips))
    out = []
    for index in np.unique(touched[near]):
        name = volume.parts[int(index)]
        bone = _BONES.get(name, chest_bone(rig) if name == "torso" else name)
        joint = rig.bones.get(bone, rig.joint(chest_bone(rig)))
        turn = clip.world_rotations[:, joint]
        local = quaternion.rotate(quaternion.inverse(turn), wrists - clip.world_positions[:, joint])
        still = speeds(local, clip.fps) < s.speed * scale
        out.append((_lasting(near & (touched == index) & still, clip.fps, s.least_s), joint))
    return out


def _on_hand(
    clip: Clip, points: Floats, other: Floats, wrists: Floats, scale: float, s: HeldTouchSettings
) -> Bools:
    near = np.zeros(len(clip), dtype=bool)
    # Two hands whose wrists are farther apart than they are long do not touch.
    close = np.flatnonzero(
        np.linalg.norm(points[:, 0] - other[:, 0], axis=-1) < _HANDS_LONG_M * scale
    )
    if len(close):
        gaps = np.linalg.norm(points[close, :, None] - other[close, None], axis=-1)
        near[close] = gaps.reshape(len(close), -1).min(axis=1) < s.hands_m * scale
    apart = speeds(points[:, 0] - other[:, 0], clip.fps)
    return _lasting(near & (apart < 2.0 * s.speed * scale), clip.fps, 0.5 * s.least_s)


def _fix(clip: Clip, arm: ArmMotion, wrists: Floats, scale: float, s: HeldTouchSettings) -> Bools:
    """Stretches in which the wrist is fixed in the world while the shoulder moves."""
    still = _lasting(speeds(wrists, clip.fps) < s.fixed_speed * scale, clip.fps, s.fixed_least_s)
    out = np.zeros(len(still), dtype=bool)
    for start, end in _runs(still):
        shoulder = arm.shoulders[start:end]
        if np.linalg.norm(np.ptp(shoulder, axis=0)) > s.fixed_body_m * scale:
            out[start:end] = True
    return out


def _runs(flags: Bools) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _lasting(flags: Bools, fps: float, least_s: float) -> Bools:
    out = np.zeros(len(flags), dtype=bool)
    for start, end in _runs(flags):
        if end - start >= least_s * fps:
            out[start:end] = True
    return out


def _ramp(flags: Bools, fps: float, s: HeldTouchSettings) -> Floats:
    """Weights that rise before a contact and fall after it."""
    if not flags.any():
        return np.zeros(len(flags))
    flags = flags.copy()
    for (_, end), (start, _) in pairwise(_runs(flags)):
        if start - end < s.gap_s * fps:
            flags[end:start] = True
    frames = np.arange(len(flags))
    at = np.flatnonzero(flags)
    i = np.searchsorted(at, frames)
    before = np.where(i > 0, frames - at[np.maximum(i - 1, 0)], len(flags) * 10)
    after = np.where(i < len(at), at[np.minimum(i, len(at) - 1)] - frames, len(flags) * 10)
    gap = np.minimum(before, after) / fps
    return smoothstep(1.0 - gap / s.ramp_s)
