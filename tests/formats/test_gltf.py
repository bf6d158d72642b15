"""GLB and glTF: the Khronos validator, round trips, foreign files, damage."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kinesphere as ks
from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.formats.gltf.gltf_document import GltfBuilder, parse_document
from kinesphere.formats.gltf.gltf_reading import read_gltf, take_of
from kinesphere.formats.gltf.gltf_writing import glb_bytes, write_glb
from kinesphere.maths import quaternion as quat
from tests.conftest import random_rotations, smooth_clip

Validate = Callable[[bytes], dict[str, Any]]


def rich_clip(rng: np.random.Generator) -> ks.Clip:
    clip = smooth_clip(ks.default_skeleton(), rng, frames=33, fps=30.0)
    n, jaw = len(clip), clip.skeleton.index("jaw")
    return replace(
        clip,
        translated_joints=(jaw,),
        translations=clip.skeleton.offsets[jaw] + 0.01 * rng.normal(size=(n, 1, 3)),
        channels={"aa": np.linspace(0, 1, n), "blink": np.zeros(n), 'Schürze "é"': np.ones(n)},
    )


def test_the_validator_finds_nothing(validate_glb: Validate, rng: np.random.Generator) -> None:
    one = ks.Skeleton(("only",), [-1], np.zeros((1, 3)))
    many = ks.Skeleton(
        tuple(f"j{i}" for i in range(300)),
        [-1, *range(299)],
        rng.normal(size=(300, 3)),
        random_rotations(rng, 300),
    )
    clips = [
        rich_clip(rng),
        smooth_clip(ks.default_skeleton(), rng, frames=1),
        smooth_clip(ks.default_skeleton(), rng, frames=2000, fps=119.88),
        smooth_clip(one, rng),
        smooth_clip(many, rng),
    ]
    for clip in clips:
        issues = validate_glb(glb_bytes(ks.Take(clip)))
        assert (issues["numErrors"], issues["numWarnings"]) == (0, 0), issues["messages"][:3]


def test_the_validator_is_awake(validate_glb: Validate, rng: np.random.Generator) -> None:
    data = glb_bytes(ks.Take(rich_clip(rng))).replace(b'"type":"VEC4"', b'"type":"VEC3"')
    assert validate_glb(data)["numErrors"] > 0


def test_round_trip(rng: np.random.Generator) -> None:
    clip = rich_clip(rng)
    back = take_of(parse_document(glb_bytes(ks.Take(clip)))).clip
    assert back.fps == clip.fps
    assert back.skeleton.names == clip.skeleton.names
    assert np.abs(back.world_positions - clip.world_positions).max() < 2e-6
    assert quat.angle_between(back.rotations, clip.rotations).max() < 1e-5
    assert back.translated_joints == clip.translated_joints
    assert back.channels.keys() == clip.channels.keys()
    for name in clip.channels:
        assert np.abs(back.channels[name] - clip.channels[name]).max() < 1e-6


def test_odd_rates_and_long_clips_round_trip(rng: np.random.Generator) -> None:
    clip = smooth_clip(ks.default_skeleton(), rng, frames=7200, fps=119.88)
    back = take_of(parse_document(glb_bytes(ks.Take(clip)))).clip
    assert len(back) == len(clip)
    assert np.abs(back.world_positions - clip.world_positions).max() < 1e-4


def foreign(interpolation: str, **changes: Any) -> tuple[dict[str, Any], bytes]:
    """A small file of another make: scaled armature, matrix node, quantised rotations."""
    builder = GltfBuilder("somebody")
    times = np.array([0.5, 1.0, 2.0], np.float32)
    quarter = np.array([0.0, 0.0, 0.70710678, 0.70710678], np.float32)
    turns = np.stack([[0, 0, 0, 1], quarter, [0, 0, 0, 1]]).astype(np.float32)
    if interpolation == "CUBICSPLINE":
        turns = (
            np.stack([[np.zeros(4), t, np.zeros(4)] for t in turns])
            .reshape(-1, 4)
            .astype(np.float32)
        )
    for name in ("Armature", "root", "arm"):
        builder.add("nodes", {"name": name})
    nodes = builder.json["nodes"]
    nodes[0].update(
        children=[1], scale=[0.01, 0.01, 0.01], rotation=[-0.70710678, 0, 0, 0.70710678]
    )
    matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 100, 1]
    nodes[1].update(children=[2], matrix=matrix)
    nodes[2].update(translation=[50, 0, 0])
    builder.add("skins", {"joints": [1, 2]})
    sampler = {
        "input": builder.array(times, "SCALAR", bounds=True),
        "output": builder.array(turns, "VEC4"),
        "interpolation": interpolation,
    }
    builder.add(
        "animations",
        {
            "name": "wave",
            "samplers": [sampler],
            "channels": [{"sampler": 0, "target": {"node": 2, "path": "rotation"}}],
        },
    )
    builder.json.update(changes)
    return builder.json, builder.glb()


@pytest.mark.parametrize(
    ("interpolation", "expected"), [("LINEAR", 45.0), ("STEP", 0.0), ("CUBICSPLINE", 45.0)]
)
def test_foreign_files(interpolation: str, expected: float) -> None:
    _, data = foreign(interpolation)
    take = take_of(parse_document(data), fps=4.0, unit="m")
    clip = take.clip
    assert clip.skeleton.names == ("root", "arm")
    # The armature stands the body up and shrinks it to metres.
    assert clip.skeleton.rest_world_positions[0] == pytest.approx([0.0, 1.0, 0.0], abs=1e-6)
    assert clip.skeleton.offsets[1] == pytest.approx([0.5, 0, 0])
    assert len(clip) == 7
    assert np.degrees(quat.angle(clip.rotations[1, 1])) == pytest.approx(expected, abs=0.1)
    assert np.degrees(quat.angle(clip.rotations[2, 1])) == pytest.approx(90.0, abs=0.1)
    assert any("starts at 0.5 s" in note for note in take.notes)


def test_normalised_integers_and_sparse_accessors() -> None:
    description, _ = foreign("LINEAR")
    builder = GltfBuilder("x")
    builder.json.update(
        json.loads(json.dumps({k: v for k, v in description.items() if k in ("nodes", "skins")}))
    )
    times = builder.array(np.array([0, 1], np.float32), "SCALAR", bounds=True)
    turns = builder.array((np.array([[0, 0, 0, 1], [0, 0, 1, 0]]) * 32767).astype(np.int16), "VEC4")
    builder.json["accessors"][turns]["normalized"] = True
    index = builder.array(np.array([1], np.uint16), "SCALAR")
    value = builder.array(np.array([[1, 0, 0]], np.float32), "VEC3")
    views = [builder.json["accessors"][i].pop("bufferView") for i in (index, value)]
    sparse = {
        "componentType": 5126,
        "count": 2,
        "type": "VEC3",
        "sparse": {
            "count": 1,
            "indices": {"bufferView": views[0], "componentType": 5123},
            "values": {"bufferView": views[1]},
        },
    }
    path = builder.add("accessors", sparse)
    builder.add(
        "animations",
        {
            "samplers": [{"input": times, "output": turns}, {"input": times, "output": path}],
            "channels": [
                {"sampler": 0, "target": {"node": 2, "path": "rotation"}},
                {"sampler": 1, "target": {"node": 2, "path": "translation"}},
            ],
        },
    )
    clip = take_of(parse_document(builder.glb()), fps=1.0, unit="m").clip
    assert np.degrees(quat.angle(clip.rotations[1, 1])) == pytest.approx(180.0)
    assert clip.translations[:, 0] == pytest.approx(np.array([[0, 0, 0], [0.01, 0, 0]]))


def test_json_files_with_data_uris_and_neighbours(tmp_path: Path) -> None:
    description, data = foreign("LINEAR")
    binary = parse_document(data).buffers[0]
    inline = {
        **description,
        "buffers": [
            {
                "byteLength": len(binary),
                "uri": "data:application/octet-stream;base64," + base64.b64encode(binary).decode(),
            }
        ],
    }
    beside = {**description, "buffers": [{"byteLength": len(binary), "uri": "motion.bin"}]}
    (tmp_path / "a.gltf").write_text(json.dumps(inline))
    (tmp_path / "b.gltf").write_text(json.dumps(beside))
    (tmp_path / "motion.bin").write_bytes(binary)
    a, b = read_gltf(tmp_path / "a.gltf"), read_gltf(tmp_path / "b.gltf")
    assert a.clip == b.clip
    outside = {**description, "buffers": [{"byteLength": 4, "uri": "../secret.bin"}]}
    (tmp_path / "c.gltf").write_text(json.dumps(outside))
    with pytest.raises(UnreadableError, match="same folder"):
        read_gltf(tmp_path / "c.gltf")


def test_choosing_an_animation() -> None:
    _, data = foreign("LINEAR")
    document = parse_document(data)
    assert len(take_of(document, animation="wave").clip) > 1
    for which in ("dance", 3):
        with pytest.raises(InvalidValueError, match="animation"):
            take_of(document, animation=which)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"asset": {"version": "1.0"}}, "version"),
        (
            {"asset": {"version": "2.0"}, "extensionsRequired": ["MPEG_buffer_circular"]},
            "MPEG_buffer",
        ),
        ({"nodes": "none"}, "nodes"),
        ({"nodes": [{"children": [1]}, {"children": [0]}]}, "ancestor|two parents"),
        ({"nodes": [{"children": [7]}]}, "child"),
        ({"nodes": [{"rotation": [1, 2]}]}, "numbers"),
        ({"skins": [], "animations": []}, "no skeleton"),
        ({"skins": [{"joints": [9]}]}, "joint 9"),
        (
            {"accessors": [{"componentType": 5126, "type": "SCALAR", "count": 10**12}] * 2},
            "too many|elements",
        ),
        (
            {
                "accessors": [
                    {"bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": 900}
                ]
                * 2
            },
            "fit",
        ),
        ({"bufferViews": [{"buffer": 0, "byteLength": 10**9}] * 2}, "buffer"),
        ({"bufferViews": [{"buffer": 5, "byteLength": 4}] * 2}, "buffers"),
    ],
)
def test_bad_files_name_the_place(change: dict[str, Any], words: str) -> None:
    description, data = foreign("LINEAR")
    binary = parse_document(data).buffers[0]
    uri = "data:;base64," + base64.b64encode(binary).decode()
    text = json.dumps(
        {**description, **change, "buffers": [{"byteLength": len(binary), "uri": uri}]}
    )
    with pytest.raises(UnreadableError, match=words) as caught:
        take_of(parse_document(text.encode()))
    assert caught.value.place


@given(st.data())
def test_damage_gives_an_error_or_a_clip(data: st.DataObject) -> None:
    _, good = foreign("LINEAR")
    broken = bytearray(good)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(broken) - 1))
        if data.draw(st.booleans()):
            broken[at] = data.draw(st.integers(0, 255))
        else:
            del broken[at : at + data.draw(st.integers(1, 30))]
    try:
        take_of(parse_document(bytes(broken)))
    except UnreadableError as error:
        assert "\n" not in str(error)
    except InvalidValueError:
        pass


def test_truncated_and_foreign_magic(tmp_path: Path, rng: np.random.Generator) -> None:
    path = tmp_path / "a.glb"
    write_glb(ks.Take(smooth_clip(ks.default_skeleton(), rng)), path)
    whole = path.read_bytes()
    for data, words in (
        (whole[: len(whole) // 2], "cut off"),
        (b"GLTF" + whole[4:], "not a glTF"),
        (whole[:10], "ends"),
        (struct.pack("<4sII", b"glTF", 3, 20) + bytes(8), "version 3"),
    ):
        path.write_bytes(data)
        with pytest.raises(UnreadableError, match=words):
            read_gltf(path)


def test_real_characters(data: Path) -> None:
    expected = {
        "CesiumMan.glb": 19,
        "RiggedFigure.glb": 19,
        "Godette_vrm_v4.vrm": 21,
        "VRMC_materials_mtoon_UV_Animation_Test.vrm": 20,
        "VRMC_vrm_expressions_isBinary_Overridden.vrm": 20,
    }
    for name, bones in expected.items():
        take = read_gltf(data / "characters" / name)
        declared = {
            b: take.clip.skeleton.index(j) for b, j in take.provenance.get("humanoid", {}).items()
        }
        report = ks.identify(take.clip.skeleton, take.clip.rotations, declared)
        assert report.complete, name
        assert len(report.rig.bones) >= bones, name
