"""Cues and settings of head and eyes, and their resulting motion.

Angles of cues are radians, those of settings degrees. Yaw and turn are to the character's left,
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
from kinesphere.speech.prosody.ranges import check_ranges


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


@dataclass(frozen=True)
class HeadSettings:
    """How head and eyes move. Amplitudes are those of recorded speakers unless noted.

    Parameters
    ----------
    paper : only the head motion of Neff, Kipp, Albrecht and Seidel (2008) and of gestures: `gain`
        of every look, in `paper_s` or up to the next look. The eyes add the rest.
    side : -1 mirrors random directions left and right.
    liveliness : factor of the amplitudes of the head's own motion.
    gain : ratio of a look that the head takes (2008, section 6.4).
    neck_ratio : ratio of the head's yaw that is the neck's, as in `motion.body.look_at`.
    neck_nod, neck_tilt : its ratio in nods and tilts. A look up or down is the head's alone.
    head_late_s : shortest and longest delay of the head after the eyes.
    head_s, head_s_per_deg, head_length_s : duration of a head rotation: `head_s`, and more per
        degree, within `head_length_s`.
    head_least_deg : the head does not follow the eyes to targets nearer than this.
    paper_s : shortest and longest head movement with `paper`.
    saccade_s, saccade_s_per_deg, saccade_most_deg : duration of a saccade; beyond the last the
        head carries the eyes.
    eye_side_deg, eye_up_deg, eye_down_deg : range of the eyes. The head follows so that they
        do not stay beyond `eye_ease` of it for long.
    listener_ratio : ratio of speaking time with gaze on the listener.
    away_ratio : ratio of phrases that begin with a look away.
    away_deg : least and largest angle of a look away.
    away_s : median duration of one.
    back_s : the gaze returns this long before a phrase ends.
    fixation_deg, fixation_every_s : small saccades about the target.
    posture_deg : RMS of the head's posture while speaking: down, turn, tilt.
    phrase_ratio : ratio of it that is constant within a phrase.
    posture_every_s, posture_overlap : default time from one such movement to the next about each
        axis, and its duration relative to that time.
    rest_ratio : ratio of it that remains in a pause.
    pause_s, pause_rest_s : the head rests in pauses longer than this; duration of the return.
    idle_deg : amplitude of slow continuous waves.
    nod_ratio : ratio of accents with a nod, for those of strength 0.7; about one in two remains
        after those too close to another were dropped.
    nods_per_s : upper limit of the rate; where accents are denser, fewer have a nod.
    nod_deg, nod_spread, nod_range_deg : default depth, its spread (log), least and most.
    nod_scatter_s : random spread of a nod's lowest point about its accent.
    nod_apart_s : least time between two.
    nod_around_s : half-width of the window in which the density of accents is measured.
    nod_most_ratio : upper limit of an accent's probability of a nod.
    lift_first_ratio : ratio of nods that begin with a small lift.
    lift_ratio : ratio of accents that lift the chin instead.
    nod_thrust_m : forward displacement of a nod of default depth.
    verdict_ratio, verdict_deg : ratio of phrases that end with the chin down, and by how much.
    verdict_s, verdict_back_s : duration of the movement down, and of the return.
    question_deg, question_tilt_deg : chin up and tilt at the end of a question.
    question_early_s, question_s, question_back_s : its start before the question's end, its
        duration, and that of the return.
    question_near_s : a phrase that ends this close to a question's end is that question.
    pose_s : time in which a pose is reached, if there is enough.
    most_deg_s2 : poses and nods that would need more angular acceleration last longer.
    nod_bottom_s, nods_every_s, shake_first_s, shake_hz : of nods and shakes of gestures.
    blinks_per_min, silent_blinks_per_min : default rates.
    blink_s : shortest and longest duration.
    blink_shift_deg, blink_shift_ratio : ratio of gaze shifts over this angle that have a blink.
    blink_end_ratio : ratio of phrase ends with a blink.
    blink_apart_s : least time between two blinks.
    """

    paper: bool = False
    side: float = 1.0
    liveliness: float = 1.0
    gain: float = 0.5
    neck_ratio: float = 0.4
    neck_nod: float = 0.3
    neck_tilt: float = 0.45
    head_late_s: tuple[float, float] = (0.03, 0.06)
    head_s: float = 0.22
    head_s_per_deg: float = 0.014
    head_length_s: tuple[float, float] = (0.25, 0.6)
    head_least_deg: float = 15.0
    paper_s: tuple[float, float] = (0.2, 0.3)
    saccade_s: float = 0.021
    saccade_s_per_deg: float = 0.0022
    saccade_most_deg: float = 40.0
    eye_side_deg: float = 35.0
    eye_up_deg: float = 28.0
    eye_down_deg: float = 33.0
    eye_ease: float = 0.8
    listener_ratio: float = 0.65
    away_ratio: float = 0.6
    away_deg: tuple[float, float] = (15.0, 25.0)
    away_s: float = 1.0
    back_s: float = 0.3
    fixation_deg: float = 0.8
    fixation_every_s: float = 1.2
    posture_deg: tuple[float, float, float] = (4.7, 6.0, 6.8)
    phrase_ratio: float = 0.7
    posture_every_s: tuple[float, float, float] = (0.62, 0.65, 0.58)
    posture_overlap: float = 1.6
    rest_ratio: float = 0.3
    pause_s: float = 0.5
    pause_rest_s: float = 0.9
    idle_deg: float = 0.8
    nod_ratio: float = 0.6
    nods_per_s: float = 0.9
    nod_deg: float = 3.9
    nod_spread: float = 0.6
    nod_range_deg: tuple[float, float] = (2.0, 17.0)
    nod_scatter_s: float = 0.045
    nod_apart_s: float = 0.35
    nod_around_s: float = 1.5
    nod_most_ratio: float = 0.85
    lift_first_ratio: float = 0.45
    lift_ratio: float = 0.08
    nod_thrust_m: float = 0.0
    verdict_ratio: float = 0.5
    verdict_deg: float = 4.0
    verdict_s: float = 0.4
    verdict_back_s: float = 0.7
    question_deg: float = 5.5
    question_tilt_deg: float = 4.0
    question_early_s: float = 0.6
    question_s: float = 0.5
    question_back_s: float = 0.7
    question_near_s: float = 0.35
    pose_s: float = 0.35
    most_deg_s2: float = 1500.0
    nod_bottom_s: float = 0.3
    nods_every_s: float = 0.46
    shake_first_s: float = 0.2
    shake_hz: tuple[float, float] = (1.2, 2.3)
    blinks_per_min: float = 24.0
    silent_blinks_per_min: float = 16.0
    blink_s: tuple[float, float] = (0.12, 0.18)
    blink_shift_deg: float = 20.0
    blink_shift_ratio: float = 0.7
    blink_end_ratio: float = 0.5
    blink_apart_s: float = 0.9

    def __post_init__(self) -> None:
        check_ranges(
            self,
            side=(-1.0, 1.0),
            liveliness=(0.0, 3.0),
            gain=(0.0, 1.0),
            neck_ratio=(0.2, 0.5),
            neck_nod=(0.0, 0.6),
            neck_tilt=(0.0, 0.6),
            head_s=(0.0, 2.0),
            head_s_per_deg=(0.0, 0.1),
            head_least_deg=(0.0, 40.0),
            saccade_s=(0.005, 0.2),
            saccade_s_per_deg=(0.0, 0.02),
            saccade_most_deg=(1.0, 90.0),
            eye_side_deg=(10.0, 38.0),
            eye_up_deg=(10.0, 29.0),
            eye_down_deg=(10.0, 34.0),
            eye_ease=(0.3, 0.9),
            listener_ratio=(0.05, 1.0),
            away_ratio=(0.0, 1.0),
            away_s=(0.3, 5.0),
            back_s=(0.0, 2.0),
            fixation_deg=(0.0, 5.0),
            fixation_every_s=(0.2, 10.0),
            phrase_ratio=(0.0, 1.0),
            posture_overlap=(0.5, 2.0),
            rest_ratio=(0.0, 1.0),
            pause_s=(0.1, 60.0),
            pause_rest_s=(0.3, 10.0),
            idle_deg=(0.0, 5.0),
            nod_ratio=(0.0, 1.0),
            nod_around_s=(0.1, 60.0),
            nod_most_ratio=(0.0, 1.0),
            lift_first_ratio=(0.0, 1.0),
            verdict_s=(0.1, 5.0),
            verdict_back_s=(0.1, 5.0),
            question_early_s=(0.0, 5.0),
            question_s=(0.1, 5.0),
            question_back_s=(0.1, 5.0),
            question_near_s=(0.0, 5.0),
            nods_every_s=(0.2, 5.0),
            nods_per_s=(0.0, 2.0),
            nod_deg=(0.0, 15.0),
            nod_spread=(0.0, 1.0),
            nod_scatter_s=(0.0, 0.3),
            nod_apart_s=(0.2, 5.0),
            lift_ratio=(0.0, 1.0),
            nod_thrust_m=(0.0, 0.05),
            verdict_ratio=(0.0, 1.0),
            verdict_deg=(0.0, 15.0),
            question_deg=(0.0, 15.0),
            question_tilt_deg=(0.0, 15.0),
            pose_s=(0.1, 2.0),
            most_deg_s2=(200.0, 1e5),
            nod_bottom_s=(0.1, 1.0),
            shake_first_s=(0.1, 1.0),
            blinks_per_min=(0.0, 40.0),
            silent_blinks_per_min=(0.0, 40.0),
            blink_shift_deg=(0.0, 90.0),
            blink_shift_ratio=(0.0, 1.0),
            blink_end_ratio=(0.0, 1.0),
            blink_apart_s=(0.3, 10.0),
        )
        pairs = {
            "head_late_s": (0.0, 1.0),
            "head_length_s": (0.1, 5.0),
            "paper_s": (0.05, 5.0),
            "away_deg": (0.0, 40.0),
            "nod_range_deg": (0.0, 25.0),
            "shake_hz": (0.3, 4.0),
            "blink_s": (0.06, 1.0),
        }
        for name, (low, high) in pairs.items():
            least, most = getattr(self, name)
            if not low <= least <= most <= high:
                raise InvalidValueError(
                    f"{name} is {least} to {most}, allowed is within {low:g} to {high:g}"
                )
        if not all(0.0 <= value <= 15.0 for value in self.posture_deg):
            raise InvalidValueError(f"posture_deg is {self.posture_deg}, allowed is 0 to 15 each")
        if not all(0.25 <= value <= 10.0 for value in self.posture_every_s):
            raise InvalidValueError(
                f"posture_every_s is {self.posture_every_s}, allowed is 0.25 to 10 each"
            )


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
