"""Prominence of syllables and words, and phrase boundaries.

A syllable is prominent if it is louder, longer, higher or has more pitch movement than expected
from its phones and its context. Each cue is measured in its own unit (dB, natural logarithm of a
ratio, semitones) relative to the median of a few seconds around, so that a recording's level, a
speaker's voice and tempo, and their declination over a phrase do not matter. Where phones are
known a vowel's intrinsic intensity and length are subtracted first: an open vowel is louder and
longer than a closed one without any accent. Reduction to schwa is not corrected: it is the absence
of prominence.

A phrase ends at a pause, or where a syllable is long without being loud. Without words only the
pauses of `speech.prosody.syllables` count: a shorter gap may be a stop or frication noise.

Words and phones are used where they are known; otherwise the syllables are detected in the audio.
"""

# ruff: noqa: RUF001 - the letters of IPA are meant
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.maths.bounds import check_bounds, range_field
from kinesphere.speech.prosody.prosody import Prosody
from kinesphere.speech.prosody.prosody import prosody as prosody_of
from kinesphere.speech.prosody.syllable_cues import (
    SyllableCues,
    SyllableUnit,
    syllable_cues,
    syllable_units,
)
from kinesphere.speech.value import Speech
from kinesphere.timeline import Interval, Tier


@dataclass(frozen=True)
class ProminenceSettings:
    """Weights of the cues.

    Parameters
    ----------
    around_s : a syllable is compared with those within this time before and after it.
    loud_db, long_ratio, high_st, moved_st : unit of each cue; of height and
        movement of the pitch the larger counts. Chosen on the 50 sentences of the test, where
        neighbouring values do as well; the held-out sentences were added later.
    most : largest value of a cue, which limits the effect of a cough or an octave error.
    middle, spread : sum of the cues at which the value is a half, and how fast it rises there.
    final_ratio : how much longer the last syllable of a phrase is without an accent.
    pause_s : shorter gaps between words are stops, not pauses.
    pause_full_s : a pause longer than `pause_s` by this has a strength of 0.63.
    least : weaker boundaries are none.
    least_cue : smallest value of a cue, so that a devoiced syllable costs no more than one unit.
    long_strength, long_most : boundary strength per unit of length without loudness over the
        first, and its largest value: length alone is weaker evidence than a pause.
    final_fall : part of a phrase-final syllable's pitch movement that belongs to the phrase.
    """

    around_s: float = range_field(2.5, 0.2, 1000.0)
    loud_db: float = range_field(3.0, 0.1, 60.0)
    long_ratio: float = range_field(1.5, 1.01, 10.0)
    high_st: float = range_field(3.5, 0.1, 48.0)
    moved_st: float = range_field(3.0, 0.1, 48.0)
    most: float = range_field(2.5, 0.5, 100.0)
    middle: float = range_field(1.9, -10.0, 10.0)
    spread: float = range_field(0.8, 0.05, 10.0)
    final_ratio: float = range_field(1.5, 1.0, 10.0)
    pause_s: float = range_field(0.08, 0.0, 10.0)
    pause_full_s: float = range_field(0.2, 0.01, 10.0)
    least: float = range_field(0.25, 0.0, 1.0)
    least_cue: float = range_field(-1.0, -100.0, 0.0)
    long_strength: float = range_field(0.25, 0.0, 10.0)
    long_most: float = range_field(0.5, 0.0, 1.0)
    final_fall: float = range_field(0.6, 0.0, 1.0)

    def __post_init__(self) -> None:
        check_bounds(self)


@dataclass(frozen=True)
class Accent:
    """Prominence of a syllable or word.

    Parameters
    ----------
    start_s, end_s : of the syllable or word.
    peak_s : time of its highest intensity, with which a gesture or a brow can be aligned.
    label : phones or letters; empty for a syllable detected in the audio.
    value : prominence in [0, 1]; a fifth to two fifths of all syllables are over a half.
    louder_db, longer, higher_st, moved_st : the cues: dB over the expected, natural logarithm of
        the length over the expected, semitones over the context, range of the pitch within.
    """

    start_s: float
    peak_s: float
    end_s: float
    label: str
    value: float
    louder_db: float = 0.0
    longer: float = 0.0
    higher_st: float = 0.0
    moved_st: float = 0.0


@dataclass(frozen=True)
class Boundary:
    """End of a phrase.

    Parameters
    ----------
    time_s : end of its last syllable or word.
    pause_s : silence that follows; for the last, up to the end of the audio.
    longer : natural logarithm of the last syllable's length over the expected, 0 or more.
    strength : in [0, 1].
    """

    time_s: float
    pause_s: float
    longer: float
    strength: float


@dataclass(frozen=True)
class Prominence:
    """Accents and phrases of a speech; `words` is empty where words are not known.

    Examples
    --------
    >>> import numpy as np
    >>> import kinesphere as ks
    >>> found = ks.hear((np.zeros(16_000), 16_000)).prominence  # of silence
    >>> found.syllables, found.words
    ((), ())
    """

    syllables: tuple[Accent, ...]
    words: tuple[Accent, ...]
    boundaries: tuple[Boundary, ...]

    @property
    def phrases(self) -> Tier:
        """Intervals between boundaries, from a first syllable to a last."""
        units = self.words or self.syllables
        found: list[Interval] = []
        ends = [b.time_s + 1e-6 for b in self.boundaries]
        held: list[Accent] = []
        for unit in units:
            held.append(unit)
            if ends and unit.end_s >= ends[0] - 2e-6:
                label = " ".join(u.label for u in held if self.words)
                found.append(Interval(held[0].start_s, held[-1].end_s, label))
                held = []
                while ends and unit.end_s >= ends[0] - 2e-6:
                    ends.pop(0)
        return Tier("phrases", tuple(found))


def prominence(
    speech: Speech, prosody: Prosody | None = None, settings: ProminenceSettings | None = None
) -> Prominence:
    """Prominence of all syllables and words of a speech, and the boundaries of its phrases.

    Parameters
    ----------
    speech : words, phones and syllables are used as far as they are known.
    prosody : of its samples, if it has been measured already.
    """
    heard = prosody or prosody_of(speech.samples, speech.rate_hz)
    return prominence_of(
        heard, speech.words, speech.syllables, speech.phones, speech.duration_s, settings
    )


def prominence_of(
    prosody: Prosody,
    words: Tier | None = None,
    syllables: Tier | None = None,
    phones: Tier | None = None,
    duration_s: float | None = None,
    settings: ProminenceSettings | None = None,
) -> Prominence:
    """`prominence` from its parts; tiers may be missing or empty.

    Raises
    ------
    InvalidValueError
        If the duration is not a finite time from 0 on.
    """
    s = settings or ProminenceSettings()
    end_s = prosody.intensity_db.end_s if duration_s is None else duration_s
    if not (math.isfinite(end_s) and end_s >= 0.0):
        raise InvalidValueError(f"duration_s is {end_s}, allowed is a finite time from 0 on")
    units = syllable_units(prosody, syllables or Tier("syllables"), phones or Tier("phones"))
    spoken = [w for w in words or () if w.duration_s > 0.0]
    if not units:
        flat = tuple(Accent(w.start_s, w.start_s, w.end_s, w.label, 0.0) for w in words or ())
        return Prominence((), flat, ())
    cues = syllable_cues(prosody, units, s.around_s, s.pause_s)
    owner = _owners(units, spoken)
    pauses_s = _pauses(units, spoken, owner, end_s)
    if not any(unit.label for unit in units):
        pauses_s = np.where(_silent(prosody, units), pauses_s, 0.0)
    boundaries, final = _boundaries(units, spoken, owner, cues, pauses_s, s)
    accents = _accents(units, cues, final, s)
    return Prominence(accents, _word_accents(words or Tier("words"), accents), boundaries)


def _owners(units: Sequence[SyllableUnit], words: Sequence[Interval]) -> list[int]:
    """Index of the word that contains each syllable's nucleus; -1 outside of all."""
    starts = np.array([w.start_s for w in words])
    owners = []
    for unit in units:
        middle = 0.5 * (unit.nucleus[0] + unit.nucleus[1])
        at = int(np.searchsorted(starts, middle, side="right")) - 1
        owners.append(at if at >= 0 and middle < words[at].end_s + 1e-6 else -1)
    return owners


def _pauses(
    units: Sequence[SyllableUnit], words: Sequence[Interval], owner: Sequence[int], end_s: float
) -> Floats:
    """Silence after each syllable, 0 within a word."""
    pauses = np.zeros(len(units))
    for i, unit in enumerate(units):
        last = i == len(units) - 1
        if not last and owner[i] >= 0 and owner[i] == owner[i + 1]:
            continue
        ends = words[owner[i]].end_s if owner[i] >= 0 else unit.end_s
        if last:
            follows = end_s
        else:
            after = owner[i + 1]
            # A word's interval may start with a pause; its first phone does not.
            follows = units[i + 1].start_s
            follows = max(follows, words[after].start_s) if after >= 0 else follows
        pauses[i] = max(0.0, follows - max(ends if last else unit.end_s, unit.end_s))
    return pauses


def _silent(prosody: Prosody, units: Sequence[SyllableUnit]) -> Bools:
    """Detected syllables that a pause follows: a shorter gap may be a stop or frication noise."""
    starts = np.sort([p.start_s for p in prosody.pauses])
    begins = np.array([unit.start_s for unit in units])
    return np.diff(np.searchsorted(starts, np.append(begins, np.inf))) > 0


def _boundaries(
    units: Sequence[SyllableUnit],
    words: Sequence[Interval],
    owner: Sequence[int],
    cues: SyllableCues,
    pauses_s: Floats,
    s: ProminenceSettings,
) -> tuple[tuple[Boundary, ...], Floats]:
    """Boundaries, and how far each syllable is phrase-final: ``[syllables]`` in [0, 1]."""
    by_pause = 1.0 - np.exp(-np.maximum(0.0, pauses_s - s.pause_s) / s.pause_full_s)
    one = math.log(s.long_ratio)
    # An accented syllable is long too, but loud; a single long vowel is not a phrase end.
    dull = cues.longer / one - np.maximum(0.0, cues.louder_db) / s.loud_db
    by_length = np.clip(s.long_strength * (dull - 1.0), 0.0, s.long_most)
    found, final = [], np.zeros(len(units))
    for i, unit in enumerate(units):
        last = i == len(units) - 1
        if not last and owner[i] >= 0 and owner[i] == owner[i + 1]:
            continue
        strength = 1.0 if last else 1.0 - (1.0 - by_pause[i]) * (1.0 - by_length[i])
        if strength < s.least:
            continue
        final[_last_foot(units, owner, i) : i + 1] = min(1.0, 2.0 * strength)
        time_s = words[owner[i]].end_s if owner[i] >= 0 else unit.end_s
        longer = max(0.0, float(cues.longer[i]))
        found.append(Boundary(time_s, float(pauses_s[i]), longer, float(strength)))
    return tuple(found), final


def _last_foot(units: Sequence[SyllableUnit], owner: Sequence[int], last: int) -> int:
    """First of the syllables that the end of a phrase lengthens: the word's last stressed one."""
    at = last
    while at > 0 and owner[at] >= 0 and owner[at - 1] == owner[at] and "ˈ" not in units[at].label:
        at -= 1
    return at if "ˈ" in units[at].label else last


def _accents(
    units: Sequence[SyllableUnit], cues: SyllableCues, final: Floats, s: ProminenceSettings
) -> tuple[Accent, ...]:
    one = math.log(s.long_ratio)
    longer = cues.longer - final * math.log(s.final_ratio)
    # The final pitch fall belongs to the phrase.
    moved = (1.0 - s.final_fall * final) * cues.moved_st
    pitch = np.maximum(cues.higher_st / s.high_st, moved / s.moved_st)
    parts = np.stack([cues.louder_db / s.loud_db, longer / one, pitch])
    score = np.clip(parts, s.least_cue, s.most).sum(axis=0)
    values = 1.0 / (1.0 + np.exp(-(score - s.middle) / s.spread))
    return tuple(
        Accent(
            unit.start_s,
            float(cues.peak_s[i]),
            unit.end_s,
            unit.label,
            float(values[i]),
            float(cues.louder_db[i]),
            float(longer[i]),
            float(cues.higher_st[i]),
            float(cues.moved_st[i]),
        )
        for i, unit in enumerate(units)
    )


def _word_accents(words: Tier, syllables: Sequence[Accent]) -> tuple[Accent, ...]:
    """Each word with the values of its most prominent syllable; 0 without a syllable."""
    found = []
    middles = np.array([a.peak_s for a in syllables])
    for word in words:
        first = int(np.searchsorted(middles, word.start_s - 1e-6))
        last = int(np.searchsorted(middles, word.end_s + 1e-6))
        if first >= last or word.duration_s <= 0.0:
            found.append(Accent(word.start_s, word.start_s, word.end_s, word.label, 0.0))
            continue
        best = max(syllables[first:last], key=lambda a: a.value)
        found.append(replace(best, start_s=word.start_s, end_s=word.end_s, label=word.label))
    return tuple(found)
