"""`make bench` times what commands run: whatever it imports is reached from a command."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from kinesphere.formats.registry import formats

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"


def imported(path: Path) -> Iterator[str]:
    """Modules that a file imports anywhere, by full name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def file_of(module: str) -> Path | None:
    """Where a module of the package is; None for a name inside one, or of another package."""
    place = SOURCE.joinpath(*module.split("."))
    found = (place.with_suffix(".py"), place / "__init__.py")
    return next((path for path in found if path.is_file()), None)


def reached() -> set[str]:
    """Modules that commands and the Python API import, directly or not."""
    todo = ["kinesphere", *(f"kinesphere.cli.{p.stem}" for p in SOURCE.glob("kinesphere/cli/*.py"))]
    # Readers and writers are imported when a file of theirs is met.
    both = [each for row in formats() for each in (row.reader, row.writer) if each]
    todo += [e.split(":")[0] if isinstance(e, str) else e.__module__ for e in both]
    out: set[str] = set()
    while todo:
        module = todo.pop()
        path = None if module in out else file_of(module)
        if path is not None:
            out.add(module)
            todo += imported(path)
    return out


@pytest.mark.parametrize("name", ["run", "live_speed", "training"])
def test_a_benchmark_times_only_what_commands_run(name: str) -> None:
    asked = set(imported(ROOT / "benchmarks" / f"{name}.py"))
    modules = {m for m in asked if m.startswith("kinesphere") and file_of(m) is not None}
    assert modules
    assert modules <= reached()
