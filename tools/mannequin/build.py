"""All parts put together."""

from __future__ import annotations

import numpy as np
from tools.mannequin.face import SHAPES, head_parts
from tools.mannequin.limbs import arm, foot, hand, leg
from tools.mannequin.parts import Part, merged, normals
from tools.mannequin.torso import torso

from kinesphere.character.default import default_skeleton
from kinesphere.character.figure import Figure


def all_parts() -> list[Part]:
    """Every part of the body, both sides."""
    left = [*arm(), *hand(), *leg(), *foot()]
    return [*torso(), *left, *(part.other_side() for part in left), *head_parts()]


def mannequin() -> Figure:
    """The default character's figure, every part carried by one joint."""
    parts = all_parts()
    vertices, triangles, colours, bones = merged(parts)
    skeleton = default_skeleton()
    joints = np.array([skeleton.index(bone) for bone in bones])[:, None]
    smooth = np.concatenate([normals(p.vertices, p.triangles) for p in parts])
    morphs = {}
    for name in SHAPES:
        zero = [p.morphs.get(name, np.zeros_like(p.vertices)) for p in parts]
        morphs[name] = np.concatenate(zero)
    weights = np.ones((len(vertices), 1))
    return Figure(skeleton, vertices, smooth, colours, triangles, joints, weights, morphs)
