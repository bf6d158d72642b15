"""Volume of a body, used to keep hands out of it.

A body is a few pieces between spheres that are attached to its bones. A piece is a tapered capsule
(rounded cone); those of the torso, which is broader than deep, are the hull of two of them side by
side. Sizes are measured on the default character and follow a rig's own height, shoulders and hips.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, Ints, frozen_floats, read_only
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import FINGERS, SPINE, Rig, finger_bones
from kinesphere.motion.measure import body_height

CORE = ("torso", "pelvis", "neck", "head", "leftUpperLeg", "rightUpperLeg")
"""The parts that no hand may enter."""

PARTS = (
    *CORE,
    "leftLowerLeg",
    "rightLowerLeg",
    "leftUpperArm",
    "leftLowerArm",
    "rightUpperArm",
    "rightLowerArm",
)
"""All parts; limbs are called like their bones."""

HEIGHT_M = 1.75
"""Height of the body that the sizes here belong to; others are scaled by theirs."""
# Of the default character, metres.
_SHOULDERS = 0.356
_HIPS = 0.184
# Rigs differ more in the positions of shoulder and hip joints than bodies differ in breadth.
_BREADTH_RANGE = (0.8, 1.3)

# Cross-sections of the trunk: height as a ratio from hip joints (0) to shoulder joints (1), half
# breadth, distance of the middle in front of the line between these joints, half depth.
_SECTIONS = {
    "seat": (0.019, 0.158, -0.012, 0.095),
    "belt": (0.178, 0.136, 0.011, 0.076),
    "waist": (0.480, 0.114, 0.022, 0.067),
    "chest": (0.839, 0.159, 0.015, 0.113),
    "collar": (0.977, 0.141, -0.010, 0.080),
}
# The two ends of the other pieces: left, up and forward of a position in the T-pose (mirrored on
# the right), and radius. A neck goes from between the shoulders to the head's joint, skull and chin
# are attached to the head's joint, limbs go from their own joint to the next.
_NECK = ((0.0, 0.035, -0.022, 0.053), (0.0, 0.005, 0.0, 0.040))
_SKULL = ((0.0, 0.109, -0.006, 0.084), (0.0, 0.105, 0.030, 0.076))
_CHIN = ((0.0, 0.054, 0.039, 0.068), (0.0, -0.006, 0.076, 0.032))
_LIMBS = {
    "UpperLeg": ("LowerLeg", (-0.004, -0.073, 0.002, 0.084), (0.001, 0.024, 0.007, 0.049)),
    "LowerLeg": ("Foot", (-0.002, -0.030, -0.008, 0.055), (0.0, 0.016, -0.001, 0.029)),
    "UpperArm": ("LowerArm", (0.023, -0.001, 0.0, 0.059), (-0.030, -0.001, -0.006, 0.031)),
    "LowerArm": ("Hand", (0.007, 0.001, -0.001, 0.036), (-0.030, 0.0, 0.002, 0.024)),
}

PALM_M, FINGER_M, THUMB_M = 0.013, 0.008, 0.010
"""Half the thickness of an adult's palm, fingers and thumb."""
# Wrist to the far end of the palm as a ratio of body height, for rigs without knuckles.
_PALM_RATIO = 0.055
# Length of a finger's last bone as a ratio of the one before it.
_TIP_RATIO = 0.8


@dataclass(frozen=True, eq=False)
class BodyVolume:
    """Pieces between spheres on the bones of one rig.

    Parameters
    ----------
    parts : names of the parts, see `PARTS`.
    joints : ``[balls]`` the joint that a sphere is attached to.
    offsets : ``[balls, 3]`` its centre from the joint, in the joint's own axes, metres.
    halves : ``[balls, 3]`` to either side of the centre, in the same axes: half the distance of
        two spheres side by side; zero for one sphere.
    radii : ``[balls]`` metres, > 0.
    pieces : ``[pieces, 3]`` first and second sphere, and the index of the part.
    """

    parts: tuple[str, ...]
    joints: Ints
    offsets: Floats
    halves: Floats
    radii: Floats
    pieces: Ints

    def __post_init__(self) -> None:
        count = len(self.joints)
        for name, shape in (("offsets", (count, 3)), ("halves", (count, 3)), ("radii", (count,))):
            object.__setattr__(self, name, frozen_floats(getattr(self, name), name, shape))
        for name in ("joints", "pieces"):
            values = np.ascontiguousarray(getattr(self, name), dtype=np.int64)
            object.__setattr__(self, name, read_only(values))
        if not np.all(self.radii > 0.0):
            raise InvalidValueError(f"radii must be > 0, the least is {self.radii.min():.3g}")

    def check(self, rotations: Floats, positions: Floats, points: Floats) -> None:
        """Raise `InvalidValueError` unless poses have the volume's joints and points are 3D."""
        joints = rotations.shape[-2] if rotations.ndim > 1 else 0
        if joints <= self.joints.max() or rotations.shape[-1] != 4:
            raise InvalidValueError(
                f"world_rotations have shape {rotations.shape}, expected (..., joints, 4) with "
                f"more than {self.joints.max()} joints"
            )
        if positions.shape[-2:] != (joints, 3):
            raise InvalidValueError(
                f"world_positions have shape {positions.shape}, expected (..., {joints}, 3)"
            )
        if points.ndim < 2 or points.shape[-1] != 3:
            raise InvalidValueError(f"points have shape {points.shape}, expected (..., points, 3)")

    def pieces_of(self, parts: Iterable[str] | None) -> Ints:
        """Pieces of the named parts, all if None; raises `InvalidValueError` for others."""
        if parts is None:
            return self.pieces
        names = list(parts)
        unknown = [name for name in names if name not in self.parts]
        if unknown or not names:
            found = f"{unknown[0]!r} is no part of the body" if unknown else "no part is named"
            raise InvalidValueError(f"{found}; parts are {', '.join(self.parts)}")
        wanted = [self.parts.index(name) for name in names]
        return np.ascontiguousarray(self.pieces[np.isin(self.pieces[:, 2], wanted)])


class _VolumeBuilder:
    """Collects spheres, positioned in the rig's T-pose, and the pieces between them."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.rotations, self.places = rig.canonical_pose
        self.scale = body_height(rig) / HEIGHT_M
        self.joints: list[int] = []
        self.rows: list[tuple[Floats, Floats, float]] = []
        self.pieces: list[tuple[int, int, int]] = []

    def ball(self, joint: int, place: Floats, radius: float, half: float = 0.0) -> int:
        """Add a sphere attached to a joint; `place` and `half` (along x) are in the T-pose."""
        back = quaternion.inverse(self.rotations[joint])
        offset = quaternion.rotate(back, place - self.places[joint])
        self.joints.append(joint)
        self.rows.append((offset, quaternion.rotate(back, np.array([half, 0.0, 0.0])), radius))
        return len(self.joints) - 1

    def by(self, joint: int, origin: Floats, end: tuple[float, ...], sign: float = 1.0) -> int:
        """Add a sphere at an end (left, up, forward, radius) from `place`; mirrored for sign -1."""
        step = self.scale * np.array([sign * end[0], end[1], end[2]])
        return self.ball(joint, origin + step, self.scale * end[3])

    def piece(self, part: str, first: int, second: int) -> None:
        self.pieces.append((first, second, PARTS.index(part)))

    def middle(self, bone: str) -> Floats:
        """Point between the left and the right joint of a bone."""
        pair = self.places[self.rig.joints((f"left{bone}", f"right{bone}"))]
        return np.asarray(pair.mean(axis=0))

    def breadth(self, bone: str, usual: float) -> float:
        """How much broader than the default character the body is at two joints."""
        left, right = self.rig.joints((f"left{bone}", f"right{bone}"))
        apart = float(abs(self.places[left, 0] - self.places[right, 0])) / (usual * self.scale)
        return self.scale * float(np.clip(apart, *_BREADTH_RANGE))

    def build(self) -> BodyVolume:
        offsets, halves, radii = zip(*self.rows, strict=True)
        return BodyVolume(
            PARTS,
            np.array(self.joints),
            np.array(offsets),
            np.array(halves),
            np.array(radii),
            np.array(self.pieces),
        )


def body_volume(rig: Rig) -> BodyVolume:
    """The volume of a rig's body.

    On the default character's mesh, seen from outside in the home pose, the surface is off by
    0.6 cm (root mean square) on the trunk and 0.4 cm on head and thighs, and by less than 1.5 cm on
    96 % of the trunk, 99 % of the head and all of the thighs; the tip of the nose sticks out by
    1.7 cm (``tests/motion/test_body_volume.py``). A rig has no information about fat, clothes and
    hair: a character with much of them is larger than its volume.

    Raises
    ------
    RigError
        If the rig lacks arms or legs.
    """
    build = _VolumeBuilder(rig.require("the volume of a body"))
    _add_trunk(build)
    _add_head(build)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for bone, (below, near, far) in _LIMBS.items():
            first, second = rig.joints((f"{side}{bone}", f"{side}{below}"))
            start = build.by(first, build.places[first], near, sign)
            end = build.by(first, build.places[second], far, sign)
            build.piece(f"{side}{bone}", start, end)
    return build.build()


def _add_trunk(build: _VolumeBuilder) -> None:
    hips, shoulders = build.middle("UpperLeg"), build.middle("UpperArm")
    below, above = build.breadth("UpperLeg", _HIPS), build.breadth("UpperArm", _SHOULDERS)
    balls = []
    for share, breadth, forward, depth in _SECTIONS.values():
        place = hips + share * (shoulders - hips) + build.scale * np.array([0.0, 0.0, forward])
        wide = breadth * (below + (above - below) * float(np.clip(share, 0.0, 1.0)))
        radius = build.scale * depth
        joint = _spine_joint(build, place[1])
        balls.append(build.ball(joint, place, radius, max(wide - radius, 0.0)))
    for i in range(len(balls) - 1):
        build.piece("torso" if i else "pelvis", balls[i], balls[i + 1])


def _spine_joint(build: _VolumeBuilder, height: float) -> int:
    """The highest joint of the back that is not above a height in the T-pose."""
    joints = build.rig.joints(bone for bone in SPINE[:4] if bone in build.rig)
    return next((j for j in reversed(joints) if build.places[j, 1] <= height), joints[0])


def _add_head(build: _VolumeBuilder) -> None:
    rig, shoulders = build.rig, build.middle("UpperArm")
    top = next(rig.bones[bone] for bone in reversed(SPINE[:4]) if bone in rig)
    joint, base = top, shoulders + build.scale * np.array([0.0, 0.143, 0.01])
    if "head" in rig:
        joint = rig.bones["head"]
        base = build.places[joint]
    for part, (first, second) in (("neck", _NECK), ("head", _SKULL), ("head", _CHIN)):
        start = build.by(top, shoulders, first) if part == "neck" else build.by(joint, base, first)
        build.piece(part, start, build.by(joint, base, second))


def distance(
    volume: BodyVolume,
    world_rotations: ArrayLike,
    world_positions: ArrayLike,
    points: ArrayLike,
    parts: Iterable[str] | None = None,
    within: float = np.inf,
) -> tuple[Floats, Ints, Floats]:
    """Signed distance of points to the surface of a body.

    Parameters
    ----------
    volume : of the rig that moves.
    world_rotations, world_positions : ``[..., joints, 4]`` and ``[..., joints, 3]``.
    points : ``[..., points, 3]`` in the world.
    parts : names of the parts that count; all by default.
    within : points farther than this many metres get this distance, part -1 and no normal, at
        almost no cost.

    Returns
    -------
    distance : ``[..., points]`` metres, negative inside. Exact outside; inside, where pieces
        overlap, it is the depth in the piece that the point is deepest in.
    part : ``[..., points]`` index into ``volume.parts`` of the nearest part, or deepest inside.
    normal : ``[..., points, 3]`` the unit direction in which the distance to that part grows
        fastest: the shortest direction out.
    """
    from kinesphere.motion.body.body_volume_kernels import nearest

    pieces = volume.pieces_of(parts)
    x = np.asarray(points, dtype=np.float64)
    rotations = np.asarray(world_rotations, dtype=np.float64)
    positions = np.asarray(world_positions, dtype=np.float64)
    volume.check(rotations, positions, x)
    batch = np.broadcast_shapes(x.shape[:-2], rotations.shape[:-2], positions.shape[:-2])

    def flat(array: Floats) -> Floats:
        full = np.broadcast_to(array, (*batch, *array.shape[-2:]))
        return np.ascontiguousarray(full.reshape(-1, *array.shape[-2:]))

    count = x.shape[-2]
    frames = int(np.prod(batch))
    found, normal = np.empty((frames, count)), np.empty((frames, count, 3))
    part = np.empty((frames, count), dtype=np.int64)
    nearest(
        volume.joints,
        volume.offsets,
        volume.halves,
        volume.radii,
        pieces,
        flat(rotations),
        flat(positions),
        flat(x),
        float(within),
        found,
        part,
        normal,
    )
    shape = (*batch, count)
    return found.reshape(shape), part.reshape(shape), normal.reshape(*shape, 3)


def hand_points(clip: Clip, rig: Rig, side: str) -> Floats:
    """Points of a hand that must not enter the body, ``[frames, k, 3]``, in the world.

    The wrist and the middle of the palm; then knuckles and finger tips as far as the rig has
    fingers, or else the far end of the palm. All lie in the middle of the hand's thickness.
    """
    hand = rig.joint(f"{side}Hand")
    wrist = clip.world_positions[:, hand]
    fingers = [f for f in FINGERS if all(b in rig for b in finger_bones(side, f))]
    knuckles = [rig.bones[finger_bones(side, f)[0]] for f in fingers if f != "Thumb"]
    if not knuckles:
        out = np.array([1.0 if side == "left" else -1.0, 0.0, 0.0])
        along = quaternion.rotate(rig.turn(clip.world_rotations, hand), out)
        end = wrist + _PALM_RATIO * body_height(rig) * along
        return np.stack([wrist, 0.5 * (wrist + end), end], axis=1)
    row = clip.world_positions[:, knuckles]
    palm = 0.5 * (wrist + row.mean(axis=1))
    tips = np.stack([_finger_tip(clip, rig, side, finger) for finger in fingers], axis=1)
    return np.concatenate([wrist[:, None], palm[:, None], row, tips], axis=1)


def _finger_tip(clip: Clip, rig: Rig, side: str, finger: str) -> Floats:
    """World path of a finger's tip: the skeleton's own, or estimated from its last two joints."""
    _, before, last = rig.joints(finger_bones(side, finger))
    at = clip.world_positions[:, last]
    for tip in clip.skeleton.tips:
        if tip.joint == last:
            return at + quaternion.rotate(clip.world_rotations[:, last], np.array(tip.offset))
    rest = rig.canonical_pose[1]
    bone = quaternion.inverse(rig.canonical_pose[0][last])
    step = quaternion.rotate(bone, _TIP_RATIO * (rest[last] - rest[before]))
    return at + quaternion.rotate(clip.world_rotations[:, last], step)


def hand_depth(
    clip: Clip, rig: Rig, side: str, parts: Iterable[str] = CORE, volume: BodyVolume | None = None
) -> Floats:
    """How deep a hand is inside the body, ``[frames]``, metres, 0 where it is outside.

    Parameters
    ----------
    clip : the motion, on the rig's skeleton.
    rig : what the joints are.
    side : ``left`` or ``right``.
    parts : what the hand may not enter; add the other arm's parts to include them.
    volume : the rig's volume if it is available, to save building it.
    """
    volume = body_volume(rig) if volume is None else volume
    points = hand_points(clip, rig, side)
    found = distance(volume, clip.world_rotations, clip.world_positions, points, parts, within=0.0)[
        0
    ]
    return np.asarray(np.maximum(-found.min(axis=1), 0.0))
