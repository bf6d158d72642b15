"""Whether points are inside a mesh, and how deep.

Meshes of characters are neither closed nor single: clothes lie over skin, sleeves end, an arm that
is left out leaves a hole. So rays are cast from a point in 24 directions, and the surfaces that
each leaves and enters are counted; a point from which most leave more than they enter is inside.
This is the winding number by samples: exact for closed meshes, tolerant of holes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats

# Axes of the rays: the world's, and three frames between them.
_FRAMES = quaternion.to_matrix(
    quaternion.exp(np.array([[0.0, 0.0, 0.0], [0.7, 0.3, 0.2], [-0.2, 0.8, 0.5], [0.4, -0.5, 0.7]]))
)
# Ratio of rays that must leave the mesh: a skirt is open above and below.
_MOST = 0.5


def inside_mesh(points: ArrayLike, corners: ArrayLike) -> Bools:
    """Whether points ``[points, 3]`` are inside triangles ``[triangles, 3, 3]``.

    Triangles are counter-clockwise from outside. Those of closed meshes that overlap count as
    one body.
    """
    from kinesphere.character.skin.mesh_kernels import count_crossings

    at, shape = np.asarray(points, dtype=np.float64), np.asarray(corners, dtype=np.float64)
    crossings = np.zeros((len(at), 6), dtype=np.int64)
    leaving = np.zeros(len(at))
    for axes in _FRAMES:
        count_crossings(np.ascontiguousarray(at @ axes), shape @ axes, crossings)
        leaving += (crossings > 0).sum(axis=1)
    return np.asarray(leaving >= _MOST * 6 * len(_FRAMES))


def distance_to_mesh(points: ArrayLike, corners: ArrayLike) -> Floats:
    """Distance ``[points]`` to the nearest of some triangles ``[triangles, 3, 3]``, unsigned."""
    from kinesphere.character.skin.mesh_kernels import nearest_triangle

    at = np.ascontiguousarray(points, dtype=np.float64)
    out = np.empty(len(at))
    nearest_triangle(at, np.ascontiguousarray(corners, dtype=np.float64), out)
    return out
