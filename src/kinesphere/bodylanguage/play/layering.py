"""Gestures on some parts of a body, while another animation drives the rest.

The activity of each stream (0 at rest, 1 while it gestures) is the weight of its layer: a walking
character swings its arms, and gestures with them only while it speaks. Activity uses only frames
that are already shown, so that it works live, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from kinesphere.bodylanguage.streams import ARMS, HEAD
from kinesphere.character.default import default_rig
from kinesphere.errors import InvalidValueError
from kinesphere.figure.arms.arm_overlay import arm_poses, with_arms
from kinesphere.figure.clearance import Posed, clearance_state
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.curves import smoothstep
from kinesphere.motion.body.arms import SIDES
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import SPINE
from kinesphere.motion.kinematics import forward_kinematics

PARTS = ("arms", "head", "torso", "face")
"""Parts that can be layered: arms with hands; neck and head; the spine above the hips, as active as
the arms; eyes and face curves, which always have full weight."""


@dataclass(frozen=True)
class LayerSettings:
    """When a stream counts as active, and how its layer fades.

    Parameters
    ----------
    slow, quick : speeds between which a stream goes from rest to active: of the head in rad/s, of
        the faster wrist in the chest's frame and of the pelvis in m/s.
    hold_s : a stream stays active this long after it came to rest: people hold a gesture.
    release_s : fade-out after that, as slow as a retraction.
    soft_s : time constant of the critically damped spring that smooths the activity.
    leave_s : in which the last pose of the layer fades out.
    """

    slow: tuple[float, float, float] = (0.12, 0.08, 0.02)
    quick: tuple[float, float, float] = (0.5, 0.3, 0.08)
    hold_s: float = 0.8
    release_s: float = 0.6
    soft_s: float = 0.08
    leave_s: float = 0.6


LAYERS = LayerSettings()


class ActivityState(NamedTuple):
    """State of the activity ``[characters, ...]``; immutable.

    Parameters
    ----------
    fps : of the frames.
    wrists, head, root : of the previous frame; no rows before the first.
    held, since_s : highest recent activity ``[characters, 3]``, and the time since then.
    level, rate : smoothed activity, and its rate of change.
    """

    fps: float
    wrists: Floats
    head: Floats
    root: Floats
    held: Floats
    since_s: Floats
    level: Floats
    rate: Floats


def start(fps: float, characters: int = 1) -> ActivityState:
    """State before the first frame: everything is at rest."""
    none = np.zeros((characters, 3))
    return ActivityState(
        fps,
        np.zeros((characters, 0, 2, 3)),
        np.zeros((characters, 0, 4)),
        np.zeros((characters, 0, 3)),
        none,
        none,
        none,
        none,
    )


def step(
    state: ActivityState, rotations: Floats, root_positions: Floats, counts: Floats | None = None
) -> tuple[ActivityState, Floats]:
    """Activity of the streams in the next frames, ``[characters, frames, 3]`` in [0, 1].

    Parameters
    ----------
    rotations : ``[characters, frames, joints, 4]`` of the default figure, as in `LiveFrames`.
    root_positions : ``[characters, frames, 3]``.
    counts : ``[characters, frames]`` how far movement is gesture, 1 by default: somebody who
        listens moves, too.
    """
    if not rotations.shape[1]:
        return state, np.zeros((*rotations.shape[:2], 3))
    wrists, head = _wrists(rotations), _head(rotations)
    moved = _speeds(state, wrists, head, root_positions)
    moved = moved if counts is None else moved * counts[..., None]
    slow, quick = np.array(LAYERS.slow), np.array(LAYERS.quick)
    wanted = smoothstep((moved - slow) / (quick - slow))
    held, since_s, level, rate = state.held, state.since_s, state.level, state.rate
    out = np.empty_like(wanted)
    dt = 1.0 / state.fps
    omega = 1.0 / LAYERS.soft_s
    fade = np.exp(-omega * dt)
    for frame in range(wanted.shape[1]):
        now = wanted[:, frame]
        since_s = np.where(now >= held, 0.0, since_s + dt)
        sunk = np.where(since_s > LAYERS.hold_s, held - dt / LAYERS.release_s, held)
        held = np.maximum(now, sunk)
        # Exact for a target that is constant during a frame.
        off = level - held
        way = rate + omega * off
        level = held + (off + way * dt) * fade
        rate = (rate - omega * way * dt) * fade
        out[:, frame] = level
    after = ActivityState(
        state.fps, wrists[:, -1:], head[:, -1:], root_positions[:, -1:], held, since_s, level, rate
    )
    return after, np.clip(out, 0.0, 1.0)


def activity(clip: Clip) -> Floats:
    """Activity of the three streams of a clip of the default figure, ``[frames, 3]``."""
    _check_figure(clip, "the clip")
    return _activity(clip)


def _activity(clip: Clip) -> Floats:
    _, found = step(start(clip.fps), clip.rotations[None], clip.root_positions[None])
    return np.asarray(found[0])


def _speeds(state: ActivityState, wrists: Floats, head: Floats, root: Floats) -> Floats:
    """Speeds ``[characters, frames, 3]`` since the previous frame; 0 in the very first."""

    def join(before: Floats, now: Floats) -> Floats:
        return np.concatenate([before if before.shape[1] else now[:, :1], now], axis=1)

    hands = np.diff(join(state.wrists, wrists), axis=1)
    turns = join(state.head, head)
    angles = quaternion.angle_between(turns[:, :-1], turns[:, 1:])
    hips = np.diff(join(state.root, root), axis=1)
    quickest = np.linalg.norm(hands, axis=-1).max(axis=-1)
    return state.fps * np.stack([angles, quickest, np.linalg.norm(hips, axis=-1)], axis=-1)


def _wrists(rotations: Floats) -> Floats:
    """Wrists ``[..., 2, 3]`` in the chest's frame, from local rotations."""
    rig = default_rig()
    out = []
    for side in SIDES:
        joints = rig.joints([f"{side}{b}" for b in ("Shoulder", "UpperArm", "LowerArm", "Hand")])
        turn = rotations[..., joints[0], :]
        place = np.zeros((*turn.shape[:-1], 3))
        for joint in joints[1:]:
            place = place + quaternion.rotate(turn, rig.skeleton.offsets[joint])
            turn = quaternion.multiply(turn, rotations[..., joint, :])
        out.append(place)
    return np.stack(out, axis=-2)


def _head(rotations: Floats) -> Floats:
    """World rotation ``[..., 4]`` of the head."""
    first, *others = default_rig().joints(SPINE)
    turn = rotations[..., first, :]
    for joint in others:
        turn = quaternion.multiply(turn, rotations[..., joint, :])
    return turn


@dataclass(frozen=True)
class _Placed:
    """Layer frames at the times of the base's frames, and their activity."""

    rotations: Floats
    weights: Floats


def layer(
    base: Clip,
    made: Clip,
    parts: Iterable[str] = ("arms",),
    activity: Floats | None = None,
    *,
    start_s: float = 0.0,
) -> Clip:
    """Layer some parts of a motion on another body motion, weighted by its activity.

    Arms keep their directions relative to the chest of the base; joint limits hold and hands stay
    outside the body. Where nothing is active, and in all other joints, the base is unchanged.

    Parameters
    ----------
    base : motion of the whole body: a walk, a sitting person; on the default figure, as is `made`.
    made : motion of the layer: gestures to a voice.
    parts : some of `PARTS`.
    activity : of `made` ``[frames, 3]``; by default that of `activity`.
    start_s : time of the base at which `made` starts.

    Raises
    ------
    InvalidValueError
        If a clip is not of the default figure, rates differ, or a part is unknown.
    """
    wanted = tuple(dict.fromkeys(parts))
    for part in wanted:
        if part not in PARTS:
            raise InvalidValueError(f"part {part!r}, allowed are {', '.join(PARTS)}")
    _check_figure(base, "the base")
    _check_figure(made, "the layer")
    if base.fps != made.fps:
        raise InvalidValueError(
            f"the base has {base.fps:g} frames per second, the layer {made.fps:g}; "
            "they must be the same"
        )
    if activity is None:
        activity = _activity(made)
    if activity.shape != (len(made), 3):
        raise InvalidValueError(f"activity has shape {activity.shape}, expected ({len(made)}, 3)")
    first = round(start_s * base.fps)
    there = np.arange(len(base)) - first
    frames = np.clip(there, 0, len(made) - 1)
    leaving = 1.0 - smoothstep((there - (len(made) - 1)) / (LAYERS.leave_s * base.fps))
    entered = (there >= 0)[:, None] * leaving[:, None]
    placed = _Placed(made.rotations[frames], np.clip(activity[frames], 0.0, 1.0) * entered)
    rotations = _rotate(base, placed, wanted)
    if "arms" in wanted:
        rotations = _with_made_arms(base, rotations, placed)
    out = replace(base, rotations=rotations)
    return _with_face(out, made, placed, frames, there, wanted)


def _check_figure(clip: Clip, name: str) -> None:
    if clip.skeleton != default_rig().skeleton or clip.translated_joints:
        raise InvalidValueError(f"{name} is not on the default figure; retarget it first")


def _rotate(base: Clip, placed: _Placed, parts: tuple[str, ...]) -> Floats:
    """Local rotations with those joints updated that follow from others."""
    rotations = base.rotations.copy()
    groups = {"head": (SPINE[4:], HEAD), "torso": (SPINE[1:4], ARMS)}
    for part, (bones, stream) in groups.items():
        weights = placed.weights[:, stream]
        rows = np.flatnonzero(weights > 0.0)
        if part in parts and len(rows):
            which = np.ix_(rows, np.array(default_rig().joints(bones)))
            between = quaternion.slerp(
                rotations[which], placed.rotations[which], weights[rows, None]
            )
            rotations[which] = between
    return rotations


def _with_made_arms(base: Clip, rotations: Floats, placed: _Placed) -> Floats:
    skeleton, roots = base.skeleton, base.root_positions
    world, _ = forward_kinematics(skeleton, rotations, roots)
    other, _ = forward_kinematics(skeleton, np.ascontiguousarray(placed.rotations), roots)
    weights = np.repeat(placed.weights[:, ARMS, None], 2, axis=1)
    poses = arm_poses(placed.rotations, other)
    pushes, dt = clearance_state(1), 1.0 / base.fps
    return with_arms(Posed(rotations, roots, world), poses, weights, pushes, dt).rotations


def _with_face(
    clip: Clip, made: Clip, placed: _Placed, frames: Ints, there: Ints, parts: tuple[str, ...]
) -> Clip:
    """Face curves and eyes, where the layer has them."""
    if "face" not in parts:
        return clip
    inside = (there >= 0) & (there < len(made))
    rotations = clip.rotations.copy()
    eyes = np.array(default_rig().joints(("leftEye", "rightEye")))
    which = np.ix_(np.flatnonzero(inside), eyes)
    rotations[which] = placed.rotations[which]
    channels = dict(clip.channels)
    for name, values in made.channels.items():
        own = channels.get(name, np.zeros(len(clip)))
        channels[name] = np.where(inside, values[frames], own)
    return replace(clip, rotations=rotations, channels=channels)
