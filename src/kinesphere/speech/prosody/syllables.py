"""Syllable detection: peaks of vowel energy separated by valleys, in batch or streaming.

The 2009 paper (section 6, after Maeran et al. 1997) takes peaks of the intensity between valleys,
and issues a syllable as soon as the peak of the next is found, so that a gesture can follow at
once. So do we. The curve is the energy between 300 and 2300 Hz (computed by `speech.prosody.pitch`
from its spectra), smoothed by a binomial filter of five frames: frication noise, hum and voiced
consonants make no peaks there. A valley is at least `dip_db` below both its peaks, and a peak is
voiced.

The thresholds follow the level: speech is at most `reach_db` below a running peak, and `margin_db`
over a running noise floor. Without voiced frames for `pause_s` there is a `Pause`, repeated every
`repeat_s`; speech after `anew_s` of silence is an `Onset` at once, long before its first syllable
is complete. The look-ahead is at most two frames, and batch and stream are the same code.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import NamedTuple

import numpy as np

from kinesphere.maths.arrays import Floats, Ints, read_only
from kinesphere.maths.bounds import check_bounds, check_range, range_field
from kinesphere.speech.prosody.framing import seal

_NO_PITCH = float("nan")
_NO_PEAK = float("-inf")
_LAST_EVENTS = 5  # two for each of the two incomplete frames, and the syllable that is cut off


@dataclass(frozen=True)
class SyllableSettings:
    """Thresholds of peaks, valleys and pauses.

    Parameters
    ----------
    dip_db : depth of a valley below both peaks. 2 finds most vowels of our recordings; at 3 weak
        syllables are missed, at 1 a vowel is split.
    reach_db : speech is at most this far below the running peak.
    margin_db : speech is at least this far above the running floor.
    peak_fall_db_s : decay of the running peak: 6 dB in 20 s, as that of the pitch.
    floor_rise_db_s : rate at which the running floor adapts to a higher noise level.
    pause_s : longer than a stop or frication noise inside a word.
    repeat_s : time after which a continuing pause is issued again.
    lead_s : longest unvoiced onset of a syllable after a pause.
    anew_s : silence after which speech gives an `Onset`; hands retract in longer ones.
    """

    dip_db: float = range_field(2.0, 0.1, 30.0)
    reach_db: float = range_field(30.0, 5.0, 100.0)
    margin_db: float = range_field(5.0, 0.0, 30.0)
    peak_fall_db_s: float = range_field(0.3, 0.0, 100.0)
    floor_rise_db_s: float = range_field(2.0, 0.0, 100.0)
    pause_s: float = range_field(0.25, 0.02, 10.0)
    repeat_s: float = range_field(0.5, 0.02, 100.0)
    lead_s: float = range_field(0.1, 0.0, 1.0)
    anew_s: float = range_field(1.0, 0.02, 100.0)

    def __post_init__(self) -> None:
        check_bounds(self)


@dataclass(frozen=True)
class Syllable:
    """A syllable and its prosody.

    Parameters
    ----------
    start_s, peak_s, end_s : its valleys and its peak between them.
    issued_s : time of the frame at which it was complete; the stream's own latency adds to it.
    pitch_hz : geometric mean of the voiced frames, NaN if there is none.
    pitch_end_hz : pitch of the last voiced frame.
    rise_st, fall_st : largest rise and fall of the pitch within it, semitones, 0 or more;
        jumps of more than 5 between two frames do not count.
    intensity_db : loudest frame.
    mean_db : mean of the frames.
    voiced_ratio : fraction of voiced frames.
    """

    start_s: float
    peak_s: float
    end_s: float
    issued_s: float
    pitch_hz: float
    pitch_end_hz: float
    rise_st: float
    fall_st: float
    intensity_db: float
    mean_db: float
    voiced_ratio: float

    @property
    def length_s(self) -> float:
        """Seconds from its start to its end."""
        return self.end_s - self.start_s


@dataclass(frozen=True)
class Pause:
    """Silence, issued at its onset and again every `repeat_s`.

    Parameters
    ----------
    start_s : end of the last voiced frame.
    time_s : the start, or a multiple of `repeat_s` later.
    issued_s : time of the frame at which it was known.
    peak_s : time of the highest intensity of the last syllable before it.
    """

    start_s: float
    time_s: float
    issued_s: float
    peak_s: float = _NO_PEAK


@dataclass(frozen=True)
class Onset:
    """Speech onset at the start or after a long silence.

    Parameters
    ----------
    time_s : of the onset, including the unvoiced sound before it.
    issued_s : time of the frame at which it was known.
    """

    time_s: float
    issued_s: float


Event = Syllable | Pause | Onset
"""Events of the search, in the order of issue."""


class SyllableState(NamedTuple):
    """State of a search; created by `start`, immutable.

    Parameters
    ----------
    step_s : time between frames.
    limits : the settings in the units of the compiled loop.
    memory : ``[voices, numbers]``, read-only; the compiled loop has the order.
    """

    step_s: float
    limits: Floats
    memory: Floats


def start(
    step_s: float = 0.01, settings: SyllableSettings | None = None, voices: int = 1
) -> SyllableState:
    """State before the first frame."""
    check_range("step_s", step_s, 0.001, 0.1)
    chosen = settings or SyllableSettings()
    memory = np.zeros((voices, _kernels().MEMORY))
    return SyllableState(step_s, _limits(chosen, step_s), memory)


def step(
    state: SyllableState, hz: Floats, band_db: Floats, loudness_db: Floats
) -> tuple[SyllableState, tuple[tuple[Event, ...], ...]]:
    """Process frames ``[voices, frames]`` of equal times; return each voice's events.

    Parameters
    ----------
    hz : pitch, NaN where unvoiced.
    band_db : energy in the vowels' band.
    loudness_db : intensity, stored in the syllables.
    """
    voices, frames = hz.shape
    if frames == 0:
        return state, ((),) * voices
    kernels, memory = _kernels(), state.memory.copy()
    rows, counts = np.empty((voices, 2 * frames, kernels.EVENT)), np.empty(voices, dtype=np.int64)
    found = kernels.find_syllables(hz, band_db, loudness_db, state.limits, memory, rows, counts)
    seal(memory)
    state = SyllableState(state.step_s, state.limits, memory)
    return state, _events(rows, counts, state.step_s) if found else ((),) * voices


def finish(state: SyllableState) -> tuple[tuple[Event, ...], ...]:
    """Events of the last frames, and the syllable that the end cut off."""
    kernels, voices = _kernels(), len(state.memory)
    rows, counts = np.zeros((voices, _LAST_EVENTS, kernels.EVENT)), np.zeros(voices, dtype=np.int64)
    kernels.last_syllables(state.limits, state.memory.copy(), rows, counts)
    return _events(rows, counts, state.step_s)


def syllables(
    hz: Floats,
    band_db: Floats,
    loudness_db: Floats,
    step_s: float = 0.01,
    settings: SyllableSettings | None = None,
) -> tuple[Event, ...]:
    """Syllables and pauses of a whole recording's frames ``[frames]``."""
    rows = (np.ascontiguousarray(values)[None] for values in (hz, band_db, loudness_db))
    state, events = step(start(step_s, settings), *rows)
    return events[0] + finish(state)[0]


@lru_cache(maxsize=1)
def _kernels() -> ModuleType:
    """The compiled loops, loaded when first needed and cached: an import per step is too slow."""
    from kinesphere.speech.prosody import syllable_kernels

    return syllable_kernels


def _limits(chosen: SyllableSettings, step_s: float) -> Floats:
    """Settings in the units of the compiled loop."""
    frozen: Floats = read_only(
        np.array(
            [
                chosen.dip_db,
                chosen.reach_db,
                chosen.margin_db,
                chosen.peak_fall_db_s * step_s,
                chosen.floor_rise_db_s * step_s,
                np.rint(chosen.pause_s / step_s),
                np.rint(chosen.repeat_s / step_s),
                np.rint(chosen.lead_s / step_s),
                np.rint(chosen.anew_s / step_s),
            ]
        )
    )
    return frozen


def _events(rows: Floats, counts: Ints, step_s: float) -> tuple[tuple[Event, ...], ...]:
    return tuple(
        tuple(_event(row, step_s) for row in found[:count].tolist())
        for found, count in zip(rows, counts.tolist(), strict=True)
    )


def _event(row: list[float], step_s: float) -> Event:
    kind, start_at, peak_at, end_at, issued_at = row[:5]
    times = start_at * step_s, peak_at * step_s, end_at * step_s, issued_at * step_s
    if kind == 1.0:
        return Pause(times[0], times[1], times[3], times[2])
    if kind == 2.0:
        return Onset(times[0], times[3])
    frames, loudest, sum_db, voiced, total, _, _, rise, fall, _, last = row[5:]
    return Syllable(
        *times,
        pitch_hz=2.0 ** (total / voiced / 12.0) if voiced else _NO_PITCH,
        pitch_end_hz=2.0 ** (last / 12.0) if voiced else _NO_PITCH,
        rise_st=rise,
        fall_st=fall,
        intensity_db=loudest,
        mean_db=sum_db / frames,
        voiced_ratio=voiced / frames,
    )
