"""Any legal BVH round-trips; any damaged one gives an error with a place, or a clip."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kinesphere.errors import UnreadableError
from kinesphere.formats.bvh.bvh_document import (
    CHANNELS,
    BvhDocument,
    BvhNode,
    document_bytes,
    parse_document,
)
from kinesphere.formats.bvh.bvh_reading import take_of
from kinesphere.formats.bvh.bvh_writing import document_of
from tests.formats.test_bvh import SMALL

number = st.one_of(
    st.floats(-1e4, 1e4).map(lambda x: round(x, 4)),
    st.floats(-1e9, 1e9, allow_subnormal=True),
    st.integers(-360, 360).map(float),
)
plain_name = st.text(
    st.characters(codec="utf-8", exclude_characters="{}", exclude_categories=["C", "Z"]),
    min_size=1,
    max_size=12,
)
name = st.one_of(plain_name, st.lists(plain_name, min_size=2, max_size=3).map(" ".join))
rotations = st.permutations(["Xrotation", "Yrotation", "Zrotation"]).flatmap(
    lambda order: st.integers(0, 3).map(lambda n: list(order)[:n])
)
positions = st.permutations(list(CHANNELS[:3])).flatmap(
    lambda order: st.integers(0, 3).map(lambda n: list(order)[:n])
)


@st.composite
def channels(draw: st.DrawFn) -> tuple[str, ...]:
    both = draw(positions) + draw(rotations)
    return tuple(draw(st.permutations(both)))


@st.composite
def documents(draw: st.DrawFn) -> BvhDocument:
    count = draw(st.integers(1, 8))
    nodes: list[BvhNode] = []
    joints: list[int] = []
    # Depth first, as the text of a file is: a parent is the last joint or one above it.
    open_joints: list[int] = []
    for i in range(count):
        if i:
            keep = draw(st.integers(1, len(open_joints)))
            del open_joints[keep:]
        parent = open_joints[-1] if open_joints else -1
        offset = tuple(draw(number) for _ in range(3))
        nodes.append(BvhNode(draw(name), parent, offset, draw(channels())))
        joints.append(len(nodes) - 1)
        open_joints.append(len(nodes) - 1)
        if draw(st.booleans()):
            nodes.append(BvhNode(None, open_joints[-1], tuple(draw(number) for _ in range(3))))
    width = sum(len(n.channels) for n in nodes)
    if width == 0:
        nodes[0] = BvhNode(nodes[0].name, -1, nodes[0].offset, ("Zrotation",))
        width = 1
    frames = draw(st.integers(0, 4))
    values = np.array([[draw(number) for _ in range(width)] for _ in range(frames)]).reshape(
        frames, width
    )
    return BvhDocument(tuple(nodes), draw(st.floats(1e-4, 10.0)), values)


@given(documents())
def test_any_legal_file_round_trips(document: BvhDocument) -> None:
    assert parse_document(document_bytes(document)) == document


@given(documents())
def test_any_legal_file_survives_as_motion(document: BvhDocument) -> None:
    take = take_of(document)
    back = document_of(take)
    assert back.nodes == document.nodes
    if len(document.values):
        scale = np.maximum(1.0, np.abs(document.values))
        assert (np.abs(back.values - document.values) / scale).max() < 1e-6


def damaged(draw: st.DrawFn) -> bytes:
    data = bytearray(SMALL.encode() * draw(st.sampled_from([1, 1, 1, 2])))
    for _ in range(draw(st.integers(1, 4))):
        if not data:
            break
        a, b = sorted((draw(st.integers(0, len(data))), draw(st.integers(0, len(data)))))
        kind = draw(st.sampled_from(["cut", "drop", "repeat", "bytes", "swap", "digits"]))
        if kind == "cut":
            del data[a:]
        elif kind == "drop":
            del data[a:b]
        elif kind == "repeat":
            data[b:b] = data[a:b]
        elif kind == "bytes":
            data[a : min(b, a + 8)] = draw(st.binary(max_size=8))
        elif kind == "digits":
            data[a:a] = draw(
                st.sampled_from(
                    [b"9" * 20, b"1e999", b"-", b".", b"\n", b"}", b"{", b"Frames: 1000000000000"]
                )
            )
        else:
            data[a:b] = bytes(reversed(data[a:b]))
    return bytes(data)


@settings(max_examples=500)
@given(st.composite(damaged)())
@example(b"HIERARCHY\n" + b"ROOT a\n{\n" * 2000)
@example(SMALL.replace("Frames: 2", "Frames: 1000000000000").encode())
@example(
    b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: 3\nFrame Time: 1\n"
    + b"9" * 5000
)
def test_damage_gives_an_error_with_a_place_or_a_clip(data: bytes) -> None:
    start = time.perf_counter()
    try:
        take_of(parse_document(data))
    except UnreadableError as error:
        assert error.place is not None
        assert "\n" not in str(error)
    assert time.perf_counter() - start < 2.0


def test_memory_stays_within_ten_times_the_file() -> None:
    """The worst case: every number is one digit, two bytes of text for eight of memory."""
    joints = "".join(
        f"JOINT j{i}\n{{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
        for i in range(30)
    )
    head = f"HIERARCHY\nROOT r\n{{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n{joints}{'}' * 31}\nMOTION\n"
    row = " ".join(["0"] * 93) + "\n"
    data = f"{head}Frames: 20000\nFrame Time: 0.01\n{row * 20000}".encode()
    parse_document(SMALL.encode())
    take_of(parse_document(SMALL.encode()))
    tracemalloc.start()
    take_of(parse_document(data))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 * len(data)


@pytest.mark.timing
def test_absurd_claims_are_refused_at_once() -> None:
    data = SMALL.replace("Frames: 2", "Frames: 1000000000000").encode()
    tracemalloc.start()
    start = time.perf_counter()
    try:
        parse_document(data)
    except UnreadableError as error:
        assert "1000000000000" in str(error)
    assert time.perf_counter() - start < 0.1
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()
