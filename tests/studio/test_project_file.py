"""Projects: everything comes back; what is damaged, foreign or malicious is one clear line."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.errors import UnreadableError
from kinesphere.formats.container import DOCUMENT, pack
from kinesphere.studio.document.document import (
    Directing,
    Document,
    DocumentGesture,
    PhrasePoint,
    Speaking,
    TensionSetting,
)
from kinesphere.studio.document.project_file import (
    KIND,
    VERSION,
    read_project,
    used_materials,
    write_project,
)
from kinesphere.studio.server import wire
from kinesphere.studio.server.upload_kinds import LARGEST
from kinesphere.studio.work.tasks import Material

IDS = [f"{k:024x}" for k in range(1, 7)]
DOCUMENT_WITH_ALL = Document(
    title="Ünïcode, 題",
    source="voice",
    speaking=Speaking("text", IDS[3], model=IDS[4]),
    directing=Directing(
        "proudly",
        {"torso": {"vertical": 0.25}},
        (PhrasePoint("torso", "vertical", 1.5, -1.0),),
        TensionSetting(0.02, 0.5),
        "wrists",
    ),
    sound=IDS[0],
    motion=IDS[1],
    character=IDS[2],
    gestures=(
        DocumentGesture(1, "Cup", "RH", 1.0, 0.4, 0.0, "", "", "word", "why", (0.5, 0.75), True),
    ),
)
NAMES = ("voice.wav", "moves.bvh", "hero.vrm", "me.kin", "model.kin", "not used.wav")


@pytest.fixture
def materials(tmp_path: Path) -> dict[str, Material]:
    out = {}
    for k, (key, name) in enumerate(zip(IDS, NAMES, strict=True)):
        path = tmp_path / f"in-{k}{Path(name).suffix}"
        path.write_bytes(np.random.default_rng(k).bytes(1000 + k))
        out[key] = Material(str(path), name)
    return out


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "out"
    made.mkdir()
    return made


def project(tmp_path: Path, arrays: dict[str, Any] | None = None, **changed: Any) -> Path:
    description = {
        "kind": KIND,
        "version": VERSION,
        "document": wire.plain(Document()),
        "materials": [],
        **changed,
    }
    path = tmp_path / "made.kinp"
    path.write_bytes(pack(description, arrays or {}, "a project"))
    return path


def refused(path: Path, folder: Path) -> str:
    with pytest.raises(UnreadableError) as error:
        read_project(path, folder)
    line = str(error.value)
    assert line.isprintable()
    assert line.startswith(f"{path}: ")
    assert len(line) < 500
    assert list(folder.iterdir()) == []
    return line


def test_everything_comes_back(
    tmp_path: Path, folder: Path, materials: dict[str, Material]
) -> None:
    path = tmp_path / "p.kinp"
    write_project(DOCUMENT_WITH_ALL, materials, path)
    opened = read_project(path, folder)
    assert opened.document == DOCUMENT_WITH_ALL
    assert list(opened.materials) == IDS[:5]
    for key, material in opened.materials.items():
        assert material.name == materials[key].name
        assert Path(material.path).read_bytes() == Path(materials[key].path).read_bytes()
        assert Path(material.path).parent == folder
        assert Path(material.path).suffix == Path(material.name).suffix
    again = tmp_path / "again.kinp"
    write_project(opened.document, opened.materials, again)
    assert again.read_bytes() == path.read_bytes()


def test_only_what_is_needed_goes_along(materials: dict[str, Material]) -> None:
    assert used_materials(Document(), materials) == {}
    assert list(used_materials(DOCUMENT_WITH_ALL, materials)) == IDS[:5]
    assert list(used_materials(Document(sound=IDS[5], motion=IDS[5]), materials)) == [IDS[5]]
    assert used_materials(Document(sound="gone"), materials) == {}


def test_any_damage_is_refused_in_one_line_or_does_not_matter(
    tmp_path: Path, materials: dict[str, Material]
) -> None:
    path = tmp_path / "p.kinp"
    write_project(DOCUMENT_WITH_ALL, materials, path)
    whole = path.read_bytes()
    folder = tmp_path / "damaged"
    folder.mkdir()

    @settings(max_examples=150)
    @given(st.integers(0, len(whole) - 1), st.binary(min_size=1, max_size=8), st.booleans())
    def check(at: int, other: bytes, cut: bool) -> None:
        path.write_bytes(whole[:at] if cut else whole[:at] + other + whole[at + len(other) :])
        try:
            opened = read_project(path, folder)
        except UnreadableError as error:
            assert str(error).isprintable()
            assert list(folder.iterdir()) == []
        else:
            for material in opened.materials.values():
                assert Path(material.path).parent == folder
                Path(material.path).unlink()

    check()


@pytest.mark.parametrize(
    "changed",
    [
        {"kind": "take"},
        {"kind": None},
        {"version": VERSION + 1},
        {"version": "1"},
        {"version": 0},
        {"document": None},
        {"document": {"source": "evil"}},
        {"document": {"more": 1}},
        {"document": {"gestures": [{}]}},
        {"materials": {}},
        {"materials": [1]},
        {"materials": [{}]},
        {"materials": [{"id": IDS[0], "name": "a.wav"}] * 65},
        {"materials": [{"id": IDS[0], "name": "a.wav"}]},
        {"materials": [{"id": 1, "name": "a.wav"}]},
    ],
)
def test_what_is_no_project_of_ours_is_refused(
    tmp_path: Path, folder: Path, changed: dict[str, Any]
) -> None:
    refused(project(tmp_path, **changed), folder)


BYTES = {"material0": np.arange(10, dtype=np.uint8)}


@pytest.mark.parametrize(
    "key",
    [
        "",
        "host",
        "house",
        "../../x",
        "/etc/passwd",
        "x\ny",
        IDS[0][:-1],
        IDS[0].upper() + "G",
        IDS[0] + "\n",
    ],
)
def test_foreign_ids_are_refused(tmp_path: Path, folder: Path, key: str) -> None:
    rows = [{"id": key, "name": "a.wav"}]
    refused(project(tmp_path, BYTES, materials=rows), folder)


def test_ids_that_are_there_twice_are_refused(tmp_path: Path, folder: Path) -> None:
    rows = [{"id": IDS[0], "name": "a.wav"}, {"id": IDS[0], "name": "b.wav"}]
    arrays = {"material0": BYTES["material0"], "material1": BYTES["material0"]}
    refused(project(tmp_path, arrays, materials=rows), folder)


@pytest.mark.parametrize(
    "name", ["../../evil.wav", "/tmp/evil.wav", "..\\evil.wav", "a\n/b\x00evil.wav"]
)
def test_names_in_it_are_never_places(tmp_path: Path, folder: Path, name: str) -> None:
    opened = read_project(
        project(tmp_path, BYTES, materials=[{"id": IDS[0], "name": name}]), folder
    )
    (file,) = folder.iterdir()
    (material,) = opened.materials.values()
    assert material.path == str(file)
    assert material.name.endswith("evil.wav")
    assert material.name.isprintable()
    assert "/" not in material.name
    assert "\\" not in material.name


@pytest.mark.parametrize("name", ["evil.exe", "evil", ".wav", "", "inner.kinp"])
def test_other_kinds_of_files_are_refused(tmp_path: Path, folder: Path, name: str) -> None:
    refused(project(tmp_path, BYTES, materials=[{"id": IDS[0], "name": name}]), folder)


@pytest.mark.parametrize(
    "array", [np.zeros(3), np.zeros((2, 2), np.uint8), np.array("x" * 9), np.zeros(0, np.int8)]
)
def test_material_that_is_no_row_of_bytes_is_refused(
    tmp_path: Path, folder: Path, array: Any
) -> None:
    rows = [{"id": IDS[0], "name": "a.wav"}]
    refused(project(tmp_path, {"material0": array}, materials=rows), folder)


def test_material_that_is_larger_than_an_upload_may_be_is_refused(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LARGEST, ".wav", 1000)
    rows = [{"id": IDS[0], "name": "a.wav"}, {"id": IDS[1], "name": "b.wav"}]
    arrays = {"material0": np.zeros(1000, np.uint8), "material1": np.zeros(1001, np.uint8)}
    refused(project(tmp_path, arrays, materials=rows), folder)


def test_files_that_are_no_archives_are_refused(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "x.kinp"
    for data in (b"x", b"PK\x03\x04", b"PK\x05\x06" + bytes(18), bytes(100_000)):
        path.write_bytes(data)
        refused(path, folder)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("../../evil.txt", "x")
        archive.writestr(DOCUMENT, json.dumps([1]))
    path.write_bytes(out.getvalue())
    refused(path, folder)
    assert not (tmp_path / "evil.txt").exists()
