"""EMOTE as published, for research: movements by eqs 9 to 24, without our guards and additions.

Only what cannot be computed as published is corrected (eq 10's third case, Q divided by
its value at the end). The paper says that Effort changes the time between keys, but not by how
much: keys keep their times.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.expression.parameters import low_level
from kinesphere.expression.phrase import EFFORT_FACTORS, Phrase
from kinesphere.expression.qualities import Effort
from kinesphere.expression.timing import timing
from kinesphere.maths.arrays import Floats
from kinesphere.motion.keyed.keyed_motion import ArmKeys
from kinesphere.motion.keyed.movement import Movement


def printed_movement(effort: Effort, duration_s: float, *, flexed: bool = False) -> Movement:
    """Movement that takes `duration_s` between its Goals, set by an Effort alone.

    Raises
    ------
    InvalidValueError
        If this Effort's path runs backward with the published formulas.
    """
    low = low_level(effort, paper=True)
    elbow_space, joint_space = interpolation_spaces(effort)
    return Movement(
        curve=timing(low, duration_s, paper=True),
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


def with_printed_effort(keys: ArmKeys, phrase: Phrase, part: str, places: Floats) -> ArmKeys:
    """Keys whose movements are all as published; `places` are the keys' in the phrase."""
    goals = np.flatnonzero(keys.goals)
    values = phrase.at(part, 0.5 * (places[goals[1:]] + places[goals[:-1]]))
    movements = []
    for m, length in enumerate(np.diff(keys.goal_times)):
        effort = Effort(**{name: float(values[name][m]) for name in EFFORT_FACTORS})
        flexed = keys.movements[m].flexed
        movements.append(printed_movement(effort, float(length), flexed=flexed))
    return replace(keys, movements=tuple(movements))
