"""Flourishes of wrist and elbow (EMOTE eqs 12 to 14), as published or with our corrections.

Eq 13 is the published formula, ``sin(pi wfmag t')``, in both: with the frequency of a full
Indirect, 2, it is one whole wave from Goal to Goal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.curves import smoothstep
from kinesphere.motion.body.arms import elbow_bends
from kinesphere.motion.body.limbs import Limb, solve
from kinesphere.motion.keyed.keyed_motion import ArmKeys
from kinesphere.motion.keyed.movement import Movement


@dataclass(frozen=True)
class FlourishSettings:
    """Limits of flourishes.

    Parameters
    ----------
    flexed_wrist : flexion of a wrist that is held flexed, radians (section 4.1.2.5).
    swivel_rate : rate of the swivel about the line from shoulder to wrist above which an elbow
        pops, radians per second.
    most_displaced : ratio of the elbow's bend that a displacement may change per second.
    fade : ratio of the shorter movement over which magnitudes fade, on each side of a Goal.
    largest_bend : of an elbow, radians; beyond it forearm and upper arm would meet.
    """

    flexed_wrist: float = 0.6
    swivel_rate: float = np.radians(220.0)
    most_displaced: float = 1.6
    fade: float = 0.3
    largest_bend: float = np.radians(150.0)


SETTINGS = FlourishSettings()


class FlourishMethod(Protocol):
    """What differs between flourishes as published and with our corrections."""

    def phases(self, ratios: Floats, shares: Floats) -> Floats:
        """Phase of the waves from ratios of a movement's time and of its path, ``[f]``."""
        ...

    def magnitudes(self, keys: ArmKeys, times: Floats, movements: Ints, values: Floats) -> Floats:
        """Values ``[m]`` of the movements over time, ``[f]``."""
        ...

    def twist(self, movement: Movement, rate: float) -> float:
        """Amplitude of the swivel, for the movement's peak rate per second."""
        ...

    def displacement(self, movement: Movement, rate: float) -> float:
        """Amplitude of the elbow's displacement, for the movement's peak rate per second."""
        ...


class SmoothFlourishes:
    """Waves over the path, so that they start and end at rest; magnitudes fade at the Goals.

    Twist and displacement stay within the largest rates of an elbow.
    """

    def phases(self, ratios: Floats, shares: Floats) -> Floats:
        """Phase: the ratio of the path."""
        return np.clip(shares, 0.0, 1.0)

    def magnitudes(self, keys: ArmKeys, times: Floats, movements: Ints, values: Floats) -> Floats:
        """Values with a cross-fade at the Goals, so that nothing jumps."""
        if np.all(values == values[0]):
            return np.full(len(times), values[0])
        goals = keys.goal_times
        length = np.diff(goals)
        out = np.full(len(times), values[0])
        for m in range(1, len(values)):
            half = SETTINGS.fade * min(length[m - 1], length[m])
            start = goals[m] - half
            out = out + (values[m] - values[m - 1]) * smoothstep((times - start) / (2.0 * half))
        return out

    def twist(self, movement: Movement, rate: float) -> float:
        """Amplitude within the largest rate of a swivel."""
        most = SETTINGS.swivel_rate / (np.pi * max(movement.twist_frequency, 1.0) * rate)
        return min(movement.twist, float(most))

    def displacement(self, movement: Movement, rate: float) -> float:
        """Amplitude within the largest rate of an elbow's bend."""
        return min(movement.displacement, SETTINGS.most_displaced / (2.0 * np.pi * rate))


class PublishedFlourishes:
    """Waves over time, each movement's with its own magnitudes, without limits."""

    def phases(self, ratios: Floats, shares: Floats) -> Floats:
        """Phase: the ratio of the time."""
        return ratios

    def magnitudes(self, keys: ArmKeys, times: Floats, movements: Ints, values: Floats) -> Floats:
        """Values of the movement at each time."""
        return values[movements]

    def twist(self, movement: Movement, rate: float) -> float:
        """Amplitude as published."""
        return movement.twist

    def displacement(self, movement: Movement, rate: float) -> float:
        """Amplitude as published."""
        return movement.displacement


def flourish_method(movements: Sequence[Movement]) -> FlourishMethod:
    """Method for an arm: as published if its movements are."""
    return PublishedFlourishes() if movements[0].paper else SmoothFlourishes()


def add_flourishes(
    keys: ArmKeys,
    limb: Limb,
    times: Floats,
    movements: Ints,
    ratios: Floats,
    shares: Floats,
    wrists: Floats,
    swivels: Floats,
) -> tuple[Floats, Floats, Floats, Floats]:
    """Wrists and swivels with flourishes, and what these add to forearm roll and wrist flexion.

    Parameters
    ----------
    times, movements, ratios, shares : ``[f]`` seconds, which movement, ratio of its time and of
        its path.
    wrists, swivels : ``[f, 3]`` and ``[f]`` without flourishes.
    """
    moves = keys.movements
    if not any(m.wrist_bend or m.flexed or m.twist or m.displacement for m in moves):
        none = np.zeros(len(times))
        return wrists, swivels, none, none
    method = flourish_method(moves)
    phases = method.phases(ratios, shares)

    def over_time(values: list[float]) -> Floats:
        return method.magnitudes(keys, times, movements, np.array(values))

    bend = over_time([m.wrist_bend for m in moves])
    shift = over_time([m.wrist_extension for m in moves])
    held = over_time([float(m.flexed) for m in moves])
    flexions = bend * (np.sin(2.0 * np.pi * (phases + 0.75)) + 1.0 - shift)
    flexions = (1.0 - held) * flexions + held * SETTINGS.flexed_wrist
    lengths = np.diff(keys.goal_times)
    rates = [m.peak_rate(length) for m, length in zip(moves, lengths, strict=True)]
    frequency = np.array([m.twist_frequency for m in moves])[movements]
    wave = np.sin(np.pi * frequency * phases)
    rolls = over_time([m.twist for m in moves]) * wave
    # The elbow's twist is its swivel.
    twists = [method.twist(m, rate) for m, rate in zip(moves, rates, strict=True)]
    swivels = swivels + np.array(twists)[movements] * wave
    bends = [method.displacement(m, rate) for m, rate in zip(moves, rates, strict=True)]
    ratio = np.array(bends)[movements] * np.sin(2.0 * np.pi * phases)
    return _bend_elbow(limb, wrists, swivels, ratio), swivels, rolls, flexions


def _bend_elbow(limb: Limb, wrists: Floats, swivels: Floats, ratio: Floats) -> Floats:
    """Wrists with the elbow's bend changed by a ratio of it, the upper arm fixed (eq 14)."""
    here = np.flatnonzero(ratio)
    if len(here) == 0:
        return wrists
    a, b = limb.upper_length, limb.lower_length
    p = wrists[here]
    bend = np.clip(elbow_bends(limb, p) * (1.0 + ratio[here]), 0.0, SETTINGS.largest_bend)
    upper = solve(limb, np.zeros(3), p, swivels[here]).hinge_position / a
    aside = p - np.sum(p * upper, axis=-1, keepdims=True) * upper
    size = np.linalg.norm(aside, axis=-1, keepdims=True)
    aside = aside / np.where(size > 1e-9, size, 1.0)
    out = wrists.copy()
    out[here] = (a + b * np.cos(bend))[:, None] * upper + (b * np.sin(bend))[:, None] * aside
    return out


def flourish_rotation(limb: Limb, rolls: Floats, flexions: Floats) -> Floats:
    """Rotation of a hand within its forearm from a roll and a flexion; the T-pose is palm down."""
    roll = quaternion.from_axis_angle([1.0, 0.0, 0.0], rolls)
    palmward = np.array([0.0, 0.0, -float(limb.side)])
    return quaternion.multiply(roll, quaternion.from_axis_angle(palmward, flexions))
