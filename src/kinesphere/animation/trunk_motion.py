"""Torso, hips and legs of a speaker: rotation, weight, breath, and following of the hands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from kinesphere.animation.arms.hand_events import Act
from kinesphere.animation.arms.poses.arm_pose import collar_turns
from kinesphere.animation.arms.poses.gesture_poses import ChestFrames
from kinesphere.animation.settings import ActingSettings, TrunkSettings
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
_USUAL = TrunkSettings()
_KNEES_OUT = np.radians(6.0)  # swivel of the knees of a standing person


@dataclass(frozen=True, eq=False)
class TrunkMotion:
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
    b, slopes = settings.trunk, settings.tracks.key_slopes
    pelvis, spine = [], []
    here = 0.0
    for turn in sorted(turns, key=lambda t: t.time_s):
        goal = goals.get(turn.direction, 0.0)
        if b.turn_spread and goal:
            goal *= float(np.clip(1.0 + b.turn_spread * rng.normal(), *b.turn_range))
        length = float(rng.uniform(*b.turn_s))
        start = max(turn.time_s, 0.0)
        change = np.array([goal - here])
        spine.append(Step(start, length, (1.0 - b.pelvis_share) * change, slopes=slopes))
        later = start + b.turn_offset * length
        pelvis.append(Step(later, length, b.pelvis_share * change, slopes=slopes))
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


def speaking_level(times: Floats, cues: SpeechCues, trunk: TrunkSettings = _USUAL) -> Floats:
    """Amount of speaking ``[f]``, from 0 to 1, with smooth onsets and ends."""
    steps = []
    (before, rise), (early, fall) = trunk.speaking_on_s, trunk.speaking_off_s
    for start, end in cues.phrases:
        steps.append(Step(max(start - before, 0.0), rise, np.array([1.0])))
        steps.append(Step(end - early, fall, np.array([-1.0])))
    return np.clip(DofTrack.of_steps([0.0], steps)(times)[:, 0], 0.0, 1.0)


def trunk_motion(
    times: Floats,
    wrists: dict[Side, Floats],
    turns: tuple[DofTrack, DofTrack],
    posture: tuple[DofTrack, DofTrack],
    cues: SpeechCues,
    settings: ActingSettings,
    seed: int,
) -> TrunkMotion:
    """Trunk motion from hands, rotation, posture and speech.

    Parameters
    ----------
    times : ``[f]``.
    wrists : ``[f, 3]`` in the chest frame, by side.
    turns, posture : of `turn_tracks` and `posture_tracks`.
    """
    s, b = settings, settings.trunk
    rngs = np.random.default_rng([seed, 21]).spawn(4)
    spine = np.zeros((len(times), 3))
    spine[:, 1] = turns[1](times)[:, 0]
    pelvis = np.zeros((len(times), 3))
    pelvis[:, 1] = turns[0](times)[:, 0]
    spine += posture[0](times)
    collars = posture[1](times)
    hips = np.zeros((len(times), 3))
    balance = DofTrack(np.zeros(1))
    breathing = breath(times, b.breath_hz, rngs[0])
    spine[:, 0] -= np.radians(b.breath_deg) * breathing
    rise = np.radians(b.breath_rise_deg) * breathing
    if s.lean_gain:
        spine += s.lean_gain * _following(times, wrists, b)
    if s.torso_wander_deg:
        still, speaking = b.silent_level
        level = still + speaking * speaking_level(times, cues, b)
        amount = np.radians(s.torso_wander_deg) * np.array(b.wander_axes)
        spine += level[:, None] * wander(times, amount, rngs[1], b.wander_hz)
    if s.shift_m or any(b.sway_m):
        hips, lean, balance = _weight(times, cues, s, rngs[2])
        pelvis += lean
        # The spine keeps the head over the feet.
        spine[:, 2] -= b.upright * lean[:, 2]
    hips[:, 1] = hips_rise(hips[:, 0], b)
    both = both_collars(collars[:, 0] + rise, collars[:, 1])
    return TrunkMotion(hips, pelvis, spine, both, balance)


def hips_rise(side_m: Floats, trunk: TrunkSettings = _USUAL) -> Floats:
    """Height ``[f]`` of the hips above their rest height: lower the farther they are to a side.

    Smooth where the weight crosses the middle, to avoid acceleration spikes at the knees.
    """
    aside = np.hypot(side_m, trunk.round_m) - trunk.round_m
    return np.asarray(-trunk.sink_m - trunk.side_sink * aside)


def both_collars(up: Floats, back: Floats) -> dict[Side, Floats]:
    """Rotation vectors ``[f, 3]`` of both collar bones, raised and retracted alike, radians."""
    return {side: collar_turns(side, up, -back) for side in SIDES}


def shoulder_steps(
    script: GestureScript, entries: Mapping[str, Lexeme], trunk: TrunkSettings = _USUAL
) -> list[Step]:
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
            out.append(Step(start + at, trunk.ease_s, np.radians([-here, 0.0])))
    return out


def posture_tracks(
    acts: Sequence[Act], settings: ActingSettings, shoulders: Sequence[Step] = ()
) -> tuple[DofTrack, DofTrack]:
    """Spine ``[3]`` and collar bones ``[2]`` (up, back) set by gestures, eased in and out.

    `shoulders` are further steps of the collar bones, for shoulder gestures.
    """
    spine: list[Step] = []
    collar: list[Step] = list(shoulders)
    b, slopes = settings.trunk, settings.tracks.key_slopes
    before, least, more = b.posture_s
    for i, act in enumerate(acts):
        p = act.lexeme.posture
        sign = 1.0 if act.sides == ("left",) else -1.0 if act.sides == ("right",) else 0.0
        lean = p.lean - b.rise_lean * p.rise
        turn = np.radians([lean, sign * p.turn, sign * p.tilt])
        up = np.radians([p.collar_up, p.collar_back])
        gain = b.accent_gain[0] + b.accent_gain[1] * act.accent
        start = act.time.start_s - before
        length = max(act.time.end_s - act.time.start_s, least) + more
        over = act.time.last_s + (act.gesture.hold_s or 0.0)
        if i + 1 < len(acts):
            over = min(over, acts[i + 1].time.start_s - b.posture_gap_s)
        over = max(over, act.time.last_s)
        for steps, value in ((spine, gain * turn), (collar, gain * up)):
            if np.any(value):
                steps.append(Step(max(start, 0.0), length, value, slopes=slopes))
                steps.append(Step(over, b.ease_s, -value, slopes=slopes))
    return DofTrack.of_steps(np.zeros(3), spine), DofTrack.of_steps(np.zeros(2), collar)


def _following(times: Floats, wrists: dict[Side, Floats], b: TrunkSettings) -> Floats:
    """Rotation of the spine that follows the hands with a small delay."""
    left, right = wrists["left"], wrists["right"]
    ahead = left[:, 2] - right[:, 2]
    out = left[:, 0] + right[:, 0]  # how much farther out the left one is
    height, distance = b.upright_at_m
    rise = 0.5 * (left[:, 1] + right[:, 1]) - height
    reach = 0.5 * (left[:, 2] + right[:, 2]) - distance
    bend = b.bend_rise * rise + b.bend_forward * reach
    yaw = b.yaw_forward * ahead + b.yaw_out * out
    turn = np.radians(np.stack([bend, yaw, np.zeros(len(times))], axis=1))
    late = times - b.late_s
    return np.stack([np.interp(late, times, turn[:, k]) for k in range(3)], axis=1)


def _weight(
    times: Floats, cues: SpeechCues, s: ActingSettings, rng: np.random.Generator
) -> tuple[Floats, Floats, DofTrack]:
    """Hips ``[f, 3]`` over the feet, the matching tilt of the pelvis, the track of the shift."""
    end = float(times[-1]) if len(times) else 0.0
    ends = np.array([e for _, e in cues.phrases])
    b = s.trunk
    steps, at, here = [], 0.0, float(rng.uniform(-b.first_side, b.first_side))
    first = here
    while True:
        at += float(rng.uniform(*s.shift_every_s))
        if at > end:
            break
        # Preferably between phrases.
        near = ends[np.abs(ends - at) < b.shift_near_s] if len(ends) else ends
        moment = float(near[np.abs(near - at).argmin()]) if len(near) else at
        goal = float(-np.sign(here or 1.0) * rng.uniform(*b.shift_range))
        steps.append(Step(moment, float(rng.uniform(*b.shift_s)), np.array([goal - here])))
        here = goal
    shifts = DofTrack.of_steps([first], steps)
    side = shifts(times)[:, 0]
    sway = wander(times, np.array(b.sway_m), rng, b.sway_hz)
    hips = np.zeros((len(times), 3))
    hips[:, 0] = s.shift_m * side + sway[:, 0]
    hips[:, 2] = sway[:, 1]
    tilt = np.zeros((len(times), 3))
    # The hip of the supporting leg is higher.
    tilt[:, 2] = np.radians(b.shift_tilt_deg[0]) * side
    tilt[:, 1] = np.radians(b.shift_tilt_deg[1]) * side
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
        pose = solve(limb, balls, rest_places[ankle], _KNEES_OUT)
        out[hip] = quaternion.relative(hips_world, pose.ball)
        out[knee] = pose.hinge
        lower = quaternion.multiply(pose.ball, pose.hinge)
        out[ankle] = quaternion.relative(lower, np.broadcast_to(rest_turns[ankle], lower.shape))
    return out
