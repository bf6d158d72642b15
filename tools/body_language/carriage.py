"""Chin and weight follow the voice, added to the performance.

The chin rises after a rise of the pitch and falls after a fall, and is a little higher while the
voice is loud; the weight is forward then, and back while it is soft. A few degrees
and centimetres, well below the other motion of a speaker's head and hips.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from tools.body_language.contour import Contour

from kinesphere.character.default import default_rig
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.clip import Clip
from kinesphere.motion.retargeting.retargeting import move_rig_limbs

_SIDES = ("left", "right")


@dataclass(frozen=True)
class Carriage:
    """Amplitudes.

    Parameters
    ----------
    forward_m, chin_deg : of the weight and the chin, per deviation of loudness.
    lift_deg, drop_deg : of the chin after a rise, and after a fall.
    after_s, lasting_s : from the peak of such a syllable to the top of the movement, and its
        deviation.
    """

    forward_m: float = 0.03
    chin_deg: float = 4.0
    lift_deg: float = 6.0
    drop_deg: float = 8.0
    after_s: float = 0.28
    lasting_s: float = 0.17


def carried(clip: Clip, contour: Contour, carriage: Carriage | None = None) -> Clip:
    """Add the voice's effect to chin and weight; the feet stay where they are."""
    c = carriage or Carriage()
    if not len(contour.peaks_s):
        return clip
    loud = contour.felt(clip.times, fades=True)
    return _weighted(_nodding(clip, contour, loud, c), loud * c.forward_m)


def _nodding(clip: Clip, contour: Contour, loud: Floats, c: Carriage) -> Clip:
    sizes = np.where(contour.lifts > 0.0, c.lift_deg, c.drop_deg) * contour.lifts
    gap = contour.peaks_s + c.after_s - clip.times[:, None]
    up = c.chin_deg * loud + np.exp(-0.5 * (gap / c.lasting_s) ** 2) @ sizes
    turn = np.zeros((len(clip), 3))
    turn[:, 0] = np.radians(-np.clip(up, -12.0, 9.0))
    rig, rotations = default_rig(), clip.rotations.copy()
    for bone, share in (("neck", 0.4), ("head", 0.6)):
        joint = rig.joint(bone)
        rotations[:, joint] = quaternion.multiply(quaternion.exp(share * turn), rotations[:, joint])
    return replace(clip, rotations=quaternion.normalise(rotations))


def _weighted(clip: Clip, forward: Floats) -> Clip:
    """Hips translated forward ``[f]`` over the feet, in the body's own direction, metres."""
    rig = default_rig()
    ankles = clip.world_positions[:, rig.joints([f"{side}Foot" for side in _SIDES])]
    up = np.array([0.0, 1.0, 0.0])
    heading = quaternion.swing_twist(clip.world_rotations[:, 0], up)[1]
    # A little lower off the middle, so that the knees can bend.
    way = np.stack([0.0 * forward, -0.1 * np.abs(forward), forward], axis=1)
    moved = replace(clip, root_positions=clip.root_positions + quaternion.rotate(heading, way))
    legs = [
        (rig.joint(f"{s}UpperLeg"), rig.joint(f"{s}LowerLeg"), rig.joint(f"{s}Foot"))
        for s in _SIDES
    ]
    return move_rig_limbs(moved, rig, legs, ankles, np.tile([1.0, 0.0, 0.0], (2, 1)))
