"""When what is heard counts: the moment that it is about, and the moment at which it can act.

A syllable is about its peak; it is known when the next one rises. A pause and an onset of the voice
are about hands that go home or set out a little before them: people's do so 0.2 s before a phrase
ends, which is the peak of its last syllable, and 0.1 s before it begins. Of a voice that comes live
all this is known later, and a syllable acts at the peak of the next, as in the paper. Where the
sound is known ahead, or can wait, movement is on time.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kinesphere.maths.arrays import Floats
from kinesphere.speech.syllables import Event, Pause, Syllable

LEAD_S = 0.25
"""Before an onset, or a pause that lasts: where hands that will move have not yet set out."""
KNOWN_S = 0.145
"""From the moment an event of speech is issued to when a stream has given it, however cut."""
ON_TIME_S = 0.08
"""Delay with which a syllable acts at the peak of the next, in the median."""
AHEAD_S = 1.0
"""Delay with which all act on time, and it is known what comes next, but where speech is slow."""


_LAST_S = 0.6
"""A syllable whose peak is longer before a pause is not what the pause ends."""


def moments_s(events: Iterable[Event]) -> Floats:
    """Moments that events are about, in the order of their issue and of time."""
    return in_order(np.array([_moment_s(e) for e in events], dtype=np.float64))


def acts_s(event: Event, delay_s: float) -> float:
    """When an event acts on frames that are given so much later than the sound.

    A syllable whose own peak is over acts at the next one's. What was issued before an event acts
    by then, too (`in_order`).
    """
    known_s, moment_s = event.issued_s + KNOWN_S - delay_s, _moment_s(event)
    if isinstance(event, Syllable) and known_s > moment_s:
        return max(known_s, event.issued_s + KNOWN_S - ON_TIME_S)
    return max(known_s, moment_s)


def in_order(times_s: Floats) -> Floats:
    """Times ``[n]`` of which none is later than one behind it."""
    return np.asarray(np.minimum.accumulate(times_s[::-1])[::-1])


def _moment_s(event: Event) -> float:
    if isinstance(event, Syllable):
        return event.peak_s
    if isinstance(event, Pause) and event.time_s == event.start_s:
        ends_it = 0.0 <= event.start_s - event.peak_s < _LAST_S
        return event.peak_s if ends_it else event.start_s - LEAD_S
    return event.time_s - LEAD_S
