"""Compiled loops of prosody: frames, pitch candidates, their path, energy, syllables.

All work on rows, so that one voice or many, one frame or a whole recording are the same numbers.
The plain references stand in the tests.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.compiled import compiled, reads

_F1, _F2, _F3 = reads("float64", 1), reads("float64", 2), reads("float64", 3)
_I1, _I3 = reads("int64", 1), reads("int64", 3)
_C2 = reads("complex128", 2)


@compiled(f"void({_F2}, {_I1}, {_F1}, i8, i8, f8[:, :, ::1], f8[:, ::1], f8[:, ::1])")
def window_frames(
    samples: Floats,
    centres: Ints,
    window: Floats,
    mean_reach: int,
    peak_reach: int,
    frames: Floats,
    local_peaks: Floats,
    levels: Floats,
) -> None:
    """Cut frames out of ``samples [voices, n]``, take off the local mean, apply the window.

    `centres` are the samples just right of the frames' middles. ``frames [voices, frames, fft]``
    beyond the window must be zero already. `local_peaks` are the largest magnitudes of the
    windowed samples near the middle, `levels` those of the bare ones in the whole window.
    """
    half = len(window) // 2
    for v in range(frames.shape[0]):
        for k in range(len(centres)):
            c = centres[k]
            total = 0.0
            for i in range(c - mean_reach, c + mean_reach):
                total += samples[v, i]
            mean = total / (2 * mean_reach)
            level = 0.0
            peak = 0.0
            for j in range(2 * half):
                x = samples[v, c - half + j] - mean
                frames[v, k, j] = x * window[j]
                level = max(level, abs(x))
            if level <= 1e-12 * abs(mean):  # a constant, but for rounding
                level = 0.0
                frames[v, k, : 2 * half] = 0.0
            for j in range(max(0, half - peak_reach), min(2 * half, half + peak_reach)):
                peak = max(peak, abs(frames[v, k, j]))
            local_peaks[v, k] = peak
            levels[v, k] = level


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
    """Lag and height of the band-limited maximum next to the sample maximum ``r[reach + at]``.

    `sinc` ``[phases, 2 reach]`` interpolates at ``lag + phase/phases``, reading from
    ``lag - reach + 1``. The climb starts at the parabola's top; a parabola through three
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


@compiled(f"void({_F2}, {_F1}, {_F2}, i8, i8, f8, f8, f8, f8, f8, f8[:, ::1], f8[:, ::1], i8[::1])")
def find_candidates(
    correlation: Floats,
    window_gain: Floats,
    sinc: Floats,
    min_lag: int,
    max_lag: int,
    rate_hz: float,
    floor_hz: float,
    ceiling_hz: float,
    least: float,
    octave_cost: float,
    octaves: Floats,
    strengths: Floats,
    counts: Ints,
) -> None:
    """Maxima of each row of the raw autocorrelation, as pitches and costed strengths.

    ``window_gain`` is one over the window's own normalised autocorrelation, so that
    ``r = ac/ac[0] * window_gain`` (Boersma 1993, eq 9). Candidate 0 is voicelessness. `octaves`
    are log2 of the pitch over the floor; from a strength the octave cost is taken off (eq 24, but
    against the ceiling: so Praat's voicing decisions are met). With all places taken, a stronger
    maximum replaces the weakest.
    """
    reach = sinc.shape[1] // 2
    top = max_lag + reach + 1
    r = np.empty(reach + top)
    places = octaves.shape[1]
    for row in range(len(correlation)):
        counts[row] = 1
        octaves[row, 0] = 0.0
        strengths[row, 0] = 0.0
        energy = correlation[row, 0]
        if not energy > 1e-280:
            continue
        scale = 1.0 / energy
        for j in range(top):
            r[reach + j] = correlation[row, j] * scale * window_gain[j]
        for j in range(1, reach + 1):
            r[reach - j] = r[reach + j]
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
            place = counts[row]
            if place < places:
                counts[row] += 1
            else:
                place = 1
                for c in range(2, places):
                    if strengths[row, c] < strengths[row, place]:
                        place = c
                if strength <= strengths[row, place]:
                    continue
            octaves[row, place] = np.log2(pitch / floor_hz)
            strengths[row, place] = strength


@compiled(
    f"void({_F3}, {_F3}, i8[:, ::1], {_F2}, {_F2}, {_F1}, i8, f8, "
    "f8[::1], f8[:, ::1], i8[:, :, ::1], f8[:, ::1])"
)
def follow_path(
    octaves: Floats,
    strengths: Floats,
    counts: Ints,
    local_peaks: Floats,
    levels: Floats,
    costs: Floats,
    delay: int,
    fixed_peak: float,
    peaks: Floats,
    scores: Floats,
    back: Ints,
    chosen: Floats,
) -> None:
    """Viterbi over frames with a decision `delay` frames later.

    Frames that were known and not yet decided come first in ``octaves [voices, frames, places]``,
    `counts` and `back`; the others are new: `strengths` and levels are of them alone, and their
    `back` is filled. ``scores [voices, places]`` and the running `peaks` are of the last frame
    and are brought up to date. A `fixed_peak` above 0 stands in for the running one. `costs` are
    voicing and silence thresholds, jump and switch costs, the peak's decay. Frame i is decided on
    the best path that ends in frame ``i + delay``; ``chosen [voices, decided]`` gets octaves
    above the floor, NaN for unvoiced.
    """
    voicing, silence, jump_cost, switch_cost, decay = costs
    frames, places = octaves.shape[1], octaves.shape[2]
    old = frames - strengths.shape[1]
    now = np.empty(places)
    for v in range(len(octaves)):
        before = counts[v, old - 1] if old > 0 else 0
        for k in range(old, frames):
            n = k - old
            peaks[v] = max(levels[v, n], peaks[v] * decay)
            peak = fixed_peak if fixed_peak > 0.0 else peaks[v]
            loud = local_peaks[v, n] / peak if peak > 0.0 else 0.0
            unvoiced = voicing + max(0.0, 2.0 - min(loud, 1.0) * (1.0 + voicing) / silence)
            for c in range(counts[v, k]):
                best, source = 0.0, 0
                for p in range(before):
                    if c == 0 and p == 0:
                        cost = 0.0
                    elif c == 0 or p == 0:
                        cost = switch_cost
                    else:
                        cost = jump_cost * abs(octaves[v, k, c] - octaves[v, k - 1, p])
                    value = scores[v, p] - cost
                    if p == 0 or value > best:
                        best, source = value, p
                now[c] = best + (unvoiced if c == 0 else strengths[v, n, c])
                back[v, k, c] = source
            before = counts[v, k]
            highest = now[0]
            end = 0
            for c in range(1, before):
                if now[c] > highest:
                    highest, end = now[c], c
            for c in range(places):
                scores[v, c] = now[c] - highest if c < before else -np.inf
            if k >= delay:
                for j in range(delay):
                    end = back[v, k - j, end]
                chosen[v, k - delay] = octaves[v, k - delay, end] if end > 0 else np.nan


@compiled(f"void({_F3}, {_I3}, {_F2}, f8[:, ::1])")
def trace_back(octaves: Floats, back: Ints, scores: Floats, chosen: Floats) -> None:
    """Decide all pending frames on the path that ends best in the last one."""
    frames = octaves.shape[1]
    for v in range(len(octaves)):
        c = int(np.argmax(scores[v]))
        for k in range(frames - 1, -1, -1):
            chosen[v, k] = octaves[v, k, c] if c > 0 else np.nan
            c = back[v, k, c]


@compiled(f"void({_C2}, i8, i8, f8, f8, f8[:, ::1], f8[::1])")
def power_spectra(
    spectra: NDArray[np.complex128],
    low: int,
    high: int,
    scale: float,
    least: float,
    power: Floats,
    band_db: Floats,
) -> None:
    """Squared magnitudes ``[rows, bins]``, and those of bins ``[low, high)`` together in dB."""
    for row in range(len(spectra)):
        for j in range(spectra.shape[1]):
            z = spectra[row, j]
            power[row, j] = z.real * z.real + z.imag * z.imag
        total = 0.0
        for j in range(low, high):
            total += power[row, j]
        band_db[row] = 10.0 * np.log10(max(scale * total, least))


@compiled(f"void({_F2}, {_I1}, {_F1}, f8, f8, f8[:, ::1])")
def weighted_levels(
    samples: Floats, centres: Ints, window: Floats, scale: float, least: float, levels: Floats
) -> None:
    """Mean square under a window that sums to 1, the plain mean taken off before, in dB."""
    count = len(window)
    rest = count // 4 * 4
    for v in range(len(samples)):
        for k in range(len(centres)):
            x = samples[v, centres[k] - count // 2 :]
            a, b, c, d = 0.0, 0.0, 0.0, 0.0
            for j in range(0, rest, 4):
                a += x[j]
                b += x[j + 1]
                c += x[j + 2]
                d += x[j + 3]
            for j in range(rest, count):
                a += x[j]
            mean = ((a + b) + (c + d)) / count
            a, b, c, d = 0.0, 0.0, 0.0, 0.0
            for j in range(0, rest, 4):
                a += (x[j] - mean) ** 2 * window[j]
                b += (x[j + 1] - mean) ** 2 * window[j + 1]
                c += (x[j + 2] - mean) ** 2 * window[j + 2]
                d += (x[j + 3] - mean) ** 2 * window[j + 3]
            for j in range(rest, count):
                a += (x[j] - mean) ** 2 * window[j]
            power = (a + b) + (c + d)
            levels[v, k] = 10.0 * np.log10(max(scale * power, least))


# What a stretch of a syllable adds up to: places in its row of numbers.
STRETCH = 11
_N, _LOUD, _SUM_DB, _VOICED, _SUM, _LOW, _HIGH, _RISE, _FALL, _FIRST, _LAST = range(STRETCH)
_JUMP_ST = 5.0  # more from a voiced frame to the next is an error of octave or a new start


@compiled("void(f8[::1])")
def _clear(row: Floats) -> None:
    row[:] = 0.0
    row[_LOUD] = -np.inf


@compiled("void(f8[::1], f8[::1])")
def _append(row: Floats, later: Floats) -> None:
    """Add a later stretch to an earlier one; pitches are semitones above 1 Hz.

    Rise and fall are not measured across a jump, where lowest and highest begin anew.
    """
    row[_N] += later[_N]
    row[_LOUD] = max(row[_LOUD], later[_LOUD])
    row[_SUM_DB] += later[_SUM_DB]
    if later[_VOICED] == 0.0:
        return
    if row[_VOICED] == 0.0:
        row[_VOICED:] = later[_VOICED:]
        return
    row[_RISE] = max(row[_RISE], later[_RISE])
    row[_FALL] = max(row[_FALL], later[_FALL])
    if abs(later[_FIRST] - row[_LAST]) > _JUMP_ST:
        row[_LOW], row[_HIGH] = later[_LOW], later[_HIGH]
    else:
        row[_RISE] = max(row[_RISE], later[_HIGH] - row[_LOW])
        row[_FALL] = max(row[_FALL], row[_HIGH] - later[_LOW])
        row[_LOW] = min(row[_LOW], later[_LOW])
        row[_HIGH] = max(row[_HIGH], later[_HIGH])
    row[_VOICED] += later[_VOICED]
    row[_SUM] += later[_SUM]
    row[_LAST] = later[_LAST]


# A voice's row of numbers between frames.
MACHINE = 17
(
    _MODE, _START, _TOP, _TOP_AT, _TOP_VOICED, _END, _VALLEY, _SHUT, _FLOOR, _PEAK,
    _HEARD_AT, _VOICED_AT, _RUN, _ONSET, _REPEATS, _FRAME, _BEGUN,
) = range(MACHINE)  # fmt: skip
_PAUSED, _CLIMBING, _FALLING = 0.0, 1.0, 2.0
EVENT = 5 + STRETCH
"""An event's row: kind (0 syllable, 1 pause), start, peak, end, issued (frames), a stretch."""
SMOOTH = 5
"""Frames under the binomial that smooths the band's energy."""


@compiled("i8(f8[:, ::1], i8, f8[::1], f8[::1])")
def _issue(events: Floats, count: int, m: Floats, stretch: Floats) -> int:
    if m[_TOP_VOICED] == 0.0:
        return count
    events[count, 0] = 0.0
    events[count, 1] = m[_START]
    events[count, 2] = m[_TOP_AT]
    events[count, 3] = m[_END]
    events[count, 4] = m[_FRAME]
    events[count, 5:] = stretch
    return count + 1


@compiled(f"void({_F2}, {_F2}, {_F2}, {_F1}, f8[:, ::1], f8[:, :, ::1], f8[:, :, ::1], i8[::1])")
def find_syllables(
    band_db: Floats,
    hz: Floats,
    loudness_db: Floats,
    limits: Floats,
    machines: Floats,
    stretches: Floats,
    events: Floats,
    counts: Ints,
) -> None:
    """Run the peak and valley machine of `speech.syllables` over frames of each voice.

    ``band_db`` has `SMOOTH` - 1 frames more than the others: two before, two after. ``limits``
    are dip, reach below the peak, margin over the floor (dB), the peak's fall, the floor's rise
    (dB a frame), pause, repeat, lead (frames). ``stretches [voices, 3, STRETCH]`` are the
    syllable up to its valley, what came after, and one frame.
    """
    dip, reach, margin, sink, creep, pause, repeat, lead = limits
    for v in range(len(machines)):
        m = machines[v]
        main, after, one = stretches[v, 0], stretches[v, 1], stretches[v, 2]
        count = 0
        for k in range(hz.shape[1]):
            b = band_db[v, k : k + SMOOTH]
            y = (b[0] + b[4] + 4.0 * (b[1] + b[3]) + 6.0 * b[2]) / 16.0
            if m[_BEGUN] == 0.0:
                m[_BEGUN] = 1.0
                m[_PEAK] = y
                m[_FLOOR] = y - 0.5 * reach
                m[_HEARD_AT] = m[_VOICED_AT] = -1e9
                _clear(main)
                _clear(after)
            now = m[_FRAME]
            m[_PEAK] = max(y, m[_PEAK] - sink)
            if y < m[_FLOOR]:
                m[_FLOOR] += 0.3 * (y - m[_FLOOR])
            else:
                m[_FLOOR] = min(y, m[_FLOOR] + creep)
            least = max(m[_PEAK] - reach, m[_FLOOR] + margin)
            sounds = y > least
            pitch = 12.0 * np.log2(hz[v, k])
            voiced = not np.isnan(pitch)
            if voiced:
                m[_VOICED_AT] = now
            one[_N], one[_LOUD], one[_SUM_DB] = 1.0, loudness_db[v, k], loudness_db[v, k]
            one[_VOICED] = 1.0 if voiced else 0.0
            one[_SUM] = one[_LOW] = one[_HIGH] = one[_FIRST] = one[_LAST] = pitch
            one[_RISE] = one[_FALL] = 0.0
            if sounds and voiced:
                m[_HEARD_AT] = now
            if not sounds:
                m[_RUN] = now + 1.0

            if m[_MODE] == _PAUSED:
                if sounds and voiced:
                    m[_MODE] = _CLIMBING
                    m[_START] = max(m[_RUN], now - lead)
                    main[:] = one
                    m[_TOP], m[_TOP_AT], m[_TOP_VOICED] = y, now, 1.0
            elif m[_MODE] == _CLIMBING:
                _append(main, one)
                if y > m[_TOP]:
                    m[_TOP], m[_TOP_AT] = y, now
                    m[_TOP_VOICED] = 1.0 if now - m[_VOICED_AT] <= 2.0 else 0.0
                elif voiced and now - m[_TOP_AT] <= 2.0:
                    m[_TOP_VOICED] = 1.0
                if y < m[_TOP] - dip:
                    m[_MODE] = _FALLING
                    m[_VALLEY], m[_END] = y, now
                    m[_SHUT] = 0.0 if sounds else 1.0
                    _clear(after)
            else:
                if voiced and now - m[_TOP_AT] <= 2.0:
                    m[_TOP_VOICED] = 1.0
                if not sounds:
                    if m[_SHUT] == 0.0:
                        _append(main, after)
                        m[_END] = now
                        m[_SHUT] = 1.0
                    m[_VALLEY] = min(m[_VALLEY], y)
                    _clear(after)
                else:
                    _append(after, one)
                    if y <= m[_VALLEY] and m[_SHUT] == 0.0:
                        m[_VALLEY], m[_END] = y, now
                        _append(main, after)
                        _clear(after)
                    elif y > m[_VALLEY] + dip:
                        count = _issue(events[v], count, m, main)
                        m[_START] = max(m[_RUN], m[_END])
                        m[_MODE] = _CLIMBING
                        m[_TOP], m[_TOP_AT] = y, now
                        m[_TOP_VOICED] = 1.0 if now - m[_VOICED_AT] <= 2.0 else 0.0
                        main[:] = after

            if m[_MODE] != _PAUSED and now - m[_HEARD_AT] >= pause:
                if m[_MODE] == _CLIMBING:
                    m[_END] = m[_HEARD_AT] + 1.0
                count = _issue(events[v], count, m, main)
                m[_MODE] = _PAUSED
                m[_ONSET] = m[_HEARD_AT] + 1.0
                m[_REPEATS] = 0.0
            if m[_MODE] == _PAUSED and now - m[_ONSET] >= max(pause, m[_REPEATS] * repeat):
                events[v, count, 0] = 1.0
                events[v, count, 1] = m[_ONSET]
                events[v, count, 2] = events[v, count, 3] = m[_ONSET] + m[_REPEATS] * repeat
                events[v, count, 4] = now
                count += 1
                m[_REPEATS] += 1.0
            m[_FRAME] = now + 1.0
        counts[v] = count


@compiled("void(f8[:, ::1], f8[:, :, ::1], f8[:, :, ::1], i8[::1])")
def last_syllables(machines: Floats, stretches: Floats, events: Floats, counts: Ints) -> None:
    """Issue the syllable that the end of the sound cut off, if there is one."""
    for v in range(len(machines)):
        m = machines[v]
        counts[v] = 0
        if m[_MODE] == _CLIMBING:
            m[_END] = m[_FRAME]
        if m[_MODE] != _PAUSED:
            counts[v] = _issue(events[v], 0, m, stretches[v, 0])
