"""A visible body: a skinned mesh on a skeleton, with face shapes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, Ints, frozen_floats, read_only
from kinesphere.motion.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class Figure:
    """A mesh that moves with a skeleton.

    Parameters
    ----------
    skeleton : the joints that move it; the mesh is given in the skeleton's rest pose.
    positions, normals : ``[vertices, 3]`` in the world, metres and unit vectors.
    colours : ``[vertices, 3]`` linear RGB in [0, 1].
    triangles : ``[triangles, 3]`` vertex indices, counter-clockwise from outside.
    joints, weights : ``[vertices, k]`` which joints move a vertex and how much; weights sum to 1.
    morphs : face shape name to displacements ``[vertices, 3]``.
    """

    skeleton: Skeleton
    positions: Floats
    normals: Floats
    colours: Floats
    triangles: Ints
    joints: Ints
    weights: Floats
    morphs: Mapping[str, Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        count = len(self.positions)
        for name in ("positions", "normals", "colours"):
            values = frozen_floats(getattr(self, name), name, (count, 3))
            object.__setattr__(self, name, values)
        triangles = np.ascontiguousarray(self.triangles, dtype=np.int64)
        joints = np.ascontiguousarray(self.joints, dtype=np.int64)
        if triangles.ndim != 2 or triangles.shape[1] != 3:
            raise InvalidValueError(f"triangles have shape {triangles.shape}, expected (any, 3)")
        if len(triangles) and not 0 <= int(triangles.min()) <= int(triangles.max()) < count:
            raise InvalidValueError("a triangle names a vertex that does not exist")
        if joints.ndim != 2 or len(joints) != count:
            raise InvalidValueError(f"joints have shape {joints.shape}, expected ({count}, any)")
        if count and not 0 <= int(joints.min()) <= int(joints.max()) < len(self.skeleton):
            raise InvalidValueError("a vertex belongs to a joint that does not exist")
        weights = frozen_floats(self.weights, "weights", joints.shape)
        object.__setattr__(self, "triangles", read_only(triangles))
        object.__setattr__(self, "joints", read_only(joints))
        object.__setattr__(self, "weights", weights)
        morphs = {
            name: frozen_floats(values, f"morph {name!r}", (count, 3))
            for name, values in self.morphs.items()
        }
        object.__setattr__(self, "morphs", MappingProxyType(morphs))


def pose_mesh(
    figure: Figure,
    world_rotations: ArrayLike,
    world_positions: ArrayLike,
    face: Mapping[str, float] | None = None,
) -> tuple[Floats, Floats]:
    """Positions and normals ``[vertices, 3]`` of a figure in one pose.

    Parameters
    ----------
    figure : the mesh.
    world_rotations, world_positions : ``[joints, 4]`` and ``[joints, 3]`` of its skeleton.
    face : weight of each morph, usually in [0, 1]; unknown names are ignored.
    """
    skeleton = figure.skeleton
    rest_turn, rest_place = skeleton.rest_world_rotations, skeleton.rest_world_positions
    turn = quaternion.to_matrix(quaternion.multiply(world_rotations, quaternion.inverse(rest_turn)))
    shift = np.asarray(world_positions, float) - np.einsum("jab,jb->ja", turn, rest_place)
    points = figure.positions
    for name, weight in (face or {}).items():
        if weight and name in figure.morphs:
            points = points + weight * figure.morphs[name]
    moved = np.zeros_like(points)
    normals = np.zeros_like(points)
    for k in range(figure.joints.shape[1]):
        joint, share = figure.joints[:, k], figure.weights[:, k : k + 1]
        if not share.any():
            continue
        moved += share * (np.einsum("vab,vb->va", turn[joint], points) + shift[joint])
        normals += share * np.einsum("vab,vb->va", turn[joint], figure.normals)
    return moved, normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
