"""Rest poses of the hands: at the sides, clasped, in pockets, behind the back, folded, half-way.

The poses are in ``data/rest_poses.toml``, for the default figure. A seed varies both hands a
little, as far as nothing collides.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

import numpy as np

from kinesphere.animation.arms.arm_settings import RestSettings
from kinesphere.animation.arms.hand_volume import FigurePose, hands_gap, posed_balls
from kinesphere.animation.arms.poses.arm_pose import (
    ArmPose,
    collar_angles,
    collar_turns,
    hand_angles,
    hand_turns,
    local_arm_rotations,
    reaching_shoulders,
)
from kinesphere.animation.arms.poses.hand_pose import HandPose
from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.character.default import default_rig
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.hand_shapes import finger_angles, shape_by_name
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side, sign_of
from kinesphere.motion.body.body_volume import CORE

_S = RestSettings()
_HALVINGS = 6


@dataclass(frozen=True, eq=False)
class RestPose:
    """Both arms at rest.

    Parameters
    ----------
    name : which.
    arms : a pose of one row of each.
    fingers : their angles ``[21]``, degrees.
    collars : rotation vectors ``[3]`` of the collar bones, added to `collar_angles`.
    chest : rotation vector ``[3]`` of the chest, added to the body's pose.
    together : whether the hands hold each other, and are moved as one.
    """

    name: str
    arms: Mapping[Side, ArmPose]
    fingers: Mapping[Side, Floats]
    collars: Mapping[Side, Floats]
    chest: Floats
    together: bool


@cache
def _entries() -> Mapping[str, Any]:
    text = files("kinesphere.animation").joinpath("data/rest_poses.toml").read_text("utf-8")
    return MappingProxyType(tomllib.loads(text))


def rest_pose_names() -> tuple[str, ...]:
    """Names of the rest poses."""
    return tuple(_entries())


@cache
def plain_rest_pose(name: str) -> RestPose:
    """A rest pose as stored, without variation.

    Raises
    ------
    InvalidValueError
        For an unknown name.
    """
    if name not in _entries():
        raise InvalidValueError(f"rest pose {name!r}, allowed are {', '.join(_entries())}")
    entry = _entries()[name]
    up, forward = np.radians(entry["collar"])
    arms, fingers, collars = {}, {}, {}
    for side in SIDES:
        own, out = entry[side], float(sign_of(side))
        wrist = np.array(own["wrist"]) * np.array([out, 1.0, 1.0])
        arms[side] = ArmPose(
            wrist[None], np.radians([own["swivel"]]), np.radians([own["hand"]], dtype=np.float64)
        )
        given = own["fingers"]
        fingers[side] = (
            finger_angles(shape_by_name(given))
            if isinstance(given, str)
            else np.array(given, float)
        )
        collars[side] = collar_turns(side, up, forward)
    chest = np.array([np.radians(entry["chest"]), 0.0, 0.0])
    return RestPose(name, arms, fingers, collars, chest, bool(entry["together"]))


def rest_pose(name: str, seed: int = 0, gain: float = 1.0) -> RestPose:
    """A rest pose with variation.

    Parameters
    ----------
    name : one of `rest_pose_names`.
    seed : varies it.
    gain : of the collar bones; positions and directions of the hands are kept.

    Raises
    ------
    InvalidValueError
        For an unknown name.
    """
    plain = plain_rest_pose(name)
    rng = np.random.default_rng([seed, len(name), *name.encode()])
    steps, turns = _variation(plain, rng)
    curls = {side: _S.fingers_deg * rng.normal(size=2) for side in SIDES}
    least = min(clearance(plain), 0.0) - _S.gives_m
    share = 1.0
    for _ in range(_HALVINGS):
        moved = _vary(plain, steps, turns, curls, share, gain)
        if clearance(moved, gain) >= least:
            return moved
        share *= 0.5
    return _vary(plain, steps, turns, curls, 0.0, gain)


def rest_poses(
    names: Iterable[str], seed: int = 0, gain: float = 1.0, *, plain: bool = False
) -> dict[str, dict[Side, HandPose]]:
    """Both hands in rest poses by name; `plain` is without random variation."""
    out = {}
    for name in names:
        rest = plain_rest_pose(name) if plain else rest_pose(name, seed, gain)
        out[name] = {
            side: HandPose(
                rest.arms[side].wrists[0],
                float(rest.arms[side].swivels[0]),
                rest.arms[side].angles[0],
                rest.fingers[side],
                rest.collars[side],
            )
            for side in SIDES
        }
    return out


def _variation(
    plain: RestPose, rng: np.random.Generator
) -> tuple[dict[Side, Floats], dict[Side, Floats]]:
    """Displacements of wrists ``[3]``, changes of swivel and hand angle ``[2]``, for each side."""
    apart = rng.uniform(*_S.apart_m) * _direction(rng)
    turned = rng.uniform(*np.radians(_S.turned_deg)) * rng.choice([-1.0, 1.0], size=2)
    shift = np.clip(rng.normal(size=3), -2.0, 2.0) * np.array(_S.shift_m)
    steps, turns = {}, {}
    for side in SIDES:
        out = float(sign_of(side))
        if plain.together:
            steps[side], turns[side] = shift, _S.together * out * turned * np.array([1.0, 0.0])
        else:
            steps[side] = 0.5 * out * apart * np.array([out, 1.0, 1.0])
            turns[side] = 0.5 * out * turned
    return steps, turns


def _direction(rng: np.random.Generator) -> Floats:
    """Unit vector, smaller outward than up and forward: hands at rest lie against the body."""
    way = rng.normal(size=3) * np.array(_S.way)
    return np.asarray(way / np.linalg.norm(way))


def _vary(
    plain: RestPose,
    steps: Mapping[Side, Floats],
    turns: Mapping[Side, Floats],
    curls: Mapping[Side, Floats],
    share: float,
    gain: float,
) -> RestPose:
    """Part of a variation: wrists are moved, hand directions change only by their rotation."""
    arms, fingers = {}, {}
    for side in SIDES:
        arm, more = plain.arms[side], plain.collars[side]
        facing = hand_turns(side, arm, reaching_shoulders(side, arm.wrists, 1.0, more))
        wrists = arm.wrists + share * steps[side]
        swivels = arm.swivels + share * turns[side][0]
        shoulders = reaching_shoulders(side, wrists, gain, more)
        angles = hand_angles(side, wrists, swivels, facing, shoulders)
        angles[:, 0] += share * turns[side][1]
        arms[side] = ArmPose(wrists, swivels, angles)
        fingers[side] = plain.fingers[side].copy()
        if not plain.together:
            # Neighbours bend alike.
            long = np.linspace(curls[side][0], curls[side][1], 4)[:, None]
            fingers[side][:12] += share * (long * np.array(_S.knuckles)).ravel()
    return replace(plain, arms=arms, fingers=fingers)


def resting_body(rest: RestPose, gain: float = 1.0) -> FigurePose:
    """The default figure in the home pose with its arms at rest."""
    rig, clip = default_rig(), home_clip(1, 60.0)
    rotations = clip.rotations.copy()
    rotations[:, rig.joint("chest")] = quaternion.exp(rest.chest)
    for side in SIDES:
        arm = rest.arms[side]
        collars = collar_turns(side, *collar_angles(side, arm.wrists, gain).T) + rest.collars[side]
        joints, local = local_arm_rotations(side, arm, collars)
        rotations[:, joints] = local
    posed = replace(clip, rotations=rotations)
    return FigurePose(posed.world_rotations[0], posed.world_positions[0])


def clearance(rest: RestPose, gain: float = 1.0) -> float:
    """Smallest gap between a hand's skin and the body, the other arm or the other hand, metres.

    Negative for a penetration.
    """
    body = resting_body(rest, gain)
    found, balls = [], {}
    for side, other in zip(SIDES, SIDES[::-1], strict=True):
        arm = rest.arms[side]
        shoulders = reaching_shoulders(side, arm.wrists, gain, rest.collars[side])
        balls[side] = posed_balls(side, arm, rest.fingers[side], shoulders)
        parts = (*CORE, f"{other}UpperArm", f"{other}LowerArm")
        found.append(float((body.clearance(balls[side][0][0], parts)[0] - balls[side][1]).min()))
    return min(*found, hands_gap(balls["left"], balls["right"]))
