"""Synchrony of movement with speech, compared with chance level.

Speech is full of syllables, so any time is near one of them: what counts is how much nearer than at
chance level. That is measured with the same speech after circular shifts within each span of
speech, so that hands that merely move during speech are not mistaken for hands that follow it.
Times are in seconds; a lag is that of the event behind the mark.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.evaluation.metric import Speaking, spoken_frames
from kinesphere.evaluation.movement import (
    LEAST_PROMINENCE_M_S,
    RATE_HZ,
    STILL_M_S,
    WristMotion,
    speed_peaks,
)
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.timeline.tier import Interval

BEAT_SIGMA_S = 0.1
STROKE_PEAK_M_S = 0.4
NEAR_S = 0.08
_SHIFTS = 499
_BRIDGE_S = 0.5
_RESAMPLES = 2000
# Neighbouring beats are correlated; resampling uses blocks of this many, to avoid overconfidence.
_BLOCK = 5


def lags_s(events_s: ArrayLike, marks_s: ArrayLike) -> Floats:
    """Signed time from the nearest mark to each event; NaN without marks.

    >>> lags_s([0.9, 2.2], [1.0, 2.0]).round(3)
    array([-0.1,  0.2])
    """
    events = np.asarray(events_s, dtype=np.float64)
    marks = np.sort(np.asarray(marks_s, dtype=np.float64))
    if len(marks) == 0:
        return np.full(events.shape, np.nan)
    after = np.clip(np.searchsorted(marks, events), 0, len(marks) - 1)
    before = np.maximum(after - 1, 0)
    ahead, behind = events - marks[after], events - marks[before]
    return np.asarray(np.where(np.abs(ahead) < np.abs(behind), ahead, behind))


def stretches(speaking: Speaking, bridge_s: float = _BRIDGE_S) -> list[tuple[float, float]]:
    """Spans of speech in order, from words or phrases; shorter gaps are bridged."""
    pairs = sorted(
        (each.start_s, each.end_s) if isinstance(each, Interval) else (each[0], each[1])
        for each in speaking
    )
    out: list[tuple[float, float]] = []
    for a, b in pairs:
        if out and a <= out[-1][1] + bridge_s:
            out[-1] = (out[-1][0], max(b, out[-1][1]))
        else:
            out.append((a, b))
    return [(a, b) for a, b in out if b > a]


def _inside(times_s: Floats, spans: Sequence[tuple[float, float]]) -> Bools:
    flags = [(times_s >= a) & (times_s <= b) for a, b in spans]
    return np.asarray(np.any(flags, axis=0)) if flags else np.zeros(len(times_s), dtype=np.bool_)


def shifted_marks(
    marks_s: ArrayLike, spans: Sequence[tuple[float, float]], count: int, seed: int
) -> Floats:
    """Marks ``[count, marks]`` after random circular shifts within each span."""
    rng = np.random.default_rng(seed)
    marks = np.sort(np.asarray(marks_s, dtype=np.float64))
    out = np.tile(marks, (count, 1))
    for a, b in spans:
        here = (marks >= a) & (marks <= b)
        by = rng.uniform(0.0, b - a, size=(count, 1))
        out[:, here] = a + (marks[here] - a + by) % (b - a)
    return np.sort(out, axis=1)


@dataclass(frozen=True)
class Coincidence:
    """How near events are to marks.

    Parameters
    ----------
    count : events that were counted.
    median_abs_s, median_s : of the lags to the nearest mark, without and with their signs.
    near_share : proportion of events within 80 ms of a mark.
    chance_abs_s, chance_share : means of the same under circular shifts.
    p, p_near : proportion of shifts that are at least as good: one-sided, by rank.
    """

    count: int
    median_abs_s: float
    median_s: float
    near_share: float
    chance_abs_s: float
    chance_share: float
    p: float
    p_near: float

    def __str__(self) -> str:
        return (
            f"{self.count} events: |lag| {1e3 * self.median_abs_s:.0f} ms, chance "
            f"{1e3 * self.chance_abs_s:.0f} (p {self.p:.3f}), lag {1e3 * self.median_s:+.0f} ms, "
            f"near {self.near_share:.2f} chance {self.chance_share:.2f} (p {self.p_near:.3f})"
        )


def coincidence(
    events_s: ArrayLike,
    marks_s: ArrayLike,
    speaking: Speaking,
    near_s: float = NEAR_S,
    shifts: int = _SHIFTS,
    seed: int = 0,
) -> Coincidence:
    """Compare lags of events to their nearest marks with those to shifted marks.

    Parameters
    ----------
    events_s : such as peaks of speed, or ends of units. Those outside speech do not count.
    marks_s : such as peaks of the syllables' loudness.
    speaking : words or spans of speech; gaps up to 0.5 s are bridged.
    """
    events, marks, spans = _align(events_s, marks_s, speaking)
    lags = lags_s(events, marks)
    moved = shifted_marks(marks, spans, shifts, seed)
    by_chance = np.abs([lags_s(events, row) for row in moved])
    medians, near = np.median(by_chance, axis=1), np.mean(by_chance <= near_s, axis=1)
    found, share = float(np.median(np.abs(lags))), float(np.mean(np.abs(lags) <= near_s))
    return Coincidence(
        count=len(events),
        median_abs_s=found,
        median_s=float(np.median(lags)),
        near_share=share,
        chance_abs_s=float(medians.mean()),
        chance_share=float(near.mean()),
        p=_rank(medians <= found),
        p_near=_rank(near >= share),
    )


def _align(
    events_s: ArrayLike, marks_s: ArrayLike, speaking: Speaking
) -> tuple[Floats, Floats, list[tuple[float, float]]]:
    spans = stretches(speaking)
    events = np.sort(np.asarray(events_s, dtype=np.float64))
    marks = np.sort(np.asarray(marks_s, dtype=np.float64))
    events, marks = events[_inside(events, spans)], marks[_inside(marks, spans)]
    if len(events) == 0 or len(marks) == 0:
        raise InvalidValueError(
            f"{len(events)} events and {len(marks)} marks during speech, needed is one of each"
        )
    return events, marks, spans


def _rank(as_good: Bools) -> float:
    return float((1 + np.count_nonzero(as_good)) / (1 + len(as_good)))


@dataclass(frozen=True)
class BeatConsistency:
    """Agreement of beats of movement and of speech.

    Parameters
    ----------
    count : number of beats in the mean.
    value : mean over them of ``exp(-d^2 / (2 sigma^2))``, d the time to the nearest other beat.
    chance : the same with shifted speech, which depends on the number of beats.
    excess, low, high : value less chance, and its 95 % interval by resampling.
    p : proportion of shifts that are at least as good.
    """

    count: int
    value: float
    chance: float
    excess: float
    low: float
    high: float
    p: float

    def __str__(self) -> str:
        return (
            f"{self.count} beats: consistency {self.value:.3f}, chance {self.chance:.3f}, "
            f"excess {self.excess:+.3f} ({self.low:+.3f} to {self.high:+.3f}, p {self.p:.3f})"
        )


def beat_consistency(
    motion_beats_s: ArrayLike,
    speech_beats_s: ArrayLike,
    speaking: Speaking,
    over: Literal["motion", "speech"] = "motion",
    sigma_s: float = BEAT_SIGMA_S,
    shifts: int = _SHIFTS,
    seed: int = 0,
) -> BeatConsistency:
    """Beat consistency as used to evaluate generated gestures, and its excess over chance level.

    The bare value rises with the number of beats: a shaking hand gets a good one. The excess does
    not. `over` selects the beats of the mean; each is compared with the nearest of the other.
    """
    motion, speech, spans = _align(motion_beats_s, speech_beats_s, speaking)
    moved = shifted_marks(speech, spans, shifts, seed)

    def kernel(speech_s: Floats) -> Floats:
        lags = lags_s(motion, speech_s) if over == "motion" else lags_s(speech_s, motion)
        return np.asarray(np.exp(-0.5 * (lags / sigma_s) ** 2))

    values = kernel(speech)
    by_chance = np.array([kernel(row) for row in moved])
    # Per beat for movement; a shifted syllable is another one, so there the mean is used for all.
    per_beat = by_chance.mean(axis=0) if over == "motion" else by_chance.mean()
    low, high = _resampled_interval(values - per_beat, seed)
    return BeatConsistency(
        count=len(values),
        value=float(values.mean()),
        chance=float(by_chance.mean()),
        excess=float(values.mean() - by_chance.mean()),
        low=low,
        high=high,
        p=_rank(by_chance.mean(axis=1) >= values.mean()),
    )


def _resampled_interval(values: Floats, seed: int) -> tuple[float, float]:
    """95 % interval of a mean, resampling blocks of neighbours."""
    n = len(values)
    block = min(_BLOCK, n)
    rng = np.random.default_rng(seed)
    starts = rng.integers(n, size=(_RESAMPLES, -(-n // block)))
    picks = (starts[..., None] + np.arange(block)) % n
    means = values[picks.reshape(_RESAMPLES, -1)[:, :n]].mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


def motion_beats(motion: WristMotion) -> Floats:
    """Beats of the hands: minima of the mean of both wrists' speeds, seconds.

    A minimum is at least 0.10 m/s below the peaks beside it. Where the hands come to rest, the
    beat is when they do.
    """
    speed = motion.speeds.mean(axis=1)
    lows = speed_peaks(-speed, least=-np.inf, prominence=LEAST_PROMINENCE_M_S)
    moving = np.flatnonzero(speed >= STILL_M_S)
    place = np.searchsorted(moving, lows)
    halted = np.array([moving[k - 1] + 1 if k else low for k, low in zip(place, lows, strict=True)])
    # There may be several minima in one rest, but only one stop.
    return np.unique(np.where(speed[lows] < STILL_M_S, halted, lows)) / RATE_HZ


def stroke_peaks(motion: WristMotion, least: float = STROKE_PEAK_M_S) -> Floats:
    """Times at which the faster hand's speed peaks: the two hands' movements merged."""
    return np.asarray(speed_peaks(motion.speeds.max(axis=1), least) / RATE_HZ)


def gating(motion: WristMotion, speaking: Speaking) -> tuple[float, float]:
    """Mean speed of the faster hand while speaking and while not, m/s; NaN for what is missing."""
    spoken = spoken_frames(motion, stretches(speaking))
    speed = motion.speeds.max(axis=1)
    during, between = (
        float(x.mean()) if len(x) else np.nan for x in (speed[spoken], speed[~spoken])
    )
    return during, between
