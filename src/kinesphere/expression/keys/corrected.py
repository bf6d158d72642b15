"""Effort and Shape with our guards: limits of joints and body hold, and detail is kept."""

from __future__ import annotations

from dataclasses import replace

from kinesphere.expression.keys.arm_keys import phrase_positions, shape_arm_keys
from kinesphere.expression.keys.effort import apply_effort
from kinesphere.expression.phrase import Phrase
from kinesphere.expression.recordings.arm_limits import ArmTask, restrain
from kinesphere.expression.recordings.arm_posing import arm_rotations_of, limit_arm, separate_hands
from kinesphere.expression.recordings.arm_trajectory import (
    ArmTrajectory,
    recorded_trajectory,
    retime,
    shape_trajectory,
)
from kinesphere.expression.settings import ExpressionSettings
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.motion.body.arms import ArmMotion, Side
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.keyed.key_extraction import Extraction
from kinesphere.motion.keyed.keyed_motion import ArmKeys


class CorrectedEmote:
    """The default `expression.keys.methods.ExpressionMethod`."""

    def express_arm(
        self, keys: ArmKeys, phrase: Phrase, side: Side, rig: Rig, settings: ExpressionSettings
    ) -> ArmKeys:
        """Keys of an arm with the phrase's Shape and Effort."""
        positions = phrase_positions(keys, phrase)
        shaped = shape_arm_keys(keys, phrase, side, rig, settings.shape)
        return apply_effort(shaped, phrase, f"{side}-arm", positions, settings)

    def hanging(self, ratio: float) -> float:
        """The set ratio."""
        return ratio

    def trajectory(self, task: ArmTask, found: Extraction | None) -> tuple[ArmTrajectory, Bools]:
        """The recorded path, retimed and moved; and where limits or the body reduced the change."""
        path = recorded_trajectory(task.arm)
        if found is not None:
            positions = phrase_positions(found.keys, task.phrase)
            part = f"{task.arm.side}-arm"
            keys = apply_effort(found.keys, task.phrase, part, positions, task.settings)
            if keys is not found.keys:
                path = retime(task.arm, found, keys, task.clip)
            path = replace(path, wrists=shape_trajectory(path, task, found))
        wrists, swivels, held_back = restrain(task, path.at, path.wrists, path.swivels)
        return replace(path, wrists=wrists, swivels=swivels), held_back

    def rotations(self, arm: ArmMotion, path: ArmTrajectory) -> Floats:
        """The recorded rotations, carried along."""
        return arm_rotations_of(arm, path)

    def limit_arm(
        self, clip: Clip, posed: Clip, rig: Rig, side: Side, at: Floats
    ) -> tuple[Clip, Bools]:
        """Arm within its joint limits and out of the body, and where it was moved out."""
        return limit_arm(clip, posed, rig, side, at)

    def separate_hands(self, clip: Clip, posed: Clip, rig: Rig, at: dict[Side, Floats]) -> Clip:
        """Clip whose hands do not overlap."""
        return separate_hands(clip, posed, rig, at)
