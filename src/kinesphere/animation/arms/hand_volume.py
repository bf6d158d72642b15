"""Volumes of the hands, used for contacts with the body and with each other.

A hand is a set of spheres measured on the default figure's mesh, the body is its volume. All
positions are in the chest frame (see `animation.arms.poses.arm_pose`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from kinesphere.animation.arms.poses.arm_pose import ArmPose, hand_turns
from kinesphere.animation.arms.poses.home_pose import home_clip
from kinesphere.character.default import default_rig
from kinesphere.figure.arms.hand_spheres import ALONG, BONES_M, PALM
from kinesphere.gesture.hand_shapes import local_finger_rotations
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.body.arms import Side, sign_of
from kinesphere.motion.body.body_volume import CORE, BodyVolume, body_volume, distance
from kinesphere.motion.humanoid import FINGERS, finger_bones


@dataclass(frozen=True, eq=False)
class FigurePose:
    """A pose of the default figure's body, for contact and penetration tests.

    Parameters
    ----------
    rotations, positions : ``[joints, 4]`` and ``[joints, 3]`` in the world.
    """

    rotations: Floats
    positions: Floats

    @property
    def frame(self) -> tuple[Floats, Floats]:
        """Axes ``[4]`` and origin ``[3]`` of the chest frame in the world."""
        rig = default_rig()
        chest, places = rig.joint("upperChest"), rig.canonical_pose[1]
        middle = places[rig.joints(("leftUpperArm", "rightUpperArm"))].mean(axis=0)
        axes = quaternion.multiply(
            self.rotations[chest], quaternion.inverse(rig.canonical_pose[0][chest])
        )
        origin = self.positions[chest] + quaternion.rotate(axes, middle - places[chest])
        return axes, origin

    def in_world(self, points: Floats) -> Floats:
        """Points ``[..., 3]`` of the chest frame in the world."""
        axes, origin = self.frame
        return np.asarray(origin + quaternion.rotate(axes, points))

    def from_world(self, points: Floats) -> Floats:
        """World points ``[..., 3]`` in the chest frame."""
        axes, origin = self.frame
        return quaternion.rotate(quaternion.inverse(axes), np.asarray(points) - origin)

    def clearance(self, points: Floats, parts: tuple[str, ...] = CORE) -> tuple[Floats, Floats]:
        """Signed distance ``[k]`` of points ``[k, 3]`` of the chest frame, and directions out."""
        found, _, normal = distance(
            _volume(), self.rotations, self.positions, self.in_world(points), parts
        )
        return found, quaternion.rotate(quaternion.inverse(self.frame[0]), normal)

    def surface(self, point: Floats, way: Floats) -> Floats:
        """Intersection of a ray from outside with the body, in the chest frame."""
        at = np.asarray(point, dtype=np.float64)
        for _ in range(60):
            clear = float(self.clearance(at[None])[0][0])
            at = at + clear * way
            if abs(clear) < 1e-5:
                break
        return at


@cache
def _volume() -> BodyVolume:
    return body_volume(default_rig())


@cache
def standing_body() -> FigurePose:
    """The body of a figure in the home pose."""
    clip = home_clip(1, 60.0)
    return FigurePose(clip.world_rotations[0], clip.world_positions[0])


def finger_chains(
    side: Side, wrists: ArrayLike, hands: ArrayLike, fingers: ArrayLike
) -> tuple[Floats, Floats]:
    """Joints and tips of all fingers ``[n, 5, 4, 3]``, and their bones' rotations ``[n, 5, 3, 4]``.

    Parameters
    ----------
    side : whose hand.
    wrists, hands : ``[n, 3]`` and ``[n, 4]`` positions, and rotations from the T-pose.
    fingers : ``[n, 21]`` or ``[21]`` angles in degrees, see `hand_shapes.finger_angles`.
    """
    rig = default_rig()
    at = np.asarray(wrists, dtype=np.float64)
    n = len(at)
    turn = quaternion.multiply(hands, rig.canonical_pose[0][rig.joint(f"{side}Hand")])
    angles = np.broadcast_to(np.asarray(fingers, dtype=np.float64), (n, 21))
    joints, local = local_finger_rotations(rig, side, angles)
    table = np.array(joints).reshape(5, 3)
    local = local.reshape(n, 5, 3, 4)
    at = np.broadcast_to(at[:, None], (n, 5, 3))
    turn = np.broadcast_to(turn[:, None], (n, 5, 4))
    points, turns = [], []
    for k in range(3):
        at = at + quaternion.rotate(turn, rig.skeleton.offsets[table[:, k]])
        turn = quaternion.multiply(turn, local[:, :, k])
        points.append(at)
        turns.append(turn)
    points.append(at + quaternion.rotate(turn, _tips(side)))
    return np.stack(points, axis=2), np.stack(turns, axis=2)


@cache
def _tips(side: Side) -> Floats:
    """Tips ``[5, 3]`` of the fingers from their last joints."""
    rig = default_rig()
    ends = {tip.joint: tip.offset for tip in rig.skeleton.tips}
    return np.array([ends[rig.joint(finger_bones(side, finger)[2])] for finger in FINGERS])


def hand_balls(
    side: Side, wrists: ArrayLike, hands: ArrayLike, fingers: ArrayLike
) -> tuple[Floats, Floats]:
    """Centres ``[n, spheres, 3]`` and radii ``[spheres]`` of the spheres that make up a hand.

    First those of the palm, then nine for every finger; parameters as for `finger_chains`.
    """
    rig = default_rig()
    chains, _ = finger_chains(side, wrists, hands, fingers)
    n = len(chains)
    steps = np.diff(chains, axis=2)
    lengths = np.linalg.norm(steps, axis=-1)
    # The last sphere ends at the finger's tip.
    share = np.broadcast_to(ALONG, (n, 5, 3, 3)).copy()
    share[:, :, 2, 2] = 1.0 - BONES_M[:, 2] / lengths[:, :, 2]
    balls = chains[:, :, :3, None] + share[..., None] * steps[:, :, :, None]
    palm = PALM[:, :3] * np.array([float(sign_of(side)), 1.0, 1.0])
    turn = quaternion.multiply(hands, rig.canonical_pose[0][rig.joint(f"{side}Hand")])
    placed = np.asarray(wrists)[:, None] + quaternion.rotate(turn[:, None], palm)
    centres = np.concatenate([placed, balls.reshape(n, -1, 3)], axis=1)
    return centres, np.concatenate([PALM[:, 3], np.repeat(BONES_M.ravel(), 3)])


def posed_balls(
    side: Side, pose: ArmPose, fingers: ArrayLike, shoulders: ArrayLike | None = None
) -> tuple[Floats, Floats]:
    """Like `hand_balls`, for the hand of a posed arm."""
    return hand_balls(side, pose.wrists, hand_turns(side, pose, shoulders), fingers)


def finger_skin(
    side: Side, pose: ArmPose, fingers: ArrayLike, finger: int, shoulders: ArrayLike | None = None
) -> tuple[Floats, Floats]:
    """Middle of a finger's pad ``[3]``, and its normal; `finger` is a row of `FINGERS`."""
    rig = default_rig()
    turns = hand_turns(side, pose, shoulders)
    chains, rotations = finger_chains(side, pose.wrists, turns, fingers)
    joint = rig.joint(finger_bones(side, FINGERS[finger])[2])
    down = quaternion.rotate(quaternion.inverse(rig.canonical_pose[0][joint]), [0.0, -1.0, 0.0])
    facing = quaternion.rotate(rotations[0, finger, 2], down)
    along = chains[0, finger, 3] - chains[0, finger, 2]
    along /= np.linalg.norm(along)
    facing = facing - (facing @ along) * along
    facing /= np.linalg.norm(facing)
    if FINGERS[finger] == "Thumb":
        # The thumb's pad faces the other fingers; the point that can be touched is its end.
        facing = (facing + 2.0 * along) / np.linalg.norm(facing + 2.0 * along)
        middle = chains[0, finger, 3] - BONES_M[finger, 2] * along
    else:
        middle = 0.5 * (chains[0, finger, 2] + chains[0, finger, 3])
    return middle + BONES_M[finger, 2] * facing, facing


def body_gap(
    body: FigurePose,
    side: Side,
    pose: ArmPose,
    fingers: ArrayLike,
    shoulders: ArrayLike | None = None,
) -> tuple[float, Floats]:
    """Gap between a hand's skin and the body (negative inside), and the direction out there."""
    centres, radii = posed_balls(side, pose, fingers, shoulders)
    found, ways = body.clearance(centres[0])
    gaps = found - radii
    return float(gaps.min()), ways[int(gaps.argmin())]


def hands_gap(first: tuple[Floats, Floats], second: tuple[Floats, Floats]) -> float:
    """Gap between two hands, each as of `posed_balls`; negative where they penetrate."""
    apart = np.linalg.norm(first[0][0][:, None] - second[0][0][None], axis=-1)
    return float((apart - first[1][:, None] - second[1][None]).min())
