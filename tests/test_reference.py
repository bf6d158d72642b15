"""The reference lists every public name, and every public name has an example."""

from __future__ import annotations

import inspect
import re

import pytest
from docs.site_build.reference import OTHER_NAMES, described, members, pages, public_names

import kinesphere as ks
from kinesphere.cli.main import COMMANDS

# Names without an example, each with the reason.
WITHOUT_EXAMPLE = {
    "TrainedCorpus": "training takes minutes",
    "open_studio": "serves until it is interrupted",
    "write_model": "a model takes seconds to write",
}
EXAMPLES = re.compile(r"^Examples\n--------\n(?:.*\n)*?>>> ", re.MULTILINE)


def test_every_public_name_has_one_entry() -> None:
    entries = re.findall(r"^::: kinesphere\.(\w+)$", "\n".join(pages().values()), re.MULTILINE)
    assert sorted(entries) == sorted(n for n in ks.__all__ if not n.startswith("__"))


def test_every_command_has_a_function() -> None:
    functions = {OTHER_NAMES.get(name, name) for name in COMMANDS}
    assert functions == set(members()["commands"])


@pytest.mark.parametrize("name", public_names())
def test_every_public_name_has_an_example(name: str) -> None:
    shown = bool(EXAMPLES.search(inspect.getdoc(getattr(ks, name)) or ""))
    assert shown != (name in WITHOUT_EXAMPLE), WITHOUT_EXAMPLE.get(name, "write one")


def test_exceptions_are_public_names() -> None:
    assert set(WITHOUT_EXAMPLE) <= set(public_names())


def test_descriptions_of_parameters_go_below_their_names() -> None:
    text = "Do.\n\nParameters\n----------\na, b : first\n    more: x : y\n\nRaises\n------\nE : f\n"
    assert described(text) == (
        "Do.\n\nParameters\n----------\na, b\n    first\n    more: x : y\n\nRaises\n------\nE : f\n"
    )
    assert described("Only this : that.") == "Only this : that."
