"""Messages between the page and the server, once for both: `typescript` writes the page's side.

Texts are JSON with a ``type``; sound, frames and clips are bytes (`packets`). Every request of the
page that starts work names it by a number of its own (`ask`), which comes back with the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kinesphere.studio.document import Directing, Document, Speaking

VERSION = 1
JobState = Literal["waiting", "running", "done", "failed", "cancelled"]


# What the page says.


@dataclass(frozen=True)
class Hello:
    """First message of a page: what it speaks, and which session it had before, if any."""

    version: int
    session: str = ""


@dataclass(frozen=True)
class Restore:
    """A document that the page still has after the server was started anew."""

    document: Document


@dataclass(frozen=True)
class Perform:
    """Perform a text (anew)."""

    speaking: Speaking


@dataclass(frozen=True)
class Direct:
    """Change how it is done; changes with the same `group` are undone together."""

    directing: Directing
    group: str = ""


@dataclass(frozen=True)
class EditGesture:
    """Change a gesture; what is None stays."""

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
    """Take the last change back."""


@dataclass(frozen=True)
class Redo:
    """Do again what was taken back."""


@dataclass(frozen=True)
class UseSound:
    """Move to a recording; with a text of what is said in it, perform that."""

    upload: str
    speaking: Speaking


@dataclass(frozen=True)
class UseMotion:
    """Work on existing motion."""

    upload: str


@dataclass(frozen=True)
class UseCharacter:
    """Show everything on another character; empty for the default one."""

    upload: str


@dataclass(frozen=True)
class Learn:
    """Make a speaker of annotations, or a model of motion with sound."""

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
    """Begin with nothing."""


@dataclass(frozen=True)
class Cancel:
    """Stop some work."""

    job: int


@dataclass(frozen=True)
class TalkStart:
    """Let the character move to sound that follows as bytes.

    Parameters
    ----------
    rate_hz : of the samples.
    speaking : whose model, amount and seed.
    """

    rate_hz: float
    speaking: Speaking


@dataclass(frozen=True)
class TalkStop:
    """End it; `keep` makes a take of what was said."""

    keep: bool = True


Request = (
    Hello | Restore | Perform | Direct | EditGesture | AddGesture | DeleteGesture | Undo | Redo
    | UseSound | UseMotion | UseCharacter | Learn | Export | OpenProject | NewProject | Cancel
    | TalkStart | TalkStop
)  # fmt: skip


# What the server says.


@dataclass(frozen=True)
class Choice:
    """Something to choose: its name, what a person reads, and a group."""

    name: str
    label: str
    group: str = ""


@dataclass(frozen=True)
class LexemeChoice:
    """A gesture of the lexicon, and the hands that it can be done with."""

    name: str
    kind: str
    meaning: str
    hands: tuple[str, ...]


@dataclass(frozen=True)
class Welcome:
    """Answer to `Hello`.

    Parameters
    ----------
    session : to come back to; `known` if it is the one that was asked for.
    places : dimension of a hand's place to its names, from the top.
    tensions : names of tensions with their numbers.
    uploads : ending to the largest upload in bytes.
    """

    version: int
    program: str
    session: str
    known: bool
    styles: tuple[Choice, ...]
    voices: tuple[Choice, ...]
    models: tuple[Choice, ...]
    formats: tuple[Choice, ...]
    lexemes: tuple[LexemeChoice, ...]
    manners: tuple[str, ...]
    markup: tuple[Choice, ...]
    places: dict[str, tuple[str, ...]]
    parts: tuple[Choice, ...]
    factors: tuple[Choice, ...]
    tensions: dict[str, tuple[float, float]]
    uploads: dict[str, int]
    longest_text: int


@dataclass(frozen=True)
class Changed:
    """The document as it is now, after any change."""

    document: Document
    revision: int
    can_undo: bool
    can_redo: bool
    undo_label: str
    redo_label: str


@dataclass(frozen=True)
class Learned:
    """Styles and models there are now."""

    styles: tuple[Choice, ...]
    models: tuple[Choice, ...]


@dataclass(frozen=True)
class Figure:
    """The character that takes are shown on from now on.

    Parameters
    ----------
    url : of its GLB or VRM.
    joints : names of nodes in the order of a frame; `root` is the one that also has a place.
    shapes : of the face, in the order of a frame.
    bones : humanoid bone to name of the node.
    home : a frame at rest, as base64.
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
    """A take has been made; its frames have come before, as bytes with the same number.

    Parameters
    ----------
    take : its number.
    revision : of the document that it shows.
    plain : whether it is the take without what directing changes, for comparison.
    whole : False for a first part of a longer one that is still being made.
    sound : address of its sound; empty for none.
    notes : what a person should know.
    made_s : how long that took.
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
class Job:
    """Work that goes on."""

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
    """A page to look at."""

    title: str
    url: str


@dataclass(frozen=True)
class Talking:
    """Where the live character stands, a few times a second.

    Parameters
    ----------
    on : whether sound is taken in.
    level_db : of the last sound, 0 is full scale.
    heard_s : how much was taken in.
    step_ms : how long the last chunks took to become frames, in the median.
    speaking : whether somebody speaks.
    """

    on: bool
    level_db: float
    heard_s: float
    step_ms: float
    speaking: bool


@dataclass(frozen=True)
class Problem:
    """Something that a person asked for cannot be; `about` is the type of the request."""

    text: str
    about: str = ""


Reply = (
    Welcome | Changed | Learned | Figure | TakeReady | Job | Exported | Report | Talking | Problem
)

__all__ = [
    "VERSION", "AddGesture", "Cancel", "Changed", "Choice", "DeleteGesture", "Direct",
    "EditGesture", "Export", "Exported", "Figure", "Hello", "Job", "JobState", "Learn", "Learned",
    "LexemeChoice", "NewProject", "OpenProject", "Perform", "Problem", "Redo", "Reply", "Report",
    "Request", "Restore", "TakeReady", "TalkStart", "TalkStop", "Talking", "TimelineRow", "Undo",
    "UseCharacter", "UseMotion", "UseSound", "Welcome",
]  # fmt: skip
