"""A pose of one hand: the values that are keyed, and how poses are changed and interpolated."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from kinesphere.animation.arms.arm_settings import PalmSettings
from kinesphere.animation.arms.poses.arm_pose import COMFORT
from kinesphere.gesture.lexicon import MicroKey
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import Side, sign_of

# Roll, flexion and deviation: no key is outside the comfortable range.
LOWEST, HIGHEST = COMFORT.T
FIST = np.array([82.0, 96.0, 58.0] * 4 + [0.0] * 4 + [20.0, 40.0, 40.0, 25.0, 40.0])
"""Finger angles of a fist and of an open hand, degrees."""
OPEN = np.array([5.0, 8.0, 4.0] * 4 + [5.0, 0.0, 4.0, 8.0] + [45.0, 15.0, 30.0, 5.0, 5.0])


@dataclass(frozen=True, eq=False)
class HandPose:
    """Position and orientation of a hand, and its fingers.

    Parameters
    ----------
    wrist : ``[3]`` in the chest's axes from between the shoulder joints, metres.
    swivel : of the elbow, radians outward.
    angles : ``[3]`` roll, flexion and deviation of the hand within the forearm, radians.
    fingers : ``[21]`` degrees, as of `gesture.hand_shapes.finger_angles`.
    collar : ``[3]`` rotation vector of the collar bone, besides the rotation for reaching.
    """

    wrist: Floats
    swivel: float
    angles: Floats
    fingers: Floats
    collar: Floats = field(default_factory=lambda: np.zeros(3))

    def with_micro_key(self, key: MicroKey, side: Side, ratio: float = 1.0) -> HandPose:
        """Apply a partial pose on top: values that it does not name stay."""
        step = np.array([sign_of(side) * key.out_cm, key.up_cm, key.forward_cm]) / 100.0
        turn = np.radians([key.roll, key.flexion, key.deviation])
        fingers = self.fingers
        if key.curl:
            goal = FIST if key.curl > 0.0 else OPEN
            fingers = fingers + min(1.0, ratio * abs(key.curl)) * (goal - fingers)
        return replace(
            self,
            wrist=self.wrist + ratio * step,
            angles=np.clip(self.angles + ratio * turn, LOWEST, HIGHEST),
            fingers=fingers,
        )

    def shift(self, step: Floats) -> HandPose:
        """Pose with the wrist at another position."""
        return replace(self, wrist=self.wrist + step)

    def mirror(self) -> HandPose:
        """Mirrored pose, for the other hand."""
        flip = np.array([-1.0, 1.0, 1.0])
        return replace(self, wrist=self.wrist * flip, collar=-self.collar * flip)


def mix_poses(a: HandPose, b: HandPose, ratio: float, angles: float | None = None) -> HandPose:
    """Interpolate two poses of one hand; `angles` is a separate ratio for angles and fingers."""
    own = ratio if angles is None else angles
    return HandPose(
        a.wrist + ratio * (b.wrist - a.wrist),
        a.swivel + ratio * (b.swivel - a.swivel),
        a.angles + own * (b.angles - a.angles),
        a.fingers + own * (b.fingers - a.fingers),
        a.collar + ratio * (b.collar - a.collar),
    )


def vary_fingers(
    pose: HandPose, spread_deg: float, rng: np.random.Generator, settings: PalmSettings
) -> HandPose:
    """Finger angles with random variation: neighbours vary together."""
    alike, apart = settings.fingers_alike
    common = rng.normal()
    bend = spread_deg * (alike * common + apart * rng.normal(size=4))
    fingers = pose.fingers.copy()
    fingers[:12] += np.repeat(bend, 3) * np.tile(settings.knuckles, 4)
    fingers[:12] = np.maximum(fingers[:12], settings.fingers_least_deg)
    return replace(pose, fingers=fingers)
