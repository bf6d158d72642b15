"""Figures as GLB: written with a clip or without, and read back.

Body and face are two meshes on one skin: face shapes are morph targets of the face alone, stored
sparsely, under their names (VRM's preset names for our own figure). Colours are vertex colours.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinesphere.character.default import default_skeleton
from kinesphere.character.figure import Figure
from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.formats.gltf.animation import add_animation, add_skeleton
from kinesphere.formats.gltf.gltf_document import GltfBuilder, parse_document
from kinesphere.formats.gltf.gltf_reading import GltfOrigin, take_of
from kinesphere.formats.gltf.mesh import figure_of
from kinesphere.maths.arrays import Bools, Floats, Ints
from kinesphere.motion.clip import Clip

_ARRAY_BUFFER, _ELEMENT_BUFFER = 34962, 34963
_MOVES = 1e-6


def figure_bytes(figure: Figure, clip: Clip | None = None) -> bytes:
    """A binary glTF file of a figure, with an animation if a clip is given."""
    return b"".join(figure_pieces(figure, clip))


def figure_pieces(figure: Figure, clip: Clip | None = None) -> list[bytes | bytearray]:
    """The file of `figure_bytes` in chunks; see `GltfBuilder.pieces`."""
    from kinesphere import __version__

    if clip is not None and not clip.skeleton.same_joints(figure.skeleton):
        raise InvalidValueError(
            "the clip belongs to another skeleton than the figure; retarget it first"
        )
    builder = GltfBuilder(f"Kinesphere {__version__}")
    skin = add_skeleton(builder, figure.skeleton)
    # Channels without a shape in the face are stored as shapes without effect.
    shapes = list(figure.morphs)
    shapes += [name for name in (clip.channels if clip else ()) if name not in figure.morphs]
    material = builder.add("materials", _MATERIAL)
    face = _face_vertices(figure)
    roots = [0]
    face_node = None
    for name, chosen in (("body", ~face), ("face", face)):
        if not chosen.any():
            continue
        mesh = _mesh(builder, figure, chosen, name, material, shapes if name == "face" else [])
        node = builder.add("nodes", {"name": name, "mesh": mesh, "skin": skin})
        roots.append(node)
        face_node = node if name == "face" else face_node
    builder.json["scenes"] = [{"nodes": roots}]
    builder.json["scene"] = 0
    if clip is not None:
        add_animation(builder, clip, face_node, shapes)
    return builder.pieces()


_MATERIAL: dict[str, Any] = {
    "name": "shell",
    "pbrMetallicRoughness": {
        "baseColorFactor": [1.0, 1.0, 1.0, 1.0],
        "metallicFactor": 0.0,
        "roughnessFactor": 0.48,
    },
}


def _face_vertices(figure: Figure) -> Bools:
    """Vertices of all connected components that any face shape moves, so that none is torn."""
    moves = np.zeros(len(figure.positions), dtype=np.bool_)
    for shape in figure.morphs.values():
        moves |= np.abs(shape).max(axis=1) > _MOVES
    piece = _pieces(figure)
    return np.isin(piece, np.unique(piece[moves]))


def _pieces(figure: Figure) -> Ints:
    """Number of the connected component that each vertex belongs to."""
    label = np.arange(len(figure.positions))
    while True:
        low = label[figure.triangles].min(axis=1)
        new = label.copy()
        for k in range(3):
            np.minimum.at(new, figure.triangles[:, k], low)
        new = new[new]
        if np.array_equal(new, label):
            return label
        label = new


def _mesh(
    builder: GltfBuilder, figure: Figure, chosen: Bools, name: str, material: int, shapes: list[str]
) -> int:
    order = np.flatnonzero(chosen)
    index = np.full(len(chosen), -1)
    index[order] = np.arange(len(order))
    triangles = index[figure.triangles[chosen[figure.triangles].all(axis=1)]]
    joints, weights = _four(figure, order)
    colours = np.concatenate([figure.colours[order], np.ones((len(order), 1))], axis=1)

    def vertices(values: NDArray[Any], kind: str, **options: Any) -> int:
        return builder.array(values, kind, target=_ARRAY_BUFFER, **options)

    single = np.float32
    primitive: dict[str, Any] = {
        "attributes": {
            "POSITION": vertices(figure.positions[order].astype(single), "VEC3", bounds=True),
            "NORMAL": vertices(_unit(figure.normals[order]), "VEC3"),
            "COLOR_0": vertices(_bytes(colours), "VEC4", normalized=True),
            "JOINTS_0": vertices(joints, "VEC4"),
            "WEIGHTS_0": vertices(weights, "VEC4"),
        },
        "indices": builder.array(
            triangles.reshape(-1).astype(np.uint16 if len(order) < 65536 else np.uint32),
            "SCALAR",
            target=_ELEMENT_BUFFER,
        ),
        "material": material,
    }
    mesh: dict[str, Any] = {"name": name, "primitives": [primitive]}
    if shapes:
        still = np.zeros((len(order), 3))
        primitive["targets"] = []
        for shape in shapes:
            moved = figure.morphs[shape][order] if shape in figure.morphs else still
            stored = builder.sparse(moved.astype(single), "VEC3")
            primitive["targets"].append({"POSITION": stored})
        mesh["weights"] = [0.0] * len(shapes)
        mesh["extras"] = {"targetNames": shapes}
    return builder.add("meshes", mesh)


def _unit(values: Floats) -> NDArray[np.float32]:
    length = np.linalg.norm(values, axis=1, keepdims=True)
    safe = np.where(length > 1e-6, values / np.maximum(length, 1e-12), [0.0, 1.0, 0.0])
    return np.asarray(safe, dtype=np.float32)


def _bytes(values: Floats) -> NDArray[np.uint8]:
    return np.asarray(np.round(np.clip(values, 0.0, 1.0) * 255.0), dtype=np.uint8)


def _four(figure: Figure, order: Ints) -> tuple[NDArray[Any], NDArray[np.float32]]:
    """The four strongest joints of each vertex, weights summing to one."""
    kind = np.uint8 if len(figure.skeleton) < 256 else np.uint16
    joints = np.zeros((len(order), 4), dtype=kind)
    weights = np.zeros((len(order), 4), dtype=np.float32)
    best = np.argsort(-figure.weights[order], axis=1, kind="stable")[:, :4]
    width = best.shape[1]
    picked = np.take_along_axis(figure.weights[order], best, axis=1)
    picked = picked / picked.sum(axis=1, keepdims=True)
    joints[:, :width] = np.where(
        picked > 0, np.take_along_axis(figure.joints[order], best, axis=1), 0
    )
    weights[:, :width] = picked
    return joints, weights


@cache
def default_figure() -> Figure:
    """The default character's figure, stored by ``python -m tools.mannequin``."""
    stored = files("kinesphere.character").joinpath("data/mannequin.glb")
    figure = parse_figure(stored.read_bytes())
    return replace(figure, skeleton=default_skeleton())


def parse_figure(data: bytes) -> Figure:
    """Read all meshes of a GLB file that a skeleton moves as one figure."""
    take = take_of(parse_document(data), unit="m")
    if not isinstance(take.origin, GltfOrigin):
        raise UnreadableError(None, "has no skeleton", "skins")
    return figure_of(take.origin)
