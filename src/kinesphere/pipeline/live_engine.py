"""The engine of a live session: body language from the voice, with tension on top if wanted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from kinesphere.bodylanguage import live
from kinesphere.bodylanguage.live_options import LiveOptions
from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.character.default import default_rig
from kinesphere.dynamics import mass_tracker
from kinesphere.dynamics.mass_tracker import TrackerState
from kinesphere.dynamics.presets import Tension
from kinesphere.dynamics.tensed import wrists_in_chest
from kinesphere.maths.arrays import Floats
from kinesphere.motion.arm_path import soft_reach
from kinesphere.motion.arms import SIDES, ArmMotion, carried, measure_arm, with_arm
from kinesphere.motion.clip import Clip
from kinesphere.pipeline.live_sinks import PoseFrames, PoseSlice, character_slice
from kinesphere.pipeline.live_state import Engine
from kinesphere.speech.resampling import SPEECH_RATE_HZ


@dataclass(frozen=True, eq=False)
class VoiceEngine:
    """`bodylanguage.live` as an `Engine`; see `bodylanguage.live.start` for the parameters."""

    model: BodyLanguageModel
    fps: float = 60.0
    seed: int = 0
    characters: int | None = None
    options: LiveOptions = field(default_factory=LiveOptions)
    rate_hz: float = float(SPEECH_RATE_HZ)

    def start(self) -> live.LiveState:
        """State before the first sample."""
        return live.start(
            self.model,
            self.rate_hz,
            fps=self.fps,
            seed=self.seed,
            characters=self.characters,
            options=self.options,
        )

    def step(self, state: live.LiveState, chunk: Floats) -> tuple[live.LiveState, PoseFrames]:
        """Take samples in."""
        return live.step(state, chunk)

    def finish(self, state: live.LiveState) -> PoseFrames:
        """Frames that were still waiting."""
        return live.finish(state)


class _TensedState(NamedTuple):
    """State of the engine below, and the masses of each character ``[2, 3]`` once it moved."""

    inner: Any
    masses: tuple[TrackerState, ...]


@dataclass(frozen=True, eq=False)
class TensedEngine:
    """An engine whose hands follow as masses on springs: tension without looking ahead.

    No phases are known live, so that all is done as a stroke is. Chunks of any size give the same
    frames, as those of the engine below do.
    """

    engine: Engine
    tension: Tension

    @property
    def rate_hz(self) -> float:
        """Samples a second that it wants."""
        return self.engine.rate_hz

    @property
    def fps(self) -> float:
        """Frames a second that it gives."""
        return self.engine.fps

    @property
    def characters(self) -> int | None:
        """How many characters; None for one, without an axis for them."""
        return self.engine.characters

    def start(self) -> _TensedState:
        """State before the first sample."""
        return _TensedState(self.engine.start(), ())

    def step(self, state: _TensedState, chunk: Floats) -> tuple[_TensedState, PoseFrames]:
        """Take samples in."""
        inner, frames = self.engine.step(state.inner, chunk)
        masses, tensed = self._tensed(state.masses, frames)
        return _TensedState(inner, masses), tensed

    def finish(self, state: _TensedState) -> PoseFrames:
        """Frames that were still waiting."""
        return self._tensed(state.masses, self.engine.finish(state.inner))[1]

    def _tensed(
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


def _clip(frames: PoseSlice, fps: float) -> Clip:
    return Clip(default_rig().skeleton, fps, frames.root_positions, frames.rotations)


def _with_masses(
    clip: Clip, tension: Tension, before: TrackerState | None
) -> tuple[TrackerState, Clip]:
    """Let both wrists of a clip follow as masses; return them as they are at its end."""
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
    """Arm with its wrist where the mass is, within its reach."""
    far = np.linalg.norm(arm.wrists, axis=-1)
    wrists = soft_reach(tracked + arm.wrists - places, arm.limb, far)
    return with_arm(clip, default_rig(), arm.side, carried(arm, wrists), arm.axes)
