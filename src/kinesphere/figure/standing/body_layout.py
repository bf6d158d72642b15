"""Order of the numbers that the compiled loops of a body read and write.

Settings and stances are in the order of the fields of their classes (a test compares).
"""

from __future__ import annotations

import math

CELL_S = 0.1
"""Random decisions are made once in a cell of time of this length."""
TURN = 2.0 * math.pi
LIFTED = 0.14
"""Ratio of a step before and after which the foot is lifted but does not move."""
SOLE = 0.45
"""The middle of the sole is this ratio of the way from ankle to ball."""

WAVES = 6
COLUMNS = 15
(
    WAVE_DRIFT,
    WAVE_FORE,
    WAVE_BOB,
    WAVE_YAW,
    WAVE_PITCH,
    WAVE_ROLL,
    WAVE_SPINE_YAW,
    WAVE_SPINE_PITCH,
    WAVE_SPINE_ROLL,
    WAVE_KNEE,
    WAVE_HEAD_PITCH,
    WAVE_HEAD_ROLL,
    WAVE_SWAY_SIDE,
    WAVE_SWAY_FORE,
    WAVE_HEAD_YAW,
) = range(COLUMNS)
BANDS_HZ = (
    (0.08, 0.5),
    (0.1, 0.7),
    (0.5, 2.5),
    (0.1, 0.8),
    (0.15, 1.0),
    (0.12, 0.9),
    (0.15, 0.9),
    (0.15, 1.0),
    (0.1, 0.8),
    (0.15, 0.9),
    (0.12, 0.75),
    (0.12, 0.75),
    (0.15, 0.75),
    (0.15, 0.75),
    (0.1, 0.6),
)
"""Least and highest frequency of each column's waves, as measured: a memory of about a second."""

# Targets of a frame: how much the person speaks; left and right wrist in the chest frame; wanted
# rotation of pelvis and spine (pitch, yaw, roll about the axes); the head's yaw; hips' offset from
# the middle of the ankles that another source asks for, and how much of the engine's own weight
# shifts there is; how much the person listens; ratio of the head's turn that the chest follows; the
# look (yaw, pitch) that a listener's head takes part in.
TARGETS = 22
SPEAKS, LEFT, RIGHT, PELVIS, SPINE, HEAD_YAW, OFFSET, OWN, LISTENS = 0, 1, 4, 7, 10, 13, 14, 17, 18
WITH_HEAD, LOOK = 19, 20

# A pose: hips, rotation vectors of pelvis and spine, rise of the collar bones, turn of the
# listener's head (pitch, yaw, roll), then for each foot its ankle's position, yaw, heel lift and
# that of the toes.
POSE = 25
HIPS, PELVIS_TURN, SPINE_TURN, COLLAR, NOD_TURN, FEET = 0, 3, 6, 9, 10, 13
FOOT = 6

# State of a foot: where it was, where it goes (x, z, yaw), when and for how long, its lift and heel
# lift on the way, heel at rest, the wanted one and until when, its lag.
FOOT_STATE = 14
(
    FOOT_X0,
    FOOT_Z0,
    FOOT_A0,
    FOOT_X1,
    FOOT_Z1,
    FOOT_A1,
    FOOT_AT_S,
    FOOT_LONG_S,
    FOOT_LIFT,
    FOOT_HEEL_UP,
    FOOT_HEEL,
    FOOT_HEEL_GOAL,
    FOOT_HEEL_S,
    FOOT_HEEL_LAG,
) = range(FOOT_STATE)

# State of a character: two feet, then the wanted share of the weight on the left foot and its lags,
# their time constant, times of the last shift, cell, shift that is due and foot move, lags of the
# head's yaw, of the hands' reach, difference and rise, their speed; whether there was a frame; the
# wrists of the last one (six numbers); the clock of the body's own motion, how active
# it is, and the share that the weight travels to.
(
    AT_GOAL,
    AT_S1,
    AT_S2,
    AT_S3,
    AT_TAU,
    AT_SHIFTED_S,
    AT_CELL,
    AT_DUE_S,
    AT_DUE,
    AT_MOVED_S,
    AT_H1,
    AT_H2,
    AT_AHEAD,
    AT_APART,
    AT_RISE,
    AT_SPEED,
    AT_SEEN,
) = range(2 * FOOT_STATE, 2 * FOOT_STATE + 17)
AT_HANDS = AT_SEEN + 1
AT_CLOCK = AT_HANDS + 6
AT_ACTIVE = AT_CLOCK + 1
AT_WANTED = AT_ACTIVE + 1
MEMORY = AT_WANTED + 1

# Numbers of `BodySettings`.
(
    K_SHIFT_S,
    K_SHIFT_SPREAD,
    K_DWELL_S,
    K_SILENT_RATE,
    K_HANDS_RATE,
    K_USUAL_M_S,
    K_TO_OTHER,
    K_TO_HAND,
    K_HIGHER_M,
    K_LEAST_DEV,
    K_FREE_SHARE,
    K_STEP_S,
    K_STEP_S_PER_M,
    K_STEP_APART_S,
    K_FOLLOW_S,
    K_STEP_LIFT_M,
    K_STEP_LIFT_PER_M,
    K_STEP_HEEL_RAD,
    K_PIVOT_RAD,
    K_PIVOT_S,
    K_PIVOT_M,
    K_TURNED_RATE,
    K_HEEL_S,
    K_HEEL_RAD,
    K_HEEL_STAY_S,
    K_NARROW_M,
    K_WIDE_M,
    K_FORWARD_M,
    K_REACH,
    K_SOFT_M,
    K_SPINE_ROLL_PER_M,
    K_PELVIS_YAW_HEAD,
    K_HEAD_S,
    K_FEET_YAW,
    K_TWIST_RAD,
    K_SPINE_WITH_PELVIS,
    K_HANDS_S,
    K_SPINE_YAW_HANDS,
    K_SPINE_PITCH_HANDS,
    K_PELVIS_PITCH_HANDS,
    K_SPINE_PITCH_RISE,
    K_HIPS_RISE,
    K_REST_AHEAD_M,
    K_REST_HIGH_M,
    K_SPINE_UPRIGHT,
    K_SILENT_LEVEL,
    K_QUIET_PACE,
    K_BREATH_HZ,
    K_BREATH_RAD,
    K_COLLAR_RAD,
    K_NOD_FIRST_S,
    K_NOD_LAST_S,
    K_NOD_RAD,
    K_TILT_RAD,
    K_HEAD_RAD,
    K_HEAD_YAW_RAD,
    K_HEAD_FIRST_S,
    K_HEAD_LAST_S,
    K_HEAD_MOVE_S,
    K_HEAD_POSE_PITCH,
    K_HEAD_POSE_YAW,
    K_HEAD_POSE_ROLL,
    K_HEAD_LOOKS,
    K_SPEED_S,
    K_PACE_S,
    K_MOST_PACE,
    K_LEAST_SHARE,
    K_FORE_MOST_M,
    K_LEAST_KNEE_RAD,
    K_SWAY_SIDE_M,
    K_SWAY_FORE_M,
    K_HEEL_MOST_RAD,
    K_SILENT_FOLLOW,
    K_ANKLE_RAD,
    K_ANKLE_EASE_RAD,
    K_STAGGER_M,
) = range(76)

# Numbers of a `Stance`.
(
    STANCE_WIDTH_M,
    STANCE_STAGGER_M,
    STANCE_LEFT_OUT,
    STANCE_RIGHT_OUT,
    STANCE_MIDDLE,
    STANCE_SHIFTS_PER_MIN,
    STANCE_SHIFT_DEV,
    STANCE_STEPS_PER_MIN,
    STANCE_STEP_M,
    STANCE_PIVOTS_PER_MIN,
    STANCE_HEELS_PER_MIN,
    STANCE_DRIFT,
    STANCE_FORE_M,
    STANCE_BOB_M,
    STANCE_YAW,
    STANCE_PITCH,
    STANCE_ROLL,
    STANCE_SPINE_YAW,
    STANCE_SPINE_PITCH,
    STANCE_SPINE_ROLL,
    STANCE_ROLL_PER_M,
    STANCE_YAW_PER_M,
    STANCE_KNEE,
    STANCE_KNEE_WANDER,
    STANCE_WITH_HEAD,
    STANCE_HIP_UP,
) = range(26)

# Numbers of the figure's legs: hip joint from the hips (x, y, z) for the left one, lengths of thigh
# and shin, height and position z of the ankle, ball of the foot from the ankle (y, z).
LEGS = 9
(
    LEG_HIP_X,
    LEG_HIP_Y,
    LEG_HIP_Z,
    LEG_THIGH,
    LEG_SHIN,
    LEG_ANKLE_Y,
    LEG_ANKLE_Z,
    LEG_BALL_Y,
    LEG_BALL_Z,
) = range(LEGS)
