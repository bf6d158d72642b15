"""Live eyes of many characters: gaze at the listener's face, with looks away.

Looks have natural durations and targets: from eye to eye to mouth of the listener, and beside.
Listeners look at a speaker most of the time; speakers look away more, at the start of a turn and
in pauses (Argyle and Cook 1976). The saccades are those of `animation.head.gaze`; between them the
eyes compensate for all head motion, within their range. Random numbers depend on the seed and the
index of the look.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.animation.face.face_curves import KNOWN_S
from kinesphere.animation.head import live_cues
from kinesphere.animation.idle.live_idle import seeds_of
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats, Ints, frozen_floats
from kinesphere.maths.bounds import check_bounds, check_range, range_field
from kinesphere.speech.prosody.framing import seal
from kinesphere.speech.prosody.observation import Observation
from kinesphere.speech.prosody.prosody import ProsodyState

_EYES_APART_M, _MOUTH_BELOW_M = 0.062, 0.07  # of the listener's face
_LONG_AGO_S = -1e9


@dataclass(frozen=True)
class EyeSettings:
    """Gaze targets of a character, and the range of its eyes.

    Parameters
    ----------
    listener_deg : yaw to the left and pitch down in the world of the listener's eyes.
    listener_m : distance of the listener: the nearer, the larger the angle between eyes and mouth.
    stray_deg : random spread of looks about their target.
    fixation_s, fixation_range_s : default duration of a fixation, shortest and longest.
    away_s, away_range_s : of a look away.
    away_deg : least and largest angle of one; smaller than where the head follows.
    listening_ratio, speaking_ratio : ratio of the time with gaze on the listener.
    pause_ratio : ratio of pauses in which a speaker looks away.
    turn_ratio : ratio of turns that begin with a look away.
    held_s : a character silent for this long is a listener.
    saccade_s, saccade_s_per_deg : duration of a saccade.
    eye_side_deg, eye_up_deg, eye_down_deg : range of the eyes.
    eye_ease : ratio of that range before its end over which they are slowed down.
    side : -1 mirrors random directions left and right.
    """

    listener_deg: tuple[float, float] = (0.0, 0.0)
    listener_m: float = range_field(1.5, 0.3, 1000.0)
    stray_deg: float = range_field(0.35, 0.0, 5.0)
    fixation_s: float = range_field(0.7, 0.2, 10.0)
    fixation_range_s: tuple[float, float] = range_field((0.3, 2.0), 0.2, 60.0)
    away_s: float = range_field(0.85, 0.2, 10.0)
    away_range_s: tuple[float, float] = range_field((0.35, 2.5), 0.2, 60.0)
    away_deg: tuple[float, float] = range_field((7.0, 16.0), 0.0, 30.0)
    listening_ratio: float = range_field(0.75, 0.05, 1.0)
    speaking_ratio: float = range_field(0.6, 0.05, 1.0)
    pause_ratio: float = range_field(0.5, 0.0, 1.0)
    turn_ratio: float = range_field(0.6, 0.0, 1.0)
    held_s: float = range_field(1.5, 0.2, 60.0)
    saccade_s: float = range_field(0.021, 0.005, 0.2)
    saccade_s_per_deg: float = range_field(0.0022, 0.0, 0.02)
    eye_side_deg: float = range_field(35.0, 10.0, 38.0)
    eye_up_deg: float = range_field(28.0, 10.0, 29.0)
    eye_down_deg: float = range_field(33.0, 10.0, 34.0)
    eye_ease: float = range_field(0.2, 0.01, 0.5)
    side: float = range_field(1.0, -1.0, 1.0)

    def __post_init__(self) -> None:
        check_bounds(self)
        for name, angle in zip(("yaw", "pitch"), self.listener_deg, strict=True):
            check_range(f"listener_deg's {name}", angle, -90.0, 90.0)


class EyesState(NamedTuple):
    """State of live eyes; made by `start`, never changed. Arrays are read-only.

    Parameters
    ----------
    voices : how many, or None for one without an axis of its own.
    heard_s : seconds from an event's issue to when it is known for any chunk size.
    frames : how many were returned.
    cues : ``[any, 3]`` character, kind and time of cues not reached by a frame yet.
    memory : ``[characters, numbers]``; the compiled loop defines the order.
    """

    settings: EyeSettings
    voices: int | None
    fps: float
    heard_s: float
    seeds: Ints
    frames: int
    cues: Floats
    memory: Floats


def start(
    fps: float, seeds: ArrayLike, prosody: ProsodyState, settings: EyeSettings | None = None
) -> EyesState:
    """State before the first frame.

    Parameters
    ----------
    seeds : ``[characters]``, one for each voice of the prosody.
    prosody : state of the stream that will give observations.
    """
    check_range("fps", fps, 1.0, 1000.0)
    chosen, rows = seeds_of(seeds), len(prosody.statistics)
    if len(chosen) != rows:
        raise InvalidValueError(f"{len(chosen)} seeds for {rows} voices, allowed is one for each")
    kernels = _kernels()
    memory = np.zeros((rows, kernels.MEMORY))
    memory[:, kernels.SPOKE_S] = _LONG_AGO_S
    memory[:, kernels.LENGTH_S] = 1.0
    seal(memory, chosen)
    heard_s = prosody.latency_s + KNOWN_S
    return EyesState(
        settings or EyeSettings(),
        prosody.voices,
        float(fps),
        heard_s,
        chosen,
        0,
        live_cues.no_cues(),
        memory,
    )


def step(
    state: EyesState, heads: ArrayLike, observations: Sequence[Sequence[Observation]]
) -> tuple[EyesState, Floats]:
    """Eyes of the next frames.

    Parameters
    ----------
    heads : ``[frames, 4]``, or ``[voices, frames, 4]``: the head's rotation in the world.
    observations : of each voice, as returned by `prosody.step`.

    Returns
    -------
    The state after them, and rotations ``[frames, 2, 4]``, or ``[voices, frames, 2, 4]``, of left
    and right eye in the head.
    """
    rows = len(state.seeds)
    axis = () if state.voices is None else (rows,)
    turns = frozen_floats(heads, "heads", (*axis, None, 4)).reshape(rows, -1, 4)
    cues = live_cues.with_cues(state.cues, observations, state.heard_s, rows)
    times_s = np.arange(state.frames, state.frames + turns.shape[1]) / state.fps
    eyes = np.empty((rows, len(times_s), 2, 4))
    memory = state.memory.copy()
    if len(times_s):
        first, ordered = live_cues.by_character(cues, rows)
        limits = _limits(state.settings)
        _kernels().move_eyes(times_s, turns, first, ordered, state.seeds, limits, memory, eyes)
        cues = live_cues.after(cues, float(times_s[-1]))
    seal(memory)
    state = state._replace(frames=state.frames + len(times_s), cues=cues, memory=memory)
    return state, eyes[0] if state.voices is None else eyes


@lru_cache(maxsize=8)
def _limits(s: EyeSettings) -> Floats:
    yaw, pitch = np.radians(s.listener_deg)
    limits = np.array(
        [
            yaw,
            pitch,
            math.atan(0.5 * _EYES_APART_M / s.listener_m),
            math.atan(_MOUTH_BELOW_M / s.listener_m),
            math.radians(s.stray_deg),
            math.atan(0.5 * _EYES_APART_M / s.listener_m),
            s.fixation_s,
            *s.fixation_range_s,
            s.away_s,
            *s.away_range_s,
            *np.radians(s.away_deg),
            _leaves(s.speaking_ratio, s),
            _leaves(s.listening_ratio, s),
            s.pause_ratio,
            s.turn_ratio,
            s.held_s,
            s.saccade_s,
            math.degrees(s.saccade_s_per_deg),
            *np.radians([s.eye_side_deg, s.eye_up_deg]),
            math.radians(s.eye_down_deg),
            s.eye_ease,
            s.side,
        ]
    )
    seal(limits)
    return limits


def _leaves(ratio: float, s: EyeSettings) -> float:
    """Ratio of fixations followed by a look away, for a ratio of time on the listener."""
    return min(1.0, s.fixation_s * (1.0 - ratio) / (ratio * s.away_s))


@lru_cache(maxsize=1)
def _kernels() -> ModuleType:
    """The compiled loops, imported once when first needed; a stream calls this often."""
    from kinesphere.animation.head import live_eye_kernels

    return live_eye_kernels
