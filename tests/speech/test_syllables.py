"""Syllables: against the vowels of an aligned recording, in noise, and their order."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.speech.prosody import prosody
from kinesphere.speech.syllables import Pause, SyllableSettings
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
    found = [e for e in heard if not isinstance(e, Pause)]
    assert len(found) > 30
    for s in found:
        assert s.start_s <= s.peak_s <= s.end_s <= s.issued_s + 1e-9
        assert 60.0 < s.pitch_hz < 300.0
    for a, b in pairwise(found):
        assert a.end_s <= b.start_s + 1e-9
        assert a.issued_s <= b.peak_s + 0.02 or a.issued_s <= a.end_s + 0.3


def test_a_syllable_is_issued_by_the_peak_of_the_next(heard: list[Any]) -> None:
    found = [e for e in heard if not isinstance(e, Pause)]
    assert all(a.issued_s <= b.peak_s + 1e-9 for a, b in pairwise(found))


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
