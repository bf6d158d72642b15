"""What a live session is made of: modes, what can arrive, settings, counts, the session's value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol, runtime_checkable

from kinesphere.bodylanguage.word_choice import TimedWord
from kinesphere.maths.arrays import Floats
from kinesphere.pipeline.live_clock import AudioClock
from kinesphere.pipeline.live_pacing import Pacing
from kinesphere.pipeline.live_sinks import PoseFrames
from kinesphere.pipeline.live_words import WordQueue


class Mode(Enum):
    """Where a session stands."""

    IDLE = "idle"
    RUNNING = "running"
    LOST = "lost"
    ENDED = "ended"


@dataclass(frozen=True, eq=False)
class Chunk:
    """Sound that arrived.

    Parameters
    ----------
    samples : ``[n]``, or ``[voices, n]``, in [-1, 1] at the engine's rate.
    captured_s : wall time of the first sample; None if its sender tells none (a file, a pipe).
    queued_s : sound that waits behind this one; None if there is always more (a file).
    dropped : whether the source knows that sound before this one was lost.
    arrived_s : wall time at which it came in, to tell the latency by; None if unknown.
    """

    samples: Floats
    captured_s: float | None = None
    queued_s: float | None = None
    dropped: bool = False
    arrived_s: float | None = None


@dataclass(frozen=True)
class Lost:
    """The device is gone, or could not be opened again."""

    reason: str


class Signal(Enum):
    """What a source tells besides sound."""

    BACK = "back"
    END = "end"


Arrival = Chunk | Lost | Signal | None


class Engine(Protocol):
    """What makes frames of sound; its state is a value."""

    @property
    def rate_hz(self) -> float:
        """Samples a second that it wants."""

    @property
    def fps(self) -> float:
        """Frames a second that it gives."""

    @property
    def characters(self) -> int | None:
        """How many characters; None for one, without an axis for them."""

    def start(self) -> Any:
        """State before the first sample."""

    def step(self, state: Any, chunk: Floats) -> tuple[Any, PoseFrames]:
        """Take ``[n]``, or ``[characters, n]``, samples in."""

    def finish(self, state: Any) -> PoseFrames:
        """Frames that were still waiting."""


@runtime_checkable
class TakesWords(Protocol):
    """An engine that can be told words."""

    def push_words(self, state: Any, words: Sequence[TimedWord], character: int) -> Any:
        """State that knows words of a character, in order, with times on the sound's clock."""


@dataclass(frozen=True)
class SessionSettings:
    """What is allowed to happen, in seconds.

    Parameters
    ----------
    patience_s : after so long without sound there is silence; late sound within it is kept.
    tolerance_s : capture times may be off by so much before it means lost sound.
    longest_gap_s : of a longer gap (a machine that slept) only so much becomes silence.
    lost_after_s : a device that gives nothing for so long counts as lost.
    retry_s, longest_retry_s : first wait before a lost device is opened again; it doubles.
    fast : take sound as it comes, wait for nothing, show every frame.
    device : whether sound comes from a device that can be lost and opened again.
    end_s : stop after so much sound; None for never.
    """

    patience_s: float = 0.25
    tolerance_s: float = 0.06
    longest_gap_s: float = 5.0
    lost_after_s: float = 2.0
    retry_s: float = 0.5
    longest_retry_s: float = 30.0
    fast: bool = False
    device: bool = False
    end_s: float | None = None


@dataclass(frozen=True)
class Counts:
    """What happened to the sound and the frames.

    Parameters
    ----------
    chunks : that arrived.
    frames, shown, skipped : made; given to what shows the moment; left out there for being old.
    gaps, filled_s : holes in the sound, and the silence put into them.
    late_s : sound that came after its time was filled, and was left out.
    cut_s : time that a very long gap lost for good.
    silent_s : silence given while nothing came or the device was lost.
    losses : of the device.
    words : that the engine was told and whose time came, those of all characters once.
    late_words, disordered_words : left out: said long ago, or before one that came before it.
    lost_words : left out: too many at once, or too far ahead.
    """

    chunks: int = 0
    frames: int = 0
    shown: int = 0
    skipped: int = 0
    gaps: int = 0
    filled_s: float = 0.0
    late_s: float = 0.0
    cut_s: float = 0.0
    silent_s: float = 0.0
    losses: int = 0
    words: int = 0
    late_words: int = 0
    disordered_words: int = 0
    lost_words: int = 0


@dataclass(frozen=True, eq=False)
class Stepped:
    """What one step gives.

    Parameters
    ----------
    heard : sound that the engine was given, ``[n]`` or ``[characters, n]``, in order.
    made : every new frame, for files.
    shown : frames for what shows the moment: the newest that is due, or in fast mode all.
    said : sentences for a person.
    """

    heard: tuple[Floats, ...] = ()
    made: tuple[PoseFrames, ...] = ()
    shown: tuple[PoseFrames, ...] = ()
    said: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class LiveSession:
    """A session between two steps; made by `live_session.begin`, never changed.

    Parameters
    ----------
    state : the engine's.
    position : samples that the engine was given.
    heard_s : wall time at which sound came last.
    behind_s : how old the newest sound was then.
    starved : whether silence was given since then.
    suspicions : chunks in a row whose capture time says that sound was lost.
    retry_at_s, wait_s : when to open a lost device again, and the wait after that.
    lost_at_s : since when the device is lost.
    words : that wait to be told to the engine.
    """

    engine: Engine
    settings: SessionSettings
    state: Any
    clock: AudioClock
    pacing: Pacing
    words: WordQueue
    mode: Mode = Mode.IDLE
    position: int = 0
    heard_s: float = 0.0
    behind_s: float = 0.0
    starved: bool = False
    suspicions: int = 0
    retry_at_s: float = 0.0
    wait_s: float = 0.0
    lost_at_s: float = 0.0
    counts: Counts = field(default_factory=Counts)

    @property
    def sound_s(self) -> float:
        """Sound that the engine was given, in seconds."""
        return self.position / self.engine.rate_hz

    def due_s(self, block_s: float) -> float:
        """Wall time at which the next `block_s` of a sound that could come faster is over."""
        return self.clock.wall_at(self.sound_s + block_s)

    def wants_reopening(self, now_s: float) -> bool:
        """Whether the lost device is to be opened again now; answer with BACK or `Lost`."""
        return self.mode is Mode.LOST and now_s >= self.retry_at_s
