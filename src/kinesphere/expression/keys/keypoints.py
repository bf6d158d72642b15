"""Shape on hand positions (EMOTE eqs 1-8, corrected), and Reach Space.

For each dimension the keypoint lies on an ellipse about the shoulder in that dimension's plane and
is rotated along it: towards the indulging pole of the major axis (up, outward, forward) for a
negative value, towards the fighting pole for a positive one, never past it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.expression.qualities import Shape
from kinesphere.maths.arrays import Floats
from kinesphere.maths.curves import smoothstep

_OUT, _UP, _FORWARD = np.array([1.0, 0, 0]), np.array([0, 1.0, 0]), np.array([0, 0, 1.0])


@dataclass(frozen=True)
class ShapeSettings:
    """Values that the paper leaves open: the ellipse's ratio, the largest rotation, and the reach.

    Within `fade` of the pole that is being left, the rotation grows to its full size; 0 for a jump,
    as in the paper, where a point at that pole goes to either side.
    """

    axis_ratio: float = 1.5
    largest_turn: float = np.radians(30.0)
    reach_ratio: float = 0.25
    fade: float = np.radians(60.0)


def shape_keypoints(
    points: ArrayLike,
    shape: Shape | Mapping[str, ArrayLike],
    side: int,
    centre_of_mass: ArrayLike,
    settings: ShapeSettings | None = None,
) -> Floats:
    """Keypoints ``[..., 3]`` with Shape, in the chest's axes with the shoulder at the origin.

    Parameters
    ----------
    points : wrist positions from the shoulder joint, metres, +X left, +Y up, +Z forward.
    shape : neutral leaves the points unchanged; a mapping may have one value ``[...]`` per point.
    side : +1 for the left arm, -1 for the right; outward is mirrored.
    centre_of_mass : ``[3]`` of the body in the same frame, from which Reach Space moves.
    """
    if side not in (1, -1):
        raise InvalidValueError(f"side is {side}, allowed are 1 (left) and -1 (right)")
    s = settings or ShapeSettings()
    p = np.asarray(points, dtype=np.float64)
    outward = side * _OUT
    moved = p.copy()
    values = shape if isinstance(shape, Mapping) else asdict(shape)
    for name, major, minor in (
        ("horizontal", outward, _FORWARD),
        ("vertical", _UP, outward),
        ("sagittal", _FORWARD, _UP),
    ):
        value = np.asarray(values.get(name, 0.0), dtype=np.float64)
        if value.any():
            moved = moved + _rotate_along(p, value, major, minor, s)
    reach = np.asarray(values.get("reach", 0.0), dtype=np.float64)
    if reach.any():
        away = moved - np.asarray(centre_of_mass, dtype=np.float64)
        moved = moved + s.reach_ratio * reach[..., None] * away
    return moved


def _rotate_along(
    p: Floats, value: Floats, major: Floats, minor: Floats, s: ShapeSettings
) -> Floats:
    """Contribution of one dimension: eqs 1-5 in the plane of two axes."""
    along, across = p @ major, p @ minor
    # Angle 0 is the indulging pole of the major axis (eq 1), the radius as in eq 2 without 0/0.
    angle = np.arctan2(s.axis_ratio * across, along)
    radius = np.hypot(along, s.axis_ratio * across)
    size = np.abs(angle)
    side = np.where(angle % (2.0 * np.pi) < np.pi, 1.0, -1.0)
    # Eq 3, with the rotation fading in from the pole being left, where its side is undefined.
    left = np.where(value < 0.0, np.pi - size, size)
    turn = value * s.largest_turn
    if s.fade > 0.0:
        turn = turn * smoothstep(left / s.fade)
    new = side * np.clip(size + turn, 0.0, np.pi)
    change_along = radius * np.cos(new) - along
    change_across = radius / s.axis_ratio * np.sin(new) - across
    moved = change_along[..., None] * major + change_across[..., None] * minor
    return np.asarray(np.where((value == 0.0)[..., None], 0.0, moved))
