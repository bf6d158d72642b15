"""Tension frame by frame: one live character's two arms, trackers and IK in one compiled step.

The input is where the wrists should be; no frame is looked ahead, so the timing is kept by leading
the targets with their velocity instead of reading them later.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.dynamics.mass_tracker import GRAVITY_M_S2, Parameters
from kinesphere.errors import InvalidValueError
from kinesphere.maths.arrays import Floats
from kinesphere.motion.arms import SIDES, chest_limb
from kinesphere.motion.humanoid import Rig


@dataclass(eq=False)
class LiveArms:
    """State of a character's arms: overwritten by every `step`.

    Parameters
    ----------
    position, velocity, target : ``[2, 3]`` left and right, in the chest's frame.
    lengths : ``[2, 2]`` of upper arm and forearm.
    turns : ``[2, 2, 4]`` of upper arm and unrolled forearm from the T-pose, the last result.
    """

    position: Floats
    velocity: Floats
    target: Floats
    lengths: Floats
    turns: Floats


def start(rig: Rig, wrists: ArrayLike) -> LiveArms:
    """Put the masses at rest on the wrists ``[2, 3]``, left and right, from the chest's joint."""
    places = np.array(wrists, dtype=np.float64)
    if places.shape != (2, 3) or not np.isfinite(places).all():
        raise InvalidValueError(f"wrists have shape {places.shape}, expected (2, 3), finite")
    limbs = [chest_limb(rig, side) for side in SIDES]
    lengths = np.array([[limb.upper_length, limb.lower_length] for limb in limbs])
    return LiveArms(places, np.zeros((2, 3)), places.copy(), lengths, np.zeros((2, 2, 4)))


def step(
    arms: LiveArms, wrists: Floats, shoulders: Floats, swivels: Floats, dt: float,
    parameters: Parameters, *, feedforward: bool = True,
) -> LiveArms:  # fmt: skip
    """Advance by one frame and pose the arms.

    Parameters
    ----------
    wrists, shoulders : ``[2, 3]`` in the chest's frame, as the input has them.
    swivels : ``[2]`` of the elbows.
    dt : seconds since the last frame.

    Returns
    -------
    the same state, with `turns` filled.
    """
    from kinesphere.dynamics.live_kernels import step_arms

    error, zeta = parameters.rest_error_m, parameters.zeta
    step_arms(
        arms.position, arms.velocity, arms.target, wrists, shoulders, swivels, arms.lengths,
        float(error), float(zeta), dt, GRAVITY_M_S2, feedforward, arms.turns,
    )  # fmt: skip
    return arms
