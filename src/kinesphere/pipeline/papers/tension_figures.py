"""Figures of the tension page. Errors of the paper are drawn as published, dashed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from kinesphere.dynamics.tension import response
from kinesphere.dynamics.tension.presets import PRESETS
from kinesphere.export.render.plot import GREY, PALETTE, Axis, Band, Line, Panel, figure_svg
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.pipeline.papers.tension_formulas import (
    ASKED,
    EXAMPLE,
    REST_ERRORS_M,
    ZETAS,
    measure_ramp,
    printed_error,
    printed_oscillations,
)
from kinesphere.pipeline.papers.tension_gesture import ShownGesture
from kinesphere.pipeline.papers.tension_tables import length_text

COLOURS = dict(zip(PRESETS, (PALETTE[0], PALETTE[2], GREY, PALETTE[1], PALETTE[3]), strict=True))
_DRAWN = ("loose", "relaxed", "tense", "trembling")


def figure_2() -> str:
    """Figure 2: overshoot by rest error and zeta."""
    errors = np.geomspace(0.001, 0.3, 121)
    past, largest = (
        [
            Line(100.0 * errors, 100.0 * f(errors, zeta), f"ζ = {zeta:g}", PALETTE[i])
            for i, zeta in enumerate(ZETAS[:4])
        ]
        for f in (response.overshoot_m, response.peak_error_m)
    )
    strokes = [preset.stroke for preset in PRESETS.values()]
    at = np.array([float(p.rest_error_m) for p in strokes])
    over = np.array([float(response.overshoot_m(p.rest_error_m, p.zeta)) for p in strokes])
    dots = Line(100.0 * at, 100.0 * over, "our presets", GREY, width=2.5, dots=True)
    x = Axis("rest error (cm), stiff to loose", log=True)
    y = Axis("cm at 1 m/s", 0.08, 30.0, log=True)
    return figure_svg(
        [
            Panel((*past, dots), x, y, "Overshoot past a stop"),
            Panel(tuple(largest), x, y, "Largest error, with the lag"),
        ],
        "Overshoot by rest error and zeta",
        description="Overshoot falls as zeta grows; the largest error on a ramp grows with it.",
        columns=2,
    )


def figure_3() -> str:
    """Figure 3: number of oscillations by zeta."""
    zeta = np.linspace(0.1, 0.99, 179)
    some = np.linspace(0.1, 0.9, 17)
    counted = np.array([measure_ramp(EXAMPLE[0], float(z), 1000.0).swings for z in some])
    lines = (
        Line(zeta, response.oscillations(zeta), "eq 8, corrected", PALETTE[0], width=2.5),
        Line(zeta, printed_oscillations(zeta), "eq 8, as printed", PALETTE[3], "dashed"),
        Line(some, counted, "counted on the simulated path", GREY, width=2.5, dots=True),
    )
    return figure_svg(
        [
            Panel(
                lines,
                Axis("damping ratio ζ", 0.08, 1.0),
                Axis("swings (half-cycles)", -2.0, 16.0),
                bands=(Band(0.3, 0.5, "paper's advice"),),
            )
        ],
        "Number of swings by zeta",
        description="The number falls as zeta grows, to none at 1.",
    )


def _responses(
    times: Floats, cases: Sequence[tuple[float, float]], labels: Sequence[str]
) -> tuple[list[Line], list[Line]]:
    """Errors on a ramp and positions after a stop, in centimetres at 1 m/s."""
    behind, after = (
        [
            Line(times, 100.0 * f(times, error, zeta), label, PALETTE[i])
            for i, ((error, zeta), label) in enumerate(zip(cases, labels, strict=True))
        ]
        for f in (response.ramp_error, response.ramp_stop_response)
    )
    return behind, after


def figure_4() -> str:
    """Figure 4: tracking error by rest error."""
    times = np.linspace(0.0, 1.2, 241)
    behind, after = _responses(
        times,
        [(error, EXAMPLE[1]) for error in REST_ERRORS_M],
        [f"rest error {length_text(error)}" for error in REST_ERRORS_M],
    )
    wrong = Line(
        times,
        100.0 * printed_error(times, *EXAMPLE),
        f"{length_text(EXAMPLE[0])}, eq 3 as printed",
        PALETTE[REST_ERRORS_M.index(EXAMPLE[0])],
        "dashed",
    )
    x = Axis("seconds since the start", 0.0, 1.2)
    return figure_svg(
        [
            Panel((*behind, wrong), x, Axis("cm at 1 m/s"), "Behind a target that sets off"),
            Panel(
                tuple(after),
                Axis("seconds since the stop", 0.0, 1.2),
                Axis("cm at 1 m/s"),
                "Past a target that stops",
            ),
        ],
        f"Tracking error by rest error, zeta {EXAMPLE[1]:g}",
        description="A looser tracker falls farther behind, swings farther and more slowly.",
        columns=2,
    )


def figure_5() -> str:
    """Figure 5: tracking error by zeta."""
    times = np.linspace(0.0, 1.5, 301)
    behind, after = _responses(
        times, [(EXAMPLE[0], zeta) for zeta in ZETAS], [f"ζ = {zeta:g}" for zeta in ZETAS]
    )
    return figure_svg(
        [
            Panel(
                tuple(behind),
                Axis("seconds since the start", 0.0, 1.5),
                Axis("cm at 1 m/s"),
                "Behind a target that sets off",
            ),
            Panel(
                tuple(after),
                Axis("seconds since the stop", 0.0, 1.5),
                Axis("cm at 1 m/s"),
                "Past a target that stops",
            ),
        ],
        f"Tracking error by zeta, rest error {length_text(EXAMPLE[0])}",
        description="A smaller zeta swings more often and starts less far behind.",
        columns=2,
    )


def figure_gesture(gesture: ShownGesture) -> str:
    """A gesture as recorded and with four tensions, and a close-up."""
    times, (low, high) = gesture.times, gesture.shown_s
    # Half the frames are enough for the whole; the close-up needs them all.
    shown = (times >= low) & (times <= high) & (np.arange(len(times)) % 2 == 0)
    paths = {name: gesture.track_wrists(PRESETS[name]) for name in _DRAWN}

    def lines(some: Bools, seen: Callable[[Floats], Floats]) -> tuple[Line, ...]:
        given = seen(gesture.wrists[some])
        tracked = (
            Line(times[some], 100.0 * seen(path[some]), name, COLOURS[name], width=1.8)
            for name, path in paths.items()
        )
        return (Line(times[some], 100.0 * given, "input", GREY, width=4.5), *tracked)

    heights = lines(shown, lambda path: path[:, 1])
    bands = tuple(
        Band(max(p.start_s, low), min(p.end_s, high), p.kind, shade=0.2 if i % 2 else 0.08)
        for i, p in enumerate(p for p in gesture.phases if p.end_s > low and p.start_s < high)
        if p.kind != "rest"
    )
    stop, until = gesture.stroke.end_s, min(gesture.hold_end_s, gesture.stroke.end_s + 0.8)
    near = (times >= stop - 0.1) & (times <= until)
    ends = lines(near, gesture.along)
    held = np.concatenate([line.y[line.x >= stop - 0.05] for line in ends])
    top, span = float(held.max()), max(float(np.ptp(held)), 1.0)
    limits = top - 1.3 * span, top + 0.1 * span
    return figure_svg(
        [
            Panel(
                heights,
                Axis("seconds", low, high),
                Axis("height from the chest (cm)"),
                "The gesture",
                bands,
            ),
            Panel(
                ends,
                Axis("seconds", stop - 0.1, until),
                Axis("cm past the stroke's end", *limits),
                "The end of its stroke, closer",
            ),
        ],
        "A gesture with four tensions",
        description="Loose hands swing past the stroke's end slowly and far, tense ones quiver.",
    )


def figure_inverse() -> str:
    """A response whose swings and overshoot were asked for."""
    error, zeta = response.parameters_for(**ASKED)
    speed, end = ASKED["speed_m_s"], 1.2
    lag = float(response.lag_s(error, zeta))
    times = np.linspace(-0.1, end, 261)
    after = response.ramp_stop_response(np.maximum(times, 0.0), error, zeta, speed)
    place = np.where(times < 0.0, speed * (times - lag), after)
    turns = response.peak_time_s(error, zeta, np.arange(1, int(ASKED["oscillations"]) + 1))
    heights = response.ramp_stop_response(turns, error, zeta, speed)
    asked, settled = 100.0 * ASKED["overshoot_m"], 100.0 * response.SETTLED * lag * speed
    lines = (
        Line(times, 100.0 * speed * np.minimum(times, 0.0), "target", GREY, "dashed"),
        Line(np.array([0.0, end]), np.full(2, asked), "asked for", PALETTE[1], "dashed", 1.5),
        Line(times, 100.0 * place, f"rest error {length_text(error)}, ζ = {zeta:.2f}", width=2.5),
        Line(turns, 100.0 * heights, "its swings", PALETTE[3], dots=True),
    )
    return figure_svg(
        [
            Panel(
                lines,
                Axis("seconds since the stop", -0.1, end),
                Axis("cm from the stop", -9.0, 5.5),
                bands=(Band(-settled, settled, axis="y", shade=0.25),),
            )
        ],
        "The response that was asked for",
        description="The hand swings past the stop by what was asked for, and settles.",
    )
