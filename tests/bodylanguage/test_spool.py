"""Extracts on disk are the extracts that were put there, and cost memory only while looked at."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from kinesphere.bodylanguage.learn import extract_store as spool_module
from kinesphere.bodylanguage.learn.extract import Extract
from kinesphere.bodylanguage.learn.extract_store import Spool
from kinesphere.errors import InvalidValueError, UnwritableError


def any_extract(seed: int, frames: int = 50) -> Extract:
    rng = np.random.default_rng(seed)
    return Extract(
        f"name {seed}",
        f"speaker {seed % 2}",
        frozenset({"arms", "head"}),
        rng.integers(-30000, 30000, (frames, 44, 3)).astype(np.int16),
        rng.integers(-300, 300, (frames, 3)).astype(np.int16),
        rng.random((3, frames)).astype(np.float32),
        tuple(rng.random((frames, d)).astype(np.float32) for d in (3, 6, 6)),
        np.sort(rng.random(20)) * frames / 30.0,
        rng.integers(0, 36, 20),
        17,
    )


def assert_same(a: Extract, b: Extract) -> None:
    for field in fields(Extract):
        mine, theirs = getattr(a, field.name), getattr(b, field.name)
        pairs = zip(mine, theirs, strict=True) if field.name == "keys" else [(mine, theirs)]
        for x, y in pairs:
            if isinstance(x, np.ndarray):
                assert (x.dtype, x.shape) == (y.dtype, y.shape)
                assert np.array_equal(x, y)
            else:
                assert x == y


@pytest.mark.parametrize("frames", [1, 50, 1001])
def test_what_is_put_in_comes_out(frames: int) -> None:
    given = [any_extract(i, frames + i) for i in range(5)]
    with Spool() as spool:
        for one in given:
            spool.add(one)
        assert len(spool) == 5
        for _ in range(2):
            for i, one in enumerate(given):
                assert_same(spool[i], one)
        assert_same(spool[-1], given[-1])
        assert [spool[i].name for i in range(len(spool))] == [one.name for one in given]
        with pytest.raises(IndexError):
            spool[5]


@pytest.mark.parametrize("frames", [50, 1001])
def test_nothing_can_be_changed_by_reading(frames: int) -> None:
    one = any_extract(0, frames)
    with Spool() as spool:
        spool.add(one)
        with pytest.raises(ValueError, match="read-only"):
            spool[0].steps[0] = 0
        one.steps[:] = 0  # nor by whoever put it in
        assert spool[0].steps.any()


def test_small_ones_stay_in_memory_up_to_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool_module, "_MOST_HELD", 40_000)  # two of 17 kB
    given = [any_extract(i) for i in range(3)]
    with Spool(tmp_path) as spool:
        for one in given:
            spool.add(one)
        assert [file.name for file in tmp_path.iterdir()] == ["000002.extract"]
        for i, one in enumerate(given):
            assert_same(spool[i], one)
    assert list(tmp_path.iterdir()) == []


def test_arrays_are_mapped_from_the_file_and_gone_with_it(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    spool.add(any_extract(0, 5000))
    (file,) = tmp_path.iterdir()
    one = spool[0]
    size = one.steps.nbytes + one.places.nbytes + one.energies.nbytes
    size += sum(key.nbytes for key in one.keys)
    assert size <= file.stat().st_size < size + 1000
    assert not one.steps.flags.owndata
    spool.close()
    spool.close()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InvalidValueError, match="closed"):
        spool[0]
    with pytest.raises(InvalidValueError, match="closed"):
        spool.add(one)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnwritableError, match="cannot be spooled to disk"):
        Spool(tmp_path / "no").add(any_extract(0, 5000))
