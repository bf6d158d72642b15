"""Live Effort and Shape: the part that needs no knowledge of coming motion.

Shape is complete: the torso's table and the arms' keypoint rule (EMOTE, equations 1 to 8), applied
to every frame. Effort has no keys to work on, so it changes how segments are played: Time their
pace, Weight their amplitude, Flow the transitions between them. Space, which shapes the paths
between keys, has no effect live; `express` on the recorded take applies all of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from kinesphere.character.default import default_rig
from kinesphere.expression.keys.keypoints import shape_keypoints
from kinesphere.expression.keys.torso import torso_turns
from kinesphere.expression.qualities import Effort, Shape
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, sign_of
from kinesphere.motion.measure import centre_of_mass

_DIMENSIONS = ("horizontal", "vertical", "sagittal")
# Bones of each part of the torso, and their proportions.
_PARTS = {
    "pelvis": {"hips": 1.0},
    "spine": {"spine": 1 / 3, "chest": 1 / 3, "upperChest": 1 / 3},
    "neck": {"neck": 0.5, "head": 0.5},
    "leftClavicle": {"leftShoulder": 1.0},
    "rightClavicle": {"rightShoulder": 1.0},
}


@dataclass(frozen=True)
class LiveExpressionSettings:
    """How much the ends of the Effort and Shape scales change live motion.

    Parameters
    ----------
    pace_octaves : of playback speed from neutral to Sudden; more looks speeded up.
    size : relative amplitude from neutral to Strong.
    bound_size : by which Bound motion is smaller.
    flow_octaves, time_octaves : by which transitions are shorter for Bound and for Sudden.
    bends : proportion of the torso's table: limited by hands that hang in front of the body.
    """

    pace_octaves: float = 0.4
    size: float = 0.18
    bound_size: float = 0.1
    flow_octaves: float = 0.6
    time_octaves: float = 0.3
    bends: float = 0.7


LIVE_EXPRESSION = LiveExpressionSettings()


@dataclass(frozen=True)
class LiveExpression:
    """Effort, and Shape of arms and torso; neutral by default."""

    effort: Effort = field(default_factory=Effort)
    shape: Shape = field(default_factory=Shape)
    torso: Shape = field(default_factory=Shape)

    @property
    def pace(self) -> float:
        """Playback speed of segments relative to the recording."""
        return float(2.0 ** (LIVE_EXPRESSION.pace_octaves * self.effort.time))

    @property
    def size(self) -> float:
        """Amplitude relative to the recording."""
        s, bound = LIVE_EXPRESSION, max(self.effort.flow, 0.0)
        return (1.0 + s.size * self.effort.weight) * (1.0 - s.bound_size * bound)

    @property
    def softness(self) -> float:
        """Length of transitions between segments relative to the default."""
        s, effort = LIVE_EXPRESSION, self.effort
        return float(
            2.0 ** (-s.flow_octaves * effort.flow) * 2.0 ** (-s.time_octaves * effort.time)
        )

    def turns(self) -> Floats:
        """Rotation vectors ``[joints, 3]`` of the torso's Shape."""
        rig = default_rig()
        out = np.zeros((len(rig.skeleton), 3))
        values = {n: np.asarray(getattr(self.torso, n)) for n in _DIMENSIONS}
        for part, turn in torso_turns(values).items():
            for bone, share in _PARTS[part].items():
                out[rig.joint(bone)] += LIVE_EXPRESSION.bends * share * turn
        return out

    def shapes_arms(self) -> bool:
        """Whether wrist positions change."""
        return not self.shape.neutral

    def wrists(self, wrists: Floats) -> Floats:
        """Wrists ``[..., 2, 3]``, from their shoulders in the chest's axes, with Shape."""
        out = np.empty_like(wrists)
        for k, side in enumerate(SIDES):
            out[..., k, :] = shape_keypoints(
                wrists[..., k, :], self.shape, sign_of(side), _centre(k)
            )
        return out


@cache
def _centre(k: int) -> Floats:
    rig = default_rig()
    shoulder = rig.skeleton.rest_world_positions[rig.joint(f"{SIDES[k]}UpperArm")]
    return np.asarray(centre_of_mass(rig) - shoulder)
