"""All parts combined."""

from __future__ import annotations

import numpy as np
from tools.mannequin.face import SHAPES, head_parts
from tools.mannequin.limbs import arm, foot, hand, leg
from tools.mannequin.parts import Part, merged, normals
from tools.mannequin.torso import torso

from kinesphere.character.default import default_skeleton
from kinesphere.character.figure import Figure
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.motion.skeleton import Skeleton


def all_parts() -> list[Part]:
    """Every part of the body, both sides."""
    left = [*arm(), *hand(), *leg(), *foot()]
    return [*torso(), *left, *(part.other_side() for part in left), *head_parts()]


def mannequin() -> Figure:
    """The default character's figure, every part attached to one joint."""
    parts = all_parts()
    vertices, triangles, colours, bones = merged(parts)
    skeleton = default_skeleton()
    joints, weights = _weights(parts, skeleton, bones)
    smooth = np.concatenate([normals(p.vertices, p.triangles) for p in parts])
    morphs = {}
    for name in SHAPES:
        zero = [p.morphs.get(name, np.zeros_like(p.vertices)) for p in parts]
        morphs[name] = np.concatenate(zero)
    return Figure(skeleton, vertices, smooth, colours, triangles, joints, weights, morphs)


def _weights(parts: list[Part], skeleton: Skeleton, bones: list[str]) -> tuple[Ints, Floats]:
    """Two joints per vertex and their weights; most vertices have one."""
    joints = np.repeat(np.array([skeleton.index(bone) for bone in bones])[:, None], 2, axis=1)
    weights = np.tile([1.0, 0.0], (len(bones), 1))
    start = 0
    for part in parts:
        count = len(part.vertices)
        if part.shares:
            table = np.stack(list(part.shares.values()), axis=1)
            index = np.array([skeleton.index(bone) for bone in part.shares])
            best = np.argsort(-table, axis=1, kind="stable")[:, :2]
            picked = np.take_along_axis(table, best, axis=1)
            joints[start : start + count] = index[best]
            weights[start : start + count] = picked / picked.sum(axis=1, keepdims=True)
        start += count
    return joints, weights
