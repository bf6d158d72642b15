"""The document that a user edits in the studio: one value, enough for undo, reload and export.

The page shows it and requests changes; only the server makes them. `web/src/studio/messages.ts` is
generated from these classes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Source = Literal["nothing", "text", "voice", "motion"]
Physics = Literal["off", "wrists", "body"]


@dataclass(frozen=True)
class Speaking:
    """The text or voice, and the speaker's settings.

    Parameters
    ----------
    text : with or without markup; for a recording its transcript, or empty.
    style : a speaker's name, or the id of an upload that contains one.
    language : ``auto``, ``en`` or ``de``.
    voice : name of a synthetic voice; empty for the best one installed.
    rate : tempo of the voice.
    amount : how much the speaker gestures.
    seed : of the random choices; another seed gives another performance.
    model : body-language model for a voice: a name, or the id of an upload that contains one.
    stance : how restless the stance is: a name, a number from 0 to 1, or empty for the speaker's
        own.
    """

    text: str = ""
    style: str = "host"
    language: str = "auto"
    voice: str = ""
    rate: float = 1.0
    amount: float = 1.0
    seed: int = 1
    model: str = "house"
    stance: str = ""


@dataclass(frozen=True)
class TensionSetting:
    """Muscular tension: rest error in metres and damping ratio zeta."""

    error_m: float
    zeta: float


@dataclass(frozen=True)
class PhrasePoint:
    """A point of one factor's curve for one part of the body."""

    part: str
    factor: str
    time_s: float
    value: float


@dataclass(frozen=True)
class Directing:
    """Direction settings: how the movement is performed.

    Parameters
    ----------
    manner : manner words such as ``slightly proudly``.
    parts : part of the body to factor to value from -1 to 1.
    phrase : points of curves; they replace the constant value of their factor and part.
    tension : None for the performance's default.
    physics : what is simulated physically.
    """

    manner: str = ""
    parts: dict[str, dict[str, float]] = field(default_factory=dict)
    phrase: tuple[PhrasePoint, ...] = ()
    tension: TensionSetting | None = None
    physics: Physics = "off"


@dataclass(frozen=True)
class DocumentGesture:
    """A gesture on the timeline.

    Parameters
    ----------
    id : constant while a gesture is edited.
    time_s, stroke_s : end of the stroke, or start of a hold gesture's hold; stroke duration.
    hold_s : duration of the hold after the stroke.
    start, end : hand positions, ``height/distance/radial/inclination``; empty if not given.
    words : that triggered it.
    reason : why it was chosen.
    anchor : time of those words, or None.
    pinned : moved by the user, so that its time is kept exactly.
    """

    id: int
    lexeme: str
    hands: str
    time_s: float
    stroke_s: float
    hold_s: float
    start: str
    end: str
    words: str
    reason: str
    anchor: tuple[float, float] | None = None
    pinned: bool = False


@dataclass(frozen=True)
class Document:
    """Everything that makes a take.

    Parameters
    ----------
    source : kind of input.
    sound, motion, character : ids of uploads; empty for none.
    gestures : in order of time; for a text they correspond one to one to those of `script`.
    script : the gesture script of a text (appendix A of the 2008 paper), empty before it is
        performed.
    title : used in file names.
    """

    title: str = "untitled"
    source: Source = "nothing"
    speaking: Speaking = field(default_factory=Speaking)
    directing: Directing = field(default_factory=Directing)
    sound: str = ""
    motion: str = ""
    character: str = ""
    gestures: tuple[DocumentGesture, ...] = ()
    script: str = ""
