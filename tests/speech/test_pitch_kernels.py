"""The compiled loops against plain ones."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

from kinesphere.maths.arrays import Floats
from kinesphere.speech import pitch as pitching
from kinesphere.speech import pitch_kernels as kernels
from kinesphere.speech.pitch import PitchSettings
from tests.speech.voices import babble

PLAN = pitching._plan(PitchSettings(), 8000.0)


def plain_correlation(samples: Floats, centre: int) -> Floats:
    """Normalised autocorrelation of a frame over that of the window, by sums."""
    mean = samples[centre - PLAN.period : centre + PLAN.period].mean()
    frame = (samples[centre - PLAN.half : centre + PLAN.half] - mean) * PLAN.window
    top = PLAN.lags[1] + 32
    own, got = (
        np.array([np.sum(x[: len(x) - j] * x[j:]) for j in range(top)])
        for x in (PLAN.window, frame)
    )
    return np.asarray((got / got[0]) / (own / own[0]))


def sinc_at(r: Floats, lag: float) -> float:
    whole = np.concatenate([r[:0:-1], r])
    t = lag - np.arange(1 - len(r), len(r))
    near = np.abs(t) < 30.0
    return float(np.sum(whole * np.sinc(t) * near * (0.5 + 0.5 * np.cos(np.pi * t / 30.0))))


def test_candidates_are_the_maxima_of_the_interpolated_correlation() -> None:
    samples = babble(1.0, 8000.0)
    for centre in (2000, 3100, 5000):
        found = pitching._candidates(PLAN, samples[None], np.array([centre]))
        r = plain_correlation(samples, centre)
        expected = []
        for i in range(PLAN.lags[0], PLAN.lags[1]):
            if r[i] > 0.225 and r[i] > r[i - 1] and r[i] >= r[i + 1]:
                grid = i + np.linspace(-1.0, 1.0, 2001)
                heights = [sinc_at(r, lag) for lag in grid]
                best = int(np.argmax(heights))
                expected.append((8000.0 / grid[best], min(heights[best], 1.0 / heights[best])))
        count = found.counts[0, 0]
        assert count == len(expected) + 1
        hz = 75.0 * np.exp2(found.octaves[0, 0, 1:count])
        strengths = found.strengths[0, 0, 1:count] + 0.01 * np.log2(600.0 / hz)
        np.testing.assert_allclose(hz, [e[0] for e in expected], rtol=2e-4)
        np.testing.assert_allclose(strengths, [e[1] for e in expected], atol=1e-4)


def random_candidates(rng: np.random.Generator, frames: int, places: int) -> tuple[Any, ...]:
    return (
        rng.uniform(0.0, 3.0, (1, frames, places)),
        rng.uniform(0.2, 1.0, (1, frames, places)),
        rng.integers(1, places + 1, (1, frames)),
        rng.uniform(0.0, 0.1, (1, frames)),
        np.ones((1, frames)),
    )


COSTS = np.array([0.45, 0.03, 0.35, 0.14, 1.0])


def path_value(path: tuple[int, ...], octaves: Floats, strengths: Floats, loud: Floats) -> float:
    total, before = 0.0, None
    for k, c in enumerate(path):
        quiet = 0.45 + max(0.0, 2.0 - loud[k] * 1.45 / 0.03)
        total += strengths[k, c] if c else quiet
        if before is not None:
            if (c == 0) != (before == 0):
                total -= 0.14
            elif c:
                total -= 0.35 * abs(octaves[k, c] - octaves[k - 1, before])
        before = c
    return total


@pytest.mark.parametrize("seed", range(8))
def test_path_is_the_best_of_all_paths(seed: int) -> None:
    octaves, strengths, counts, local, levels = random_candidates(np.random.default_rng(seed), 6, 3)
    back, scores, peaks = np.zeros((1, 6, 3), dtype=np.int64), np.zeros((1, 3)), np.zeros(1)
    chosen = np.zeros((1, 6))
    kernels.follow_path(octaves, strengths, counts, local, levels, COSTS, 7, 0.0, peaks, scores, back, np.zeros((1, 0)))  # fmt: skip
    kernels.trace_back(octaves, back, scores, chosen)
    paths = product(*(range(n) for n in counts[0]))
    best = max(paths, key=lambda p: path_value(p, octaves[0], strengths[0], local[0]))
    expected = [octaves[0, k, c] if c else np.nan for k, c in enumerate(best)]
    np.testing.assert_array_equal(chosen[0], expected)


@pytest.mark.parametrize("seed", range(4))
def test_a_delayed_decision_is_that_of_the_path_so_far(seed: int) -> None:
    candidates = random_candidates(np.random.default_rng(100 + seed), 30, 4)

    def decide(frames: int, delay: int) -> tuple[Floats, Floats]:
        back, scores = np.zeros((1, frames, 4), dtype=np.int64), np.zeros((1, 4))
        early, whole = np.zeros((1, max(0, frames - delay))), np.zeros((1, frames))
        o, s, c, p, v = (np.ascontiguousarray(a[:, :frames]) for a in candidates)
        kernels.follow_path(o, s, c, p, v, COSTS, delay, 0.0, np.zeros(1), scores, back, early)
        kernels.trace_back(o, back, scores, whole)
        return early[0], whole[0]

    early, _ = decide(30, 5)
    expected = [decide(k + 6, 5)[1][k] for k in range(25)]
    np.testing.assert_array_equal(early, expected)


def plain_peaks(curve: Floats, dip: float) -> list[int]:
    """Peaks with a fall of more than `dip` after them, separated by as large a rise."""
    peaks, top, valley, climbing = [], 0, 0.0, True
    for k, y in enumerate(curve):
        if climbing:
            top = k if y > curve[top] else top
            if y < curve[top] - dip:
                peaks.append(top)
                climbing, valley = False, y
        else:
            valley = min(valley, y)
            if y > valley + dip:
                climbing, top = True, k
    return [*peaks, top] if climbing else peaks


def test_syllables_are_the_peaks_between_valleys(rng: np.random.Generator) -> None:
    from kinesphere.speech.syllables import Syllable, SyllableSettings, syllables

    curve = 60.0 + np.cumsum(rng.normal(scale=0.8, size=600))
    curve -= np.linspace(0.0, curve[-1] - curve[0], 600)
    padded = np.pad(curve, 2, mode="edge")
    smooth = np.convolve(padded, np.array([1, 4, 6, 4, 1]) / 16.0, "valid")
    settings = SyllableSettings(reach_db=100.0, margin_db=0.0)
    events = syllables(np.full(600, 150.0), curve, curve + 5.0, 0.01, settings)
    found = [e for e in events if isinstance(e, Syllable)]
    peaks = [round(e.peak_s * 100) for e in found]
    assert len(peaks) > 10
    assert peaks == plain_peaks(smooth, 2.0)
    for e in found:
        first, stop = round(e.start_s * 100), round(e.end_s * 100)
        assert first <= round(e.peak_s * 100) <= stop
        assert e.intensity_db == pytest.approx((curve + 5.0)[first : stop + 1].max(), abs=0.8)
    assert all(a.end_s <= b.start_s + 1e-9 for a, b in pairwise(found))


def test_rise_and_fall_are_the_largest_ways_up_and_down(rng: np.random.Generator) -> None:
    from kinesphere.speech.syllables import Syllable, syllables

    beat = 60.0 - 8.0 * np.cos(np.arange(400) * 2 * np.pi / 20.0)
    semitones = np.cumsum(rng.normal(scale=0.3, size=400)) + 84.0
    events = syllables(2.0 ** (semitones / 12.0), beat, beat)
    found = [e for e in events if isinstance(e, Syllable)]
    assert 18 <= len(found) <= 21
    for e in found[1:-1]:
        part = semitones[round(e.start_s * 100) + 1 : round(e.end_s * 100) + 1]
        ways = part[None, :] - part[:, None]
        assert e.rise_st == pytest.approx(np.triu(ways).max(), abs=1e-9)
        assert e.fall_st == pytest.approx(-np.triu(ways).min(), abs=1e-9)
        assert 12.0 * np.log2(e.pitch_hz) == pytest.approx(part.mean(), abs=1e-9)


def test_an_octave_error_is_no_rise() -> None:
    from kinesphere.speech.syllables import Syllable, syllables

    beat = 60.0 - 8.0 * np.cos(np.arange(40) * 2 * np.pi / 40.0)
    hz = np.concatenate([np.linspace(100.0, 110.0, 20), np.full(3, 215.0), np.full(17, 108.0)])
    found = [e for e in syllables(hz, beat, beat) if isinstance(e, Syllable)]
    assert len(found) == 1
    assert 0.5 < found[0].rise_st < 2.0
    assert found[0].fall_st < 0.5
