"""Grids to meshes: tubes, balls, capped bodies, and the list of a figure's parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.maths.arrays import Floats, Ints

SHELL = np.array([0.74, 0.70, 0.63])
DARK = np.array([0.035, 0.038, 0.045])
MIRROR = np.array([-1.0, 1.0, 1.0])


@dataclass(frozen=True, eq=False)
class Part:
    """A piece of mesh attached to one joint: vertices, triangles, colours, face shapes.

    `shares` (bone to weight of each vertex, summing to one) are for pieces attached to several.
    """

    bone: str
    vertices: Floats
    triangles: Ints
    colours: Floats
    morphs: dict[str, Floats] = field(default_factory=dict)
    shares: dict[str, Floats] = field(default_factory=dict)

    def other_side(self) -> Part:
        """Mirror image on the other side of the body."""
        bone = self.bone.replace("left", "right", 1)
        morphs = {other_side_name(n): d * MIRROR for n, d in self.morphs.items()}
        return Part(bone, self.vertices * MIRROR, self.triangles[:, ::-1], self.colours, morphs)


def other_side_name(name: str) -> str:
    """Name of a face shape on the other side."""
    if name.endswith("Left"):
        return name[:-4] + "Right"
    return name[:-5] + "Left" if name.endswith("Right") else name


def grid_part(
    bone: str,
    grid: Floats,
    colour: Floats,
    *,
    round_about: bool = True,
    first_cap: bool = False,
    last_cap: bool = False,
) -> Part:
    """Mesh of a grid ``[rows, columns, 3]``, columns counter-clockwise as seen from the end.

    `round_about` closes the columns to a tube; caps close its first and last row to a point.
    """
    rows, columns = grid.shape[:2]
    vertices = [grid.reshape(-1, 3)]
    triangles: list[tuple[int, int, int]] = []
    last = columns if round_about else columns - 1
    for r in range(rows - 1):
        for c in range(last):
            a, b = r * columns + c, r * columns + (c + 1) % columns
            d, e = a + columns, b + columns
            triangles += [(a, b, e), (a, e, d)]
    count = rows * columns
    if first_cap:
        vertices.append(grid[0].mean(axis=0, keepdims=True))
        triangles += [(count, (c + 1) % columns, c) for c in range(columns)]
        count += 1
    if last_cap:
        vertices.append(grid[-1].mean(axis=0, keepdims=True))
        base = (rows - 1) * columns
        triangles += [(count, base + c, base + (c + 1) % columns) for c in range(columns)]
    points = np.concatenate(vertices)
    return Part(bone, points, np.array(triangles), np.broadcast_to(colour, points.shape).copy())


def ball(
    bone: str, centre: ArrayLike, radii: ArrayLike, rows: int, columns: int, colour: Floats
) -> Part:
    """Ellipsoid along Y."""
    r = np.broadcast_to(np.asarray(radii, float), (3,))
    tilt = np.linspace(-np.pi / 2, np.pi / 2, rows + 2)[1:-1]
    turn = np.arange(columns) * 2 * np.pi / columns
    grid = np.stack(
        [
            np.cos(tilt)[:, None] * np.sin(turn),
            np.sin(tilt)[:, None] * np.ones(columns),
            np.cos(tilt)[:, None] * np.cos(turn),
        ],
        axis=-1,
    )
    part = grid_part(bone, np.array(centre) + grid * r, colour, first_cap=True, last_cap=True)
    vertices = part.vertices.copy()
    vertices[-2] = np.array(centre) - np.array([0, r[1], 0])
    vertices[-1] = np.array(centre) + np.array([0, r[1], 0])
    return Part(bone, vertices, part.triangles, part.colours)


def normals(vertices: Floats, triangles: Ints) -> Floats:
    """Smooth unit normals, every triangle weighted by its area."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    face = np.cross(b - a, c - a)
    out = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(out, triangles[:, k], face)
    return np.asarray(out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-15))


def merged(parts: Sequence[Part]) -> tuple[Floats, Ints, Floats, list[str]]:
    """Vertices, triangles, colours and the bone of every vertex of several parts."""
    vertices = np.concatenate([p.vertices for p in parts])
    colours = np.concatenate([p.colours for p in parts])
    offset, triangles, bones = 0, [], []
    for part in parts:
        triangles.append(part.triangles + offset)
        bones += [part.bone] * len(part.vertices)
        offset += len(part.vertices)
    return vertices, np.concatenate(triangles), colours, bones
