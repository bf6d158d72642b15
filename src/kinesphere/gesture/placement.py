"""Hand positions of Table 4.1 on a body: from names to world points and back.

A hand position is that of the palm's centre in the `gesture_space` of the body; sizes are those of
a person of 1.75 m and are scaled to the body's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.gesture.gesture_space import (
    GestureSpace,
    body_core,
    body_scale,
    gesture_space,
    shoulder_width,
)
from kinesphere.gesture.hand_zones import (
    DISTANCES_M,
    centre_values,
    position_of,
    rows_of,
    wrap_angles,
)
from kinesphere.gesture.positions import DIMENSIONS, HandPosition
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats, Ints
from kinesphere.motion.body.arms import Side, arm_joints, chest_limb, measure_arm, sign_of
from kinesphere.motion.body.body_volume import BodyVolume
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig

PALM_M = 0.055
"""From the wrist to the palm's centre."""
# No arm is stretched further than this ratio of its length.
REACH_RATIO = 0.98
# Two hands held wider apart than their distance from the body allows are moved round the body up
# to this angle, and then away from it.
WIDEST = np.radians(75.0)
_HALVINGS = 11
_ROUNDS = 10
_SETTLED = 1e-5


def palm_centres(clip: Clip, rig: Rig, side: Side) -> Floats:
    """World path ``[frames, 3]`` of a palm's centre."""
    hand = rig.joint(f"{side}Hand")
    along = quaternion.rotate(
        rig.turn(clip.world_rotations, hand), np.array([float(sign_of(side)), 0.0, 0.0])
    )
    return np.asarray(clip.world_positions[:, hand] + PALM_M * body_scale(rig) * along)


def hand_distances(clip: Clip, rig: Rig) -> Floats:
    """Distance ``[frames]`` from palm to palm in shoulder widths."""
    apart = palm_centres(clip, rig, "left") - palm_centres(clip, rig, "right")
    return np.asarray(np.linalg.norm(apart, axis=-1) / shoulder_width(rig))


def palm_positions(
    rig: Rig,
    world_rotations: ArrayLike,
    world_positions: ArrayLike,
    positions: Sequence[HandPosition],
    sides: Sequence[Side],
    hand_distances: Sequence[float | None],
) -> Floats:
    """World targets ``[n, 3]`` of palm centres for positions: the centres of their intervals.

    A target beyond 98 percent of the arm's length is moved nearer to the body first, and then to
    shoulder height.

    Parameters
    ----------
    rig : the body.
    world_rotations, world_positions : ``[n, joints, 4]`` and ``[n, joints, 3]``, a pose a row.
    positions, sides : ``n`` each.
    hand_distances : ``n``, palm to palm in shoulder widths, >= 0, for two hands; replaces the
        radial zone, None for one hand. Hands wider apart than the position's distance allows are
        farther from the body.

    Raises
    ------
    RigError
        If the rig lacks arms or legs.
    InvalidValueError
        If the poses are not the rig's, the rows are not as many, or a distance is below 0.
    """
    space = gesture_space(rig, world_rotations, world_positions)
    n = len(space.levels)
    if not len(positions) == len(sides) == len(hand_distances) == n:
        raise InvalidValueError(
            f"{n} poses with {len(positions)} positions, {len(sides)} sides and "
            f"{len(hand_distances)} hand distances, expected as many of each"
        )
    for value in hand_distances:
        if value is not None and not 0.0 <= value < np.inf:
            raise InvalidValueError(f"hand distance is {value}, allowed is a number >= 0")
    if n == 0:
        return np.zeros((0, 3))
    values = np.array([centre_values(position) for position in positions])
    signs = np.array([float(sign_of(side)) for side in sides])
    apart = [np.nan if value is None else value for value in hand_distances]
    lateral = 0.5 * shoulder_width(rig) * np.array(apart)
    joints = np.array([arm_joints(rig, side)[0] for side in sides])
    shoulders = space.positions[np.arange(n), joints]
    reach = {side: chest_limb(rig, side).reach for side in set(sides)}
    longest = REACH_RATIO * np.array([reach[side] for side in sides]) + PALM_M * space.scale
    rows = _PalmTargets(_only_core(space), values[:, 2], signs, lateral, shoulders, longest)
    heights = space.levels[np.arange(n), np.round(values[:, 0]).astype(np.int64), 1]
    level = space.levels[:, DIMENSIONS["height"].index("shoulder"), 1]
    return rows.reachable(heights, level, values[:, 1] * space.scale)


def _only_core(space: GestureSpace) -> GestureSpace:
    """The same space with only the joints of the body's core, which are fewer to copy."""
    joints, volume = _core_volume(space.volume)
    return replace(
        space,
        volume=volume,
        rotations=np.ascontiguousarray(space.rotations[:, joints]),
        positions=np.ascontiguousarray(space.positions[:, joints]),
    )


@lru_cache(maxsize=8)
def _core_volume(volume: BodyVolume) -> tuple[Ints, BodyVolume]:
    """Joints of the body's core, and the volume on these alone."""
    kept = np.unique(body_core(volume)[:, :2])
    joints, where = np.unique(volume.joints[kept], return_inverse=True)
    again = np.zeros(len(volume.joints), dtype=np.int64)
    again[kept] = where
    return joints, replace(volume, joints=again)


@dataclass(frozen=True, eq=False)
class _PalmTargets:
    """Palm targets, one pose and one side per row; `lateral` is NaN for a single hand."""

    space: GestureSpace
    azimuths: Floats
    signs: Floats
    lateral: Floats
    shoulders: Floats
    longest: Floats

    def some(self, rows: Ints) -> _PalmTargets:
        """Only these rows."""
        space = replace(
            self.space,
            **{
                name: getattr(self.space, name)[rows]
                for name in ("rotations", "positions", "levels", "left", "forward")
            },
        )
        arrays = (self.azimuths, self.signs, self.lateral, self.shoulders, self.longest)
        return _PalmTargets(space, *(array[rows] for array in arrays))

    def reachable(self, heights: Floats, level: Floats, distances: Floats) -> Floats:
        """Points nearest to what is asked within reach: nearer to the body, then to `level`."""
        points = self.points(heights, distances)
        far = np.flatnonzero(~self.fits(points))
        if len(far) == 0:
            return points
        rows, heights, level, distances = (self.some(far), heights[far], level[far], distances[far])
        least = np.minimum(distances, DISTANCES_M["touch"] * self.space.scale)
        found = least_ratio(
            lambda r: rows.fits(rows.points(heights, r * least + (1.0 - r) * distances)), heights
        )
        distances = found * least + (1.0 - found) * distances
        found = least_ratio(
            lambda r: rows.fits(rows.points(r * level + (1.0 - r) * heights, distances)), heights
        )
        points[far] = rows.points(found * level + (1.0 - found) * heights, distances)
        return points

    def fits(self, points: Floats) -> Bools:
        """Whether points ``[n, 3]`` are within reach."""
        return np.asarray(np.linalg.norm(points - self.shoulders, axis=-1) <= self.longest)

    def points(self, heights: Floats, distances: Floats) -> Floats:
        """Points at heights and distances, of single hands and of pairs."""
        azimuths, reach = self.azimuths.copy(), np.empty(len(heights))
        middles = self.space.middles(heights)
        alone = np.flatnonzero(np.isnan(self.lateral))
        pairs = np.flatnonzero(~np.isnan(self.lateral))
        if len(alone):
            some = self.some(alone)
            out = some.outward(azimuths[alone])
            reach[alone] = some.space.surface_from(middles[alone], out) + distances[alone]
        if len(pairs):
            some = self.some(pairs)
            reach[pairs], azimuths[pairs] = some.spread(middles[pairs], distances[pairs])
        return np.asarray(middles + reach[:, None] * self.outward(azimuths))

    def outward(self, azimuths: Floats) -> Floats:
        """Horizontal directions ``[n, 3]`` at angles to each row's own side."""
        return self.space.outward(self.signs * azimuths, "left")

    def spread(self, middles: Floats, distances: Floats) -> tuple[Floats, Floats]:
        """Reach from the body's axis, and angle, of pairs of hands, whose angle is limited."""
        widest = np.maximum(WIDEST, self.azimuths)
        azimuths, reach = np.zeros(len(middles)), np.zeros(len(middles))
        # The body's section is nearly circular, so each step leaves a tenth of the error.
        active, rows = np.arange(len(middles)), self
        for _ in range(_ROUNDS):
            before = azimuths[active]
            out = rows.outward(before)
            found = rows.space.surface_from(middles[active], out) + distances[active]
            ratio = rows.lateral / np.maximum(found, 1e-9)
            angles = np.minimum(np.arcsin(np.clip(ratio, -1.0, 1.0)), widest[active])
            azimuths[active], reach[active] = angles, found
            moving = np.flatnonzero(np.abs(angles - before) >= _SETTLED)
            if len(moving) == 0:
                break
            if len(moving) < len(active):
                active, rows = active[moving], rows.some(moving)
        wanted = np.where(azimuths >= widest, self.lateral / np.sin(widest), reach)
        return wanted, azimuths


def least_ratio(holds: Callable[[Floats], Floats | Bools], like: Floats) -> Floats:
    """Least ratio in [0, 1] from which a condition holds, for each frame; 1 if it never does."""
    low, high = np.zeros(like.shape), np.ones(like.shape)
    high = np.where(holds(low), 0.0, high)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        good = holds(middle)
        low, high = np.where(good, low, middle), np.where(good, middle, high)
    return high


@dataclass(frozen=True, eq=False)
class MeasuredPositions:
    """Position of a hand over time.

    Parameters
    ----------
    side : which hand.
    values : ``[frames, 4]`` height as a row of the table with its fraction (0 is above the head, 6
        below the belt), metres from the body's surface on a person of 1.75 m, angle about the
        body's axis to the hand's own side and swivel of the elbow, both in radians.
    rows : ``[frames, 4]`` the rows of Table 4.1 that these are nearest to.
    """

    side: Side
    values: Floats
    rows: Ints

    def position(self, frame: int) -> HandPosition:
        """Position in one frame."""
        return position_of(self.values[frame])


def measure_positions(clip: Clip, rig: Rig, side: Side) -> MeasuredPositions:
    """Measure a hand's position in every frame, the inverse of `palm_positions`.

    Raises
    ------
    RigError
        If the rig lacks arms or legs.
    """
    space = gesture_space(rig, clip.world_rotations, clip.world_positions)
    places = space.values(palm_centres(clip, rig, side), side)
    swivels = wrap_angles(measure_arm(clip, rig, side).swivels)
    values = np.concatenate([places, swivels[:, None]], axis=-1)
    return MeasuredPositions(side, values, rows_of(values))
