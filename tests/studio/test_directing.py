"""Sliders, words and curves as one phrase."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.dynamics.tension.presets import Tension as BothTensions
from kinesphere.errors import InvalidValueError
from kinesphere.expression.manner import manner
from kinesphere.expression.phrase import EFFORT_FACTORS, FACTORS, PARTS
from kinesphere.studio.document.directing import direction_of, phrase_of
from kinesphere.studio.document.document import Directing, PhrasePoint, TensionSetting
from kinesphere.studio.server import catalogue

VALUES = st.floats(-1.0, 1.0).map(lambda v: round(v, 3))
SLIDERS = st.dictionaries(
    st.sampled_from(PARTS), st.dictionaries(st.sampled_from(FACTORS), VALUES), max_size=3
)
POINTS = st.lists(
    st.builds(
        PhrasePoint, st.sampled_from(PARTS), st.sampled_from(FACTORS), st.floats(-1.0, 9.0), VALUES
    ),
    max_size=6,
).map(tuple)


def is_neutral(directing: Directing) -> bool:
    return direction_of(directing).is_neutral


def tension_in(directing: Directing) -> BothTensions | None:
    tension = direction_of(directing).tension
    assert tension is None or isinstance(tension, BothTensions)
    return tension


def curves(directing: Directing) -> dict[tuple[str, str], list[Any]]:
    """What a phrase says of each part and factor."""
    out: dict[tuple[str, str], list[Any]] = {}
    phrase = phrase_of(directing)
    for point in phrase.points if phrase is not None else ():
        assert point.time_s is not None
        (part,) = point.parts
        for factor, value in point.factors.items():
            out.setdefault((part, factor), []).append((point.time_s, value))
    return out


@given(SLIDERS, POINTS)
def test_a_curve_wins_over_its_slider_and_every_other_slider_holds(
    sliders: dict[str, dict[str, float]], points: tuple[PhrasePoint, ...]
) -> None:
    found = curves(Directing(parts=sliders, phrase=points))
    for part in PARTS:
        for factor in FACTORS:
            if (part, factor) == ("torso", "reach"):
                assert (part, factor) not in found
                continue
            mine = sorted(
                (max(p.time_s, 0.0), p.value)
                for p in points
                if (p.part, p.factor) == (part, factor)
            )
            value = sliders.get(part, {}).get(factor, 0.0)
            got = found.get((part, factor), [])
            if mine:
                assert [v for _, v in got] == [v for _, v in mine]
                assert [t for t, _ in got] == pytest.approx([t for t, _ in mine], abs=0.01)
                times = [t for t, _ in got]
                assert all(a < b for a, b in pairwise(times))
            else:
                assert got == ([(0.0, value)] if value else [])


def test_neutral_is_nothing() -> None:
    zeros = {part: dict.fromkeys(FACTORS, 0.0) for part in PARTS}
    for directing in (Directing(), Directing(parts=zeros), Directing(manner="  ")):
        assert phrase_of(directing) is None
        assert is_neutral(directing)
    assert not is_neutral(Directing(tension=TensionSetting(0.01, 0.5)))
    assert not is_neutral(Directing(physics="body"))
    assert not is_neutral(Directing(phrase=(PhrasePoint("torso", "vertical", 0.0, 0.0),)))


@pytest.mark.parametrize("words", catalogue.MANNERS)
def test_words_move_the_arms_with_effort_and_shape_and_the_torso_with_shape(words: str) -> None:
    meant = manner(words)
    found = curves(Directing(manner=words))
    assert found
    for (part, factor), rows in found.items():
        source = (
            meant.effort
            if factor in EFFORT_FACTORS
            else meant.torso
            if part == "torso"
            else meant.shape
        )
        assert rows == [(0.0, pytest.approx(getattr(source, factor)))]
        assert not (part == "torso" and factor in EFFORT_FACTORS)
    for factor in EFFORT_FACTORS:
        if getattr(meant.effort, factor):
            assert ("left-arm", factor) in found
            assert ("right-arm", factor) in found


def test_words_and_sliders_add_up_within_bounds() -> None:
    meant = manner("proudly")
    name = next(n for n in EFFORT_FACTORS if getattr(meant.effort, n))
    value = getattr(meant.effort, name)
    both = curves(Directing(manner="proudly", parts={"left-arm": {name: value / 2}}))
    assert both["left-arm", name] == [(0.0, pytest.approx(min(1.0, 1.5 * value)))]
    assert both["right-arm", name] == [(0.0, pytest.approx(value))]
    full = curves(
        Directing(manner="very proudly", parts={"left-arm": {name: 1.0 if value > 0 else -1.0}})
    )
    assert abs(full["left-arm", name][0][1]) == 1.0
    curve = (PhrasePoint("left-arm", name, 1.0, -0.25),)
    assert curves(Directing(manner="proudly", phrase=curve))["left-arm", name] == [(1.0, -0.25)]


def test_tension() -> None:
    assert tension_in(Directing()) is None
    made = tension_in(Directing(tension=TensionSetting(0.02, 0.4)))
    assert made is not None
    assert made.stroke == made.retraction
    assert (made.stroke.rest_error_m, made.stroke.zeta) == (0.02, 0.4)
    with pytest.raises(InvalidValueError):
        tension_in(Directing(tension=TensionSetting(-1.0, 0.4)))


def test_what_the_page_offers_is_what_is_taken() -> None:
    assert {c.name for c in catalogue.factors()} == set(FACTORS)
    assert {c.name for c in catalogue.parts()} - {"arms"} == set(PARTS)
    for error_m, zeta in catalogue.tensions().values():
        assert tension_in(Directing(tension=TensionSetting(error_m, zeta))) is not None
