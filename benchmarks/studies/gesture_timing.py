"""Timing and handedness of gestures: strokes with words, holds, retractions, two hands.

A hand is home within 0.12 m of a home position, which is given as the wrist's position from the
chest: outward, up and forward from midway between the shoulders, metres of a 1.75 m person.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.animation.arms.poses.home_pose import HOME_WRIST
from kinesphere.corpus.profiles.profile import Profile
from kinesphere.errors import InvalidValueError
from kinesphere.evaluation.artefacts import ArmPostures
from kinesphere.evaluation.movement import MOVING_M_S, RATE_HZ, WristMotion, correlation
from kinesphere.evaluation.synchrony import lags_s
from kinesphere.gesture.script import HANDS, Hands
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.motion.contacts import runs
from kinesphere.motion.kinematics import velocities

WITHIN_S = 0.3
HOME_WITHIN_S = 0.5
HOME_M = 0.12
HOLD_M_S = 0.12
LEAST_HOLD_S = 0.25
FROZEN_M_S = 0.005
LEAST_FREEZE_S = 1.0
# In shorter holds drift cannot be separated from the movements next to them.
_LEAST_DRIFT_S = 0.6
# The weaker hand takes part from this proportion of the stronger one's RMS speed on.
_BOTH_SHARE = 0.5
_DRAWS = 2000
_MOST_PAIR_LAG_S = 0.25
_MOST_HAND_LAG_S = 0.3


class Stroke(NamedTuple):
    """When a stroke starts, is fastest and ends, seconds."""

    start_s: float
    peak_s: float
    end_s: float


@dataclass(frozen=True)
class StrokeTiming:
    """Strokes compared with the stressed syllables of their words.

    Parameters
    ----------
    count : strokes that have a word.
    share : proportion of them within 0.3 s of the syllable.
    covering : proportion of them that contain the syllable.
    median_s, median_abs_s : of the lags, + if the stroke is later.
    """

    count: int
    share: float
    covering: float
    median_s: float
    median_abs_s: float


def stroke_timing(
    strokes: Sequence[Stroke | tuple[float, float, float]],
    stressed_s: ArrayLike,
    own: bool = True,
    mark: Literal["start", "peak", "end"] = "peak",
    within_s: float = WITHIN_S,
) -> StrokeTiming:
    """Compare strokes with stressed syllables.

    Parameters
    ----------
    strokes : times of each.
    stressed_s : the stressed syllable of each stroke's own word, NaN for strokes without a word; or
        of any words, if `own` is false, where the nearest counts. Stressed syllables are so dense
        that nearly every time is within 0.3 s of one: only the own word is a test.
    mark : which time of a stroke counts.
    """
    times = np.asarray(strokes, dtype=np.float64).reshape(-1, 3)
    at = times[:, ("start", "peak", "end").index(mark)]
    marks = np.asarray(stressed_s, dtype=np.float64)
    if own and len(marks) != len(times):
        raise InvalidValueError(f"{len(times)} strokes with syllables of {len(marks)} words")
    lags = at - marks if own else lags_s(at, marks)
    known = np.isfinite(lags)
    lags, times = lags[known], times[known]
    if len(lags) == 0:
        return StrokeTiming(0, np.nan, np.nan, np.nan, np.nan)
    syllables = at[known] - lags
    covering = (times[:, 0] <= syllables) & (syllables <= times[:, 2])
    return StrokeTiming(
        count=len(lags),
        share=float(np.mean(np.abs(lags) <= within_s + 1e-9)),
        covering=float(covering.mean()),
        median_s=float(np.median(lags)),
        median_abs_s=float(np.median(np.abs(lags))),
    )


def at_home(poses: ArmPostures, homes: ArrayLike = (HOME_WRIST,), near_m: float = HOME_M) -> Bools:
    """Whether each hand ``[n, 2]`` is near one of the home positions ``[homes, 3]``."""
    places = np.asarray(homes, dtype=np.float64).reshape(-1, 3)
    away = np.linalg.norm(poses.wrists[:, :, None] - places, axis=-1)
    return np.asarray(away.min(axis=-1) <= near_m, dtype=np.bool_)


@dataclass(frozen=True)
class Retraction:
    """Retractions at the ends of phrases.

    Parameters
    ----------
    lags_s : ``[ends]`` when both hands are home, relative to each end; below 0 if they were
        before, infinite if they do not get there before the next end.
    share : proportion of the ends with both hands home after at most 0.5 s.
    """

    lags_s: Floats
    share: float


def retraction(
    poses: ArmPostures,
    ends_s: ArrayLike,
    homes: ArrayLike = (HOME_WRIST,),
    within_s: float = HOME_WITHIN_S,
) -> Retraction:
    """When the hands get home at the ends of gesture units."""
    ends = np.sort(np.asarray(ends_s, dtype=np.float64))
    home = np.asarray(at_home(poses, homes).all(axis=1))
    stretches = [(a / RATE_HZ, b / RATE_HZ) for a, b in runs(home)]
    limits = np.append(ends[1:], np.inf)[: len(ends)]
    lags = [
        min((a - end for a, b in stretches if b > end and a < limit), default=np.inf)
        for end, limit in zip(ends, limits, strict=True)
    ]
    found = np.array(lags)
    share = float(np.mean(found <= within_s + 1e-9)) if len(found) else np.nan
    return Retraction(found, share)


@dataclass(frozen=True)
class Handedness:
    """Handedness of gestures compared with a speaker's.

    Parameters
    ----------
    count, shares : how many gestures, and the proportions of hands.
    habit : proportions of the profile.
    distance : half the sum of the differences: the proportion of gestures with an unusual hand.
    p : how often as many random samples of the profile are at least that far from it.
    """

    count: int
    shares: Mapping[str, float]
    habit: Mapping[str, float]
    distance: float
    p: float


def handedness(hands: Sequence[str], profile: Profile, seed: int = 0) -> Handedness:
    """Compare the hands of gestures, ``LH``, ``RH`` or ``2H``, with a speaker's."""
    unknown = sorted(set(hands) - set(HANDS))
    if unknown or not hands:
        what = repr(unknown[0]) if unknown else "none"
        raise InvalidValueError(f"hands of gestures are {what}, allowed are {', '.join(HANDS)}")
    counts = Counter(hands)
    shares = np.array([counts[h] for h in HANDS]) / len(hands)
    habit = np.array([profile.of_hand(h) for h in HANDS])
    habit = habit / habit.sum()
    distance = 0.5 * float(np.abs(shares - habit).sum())
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(len(hands), habit, size=_DRAWS) / len(hands)
    far = 0.5 * np.abs(drawn - habit).sum(axis=1) >= distance - 1e-12
    return Handedness(
        len(hands),
        dict(zip(HANDS, shares.tolist(), strict=True)),
        dict(zip(HANDS, habit.tolist(), strict=True)),
        distance,
        float((1 + np.count_nonzero(far)) / (1 + _DRAWS)),
    )


def performed_hands(
    motion: WristMotion, strokes: Sequence[Stroke | tuple[float, float, float]]
) -> tuple[Hands, ...]:
    """Hands that actually perform each stroke, by their proportion of the movement."""
    out: list[Hands] = []
    for start, _, end in strokes:
        span = motion.frames(start, end)
        energy = np.sqrt(np.mean(motion.speeds[span] ** 2, axis=0))
        if energy.min() >= _BOTH_SHARE * energy.max():
            out.append("2H")
        else:
            out.append("LH" if energy[0] > energy[1] else "RH")
    return tuple(out)


@dataclass(frozen=True, eq=False)
class Stillness:
    """Time spans in which hands are slower than 0.12 m/s for at least 0.25 s.

    Parameters
    ----------
    durations_s : of each.
    speeds : ``[n]`` mean speed in each, m/s.
    drifts : m/s, of those that last 0.6 s or more: the slope of the straight line through them.
    wanders_m : root mean square distance from that line.
    """

    durations_s: Floats
    speeds: Floats
    drifts: Floats
    wanders_m: Floats


def holds(
    motion: WristMotion, poses: ArmPostures, homes: ArrayLike = (HOME_WRIST,)
) -> tuple[Stillness, Stillness]:
    """Holds away from home, and rests at home."""
    home = at_home(poses, homes)
    found: dict[bool, list[tuple[float, float, float, float]]] = {False: [], True: []}
    for k in range(2):
        for a, b in _still(motion.speeds[:, k], HOLD_M_S, LEAST_HOLD_S):
            drift, wander = _drift(motion.places[a:b, k])
            row = ((b - a) / RATE_HZ, float(motion.speeds[a:b, k].mean()), drift, wander)
            found[bool(home[a:b, k].mean() > 0.5)].append(row)
    away, rests = (np.array(found[key]).reshape(-1, 4).T for key in (False, True))
    return _stillness(away), _stillness(rests)


def _stillness(rows: Floats) -> Stillness:
    lasting = rows[0] >= _LEAST_DRIFT_S
    return Stillness(rows[0], rows[1], rows[2][lasting], rows[3][lasting])


def _still(speed: Floats, below: float, least_s: float) -> list[tuple[int, int]]:
    return [(a, b) for a, b in runs(speed < below) if b - a >= least_s * RATE_HZ]


def _drift(places: Floats) -> tuple[float, float]:
    """Speed of the straight line through positions ``[n, 3]``, and their distance from it."""
    t = (np.arange(len(places)) - 0.5 * (len(places) - 1)) / RATE_HZ
    away = places - places.mean(axis=0)
    slope = t @ away / (t @ t)
    rest = away - t[:, None] * slope
    return float(np.linalg.norm(slope)), float(np.sqrt(np.mean(np.sum(rest**2, axis=-1))))


class Freeze(NamedTuple):
    """A hand that is completely still away from home: 0 for the left, and when."""

    hand: int
    start_s: float
    end_s: float


def freezes(
    motion: WristMotion, poses: ArmPostures, homes: ArrayLike = (HOME_WRIST,)
) -> tuple[Freeze, ...]:
    """Time spans of over 1 s in which a hand away from home is slower than 0.5 cm/s."""
    home = at_home(poses, homes)
    return tuple(
        Freeze(k, a / RATE_HZ, b / RATE_HZ)
        for k in range(2)
        for a, b in _still(
            np.where(home[:, k], np.inf, motion.speeds[:, k]), FROZEN_M_S, LEAST_FREEZE_S
        )
    )


@dataclass(frozen=True)
class HandCoordination:
    """Coordination of the two hands.

    Parameters
    ----------
    correlation, lag_s : of the speeds; lag at which they correlate best, + if the right is late.
    both_share : when either hand moves, how often both do.
    pairs : units of both hands with matching peaks.
    pair_lag_s : median distance of their peaks.
    pair_ratio : median of the smaller chord over the larger.
    mirrored : correlation of mirrored velocities, outward, up and forward from the chest.
    """

    correlation: float
    lag_s: float
    both_share: float
    pairs: int
    pair_lag_s: float
    pair_ratio: float
    mirrored: tuple[float, float, float]


def hand_coordination(motion: WristMotion, poses: ArmPostures) -> HandCoordination:
    """Compare the hands over a whole clip."""
    left, right = motion.speeds.T
    moving = motion.speeds > MOVING_M_S
    either = np.count_nonzero(moving.any(axis=1))
    lag, ratio = _paired(motion)
    v = velocities(poses.wrists, RATE_HZ)
    return HandCoordination(
        correlation=correlation(left, right),
        lag_s=_best_lag(left, right),
        both_share=int(np.count_nonzero(moving.all(axis=1))) / either if either else np.nan,
        pairs=len(lag),
        pair_lag_s=float(np.median(np.abs(lag))) if len(lag) else np.nan,
        pair_ratio=float(np.median(ratio)) if len(lag) else np.nan,
        mirrored=(
            correlation(v[:, 0, 0], v[:, 1, 0]),
            correlation(v[:, 0, 1], v[:, 1, 1]),
            correlation(v[:, 0, 2], v[:, 1, 2]),
        ),
    )


def _best_lag(left: Floats, right: Floats) -> float:
    most = min(round(_MOST_HAND_LAG_S * RATE_HZ), len(left) // 2)
    found = []
    for k in range(-most, most + 1):
        a, b = (left[: len(left) - k], right[k:]) if k >= 0 else (left[-k:], right[:k])
        found.append(correlation(a, b))
    if not np.isfinite(found).any():
        return np.nan
    return float((int(np.nanargmax(found)) - most) / RATE_HZ)


def _paired(motion: WristMotion) -> tuple[Floats, Floats]:
    """Lags and chord ratios of units of the two hands that are mutual nearest neighbours."""
    left, right = (motion.units.select(motion.units.hand == k) for k in range(2))
    if len(left) == 0 or len(right) == 0:
        return np.empty(0), np.empty(0)
    apart = right.top_s[None, :] - left.top_s[:, None]
    there, back = np.abs(apart).argmin(axis=1), np.abs(apart).argmin(axis=0)
    rows = np.flatnonzero(back[there] == np.arange(len(left)))
    rows = rows[np.abs(apart[rows, there[rows]]) <= _MOST_PAIR_LAG_S]
    chords = np.stack([left.chord_m[rows], right.chord_m[there[rows]]])
    ratio = chords.min(axis=0) / np.maximum(chords.max(axis=0), 1e-9)
    return apart[rows, there[rows]], ratio
