"""Tasks for worker processes and their answers: plain values that can be pickled."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kinesphere.studio.document.document import Document
from kinesphere.studio.server.messages import TimelineRow


@dataclass(frozen=True)
class Material:
    """An upload: its path, and the file name that the user gave it."""

    path: str
    name: str


@dataclass(frozen=True)
class MakeTake:
    """Make the take of a document, with `partly` also its first part as soon as that is done.

    Audio files are written to `folder`.
    """

    document: Document
    materials: dict[str, Material]
    folder: str
    partly: bool = True


@dataclass(frozen=True)
class SaveTake:
    """Write the take of a document to a folder in the format of a suffix."""

    document: Document
    materials: dict[str, Material]
    folder: str
    ending: str


@dataclass(frozen=True)
class LoadCharacter:
    """Read a character's file, and write what the page needs to a folder."""

    material: Material
    folder: str


@dataclass(frozen=True)
class LearnStyle:
    """Build a speaker from annotations, or train a model on motion with audio."""

    what: Literal["speaker", "model"]
    name: str
    materials: tuple[Material, ...]
    folder: str


@dataclass(frozen=True)
class LoadProject:
    """Open a project file and write its material to a folder."""

    material: Material
    folder: str


Task = MakeTake | SaveTake | LoadCharacter | LearnStyle | LoadProject


@dataclass(frozen=True)
class ClipData:
    """A clip in the page's format."""

    fps: float
    frames: int
    joints: int
    shapes: int
    data: bytes = field(repr=False)


@dataclass(frozen=True)
class Made:
    """A take, or its first part.

    Parameters
    ----------
    document : with the script and the performed times of the gestures.
    shown, plain : with and without direction settings; `plain` is None if they are neutral.
    sound : audio file; empty for none.
    """

    document: Document
    shown: ClipData
    plain: ClipData | None
    rows: tuple[TimelineRow, ...]
    notes: tuple[str, ...]
    sound: str
    whole: bool


@dataclass(frozen=True)
class Saved:
    """A file that was written, and its name for the user."""

    path: str
    name: str


@dataclass(frozen=True)
class Looked:
    """Data of a character for the page; `glb` is a file."""

    name: str
    glb: str
    vrm: bool
    joints: tuple[str, ...]
    shapes: tuple[str, ...]
    bones: dict[str, str]
    home: str


@dataclass(frozen=True)
class LearnedStyle:
    """Files of a speaker or a model, and of the page about it."""

    what: Literal["speaker", "model"]
    name: str
    path: str
    report: str


@dataclass(frozen=True)
class OpenedProject:
    """A document and its material by the ids that it uses."""

    document: Document
    materials: dict[str, Material]


Answer = Made | Saved | Looked | LearnedStyle | OpenedProject
