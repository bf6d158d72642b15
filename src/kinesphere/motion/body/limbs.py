"""Arms and legs: the analytic two-bone chain of Tolani, Goswami and Badler (2000).

A limb is a ball joint, a hinge and an end point. The position of the end point leaves one degree of
freedom, the swivel: the hinge's position on a circle about the line from ball joint to end point.
Its zero is a reference direction rotated along from a base pose by the smallest rotation, so that
the only direction without a reference is the one opposite to the base: straight back through the
shoulder for an arm, straight up for a leg, where no limb goes. For an arm, zero is the elbow down,
and behind the hand when the arm hangs; for a leg, the knee in front. Positive is outward.

All functions take any batch axes and work in one frame, that of the limb's parent or the world.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, frozen_floats
from kinesphere.motion.skeleton import Skeleton

_BENT_AT_REST = np.radians(10.0)


def _unit(v: Floats) -> Floats:
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.asarray(v / np.where(length > 0.0, length, 1.0))


@dataclass(frozen=True, eq=False)
class Limb:
    """A two-bone chain.

    Parameters
    ----------
    hinge_offset : hinge (elbow, knee) in the ball joint's frame, metres.
    end_offset : end point (wrist, ankle) in the hinge's frame.
    hinge_axis : unit axis in the ball joint's frame about which the hinge bends, positive bending.
    hinge_rest : rotation of the hinge in the ball joint's frame where the bend is `bend_at_rest`.
    bend_at_rest : bend in radians in that pose.
    base, reference : directions, in the frame the limb is solved in, that define swivel zero.
    side : +1 for the left limb, -1 for the right.
    """

    hinge_offset: Floats
    end_offset: Floats
    hinge_axis: Floats
    hinge_rest: Floats
    bend_at_rest: float
    base: Floats
    reference: Floats
    side: int

    def __post_init__(self) -> None:
        for name, size in (
            ("hinge_offset", 3),
            ("end_offset", 3),
            ("hinge_axis", 3),
            ("hinge_rest", 4),
            ("base", 3),
            ("reference", 3),
        ):
            object.__setattr__(self, name, frozen_floats(getattr(self, name), name, (size,)))
        if self.side not in (1, -1):
            raise InvalidValueError(f"side is {self.side}, allowed are 1 (left) and -1 (right)")

    @property
    def upper_length(self) -> float:
        """Length from ball joint to hinge."""
        return float(np.linalg.norm(self.hinge_offset))

    @property
    def lower_length(self) -> float:
        """Length from hinge to end point."""
        return float(np.linalg.norm(self.end_offset))

    @property
    def reach(self) -> float:
        """Length when fully extended."""
        return self.upper_length + self.lower_length


@dataclass(frozen=True)
class LimbPose:
    """Solution of `solve`, in the frame that the target was given in.

    `ball` is the rotation of the ball joint, `hinge` that of the hinge within the ball joint's
    frame; `hinge_position` and `end_position` are the resulting positions.
    """

    ball: Floats
    hinge: Floats
    hinge_position: Floats
    end_position: Floats


def limb_of(
    skeleton: Skeleton,
    joints: tuple[int, int, int],
    bend_towards: ArrayLike,
    base: ArrayLike,
    reference: ArrayLike,
    side: int,
) -> Limb:
    """Measure a limb on a skeleton in its rest pose.

    Parameters
    ----------
    skeleton : the skeleton; each of the three joints must be the child of the one before.
    joints : ball joint, hinge and end.
    bend_towards : world direction, at rest, into which the end moves when the hinge bends.
    base, reference, side : see `Limb`.
    """
    ball, hinge, end = joints
    if skeleton.parents[hinge] != ball or skeleton.parents[end] != hinge:
        raise InvalidValueError("a limb's joints must be parent, child and grandchild")
    upper, lower = skeleton.offsets[hinge], skeleton.offsets[end]
    rest = skeleton.rest_rotations[hinge]
    along = _unit(upper)
    across = _unit(quaternion.rotate(rest, lower))
    towards = quaternion.rotate(
        quaternion.inverse(skeleton.rest_world_rotations[ball]), np.asarray(bend_towards, float)
    )
    axis = np.cross(along, towards)
    plane = np.cross(along, across)
    if np.arcsin(min(1.0, float(np.linalg.norm(plane)))) > _BENT_AT_REST:
        axis = plane if float(plane @ axis) >= 0.0 else -plane
    if np.linalg.norm(axis) < 1e-6:
        raise InvalidValueError("a limb cannot bend towards the direction it points in")
    axis = _unit(axis)
    flat = _unit(across - (across @ axis) * axis)
    settled = quaternion.multiply(quaternion.between(across, flat), rest)
    bend = float(np.arctan2(np.cross(along, flat) @ axis, along @ flat))
    return Limb(
        upper,
        lower,
        axis,
        settled,
        bend,
        np.asarray(base, float),
        np.asarray(reference, float),
        side,
    )


def _reference(limb: Limb, direction: Floats) -> Floats:
    """Direction of the hinge at swivel zero, perpendicular to `direction`."""
    return quaternion.rotate(quaternion.between(limb.base, direction), limb.reference)


def solve(limb: Limb, ball_position: ArrayLike, target: ArrayLike, swivel: ArrayLike) -> LimbPose:
    """Solve the limb for a target of its end.

    For a target out of reach the end is as near as the limb allows, on the line from the ball
    joint; the pose changes continuously up to there. A target in the ball joint itself is taken
    to lie in the base direction.

    Parameters
    ----------
    limb : the chain.
    ball_position, target : ``[..., 3]``.
    swivel : ``[...]`` radians, positive outward.
    """
    ball_position = np.asarray(ball_position, dtype=np.float64)
    target = np.asarray(target, dtype=np.float64)
    to = target - ball_position
    distance = np.linalg.norm(to, axis=-1, keepdims=True)
    direction = np.where(
        distance > 1e-12, to / np.where(distance > 1e-12, distance, 1.0), limb.base
    )
    a, b = limb.upper_length, limb.lower_length
    d = np.clip(distance, max(abs(a - b), 1e-9), a + b)
    swivel = limb.side * np.asarray(swivel, dtype=np.float64)[..., None]
    zero = _reference(limb, direction)
    outward = np.cos(swivel) * zero + np.sin(swivel) * np.cross(direction, zero)
    cosine = np.clip((a * a + d * d - b * b) / (2.0 * a * d), -1.0, 1.0)
    sine = np.sqrt((1.0 - cosine) * (1.0 + cosine))
    upper = cosine * direction + sine * outward
    hinge_position = ball_position + a * upper
    end_position = ball_position + d * direction
    lower = end_position - hinge_position
    axis = np.cross(outward, direction)
    bend = np.arctan2(
        np.sum(np.cross(upper, lower) * axis, axis=-1), np.sum(upper * lower, axis=-1)
    )
    local = quaternion.from_frame(limb.hinge_offset, limb.hinge_axis)
    ball = quaternion.multiply(quaternion.from_frame(upper, axis), quaternion.inverse(local))
    return LimbPose(ball, hinge_rotation(limb, bend), hinge_position, end_position)


def hinge_rotation(limb: Limb, bend: ArrayLike) -> Floats:
    """Rotation of the hinge in the ball joint's frame for a bend in radians (0 is straight)."""
    turn = np.asarray(bend, dtype=np.float64) - limb.bend_at_rest
    return quaternion.multiply(quaternion.from_axis_angle(limb.hinge_axis, turn), limb.hinge_rest)


def roll_forearm(
    limb: Limb, hinge: ArrayLike, end: ArrayLike, ratio: float = 1.0
) -> tuple[Floats, Floats]:
    """Move the end's roll to the lower bone, as a forearm does when the palm rotates.

    Parameters
    ----------
    hinge, end : ``[..., 4]`` rotations of the hinge and of the end in their parents' frames.
    ratio : ratio of the roll about the lower bone that moves from the end to the hinge.

    Returns
    -------
    the two rotations; the end's orientation and all positions are unchanged.
    """
    axis = limb.end_offset / np.linalg.norm(limb.end_offset)
    roll = quaternion.from_axis_angle(axis, ratio * quaternion.twist_angle(end, axis))
    return quaternion.multiply(hinge, roll), quaternion.multiply(quaternion.inverse(roll), end)


def swivel_of(
    limb: Limb, ball_position: ArrayLike, hinge_position: ArrayLike, end_position: ArrayLike
) -> Floats:
    """Swivel angle of a pose, the inverse of `solve`; zero for a straight limb."""
    ball_position = np.asarray(ball_position, dtype=np.float64)
    direction = _unit(np.asarray(end_position, dtype=np.float64) - ball_position)
    out = np.asarray(hinge_position, dtype=np.float64) - ball_position
    out = out - np.sum(out * direction, axis=-1, keepdims=True) * direction
    zero = _reference(limb, direction)
    up = np.sum(out * zero, axis=-1)
    across = np.sum(out * np.cross(direction, zero), axis=-1)
    straight = np.linalg.norm(out, axis=-1) < 1e-9
    return np.asarray(limb.side * np.where(straight, 0.0, np.arctan2(across, up)))


_SURELY_BENT = np.sin(np.radians(20.0))
_MUCH_CHANGED = np.radians(4.0)


def _bend_axis(upper: Floats, lower: Floats, given: Floats, change: Floats) -> Floats:
    """Axis, perpendicular to the upper bone, about which a posed limb bends.

    A limb that is clearly bent defines its axis, and one whose bend hardly changes keeps it. One
    that is nearly straight, or bent a little backwards, and must bend more, takes the given axis;
    in between the two are blended. So a knee that passes through straight does not pop.
    """
    along = _unit(upper)
    sine = np.cross(along, _unit(lower))
    size = np.linalg.norm(sine, axis=-1, keepdims=True)
    given = np.broadcast_to(given, upper.shape)
    given = _unit(given - np.sum(given * along, axis=-1, keepdims=True) * along)
    own = np.where(size > 1e-9, _unit(sine), given)
    share = np.clip(size / _SURELY_BENT, 0.0, 1.0)
    wrong_way = (np.sum(own * given, axis=-1, keepdims=True) < 0.0) & (share < 1.0)
    shown = np.where(wrong_way, 0.0, share * share * (3.0 - 2.0 * share))
    much = np.clip(np.abs(change) / _MUCH_CHANGED, 0.0, 1.0)[..., None]
    keep = 1.0 - much * much * (3.0 - 2.0 * much) * (1.0 - shown)
    mixed = keep * own + (1.0 - keep) * given
    lost = np.linalg.norm(mixed, axis=-1, keepdims=True) < 1e-6
    return _unit(np.where(lost, given, mixed))


def reach(
    ball: ArrayLike, hinge: ArrayLike, end: ArrayLike, target: ArrayLike, bend_axis: ArrayLike
) -> tuple[Floats, Floats]:
    """World rotations that bring the end of a posed limb to a target and keep its swivel.

    For rigs with any axes: the limb is opened or closed in its own plane, then rotated by the
    smallest rotation so that its end lies on the line to the target.

    Parameters
    ----------
    ball, hinge, end, target : ``[..., 3]`` positions.
    bend_axis : ``[..., 3]`` axis of the bend, used where the limb is straight.

    Returns
    -------
    rotations ``[..., 4]`` to multiply from the left onto the world rotations of the ball joint and
    of the hinge.
    """
    ball, hinge, end, target = (np.asarray(v, dtype=np.float64) for v in (ball, hinge, end, target))
    upper, lower = hinge - ball, end - hinge
    a = np.linalg.norm(upper, axis=-1)
    b = np.linalg.norm(lower, axis=-1)
    wanted = np.linalg.norm(target - ball, axis=-1)
    d = np.clip(wanted, np.maximum(np.abs(a - b), 1e-9), a + b)
    cosine = np.clip((d * d - a * a - b * b) / np.maximum(2.0 * a * b, 1e-15), -1.0, 1.0)
    wanted_bend = np.arccos(cosine)
    bend = np.arctan2(
        np.linalg.norm(np.cross(upper, lower), axis=-1), np.sum(upper * lower, axis=-1)
    )
    axis = _bend_axis(upper, lower, np.asarray(bend_axis, dtype=np.float64), wanted_bend - bend)
    along = _unit(upper)
    angle = wanted_bend[..., None]
    opened = b[..., None] * (np.cos(angle) * along + np.sin(angle) * np.cross(axis, along))
    hinge_turn = quaternion.between(lower, opened)
    moved = upper + opened
    aim = np.where((wanted > 1e-12)[..., None], target - ball, moved)
    swing = quaternion.between(moved, aim)
    return swing, quaternion.multiply(swing, hinge_turn)
