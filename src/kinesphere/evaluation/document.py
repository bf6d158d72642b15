"""An evaluation as plain JSON values: numbers to six digits, None for missing values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from kinesphere.evaluation.diversity import Apartness
from kinesphere.evaluation.frechet import FrechetDistance
from kinesphere.evaluation.reference_floor import Floor
from kinesphere.evaluation.results import (
    Evaluation,
    FrechetRow,
    MovementRow,
    QuantityRow,
    TakeFigures,
)
from kinesphere.evaluation.segment_synchrony import SegmentSynchrony
from kinesphere.evaluation.side_by_side import Spread
from kinesphere.evaluation.speech_timing import SpeechTiming
from kinesphere.evaluation.synchrony import BeatConsistency, Coincidence

DIGITS = 6


def plain(value: float) -> float | None:
    """A number for JSON: to six digits, None if it is not finite.

    >>> plain(0.123456789), plain(float("inf"))
    (0.123457, None)
    """
    return float(f"{value:.{DIGITS}g}") if np.isfinite(value) else None


def document_of(found: Evaluation) -> dict[str, Any]:
    """All of an evaluation; times in seconds, lengths in metres of a 1.75 m person."""
    return {
        "manner": found.manner,
        "accepted": plain(found.accepted),
        "inside_references": plain(found.inside),
        "takes": [_take(take) for take in found.takes],
        "references": [_take(take) for take in found.references],
        "movement": [_movement(row) for row in found.movement],
        "histograms": {row.quantity.name: _quantity(row) for row in found.quantities},
        "frechet": None if found.frechet is None else _frechet(found.frechet),
        "timing": _timing(found.timing),
        "reference_timing": _timing(found.reference_timing),
        "diversity": None
        if found.diversity is None
        else {
            "takes": found.diversity.takes,
            "length_s": plain(found.diversity.length_s),
            "hands_m": _apart(found.diversity.hands_m),
            "pose_m": _apart(found.diversity.pose_m),
            "feature": _apart(found.diversity.feature),
        },
        "faults": _numbers(found.faults),
        "reference_faults": _numbers(found.reference_faults),
        "notes": list(found.notes),
    }


def _numbers(values: Mapping[str, float]) -> dict[str, float | None]:
    return {name: plain(value) for name, value in values.items()}


def _list(values: Iterable[float]) -> list[float | None]:
    return [plain(float(value)) for value in values]


def _take(take: TakeFigures) -> dict[str, Any]:
    return {
        "name": take.name,
        "length_s": plain(take.length_s),
        "windows": take.windows,
        "medians": _numbers(take.medians),
        "hellinger": _numbers(take.hellinger),
        "frechet": None
        if take.frechet is None
        else {**_distance(take.frechet), "floor": _floor(take.floor)},
        "timing": _timing(take.timing),
        "faults": _numbers(take.faults),
        "worst_joints_deg": _numbers(take.worst_joints_deg),
    }


def _spread(values: Spread) -> dict[str, Any] | None:
    if not values.count:
        return None
    return {
        "p5": plain(values.low),
        "median": plain(values.median),
        "p95": plain(values.high),
        "count": values.count,
    }


def _movement(row: MovementRow) -> dict[str, Any]:
    measure = row.measure
    return {
        "name": measure.name,
        "label": measure.label,
        "takes": _spread(row.sides.synthesis),
        "references": _spread(row.sides.training),
        "inside_references": plain(row.sides.inside),
        "accept": [plain(row.accept.low), plain(row.accept.high)],
        "accepted": plain(row.accepted),
        "people": {"calm": plain(measure.people[0]), "expressive": plain(measure.people[1])},
    }


def _floor(floor: Floor | None) -> dict[str, Any] | None:
    if floor is None:
        return None
    return {
        "median": plain(floor.median),
        "p95": plain(floor.high),
        "pieces": floor.pieces,
        "of": floor.of,
    }


def _quantity(row: QuantityRow) -> dict[str, Any]:
    return {
        "label": row.quantity.label,
        "edges": _list(row.takes.edges),
        "takes": _list(row.takes.shares),
        "references": None if row.references is None else _list(row.references.shares),
        "hellinger": plain(row.distance),
        "floor": _floor(row.floor),
        "between": _list(row.between),
    }


def _distance(distance: FrechetDistance) -> dict[str, Any]:
    return {
        "value": plain(distance.value),
        "mean_part": plain(distance.mean_part),
        "spread_part": plain(distance.spread_part),
        "windows": list(distance.windows),
    }


def _frechet(row: FrechetRow) -> dict[str, Any]:
    return {
        **_distance(row.distance),
        "floor": _floor(row.floor),
        "between": _list(row.between),
        "mean_parts": _numbers(row.parts),
    }


def _beats(found: BeatConsistency | None) -> dict[str, Any] | None:
    if found is None:
        return None
    names = ("value", "chance", "excess", "low", "high", "p")
    return {"count": found.count, **_numbers({name: getattr(found, name) for name in names})}


def _lags(found: Coincidence | None) -> dict[str, Any] | None:
    if found is None:
        return None
    names = (
        "median_abs_s",
        "median_s",
        "near_share",
        "chance_abs_s",
        "chance_share",
        "p",
        "p_near",
    )
    return {"count": found.count, **_numbers({name: getattr(found, name) for name in names})}


def _ends(found: SegmentSynchrony) -> dict[str, Any]:
    return {
        **(_lags(found.ends) or {}),
        "best_lag_s": plain(found.best_lag_s),
        "best_p": plain(found.p),
        "curve": {
            "lags_s": _list(found.lags_s),
            "near_share": _list(found.near),
            "chance": plain(found.chance),
            "highest_by_chance_p95": plain(found.high),
        },
    }


def _timing(timing: SpeechTiming | None) -> dict[str, Any] | None:
    if timing is None:
        return None
    return {
        "beats": _beats(timing.beats),
        "speed_peaks": _beats(timing.pulses),
        "speed_peak_lags": _lags(timing.peaks),
        "segment_ends": {name: _ends(found) for name, found in timing.ends.items()},
        "speed_speaking": plain(timing.speaking),
        "speed_pausing": plain(timing.pausing),
    }


def _apart(found: Apartness) -> dict[str, Any]:
    return {
        "mean": plain(found.mean),
        "unrelated": plain(found.unrelated),
        "ratio": plain(found.ratio),
        "pairs": [_list(row) for row in found.pairs],
    }
