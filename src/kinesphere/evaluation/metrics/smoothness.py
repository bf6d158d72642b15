"""Smoothness of the wrists: velocity power at high frequencies, jerk and acceleration.

Expressive ranges of power are as far above the median as in calm talk.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kinesphere.evaluation.metric import ANY, Accept, Measure, Window
from kinesphere.evaluation.movement import POWER_HZ


def _power_above(hz: float) -> Callable[[Window], float]:
    def of(window: Window) -> float:
        return window.high_power[POWER_HZ.index(hz)]

    return of


def _rms_jerk(window: Window) -> float:
    jerk = window.motion.jerks[window.span][window.moving]
    return float(np.sqrt(np.mean(jerk**2))) if len(jerk) else np.nan


def _p99_acceleration(window: Window) -> float:
    found = window.motion.accelerations[window.span][window.moving]
    return float(np.quantile(found, 0.99)) if len(found) else np.nan


METRICS = (
    Measure(
        "power_above_3_hz",
        "% velocity power > 3 Hz",
        "",
        _power_above(3.0),
        Accept(ANY, 4.0),
        Accept(ANY, 14.0),
        (1.7, 6.0),
    ),
    Measure(
        "power_above_5_hz",
        "% velocity power > 5 Hz",
        "",
        _power_above(5.0),
        Accept(ANY, 0.7),
        Accept(ANY, 5.0),
        (0.26, 2.0),
    ),
    Measure(
        "power_above_8_hz",
        "% velocity power > 8 Hz",
        "",
        _power_above(8.0),
        Accept(ANY, 0.2),
        Accept(ANY, 2.5),
        (0.08, 1.0),
    ),
    Measure(
        "rms_jerk",
        "RMS jerk while moving",
        "m/s3",
        _rms_jerk,
        Accept(45.0, 120.0),
        Accept(100.0, 970.0),
        (72.0, 240.0),
    ),
    Measure(
        "p99_acceleration",
        "acceleration p99",
        "m/s2",
        _p99_acceleration,
        Accept(8.0, 20.0),
        Accept(18.0, 100.0),
        (12.7, 36.0),
    ),
)
