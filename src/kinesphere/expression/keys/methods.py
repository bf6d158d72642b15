"""The two ways to apply Effort and Shape, EMOTE as published and corrected; chosen once."""

from __future__ import annotations

from typing import Protocol

from kinesphere.expression.keys.corrected import CorrectedEmote
from kinesphere.expression.keys.printed import PrintedEmote
from kinesphere.expression.phrase import Phrase
from kinesphere.expression.recordings.arm_limits import ArmTask
from kinesphere.expression.recordings.arm_trajectory import ArmTrajectory
from kinesphere.expression.settings import ExpressionSettings
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.motion.body.arms import ArmMotion, Side
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.keyed.key_extraction import Extraction
from kinesphere.motion.keyed.keyed_motion import ArmKeys


class ExpressionMethod(Protocol):
    """How Effort and Shape change keys, and the arms of a recording."""

    def express_arm(
        self, keys: ArmKeys, phrase: Phrase, side: Side, rig: Rig, settings: ExpressionSettings
    ) -> ArmKeys:
        """Keys of an arm with the phrase's Shape and Effort."""
        ...

    def hanging(self, ratio: float) -> float:
        """Ratio of a torso's rotation that the arms do not follow, where `ratio` is set."""
        ...

    def trajectory(self, task: ArmTask, found: Extraction | None) -> tuple[ArmTrajectory, Bools]:
        """New path of a recorded arm, and the frames in which limits reduced the change."""
        ...

    def rotations(self, arm: ArmMotion, path: ArmTrajectory) -> Floats:
        """Rotations ``[f, 3, 4]`` of upper arm, forearm and hand on the new path."""
        ...

    def limit_arm(
        self, clip: Clip, posed: Clip, rig: Rig, side: Side, at: Floats
    ) -> tuple[Clip, Bools]:
        """Arm within its joint limits and out of the body, and where it was moved out."""
        ...

    def separate_hands(self, clip: Clip, posed: Clip, rig: Rig, at: dict[Side, Floats]) -> Clip:
        """Clip whose hands do not overlap."""
        ...


def expression_method(settings: ExpressionSettings) -> ExpressionMethod:
    """Method that the settings ask for."""
    return PrintedEmote() if settings.paper else CorrectedEmote()
