"""Hands and forearms inside a character's mesh, and hands inside each other, by their vertices.

The mesh is posed several times a second; vertices of hands and forearms that are inside the rest
of it are found with rays, and their depth is the distance to its outer triangles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.character.figure import Figure
from kinesphere.character.skin.inside import distance_to_mesh, inside_mesh
from kinesphere.character.skin.regions import MeshRegions, mesh_regions
from kinesphere.character.skin.scattering import triangle_normals
from kinesphere.evaluation.artefacts import Penetration
from kinesphere.maths.arrays import Bools, Floats, Ints
from kinesphere.motion.body.arms import SIDES
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig

# Distance in front of a triangle at which the body may not be, or it is not on the outer skin.
_LAYER_M = 0.002


@dataclass(frozen=True)
class MeshPenetrationSettings:
    """How a mesh is looked at.

    Parameters
    ----------
    rate_hz : poses a second that are looked at. A hand at 1 m/s moves 8 cm between two of them,
        less than its own length.
    vertices : of a hand or a forearm at most; more are thinned out.
    soft_m : depth that flesh and clothes yield, in the body.
    soft_hands_m : the same for hands, which are bone; half a finger's thickness is 8 mm.
    fewest : body triangles below which a mesh is no body.
    """

    rate_hz: float = 12.0
    vertices: int = 240
    soft_m: float = 0.010
    soft_hands_m: float = 0.005
    fewest: int = 60


@dataclass(frozen=True, eq=False)
class MeshDepths:
    """Depths in some frames of a clip, metres, 0 outside.

    Parameters
    ----------
    frames : ``[n]`` which frames.
    in_body : ``[n, 2]`` of the deepest vertex of the left and the right hand and forearm.
    in_hand : ``[n]`` of the deepest vertex of one hand in the other.
    """

    frames: Ints
    in_body: Floats
    in_hand: Floats


def shows_a_body(figure: Figure, rig: Rig, settings: MeshPenetrationSettings | None = None) -> bool:
    """Whether a mesh has a body and arms to look at."""
    settings = settings or MeshPenetrationSettings()
    regions = mesh_regions(figure, rig)
    arms = all((regions.hands[side] | regions.forearms[side]).any() for side in SIDES)
    return arms and int(regions.body.sum()) >= settings.fewest


def mesh_depths(
    clip: Clip, rig: Rig, figure: Figure, settings: MeshPenetrationSettings | None = None
) -> MeshDepths:
    """How deep hands and forearms are inside the rest of the mesh, and hands in each other."""
    settings = settings or MeshPenetrationSettings()
    regions = mesh_regions(figure, rig)
    step = max(1, round(clip.fps / settings.rate_hz))
    frames = np.arange(0, len(clip), step)
    outer = _outer_triangles(regions)
    arms = [_thinned(regions, s, settings.vertices) for s in SIDES]
    hands = [np.flatnonzero(regions.hands[s]) for s in SIDES]
    shells = [regions.triangles_of(regions.hands[s]) for s in SIDES]
    in_body, in_hand = np.zeros((len(frames), 2)), np.zeros(len(frames))
    for i, frame in enumerate(frames):
        at = _posed(regions.figure, clip, int(frame))
        body = regions.corners(at, regions.body)
        for k in range(2):
            in_body[i, k] = _depth(at[arms[k]], body, regions.corners(at, outer))
            shell = regions.corners(at, shells[1 - k])
            in_hand[i] = max(in_hand[i], _depth(at[hands[k]], shell, shell))
    return MeshDepths(frames, in_body, in_hand)


@dataclass(frozen=True)
class MeshPenetration:
    """Hands and forearms in the body, and hands in each other, on a mesh."""

    body: Penetration
    hands: Penetration


def mesh_penetration(
    clip: Clip, rig: Rig, figure: Figure, settings: MeshPenetrationSettings | None = None
) -> MeshPenetration:
    """How deep and how often arms penetrate the body, and hands each other."""
    settings = settings or MeshPenetrationSettings()
    found = mesh_depths(clip, rig, figure, settings)
    deepest = found.in_body.max(axis=1)
    return MeshPenetration(
        Penetration(float(np.mean(deepest > settings.soft_m)), float(deepest.max())),
        Penetration(
            float(np.mean(found.in_hand > settings.soft_hands_m)), float(found.in_hand.max())
        ),
    )


def _thinned(regions: MeshRegions, side: str, most: int) -> Ints:
    """Vertices of a hand and of a forearm, at most so many of each."""
    chosen = []
    for part in (regions.hands, regions.forearms):
        some = np.flatnonzero(part["left" if side == "left" else "right"])
        chosen.append(some[:: max(1, len(some) // most)])
    return np.concatenate(chosen)


def _posed(figure: Figure, clip: Clip, frame: int) -> Floats:
    """Vertices ``[vertices, 3]`` of a figure in one frame."""
    from kinesphere.character.skin.skin_kernels import pose_vertices

    out = np.empty((1, *figure.positions.shape))
    pose_vertices(
        np.arange(len(figure.skeleton)),
        np.ascontiguousarray(figure.skeleton.rest_world_rotations),
        np.ascontiguousarray(figure.skeleton.rest_world_positions),
        figure.positions,
        figure.joints,
        figure.weights,
        np.ascontiguousarray(clip.world_rotations[frame : frame + 1]),
        np.ascontiguousarray(clip.world_positions[frame : frame + 1]),
        out,
    )
    return np.asarray(out[0])


def _outer_triangles(regions: MeshRegions) -> Bools:
    """Body triangles on the outer skin at rest: not those inside it, where parts overlap."""
    corners = regions.corners(regions.figure.positions, regions.body)
    front = inside_mesh(corners.mean(axis=1) + _LAYER_M * triangle_normals(corners), corners)
    out = regions.body.copy()
    out[np.flatnonzero(regions.body)[front]] = False
    return out if out.any() else regions.body


def _depth(points: Floats, corners: Floats, outer: Floats) -> float:
    """Depth of the deepest of some points inside a mesh; 0 if all are outside."""
    if len(points) == 0 or len(corners) == 0:
        return 0.0
    low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    near = points[np.all((points > low) & (points < high), axis=1)]
    within = near[inside_mesh(near, corners)] if len(near) else near
    return float(distance_to_mesh(within, outer).max()) if len(within) else 0.0
