"""Hand shapes by name: their finger angles, applied to a rig's bones and measured on them.

The shapes are in ``data/hand_shapes.toml``. Angles are relative to the T-pose that rigs share,
in which all fingers are straight and parallel, so a shape fits any rig with fingers.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.gesture.lexicon import HAND_SHAPES
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, read_only
from kinesphere.motion.body.arms import Side, sign_of
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import FINGERS, Rig, finger_bones

_LONG = FINGERS[1:]
# A relaxed hand's fingers are not parallel: degrees away from the hand's axis, towards the
# thumb. Spreads are added to these.
_FAN = np.array([4.0, 0.0, -4.0, -9.0])
# Sign of a finger's spread: the index and the middle finger spread towards the thumb.
_AWAY = np.array([1.0, 1.0, -1.0, -1.0])
# Direction of the stretched thumb in the T-pose, for a hand that points along +X with the palm down
# and the thumb forward.
_THUMB = np.array([0.76, -0.13, 0.0])
_THUMB[2] = np.sqrt(1.0 - _THUMB @ _THUMB)
_OUT = np.array([1.0, 0.0, 0.0])

ANGLES: tuple[str, ...] = (
    *(f"{finger} {joint}" for finger in _LONG for joint in ("MCP", "PIP", "DIP")),
    *(f"{finger} spread" for finger in _LONG),
    "Thumb away",
    "Thumb palm",
    "Thumb MCP",
    "Thumb IP",
)
"""Measured angles of a hand, in this order; degrees. The plane of the thumb's bend is not one."""

# Weight of an angle when shapes are compared: the last joints follow the middle ones,
# and thumbs differ more between rigs than between shapes.
_WEIGHTS = np.array([1.0, 1.0, 0.5] * 4 + [0.7] * 4 + [0.5, 0.4, 0.3, 0.3])
# Tolerance of each angle within one shape.
_TOLERANCE_DEG = 14.0


@dataclass(frozen=True)
class HandShape:
    """A hand shape, degrees; see ``data/hand_shapes.toml``."""

    name: str
    index: tuple[float, float, float]
    middle: tuple[float, float, float]
    ring: tuple[float, float, float]
    little: tuple[float, float, float]
    spread: tuple[float, float, float, float]
    thumb: tuple[float, float, float, float, float]

    @property
    def fingers(self) -> Floats:
        """Flexion ``[4, 3]`` of index, middle, ring and little finger."""
        return np.array([self.index, self.middle, self.ring, self.little], dtype=np.float64)

    @property
    def angles(self) -> Floats:
        """The angles of `ANGLES`."""
        away, palm, _, mcp, ip = self.thumb
        bends = (abs(mcp), abs(ip))
        return np.array([*self.fingers.ravel(), *self.spread, away, palm, *bends])


@cache
def hand_shapes() -> Mapping[str, HandShape]:
    """All hand shapes by name, in the lexicon's order."""
    text = files("kinesphere.gesture").joinpath("data/hand_shapes.toml").read_text("utf-8")
    found = tomllib.loads(text)
    shapes = {
        name: HandShape(name, **{part: tuple(values) for part, values in entry.items()})
        for name, entry in found.items()
    }
    return MappingProxyType({name: shapes[name] for name in HAND_SHAPES})


def shape_by_name(name: str) -> HandShape:
    """Return a shape.

    Raises
    ------
    InvalidValueError
        For an unknown name; the message lists the known ones.
    """
    if name not in hand_shapes():
        raise InvalidValueError(f"hand shape {name!r}, allowed are {', '.join(HAND_SHAPES)}")
    return hand_shapes()[name]


def has_fingers(rig: Rig, side: Side) -> bool:
    """Whether a rig has all fingers of a hand."""
    return all(bone in rig for finger in FINGERS for bone in finger_bones(side, finger))


def finger_turns(shape: HandShape, side: Side) -> dict[str, Floats]:
    """Rotation of every finger bone from the T-pose relative to its parent bone, ``[4]`` each."""
    turns: dict[str, Floats] = {}
    lateral = _AWAY * np.array(shape.spread) + _FAN
    for finger, bends, aside in zip(_LONG, shape.fingers, lateral, strict=True):
        first, *others = (_bend(-_axis(2), degrees) for degrees in bends)
        # A finger is spread first, and then bends in its own plane.
        first = quaternion.multiply(_bend(-_axis(1), aside), first)
        turns |= dict(zip(finger_bones("left", finger), (first, *others), strict=True))
    turns |= dict(zip(finger_bones("left", "Thumb"), _thumb_turns(shape), strict=True))
    if side == "left":
        return turns
    return {"right" + bone[4:]: _mirror(turn) for bone, turn in turns.items()}


def _axis(i: int) -> Floats:
    return np.asarray(np.eye(3)[i])


def _bend(axis: Floats, degrees: float) -> Floats:
    return quaternion.from_axis_angle(axis, np.radians(degrees))


def _mirror(turns: Floats) -> Floats:
    """Mirror image in x = 0 of rotations ``[..., 4]``."""
    return np.asarray(turns * np.array([1.0, 1.0, -1.0, -1.0]))


def _thumb_turns(shape: HandShape) -> tuple[Floats, Floats, Floats]:
    away, palm, plane, mcp, ip = np.radians(shape.thumb)
    along = np.array([np.cos(palm) * np.cos(away), -np.sin(palm), np.cos(palm) * np.sin(away)])
    base = quaternion.between(_THUMB, along)
    # The tip moves in the direction of the fingers, or of the palm's normal.
    across = _square(_OUT, along)
    facing = np.cross(across, along)
    facing = -facing if facing[1] > 0.0 else facing
    axis = np.cross(along, np.cos(plane) * across + np.sin(plane) * facing)
    own = quaternion.rotate(quaternion.inverse(base), axis)
    first = quaternion.from_axis_angle(own, mcp)
    return base, first, quaternion.from_axis_angle(own, ip)


def _square(direction: Floats, along: Floats) -> Floats:
    """Unit direction nearest to one that is perpendicular to another."""
    rest = direction - (direction @ along) * along
    return np.asarray(rest / np.linalg.norm(rest))


def finger_angles(shape: HandShape) -> Floats:
    """All angles of a shape ``[21]``, degrees, as animation keys and interpolates them.

    Index, middle, ring and little finger (MCP, PIP, DIP each), four spreads, the thumb's five.
    """
    return np.array([*shape.fingers.ravel(), *shape.spread, *shape.thumb])


def local_finger_rotations(rig: Rig, side: Side, angles: ArrayLike) -> tuple[list[int], Floats]:
    """Joints of a hand's fingers, and their local rotations ``[n, joints, 4]``.

    These are what `with_fingers` writes for angles ``[n, 21]`` where joints between the bones are
    at rest: ``clip.rotations[:, joints] = rotations``.

    Raises
    ------
    RigError
        If the rig lacks a finger.
    """
    turns = _all_turns(np.asarray(angles, dtype=np.float64), side)
    joints, maps = _local_maps(rig, side)
    return joints, np.einsum("njk,jik->nji", turns, maps)


@lru_cache(maxsize=16)
def _local_maps(rig: Rig, side: Side) -> tuple[list[int], Floats]:
    """Matrices ``[joints, 4, 4]`` from a bone's rotation to its joint's local rotation."""
    canonical, _ = rig.canonical_pose
    parents, rest = rig.skeleton.parents, rig.skeleton.rest_rotations
    joints, maps = [], []
    for finger in FINGERS:
        above = rig.joint(f"{side}Hand")
        for bone in finger_bones(side, finger):
            joint = rig.joint(bone)
            before = quaternion.inverse(canonical[above])
            for other in rig.skeleton.path(above, int(parents[joint]))[1:]:
                before = quaternion.multiply(quaternion.inverse(rest[other]), before)
            columns = quaternion.multiply(quaternion.multiply(before, np.eye(4)), canonical[joint])
            joints.append(joint)
            maps.append(columns.T)
            above = joint
    return joints, np.array(maps)


def _all_turns(angles: Floats, side: Side) -> Floats:
    """Rotations ``[n, 15, 4]`` of the bones of thumb, index, middle, ring and little finger."""
    if angles.ndim != 2 or angles.shape[1] != 21:
        raise InvalidValueError(f"finger angles have shape {angles.shape}, expected (n, 21)")
    half = np.radians(0.5 * angles[:, :12])
    # Flexion about -Z, after the first bone's spread about -Y.
    long = np.zeros((len(angles), 12, 4))
    long[..., 0], long[..., 3] = np.cos(half), -np.sin(half)
    aside = np.radians(0.5 * (_AWAY * angles[:, 12:16] + _FAN))
    cosine, sine = np.cos(aside), np.sin(aside)
    first = long[:, ::3]
    long[:, ::3] = np.stack(
        [
            cosine * first[..., 0],
            -sine * first[..., 3],
            -sine * first[..., 0],
            cosine * first[..., 3],
        ],
        axis=-1,
    )
    turns = np.concatenate([_thumbs(np.radians(angles[:, 16:])), long], axis=1)
    return turns if sign_of(side) > 0 else _mirror(turns)


def _thumbs(angles: Floats) -> Floats:
    """Rotations ``[n, 3, 4]`` of the thumb's bones for its five angles, radians: `_thumb_turns`."""
    away, palm, plane, mcp, ip = angles.T
    along = np.stack(
        [np.cos(palm) * np.cos(away), -np.sin(palm), np.cos(palm) * np.sin(away)], axis=-1
    )
    base = quaternion.between(_THUMB, along)
    across = _OUT - along[:, :1] * along
    across /= np.linalg.norm(across, axis=-1, keepdims=True)
    facing = np.cross(across, along)
    facing = np.where(facing[:, 1:2] > 0.0, -facing, facing)
    aim = np.cos(plane)[:, None] * across + np.sin(plane)[:, None] * facing
    own = quaternion.rotate(quaternion.inverse(base), np.cross(along, aim))
    ends = [
        np.concatenate([np.cos(0.5 * a)[:, None], np.sin(0.5 * a)[:, None] * own], axis=-1)
        for a in (mcp, ip)
    ]
    return np.stack([base, *ends], axis=1)


def with_fingers(clip: Clip, rig: Rig, side: Side, turns: Mapping[str, ArrayLike]) -> Clip:
    """Apply finger rotations to a clip.

    Parameters
    ----------
    clip, rig, side : whose hand.
    turns : bones and their rotations ``[4]`` or ``[frames, 4]``, as of `finger_turns`; those the
        rig lacks are skipped.
    """
    rotations = clip.rotations.copy()
    canonical, _ = rig.canonical_pose
    parents = rig.skeleton.parents
    for finger in FINGERS:
        above = rig.joint(f"{side}Hand")
        for bone in finger_bones(side, finger):
            if bone not in rig or bone not in turns:
                continue
            joint = rig.bones[bone]
            # Between two bones there may be other joints, which keep their rotation.
            between = rig.skeleton.path(above, int(parents[joint]))[1:]
            held = _IDENTITY
            for other in between:
                held = quaternion.multiply(held, rotations[:, other])
            own = quaternion.multiply(np.asarray(turns[bone]), canonical[joint])
            local = quaternion.multiply(quaternion.inverse(canonical[above]), own)
            local = quaternion.multiply(quaternion.inverse(held), local)
            rotations[:, joint] = quaternion.normalise(local)
            above = joint
    return replace(clip, rotations=read_only(rotations))


_IDENTITY = quaternion.identity()


def measured_angles(rig: Rig, world_rotations: ArrayLike, side: Side) -> Floats:
    """Angles of a hand in poses ``[n, joints, 4]``, as `ANGLES` has them: ``[n, 20]``, degrees.

    Raises
    ------
    RigError
        If the rig lacks a finger.
    """
    world = np.asarray(world_rotations, dtype=np.float64)
    hand = rig.turn(world, rig.joint(f"{side}Hand"))
    bends, spreads = [], []
    for finger in _LONG:
        steps = _directions(rig, world, hand, side, finger, _OUT)
        bends += [_flexion(step) for step in steps]
        spreads.append(np.arcsin(np.clip(steps[0][:, 2], -1.0, 1.0)))
    thumb = _directions(rig, world, hand, side, "Thumb", _THUMB)
    away = np.arctan2(thumb[0][:, 2], thumb[0][:, 0])
    palm = np.arcsin(np.clip(-thumb[0][:, 1], -1.0, 1.0))
    folds = [np.arccos(np.clip(step @ _THUMB, -1.0, 1.0)) for step in thumb[1:]]
    out = np.degrees(np.stack([*bends, *spreads, away, palm, *folds], axis=-1))
    # Spread decreases as fingers bend.
    out[:, 12:16] = (out[:, 12:16] - _FAN * np.cos(np.stack(bends[::3], axis=-1))) * _AWAY
    return np.asarray(out)


def _flexion(steps: Floats) -> Floats:
    """Flexion ``[n]`` of bones with directions ``[n, 3]``, independent of their spread."""
    ahead = np.copysign(np.hypot(steps[:, 0], steps[:, 2]), steps[:, 0])
    return np.asarray(np.arctan2(-steps[:, 1], ahead))


def _directions(
    rig: Rig, world: Floats, hand: Floats, side: Side, finger: str, rest: Floats
) -> list[Floats]:
    """Direction ``[n, 3]`` of each finger bone in its parent bone's axes, mirrored to the left."""
    out, above = [], hand
    for bone in finger_bones(side, finger):
        turn = rig.turn(world, rig.joint(bone))
        within = quaternion.relative(above, turn)
        own = within if sign_of(side) > 0 else _mirror(within)
        out.append(quaternion.rotate(own, rest))
        above = turn
    return out


def shape_distances(angles: ArrayLike) -> Floats:
    """Distance of hands with angles ``[..., 20]`` from every shape, ``[..., 23]``.

    It is a mean over the joints in units of a shape's tolerance: about 1 at its border.
    """
    shapes = np.array([shape.angles for shape in hand_shapes().values()])
    off = (np.asarray(angles, dtype=np.float64)[..., None, :] - shapes) / _TOLERANCE_DEG
    return np.asarray(np.sqrt(np.sum(_WEIGHTS * off * off, axis=-1) / _WEIGHTS.sum()))


def nearest_shape(angles: ArrayLike) -> str:
    """Name of the shape nearest to a hand's angles ``[20]``.

    >>> nearest_shape(hand_shapes()["victory"].angles + 5.0)
    'victory'
    """
    return HAND_SHAPES[int(shape_distances(angles).argmin())]
