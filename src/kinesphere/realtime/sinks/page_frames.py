"""Live frames as bytes for pages; ``web/src/live-frames.ts`` reads them.

The layout of one pose (`pose_type`) is that of the studio's packets, too.

A stream is a row of messages: size and kind (uint32), then `size` bytes. All numbers are
little-endian.

====  =====  ===========================================================================
kind  name   content
====  =====  ===========================================================================
0     hello  UTF-8 name of the page that belongs to the stream
1     frame  time in s (float64), number of the frame and of characters (uint32); of each
             character the root position (3 float32), local rotations wxyz in units of
             1/32767 (joints x 4 int16), weights of the face's shapes in units of 1/255
             (uint8), padded to a multiple of 4 bytes
2     note   UTF-8 text
3     alive  nothing: keep-alive
4     end    nothing: the sender has finished
====  =====  ===========================================================================
"""

from __future__ import annotations

import struct
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.animation.arms.poses.home_pose import home_rotations
from kinesphere.character.default import default_skeleton
from kinesphere.errors import InvalidValueError
from kinesphere.formats.gltf.stored_figure import default_figure
from kinesphere.maths.arrays import Floats
from kinesphere.realtime.sinks.sinks import PoseFrames

KINDS = ("hello", "frame", "note", "alive", "end")
HELLO, FRAME, NOTE, ALIVE, END = range(len(KINDS))
_HEAD = "<II"
_FULL_TURN, _FULL_WEIGHT = 32767.0, 255.0


def message(kind: int, content: bytes = b"") -> bytes:
    """Return a message of the stream.

    >>> message(NOTE, b"hi").hex(" ", -4)
    '02000000 02000000 6869'
    """
    return struct.pack(_HEAD, len(content), kind) + content


@cache
def shape_names() -> tuple[str, ...]:
    """Shapes of the default figure's face, in the order of a frame."""
    return tuple(default_figure().morphs)


def encode(
    frames: PoseFrames, characters: int, first: int = 0, *, only_last: bool = False
) -> tuple[bytes, ...]:
    """Return a message for every frame, or for the last one alone.

    Parameters
    ----------
    characters : how many are shown: the first ones of those in the frames.
    first : number of the first frame.
    """
    count = len(frames.times_s)
    start = count - 1 if only_last else 0
    several = np.ndim(frames.rotations) == 4
    found = len(frames.rotations) if several else 1
    if found < characters:
        raise InvalidValueError(f"frames of {found} characters, the page shows {characters}")

    def by_frame(values: ArrayLike) -> Floats:
        """``[frames, characters, ...]`` of what is shown."""
        table = np.asarray(values) if several else np.asarray(values)[None]
        return table[:characters, start:].swapaxes(0, 1)

    out = np.zeros(count - start, _frame_type(characters))
    out["size"], out["kind"] = out.dtype.itemsize - struct.calcsize(_HEAD), FRAME
    out["time_s"] = np.asarray(frames.times_s)[start:]
    out["number"] = (first + np.arange(start, count)) % (1 << 32)
    out["characters"] = characters
    weights = np.zeros((count - start, characters, len(shape_names())))
    for k, shape in enumerate(shape_names()):
        if shape in frames.channels:
            weights[..., k] = by_frame(frames.channels[shape])
    bodies = out["bodies"]
    bodies["root"] = by_frame(frames.root_positions)
    bodies["turns"] = rotation_units(by_frame(frames.rotations))
    bodies["face"] = weight_units(weights)
    data, size = out.tobytes(), out.dtype.itemsize
    return tuple(data[at : at + size] for at in range(0, len(data), size))


def home_bytes() -> bytes:
    """Return a character in its home pose as a frame: shown before the first frame."""
    pose = np.zeros(1, _body_type())
    pose["root"] = default_skeleton().offsets[0]
    pose["turns"] = rotation_units(home_rotations())
    return pose.tobytes()


def pose_type(joints: int, shapes: int) -> np.dtype[Any]:
    """Layout of one character's pose: root position, local rotations, face, padding."""
    rows: list[Any] = [("root", "<f4", 3), ("turns", "<i2", (joints, 4)), ("face", "u1", (shapes,))]
    rest = -shapes % 4
    return np.dtype(rows + ([("pad", "u1", (rest,))] if rest else []))


def rotation_units(rotations: ArrayLike) -> Floats:
    """Quaternions in units of 1/32767, rounded."""
    rounded: Floats = np.rint(np.clip(rotations, -1.0, 1.0) * _FULL_TURN)
    return rounded


def weight_units(weights: ArrayLike) -> Floats:
    """Weights of face shapes in units of 1/255, rounded."""
    rounded: Floats = np.rint(np.clip(weights, 0.0, 1.0) * _FULL_WEIGHT)
    return rounded


@cache
def _body_type() -> np.dtype[Any]:
    return pose_type(len(default_skeleton()), len(shape_names()))


@cache
def _frame_type(characters: int) -> np.dtype[Any]:
    return np.dtype(
        [
            ("size", "<u4"),
            ("kind", "<u4"),
            ("time_s", "<f8"),
            ("number", "<u4"),
            ("characters", "<u4"),
            ("bodies", _body_type(), (characters,)),
        ]
    )
