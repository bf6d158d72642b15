"""When observations act: the time that an event refers to, and the time at which it can act.

A syllable refers to its peak; it is known when the next one rises. A pause or a speech onset refers
to hands that retract or start a little before it: in recordings 0.2 s before a phrase ends, which
is the peak of its last syllable, and 0.1 s before it begins. With a live voice all this is known
later, and a syllable acts at the peak of the next, as in the paper. With look-ahead, motion is on
time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from kinesphere.maths.arrays import Floats
from kinesphere.speech.prosody.syllables import Event, Pause, Syllable

KNOWN_S = 0.145
"""From the issue of a speech event to its output by a stream, whatever the chunk boundaries."""
ON_TIME_S = 0.08
"""Delay with which a syllable acts at the peak of the next, median."""
AHEAD_S = 1.0
"""Delay with which all observations act on time with the next one known, unless speech is slow."""


@dataclass(frozen=True)
class MomentSettings:
    """Times that onsets and pauses refer to.

    Parameters
    ----------
    lead_s : before an onset, or a long pause: hands that will move have not started yet.
    last_s : a syllable with its peak longer before a pause does not end with it.
    """

    lead_s: float = 0.25
    last_s: float = 0.6


MOMENTS = MomentSettings()


def moments_s(events: Iterable[Event]) -> Floats:
    """Times that events refer to, in the order of their issue and of time."""
    return in_order(np.array([_moment_s(e) for e in events], dtype=np.float64))


def acts_s(event: Event, delay_s: float) -> float:
    """When an event acts on frames that are output with a delay behind the audio.

    A syllable whose own peak is over acts at the next one's. Events issued before an event act by
    then, too (`in_order`).
    """
    known_s, moment_s = event.issued_s + KNOWN_S - delay_s, _moment_s(event)
    if isinstance(event, Syllable) and known_s > moment_s:
        return max(known_s, event.issued_s + KNOWN_S - ON_TIME_S)
    return max(known_s, moment_s)


def in_order(times_s: Floats) -> Floats:
    """Times ``[n]`` made non-decreasing: each is at most the one after it."""
    return np.asarray(np.minimum.accumulate(times_s[::-1])[::-1])


def _moment_s(event: Event) -> float:
    if isinstance(event, Syllable):
        return event.peak_s
    if isinstance(event, Pause) and event.time_s == event.start_s:
        ends_it = 0.0 <= event.start_s - event.peak_s < MOMENTS.last_s
        return event.peak_s if ends_it else event.start_s - MOMENTS.lead_s
    return event.time_s - MOMENTS.lead_s
