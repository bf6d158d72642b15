"""Which part of a character's mesh belongs to which part of the body."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinesphere.character.figure import Figure
from kinesphere.maths.arrays import Bools, Floats, Ints
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.motion.humanoid import Rig

# A vertex belongs to a part whose joints carry more than this ratio of it.
MOSTLY = 0.5


@dataclass(frozen=True, eq=False)
class MeshRegions:
    """Parts of a mesh in one rig: hands, forearms, and the body without its arms.

    Parameters
    ----------
    figure : the mesh, its triangles counter-clockwise from outside.
    body : ``[triangles]`` whether a triangle belongs to trunk, head or legs.
    trunk : ``[triangles]`` the same without shins and feet.
    hands, forearms : by side, ``[vertices]`` whether a vertex belongs to it.
    """

    figure: Figure
    body: Bools
    trunk: Bools
    hands: dict[Side, Bools]
    forearms: dict[Side, Bools]

    def corners(self, vertices: Floats, triangles: Bools) -> Floats:
        """Corners ``[n, 3, 3]`` of some triangles of a posed mesh."""
        return np.asarray(vertices[self.figure.triangles[triangles]])

    def triangles_of(self, vertices: Bools) -> Bools:
        """Triangles ``[triangles]`` all of whose corners are among some vertices."""
        return np.asarray(vertices[self.figure.triangles].all(axis=1))


def mesh_regions(figure: Figure, rig: Rig) -> MeshRegions:
    """Divide a figure's mesh by the joints that carry its vertices."""
    figure = _outward(figure)
    skeleton = rig.skeleton
    hands, forearms, arms, shins = {}, {}, [], []
    for side in SIDES:
        hand = set(skeleton.subtree(rig.joint(f"{side}Hand")))
        below = set(skeleton.subtree(rig.joint(f"{side}LowerArm")))
        hands[side] = carried_by(figure, hand)
        forearms[side] = carried_by(figure, below - hand)
        arms.append(carried_by(figure, set(skeleton.subtree(rig.joint(f"{side}UpperArm")))))
        shins.append(carried_by(figure, set(skeleton.subtree(rig.joint(f"{side}LowerLeg")))))
    body = ~np.any(arms, axis=0)
    trunk = body & ~np.any(shins, axis=0)
    whole, part = (mask[figure.triangles].all(axis=1) for mask in (body, trunk))
    return MeshRegions(figure, whole, part, hands, forearms)


def carried_by(figure: Figure, joints: set[int]) -> Bools:
    """Vertices ``[vertices]`` that some joints carry together for the most part."""
    chosen = np.isin(figure.joints, sorted(joints))
    return np.asarray(np.sum(figure.weights * chosen, axis=1) > MOSTLY)


def _outward(figure: Figure) -> Figure:
    """The figure with triangles that face outward: mirrored meshes of some files face inward."""
    a, b, c = (figure.positions[figure.triangles[:, k]] for k in range(3))
    volume = float(np.sum(a * np.cross(b, c)))
    if volume >= 0.0:
        return figure
    return replace(figure, triangles=figure.triangles[:, ::-1])


def top_weights(shares: Floats, most: int = 4) -> tuple[Ints, Floats]:
    """The strongest joints ``[n, most]`` of shares ``[n, joints]``, and weights that sum to 1."""
    joints = np.argsort(-shares, axis=1, kind="stable")[:, :most]
    weights = np.take_along_axis(shares, joints, axis=1)
    total = np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)
    return np.ascontiguousarray(joints), np.ascontiguousarray(weights / total)


def joint_shares(figure: Figure, vertices: Ints, ratios: Floats) -> Floats:
    """Shares ``[n, joints]`` of joints in points, by vertices ``[n, 3]`` and their ratios."""
    shares = np.zeros((len(vertices), len(figure.skeleton)))
    rows = np.arange(len(vertices))
    for k in range(3):
        for m in range(figure.joints.shape[1]):
            weight = ratios[:, k] * figure.weights[vertices[:, k], m]
            np.add.at(shares, (rows, figure.joints[vertices[:, k], m]), weight)
    return shares
