"""What a page reads of the server's bytes, from the table in `packets` alone: plain `struct`."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np

from kinesphere.maths.arrays import Floats


@dataclass(frozen=True)
class Frames:
    """Places ``[n, 3]``, rotations wxyz ``[n, joints, 4]`` and weights ``[n, shapes]``."""

    roots: Floats
    turns: Floats
    face: Floats


@dataclass(frozen=True)
class ClipPacket:
    take: int
    figure: int
    fps: float
    frames: Frames
    data: bytes


@dataclass(frozen=True)
class LivePacket:
    first: int
    fps: float
    level_db: float
    stamp_ms: float
    frames: Frames
    data: bytes


def read_frames(data: bytes, count: int, joints: int, shapes: int) -> Frames:
    size = 12 + 8 * joints + shapes
    size += -size % 4
    assert len(data) == count * size, (len(data), count, size)
    roots, turns, face = [], [], []
    for n in range(count):
        at = n * size
        roots.append(struct.unpack_from("<3f", data, at))
        turns.append(struct.unpack_from(f"<{4 * joints}h", data, at + 12))
        face.append(struct.unpack_from(f"<{shapes}B", data, at + 12 + 8 * joints))
    return Frames(
        np.array(roots).reshape(count, 3),
        np.array(turns).reshape(count, joints, 4) / 32767.0,
        np.array(face).reshape(count, shapes) / 255.0,
    )


def read_clip(packet: bytes) -> ClipPacket:
    kind, take, figure, count, joints, shapes = struct.unpack_from("<6I", packet)
    (fps,) = struct.unpack_from("<f", packet, 24)
    assert kind == 1
    data = packet[28:]
    return ClipPacket(take, figure, fps, read_frames(data, count, joints, shapes), data)


def read_live(packet: bytes) -> LivePacket:
    kind, first, count, joints, shapes = struct.unpack_from("<5I", packet)
    fps, level = struct.unpack_from("<2f", packet, 20)
    (stamp,) = struct.unpack_from("<d", packet, 28)
    assert kind == 2
    data = packet[36:]
    return LivePacket(first, fps, level, stamp, read_frames(data, count, joints, shapes), data)


def sound_packet(samples: Floats, number: int = 0, stamp_ms: float = 0.0) -> bytes:
    return struct.pack("<IIId", 3, number, 0, stamp_ms) + np.asarray(samples, "<f4").tobytes()
