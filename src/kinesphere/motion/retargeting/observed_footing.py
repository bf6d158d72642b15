"""Standing feet and floor height measured on a recording.

Capture rigs rest with toes that hang or are level with the ankle, with feet that differ and
a floor that is not at zero. So the flat orientation of each foot is measured where it stands still,
and so is the ground under it, which drifts by centimetres in the course of a recording.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinesphere.maths import filters, quaternion
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.kinematics import speeds
from kinesphere.motion.measure import leg_length
from kinesphere.motion.retargeting.footing import (
    SIDES,
    SLOPES,
    Footing,
    heading_and_tilt,
    leg_scale,
    rests_standing,
    rise,
    slope_of,
)


@dataclass(frozen=True, eq=False)
class FootTracks:
    """Motion of the feet of a recording: all that footing depends on.

    `ankles` and `toes` are ``[frames, 2, 3]`` positions, `rotations` ``[frames, 2, 2, 4]`` of ankle
    and toes in the world, `hips` ``[frames]`` the height of the hip joints. Where the rig has no
    joint for toes, they are the ankle's.
    """

    fps: float
    ankles: Floats
    toes: Floats
    rotations: Floats
    hips: Floats


def foot_tracks(clip: Clip, rig: Rig) -> FootTracks:
    """Movement of the feet in a clip."""
    ankles = rig.joints(("leftFoot", "rightFoot"))
    toes = [rig.bones.get(f"{s}Toes", a) for s, a in zip(SIDES, ankles, strict=True)]
    legs = rig.joints(("leftUpperLeg", "rightUpperLeg"))
    at, turned = clip.world_positions, clip.world_rotations
    rotations = np.stack([turned[:, ankles], turned[:, toes]], axis=2)
    return FootTracks(clip.fps, at[:, ankles], at[:, toes], rotations, at[:, legs, 1].mean(axis=1))


def join_observations(parts: list[FootTracks]) -> FootTracks:
    """Tracks of a recording's blocks, concatenated."""
    names = ("ankles", "toes", "rotations", "hips")
    whole = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    return FootTracks(parts[0].fps, **whole)


# Lengths and speeds are multiplied by `leg_scale`.
_STILL_M_S = 0.1
_SMOOTH_HZ = 10.0
_LEAST_S, _LEAST_BALL_S = 0.2, 0.1
_LEVEL_M = 0.03
# One foot may be up on something; the ground may drift this far, and no faster.
_ONE_FLOOR_M = 0.04
_GROUND_M = 0.04
_GROUND_BLUR_S, _HIPS_BLUR_S = 0.06, 0.3
_ALIKE = 1e-3
# A recording this close to the rig's own footing is one of this rig.
_AGREES_M = 0.004
_AGREES = np.radians(2.5)
# Heels are up if ankle to toes is this much steeper while the ball is where the rig says.
_SAME_FLOOR_M = 0.015
_TIPTOE = np.radians(12.0)
_MOST_TILT = np.radians(45.0)
# Hips above the ankles, by leg length: when standing, and when sitting with feet on the floor.
_STANDING_HIPS, _SITTING_HIPS = 0.75, 0.35


def footing_for(tracks: FootTracks, source: Rig, target: Rig) -> Footing:
    """Footing of a source for a target: the measured one; on an equal body, the rig's own."""
    return source.footing if _alike(source, target) else observed_footing(tracks, source)


def _alike(source: Rig, target: Rig) -> bool:
    """Whether legs and feet are the same except for their names and axes."""
    one, other = source.footing, target.footing
    ways = [
        (one.ankles_m, other.ankles_m),
        (one.toes_m, other.toes_m),
        (_legs(source), _legs(target)),
    ]
    return all(np.abs(a - b).max() < _ALIKE * leg_length(target) for a, b in ways)


def _legs(rig: Rig) -> Floats:
    """Hip joints, knees and ankles in the T-pose, from the middle of the hip joints."""
    parts = ("UpperLeg", "LowerLeg", "Foot")
    places = rig.canonical_pose[1][rig.joints([side + part for part in parts for side in SIDES])]
    return np.asarray(places - places[:2].mean(axis=0))


def observed_footing(tracks: FootTracks, rig: Rig) -> Footing:
    """Footing measured in the frames where the feet stand still.

    The rig's own if there is no standing, and if the measurement agrees with the rig.
    """
    own = rig.footing
    unit = leg_scale(rig)
    if len(tracks.hips) < max(3, _LEAST_BALL_S * tracks.fps):
        return own
    slow = _speeds(tracks) < _STILL_M_S * unit
    feet = [_foot(tracks, rig, slow, k, unit) for k in range(2)]
    seen = _on_one_floor([_trust(f, rig, k, unit) for k, f in enumerate(feet)], own, unit)
    if seen == [None, None]:
        return own
    footing = _assemble(own, seen)
    ground = _ground(tracks, footing, slow, unit)
    agrees = abs(footing.floor_m) < _AGREES_M * unit and all(
        foot is None or foot.agrees(own, k, unit) for k, foot in enumerate(seen)
    )
    if agrees and np.abs(ground).max() < _AGREES_M * unit:
        return own
    hips = filters.gaussian(ground.mean(axis=1), _HIPS_BLUR_S * tracks.fps)
    return replace(footing, ground_m=ground, hips_ground_m=hips)


def _speeds(tracks: FootTracks) -> Floats:
    """Speed of ankles and toes, ``[frames, 2 feet, 2]``."""
    points = np.stack([tracks.ankles, tracks.toes], axis=2)
    if tracks.fps > 2.2 * _SMOOTH_HZ and len(points) > 3:
        points = filters.low_pass(points, _SMOOTH_HZ, tracks.fps)
    return speeds(points, tracks.fps)


@dataclass(frozen=True, eq=False)
class _Foot:
    """Measurement of a still foot: height of its ankle, its tilts against the rig's flat foot."""

    level: float
    tilts: Floats
    toes: Floats

    def agrees(self, own: Footing, k: int, unit: float) -> bool:
        near = abs(self.level - own.ankles_m[k]) < _AGREES_M * unit
        return bool(near and quaternion.angle(self.tilts).max() < _AGREES)


def _foot(tracks: FootTracks, rig: Rig, slow: Bools, k: int, unit: float) -> _Foot | None:
    """Typical pose of a foot that stands flat, if it does so long enough.

    A person who runs, or who sits with the heels up, shows at least the floor height.
    """
    above = (tracks.hips - tracks.ankles[:, k, 1]) / leg_length(rig)
    stands = slow[:, k].all(axis=1) & (above > _STANDING_HIPS)
    if f"{SIDES[k]}Toes" in rig:
        slope = slope_of(tracks.toes[:, k] - tracks.ankles[:, k])
        stands &= (slope > -SLOPES[0]) & (slope < SLOPES[1])
    if stands.sum() >= max(3, _LEAST_S * tracks.fps):
        return _standing_foot(tracks, rig, stands, k, unit)
    ball = slow[:, k, 1] & (above > _SITTING_HIPS)
    if ball.sum() < max(3, _LEAST_BALL_S * tracks.fps):
        return None
    toes = rig.footing.toes_m[k]
    back = quaternion.inverse(rig.footing.flat[k, 0])
    heights = tracks.ankles[ball, k, 1] + rise(
        quaternion.multiply(tracks.rotations[ball, k, 0], back), toes
    )
    return _Foot(float(np.median(heights) - toes[1]), quaternion.identity((2,)), toes)


def _standing_foot(
    tracks: FootTracks, rig: Rig, stands: Bools, k: int, unit: float
) -> _Foot | None:
    heights = tracks.ankles[:, k, 1]
    frames = stands & (np.abs(heights - np.quantile(heights[stands], 0.2)) < _LEVEL_M * unit)
    turns = quaternion.multiply(
        tracks.rotations[frames, k], quaternion.inverse(rig.footing.flat[k])
    )
    _, tilt = heading_and_tilt(turns)
    tilts = quaternion.exp(np.median(quaternion.log(tilt), axis=0))
    if quaternion.angle(tilts[0]) > _MOST_TILT:
        return None
    toes = rig.footing.toes_m[k]
    if f"{SIDES[k]}Toes" in rig:
        toes = quaternion.rotate(tilts[0], toes)
        ahead = quaternion.from_axis_angle([0.0, -1.0, 0.0], np.arctan2(toes[0], toes[2]))
        toes, tilts = quaternion.rotate(ahead, toes), quaternion.multiply(ahead, tilts)
    return _Foot(float(np.median(heights[frames])), tilts, toes)


def _trust(foot: _Foot | None, rig: Rig, k: int, unit: float) -> _Foot | None:
    """Drop a foot on tiptoe: the rig's rest shows flat feet, and the ball is where it says."""
    if foot is None or not rests_standing(rig):
        return foot
    own = rig.footing
    ball = foot.level + foot.toes[1] - own.ankles_m[k] - own.toes_m[k, 1]
    raised = slope_of(foot.toes) - slope_of(own.toes_m[k]) > _TIPTOE
    return None if raised and abs(ball) < _SAME_FLOOR_M * unit else foot


def _floors(own: Footing, seen: list[_Foot | None]) -> Floats:
    """Floor under each foot, if measured; a toe's joint is as high above it as the rig says."""
    above = own.ankles_m + own.toes_m[:, 1]
    return np.array(
        [np.nan if f is None else f.level + f.toes[1] - above[k] for k, f in enumerate(seen)]
    )


def _on_one_floor(seen: list[_Foot | None], own: Footing, unit: float) -> list[_Foot | None]:
    """Drop a foot that rests much higher than the other."""
    floors = _floors(own, seen)
    low = np.nanmin(floors, initial=np.inf) + _ONE_FLOOR_M * unit
    return [foot if floors[k] < low else None for k, foot in enumerate(seen)]


def _assemble(own: Footing, seen: list[_Foot | None]) -> Footing:
    """The rig's footing with the measured values."""
    floor = float(np.nanmean(_floors(own, seen)))
    ankles, flat, toes = own.ankles_m.copy(), own.flat.copy(), own.toes_m.copy()
    for k, foot in enumerate(seen):
        if foot is not None:
            ankles[k] = foot.level - floor
            flat[k] = quaternion.multiply(foot.tilts, own.flat[k])
            toes[k] = foot.toes
    return replace(own, floor_m=floor, ankles_m=ankles, flat=flat, toes_m=toes, observed=True)


def _ground(tracks: FootTracks, footing: Footing, slow: Bools, unit: float) -> Floats:
    """Height of the ground under each foot above the floor, interpolated between its contacts."""
    turns = quaternion.multiply(tracks.rotations, quaternion.inverse(footing.flat))
    height = tracks.ankles[..., 1] - footing.depths(turns, toes=False) - footing.floor_m
    stands = slow.any(axis=2) & (np.abs(height) < _GROUND_M * unit)
    frames = np.arange(len(height))
    out = np.zeros_like(height)
    for k in range(2):
        at = np.flatnonzero(stands[:, k])
        if len(at):
            out[:, k] = np.interp(frames, at, height[at, k])
    return filters.gaussian(out, _GROUND_BLUR_S * tracks.fps)
