"""The study of EMOTE with a blind observer: what is shown is seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.studies.effort_descriptors import NAMES, describe
from benchmarks.studies.effort_observer import EffortObserver, FittedObserver, score
from benchmarks.studies.effort_study import (
    FPS,
    Study,
    calibration,
    emote_study,
    performed,
    random_keys,
)

from kinesphere.errors import InvalidValueError
from kinesphere.maths.curves import smoothstep
from tests.motion.test_arms import arm_with


@pytest.fixture(scope="module")
def observer() -> FittedObserver:
    learned = calibration(np.random.default_rng(1), 1000)
    return EffortObserver().fit(learned.descriptors, learned.shown)


@pytest.fixture(scope="module")
def studies() -> Study:
    several = [emote_study(np.random.default_rng(100 + i)) for i in range(3)]
    return Study(
        np.concatenate([s.shown for s in several]), np.concatenate([s.descriptors for s in several])
    )


def test_what_is_shown_is_seen(observer: FittedObserver, studies: Study) -> None:
    found = score(studies.shown, observer.judge(studies.descriptors))
    assert found.judgements == 3 * 248
    assert found.displayed >= 75.0
    assert min(found.elements.values()) >= 50.0
    assert found.unshown >= 85.0
    assert found.opposite <= 0.8
    assert found.correct + found.neutral + found.opposite == pytest.approx(100.0)


def test_chance_is_no_better_than_it_is(studies: Study) -> None:
    """Always neutral scores some 55 of 100 and sees nothing, so recall has to be told."""
    never = score(studies.shown, np.zeros_like(studies.shown))
    assert 45.0 < never.correct < 70.0
    assert never.displayed == 0.0


def test_the_observer_is_blind_to_labels(observer: FittedObserver, studies: Study) -> None:
    """With what was shown shuffled it finds nothing."""
    rng = np.random.default_rng(0)
    shuffled = studies.shown[rng.permutation(len(studies.shown))]
    assert score(shuffled, observer.judge(studies.descriptors)).displayed < 60.0


def test_descriptors_are_the_same_for_both_hands_and_later() -> None:
    keys = random_keys(np.random.default_rng(4), 5)
    from kinesphere.motion.keyed.keyed_motion import ArmKeys

    left = ArmKeys(keys.times, keys.positions * [-1, 1, 1], keys.swivels, movements=keys.movements)
    a = describe(performed(keys, {"weight": 1.0}), FPS)
    b = describe(performed(left, {"weight": 1.0}, "left"), FPS)
    assert a.values == pytest.approx(b.values, abs=1e-6)
    assert set(a.named()) == set(NAMES)
    late = ArmKeys(keys.times + 0.5, keys.positions, keys.swivels, movements=keys.movements)
    c = describe(performed(late, {"weight": 1.0}), FPS)
    assert c.values[:-1] == pytest.approx(a.values[:-1], abs=0.02)


def test_the_elbow_of_a_straight_arm_is_not_seen() -> None:
    """It trembles by a centimetre, of which swivel and roll make more than a right angle."""
    t = np.arange(120) / FPS
    aside = 0.8 * smoothstep(t / 2.0)
    bends = np.radians(80.0) * np.abs(np.cos(0.5 * np.pi * t)) + np.radians(4.0)
    steady = arm_with(bends, np.full(120, 0.4), aside)
    shaky = np.where(bends < np.radians(9.0), 0.4 + 2.0 * np.sin(40.0 * t), 0.4)
    # The hand stays as it was: only the elbow moves.
    trembling = replace(arm_with(bends, shaky, aside), turns=steady.turns)
    a, b = (describe(arm, FPS).named() for arm in (steady, trembling))
    for name in ("roll", "elbow"):
        assert a[name] == pytest.approx(b[name], abs=np.radians(5.0))
    # A bent arm's elbow is seen.
    swinging = arm_with(bends, 0.4 + 0.5 * np.sin(6.0 * t), aside)
    assert describe(swinging, FPS).named()["elbow"] > np.radians(15.0)


def test_bad_shapes_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="3 descriptions"):
        EffortObserver().fit(np.zeros((3, 2)), np.zeros((2, 4)))
