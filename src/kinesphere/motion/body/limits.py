"""Joint limits: a cone for the bone's direction and a range for its twist."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, frozen_floats


@dataclass(frozen=True, eq=False)
class JointLimit:
    """Limit of one joint, for its rotation from the rest pose.

    A rotation is split into ``swing * centre * twist``: twist about the bone, the cone's `centre`,
    and a swing of the bone away from it, whose rotation vector lies in the plane of `first_axis`
    and `second_axis`. The swing must stay within an ellipse with different half-angles to each
    side, the twist in its range.

    Parameters
    ----------
    bone_axis : unit direction of the bone in the joint's frame at rest.
    first_axis : unit axis, perpendicular to the bone; the second is ``bone x first``.
    first_range, second_range : (negative, positive) half-angles about the axes, radians, the
        first <= 0 <= the second.
    twist_range : (least, most) twist in radians.
    centre : rotation that brings the bone to the middle of its cone.
    """

    bone_axis: Floats
    first_axis: Floats
    first_range: tuple[float, float]
    second_range: tuple[float, float]
    twist_range: tuple[float, float]
    centre: Floats

    def __post_init__(self) -> None:
        bone = frozen_floats(self.bone_axis, "bone_axis", (3,))
        first = frozen_floats(self.first_axis, "first_axis", (3,))
        if abs(bone @ first) > 1e-6 or abs(bone @ bone - 1) > 1e-6 or abs(first @ first - 1) > 1e-6:
            raise InvalidValueError(
                "bone_axis and first_axis must be unit length and perpendicular"
            )
        for low, high in (self.first_range, self.second_range):
            if not low <= 0.0 <= high:
                raise InvalidValueError(f"a swing range is {low:g} to {high:g}; it must contain 0")
        if not self.twist_range[0] <= self.twist_range[1]:
            raise InvalidValueError("a twist range ends before it starts")
        object.__setattr__(self, "bone_axis", bone)
        object.__setattr__(self, "first_axis", first)
        object.__setattr__(self, "centre", frozen_floats(self.centre, "centre", (4,)))

    def _split(self, turn: ArrayLike) -> tuple[Floats, Floats, Floats]:
        """Swing angles about the two axes ``[..., 2]``, twist ``[...]``, and the two axes."""
        turn = np.asarray(turn, dtype=np.float64)
        middle = quaternion.rotate(self.centre, self.bone_axis)
        swing = quaternion.between(middle, quaternion.rotate(turn, self.bone_axis))
        twist = quaternion.multiply(
            quaternion.inverse(self.centre), quaternion.multiply(quaternion.inverse(swing), turn)
        )
        axes = np.stack(
            [
                quaternion.rotate(self.centre, self.first_axis),
                quaternion.rotate(self.centre, np.cross(self.bone_axis, self.first_axis)),
            ]
        )
        return quaternion.log(swing) @ axes.T, quaternion.twist_angle(twist, self.bone_axis), axes

    def _fraction(self, swing: Floats) -> Floats:
        """Radius of the swing on the ellipse: 1 is the limit."""
        total = np.zeros(swing.shape[:-1])
        for i, (low, high) in enumerate((self.first_range, self.second_range)):
            room = np.where(swing[..., i] < 0.0, max(-low, 1e-9), max(high, 1e-9))
            total = total + (swing[..., i] / room) ** 2
        return np.sqrt(total)

    def excess(self, turn: ArrayLike) -> Floats:
        """How far a rotation exceeds the limit, radians: swing and twist together, 0 inside."""
        from kinesphere.motion.body.limits_kernels import excess

        q = np.asarray(turn, dtype=np.float64)
        flat = np.ascontiguousarray(q.reshape(-1, 4))
        out = np.empty(len(flat))
        excess(flat, self.numbers, out)
        return out.reshape(q.shape[:-1])

    @cached_property
    def numbers(self) -> Floats:
        """Values for a kernel: axes, centre and ranges, 19 numbers."""
        second = np.cross(self.bone_axis, self.first_axis)
        ranges = (*self.first_range, *self.second_range, *self.twist_range)
        return np.concatenate([self.bone_axis, self.first_axis, second, self.centre, ranges])

    def clamp(self, turn: ArrayLike) -> Floats:
        """Nearest allowed rotation along the swing's direction; unchanged within the limit."""
        turn = np.asarray(turn, dtype=np.float64)
        swing, twist, axes = self._split(turn)
        fraction = self._fraction(swing)[..., None]
        low, high = self.twist_range
        kept = np.clip(twist, low, high)
        inside = (fraction[..., 0] <= 1.0) & (kept == twist)
        short = quaternion.exp((swing / np.maximum(fraction, 1.0)) @ axes)
        clamped = quaternion.multiply(
            quaternion.multiply(short, self.centre),
            quaternion.from_axis_angle(self.bone_axis, kept),
        )
        return np.where(inside[..., None], turn, clamped)
