"""Observations of no sound, for what follows them live."""

from __future__ import annotations

import numpy as np

from kinesphere.speech.prosody.observation import HIGH, LONG, NORMAL, SHORT, SILENT, Observation
from kinesphere.speech.prosody.syllables import Pause, Syllable


def _syllable(issued_s: float) -> Syllable:
    start_s = issued_s - 0.3
    return Syllable(
        start_s, start_s + 0.1, start_s + 0.2, issued_s, 120.0, 120.0, 0.0, 0.0, 60.0, 58.0, 1.0
    )


def syllable(issued_s: float) -> Observation:
    """A plain syllable, known at a time."""
    return Observation(False, False, NORMAL, NORMAL, _syllable(issued_s))


def stress(issued_s: float) -> Observation:
    """A loud and long one."""
    return Observation(False, False, HIGH, LONG, _syllable(issued_s))


def pause(issued_s: float) -> Observation:
    """A pause that has begun."""
    start_s = issued_s - 0.25
    return Observation(False, False, SILENT, SHORT, Pause(start_s, start_s, issued_s))


def lasting_pause(issued_s: float) -> Observation:
    """A pause that goes on."""
    pause = Pause(issued_s - 2.0, issued_s - 0.1, issued_s)
    return Observation(False, False, SILENT, LONG, pause)


def turns(seconds: float, rng: np.random.Generator) -> tuple[Observation, ...]:
    """Somebody who speaks with short pauses."""
    found, at_s = [], 0.0
    while at_s < seconds:
        for _ in range(int(rng.integers(4, 20))):
            found.append(syllable(at_s))
            at_s += 0.2
        found.append(pause(at_s))
        at_s += float(rng.uniform(0.3, 1.1))
    return tuple(found)
