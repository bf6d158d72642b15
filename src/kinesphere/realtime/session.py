"""A live session: turns arriving audio into frames, robust against gaps and lost devices.

    session = begin(engine, now_s)
    session, stepped = step(session, now_s, chunk)      # or None, Lost(...), Signal.BACK, .END
    session, stepped = step(session, now_s, chunk, words)   # words known before it

Nothing here reads a clock, a device or a file: time is an argument, and a step returns the next
session. The modes are

    idle     no audio has arrived yet
    running  audio arrives
    lost     the device is gone: silence, with periodic requests to open it again
    ended    all frames were output

Frames follow the audio clock. Missing audio is filled with silence, so that time stays right;
audio that arrives after its time was filled is dropped. Words are passed to the engine at the
audio time at which they became known, or some time before they are spoken. Memory is bounded.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import fields

import numpy as np

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.realtime.clock import AudioClock
from kinesphere.realtime.pacing import Pacing
from kinesphere.realtime.sinks.sinks import PoseFrames
from kinesphere.realtime.state import (
    Arrival,
    Chunk,
    Counts,
    Engine,
    LiveSession,
    Lost,
    Mode,
    SessionSettings,
    Signal,
    Stepped,
    TakesWords,
)
from kinesphere.realtime.words import SaidWord, WordQueue, words_of

_SUSPICIONS = 3
"""Number of consecutive chunks that must arrive too far ahead before their times are trusted."""
_SILENCE_S = 0.25
_CARRIED = tuple(f.name for f in fields(LiveSession) if f.name != "counts")


def begin(engine: Engine, now_s: float, settings: SessionSettings | None = None) -> LiveSession:
    """Session before the first audio, at wall time `now_s`."""
    chosen = settings or SessionSettings()
    clock, pacing = AudioClock(now_s), Pacing(engine.fps, chosen.fast)
    words = WordQueue((-math.inf,) * (engine.characters or 1))
    return LiveSession(engine, chosen, engine.start(), clock, pacing, words, heard_s=now_s)


def step(
    session: LiveSession, now_s: float, arrival: Arrival = None, words: Iterable[SaidWord] = ()
) -> tuple[LiveSession, Stepped]:
    """Process what arrived by `now_s` (wall time, seconds), or None if nothing did.

    Parameters
    ----------
    words : with times on the audio clock, that became known before what arrived.

    Raises
    ------
    InvalidValueError
        If the samples' shape does not fit the engine's characters, there are words for an engine
        that accepts none, or after the end.
    """
    if session.mode is Mode.ENDED:
        raise InvalidValueError("the session has ended; begin another")
    work = _Step(session, now_s)
    work.know(words)
    if isinstance(arrival, Chunk):
        work.take(arrival)
    elif isinstance(arrival, Lost):
        work.lose(arrival.reason)
    elif arrival is Signal.BACK:
        work.reopen()
    elif arrival is None:
        work.wait()
    if arrival is Signal.END or work.full():
        work.end()
    return work.result()


class _Step:
    """One step: the session's values, changed in place until `result`."""

    def __init__(self, session: LiveSession, now_s: float) -> None:
        self.engine, self.settings = session.engine, session.settings
        self.now_s = now_s
        self.state, self.clock, self.pacing = session.state, session.clock, session.pacing
        self.mode, self.position = session.mode, session.position
        self.suspicions, self.starved = session.suspicions, session.starved
        self.retry_at_s, self.wait_s = session.retry_at_s, session.wait_s
        self.heard_s, self.behind_s = session.heard_s, session.behind_s
        self.lost_at_s, self.words = session.lost_at_s, session.words
        self.counts = dict(vars(session.counts))
        self.heard: list[Floats] = []
        self.made: list[PoseFrames] = []
        self.said: list[str] = []

    @property
    def sound_s(self) -> float:
        """Audio passed to the engine, in seconds."""
        return self.position / self.engine.rate_hz

    # -- what can arrive --

    def know(self, words: Iterable[SaidWord]) -> None:
        """Queue new words."""
        self.words, dropped = self.words.add(words, self.sound_s)
        for reason in dropped:
            self.counts[reason] += 1

    def take(self, chunk: Chunk) -> None:
        """Process audio: at its capture time, or now."""
        samples = _shape_audio(chunk.samples, self.engine.characters)
        duration_s = samples.shape[-1] / self.engine.rate_hz
        if self.mode is Mode.LOST:
            self.said.append(f"the audio is back after {self.now_s - self.lost_at_s:.1f} s")
        self.counts["chunks"] += 1
        self.mode = Mode.RUNNING
        if not self.settings.fast:
            if chunk.captured_s is None:
                self._by_arrival(chunk, duration_s)
            else:
                samples = self._by_capture(chunk, chunk.captured_s, samples)
        self.feed(samples)
        self.heard_s = self.now_s
        self.behind_s = self.clock.sound_at(self.now_s) - self.sound_s
        self.pacing = self.pacing.record_arrival(duration_s, self.behind_s)

    def _by_capture(self, chunk: Chunk, captured_s: float, samples: Floats) -> Floats:
        """Fill what is missing before a chunk; return the part of it that is not too late."""
        rate_hz, tolerance_s = self.engine.rate_hz, self.settings.tolerance_s
        observed = self.clock.observe(captured_s, self.sound_s, samples.shape[-1] / rate_hz)
        if not self.clock.weight and not self.position:
            self.clock = observed
            return samples
        ahead_s = self.clock.sound_at(captured_s) - self.sound_s
        if ahead_s < (0.0 if self.starved else -tolerance_s):
            late = min(samples.shape[-1], round(-ahead_s * rate_hz))
            self.counts["late_s"] += late / rate_hz
            self.suspicions, self.starved = 0, late == samples.shape[-1]
            return samples[..., late:]
        if (chunk.dropped or self.starved) and ahead_s > 0.0:
            self.fill(ahead_s)
        elif ahead_s > tolerance_s:
            self.suspicions += 1
            if self.suspicions >= _SUSPICIONS:
                self.fill(ahead_s)
        else:
            self.clock, self.suspicions = observed, 0
        self.starved = False
        return samples

    def _by_arrival(self, chunk: Chunk, duration_s: float) -> None:
        """Place a chunk without times at the current audio time, after a pause or a long halt."""
        late_s = self.now_s - self.clock.wall_at(self.sound_s + duration_s)
        if late_s > self.settings.longest_gap_s:
            self.cut(late_s * self.clock.rate)
        elif chunk.queued_s is None:
            return
        elif late_s > self.settings.patience_s or self.starved:
            self.counts["silent_s"] += self.silence(late_s)
            self.starved = False
        else:
            spare_s = chunk.queued_s if chunk.queued_s > 0.0 else -max(late_s, 0.0)
            self.clock = self.clock.steer(self.now_s, spare_s)

    def wait(self) -> None:
        """Nothing arrived: silence after a while; a silent device then counts as lost."""
        settings = self.settings
        if settings.fast:
            return
        waited_s = self.now_s - self.heard_s
        known = self.mode is Mode.LOST
        if settings.device and not known and waited_s > settings.lost_after_s:
            self.lose(f"no audio for {settings.lost_after_s:g} s")
            return
        patience_s = 0.0 if known else settings.patience_s
        if waited_s < patience_s:
            return
        missing_s = self.clock.sound_at(self.now_s - patience_s) - self.behind_s - self.sound_s
        silent_s = self.silence(self.limit_gap(missing_s))
        self.counts["silent_s"] += silent_s
        self.starved = self.starved or silent_s > 0.0

    def lose(self, reason: str) -> None:
        """The device is gone, or still gone: try again with exponential back-off."""
        if self.mode is not Mode.LOST:
            self.counts["losses"] += 1
            self.said.append(
                f"the audio is lost ({reason}); continuing in silence until it is back"
            )
            self.mode, self.lost_at_s = Mode.LOST, self.now_s
            self.wait_s = self.settings.retry_s
        self.retry_at_s = self.now_s + self.wait_s
        self.wait_s = min(2.0 * self.wait_s, self.settings.longest_retry_s)
        self.wait()

    def reopen(self) -> None:
        """The device is open again; it counts as back when audio arrives."""
        self.retry_at_s = self.now_s + max(self.settings.lost_after_s, self.wait_s)
        self.wait()

    # -- what is done about it --

    def fill(self, gap_s: float) -> None:
        """Insert silence for lost audio, up to the longest gap."""
        self.suspicions = 0
        self.counts["gaps"] += 1
        self.counts["filled_s"] += self.silence(self.limit_gap(gap_s))

    def limit_gap(self, gap_s: float) -> float:
        """Cut a gap that is too long to fill."""
        longest_s = self.settings.longest_gap_s
        if gap_s > longest_s:
            self.cut(gap_s - longest_s)
        return min(gap_s, longest_s)

    def cut(self, seconds: float) -> None:
        """Skip time: the audio continues without it."""
        self.clock = self.clock.advance(-seconds)
        self.counts["cut_s"] += seconds

    def silence(self, seconds: float) -> float:
        """Pass silence to the engine, in chunks of bounded size; return how much."""
        rate_hz, characters = self.engine.rate_hz, self.engine.characters
        left = total = max(0, round(seconds * rate_hz))
        rows = () if characters is None else (characters,)
        while left:
            size = min(left, round(_SILENCE_S * rate_hz))
            self.feed(np.zeros((*rows, size)))
            left -= size
        return total / rate_hz

    def room(self) -> float:
        """Samples until the requested end; infinite for no end."""
        end_s = self.settings.end_s
        if end_s is None:
            return math.inf
        return max(0, round(end_s * self.engine.rate_hz) - self.position)

    def full(self) -> bool:
        """Whether the requested length is reached."""
        return self.room() == 0

    def feed(self, samples: Floats) -> None:
        """Pass audio to the engine, up to the requested end."""
        left = samples[..., : int(min(samples.shape[-1], self.room()))]
        while left.shape[-1]:
            self.tell()
            size = int(min(left.shape[-1], self.until_words()))
            self.state, frames = self.engine.step(self.state, left[..., :size])
            self.position += size
            self.reach()
            self.heard.append(left[..., :size])
            self.keep(frames)
            left = left[..., size:]

    def until_words(self) -> float:
        """Samples until words are due, at least one; infinite if there are none."""
        next_s = self.words.next_s
        if math.isinf(next_s):
            return math.inf
        return max(1, math.ceil(next_s * self.engine.rate_hz - 1e-6) - self.position)

    def tell(self) -> None:
        """Pass the words that are due at this audio time to the engine."""
        self.words, due = self.words.due(self.sound_s)
        if not due:
            return
        if not isinstance(self.engine, TakesWords):
            raise InvalidValueError("there are words, but the engine accepts none")
        for character in range(len(self.words.last_s)):
            if mine := words_of(due, character):
                self.state = self.engine.push_words(self.state, mine, character)

    def reach(self) -> None:
        """Count the words whose time has come."""
        if self.words.ahead_s:
            self.words, count = self.words.forget(self.sound_s)
            self.counts["words"] += count

    def keep(self, frames: PoseFrames) -> None:
        """Record new frames."""
        if len(frames):
            self.made.append(frames)
            self.counts["frames"] += len(frames)
            self.pacing = self.pacing.push(frames)

    def end(self) -> None:
        """Finish the engine."""
        self.keep(self.engine.finish(self.state))
        self.mode, self.state = Mode.ENDED, None

    def result(self) -> tuple[LiveSession, Stepped]:
        """Return the next session and the result of this step."""
        shown: tuple[PoseFrames, ...] = tuple(self.made)
        if not self.pacing.fast:
            until_s = math.inf if self.mode is Mode.ENDED else self.now_s
            self.pacing, frame = self.pacing.due(until_s, self.clock)
            shown = () if frame is None else (frame,)
        counts = self.counts
        counts["shown"] += sum(map(len, shown))
        counts["skipped"] = counts["frames"] - counts["shown"] - len(self.pacing.waiting)
        values = {name: getattr(self, name) for name in _CARRIED}
        session = LiveSession(**values, counts=Counts(**counts))
        made, heard = tuple(self.made), tuple(self.heard)
        return session, Stepped(heard, made, shown, tuple(self.said))


def _shape_audio(samples: Floats, characters: int | None) -> Floats:
    """Audio as the engine takes it: one voice is shared by all characters."""
    if characters is None:
        if samples.ndim == 1:
            return samples
    elif samples.ndim == 1:
        return np.broadcast_to(samples, (characters, len(samples)))
    elif len(samples) == characters:
        return samples
    wanted = "(n)" if characters is None else f"(n) or ({characters}, n)"
    raise InvalidValueError(f"a chunk has shape {samples.shape}, expected {wanted}")
