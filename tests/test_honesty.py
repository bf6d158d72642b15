"""Every test can fail, none is skipped for want of a package; every file is formatted."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT, pytest_report_teststatus

FILES = [p for p in sorted((ROOT / "tests").rglob("*.py")) if p != Path(__file__)]
UNFORMATTED = re.compile(r"#\s*(?:fmt|yapf):\s*(?:skip|off|disable)")
# What a platform cannot have may be skipped.
PLATFORM = re.compile(r"sys\.platform|hasattr\(os,")


def test_there_are_tests() -> None:
    assert len(FILES) > 100


def test_nothing_is_skipped_or_excused() -> None:
    assert [f"{p.relative_to(ROOT)}: {what}" for p in FILES for what in excuses(p)] == []


def excuses(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    if "importorskip" in text:
        yield "packages of the test extra are imported"
    if "xfail" in text:
        yield "mend the fault, or test what holds"
    if "pytest.skip(" in text and path.name != "conftest.py":
        yield "only recordings may be missing: conftest.skip_without"
    for condition in re.findall(r"mark\.skipif\(([^\n]*(?:\n[^\n]*)?)", text):
        if not PLATFORM.search(condition):
            yield f"skipped if {condition}"


def test_the_formatter_has_no_exceptions() -> None:
    folders = ("src", "tests", "benchmarks", "examples", "tools", "docs")
    paths = [*(p for f in folders for p in (ROOT / f).rglob("*.py")), ROOT / "hatch_build.py"]
    paths = [p for p in paths if "node_modules" not in p.parts]
    assert len(paths) > 500
    assert [
        str(p.relative_to(ROOT)) for p in paths if UNFORMATTED.search(p.read_text("utf-8"))
    ] == []
    assert UNFORMATTED.search("x = 1  # fmt: " + "skip")
    options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]
    assert not {"exclude", "extend-exclude"} & {*options, *options["format"]}


def test_warnings_and_unexpected_passes_are_errors() -> None:
    options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    assert options["filterwarnings"] == ["error"]
    assert options["xfail_strict"] is True


@pytest.mark.parametrize(
    ("reason", "category"),
    [("Skipped: no recordings: beat2/*.npz", "no recordings"), ("Skipped: signals", None)],
)
def test_missing_recordings_are_counted_apart(reason: str, category: str | None) -> None:
    report = pytest.TestReport(
        "a", ("a.py", 1, "a"), {}, "skipped", ("a.py", 1, reason), when="setup"
    )
    status = pytest_report_teststatus(report)
    assert (status[0] if status else None) == category
