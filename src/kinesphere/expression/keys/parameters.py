"""From Effort to the low-level parameters of a movement (EMOTE eqs 15-24).

The published formulas break inside their own range: the inflection reaches 1.3, the exponent -0.1,
and the integral of the velocity becomes negative. The guards keep the inflection in [0.1, 0.9] and
the exponent in [0.6, 3], and scale the start and end velocities with the inflection, which leaves
them as published at one half. Bound alone equals neutral in the paper; here it flattens the speed
profile, removes anticipation and overshoot, and lengthens the movement. `printed_low_level` gives
the published numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kinesphere.expression.qualities import Effort

INFLECTION_RANGE = (0.1, 0.9)
EXPONENT_RANGE = (0.6, 3.0)
# Sudden shortens and Sustained lengthens by this power of two; Bound lengthens a little.
TIME_POWER, BOUND_POWER = -0.75, 0.25


@dataclass(frozen=True)
class LowLevel:
    """Low-level parameters that Effort sets, in the paper's terms.

    Parameters
    ----------
    tension : of the path, -1 (round) to +1 (straight); Tval, eq 16.
    wrist_bend, wrist_extension : wbmag, wxmag, eqs 17-18.
    displacement, twist : dmag, and etmag = wtmag, eq 19.
    twist_frequency : efmag = wfmag, eq 20; 2 for any Indirect if not as published,
        because the wave of eq 13 is back at zero at the next Goal only for whole numbers.
    inflection : ratio of the movement at which acceleration changes to deceleration, eq 21.
    start_velocity, end_velocity : anticipation and overshoot, eqs 22-23.
    exponent : texp, eq 24.
    flatness : how constant the speed is, 0 to 1; our own choice, for Bound.
    duration_factor : of the movement's duration; our own choice.
    elbow_space, joint_space : weights of the interpolation spaces besides that of the hand; in the
        paper one of them has all (`expression.keys.printed`).
    """

    tension: float = 0.0
    wrist_bend: float = 0.0
    wrist_extension: float = 0.0
    displacement: float = 0.0
    twist: float = 0.0
    twist_frequency: float = 0.0
    inflection: float = 0.5
    start_velocity: float = 0.0
    end_velocity: float = 0.0
    exponent: float = 1.0
    flatness: float = 0.0
    duration_factor: float = 1.0
    elbow_space: float = 0.0
    joint_space: float = 0.0


def printed_low_level(effort: Effort) -> LowLevel:
    """Low-level parameters of an Effort as published; neutral gives the defaults of `LowLevel`."""
    ind, direct = max(-effort.space, 0.0), max(effort.space, 0.0)
    light, strong = max(-effort.weight, 0.0), max(effort.weight, 0.0)
    sus, sud = max(-effort.time, 0.0), max(effort.time, 0.0)
    free, bound = max(-effort.flow, 0.0), max(effort.flow, 0.0)
    f = min  # eq 15: the lesser of two magnitudes
    return LowLevel(
        tension=(-ind + f(ind, free)) + direct,
        wrist_bend=max(0.6 * ind, 0.5 * light, 0.4 * free),
        wrist_extension=-0.3 * light + (0.3 * free - 0.9 * f(strong, free)),
        displacement=0.4 * ind,
        twist=0.4 * ind,
        twist_frequency=2.0 * ind,
        inflection=0.5 + 0.4 * max(strong, sud) - 0.4 * max(light, sus) + 0.8 * f(bound, light),
        start_velocity=0.1 * strong - max(0.06 * f(sus, strong), 0.1 * f(free, strong)),
        end_velocity=max(0.03 * max(light, sus), 0.2 * free - 0.1 * f(ind, free)),
        exponent=(
            1.0
            + 2.0 * sud
            + (0.2 * f(strong, sud) - f(free, sud))
            - 0.2 * max(strong, f(direct, sus))
            - 0.4 * free
            - 0.5 * f(ind, free)
        ),
        elbow_space=ind,
        joint_space=free,
    )


def low_level(effort: Effort) -> LowLevel:
    """Low-level parameters of an Effort, with guards; neutral gives the defaults of `LowLevel`."""
    low = printed_low_level(effort)
    bound = max(effort.flow, 0.0)
    inflection = min(max(low.inflection, INFLECTION_RANGE[0]), INFLECTION_RANGE[1])
    calm = (1.0 - bound) * 2.0 * inflection
    return replace(
        low,
        twist_frequency=2.0 if effort.space < 0.0 else 0.0,
        inflection=inflection,
        start_velocity=low.start_velocity * calm,
        end_velocity=low.end_velocity * calm,
        exponent=min(max(low.exponent, EXPONENT_RANGE[0]), EXPONENT_RANGE[1]),
        flatness=bound,
        duration_factor=2.0 ** (TIME_POWER * effort.time + BOUND_POWER * bound),
    )
