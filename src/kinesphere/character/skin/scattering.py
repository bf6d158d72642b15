"""Points scattered over triangles, and which of them are on the outer skin."""

from __future__ import annotations

import numpy as np

from kinesphere.character.skin.inside import inside_mesh
from kinesphere.maths.arrays import Bools, Floats, Ints

# Steps of the R2 low-discrepancy sequence: powers of the inverse plastic number.
_R2 = (0.7548776662466927, 0.5698402909980532)


def scatter(corners: Floats, spacing: float) -> tuple[Ints, Floats]:
    """Points on triangles ``[triangles, 3, 3]``, evenly, at least one on each that has an area.

    Returns
    -------
    triangles, ratios : ``[n]`` the triangle of each point, and ``[n, 3]`` its barycentric ratios.
    """
    area = 0.5 * np.linalg.norm(triangle_normals(corners, unit=False), axis=1)
    counts = np.where(area > 0.0, np.ceil(area / spacing**2), 0.0).astype(np.int64)
    triangles = np.repeat(np.arange(len(corners)), counts)
    index = np.arange(len(triangles)) - np.repeat(np.cumsum(counts) - counts, counts)
    u, v = np.mod(0.5 + np.outer(_R2, index), 1.0)
    fold = u + v > 1.0
    u, v = np.where(fold, 1.0 - u, u), np.where(fold, 1.0 - v, v)
    single = counts[triangles] == 1
    u, v = np.where(single, 1.0 / 3.0, u), np.where(single, 1.0 / 3.0, v)
    return triangles, np.stack([1.0 - u - v, u, v], axis=1)


def triangle_normals(corners: Floats, unit: bool = True) -> Floats:
    """Normals ``[triangles, 3]``, outward; of twice the area's length if not `unit`."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    if not unit:
        return np.asarray(normals)
    return np.asarray(normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-15))


def is_outer(
    points: Floats, normals: Floats, corners: Floats, layer: float, clear: float = 0.0
) -> Bools:
    """Whether a point of a surface has the body of `corners` behind it and nothing in front.

    `layer` is the distance of both tests. With `clear` there must be nothing in front up to that
    distance: the lining of clothes faces the body, however far that is.
    """
    out = inside_mesh(points - layer * normals, corners)
    for step in np.linspace(layer, max(layer, clear), 3 if clear > layer else 1):
        some = np.flatnonzero(out)
        out[some] = ~inside_mesh(points[some] + step * normals[some], corners)
    return out
