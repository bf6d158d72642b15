"""Live faces of many: each that of one voice, however the sound is cut; natural blinks."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.animation.face import live_faces
from kinesphere.animation.face import mouth as mouths
from kinesphere.animation.face.face_curves import CHANNELS, KNOWN_S, FaceSettings
from kinesphere.animation.face.live_faces import FacesState
from kinesphere.animation.face.mouth import HearingSettings
from kinesphere.animation.head import live_cues
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.speech.prosody import prosody as prosodies
from kinesphere.speech.prosody.observation import Observation
from kinesphere.speech.value import Speech
from kinesphere.speech.voices.espeak import EspeakVoice
from tests.animation import plain_live_face
from tests.animation.live_speech import pause, stress, syllable
from tests.speech.voices import babble

RATE, FPS = 16000.0, 60.0
TEXT = "Nobody spoke for a while. Then, quite suddenly, the birds began to SING, and all was new!"


@pytest.fixture(scope="module")
def spoken() -> Speech:
    return EspeakVoice().speak(TEXT)


def started(
    seeds: Sequence[int], rate_hz: float = RATE, voices: int | None = None, fps: float = FPS
) -> FacesState:
    mouth = mouths.start(rate_hz, HearingSettings(fps=fps), voices)
    return live_faces.start(seeds, mouth, prosodies.start(rate_hz, voices=voices))


def streamed(
    sound: Floats, rate_hz: float, seeds: Sequence[int], cut: int, fps: float = FPS
) -> dict[str, Floats]:
    """Faces of sound ``[n]`` or ``[voices, n]``: every frame as soon as its time is there."""
    voices = None if sound.ndim == 1 else len(sound)
    mouth = mouths.start(rate_hz, HearingSettings(fps=fps), voices)
    prosody = prosodies.start(rate_hz, voices=voices)
    state, parts = live_faces.start(seeds, mouth, prosody), []
    for at in range(0, sound.shape[-1], cut):
        chunk = sound[..., at : at + cut]
        mouth, shapes = mouths.step(mouth, chunk)
        prosody, heard = prosodies.step(prosody, chunk)
        until = int((at + chunk.shape[-1]) / rate_hz * fps) + 1
        state, found = live_faces.step(state, shapes, heard.observations, until)
        assert not state.onsets.flags.writeable
        assert found["jaw"].shape[-1] == until - sum(p["jaw"].shape[-1] for p in parts)
        parts.append(found)
    return {name: np.concatenate([p[name] for p in parts], axis=-1) for name in CHANNELS}


@pytest.mark.parametrize(("cut", "fps"), [(160, 60.0), (367, 60.0), (10**6, 60.0), (2000, 30.0)])
def test_the_face_of_one_voice_comes_late_by_whole_frames(
    spoken: Speech, cut: int, fps: float
) -> None:
    found = streamed(spoken.samples, spoken.rate_hz, [7], cut, fps)
    wanted = plain_live_face.live_face(spoken.samples, spoken.rate_hz, fps, 7)
    late = started([7], spoken.rate_hz, fps=fps).late_frames
    assert late == {60.0: 3, 30.0: 2}[fps]
    for name in CHANNELS:
        assert not found[name][:late].any()
        assert np.array_equal(found[name][late:], wanted[name][: len(found[name]) - late])
    assert found["browUp"].max() > 0.3
    assert found["blink"].max() > 0.9


@pytest.mark.timing
def test_a_live_step_takes_little_time(spoken: Speech) -> None:
    """All but the slowest in twenty; in processor time, several times what it takes."""
    mouth, prosody = mouths.start(spoken.rate_hz), prosodies.start(spoken.rate_hz)
    state, size, taken = live_faces.start([0], mouth, prosody), spoken.rate_hz // 100, []
    assert mouth.latency_s < 0.05
    for at in range(0, len(spoken.samples) - size, size):
        chunk, begun = spoken.samples[at : at + size], time.thread_time()
        mouth, shapes = mouths.step(mouth, chunk)
        prosody, heard = prosodies.step(prosody, chunk)
        until = int((at + size) / spoken.rate_hz * state.fps) + 1
        state, _ = live_faces.step(state, shapes, heard.observations, until)
        taken.append(time.thread_time() - begun)
    assert np.percentile(taken[30:], 95) <= 1e-3


def test_faces_of_many_are_each_that_of_one() -> None:
    sounds = np.stack([np.roll(babble(3.0, RATE, seed), 4000 * seed) for seed in range(4)])
    seeds = [3, -1, 2**40, 3]
    together = streamed(sounds, RATE, seeds, 267)
    for row, sound in enumerate(sounds):
        alone = streamed(sound, RATE, [seeds[row]], 1000)
        assert all(np.array_equal(together[name][row], alone[name]) for name in CHANNELS)


Cue = Callable[[float], Observation]
cue_lists = st.lists(
    st.tuples(st.floats(0.05, 1.5), st.sampled_from([syllable, pause, stress])), max_size=12
)


@given(st.lists(cue_lists, min_size=1, max_size=3), st.integers(0, 99), st.integers(1, 400))
@settings(max_examples=40, deadline=None)
def test_blinks_and_brows_are_those_of_the_plain_rule(
    rows: list[list[tuple[float, Cue]]], seed: int, cut: int
) -> None:
    heard = [
        tuple(kind(at) for at, (_, kind) in zip(np.cumsum([g for g, _ in row]), row, strict=True))
        for row in rows
    ]
    count, seeds = 400, [seed + row for row in range(len(rows))]
    state = started(seeds, voices=len(rows))
    shapes = {name: np.zeros((len(rows), count)) for name in mouths.CHANNELS}
    state, first = live_faces.step(state, shapes, heard, cut)
    none = {name: values[:, :0] for name, values in shapes.items()}
    state, second = live_faces.step(state, none, ((),) * len(rows), count)
    for row, found in enumerate(heard):
        one = plain_live_face.start(RATE, FPS, seeds[row])
        known = plain_live_face.understood(found, one.prosody.latency_s + KNOWN_S)
        one = one._replace(pauses=known[0], stresses=known[1])
        _, wanted = plain_live_face.moved(one, {"jaw": np.zeros(count - state.late_frames)})
        for name in ("blink", "browUp"):
            got = np.concatenate([first[name][row], second[name][row]])
            assert np.array_equal(got[state.late_frames :], wanted[name])


def test_cues_of_each_character_stay_in_order() -> None:
    """Though they come in pieces, and are put together by character."""
    rows, times = 5, np.arange(1.0, 41.0) * 0.1
    cues = live_cues.no_cues()
    for at in range(0, 40, 4):
        heard = [[stress(t) for t in times[at : at + 4]] for _ in range(rows)]
        heard[2] = []
        cues = live_cues.with_cues(cues, heard, 0.5, rows)
    first, found = live_cues.by_character(cues, rows)
    assert first.tolist() == [0, 40, 80, 80, 120, 160]
    for row in (0, 1, 3, 4):
        assert np.allclose(found[first[row] : first[row + 1], 1], times + 0.5)
    assert len(live_cues.after(cues, 2.55)) == 4 * 20


def test_silent_characters_blink_at_a_natural_rate_each_in_its_own_time() -> None:
    state, minutes = started(range(30), voices=30), 4
    shapes = {name: np.zeros((30, minutes * 3600)) for name in mouths.CHANNELS}
    _, found = live_faces.step(state, shapes, ((),) * 30, minutes * 3600)
    shut = found["blink"] > 0.5
    starts = (shut[:, 1:] & ~shut[:, :-1]).sum(axis=1) / minutes
    assert 17.0 < starts.mean() < 23.0
    assert starts.min() > 8.0
    assert len({row.tobytes() for row in shut}) == 30
    assert not found["browUp"].any()


def test_without_blinks_there_are_none() -> None:
    mouth, prosody = mouths.start(RATE, HearingSettings(fps=FPS)), prosodies.start(RATE)
    state = live_faces.start([1], mouth, prosody, FaceSettings(blinks_per_min=0.0))
    shapes = {name: np.zeros(600) for name in mouths.CHANNELS}
    _, found = live_faces.step(state, shapes, [(stress(1.0), pause(2.0))], 600)
    assert not found["blink"].any()
    assert found["browUp"].max() == pytest.approx(0.75 * FaceSettings().brow_size)


def test_bad_values_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="2 seeds for 1 voices"):
        started([1, 2])
    state = started([1])
    none = {name: np.zeros(0) for name in mouths.CHANNELS}
    with pytest.raises(InvalidValueError, match="4 frames of a face are requested, 3 have a mouth"):
        live_faces.step(state, none, [()], 4)
    with pytest.raises(InvalidValueError, match="observations of 2 voices, expected those of 1"):
        live_faces.step(state, none, [(), ()], 2)
