"""Compiled loop of syllables: peaks of energy between valleys, frame by frame.

All work on rows, so that one voice or many, one frame or a whole recording give the same numbers.
The plain references are in the tests.
"""

from __future__ import annotations

import numpy as np

from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.compiled import compiled, reads

_F1, _F2 = reads("float64", 1), reads("float64", 2)

# Sums over a part of a syllable: indices in its row of numbers.
STRETCH = 11
_N, _LOUD, _SUM_DB, _VOICED, _SUM, _LOW, _HIGH, _RISE, _FALL, _FIRST, _LAST = range(STRETCH)
_JUMP_ST = 5.0  # a larger step between voiced frames is an octave error or a restart


@compiled("void(f8[::1])")
def _clear(row: Floats) -> None:
    row[:] = 0.0
    row[_LOUD] = -np.inf


@compiled("void(f8[::1], f8[::1])")
def _append(row: Floats, later: Floats) -> None:
    """Add a later part to an earlier one; pitches are semitones above 1 Hz.

    Rise and fall are not measured across a jump, where lowest and highest are reset.
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


# State of a voice between frames.
MACHINE = 17
(
    _MODE,
    _START,
    _TOP,
    _TOP_AT,
    _TOP_VOICED,
    _END,
    _VALLEY,
    _SHUT,
    _FLOOR,
    _PEAK,
    _HEARD_AT,
    _VOICED_AT,
    _RUN,
    _ONSET,
    _REPEATS,
    _FRAME,
    _BEGUN,
) = range(MACHINE)
_PAUSED, _CLIMBING, _FALLING = 0.0, 1.0, 2.0
EVENT = 5 + STRETCH
"""An event's row: kind (0 syllable, 1 pause, 2 onset), start, peak, end, issued, sums.

For a pause, peak is its time and end is the last peak of speech; an onset has no peak."""
_SIDE = 2  # frames on each side of the binomial filter that smooths the band's energy
_SMOOTH = 2 * _SIDE + 1
# Whole state of a voice: the state machine, three sums (the syllable up to its valley, the part
# after it, one frame), energies under the binomial, pitch and intensity of frames whose smoothing
# is incomplete, and the number of frames processed.
_ENERGY = MACHINE + 3 * STRETCH
_PITCH = _ENERGY + _SMOOTH
_LOUDNESS = _PITCH + _SIDE + 1
_TAKEN = _LOUDNESS + _SIDE + 1
MEMORY = _TAKEN + 1


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


@compiled(f"i8(f8, f8, f8, {_F1}, f8[::1], f8[:, ::1], i8)")
def _hear(
    y: float,
    hz: float,
    loudness_db: float,
    limits: Floats,
    memory: Floats,
    events: Floats,
    count: int,
) -> int:
    """Process one frame of smoothed energy by the peak and valley state machine; events so far."""
    dip, reach, margin, sink, creep, pause, repeat, lead, anew = limits
    m = memory[:MACHINE]
    main = memory[MACHINE : MACHINE + STRETCH]
    after = memory[MACHINE + STRETCH : MACHINE + 2 * STRETCH]
    one = memory[MACHINE + 2 * STRETCH : _ENERGY]
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
    pitch = 12.0 * np.log2(hz)
    voiced = not np.isnan(pitch)
    if voiced:
        m[_VOICED_AT] = now
    one[_N], one[_LOUD], one[_SUM_DB] = 1.0, loudness_db, loudness_db
    one[_VOICED] = 1.0 if voiced else 0.0
    one[_SUM] = one[_LOW] = one[_HIGH] = one[_FIRST] = one[_LAST] = pitch
    one[_RISE] = one[_FALL] = 0.0
    silent_at = m[_HEARD_AT] + 1.0
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
            if now - silent_at >= anew:
                events[count, 0] = 2.0
                events[count, 1] = events[count, 2] = m[_START]
                events[count, 3] = events[count, 4] = now
                count += 1
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
                count = _issue(events, count, m, main)
                m[_START] = max(m[_RUN], m[_END])
                m[_MODE] = _CLIMBING
                m[_TOP], m[_TOP_AT] = y, now
                m[_TOP_VOICED] = 1.0 if now - m[_VOICED_AT] <= 2.0 else 0.0
                main[:] = after

    if m[_MODE] != _PAUSED and now - m[_HEARD_AT] >= pause:
        if m[_MODE] == _CLIMBING:
            m[_END] = max(m[_HEARD_AT] + 1.0, m[_TOP_AT])
        count = _issue(events, count, m, main)
        m[_MODE] = _PAUSED
        m[_ONSET] = m[_HEARD_AT] + 1.0
        m[_REPEATS] = 0.0
    if m[_MODE] == _PAUSED and now - m[_ONSET] >= max(pause, m[_REPEATS] * repeat):
        events[count, 0] = 1.0
        events[count, 1] = m[_ONSET]
        events[count, 2] = m[_ONSET] + m[_REPEATS] * repeat
        events[count, 3] = m[_TOP_AT]
        events[count, 4] = now
        count += 1
        m[_REPEATS] += 1.0
    m[_FRAME] = now + 1.0
    return count


@compiled(f"i8(f8, f8, f8, {_F1}, f8[::1], f8[:, ::1], i8)")
def _take(
    band_db: float,
    hz: float,
    loudness_db: float,
    limits: Floats,
    memory: Floats,
    events: Floats,
    count: int,
) -> int:
    """Process a frame; the one whose smoothing it completes is passed to the state machine."""
    energy, pitch = memory[_ENERGY:_PITCH], memory[_PITCH:_LOUDNESS]
    loudness = memory[_LOUDNESS:_TAKEN]
    if memory[_TAKEN] == 0.0:
        energy[:] = band_db
    for j in range(_SMOOTH - 1):
        energy[j] = energy[j + 1]
    for j in range(_SIDE):
        pitch[j], loudness[j] = pitch[j + 1], loudness[j + 1]
    energy[_SMOOTH - 1], pitch[_SIDE], loudness[_SIDE] = band_db, hz, loudness_db
    memory[_TAKEN] += 1.0
    if memory[_TAKEN] <= _SIDE:
        return count
    b = energy
    y = (b[0] + b[4] + 4.0 * (b[1] + b[3]) + 6.0 * b[2]) / 16.0
    return _hear(y, pitch[0], loudness[0], limits, memory, events, count)


@compiled(f"i8({_F2}, {_F2}, {_F2}, {_F1}, f8[:, ::1], f8[:, :, ::1], i8[::1])")
def find_syllables(
    hz: Floats,
    band_db: Floats,
    loudness_db: Floats,
    limits: Floats,
    memory: Floats,
    events: Floats,
    counts: Ints,
) -> int:
    """Run the state machine of `speech.prosody.syllables` over frames ``[voices, frames]``.

    ``limits`` are dip, reach below the peak, margin over the floor (dB), the peak's decay, the
    floor's rise (dB per frame), pause, repeat, lead, silence before an onset (frames). ``memory
    [voices, MEMORY]`` is updated; ``events [voices, 2 frames, EVENT]`` get those that
    end, `counts` of each voice. Returns their total number.
    """
    total = 0
    for v in range(len(memory)):
        count = 0
        for k in range(hz.shape[1]):
            count = _take(
                band_db[v, k], hz[v, k], loudness_db[v, k], limits, memory[v], events[v], count
            )
        counts[v] = count
        total += count
    return total


@compiled(f"void({_F1}, f8[:, ::1], f8[:, :, ::1], i8[::1])")
def last_syllables(limits: Floats, memory: Floats, events: Floats, counts: Ints) -> None:
    """Events of the frames whose smoothing is incomplete, and the syllable cut off by the end."""
    for v in range(len(memory)):
        count = 0
        m = memory[v]
        if m[_TAKEN] > 0.0:
            for _ in range(_SIDE):
                count = _take(m[_PITCH - 1], np.nan, 0.0, limits, m, events[v], count)
        if m[_MODE] == _CLIMBING:
            m[_END] = m[_FRAME]
        if m[_MODE] != _PAUSED:
            count = _issue(events[v], count, m, m[MACHINE : MACHINE + STRETCH])
        counts[v] = count
