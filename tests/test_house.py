"""The rules of the tree: names, sizes and layouts that a reader can rely on."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "kinesphere"
MOST_LINES, MOST_PARAMETERS, MOST_FILES = 60, 10, 30
"""Of a function with its docstring; of a function's own parameters; of modules in one folder."""
Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def trees() -> dict[Path, ast.Module]:
    return {
        path.relative_to(PACKAGE): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def functions() -> Iterator[tuple[str, Function]]:
    """Functions outside kernels, which numba wants flat, with where they are."""
    for path, tree in trees().items():
        if not path.stem.endswith("_kernels"):
            for node in ast.walk(tree):
                if isinstance(node, Function):
                    yield f"{path}:{node.lineno} {node.name}", node


def test_no_two_classes_share_a_name() -> None:
    found = defaultdict(list)
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(f"{path}:{node.lineno}")
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def test_no_two_modules_of_one_package_share_a_name() -> None:
    found = defaultdict(list)
    for path in trees():
        if len(path.parts) > 1 and path.name != "__init__.py":
            found[path.parts[0], path.stem].append(str(path))
    assert {key: places for key, places in found.items() if len(places) > 1} == {}


def test_functions_are_short() -> None:
    sizes = {where: (n.end_lineno or 0) - n.lineno + 1 for where, n in functions()}
    assert {where: size for where, size in sizes.items() if size > MOST_LINES} == {}


def test_functions_have_few_parameters() -> None:
    counts = {}
    for where, node in functions():
        given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        counts[where] = len([a for a in given if a.arg not in ("self", "cls")])
    assert {where: count for where, count in counts.items() if count > MOST_PARAMETERS} == {}


def test_folders_hold_sub_packages_instead_of_prefixes() -> None:
    counts = defaultdict(int)
    for path in trees():
        counts[str(path.parent)] += path.name != "__init__.py"
    assert {folder: n for folder, n in counts.items() if n > MOST_FILES} == {}


@pytest.mark.parametrize("folder", ["src", "tests", "benchmarks", "tools", "docs", "examples"])
def test_the_formatter_has_no_exceptions(folder: str) -> None:
    marks = tuple(f"# fmt: {word}" for word in ("skip", "off"))
    found = [
        str(path)
        for path in (ROOT / folder).rglob("*.py")
        if "node_modules" not in path.parts
        and any(mark in path.read_text(encoding="utf-8") for mark in marks)
    ]
    assert found == []


def test_the_paper_is_a_preset_and_not_a_branch_everywhere() -> None:
    branches = defaultdict(int)
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.If | ast.IfExp):
                tested = [n.attr for n in ast.walk(node.test) if isinstance(n, ast.Attribute)]
                branches[str(path)] += "paper" in tested
    assert sum(branches.values()) <= 12, {p: n for p, n in branches.items() if n}
