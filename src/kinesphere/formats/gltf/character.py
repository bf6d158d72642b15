"""A user's own character with our animation: the original file with one more animation.

Meshes, materials, textures and all extensions of a GLB or VRM file are copied byte for
byte; new numbers are appended to its buffer. Face channels drive the character's own expressions
(VRM 0 and 1) or, if it has none, morph targets with ARKit's or our names.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.formats.gltf.animation import XYZW, Tracks
from kinesphere.formats.gltf.gltf_document import GltfBuilder, GltfDocument
from kinesphere.formats.gltf.gltf_reading import GltfOrigin
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip

_VRM0_PRESETS = {
    "a": "aa",
    "i": "ih",
    "u": "ou",
    "e": "ee",
    "o": "oh",
    "blink": "blink",
    "blink_l": "blinkLeft",
    "blink_r": "blinkRight",
    "joy": "happy",
    "angry": "angry",
    "sorrow": "sad",
    "fun": "relaxed",
    "surprised": "surprised",
    "neutral": "neutral",
}
# Our shapes as combinations of ARKit's, for characters that have only those; {S} is both sides.
_ARKIT_PARTS: dict[str, dict[str, float]] = {
    "aa": {"jawOpen": 0.75},
    "ih": {"jawOpen": 0.25, "mouthStretch{S}": 0.3},
    "ou": {"mouthPucker": 0.8, "jawOpen": 0.15},
    "ee": {"mouthSmile{S}": 0.35, "jawOpen": 0.15},
    "oh": {"mouthFunnel": 0.7, "jawOpen": 0.4},
    "blink": {"eyeBlink{S}": 1.0},
    "blinkLeft": {"eyeBlinkLeft": 1.0},
    "blinkRight": {"eyeBlinkRight": 1.0},
    "happy": {"mouthSmile{S}": 0.8, "cheekSquint{S}": 0.4},
    "angry": {"browDown{S}": 0.9, "mouthPress{S}": 0.4},
    "sad": {"browInnerUp": 0.8, "mouthFrown{S}": 0.7},
    "relaxed": {"mouthSmile{S}": 0.25},
    "surprised": {"browInnerUp": 0.7, "browOuterUp{S}": 0.8, "eyeWide{S}": 0.7, "jawOpen": 0.35},
    "browUp": {"browInnerUp": 0.7, "browOuterUp{S}": 0.7},
    "browDown": {"browDown{S}": 0.8},
}
_ARKIT = {
    shape: {
        part.format(S=side): weight for part, weight in parts.items() for side in ("Left", "Right")
    }
    for shape, parts in _ARKIT_PARTS.items()
}

Binds = dict[str, list[tuple[int, int, float]]]


def character_bytes(clip: Clip, origin: GltfOrigin) -> bytes:
    """A GLB of the character with an animation.

    `clip` must be on the skeleton that was read from the character's file.
    """
    if not clip.skeleton.same_joints(origin.skeleton):
        raise InvalidValueError(
            "the clip does not move this character's skeleton; retarget it first"
        )
    document = origin.document
    if packed := document.packed_arrays:
        raise document.refuse(packed, "its mesh")
    builder = GltfBuilder("")
    builder.json = copy.deepcopy(document.json)
    _join_buffers(builder, document)
    before = builder.json.pop("animations", [])
    for old in filter(_is_ours, before):
        _cut_tail(builder, old["extras"].get("tail"))
    before = [a for a in before if not _is_ours(a)]
    _add_motion(builder, clip, origin)
    builder.json["animations"] += before
    return builder.glb()


def _join_buffers(builder: GltfBuilder, document: GltfDocument) -> None:
    """Put all buffers of a file, wherever they are, into the one of a binary file."""
    starts = []
    for data in document.buffers:
        builder.binary += b"\0" * (-len(builder.binary) % 4)
        starts.append(len(builder.binary))
        builder.binary += data
    for view in builder.json.get("bufferViews", []):
        start = starts[view.get("buffer", 0)]
        if start:
            view["buffer"], view["byteOffset"] = 0, view.get("byteOffset", 0) + start


def _cut_tail(builder: GltfBuilder, tail: Any) -> None:
    """Remove the numbers of an animation of ours: they were added last."""
    if not isinstance(tail, list) or not all(isinstance(x, int) and x >= 0 for x in tail):
        return
    accessors, views, size = tail
    if size <= len(builder.binary):
        del builder.json.get("accessors", [])[accessors:]
        del builder.json.get("bufferViews", [])[views:]
        del builder.binary[size:]


def _is_ours(animation: dict[str, Any]) -> bool:
    extras = animation.get("extras")
    return animation.get("name") == "take" and isinstance(extras, dict) and "fps" in extras


def holds_character(origin: object, clip: Clip) -> bool:
    """Whether a take's origin is a file with a mesh whose skeleton the clip moves."""
    if not isinstance(origin, GltfOrigin) or not clip.skeleton.same_joints(origin.skeleton):
        return False
    return any("mesh" in node for node in origin.document.items("nodes"))


def _add_motion(builder: GltfBuilder, clip: Clip, origin: GltfOrigin) -> None:
    tail = [len(builder.json.get(key, [])) for key in ("accessors", "bufferViews")]
    tail.append(len(builder.binary))
    tracks = Tracks(builder, clip)
    above = quaternion.inverse(origin.above_rotation)

    def turns_of(part: Clip) -> Floats:
        turns = np.array(part.rotations)
        turns[:, 0] = quaternion.multiply(above, turns[:, 0])
        return turns

    for node in origin.nodes:
        _plain_node(builder.json["nodes"][node])
    tracks.add_turns(origin.nodes, turns_of)
    moving = {0: clip.root_positions}
    moving.update({j: clip.translations[:, k] for k, j in enumerate(clip.translated_joints)})
    for j, path in moving.items():
        local = path / origin.metres
        if j == 0:
            back = quaternion.inverse(origin.above_rotation)
            local = quaternion.rotate(back, local - origin.above_position)
        tracks.add(origin.nodes[j], "translation", local / origin.scale[j], "VEC3")
    for node, weights in _face(origin.document, clip).items():
        tracks.add(node, "weights", weights.reshape(-1), "SCALAR", weights.shape[1])
    extras = {"fps": clip.fps, "channels": list(clip.channels), "tail": tail}
    builder.json["animations"] = [tracks.animation(**extras)]


def _plain_node(node: dict[str, Any]) -> None:
    """Animated nodes must not have a matrix: replace it by translation, rotation and scale."""
    from kinesphere.formats.gltf.gltf_reading import decompose_matrix

    if "matrix" in node:
        matrix = np.array(node.pop("matrix"), dtype=np.float64).reshape(4, 4).T
        place, turn, scale = decompose_matrix(matrix)
        node["translation"] = [float(x) for x in place]
        node["rotation"] = [float(x) for x in turn[XYZW]]
        node["scale"] = [float(x) for x in scale]


def face_binds(document: GltfDocument) -> Binds:
    """Morph targets of each of our face shapes: shape to (node, target, weight)."""
    try:
        binds = _vrm1_binds(document) or _vrm0_binds(document)
    except (KeyError, TypeError, AttributeError, ValueError):
        raise UnreadableError(None, "its expressions are incomplete", "extensions") from None
    named = _named_targets(document)
    for shape, parts in _ARKIT.items():
        if shape in binds:
            continue
        found = [(n, t, 1.0) for n, t in named.get(shape.lower(), [])]
        found = found or [
            (n, t, w) for part, w in parts.items() for n, t in named.get(part.lower(), [])
        ]
        if found:
            binds[shape] = found
    return binds


def _vrm1_binds(document: GltfDocument) -> Binds:
    vrm = (document.json.get("extensions") or {}).get("VRMC_vrm") or {}
    presets = (vrm.get("expressions") or {}).get("preset") or {}
    return {
        name: [
            (int(b["node"]), int(b["index"]), float(b["weight"])) for b in shape["morphTargetBinds"]
        ]
        for name, shape in presets.items()
        if shape.get("morphTargetBinds")
    }


def _vrm0_binds(document: GltfDocument) -> Binds:
    vrm = (document.json.get("extensions") or {}).get("VRM") or {}
    groups = (vrm.get("blendShapeMaster") or {}).get("blendShapeGroups") or []
    nodes_of: dict[int, list[int]] = {}
    for i, node in enumerate(document.items("nodes")):
        if isinstance(node.get("mesh"), int):
            nodes_of.setdefault(node["mesh"], []).append(i)
    binds: Binds = {}
    for group in groups:
        shape = _VRM0_PRESETS.get(str(group.get("presetName", "")).lower())
        found = [
            (node, int(b["index"]), float(b["weight"]) / 100.0)
            for b in group.get("binds") or []
            for node in nodes_of.get(int(b["mesh"]), [])
        ]
        if shape and found:
            binds[shape] = found
    return binds


def _named_targets(document: GltfDocument) -> dict[str, list[tuple[int, int]]]:
    """Morph targets by lower-case name: (node, index)."""
    out: dict[str, list[tuple[int, int]]] = {}
    for i, node in enumerate(document.items("nodes")):
        if not isinstance(node.get("mesh"), int):
            continue
        extras = document.item("meshes", node["mesh"], f"nodes[{i}]").get("extras")
        names = extras.get("targetNames", []) if isinstance(extras, dict) else []
        for k, name in enumerate(names if isinstance(names, list) else []):
            out.setdefault(str(name).lower(), []).append((i, k))
    return out


def _face(document: GltfDocument, clip: Clip) -> dict[int, Floats]:
    """Weights ``[frames, targets]`` of every node whose face moves."""
    out: dict[int, Floats] = {}
    for shape, parts in face_binds(document).items():
        if shape not in clip.channels:
            continue
        for node, target, weight in parts:
            count = _target_count(document, node)
            if not 0 <= target < count:
                raise UnreadableError(None, f"binds target {target} of {count}", f"nodes[{node}]")
            table = out.setdefault(node, np.zeros((len(clip), count)))
            table[:, target] += weight * clip.channels[shape]
    return {node: np.clip(table, 0.0, 1.0) for node, table in out.items()}


def _target_count(document: GltfDocument, node: int) -> int:
    entry = document.item("nodes", node, "extensions")
    mesh = document.item("meshes", entry.get("mesh"), f"nodes[{node}]")
    primitives = mesh.get("primitives") or [{}]
    return len(primitives[0].get("targets") or [])
