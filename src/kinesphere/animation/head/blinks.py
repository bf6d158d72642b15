"""Times of blinks: with large shifts of gaze, at the ends of phrases, and in between.

No blink falls on an accent.
"""

from __future__ import annotations

import numpy as np

from kinesphere.animation.head.gaze import Looks
from kinesphere.animation.head.head_cues import HeadCues
from kinesphere.animation.head.head_settings import BlinkSettings, HeadSettings
from kinesphere.animation.head.head_steps import HeadStream, Steps, draw, draw_cells, sum_steps
from kinesphere.maths.arrays import Bools, Floats, Ints


def blinks(
    start_s: float, end_s: float, cues: HeadCues, looks: Looks, seed: int, settings: HeadSettings
) -> tuple[Floats, Floats]:
    """Onsets and lengths ``[n]`` in seconds of the blinks that touch a stretch of time."""
    s = settings
    drawn = _cued_blinks(cues, looks, seed, s)
    accents = np.array([beat.time_s for beat in cues.accents])
    moved = _apart(_clear_of(accents, drawn, s.blinks), s.blink_apart_s)
    filling = _filling(start_s - s.blinks.counted_s[0], end_s + 1.0, cues, moved, accents, seed, s)
    found = np.vstack([moved, filling])
    found = _apart(found[np.argsort(found[:, 0], kind="stable")], s.blink_apart_s)
    return found[:, 0], found[:, 1]


def lid_closure(times: Floats, onsets: Floats, lengths: Floats, b: BlinkSettings) -> Floats:
    """How far the lids are closed ``[f]``; they close faster than they open."""
    closing, shut = b.closing * lengths, b.shut * lengths
    opening = lengths - closing - shut
    ones = np.ones((len(onsets), 1))
    taken = Steps(
        np.concatenate([onsets, onsets + closing + shut]),
        np.concatenate([closing, opening]),
        np.concatenate([ones, -ones]),
    )
    return np.clip(sum_steps(times, taken)[:, 0], 0.0, 1.0)


def _length(u: Floats, s: HeadSettings) -> Floats:
    return np.asarray(s.blink_s[0] + (s.blink_s[1] - s.blink_s[0]) * u)


def _cued_blinks(cues: HeadCues, looks: Looks, seed: int, s: HeadSettings) -> Floats:
    """Blinks ``[n, 2]`` with shifts of gaze and at the ends of phrases, in order of time."""
    steps = np.diff(looks.goals, axis=0, prepend=np.zeros((1, 2)))
    large = np.hypot(*steps.T) > np.radians(s.blink_shift_deg)
    chosen = large & (looks.chance[:, 2] < s.blink_shift_ratio)
    chance = looks.chance[chosen]
    after, more = s.blinks.look_s
    at_looks = np.column_stack(
        [looks.times[chosen] + after + more * chance[:, 0], _length(chance[:, 1], s)]
    )
    ends = np.array([end for _, end in cues.phrases])
    u = draw(seed, HeadStream.PHRASE_BLINK, 0, len(ends), 3, 0).uniform
    kept = u[:, 0] < s.blink_end_ratio
    at_ends = np.column_stack([ends[kept] + s.blinks.end_s * u[kept, 1], _length(u[kept, 2], s)])
    both = np.vstack([at_looks, at_ends])
    return both[np.argsort(both[:, 0], kind="stable")]


def _clear_of(accents: Floats, found: Floats, b: BlinkSettings) -> Floats:
    """Delay blinks that would fall on an accent until it is past, up to a limit."""
    onsets, lengths = found[:, 0].copy(), found[:, 1]
    for _ in range(4):
        onsets = np.where(_hits(accents, onsets, lengths, b), _after(accents, onsets, b), onsets)
    kept = ~_hits(accents, onsets, lengths, b) & (onsets - found[:, 0] <= b.latest_s)
    moved = np.column_stack([onsets, lengths])[kept]
    return moved[np.argsort(moved[:, 0], kind="stable")]


def _hits(accents: Floats, onsets: Floats, lengths: Floats, b: BlinkSettings) -> Bools:
    return _count(accents, onsets - b.margin_s, onsets + lengths + b.margin_s) > 0


def _count(ordered: Floats, low: Floats, high: Floats) -> Ints:
    """How many lie between two bounds, for each pair of them."""
    first = np.searchsorted(ordered, low, side="right")
    return np.asarray(np.searchsorted(ordered, high) - first, dtype=np.int64)


def _after(accents: Floats, onsets: Floats, b: BlinkSettings) -> Floats:
    """Just after the accent that a blink falls on."""
    if not len(accents):
        return onsets
    first = np.searchsorted(accents, onsets - b.margin_s, side="right")
    margin_s = b.margin_more * b.margin_s
    return np.asarray(accents[np.minimum(first, len(accents) - 1)] + margin_s)


def _apart(found: Floats, apart_s: float) -> Floats:
    """Without blinks that follow another too soon."""
    kept, last_s = np.zeros(len(found), dtype=bool), -np.inf
    for i, at_s in enumerate(found[:, 0]):
        if at_s - last_s >= apart_s:
            kept[i], last_s = True, at_s
    return found[kept]


def _filling(
    start_s: float,
    end_s: float,
    cues: HeadCues,
    drawn: Floats,
    accents: Floats,
    seed: int,
    s: HeadSettings,
) -> Floats:
    """Additional blinks up to the usual rate; at most one in a cell of time."""
    most = max(s.blinks_per_min, s.silent_blinks_per_min)
    if most <= 0.0:
        return np.zeros((0, 2))
    cell_s = 60.0 / (s.blinks.cells * most)
    cells = range(int(np.floor(start_s / cell_s)), int(np.floor(end_s / cell_s)) + 1)
    u = draw_cells(seed, HeadStream.BLINK, cells, 3, 0).uniform
    at_s = (np.array(cells) + u[:, 0]) * cell_s
    speaking = _inside(at_s, cues.phrases, s.blinks.phrase_after_s)
    rates = np.where(speaking, s.blinks_per_min, s.silent_blinks_per_min) / 60.0
    before_s, after_s = s.blinks.counted_s
    near = _count(drawn[:, 0], at_s - before_s, at_s + after_s)
    lacking = np.maximum(rates - near / (before_s + after_s), 0.0)
    taken = u[:, 1] < s.blinks.fill * lacking * cell_s
    taken &= _count(drawn[:, 0], at_s - s.blink_apart_s, at_s + s.blink_apart_s) == 0
    found = np.column_stack([at_s, _length(u[:, 2], s)])[taken]
    return _clear_of(accents, found, s.blinks)


def _inside(times: Floats, phrases: tuple[tuple[float, float], ...], after_s: float) -> Bools:
    if not phrases:
        return np.zeros(len(times), dtype=bool)
    starts, ends = np.array(phrases).T
    place = np.searchsorted(starts, times, side="right") - 1
    return np.asarray((place >= 0) & (times < ends[np.maximum(place, 0)] + after_s))
