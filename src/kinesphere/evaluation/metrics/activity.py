"""How much the hands move."""

from __future__ import annotations

import numpy as np

from kinesphere.evaluation.metric import ANY, Accept, Measure, Window
from kinesphere.evaluation.movement import MOVING_M_S, STILL_M_S


def _mean_speed(window: Window) -> tuple[float, float]:
    speed = window.speed
    return float(speed[:, 0].mean()), float(speed[:, 1].mean())


def _still_share(window: Window) -> tuple[float, float]:
    speed = window.speed
    return float(np.mean(speed[:, 0] < STILL_M_S)), float(np.mean(speed[:, 1] < STILL_M_S))


def _both_still_speaking(window: Window) -> float:
    slow = window.speed[window.spoken].max(axis=1) < MOVING_M_S
    return float(slow.mean()) if len(slow) else np.nan


METRICS = (
    Measure(
        "mean_speed",
        "mean wrist speed",
        "m/s",
        _mean_speed,
        Accept(0.15, 0.7),
        Accept(0.35, 1.4),
        (0.39, 0.78),
        per_hand=True,
    ),
    Measure(
        "still_share",
        "share of time < 0.05 m/s",
        "",
        _still_share,
        Accept(0.01, 0.45),
        Accept(0.0, 0.15),
        (0.15, 0.04),
        per_hand=True,
    ),
    Measure(
        "both_still_speaking",
        "both hands < 0.1 m/s, of speech",
        "",
        _both_still_speaking,
        Accept(ANY, 0.15),
        Accept(ANY, 0.15),
        needs="speech",
    ),
)
