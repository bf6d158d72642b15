"""Joint limits of a person.

Ranges of healthy adults, counted from the T-pose with palms down. Sources: limbs and hands from
the American Academy of Orthopaedic Surgeons' norms (1965) as confirmed by Boone and Azen (1979) and
Roaas and Andersson (1982); the spine from White and Panjabi (1990), summed over the vertebrae that
each of our bones represents; the collar bone from Inman, Saunders and Abbott (1944) and Ludewig and
others (2009). The shoulder's range is no cone: the circular one used here has the smallest radius
that contains the published extremes (overhead, across the chest, 50 degrees behind the hip), so it
also admits some directions that only flexible people reach.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

import numpy as np

from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.limits import JointLimit
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import FINGERS, Rig, finger_bones

Range = tuple[float, float]
_X, _Y, _Z = np.eye(3)
_NO_CENTRE = quaternion.identity()


def _limit(
    bone: Floats,
    first: Floats,
    swing: Range,
    across: Range,
    twist: Range,
    centre: Floats = _NO_CENTRE,
) -> JointLimit:
    """Limit from ranges in degrees; `first` is the axis of the main movement."""
    pairs = [(float(np.radians(a)), float(np.radians(b))) for a, b in (swing, across, twist)]
    return JointLimit(bone, first, pairs[0], pairs[1], pairs[2], centre)


def _middle() -> dict[str, JointLimit]:
    """Spine and head: the main movement is bending forward, about +X."""
    return {
        "spine": _limit(_Y, _X, (-20, 35), (-15, 15), (-10, 10)),
        "chest": _limit(_Y, _X, (-12, 25), (-15, 15), (-15, 15)),
        "upperChest": _limit(_Y, _X, (-10, 20), (-12, 12), (-20, 20)),
        "neck": _limit(_Y, _X, (-30, 25), (-22, 22), (-35, 35)),
        "head": _limit(_Y, _X, (-40, 30), (-25, 25), (-50, 50)),
        "jaw": _limit(_Z, _X, (-3, 30), (-8, 8), (-5, 5)),
    }


def _left_limits() -> dict[str, JointLimit]:
    reach = np.array([0.5, -0.4, np.sqrt(1 - 0.25 - 0.16)])
    shoulder = quaternion.between(_X, reach)
    limits = {
        # Up and down about +Z, forward about -Y.
        "Shoulder": _limit(_X, _Z, (-15, 45), (-30, 30), (-45, 45)),
        "UpperArm": _limit(_X, _Z, (-115, 115), (-115, 115), (-110, 110), shoulder),
        # Elbow: forward about -Y; the twist is pronation and supination.
        "LowerArm": _limit(_X, -_Y, (-5, 150), (-8, 8), (-85, 85)),
        # Wrist: palm-ward about -Z, towards the little finger about +Y.
        "Hand": _limit(_X, -_Z, (-70, 80), (-25, 35), (-12, 12)),
        # Hip: forward about -X, inward about -Z.
        "UpperLeg": _limit(-_Y, -_X, (-30, 125), (-50, 30), (-50, 50)),
        "LowerLeg": _limit(-_Y, _X, (-5, 150), (-6, 6), (-30, 30)),
        # Foot: toes down about +X, toes out about +Y.
        "Foot": _limit(_Z, _X, (-25, 50), (-25, 30), (-30, 35)),
        "Toes": _limit(_Z, _X, (-70, 40), (-6, 6), (-6, 6)),
        "Eye": _limit(_Z, _X, (-30, 35), (-40, 40), (-5, 5)),
    }
    for finger in FINGERS[1:]:
        proximal, intermediate, distal = (b[4:] for b in finger_bones("left", finger))
        limits[proximal] = _limit(_X, -_Z, (-45, 95), (-25, 25), (-12, 12))
        limits[intermediate] = _limit(_X, -_Z, (-8, 115), (-5, 5), (-6, 6))
        limits[distal] = _limit(_X, -_Z, (-12, 90), (-5, 5), (-6, 6))
    # The thumb lies between +X and +Z; it opposes across the palm and extends away from it.
    along = np.array([0.76, -0.13, 0.0])
    along[2] = np.sqrt(1.0 - along @ along)
    closing = np.cross(along, -_Y)
    closing /= np.linalg.norm(closing)
    limits["ThumbMetacarpal"] = _limit(along, closing, (-45, 60), (-45, 60), (-40, 60))
    limits["ThumbProximal"] = _limit(along, closing, (-40, 70), (-40, 70), (-20, 20))
    limits["ThumbDistal"] = _limit(along, closing, (-40, 90), (-40, 90), (-15, 15))
    return limits


def _mirror(limit: JointLimit) -> JointLimit:
    """Mirror image in x = 0: rotation axes keep x and change y and z."""
    turned = np.array([1.0, -1.0, -1.0])
    return JointLimit(
        limit.bone_axis * np.array([-1.0, 1.0, 1.0]),
        limit.first_axis * turned,
        limit.first_range,
        (-limit.second_range[1], -limit.second_range[0]),
        (-limit.twist_range[1], -limit.twist_range[0]),
        limit.centre * np.array([1.0, 1.0, -1.0, -1.0]),
    )


@cache
def joint_limits() -> Mapping[str, JointLimit]:
    """Limit of every bone except the hips, for its rotation from the T-pose within its parent."""
    limits = _middle()
    for part, limit in _left_limits().items():
        limits[f"left{part}"] = limit
        limits[f"right{part}"] = _mirror(limit)
    return MappingProxyType(limits)


def bone_rotation(clip: Clip, rig: Rig, bone: str) -> Floats:
    """Rotation ``[frames, 4]`` of one bone from the T-pose, relative to the nearest bone above."""
    joint = rig.joint(bone)
    own = rig.turn(clip.world_rotations, joint)
    bones = set(rig.bones.values())
    above = next((j for j in rig.skeleton.ancestors(joint)[1:] if j in bones), None)
    return own if above is None else quaternion.relative(rig.turn(clip.world_rotations, above), own)


def bone_rotations(clip: Clip, rig: Rig) -> dict[str, Floats]:
    """Rotation of every bone from the T-pose, relative to the nearest bone above it."""
    return {bone: bone_rotation(clip, rig, bone) for bone in rig.bones}


def limit_excess(clip: Clip, rig: Rig) -> dict[str, Floats]:
    """How far each bone exceeds its limit in every frame, radians; 0 within it."""
    limits = joint_limits()
    return {
        bone: limits[bone].excess(turn)
        for bone, turn in bone_rotations(clip, rig).items()
        if bone in limits
    }
