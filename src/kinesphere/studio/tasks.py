"""What worker processes are asked to do, and what they answer: plain values that can be sent."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kinesphere.studio.document import Document
from kinesphere.studio.messages import TimelineRow


@dataclass(frozen=True)
class Material:
    """An upload: where it lies, and what its owner calls it."""

    path: str
    name: str


@dataclass(frozen=True)
class MakeTake:
    """Make the take of a document, with `partly` also its beginning as soon as that is there.

    `folder` is where sounds are put.
    """

    document: Document
    materials: dict[str, Material]
    folder: str
    partly: bool = True


@dataclass(frozen=True)
class SaveTake:
    """Write the take of a document into a folder in the format of an ending."""

    document: Document
    materials: dict[str, Material]
    folder: str
    ending: str


@dataclass(frozen=True)
class LoadCharacter:
    """Look at a character's file, and put what the page needs of it into a folder."""

    material: Material
    folder: str


@dataclass(frozen=True)
class LearnStyle:
    """Make a speaker of annotations, or a model of motion with sound."""

    what: Literal["speaker", "model"]
    name: str
    materials: tuple[Material, ...]
    folder: str


@dataclass(frozen=True)
class LoadProject:
    """Open a project file, its material going into a folder."""

    material: Material
    folder: str


Task = MakeTake | SaveTake | LoadCharacter | LearnStyle | LoadProject


@dataclass(frozen=True)
class ClipData:
    """A clip as the page takes it."""

    fps: float
    frames: int
    joints: int
    shapes: int
    data: bytes = field(repr=False)


@dataclass(frozen=True)
class Made:
    """A take, or its beginning.

    Parameters
    ----------
    document : with the script and the gestures' times, as performed.
    shown, plain : with and without what directing changes; None if there is no difference.
    sound : file of it; empty for none.
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
    """A file that was written, and its name for a person."""

    path: str
    name: str


@dataclass(frozen=True)
class Looked:
    """What the page needs of a character; `glb` is a file."""

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
