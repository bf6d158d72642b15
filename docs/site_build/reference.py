"""Pages of the API reference, made from ``kinesphere.__all__``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass

import kinesphere as ks
from kinesphere.cli.main import COMMANDS

FOLDER = "reference"
STAGES = ("utter", "plan", "act", "direct", "dress")
# Commands that are functions of another name.
OTHER_NAMES = {"studio": "open_studio"}
_SECTION = re.compile(r"^Parameters\n-+\n", re.MULTILINE)
_HEADING = re.compile(r"^\S.*\n-+\n", re.MULTILINE)
_PARAMETER = re.compile(r"^(\w+(?:, \w+)*) : (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Group:
    """A page of the reference: its file name without suffix, title and introduction."""

    name: str
    title: str
    introduction: str


GROUPS = (
    Group(
        "commands",
        "Commands as functions",
        "Each command of `kinesphere` is a function; options are keywords.",
    ),
    Group("stages", "Stages", "What the commands are made of, each usable alone, in this order."),
    Group("functions", "Other functions", "Characters, keys, files and tables."),
    Group(
        "values", "Values", "Frozen values that functions take and return; arrays are read-only."
    ),
    Group("settings", "Settings", "Constants that can be changed, each with a default."),
    Group("errors", "Errors", "Every error caused by input is a `KinesphereError`."),
)


def public_names() -> list[str]:
    """Names of the public API in alphabetical order, without the version."""
    return sorted((n for n in ks.__all__ if not n.startswith("__")), key=lambda n: (n.lower(), n))


def group_of(name: str) -> str:
    """Name of the group that a public name belongs to."""
    value = getattr(ks, name)
    if inspect.isclass(value):
        if issubclass(value, Exception):
            return "errors"
        return "settings" if name.endswith("Settings") else "values"
    if not callable(value):
        return "values"
    if name in STAGES:
        return "stages"
    return "commands" if name in COMMANDS or name in OTHER_NAMES.values() else "functions"


def members() -> Mapping[str, list[str]]:
    """Public names by group, without empty groups; stages in their order."""
    found = {
        group.name: [n for n in public_names() if group_of(n) == group.name] for group in GROUPS
    }
    found["stages"].sort(key=STAGES.index)
    return {group: names for group, names in found.items() if names}


def summary(name: str) -> str:
    """First sentence of a docstring."""
    text = inspect.getdoc(getattr(ks, name)) or ""
    return text.partition("\n\n")[0].replace("\n", " ")


def pages() -> dict[str, str]:
    """Markdown of every page of the reference by its path."""
    found = members()
    groups = {group.name: group for group in GROUPS}
    out = {f"{FOLDER}/README.md": _index(groups, found)}
    for name, names in found.items():
        group = groups[name]
        parts = [f"# {group.title}", group.introduction]
        parts += [f"::: kinesphere.{member}" for member in names]
        out[f"{FOLDER}/{name}.md"] = "\n\n".join(parts) + "\n"
    return out


def described(docstring: str) -> str:
    """Docstring with the description of every parameter below its name.

    Here a description follows ``name :`` and the signature has the type; griffe expects a type.
    """
    start = _SECTION.search(docstring)
    if start is None:
        return docstring
    following = _HEADING.search(docstring, start.end())
    end = following.start() if following else len(docstring)
    section = _PARAMETER.sub(r"\1\n    \2", docstring[start.end() : end])
    return docstring[: start.end()] + section + docstring[end:]


def target(name: str, member: str = "") -> str:
    """Address of a public name, or of a documented member of it, within the reference."""
    known = inspect.getdoc(getattr(getattr(ks, name), member, None)) if member else None
    return f"{group_of(name)}.html#kinesphere.{name}" + (f".{member}" if known else "")


def _index(groups: Mapping[str, Group], found: Mapping[str, list[str]]) -> str:
    """The first page: all names with a sentence each, and the function of every command."""
    parts = [
        "# Python reference",
        "Everything below is imported from `kinesphere`, by convention as `ks`; other modules may "
        "change without notice ([rule](../api-stability.md)). Units and axes are those of the "
        "[conventions](../conventions.md). The tests run every example.",
        "```python\nimport kinesphere as ks\n```",
    ]
    for name, names in found.items():
        rows = [f"| [`{n}`]({name}.md#kinesphere.{n}) | {_cell(summary(n))} |" for n in names]
        title = f"## [{groups[name].title}]({name}.md)"
        parts += [title, "\n".join(["| name | |", "|---|---|", *rows])]
    others = [f"`{command}` is `ks.{n}`" for command, n in sorted(OTHER_NAMES.items())]
    parts.append(f"Commands with another name: {', '.join(others)}.")
    return "\n\n".join(parts) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
