"""Settings of head and eyes; angles are degrees."""

from __future__ import annotations

from dataclasses import dataclass, field

from kinesphere.figure.head.eyes import EyeSettings
from kinesphere.figure.head.gaze import PAPER_GAZE
from kinesphere.maths.bounds import check_bounds, range_field

Pair = tuple[float, float]
Triple = tuple[float, float, float]


@dataclass(frozen=True)
class NodSettings:
    """Shapes of posture changes, dips, shakes and nods. Spreads are those of logarithms."""

    posture_gap: Pair = (0.4, 0.35)  # shortest gap relative to the usual one, its spread
    posture_length_spread: float = 0.15  # of the duration of a change of posture
    posture_early_s: Pair = (0.1, 0.1)  # the first begins before the phrase; its spread
    posture_end_s: float = 0.2  # none begins this shortly before a phrase ends
    posture_least_s: float = 0.3  # shortest change
    rest_late_s: Pair = (0.05, 0.1)  # the head rests this long after a phrase, after a change
    busy_s: Pair = (0.3, 0.2)  # no dip this shortly before or after a gesture of the head
    early_s: float = 0.01  # mean time of a dip's lowest point before its accent
    by_strength: Pair = (0.2, 1.1)  # probability of a dip without prominence, and more with it
    depth: Pair = (0.9, 0.2)  # depth without prominence, and more with it
    down_s: Triple = (0.17, 0.012, 0.15)  # duration, more per degree, its spread
    back: Pair = (1.4, 0.2)  # duration of the return relative to it, its spread
    lift: Pair = (0.15, 0.25)  # least ratio of a lift before a dip, and its random part
    lift_early: float = 1.75  # a lift begins this many durations before the lowest point
    chin_up: float = -0.6  # size of a lifted chin relative to a dip
    aside: Pair = (0.3, 0.25)  # spread of turn and tilt relative to a dip
    bottom_s: float = 0.02  # time at the lowest point
    verdict_spread: Pair = (0.35, 0.15)  # of size and duration of the chin's movement down
    verdict_early_s: float = 0.1  # it ends before the phrase
    verdict_late_s: Pair = (0.1, 0.25)  # the return begins after it; random part
    question_spread: Pair = (0.25, 0.3)  # of chin up and of tilt
    question_hold_s: Pair = (0.35, 0.5)  # the return begins after the question; random part
    pose_most: float = 0.45  # a pose is reached within this ratio of its duration
    cycle_room: float = 0.2  # ratio of a cycle that may be missing for one more
    shake_sizes: tuple[float, ...] = (1.0, -0.83, 0.58, -0.33)  # of the half-cycles of a shake
    shake_overlap: Pair = (1.3, 1.15)  # duration of a half-cycle, its start before its end
    shake_tilt: float = 6.0  # turn per tilt of a shake
    nod_sizes: Triple = (1.0, 0.7, 0.49)  # of the nods of a gesture
    nod_down: float = 0.6  # duration of a nod relative to the time of its lowest point
    nod_path: float = 1.2  # its path relative to its depth, with the lift
    nod_lift: float = 0.2  # ratio of the lift
    nod_bottom_s: float = 0.01  # time at the lowest point
    nod_back: float = 1.4  # duration of the return relative to it
    nod_slowing: float = 0.08  # nods become slower by this ratio per step


@dataclass(frozen=True)
class LookSettings:
    """How the head takes part in looks, and limits of its joints."""

    least_look_s: float = 0.15  # shortest fixation between two glances
    clear_s: float = 0.1  # no look away this near to a glance, a nod or a head shake
    stay_most_s: float = 1.3  # gaze stays for a nod or a shake, not for all of a long gesture
    phrase_early_s: float = 0.25  # a look away may begin before its phrase
    back_s: float = 0.15  # the gaze returns this long before a phrase ends
    head_vary: Pair = (0.9, 0.2)  # least factor of a head rotation's duration, random part
    idle_hz: Pair = (0.1, 0.45)  # band of the slow continuous waves
    joint_ratio: float = 0.95  # of the joints' ranges that is used
    joint_knee: float = 0.1  # transition to that limit


@dataclass(frozen=True)
class CueSettings:
    """How gestures and accents become cues of head, eyes and face."""

    accent_least: float = 0.45  # syllables with less prominence are no accents
    face: float = 0.7  # size of a brow or mouth movement of a lexeme
    face_s: tuple[float, ...] = (0.12, 0.25, 0.3, 0.4, 0.5)
    # Onset before the stroke, rise, hold after the stroke, shortest hold, fall.
    pose_gain: Pair = (0.8, 0.4)  # factor of a pose without accent, and more with one
    pose_s: Triple = (0.1, 0.45, 0.5)  # before the stroke, after it, shortest
    at_hand: float = 0.35  # speakers look at their own hands in fewer than one gesture in ten
    beyond: Triple = (1.2, 1.3, 1.2)  # a spot is this much farther away than the hand
    yaw_rad: float = 0.26  # farthest glance aside: a hand beyond is seen from the corner of the eye
    pitch_rad: Pair = (-0.26, 0.26)  # highest and lowest glance
    glance_s: Pair = (0.2, 0.45)  # onset before the stroke, shortest glance
    aside_deg: Pair = (16.0, 4.0)  # yaw to the acting side, pitch down of a glance aside
    up_deg: Pair = (12.0, -14.0)  # of a glance up
    away_deg: Pair = (-15.0, 6.0)  # of a glance away from the hand
    repeat_early_s: float = 0.25  # repetition of a head gesture before the script's time
    pose_end_s: float = 0.4  # return from its last pose
    brow_s: Triple = (0.2, 0.7, 0.4)  # rise, start of the fall, fall
    turn_most_deg: float = 19.0  # a profile's head yaw is to a person on stage; ours is less far


@dataclass(frozen=True)
class HeadSettings:
    """How head and eyes move. Amplitudes are those of recorded speakers unless noted.

    Parameters
    ----------
    side : -1 mirrors random directions left and right.
    liveliness : factor of the amplitudes of the head's own motion.
    gain : ratio of a look that the head takes (2008, section 6.4).
    steady : ratio of the rest of the chest's rotation that the neck undoes, besides `gain`.
    neck_ratio : ratio of the head's yaw that is the neck's, as in `motion.body.look_at`.
    neck_nod, neck_tilt : its ratio in nods and tilts. A look up or down is the head's alone.
    head_late_s : shortest and longest delay of the head after the eyes.
    head_s, head_s_per_deg, head_length_s : duration of a head rotation: `head_s`, and more per
        degree, within `head_length_s`.
    head_least_deg : the head does not follow the eyes to targets nearer than this.
    fixed_s : shortest and longest head rotation whatever its angle, at most up to the next look;
        None where it depends on the angle.
    eye_ease, eye_knee : the head follows so that the eyes do not stay beyond this ratio of their
        range for long, with a transition.
    glances : whether gestures attract the gaze.
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
    eyes : gaze and blinks.
    nods, looks, cues : shapes of single movements.
    """

    side: float = range_field(1.0, -1.0, 1.0)
    liveliness: float = range_field(1.0, 0.0, 3.0)
    gain: float = range_field(0.5, 0.0, 1.0)
    steady: float = range_field(0.9, 0.0, 1.0)
    neck_ratio: float = range_field(0.4, 0.2, 0.5)
    neck_nod: float = range_field(0.3, 0.0, 0.6)
    neck_tilt: float = range_field(0.45, 0.0, 0.6)
    head_late_s: tuple[float, float] = range_field((0.03, 0.06), 0.0, 1.0)
    head_s: float = range_field(0.25, 0.0, 2.0)
    head_s_per_deg: float = range_field(0.014, 0.0, 0.1)
    head_length_s: tuple[float, float] = range_field((0.25, 0.6), 0.1, 5.0)
    head_least_deg: float = range_field(15.5, 0.0, 40.0)
    fixed_s: tuple[float, float] | None = range_field(None, 0.05, 5.0)
    eye_ease: float = range_field(0.55, 0.3, 0.95)
    eye_knee: float = range_field(0.35, 0.01, 0.5)
    glances: bool = True
    posture_deg: tuple[float, float, float] = range_field((6.6, 8.2, 7.0), 0.0, 15.0)
    phrase_ratio: float = range_field(0.7, 0.0, 1.0)
    posture_every_s: tuple[float, float, float] = range_field((0.62, 0.65, 0.58), 0.25, 10.0)
    posture_overlap: float = range_field(1.6, 0.5, 2.0)
    rest_ratio: float = range_field(0.3, 0.0, 1.0)
    pause_s: float = range_field(0.5, 0.1, 60.0)
    pause_rest_s: float = range_field(0.9, 0.3, 10.0)
    idle_deg: float = range_field(1.0, 0.0, 5.0)
    nod_ratio: float = range_field(0.6, 0.0, 1.0)
    nods_per_s: float = range_field(0.9, 0.0, 2.0)
    nod_deg: float = range_field(5.2, 0.0, 15.0)
    nod_spread: float = range_field(0.6, 0.0, 1.0)
    nod_range_deg: tuple[float, float] = range_field((2.0, 17.0), 0.0, 25.0)
    nod_scatter_s: float = range_field(0.045, 0.0, 0.3)
    nod_apart_s: float = range_field(0.35, 0.2, 5.0)
    nod_around_s: float = range_field(1.5, 0.1, 60.0)
    nod_most_ratio: float = range_field(0.85, 0.0, 1.0)
    lift_first_ratio: float = range_field(0.45, 0.0, 1.0)
    lift_ratio: float = range_field(0.08, 0.0, 1.0)
    nod_thrust_m: float = range_field(0.0, 0.0, 0.05)
    verdict_ratio: float = range_field(0.5, 0.0, 1.0)
    verdict_deg: float = range_field(5.0, 0.0, 15.0)
    verdict_s: float = range_field(0.4, 0.1, 5.0)
    verdict_back_s: float = range_field(0.7, 0.1, 5.0)
    question_deg: float = range_field(6.5, 0.0, 15.0)
    question_tilt_deg: float = range_field(4.0, 0.0, 15.0)
    question_early_s: float = range_field(0.6, 0.0, 5.0)
    question_s: float = range_field(0.5, 0.1, 5.0)
    question_back_s: float = range_field(0.7, 0.1, 5.0)
    question_near_s: float = range_field(0.35, 0.0, 5.0)
    pose_s: float = range_field(0.35, 0.1, 2.0)
    most_deg_s2: float = range_field(1500.0, 200.0, 100000.0)
    nod_bottom_s: float = range_field(0.3, 0.1, 1.0)
    nods_every_s: float = range_field(0.46, 0.2, 5.0)
    shake_first_s: float = range_field(0.2, 0.1, 1.0)
    shake_hz: tuple[float, float] = range_field((1.2, 2.3), 0.3, 4.0)
    eyes: EyeSettings = field(default_factory=EyeSettings)
    nods: NodSettings = field(default_factory=NodSettings)
    looks: LookSettings = field(default_factory=LookSettings)
    cues: CueSettings = field(default_factory=CueSettings)

    def __post_init__(self) -> None:
        check_bounds(self)


PAPER_HEAD = HeadSettings(
    steady=0.0,
    liveliness=0.0,
    head_late_s=(0.0, 0.0),
    head_least_deg=0.0,
    fixed_s=(0.2, 0.3),
    eye_ease=0.95,
    eye_knee=1.0 - 0.95,
    glances=False,
    idle_deg=0.0,
    eyes=EyeSettings(gaze=PAPER_GAZE),
    cues=CueSettings(turn_most_deg=180.0),
)
"""Only the head motion of Neff, Kipp, Albrecht and Seidel (2008) and of gestures: `gain` of every
look, in `fixed_s` or up to the next look. The eyes add the rest."""
