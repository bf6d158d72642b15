"""Standing feet of a body: rotation of a foot whose sole is flat, and height of its ankle.

This is what a rig contains; `motion/retargeting/observed_footing.py` measures recordings.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Floats
from kinesphere.motion.humanoid import Rig
from kinesphere.motion.kinematics import tip_positions
from kinesphere.motion.measure import leg_length
from kinesphere.motion.retargeting.canonical_pose import body_frame

SIDES = ("left", "right")
_FORWARD = np.array([0.0, 0.0, 1.0])
_LEG_M = 0.83  # legs of the body that lengths and speeds of standing feet are given for
# Ratios of leg length in the default character: ankle to heel and to the ball of the foot, and a
# toe's length; and of the height of all joints: a toe's joint lies inside the foot.
_HEEL, _BALL, _TOES = 0.06, 0.15, 0.09
_JOINT_ABOVE_SOLE = 0.0105
# Downward slope from ankle to toes in a flat foot: of people, of rigs, and of rigs that rest
# standing on the floor.
_SLOPE = np.radians(27.0)
SLOPES = (np.radians(3.0), np.radians(62.0))
_SHOWN_SLOPES = (np.radians(-10.0), np.radians(70.0))
_UPRIGHT_SHIN = np.cos(np.radians(15.0))


@dataclass(frozen=True, eq=False)
class Footing:
    """Feet that stand flat, left and right.

    Parameters
    ----------
    floor_m : height of the floor.
    ankles_m : ``[2]`` height of the ankles above it.
    flat : ``[2, 2, 4]`` world rotation of each foot's (ankle, toes) joint, facing +Z; without a
        joint for toes, the second is unused.
    toes_m : ``[2, 3]`` from ankle to toes then.
    heel_m, tip_m : distance of the heel behind the ankle, and of the end of the toes ahead of
        their joint.
    observed : whether it comes from a recording, which is never exact.
    on_balls : whether feet are known to turn about their balls, as those of our own figure do.
    ground_m : ``[frames, 2]`` height of the ground under each foot above the floor.
    hips_ground_m : ``[frames]`` the same for the hips.
    """

    floor_m: float
    ankles_m: Floats
    flat: Floats
    toes_m: Floats
    heel_m: float
    tip_m: float
    observed: bool = False
    on_balls: bool = False
    ground_m: Floats | None = None
    hips_ground_m: Floats | None = None

    def frames(self, start: int, stop: int) -> Footing:
        """The same for a range of frames."""
        if self.ground_m is None or self.hips_ground_m is None:
            return self
        ground, hips = self.ground_m[start:stop], self.hips_ground_m[start:stop]
        return replace(self, ground_m=ground, hips_ground_m=hips)

    def depths(self, turns: Floats, toes: bool = True) -> Floats:
        """Depth of the lowest of heel, ball and toes below each ankle, ``[frames, 2]``.

        `turns` ``[frames, 2, 2, 4]`` are rotations of ankle and toes from flat. Toes are optional.
        """
        down = np.array([0.0, -1.0, 0.0]) * self.ankles_m[:, None]
        heel = down + np.array([0.0, 0.0, -self.heel_m])
        ball = down + self.toes_m * np.array([1.0, 0.0, 1.0])
        foot = turns[:, :, 0]
        lowest = np.minimum(rise(foot, heel), rise(foot, ball))
        if toes:
            tip = ball - self.toes_m + np.array([0.0, 0.0, self.tip_m])
            end = rise(foot, self.toes_m) + rise(turns[:, :, 1], tip)
            lowest = np.minimum(lowest, end)
        return -lowest


def leg_scale(rig: Rig) -> float:
    """Ratio of a body's legs to those for which lengths and speeds of feet are given."""
    return leg_length(rig) / _LEG_M


def rise(turns: Floats, vectors: Floats) -> Floats:
    """Height of displacements ``[..., 3]`` after a rotation."""
    return np.asarray(quaternion.rotate(turns, vectors)[..., 1])


def rig_footing(rig: Rig) -> Footing:
    """Footing that a rig's rest pose defines, on a floor at zero. `Rig.footing` caches it."""
    flat, toes = zip(*(_flat_foot(rig, side) for side in SIDES), strict=True)
    leg = leg_length(rig)
    depth, above = _sole(rig, np.array(flat))
    there = [f"{side}Toes" in rig for side in SIDES]
    assumed = np.array([0.0, above - depth, _BALL * leg])
    steps = np.array([t if ok else assumed for t, ok in zip(toes, there, strict=True)])
    # Toes rest somewhere between sole and ankle, whatever a rig's rest pose says.
    steps[:, 1] = np.clip(steps[:, 1], -depth, 0.0)
    return Footing(0.0, np.full(2, depth), np.array(flat), steps, _HEEL * leg, _TOES * leg)


def _flat_foot(rig: Rig, side: str) -> tuple[Floats, Floats]:
    """Rotations of ankle and toes in a flat foot, and the vector from ankle to toes."""
    ankle = rig.bones[f"{side}Foot"]
    toes = rig.bones.get(f"{side}Toes", ankle)
    rotations, places = rig.canonical_pose
    facing, standing = quaternion.inverse(body_frame(rig)), rests_standing(rig)
    shown, at = rig.reference_world
    if standing:
        shown, at = rig.skeleton.rest_world_rotations, rig.skeleton.rest_world_positions
    shin = quaternion.rotate(facing, at[ankle] - at[rig.bones[f"{side}LowerLeg"]])
    # Legs that rest spread or bent carry their feet when the T-pose straightens them, but
    # whether feet are flat in a pose that is not standing is uncertain.
    if standing or -shin[1] > _UPRIGHT_SHIN * np.linalg.norm(shin):
        rotations, places = quaternion.multiply(facing, shown), quaternion.rotate(facing, at)
    step = places[toes] - places[ankle]
    turn = _level(step, standing)
    pair = quaternion.multiply(turn, np.stack([rotations[ankle], rotations[toes]]))
    return pair, quaternion.rotate(turn, step)


def _level(step: Floats, trusted: bool) -> Floats:
    """Rotation that brings a foot straight ahead, and to a human slope if its own is impossible."""
    if np.linalg.norm(step) < 1e-6:
        return quaternion.identity()
    if trusted or SLOPES[0] < slope_of(step) < SLOPES[1]:
        return quaternion.from_axis_angle([0.0, -1.0, 0.0], np.arctan2(step[0], step[2]))
    return quaternion.between(step, np.array([0.0, -np.sin(_SLOPE), np.cos(_SLOPE)]))


def slope_of(step: Floats) -> Floats:
    """Downward slope of a vector."""
    return np.asarray(np.arctan2(-step[..., 1], np.hypot(step[..., 0], step[..., 2])))


def rests_standing(rig: Rig) -> bool:
    """Whether the rest pose is a body that stands on the floor, with feet that may be flat."""
    rest = rig.skeleton.rest_world_positions
    height = float(np.ptp(rig.canonical_pose[1][:, 1]))
    if abs(rest[:, 1].min()) > 0.04 * height or np.ptp(rest[:, 1]) < 0.8 * height:
        return False
    pairs = [(f"{side}Foot", f"{side}Toes") for side in SIDES if f"{side}Toes" in rig]
    slopes = [slope_of(rest[rig.bones[toes]] - rest[rig.bones[foot]]) for foot, toes in pairs]
    return all(_SHOWN_SLOPES[0] < slope < _SHOWN_SLOPES[1] for slope in slopes)


def _sole(rig: Rig, flat: Floats) -> tuple[float, float]:
    """Height of ankles above the soles, and of a joint at the bottom of a foot.

    A rig that rests standing on the floor shows it. For others it is the lowest joint or end point
    of the feet that stand flat, and the tissue below it.
    """
    skeleton = rig.skeleton
    rotations, places = rig.canonical_pose
    flesh = _JOINT_ABOVE_SOLE * float(np.ptp(places[:, 1]))
    ankles = rig.joints(("leftFoot", "rightFoot"))
    if rests_standing(rig):
        return float(skeleton.rest_world_positions[ankles, 1].mean()), flesh
    ends = tip_positions(skeleton, rotations, places)
    depths = []
    for ankle, (rotation, _) in zip(ankles, flat, strict=True):
        foot = skeleton.subtree(ankle)
        turn = quaternion.multiply(rotation, quaternion.inverse(rotations[ankle]))
        points = [places[j] for j in foot]
        points += [ends[i] for i, tip in enumerate(skeleton.tips) if tip.joint in foot]
        depths.append(-rise(turn, np.array(points) - places[ankle]).min())
    return float(np.mean(depths)) + flesh, flesh


def heading_and_tilt(turns: Floats) -> tuple[Floats, Floats]:
    """Split rotations away from flat into one about the vertical and the rest."""
    ahead = quaternion.rotate(turns, _FORWARD)
    half = 0.5 * np.arctan2(ahead[..., 0], ahead[..., 2])
    zero = np.zeros_like(half)
    heading = np.stack([np.cos(half), zero, np.sin(half), zero], axis=-1)
    return heading, quaternion.shortest(quaternion.relative(heading, turns))
