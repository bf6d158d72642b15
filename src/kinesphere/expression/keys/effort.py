"""Effort on an arm's keys: how each movement is performed, and how long it takes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from kinesphere.expression.keys.parameters import LowLevel, low_level
from kinesphere.expression.keys.timing import timing
from kinesphere.expression.phrase import EFFORT_FACTORS, Phrase
from kinesphere.expression.qualities import Effort
from kinesphere.expression.settings import ExpressionSettings
from kinesphere.maths.arrays import Floats, Ints, frozen_floats
from kinesphere.maths.curves import smoothstep
from kinesphere.maths.filters import held_gaussian
from kinesphere.motion.keyed.keyed_motion import ArmKeys
from kinesphere.motion.keyed.movement import (
    ROUNDING_RATIO,
    ROUNDING_S,
    SLOWING,
    Curve,
    Movement,
    SampledCurve,
    Timing,
    round_timing,
)

_PLAIN = Timing()
_NEAR_THE_ENDS = np.array([1e-3, 1.0 - 1e-3])


@dataclass(frozen=True)
class EffortSettings:
    """Values that the paper leaves open.

    Parameters
    ----------
    least_duration_s : that Sudden gives a movement, unless it was shorter.
    full_flourish_m : path from which on a hand has its full flourishes; one that stays has none.
    indirect_bow : ratio of the straightening by which Indirect bows a path; more makes loops.
    taken_hold : ratio of a hold that a slow movement after it may take.
    hold_path_m, hold_speed : largest path and speed (metres per second) of a hold.
    lacking_flatness : flatness of the speed profile of a Sustained movement without more time.
    smoothed_from : change of a timing curve, as a ratio of the path, that is smoothed in full.
    curve_samples : least number of samples of a changed measured curve.
    """

    least_duration_s: float = 0.25
    full_flourish_m: float = 0.25
    indirect_bow: float = 0.4
    taken_hold: float = 0.8
    hold_path_m: float = 0.04
    hold_speed: float = 0.06
    lacking_flatness: float = 0.7
    smoothed_from: float = 0.05
    curve_samples: int = 64


SETTINGS = EffortSettings()


def apply_effort(
    keys: ArmKeys, phrase: Phrase, part: str, positions: Floats, settings: ExpressionSettings
) -> ArmKeys:
    """Keys with the phrase's Effort for a part; `positions` are the keys' in the phrase."""
    if not phrase.touches(part, EFFORT_FACTORS):
        return keys
    return _EffortOnKeys(keys, phrase, part, positions, settings).apply()


@dataclass(frozen=True)
class _MovementTime:
    """Low-level parameters and time of a movement.

    Seconds between its Goals, the ratio of them before it starts, and seconds that it moves.
    """

    low: LowLevel
    length_s: float
    wait: float
    moving_s: float


class _EffortOnKeys:
    """One pass over an arm's movements, with the changed times and positions of the keys so far."""

    def __init__(
        self,
        keys: ArmKeys,
        phrase: Phrase,
        part: str,
        positions: Floats,
        settings: ExpressionSettings,
    ) -> None:
        self.keys, self.settings = keys, settings
        self.goals = goals = np.flatnonzero(keys.goals)
        self.efforts = phrase.at(part, 0.5 * (positions[goals[1:]] + positions[goals[:-1]]))
        at_goals = phrase.at(part, positions[goals])
        self.kept = 1.0 - np.clip(np.maximum(at_goals["time"], at_goals["flow"]), 0.0, 1.0)
        self.times = keys.times.copy()
        self.positions = keys.positions.copy()

    def apply(self) -> ArmKeys:
        """Keys with the Effort of every movement."""
        movements = tuple(self._movement(m) for m in range(len(self.keys.movements)))
        return replace(self.keys, times=self.times, positions=self.positions, movements=movements)

    def _movement(self, m: int) -> Movement:
        movement = self.keys.movements[m]
        a, b = int(self.goals[m]), int(self.goals[m + 1])
        effort = Effort(**{name: float(self.efforts[name][m]) for name in EFFORT_FACTORS})
        if effort.neutral:
            if not self.settings.pinned:
                own = self.keys.times[a : b + 1] - self.keys.times[a]
                self.times[a : b + 1] = self.times[a] + own
            return movement
        timed = self._retime(m, effort)
        ends = (float(self.kept[m]), float(self.kept[m + 1]))
        low = _pass_goals(timed.low, movement.curve, ends)
        q = timing(low, timed.moving_s)
        if self.settings.straighten and effort.space:
            bow = effort.space if effort.space > 0.0 else SETTINGS.indirect_bow * effort.space
            _straighten(self.positions, self.keys, a, b, self.settings.straighten * bow)
        steps = np.linalg.norm(np.diff(self.keys.positions[a : b + 1], axis=0), axis=-1)
        adorned = float(smoothstep(steps.sum() / SETTINGS.full_flourish_m))
        plain = movement.curve == _PLAIN
        measured = (movement.curve, q, timed.length_s, timed.wait, ends)
        return replace(
            movement,
            curve=q if plain else compose_timing(*measured),
            start_ratio=timed.wait if plain else 0.0,
            slowing=_slowing(movement, effort, plain=plain),
            tension=float(np.clip(movement.tension + low.tension, self.settings.roundest, 1.0)),
            elbow_space=_mix_space(movement.elbow_space, adorned * low.elbow_space, effort),
            joint_space=_mix_space(movement.joint_space, adorned * low.joint_space, effort),
            wrist_bend=low.wrist_bend * adorned,
            wrist_extension=low.wrist_extension,
            twist=low.twist * adorned,
            twist_frequency=low.twist_frequency,
            displacement=low.displacement * adorned,
        )

    def _retime(self, m: int, effort: Effort) -> _MovementTime:
        """Time of a movement, with the times of its keys."""
        keys, times = self.keys, self.times
        a, b = int(self.goals[m]), int(self.goals[m + 1])
        length = float(keys.times[b] - keys.times[a])
        low = low_level(effort)
        factor = low.duration_factor
        if factor < 1.0:
            factor = min(1.0, max(factor, SETTINGS.least_duration_s / length))
        if not self.settings.pinned:
            times[a : b + 1] = times[a] + (keys.times[a : b + 1] - keys.times[a]) * factor
            return _MovementTime(low, length, 0.0, length * factor)
        wait = max(0.0, 1.0 - factor)
        if factor > 1.0:
            gained = _room_before(keys, self.goals, m, (factor - 1.0) * length)
            times[a] -= gained
            via = (keys.times[a + 1 : b] - keys.times[a]) / length
            times[a + 1 : b] = times[a] + via * (length + gained)
            low = _flatten_profile(low, effort, gained / ((factor - 1.0) * length))
            length += gained
        return _MovementTime(low, length, wait, length * (1.0 - wait))


def _pass_goals(low: LowLevel, curve: Curve, kept: tuple[float, float]) -> LowLevel:
    """A Goal that is passed without stopping has no anticipation and no overshoot."""
    passing = passing_speeds(curve)
    return replace(
        low,
        start_velocity=low.start_velocity * (1.0 - min(1.0, passing[0] * kept[0])),
        end_velocity=low.end_velocity * (1.0 - min(1.0, passing[1] * kept[1])),
    )


def _room_before(keys: ArmKeys, goals: Ints, movement: int, wanted_s: float) -> float:
    """Time by which a movement may start earlier, taken from a hold before it."""
    if movement == 0:
        return 0.0
    a, b = int(goals[movement - 1]), int(goals[movement])
    length = float(keys.times[b] - keys.times[a])
    path = float(np.linalg.norm(np.diff(keys.positions[a : b + 1], axis=0), axis=-1).sum())
    if path > SETTINGS.hold_path_m or path / length > SETTINGS.hold_speed:
        return 0.0
    return min(wanted_s, SETTINGS.taken_hold * float(keys.times[b] - keys.times[b - 1]))


def _flatten_profile(low: LowLevel, effort: Effort, share: float) -> LowLevel:
    """Sustained without enough time has a flat speed profile, or its start would be fast."""
    lacking = 1.0 - min(1.0, share)
    slow = max(-effort.time, 0.0)
    return replace(
        low,
        inflection=low.inflection + lacking * slow * (0.5 - low.inflection),
        flatness=max(low.flatness, SETTINGS.lacking_flatness * slow * lacking),
    )


def _slowing(movement: Movement, effort: Effort, *, plain: bool) -> float:
    """Power by which bends slow a movement; for a measured one only the change."""
    if plain:
        return movement.slowing
    most = max(abs(float(getattr(effort, name))) for name in EFFORT_FACTORS)
    return max(movement.slowing, SLOWING * most)


def _mix_space(own: float, asked: float, effort: Effort) -> float:
    """Weight of an interpolation space: the movement's own reduced by Direct, and the requested."""
    return asked + own * (1.0 - max(effort.space, 0.0)) * (1.0 - asked)


def _straighten(positions: Floats, keys: ArmKeys, a: int, b: int, amount: float) -> None:
    """Move the Vias of a movement towards its chord (positive) or away from it."""
    start, chord = positions[a].copy(), positions[b] - positions[a]
    square = float(chord @ chord)
    for i in range(a + 1, b):
        if keys.in_world[i] or square < 1e-6:
            continue
        along = float(np.clip((positions[i] - start) @ chord / square, 0.0, 1.0))
        foot = start + along * chord
        positions[i] = positions[i] + amount * (foot - positions[i])


def passing_speeds(curve: Curve) -> tuple[float, float]:
    """Speed at the start and the end of a movement, as ratios of its mean."""
    if isinstance(curve, Timing):
        return 0.0, 0.0
    fine = round_timing(curve, _NEAR_THE_ENDS, 1.0, 0.0)
    return float(fine[0]) * 1e3, (1.0 - float(fine[1])) * 1e3


def compose_timing(
    base: Curve, q: Timing, duration_s: float, wait: float, kept: tuple[float, float]
) -> SampledCurve:
    """Change a measured timing by as much as an Effort changes the default one.

    The change of the default timing function (``q`` minus the default) is added to the measured
    curve, after `wait` of the time. The speed with which a recorded hand passes a Goal is
    separate; `kept` is the ratio of it that stays at the start and at the end. The path never
    runs back except where `q` does.
    """
    count = max(
        SETTINGS.curve_samples, len(base.values) - 1 if isinstance(base, SampledCurve) else 0
    )
    t = _ratios(count)
    measured = round_timing(base, t, duration_s, 0.0)
    start, end = passing_speeds(base)
    passing_start, passing_end = t * (1.0 - t) ** 2 * start, -t * t * (1.0 - t) * end
    core = measured - passing_start - passing_end
    warped = np.clip((t - wait) / (1.0 - wait), 0.0, 1.0)
    moving_s = duration_s * (1.0 - wait)
    asked = round_timing(q, warped, moving_s, ROUNDING_S)
    curve = np.interp(warped, t, core) + asked - round_timing(_PLAIN, warped, moving_s, ROUNDING_S)
    curve = curve + kept[0] * passing_start + kept[1] * passing_end
    least = np.zeros(count)
    if min(q.speeds) < 0.0:
        least = np.minimum(np.diff(asked), 0.0)
    steps = np.maximum(np.diff(curve), least)
    # Discontinuities in velocity that this causes are smoothed over as long as a hand needs.
    smooth = held_gaussian(steps, 0.5 * min(ROUNDING_S / duration_s, ROUNDING_RATIO) * count)
    steps = steps + min(1.0, float(np.abs(curve - measured).max()) / SETTINGS.smoothed_from) * (
        smooth - steps
    )
    over = steps.sum() - 1.0
    forward = np.maximum(steps, 0.0) * np.sin(np.pi * 0.5 * (t[1:] + t[:-1]))
    if forward.sum() > 1e-12:
        steps = steps - forward * (over / forward.sum())
    values = np.concatenate([[0.0], np.cumsum(steps)])
    values[-1] = 1.0
    return SampledCurve(values)


@lru_cache(maxsize=16)
def _ratios(count: int) -> Floats:
    """Equidistant ratios from 0 to 1."""
    return frozen_floats(np.linspace(0.0, 1.0, count + 1), "ratios", (None,))
