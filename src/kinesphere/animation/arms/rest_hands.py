"""Rest poses of the hands as `HandPose`."""

from __future__ import annotations

from collections.abc import Iterable

from kinesphere.animation.arms.hand_pose import HandPose
from kinesphere.animation.arms.rest_poses import plain_rest_pose, rest_pose
from kinesphere.motion.body.arms import SIDES, Side


def rest_poses(
    names: Iterable[str], seed: int = 0, gain: float = 1.0, *, plain: bool = False
) -> dict[str, dict[Side, HandPose]]:
    """Both hands in rest poses by name; `plain` is without random variation."""
    out = {}
    for name in names:
        rest = plain_rest_pose(name) if plain else rest_pose(name, seed, gain)
        out[name] = {
            side: HandPose(
                rest.arms[side].wrists[0],
                float(rest.arms[side].swivels[0]),
                rest.arms[side].angles[0],
                rest.fingers[side],
                rest.collars[side],
            )
            for side in SIDES
        }
    return out
