"""BVH documents as motion: units, axes, Euler channels; `bvh_writing` is the inverse."""

from __future__ import annotations

from os import PathLike

import numpy as np

from kinesphere.character.naming import RigReport, identify
from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.formats.bvh.bvh_document import BvhDocument, read_document
from kinesphere.formats.bvh.layout import (
    UP_TURNS,
    BvhOrigin,
    Columns,
    rotate_world,
    skeleton_of,
    without_gaps,
)
from kinesphere.formats.units import Unit, named_unit, recognised_unit
from kinesphere.maths.arrays import Floats
from kinesphere.motion.calibration import calibration_frames, calibration_note
from kinesphere.motion.clip import Clip, rest_clip
from kinesphere.motion.kinematics import forward_kinematics
from kinesphere.motion.known_rigs import known_skeleton
from kinesphere.motion.measure import body_height
from kinesphere.motion.skeleton import Skeleton
from kinesphere.motion.take import Take


def read_bvh(
    path: str | PathLike[str], *, unit: str = "auto", up: str = "auto", partial: bool = False
) -> Take:
    """Read a BVH file as a take.

    Parameters
    ----------
    path : the file.
    unit : ``auto`` (by body height), ``m``, ``cm``, ``mm``, ``inch``, ``cmu``, or metres per unit.
    up : ``auto``, ``y`` or ``z``: the file's vertical axis.
    partial : accept a file that is truncated before its last frame.
    """
    document = read_document(path, partial=partial)
    try:
        return take_of(document, unit=unit, up=up)
    except UnreadableError as error:
        raise error.at(path) from None


def take_of(document: BvhDocument, *, unit: str = "auto", up: str = "auto") -> Take:
    """Convert a document to motion in metres, Y up; see `read_bvh`."""
    if up not in ("auto", *UP_TURNS):
        raise InvalidValueError(f"up is {up!r}, allowed are auto, y, z")
    notes = list(document.notes)
    skeleton = known_skeleton(skeleton_of(document, notes))
    columns = Columns(document)
    values = without_gaps(document, notes)
    rotations = np.empty((len(values), len(skeleton), 4))
    columns.rotations(values, rotations)
    rotations.flags.writeable = False  # so that the clip uses it without a copy
    report = identify(skeleton, rotations)
    measure = named_unit(unit) if unit != "auto" else recognised_unit(body_height(report.rig))
    notes.append(measure.note)
    clip = _scaled_clip(document, skeleton, columns, values, rotations, measure)
    axis = _vertical(clip, report, values) if up == "auto" else up
    if axis == "z":
        notes.append("Z is up in the file; rotated so that Y is up")
        clip = rotate_world(clip, UP_TURNS["z"])
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


def _scaled_clip(
    document: BvhDocument,
    skeleton: Skeleton,
    columns: Columns,
    values: Floats,
    rotations: Floats,
    unit: Unit,
) -> Clip:
    scaled = known_skeleton(skeleton.scale(unit.metres))
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
