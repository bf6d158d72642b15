"""Artefact metrics and arm space, measured on any take.

Artefacts are sliding feet, joints past their limits, hands in the body or in each other, and
discontinuities of wrists and elbows. Space is the position of moving wrists relative to the chest:
outward, up and forward from midway between the shoulder joints, in metres of a body of 1.75 m.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kinesphere.character.anatomy import anatomical_excess
from kinesphere.character.default import default_skeleton
from kinesphere.character.joint_limits import limit_excess
from kinesphere.evaluation.movement import (
    CUTOFF_HZ,
    HEIGHT_M,
    RATE_HZ,
    WristMotion,
    resample_values,
)
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.maths.filters import low_pass
from kinesphere.motion.body.arms import NO_SWIVEL, SIDES, chest_bone, measure_arm, sign_of
from kinesphere.motion.body.body_volume import body_volume, hand_depth
from kinesphere.motion.body.hand_overlap import hand_overlap
from kinesphere.motion.clip import Clip
from kinesphere.motion.contacts import ContactSettings, detect_contacts, runs
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.kinematics import velocities
from kinesphere.motion.measure import body_height

GESTURING_M_S = 0.15
POP_DEG_S = 300.0
JOLT_M_S2 = 150.0
HIGH_M = 0.15
BEHIND_M = 0.10
STRAIGHT_DEG = 10.0
_ARM = ("UpperArm", "LowerArm", "Hand")
PALMS = ("in", "out", "up", "down", "forward", "back")
# Compression of flesh, and what is too small to be visible.
_SOFT_M = 0.005
_SEEN_DEG, _OTHERS_DEG = 1.0, 10.0
_NO_SWIVEL_DEG = float(np.degrees(NO_SWIVEL))
# Landing and lifting are not sliding.
_STEP_S = 0.05


@dataclass(frozen=True)
class FootSliding:
    """Sliding of planted feet.

    Parameters
    ----------
    mean, p95 : horizontal speed of planted feet, m/s.
    farthest_m : largest displacement within one ground contact.
    planted_share : proportion of time that a foot is planted.
    """

    mean: float
    p95: float
    farthest_m: float
    planted_share: float


_ON_FLOOR = ContactSettings(height_m=0.006)
"""A foot that is lifted by a centimetre does not slide, however slowly it moves."""


def foot_sliding(clip: Clip, rig: Rig) -> FootSliding:
    """How much planted feet slide.

    A foot is planted while its ankle or its toes are; of two planted points the slower counts, so
    that a foot that rolls over its toes does not slide.
    """
    slow, planted, farthest = [], [], 0.0
    for side in SIDES:
        bones = [f"{side}{b}" for b in ("Foot", "Toes") if f"{side}{b}" in rig]
        points = resample_values(clip.world_positions[:, rig.joints(bones)], clip.fps)
        points = low_pass(points, CUTOFF_HZ, RATE_HZ)
        standing = detect_contacts(points, RATE_HZ, _ON_FLOOR)
        speed = np.linalg.norm(velocities(points, RATE_HZ)[..., (0, 2)], axis=-1)
        speed = np.where(standing, speed, np.inf).min(axis=1)
        stands = _inner(np.asarray(standing.any(axis=1)), round(_STEP_S * RATE_HZ))
        for a, b in runs(stands):
            way = np.linalg.norm((points[b - 1] - points[a])[:, (0, 2)], axis=-1)
            farthest = max(farthest, float(way.min()))
        slow.append(speed[stands])
        planted.append(stands)
    found = np.concatenate(slow)
    return FootSliding(
        mean=float(found.mean()) if len(found) else np.nan,
        p95=float(np.quantile(found, 0.95)) if len(found) else np.nan,
        farthest_m=farthest,
        planted_share=float(np.mean(planted)),
    )


def _inner(flags: Bools, by: int) -> Bools:
    """Runs of True, shortened by that many samples at their ends, except at the clip's ends."""
    out = flags.copy()
    for a, b in runs(flags):
        if a > 0:
            out[a : min(a + by, b)] = False
        if b < len(flags):
            out[max(b - by, a) : b] = False
    return out


@dataclass(frozen=True)
class LimitBreaches:
    """Proportion of frames with a bone visibly past its limit; these bones, the worst first.

    On the default body one degree counts. Other rigs are decomposed anatomically, whatever their
    joints' rotations mean (`character.anatomy`), and 10 degrees count: their rest poses are
    uncertain, and people are flexible.
    """

    share: float
    worst_deg: Mapping[str, float]


def limit_breaches(clip: Clip, rig: Rig) -> LimitBreaches:
    """How far and how often joints are past their limits."""
    own = rig.skeleton.same_joints(default_skeleton())
    found, least = (limit_excess, _SEEN_DEG) if own else (anatomical_excess, _OTHERS_DEG)
    excess = {bone: np.degrees(values) for bone, values in found(clip, rig).items()}
    if not excess:
        return LimitBreaches(0.0, {})
    worst = {bone: float(values.max()) for bone, values in excess.items()}
    order = sorted((b for b in worst if worst[b] > least), key=lambda b: -worst[b])
    past = np.max(list(excess.values()), axis=0) > least
    return LimitBreaches(float(past.mean()), {bone: worst[bone] for bone in order})


@dataclass(frozen=True)
class Penetration:
    """Proportion of frames in which hands penetrate something by more than flesh yields.

    By the volume of a rig that is 5 mm of a hand's middle, by a mesh 10 mm of its skin.
    """

    share: float
    deepest_m: float


def _penetration(depth: Floats) -> Penetration:
    return Penetration(float(np.mean(depth > _SOFT_M)), float(depth.max()))


def hands_in_body(clip: Clip, rig: Rig) -> Penetration:
    """How deep and how often either hand penetrates trunk, head or thighs."""
    volume = body_volume(rig)
    depths = [hand_depth(clip, rig, side, volume=volume) for side in SIDES]
    return _penetration(np.max(depths, axis=0))


def hands_in_each_other(clip: Clip, rig: Rig) -> Penetration:
    """How deep and how often the hands penetrate each other; touching hands do not."""
    return _penetration(hand_overlap(clip, rig))


@dataclass(frozen=True, eq=False)
class ArmPostures:
    """Both arms at 60 Hz, relative to the chest, smoothed like the wrists' paths; left first.

    Parameters
    ----------
    wrists : ``[n, 2, 3]`` out, up and forward, metres of a 1.75 m person.
    palms : ``[n, 2, 3]`` palm normals: out, up and forward, of length 1.
    flexions_deg : ``[n, 2]`` of the elbows, 0 for a straight arm.
    swivels_deg : ``[n, 2]`` of the elbows, 0 for down, + outward, continuous; interpolated where
        the arm is too straight to define one.
    straight : ``[n, 2]`` whether it is.
    """

    wrists: Floats
    palms: Floats
    flexions_deg: Floats
    swivels_deg: Floats
    straight: Bools


def arm_poses(clip: Clip, rig: Rig) -> ArmPostures:
    """Both arms of a clip."""
    scale = HEIGHT_M / body_height(rig)
    upper = clip.world_positions[:, rig.joints([f"{side}UpperArm" for side in SIDES])]
    middle = upper.mean(axis=1)
    back = quaternion.inverse(rig.turn(clip.world_rotations, rig.joint(chest_bone(rig))))
    columns: list[tuple[Floats, ...]] = []
    for side in SIDES:
        arm = measure_arm(clip, rig, side)
        own = np.array([float(sign_of(side)), 1.0, 1.0])
        wrist = quaternion.rotate(back, arm.in_world(arm.wrists) - middle) * own * scale
        palm = quaternion.rotate(arm.turns[:, 2], np.array([0.0, -1.0, 0.0])) * own
        flexion = _flexion_deg(clip, rig, side)
        swivel = np.degrees(arm.swivels)
        bent = np.flatnonzero(flexion >= _NO_SWIVEL_DEG)
        if len(bent):
            swivel = np.interp(np.arange(len(swivel)), bent, np.unwrap(swivel[bent], period=360.0))
        columns.append((wrist, palm, flexion, swivel))
    wrists, palms, flexions, swivels = (
        low_pass(resample_values(np.stack(each, axis=1), clip.fps), CUTOFF_HZ, RATE_HZ)
        for each in zip(*columns, strict=True)
    )
    palms /= np.maximum(np.linalg.norm(palms, axis=-1, keepdims=True), 1e-9)
    return ArmPostures(wrists, palms, flexions, swivels, flexions < _NO_SWIVEL_DEG)


def _flexion_deg(clip: Clip, rig: Rig, side: str) -> Floats:
    places = clip.world_positions[:, rig.joints([f"{side}{b}" for b in _ARM])]
    bones = np.diff(places, axis=1)
    aside = np.linalg.norm(np.cross(bones[:, 0], bones[:, 1]), axis=-1)
    along = np.sum(bones[:, 0] * bones[:, 1], axis=-1)
    return np.asarray(np.degrees(np.arctan2(aside, along)))


@dataclass(frozen=True)
class SwivelRates:
    """Swivel speed of elbows, deg/s, while the arms are bent; `pops` are samples above 300."""

    median: float
    p90: float
    p99: float
    highest: float
    pops_s: tuple[float, ...]


def swivel_rates(poses: ArmPostures) -> SwivelRates:
    """Rotation speed of the elbows about the lines from shoulders to wrists."""
    rate = np.abs(velocities(poses.swivels_deg, RATE_HZ))
    # Next to a straight part the interpolated swivel is no measurement either.
    reach = round(RATE_HZ / CUTOFF_HZ)
    bent = np.stack([_inner(~poses.straight[:, k], reach) for k in range(2)], axis=1)
    found = rate[bent]
    if len(found) == 0:
        return SwivelRates(np.nan, np.nan, np.nan, np.nan, ())
    pops = [
        float((a + int(np.argmax(rate[a:b, k]))) / RATE_HZ)
        for k in range(2)
        for a, b in runs((rate[:, k] > POP_DEG_S) & bent[:, k])
    ]
    median, p90, p99, highest = (float(q) for q in np.quantile(found, (0.5, 0.9, 0.99, 1.0)))
    return SwivelRates(median, p90, p99, highest, tuple(sorted(pops)))


@dataclass(frozen=True)
class Space:
    """Position of the wrists while they move (more than 0.15 m/s).

    Parameters
    ----------
    quantiles : ``[3, 3]`` p5, median and p95 of out, up and forward, metres.
    above, behind, straight : proportions of the moving time more than 0.15 m above the shoulders,
        more than 0.1 m behind the chest, and with an elbow bent by less than 10 degrees.
    palms : proportions of it that the palms face in, out, up, down, forward and back.
    """

    quantiles: Floats
    above: float
    behind: float
    straight: float
    palms: Mapping[str, float]


def space(motion: WristMotion, poses: ArmPostures) -> Space:
    """Wrist positions and palm directions while they move; NaN if they never do."""
    moving = motion.speeds > GESTURING_M_S
    if not moving.any():
        nothing = dict.fromkeys(PALMS, np.nan)
        return Space(np.full((3, 3), np.nan), np.nan, np.nan, np.nan, nothing)
    wrists, palms = poses.wrists[moving], poses.palms[moving]
    axis = np.abs(palms).argmax(axis=1)
    positive = np.take_along_axis(palms, axis[:, None], axis=1)[:, 0] > 0.0
    faces = {
        name: float(np.mean((axis == k) & (positive == towards)))
        for name, k, towards in zip(PALMS, (0, 0, 1, 1, 2, 2), (0, 1, 1, 0, 1, 0), strict=True)
    }
    return Space(
        quantiles=np.quantile(wrists, (0.05, 0.5, 0.95), axis=0),
        above=float(np.mean(wrists[:, 1] > HIGH_M)),
        behind=float(np.mean(wrists[:, 2] < -BEHIND_M)),
        straight=float(np.mean(poses.flexions_deg[moving] < STRAIGHT_DEG)),
        palms=faces,
    )


@dataclass(frozen=True)
class Jolts:
    """Acceleration spikes of the wrists from one frame to the next.

    Parameters
    ----------
    highest : largest acceleration over three frames at 60 per second, m/s2.
    per_minute : how often it is above 150, runs of frames counted once.
    """

    highest: float
    per_minute: float


def wrist_jolts(motion: WristMotion) -> Jolts:
    """Acceleration spikes of both wrists, before any smoothing."""
    if len(motion) < 3:
        return Jolts(0.0, 0.0)
    pulls = np.linalg.norm(np.diff(motion.raw, n=2, axis=0), axis=-1).max(axis=1) * RATE_HZ**2
    hard = pulls > JOLT_M_S2
    begins = np.count_nonzero(hard[1:] & ~hard[:-1]) + int(hard[0])
    return Jolts(float(pulls.max()), 60.0 * begins / motion.duration_s)
