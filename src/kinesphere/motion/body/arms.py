"""The arms of any humanoid in the chest's frame: measured on a clip, and written back to it.

An arm's pose is the position of its wrist (from the shoulder joint, in the chest's axes), its
swivel, and the rotations of upper arm, forearm and hand from the T-pose. Everything is relative to
the T-pose that rigs share, so joint axes do not matter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, read_only
from kinesphere.maths.curves import smoothstep
from kinesphere.maths.filters import held_gaussian
from kinesphere.motion.body.limbs import Limb, solve, swivel_of
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.measure import limb_lengths

Side = Literal["left", "right"]
SIDES: tuple[Side, Side] = ("left", "right")
NO_SWIVEL, SURELY_BENT = np.radians(20.0), np.radians(35.0)
"""Elbow bend up to which a swivel is unreliable, and from which on it is the measured one."""
_SETTLING_S = 0.15
_CHEST = ("upperChest", "chest", "spine", "hips")


def sign_of(side: Side) -> int:
    """+1 for the left, whose outward is +X, -1 for the right."""
    return 1 if side == "left" else -1


def chest_bone(rig: Rig) -> str:
    """Bone that carries the arms."""
    return next(bone for bone in _CHEST if bone in rig)


def arm_joints(rig: Rig, side: Side) -> tuple[int, int, int]:
    """Joints of upper arm, forearm and hand."""
    upper, lower, hand = rig.joints([f"{side}{b}" for b in ("UpperArm", "LowerArm", "Hand")])
    return upper, lower, hand


def chest_limb(rig: Rig, side: Side) -> Limb:
    """The arm as a chain in the chest's axes, with rotations from the T-pose."""
    upper = limb_lengths(rig, "UpperArm", "LowerArm")
    lower = limb_lengths(rig, "LowerArm", "Hand")
    i = SIDES.index(side)
    out = float(sign_of(side))
    return Limb(
        np.array([out * upper[i], 0.0, 0.0]),
        np.array([out * lower[i], 0.0, 0.0]),
        np.array([0.0, -out, 0.0]),
        quaternion.identity(),
        0.0,
        np.array([0.0, 0.0, 1.0]),
        np.array([0.0, -1.0, 0.0]),
        sign_of(side),
    )


@dataclass(frozen=True, eq=False)
class ArmMotion:
    """An arm over time.

    Parameters
    ----------
    side, limb : which arm; its chain in the chest's axes.
    shoulders : ``[frames, 3]`` the shoulder joint in the world.
    axes : ``[frames, 4]`` the chest's axes in the world.
    wrists : ``[frames, 3]`` from the shoulder joint, in the chest's axes.
    swivels : ``[frames]`` radians, unwrapped.
    turns : ``[frames, 3, 4]`` rotations of upper arm, forearm, hand from the T-pose, chest axes.
    """

    side: Side
    limb: Limb
    shoulders: Floats
    axes: Floats
    wrists: Floats
    swivels: Floats
    turns: Floats

    def in_world(self, points: ArrayLike) -> Floats:
        """Points ``[frames, 3]`` of the arm's frame in the world."""
        return self.shoulders + quaternion.rotate(self.axes, points)

    def from_world(self, points: ArrayLike) -> Floats:
        """World points ``[frames, 3]`` in the arm's frame."""
        away = np.asarray(points, dtype=np.float64) - self.shoulders
        return quaternion.rotate(quaternion.inverse(self.axes), away)


def measure_arm(clip: Clip, rig: Rig, side: Side) -> ArmMotion:
    """Measure an arm's motion on a clip.

    Raises
    ------
    RigError
        If the rig lacks a bone of the arm.
    """
    joints = arm_joints(rig, side)
    limb = chest_limb(rig, side)
    axes = rig.turn(clip.world_rotations, rig.joint(chest_bone(rig)))
    back = quaternion.inverse(axes)
    places = clip.world_positions[:, joints, :]
    local = quaternion.rotate(back[:, None], places - places[:, :1])
    swivels = np.unwrap(swivel_of(limb, local[:, 0], local[:, 1], local[:, 2]))
    turns = np.stack(
        [quaternion.multiply(back, rig.turn(clip.world_rotations, j)) for j in joints], axis=1
    )
    return ArmMotion(side, limb, places[:, 0], axes, local[:, 2], swivels, turns)


def elbow_bends(limb: Limb, wrists: ArrayLike) -> Floats:
    """Bend ``[...]`` of the elbow of an arm for a wrist position, radians; 0 is straight."""
    a, b = limb.upper_length, limb.lower_length
    d = np.linalg.norm(wrists, axis=-1)
    cosine = np.clip((d * d - a * a - b * b) / (2.0 * a * b), -1.0, 1.0)
    return np.asarray(np.arccos(cosine))


def settle(arm: ArmMotion, fps: float) -> ArmMotion:
    """An arm with a steady swivel where it is too straight to have a reliable one.

    The elbow of a nearly straight arm is close to the line from shoulder to wrist, so that a small
    movement of it is a large change of the swivel. On a more bent arm, or at another time, that
    change would be a large movement of the elbow. From `SURELY_BENT` on the measured swivel stays;
    below, it blends into its average in time, in which straighter frames weigh less, and whole
    revolutions are counted only where the arm is bent.
    """
    bends = elbow_bends(arm.limb, arm.wrists)
    if len(bends) < 3 or bends.min() >= SURELY_BENT:
        return arm
    swivels = arm.swivels
    bent = np.flatnonzero(bends >= NO_SWIVEL)
    if len(bent):
        near = np.interp(np.arange(len(bends)), bent, np.unwrap(swivels[bent]))
        swivels = near + (swivels - near + np.pi) % (2.0 * np.pi) - np.pi
    weights = np.sin(0.5 * bends) ** 2 + 1e-9
    sigma = max(1.0, _SETTLING_S * fps)
    steady = held_gaussian(weights * swivels, sigma) / held_gaussian(weights, sigma)
    sure = smoothstep((bends - NO_SWIVEL) / (SURELY_BENT - NO_SWIVEL))
    return replace(arm, swivels=steady + sure * (swivels - steady))


def arm_turns(limb: Limb, wrists: ArrayLike, swivels: ArrayLike) -> Floats:
    """Rotations of upper arm and unrolled forearm from the T-pose, ``[..., 2, 4]``.

    `limb` is one of `chest_limb`'s. The same as `arm_turns_plain` up to the quaternions' signs.
    """
    from kinesphere.motion.body import arms_kernels as kernels

    wrists = np.asarray(wrists, dtype=np.float64)
    shape = wrists.shape[:-1]
    flat = np.ascontiguousarray(wrists.reshape(-1, 3))
    angles = np.ascontiguousarray(np.broadcast_to(swivels, shape).reshape(-1), dtype=np.float64)
    out = np.empty((len(flat), 2, 4))
    kernels.arm_turns(flat, angles, limb.upper_length, limb.lower_length, float(limb.side), out)
    return out.reshape(*shape, 2, 4)


def arm_turns_plain(limb: Limb, wrists: ArrayLike, swivels: ArrayLike) -> Floats:
    """Reference implementation of `arm_turns`, for tests."""
    pose = solve(limb, np.zeros(3), wrists, swivels)
    return np.stack([pose.ball, quaternion.multiply(pose.ball, pose.hinge)], axis=-2)


def carry(arm: ArmMotion, wrists: Floats, swivels: Floats | None = None) -> Floats:
    """Rotations ``[frames, 3, 4]`` of an arm with another wrist position; the hand follows.

    Without `swivels` the arm keeps its own.
    """
    old = arm_turns(arm.limb, arm.wrists, arm.swivels)
    new = arm_turns(arm.limb, wrists, arm.swivels if swivels is None else swivels)
    carry = quaternion.multiply(new, quaternion.inverse(old))
    turns = arm.turns.copy()
    turns[:, :2] = quaternion.multiply(carry, arm.turns[:, :2])
    turns[:, 2] = quaternion.multiply(carry[:, 1], arm.turns[:, 2])
    return turns


def with_arm(
    clip: Clip,
    rig: Rig,
    side: Side,
    turns: ArrayLike,
    axes: ArrayLike,
    keep: ArrayLike | None = None,
) -> Clip:
    """Write an arm to a clip.

    Parameters
    ----------
    turns : ``[frames, 3, 4]`` rotations of upper arm, forearm and hand from the T-pose.
    axes : ``[frames, 4]`` axes of these rotations, in the world.
    keep : frames ``[frames]`` whose arm stays exactly as it is in the clip.
    """
    joints = arm_joints(rig, side)
    axes = np.asarray(axes, dtype=np.float64)
    turns = np.asarray(turns, dtype=np.float64)
    rotations = clip.rotations.copy()
    world = clip.world_rotations
    canonical, _ = rig.canonical_pose
    above = world[:, rig.skeleton.parents[joints[0]]]
    placed = above
    for i, joint in enumerate(joints):
        if i:
            # Joints in between (rolls) keep their rotation relative to the bone above.
            between = int(rig.skeleton.parents[joint])
            bone = joints[i - 1]
            held = quaternion.relative(world[:, bone], world[:, between])
            above = quaternion.multiply(placed, held)
        placed = quaternion.multiply(quaternion.multiply(axes, turns[:, i]), canonical[joint])
        local = quaternion.normalise(quaternion.relative(above, placed))
        # Of the two signs of a quaternion take the one nearest to the previous value.
        local = np.where(
            np.sum(local * rotations[:, joint], axis=-1, keepdims=True) < 0.0, -local, local
        )
        if keep is not None:
            local = np.where(np.asarray(keep)[:, None], rotations[:, joint], local)
        rotations[:, joint] = local
    return replace(clip, rotations=read_only(rotations))
