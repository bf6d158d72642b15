"""Mirrored motion: left becomes right."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.motion.clip import Clip
from kinesphere.motion.kinematics import local_rotations
from kinesphere.motion.skeleton import Skeleton

_SWAPS = (("Left", "Right"), ("left", "right"), ("LEFT", "RIGHT"))
_ENDS = (("Lf", "Rt"), ("_l", "_r"), ("_L", "_R"), (".L", ".R"), (".l", ".r"))
_SIDE = re.compile(r"(?:(?<=^)|(?<=[_:. ]))([LRlr])(?=[_. ]|[A-Z])")


def mirror_name(name: str) -> str:
    """Name of the partner on the other side, for the common spellings of left and right.

    >>> [mirror_name(n) for n in ("mixamorig:LeftArm", "hand_l", "b_l_arm", "JtHipLf", "Head")]
    ['mixamorig:RightArm', 'hand_r', 'b_r_arm', 'JtHipRt', 'Head']
    """
    for left, right in _SWAPS:
        if left in name:
            return name.replace(left, right)
        if right in name:
            return name.replace(right, left)
    for left, right in _ENDS:
        if name.endswith(left):
            return name[: -len(left)] + right
        if name.endswith(right):
            return name[: -len(right)] + left
    found = _SIDE.search(name)
    if found:
        other = {"L": "R", "R": "L", "l": "r", "r": "l"}[found.group(1)]
        return name[: found.start(1)] + other + name[found.end(1) :]
    return name


def mirror_permutation(skeleton: Skeleton, pairs: Mapping[str, str] | None = None) -> Ints:
    """Partner of every joint: from `pairs` by name where given, otherwise by `mirror_name`."""
    pairs = pairs or {}
    partner = np.arange(len(skeleton))
    for i, name in enumerate(skeleton.names):
        other = pairs.get(name) or mirror_name(name)
        if other in skeleton:
            partner[i] = skeleton.index(other)
    wrong = [i for i in range(len(partner)) if partner[partner[i]] != i]
    partner[wrong] = wrong
    return partner


def mirror(
    clip: Clip, partner: ArrayLike | None = None, symmetric: ArrayLike | None = None
) -> Clip:
    """Reflect a clip in the plane x = 0: the left hand gets the right hand's motion.

    Works for any joint axes: every joint's rotation from a symmetric pose is reflected in the
    world. Channels with left or right in their names are exchanged.

    Parameters
    ----------
    clip : the motion.
    partner : index of each joint's partner; found from the names by default.
    symmetric : ``[joints, 4]`` world rotations in a pose that is its own mirror image, such as
        `Rig.canonical_pose`; the rest pose by default.
    """
    skeleton = clip.skeleton
    swap = mirror_permutation(skeleton) if partner is None else np.asarray(partner, dtype=np.int64)
    if sorted(swap.tolist()) != list(range(len(skeleton))):
        raise InvalidValueError("partner must name every joint once")
    rest = skeleton.rest_world_rotations if symmetric is None else np.asarray(symmetric, float)
    turn = quaternion.multiply(clip.world_rotations, quaternion.inverse(rest))
    world = quaternion.multiply(_reflect(turn[:, swap]), rest)
    channels = {_mirror_channel(name, clip): values for name, values in clip.channels.items()}
    mirrored = replace(
        clip,
        rotations=local_rotations(skeleton, world),
        root_positions=clip.root_positions * np.array([-1.0, 1.0, 1.0]),
        channels=channels,
    )
    return _mirror_translations(mirrored, clip, swap, rest) if clip.translated_joints else mirrored


def _reflect(q: Floats) -> Floats:
    """Reflect a rotation in the plane x = 0: the axis keeps x and changes y and z."""
    return np.asarray(q * np.array([1.0, 1.0, -1.0, -1.0]))


def _mirror_channel(name: str, clip: Clip) -> str:
    other = mirror_name(name)
    return other if other in clip.channels else name


def _mirror_translations(mirrored: Clip, clip: Clip, swap: Ints, rest: Floats) -> Clip:
    """Reflect moving offsets as differences from rest, seen in the world's axes at rest."""
    parents = clip.skeleton.parents
    joints = [int(swap[j]) for j in clip.translated_joints]
    values = np.empty_like(clip.translations)
    for k, (source, target) in enumerate(zip(clip.translated_joints, joints, strict=True)):
        shift = clip.translations[:, k] - clip.skeleton.offsets[source]
        world = quaternion.rotate(rest[parents[source]], shift) * np.array([-1.0, 1.0, 1.0])
        local = quaternion.rotate(quaternion.inverse(rest[parents[target]]), world)
        values[:, k] = clip.skeleton.offsets[target] + local
    order = np.argsort(joints)
    return replace(
        mirrored, translated_joints=tuple(joints[i] for i in order), translations=values[:, order]
    )
