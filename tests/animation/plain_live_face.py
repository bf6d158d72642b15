"""The live face of one voice as a plain rule: what `animation.face.live_faces` does for many, compiled."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.animation.face import mouth as mouths
from kinesphere.animation.face.face_curves import (
    CHANNELS,
    KNOWN_S,
    FaceSettings,
    _brow_channel,
    _lid_channel,
    blink_wait_s,
)
from kinesphere.animation.face.mouth import MouthState
from kinesphere.animation.head.live_cues import PAUSE, STRESS, kind_of
from kinesphere.maths.arrays import Floats
from kinesphere.speech.prosody import prosody as prosodies
from kinesphere.speech.prosody.observation import Observation
from kinesphere.speech.prosody.prosody import ProsodyState

_REMEMBERED_S = 2.0  # time after which a blink or a raise is over


class FaceState(NamedTuple):
    """Where a live face stands; made by `start`, never changed.

    Parameters
    ----------
    frames : how many were given.
    pauses, stresses : times at which something was understood that no frame has reached yet.
    blinks, raises : onsets of movements that may still go on.
    blink_count : draws so far.
    """

    settings: FaceSettings
    seed: int
    mouth: MouthState
    prosody: ProsodyState
    frames: int = 0
    pauses: tuple[float, ...] = ()
    stresses: tuple[float, ...] = ()
    blinks: tuple[float, ...] = (-1.0,)
    raises: tuple[float, ...] = (-1e9,)
    blink_count: int = 0

    @property
    def latency_s(self) -> float:
        """Seconds from a moment to the sample after which its frame is given, at most."""
        return self.mouth.latency_s


def start(
    rate_hz: float, fps: float = 30.0, seed: int = 0, settings: FaceSettings | None = None
) -> FaceState:
    """State before the first sample of a mono stream.

    Raises
    ------
    InvalidValueError
        If the rate is outside 4 to 400 kHz, or fps outside 1 to 1000.
    """
    s = settings or FaceSettings()
    s = replace(s, hearing=replace(s.hearing, fps=fps))
    return FaceState(s, seed, mouths.start(rate_hz, s.hearing), prosodies.start(rate_hz))


def step(state: FaceState, chunk: ArrayLike) -> tuple[FaceState, dict[str, Floats]]:
    """Take samples ``[n]`` in; the channels ``[frames]`` that are settled by them."""
    mouth, channels = mouths.step(state.mouth, chunk)
    prosody, heard = prosodies.step(state.prosody, chunk)
    pauses, stresses = understood(heard.observations[0], prosody.latency_s + KNOWN_S)
    state = state._replace(
        mouth=mouth,
        prosody=prosody,
        pauses=state.pauses + pauses,
        stresses=state.stresses + stresses,
    )
    return moved(state, channels)


def finish(state: FaceState) -> dict[str, Floats]:
    """The frames that still waited, up to the last sample's time."""
    return moved(state, mouths.finish(state.mouth))[1]


def live_face(
    samples: ArrayLike,
    rate_hz: float,
    fps: float = 30.0,
    seed: int = 0,
    settings: FaceSettings | None = None,
) -> dict[str, Floats]:
    """Face that a stream of the whole recording ``[n]`` gives."""
    state, head = step(start(rate_hz, fps, seed, settings), samples)
    tail = finish(state)
    return {name: np.concatenate([head[name], tail[name]]) for name in CHANNELS}


def understood(
    observations: Iterable[Observation], after_s: float
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Times at which pauses and stresses are known."""
    pauses, stresses = [], []
    for seen in observations:
        known_s = seen.event.issued_s + after_s
        kind = kind_of(seen)
        if kind == PAUSE:
            pauses.append(known_s)
        elif kind == STRESS:
            stresses.append(known_s)
    return tuple(pauses), tuple(stresses)


def moved(state: FaceState, channels: dict[str, Floats]) -> tuple[FaceState, dict[str, Floats]]:
    """Blinks and brows of the frames of which the mouth is known."""
    s = state.settings
    count = len(channels["jaw"])
    times = np.arange(state.frames, state.frames + count) / s.hearing.fps
    if not count:
        return state, {**channels, "blink": times, "browUp": times.copy()}
    last_s = float(times[-1])
    state = _raised_until(_blinked_until(state, last_s), last_s)
    size = 0.75 * s.brow_size
    channels["blink"] = _lid_channel(times, state.blinks)
    channels["browUp"] = _brow_channel(times, [(at, size) for at in state.raises], s)
    old_s = last_s - _REMEMBERED_S
    state = state._replace(
        frames=state.frames + count,
        blinks=(*(t for t in state.blinks[:-1] if t > old_s), state.blinks[-1]),
        raises=(*(t for t in state.raises[:-1] if t > old_s), state.raises[-1]),
    )
    return state, channels


def _blinked_until(state: FaceState, end_s: float) -> FaceState:
    """With the blinks that begin up to a time: when due, or sooner where a pause is known."""
    s = state.settings
    blinks, pauses, number = state.blinks, state.pauses, state.blink_count
    while s.blinks_per_min > 0.0:
        wait = blink_wait_s(state.seed, number, s.blinks_per_min, s.blink_apart_s)
        least_s = blinks[-1] + max(s.blink_apart_s, (1.0 - s.blink_reach) * wait)
        pauses = tuple(t for t in pauses if t >= least_s)
        at = min(blinks[-1] + wait, *pauses[:1]) if pauses else blinks[-1] + wait
        if at > end_s:
            break
        blinks, number = (*blinks, at), number + 1
    return state._replace(blinks=blinks, pauses=pauses, blink_count=number)


def _raised_until(state: FaceState, end_s: float) -> FaceState:
    raises, waiting = state.raises, list(state.stresses)
    while waiting and waiting[0] <= end_s:
        at = waiting.pop(0)
        if at >= raises[-1] + max(state.settings.brow_apart_s, state.settings.brow_s):
            raises = (*raises, at)
    return state._replace(raises=raises, stresses=tuple(waiting))
