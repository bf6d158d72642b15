"""A body on its feet in the rest pose, for tests of what is above it."""

from __future__ import annotations

import numpy as np

from kinesphere.character.default import default_rig
from kinesphere.maths.arrays import Floats

HIPS = default_rig().skeleton.offsets[0]


def feet(frames: int) -> Floats:
    """Feet ``[frames, 2, 6]`` as `figure.legs` has them, where the figure rests."""
    rig, out = default_rig(), np.zeros((frames, 2, 6))
    ankles = rig.joints(("leftFoot", "rightFoot"))
    out[:, :, :3] = rig.skeleton.rest_world_positions[list(ankles)]
    return out
