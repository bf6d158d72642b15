"""Whole avatars, every bone and channel: in chunks of any size, live as offline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.animation.face.face_curves import speech_cues_of_face
from kinesphere.bodylanguage.choose.acting_times import AHEAD_S, ON_TIME_S
from kinesphere.bodylanguage.choose.spoken_words import spoken_words
from kinesphere.bodylanguage.play import engine
from kinesphere.dynamics.tension.presets import PRESETS
from kinesphere.figure.head import eyes
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.pipeline.live import Acting
from kinesphere.pipeline.stages.act import VoiceSettings
from kinesphere.pipeline.stages.utter import speak
from kinesphere.pipeline.stages.voice_motion import RATE_HZ
from kinesphere.realtime.engine import TensedEngine, join_frames
from kinesphere.realtime.session import begin, step
from kinesphere.realtime.sinks.sinks import PoseFrames, PoseSlice
from kinesphere.realtime.state import Chunk, Engine, SessionSettings, Signal
from kinesphere.realtime.words import SaidWord
from kinesphere.speech.resampling import resample_audio
from kinesphere.speech.value import Speech

FPS, SEED = 30.0, 1
CAST = ks.Cast("host", seed=SEED, fps=FPS)
TEXT = "Hello everybody! This is huge. I never thought that it would work, you know, but it does."
MOUTH = ("aa", "ih", "ou", "ee", "oh", "jaw")


@cache
def spoken() -> Speech:
    return speak(TEXT)


@cache
def unlabelled() -> Speech:
    """The sound alone, as a microphone has it."""
    said = spoken()
    return Speech(said.samples, said.rate_hz)


@cache
def sound() -> Floats:
    """As sources of sessions have it."""
    said = spoken()
    return resample_audio(np.asarray(said.samples), said.rate_hz, RATE_HZ)


def session(made: Engine, heard: Floats, sizes: Sequence[int], words: bool = False) -> PoseSlice:
    """All frames of a live session whose sound comes in chunks of these sizes, again and again."""
    told = [SaidWord(word) for word in spoken_words(spoken().tiers)] if words else []
    now, at, parts = begin(made, 0.0, SessionSettings(fast=True)), 0, list[PoseFrames]()
    for size in _again(sizes):
        chunk = heard[..., at : at + size]
        at += chunk.shape[-1]
        arrival = Chunk(chunk) if chunk.shape[-1] else Signal.END
        now, stepped = step(now, at / RATE_HZ, arrival, told)
        parts += stepped.made
        told = []
        if arrival is Signal.END:
            break
    joined = join_frames(parts)
    return PoseSlice(joined.times_s, joined.root_positions, joined.rotations, joined.channels)


def _again(sizes: Sequence[int]) -> Iterator[int]:
    while True:
        yield from sizes


def assert_same(a: PoseSlice, b: PoseSlice, most: float = 0.0) -> None:
    assert set(a.channels) == set(b.channels)
    for one, two in (
        (a.times_s, b.times_s),
        (a.root_positions, b.root_positions),
        (a.rotations, b.rotations),
        *((a.channels[name], b.channels[name]) for name in a.channels),
    ):
        assert one.shape == two.shape
        assert np.abs(one - two).max() <= most


def assert_everything_moves(frames: PoseSlice) -> None:
    """Body, arms, fingers, head, eyes, lids, brows and mouth: nothing is the same by being still."""
    rig = ks.default_rig()
    for bone in ("hips", "spine", "leftFoot", "rightLowerArm", "rightHand", "head", "leftEye"):
        turns = frames.rotations[..., rig.joint(bone), :]
        assert quaternion.angle_between(turns, turns[..., :1, :]).max() > np.radians(1.0), bone
    for name in ("blink", "browUp", "aa", "jaw"):
        assert np.ptp(frames.channels[name]) > 0.2, name


@pytest.mark.parametrize("tension", [None, "loose"])
@pytest.mark.parametrize("characters", [None, 2])
def test_a_sessions_chunks_do_not_matter(characters: int | None, tension: str | None) -> None:
    made: Engine = Acting(cast=CAST, delay_s=ON_TIME_S).engine(characters)
    if tension is not None:
        made = TensedEngine(made, PRESETS[tension])
    heard = sound()
    if characters is not None:
        heard = np.stack([heard, heard[::-1]])
    whole = session(made, heard, [len(sound())], words=True)
    assert_everything_moves(whole)
    for sizes in ([160], [533], [7, 4001, 90], [20_000]):
        # The masses of a tension are stepped by sums that depend on how many there are.
        assert_same(session(made, heard, sizes, words=True), whole, 1e-9 if tension else 0.0)


def test_hands_are_cleared_on_the_way() -> None:
    """What is compared above and below contains corrections of penetrating hands."""
    state = engine.start(CAST.resolve().body_language, RATE_HZ, fps=FPS, seed=SEED)
    pushed = 0
    for part in np.array_split(sound(), 60):
        state, _ = engine.step(state, part)
        pushed += bool((np.abs(state.arms.pushes[..., 6:9]) > 1e-4).any())
    assert pushed > 0


@pytest.mark.parametrize("delay_s", [0.0, ON_TIME_S, AHEAD_S])
def test_a_live_session_is_the_take_with_the_same_look_ahead(delay_s: float) -> None:
    """All but the brows; of those see below."""
    said = ks.Utterance.of_sound(unlabelled())
    take = ks.act(said, None, CAST, voice=VoiceSettings(delay_s=delay_s)).take
    frames = session(Acting(cast=CAST, delay_s=delay_s).engine(), sound(), [480])
    count = len(frames.times_s)
    clip = take.clip.frames(0, count)
    assert set(clip.channels) == set(frames.channels)
    assert np.array_equal(clip.rotations, frames.rotations)
    assert np.array_equal(clip.root_positions, frames.root_positions)
    for name in {*MOUTH, "blink"}:
        assert np.array_equal(clip.channels[name], frames.channels[name]), name


def test_words_known_beforehand_give_the_gestures_of_the_take() -> None:
    said = ks.Utterance.of_sound(spoken())
    take = ks.act(said, None, CAST).take
    gestures = take.tier("gestures")
    assert gestures is not None
    assert gestures.intervals
    made = Acting(cast=CAST, delay_s=AHEAD_S).engine()
    frames = session(made, sound(), [480], words=True)
    count = len(frames.times_s)
    assert np.array_equal(take.clip.rotations[:count], frames.rotations)
    assert np.array_equal(take.clip.root_positions[:count], frames.root_positions)
    without = session(made, sound(), [480])
    assert np.abs(without.rotations - frames.rotations).max() > 0.05


def test_only_the_cues_of_the_brows_need_more_look_ahead_offline() -> None:
    """A syllable's prominence is relative to the 2.5 s after it, the largest delay live is 2 s.

    So a take raises the brows on the most prominent syllables, a session on those that stand out so
    far. The process is the same: with the cues of the whole recording it gives the brows of the
    take, and these change no blink.
    """
    said = ks.Utterance.of_sound(unlabelled())
    take = ks.act(said, None, CAST).take
    assert said.heard is not None
    s = eyes.EyeSettings()
    times = np.arange(len(take.clip)) / FPS
    cues = speech_cues_of_face(said.heard.prominence, s.brows)
    assert np.array_equal(
        take.clip.channels["browUp"], eyes.watch(times, cues, SEED, s)[0].brows[0]
    )
    frames = session(Acting(cast=CAST, delay_s=AHEAD_S).engine(), sound(), [480])
    brows = frames.channels["browUp"]
    assert 0.3 < brows.max() <= s.brows.live_ratio * s.brows.height
    assert np.abs(brows - take.clip.channels["browUp"][: len(brows)]).max() > 0.1
