"""Binary packets between page and server: clips, live frames, audio. Numbers are little-endian.

=====  ===========  ================================================================================
kind   direction    content after the kind (uint32)
=====  ===========  ================================================================================
CLIP   to the page  take, figure, number of frames, joints and shapes (uint32), fps (float32), then
                    the frames
LIVE   to the page  index of the first frame; frames, joints, shapes (uint32); fps, level in
                    dB (float32), the page's time stamp of the newest audio in ms (float64),
                    then the frames
SOUND  to server    number of the chunk, 0 (uint32), the page's time stamp in ms (float64), then
                    float32 samples
=====  ===========  ================================================================================

A frame is a pose as `realtime.sinks.page_frames.pose_type` lays it out.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.realtime.sinks.page_frames import pose_type, rotation_units, weight_units

LONGEST_CHUNK = 48_000
"""Most samples of an audio chunk."""


class Kind:
    """Kinds of packets."""

    CLIP = 1
    LIVE = 2
    SOUND = 3


class SoundChunk(NamedTuple):
    """An audio chunk: number, the page's time stamp in ms, samples."""

    number: int
    stamp_ms: float
    samples: Floats


_CLIP, _LIVE, _SOUND = struct.Struct("<IIIIIIf"), struct.Struct("<IIIIIffd"), struct.Struct("<IIId")


def frames(
    roots: ArrayLike, turns: ArrayLike, channels: Mapping[str, ArrayLike], shapes: Sequence[str]
) -> bytes:
    """Frames of a clip: roots ``[n, 3]``, rotations ``[n, joints, 4]`` and curves ``[n]``."""
    rotations = np.asarray(turns, dtype=np.float64)
    out = np.zeros(len(rotations), pose_type(rotations.shape[1], len(shapes)))
    out["root"] = roots
    out["turns"] = rotation_units(rotations)
    for k, name in enumerate(shapes):
        if name in channels:
            out["face"][:, k] = weight_units(channels[name])
    return out.tobytes()


def clip(
    take: int, figure: int, count: int, joints: int, shapes: int, fps: float, data: bytes
) -> bytes:
    """Packet of a clip."""
    return _CLIP.pack(Kind.CLIP, take, figure, count, joints, shapes, fps) + data


def live(
    first: int,
    count: int,
    joints: int,
    shapes: int,
    fps: float,
    level_db: float,
    stamp_ms: float,
    data: bytes,
) -> bytes:
    """Packet of live frames."""
    head = _LIVE.pack(Kind.LIVE, first, count, joints, shapes, fps, level_db, stamp_ms)
    return head + data


def sound(packet: bytes) -> SoundChunk:
    """Read an audio chunk.

    Raises
    ------
    InvalidValueError
        If it is not an audio chunk, is too long, or has a value that is not finite.
    """
    if len(packet) < _SOUND.size or (len(packet) - _SOUND.size) % 4:
        raise InvalidValueError(f"a packet of {len(packet)} bytes is no audio chunk")
    kind, number, _, stamp = _SOUND.unpack_from(packet)
    if kind != Kind.SOUND:
        raise InvalidValueError(f"a packet of kind {kind}, allowed is {Kind.SOUND}")
    count = (len(packet) - _SOUND.size) // 4
    if count > LONGEST_CHUNK:
        raise InvalidValueError(f"a chunk of {count} samples, allowed are {LONGEST_CHUNK}")
    samples = np.frombuffer(packet, "<f4", offset=_SOUND.size).astype(np.float64)
    if not np.isfinite(samples).all() or not np.isfinite(stamp):
        raise InvalidValueError("an audio chunk has a value that is not finite")
    return SoundChunk(number, stamp, samples.clip(-1.0, 1.0))


def join_chunks(chunks: Sequence[SoundChunk]) -> SoundChunk:
    """Consecutive chunks as one, with the number and the time stamp of the last."""
    samples = np.concatenate([chunk.samples for chunk in chunks])
    return SoundChunk(chunks[-1].number, chunks[-1].stamp_ms, samples)
