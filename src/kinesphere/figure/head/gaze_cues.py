"""Cues of eyes and face: what gaze, blinks and brows follow, as rows of a table.

A row is a character, the time at which the cue takes effect, its kind, and three numbers. What is
known ahead is stamped ahead: gaze that must be back by the end of a phrase gets its cue before
that end. So the process itself never looks ahead, and the same cues, known in time, give the
same frames however they arrive.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinesphere.errors import InvalidValueError
from kinesphere.figure.head.blinks import BrowSettings
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.speech.prosody.framing import seal
from kinesphere.speech.prosody.observation import HIGH, LONG, Observation
from kinesphere.speech.prosody.syllables import Onset, Pause

PAUSE, SYLLABLE, RAISE, LISTENER, GLANCE, STAY, LIDS_OPEN = range(7)
"""Kinds, with their three numbers:

a phrase ended; a syllable, of which the first after a pause begins a phrase; a raise of the brows
(height); the listener is in another direction (0, yaw, pitch); a look at something (until, yaw,
pitch); gaze stays on the listener (until); no blink begins (until).
"""
WIDTH = 6
KNOWN_S = 0.05
"""Delay after a syllable's or pause's latency at which it is known for any chunk size."""


def no_cues() -> Floats:
    """No rows."""
    return cue_rows([])


def cue_rows(rows: Sequence[tuple[float, ...]], character: int = 0) -> Floats:
    """Table ``[n, 6]`` of a character's cues; a row is time, kind and up to three numbers."""
    table = np.zeros((len(rows), WIDTH))
    for at, row in enumerate(rows):
        table[at, 0], table[at, 1 : 1 + len(row)] = character, row
    seal(table)
    return table


def stands_out(seen: Observation) -> bool:
    """Whether an observation is a syllable that is loud and long or moving."""
    return seen.intensity == HIGH and (seen.rise or seen.fall or seen.length == LONG)


def heard_cues(
    observations: Sequence[Sequence[Observation]],
    after_s: float,
    characters: int,
    brows: BrowSettings,
) -> Floats:
    """Cues of new observations of each character.

    A cue takes effect this long after the issue of its observation, so that it is known for any
    chunk size, but not before its own time: frames that are later than their sound have a negative
    number. A pause that continues is no cue, nor is a speech onset. Syllables that stand out raise
    the brows.
    """
    if len(observations) != characters:
        raise InvalidValueError(
            f"observations of {len(observations)} voices, expected those of {characters}"
        )
    rows: list[tuple[float, ...]] = []
    for character, found in enumerate(observations):
        for seen in found:
            event = seen.event
            if isinstance(event, Onset):
                continue
            known_s = event.issued_s + after_s
            at_s = max(known_s, event.start_s)
            if isinstance(event, Pause):
                if event.time_s == event.start_s:
                    rows.append((character, at_s, PAUSE, 0.0, 0.0, 0.0))
                continue
            rows.append((character, at_s, SYLLABLE, 0.0, 0.0, 0.0))
            if stands_out(seen):
                raised_s = max(known_s, event.peak_s - brows.lead_s)
                height = brows.live_ratio * brows.height
                rows.append((character, raised_s, RAISE, height, 0.0, 0.0))
    return np.array(rows, dtype=np.float64).reshape(-1, WIDTH)


def join_cues(cues: Floats, more: Floats) -> Floats:
    """Cues that no frame has reached yet, with new ones."""
    if not len(more):
        return cues
    if more.ndim != 2 or more.shape[1] != WIDTH or not np.isfinite(more[:, :3]).all():
        raise InvalidValueError(
            f"cues have shape {more.shape} or times that are not finite, expected (n, {WIDTH})"
        )
    joined = np.concatenate([cues, more])
    seal(joined)
    return joined


def by_character(cues: Floats, characters: int) -> tuple[Ints, Floats]:
    """Index of each character's first cue ``[characters + 1]``, cues ``[n, 5]`` in order of time.

    Cues of one time are in order of their kinds: a pause is before the next phrase.
    """
    if not len(cues):
        return np.zeros(characters + 1, dtype=np.int64), cues[:, 1:]
    order = np.lexsort((cues[:, 2], cues[:, 1], cues[:, 0]))
    first = np.searchsorted(cues[order, 0], np.arange(characters + 1))
    return first, np.ascontiguousarray(cues[order, 1:])


def cues_after(cues: Floats, time_s: float) -> Floats:
    """Cues that no frame up to a time has reached."""
    if not len(cues):
        return cues
    rest = cues[cues[:, 1] > time_s]
    seal(rest)
    return rest
