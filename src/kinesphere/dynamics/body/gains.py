"""Stiffness and damping of each joint of a body: from the inertia it carries, and by tension.

A joint with an inertia I and the natural frequency omega needs the tension
I omega^2 and the damping 2 zeta I omega. The arms take both from the tension presets of mass
trackers (`kinesphere.dynamics.tension.presets`), over time and looser in retractions; the
other joints have entries in `JOINTS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.dynamics.body.body_model import PhysicalBody
from kinesphere.dynamics.body.loads import carried_inertia, toppling
from kinesphere.dynamics.tension.mass_tracker import GRAVITY_M_S2
from kinesphere.dynamics.tension.presets import PRESETS, Tension
from kinesphere.dynamics.tension.tensed import TensedSettings, parameters_over
from kinesphere.errors import InvalidValueError
from kinesphere.gesture.phases import ArmPhases
from kinesphere.maths.arrays import Floats, Ints
from kinesphere.maths.bounds import check_range
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.motion.clip import Clip

RATIO_RANGE = (0.1, 10.0)
NEUTRAL_RAD_S = float(PRESETS["neutral"].stroke.omega)


@dataclass(frozen=True)
class JointTuning:
    """How one group of joints responds.

    Parameters
    ----------
    frequency : natural frequency at neutral tension, as a multiple of the arm's (16.7 rad/s).
    zeta : damping ratio; None for the tension's own.
    follows : how much a change of tension affects the joint: 0 none, 1 all.
    """

    frequency: float
    zeta: float | None = None
    follows: float = 1.0

    def __post_init__(self) -> None:
        check_range("frequency", self.frequency, 0.1, 10.0)
        if self.zeta is not None and not 0.0 < self.zeta <= 5.0:
            raise InvalidValueError(f"zeta is {self.zeta}, allowed is above 0 up to 5")
        check_range("follows", self.follows, 0.0, 2.0)


JOINTS: Mapping[str, JointTuning] = MappingProxyType(
    {
        "torso": JointTuning(1.25, 0.5, 0.3),
        "head": JointTuning(2.0, 0.9, 0.3),
        "collar": JointTuning(1.8, None, 0.7),
        # A chain has a lower natural frequency and less damping than each of its joints alone: with
        # these frequencies, and the tension's damping increased as much, the hand responds like the
        # tension's mass tracker.
        "shoulder": JointTuning(1.5),
        "elbow": JointTuning(1.7),
        "wrist": JointTuning(2.0),
        "fingers": JointTuning(3.0, 0.6, 0.4),
        "legs": JointTuning(1.2, 0.9, 0.0),
    }
)
"""Tuning of the default figure's joints, by group."""

_NO_RATIOS: Mapping[Side, ArrayLike] = MappingProxyType({})
_ARM = ("collar", "shoulder", "elbow", "wrist")
_ENDINGS = {
    "spine": "torso",
    "chest": "torso",
    "upperChest": "torso",
    "neck": "head",
    "head": "head",
    "Shoulder": "collar",
    "UpperArm": "shoulder",
    "LowerArm": "elbow",
    "Hand": "wrist",
    "UpperLeg": "legs",
    "LowerLeg": "legs",
    "Foot": "legs",
}


def group_of(bone: str) -> str:
    """Group of a bone in `JOINTS`.

    >>> group_of("leftLowerArm"), group_of("rightThumbDistal")
    ('elbow', 'fingers')
    """
    return _ENDINGS.get(bone.removeprefix("left").removeprefix("right"), "fingers")


@dataclass(frozen=True)
class StiffnessSettings:
    """How stiffness and lag follow from frequencies.

    Parameters
    ----------
    steady : stiffness relative to the least for stability under gravity.
    gesture_hz : frequency of gestures, at which the lag is measured.
    slowest : largest factor of the lag of a loose chain.
    """

    steady: float = 2.0
    gesture_hz: float = 0.9
    slowest: float = 2.0


STIFFNESS = StiffnessSettings()


@dataclass(frozen=True, eq=False)
class Stiffness:
    """Tension and damping of every degree of freedom over time.

    Parameters
    ----------
    parts : index of the part of the body that each degree of freedom belongs to, ``[dofs]``:
        joints of one group and side respond alike.
    omega, zeta : ``[frames, parts]`` natural frequency, rad/s, and damping ratio.
    chain : ``[parts]`` factor by which the natural frequency of the part's limb is lower.
    inertia : ``[dofs]`` that each carries, kg m2.
    least : ``[dofs]`` least tension for stability under gravity, N m/rad.
    """

    parts: Ints
    omega: Floats
    zeta: Floats
    chain: Floats
    inertia: Floats
    least: Floats

    @property
    def tension(self) -> Floats:
        """T of each degree of freedom, ``[frames, dofs]``, N m/rad."""
        return np.maximum((self.omega**2)[:, self.parts] * self.inertia, self.least)

    @property
    def damping(self) -> Floats:
        """Damping gain of each degree of freedom, ``[frames, dofs]``, N m s/rad."""
        return np.asarray(2.0 * self.zeta[:, self.parts] * np.sqrt(self.tension * self.inertia))

    @property
    def lag_s(self) -> Floats:
        """Seconds of lag of each part behind a gesture, ``[frames, parts]``.

        The lag behind a constant speed is kd / T. A loose chain delays an oscillation more: by the
        group delay of a damped spring at the frequency of gestures.
        """
        even = 2.0 * self.zeta / self.omega
        ratio = (2.0 * np.pi * STIFFNESS.gesture_hz * self.chain / self.omega) ** 2
        zeta = self.zeta / self.chain
        slower = (1.0 + ratio) / ((1.0 - ratio) ** 2 + 4.0 * zeta**2 * ratio)
        return np.asarray(even * np.clip(slower, 1.0, STIFFNESS.slowest))


def _ratio(ratios: Mapping[Side, ArrayLike], side: Side, clip: Clip) -> Floats:
    given = np.asarray(ratios.get(side, 1.0), dtype=np.float64)
    if given.ndim and given.shape != (len(clip),):
        raise InvalidValueError(
            f"tension ratio of the {side} arm has {given.shape} values, expected one for each of "
            f"{len(clip)} frames"
        )
    low, high = RATIO_RANGE
    if not np.all((given >= low) & (given <= high)):
        raise InvalidValueError(f"a tension ratio must be {low:g} to {high:g}")
    return given


def stiffness_over(
    body: PhysicalBody,
    clip: Clip,
    tension: Tension,
    phases: Mapping[Side, ArmPhases] | None,
    joints: Mapping[str, JointTuning] = JOINTS,
    *,
    fade_s: float = 0.16,
    arm_ratios: Mapping[Side, ArrayLike] = _NO_RATIOS,
) -> Stiffness:
    """Stiffness of a body along a clip.

    Parameters
    ----------
    tension : of the arms; parameters as numbers, or as arrays with one value per frame.
    phases : of each arm; without them all is treated as a stroke.
    joints : tuning by group.
    fade_s : over which the parameters change from phase to phase.
    arm_ratios : factor on the tension of each arm, a number or one value per frame.
    """
    missing = sorted(set(JOINTS) - set(joints))
    if missing:
        raise InvalidValueError(f"no tuning for {missing[0]}; groups are {', '.join(JOINTS)}")
    arms: dict[str, tuple[Floats, Floats]] = {}
    for arm in SIDES:
        known = None if phases is None else phases.get(arm)
        error, zeta = parameters_over(clip, tension, known, TensedSettings(fade_s=fade_s))
        arms[arm] = (np.sqrt(GRAVITY_M_S2 / error * _ratio(arm_ratios, arm, clip)), zeta)
    both = (0.5 * (arms["left"][0] + arms["right"][0]), 0.5 * (arms["left"][1] + arms["right"][1]))
    names: list[tuple[str, str]] = []
    omegas, zetas, chains, index = [], [], [], []
    for bone in (body.bones[i] for i in body.bone_of_dof):
        group = group_of(bone)
        side = "" if group == "legs" else next((s for s in SIDES if bone.startswith(s)), "")
        if (group, side) not in names:
            names.append((group, side))
            tuning = joints[group]
            omega, zeta = arms.get(side, both)
            change = (omega / NEUTRAL_RAD_S) ** tuning.follows
            omegas.append(NEUTRAL_RAD_S * tuning.frequency * change)
            chain = joints["shoulder"].frequency if group in _ARM else 1.0
            own = chain * zeta if tuning.zeta is None else np.full(len(clip), tuning.zeta)
            zetas.append(own)
            chains.append(chain)
        index.append(names.index((group, side)))
    return Stiffness(
        np.array(index),
        np.stack(omegas, axis=1),
        np.stack(zetas, axis=1),
        np.array(chains),
        carried_inertia(body),
        STIFFNESS.steady * toppling(body),
    )
