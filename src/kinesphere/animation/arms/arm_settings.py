"""Settings of hands and arms by group; `animation.settings.ActingSettings` contains one of each.

Directions are (out, up, forward) of a hand, ratios have no unit. Random numbers are multiplied by
spreads.
"""

from __future__ import annotations

from dataclasses import dataclass

Pair = tuple[float, float]
Triple = tuple[float, float, float]


@dataclass(frozen=True)
class BeatSettings:
    """Motion between gestures: holds, settling, small beats, stirring at rest."""

    drift_way: Triple = (0.35, -0.75, 0.4)  # held hands sink; spread aside and forward
    drift_most_s: float = 1.5  # no farther than in this time
    shown_drift: float = 0.4  # ratio of it where the form of the hand is what is shown
    syllable_reach: float = 0.16  # a peak moves to a syllable within this ratio of the movement
    syllable_looseness: float = 0.6  # ratio of `looseness_s` that remains there
    peak_range: Pair = (0.34, 0.68)  # ratios of a movement between which its peak stays
    settle_before_s: float = 0.1  # settling ends this long before the next movement
    settle_least_m: float = 0.02  # settling of no duration
    settle_target: float = 0.55  # ratio of the next pose in the goal, the rest is half-rest
    settle_size: Pair = (0.8, 0.4)  # least ratio of the distance, and its random part
    settle_turn: float = 0.6  # ratio by which the angles follow the position
    settle_peak: float = 0.46  # ratio of the movement at which it is fastest
    aside: float = 0.6  # ratio of the unused distance for a movement aside
    aside_way: Triple = (0.8, 1.0, 0.5)  # spread of its direction
    drop_ratio: float = 0.92  # duration of a drop relative to a lift
    lift_least: float = 0.8  # shortest lift relative to the usual one
    early_per_s: float = 0.6  # strength by which a syllable must exceed one that is 1 s earlier
    unheard_beat: Pair = (0.1, 0.2)  # delay in seconds and strength of a beat without a syllable
    slow_lift: Pair = (1.6, 0.7)  # slower lifts are larger: largest factor of time, its power
    least_gap_s: float = 0.1  # gaps of less have no progress towards a target
    strength_size: Pair = (0.75, 0.5)  # size without prominence, and more per prominence
    weaker: float = 0.5  # largest ratio by which one hand's beat is smaller
    hanging: float = 0.3  # factor of the beats of a hand that hangs
    apart_s: float = 2.6  # least time between two beats that no gesture asked for
    scatter: float = 0.15  # spread of a beat relative to its size
    towards: Pair = (0.5, 0.35)  # ratio towards a target over a gap: position, angles
    together_way: Triple = (0.4, 1.0, 1.0)  # hands that hold each other move less to the side
    wrist_deg: float = 9.0  # spread of the hand's angles
    wrist_scatter: Triple = (0.6, 0.5, 0.4)  # ratio of it for roll, flexion, deviation
    lift_share: float = 0.62  # ratio of a beat's way above the base
    drop_share: float = 0.38  # and below it
    lift_deg: Triple = (0.0, -11.0, 3.0)  # roll, flexion, deviation of a lifted hand
    drop_deg: Triple = (0.0, 7.0, -3.0)  # and of a dropped one: the wrist follows through
    way: Triple = (0.45, -0.85, 0.3)  # direction of a drop: mostly down
    way_spread: Triple = (0.45, 0.25, 0.35)  # sometimes out or forward
    up_m: Pair = (-0.52, -0.06)  # volume of beats in the chest frame: below the head
    out_m: float = 0.42  # at most this far outward
    ahead_m: Pair = (0.1, 0.42)  # before the body
    hanging_m: float = -0.4  # lower hands may be beside the body
    least_rest_s: float = 0.05  # a shorter rest is none
    still_vary: Pair = (0.3, 1.0)  # ratios of `still_s` between which a stillness lasts
    half_rest_still: float = 0.4  # ratio of it with the hands half-way up
    stir_common: float = 0.6  # ratio of a stir that both hands share
    stir_way: Triple = (0.6, 0.8, 0.8)  # less to the side
    stir_size: float = 0.6  # relative to a beat
    stir_m_s: float = 0.22  # a stir is no faster
    stir_to_rest: float = 0.7  # ratio of the way back to the rest pose
    wait_s: Pair = (1.4, 3.4)  # hands at rest in silence are put a little differently after this
    wait_moves_s: Pair = (0.7, 1.3)  # in this time
    wait_m: float = 0.03  # by up to this much
    wait_change_s: float = 6.0  # and go to another rest pose after this time at the earliest
    wait_change: float = 0.5  # ratio of the later movements that do
    wait_both_m: float = 1.5  # a change of rest pose takes this times the duration law
    half_moves: float = 0.7  # chance that a hand is among those that move
    other_moves: float = 0.2  # and by this ratio the other one does
    together_moves: float = 0.3  # and hands that hold each other
    other_rest_least: float = 0.3  # a farther rest is likelier by its distance times this, or more
    wait_ends_s: float = 1.6  # no such movement begins this near to the end of a silence


@dataclass(frozen=True)
class StrokeSettings:
    """Gestures with both hands: preparations, strokes, the other hand, retractions."""

    arc_way: Triple = (0.7, 0.5, 0.4)  # paths bulge out and up rather than in and down
    arc_way_spread: float = 0.7  # of that direction
    arc_most: float = 0.4  # highest arc relative to its chord
    rise_arc: float = 1.25  # factor of the arc of a preparation from rest
    stroke_arc: float = 0.05  # arc of a stroke whose form says nothing
    curved_arc: float = 0.14  # of one that the script calls curved
    straightened: float = 0.4  # ratio of a lexeme's own arc where the script says straight
    mood: Pair = (0.7, 0.7)  # ratio of the other hand's tendency that stays, spread of the change
    hangs_below: float = -0.9  # tendency (of unit spread) below which the other hand hangs
    held_above: float = 1.0  # and above which it stays where it is
    hang_answer: float = 0.15  # factor of `answer` then
    silent_answer: float = 0.35  # factor of `answer` without speech
    shown_answer: float = 0.8  # and where the form of the acting hand is what is shown
    answer_most: float = 0.75  # largest ratio of the other hand
    answer_turn: float = 0.3  # ratio by which its angles follow
    lowered: float = 0.7  # ratio by which it is lowered where it would be high
    lead_margin_s: float = 0.02  # a rest ends this much before the preparation's duration
    lead_ratio: float = 1.1  # time kept free for a preparation, relative to its duration
    wait_margin_s: float = 0.1  # added to `wait_s`
    least_prep_s: float = 0.05  # a shorter preparation is none
    prep_skew: float = 0.03  # peak of speed after the middle of a preparation within a unit
    prep_peak: Pair = (0.35, 0.7)  # ratios between which it stays
    prep_peak_spread: float = 0.05  # its spread
    quickest: float = 0.82  # shortest duration relative to the duration law
    sudden: float = 0.45  # Time Effort: a Sudden stroke is shorter by this power of two
    most_late_s: float = 0.4  # a stroke with a long path ends at most this much later
    repeat_speeds: Pair = (0.6, 4.0)  # fastest after-strokes, m/s and rad/s (section 6.5.3)
    home_quickest: float = 0.6  # shortest retraction relative to its duration law
    home_peak: Pair = (0.3, 0.5)  # ratios between which its peak of speed stays
    home_peak_spread: float = 0.04  # its spread
    home_way: Triple = (0.0, -0.6, 0.3)  # hands go home in an arc below the chord
    behind_via_m: tuple[Triple, Triple] = ((0.33, -0.44, 0.02), (0.22, -0.44, -0.2))
    # Positions of a left wrist on its path behind the back: beside the hip, then behind it.
    shown_hold_s: float = 0.4  # longest hold of an emblem or iconic at the end of a unit
    short_pause_s: float = 1.0  # in shorter pauses the hands stay half-way up
    phrase_left_s: float = 2.5  # hands stay up to the end of a phrase that is this near
    home_late_s: float = 0.3  # a retraction may end this much after the phrase
    home_near_s: float = 0.5  # it ends with a phrase that ended this long before it


@dataclass(frozen=True)
class TimingSettings:
    """Times of strokes and after-strokes."""

    peak_spread: float = 0.05  # of the ratio at which a stroke is fastest
    peak_range: Pair = (0.3, 0.75)  # ratios between which it stays
    stroke_s: Pair = (0.14, 0.9)  # shortest and longest stroke, besides the script's own duration
    written_least_s: float = 0.1  # a shorter duration in the script counts as this
    circle_least_s: float = 0.5  # shortest circle
    most_loose: float = 2.2  # largest deviation from a syllable in units of `looseness_s`
    prep_s: float = 0.2  # least time between a stroke and the next, if that has a preparation
    waits: bool = True  # whether a stroke waits until the hand is free; else the script's times
    shortened: float = 0.35  # largest ratio by which a stroke that waits is shortened
    repeat_least_s: float = 0.46  # shortest repetition
    repeat_ratio: float = 0.8  # its duration relative to the duration law
    repeat_early_s: float = 0.08  # its peak is this long before its end
    repeat_reach_s: float = 0.14  # it moves to a syllable within this time
    repeat_late_s: float = 0.07  # its end is this long after the syllable
    shares: Triple | None = (0.42, 0.42, 0.16)  # of preparation, stroke, hold; None: the lexeme's


@dataclass(frozen=True)
class PalmSettings:
    """Positions of the palms at the start and end of strokes, in the chest frame."""

    agrees: float = 0.25  # least cosine between a lexeme's path and the script's to average them
    least_path_m: float = 0.03  # a shorter stroke gets a path of its own
    least_drop_m: float = 0.06  # which is this far down
    parallel_m: float = 0.17  # sideways path of two hands that move in parallel
    most_gain: float = 1.45  # largest emphasis of a path
    apart_m: float = 0.11  # least distance of palms that are not meant to touch
    above_m: float = 0.06  # least height difference of hands that cross
    aside_m: float = 0.04  # least distance to the side
    raised_m: float = -0.25  # hands above this height stay before the body
    before_m: float = 0.1  # by this much
    behind_m: float = -0.02  # lower ones that touch nothing are at most this far behind
    chin_m: float = -0.02  # no forearm before the face: height of the chin
    crossed_m: float = 0.06  # hands less far out than this would be before it
    beside_face_m: float = 0.19  # raised hands are this far out
    beside_m: float = 0.045  # two hands at one position are put this far from its middle
    outward_m: float = 0.225  # forearms point ahead: hands that show no form are farther out
    outward_to_m: float = 0.45  # up to here
    shown_loose: float = 0.5  # ratio of both for a single hand that shows something
    uneven_m: Triple = (0.05, 0.075, 0.05)  # spread of the difference between two such hands
    aim_deg: float = 9.0  # tolerance of hands that point
    emphasis: Pair = (0.92, 0.45)  # factor of a path without accent, and more per accent
    fingers_deg: Pair = (1.5, 4.0)  # spread of finger angles: of shown forms, of others
    fingers_alike: Pair = (0.8, 0.4)  # ratio of it in common, and of each finger
    knuckles: Triple = (0.9, 1.0, 0.6)  # ratio of it for each joint of a finger
    fingers_least_deg: float = -8.0  # largest extension


@dataclass(frozen=True)
class TrackSettings:
    """From events to tracks: overlap, lag, anticipation, overshoot, circles and oscillations."""

    key_slopes: Pair | None = None  # (0, 0) stops at every key
    lag_ratio: float = 0.6  # ratio of `lag_s` of a hand that acts alone
    both_lag: float = 0.5  # where both act it is divided by this
    most_lag: float = 1.5  # largest lag in units of its spread
    least_s: float = 0.05  # shortest movement of a wrist
    least_part_s: float = 0.06  # and of the other parts
    least_offset_s: float = 0.03  # and of a layer
    close_s: float = 0.05  # events less apart than this continue into each other
    windup: float = 0.06  # anticipation of a strong stroke relative to its path
    windup_path_m: float = 0.15  # shorter strokes have none
    windup_weight: Pair = (0.05, 0.3)  # least Weight Effort, and what is added to it as a factor
    windup_s: Pair = (0.11, 0.05)  # it begins before and ends after the stroke's start
    windup_back: float = 0.7  # ratio of the stroke in which it is made up for
    overshoot: tuple[tuple[str, float], ...] = (("hit", -0.07), ("whip", 0.06), ("ease", 0.015))
    # Overshoot by the stroke's speed profile, as a ratio of its path.
    overshoot_flow: float = 0.02  # more for Free flow
    overshoot_from: float = 0.35  # ratio of a stroke before its end at which it begins
    overshoot_join_s: float = 0.02  # overlap with the return
    return_s: float = 0.2  # duration of the return
    return_vary: Pair = (0.9, 0.4)  # its least factor, and the random part
    via_overlap: float = 0.5  # ratio of the shorter of two steps on one path by which they overlap
    part_late_s: float = 0.03  # spread of the other parts' delay after the wrist
    fingers_from: float = 0.3  # a hand shape is formed from this ratio of a preparation on
    fingers_within: float = 0.7  # and in this last ratio of a stroke
    flick_s: float = 0.1  # hands that open or close in a quick stroke do so at its end
    fingers_late_s: float = 0.02  # delay of the fingers
    swivel_deg_s: float = 190.0  # largest mean speed of the elbow's swivel
    swivel_peak: float = 1.9  # peak of a step's speed relative to its mean
    circle_start_deg: float = -165.0  # where a circle begins
    circle_deg: float = 240.0  # angle of one without repetitions
    circle_m_s: float = 0.75  # highest speed of a hand that moves in circles
    circle_in_s: Pair = (0.4, 0.04)  # the layer fades in from before until after the stroke's start
    circle_out_s: float = 0.5  # and out after it
    circle_hand_deg: Triple = (0.0, 14.0, 8.0)  # the hand follows: roll, flexion, deviation
    circle_hand_late_s: float = 0.06  # with this delay
    wave_spread: float = 0.1  # spread of an oscillation's amplitude


@dataclass(frozen=True)
class SamplingSettings:
    """Sampled hands: drift of held hands, limits of wrist, fingers and reach."""

    drift_m: float = 0.0035  # RMS of a held hand's drift; 0 for none
    own_m: Triple = (0.009, 0.01, 0.009)  # RMS of each hand's own slow departure from the pair
    own_hz: Pair = (0.04, 0.2)  # its band
    drift_hz: Pair = (0.3, 1.4)  # its band
    drift_deg: Triple = (1.6, 1.6, 0.9)  # of roll, flexion, deviation
    fingers_deg: float = 2.2  # of the finger angles
    fingers_hz: Pair = (0.15, 0.7)  # their band
    drags: bool = True  # whether hands lag behind their forearms
    touch_s: float = 0.1  # hands that touch drift together; transition to it
    follow_s: float = 0.15  # hands that touch the head go with it; transition to it
    follow_m: float = 0.06  # at most so far: a head turned away from its hand leaves it
    wrist_deg: tuple[Pair, Pair] = ((-65.0, 74.0), (-32.0, 23.0))
    # Flexion and deviation: a little inside the joint's limits, and outside the ones that poses are
    # solved for, so that solved poses are unchanged.
    wrist_ease: Pair = (0.9, 0.1)  # ratio of the range that is unchanged, and the smooth rest
    finger_least_deg: float = -8.0  # largest extension of a finger's joints
    finger_most_deg: Triple = (88.0, 108.0, 84.0)  # largest flexion, from the palm outward
    fan_deg: tuple[float, float, float, float] = (4.0, 0.0, 4.0, 9.0)  # spread at rest by finger
    fan_most_deg: float = 24.0  # largest spread of a straight finger
    knuckle_deg: Pair = (95.0, 45.0)  # flexion and extension at which no spread is left
    reach: Pair = (0.985, 0.02)  # longest reach as a ratio of the arm, and transition in metres
    folded_m: Pair = (0.19, 0.015)  # shortest distance to the shoulder, and transition
    past_m: float = 0.2  # a path that would lead nearer to the shoulder bends forward
    hanging_m: Pair = (0.38, 0.15)  # hands this far below the shoulders hang; transition above
    ahead_m: float = 0.03  # raised hands are at least this far forward


@dataclass(frozen=True)
class RestSettings:
    """Random variation of rest poses."""

    apart_m: Pair = (0.01, 0.03)  # least and largest difference of both hands together
    turned_deg: Pair = (4.0, 8.0)  # likewise of angles
    shift_m: Triple = (0.006, 0.006, 0.003)  # spread of hands that hold each other, as a pair
    together: float = 0.25  # ratio of a rotation of hands that hold each other
    way: Triple = (0.4, 1.0, 0.8)  # smaller outward: hands at rest lie against the body
    fingers_deg: float = 3.0  # spread of the fingers
    knuckles: Triple = (1.0, 0.8, 0.4)  # ratio of it for each joint of a finger
    gives_m: float = 0.003  # hands lie on the skin and cloth is compressed: allowed penetration


@dataclass(frozen=True)
class TouchSettings:
    """Positions and tolerances of contacts on the default figure, in the chest frame."""

    close_m: float = 2e-4  # a gap is closed within this
    tight_deg: float = 6.0  # tolerance of directions
    wide_deg: float = 20.0  # of fingertips on the chest, which need a comfortable wrist
    before_chest_m: Triple = (0.0, -0.145, 0.27)  # where palms meet
    tip_m: Pair = (0.01, -0.115)  # out and up from where fingertips touch the chest
    palm_m: Pair = (0.025, -0.105)  # and palms
    from_m: float = 0.4  # the chest is searched from this far forward
    start_m: Pair = (0.2, 0.08)  # first position of the palm: behind that, and its distance to tips
    head_m: Pair = (0.01, 0.004)  # gap of a fingertip at the head, and of a hand that lies on it
    head_step: float = 0.6  # ratio of the error that is corrected in a round
    head_step_m: float = 0.03  # largest step towards the head or away from it
    head_palm_m: float = 0.12  # first distance of the palm from what its fingertip touches
    head_from_m: tuple[tuple[str, Triple], ...] = (
        ("temple", (0.3, 0.1, 0.045)),
        ("ear", (0.3, 0.09, 0.025)),
        ("cheek", (0.3, 0.055, 0.05)),
        ("mouth", (0.0, 0.018, 0.4)),
        ("chin", (0.01, -0.03, 0.4)),
        ("brow", (0.045, 0.118, 0.4)),
    )  # points of the head are searched from here, in its frame: inward or, from before it, back
    turned_over_deg: float = 18.0  # rotation of one palm over the other
    palms_m: float = 0.03  # first distance of the palms
    thumb_deg: float = 45.0  # thumbs next to flat hands
    # Interlaced hands, found by searching for the deepest position without penetration.
    mesh_apart_m: float = 0.045  # half the distance between the rows of knuckles
    mesh_above_m: float = 0.008  # height of one hand above the middle
    mesh_ahead_m: float = 0.06  # knuckles before the meeting point
    knuckles_m: float = 0.042  # from the palm to them
    mesh_yaw_deg: float = 25.0  # how far the fingers point in
    mesh_pitch_deg: float = 6.1  # and up
    mesh_tolerance_deg: float = 0.5  # interlaced fingers fit in one position only
    mesh_swivel_deg: float = 40.0  # elbows out
    mesh_deg: tuple[float, ...] = (
        *(-5.0, 60.0, 33.0) * 4,
        *(6.7, 0.0, 10.9, 9.1, 38.8, 25.9, 26.4, 35.0, 41.0),
    )  # finger angles
    support_m: Triple = (0.09, -0.2, 0.25)  # palm of a hand whose fingers are counted
    support_deg: Pair = (15.0, 30.0)  # its tolerance, and the swivel of its elbow
    watch_m: Triple = (0.02, -0.2, 0.26)  # palm of a hand whose wrist is shown
    watch_deg: Pair = (15.0, 45.0)  # its tolerance, and the swivel of its elbow
    watch_skin_m: Pair = (0.015, 0.024)  # skin of the wrist: up the forearm, above the joint
    count_m: Pair = (0.05, 0.11)  # first position of the counting palm: above, behind the finger
    count_step: float = 0.7  # ratio of the gap that is closed in a round
    drape_deg: Pair = (-18.0, 45.0)  # how far fingers extend and bend to lie on the body
    drape_knuckles: Triple = (1.0, 0.6, 0.3)  # the last joints bend less than the first


@dataclass(frozen=True)
class ContactDistances:
    """Distances that the hands of a performance keep."""

    skin_m: float = 0.013  # points in the middle of a hand from the body's skin
    on_skin_m: float = 0.004  # where a gesture touches the body
    hands_m: float = 0.012  # gap between hands
    held_m: float = -0.005  # skin is compressed where hands hold each other
    met_m: float = -0.02  # hands that a gesture lets touch are posed like that; fingers may brush


@dataclass(frozen=True)
class PaperSettings:
    """Times of Neff, Kipp, Albrecht and Seidel (2008), chapter 6, for the paper's rules only."""

    prep_s: float = 0.4  # preparation within a unit (eq. 6.1)
    rest_prep_s: float = 0.8  # preparation from rest
    home_s: float = 0.8  # retraction
    least_home_s: float = 0.5  # shortest gap between units in which hands retract and return


PAPER_TIMES = PaperSettings()
"""The published times."""
