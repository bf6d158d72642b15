"""Live faces of many characters, from mouths and observations that other modules compute.

The rule is that of the live face of one voice (`animation.face.face_curves`), with the same
numbers. A mouth is known with a delay, a body at once: `step` returns a face with the mouth's
delay, `FacesState.late_frames` after the audio, so that frame k of face and body belong together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import ModuleType
from typing import NamedTuple

import numpy as np

from kinesphere.animation.face import mouth as mouths
from kinesphere.animation.face.face_curves import (
    BLINK_S,
    CHANNELS,
    KNOWN_S,
    FaceSettings,
    blink_wait_s,
)
from kinesphere.animation.face.mouth import MouthState
from kinesphere.animation.head import live_cues
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.speech.prosody.framing import seal
from kinesphere.speech.prosody.observation import Observation
from kinesphere.speech.prosody.prosody import ProsodyState

_MOUTH = len(mouths.CHANNELS)
_LONG_AGO_S = -1e9


class FacesState(NamedTuple):
    """State of live faces; made by `start`, never changed. Arrays are read-only.

    Parameters
    ----------
    voices : how many, or None for one without an axis of its own.
    fps : frames per second.
    late_frames : delay of a face after its audio.
    heard_s : seconds from an event's issue to when it is known for any chunk size.
    seeds : of the blinks, one per character.
    frames : how many were returned.
    mouth : ``[6, characters, frames]`` not returned yet.
    cues : ``[any, 3]`` character, kind and time of cues not reached by a frame yet.
    onsets : ``[characters, 2]`` of the last blink and the last raise.
    waits, blinks : ``[characters, any]`` times to the next blinks, ``[characters]`` blink counts.
    """

    settings: FaceSettings
    voices: int | None
    fps: float
    late_frames: int
    heard_s: float
    seeds: tuple[int, ...]
    frames: int
    mouth: Floats
    cues: Floats
    onsets: Floats
    waits: Floats
    blinks: Ints


def start(
    seeds: Sequence[int],
    mouth: MouthState,
    prosody: ProsodyState,
    settings: FaceSettings | None = None,
) -> FacesState:
    """State before the first frame.

    Parameters
    ----------
    seeds : of the blinks, one for each voice of the mouth.
    mouth, prosody : states of the streams that will give mouths and observations.
    """
    rows = len(mouth.memory)
    if len(seeds) != rows:
        raise InvalidValueError(f"{len(seeds)} seeds for {rows} voices, allowed is one for each")
    onsets = np.tile([-1.0, _LONG_AGO_S], (rows, 1))
    late = np.zeros((_MOUTH, rows, mouth.late_frames))
    blinks, waits = np.zeros(rows, dtype=np.int64), np.zeros((rows, 0))
    seal(onsets, late, blinks, waits)
    return FacesState(
        settings or FaceSettings(),
        mouth.voices,
        mouth.settings.fps,
        mouth.late_frames,
        prosody.latency_s + KNOWN_S,
        tuple(map(int, seeds)),
        0,
        late,
        live_cues.no_cues(),
        onsets,
        waits,
        blinks,
    )


def step(
    state: FacesState,
    mouth: Mapping[str, Floats],
    observations: Sequence[Sequence[Observation]],
    until: int,
) -> tuple[FacesState, dict[str, Floats]]:
    """Process mouths and observations; the channels ``[frames]``, or ``[voices, frames]``.

    Parameters
    ----------
    mouth : channels returned by `mouth.step`.
    observations : of each voice, as returned by `prosody.step`.
    until : number of the frame after the last one wanted. Its audio must have been processed.

    Raises
    ------
    InvalidValueError
        If the mouth of a wanted frame is not known yet.
    """
    arrived = np.stack([mouth[name] for name in mouths.CHANNELS])
    arrived = arrived.reshape(_MOUTH, len(state.seeds), -1)
    waiting = np.concatenate([state.mouth, arrived], axis=2)
    count = max(0, until - state.frames)
    if count > waiting.shape[2]:
        known = state.frames + waiting.shape[2]
        raise InvalidValueError(f"{until} frames of a face are requested, {known} have a mouth")
    cues = live_cues.with_cues(state.cues, observations, state.heard_s, len(state.seeds))
    state = state._replace(frames=state.frames + count, cues=cues)
    first = state.frames - count - state.late_frames
    times_s = np.arange(first, first + count) / state.fps
    moved, lids, brows = _advance(state, times_s)
    rest = waiting[:, :, count:].copy()
    seal(rest)
    given = [*waiting[:, :, :count], lids, brows]
    if state.voices is None:
        given = [values[0] for values in given]
    return moved._replace(mouth=rest), dict(zip(CHANNELS, given, strict=True))


def _advance(state: FacesState, times_s: Floats) -> tuple[FacesState, Floats, Floats]:
    """Blinks and brows ``[characters, frames]`` at times."""
    s, rows = state.settings, len(state.seeds)
    lids, brows = np.empty((2, rows, len(times_s)))
    if not len(times_s):
        return state, lids, brows
    # The first blink is counted from a second before the first frame.
    ahead = int((1.0 + len(times_s) / state.fps) / s.blink_apart_s) + 2
    waits = state.waits if state.waits.shape[1] >= ahead else _waits(state, ahead)
    onsets, taken = state.onsets.copy(), np.zeros(rows, dtype=np.int64)
    first, cues = live_cues.by_character(state.cues, rows)
    size, limits = s.live_brow * s.brow_size, _limits(s)
    _kernels().move_faces(times_s, first, cues, size, limits, waits, onsets, taken, lids, brows)
    blinks = state.blinks
    if taken.any():
        blinks = blinks + taken
        waits = waits[:, : int(1.0 / s.blink_apart_s) + 3].copy()
        for c in np.flatnonzero(taken).tolist():
            waits[c] = _row(state.seeds[c], int(blinks[c]), waits.shape[1], s)
    seal(onsets, blinks, waits)
    rest = live_cues.after(state.cues, float(times_s[-1]))
    state = state._replace(cues=rest, onsets=onsets, waits=waits, blinks=blinks)
    return state, lids, brows


def _waits(state: FacesState, count: int) -> Floats:
    """The given number of waits of each character, from its last blink on."""
    places = zip(state.seeds, state.blinks.tolist(), strict=True)
    return np.array([_row(seed, number, count, state.settings) for seed, number in places])


def _row(seed: int, first: int, count: int, s: FaceSettings) -> list[float]:
    if s.blinks_per_min <= 0.0:
        return [np.inf] * count
    numbers = range(first, first + count)
    return [blink_wait_s(seed, n, s.blinks_per_min, s.blink_apart_s) for n in numbers]


@lru_cache(maxsize=8)
def _limits(s: FaceSettings) -> Floats:
    limits = np.array(
        [
            s.blinks_per_min,
            s.blink_apart_s,
            s.blink_reach,
            BLINK_S,
            max(s.brow_apart_s, s.brow_s),
            s.brow_lead_s,
            s.brow_hold_s,
            s.brow_fall_s,
        ]
    )
    seal(limits)
    return limits


@lru_cache(maxsize=1)
def _kernels() -> ModuleType:
    """The compiled loops, imported once when first needed; a stream calls this often."""
    from kinesphere.animation.face import live_face_kernels

    return live_face_kernels
