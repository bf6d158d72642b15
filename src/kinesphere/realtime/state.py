"""Types of a live session: modes, events, settings, counts, and the session's state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol, runtime_checkable

from kinesphere.bodylanguage.choose.word_choice import SpokenWord
from kinesphere.maths.arrays import Floats
from kinesphere.realtime.clock import AudioClock
from kinesphere.realtime.pacing import Pacing
from kinesphere.realtime.sinks.sinks import PoseFrames
from kinesphere.realtime.words import WordQueue


class Mode(Enum):
    """Mode of a session."""

    IDLE = "idle"
    RUNNING = "running"
    LOST = "lost"
    ENDED = "ended"


@dataclass(frozen=True, eq=False)
class Chunk:
    """Audio that arrived.

    Parameters
    ----------
    samples : ``[n]``, or ``[voices, n]``, in [-1, 1] at the engine's rate.
    captured_s : wall time of the first sample; None if its sender gives none (a file, a pipe).
    queued_s : audio buffered behind this chunk; None if there is always more (a file).
    dropped : whether the source knows that audio before this chunk was lost.
    arrived_s : wall time of its arrival, for the latency; None if unknown.
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
    """Events of a source besides audio."""

    BACK = "back"
    END = "end"


Arrival = Chunk | Lost | Signal | None


class Engine(Protocol):
    """Computes frames from audio; its state is a value."""

    @property
    def rate_hz(self) -> float:
        """Input samples per second."""

    @property
    def fps(self) -> float:
        """Output frames per second."""

    @property
    def characters(self) -> int | None:
        """Number of characters; None for one, without an axis for them."""

    def start(self) -> Any:
        """State before the first sample."""

    def step(self, state: Any, chunk: Floats) -> tuple[Any, PoseFrames]:
        """Process ``[n]``, or ``[characters, n]``, samples."""

    def finish(self, state: Any) -> PoseFrames:
        """Return the remaining frames."""


@runtime_checkable
class TakesWords(Protocol):
    """An engine that accepts words."""

    def push_words(self, state: Any, words: Sequence[SpokenWord], character: int) -> Any:
        """State with words of a character added, in order, with times on the audio clock."""


@dataclass(frozen=True)
class SessionSettings:
    """Limits and modes of a session; times in seconds.

    Parameters
    ----------
    patience_s : after this time without audio there is silence; late audio within it is kept.
    tolerance_s : capture times may be off by this much before it means lost audio.
    longest_gap_s : of a longer gap (a machine that slept) only this much becomes silence.
    lost_after_s : a device without audio for this long counts as lost.
    retry_s, longest_retry_s : first wait before a lost device is opened again; the wait doubles.
    fast : process audio as fast as possible, not in real time, and show every frame.
    device : whether audio comes from a device that can be lost and opened again.
    end_s : stop after this much audio; None for never.
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
    """Statistics of the audio and the frames.

    Parameters
    ----------
    chunks : that arrived.
    frames, shown, skipped : computed; passed to displays; dropped there as too old.
    gaps, filled_s : gaps in the audio, and the silence inserted into them.
    late_s : audio that arrived after its time was filled, and was dropped.
    cut_s : time skipped in very long gaps.
    silent_s : silence inserted while nothing arrived or the device was lost.
    losses : of the device.
    words : passed to the engine and spoken by now, those of all characters counted once.
    late_words, disordered_words : dropped: spoken long ago, or earlier than the word before.
    lost_words : dropped: too many at once, or too far ahead.
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
    """Result of one step.

    Parameters
    ----------
    heard : audio passed to the engine, ``[n]`` or ``[characters, n]``, in order.
    made : every new frame, for files.
    shown : frames for displays: the newest that is due, or in fast mode all.
    said : messages for the user.
    """

    heard: tuple[Floats, ...] = ()
    made: tuple[PoseFrames, ...] = ()
    shown: tuple[PoseFrames, ...] = ()
    said: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class LiveSession:
    """A session between two steps; made by `live_session.begin`, immutable.

    Parameters
    ----------
    state : the engine's.
    position : samples passed to the engine.
    heard_s : wall time of the last audio.
    behind_s : age of the newest sample then.
    starved : whether silence was inserted since then.
    suspicions : consecutive chunks whose capture time indicates lost audio.
    retry_at_s, wait_s : when to open a lost device again, and the wait after that.
    lost_at_s : since when the device is lost.
    words : waiting to be passed to the engine.
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
        """Audio passed to the engine, in seconds."""
        return self.position / self.engine.rate_hz

    def due_s(self, block_s: float) -> float:
        """Wall time at which the next `block_s` of audio that could come faster is over."""
        return self.clock.wall_at(self.sound_s + block_s)

    def wants_reopening(self, now_s: float) -> bool:
        """Whether the lost device is to be opened again now; answer with BACK or `Lost`."""
        return self.mode is Mode.LOST and now_s >= self.retry_at_s
