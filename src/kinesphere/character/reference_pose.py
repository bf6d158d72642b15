"""A pose in which a rig stands upright, as reference between rest poses.

Most rest poses are one: T, A, arms forward or hanging. Some files have none, because every bone
lies along one axis of its own joint; then the most neutral frame of the motion is used.
"""

from __future__ import annotations

import numpy as np

from kinesphere.maths.arrays import Floats
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.kinematics import forward_kinematics

_FRAMES_TRIED = 400


def _direction(places: Floats, rig: Rig, start: str, end: str) -> Floats:
    d = places[..., rig.bones[end], :] - places[..., rig.bones[start], :]
    return np.asarray(d / np.maximum(np.linalg.norm(d, axis=-1, keepdims=True), 1e-12))


def _top(rig: Rig) -> str:
    return next(
        (b for b in ("head", "neck", "upperChest", "chest", "leftUpperArm") if b in rig), "hips"
    )


def _angle(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.arccos(np.clip(np.sum(a * b, axis=-1), -1.0, 1.0)))


def is_posture(rig: Rig) -> bool:
    """Whether the rest pose is plausible for a standing person.

    Legs point away from the head, are not folded, and are on their own side of the body; so are the
    arms, in any direction, and collar bones point sideways.
    """
    places = rig.skeleton.rest_world_positions
    up = _direction(places, rig, "hips", _top(rig))
    legs_apart = _direction(places, rig, "rightUpperLeg", "leftUpperLeg")
    arms_apart = _direction(places, rig, "rightUpperArm", "leftUpperArm")
    if float(arms_apart @ legs_apart) < 0.5 or abs(float(legs_apart @ up)) > 0.5:
        return False
    for side, out in (("left", arms_apart), ("right", -arms_apart)):
        leg = _direction(places, rig, f"{side}UpperLeg", f"{side}Foot")
        if float(_angle(leg, -up)) > np.radians(50.0):
            return False
        if f"{side}Shoulder" in rig:
            collar = _direction(places, rig, f"{side}Shoulder", f"{side}UpperArm")
            if float(_angle(collar, out)) > np.radians(60.0):
                return False
        if _straightness(rig, [f"{side}UpperLeg", f"{side}LowerLeg", f"{side}Foot"]) < 0.8:
            return False
    return _straightness(rig, ["hips", *(b for b in ("chest", "neck", "head") if b in rig)]) > 0.7


def _straightness(rig: Rig, bones: list[str]) -> float:
    """Distance from end to end over the length of the chain."""
    places = rig.skeleton.rest_world_positions[rig.joints(bones)]
    length = np.linalg.norm(np.diff(places, axis=0), axis=1).sum()
    return float(np.linalg.norm(places[-1] - places[0]) / max(length, 1e-12))


def most_neutral(rig: Rig, rotations: Floats) -> tuple[Floats, int]:
    """Frame in which body and legs are straightest and the arms hang or spread without bending.

    Returns
    -------
    its local rotations ``[joints, 4]`` and its number.
    """
    tried = np.unique(np.linspace(0, len(rotations) - 1, _FRAMES_TRIED).astype(np.int64))
    root = np.zeros((len(tried), 3))
    _, places = forward_kinematics(rig.skeleton, rotations[tried], root)
    up = _direction(places, rig, "hips", _top(rig))
    cost = _angle(up, np.array([0.0, 1.0, 0.0]))
    for side in ("left", "right"):
        thigh = _direction(places, rig, f"{side}UpperLeg", f"{side}LowerLeg")
        shin = _direction(places, rig, f"{side}LowerLeg", f"{side}Foot")
        upper = _direction(places, rig, f"{side}UpperArm", f"{side}LowerArm")
        lower = _direction(places, rig, f"{side}LowerArm", f"{side}Hand")
        cost = cost + _angle(thigh, -up) + _angle(shin, -up) + _angle(upper, lower)
        cost = cost + 0.5 * _angle(upper, -up)
    best = int(tried[int(np.argmin(cost))])
    return rotations[best], best
