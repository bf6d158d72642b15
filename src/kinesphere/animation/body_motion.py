"""Torso, hips and legs of a speaker: rotation, weight, breath, and following of the hands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from kinesphere.animation.arms.arm_pose import collar_turns
from kinesphere.animation.arms.gesture_poses import ChestFrames
from kinesphere.animation.arms.hand_events import Act
from kinesphere.animation.settings import ActingSettings
from kinesphere.animation.speech_cues import SpeechCues
from kinesphere.character.default import default_rig
from kinesphere.gesture.lexicon import Lexeme
from kinesphere.gesture.script import GestureScript, Turn
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.maths.waves import breath, wander
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.motion.body.limbs import Limb, limb_of, solve
from kinesphere.motion.keyed.tracks import DofTrack, Step
from kinesphere.motion.kinematics import forward_kinematics

SPINE = ("spine", "chest", "upperChest")
_PELVIS_SHARE = 0.45
_PAPER_TURN_S, _TURN_S = (0.5, 0.6), (0.65, 0.95)
_TURN_OFFSET = 0.1  # ratio of a rotation's duration between spine and pelvis
# How the trunk follows the hands (degrees per metre): yaw by how much farther forward and outward
# the left hand is, bend by how high and how far forward both are; and its delay.
_YAW_FORWARD, _YAW_OUT, _BEND_RISE, _BEND_FORWARD, _LATE_S = -18.0, 8.0, -7.0, 6.0, 0.06
_SINK_M = 0.012  # of standing hips, so that knees are never locked
_SIDE_SINK, _ROUND_M = 0.18, 0.01  # more of it for a shift to the side, smooth at the middle
_BREATH_HZ, _BREATH_DEG, _BREATH_RISE_DEG = 0.25, 0.8, 1.3
_SWAY_M = (0.004, 0.006)
_SWAY_HZ = (0.12, 0.6)
_EASE_S = 0.55


@dataclass(frozen=True, eq=False)
class BodyMotion:
    """Trunk motion: rotation vectors ``[f, 3]`` in the T-pose's axes, hips in metres.

    `spine` is distributed over the spine's joints; `collars` are rotations of the collar bones,
    by side, added to those for reaching up and forward. `balance` is the track of the hips'
    sideways translation, metres.
    """

    hips: Floats
    pelvis: Floats
    spine: Floats
    collars: dict[Side, Floats]
    balance: DofTrack = field(default_factory=lambda: DofTrack(np.zeros(1)))


def turn_tracks(
    turns: Sequence[Turn], yaw: float, settings: ActingSettings, rng: np.random.Generator
) -> tuple[DofTrack, DofTrack]:
    """Yaw of pelvis and spine for turns left, front and right; the spine is first."""
    goals = {"left": yaw, "right": -yaw}
    low, high = _PAPER_TURN_S if settings.paper else _TURN_S
    pelvis, spine = [], []
    here = 0.0
    for turn in sorted(turns, key=lambda t: t.time_s):
        goal = goals.get(turn.direction, 0.0)
        if not settings.paper and goal:
            goal *= float(np.clip(1.0 + 0.12 * rng.normal(), 0.7, 1.3))
        length = float(rng.uniform(low, high))
        start = max(turn.time_s, 0.0)
        change = np.array([goal - here])
        slopes = (0.0, 0.0) if settings.paper else None
        spine.append(Step(start, length, (1.0 - _PELVIS_SHARE) * change, slopes=slopes))
        later = start + _TURN_OFFSET * length
        pelvis.append(Step(later, length, _PELVIS_SHARE * change, slopes=slopes))
        here = goal
    return DofTrack.of_steps([0.0], pelvis), DofTrack.of_steps([0.0], spine)


def chest_frames(pelvis: DofTrack, spine: DofTrack, times: Floats) -> ChestFrames:
    """Bodies at given times, rotated as the tracks say; the arms are as in the T-pose."""
    order = np.argsort(times, kind="stable")
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    rig = default_rig()
    skeleton = rig.skeleton
    rotations = np.broadcast_to(skeleton.rest_rotations, (len(times), len(skeleton), 4)).copy()
    up = np.array([0.0, 1.0, 0.0])
    yaw = pelvis(times[order])[back][:, 0]
    rotations[:, rig.joint("hips")] = quaternion.from_axis_angle(up, yaw)
    share = spine(times[order])[back][:, 0] / len(SPINE)
    for bone in SPINE:
        rotations[:, rig.joint(bone)] = quaternion.from_axis_angle(up, share)
    world, places = forward_kinematics(skeleton, rotations, skeleton.offsets[0])
    chest = rig.joint("upperChest")
    origins = places[:, chest] + quaternion.rotate(world[:, chest], chest_origin())
    return ChestFrames(world, places, world[:, chest], origins)


@cache
def chest_origin() -> Floats:
    """The chest frame's origin from the joint `upperChest`, in its axes."""
    rig = default_rig()
    places = rig.canonical_pose[1]
    middle = places[rig.joints(("leftUpperArm", "rightUpperArm"))].mean(axis=0)
    return np.asarray(middle - places[rig.joint("upperChest")])


def speaking_level(times: Floats, cues: SpeechCues) -> Floats:
    """Amount of speaking ``[f]``, from 0 to 1, with smooth onsets and ends."""
    steps = []
    for start, end in cues.phrases:
        steps.append(Step(max(start - 0.4, 0.0), 0.6, np.array([1.0])))
        steps.append(Step(end - 0.2, 1.2, np.array([-1.0])))
    return np.clip(DofTrack.of_steps([0.0], steps)(times)[:, 0], 0.0, 1.0)


def body_motion(
    times: Floats,
    wrists: dict[Side, Floats],
    turns: tuple[DofTrack, DofTrack],
    posture: tuple[DofTrack, DofTrack],
    cues: SpeechCues,
    settings: ActingSettings,
    seed: int,
) -> BodyMotion:
    """Trunk motion from hands, rotation, posture and speech.

    Parameters
    ----------
    times : ``[f]``.
    wrists : ``[f, 3]`` in the chest frame, by side.
    turns, posture : of `turn_tracks` and `posture_tracks`.
    """
    s = settings
    rngs = np.random.default_rng([seed, 21]).spawn(4)
    spine = np.zeros((len(times), 3))
    spine[:, 1] = turns[1](times)[:, 0]
    pelvis = np.zeros((len(times), 3))
    pelvis[:, 1] = turns[0](times)[:, 0]
    spine += posture[0](times)
    collars = posture[1](times)
    hips = np.zeros((len(times), 3))
    balance = DofTrack(np.zeros(1))
    breathing = breath(times, _BREATH_HZ, rngs[0])
    spine[:, 0] -= np.radians(_BREATH_DEG) * breathing
    rise = np.radians(_BREATH_RISE_DEG) * breathing
    if not s.paper:
        spine += s.lean_gain * _following(times, wrists)
        level = 0.45 + 0.55 * speaking_level(times, cues)
        amount = np.radians(s.torso_wander_deg) * np.array([1.0, 1.15, 0.85])
        spine += level[:, None] * wander(times, amount, rngs[1], (0.1, 0.7))
        hips, lean, balance = _weight(times, cues, s, rngs[2])
        pelvis += lean
        # The spine keeps the head over the feet.
        spine[:, 2] -= 0.7 * lean[:, 2]
    hips[:, 1] = hips_rise(hips[:, 0])
    both = both_collars(collars[:, 0] + rise, collars[:, 1])
    return BodyMotion(hips, pelvis, spine, both, balance)


def hips_rise(side_m: Floats) -> Floats:
    """Height ``[f]`` of the hips above their rest height: lower the farther they are to a side.

    Smooth where the weight crosses the middle, to avoid acceleration spikes at the knees.
    """
    return np.asarray(-_SINK_M - _SIDE_SINK * (np.hypot(side_m, _ROUND_M) - _ROUND_M))


def both_collars(up: Floats, back: Floats) -> dict[Side, Floats]:
    """Rotation vectors ``[f, 3]`` of both collar bones, raised and retracted alike, radians."""
    return {side: collar_turns(side, up, -back) for side in SIDES}


def shoulder_steps(script: GestureScript, entries: Mapping[str, Lexeme]) -> list[Step]:
    """Steps ``[2]`` (up, back) of the collar bones for shoulder gestures."""
    out = []
    for g in script.gestures:
        entry = entries.get(g.lexeme)
        if entry is None or not entry.without_hands:
            continue
        start = max(g.meant_start_s, 0.0)
        at, here = 0.0, 0.0
        for key in entry.body_keys:
            if key.collar_up != here and key.time_s > at:
                change = np.radians([key.collar_up - here, 0.0])
                out.append(Step(start + at, key.time_s - at, change))
            at, here = key.time_s, key.collar_up
        if here:
            out.append(Step(start + at, _EASE_S, np.radians([-here, 0.0])))
    return out


def posture_tracks(
    acts: Sequence[Act], settings: ActingSettings, shoulders: Sequence[Step] = ()
) -> tuple[DofTrack, DofTrack]:
    """Spine ``[3]`` and collar bones ``[2]`` (up, back) set by gestures, eased in and out.

    `shoulders` are further steps of the collar bones, for shoulder gestures.
    """
    spine: list[Step] = []
    collar: list[Step] = list(shoulders)
    slopes = (0.0, 0.0) if settings.paper else None
    for i, act in enumerate(acts):
        p = act.lexeme.posture
        sign = 1.0 if act.sides == ("left",) else -1.0 if act.sides == ("right",) else 0.0
        lean = p.lean - 0.8 * p.rise
        turn = np.radians([lean, sign * p.turn, sign * p.tilt])
        up = np.radians([p.collar_up, p.collar_back])
        gain = 1.0 if settings.paper else 0.8 + 0.5 * act.accent
        start = act.time.start_s - 0.08
        length = max(act.time.end_s - act.time.start_s, 0.2) + 0.12
        over = act.time.last_s + (act.gesture.hold_s or 0.0)
        if i + 1 < len(acts):
            over = min(over, acts[i + 1].time.start_s - 0.15)
        over = max(over, act.time.last_s)
        for steps, value in ((spine, gain * turn), (collar, gain * up)):
            if np.any(value):
                steps.append(Step(max(start, 0.0), length, value, slopes=slopes))
                steps.append(Step(over, _EASE_S, -value, slopes=slopes))
    return DofTrack.of_steps(np.zeros(3), spine), DofTrack.of_steps(np.zeros(2), collar)


def _following(times: Floats, wrists: dict[Side, Floats]) -> Floats:
    """Rotation of the spine that follows the hands with a small delay."""
    left, right = wrists["left"], wrists["right"]
    ahead = left[:, 2] - right[:, 2]
    out = left[:, 0] + right[:, 0]  # how much farther out the left one is
    rise = 0.5 * (left[:, 1] + right[:, 1]) + 0.45
    reach = 0.5 * (left[:, 2] + right[:, 2]) - 0.13
    bend = _BEND_RISE * rise + _BEND_FORWARD * reach
    yaw = _YAW_FORWARD * ahead + _YAW_OUT * out
    turn = np.radians(np.stack([bend, yaw, np.zeros(len(times))], axis=1))
    late = times - _LATE_S
    return np.stack([np.interp(late, times, turn[:, k]) for k in range(3)], axis=1)


def _weight(
    times: Floats, cues: SpeechCues, s: ActingSettings, rng: np.random.Generator
) -> tuple[Floats, Floats, DofTrack]:
    """Hips ``[f, 3]`` over the feet, the matching tilt of the pelvis, the track of the shift."""
    end = float(times[-1]) if len(times) else 0.0
    ends = np.array([e for _, e in cues.phrases])
    steps, at, here = [], 0.0, float(rng.uniform(-0.5, 0.5))
    first = here
    while True:
        at += float(rng.uniform(*s.shift_every_s))
        if at > end:
            break
        # Preferably between phrases.
        near = ends[np.abs(ends - at) < 1.5] if len(ends) else ends
        moment = float(near[np.abs(near - at).argmin()]) if len(near) else at
        goal = float(-np.sign(here or 1.0) * rng.uniform(0.3, 1.0))
        steps.append(Step(moment, float(rng.uniform(0.9, 1.5)), np.array([goal - here])))
        here = goal
    shifts = DofTrack.of_steps([first], steps)
    side = shifts(times)[:, 0]
    sway = wander(times, np.array(_SWAY_M), rng, _SWAY_HZ)
    hips = np.zeros((len(times), 3))
    hips[:, 0] = s.shift_m * side + sway[:, 0]
    hips[:, 2] = sway[:, 1]
    tilt = np.zeros((len(times), 3))
    # The hip of the supporting leg is higher.
    tilt[:, 2] = np.radians(1.6) * side
    tilt[:, 1] = np.radians(-1.2) * side
    balance = replace(shifts, first=s.shift_m * shifts.first, changes=s.shift_m * shifts.changes)
    return hips, tilt, balance


@cache
def _legs() -> dict[Side, tuple[Limb, tuple[int, int, int]]]:
    rig = default_rig()
    out: dict[Side, tuple[Limb, tuple[int, int, int]]] = {}
    for side, sign in (("left", 1), ("right", -1)):
        hip, knee, ankle = rig.joints([f"{side}{b}" for b in ("UpperLeg", "LowerLeg", "Foot")])
        joints = (hip, knee, ankle)
        limb = limb_of(rig.skeleton, joints, [0, 0, -1], [0, -1, 0], [0, 0, 1], sign)
        out[side] = (limb, joints)  # type: ignore[index]
    return out


def leg_rotations(hips_world: Floats, hips_places: Floats) -> dict[int, Floats]:
    """Local rotations of the legs by joint: feet stay at their rest positions."""
    rig = default_rig()
    skeleton = rig.skeleton
    rest_places, rest_turns = skeleton.rest_world_positions, skeleton.rest_world_rotations
    out: dict[int, Floats] = {}
    for limb, (hip, knee, ankle) in _legs().values():
        balls = hips_places + quaternion.rotate(hips_world, skeleton.offsets[hip])
        pose = solve(limb, balls, rest_places[ankle], np.radians(6.0))
        out[hip] = quaternion.relative(hips_world, pose.ball)
        out[knee] = pose.hinge
        lower = quaternion.multiply(pose.ball, pose.hinge)
        out[ankle] = quaternion.relative(lower, np.broadcast_to(rest_turns[ankle], lower.shape))
    return out
