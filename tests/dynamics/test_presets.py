from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.dynamics.tension.mass_tracker import Parameters, track
from kinesphere.dynamics.tension.presets import (
    PRESETS,
    SCALE,
    Tension,
    parse,
    parse_parameters,
    parse_rest_error,
    tension,
)
from kinesphere.errors import InvalidValueError
from kinesphere.maths.filters import low_pass


def test_the_papers_sets() -> None:
    def sets(name: str) -> tuple[object, ...]:
        s, r = PRESETS[name].stroke, PRESETS[name].retraction
        return s.rest_error_m, s.zeta, r.rest_error_m, r.zeta

    assert list(PRESETS) == ["loose", "relaxed", "neutral", "tense", "trembling"]
    assert sets("loose") == (0.15, 0.5, 0.30, 0.4)
    assert sets("relaxed") == (0.10, 0.5, 0.15, 0.4)
    assert sets("tense") == (0.005, 0.3, 0.01, 0.4)
    assert sets("trembling") == (0.003, 0.15, 0.005, 0.2)


def test_neutral_hardly_alters_the_motion(rng: np.random.Generator) -> None:
    """A wrist at up to 1.5 m/s, most of it below 2 Hz: moved less than by any other preset."""
    path = low_pass(rng.normal(size=(600, 3)), 2.0, 60.0, 4) * np.hanning(600)[:, None]
    path *= 1.5 / (np.linalg.norm(np.diff(path, axis=0), axis=1).max() * 60.0)

    def change(name: str) -> float:
        p = PRESETS[name].stroke
        moved = track(path, 60.0, p.rest_error_m, p.zeta, compensate=True).position
        return float(np.sqrt(np.mean(np.sum((moved - path) ** 2, axis=1))))

    assert change("neutral") < 0.009
    assert change("loose") > change("relaxed") > 3 * change("neutral")


def test_the_scale_passes_through_the_presets() -> None:
    assert list(SCALE.items()) == [
        ("loose", -1.0),
        ("relaxed", -0.5),
        ("neutral", 0.0),
        ("tense", 0.5),
        ("trembling", 1.0),
    ]
    for name, value in SCALE.items():
        assert tension(value) == PRESETS[name]


@given(value=st.floats(-1.0, 1.0), ratio=st.floats(0.0, 1.0))
def test_between_presets_the_scale_is_logarithmic_and_monotonic(value: float, ratio: float) -> None:
    marks = list(SCALE.values())
    i = min(int((value + 1.0) / 0.5), 3)
    a, b = (list(PRESETS.values())[k] for k in (i, i + 1))
    found = tension(marks[i] + 0.5 * ratio)
    for kind in ("stroke", "retraction"):
        first, here, second = (getattr(t, kind) for t in (a, found, b))
        wanted = first.rest_error_m ** (1 - ratio) * second.rest_error_m**ratio
        assert here.rest_error_m == pytest.approx(wanted, rel=1e-12)
        assert here.zeta == pytest.approx(first.zeta * (1 - ratio) + second.zeta * ratio, rel=1e-12)


def test_rest_error_falls_all_along_the_scale() -> None:
    values = np.linspace(-1.0, 1.0, 401)
    along = tension(values)
    assert np.all(np.diff(along.stroke.rest_error_m) < 0.0)
    assert np.all(np.diff(along.retraction.rest_error_m) < 0.0)
    assert np.all(along.stroke.rest_error_m <= along.retraction.rest_error_m)
    for i in (0, 57, 200, 300, 333, 400):
        error, zeta = np.asarray(along.stroke.rest_error_m), np.asarray(along.stroke.zeta)
        assert tension(values[i]).stroke == Parameters(error[i], zeta[i])


def both(error: float, zeta: float) -> Tension:
    return Tension(Parameters(error, zeta), Parameters(error, zeta))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("tense", PRESETS["tense"]),
        (" Loose ", PRESETS["loose"]),
        ("0", PRESETS["neutral"]),
        ("-1", PRESETS["loose"]),
        ("0.4", tension(0.4)),
        ("+.5", PRESETS["tense"]),
        ("5mm,0.3", both(0.005, 0.3)),
        ("1cm,0.4", both(0.01, 0.4)),
        ("0.05,0.3", both(0.05, 0.3)),
        ("0.05 m, .3", both(0.05, 0.3)),
        ("30CM,1", both(0.30, 1.0)),
        ("35cm,1", both(0.35, 1.0)),
        ("0.1mm,5", both(0.0001, 5.0)),
        ("2m,0.01", both(2.0, 0.01)),
    ],
)
def test_parse(text: str, wanted: Tension) -> None:
    assert parse(text) == wanted


@given(error=st.floats(1e-4, 2.0), zeta=st.floats(1e-3, 5.0))
def test_what_is_written_is_read(error: float, zeta: float) -> None:
    assert parse_parameters(f"{error!r},{zeta!r}") == Parameters(error, zeta)
    assert parse_rest_error(f"{error!r}m") == error


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "stiff",
            "tension 'stiff' is unknown; allowed are loose, relaxed, neutral, tense, trembling, a number from -1",
        ),
        ("", "tension '' is unknown; allowed are loose"),
        ("5mm", "tension '5mm' is unknown"),
        ("1.5", "tension is 1.5, allowed is -1 (loose) to 1 (trembling)"),
        ("nan", "tension is nan, allowed is -1"),
        ("inf", "tension is inf, allowed is -1"),
        ("-5mm,0.3", "rest error is -0.005 m, allowed is 0.0001 to 2 m"),
        ("0,0.3", "rest error is 0 m, allowed"),
        ("0.05mm,0.3", "rest error is 5e-05 m, allowed"),
        ("3,0.3", "rest error is 3 m, allowed"),
        ("nan,0.3", "rest error is nan m, allowed"),
        ("5km,0.3", "rest error '5km' is no length; allowed is 0.1mm to 2m in mm, cm, m"),
        ("mm,0.3", "rest error 'mm' is no length"),
        (",0.3", "rest error '' is no length"),
        ("5mm,0", "zeta is 0, allowed is above 0 up to 5"),
        ("5mm,-0.3", "zeta is -0.3, allowed"),
        ("5mm,nan", "zeta is nan, allowed"),
        ("5mm,9", "zeta is 9, allowed"),
        ("5mm,x", "zeta 'x' is no number; allowed is above 0 up to 5"),
        ("5mm,", "zeta '' is no number"),
        ("5mm,0.3,1", "'5mm,0.3,1' is no pair; allowed is ERROR,ZETA such as 5mm,0.3"),
    ],
)
def test_bad_forms_are_refused_in_one_line(text: str, says: str) -> None:
    with pytest.raises(InvalidValueError) as error:
        parse(text)
    assert says in str(error.value)
    assert "\n" not in str(error.value)
