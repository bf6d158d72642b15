"""Every Python example of the pages runs, in a folder with the files that the pages name.

A block below ``<!-- not run: REASON -->`` is left out. The blocks of a page share their names.
"""

from __future__ import annotations

import re
import shutil
from importlib.resources import files
from pathlib import Path

import pytest

import kinesphere as ks
from tests.conftest import ROOT

BLOCK = re.compile(r"^(<!-- not run: .+ -->\n)?```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").glob("*.md"))]
# Reasons that are allowed; another one should be an example that runs.
REASONS = ("needs a corpus",)


def examples(text: str) -> list[str]:
    """Python blocks of a page that are to be run, each at its own line number."""
    return [
        "\n" * text.count("\n", 0, found.start(2)) + found[2]
        for found in BLOCK.finditer(text)
        if not found[1]
    ]


@pytest.fixture(scope="session")
def named_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that examples read."""
    folder = tmp_path_factory.mktemp("docs")
    take = ks.perform("This is huge!", "host", seed=1)
    for name in ("talk.bvh", "talk.kin", "seed1.kin", "seed2.kin", "corpus/talk.kin"):
        (folder / name).parent.mkdir(exist_ok=True)
        take.save(folder / name)
    for name in ("talk.eaf", "anna_1.eaf", "anna_2.eaf"):
        ks.write_annotation(ks.annotate(take).annotation, folder / name)
    mannequin = files("kinesphere.character") / "data" / "mannequin.glb"
    (folder / "hero.vrm").write_bytes(mannequin.read_bytes())
    for page, name in (("lexicon.md", "mine.toml"), ("direction.md", "tired.toml")):
        text = (ROOT / "docs" / page).read_text(encoding="utf-8")
        written = re.findall(r"^```toml\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        (folder / name).write_text(written[0], encoding="utf-8")
    (folder / "talk.txt").write_text("This is huge!", encoding="utf-8")
    (folder / "src" / "kinesphere" / "corpus" / "data").mkdir(parents=True)
    return folder


@pytest.mark.parametrize(
    "page", [p for p in PAGES if examples(p.read_text(encoding="utf-8"))], ids=lambda p: p.name
)
def test_the_examples_of_a_page_run(
    page: Path, named_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(named_files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for code in examples(page.read_text(encoding="utf-8")):
        exec(compile(code, page.name, "exec"), names)


def test_pages_import_public_names_from_the_package() -> None:
    deep = re.compile(r"^from kinesphere\.[\w.]+ import (.+)$", re.MULTILINE)
    found = [
        (page.name, name)
        for page in PAGES
        for line in deep.findall(page.read_text(encoding="utf-8"))
        for name in line.split(", ")
    ]
    assert [(page, name) for page, name in found if name in ks.__all__] == []


def test_blocks_are_left_out_for_known_reasons_only() -> None:
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    given = [r for text in texts for r in re.findall(r"<!-- not run: (.+?) -->", text)]
    assert set(given) <= set(REASONS)


def test_blocks_are_found_and_left_out() -> None:
    text = (
        "a\n```python\nx = 1\n```\n<!-- not run: why -->\n```python\n1 / 0\n```\n```\n1 / 0\n```\n"
    )
    assert examples(text) == ["\n\nx = 1\n"]
