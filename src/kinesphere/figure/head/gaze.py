"""Gaze of a character: targets and durations of its looks, range of its eyes.

Looks go from eye to eye to mouth of the listener, and beside. Listeners look at a speaker most of
the time; speakers look away more, as a phrase begins and in pauses (Argyle and Cook 1976), and are
back by the end of a phrase (Kendon 1967).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.maths.arrays import Floats
from kinesphere.maths.bounds import check_bounds, range_field
from kinesphere.speech.prosody.framing import seal

_EYES_APART_M, _MOUTH_BELOW_M = 0.062, 0.07  # of the listener's face
_SETTLED = 4.74  # rate of a critically damped spring, times the time to 95 % of its way


@dataclass(frozen=True)
class GazeSettings:
    """How a character looks about.

    Parameters
    ----------
    listener_m : distance of the listener: the nearer, the larger the angle between eyes and mouth.
    face_points : whether looks go to points of the listener's face; else exactly to its middle.
    stray_deg : random spread of looks about their target.
    fixation_s, fixation_range_s : default duration of a fixation, shortest and longest.
    away_s, away_range_s : of a look away.
    away_deg : least and largest angle of one: visible, and mostly done by the eyes alone.
    spread : of durations (log).
    speaking_ratio, listening_ratio : ratio of the time with gaze on the listener, without the looks
        away at the beginning of phrases and in pauses.
    phrase_ratio : ratio of phrases that begin with a look away.
    phrase_delay_s : longest delay of that look after its cue.
    pause_ratio : ratio of pauses in which a speaker looks away.
    held_s : a character silent for this long is a listener.
    least_look_s : shortest fixation before a look away in a pause.
    least_back_s : least time on the listener after a look away.
    far_aside_deg : with a listener beyond this, looks away go to the middle.
    saccade_s, saccade_s_per_deg, saccade_most_deg : duration of a saccade; beyond the last the head
        carries the eyes.
    eye_side_deg, eye_up_deg, eye_down_deg : range of the eyes.
    eye_knee : ratio of that range before its end over which they are slowed down.
    head_side_deg, head_nod_deg : a head that follows a recording is not farther from the listener.
    head_free : ratio of that angle up to which such a head is as recorded.
    home_part : ratio of a look away that such a head takes part in.
    home_s : time in which it does so, and in which it turns to a listener in another direction.
    neck_ratio : ratio of it that is the neck's.
    side : -1 mirrors random directions left and right.
    """

    listener_m: float = range_field(1.5, 0.3, 1000.0)
    face_points: bool = True
    stray_deg: float = range_field(0.35, 0.0, 5.0)
    fixation_s: float = range_field(0.7, 0.2, 10.0)
    fixation_range_s: tuple[float, float] = range_field((0.3, 2.0), 0.2, 60.0)
    away_s: float = range_field(1.0, 0.2, 10.0)
    away_range_s: tuple[float, float] = range_field((0.35, 2.5), 0.2, 60.0)
    away_deg: tuple[float, float] = range_field((11.0, 15.0), 0.0, 40.0)
    spread: float = range_field(0.45, 0.0, 1.0)
    speaking_ratio: float = range_field(0.59, 0.05, 1.0)
    listening_ratio: float = range_field(0.75, 0.05, 1.0)
    phrase_ratio: float = range_field(0.6, 0.0, 1.0)
    phrase_delay_s: float = range_field(0.3, 0.0, 2.0)
    pause_ratio: float = range_field(0.15, 0.0, 1.0)
    held_s: float = range_field(1.5, 0.2, 60.0)
    least_look_s: float = range_field(0.15, 0.0, 2.0)
    least_back_s: float = range_field(1.0, 0.0, 60.0)
    far_aside_deg: float = range_field(30.0, 0.0, 180.0)
    saccade_s: float = range_field(0.021, 0.005, 0.2)
    saccade_s_per_deg: float = range_field(0.0022, 0.0, 0.02)
    saccade_most_deg: float = range_field(40.0, 1.0, 90.0)
    eye_side_deg: float = range_field(35.0, 10.0, 38.0)
    eye_up_deg: float = range_field(28.0, 10.0, 29.0)
    eye_down_deg: float = range_field(33.0, 10.0, 34.0)
    eye_knee: float = range_field(0.2, 0.01, 0.5)
    head_side_deg: float = range_field(12.0, 1.0, 90.0)
    head_nod_deg: float = range_field(11.0, 1.0, 60.0)
    head_free: float = range_field(0.3, 0.0, 1.0)
    home_part: float = range_field(0.6, 0.0, 1.0)
    home_s: float = range_field(0.6, 0.1, 5.0)
    neck_ratio: float = range_field(0.4, 0.0, 1.0)
    side: float = range_field(1.0, -1.0, 1.0)

    def __post_init__(self) -> None:
        check_bounds(self)

    @property
    def eye_room(self) -> tuple[Floats, Floats]:
        """Ranges of the eyes: yaw and pitch, least and most, radians."""
        return (
            np.radians([-self.eye_side_deg, -self.eye_up_deg]),
            np.radians([self.eye_side_deg, self.eye_down_deg]),
        )


PAPER_GAZE = GazeSettings(
    face_points=False,
    stray_deg=0.0,
    speaking_ratio=1.0,
    listening_ratio=1.0,
    phrase_ratio=0.0,
    pause_ratio=0.0,
    eye_knee=1.0 - 0.95,
)
"""Gaze that is always on its target: for the head of Neff, Kipp, Albrecht and Seidel (2008)."""


class Looks(NamedTuple):
    """Changes of the gaze target, in order of time.

    Parameters
    ----------
    times : ``[n]`` seconds.
    goals : ``[n, 2]`` yaw and pitch from then on, radians in the world.
    chance : ``[n, 2]`` uniform random numbers of each: the head's delay, its duration.
    """

    times: Floats
    goals: Floats
    chance: Floats


def direction(yaw: ArrayLike, pitch: ArrayLike) -> Floats:
    """Unit vectors ``[..., 3]`` of yaw and pitch."""
    left, down = np.asarray(yaw, dtype=np.float64), np.asarray(pitch, dtype=np.float64)
    level = np.cos(down)
    return np.stack([level * np.sin(left), -np.sin(down), level * np.cos(left)], axis=-1)


@lru_cache(maxsize=16)
def gaze_limits(s: GazeSettings) -> Floats:
    """Values of the settings in the order of the compiled loops."""
    points = 1.0 if s.face_points else 0.0
    eye = math.atan(0.5 * _EYES_APART_M / s.listener_m)
    limits = np.array(
        [
            points * eye,
            points * math.atan(_MOUTH_BELOW_M / s.listener_m),
            math.radians(s.stray_deg),
            points * eye,
            s.fixation_s,
            *s.fixation_range_s,
            s.away_s,
            *s.away_range_s,
            *np.radians(s.away_deg),
            s.spread,
            _stays_s(s.speaking_ratio, s),
            _stays_s(s.listening_ratio, s),
            s.phrase_ratio,
            s.phrase_delay_s,
            s.pause_ratio,
            s.held_s,
            s.least_look_s,
            s.least_back_s,
            math.radians(s.far_aside_deg),
            s.saccade_s,
            math.degrees(s.saccade_s_per_deg),
            math.radians(s.saccade_most_deg),
            *np.radians([s.eye_side_deg, s.eye_up_deg, s.eye_down_deg]),
            s.eye_knee,
            s.side,
            *np.radians([s.head_side_deg, s.head_nod_deg]),
            s.head_free,
            s.home_part,
            _SETTLED / s.home_s,
            s.neck_ratio,
        ]
    )
    seal(limits)
    return limits


def _stays_s(ratio: float, s: GazeSettings) -> float:
    """Usual time on the listener between looks away, for a ratio of time on the listener."""
    if ratio >= 1.0:
        return math.inf
    # A look away begins only when a fixation ends.
    return max(s.away_s * ratio / (1.0 - ratio) - 0.5 * s.fixation_s, 0.0)
