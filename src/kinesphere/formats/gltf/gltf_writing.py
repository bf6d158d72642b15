"""Writing a clip as GLB: on its own character, the default one, or a stick figure."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinesphere.character.default import default_skeleton
from kinesphere.character.figure import Figure
from kinesphere.formats.files import write_atomically
from kinesphere.formats.gltf.animation import add_animation, add_skeleton
from kinesphere.formats.gltf.character import character_bytes, holds_character
from kinesphere.formats.gltf.gltf_document import GltfBuilder
from kinesphere.formats.gltf.gltf_reading import GltfOrigin
from kinesphere.formats.gltf.stored_figure import default_figure, figure_pieces
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.motion.skeleton import Skeleton
from kinesphere.motion.take import Take

_ARRAY_BUFFER, _ELEMENT_BUFFER = 34962, 34963


def write_glb(take: Take, path: str | PathLike[str]) -> None:
    """Write a take as a binary glTF file."""
    pieces = glb_pieces(take)
    with write_atomically(path) as file:
        for piece in pieces:
            file.write(piece)


def glb_bytes(take: Take) -> bytes:
    """A binary glTF file of a take."""
    return b"".join(glb_pieces(take))


def glb_pieces(take: Take) -> list[bytes | bytearray]:
    """A binary glTF file of a take in chunks; see `GltfBuilder.pieces`."""
    from kinesphere import __version__

    clip = take.clip
    origin = take.origin
    if isinstance(origin, GltfOrigin) and holds_character(origin, clip):
        return [character_bytes(clip, origin)]
    if is_default(clip):
        return figure_pieces(default_figure(), clip)
    builder = GltfBuilder(f"Kinesphere {__version__}")
    skeleton = clip.skeleton
    skin = add_skeleton(builder, skeleton)
    mesh = _figure(builder, skeleton, list(clip.channels))
    figure = builder.add("nodes", {"name": "figure", "mesh": mesh, "skin": skin})
    builder.json["scenes"] = [{"nodes": [0, figure]}]
    builder.json["scene"] = 0
    bones = take.provenance.get("humanoid")
    add_animation(builder, clip, figure, list(clip.channels), bones)
    return builder.pieces()


def is_default(clip: Clip) -> bool:
    """Whether the clip moves the default character; end points may be missing."""
    ours, other = default_skeleton(), clip.skeleton
    return ours.same_joints(other) and bool(np.allclose(ours.offsets, other.offsets, atol=1e-5))


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
        # Channels are stored as weights of shapes that this stick figure does not have.
        still = np.zeros_like(positions)
        shape = builder.array(still, "VEC3", bounds=True, target=_ARRAY_BUFFER)
        primitive["targets"] = [{"POSITION": shape} for _ in channels]
        mesh["weights"] = [0.0] * len(channels)
        mesh["extras"] = {"targetNames": channels}
    return builder.add("meshes", mesh)


def stick_figure(skeleton: Skeleton) -> Figure:
    """A stick figure for any skeleton: a slim octahedron for every bone."""
    points, directions, owners = _octahedra(skeleton)
    count = len(points)
    colours = np.broadcast_to([0.70, 0.64, 0.54], (count, 3))
    triangles = np.arange(count).reshape(-1, 3)
    joints, weights = np.array(owners)[:, None], np.ones((count, 1))
    places, normals = points.astype(np.float64), directions.astype(np.float64)
    return Figure(skeleton, places, normals, colours, triangles, joints, weights)


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
    """Eight triangles ``[24, 3]`` around a bone, widest near its start; None for zero length."""
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
    """A visible shape for a skeleton of one joint."""
    faces = _octahedron(place, place + np.array([0.0, 0.1, 0.0]))
    return faces if faces is not None else np.zeros((24, 3))
