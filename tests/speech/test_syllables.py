"""Syllables: against the vowels of an aligned recording, in noise, and their order."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.speech.prosody.prosody import prosody
from kinesphere.speech.prosody.syllables import Onset, Pause, Syllable, SyllableSettings
from tests.speech.voices import (
    RECORDINGS,
    babble,
    hits,
    pocketsphinx_vowels,
    samples_of,
    sound,
    textgrid,
    textgrid_vowels,
    with_noise,
)


def counted(samples: Floats, rate: float, vowels: list[tuple[float, float]]) -> np.ndarray:
    """Hits, peaks, vowels."""
    peaks = [s.peak_s for s in prosody(samples, rate).syllables]
    return np.array([hits(peaks, vowels), len(peaks), len(vowels)])


def f1(counts: np.ndarray) -> float:
    return float(2.0 * counts[0] / (counts[1] + counts[2]))


def test_syllables_are_the_vowels(data: Path) -> None:
    samples, rate = samples_of(sound(data / RECORDINGS[0]))
    vowels = textgrid_vowels((data / RECORDINGS[0]).with_suffix(".TextGrid"))
    assert len(vowels) == 269
    clean = f1(counted(samples, rate, vowels))
    assert clean >= 0.88
    noisy = f1(counted(with_noise(samples, 15.0), rate, vowels))
    assert noisy >= clean - 0.04


def test_other_voices_do_not_need_other_settings(data: Path) -> None:
    """Read speech; its alignment is automatic, too."""
    total = np.zeros(3)
    for name in RECORDINGS:
        if "librivox" in name:
            path = data / name
            total += counted(
                *samples_of(sound(path)), pocketsphinx_vowels(path.with_suffix(".phone.json"))
            )
    assert total[2] > 50
    assert f1(total) >= 0.85


def test_pauses_are_where_no_word_is(data: Path) -> None:
    samples, rate = samples_of(sound(data / RECORDINGS[0]))
    words = textgrid((data / RECORDINGS[0]).with_suffix(".TextGrid"))["words"]
    pauses = {p.start_s for p in prosody(samples, rate).pauses}
    gaps = [(a, b) for a, b, word in words if not word and b - a > 0.4]
    assert all(any(a - 0.3 < p < b for p in pauses) for a, b in gaps)


@pytest.fixture(scope="module")
def heard() -> list[Any]:
    return list(prosody(babble(20.0, 8000.0), 8000.0).events)


def test_syllables_follow_each_other(heard: list[Any]) -> None:
    found = [e for e in heard if isinstance(e, Syllable)]
    assert len(found) > 30
    for s in found:
        assert s.start_s <= s.peak_s <= s.end_s <= s.issued_s + 1e-9
        assert 60.0 < s.pitch_hz < 300.0
    for a, b in pairwise(found):
        assert a.end_s <= b.start_s + 1e-9
        assert a.issued_s <= b.peak_s + 0.02 or a.issued_s <= a.end_s + 0.3


def test_a_syllable_is_issued_by_the_peak_of_the_next(heard: list[Any]) -> None:
    found = [e for e in heard if isinstance(e, Syllable)]
    assert all(a.issued_s <= b.peak_s + 1e-9 for a, b in pairwise(found))


def test_a_voice_after_a_long_silence_is_an_onset_at_once() -> None:
    gap = np.zeros(12_000)
    samples = np.concatenate(
        [gap, babble(2.0, 8000.0), gap, babble(2.0, 8000.0), gap[:2000], babble(2.0, 8000.0)]
    )
    events = prosody(samples, 8000.0).events
    onsets = [e for e in events if isinstance(e, Onset)]
    # After a second and a half, twice; a quarter of a second is a breath.
    assert [e.time_s for e in onsets] == pytest.approx([1.5, 5.0], abs=0.15)
    for onset in onsets:
        first = next(
            e for e in events if isinstance(e, Syllable) and e.start_s >= onset.time_s - 0.05
        )
        assert onset.issued_s <= onset.time_s + 0.12
        assert onset.issued_s < first.issued_s - 0.05


def test_a_recording_that_begins_with_a_voice_has_an_onset() -> None:
    first = prosody(babble(2.0, 8000.0), 8000.0).events[0]
    assert isinstance(first, Onset)
    assert first.time_s < 0.1


def test_a_pause_knows_the_peak_of_the_last_syllable() -> None:
    events = prosody(np.concatenate([babble(2.0, 8000.0), np.zeros(12_000)]), 8000.0).events
    last = [e for e in events if isinstance(e, Syllable)][-1]
    for pause in (e for e in events if isinstance(e, Pause)):
        assert pause.peak_s == last.peak_s
        assert pause.peak_s <= pause.start_s


@pytest.mark.parametrize("seed", range(6))
def test_no_syllable_ends_before_it_starts(seed: int) -> None:
    """Bursts of noise and hum of all lengths, as no voice makes them."""
    rng = np.random.default_rng(seed)
    parts = []
    for _ in range(120):
        n = int(rng.uniform(0.02, 0.35) * 8000)
        hum = np.sin(2.0 * np.pi * rng.uniform(90, 250) * np.arange(n) / 8000.0)
        kind = rng.integers(3)
        parts.append((hum, rng.normal(size=n), np.zeros(n))[kind] * rng.uniform(0.01, 0.3))
    found = prosody(np.concatenate(parts), 8000.0).syllables
    assert len(found) > 5
    for s in found:
        assert s.start_s <= s.peak_s <= s.end_s


def test_events_come_in_order_of_issue(heard: list[Any]) -> None:
    issued = [e.issued_s for e in heard]
    assert issued == sorted(issued)


def test_a_pause_is_repeated_every_half_second() -> None:
    samples = np.concatenate([babble(1.0, 8000.0), np.zeros(24000)])
    pauses = [p for p in prosody(samples, 8000.0).pauses if p.start_s > 0.3]
    assert len({p.start_s for p in pauses}) == 1
    times = np.array([p.time_s for p in pauses])
    assert len(times) >= 5
    np.testing.assert_allclose(np.diff(times), 0.5)
    assert times[0] == pauses[0].start_s
    assert pauses[0].issued_s == pytest.approx(pauses[0].start_s + 0.25, abs=0.011)
    assert all(p.issued_s == pytest.approx(p.time_s, abs=0.011) for p in pauses[1:])


def test_settings_outside_their_range_are_refused() -> None:
    with pytest.raises(InvalidValueError, match=r"dip_db is 0, allowed is 0\.1 to 30"):
        SyllableSettings(dip_db=0)
