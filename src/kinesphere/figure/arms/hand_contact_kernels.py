"""Compiled contacts of hands: points and spheres of a hand, the way out of body and other hand."""

from __future__ import annotations

import math

import numba

from kinesphere.figure.arms.elbow_kernels import read, unit, write
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.quaternion_kernels import Quaternion, Vector, product, rotate

_BEHIND_M = -0.05


@numba.njit(error_model="numpy")
def clear_distance(distance: float, soft: float) -> float:
    """Corrected distance from the skin: unchanged far off, never below 0, smooth between.

    With zero softness it is not smooth.
    """
    if soft <= 0.0:
        return max(distance, 0.0)
    gap = distance / soft
    if gap > 20.0:
        return distance
    return soft * math.log1p(math.exp(gap))


@numba.njit(error_model="numpy")
def place_joints(
    root: Floats, local: Floats, parents: Ints, offsets: Floats, rotations: Floats, places: Floats
) -> None:
    """Fill rotations and places of all joints in the world."""
    for j in range(len(parents)):
        p = parents[j]
        own = read(local, j)
        if p < 0:
            write(rotations, j, own)
            for k in range(3):
                places[j, k] = root[k]
            continue
        above = read(rotations, p)
        write(rotations, j, product(above, own))
        way = rotate(above, (offsets[j, 0], offsets[j, 1], offsets[j, 2]))
        for k in range(3):
            places[j, k] = places[p, k] + way[k]


@numba.njit(error_model="numpy")
def place_points(
    rotations: Floats, places: Floats, joints: Ints, offsets: Floats, out: Floats
) -> None:
    """Fill points ``[points, 3]`` that are fixed to joints."""
    for n in range(len(joints)):
        j = joints[n]
        way = rotate(read(rotations, j), (offsets[n, 0], offsets[n, 1], offsets[n, 2]))
        for k in range(3):
            out[n, k] = places[j, k] + way[k]


@numba.njit(error_model="numpy")
def place_palm(hand: Floats) -> None:
    """Fill the last of a hand's points: the middle of the palm, between wrist and knuckles."""
    for k in range(3):
        knuckles = hand[1, k] + hand[2, k] + hand[3, k] + hand[4, k]
        hand[len(hand) - 1, k] = 0.5 * (hand[0, k] + 0.25 * knuckles)


@numba.njit(error_model="numpy")
def hands_apart(spheres: Floats, radii: Floats, air: float, slack: float, soon: Vector) -> Vector:
    """Displacement from the right hand to the left that separates them; 0 if they are apart.

    `spheres` ``[2, n, 3]`` are the centres of each hand's spheres, `air` is the distance that they
    keep, negative for hands that may touch, `slack` the largest lack that is accepted, and how much
    farther they are moved. `soon` is
    the displacement of the left hand relative to the right one that lies ahead: they are kept apart
    then, too.
    """
    most, out = slack, (0.0, 0.0, 0.0)
    moments = 1 if soon[0] == 0.0 and soon[1] == 0.0 and soon[2] == 0.0 else 2
    for i in range(len(radii)):
        for j in range(len(radii)):
            reach = max(radii[i] + radii[j] + air, 0.0)
            for later in range(moments):
                way = (
                    spheres[0, i, 0] - spheres[1, j, 0] + later * soon[0],
                    spheres[0, i, 1] - spheres[1, j, 1] + later * soon[1],
                    spheres[0, i, 2] - spheres[1, j, 2] + later * soon[2],
                )
                square = way[0] ** 2 + way[1] ** 2 + way[2] ** 2
                if square >= reach * reach:
                    continue
                distance = math.sqrt(square)
                lack = reach - distance
                if lack > most and distance > 1e-6:
                    most = lack
                    far = (lack + slack) / distance
                    out = (far * way[0], far * way[1], far * way[2])
    return out


@numba.njit(error_model="numpy")
def palms_apart(
    apart: Vector, left: Floats, right: Floats, axes: Quaternion, ratio: float, aside: float
) -> Vector:
    """Displacement that separates hands along the line between their palms, and to the side.

    Inside each other the nearest spheres mislead, from one frame to the next in other directions.
    `apart` is the displacement along the line between those, `ratio` how much farther hands move:
    the way between palms is seldom the shortest. `left` and `right` are the middles of the palms.
    """
    size = math.sqrt(apart[0] ** 2 + apart[1] ** 2 + apart[2] ** 2)
    way = (left[0] - right[0], left[1] - right[1], left[2] - right[2])
    if size == 0.0 or way[0] ** 2 + way[1] ** 2 + way[2] ** 2 < 1e-12:
        return apart
    way = unit(way)
    out = rotate(axes, (aside, 0.0, 0.0))
    way = unit((way[0] + out[0], way[1] + out[1], way[2] + out[2]))
    return (ratio * size * way[0], ratio * size * way[1], ratio * size * way[2])


@numba.njit(error_model="numpy")
def way_out(normal: Vector, lack: float, shown: float, forward: float) -> Vector:
    """Displacement out of the body in the chest's axes, for a missing distance along its normal.

    To the front by a ratio `forward`, or to the back if the hand was there: otherwise hands would
    alternate between two directions out. At 0 it is along the normal.
    """
    if forward == 0.0:
        return (lack * normal[0], lack * normal[1], lack * normal[2])
    front = 1.0 if shown > _BEHIND_M else -1.0
    way = unit((normal[0], normal[1], front * (max(front * normal[2], 0.0) + forward)))
    along = normal[0] * way[0] + normal[1] * way[1] + normal[2] * way[2]
    far = lack / max(along, 0.35)
    return (far * way[0], far * way[1], far * way[2])
