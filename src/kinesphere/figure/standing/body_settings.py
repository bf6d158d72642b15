"""Constants of a standing body that are alike in all people; `stance` has those that differ."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from functools import lru_cache

import numpy as np

from kinesphere.maths.arrays import Floats, read_only


@dataclass(frozen=True)
class BodySettings:
    """How weight, feet, pelvis and spine move; the compiled loop reads the fields in this order.

    Measured on standing speakers of 1.75 m. "Share" is the part of the weight on the left foot.
    """

    shift_s: float = 0.2  # time constant of each of the three lags of a weight shift: 1 s in all
    shift_spread: float = 0.22  # spread (log) of that time from shift to shift
    dwell_s: float = 0.55  # least time between two shifts
    silent_rate: float = 0.6  # ratio of shifts and steps that are left in silence
    hands_rate: float = 1.1  # more shifts per m/s of hand speed above the usual speed
    usual_m_s: float = 0.35  # speed of hands at which the rate is the stance's
    to_other: float = 0.8  # ratio of shifts that go to the other foot
    to_hand: float = 0.2  # ratio of shifts that go to the side of the higher hand instead
    higher_m: float = 0.06  # least difference of heights of the hands for that
    least_dev: float = 0.35  # least ratio of the stance's largest deviation of a share
    free_share: float = 0.33  # a foot with less weight is free to move
    step_s: float = 0.4  # duration of a step of no length
    step_s_per_m: float = 0.9  # and more per metre
    step_apart_s: float = 0.8  # least time between two moves of the feet
    follow_s: float = 0.12  # the weight follows a moved foot this long after it was lifted
    step_lift_m: float = 0.018  # clearance of a stepping foot
    step_lift_per_m: float = 0.12  # and more per metre
    step_heel_rad: float = 0.4  # heel-first lift of a stepping foot
    pivot_rad: float = 0.16  # typical turn of an adjusted foot
    pivot_s: float = 0.3  # duration of an adjustment
    pivot_m: float = 0.02  # typical displacement of one
    turned_rate: float = 3.0  # more steps per radian between the feet's heading and the pelvis
    heel_s: float = 0.06  # time constant of each of two lags of a heel that is lifted or put down
    heel_rad: float = 0.28  # typical lift of a heel at rest
    heel_stay_s: float = 1.0  # for how long
    narrow_m: float = 0.19  # closest ankles
    wide_m: float = 0.42  # and farthest
    forward_m: float = -0.02  # of the hips from the middle of the soles
    reach: float = 0.9995  # of the length of a leg, never quite straight
    soft_m: float = 0.005  # smooth minimum of the two legs' heights
    spine_roll_per_m: float = 0.65 * 1.745  # the chest leans over the standing leg, radians
    pelvis_yaw_head: float = 0.72  # ratio of the chest's following of the head that is the pelvis's
    head_s: float = 0.07  # time constant of each of two lags of that following
    feet_yaw: float = 0.15  # ratio of the feet's heading that the pelvis has
    twist_rad: float = 0.55  # largest yaw of the pelvis on the feet
    spine_with_pelvis: float = 0.12  # ratio of the pelvis's yaw that the spine adds
    hands_s: float = 0.11  # time constant with which the trunk follows the hands
    spine_yaw_hands: float = -0.38  # radians per metre by which the left hand is farther ahead
    spine_pitch_hands: float = 0.16  # per metre of both hands' forward reach, summed
    pelvis_pitch_hands: float = -0.17  # the pelvis tips back under a forward reach
    spine_pitch_rise: float = -0.06  # leaning back per metre of both hands' rise, summed
    hips_rise: float = 0.006  # metres of the hips per metre of both hands' rise, summed
    rest_ahead_m: float = 0.26  # forward positions of hands at rest, summed
    rest_high_m: float = -0.96  # heights of hands at rest, summed
    spine_upright: float = 0.55  # ratio of the pelvis's pitch that the spine undoes
    silent_level: float = 0.5  # ratio of the trunk's own motion that is left in silence
    quiet_pace: float = 0.2  # pace of that motion while the hands are still
    breath_hz: float = 0.25  # 15 breaths a minute
    breath_rad: float = 0.014  # backward bend of the spine
    collar_rad: float = 0.023  # rise of the collar bones
    nod_first_s: float = 6.0  # shortest time between two nods or tilts of a listener
    nod_last_s: float = 15.0  # and longest
    nod_rad: float = 0.045  # their size, small: they are not triggered by speech
    tilt_rad: float = 0.05
    head_rad: float = 0.022  # RMS of a listener's head, pitch and roll
    head_yaw_rad: float = 0.03  # and yaw
    head_first_s: float = 3.0  # shortest time between two postures of a listener's head
    head_last_s: float = 8.0  # and longest
    head_move_s: float = 0.8  # duration of the change, unhurried
    head_pose_pitch: float = 0.03  # spread of these postures, radians
    head_pose_yaw: float = 0.06
    head_pose_roll: float = 0.045
    head_looks: float = 0.7  # ratio of a look aside that a listener's head makes along
    speed_s: float = 0.15  # time constant with which the hands' speed is watched
    pace_s: float = 0.16  # and with which the pace of the body's own motion follows it
    most_pace: float = 1.6  # fastest pace
    least_share: float = 0.06  # of the weight on either foot
    fore_most_m: float = 0.055  # farthest fore and aft
    least_knee_rad: float = 0.05  # never quite straight
    sway_side_m: float = 0.004  # RMS of the sway of everybody who stands, whatever they do
    sway_fore_m: float = 0.006
    heel_most_rad: float = 0.5  # highest lift of a heel
    silent_follow: float = 0.4  # ratio of the chest's following of the head in silence
    ankle_rad: float = 0.35  # a shin that leans farther ahead than this lifts the heel
    ankle_ease_rad: float = 0.02  # with this transition
    stagger_m: float = 0.17  # a step ends no farther ahead of the other foot, nor behind it


PAPER_BODY = BodySettings(
    forward_m=-0.0427,
    sway_side_m=0.0,
    sway_fore_m=0.0,
    spine_with_pelvis=0.0,
    feet_yaw=0.0,
    twist_rad=1e3,
)
"""Hips as in the rest pose, which do only what is asked (2008, chapter 6)."""


@lru_cache(maxsize=16)
def settings_row(settings: BodySettings) -> Floats:
    """The settings as numbers for the compiled loop."""
    row: Floats = read_only(np.array(astuple(settings), dtype=np.float64))
    return row
