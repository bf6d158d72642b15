"""Tables of the tension page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinesphere.dynamics.tension import response
from kinesphere.dynamics.tension.mass_tracker import measure_lag
from kinesphere.dynamics.tension.presets import PRESETS
from kinesphere.export.render.plot import MINUS
from kinesphere.pipeline.papers.tension_effects import EFFECTS, PRINTED_TABLE, arrows
from kinesphere.pipeline.papers.tension_formulas import (
    EXAMPLE,
    measure_ramp,
    printed_error,
    printed_oscillations,
    printed_peak_error_m,
    printed_settling_time_s,
)
from kinesphere.pipeline.papers.tension_gesture import ShownGesture


def length_text(metres: float) -> str:
    """A length in millimetres, or in centimetres from 1 cm on."""
    return f"{1000.0 * metres:.3g} mm" if metres < 0.01 else f"{100.0 * metres:.3g} cm"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def preset_table() -> str:
    """Parameters and responses of the presets."""
    rows = []
    for name, preset in PRESETS.items():
        for kind, p in (("stroke", preset.stroke), ("retraction", preset.retraction)):
            error, zeta = float(p.rest_error_m), float(p.zeta)
            rows.append(
                [
                    name if kind == "stroke" else "",
                    kind,
                    length_text(error),
                    f"{zeta:g}",
                    f"{float(response.natural_frequency_hz(error)):.1f} Hz",
                    f"{1000.0 * float(response.lag_s(error, zeta)):.0f} ms",
                    f"{100.0 * float(response.overshoot_m(error, zeta)):.1f} cm",
                    f"{float(response.settling_time_s(error, zeta)):.2f} s",
                    f"{float(response.oscillations(zeta)):.1f}",
                ]
            )
    head = ["preset", "for", "rest error", "zeta", "frequency", "lag", "overshoot", "settles in"]
    return _table([*head, "swings"], rows)


def print_table() -> str:
    """The paper's numbers as printed, corrected, and measured."""
    error, zeta = EXAMPLE
    seen = measure_ramp(error, zeta)
    rows = [
        (
            "error at the start (eq 3)",
            "{:.1f} cm",
            100.0 * float(printed_error(np.zeros(()), *EXAMPLE)),
            100.0 * float(response.ramp_error(0.0, error, zeta)),
            100.0 * seen.start_m,
        ),
        (
            "largest error (eq 5)",
            "{:.2f} cm",
            100.0 * printed_peak_error_m(*EXAMPLE),
            100.0 * float(response.peak_error_m(error, zeta)),
            100.0 * seen.peak_m,
        ),
        (
            "overshoot past a stop",
            "{:.2f} cm",
            None,
            100.0 * float(response.overshoot_m(error, zeta)),
            100.0 * seen.overshoot_m,
        ),
        (
            "settled after (eq 7)",
            "{:.2f} s",
            printed_settling_time_s(*EXAMPLE),
            float(response.settling_time_s(error, zeta)),
            seen.settled_s,
        ),
        (
            "swings (eq 8)",
            "{:.1f}",
            float(printed_oscillations(np.array(zeta))),
            float(response.oscillations(zeta)),
            float(seen.swings),
        ),
    ]
    cells = [
        [name, *("" if v is None else form.format(v + 0.0).replace("-", MINUS) for v in values)]
        for name, form, *values in rows
    ]
    return _table(["", "as printed", "corrected", "measured on the tracker"], cells)


def effect_table() -> str:
    """Table 1: effects of the parameters, with what is printed where it differs."""
    rows = []
    for name, effect in EFFECTS.items():
        found = arrows(effect)
        printed = PRINTED_TABLE.get(name, found)
        cells = [
            a if a == b else f"**{a}** (printed {b})" for a, b in zip(found, printed, strict=True)
        ]
        rows.append([name, *cells, "" if name in PRINTED_TABLE else "ours"])
    return _table(["for more …", "zeta", "stiffness", "speed of the hand", ""], rows)


def inverse_table() -> str:
    """Parameters for some oscillations, and what the tracker then does."""
    rows = []
    for swings, overshoot, speed in (
        (3.0, 0.04, 1.0),
        (6.0, 0.04, 1.0),
        (3.0, 0.01, 1.0),
        (3.0, 0.04, 2.0),
    ):
        error, zeta = response.parameters_for(swings, overshoot, speed)
        seen = measure_ramp(error, zeta)
        rows.append(
            [
                f"{swings:g}",
                length_text(overshoot),
                f"{speed:g} m/s",
                length_text(error),
                f"{zeta:.2f}",
                f"{100.0 * speed * seen.overshoot_m:.2f} cm",
                f"{seen.swings}",
            ]
        )
    head = ["swings", "overshoot", "at", "rest error", "zeta", "overshoot measured"]
    return _table([*head, "swings counted"], rows)


def gesture_table(gesture: ShownGesture) -> str:
    """Lags and overshoots of a gesture with each preset."""
    shown = (gesture.times >= gesture.shown_s[0]) & (gesture.times <= gesture.shown_s[1])
    # A stiff hand reverses just before its stroke counts as over.
    held = (gesture.times >= gesture.stroke.end_s - 0.1) & (gesture.times <= gesture.hold_end_s)
    rows = []
    for name, preset in PRESETS.items():
        late, path = gesture.track_wrists(preset, compensate=False), gesture.track_wrists(preset)
        lags = [
            1000.0 * float(measure_lag(gesture.wrists[shown], p[shown], gesture.fps))
            for p in (late, path)
        ]
        past = gesture.along(path)[held].max() - gesture.along(gesture.wrists)[held].max()
        away = np.linalg.norm(path - gesture.wrists, axis=-1)[shown].max()
        cells = [f"{lags[0]:.0f} ms", f"{lags[1]:.0f} ms", f"{100.0 * past:.1f} cm"]
        rows.append([name, *cells, f"{100.0 * away:.1f} cm"])
    head = ["preset", "lag", "lag when shifted", "past the stroke's end", "farthest from the input"]
    return _table(head, rows)
