"""Cutting, placing and joining clips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths import curves, quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.motion.kinematics import angular_velocities, velocities

# Frame rates of files are rounded, so a time close to a frame's means that frame.
_NEARLY = 0.02


def between(clip: Clip, start_s: float, end_s: float) -> Clip:
    """Return the frames from `start_s` to `end_s`, both included where a frame falls on them."""
    return clip.frames(*frames_between(clip, start_s, end_s))


def frames_between(clip: Clip, start_s: float, end_s: float) -> tuple[int, int]:
    """First frame and the one after the last of a time range."""
    if not 0.0 <= start_s <= end_s:
        raise InvalidValueError(
            f"a cut from {start_s:g} to {end_s:g} s; allowed is 0 <= from <= to"
        )
    first = int(np.ceil(start_s * clip.fps - _NEARLY))
    last = min(int(np.floor(end_s * clip.fps + _NEARLY)), len(clip) - 1)
    if first > last:
        raise InvalidValueError(
            f"no frame is between {start_s:g} and {end_s:g} s; the clip lasts {clip.duration_s:g} s"
        )
    return first, last + 1


def place_clip(clip: Clip, turn: ArrayLike, shift: ArrayLike) -> Clip:
    """Rotate the whole motion about the world's origin by a quaternion, then translate it."""
    rotations = clip.rotations.copy()
    rotations[:, 0] = quaternion.multiply(turn, rotations[:, 0])
    roots = quaternion.rotate(turn, clip.root_positions) + np.asarray(shift, dtype=np.float64)
    return replace(clip, rotations=rotations, root_positions=roots)


def heading(rotation: ArrayLike, rest: ArrayLike) -> Floats:
    """Rotation about the vertical of a root rotation from its rest rotation, as quaternion."""
    away = quaternion.multiply(rotation, quaternion.inverse(rest))
    return quaternion.swing_twist(away, np.array([0.0, 1.0, 0.0]))[1]


def continue_from(before: Clip, after: Clip) -> Clip:
    """Place `after` so that it starts where `before` ends, with the same heading."""
    rest = after.skeleton.rest_rotations[0]
    turn = quaternion.multiply(
        heading(before.rotations[-1, 0], rest),
        quaternion.inverse(heading(after.rotations[0, 0], rest)),
    )
    shift = before.root_positions[-1] - quaternion.rotate(turn, after.root_positions[0])
    shift[1] = 0.0
    return place_clip(after, turn, shift)


def concatenate(clips: Sequence[Clip]) -> Clip:
    """Concatenate clips of one skeleton and rate, frame by frame, unchanged."""
    if not clips:
        raise InvalidValueError("nothing to concatenate")
    first = clips[0]
    for clip in clips[1:]:
        _compatible(first, clip)
    return replace(
        first,
        root_positions=np.concatenate([c.root_positions for c in clips]),
        rotations=np.concatenate([c.rotations for c in clips]),
        translations=np.concatenate([c.translations for c in clips]),
        channels={n: np.concatenate([c.channels[n] for c in clips]) for n in first.channels},
    )


def join_clips(before: Clip, after: Clip, blend_s: float = 0.3, *, follow: bool = True) -> Clip:
    """Join two clips with continuous pose and velocity.

    `after` plays in full; the difference of its first frame to the extrapolated end of `before`, in
    pose and in velocity, is added to it and fades to zero over `blend_s`. With `follow` it is first
    placed where `before` ends.
    """
    _compatible(before, after)
    after = continue_from(before, after) if follow else after
    if len(before) < 2 or blend_s <= 0.0:
        return concatenate([before, after])
    dt = 1.0 / before.fps
    ratio = np.arange(len(after)) * dt / blend_s
    turn, turn_rate = _rotation_gap(before, after, dt)
    rotvec = curves.settle(ratio[:, None, None], turn, turn_rate, blend_s)
    rotations = quaternion.multiply(quaternion.exp(rotvec), after.rotations)

    def ease(a: Floats, b: Floats) -> Floats:
        speed = (a[-1] - a[-2]) / dt
        gap = a[-1] + speed * dt - b[0]
        rate = speed - velocities(b, after.fps)[0]
        wide = ratio.reshape(-1, *(1,) * (b.ndim - 1))
        return b + curves.settle(wide, gap, rate, blend_s)

    blended = replace(
        after,
        rotations=quaternion.normalise(rotations),
        root_positions=ease(before.root_positions, after.root_positions),
        translations=ease(before.translations, after.translations),
        channels={n: ease(before.channels[n], v) for n, v in after.channels.items()},
    )
    return concatenate([before, blended])


def _rotation_gap(before: Clip, after: Clip, dt: float) -> tuple[Floats, Floats]:
    """Gap to the pose of `before` one frame later, and the gap's rate of change."""
    last, previous = before.rotations[-1], before.rotations[-2]
    step = quaternion.multiply(last, quaternion.inverse(previous))
    heading_for = quaternion.multiply(step, last)
    gap = quaternion.log(quaternion.multiply(heading_for, quaternion.inverse(after.rotations[0])))
    rate = quaternion.log(step) / dt - angular_velocities(after.rotations[:3], after.fps)[0]
    return gap, rate


def _compatible(a: Clip, b: Clip) -> None:
    if a.skeleton != b.skeleton:
        raise InvalidValueError("clips to join have different skeletons; retarget one first")
    if a.fps != b.fps:
        raise InvalidValueError(
            f"clips to join run at {a.fps:g} and {b.fps:g} fps; resample one first"
        )
    if a.translated_joints != b.translated_joints or a.channels.keys() != b.channels.keys():
        raise InvalidValueError("clips to join do not have the same channels or moving offsets")
