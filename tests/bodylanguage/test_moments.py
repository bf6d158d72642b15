"""When what is heard counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.bodylanguage.choose.acting_times import (
    AHEAD_S,
    KNOWN_S,
    MOMENTS,
    ON_TIME_S,
    acts_s,
    in_order,
    moments_s,
)
from kinesphere.speech.prosody.syllables import Event, Onset, Pause, Syllable


def syllable(peak_s: float, issued_s: float) -> Syllable:
    return Syllable(peak_s - 0.1, peak_s, peak_s + 0.1, issued_s, *(0.0,) * 7)


EVENTS = (
    Pause(0.0, 0.0, 0.25),
    Pause(0.0, 0.5, 0.5),
    Onset(1.2, 1.22),
    syllable(1.3, 1.45),
    syllable(1.5, 1.62),
    syllable(1.68, 2.05),
    Pause(1.8, 1.8, 2.05, 1.68),
    Pause(1.8, 2.3, 2.3, 1.68),
)


def test_each_is_about_its_moment() -> None:
    found = moments_s(EVENTS)
    assert found.tolist() == pytest.approx([-0.25, 0.25, 0.95, 1.3, 1.5, 1.68, 1.68, 2.05])


def test_with_the_sound_known_ahead_all_act_on_their_moments() -> None:
    for event, moment in zip(EVENTS, moments_s(EVENTS), strict=True):
        assert acts_s(event, AHEAD_S) == pytest.approx(moment)


def test_live_a_syllable_acts_when_it_is_known_or_at_the_peak_of_the_next() -> None:
    heard = EVENTS[3]
    assert acts_s(heard, 0.0) == heard.issued_s + KNOWN_S
    for delay_s in (ON_TIME_S, 0.2):
        assert acts_s(heard, delay_s) == pytest.approx(heard.issued_s + KNOWN_S - ON_TIME_S)


def test_live_a_pause_and_an_onset_act_when_they_are_known() -> None:
    for event in (EVENTS[2], EVENTS[6]):
        assert acts_s(event, 0.0) == event.issued_s + KNOWN_S
        assert acts_s(event, 0.1) == pytest.approx(event.issued_s + KNOWN_S - 0.1)


def test_a_syllable_long_before_a_pause_is_not_what_it_ends() -> None:
    assert moments_s([Pause(3.0, 3.0, 3.25, 1.0)])[0] == 3.0 - MOMENTS.lead_s
    assert moments_s([Pause(3.0, 3.0, 3.25)])[0] == 3.0 - MOMENTS.lead_s


@given(st.sampled_from(EVENTS), st.floats(0.0, 2.0))
def test_nothing_acts_before_it_can_be_known(event: Event, delay_s: float) -> None:
    """Frames of a moment are given when the sound up to the delay after it is in."""
    assert acts_s(event, delay_s) >= event.issued_s + KNOWN_S - delay_s - 1e-12
    assert acts_s(event, delay_s) <= acts_s(event, 0.0) + 1e-12


@given(st.lists(st.floats(-5.0, 5.0), max_size=12))
def test_in_order_none_is_later_than_one_behind_it(times: list[float]) -> None:
    found = in_order(np.array(times))
    assert (np.diff(found) >= 0.0).all()
    assert (found <= np.array(times)).all()
    for k, value in enumerate(found):
        assert value == min(times[k:])
