"""SMPL-X, SMPL-H and SMPL motion in npz files, as in AMASS and BEAT2. Read only.

Such a file holds rotation vectors and a root translation, but no bone lengths: those belong to a
body model that may not be redistributed. The skeleton here has the model's joints, rest pose and
axes with lengths of an average adult, rounded and made symmetric, and is scaled to the default
character's height; positions therefore have an error of some percent, rotations are exact.
"""

from __future__ import annotations

import io
import zipfile
from functools import cache
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinesphere.errors import UnreadableError
from kinesphere.formats.file_format import Format
from kinesphere.formats.files import read_bytes
from kinesphere.formats.npy import read_npy
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.maths.euler import about
from kinesphere.motion.clip import Clip
from kinesphere.motion.skeleton import Skeleton
from kinesphere.motion.take import Take

_LARGEST_VALUES = 1 << 28
_RATE_KEYS = ("mocap_frame_rate", "mocap_framerate", "fps", "framerate")
_BODY = (
    "pelvis",
    "left_hip",
    "right_hip",
    "spine1",
    "left_knee",
    "right_knee",
    "spine2",
    "left_ankle",
    "right_ankle",
    "spine3",
    "left_foot",
    "right_foot",
    "neck",
    "left_collar",
    "right_collar",
    "head",
    "left_shoulder",
    "right_shoulder",
    "left_elbow",
    "right_elbow",
    "left_wrist",
    "right_wrist",
)
_FACE = ("jaw", "left_eye_smplhf", "right_eye_smplhf")
_PARENT = {
    "left_hip": "pelvis",
    "spine1": "pelvis",
    "left_knee": "left_hip",
    "spine2": "spine1",
    "left_ankle": "left_knee",
    "spine3": "spine2",
    "left_foot": "left_ankle",
    "neck": "spine3",
    "left_collar": "spine3",
    "head": "neck",
    "left_shoulder": "left_collar",
    "left_elbow": "left_shoulder",
    "left_wrist": "left_elbow",
    "jaw": "head",
    "left_eye_smplhf": "head",
    "left_hand": "left_wrist",
}
# Joint centres of a 1.70 m adult at rest, arms out, the pelvis at the origin; left side and middle.
_PLACES = {
    "pelvis": (0.0, 0.0, 0.0),
    "left_hip": (0.058, -0.093, -0.015),
    "left_knee": (0.107, -0.470, -0.020),
    "left_ankle": (0.092, -0.870, -0.060),
    "left_foot": (0.123, -0.932, 0.062),
    "spine1": (0.0, 0.112, -0.025),
    "spine2": (0.0, 0.245, -0.028),
    "spine3": (0.0, 0.297, 0.0),
    "neck": (0.0, 0.462, -0.030),
    "head": (0.0, 0.618, -0.010),
    "left_collar": (0.047, 0.380, -0.010),
    "left_shoulder": (0.158, 0.434, -0.028),
    "left_elbow": (0.418, 0.385, -0.060),
    "left_wrist": (0.670, 0.390, -0.070),
    "left_hand": (0.750, 0.390, -0.070),
    "jaw": (0.0, 0.600, 0.010),
    "left_eye_smplhf": (0.032, 0.665, 0.072),
}
# Joints of the fingers from the wrist: along the arm, up, forward.
_FINGERS = {
    "index": ((0.102, 0.004, 0.022), (0.134, 0.002, 0.025), (0.157, -0.001, 0.026)),
    "middle": ((0.110, 0.007, -0.002), (0.141, 0.003, -0.004), (0.165, -0.002, -0.006)),
    "pinky": ((0.092, -0.004, -0.042), (0.108, -0.006, -0.050), (0.124, -0.009, -0.057)),
    "ring": ((0.103, 0.003, -0.024), (0.132, 0.001, -0.028), (0.156, -0.004, -0.031)),
    "thumb": ((0.040, -0.012, 0.025), (0.064, -0.012, 0.047), (0.088, -0.018, 0.064)),
}


def _mirror(name: str) -> str:
    return name.replace("left", "right")


@cache
def smpl_skeleton(joints: int) -> Skeleton:
    """Skeleton with 55 (SMPL-X), 52 (SMPL-H) or 24 (SMPL) joints, in the model's order."""
    names = list(_BODY)
    if joints == 24:
        names += ["left_hand", "right_hand"]
    else:
        names += list(_FACE) if joints == 55 else []
        for side in ("left", "right"):
            names += [f"{side}_{finger}{i}" for finger in _FINGERS for i in (1, 2, 3)]
    parent, place = _tables()
    index = {name: i for i, name in enumerate(names)}
    parents = [-1 if name == "pelvis" else index[parent[name]] for name in names]
    origin = np.array([0.0, 0.955, 0.0])
    offsets = [place[n] - place[parent[n]] if n != "pelvis" else origin for n in names]
    return Skeleton(tuple(names), np.array(parents), np.array(offsets))


@cache
def _tables() -> tuple[dict[str, str], dict[str, Floats]]:
    parent, place = dict(_PARENT), {n: np.array(p) for n, p in _PLACES.items()}
    for finger, points in _FINGERS.items():
        for i, point in enumerate(points, 1):
            name = f"left_{finger}{i}"
            place[name] = place["left_wrist"] + np.array(point)
            parent[name] = "left_wrist" if i == 1 else f"left_{finger}{i - 1}"
    for name in list(place):
        if "left" in name:
            place[_mirror(name)] = place[name] * np.array([-1.0, 1.0, 1.0])
            parent[_mirror(name)] = _mirror(parent[name])
    return parent, place


def read_npz(path: str | PathLike[str]) -> Take:
    """Read a motion from an npz file of the SMPL family.

    Needs ``poses [frames, 3 * joints]`` and ``trans [frames, 3]``; takes the frame rate from the
    file, or 30. Facial ``expressions`` become channels ``expression_0`` and so on. Data with Z up
    is rotated to Y up.
    """
    data = read_bytes(path)
    try:
        return take_of(_arrays(data))
    except UnreadableError as error:
        raise error.at(path) from None


def _arrays(data: bytes) -> dict[str, NDArray[Any]]:
    wanted = {"poses", "trans", "expressions", "betas", "gender", *_RATE_KEYS}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = {i.filename.removesuffix(".npy"): i for i in archive.infolist()}
            if "poses" not in names:
                raise UnreadableError(
                    None, f"has no 'poses'; it holds {', '.join(sorted(names)[:12]) or 'nothing'}"
                )
            return {
                name: read_npy(
                    archive, info, _LARGEST_VALUES, optional=name not in ("poses", "trans")
                )
                for name, info in names.items()
                if name in wanted
            }
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, UnicodeDecodeError) as error:
        raise UnreadableError(None, f"is not a complete npz archive: {str(error)[:60]}") from None


def take_of(arrays: dict[str, NDArray[Any]]) -> Take:
    """Convert the arrays of an npz file to motion."""
    poses = np.asarray(arrays["poses"])
    if poses.ndim != 2 or poses.dtype.kind not in "fiu" or poses.shape[0] == 0:
        raise UnreadableError(
            None, f"has shape {poses.shape}, expected [frames, 3 * joints]", "poses"
        )
    joints = poses.shape[1] // 3
    if joints not in (24, 52, 55) or poses.shape[1] % 3:
        raise UnreadableError(
            None, f"has {poses.shape[1]} columns, allowed are 165, 156 and 72", "poses"
        )
    trans = np.asarray(arrays.get("trans", np.zeros((len(poses), 3))))
    if trans.dtype.kind not in "fiu":
        raise UnreadableError(None, f"holds {trans.dtype}, expected numbers", "trans")
    trans = trans.astype(np.float64)
    if trans.shape != (len(poses), 3):
        raise UnreadableError(None, f"has shape {trans.shape}, expected ({len(poses)}, 3)", "trans")
    if not (np.isfinite(poses).all() and np.isfinite(trans).all()):
        raise UnreadableError(None, "a value is not finite", "poses")
    skeleton = smpl_skeleton(joints)
    rotations = quaternion.exp(poses.reshape(len(poses), joints, 3).astype(np.float64))
    notes = ["bone lengths are those of an average adult; the file has none"]
    rate = _rate(arrays, notes)
    rotations, root = _place(rotations, trans, joints, notes)
    channels = _expressions(arrays, len(poses))
    clip = Clip(skeleton, rate, root, quaternion.normalise(rotations), channels=channels)
    kind = {24: "SMPL", 52: "SMPL-H", 55: "SMPL-X"}[joints]
    return Take(clip, provenance={"format": "npz", "model": kind, "unit_m": 1.0, "notes": notes})


def _rate(arrays: dict[str, NDArray[Any]], notes: list[str]) -> float:
    for key in _RATE_KEYS:
        value = arrays.get(key)
        if value is not None and value.size == 1 and value.dtype.kind in "fiu":
            rate = float(value.reshape(-1)[0])
            if 0.1 <= rate <= 10_000:
                return rate
    notes.append("the file has no frame rate; 30 fps assumed")
    return 30.0


# The body model's origin is this far above the pelvis, and `trans` is the origin's position.
_ORIGIN_ABOVE_PELVIS = {55: 0.35, 52: 0.22, 24: 0.22}


def _place(
    rotations: Floats, trans: Floats, joints: int, notes: list[str]
) -> tuple[Floats, Floats]:
    """Rotations and pelvis path with Y up.

    The offset from the model's origin to its pelvis is along the model's own Y whatever the world's
    up is, so data with Z up (AMASS) has the pelvis' height already.
    """
    up = quaternion.rotate(rotations[:, 0], np.array([0.0, 1.0, 0.0]))
    if np.median(up[:, 2]) < 0.7:
        notes.append("the path is that of the model's origin; the pelvis is placed below it")
        return rotations, trans - np.array([0.0, _ORIGIN_ABOVE_PELVIS[joints], 0.0])
    notes.append("Z is up in the file; rotated so that Y is up")
    turn = about("X", -0.5 * np.pi)
    rotations = rotations.copy()
    rotations[:, 0] = quaternion.multiply(turn, rotations[:, 0])
    return rotations, quaternion.rotate(turn, trans)


def _expressions(arrays: dict[str, NDArray[Any]], frames: int) -> dict[str, Floats]:
    table = arrays.get("expressions")
    if table is None or table.ndim != 2 or len(table) != frames or table.dtype.kind != "f":
        return {}
    values = np.asarray(table, dtype=np.float64)
    if not np.isfinite(values).all():
        return {}
    return {f"expression_{k}": values[:, k] for k in range(values.shape[1])}


FORMATS = (Format("SMPL-X / AMASS", (".npz",), read_npz),)
