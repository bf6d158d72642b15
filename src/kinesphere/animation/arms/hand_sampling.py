"""Tracks of a hand sampled as motion, kept within the range of arms and fingers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.animation.arms.arm_pose import (
    collar_angles,
    collar_turns,
    limb_of_side,
    shoulder_joint,
    shoulders_of,
)
from kinesphere.animation.arms.hand_pose import HIGHEST, LOWEST
from kinesphere.animation.arms.hand_tracks import PARTS, HandTracks
from kinesphere.animation.body_motion import BodyMotion
from kinesphere.animation.posing import HandMotion
from kinesphere.animation.settings import ActingSettings
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.maths.curves import smoothstep
from kinesphere.maths.filters import gaussian
from kinesphere.maths.waves import wander
from kinesphere.motion.body.arms import SIDES, Side

_HELD_WANDER_M = 0.0035
_HELD_BAND = (0.3, 1.4)
_FARTHEST, _NEAREST_M = 0.985, 0.19
# Extension and flexion, ulnar and radial deviation: a little inside the joint's limits, and outside
# the ones that poses are solved for, so that solved poses are unchanged.
_WRIST = np.radians([[-65.0, 74.0], [-32.0, 23.0]])
_HANGING_M, _LEAST_AHEAD_M = 0.38, 0.03


def sampled_hand(
    tracks: HandTracks, times: Floats, s: ActingSettings, seed: int, touching: Bools
) -> HandMotion:
    """Sample a hand's tracks; a held hand drifts slightly."""
    wrists, swivels, angles, fingers, collars = (tracks.sampled(part, times) for part in PARTS)
    if not s.paper:
        rng = np.random.default_rng([seed, 31, SIDES.index(tracks.side)])
        both = np.random.default_rng([seed, 32])
        size = np.full(3, _HELD_WANDER_M)
        own, common = (wander(times, size, r, _HELD_BAND) for r in (rng, both))
        # Hands that hold each other drift together.
        fps = 1.0 / max(float(times[1] - times[0]), 1e-6) if len(times) > 1 else 60.0
        near = gaussian(touching.astype(np.float64), 0.2 * fps)[:, None]
        wrists = wrists + (1.0 - near) * own + near * common
        turned = wander(times, np.radians([1.6, 1.6, 0.9]), rng, _HELD_BAND)
        angles = angles + (1.0 - near) * turned
        fingers[:, :12] += (1.0 - near) * wander(times, np.array([2.2]), rng, (0.15, 0.7))
    _within_fan(fingers)
    wrists = reachable(wrists, tracks.side, shoulder_joint(tracks.side))
    angles = _within_wrist(np.clip(angles, LOWEST, HIGHEST))
    return HandMotion(wrists, swivels[:, 0], angles, fingers, collars)


def _within_wrist(angles: Floats) -> Floats:
    """Hand angles ``[f, 3]`` with flexion and deviation within the wrist's ellipse."""
    bent = angles[:, 1:]
    ratio = bent / np.where(bent < 0.0, _WRIST[:, 0], _WRIST[:, 1])
    size = np.sqrt(np.sum(ratio * ratio, axis=1, keepdims=True))
    # Smooth limit: unchanged up to nine tenths of the range, never beyond it.
    kept = np.where(size > 0.9, 0.9 + 0.1 * np.tanh((size - 0.9) / 0.1), size)
    return np.concatenate([angles[:, :1], bent * kept / np.maximum(size, 1e-9)], axis=1)


def _within_fan(fingers: Floats) -> None:
    """Keep fingers ``[f, 21]`` within the knuckles' limits; spread and bend share one ellipse."""
    fingers[:, :12] = np.clip(fingers[:, :12], -8.0, np.tile([88.0, 108.0, 84.0], 4))
    for k, fan in enumerate((4.0, 0.0, 4.0, 9.0)):
        bend = np.clip(np.abs(fingers[:, 3 * k]) / 95.0, 0.0, 1.0)
        bend = np.where(fingers[:, 3 * k] < 0.0, np.abs(fingers[:, 3 * k]) / 45.0, bend)
        most = 24.0 * np.sqrt(np.maximum(1.0 - bend**2, 0.0))
        fingers[:, 12 + k] = np.clip(fingers[:, 12 + k], -most - fan, most - fan)


def reachable(wrists: Floats, side: Side, shoulder: Floats) -> Floats:
    """Wrists that an arm from a shoulder can reach, neither quite straight nor quite folded."""
    limb = limb_of_side(side)
    away = wrists - shoulder
    size = np.linalg.norm(away, axis=1, keepdims=True)
    far, near = _FARTHEST * limb.reach, _NEAREST_M
    kept = far - 0.02 * np.logaddexp(0.0, (far - size) / 0.02)
    kept = near + 0.015 * np.logaddexp(0.0, (kept - near) / 0.015)
    out = shoulder + away * kept / np.maximum(size, 1e-6)
    # A raised hand is never behind the body.
    raised = smoothstep((out[:, 1] + _HANGING_M) / 0.15)
    behind = np.maximum(_LEAST_AHEAD_M - out[:, 2], 0.0)
    out[:, 2] += raised * behind
    return np.asarray(out)


def with_collar(hand: HandMotion, side: Side, body: BodyMotion, gain: float) -> HandMotion:
    """Hand whose collar bone follows reaching, by a gain, and the body."""
    asked = np.zeros((len(hand.wrists), 3))
    if gain:
        reach = collar_angles(side, hand.wrists, gain)
        asked = collar_turns(side, reach[:, 0], reach[:, 1])
    collars = hand.collars + body.collars[side] + asked
    wrists = reachable(hand.wrists, side, shoulders_of(side, collars))
    return replace(hand, wrists=wrists, collars=collars)
