"""Compiled loops of pitch: frames, their spectra, candidates, and the path through them.

All work on rows, so that one voice or many, one frame or a whole recording give the same numbers.
The plain references are in the tests.
"""

from __future__ import annotations

import numpy as np

from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.compiled import compiled, reads
from kinesphere.speech.prosody.fourier_kernels import real_spectrum
from kinesphere.speech.prosody.intensity import LOWEST_POWER

_F1, _F2, _F3 = reads("float64", 1), reads("float64", 2), reads("float64", 3)
_I1 = reads("int64", 1)

# State of a voice between frames: running levels, then the score of each candidate.
PEAK, FLOOR, SCORES = 0, 1, 2
# An undecided frame: number of candidates, energy in the band, then octaves of the
# candidates above the pitch floor, then for each the index of its best predecessor.
COUNT, BAND, OCTAVES = 0, 1, 2
# Sizes of the analysis in samples, bins and lags.
MEAN_REACH, PEAK_REACH, BAND_LOW, BAND_HIGH, MIN_LAG, MAX_LAG = range(6)


@compiled(f"UniTuple(f8, 2)({_F1}, i8, {_F1}, {_I1}, f8[::1])")
def window_frame(
    samples: Floats, centre: int, window: Floats, sizes: Ints, frame: Floats
) -> tuple[float, float]:
    """Extract a frame, subtract the local mean, apply the window.

    `centre` is the sample just after the frame's centre. Returns the largest magnitude of the
    windowed samples near the centre, and that of the unwindowed ones in the whole window.
    """
    half = len(window) // 2
    total = 0.0
    for i in range(centre - sizes[MEAN_REACH], centre + sizes[MEAN_REACH]):
        total += samples[i]
    mean = total / (2 * sizes[MEAN_REACH])
    level = 0.0
    x = samples[centre - half : centre + half]
    for j in range(2 * half):
        bare = x[j] - mean
        frame[j] = bare * window[j]
        level = max(level, abs(bare))
    if level <= 1e-12 * abs(mean):  # constant up to rounding
        level = 0.0
        frame[:] = 0.0
    peak = 0.0
    for j in range(max(0, half - sizes[PEAK_REACH]), min(2 * half, half + sizes[PEAK_REACH])):
        peak = max(peak, abs(frame[j]))
    return peak, level


@compiled(f"void({_F1}, {_F2}, f8[:, ::1], f8[::1], f8[::1], f8[::1])")
def autocorrelate(
    frame: Floats, turn: Floats, work: Floats, power: Floats, room: Floats, correlation: Floats
) -> None:
    """Power spectrum of a frame ``[n/2 + 1]``, and the first lags of its autocorrelation.

    The frame is zero-padded to length n. The second transform is of the power
    spectrum, whose other half mirrors the first.
    """
    half = work.shape[1]
    work[:2] = 0.0
    for j in range(len(frame) // 2):
        work[0, j], work[1, j] = frame[2 * j], frame[2 * j + 1]
    real_spectrum(turn, work, power, room)
    for k in range(half + 1):
        power[k] = power[k] * power[k] + room[k] * room[k]
    for k in range(half):
        even, odd = 2 * k, 2 * k + 1
        work[0, k] = power[even] if even <= half else power[2 * half - even]
        work[1, k] = power[odd] if odd <= half else power[2 * half - odd]
    real_spectrum(turn, work, correlation, room)


@compiled(f"f8({_F1}, i8, {_F1})")
def _dot(values: Floats, first: int, weights: Floats) -> float:
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for j in range(0, len(weights) - 3, 4):
        a += values[first + j] * weights[j]
        b += values[first + j + 1] * weights[j + 1]
        c += values[first + j + 2] * weights[j + 2]
        d += values[first + j + 3] * weights[j + 3]
    for j in range(len(weights) // 4 * 4, len(weights)):
        a += values[first + j] * weights[j]
    return (a + b) + (c + d)


@compiled(f"UniTuple(f8, 2)({_F1}, i8, i8, {_F2})")
def _refine(r: Floats, at: int, reach: int, sinc: Floats) -> tuple[float, float]:
    """Lag and height of the band-limited maximum near the sample maximum ``r[reach + at]``.

    `sinc` ``[phases, 2 reach]`` interpolates at ``lag + phase/phases``, reading from
    ``lag - reach + 1``. The search starts at the parabola's top; a parabola through three
    neighbouring phases ends it.
    """
    phases = len(sinc)
    left, mid, right = r[reach + at - 1], r[reach + at], r[reach + at + 1]
    bend = (mid - left) + (mid - right)  # above 0, also where their sum would round to 0
    place = at * phases + int(np.rint(phases * 0.5 * (right - left) / bend))
    here = _dot(r, place // phases + 1, sinc[place % phases])
    below = _dot(r, (place - 1) // phases + 1, sinc[(place - 1) % phases])
    above = _dot(r, (place + 1) // phases + 1, sinc[(place + 1) % phases])
    for _ in range(phases):
        if above > here:
            place += 1
            below, here = here, above
            above = _dot(r, (place + 1) // phases + 1, sinc[(place + 1) % phases])
        elif below > here:
            place -= 1
            above, here = here, below
            below = _dot(r, (place - 1) // phases + 1, sinc[(place - 1) % phases])
        else:
            break
    bend = 2.0 * here - below - above
    part = 0.5 * (above - below) / bend if bend > 0.0 else 0.0
    return (place + part) / phases, here + 0.25 * (above - below) * part


@compiled(f"i8({_F1}, {_F1}, {_F2}, {_F1}, {_I1}, f8[::1], f8[::1], f8[::1])")
def find_candidates(
    correlation: Floats,
    window_gain: Floats,
    sinc: Floats,
    search: Floats,
    sizes: Ints,
    r: Floats,
    octaves: Floats,
    strengths: Floats,
) -> int:
    """Maxima of a raw autocorrelation, as pitches and strengths minus costs; returns their number.

    ``window_gain`` is one over the window's own normalised autocorrelation, so that
    ``r = ac/ac[0] * window_gain`` (Boersma 1993, eq 9), stored in `r`. `search` is the
    rate, floor and ceiling in Hz, the least height and the octave cost. Candidate 0 is
    unvoiced. `octaves` are log2 of the pitch over the floor; from a strength the octave cost
    is subtracted (eq 24, but relative to the ceiling, to match Praat's voicing decisions). With all
    candidates used, a stronger maximum replaces the weakest.
    """
    rate_hz, floor_hz, ceiling_hz, least, octave_cost = search[:5]
    min_lag, max_lag = sizes[MIN_LAG], sizes[MAX_LAG]
    reach = sinc.shape[1] // 2
    octaves[0] = strengths[0] = 0.0
    energy = correlation[0]
    if not energy > 1e-280:
        return 1
    scale = 1.0 / energy
    for j in range(max_lag + reach + 1):
        r[reach + j] = correlation[j] * scale * window_gain[j]
    for j in range(1, reach + 1):
        r[reach - j] = r[reach + j]
    count = 1
    for i in range(min_lag, max_lag):
        y = r[reach + i]
        if not (y > least and y > r[reach + i - 1] and y >= r[reach + i + 1]):
            continue
        lag, strength = _refine(r, i, reach, sinc)
        pitch = rate_hz / lag
        if pitch > ceiling_hz:
            continue
        if strength > 1.0:
            strength = 1.0 / strength
        strength -= octave_cost * np.log2(ceiling_hz / pitch)
        place = count
        if place < len(octaves):
            count += 1
        else:
            place = 1
            for c in range(2, count):
                if strengths[c] < strengths[place]:
                    place = c
            if strength <= strengths[place]:
                continue
        octaves[place] = np.log2(pitch / floor_hz)
        strengths[place] = strength
    return count


@compiled(f"f8(f8, f8, {_F1}, f8, f8[::1])")
def unvoiced_strength(
    local_peak: float, level: float, costs: Floats, fixed_peak: float, running: Floats
) -> float:
    """Strength of the unvoiced candidate (Boersma 1993, eq 23); updates the running levels.

    A frame is silent below a ratio of the running peak, or of the running floor. The peak decays,
    the floor rises; digital silence does not change it. A `fixed_peak` above 0 replaces both.
    """
    voicing, silence, margin = costs[0], costs[1], costs[2]
    running[PEAK] = max(level, running[PEAK] * costs[5])
    if level > 0.0:
        risen = running[FLOOR] * costs[6]
        running[FLOOR] = min(level, risen) if risen > 0.0 else level
    limit = max(silence * running[PEAK], margin * running[FLOOR])
    if fixed_peak > 0.0:
        limit = silence * fixed_peak
    loud = local_peak / limit if limit > 0.0 else 0.0
    return float(voicing + max(0.0, 2.0 - loud * (1.0 + voicing)))


@compiled(f"i8({_F1}, {_F1}, f8, {_F1}, f8[::1], f8[::1], f8[::1])")
def extend_path(
    before: Floats,
    strengths: Floats,
    unvoiced: float,
    costs: Floats,
    here: Floats,
    scores: Floats,
    room: Floats,
) -> int:
    """Extend the path by a frame: the best predecessor of each candidate; returns the best one.

    `before` and `here` are rows of undecided frames; that of `here` gets the predecessor of each
    candidate. `scores` are those of the last frame and are updated; the best one is 0.
    """
    jump_cost, switch_cost = costs[3], costs[4]
    places = len(strengths)
    came = OCTAVES + places
    count = int(here[COUNT])
    for c in range(count):
        best, source = 0.0, 0
        for p in range(int(before[COUNT])):
            if c == 0 and p == 0:
                cost = 0.0
            elif c == 0 or p == 0:
                cost = switch_cost
            else:
                cost = jump_cost * abs(here[OCTAVES + c] - before[OCTAVES + p])
            value = scores[p] - cost
            if p == 0 or value > best:
                best, source = value, p
        room[c] = best + (unvoiced if c == 0 else strengths[c])
        here[came + c] = source
    end = 0
    for c in range(1, count):
        if room[c] > room[end]:
            end = c
    for c in range(places):
        scores[c] = room[c] - room[end] if c < count else -np.inf
    return end


@compiled(f"f8({_F1}, i8, f8)")
def _hz(frame: Floats, place: int, floor_hz: float) -> float:
    return floor_hz * 2.0 ** frame[OCTAVES + place] if place > 0 else np.nan


@compiled(
    f"void({_F2}, {_I1}, {_F1}, {_F2}, {_F1}, {_F2}, {_I1}, {_F1}, {_F1}, i8, i8, f8, "
    "f8[:, ::1], f8[:, :, ::1], f8[:, ::1], f8[:, ::1])"
)
def follow_frames(
    samples: Floats,
    centres: Ints,
    window: Floats,
    turn: Floats,
    window_gain: Floats,
    sinc: Floats,
    sizes: Ints,
    search: Floats,
    costs: Floats,
    first: int,
    delay: int,
    fixed_peak: float,
    running: Floats,
    waiting: Floats,
    hz: Floats,
    decided_db: Floats,
) -> None:
    """Find the candidates of new frames, and the path through them with delayed decisions.

    The frames are centred at the samples `centres` of ``samples [voices, n]``. Frame k has
    the slot ``k % slots`` in ``waiting [voices, slots, numbers]``, where `slots` is more than
    `delay`; `first` is the number of the first new one. It is decided on the best path that ends
    in frame ``k + delay``: its pitch, NaN for unvoiced, and its energy are written to ``hz`` and
    ``decided_db [voices, decided]``. The last of `search` scales the energy. `costs` are voicing
    and silence thresholds, the floor's margin, jump and switch costs, the peak's decay and the
    floor's rise per frame.
    """
    slots, places = waiting.shape[1], running.shape[1] - SCORES
    came, half = OCTAVES + places, turn.shape[1]
    frame, work = np.empty(len(window)), np.empty((4, half))
    power, room = np.empty(half + 1), np.empty(half + 1)
    correlation = np.empty(len(window_gain))
    r = np.empty(len(window_gain) + sinc.shape[1])
    strengths, values = np.empty(places), np.empty(places)
    for v in range(len(samples)):
        out = 0
        for n in range(len(centres)):
            k = first + n
            here, before = waiting[v, k % slots], waiting[v, (k + slots - 1) % slots]
            local_peak, level = window_frame(samples[v], centres[n], window, sizes, frame)
            autocorrelate(frame, turn, work, power, room, correlation)
            energy = search[5] * np.sum(power[sizes[BAND_LOW] : sizes[BAND_HIGH]])
            here[BAND] = 10.0 * np.log10(max(energy, LOWEST_POWER))
            here[COUNT] = find_candidates(
                correlation, window_gain, sinc, search, sizes, r, here[OCTAVES:came], strengths
            )
            unvoiced = unvoiced_strength(local_peak, level, costs, fixed_peak, running[v])
            end = extend_path(before, strengths, unvoiced, costs, here, running[v, SCORES:], values)
            if k >= delay:
                for j in range(delay):
                    end = int(waiting[v, (k - j) % slots, came + end])
                decided = waiting[v, (k - delay) % slots]
                hz[v, out] = _hz(decided, end, search[1])
                decided_db[v, out] = decided[BAND]
                out += 1


@compiled(f"void({_F2}, {_F3}, i8, f8, f8[:, ::1], f8[:, ::1])")
def trace_back(
    running: Floats, waiting: Floats, end: int, floor_hz: float, hz: Floats, band_db: Floats
) -> None:
    """Decide the frames before number `end`, as many as `hz` has, on the best path to the last."""
    slots, came = waiting.shape[1], OCTAVES + running.shape[1] - SCORES
    for v in range(len(running)):
        c = int(np.argmax(running[v, SCORES:]))
        for k in range(hz.shape[1] - 1, -1, -1):
            frame = waiting[v, (end - hz.shape[1] + k) % slots]
            hz[v, k] = _hz(frame, c, floor_hz)
            band_db[v, k] = frame[BAND]
            c = int(frame[came + c])
