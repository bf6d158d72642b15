"""Files of one session: uploads and downloads, under random names.

They are in a folder of their own, which is removed with the session. File names sent by a page are
displayed and never used as paths.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from kinesphere.errors import InvalidValueError
from kinesphere.studio.server.upload_kinds import LARGEST, ending_of, shown_name
from kinesphere.studio.work.tasks import Material

LARGEST_SESSION = 4 << 30
MOST_FILES = 2000


@dataclass(frozen=True)
class Served:
    """A file to download: its media type, and the name to save it under (empty: displayed)."""

    path: str
    media_type: str
    save_as: str = ""


class Storage:
    """Files of a session."""

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="kinesphere-studio-")
        self.materials: dict[str, Material] = {}
        self._served: dict[str, Served] = {}
        self._ids: dict[str, str] = {}
        self._size = 0

    async def receive(self, name: str, data: AsyncIterator[bytes]) -> str:
        """Store an uploaded file; return its id.

        Raises
        ------
        InvalidValueError
            If its kind is not allowed, or it is too large or empty; nothing is stored then.
        """
        ending, shown = ending_of(name), shown_name(name)
        if len(self.materials) >= MOST_FILES:
            raise InvalidValueError(f"there are {MOST_FILES} files already; start a new project")
        most = LARGEST[ending]
        key = secrets.token_hex(12)
        path = Path(self.folder) / f"{key}{ending}"
        size = 0
        try:
            with path.open("xb") as file:
                async for piece in data:
                    size += len(piece)
                    self._size += len(piece)
                    if size > most:
                        raise InvalidValueError(
                            f"{shown}: is larger than {most >> 20} MB, the largest size allowed"
                        )
                    if self._size > LARGEST_SESSION:
                        raise InvalidValueError(
                            f"{shown}: the session's storage is full; all files together may have "
                            f"{LARGEST_SESSION >> 20} MB"
                        )
                    file.write(piece)
            if size == 0:
                raise InvalidValueError(f"{shown}: is empty")
        except BaseException:
            path.unlink(missing_ok=True)
            self._size -= size
            raise
        self.materials[key] = Material(str(path), shown)
        return key

    def put(self, data: bytes, name: str) -> str:
        """Store bytes made by the server like an upload; return the id."""
        key = secrets.token_hex(12)
        path = Path(self.folder) / f"{key}{ending_of(name)}"
        path.write_bytes(data)
        self._size += len(data)
        self.materials[key] = Material(str(path), name)
        return key

    def add(self, material: Material, key: str = "") -> str:
        """Register a file that a worker has written to the folder."""
        key = key or secrets.token_hex(12)
        self.materials[key] = material
        self._size += Path(material.path).stat().st_size
        return key

    def serve(self, path: str, media_type: str, save_as: str = "") -> str:
        """Make a file available for download; return its URL, the same for the same file."""
        known = self._ids.get(path)
        if known is None:
            known = self._ids[path] = secrets.token_urlsafe(16)
            self._served[known] = Served(path, media_type, save_as)
        return f"files/{known}"

    def served_file(self, key: str) -> Served | None:
        """A file by the last part of its URL."""
        return self._served.get(key)

    def check_room(self) -> None:
        """Reject more files from the server when the storage is full, exports included.

        Raises
        ------
        InvalidValueError
            If there is no room.
        """
        size = sum(p.lstat().st_size for p in Path(self.folder).rglob("*") if p.is_file())
        if size > LARGEST_SESSION:
            raise InvalidValueError("the session's storage is full; start a new project")

    def close(self) -> None:
        """Remove all files."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.materials.clear()
        self._served.clear()
        self._ids.clear()

    def plain(self, text: str) -> str:
        """A message in which internal paths are replaced by the uploads' names."""
        for material in self.materials.values():
            text = text.replace(material.path, material.name)
        return text.replace(f"{self.folder}/", "")
