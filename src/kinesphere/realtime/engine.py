"""The engine of a live session: body language from the voice, with optional tension.

Phrases spotted in the voice can be passed to it as words, see `SpottingEngine`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from kinesphere.bodylanguage.choose.word_choice import SpokenWord
from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.bodylanguage.play import engine
from kinesphere.bodylanguage.play.live_options import LiveOptions
from kinesphere.character.default import default_rig
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.dynamics.tension import mass_tracker
from kinesphere.dynamics.tension.mass_tracker import TrackerState
from kinesphere.dynamics.tension.presets import Tension
from kinesphere.dynamics.tension.tensed import wrists_in_chest
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, ArmMotion, carry, measure_arm, with_arm
from kinesphere.motion.clip import Clip
from kinesphere.motion.keyed.arm_path import soft_reach
from kinesphere.realtime.sinks.sinks import PoseFrames, PoseSlice, character_slice
from kinesphere.realtime.state import Engine, TakesWords
from kinesphere.realtime.words import estimate_words
from kinesphere.speech.alignment import keywords
from kinesphere.speech.resampling import SPEECH_RATE_HZ


@dataclass(frozen=True, eq=False)
class VoiceEngine:
    """`bodylanguage.play.engine` as an `Engine`; its `start` describes the parameters.

    Parameters
    ----------
    profile : speaker whose gestures are inserted for words; None for no words.
    most_late_s : see `WordSettings`, to allow gestures later after their word.
    """

    model: BodyLanguageModel
    fps: float = 60.0
    seed: int = 0
    characters: int | None = None
    options: LiveOptions = field(default_factory=LiveOptions)
    rate_hz: float = float(SPEECH_RATE_HZ)
    profile: Profile | None = None
    most_late_s: float | None = None

    def start(self) -> engine.LiveState:
        """State before the first sample."""
        state = engine.start(
            self.model,
            self.rate_hz,
            fps=self.fps,
            seed=self.seed,
            characters=self.characters,
            options=self.options,
            profile=self.profile,
        )
        if self.most_late_s is None or state.words is None:
            return state
        settings = replace(state.words.settings, most_late_s=self.most_late_s)
        return replace(state, words=replace(state.words, settings=settings))

    def step(self, state: engine.LiveState, chunk: Floats) -> tuple[engine.LiveState, PoseFrames]:
        """Process samples."""
        return engine.step(state, chunk)

    def finish(self, state: engine.LiveState) -> PoseFrames:
        """Return the remaining frames."""
        return engine.finish(state)

    def push_words(
        self, state: engine.LiveState, words: Sequence[SpokenWord], character: int = 0
    ) -> engine.LiveState:
        """Add words of a character."""
        return engine.push_words(state, words, character)


@dataclass(frozen=True, eq=False)
class _Around:
    """An engine around another one, with the same input and output rates."""

    engine: Engine

    @property
    def rate_hz(self) -> float:
        """Input samples per second."""
        return self.engine.rate_hz

    @property
    def fps(self) -> float:
        """Output frames per second."""
        return self.engine.fps

    @property
    def characters(self) -> int | None:
        """Number of characters; None for one, without an axis for them."""
        return self.engine.characters


class _TensedState(NamedTuple):
    """State of the wrapped engine, and the masses of each character ``[2, 3]`` once it moved."""

    inner: Any
    masses: tuple[TrackerState, ...]


@dataclass(frozen=True, eq=False)
class TensedEngine(_Around):
    """An engine whose hands follow as masses on springs: tension without look-ahead.

    No phases are known live, so that everything is treated as a stroke. Chunks of any size give the
    same frames, as those of the wrapped engine do.
    """

    tension: Tension

    def start(self) -> _TensedState:
        """State before the first sample."""
        return _TensedState(self.engine.start(), ())

    def step(self, state: _TensedState, chunk: Floats) -> tuple[_TensedState, PoseFrames]:
        """Process samples."""
        inner, frames = self.engine.step(state.inner, chunk)
        masses, tensed = self._tense(state.masses, frames)
        return _TensedState(inner, masses), tensed

    def finish(self, state: _TensedState) -> PoseFrames:
        """Return the remaining frames."""
        return self._tense(state.masses, self.engine.finish(state.inner))[1]

    def push_words(
        self, state: _TensedState, words: Sequence[SpokenWord], character: int = 0
    ) -> _TensedState:
        """Add words of a character, if the wrapped engine accepts any."""
        return state._replace(inner=_push_words(self.engine, state.inner, words, character))

    def _tense(
        self, masses: tuple[TrackerState, ...], frames: PoseFrames
    ) -> tuple[tuple[TrackerState, ...], PoseFrames]:
        if not len(frames):
            return masses, frames
        after, rotations = [], []
        for k in range(self.characters or 1):
            known = masses[k] if masses else None
            clip = _clip(character_slice(frames, k), self.fps)
            state, moved = _with_masses(clip, self.tension, known)
            after.append(state)
            rotations.append(moved.rotations)
        turned = np.stack(rotations).reshape(frames.rotations.shape)
        root, channels = frames.root_positions, frames.channels
        return tuple(after), PoseSlice(frames.times_s, root, turned, channels)


class _SpottingState(NamedTuple):
    """State of the wrapped engine, phrase spotters of the voices, samples, last words' starts."""

    inner: Any
    ears: tuple[keywords.KeywordState, ...]
    samples: int
    last_s: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class SpottingEngine(_Around):
    """An engine that receives the phrases spotted in the voices; each state can be used only once.

    Parameters
    ----------
    engine : that accepts words.
    phrases : with their thresholds, see `speech.alignment.keywords`.
    voices : None if all characters share one voice; then it is analysed only once.
    """

    phrases: Mapping[str, float]
    voices: int | None = None

    def start(self) -> _SpottingState:
        """State before the first sample."""
        ears = tuple(keywords.start(self.phrases, self.rate_hz) for _ in range(self.voices or 1))
        return _SpottingState(self.engine.start(), ears, 0, (-np.inf,) * (self.characters or 1))

    def step(self, state: _SpottingState, chunk: Floats) -> tuple[_SpottingState, PoseFrames]:
        """Process samples: voices are analysed in fixed blocks, so that chunks do not matter."""
        parts, rest = [], chunk
        while True:
            size = keywords.BLOCK - state.samples % keywords.BLOCK
            state, frames = self._piece(state, rest[..., :size])
            parts.append(frames)
            rest = rest[..., size:]
            if not rest.shape[-1]:
                return state, join_frames(parts)

    def _piece(self, state: _SpottingState, chunk: Floats) -> tuple[_SpottingState, PoseFrames]:
        inner, frames = self.engine.step(state.inner, chunk)
        rows = chunk if self.voices is not None else chunk.reshape(-1, chunk.shape[-1])[:1]
        heard = [keywords.step(ear, row) for ear, row in zip(state.ears, rows, strict=True)]
        samples = state.samples + chunk.shape[-1]
        state = _SpottingState(inner, tuple(ear for ear, _ in heard), samples, state.last_s)
        for voice, (_, found) in enumerate(heard):
            told = range(len(state.last_s)) if self.voices is None else (voice,)
            for spotted in found:
                words = estimate_words(*spotted)
                for character in told:
                    state = self.push_words(state, words, character)
        return state, frames

    def finish(self, state: _SpottingState) -> PoseFrames:
        """Return the remaining frames."""
        return self.engine.finish(state.inner)

    def push_words(
        self, state: _SpottingState, words: Sequence[SpokenWord], character: int = 0
    ) -> _SpottingState:
        """Add words of a character, except those before its last known word."""
        if not words or words[0].start_s < state.last_s[character]:
            return state
        last_s = list(state.last_s)
        last_s[character] = words[-1].start_s
        inner = _push_words(self.engine, state.inner, words, character)
        return state._replace(inner=inner, last_s=tuple(last_s))


def _push_words(engine: Engine, state: Any, words: Sequence[SpokenWord], character: int) -> Any:
    if not isinstance(engine, TakesWords):
        raise InvalidValueError("there are words, but the engine accepts none")
    return engine.push_words(state, words, character)


def join_frames(parts: Sequence[PoseFrames]) -> PoseFrames:
    """Concatenate frames."""
    if len(parts) == 1:
        return parts[0]
    return PoseSlice(
        np.concatenate([p.times_s for p in parts]),
        np.concatenate([p.root_positions for p in parts], axis=-2),
        np.concatenate([p.rotations for p in parts], axis=-3),
        {n: np.concatenate([p.channels[n] for p in parts], axis=-1) for n in parts[0].channels},
    )


def _clip(frames: PoseSlice, fps: float) -> Clip:
    return Clip(default_rig().skeleton, fps, frames.root_positions, frames.rotations)


def _with_masses(
    clip: Clip, tension: Tension, before: TrackerState | None
) -> tuple[TrackerState, Clip]:
    """Let both wrists of a clip follow as masses; return their final state."""
    rig = default_rig()
    arms = [measure_arm(clip, rig, side) for side in SIDES]
    places = np.stack([wrists_in_chest(clip, rig, arm) for arm in arms], axis=1)
    first = mass_tracker.start(places[0]) if before is None else before
    targets = np.concatenate([first.target[None], places]) if before is not None else places
    stroke = tension.stroke
    states = mass_tracker.track(
        targets, clip.fps, stroke.rest_error_m, stroke.zeta, feedforward=True, initial=first
    )
    tracked = states.position[-len(clip) :]
    for i, arm in enumerate(arms):
        clip = _with_wrists(clip, arm, tracked[:, i], places[:, i])
    return states.at(-1), clip


def _with_wrists(clip: Clip, arm: ArmMotion, tracked: Floats, places: Floats) -> Clip:
    """Arm with its wrist at the mass, within its reach."""
    far = np.linalg.norm(arm.wrists, axis=-1)
    wrists = soft_reach(tracked + arm.wrists - places, arm.limb, far)
    return with_arm(clip, default_rig(), arm.side, carry(arm, wrists), arm.axes)
