"""Cues to prominence of syllables: intensity, length and pitch, each relative to its context.

Where phones are known, a vowel's intrinsic intensity and length are subtracted.
"""

# ruff: noqa: RUF001 - the letters of IPA are meant
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kinesphere.maths.arrays import Floats
from kinesphere.speech.phones import VOWELS, ipa, is_vowel
from kinesphere.speech.prosody.prosody import Prosody
from kinesphere.timeline import Interval, Tier

_MARKS = str.maketrans("", "", "ˈˌːˑ˞")
# Intrinsic intensity, dB over the mean vowel: rounded after Lehiste and Peterson (1959).
_LOUD_DB = {
    **dict.fromkeys("iy", -2.5),
    **dict.fromkeys("ɪuʊɯʏʉ", -1.0),
    **dict.fromkeys("eøɛœæʌoɜɝ", 0.3),
    **dict.fromkeys("aɑɒɔɐ", 1.2),
}
_TENSE = frozenset("iyuɯeøoɑɒɔɜɝæ")


@dataclass(frozen=True)
class SyllableCueSettings:
    """Expected lengths, and limits of a plausible pitch.

    Parameters
    ----------
    lax_s, tense_s, gliding_s : length of kinds of vowels at a medium tempo; only ratios matter.
    coda_s : length that a consonant after the vowel adds to the rhyme.
    jump_st : largest change of pitch between two frames; more is a pitch error.
    largest_st : largest difference of pitch in all; more is an octave error.
    high : quantile of a nucleus' pitches that counts as its height, robust against one bad frame.
    """

    lax_s: float = 0.08
    tense_s: float = 0.11
    gliding_s: float = 0.14
    coda_s: float = 0.06
    jump_st: float = 5.0
    largest_st: float = 12.0
    high: float = 0.9


_SETTINGS = SyllableCueSettings()


@dataclass(frozen=True)
class SyllableUnit:
    """A syllable with its nucleus, where loudness and pitch are measured, and its rhyme."""

    start_s: float
    end_s: float
    label: str
    nucleus: tuple[float, float]
    rhyme_s: float
    expected_s: float
    loud_db: float


@dataclass(frozen=True)
class SyllableCues:
    """Arrays ``[syllables]``: time of the peak, and the cues of `prominence.Accent`."""

    peak_s: Floats
    louder_db: Floats
    longer: Floats
    higher_st: Floats
    moved_st: Floats


def syllable_units(prosody: Prosody, syllables: Tier, phones: Tier) -> list[SyllableUnit]:
    """Syllables of a tier with their vowels; those detected in the audio where it is empty."""
    marked = [s for s in syllables if s.duration_s > 0.0]
    if not marked:
        lax_s = _SETTINGS.lax_s
        return [
            SyllableUnit(s.start_s, s.end_s, "", (s.start_s, s.end_s), s.length_s, lax_s, 0.0)
            for s in prosody.syllables
        ]
    said = [(p, ipa(p.label)) for p in phones]
    starts = np.array([p.start_s for p, _ in said])
    units = []
    for syllable in marked:
        first, last = np.searchsorted(starts, [syllable.start_s - 1e-6, syllable.end_s - 1e-6])
        inside = [(p, sound) for p, sound in said[first:last] if sound]
        vowel = next((i for i, (_, sound) in enumerate(inside) if is_vowel(sound)), None)
        if vowel is None:
            units.append(_bare_unit(syllable))
            continue
        phone, sound = inside[vowel]
        # A phone without length of its own, as espeak's final l, is part of the one before it.
        coda = len(inside) - vowel - 1
        units.append(
            SyllableUnit(
                syllable.start_s,
                syllable.end_s,
                syllable.label,
                (phone.start_s, phone.end_s if phone.duration_s > 0.0 else syllable.end_s),
                syllable.end_s - phone.start_s,
                _expected_s(sound) + _SETTINGS.coda_s * coda,
                _expected_db(sound),
            )
        )
    return units


def _bare_unit(syllable: Interval) -> SyllableUnit:
    """A syllable whose vowel is known only from its label."""
    sound = ipa(syllable.label)
    whole = (syllable.start_s, syllable.end_s)
    expected_s = _expected_s(sound) + 2.0 * _SETTINGS.coda_s
    level_db = _expected_db(sound)
    return SyllableUnit(*whole, syllable.label, whole, syllable.duration_s, expected_s, level_db)


def _expected_s(sound: str) -> float:
    vowels = [c for c in sound if c in VOWELS]
    if len(vowels) > 1 or (vowels and sound[-1] in "ɹrl"):
        return _SETTINGS.gliding_s
    return (
        _SETTINGS.tense_s if "ː" in sound or (vowels and vowels[0] in _TENSE) else _SETTINGS.lax_s
    )


def _expected_db(sound: str) -> float:
    levels = [_LOUD_DB.get(c, 0.0) for c in sound.translate(_MARKS) if c in VOWELS]
    return max(levels, default=0.0)


def syllable_cues(
    prosody: Prosody, units: Sequence[SyllableUnit], around_s: float, pause_s: float
) -> SyllableCues:
    """Cues of each syllable relative to those within `around_s`.

    A fall of the pitch to the next syllable counts as movement unless `pause_s` lies between.
    """
    measured = np.array([_measure(prosody, unit) for unit in units])
    peak_s, level_db, height_st, mean_st, moved_st = measured.T
    close = np.array([b.start_s - a.end_s < pause_s for a, b in pairwise(units)], dtype=bool)
    drop = np.nan_to_num(height_st[:-1] - mean_st[1:])
    drop = np.where(close & (drop < _SETTINGS.largest_st), drop, 0.0)
    moved_st = np.maximum(moved_st, np.append(drop, 0.0))
    own = np.array([unit.loud_db for unit in units])
    longer = np.log([unit.rhyme_s / unit.expected_s for unit in units])
    higher_st = np.nan_to_num(_over_median(height_st, peak_s, around_s))
    return SyllableCues(
        peak_s,
        _over_median(level_db - own, peak_s, around_s),
        _over_median(longer, peak_s, around_s),
        np.where(np.abs(higher_st) > _SETTINGS.largest_st, 0.0, higher_st),
        moved_st,
    )


def _measure(prosody: Prosody, unit: SyllableUnit) -> tuple[float, float, float, float, float]:
    """Time and level of the loudest frame; highest and mean pitch (NaN if none), and its range."""
    step = 1.0 / prosody.intensity_db.rate_hz
    start_s, end_s = unit.nucleus
    times = np.arange(start_s, max(end_s, start_s + 0.5 * step), step)
    levels = prosody.intensity_db.at(times)
    if np.all(np.isnan(levels)):
        return 0.5 * (start_s + end_s), 0.0, math.nan, math.nan, 0.0
    best = int(np.nanargmax(levels))
    hz = prosody.pitch_hz.at(times)
    st = 12.0 * np.log2(hz[~np.isnan(hz)])
    if not len(st):
        return float(times[best]), float(levels[best]), math.nan, math.nan, 0.0
    steps = np.diff(st)
    path = np.cumsum(np.where(np.abs(steps) > _SETTINGS.jump_st, 0.0, steps))
    moved = min(float(np.ptp(np.append(path, 0.0))), _SETTINGS.largest_st)
    high = float(np.quantile(st, _SETTINGS.high))
    return (
        float(times[best]),
        float(levels[best]),
        high,
        float(st.mean()),
        min(moved, _SETTINGS.largest_st),
    )


def _over_median(values: Floats, times: Floats, around_s: float) -> Floats:
    """Values minus the median of those within a time around them; NaN where there is none."""
    known = np.flatnonzero(~np.isnan(values))
    known = known[np.argsort(times[known], kind="stable")]
    there, when = values[known], times[known]
    first = np.searchsorted(when, times - around_s)
    last = np.searchsorted(when, times + around_s, side="right")
    middle = [np.median(there[a:b]) if b > a else np.nan for a, b in zip(first, last, strict=True)]
    return np.asarray(values - np.array(middle))
