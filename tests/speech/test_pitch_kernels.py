"""The compiled loops against plain ones."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from numpy.typing import NDArray

from kinesphere.maths.arrays import Floats
from kinesphere.speech.prosody import pitch as pitching
from kinesphere.speech.prosody import pitch_kernels as kernels
from kinesphere.speech.prosody.pitch import PitchSettings
from tests.speech.voices import babble

PLAN = pitching.plan_of(PitchSettings(), 8000.0)
MIN_LAG, MAX_LAG = PLAN.sizes[kernels.MIN_LAG], PLAN.sizes[kernels.MAX_LAG]


def plain_frame(samples: Floats, centre: int) -> tuple[Floats, Floats]:
    """A frame without its mean, bare and under the window."""
    period = PLAN.sizes[kernels.MEAN_REACH]
    mean = samples[centre - period : centre + period].mean()
    bare = samples[centre - PLAN.half : centre + PLAN.half] - mean
    return bare, bare * PLAN.window


def products(values: Floats, lags: int) -> Floats:
    return np.array([np.sum(values[: len(values) - j] * values[j:]) for j in range(lags)])


def plain_correlation(samples: Floats, centre: int) -> Floats:
    """Normalised autocorrelation of a frame over that of the window, by sums."""
    own, got = (products(x, MAX_LAG + 32) for x in (PLAN.window, plain_frame(samples, centre)[1]))
    return np.asarray((got / got[0]) / (own / own[0]))


def analysed(samples: Floats, centre: int) -> tuple[float, float, Floats, Floats]:
    """Peaks, power spectrum and autocorrelation of a frame by the compiled loops."""
    frame, half = np.empty(len(PLAN.window)), PLAN.turn.shape[1]
    peak, level = kernels.window_frame(samples, centre, PLAN.window, PLAN.sizes, frame)
    power, room, correlation = np.empty(half + 1), np.empty(half + 1), np.empty(MAX_LAG + 32)
    kernels.autocorrelate(frame, PLAN.turn, np.empty((4, half)), power, room, correlation)
    return peak, level, power, correlation


def sinc_at(r: Floats, lag: float) -> float:
    whole = np.concatenate([r[:0:-1], r])
    t = lag - np.arange(1 - len(r), len(r))
    near = np.abs(t) < 30.0
    return float(np.sum(whole * np.sinc(t) * near * (0.5 + 0.5 * np.cos(np.pi * t / 30.0))))


def test_a_frame_is_windowed_and_correlated_as_by_sums() -> None:
    samples = babble(1.0, 8000.0) + 0.3
    for centre in (2000, 3100, 5000):
        peak, level, power, correlation = analysed(samples, centre)
        bare, windowed = plain_frame(samples, centre)
        near = PLAN.sizes[kernels.PEAK_REACH]
        assert level == pytest.approx(np.abs(bare).max(), rel=1e-12)
        middle = windowed[PLAN.half - near : PLAN.half + near]
        assert peak == pytest.approx(np.abs(middle).max(), rel=1e-12)
        expected = np.abs(np.fft.rfft(windowed, 2 * PLAN.turn.shape[1])) ** 2
        np.testing.assert_allclose(power, expected, atol=1e-12 * expected.max())
        scale = 2.0 * PLAN.turn.shape[1]
        by_sums = products(windowed, MAX_LAG + 32)
        np.testing.assert_allclose(correlation / scale, by_sums, atol=1e-12 * by_sums[0])


def test_candidates_are_the_maxima_of_the_interpolated_correlation() -> None:
    samples = babble(1.0, 8000.0)
    for centre in (2000, 3100, 5000):
        correlation = analysed(samples, centre)[3]
        octaves, got = np.empty((2, 15))
        count = kernels.find_candidates(
            correlation,
            PLAN.window_gain,
            PLAN.sinc,
            PLAN.search,
            PLAN.sizes,
            np.empty(len(correlation) + 60),
            octaves,
            got,
        )
        r = plain_correlation(samples, centre)
        expected = []
        for i in range(MIN_LAG, MAX_LAG):
            if r[i] > 0.225 and r[i] > r[i - 1] and r[i] >= r[i + 1]:
                grid = i + np.linspace(-1.0, 1.0, 2001)
                heights = [sinc_at(r, lag) for lag in grid]
                best = int(np.argmax(heights))
                expected.append((8000.0 / grid[best], min(heights[best], 1.0 / heights[best])))
        assert count == len(expected) + 1
        hz = 75.0 * np.exp2(octaves[1:count])
        strengths = got[1:count] + 0.01 * np.log2(600.0 / hz)
        np.testing.assert_allclose(hz, [e[0] for e in expected], rtol=2e-4)
        np.testing.assert_allclose(strengths, [e[1] for e in expected], atol=1e-4)


Candidates = tuple[Floats, Floats, NDArray[np.int64], Floats]


def random_candidates(rng: np.random.Generator, frames: int, places: int) -> Candidates:
    """Octaves and strengths ``[frames, places]``, counts and strengths of voicelessness."""
    return (
        rng.uniform(0.0, 3.0, (frames, places)),
        rng.uniform(0.2, 1.0, (frames, places)),
        rng.integers(1, places + 1, frames),
        rng.uniform(0.45, 2.45, frames),
    )


COSTS = PLAN.costs
JUMP, SWITCH = float(COSTS[3]), float(COSTS[4])


def best_path(candidates: Candidates) -> Floats:
    """Octaves above the floor, NaN for unvoiced, by the compiled loops."""
    octaves, strengths, counts, unvoiced = candidates
    frames, places = octaves.shape
    waiting = np.zeros((1, frames + 1, 2 + 2 * places))
    running, values = np.zeros((1, kernels.SCORES + places)), np.empty(places)
    for k in range(frames):
        here = waiting[0, k]
        here[kernels.COUNT], here[2 : 2 + places] = counts[k], octaves[k]
        scores = running[0, kernels.SCORES :]
        kernels.extend_path(
            waiting[0, k - 1], strengths[k], unvoiced[k], COSTS, here, scores, values
        )
    hz, band_db = np.empty((2, 1, frames))
    kernels.trace_back(running, waiting, frames, 1.0, hz, band_db)
    return np.asarray(np.log2(hz[0]))


def path_value(path: tuple[int, ...], candidates: Candidates) -> float:
    octaves, strengths, _, unvoiced = candidates
    total = sum(strengths[k, c] if c else unvoiced[k] for k, c in enumerate(path))
    for k, (a, b) in enumerate(pairwise(path)):
        if (a == 0) != (b == 0):
            total -= SWITCH
        elif a:
            total -= JUMP * abs(octaves[k + 1, b] - octaves[k, a])
    return float(total)


@pytest.mark.parametrize("seed", range(8))
def test_path_is_the_best_of_all_paths(seed: int) -> None:
    candidates = random_candidates(np.random.default_rng(seed), 6, 3)
    paths = product(*(range(n) for n in candidates[2]))
    best = max(paths, key=lambda path: path_value(path, candidates))
    expected = [candidates[0][k, c] if c else np.nan for k, c in enumerate(best)]
    np.testing.assert_allclose(best_path(candidates), expected, rtol=1e-12)


def test_a_delayed_decision_is_that_of_the_path_so_far() -> None:
    """Frame k is decided as if the sound, and the path through it, ended 5 frames later."""
    settings, samples = PitchSettings(delay_frames=5), babble(1.0, 8000.0)[None]
    plan, centres = pitching.plan_of(settings, 8000.0), PLAN.half + 80 * np.arange(90)
    start = pitching.first_path(settings, 1)
    decided = pitching.follow(start, plan, samples, centres)[1][0][0]
    assert len(decided) == 85
    patient = pitching.first_path(settings, 1, 91)
    for k in range(85):
        so_far, _ = pitching.follow(patient, plan, samples, centres[: k + 6], 90)
        assert pitching.flush(so_far, plan)[0][0, k] == pytest.approx(decided[k], nan_ok=True)


@pytest.mark.parametrize(
    ("local_peak", "level", "expected"),
    [
        (0.5, 0.5, 0.45),  # loud
        (0.03 / 1.45, 1.0, 1.45),  # half way to silence, below the peak
        (0.06 / 1.45, 1.0, 0.45),
        (0.0, 1.0, 2.45),
    ],
)
def test_quiet_frames_are_unvoiced(local_peak: float, level: float, expected: float) -> None:
    running = np.array([1.0, 1e-9])
    got = kernels.unvoiced_strength(local_peak, level, COSTS, 0.0, running)
    assert got == pytest.approx(expected)
    fixed = kernels.unvoiced_strength(2.0 * local_peak, level, COSTS, 2.0, np.zeros(2))
    assert fixed == pytest.approx(expected)


def test_what_does_not_stand_out_from_the_floor_is_unvoiced() -> None:
    """So is noise before the first word, and not a tone: 0.6 and 0.9 of their own level."""
    for local_peak, expected in ((0.06 / 1.45, 1.45), (0.12 / 1.45, 0.45), (0.09, 0.45)):
        got = kernels.unvoiced_strength(local_peak, 0.1, COSTS, 0.0, np.array([0.1, 0.1]))
        assert got == pytest.approx(expected)


def test_running_levels_follow_the_sound() -> None:
    running = np.zeros(2)
    for level, peak, floor in ((0.0, 0.0, 0.0), (0.2, 0.2, 0.2), (1.0, 1.0, 0.2), (0.1, 1.0, 0.1)):
        kernels.unvoiced_strength(0.0, level, COSTS, 0.0, running)
        np.testing.assert_allclose(running, [peak, floor], rtol=1e-2)
    for _ in range(4000):  # 40 s
        kernels.unvoiced_strength(0.0, 1e-3, COSTS, 0.0, running)
    np.testing.assert_allclose(running, [0.5, 1e-3], rtol=1e-2)
    for _ in range(2000):  # 20 s: the floor rises by 20 dB, and not over digital silence
        kernels.unvoiced_strength(0.0, 0.1, COSTS, 0.0, running)
        kernels.unvoiced_strength(0.0, 0.0, COSTS, 0.0, running)
    np.testing.assert_allclose(running, [0.25, 1e-2], rtol=1e-2)


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
    from kinesphere.speech.prosody.syllables import Syllable, SyllableSettings, syllables

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
    from kinesphere.speech.prosody.syllables import Syllable, syllables

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
    from kinesphere.speech.prosody.syllables import Syllable, syllables

    beat = 60.0 - 8.0 * np.cos(np.arange(40) * 2 * np.pi / 40.0)
    hz = np.concatenate([np.linspace(100.0, 110.0, 20), np.full(3, 215.0), np.full(17, 108.0)])
    found = [e for e in syllables(hz, beat, beat) if isinstance(e, Syllable)]
    assert len(found) == 1
    assert 0.5 < found[0].rise_st < 2.0
    assert found[0].fall_st < 0.5
