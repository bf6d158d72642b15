"""The home pose: a person who stands and is silent."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.character.default import default_rig
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, read_only
from kinesphere.motion.body.limbs import Limb, limb_of, roll_forearm, solve
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import FINGERS, Rig, finger_bones
from kinesphere.motion.retargeting.retargeting import retarget

# Wrist at rest in the chest's frame from between the shoulders: out, up, forward (metres of a
# 1.75 m person), as measured on standing speakers: beside the front of the thighs.
HOME_WRIST = (0.245, -0.485, 0.12)
SWIVEL = np.radians(18.0)
# Directions of fingers and palm of a hanging left hand, and the tilt of its thumb's axis.
_FINGERS, _PALM, _THUMB = (0.04, -1.0, 0.22), (-1.0, -0.05, 0.18), -0.6
# Flexion of the relaxed fingers, degrees per joint from the palm outward.
RELAXED = {
    "Thumb": (6.0, 12.0, 14.0),
    "Index": (26.0, 28.0, 18.0),
    "Middle": (30.0, 32.0, 22.0),
    "Ring": (33.0, 35.0, 24.0),
    "Little": (36.0, 40.0, 28.0),
}


def arm_limb(rig: Rig, side: str) -> Limb:
    """An arm of a rig that rests in the T-pose, to be solved in the world's axes."""
    ball, hinge, end = rig.joints([f"{side}{part}" for part in ("UpperArm", "LowerArm", "Hand")])
    sign = 1 if side == "left" else -1
    return limb_of(rig.skeleton, (ball, hinge, end), [0, 0, 1], [0, 0, 1], [0, -1, 0], sign)


def hand_turn(side: str, fingers: ArrayLike, palm: ArrayLike) -> Floats:
    """Rotation from the T-pose that points a hand's fingers and palm in the given directions."""
    out = 1.0 if side == "left" else -1.0
    rest = quaternion.from_frame(np.array([out, 0.0, 0.0]), np.array([0.0, -1.0, 0.0]))
    wanted = quaternion.from_frame(np.asarray(fingers), np.asarray(palm))
    return quaternion.multiply(wanted, quaternion.inverse(rest))


@cache
def home_rotations() -> Floats:
    """Local rotations ``[joints, 4]`` of the default character in the home pose."""
    rig = default_rig()
    places = rig.skeleton.rest_world_positions
    rotations = rig.skeleton.rest_rotations.copy()
    middle = places[rig.joints(("leftUpperArm", "rightUpperArm"))].mean(axis=0)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        ball, hinge, end = rig.joints([f"{side}{p}" for p in ("UpperArm", "LowerArm", "Hand")])
        mirror = np.array([sign, 1.0, 1.0])
        target = middle + np.array(HOME_WRIST) * mirror
        limb = arm_limb(rig, side)
        pose = solve(limb, places[ball], target, SWIVEL)
        lower = quaternion.multiply(pose.ball, pose.hinge)
        hand = hand_turn(side, _FINGERS * mirror, _PALM * mirror)
        rotations[ball] = pose.ball
        rotations[hinge], rotations[end] = roll_forearm(
            limb, pose.hinge, quaternion.relative(lower, hand)
        )
        for finger in FINGERS:
            first, second = (places[rig.joint(b)] for b in finger_bones(side, finger)[:2])
            axis = -np.cross(second - first, [0.0, 1.0, 0.0])
            if finger == "Thumb":
                axis = np.array([0.0, sign, _THUMB * sign])
            for bone, degrees in zip(finger_bones(side, finger), RELAXED[finger], strict=True):
                turn = quaternion.from_axis_angle(axis, np.radians(degrees))
                rotations[rig.joint(bone)] = turn
    frozen: Floats = read_only(rotations)
    return frozen


def home_clip(frames: int, fps: float, rig: Rig | None = None) -> Clip:
    """A character standing still in the home pose: the default one, or another rig.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.home_clip(31, 30.0).duration_s
    1.0
    """
    skeleton = default_rig().skeleton
    clip = Clip(
        skeleton,
        fps,
        np.broadcast_to(skeleton.offsets[0], (frames, 3)),
        np.broadcast_to(home_rotations(), (frames, len(skeleton), 4)),
    )
    return clip if rig is None else retarget(clip, default_rig(), rig)
