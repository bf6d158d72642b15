"""The T-pose in which two rigs are compared, for any rest pose.

For every joint of a rig this finds the world rotation it has when the body faces +Z with arms out
to the sides, palms down, legs straight down, feet ahead and fingers stretched. It starts from the
rig's reference pose and rotates each limb by the smallest rotation into position, parents first, so
that palms and knees rotate along naturally. Hands are then rolled until the line from little
finger to index finger points forward.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.humanoid import FINGERS, Rig, finger_bones
from kinesphere.motion.kinematics import forward_kinematics_plain, local_rotations

_DOWN = np.array([0.0, -1.0, 0.0])
_FORWARD = np.array([0.0, 0.0, 1.0])
_THUMB_OUT = np.array([0.76, -0.13, 0.64])
_BACK = np.array([0.0, 0.998, -0.062])
_STANDING = np.cos(np.radians(25.0))
_MIRROR = np.array([-1.0, 1.0, 1.0])


def body_frame(rig: Rig) -> Floats:
    """Rotation from canonical axes (left, up, forward) to the world in the reference pose."""
    _, places = rig.reference_world
    at = {bone: places[joint] for bone, joint in rig.bones.items()}
    hips = 0.5 * (at["leftUpperLeg"] + at["rightUpperLeg"])
    arms = 0.5 * (at["leftUpperArm"] + at["rightUpperArm"])
    apart = at["leftUpperLeg"] - at["rightUpperLeg"]
    if np.linalg.norm(apart) < 1e-6:
        apart = at["leftUpperArm"] - at["rightUpperArm"]
    # A body that stands on its legs has the world's up, whatever the slope of its back; one that
    # rests in another attitude has its own. Up is exact, left as near as possible.
    up = (arms - hips) / np.linalg.norm(arms - hips)
    legs = hips - 0.5 * (at["leftFoot"] + at["rightFoot"])
    if legs[1] > _STANDING * np.linalg.norm(legs) and up[1] > 0.0:
        up = np.array([0.0, 1.0, 0.0])
    left = apart - (apart @ up) * up
    return quaternion.from_frame(left, up)


def canonical_pose(rig: Rig) -> tuple[Floats, Floats]:
    """World rotations ``[joints, 4]`` and positions ``[joints, 3]`` in the canonical T-pose."""
    rotations, places = rig.reference_world
    facing = quaternion.inverse(body_frame(rig))
    rotations = quaternion.multiply(facing, rotations)
    places = quaternion.rotate(facing, places)
    turns = _limb_turns(rig, places)
    out = np.empty_like(rotations)
    carried = quaternion.identity((len(rig.skeleton),))
    for joint, parent in enumerate(rig.skeleton.parents):
        inherited = carried[parent] if parent >= 0 else quaternion.identity()
        turn = turns.get(joint)
        carried[joint] = inherited if turn is None else turn(inherited)
        out[joint] = quaternion.multiply(carried[joint], rotations[joint])
    world = quaternion.normalise(out)
    local = local_rotations(rig.skeleton, world)
    return forward_kinematics_plain(rig.skeleton, local, np.zeros(3))


class _Align:
    """Rotate a bone's direction into a canonical one, after its parents' rotations."""

    def __init__(self, direction: Floats, wanted: Floats, flat: bool = False) -> None:
        self.direction, self.wanted, self.flat = direction, wanted, flat

    def __call__(self, inherited: Floats) -> Floats:
        now = quaternion.rotate(inherited, self.direction)
        if self.flat:
            now = now * np.array([1.0, 0.0, 1.0])
        if np.linalg.norm(now) < 1e-9:
            return inherited
        return quaternion.multiply(quaternion.between(now, self.wanted), inherited)


class _AlignHand(_Align):
    """The same for a hand, then rolled about the arm until `across` points forward."""

    def __init__(self, direction: Floats, wanted: Floats, across: Floats) -> None:
        super().__init__(direction, wanted)
        self.across = across

    def __call__(self, inherited: Floats) -> Floats:
        turn = super().__call__(inherited)
        now = quaternion.rotate(turn, self.across)
        now = now - (now @ self.wanted) * self.wanted
        if np.linalg.norm(now) < 1e-6:
            return turn
        angle = np.arctan2(np.cross(now, _FORWARD) @ self.wanted, now @ _FORWARD)
        return quaternion.multiply(quaternion.from_axis_angle(self.wanted, angle), turn)


def _limb_turns(rig: Rig, places: Floats) -> dict[int, _Align]:
    turns = _torso_turn(rig, places)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        out = np.array([sign, 0.0, 0.0])

        def align(start: str, end: str, wanted: Floats, flat: bool = False) -> None:
            if start in rig and end in rig:
                step = places[rig.bones[end]] - places[rig.bones[start]]
                if np.linalg.norm(step) > 1e-6:
                    turns[rig.bones[start]] = _Align(step, wanted, flat)

        align(f"{side}UpperArm", f"{side}LowerArm", out)
        align(f"{side}LowerArm", f"{side}Hand", out)
        align(f"{side}UpperLeg", f"{side}LowerLeg", _DOWN)
        align(f"{side}LowerLeg", f"{side}Foot", _DOWN)
        align(f"{side}Foot", f"{side}Toes", _FORWARD, flat=True)
        _add_hand(rig, places, side, out, turns)
        thumb = _THUMB_OUT if sign > 0 else _THUMB_OUT * _MIRROR
        for finger in FINGERS:
            bones = finger_bones(side, finger)
            for start, end in pairwise(bones):
                align(start, end, thumb if finger == "Thumb" else out)
    return turns


def _torso_turn(rig: Rig, places: Floats) -> dict[int, _Align]:
    """Straighten a back that rests bent; natural slopes of backs are not changed."""
    lowest = next((b for b in ("spine", "chest", "upperChest") if b in rig), None)
    if lowest is None:
        return {}
    joint = rig.bones[lowest]
    shoulders = places[rig.joints(("leftUpperArm", "rightUpperArm"))].mean(axis=0)
    back = shoulders - places[joint]
    cosine = float(back @ _BACK) / max(float(np.linalg.norm(back)), 1e-9)
    return {} if cosine > np.cos(np.radians(10.0)) else {joint: _Align(back, _BACK)}


def _add_hand(rig: Rig, places: Floats, side: str, out: Floats, turns: dict[int, _Align]) -> None:
    knuckles = [f"{side}{f}Proximal" for f in FINGERS[1:] if f"{side}{f}Proximal" in rig]
    if f"{side}Hand" not in rig or not knuckles:
        return
    wrist = places[rig.bones[f"{side}Hand"]]
    middle = np.mean([places[rig.bones[k]] for k in knuckles], axis=0) - wrist
    if np.linalg.norm(middle) < 1e-6:
        return
    joint = rig.bones[f"{side}Hand"]
    turns[joint] = _Align(middle, out)
    if len(knuckles) >= 2:
        across = places[rig.bones[knuckles[0]]] - places[rig.bones[knuckles[-1]]]
        turns[joint] = _AlignHand(middle, out, across)
