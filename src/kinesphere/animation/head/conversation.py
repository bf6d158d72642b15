"""Cues of head, eyes and face from a script, its gestures and the speech."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kinesphere.animation.arms.hand_events import Act
from kinesphere.animation.head.head_cues import Beat, GazeShift, Glance, HeadCues, HeadPose
from kinesphere.animation.head.head_settings import CueSettings, HeadSettings
from kinesphere.animation.speech_cues import SpeechCues
from kinesphere.gesture.lexeme import HEAD_CONTACTS
from kinesphere.gesture.lexicon import BodyKey, Lexeme
from kinesphere.gesture.script import GestureScript
from kinesphere.maths.arrays import Floats
from kinesphere.motion.keyed.tracks import DofTrack, Step

_YAWS = {"left": 1.0, "left-front": 0.5, "front": 0.0, "right-front": -0.5, "right": -1.0}
_EYES = np.array([0.0, 0.225, 0.09])  # in the chest frame of the default figure
_GOLDEN = 0.618  # multiples of it are spread evenly over [0, 1)


@dataclass(frozen=True, eq=False)
class HeadAsked:
    """Cues of the head, its settings, and the face's channels as tracks."""

    cues: HeadCues
    settings: HeadSettings
    tracks: dict[str, DofTrack]

    def channels(self, times: Floats) -> dict[str, Floats]:
        """Face channels ``[f]`` set by gestures."""
        return {name: np.clip(track(times)[:, 0], 0.0, 1.0) for name, track in self.tracks.items()}


def head_cues(
    script: GestureScript,
    acts: Sequence[Act],
    speech: SpeechCues,
    yaw: float,
    head: HeadSettings,
    entries: Mapping[str, Lexeme],
) -> HeadAsked:
    """Collect the cues that the head follows; `yaw` is that of a turn to a side."""
    aside = min(yaw, float(np.radians(head.cues.turn_most_deg)))
    shifts = tuple(
        GazeShift(max(t.time_s, 0.0), aside * _YAWS[t.direction]) for t in script.head_turns
    )
    accents = tuple(
        Beat(float(t), float(np.clip(v, 0.0, 1.0)))
        for t, v in zip(speech.peaks, speech.strengths, strict=True)
        if v > head.cues.accent_least
    )
    poses: list[HeadPose] = []
    glances: list[Glance] = []
    brows: list[Step] = []
    smiles: list[Step] = []
    frowns: list[Step] = []
    mouths: list[Step] = []
    for act in acts:
        pose = _pose(act, head.cues)
        if pose is not None:
            poses.append(pose)
        glance = _glance(act, shifts, head.cues)
        if glance is not None and head.glances:
            glances.append(glance)
        posture = act.lexeme.posture
        sizes = (posture.brow, -posture.brow, posture.smile, -posture.smile)
        for steps, size in zip((brows, frowns, smiles, mouths), sizes, strict=True):
            _face(steps, act, head.cues.face * max(size, 0.0), head.cues)
    handless, raised = _without_hands(script, entries, head.cues)
    poses += handless
    cues = HeadCues(
        shifts, tuple(glances), accents, tuple(poses), _phrases(speech), speech.questions
    )
    tracks = {
        name: DofTrack.of_steps([0.0], steps)
        for name, steps in (
            ("browUp", brows + raised),
            ("browDown", frowns),
            ("happy", smiles),
            ("sad", mouths),
        )
        if steps
    }
    return HeadAsked(cues, head, tracks)


def _phrases(speech: SpeechCues) -> tuple[tuple[float, float], ...]:
    return tuple((a, b) for a, b in speech.phrases if b > a)


def _pose(act: Act, c: CueSettings) -> HeadPose | None:
    p = act.lexeme.posture
    if not any((p.head_down, p.head_turn, p.head_tilt, p.thrust_cm, p.nod, p.shake)):
        return None
    sign = 1.0 if act.sides == ("left",) else -1.0
    gain = c.pose_gain[0] + c.pose_gain[1] * act.accent
    down, turn, tilt, nod, shake = np.radians(
        [p.head_down, p.head_turn, p.head_tilt, p.nod, p.shake]
    )
    before_s, after_s, least_s = c.pose_s
    start = max(act.time.start_s - before_s, 0.0)
    end = max(act.time.last_s + after_s, start + least_s)
    if act.lexeme.contact in HEAD_CONTACTS:
        # A head that a hand touches stays with it.
        end = max(end, act.time.last_s + (act.gesture.hold_s or 0.0))
    return HeadPose(
        start,
        end,
        float(gain * down),
        float(gain * sign * turn),
        float(gain * sign * tilt),
        p.thrust_cm / 100.0,
        float(shake),
        float(gain * nod),
    )


def _glance(act: Act, shifts: Sequence[GazeShift], c: CueSettings) -> Glance | None:
    look = act.lexeme.posture.look
    if not look or look == "target":
        return None
    # The gaze at a gesture depends on its index only, so that adding one changes no other.
    if look == "hand" and (act.index * _GOLDEN) % 1.0 > c.at_hand:
        return None
    directions = {"aside": c.aside_deg, "up": c.up_deg, "away": c.away_deg}
    if look in directions:
        yaw, pitch = np.radians(directions[look])
        yaw *= 1.0 if act.sides == ("left",) else -1.0
    else:
        # From the eyes to the hand's end position, a little beyond it for a spot.
        offset = act.end[act.sides[0]].wrist - _EYES
        out, up, ahead = offset * (1.0 if look == "hand" else np.array(c.beyond))
        yaw = float(np.clip(np.arctan2(out, ahead), -c.yaw_rad, c.yaw_rad))
        pitch = float(np.clip(np.arctan2(-up, np.hypot(out, ahead)), *c.pitch_rad))
    before = [shift for shift in shifts if shift.time_s <= act.time.start_s]
    base = before[-1].yaw if before else 0.0
    before_s, least_s = c.glance_s
    start = max(act.time.start_s - before_s, 0.0)
    return Glance(start, max(start + least_s, act.time.end_s), float(base + yaw), float(pitch))


def _face(steps: list[Step], act: Act, size: float, c: CueSettings) -> None:
    if size <= 0.0:
        return
    change = np.array([size])
    before_s, rise_s, after_s, least_s, fall_s = c.face_s
    start = max(act.time.start_s - before_s, 0.0)
    steps.append(Step(start, rise_s, change))
    steps.append(Step(max(act.time.last_s + after_s, start + least_s), fall_s, -change))


def _without_hands(
    script: GestureScript, entries: Mapping[str, Lexeme], c: CueSettings
) -> tuple[list[HeadPose], list[Step]]:
    """Head gestures."""
    poses, brows = [], []
    for g in script.gestures:
        entry = entries.get(g.lexeme)
        if entry is None or not entry.without_hands:
            continue
        later = (max(end - c.repeat_early_s, 0.0) for end in g.after_strokes)
        starts = [max(g.meant_start_s, 0.0), *later]
        for n, start in enumerate(starts):
            sign = 1.0 if g.hands == "LH" else -1.0
            found, raised = _head_gesture(entry, start, entry.after.fading**n, sign, c)
            poses += found
            brows += raised
    return poses, brows


def _head_gesture(
    entry: Lexeme, start: float, size: float, sign: float, c: CueSettings
) -> tuple[list[HeadPose], list[Step]]:
    """One repetition of a head gesture; to the left for a sign of +1."""
    poses: list[HeadPose] = []
    brows: list[Step] = []
    keys = entry.body_keys
    i = 0
    while i < len(keys):
        a, first = keys[i], i
        same = (a.head_down, a.head_turn, a.head_tilt, a.thrust_cm)
        while i + 1 < len(keys) and same == _head_of(keys[i + 1]):
            i += 1
        i += 1
        if not any(same):
            continue
        # From the key before to the key after those that hold the pose.
        earlier = keys[first - 1].time_s if first else 0.0
        later = keys[i].time_s if i < len(keys) else keys[-1].time_s + c.pose_end_s
        down, turn, tilt = size * np.radians([a.head_down, sign * a.head_turn, sign * a.head_tilt])
        poses.append(
            HeadPose(
                start + earlier,
                start + later,
                float(down),
                float(turn),
                float(tilt),
                a.thrust_cm / 100.0,
            )
        )
    raised = max((k.brow for k in keys), default=0.0)
    if raised > 0.0:
        rise_s, until_s, fall_s = c.brow_s
        brows.append(Step(start, rise_s, np.array([raised])))
        brows.append(Step(start + until_s, fall_s, np.array([-raised])))
    return poses, brows


def _head_of(key: BodyKey) -> tuple[float, float, float, float]:
    return key.head_down, key.head_turn, key.head_tilt, key.thrust_cm
