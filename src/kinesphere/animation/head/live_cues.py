"""Cues of live faces and eyes from observations: pauses, syllables, and prominent ones.

A cue's time is when it is known for any chunk size, so that chunks of any size give the same
movement. Cues that no frame has reached yet are rows of character, kind and time, in order of
arrival: for each character in order of time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.speech.prosody.framing import seal
from kinesphere.speech.prosody.observation import HIGH, LONG, Observation
from kinesphere.speech.prosody.syllables import Onset, Pause

PAUSE, SYLLABLE, STRESS = 0, 1, 2
"""Kinds: a pause began, a syllable was detected, a syllable that is loud and long or moving."""


def no_cues() -> Floats:
    """No rows."""
    none = np.zeros((0, 3))
    seal(none)
    return none


def kind_of(seen: Observation) -> int | None:
    """Kind of an observation; a continuing pause is none, nor is a speech onset."""
    if isinstance(seen.event, Pause):
        return PAUSE if seen.event.time_s == seen.event.start_s else None
    if isinstance(seen.event, Onset):
        return None
    stands_out = seen.intensity == HIGH and (seen.rise or seen.fall or seen.length == LONG)
    return STRESS if stands_out else SYLLABLE


def with_cues(
    cues: Floats, observations: Sequence[Sequence[Observation]], after_s: float, characters: int
) -> Floats:
    """With new observations of each character, known this long after their issue."""
    if len(observations) != characters:
        raise InvalidValueError(
            f"observations of {len(observations)} voices, expected those of {characters}"
        )
    rows = [
        (character, kind, seen.event.issued_s + after_s)
        for character, found in enumerate(observations)
        for seen in found
        if (kind := kind_of(seen)) is not None
    ]
    if not rows:
        return cues
    joined = np.concatenate([cues, np.array(rows, dtype=np.float64)])
    seal(joined)
    return joined


def by_character(cues: Floats, characters: int) -> tuple[Ints, Floats]:
    """Index of each character's first cue ``[characters + 1]``, kinds and times ``[any, 2]``."""
    order = np.argsort(cues[:, 0], kind="stable")
    first = np.searchsorted(cues[order, 0], np.arange(characters + 1))
    return first, np.ascontiguousarray(cues[order, 1:])


def after(cues: Floats, time_s: float) -> Floats:
    """Cues that no frame up to a time has reached."""
    if not len(cues):
        return cues
    rest = cues[cues[:, 2] > time_s]
    seal(rest)
    return rest
