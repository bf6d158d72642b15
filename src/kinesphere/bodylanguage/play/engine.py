"""Live animation of characters from voices: ``step(state, chunk) -> (state, frames)``.

One state holds any number of characters, each with its own voice and seed; a character's motion
depends neither on the others nor on chunk boundaries. Prosody is analysed once for body, face and
eyes. A frame of time ``t`` is output as soon as the samples up to ``t`` (plus the chosen delay)
have arrived; there is no further look-ahead, and memory is bounded.

A step listens (`listening_state`), chooses and plays segments (`segment_playback`), poses the
figures (`figure_posing`), and adds gestures for words, face and eyes. Files, microphones and
sockets are handled elsewhere: see `realtime.session`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.animation.arms.poses.rest_table import waiting_table
from kinesphere.animation.face import live_mouth, mouth
from kinesphere.animation.face.live_mouth import MouthQueue
from kinesphere.bodylanguage.choose.word_choice import SpokenWord
from kinesphere.bodylanguage.model import BodyLanguageModel
from kinesphere.bodylanguage.play import layering, word_gestures
from kinesphere.bodylanguage.play.figure_posing import ArmsState, FigurePoser, Homes
from kinesphere.bodylanguage.play.listening_state import HOME_AFTER_S, NEAR, ListeningState
from kinesphere.bodylanguage.play.live_options import CHANGE_S, LiveOptions, OptionsTransition
from kinesphere.bodylanguage.play.live_state import FaceState, LiveFrames, LiveState, VoiceAnalysis
from kinesphere.bodylanguage.play.segment_playback import (
    Change,
    SegmentRun,
    SegmentsState,
    choosers_of,
    play_choices,
)
from kinesphere.bodylanguage.play.word_gestures import WordSettings
from kinesphere.bodylanguage.streams import STREAMS
from kinesphere.character.default import default_rig
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.errors import InvalidValueError
from kinesphere.figure.arms import resting_hands
from kinesphere.figure.head import eyes
from kinesphere.figure.head.eyes import EyeFrames, EyesState
from kinesphere.figure.head.gaze_cues import KNOWN_S, heard_cues
from kinesphere.figure.standing import body as figure_body
from kinesphere.figure.standing.stance import stance_of
from kinesphere.maths.arrays import Floats, read_only
from kinesphere.maths.bounds import check_range
from kinesphere.speech.prosody import prosody
from kinesphere.speech.prosody.observation import Observation

MOST_CHARACTERS = 1000
LARGEST_SEED = (1 << 63) - 1


def start(
    model: BodyLanguageModel,
    rate_hz: float,
    *,
    fps: float = 60.0,
    seed: int | Sequence[int] = 0,
    characters: int | None = None,
    options: LiveOptions | None = None,
    profile: Profile | None = None,
) -> LiveState:
    """State before the first sample; chunks are ``[n]``, or ``[characters, n]``.

    Parameters
    ----------
    seed : one for all characters, from which each gets its own, or one for each.
    profile : speaker whose gestures are inserted for words, see `push_words`; None for no words.

    Raises
    ------
    InvalidValueError
        If a rate, a seed or the number of characters is not allowed.
    """
    check_range("fps", fps, 1.0, 1000.0)
    seeds = _seeds(seed, 1 if characters is None else characters)
    rate_hz, fps, chosen = float(rate_hz), float(fps), options or LiveOptions()
    heard = VoiceAnalysis(
        prosody.start(rate_hz, voices=characters),
        mouth.start(rate_hz, mouth.HearingSettings(fps=fps), voices=characters),
    )
    words = None
    if profile is not None:
        settings = WordSettings(rate=chosen.word_gestures)
        words = word_gestures.start(profile, fps, seeds, settings=settings)
    return LiveState(
        model=model,
        rate_hz=rate_hz,
        fps=fps,
        characters=characters,
        seeds=seeds,
        transition=OptionsTransition(chosen, chosen, -1e9),
        samples=0,
        frames=0,
        voice=heard,
        listening=ListeningState.of(len(seeds)),
        segments=SegmentsState.first(model, chosen, seeds, fps),
        body=figure_body.start(fps, seeds, [stance_of(chosen.stance, s) for s in seeds]),
        arms=ArmsState.of(len(seeds)),
        hands=resting_hands.start(fps, np.array(seeds), waiting_table()),
        face=FaceState(
            live_mouth.start(heard.mouth, int(chosen.delay_s * fps + NEAR)),
            eyes.start(np.array(seeds)),
            heard.prosody.latency_s + KNOWN_S - chosen.delay_s,
        ),
        activity=layering.start(fps, len(seeds)),
        words=words,
    )


def _seeds(seed: int | Sequence[int], count: int) -> tuple[int, ...]:
    """Seed of each character."""
    if not 1 <= count <= MOST_CHARACTERS:
        raise InvalidValueError(f"{count} characters, allowed are 1 to {MOST_CHARACTERS}")
    seeds = tuple(seed + i for i in range(count)) if isinstance(seed, int) else tuple(seed)
    if len(seeds) != count:
        raise InvalidValueError(f"{len(seeds)} seeds for {count} characters, one for each")
    if wrong := [s for s in seeds if not 0 <= s <= LARGEST_SEED]:
        raise InvalidValueError(f"seed is {wrong[0]}, allowed is 0 to {LARGEST_SEED}")
    return seeds


def push_words(state: LiveState, words: Iterable[SpokenWord], character: int = 0) -> LiveState:
    """Pass words with their times in the audio to a character, ahead of time or late.

    Raises
    ------
    InvalidValueError
        If `start` was given no profile.
    """
    if state.words is None:
        raise InvalidValueError("words need a speaker: start(..., profile=...)")
    now_s = state.frames / state.fps
    return replace(state, words=word_gestures.push_words(state.words, words, now_s, character))


def step(state: LiveState, chunk: ArrayLike) -> tuple[LiveState, LiveFrames]:
    """Process samples; return the frames whose time has come.

    Raises
    ------
    InvalidValueError
        If a sample is not a number, or the chunk's shape is not that of `start`.
    """
    samples = np.asarray(chunk, dtype=np.float64)
    heard, found = prosody.step(state.voice.prosody, samples)
    lips_state, lips = mouth.step(state.voice.mouth, samples)
    count = state.samples + samples.shape[-1]
    state = replace(state, voice=VoiceAnalysis(heard, lips_state), samples=count)
    until = int(np.floor((count / state.rate_hz - state.delay_s) * state.fps + NEAR)) + 1
    return _advance(state, found.observations, lips, max(until, state.frames) if count else 0)


def finish(state: LiveState) -> LiveFrames:
    """Return the remaining frames, up to the last sample's time."""
    until = int(np.floor(state.samples / state.rate_hz * state.fps + NEAR)) + 1
    if state.samples == 0 or until <= state.frames:
        lips = {name: np.zeros((*state.axis, 0)) for name in mouth.CHANNELS}
        return _advance(state, ((),) * len(state.seeds), lips, state.frames)[1]
    # As if followed by silence: pending observations are completed.
    rest = np.zeros((*state.axis, int(np.ceil(state.delay_s * state.rate_hz)) + 1))
    return step(state, rest)[1]


def _advance(
    state: LiveState,
    observations: Sequence[Sequence[Observation]],
    lips: Mapping[str, Floats],
    until: int,
) -> tuple[LiveState, LiveFrames]:
    """Frames up to a number, from the observations so far."""
    first, rows = state.frames, len(state.seeds)
    times = np.arange(first, until) / state.fps
    listening = state.listening.add(observations, state.delay_s)
    run = SegmentRun(state.model, state.options, state.seeds, state.fps, state.segments, listening)
    streams = run.frames(first, until)
    segments, arms, words = run.state(), state.arms.copy(), state.words
    present = np.array([chooser is not None for chooser in segments.choosers])
    watching, moved = _watch(state, observations, times)
    poser = FigurePoser(present, state.body, state.fps, state.transition, arms, state.hands)
    posed = poser.pose(times, streams, Homes(moved.homes, watching.settings.gaze))
    if words is not None:
        words, posed = word_gestures.overlay_gestures(words, posed, first, state.options.amount)
    shape, joints = (*state.axis, len(times)), len(default_rig().skeleton)
    rotations = posed.rotations.reshape(*shape, joints, 4)
    world = posed.world.reshape(*shape, joints, 4)
    queue, channels = _animate_face(state, lips, moved, rotations, world)
    activity, active = layering.step(
        state.activity,
        rotations.reshape(rows, len(times), joints, 4),
        posed.root_positions.reshape(rows, len(times), 3),
        1.0 - streams.listens,
    )
    none = ((),) * rows
    frames = LiveFrames(
        times_s=read_only(times),
        root_positions=read_only(posed.root_positions.reshape(*shape, 3)),
        rotations=read_only(rotations),
        channels=channels,
        changes=segments.begun if until > first else none,
        activity=read_only(active.reshape(*shape, 3)),
    )
    after = replace(
        state,
        frames=until,
        listening=run.listening.state(),
        segments=replace(segments, begun=none) if until > first else segments,
        body=poser.body,
        arms=arms,
        hands=poser.hands,
        face=FaceState(queue, watching, state.face.heard_s),
        activity=activity,
        words=words,
    )
    return after, frames


def _watch(
    state: LiveState, observations: Sequence[Sequence[Observation]], times_s: Floats
) -> tuple[EyesState, EyeFrames]:
    """Gaze, blinks and brows of frames."""
    face = state.face
    brows = face.eyes.settings.brows
    cues = heard_cues(observations, face.heard_s, len(state.seeds), brows)
    return eyes.step(eyes.add_cues(face.eyes, cues), times_s)


def _animate_face(
    state: LiveState, lips: Mapping[str, Floats], moved: EyeFrames, rotations: Floats, world: Floats
) -> tuple[MouthQueue, dict[str, Floats]]:
    """Face curves of frames; rotations of the eyes are set in place."""
    face, rows, frames = state.face, len(state.seeds), moved.lids.shape[1]
    bones = default_rig()
    turned = rotations.reshape(rows, frames, *rotations.shape[-2:])
    placed = world.reshape(turned.shape)
    heads = placed[:, :, bones.joint("head")]
    turns = eyes.turn_eyes(moved.gaze, heads, face.eyes.settings.gaze)
    turned[:, :, bones.joints(("leftEye", "rightEye"))] = turns
    queue, shapes = live_mouth.step(face.mouth, lips, frames)
    shape = (*state.axis, frames)
    channels = {**shapes, "blink": moved.lids.reshape(shape), "browUp": moved.brows.reshape(shape)}
    return queue, channels


def change_options(state: LiveState, options: LiveOptions) -> LiveState:
    """The same characters with other options from now on; amount and Shape change over `CHANGE_S`.

    Raises
    ------
    InvalidValueError
        If the delay differs, which would leave a gap, or a speaker is unknown.
    """
    if options.delay_s != state.delay_s:
        raise InvalidValueError(
            f"the delay is {state.delay_s:g} s and cannot become {options.delay_s:g} s"
        )
    before = state.segments
    choosers = choosers_of(state.model, options)
    for name, old, new in zip(STREAMS, before.choosers, choosers, strict=True):
        if (old is None) != (new is None):
            raise InvalidValueError(f"not all of these speakers have segments of the {name}")
    now_s = state.frames / state.fps
    # The current segment continues from its position, at another pace.
    stretch = state.options.expression.pace / options.expression.pace
    begun = now_s - (now_s - before.playing.begun_s) * stretch
    choices = tuple(
        tuple(c and c._replace(begun_s=float(begun[i, s])) for s, c in enumerate(row))
        for i, row in enumerate(before.choices)
    )
    playing, ends = play_choices(state.model, choosers, choices, state.fps)
    return replace(
        state,
        transition=OptionsTransition(options, state.options, now_s),
        segments=replace(before, choosers=choosers, choices=choices, playing=playing, ends=ends),
    )


__all__ = [
    "CHANGE_S",
    "HOME_AFTER_S",
    "Change",
    "LiveFrames",
    "LiveState",
    "change_options",
    "finish",
    "push_words",
    "start",
    "step",
]
