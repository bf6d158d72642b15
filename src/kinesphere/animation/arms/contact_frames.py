"""Frames in which hands may touch each other or the body."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from kinesphere.animation.arms.hand_events import HandEvent
from kinesphere.gesture.lexeme import HAND_CONTACTS, HEAD_CONTACTS
from kinesphere.maths.arrays import Bools, Floats

SKIN, HANDS = ("chest", *HEAD_CONTACTS), HAND_CONTACTS
"""Contacts of a hand with the body, and of the hands with each other."""
_ABOUT_S = 0.1  # around a contact


def touching_frames(events: Sequence[HandEvent], times: Floats) -> Bools:
    """Whether hands may touch ``[f]``: where a gesture or a rest pose lets them touch."""
    return contact_frames(events, times, HANDS) | _frames([e for e in events if e.touch], times)


def contact_frames(events: Sequence[HandEvent], times: Floats, kinds: Sequence[str]) -> Bools:
    """Whether a gesture with one of these contacts is performed ``[f]``."""
    done = [e for e in events if e.act is not None and e.act.lexeme.contact in kinds]
    return _frames(done, times)


def _frames(events: Iterable[HandEvent], times: Floats) -> Bools:
    """Whether a frame is within one of the events or a short margin around it ``[f]``."""
    out = np.zeros(len(times), dtype=bool)
    for event in events:
        low, high = np.searchsorted(times, [event.start_s - _ABOUT_S, event.end_s + _ABOUT_S])
        out[low:high] = True
    return out
