"""A live session in real time: read a source, step the session, pass frames to the sinks."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from kinesphere.bodylanguage.choose.word_choice import SpokenWord
from kinesphere.errors import KinesphereError
from kinesphere.realtime.session import begin, step
from kinesphere.realtime.sinks.file_sink import FileSink
from kinesphere.realtime.sinks.sinks import Sink
from kinesphere.realtime.sources.sources import Source
from kinesphere.realtime.sources.word_sources import WordSource
from kinesphere.realtime.state import (
    Arrival,
    Chunk,
    Counts,
    Engine,
    LiveSession,
    Mode,
    SessionSettings,
    Signal,
    Stepped,
    TakesWords,
)
from kinesphere.realtime.words import NONE_MALFORMED, Malformed, SaidWord, portions, words_of

_LONGEST_WAIT_S = 0.02
_FAST_WAIT_S = 0.2
_LONGEST_CHUNK_S = 0.25


class Latencies:
    """Latency histogram from chunk to frames, with fixed classes, so that memory is bounded."""

    _FIRST_S, _LAST_S, _CLASSES = 1e-5, 1e2, 700  # 2.3 percent apart

    def __init__(self) -> None:
        self._counts = np.zeros(self._CLASSES, dtype=np.int64)
        self.last_s = 0.0

    def __len__(self) -> int:
        return int(self._counts.sum())

    def add(self, seconds: float) -> None:
        """Count one."""
        self.last_s = max(seconds, 0.0)
        span = math.log(self._LAST_S / self._FIRST_S)
        share = math.log(max(seconds, self._FIRST_S) / self._FIRST_S) / span
        self._counts[min(int(share * self._CLASSES), self._CLASSES - 1)] += 1

    def quantile(self, share: float) -> float:
        """Quantile in seconds, to 2.3 percent; NaN without any."""
        total = len(self)
        if not total:
            return math.nan
        place = int(np.searchsorted(np.cumsum(self._counts), share * total))
        return float(
            self._FIRST_S * (self._LAST_S / self._FIRST_S) ** ((place + 1) / self._CLASSES)
        )


@dataclass(frozen=True)
class LiveReport:
    """Summary of a session.

    Parameters
    ----------
    counts : of chunks, frames, gaps and losses.
    sound_s : length of the audio, silence included.
    drift_ppm : how much faster the audio clock is than the system's; NaN if unknown.
    median_s, p99_s : from a chunk's arrival to the output of its frames, NaN without frames.
    malformed : lines of words that could not be parsed.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.perform("This is huge!").save("talk.bvh")  # writes talk.wav beside it
    >>> report = ks.live("talk.wav", "moved.bvh", fast=True)
    >>> report.counts.skipped, report.sound_s > 2.0
    (0, True)
    """

    counts: Counts
    sound_s: float
    drift_ppm: float
    median_s: float
    p99_s: float
    malformed: Malformed = NONE_MALFORMED

    def lines(self) -> list[str]:
        """Return the summary as text; problems that did not occur are omitted."""
        c, wrong = self.counts, self.malformed
        first = f"{self.sound_s:.1f} s of audio, {c.frames} frames"
        first += f", {c.words} words" if c.words else ""
        if not math.isnan(self.median_s):
            first += (
                f"; chunk to frame {1e3 * self.median_s:.1f} ms (median), "
                f"{1e3 * self.p99_s:.1f} ms (99th percentile)"
            )
        troubles = {
            f"{c.gaps} gaps, filled with {c.filled_s:.2f} s of silence": c.gaps,
            f"{c.late_s:.2f} s of audio too late": c.late_s,
            f"{c.cut_s:.1f} s of time skipped": c.cut_s,
            f"{c.silent_s:.1f} s of silence while no audio arrived": c.silent_s,
            f"device lost {c.losses} times": c.losses,
            f"{c.skipped} frames too old to be shown": c.skipped,
            f"{c.late_words} words too late": c.late_words,
            f"{c.disordered_words} words out of order": c.disordered_words,
            f"{c.lost_words} words too many or too far ahead": c.lost_words,
            f"{wrong.count} invalid lines of words: {wrong.first}": wrong.count,
        }
        facts = [text for text, count in troubles.items() if count] or ["nothing was dropped"]
        if not math.isnan(self.drift_ppm):
            facts.append(f"the audio clock drifts by {self.drift_ppm:+.0f} ppm")
        return [first, "; ".join(facts)]


@dataclass
class Outputs:
    """Sinks of the frames.

    Parameters
    ----------
    shown : sinks for display: the newest frame, evenly spaced.
    kept : sinks for every frame and the audio.
    said : called with every message for the user.
    watch : called after each step with values for a view; the last is the latency.
    """

    shown: Sequence[Sink] = ()
    kept: Sequence[FileSink] = ()
    said: Sequence[Callable[[str], None]] = ()
    watch: Sequence[Callable[[LiveSession, Stepped, float], None]] = ()


def run(
    engine: Engine,
    source: Source,
    outputs: Outputs,
    settings: SessionSettings | None = None,
    stop: Callable[[], bool] = lambda: False,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
    words: WordSource | None = None,
) -> LiveReport:
    """Run a session until the audio ends, the requested time has passed, or `stop` is true.

    Sinks are always closed, so that files are written; an error is raised after that.
    """
    live = _Live(engine, source, outputs, settings or SessionSettings(), clock, sleep, words)
    try:
        while live.session.mode is not Mode.ENDED:
            live.take(Signal.END if stop() else live.next())
    finally:
        live.close()
    return live.report()


def warm(engine: Engine, words: bool = False) -> None:
    """Compile what an engine needs, so that the first audio is not delayed.

    Parameters
    ----------
    words : whether there will be words, too.
    """
    rows = () if engine.characters is None else (engine.characters,)
    silence = np.zeros((*rows, round(0.1 * engine.rate_hz)))
    state = engine.start()
    if words and isinstance(engine, TakesWords):
        state = engine.push_words(state, [SpokenWord("hello", 0.0, 0.3)], 0)
    for _ in range(3):
        state, _ = engine.step(state, silence)
    engine.finish(state)


def prepare(
    engine: Engine, words: Iterable[SaidWord], stop: Callable[[], bool] = lambda: False
) -> None:
    """Prepare the gestures of words that are known beforehand.

    A gesture's first use takes 0.1 s or more, which would delay frames. Words are passed to a
    separate state as in a session, so that the same gestures are planned.

    Parameters
    ----------
    words : in order of time.
    stop : checked between portions; what is not prepared then is computed on first use.
    """
    if not isinstance(engine, TakesWords):
        return
    state = engine.start()
    for portion in portions(words):
        for character in range(engine.characters or 1):
            if mine := words_of(portion, character):
                state = engine.push_words(state, mine, character)
        if stop():
            return


@contextmanager
def freeze_memory() -> Iterator[None]:
    """Exclude everything in memory now from garbage collections, which would take 0.1 s each."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@dataclass
class _Live:
    """The loop and its state; `ahead` was read together with what came before it."""

    engine: Engine
    source: Source
    outputs: Outputs
    settings: SessionSettings
    clock: Callable[[], float]
    sleep: Callable[[float], None]
    words: WordSource | None = None
    latencies: Latencies = field(default_factory=Latencies)
    ahead: Arrival = None

    def __post_init__(self) -> None:
        self.session = begin(self.engine, self.clock(), self.settings)

    def next(self) -> Arrival:
        """Return what arrives next, waiting no longer than the next frame may."""
        if self.ahead is not None:
            arrival, self.ahead = self.ahead, None
            return arrival
        session, now_s = self.session, self.clock()
        if session.wants_reopening(now_s):
            return self.source.reopen()
        if self.settings.fast:
            return self._with_more(self.source.read(_FAST_WAIT_S), math.inf)
        until_s = min(session.pacing.next_s(session.clock), now_s + _LONGEST_WAIT_S)
        if not self.source.paced:
            return self.source.read(max(0.0, until_s - now_s))
        due_s = session.due_s(self.source.block_s)
        if due_s > now_s:
            self.sleep(max(0.0, min(due_s, until_s) - now_s))
            return self.source.read(0.0) if self.clock() >= due_s else None
        return self._with_more(self.source.read(max(0.0, until_s - now_s)), now_s - due_s)

    def _with_more(self, first: Arrival, behind_s: float) -> Arrival:
        """Join a chunk with those after it that are due, too: long chunks are processed faster."""
        if not isinstance(first, Chunk):
            return first
        parts, length = [first], first.samples.shape[-1]
        while length < min(behind_s, _LONGEST_CHUNK_S) * self.engine.rate_hz:
            more = self.source.read(0.0)
            if not isinstance(more, Chunk):
                self.ahead = more
                break
            parts.append(more)
            length += more.samples.shape[-1]
        if len(parts) == 1:
            return first
        samples = np.concatenate([part.samples for part in parts], axis=-1)
        return replace(first, samples=samples, queued_s=parts[-1].queued_s)

    def take(self, arrival: Arrival) -> None:
        """Step, and pass the frames on: first to the display sinks."""
        now_s = self.clock()
        self.session, stepped = step(self.session, now_s, arrival, self.poll_words(now_s))
        for frames in stepped.shown:
            for sink in self.outputs.shown:
                sink.send(frames)
        if isinstance(arrival, Chunk) and arrival.arrived_s is not None and stepped.made:
            self.latencies.add(self.clock() - arrival.arrived_s)
        for file in self.outputs.kept:
            for samples in stepped.heard:
                file.hear(samples)
            for frames in stepped.made:
                file.send(frames)
        for tell in self.outputs.said:
            for text in stepped.said:
                tell(text)
        for look in self.outputs.watch:
            look(self.session, stepped, self.latencies.last_s)

    def poll_words(self, now_s: float) -> Sequence[SaidWord]:
        """Words that arrived by a wall time."""
        if self.words is None:
            return ()
        sound_s = self.session.sound_s
        if not self.settings.fast:
            sound_s = max(sound_s, self.session.clock.sound_at(now_s))
        return self.words.poll(sound_s)

    def close(self) -> None:
        """Close everything; the first error is raised at the end."""
        self.source.close()
        if self.words is not None:
            self.words.close()
        errors: list[KinesphereError] = []
        for sink in (*self.outputs.shown, *self.outputs.kept):
            try:
                sink.close()
            except KinesphereError as error:
                errors.append(error)
        if errors:
            raise errors[0]

    def report(self) -> LiveReport:
        """Summary of the session."""
        session = self.session
        return LiveReport(
            session.counts,
            session.sound_s,
            session.clock.drift_ppm if session.clock.measured else math.nan,
            self.latencies.quantile(0.5),
            self.latencies.quantile(0.99),
            NONE_MALFORMED if self.words is None else self.words.malformed,
        )
