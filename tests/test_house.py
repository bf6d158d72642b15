"""The rules of the tree: names, sizes and layouts that a reader can rely on."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from benchmarks.house import ROOT, Tree, shared

MOST_LINES, MOST_PARAMETERS, MOST_MODULES = 60, 10, 20
"""Of a function without its docstring; of a function; of a folder."""
COMMAND_FOLDERS = ("cli", "pipeline")  # one module for each command
MOST_PAPER_BRANCHES = 12
"""A preset or a strategy is chosen here and there; nothing else asks for the paper."""


@cache
def tree() -> Tree:
    return Tree(ROOT)


def test_no_two_classes_share_a_name() -> None:
    assert shared(tree().classes()) == {}


def test_no_two_modules_of_one_package_share_a_name() -> None:
    assert shared(tree().modules()) == {}


def test_functions_are_short() -> None:
    assert {f: n for f, n in tree().lengths().items() if n >= MOST_LINES} == {}


def test_functions_have_few_parameters() -> None:
    assert {f: n for f, n in tree().parameters().items() if n > MOST_PARAMETERS} == {}


def test_folders_hold_sub_packages_instead_of_prefixes() -> None:
    folders = {f: n for f, n in tree().folders().items() if f not in COMMAND_FOLDERS}
    assert {f: n for f, n in folders.items() if n > MOST_MODULES} == {}


def test_the_paper_is_a_preset_and_not_a_branch_everywhere() -> None:
    branches: dict[Path, int] = {}
    for path, parsed in tree().parsed.items():
        for node in ast.walk(parsed):
            if isinstance(node, ast.If | ast.IfExp):
                tested = [n.attr for n in ast.walk(node.test) if isinstance(n, ast.Attribute)]
                branches[path] = branches.get(path, 0) + ("paper" in tested)
    found = {path: n for path, n in branches.items() if n}
    assert sum(found.values()) <= MOST_PAPER_BRANCHES, found
