"""Body height from the lengths of its bones, in any pose."""

from __future__ import annotations

import numpy as np

from kinesphere.maths.arrays import Floats
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.skeleton import Skeleton

# Ratios of body height in the default character, which has the proportions of the average adult
# (Drillis and Contini 1966): hip joint to ankle, and hips to the joint of the head.
_LEG_RATIO = 0.474
_TRUNK_RATIO = 0.339


def chain_length(skeleton: Skeleton, above: int, below: int) -> float:
    """Length of the bones from one joint down to another; 0 if they are not in one line."""
    path = skeleton.path(above, below)[1:]
    return float(np.linalg.norm(skeleton.offsets[path], axis=1).sum())


def limb_lengths(rig: Rig, start: str, end: str) -> Floats:
    """Lengths of the left and the right limb, such as from ``UpperArm`` to ``Hand``."""
    return np.array(
        [
            chain_length(rig.skeleton, rig.bones[f"{side}{start}"], rig.bones[f"{side}{end}"])
            for side in ("left", "right")
        ]
    )


def leg_length(rig: Rig) -> float:
    """Mean length from hip joint to ankle."""
    return float(limb_lengths(rig, "UpperLeg", "Foot").mean())


def body_height(rig: Rig) -> float:
    """Standing height in the skeleton's unit, from leg and trunk lengths; 0 if unknown."""
    legs = leg_length(rig) if not rig.missing else 0.0
    trunk = (
        chain_length(rig.skeleton, rig.bones["hips"], rig.bones["head"]) if "head" in rig else 0.0
    )
    if legs > 0.0 and trunk > 0.0:
        return (legs + trunk) / (_LEG_RATIO + _TRUNK_RATIO)
    return legs / _LEG_RATIO if legs > 0.0 else 0.0


# Ratios of the body's mass (de Leva 1996, mean of women and men), and the two bones between which
# each segment lies; the mass is taken at the middle.
_MASSES = (
    (0.068, "head", "head"),
    (0.430, "spine", "neck"),
    (0.026, "leftUpperArm", "leftLowerArm"),
    (0.026, "rightUpperArm", "rightLowerArm"),
    (0.015, "leftLowerArm", "leftHand"),
    (0.015, "rightLowerArm", "rightHand"),
    (0.145, "leftUpperLeg", "leftLowerLeg"),
    (0.145, "rightUpperLeg", "rightLowerLeg"),
    (0.058, "leftLowerLeg", "leftFoot"),
    (0.058, "rightLowerLeg", "rightFoot"),
)


def centre_of_mass(rig: Rig) -> Floats:
    """Centre of mass of the body in the T-pose, in the world's axes."""
    _, places = rig.canonical_pose
    total, weight = np.zeros(3), 0.0
    for share, start, end in _MASSES:
        if start in rig and end in rig:
            middle = 0.5 * (places[rig.bones[start]] + places[rig.bones[end]])
            total, weight = total + share * middle, weight + share
    if weight == 0.0:
        return np.asarray(places[0])
    return np.asarray(total / weight)
