"""Folders of the package's data, to which one more file adds entries."""

from __future__ import annotations

from importlib.resources.abc import Traversable

BASE = "base.toml"


def toml_files(folder: Traversable) -> list[Traversable]:
    """TOML files of a folder: ``base.toml`` first, then the others by name."""
    found = (source for source in folder.iterdir() if source.name.endswith(".toml"))
    return sorted(found, key=lambda source: (source.name != BASE, source.name))
