"""VRM animations (.vrma): humanoid motion that any VRM application plays on any VRM character."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from kinesphere.errors import UnwritableError
from kinesphere.formats.files import write_atomically
from kinesphere.formats.gltf.animation import Tracks, joint_node
from kinesphere.formats.gltf.gltf_document import GltfBuilder
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.take import Take

_EYES = ("leftEye", "rightEye")
_STILL = 1e-6
PRESETS = (
    "aa",
    "ih",
    "ou",
    "ee",
    "oh",
    "blink",
    "blinkLeft",
    "blinkRight",
    "happy",
    "angry",
    "sad",
    "relaxed",
    "surprised",
    "neutral",
)
"""Expressions that VRM names, in the order in which the default figure has them."""


def write_vrma(take: Take, path: str | PathLike[str]) -> None:
    """Write a take of the default character as a VRM animation."""
    data = vrma_bytes(take)
    with write_atomically(path) as file:
        file.write(data)


def vrma_bytes(take: Take) -> bytes:
    """Return a VRM animation.

    The clip must be on a humanoid that rests in the T-pose with VRM bone names, as the default
    character does; retarget it there first. Eye bones must not be animated: the mean direction of
    both eyes becomes the rotation of the `lookAt` node, or is omitted if they never move. Face
    channels with VRM's preset names become expressions, others are custom ones.
    """
    from kinesphere import __version__
    from kinesphere.character.default import default_rig

    clip, rig = take.clip, default_rig()
    if clip.skeleton.names != rig.skeleton.names:
        raise UnwritableError("a .vrma holds motion of the default character; use 'retarget' first")
    builder = GltfBuilder(f"Kinesphere {__version__}")
    for joint in range(len(clip.skeleton)):
        builder.add("nodes", joint_node(clip.skeleton, joint))
    curves = {name: builder.add("nodes", {"name": f"expression {name}"}) for name in clip.channels}
    looks = [builder.add("nodes", {"name": "look at"})] if _eyes_move(clip, rig) else []
    builder.json["scenes"] = [{"nodes": [0, *curves.values(), *looks]}]
    builder.json["scene"] = 0
    _add_tracks(builder, clip, rig, curves, looks)
    builder.json["extensionsUsed"] = ["VRMC_vrm_animation"]
    builder.json["extensions"] = {"VRMC_vrm_animation": _extension(rig, curves, looks)}
    return builder.glb()


def _eyes_move(clip: Clip, rig: Rig) -> bool:
    if any(bone not in rig.bones for bone in _EYES):
        return False
    eyes = clip.rotations[:, rig.joints(_EYES)]
    return float(np.ptp(eyes, axis=0).max()) >= _STILL


def _gaze(clip: Clip, rig: Rig) -> Floats:
    """Mean direction of both eyes ``[frames, 4]`` in the head's frame.

    A yaw followed by a pitch, as VRM defines a gaze: eyes do not roll.
    """
    eyes = clip.rotations[:, rig.joints(_EYES)]
    x, y, z = quaternion.rotate(eyes, np.array([0.0, 0.0, 1.0])).mean(axis=1).T
    yaw, pitch = np.arctan2(x, z), np.arctan2(-y, np.hypot(x, z))
    return quaternion.multiply(
        quaternion.from_axis_angle([0.0, 1.0, 0.0], yaw),
        quaternion.from_axis_angle([1.0, 0.0, 0.0], pitch),
    )


def _add_tracks(
    builder: GltfBuilder, clip: Clip, rig: Rig, curves: dict[str, int], looks: Sequence[int]
) -> None:
    tracks = Tracks(builder, clip)
    kept = [joint for bone, joint in rig.bones.items() if bone not in _EYES]
    tracks.add_turns(kept, lambda part: part.rotations[:, kept])
    tracks.add(0, "translation", clip.root_positions, "VEC3")
    tracks.add_turns(looks, lambda part: _gaze(part, rig)[:, None])
    for name, node in curves.items():
        # An expression's weight is the X of its node's translation.
        weight = np.zeros((len(clip), 3))
        weight[:, 0] = np.clip(clip.channels[name], 0.0, 1.0)
        tracks.add(node, "translation", weight, "VEC3")
    builder.add("animations", tracks.animation(fps=clip.fps))


def _extension(rig: Rig, curves: dict[str, int], looks: Sequence[int]) -> dict[str, Any]:
    bones = {b: {"node": j} for b, j in rig.bones.items() if b not in _EYES}
    expressions: dict[str, Any] = {}
    for name, node in curves.items():
        kind = "preset" if name in PRESETS else "custom"
        expressions.setdefault(kind, {})[name] = {"node": node}
    out: dict[str, Any] = {"specVersion": "1.0", "humanoid": {"humanBones": bones}}
    if expressions:
        out["expressions"] = expressions
    for node in looks:
        between = rig.skeleton.offsets[rig.joints(_EYES)].mean(axis=0)
        out["lookAt"] = {"node": node, "offsetFromHeadBone": [round(float(v), 4) for v in between]}
    return out
