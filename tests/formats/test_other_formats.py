"""SMPL-X npz, SmartBody, the take archive, and the registry."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kinesphere as ks
from kinesphere.cli.main import status
from kinesphere.errors import InvalidValueError, UnreadableError, UnwritableError
from kinesphere.formats import kin_archive, smartbody, smplx
from kinesphere.formats.files import read_bytes, write_atomically
from kinesphere.formats.registry import endings, formats, read_take, write_take
from kinesphere.maths import quaternion as quat
from kinesphere.timeline import Interval, Tier
from tests.conftest import ROOT, smooth_clip


def npz(path: Path, **arrays: Any) -> Path:
    with open(path, "wb") as file:
        np.savez(file, **arrays)
    return path


@pytest.mark.parametrize(("joints", "kind"), [(55, "SMPL-X"), (52, "SMPL-H"), (24, "SMPL")])
def test_smpl_family(joints: int, kind: str, tmp_path: Path, rng: np.random.Generator) -> None:
    poses = 0.2 * rng.normal(size=(10, joints * 3))
    path = npz(
        tmp_path / "a.npz",
        poses=poses,
        trans=rng.normal(size=(10, 3)),
        mocap_framerate=120.0,
        gender="neutral",
        betas=np.zeros(16),
    )
    take = read_take(path)
    assert take.provenance["model"] == kind
    assert take.clip.fps == 120.0
    assert quat.angle_between(take.clip.rotations[3, 5], quat.exp(poses[3, 15:18])) < 1e-7
    report = ks.identify(take.clip.skeleton)
    assert report.complete
    assert len(report.rig.bones) == {55: 55, 52: 52, 24: 22}[joints]
    assert take.clip.skeleton.rest_world_positions[:, 1].max() > 1.5


def test_z_up_data_is_turned(tmp_path: Path) -> None:
    poses = np.zeros((5, 165))
    poses[:, 0] = np.pi / 2
    take = read_take(npz(tmp_path / "a.npz", poses=poses, trans=np.tile([0.0, 3.0, 0.9], (5, 1))))
    assert any("Z is up" in n for n in take.notes)
    assert any("30 fps" in n for n in take.notes)
    head = take.clip.joint_positions("head")[0]
    assert head[1] > 1.4
    assert head[2] == pytest.approx(-3.0, abs=0.1)


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"trans": np.zeros((2, 3))}, "poses"),
        ({"poses": np.zeros((2, 100)), "trans": np.zeros((2, 3))}, "165, 156 and 72"),
        ({"poses": np.zeros((0, 165)), "trans": np.zeros((0, 3))}, "shape"),
        ({"poses": np.zeros((2, 165)), "trans": np.zeros((3, 3))}, "trans"),
        ({"poses": np.full((2, 165), np.nan), "trans": np.zeros((2, 3))}, "finite"),
        ({"poses": np.array([{}, {}], dtype=object), "trans": np.zeros((2, 3))}, "objects"),
    ],
)
def test_bad_npz(arrays: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match=words):
        read_take(npz(tmp_path / "a.npz", **arrays))


def test_npz_that_lies_about_its_size(tmp_path: Path) -> None:
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (10**9, 165)}
    )
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.writestr("poses.npy", header.getvalue() + bytes(64))
    with pytest.raises(UnreadableError, match="cannot hold"):
        read_take(path)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(UnreadableError, match="npz"):
        read_take(path)


def test_beat2(data: Path) -> None:
    take = read_take(data / "beat2" / "2_scott_0_1_1.npz")
    assert len(take.clip) == 1906
    assert take.clip.fps == 30.0
    assert len(take.clip.channels) == 100
    heights = take.clip.joint_positions("head")[:, 1]
    assert 1.3 < heights.min() < heights.max() < 1.8


SK = """# a comment
set_name Tiny
skeleton
root base
{ offset 0 1 0
  prerot axis 0 0 0 ang 0
  channel XPos 0 free
  channel YPos 0 lim -1 1
  channel ZPos 0 free
  channel Quat
  joint arm
  { offset 0.5 0 0
    prerot axis 0 0 1 ang 90
    channel Quat
  }
}
"""
SKM = """SkMotion
name "tiny"
channels 3
base XPos
arm Quat
ghost Quat
frames 3
kt 0.0 fr 0.0 0 0 0 0 0 0
kt 0.033333 fr 0.1 0 0.5 0 0 0 0

kt 0.066667 fr 0.2 0 1.0 0 0 0 0
ready time: 0.01
stroke time: 0.05
"""


def test_smartbody(tmp_path: Path) -> None:
    (tmp_path / "Tiny.sk").write_text(SK)
    (tmp_path / "Tiny@wave.skm").write_text(SKM)
    take = read_take(tmp_path / "Tiny@wave.skm")
    clip = take.clip
    assert clip.fps == 30.0
    assert clip.root_positions[:, 0] == pytest.approx([0, 0.1, 0.2])
    expected = quat.multiply(quat.from_axis_angle([0, 0, 1.0], np.pi / 2), quat.exp([0, 0.5, 0]))
    assert quat.angle_between(clip.rotations[1, 1], expected) < 1e-7
    assert take.tiers == (
        Tier("sync", (Interval(0.01, 0.01, "ready"), Interval(0.05, 0.05, "stroke"))),
    )
    assert any("ghost" in n for n in take.notes)
    assert len(read_take(tmp_path / "Tiny.sk").clip) == 1
    (tmp_path / "Other.sk").write_text(SK)
    assert read_take(tmp_path / "Tiny@wave.skm", skeleton=tmp_path / "Other.sk").clip == clip
    (tmp_path / "X.skm").write_text(SKM)
    with pytest.raises(UnreadableError, match="skeleton"):
        read_take(tmp_path / "X.skm")


def test_a_smartbody_motion_of_another_skeleton_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "Tiny.sk").write_text(SK.replace("joint arm", "joint wing"))
    (tmp_path / "Tiny@wave.skm").write_text(SKM)
    said = (
        r"wave\.skm: is not of the skeleton Tiny\.sk: of 2 .* 2 are not there, such as arm, ghost"
    )
    with pytest.raises(UnreadableError, match=said):
        read_take(tmp_path / "Tiny@wave.skm")
    out = tmp_path / "a.eaf"
    assert status(["annotate", str(tmp_path / "Tiny@wave.skm"), "-o", str(out)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("SkMotion", "Other", "SkMotion"),
        ("frames 3", "frames 4", "ends after 3 of 4|expected"),
        ("frames 3", "frames 999999999", "can contain"),
        ("0.1 0 0.5", "0.1 x 0.5", "NUMBERS"),
        ("0.1 0 0.5", "0.1 nan 0.5", "finite"),
        ("0.1 0 0.5 0", "0.1 0 0.5", "6 numbers"),
        ("0.066667", "0.01", "ascend"),
        ("arm Quat", "arm Foo", "Foo"),
        ("channels 3", "channels many", "number"),
    ],
)
def test_bad_motions_name_the_line(old: str, new: str, words: str) -> None:
    with pytest.raises(UnreadableError, match=words):
        smartbody.parse_motion(SKM.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("skeleton\n", "\n", "skeleton"),
        ("offset 0.5 0 0", "offset 0.5 x", "number"),
        ("joint arm", "joint base", "two joints"),
        ("  }\n}", "", "ends"),
        ("channel Quat\n  joint", "frobnicate\n joint", "frobnicate"),
    ],
)
def test_bad_skeletons_name_the_line(old: str, new: str, words: str) -> None:
    with pytest.raises(UnreadableError, match=words):
        smartbody.parse_skeleton(SK.replace(old, new))


def test_all_smartbody_clips(data: Path) -> None:
    files = sorted(data.glob("smartbody/*/*.skm"))
    assert len(files) >= 180
    for path in files[::6]:
        take = read_take(path)
        sync = take.tier("sync")
        assert sync is not None
        assert {i.label for i in sync} == set(smartbody.SYNC_NAMES)
        assert ks.identify(take.clip.skeleton).complete


def whole_take(rng: np.random.Generator) -> ks.Take:
    clip = smooth_clip(ks.default_skeleton(), rng, frames=12)
    jaw = clip.skeleton.index("jaw")
    clip = replace(
        clip,
        translated_joints=(jaw,),
        translations=rng.normal(size=(12, 1, 3)),
        channels={"aa": np.linspace(0, 1, 12)},
    )
    return ks.Take(
        clip,
        ks.Audio(np.round(np.linspace(-1, 1, 800) * 64) / 64, 16000),
        (Tier("words", (Interval(0.0, 0.1, "héllo"),)), Tier("phases", ())),
        {"script": {"gestures": [1, 2.5, None, True]}},
        {"seed": 7, "notes": ["made by a test"]},
    )


def test_the_archive_round_trips_and_is_deterministic(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    take = whole_take(rng)
    take.save(tmp_path / "a.kin")
    assert read_take(tmp_path / "a.kin") == take
    assert kin_archive.archive_bytes(take) == (tmp_path / "a.kin").read_bytes()


def test_every_version_of_the_archive_stays_readable() -> None:
    stored = sorted((ROOT / "tests" / "golden").glob("take_v*.kin"))
    assert [p.stem for p in stored] == [f"take_v{v}" for v in range(1, kin_archive.VERSION + 1)]
    for path in stored:
        assert read_take(path) == golden_take()


def golden_take() -> ks.Take:
    """The take in the stored archives; no random numbers, so that it can be made again."""
    skeleton = ks.Skeleton(
        ("root", "arm", "hand"), [-1, 0, 1], [[0, 1, 0], [0.25, 0, 0], [0.25, 0, 0]]
    )
    turns = quat.identity((4, 3))
    turns[2] = [0.5, 0.5, 0.5, 0.5]
    path = np.arange(12.0).reshape(4, 3) / 8
    clip = ks.Clip(
        skeleton, 30.0, path, turns, (2,), path[:, None], {"aa": np.array([0, 0.25, 0.5, 1.0])}
    )
    return ks.Take(
        clip,
        ks.Audio(np.array([0.0, 0.5, -0.5, 0.25]), 16000),
        (Tier("words", (Interval(0.0, 0.0625, "hi"),)),),
        {"script": {"a": [1, None]}},
        {"seed": 1, "notes": ["golden"]},
    )


def rewritten(data: bytes, change: dict[str, Any]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "kinesphere.json":
                content = json.dumps({**json.loads(content), **change}).encode()
            new.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"version": 99}, "version 99"),
        ({"version": "1"}, "version"),
        ({"kind": "model"}, "model"),
        ({"fps": -1}, "fps"),
        ({"skeleton": {"names": ["a"], "parents": [-1], "tips": []}}, "inconsistent|shape"),
        ({"tiers": [{"name": "x"}]}, "inconsistent"),
        ({"channels": ["a", "b"]}, "inconsistent"),
        ({"tiers": [{"name": "x", "intervals": [[2, 1, "y"]]}]}, "ends"),
    ],
)
def test_bad_archives(change: dict[str, Any], words: str, rng: np.random.Generator) -> None:
    with pytest.raises(UnreadableError, match=words):
        kin_archive.parse_archive(rewritten(kin_archive.archive_bytes(whole_take(rng)), change))


@given(st.integers(0, 10**9), st.integers(0, 255))
def test_damaged_archives(position: int, byte: int) -> None:
    data = bytearray(kin_archive.archive_bytes(golden_take()))
    data[position % len(data)] = byte
    try:
        kin_archive.parse_archive(bytes(data))
    except UnreadableError as error:
        assert "\n" not in str(error)
    with pytest.raises(UnreadableError):
        kin_archive.parse_archive(bytes(data[: position % len(data)]))


def test_provenance_must_be_plain(rng: np.random.Generator, tmp_path: Path) -> None:
    take = ks.Take(smooth_clip(ks.default_skeleton(), rng), provenance={"x": object()})
    with pytest.raises(UnwritableError, match="JSON"):
        take.save(tmp_path / "a.kin")
    assert list(tmp_path.iterdir()) == []


def test_registry(tmp_path: Path, rng: np.random.Generator) -> None:
    known = [e for f in formats() for e in f.endings]
    assert len(set(known)) == len(known)
    assert {".bvh", ".glb", ".gltf", ".vrm", ".vrma", ".npz", ".skm", ".sk", ".kin"} <= set(known)
    take = ks.Take(smooth_clip(ks.default_skeleton(), rng))
    for ending in endings(reading=False):
        write_take(take, tmp_path / f"a{ending}")
        again = read_take(tmp_path / f"a{ending}").clip
        assert (
            np.abs(again.joint_positions("leftHand") - take.clip.joint_positions("leftHand")).max()
            < 1e-5
        )
    with pytest.raises(UnreadableError, match=r"\.bvh"):
        read_take(tmp_path / "a.xyz")
    with pytest.raises(InvalidValueError, match="unit"):
        read_take(tmp_path / "a.kin", unit="cm")
    for bad in ("a.skm", "a", "nowhere/a.bvh"):
        with pytest.raises(UnwritableError):
            write_take(take, tmp_path / bad)


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError, match="boom"), write_atomically(path) as file:
        file.write(b"new")
        raise RuntimeError("boom")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]
    with pytest.raises(UnreadableError, match="MB"):
        read_bytes(path, 2)


def test_smpl_skeleton_is_symmetric() -> None:
    skeleton = smplx.smpl_skeleton(55)
    places = skeleton.rest_world_positions
    for name in skeleton.names:
        if name.startswith("left"):
            other = places[skeleton.index(name.replace("left", "right"))]
            assert places[skeleton.index(name)] * np.array([-1, 1, 1]) == pytest.approx(other)
