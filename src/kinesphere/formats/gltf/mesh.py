"""Meshes of glTF characters as figures: skinned ones, and rigid ones attached to a joint.

Vertices are transformed to the rest pose of the skeleton that was read. Materials become vertex
colours: the base colour factor times the vertex colour. Textures are not read; a textured material
is drawn in a plain grey.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinesphere.character.figure import Figure
from kinesphere.errors import UnreadableError
from kinesphere.formats.gltf.gltf_document import GltfDocument
from kinesphere.formats.gltf.gltf_reading import GltfOrigin, node_matrices
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.motion.skeleton import Skeleton

_TEXTURED = np.array([0.45, 0.43, 0.41])
_Piece = dict[str, Any]


def figure_of(origin: GltfOrigin) -> Figure:
    """All meshes of a file that its skeleton moves, as one figure.

    Raises
    ------
    UnreadableError
        If there is none, or a mesh is damaged.
    """
    document = origin.document
    check_meshes(document)
    world = node_matrices(document)
    joint_of = {node: j for j, node in enumerate(origin.nodes)}
    parents = _parents(document)
    pieces: list[_Piece] = []
    for i, node in enumerate(document.items("nodes")):
        if not isinstance(node.get("mesh"), int):
            continue
        try:
            pieces += _meshes_of(document, i, node, world, joint_of, parents)
        except (KeyError, TypeError, IndexError, ValueError):
            raise UnreadableError(None, "its mesh is incomplete", f"nodes[{i}]") from None
    if not pieces:
        raise UnreadableError(None, "has no mesh that the skeleton moves", "meshes")
    return _join(origin, pieces)


def figure_if_any(origin: object, skeleton: Skeleton) -> Figure | None:
    """The figure of a take's origin; None if it has no mesh that can be read for that skeleton."""
    if not isinstance(origin, GltfOrigin) or not skeleton.same_joints(origin.skeleton):
        return None
    if origin.document.packed_meshes:
        return None
    try:
        return figure_of(origin)
    except UnreadableError:
        return None


def check_meshes(document: GltfDocument) -> None:
    """Reject a file whose meshes are compressed, so that they could not be shown."""
    if packed := document.packed_meshes:
        raise document.refuse(packed, "its mesh")


def _parents(document: GltfDocument) -> dict[int, int]:
    return {c: i for i, n in enumerate(document.items("nodes")) for c in n.get("children", [])}


def _meshes_of(
    document: GltfDocument,
    index: int,
    node: dict[str, Any],
    world: Floats,
    joint_of: dict[int, int],
    parents: dict[int, int],
) -> list[_Piece]:
    mesh = document.item("meshes", node["mesh"], f"nodes[{index}]")
    extras = mesh.get("extras")
    shapes = extras.get("targetNames", []) if isinstance(extras, dict) else []
    skin = _skin(document, node, world, joint_of) if "skin" in node else None
    carrier = None if skin is not None else _carrier(index, joint_of, parents)
    if skin is None and carrier is None:
        return []
    out = []
    for primitive in mesh["primitives"]:
        if primitive.get("mode", 4) != 4:
            continue
        piece = _primitive(document, primitive, shapes, f"meshes[{node['mesh']}]")
        if skin is not None:
            out.append(_apply_skin(document, primitive, piece, *skin))
        else:
            out.append(_carry(piece, world[index], carrier or 0))
    return out


def _carrier(index: int, joint_of: dict[int, int], parents: dict[int, int]) -> int | None:
    """Joint that a rigid mesh is attached to."""
    while index not in joint_of:
        if index not in parents:
            return None
        index = parents[index]
    return joint_of[index]


def _skin(
    document: GltfDocument, node: dict[str, Any], world: Floats, joint_of: dict[int, int]
) -> tuple[Floats, Ints] | None:
    """Matrices from the mesh to the world at rest, and our joints, for each joint of a skin."""
    skin = document.item("skins", node["skin"], "nodes")
    nodes = [int(j) for j in skin["joints"]]
    if any(j not in joint_of for j in nodes):
        return None
    bind = np.tile(np.eye(4), (len(nodes), 1, 1))
    if "inverseBindMatrices" in skin:
        columns = document.array(skin["inverseBindMatrices"], "skins")
        bind = columns.reshape(-1, 4, 4).transpose(0, 2, 1)
    return world[nodes] @ bind, np.array([joint_of[j] for j in nodes])


def _primitive(
    document: GltfDocument, primitive: dict[str, Any], shapes: list[str], place: str
) -> _Piece:
    attributes = primitive["attributes"]
    points = document.array(attributes["POSITION"], place)
    count = len(points)
    colours = np.ones((count, 3))
    if "COLOR_0" in attributes:
        colours = document.array(attributes["COLOR_0"], place)[:, :3]
    indices = np.arange(count)
    if "indices" in primitive:
        indices = document.array(primitive["indices"], place).astype(np.int64)
    triangles = indices[: len(indices) // 3 * 3].reshape(-1, 3)
    pairs = zip(shapes, primitive.get("targets", []), strict=False)
    targets = [(str(n), t["POSITION"]) for n, t in pairs if "POSITION" in t]
    normals = np.zeros((count, 3))
    if "NORMAL" in attributes:
        normals = document.array(attributes["NORMAL"], place)
    else:
        corners = points[triangles]
        face = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        for k in range(3):
            np.add.at(normals, triangles[:, k], face)
    return {
        "positions": points,
        "normals": normals,
        "colours": np.clip(colours * _base_colour(document, primitive), 0.0, 1.0),
        "triangles": triangles,
        "morphs": {n: document.array(t, place) for n, t in targets},
    }


def _base_colour(document: GltfDocument, primitive: dict[str, Any]) -> Floats:
    if "material" not in primitive:
        return np.full(3, 0.6)
    material = document.item("materials", primitive["material"], "meshes")
    surface = material.get("pbrMetallicRoughness", {})
    factor = np.array(surface.get("baseColorFactor", [1, 1, 1, 1])[:3], dtype=np.float64)
    return factor * _TEXTURED if "baseColorTexture" in surface else factor


def _apply_skin(
    document: GltfDocument, primitive: dict[str, Any], piece: _Piece, matrices: Floats, joints: Ints
) -> _Piece:
    attributes = primitive["attributes"]
    slots = document.array(attributes["JOINTS_0"], "meshes").astype(np.int64)
    weights = document.array(attributes["WEIGHTS_0"], "meshes")
    total = weights.sum(axis=1, keepdims=True)
    weights = np.where(total > 0, weights / np.where(total > 0, total, 1.0), [1.0, 0.0, 0.0, 0.0])
    mixed = np.einsum("vk,vkab->vab", weights, matrices[slots])
    return {**_transform(piece, mixed), "joints": joints[slots], "weights": weights}


def _carry(piece: _Piece, matrix: Floats, joint: int) -> _Piece:
    count = len(piece["positions"])
    joints, weights = np.zeros((count, 4), dtype=np.int64), np.zeros((count, 4))
    joints[:, 0], weights[:, 0] = joint, 1.0
    moved = _transform(piece, np.broadcast_to(matrix, (count, 4, 4)))
    return {**moved, "joints": joints, "weights": weights}


def _transform(piece: _Piece, matrices: Floats) -> _Piece:
    """Positions, normals and shapes transformed by one matrix per vertex."""
    linear = matrices[:, :3, :3]
    positions = np.einsum("vab,vb->va", linear, piece["positions"]) + matrices[:, :3, 3]
    normals = np.einsum("vab,vb->va", linear, piece["normals"])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    morphs = {n: np.einsum("vab,vb->va", linear, d) for n, d in piece["morphs"].items()}
    return {**piece, "positions": positions, "normals": normals, "morphs": morphs}


def _join(origin: GltfOrigin, pieces: list[_Piece]) -> Figure:
    names = list(dict.fromkeys(n for p in pieces for n in p["morphs"]))
    offset, triangles = 0, []
    for p in pieces:
        triangles.append(p["triangles"] + offset)
        offset += len(p["positions"])
    stack = {
        key: np.concatenate([p[key] for p in pieces])
        for key in ("positions", "normals", "colours", "joints", "weights")
    }
    stack["positions"] = stack["positions"] * origin.metres
    morphs = {
        name: origin.metres
        * np.concatenate([p["morphs"].get(name, np.zeros_like(p["positions"])) for p in pieces])
        for name in names
    }
    return Figure(origin.skeleton, triangles=np.concatenate(triangles), morphs=morphs, **stack)
