"""Scenes of hands that reach through the body or through each other."""

from __future__ import annotations

import numpy as np

from kinesphere.animation.arms.poses.rest_poses import rest_poses
from kinesphere.animation.posing import HandFrames, HeadTurns
from kinesphere.animation.trunk_motion import TrunkMotion
from kinesphere.character.default import default_rig
from kinesphere.maths.arrays import Floats
from kinesphere.maths.curves import minimum_jerk
from kinesphere.motion.body.arms import SIDES, Side

RIG = default_rig()
FPS = 60.0
RESTS = rest_poses(["half-rest", "at-side", "clasped"], plain=True)
MIRROR = np.array([-1.0, 1.0, 1.0])
Scene = tuple[TrunkMotion, dict[Side, HandFrames], HeadTurns]

# Ways of the left wrist in the chest frame that lead through the body, metres.
THROUGH = {
    "belly from the side": ((0.25, -0.35, 0.15), (-0.15, -0.35, 0.02)),
    "chest, grazed": ((0.25, -0.15, 0.20), (-0.10, -0.15, 0.10)),
    "chest from the front": ((0.20, -0.30, 0.30), (0.00, -0.30, 0.05)),
    "face": ((0.20, 0.10, 0.30), (0.00, 0.20, 0.05)),
    "head from the side": ((0.30, 0.20, 0.20), (-0.10, 0.20, 0.05)),
    "hip": ((0.30, -0.45, 0.15), (0.05, -0.45, 0.05)),
}


def hand(side: Side, path: Floats) -> HandFrames:
    pose, n = RESTS["half-rest"][side], len(path)
    return HandFrames(
        path,
        np.full(n, pose.swivel),
        np.tile(pose.angles, (n, 1)),
        np.tile(pose.fingers, (n, 1)),
        np.zeros((n, 3)),
    )


def way(a: tuple[float, ...], b: tuple[float, ...], frames: int = 150) -> Floats:
    """There in the middle of the time and back at its end."""
    r = minimum_jerk(1.0 - np.abs(np.linspace(-1.0, 1.0, frames)))[:, None]
    return np.asarray(np.asarray(a) + r * (np.asarray(b) - np.asarray(a)))


def standing(zero: Floats, spine: Floats) -> TrunkMotion:
    """A body that stands still with a bent spine."""
    rest = RIG.skeleton.rest_world_positions
    feet = np.zeros((len(zero), 2, 6))
    feet[..., :3] = rest[RIG.joints([f"{side}Foot" for side in SIDES])]
    hips = RIG.skeleton.offsets[0] - [0.0, 0.012, 0.0] + zero
    return TrunkMotion(hips, zero, spine, feet, {"left": zero, "right": zero})


def scene(left: Floats, right: Floats | None = None, lean: float = 0.0) -> Scene:
    n = len(left)
    zero = np.zeros((n, 3))
    spine = np.tile([lean, 0.0, 0.0], (n, 1))
    body = standing(zero, spine)
    other = np.tile(RESTS["at-side"]["right"].wrist, (n, 1)) if right is None else right
    hands: dict[Side, HandFrames] = {"left": hand("left", left), "right": hand("right", other)}
    return body, hands, HeadTurns(zero, zero, zero)
