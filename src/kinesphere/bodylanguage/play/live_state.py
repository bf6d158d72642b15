"""State and output of live characters; `engine` starts and advances them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from kinesphere.animation.face.live_mouth import MouthQueue
from kinesphere.animation.face.mouth import MouthState
from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.bodylanguage.play.figure_posing import ArmsState
from kinesphere.bodylanguage.play.layering import ActivityState
from kinesphere.bodylanguage.play.listening_state import ListeningState
from kinesphere.bodylanguage.play.live_options import LiveOptions, OptionsTransition
from kinesphere.bodylanguage.play.segment_playback import Change, SegmentsState
from kinesphere.bodylanguage.play.word_gestures import WordsState
from kinesphere.figure.arms.resting_hands import RestingHandsState
from kinesphere.figure.head.eyes import EyesState
from kinesphere.figure.standing.body import BodyState
from kinesphere.maths.arrays import Floats
from kinesphere.speech.prosody.prosody import ProsodyState


@dataclass(frozen=True, eq=False)
class LiveFrames:
    """Output of a step: frames of the default figure, with an axis for characters if several.

    Parameters
    ----------
    times_s : ``[frames]`` of the audio that they belong to.
    root_positions : ``[(characters,) frames, 3]``.
    rotations : ``[(characters,) frames, joints, 4]`` in the parent's frame.
    channels : face curves ``[(characters,) frames]``.
    changes : segments that started, per character.
    activity : ``[(characters,) frames, 3]`` gesture activity of head, arms and lower body, from 0
        at rest to 1: for layering on another animation.
    """

    times_s: Floats
    root_positions: Floats
    rotations: Floats
    channels: Mapping[str, Floats]
    changes: tuple[tuple[Change, ...], ...]
    activity: Floats

    def __len__(self) -> int:
        return len(self.times_s)


class VoiceAnalysis(NamedTuple):
    """Analysis of the voices, shared by body, face and eyes."""

    prosody: ProsodyState
    mouth: MouthState


class FaceState(NamedTuple):
    """Face and eyes.

    Parameters
    ----------
    mouth : shapes that belong to later frames.
    eyes : gaze, blinks and brows.
    heard_s : seconds of the frames' time from an event's issue to when it is known for any chunk
        size; negative for frames that are later than their sound.
    """

    mouth: MouthQueue
    eyes: EyesState
    heard_s: float


@dataclass(frozen=True, eq=False)
class LiveState:
    """State of the characters; made by `engine.start`, immutable.

    Parameters
    ----------
    model : of the body language.
    rate_hz, fps : of samples and frames.
    characters : how many; None for one, without an axis for it.
    seeds : of each character.
    transition : current and previous options.
    samples, frames : how many were received and output.
    words : gestures for words; None without a speaker's profile.
    """

    model: BodyLanguageModel
    rate_hz: float
    fps: float
    characters: int | None
    seeds: tuple[int, ...]
    transition: OptionsTransition
    samples: int
    frames: int
    voice: VoiceAnalysis
    listening: ListeningState
    segments: SegmentsState
    body: BodyState
    arms: ArmsState
    hands: RestingHandsState
    face: FaceState
    activity: ActivityState
    words: WordsState | None

    @property
    def options(self) -> LiveOptions:
        """Current options."""
        return self.transition.now

    @property
    def delay_s(self) -> float:
        """Delay of a frame behind its audio."""
        return self.options.delay_s

    @property
    def axis(self) -> tuple[int, ...]:
        """Leading axis of inputs and outputs: empty, or the number of characters."""
        return () if self.characters is None else (len(self.seeds),)
