"""The gesture that the tension page shows: our own, or one of a recording."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.character.default import default_rig
from kinesphere.dynamics.tension.mass_tracker import track
from kinesphere.dynamics.tension.presets import Tension
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.detection import detect_phases
from kinesphere.gesture.phases import ArmPhases, Phase
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side, chest_bone, measure_arm
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.keyed.keyed_motion import ArmKeys, KeyedMotion
from kinesphere.motion.keyed.movement import Movement, Timing
from kinesphere.motion.keyed.sampling import apply_keys
from kinesphere.motion.resampling import resample

FPS = 240.0
_MARGIN_S = 1.5  # around the shown part, so that no mass starts or ends within it
_SHOWN_S = (2.0, 2.2)  # at most, before and after a stroke's end
_HELD_S = 0.3  # a shorter hold shows no oscillation
_BLEND_S = 0.15  # from a stroke's parameters to a retraction's


def gesture_clip() -> Clip:
    """Our own right-hand gesture: rest, preparation, stroke with a sudden stop, hold, home pose.

    The stop has to be sudden: a hand that decelerates by itself hardly excites oscillation in a
    stiff tracker.
    """
    rig = default_rig()
    base = home_clip(round(3.8 * FPS) + 1, FPS)
    arm = measure_arm(base, rig, "right")
    home, swivel = arm.wrists[0], float(arm.swivels[0])
    ready, done = (0.06, -0.02, 0.30), (-0.20, -0.25, 0.34)
    late = Movement(Timing(corners=(0.01, 0.85, 0.99), speeds=(0.0, 0.85, 0.0)), rounding_s=0.02)
    keys = ArmKeys(
        np.array([0.4, 1.15, 1.5, 2.3, 3.1]),
        np.array([home, ready, done, done, home]),
        np.array([swivel, 0.5, 0.5, 0.5, swivel]),
        movements=(Movement(), late, Movement(), Movement()),
    )
    return apply_keys(KeyedMotion(right=keys), base, rig)


@dataclass(frozen=True, eq=False)
class ShownGesture:
    """A stroke of one hand with the motion around it.

    Parameters
    ----------
    wrists : ``[frames, 3]`` in the chest's frame, at `fps`; frame 0 is at `start_s` of the clip.
    phases, stroke : of the arm, and the stroke that is shown, in the clip's time.
    """

    wrists: Floats
    fps: float
    start_s: float
    phases: ArmPhases
    stroke: Phase

    @property
    def times(self) -> Floats:
        """Time axis in seconds of the clip."""
        return self.start_s + np.arange(len(self.wrists)) / self.fps

    @property
    def shown_s(self) -> tuple[float, float]:
        """Time range of a figure: the gesture unit, or as much of it as fits."""
        unit = next(u for u in self.phases.units if self.stroke in u.phases)
        end = self.stroke.end_s
        low = max(unit.start_s - 0.3, end - _SHOWN_S[0], self.times[0])
        return float(low), float(min(unit.end_s + 0.6, end + _SHOWN_S[1], self.times[-1]))

    @property
    def peak_speed_m_s(self) -> float:
        """Peak wrist speed in the chest's frame during the stroke."""
        inside = (self.times >= self.stroke.start_s) & (self.times <= self.stroke.end_s)
        steps = np.diff(self.wrists[inside], axis=0)
        return float(np.linalg.norm(steps, axis=-1).max() * self.fps)

    @property
    def hold_end_s(self) -> float:
        """When the hand moves again after the stroke, or 0.5 s later if there is no hold."""
        after = [p for p in self.phases if p.start_s >= self.stroke.end_s]
        held = after and after[0].kind in ("hold", "rest")
        return after[0].end_s if held else min(self.stroke.end_s + 0.5, float(self.times[-1]))

    def along(self, wrists: Floats) -> Floats:
        """Metres along the stroke's direction, 0 where the stroke ends."""
        first, last = (
            self.wrists[int(np.argmin(np.abs(self.times - t)))]
            for t in (self.stroke.start_s, self.stroke.end_s)
        )
        way = (last - first) / max(float(np.linalg.norm(last - first)), 1e-9)
        return np.asarray((wrists - last) @ way)

    def track_wrists(self, tension: Tension, *, compensate: bool = True) -> Floats:
        """Wrists ``[frames, 3]`` that follow with a tension; looser in retraction and at rest."""
        loose = np.zeros(len(self.times))
        for phase in self.phases:
            if phase.kind in ("retraction", "rest"):
                loose[(self.times >= phase.start_s) & (self.times < phase.end_s)] = 1.0
        count = max(1, round(_BLEND_S * self.fps))
        padded = np.concatenate([np.full(count - 1, loose[0]), loose])
        loose = np.convolve(padded, np.full(count, 1.0 / count), mode="valid")
        (e0, z0), (e1, z1) = (
            (float(p.rest_error_m), float(p.zeta)) for p in (tension.stroke, tension.retraction)
        )
        error = np.exp(np.log(e0) + loose * (np.log(e1) - np.log(e0)))
        zeta = z0 + loose * (z1 - z0)
        return track(self.wrists, self.fps, error, zeta, compensate=compensate, cubic=True).position


def gesture_of(clip: Clip, rig: Rig) -> ShownGesture:
    """Find the fastest stroke, with a factor of two for a hold after it, and cut out its context.

    Raises
    ------
    InvalidValueError
        If no hand makes a stroke.
    RigError
        If the rig lacks a bone of an arm.
    """
    found = detect_phases(clip, rig)
    strokes = [
        (phase.peak_speed * (2.0 if _is_hold(after) else 1.0), side, phase)
        for side in SIDES
        for phase, after in zip_longest(found.arm(side), found.arm(side).phases[1:])
        if phase.kind == "stroke"
    ]
    if not strokes:
        raise InvalidValueError("no hand makes a stroke in this clip; give one with a gesture")
    _, side, stroke = max(strokes, key=lambda s: s[0])
    low = max(0.0, stroke.end_s - _SHOWN_S[0] - _MARGIN_S)
    high = min(clip.duration_s, stroke.end_s + _SHOWN_S[1] + _MARGIN_S)
    first, last = int(low * clip.fps), int(np.ceil(high * clip.fps - 1e-6))
    cut = clip.frames(first, min(last + 1, len(clip)))
    start = first / clip.fps
    cut = resample(cut, FPS) if cut.fps < FPS else cut
    return ShownGesture(wrist_in_chest(cut, rig, side), cut.fps, start, found.arm(side), stroke)


def _is_hold(after: Phase | None) -> bool:
    return after is not None and after.kind == "hold" and after.duration_s >= _HELD_S


def wrist_in_chest(clip: Clip, rig: Rig, side: Side) -> Floats:
    """Wrist ``[frames, 3]`` relative to the chest joint, in the chest's axes."""
    arm = measure_arm(clip, rig, side)
    chest = clip.world_positions[:, rig.joint(chest_bone(rig))]
    away = arm.in_world(arm.wrists) - chest
    return quaternion.rotate(quaternion.inverse(arm.axes), away)
