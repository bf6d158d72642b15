"""Mass trackers (tension paper, 2022): a point mass on a damped spring follows a wrist.

The mass obeys ``m x'' = k_s (u - x) - k_d x'`` (eq 1) in the chest's frame, with damping on its
own velocity there. The two gains come from the rest error and the damping ratio:
``k_s = m g / rest_error`` (eq 10) and ``k_d = 2 zeta sqrt(m k_s)`` (eq 11), so that ``omega^2 =
g / rest_error`` and the path does not depend on the mass. Gravity acts with ``m g`` along world
down; the set point raised by the rest error acts with ``k_s rest_error = m g`` along world up:
they cancel at every time, for any orientation of the chest and any rest error. So neither
appears here.

A frame is solved exactly (the set point moves linearly within it): the frame rate does not change
the path of a given piecewise-linear input. Offline, ``cubic=True`` solves a cubic set point, also
exactly. Parameters of frame i hold from frame i - 1 to i.

Lag. On a ramp the mass trails by ``2 zeta/omega`` seconds. Offline (``compensate=True``) every
interval reads its set points that much later from the input (cubic in time, held at the end). Both
ends of an interval use the interval's own lag, so that when parameters jump the set point jumps
with them, by exactly what the changed damping force needs: a ramp is followed exactly also through
a change of parameters, and the response, including its overshoot, is that of the paper, only
earlier. Live (``feedforward=True``) the set point is led by lag times the target's velocity over
the frame. That is also exact on ramps; it is equivalent to damping relative to the target, so the
overshoot at a stop is larger.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, frozen_floats, frozen_lengths, read_only
from kinesphere.maths.bounds import check_range

GRAVITY_M_S2 = 9.81
MASS_KG = 0.4
"""About the mass of a hand, as in the paper."""
REST_ERROR_RANGE_M = (1e-4, 2.0)
LARGEST_ZETA = 5.0


@dataclass(frozen=True, eq=False)
class Parameters:
    """Stiffness and damping of mass trackers; both broadcast against the batch axes.

    Parameters
    ----------
    rest_error_m : metres, 0.0001 to 2; the paper uses 0.001 (stiff) to 0.3 (loose).
    zeta : damping ratio, above 0 up to 5; 1 is critical, the paper uses 0.15 to 0.5.
    """

    rest_error_m: float | Floats
    zeta: float | Floats

    def __post_init__(self) -> None:
        low, high = REST_ERROR_RANGE_M
        error, zeta = (np.asarray(p, dtype=np.float64) for p in (self.rest_error_m, self.zeta))
        if not np.all((error >= low) & (error <= high)):
            bad = error[~((error >= low) & (error <= high))].flat[0]
            raise InvalidValueError(f"rest error is {bad:g} m, allowed is {low:g} to {high:g} m")
        if not np.all((zeta > 0.0) & (zeta <= LARGEST_ZETA)):
            bad = zeta[~((zeta > 0.0) & (zeta <= LARGEST_ZETA))].flat[0]
            raise InvalidValueError(f"zeta is {bad:g}, allowed is above 0 up to {LARGEST_ZETA:g}")
        for name, value in (("rest_error_m", error), ("zeta", zeta)):
            kept = read_only(value, copy=True) if value.ndim else float(value)
            object.__setattr__(self, name, kept)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Parameters) and (
            np.array_equal(self.rest_error_m, other.rest_error_m)
            and np.array_equal(self.zeta, other.zeta)
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def omega(self) -> Floats:
        """Natural frequency in rad/s."""
        return np.asarray(np.sqrt(GRAVITY_M_S2 / np.asarray(self.rest_error_m)))

    @property
    def lag_s(self) -> Floats:
        """Seconds by which the mass trails a ramp: 2 zeta/omega."""
        return np.asarray(2.0 * self.zeta / self.omega)

    def gains(self, mass_kg: float = MASS_KG) -> tuple[Floats, Floats]:
        """Spring gain k_s in N/m and damping gain k_d in N s/m (eqs 10-11)."""
        if not (np.isfinite(mass_kg) and mass_kg > 0.0):
            raise InvalidValueError(f"mass is {mass_kg} kg, allowed is a positive number")
        stiffness = np.asarray(mass_kg * GRAVITY_M_S2 / np.asarray(self.rest_error_m))
        return stiffness, np.asarray(2.0 * self.zeta * np.sqrt(mass_kg * stiffness))


@dataclass(frozen=True, eq=False)
class TrackerState:
    """Masses at one time, or with a leading axis of frames along a clip.

    Parameters
    ----------
    position, velocity : ``[..., 3]`` of the masses in the chest's frame, m and m/s.
    target : ``[..., 3]`` the input at that time, neither shifted nor led.
    """

    position: Floats
    velocity: Floats
    target: Floats

    def __post_init__(self) -> None:
        shape = np.shape(self.target)
        if not shape or shape[-1] != 3:
            raise InvalidValueError(f"targets have shape {shape}, expected (..., 3)")
        for name in ("position", "velocity", "target"):
            value = frozen_floats(getattr(self, name), name, shape)
            object.__setattr__(self, name, value)

    def at(self, frame: int) -> TrackerState:
        """State at one frame of a clip's states."""
        return TrackerState(self.position[frame], self.velocity[frame], self.target[frame])


def _state(position: Floats, velocity: Floats, target: Floats) -> TrackerState:
    """State of arrays that are known to be valid; checking them again costs more than a step."""
    state = object.__new__(TrackerState)
    for name, value in (("position", position), ("velocity", velocity), ("target", target)):
        value.flags.writeable = False
        object.__setattr__(state, name, value)
    return state


def start(targets: ArrayLike, velocities: ArrayLike | None = None) -> TrackerState:
    """Masses on the targets ``[..., 3]``, at rest unless velocities are given."""
    at = _points(targets)
    moving = np.zeros(at.shape) if velocities is None else np.asarray(velocities, dtype=np.float64)
    return TrackerState(at, np.broadcast_to(moving, at.shape), at)


def step(
    state: TrackerState,
    targets: ArrayLike,
    dt: float,
    parameters: Parameters,
    frame_acceleration: ArrayLike | None = None,
    *,
    inherit: float = 1.0,
    feedforward: bool = False,
) -> TrackerState:
    """Advance by `dt` seconds, in which the targets move linearly to their new positions.

    Parameters
    ----------
    state : at the start of the frame; batch axes as in `targets`.
    targets : ``[..., 3]`` in the chest's frame, metres.
    dt : seconds, > 0.
    parameters : broadcast against the batch axes; may differ from the last step's.
    frame_acceleration : ``[..., 3]`` of the chest's frame at the masses, in chest axes, m/s^2,
        constant over the frame (see `frame_acceleration`); None for none.
    inherit : ratio of that acceleration that acts on the masses, in the opposite direction.
    feedforward : lead the target by lag times its velocity, so that ramps are followed without lag.

    >>> state = start([0.0, 0.0, 0.0])
    >>> for _ in range(300):
    ...     state = step(state, [0.1, 0.0, 0.0], 1 / 60, Parameters(0.05, 0.3))
    >>> np.round(state.position, 6) + 0.0
    array([0.1, 0. , 0. ])
    """
    from kinesphere.dynamics.tension.mass_tracker_kernels import step_in_place

    if not (dt > 0.0 and np.isfinite(dt)):
        raise InvalidValueError(f"a time step is {dt}, allowed is a positive number of seconds")
    new = _points(targets)
    if new.shape != state.target.shape:
        raise InvalidValueError(f"targets have shape {new.shape}, the state {state.target.shape}")
    position, velocity, target = (
        np.array(a.reshape(-1, 3)) for a in (state.position, state.velocity, state.target)
    )
    error, zeta = (
        np.ascontiguousarray(_broadcast(p, new.shape[:-1], "parameters").reshape(-1))
        for p in (parameters.rest_error_m, parameters.zeta)
    )
    push = np.zeros((0, 3))
    if frame_acceleration is not None:
        push = _accelerations(frame_acceleration, inherit, new.shape).reshape(-1, 3)
    step_in_place(
        position,
        velocity,
        target,
        new.reshape(-1, 3),
        error,
        zeta,
        push,
        float(dt),
        GRAVITY_M_S2,
        feedforward,
    )
    return _state(position.reshape(new.shape), velocity.reshape(new.shape), new)


def track(
    targets: ArrayLike,
    fps: float,
    rest_error_m: ArrayLike,
    zeta: ArrayLike,
    *,
    frame_acceleration: ArrayLike | None = None,
    inherit: float = 1.0,
    compensate: bool = False,
    feedforward: bool = False,
    cubic: bool = False,
    initial: TrackerState | None = None,
) -> TrackerState:
    """Follow whole clips of targets; equals a loop of `step` bit for bit, except for look-ahead.

    Parameters
    ----------
    targets : ``[frames, ..., 3]`` in the chest's frame, metres.
    fps : frames per second.
    rest_error_m, zeta : numbers, or arrays whose axes line up from the left with
        ``[frames, ...]`` (a missing or single one is repeated): ``[frames]`` is one value per
        frame for all, ``[1, 2]`` one per wrist for all frames.
    frame_acceleration : ``[frames, ..., 3]``, see `frame_acceleration`; row 0 is not used.
    inherit : ratio of that acceleration that acts on the masses.
    compensate : read the input later by the lag, so that timing is kept; needs the whole clip.
    feedforward : lead the targets by lag times velocity, as live use does; not with `compensate`.
    cubic : let the set point follow the cubic through the targets (Catmull-Rom) instead of
        straight lines: several times closer to a smooth input at a low frame rate, but it
        overshoots corners by up to 7 percent of a frame's path; not with `feedforward`.
    initial : state at frame 0, by default at rest on the target.

    Returns
    -------
    states with a leading axis of frames; ``.at(-1)`` is the start of a next clip or a live stream.

    >>> ramp = np.linspace([0.0, 0, 0], [2.0, 0, 0], 121)
    >>> path = track(ramp, 60.0, 0.02, 0.5, compensate=True).position
    >>> bool(abs(path[60, 0] - ramp[60, 0]) < 1e-6)
    True
    """
    from kinesphere.dynamics.tension.mass_tracker_kernels import track_rows

    given = _points(targets)
    if given.ndim < 2 or len(given) == 0:
        raise InvalidValueError(f"targets have shape {given.shape}, expected (frames, ..., 3)")
    _check_fps(fps)
    if feedforward and (compensate or cubic):
        raise InvalidValueError("feedforward is for live use, without compensate and cubic")
    first = start(given[0]) if initial is None else initial
    if first.position.shape != given.shape[1:]:
        raise InvalidValueError(
            f"the initial state has shape {first.position.shape}, targets {given.shape[1:]}"
        )
    parameters = Parameters(np.asarray(rest_error_m, float), np.asarray(zeta, float))
    rows = given.reshape(len(given), -1, 3)
    error, ratio = (
        _along_frames(p, given.shape[:-1], name)
        for p, name in ((parameters.rest_error_m, "rest_error_m"), (parameters.zeta, "zeta"))
    )
    none = np.zeros((0, rows.shape[1], 3))
    points = rows[:-1], rows[1:], none, none
    if compensate or cubic:
        lag = Parameters(error, ratio).lag_s * fps if compensate else np.zeros(error.shape)
        points = _set_points(rows, lag)
        points = points if cubic else (*points[:2], none, none)
    push = none
    if frame_acceleration is not None:
        push = _accelerations(frame_acceleration, inherit, given.shape).reshape(rows.shape)
    position, velocity = np.empty(rows.shape), np.empty(rows.shape)
    position[0] = first.position.reshape(-1, 3)
    velocity[0] = first.velocity.reshape(-1, 3)
    track_rows(
        *points, error, ratio, push, 1.0 / fps, GRAVITY_M_S2, feedforward, position, velocity
    )
    return _state(position.reshape(given.shape), velocity.reshape(given.shape), given)


def _set_points(rows: Floats, lag_frames: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Positions and velocities per frame of the set point at both ends of every interval."""
    from kinesphere.dynamics.tension.mass_tracker_kernels import set_points

    starts, ends, leaving, entering = np.empty((4, len(rows) - 1, *rows.shape[1:]))
    set_points(rows, np.ascontiguousarray(lag_frames), starts, ends, leaving, entering)
    return starts, ends, leaving, entering


def frame_acceleration(
    chest_positions: ArrayLike,
    chest_rotations: ArrayLike,
    points_in_chest: ArrayLike,
    fps: float,
    *,
    coriolis: bool = True,
    causal: bool = False,
) -> Floats:
    """World acceleration, in chest axes, of points that move with the chest.

    For each frame the mean over the interval that ends there: that of the chest's origin, plus
    Euler's ``alpha x r``, centrifugal ``omega x (omega x r)`` and, with `coriolis`, ``2 omega x
    r'`` for the points' own movement in the chest. The inertial force on a mass is the opposite,
    times `inherit`. Gravity is not in it: it is always compensated.

    Parameters
    ----------
    chest_positions, chest_rotations : ``[frames, ..., 3]`` and ``[frames, ..., 4]``, world.
    points_in_chest : ``[frames, ..., 3]``, at first the trackers' targets. The frame acts on
        the mass at its position, so offline insert the tracked positions and track again: the
        first pass has an error of up to 40 percent of the oscillation, the third of 4. Live, with
        `causal`, let the last two rows be the state's position and that plus its velocity times dt.
        Batch axes broadcast: a chest of ``[frames, 1, 3]`` applies to two wrists.
    fps : frames per second.
    coriolis : whether the points' velocity in the chest counts.
    causal : use no later frame, as live use must; centred differences otherwise. Live, the last
        three frames are enough: the last row is the same.

    Returns
    -------
    ``[frames, ..., 3]`` in m/s^2; row 0, before which nothing is known, is zero. Second
    differences amplify noise: smooth a noisy chest first.
    """
    _check_fps(fps)
    chest = _points(chest_positions)
    points = _points(points_in_chest)
    turns = np.asarray(chest_rotations, dtype=np.float64)
    if turns.shape[-1:] != (4,) or not len(turns) == len(chest) == len(points):
        raise InvalidValueError(
            f"chest positions {chest.shape}, rotations {turns.shape} and points {points.shape} "
            "must be (frames, ..., 3), (frames, ..., 4) and (frames, ..., 3) of the same frames"
        )
    shape = np.broadcast_shapes(chest.shape, points.shape, (*turns.shape[:-1], 3))
    out = np.zeros(shape)
    if len(chest) < 2:
        return out
    turns = quaternion.normalise(turns)
    chord = quaternion.log(quaternion.relative(turns[:-1], turns[1:]))
    middle = quaternion.multiply(turns[:-1], quaternion.exp(0.5 * chord))
    spin = chord * fps
    along = quaternion.rotate(
        quaternion.inverse(middle), _slope(np.diff(chest, axis=0) * fps, fps, causal)
    )
    arm = 0.5 * (points[:-1] + points[1:])
    euler = np.cross(_slope(spin, fps, causal), arm)
    total = along + euler + np.cross(spin, np.cross(spin, arm))
    if coriolis:
        total = total + 2.0 * np.cross(spin, np.diff(points, axis=0) * fps)
    out[1:] = total
    return out


def _slope(values: Floats, fps: float, causal: bool) -> Floats:
    """Rate of change of values of intervals: central, one-sided at the ends, or backward."""
    out = np.zeros(values.shape)
    if len(values) < 2:
        return out
    steps = np.diff(values, axis=0) * fps
    if causal:
        out[1:] = steps
        return out
    out[0], out[-1] = steps[0], steps[-1]
    out[1:-1] = 0.5 * (steps[1:] + steps[:-1])
    return out


def measure_lag(
    before: ArrayLike, after: ArrayLike, fps: float, *, largest_s: float = 1.0
) -> Floats:
    """Seconds by which the speeds of ``after [frames, ..., 3]`` trail those of `before`.

    The shift of highest correlation of the two speeds, each over the frames that overlap; a
    parabola through the peak gives fractions of a frame. Shifts of at most `largest_s`, and of at
    most half the clip, are tried.

    Raises
    ------
    InvalidValueError
        If the shapes differ, there are fewer than 4 frames, or a path's speed never changes.
    """
    _check_fps(fps)
    a, b = _points(before), _points(after)
    if a.shape != b.shape or len(a) < 4:
        raise InvalidValueError(f"paths of {a.shape} and {b.shape}: allowed is one shape, 4 frames")
    first, second = (np.linalg.norm(np.diff(p, axis=0), axis=-1) for p in (a, b))
    if any(np.any(np.ptp(s, axis=0) <= 1e-12) for s in (first, second)):
        raise InvalidValueError("a path's speed never changes, so it has no lag to measure")
    reach = max(1, min(int(np.ceil(largest_s * fps)) + 1, len(first) // 2))
    shifts = np.arange(-reach, reach + 1)
    scores = np.stack([_correlation(first, second, int(shift)) for shift in shifts])
    best = np.clip(np.argmax(scores, axis=0), 1, 2 * reach - 1)
    left, peak, right = (
        np.take_along_axis(scores, (best + k)[None], axis=0)[0] for k in (-1, 0, 1)
    )
    bend = left - 2.0 * peak + right
    part = np.where(bend < 0.0, 0.5 * (left - right) / np.where(bend < 0.0, bend, 1.0), 0.0)
    return np.asarray((shifts[best] + np.clip(part, -1.0, 1.0)) / fps)


def _correlation(a: Floats, b: Floats, shift: int) -> Floats:
    """Pearson's correlation of ``a[i]`` with ``b[i + shift]`` down the first axis."""
    count = len(a) - abs(shift)
    a = a[max(0, -shift) :][:count]
    b = b[max(0, shift) :][:count]
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    power = np.sum(a * a, axis=0) * np.sum(b * b, axis=0)
    return np.asarray(np.sum(a * b, axis=0) / np.sqrt(np.where(power > 0.0, power, 1.0)))


def _points(values: ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] != 3:
        raise InvalidValueError(f"points have shape {array.shape}, expected (..., 3)")
    return frozen_lengths(array, "points", array.shape)


def _check_fps(fps: float) -> None:
    if not (np.isfinite(fps) and fps > 0.0):
        raise InvalidValueError(f"fps is {fps}, allowed is a positive number")


def _broadcast(values: ArrayLike, shape: tuple[int, ...], name: str) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0:
        return np.full(shape, array)
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise InvalidValueError(
            f"{name} of shape {array.shape} does not fit the batch {shape}"
        ) from None


def _along_frames(values: ArrayLike, shape: tuple[int, ...], name: str) -> Floats:
    """Values ``[frames, n]``: axes line up from the left."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim < len(shape):
        array = array.reshape(*array.shape, *(1,) * (len(shape) - array.ndim))
    wide = _broadcast(array, shape, name)
    return np.ascontiguousarray(wide.reshape(len(wide), -1))


def _accelerations(values: ArrayLike, inherit: float, shape: tuple[int, ...]) -> Floats:
    check_range("inherit", inherit, 0.0, 1.0)
    array = _broadcast(values, shape, "frame_acceleration")
    if not np.isfinite(array).all():
        raise InvalidValueError("frame_acceleration is not finite")
    return np.ascontiguousarray(inherit * array)
