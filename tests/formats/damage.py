"""Damaged files of annotation formats: they are read with problems, or refused in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from kinesphere.errors import UnreadableError, UnwritableError
from kinesphere.formats.problems import Problem

Flips = list[tuple[int, int]]


def flips(data: bytes) -> st.SearchStrategy[Flips]:
    """Positions in a file, and what their bytes are changed by."""
    one = st.tuples(st.integers(0, len(data) - 1), st.integers(1, 255))
    return st.lists(one, min_size=1, max_size=4)


def flip(data: bytes, changes: Flips) -> bytes:
    """The file with changed bytes."""
    out = bytearray(data)
    for at, change in changes:
        out[at] ^= change
    return bytes(out)


def read_or_refuse(
    parse: Callable[[bytes], tuple[Any, tuple[Problem, ...]]],
    write: Callable[[Any], bytes],
    data: bytes,
    *,
    incomplete: bool,
) -> None:
    """Check that a file is refused, or that what is read of it comes back as it was."""
    try:
        document, found = parse(data)
    except UnreadableError as error:
        assert "\n" not in str(error)
        return
    assert found or not incomplete
    lines = data.count(b"\n") + 1
    assert all(1 <= problem.line <= lines and "\n" not in str(problem) for problem in found)
    try:
        again = write(document)
    except UnwritableError:  # a name got a letter that only its encoding has
        return
    assert parse(again)[0] == document
