"""The animation engine: a gesture script becomes the motion of a body.

Poses of every gesture are solved on the body at its time (`gesture_poses`), strokes get their times
(`stroke_timing`), the motion between them is added (`choreography`), events become tracks
(`hand_tracks`), the trunk, head and eyes follow (`trunk_motion`, `gaze`), hands are kept out of the
body and of each other (`clearance`), and tracks become a clip (`posing`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kinesphere.animation.acting_rules import ActingRules, acting_rules
from kinesphere.animation.arms.acts import acts_by_unit, plan_acts
from kinesphere.animation.arms.between_strokes import WAITING
from kinesphere.animation.arms.choreography import choreograph
from kinesphere.animation.arms.clearance import clear_hands, contact_allowances
from kinesphere.animation.arms.contact_frames import HANDS, SKIN, contact_frames, touching_frames
from kinesphere.animation.arms.hand_events import Act, HandEvent, Poses, distance
from kinesphere.animation.arms.hand_sampling import drag_hand, sample_hand, with_collar
from kinesphere.animation.arms.hand_tracks import HandTracks, hand_tracks
from kinesphere.animation.arms.head_contacts import follow_head
from kinesphere.animation.arms.poses.hand_pose import HandPose
from kinesphere.animation.arms.poses.rest_poses import rest_poses
from kinesphere.animation.head.conversation import HeadAsked, head_cues
from kinesphere.animation.head.head_motion import head_motion
from kinesphere.animation.keyed_body import keyed_motion
from kinesphere.animation.performance_tiers import performance_tiers, phases_of
from kinesphere.animation.performer import Performer
from kinesphere.animation.posing import HeadTurns, pose_clip
from kinesphere.animation.reflection import (
    mirror_act,
    mirror_event,
    mirror_hands,
    mirror_head,
    mirror_poses,
    mirror_script,
    mirror_track,
)
from kinesphere.animation.script_check import LONGEST_S, check_script, lexeme_of
from kinesphere.animation.settings import ActingSettings
from kinesphere.animation.speech_cues import SpeechCues
from kinesphere.animation.trunk_motion import (
    posture_tracks,
    shoulder_steps,
    trunk_motion,
    turn_tracks,
)
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.lexicon import Lexeme, lexicon
from kinesphere.gesture.phases import ArmPhases
from kinesphere.gesture.script import GestureScript
from kinesphere.maths.arrays import Floats
from kinesphere.maths.bounds import check_range
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.motion.clip import Clip
from kinesphere.motion.keyed.keyed_motion import KeyedMotion
from kinesphere.motion.keyed.tracks import DofTrack
from kinesphere.timeline import Tier


@dataclass(frozen=True, eq=False)
class Performed:
    """Result of a performance.

    Parameters
    ----------
    clip : motion of the default figure.
    keyed : the tracks it was made from.
    phases : of each arm.
    acts : the gestures with their times and poses.
    tiers : phases of both arms, and gestures by name.
    hurried_s : time that is missing for the preparation of the first gesture.
    homes : ``[n, 3]`` positions of the right wrist in the rest poses, as in the chest frame but
        with x outward.
    """

    clip: Clip
    keyed: KeyedMotion
    phases: Mapping[Side, ArmPhases]
    acts: tuple[Act, ...]
    tiers: tuple[Tier, ...] = field(default=())
    homes: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    hurried_s: float = 0.0


def perform_script(
    script: GestureScript,
    cues: SpeechCues | None = None,
    performer: Performer | None = None,
    *,
    fps: float = 60.0,
    seed: int = 0,
    settings: ActingSettings | None = None,
    entries: Mapping[str, Lexeme] | None = None,
    end_s: float | None = None,
    exact_end: bool = False,
) -> Performed:
    """Animate a gesture script on the default figure.

    Parameters
    ----------
    script : the gestures.
    cues : the speech that belongs to it; without it the script's own times are used.
    performer : parameters of the speaker.
    fps : frames per second of the clip.
    seed : the same seed gives the same motion.
    settings : all constants.
    entries : lexemes by name; the lexicon's by default.
    end_s : least length of the clip.
    exact_end : end with the speech (or `end_s`), even if the hands still move; else the clip is as
        long as they need to come to rest.

    Raises
    ------
    InvalidValueError
        For an unknown lexeme, or invalid times.
    """
    _check_numbers(fps, seed, end_s)
    rules = acting_rules(settings, performer)
    known = entries or lexicon()
    check_script(script, known)
    heard = cues or SpeechCues(end_s=script.end_s)
    mirrored = rules.settings.mirrored
    # A mirrored performance is planned for the other hands, and the plan is reflected.
    written = mirror_script(script) if mirrored else script
    plan = _plan_hands(written, heard, rules, known, seed, end_s or 0.0)
    if exact_end:
        end = max(heard.end_s, end_s or 0.0)
    else:
        end = max(plan.wanted_s, plan.events[-1].end_s if plan.events else 0.0)
    times = np.arange(round(end * fps) + 1) / fps
    first = plan.rests[plan.first]
    tracks = {side: hand_tracks(plan.events, first, side, rules, seed) for side in SIDES}
    cued = head_cues(written, plan.acts, heard, rules.performer.head_yaw, rules.head, known)
    hurried = _missing_s(plan.acts, first, rules)
    if mirrored:
        plan, tracks, cued = plan.mirror(), mirror_hands(tracks), mirror_head(cued)
    shoulders = shoulder_steps(script, known, rules.settings.trunk)
    posture = posture_tracks(plan.acts, rules.settings, shoulders)
    clip = _move(times, fps, tracks, posture, plan, heard, cued, rules, seed)
    keyed = keyed_motion(tracks, plan.turns, posture, cued.cues.shifts, plan.events)
    phases = {side: ArmPhases(side, phases_of(plan.events)) for side in SIDES}
    tiers = performance_tiers(phases, plan.acts, plan.events, script, plan.lexemes)
    return Performed(clip, keyed, phases, tuple(plan.acts), tiers, _homes(plan.rests), hurried)


def _check_numbers(fps: float, seed: int, end_s: float | None) -> None:
    check_range("fps", fps, 1.0, 1000.0)
    if seed < 0:
        raise InvalidValueError(f"seed is {seed}, allowed is 0 or more")
    if end_s is not None and not 0.0 <= end_s <= LONGEST_S:
        raise InvalidValueError(f"end_s is {end_s:g}, allowed is 0 to {LONGEST_S:g}")


@dataclass(frozen=True, eq=False)
class _HandPlan:
    """What the hands do: acts, rest poses by name and the first of them, events in time."""

    lexemes: Sequence[Lexeme]
    turns: tuple[DofTrack, DofTrack]
    acts: Sequence[Act]
    rests: Mapping[str, Mapping[Side, HandPose]]
    first: str
    events: Sequence[HandEvent]
    wanted_s: float

    def mirror(self) -> _HandPlan:
        """The same of the other hands, with turns to the other side."""
        pelvis, spine = (mirror_track(turn, [-1.0]) for turn in self.turns)
        return replace(
            self,
            turns=(pelvis, spine),
            acts=[mirror_act(act) for act in self.acts],
            rests={name: mirror_poses(rest) for name, rest in self.rests.items()},
            events=[mirror_event(event) for event in self.events],
        )


def _plan_hands(
    script: GestureScript,
    heard: SpeechCues,
    rules: ActingRules,
    known: Mapping[str, Lexeme],
    seed: int,
    end_s: float,
) -> _HandPlan:
    s, who = rules.settings, rules.performer
    lexemes = [lexeme_of(g, known) for g in script.gestures]
    rng = np.random.default_rng([seed, 3])
    turns = turn_tracks(script.body_turns, who.body_yaw, s, np.random.default_rng([seed, 4]))
    acts = plan_acts(script, lexemes, heard, turns, rules, rng)
    names = {"half-rest", "at-side", *WAITING, *(unit.rest_pose for unit in script.units)}
    rests = rest_poses(sorted(names), seed, who.collar_gain, plain=not s.rests_vary)
    wanted_s = max(heard.end_s, script.end_s + s.tail_s, end_s)
    first = script.units[0].rest_pose if script.units else "at-side"
    first = first if first in ("at-side", "clasped") else "at-side"
    stage = rules.stage(rests, heard, rng, first, wanted_s)
    events = choreograph(acts_by_unit(script, acts), stage)
    return _HandPlan(lexemes, turns, acts, rests, first, events, wanted_s)


def _move(
    times: Floats,
    fps: float,
    tracks: Mapping[Side, HandTracks],
    posture: tuple[DofTrack, DofTrack],
    plan: _HandPlan,
    heard: SpeechCues,
    cued: HeadAsked,
    rules: ActingRules,
    seed: int,
) -> Clip:
    """The clip: hands on their tracks, the body under them, the head above."""
    s, events = rules.settings, plan.events
    touching = touching_frames(events, times)
    skin, met = (contact_frames(events, times, kinds) for kinds in (SKIN, HANDS))
    held = touching | skin | met
    hands = {side: sample_hand(tracks[side], times, s, seed, held, skin) for side in SIDES}
    wrists = {side: hands[side].wrists for side in SIDES}
    free = head_motion(times, 0.0, cued.cues, seed, cued.settings)
    yaw = free.neck[:, 1] + free.head[:, 1]
    habits = rules.stance(seed)
    body = trunk_motion(times, wrists, plan.turns, posture, heard, s, habits, yaw, seed, rules.body)
    hands = {side: with_collar(hands[side], side, body, rules.reach_gain) for side in SIDES}
    if s.sampling.drags:
        hands = {side: drag_hand(hands[side], side, fps, held) for side in SIDES}
    chest_yaw = body.pelvis[:, 1] + body.spine[:, 1]
    chest_pitch = body.pelvis[:, 0] + body.spine[:, 0]
    face = head_motion(times, chest_yaw, cued.cues, seed, cued.settings, chest_pitch, body.nods)
    head = HeadTurns(face.neck, face.head, face.eyes)
    hands = follow_head(hands, events, times, head)
    hands = clear_hands(fps, body, hands, head, contact_allowances(touching, skin, met))
    channels = {"blink": face.blink, **cued.channels(times)}
    return pose_clip(fps, body, hands, head, channels)


def _missing_s(acts: Sequence[Act], rest: Poses, rules: ActingRules) -> float:
    """Time that is missing for the preparation of the first gesture."""
    if not acts:
        return 0.0
    path = distance(rest, {**rest, **acts[0].start})
    return max(0.0, rules.rise_s(path) - acts[0].time.start_s)


def _homes(rests: Mapping[str, Mapping[Side, HandPose]]) -> Floats:
    outward = np.array([-1.0, 1.0, 1.0])
    return np.array([p["right"].wrist * outward for n, p in rests.items() if n != "half-rest"])


__all__ = ["ActingSettings", "Performed", "Performer", "check_script", "perform_script"]
