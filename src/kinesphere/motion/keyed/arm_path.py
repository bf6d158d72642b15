"""The path of an arm through its keys, in three interpolation spaces, measured along its length.

The hand's path is a Kochanek-Bartels spline over the square root of the keys' distances, so that
uneven keys make no loops. From Goal to Goal it is parametrised by arc length: an overshoot
continues along the end's tangent, and a straight path does not stop at its Vias. Bends are weighted
longer than they are, so that a hand slows down in them as in recordings.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.splines import tangents
from kinesphere.motion.body.limbs import Limb, hinge_rotation, solve, swivel_of
from kinesphere.motion.keyed.keyed_motion import ArmKeys
from kinesphere.motion.keyed.movement import Curve, Movement, SampledCurve, Timing, rounding_window

_CELLS = 24  # of a segment's length table
_BLUR_M, _BEND_RADIUS_M = 0.025, 0.15  # smoothing length of bends; radius that slows a hand
_STRAIGHTEST_VIA = 0.7
# Of the arm's length: from here on the reach is limited smoothly, without a sudden stop.
SOFT_REACH = 0.97
_LEAST_KNOT = 0.02  # square root of metres: keys at one position need a parameter between them


@dataclass(frozen=True)
class Places:
    """Points on a path: segment, ratio within it, and metres beyond the movement's ends.

    `along` is the ratio of the movement's length, which may leave [0, 1].
    """

    segments: Ints
    ratios: Floats
    beyond: Floats
    ends: Ints
    along: Floats


@dataclass(frozen=True)
class PathTiming:
    """A movement's curve over its path: from a ratio of time to a ratio of length.

    Vias are passed when the curve reaches `keys`, at the weighted lengths `felt_keys` (both may be
    empty: no fixed times); the weighted length `felt`, with bends longer, maps to `lengths`.
    """

    curve: Curve
    keys: Floats
    felt_keys: Floats
    felt: Floats
    lengths: Floats

    def __call__(self, ratio: ArrayLike, /) -> Floats:
        """Ratios of the length, which may leave [0, 1]."""
        share = self.curve(ratio)
        inside = np.clip(share, 0.0, 1.0)
        outside = share - inside
        if len(self.keys):
            slopes = _monotone_slopes(self.keys, self.felt_keys)
            inside = _monotone_cubic(self.keys, self.felt_keys, slopes, inside)
        return np.asarray(np.interp(inside, self.felt, self.lengths) + outside)


def _walk_ratios(walk: Curve, movement: Movement, ratios: Floats, duration_s: float) -> Floats:
    """Values of `Movement.sample_curve`, by a compiled loop where the curve allows it."""
    if not (isinstance(walk, PathTiming) and isinstance(walk.curve, Timing | SampledCurve)):
        return movement.sample_curve(walk, ratios, duration_s)
    from kinesphere.motion.keyed.movement_kernels import rounded_walk

    moving = 1.0 - movement.start_ratio
    slopes = _monotone_slopes(walk.keys, walk.felt_keys) if len(walk.keys) else walk.keys
    out = np.empty(len(ratios))
    rounded_walk(
        *walk.curve.packed,
        walk.keys,
        walk.felt_keys,
        slopes,
        walk.felt,
        walk.lengths,
        np.clip((ratios - movement.start_ratio) / moving, 0.0, 1.0),
        *rounding_window(duration_s * moving, movement.rounding_s),
        out,
    )
    return out


class ArmPath:
    """Geometry of an arm's keys; `positions` are those of the keys in the arm's own frame."""

    def __init__(self, keys: ArmKeys, limb: Limb, positions: Floats) -> None:
        self.keys, self.limb, self.positions = keys, limb, positions
        self._known_nodes: dict[int, tuple[Floats, Floats]] = {}
        self.movement_of_segment = np.cumsum(keys.goals)[:-1] - 1
        self.first_segment = np.flatnonzero(keys.goals)
        tension = np.array([m.tension for m in keys.movements])
        slack = 1.0 - tension[self.movement_of_segment] if len(keys) > 1 else np.ones(0)
        # No hand passes a sharp corner without stopping: at Vias even a straight path is rounded.
        through = 1.0 - _STRAIGHTEST_VIA * (1.0 - slack)
        printed = np.array([m.paper for m in keys.movements], dtype=bool)
        corner = printed[self.movement_of_segment] if len(keys) > 1 else np.ones(0, dtype=bool)
        through = np.where((slack < 1.0) & ~corner, through, slack)
        self.slack_out = np.where(keys.goals[:-1], slack, through)[:, None]
        self.slack_in = np.where(keys.goals[1:], slack, through)[:, None]
        steps = np.linalg.norm(np.diff(positions, axis=0), axis=-1)
        self.knots = np.concatenate([[0.0], np.cumsum(np.sqrt(steps) + _LEAST_KNOT)])

    def _cubics(self, values: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Ends and scaled tangents ``[segments, d]`` of the spline through values ``[n, d]``."""
        h = np.diff(self.knots)[:, None]
        into, out = tangents(self.knots, np.diff(values, axis=0) / h)
        return values[:-1], values[1:], out[:-1] * h * self.slack_out, into[1:] * h * self.slack_in

    @cached_property
    def _hand(self) -> tuple[Floats, Floats, Floats, Floats]:
        return self._cubics(self.positions)

    @cached_property
    def _points(self) -> Floats:
        """Points ``[segments, cells + 1, 3]`` along the hand's path."""
        r = np.linspace(0.0, 1.0, _CELLS + 1)
        count = len(self.keys) - 1
        segments = np.repeat(np.arange(count), _CELLS + 1)
        return _cubic(self._hand, segments, np.tile(r, count)).reshape(count, _CELLS + 1, 3)

    @cached_property
    def _steps(self) -> Floats:
        """Lengths ``[segments, cells]`` of the path's cells."""
        return np.asarray(np.linalg.norm(np.diff(self._points, axis=1), axis=-1))

    def _dwell(self, movement: int) -> Floats:
        """Weight of each cell's length in a movement: larger in bends."""
        here = slice(int(self.first_segment[movement]), int(self.first_segment[movement + 1]))
        size = self._steps[here].reshape(-1)
        slowing = self.keys.movements[movement].slowing
        if slowing == 0.0 or size.sum() < 0.02:
            return np.ones_like(size)
        ways = np.diff(self._points[here], axis=1).reshape(-1, 3)
        ways = ways / np.maximum(np.linalg.norm(ways, axis=-1, keepdims=True), 1e-12)
        turns = np.arccos(np.clip(np.sum(ways[1:] * ways[:-1], axis=-1), -1.0, 1.0))
        turns[np.minimum(size[1:], size[:-1]) < 1e-9] = 0.0
        ends = np.cumsum(size)
        middles = ends - 0.5 * size
        blur_m = max(_BLUR_M, 0.06 * float(ends[-1]))
        blur = np.exp(-0.5 * ((middles[:, None] - ends[None, :-1]) / blur_m) ** 2)
        curvature = blur @ turns / (blur_m * np.sqrt(2.0 * np.pi))
        return np.asarray((1.0 + _BEND_RADIUS_M * curvature) ** slowing)

    @cached_property
    def lengths(self) -> Floats:
        """Length of every movement's path in metres, ``[movements]``."""
        out = np.zeros(len(self.keys.movements))
        np.add.at(out, self.movement_of_segment, self._steps.sum(axis=1))
        return out

    @cached_property
    def end_tangents(self) -> Floats:
        """Unit direction at the start and the end of every movement, ``[movements, 2, 3]``."""
        points = self._points
        first, last = self.first_segment[:-1], self.first_segment[1:] - 1
        out = np.stack(
            [points[first, 1] - points[first, 0], points[last, -1] - points[last, -2]], axis=1
        )
        chords = self.positions[self.first_segment[1:]] - self.positions[self.first_segment[:-1]]
        size = np.linalg.norm(out, axis=-1, keepdims=True)
        out = np.where(size > 1e-9, out, chords[:, None])
        size = np.linalg.norm(out, axis=-1, keepdims=True)
        return np.asarray(out / np.where(size > 1e-12, size, 1.0))

    def at(self, movements: Ints, ratios: Floats) -> Places:
        """Points on the path at ratios of the time of the movements, which ascend."""
        segments = np.zeros(len(ratios), dtype=np.int64)
        within, outside, walked = (np.zeros(len(ratios)) for _ in range(3))
        goals = self.keys.goal_times
        bounds = np.searchsorted(movements, np.arange(len(self.keys.movements) + 1))
        for m, movement in enumerate(self.keys.movements):
            i, j = int(bounds[m]), int(bounds[m + 1])
            if i == j:
                continue
            along = _walk_ratios(
                self._walk(m), movement, ratios[i:j], float(goals[m + 1] - goals[m])
            )
            inside = np.clip(along, 0.0, 1.0)
            walked[i:j], outside[i:j] = along, along - inside
            nodes, places = self._nodes(m)
            at = np.interp(inside, nodes, places)
            first, last = int(self.first_segment[m]), int(self.first_segment[m + 1])
            segments[i:j] = np.minimum(at.astype(np.int64), last - 1)
            segments[i:j] = np.maximum(segments[i:j], first)
            within[i:j] = at - segments[i:j]
        beyond = self.lengths[movements] * outside
        return Places(segments, within, beyond, (outside > 0.0).astype(np.int64), walked)

    def _nodes(self, movement: int) -> tuple[Floats, Floats]:
        """Ratios of a movement's length, ascending, and their positions: segment plus ratio."""
        if movement not in self._known_nodes:
            self._known_nodes[movement] = self._find_nodes(movement)
        return self._known_nodes[movement]

    def _find_nodes(self, movement: int) -> tuple[Floats, Floats]:
        first, last = int(self.first_segment[movement]), int(self.first_segment[movement + 1])
        places = first + np.arange((last - first) * _CELLS + 1) / _CELLS
        steps = self._steps[first:last].reshape(-1)
        total = steps.sum()
        if total < 1e-9:
            return np.linspace(0.0, 1.0, len(places)), places
        return np.concatenate([[0.0], np.cumsum(steps)]) / total, places

    def _walk(self, movement: int) -> Curve:
        """From a ratio of time to a ratio of length: the movement's curve, Vias and bends."""
        first, last = int(self.first_segment[movement]), int(self.first_segment[movement + 1])
        move = self.keys.movements[movement]
        if last - first == 1 and move.slowing == 0.0:
            return move.curve
        nodes, _ = self._nodes(movement)
        steps = self._steps[first:last].reshape(-1) * self._dwell(movement)
        total = steps.sum()
        felt = np.concatenate([[0.0], np.cumsum(steps)]) / total if total > 1e-9 else nodes
        at_keys = np.ascontiguousarray(felt[::_CELLS])
        times = self.keys.times[first : last + 1]
        wanted = (times - times[0]) / (times[-1] - times[0])
        moved = len(wanted) > 2 and np.abs(wanted - at_keys).max() > 1e-6

        none = np.zeros(0)
        return PathTiming(
            move.curve, wanted if moved else none, at_keys if moved else none, felt, nodes
        )

    def hand_places(self, places: Places) -> Floats:
        """Wrist ``[f, 3]`` by interpolating the hand's position."""
        return _cubic(self._hand, places.segments, places.ratios)

    def hand(self, places: Places) -> tuple[Floats, Floats]:
        """Wrist ``[f, 3]`` and swivel ``[f]`` by interpolating the hand's position."""
        wrists = self.hand_places(places)
        swivels = _cubic(self._swivel, places.segments, places.ratios)[:, 0]
        return wrists, swivels

    @cached_property
    def _swivel(self) -> tuple[Floats, Floats, Floats, Floats]:
        return self._cubics(np.unwrap(self.keys.swivels)[:, None])

    @cached_property
    def _key_poses(self) -> tuple[Floats, Floats, Floats]:
        """Elbow position, ball rotation and bend at every key."""
        reached = soft_reach(self.positions, self.limb)
        pose = solve(self.limb, np.zeros(3), reached, self.keys.swivels)
        turn = quaternion.relative(hinge_rotation(self.limb, 0.0), pose.hinge)
        return pose.hinge_position, pose.ball, quaternion.twist_angle(turn, self.limb.hinge_axis)

    @cached_property
    def _elbow(self) -> tuple[Floats, Floats, Floats, Floats]:
        return self._cubics(self._key_poses[0])

    @cached_property
    def _bend(self) -> tuple[Floats, Floats, Floats, Floats]:
        return self._cubics(self._key_poses[2][:, None])

    def by_elbow(self, places: Places, wrists: Floats, elbows: Floats) -> tuple[Floats, Floats]:
        """Wrist and elbow positions by interpolating the elbow's position.

        The elbow's bend is that of the hand's own path, given by `wrists` and `elbows`: that arm
        is rotated as a whole, by the smallest rotation, to the elbow's position.
        """
        elbow = self.limb.upper_length * _unit(_cubic(self._elbow, places.segments, places.ratios))
        turn = quaternion.between(elbows, elbow)
        return elbow + quaternion.rotate(turn, wrists - elbows), elbow

    def by_joints(self, places: Places) -> tuple[Floats, Floats]:
        """Wrist and elbow positions by interpolating shoulder rotation and elbow angle."""
        _, balls, _ = self._key_poses
        ball = self._rotations(balls, places)
        bend = _cubic(self._bend, places.segments, places.ratios)[:, 0]
        elbow = quaternion.rotate(ball, self.limb.hinge_offset)
        lower = quaternion.multiply(ball, hinge_rotation(self.limb, bend))
        return elbow + quaternion.rotate(lower, self.limb.end_offset), elbow

    def hands(self, places: Places) -> Floats:
        """Rotation of the hand within the forearm."""
        return self._rotations(self.keys.hands, places)

    def _rotations(self, rotations: Floats, places: Places) -> Floats:
        """Cumulative cubic on rotations, as `maths.splines.RotationSpline`, with own tensions."""
        q = quaternion.unroll(rotations)
        steps = np.diff(self.knots)[:, None]
        chords = quaternion.log(quaternion.relative(q[:-1], q[1:])) / steps
        into, out = tangents(self.knots, chords)
        first = out[:-1] * steps * self.slack_out / 3.0
        third = into[1:] * steps * self.slack_in / 3.0
        middle = quaternion.log(
            quaternion.multiply(
                quaternion.exp(-first),
                quaternion.multiply(quaternion.exp(chords * steps), quaternion.exp(-third)),
            )
        )
        i, r = places.segments, places.ratios[:, None]
        result = q[i]
        for part, weight in (
            (first, 1.0 - (1.0 - r) ** 3),
            (middle, r * r * (3.0 - 2.0 * r)),
            (third, r**3),
        ):
            result = quaternion.multiply(result, quaternion.exp(weight * part[i]))
        return quaternion.normalise(result)


def _cubic(cubics: tuple[Floats, Floats, Floats, Floats], segments: Ints, ratios: Floats) -> Floats:
    a, b, va, vb = (part[segments] for part in cubics)
    r = ratios[:, None]
    cubic, square = 2 * (a - b) + va + vb, 3 * (b - a) - 2 * va - vb
    return np.asarray(a + r * (va + r * (square + r * cubic)))


def _unit(v: Floats) -> Floats:
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.asarray(v / np.where(length > 1e-12, length, 1.0))


def _monotone_slopes(x: Floats, y: Floats) -> Floats:
    """Slopes of a monotone cubic through ascending points (Fritsch and Butland)."""
    h, d = np.diff(x), np.diff(y) / np.diff(x)
    slopes = np.empty_like(x)
    w0, w1 = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    slopes[1:-1] = (w0 + w1) / (w0 / np.maximum(d[:-1], 1e-12) + w1 / np.maximum(d[1:], 1e-12))
    slopes[0], slopes[-1] = d[0], d[-1]
    return slopes


def _monotone_cubic(x: Floats, y: Floats, slopes: Floats, at: Floats) -> Floats:
    i = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(x) - 2)
    step = x[i + 1] - x[i]
    r = (at - x[i]) / step
    a, b, va, vb = y[i], y[i + 1], slopes[i] * step, slopes[i + 1] * step
    cubic, square = 2 * (a - b) + va + vb, 3 * (b - a) - 2 * va - vb
    return np.asarray(a + r * (va + r * (square + r * cubic)))


def blended_swivel(
    limb: Limb, wrists: Floats, elbows: Floats, hand_swivels: Floats, certain_m: float = 0.01
) -> Floats:
    """Swivel that points the elbow of a wrist at `wrists` towards `elbows`.

    Where the elbow lies on the line from shoulder to wrist the swivel is undefined, and that of the
    hand's own path is used.
    """
    own = swivel_of(limb, np.zeros(3), elbows, wrists)
    direction = _unit(wrists)
    aside = elbows - np.sum(elbows * direction, axis=-1, keepdims=True) * direction
    sure = np.clip(np.linalg.norm(aside, axis=-1) / certain_m, 0.0, 1.0)
    away = (own - hand_swivels + np.pi) % (2.0 * np.pi) - np.pi
    return np.asarray(hand_swivels + sure * away)


def soft_reach(wrists: Floats, limb: Limb, limit: ArrayLike = 0.0) -> Floats:
    """Wrists limited smoothly to the arm's length; up to `limit` they are unchanged."""
    length = np.linalg.norm(wrists, axis=-1)
    start = np.maximum(SOFT_REACH * limb.reach, np.asarray(limit))
    room = np.maximum(limb.reach - start, 0.004 * limb.reach)
    over = np.maximum(length - start, 0.0)
    held = np.where(over > 0.0, start + room * np.tanh(over / room), length)
    scale = np.where(over > 0.0, held / np.maximum(length, 1e-12), 1.0)
    return np.asarray(wrists * scale[:, None])
