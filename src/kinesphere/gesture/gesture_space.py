"""The space around a body in a pose, in which hand positions are measured.

Each height is attached to a bone and moves with it; distance is measured from the body's surface,
outward in the horizontal plane at the hand's height; the radial zone is an angle about the body's
axis from where the chest faces (Neff, Kipp, Albrecht and Seidel 2008, section 6.4). So a hand at
the belt stays there when the torso bends or rotates.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.gesture.positions import DIMENSIONS
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.motion.body.arms import Side, chest_bone, sign_of
from kinesphere.motion.body.body_volume import CORE, BodyVolume, body_volume
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
# Ratio of the shoulder outline's width to the distance between the shoulder joints.
_OUTLINE = 1.2
# Distance from the axis at which surface rays start.
_OUTSIDE_M = 0.6
# Ray thickness, half a palm's width, so that no ray passes between the thighs.
_RAY_M = 0.04
_EXACT_M = 1e-4
_MOST_STEPS = 48
_UP = np.array([0.0, 1.0, 0.0])


def body_scale(rig: Rig) -> float:
    """Size of a body over that of a person of 1.75 m.

    Raises
    ------
    RigError
        If the rig lacks arms or legs.
    """
    return body_height(rig.require("the space around a body")) / _HEIGHT_M


def shoulder_width(rig: Rig) -> float:
    """Width of the shoulders' outline, the unit of two-hand distances, in metres."""
    places = rig.canonical_pose[1][rig.joints(("leftUpperArm", "rightUpperArm"))]
    return float(_OUTLINE * abs(places[0, 0] - places[1, 0]))


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
        ys, i = self._level_above(heights)
        n = np.arange(len(i))
        return np.asarray(i + (ys[n, i] - heights) / (ys[n, i] - ys[n, i + 1]))

    def middles(self, heights: Floats) -> Floats:
        """Points of the body's axis ``[n, 3]`` at world heights."""
        _, i = self._level_above(heights)
        ratio = np.clip(self.height_rows(heights) - i, 0.0, 1.0)[:, None]
        n = np.arange(len(i))
        points = (1.0 - ratio) * self.levels[n, i] + ratio * self.levels[n, i + 1]
        return np.stack([points[:, 0], heights, points[:, 2]], axis=-1)

    def _level_above(self, heights: Floats) -> tuple[Floats, Ints]:
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
            body_core(volume),
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
def body_core(volume: BodyVolume) -> Ints:
    """Body parts that no hand may enter."""
    return volume.pieces_of(CORE)


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
