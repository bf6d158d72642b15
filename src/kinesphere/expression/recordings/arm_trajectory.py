"""The new motion of a recorded arm: its path retimed by Effort and displaced by Shape."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.animation.arms.restraint import SLOW_S
from kinesphere.expression.keys.arm_keys import mass_in_arm
from kinesphere.expression.keys.keypoints import shape_keypoints
from kinesphere.expression.phrase import SHAPE_FACTORS
from kinesphere.expression.recordings.arm_limits import ArmTask, restrain, share_within, values_at
from kinesphere.expression.recordings.touches import Touches
from kinesphere.figure.arms.corrections import ease_ratio
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.maths.filters import gaussian, low_pass
from kinesphere.motion.body.arms import ArmMotion
from kinesphere.motion.clip import Clip
from kinesphere.motion.keyed.arm_path import SOFT_REACH, soft_reach
from kinesphere.motion.keyed.key_extraction import Extraction
from kinesphere.motion.keyed.keyed_motion import ArmKeys
from kinesphere.motion.keyed.sampling import ArmSample, sample_arm


@dataclass(frozen=True)
class TrajectorySettings:
    """How a recorded path is retimed and displaced.

    Parameters
    ----------
    even : weight of constant time in the measure by which detail is placed, so that a stop is no
        jump.
    shape_hz, shape_ratio : frequency limit of Shape's displacement, to add no jerk; at most that
        ratio of the frame rate.
    steady_hz, steady_ratio : frequency limit of the changes by Effort, likewise.
    detail_rate, detail_fade_s : rate of playing from which on detail fades out, and over how long.
    least_frames : a shorter clip cannot be filtered.
    """

    even: float = 0.1
    shape_hz: float = 0.7
    shape_ratio: float = 0.2
    steady_hz: float = 4.2
    steady_ratio: float = 0.4
    detail_rate: float = 2.0
    detail_fade_s: float = 0.05
    least_frames: int = 12


SETTINGS = TrajectorySettings()


@dataclass(frozen=True)
class ArmTrajectory:
    """New motion of an arm, one value per frame: positions, source frames, flourishes."""

    wrists: Floats
    swivels: Floats
    at: Floats
    rolls: Floats
    flexions: Floats


def recorded_trajectory(arm: ArmMotion) -> ArmTrajectory:
    """The arm's motion as it was recorded."""
    frames = np.arange(len(arm.wrists), dtype=np.float64)
    none = np.zeros(len(frames))
    return ArmTrajectory(arm.wrists, arm.swivels, frames, none, none)


def retime(arm: ArmMotion, found: Extraction, keys: ArmKeys, clip: Clip) -> ArmTrajectory:
    """The path of changed keys with the recording's detail, smooth and within reach."""
    sample = sample_arm(keys, arm.limb, clip.times, hands=False)
    at = source_frames(found, keys, sample, clip.fps)
    wrists, swivels = _add_detail(arm, found.sample, sample, at, clip.fps)
    wrists = _limit_reach(arm, _steady(arm.wrists, wrists, clip.fps), at)
    swivels = _steady(arm.swivels, swivels, clip.fps)
    return ArmTrajectory(wrists, swivels, at, sample.rolls, sample.flexions)


def hold_touches(
    path: ArmTrajectory, held: Touches, arm: ArmMotion, now: ArmMotion
) -> ArmTrajectory:
    """Path with its recorded positions and times where the hand touches something."""
    if not held.weights.any():
        return path
    free = 1.0 - held.weights
    frames = np.arange(len(free), dtype=np.float64)
    target = now.from_world(held.targets)
    return ArmTrajectory(
        path.wrists + held.weights[:, None] * (target - path.wrists),
        held.weights * arm.swivels + free * path.swivels,
        frames + free * (path.at - frames),
        free * path.rolls,
        free * path.flexions,
    )


def shape_trajectory(path: ArmTrajectory, task: ArmTask, found: Extraction) -> Floats:
    """Move the whole path as Shape moves keys, slowly enough to add no jerk."""
    arm, phrase, bent = task.arm, task.phrase, task.bent
    part = f"{arm.side}-arm"
    wrists, at = path.wrists, path.at
    if not phrase.touches(part, SHAPE_FACTORS):
        return wrists
    places = bent.times
    if phrase.by_key:
        goals = found.keys.goal_times
        places = np.interp(places, goals, np.arange(len(goals)))
    values = phrase.at(part, places)
    wanted = {name: values[name] for name in SHAPE_FACTORS}
    centre = mass_in_arm(task.rig, arm.side)
    moved = shape_keypoints(wrists, wanted, arm.limb.side, centre, task.settings.shape)
    far = np.linalg.norm(values_at(arm.wrists, at), axis=-1)
    moved = soft_reach(moved, arm.limb, far)
    if len(wrists) <= SETTINGS.least_frames:
        return moved
    moved, _, _ = restrain(task, at, moved, path.swivels)
    change = low_pass(
        moved - wrists, min(SETTINGS.shape_hz, SETTINGS.shape_ratio * bent.fps), bent.fps
    )
    share = share_within(wrists, change, np.maximum(SOFT_REACH * arm.limb.reach, far))
    return wrists + ease_ratio(share, bent.fps, SLOW_S)[:, None] * change


def hanging_axes(arm: ArmMotion, now: ArmMotion, hanging: float) -> Floats:
    """Axes in which the arm is posed: only a ratio of the torso's new rotation is followed."""
    if now is arm:
        return arm.axes
    turn = quaternion.multiply(now.axes, quaternion.inverse(arm.axes))
    part = quaternion.exp((1.0 - hanging) * quaternion.log(turn))
    same = np.all(now.axes == arm.axes, axis=-1)
    return np.where(same[:, None], arm.axes, quaternion.multiply(part, arm.axes))


def source_frames(found: Extraction, keys: ArmKeys, sample: ArmSample, fps: float) -> Floats:
    """Frame of the recording at the same ratio of its movement's path, for every frame."""
    frames = np.arange(len(sample.along), dtype=np.float64)
    goals = found.goal_frames
    starts = keys.goal_times * fps
    bounds = np.searchsorted(sample.movements, np.arange(len(keys.movements) + 1))
    out = frames.copy()
    for m, movement in enumerate(found.keys.movements):
        i, j = int(bounds[m]), int(bounds[m + 1])
        a, b = int(goals[m]), int(goals[m + 1])
        in_place = abs(starts[m] - a) < 1e-6 and abs(starts[m + 1] - b) < 1e-6
        if i >= j or (in_place and keys.movements[m] is movement):
            continue
        even = np.linspace(0.0, 1.0, b - a + 1)
        walked = np.append(found.sample.along[a:b], 1.0)
        old = (1.0 - SETTINGS.even) * np.maximum.accumulate(walked) + SETTINGS.even * even
        ratio = np.clip((frames[i:j] - starts[m]) / (starts[m + 1] - starts[m]), 0.0, 1.0)
        new = (1.0 - SETTINGS.even) * np.clip(sample.along[i:j], 0.0, 1.0) + SETTINGS.even * ratio
        out[i:j] = a + (b - a) * np.interp(new, old, even)
    return np.clip(out, 0.0, len(frames) - 1.0)


def _add_detail(
    arm: ArmMotion, plain: ArmSample, sample: ArmSample, at: Floats, fps: float
) -> tuple[Floats, Floats]:
    """Wrists and swivels of the new keys with the recording's detail that the old keys lacked.

    Detail that would play at more than `detail_rate` times its speed fades out, as with a hand's
    inertia.
    """
    frames = np.arange(len(at))
    kept = np.ones(len(at))
    if len(at) > 3:
        rate = np.abs(np.gradient(at))
        kept = gaussian(
            SETTINGS.detail_rate / np.maximum(rate, SETTINGS.detail_rate),
            max(1.0, SETTINGS.detail_fade_s * fps),
        )
        kept = np.where(at == frames, 1.0, kept)
    wrists = sample.wrists + kept[:, None] * values_at(arm.wrists - plain.wrists, at)
    swivels = sample.swivels + kept * values_at(arm.swivels - plain.swivels, at)
    same = np.all(sample.wrists == plain.wrists, axis=-1) & (at == frames)
    soft = _limit_reach(arm, wrists, at)
    return np.where(same[:, None], arm.wrists, soft), np.where(same, arm.swivels, swivels)


def _limit_reach(arm: ArmMotion, wrists: Floats, at: Floats) -> Floats:
    """Wrists that extend the arm no farther than its soft limit, or than it was, there or then."""
    recorded = np.linalg.norm(arm.wrists, axis=-1)
    return soft_reach(wrists, arm.limb, np.maximum(recorded, values_at(recorded, at)))


def _steady(recorded: Floats, changed: Floats, fps: float) -> Floats:
    """Changed values without changes of speed that no hand can make.

    The recording's own content above `steady_hz` is kept.
    """
    if len(recorded) <= SETTINGS.least_frames:
        return changed
    return recorded + low_pass(
        changed - recorded, min(SETTINGS.steady_hz, SETTINGS.steady_ratio * fps), fps
    )
