"""Files of one session: what was sent, and what can be fetched, under random names of ours.

Everything lies in a folder of its own, which is removed with the session. Names that come from a
page are shown and never used.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from kinesphere.errors import InvalidValueError
from kinesphere.studio.tasks import Material
from kinesphere.studio.upload_kinds import LARGEST, ending_of, shown_name

LARGEST_SESSION = 4 << 30
MOST_FILES = 2000


@dataclass(frozen=True)
class Served:
    """A file that can be fetched: its kind, and the name it is saved under (empty: shown)."""

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
        """Take a file in; return its id.

        Raises
        ------
        InvalidValueError
            If its kind is not allowed, or it is too large or empty; nothing is kept then.
        """
        ending, shown = ending_of(name), shown_name(name)
        if len(self.materials) >= MOST_FILES:
            raise InvalidValueError(f"{MOST_FILES} files are here already; begin a new project")
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
                            f"{shown}: is larger than {most >> 20} MB, which is the most"
                        )
                    if self._size > LARGEST_SESSION:
                        raise InvalidValueError(
                            f"{shown}: there is no room; all files together may have "
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
        """Keep bytes of ours as if they had been sent; return the id."""
        key = secrets.token_hex(12)
        path = Path(self.folder) / f"{key}{ending_of(name)}"
        path.write_bytes(data)
        self._size += len(data)
        self.materials[key] = Material(str(path), name)
        return key

    def add(self, material: Material, key: str = "") -> str:
        """Know a file that a worker has put here."""
        key = key or secrets.token_hex(12)
        self.materials[key] = material
        self._size += Path(material.path).stat().st_size
        return key

    def serve(self, path: str, media_type: str, save_as: str = "") -> str:
        """Let a file be fetched; return its address, the same for the same file."""
        known = self._ids.get(path)
        if known is None:
            known = self._ids[path] = secrets.token_urlsafe(16)
            self._served[known] = Served(path, media_type, save_as)
        return f"files/{known}"

    def served(self, key: str) -> Served | None:
        """A file by the last part of its address."""
        return self._served.get(key)

    def check_room(self) -> None:
        """Refuse more files of ours where there are too many already, exports included.

        Raises
        ------
        InvalidValueError
            If there is no room.
        """
        size = sum(p.lstat().st_size for p in Path(self.folder).rglob("*") if p.is_file())
        if size > LARGEST_SESSION:
            raise InvalidValueError("this session's files take up too much room; begin a new one")

    def close(self) -> None:
        """Remove everything."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.materials.clear()
        self._served.clear()
        self._ids.clear()

    def plain(self, text: str) -> str:
        """A message without our names of files."""
        for material in self.materials.values():
            text = text.replace(material.path, material.name)
        return text.replace(f"{self.folder}/", "")
