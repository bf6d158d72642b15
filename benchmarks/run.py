"""Speed as ratios, each taken in one run on this machine: ``make bench``.

Every row says what is measured, against what, the ratio and the target. Times are the best of
several runs, warm. Rows that need a program we do not install (Blender) come from a stored table
with the command that made it.
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import kinesphere as ks
from kinesphere.formats.bvh import document_bytes, parse_document
from kinesphere.formats.bvh_motion import document_of, take_of
from kinesphere.formats.gltf_figure import glb_bytes
from kinesphere.maths import quaternion as quat
from kinesphere.motion.kinematics import forward_kinematics, forward_kinematics_plain
from kinesphere.motion.limbs import limb_of, solve
from kinesphere.motion.resampling import resample
from kinesphere.motion.retargeting import retarget

STORED = Path(__file__).parent / "blender.json"
JOINTS = 75
FILE_BYTES = 16_000_000


@dataclass(frozen=True)
class Row:
    """One line of the table; `target` is the least ratio wanted, if there is one."""

    what: str
    against: str
    ratio: float
    target: float | None = None
    note: str = ""


def best(work: Callable[[], object], runs: int = 5) -> float:
    """Shortest time of several runs, seconds."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def big_clip() -> ks.Clip:
    """A body of 75 joints in motion, long enough for a BVH file of 16 MB."""
    rng = np.random.default_rng(1)
    body = ks.default_skeleton()
    extra = JOINTS - len(body)
    names = (*body.names, *(f"extra{i}" for i in range(extra)))
    parents = [*body.parents.tolist(), *rng.integers(0, len(body), extra).tolist()]
    offsets = np.concatenate([body.offsets, 0.05 * rng.normal(size=(extra, 3))])
    skeleton = ks.Skeleton(names, np.array(parents), offsets)
    frames = 7000
    t = np.arange(frames)[:, None, None] / 60.0
    phase, size = rng.uniform(0, 6, (1, JOINTS, 3)), 0.5 * rng.normal(size=(1, JOINTS, 3))
    turns = quat.exp(size * np.sin(1.7 * t + phase))
    path = skeleton.offsets[0] + 0.2 * np.sin(t[:, 0] + phase[0, 0])
    return ks.Clip(skeleton, 60.0, path, turns)


def bvh_rows(clip: ks.Clip) -> list[Row]:
    """Read and write BVH."""
    document = document_of(ks.Take(clip))
    data = document_bytes(document)
    data_size = len(data)
    numbers = data[data.index(b"Frame Time") :].split(b"\n", 1)[1].decode()
    read = best(lambda: parse_document(data))
    motion = best(lambda: take_of(parse_document(data)), 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fromstring = best(lambda: np.fromstring(numbers, sep=" "), 3)
    write = best(lambda: document_bytes(document), 3)

    def savetxt() -> None:
        np.savetxt(io.StringIO(), document.values, fmt="%.6f")

    rows = [
        Row("BVH read", "numpy.fromstring of its numbers", fromstring / read, 5.0, f"{data_size / 1e6:.1f} MB at {data_size / 1e6 / read:.0f} MB/s"),
        Row("BVH read to motion", "numpy.fromstring of its numbers", fromstring / motion, 5.0, f"{data_size / 1e6 / motion:.0f} MB/s"),
        Row("BVH write", "numpy.savetxt of its numbers", best(savetxt, 1) / write, None, f"{data_size / 1e6 / write:.0f} MB/s"),
    ]  # fmt: skip
    return rows + peer_rows(data, read)


def peer_rows(data: bytes, ours: float) -> list[Row]:
    """Other BVH readers, on the same file."""
    import bvh
    import bvhio

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.bvh"
        path.write_bytes(data)

        def read_bvhio() -> object:
            with redirect_stdout(io.StringIO()):
                return bvhio.readAsBvh(str(path))

        rows = [Row("BVH read", "bvhio", best(read_bvhio, 1) / ours, 20.0)]
        rows.append(Row("BVH read", "bvh", best(lambda: bvh.Bvh(data.decode()), 1) / ours))
    if STORED.exists():
        stored = json.loads(STORED.read_text())
        text, imported = stored["fromstring_seconds"], stored["import_seconds"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            start = data.index(b"Frame Time")
            numbers = data[start:].split(b"\n", 1)[1].decode()
            here = best(lambda: np.fromstring(numbers, sep=" "), 2)
        rows.append(
            Row(
                "BVH read",
                "Blender's importer (stored)",
                imported / text * here / ours,
                None,
                stored["command"],
            )
        )
    return rows


def motion_rows(clip: ks.Clip) -> list[Row]:
    """Forward kinematics, IK, resampling, retargeting, GLB."""
    count = len(clip) * len(clip.skeleton)
    roots = clip.root_positions
    fast = best(lambda: forward_kinematics(clip.skeleton, clip.rotations, roots))
    plain = best(lambda: forward_kinematics_plain(clip.skeleton, clip.rotations, roots), 2)
    rate = count / fast
    rows = [
        Row("FK of 75 joints", "1 million joint-frames a second", rate / 1e6, 1.0, f"{rate / 1e6:.0f} million a second"),
        Row("FK of 75 joints", "the same in numpy", plain / fast),
    ]  # fmt: skip
    skeleton = ks.default_skeleton()
    arm = [skeleton.index(f"left{part}") for part in ("UpperArm", "LowerArm", "Hand")]
    limb = limb_of(skeleton, (arm[0], arm[1], arm[2]), [0, 0, 1], [0, 0, 1], [0, -1, 0], 1)
    targets = np.random.default_rng(2).normal(scale=0.3, size=(10_000, 3))
    seconds = best(lambda: solve(limb, np.zeros(3), targets, 0.3))
    rows.append(
        Row(
            "arm IK",
            "100,000 solutions a second",
            10_000 / seconds / 1e5,
            None,
            f"{seconds * 100:.2f} us each",
        )
    )
    seconds = best(lambda: resample(clip, 120.0), 3)
    rows.append(Row("resample 60 to 120 fps", "real time", 2 * clip.duration_s / seconds / 2))
    body = ks.default_rig()
    short = ks.Clip(
        skeleton,
        60.0,
        clip.root_positions,
        np.ascontiguousarray(clip.rotations[:, : len(skeleton)]),
    )
    target = ks.Rig(skeleton.scaled(0.8), body.bones)
    short.world_positions  # noqa: B018  computed once, outside the measurement
    seconds = best(lambda: retarget(short, body, target), 2)
    rows.append(Row("retarget 55 joints", "real time", short.duration_s / seconds))
    seconds = best(lambda: glb_bytes(ks.Take(clip)), 3)
    rows.append(Row("GLB write", "real time", clip.duration_s / seconds))
    return rows


def look_rows() -> list[Row]:
    """Video and pages."""
    from kinesphere.export.raster import render_clip
    from kinesphere.formats.figure_glb import default_figure

    clip = resample(ks.idle(2.0).clip, 30.0)
    figure = default_figure()
    rows = []
    for workers in (1, 2):
        seconds = best(lambda n=workers: list(render_clip(figure, clip, workers=n)), 2)  # type: ignore[misc]
        fps = len(clip) / seconds
        target = 1.0 if workers == 2 else None
        rows.append(
            Row(
                f"render 720p, {workers} worker(s)",
                "real time at 30 fps",
                fps / 30.0,
                target,
                f"{fps:.0f} frames a second",
            )
        )
    seconds = best(lambda: ks.idle(60.0), 1)
    rows.append(Row("idle life", "real time", 60.0 / seconds))
    return rows


def main() -> int:
    """Print the table; 1 if a target is missed. With a file name, write the big BVH file there."""
    clip = big_clip()
    if len(sys.argv) > 1:
        ks.Take(clip).save(sys.argv[1])
        return 0
    rows = bvh_rows(clip) + motion_rows(clip) + look_rows()
    print(f"{'what':<26} {'against':<34} {'ratio':>9} {'target':>8}  note")
    missed = 0
    for row in rows:
        target = "" if row.target is None else f">= {row.target:g}"
        bad = row.target is not None and row.ratio < row.target
        missed += bad
        print(
            f"{row.what:<26} {row.against:<34} {row.ratio:>8.1f}x {target:>8}  {row.note}{'  MISSED' if bad else ''}"
        )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
