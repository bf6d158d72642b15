"""Units of movement: speed, duration, size and shape of each, and how many there are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kinesphere.evaluation.metric import ANY, Accept, Measure, Window
from kinesphere.evaluation.movement import RATE_HZ, Units, amplitude_law
from kinesphere.maths.arrays import Floats


def _quantile(values: Callable[[Units], Floats], q: float) -> Callable[[Window], float]:
    def of(window: Window) -> float:
        found = values(window.units)
        return float(np.quantile(found, q)) if len(found) else np.nan

    return of


def _units_per_s(window: Window) -> float:
    seconds = float(np.count_nonzero(window.moving)) / RATE_HZ
    return len(window.units) / seconds if seconds > 0.0 else np.nan


def _amplitude_exponent(window: Window) -> float:
    return amplitude_law(window.units)[1]


METRICS = (
    Measure(
        "median_peak",
        "median unit peak",
        "m/s",
        _quantile(lambda units: units.peak, 0.5),
        Accept(0.5, 1.1),
        Accept(0.65, 2.5),
        (0.76, 1.26),
    ),
    Measure(
        "p95_peak",
        "p95 unit peak",
        "m/s",
        _quantile(lambda units: units.peak, 0.95),
        Accept(0.9, 2.2),
        Accept(2.1, 5.2),
        (1.44, 3.1),
    ),
    Measure(
        "fastest_peak",
        "fastest unit",
        "m/s",
        _quantile(lambda units: units.peak, 1.0),
        Accept(ANY, 3.0),
        Accept(ANY, 6.0),
        (1.9, 3.8),
    ),
    Measure(
        "median_duration",
        "median unit duration",
        "s",
        _quantile(lambda units: units.duration_s, 0.5),
        Accept(0.3, 0.7),
        Accept(0.2, 0.7),
        (0.48, 0.41),
    ),
    Measure(
        "median_chord",
        "median unit chord",
        "m",
        _quantile(lambda units: units.chord_m, 0.5),
        Accept(0.10, 0.30),
        Accept(0.17, 0.42),
        (0.19, 0.24),
    ),
    Measure(
        "units_per_s",
        "units per s of moving",
        "",
        _units_per_s,
        Accept(1.4, 2.7),
        Accept(1.4, 4.2),
        (1.9, 2.3),
    ),
    Measure(
        "median_time_to_peak",
        "median time to peak / duration",
        "",
        _quantile(lambda units: units.time_to_peak, 0.5),
        Accept(0.43, 0.56),
        Accept(0.43, 0.56),
        (0.50, 0.50),
    ),
    Measure(
        "median_end_ratio",
        "median end speed / peak",
        "",
        _quantile(lambda units: units.end_ratio, 0.5),
        Accept(0.15, 0.32),
        Accept(0.15, 0.32),
        (0.22, 0.24),
    ),
    Measure(
        "amplitude_exponent",
        "exponent of peak ~ chord^b",
        "",
        _amplitude_exponent,
        Accept(0.45, 0.85),
        Accept(0.45, 0.85),
        (0.64, 0.64),
    ),
)
