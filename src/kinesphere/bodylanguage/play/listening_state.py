"""What live characters have heard: observations that wait to act, and whether they listen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinesphere.bodylanguage.choose.acting_times import KNOWN_S, acts_s
from kinesphere.bodylanguage.choose.choosing_settings import Coming
from kinesphere.bodylanguage.choose.rhythm import Mark
from kinesphere.maths.arrays import Floats
from kinesphere.maths.curves import smoothstep
from kinesphere.speech.prosody.observation import Observation
from kinesphere.speech.prosody.syllables import Pause

NEAR = 1e-9
"""Tolerance of frame numbers and times, for rounding."""


@dataclass(frozen=True)
class ListeningSettings:
    """When a character goes home and idles.

    Parameters
    ----------
    after_s : of silence, longer than pauses within a turn.
    rise_s : transition to listening, unhurried.
    fall_s : transition back when speech starts, before the first stroke.
    rest_s : margin until the hands are still.
    """

    after_s: float = 0.9
    rise_s: float = 1.3
    fall_s: float = 0.6
    rest_s: float = 0.1


LISTENING = ListeningSettings()
HOME_AFTER_S = LISTENING.after_s + LISTENING.rise_s + LISTENING.rest_s
"""After this much silence a character is in its home pose."""


class WaitingObservation(NamedTuple):
    """An observation that has not acted yet.

    Parameters
    ----------
    time_s : when it acts.
    number : which of the 36.
    voice : whether it is speech.
    known_s, own_s : when it becomes known, whatever the chunk boundaries, and when it would act
        without earlier observations.
    """

    time_s: float
    number: int
    voice: bool
    known_s: float
    own_s: float


class Attention(NamedTuple):
    """Listening state ``[characters]``.

    Parameters
    ----------
    last_s, onset_s : time of the last syllable, and of the first one after a silence.
    level : listening weight of the character then.
    """

    last_s: Floats
    onset_s: Floats
    level: Floats

    def weights(self, which: int | slice, times: Floats) -> Floats:
        """Listening weights of characters at times, in [0, 1], continuous."""
        s = LISTENING
        last, onset, level = (part[which] for part in self)
        if isinstance(which, slice):
            last, onset, level = last[:, None], onset[:, None], level[:, None]
        rising = smoothstep((times - last - s.after_s) / s.rise_s)
        falling = level * (1.0 - smoothstep((times - onset) / s.fall_s))
        return np.maximum(rising, falling)


class ListeningState(NamedTuple):
    """Observations of each character that have not acted yet, and their attention."""

    waiting: tuple[tuple[WaitingObservation, ...], ...]
    attention: Attention

    @classmethod
    def of(cls, characters: int) -> ListeningState:
        """Nothing heard yet: all characters listen."""
        never = np.full(characters, -1e9)
        return cls(((),) * characters, Attention(never, never, np.ones(characters)))

    def add(self, observations: Sequence[Sequence[Observation]], delay_s: float) -> ListeningState:
        """Add new observations of each character."""
        waiting = tuple(
            _queue(old, new, delay_s) if new else old
            for old, new in zip(self.waiting, observations, strict=True)
        )
        return self._replace(waiting=waiting)


def _queue(
    waiting: tuple[WaitingObservation, ...], observations: Iterable[Observation], delay_s: float
) -> tuple[WaitingObservation, ...]:
    """Add new observations; pending ones act no later than those issued after them."""
    out = list(waiting)
    for seen in observations:
        time_s = acts_s(seen.event, delay_s)
        for i in range(len(out) - 1, -1, -1):
            if out[i].time_s <= time_s:
                break
            out[i] = out[i]._replace(time_s=time_s)
        known_s = seen.event.issued_s + KNOWN_S - delay_s
        speaks = not isinstance(seen.event, Pause)
        out.append(WaitingObservation(time_s, seen.number, speaks, known_s, time_s))
    return tuple(out)


class ListeningRun:
    """Observations of one step as they act; changes its own copies, not the state."""

    def __init__(self, state: ListeningState) -> None:
        self.waiting = [list(row) for row in state.waiting]
        self.next_s = np.array([row[0].time_s if row else np.inf for row in self.waiting])
        self.attention = Attention(*(part.copy() for part in state.attention))

    def due(self, now_s: float) -> Iterator[tuple[int, int, Coming | None]]:
        """Character, number and known successors of each observation that acts by now."""
        for c in np.flatnonzero(self.next_s <= now_s + NEAR):
            row = self.waiting[c]
            while row and row[0].time_s <= now_s + NEAR:
                heard = row.pop(0)
                if heard.voice:
                    self._speak(int(c), now_s)
                yield int(c), heard.number, _coming(row, now_s)
            self.next_s[c] = row[0].time_s if row else np.inf

    def _speak(self, c: int, now_s: float) -> None:
        level = float(self.attention.weights(c, np.array(now_s)))
        if level > 0.0 and now_s - self.attention.last_s[c] > LISTENING.after_s:
            self.attention.onset_s[c], self.attention.level[c] = now_s, level
        self.attention.last_s[c] = now_s

    def state(self) -> ListeningState:
        """The state after it."""
        return ListeningState(tuple(tuple(row) for row in self.waiting), self.attention)


def _coming(waiting: Sequence[WaitingObservation], now_s: float) -> Coming | None:
    """Known coming observations, whatever the chunk boundaries."""
    known = [heard for heard in waiting if heard.known_s <= now_s + NEAR]
    if not known or known[0] is not waiting[0]:
        return None
    marks = tuple(Mark(heard.own_s, heard.number) for heard in known)
    return Coming(waiting[0].own_s, waiting[0].number, marks)
