"""The 36 observations: their numbers, their thresholds, and how they settle."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kinesphere.speech.prosody import observation as observing
from kinesphere.speech.prosody.observation import (
    HIGH,
    LONG,
    NORMAL,
    OBSERVATIONS,
    SHORT,
    SILENT,
    Feature,
    Observation,
)
from kinesphere.speech.prosody.prosody import prosody
from kinesphere.speech.prosody.syllables import Pause, Syllable
from tests.speech.voices import RECORDINGS, samples_of, sound, with_noise

TYPICAL = Syllable(0.0, 0.08, 0.17, 0.2, 150.0, 150.0, 1.2, 2.0, 65.0, 62.0, 1.0)


def test_numbers_are_all_different() -> None:
    pause = Pause(0.0, 0.0, 0.0)
    every = [
        Observation(rise, fall, loud, length, pause).number
        for rise in (False, True)
        for fall in (False, True)
        for loud in (SILENT, NORMAL, HIGH)
        for length in (SHORT, NORMAL, LONG)
    ]
    assert every == list(range(OBSERVATIONS))


def test_thresholds_are_the_papers() -> None:
    known = replace(
        observing.start(),
        rise_st=Feature(1.0, 0.5),
        fall_st=Feature(2.0, 1.0),
        intensity_db=Feature(60.0, 4.0),
        length_s=Feature(0.2, 0.1),
    )

    def of(**changes: float) -> tuple[bool, bool, int, int]:
        length = changes.pop("length", 0.2)
        plain = {"rise_st": 0.0, "fall_st": 0.0, "intensity_db": 60.0, "end_s": length}
        return observing.classify(known, replace(TYPICAL, **{**plain, **changes}))[:4]

    assert of() == (False, False, NORMAL, NORMAL)
    assert of(rise_st=1.49) == (False, False, NORMAL, NORMAL)
    assert of(rise_st=1.51) == (True, False, NORMAL, NORMAL)
    assert of(rise_st=1.6, fall_st=3.1) == (True, True, NORMAL, NORMAL)
    assert of(intensity_db=61.9) == (False, False, NORMAL, NORMAL)
    assert of(intensity_db=62.1) == (False, False, HIGH, NORMAL)
    assert of(intensity_db=20.0) == (False, False, NORMAL, NORMAL)
    assert of(length=0.149) == (False, False, NORMAL, SHORT)
    assert of(length=0.151) == (False, False, NORMAL, NORMAL)
    assert of(length=0.301) == (False, False, NORMAL, LONG)


def test_pauses_are_silent_and_grow() -> None:
    lengths = [
        observing.classify(observing.start(), Pause(3.0, 3.0 + after, 9.0))[:4]
        for after in (0.0, 0.5, 1.0, 7.0)
    ]
    assert lengths == [(False, False, SILENT, n) for n in (SHORT, NORMAL, LONG, LONG)]


def test_running_statistics_come_to_those_of_the_whole(rng: np.random.Generator) -> None:
    syllables = [
        replace(
            TYPICAL,
            rise_st=abs(r),
            fall_st=abs(f),
            intensity_db=70.0 + 6.0 * d,
            end_s=0.2 + 0.05 * e,
        )
        for r, f, d, e in rng.normal(size=(100, 4))
    ]
    known = observing.start()
    for s in syllables:
        known = known.update(s)
    whole = observing.statistics_of(syllables)
    for name in ("rise_st", "fall_st", "intensity_db", "length_s"):
        got, expected = getattr(known, name), getattr(whole, name)
        assert got.mean == pytest.approx(expected.mean, abs=0.25 * expected.deviation)
        assert got.deviation == pytest.approx(expected.deviation, rel=0.35)


def test_a_new_level_is_learned() -> None:
    known = observing.start()
    for _ in range(60):
        known = known.update(TYPICAL)
    louder = replace(TYPICAL, intensity_db=85.0)
    assert observing.classify(known, louder).intensity == HIGH
    for _ in range(600):
        known = known.update(louder)
    assert observing.classify(known, louder).intensity == NORMAL


def test_without_syllables_the_voice_is_typical() -> None:
    assert observing.statistics_of([Pause(0.0, 0.0, 0.25)]) == observing.start()


@pytest.mark.parametrize("name", RECORDINGS)
def test_level_of_the_recording_does_not_matter(data: Path, name: str) -> None:
    samples, rate = samples_of(sound(data / name), 20.0)
    plain, soft, loud = (
        [(o.number, round(o.event.issued_s, 6)) for o in prosody(gain * samples, rate).observations]
        for gain in (1.0, 0.1, 10.0)
    )
    assert len(plain) > 8
    assert plain == soft == loud


def test_noise_changes_few_observations(data: Path) -> None:
    """Of syllables found in both, most are heard alike."""
    samples, rate = samples_of(sound(data / RECORDINGS[0]), 30.0)
    clean, noisy = (prosody(x, rate).observations for x in (samples, with_noise(samples, 20.0)))
    at = {round(o.event.peak_s, 2): o for o in noisy if isinstance(o.event, Syllable)}
    pairs = [
        (o, at[round(o.event.peak_s, 2)])
        for o in clean
        if isinstance(o.event, Syllable) and round(o.event.peak_s, 2) in at
    ]
    assert len(pairs) > 60
    for part in range(4):
        assert np.mean([a[part] == b[part] for a, b in pairs]) > 0.75


@pytest.mark.parametrize("name", [RECORDINGS[0], RECORDINGS[-1]])
def test_speech_uses_many_of_the_36(data: Path, name: str) -> None:
    found = Counter(o.number for o in prosody(*samples_of(sound(data / name))).observations)
    assert len(found) >= 18
    assert max(found.values()) < 0.4 * sum(found.values())
