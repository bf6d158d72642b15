"""How tall a body is, from the lengths of its bones, whatever pose it is in."""

from __future__ import annotations

import numpy as np

from kinesphere.maths.arrays import Floats
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.skeleton import Skeleton

# Shares of body height in the default character, which has the proportions of the average adult
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
