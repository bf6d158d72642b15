"""EMOTE as published, for research: movements by eqs 9 to 24, without our guards and additions.

Only what cannot be computed as published is corrected (eq 10's third case, Q divided by
its value at the end). The paper says that Effort changes the time between keys, but not by how
much: keys keep their times.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.expression.keys.arm_keys import phrase_positions, shape_arm_keys
from kinesphere.expression.keys.parameters import printed_low_level
from kinesphere.expression.keys.timing import printed_timing
from kinesphere.expression.phrase import EFFORT_FACTORS, Phrase
from kinesphere.expression.qualities import Effort
from kinesphere.expression.recordings.arm_limits import ArmTask
from kinesphere.expression.recordings.arm_posing import aim, arm_rotations_of
from kinesphere.expression.recordings.arm_trajectory import (
    ArmTrajectory,
    recorded_trajectory,
    source_frames,
)
from kinesphere.expression.settings import ExpressionSettings
from kinesphere.maths.arrays import Bools, Floats
from kinesphere.motion.body.arms import ArmMotion, Side
from kinesphere.motion.clip import Clip
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.keyed.key_extraction import Extraction
from kinesphere.motion.keyed.keyed_motion import ArmKeys
from kinesphere.motion.keyed.movement import Movement
from kinesphere.motion.keyed.sampling import sample_arm


class PrintedEmote:
    """`expression.keys.methods.ExpressionMethod` as published.

    The paper takes key poses from recorded motion and drops the rest. The hand keeps its recorded
    rotation at the position on its path, which the paper does not define.
    """

    def express_arm(
        self, keys: ArmKeys, phrase: Phrase, side: Side, rig: Rig, settings: ExpressionSettings
    ) -> ArmKeys:
        """Keys of an arm with the phrase's Shape and Effort; all movements are as published."""
        positions = phrase_positions(keys, phrase)
        shape = replace(settings.shape, fade=0.0)
        shaped = shape_arm_keys(keys, phrase, side, rig, shape)
        return apply_printed_effort(shaped, phrase, f"{side}-arm", positions)

    def hanging(self, ratio: float) -> float:
        """None: the arms follow the torso."""
        return 0.0

    def trajectory(self, task: ArmTask, found: Extraction | None) -> tuple[ArmTrajectory, Bools]:
        """The motion of the recording's keys alone; nothing reduces the change."""
        arm, clip = task.arm, task.clip
        nowhere = np.zeros(len(clip), dtype=bool)
        if found is None:
            return recorded_trajectory(arm), nowhere
        keys = self.express_arm(found.keys, task.phrase, arm.side, task.rig, task.settings)
        sample = sample_arm(keys, arm.limb, clip.times, hands=False)
        at = source_frames(found, keys, sample, clip.fps)
        path = ArmTrajectory(sample.wrists, sample.swivels, at, sample.rolls, sample.flexions)
        return path, nowhere

    def rotations(self, arm: ArmMotion, path: ArmTrajectory) -> Floats:
        """Rotations that point upper arm and forearm exactly to the path's elbow and wrist."""
        return aim(arm, path, arm_rotations_of(arm, path))

    def limit_arm(
        self, clip: Clip, posed: Clip, rig: Rig, side: Side, at: Floats
    ) -> tuple[Clip, Bools]:
        """The arm as it is."""
        return posed, np.zeros(len(clip), dtype=bool)

    def separate_hands(self, clip: Clip, posed: Clip, rig: Rig, at: dict[Side, Floats]) -> Clip:
        """The clip as it is."""
        return posed


def printed_movement(effort: Effort, duration_s: float, *, flexed: bool = False) -> Movement:
    """Movement that takes `duration_s` between its Goals, set by an Effort alone.

    Raises
    ------
    InvalidValueError
        If this Effort's path runs backward with the published formulas.
    """
    low = printed_low_level(effort)
    elbow_space, joint_space = interpolation_spaces(effort)
    return Movement(
        curve=printed_timing(low, duration_s),
        rounding_s=0.0,
        slowing=0.0,
        tension=low.tension,
        elbow_space=elbow_space,
        joint_space=joint_space,
        wrist_bend=low.wrist_bend,
        wrist_extension=low.wrist_extension,
        flexed=flexed,
        twist=low.twist,
        twist_frequency=low.twist_frequency,
        displacement=low.displacement,
        paper=True,
    )


def interpolation_spaces(effort: Effort) -> tuple[float, float]:
    """Weights, 0 or 1, of the elbow's and the joints' interpolation; both 0 is the hand's.

    The space is a discrete variable that takes the nearest element's value, so it changes as soon
    as Space or Flow leave zero (section 4.1.2.4): the elbow's for Indirect, the joints' for Free,
    and of both the one with the larger magnitude.
    """
    indirect, free = max(-effort.space, 0.0), max(-effort.flow, 0.0)
    by_elbow = indirect > 0.0 and indirect >= free
    return float(by_elbow), float(free > 0.0 and not by_elbow)


def apply_printed_effort(keys: ArmKeys, phrase: Phrase, part: str, positions: Floats) -> ArmKeys:
    """Keys whose movements are all as published; `positions` are the keys' in the phrase."""
    goals = np.flatnonzero(keys.goals)
    values = phrase.at(part, 0.5 * (positions[goals[1:]] + positions[goals[:-1]]))
    movements = []
    for m, length in enumerate(np.diff(keys.goal_times)):
        effort = Effort(**{name: float(values[name][m]) for name in EFFORT_FACTORS})
        flexed = keys.movements[m].flexed
        movements.append(printed_movement(effort, float(length), flexed=flexed))
    return replace(keys, movements=tuple(movements))
