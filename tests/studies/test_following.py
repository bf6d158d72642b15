"""Whether hands follow a voice."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.studies.following import Spoken, first_movements_s, following
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.errors import InvalidValueError
from kinesphere.evaluation.movement import RATE_HZ, WristMotion
from kinesphere.maths.arrays import Floats
from kinesphere.timeline.sampled_track import SampledTrack

seeds = st.integers(0, 2**32 - 1)
SECONDS = 30.0


def level(seed: int, seconds: float = SECONDS) -> Floats:
    """Loudness above silence ``[frames]`` at 60 Hz: phrases and pauses of some length."""
    rng = np.random.default_rng(seed)
    parts: list[Floats] = []
    while sum(map(len, parts)) < seconds * RATE_HZ:
        parts += [
            np.full(rng.integers(60, 180), rng.uniform(10.0, 30.0)),
            np.zeros(rng.integers(30, 90)),
        ]
    return np.concatenate(parts)[: int(seconds * RATE_HZ) + 1]


def moving(speed: Floats) -> WristMotion:
    """Both wrists go along a line at a speed ``[frames]``."""
    places = np.zeros((len(speed), 2, 3))
    places[..., 0] = (np.cumsum(speed) / RATE_HZ)[:, None]
    return WristMotion(places, places)


def spoken(speed: Floats, loud: Floats, gain_db: float = 0.0) -> Spoken:
    return Spoken(moving(speed), SampledTrack(0.0, RATE_HZ, loud + 40.0 + gain_db))


def test_hands_as_fast_as_the_voice_is_loud_follow_it_wholly() -> None:
    loud = level(1)
    found = following([spoken(0.02 * loud, loud)])
    assert found.r > 0.99
    assert found.p == 0.005
    assert abs(found.chance) < 0.2
    assert "chance" in str(found)


def test_hands_that_do_the_contrary_follow_it_not_at_all() -> None:
    loud = level(2)
    assert following([spoken(0.8 - 0.02 * loud, loud)]).r < -0.99


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_hands_to_another_voice_are_by_chance(seed: int) -> None:
    takes = [spoken(0.02 * level(seed + 2 * k), level(seed + 2 * k + 1)) for k in range(4)]
    found = following(takes)
    assert abs(found.r) < 0.6
    assert abs(found.chance) < 0.25


@settings(max_examples=10, deadline=None)
@given(seeds, st.floats(-30.0, 30.0), st.floats(0.1, 3.0))
def test_neither_level_nor_size_matters(seed: int, gain_db: float, size: float) -> None:
    loud, speed = level(seed), 0.02 * level(seed + 1)
    one, two = following([spoken(speed, loud)]), following([spoken(size * speed, loud, gain_db)])
    assert one.r == pytest.approx(two.r, abs=1e-6)
    assert one.p == two.p


def test_late_hands_follow_less() -> None:
    loud = level(5)
    found = [following([spoken(0.02 * np.roll(loud, late), loud)]).r for late in (0, 15, 45)]
    assert found[0] > found[1] > found[2]


def test_takes_count_together_by_their_length() -> None:
    good, bad = level(6), level(7)
    takes = [spoken(0.02 * good, good), spoken(0.6 - 0.02 * bad, bad)]
    each = [following([take]).r for take in takes]
    assert min(each) < following(takes).r < max(each)


def test_what_never_changes_cannot_follow() -> None:
    with pytest.raises(InvalidValueError, match="no correlation"):
        following([spoken(np.zeros(600), np.full(600, 20.0))])


def started(start_s: float, seconds: float = 12.0) -> WristMotion:
    t = np.arange(int(seconds * RATE_HZ)) / RATE_HZ
    return moving(np.where(t >= start_s, 0.6, 0.0))


@pytest.mark.parametrize("late_s", [-0.3, 0.0, 0.8])
def test_the_first_movement_is_timed_from_the_voice(late_s: float) -> None:
    found = first_movements_s(started(5.0 + late_s), [(5.0, 9.0)])
    assert found.tolist() == pytest.approx([late_s], abs=0.02)


def test_only_phrases_after_a_silence_count_and_hands_that_rested() -> None:
    motion = started(5.0)
    assert len(first_movements_s(motion, [(4.0, 4.6), (5.0, 9.0)])) == 1
    assert len(first_movements_s(motion, [(7.0, 9.0)])) == 0
    assert first_movements_s(started(11.0), [(2.0, 4.0)]).tolist() == [3.0]
    assert first_movements_s(moving(np.zeros(600)), [(2.0, 4.0)]).tolist() == [3.0]
