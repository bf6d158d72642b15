"""Telling two sets of windows apart, and accepted ranges."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.studies.body_features import COMPARED, FEATURES, NAMES
from benchmarks.studies.body_ranges import RANGES, range_shares, still_windows
from benchmarks.studies.separability import (
    COLUMNS,
    ClassifierSettings,
    Windows,
    auc,
    fit_logistic,
    halves_of_people,
    held_out_scores,
    separability,
)
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats

values = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=12).map(np.array)


@given(values)
def test_equal_samples_are_not_told_apart(sample: Floats) -> None:
    assert auc(sample, sample) == pytest.approx(0.5)


@given(values, values)
def test_auc_is_that_of_mann_and_whitney(a: Floats, b: Floats) -> None:
    count = stats.mannwhitneyu(a, b, method="asymptotic").statistic
    assert auc(a, b) == pytest.approx(count / (len(a) * len(b)))
    assert auc(b, a) == pytest.approx(1 - auc(a, b))


def test_auc_of_separated_samples_and_of_none() -> None:
    assert auc(np.array([3.0, 4.0, np.nan]), np.array([1.0, 2.0])) == 1.0
    assert auc(np.array([1.0]), np.array([2.0, 3.0])) == 0.0
    assert np.isnan(auc(np.array([np.nan]), np.array([2.0])))


def test_weights_are_those_of_an_independent_minimiser(rng: np.random.Generator) -> None:
    rows = rng.normal(size=(60, 4))
    positive = rows @ [1.0, -2.0, 0.5, 0.0] + rng.normal(size=60) > 0.8
    settings = ClassifierSettings(ridge=0.7)
    weight = np.where(positive, 0.5 / positive.mean(), 0.5 / (1 - positive.mean()))

    def loss(w: Floats) -> float:
        signed = np.where(positive, 1.0, -1.0) * (rows @ w[:-1] + w[-1])
        penalty = 0.35 * (w[:-1] ** 2).sum() + 0.5e-6 * w[-1] ** 2
        return float((weight * np.logaddexp(0.0, -signed)).sum() + penalty)

    theirs = optimize.minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-8}).x
    np.testing.assert_allclose(fit_logistic(rows, positive, settings), theirs, atol=1e-4)


def test_classes_are_balanced(rng: np.random.Generator) -> None:
    """Windows of one class given thrice change the ridge's weight, not the boundary's side."""
    weights = fit_logistic(np.zeros((40, 1)), np.arange(40) < 4)
    np.testing.assert_allclose(weights, 0.0, atol=1e-9)


def test_one_class_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="both"):
        fit_logistic(np.zeros((3, 1)), np.ones(3, dtype=np.bool_))


def test_scores_of_a_group_know_nothing_of_its_labels(rng: np.random.Generator) -> None:
    rows, positive = rng.normal(size=(30, 3)), np.arange(30) < 15
    groups = [str(i // 5) for i in range(30)]
    before = held_out_scores(rows, positive, groups)
    flipped = positive.copy()
    flipped[:5] = ~flipped[:5]
    after = held_out_scores(rows, flipped, groups)
    np.testing.assert_array_equal(after[:5], before[:5])
    assert np.abs(after[5:] - before[5:]).min() > 0.0


def test_what_was_not_measured_counts_as_the_mean(rng: np.random.Generator) -> None:
    rows, positive = rng.normal(size=(20, 2)), np.arange(20) < 10
    groups = [str(i % 4) for i in range(20)]
    rows[:, 1] = np.nan
    without = held_out_scores(rows[:, :1], positive, groups)
    np.testing.assert_allclose(held_out_scores(rows, positive, groups), without)


def windows(rng: np.random.Generator, names: str, each: int = 4, shift: float = 0.0) -> Windows:
    """Windows of persons with habits of their own; `shift` concerns the legs."""
    groups = tuple(name for name in names for _ in range(each))
    habits = np.repeat(rng.normal(size=(len(names), len(FEATURES))), each, axis=0)
    features = habits + 0.5 * rng.normal(size=habits.shape)
    features[:, COLUMNS["legs"]] += shift
    return Windows(features, groups)


def test_only_what_differs_is_told_apart(rng: np.random.Generator) -> None:
    people, others = windows(rng, "abcdefgh"), windows(rng, "ijklmnop", shift=3.0)
    assert separability(people, others, pairs=True)["legs"] > 0.98
    found = separability(people, others)
    assert found["legs"] > 0.98
    assert found["all"] > 0.95
    assert max(found[r] for r in ("torso", "arms", "head")) < 0.8


def test_halves_of_people_are_not_told_apart(rng: np.random.Generator) -> None:
    found = halves_of_people(windows(rng, "abcdefgh"))
    assert max(found.values()) < 0.65
    paired = halves_of_people(windows(rng, "abcdefgh"), pairs=True)
    assert all(0.3 < value < 0.7 for value in paired.values())
    assert np.isnan(halves_of_people(windows(rng, "abc"))["all"])


def test_few_people_lower_the_pooled_auc_and_not_that_by_pairs(rng: np.random.Generator) -> None:
    many = [windows(rng, "abcde", each=3) for _ in range(4)]
    pooled, paired = (
        np.mean([halves_of_people(w, pairs=pairs)["all"] for w in many]) for pairs in (False, True)
    )
    assert pooled < 0.4
    assert 0.4 < paired < 0.6


def test_regions_are_of_compared_features_only() -> None:
    assert list(COLUMNS["all"]) == list(range(len(COMPARED)))
    assert sum(len(COLUMNS[r]) for r in ("legs", "torso", "arms", "head")) == len(COMPARED) == 39


def test_windows_have_a_group_each() -> None:
    with pytest.raises(InvalidValueError, match="1 groups for 2 windows"):
        Windows(np.zeros((2, len(FEATURES))), ("a",))


def accepted_window() -> Floats:
    """A window in the middle of every range; pelvis turning is in none."""
    row = np.zeros((1, len(FEATURES)))
    for accepted in RANGES:
        low = accepted.low if np.isfinite(accepted.low) else accepted.high - 1.0
        row[0, accepted.column] = (low + accepted.high) / 2
    row[0, NAMES.index("pelvis turning speed")] = 12.0
    return row


def test_ranges_accept_what_is_inside_and_nothing_else() -> None:
    row = accepted_window()
    assert [r.share for r in range_shares(row)] == [1.0] * len(RANGES)
    for accepted in RANGES:
        for value in (accepted.low - 0.01, accepted.high + 0.01):
            wrong = row.copy()
            wrong[0, accepted.column] = value
            missed = [r.accepted for r in range_shares(wrong) if r.share < 1.0]
            assert missed == ([accepted] if np.isfinite(value) else missed)


def still_window() -> Floats:
    row = accepted_window()
    for name, value in (
        ("pelvis over feet, side SD", 1.0),
        ("pelvis side speed p95", 2.0),
        ("weight shifts over 5 cm", 0.0),
        ("duration of weight shifts", np.nan),
        ("time over 65 % on one leg", 0.0),
        ("foot moves", 0.0),
        ("ankle rise p99", 0.1),
    ):
        row[0, NAMES.index(name)] = value
    return row


def test_a_still_speaker_is_accepted() -> None:
    assert still_windows(np.vstack([still_window(), accepted_window()])).tolist() == [True, False]
    assert [r.share for r in range_shares(still_window())] == [1.0] * len(RANGES)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pelvis turning speed", 4.9),
        ("knees' difference", 2.9),
        ("pelvis over feet, side SD", 0.3),
        ("foot moves", 3.0),
    ],
)
def test_a_frozen_speaker_is_not(name: str, value: float) -> None:
    row = still_window()
    row[0, NAMES.index(name)] = value
    assert not still_windows(row).any()
    assert sum(r.share < 1.0 for r in range_shares(row)) >= 3


def test_windows_without_the_feature_are_not_counted() -> None:
    rows = np.vstack([accepted_window()] * 3)
    column = NAMES.index("chest's part of head turns")
    rows[:, column] = [np.nan, 0.5, 2.0]
    found = {r.accepted.feature: r for r in range_shares(rows)}["chest's part of head turns"]
    assert (found.share, found.measured) == (0.5, 2)
