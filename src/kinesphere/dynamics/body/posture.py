"""Conversion between a clip of any humanoid and the angles of its physical body."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinesphere.dynamics.body.body_model import PhysicalBody
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, read_only
from kinesphere.maths.euler import to_euler
from kinesphere.motion.clip import Clip
from kinesphere.motion.skeleton import Skeleton

_EVERY = slice(None)


@dataclass(frozen=True, eq=False)
class HingePosture:
    """A body over time.

    Parameters
    ----------
    place : ``[frames, 3]`` position of the pelvis in the world.
    turn : ``[frames, 4]`` rotation of the pelvis from the T-pose, with continuous signs.
    angles : ``[frames, bones, 3]`` of all hinges, unwrapped.
    """

    place: Floats
    turn: Floats
    angles: Floats

    def moving(self, body: PhysicalBody) -> Floats:
        """Angles of the simulated degrees of freedom, ``[frames, dofs]``."""
        return np.ascontiguousarray(self.angles[:, body.active])

    def qpos(self, body: PhysicalBody) -> Floats:
        """Coordinates in MuJoCo's order, ``[frames, 7 + dofs]``."""
        return np.concatenate([self.place, self.turn, self.moving(body)], axis=1)

    def with_coordinates(self, body: PhysicalBody, qpos: Floats) -> HingePosture:
        """The posture with the given simulated coordinates instead of its own."""
        angles = self.angles.copy()
        angles[:, body.active] = qpos[:, 7:]
        turn = quaternion.normalise(qpos[:, 3:7])
        return HingePosture(qpos[:, :3].copy(), turn, angles)


def posture_of(body: PhysicalBody, clip: Clip) -> HingePosture:
    """Measure a body's posture on a clip of its rig."""
    turns = np.stack([_turn(body, clip, bone) for bone in body.bones], axis=1)
    angles = np.unwrap(angles_of_turns(body, turns), axis=0)
    hips = body.rig.bones["hips"]
    turn = quaternion.unroll(body.rig.turn(clip.world_rotations, hips))
    return HingePosture(clip.world_positions[:, hips].copy(), turn, angles)


def angles_of_turns(body: PhysicalBody, turns: Floats, bones: slice | list[int] = _EVERY) -> Floats:
    """Angles ``[..., bones, 3]`` of rotations ``[..., bones, 4]`` from the T-pose in the parent."""
    centres, frames = (values[bones] for values in body.frames)
    left = quaternion.inverse(quaternion.multiply(centres, frames))
    return to_euler(quaternion.multiply(quaternion.multiply(left, turns), frames), "XYZ")


def turns_of_angles(
    body: PhysicalBody, angles: Floats, bones: slice | list[int] = _EVERY
) -> Floats:
    """Rotations ``[..., bones, 4]`` of angles ``[..., bones, 3]``: the inverse."""
    centres, frames = (values[bones] for values in body.frames)
    plain = quaternion.multiply(quaternion.multiply(centres, frames), _in_a_row(angles))
    return quaternion.multiply(plain, quaternion.inverse(frames))


def _in_a_row(angles: Floats) -> Floats:
    """Rotations about X, Y and Z in series, as in `from_euler`, written out for speed."""
    half = 0.5 * np.moveaxis(angles, -1, 0)
    (cx, cy, cz), (sx, sy, sz) = np.cos(half), np.sin(half)
    out = np.empty((*angles.shape[:-1], 4))
    out[..., 0] = cx * cy * cz - sx * sy * sz
    out[..., 1] = sx * cy * cz + cx * sy * sz
    out[..., 2] = cx * sy * cz - sx * cy * sz
    out[..., 3] = cx * cy * sz + sx * sy * cz
    return out


def with_posture(body: PhysicalBody, clip: Clip, posture: HingePosture) -> Clip:
    """Apply a posture to a clip of the body's rig; joints mapped to no bone are unchanged."""
    turns = turns_of_angles(body, posture.angles)
    canonical = body.rig.canonical_pose[0]
    rotations = clip.rotations.copy()
    for i, bone in enumerate(body.bones):
        joint = body.rig.bones[bone]
        above = quaternion.inverse(_above(body, clip, bone))
        local = quaternion.multiply(quaternion.multiply(above, turns[:, i]), canonical[joint])
        rotations[:, joint] = _nearest_sign(quaternion.normalise(local), rotations[:, joint])
    return _with_pelvis(body, replace(clip, rotations=read_only(rotations)), posture)


def _with_pelvis(body: PhysicalBody, clip: Clip, posture: HingePosture) -> Clip:
    """Translate and rotate the pelvis; joints above it keep their own rotations."""
    hips = body.rig.bones["hips"]
    parent = int(clip.skeleton.parents[hips])
    wanted = quaternion.multiply(posture.turn, body.rig.canonical_pose[0][hips])
    if parent >= 0:
        wanted = quaternion.relative(clip.world_rotations[:, parent], wanted)
    rotations = clip.rotations.copy()
    rotations[:, hips] = _nearest_sign(quaternion.normalise(wanted), rotations[:, hips])
    # A joint's rotation does not move the joint itself, so the order does not matter.
    shift = posture.place - clip.world_positions[:, hips]
    moved = replace(clip, rotations=read_only(rotations))
    if parent < 0 or hips not in clip.translated_joints:
        return replace(moved, root_positions=clip.root_positions + shift)
    back = quaternion.inverse(clip.world_rotations[:, parent])
    translations = clip.translations.copy()
    k = clip.translated_joints.index(hips)
    translations[:, k] += quaternion.rotate(back, shift)
    return replace(moved, translations=translations)


def _nearest_sign(q: Floats, near: Floats) -> Floats:
    """Of the two signs of a quaternion the one nearest to the previous value."""
    return np.where(np.sum(q * near, axis=-1, keepdims=True) < 0.0, -q, q)


def _turn(body: PhysicalBody, clip: Clip, bone: str) -> Floats:
    """Rotation of a bone from the T-pose within the bone above it, ``[frames, 4]``."""
    joint = body.rig.bones[bone]
    back = quaternion.inverse(body.rig.canonical_pose[0][joint])
    local = quaternion.multiply(clip.rotations[:, joint], back)
    return quaternion.multiply(_above(body, clip, bone), local)


def _above(body: PhysicalBody, clip: Clip, bone: str) -> Floats:
    """Axes of a bone's joint, in those of the bone above: ``[4]`` or ``[frames, 4]``.

    Joints in between that are mapped to no bone keep their rotations.
    """
    skeleton: Skeleton = clip.skeleton
    parent = body.rig.bones[body.parent(bone)]
    axes = np.asarray(body.rig.canonical_pose[0][parent])
    for joint in skeleton.path(parent, body.rig.bones[bone])[1:-1]:
        axes = quaternion.multiply(axes, clip.rotations[:, joint])
    return axes
