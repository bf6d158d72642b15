"""Live animation from a voice: sources, engine and outputs combined."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from kinesphere import __version__
from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.bodylanguage.play.engine import MOST_CHARACTERS
from kinesphere.bodylanguage.play.live_options import LiveOptions
from kinesphere.errors import InvalidValueError
from kinesphere.export.output import check_output
from kinesphere.motion.take import Take
from kinesphere.pipeline.stages.cast import Cast
from kinesphere.pipeline.stages.direct import tension_of_speaker
from kinesphere.pipeline.stages.direction import Direction, tension_of
from kinesphere.pipeline.stages.staging import Staging
from kinesphere.pipeline.stages.table_values import check_kind, check_type
from kinesphere.realtime.engine import SpottingEngine, TensedEngine, VoiceEngine
from kinesphere.realtime.run import LiveReport, Outputs, freeze_memory, prepare, run, warm
from kinesphere.realtime.sinks.file_sink import FileSink
from kinesphere.realtime.sinks.sinks import VMC, Sink, VmcSink, vmc_address
from kinesphere.realtime.sinks.terminal import Status, TerminalSink
from kinesphere.realtime.sources.microphone import MicrophoneSource
from kinesphere.realtime.sources.pcm import PcmFormat, PcmSource
from kinesphere.realtime.sources.sources import RecordingSource, Source
from kinesphere.realtime.sources.word_sources import (
    UDP,
    FileWords,
    PipeWords,
    UdpWords,
    WordSource,
    udp_address,
)
from kinesphere.realtime.state import Engine, LiveSession, SessionSettings, Stepped
from kinesphere.realtime.words import due_s
from kinesphere.speech.alignment import keywords
from kinesphere.speech.resampling import SPEECH_RATE_HZ

MICROPHONE, STANDARD_INPUT = "mic", "-"
SCREEN, TERMINAL = "screen", "terminal"
Say = Callable[[str], None]
LONGEST_BLOCK_S = 0.02
SPOTTED_LATE_S = 1.5
"""Phrases are spotted after they were spoken: their gestures may be this much later."""


@dataclass(frozen=True)
class Hearing:
    """Sources of audio and words.

    Parameters
    ----------
    sources : ``mic``, ``-`` for standard input, or recordings; each of several recordings is one
        voice.
    device : which microphone: a number, or part of its name.
    channels : of the microphone.
    form : of raw samples on standard input.
    words : a file of words with times, ``udp://HOST:PORT`` to listen on, or ``-`` for
        standard input; None for none.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.Hearing(("host.wav", "guest.wav"), words="udp://:9000").sources  # two voices
    ('host.wav', 'guest.wav')
    """

    sources: tuple[str, ...] = (MICROPHONE,)
    device: int | str | None = None
    channels: int = 1
    form: PcmFormat = field(default_factory=PcmFormat)
    words: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "sources", _names(self.sources, "the source"))
        special = {MICROPHONE, STANDARD_INPUT} & set(self.sources)
        if not self.sources or (special and len(self.sources) > 1):
            raise InvalidValueError(
                f"sources {', '.join(self.sources)}; allowed is mic, - or recordings"
            )
        if self.words == STANDARD_INPUT in self.sources:
            raise InvalidValueError("both audio and words from -; allowed is one of them")
        if self.words is not None and self.words.startswith(UDP):
            udp_address(self.words)

    def open_source(self, characters: int | None, block_s: float) -> Source:
        """Open the source."""
        if self.sources == (MICROPHONE,):
            return MicrophoneSource(self.device, self.channels, characters, block_s)
        if self.sources == (STANDARD_INPUT,):
            return PcmSource(_standard_input("sound"), self.form, characters, block_s)
        return RecordingSource(self.sources, characters, block_s)

    def open_words(self, characters: int) -> WordSource | None:
        """Open the source of words, if there is one."""
        if self.words is None:
            return None
        if self.words == STANDARD_INPUT:
            return PipeWords(_standard_input("words"), characters)
        if self.words.startswith(UDP):
            return UdpWords(*udp_address(self.words), characters)
        return FileWords(self.words, characters)


def _standard_input(what: str) -> Any:
    """Bytes of standard input, unbuffered: a buffer's lock would stay held in a waiting thread."""
    if sys.stdin is None or sys.stdin.isatty():
        raise InvalidValueError(f"standard input is a terminal; pipe {what} into it")
    return open(sys.stdin.fileno(), "rb", buffering=0, closefd=False)


@dataclass(frozen=True)
class Acting:
    """Who moves live, and how.

    Parameters
    ----------
    direction : Effort, Shape and manner as far as they work live, tension, and amount: amplitude.
    cast : its model, speakers, style, fps and seed are used.
    characters : how many; None for one per voice.
    delay_s : look-ahead: delay of frames behind the audio.
    word_gestures : proportion of words with a known meaning that get a gesture.
    keywords : phrases that are spotted in the voice, with thresholds; none if empty.

    Examples
    --------
    >>> import kinesphere as ks
    >>> acting = ks.Acting(ks.Direction(tension="relaxed", amount=0.5), ks.Cast(fps=30.0, seed=3))
    >>> acting.name, acting.options.amount
    ('house', 0.5)
    """

    direction: Direction = field(default_factory=Direction)
    cast: Cast = field(default_factory=Cast)
    characters: int | None = None
    delay_s: float = 0.0
    word_gestures: float = 0.7
    keywords: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        Staging(self.direction, self.cast)  # checks their types
        if self.characters is not None:
            check_kind("characters", self.characters, 1)
        for name in ("delay_s", "word_gestures"):
            check_kind(name, getattr(self, name), 1.0)

    @property
    def options(self) -> LiveOptions:
        """Options of the engine."""
        return LiveOptions(
            speakers=self.cast.speakers,
            amount=self.direction.amount,
            delay_s=self.delay_s,
            paper=self.cast.paper,
            word_gestures=self.word_gestures,
            expression=self.direction.live(),
            stance=self.cast.performer.stance,
        )

    @property
    def name(self) -> str:
        """Name of the model."""
        model = self.cast.model
        return model.name if isinstance(model, BodyLanguageModel) else Path(model).name

    def engine(self, characters: int | None = None) -> Engine:
        """Load the model."""
        tension = self.direction.tension
        if tension is None and self.direction.physics == "wrists":
            tension = tension_of_speaker(self.cast.profile)
        if self.keywords:
            keywords.start(self.keywords, SPEECH_RATE_HZ)  # fails early if they cannot be spotted
        voice = VoiceEngine(
            self.cast.body_language,
            self.cast.fps,
            self.cast.seed,
            characters,
            self.options,
            profile=self.cast.profile,
            most_late_s=SPOTTED_LATE_S if self.keywords else None,
        )
        return voice if tension is None else TensedEngine(voice, tension_of(tension))

    def spotting(self, engine: Engine, voices: int | None) -> Engine:
        """Engine that receives the spotted phrases, if there are keywords."""
        return SpottingEngine(engine, self.keywords, voices) if self.keywords else engine


@dataclass(frozen=True)
class Showing:
    """Outputs of the frames.

    Parameters
    ----------
    to : ``terminal``, ``screen`` (a browser page), ``vmc://HOST:PORT``, or files.
    terminal : stream to draw on.
    vrm : version of VRM whose face names VMC gets.
    browser : open the page.
    said, written : called with messages, and with written takes and their paths.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.Showing(("vmc://127.0.0.1:39539", "session.kin")).files
    ('session.kin',)
    """

    to: tuple[str, ...] = (TERMINAL,)
    terminal: TextIO = field(default_factory=lambda: sys.stdout)
    vrm: int = 0
    browser: bool = False
    said: Say = print
    written: Callable[[Take, Path], None] = lambda *_: None

    def __post_init__(self) -> None:
        object.__setattr__(self, "to", _names(self.to, "the output"))
        if not self.to:
            raise InvalidValueError("no output; allowed are terminal, screen, vmc:// and files")
        for place in self.to:
            if place.startswith(VMC):
                vmc_address(place)
            elif place not in (SCREEN, TERMINAL):
                check_output(place)

    @property
    def files(self) -> tuple[str, ...]:
        """Outputs that are files."""
        return tuple(p for p in self.to if p not in (SCREEN, TERMINAL) and not p.startswith(VMC))

    def open_outputs(self, engine: Engine, title: str, provenance: Mapping[str, Any]) -> Outputs:
        """Open the outputs."""
        count = engine.characters or 1
        shown: list[Sink] = []
        said = [] if TERMINAL in self.to else [self.said]
        watch = []
        for place in self.to:
            if place.startswith(VMC):
                shown.append(VmcSink(*vmc_address(place), characters=count, vrm=self.vrm))
            elif place == SCREEN:
                from kinesphere.realtime.sinks.page import PageSink

                page = PageSink(characters=count, open_browser=self.browser, title=title)
                self.said(f"the character is at {page.address}")
                shown.append(page)
                said.append(page.note)
            elif place == TERMINAL:
                view = TerminalSink(self.terminal, count)
                shown.append(view)
                said.append(view.say)
                watch.append(_Watch(view))
        kept = []
        if self.files:
            rate_hz = engine.rate_hz
            kept = [FileSink(self.files, engine.fps, rate_hz, count, provenance, self.written)]
        return Outputs(shown, kept, said, watch)


class _Watch:
    """Keeps a terminal's status line up to date."""

    def __init__(self, view: TerminalSink) -> None:
        self._view = view
        self._level = 0.0

    def __call__(self, session: LiveSession, stepped: Stepped, latency_s: float) -> None:
        for samples in stepped.heard:
            loud = float(np.sqrt(np.mean(np.square(samples[..., -1600:]))))
            self._level = max(loud, 0.8 * self._level)
        mode = session.mode.value
        self._view.status = Status(session.sound_s, mode, self._level, latency_s)


def live(
    hearing: Hearing | str | PathLike[str] | Sequence[str | PathLike[str]],
    showing: Showing | str | Sequence[str],
    acting: Acting | None = None,
    *,
    seconds: float | None = None,
    fast: bool = False,
    engine: Engine | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> LiveReport:
    """Animate characters from a voice until the audio ends, `seconds` have passed, or `stop`.

    Parameters
    ----------
    hearing : sources of audio and words, or audio sources alone.
    showing : outputs, or their names alone.
    acting : how the characters move.
    fast : process audio as fast as possible, not in real time.
    engine : used instead of that of `acting`.

    Raises
    ------
    KinesphereError
        If a source, the model or an output cannot be opened, or a file cannot be written.

    Examples
    --------
    >>> import kinesphere as ks
    >>> ks.perform("This is huge!").save("talk.bvh")  # writes talk.wav beside it
    >>> report = ks.live("talk.wav", "moved.bvh", fast=True)  # "mic" for a microphone
    >>> report.counts.frames == len(ks.load("moved.bvh").clip)
    True
    """
    if not isinstance(hearing, Hearing):
        hearing = Hearing(_names(hearing, "the source"))
    if not isinstance(showing, Showing):
        showing = Showing(_names(showing, "the output"))
    acting = Acting() if acting is None else acting
    check_type("acting", acting, Acting, "an Acting, with direction and cast")
    if seconds is not None:
        check_kind("seconds", seconds, 1.0)
        if not 0.0 < seconds < 1e7:
            raise InvalidValueError(f"{seconds:g} seconds, allowed is above 0")
    if engine is None:
        engine = acting.engine(_characters(acting.characters, len(hearing.sources)))
    warm(engine, words=hearing.words is not None or bool(acting.keywords))
    about = {
        "made_by": "live",
        "source": [Path(s).name for s in hearing.sources],
        "model": acting.name,
        "seed": acting.cast.seed,
        "amount": acting.direction.amount,
        "version": __version__,
    }
    words = hearing.open_words(engine.characters or 1)
    opened: list[Source | WordSource] = [] if words is None else [words]
    try:
        if words is not None:
            end_s = math.inf if seconds is None else seconds
            prepare(engine, [said for said in words.known if due_s(said) < end_s], stop)
        source = hearing.open_source(engine.characters, block_s(engine))
        opened.append(source)
        engine = acting.spotting(engine, source.voices)
        outputs = showing.open_outputs(engine, source.name, about)
    except BaseException:
        for one in opened:
            one.close()
        raise
    settings = SessionSettings(fast=fast, device=source.device, end_s=seconds)
    with freeze_memory():
        return run(engine, source, outputs, settings, stop, words=words)


def _names(
    given: str | PathLike[str] | Sequence[str | PathLike[str]], what: str
) -> tuple[str, ...]:
    if isinstance(given, str | PathLike):
        return (str(given),)
    check_type(what, given, Sequence, "a name, or several")
    return tuple(str(one) for one in given)


def _characters(wanted: int | None, sources: int) -> int | None:
    """Number of characters as the engine takes it: None for one."""
    if sources > 1 and wanted not in (None, sources):
        raise InvalidValueError(
            f"{sources} recordings for {wanted} characters; allowed is one for each"
        )
    count = sources if wanted is None else wanted
    if not 1 <= count <= MOST_CHARACTERS:
        raise InvalidValueError(f"{count} characters, allowed are 1 to {MOST_CHARACTERS}")
    return None if count == 1 else count


def block_s(engine: Engine) -> float:
    """Chunk length in seconds: at most one frame per chunk, and few chunks without."""
    return min(math.floor(engine.rate_hz / engine.fps) / engine.rate_hz, LONGEST_BLOCK_S)
