"""From a clip's angles to the commands of a body's springs, interval by interval."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kinesphere.dynamics.body.body_model import PhysicalBody
from kinesphere.dynamics.body.gains import Stiffness
from kinesphere.dynamics.body.loads import Loads, standing_loads
from kinesphere.dynamics.body.posture import HingePosture, turns_of_angles
from kinesphere.dynamics.body.run import Bounds, Commands
from kinesphere.dynamics.body.timing import TargetTiming, shortened_times, widen
from kinesphere.dynamics.tension.antagonistic import Gains, SetPoints, end_gains
from kinesphere.gesture.phases import ArmPhases
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.motion.kinematics import velocities
from kinesphere.motion.resampling import vectors_at

Phases = Mapping[Side, ArmPhases] | None
_CONTROL_HZ = 60.0
_LOADS_HZ = 30.0
_GLITCHES = 0.02  # ratio of frames that may jump, as recordings do


def intervals_a_frame(fps: float) -> int:
    """Number of control intervals per frame, so that there are about 60 per second or more."""
    return max(1, int(np.ceil(_CONTROL_HZ / fps - 1e-6)))


def commands_for(
    body: PhysicalBody,
    fps: float,
    posture: HingePosture,
    stiffness: Stiffness,
    timing: TargetTiming,
    phases: Phases = None,
    main: HingePosture | None = None,
    bounds: Bounds | None = None,
) -> Commands:
    """Commands for a body that follows a posture.

    Parameters
    ----------
    fps : frames per second of the posture; at least two frames.
    stiffness : with one row for each of the frames.
    phases : of each arm, for the timing.
    main : the posture of the main tracks alone; the difference to the posture are offsets, whose
        gains are added (Table 6.3).
    """
    frames = len(posture.place)
    each = intervals_a_frame(fps)
    count = (frames - 1) * each
    middle = (np.arange(count) + 0.5) / each
    ends = np.minimum(np.arange(1, count + 1) / each, frames - 1.0)
    step = (bounds or Bounds()).asked_rad_s / (fps * each)
    loads = _loads(body, fps, posture)
    load = _at(loads.torques, _scale(loads.torques, frames, middle))
    points = SetPoints(*body.ranges)
    tension, damping = (_at(v, middle) for v in (stiffness.tension, stiffness.damping))

    def hold(angle: Floats) -> Gains:
        return points.compensate(angle, load, tension)

    own = posture if main is None else main
    asked = _target_angles(body, fps, own.moving(body), stiffness, middle, timing, phases)
    if main is None:
        gains = hold(_limit_rate(asked, step))
    else:
        extra = posture.moving(body) - main.moving(body)
        offset = _target_angles(
            body, fps, extra, stiffness, middle, TargetTiming(timing.advance_s), None
        )
        first, second = end_gains(hold, asked, offset)
        gains = first + second
    ground, feet, centre = (
        _at(values, _scale(values, frames, at))
        for values, at in ((loads.ground, middle), (loads.feet, ends), (loads.centre, ends))
    )
    return Commands(
        1.0 / (fps * each),
        points.command(gains),
        tension,
        damping,
        ground,
        feet,
        centre,
        _at(posture.place, ends),
    )


def _target_angles(
    body: PhysicalBody,
    fps: float,
    values: Floats,
    stiffness: Stiffness,
    middle: Floats,
    timing: TargetTiming,
    phases: Phases,
) -> Floats:
    """Target angles ``[intervals, dofs]`` of each degree of freedom."""
    times = np.arange(len(values)) / fps
    lag = _at(stiffness.lag_s, middle)
    out = np.empty((len(middle), values.shape[1]))
    for part in range(lag.shape[1]):
        dofs = np.flatnonzero(stiffness.parts == part)
        bone = body.bones[body.bone_of_dof[dofs[0]]]
        side = next((s for s in SIDES if bone.startswith(s)), None)
        own = np.ascontiguousarray(values[:, dofs])
        if body.in_legs[dofs[0]]:
            # The feet are fixed: a leg with a delay would push the pelvis. Led by its own velocity,
            # it is damped relative to its path and not to standing still.
            rate = vectors_at(velocities(own, fps), middle)
            out[:, dofs] = vectors_at(own, middle) + lag[:, [part]] * rate
            continue
        early = lag[:, part] if timing.advance_s is None else timing.advance_s
        at = middle / fps + early
        if side is not None:
            spans = timing.progressives.get(side, ())
            own = widen(own, times, spans, timing.span) if spans else own
            if timing.shorten and phases is not None and side in phases:
                at = shortened_times(at, phases[side], spans)
        out[:, dofs] = vectors_at(own, np.clip(at * fps, 0.0, len(values) - 1.0))
    return out


def too_fast(body: PhysicalBody, fps: float, posture: HingePosture, bounds: Bounds) -> str | None:
    """Message on a bone whose target rotates too fast, if not only for a few frames."""
    turns = np.concatenate([posture.turn[:, None], turns_of_angles(body, posture.angles)], axis=1)
    rates = quaternion.angle_between(turns[:-1], turns[1:]) * fps
    fast = np.count_nonzero(rates > bounds.asked_rad_s, axis=0)
    worst = int(np.argmax(fast))
    if fast[worst] <= max(2, _GLITCHES * len(turns)):
        return None
    bone = ("hips", *body.bones)[worst]
    peak = float(np.degrees(rates[:, worst].max()))
    return f"the target of {bone} rotates at {peak:.0f} degrees per second"


def _limit_rate(asked: Floats, step: float) -> Floats:
    """Angles limited to changes of `step` from one interval to the next."""
    if len(asked) < 2 or np.abs(np.diff(asked, axis=0)).max() <= step:
        return asked
    out = asked.copy()
    for i in range(1, len(out)):
        out[i] = out[i - 1] + np.clip(out[i] - out[i - 1], -step, step)
    return out


def _loads(body: PhysicalBody, fps: float, posture: HingePosture) -> Loads:
    """Loads along a posture, at a rate sufficient for gravity, with its first and last frame."""
    frames = len(posture.place)
    count = min(frames, max(2, round((frames - 1) / fps * _LOADS_HZ) + 1))
    qpos = vectors_at(posture.qpos(body), np.linspace(0.0, frames - 1.0, count))
    qpos[:, 3:7] /= np.linalg.norm(qpos[:, 3:7], axis=-1, keepdims=True)
    return standing_loads(body, qpos)


def _scale(values: Floats, frames: int, at: Floats) -> Floats:
    """Frames as fractional indices of fewer samples that span the same time."""
    return at * ((len(values) - 1) / (frames - 1))


def _at(values: Floats, samples: Floats) -> Floats:
    """Values ``[samples, ...]`` at fractional samples, linearly."""
    low = np.clip(samples.astype(np.int64), 0, len(values) - 2)
    ratio = (samples - low).reshape(-1, *(1,) * (values.ndim - 1))
    return np.asarray(values[low] + ratio * (values[low + 1] - values[low]))
