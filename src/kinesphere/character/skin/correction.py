"""Corrections of an arm over time: how they are spread, and how an arm takes them.

A correction is a displacement of the wrist in the chest's axes and one of the elbow along its
circle about the line from shoulder to wrist, all in metres.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.character.joint_limits import joint_limits
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.maths.filters import gaussian, moving_minimum
from kinesphere.motion.body.arms import ArmMotion, arm_turns, carry, with_arm
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig


@dataclass(frozen=True)
class CorrectionSettings:
    """How corrections change in time, and what an arm can do.

    Parameters
    ----------
    spread_s : time before and after a penetration over which its correction comes and goes: that
        of a fast movement of a hand, so that accelerations stay below those of gestures.
    contact_s : standard deviation of the smoothing of contacts.
    sure : ratio left of the mean of directions that contradict each other, below which a
        correction shrinks instead of flipping.
    most_bend_rad : bend of the elbow, 150 degrees in healthy adults.
    least_circle_m : radius of the elbow's circle below which it cannot swivel usefully.
    most_swivel_rad : of one correction.
    """

    spread_s: float = 0.30
    contact_s: float = 0.10
    sure: float = 0.4
    most_bend_rad: float = float(np.radians(148.0))
    least_circle_m: float = 0.05
    most_swivel_rad: float = float(np.radians(60.0))


def spread_in_time(push: Floats, fps: float, settings: CorrectionSettings) -> Floats:
    """Smooth corrections ``[frames, k]`` that are at least as large as those given."""
    size = np.linalg.norm(push, axis=-1)
    pushed = np.flatnonzero(size > 0.0)
    if len(pushed) == 0:
        return np.zeros_like(push)
    reach = max(1, round(settings.spread_s * fps))
    wide = gaussian(-moving_minimum(-size, reach), 0.5 * reach, 2.0)
    frames = np.arange(len(size))
    after = np.clip(np.searchsorted(pushed, frames), 0, len(pushed) - 1)
    before = np.maximum(after - 1, 0)
    closer = np.abs(pushed[before] - frames) < np.abs(pushed[after] - frames)
    nearest = np.where(closer, pushed[before], pushed[after])
    way = gaussian(push[nearest] / size[nearest, None], 0.5 * reach, 3.0)
    length = np.linalg.norm(way, axis=-1, keepdims=True)
    way = way / np.maximum(length, settings.sure)
    return np.asarray(np.maximum(wide, 0.0)[:, None] * way)


@dataclass(frozen=True, eq=False)
class ElbowSlopes:
    """How the elbow of an arm moves, in the chest's axes.

    Parameters
    ----------
    radius : ``[f]`` of its circle about the line from shoulder to wrist.
    tangent : ``[f, 3]`` its direction of growing swivel.
    follows : ``[f, 3, 3]`` its displacement for one of the wrist along each axis (first index).
    """

    radius: Floats
    tangent: Floats
    follows: Floats


def elbow_slopes(arm: ArmMotion, wrists: Floats, swivels: Floats) -> ElbowSlopes:
    """Derivatives of the elbow's position by swivel and wrist."""
    step = 1e-3
    here = _elbows(arm, wrists, swivels)
    moved = (_elbows(arm, wrists, swivels + step) - here) / step
    radius = np.linalg.norm(moved, axis=-1)
    follows = [(_elbows(arm, wrists + step * axis, swivels) - here) / step for axis in np.eye(3)]
    tangent = moved / np.maximum(radius, 1e-9)[:, None]
    return ElbowSlopes(radius, tangent, np.clip(np.stack(follows, axis=1), -1.0, 1.0))


def _elbows(arm: ArmMotion, wrists: Floats, swivels: Floats) -> Floats:
    return quaternion.rotate(arm_turns(arm.limb, wrists, swivels)[:, 0], arm.limb.hinge_offset)


def corrected_arm(
    arm: ArmMotion, correction: Floats, settings: CorrectionSettings
) -> tuple[Floats, Floats]:
    """Wrists ``[f, 3]`` and swivels ``[f]`` of an arm with a correction ``[f, 4]``."""
    wrists = within_reach(arm, arm.wrists + correction[:, :3], settings)
    radius = elbow_slopes(arm, wrists, arm.swivels).radius
    swivel = correction[:, 3] / np.maximum(radius, settings.least_circle_m)
    most = settings.most_swivel_rad
    return wrists, arm.swivels + most * np.tanh(swivel / most)


def within_reach(arm: ArmMotion, wrists: Floats, settings: CorrectionSettings) -> Floats:
    """Wrists at distances from the shoulder that the elbow can bend to; or as they were."""
    a, b = arm.limb.upper_length, arm.limb.lower_length
    least = np.sqrt(a * a + b * b + 2.0 * a * b * np.cos(settings.most_bend_rad))
    was = np.linalg.norm(arm.wrists, axis=-1)
    size = np.linalg.norm(wrists, axis=-1)
    kept = np.clip(size, np.minimum(least, was), np.maximum(was, 0.999 * (a + b)))
    return np.asarray(wrists * (kept / np.maximum(size, 1e-9))[:, None])


def pose_arm(
    clip: Clip, rig: Rig, arm: ArmMotion, correction: Floats, settings: CorrectionSettings
) -> Clip:
    """The clip with a corrected arm; the hand keeps its orientation as far as the wrist allows."""
    wrists, swivels = corrected_arm(arm, correction, settings)
    turns = carry(arm, wrists, swivels)
    carried = turns[:, 2].copy()
    share = _wrist_share(arm, turns[:, 1], carried, clip.fps, settings)
    turns[:, 2] = quaternion.slerp(carried, arm.turns[:, 2], share)
    still = ~np.any(np.abs(correction) > 1e-7, axis=-1)
    return with_arm(clip, rig, arm.side, turns, arm.axes, still)


def _wrist_share(
    arm: ArmMotion, forearm: Floats, carried: Floats, fps: float, settings: CorrectionSettings
) -> Floats:
    """Ratio ``[f]`` from a hand that follows the forearm to one that keeps its orientation."""
    limit = joint_limits()[f"{arm.side}Hand"]
    most = limit.excess(quaternion.relative(arm.turns[:, 1], arm.turns[:, 2])) + 1e-6
    low, high = np.zeros(len(carried)), np.ones(len(carried))

    def fits(share: Floats) -> Bools:
        hand = quaternion.slerp(carried, arm.turns[:, 2], share)
        return np.asarray(limit.excess(quaternion.relative(forearm, hand)) <= most)

    good = fits(high)
    if good.all():
        return high
    for _ in range(6):
        middle = 0.5 * (low + high)
        fine = fits(middle)
        low, high = np.where(fine, middle, low), np.where(fine, high, middle)
    share = np.where(good, 1.0, low)
    reach = max(1, round(settings.spread_s * fps))
    return np.clip(gaussian(moving_minimum(share, reach), 0.5 * reach, 2.0), 0.0, 1.0)
