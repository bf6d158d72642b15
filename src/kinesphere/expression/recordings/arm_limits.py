"""Limits of changed arms of a recording: joint limits, and hands out of the body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from kinesphere.animation.arms.restraint import CLEAR_M, SLOW_S, largest_share
from kinesphere.character.joint_limits import joint_limits
from kinesphere.expression.phrase import Phrase
from kinesphere.expression.settings import ExpressionSettings
from kinesphere.figure.arms.corrections import SMOOTH_S, ease_ratio
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats, Ints
from kinesphere.maths.filters import gaussian
from kinesphere.motion.body.arms import ArmMotion, arm_turns
from kinesphere.motion.body.body_volume import CORE, body_volume, distance, hand_points
from kinesphere.motion.body.limits import JointLimit
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.keyed.flourishes import flourish_rotation
from kinesphere.motion.resampling import rotations_at, vectors_at

# Reductions change slowly, so that checking thirty frames per second is enough.
CHECKS_HZ = 30.0
_BISECTIONS = 6


def values_at(values: Floats, at: Floats) -> Floats:
    """Values at frame numbers; exact at whole ones."""
    whole = np.array_equal(at, np.arange(len(values)))
    return values if whole else vectors_at(values, at)


def recorded_rotations(arm: ArmMotion, at: Floats) -> Floats:
    """The arm's recorded rotations at frame numbers; exact at whole ones."""
    if np.array_equal(at, np.arange(len(at))):
        return arm.turns
    return rotations_at(np.ascontiguousarray(arm.turns), at)


@dataclass(frozen=True)
class ArmTask:
    """One arm of a recording and what changes it.

    Parameters
    ----------
    clip, bent : the recording, and with the new torso.
    arm, now : the arm's motion in each of them.
    phrase, settings : Effort and Shape, and how they are applied.
    """

    clip: Clip
    bent: Clip
    rig: Rig
    arm: ArmMotion
    now: ArmMotion
    phrase: Phrase
    settings: ExpressionSettings

    @cached_property
    def hand(self) -> Floats:
        """The hand's points from its wrist, in the arm's axes, as recorded ``[f, p, 3]``."""
        arm = self.arm
        return quaternion.rotate(
            quaternion.inverse(arm.axes)[:, None],
            hand_points(self.clip, self.rig, arm.side) - arm.in_world(arm.wrists)[:, None],
        )


@dataclass(frozen=True)
class _Change:
    """Recorded wrists and swivels at frame numbers, and what is to be added to them."""

    at: Floats
    wrists: Floats
    swivels: Floats
    added: Floats
    added_swivels: Floats


_Measure = Callable[[Ints, Floats], Floats]


def restrain(
    task: ArmTask, at: Floats, wrists: Floats, swivels: Floats
) -> tuple[Floats, Floats, Bools]:
    """Reduce changes that would exceed shoulder or elbow limits, or put the hand into the body.

    Also returns the frames in which they were reduced.
    """
    before, turned = values_at(task.arm.wrists, at), values_at(task.arm.swivels, at)
    change = _Change(at, before, turned, wrists - before, swivels - turned)
    if not (change.added.any() or change.added_swivels.any()):
        return wrists, swivels, np.zeros(len(wrists), dtype=bool)
    frames = np.arange(len(wrists))
    fps = task.bent.fps
    every = np.unique(np.append(frames[:: max(1, int(fps / CHECKS_HZ))], frames[-1]))
    excess, depth = _joint_excess(task, change, every), _body_depth(task, change)
    shares, over = _largest_shares(excess, depth, every)
    if over.any():
        share = np.interp(frames, every, shares)
        share = ease_ratio(share, fps, SMOOTH_S if np.any(at != frames) else SLOW_S)
        wrists = before + share[:, None] * change.added
        swivels = turned + share * change.added_swivels
    over = np.interp(frames, every, over.astype(float)) > 0.0
    return wrists, swivels, over


def _largest_shares(excess: _Measure, depth: _Measure, every: Ints) -> tuple[Floats, Bools]:
    """Ratios of the change that limits and body allow in some frames, and where it is not all."""
    indices = np.arange(len(every))
    none, full = np.zeros(len(every)), np.ones(len(every))
    # Limits that the recording exceeds anywhere may be exceeded here; the body only where it does.
    allowed = excess(indices, none).max(axis=1, keepdims=True) + 1e-6
    over = np.any(excess(indices, full) > allowed, axis=0)
    deep = depth(every, full)
    within = np.full(len(every), CLEAR_M)
    suspect = np.flatnonzero(deep > CLEAR_M)
    if len(suspect):
        within[suspect] += np.maximum(depth(every[suspect], none[suspect]), 0.0)
    over |= deep > within
    if over.any():
        some = np.flatnonzero(over)

        def fits(ratio: Floats) -> Bools:
            inside = depth(every[some], ratio) <= within[some]
            return np.asarray(inside & np.all(excess(some, ratio) <= allowed, axis=0))

        full[some] = largest_share(fits, len(some), _BISECTIONS)
    return full, over


def _joint_excess(task: ArmTask, change: _Change, every: Ints) -> _Measure:
    """Excess over the limits of shoulder and elbow, by index in `every` and ratio of the change."""
    arm, now, rig = task.arm, task.now, task.rig
    some_before, some_change = change.wrists[every], change.added[every]
    some_turned, some_turn = change.swivels[every], change.added_swivels[every]
    recorded = rotations_at(np.ascontiguousarray(arm.turns), change.at[every])
    back = quaternion.inverse(arm_turns(arm.limb, some_before, some_turned))
    clavicle = f"{now.side}Shoulder"
    axes = now.axes[every]
    above = axes
    if clavicle in rig:
        above = rig.turn(task.bent.world_rotations[every], rig.bones[clavicle])
    above = quaternion.relative(axes, above)
    limits = joint_limits()
    shoulder, elbow = limits[f"{now.side}UpperArm"], limits[f"{now.side}LowerArm"]

    def excess(some: Ints, share: Floats) -> Floats:
        places = some_before[some] + share[:, None] * some_change[some]
        new = arm_turns(arm.limb, places, some_turned[some] + share * some_turn[some])
        turns = quaternion.multiply(quaternion.multiply(new, back[some]), recorded[some, :2])
        return np.stack(
            [
                shoulder.excess(quaternion.relative(above[some], turns[:, 0])),
                elbow.excess(quaternion.relative(turns[:, 0], turns[:, 1])),
            ]
        )

    return excess


def _body_depth(task: ArmTask, change: _Change) -> _Measure:
    """Penetration of the hand into the body, by frame and ratio of the change, metres."""
    volume = body_volume(task.rig)
    now, bent, hand, at = task.now, task.bent, task.hand, change.at
    offsets = hand if np.array_equal(at, np.arange(len(at))) else None

    def depth(some: Ints, share: Floats) -> Floats:
        wrist = change.wrists[some] + share[:, None] * change.added[some]
        offset = vectors_at(hand, at[some]) if offsets is None else offsets[some]
        points = wrist[:, None] + offset
        world = now.shoulders[some, None] + quaternion.rotate(now.axes[some, None], points)
        away, _, _ = distance(
            volume, bent.world_rotations[some], bent.world_positions[some], world, CORE, CLEAR_M
        )
        return np.asarray(-away.min(axis=1))

    return depth


def within_wrist(
    arm: ArmMotion, upper: Floats, lower: Floats, hand: Floats, rolls: Floats, flexions: Floats
) -> tuple[Floats, Floats]:
    """Flourishes reduced to the limits of forearm and wrist."""
    if not (rolls.any() or flexions.any()):
        return rolls, flexions
    limits = joint_limits()
    elbow = quaternion.relative(upper, lower)
    out = []
    for values, limit, base, rolling in (
        (rolls, limits[f"{arm.side}LowerArm"], elbow, True),
        (flexions, limits[f"{arm.side}Hand"], hand, False),
    ):
        some = np.flatnonzero(values)
        share = np.ones(len(values))

        def excess(
            which: Ints,
            ratio: Floats,
            values: Floats = values,
            limit: JointLimit = limit,
            base: Floats = base,
            rolling: bool = rolling,
        ) -> Floats:
            asked, none = ratio * values[which], np.zeros(len(which))
            turn = flourish_rotation(arm.limb, *((asked, none) if rolling else (none, asked)))
            return limit.excess(quaternion.multiply(base[which], turn))

        if len(some):
            allowed = float(excess(some, np.zeros(len(some))).max()) + 1e-6
            some = some[excess(some, np.ones(len(some))) > allowed]
            if len(some):
                share[some] = largest_share(
                    partial(_within, excess, some, allowed), len(some), _BISECTIONS
                )
                share = np.minimum(gaussian(share, 6.0), share)
        out.append(values * share)
    return out[0], out[1]


def share_within(points: Floats, change: Floats, radius: Floats) -> Floats:
    """Largest ratios in [0, 1] of changes that keep points within a radius, or as far as before."""
    a = np.sum(change * change, axis=-1)
    b = np.sum(points * change, axis=-1)
    c = np.sum(points * points, axis=-1) - radius * radius
    root = np.sqrt(np.maximum(b * b - a * c, 0.0))
    share = (root - b) / np.where(a > 1e-18, a, 1.0)
    return np.where(a > 1e-18, np.clip(share, 0.0, 1.0), 1.0)


def _within(
    excess: Callable[[Ints, Floats], Floats], some: Ints, allowed: float, ratio: Floats
) -> Bools:
    return excess(some, ratio) <= allowed
