"""Effort and Shape on keyed motion.

Shape moves the keys of the arms (those in the world stay) and bends the torso. Effort sets how each
movement is performed; with all values zero the motion is returned unchanged.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.errors import InvalidValueError
from kinesphere.expression.keys.methods import expression_method
from kinesphere.expression.keys.torso import shape_torso
from kinesphere.expression.phrase import Phrase
from kinesphere.expression.settings import ExpressionSettings
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.keyed.keyed_motion import ArmKeys, KeyedMotion, TorsoKeys


def express_keys(
    keyed: KeyedMotion, phrase: Phrase, rig: Rig, settings: ExpressionSettings | None = None
) -> KeyedMotion:
    """Apply a phrase of Effort and Shape to keyed motion for a rig."""
    s = settings or ExpressionSettings()
    arms: dict[Side, ArmKeys | None] = {}
    for side in SIDES:
        keys = keyed.arm(side)
        arms[side] = None if keys is None else express_arm(keys, phrase, side, rig, s)
    torso = keyed.torso
    goals = [k.goal_times for k in (keyed.left, keyed.right) if k is not None]
    if phrase.by_key and torso is None and not goals:
        raise InvalidValueError("a phrase by key needs motion with keys")
    times = np.unique(np.concatenate(goals)) if goals else np.zeros(1)
    torso = shape_torso(torso, times, _in_time(phrase, times), s.torso)
    if torso is not None and not s.pinned:
        torso = _retime_torso(torso, keyed, arms)
    return replace(keyed, left=arms["left"], right=arms["right"], torso=torso)


def _in_time(phrase: Phrase, times: Floats) -> Phrase:
    """A phrase by key with its points at the times of those keys."""
    if not phrase.by_key:
        return phrase
    points = []
    for point in phrase.points:
        key = min(point.key or 0, len(times) - 1)
        points.append(replace(point, key=None, time_s=float(times[key])))
    seen: dict[float, int] = {}
    return Phrase(tuple(p for i, p in enumerate(points) if seen.setdefault(p.place, i) == i))


def _retime_torso(
    torso: TorsoKeys, before: KeyedMotion, arms: dict[Side, ArmKeys | None]
) -> TorsoKeys:
    """Torso keys at the times to which the arms' Goals have moved, on average."""
    moved = []
    for side in SIDES:
        old, new = before.arm(side), arms[side]
        if old is not None and new is not None:
            moved.append(np.interp(torso.times, old.goal_times, new.goal_times))
    if not moved:
        return torso
    times = np.mean(moved, axis=0)
    sound = np.concatenate([[True], np.diff(times) > 1e-6])
    return TorsoKeys(times[sound], {p: v[sound] for p, v in torso.turns.items()})


def express_arm(
    keys: ArmKeys, phrase: Phrase, side: Side, rig: Rig, settings: ExpressionSettings
) -> ArmKeys:
    """Apply the phrase's values for one arm to its keys."""
    return expression_method(settings).express_arm(keys, phrase, side, rig, settings)
