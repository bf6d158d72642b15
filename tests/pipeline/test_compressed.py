"""Files whose arrays are compressed: the skeleton is used, what cannot be read is said once."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.cli.main import status
from kinesphere.errors import UnreadableError
from kinesphere.formats.gltf.gltf_document import parse_document
from kinesphere.pipeline.idle import idle

DRACO, MESHOPT = "KHR_draco_mesh_compression", "EXT_meshopt_compression"
HINT = "gltf-transform cp"


def glb(document: dict[str, Any], binary: bytes) -> bytes:
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    size = 12 + 8 + len(text) + 8 + len(binary)
    return b"".join(
        [
            struct.pack("<4sII", b"glTF", 2, size),
            struct.pack("<II", len(text), 0x4E4F534A),
            text,
            struct.pack("<II", len(binary), 0x004E4942),
            binary,
        ]
    )


def views_of(document: dict[str, Any], animations: bool) -> set[int]:
    """Views of meshes, or of animations."""
    found: set[int] = set()
    if animations:
        for a in document["animations"]:
            found |= {s[k] for s in a["samplers"] for k in ("input", "output")}
    else:
        for mesh in document["meshes"]:
            for p in mesh["primitives"]:
                found |= {*p["attributes"].values(), p["indices"]}
    return {document["accessors"][i]["bufferView"] for i in found}


def packed(folder: Path, how: str, *, motion: bool = False) -> Path:
    """The default character as if a tool had compressed it."""
    idle(1.0, seed=1).save(folder / "plain.glb")
    plain = parse_document((folder / "plain.glb").read_bytes())
    document = json.loads(json.dumps(plain.json))
    document["extensionsUsed"] = document["extensionsRequired"] = [how]
    if how == DRACO:
        for mesh in document["meshes"]:
            for primitive in mesh["primitives"]:
                primitive["extensions"] = {DRACO: {"bufferView": 0, "attributes": {"POSITION": 0}}}
    else:
        for view in views_of(document, motion):
            entry = document["bufferViews"][view]
            entry["extensions"] = {
                MESHOPT: {
                    "buffer": 0,
                    "byteLength": 4,
                    "byteStride": 4,
                    "mode": "ATTRIBUTES",
                    "count": 1,
                }
            }
            entry["buffer"] = 1
        document["buffers"].append(
            {"byteLength": 1 << 20, "extensions": {MESHOPT: {"fallback": True}}}
        )
    path = folder / "packed.glb"
    path.write_bytes(glb(document, plain.buffers[0]))
    return path


@pytest.mark.parametrize("how", [DRACO, MESHOPT])
def test_motion_goes_onto_a_compressed_character(
    how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    character = packed(tmp_path, how)
    take = idle(1.0, seed=3)
    take.save(tmp_path / "in.kin")
    for ending in (".bvh", ".vrma", ".kin"):
        out = tmp_path / f"out{ending}"
        source = str(tmp_path / "in.kin")
        given = ["--character", str(character), "--no-clearing", "-o", str(out)]
        assert status(["retarget", source, *given]) == 0
        hands = ks.load(out).clip.joint_positions("leftHand")
        assert np.abs(hands - take.clip.joint_positions("leftHand")).max() < 1e-3
    capsys.readouterr()


@pytest.mark.parametrize(
    ("how", "ending"), [(DRACO, ".html"), (DRACO, ".png"), (MESHOPT, ".html"), (MESHOPT, ".glb")]
)
def test_what_needs_the_mesh_is_refused_in_one_line(
    how: str, ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    character = packed(tmp_path, how)
    out = tmp_path / f"out{ending}"
    assert status(["perform", "Hello.", "--character", str(character), "-o", str(out)]) == 2
    said = capsys.readouterr().err
    assert len([line for line in said.splitlines() if not line.startswith("note")]) == 1
    assert str(character) in said
    assert how in said
    assert HINT in said
    assert not out.exists()


def test_a_draco_character_keeps_its_bytes_in_a_glb(tmp_path: Path) -> None:
    character = packed(tmp_path, DRACO)
    ks.retarget(idle(1.0, seed=3), character).save(tmp_path / "out.glb")
    before, after = (parse_document(p.read_bytes()) for p in (character, tmp_path / "out.glb"))
    assert after.json["meshes"] == before.json["meshes"]
    assert after.json["extensionsRequired"] == [DRACO]


def test_motion_that_is_compressed_is_refused_and_a_body_is_not(tmp_path: Path) -> None:
    path = packed(tmp_path, MESHOPT, motion=True)
    with pytest.raises(UnreadableError, match=rf"packed.glb: animations.*{MESHOPT}.*{HINT}"):
        ks.load(path)
    moved = ks.retarget(idle(1.0, seed=3), path)
    assert len(moved.clip) == 61


@pytest.mark.parametrize("how", [DRACO, MESHOPT])
def test_doctor_says_it(how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["doctor", str(packed(tmp_path, how))]) == 0
    said = capsys.readouterr()
    assert how in said.out + said.err
    assert HINT in said.out + said.err
