"""Figures: a page that only knows the file's nodes gets the hands to where retargeting has them."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.errors import KinesphereError
from kinesphere.maths.arrays import Floats
from kinesphere.pipeline.idle import idle
from kinesphere.studio.work.figures import ShownFigure, default_shown_figure, shown_character
from tests.conftest import skip_without, smooth_clip
from tests.studio.packet_reader import read_frames

CHARACTERS = (
    "CesiumMan.glb",
    "RiggedFigure.glb",
    "Godette_vrm_v4.vrm",
    "VRMC_vrm_expressions_isBinary_Overridden.vrm",
    "VRMC_materials_mtoon_UV_Animation_Test.vrm",
)
ENDS = ("leftHand", "rightHand", "leftFoot", "rightFoot", "head", "hips")


def gltf_of(glb: bytes) -> dict[str, Any]:
    assert glb[:4] == b"glTF"
    (length,) = struct.unpack_from("<I", glb, 12)
    out: dict[str, Any] = json.loads(glb[20 : 20 + length])
    return out


def matrix(node: dict[str, Any]) -> Floats:
    """Local transform of a node, by the glTF specification."""
    if "matrix" in node:
        return np.array(node["matrix"], dtype=np.float64).reshape(4, 4).T
    x, y, z, w = node.get("rotation", (0.0, 0.0, 0.0, 1.0))
    out = np.eye(4)
    out[:3, :3] = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    out[:3, :3] *= np.array(node.get("scale", (1.0, 1.0, 1.0)))
    out[:3, 3] = node.get("translation", (0.0, 0.0, 0.0))
    return out


def places(nodes: list[dict[str, Any]]) -> dict[str, Floats]:
    """World position of every node by its name."""
    above = {child: i for i, node in enumerate(nodes) for child in node.get("children", ())}

    def world(i: int) -> Floats:
        local = matrix(nodes[i])
        return world(above[i]) @ local if i in above else local

    return {node.get("name", ""): world(i)[:3, 3] for i, node in enumerate(nodes)}


def posed(figure: ShownFigure, data: bytes, count: int, frame: int) -> dict[str, Floats]:
    """Places of the file's nodes, as a page would have them in a frame."""
    frames = read_frames(data, count, len(figure.joints), len(figure.shapes))
    nodes = gltf_of(figure.glb)["nodes"]
    by_name = {node.get("name"): node for node in nodes}
    for j, name in enumerate(figure.joints):
        w, x, y, z = (float(v) for v in frames.turns[frame, j])
        node = by_name[name]
        node.pop("matrix", None)
        node["rotation"] = [x, y, z, w]
    by_name[figure.joints[0]]["translation"] = frames.roots[frame].tolist()
    return places(nodes)


def check(figure: ShownFigure, clip: ks.Clip) -> None:
    assert len(set(figure.joints)) == len(figure.joints)
    moved = figure.retarget(clip)
    data = figure.frames(moved)
    world = moved.world_positions
    metres = 1.0 if figure.origin is None else figure.origin.metres
    for frame in (0, len(moved) // 2, len(moved) - 1):
        found = posed(figure, data, len(moved), frame)
        for bone in ENDS:
            wanted = world[frame, figure.rig.bones[bone]]
            got = found[figure.bones[bone]] * metres
            assert np.linalg.norm(got - wanted) < 1e-3, (bone, got, wanted)


def acting() -> ks.Clip:
    return smooth_clip(ks.default_skeleton(), np.random.default_rng(1), frames=30, size=0.3)


def test_the_mannequin_moves_as_the_clip_does() -> None:
    check(default_shown_figure(), acting())
    figure = default_shown_figure()
    face = idle(1.0, seed=2).clip
    frames = read_frames(figure.frames(face), len(face), len(figure.joints), len(figure.shapes))
    for k, name in enumerate(figure.shapes):
        if name in face.channels:
            wanted = np.clip(face.channels[name], 0.0, 1.0)
            assert np.abs(frames.face[:, k] - wanted).max() < 1 / 255


@pytest.mark.parametrize("name", CHARACTERS)
def test_characters_with_files_of_their_own_move_as_retargeted(name: str, data: Path) -> None:
    path = data / "characters" / name
    if not path.exists():
        skip_without(name)
    figure = shown_character(str(path), name)
    assert figure.vrm == name.endswith(".vrm")
    check(figure, acting())


def test_a_bvh_becomes_a_figure_that_moves_so(tmp_path: Path) -> None:
    path = tmp_path / "stick.bvh"
    ks.Take(acting()).save(path)
    figure = shown_character(str(path), "Stick")
    assert (figure.name, figure.vrm, figure.shapes) == ("Stick", False, ())
    check(figure, acting())


def test_the_home_frame_is_one_frame_in_which_it_stands() -> None:
    figure = default_shown_figure()
    data = base64.b64decode(figure.home())
    found = posed(figure, data, 1, 0)
    heights = {bone: found[figure.bones[bone]][1] for bone in ENDS}
    assert 0.0 < heights["leftFoot"] < heights["leftHand"] < heights["head"]


def test_every_bone_has_a_node_of_the_file() -> None:
    names = {n.get("name") for n in gltf_of(default_shown_figure().glb)["nodes"]}
    assert set(default_shown_figure().bones.values()) <= set(default_shown_figure().joints) <= names


@pytest.mark.parametrize("name", ["a.glb", "a.vrm", "a.bvh", "a.txt"])
def test_what_is_no_character_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"nothing of the kind")
    with pytest.raises(KinesphereError):
        shown_character(str(tmp_path / name), name)


def test_frames_that_come_one_by_one_stand_like_all_at_once(data: Path) -> None:
    take = idle(1.0)
    figure = shown_character(str(data / "characters" / "CesiumMan.glb"), "Cesium")
    whole = figure.retarget(take.clip)
    for i in range(0, len(take.clip), 7):
        one = figure.retarget(take.clip.frames(i, i + 1))
        assert np.abs(one.world_positions[0] - whole.world_positions[i]).max() < 1e-9
    retargeted = ks.retarget(take, data / "characters" / "CesiumMan.glb").clip
    # A whole take has feet that stand still, and hands beside thighs that are wider than ours.
    assert np.abs(retargeted.world_positions - whole.world_positions).max() < 0.06
