"""A performance as `KeyedMotion`: all its tracks, their channels, and a clip sampled from them.

The tracks can be saved, edited and sampled again without the script: hands with their offset
layers, rotation of the body, posture, gaze, the weight on the feet, and the intended tension of the
arms. Head and eyes follow the gaze as in the 2008 paper when a clip is made from the tracks alone;
layers that are only added to a performance (breath, drift, nods) are not in them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kinesphere.animation.arms.hand_events import HandEvent
from kinesphere.animation.arms.hand_sampling import sample_hand, with_collar
from kinesphere.animation.arms.hand_tracks import PARTS, HandTracks
from kinesphere.animation.head.head_cues import GazeShift, HeadCues
from kinesphere.animation.head.head_motion import head_motion
from kinesphere.animation.head.head_settings import PAPER_HEAD
from kinesphere.animation.posing import HeadTurns, pose_clip
from kinesphere.animation.settings import ActingSettings
from kinesphere.animation.trunk_motion import TrunkMotion, both_collars, hips_rise
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.motion.clip import Clip
from kinesphere.motion.keyed.keyed_motion import KeyedMotion
from kinesphere.motion.keyed.tracks import DofTrack, Step

CHANNELS: Mapping[str, tuple[str, ...]] = {
    "Body": ("Wrist", "Swivel", "Angles", "posture"),
    "Hands": ("Fingers",),
    "Rotation": ("pelvisYaw", "spineYaw"),
    "Offset": ("+", "Collar", "collars"),
    "Gaze Direction": ("gaze",),
}
"""Tracks of each channel of Table 6.1, by the ends of their names; a plus is a layer."""

# Intended tension of the arms in each phase, on the scale of `dynamics.tension.presets.tension`.
_TENSION = {"stroke": 0.3, "after-stroke": 0.3, "retraction": -0.5, "rest": -0.2}
_TENSION_S, _GAZE_S = 0.12, 0.25  # duration of a change of tension, and of a gaze shift


def channel_of(name: str) -> str:
    """Channel of Table 6.1 of a track's name; empty for tracks without a channel.

    >>> channel_of("leftWrist"), channel_of("leftWrist+0"), channel_of("tension")
    ('Body', 'Offset', '')
    """
    if "+" in name:
        return "Offset"
    return next((c for c, ends in CHANNELS.items() if name.endswith(ends)), "")


def keyed_motion(
    hands: Mapping[Side, HandTracks],
    turns: tuple[DofTrack, DofTrack],
    posture: tuple[DofTrack, DofTrack],
    shifts: Sequence[GazeShift],
    events: Sequence[HandEvent],
    balance: DofTrack,
) -> KeyedMotion:
    """Collect the tracks of a performance under their names."""
    out: dict[str, DofTrack] = {}
    for side, hand in hands.items():
        for part, track in hand.tracks.items():
            out[f"{side}{part}"] = track
        for part, layers in hand.layers.items():
            for n, layer in enumerate(layers):
                out[f"{side}{part}+{n}"] = layer
    out["pelvisYaw"], out["spineYaw"] = turns
    out["posture"], out["collars"] = posture
    out["gaze"] = _gaze(shifts)
    out["tension"] = _tension(events)
    out["balance"] = balance
    return KeyedMotion(tracks=out)


def _gaze(shifts: Sequence[GazeShift]) -> DofTrack:
    """Direction of the listener, yaw and pitch in the world; a gaze shift takes a short time."""
    steps, here = [], np.zeros(2)
    for shift in shifts:
        goal = np.array([shift.yaw, shift.pitch])
        if np.any(goal != here):
            steps.append(Step(max(shift.time_s, 0.0), _GAZE_S, goal - here, slopes=(0.0, 0.0)))
        here = goal
    return DofTrack.of_steps(np.zeros(2), steps)


def _tension(events: Sequence[HandEvent]) -> DofTrack:
    """Tension of the arms by phases."""
    steps, here = [], 0.0
    for event in events:
        goal = _TENSION.get(event.kind, 0.0)
        if goal != here:
            steps.append(
                Step(event.start_s, _TENSION_S, np.array([goal - here]), slopes=(0.0, 0.0))
            )
        here = goal
    return DofTrack.of_steps([0.0], steps)


def clip_of_tracks(
    keyed: KeyedMotion, fps: float = 60.0, *, gain: float = 1.0, seed: int = 0
) -> Clip:
    """Clip of the default figure from the tracks alone.

    Parameters
    ----------
    gain : factor of the collar bones' part in reaching.

    Raises
    ------
    InvalidValueError
        If a track of the hands is missing.
    """
    hands = {side: _hand(keyed, side) for side in SIDES}
    times = np.arange(round(keyed.duration_s * fps) + 1) / fps
    none = np.zeros((len(times), 3))

    def value(name: str, columns: int) -> Floats:
        track = keyed.tracks.get(name)
        return np.zeros((len(times), columns)) if track is None else track(times)

    pelvis, spine = none.copy(), value("posture", 3).copy()
    pelvis[:, 1] = value("pelvisYaw", 1)[:, 0]
    spine[:, 1] += value("spineYaw", 1)[:, 0]
    hips = none.copy()
    hips[:, 0] = value("balance", 1)[:, 0]
    hips[:, 1] = hips_rise(hips[:, 0])
    collars = value("collars", 2)
    body = TrunkMotion(hips, pelvis, spine, both_collars(collars[:, 0], collars[:, 1]))
    still = np.zeros(len(times), dtype=bool)
    plain = ActingSettings().paper_preset()
    moved = {
        side: with_collar(sample_hand(hands[side], times, plain, seed, still), side, body, gain)
        for side in SIDES
    }
    cues = HeadCues(_shifts(keyed))
    chest_yaw = pelvis[:, 1] + spine[:, 1]
    face = head_motion(times, chest_yaw, cues, seed, PAPER_HEAD, spine[:, 0])
    head = HeadTurns(face.neck, face.head, face.eyes)
    return pose_clip(fps, body, moved, head, {"blink": face.blink})


def _hand(keyed: KeyedMotion, side: Side) -> HandTracks:
    tracks, layers = {}, {}
    for part in PARTS:
        found = keyed.layers(f"{side}{part}")
        if not found:
            raise InvalidValueError(f"there is no track {side}{part}, expected all of {PARTS}")
        tracks[part] = found[0]
        if found[1:]:
            layers[part] = found[1:]
    return HandTracks(side, tracks, layers)


def _shifts(keyed: KeyedMotion) -> tuple[GazeShift, ...]:
    track = keyed.tracks.get("gaze")
    if track is None:
        return ()
    places = track.first + np.cumsum(track.changes, axis=0)
    return tuple(
        GazeShift(float(t), float(p[0]), float(p[1]))
        for t, p in zip(track.starts, places, strict=True)
    )
