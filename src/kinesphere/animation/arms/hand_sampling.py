"""Tracks of a hand sampled as motion, kept within the range of arms and fingers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.animation.arms.arm_settings import SamplingSettings
from kinesphere.animation.arms.hand_tracks import PARTS, HandTracks
from kinesphere.animation.arms.poses.arm_pose import (
    arm_rotations,
    collar_angles,
    collar_turns,
    limb_of_side,
    shoulder_joint,
    shoulders_of,
)
from kinesphere.animation.arms.poses.hand_pose import HIGHEST, LOWEST
from kinesphere.animation.posing import HandFrames
from kinesphere.animation.settings import ActingSettings
from kinesphere.animation.trunk_motion import TrunkMotion
from kinesphere.figure.arms.wrist_drag import wrist_drag
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.maths.curves import smoothstep
from kinesphere.maths.filters import gaussian, moving_minimum
from kinesphere.maths.waves import wander
from kinesphere.motion.body.arms import SIDES, Side

_USUAL = SamplingSettings()


def sample_hand(
    tracks: HandTracks, times: Floats, s: ActingSettings, seed: int, touching: Bools
) -> HandFrames:
    """Sample a hand's tracks; a held hand drifts slightly."""
    wrists, swivels, angles, fingers, collars = (tracks.sample(part, times) for part in PARTS)
    own_s = s.sampling
    fps = 1.0 / max(float(times[1] - times[0]), 1e-6) if len(times) > 1 else 60.0
    if own_s.drift_m:
        rng = np.random.default_rng([seed, 31, SIDES.index(tracks.side)])
        both = np.random.default_rng([seed, 32])
        size = np.full(3, own_s.drift_m)
        own, common = (wander(times, size, r, own_s.drift_hz) for r in (rng, both))
        # Hands that hold each other drift together.
        near = held_ratio(touching, fps)[:, None]
        own += wander(times, np.array(own_s.own_m), rng, own_s.own_hz)
        wrists = wrists + (1.0 - near) * own + near * common
        turned = wander(times, np.radians(own_s.drift_deg), rng, own_s.drift_hz)
        angles = angles + (1.0 - near) * turned
        bent = wander(times, np.array([own_s.fingers_deg]), rng, own_s.fingers_hz)
        fingers[:, :12] += (1.0 - near) * bent
    _within_fan(fingers, own_s)
    if own_s.drags:
        wrists = _pass_before_shoulder(
            wrists, tracks.side, held_ratio(touching, fps, own_s.past_s), own_s
        )
    wrists = reachable(wrists, tracks.side, shoulder_joint(tracks.side), own_s)
    angles = within_range(angles, own_s)
    return HandFrames(wrists, swivels[:, 0], angles, fingers, collars)


def _pass_before_shoulder(wrists: Floats, side: Side, held: Floats, s: SamplingSettings) -> Floats:
    """Wrists whose path past the own shoulder is bent forward: straight, the arm would flip.

    Hands that are `held` by a contact stay.
    """
    close = np.linalg.norm(wrists - shoulder_joint(side), axis=1) / s.past_m
    bend = s.past_ahead_m * (1.0 - held) * smoothstep(1.0 - close)
    return np.asarray(wrists + bend[:, None] * np.array([0.0, 0.0, 1.0]))


def within_range(angles: Floats, s: SamplingSettings = _USUAL) -> Floats:
    """Hand angles ``[f, 3]`` within the range of forearm and wrist."""
    return _within_wrist(np.clip(angles, LOWEST, HIGHEST), s)


def _within_wrist(angles: Floats, s: SamplingSettings) -> Floats:
    """Hand angles ``[f, 3]`` with flexion and deviation within the wrist's ellipse."""
    bent = angles[:, 1:]
    low, high = np.radians(s.wrist_deg).T
    ratio = bent / np.where(bent < 0.0, low, high)
    size = np.sqrt(np.sum(ratio * ratio, axis=1, keepdims=True))
    # Smooth limit: unchanged up to most of the range, never beyond it.
    same, rest = s.wrist_ease
    kept = np.where(size > same, same + rest * np.tanh((size - same) / rest), size)
    return np.concatenate([angles[:, :1], bent * kept / np.maximum(size, 1e-9)], axis=1)


def _within_fan(fingers: Floats, s: SamplingSettings) -> None:
    """Keep fingers ``[f, 21]`` within the knuckles' limits; spread and bend share one ellipse."""
    fingers[:, :12] = np.clip(fingers[:, :12], s.finger_least_deg, np.tile(s.finger_most_deg, 4))
    flexed, extended = s.knuckle_deg
    for k, fan in enumerate(s.fan_deg):
        bend = np.clip(np.abs(fingers[:, 3 * k]) / flexed, 0.0, 1.0)
        bend = np.where(fingers[:, 3 * k] < 0.0, np.abs(fingers[:, 3 * k]) / extended, bend)
        most = s.fan_most_deg * np.sqrt(np.maximum(1.0 - bend**2, 0.0))
        fingers[:, 12 + k] = np.clip(fingers[:, 12 + k], -most - fan, most - fan)


def reachable(wrists: Floats, side: Side, shoulder: Floats, s: SamplingSettings = _USUAL) -> Floats:
    """Wrists that an arm from a shoulder can reach, neither quite straight nor quite folded."""
    limb = limb_of_side(side)
    away = wrists - shoulder
    size = np.linalg.norm(away, axis=1, keepdims=True)
    (farthest, far_ease), (near, near_ease) = s.reach, s.folded_m
    far = farthest * limb.reach
    kept = far - far_ease * np.logaddexp(0.0, (far - size) / far_ease)
    kept = near + near_ease * np.logaddexp(0.0, (kept - near) / near_ease)
    out = shoulder + away * kept / np.maximum(size, 1e-6)
    # A raised hand is never behind the body.
    hanging, above = s.hanging_m
    raised = smoothstep((out[:, 1] + hanging) / above)
    behind = np.maximum(s.ahead_m - out[:, 2], 0.0)
    out[:, 2] += raised * behind
    return np.asarray(out)


def held_ratio(touching: Bools, fps: float, over_s: float = _USUAL.touch_s) -> Floats:
    """How much hands are held by a contact ``[f]``: 1 in it, with smooth transitions."""
    width = over_s * fps
    wide = 1.0 - moving_minimum(1.0 - touching.astype(np.float64), max(1, round(3.0 * width)))
    return gaussian(wide, width)


def drag_hand(hand: HandFrames, side: Side, fps: float, touching: Bools) -> HandFrames:
    """Hand that lags behind its forearm, except where it touches something."""
    shoulders = shoulders_of(side, hand.collars)
    forearms = arm_rotations(side, shoulders, hand.wrists, hand.swivels, hand.angles)[1]
    late = wrist_drag(hand.wrists, forearms, fps)
    free = 1.0 - held_ratio(touching, fps)
    angles = hand.angles.copy()
    angles[:, 2] += free * late
    return replace(hand, angles=_within_wrist(angles, _USUAL))


def with_collar(hand: HandFrames, side: Side, body: TrunkMotion, gain: float) -> HandFrames:
    """Hand whose collar bone follows reaching, by a gain, and the body."""
    asked = np.zeros((len(hand.wrists), 3))
    if gain:
        reach = collar_angles(side, hand.wrists, gain)
        asked = collar_turns(side, reach[:, 0], reach[:, 1])
    collars = hand.collars + body.collars[side] + asked
    wrists = reachable(hand.wrists, side, shoulders_of(side, collars))
    return replace(hand, wrists=wrists, collars=collars)
