"""Mouths of live characters: late by whole frames, or on time with a late body."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere.animation.face import live_mouth
from kinesphere.animation.face import mouth as mouths
from kinesphere.animation.face.mouth import HearingSettings, mouth_of_sound
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from tests.speech.voices import babble

RATE = 16000.0


def streamed(sound: Floats, cut: int, fps: float, body_late: int = 0) -> dict[str, Floats]:
    """Mouths of frames, each as soon as its sound and that of the body's delay are there."""
    voices = None if sound.ndim == 1 else len(sound)
    mouth = mouths.start(RATE, HearingSettings(fps=fps), voices)
    queue, parts, shown = live_mouth.start(mouth, body_late), [], 0
    for at in range(0, sound.shape[-1], cut):
        chunk = sound[..., at : at + cut]
        mouth, shapes = mouths.step(mouth, chunk)
        until = max(0, int((at + chunk.shape[-1]) / RATE * fps) + 1 - body_late)
        queue, found = live_mouth.step(queue, shapes, until - shown)
        shown = until
        parts.append(found)
    return {name: np.concatenate([p[name] for p in parts], -1) for name in mouths.CHANNELS}


@pytest.mark.parametrize(("cut", "fps"), [(160, 60.0), (367, 60.0), (10**6, 60.0), (2000, 30.0)])
@pytest.mark.parametrize("body_late", [0, 1, 9])
def test_a_mouth_is_that_of_its_sound_late_by_whole_frames(
    cut: int, fps: float, body_late: int
) -> None:
    sound = babble(3.0, RATE, 1)
    found = streamed(sound, cut, fps, body_late)
    wanted = mouth_of_sound(sound, RATE, HearingSettings(fps=fps))
    late = max({60.0: 3, 30.0: 2}[fps] - body_late, 0)
    for name in mouths.CHANNELS:
        assert not found[name][:late].any()
        assert np.array_equal(found[name][late:], wanted[name][: len(found[name]) - late])
    assert found["jaw"].max() > 0.2


def test_mouths_of_many_are_each_that_of_one() -> None:
    sounds = np.stack([np.roll(babble(2.0, RATE, seed), 4000 * seed) for seed in range(3)])
    together = streamed(sounds, 267, 60.0)
    for row, sound in enumerate(sounds):
        alone = streamed(sound, 1000, 60.0)
        assert all(np.array_equal(together[name][row], alone[name]) for name in mouths.CHANNELS)


def test_a_mouth_that_is_not_known_is_refused() -> None:
    queue = live_mouth.start(mouths.start(RATE, HearingSettings(fps=60.0)))
    none = {name: np.zeros(0) for name in mouths.CHANNELS}
    with pytest.raises(InvalidValueError, match="4 frames of a face are requested, 3 have a mouth"):
        live_mouth.step(queue, none, 4)
