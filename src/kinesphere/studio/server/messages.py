"""Messages between the page and the server; `tools.wire_types` writes the page's definitions.

Text messages are JSON with a ``type``; audio, frames and clips are binary (`packets`). A request
that starts work has a number chosen by the page (`ask`), which the answer repeats.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kinesphere.studio.document.document import Directing, Document, Speaking

VERSION = 2
JobState = Literal["waiting", "running", "done", "failed", "cancelled"]


# Requests of the page.


@dataclass(frozen=True)
class Hello:
    """First message of a page: its protocol version, and its earlier session, if any."""

    version: int
    session: str = ""


@dataclass(frozen=True)
class Restore:
    """A document that the page still has after a restart of the server."""

    document: Document


@dataclass(frozen=True)
class Perform:
    """Perform a text, also once more."""

    speaking: Speaking


@dataclass(frozen=True)
class Direct:
    """Change the direction settings; changes with the same `group` are undone together."""

    directing: Directing
    group: str = ""


@dataclass(frozen=True)
class EditGesture:
    """Change a gesture; fields that are None stay as they are."""

    id: int
    lexeme: str | None = None
    hands: str | None = None
    time_s: float | None = None
    stroke_s: float | None = None
    hold_s: float | None = None
    start: str | None = None
    end: str | None = None


@dataclass(frozen=True)
class AddGesture:
    """Add a gesture whose stroke ends at a time."""

    time_s: float
    lexeme: str
    hands: str = ""


@dataclass(frozen=True)
class DeleteGesture:
    """Delete a gesture."""

    id: int


@dataclass(frozen=True)
class Undo:
    """Undo the last change."""


@dataclass(frozen=True)
class Redo:
    """Redo the change that was undone last."""


@dataclass(frozen=True)
class UseSound:
    """Generate motion from a recording, or perform its transcript if one is given."""

    upload: str
    speaking: Speaking


@dataclass(frozen=True)
class UseMotion:
    """Load existing motion for editing."""

    upload: str


@dataclass(frozen=True)
class UseCharacter:
    """Show takes on another character; empty for the default one."""

    upload: str


@dataclass(frozen=True)
class Learn:
    """Build a speaker from annotations, or train a model on motion with audio."""

    uploads: tuple[str, ...]
    what: Literal["speaker", "model"]
    name: str


@dataclass(frozen=True)
class Export:
    """Write the take, or the project, as a file to download."""

    ending: str


@dataclass(frozen=True)
class OpenProject:
    """Open a project file."""

    upload: str


@dataclass(frozen=True)
class NewProject:
    """Start an empty project."""


@dataclass(frozen=True)
class Cancel:
    """Cancel a job."""

    job: int


@dataclass(frozen=True)
class TalkStart:
    """Start live motion from audio, which follows as binary packets.

    Parameters
    ----------
    rate_hz : of the samples.
    speaking : settings; model, amount, stance and seed are used.
    """

    rate_hz: float
    speaking: Speaking


@dataclass(frozen=True)
class TalkStop:
    """End live motion; `keep` makes a take of the recorded audio."""

    keep: bool = True


Request = (
    Hello
    | Restore
    | Perform
    | Direct
    | EditGesture
    | AddGesture
    | DeleteGesture
    | Undo
    | Redo
    | UseSound
    | UseMotion
    | UseCharacter
    | Learn
    | Export
    | OpenProject
    | NewProject
    | Cancel
    | TalkStart
    | TalkStop
)


# Answers of the server.


@dataclass(frozen=True)
class MenuChoice:
    """An option: its name, its label for the user, and a group."""

    name: str
    label: str
    group: str = ""


@dataclass(frozen=True)
class LexemeChoice:
    """A lexeme, and the hands that can perform it."""

    name: str
    kind: str
    meaning: str
    hands: tuple[str, ...]


@dataclass(frozen=True)
class Welcome:
    """Answer to `Hello`.

    Parameters
    ----------
    session : id for reconnecting; `known` if it is the one that was requested.
    places : dimension of a hand position to its names, from the top.
    tensions : tension presets by name.
    stances : how restless a stance may be, from the speaker's own and still to restless.
    uploads : suffix to the largest upload in bytes.
    """

    version: int
    program: str
    session: str
    known: bool
    styles: tuple[MenuChoice, ...]
    voices: tuple[MenuChoice, ...]
    models: tuple[MenuChoice, ...]
    formats: tuple[MenuChoice, ...]
    lexemes: tuple[LexemeChoice, ...]
    manners: tuple[str, ...]
    markup: tuple[MenuChoice, ...]
    places: dict[str, tuple[str, ...]]
    parts: tuple[MenuChoice, ...]
    factors: tuple[MenuChoice, ...]
    tensions: dict[str, tuple[float, float]]
    stances: tuple[MenuChoice, ...]
    uploads: dict[str, int]
    longest_text: int


@dataclass(frozen=True)
class Changed:
    """The current document, sent after any change."""

    document: Document
    revision: int
    can_undo: bool
    can_redo: bool
    undo_label: str
    redo_label: str


@dataclass(frozen=True)
class Learned:
    """Available styles and models."""

    styles: tuple[MenuChoice, ...]
    models: tuple[MenuChoice, ...]


@dataclass(frozen=True)
class FigureReady:
    """The character on which takes are shown from now on.

    Parameters
    ----------
    url : of its GLB or VRM.
    joints : names of nodes in the order of a frame; `root` is the one that also has a position.
    shapes : face shapes, in the order of a frame.
    bones : humanoid bone to name of the node.
    home : a frame of the rest pose, as base64.
    """

    id: int
    name: str
    url: str
    vrm: bool
    joints: tuple[str, ...]
    shapes: tuple[str, ...]
    bones: dict[str, str]
    home: str


@dataclass(frozen=True)
class TimelineRow:
    """A row of the timeline: start, end and label of each interval."""

    name: str
    starts: tuple[float, ...]
    ends: tuple[float, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True)
class TakeReady:
    """A finished take; its frames were sent before, in a binary packet with the same number.

    Parameters
    ----------
    take : its number.
    revision : of the document from which it was made.
    plain : whether it is the take without direction settings, for comparison.
    whole : False for the first part of a longer take that is still being made.
    sound : URL of its audio; empty for none.
    notes : messages for the user.
    made_s : computing time.
    """

    take: int
    revision: int
    figure: int
    fps: float
    frames: int
    plain: bool
    whole: bool
    sound: str
    rows: tuple[TimelineRow, ...]
    notes: tuple[str, ...]
    made_s: float


@dataclass(frozen=True)
class JobProgress:
    """State of a job."""

    job: int
    label: str
    state: JobState
    ratio: float
    text: str = ""


@dataclass(frozen=True)
class Exported:
    """A file to download."""

    name: str
    url: str
    size: int


@dataclass(frozen=True)
class Report:
    """A page to view."""

    title: str
    url: str


@dataclass(frozen=True)
class Talking:
    """State of live motion, sent a few times a second.

    Parameters
    ----------
    on : whether audio is accepted.
    level_db : level of the last audio, 0 is full scale.
    heard_s : duration of the audio received.
    step_ms : median computing time of the last chunks.
    speaking : whether there is speech.
    """

    on: bool
    level_db: float
    heard_s: float
    step_ms: float
    speaking: bool


@dataclass(frozen=True)
class RequestFailed:
    """A request that failed; `about` is its type."""

    text: str
    about: str = ""


Reply = (
    Welcome
    | Changed
    | Learned
    | FigureReady
    | TakeReady
    | JobProgress
    | Exported
    | Report
    | Talking
    | RequestFailed
)


# Answers to an upload, which is an HTTP request.


@dataclass(frozen=True)
class Uploaded:
    """A received file.

    Parameters
    ----------
    upload : its id for later requests.
    """

    upload: str


@dataclass(frozen=True)
class UploadRefused:
    """Why a file was not received."""

    problem: str


__all__ = [
    "VERSION",
    "AddGesture",
    "Cancel",
    "Changed",
    "DeleteGesture",
    "Direct",
    "EditGesture",
    "Export",
    "Exported",
    "FigureReady",
    "Hello",
    "JobProgress",
    "JobState",
    "Learn",
    "Learned",
    "LexemeChoice",
    "MenuChoice",
    "NewProject",
    "OpenProject",
    "Perform",
    "Redo",
    "Reply",
    "Report",
    "Request",
    "RequestFailed",
    "Restore",
    "TakeReady",
    "TalkStart",
    "TalkStop",
    "Talking",
    "TimelineRow",
    "Undo",
    "UploadRefused",
    "Uploaded",
    "UseCharacter",
    "UseMotion",
    "UseSound",
    "Welcome",
]
