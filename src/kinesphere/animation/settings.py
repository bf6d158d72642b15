"""Performance settings: how a script becomes motion.

Each value has its unit in its name and its reason beside it: here those that are tuned first, in
the groups of `arm_settings` and in `TrunkSettings` the shapes of single movements. Head and eyes
have `head_settings.HeadSettings`, the face `face_curves.FaceSettings`, the choice of gestures
`generation.settings.GenerationSettings`. Outside settings there are only measurements of bodies and
tables of poses and sounds.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

from kinesphere.animation.arms.arm_settings import (
    BeatSettings,
    Pair,
    PalmSettings,
    SamplingSettings,
    StrokeSettings,
    TimingSettings,
    TrackSettings,
    Triple,
)
from kinesphere.errors import InvalidValueError
from kinesphere.maths.bounds import check_range


@dataclass(frozen=True)
class TrunkSettings:
    """Torso, hips and legs of a speaker."""

    pelvis_share: float = 0.8  # ratio of a body turn that is the pelvis's
    turn_s: Pair = (0.65, 0.95)  # shortest and longest turn
    turn_offset: float = 0.1  # ratio of a turn's duration between spine and pelvis
    turn_spread: float = 0.12  # of its angle; 0 for none
    turn_range: Pair = (0.7, 1.3)  # factors between which it stays
    ease_s: float = 0.55  # a posture of a gesture is left in this time
    speaking_on_s: Pair = (0.4, 0.6)  # motion rises before a phrase, and for how long
    speaking_off_s: Pair = (0.2, 1.2)  # and falls before its end
    waiting_on_s: Pair = (0.7, 1.2)  # somebody waits this long after a phrase, rising for so long
    waiting_off_s: Pair = (0.7, 0.6)  # and no longer before the next: from when, for how long
    rise_lean: float = 0.8  # a posture that rises leans back by this ratio
    accent_gain: Pair = (0.8, 0.5)  # factor of a posture without accent, and more per accent
    posture_s: Triple = (0.08, 0.2, 0.12)  # before the stroke, least duration, more than the stroke
    waits: bool = True  # whether silences are those of somebody who waits and listens
    posture_gap_s: float = 0.15  # a posture ends this long before the next stroke


@dataclass(frozen=True)
class ActingSettings:
    """How a script becomes motion.

    The defaults are measurements of recorded speakers.

    Parameters
    ----------
    paper : act by the rules of Neff, Kipp, Albrecht and Seidel (2008), chapter 6, with the values
        of `paper_preset`: stops at every key, strokes that end when the script says, fixed
        preparation times, straight paths, no motion between gestures.
    follow_script : keep the ends of strokes as they are in the script (a recreation); else the peak
        of speed is put on the syllable given as a cue.
    tempo : factor of the durations of movements.
    size : factor of the amplitudes of strokes and of the motion between them.
    law_s, law_power, law_least_m : duration of a movement over A metres, but at least the last:
        ``law_s * A ** law_power`` seconds.
    stroke_ratio, prep_ratio, rise_ratio, home_ratio : factors of that duration for strokes,
        preparations within a unit, preparations from rest, and retractions.
    overlap : ratio of a movement's duration by which the next begins before it ends.
    looseness_s, lead_s : spread of speed peaks about their syllable, and how early they are.
    arc : default height of a path's arc over its chord; `arc_spread` is its random spread (log).
    rise_skew, home_skew : by how much the peak of speed is later than the middle of a preparation
        from rest, and earlier than the middle of a retraction.
    hold_s, hold_spread : median duration of a hold, and its spread (log).
    drift_m_s : speed at which a held hand sinks and drifts.
    answer : amplitude of the other hand in one-handed gestures; `answer_spread` its spread (log).
    lag_s : spread of the second hand's timing.
    beat_m, beat_spread : amplitude of small beats between gestures, and its spread (log);
        `beat_ratio` scales their duration, `rest_beat` their amplitude at rest.
    bridge_s : gaps between units up to this are bridged without a rest.
    half_rest_s : up to this gap the hands sink only half-way to rest while speech continues.
    still_s : longest stillness at rest while speech continues.
    least_free_s : gaps between gestures shorter than this slow down the preparation: a hold or a
        beat in them would be a stop.
    wait_s : a preparation begins up to this much earlier than needed to avoid a stop.
    emblem_hold_s : longest hold of an emblem, so that it can be read.
    least_hold_s : shorter stops before a repetition are omitted.
    settle_m, settle_m_s : after a stroke hands sink no farther than `settle_m`, nor faster.
    beat_gap_s : shortest gap before a beat with a hold; in a shorter one hands lift more slowly.
    beat_within_s : a beat goes to the strongest syllable within this time, else to the first within
        twice as long.
    rest_beats_s : shortest and longest series of beats at rest between periods of stillness.
    rest_left_s : a series that would leave less than this before a rest ends continues to its end.
    least_stir_s : shortest time in which hands at rest move once where no beat fits.
    answer_below_m : the other hand follows only this far below the shoulders; higher parts are
        scaled back, because they would distract from the acting hand.
    own_side_m : the other hand stays this far on its own side of the body's midline.
    answer_jitter_m, repeat_jitter_m : random spread of the other hand's positions, and of
        repetitions.
    home_early_s : a retraction begins this long before the phrase ends.
    settle_s : shortest rest of the hands before the clip ends.
    tail_s : a clip lasts at least this long after the script.
    place_m, length_spread, size_spread, angle_deg : random variation between performances.
    lean_gain : how much the torso follows the hands; 1 is the default.
    collar_gain : of Table 6.2 (`paper` only; otherwise the performer's gain is used).
    accent_effort : Weight and Time Effort that a full accent adds to a stroke.
    contacts : whether the hands of lexemes with a contact touch.
    rests_vary : whether rest poses vary with the seed.
    mirrored : whether left and right are exchanged in all that habit and chance choose: the
        mirrored script then gives the mirrored motion.
    progressive : factor of the circles of progressives (m of eq. 6.2; 1.6 for a simulated body).
    beats, strokes, timing, palms, tracks, sampling, trunk : shapes of single movements.

    Examples
    --------
    >>> import kinesphere as ks
    >>> take = ks.perform("This is huge!", voice="none", acting=ks.ActingSettings(paper=True))
    >>> take.provenance["made_by"]
    'perform'
    """

    paper: bool = False
    follow_script: bool = False
    tempo: float = 1.0
    size: float = 1.47
    law_s: float = 0.76
    law_power: float = 0.39
    law_least_m: float = 0.02
    stroke_ratio: float = 0.88
    prep_ratio: float = 0.92
    rise_ratio: float = 1.15
    home_ratio: float = 1.28
    overlap: float = 0.55
    looseness_s: float = 0.07
    lead_s: float = 0.01
    arc: float = 0.17
    arc_spread: float = 0.6
    rise_skew: float = 0.05
    home_skew: float = 0.09
    hold_s: float = 0.33
    hold_spread: float = 0.4
    drift_m_s: float = 0.035
    answer: float = 0.67
    answer_spread: float = 0.2
    lag_s: float = 0.02
    beat_m: float = 0.24
    beat_spread: float = 0.35
    beat_ratio: float = 0.88
    rest_beat: float = 0.62
    bridge_s: float = 2.2
    half_rest_s: float = 4.0
    still_s: float = 0.42
    least_free_s: float = 0.3
    wait_s: float = 0.4
    emblem_hold_s: float = 0.42
    least_hold_s: float = 0.08
    settle_m: float = 0.26
    settle_m_s: float = 0.26
    beat_gap_s: float = 0.3
    beat_within_s: float = 0.5
    rest_beats_s: tuple[float, float] = (1.0, 2.6)
    rest_left_s: float = 0.9
    least_stir_s: float = 0.35
    answer_below_m: float = 0.2
    own_side_m: float = 0.05
    answer_jitter_m: float = 0.012
    repeat_jitter_m: float = 0.008
    home_early_s: float = 0.3
    settle_s: float = 0.5
    tail_s: float = 0.5
    place_m: float = 0.012
    length_spread: float = 0.1
    size_spread: float = 0.12
    angle_deg: float = 5.0
    lean_gain: float = 1.0
    collar_gain: float = 1.0
    progressive: float = 1.0
    accent_effort: float = 0.5
    contacts: bool = True
    rests_vary: bool = True
    mirrored: bool = False
    beats: BeatSettings = field(default_factory=BeatSettings)
    strokes: StrokeSettings = field(default_factory=StrokeSettings)
    timing: TimingSettings = field(default_factory=TimingSettings)
    palms: PalmSettings = field(default_factory=PalmSettings)
    tracks: TrackSettings = field(default_factory=TrackSettings)
    sampling: SamplingSettings = field(default_factory=SamplingSettings)
    trunk: TrunkSettings = field(default_factory=TrunkSettings)

    def __post_init__(self) -> None:
        for part in fields(self):
            value = getattr(self, part.name)
            if isinstance(value, float) and not 0.0 <= value < 1e3:
                raise InvalidValueError(f"{part.name} is {value:g}, allowed is 0 or more")
        for name in ("law_s", "law_power", "beat_ratio", "stroke_ratio", "prep_ratio", "beat_m"):
            if not getattr(self, name) > 0.0:
                raise InvalidValueError(f"{name} is {getattr(self, name):g}, allowed is above 0")
        least, most = self.rest_beats_s
        if not 0.1 <= least <= most < 1e6:
            raise InvalidValueError(
                f"rest_beats_s is {least:g} to {most:g}, allowed is 0.1 or more, ascending"
            )
        for name, low, high in (("tempo", 0.3, 3.0), ("size", 0.1, 3.0), ("overlap", 0.0, 0.8)):
            check_range(name, getattr(self, name), low, high)

    def lasting(self, metres: float, ratio: float) -> float:
        """Duration in seconds of a movement over a distance in metres."""
        return float(
            self.tempo * ratio * self.law_s * max(metres, self.law_least_m) ** self.law_power
        )

    def paper_preset(self) -> ActingSettings:
        """These settings with the paper's values: 0 for effects that it does not have."""
        stops = (0.0, 0.0)
        return replace(
            self,
            paper=True,
            follow_script=True,
            size=1.0,
            overlap=0.0,
            lag_s=0.0,
            drift_m_s=0.0,
            answer=0.0,
            angle_deg=0.0,
            lean_gain=0.0,
            accent_effort=0.0,
            contacts=False,
            rests_vary=False,
            timing=replace(self.timing, peak_spread=0.0, waits=False, shares=None),
            tracks=replace(
                self.tracks, key_slopes=stops, windup=0.0, overshoot=(), overshoot_flow=0.0
            ),
            sampling=replace(self.sampling, drift_m=0.0, drags=False),
            trunk=replace(
                self.trunk,
                pelvis_share=0.45,
                turn_s=(0.5, 0.6),
                turn_spread=0.0,
                accent_gain=(1.0, 0.0),
                waits=False,
            ),
        )
