"""What a person edits in the studio: one value, so that undo, reload and export need nothing else.

The page shows it and asks for changes; only the server makes them. `web/src/studio/messages.ts` is
generated from these classes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Source = Literal["nothing", "text", "voice", "motion"]
Physics = Literal["off", "wrists", "body"]


@dataclass(frozen=True)
class Speaking:
    """What is said, and how.

    Parameters
    ----------
    text : with or without markup; for a recording its transcript, or nothing.
    style : a speaker's name, or the id of an upload that holds one.
    language : ``auto``, ``en`` or ``de``.
    voice : of the synthetic voices; empty for the best there is.
    rate : tempo of the voice.
    amount : how much the speaker gestures.
    seed : another seed, another performance.
    model : of body language, for a voice: a name, or the id of an upload that holds one.
    """

    text: str = ""
    style: str = "host"
    language: str = "auto"
    voice: str = ""
    rate: float = 1.0
    amount: float = 1.0
    seed: int = 1
    model: str = "house"


@dataclass(frozen=True)
class Tension:
    """Muscular tension by its two numbers: rest error in metres, and zeta."""

    error_m: float
    zeta: float


@dataclass(frozen=True)
class PhrasePoint:
    """A point of a factor's curve: of one part of the body, at a time."""

    part: str
    factor: str
    time_s: float
    value: float


@dataclass(frozen=True)
class Directing:
    """How it is done.

    Parameters
    ----------
    manner : words such as ``slightly proudly``.
    parts : part of the body to factor to value from -1 to 1.
    phrase : curves; a factor of a part that has points goes by these alone.
    tension : None for the performance's own.
    physics : what is simulated.
    """

    manner: str = ""
    parts: dict[str, dict[str, float]] = field(default_factory=dict)
    phrase: tuple[PhrasePoint, ...] = ()
    tension: Tension | None = None
    physics: Physics = "off"


@dataclass(frozen=True)
class Gesture:
    """A gesture on the timeline.

    Parameters
    ----------
    id : stays the same while a gesture is edited.
    time_s, stroke_s : when its stroke ends, or a hold gesture's hold starts; and how long it is.
    hold_s : hold after it.
    start, end : places of the hand as ``height/distance/radial/inclination``; empty if not said.
    words : that called for it.
    reason : why it was chosen.
    anchor : time of those words; None for none.
    pinned : moved by a person, so that it is done exactly then.
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
    source : what it is made from.
    sound, motion, character : ids of uploads; empty for none.
    gestures : in order of time; those of a text are the ones of `script`, one for one.
    script : the gesture script of a text (appendix A of the 2008 paper), empty before it is
        performed.
    title : for files.
    """

    title: str = "untitled"
    source: Source = "nothing"
    speaking: Speaking = field(default_factory=Speaking)
    directing: Directing = field(default_factory=Directing)
    sound: str = ""
    motion: str = ""
    character: str = ""
    gestures: tuple[Gesture, ...] = ()
    script: str = ""
