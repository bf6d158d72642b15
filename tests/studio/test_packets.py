"""Bytes: what a reader of the documented layout gets is what was put in."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion
from kinesphere.studio.server import packets
from tests.studio.packet_reader import read_clip, read_frames, read_live, sound_packet


@given(
    st.integers(0, 5), st.integers(1, 7), st.integers(0, 9), st.integers(0, 2**32 - 1), st.data()
)
def test_clips_and_live_frames_read_back(
    count: int, joints: int, shapes: int, seed: int, data: st.DataObject
) -> None:
    rng = np.random.default_rng(seed)
    roots = rng.normal(scale=2.0, size=(count, 3))
    turns = quaternion.normalise(rng.normal(size=(count, joints, 4)))
    names = [f"s{k}" for k in range(shapes)]
    weights = rng.uniform(-0.5, 1.5, size=(count, shapes))
    channels = {name: weights[:, k] for k, name in enumerate(names) if k != 1}
    made = packets.frames(roots, turns, {**channels, "other": roots[:, 0]}, names)
    assert len(made) % 4 == 0
    frames = read_frames(made, count, joints, shapes)
    assert np.array_equal(frames.roots, roots.astype(np.float32))
    assert np.abs(frames.turns - turns).max(initial=0.0) <= 0.5 / 32767 + 1e-12
    for k in range(shapes):
        wanted = np.clip(weights[:, k], 0.0, 1.0) if k != 1 else np.zeros(count)
        assert np.abs(frames.face[:, k] - wanted).max(initial=0.0) <= 0.5 / 255 + 1e-12
    number = data.draw(st.integers(0, 2**32 - 1))
    clip = read_clip(packets.clip(number, 7, count, joints, shapes, 60.0, made))
    assert (clip.take, clip.figure, clip.fps, clip.data) == (number, 7, 60.0, made)
    stamp = data.draw(st.floats(allow_nan=False, allow_infinity=False))
    live = read_live(packets.live(number, count, joints, shapes, 60.0, -12.5, stamp, made))
    assert (live.first, live.level_db, live.stamp_ms, live.data) == (number, -12.5, stamp, made)


@given(
    st.lists(st.floats(-4.0, 4.0, width=32), max_size=50),
    st.integers(0, 2**32 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
)
def test_sound_reads_back_within_full_scale(
    samples: list[float], number: int, stamp: float
) -> None:
    chunk = packets.sound(sound_packet(np.array(samples), number, stamp))
    assert (chunk.number, chunk.stamp_ms) == (number, stamp)
    assert np.array_equal(chunk.samples, np.clip(np.array(samples, np.float32), -1.0, 1.0))


@given(st.binary(max_size=80), st.booleans())
def test_any_bytes_are_sound_or_refused_in_one_line(data: bytes, headed: bool) -> None:
    packet = struct.pack("<I", 3) + data if headed else data
    try:
        chunk = packets.sound(packet)
    except InvalidValueError as error:
        assert str(error).isprintable()
    else:
        assert np.isfinite(chunk.samples).all()
        assert np.abs(chunk.samples).max(initial=0.0) <= 1.0
        assert np.isfinite(chunk.stamp_ms)


@pytest.mark.parametrize(
    "packet",
    [
        b"",
        b"\x03\0\0\0",
        sound_packet(np.zeros(3))[:-1],
        sound_packet(np.zeros(packets.LONGEST_CHUNK + 1)),
        sound_packet(np.array([np.nan])),
        sound_packet(np.array([np.inf])),
        sound_packet(np.zeros(3), 0, np.nan),
        b"\x01" + sound_packet(np.zeros(3))[1:],
    ],
)
def test_what_is_no_sound_is_refused(packet: bytes) -> None:
    with pytest.raises(InvalidValueError):
        packets.sound(packet)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=5))
def test_joined_chunks_are_one_after_the_other(sizes: list[int]) -> None:
    chunks = [packets.SoundChunk(k, 10.0 * k, np.full(n, 0.1 * k)) for k, n in enumerate(sizes)]
    whole = packets.join_chunks(chunks)
    assert (whole.number, whole.stamp_ms) == (len(sizes) - 1, 10.0 * (len(sizes) - 1))
    assert np.array_equal(whole.samples, np.concatenate([c.samples for c in chunks]))
