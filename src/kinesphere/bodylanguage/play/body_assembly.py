"""Three streams assembled on one body: a posed figure with planted feet.

The streams disagree about the directions of hips, chest and head, so the spine and the neck share
the difference. Blending rotates the two bones of an arm separately; their directions are kept, and
the elbow becomes a hinge again, with the roll of the hand in the forearm. Hands that penetrate the
body are moved out of it.

Joints that no stream moves are in the home pose, with idle motion. The pelvis follows its stream,
as high as both legs allow; thighs and shins follow by inverse kinematics. The character stands in
place: steps of the training data become weight shifts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from kinesphere.animation.arms.poses.home_pose import home_rotations
from kinesphere.bodylanguage.streams import hand_of_joint, stream_of_joint
from kinesphere.character.default import default_rig
from kinesphere.character.joint_limits import joint_limits
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats, Ints, read_only
from kinesphere.motion.body.arms import SIDES, chest_limb
from kinesphere.motion.body.body_volume import CORE, BodyVolume, body_volume
from kinesphere.motion.humanoid import FINGERS, SPINE, finger_bones

PUSH = 17
"""Values kept of a hand's clearance from frame to frame, NaN if there was no previous frame."""
PATH = (4, 4)
"""Shape of the state of an arm's path."""


@dataclass(frozen=True)
class SkinClearance:
    """How hands are kept out of the body.

    Parameters
    ----------
    skin_m : clearance of the points in the middle of a hand from the skin: half its thickness.
    soft_m : distance from there at which the correction begins, so that it has no corner.
    slack_m : smallest correction, below what can be seen.
    rounds : of the iteration, enough for both hands and all parts of the body.
    """

    skin_m: float = 0.008
    soft_m: float = 0.005
    slack_m: float = 0.0002
    rounds: int = 10


CLEARANCE = SkinClearance()


def clearance_state(characters: int) -> Floats:
    """State ``[characters, 2, PUSH]`` of hands that were outside the body in the previous frame."""
    out = np.zeros((characters, 2, PUSH))
    out[..., 9:] = np.nan
    return out


class Legs(NamedTuple):
    """Data for the legs' inverse kinematics: joints, frames at rest, lengths, ankles."""

    joints: Ints
    frames: Floats
    lengths: Floats
    ankles: Floats


@cache
def legs() -> Legs:
    """Legs of the default figure, left and right."""
    rig = default_rig()
    joints = [rig.joints([f"{s}{p}" for p in ("UpperLeg", "LowerLeg", "Foot")]) for s in SIDES]
    offsets = rig.skeleton.offsets
    frames, lengths = np.zeros((2, 2, 4)), np.zeros((2, 2))
    for side, (_, shin, foot) in enumerate(joints):
        for part, joint in enumerate((shin, foot)):
            lengths[side, part] = np.linalg.norm(offsets[joint])
            up = -offsets[joint] / lengths[side, part]
            aside = np.array([1.0, 0.0, 0.0]) - up[0] * up
            frames[side, part] = quaternion.from_frame(aside, up)
    ankles = rig.skeleton.rest_world_positions[[j[2] for j in joints]]
    parts = (np.array(joints), frames, lengths, ankles)
    return Legs(*(read_only(np.ascontiguousarray(p)) for p in parts))


class Arms(NamedTuple):
    """Joints ``[2, 4]`` of the arms from the collar bone on, and lengths ``[2, 2]``."""

    joints: Ints
    lengths: Floats


@cache
def arms() -> Arms:
    """Arms of the default figure, left and right."""
    rig = default_rig()
    bones = ("Shoulder", "UpperArm", "LowerArm", "Hand")
    joints = [rig.joints([f"{s}{bone}" for bone in bones]) for s in SIDES]
    limbs = [chest_limb(rig, s) for s in SIDES]
    lengths = np.array([[limb.upper_length, limb.lower_length] for limb in limbs])
    return Arms(read_only(np.array(joints)), read_only(lengths))


@cache
def _trunk() -> Ints:
    joints: Ints = read_only(np.array(default_rig().joints(SPINE)))
    return joints


@cache
def joint_numbers() -> Floats:
    """Joint limits, and rotations to the T-pose that they refer to, ``[joints, 27]``.

    Legs have none, because inverse kinematics poses them.
    """
    rig, known = default_rig(), joint_limits()
    canonical = rig.canonical_pose[0]
    out = np.zeros((len(rig.skeleton), 27))
    for joint, bone in enumerate(rig.skeleton.names):
        if bone in known and not bone.endswith(("Leg", "Foot", "Toes")):
            above = canonical[rig.skeleton.parents[joint]]
            below = quaternion.inverse(canonical[joint])
            out[joint] = np.concatenate([known[bone].numbers, above, below])
    frozen: Floats = read_only(out)
    return frozen


@cache
def _volume() -> BodyVolume:
    return body_volume(default_rig())


class Posed(NamedTuple):
    """Characters' poses: local rotations, root positions, and world rotations.

    Shapes are ``[rows, joints, 4]`` and ``[rows, 3]``.
    """

    rotations: Floats
    root_positions: Floats
    world: Floats


def assemble(
    shown: Floats,
    pelvis: Floats,
    present: Bools,
    amounts: Floats,
    idle: Floats,
    idle_hips: Floats,
    shaped: Callable[[Floats], Floats] | None = None,
    pushes: Floats | None = None,
    dt: float = 1.0,
    paths: Floats | None = None,
) -> Posed:
    """Pose the default figure.

    Parameters
    ----------
    shown : ``[rows, joints, 4]`` blended world rotations, of fingers local ones.
    pelvis : ``[rows, 3]`` offset from its position at rest.
    present : ``[3]`` which streams there are.
    amounts : ``[rows]`` factor on rotations from the home pose: 0 stays there, 1 is as blended.
    idle : ``[rows, joints, 3]`` rotation vectors of idle motion.
    idle_hips : ``[rows, 3]`` shift of the hips.
    shaped : function that changes wrist positions ``[rows, 2, 3]``, from their shoulders in the
        chest's axes; None for none.
    pushes : ``[characters, 2, PUSH]`` clearance state of the hands in the previous frame, for
        characters whose consecutive frames are in the rows, NaN at first; overwritten. None for
        single poses.
    dt : seconds from frame to frame.
    paths : ``[characters, 2, *PATH]`` position and velocity of these characters' arms, to keep
        them continuous, NaN at first; overwritten. None for single poses.
    """
    out, wrists, swivels = _pose_streams(shown, pelvis, present, amounts, idle, idle_hips)
    if not len(shown):
        return out
    if shaped is not None:
        wrists = _shape_arms(out, wrists, swivels, shaped)
    if paths is not None:
        _steady_arms(out, wrists, swivels, paths, dt)
    clear(out, wrists, swivels, pushes, dt)
    return out


def _pose_streams(
    shown: Floats, pelvis: Floats, present: Bools, amounts: Floats, idle: Floats, idle_hips: Floats
) -> tuple[Posed, Floats, Floats]:
    """Figures of the streams, their wrists ``[rows, 2, 3]`` and swivels ``[rows, 2]``."""
    from kinesphere.bodylanguage.play.body_assembly_kernels import assemble as kernel

    skeleton = default_rig().skeleton
    rows, joints = shown.shape[:2]
    out = Posed(np.zeros((rows, joints, 4)), np.zeros((rows, 3)), np.zeros((rows, joints, 4)))
    wrists, swivels = np.zeros((rows, 2, 3)), np.zeros((rows, 2))
    arm, leg = arms(), legs()
    kernel(
        shown,
        pelvis,
        amounts,
        idle,
        idle_hips,
        skeleton.parents,
        skeleton.offsets,
        home_rotations(),
        stream_of_joint(),
        hand_of_joint(),
        present,
        _trunk(),
        joint_numbers(),
        arm.joints,
        arm.lengths,
        leg.joints,
        leg.frames,
        leg.lengths,
        leg.ankles,
        skeleton.offsets[0],
        *out,
        wrists,
        swivels,
    )
    return out, wrists, swivels


def _shape_arms(
    posed: Posed, wrists: Floats, swivels: Floats, shaped: Callable[[Floats], Floats]
) -> Floats:
    """Change wrist positions, in place; return them."""
    from kinesphere.bodylanguage.play.arm_path_kernels import place_arms

    wrists = np.array(shaped(wrists), dtype=np.float64, order="C")
    chest = default_rig().joint("upperChest")
    place_arms(wrists, swivels, *arms(), joint_numbers(), chest, posed.rotations, posed.world)
    return wrists


def _steady_arms(posed: Posed, wrists: Floats, swivels: Floats, paths: Floats, dt: float) -> None:
    """Keep the paths of arms continuous, in place."""
    from kinesphere.bodylanguage.play.arm_path_kernels import steady_arms

    chest, numbers = default_rig().joint("upperChest"), joint_numbers()
    steady_arms(wrists, swivels, paths, dt, *arms(), numbers, chest, posed.rotations, posed.world)


def clear(
    posed: Posed,
    wrists: Floats,
    swivels: Floats,
    pushes: Floats | None = None,
    dt: float = 1.0,
    soft_m: float = CLEARANCE.soft_m,
) -> None:
    """Move hands out of the body, in place.

    Parameters
    ----------
    wrists, swivels : ``[rows, 2, 3]`` from the shoulders in the chest's axes, and ``[rows, 2]``.
    pushes, dt : see `assemble`.
    soft_m : distance from the skin at which the correction begins; 0 corrects only penetration.
    """
    from kinesphere.bodylanguage.play.hand_clearing_kernels import clear_hands

    held = np.zeros((len(wrists), 2, PUSH)) if pushes is None else pushes
    rig, volume, arm = default_rig(), _volume(), arms()
    tips, ends = _hand_points()
    clear_hands(
        posed.root_positions,
        wrists,
        swivels,
        rig.skeleton.parents,
        rig.skeleton.offsets,
        arm.joints,
        arm.lengths,
        joint_numbers(),
        tips,
        ends,
        volume.joints,
        volume.offsets,
        volume.halves,
        volume.radii,
        _core(),
        rig.joint("upperChest"),
        CLEARANCE.skin_m,
        soft_m,
        CLEARANCE.slack_m,
        CLEARANCE.rounds,
        0.0 if pushes is None else dt,
        held,
        posed.rotations,
        posed.world,
    )


@cache
def _core() -> Ints:
    pieces: Ints = read_only(np.ascontiguousarray(_volume().pieces_of(CORE)))
    return pieces


@cache
def _hand_points() -> tuple[Ints, Floats]:
    """Points of the hands as in `motion.body.body_volume.hand_points`, except the palm's."""
    rig = default_rig()
    ends = {tip.joint: tip.offset for tip in rig.skeleton.tips}
    joints, offsets = [], []
    for side in SIDES:
        bones = [finger_bones(side, f) for f in FINGERS]
        knuckles = [rig.joint(b[0]) for f, b in zip(FINGERS, bones, strict=True) if f != "Thumb"]
        last = [rig.joint(b[2]) for b in bones]
        joints.append([rig.joint(f"{side}Hand"), *knuckles, *last])
        offsets.append([*[(0.0, 0.0, 0.0)] * 5, *(ends[j] for j in last)])
    return read_only(np.array(joints)), read_only(np.array(offsets, dtype=np.float64))
