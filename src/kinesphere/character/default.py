"""The default humanoid: 1.75 m tall, T-pose, joint axes along the world's, VRM bone names.

Joint centres are those of the character's sculpture, in metres for the left side; the right side
is their mirror image. Palms face down, thumbs forward.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from kinesphere.maths.arrays import Floats
from kinesphere.motion.humanoid import BONE_PARENTS, BONES, FINGERS, Rig, finger_bones
from kinesphere.motion.skeleton import Skeleton, Tip

HEIGHT_M = 1.75

_MIDDLE = {
    "hips": (0.0, 0.965, 0.0),
    "spine": (0.0, 1.06, 0.0),
    "chest": (0.0, 1.18, -0.005),
    "upperChest": (0.0, 1.30, -0.015),
    "neck": (0.0, 1.465, -0.03),
    "head": (0.0, 1.555, -0.012),
    "jaw": (0.0, 1.588, 0.012),
}
_LEFT = {
    "Eye": (0.032, 1.6375, 0.069),
    "Shoulder": (0.022, 1.432, 0.0),
    "UpperArm": (0.178, 1.412, -0.022),
    "LowerArm": (0.455, 1.412, -0.022),
    "Hand": (0.708, 1.412, -0.020),
    "UpperLeg": (0.092, 0.915, 0.0),
    "LowerLeg": (0.089, 0.492, 0.002),
    "Foot": (0.087, 0.085, -0.014),
    "Toes": (0.097, 0.022, 0.112),
}
_CROWN = (0.0, 1.75, -0.005)
_TOE_END = (0.106, 0.018, 0.187)
_THUMB = (
    (0.730, 1.404, 0.012),
    (0.764, 1.397, 0.042),
    (0.791, 1.394, 0.062),
    (0.815, 1.392, 0.078),
)
# Knuckle, spread in degrees towards the thumb, and the lengths of the three phalanges.
_KNUCKLES = {
    "Index": ((0.800, 1.414, 0.013), 4.0, (0.047, 0.029, 0.0235)),
    "Middle": ((0.805, 1.4155, -0.0085), 0.5, (0.052, 0.033, 0.0245)),
    "Ring": ((0.799, 1.4145, -0.0300), -4.0, (0.048, 0.031, 0.0245)),
    "Little": ((0.788, 1.411, -0.0500), -9.5, (0.038, 0.0235, 0.0215)),
}
# A relaxed straight finger bends a little more at each joint, degrees below the palm.
_DROOP = (3.0, 6.0, 9.0)


def _finger(finger: str) -> Floats:
    """Positions of a left finger's three joints and its tip, ``[4, 3]``."""
    if finger == "Thumb":
        return np.array(_THUMB)
    knuckle, spread, lengths = _KNUCKLES[finger]
    points = [np.array(knuckle)]
    side = np.radians(spread)
    for length, degrees in zip(lengths, _DROOP, strict=True):
        down = np.radians(degrees)
        along = np.array([np.cos(side) * np.cos(down), -np.sin(down), np.sin(side) * np.cos(down)])
        points.append(points[-1] + length * along)
    return np.array(points)


@cache
def joint_positions() -> dict[str, tuple[float, ...]]:
    """World position of every bone and end point (``headTop``, ``leftToeEnd``, ...) at rest."""
    left: dict[str, tuple[float, ...]] = {**_LEFT, "ToeEnd": _TOE_END}
    for finger in FINGERS:
        names = [name[4:] for name in finger_bones("left", finger)]
        points = _finger(finger)
        for name, point in zip([*names, f"{finger}Tip"], points, strict=True):
            left[name] = tuple(point)
    places: dict[str, tuple[float, ...]] = {**_MIDDLE, "headTop": _CROWN}
    for name, (x, y, z) in left.items():
        places[f"left{name}"] = (float(x), float(y), float(z))
        places[f"right{name}"] = (-float(x), float(y), float(z))
    return places


@cache
def default_skeleton() -> Skeleton:
    """The skeleton of the default character: 55 bones, tips at crown, toes and fingers.

    Examples
    --------
    >>> import kinesphere as ks
    >>> len(ks.default_skeleton())
    55
    """
    places = {name: np.array(p) for name, p in joint_positions().items()}
    order = {bone: i for i, bone in enumerate(BONES)}
    parents = [-1 if p is None else order[p] for p in BONE_PARENTS.values()]
    origin = np.zeros(3)
    offsets = [
        places[bone] - (origin if parent is None else places[parent])
        for bone, parent in BONE_PARENTS.items()
    ]
    ends = {"head": "headTop"}
    for side in ("left", "right"):
        ends[f"{side}Toes"] = f"{side}ToeEnd"
        for finger in FINGERS:
            ends[f"{side}{finger}Distal"] = f"{side}{finger}Tip"
    tips = tuple(Tip(order[bone], tuple(places[end] - places[bone])) for bone, end in ends.items())
    return Skeleton(BONES, np.array(parents), np.array(offsets), tips=tips)


@cache
def default_rig() -> Rig:
    """The default skeleton with every bone mapped to the joint of its name.

    Examples
    --------
    >>> import kinesphere as ks
    >>> rig = ks.default_rig()
    >>> rig.joint("hips"), rig.missing
    (0, ())
    """
    skeleton = default_skeleton()
    return Rig(skeleton, {name: i for i, name in enumerate(skeleton.names)})
