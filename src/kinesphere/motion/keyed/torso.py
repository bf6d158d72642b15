"""Rotation of the torso by parts: pelvis, spine, neck and collar bones.

Rotations are rotation vectors in each part's own axes in the T-pose (+X bends forward, +Y
turns left, +Z tilts left), added to the existing pose. A spine's rotation is distributed over
all joints of the spine, a neck's over neck and head. When the pelvis rotates, the legs
stay: thighs compensate and ankles keep their position.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, read_only
from kinesphere.maths.curves import smoothstep
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.keyed.keyed_motion import TORSO_PARTS, TorsoKeys
from kinesphere.motion.retargeting.retargeting import move_rig_limbs, neck_joints, spine_joints

_LEG = ("UpperLeg", "LowerLeg", "Foot")
_CLAVICLES = {"leftClavicle": "leftShoulder", "rightClavicle": "rightShoulder"}


def torso_joints(rig: Rig, part: str) -> list[int]:
    """Joints over which a part's rotation is distributed evenly; none if the rig lacks them."""
    if part == "pelvis":
        return [rig.joint("hips")]
    if part == "spine":
        return spine_joints(rig)
    if part == "neck":
        return [*neck_joints(rig), *([rig.bones["head"]] if "head" in rig else [])]
    if part in _CLAVICLES:
        bone = _CLAVICLES[part]
        return [rig.bones[bone]] if bone in rig else []
    raise InvalidValueError(
        f"{part!r} is no part of the torso; allowed are {', '.join(TORSO_PARTS)}"
    )


def torso_turns_at(keys: TorsoKeys, times: ArrayLike) -> dict[str, Floats]:
    """Rotations ``[f, 3]`` of each part at the given times, eased in and out between the keys."""
    t = np.asarray(times, dtype=np.float64)
    n = len(keys.times)
    if n == 1:
        return {part: np.broadcast_to(v[0], (*t.shape, 3)) for part, v in keys.turns.items()}
    i = np.clip(np.searchsorted(keys.times, t, side="right") - 1, 0, n - 2)
    ratio = smoothstep((t - keys.times[i]) / (keys.times[i + 1] - keys.times[i]))[..., None]
    return {part: v[i] + ratio * (v[i + 1] - v[i]) for part, v in keys.turns.items()}


def with_torso(clip: Clip, rig: Rig, turns: Mapping[str, ArrayLike]) -> Clip:
    """Rotate the torso of a clip by vectors ``[frames, 3]`` per part; other joints are kept."""
    rotations = clip.rotations.copy()
    canonical, _ = rig.canonical_pose
    for part, values in turns.items():
        vectors = np.broadcast_to(np.asarray(values, dtype=np.float64), (len(clip), 3))
        joints = torso_joints(rig, part)
        moved = np.flatnonzero(np.any(vectors != 0.0, axis=-1))
        if len(moved) == 0:
            continue
        for joint in joints:
            axes = canonical[joint]
            own = quaternion.multiply(
                quaternion.inverse(axes),
                quaternion.multiply(quaternion.exp(vectors[moved] / len(joints)), axes),
            )
            rotations[moved, joint] = quaternion.normalise(
                quaternion.multiply(rotations[moved, joint], own)
            )
    bent = replace(clip, rotations=read_only(rotations))
    pelvis = turns.get("pelvis")
    if pelvis is None or not np.any(np.asarray(pelvis)):
        return bent
    return _standing(clip, bent, rig)


def _standing(before: Clip, bent: Clip, rig: Rig) -> Clip:
    """Restore the legs' position after a rotation of the pelvis."""
    legs = []
    rotations = bent.rotations.copy()
    for side in ("left", "right"):
        if any(f"{side}{bone}" not in rig for bone in _LEG):
            continue
        hip, knee, ankle = rig.joints([f"{side}{bone}" for bone in _LEG])
        legs.append((hip, knee, ankle))
        parent = rig.skeleton.parents[hip]
        rotations[:, hip] = quaternion.normalise(
            quaternion.relative(bent.world_rotations[:, parent], before.world_rotations[:, hip])
        )
    if not legs:
        return bent
    ankles = before.world_positions[:, [leg[2] for leg in legs]]
    axes = np.tile([1.0, 0.0, 0.0], (len(legs), 1))
    stood = move_rig_limbs(replace(bent, rotations=rotations), rig, legs, ankles, axes)
    # Frames and joints without a rotation keep their numbers.
    hips = rig.joint("hips")
    turned = np.any(bent.rotations[:, hips] != before.rotations[:, hips], axis=-1)
    for leg in legs:
        for joint in leg:
            rotations[:, joint] = np.where(
                turned[:, None], stood.rotations[:, joint], before.rotations[:, joint]
            )
    return replace(bent, rotations=read_only(rotations))
