"""How two hands meet: how far they are from touching, and how deep they are in each other."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinesphere.character.skin.arm_balls import ArmBalls
from kinesphere.maths.arrays import Floats

_FAR = 1.5


@dataclass(frozen=True, eq=False)
class Meeting:
    """Both hands over time.

    Parameters
    ----------
    way : ``[f, 3]`` unit vectors from the right hand to the left one.
    lack : ``[f]`` metres that the left hand must move along `way` to just touch the right one;
        negative where they are apart, ``-inf`` where they pass beside each other or are far away.
    overlap : ``[f]`` metres that they are in each other, 0 where they are apart.
    """

    way: Floats
    lack: Floats
    overlap: Floats

    def scaled(self, scale: float) -> Meeting:
        """The same in another unit of length."""
        return replace(self, lack=scale * self.lack, overlap=scale * self.overlap)


def meeting_way(centres: Floats, balls: ArmBalls) -> Floats:
    """Unit vectors ``[f, 3]`` from the middle of the right hand to that of the left one."""
    left, right = (centres[:, balls.hand(s)].mean(axis=1) for s in ("left", "right"))
    apart = left - right
    return np.asarray(apart / np.maximum(np.linalg.norm(apart, axis=-1, keepdims=True), 1e-9))


def hand_meeting(centres: Floats, balls: ArmBalls, way: Floats) -> Meeting:
    """How the hands meet, by spheres ``[f, n, 3]`` of both arms, along directions ``[f, 3]``."""
    from kinesphere.character.skin.skin_kernels import meet_hands

    lack, overlap = np.empty(len(centres)), np.empty(len(centres))
    lefts, rights = balls.hand("left"), balls.hand("right")
    # Hands a whole hand apart do not meet.
    spans = [np.ptp(balls.centres[x], axis=0).max() for x in (lefts, rights)]
    far = float(_FAR * sum(spans) + 2.0 * balls.radii.max())
    meet_hands(
        np.ascontiguousarray(centres),
        lefts,
        rights,
        balls.radii,
        np.ascontiguousarray(way),
        far,
        lack,
        overlap,
    )
    return Meeting(way, lack, overlap)
