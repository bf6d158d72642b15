"""Ranges of body features in which a generated window of 20 s is accepted.

They span calm and vivid recorded speakers and story tellers. A speaker may also stand still: hardly
shift the weight and take no step, if the pelvis keeps turning and the knees are not alike. Such a
window is accepted whatever it has in the ranges of weight shifts and steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from benchmarks.studies.body_features import FEATURES, NAMES

from kinesphere.maths.arrays import Bools, Floats


@dataclass(frozen=True)
class BodyRange:
    """Accepted values of a feature.

    Parameters
    ----------
    feature : its name.
    low, high : in its unit, inclusive.
    of_weight : a still speaker need not keep it.
    """

    feature: str
    low: float
    high: float
    of_weight: bool = False

    @property
    def label(self) -> str:
        """Feature and unit."""
        return FEATURES[self.column].label

    @property
    def column(self) -> int:
        """Of the feature."""
        return NAMES.index(self.feature)

    def __str__(self) -> str:
        if np.isinf(self.low):
            return f"up to {self.high:g}"
        return f"{self.low:g} to {self.high:g}"


RANGES = (
    BodyRange("stance width", 22, 38),
    BodyRange("stance stagger", 1, 16),
    BodyRange("turn-out of the feet", 8, 42),
    BodyRange("pelvis over feet, side SD", 2, 10, of_weight=True),
    BodyRange("pelvis side speed p95", 9, 40, of_weight=True),
    BodyRange("weight shifts over 5 cm", 7, 36, of_weight=True),
    BodyRange("duration of weight shifts", 0.5, 2, of_weight=True),
    BodyRange("time over 65 % on one leg", 0.05, 0.95, of_weight=True),
    BodyRange("foot moves", 2, 35, of_weight=True),
    BodyRange("ankle rise p99", 0.8, 13, of_weight=True),
    # Recordings slide by 1.2 to 3.7 cm/s on the default figure: the lower half is what stands.
    BodyRange("slide of planted feet", -np.inf, 2.0),
    BodyRange("knee flexion SD", 2, 10),
    BodyRange("knees' difference", 3, 13),
    BodyRange("knee speed", 5, 24),
    BodyRange("pelvis bob 0.5-4 Hz", 0.8, 10),
    BodyRange("pelvis yaw SD", 2.5, 17),
    BodyRange("pelvis pitch SD", 0.8, 5),
    BodyRange("pelvis roll SD", 0.8, 4.5),
    BodyRange("pelvis' share of chest yaw", 0.55, 1.05),
    BodyRange("spine yaw SD", 1.5, 6),
    BodyRange("spine roll SD", 2.5, 8),
    BodyRange("chest's part of head turns", 0.3, 1.1),
    BodyRange("neck yaw to chest yaw, r", -np.inf, -0.3),
    BodyRange("time an elbow is out, its hand low and in", -np.inf, 0.2),
    BodyRange("elbow further out than wrist", -6, 4),
    BodyRange("mirror distance of wrists", 8, 23),
    BodyRange("wrist deviation to radial acceleration, r", -np.inf, -0.2),
)


@dataclass(frozen=True)
class StillStance:
    """What a still speaker does: a small sway, no step, but a turning pelvis and unequal knees."""

    side_sd_cm: tuple[float, float] = (0.4, 2.0)
    most_foot_moves: float = 0.0
    least_turning_deg_s: float = 5.0
    least_knees_deg: float = 3.0


@dataclass(frozen=True)
class RangeShare:
    """How a range is kept.

    Parameters
    ----------
    accepted : the range.
    share : of measured windows that are inside, or still where that excuses them; NaN for none.
    measured : number of windows that have the feature, or are excused.
    """

    accepted: BodyRange
    share: float
    measured: int


def still_windows(features: Floats, still: StillStance | None = None) -> Bools:
    """Whether each window ``[windows, features]`` is that of a still speaker."""
    still = still or StillStance()
    side, moves, turning, knees = (
        features[:, NAMES.index(name)]
        for name in (
            "pelvis over feet, side SD",
            "foot moves",
            "pelvis turning speed",
            "knees' difference",
        )
    )
    low, high = still.side_sd_cm
    return np.asarray(
        (side >= low)
        & (side < high)
        & (moves <= still.most_foot_moves)
        & (turning >= still.least_turning_deg_s)
        & (knees >= still.least_knees_deg)
    )


def range_shares(features: Floats, ranges: Sequence[BodyRange] = RANGES) -> list[RangeShare]:
    """Share of windows ``[windows, features]`` inside each range."""
    still = still_windows(features)
    out = []
    for accepted in ranges:
        values = features[:, accepted.column]
        excused = still & accepted.of_weight
        inside = ((values >= accepted.low) & (values <= accepted.high)) | excused
        measured = np.isfinite(values) | excused
        share = float(inside[measured].mean()) if measured.any() else np.nan
        out.append(RangeShare(accepted, share, int(measured.sum())))
    return out
