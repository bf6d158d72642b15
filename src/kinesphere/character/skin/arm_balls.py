"""Thickness of hands and forearms: spheres inside them that touch the skin.

On a mesh they are the largest spheres that touch the skin at a point from inside; of these as many
are kept as fill the part. Without a mesh they are spheres along the bones.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kinesphere.character.skin.regions import MOSTLY, MeshRegions, joint_shares, top_weights
from kinesphere.character.skin.scattering import is_outer, scatter, triangle_normals
from kinesphere.errors import InvalidValueError
from kinesphere.maths import quaternion
from kinesphere.maths.arrays import Bools, Floats, Ints, read_only
from kinesphere.motion.body.arms import SIDES, Side
from kinesphere.motion.body.body_volume import FINGER_M, PALM_M, THUMB_M
from kinesphere.motion.humanoid import FINGERS, Rig, finger_bones


@dataclass(frozen=True)
class ArmBallSettings:
    """Spheres of hands and forearms; lengths for a person of 1.75 m.

    Parameters
    ----------
    layer_m : distance from the skin at which its two sides are tested.
    least_m : radius; a finger has 6 mm.
    most_m : radii of a hand and of a forearm; a stout forearm has 6 cm.
    hand_balls, forearm_balls : how many are kept of a hand and of a forearm at most.
    uncovered_m : how far the skin may be outside all of them.
    points : of the skin of a hand or a forearm that are looked at.
    fewest : triangles or points below which a part has no mesh.
    forearm_m : radii of a forearm without a mesh, at the elbow and at the wrist.
    palm_m : length of a palm without knuckles.
    behind : how far a forearm goes on behind its elbow, relative to its length: the thickness of a
        stout one.
    """

    layer_m: float = 0.002
    least_m: float = 0.004
    most_m: tuple[float, float] = (0.04, 0.08)
    hand_balls: int = 64
    forearm_balls: int = 36
    uncovered_m: float = 0.003
    points: int = 600
    fewest: int = 8
    forearm_m: tuple[float, float] = (0.036, 0.024)
    palm_m: float = 0.096
    behind: float = 0.25


@dataclass(frozen=True, eq=False)
class ArmBalls:
    """Spheres of both arms in the rest pose.

    Parameters
    ----------
    centres, radii : ``[n, 3]`` and ``[n]`` metres.
    joints, weights : ``[n, 4]`` which joints carry a sphere and how much.
    along : ``[n]`` ratio from elbow to wrist; 1 for all of a hand.
    is_left, is_hand : ``[n]``.
    """

    centres: Floats
    radii: Floats
    joints: Ints
    weights: Floats
    along: Floats
    is_left: Bools
    is_hand: Bools

    def __post_init__(self) -> None:
        if len(self.centres) == 0:
            raise InvalidValueError("arms have 0 spheres, needed is 1")
        for name in ("centres", "radii", "joints", "weights", "along", "is_left", "is_hand"):
            object.__setattr__(self, name, read_only(np.ascontiguousarray(getattr(self, name))))

    def of(self, side: Side) -> Ints:
        """Spheres of one arm."""
        return np.flatnonzero(self.is_left == (side == "left"))

    def hand(self, side: Side) -> Ints:
        """Spheres of one hand."""
        return np.flatnonzero((self.is_left == (side == "left")) & self.is_hand)


# Sine of the least angle between the skin and the way to a point on its far side.
_ACROSS = 0.6
_Rows = tuple[Floats, Floats, Floats]


def arm_balls(
    rig: Rig, regions: MeshRegions | None, scale: float, settings: ArmBallSettings
) -> ArmBalls:
    """Spheres of both arms: from the mesh where hand and forearm have one, else along bones."""
    rows: list[_Rows] = []
    flags: list[tuple[Bools, Bools]] = []
    for side in SIDES:
        for is_hand in (True, False):
            found = None
            if regions is not None:
                found = _from_mesh(rig, regions, side, is_hand, scale, settings)
            if found is None:
                found = _along_bones(rig, side, is_hand, scale, settings)
            count = len(found[0])
            rows.append(found)
            flags.append((np.full(count, side == "left"), np.full(count, is_hand)))
    centres, radii, shares = (np.concatenate(part) for part in zip(*rows, strict=True))
    is_left, is_hand_ = (np.concatenate(part) for part in zip(*flags, strict=True))
    along = np.where(is_hand_, 1.0, _along(rig, centres, is_left))
    joints, weights = top_weights(shares)
    return ArmBalls(centres, radii, joints, weights, along, is_left, is_hand_)


def _along(rig: Rig, centres: Floats, is_left: Bools) -> Floats:
    """Ratio of each centre from elbow to wrist at rest, in [0, 1]."""
    left, right = (_ratios(rig, centres, side) for side in SIDES)
    return np.clip(np.where(is_left, left, right), 0.0, 1.0)


def _ratios(rig: Rig, points: Floats, side: Side) -> Floats:
    """Ratio of points along the line from elbow to wrist at rest."""
    elbow, wrist = rig.skeleton.rest_world_positions[rig.joints((f"{side}LowerArm", f"{side}Hand"))]
    bone = wrist - elbow
    return np.asarray((points - elbow) @ bone / max(float(bone @ bone), 1e-12))


def _from_mesh(
    rig: Rig,
    regions: MeshRegions,
    side: Side,
    is_hand: bool,
    scale: float,
    settings: ArmBallSettings,
) -> _Rows | None:
    figure = regions.figure
    owned = (regions.hands if is_hand else regions.forearms)[side]
    chosen = figure.triangles[owned[figure.triangles].sum(axis=1) >= 2]
    if len(chosen) < settings.fewest:
        return None
    corners = figure.positions[chosen]
    area = 0.5 * np.linalg.norm(triangle_normals(corners, unit=False), axis=1).sum()
    triangles, ratios = scatter(corners, float(np.sqrt(area / settings.points)))
    points = np.einsum("nk,nkc->nc", ratios, corners[triangles])
    normals = triangle_normals(corners)[triangles]
    some = np.flatnonzero(is_outer(points, normals, corners, settings.layer_m * scale))
    # Long triangles of coarse meshes go on to the shoulder.
    below = rig.skeleton.subtree(rig.joint(f"{side}LowerArm"))
    shares = joint_shares(figure, chosen[triangles[some]], ratios[some])[:, below].sum(axis=1)
    some = some[(shares > MOSTLY) & (_ratios(rig, points[some], side) > -settings.behind)]
    if len(some) < settings.fewest:
        return None
    some = some[:: max(1, len(some) // settings.points)]
    points, normals = points[some], normals[some]
    radii = _inner_radii(points, normals, settings.most_m[0 if is_hand else 1] * scale)
    radii = np.maximum(radii, settings.least_m * scale)
    centres = points - radii[:, None] * normals
    most = settings.hand_balls if is_hand else settings.forearm_balls
    kept = _covering(points, centres, radii, most, settings.uncovered_m * scale)
    shares = joint_shares(figure, chosen[triangles[some[kept]]], ratios[some[kept]])
    return centres[kept], radii[kept], shares


def _inner_radii(points: Floats, normals: Floats, most: float) -> Floats:
    """Radius of the largest sphere that touches the skin at each point from inside."""
    step = points[:, None] - points[None]
    facing = np.einsum("ikc,ic->ik", step, normals)
    size = np.sum(step * step, axis=-1)
    # Only the far side limits it: neighbours are nearly in the plane of the skin.
    across = (facing > _ACROSS * np.sqrt(size)) & (size > 0.0)
    radii = np.where(across, size / np.where(across, 2.0 * facing, 1.0), np.inf).min(axis=1)
    known = np.isfinite(radii)
    usual = float(np.median(radii[known])) if known.any() else most
    return np.asarray(np.minimum(np.where(known, radii, usual), most))


def _covering(points: Floats, centres: Floats, radii: Floats, most: int, least: float) -> Ints:
    """Spheres that cover the skin: for the point least covered so far, the largest that touches it.

    Ends with `most` of them, or where no point is more than `least` outside.
    """
    away = np.full(len(points), np.inf)
    kept: list[int] = []
    following = int(np.argmax(radii))
    while len(kept) < most:
        kept.append(following)
        gap = np.linalg.norm(points - centres[following], axis=1) - radii[following]
        away = np.minimum(away, np.maximum(gap, 0.0))
        farthest = int(np.argmax(away))
        if away[farthest] < least:
            break
        touching = np.linalg.norm(centres - points[farthest], axis=1) - radii < 0.5 * least
        following = int(np.argmax(np.where(touching, radii, 0.0)))
        if following in kept:
            following = farthest
    return np.array(kept)


def _along_bones(
    rig: Rig, side: Side, is_hand: bool, scale: float, settings: ArmBallSettings
) -> _Rows:
    """Spheres along the bones of a hand or a forearm, with the thickness of an average adult."""
    places = rig.skeleton.rest_world_positions
    elbow, wrist = rig.joints((f"{side}LowerArm", f"{side}Hand"))
    if not is_hand:
        first, last = (scale * x for x in settings.forearm_m)
        lines = [(elbow, places[elbow], places[wrist], 8, first, last)]
    else:
        lines = _hand_lines(rig, side, scale, settings)
    centres, radii, joints = [], [], []
    for joint, start, end, count, near, far in lines:
        for t in np.linspace(0.0, 1.0, count):
            centres.append((1.0 - t) * start + t * end)
            radii.append((1.0 - t) * near + t * far)
            joints.append(joint)
    shares = np.zeros((len(joints), len(rig.skeleton)))
    shares[np.arange(len(joints)), joints] = 1.0
    return np.array(centres), np.array(radii), shares


_Line = tuple[int, Floats, Floats, int, float, float]


def _hand_lines(rig: Rig, side: Side, scale: float, settings: ArmBallSettings) -> list[_Line]:
    places, hand = rig.skeleton.rest_world_positions, rig.joint(f"{side}Hand")
    wrist, palm = places[hand], PALM_M * scale
    lines: list[_Line] = []
    for finger in FINGERS:
        names = finger_bones(side, finger)
        if any(name not in rig for name in names):
            continue
        thick = scale * (THUMB_M if finger == "Thumb" else FINGER_M)
        joints = rig.joints(names)
        last = places[joints[2]] + 0.8 * (places[joints[2]] - places[joints[1]])
        chain = [*places[joints], last]
        for joint, (a, b) in zip(joints, pairwise(chain), strict=True):
            lines.append((joint, a, b, 3, thick, thick))
        if finger != "Thumb":
            lines.append((hand, wrist, chain[0], 5, palm, palm))
    if not lines:
        turn = quaternion.multiply(
            rig.skeleton.rest_world_rotations[hand], quaternion.inverse(rig.canonical_pose[0][hand])
        )
        out = np.array([settings.palm_m * scale * (1.0 if side == "left" else -1.0), 0.0, 0.0])
        lines.append((hand, wrist, wrist + quaternion.rotate(turn, out), 7, palm, palm))
    return lines
