"""Tension on any clip: the wrists follow by mass trackers, the arms by IK with their own swivel.

By phases where they are known: strokes and the phases before them with one set of parameters,
retractions with another, with a fade in between. Holds after a stroke in which the hand
is nearly still can be replaced by constant ones, so that a stiff arm stops visibly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.animation.arms.restraint import largest_share, push_out
from kinesphere.dynamics.tension.mass_tracker import (
    REST_ERROR_RANGE_M,
    Parameters,
    TrackerState,
    frame_acceleration,
    measure_lag,
    start,
    track,
)
from kinesphere.dynamics.tension.presets import Tension
from kinesphere.dynamics.tension.secondary import Secondary, with_secondary
from kinesphere.errors import InvalidValueError
from kinesphere.figure.arms.corrections import ease_ratio
from kinesphere.gesture.phases import ArmPhases
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.maths.bounds import check_range
from kinesphere.maths.curves import smoothstep
from kinesphere.maths.filters import gaussian, low_pass
from kinesphere.motion.body.arms import (
    SIDES,
    ArmMotion,
    Side,
    carry,
    chest_bone,
    measure_arm,
    with_arm,
)
from kinesphere.motion.body.body_volume import CORE, body_volume, hand_depth
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.keyed.arm_path import soft_reach
from kinesphere.motion.resampling import vectors_at

_CHEST_HZ = 6.0
_PASSES = 4
_LARGEST_LEAD_S = 0.5
_FIRST_S = 0.05
_DEEP_M, _HALVINGS = 0.03, 5


@dataclass(frozen=True)
class TensedSettings:
    """How tension is applied to a clip.

    Parameters
    ----------
    compensate : keep the timing by reading the input later by the lag.
    inherit : ratio of the chest's own acceleration that acts on the hands: arms swing when the body
        rotates. 0 is the paper's chest frame.
    fade_s : over which the parameters change from phase to phase.
    constant_holds : replace holds after strokes, in which the hand stays within `still_m`, by
        constant ones: always, never, or (None) where the rest error is below `stiff_m`.
    still_m : largest extent (diagonal of the box around the wrist's path in the chest) of a hold
        that counts as still; a larger one is a movement that must be kept.
    hold_exit_s : duration of the return from a constant hold to the path.
    secondary : secondary motion of other joints; none by default, as in the paper.
    keep_out : keep hands out of the body.
    """

    compensate: bool = True
    inherit: float = 0.0
    fade_s: float = 0.16
    constant_holds: bool | None = None
    stiff_m: float = 0.0075
    still_m: float = 0.05
    hold_exit_s: float = 0.25
    secondary: Secondary = field(default_factory=Secondary)
    keep_out: bool = True

    def __post_init__(self) -> None:
        check_range("inherit", self.inherit, 0.0, 1.0)


def tense_clip(
    clip: Clip,
    rig: Rig,
    tension: Tension,
    phases: Mapping[Side, ArmPhases] | None = None,
    settings: TensedSettings | None = None,
) -> Clip:
    """Apply a tension to a clip's arms; its duration is unchanged.

    Parameters
    ----------
    tension : parameters as numbers, or as arrays with one value per frame.
    phases : of each arm; without them all is treated as a stroke.
    """
    s = settings or TensedSettings()
    rig.require("tension")
    out = clip
    for side in SIDES:
        arm = measure_arm(clip, rig, side)
        known = None if phases is None else phases.get(side)
        error, zeta = parameters_over(clip, tension, known, s)
        place = wrists_in_chest(clip, rig, arm)
        target = hold_still(place, clip.fps, known, error, s)
        tracked = _track(clip, rig, target, error, zeta, s)
        offset = arm.wrists - place  # the shoulder's own position in the chest
        far = np.linalg.norm(arm.wrists, axis=-1)
        wrists = soft_reach(tracked + offset, arm.limb, far)
        if s.keep_out:
            wrists = _limit_depth(clip, rig, arm, wrists)
        out = with_arm(out, rig, side, carry(arm, wrists), arm.axes)
    out = with_secondary(out, rig, tension.stroke, s.secondary)
    if s.keep_out:
        for side in SIDES:
            out, _ = push_out(clip, out, rig, side)
    return out


def _limit_depth(clip: Clip, rig: Rig, arm: ArmMotion, wrists: Floats) -> Floats:
    """Wrists with less oscillation where the hand would go deep into the body.

    The remaining penetration is small enough to be resolved without moving the hand elsewhere.
    """
    volume = body_volume(rig)
    change = wrists - arm.wrists

    def depth(share: Floats) -> Floats:
        turns = carry(arm, arm.wrists + share[:, None] * change)
        return hand_depth(
            with_arm(clip, rig, arm.side, turns, arm.axes), rig, arm.side, CORE, volume
        )

    deep = depth(np.ones(len(clip)))
    if deep.max() <= _DEEP_M:
        return wrists
    within = hand_depth(clip, rig, arm.side, CORE, volume) + _DEEP_M
    if np.all(deep <= within):
        return wrists
    share = largest_share(lambda share: depth(share) <= within, len(clip), _HALVINGS)
    share = ease_ratio(np.where(deep <= within, 1.0, share), clip.fps)
    return np.asarray(arm.wrists + share[:, None] * change)


def wrists_in_chest(clip: Clip, rig: Rig, arm: ArmMotion) -> Floats:
    """Wrists from the chest's joint in its axes: the frame in which masses are tracked."""
    chest = clip.world_positions[:, rig.joint(chest_bone(rig))]
    away = arm.in_world(arm.wrists) - chest
    return quaternion.rotate(quaternion.inverse(arm.axes), away)


def parameters_over(
    clip: Clip, tension: Tension, phases: ArmPhases | None, s: TensedSettings
) -> tuple[Floats, Floats]:
    """Rest error and zeta for every frame, with a fade between phases."""

    def row(values: ArrayLike) -> Floats:
        given = np.asarray(values, dtype=np.float64)
        if given.ndim and given.shape != (len(clip),):
            raise InvalidValueError(
                f"tension has {given.shape} values, expected one for each of {len(clip)} frames"
            )
        return np.broadcast_to(given, (len(clip),))

    back = np.zeros(len(clip))
    if phases is not None:
        for phase in phases:
            if phase.kind in ("rest", "retraction"):
                back[(clip.times >= phase.start_s) & (clip.times <= phase.end_s)] = 1.0
        if len(clip) > 3 and s.fade_s > 0.0:
            back = gaussian(back, max(0.3 * s.fade_s * clip.fps, 0.5))
    stroke, retraction = tension.stroke, tension.retraction
    error = (1.0 - back) * np.log(row(stroke.rest_error_m)) + back * np.log(
        row(retraction.rest_error_m)
    )
    zeta = (1.0 - back) * row(stroke.zeta) + back * row(retraction.zeta)
    return np.clip(np.exp(error), *REST_ERROR_RANGE_M), zeta  # exp and log lose the last digit


def hold_still(
    path: Floats, fps: float, phases: ArmPhases | None, error: Floats, s: TensedSettings
) -> Floats:
    """Path with constant holds after strokes where they are requested."""
    if phases is None or s.constant_holds is False:
        return path
    out = path.copy()
    for unit in phases.units:
        for hold in unit.holds_after_strokes:
            a = int(np.clip(round(hold.start_s * fps), 0, len(path) - 1))
            b = int(np.clip(round(hold.end_s * fps), 0, len(path) - 1))
            if b - a < 2 or (s.constant_holds is None and np.median(error[a:b]) > s.stiff_m):
                continue
            if np.linalg.norm(np.ptp(path[a : b + 1], axis=0)) > s.still_m:
                continue
            fixed = path[a].copy()
            out[a : b + 1] = fixed
            count = max(1, min(round(s.hold_exit_s * fps), len(path) - 1 - b))
            fade = 1.0 - smoothstep(np.arange(1, count + 1) / count)
            rest = slice(b + 1, b + 1 + count)
            out[rest] = path[rest] + fade[: len(path[rest]), None] * (fixed - path[b])
    return out


def _track(
    clip: Clip, rig: Rig, target: Floats, error: Floats, zeta: Floats, s: TensedSettings
) -> Floats:
    """Follow the target, with compensated timing if requested.

    The mass begins on the target with its velocity, and the target continues after the last frame
    with its velocity there: a clip may begin and end in the middle of a movement.
    """
    late = Parameters(error, zeta).lag_s.max() if s.compensate else 0.0
    after = int(np.ceil((late + _LARGEST_LEAD_S) * clip.fps)) if s.compensate else 0
    going_on = np.arange(1, after + 1)[:, None] * -_step(target[::-1], clip.fps)
    path = np.concatenate([target, target[-1] + going_on])
    error, zeta = (np.pad(v, (0, after), mode="edge") for v in (error, zeta))
    first = start(target[0], _step(target, clip.fps) * clip.fps)
    lead = 0.0
    for _ in range(_PASSES):
        at = np.clip(np.arange(len(path)) + lead, 0.0, len(path) - 1.0)
        shifted = vectors_at(path, at) if lead else path
        out = _follow(clip, rig, shifted, first, error, zeta, s)[: len(target)]
        still_late = _lag_frames(target, out, clip.fps) if s.compensate else 0.0
        if abs(still_late) < 0.2:
            break
        lead += still_late
    return out


def _step(path: Floats, fps: float) -> Floats:
    """Mean displacement per frame at a path's start: single frames of recordings are noisy."""
    count = min(max(1, round(_FIRST_S * fps)), len(path) - 1)
    return np.asarray((path[count] - path[0]) / max(count, 1))


def _lag_frames(target: Floats, out: Floats, fps: float) -> float:
    """Frames by which a gesture is still late: its lag is not exactly that of a ramp."""
    moving = [np.ptp(np.linalg.norm(np.diff(p, axis=0), axis=-1)) > 1e-6 for p in (target, out)]
    if len(target) < 8 or not all(moving):
        return 0.0
    return float(measure_lag(target, out, fps, largest_s=_LARGEST_LEAD_S)) * fps


def _follow(
    clip: Clip,
    rig: Rig,
    target: Floats,
    first: TrackerState,
    error: Floats,
    zeta: Floats,
    s: TensedSettings,
) -> Floats:
    """Follow a target that may continue after the clip's last frame."""
    cubic = clip.fps < 100.0
    if s.inherit == 0.0 or len(clip) < 8:
        return track(
            target, clip.fps, error, zeta, compensate=s.compensate, cubic=cubic, initial=first
        ).position
    joint = rig.joint(chest_bone(rig))
    cutoff = min(_CHEST_HZ, 0.4 * clip.fps)
    positions = low_pass(clip.world_positions[:, joint], cutoff, clip.fps)
    turns = quaternion.unroll(rig.turn(clip.world_rotations, joint))
    rotations = quaternion.normalise(low_pass(turns, cutoff, clip.fps))
    out = target
    push = np.zeros(target.shape)
    for _ in range(_PASSES):
        push[: len(clip)] = frame_acceleration(positions, rotations, out[: len(clip)], clip.fps)
        out = track(
            target,
            clip.fps,
            error,
            zeta,
            frame_acceleration=push,
            inherit=s.inherit,
            compensate=s.compensate,
            cubic=cubic,
            initial=first,
        ).position
    return out


def constant(parameters: Parameters) -> Tension:
    """A tension with the same parameters for all phases."""
    return Tension(parameters, parameters)
