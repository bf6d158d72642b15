"""A performance as `KeyedMotion`: all its tracks and their channels.

The tracks can be saved and edited: hands with their offset layers, rotation of the body, posture,
gaze, and the intended tension of the arms. What the figure engine adds (weight, steps, breath) and
other layers (drift, nods) are not in them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kinesphere.animation.arms.hand_events import HandEvent
from kinesphere.animation.arms.hand_tracks import HandTracks
from kinesphere.animation.head.head_cues import GazeShift
from kinesphere.motion.body.arms import Side
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
