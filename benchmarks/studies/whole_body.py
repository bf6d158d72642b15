"""A recording of a standing speaker as joint paths and what is derived from them.

Axes: Y up, +Z ahead, +X to the left; metres on the default figure of 1.75 m, 60 Hz, every path
low-passed at 10 Hz. Yaw to the left, pitch forward and roll to the left (left side lower) are
positive. Arrays with an axis of sides have the left first. Pelvis travel is measured in the axes of
the feet: across and along the mean heading of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kinesphere.errors import RigError
from kinesphere.maths.arrays import Floats
from kinesphere.maths.euler import to_euler
from kinesphere.maths.filters import low_pass, moving_minimum
from kinesphere.maths.quaternion import inverse, multiply, rotate
from kinesphere.motion.body.arms import SIDES, chest_bone, sign_of
from kinesphere.motion.clip import Clip
from kinesphere.motion.contacts import detect_contacts
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.resampling import resample

RATE_HZ = 60.0
CUTOFF_HZ = 10.0
_FLAT = [0, 2]
_NEEDED = ("head", *(f"{side}Toes" for side in SIDES))
# Share of the body's mass, two bones, and where between them it lies (de Leva 1996, men; a side).
_HEAD_MASS, _TRUNK_MASS, _TRUNK_AT_SHOULDERS = 0.069, 0.435, 0.45
_LIMB_MASSES = (
    (0.027, "UpperArm", "LowerArm", 0.577),
    (0.016, "LowerArm", "Hand", 0.457),
    (0.006, "Hand", "Hand", 0.0),
    (0.142, "UpperLeg", "LowerLeg", 0.41),
    (0.043, "LowerLeg", "Foot", 0.44),
    (0.014, "Foot", "Toes", 0.4),
)
_LEAST_GAP_M = 0.05  # feet closer than this share the weight as if they were this far apart
_STEP_FRAMES = 3  # landing and lifting are not sliding
_SOLE_AT_TOES = 0.45  # from ankle to toes, where the foot carries the weight


@dataclass(frozen=True, eq=False)
class TorsoAngles:
    """Yaw, pitch and roll in degrees, each ``[frames, 3]``; spine on pelvis, neck on chest."""

    pelvis: Floats
    chest: Floats
    spine: Floats
    head: Floats
    neck: Floats


@dataclass(frozen=True, eq=False)
class ArmPaths:
    """Both arms in the chest's axes from midway between the shoulders; out, up and forward.

    Parameters
    ----------
    wrists, elbows : ``[frames, sides, 3]``, metres.
    abduction_deg : ``[frames, sides]`` of the upper arm, in the frontal plane.
    speed_m_s : ``[frames, sides]`` of the wrist relative to the hips.
    deviation_deg : ``[frames, sides]`` wrist deviation, 0.5 to 8 Hz; NaN if wrists were not
        recorded.
    radial_m_s2 : ``[frames, sides]`` acceleration of the hand toward the thumb, forearm's axes.
    """

    wrists: Floats
    elbows: Floats
    abduction_deg: Floats
    speed_m_s: Floats
    deviation_deg: Floats
    radial_m_s2: Floats


@dataclass(frozen=True, eq=False)
class LegPaths:
    """Pelvis over the feet, and both legs.

    Parameters
    ----------
    side, fore : ``[frames]`` pelvis from midway between the soles, to the left and ahead, metres.
    height : ``[frames]`` of the hip joints.
    load : ``[frames]`` share of the weight on the left foot: the centre of mass on the line between
        the soles; beyond 0 and 1 where it leaves them.
    width, stagger : ``[frames]`` left sole from the right one, across and ahead, metres.
    soles : ``[frames, sides, 2]`` x and z, metres.
    heading_deg : ``[frames, sides]`` of the feet, from ankle to toes.
    foot_speed_m_s : ``[frames, sides]`` of the soles, horizontal.
    slide_m_s : ``[frames, sides]`` of planted feet, horizontal; NaN while a foot is not planted.
    ankle_height : ``[frames, sides]``, metres.
    knees_deg : ``[frames, sides]`` flexion.
    """

    side: Floats
    fore: Floats
    height: Floats
    load: Floats
    width: Floats
    stagger: Floats
    soles: Floats
    heading_deg: Floats
    foot_speed_m_s: Floats
    slide_m_s: Floats
    ankle_height: Floats
    knees_deg: Floats


@dataclass(frozen=True, eq=False)
class WholeBody:
    """A recording at 60 Hz."""

    torso: TorsoAngles
    arms: ArmPaths
    legs: LegPaths

    def __len__(self) -> int:
        return len(self.legs.side)


def smooth(values: Floats, hz: float) -> Floats:
    """Low-pass of ``[frames, ...]`` at 60 Hz, without delay."""
    return low_pass(values, hz, RATE_HZ)


def band(values: Floats, low_hz: float, high_hz: float) -> Floats:
    """Band-pass without delay; what a low-pass leaves over is the high-pass of its kind."""
    return smooth(values - smooth(values, low_hz), high_hz)


def rate(values: Floats) -> Floats:
    """Change per second of ``[frames, ...]``."""
    return np.asarray(np.gradient(values, 1.0 / RATE_HZ, axis=0))


def whole_body(clip: Clip, rig: Rig, *, wrists: bool = True) -> WholeBody:
    """Measure a clip on the default figure.

    Parameters
    ----------
    clip, rig : the motion, at any rate, and its bones.
    wrists : False if the recording had none; what retargeting puts there is left out.

    Raises
    ------
    RigError
        If the rig has no head or no toes, or is no humanoid.
    """
    lacking = [*rig.missing, *(bone for bone in _NEEDED if bone not in rig)]
    if lacking:
        raise RigError(f"a whole body needs a joint for {', '.join(lacking)}")
    if abs(clip.fps - RATE_HZ) > 0.01:
        clip = resample(clip, RATE_HZ)
    places = {b: smooth(clip.world_positions[:, j], CUTOFF_HZ) for b, j in rig.bones.items()}
    turns = {b: rig.turn(clip.world_rotations, j) for b, j in rig.bones.items()}
    chest = turns[chest_bone(rig)]
    return WholeBody(
        _torso(turns["hips"], chest, turns["head"]),
        _arms(places, turns, chest, wrists),
        _legs(places),
    )


def yaw_pitch_roll(turn: Floats) -> Floats:
    """Angles ``[frames, 3]`` in degrees of rotations from the T-pose; yaw may pass 180 degrees."""
    angles = to_euler(turn, "YXZ") * np.array([1.0, 1.0, -1.0])
    angles[:, 0] = np.unwrap(angles[:, 0])
    return smooth(np.degrees(angles), CUTOFF_HZ)


def _torso(pelvis: Floats, chest: Floats, head: Floats) -> TorsoAngles:
    spine, neck = multiply(inverse(pelvis), chest), multiply(inverse(chest), head)
    return TorsoAngles(*(yaw_pitch_roll(q) for q in (pelvis, chest, spine, head, neck)))


def _arms(
    places: Mapping[str, Floats], turns: Mapping[str, Floats], chest: Floats, recorded: bool
) -> ArmPaths:
    middle = (places["leftUpperArm"] + places["rightUpperArm"]) / 2
    columns = []
    for side in SIDES:
        sign = float(sign_of(side))
        shoulder, elbow, wrist = (
            rotate(inverse(chest), places[side + b] - middle) * np.array([sign, 1.0, 1.0])
            for b in ("UpperArm", "LowerArm", "Hand")
        )
        upper = elbow - shoulder
        fore = inverse(turns[side + "LowerArm"])
        velocity = rate(places[side + "Hand"] - places["hips"])
        points = rotate(multiply(fore, turns[side + "Hand"]), np.array([sign, 0.0, 0.0]))
        deviation = np.degrees(np.arctan2(points[:, 2], sign * points[:, 0]))
        columns.append(
            (
                wrist,
                elbow,
                np.degrees(np.arctan2(upper[:, 0], -upper[:, 1])),
                np.linalg.norm(velocity, axis=1),
                band(deviation, 0.5, 8.0) if recorded else np.full(len(wrist), np.nan),
                rate(smooth(rotate(fore, velocity), 6.0))[:, 2],
            )
        )
    return ArmPaths(*(np.stack(pair, axis=1) for pair in zip(*columns, strict=True)))


def _pair(places: Mapping[str, Floats], bone: str) -> Floats:
    """Paths of a bone of both sides, ``[frames, sides, 3]``."""
    return np.stack([places[side + bone] for side in SIDES], axis=1)


def _legs(places: Mapping[str, Floats]) -> LegPaths:
    ankles, toes, hips = (_pair(places, b) for b in ("Foot", "Toes", "UpperLeg"))
    soles = (1 - _SOLE_AT_TOES) * ankles + _SOLE_AT_TOES * toes
    standing = smooth(soles[..., _FLAT], 4.0)
    apart, centre = standing[:, 0] - standing[:, 1], standing.mean(axis=1)
    gap = np.linalg.norm(apart, axis=1)
    along = apart / np.maximum(gap, 1e-3)[:, None]
    balance = smooth(_centre_of_mass(places), 3.0)[:, _FLAT] - centre
    heading = _headings(toes - ankles)
    mean = heading.mean(axis=1)
    ahead, aside = (
        np.stack(v, 1) for v in ((np.sin(mean), np.cos(mean)), (np.cos(mean), -np.sin(mean)))
    )
    over = hips.mean(axis=1)[:, _FLAT] - centre
    return LegPaths(
        side=(over * aside).sum(1),
        fore=(over * ahead).sum(1),
        height=hips.mean(axis=1)[:, 1],
        load=0.5 + (balance * along).sum(1) / np.maximum(gap, _LEAST_GAP_M),
        width=(apart * aside).sum(1),
        stagger=(apart * ahead).sum(1),
        soles=standing,
        heading_deg=np.degrees(heading),
        foot_speed_m_s=np.linalg.norm(rate(smooth(soles, 6.0))[..., _FLAT], axis=-1),
        slide_m_s=_slides(ankles, toes),
        ankle_height=ankles[..., 1],
        knees_deg=_knees(hips, _pair(places, "LowerLeg"), ankles),
    )


def _centre_of_mass(places: Mapping[str, Floats]) -> Floats:
    hips, shoulders = (_pair(places, b).mean(axis=1) for b in ("UpperLeg", "UpperArm"))
    trunk = (1 - _TRUNK_AT_SHOULDERS) * hips + _TRUNK_AT_SHOULDERS * shoulders
    total = _HEAD_MASS * places["head"] + _TRUNK_MASS * trunk
    for mass, start, end, at in _LIMB_MASSES:
        middle = (1 - at) * _pair(places, start) + at * _pair(places, end)
        total = total + mass * middle.sum(axis=1)
    return np.asarray(total)


def _headings(feet: Floats) -> Floats:
    """Headings of both feet in radians, continuous, and within half a turn of each other."""
    heading = np.unwrap(np.arctan2(feet[..., 0], feet[..., 2]), axis=0)
    heading[:, 1] -= 2 * np.pi * np.round((heading[:, 1] - heading[:, 0]).mean() / (2 * np.pi))
    return np.asarray(heading)


def _slides(ankles: Floats, toes: Floats) -> Floats:
    """Horizontal speed of planted feet: of the slower of ankle and toes where both stand."""
    points = np.stack([ankles, toes], axis=2)
    frames = len(points)
    planted = detect_contacts(points.reshape(frames, 4, 3), RATE_HZ).reshape(frames, 2, 2)
    speed = np.linalg.norm(rate(points)[..., _FLAT], axis=-1)
    slowest = np.where(planted, speed, np.inf).min(axis=2)
    for foot in range(2):
        stands = planted[:, foot].any(axis=1).astype(np.float64)
        slowest[moving_minimum(stands, _STEP_FRAMES) < 1.0, foot] = np.nan
    return np.asarray(slowest)


def _knees(hips: Floats, knees: Floats, ankles: Floats) -> Floats:
    thigh, shank = knees - hips, ankles - knees
    across = np.linalg.norm(np.cross(thigh, shank), axis=-1)
    return np.asarray(np.degrees(np.arctan2(across, np.sum(thigh * shank, axis=-1))))
