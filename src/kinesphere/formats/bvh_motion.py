"""BVH documents as motion: units, axes, Euler channels, and the way back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from os import PathLike

import numpy as np

from kinesphere.character.naming import RigReport, identify
from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.formats.bvh import BvhDocument, BvhNode, read_document, write_document
from kinesphere.formats.units import Unit, named_unit, recognised_unit
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.euler import about
from kinesphere.motion.calibration import calibration_frames, calibration_note
from kinesphere.motion.clip import Clip, rest_clip
from kinesphere.motion.kinematics import forward_kinematics
from kinesphere.motion.known_rigs import known_skeleton
from kinesphere.motion.measure import body_height
from kinesphere.motion.skeleton import Skeleton, Tip
from kinesphere.motion.take import Take
from kinesphere.motion.zeroing import zeroed_clip

_AXIS = {"X": 0, "Y": 1, "Z": 2}
_UP_TURNS = {"y": quaternion.IDENTITY, "z": about("X", -0.5 * np.pi)}
_ROOT_CHANNELS = ("Xposition", "Yposition", "Zposition")
_ROTATIONS = ("Zrotation", "Xrotation", "Yrotation")
_DECIMALS = 6


@dataclass(frozen=True)
class BvhOrigin:
    """What a take from a BVH file remembers of it: the document, the unit and the axis up."""

    document: BvhDocument
    metres: float
    up: str


def read_bvh(
    path: str | PathLike[str], *, unit: str = "auto", up: str = "auto", partial: bool = False
) -> Take:
    """Read a BVH file as a take.

    Parameters
    ----------
    path : the file.
    unit : ``auto`` (by body height), ``m``, ``cm``, ``mm``, ``inch``, ``cmu``, or metres a unit.
    up : ``auto``, ``y`` or ``z``: the file's vertical axis.
    partial : accept a file that ends before its last frame.
    """
    document = read_document(path, partial=partial)
    try:
        return take_of(document, unit=unit, up=up)
    except UnreadableError as error:
        raise error.at(path) from None


def take_of(document: BvhDocument, *, unit: str = "auto", up: str = "auto") -> Take:
    """Turn a document into motion in metres, Y up; see `read_bvh`."""
    if up not in ("auto", *_UP_TURNS):
        raise InvalidValueError(f"up is {up!r}, allowed are auto, y, z")
    notes = list(document.notes)
    skeleton = known_skeleton(_skeleton(document, notes))
    columns = _Columns(document)
    values = _without_gaps(document, notes)
    rotations = np.empty((len(values), len(skeleton), 4))
    columns.rotations(values, rotations)
    rotations.flags.writeable = False  # so that the clip takes it over without a copy
    report = identify(skeleton, rotations)
    measure = named_unit(unit) if unit != "auto" else recognised_unit(body_height(report.rig))
    notes.append(measure.note)
    clip = _scaled_clip(document, skeleton, columns, values, rotations, measure)
    axis = _vertical(clip, report, values) if up == "auto" else up
    if axis == "z":
        notes.append("Z is up in the file; turned so that Y is up")
        clip = _turned(clip, _UP_TURNS["z"])
    leading = calibration_frames(clip)
    if leading:
        notes.append(calibration_note(leading))
    provenance = {
        "format": "bvh",
        "unit": measure.name,
        "unit_m": measure.metres,
        "up": axis,
        "convention": report.convention,
        "notes": notes,
    }
    return Take(clip, provenance=provenance, origin=BvhOrigin(document, measure.metres, axis))


def _skeleton(document: BvhDocument, notes: list[str]) -> Skeleton:
    """Joints and tips in the file's unit; names made unique."""
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
    """Name as text: bytes that are no UTF-8 are read as Latin-1."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return name.encode("utf-8", "surrogateescape").decode("latin-1")
    return name


class _Columns:
    """Where each joint's channels stand in a row of values."""

    def __init__(self, document: BvhDocument) -> None:
        joints = [document.nodes[i] for i in document.joints]
        self.rotation = np.full((len(joints), 3), -1, dtype=np.int64)
        self.axes = np.zeros((len(joints), 3), dtype=np.int64)
        self.position = np.full((len(joints), 3), -1, dtype=np.int64)
        column = 0
        for j, node in enumerate(joints):
            turns = [c for c in node.channels if c.endswith("rotation")]
            self.axes[j] = _three_axes([_AXIS[c[0]] for c in turns])
            k = 0
            for channel in node.channels:
                if channel.endswith("rotation"):
                    self.rotation[j, k] = column
                    k += 1
                else:
                    self.position[j, _AXIS[channel[0]]] = column
                column += 1

    def rotations(self, values: Floats, out: Floats) -> None:
        from kinesphere.formats.bvh_kernels import rotations_from_channels

        rotations_from_channels(values, self.rotation, self.axes, out)

    def angles(self, rotations: Floats, hint: Floats, out: Floats) -> None:
        from kinesphere.formats.bvh_kernels import channels_from_rotations

        channels_from_rotations(rotations, self.rotation, self.axes, hint, out)

    @property
    def moving(self) -> list[int]:
        """Joints below the root that have position channels."""
        return [j for j in range(1, len(self.position)) if (self.position[j] >= 0).any()]


def _three_axes(axes: list[int]) -> Ints:
    """Complete fewer than three rotation axes to an order that can be solved for."""
    full = list(axes)
    while len(full) < 3:
        options = [a for a in (2, 0, 1) if a not in full] or [2, 0, 1]
        full.append(next(a for a in options if not full or a != full[-1]))
    return np.array(full)


def _without_gaps(document: BvhDocument, notes: list[str]) -> Floats:
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


def _scaled_clip(
    document: BvhDocument,
    skeleton: Skeleton,
    columns: _Columns,
    values: Floats,
    rotations: Floats,
    unit: Unit,
) -> Clip:
    scaled = known_skeleton(skeleton.scaled(unit.metres))
    fps = 1.0 / document.frame_time_s
    if len(values) == 0:
        return rest_clip(scaled, fps=fps)

    def positions(joint: int) -> Floats:
        out = np.tile(skeleton.offsets[joint], (len(values), 1))
        for axis, column in enumerate(columns.position[joint]):
            if column >= 0:
                out[:, axis] = values[:, column]
        return out * unit.metres

    moved = {j: positions(j) for j in columns.moving}
    moving = [j for j, path in moved.items() if np.any(path != scaled.offsets[j])]
    paths = [moved[j] for j in moving]
    return Clip(
        scaled,
        fps,
        positions(0),
        rotations,
        tuple(moving),
        np.stack(paths, axis=1) if paths else None,  # type: ignore[arg-type]
    )


def _vertical(clip: Clip, report: RigReport, values: Floats) -> str:
    """Axis along which the body stands in nearly all of the motion."""
    rig = report.rig
    if rig.missing:
        return "y"
    top = next((b for b in ("head", "neck", "chest", "spine") if b in rig), None)
    if top is None:
        return "y"
    some = np.unique(np.linspace(0, len(clip) - 1, 200).astype(np.int64))
    _, places = forward_kinematics(clip.skeleton, clip.rotations[some], clip.root_positions[some])
    feet = 0.5 * (places[:, rig.bones["leftFoot"]] + places[:, rig.bones["rightFoot"]])
    up = places[:, rig.bones[top]] - feet
    up /= np.maximum(np.linalg.norm(up, axis=1, keepdims=True), 1e-12)
    upright = np.cos(np.radians(40.0))
    return "z" if np.mean(up[:, 2] > upright) > 0.9 else "y"


def _turned(clip: Clip, turn: Floats) -> Clip:
    """Turn the world of a clip; its rest pose turns along."""
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


def write_bvh(take: Take, path: str | PathLike[str], *, unit: str = "auto") -> None:
    """Write a take as BVH; see `document_of`."""
    write_document(document_of(take, unit=unit), path)


def document_of(take: Take, *, unit: str = "auto") -> BvhDocument:
    """Turn motion into a BVH document.

    A take that came from a BVH file, or stands on the skeleton of one, keeps that file's unit,
    axes, names, end sites and channel order, and the very numbers of frames that did not change.
    Anything else is written in centimetres, Y up, rotations in the order Z X Y, six decimals.
    """
    origin = take.origin
    if isinstance(origin, BvhOrigin) and unit == "auto" and _fits(take.clip, origin):
        return _like(take.clip, origin)
    metres = named_unit("cm" if unit == "auto" else unit).metres
    clip = zeroed_clip(take.clip)
    nodes = _fresh_nodes(clip, metres)
    blank = BvhDocument(nodes, 1.0 / clip.fps, np.zeros((0, sum(len(n.channels) for n in nodes))))
    return _filled(clip, blank, metres)


def _fits(clip: Clip, origin: BvhOrigin) -> bool:
    """Whether a clip has the joints of a file, as far apart as there, and can move them there."""
    notes: list[str] = []
    before = _skeleton(origin.document, notes)
    if not before.same_joints(clip.skeleton):
        return False
    apart = np.abs(origin.metres * before.offsets - clip.skeleton.offsets)[1:]
    columns = _Columns(origin.document)
    return apart.max(initial=0.0) < 1e-6 and set(clip.translated_joints) <= set(columns.moving)


def _like(clip: Clip, origin: BvhOrigin) -> BvhDocument:
    turn = quaternion.inverse(_UP_TURNS[origin.up])
    clip = _turned(clip, turn) if origin.up != "y" else clip
    document = replace(origin.document, frame_time_s=_frame_time(clip.fps, origin.document))
    filled = _filled(clip, document, origin.metres)
    short = _short(clip, filled, origin.metres)
    return _filled(clip, _widened(document, short), origin.metres) if short else filled


def _short(clip: Clip, filled: BvhDocument, metres: float) -> list[int]:
    """Joints whose channels are too few for what they do in a clip."""
    columns = _Columns(filled)
    few = (columns.rotation < 0).any(axis=1)
    fixed = columns.position[0] < 0
    stands = np.array(filled.nodes[filled.joints[0]].offset)
    moved = np.abs(clip.root_positions / metres - stands).max(axis=0, initial=0.0) > 1e-6
    short = [0] if (fixed & moved).any() else []
    if few.any():
        back = np.empty(clip.rotations.shape)
        columns.rotations(filled.values, back)
        off = quaternion.angle_between(back[:, few], clip.rotations[:, few]).max(axis=0)
        short += np.flatnonzero(few)[off > 1e-4].tolist()
    return short


def _widened(document: BvhDocument, short: list[int]) -> BvhDocument:
    """Document with all rotation channels, of the root also position channels, for some joints."""
    nodes = list(document.nodes)
    parts: list[Floats] = []
    column = 0
    for j, i in enumerate(document.joints):
        node = nodes[i]
        stop = column + len(node.channels)
        parts.append(document.values[:, column:stop])
        column = stop
        if j in short:
            axes = _three_axes([_AXIS[c[0]] for c in node.channels if c.endswith("rotation")])
            wanted = (*(_ROOT_CHANNELS if j == 0 else ()), *(f"{'XYZ'[a]}rotation" for a in axes))
            new = tuple(c for c in wanted if c not in node.channels)
            fill = [node.offset[_AXIS[c[0]]] if c.endswith("position") else 0.0 for c in new]
            parts.append(np.tile(fill, (len(document.values), 1)))
            nodes[i] = replace(node, channels=(*node.channels, *new))
    return replace(document, nodes=tuple(nodes), values=np.concatenate(parts, axis=1))


def _frame_time(fps: float, document: BvhDocument) -> float:
    before = document.frame_time_s
    return before if abs(1.0 / before - fps) <= 1e-9 * fps else 1.0 / fps


def _fresh_nodes(clip: Clip, metres: float) -> tuple[BvhNode, ...]:
    """Nodes depth first, as BVH needs them; end sites for all joints without children."""
    skeleton = clip.skeleton
    sites: dict[int, list[tuple[float, float, float]]] = {}
    for tip in skeleton.tips:
        sites.setdefault(tip.joint, []).append(tip.offset)
    safe = _safe_names(skeleton)
    nodes: list[BvhNode] = []
    todo = [(0, -1)]
    while todo:
        joint, parent = todo.pop()
        moves = joint == 0 or joint in clip.translated_joints
        channels = (*_ROOT_CHANNELS, *_ROTATIONS) if moves else _ROTATIONS
        offset = np.round(skeleton.offsets[joint] / metres, _DECIMALS + 2)
        nodes.append(BvhNode(safe[joint], parent, tuple(offset.tolist()), channels))
        here = len(nodes) - 1
        ends = sites.get(joint, [] if skeleton.children[joint] else [(0.0, 0.0, 0.0)])
        for end in ends:
            away = tuple(round(x / metres, _DECIMALS + 2) for x in end)
            nodes.append(BvhNode(None, here, away))  # type: ignore[arg-type]
        todo.extend((child, here) for child in reversed(skeleton.children[joint]))
    return tuple(nodes)


def _safe(name: str) -> str:
    """Name without what would end it in a BVH file."""
    return " ".join(name.replace("{", "(").replace("}", ")").split()) or "joint"


def _safe_names(skeleton: Skeleton) -> list[str]:
    """Names that a BVH file can hold, all different."""
    out: list[str] = []
    for name in skeleton.names:
        safe, count = _safe(name), 1
        while safe in out:
            count += 1
            safe = f"{_safe(name)}_{count}"
        out.append(safe)
    return out


def _filled(clip: Clip, layout: BvhDocument, metres: float) -> BvhDocument:
    """Values of a clip in a document's channels; the document's own values lead where they fit."""
    columns = _Columns(layout)
    order = _joint_order(clip, layout)
    hint = _without_gaps(layout, [])
    values = np.zeros((len(clip), layout.values.shape[1]))
    columns.angles(np.ascontiguousarray(clip.rotations[:, order]), hint, values)
    moved = {j: clip.translations[:, k] for k, j in enumerate(clip.translated_joints)}
    for j, joint in enumerate(order):
        if (columns.position[j] >= 0).any():
            rest = np.broadcast_to(clip.skeleton.offsets[joint], (len(clip), 3))
            path = clip.root_positions if joint == 0 else moved.get(joint, rest)
            for axis, column in enumerate(columns.position[j]):
                if column >= 0:
                    values[:, column] = path[:, axis] / metres
    known = min(len(hint), len(values))
    same = np.abs(values[:known] - hint[:known]) <= 1e-9 * np.maximum(1.0, np.abs(hint[:known]))
    exact = np.where(same, hint[:known], np.round(values[:known], _DECIMALS))
    values = np.concatenate([exact, np.round(values[known:], _DECIMALS)])
    return BvhDocument(layout.nodes, layout.frame_time_s, values)


def _joint_order(clip: Clip, layout: BvhDocument) -> list[int]:
    """Joint of the clip for each joint node of the layout: both are trees with the same names."""
    notes: list[str] = []
    names = _skeleton(layout, notes).names
    if names == clip.skeleton.names:
        return list(range(len(names)))
    safe = {name: i for i, name in enumerate(_safe_names(clip.skeleton))}
    return [safe[layout.nodes[i].name or ""] for i in layout.joints]
