"""Skeletons and animations of glTF files: .glb, .gltf, .vrm.

Reading folds the scales of nodes into lengths and the transforms above the skeleton into its
root. Writing makes a file with the skeleton, a simple skinned figure, and one animation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from kinesphere.character.naming import identify
from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.formats.gltf.gltf_document import (
    UNPACKING,
    GltfDocument,
    numbers,
    read_document,
    whole,
)
from kinesphere.formats.gltf.sampling import ChannelTrack, sample_track
from kinesphere.formats.units import named_unit, recognised_unit
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.maths.bounds import check_range
from kinesphere.motion.clip import Clip, rest_clip
from kinesphere.motion.measure import body_height
from kinesphere.motion.skeleton import Skeleton
from kinesphere.motion.take import Take

_WXYZ = [3, 0, 1, 2]
_MOST_VALUES = 400_000_000
_VRM0_RENAMED = {"ThumbProximal": "ThumbMetacarpal", "ThumbIntermediate": "ThumbProximal"}


@dataclass(frozen=True)
class _Nodes:
    """Rest transforms of all nodes: parents, translations, rotations wxyz and scales."""

    names: list[str]
    parents: list[int]
    translations: Floats
    rotations: Floats
    scales: Floats


@dataclass(frozen=True)
class _Layout:
    """Nodes that become joints, and the transforms folded into them.

    `scale[j]` multiplies the translation of joint j; `above` is the rigid transform of the nodes
    above the root.
    """

    joints: list[int]
    skeleton: Skeleton
    scale: Floats
    above_rotation: Floats
    above_position: Floats


@dataclass(frozen=True)
class GltfOrigin:
    """Data of the glTF file that a take was read from, so that motion can be written back into it.

    `nodes[j]` is the node of joint j; `scale[j]` multiplied its translation; `above_rotation` and
    `above_position` are the transform of the nodes above the root, in the file's unit.
    """

    document: GltfDocument
    skeleton: Skeleton
    nodes: tuple[int, ...]
    scale: Floats
    above_rotation: Floats
    above_position: Floats
    metres: float


def read_gltf(
    path: str | PathLike[str],
    *,
    unit: str = "auto",
    animation: int | str = 0,
    fps: float | None = None,
) -> Take:
    """Read the skeleton and one animation of a glTF file as a take.

    Parameters
    ----------
    path : .glb, .gltf, .vrm or .vrma.
    unit : ``auto`` (metres, as in the standard, unless the body would be implausible), or a unit.
    animation : number or name; ``none``, or a file without any, gives one frame of the rest pose.
    fps : sampling rate; by default that of the file's own keys.
    """
    document = read_document(path)
    try:
        return take_of(document, unit=unit, animation=animation, fps=fps)
    except UnreadableError as error:
        raise error.at(path) from None


def take_of(
    document: GltfDocument,
    *,
    unit: str = "auto",
    animation: int | str = 0,
    fps: float | None = None,
) -> Take:
    """Convert a document to motion; see `read_gltf`."""
    notes: list[str] = []
    if fps is not None:
        check_range("fps", fps, 1e-3, 1e5)
    if packed := document.packed_meshes:
        notes.append(
            f"its mesh is compressed with {packed}, so pages, pictures and video cannot show it; "
            f"{UNPACKING}"
        )
    nodes = _nodes(document)
    chosen = _animation(document, animation)
    tracks = _tracks(document, chosen, nodes) if chosen is not None else []
    layout = _layout(document, nodes, tracks, notes)
    bones = humanoid_nodes(document, layout.joints) or _own_bones(document, chosen, layout)
    clip = _clip(document, nodes, layout, tracks, chosen, fps, notes)
    report = identify(clip.skeleton, clip.rotations, bones)
    height = body_height(report.rig)
    metres = named_unit(unit).metres if unit != "auto" else 1.0
    if unit == "auto" and height > 0 and not 0.3 <= height <= 4.0:
        found = recognised_unit(height)
        metres = found.metres
        notes.append(found.note)
    clip = scaled_clip(clip, metres)
    names = [str(a.get("name", i)) for i, a in enumerate(document.items("animations"))]
    provenance: dict[str, Any] = {
        "format": "gltf",
        "unit_m": metres,
        "animations": names,
        "convention": report.convention,
        "notes": notes,
    }
    if bones:
        provenance["humanoid"] = {bone: clip.skeleton.names[j] for bone, j in bones.items()}
    origin = GltfOrigin(
        document,
        clip.skeleton,
        tuple(layout.joints),
        layout.scale,
        layout.above_rotation,
        layout.above_position,
        metres,
    )
    return Take(clip, provenance=provenance, origin=origin)


def scaled_clip(clip: Clip, factor: float) -> Clip:
    """The motion of a body scaled by a factor."""
    if factor == 1.0:
        return clip
    return Clip(
        clip.skeleton.scale(factor),
        clip.fps,
        clip.root_positions * factor,
        clip.rotations,
        clip.translated_joints,
        clip.translations * factor,
        clip.channels,
    )


def _nodes(document: GltfDocument) -> _Nodes:
    entries = document.items("nodes")
    count = len(entries)
    parents = [-1] * count
    translations, rotations = np.zeros((count, 3)), quaternion.identity((count,))
    scales = np.ones((count, 3))
    names: list[str] = []
    used: set[str] = set()
    for i, entry in enumerate(entries):
        place = f"nodes[{i}]"
        name = entry.get("name")
        name = name if isinstance(name, str) and name else f"node_{i}"
        while name in used:
            name = f"{name}#{i}"
        used.add(name)
        names.append(name)
        children = entry.get("children", [])
        for child in children if isinstance(children, list) else []:
            if whole(child, place) >= count or parents[child] != -1 or child == i:
                raise UnreadableError(
                    None, f"its child {child} is missing or has two parents", place
                )
            parents[child] = i
        if "matrix" in entry:
            matrix = np.array(numbers(entry["matrix"], 16, place)).reshape(4, 4).T
            translations[i], rotations[i], scales[i] = decompose_matrix(matrix)
        else:
            translations[i] = numbers(entry.get("translation", [0, 0, 0]), 3, place)
            xyzw = numbers(entry.get("rotation", [0, 0, 0, 1]), 4, place)
            rotations[i] = quaternion.normalise(np.array(xyzw)[_WXYZ])
            scales[i] = numbers(entry.get("scale", [1, 1, 1]), 3, place)
    _refuse_cycles(parents)
    return _Nodes(names, parents, translations, rotations, scales)


def node_matrices(document: GltfDocument) -> Floats:
    """World matrices ``[nodes, 4, 4]`` at rest, scales included."""
    nodes = _nodes(document)
    count = len(nodes.names)
    local = np.tile(np.eye(4), (count, 1, 1))
    local[:, :3, :3] = quaternion.to_matrix(nodes.rotations) * nodes.scales[:, None, :]
    local[:, :3, 3] = nodes.translations
    world = local.copy()
    for node in sorted(range(count), key=lambda n: len(_ancestors(nodes, n))):
        if nodes.parents[node] >= 0:
            world[node] = world[nodes.parents[node]] @ local[node]
    return world


def _refuse_cycles(parents: list[int]) -> None:
    for start in range(len(parents)):
        node, steps = start, 0
        while node >= 0:
            node, steps = parents[node], steps + 1
            if steps > len(parents):
                raise UnreadableError(None, "is its own ancestor", f"nodes[{start}]")


def decompose_matrix(matrix: Floats) -> tuple[Floats, Floats, Floats]:
    """Translation, rotation and scale of a 4 by 4 matrix without shear."""
    linear = matrix[:3, :3]
    scale = np.linalg.norm(linear, axis=0)
    scale = np.where(scale > 1e-12, scale, 1.0)
    if np.linalg.det(linear) < 0:
        scale = scale * np.array([-1.0, 1.0, 1.0])
    return matrix[:3, 3], quaternion.from_matrix(linear / scale), scale


def _animation(document: GltfDocument, which: int | str) -> int | None:
    entries = document.items("animations")
    if not entries:
        return None
    if isinstance(which, str) and not which.isdecimal():
        names = [str(a.get("name", i)) for i, a in enumerate(entries)]
        if which not in names and which == "none":
            return None
        if which not in names:
            raise InvalidValueError(
                f"no animation is called {which!r}; there are {', '.join(names)}"
            )
        return names.index(which)
    index = int(which)
    if not 0 <= index < len(entries):
        raise InvalidValueError(f"animation {index} requested, there are {len(entries)}")
    return index


def _tracks(document: GltfDocument, animation: int, nodes: _Nodes) -> list[ChannelTrack]:
    entry = document.items("animations")[animation]
    channels, samplers = entry.get("channels", []), entry.get("samplers", [])
    tracks = []
    for c, channel in enumerate(channels if isinstance(channels, list) else []):
        place = f"animations[{animation}].channels[{c}]"
        try:
            target, sampler = channel["target"], samplers[channel["sampler"]]
            node, path = target.get("node"), target["path"]
            times, values = sampler["input"], sampler["output"]
        except (KeyError, IndexError, TypeError, AttributeError):
            raise UnreadableError(None, "is incomplete", place) from None
        if node is None or path not in ("translation", "rotation", "scale", "weights"):
            continue
        if whole(node, place) >= len(nodes.names):
            raise UnreadableError(None, f"moves nodes[{node}], there are {len(nodes.names)}", place)
        at, out = document.array(times, place), document.array(values, place)
        method = sampler.get("interpolation", "LINEAR")
        tracks.append(ChannelTrack(node, path, at, out, method, place).validate())
    return tracks


def humanoid_nodes(document: GltfDocument, joints: Sequence[int]) -> dict[str, int]:
    """Bones that a VRM file declares, as indices into `joints`."""
    extensions = document.json.get("extensions")
    if not isinstance(extensions, dict):
        return {}
    pairs: list[tuple[Any, Any]] = []
    try:
        for key in ("VRMC_vrm", "VRMC_vrm_animation"):
            if key in extensions:
                human = extensions[key]["humanoid"]["humanBones"]
                pairs += [(bone, value["node"]) for bone, value in human.items()]
        if "VRM" in extensions:
            for value in extensions["VRM"]["humanoid"]["humanBones"]:
                bone = str(value["bone"])
                for old, new in _VRM0_RENAMED.items():
                    if bone.endswith(old):
                        bone = bone.removesuffix(old) + new
                        break
                pairs.append((bone, value["node"]))
    except (KeyError, TypeError, AttributeError):
        raise UnreadableError(None, "its humanoid is incomplete", "extensions") from None
    from kinesphere.motion.humanoid import BONE_PARENTS

    index = {node: j for j, node in enumerate(joints)}
    whole_nodes = [(bone, node) for bone, node in pairs if isinstance(node, int)]
    return {b: index[n] for b, n in whole_nodes if b in BONE_PARENTS and n in index}


def _layout(
    document: GltfDocument, nodes: _Nodes, tracks: list[ChannelTrack], notes: list[str]
) -> _Layout:
    wanted = _largest_tree(nodes, _joint_nodes(document, nodes, tracks), notes)
    chains = {n: _ancestors(nodes, n) for n in wanted}
    common = set.intersection(*(set(c) for c in chains.values()))
    root = next(n for n in next(iter(chains.values())) if n in common)
    moving = {t.node for t in tracks if t.path != "weights"}
    above = _ancestors(nodes, root)[1:]
    for node in reversed(above):
        if node in moving:
            root = node
            break
    inside = {n for chain in chains.values() for n in chain[: chain.index(root) + 1]}
    joints = sorted(inside)
    if any(nodes.parents[n] > n for n in joints if n != root) or joints[0] != root:
        joints = sorted(inside, key=lambda n: (len(_ancestors(nodes, n)), n))
    order = {n: j for j, n in enumerate(joints)}
    world_scale = [_world_scale(nodes, n, notes) for n in joints]
    scale = np.array([1.0 if n == root else world_scale[order[nodes.parents[n]]] for n in joints])
    rotation, position, above_scale = _transform_above(nodes, nodes.parents[root], notes)
    scale[0] = above_scale
    offsets = nodes.translations[joints] * scale[:, None]
    rest = nodes.rotations[joints].copy()
    offsets[0] = position + quaternion.rotate(rotation, offsets[0])
    rest[0] = quaternion.multiply(rotation, rest[0])
    parents = [-1 if n == root else order[nodes.parents[n]] for n in joints]
    skeleton = Skeleton(
        tuple(nodes.names[n] for n in joints),
        np.array(parents),
        offsets,
        quaternion.normalise(rest),
    )
    return _Layout(joints, skeleton, scale, rotation, position)


def _largest_tree(nodes: _Nodes, joints: list[int], notes: list[str]) -> list[int]:
    """Joints of the largest tree; others, such as a skinned sword, are left out."""
    trees: dict[int, list[int]] = {}
    for joint in joints:
        trees.setdefault(_ancestors(nodes, joint)[-1], []).append(joint)
    best = max(trees.values(), key=len)
    if len(trees) > 1:
        notes.append(f"{len(joints) - len(best)} joints outside the largest skeleton are left out")
    return best


def _joint_nodes(document: GltfDocument, nodes: _Nodes, tracks: list[ChannelTrack]) -> list[int]:
    found: set[int] = set()
    for s, skin in enumerate(document.items("skins")):
        joints = skin.get("joints", [])
        for joint in joints if isinstance(joints, list) else []:
            if whole(joint, f"skins[{s}]") >= len(nodes.names):
                raise UnreadableError(None, f"joint {joint} does not exist", f"skins[{s}]")
            found.add(joint)
    if not found:
        found = set(humanoid_nodes(document, range(len(nodes.names))).values())
    if not found:
        found = {t.node for t in tracks if t.path in ("rotation", "translation")}
    if not found:
        raise UnreadableError(
            None, "has no skeleton: no skin, no humanoid and no moving node", "skins"
        )
    return sorted(found)


def _ancestors(nodes: _Nodes, node: int) -> list[int]:
    chain = []
    while node >= 0:
        chain.append(node)
        node = nodes.parents[node]
    return chain


def _uniform(scale: Floats, name: str, notes: list[str]) -> float:
    size = float(np.cbrt(abs(np.prod(scale)))) or 1.0
    if np.ptp(np.abs(scale)) > 0.01 * size or np.any(scale < 0):
        note = f"{name} is scaled differently along its axes; the mean is used"
        if note not in notes:
            notes.append(note)
    return size


def _world_scale(nodes: _Nodes, node: int, notes: list[str]) -> float:
    size = 1.0
    for n in _ancestors(nodes, node):
        size *= _uniform(nodes.scales[n], nodes.names[n], notes)
    return size


def _transform_above(nodes: _Nodes, node: int, notes: list[str]) -> tuple[Floats, Floats, float]:
    """Rotation, position and scale of the world in the frame of the root's parent."""
    rotation, position, size = quaternion.identity(), np.zeros(3), 1.0
    for n in reversed(_ancestors(nodes, node)):
        position = position + quaternion.rotate(rotation, size * nodes.translations[n])
        rotation = quaternion.multiply(rotation, nodes.rotations[n])
        size *= _uniform(nodes.scales[n], nodes.names[n], notes)
    return rotation, position, size


def _clip(
    document: GltfDocument,
    nodes: _Nodes,
    layout: _Layout,
    tracks: list[ChannelTrack],
    chosen: int | None,
    fps: float | None,
    notes: list[str],
) -> Clip:
    order = {n: j for j, n in enumerate(layout.joints)}
    used = [t for t in tracks if t.node in order or t.path == "weights"]
    if not used:
        notes.append("no animation moves the skeleton; one frame of the rest pose")
        return rest_clip(layout.skeleton, fps=fps or 30.0)
    rate = fps or _declared_rate(document, chosen) or _key_rate(used)
    at = _frame_times(used, rate, len(layout.joints), f"animations[{chosen}]", notes)
    count = len(at)
    rotations = np.broadcast_to(
        layout.skeleton.rest_rotations, (count, len(layout.joints), 4)
    ).copy()
    paths: dict[int, Floats] = {}
    channels: dict[str, Floats] = {}
    for track in used:
        values = sample_track(track, at)
        if track.path == "weights":
            _add_weights(document, track, values, channels)
        elif track.path == "rotation":
            rotations[:, order[track.node]] = quaternion.normalise(values[:, _WXYZ])
        elif track.path == "translation":
            paths[order[track.node]] = values * layout.scale[order[track.node]]
        elif np.ptp(values, axis=0).max() > 0.01:
            notes.append(f"{nodes.names[track.node]} changes its scale, which is left out")
    own = _own_extras(document, chosen).get("channels")
    if isinstance(own, list):
        channels = {name: values for name, values in channels.items() if name in own}
    if any(t.path == "rotation" and t.node == layout.joints[0] for t in used):
        rotations[:, 0] = quaternion.multiply(layout.above_rotation, rotations[:, 0])
    root = np.broadcast_to(layout.skeleton.offsets[0], (count, 3))
    if 0 in paths:
        root = layout.above_position + quaternion.rotate(layout.above_rotation, paths.pop(0))
    tolerance = 1e-6 * max(1e-3, float(np.ptp(layout.skeleton.rest_world_positions)))
    moving = sorted(
        j for j, p in paths.items() if np.abs(p - layout.skeleton.offsets[j]).max() > tolerance
    )
    return Clip(
        layout.skeleton,
        rate,
        root,
        rotations,
        tuple(moving),
        np.stack([paths[j] for j in moving], axis=1) if moving else None,  # type: ignore[arg-type]
        channels,
    )


def _frame_times(
    tracks: list[ChannelTrack], rate: float, joints: int, where: str, notes: list[str]
) -> Floats:
    """Times of the frames of an animation, in its own seconds."""
    start = min(float(t.times[0]) for t in tracks)
    end = max(float(t.times[-1]) for t in tracks)
    count = int(np.floor((end - start) * rate + 1e-3)) + 1
    if count * joints * 4 > _MOST_VALUES:
        reason = f"{end - start:.0f} s at {rate:g} fps are too long to read"
        raise UnreadableError(None, reason, where)
    if start > 0.0:
        notes.append(f"the animation starts at {start:g} s; its time is counted from there")
    return np.asarray(start + np.arange(count) / rate)


def _own_extras(document: GltfDocument, chosen: int | None) -> dict[str, Any]:
    """Notes that we stored when the file was written: its rate and its channels."""
    extras = document.items("animations")[chosen].get("extras") if chosen is not None else None
    return extras if isinstance(extras, dict) else {}


def _own_bones(document: GltfDocument, chosen: int | None, layout: _Layout) -> dict[str, int]:
    """Bones that we stored when we wrote the file."""
    from kinesphere.motion.humanoid import BONE_PARENTS

    named = _own_extras(document, chosen).get("humanoid")
    names = layout.skeleton.names
    pairs = named.items() if isinstance(named, dict) else ()
    return {b: names.index(n) for b, n in pairs if b in BONE_PARENTS and n in names}


def _declared_rate(document: GltfDocument, chosen: int | None) -> float | None:
    rate = _own_extras(document, chosen).get("fps")
    return float(rate) if isinstance(rate, (int, float)) and 0.01 <= rate <= 10_000 else None


def _key_rate(tracks: list[ChannelTrack]) -> float:
    """Rate of the densest evenly spaced track, to the nearest whole number where it is near one."""
    densest = max(
        tracks, key=lambda t: len(t.times) / (1e-9 + t.times[-1] - t.times[0]) * (len(t.times) > 2)
    )
    if len(densest.times) < 3:
        return 30.0
    steps = np.diff(densest.times)
    step = float(np.median(steps))
    if not 1e-4 <= step <= 1.0 or np.mean(np.abs(steps - step) > 0.02 * step) > 0.1:
        return 30.0
    rate = 1.0 / step
    return float(round(rate)) if abs(rate - round(rate)) < 0.01 * rate else rate


def _add_weights(
    document: GltfDocument, track: ChannelTrack, values: Floats, channels: dict[str, Floats]
) -> None:
    node = document.items("nodes")[track.node]
    mesh = document.item("meshes", node.get("mesh"), track.place)
    extras = mesh.get("extras")
    names = extras.get("targetNames") if isinstance(extras, dict) else None
    if not isinstance(names, list):
        names = []
    for k in range(values.shape[1]):
        name = str(names[k]) if k < len(names) and names[k] else f"morph_{k}"
        channels.setdefault(name, values[:, k])
