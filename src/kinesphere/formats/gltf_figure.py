"""Writing a clip as GLB: the skeleton, a simple skinned figure, one animation."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinesphere.formats.files import written_whole
from kinesphere.formats.gltf import GltfBuilder
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.motion.skeleton import Skeleton
from kinesphere.motion.take import Take

_XYZW = [1, 2, 3, 0]
_ARRAY_BUFFER, _ELEMENT_BUFFER = 34962, 34963
_STILL = 1e-7


def write_glb(take: Take, path: str | PathLike[str]) -> None:
    """Write a take as a binary glTF file."""
    data = glb_bytes(take)
    with written_whole(path) as file:
        file.write(data)


def glb_bytes(take: Take) -> bytes:
    """Return a binary glTF file of a take."""
    from kinesphere import __version__

    clip = take.clip
    builder = GltfBuilder(f"Kinesphere {__version__}")
    skeleton = clip.skeleton
    for joint in range(len(skeleton)):
        builder.add("nodes", _joint_node(skeleton, joint))
    mesh = _figure(builder, skeleton, list(clip.channels))
    skin = builder.add("skins", _skin(builder, skeleton))
    figure = builder.add("nodes", {"name": "figure", "mesh": mesh, "skin": skin})
    builder.json["scenes"] = [{"nodes": [0, figure]}]
    builder.json["scene"] = 0
    builder.add("animations", _animation(builder, clip, figure))
    return builder.glb()


def _joint_node(skeleton: Skeleton, joint: int) -> dict[str, Any]:
    node: dict[str, Any] = {"name": skeleton.names[joint]}
    if skeleton.children[joint]:
        node["children"] = list(skeleton.children[joint])
    if np.any(skeleton.offsets[joint]):
        node["translation"] = [float(x) for x in skeleton.offsets[joint]]
    rest = skeleton.rest_rotations[joint]
    if np.any(rest[1:]):
        node["rotation"] = [float(x) for x in rest[_XYZW]]
    return node


def _skin(builder: GltfBuilder, skeleton: Skeleton) -> dict[str, Any]:
    """Inverse bind matrices: the world seen from every joint at rest, column by column."""
    turn = quaternion.to_matrix(quaternion.inverse(skeleton.rest_world_rotations))
    matrices = np.zeros((len(skeleton), 4, 4))
    matrices[:, :3, :3] = turn
    matrices[:, :3, 3] = -np.einsum("jab,jb->ja", turn, skeleton.rest_world_positions)
    matrices[:, 3, 3] = 1.0
    columns = matrices.transpose(0, 2, 1).reshape(-1, 16).astype(np.float32)
    return {
        "joints": list(range(len(skeleton))),
        "inverseBindMatrices": builder.array(columns, "MAT4"),
        "skeleton": 0,
    }


def _figure(builder: GltfBuilder, skeleton: Skeleton, channels: list[str]) -> int:
    """Add a mesh with a slim octahedron for every bone, moved by the bone's upper joint."""
    positions, normals, owners = _octahedra(skeleton)
    weights = np.zeros((len(owners), 4), dtype=np.float32)
    weights[:, 0] = 1.0
    joints = np.zeros((len(owners), 4), dtype=np.uint8 if len(skeleton) < 256 else np.uint16)
    joints[:, 0] = owners
    primitive: dict[str, Any] = {
        "attributes": {
            "POSITION": builder.array(positions, "VEC3", bounds=True, target=_ARRAY_BUFFER),
            "NORMAL": builder.array(normals, "VEC3", target=_ARRAY_BUFFER),
            "JOINTS_0": builder.array(joints, "VEC4", target=_ARRAY_BUFFER),
            "WEIGHTS_0": builder.array(weights, "VEC4", target=_ARRAY_BUFFER),
        },
        "indices": builder.array(
            np.arange(len(owners), dtype=np.uint32), "SCALAR", target=_ELEMENT_BUFFER
        ),
        "material": builder.add(
            "materials",
            {
                "name": "bone",
                "pbrMetallicRoughness": {
                    "baseColorFactor": [0.86, 0.82, 0.75, 1.0],
                    "metallicFactor": 0.0,
                    "roughnessFactor": 0.7,
                },
            },
        ),
    }
    mesh: dict[str, Any] = {"name": "figure", "primitives": [primitive]}
    if channels:
        # Curves travel as weights of shapes that this plain figure does not have.
        still = np.zeros_like(positions)
        shape = builder.array(still, "VEC3", bounds=True, target=_ARRAY_BUFFER)
        primitive["targets"] = [{"POSITION": shape} for _ in channels]
        mesh["weights"] = [0.0] * len(channels)
        mesh["extras"] = {"targetNames": channels}
    return builder.add("meshes", mesh)


def _octahedra(skeleton: Skeleton) -> tuple[NDArray[np.float32], NDArray[np.float32], list[int]]:
    places, rotations = skeleton.rest_world_positions, skeleton.rest_world_rotations
    bones = [(int(p), places[j]) for j, p in enumerate(skeleton.parents) if p >= 0]
    bones += [
        (t.joint, places[t.joint] + quaternion.rotate(rotations[t.joint], t.offset))
        for t in skeleton.tips
    ]
    corners, owners = [], []
    for joint, end in bones:
        faces = _octahedron(places[joint], end)
        if faces is not None:
            corners.append(faces)
            owners += [joint] * len(faces)
    if not corners:
        corners, owners = [_cube_corner(places[0])], [0] * 24
    points = np.concatenate(corners).astype(np.float32)
    triangles = points.reshape(-1, 3, 3).astype(np.float64)
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    return points, np.repeat(normal, 3, axis=0).astype(np.float32), owners


def _octahedron(start: Floats, end: Floats) -> Floats | None:
    """Eight triangles ``[24, 3]`` around a bone, widest near its start; None without length."""
    along = end - start
    length = float(np.linalg.norm(along))
    if length < 1e-3:
        return None
    turn = quaternion.between([0.0, 1.0, 0.0], along)
    radius = min(0.14 * length, 0.025)
    ring = np.array([[1, 0, 0], [0, 0, 1], [-1, 0, 0], [0, 0, -1]], float) * radius
    ring[:, 1] = min(0.2 * length, 0.04)
    tip, foot = np.array([0.0, length, 0.0]), np.zeros(3)
    faces = []
    for i in range(4):
        a, b = ring[i], ring[(i + 1) % 4]
        faces += [a, tip, b, b, foot, a]
    return start + quaternion.rotate(turn, np.array(faces))


def _cube_corner(place: Floats) -> Floats:
    """Something to see for a skeleton of one joint."""
    faces = _octahedron(place, place + np.array([0.0, 0.1, 0.0]))
    return faces if faces is not None else np.zeros((24, 3))


def _animation(builder: GltfBuilder, clip: Clip, figure: int) -> dict[str, Any]:
    times = np.arange(len(clip)) / clip.fps
    every = builder.array(times.astype(np.float32), "SCALAR", bounds=True)
    once = builder.array(np.zeros(1, np.float32), "SCALAR", bounds=True)
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []

    def add(node: int, path: str, values: NDArray[Any], kind: str, rows: int = 1) -> None:
        still = len(values) > rows and np.ptp(values.reshape(len(clip), -1), axis=0).max() < _STILL
        kept = values[:rows] if still else values
        samplers.append(
            {
                "input": once if still else every,
                "output": builder.array(kept.astype(np.float32), kind),
                "interpolation": "LINEAR",
            }
        )
        channels.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": path}})

    turns = quaternion.unroll(quaternion.normalise(clip.rotations))[..., _XYZW]
    for joint in range(len(clip.skeleton)):
        add(joint, "rotation", np.ascontiguousarray(turns[:, joint]), "VEC4")
    add(0, "translation", clip.root_positions, "VEC3")
    for k, joint in enumerate(clip.translated_joints):
        add(joint, "translation", clip.translations[:, k], "VEC3")
    if clip.channels:
        table = np.stack(list(clip.channels.values()), axis=1)
        add(figure, "weights", table.reshape(-1), "SCALAR", table.shape[1])
    return {"name": "take", "samplers": samplers, "channels": channels, "extras": {"fps": clip.fps}}
