"""Head and eyes of a speaker: gaze, nods and blinks combined."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.animation.head import gaze
from kinesphere.animation.head.head_cues import HeadCues, HeadMotion
from kinesphere.animation.head.head_settings import HeadSettings, LookSettings
from kinesphere.animation.head.head_steps import HeadStream, draw, sum_steps
from kinesphere.animation.head.nods import spoken_steps
from kinesphere.character.joint_limits import joint_limits
from kinesphere.errors import InvalidValueError
from kinesphere.figure.head.eyes import turn_eyes, watch
from kinesphere.figure.head.gaze import Looks
from kinesphere.maths import euler, quaternion
from kinesphere.maths.arrays import Floats, frozen_floats

_WAVES = 5


def head_motion(
    times: ArrayLike,
    chest_yaw: ArrayLike,
    cues: HeadCues,
    seed: int = 0,
    settings: HeadSettings | None = None,
    chest_pitch: ArrayLike = 0.0,
    waits: Floats | None = None,
) -> HeadMotion:
    """Motion of neck, head and eyes of a speaker.

    The gaze reaches its target as soon as eyes and head can: the eyes compensate for all head
    motion. A frame depends on the cues and the seed, not on the other frames, so that a stretch of
    time is the same computed alone; it needs the cues up to three seconds after it.

    Parameters
    ----------
    times : ``[f]`` seconds, ascending.
    chest_yaw : ``[f]`` or a number, radians to the left in the world, of the neck's parent.
    cues : see there.
    seed : the same gives the same; cues of one kind do not change the random numbers of another.
    chest_pitch : like `chest_yaw`, radians of forward lean of the chest.
    waits : ``[f, 3]`` pitch, yaw and roll of somebody who waits, radians; None for none.

    Raises
    ------
    InvalidValueError
        If times do not ascend or an array does not fit them.
    """
    s = settings or HeadSettings()
    t = frozen_floats(times, "times", (None,))
    if np.any(np.diff(t) <= 0.0):
        raise InvalidValueError("times do not ascend")
    chest = np.column_stack(
        [_over(chest_yaw, "chest_yaw", len(t)), _over(chest_pitch, "chest_pitch", len(t))]
    )
    frames, looks = watch(t, gaze.eye_cues(cues, s), seed, s.eyes.mirrored(s.side))
    own = sum_steps(t, spoken_steps(cues, seed, s))
    own[:, :3] += _idle(t, seed, s)
    if waits is not None:
        # A tilt to the left is positive here.
        own[:, :3] += waits * np.array([1.0, 1.0, -1.0])
    turned = sum_steps(t, gaze.head_follows(looks, s))
    neck, head = _share_joints(_face(turned, own, chest, s), own, s)
    return HeadMotion(
        neck=quaternion.log(neck),
        head=quaternion.log(head),
        eyes=_eyes(frames.gaze, chest, quaternion.multiply(neck, head), s),
        blink=frames.lids[0],
        thrust=own[:, 3],
        look_target=_targets(t, looks),
    )


def _targets(times: Floats, looks: Looks) -> Floats:
    """Goal ``[f, 2]`` of the gaze at each time; zero before the first."""
    padded = np.vstack([np.zeros((1, 2)), looks.goals])
    return np.asarray(padded[np.searchsorted(looks.times, times, side="right")])


def _over(values: ArrayLike, name: str, frames: int) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0:
        array = np.full(frames, float(array))
    return frozen_floats(array, name, (frames,))


def _idle(times: Floats, seed: int, s: HeadSettings) -> Floats:
    """Slow continuous waves ``[f, 3]`` of down, turn and tilt."""
    if s.idle_deg == 0.0:
        return np.zeros((len(times), 3))
    chance = draw(seed, HeadStream.IDLE, 0, _WAVES, 6, 0).uniform
    low, high = np.log(s.looks.idle_hz)
    hz = np.exp(low + (high - low) * chance[:, :3])
    size = np.radians(s.idle_deg) * s.liveliness * np.sqrt(2.0 / _WAVES)
    angle = 2.0 * np.pi * (hz * times[:, None, None] + chance[:, 3:])
    return np.asarray(np.sin(angle).sum(axis=1) * size * np.array([1.0, s.side, s.side]))


def _face(turned: Floats, own: Floats, chest: Floats, s: HeadSettings) -> Floats:
    """Yaw and pitch ``[f, 2]`` of the face in the chest.

    The head takes its part of its target, and more where the eyes would exceed their range.
    """
    part = s.gain * (turned[:, :2] - chest) - s.steady * (1.0 - s.gain) * chest + own[:, [1, 0]]
    target = turned[:, 2:] - chest
    low, high = s.eyes.gaze.eye_room
    return target - gaze.within(target - part, s.eye_ease * low, s.eye_ease * high, s.eye_knee)


def _share_joints(face: Floats, own: Floats, s: HeadSettings) -> tuple[Floats, Floats]:
    """Rotations of neck and head, within the joint limits."""
    # Positive tilt is to the left, positive rotation about +Z to the right.
    down, tilt = s.neck_nod * own[:, 0], -own[:, 2]
    limits = joint_limits()
    most = s.looks.joint_ratio * min(
        limits["neck"].twist_range[1] / s.neck_ratio,
        limits["head"].twist_range[1] / (1.0 - s.neck_ratio),
    )
    flat = np.column_stack([face[:, 0], np.zeros(len(face))])
    edge = np.array([most, 1.0])
    yaw = gaze.within(flat, -edge, edge, s.looks.joint_knee)[:, 0]
    return (
        _joint("neck", s.neck_ratio * yaw, down, s.neck_tilt * tilt, s.looks),
        _joint(
            "head",
            (1.0 - s.neck_ratio) * yaw,
            face[:, 1] - down,
            (1.0 - s.neck_tilt) * tilt,
            s.looks,
        ),
    )


def _joint(bone: str, yaw: Floats, pitch: Floats, roll: Floats, k: LookSettings) -> Floats:
    """Rotation of one joint: yaw, then nod and tilt as one, clamped to the joint's limit."""
    limit = joint_limits()[bone]
    # The limit applies to nod and tilt before the yaw.
    c, n = np.cos(yaw), np.sin(yaw)
    swing = np.column_stack([pitch * c + roll * n, roll * c - pitch * n])
    # Its second axis is -Z, with the same range to both sides.
    low = k.joint_ratio * np.array([limit.first_range[0], limit.second_range[0]])
    high = k.joint_ratio * np.array([limit.first_range[1], limit.second_range[1]])
    kept = gaze.within(swing, low, high, k.joint_knee)
    bent = np.column_stack([kept[:, 0], np.zeros(len(kept)), kept[:, 1]])
    return quaternion.multiply(quaternion.exp(bent), euler.about("Y", yaw))


def _eyes(looking: Floats, chest: Floats, face: Floats, s: HeadSettings) -> Floats:
    """Compensation by the eyes: rotation vectors in the head, between left and right."""
    leaning = quaternion.multiply(euler.about("Y", chest[:, 0]), euler.about("X", chest[:, 1]))
    heads = quaternion.multiply(leaning, face)
    both = turn_eyes(looking, heads[None], s.eyes.gaze)[0]
    return np.asarray(quaternion.log(both).mean(axis=1))
