"""Values at a steady rate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.errors import InvalidValueError
from kinesphere.timeline.sampled_track import SampledTrack


def test_samples_are_met_at_their_own_times() -> None:
    values = np.random.default_rng(0).normal(size=(50, 3))
    track = SampledTrack(0.3, 100.0, values)
    np.testing.assert_array_equal(track.at(track.times), values)
    assert track.end_s == pytest.approx(0.3 + 0.49)


@given(st.floats(-1.0, 6.0))
def test_between_samples_it_is_linear(time_s: float) -> None:
    values = np.array([1.0, 3.0, 2.0, 5.0, 5.0])
    track = SampledTrack(1.0, 1.0, values)
    got = float(track.at(time_s))
    if time_s < 0.5 - 1e-6 or time_s > 5.5 + 1e-6:
        assert np.isnan(got)
    elif 0.5 < time_s < 5.5:
        assert got == pytest.approx(np.interp(time_s, track.times, values), abs=1e-6)


def test_next_to_a_gap_the_nearer_sample_decides() -> None:
    track = SampledTrack(0.0, 10.0, [100.0, np.nan, 300.0])
    np.testing.assert_array_equal(
        track.at([0.0, 0.04, 0.06, 0.1, 0.14, 0.16]), [100, 100] + [np.nan] * 3 + [300]
    )


def test_gaps_are_of_each_column_alone() -> None:
    track = SampledTrack(0.0, 10.0, [[1.0, np.nan], [3.0, 4.0]])
    np.testing.assert_array_equal(track.at(0.03), [1.6, np.nan])
    assert track.at([[0.0, 0.1]]).shape == (1, 2, 2)


def test_a_stretch_keeps_times() -> None:
    track = SampledTrack(0.0, 100.0, np.arange(100.0))
    part = track.between(0.1, 0.2)
    np.testing.assert_array_equal(part.values, np.arange(10.0, 21.0))
    np.testing.assert_allclose(part.times, track.times[10:21])
    assert len(track.between(5.0, 6.0)) == 0
    assert len(track.between(-2.0, -1.0)) == 0
    with pytest.raises(InvalidValueError, match="before its start"):
        track.between(1.0, 0.5)


def test_an_empty_track_has_no_value_anywhere() -> None:
    assert np.isnan(SampledTrack(0.0, 1.0, []).at([0.0, 1.0])).all()


def test_values_are_read_only_and_compared() -> None:
    source = np.array([1.0, np.nan])
    track = SampledTrack(0.0, 1.0, source)
    source[0] = 7.0
    assert track == SampledTrack(0.0, 1.0, [1.0, np.nan])
    assert track != SampledTrack(0.0, 2.0, [1.0, np.nan])
    with pytest.raises(ValueError, match="read-only"):
        track.values[0] = 2.0


@pytest.mark.parametrize(
    ("start", "rate", "values", "said"),
    [
        (np.nan, 1.0, [1.0], "finite time"),
        (0.0, 0.0, [1.0], "above 0"),
        (0.0, 1.0, [np.inf], "infinite"),
        (0.0, 1.0, 3.0, "shape"),
    ],
)
def test_what_is_no_track_is_refused(start: float, rate: float, values: object, said: str) -> None:
    with pytest.raises(InvalidValueError, match=said):
        SampledTrack(start, rate, values)
