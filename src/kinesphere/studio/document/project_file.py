"""Projects: a document and all its material in one archive, ``.kinp``.

The same container as our other archives: JSON, and bytes as arrays. Sizes are checked before
memory is allocated, and names in it are never used as file names.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinesphere import __version__
from kinesphere.errors import InvalidValueError, UnreadableError
from kinesphere.formats.container import pack, unpack
from kinesphere.formats.files import read_bytes, write_atomically
from kinesphere.studio.document.document import Document
from kinesphere.studio.server import wire
from kinesphere.studio.server.archives import check_archive
from kinesphere.studio.server.upload_kinds import LARGEST as LARGEST_UPLOADS
from kinesphere.studio.server.upload_kinds import ending_of, shown_name
from kinesphere.studio.work.tasks import Material, OpenedProject

KIND, VERSION = "studio-project", 1
ENDING = ".kinp"
LARGEST = 1 << 30
MOST_MATERIALS = 64
# The form of `Storage` ids; another id could be taken for the name of a style or a model.
_ID = re.compile("[0-9a-f]{24}")


def used_materials(document: Document, materials: Mapping[str, Material]) -> dict[str, Material]:
    """Material that a document needs."""
    named = (
        document.sound,
        document.motion,
        document.character,
        document.speaking.style,
        document.speaking.model,
    )
    return {key: materials[key] for key in dict.fromkeys(named) if key in materials}


def write_project(
    document: Document, materials: Mapping[str, Material], path: str | PathLike[str]
) -> None:
    """Write a project completely or not at all."""
    needed = used_materials(document, materials)
    arrays = {
        f"material{i}": np.frombuffer(read_bytes(m.path, LARGEST), np.uint8)
        for i, m in enumerate(needed.values())
    }
    description = {
        "kind": KIND,
        "version": VERSION,
        "program": __version__,
        "document": wire.plain(document),
        "materials": [{"id": key, "name": m.name} for key, m in needed.items()],
    }
    data = pack(description, arrays, "a project")
    with write_atomically(path) as file:
        file.write(data)


def read_project(path: str | PathLike[str], folder: str | PathLike[str]) -> OpenedProject:
    """Read a project; its material is put into a folder under generated names.

    Raises
    ------
    UnreadableError
        If it is not a complete project, or of a later version.
    """
    written: list[Path] = []

    def build(description: dict[str, Any], array: Callable[[str], NDArray[Any]]) -> OpenedProject:
        return _project(description, array, Path(folder), written)

    check_archive(path, LARGEST)
    try:
        return unpack(read_bytes(path, LARGEST), KIND, VERSION, LARGEST, build)
    except UnreadableError as error:
        for file in written:
            file.unlink(missing_ok=True)
        raise error.at(path) from None


def _project(
    description: dict[str, Any],
    array: Callable[[str], NDArray[Any]],
    folder: Path,
    written: list[Path],
) -> OpenedProject:
    try:
        document: Document = wire.read(Document, description.get("document"))
    except InvalidValueError as error:
        raise UnreadableError(None, str(error)) from None
    rows = description.get("materials", [])
    if not isinstance(rows, list) or len(rows) > MOST_MATERIALS:
        raise UnreadableError(None, f"materials are not a list of at most {MOST_MATERIALS}")
    materials: dict[str, Material] = {}
    for i, row in enumerate(rows):
        if not isinstance(row, dict) or not all(
            isinstance(row.get(k), str) for k in ("id", "name")
        ):
            raise UnreadableError(None, "lacks id or name", f"materials[{i}]")
        if not _ID.fullmatch(row["id"]) or row["id"] in materials:
            raise UnreadableError(
                None,
                f"has id {row['id'][:40]!r}, which is none of ours or is there twice",
                f"materials[{i}]",
            )
        try:
            ending = ending_of(row["name"])
        except InvalidValueError as error:
            raise UnreadableError(None, str(error), f"materials[{i}]") from None
        target = folder / f"{secrets.token_hex(12)}{ending}"
        data = array(f"material{i}")
        if data.dtype != np.uint8 or data.ndim != 1:
            raise UnreadableError(None, "is not an array of bytes", f"arrays/material{i}.npy")
        if ending == ENDING or data.size > LARGEST_UPLOADS[ending]:
            raise UnreadableError(
                None,
                f"has {data.size >> 20} MB, which is too large, or is a project itself",
                f"materials[{i}]",
            )
        written.append(target)
        target.write_bytes(data.data)
        materials[row["id"]] = Material(str(target), shown_name(row["name"]))
    return OpenedProject(document, materials)
