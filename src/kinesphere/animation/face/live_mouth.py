"""Mouths of live characters, delayed to belong to the frames of the body.

A mouth is known a little after its sound (`MouthState.late_frames`). A body that is as late shows
it at its time; one that is on time shows it late by whole frames.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from kinesphere.animation.face import mouth as mouths
from kinesphere.animation.face.mouth import MouthState
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.speech.prosody.framing import seal


class MouthQueue(NamedTuple):
    """Shapes not shown yet; made by `start`, never changed.

    Parameters
    ----------
    waiting : ``[6, characters, frames]``, read-only.
    voices : how many, or None for one without an axis of its own.
    late_frames : delay of a shown mouth after the body's sound.
    frames : how many were shown.
    """

    waiting: Floats
    voices: int | None
    late_frames: int
    frames: int


def start(mouth: MouthState, body_late: int = 0) -> MouthQueue:
    """Queue before the first frame, of a body that is late by a number of frames."""
    late = max(0, mouth.late_frames - body_late)
    waiting = np.zeros((len(mouths.CHANNELS), len(mouth.memory), late))
    seal(waiting)
    return MouthQueue(waiting, mouth.voices, late, 0)


def step(
    queue: MouthQueue, mouth: Mapping[str, Floats], count: int
) -> tuple[MouthQueue, dict[str, Floats]]:
    """Add channels that `mouth.step` returned; those of the next frames.

    Raises
    ------
    InvalidValueError
        If the mouth of a wanted frame is not known yet.
    """
    arrived = np.stack([mouth[name] for name in mouths.CHANNELS])
    arrived = arrived.reshape(len(arrived), queue.waiting.shape[1], -1)
    waiting = np.concatenate([queue.waiting, arrived], axis=2)
    shown = queue.frames + count
    if count > waiting.shape[2]:
        known = queue.frames + waiting.shape[2]
        raise InvalidValueError(f"{shown} frames of a face are requested, {known} have a mouth")
    rest = waiting[:, :, count:].copy()
    seal(rest)
    now = waiting[:, 0, :count] if queue.voices is None else waiting[:, :, :count]
    channels = dict(zip(mouths.CHANNELS, now, strict=True))
    return queue._replace(waiting=rest, frames=shown), channels
