"""From local rotations to the world and back, and velocities."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.skeleton import Skeleton


def forward_kinematics(
    skeleton: Skeleton,
    rotations: ArrayLike,
    root_positions: ArrayLike,
    translations: ArrayLike | None = None,
) -> tuple[Floats, Floats]:
    """World rotations ``[..., joints, 4]`` and positions ``[..., joints, 3]``.

    Parameters
    ----------
    skeleton : gives parents and offsets.
    rotations : ``[..., joints, 4]`` in the parents' frames.
    root_positions : ``[..., 3]`` in the world.
    translations : ``[..., joints, 3]`` in place of the skeleton's offsets; row 0 is not used.
    """
    from kinesphere.motion.kinematics_kernels import world_pose

    rotations = np.asarray(rotations, dtype=np.float64)
    batch, joints = rotations.shape[:-2], len(skeleton)
    flat = np.ascontiguousarray(rotations.reshape(-1, joints, 4))
    roots = np.ascontiguousarray(np.broadcast_to(root_positions, (*batch, 3)), dtype=np.float64)
    offsets = skeleton.offsets if translations is None else translations
    moving = np.ascontiguousarray(np.asarray(offsets, dtype=np.float64).reshape(-1, joints, 3))
    world_rotations = np.empty_like(flat)
    world_positions = np.empty((len(flat), joints, 3))
    world_pose(
        skeleton.parents, moving, roots.reshape(-1, 3), flat, world_rotations, world_positions
    )
    return (world_rotations.reshape(*batch, joints, 4), world_positions.reshape(*batch, joints, 3))


def forward_kinematics_plain(
    skeleton: Skeleton,
    rotations: ArrayLike,
    root_positions: ArrayLike,
    translations: ArrayLike | None = None,
) -> tuple[Floats, Floats]:
    """Reference implementation of `forward_kinematics`, not compiled; for one pose."""
    rotations = np.asarray(rotations, dtype=np.float64)
    offsets = np.asarray(skeleton.offsets if translations is None else translations)
    world_rotations = np.empty_like(rotations)
    world_positions = np.empty((*rotations.shape[:-1], 3))
    world_rotations[..., 0, :] = rotations[..., 0, :]
    world_positions[..., 0, :] = root_positions
    for j in range(1, len(skeleton)):
        p = skeleton.parents[j]
        parent = world_rotations[..., p, :]
        world_rotations[..., j, :] = quaternion.multiply(parent, rotations[..., j, :])
        step = quaternion.rotate(parent, offsets[..., j, :])
        world_positions[..., j, :] = world_positions[..., p, :] + step
    return world_rotations, world_positions


def local_rotations(skeleton: Skeleton, world_rotations: ArrayLike) -> Floats:
    """Rotations in the parents' frames from world rotations ``[..., joints, 4]``."""
    world = np.asarray(world_rotations, dtype=np.float64)
    out = world.copy()
    out[..., 1:, :] = quaternion.relative(world[..., skeleton.parents[1:], :], world[..., 1:, :])
    return out


def tip_positions(
    skeleton: Skeleton, world_rotations: ArrayLike, world_positions: ArrayLike
) -> Floats:
    """World positions ``[..., tips, 3]`` of the skeleton's end points."""
    joints = [tip.joint for tip in skeleton.tips]
    offsets = np.array([tip.offset for tip in skeleton.tips]).reshape(-1, 3)
    rotations = np.asarray(world_rotations)[..., joints, :]
    return np.asarray(world_positions)[..., joints, :] + quaternion.rotate(rotations, offsets)


def velocities(positions: ArrayLike, fps: float) -> Floats:
    """Velocity of samples ``[frames, ...]``: central differences, one-sided at the ends."""
    x = np.asarray(positions, dtype=np.float64)
    if len(x) < 2:
        return np.zeros_like(x)
    return np.gradient(x, axis=0) * fps


def speeds(positions: ArrayLike, fps: float) -> Floats:
    """Speed ``[frames, ...]`` of positions ``[frames, ..., 3]``."""
    return np.asarray(np.linalg.norm(velocities(positions, fps), axis=-1))


def angular_velocities(rotations: ArrayLike, fps: float) -> Floats:
    """Angular velocity ``[frames, ..., 3]``, rad/s, in the frame the rotations are given in."""
    return quaternion.angular_velocity(rotations, 1.0 / fps)
