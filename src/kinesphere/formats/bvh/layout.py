"""Layout of joints and channels in a BVH document, used by reading and writing."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinesphere.errors import UnreadableError
from kinesphere.formats.bvh.bvh_document import BvhDocument
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.euler import about
from kinesphere.motion.clip import Clip
from kinesphere.motion.skeleton import Skeleton, Tip

AXIS = {"X": 0, "Y": 1, "Z": 2}
UP_TURNS = {"y": quaternion.IDENTITY, "z": about("X", -0.5 * np.pi)}


@dataclass(frozen=True)
class BvhOrigin:
    """Data of the BVH file that a take was read from: the document, the unit and the up axis."""

    document: BvhDocument
    metres: float
    up: str


def skeleton_of(document: BvhDocument, notes: list[str]) -> Skeleton:
    """Joints and tips in the file's unit; names are made unique."""
    joint_of: dict[int, int] = {}
    names: list[str] = []
    used: set[str] = set()
    parents: list[int] = []
    offsets: list[tuple[float, float, float]] = []
    tips: list[Tip] = []
    for i, node in enumerate(document.nodes):
        if node.name is None:
            tips.append(Tip(joint_of[node.parent], node.offset))
            continue
        plain = _readable(node.name)
        name, count = plain, 1
        while name in used:
            count += 1
            name = f"{plain}#{count}"
        if name != plain:
            notes.append(f"two joints are called {plain!r}; one is now {name!r}")
        joint_of[i] = len(names)
        used.add(name)
        names.append(name)
        parents.append(joint_of.get(node.parent, -1))
        offsets.append(node.offset)
    return Skeleton(tuple(names), np.array(parents), np.array(offsets), tips=tuple(tips))


def _readable(name: str) -> str:
    """Name as text: bytes that are not UTF-8 are read as Latin-1."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return name.encode("utf-8", "surrogateescape").decode("latin-1")
    return name


class Columns:
    """Columns of each joint's channels in a row of values."""

    def __init__(self, document: BvhDocument) -> None:
        joints = [document.nodes[i] for i in document.joints]
        self.rotation = np.full((len(joints), 3), -1, dtype=np.int64)
        self.axes = np.zeros((len(joints), 3), dtype=np.int64)
        self.position = np.full((len(joints), 3), -1, dtype=np.int64)
        column = 0
        for j, node in enumerate(joints):
            turns = [c for c in node.channels if c.endswith("rotation")]
            self.axes[j] = three_axes([AXIS[c[0]] for c in turns])
            k = 0
            for channel in node.channels:
                if channel.endswith("rotation"):
                    self.rotation[j, k] = column
                    k += 1
                else:
                    self.position[j, AXIS[channel[0]]] = column
                column += 1

    def rotations(self, values: Floats, out: Floats) -> None:
        """Fill in rotations ``[frames, joints, 4]`` of rows of values."""
        from kinesphere.formats.bvh.bvh_kernels import rotations_from_channels

        rotations_from_channels(values, self.rotation, self.axes, out)

    def angles(self, rotations: Floats, hint: Floats, before: Floats, out: Floats) -> None:
        """Fill in values of rotations; those of `hint` stay where they give the same rotation.

        `before` are the angles of the frame before the first; then those of the last frame.
        """
        from kinesphere.formats.bvh.bvh_kernels import channels_from_rotations

        channels_from_rotations(rotations, self.rotation, self.axes, hint, before, out)

    def first_angles(self, values: Floats) -> Floats:
        """Angles ``[joints, 3]`` of the first row of values, radians; 0 where there is none."""
        out = np.zeros(self.rotation.shape)
        known = self.rotation >= 0
        if len(values):
            out[known] = np.radians(values[0, self.rotation[known]])
        return out

    @property
    def moving(self) -> list[int]:
        """Joints below the root that have position channels."""
        return [j for j in range(1, len(self.position)) if (self.position[j] >= 0).any()]


def three_axes(axes: list[int]) -> Ints:
    """Complete fewer than three rotation axes to an order that can be solved for."""
    full = list(axes)
    while len(full) < 3:
        options = [a for a in (2, 0, 1) if a not in full] or [2, 0, 1]
        full.append(next(a for a in options if not full or a != full[-1]))
    return np.array(full)


def without_gaps(document: BvhDocument, notes: list[str]) -> Floats:
    """Fill NaN by interpolation over time; a channel without any number is an error."""
    values = document.values
    missing = np.isnan(values)
    if not missing.any():
        return values
    if missing.all(axis=0).any():
        column = int(np.flatnonzero(missing.all(axis=0))[0])
        raise UnreadableError(None, f"channel {column + 1} has no number in any frame", "MOTION")
    values = values.copy()
    frames = np.arange(len(values))
    for column in np.flatnonzero(missing.any(axis=0)).tolist():
        gap = missing[:, column]
        values[gap, column] = np.interp(frames[gap], frames[~gap], values[~gap, column])
    notes.append(f"{int(missing.sum())} values were NaN; filled from the frames around them")
    return values


def rotate_world(clip: Clip, turn: Floats) -> Clip:
    """Rotate the world of a clip, with its rest pose."""
    skeleton = clip.skeleton
    rest = skeleton.rest_rotations.copy()
    rest[0] = quaternion.multiply(turn, rest[0])
    offsets = skeleton.offsets.copy()
    offsets[0] = quaternion.rotate(turn, offsets[0])
    rotations = clip.rotations.copy()
    rotations[:, 0] = quaternion.multiply(turn, rotations[:, 0])
    return replace(
        clip,
        skeleton=Skeleton(skeleton.names, skeleton.parents, offsets, rest, skeleton.tips),
        rotations=rotations,
        root_positions=quaternion.rotate(turn, clip.root_positions),
    )
