"""Motion as BVH documents: in the layout of the source file, or in a default one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from os import PathLike

import numpy as np

from kinesphere.formats.bvh.bvh_document import BvhDocument, BvhNode, write_blocks
from kinesphere.formats.bvh.layout import (
    AXIS,
    UP_TURNS,
    BvhOrigin,
    Columns,
    rotate_world,
    skeleton_of,
    three_axes,
    without_gaps,
)
from kinesphere.formats.units import named_unit
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.motion.skeleton import Skeleton
from kinesphere.motion.take import Take
from kinesphere.motion.zeroing import zeroed_clip

_ROOT_CHANNELS = ("Xposition", "Yposition", "Zposition")
_ROTATIONS = ("Zrotation", "Xrotation", "Yrotation")
_DECIMALS = 6


def write_bvh(take: Take, path: str | PathLike[str], *, unit: str = "auto") -> None:
    """Write a take as BVH; see `document_of`. Frames are computed while they are written."""
    clip, layout, metres = _lay_out(take, unit)
    write_blocks(layout, len(clip), _value_blocks(clip, layout, metres), path)


def document_of(take: Take, *, unit: str = "auto") -> BvhDocument:
    """Convert motion to a BVH document.

    A take that was read from a BVH file, or has the skeleton of one, keeps that file's unit, axes,
    names, end sites and channel order, and the exact numbers of frames that did not change.
    Any other is written in centimetres, Y up, rotations in the order Z X Y, six decimals.
    """
    clip, layout, metres = _lay_out(take, unit)
    return BvhDocument(layout.nodes, layout.frame_time_s, _all_values(clip, layout, metres))


def _lay_out(take: Take, unit: str) -> tuple[Clip, BvhDocument, float]:
    """Motion in the file's axes and unit, the document with the layout and values, and its unit."""
    origin = take.origin
    if isinstance(origin, BvhOrigin) and unit == "auto" and _fits(take.clip, origin):
        return _like(take.clip, origin)
    metres = named_unit("cm" if unit == "auto" else unit).metres
    clip = zeroed_clip(take.clip)
    nodes = _fresh_nodes(clip, metres)
    blank = BvhDocument(nodes, 1.0 / clip.fps, np.zeros((0, sum(len(n.channels) for n in nodes))))
    return clip, blank, metres


def _fits(clip: Clip, origin: BvhOrigin) -> bool:
    """Whether a clip has the joints and offsets of a file, and its channels suffice."""
    notes: list[str] = []
    before = skeleton_of(origin.document, notes)
    if not before.same_joints(clip.skeleton):
        return False
    apart = np.abs(origin.metres * before.offsets - clip.skeleton.offsets)[1:]
    columns = Columns(origin.document)
    return apart.max(initial=0.0) < 1e-6 and set(clip.translated_joints) <= set(columns.moving)


def _like(clip: Clip, origin: BvhOrigin) -> tuple[Clip, BvhDocument, float]:
    turn = quaternion.inverse(UP_TURNS[origin.up])
    clip = rotate_world(clip, turn) if origin.up != "y" else clip
    document = replace(origin.document, frame_time_s=_frame_time(clip.fps, origin.document))
    short = _short(clip, document, origin.metres)
    return clip, _widen(document, short) if short else document, origin.metres


def _short(clip: Clip, layout: BvhDocument, metres: float) -> list[int]:
    """Joints with too few channels for their motion in a clip."""
    columns = Columns(layout)
    few = (columns.rotation < 0).any(axis=1)
    fixed = columns.position[0] < 0
    stands = np.array(layout.nodes[layout.joints[0]].offset)
    moved = np.abs(clip.root_positions / metres - stands).max(axis=0, initial=0.0) > 1e-6
    short = [0] if (fixed & moved).any() else []
    if few.any():
        back = np.empty(clip.rotations.shape)
        columns.rotations(_all_values(clip, layout, metres), back)
        off = quaternion.angle_between(back[:, few], clip.rotations[:, few]).max(axis=0)
        short += np.flatnonzero(few)[off > 1e-4].tolist()
    return short


def _widen(document: BvhDocument, short: list[int]) -> BvhDocument:
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
            axes = three_axes([AXIS[c[0]] for c in node.channels if c.endswith("rotation")])
            wanted = (*(_ROOT_CHANNELS if j == 0 else ()), *(f"{'XYZ'[a]}rotation" for a in axes))
            new = tuple(c for c in wanted if c not in node.channels)
            fill = [node.offset[AXIS[c[0]]] if c.endswith("position") else 0.0 for c in new]
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
    """Name without characters that would end it in a BVH file."""
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


def _all_values(clip: Clip, layout: BvhDocument, metres: float) -> Floats:
    return np.concatenate(list(_value_blocks(clip, layout, metres)))


def _value_blocks(clip: Clip, layout: BvhDocument, metres: float) -> Iterator[Floats]:
    """Values of a clip in a document's channels; the document's own values are kept where equal.

    In blocks of frames, so that long clips need little additional memory.
    """
    columns = Columns(layout)
    order = _joint_order(clip, layout)
    hint = without_gaps(layout, [])
    before = columns.first_angles(hint)
    done = 0
    for part in clip.blocks():
        yield _values(part, columns, order, hint[done : done + len(part)], before, metres)
        done += len(part)


def _values(
    clip: Clip, columns: Columns, order: list[int], hint: Floats, before: Floats, metres: float
) -> Floats:
    """Values of some frames; `before` are the angles of the frame before them, in and out."""
    values = np.zeros((len(clip), hint.shape[1]))
    columns.angles(np.ascontiguousarray(clip.rotations[:, order]), hint, before, values)
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
    return np.concatenate([exact, np.round(values[known:], _DECIMALS)])


def _joint_order(clip: Clip, layout: BvhDocument) -> list[int]:
    """Joint of the clip for each joint node of the layout: both are trees with the same names."""
    notes: list[str] = []
    names = skeleton_of(layout, notes).names
    if names == clip.skeleton.names:
        return list(range(len(names)))
    safe = {name: i for i, name in enumerate(_safe_names(clip.skeleton))}
    return [safe[layout.nodes[i].name or ""] for i in layout.joints]
