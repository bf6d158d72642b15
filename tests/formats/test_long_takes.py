"""Long takes are written in blocks: little memory beside their own, and the same bytes."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.export.output import save
from kinesphere.formats.bvh.bvh_document import document_bytes
from kinesphere.formats.bvh.bvh_writing import document_of
from kinesphere.formats.gltf.gltf_writing import glb_bytes
from kinesphere.formats.kin_archive import archive_bytes
from kinesphere.formats.wav import wav_bytes, write_wav
from kinesphere.maths import quaternion
from kinesphere.motion.clip import Clip
from kinesphere.motion.take import Audio, Take


def long_take(frames: int) -> Take:
    """The default figure turning all its joints, with a sound as long."""
    skeleton, rng = ks.default_skeleton(), np.random.default_rng(2)
    t = np.arange(frames)[:, None, None] / 60.0
    phase, size = rng.uniform(0, 6, (1, len(skeleton), 3)), rng.normal(size=(1, len(skeleton), 3))
    turns = quaternion.exp(2.0 * size * np.sin(1.3 * t + phase))
    turns.flags.writeable = False
    places = np.broadcast_to(skeleton.offsets[0], (frames, 3))
    sound = np.zeros(frames * 22050 // 60, np.float32)
    return Take(Clip(skeleton, 60.0, places, turns), Audio(sound, 22050))


def most_beside(work: Callable[[], object]) -> int:
    """Bytes that a work takes at most on top of what there is."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("ending", "share"), [(".bvh", 0.6), (".kin", 0.8), (".glb", 1.5)])
def test_writing_takes_little_memory_beside_the_take(
    ending: str, share: float, tmp_path: Path
) -> None:
    # A block has a tenth of these rotations; a file of glTF has half of their bytes.
    save(long_take(10), tmp_path / f"warm{ending}")
    take = long_take(30_000)
    used = most_beside(lambda: save(take, tmp_path / f"long{ending}"))
    assert used < share * take.clip.rotations.nbytes


def test_blocks_give_the_bytes_of_the_whole(tmp_path: Path) -> None:
    take = long_take(9_000)
    for ending, whole in ((".bvh", None), (".kin", archive_bytes), (".glb", glb_bytes)):
        path = tmp_path / f"a{ending}"
        save(take, path)
        wanted = document_bytes(document_of(take)) if whole is None else whole(take)
        assert path.read_bytes() == wanted


def test_angles_and_signs_do_not_jump_between_blocks(tmp_path: Path) -> None:
    take = long_take(9_000)
    values = document_of(take).values
    steps = np.abs(np.diff(values, axis=0)).max(axis=1)
    # No step is an equal angle a turn away, and none at the border of a block is unlike others.
    assert steps[[3599, 7199]].max() < 2.0 * np.percentile(steps, 99.0)
    save(take, tmp_path / "a.glb")
    back = ks.load(tmp_path / "a.glb").clip.rotations
    assert np.sum(back[1:] * back[:-1], axis=-1).min() > 0.0


def test_a_sound_is_written_in_pieces(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    levels = rng.integers(-32768, 32768, 700_000).astype(np.int16)
    single = Audio(levels / np.float32(32768.0), 22050)
    double = Audio(levels / 32768.0, 22050)
    assert single.samples.dtype == np.float32
    assert single == double
    assert wav_bytes(single) == wav_bytes(double)
    with (tmp_path / "a.wav").open("wb") as file:
        write_wav(double, file)
    assert (tmp_path / "a.wav").read_bytes() == wav_bytes(single)
