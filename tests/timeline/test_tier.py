from __future__ import annotations

import pytest

from kinesphere.errors import InvalidValueError
from kinesphere.timeline import Interval, Tier


def test_intervals_and_tiers() -> None:
    tier = Tier(
        "phases",
        (Interval(0.0, 0.5, "prep"), Interval(0.5, 0.9, "stroke"), Interval(1.0, 1.0, "mark")),
    )
    assert tier.at(0.5) == Interval(0.5, 0.9, "stroke")
    assert tier.at(0.95) is None
    assert tier.at(1.0) == Interval(1.0, 1.0, "mark")
    assert len(tier) == 3
    cut = tier.between(0.25, 0.75)
    assert [(i.start_s, i.end_s, i.label) for i in cut] == [
        (0.0, 0.25, "prep"),
        (0.25, 0.5, "stroke"),
    ]
    assert Interval(1.0, 2.0).shift(0.5) == Interval(1.5, 2.5)


@pytest.mark.parametrize(("start", "end"), [(1.0, 0.5), (float("nan"), 1.0), (0.0, float("inf"))])
def test_impossible_intervals_are_refused(start: float, end: float) -> None:
    with pytest.raises(InvalidValueError):
        Interval(start, end, "x")


def test_disorder_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="order"):
        Tier("t", (Interval(1, 2), Interval(0, 1)))
