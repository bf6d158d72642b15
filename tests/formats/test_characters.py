"""The user's own character with our animation, and VRM animations."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.errors import InvalidValueError, UnreadableError, UnwritableError
from kinesphere.formats.gltf.character import character_bytes, face_binds, holds_character
from kinesphere.formats.gltf.gltf_document import parse_document
from kinesphere.formats.gltf.gltf_reading import GltfOrigin, take_of
from kinesphere.formats.gltf.stored_figure import default_figure, figure_bytes
from kinesphere.formats.gltf.vrma import vrma_bytes
from kinesphere.maths import quaternion
from kinesphere.pipeline.idle import idle
from tests.conftest import smooth_clip

Validate = Callable[[bytes], dict[str, Any]]
CHARACTERS = (
    "CesiumMan.glb",
    "RiggedFigure.glb",
    "Godette_vrm_v4.vrm",
    "VRMC_vrm_expressions_isBinary_Overridden.vrm",
    "VRMC_materials_mtoon_UV_Animation_Test.vrm",
)


def messages(issues: dict[str, Any]) -> set[str]:
    return {m["code"] for m in issues["messages"]}


@pytest.mark.parametrize("name", CHARACTERS)
def test_real_characters_keep_everything_and_move(
    name: str, data: Path, tmp_path: Path, validate_glb: Validate
) -> None:
    source = data / "characters" / name
    moved = ks.retarget(idle(2.0, seed=1), source)
    out = tmp_path / "out.glb"
    moved.save(out)
    before, after = (parse_document(p.read_bytes()) for p in (source, out))
    for key in ("meshes", "materials", "textures", "images", "skins", "extensions"):
        assert after.json.get(key) == before.json.get(key), key
    assert after.buffers[0][: len(before.buffers[0])] == before.buffers[0]
    old, new = validate_glb(source.read_bytes()), validate_glb(out.read_bytes())
    assert new["numErrors"] == old["numErrors"]
    assert messages(new) <= messages(old)
    assert new["numWarnings"] <= old["numWarnings"]
    back = ks.load(out).clip
    assert np.abs(back.world_positions - moved.clip.world_positions).max() < 1e-5
    assert len(back) == len(moved.clip)


def test_faces_of_vrm_characters_move(data: Path) -> None:
    take = ks.load(data / "characters" / "Godette_vrm_v4.vrm")
    assert isinstance(take.origin, GltfOrigin)
    binds = face_binds(take.origin.document)
    assert {"aa", "ih", "ou", "ee", "oh", "blink", "happy", "angry", "sad"} <= set(binds)
    moved = ks.retarget(idle(4.0, seed=1), data / "characters" / "Godette_vrm_v4.vrm")
    after = parse_document(character_bytes(moved.clip, take.origin))
    paths = {c["target"]["path"] for c in after.json["animations"][0]["channels"]}
    assert "weights" in paths


def with_targets(names: list[str]) -> GltfOrigin:
    """Our own figure as somebody else's character, its shapes renamed."""
    data = figure_bytes(default_figure())
    document = parse_document(data)
    for mesh in document.json["meshes"]:
        if "extras" in mesh:
            count = len(mesh["extras"]["targetNames"])
            if names:
                others = [f"shape{i}" for i in range(len(names), count)]
                mesh["extras"]["targetNames"] = [*names, *others]
    origin = take_of(document).origin
    assert isinstance(origin, GltfOrigin)
    return origin


def test_arkit_names_are_understood() -> None:
    origin = with_targets(["jawOpen", "eyeBlinkLeft", "eyeBlinkRight", "browInnerUp"])
    binds = face_binds(origin.document)
    assert [t for _, t, _ in binds["blink"]] == [1, 2]
    assert [t for _, t, _ in binds["aa"]] == [0]
    assert face_binds(with_targets([]).document)["aa"][0][2] == 1.0


def test_a_characters_own_animations_stay_and_ours_replaces_ours(rng: np.random.Generator) -> None:
    data = figure_bytes(default_figure(), smooth_clip(ks.default_skeleton(), rng, frames=5))
    document = parse_document(data)
    document.json["animations"].append({**document.json["animations"][0], "name": "dance"})
    take = take_of(document)
    assert isinstance(take.origin, GltfOrigin)
    assert holds_character(take.origin, take.clip)
    again = parse_document(character_bytes(take.clip, take.origin))
    assert [a["name"] for a in again.json["animations"]] == ["take", "dance"]


def test_a_clip_of_another_body_is_refused(rng: np.random.Generator) -> None:
    origin = with_targets([])
    other = smooth_clip(ks.Skeleton(("a",), [-1], np.zeros((1, 3))), rng)
    with pytest.raises(InvalidValueError, match="retarget"):
        character_bytes(other, origin)


def test_vrma(validate_glb: Validate, tmp_path: Path, rng: np.random.Generator) -> None:
    take = idle(2.0, seed=2)
    data = vrma_bytes(take)
    issues = validate_glb(data)
    assert (issues["numErrors"], issues["numWarnings"]) == (0, 0)
    extension = parse_document(data).json["extensions"]["VRMC_vrm_animation"]
    assert extension["specVersion"] == "1.0"
    assert set(extension["humanoid"]["humanBones"]) == set(ks.default_skeleton().names) - {
        "leftEye",
        "rightEye",
    }
    assert set(extension["expressions"]["preset"]) == {"blink"}
    take.save(tmp_path / "a.vrma")
    back = ks.load(tmp_path / "a.vrma")
    assert back.provenance["convention"] == "declared by the file"
    assert (
        np.abs(back.clip.joint_positions("leftHand") - take.clip.joint_positions("leftHand")).max()
        < 1e-5
    )
    with pytest.raises(UnwritableError, match="retarget"):
        vrma_bytes(ks.Take(smooth_clip(ks.Skeleton(("a",), [-1], np.zeros((1, 3))), rng)))


def test_vrma_holds_the_gaze(validate_glb: Validate) -> None:
    still = idle(1.0, seed=2)
    rig = ks.default_rig()
    turns = np.array(still.clip.rotations)
    yaw = np.radians(np.linspace(-20.0, 25.0, len(still.clip)))
    up = quaternion.from_axis_angle([1.0, 0.0, 0.0], np.radians(-8.0))
    for bone, more in (("leftEye", 0.02), ("rightEye", -0.02)):
        side = quaternion.from_axis_angle([0.0, 1.0, 0.0], yaw + more)
        turns[:, rig.joint(bone)] = quaternion.multiply(side, up)
    data = vrma_bytes(replace(still, clip=replace(still.clip, rotations=turns)))
    issues = validate_glb(data)
    assert (issues["numErrors"], issues["numWarnings"]) == (0, 0)
    document = parse_document(data)
    looks = document.json["extensions"]["VRMC_vrm_animation"]["lookAt"]
    eyes = rig.skeleton.offsets[rig.joints(("leftEye", "rightEye"))].mean(axis=0)
    assert looks["offsetFromHeadBone"] == pytest.approx(eyes, abs=1e-4)
    animation = document.json["animations"][0]
    moving = {c["target"]["node"]: c for c in animation["channels"]}
    assert not {rig.joint("leftEye"), rig.joint("rightEye")} & set(moving), "eyes have no track"
    channel = moving[looks["node"]]
    assert channel["target"]["path"] == "rotation"
    output = animation["samplers"][channel["sampler"]]["output"]
    found = document.array(output, "test")[:, [3, 0, 1, 2]]
    ahead = quaternion.rotate(found, np.array([0.0, 0.0, 1.0]))
    assert np.arctan2(ahead[:, 0], ahead[:, 2]) == pytest.approx(yaw, abs=1e-3)
    assert np.arcsin(ahead[:, 1]) == pytest.approx(np.radians(8.0), abs=1e-3)


def test_eyes_that_never_move_are_left_to_the_application() -> None:
    still = idle(1.0, seed=2)
    turns = np.array(still.clip.rotations)
    turns[:, ks.default_rig().joints(("leftEye", "rightEye"))] = [1.0, 0.0, 0.0, 0.0]
    data = vrma_bytes(replace(still, clip=replace(still.clip, rotations=turns)))
    assert "lookAt" not in parse_document(data).json["extensions"]["VRMC_vrm_animation"]


def damaged(origin: GltfOrigin, change: Callable[[dict[str, Any]], None]) -> bytes:
    document = json.loads(json.dumps(origin.document.json))
    change(document)
    origin.document.json = document
    return b""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda j: j.pop("skins"), "skeleton"),
        (lambda j: j["skins"][0].update(joints=[999]), "joint 999"),
        (lambda j: j["nodes"][0].update(children=[0]), "child"),
        (lambda j: j.update(extensions={"VRMC_vrm": {"humanoid": {}}}), "humanoid"),
    ],
)
def test_bad_characters_say_what_is_wrong(
    change: Callable[[dict[str, Any]], None], words: str
) -> None:
    origin = with_targets([])
    damaged(origin, change)
    with pytest.raises(UnreadableError, match=words):
        take_of(origin.document)


def test_characters_in_several_files_become_one(tmp_path: Path, validate_glb: Validate) -> None:
    """A .gltf with two buffers beside it, as some exporters write."""
    document = parse_document(figure_bytes(default_figure()))
    views = document.json["bufferViews"]
    half = views[len(views) // 2]["byteOffset"]
    for view in views[len(views) // 2 :]:
        view.update(buffer=1, byteOffset=view["byteOffset"] - half)
    whole = document.buffers[0]
    for name, data in (("a b.bin", whole[:half]), ("c.bin", whole[half:])):
        (tmp_path / name).write_bytes(data)
    document.json["buffers"] = [
        {"byteLength": half, "uri": "a%20b.bin"},
        {"byteLength": len(whole) - half, "uri": "c.bin"},
    ]
    (tmp_path / "hero.gltf").write_text(json.dumps(document.json))
    moved = ks.retarget(idle(1.0), tmp_path / "hero.gltf")
    moved.save(tmp_path / "out.glb")
    issues = validate_glb((tmp_path / "out.glb").read_bytes())
    assert (issues["numErrors"], issues["numWarnings"]) == (0, 0), issues["messages"][:3]
    assert (
        np.abs(
            ks.load(tmp_path / "out.glb").clip.world_positions - moved.clip.world_positions
        ).max()
        < 1e-5
    )


def test_a_robot_keeps_its_own_messages_and_gets_no_new_ones(
    data: Path, tmp_path: Path, validate_glb: Validate
) -> None:
    """Its feet are IK targets, so it takes no other body's motion; its own goes round."""
    source = data / "characters" / "RobotExpressive.glb"
    take = ks.load(source)
    ks.edit(take, ks.Edits(fps=30.0)).save(tmp_path / "robot.glb")
    old, new = (
        validate_glb(source.read_bytes()),
        validate_glb((tmp_path / "robot.glb").read_bytes()),
    )
    assert messages(new) <= messages(old)
    assert (new["numErrors"], new["numWarnings"]) == (old["numErrors"], old["numWarnings"])
