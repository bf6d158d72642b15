"""Foot contacts, and limbs that reach for a target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.maths import filters, quaternion
from kinesphere.maths.arrays import Bools, Floats, read_only
from kinesphere.motion.body.limbs import reach
from kinesphere.motion.clip import Clip
from kinesphere.motion.kinematics import speeds


@dataclass(frozen=True)
class ContactSettings:
    """When a point counts as standing.

    Capture noise moves a standing ankle by some cm/s and lets it roll by some centimetres; a foot
    in swing passes 0.5 m/s within a frame or two. The thresholds for leaving are twice those for
    arriving, so that contact does not flicker.
    """

    height_m: float = 0.04
    speed_m_s: float = 0.25
    leave_factor: float = 2.0
    shortest_s: float = 0.06
    smooth_hz: float = 10.0


def detect_contacts(
    positions: ArrayLike, fps: float, settings: ContactSettings | None = None
) -> Bools:
    """Whether each of the points ``[frames, points, 3]`` stands still on the floor.

    Every point has its own floor, because an ankle is higher than a toe.
    """
    settings = settings or ContactSettings()
    x = np.asarray(positions, dtype=np.float64)
    smooth = x
    if fps > 2.2 * settings.smooth_hz and len(x) > 3:
        smooth = filters.low_pass(x, settings.smooth_hz, fps)
    speed = speeds(smooth, fps)
    height = smooth[..., 1] - np.quantile(smooth[..., 1], 0.05, axis=0)
    arrive = (speed < settings.speed_m_s) & (height < settings.height_m)
    leave = (speed > settings.leave_factor * settings.speed_m_s) | (
        height > settings.leave_factor * settings.height_m
    )
    out: Bools = np.zeros(arrive.shape, dtype=np.bool_)
    state = arrive[0].copy()
    for i in range(len(out)):
        state = np.where(state, ~leave[i], arrive[i])
        out[i] = state
    least = round(settings.shortest_s * fps)
    for k in range(out.shape[1]):
        for start, stop in runs(out[:, k]):
            if stop - start < least:
                out[start:stop, k] = False
    return out


def runs(flags: ArrayLike) -> list[tuple[int, int]]:
    """Start and stop (exclusive) of every stretch of True.

    >>> runs([False, True, True, False, True])
    [(1, 3), (4, 5)]
    """
    padded = np.concatenate([[False], np.asarray(flags, dtype=np.bool_), [False]])
    edges = np.flatnonzero(padded[1:] != padded[:-1])
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def move_limb_ends(
    clip: Clip, limbs: Sequence[tuple[int, int, int]], targets: ArrayLike, bend_axes: ArrayLike
) -> Clip:
    """Move the ends of limbs (ball joint, hinge, end) to targets ``[frames, limbs, 3]``.

    Swivel and the end's world orientation are kept. `bend_axes` ``[limbs, 3]`` are world
    axes at rest about which the hinge bends, used where a limb is straight. Joints between the
    three follow.
    """
    targets = np.asarray(targets, dtype=np.float64)
    world = clip.world_rotations.copy()
    rest = clip.skeleton.rest_world_rotations
    places = clip.world_positions
    parents = clip.skeleton.parents
    rotations = clip.rotations.copy()
    for k, (ball, hinge, end) in enumerate(limbs):
        away = quaternion.multiply(world[:, ball], quaternion.inverse(rest[ball]))
        axis = quaternion.rotate(away, np.asarray(bend_axes, float)[k])
        swing, bend = reach(places[:, ball], places[:, hinge], places[:, end], targets[:, k], axis)
        turned = {ball: swing, hinge: bend}
        old_end = world[:, end].copy()
        above = quaternion.multiply(swing, world[:, ball])
        rotations[:, ball] = quaternion.relative(_parent(world, parents[ball]), above)
        carry = quaternion.multiply(quaternion.inverse(swing), turned[hinge])
        inner = quaternion.multiply(carry, world[:, hinge])
        rotations[:, hinge] = quaternion.relative(_parent(world, parents[hinge]), inner)
        lower = quaternion.relative(world[:, hinge], world[:, parents[end]])
        hand = quaternion.multiply(quaternion.multiply(bend, world[:, hinge]), lower)
        rotations[:, end] = quaternion.relative(hand, old_end)
        moved = [ball, hinge, end]
        rotations[:, moved] = quaternion.normalise(rotations[:, moved])
    return replace(clip, rotations=read_only(rotations))


def _parent(world: Floats, parent: int) -> Floats:
    return world[:, parent] if parent >= 0 else quaternion.identity((len(world),))
