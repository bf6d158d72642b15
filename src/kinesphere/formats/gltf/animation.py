"""Skeletons and clips added to a glTF file that is being built."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinesphere.formats.gltf.gltf_document import GltfBuilder
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.motion.skeleton import Skeleton

XYZW = [1, 2, 3, 0]
"""Order of a quaternion's components in glTF, from ours."""
_STILL = 1e-7


def add_skeleton(builder: GltfBuilder, skeleton: Skeleton) -> int:
    """Add one node per joint (the first nodes of the file) and a skin of them; return the skin."""
    for joint in range(len(skeleton)):
        builder.add("nodes", joint_node(skeleton, joint))
    # Inverse bind matrices: the world in the frame of every joint at rest, column by column.
    turn = quaternion.to_matrix(quaternion.inverse(skeleton.rest_world_rotations))
    matrices = np.zeros((len(skeleton), 4, 4))
    matrices[:, :3, :3] = turn
    matrices[:, :3, 3] = -np.einsum("jab,jb->ja", turn, skeleton.rest_world_positions)
    matrices[:, 3, 3] = 1.0
    columns = matrices.transpose(0, 2, 1).reshape(-1, 16).astype(np.float32)
    skin = {
        "joints": list(range(len(skeleton))),
        "inverseBindMatrices": builder.array(columns, "MAT4"),
        "skeleton": 0,
    }
    return builder.add("skins", skin)


def joint_node(skeleton: Skeleton, joint: int) -> dict[str, Any]:
    """Node of one joint at rest, with its children."""
    node: dict[str, Any] = {"name": skeleton.names[joint]}
    if skeleton.children[joint]:
        node["children"] = list(skeleton.children[joint])
    if np.any(skeleton.offsets[joint]):
        node["translation"] = [float(x) for x in skeleton.offsets[joint]]
    rest = skeleton.rest_rotations[joint]
    if np.any(rest[1:]):
        node["rotation"] = [float(x) for x in rest[XYZW]]
    return node


class Tracks:
    """Samplers and channels of one animation."""

    def __init__(self, builder: GltfBuilder, clip: Clip) -> None:
        self.builder, self.clip, self.frames = builder, clip, len(clip)
        times = (np.arange(len(clip)) / clip.fps).astype(np.float32)
        self.every = builder.array(times, "SCALAR", bounds=True)
        self.samplers: list[dict[str, Any]] = []
        self.channels: list[dict[str, Any]] = []

    @cached_property
    def once(self) -> int:
        """Time of tracks that do not move; only there if there are any."""
        return self.builder.array(np.zeros(1, np.float32), "SCALAR", bounds=True)

    def add(self, node: int, path: str, values: NDArray[Any], kind: str, rows: int = 1) -> None:
        """Add a track; one that does not move has a single key. `rows` are numbers per frame."""
        spread = float(np.ptp(values.reshape(self.frames, -1), axis=0).max())
        self._add(node, path, values, kind, spread, rows)

    def _add(
        self, node: int, path: str, values: NDArray[Any], kind: str, spread: float, rows: int = 1
    ) -> None:
        still = self.frames > 1 and spread < _STILL
        kept = values[:rows] if still else values
        sampler = {
            "input": self.once if still else self.every,
            "output": self.builder.array(np.asarray(kept, dtype=np.float32), kind),
            "interpolation": "LINEAR",
        }
        self.samplers.append(sampler)
        target = {"node": node, "path": path}
        self.channels.append({"sampler": len(self.samplers) - 1, "target": target})

    def add_turns(self, nodes: Sequence[int], turns_of: Callable[[Clip], Floats]) -> None:
        """Add rotations, with signs chosen so that neighbours are near.

        `turns_of` returns those of some frames of the clip, ``[frames, nodes, 4]``.
        """
        tracks = np.empty((len(nodes), self.frames, 4), dtype=np.float32)
        low, high = np.full((len(nodes), 4), np.inf), np.full((len(nodes), 4), -np.inf)
        done, before, signs = 0, None, np.ones(len(nodes))
        for part in self.clip.blocks():
            turns = quaternion.normalise(turns_of(part))
            near = np.concatenate([turns[:1] if before is None else before, turns])
            before = turns[-1:]
            flips = np.sum(near[1:] * near[:-1], axis=-1) < 0.0
            each = np.cumprod(np.where(flips, -1.0, 1.0), axis=0) * signs
            signs = each[-1]
            turns = (turns * each[..., None])[..., XYZW]
            low, high = np.minimum(low, turns.min(axis=0)), np.maximum(high, turns.max(axis=0))
            tracks[:, done : done + len(turns)] = turns.transpose(1, 0, 2)
            done += len(turns)
        for k, node in enumerate(nodes):
            self._add(node, "rotation", tracks[k], "VEC4", float((high[k] - low[k]).max()))

    def animation(self, **extras: Any) -> dict[str, Any]:
        """The finished animation; `extras` are notes for reading it back."""
        return {
            "name": "take",
            "samplers": self.samplers,
            "channels": self.channels,
            "extras": extras,
        }


def add_animation(
    builder: GltfBuilder,
    clip: Clip,
    face_node: int | None,
    shapes: list[str],
    bones: Mapping[str, str] | None = None,
) -> None:
    """Add a clip whose joints are the first nodes; channels named as shapes move the face.

    `bones` (humanoid bone to joint name) are stored, so that they need not be detected again.
    """
    tracks = Tracks(builder, clip)
    tracks.add_turns(range(len(clip.skeleton)), lambda part: part.rotations)
    tracks.add(0, "translation", clip.root_positions, "VEC3")
    for k, joint in enumerate(clip.translated_joints):
        tracks.add(joint, "translation", clip.translations[:, k], "VEC3")
    if face_node is not None and any(name in clip.channels for name in shapes):
        zero = np.zeros(len(clip))
        table = np.stack([clip.channels.get(name, zero) for name in shapes], axis=1)
        tracks.add(face_node, "weights", table.reshape(-1), "SCALAR", table.shape[1])
    extras: dict[str, Any] = {"fps": clip.fps, "channels": list(clip.channels)}
    if bones:
        extras["humanoid"] = dict(bones)
    builder.add("animations", tracks.animation(**extras))
