"""The plain twin of `palm_positions`: one position, frame by frame."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.gesture.gesture_space import GestureSpace, gesture_space, shoulder_width
from kinesphere.gesture.hand_zones import DISTANCES_M, centre_values
from kinesphere.gesture.placement import PALM_M, REACH_RATIO, WIDEST, least_ratio
from kinesphere.gesture.positions import DIMENSIONS, HandPosition
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import Side, arm_joints, chest_limb
from kinesphere.motion.humanoid import Rig

_ROUNDS = 10
_SETTLED = 1e-5


def world_point(
    space: GestureSpace, heights: Floats, distances: Floats, azimuths: Floats, side: Side
) -> Floats:
    """World points ``[n, 3]`` at heights, metres from the surface, and side angles."""
    directions = space.outward(azimuths, side)
    reach = space.surface(heights, directions) + distances
    return np.asarray(space.middles(heights) + reach[:, None] * directions)


def spread_point(
    space: GestureSpace,
    heights: Floats,
    distances: Floats,
    lateral: Floats,
    side: Side,
    widest: float,
) -> Floats:
    """Like `point`, at a lateral distance in metres from the body's axis, angle limited."""
    azimuths = np.zeros(len(heights))
    # The body's section is nearly circular, so each step leaves a tenth of the error.
    for _ in range(_ROUNDS):
        reach = space.surface(heights, space.outward(azimuths, side)) + distances
        before = azimuths
        azimuths = np.arcsin(np.clip(lateral / np.maximum(reach, 1e-9), -1.0, 1.0))
        azimuths = np.minimum(azimuths, widest)
        if np.abs(azimuths - before).max() < _SETTLED:
            break
    wanted = np.where(azimuths >= widest, lateral / np.sin(widest), reach)
    middles = space.middles(heights)
    return np.asarray(middles + wanted[:, None] * space.outward(azimuths, side))


def palm_position(
    rig: Rig,
    world_rotations: ArrayLike,
    world_positions: ArrayLike,
    position: HandPosition,
    side: Side,
    hand_distance: float | None = None,
) -> Floats:
    """World target ``[..., 3]`` of a palm's centre for a position: the centre of its interval.

    A target beyond 98 percent of the arm's length is moved nearer to the body
    first, and then to shoulder height.

    Parameters
    ----------
    rig : the body.
    world_rotations, world_positions : ``[..., joints, 4]`` and ``[..., joints, 3]``, its poses; the
        arms' own pose does not matter.
    position : of the hand.
    side : whose hand.
    hand_distance : palm to palm in shoulder widths, >= 0, for two hands; replaces the radial
        zone. Hands wider apart than the position's distance allows are farther from the body.

    Raises
    ------
    RigError
        If the rig lacks arms or legs.
    InvalidValueError
        If the poses are not the rig's, or the hands' distance is below 0.
    """
    if hand_distance is not None and not 0.0 <= hand_distance < np.inf:
        raise InvalidValueError(f"hand distance is {hand_distance}, allowed is a number >= 0")
    rotations = np.asarray(world_rotations, dtype=np.float64)
    batch = rotations.shape[:-2]
    joints = len(rig.skeleton)
    positions = np.asarray(world_positions, dtype=np.float64).reshape(-1, joints, 3)
    space = gesture_space(rig, rotations.reshape(-1, joints, 4), positions)
    row, out, azimuth, _ = centre_values(position)
    n = len(positions)

    def place(heights: Floats, distances: Floats) -> Floats:
        if hand_distance is None:
            return world_point(space, heights, distances, np.full(n, azimuth), side)
        lateral = np.full(n, 0.5 * hand_distance * shoulder_width(rig))
        return spread_point(space, heights, distances, lateral, side, max(WIDEST, azimuth))

    shoulders = positions[:, arm_joints(rig, side)[0]]
    longest = REACH_RATIO * chest_limb(rig, side).reach + PALM_M * space.scale
    heights = space.levels[:, round(row), 1]
    level = space.levels[:, DIMENSIONS["height"].index("shoulder"), 1]
    found = _reachable(place, heights, level, out * space.scale, shoulders, longest, space.scale)
    return found.reshape(*batch, 3)


def _reachable(
    place: Callable[[Floats, Floats], Floats],
    heights: Floats,
    level: Floats,
    out: float,
    shoulders: Floats,
    longest: float,
    scale: float,
) -> Floats:
    """Points nearest to what is asked within reach: nearer to the body, then to shoulder level."""

    def fits(points: Floats) -> Floats:
        return np.asarray(np.linalg.norm(points - shoulders, axis=-1) <= longest)

    distances = np.full(len(heights), out)
    points = place(heights, distances)
    if fits(points).all():
        return points
    least = np.full(len(heights), min(out, DISTANCES_M["touch"] * scale))
    ratio = least_ratio(lambda r: fits(place(heights, r * least + (1.0 - r) * distances)), heights)
    distances = ratio * least + (1.0 - ratio) * distances
    ratio = least_ratio(lambda r: fits(place(r * level + (1.0 - r) * heights, distances)), heights)
    return place(ratio * level + (1.0 - ratio) * heights, distances)
