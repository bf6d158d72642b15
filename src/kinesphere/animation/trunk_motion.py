"""Torso, hips and legs of a speaker: rotation, weight, breath, and following of the hands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from kinesphere.animation.arms.hand_events import Act
from kinesphere.animation.arms.poses.arm_pose import collar_turns
from kinesphere.animation.arms.poses.gesture_poses import ChestFrames
from kinesphere.animation.settings import ActingSettings, TrunkSettings
from kinesphere.animation.speech_cues import SpeechCues
from kinesphere.character.default import default_rig
from kinesphere.figure.standing import body as figure_body
from kinesphere.figure.standing.body import BodyTargets
from kinesphere.figure.standing.body_settings import BodySettings
from kinesphere.figure.standing.stance import Stance
from kinesphere.gesture.lexicon import Lexeme
from kinesphere.gesture.script import GestureScript, Turn
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.motion.keyed.tracks import DofTrack, Step
from kinesphere.motion.kinematics import forward_kinematics

SPINE = ("spine", "chest", "upperChest")
_USUAL = TrunkSettings()
_BODY = BodySettings()
# Settings of the body that follow the hands.
_BY_HANDS = (
    "spine_yaw_hands",
    "spine_pitch_hands",
    "pelvis_pitch_hands",
    "spine_pitch_rise",
    "hips_rise",
)


@dataclass(frozen=True, eq=False)
class TrunkMotion:
    """Trunk motion: rotation vectors ``[f, 3]`` in the T-pose's axes, positions in metres.

    `hips` are positions in the world, `feet` ``[f, 2, 6]`` as in `figure.legs`. `spine` is
    distributed over the spine's joints; `collars` are rotations of the collar bones, by side, added
    to those for reaching up and forward. `nods` are pitch, yaw and roll of the head in long
    silences, None where there are none.
    """

    hips: Floats
    pelvis: Floats
    spine: Floats
    feet: Floats
    collars: dict[Side, Floats]
    nods: Floats | None = None


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


def waiting_level(times: Floats, cues: SpeechCues, trunk: TrunkSettings = _USUAL) -> Floats:
    """How far somebody waits ``[f]``, from 0 to 1: before, after and in long silences of a speech.

    Without phrases nothing is known of silences, and it is 0.
    """
    if not cues.phrases:
        return np.zeros(len(times))
    (after, rise), (before, fall) = trunk.waiting_on_s, trunk.waiting_off_s
    ends = [-np.inf, *(end for _, end in cues.phrases)]
    starts = [*(start for start, _ in cues.phrases), np.inf]
    steps = []
    for end, start in zip(ends, starts, strict=True):
        # Pauses that are too short for it are bridged.
        if start - before - (end + after) > rise:
            if end > -np.inf:
                steps.append(Step(end + after, rise, np.array([1.0])))
            if start < np.inf:
                steps.append(Step(start - before, fall, np.array([-1.0])))
    first = 1.0 if starts[0] > before else 0.0
    return np.clip(DofTrack.of_steps([first], steps)(times)[:, 0], 0.0, 1.0)


def trunk_motion(
    times: Floats,
    wrists: dict[Side, Floats],
    turns: tuple[DofTrack, DofTrack],
    posture: tuple[DofTrack, DofTrack],
    cues: SpeechCues,
    settings: ActingSettings,
    stance: Stance,
    head_yaw: Floats,
    seed: int,
    body: BodySettings = _BODY,
) -> TrunkMotion:
    """Trunk and feet of a speaker, by the figure engine.

    Parameters
    ----------
    times : ``[f]``, evenly spaced from 0.
    wrists : ``[f, 3]`` in the chest frame, by side.
    turns, posture : of `turn_tracks` and `posture_tracks`.
    stance, body : habits of the person, and constants of all.
    head_yaw : ``[f]`` of the head in the world, radians, which chest and pelvis follow.
    """
    fps = 1.0 / (times[1] - times[0]) if len(times) > 1 else 60.0
    lean = settings.lean_gain
    constants = replace(body, **{n: lean * getattr(body, n) for n in _BY_HANDS})
    asked = np.zeros((2, len(times), 3))
    asked[0, :, 1], asked[1, :, 1] = (turn(times)[:, 0] for turn in turns)
    asked[1] += posture[0](times)
    targets = BodyTargets(
        speaks=speaking_level(times, cues, settings.trunk),
        listens=None if not settings.trunk.waits else waiting_level(times, cues, settings.trunk),
        wrists=np.stack([wrists[side] for side in SIDES], axis=1),
        pelvis=asked[0],
        spine=asked[1],
        # Known ahead, so that chest and head turn together.
        head_yaw=np.interp(times + 2.0 * constants.head_s, times, head_yaw),
    )
    state = figure_body.start(fps, [seed], [stance], constants, mirrored=settings.mirrored)
    poses = figure_body.step(state, targets, len(times))[1]
    collars = posture[1](times)
    both = both_collars(collars[:, 0] + poses.collar_rise[0], collars[:, 1])
    nods = None if not settings.trunk.waits else poses.nods[0]
    return TrunkMotion(poses.hips[0], poses.pelvis[0], poses.spine[0], poses.feet[0], both, nods)


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
