"""How the two hands move together."""

from __future__ import annotations

from kinesphere.evaluation.metric import Accept, Measure, Window
from kinesphere.evaluation.movement import correlation


def _hand_correlation(window: Window) -> float:
    return correlation(window.speed[:, 0], window.speed[:, 1])


METRICS = (
    Measure(
        "hand_correlation",
        "left-right speed correlation",
        "",
        _hand_correlation,
        Accept(0.4, 0.95),
        Accept(0.3, 0.95),
        (0.80, 0.61),
    ),
)
