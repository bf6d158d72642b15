"""When sound starts beside motion."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from kinesphere.corpus.pairs.offsets import _fits, estimate_offset, hand_speed, speaking
from kinesphere.corpus.pairs.pairs import find_pairs
from kinesphere.corpus.pairs.recordings import PairSettings, read_pair
from kinesphere.formats.registry import write_take
from kinesphere.maths.arrays import Floats
from kinesphere.motion.take import Take
from tests.corpus.pair_corpora import RATE_HZ, RIG, level, moving, spoken, turns_of_speech

STEP_S = 0.04
HANDS = RIG.joints(("leftHand", "rightHand", "hips"))


def signals(
    seed: int, duration_s: float, shift_s: float, *, together: bool
) -> tuple[Floats, Floats]:
    """Speech and the hands' speed, which starts `shift_s` into it, of one person or of two."""
    rng = np.random.default_rng(seed)
    turns = turns_of_speech(rng, duration_s + 12.0)
    others = turns if together else turns_of_speech(rng, duration_s + 12.0)
    times = 6.0 + np.arange(round(duration_s / STEP_S)) * STEP_S
    speech = (level(turns, times, 0.001) > 0.5).astype(np.float64)
    active = level(others, times + shift_s, 0.1)
    wandering = np.convolve(rng.normal(size=len(times) + 24), np.hanning(25), "valid") * 0.35
    return speech, np.log(np.maximum(0.1 * np.exp(1.5 * active + wandering), 0.05))


def test_correlations_against_a_loop() -> None:
    speech, motion = signals(3, 24.0, 0.7, together=True)
    motion = motion[:-70]
    found = _fits(speech, motion, 50)
    for i, shift in enumerate(range(-50, 51)):
        first = max(0, -shift)
        last = min(len(motion), len(speech) - shift)
        a, b = speech[first + shift : last + shift], motion[first:last]
        share = np.sqrt(len(a) / min(len(speech), len(motion)))
        assert found[i] == pytest.approx(np.corrcoef(a, b)[0, 1] * share, abs=1e-9)


@pytest.mark.parametrize("shift_s", [-4.5, -1.3, 0.0, 0.4, 2.2, 4.8])
def test_known_shifts_are_found(shift_s: float) -> None:
    for seed in range(4):
        found = estimate_offset(*signals(seed, 90.0, shift_s, together=True))
        assert abs(found.offset_s - shift_s) < 0.15
        assert found.confident


def test_people_who_have_nothing_to_do_with_each_other() -> None:
    sure = [estimate_offset(*signals(i, 60.0, 0.0, together=False)).confidence for i in range(60)]
    assert max(sure) < 0.999
    assert sum(c >= 0.99 for c in sure) <= 1
    # It means what it says: a tenth of them above 0.9, half above 0.5.
    assert np.mean(np.array(sure) > 0.9) < 0.25
    assert 0.25 < np.mean(np.array(sure) > 0.5) < 0.75


def test_noise_is_never_believed() -> None:
    rng = np.random.default_rng(8)
    for _ in range(20):
        speech = (rng.random(1500) < 0.5).astype(np.float64)
        assert not estimate_offset(speech, rng.normal(size=1500)).confident


def test_a_shift_shifts_the_estimate() -> None:
    speech, motion = signals(11, 80.0, 0.0, together=True)
    found = [estimate_offset(speech[25 - k : 1900 - k], motion[25:1900]) for k in (0, 25)]
    assert found[1].offset_s - found[0].offset_s == pytest.approx(1.0, abs=0.03)


def test_what_tells_nothing() -> None:
    speech, motion = signals(2, 60.0, 0.0, together=True)
    assert estimate_offset(np.ones_like(speech), motion).confidence == 0.0
    assert estimate_offset(speech, np.zeros_like(motion)).confidence == 0.0
    assert estimate_offset(speech[:300], motion).confidence == 0.0
    few = np.ones_like(speech)
    few[200:260] = few[700:740] = 0.0
    assert estimate_offset(few, motion).confidence == 0.0
    assert estimate_offset(np.zeros(0), np.zeros(0)).confidence == 0.0


def test_speaking_and_pausing() -> None:
    rng = np.random.default_rng(4)
    turns = turns_of_speech(rng, 30.0)
    sound = spoken(turns, 30.0, rng)
    times = np.arange(0.0, 30.0, STEP_S)
    wanted = level(turns, times, 0.001) > 0.5
    for gain in (1.0, 0.01):  # however loud it was recorded
        found = speaking(gain * sound, RATE_HZ)
        assert np.mean(found[: len(wanted)] == wanted[: len(found)]) > 0.97
    assert not speaking(np.zeros(16_000), RATE_HZ).any()
    assert len(speaking(np.zeros(0), RATE_HZ)) == 0


def test_hand_speed_does_not_see_walking() -> None:
    clip = moving([(1.0, 2.0)], 4.0, 60.0, np.random.default_rng(6))
    walk = clip.root_positions + np.linspace(0.0, 3.0, len(clip))[:, None]
    still, walking = (
        hand_speed(clip, *HANDS),
        hand_speed(replace(clip, root_positions=walk), *HANDS),
    )
    assert np.allclose(still, walking)
    assert still[round(1.5 / STEP_S)] > still[round(3.5 / STEP_S)] + 0.5


@pytest.mark.parametrize("shift_s", [1.7, -2.4])
def test_files_end_to_end(shift_s: float, tmp_path: Path) -> None:
    rng = np.random.default_rng(21)
    turns = [(a + 3.0, b + 3.0) for a, b in turns_of_speech(rng, 60.0)]
    soundfile.write(tmp_path / "x.wav", spoken(turns, 60.0, rng), RATE_HZ)
    clip = moving(turns, 60.0, 30.0, rng, start_s=shift_s)
    write_take(Take(clip), tmp_path / "x.bvh")
    (pair,) = find_pairs(tmp_path).pairs
    read = read_pair(pair)
    assert read.offset_s == 0.0  # it is reported, not done
    assert read.facts.offset is not None
    assert read.facts.offset.confident
    assert abs(read.facts.offset.offset_s - shift_s) < 0.15
    moved = read_pair(pair, PairSettings(offset="auto"))
    assert moved.offset_s == read.facts.offset.offset_s
    assert any("start" in note for note in moved.notes)
    left = estimate_offset(speaking(moved.speech.samples, RATE_HZ), hand_speed(moved.clip, *HANDS))
    assert abs(left.offset_s) < 0.1


def test_no_confidence_nothing_done(tmp_path: Path) -> None:
    rng = np.random.default_rng(31)
    soundfile.write(tmp_path / "x.wav", spoken(turns_of_speech(rng, 30.0), 30.0, rng), RATE_HZ)
    write_take(Take(moving(turns_of_speech(rng, 30.0), 30.0, 30.0, rng)), tmp_path / "x.bvh")
    (pair,) = find_pairs(tmp_path).pairs
    read = read_pair(pair, PairSettings(offset="auto"))
    assert read.offset_s == 0.0
    assert any("no offset could be estimated" in note for note in read.notes)
