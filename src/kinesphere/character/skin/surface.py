"""Points on the outer skin of a body, from its mesh or from its volume, and their clusters.

Of a mesh only the outer layer counts: a point of the skin has the body on one side and nothing on
the other. So skin under clothes, the inside of a mouth and cards of hair are no obstacles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.character.skin.regions import MeshRegions, joint_shares, top_weights
from kinesphere.character.skin.scattering import is_outer, scatter, triangle_normals
from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, Ints, read_only
from kinesphere.motion.body.body_volume import CORE, BodyVolume, distance
from kinesphere.motion.humanoid import Rig


@dataclass(frozen=True)
class SkinSettings:
    """Sampling of a skin; lengths for a person of 1.75 m.

    Parameters
    ----------
    spacing_m : distance of points. On a trunk of 12 cm radius the planes of neighbouring points
        are then less than 2 mm apart.
    layer_m : distance from the surface at which its two sides are tested: more than the gap
        between clothes and skin in most files, less than half a finger.
    cluster : points in a cluster.
    clear_m : distance up to which nothing is in front of the outer skin.
    underside : sine of the downward slope from which on skin is left out: hems, chins and the
        underside of a belly are no way out for a hand, which would have to dive below them.
    most, coarser : points at most, or else the spacing grows by this factor; wide skirts and hair
        have more skin than a person.
    fewest : points below which a mesh is no body, such as that of a test file.
    """

    spacing_m: float = 0.024
    layer_m: float = 0.005
    cluster: int = 24
    clear_m: float = 0.04
    underside: float = 0.5
    most: int = 1800
    coarser: float = 1.15
    fewest: int = 150


@dataclass(frozen=True, eq=False)
class SkinPoints:
    """Points of a skin in the rest pose.

    Parameters
    ----------
    points, normals : ``[n, 3]`` metres, and unit vectors outward.
    joints, weights : ``[n, 4]`` which joints carry a point and how much.
    starts : ``[clusters + 1]`` first point of every cluster, and the number of points.
    spacing_m : distance of neighbours.
    """

    points: Floats
    normals: Floats
    joints: Ints
    weights: Floats
    starts: Ints
    spacing_m: float

    def __post_init__(self) -> None:
        if len(self.points) == 0:
            raise InvalidValueError("a skin has 0 points, needed is 1")
        for name in ("points", "normals", "joints", "weights", "starts"):
            object.__setattr__(self, name, read_only(np.ascontiguousarray(getattr(self, name))))


def mesh_skin(
    regions: MeshRegions, up: Floats, scale: float, settings: SkinSettings
) -> SkinPoints | None:
    """Skin of trunk, head and thighs from a mesh; None if the mesh is no body.

    `up` is the body's own, at rest.
    """
    figure, spacing = regions.figure, settings.spacing_m * scale
    if not regions.trunk.any():
        return None
    corners = regions.corners(figure.positions, regions.trunk)
    triangles, ratios = scatter(corners, 0.7 * spacing)
    points = np.einsum("nk,nkc->nc", ratios, corners[triangles])
    normals = triangle_normals(corners)[triangles]
    whole = figure.positions[figure.triangles]
    layers = settings.layer_m * scale, settings.clear_m * scale
    outer = is_outer(points, normals, whole, *layers)
    outer &= normals @ up > -settings.underside
    outer_points = np.flatnonzero(outer)
    kept = outer_points
    while len(kept) > settings.most or kept is outer_points:
        kept = outer_points[thin_out(points[outer_points], normals[outer_points], spacing)]
        spacing *= settings.coarser if len(kept) > settings.most else 1.0
    if len(kept) < settings.fewest:
        return None
    chosen = figure.triangles[regions.trunk][triangles[kept]]
    shares = joint_shares(figure, chosen, ratios[kept])
    return cluster_skin(points[kept], normals[kept], *top_weights(shares), spacing, settings)


def thin_out(points: Floats, normals: Floats, spacing: float) -> Ints:
    """Indices of points at least `spacing` apart among those that face the same way."""
    from kinesphere.character.skin.mesh_kernels import keep_apart

    kept = np.zeros(len(points), dtype=np.bool_)
    # The order of the sequence spreads the first points over the whole body.
    order = np.argsort(np.mod(0.6180339887498949 * np.arange(len(points)), 1.0), kind="stable")
    keep_apart(np.ascontiguousarray(points), np.ascontiguousarray(normals), order, spacing, kept)
    return np.flatnonzero(kept)


def cluster_skin(
    points: Floats,
    normals: Floats,
    joints: Ints,
    weights: Floats,
    spacing: float,
    settings: SkinSettings,
) -> SkinPoints:
    """Sort points into clusters of neighbours: halved along the longest side again and again."""
    groups = [np.arange(len(points))]
    while max(len(group) for group in groups) > settings.cluster:
        halves = []
        for group in groups:
            if len(group) <= settings.cluster:
                halves.append(group)
                continue
            axis = int(np.argmax(np.ptp(points[group], axis=0)))
            order = group[np.argsort(points[group, axis], kind="stable")]
            halves += [order[: len(order) // 2], order[len(order) // 2 :]]
        groups = halves
    order = np.concatenate(groups)
    starts = np.cumsum([0, *(len(group) for group in groups)])
    return SkinPoints(points[order], normals[order], joints[order], weights[order], starts, spacing)


_ALONG, _ASIDE, _DIRECTIONS = 9, 5, 96


def volume_skin(volume: BodyVolume, rig: Rig, scale: float, settings: SkinSettings) -> SkinPoints:
    """Skin of a body volume, for characters without a mesh."""
    spacing = settings.spacing_m * scale
    turns, places = rig.skeleton.rest_world_rotations, rig.skeleton.rest_world_positions
    mid = places[volume.joints] + quaternion.rotate(turns[volume.joints], volume.offsets)
    half = quaternion.rotate(turns[volume.joints], volume.halves)
    way = _even_directions(_DIRECTIONS)
    points, shares = [], []
    for i, j, _ in volume.pieces_of(CORE):
        for t in np.linspace(0.0, 1.0, _ALONG):
            radius = (1.0 - t) * volume.radii[i] + t * volume.radii[j]
            share = np.zeros((len(way), len(rig.skeleton)))
            share[:, volume.joints[i]] += 1.0 - t
            share[:, volume.joints[j]] += t
            for s in np.linspace(-1.0, 1.0, _ASIDE):
                centre = (1.0 - t) * (mid[i] + s * half[i]) + t * (mid[j] + s * half[j])
                points.append(centre + radius * way)
                shares.append(share)
    at, carried = np.concatenate(points), np.concatenate(shares)
    found, _, normals = distance(volume, turns, places, at, CORE)
    outer = np.flatnonzero(np.abs(found) < 0.1 * spacing)
    kept = outer[thin_out(at[outer], normals[outer], spacing)]
    joints, weights = top_weights(carried[kept])
    return cluster_skin(at[kept], normals[kept], joints, weights, spacing, settings)


def _even_directions(count: int) -> Floats:
    """Unit vectors ``[count, 3]``, evenly distributed (a Fibonacci lattice)."""
    up = 1.0 - (2.0 * np.arange(count) + 1.0) / count
    angle = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(count)
    level = np.sqrt(1.0 - up * up)
    return np.stack([level * np.cos(angle), up, level * np.sin(angle)], axis=1)
