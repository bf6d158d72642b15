"""Hand positions of Table 4.1 on a body: from names to world points and back.

A hand position is that of the palm's centre. Each height is attached to a bone and moves with it;
distance is measured from the body's surface, outward in the horizontal plane at the hand's height;
the radial zone is an angle about the body's axis from where the chest faces (Neff, Kipp, Albrecht
and Seidel 2008, section 6.4). So a hand at the belt stays there when the torso bends or turns.
Sizes are those of a person of 1.75 m and are scaled to the body's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.gesture.positions import DIMENSIONS, DISTANCES, INCLINATIONS, RADIALS, HandPosition
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats, Ints
from kinesphere.motion.body.arms import (
    Side,
    arm_joints,
    chest_bone,
    chest_limb,
    measure_arm,
    sign_of,
)
from kinesphere.motion.body.body_volume import CORE, BodyVolume, body_volume
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.measure import body_height

_HEIGHT_M = 1.75
# Heights up to the shoulders as a ratio from hip joints (0) to shoulder joints (1);
# on a body of 1.75 m they are 1.42, 1.27, 1.11, 0.98 and 0.84 m above the floor.
_LEVELS = {"shoulder": 1.016, "chest": 0.714, "abdomen": 0.392, "belt": 0.131, "below-belt": -0.151}
# The two others: metres above the head's joint (1.86 m, and the eyes at 1.62 m).
_HEAD_LEVELS = {"above-head": 0.305, "head": 0.065}
# From the midpoint of the shoulder joints to the head joint, for rigs that have none.
_NECK_M = 0.143
# Bone to which each height is attached: the first of these that a rig has.
_BONES = {
    "above-head": ("head", "neck", "upperChest", "chest", "spine", "hips"),
    "head": ("head", "neck", "upperChest", "chest", "spine", "hips"),
    "shoulder": ("upperChest", "chest", "spine", "hips"),
    "chest": ("chest", "upperChest", "spine", "hips"),
    "abdomen": ("spine", "hips"),
    "belt": ("hips",),
    "below-belt": ("hips",),
}
_DISTANCES_M = {"touch": 0.03, "close": 0.14, "normal": 0.27, "far": 0.46}
_RADIALS_DEG = {"inward": -15.0, "front": 15.0, "side": 40.0, "out": 65.0, "far-out": 90.0}
_INCLINATIONS_DEG = {"touch": 5.0, "normal": 25.0, "out": 50.0, "orthogonal": 80.0}
PALM_M = 0.055
"""From the wrist to the palm's centre."""

# No arm is stretched further than this ratio of its length.
_REACH_RATIO = 0.98
# Ratio of the shoulder outline's width to the distance between the shoulder joints.
_OUTLINE = 1.2
# Two hands held wider apart than their distance from the body allows are moved round the body up
# to this angle, and then away from it.
_WIDEST = np.radians(75.0)
# Distance from the axis at which surface rays start.
_OUTSIDE_M = 0.6
# Ray thickness, half a palm's width, so that no ray passes between the thighs.
_RAY_M = 0.04
_EXACT_M = 1e-4
_MOST_STEPS = 48
_HALVINGS = 11
_ROUNDS = 10
_SETTLED = 1e-5
_UP = np.array([0.0, 1.0, 0.0])


def _centres() -> tuple[Floats, Floats, Floats]:
    return (
        np.array([_DISTANCES_M[name] for name in DISTANCES]),
        np.radians([_RADIALS_DEG[name] for name in RADIALS]),
        np.radians([_INCLINATIONS_DEG[name] for name in INCLINATIONS]),
    )


_DISTANCE, _AZIMUTH, _SWIVEL = _centres()


def elbow_swivel(position: HandPosition) -> float:
    """Elbow swivel, radians outward from straight below the line from shoulder to wrist."""
    return float(_SWIVEL[position.indices[3]])


def centre_values(position: HandPosition) -> Floats:
    """Middle of a position's intervals ``[4]``, as `HandPlaces.values` has them."""
    h, d, r, s = position.indices
    return np.array([float(h), _DISTANCE[d], _AZIMUTH[r], _SWIVEL[s]])


def rows_of(values: ArrayLike) -> Ints:
    """Rows of Table 4.1 ``[..., 4]`` nearest to measured values ``[..., 4]``.

    >>> rows_of(centre_values(HandPosition("chest", "far", "side", "out")))
    array([3, 0, 2, 1])
    """
    x = np.asarray(values, dtype=np.float64)
    last = len(DIMENSIONS["height"]) - 1
    # Round halves up: a rule that does not depend on the row.
    rows = [np.clip(np.floor(x[..., 0] + 0.5), 0, last).astype(np.int64)]
    rows.append(np.abs(x[..., 1, None] - _DISTANCE).argmin(axis=-1))
    rows += [np.abs(_wrapped(x[..., k, None] - c)).argmin(axis=-1) for k, c in _ANGLES]
    return np.stack(rows, axis=-1)


_ANGLES = ((2, _AZIMUTH), (3, _SWIVEL))


def position_of(values: ArrayLike) -> HandPosition:
    """Position nearest to four measured values.

    >>> str(position_of([2.4, 0.1, 0.2, 0.5]))
    'shoulder/close/front/normal'
    """
    rows = rows_of(values)
    return HandPosition.of_names(
        [names[int(row)] for names, row in zip(DIMENSIONS.values(), rows, strict=True)]
    )


def _wrapped(angle: Floats) -> Floats:
    """Angles wrapped to [-pi, pi)."""
    return np.asarray((angle + np.pi) % (2.0 * np.pi) - np.pi)


def body_scale(rig: Rig) -> float:
    """Size of a body over that of a person of 1.75 m.

    Raises
    ------
    RigError
        If the rig lacks arms or legs.
    """
    return body_height(rig.required("the space around a body")) / _HEIGHT_M


def shoulder_width(rig: Rig) -> float:
    """Width of the shoulders' outline, the unit of two-hand distances, in metres."""
    places = rig.canonical_pose[1][rig.joints(("leftUpperArm", "rightUpperArm"))]
    return float(_OUTLINE * abs(places[0, 0] - places[1, 0]))


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


@dataclass(frozen=True, eq=False)
class GestureSpace:
    """The space around a body in given poses, in world coordinates.

    Parameters
    ----------
    volume : of the body.
    rotations, positions : ``[n, joints, 4]`` and ``[n, joints, 3]``, the poses.
    levels : ``[n, 7, 3]`` the middle of the body at each height of the table, from the top.
    left, forward : ``[n, 3]`` horizontal directions of the chest's left and front.
    scale : the body's size over that of a person of 1.75 m.
    """

    volume: BodyVolume
    rotations: Floats
    positions: Floats
    levels: Floats
    left: Floats
    forward: Floats
    scale: float

    def height_rows(self, heights: Floats) -> Floats:
        """Rows of the table ``[n]``, with fractions, of world heights in metres."""
        ys, i = self._found(heights)
        n = np.arange(len(i))
        return np.asarray(i + (ys[n, i] - heights) / (ys[n, i] - ys[n, i + 1]))

    def middles(self, heights: Floats) -> Floats:
        """Points of the body's axis ``[n, 3]`` at world heights."""
        _, i = self._found(heights)
        ratio = np.clip(self.height_rows(heights) - i, 0.0, 1.0)[:, None]
        n = np.arange(len(i))
        points = (1.0 - ratio) * self.levels[n, i] + ratio * self.levels[n, i + 1]
        return np.stack([points[:, 0], heights, points[:, 2]], axis=-1)

    def _found(self, heights: Floats) -> tuple[Floats, Ints]:
        """Heights of the levels ``[n, 7]``, made descending, and the level above each height."""
        ys = np.minimum.accumulate(self.levels[..., 1], axis=-1)
        # A torso bent to the horizontal has several levels at one height.
        ys = ys - 1e-6 * self.scale * np.arange(ys.shape[-1])
        above = np.sum(ys > heights[:, None], axis=-1) - 1
        return ys, np.clip(above, 0, ys.shape[-1] - 2)

    def outward(self, azimuths: Floats, side: Side) -> Floats:
        """Horizontal unit directions ``[n, 3]`` at angles from the chest's front to a side."""
        sine = sign_of(side) * np.sin(azimuths)[:, None]
        return np.asarray(np.cos(azimuths)[:, None] * self.forward + sine * self.left)

    def surface(self, heights: Floats, directions: Floats) -> Floats:
        """Distance of the body's surface from its axis ``[n]``; 0 where there is no body.

        A thick ray starts outside and steps by the distance that is certainly free.
        """
        return self.surface_from(self.middles(heights), directions)

    def surface_from(self, middles: Floats, directions: Floats) -> Floats:
        """Like `surface`, from points of the body's axis ``[n, 3]``."""
        from kinesphere.gesture.placement_kernels import surfaces

        volume, out = self.volume, np.empty(len(middles))
        surfaces(
            volume.joints,
            volume.offsets,
            volume.halves,
            volume.radii,
            _core(volume),
            self.rotations,
            self.positions,
            np.ascontiguousarray(middles),
            np.ascontiguousarray(directions),
            _OUTSIDE_M * self.scale,
            _RAY_M * self.scale,
            _EXACT_M * self.scale,
            _MOST_STEPS,
            out,
        )
        return out

    def point(self, heights: Floats, distances: Floats, azimuths: Floats, side: Side) -> Floats:
        """World points ``[n, 3]`` at heights, metres from the surface, and side angles."""
        directions = self.outward(azimuths, side)
        reach = self.surface(heights, directions) + distances
        return np.asarray(self.middles(heights) + reach[:, None] * directions)

    def spread_point(
        self, heights: Floats, distances: Floats, lateral: Floats, side: Side, widest: float
    ) -> Floats:
        """Like `point`, at a lateral distance in metres from the body's axis, angle limited."""
        azimuths = np.zeros(len(heights))
        # The body's section is nearly circular, so each step leaves a tenth of the error.
        for _ in range(_ROUNDS):
            reach = self.surface(heights, self.outward(azimuths, side)) + distances
            before = azimuths
            azimuths = np.arcsin(np.clip(lateral / np.maximum(reach, 1e-9), -1.0, 1.0))
            azimuths = np.minimum(azimuths, widest)
            if np.abs(azimuths - before).max() < _SETTLED:
                break
        wanted = np.where(azimuths >= widest, lateral / np.sin(widest), reach)
        middles = self.middles(heights)
        return np.asarray(middles + wanted[:, None] * self.outward(azimuths, side))

    def values(self, points: Floats, side: Side) -> Floats:
        """Measure world points ``[n, 3]``: row of height, metres (of 1.75 m), angle ``[n, 3]``."""
        heights = points[:, 1]
        away = points - self.middles(heights)
        ahead = np.sum(away * self.forward, axis=-1)
        across = sign_of(side) * np.sum(away * self.left, axis=-1)
        azimuths = np.arctan2(across, ahead)
        clear = np.hypot(across, ahead) - self.surface(heights, self.outward(azimuths, side))
        return np.stack([self.height_rows(heights), clear / self.scale, azimuths], axis=-1)


def gesture_space(rig: Rig, world_rotations: ArrayLike, world_positions: ArrayLike) -> GestureSpace:
    """Return the space around a rig's body in poses ``[n, joints, 4]`` and ``[n, joints, 3]``.

    Raises
    ------
    RigError
        If the rig lacks arms or legs.
    InvalidValueError
        If the arrays are not of such shapes.
    """
    scale = body_scale(rig)
    rotations = np.asarray(world_rotations, dtype=np.float64)
    positions = np.asarray(world_positions, dtype=np.float64)
    expected = (*rotations.shape[:1], len(rig.skeleton))
    if rotations.shape != (*expected, 4) or positions.shape != (*expected, 3):
        raise InvalidValueError(
            f"world_rotations have shape {rotations.shape} and world_positions {positions.shape}, "
            f"expected (n, {len(rig.skeleton)}, 4) and (n, {len(rig.skeleton)}, 3)"
        )
    left, forward = _facing(rig.turn(rotations, rig.joint(chest_bone(rig))))
    levels = _levels(rig, scale, rotations, positions)
    poses = (np.ascontiguousarray(rotations), np.ascontiguousarray(positions))
    return GestureSpace(_volume(rig), *poses, levels, left, forward, scale)


@lru_cache(maxsize=8)
def _volume(rig: Rig) -> BodyVolume:
    """Volume of a rig's body, cached."""
    return body_volume(rig)


@lru_cache(maxsize=8)
def _core(volume: BodyVolume) -> Ints:
    """Body parts that no hand may enter."""
    return volume.chosen(CORE)


def _facing(turns: Floats) -> tuple[Floats, Floats]:
    """Horizontal left and forward directions ``[n, 3]`` of a chest rotated from the T-pose.

    Its left stays horizontal when it bends forward, so left decides; a chest lying on its side has
    only its forward direction.
    """
    left = quaternion.rotate(turns, np.array([1.0, 0.0, 0.0])) * np.array([1.0, 0.0, 1.0])
    ahead = quaternion.rotate(turns, np.array([0.0, 0.0, 1.0])) * np.array([1.0, 0.0, 1.0])
    lying = np.linalg.norm(left, axis=-1, keepdims=True) < 1e-6
    left = np.where(lying, np.cross(_UP, ahead), left)
    left = left / np.maximum(np.linalg.norm(left, axis=-1, keepdims=True), 1e-12)
    return left, np.cross(left, _UP)


def _levels(rig: Rig, scale: float, rotations: Floats, positions: Floats) -> Floats:
    """Middle of the body at each height of the table ``[n, 7, 3]``."""
    axes, places = rig.canonical_pose
    hips = places[rig.joints(("leftUpperLeg", "rightUpperLeg"))].mean(axis=0)
    shoulders = places[rig.joints(("leftUpperArm", "rightUpperArm"))].mean(axis=0)
    base = shoulders + scale * _NECK_M * _UP
    if "head" in rig:
        base = np.array([base[0], places[rig.bones["head"], 1], base[2]])
    out = []
    for name in DIMENSIONS["height"]:
        if name in _HEAD_LEVELS:
            place = base + scale * _HEAD_LEVELS[name] * _UP
        else:
            place = hips + _LEVELS[name] * (shoulders - hips)
        joint = rig.joint(next(bone for bone in _BONES[name] if bone in rig))
        offset = quaternion.rotate(quaternion.inverse(axes[joint]), place - places[joint])
        out.append(positions[:, joint] + quaternion.rotate(rotations[:, joint], offset))
    return np.stack(out, axis=1)


def palm_place(
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
            return space.point(heights, distances, np.full(n, azimuth), side)
        lateral = np.full(n, 0.5 * hand_distance * shoulder_width(rig))
        return space.spread_point(heights, distances, lateral, side, max(_WIDEST, azimuth))

    shoulders = positions[:, arm_joints(rig, side)[0]]
    longest = _REACH_RATIO * chest_limb(rig, side).reach + PALM_M * space.scale
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
    least = np.full(len(heights), min(out, _DISTANCES_M["touch"] * scale))
    ratio = _bisected(lambda r: fits(place(heights, r * least + (1.0 - r) * distances)), heights)
    distances = ratio * least + (1.0 - ratio) * distances
    ratio = _bisected(lambda r: fits(place(r * level + (1.0 - r) * heights, distances)), heights)
    return place(ratio * level + (1.0 - ratio) * heights, distances)


def _bisected(holds: Callable[[Floats], Floats | Bools], like: Floats) -> Floats:
    """Least ratio in [0, 1] from which a condition holds, for each frame; 1 if it never does."""
    low, high = np.zeros(like.shape), np.ones(like.shape)
    high = np.where(holds(low), 0.0, high)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        good = holds(middle)
        low, high = np.where(good, low, middle), np.where(good, middle, high)
    return high


def palm_places(
    rig: Rig,
    world_rotations: ArrayLike,
    world_positions: ArrayLike,
    positions: Sequence[HandPosition],
    sides: Sequence[Side],
    hand_distances: Sequence[float | None],
) -> Floats:
    """World targets ``[n, 3]`` for many positions: `palm_place` of each row.

    Parameters
    ----------
    rig : the body.
    world_rotations, world_positions : ``[n, joints, 4]`` and ``[n, joints, 3]``, a pose a row.
    positions, sides, hand_distances : ``n`` each, as for `palm_place`.

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
    longest = _REACH_RATIO * np.array([reach[side] for side in sides]) + PALM_M * space.scale
    rows = _Rows(_only_core(space), values[:, 2], signs, lateral, shoulders, longest)
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
    kept = np.unique(_core(volume)[:, :2])
    joints, where = np.unique(volume.joints[kept], return_inverse=True)
    again = np.zeros(len(volume.joints), dtype=np.int64)
    again[kept] = where
    return joints, replace(volume, joints=again)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Palm targets, one pose and one side per row; `lateral` is NaN for a single hand."""

    space: GestureSpace
    azimuths: Floats
    signs: Floats
    lateral: Floats
    shoulders: Floats
    longest: Floats

    def some(self, rows: Ints) -> _Rows:
        """Only these rows."""
        space = replace(
            self.space,
            **{
                name: getattr(self.space, name)[rows]
                for name in ("rotations", "positions", "levels", "left", "forward")
            },
        )
        arrays = (self.azimuths, self.signs, self.lateral, self.shoulders, self.longest)
        return _Rows(space, *(array[rows] for array in arrays))

    def reachable(self, heights: Floats, level: Floats, distances: Floats) -> Floats:
        """Points nearest to what is asked within reach: nearer to the body, then to `level`."""
        points = self.place(heights, distances)
        far = np.flatnonzero(~self.fits(points))
        if len(far) == 0:
            return points
        rows, heights, level, distances = (self.some(far), heights[far], level[far], distances[far])
        least = np.minimum(distances, _DISTANCES_M["touch"] * self.space.scale)
        found = _bisected(
            lambda r: rows.fits(rows.place(heights, r * least + (1.0 - r) * distances)), heights
        )
        distances = found * least + (1.0 - found) * distances
        found = _bisected(
            lambda r: rows.fits(rows.place(r * level + (1.0 - r) * heights, distances)), heights
        )
        points[far] = rows.place(found * level + (1.0 - found) * heights, distances)
        return points

    def fits(self, points: Floats) -> Bools:
        """Whether points ``[n, 3]`` are within reach."""
        return np.asarray(np.linalg.norm(points - self.shoulders, axis=-1) <= self.longest)

    def place(self, heights: Floats, distances: Floats) -> Floats:
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
        """Reach from the body's axis, and angle, of pairs of hands: as `spread_point`."""
        widest = np.maximum(_WIDEST, self.azimuths)
        azimuths, reach = np.zeros(len(middles)), np.zeros(len(middles))
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


@dataclass(frozen=True, eq=False)
class HandPlaces:
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


def place_of(clip: Clip, rig: Rig, side: Side) -> HandPlaces:
    """Measure a hand's position in every frame, the inverse of `palm_place`.

    Raises
    ------
    RigError
        If the rig lacks arms or legs.
    """
    space = gesture_space(rig, clip.world_rotations, clip.world_positions)
    places = space.values(palm_centres(clip, rig, side), side)
    swivels = _wrapped(measure_arm(clip, rig, side).swivels)
    values = np.concatenate([places, swivels[:, None]], axis=-1)
    return HandPlaces(side, values, rows_of(values))
