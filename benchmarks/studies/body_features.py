"""Features of a window of a standing speaker: how legs, torso, arms and head move.

`COMPARED` are those by which generated and recorded speakers are compared, `STANCE` further ones
that only have an accepted range. The slide of planted feet is among the latter because retargeted
recordings slide by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from benchmarks.studies.body_events import (
    POSTURE_HZ,
    chest_part_of_head_turns,
    foot_moves,
    posture_changes,
    shift_durations_s,
    weight_shifts,
)
from benchmarks.studies.whole_body import RATE_HZ, WholeBody, band, rate, smooth

from kinesphere.evaluation.movement import correlation
from kinesphere.maths.arrays import Bools, Floats

Region = Literal["legs", "torso", "arms", "head"]
REGIONS: tuple[Region, ...] = ("legs", "torso", "arms", "head")
WINDOW_S, HOP_S, SHORTEST_S = 20.0, 10.0, 14.0
"""Length of a window and time between two; a recording from `SHORTEST_S` on has at least one."""


@dataclass(frozen=True)
class BodyFeature:
    """Name, unit ("" for a ratio) and region of a feature."""

    name: str
    unit: str
    region: Region

    @property
    def label(self) -> str:
        """Name and unit."""
        return f"{self.name}, {self.unit}" if self.unit else self.name


COMPARED = (
    BodyFeature("pelvis over feet, side SD", "cm", "legs"),
    BodyFeature("pelvis over feet, fore-aft SD", "cm", "legs"),
    BodyFeature("load off centre", "", "legs"),
    BodyFeature("time over 65 % on one leg", "", "legs"),
    BodyFeature("weight shifts over 5 cm", "/min", "legs"),
    BodyFeature("pelvis side speed p95", "cm/s", "legs"),
    BodyFeature("stance width", "cm", "legs"),
    BodyFeature("stance stagger", "cm", "legs"),
    BodyFeature("ankle rise p99", "cm", "legs"),
    BodyFeature("time a foot moves", "", "legs"),
    BodyFeature("knee flexion SD", "deg", "legs"),
    BodyFeature("knees' difference", "deg", "legs"),
    BodyFeature("knee speed", "deg/s", "legs"),
    BodyFeature("pelvis bob 0.5-4 Hz", "mm", "legs"),
    BodyFeature("pelvis yaw SD", "deg", "torso"),
    BodyFeature("pelvis pitch SD", "deg", "torso"),
    BodyFeature("pelvis roll SD", "deg", "torso"),
    BodyFeature("pelvis turning speed", "deg/s", "torso"),
    BodyFeature("pelvis' share of chest yaw", "", "torso"),
    BodyFeature("spine yaw SD", "deg", "torso"),
    BodyFeature("spine roll SD", "deg", "torso"),
    BodyFeature("chest roll SD", "deg", "torso"),
    BodyFeature("chest turning speed", "deg/s", "torso"),
    BodyFeature("posture changes", "/min", "torso"),
    BodyFeature("elbow further out than wrist", "cm", "arms"),
    BodyFeature("time an elbow is out, its hand low and in", "", "arms"),
    BodyFeature("upper-arm abduction, r left-right", "", "arms"),
    BodyFeature("wrist height, r left-right", "", "arms"),
    BodyFeature("wrist forward, r left-right", "", "arms"),
    BodyFeature("mirror distance of wrists", "cm", "arms"),
    BodyFeature("both hands move, asymmetric", "", "arms"),
    BodyFeature("both hands below 0.15 m/s", "", "arms"),
    BodyFeature("mean hand speed", "m/s", "arms"),
    BodyFeature("wrist deviation to radial acceleration, r", "", "arms"),
    BodyFeature("head yaw SD", "deg", "head"),
    BodyFeature("head pitch SD", "deg", "head"),
    BodyFeature("head turning speed", "deg/s", "head"),
    BodyFeature("chest's part of head turns", "", "head"),
    BodyFeature("neck yaw to chest yaw, r", "", "head"),
)
STANCE = (
    BodyFeature("turn-out of the feet", "deg", "legs"),
    BodyFeature("foot moves", "/min", "legs"),
    BodyFeature("duration of weight shifts", "s", "legs"),
    BodyFeature("slide of planted feet", "cm/s", "legs"),
)
FEATURES = (*COMPARED, *STANCE)
NAMES = tuple(feature.name for feature in FEATURES)


@dataclass(frozen=True)
class FeatureSettings:
    """Thresholds of features.

    Parameters
    ----------
    shift_m : smallest weight shift.
    one_leg : share of the weight from which on one leg carries it.
    foot_m_s, hand_m_s : speeds from which on a foot or a hand moves.
    elbow_out_m, low_m : an elbow this much further out than its wrist, which is this far below the
        shoulders, carries a basket.
    mirrored_m : distance of one wrist from the other's mirror image up to which both are mirrored.
    deviation_deg : SD of a wrist's deviation below which it does not bend.
    moving_s : time that a hand must move for its wrist to be measured.
    """

    shift_m: float = 0.05
    one_leg: float = 0.65
    foot_m_s: float = 0.10
    hand_m_s: float = 0.15
    elbow_out_m: float = 0.08
    low_m: float = 0.25
    mirrored_m: float = 0.12
    deviation_deg: float = 0.5
    moving_s: float = 1.0


SETTINGS = FeatureSettings()


def window_spans(frames: int) -> list[slice]:
    """Frames of each window; a recording shorter than a window is one, if it is long enough."""
    if frames < SHORTEST_S * RATE_HZ:
        return []
    size, hop = round(WINDOW_S * RATE_HZ), round(HOP_S * RATE_HZ)
    return [slice(a, min(a + size, frames)) for a in range(0, max(1, frames - size + 1), hop)]


def window_features(body: WholeBody) -> Floats:
    """Features ``[windows, features]`` in the order of `FEATURES`; NaN what a window lacks."""
    moves = foot_moves(body.legs)
    rows = []
    for span in window_spans(len(body)):
        found = {
            **_weight(body, span),
            **_stance(body, span, moves),
            **_torso(body, span),
            **_arms(body, span),
            **_hands(body, span),
            **_head(body, span),
        }
        rows.append([found[name] for name in NAMES])
    return np.array(rows).reshape(len(rows), len(NAMES))


def _per_minute(count: float, span: slice) -> float:
    return float(60.0 * count * RATE_HZ / (span.stop - span.start))


def _weight(body: WholeBody, span: slice) -> dict[str, float]:
    legs = body.legs
    off = np.abs(legs.load[span] - 0.5)
    slow = smooth(legs.side, 1.5)[span]
    shifts = weight_shifts(slow, SETTINGS.shift_m)
    durations = shift_durations_s(slow, shifts)
    return {
        "pelvis over feet, side SD": 100 * legs.side[span].std(),
        "pelvis over feet, fore-aft SD": 100 * legs.fore[span].std(),
        "load off centre": off.mean(),
        "time over 65 % on one leg": np.mean(off > SETTINGS.one_leg - 0.5),
        "weight shifts over 5 cm": _per_minute(len(shifts), span),
        "duration of weight shifts": float(np.median(durations)) if shifts else np.nan,
        "pelvis side speed p95": 100
        * np.percentile(np.abs(rate(smooth(legs.side, 3.0))[span]), 95),
        "pelvis bob 0.5-4 Hz": 1000 * band(legs.height, 0.5, 4.0)[span].std(),
    }


def _stance(body: WholeBody, span: slice, moves: Floats) -> dict[str, float]:
    legs = body.legs
    rise = np.subtract(*np.percentile(legs.ankle_height[span], [99, 5], axis=0))
    knees = smooth(legs.knees_deg, 6.0)[span]
    slides = legs.slide_m_s[span]
    planted = slides[np.isfinite(slides)]
    inside = (moves >= span.start) & (moves < span.stop)
    return {
        "stance width": 100 * np.median(legs.width[span]),
        "stance stagger": 100 * np.median(np.abs(legs.stagger[span])),
        "turn-out of the feet": np.median(-np.diff(legs.heading_deg[span], axis=1)),
        "ankle rise p99": 100 * rise.max(),
        "time a foot moves": np.mean((legs.foot_speed_m_s[span] > SETTINGS.foot_m_s).any(axis=1)),
        "foot moves": _per_minute(inside.sum(), span),
        "slide of planted feet": 100 * planted.mean() if len(planted) else np.nan,
        "knee flexion SD": knees.std(axis=0).mean(),
        "knees' difference": np.abs(np.diff(knees, axis=1)).mean(),
        "knee speed": np.abs(rate(knees)).mean(),
    }


def _torso(body: WholeBody, span: slice) -> dict[str, float]:
    torso, legs = body.torso, body.legs
    pelvis, chest, spine = torso.pelvis[span], torso.chest[span], torso.spine[span]
    units = np.column_stack(
        [50 * legs.side, 50 * legs.fore, torso.pelvis[:, 0] / 3, torso.chest / 3]
    )
    posture = smooth(units, 1.5)[span][:: round(RATE_HZ / POSTURE_HZ)]
    return {
        "pelvis yaw SD": pelvis[:, 0].std(),
        "pelvis pitch SD": pelvis[:, 1].std(),
        "pelvis roll SD": pelvis[:, 2].std(),
        "pelvis turning speed": _turning(torso.pelvis, span),
        "pelvis' share of chest yaw": _share(pelvis[:, 0], chest[:, 0]),
        "spine yaw SD": spine[:, 0].std(),
        "spine roll SD": spine[:, 2].std(),
        "chest roll SD": chest[:, 2].std(),
        "chest turning speed": _turning(torso.chest, span),
        "posture changes": _per_minute(posture_changes(posture), span),
    }


def _turning(angles: Floats, span: slice) -> float:
    """Mean speed of three angles, degrees per second."""
    return float(np.linalg.norm(rate(smooth(angles, 6.0))[span], axis=1).mean())


def _share(part: Floats, whole: Floats) -> float:
    """Part's share of a whole that it contributes to; 0 where the whole does not move."""
    off = whole - whole.mean()
    return float(np.mean(part * off) / max(np.mean(off**2), 1e-6))


def _related(a: Floats, b: Floats) -> float:
    """Correlation; 0 where one of both does not move."""
    return float(np.nan_to_num(correlation(a, b)))


def _arms(body: WholeBody, span: slice) -> dict[str, float]:
    arms = body.arms
    wrists, abduction = arms.wrists[span], arms.abduction_deg[span]
    outer = arms.elbows[span, :, 0] - wrists[..., 0]
    basket = (outer > SETTINGS.elbow_out_m) & (wrists[..., 1] < -SETTINGS.low_m)
    return {
        "elbow further out than wrist": 100 * outer.mean(),
        "time an elbow is out, its hand low and in": np.mean(basket.any(axis=1)),
        "upper-arm abduction, r left-right": _related(abduction[:, 0], abduction[:, 1]),
        "wrist height, r left-right": _related(wrists[:, 0, 1], wrists[:, 1, 1]),
        "wrist forward, r left-right": _related(wrists[:, 0, 2], wrists[:, 1, 2]),
    }


def _hands(body: WholeBody, span: slice) -> dict[str, float]:
    arms = body.arms
    moves = np.asarray(smooth(arms.speed_m_s, 2.0)[span] > SETTINGS.hand_m_s)
    mirror = np.linalg.norm(arms.wrists[span, 0] - arms.wrists[span, 1], axis=1)
    return {
        "mirror distance of wrists": 100 * mirror.mean(),
        "both hands move, asymmetric": np.mean(moves.all(axis=1) & (mirror > SETTINGS.mirrored_m)),
        "both hands below 0.15 m/s": np.mean(~moves.any(axis=1)),
        "mean hand speed": arms.speed_m_s[span].mean(),
        "wrist deviation to radial acceleration, r": _wrist_drag(body, span, moves),
    }


def _wrist_drag(body: WholeBody, span: slice, moves: Bools) -> float:
    """Mean over the hands that move long enough and bend at the wrist; NaN for none."""
    found = []
    for hand in range(2):
        deviation = body.arms.deviation_deg[span, hand]
        radial, moving = body.arms.radial_m_s2[span, hand], moves[:, hand]
        enough = moving.sum() > SETTINGS.moving_s * RATE_HZ
        if enough and deviation.std() > SETTINGS.deviation_deg:
            found.append(_related(deviation[moving], radial[moving]))
    return float(np.mean(found)) if found else np.nan


def _head(body: WholeBody, span: slice) -> dict[str, float]:
    head, chest, neck = (
        angles[span] for angles in (body.torso.head, body.torso.chest, body.torso.neck)
    )
    return {
        "head yaw SD": head[:, 0].std(),
        "head pitch SD": head[:, 1].std(),
        "head turning speed": _turning(body.torso.head, span),
        "chest's part of head turns": chest_part_of_head_turns(head, chest),
        "neck yaw to chest yaw, r": _related(neck[:, 0], chest[:, 0]),
    }
