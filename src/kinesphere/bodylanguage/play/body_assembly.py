"""Three streams assembled on one body that the figure engine moves.

The streams disagree about the directions of hips, chest and head: what they ask for are targets of
the figure engine, and the neck makes up for the rest. Blending rotates the two bones of an arm
separately; their directions are kept, and the elbow becomes a hinge again, with the roll of the
hand in the forearm. Hands that penetrate the body are moved out of it.

Joints that no stream moves are in the home pose. Hips, feet and legs are the engine's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from kinesphere.animation.arms.poses.home_pose import home_rotations
from kinesphere.bodylanguage.streams import hand_of_joint, stream_of_joint
from kinesphere.character.default import default_rig
from kinesphere.figure.arms.arm_overlay import ArmParameters, rest_arms
from kinesphere.figure.arms.arm_table import arms, joint_numbers
from kinesphere.figure.arms.wrist_drag import drag_row
from kinesphere.figure.clearance import LIVE, Posed, clear, held_allowances
from kinesphere.figure.standing.legs import leg_table
from kinesphere.maths.arrays import Bools, Floats, Ints, read_only
from kinesphere.motion.humanoid import SPINE

PATH = (4, 4)
"""Shape of the state of an arm's path."""


class Resting(NamedTuple):
    """Arms of somebody who listens.

    Parameters
    ----------
    arms : ``[rows, ...]`` where they rest.
    weights : ``[rows]`` how far they are there, 0 to 1.
    held : ``[rows]`` how far the hands hold each other there.
    """

    arms: ArmParameters
    weights: Floats
    held: Floats


class Changes(NamedTuple):
    """What is done to the figures of the streams before hands are kept out of the body.

    Parameters
    ----------
    heads : function that turns heads, in place; None for none.
    resting : arms of somebody who listens; None for the home pose.
    shaped : function that changes wrist positions ``[rows, 2, 3]``, from their shoulders in the
        chest's axes; None for none.
    """

    heads: Callable[[Posed], None] | None = None
    resting: Resting | None = None
    shaped: Callable[[Floats], Floats] | None = None


@cache
def trunk_joints() -> Ints:
    """Joints from the hips to the head."""
    joints: Ints = read_only(np.array(default_rig().joints(SPINE)))
    return joints


def assemble(
    shown: Floats,
    bodies: Floats,
    present: Bools,
    amounts: Floats,
    added: Floats,
    changes: Changes | None = None,
    pushes: Floats | None = None,
    dt: float = 1.0,
    paths: Floats | None = None,
    drags: Floats | None = None,
) -> Posed:
    """Pose the default figure.

    Parameters
    ----------
    shown : ``[rows, joints, 4]`` blended world rotations, of fingers local ones.
    bodies : ``[rows, POSE]`` hips, pelvis, spine and feet by the figure engine.
    present : ``[3]`` which streams there are.
    amounts : ``[rows]`` factor on rotations from the home pose: 0 stays there, 1 is as blended.
    added : ``[rows, joints, 3]`` rotation vectors that are added: breath, Shape.
    changes : heads, arms at rest and Shape; None for none.
    pushes : ``[characters, 2, PUSH]`` clearance state of the hands in the previous frame, for
        characters whose consecutive frames are in the rows, NaN at first; overwritten. None for
        single poses.
    dt : seconds from frame to frame.
    paths : ``[characters, 2, *PATH]`` position and velocity of these characters' arms, to keep
        them continuous, NaN at first; overwritten. None for single poses.
    drags : ``[characters, 2, DRAG]`` state of hands that lag behind their forearms, zeros at
        first; overwritten. None for hands that do not.
    """
    out, wrists, swivels = _pose_streams(shown, bodies, present, amounts, added)
    if not len(shown):
        return out
    heads, resting, shaped = changes or Changes()
    if heads is not None:
        heads(out)
    allowed = None
    if resting is not None:
        rest_arms(out, wrists, swivels, resting.arms, resting.weights)
        allowed = held_allowances(resting.weights * resting.held)
    if shaped is not None:
        wrists = _shape_arms(out, wrists, swivels, shaped)
    if paths is not None:
        _steady_arms(out, wrists, swivels, paths, dt)
    if drags is not None:
        _drag_hands(out, wrists, drags, dt)
    clear(out, wrists, swivels, pushes, dt, LIVE, allowed)
    return out


def _drag_hands(posed: Posed, wrists: Floats, drags: Floats, dt: float) -> None:
    """Let hands lag behind their forearms, in place."""
    from kinesphere.figure.arms.drag_kernels import drag_hands

    chest, joints = default_rig().joint("upperChest"), arms().joints
    numbers = joint_numbers()
    drag_hands(wrists, dt, drag_row(), chest, joints, numbers, drags, posed.rotations, posed.world)


def _pose_streams(
    shown: Floats, bodies: Floats, present: Bools, amounts: Floats, added: Floats
) -> tuple[Posed, Floats, Floats]:
    """Figures of the streams, their wrists ``[rows, 2, 3]`` and swivels ``[rows, 2]``."""
    from kinesphere.bodylanguage.play.body_assembly_kernels import assemble as kernel

    skeleton = default_rig().skeleton
    rows, joints = shown.shape[:2]
    out = Posed(np.zeros((rows, joints, 4)), np.zeros((rows, 3)), np.zeros((rows, joints, 4)))
    wrists, swivels = np.zeros((rows, 2, 3)), np.zeros((rows, 2))
    arm, leg = arms(), leg_table()
    kernel(
        shown,
        bodies,
        amounts,
        added,
        skeleton.parents,
        skeleton.offsets,
        home_rotations(),
        stream_of_joint(),
        hand_of_joint(),
        present,
        trunk_joints(),
        joint_numbers(),
        arm.joints,
        arm.lengths,
        leg.joints,
        leg.frames,
        leg.lengths,
        *out,
        wrists,
        swivels,
    )
    return out, wrists, swivels


def _shape_arms(
    posed: Posed, wrists: Floats, swivels: Floats, shaped: Callable[[Floats], Floats]
) -> Floats:
    """Change wrist positions, in place; return them."""
    from kinesphere.figure.arms.arm_path_kernels import place_arms

    wrists = np.array(shaped(wrists), dtype=np.float64, order="C")
    chest = default_rig().joint("upperChest")
    place_arms(wrists, swivels, *arms(), joint_numbers(), chest, posed.rotations, posed.world)
    return wrists


def _steady_arms(posed: Posed, wrists: Floats, swivels: Floats, paths: Floats, dt: float) -> None:
    """Keep the paths of arms continuous, in place."""
    from kinesphere.figure.arms.arm_path_kernels import steady_arms

    chest, numbers = default_rig().joint("upperChest"), joint_numbers()
    steady_arms(wrists, swivels, paths, dt, *arms(), numbers, chest, posed.rotations, posed.world)
