"""The public names: every command has its function, types are exported, former names warn."""

from __future__ import annotations

import ast
import inspect
import typing
from pathlib import Path

import pytest

import kinesphere as ks
from kinesphere.cli.main import COMMANDS

FUNCTIONS = {"studio": "open_studio"}  # kinesphere.studio is the package
SOURCE = Path(ks.__file__).read_text(encoding="utf-8")


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_its_function(command: str) -> None:
    function = getattr(ks, FUNCTIONS.get(command, command))
    assert callable(function)
    assert not inspect.ismodule(function)


def test_type_checkers_see_the_same_names_as_programs() -> None:
    block = next(
        n
        for n in ast.parse(SOURCE).body
        if isinstance(n, ast.If) and isinstance(n.test, ast.Name) and n.test.id == "TYPE_CHECKING"
    )
    seen = {
        alias.asname: f"{node.module}"
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == {name: f"kinesphere.{module}" for name, module in ks._PUBLIC.items()}


def _functions() -> list[str]:
    return [n for n in ks._PUBLIC if inspect.isfunction(getattr(ks, n))]


def _own_types(annotation: object) -> set[type]:
    """Classes of the package in an annotation."""
    if isinstance(annotation, type) and annotation.__module__.startswith("kinesphere."):
        return {annotation}
    out: set[type] = set()
    for part in typing.get_args(annotation):
        out |= _own_types(part)
    return out


@pytest.mark.parametrize("name", _functions())
def test_what_a_function_returns_is_public_and_no_bare_tuple(name: str) -> None:
    function = getattr(ks, name)
    hints = typing.get_type_hints(function)
    returned = hints["return"]
    assert typing.get_origin(returned) is not tuple or typing.get_args(returned)[-1] is ..., (
        "returns a bare tuple"
    )
    for kind in _own_types(returned):
        assert getattr(ks, kind.__name__, None) is kind, f"{kind.__name__} is not exported"


def test_former_names_still_work_and_warn() -> None:
    for former, new in ks._DEPRECATED.items():
        assert former not in ks.__all__
        with pytest.warns(DeprecationWarning, match=f"kinesphere.{former} is now kinesphere.{new}"):
            assert getattr(ks, former) is getattr(ks, new)
