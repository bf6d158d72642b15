"""Cues of head and eyes, and their resulting motion.

Angles are radians. Yaw and turn are to the character's left,
pitch and down are down, tilt brings the left ear to the left shoulder. Directions of gaze are in
the world, yaw 0 is straight ahead to the audience; poses of gestures are added to the head's other
motion.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats, frozen_floats


@dataclass(frozen=True)
class GazeShift:
    """New direction of the listener, to which the gaze returns, from a time on."""

    time_s: float
    yaw: float
    pitch: float = 0.0


@dataclass(frozen=True)
class Glance:
    """A look at a hand or a spot, and the return."""

    start_s: float
    end_s: float
    yaw: float
    pitch: float


@dataclass(frozen=True)
class Beat:
    """An accented syllable; strength in [0, 1]."""

    time_s: float
    strength: float


@dataclass(frozen=True)
class HeadPose:
    """Head pose of a gesture.

    Parameters
    ----------
    start_s, end_s : it starts to leave and is back; a pose too short for its size is back later.
    down, turn, tilt : radians, added to the gaze and the idle motion of the head.
    thrust_m : forward.
    shake : first half-cycle of a head shake, radians to the left, reached
        `HeadSettings.shake_first_s` after the start; as many half-cycles as there is time for.
    nod : depth of a nod, radians. Its lowest point is `HeadSettings.nod_bottom_s` after the start;
        up to three, each smaller, as there is time.
    """

    start_s: float
    end_s: float
    down: float = 0.0
    turn: float = 0.0
    tilt: float = 0.0
    thrust_m: float = 0.0
    shake: float = 0.0
    nod: float = 0.0


@dataclass(frozen=True)
class HeadCues:
    """All cues that head and eyes follow; each kind is sorted by time.

    Parameters
    ----------
    shifts : directions of the listener; straight ahead before the first.
    glances : overlapping ones are done one after the other.
    accents : accented syllables.
    poses : of gestures.
    phrases : start and end in seconds of spoken phrases, in order, not overlapping.
    questions : ends of questions.

    Raises
    ------
    InvalidValueError
        If a number is not finite, something ends before it starts, a strength is outside [0, 1] or
        phrases overlap.
    """

    shifts: tuple[GazeShift, ...] = ()
    glances: tuple[Glance, ...] = ()
    accents: tuple[Beat, ...] = ()
    poses: tuple[HeadPose, ...] = ()
    phrases: tuple[tuple[float, float], ...] = ()
    questions: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        for name in ("shifts", "glances", "accents", "poses"):
            _check_finite(name, [tuple(vars(item).values()) for item in getattr(self, name)])
        by_time = {
            "shifts": tuple(sorted(self.shifts, key=lambda shift: shift.time_s)),
            "glances": tuple(sorted(self.glances, key=lambda glance: glance.start_s)),
            "accents": tuple(sorted(self.accents, key=lambda beat: beat.time_s)),
            "poses": tuple(sorted(self.poses, key=lambda pose: pose.start_s)),
        }
        for name, ordered in by_time.items():
            object.__setattr__(self, name, ordered)
        _check_finite("phrases", self.phrases)
        _check_finite("questions", [(at,) for at in self.questions])
        object.__setattr__(self, "phrases", tuple((float(a), float(b)) for a, b in self.phrases))
        object.__setattr__(self, "questions", tuple(sorted(self.questions)))
        for beat in self.accents:
            if not 0.0 <= beat.strength <= 1.0:
                raise InvalidValueError(f"an accent's strength is {beat.strength}, allowed 0 to 1")
        glances = [(glance.start_s, glance.end_s) for glance in self.glances]
        poses = [(pose.start_s, pose.end_s) for pose in self.poses]
        for start, end in (*glances, *poses, *self.phrases):
            if not start < end:
                raise InvalidValueError(f"from {start} to {end} s is no stretch of time")
        for (_, end), (start, _) in pairwise(self.phrases):
            if start < end:
                raise InvalidValueError(f"a phrase starts at {start} s before one ends at {end}")


def _check_finite(name: str, rows: Iterable[tuple[Any, ...]]) -> None:
    for row in rows:
        if not np.isfinite(np.asarray(row, dtype=np.float64)).all():
            raise InvalidValueError(f"{name} hold a number that is not finite: {row}")


@dataclass(frozen=True, eq=False)
class HeadMotion:
    """Motion of head and eyes over frames ``[f, ...]``; arrays are read-only.

    Parameters
    ----------
    neck, head : ``[f, 3]`` rotation vectors of the neck within the chest and of the head within the
        neck, in the axes of the T-pose: +X nods down, +Y turns left, +Z tilts right.
    eyes : ``[f, 3]`` both eyes' within the head.
    blink : ``[f]`` 0 open to 1 closed.
    thrust : ``[f]`` metres forward.
    look_target : ``[f, 2]`` yaw and pitch of the gaze target in the world.
    """

    neck: Floats
    head: Floats
    eyes: Floats
    blink: Floats
    thrust: Floats
    look_target: Floats

    def __post_init__(self) -> None:
        frames = len(self.blink)
        for name, width in (("neck", 3), ("head", 3), ("eyes", 3), ("look_target", 2)):
            array = frozen_floats(getattr(self, name), name, (frames, width))
            object.__setattr__(self, name, array)
        for name in ("blink", "thrust"):
            object.__setattr__(self, name, frozen_floats(getattr(self, name), name, (frames,)))
