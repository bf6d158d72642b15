"""A character that moves to a voice while it speaks: sources, engine and outputs put together."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, TextIO, TypeVar

import numpy as np

from kinesphere import __version__
from kinesphere.bodylanguage.live import MOST_CHARACTERS
from kinesphere.bodylanguage.live_expression import LiveExpression
from kinesphere.bodylanguage.live_options import LiveOptions
from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.corpus.profile import Profile
from kinesphere.dynamics import presets
from kinesphere.dynamics.presets import Tension
from kinesphere.errors import InvalidValueError
from kinesphere.expression.manner import manner as read_manner
from kinesphere.expression.qualities import Effort, Shape
from kinesphere.motion.take import Take
from kinesphere.pipeline.live_engine import SpottingEngine, TensedEngine, VoiceEngine
from kinesphere.pipeline.live_microphone import MicrophoneSource
from kinesphere.pipeline.live_pcm import PcmFormat, PcmSource
from kinesphere.pipeline.live_recording import FileSink
from kinesphere.pipeline.live_run import LiveReport, Outputs, prepare, run, settled_memory, warm
from kinesphere.pipeline.live_sinks import VMC, Sink, VmcSink, vmc_address
from kinesphere.pipeline.live_sources import RecordingSource, Source
from kinesphere.pipeline.live_state import Engine, LiveSession, SessionSettings, Stepped
from kinesphere.pipeline.live_terminal import Status, TerminalSink
from kinesphere.pipeline.live_word_sources import (
    UDP,
    FileWords,
    PipeWords,
    UdpWords,
    WordSource,
    udp_address,
)
from kinesphere.pipeline.live_words import due_s
from kinesphere.pipeline.models import model as model_named
from kinesphere.pipeline.output import check_output
from kinesphere.pipeline.speakers import speaker
from kinesphere.speech import keywords
from kinesphere.speech.resampling import SPEECH_RATE_HZ

MICROPHONE, STANDARD_INPUT = "mic", "-"
SCREEN, TERMINAL = "screen", "terminal"
Say = Callable[[str], None]
Quality = TypeVar("Quality", Effort, Shape)
LONGEST_BLOCK_S = 0.02
HOUSE = "house"
SPOTTED_LATE_S = 1.5
"""Phrases are spotted after they were said: their gestures may come so much later."""


@dataclass(frozen=True)
class Hearing:
    """Where the sound comes from, and the words.

    Parameters
    ----------
    sources : ``mic``, ``-`` for standard input, or recordings; several recordings are as many
        voices.
    device : which microphone: a number, or part of its name.
    channels : of the microphone.
    form : of bare samples on standard input.
    words : a file of words with their times, ``udp://HOST:PORT`` to listen on, or ``-`` for
        standard input; None for none.
    """

    sources: tuple[str, ...] = (MICROPHONE,)
    device: int | str | None = None
    channels: int = 1
    form: PcmFormat = field(default_factory=PcmFormat)
    words: str | None = None

    def __post_init__(self) -> None:
        special = {MICROPHONE, STANDARD_INPUT} & set(self.sources)
        if not self.sources or (special and len(self.sources) > 1):
            raise InvalidValueError(
                f"sources {', '.join(self.sources)}; allowed is mic, - or recordings"
            )
        if self.words == STANDARD_INPUT in self.sources:
            raise InvalidValueError("both sound and words from -; allowed is one of them")
        if self.words is not None and self.words.startswith(UDP):
            udp_address(self.words)

    def opened(self, characters: int | None, block_s: float) -> Source:
        """Open the source."""
        if self.sources == (MICROPHONE,):
            return MicrophoneSource(self.device, self.channels, characters, block_s)
        if self.sources == (STANDARD_INPUT,):
            return PcmSource(_standard_input("sound"), self.form, characters, block_s)
        return RecordingSource(self.sources, characters, block_s)

    def words_opened(self, characters: int) -> WordSource | None:
        """Open where words come from, if they do."""
        if self.words is None:
            return None
        if self.words == STANDARD_INPUT:
            return PipeWords(_standard_input("words"), characters)
        if self.words.startswith(UDP):
            return UdpWords(*udp_address(self.words), characters)
        return FileWords(self.words, characters)


def _standard_input(what: str) -> Any:
    """Bytes of standard input, without a buffer: its lock would outlive us in a waiting thread."""
    if sys.stdin is None or sys.stdin.isatty():
        raise InvalidValueError(f"standard input is a terminal; pipe {what} into it")
    return open(sys.stdin.fileno(), "rb", buffering=0, closefd=False)


def expression_of(effort: str = "", shape: str = "", manner: str = "") -> LiveExpression:
    """Effort and Shape as a person writes them; what a manner gives is added to the numbers."""
    own, form = Effort.parse(effort), Shape.parse(shape)
    arms, torso = form, replace(form, reach=0.0)
    if manner:
        meant = read_manner(manner)
        own, arms = _sum(own, meant.effort), _sum(form, meant.shape)
        torso = replace(_sum(form, meant.torso), reach=0.0)
    return LiveExpression(own, arms, torso)


def _sum(a: Quality, b: Quality) -> Quality:
    """Both together, within what is allowed."""
    values = {n: min(1.0, max(-1.0, value + getattr(b, n))) for n, value in vars(a).items()}
    return replace(a, **values)


@dataclass(frozen=True)
class Acting:
    """How the characters move.

    Parameters
    ----------
    model : of body language: a name, a file, or the model itself.
    fps, seed : frames a second; another seed, another performance.
    characters : how many; None for as many as there are voices.
    options : see `LiveOptions`.
    tension : see `dynamics.presets`; None for none on top.
    style : whose gestures go with words.
    keywords : phrases that are spotted in the voice, with thresholds; none if empty.
    """

    model: str | PathLike[str] | BodyLanguageModel = HOUSE
    fps: float = 60.0
    seed: int = 0
    characters: int | None = None
    options: LiveOptions = field(default_factory=LiveOptions)
    tension: Tension | str | None = None
    style: str | PathLike[str] | Profile = "neutral"
    keywords: Mapping[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Of the model."""
        model = self.model
        return model.name if isinstance(model, BodyLanguageModel) else Path(model).name

    def engine(self, characters: int | None) -> Engine:
        """Load the model."""
        tension = presets.parse(self.tension) if isinstance(self.tension, str) else self.tension
        if self.keywords:
            keywords.start(self.keywords, SPEECH_RATE_HZ)  # whether they can be spotted at all
        voice = VoiceEngine(
            model_named(self.model), self.fps, self.seed, characters, self.options,
            profile=speaker(self.style), most_late_s=SPOTTED_LATE_S if self.keywords else None,
        )  # fmt: skip
        return voice if tension is None else TensedEngine(voice, tension)

    def spotting(self, engine: Engine, voices: int | None) -> Engine:
        """Engine that is told the phrases that are spotted, if any are listened for."""
        return SpottingEngine(engine, self.keywords, voices) if self.keywords else engine


@dataclass(frozen=True)
class Showing:
    """Where the frames go.

    Parameters
    ----------
    to : ``terminal``, ``screen`` (a page), ``vmc://HOST:PORT``, or files.
    terminal : to draw on.
    vrm : version of VRM whose face names VMC gets.
    browser : open the page.
    said, written : told sentences, and takes that were written with their paths.
    """

    to: tuple[str, ...] = (TERMINAL,)
    terminal: TextIO = field(default_factory=lambda: sys.stdout)
    vrm: int = 0
    browser: bool = False
    said: Say = print
    written: Callable[[Take, Path], None] = lambda *_: None

    def __post_init__(self) -> None:
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

    def opened(self, engine: Engine, title: str, provenance: Mapping[str, Any]) -> Outputs:
        """Open the outputs."""
        count = engine.characters or 1
        shown: list[Sink] = []
        said = [] if TERMINAL in self.to else [self.said]
        watch = []
        for place in self.to:
            if place.startswith(VMC):
                shown.append(VmcSink(*vmc_address(place), characters=count, vrm=self.vrm))
            elif place == SCREEN:
                from kinesphere.pipeline.live_page import PageSink

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
    """Keeps a terminal's status up to date."""

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
    """Let characters move to a voice until the sound ends, or `seconds` are over, or `stop`.

    Parameters
    ----------
    hearing : where the sound comes from, or its sources alone.
    showing : where the frames go, or their names alone.
    acting : how the characters move.
    fast : take sound as it comes and wait for nothing.
    engine : in place of that of `acting`.

    Raises
    ------
    KinesphereError
        If a source, the model or an output cannot be opened, or a file not be written.
    """
    if not isinstance(hearing, Hearing):
        hearing = Hearing(_names(hearing))
    if not isinstance(showing, Showing):
        showing = Showing(_names(showing))
    acting = acting or Acting()
    if seconds is not None and not 0.0 < seconds < 1e7:
        raise InvalidValueError(f"{seconds:g} seconds, allowed is above 0")
    if engine is None:
        engine = acting.engine(_characters(acting.characters, len(hearing.sources)))
    warm(engine, words=hearing.words is not None or bool(acting.keywords))
    about = {
        "made_by": "live",
        "source": [Path(s).name for s in hearing.sources],
        "model": acting.name,
        "seed": acting.seed,
        "amount": acting.options.amount,
        "version": __version__,
    }
    words = hearing.words_opened(engine.characters or 1)
    opened: list[Source | WordSource] = [] if words is None else [words]
    try:
        if words is not None:
            end_s = math.inf if seconds is None else seconds
            prepare(engine, [said for said in words.known if due_s(said) < end_s], stop)
        source = hearing.opened(engine.characters, block_s(engine))
        opened.append(source)
        engine = acting.spotting(engine, source.voices)
        outputs = showing.opened(engine, source.name, about)
    except BaseException:
        for one in opened:
            one.close()
        raise
    settings = SessionSettings(fast=fast, device=source.device, end_s=seconds)
    with settled_memory():
        return run(engine, source, outputs, settings, stop, words=words)


def _names(given: str | PathLike[str] | Sequence[str | PathLike[str]]) -> tuple[str, ...]:
    if isinstance(given, str | PathLike):
        return (str(given),)
    return tuple(str(one) for one in given)


def _characters(wanted: int | None, sources: int) -> int | None:
    """Characters as the engine takes them: None for one."""
    if sources > 1 and wanted not in (None, sources):
        raise InvalidValueError(
            f"{sources} recordings for {wanted} characters; allowed is one for each"
        )
    count = sources if wanted is None else wanted
    if not 1 <= count <= MOST_CHARACTERS:
        raise InvalidValueError(f"{count} characters, allowed are 1 to {MOST_CHARACTERS}")
    return None if count == 1 else count


def block_s(engine: Engine) -> float:
    """Length of chunks in seconds: none holds two frames, few hold none."""
    return min(math.floor(engine.rate_hz / engine.fps) / engine.rate_hz, LONGEST_BLOCK_S)
