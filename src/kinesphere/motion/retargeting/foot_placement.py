"""Foot placement on another body: as flat as before, as high above the floor, as far apart.

The rotation of each foot away from standing flat is transferred, and the height of the lowest point
of its sole above the ground. So feet stand on the floor whatever their length and the height of
their ankles. Legs that are too short lower the pelvis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.maths import curves, filters, quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.measure import leg_length, limb_lengths
from kinesphere.motion.retargeting.footing import SIDES, Footing, heading_and_tilt, leg_scale
from kinesphere.motion.retargeting.observed_footing import FootTracks

# Recordings are not exact: a sole this near the ground stands on it, one that is tilted by much
# less than this is flat, and toes lie on the ground that the ball of the foot is on. Lengths are
# multiplied by `leg_scale`.
_NEAR_M = 0.006
_FREE_M = 0.04
_SHAKE_M = 0.003  # noise of a whole leg is moved to the foot, or the knee would jump
_TILTED = np.radians(18.0)
_TOES_FREE = 0.6
# Rigs differ in the positions of their hip joints; a larger difference, relative to leg length, is
# a body of another build.
_SAME_BUILD = 0.03
# A leg may always be this straight, and as straight as it was.
_STRAIGHT = 0.995
_ON_GROUND_M = 0.05
_DROP_S = 0.08
# Frames farther away in time have no influence on a foot's position.
INFLUENCE_S = 0.25


@dataclass(frozen=True, eq=False)
class FootMotion:
    """Motion of the feet, in the source's lengths.

    Parameters
    ----------
    turns : ``[frames, 2, 2, 4]`` rotations of ankle and toes away from flat.
    heights : ``[frames, 2]`` of the soles above the ground.
    ankles : ``[frames, 2, 3]`` their positions.
    level : ``[frames]`` height at which ankles stand.
    unit : the body's `leg_scale`.
    observed : whether it comes from a recording, which is never exact.
    on_balls : whether feet are known to turn about their balls.
    """

    turns: Floats
    heights: Floats
    ankles: Floats
    level: Floats
    unit: float
    observed: bool
    on_balls: bool


def foot_motion(tracks: FootTracks, footing: Footing, rig: Rig) -> FootMotion:
    """Measure the motion of a source's feet."""
    turns = quaternion.multiply(tracks.rotations, quaternion.inverse(footing.flat))
    for k, side in enumerate(SIDES):
        if f"{side}Toes" not in rig:
            turns[:, k, 1] = turns[:, k, 0]
    depths = footing.depths(turns, toes=not footing.observed)
    heights = tracks.ankles[..., 1] - depths - footing.floor_m
    level = np.full(len(turns), footing.floor_m + footing.ankles_m.mean())
    if footing.ground_m is not None and footing.hips_ground_m is not None:
        heights, level = heights - footing.ground_m, level + footing.hips_ground_m
    unit = leg_scale(rig)
    if footing.observed:
        turns, heights = _tidy(turns, heights, footing, unit)
    return FootMotion(
        turns, heights, tracks.ankles, level, unit, footing.observed, footing.on_balls
    )


def _tidy(turns: Floats, heights: Floats, footing: Footing, unit: float) -> tuple[Floats, Floats]:
    """Put feet and toes that are nearly on the ground on it; flatten what is nearly flat."""
    near, free = _NEAR_M * unit, _FREE_M * unit
    heading, tilt = heading_and_tilt(turns)
    vector = quaternion.log(tilt)
    above = curves.smoothstep((heights - near) / (free - near))
    tilted = curves.smoothstep(np.linalg.norm(vector[:, :, 0], axis=-1) / _TILTED)
    ball = np.array([1.0, 0.0, 1.0]) * footing.toes_m - [[0.0, a, 0.0] for a in footing.ankles_m]
    rise = heights + footing.depths(turns, toes=False)
    rise = rise + quaternion.rotate(turns[:, :, 0], ball)[..., 1]
    raised = curves.smoothstep((rise - near) / (_TOES_FREE * footing.tip_m))
    keep = np.stack([1.0 - (1.0 - tilted) * (1.0 - above), raised], axis=-1)
    tidy = quaternion.multiply(heading, quaternion.exp(keep[..., None] * vector))
    shake = _SHAKE_M * unit * np.tanh(heights / (_SHAKE_M * unit))
    return tidy, above * heights + (1.0 - above) * shake


def foot_turns(motion: FootMotion, target: Rig) -> dict[int, Floats]:
    """Rotations from the T-pose of the target's ankles and toes by joint."""
    out: dict[int, Floats] = {}
    for k, side in enumerate(SIDES):
        for part, bone in enumerate((f"{side}Foot", f"{side}Toes")):
            if bone in target:
                joint = target.bones[bone]
                back = quaternion.inverse(target.canonical_pose[0][joint])
                flat = quaternion.multiply(target.footing.flat[k, part], back)
                out[joint] = quaternion.multiply(motion.turns[:, k, part], flat)
    return out


def ankle_targets(motion: FootMotion, source: Rig, target: Rig) -> Floats:
    """Positions of the target's ankles, ``[frames, 2, 3]``."""
    scale = leg_length(target) / leg_length(source)
    own, foot = target.footing, motion.turns[:, :, 0]
    ends = scale * motion.ankles
    if motion.on_balls:
        ends += _ball_shift(motion, scale * source.footing.toes_m - own.toes_m)
    ends[..., 1] = scale * motion.heights + own.depths(motion.turns, toes=not motion.observed)
    # Apart along the feet's own axes: those of a standing foot do not move.
    across = quaternion.rotate(foot, np.array([1.0, 0.0, 0.0]))
    across[..., 1] = 0.0
    aside = _wider(source, target, scale) * np.array([1.0, -1.0])
    return np.asarray(ends + aside[:, None] * across)


def _ball_shift(motion: FootMotion, longer: Floats) -> Floats:
    """Displacement ``[frames, 2, 3]`` of ankles that keeps balls of feet of other length in place.

    A foot that lifts its heel or pivots turns about its ball. `longer` ``[2, 3]`` is how much
    longer the source's feet are, ankle to toes. Feet that stand flat and face ahead, as those of
    our own figure do, are not displaced.
    """
    return np.asarray(quaternion.rotate(motion.turns[:, :, 0], longer) - longer)


def _wider(source: Rig, target: Rig, scale: float) -> float:
    """How much farther to the side each leg stands because of the hips' other build."""
    half = 0.5 * (_hip_width(target) - scale * _hip_width(source))
    same = _SAME_BUILD * leg_length(target)
    return float(np.sign(half) * max(abs(half) - same, 0.0))


def _hip_width(rig: Rig) -> float:
    left, right = rig.canonical_pose[1][rig.joints(("leftUpperLeg", "rightUpperLeg"))]
    return float(np.linalg.norm(left - right))


def pelvis_drop(
    hips: Floats, ends: Floats, stretched: Floats, motion: FootMotion, target: Rig, fps: float
) -> Floats:
    """How far the pelvis must be lowered, ``[frames]``, so that feet on the ground are in reach.

    `hips` ``[frames, 2, 3]`` are positions of the target's hip joints, `stretched` ``[frames, 2]``
    how straight the source's legs are: distance of hip and ankle by length.
    """
    lengths = limb_lengths(target, "UpperLeg", "Foot")
    most = lengths * np.clip(stretched, _STRAIGHT, 1.0)
    step = hips - ends
    along = np.sqrt(np.maximum(most**2 - step[..., 0] ** 2 - step[..., 2] ** 2, 0.0))
    stands = 1.0 - curves.smoothstep(motion.heights / (_ON_GROUND_M * motion.unit))
    excess = stands * (step[..., 1] - along)
    drop = np.where(excess > 1e-12, excess, 0.0).max(axis=1)
    if not motion.observed or not drop.any():
        return np.asarray(drop)
    reach = round(_DROP_S * fps)
    return filters.gaussian(-filters.moving_minimum(-drop, reach), 0.4 * reach)
